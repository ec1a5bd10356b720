"""Merging revisions: the lines of both sides in order of time, each once."""

from __future__ import annotations

from vault_mem.merging import Merged

_AT = '"at": "'


def merge_history(base: str, ours: str, theirs: str) -> Merged:
    """Merge two logs that were appended to. A line that one side removed stays out: it may be private by now."""
    was, one, other = (set(_lines(each)) for each in (base, ours, theirs))
    gone = was - (one & other)
    first, second = sorted((_lines(ours), _lines(theirs)))  # so that both sides get the same result
    return Merged(in_order([*first, *second], gone), [])


def in_order(lines: list[str], gone: set[str] | frozenset[str] = frozenset()) -> str:
    """Lines sorted by their time, each once; lines of one moment keep their order."""
    times: dict[str, float] = {}
    last = 0.0
    for line in lines:
        last = _time(line, last)
        times.setdefault(line, last)
    kept = sorted((line for line in times if line not in gone), key=lambda line: times[line])
    return "".join(f"{line}\n" for line in kept)


def is_in_order(lines: list[str]) -> bool:
    """Whether every line occurs once, and the times never go back.

    The revisions of one operation have the same time, in any order.
    """
    last = 0.0
    for line in lines:
        before, last = last, _time(line, last)
        if last < before:
            return False
    return len(set(lines)) == len(lines)


def _lines(text: str) -> list[str]:
    return [line for line in (each.removesuffix("\r") for each in text.split("\n")) if line.strip()]


def _time(line: str, before: float) -> float:
    """When a revision was made; one without a time has that of the line before."""
    from datetime import UTC, datetime

    start = line.find(_AT)
    value = line[start + len(_AT) :].partition('"')[0] if start >= 0 else ""
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return before
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
