"""What differs between two texts, in words an agent can act on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One thing that differs: its kind, and the words on either side (empty if one side has none)."""

    kind: str
    before: str
    after: str

    def __str__(self) -> str:
        if self.before and self.after:
            return f"{self.kind} {self.before} → {self.after}"
        return f"{self.kind} added: {self.after}" if self.after else f"{self.kind} dropped: {self.before}"
