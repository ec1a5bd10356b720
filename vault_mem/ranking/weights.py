"""The weights of all signals, in one place. A score is the sum of weight × signal."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

WEIGHTS_FILE = Path(__file__).parent / "weights.json"

# Which signals make up a stage: what `--explain` shows, and what can be switched off.
STAGES: dict[str, tuple[str, ...]] = {
    "meaning": ("meaning",),
    "words": ("words", "title", "exact", "keyword"),
    "tokens": ("tokens",),
    "moment": ("moment_meaning", "moment_tokens", "session_words", "replies"),
    "names": ("person", "about", "tag"),
    "time": ("time",),
    "form": ("asks", "answers", "slight"),
    "links": ("links",),
    "association": ("association",),
    "decay": ("decay", "now"),
    "emotion": ("emotion", "feeling"),
    "importance": ("importance", "important"),
    "summary": ("summary", "overview"),
    "diversity": ("diversity",),
}

# Weights that cannot be fitted on conversations; set by hand, on the benchmarks that show them (docs/benchmarks.md).
FIXED_WEIGHTS = {
    "exact": 2.0,  # a part number found as written outweighs any likeness
    "keyword": 1.5,  # who types two words wants memories that have them
    "tag": 1.0,  # counts like one more word of the text; a person counts more, as the memory is about them
    "links": 4.0,  # a memory linked to a hit comes after it, and before merely similar ones
    "association": 10.0,  # called up by similarity alone: after the two best, before memories that only share a word
    "decay": 0.5,  # breaks near-ties
    "now": 3.0,  # the query asks how things are: the newest of what answers it
    "emotion": 0.1,  # breaks ties
    "feeling": 3.0,  # the query names the feeling
    "importance": 0.2,  # breaks ties
    "important": 2.0,  # the query asks for what matters
    "summary": 0.3,  # breaks near-ties
    "overview": 2.0,  # the query asks for an overview
}


@cache
def weights() -> dict[str, float]:
    """All weights by signal."""
    fitted: dict[str, float] = json.loads(WEIGHTS_FILE.read_text(encoding="ascii"))
    return {**fitted, **FIXED_WEIGHTS}
