"""eval: how well recall does on a data set, compared with keyword search and BM25. Each entry gets its own vault."""

from __future__ import annotations

import hashlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.index.terms import terms
from vault_mem.model import KINDS, Link, Memory
from vault_mem.notes.links import stem_of
from vault_mem.notes.parse import title_of
from vault_mem.notes.write import file_name, note_text
from vault_mem.operations.memory.recall import Request, recall
from vault_mem.operations.memory.search import search
from vault_mem.operations.vaults.init import init
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.rank import Switches
from vault_mem.vault.folder import Folder

DEPTHS = (1, 5, 10, 20)
_HINT = "see vault-mem eval --help for the format"

Sample = dict[str, Any]
Way = Callable[[Workspace, str, int], list[str]]


@dataclass(frozen=True)
class AskedQuestion:
    """One question asked: the ranks, from 1, at which its evidence was found, and how many pieces of evidence exist."""

    category: Any
    ranks: list[int]
    evidence: int
    seconds: float

    def recall_at(self, depth: int) -> float:
        """The share of the evidence among the first results."""
        return sum(rank <= depth for rank in self.ranks) / self.evidence

    @property
    def reciprocal_rank(self) -> float:
        """One over the rank of the first evidence; 0 if none was found."""
        return 1 / min(self.ranks) if self.ranks else 0.0


@dataclass
class Report:
    """The answers of each way of searching."""

    entries: int = 0
    memories: int = 0
    answers: dict[str, list[AskedQuestion]] = field(default_factory=dict)

    def figures(self, way: str) -> dict[str, float]:
        """R@k, MRR and milliseconds per question of one way."""
        answers = self.answers[way]
        found = {f"R@{depth}": statistics.mean(answer.recall_at(depth) for answer in answers) for depth in DEPTHS}
        found["MRR"] = statistics.mean(answer.reciprocal_rank for answer in answers)
        found["ms"] = statistics.median(answer.seconds for answer in answers) * 1000
        return {name: round(value, 4) for name, value in found.items()}

    def as_json(self) -> dict[str, Any]:
        """All figures."""
        questions = len(next(iter(self.answers.values()), []))
        ways = {way: self.figures(way) for way in self.answers}
        return {"entries": self.entries, "memories": self.memories, "questions": questions, "figures": ways}


def read_data(path: Path) -> list[Sample]:
    """The entries of a data set, checked."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"{path.name}: cannot be read: {error.strerror}", _HINT) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput(f"{path.name}: not valid JSON: {error}", _HINT) from error
    if not isinstance(entries, list) or not entries:
        raise InvalidInput(f"{path.name}: should be a list of entries", _HINT)
    for number, entry in enumerate(entries, start=1):
        objection = _objection(entry)
        if objection:
            raise InvalidInput(f"{path.name}: entry {number}: {objection}", _HINT)
    if not any(entry["questions"] for entry in entries):
        raise InvalidInput(f"{path.name}: there is no question in it", _HINT)
    return list(entries)


def _objection(entry: Any) -> str:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(each), list) for each in ("memories", "questions")):
        return "should have lists named memories and questions"
    keys = set()
    for turn in entry["memories"]:
        if not isinstance(turn, dict) or not isinstance(turn.get("key"), str) or not str(turn.get("text", "")).strip():
            return "a memory should have a key and a text"
        if turn["key"] in keys:
            return f"two memories have the key {turn['key']!r}"
        keys.add(turn["key"])
        if "created" in turn and _moment(turn["created"]) is None:
            return f"memory {turn['key']!r}: created {turn['created']!r} is not a time such as 2026-11-15T23:25"
    for question in entry["questions"]:
        if not isinstance(question, dict) or not str(question.get("question") or "").strip():
            return "a question should have a text named question"
        evidence = question.get("evidence")
        if not isinstance(evidence, list) or not evidence:
            return f"the question {question['question']!r} should have a list named evidence"
        unknown = [key for key in evidence if key not in keys]
        if unknown:
            return f"the evidence {unknown[0]!r} is not the key of a memory"
    return ""


def evaluate(
    entries: Sequence[Sample],
    env: Mapping[str, str],
    progress: Callable[[int, int], None] | None = None,
    ways: Mapping[str, Way] | None = None,
) -> Report:
    """Ask every question in every way. The user's own vaults are neither read nor changed."""
    ways = WAYS if ways is None else ways
    report = Report(answers={way: [] for way in ways})
    total = sum(len(entry["questions"]) for entry in entries)
    done = 0
    for entry in entries:
        with tempfile.TemporaryDirectory(prefix="vault-mem-eval-") as folder:
            workspace, ids = build_vault(Path(folder), entry, env)
            report.entries += 1
            report.memories += len(ids)
            for way in ways.values():
                way(workspace, "warm up", 1)
            for question in entry["questions"]:
                for name, way in ways.items():
                    report.answers[name].append(ask(workspace, way, question, ids))
                done += 1
                if progress:
                    progress(done, total)
    return report


