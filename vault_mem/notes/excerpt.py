"""A text on one line, cut short: the way memories are quoted everywhere."""

from __future__ import annotations

SNIPPET = 120


def cut(text: str, length: int = SNIPPET) -> str:
    """One line of at most `length` code points, then ... if anything was cut."""
    line = " ".join(text.splitlines())
    return line if len(line) <= length else line[:length] + "..."
