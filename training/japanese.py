"""Japanese vectors: first from English glosses in the dictionary, then fitted to translated sentences."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training import chive
from training.dictionary import Dictionary, Meaning
from training.static import Matrix, rarity, taught, unit
from training.tokenizer import bags, token_ids
from training.vocabulary import Kind, Vocabulary

# Share of chiVe, which knows how words are used; the rest is the dictionary, which knows what they mean.
USAGE_SHARE = 0.2
IDENTITY_SHARE = 0.2  # share of a token's own direction, so that words with the same gloss stay apart
KANJI_IDENTITY = 0.5  # a single kanji's meanings are vague
KANJI_WEIGHT = 0.8
RIDGE = 1.0
CONTEXT_SHARE = 0.7  # share of the vectors fitted to translated sentences and compounds
COMPOUNDS, LONGEST_COMPOUND = 40_000, 16  # entries of several tokens to learn from, and their characters at most


@dataclass(frozen=True)
class Meanings:
    """What is known of the Japanese tokens."""

    meanings: dict[str, Meaning]
    kanji: dict[str, str]
    usage: dict[str, Matrix]

    @property
    def glosses(self) -> list[str]:
        """Every English gloss in use."""
        texts = {gloss for meaning in self.meanings.values() for _, gloss in meaning.glosses}
        return sorted(texts | set(self.kanji.values()))


def look_up(dictionary: Dictionary, vocabulary: Vocabulary, english: dict[str, float], chive_folder: Path) -> Meanings:
    """Return what the dictionary and chiVe know of the Japanese tokens; inflected forms use their lemma's vector."""
    words = [vocabulary.tokens[token] for token in vocabulary.of(Kind.JAPANESE)]
    found = {word: dictionary.meaning(word, english) for word in words}
    meanings = {word: meaning for word, meaning in found.items() if meaning}
    lemmas = {word: meaning.lemma for word, meaning in meanings.items() if meaning.lemma}
    usage = chive.read(chive_folder, sorted({*words, *lemmas.values()}))
    usage |= {word: usage[lemma] for word, lemma in lemmas.items() if word not in usage and lemma in usage}
    kanji = {vocabulary.tokens[token] for token in vocabulary.of(Kind.KANJI)}
    return Meanings(meanings, {sign: gloss for sign, gloss in dictionary.kanji.items() if sign in kanji}, usage)


def from_dictionary(
    vectors: Matrix, vocabulary: Vocabulary, tokenizer: Tokenizer, lexicon: Meanings, directions: Matrix
) -> Matrix:
    """Return the vectors, with Japanese words and kanji filled in from glosses and chiVe."""
    vectors = vectors.copy()
    english = vocabulary.of(Kind.ENGLISH)
    lengths = np.linalg.norm(vectors[english], axis=1)
    typical = float(np.median(lengths[3000:15000]))

    glosses = lexicon.glosses
    glossed = unit(np.asarray(bags(token_ids(tokenizer, glosses), len(vocabulary)) @ vectors))
    row = {gloss: index for index, gloss in enumerate(glosses)}
    meant = {
        word: unit(np.sum([weight * glossed[row[gloss]] for weight, gloss in meaning.glosses], axis=0))
        for word, meaning in lexicon.meanings.items()
    }
    mapped, average = _mapped_usage(vocabulary, lexicon, meant)

    for token in vocabulary.of(Kind.JAPANESE):
        word = vocabulary.tokens[token]
        parts = [(1 - USAGE_SHARE, unit(meant[word] - average))] if word in meant else []
        if word in mapped:
            parts.append((USAGE_SHARE, mapped[word]))
        if parts:
            direction = (
                unit(np.sum([weight * part for weight, part in parts], axis=0)) + IDENTITY_SHARE * directions[token]
            )
        else:
            direction = directions[token]
        vectors[token] = typical * unit(direction)
    vectors[vocabulary.of(Kind.JAPANESE)] *= rarity(vocabulary.frequencies[vocabulary.of(Kind.JAPANESE)])[:, None]
    for token in vocabulary.of(Kind.KANJI):
        direction = unit(glossed[row[lexicon.kanji[vocabulary.tokens[token]]]] - average)
        vectors[token] = KANJI_WEIGHT * typical * unit(direction + KANJI_IDENTITY * directions[token])
    return vectors


def _mapped_usage(
    vocabulary: Vocabulary, lexicon: Meanings, meant: dict[str, Matrix]
) -> tuple[dict[str, Matrix], NDArray[np.float32]]:
    """Map chiVe into the English space by ridge regression on the words both it and the dictionary know."""
    known = [word for word in meant if word in lexicon.usage]
    frequency = dict(zip(vocabulary.tokens, vocabulary.frequencies, strict=True))
    weight = np.sqrt(np.array([frequency[word] for word in known]))
    weight = np.clip(weight / weight.mean(), 0.3, 3)[:, None]
    usage = np.stack([lexicon.usage[word] for word in known])
    meaning = np.stack([meant[word] for word in known])
    usage_average, average = usage.mean(axis=0), meaning.mean(axis=0)
    centred = usage - usage_average
    gram = centred.T @ (centred * weight) + RIDGE * np.eye(centred.shape[1])
    mapping = np.linalg.solve(gram, centred.T @ ((meaning - average) * weight)).astype(np.float32)
    return {word: unit((vector - usage_average) @ mapping) for word, vector in lexicon.usage.items()}, average


def compounds(dictionary: Dictionary, tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """Return dictionary entries of several tokens with their glosses: short texts of known meaning."""
    phrases = dictionary.phrases(LONGEST_COMPOUND)
    lengths = [len(ids) for ids in token_ids(tokenizer, [phrase for phrase, _ in phrases])]
    several = [phrase for phrase, length in zip(phrases, lengths, strict=True) if 2 <= length <= LONGEST_COMPOUND / 2]
    random.Random(0).shuffle(several)
    return several[:COMPOUNDS]


def in_context(vectors: Matrix, vocabulary: Vocabulary, texts: scipy.sparse.csr_matrix, meanings: Matrix) -> Matrix:
    """Return the vectors averaged with those that fit Japanese texts to their meanings."""
    return taught(vectors, texts, meanings, vocabulary.of(Kind.JAPANESE, Kind.KANJI, Kind.KANA), CONTEXT_SHARE)
