"""SELF.md: what an agent says about itself, as fields and questions among a person's own lines.

    ## Fields            - name: Nagi
    ## Questions         - [ ] still open          - [x] resolved (the answer)

An edit changes or adds only its own lines; headings, order, line ends and all other lines stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

FIELDS, QUESTIONS = "Fields", "Questions"
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_FIELD = re.compile(r"([-*+][ \t]+)([^:：\[]+?)([ \t]*[:：][ \t]*)(.*)$")
_QUESTION = re.compile(r"([-*+][ \t]+)\[([ xX])\]([ \t]+)(.*)$")
_FORMS = {FIELDS: _FIELD, QUESTIONS: _QUESTION}  # of the items of each section


@dataclass(frozen=True)
class Question:
    """A question that was asked; `number` counts the open ones from 1 and is 0 once there is an answer."""

    text: str
    number: int = 0
    answer: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"number": self.number, "question": self.text}


@dataclass(frozen=True)
class SelfModel:
    """What SELF.md says."""

    fields: dict[str, str] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)

    @property
    def open(self) -> list[Question]:
        """Questions without an answer."""
        return [each for each in self.questions if each.number]

    @property
    def resolved(self) -> list[Question]:
        """Questions with one."""
        return [each for each in self.questions if not each.number]


def read_self(text: str) -> SelfModel:
    """What the text of a SELF.md says."""
    lines = _Lines(text)
    fields = {found.group(2): found.group(4).strip() for _, found in lines.items(FIELDS)}
    questions, number = [], 0
    for _, found in lines.items(QUESTIONS):
        if found.group(2) == " ":
            number += 1
            questions.append(Question(found.group(4).strip(), number))
        else:
            questions.append(Question(*_answered(found.group(4).strip())))
    return SelfModel(fields, questions)


def with_field(text: str, name: str, value: str) -> str:
    """The text with a field set; an empty value removes the field."""
    lines = _Lines(text)
    for at, found in lines.items(FIELDS):
        if found.group(2).casefold() == name.casefold():
            if value:
                between = found.group(3) if found.group(4) else ": "
                lines.replace(at, found.group(1) + found.group(2) + between + value)
            else:
                lines.drop(at)
            return lines.text
    return lines.add(FIELDS, f"- {name}: {value}") if value else text


def with_question(text: str, question: str) -> str:
    """The text with another open question."""
    return _Lines(text).add(QUESTIONS, f"- [ ] {question}")


def with_answer(text: str, number: int, answer: str) -> str:
    """The text with that open question resolved."""
    lines = _Lines(text)
    opened = [(at, found) for at, found in lines.items(QUESTIONS) if found.group(2) == " "]
    at, found = opened[number - 1]
    lines.replace(at, f"{found.group(1)}[x]{found.group(3)}{found.group(4).rstrip()} ({answer})")
    return lines.text


def _answered(line: str) -> tuple[str, int, str]:
    """Question, 0 and answer: the answer is in the last brackets."""
    depth = 0
    for at in range(len(line) - 1, -1, -1) if line.endswith(")") else ():
        depth += {")": 1, "(": -1}.get(line[at], 0)
        if depth == 0:
            return line[:at].strip(), 0, line[at + 1 : -1].strip()
    return line, 0, ""


class _Lines:
    """The lines of the file, each with its own line end."""

    def __init__(self, text: str) -> None:
        self._lines: list[str] = re.findall(r"[^\n]*\n|[^\n]+", text)
        self._end = "\r\n" if "\r\n" in text else "\n"

    @property
    def text(self) -> str:
        return "".join(self._lines)

    def items(self, section: str) -> list[tuple[int, re.Match[str]]]:
        """The items of a section, with their line numbers."""
        found = [
            (at, _FORMS[section].match(self._lines[at].rstrip("\r\n"))) for at in self._plain(self._bounds(section))
        ]
        return [(at, match) for at, match in found if match]

    def replace(self, at: int, line: str) -> None:
        """Replace the text of a line; its line end stays."""
        old = self._lines[at]
        self._lines[at] = line + old[len(old.rstrip("\r\n")) :]

    def drop(self, at: int) -> None:
        """Remove a line."""
        del self._lines[at]

    def add(self, section: str, line: str) -> str:
        """The text with a line added after the last item of its section; a missing section is added."""
        items = self.items(section)
        bounds = self._bounds(section)
        if items:
            at = items[-1][0] + 1
            while at < len(self._lines) and self._lines[at][0] in " \t" and self._lines[at].strip():
                at += 1  # lines that belong to the item
            self._insert(at, [line])
        elif bounds:
            at = bounds[1]
            while not self._lines[at - 1].strip():
                at -= 1
            self._insert(at, ["", line])
        elif section == FIELDS and (questions := self._bounds(QUESTIONS)):
            self._insert(questions[0], [f"## {section}", "", line, ""])
        else:
            blank = [""] if self._lines and self._lines[-1].strip() else []
            self._insert(len(self._lines), [*blank, f"## {section}", "", line])
        return self.text

    def _insert(self, at: int, lines: list[str]) -> None:
        if at and not self._lines[at - 1].endswith("\n"):
            self._lines[at - 1] += self._end
        self._lines[at:at] = [line + self._end for line in lines]

    def _bounds(self, section: str) -> tuple[int, int] | None:
        """A section: its heading's line, and where the next heading of the same or a higher level is."""
        begin, level = None, 0
        for at in self._plain((-1, len(self._lines))):
            found = _HEADING.match(self._lines[at].rstrip("\r\n").removeprefix("\ufeff"))
            if not found:
                continue
            if begin is not None and len(found.group(1)) <= level:
                return begin, at
            if begin is None and found.group(2).casefold() == section.casefold():
                begin, level = at, len(found.group(1))
        return None if begin is None else (begin, len(self._lines))

    def _plain(self, bounds: tuple[int, int] | None) -> list[int]:
        """The lines between bounds that are not in a code block."""
        if bounds is None:
            return []
        numbers, fence = [], ""
        for at in range(bounds[0] + 1, bounds[1]):
            found = _FENCE.match(self._lines[at])
            if found and not fence:
                fence = found.group(1)
            elif found and found.group(1)[0] == fence[0] and len(found.group(1)) >= len(fence):
                fence = ""
            elif not fence:
                numbers.append(at)
        return numbers
