"""Where a memory comes from, according to its `source`, and how far that is to be trusted (SPEC K-6).

`source` has parts, separated by `; `: `agent:NAME` and `hand` are stamped by the tool, `session:…` by capture,
`chatgpt:…` and the like by imports; `of:captured` is the trust of what a summary was made from. Anything else is in
the owner's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# The most trusted first.
TRUST = ("owner", "agent", "captured", "imported")
UNKNOWN = "none"
_IMPORTED = re.compile(r"(?!https?:|agent:|session:|of:)[a-z][a-z0-9-]*:[^\s/].*")
_SEPARATOR = "; "


def trust_of(source: str | None) -> str:
    """The trust of a source's least trusted part; `none` if nothing is known."""
    known = [trust for part in parts(source) if (trust := _trust(part)) is not None]
    return max(known, key=TRUST.index, default=UNKNOWN)


def trusted(source: str | None, least: str) -> bool:
    """Whether a source has at least this trust; with `none`, whether nothing is known of it."""
    trust = trust_of(source)
    if least == UNKNOWN or trust == UNKNOWN:
        return trust == least
    return TRUST.index(trust) <= TRUST.index(least)


def parts(source: str | None) -> list[str]:
    """The parts of a source."""
    return [part.strip() for part in (source or "").split(_SEPARATOR) if part.strip()]


def second_hand(source: str | None) -> bool:
    """Whether it was captured or imported, not written by a person or agent."""
    return trust_of(source) in TRUST[2:]


def joined(*sources: str | None) -> str | None:
    """Several sources as one, each part once."""
    found = dict.fromkeys(part for source in sources for part in parts(source))
    return _SEPARATOR.join(found) or None


def stamped(stamp: str, said: str | None) -> str:
    """The tool's stamp, then the caller's source. Since the least trust counts, a forged stamp gains nothing."""
    return joined(stamp, said) or stamp


def made_of(sources: Iterable[str | None]) -> str | None:
    """The part of a summary's source that says how far to trust what it was made from: the least trust of all."""
    known = [trust for source in sources if (trust := trust_of(source)) != UNKNOWN]
    return f"of:{max(known, key=TRUST.index)}" if known else None


def _trust(part: str) -> str | None:
    if part == "hand":
        return "owner"
    if part.startswith("agent:"):
        return "agent"
    if part.startswith("session:"):
        return "captured"
    if part.startswith("of:"):
        return part[3:] if part[3:] in TRUST else None
    return "imported" if _IMPORTED.fullmatch(part) else None
