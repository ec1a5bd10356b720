"""TidyPlan: what a language model decided about states, checked whole, then applied as one operation or not at all."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import resources
from typing import Any

from vault_mem.errors import Conflict, EditRefused, InvalidInput, NotFound
from vault_mem.model import KIND_ALIASES, STATE_KINDS, Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.write import note_text
from vault_mem.notes.yamlish import Value
from vault_mem.operations.changing import changing, commit, read_to_edit
from vault_mem.operations.memory.drafts import SCOPE, Draft, checked
from vault_mem.operations.memory.remember import for_obsidian, new_memory
from vault_mem.operations.upkeep import summaries, tidy_candidates
from vault_mem.operations.upkeep.by_hand import replace_words
from vault_mem.operations.upkeep.edit_memory import as_written
from vault_mem.operations.upkeep.tidy import TidyReport, record
from vault_mem.operations.upkeep.validity import DONE, close_in
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault.history import ChangeReason
from vault_mem.vault.journal import Transaction

# Bounds of one plan: what a person can still look through.
MOST_UPDATES = 200
MOST_BODY = 10_000
MOST_REASON = 1000
MOST_BYTES = 1_000_000

OPS = ("upsert", "close", "mark_done")
KINDS = (*STATE_KINDS, "mood", *KIND_ALIASES)
_KEYS = set(
    "op state_id kind body_text payload confidence salience valid_from_ts valid_to_ts last_confirmed_at reason "
    "evidence_event_ids".split()
)


@dataclass(frozen=True)
class Update:
    """One change to one state, as the plan asks for it; `state_id` empty: a new state."""

    op: str
    reason: str
    state_id: str = ""
    kind: str = ""
    body_text: str = ""
    payload: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    salience: float | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    last_confirmed: datetime | None = None
    evidence: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)  # of the payload what we do not know: kept in the revision


@dataclass(frozen=True)
class PlanResult(Result):
    """What a plan changed."""

    op: str
    created: list[str]
    updated: list[str]
    closed: list[str]
    report: TidyReport

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, status="checked" if self.report.dry_run else "applied")


def schema() -> str:
    """The JSON Schema of a plan."""
    return resources.files("vault_mem.operations.upkeep").joinpath("tidy_plan.schema.json").read_text(encoding="utf-8")


def apply(workspace: Workspace, text: str, *, dry_run: bool = False) -> PlanResult:
    """Check a plan whole and apply it as one operation; raises InvalidInput or Conflict and changes nothing."""
    started = time.monotonic()
    token, given = read_plan(text)

    def act() -> PlanResult:
        workspace.freshen()
        used, updates = _by_id(workspace, token, given)
        states = _states(workspace, used, updates)
        now = workspace.folder.now().replace(microsecond=0)
        transaction = Transaction(workspace.folder, "tidy apply", "tidy: " + "; ".join(u.reason for u in updates)[:500])
        created, updated, closed = [], [], []
        private = any(memory.private for memory in states.values())
        summarised = 0
        for update in updates:
            memory = states.get(update.state_id)
            why = ChangeReason(f"tidy: {update.reason}", update.evidence, update.extra)
            try:
                if memory is None:
                    id_ = _create(workspace, transaction, update, states, private)
                    created.append(id_)
                    transaction.whys[id_] = why
                elif update.op == "upsert":
                    _change(workspace, transaction, update, memory, states)
                    updated.append(memory.id)
                else:
                    at = update.valid_to or now
                    close_in(transaction, workspace, memory, at, DONE if update.op == "mark_done" else None)
                    closed.append(memory.id)
            except EditRefused as error:
                raise Conflict(f"{update.state_id}: {error.message}", "nothing was changed") from error
            if memory is not None:
                transaction.whys[memory.id] = why
            summarised += update.op == "upsert" and (update.kind or (memory.kind if memory else "")) == "summary"
        transaction.ids = [*created, *updated, *closed]
        if not dry_run:
            commit(workspace, transaction)
        counts = {kind: sum(m.kind == kind for m in states.values()) for kind in {m.kind for m in states.values()}}
        merged = _merges(updates, states)
        seconds = round(time.monotonic() - started, 3)
        report = TidyReport(now, counts, len(closed), merged, summarised, seconds, transaction.op, dry_run)
        return PlanResult(transaction.op, created, updated, closed, report)

    result = changing(workspace, act)
    if not dry_run:
        record(workspace.folder, result.report)
    return result


def _merges(updates: list[Update], states: dict[str, Memory]) -> int:
    """How many states were closed because another one, written by the same plan, says it for them.

    A written state says it for those that it names, and where it names none of them, for those of its kind.
    """
    closed = {update.state_id: states[update.state_id].kind for update in updates if update.op == "close"}
    merged: set[str] = set()
    for update in updates:
        if update.op == "upsert":
            named = closed.keys() & {*update.evidence, *_others(update)}
            kept = states.get(update.state_id)
            kind = kept.kind if kept else update.kind
            merged |= named or {id_ for id_, each in closed.items() if each == kind}
    return len(merged)


def _by_id(workspace: Workspace, token: str, updates: list[Update]) -> tuple[str, list[Update]]:
    """The updates with positions in the candidates (#3) put as the ids that stood there, and the candidates' token."""
    named = [id_ for update in updates for id_ in (update.state_id, *update.evidence, *_others(update))]
    if not any(id_.startswith("#") for id_ in named):
        return token, updates
    if not token and workspace.folder.public:  # the latest may be somebody's who sees more
        raise InvalidInput("the plan gives positions and no token of candidates", _HINT)
    token = token or tidy_candidates.latest(workspace.folder)
    order = list(tidy_candidates.known_states(workspace.folder, token))

    def by_id(given: str) -> str:
        if not given.startswith("#"):
            return given
        number = int(given[1:])
        if number > len(order):
            raise InvalidInput(f"there are {len(order)} candidates, and the plan names number {number}", _HINT)
        return order[number - 1]

    def changed(update: Update) -> Update:
        lists = {key: [by_id(each) for each in update.payload[key]] for key in _LISTS if key in update.payload}
        evidence = [by_id(each) for each in update.evidence]
        return replace(update, state_id=by_id(update.state_id), evidence=evidence, payload={**update.payload, **lists})

    found = [changed(update) for update in updates]
    ids = [update.state_id for update in found if update.state_id]
    if len(ids) != len(set(ids)):
        raise InvalidInput("a state occurs twice in the plan", _HINT)
    return token, found


_LISTS = ("sources", "supersedes")


def _others(update: Update) -> list[str]:
    return [id_ for key in _LISTS for id_ in update.payload.get(key, ())]


def read_plan(text: str) -> tuple[str, list[Update]]:
    """The plan that a text describes; raises InvalidInput naming everything that is wrong with it."""
    if len(text.encode(errors="replace")) > MOST_BYTES:
        raise InvalidInput(f"the plan is larger than {MOST_BYTES // 1_000_000} MB")
    try:
        plan = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the plan is not JSON: {error}", _HINT) from error
    if not isinstance(plan, dict) or not isinstance(plan.get("state_updates"), list):
        raise InvalidInput("a plan is an object with the list state_updates", _HINT)
    wrong = [f"unknown key {key!r}" for key in plan if key not in ("candidates", "state_updates")]
    token = plan.get("candidates", "")
    if not isinstance(token, str):
        wrong.append("candidates is text")
    items = plan["state_updates"]
    if not 1 <= len(items) <= MOST_UPDATES:
        wrong.append(f"state_updates has 1 to {MOST_UPDATES} items, not {len(items)}")
    updates: list[Update] = []
    seen: set[str] = set()
    for number, item in enumerate(items[:MOST_UPDATES]):
        reader = _Reader(item, f"state_updates[{number}]", wrong)
        update = reader.update()
        if update is not None and update.state_id:
            if update.state_id in seen:
                wrong.append(f"state_updates[{number}]: {update.state_id} occurs twice")
            seen.add(update.state_id)
        if update is not None:
            updates.append(update)
    if wrong:
        more = f" (and {len(wrong) - 5} more)" if len(wrong) > 5 else ""
        raise InvalidInput("; ".join(wrong[:5]) + more, _HINT)
    return token, updates


_HINT = "nothing was changed; `vault-mem tidy schema` shows what a plan looks like"


class _Reader:
    """One item of a plan being read; what is wrong with it is added to a list."""

    def __init__(self, item: Any, where: str, wrong: list[str]) -> None:
        self.item = item
        self.where = where
        self.wrong = wrong

    def update(self) -> Update | None:
        if not isinstance(self.item, dict):
            self._say("is not an object")
            return None
        before = len(self.wrong)
        for key in self.item:
            if key not in _KEYS:
                self._say(f"unknown key {key!r}")
        op = self._one_of("op", OPS)
        state_id = self._id()
        kind = self._one_of("kind", KINDS, required=False)
        kind = KIND_ALIASES.get(kind, kind)
        update = Update(
            op,
            self._text("reason", MOST_REASON, required=True),
            state_id,
            kind,
            self._text("body_text", MOST_BODY).strip(),
            self._payload(),
            self._share("confidence"),
            self._share("salience"),
            self._time("valid_from_ts"),
            self._time("valid_to_ts"),
            self._time("last_confirmed_at"),
            self._ids(self.item, "evidence_event_ids", 500),
            self._extra(),
        )
        if op != "upsert" and not state_id:
            self._say(f"{op} needs the state_id of what it ends")
        if op == "upsert" and not state_id and not (kind and update.body_text):
            self._say("a new state needs kind and body_text")
        if update.valid_from and update.valid_to and update.valid_to < update.valid_from:
            self._say("valid_to_ts is before valid_from_ts")
        return update if len(self.wrong) == before else None

    def _say(self, what: str) -> None:
        self.wrong.append(f"{self.where}: {what}")

    def _get(self, key: str, right: Callable[[Any], bool], wanted: str) -> Any:
        value = self.item.get(key)
        if value is not None and not right(value):
            self._say(f"{key} should be {wanted}")
            return None
        return value

    def _text(self, key: str, most: int, *, required: bool = False) -> str:
        value = self._get(key, lambda each: isinstance(each, str) and len(each) <= most, f"text of at most {most}")
        if required and not (isinstance(value, str) and value.strip()):
            self._say(f"{key} is missing")
        elif key == "body_text" and isinstance(value, str) and not value.strip():
            self._say("body_text is empty")
        text = value or ""
        if "\0" in text or any(0xD800 <= ord(sign) <= 0xDFFF for sign in text):
            self._say(f"{key} is not valid text")
        return str(text)

    def _one_of(self, key: str, known: tuple[str, ...], *, required: bool = True) -> str:
        value = self._get(key, lambda each: isinstance(each, str) and each in known, f"one of {', '.join(known)}")
        if required and key not in self.item:
            self._say(f"{key} is missing")
        return str(value or "")

    def _share(self, key: str) -> float | None:
        def right(value: Any) -> bool:
            return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1

        value = self._get(key, right, "a number from 0 to 1")
        return None if value is None else float(value)

    def _time(self, key: str) -> datetime | None:
        value = self._get(key, lambda each: isinstance(each, str) and len(each) < 40, "a time")
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value)
            usable = moment.tzinfo is not None and 1 < moment.year < 9999
        except ValueError:
            usable = False
        if not usable:
            self._say(f"{key} should be ISO 8601 with offset, such as 2026-01-10T14:06:59+09:00")
            return None
        return moment

    def _texts(self, record: dict[str, Any], key: str, most: int) -> list[str]:
        value = record.get(key)
        if value is None:
            return []
        plain = isinstance(value, list) and len(value) <= most
        if not plain or not all(isinstance(each, str) and each.strip() and "\n" not in each for each in value):
            self._say(f"{key} should be a list of at most {most} texts")
            return []
        return list(value)

    def _id(self) -> str:
        """The id of a state; a number is its position in the candidates, and 0 none."""
        value = self.item.get("state_id")
        return _position(value) if _is_number(value) else self._text("state_id", 64)

    def _ids(self, record: dict[str, Any], key: str, most: int) -> list[str]:
        value = record.get(key)
        if not isinstance(value, list) or not any(map(_is_number, value)):
            return self._texts(record, key, most)
        numbered = [_position(each) if _is_number(each) else each for each in value if each != 0]
        return self._texts({key: numbered}, key, most)

    def _payload(self) -> dict[str, Any]:
        payload = self._get("payload", lambda each: isinstance(each, dict), "an object") or {}
        found: dict[str, Any] = {}
        for key, value in payload.items():
            if key in ("tags", "people"):
                found[key] = self._texts(payload, key, 50)
            elif key in _LISTS:
                found[key] = self._ids(payload, key, 500 if key == "sources" else 50)
            elif key in ("category", "about_time", "status", "scope"):
                if not isinstance(value, str) or not value.strip() or "\n" in value or len(value) > 200:
                    self._say(f"payload.{key} should be one line of text")
                elif key == "scope" and not SCOPE.fullmatch(value):
                    self._say("payload.scope should be tag:…, person:…, project:… or month:…")
                found[key] = value
            elif key == "importance":
                if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 5:
                    self._say("payload.importance should be from 1 to 5")
                found[key] = value
        return found

    def _extra(self) -> dict[str, Any]:
        """What a payload has beside what we know."""
        payload = self.item.get("payload")
        return (
            {key: value for key, value in payload.items() if key not in _PAYLOAD} if isinstance(payload, dict) else {}
        )


