"""eval: recall measured on a data set of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents

ENTRY = {
    "name": "talk",
    "memories": [
        {"key": "1", "speaker": "Ana", "text": "Ana: The canoe is behind the mill.", "created": "2026-10-05T10:00:00"},
        {"key": "2", "speaker": "Bo", "text": "Bo: I paid the baker.", "created": "2026-10-05T10:01:00"},
        {"key": "3", "text": "会議は金曜に変わった。", "created": "2026-10-07", "tags": ["仕事"], "links": ["1"]},
    ],
    "questions": [
        {"question": "Where is the canoe?", "category": 4, "evidence": ["1"]},
        {"question": "会議はいつ", "evidence": ["3"]},
        {"question": "What did Bo do?", "evidence": ["2"]},
    ],
}  # fmt: skip


def test_the_table(cli: Command, root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.json"
    data.write_text(json.dumps([ENTRY]))
    before = contents(root)
    answer = cli.run("eval", str(data))
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "3 questions, 3 memories, 1 vault"
    assert lines[2].split() == ["R@1", "R@5", "R@10", "R@20", "MRR", "ms/query"]
    assert [line.split("  ")[0] for line in lines[3:]] == ["recall", "keyword search", "BM25"]
    figures = cli.json("eval", str(data))["figures"]
    assert figures["recall"]["R@1"] == figures["recall"]["MRR"] == 1.0
    assert set(figures) == {"recall", "keyword search", "BM25"}
    assert contents(root) == before


@pytest.mark.parametrize(
    "data",
    [
        "",
        "{",
        "{}",
        "[]",
        "[1]",
        '[{"memories": []}]',
        '[{"memories": [], "questions": []}]',
        '[{"memories": [{"key": "a"}], "questions": []}]',
        '[{"memories": [{"key": "a", "text": "x", "created": "soon"}], "questions": []}]',
        '[{"memories": [{"key": "a", "text": "x"}], "questions": [{"question": "q", "evidence": ["b"]}]}]',
        '[{"memories": [{"key": "a", "text": "x"}], "questions": [{"question": "", "evidence": ["a"]}]}]',
        '[{"memories": [{"key": "a", "text": "x"}, {"key": "a", "text": "y"}], "questions": []}]',
    ],
)
def test_data_that_is_none(cli: Command, tmp_path: Path, data: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(data)
    answer = cli.run("eval", str(path))
    assert answer.code == 2
    assert answer.err.startswith("error: data.json: ")
    assert cli.run("eval", "nowhere.json").code == 2
