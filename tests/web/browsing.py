"""A vault with `vault-mem web` on it, and a real browser that looks at it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLE
from daemons import Served, served

PLACES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CANARY = "quokka-4711"


def chromium() -> str:
    """The browser of this machine, or a skip that says what is missing."""
    pytest.importorskip("playwright", reason="playwright is not installed: make test-web")
    pytest.importorskip("starlette", reason="the extra `web` is not installed: make test-web")
    found = next(filter(None, map(shutil.which, PLACES)), None)
    return found or pytest.skip("no chromium on this machine: make test-web")


@dataclass
class Site:
    """What `vault-mem web` serves, and the command on the same vault."""

    cli: Served
    process: subprocess.Popen[str]
    first: str

    @property
    def root(self) -> Path:
        return self.cli.root

    def address(self) -> str:
        """An address that opens the page: the first one, then a new one for every Enter."""
        if self.first:
            found, self.first = self.first, ""
            return found
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return next(line.split()[-1] for line in self.process.stdout if "token=" in line)


@contextmanager
def serving(folder: Path) -> Iterator[Site]:
    """The sample vault, private memories too, with its daemon and its page."""
    with served(folder) as cli:
        shutil.copytree(SAMPLE, cli.root, dirs_exist_ok=True)
        shutil.move(cli.root / "private.sample", cli.root / "private")
        cli.root.joinpath("private").chmod(0o700)
        cli.json("config", "set", "quiet_seconds", "0")
        process = subprocess.Popen(
            [sys.executable, "-m", "vault_mem", "web", "--no-browser", "--port", "0"],
            cwd=cli.root,
            env={**os.environ, **cli.env, "VAULT_MEM_DEBUG": "raise"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout
            yield Site(cli, process, process.stdout.readline().split()[-1])
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def browsing() -> Iterator[Any]:
    """One browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def tab_on(site: Site, browser: Any, **look: Any) -> Iterator[Any]:
    """A tab with the page, in a profile of its own; whatever goes wrong in it fails the test."""
    context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1280, "height": 900}, **look})
    context.set_default_timeout(10_000)
    tab = context.new_page()
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    # a refusal (409) is an answer, and the browser logs it all the same
    tab.on("console", lambda line: wrong.append(line.text) if line.type == "error" and "409" not in line.text else None)
    tab.on("response", lambda answer: wrong.append(answer.url.split("/api/")[-1]) if answer.status >= 500 else None)
    tab.goto(site.address())
    tab.wait_for_selector("main h1")
    yield tab
    context.close()
    assert not wrong, wrong


def view(tab: Any, name: str) -> None:
    """Go to a view and wait until it shows what it has."""
    tab.evaluate("(to) => { location.hash = to }", f"#/{name}")
    tab.wait_for_selector("main h1")
    tab.wait_for_function("() => !document.querySelector('[aria-busy]')")
