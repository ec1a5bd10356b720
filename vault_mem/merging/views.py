"""Merging views: lines that mirror memories by memory, the owner's text by lines."""

from __future__ import annotations

from vault_mem.merging import Merged
from vault_mem.merging.lines import merge_text
from vault_mem.vault import marked


def merge_view(key: str, kind: str, base: str, ours: str, theirs: str) -> Merged:
    """Merge two versions of a view. Lines that mirror a memory never conflict: the memory decides what they say."""
    if kind == "monologue":
        return _merge_monologue(key, base, ours, theirs)
    position = marked.IN_BLOCK if kind == "digest" else marked.BY_TIME
    was, one, other = (marked.by_id(each) for each in (base, ours, theirs))
    wanted = {id_: line for id_ in {**one, **other} if (line := _chosen(was.get(id_), one.get(id_), other.get(id_)))}
    found = merge_text(*(_with(each, wanted, position, key) for each in (base, ours, theirs)))
    return Merged(_with(found.text, wanted, position, key), found.conflicts)


def _chosen(base: str | None, ours: str | None, theirs: str | None) -> str | None:
    """One memory's lines: from the side that changed them, or from either if both did."""
    if theirs == base:
        return ours
    return theirs if ours == base else max(ours or "", theirs or "")


def _with(text: str, wanted: dict[str, str], position: str, key: str) -> str:
    """A view that mirrors exactly these memories."""
    now: str | None = text or None
    for id_, lines in marked.by_id(text).items():
        if wanted.get(id_) != lines:
            now = marked.put(now, id_, wanted.get(id_), position, key)
    present = marked.by_id(now or "")
    for id_, lines in sorted(wanted.items(), key=lambda each: each[1]):
        if id_ not in present:
            now = marked.put(now, id_, lines, position, key)
    return now or ""


def _merge_monologue(key: str, base: str, ours: str, theirs: str) -> Merged:
    was, one, other = (marked.find(each, "") for each in (base, ours, theirs))
    if one is None and other is None:
        return merge_text(base, ours, theirs)
    wanted = other if one == was else one  # if both changed, the next command writes the latest
    found = [marked.put(each or None, "", wanted, marked.WHOLE_BLOCK, key) or "" for each in (base, ours, theirs)]
    return merge_text(*found)


def without_copies(text: str, kind: str) -> str:
    """A view without the duplicate lines of a memory that a merge left, with the same time or in the managed block.

    Copies that a person made elsewhere stay.
    """
    seen: set[tuple[str, str]] = set()
    lines, inside = [], kind == "log"
    for line in text.split("\n"):
        if kind == "digest" and line.strip() in (marked.BEGIN, marked.END):
            inside = line.strip() == marked.BEGIN
        ids = marked.marked_ids(line)
        name = (ids[0], line[:8] if kind == "log" else "") if ids and inside else None
        if name is None or name not in seen:
            lines.append(line)
        if name is not None:
            seen.add(name)
    return "\n".join(lines)
