"""The answers to the page's questions: each calls the library or one operation and returns JSON."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from vault_mem import __version__
from vault_mem.daemon.protocol import STATUS, address_for
from vault_mem.daemon.start import control
from vault_mem.errors import Conflict, InvalidInput, NotFound, VaultMemError
from vault_mem.model import KINDS, Memory
from vault_mem.notes.excerpt import cut
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.day.timeline import timeline as timeline_of
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import Request as Question
from vault_mem.operations.memory.remember import check as check_draft
from vault_mem.operations.memory.remember import remember as save
from vault_mem.operations.memory.results import Found
from vault_mem.operations.memory.show import Around, links_of, named_in, of_ids, replacements_and_titles
from vault_mem.operations.upkeep.edit_memory import save_text, whole_note
from vault_mem.operations.upkeep.graph import landscape
from vault_mem.operations.upkeep.undo import Operation, changes_of, operations
from vault_mem.operations.vaults.glance import facets as facets_of
from vault_mem.operations.vaults.glance import glance, index_bytes
from vault_mem.result import as_record, plain
from vault_mem.vault.folder import Folder
from vault_mem.web.differences import Difference, of_lines, of_words
from vault_mem.web.rendered import rendered
from vault_mem.web.vault import SeenVault

MOST_RESULTS = 50
MOST_LISTED = 500
DEEPEST = 4
# Larger files are not compared: nobody would read the difference.
_MOST_COMPARED = 300_000
_EXCERPT = 160
_WORST = ("error", "warning", "info")
_FIELDS = ("kind", "category", "importance", "tags", "people", "emotion", "about_time", "supersedes", "private")

Answer = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One request of the page: the vault as this tab sees it, the values in the URL and the body, the CSRF token."""

    vault: SeenVault
    given: Mapping[str, str]
    body: Mapping[str, Any]
    private: bool
    csrf: str = ""
    japanese: bool = False

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number from the address, from 1 to `most`."""
        text = self.given.get(name) or str(default)
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
            raise InvalidInput(f"{name} is a number from 1 to {most}")
        return int(text)

    def text(self, name: str) -> str:
        """A text from the body; raises InvalidInput if it is missing."""
        value = self.body.get(name)
        if not isinstance(value, str):
            raise InvalidInput(f"{name} is a text")
        return value

    @property
    def filters(self) -> Filters:
        """The filters in the address."""
        given = {name: self.given[name] for name in ("kind", "category", "emotion") if self.given.get(name)}
        times = {name: self.given[name] for name in ("since", "until", "as_of") if self.given.get(name)}
        several = {"tags": _several(self.given.get("tag")), "people": _several(self.given.get("person"))}
        chosen = Filters(**given, **several, closed=self.given.get("closed") == "1")  # type: ignore[arg-type]
        return self.vault.chosen(chosen, **times)


def status(call: Call) -> Answer:
    """What the page shows first: counts, settings and the CSRF token."""
    vault, folder = call.vault, call.vault.folder
    found = vault.look(glance)
    return {
        "csrf": call.csrf,
        "version": __version__,
        "vault": folder.root.name,
        "root": str(folder.root),
        "memories": found.there.memories,
        "closed": found.there.closed,
        "episodes": found.there.episodes,
        "proposals": found.proposals,
        "stale": found.stale,
        "now": folder.now().isoformat(),
        "zone": folder.settings.timezone,
        "obsidian": folder.tree.exists(".obsidian"),
        "daemon": daemon(folder) is not None,
        "kinds": list(KINDS),
        "languages": ["en", "ja"],
        "lang": "ja" if call.japanese else "en",
    } | ({"private_memories": found.there.private} if call.private else {})


def facets(call: Call) -> Answer:
    """The values that memories can be filtered by."""
    return call.vault.look(facets_of).to_dict()


def listed(call: Call) -> Answer:
    """Memories, newest first."""
    found = call.vault.list(call.filters, call.number("n", 20, MOST_LISTED))
    return {"memories": _memories(call, found.memories), "total": found.total, "stale": found.stale}


def recall(call: Call) -> Answer:
    """What a query finds, with the parts of each score."""
    started = time.monotonic()
    question = Question(call.given.get("q", ""), call.number("n", 10, MOST_RESULTS), call.filters)
    found = call.vault.ask(question)
    memories = [each.memory for each in found]
    beside = call.vault.look(replacements_and_titles, memories, [each.replaced_by for each in found])
    links = call.vault.look(links_of, memories)
    return {
        "query": found.query,
        "answered": found.answered,
        "stale": found.stale,
        "left_out": found.left_out,
        "results": [_result(call, each, beside) | {"links": plain(links[each.memory.id])} for each in found],
        "seconds": round(time.monotonic() - started, 4),
    }


def why_not(call: Call) -> Answer:
    """At which stage a recall drops a memory, or its rank."""
    question = Question(call.given.get("q", ""), call.number("n", 10, MOST_RESULTS), call.filters)
    found = call.vault.ask_why_not(call.given.get("id", ""), question)
    about = {"id": found.memory.id, "title": found.memory.title, "explain": _terms(found.terms)}
    return as_record(found, "memory", "terms", "stale", "pending") | about


def memory(call: Call) -> Answer:
    """One memory with everything about it."""
    shown = call.vault.show(call.given["id"])
    found = shown.memory
    beside = call.vault.look(replacements_and_titles, [found])
    kinds = {id_: each.kind for id_, each in call.vault.look(of_ids, [link.id for link in shown.links]).items()}
    history = call.vault.history(found.id)
    return _memory(call, found, beside) | {
        **_note(call, found),
        "html": rendered(found.content, call.vault.look(named_in, found)),
        "links": [link | {"kind": kinds.get(link["id"], "episode")} for link in plain(shown.links)],
        "obsidian": call.vault.folder.in_obsidian(found.path),
        "editor": f"vault-mem edit {found.id}",
        "history": [
            {
                "at": each.at.isoformat(),
                "command": each.command,
                "reason": each.reason,
                "diff": _file_difference(each.before, each.after),
            }
            for each in reversed(history.revisions)
        ],
    }


def _note(call: Call, found: Memory) -> Answer:
    """The whole note, if it can be edited here."""
    try:
        note = call.vault.look(whole_note, found.id)
    except VaultMemError as error:
        return {"raw": "", "hash": "", "writable": False, "why_not_writable": error.message}
    return {"raw": note.text, "hash": note.digest, "writable": True}


def wake_up(call: Call) -> Answer:
    """What an agent is told when a session begins."""
    budget = call.number("budget", 1500, 100_000)
    return _told(budget, call.vault.told_to_an_agent("wake_up", budget=budget))


def agent_recall(call: Call) -> Answer:
    """What an agent is told when it asks."""
    budget, n = call.number("budget", 1500, 100_000), call.number("n", 5, MOST_RESULTS)
    query = call.given.get("q", "")
    return _told(budget, call.vault.told_to_an_agent("recall", query=query, budget=budget, n_results=n))


def _told(budget: int, text: str) -> Answer:
    return {"text": text, "tokens": count_tokens(text), "budget": budget}


def timeline(call: Call) -> Answer:
    """The number of memories in each span of time, and how they felt."""
    record = call.vault.look(timeline_of, call.given.get("by") or "month", call.filters.as_of).to_dict()
    spans = record["buckets"]
    ends = {"first": spans[0]["start"], "last": spans[-1]["end"]} if spans else {"first": None, "last": None}
    return record | ends


def timeline_memories(call: Call) -> Answer:
    """The memories of a span of time."""
    ends = {name: call.given[key] for name, key in (("since", "start"), ("until", "end")) if call.given.get(key)}
    as_of = {"as_of": call.given["as_of"]} if call.given.get("as_of") else {}
    chosen = call.vault.chosen(Filters(closed=True), **ends, **as_of)
    found = call.vault.list(chosen, call.number("n", 200, MOST_LISTED))
    memories = _memories(call, found.memories)
    for each in memories:
        each["excerpt"] = cut(each.pop("content"), _EXCERPT)
    return {"memories": memories, "total": found.total}


def graph(call: Call) -> Answer:
    """The memories around one, or all of them, as columns, which are compact for large vaults."""
    centre = call.given.get("around", "")
    found = call.vault.look(landscape, centre, call.number("depth", 1, DEEPEST))
    kinds = [*KINDS, "episode"]
    types = sorted({type_ for _, _, type_ in found.arcs})
    degree = [0] * len(found.ids)
    for one, other, _ in found.arcs:
        degree[one] += 1
        degree[other] += 1
    sizes = Counter(each for each in found.cluster if each >= 0)
    numbers = {hub: number for number, (hub, _) in enumerate(sizes.most_common())}
    return {
        "nodes": {
            "id": found.ids,
            "title": found.titles,
            "kind": [kinds.index(each) if each in kinds else 0 for each in found.kinds],
            "cluster": [numbers.get(each, -1) for each in found.cluster],
            "degree": degree,
            "created": [int(each) for each in found.created],
            "closed": [int(each) for each in found.closed],
            "depth": found.depth,
        },
        "edges": [[one, other, types.index(type_)] for one, other, type_ in found.arcs],
        "kinds": kinds,
        "types": types,
        "clusters": [{"size": sizes[hub], "title": found.titles[hub], "hub": hub} for hub in numbers],
        "total": found.total,
        "cut": found.total > len(found.ids),
    } | ({"centre": 0} if centre else {})


def review(call: Call) -> Answer:
    """The proposals that wait for an answer, with their memories."""
    waiting = call.vault.review()
    memories = call.vault.look(of_ids, {id_ for each in waiting for id_ in each.ids})
    beside = call.vault.look(replacements_and_titles, list(memories.values()))
    shown = []
    for each in waiting:
        of_it = [memories[id_] for id_ in each.ids if id_ in memories]
        private = any(memory.private for memory in of_it)
        texts = [memory.content for memory in of_it]
        said = call.vault.said_around(each) if call.private else []  # sessions are private
        shown.append(
            {
                "key": each.id,
                "kind": each.kind,
                "words": each.readable,
                "file": f"{call.vault.folder.settings.private_folder}/REVIEW.md" if private else "REVIEW.md",
                "private": private,
                "memories": [_memory(call, memory, beside) for memory in of_it],
                "diff": of_words(texts[1], texts[0]) if len(texts) == 2 else [],
                "said": [{"who": turn.role, "text": turn.text} for turn in said],
            }
        )
    return {"proposals": shown}


def answer_review(call: Call) -> Answer:
    """Carry out a proposal, or reject it for good."""
    wanted = call.text("answer")
    if wanted not in ("accept", "refuse"):
        raise InvalidInput("answer is accept or refuse")
    if call.given["key"] not in {each.id for each in call.vault.review()}:
        raise NotFound("No such proposal waits", "it may have been answered elsewhere")
    done = call.vault.review_answer(call.given["key"], accept=wanted == "accept")
    return as_record(done, "proposal")


def history(call: Call) -> Answer:
    """What happened, newest first."""
    n = call.number("n", 50, MOST_LISTED)
    found = call.vault.look(operations, n + 1, call.given.get("before", ""))
    titles = call.vault.look(replacements_and_titles, [], [id_ for each in found[:n] for id_ in each.ids]).titles
    return {"operations": [_operation(each, titles) for each in found[:n]], "more": len(found) > n}


def operation(call: Call) -> Answer:
    """One operation with what it changed."""
    found = call.vault.look(changes_of, call.given["op"])
    titles = call.vault.look(replacements_and_titles, [], found.operation.ids).titles
    files = [
        {
            "path": each.key,
            "diff": _file_difference(each.before, each.after),
            "made": each.before is None,
            "removed": each.after is None,
            "cut": _too_long(each.before, each.after),
        }
        for each in found.changes
    ]
    return _operation(found.operation, titles) | {"files": files}


def undo(call: Call) -> Answer:
    """Take an operation back."""
    return call.vault.undo(call.text("op")).to_dict()


def health(call: Call) -> Answer:
    """Freshness, the index, the daemon and growth; unless `quick`, also what doctor finds.

    Private memories count only if this tab shows them.
    """
    vault, quick = call.vault, call.given.get("quick") == "1"
    running = daemon(vault.folder)
    checks = [_checked("daemon", "ok" if running else "info", "vault-mem daemon start")]
    figures: dict[str, Any] = {"growth": [], "by_kind": {}, "index_bytes": 0}
    try:
        found = vault.look(glance)
        checks.append(_checked("fresh", "warning" if found.stale else "ok", "vault-mem status"))
        months = [(f"{span.start:%Y-%m}", span.count) for span in vault.look(timeline_of, "month").spans]
        size = vault.look(index_bytes)
        figures = {"growth": months, "by_kind": dict(vault.look(facets_of).kinds), "index_bytes": size}
    except VaultMemError as error:  # doctor checks what it can without the index
        checks.append(_checked("index", "error", "vault-mem reindex", error.message))
    doctor: dict[str, Any] = {"findings": [], "healthy": None}
    if not quick:
        doctor = {name: value for name, value in vault.doctor().to_dict().items() if name in doctor}
        state = next((each for each in _WORST if any(one["severity"] == each for one in doctor["findings"])), "ok")
        checks.append(_checked("doctor", state, "vault-mem doctor --fix"))
    about = {"pid": running["pid"], "memory": running["memory_bytes"], "version": running["version"]} if running else {}
    return {"quick": quick, "checks": checks, "daemon": {"running": running is not None} | about, **figures, **doctor}


def daemon(folder: Folder) -> dict[str, Any] | None:
    """The status of the daemon that has the vault open, or None."""
    root = str(folder.root)
    address = address_for(root, folder.env) if os.name == "posix" else ""
    found = control(address, STATUS, root) if address else None
    return found if found and found.get("vault") == root else None


def _checked(name: str, state: str, fix: str, detail: str = "") -> dict[str, str]:
    """One check, which the page words in the user's language; `detail` is shown as it is."""
    return {"name": name, "state": state, "detail": detail, "fix": "" if state == "ok" else fix}


