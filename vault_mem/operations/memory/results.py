"""What operations take and return when they look for memories."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.model import Memory

# The fields of a memory in a short answer.
IN_BUDGET = ("id", "created", "kind", "emotion", "private", "valid_to", "status")
META_NAME = re.compile(r"\w[\w-]{0,59}")
DONE = frozenset({"done", "closed", "cancelled", "canceled", "dropped"})


def writable(text: str, what: str) -> str:
    """The text, if it is valid Unicode; arguments that were not UTF-8 are not."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{what} is not valid Unicode", "pass it as UTF-8") from error
    return text


def check_metadata(metadata: object) -> None:
    """Raise InvalidInput unless front matter can hold each key and keeps each value as it is."""
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata must map names to values, not {metadata!r}")
    for name, value in metadata.items():
        if not (isinstance(name, str) and META_NAME.fullmatch(name)):
            raise InvalidInput(f"{name!r} cannot be a name in metadata", "use up to 60 letters, digits, _ and -")
        finite = not isinstance(value, float) or math.isfinite(value)
        if not isinstance(value, str | int | float | bool) or not finite or "\n" in str(value):
            raise InvalidInput(f"metadata {name!r} must be one line of text, a number or True or False, not {value!r}")
        writable(str(value), f"metadata {name!r}")


@dataclass(frozen=True)
class Found:
    """A memory that was found.

    `relevance` is how likely it answers, `similarity` is calibrated for the guard, `score` orders the list. `passage`
    is the part that answers, `shortened` if the budget had no room for the whole text; `terms` is what each stage of
    the ranking added to the score. `superseded_by` is the id of the memory that replaced it, `replaced_by` that of a
    newer one that may have. `copies` are conflict copies of it; `copy_of` is the id of its original, if it is one.
    """

    memory: Memory
    similarity: float
    score: float = 0.0
    relevance: float = 0.0
    passage: str = ""
    terms: dict[str, float] = field(default_factory=dict)
    replaced_by: str = ""
    superseded_by: str = ""
    copies: list[str] = field(default_factory=list)
    copy_of: str = ""
    shortened: bool = False
    budgeted: bool = False
    bare: bool = False  # the budget has room for little more than the passage
    vault: str = ""  # if several vaults answer

    @property
    def distance(self) -> float:
        """1 − similarity."""
        return 1.0 - self.similarity

    def to_dict(self) -> dict[str, Any]:
        """As JSON; with a budget, without the fields that can be looked up by id."""
        whole = self.memory.to_dict()
        figures: dict[str, Any] = {"similarity": self.similarity, "score": self.score, "relevance": self.relevance}
        if self.bare:
            whole, figures = {"id": whole["id"], "private": whole["private"]}, {}
        others = {"superseded_by": self.superseded_by, "maybe_replaced_by": self.replaced_by, "vault": self.vault}
        figures |= {name: other for name, other in others.items() if other}
        if self.copies or self.copy_of:
            figures |= {"copies": self.copies, "copy_of": self.copy_of}
        if self.budgeted:
            kept = {key: whole[key] for key in IN_BUDGET if key in whole}
            return kept | figures | {"passage": self.passage, "shortened": self.shortened}
        return whole | figures | {"passage": self.passage}


def has_ended(memory: Memory) -> bool:
    """Whether a memory's status means that there is nothing left to do."""
    return (memory.status or "").casefold() in DONE


def why_closed(memory: Memory, now: datetime, zone: tzinfo | None, superseded_by: str = "") -> list[str]:
    """Why a memory no longer holds: since when it is closed, what superseded it, whether it is done."""
    found = []
    if memory.valid_to is not None and memory.closed_at(now):
        found.append(f"closed: {memory.valid_to.astimezone(zone).date().isoformat()}")
    if superseded_by:
        found.append(f"superseded by: {superseded_by}")
    if has_ended(memory):
        found.append("done")
    return found
