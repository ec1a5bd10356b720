"""Build the embedded model from start to finish: python -m training.build --work build/model --out FOLDER."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy and torch: one thread always adds in the same order
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
from scipy.sparse import vstack

from training import compress, corpus, english, held_out, japanese, languages, sources, tokenizer, vocabulary
from training.dictionary import Dictionary
from training.static import unit
from training.teacher import Teacher

ENGLISH_WORDS, JAPANESE_WORDS, DIMENSIONS = 28_000, 32_000, 192
CARD = Path(__file__).with_name("card")  # the model card and the notice that go with the files


def build(work: Path, out: Path) -> None:
    """Make the model in `out`; `work` keeps downloads and the teacher's vectors."""
    found = sources.locate(work)
    teacher = Teacher(found.teacher, work / "teacher")

    _say("vocabulary")
    english_words = vocabulary.english_words(ENGLISH_WORDS)
    japanese_words = vocabulary.japanese_words(JAPANESE_WORDS)
    dictionary = Dictionary(found.dictionary, vocabulary.japanese_words(1_000_000))
    pieces = vocabulary.english_pieces(found.teacher)
    tokens = vocabulary.build(english_words, pieces, japanese_words, dictionary.kanji)
    splitter = tokenizer.make(tokens)

    _say(f"teacher's vectors for {len(tokens)} tokens")
    text = corpus.read(found.english_text, found.japanese_text)
    views = teacher.encode(english.read_alone(tokens))
    targets = teacher.encode(text.english)
    english_bags = tokenizer.bags(tokenizer.token_ids(splitter, text.english), len(tokens))
    japanese_bags = tokenizer.bags(tokenizer.token_ids(splitter, [line or "" for line in text.japanese]), len(tokens))

    _say("English")
    directions = english.own_directions(len(tokens), targets.shape[1])
    vectors = english.alone(tokens, views, directions)
    vectors = english.in_context(vectors, tokens, english_bags[text.training], targets[text.training], directions)

    _say("Japanese")
    lexicon = japanese.look_up(dictionary, tokens, english_words, found.chive)
    vectors = japanese.from_dictionary(vectors, tokens, splitter, lexicon, directions)
    compounds, glosses = zip(*japanese.compounds(dictionary, splitter), strict=True)
    texts = vstack(
        [japanese_bags[text.training], tokenizer.bags(tokenizer.token_ids(splitter, compounds), len(tokens))]
    )
    glossed = unit(tokenizer.bags(tokenizer.token_ids(splitter, glosses), len(tokens)) @ vectors)
    meanings = unit(targets + unit(english_bags @ vectors))[text.training]
    vectors = japanese.in_context(vectors, tokens, texts.tocsr(), np.concatenate([meanings, glossed]))

    _say("numerals, emoji, compression")
    vectors = english.finish(vectors, tokens, splitter, directions)
    sample = [np.asarray(bags[text.training] @ vectors) for bags in (english_bags, japanese_bags)]
    reduced = compress.reduce(vectors, [matrix[np.abs(matrix).sum(axis=1) > 0] for matrix in sample], DIMENSIONS)
    small = compress.quantise(reduced)
    held_out.report(small.astype(np.float32), english_bags, japanese_bags, targets, text.validation)

    compress.save(small, splitter, out)
    for file in CARD.iterdir():
        shutil.copyfile(file, out / file.name)
    _say("words of other languages")
    languages.write(found, out / "languages")
    _say(f"done: {out}, {sum(file.stat().st_size for file in out.rglob('*')) / 1e6:.1f} MB")


_STARTED = time.time()


def _say(what: str) -> None:
    print(f"[{time.time() - _STARTED:4.0f} s] {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the embedded model.")
    parser.add_argument("--work", type=Path, default=Path("build/model"))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    build(options.work, options.out)