def check(call: Call) -> Answer:
    """What saving a draft would do; nothing is written."""
    try:
        found = call.vault.look(check_draft, _draft(call))
    except VaultMemError as error:
        return {"verdict": error.code, "would_save": False, "message": error.message, "hint": error.hint}
    content = call.text("content")
    repeated, changed = found.duplicate_of, found.changed
    verdict = "duplicate" if repeated else "grows" if found.grows else "changed" if changed else "new"
    near = repeated or changed
    return {
        "verdict": verdict,
        "would_save": repeated is None,
        "message": "; ".join(found.differs),
        "duplicate_of": _near(repeated, content),
        "changes": _near(changed, content),
        "near": _near(near, content),
        "grows": {"id": found.grows.id, "title": found.grows.title} if found.grows else None,
        "may_replace": [_brief(each) for each in found.may_replace],
        "may_finish": [_brief(each) for each in found.may_finish],
        "links": [_brief(each) | {"type": "similar", "confidence": each.similarity} for each in found.linked],
    }


def remember(call: Call) -> Answer:
    """Save a new memory, with its owner as source."""
    draft = replace(_draft(call), source="hand")
    force = call.body.get("force") is True
    result, op = call.vault.change(lambda opened: (save(opened, draft, force=force), opened.folder.last_op))
    if result.duplicate_of is not None:
        raise Repeated(_near(result.duplicate_of, draft.content) or {})
    return result.to_dict() | {"memory": _memories(call, [result[0]] if result[0] else [])[0], "op": op}


