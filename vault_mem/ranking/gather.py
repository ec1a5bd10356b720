"""Gathering: what must be at hand before a query can be ranked."""

from __future__ import annotations

from datetime import datetime

from vault_mem.index.candidates import Candidates, Wanted
from vault_mem.index.catalogue import Catalogue
from vault_mem.index.filters import Filters
from vault_mem.index.terms import STOP, terms
from vault_mem.ranking.keywords import HITS_CHECKED_FOR_EXACT
from vault_mem.ranking.links import linked_ids
from vault_mem.ranking.query import Query, plain_part
from vault_mem.ranking.rank import LINK_SEEDS, RankingOptions, best_at_first_sight
from vault_mem.ranking.signals import CANDIDATES_READ_AROUND

# How many memories LanceDB brings in by each way of searching; more cost time and found no more answers.
FOUND_BY_EACH_SEARCH = 96


def gathered(
    candidates: Candidates, query: Query, filters: Filters, now: datetime, options: RankingOptions
) -> Catalogue:
    """The catalogue that a query is ranked in: candidates, memories linked to the best of them, and their moments."""
    if candidates.complete:
        return candidates.catalogue(())
    found = candidates.gather(_wanted(query), filters, now, max(FOUND_BY_EACH_SEARCH, 2 * options.limit))
    first = candidates.catalogue(found)
    best = best_at_first_sight(first, query, filters.met(first, now), options)
    kept = {first.files[place] for place in best}
    seeds = best[:LINK_SEEDS]
    kept |= candidates.files_around([first.files[place] for place in seeds])
    kept |= {file for id_ in linked_ids(first, seeds, options.strengths) if (file := first.names.key_of(id_))}
    return candidates.with_timeline(kept, [first.files[place] for place in best[:CANDIDATES_READ_AROUND]], filters, now)


def _wanted(query: Query) -> Wanted:
    words = [term for term, _ in query.terms]
    return Wanted(query.vector, words, query.named.names, query.spans, "" if words else plain_part(query.text))


def with_keywords(candidates: Candidates, query: str, filters: Filters, now: datetime, limit: int) -> Catalogue:
    """The catalogue that a plain search looks through: memories that have words of the query."""
    if candidates.complete:
        return candidates.catalogue(())
    words = [term for term in dict.fromkeys(terms(query)) if term not in STOP]
    wanted = Wanted(None, words, as_written="" if words else plain_part(query))
    return candidates.catalogue(candidates.gather(wanted, filters, now, max(HITS_CHECKED_FOR_EXACT, 2 * limit)))
