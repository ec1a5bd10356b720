"""Files that the tool and a person share: lines that end in a memory's marker are the tool's, the rest is theirs.

Putting a line in and taking it out again leaves the same bytes as before.
"""

from __future__ import annotations

import re

BY_TIME = "by_time"  # in a daily log: lines in the order of the day
IN_BLOCK = "in_block"  # in a digest: newest first, between two comments
WHOLE_BLOCK = "whole_block"  # the whole text between the two comments, without markers

BEGIN, END = "<!-- vault-mem:begin -->", "<!-- vault-mem:end -->"
_LOG = re.compile(r"\d{4}-\d{2}-\d{2}\.md$")
_MARKER = re.compile(r"\[id:((?:mem|ep)_[0-9a-f]{12})\]\s*$")


def marker(id_: str) -> str:
    """What a mirrored line ends in."""
    return f"[id:{id_}]"


def marked_ids(text: str) -> list[str]:
    """The memories that a file mirrors, in its order."""
    return [found.group(1) for line in text.splitlines() if (found := _MARKER.search(line))]


def find(text: str | None, id_: str) -> str | None:
    """The lines with a memory's marker, usually one; without an id, all lines in the block."""
    lines = (text or "").split("\n")
    if id_:
        return "\n".join(lines[at].removesuffix("\r") for at in line_numbers(text, id_)) or None
    bounds = _bounds(lines)
    return bounds and "\n".join(line.removesuffix("\r") for line in lines[bounds[0] + 1 : bounds[1]])


def line_numbers(text: str | None, id_: str) -> list[int]:
    """The numbers of the lines with a memory's marker."""
    return [at for at, line in enumerate((text or "").split("\n")) if id_ and marker(id_) in line]


def by_id(text: str) -> dict[str, str]:
    """The lines that end in a marker, by memory; several lines of one memory are joined."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        match = _MARKER.search(line)
        if match:
            line = line.removesuffix("\r")
            found[match.group(1)] = f"{found[match.group(1)]}\n{line}" if match.group(1) in found else line
    return found


def without(text: str, ids: set[str], key: str) -> str | None:
    """The file without the lines of these memories; None if nothing is left of it."""
    lines = [each for each in text.split("\n") if not ((found := _MARKER.search(each)) and found.group(1) in ids)]
    _drop_empty_block(lines)
    return None if _is_bare(lines, key) else "\n".join(lines)


def put_at(text: str | None, lines: str, at: list[int]) -> str:
    """The file with these lines put back at the line numbers where they were."""
    found = (text or "").split("\n")
    ending = "\r" if found[0].endswith("\r") else ""
    for number, line in zip(at, lines.split("\n"), strict=False):
        found.insert(number, line + ending)
    return "\n".join(found)


def put(text: str | None, id_: str, line: str | None, position: str, key: str) -> str | None:
    """The file with that memory's lines set, or removed if `line` is None; None if nothing is left of the file."""
    if position == WHOLE_BLOCK:
        return _put_block(text, line)
    if line is not None and "\n" in line:
        return _put_several(text, id_, line.split("\n"), position, key)
    if text is None:
        if line is None:
            return None
        whole = [BEGIN, line, END] if position == IN_BLOCK else [f"# {_name(key)}", "", line]
        return "\n".join([*whole, ""])
    lines = text.split("\n")
    ending = "\r" if lines[0].endswith("\r") else ""
    found = line_numbers(text, id_)
    if line is None:
        for at in reversed(found):
            del lines[at]
        if found:
            _drop_empty_block(lines)
        return None if _is_bare(lines, key) and found else "\n".join(lines)
    if found:
        lines[found[0]] = line + ("\r" if lines[found[0]].endswith("\r") else "")
        for at in reversed(found[1:]):
            del lines[at]
    elif position == IN_BLOCK:
        _insert_in_block(lines, line, ending)
    else:
        lines.insert(_line_by_time(lines, line), line + ending)
    return "\n".join(lines)


