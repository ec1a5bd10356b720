"""The guard: whether it blocks repetitions, lets changed facts and ordinary turns pass, links sensibly; and its speed.

The labelled pairs of guard-dev.json are scored cross-validated: the judge's weights are fitted on the other folds, and
pairs that share a sentence are never split. Those of guard-agent-dev.json, in the words of agents, are scored with
weights fitted on all pairs but those of their own category. Rules and word lists are the same in every fold. The
decision is the shipped one: calibrated similarity, then the judge, with the default thresholds.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

import numpy as np

from benchmarks.guard_pairs import Decided, Decider, Pair, best_recall, fitted, folds, recall_and_precision
from benchmarks.guard_turns import Near, Saved, save
from benchmarks.harness import DATA, PROJECT, Figure, Setting, Target, percentile
from benchmarks.vaults import memories, write_vault
from vault_mem.judge.judge import judge
from vault_mem.operations.memory.guard import guard, nearest, worth_linking
from vault_mem.operations.memory.results import Found
from vault_mem.operations.workspace import Workspace

NEEDS = ("guard-dev.json", "locomo-dev.json", "guard-agent-dev.json")
LANGUAGES = ("en", "ja")
FOLDS = 5
PRECISION = 0.97
RECALL = {"en": 0.70, "ja": 0.76}
QUICK_TURNS = 150
LINKS_SHOWN = 40
TEXTS = 200


def run(setting: Setting) -> Iterator[Figure]:
    """Labelled pairs, our own pairs, conversations, latency."""
    decider = Decider(setting.folder / "empty")
    yield from _labelled(decider, setting)
    yield from _agents(decider, setting)
    yield from _plans(decider)
    yield from _written(decider)
    yield from _in_a_full_vault(decider, setting)
    yield from _conversations(setting)
    yield from _latency(setting)


def _labelled(decider: Decider, setting: Setting) -> Iterator[Figure]:
    """Recall and precision on guard-dev.json, per language, cross-validated and in-sample."""
    pairs = _read(DATA / NEEDS[0])
    for language in LANGUAGES:
        own = [pair for pair in pairs if pair["lang"] == language]
        shipped = [decider.decide(pair) for pair in own]
        in_sample = recall_and_precision(shipped)
        setting.progress(f"guard-dev, {language}: {len(own):,} pairs judged")
        unseen = _cross_validated(decider, own)
        if unseen is None:
            print("guard: without scikit-learn (make bench installs it) nothing is fitted: in-sample figures only")
            yield Figure(f"guard: guard-dev {language}, recall in sample", in_sample[0])
            yield Figure(f"guard: guard-dev {language}, precision in sample", in_sample[1])
            continue
        recall, precision = recall_and_precision(unseen)
        reference = (in_sample[0], "in sample")
        yield Figure(
            f"guard: guard-dev {language}, recall ({FOLDS}-fold)", recall, "", *reference, Target("≥", RECALL[language])
        )
        name = f"guard: guard-dev {language}, precision ({FOLDS}-fold)"
        yield Figure(name, precision, "", in_sample[1], "in sample", Target("≥", PRECISION))
        reference = (best_recall(shipped, PRECISION), "in sample")
        name = f"guard: {language}, recall at {PRECISION:.0%} by fit alone"
        yield Figure(name, best_recall(unseen, PRECISION), "", *reference)


def _cross_validated(decider: Decider, pairs: list[Pair]) -> list[Decided] | None:
    """Every pair decided with weights fitted on the other folds; None if scikit-learn is missing."""
    try:
        from training.fit_judge import fit, observe
    except ModuleNotFoundError:
        return None
    seen, _ = observe(pairs)
    labels = np.array([pair["label"] == "duplicate" for pair in pairs])
    decided: list[Decided] = []
    for fold in folds(pairs, FOLDS):
        held_out = set(fold)
        rest = {place: row for place, row in enumerate(seen) if row is not None and place not in held_out}
        weights = fit([*rest.values()], labels[[*rest]])
        with fitted(dict.fromkeys(LANGUAGES, weights)):
            decided += [decider.decide(pairs[place]) for place in fold]
    return decided


def _agents(decider: Decider, setting: Setting) -> Iterator[Figure]:
    """guard-agent-dev.json by category, which the fit has not seen: changed facts swallowed, restatements blocked."""
    for language in LANGUAGES:
        pairs, others = (
            [pair for pair in _read(DATA / name) if pair["lang"] == language] for name in (NEEDS[2], NEEDS[0])
        )
        decided = _left_out(decider, pairs, others) or [decider.decide(pair) for pair in pairs]
        setting.progress(f"guard-agent-dev, {language}: {len(pairs)} pairs judged")
        for category in sorted({pair["category"] for pair in pairs}):
            _show_category(language, category, [each for each in decided if each.pair["category"] == category])
        changed = [each for each in decided if each.pair["label"] == "changed"]
        swallowed = [each for each in changed if each.blocked]
        for each in swallowed:
            print(f"guard: swallowed ({each.pair['category']}): {each.pair['a']!r} → {each.pair['b']!r}", flush=True)
        name = f"guard: guard-agent-dev {language}, of {len(changed)} changed facts swallowed"
        yield Figure(name, len(swallowed) / len(changed), target=Target("≤", 0.01))
        recall, _ = recall_and_precision(decided)
        yield Figure(f"guard: guard-agent-dev {language}, restatements blocked", recall, target=Target("≥", 0.8))


def _left_out(decider: Decider, pairs: list[Pair], others: list[Pair]) -> list[Decided] | None:
    """Every pair decided with weights fitted without its category; None if scikit-learn is missing."""
    try:
        from training.fit_judge import fit, observe
    except ModuleNotFoundError:
        return None
    every = [*pairs, *others]
    seen, _ = observe(every)
    decided: list[Decided] = []
    for category in sorted({pair["category"] for pair in pairs}):
        rest = [
            (row, pair["label"] == "duplicate")
            for row, pair in zip(seen, every, strict=True)
            if row is not None and pair.get("category") != category
        ]
        weights = fit([row for row, _ in rest], np.array([same for _, same in rest]))
        with fitted(dict.fromkeys(LANGUAGES, weights)):
            decided += [decider.decide(pair) for pair in pairs if pair["category"] == category]
    return decided


def _show_category(language: str, category: str, decided: list[Decided]) -> None:
    changed = [each.blocked for each in decided if each.pair["label"] == "changed"]
    same = [each.blocked for each in decided if each.pair["label"] == "duplicate"]
    swallowed = f"{sum(changed)} of {len(changed)} changed swallowed" if changed else ""
    blocked = f"{sum(same)} of {len(same)} restatements blocked" if same else ""
    print(f"guard: {language} {category}: {', '.join(filter(None, (swallowed, blocked)))}", flush=True)


def _plans(decider: Decider) -> Iterator[Figure]:
    """A plan and its completion: none may be refused."""
    plans = [{"a": each["plan"], "b": each["done"]} for each in _read(PROJECT / "tests" / "data" / "plan_done.json")]
    refused = sum(decider.decide(pair).blocked for pair in plans)
    yield Figure(f"guard: {len(plans)} plans and their completion, refused", refused, target=Target("≤", 0))


def _written(decider: Decider) -> Iterator[Figure]:
    """Our own pairs of agent-style memories: no fact swallowed, most rewordings blocked."""
    for name in ("en", "ja", "mixed"):
        decided = [decider.decide(pair) for pair in _own_pairs(name)]
        facts = [each for each in decided if each.pair["label"] == "fact"]
        reworded = [each for each in decided if each.pair["label"] == "reworded"]
        swallowed = [each for each in facts if each.blocked]
        for each in swallowed:
            print(f"guard: fact swallowed ({each.pair['type']}): {each.pair['a']!r} → {each.pair['b']!r}", flush=True)
        yield Figure(f"guard: {len(facts)} {name} facts, swallowed", len(swallowed), target=Target("≤", 0))
        share = sum(each.blocked for each in reworded) / len(reworded)
        target = Target("≥", 0.7) if name in LANGUAGES else None
        yield Figure(f"guard: {len(reworded)} {name} rewordings, blocked", share, target=target)


def _in_a_full_vault(empty: Decider, setting: Setting) -> Iterator[Figure]:
    """The same pairs, with the calibration refined by a sample of one long conversation."""
    turns = [turn["text"] for turn in _read(DATA / NEEDS[1])[0]["memories"]]
    full = Decider(setting.folder / "full", turns)
    for language in LANGUAGES:
        labelled = [pair for pair in _read(DATA / NEEDS[0]) if pair["lang"] == language]
        for name, pairs, repetition in (
            (f"{language} rewordings", _own_pairs(language), "reworded"),
            (f"guard-dev {language}", labelled, "duplicate"),
        ):
            before, after = (
                recall_and_precision([decider.decide(pair) for pair in pairs], repetition)[0]
                for decider in (empty, full)
            )
            yield Figure(f"guard: {name}, blocked in a full vault", after, "", before, "in an empty one")


def _conversations(setting: Setting) -> Iterator[Figure]:
    """False blocks and links when the turns of LoCoMo are saved one by one."""
    all_saved: list[Saved] = []
    for conversation in _read(DATA / NEEDS[1]):
        turns = conversation["memories"][: QUICK_TURNS if setting.quick else None]
        all_saved.append(save(setting.folder / conversation["name"], turns))
        setting.progress(f"{conversation['name']}: {len(turns)} turns saved")
    turns = sum(saved.turns for saved in all_saved)
    blocked = [each for saved in all_saved for each in saved.blocked]
    again, false = [each for each in blocked if each.identical], [each for each in blocked if not each.identical]
    _show(f"blocked, the same text again ({len(again)})", again)
    _show(f"blocked, another text ({len(false)})", false)
    linked = [links for saved in all_saved for links in saved.linked]
    every = [link for links in linked for link in links]
    _show(f"{LINKS_SHOWN} of {len(every):,} links", Random(0).sample(every, min(LINKS_SHOWN, len(every))))

    yield Figure("guard: turns blocked, in 1,000", 1000 * len(false) / turns, target=Target("≤", 1))
    yield Figure(f"guard: identical turns blocked, of {turns:,}", len(again))
    counts = [len(links) for links in linked]
    yield Figure("guard: links of a memory, median", statistics.median(counts), target=Target("≤", 2))
    yield Figure("guard: links of a memory, mean", statistics.mean(counts))
    yield Figure("guard: memories with a link, share", sum(count > 0 for count in counts) / len(counts))
    yield Figure("guard: memories with 5 links, share", sum(count >= 5 for count in counts) / len(counts))


def _own_pairs(name: str) -> list[Pair]:
    return _read(PROJECT / "tests" / "data" / f"guard_pairs_{name}.json")


def _show(title: str, found: Sequence[Near]) -> None:
    print(f"\n{title}", *(f"  {each}" for each in found), "", sep="\n", flush=True)


def _latency(setting: Setting) -> Iterator[Figure]:
    """The time of the guard in a warm process, of the judge in it, and of choosing links after it.

    Both CPU and wall time: on a shared machine, only CPU time is the cost of the guard itself.
    """
    count = 1_000 if setting.quick else 10_000
    vault = write_vault(setting.folder / "large", memories(count))
    vault.reindex()
    workspace = vault.workspace
    threshold, near = workspace.folder.settings.dedup_threshold, workspace.folder.settings.link_threshold
    texts = [memory.content for memory in memories(TEXTS + 20, seed=7)]
    for text in texts[TEXTS:]:  # loads the model, the lexicon and the table
        guard(workspace, text, threshold)
    guarding, working, linking, finding, judging = [], [], [], [], []
    for text in texts[:TEXTS]:
        worked = time.process_time()
        guarding.append(_seconds(lambda text=text: guard(workspace, text, threshold)))
        working.append(time.process_time() - worked)
        finding.append(_seconds(lambda text=text: nearest(workspace, text)))
        found = nearest(workspace, text)
        linking.append(_seconds(lambda text=text, found=found: _linked(workspace, text, near, found)))
        first = found[0].memory.content
        judging.append(_seconds(lambda first=first, text=text: judge(first, text, workspace.tokens)))
    name = f"guard: guard at {count:,} memories, p50"
    reference = (percentile(finding, 50) * 1000, "finding the nearest")
    yield Figure(name, percentile(guarding, 50) * 1000, "ms", *reference, Target("≤", 10))
    yield Figure(f"guard: guard at {count:,} memories, p95", percentile(guarding, 95) * 1000, "ms")
    yield Figure(f"guard: guard at {count:,} memories, CPU time, p50", percentile(working, 50) * 1000, "ms")
    yield Figure("guard: choosing links after it, p50", percentile(linking, 50) * 1000, "ms")
    yield Figure("guard: judge, p50", percentile(judging, 50) * 1000, "ms")
    yield Figure("guard: judge, p95", percentile(judging, 95) * 1000, "ms")


def _linked(workspace: Workspace, text: str, near: float, found: list[Found]) -> list[Found]:
    worth = worth_linking(workspace, text, near)
    close = (each for each in found if each.distance < near and worth(each.memory.content))
    return list(islice(close, workspace.folder.settings.max_links))


def _seconds(call: Any) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _read(path: Any) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text(encoding="utf-8")))
