"""The checklist of proposals: REVIEW.md as lines that a person ticks, and everything else as they wrote it.

A proposal is one line that ends in its block id:

    - [ ] merge [[a|A]] into [[b|B]]: similarity 0.93 <!-- merge mem_… mem_… 3fa2c1d4 --> ^rv-1a2b3c4d

A proposal to save what was said in a session names the words as `cap_…`, with the file and line they are in:

    - [ ] save “We use port 8090.” (fact, …) <!-- save cap_… 3fa2c1d4 sessions/2026-11/….md:42 --> ^rv-5e6f7a8b
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

HEAD = """\
# Review

Tick a box and the proposal is carried out, once this file has been left alone for a while. `- [-]` says no, for good.
`vault-mem review` does the same in a terminal.
"""
OPEN, DONE, REJECTED = "## Open", "## Done", "## Rejected"
SAVE = "save"

# What the plugins Tasks and Dataview add to a ticked line.
_TICKED = r"(?: ✅ ?\d{4}-\d{2}-\d{2}| [\[(]completion:: ?\d{4}-\d{2}-\d{2}[\])])*"
_LINE = re.compile(
    r"^- \[(?P<box>.)\] (?P<text>.*?) ?<!-- (?P<kind>merge|append|close|supersede|link|save)"
    r"(?P<ids>(?: (?:mem|ep|cap)_[0-9a-f]{12})+) (?P<digest>[0-9a-f]{8})(?P<said_in> \S+:\d+)? -->"
    rf"{_TICKED} \^(?P<id>rv-[0-9a-f]{{8}}){_TICKED}\s*$"
)


@dataclass(frozen=True)
class Proposal:
    """One proposal: what to do with which memories, why, and what they said when it was made."""

    kind: str
    ids: tuple[str, ...]
    text: str
    digest: str
    box: str = " "
    said_in: str = ""  # where in a session it was said: file and line

    @property
    def id(self) -> str:
        """Its id: the same proposal gets the same id again."""
        ids = self.ids[:1] if self.kind == SAVE else self.ids  # once saved, the memory's id is there too
        return "rv-" + hashlib.sha256(" ".join((self.kind, *ids)).encode()).hexdigest()[:8]

    @property
    def open(self) -> bool:
        """Whether it is still unanswered."""
        return self.box == " "

    def line(self) -> str:
        """The line as written in the file."""
        where = f" {self.said_in}" if self.said_in else ""
        return f"- [{self.box}] {self.text} <!-- {self.kind} {' '.join(self.ids)} {self.digest}{where} --> ^{self.id}"

    @property
    def readable(self) -> str:
        """Its text, with the titles of links in place of the links."""
        return re.sub(r"\[\[[^\[\]|]*\|([^\[\]]*)\]\]", r"“\1”", self.text)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        record = {"id": self.id, "kind": self.kind, "memories": list(self.ids), "text": self.readable}
        return record | ({"said_in": self.said_in} if self.said_in else {})


def read(text: str) -> list[Proposal]:
    """The proposals of a file, in order, answered and outdated ones too."""
    return [found for line in text.splitlines() if (found := _read(line)) is not None]


def add(text: str | None, proposals: list[Proposal]) -> str:
    """The file with new proposals after its open ones; they replace older ones with the same id."""
    text = text if text and text.strip() else f"{HEAD}\n{OPEN}\n"
    new = {each.id for each in proposals}
    lines = _without(text, new)
    _insert(lines, OPEN, [each.line() for each in proposals], at_end=True)
    return "\n".join(lines) + "\n"


def record_answer(text: str, proposal: Proposal, box: str, day: str, note: str = "") -> str:
    """The file with a proposal decided: moved below Done or Rejected, with the date."""
    lines = _without(text, {proposal.id})
    said = f"{day} {proposal.text}" + (f" ({note})" if note else "")
    answered = replace(proposal, box=box, text=said)
    _insert(lines, REJECTED if box == "-" else DONE, [answered.line()], at_end=False)
    return "\n".join(lines) + "\n"


def without(text: str, which: Callable[[Proposal], bool]) -> str:
    """The file without some of its unanswered proposals."""
    gone = {each.id for each in undecided(text) if which(each)}
    return "\n".join(_without(text, gone)) + "\n" if gone else text


def _without(text: str, ids: set[str]) -> list[str]:
    """The lines of a file without these proposals."""
    return [line for line in text.splitlines() if (old := _read(line)) is None or old.id not in ids]


def _in_sections(lines: Iterable[str]) -> Iterator[tuple[str, str, Proposal | None]]:
    """Each line with the heading of its section, and its proposal, if it is one."""
    section = ""
    for line in lines:
        section = line.strip() if line.startswith("## ") else section
        yield section, line, _read(line.rstrip("\r\n"))


def unticked(text: str) -> str:
    """The file with its ticks removed: after an undo, nothing is decided."""
    lines = []
    for section, line, found in _in_sections(text.splitlines()):
        if found is not None and found.box in "xX" and section not in (DONE, REJECTED):
            line = replace(found, box=" ").line()
        lines.append(line)
    return "\n".join(lines) + "\n"


def undecided(text: str) -> list[Proposal]:
    """The proposals above Done and Rejected, ticked or not."""
    return [each for section, _, each in _in_sections(text.splitlines()) if each and section not in (DONE, REJECTED)]


def parted(text: str, ids: Iterable[str]) -> tuple[str, list[tuple[str, str]]]:
    """The file without the proposals that name one of these memories; and the section and line of each of them."""
    kept, taken = [], []
    for section, line, found in _in_sections(text.splitlines(keepends=True)):
        if found is not None and set(found.ids) & set(ids):
            taken.append((section, line.rstrip("\r\n")))
        else:
            kept.append(line)
    return "".join(kept), taken


def joined(text: str, taken: list[tuple[str, str]]) -> str:
    """The file with proposals from another file added, each in its section."""
    lines = (text if text.strip() else f"{HEAD}\n{OPEN}\n").splitlines()
    for section, line in taken:
        _insert(lines, section or OPEN, [line], at_end=True)
    return "\n".join(lines) + "\n"


def _read(line: str) -> Proposal | None:
    match = _LINE.match(line)
    if match is None:
        return None
    where = (match["said_in"] or "").strip()
    proposal = Proposal(match["kind"], tuple(match["ids"].split()), match["text"], match["digest"], match["box"], where)
    return proposal if proposal.id == match["id"] else None


def _insert(lines: list[str], heading: str, new: list[str], *, at_end: bool) -> None:
    """Insert lines below a heading, adding the heading if it is missing."""
    if heading not in [line.strip() for line in lines]:
        lines += ([""] if lines and lines[-1].strip() else []) + [heading]
    start = [line.strip() for line in lines].index(heading) + 1
    end = next((number for number in range(start, len(lines)) if lines[number].startswith("## ")), len(lines))
    while end > start and not lines[end - 1].strip():
        end -= 1
    at = end if at_end else start
    if at == start and (at == len(lines) or lines[at].strip()):
        new = ["", *new] if at == len(lines) or not lines[at].startswith("- ") else new
    elif at == start:
        at += 1
    lines[at:at] = new