_PAYLOAD = {"tags", "people", "category", "about_time", "status", "scope", "importance", *_LISTS}


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _position(number: int) -> str:
    """How a position is written until it is known what stood there."""
    return f"#{number}" if number > 0 else ""


def _states(workspace: Workspace, token: str, updates: list[Update]) -> dict[str, Memory]:
    """The states a plan is about, as they are now; raises where one is unknown, no state, or changed since."""
    named = {update.state_id for update in updates if update.state_id}
    others = {id_ for update in updates for id_ in (*update.evidence, *update.payload.get("sources", ()))}
    others |= {id_ for update in updates for id_ in update.payload.get("supersedes", ())}
    found: dict[str, Memory] = {}
    for id_ in sorted(named | others):
        try:
            memory = workspace.index.get(id_)
        except NotFound as error:
            raise InvalidInput(f"there is no memory {id_}", _HINT) from error
        if memory.id != id_:
            raise InvalidInput(f"{id_} is cut short; a plan gives whole ids", _HINT)
        found[id_] = memory
    changed = any(update.state_id and update.op == "upsert" for update in updates)
    known = tidy_candidates.known_states(workspace.folder, token) if token or changed else {}
    for update in updates:
        _check_state(workspace, update, found.get(update.state_id), known)
    if any(memory.private for memory in found.values()):
        for update in updates:
            target = found.get(update.state_id)
            if target is not None and update.op == "upsert" and update.body_text and not target.private:
                raise InvalidInput(
                    f"the plan uses private memories, and {target.id} is public", "make a plan for each side"
                )
    return found


