"""Measure a model folder, beside others if given: python -m training.check FOLDER [OTHER ...] --data DIR.

Nothing here is an ingredient of the build. The labelled sets in the data folder may be absent; measures that need them
are then skipped with a message. The probes and the sentence pairs of training/probes.json were written for this check.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
from model2vec import StaticModel
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

Floats = NDArray[np.floating[Any]]
Row = tuple[str, str]  # a measure and its value, ready to print

PROBES = Path(__file__).with_name("probes.json")
TOKEN_FLOOR = 0.3  # late interaction: cosines of tokens below this count as no match
IDF_POWER = 1.5


def measure(folder: Path, data: Path, work: Path) -> list[Row]:
    """Return every measure that can be taken of the model in `folder`."""
    model = StaticModel.from_pretrained(folder, force_download=False)
    rows = [*_size_and_load(folder, model)]
    rows += _coverage(model)
    rows += _token_probes(model)
    pairs = json.loads(PROBES.read_text(encoding="utf-8"))["translations"]
    rows += _translation(model, "written pairs", [en for en, _ in pairs], [ja for _, ja in pairs])
    rows += _held_out_translation(model, work)
    rows += _guard(model, data / "guard-dev.json")
    rows += _locomo(model, data / "locomo-dev.json")
    return rows


def _size_and_load(folder: Path, model: StaticModel) -> Iterable[Row]:
    size = sum(file.stat().st_size for file in folder.iterdir())
    yield "size, MB", f"{size / 1e6:.2f}"
    yield "tokens × dimensions", f"{len(model.tokens)} × {model.dim}"
    loading = _best(lambda: StaticModel.from_pretrained(folder, force_download=False), 5)
    yield "load with model2vec, ms", f"{loading * 1e3:.0f}"

    def lean() -> None:
        Tokenizer.from_file(str(folder / "tokenizer.json"))
        load_file(folder / "model.safetensors")

    yield "load tokenizer and vectors only, ms", f"{_best(lean, 5) * 1e3:.0f}"
    texts = json.loads(PROBES.read_text(encoding="utf-8"))["timing"]
    for language, samples in texts.items():
        per_text = _best(lambda: [model.tokenize([text]) for text in samples * 20], 7) / len(samples * 20)  # noqa: B023
        yield f"tokenise a text of {len(samples[0])} characters, {language}, µs", f"{per_text * 1e6:.0f}"
        per_text = _best(lambda: [model.encode([text]) for text in samples * 20], 7) / len(samples * 20)  # noqa: B023
        yield f"encode the same, {language}, µs", f"{per_text * 1e6:.0f}"


def _coverage(model: StaticModel) -> Iterable[Row]:
    texts = json.loads(PROBES.read_text(encoding="utf-8"))["scripts"]
    vectors = model.encode(texts, use_multiprocessing=False)
    lost = [text for text, vector in zip(texts, vectors, strict=True) if not np.linalg.norm(vector) > 0]
    yield "scripts and symbols without a vector", " ".join(lost) or "none"
    clashes = _unit(vectors) @ _unit(vectors).T > 0.999
    same = [f"{texts[i]} = {texts[j]}" for i, j in zip(*np.nonzero(np.triu(clashes, 1)), strict=True)]
    yield "of these, told apart by nothing", "; ".join(same) or "none"


def _token_probes(model: StaticModel) -> Iterable[Row]:
    for name, pairs in json.loads(PROBES.read_text(encoding="utf-8"))["words"].items():
        left = _unit(model.encode([a for a, _ in pairs], use_multiprocessing=False))
        right = _unit(model.encode([b for _, b in pairs], use_multiprocessing=False))
        cosines = (left * right).sum(axis=1)
        yield (
            f"words: {name}, mean cosine (min to max)",
            f"{cosines.mean():.2f} ({cosines.min():.2f} to {cosines.max():.2f})",
        )


def _translation(model: StaticModel, name: str, english: list[str], japanese: list[str]) -> Iterable[Row]:
    cosines = _unit(_encode(model, japanese)) @ _unit(_encode(model, english)).T
    here = np.arange(len(cosines))
    to_english = (cosines.argmax(axis=1) == here).mean()
    to_japanese = (cosines.argmax(axis=0) == here).mean()
    yield f"ja→en / en→ja @1, {len(here)} {name}", f"{to_english:.3f} / {to_japanese:.3f}"
    yield (
        f"cosine of a translation / of another, {name}",
        (f"{np.diag(cosines).mean():.2f} / {(cosines.sum() - np.trace(cosines)) / (cosines.size - len(here)):.2f}"),
    )


def _held_out_translation(model: StaticModel, work: Path) -> Iterable[Row]:
    from training import corpus, sources

    if not (work / "sources").exists():
        yield from _skipped("held-out translations", work / "sources")
        return
    found = sources.locate(work)
    text = corpus.read(found.english_text, found.japanese_text)
    japanese = [sentence or "" for sentence in text.japanese[text.validation]]
    yield from _translation(model, "held-out translations", text.english[text.validation], japanese)


def _guard(model: StaticModel, file: Path) -> Iterable[Row]:
    if not file.exists():
        yield from _skipped("the guard", file)
        return
    pairs = json.loads(file.read_text(encoding="utf-8"))
    left = _unit(_encode(model, [pair["a"] for pair in pairs]))
    right = _unit(_encode(model, [pair["b"] for pair in pairs]))
    cosines = (left * right).sum(axis=1)
    duplicate = np.array([pair["label"] == "duplicate" for pair in pairs])
    for language in ("en", "ja"):
        inside = np.array([pair["lang"] == language for pair in pairs])
        yield f"guard {language}: AUC, all sources", f"{_auc(cosines[inside], duplicate[inside]):.3f}"
        for source in ("sick", "sts", "jsts"):
            chosen = inside & np.array([pair["source"] == source for pair in pairs])
            if chosen.any():
                yield f"guard {language}: AUC, {source}", f"{_auc(cosines[chosen], duplicate[chosen]):.3f}"
        kept = cosines[inside & ~duplicate]
        yield (
            f"guard {language}: duplicates / different, median cosine",
            (f"{np.median(cosines[inside & duplicate]):.2f} / {np.median(kept):.2f}"),
        )
        shuffled = np.random.default_rng(0).permutation(right[inside])
        random_pairs = (left[inside] * shuffled).sum(axis=1)
        yield (
            f"random pairs {language}: cosine median, 99th percentile",
            (f"{np.median(random_pairs):.2f}, {np.quantile(random_pairs, 0.99):.2f}"),
        )


def _locomo(model: StaticModel, file: Path) -> Iterable[Row]:
    if not file.exists():
        yield from _skipped("LoCoMo", file)
        return
    by_vector: list[list[float]] = []
    by_tokens: list[list[float]] = []
    by_own_tokens: list[list[float]] = []
    random_pairs = []
    for conversation in json.loads(file.read_text(encoding="utf-8")):
        texts = [memory["text"] for memory in conversation["memories"]]
        keys = [memory["key"] for memory in conversation["memories"]]
        questions = [question["question"] for question in conversation["questions"]]
        documents = _unit(_encode(model, texts))
        vector_scores = _unit(_encode(model, questions)) @ documents.T
        token_scores = _late_interaction(model, questions, texts)
        own_token_scores = _late_interaction(model, questions, texts, first=1)
        pair = np.random.default_rng(0).permutation(len(documents))
        random_pairs.append((documents * documents[pair]).sum(axis=1))
        for row, question in enumerate(conversation["questions"]):
            wanted = {keys.index(key) for key in question["evidence"] if key in keys}
            if wanted:
                by_vector.append(_recalls(vector_scores[row], wanted))
                by_tokens.append(_recalls(token_scores[row], wanted))
                by_own_tokens.append(_recalls(own_token_scores[row], wanted))
    named = {
        "vector only": by_vector,
        "late interaction only": by_tokens,
        "late interaction without dimension 0": by_own_tokens,
    }
    for name, recalls in named.items():
        yield f"LoCoMo R@1/5/10/20 and MRR, {name}", " ".join(f"{value:.3f}" for value in np.mean(recalls, axis=0))
    joined = np.concatenate(random_pairs)
    yield (
        "random pairs of one conversation: cosine median, 99th percentile",
        (f"{np.median(joined):.2f}, {np.quantile(joined, 0.99):.2f}"),
    )


def _recalls(scores: Floats, wanted: set[int]) -> list[float]:
    order = np.argsort(-scores, kind="stable")
    first = next(rank for rank, index in enumerate(order, start=1) if index in wanted)
    return [len(wanted & set(order[:k].tolist())) / len(wanted) for k in (1, 5, 10, 20)] + [1 / first]


def _late_interaction(model: StaticModel, questions: list[str], texts: list[str], first: int = 0) -> Floats:
    """Score every text for every question by their tokens, from dimension `first` on."""
    documents = [sorted(set(ids)) for ids in model.tokenize(texts)]
    counts = np.bincount([token for ids in documents for token in ids], minlength=len(model.tokens))
    idf = np.log(1 + len(texts) / (1 + counts))
    used = np.flatnonzero(counts)
    place = {token: index for index, token in enumerate(used)}
    starts = np.cumsum([0, *[len(ids) for ids in documents[:-1]]])
    columns = np.array([place[token] for ids in documents for token in ids])
    vectors = _unit(_token_vectors(model, used)[:, first:])
    scores = np.zeros((len(questions), len(texts)))
    for row, ids in enumerate(model.tokenize(questions)):
        tokens = sorted(set(ids))
        close = _unit(_token_vectors(model, np.array(tokens))[:, first:]) @ vectors.T
        close[close < TOKEN_FLOOR] = 0
        best = np.maximum.reduceat(close[:, columns], starts, axis=1)
        scores[row] = (idf[tokens] ** IDF_POWER) @ best
    return scores


def _token_vectors(model: StaticModel, tokens: NDArray[np.integer[Any]]) -> Floats:
    rows = tokens if model.token_mapping is None else model.token_mapping[tokens]
    vectors: Floats = model.embedding[rows].astype(np.float32)
    return vectors


def _skipped(name: str, missing: Path) -> Iterable[Row]:
    print(f"skipped {name}: {missing} is not there", file=sys.stderr)
    return []


def _encode(model: StaticModel, texts: list[str]) -> Floats:
    vectors: Floats = model.encode(texts, use_multiprocessing=False)
    return vectors


def _unit(vectors: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / (lengths + 1e-9)


def _auc(scores: Floats, positive: NDArray[np.bool_]) -> float:
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    hits = int(positive.sum())
    return float((ranks[positive].sum() - hits * (hits + 1) / 2) / (hits * (len(scores) - hits)))


def _best(action: Callable[[], object], times: int) -> float:
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def main() -> None:
    """Print the measures of every folder given, side by side."""
    parser = argparse.ArgumentParser(description="Measure a model folder.")
    parser.add_argument("folders", type=Path, nargs="+", help="the model, then any models to compare with")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of guard-dev.json and locomo-dev.json")
    parser.add_argument(
        "--work", type=Path, default=Path("build/model"), help="work folder of a build, if there is one"
    )
    options = parser.parse_args()
    tables = [dict(measure(folder, options.data, options.work)) for folder in options.folders]
    print("| measure | " + " | ".join(str(folder) for folder in options.folders) + " |")
    print("| --- |" + " --- |" * len(tables))
    for name in tables[0]:
        print(f"| {name} | " + " | ".join(table.get(name, "") for table in tables) + " |")


if __name__ == "__main__":
    main()
