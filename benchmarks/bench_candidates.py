"""How much quality is lost if LanceDB finds the candidates: sets inside filler, searched both ways on one index.

R@5 of each set, how many of the first five are the same, and whether the guard comes to the same verdict: on a thousand
texts that repeat or change a memory, and on four thousand that do neither (SCALE_OTHERS). Then this index, to which
sets were added and removed, against one made at once. The filler is 20,000 generated memories;
SCALE_FILLER=100000 in the environment asks for more, and SCALE_SETS=0 asks for the last figure alone.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from random import Random

from benchmarks.harness import DATA, Figure, Setting, Target
from benchmarks.vaults import memories, questions, write_vault
from vault_mem import Memory
from vault_mem.notes.write import file_name, note_text
from vault_mem.operations import standby
from vault_mem.operations.memory.guard import guard
from vault_mem.operations.memory.recall import Request, recall
from vault_mem.operations.vaults.evaluate import Sample, as_memory, read_data
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import Folder

NEEDS = ("locomo-dev.json", "guard-agent-dev.json", "guard-dev.json")
FILLER, QUESTIONS = 20_000, 40
SAME_OR_CHANGED, OTHERS = 1_000, 4_000
FIRST = 5
REBUILT = 200  # questions
# How much R@5 may be lost, and how much must be the same: verdicts, and results after a rebuild.
LOST, SAME, GROWN = 0.01, 0.995, 0.99


def run(setting: Setting) -> Iterator[Figure]:
    """R@5 of every set in both ways, then the guard."""
    filler = int(os.environ.get("SCALE_FILLER", 1_000 if setting.quick else FILLER))
    root = setting.folder / "vault"
    write_vault(root, memories(filler, seed=5))
    setting.progress(f"{filler:,} memories of filler written")
    large, exact = (_opened(root, way) for way in ("lancedb", "memory"))
    large.sync()
    standby.load_for_recall(large)
    standby.fold(large, 0)
    setting.progress("indexed")
    same: list[float] = []
    sets = [*sorted((DATA / "kinds").glob("*.json")), DATA / NEEDS[0]]
    for path in sets if os.environ.get("SCALE_SETS") != "0" else ():
        entry = read_data(path)[0]
        asked = entry["questions"][: QUESTIONS // (4 if setting.quick else 1)]
        with_set = _Among(root, entry, large)
        found = defaultdict(list)
        for question in asked:
            evidence = {with_set.ids[key] for key in question["evidence"]}
            first = {
                name: _first(workspace, question["question"])
                for name, workspace in (("exact", exact), ("large", large))
            }
            for name, ids in first.items():
                found[name].append(len(evidence & set(ids)) / max(len(evidence), 1))
            same.append(_overlap(first["exact"], first["large"]))
        with_set.remove()
        ours, wanted = (sum(found[name]) / len(asked) for name in ("large", "exact"))
        target = Target("≥", round(wanted - LOST, 4))
        yield Figure(f"candidates: {path.stem} ({len(asked)}), R@5 with LanceDB", ours, "", wanted, "exact", target)
    if same:
        yield Figure(f"candidates: the same among the first {FIRST} ({len(same)} questions)", sum(same) / len(same))
        yield from _verdicts(root, large, exact, 20 if setting.quick else 1)
    yield _rebuilt(setting, root, large)


def _rebuilt(setting: Setting, root: Path, large: Workspace) -> Figure:
    """How many of the first results of an index made at once a grown index finds too."""
    _write(root / "memories/more", list(memories(large.index.rows // 10, seed=6)))
    large.sync()
    fresh = _opened(root, "lancedb", VAULT_MEM_INDEX_DIR=str(setting.folder / "fresh"))
    fresh.sync()
    standby.load_for_recall(fresh)
    standby.fold(fresh, 0)
    setting.progress("indexed again")
    asked = questions(REBUILT // (10 if setting.quick else 1))
    alike = [_overlap(_first(large, each), _first(fresh, each)) for each in asked]
    return Figure(
        f"candidates: the same among the first {FIRST} as after a rebuild ({len(asked)} questions)",
        sum(alike) / len(alike),
        target=Target("≥", GROWN),
    )


def _opened(root: Path, way: str, **env: str) -> Workspace:
    return Workspace(Folder(root, dict(os.environ) | {"VAULT_MEM_SEARCH_WITH": way} | env))


def _first(workspace: Workspace, question: str) -> list[str]:
    return [each.memory.id for each in recall(workspace, Request(question, FIRST, min_relevance=0.0)).results]


def _overlap(one: list[str], other: list[str]) -> float:
    return len(set(one) & set(other)) / max(len(one), len(other), 1)


class _Among:
    """Puts the memories of a set among the filler until `remove`."""

    def __init__(self, root: Path, entry: Sample, workspace: Workspace) -> None:
        self._folder, self._workspace = root / "memories/set", workspace
        made = {turn["key"]: as_memory(turn, str(entry.get("name", ""))) for turn in entry["memories"]}
        self.ids = {key: memory.id for key, memory in made.items()}
        _write(self._folder, list(made.values()))
        workspace.sync()
        standby.fold(workspace, 0)  # puts them into LanceDB's indexes like all others

    def remove(self) -> None:
        shutil.rmtree(self._folder)
        self._workspace.sync()


def _write(folder: Path, made: list[Memory]) -> None:
    folder.mkdir()
    for memory in made:
        (folder / file_name(memory)).write_text(note_text(memory, UTC), encoding="utf-8")


def _verdicts(root: Path, large: Workspace, exact: Workspace, shrink: int) -> Iterator[Figure]:
    """Whether the guard comes to the same verdict both ways."""
    pairs = [pair for name in NEEDS[1:] for pair in json.loads((DATA / name).read_text(encoding="utf-8"))]
    template, chosen = next(iter(memories(1))), Random(3)
    true, others = ([each for each in pairs if (each["label"] != "different") == same] for same in (True, False))
    sampled = {
        "repeat or change one": chosen.sample(true, SAME_OR_CHANGED // shrink),
        "do neither": chosen.sample(others, int(os.environ.get("SCALE_OTHERS", OTHERS)) // shrink),
    }
    there = {each["a"]: None for pairs in sampled.values() for each in pairs}
    _write(
        root / "memories/set",
        [replace(template, id=f"mem_{n:012x}", content=text, title=f"t{n}") for n, text in enumerate(there)],
    )
    large.sync()
    standby.fold(large, 0)
    exact.sync()
    for what, pairs in sampled.items():
        alike = 0
        for each in pairs:
            one, other = (guard(workspace, each["b"], 0.05) for workspace in (large, exact))
            alike += _said(one) == _said(other)
        target = Target("≥", SAME) if pairs is sampled["repeat or change one"] else None
        yield Figure(
            f"candidates: the same verdict on texts that {what} ({len(pairs)})", alike / len(pairs), target=target
        )


def _said(verdict: object) -> tuple[str, str]:
    found = (getattr(verdict, name) for name in ("duplicate_of", "changed"))
    return tuple(each.memory.id if each else "" for each in found)  # type: ignore[return-value]