def _check_state(workspace: Workspace, update: Update, memory: Memory | None, known: dict[str, str]) -> None:
    if memory is None:
        return
    now = workspace.folder.now()
    if memory.kind not in STATE_KINDS and not (memory.kind == "mood" and update.op == "upsert"):
        raise InvalidInput(f"{memory.id} is of kind {memory.kind}: only states are tidied", _HINT)
    if update.kind and update.kind != memory.kind:
        raise InvalidInput(f"{memory.id} is a {memory.kind}, not a {update.kind}", _HINT)
    if update.op != "upsert" and memory.closed_at(now):
        raise Conflict(f"{memory.id} is already closed", "nothing was changed")
    end, begin = update.valid_to, update.valid_from or memory.valid_from
    if (end or (now if update.op != "upsert" else None) or memory.valid_to) and begin:
        last = end or (now if update.op != "upsert" else memory.valid_to)
        if last is not None and last < begin:
            raise InvalidInput(f"{memory.id} would end before it began", _HINT)
    if memory.id not in known:
        if update.op != "upsert":
            return  # what is over may be ended whoever found out; a new text needs to have seen the old one
        raise InvalidInput(
            f"{memory.id} is not among the candidates that the plan names",
            "run `vault-mem tidy candidates --json` and put its token into the plan",
        )
    if known[memory.id] != tidy_candidates.digest(workspace.folder, memory):
        raise Conflict(f"{memory.id} has changed since the candidates were made", "nothing was changed; look again")


