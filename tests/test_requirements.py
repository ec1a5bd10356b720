"""docs/requirements.md has every number that tests and comments name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
LISTED = set(re.findall(r"^- \*\*([A-Z]-\d+)\*\*", (REPOSITORY / "docs/requirements.md").read_text(), re.MULTILINE))
SECTIONS = "".join(sorted({number[0] for number in LISTED}))
NAMED = re.compile(r"(?:#|SPEC).*")  # not in texts: notes of the tests speak of part numbers


@pytest.mark.parametrize("folder", ["tests", "vault_mem", "benchmarks"])
def test_every_number_is_listed(folder: str) -> None:
    named = {
        number: f"{path.relative_to(REPOSITORY)}:{place}"
        for path in (REPOSITORY / folder).rglob("*.py")
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for comment in NAMED.findall(line)
        for number in re.findall(rf"\b[{SECTIONS}]-\d+\b", comment)
    }
    assert named
    assert {number: where for number, where in named.items() if number not in LISTED} == {}


def test_numbers_are_in_order() -> None:
    found = re.findall(r"^- \*\*([A-Z])-(\d+)\*\*", (REPOSITORY / "docs/requirements.md").read_text(), re.MULTILINE)
    for section in SECTIONS:
        assert [int(number) for letter, number in found if letter == section] == list(
            range(1, 1 + sum(letter == section for letter, _ in found))
        )
