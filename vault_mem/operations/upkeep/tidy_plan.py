"""TidyPlan: what a language model decided about states. It is checked as a whole, then applied as one operation."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from vault_mem.errors import Conflict, EditRefused, InvalidInput, NotFound
from vault_mem.model import KIND_ALIASES, STATE_KINDS, Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.write import note_text
from vault_mem.notes.yamlish import Value
from vault_mem.operations.changing import changing, commit, read_to_edit
from vault_mem.operations.memory.drafts import Draft, checked
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

MOST_BYTES = 1_000_000
_LISTS = ("sources", "supersedes")
_POSITION = re.compile(r"#\d{1,9}")  # in the candidates


@dataclass(frozen=True)
class Update:
    """One change to one state, as the plan asks for it. An empty `state_id` means a new state."""

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
    extra: dict[str, Any] = field(default_factory=dict)  # unknown keys of the payload, kept in the revision


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


@cache
def _schema() -> dict[str, Any]:
    return dict(json.loads(schema()))


def apply(workspace: Workspace, text: str, *, dry_run: bool = False) -> PlanResult:
    """Check a plan and apply it as one operation; if it raises InvalidInput or Conflict, nothing was changed."""
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
            memory, id_ = states.get(update.state_id), update.state_id
            why = ChangeReason(f"tidy: {update.reason}", update.evidence, update.extra)
            try:
                if memory is None:
                    id_ = _create(workspace, transaction, update, states, private)
                    created.append(id_)
                elif update.op == "upsert":
                    _change(workspace, transaction, update, memory, states)
                    updated.append(memory.id)
                else:
                    at = update.valid_to or now
                    close_in(transaction, workspace, memory, at, DONE if update.op == "mark_done" else None)
                    closed.append(memory.id)
            except EditRefused as error:
                raise Conflict(f"{update.state_id}: {error.message}", "nothing was changed") from error
            transaction.whys[id_] = why
            summarised += update.op == "upsert" and (update.kind or (memory.kind if memory else "")) == "summary"
        transaction.ids = [*created, *updated, *closed]
        if not dry_run:
            commit(workspace, transaction)
        counts = dict(Counter(memory.kind for memory in states.values()))
        merged = _merges(updates, states)
        seconds = round(time.monotonic() - started, 3)
        report = TidyReport(now, counts, len(closed), merged, summarised, seconds, transaction.op, dry_run)
        return PlanResult(transaction.op, created, updated, closed, report)

    result = changing(workspace, act)
    if not dry_run:
        record(workspace.folder, result.report)
    return result


def _merges(updates: list[Update], states: dict[str, Memory]) -> int:
    """How many closed states were merged into one that the same plan writes.

    A written state absorbs the closed ones that it names; if it names none, all of its kind.
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
    """The candidates' token, and the updates with positions in the candidates (#3) replaced by ids."""
    named = [id_ for update in updates for id_ in (update.state_id, *update.evidence, *_others(update))]
    if not any(map(_POSITION.fullmatch, named)):
        return token, updates
    if not token and workspace.folder.public:  # the latest may be from somebody who sees private memories
        raise InvalidInput("the plan gives positions and no token of candidates", _HINT)
    token = token or tidy_candidates.latest(workspace.folder)
    order = list(tidy_candidates.known_states(workspace.folder, token))

    def by_id(given: str) -> str:
        if not _POSITION.fullmatch(given):
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
    wrong = list(_violations(plan, _schema(), "the plan"))
    updates: list[Update] = []
    for number, item in enumerate(plan["state_updates"] if not wrong else ()):
        update = _read(item)
        where = f"state_updates[{number}]"
        wrong += [f"{where}: {what}" for what in _senseless(update, item)]
        if update.state_id and update.state_id in {each.state_id for each in updates}:
            wrong.append(f"{where}: {update.state_id} occurs twice")
        updates.append(update)
    if wrong:
        more = f" (and {len(wrong) - 5} more)" if len(wrong) > 5 else ""
        raise InvalidInput("; ".join(wrong[:5]) + more, _HINT)
    return plan.get("candidates", ""), updates


