"""Merging SELF.md: fields by name, questions by their text, everything else by lines."""

from __future__ import annotations

from vault_mem.merging import Merged
from vault_mem.merging.lines import ended, marked, merged_lines, split


def merge_self(base: str, ours: str, theirs: str) -> Merged:
    """Merge two versions of SELF.md; only a field that both changed is undecided."""
    text, conflicts = "", []
    for one, other, was in merged_lines(split(base), split(ours), split(theirs)):
        merged = one if other is None else _merged_items(was, one, other)
        if merged is None:
            text = ended(text) + marked("".join(one), "".join(other or ()))
            conflicts = ["text"]
        else:
            text += "".join(merged)
    return Merged(text, conflicts)


def _merged_items(base: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    """The items that both sides added or changed; None if they are not items, or both changed the same one."""
    was, one, other = (_items(each) for each in (base, ours, theirs))
    if was is None or one is None or other is None:
        return None
    found = []
    for name in {**one, **other}:
        b, o, t = was.get(name), one.get(name), other.get(name)
        if o != t and b not in (o, t):
            return None
        found.append(t if o == b else o)
    return [line for line in found if line is not None]


def _items(lines: list[str]) -> dict[str, str] | None:
    found = {}
    for line in lines:
        if line.strip():
            if not line.startswith("- "):
                return None
            found[_name(line[2:].strip())] = ended(line)
    return found


def _name(item: str) -> str:
    """A question without its box and its answer; a field without its value."""
    if item[:1] == "[" and item[2:4] == "] ":
        return item[4:].partition(" (")[0] if item[1] != " " else item[4:]
    return item.partition(":")[0]
