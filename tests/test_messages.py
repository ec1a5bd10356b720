"""Messages: a sentence for the user stands in `messages`, where somebody who wants to change it looks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from conftest import Command
from helpers import memory, note

import vault_mem.cli
from vault_mem.messages.words import age, columns, counted

_PRINTING = {"print", "answer", "notice", "note", "reply"}
# A capital letter, a space and a full stop make a sentence, and so do three words in a row; labels and formats do not.
_SENTENCE = re.compile(r"[A-Z`-].* .*[.?!]|.*[a-z]+ [a-z]+ [a-z]+.*", re.DOTALL)


def _printed_literals(source: str) -> Iterator[tuple[int, str]]:
    """Every string that is handed to a call that prints, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            for part in (each for given in node.args for each in ast.walk(given)) if name in _PRINTING else ():
                if isinstance(part, ast.JoinedStr):
                    whole = "".join(
                        str(piece.value) if isinstance(piece, ast.Constant) else "…" for piece in part.values
                    )
                    yield part.lineno, whole
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.lineno, part.value


def test_commands_print_no_sentence_of_their_own() -> None:
    found = [
        f"{path.name}:{line}: {text}"
        for path in sorted(Path(vault_mem.cli.__file__).parent.glob("*.py"))
        for line, text in _printed_literals(path.read_text(encoding="utf-8"))
        if _SENTENCE.fullmatch(text)
    ]
    assert not found, found


def test_the_check_sees_a_sentence() -> None:
    source = 'console.print(f"Made {root} a vault.")\nconsole.note(f"{key}: x")\nreply(c, v, r, "Nothing was made.")'
    assert [text for _, text in _printed_literals(source) if _SENTENCE.fullmatch(text)] == [
        "Made … a vault.",
        "Nothing was made.",
    ]


def test_counts() -> None:
    assert [counted(1, "memory"), counted(2, "memory"), counted(0, "file")] == ["1 memory", "2 memories", "0 files"]
    assert counted(12_345, "turn") == "12,345 turns"


def test_one_of_a_thing_is_no_plural(cli: Command, root: Path, tmp_path: Path) -> None:
    memory(root, "memories/kiln.md", "mem_00000000000a", "The kiln is hot. See [[glaze]].")
    memory(root, "memories/glaze.md", "mem_00000000000b", "The glaze runs.")
    assert "Last 1 day:" in cli.run("emotion-trend", "--days", "1").out
    assert "1 link: " in cli.run("graph").out
    note(root, "Diary.md", "Today: [[kiln]]")
    assert "links in 1 file of yours are dead now" in cli.run("forget", "mem_00000000000a").err
    note(tmp_path, "other/memories/one.md", "Soup")
    assert "Now among its memories: 1 existing note." in cli.run("init", str(tmp_path / "other"), "--adopt").out


def test_ages_of_the_future_are_dates() -> None:
    now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    assert age(now + timedelta(days=3), now) == "2026-11-19" and age(now - timedelta(minutes=5), now) == "5m ago"


def test_columns_count_wide_characters_twice_and_marks_not_at_all() -> None:
    assert columns("a庭e\u0301") == 4
