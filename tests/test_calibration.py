"""What a similarity means: the same with every model. 0.70 is related, 0.90 nearly the same, 0.95 near-identical."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers import memory
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel
from tokenizers import Regex, Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Sequence, Split, Whitespace

from vault_mem import Vault
from vault_mem.embedding.calibration import (
    NEAR_IDENTICAL,
    NEARLY_SAME,
    PAIRS,
    RELATED,
    Calibration,
    built_in,
    measure,
    size_of,
)
from vault_mem.embedding.embedder import Embedder

SHIPPED = json.loads(PAIRS.read_text(encoding="utf-8"))
LANGUAGES = sorted(SHIPPED)
# What deserves a level must mostly reach it; the calibration lets one in five fall below.
MOSTLY = 0.75
# Words of English, single signs of Japanese.
CUT = Sequence([Split(Regex(r"[^\x00-\x7f]"), "isolated"), Whitespace()])


@pytest.fixture(scope="module")
def model() -> Embedder:
    return Embedder()


@pytest.fixture(scope="module")
def calibration(model: Embedder) -> Calibration:
    return measure(model)


@pytest.fixture(scope="module")
def other_model(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """Another model2vec model: a random vector for every word and kanji of the pairs, all leaning one way a little."""
    return Embedder(str(_model(tmp_path_factory.mktemp("other") / "model", _vocabulary(), lean=0.5, seed=1)))


def _vocabulary() -> list[str]:
    texts = [text for pairs in SHIPPED.values() for text in _texts(pairs)]
    return sorted({word for text in texts for word, _ in CUT.pre_tokenize_str(text)})


def _texts(pairs: dict[str, list]) -> list[str]:
    paired = [text for level in ("near_identical", "nearly_same", "related") for pair in pairs[level] for text in pair]
    return [*paired, *pairs["unrelated"]]


def _model(folder: Path, words: list[str], lean: float, seed: int) -> Path:
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0} | {word: n for n, word in enumerate(words, start=1)}, "[UNK]"))
    tokenizer.pre_tokenizer = CUT
    vectors = np.random.default_rng(seed).normal(size=(len(words) + 1, 32)).astype(np.float32)
    vectors[:, 0] += lean
    StaticModel(vectors, tokenizer).save_pretrained(folder)
    return folder


def unrelated(embedder: Embedder, language: str) -> np.ndarray:
    """The cosines of all pairs of texts that have nothing to do with each other."""
    vectors = embedder.encode(SHIPPED[language]["unrelated"])
    return (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]


def cosines(embedder: Embedder, language: str, level: str) -> np.ndarray:
    left, right = zip(*SHIPPED[language][level], strict=True)
    return np.sum(embedder.encode(left) * embedder.encode(right), axis=1)


def similarities(calibration: Calibration, cosines: np.ndarray) -> np.ndarray:
    return np.array([calibration.similarity(each) for each in cosines.tolist()])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pairs_are_enough(language: str) -> None:
    # D-8: pairs we wrote and ship
    pairs = SHIPPED[language]
    assert len(pairs["unrelated"]) >= 200
    assert all(len(pairs[level]) >= 60 for level in ("near_identical", "nearly_same", "related"))
    assert len(set(pairs["unrelated"])) == len(pairs["unrelated"])
    assert all(a != b for level in ("near_identical", "nearly_same", "related") for a, b in pairs[level])


@pytest.mark.parametrize("language", LANGUAGES)
def test_unrelated_pairs_stay_below_related(model: Embedder, calibration: Calibration, language: str) -> None:
    # D-8: at most 1 % of them reach 0.70; the quantile lies between two of them, hence the odd one more
    reached = np.count_nonzero(similarities(calibration, unrelated(model, language)) >= RELATED)
    assert reached <= 0.01 * len(unrelated(model, language)) + 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_level_is_mostly_reached(model: Embedder, calibration: Calibration, language: str) -> None:
    # D-8
    for level, least in (("near_identical", NEAR_IDENTICAL), ("nearly_same", NEARLY_SAME)):
        found = similarities(calibration, cosines(model, language, level))
        assert np.mean(found >= least) >= MOSTLY, level


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_levels_are_in_order(model: Embedder, calibration: Calibration, language: str) -> None:
    # D-8: what is only related seldom passes for nearly the same
    middles = [
        float(np.median(similarities(calibration, cosines(model, language, level))))
        for level in ("related", "nearly_same", "near_identical")
    ]
    far = float(np.median(similarities(calibration, unrelated(model, language))))
    assert far < middles[0] < middles[1] < middles[2]
    related = similarities(calibration, cosines(model, language, "related"))
    assert np.mean(related >= NEARLY_SAME) <= 0.2


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_it_never_falls(calibration: Calibration, one: float, other: float) -> None:
    # D-8: nearer by cosine is never farther by similarity, and it stays within 0 and 1
    low, high = sorted((one, other))
    assert 0.0 <= calibration.similarity(low) <= calibration.similarity(high) <= 1.0


def test_the_ends(calibration: Calibration) -> None:
    # D-8
    assert calibration.similarity(1.0) == 1.0
    assert calibration.similarity(1.0000002) == 1.0
    assert calibration.similarity(0.0) == 0.0
    assert calibration.similarity(-1.0) == 0.0


@given(st.floats(0, 1))
def test_there_and_back(calibration: Calibration, similarity: float) -> None:
    # D-8: the cosine that a similarity stands for
    assert calibration.similarity(calibration.cosine(similarity)) == pytest.approx(similarity, abs=1e-4)


def test_the_levels_stand_where_they_were_measured(calibration: Calibration) -> None:
    # D-8
    assert calibration.cosine(RELATED) == pytest.approx(calibration.related)
    assert calibration.cosine(NEARLY_SAME) == pytest.approx(calibration.nearly_same)
    assert calibration.cosine(NEAR_IDENTICAL) == pytest.approx(calibration.near_identical)
    assert 0 < calibration.related < calibration.nearly_same < calibration.near_identical < 1


def test_measuring_again_gives_the_same(model: Embedder, calibration: Calibration) -> None:
    # D-8
    assert measure(model) == calibration


def test_what_ships_is_what_is_measured(model: Embedder, calibration: Calibration, other_model: Embedder) -> None:
    # D-8: a new vault need not measure the built-in model; after a change: python -m training.calibrate
    assert np.ravel(_numbers(built_in(model))) == pytest.approx(np.ravel(_numbers(calibration)), abs=1e-5)
    assert built_in(other_model) is None


def _numbers(found: Calibration) -> list[tuple[float, float, float]]:
    return [(each.related, each.nearly_same, each.near_identical) for each in (found, *found.longer)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_model_calibrates_too(other_model: Embedder, calibration: Calibration, language: str) -> None:
    # D-8: the same meaning with every model
    own = measure(other_model)
    assert own != calibration
    assert own.related < own.nearly_same < own.near_identical < 1
    far = unrelated(other_model, language)
    assert np.count_nonzero(similarities(own, far) >= RELATED) <= 0.01 * len(far) + 1


def test_a_model_that_tells_nothing_apart_still_calibrates(tmp_path: Path) -> None:
    # D-8: the curve rises whatever the model does
    hopeless = Embedder(str(_model(tmp_path / "model", ["nothing", "known"], lean=50, seed=2)))
    own = measure(hopeless)
    assert own.related < own.nearly_same < own.near_identical < 1
    assert own.similarity(1.0) == 1.0


def test_a_vault_with_another_model(root: Path, env: dict[str, str], other_model: Embedder) -> None:
    # D-8: at first use, by the same procedure; status shows it
    vault = Vault(root, env=env | {"VAULT_MEM_MODEL": other_model.name})
    vault.remember("The owner takes his coffee black.")
    shown = vault.status().calibration
    own = measure(other_model)
    assert (shown.related, shown.nearly_same, shown.near_identical) == pytest.approx(
        (own.related, own.nearly_same, own.near_identical)
    )
    assert vault.remember("The owner takes his coffee black.").duplicate_of.similarity == 1.0


def test_status_shows_it(vault: Vault, calibration: Calibration) -> None:
    # D-8
    vault.remember("The harbour master moved our berth to pier nine.")
    assert vault.status().calibration.near_identical == pytest.approx(calibration.near_identical, abs=0.05)


def test_a_vault_of_one_theme_raises_the_bar(vault: Vault, root: Path, calibration: Calibration) -> None:
    # D-8: a sample of the vault as it grows; where everything is alike, related takes more
    boats = ["ferry", "dredger", "trawler", "yacht", "tug", "barge", "pilot boat", "kayak", "lifeboat", "tanker"]
    jobs = ["anchor", "engine", "hull", "rudder", "mast", "winch", "radar", "galley", "deck", "log book"]
    texts = [
        f"Maria said that the {boat} needs a new {job}, and John was glad to help with it"
        for boat in boats
        for job in jobs
    ]
    for number, text in enumerate(texts):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", text)
    vault.reindex()
    assert vault.status().calibration.related > calibration.related


def test_pairs_of_a_real_vault_are_seldom_related(sample: Vault) -> None:
    # D-8: of the sample vault, where a fifth of all pairs had reached 0.70, only those that are
    memories = [each for each in sample.list().memories if len(each.content) > 40]
    vectors = sample.workspace.embedder.encode([each.content for each in memories])
    found = {
        (one.id, other.id): sample.workspace.calibration.similarity(
            float(vectors[a] @ vectors[b]), size_of(one.content, other.content)
        )
        for a, one in enumerate(memories)
        for b, other in enumerate(memories[:a])
    }
    assert len(found) > 500
    assert np.mean(np.array(list(found.values())) >= RELATED) <= 0.08
    assert np.mean(np.array(list(found.values())) >= NEARLY_SAME) <= 0.015
    summary = next(each.content for each in memories if each.content.startswith("Shiome so far"))
    dentist = next(each.content for each in memories if "矢野デンタル" in each.path)
    assert sample.compare(summary, dentist).similarity < RELATED


def test_a_long_note_in_other_words_is_nearly_the_same(model: Embedder, calibration: Calibration) -> None:
    # D-8: 0.90 keeps its meaning for long notes
    pairs = SHIPPED["en"]["nearly_same"]
    found = []
    for start in range(0, 60, 6):
        one, other = (" ".join(pair[side] for pair in pairs[start : start + 6]) for side in (0, 1))
        left, right = model.encode([one, other])
        found.append(calibration.similarity(float(left @ right), size_of(one, other)))
    assert np.mean(np.array(found) >= NEARLY_SAME) >= MOSTLY


def test_a_longer_text_never_needs_less(calibration: Calibration) -> None:
    # D-8
    for cosine in (0.6, 0.8, 0.9, 0.97):
        sized = [calibration.similarity(cosine, size) for size in (20, 60, 150, 400, 1000, 3000, 10_000)]
        assert sized == sorted(sized, reverse=True)
