"""Start: commands as new processes, against a bare Python of the same interpreter."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Figure, Setting, interleaved
from benchmarks.vaults import memories, write_vault


def run(setting: Setting) -> Iterator[Figure]:
    """Medians, in turns: `--version` and `--help` often, `recall` (in-process, without a daemon) a few times."""
    count = 1_000 if setting.quick else 10_000
    vault = write_vault(setting.folder / "vault", memories(count))
    vault.reindex()
    command = _command()

    def call(*arguments: str) -> None:
        subprocess.run(arguments, cwd=vault.root, stdout=subprocess.DEVNULL, check=True)

    def bare() -> None:
        call(sys.executable, "-I", "-c", "pass")

    def version() -> None:
        call(*command, "--version")

    def help_() -> None:
        call(*command, "--help")

    def recall() -> None:
        call(*command, "recall", "When is the meeting about the roof repair?")

    merged = _note_on_two_sides(setting.folder)

    def git_merge() -> None:
        call(*command, "git-merge", *(shutil.copy(each, f"{each}.copy") for each in merged), "memories/x.md")

    calls = {"git-merge, a note": git_merge, "--version": version, "--help": help_}
    calls[f"recall, {count:,} memories"] = recall
    for each in calls.values():  # writes the bytecode, and fills the system's file cache
        each()
    interleaved(3, bare)
    for names, rounds in (("git-merge, a note", "--version", "--help"), 20), ((f"recall, {count:,} memories",), 5):
        reference, *taken = interleaved(rounds, bare, *(calls[name] for name in names))
        for name, seconds in zip(names, taken, strict=True):
            value, bare_value = (statistics.median(each) * 1000 for each in (seconds, reference))
            yield Figure(f"start: vault-mem {name}", value, "ms", bare_value, "bare Python")


def _note_on_two_sides(folder: Path) -> list[Path]:
    """A note of a page, and two versions of it whose lines merge cleanly."""
    lines = [f"Line {number} of a note that two machines have changed." for number in range(40)]
    front = "---\nid: mem_49b707a0883d\ncreated: 2026-11-06T16:20:00\nimportance: 3\ntags:\n  - house\n---\n"
    base = front + "\n".join(lines) + "\n"
    texts = {"base": base, "ours": base.replace("Line 3 ", "Row 3 "), "theirs": base.replace("Line 30 ", "Row 30 ")}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def _command() -> list[str]:
    """The installed console script, or the package if there is none."""
    script = Path(sys.executable).with_name("vault-mem.exe" if os.name == "nt" else "vault-mem")
    return [str(script)] if script.exists() else [sys.executable, "-m", "vault_mem"]
