"""Japanese vectors: what the dictionary says in English, then what translated sentences teach in context."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from tokenizers import Tokenizer

from models.dictionary import Meaning
from models.static import Matrix, fit, rarity, unit
from models.tokenizer import bags, token_ids
from models.vocabulary import Kind, Vocabulary

USAGE = 0.2  # share of chiVe, which knows how words are used, beside the dictionary, which knows what they mean
IDENTITY = 0.2  # a token's own direction, so that words of one gloss stay apart
KANJI_IDENTITY = 0.5  # a single kanji's meanings are vague
KANJI_WEIGHT = 0.8
COMMON = 0.75  # how much of the mean English direction Japanese words get, so that both languages share a middle
RIDGE = 1.0
EPOCHS, RATE = 6, 5e-3
CONTEXT = 0.5  # share of the vectors fitted to translated sentences


@dataclass(frozen=True)
class Lexicon:
    """What is known of the Japanese tokens."""

    meanings: dict[str, Meaning]
    kanji: dict[str, str]
    usage: dict[str, Matrix]

    @property
    def glosses(self) -> list[str]:
        """Every English gloss in use."""
        texts = {gloss for meaning in self.meanings.values() for _, gloss in meaning.glosses}
        return sorted(texts | set(self.kanji.values()))


def from_dictionary(
    vectors: Matrix, vocabulary: Vocabulary, tokenizer: Tokenizer, lexicon: Lexicon, directions: Matrix
) -> Matrix:
    """Return the vectors with those of Japanese words and kanji filled in from glosses and chiVe."""
    vectors = vectors.copy()
    english = vocabulary.of(Kind.ENGLISH)
    lengths = np.linalg.norm(vectors[english], axis=1)
    typical = float(np.median(lengths[3000:15000]))
    middle = COMMON * np.average(
        unit(vectors[english]), axis=0, weights=lengths * np.sqrt(vocabulary.frequencies[english])
    )
    rest = np.sqrt(1 - float(middle @ middle))

    glosses = lexicon.glosses
    glossed = unit(np.asarray(bags(token_ids(tokenizer, glosses), len(vocabulary)) @ vectors))
    row = {gloss: index for index, gloss in enumerate(glosses)}
    meant = {
        word: unit(sum((weight * glossed[row[gloss]] for weight, gloss in meaning.glosses), np.zeros(1, np.float32)))
        for word, meaning in lexicon.meanings.items()
    }
    mapped, average = _mapped_usage(vocabulary, lexicon, meant)

    for token in vocabulary.of(Kind.JAPANESE):
        word = vocabulary.tokens[token]
        parts = [(1 - USAGE, unit(meant[word] - average))] if word in meant else []
        if word in mapped:
            parts.append((USAGE, mapped[word]))
        if parts:
            direction = unit(sum(weight * part for weight, part in parts)) + IDENTITY * directions[token]
        else:
            direction = directions[token]
        vectors[token] = typical * unit(middle + rest * unit(direction))
    vectors[vocabulary.of(Kind.JAPANESE)] *= rarity(vocabulary.frequencies[vocabulary.of(Kind.JAPANESE)])[:, None]
    for token in vocabulary.of(Kind.KANJI):
        direction = unit(glossed[row[lexicon.kanji[vocabulary.tokens[token]]]] - average)
        direction = unit(direction + KANJI_IDENTITY * directions[token])
        vectors[token] = KANJI_WEIGHT * typical * unit(middle + rest * direction)
    return vectors


def _mapped_usage(
    vocabulary: Vocabulary, lexicon: Lexicon, meant: dict[str, Matrix]
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


def in_context(
    vectors: Matrix, vocabulary: Vocabulary, texts: scipy.sparse.csr_matrix, targets: Matrix
) -> Matrix:
    """Return the vectors after fitting Japanese texts to the vectors of what they mean, averaged with what they were."""
    trained = vocabulary.of(Kind.JAPANESE, Kind.KANJI, Kind.KANA)
    fitted = fit(vectors, texts, targets, trained, epochs=EPOCHS, rate=RATE)
    return np.asarray(CONTEXT * fitted + (1 - CONTEXT) * vectors, dtype=np.float32)
