"""Capture: of what the rules propose in five sessions, how much is worth keeping, and how much of that is found.

What is worth keeping stands between ⟦ and ⟧, marked by hand before the rules were run on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Figure, Setting, Target
from vault_mem.notes.worth import worth_keeping

SESSIONS = Path(__file__).parent / "data" / "sessions.json"
_MARKED = re.compile(r"⟦([^⟧]*)⟧")


def run(setting: Setting) -> Iterator[Figure]:
    """Precision and the share that is found, over all five."""
    proposed = right = wanted = found = 0
    for session in json.loads(SESSIONS.read_text(encoding="utf-8")):
        for said in session["said"]:
            marked = _MARKED.findall(said)
            texts = [each.text for each in worth_keeping(re.sub("[⟦⟧]", "", said))]
            proposed += len(texts)
            right += sum(any(_same(text, mark) for mark in marked) for text in texts)
            wanted += len(marked)
            found += sum(any(_same(text, mark) for text in texts) for mark in marked)
            for text in texts:
                if not any(_same(text, mark) for mark in marked):
                    setting.progress(f"not worth it: {text}")
            for mark in marked:
                if not any(_same(text, mark) for text in texts):
                    setting.progress(f"missed: {mark}")
    yield Figure("capture: proposed and worth keeping", right / max(proposed, 1), "", target=Target("≥", 0.6))
    yield Figure("capture: worth keeping and proposed", found / max(wanted, 1), "")


def _same(text: str, marked: str) -> bool:
    one, other = (re.sub(r"\W", "", each).casefold() for each in (text, marked))
    return one in other or other in one
