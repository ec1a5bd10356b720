"""Obsidian: a vault of 20,000 notes with canvases and attachments is joined and searched, and nothing in it changes."""

from __future__ import annotations

import json
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

from benchmarks.harness import Figure, Setting, Target
from benchmarks.vaults import memories, questions
from vault_mem import Vault

T = TypeVar("T")
QUICK, WHOLE = 2_000, 20_000


def run(setting: Setting) -> Iterator[Figure]:
    """Seconds to join, until the first answer and for later ones; reading every note once is the reference."""
    count = QUICK if setting.quick else WHOLE
    root = setting.folder / "theirs"
    needle = _write(root, count)
    before = _states(root)
    read, _ = _timed(lambda: [path.read_bytes() for path in root.rglob("*.md")])
    name = f"obsidian, {count:,} notes"

    seconds, joined = _timed(lambda: Vault.init(root, include=True, obsidian=True, timezone="Asia/Tokyo"))
    yield Figure(f"{name}: join", seconds, "s", read, "reading every note once")
    yield Figure(
        f"{name}: found to be searched", joined.others, "", count, "notes that are no templates", Target("≥", 1, True)
    )

    with Vault(root) as vault:
        seconds, found = _timed(lambda: vault.recall("Which hinge broke in the greenhouse at Ullensvang?"))
        yield Figure(f"{name}: first recall, with indexing", seconds, "s", read, "reading every note once")
        yield Figure(
            f"{name}: rank of the note asked for",
            _rank(needle, [each.memory.path for each in found]),
            "",
            None,
            "",
            Target("≤", 1),
        )
        taken = [_timed(lambda: vault.recall(each))[0] for each in questions(20)]  # noqa: B023 - called at once
        yield Figure(f"{name}: recall, median", statistics.median(taken) * 1000, "ms")
        seconds, saved = _timed(lambda: vault.remember("The hinge of the greenhouse was replaced.", importance=5))
        yield Figure(f"{name}: remember", seconds * 1000, "ms")
        seconds, _ = _timed(vault.doctor)
        yield Figure(f"{name}: doctor", seconds, "s", read, "reading every note once")
        assert saved.memory is not None
        vault.rename(saved.memory.id, "Greenhouse hinge")
        vault.forget(saved.memory.id)
        vault.settle()
    after = _states(root)
    changed = sum(after.get(key) != state for key, state in before.items())
    yield Figure(f"{name}: files changed, times included", changed, "", None, "", Target("≤", 0))


def _timed(act: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = act()
    return time.perf_counter() - started, result


def _rank(path: str, found: list[str]) -> float:
    return found.index(path) + 1 if path in found else 99


def _states(root: Path) -> dict[str, tuple[bytes, int]]:
    """The content of every file, and when it was last changed."""
    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file()
    }


def _write(root: Path, count: int) -> str:
    """Ten years of somebody's notes: daily ones, subjects in folders, links, boards, attachments, templates."""
    dice = random.Random(19)
    day = date(2016, 11, 17)
    texts = [memory.content for memory in memories(count)]
    days = min(count // 5, 3_650)
    names = [f"{day + timedelta(days=number)}" for number in range(days)]
    names += [f"Subject {number}" for number in range(count - days)]
    places = [f"Daily/{name[:4]}/{name}.md" for name in names[:days]]
    places += [
        f"{dice.choice(['Projects', 'Areas', 'People', 'Archive'])}/{number % 97}/{name}.md"
        for number, name in enumerate(names[days:])
    ]
    needle = places[-1]
    for place, text in zip(places, texts, strict=True):
        others = " ".join(f"[[{each}]]" for each in dice.sample(names, 3))
        front = dice.choice(["", "---\ntags: [note]\n---\n", "---\nkind: note\naliases: []\nid: 2024\n---\n"])
        words = "A hinge broke in the greenhouse at Ullensvang." if place == needle else text
        _file(
            root / place,
            f"{front}{words}\n\nSee {others} and ![[picture {dice.randrange(count // 10)}.png]].\n".encode(),
        )
    for number in range(count // 10):
        _file(root / f"Attachments/picture {number}.png", b"\x89PNG\r\n\x1a\n" + dice.randbytes(2_000))
    for number in range(count // 100):
        nodes = [{"id": str(each), "type": "file", "file": dice.choice(places)} for each in range(20)]
        _file(root / f"Boards/Board {number}.canvas", json.dumps({"nodes": nodes, "edges": []}).encode())
    _file(root / "Boards/Reading.base", b"views:\n  - type: table\n    name: All\n")
    _file(root / "Templates/Daily.md", b"# {{date}}\n")
    _file(root / ".obsidian/app.json", b"{}")
    _file(root / ".obsidian/templates.json", b'{"folder": "Templates"}')
    return needle


def _file(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    an_hour_ago = time.time() - 3600
    os.utime(path, (an_hour_ago, an_hour_ago))