_HINT = "nothing was changed; `vault-mem tidy schema` shows what a plan looks like"
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


def _violations(value: Any, wanted: Mapping[str, Any], where: str) -> Iterator[str]:
    """How a value violates its JSON Schema; supports as much of JSON Schema as plans need."""
    if "enum" in wanted:
        if value not in wanted["enum"]:
            yield f"{where} should be one of {', '.join(filter(None, wanted['enum']))}"
        return
    names = wanted["type"] if isinstance(wanted["type"], list) else [wanted["type"]]
    if isinstance(value, bool) or not isinstance(value, tuple(kind for name in names for kind in _TYPES[name])):
        yield f"{where} should be of type {' or '.join(name for name in names if name != 'null')}"
    elif isinstance(value, str):
        if len(value) > wanted.get("maxLength", len(value)) or len(value.strip()) < wanted.get("minLength", 0):
            yield (
                f"{where} is empty" if not value.strip() else f"{where} has more than {wanted['maxLength']} characters"
            )
        elif "pattern" in wanted and not re.fullmatch(wanted["pattern"], value):
            yield f"{where} should be a line of text like {wanted['pattern']}"
        elif "\0" in value or any(0xD800 <= ord(sign) <= 0xDFFF for sign in value):
            yield f"{where} is not valid text"
    elif isinstance(value, int | float):
        if not wanted.get("minimum", value) <= value <= wanted.get("maximum", value):
            yield f"{where} should be from {wanted.get('minimum')} to {wanted.get('maximum', 'any')}"
    elif isinstance(value, list):
        if not wanted.get("minItems", 0) <= len(value) <= wanted["maxItems"]:
            yield f"{where} should have {wanted.get('minItems', 0)} to {wanted['maxItems']} items, not {len(value)}"
        for number, each in enumerate(value[: wanted["maxItems"]]):
            yield from _violations(each, wanted["items"], f"{where}[{number}]")
    elif isinstance(value, dict):
        known = wanted["properties"]
        yield from (f"{where} needs {name}" for name in wanted.get("required", ()) if name not in value)
        if wanted.get("additionalProperties") is False:
            yield from (f"{where} has an unknown key {name!r}" for name in value if name not in known)
        for name in known.keys() & value.keys():
            yield from _violations(value[name], known[name], f"{where}.{name}".removeprefix("the plan."))


def _read(item: dict[str, Any]) -> Update:
    """An update of a plan that meets the schema."""
    payload = item.get("payload") or {}
    lists = {name: _ids(payload[name]) for name in _LISTS if name in payload}
    known = _schema()["properties"]["state_updates"]["items"]["properties"]["payload"]["properties"]
    kind = item.get("kind") or ""
    return Update(
        item["op"],
        item["reason"],
        _id(item.get("state_id")),
        KIND_ALIASES.get(kind, kind),
        (item.get("body_text") or "").strip(),
        {name: value for name, value in payload.items() if name in known} | lists,
        item.get("confidence"),
        item.get("salience"),
        _time(item.get("valid_from_ts")),
        _time(item.get("valid_to_ts")),
        _time(item.get("last_confirmed_at")),
        _ids(item.get("evidence_event_ids") or []),
        {name: value for name, value in payload.items() if name not in known},
    )


def _senseless(update: Update, item: dict[str, Any]) -> Iterator[str]:
    """What is wrong with an update that the schema cannot express."""
    for name in ("valid_from_ts", "valid_to_ts", "last_confirmed_at"):
        if item.get(name) is not None and _time(item[name]) is None:
            yield f"{name} should be ISO 8601 with offset, such as 2026-01-10T14:06:59+09:00"
    if update.op != "upsert" and not update.state_id:
        yield f"{update.op} needs the state_id of what it ends"
    if update.op == "upsert" and not update.state_id and not (update.kind and update.body_text):
        yield "a new state needs kind and body_text"
    if update.valid_from and update.valid_to and update.valid_to < update.valid_from:
        yield "valid_to_ts is before valid_from_ts"


