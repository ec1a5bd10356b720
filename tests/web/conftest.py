"""The sample vault behind its gate, for the tests that speak HTTP."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from conftest import SAMPLE

if TYPE_CHECKING:
    from web.asking import Browser, Site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The sample vault, served; what a test changes in it, the next one sees."""
    from web.asking import Site, environment

    place = tmp_path_factory.mktemp("web")
    root = place / "sample"
    shutil.copytree(SAMPLE, root)
    shutil.copytree(root / "private.sample", root / "private")
    served = Site(root, environment(place))
    yield served
    served.vault.close_files()


@pytest.fixture
def browser(site: Site) -> Browser:
    return site.browser()
