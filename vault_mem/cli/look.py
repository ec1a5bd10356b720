"""An answer as a terminal shows it: in colour, and wrapped to its width with wide characters counted and ids whole.

Answers are made as plain text, which is what a pipe gets. What to colour is recognised from their form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vault_mem.messages.words import columns, width_of

_BOLD, _DIM, _RED, _GREEN, _YELLOW, _CYAN = "1", "2", "31", "32", "33", "36"
_ENDS = {_BOLD: "22", _DIM: "22"}  # each style is ended by its own opposite, so that styles can be nested
_PLAIN_COLOUR = "39"

# What a wrapped line is indented past: a number, a bullet, an id and date, or the name of a field.
_HANG = re.compile(
    r"\s*(?:\d+\. |- |(?:mem|ep)_[0-9a-f]{12}  \S+  |\d{6}  \d{4}-\d\d-\d\d \d\d:\d\d  |\w[\w -]*:? {2,})?"
)
# Characters that must not begin a line, and characters that must not end one.
_CLOSING = frozenset("、。，．・：；？！」』）】〕］｝》〉ーゝ々…‥っゃゅょぁぃぅぇぉッャュョァィゥェォ%％)]}.,:;!?")
_OPENING = frozenset("「『（【〔［｛《〈([{")

_STYLES = (
    (re.compile(r"^(?:Usage:|[A-Z][^.\n]{0,60}:$)"), _BOLD),  # a heading
    (re.compile(r"^  (?:-{1,2}[\w-]+(?:, --[\w-]+)?(?: [A-Z][\w=]*)?|[a-z][a-z-]+)(?=  )"), _BOLD),  # in a help page
    (re.compile(r"^(?:Not saved|Nothing closely related|No related memories|Damaged)\b"), _YELLOW),
    (
        re.compile(
            r"^(?:Saved|Updated|Edited|Closed|Done|Reopened|Confirmed|Merged|Linked|Unlinked|Renamed|Restored|Forgot|"
            r"Undone|Imported|Exported|Backed up|Sound|Private|Public|Made)\b"
        ),
        _GREEN,
    ),
    (re.compile(r"^(?:error|refused)(?=:)"), _RED),
    (re.compile(r"^(?:note|duplicate)(?=:)"), _YELLOW),
    (re.compile(r"\b(?:mem|ep)_[0-9a-f]{12}\b"), _CYAN),
    (re.compile(r"(?<=^)(?:\d+\. |- )\[[^\]]{1,16}\]"), _DIM),
)
_RULE = "---"


def painted(text: str) -> str:
    """The text with colours; the scaffold below a rule is dimmed."""
    lines, below = [], False
    for line in text.split("\n"):
        below = below or line == _RULE
        lines.append(_sign(line, _DIM) if below and line else _styled(line))
    return "\n".join(lines)


def _styled(line: str) -> str:
    for pattern, sign in _STYLES:
        line = pattern.sub(lambda match, sign=sign: _sign(match.group(), sign), line)  # type: ignore[misc]
    return line


def _sign(text: str, sign: str) -> str:
    return f"\x1b[{sign}m{text}\x1b[{_ENDS.get(sign, _PLAIN_COLOUR)}m"


def wrapped(text: str, width: int) -> str:
    """The text in lines of at most that width, except for single longer words such as paths."""
    return "\n".join(part for line in text.split("\n") for part in _lines(line, width))


def _lines(line: str, width: int) -> list[str]:
    if len(line) * 2 <= width or columns(line) <= width:
        return [line]
    hang = _HANG.match(line)
    indent = columns(hang.group()) if hang else 0
    indent = indent if indent <= width // 2 else 2
    lines, current, used = [], "", 0
    for atom in _atoms(line):
        taken = columns(atom)
        if used + taken > width and current.strip():
            lines.append(current.rstrip())
            current, used = " " * indent, indent
            if atom.isspace():
                continue
        current += atom
        used += taken
    return [*lines, current.rstrip()]


def _atoms(line: str) -> Iterator[str]:
    """The parts of a line that are never broken: words, spaces, and wide characters with their punctuation."""
    word = ""
    for char in line:
        if word and _breaks(word[-1], char):
            yield word
            word = ""
        word += char
    yield word


def _breaks(before: str, after: str) -> bool:
    """Whether a line may be broken between two characters."""
    if before.isspace() or after.isspace():
        return before.isspace() != after.isspace()
    if after in _CLOSING or before in _OPENING:
        return False
    return width_of(before) == 2 or width_of(after) == 2
