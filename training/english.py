"""English vectors: the teacher's view of each word alone, averaged with what its sentences teach in context."""

from __future__ import annotations

import unicodedata
from collections import defaultdict

import numpy as np
import scipy.sparse
from tokenizers import Tokenizer

from training.inflections import bases
from training.static import Matrix, rarity, taught, unit
from training.tokenizer import bags, token_ids
from training.vocabulary import Kind, Vocabulary

CONTEXT_SHARE = 0.6  # share of the vectors fitted to sentences; the rest are the teacher's vectors of single words
# How far forms of one word are turned to their mean: to the teacher, like and liked are far apart.
INFLECTION_SHARE = 0.4
SAME_WORD_COSINE = 0.4  # from this cosine on, a word that looks like a form of another counts as one
PIECE_WEIGHT = 0.5  # weight of a piece; a rare whole word has 1
NUMBER_WEIGHT = 2.0  # numbers tell memories apart more often than the words around them do
NUMBER_IDENTITY = 0.8  # share of a number's own direction; to the teacher, 12 and 13 are nearly the same
NUMERAL_IDENTITY = 0.7  # how far number words are turned towards that direction
EMOJI, EMOJI_IDENTITY = 0.5, 0.3
FALLBACK_WEIGHTS = {Kind.CHARACTER: 0.5, Kind.KANA: 0.3, Kind.BYTE: 0.1, Kind.PUNCTUATION: 0.03}

NEGATION_WEIGHT = 3.0  # "not" is too frequent to weigh much, but it reverses what a memory says
NEGATIONS = (
    "not no never none nobody nothing neither nor without cannot "
    "ない なかっ なく なけれ ません ず ぬ 無い 無く 無し なし"
)
NUMERALS = {
    "0": "zero 零 〇", "1": "one 一", "2": "two 二", "3": "three 三", "4": "four 四", "5": "five 五", "6": "six 六",
    "7": "seven 七", "8": "eight 八", "9": "nine 九", "10": "ten 十", "11": "eleven", "12": "twelve", "13": "thirteen",
    "14": "fourteen", "15": "fifteen", "16": "sixteen", "17": "seventeen", "18": "eighteen", "19": "nineteen",
    "20": "twenty", "30": "thirty", "40": "forty", "50": "fifty", "60": "sixty", "70": "seventy", "80": "eighty",
    "90": "ninety", "100": "hundred 百",
}  # fmt: skip


def own_directions(count: int, dimensions: int) -> Matrix:
    """Return a random unit vector per token, the same in every build, to tell apart tokens that are otherwise alike."""
    return unit(np.random.default_rng(0).normal(size=(count, dimensions)).astype(np.float32))


def read_alone(vocabulary: Vocabulary) -> list[str]:
    """Return the tokens that the teacher embeds by themselves."""
    return [vocabulary.tokens[token] for token in vocabulary.of(Kind.ENGLISH, Kind.PIECE, Kind.NUMBER)]


def alone(vocabulary: Vocabulary, views: Matrix, directions: Matrix) -> Matrix:
    """Return first vectors of every token but the Japanese ones, from the teacher's `views` of `read_alone`.

    The views share a large mean, which would make any two texts alike; it is taken out.
    """
    vectors = np.zeros_like(directions)
    read = vocabulary.of(Kind.ENGLISH, Kind.PIECE, Kind.NUMBER)
    mean = views[np.isin(read, vocabulary.of(Kind.ENGLISH))].mean(axis=0)
    vectors[read] = unit(unit(views) - mean)
    vectors[vocabulary.of(Kind.PIECE)] *= PIECE_WEIGHT
    numbers = vocabulary.of(Kind.NUMBER)
    vectors[numbers] = _set_apart(vectors[numbers], directions[numbers])
    for kind, weight in FALLBACK_WEIGHTS.items():
        vectors[vocabulary.of(kind)] = weight * directions[vocabulary.of(kind)]
    return vectors * rarity(vocabulary.frequencies)[:, None]


def in_context(
    vectors: Matrix,
    vocabulary: Vocabulary,
    sentences: scipy.sparse.csr_matrix,
    teacher_vectors: Matrix,
    directions: Matrix,
) -> Matrix:
    """Return the vectors averaged with those that fit whole sentences to the teacher's vectors."""
    trained = vocabulary.of(Kind.ENGLISH, Kind.PIECE, Kind.NUMBER, Kind.PUNCTUATION)
    together = taught(vectors, sentences, teacher_vectors, trained, CONTEXT_SHARE)
    _gather_forms(together, vocabulary)
    numbers = vocabulary.of(Kind.NUMBER)
    together[numbers] = NUMBER_WEIGHT * _set_apart(together[numbers], directions[numbers])
    return together


def _gather_forms(vectors: Matrix, vocabulary: Vocabulary) -> None:
    """Turn like, likes and liked towards each other, in place."""
    place = {vocabulary.tokens[token]: token for token in vocabulary.of(Kind.ENGLISH)}
    directions = unit(vectors)
    forms: dict[int, list[int]] = defaultdict(list)
    for word, token in place.items():
        known = [place[base] for base in bases(word) if base in place]
        nearest = max(known, key=lambda base: float(directions[base] @ directions[token]), default=token)
        if nearest != token and directions[nearest] @ directions[token] >= SAME_WORD_COSINE:
            forms[nearest].append(token)
    for base, inflected in forms.items():
        group = [base, *inflected]
        middle = unit(directions[group].mean(axis=0))
        lengths = np.linalg.norm(vectors[group], axis=1, keepdims=True)
        vectors[group] = lengths * unit((1 - INFLECTION_SHARE) * directions[group] + INFLECTION_SHARE * middle)


def _set_apart(numbers: Matrix, directions: Matrix) -> Matrix:
    """Return the numbers turned towards their own directions, since sentences make them all alike."""
    lengths = np.linalg.norm(numbers, axis=1, keepdims=True)
    shared = np.sqrt(1 - NUMBER_IDENTITY**2)
    return np.asarray(lengths * unit(shared * unit(numbers) + NUMBER_IDENTITY * directions), dtype=np.float32)


def finish(vectors: Matrix, vocabulary: Vocabulary, tokenizer: Tokenizer, directions: Matrix) -> Matrix:
    """Return the vectors with negations heavier, emoji at the meaning of their names, and 3, three and 三 closer."""
    vectors = vectors.copy()
    emoji = vocabulary.of(Kind.EMOJI)
    names = [unicodedata.name(vocabulary.tokens[token]).lower() for token in emoji]
    meant = unit(np.asarray(bags(token_ids(tokenizer, names), len(vocabulary)) @ vectors))
    vectors[emoji] = EMOJI * unit(meant + EMOJI_IDENTITY * directions[emoji])
    place = {token: index for index, token in enumerate(vocabulary.tokens)}
    for digits, words in NUMERALS.items():
        for token in (place[word] for word in words.split()):
            length = np.linalg.norm(vectors[token])
            vectors[token] = length * unit(unit(vectors[token]) + NUMERAL_IDENTITY * directions[place[digits]])
    vectors[[place[word] for word in NEGATIONS.split()]] *= NEGATION_WEIGHT
    return vectors
