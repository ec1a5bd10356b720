"""Names that sync services give to a second version of a file."""

from __future__ import annotations

import re

from vault_mem.vault.tree import beside, name_of

# Most names say "conflict". A number in brackets counts only if the original is beside it, and a bare number (iCloud's)
# only if both files are the same memory.
CONFLICT = re.compile(r"[. ]sync-conflict-[\d-]+\w*$| \([^()]*(?:conflict|競合)[^()]*\)$", re.IGNORECASE)
NUMBERED = re.compile(r" \(\d{1,3}\)$")
BARE_NUMBER = re.compile(r" \d{1,2}$")


def original_of(key: str) -> str:
    """The note that this one is a conflict copy of, judging by its name; empty if it is not named like one."""
    if "conflict" not in key.lower() and "競合" not in key:
        return ""  # the quick way out: this is asked of many files
    stem = name_of(key).removesuffix(".md")
    found = CONFLICT.search(stem)
    return beside(key, f"{stem[: found.start()]}.md") if found else ""
