"""Conversations saved turn by turn as an agent would, through the real `remember`: what is blocked, what is linked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from vault_mem import Vault


@dataclass(frozen=True)
class Near:
    """A turn and the earlier memory that it seemed to repeat, or was linked to."""

    text: str
    earlier: str
    similarity: float

    @property
    def identical(self) -> bool:
        """Whether the turn repeats the memory word for word, apart from punctuation: a true repetition."""
        return re.findall(r"\w+", self.text) == re.findall(r"\w+", self.earlier)

    def __str__(self) -> str:
        return f"{self.similarity:.2f}  {self.earlier!r}\n   →  {self.text!r}"


@dataclass
class Saved:
    """What became of the turns of one conversation."""

    turns: int = 0
    blocked: list[Near] = field(default_factory=list)
    linked: list[list[Near]] = field(default_factory=list)


def save(folder: Path, turns: Sequence[dict[str, Any]]) -> Saved:
    """Save turns one by one into a new vault, each at the time it was said."""
    moment = datetime.fromisoformat(turns[0]["created"])
    Vault.init(folder, timezone="UTC")
    vault = Vault(folder, clock=lambda: moment)
    saved = Saved()
    for turn in turns:
        moment = datetime.fromisoformat(turn["created"])
        result = vault.remember(turn["text"], people=[turn["speaker"]])
        saved.turns += 1
        if result.duplicate_of is not None:
            found = result.duplicate_of
            saved.blocked.append(Near(turn["text"], found.memory.content, found.similarity))
        else:
            saved.linked.append([Near(turn["text"], each.memory.content, each.similarity) for each in result.linked])
    return saved
