"""stats: what a vault holds and how it grows, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from vault_mem.operations.memory.show import most_frequent
from vault_mem.operations.upkeep.tidy import tidy
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import activity, history


@dataclass(frozen=True)
class Stats(Result):
    """Counts of memories, and of what was done to them."""

    memories: int
    private: int
    closed: int
    by_kind: dict[str, int]
    by_category: dict[str, int]
    by_month: dict[str, int]
    blocked: int | None  # None if only public memories are seen: refused texts do not say which side they are on
    merges: int
    closes: int
    forgotten: int
    duplicates_left: int


def stats(workspace: Workspace) -> Stats:
    """Count everything. Closes and merges are counted from the history, so they outlive the journal."""
    workspace.freshen()
    counts, zone = workspace.reading(workspace.index.counts), workspace.folder.zone
    columns = workspace.reading(lambda: workspace.index.columns(("kind", "category", "created"))).to_pydict()
    months = Counter(f"{datetime.fromtimestamp(created, zone):%Y-%m}" for created in columns["created"])
    closes = merges = forgotten = 0
    for _, record, _ in history.read_all(workspace.folder):
        command = str(record.get("command", "")).split(" ")[0]
        gone = record.get("after") is None and record.get("before") is not None
        forgotten += command == "forget" and gone
        merges += command == "merge" and gone
        before, after = (str(record.get(key) or "") for key in ("before", "after"))
        closes += "valid_to:" in after and "valid_to:" not in before and command != "undo"
    return Stats(
        memories=counts.memories,
        private=counts.private,
        closed=counts.closed,
        by_kind=most_frequent(columns["kind"]),
        by_category=most_frequent(columns["category"]),
        by_month=dict(sorted(months.items())),
        blocked=None if workspace.folder.public else activity.blocks(workspace.folder),
        merges=merges,
        closes=closes,
        forgotten=forgotten,
        duplicates_left=len(tidy(workspace, dry_run=True).duplicates),
    )
