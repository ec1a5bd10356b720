"""Tables that are searched without being parsed: sorted lines of a word and its values, separated by tabs.

As dictionaries they would take ten times the memory.
"""

from __future__ import annotations


def look_up(lines: bytes, word: str) -> list[str] | None:
    """The values in the line of a word; None if there is no such line."""
    wanted = word.encode()
    low, high = 0, len(lines)
    while low < high:
        start = lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = lines.index(b"\n", start)
        found, *own = lines[start:end].split(b"\t")
        if found == wanted:
            return [each.decode() for each in own]
        low, high = (end + 1, high) if found < wanted else (low, start)
    return None
