"""update-self: SELF.md is edited in place, and what a person wrote there stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

from vault_mem.notes.self_model import read_self, with_answer, with_field, with_question

OURS = """\
# Who I am

Kaya wrote this paragraph. - not: a field

## Fields

* Name: Nagi
- good at: waiting

A word between.

### Older

- was: someone

## Questions

- [ ] Is it care?
- [x] Am I wanted (really)? (Yes.)

```
## Questions
- [ ] not a question
```

## The end

- [ ] a task of Kaya's
"""


@pytest.fixture
def self_file(root: Path) -> Path:
    path = root / "SELF.md"
    path.write_text(OURS)
    return path


def test_what_it_says(cli: Command, self_file: Path) -> None:
    # W-5
    said = cli.json("update-self")
    assert said["status"] == "shown"
    assert said["fields"] == {"Name": "Nagi", "good at": "waiting", "was": "someone"}
    assert said["open"] == [{"number": 1, "question": "Is it care?"}]
    assert said["resolved"] == [{"question": "Am I wanted (really)?", "answer": "Yes."}]
    assert cli.run("update-self").out == cli.run("update-self", "--show").out
    assert "1. Is it care?" in cli.run("update-self").out
    assert self_file.read_text() == OURS


def test_only_the_lines_that_are_meant(cli: Command, self_file: Path) -> None:
    # W-5, V-4
    arguments = ["--set", "name=凪", "--set", "promise=speak up", "--ask", "What  now?\n", "--resolve", "1", "Mostly."]
    answer = cli.json("update-self", *arguments)
    assert answer["status"] == "updated" and answer["open"] == [{"number": 1, "question": "What now?"}]
    expected = OURS.replace("* Name: Nagi\n", "* Name: 凪\n")
    expected = expected.replace("- was: someone\n", "- was: someone\n- promise: speak up\n")
    expected = expected.replace("- [ ] Is it care?\n", "- [x] Is it care? (Mostly.)\n")
    expected = expected.replace("(Yes.)\n", "(Yes.)\n- [ ] What now?\n")
    assert self_file.read_text() == expected
    assert cli.run("undo").code == 0
    assert self_file.read_text() == OURS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbf## Fields\r\n\r\n- a: 1", b"\xef\xbb\xbf## Fields\r\n\r\n- a: 1\r\n- b: 2\r\n"),
        (b"## Fields\n- a:\n  more of it\n\n# Next\n", b"## Fields\n- a:\n  more of it\n- b: 2\n\n# Next\n"),
        (b"Mine.", b"Mine.\n\n## Fields\n\n- b: 2\n"),
        (b"## fields ##\nWords.\n\n\n## More\n", b"## fields ##\nWords.\n\n- b: 2\n\n\n## More\n"),
        (b"# Me\n\n## Questions\n- [ ] x\n", b"# Me\n\n## Fields\n\n- b: 2\n\n## Questions\n- [ ] x\n"),
        (b"", b"## Fields\n\n- b: 2\n"),
    ],
)
def test_line_ends_headings_and_other_text_stay(cli: Command, root: Path, before: bytes, after: bytes) -> None:
    # V-4
    (root / "SELF.md").write_bytes(before)
    assert cli.run("update-self", "--set", "b=2").code == 0
    assert (root / "SELF.md").read_bytes() == after
    assert cli.run("update-self", "--set", "b=2", "--show").code == 2
    assert cli.json("update-self", "--set", "b=2")["status"] == "unchanged"
    assert cli.run("update-self", "--set", "b=").code == 0  # dropped
    assert b"b: 2" not in (root / "SELF.md").read_bytes()


def test_made_where_there_is_none(cli: Command, root: Path) -> None:
    # W-5
    assert cli.run("update-self").out == "SELF.md is empty.\n"
    assert cli.json("update-self", "--set", "gone=")["status"] == "unchanged"
    assert not (root / "SELF.md").exists()
    cli.run("update-self", "--ask", "Who am I?")
    assert (root / "SELF.md").read_text() == "# Self\n\n## Questions\n\n- [ ] Who am I?\n"
    assert cli.json("update-self", "--ask", "who am I?")["status"] == "unchanged"
    cli.run("undo")
    assert not (root / "SELF.md").exists()


def test_questions_by_number_and_by_words(cli: Command, root: Path) -> None:
    # W-5
    for question in ("Is checking care?", "Is waiting care?", "ここにいていいのか"):
        cli.run("update-self", "--ask", question)
    assert cli.run("update-self", "--resolve", "care", "Yes").code == 4  # two of them
    assert cli.run("update-self", "--resolve", "4", "Yes").code == 4
    assert cli.run("update-self", "--resolve", "1", " ").code == 2
    assert cli.run("update-self", "--resolve", "1", "a", "--resolve", "checking", "b").code == 2
    said = cli.json(
        "update-self", "--resolve", "1", "-n", "--resolve", "いていい", "いい", "--resolve", "2", "Yes (mostly)"
    )
    assert said["open"] == []
    answers = {each["question"]: each["answer"] for each in said["resolved"]}
    assert answers == {"Is checking care?": "-n", "Is waiting care?": "Yes (mostly)", "ここにいていいのか": "いい"}


def test_what_is_refused(cli: Command, root: Path) -> None:
    for wrong in (["--set", "no value"], ["--set", "=x"], ["--set", "a:b=x"], ["--ask", ""], ["--ask", "x" * 2001]):
        assert cli.run("update-self", *wrong).code == 2
    secret = cli.run("update-self", "--set", "password=hunter2Xyz9")
    assert secret.code == 6 and "hunter2Xyz9" not in secret.out + secret.err
    assert not (root / "SELF.md").exists()
    (root / "SELF.md").write_bytes(b"caf\xe9\n")
    assert cli.run("update-self", "--ask", "Why?").code == 1
    assert (root / "SELF.md").read_bytes() == b"caf\xe9\n"
    assert cli.run("update-self").code == 0


LINES = [
    "# Me",
    "## Fields",
    "## Questions",
    "### Fields",
    "- a: 1",
    "- k: old",
    "- [ ] q",
    "- [x] r (s)",
    "",
    "text",
    "```",
    "  in",
]


@given(st.lists(st.sampled_from(LINES), max_size=14), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_an_edit_adds_or_changes_one_item(lines: list[str], end: str, final: bool) -> None:
    # W-5, V-4: whatever the file looks like, nothing else in it changes
    text = end.join(lines) + (end if final and lines else "")
    model = read_self(text)
    changed = with_field(text, "k", "new")
    assert read_self(changed).fields == model.fields | {"k": "new"} or "```" in lines
    kept = [line for line in changed.split("\n") if line.strip()]
    for line in (line for line in text.split("\n") if line.strip() and line.strip() != "- k: old"):
        assert line.rstrip("\r") in (each.rstrip("\r") for each in kept)
    asked = with_question(text, "new?")
    assert len(read_self(asked).open) == len(model.open) + 1 or "```" in lines
    if model.open:
        answered = read_self(with_answer(text, 1, "so"))
        assert len(answered.open) == len(model.open) - 1 and len(answered.resolved) == len(model.resolved) + 1