def ask(workspace: Workspace, way: Way, question: dict[str, Any], ids: Mapping[str, str]) -> AskedQuestion:
    """Ask one question in one way."""
    started = time.perf_counter()
    found = way(workspace, question["question"], max(DEPTHS))
    seconds = time.perf_counter() - started
    evidence = {ids[key] for key in question["evidence"]}
    ranks = [rank for rank, id_ in enumerate(found, start=1) if id_ in evidence]
    return AskedQuestion(question.get("category"), ranks, len(evidence), seconds)


def build_vault(folder: Path, entry: Sample, env: Mapping[str, str]) -> tuple[Workspace, dict[str, str]]:
    """A vault of one entry in an empty folder, indexed; and the id of each key."""
    root = folder / "vault"
    env = dict(env) | {"VAULT_MEM_INDEX_DIR": str(folder / "index")}
    init(root, env, timezone="UTC")
    made = {turn["key"]: as_memory(turn, str(entry.get("name", ""))) for turn in entry["memories"]}
    ids = {key: memory.id for key, memory in made.items()}
    for turn in entry["memories"]:
        memory = made[turn["key"]]
        memory.links = [
            Link(stem_of(file_name(made[key])), title=made[key].title) for key in turn.get("links", ()) if key in made
        ]
        path = root / "memories" / memory.created.strftime("%Y-%m") / file_name(memory)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note_text(memory, UTC), encoding="utf-8")
    workspace = Workspace(Folder(root, env))
    workspace.sync()
    return workspace, ids


def as_memory(turn: dict[str, Any], name: str) -> Memory:
    """The memory an agent would have saved; its id is the same in every run, so that ties are broken the same way."""
    digest = hashlib.blake2b(f"{name} {turn['key']}".encode(), digest_size=6).hexdigest()
    created = _moment(turn.get("created")) or datetime.now(UTC)
    people = [str(each) for each in turn.get("people") or ([turn["speaker"]] if turn.get("speaker") else [])]
    title = str(turn.get("title") or "") or title_of(turn["text"])
    memory = Memory(f"mem_{digest}", turn["text"], created, title=title, people=people)
    memory.tags = [str(tag) for tag in turn.get("tags") or []]
    memory.importance = min(max(int(turn.get("importance") or memory.importance), 1), 5)
    memory.intensity = turn.get("intensity")
    memory.kind = turn["kind"] if turn.get("kind") in KINDS else memory.kind
    memory.category, memory.emotion = turn.get("category") or memory.category, turn.get("emotion") or memory.emotion
    return memory


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _keywords(workspace: Workspace, query: str, limit: int) -> list[str]:
    """Plain keyword search: the memories with most of the words first, then the newer ones."""
    workspace.freshen()
    wanted = set(terms(query))
    with workspace.at_hand() as catalogue:
        found = [
            (-len(wanted & set(terms(catalogue.texts[place]))), -catalogue.created[place], catalogue.ids[place])
            for place in (catalogue.alive & (catalogue.n == 0)).nonzero()[0].tolist()
        ]
    return [id_ for hits, _, id_ in sorted(found)[:limit] if hits]


def without(*stages: str) -> Way:
    """Recall with some stages switched off, to measure what they contribute."""
    switches = Switches(frozenset(stages))

    def way(workspace: Workspace, query: str, limit: int) -> list[str]:
        return [found.memory.id for found in recall(workspace, Request(query, limit, switches=switches))]

    return way


WAYS: dict[str, Way] = {
    "recall": without(),
    "keyword search": _keywords,
    "BM25": lambda *asked: [found.memory.id for found in search(*asked)],
}
