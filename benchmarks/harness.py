"""What every benchmark uses: figures with their targets, a folder of its own, timing that copes with a busy machine."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
# Data that is not part of the project (benchmarks/data_sets.py).
DATA = Path(os.environ.get("VAULT_MEM_DATA") or PROJECT / "data")

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda value, limit: value < limit,
    "≤": lambda value, limit: value <= limit,
    "≥": lambda value, limit: value >= limit,
}


@dataclass(frozen=True)
class Target:
    """What a figure must reach: its value, or its ratio to the reference."""

    sign: str
    limit: float
    of_ratio: bool = False

    def __str__(self) -> str:
        return f"{self.sign} {self.limit:,g}{' ×' if self.of_ratio else ''}"


@dataclass(frozen=True)
class Figure:
    """One measured figure. Its reference comes from the same run, so that their ratio means the same on any machine."""

    name: str
    value: float
    unit: str = ""
    reference: float | None = None
    reference_name: str = ""
    target: Target | None = None

    @property
    def ratio(self) -> float | None:
        """Value over reference."""
        return self.value / self.reference if self.reference else None

    @property
    def met(self) -> bool | None:
        """Whether the target was met; None if there is none."""
        if self.target is None:
            return None
        measured = self.ratio if self.target.of_ratio else self.value
        return measured is not None and _COMPARE[self.target.sign](measured, self.target.limit)


@dataclass(frozen=True)
class Setting:
    """Where and how a benchmark runs: an empty folder of its own; `quick` asks for a smaller one."""

    folder: Path
    quick: bool = False

    def progress(self, text: str) -> None:
        """Show progress to whoever is waiting; not part of the figures."""
        print(f"  … {text}", file=sys.stderr, flush=True)


def interleaved(rounds: int, *calls: Callable[[], object]) -> list[list[float]]:
    """Wall seconds of each call in each round, taken in turns, so that a busy moment affects all of them alike."""
    seconds: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, taken in zip(calls, seconds, strict=True):
            started = time.perf_counter()
            call()
            taken.append(time.perf_counter() - started)
    return seconds


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that this percentage of them does not exceed."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def folder_bytes(folder: Path) -> int:
    """The total size of the files below a folder."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - as many files as an index has
            except FileNotFoundError:  # the index drops old versions while we count
                continue
    return total