def edit(call: Call) -> Answer:
    """Save a whole note, unless it changed since the page read it."""
    id_, text, digest = call.text("id"), call.text("raw"), call.text("hash")
    try:
        done = call.vault.change(save_text, id_, text, digest)
    except Conflict as error:
        theirs = call.vault.look(whole_note, id_)
        if theirs.digest == digest:
            raise
        raise Edited(error, text, theirs.text, theirs.digest) from error
    now = call.vault.look(whole_note, done.memory.id)
    status = "edited" if done.changed else "unchanged"
    return {"status": status, "memory": _memories(call, [done.memory])[0], "op": done.op, "hash": now.digest}


class Repeated(Conflict):
    """The new text repeats a memory."""

    code = "duplicate"

    def __init__(self, near: Answer) -> None:
        super().__init__("It repeats a memory, so it was not saved", "change that one, or save it anyway")
        self.more = {"duplicate_of": near}


class Edited(Conflict):
    """The note changed while it was edited here; `more` has both texts, for the person to choose from."""

    def __init__(self, error: Conflict, yours: str, theirs: str, digest: str) -> None:
        super().__init__(error.message, error.hint)
        same_endings = theirs.replace("\r\n", "\n").replace("\r", "\n")
        self.more = {"yours": yours, "theirs": theirs, "hash": digest, "diff": of_lines(same_endings, yours)}


