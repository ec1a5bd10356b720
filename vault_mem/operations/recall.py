"""recall: find memories by meaning and by words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vault_mem.errors import InvalidInput
from vault_mem.index.table import quote
from vault_mem.index.terms import terms
from vault_mem.operations.filters import Filters
from vault_mem.operations.results import Found, writable
from vault_mem.operations.workspace import Workspace

# Each way of searching offers this many rows; what neither ranks among them is not going to be first.
CANDIDATES = 200
# Reciprocal rank fusion's usual constant: how soon the difference between two ranks stops to count.
RANK_OFFSET = 60
# A query longer than a page says nothing more.
MAX_QUERY = 4000
DEFAULT_RESULTS = 5


@dataclass(frozen=True)
class RecallResult:
    """What was found, best first. `stale` answers do not reflect `pending` changed files."""

    query: str
    results: list[Found]
    stale: bool
    pending: int


def recall(
    workspace: Workspace, query: str, *, limit: int = DEFAULT_RESULTS, filters: Filters | None = None
) -> RecallResult:
    """Find the memories that answer a query, whatever language it and they are in."""
    query = writable(query.strip(), "the query")
    if not query:
        raise InvalidInput("nothing to recall: the query is empty", 'try: vault-mem recall "..."')
    if limit < 1:
        raise InvalidInput(f"-n is at least 1, not {limit}")
    freshness = workspace.freshen()
    where = (filters or Filters()).where(workspace.folder.now())
    found = workspace.reading(lambda: _find(workspace, query[:MAX_QUERY], limit, where))
    return RecallResult(query, found, freshness.stale, freshness.pending)


def _find(workspace: Workspace, query: str, limit: int, where: str) -> list[Found]:
    by_meaning = _by_meaning(workspace, query, where)
    by_words = _by_words(workspace, query, where)
    scores: dict[str, float] = {}
    for ranked in (list(by_meaning), list(by_words)):
        for rank, file in enumerate(ranked, start=1):
            scores[file] = scores.get(file, 0.0) + 1 / (RANK_OFFSET + rank)
    best = sorted(scores, key=lambda file: (-scores[file], file))[:limit]
    memories = workspace.index.by_files(best)
    calibration = workspace.calibration
    passages = _passages(workspace, [by_words.get(file) or by_meaning[file][1] for file in best])
    results = []
    for file in best:
        if file in memories:
            cosine, row = by_meaning.get(file, (0.0, ""))
            passage = passages.get(by_words.get(file) or row, "")
            results.append(
                Found(memories[file], round(calibration.similarity(cosine), 4), round(scores[file], 6), passage)
            )
    return results


def _by_meaning(workspace: Workspace, query: str, where: str) -> dict[str, tuple[float, str]]:
    """Files by the cosine of their best row, best first."""
    vector = workspace.embedder.encode([query])[0]
    if not np.any(vector):
        return {}
    best: dict[str, tuple[float, str]] = {}
    for row in workspace.index.table.nearest(vector, CANDIDATES, where):
        best.setdefault(row["file"], (round(row["cosine"], 6), row["row"]))
    return dict(sorted(best.items(), key=lambda item: (-item[1][0], item[0])))


def _by_words(workspace: Workspace, query: str, where: str) -> dict[str, str]:
    """Files, and their best row, by BM25 of the query's terms, best first."""
    wanted = terms(query)
    if not wanted:
        return {}
    rows = [row["row"] for row in workspace.index.table.matching(query, CANDIDATES, where)]
    if not rows:
        return {}
    held = workspace.index.table.select(["row", "file", "terms"], f"row IN ({', '.join(map(quote, rows))})").to_pylist()
    lexicon = workspace.lexicon
    scored = [(lexicon.score(wanted, row["terms"]), row["file"], row["row"]) for row in held]
    best: dict[str, str] = {}
    for score, file, row in sorted(scored, key=lambda each: (-each[0], each[1], each[2])):
        if score > 0:
            best.setdefault(file, row)
    return best


def _passages(workspace: Workspace, rows: list[str]) -> dict[str, str]:
    """The text of the passages among these rows; a whole memory needs none."""
    parts = [row for row in rows if not row.endswith("#0")]
    if not parts:
        return {}
    found = workspace.index.table.select(["row", "content"], f"row IN ({', '.join(map(quote, parts))})").to_pylist()
    return {row["row"]: row["content"] for row in found}
