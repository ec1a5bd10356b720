"""What operations take and return when they look for memories."""

from __future__ import annotations

from dataclasses import dataclass, field

from vault_mem.errors import InvalidInput
from vault_mem.model import Memory


def writable(text: str, what: str) -> str:
    """The text, if it is valid Unicode; arguments that were not UTF-8 are not."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{what} is not valid Unicode", "pass it as UTF-8") from error
    return text


@dataclass(frozen=True)
class Found:
    """A memory with how near it is: `similarity` is calibrated, `score` orders the list, `passage` answered best.

    `terms` are what each stage of the ranking added to the score; `excerpt` is what a budget left of the text.
    `replaced_by` is the id of a newer memory that may have taken its place.
    """

    memory: Memory
    similarity: float
    score: float = 0.0
    passage: str = ""
    terms: dict[str, float] = field(default_factory=dict)
    excerpt: str = ""
    replaced_by: str = ""

    @property
    def distance(self) -> float:
        """1 − similarity."""
        return 1.0 - self.similarity
