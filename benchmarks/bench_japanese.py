"""Japanese by word: whether recall finds memories that contain the word typed."""

from __future__ import annotations

import shutil
import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import PROJECT, Figure, Setting, Target
from benchmarks.japanese_set import queries
from benchmarks.vaults import memories, write_vault
from vault_mem import Memory, Vault
from vault_mem.index.terms import normalised

GENERATED = 400
PER_KIND = 40
DEPTH = 5


def run(setting: Setting) -> Iterator[Figure]:
    """Hit@5, whether a memory with the word is among the first five; and how many of the five that could have it do."""
    hits: dict[str, list[bool]] = defaultdict(list)
    filled: list[float] = []
    for vault in (
        _sample(setting.folder / "sample"),
        write_vault(setting.folder / "made", memories(GENERATED, seed=7)),
    ):
        every = vault.list(n=None).memories
        texts = {memory.id: _all(memory) for memory in every}
        for asked in queries(every, PER_KIND):
            having = {id_ for id_, text in texts.items() if asked.word in text}
            found = [result.memory.id for result in vault.recall(asked.query, DEPTH).results]
            right = len(having.intersection(found))
            hits[asked.kind].append(right > 0)
            filled.append(right / min(len(having), DEPTH))
        setting.progress(f"{vault.root.name} done")
    every_hit = [hit for each in hits.values() for hit in each]
    yield Figure(f"japanese: hit@5 ({len(every_hit)} queries)", statistics.mean(every_hit), target=Target("≥", 0.98))
    for kind, each in hits.items():
        yield Figure(f"japanese: hit@5, {kind} ({len(each)})", statistics.mean(each))
    yield Figure("japanese: share of the first five that have it", statistics.mean(filled))


def _sample(root: Path) -> Vault:
    shutil.copytree(PROJECT / "sample_vault", root)
    return Vault(root)


def _all(memory: Memory) -> str:
    return normalised("\n".join([memory.title, memory.content, *memory.tags, *memory.people, *memory.aliases]))