def _draft(call: Call) -> Draft:
    given = {name: call.body[name] for name in _FIELDS if call.body.get(name) is not None}
    if given.get("private") and not call.private:
        raise PrivateOff()
    return Draft(content=call.text("content"), **given)


class PrivateOff(VaultMemError):
    """A tab that does not see private memories asked for something private."""

    code = "private"

    def __init__(self) -> None:
        super().__init__("private memories are switched off in this tab", "switch them on first")


def _result(call: Call, found: Found, beside: Around) -> Answer:
    titles = beside.titles
    return _memory(call, found.memory, beside) | {
        "relevance": found.relevance,
        "score": found.score,
        "similarity": found.similarity,
        "passage": found.passage,
        "parts": _parts(found.memory.content, found.passage),
        "explain": _terms(found.terms),
        "maybe_replaced_by": _named(found.replaced_by, titles),
        "obsidian": call.vault.folder.in_obsidian(found.memory.path),
    }


def _parts(content: str, passage: str) -> list[tuple[str, bool]]:
    """A text, with the part that answers marked."""
    answer = passage.removeprefix("...").removesuffix("...").strip()
    before, found, after = content.partition(answer) if answer else (content, "", "")
    return [(text, marked) for text, marked in ((before, False), (found, True), (after, False)) if text]


