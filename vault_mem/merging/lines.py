"""Merging texts line by line, as git does, with marks for conflicts."""

from __future__ import annotations

from vault_mem.merging import Merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    Piece = tuple[list[str], list[str] | None, list[str]]

OURS, MIDDLE, THEIRS = "<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n"
# With more changed lines, the shortest diff takes long to find and helps nobody.
_MOST_CHANGES = 1000


def merge_text(base: str, ours: str, theirs: str) -> Merged:
    """Merge by lines; where both sides changed the same lines, both versions are kept between marks."""
    text, conflicts = "", []
    for one, other, _ in merged_lines(split(base), split(ours), split(theirs)):
        if other is None:
            text += "".join(one)
        else:
            text = ended(text) + marked("".join(one), "".join(other))
            conflicts = ["text"]
    return Merged(text, conflicts)


def split(text: str) -> list[str]:
    """The lines of a text with their ends; as in git, only a line feed ends a line."""
    *lines, last = text.split("\n")
    return [line + "\n" for line in lines] + ([last] if last else [])


def marked(ours: str, theirs: str) -> str:
    """Both sides of a conflict, with git's marks."""
    return OURS + ended(ours) + MIDDLE + ended(theirs) + THEIRS


def ended(text: str) -> str:
    """A text that ends in a line feed."""
    return text if not text or text.endswith("\n") else text + "\n"


def merged_lines(base: list[str], ours: list[str], theirs: list[str]) -> list[Piece]:
    """The merged lines in pieces: lines and None, or for a conflict both sides and the base."""
    in_ours, in_theirs = matches(base, ours), matches(base, theirs)
    found: list[Piece] = []
    at, one, other = 0, 0, 0
    for stop in (*(n for n in range(len(base)) if in_ours[n] >= 0 and in_theirs[n] >= 0), len(base)):
        end_one = in_ours[stop] if stop < len(base) else len(ours)
        end_other = in_theirs[stop] if stop < len(base) else len(theirs)
        found += _settled(base[at:stop], ours[one:end_one], theirs[other:end_other])
        if stop < len(base):
            found.append(([base[stop]], None, []))
        at, one, other = stop + 1, end_one + 1, end_other + 1
    return found


def _settled(base: list[str], ours: list[str], theirs: list[str]) -> list[Piece]:
    """Merge a piece between two lines that all three texts have."""
    if theirs in (base, ours):
        return [(ours, None, [])]
    if ours == base:
        return [(theirs, None, [])]
    start, end = alike_ends(ours, theirs)
    stop, other_stop = len(ours) - end, len(theirs) - end
    return [(ours[:start], None, []), (ours[start:stop], theirs[start:other_stop], base), (ours[stop:], None, [])]


def alike_ends(one: list[str], other: list[str]) -> tuple[int, int]:
    """How many lines two texts share at the beginning and at the end."""
    most = min(len(one), len(other))
    start = 0
    while start < most and one[start] == other[start]:
        start += 1
    end = 0
    while end < most - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return start, end


def matches(old: list[str], new: list[str]) -> list[int]:
    """For each line of the old text its number in the new one, or -1."""
    start, end = alike_ends(old, new)
    stop = len(old) - end
    found = [*range(start), *([-1] * (stop - start)), *range(len(new) - end, len(new))]
    for line, match in _shortest(old[start:stop], new[start : len(new) - end]):
        found[start + line] = start + match
    return found


def _shortest(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The lines that stay in the shortest diff (Myers' greedy algorithm)."""
    if not old or not new:
        return []
    reached = {1: 0}
    trail: list[dict[int, int]] = []
    for changes in range(min(len(old) + len(new), _MOST_CHANGES) + 1):
        trail.append(dict(reached))
        for diagonal in range(-changes, changes + 1, 2):
            down = diagonal == -changes or (
                diagonal != changes and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
            )
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _back(trail, len(old), len(new))
    return []


def _back(trail: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """The path back through what each number of changes had reached."""
    found = []
    for changes in range(len(trail) - 1, -1, -1):
        reached, diagonal = trail[changes], x - y
        down = diagonal == -changes or (
            diagonal != changes and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        start_x = reached[before] if changes else 0
        start_y = start_x - before if changes else 0
        while x > start_x and y > start_y:
            x, y = x - 1, y - 1
            found.append((x, y))
        x, y = start_x, start_y
    return found
