"""search: filters and keywords only. Unlike recall, it uses no meaning, emotion or age."""

from __future__ import annotations

from vault_mem.errors import InvalidInput
from vault_mem.operations.memory.excerpts import FIRST, OTHERS, best_part, wanted_words
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import MAX_QUERY, RecallResult, asked
from vault_mem.operations.memory.results import Found, writable
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.gather import with_keywords
from vault_mem.ranking.keywords import by_keywords
from vault_mem.ranking.numbers import as_the_vault_writes
from vault_mem.ranking.superseded import superseding_id


def search(workspace: Workspace, query: str, limit: int = 20, filters: Filters | None = None) -> RecallResult:
    """Memories with words of the query, best by BM25 first; exact wording wins, then the newer memory."""
    query = writable(query.strip(), "the query")
    if not query:
        raise InvalidInput("nothing to search for: the query is empty", 'try: vault-mem search "..."')
    if limit < 1:
        raise InvalidInput(f"-n must be at least 1, not {limit}")
    freshness = workspace.freshen()
    found = workspace.reading(lambda: _find(workspace, query[:MAX_QUERY], limit, filters or Filters()))
    return RecallResult(query, found, freshness.stale, freshness.pending)


def _find(workspace: Workspace, query: str, limit: int, filters: Filters) -> list[Found]:
    with workspace.candidates() as candidates:
        calibration = workspace.calibration
        public, moment = workspace.folder.public, workspace.folder.now()
        filters = asked(workspace, filters)
        query = as_the_vault_writes(query, candidates.corpus)
        catalogue = with_keywords(candidates, query, filters, moment, limit)
        hits = by_keywords(catalogue, query, filters.met(catalogue, moment))[:limit]
        vector = workspace.embedder.encode([query])[0]
        wanted, now = wanted_words(query), workspace.folder.now().timestamp()
        return [
            Found(
                catalogue.memory(hit.place),
                similarity=round(calibration.similarity(float(catalogue.vectors[hit.place] @ vector)), 4),
                score=hit.score,
                passage=best_part(catalogue.texts[hit.row], wanted, OTHERS if number else FIRST),
                terms=hit.terms,
                superseded_by=superseding_id(catalogue, hit.place, now, public=public),
            )
            for number, hit in enumerate(hits)
        ]