def _create(
    workspace: Workspace, transaction: Transaction, update: Update, states: dict[str, Memory], private: bool
) -> str:
    extra = {key: value for key, value in update.payload.items() if key not in ("supersedes", "sources")}
    draft = checked(
        Draft(
            update.body_text,
            private=private,
            kind=update.kind,
            confidence=update.confidence,
            salience=update.salience,
            valid_from=update.valid_from,
            valid_to=update.valid_to,
            **extra,
        ),
        workspace.folder.zone,
    )
    memory = new_memory(workspace, draft)
    memory.last_confirmed = update.last_confirmed
    names = workspace.names
    memory.supersedes = [names.of(states[id_].path) for id_ in update.payload.get("supersedes", ())]
    sources = [states[id_] for id_ in update.payload.get("sources", ())]
    if sources:
        memory.sources = [names.of(each.path) for each in sources]
        memory.sources_digest = summaries.digest(sources)
    written = for_obsidian(memory, names, workspace.folder)
    transaction.create(memory.path, note_text(written, workspace.folder.zone).encode())
    views.follow(transaction, None, memory)
    return memory.id


def _change(
    workspace: Workspace, transaction: Transaction, update: Update, memory: Memory, states: dict[str, Memory]
) -> None:
    raw = read_to_edit(workspace, memory)
    after = raw
    if update.body_text:
        told = replace_words(workspace, memory, raw, update.body_text)
        after, transaction.written[memory.id] = told.raw, update.body_text if told.kept else True
    changes: dict[str, Value | None] = {
        key: value
        for key, value in {
            "confidence": update.confidence,
            "salience": update.salience,
            "valid_from": _local(workspace, update.valid_from),
            "valid_to": _local(workspace, update.valid_to),
            "last_confirmed": _local(workspace, update.last_confirmed),
        }.items()
        if value is not None
    }
    names = workspace.names
    for key, value in update.payload.items():
        if key in ("supersedes", "sources"):
            value = [f"[[{names.of(states[id_].path)}]]" for id_ in value]
        changes[key] = value
    if update.payload.get("sources"):
        changes["sources_digest"] = summaries.digest([states[id_] for id_ in update.payload["sources"]])
    after = edit(after, changes)
    transaction.write(memory.path, raw, after)
    views.follow(transaction, memory, as_written(workspace.folder, memory, after))


def _local(workspace: Workspace, moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(workspace.folder.zone).replace(microsecond=0)
