"""emotion-trend: what the front matter says of how it felt."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from conftest import Command
from helpers import note

from vault_mem.cli.console import Console
from vault_mem.cli.main import run

NOW = {"VAULT_MEM_NOW": "2026-11-30T12:00:00+09:00"}


@pytest.fixture
def felt(cli: Command, root: Path) -> Command:
    """A month: anxious and low at first, calm and better later; longing is never far."""
    cli.env |= NOW
    for number in range(14):
        day = 3 + 2 * number
        late = number >= 7
        feel(
            root,
            number,
            f"2026-11-{day:02d}",
            f"emotion: {'calm' if late else 'anxious'}",
            f"intensity: {0.8 if late else 0.6}",
            f"valence: {0.5 if late else -0.4}",
            "arousal: 0.1",
            *(["secondary: [longing]"] if number % 3 == 0 else []),
        )
    note(root, "memories/plain.md", "---\nid: mem_0000000000ff\ncreated: 2026-11-29T08:00:00\n---\nNothing felt.\n")
    return cli


def feel(root: Path, number: int, day: str, *front: str, folder: str = "memories") -> None:
    id_ = f"mem_{number:012x}"
    lines = "\n".join(front)
    note(root, f"{folder}/{id_}.md", f"---\nid: {id_}\ncreated: {day}T08:00:00\n{lines}\n---\nMemory {number}\n")


def test_week_and_month(felt: Command) -> None:
    # W-5: dominant, undercurrent, shift
    week, month = felt.json("emotion-trend")["periods"]
    assert (week["days"], month["days"]) == (7, 30)
    assert week["dominant"]["emotion"] == "calm" and week["memories"] == 4 and week["emotional"] == 3
    assert week["shift"] is None  # three memories have no two halves
    assert month["emotional"] == 14 and month["memories"] == 15
    assert month["dominant"]["emotion"] == "calm"
    assert month["undercurrent"] == {
        "emotion": "longing",
        "share": month["undercurrent"]["share"],
        "primary": 0,
        "secondary": 5,
    }
    assert month["shift"]["before"] == "anxious" and month["shift"]["after"] == "calm"
    assert month["shift"]["valence"] == pytest.approx(0.8, abs=0.15)
    assert month["shift"]["arousal"] == pytest.approx(0)
    assert month["valence"] == pytest.approx(0.05)
    assert sum(each["share"] for each in month["emotions"]) == pytest.approx(1, abs=0.001)
    assert len(month["by_day"]) == 14
    text = felt.run("emotion-trend").out
    assert "Undercurrent: longing (5 as a secondary emotion)" in text
    assert "valence up" in text and "arousal steady" in text and "anxious → calm" in text
    assert "\n  calm    ###" in text


def test_so_many_days(felt: Command) -> None:
    # W-5
    (only,) = felt.json("emotion-trend", "--days", "13")["periods"]
    assert only["days"] == 13 and {each["emotion"] for each in only["emotions"]} == {"calm", "longing"}
    for wrong in ("0", "-1", "99999"):
        assert felt.run("emotion-trend", "--days", wrong).code == 2


def test_too_little_is_said_to_be(cli: Command, root: Path) -> None:
    # W-5
    cli.env |= NOW
    assert "0 of 0 memories" in cli.run("emotion-trend").out
    for number in (1, 2):
        feel(root, number, "2026-11-29", "emotion: happy", "valence: 0.9")
    answer = cli.run("emotion-trend", "--days", "7").out
    assert "2 of 2 memories name an emotion." in answer and "Too few for a trend" in answer
    (week,) = cli.json("emotion-trend", "--days", "7")["periods"]
    assert not week["enough"] and week["dominant"] is None and week["undercurrent"] is None


def test_private_memories_count_in_sums_alone(felt: Command, root: Path) -> None:
    # W-5, P-3
    for number in range(20, 26):
        feel(root, number, "2026-11-28", "private: true", "emotion: furious", "intensity: 1.0", folder="private")
    answer = felt.run("emotion-trend", "--days", "7")
    assert "Dominant: furious" in answer.out and "Memory 2" not in answer.out and "mem_" not in answer.out
    public = felt.run("emotion-trend", "--days", "7", "--public-only")
    assert "furious" not in public.out and "Dominant: calm" in public.out


def test_closed_ones_were_felt(cli: Command, root: Path) -> None:
    cli.env |= NOW
    for number in range(3):
        feel(root, number, "2026-11-29", "emotion: sad", "valid_to: 2026-11-29T20:00:00")
    assert "Dominant: sad" in cli.run("emotion-trend").out


@pytest.mark.parametrize("width", [30, 60, 200])
def test_the_chart_is_no_wider_than_the_terminal(felt: Command, root: Path, width: int) -> None:
    # W-5
    for number in range(30, 36):
        feel(root, number, "2026-11-28", "emotion: とても寂しくて言葉にならない気持ち")
    out = io.StringIO()
    assert run(["emotion-trend"], Console(root, felt.env, io.BytesIO(), out, io.StringIO(), width)) == 0
    chart = [line for line in out.getvalue().splitlines() if "#" in line or line.startswith("  [")]
    assert len(chart) > 5
    for line in chart:
        columns = sum(2 if sign > "\u3000" else 1 for sign in line)
        assert columns <= min(width, 80), line
