"""The table of a memory's fields: a line of `model.Fields` describes one field for every use.

Everything else is derived from it: what a note may say and how it is read and written, the options of `remember`, the
arguments of the tools, what `edit` takes, the types of Obsidian's properties and the table in docs/format.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any


class Form(StrEnum):
    """What a field's value is. NAMES are the names of other notes."""

    TEXT = "text"
    TEXTS = "texts"
    NAMES = "names"
    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "flag"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """One field. `help` describes it for a person; `for_model` does so for an agent that needs more words.

    `given`: it may be set when saving a memory; vault-mem sets the others. `option` is its option of `remember`, and
    `argument` the tools' argument, if they are not called like the field. `rare`: the core tools do not have it.
    `regrows`: a new mood or summary states it again. `meaning` and `example` are for docs/format.md.
    """

    form: Form
    help: str
    default: Any = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    given: bool = True
    option: str = ""
    argument: str = ""
    for_model: str = ""
    rare: bool = False
    regrows: bool = False
    meaning: str = ""
    example: str = ""
    name: str = ""

    @property
    def limits(self) -> str:
        """The range in words: from 1 to 5."""
        low, high = (f"{each:g}" for each in (self.low or 0, self.high or 0))
        return f"from {low} to {high}" if self.high is not None else f"from {low} on"

    @property
    def flag(self) -> str:
        """Its option in `remember`."""
        return self.option or f"--{self.name.replace('_', '-')}"


_DESCRIPTION = "description"


def described_field(form: Form, help_: str, *, default: Any = None, **more: Any) -> Any:
    """A field of a dataclass, with its description."""
    about = {_DESCRIPTION: FieldInfo(form, help_, default, **more)}
    if form in (Form.TEXTS, Form.NAMES):
        return field(default_factory=list, metadata=about)
    return field(default=default, metadata=about)


def table(of: type) -> dict[str, FieldInfo]:
    """The described fields of a dataclass, in order."""
    from dataclasses import replace

    return {
        each.name: replace(each.metadata[_DESCRIPTION], name=each.name)
        for each in fields(of)
        if _DESCRIPTION in each.metadata
    }