def add(text: str | None, new: list[str], position: str, key: str) -> str:
    """The file with the lines of memories that it does not mirror yet: like `put` for each, but in one pass."""
    newest_first = position == IN_BLOCK
    first, *others = sorted(new, reverse=newest_first)
    lines = (put(text, "", first, position, key) or "").split("\n")
    ending = "\r" if lines[0].endswith("\r") else ""
    begin, end = (_bounds(lines) or (0, len(lines))) if newest_first else (0, len(lines))
    present = [(lines[at], at) for at in range(begin, end) if _MARKER.search(lines[at])]
    before = sorted(present, reverse=not newest_first)  # a stack: the next line to precede a new one is on top
    after: dict[int, list[str]] = {}
    at = 0
    for line in others:
        while before and (before[-1][0] > line if newest_first else before[-1][0] <= line):
            at = max(at, before.pop()[1])
        after.setdefault(at, []).append(line + ending)
    return "\n".join(each for number, line in enumerate(lines) for each in (line, *after.get(number, ())))


def _put_several(text: str | None, id_: str, wanted: list[str], position: str, key: str) -> str | None:
    """Set several lines of one memory, which a person copied: each where it is now, or else where its time belongs."""
    lines = (text or "").split("\n")
    found = line_numbers(text, id_)
    if len(found) == len(wanted):
        for at, line in zip(found, wanted, strict=True):
            lines[at] = line + ("\r" if lines[at].endswith("\r") else "")
        return "\n".join(lines)
    text = put(text, id_, wanted[0], position, key)
    for line in wanted[1:]:
        lines = (text or "").split("\n")
        lines.insert(_line_by_time(lines, line), line)
        text = "\n".join(lines)
    return text


def plain(text: str) -> str:
    """A text without the comments that would end its block."""
    return text.replace(BEGIN, "").replace(END, "").strip()


def _put_block(text: str | None, wanted: str | None) -> str | None:
    lines = (text or "").split("\n")
    bounds = _bounds(lines)
    ending = "\r" if lines[bounds[0] if bounds else 0].endswith("\r") else ""
    if bounds is not None:
        del lines[bounds[0] + 1 : bounds[1]]
    if wanted is None:
        _drop_empty_block(lines)
        return None if lines == [""] else "\n".join(lines)
    new = [each + ending for each in wanted.split("\n")]
    if bounds is not None:
        lines[bounds[0] + 1 : bounds[0] + 1] = new
    else:
        _begin_block(lines, new, ending)
    return "\n".join(lines)


def bare(key: str) -> str:
    """A view that mirrors nothing: for a daily log, its heading."""
    return f"# {_name(key)}\n\n" if _LOG.search(key) else ""


def _name(key: str) -> str:
    return key.rsplit("/", 1)[-1].removesuffix(".md")


def _is_bare(lines: list[str], key: str) -> bool:
    """Whether only the heading is left with which `put` begins a file."""
    return lines in ([""], [f"# {_name(key)}", "", ""])


def _line_by_time(lines: list[str], line: str) -> int:
    """Where a line belongs: after the last mirrored line that is not later, before all if they are, else at the end."""
    numbers = [number for number, each in enumerate(lines) if _MARKER.search(each)]
    earlier = [number for number in numbers if lines[number] <= line]
    if earlier:
        return earlier[-1] + 1
    if numbers:
        return numbers[0]
    return len(lines) - 1 if lines[-1] == "" and len(lines) > 1 else len(lines)


def _bounds(lines: list[str]) -> tuple[int, int] | None:
    bare = [line.strip() for line in lines]
    if BEGIN in bare and END in bare[bare.index(BEGIN) :]:
        begin = bare.index(BEGIN)
        return begin, bare.index(END, begin)
    return None


def _insert_in_block(lines: list[str], line: str, ending: str) -> None:
    bounds = _bounds(lines)
    if bounds is None:
        _begin_block(lines, [line + ending], ending)
        return
    begin, end = bounds
    later = [number for number in range(begin + 1, end) if _MARKER.search(lines[number]) and lines[number] > line]
    lines.insert(later[-1] + 1 if later else begin + 1, line + ending)


def _begin_block(lines: list[str], new: list[str], ending: str) -> None:
    """A block at the end of a file, after an empty line."""
    at = len(lines) - 1 if lines[-1] == "" else len(lines)
    apart = [] if lines == [""] else [ending]
    lines[at:at] = [*apart, BEGIN + ending, *new, END + ending]


def _drop_empty_block(lines: list[str]) -> None:
    bounds = _bounds(lines)
    if bounds is not None and bounds[1] == bounds[0] + 1:
        begin, end = bounds
        del lines[begin - 1 if begin and not lines[begin - 1].strip() else begin : end + 1]