def _terms(terms: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(((name, round(value, 4)) for name, value in terms.items()), key=lambda each: -abs(each[1]))


def _memories(call: Call, memories: list[Memory]) -> list[Answer]:
    beside = call.vault.look(replacements_and_titles, memories)
    return [_memory(call, each, beside) for each in memories]


def _memory(call: Call, found: Memory, beside: Around) -> Answer:
    record = found.to_dict()
    for name in ("links", "sources_digest", "provisional"):
        record.pop(name, None)
    closed = found.closed_at(call.vault.folder.now())
    replaced = _named(beside.superseded_by.get(found.id, ""), beside.titles)
    return {"people": []} | record | {"closed": closed, "superseded_by": replaced}


def _named(id_: str, titles: Mapping[str, str]) -> Answer | None:
    return {"id": id_, "title": titles[id_]} if id_ in titles else None


def _brief(found: Found) -> Answer:
    return {"id": found.memory.id, "title": found.memory.title}


def _near(found: Found | None, content: str) -> Answer | None:
    if found is None:
        return None
    text = found.memory.content
    return _brief(found) | {"content": text, "similarity": found.similarity, "diff": of_words(text, content)}


def _operation(found: Operation, titles: Mapping[str, str]) -> Answer:
    return found.to_dict() | {"titles": {id_: titles[id_] for id_ in found.ids if id_ in titles}}


def _file_difference(before: str | None, after: str | None) -> Difference:
    return [] if _too_long(before, after) else of_lines(before or "", after or "")


def _too_long(*texts: str | None) -> bool:
    return sum(len(text or "") for text in texts) > _MOST_COMPARED


def _several(text: str | None) -> list[str]:
    return [each.strip() for each in (text or "").split(",") if each.strip()]
