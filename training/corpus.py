"""The training text: English sentences, with their Japanese translations if there are any."""

from __future__ import annotations

import hashlib
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

SHORTEST, LONGEST = 12, 260  # characters; fragments teach nothing, and the teacher reads 64 tokens
HELD_OUT = 3000  # translated sentences kept from training, to choose the settings of the build on


@dataclass(frozen=True)
class Corpus:
    """English sentences with their Japanese translations; the last `held_out` of them are never trained on."""

    english: list[str]
    japanese: list[str | None]
    held_out: int

    @property
    def training(self) -> slice:
        """The sentences to train on."""
        return slice(0, len(self.english) - self.held_out)

    @property
    def validation(self) -> slice:
        """The sentences to measure on; all of them have a translation."""
        return slice(len(self.english) - self.held_out, len(self.english))


def read(english_folder: Path, japanese_folder: Path) -> Corpus:
    """Read both packages; a translation names its English original by the MD5 of its text."""
    translations: dict[str, str] = {}
    for file in sorted(japanese_folder.glob("doc-*.json")):
        for japanese, digest in json.loads(file.read_text(encoding="utf-8")):
            translations[digest] = _tidy(japanese)
    pairs: dict[str, str | None] = {}
    for file in sorted(english_folder.glob("doc-*.json")):
        for original in json.loads(file.read_text(encoding="utf-8")):
            english = _tidy(original)
            if SHORTEST <= len(english) <= LONGEST and not pairs.get(english):
                pairs[english] = translations.get(hashlib.md5(original.encode()).hexdigest())
    english_sentences = sorted(pairs)
    random.Random(0).shuffle(english_sentences)
    untranslated = [text for text in english_sentences if not pairs[text]]
    translated = [text for text in english_sentences if pairs[text]]
    ordered = untranslated + translated
    return Corpus(ordered, [pairs[text] for text in ordered], HELD_OUT)


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
