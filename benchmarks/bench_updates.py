"""Facts that change in other words (SPEC D-10): whether the old one is named, and comes after the new one in recall.

The pairs are saved as an agent would, each beside all the others of its language. There are no fitted weights. The one
level that was chosen on these pairs, WORTH_TELLING, is also chosen without five pairs at a time and tested on those
five.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.harness import DATA, Figure, Setting, Target
from vault_mem import Vault
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.replaces import may_replace

NEEDS = ("updates-dev.json", "locomo-dev.json")
LEVELS = [round(0.25 + 0.05 * step, 2) for step in range(9)]
MOST_WRONG = 0.08
LEFT_OUT = 5

Pair = dict[str, str]


def run(setting: Setting) -> Iterator[Figure]:
    """How many old facts are named, wrongly named and put after the new one, by language; how many turns name one."""
    pairs: list[Pair] = json.loads((DATA / "updates-dev.json").read_text(encoding="utf-8"))
    for lang in ("en", "ja"):
        chosen = [pair for pair in pairs if pair["lang"] == lang]
        named, wrong, behind = _saved(setting.folder / lang, chosen)
        yield Figure(f"updates {lang}: old one named", named, target=Target("≥", 0.70))
        yield Figure(f"updates {lang}: named by another fact", wrong, target=Target("≤", MOST_WRONG))
        yield Figure(f"updates {lang}: new before old in recall", behind, target=Target("≥", 0.85))
        named, wrong = _left_out(chosen)
        yield Figure(f"updates {lang}: named, level chosen without five", named, target=Target("≥", 0.70))
        yield Figure(f"updates {lang}: the same by another fact", wrong, target=Target("≤", MOST_WRONG))
    conversations = json.loads((DATA / "locomo-dev.json").read_text(encoding="utf-8"))
    said = turns = 0
    for conversation in conversations[: 1 if setting.quick else None]:
        said += _conversation(setting.folder / conversation["name"], conversation["memories"])
        turns += len(conversation["memories"])
        setting.progress(f"{conversation['name']}: {said} of {turns} saves name a state")
    yield Figure("conversations: saves that name a state", said / turns, target=Target("≤", 0.01))


class _Clock:
    """Goes on by a minute whenever it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


def _vault(folder: Path, clock: Any) -> Vault:
    Vault.init(folder, timezone="UTC")
    return Vault(folder, clock=clock)


def _saved(folder: Path, pairs: list[Pair]) -> tuple[float, float, float]:
    """The shares of pairs whose old fact is named by the new one, named by another fact, and comes later in recall."""
    vault = _vault(folder, _Clock())
    old = [vault.remember(pair["old"], kind="fact").memory for pair in pairs]
    wrong = sum(_names(vault, pair["also"], memory.id)[0] for pair, memory in zip(pairs, old, strict=True) if memory)
    named = behind = 0
    new: list[str] = []
    for pair, memory in zip(pairs, old, strict=True):
        found, id_ = _names(vault, pair["new"], memory.id if memory else "")
        named += found
        new.append(id_)
    for pair, memory, id_ in zip(pairs, old, new, strict=True):
        order = [found.memory.id for found in vault.recall(pair["question"], 10).results]
        if memory and id_ in order:
            behind += memory.id not in order or order.index(id_) < order.index(memory.id)
    count = len(pairs)
    return named / count, wrong / count, behind / count


def _names(vault: Vault, text: str, id_: str) -> tuple[bool, str]:
    result = vault.remember(text, kind="fact")
    return id_ in [found.memory.id for found in result.may_replace], result.memory.id if result.memory else ""


def _left_out(pairs: list[Pair]) -> tuple[float, float]:
    """Named and wrongly named, with a level chosen on the other pairs: the one that names most with few wrong."""
    tokens = TokenVectors()
    scores = [tuple(may_replace(pair["old"], pair[key], tokens) for key in ("new", "also")) for pair in pairs]
    named = wrong = 0
    for start in range(0, len(scores), LEFT_OUT):
        rest = scores[:start] + scores[start + LEFT_OUT :]
        allowed = [level for level in LEVELS if sum(also >= level for _, also in rest) <= MOST_WRONG * len(rest)]
        level = max(allowed, key=lambda each: (sum(new >= each for new, _ in rest), each))
        named += sum(new >= level for new, _ in scores[start : start + LEFT_OUT])
        wrong += sum(also >= level for _, also in scores[start : start + LEFT_OUT])
    return named / len(scores), wrong / len(scores)


def _conversation(folder: Path, turns: list[dict[str, Any]]) -> int:
    """How many turns of a conversation, each saved as a fact at its time, are said to replace an earlier one."""
    moment = datetime.fromisoformat(turns[0]["created"])
    vault = _vault(folder, lambda: moment)
    said = 0
    for turn in turns:
        moment = datetime.fromisoformat(turn["created"])
        said += bool(vault.remember(turn["text"], kind="fact", people=[turn["speaker"]]).may_replace)
    return said
