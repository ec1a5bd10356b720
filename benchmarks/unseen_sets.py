"""Conversations and encyclopedia paragraphs that no weight was fitted to, with questions in both languages.

They were written for this benchmark (benchmarks/data): people who talk over months, and questions in other words than
the answers. One half of them, *dev*, may be looked at while recall is being improved; the other, *held-out*, is only
measured. All conversations of a language form one vault. For questions in the other language, those of both
languages form one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from vault_mem.operations.vaults.evaluate import Sample, read_data

DATA = Path(__file__).parent / "data"
HALVES = ("dev", "held-out")
OTHER = {"en": "ja", "ja": "en"}
LANGUAGES = {"en": "English", "ja": "Japanese"}


class Unseen(NamedTuple):
    """One set: its name, its half, the entry to evaluate, and whether its memories follow each other in time."""

    name: str
    half: str
    entry: Sample
    conversation: bool = True


def unseen() -> Iterator[Unseen]:
    """Every set in both halves."""
    talks = {language: read_data(DATA / f"conversations-{language}.json") for language in LANGUAGES}
    every = [talk for each in talks.values() for talk in each]
    paragraphs = read_data(DATA / "encyclopedia-ja.json")
    for half in HALVES:
        for language, name in LANGUAGES.items():
            asked = [talk for talk in talks[language] if talk["half"] == half]
            yield Unseen(f"{name} conversations", half, _joined(talks[language], asked, "questions"))
            yield Unseen(f"{name} conversations, keywords", half, _joined(talks[language], asked, "keywords"))
        for language, name in LANGUAGES.items():
            other = OTHER[language]
            asked = [talk for talk in talks[language] if talk["half"] == half]
            yield Unseen(
                f"{LANGUAGES[other]} questions, {name} conversations", half, _joined(every, asked, f"asked_in_{other}")
            )
        asked = [each for each in paragraphs if each["half"] == half]
        for kind in ("questions", "keywords"):
            yield Unseen(f"Japanese encyclopedia, {kind}", half, _joined(paragraphs, asked, kind), conversation=False)


def _joined(entries: list[Sample], asked: list[Sample], kind: str) -> Sample:
    """One vault of all entries, with the questions of those that are asked about."""
    return {
        "name": "unseen",
        "memories": [turn | {"key": _key(entry, turn["key"])} for entry in entries for turn in entry["memories"]],
        "questions": [_asked(entry, question) for entry in asked for question in entry[kind]],
    }


def _asked(entry: Sample, question: dict[str, Any]) -> dict[str, Any]:
    return question | {"evidence": [_key(entry, key) for key in question["evidence"]]}


def _key(entry: Sample, key: str) -> str:
    return f"{entry['name']} {key}"
