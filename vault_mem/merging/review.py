"""Merging the checklist of proposals: each by its id, the owner's text by lines. A tick on either side stays."""

from __future__ import annotations

from vault_mem.merging import Merged
from vault_mem.merging.lines import merge_text
from vault_mem.notes import checklist

Placed = tuple[str, str]  # section and line


def merge_review(base: str, ours: str, theirs: str) -> Merged:
    """Merge two versions of REVIEW.md."""
    was, one, other = (_proposals(each) for each in (base, ours, theirs))
    wanted = {id_: found for id_ in {**one, **other} if (found := _chosen(was.get(id_), one.get(id_), other.get(id_)))}
    return merge_text(*(_with(each, wanted) for each in (base, ours, theirs)))


def _proposals(text: str) -> dict[str, Placed]:
    ids = {id_ for each in checklist.read(text) for id_ in each.ids}
    found = checklist.parted(text, ids)[1]
    return {line.rstrip().rpartition("^")[2]: (section or checklist.OPEN, line) for section, line in found}


def _chosen(base: Placed | None, ours: Placed | None, theirs: Placed | None) -> Placed | None:
    """One proposal: from the side that changed it, or the weightier of two changes."""
    if theirs == base:
        return ours
    if ours == base:
        return theirs
    return max((each for each in (ours, theirs) if each), key=_weight, default=None)


def _weight(placed: Placed) -> tuple[bool, int, Placed]:
    """Done or refused counts more than a tick, a tick more than a no, and anything more than an open box."""
    section, line = placed
    return section in (checklist.DONE, checklist.REJECTED), " !-xX".find(line[3:4]), placed


def _with(text: str, wanted: dict[str, Placed]) -> str:
    """A checklist with exactly these proposals; those in the right section stay in place."""
    present = _proposals(text)
    lines = text.split("\n")
    for id_, (section, line) in present.items():
        number = next(n for n, each in enumerate(lines) if each.rstrip("\r") == line)
        if id_ in wanted and wanted[id_][0] == section:
            lines[number] = wanted[id_][1]
        else:
            del lines[number]
    missing = [placed for id_, placed in wanted.items() if present.get(id_, ("", ""))[0] != placed[0]]
    return checklist.joined("\n".join(lines), sorted(missing)) if missing else "\n".join(lines)


def without_repeats(text: str) -> str:
    """A checklist with every proposal once, answered as before, in its old place."""
    section, best, lines = "", dict[str, tuple[tuple[bool, int, Placed], int]](), text.split("\n")
    repeated = set()
    for number, line in enumerate(lines):
        section = line.strip() if line.startswith("## ") else section
        for found in checklist.read(line):
            entry = (_weight((section, line)), number)
            before = best.get(found.id)
            if before is not None:
                repeated.add(min(before, entry, key=lambda each: each[0])[1])
            best[found.id] = max(before or entry, entry, key=lambda each: each[0])
    return "\n".join(line for number, line in enumerate(lines) if number not in repeated)
