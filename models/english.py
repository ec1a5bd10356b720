"""English vectors: the teacher's view of each word alone, averaged with what its sentences teach in context."""

from __future__ import annotations

import unicodedata

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from tokenizers import Tokenizer

from models.static import Matrix, fit, rarity, unit
from models.tokenizer import bags, token_ids
from models.vocabulary import Kind, Vocabulary

EPOCHS, RATE = 6, 5e-3
CONTEXT = 0.5  # share of the vectors fitted to sentences; the rest is the teacher's view of the word alone
PIECE = 0.5  # weight of a piece, beside a whole rare word at 1
NUMBER = 2.0  # numbers tell memories apart more often than their neighbours in the text do
NUMBER_IDENTITY = 0.8  # share of a number's own direction; the teacher's view makes 12 and 13 nearly one
NUMERAL_IDENTITY = 0.5  # of that direction, what the number's word in English and Japanese gets
EMOJI = 0.5
FALLBACK = {Kind.CHARACTER: 0.5, Kind.KANA: 0.3, Kind.BYTE: 0.1, Kind.PUNCTUATION: 0.03}

NUMERALS = {
    "0": "zero 零 〇", "1": "one 一", "2": "two 二", "3": "three 三", "4": "four 四", "5": "five 五", "6": "six 六",
    "7": "seven 七", "8": "eight 八", "9": "nine 九", "10": "ten 十", "11": "eleven", "12": "twelve", "13": "thirteen",
    "14": "fourteen", "15": "fifteen", "16": "sixteen", "17": "seventeen", "18": "eighteen", "19": "nineteen",
    "20": "twenty", "30": "thirty", "40": "forty", "50": "fifty", "60": "sixty", "70": "seventy", "80": "eighty",
    "90": "ninety", "100": "hundred 百",
}  # fmt: skip


def spoken_alone(vocabulary: Vocabulary) -> list[str]:
    """Return the tokens whose vectors start from the teacher's view of the token as a text of its own."""
    return [vocabulary.tokens[token] for token in vocabulary.of(Kind.ENGLISH, Kind.PIECE, Kind.NUMBER)]


def own_directions(count: int, dimensions: int) -> Matrix:
    """Return a random unit vector per token, always the same: what tells tokens apart that nothing else does."""
    return unit(np.random.default_rng(0).normal(size=(count, dimensions)).astype(np.float32))


def alone(vocabulary: Vocabulary, teacher_views: Matrix, directions: Matrix) -> Matrix:
    """Return first vectors of every token but the Japanese ones (left at zero), weighted by rarity."""
    vectors = np.zeros_like(directions)
    english = vocabulary.of(Kind.ENGLISH, Kind.PIECE, Kind.NUMBER)
    vectors[english] = unit(teacher_views)
    vectors[vocabulary.of(Kind.PIECE)] *= PIECE
    numbers = vocabulary.of(Kind.NUMBER)
    shared = np.sqrt(1 - NUMBER_IDENTITY**2)
    vectors[numbers] = unit(shared * vectors[numbers] + NUMBER_IDENTITY * directions[numbers])
    for kind, weight in FALLBACK.items():
        vectors[vocabulary.of(kind)] = weight * directions[vocabulary.of(kind)]
    return vectors * rarity(vocabulary.frequencies)[:, None]


def in_context(
    vectors: Matrix, vocabulary: Vocabulary, texts: scipy.sparse.csr_matrix, teacher_vectors: Matrix
) -> Matrix:
    """Return the vectors after fitting texts to the teacher's vectors of them, averaged with what they were."""
    trained = vocabulary.of(Kind.ENGLISH, Kind.PIECE, Kind.NUMBER, Kind.PUNCTUATION)
    fitted = fit(vectors, texts, teacher_vectors, trained, epochs=EPOCHS, rate=RATE)
    words = vocabulary.of(Kind.ENGLISH)
    blend = CONTEXT * fitted / _mean_length(fitted[words]) + (1 - CONTEXT) * vectors / _mean_length(vectors[words])
    return np.asarray(blend, dtype=np.float32)


def numbers_and_emoji(vectors: Matrix, vocabulary: Vocabulary, tokenizer: Tokenizer, directions: Matrix) -> Matrix:
    """Return the vectors with numbers set apart and emoji at the meaning of their Unicode names."""
    vectors = vectors.copy()
    vectors[vocabulary.of(Kind.NUMBER)] *= NUMBER
    place = {token: index for index, token in enumerate(vocabulary.tokens)}
    emoji = vocabulary.of(Kind.EMOJI)
    names = [unicodedata.name(vocabulary.tokens[token]).lower() for token in emoji]
    meant = unit(np.asarray(bags(token_ids(tokenizer, names), len(vocabulary)) @ vectors))
    vectors[emoji] = EMOJI * unit(meant + 0.3 * directions[emoji])
    for digits, words in NUMERALS.items():
        for word in words.split():
            set_apart(vectors, place[word], directions[place[digits]])
    return vectors


def set_apart(vectors: Matrix, token: int, direction: NDArray[np.float32]) -> None:
    """Turn a numeral towards the own direction of its number."""
    length = float(np.linalg.norm(vectors[token]))
    vectors[token] = length * unit(unit(vectors[token]) + NUMERAL_IDENTITY * direction)


def _mean_length(vectors: Matrix) -> float:
    return float(np.linalg.norm(vectors, axis=1).mean())