def _time(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment if moment.tzinfo is not None and 1 < moment.year < 9999 else None


def _ids(given: list[str | int]) -> list[str]:
    return [id_ for each in given if (id_ := _id(each))]


def _id(given: str | int | None) -> str:
    """An id. A number is a position in the candidates, kept as `#3` until they are known; 0 means none."""
    return f"#{given}" if given and isinstance(given, int) else str(given or "")


def _states(workspace: Workspace, token: str, updates: list[Update]) -> dict[str, Memory]:
    """The states a plan is about, as they are now; raises if one is unknown, not a state, or changed since."""
    named = {update.state_id for update in updates if update.state_id}
    others = {id_ for update in updates for id_ in (*update.evidence, *_others(update))}
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
        if update.state_id:
            _check_state(workspace, update, found[update.state_id], known)
    if any(memory.private for memory in found.values()):
        for update in updates:
            target = found.get(update.state_id)
            if target is not None and update.op == "upsert" and update.body_text and not target.private:
                raise InvalidInput(
                    f"the plan uses private memories, and {target.id} is public", "make a plan for each side"
                )
    return found


def _check_state(workspace: Workspace, update: Update, memory: Memory, known: dict[str, str]) -> None:
    now = workspace.folder.now()
    if memory.kind not in STATE_KINDS and not (memory.kind == "mood" and update.op == "upsert"):
        raise InvalidInput(f"{memory.id} is of kind {memory.kind}: only states are tidied", _HINT)
    if update.kind and update.kind != memory.kind:
        raise InvalidInput(f"{memory.id} is a {memory.kind}, not a {update.kind}", _HINT)
    if update.op != "upsert" and memory.closed_at(now):
        raise Conflict(f"{memory.id} is already closed", "nothing was changed")
    begin = update.valid_from or memory.valid_from
    end = update.valid_to or (memory.valid_to if update.op == "upsert" else now)
    if begin and end and end < begin:
        raise InvalidInput(f"{memory.id} would end before it began", _HINT)
    if memory.id not in known:
        if update.op != "upsert":
            return  # anything may be closed, but only a text that was handed out may be replaced
        raise InvalidInput(
            f"{memory.id} is not among the candidates that the plan names",
            "run `vault-mem tidy candidates --json` and put its token into the plan",
        )
    if known[memory.id] != tidy_candidates.digest(workspace.folder, memory):
        raise Conflict(f"{memory.id} has changed since the candidates were made", "nothing was changed; look again")


def _create(
    workspace: Workspace, transaction: Transaction, update: Update, states: dict[str, Memory], private: bool
) -> str:
    said = {key: value for key, value in update.payload.items() if key not in _LISTS}
    said |= {key: getattr(update, key) for key in ("kind", "confidence", "salience", "valid_from", "valid_to")}
    draft = checked(Draft(update.body_text, private=private, **said), workspace.folder.zone)
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
        change = replace_words(workspace, memory, raw, update.body_text)
        after, transaction.written[memory.id] = change.raw, change.written
    changes: dict[str, Value | None] = {}
    for key in ("confidence", "salience", "valid_from", "valid_to", "last_confirmed"):
        value = getattr(update, key)
        if isinstance(value, datetime):
            value = value.astimezone(workspace.folder.zone).replace(microsecond=0)
        if value is not None:
            changes[key] = value
    names = workspace.names
    for key, value in update.payload.items():
        if key in _LISTS:
            value = [f"[[{names.of(states[id_].path)}]]" for id_ in value]
        changes[key] = value
    if update.payload.get("sources"):
        changes["sources_digest"] = summaries.digest([states[id_] for id_ in update.payload["sources"]])
    after = edit(after, changes)
    transaction.write(memory.path, raw, after)
    views.follow(transaction, memory, as_written(workspace.folder, memory, after))
