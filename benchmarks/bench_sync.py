"""Sync: what it costs to find out that nothing changed, against scandir and stat of the same files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from benchmarks.harness import Figure, Setting, Target, interleaved
from benchmarks.vaults import memories, write_vault

ROUNDS = 40  # enough for each call to be undisturbed at least once on a busy machine


def run(setting: Setting) -> Iterator[Figure]:
    """The best of several rounds, in turns, after a first sync. All files are too old to be suspect."""
    count = 1_000 if setting.quick else 10_000
    vault = write_vault(setting.folder / "vault", memories(count))
    vault.reindex()
    workspace = vault.workspace
    report = workspace.sync().report
    if report is None or report.added or report.changed or report.touched:
        raise AssertionError(f"the index did not settle: {report}")
    listing, sync, freshen = interleaved(
        ROUNDS, lambda: _list(os.fspath(vault.root)), workspace.sync, workspace.freshen
    )
    reference = (min(listing) * 1000, "scandir + stat")
    name = f"{count:,} files, nothing changed"
    yield Figure(f"sync: {name}", min(sync) * 1000, "ms", *reference, Target("≤", 4, of_ratio=True))
    yield Figure("sync: all a command does before it answers", min(freshen) * 1000, "ms", *reference)


def _list(place: str) -> int:
    """Stat every file below a folder; returns how many there are."""
    seen = 0
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                seen += _list(entry.path)
            else:
                entry.stat(follow_symlinks=False)
                seen += 1
    return seen
