"""remember: save a text as a memory, unless it only repeats one, and link it to memories near in meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any

from vault_mem import redact
from vault_mem.errors import EditRefused, InvalidInput, Unsafe
from vault_mem.index.links import Names
from vault_mem.index.rows import SAME_SECOND_STEP
from vault_mem.model import KIND_ALIASES, STATE_KINDS, Link, Memory, as_dict
from vault_mem.notes.edit import edit
from vault_mem.notes.links import nameable, stem_of, write_link
from vault_mem.notes.origin import joined, made_of
from vault_mem.notes.parse import title_of, written_list
from vault_mem.notes.write import file_name, note_text
from vault_mem.operations.changing import changing, commit, memory_written, new_id, read_to_edit, to_edit_in
from vault_mem.operations.memory import blocked
from vault_mem.operations.memory.drafts import Draft, checked, refuse_secrets
from vault_mem.operations.memory.due import day_of
from vault_mem.operations.memory.guard import guard, worth_linking
from vault_mem.operations.memory.replaced import finished_by, replaced_by
from vault_mem.operations.memory.results import Found
from vault_mem.operations.memory.singletons import existing_singleton, update_in_place
from vault_mem.operations.upkeep import review, summaries
from vault_mem.operations.upkeep.validity import close_in
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault import activity
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction

Replaced = tuple[Memory, str]  # what may be replaced, and why

log = redact.logger(__name__)


@dataclass(frozen=True)
class RememberResult(Result, tuple[Memory | None, int, list[Found], Found | None]):
    """Unpacks into memory, links, linked, duplicate_of. Exactly one of memory and duplicate_of is set.

    True if the text was `saved`, false if it was refused as a repetition.

    `changed` is a nearly identical memory with other facts, and `differs` names them. `grown` means that an existing
    mood or summary now has the new text; `kept` is what a person had added to it, which is still there. `may_replace`
    are open states that the text may replace, `may_finish` open tasks that it says are done.
    """

    memory: Memory | None
    links: int
    linked: list[Found]
    duplicate_of: Found | None
    closed: list[Memory] = field(default_factory=list)
    changed: Found | None = None
    differs: list[str] = field(default_factory=list)
    grown: bool = False
    kept: str = ""
    may_replace: list[Found] = field(default_factory=list)
    may_finish: list[Found] = field(default_factory=list)

    def __new__(
        cls, memory: Memory | None, links: int, linked: list[Found], duplicate_of: Found | None, *_: Any, **__: Any
    ) -> RememberResult:
        """A tuple of the first four, so that type checkers know their types when they are unpacked."""
        return tuple.__new__(cls, (memory, links, linked, duplicate_of))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __bool__(self) -> bool:
        return self.saved

    @property
    def saved(self) -> bool:
        """Whether a memory has the text now."""
        return self.memory is not None

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        status = "duplicate" if self.duplicate_of else "updated" if self.grown else "saved"
        return as_record(self, "grown", status=status, closed=[old.id for old in self.closed])


def remember(
    workspace: Workspace,
    draft: Draft,
    *,
    force: bool = False,
    dedup_threshold: float | None = None,
    link_threshold: float | None = None,
    max_links: int | None = None,
    keep_refused: bool = True,
    allow_secret: bool = False,
    replace_all: bool = False,
    later: Callable[[Planned], None] | None = None,
) -> RememberResult:
    """Save a draft. A repetition is not saved unless `force`; with `keep_refused`, it is kept for a month.

    With `later`, the planned memory is passed to it instead of being written, so that many can be written at once.
    """
    if draft.private:
        redact.seal(as_dict(draft))
    draft = checked(draft, workspace.folder.zone)
    log.log(redact.step(), "Routing: remember %s", redact.sanitised("remember", as_dict(draft)))
    if not draft.private and not allow_secret:
        refuse_secrets(as_dict(draft))
    settings = workspace.folder.settings
    dedup = settings.dedup_threshold if dedup_threshold is None else dedup_threshold
    near = settings.link_threshold if link_threshold is None else link_threshold
    most = settings.max_links if max_links is None else max_links
    for name, value in (("dedup_threshold", dedup), ("link_threshold", near)):
        if not 0 <= value <= 1:
            raise InvalidInput(f"{name} must be from 0 to 1, not {value}")

    def act() -> RememberResult:
        if workspace.freshen().stale:
            raise Unsafe("the index is busy, so a repetition could not be recognised", "try again in a moment")
        whole = _as_private_as_its_sources(workspace, draft)
        existing = existing_singleton(workspace, whole)
        if existing is None:
            result, planned = _planned(workspace, whole, force, dedup, near, most, keep_refused)
            if planned is not None:
                later(planned) if later else write(workspace, [planned])
            return result
        grown = update_in_place(workspace, existing, whole, replace_all=replace_all)
        return RememberResult(grown.memory, 0, [], None, grown=True, kept=grown.kept)

    return changing(workspace, act)


def saved_before(workspace: Workspace, id_: str) -> RememberResult:
    """The answer of `remember` for a memory that it saved, reconstructed because the answer was lost."""
    workspace.freshen()
    edges = [edge for edge in workspace.graph.edges(id_) if edge.link.type == "similar"]
    linked = [Found(workspace.index.get(edge.target), edge.link.confidence or 0.0) for edge in edges]
    linked.sort(key=lambda found: -found.similarity)
    return RememberResult(workspace.index.get(id_), len(linked), linked, None)


@dataclass(frozen=True)
class Planned:
    """A memory that is about to be written, and what changes with it.

    `told_by` are older private memories, which get the link because a public one may not name them. `replaces` is what
    it may replace, and why.
    """

    memory: Memory
    text: bytes
    superseded: list[Memory] = field(default_factory=list)
    told_by: list[Found] = field(default_factory=list)
    replaces: list[Replaced] = field(default_factory=list)
    latest: bool = False


def refers_to_others(draft: Draft) -> bool:
    """Whether saving a draft may change or name memories other than its neighbours."""
    grows = draft.kind in ("mood", "summary", *KIND_ALIASES)
    spoken = draft.category == views.INTROSPECTION and draft.created is None
    return bool(draft.supersedes or draft.sources or grows or spoken)


def _planned(
    workspace: Workspace, draft: Draft, force: bool, dedup: float, near: float, most: int, keep_refused: bool
) -> tuple[RememberResult, Planned | None]:
    """The result for a draft, and what is to be written for it, if anything."""
    superseded = _superseded(workspace, draft)
    expected = _expected(workspace, draft, superseded, force, dedup, near, most)
    if (duplicate := expected.duplicate_of) is not None:
        if superseded and duplicate.memory.content == draft.content:
            return _supersede(workspace, duplicate.memory, superseded), None
        if keep_refused:
            blocked.keep_refused(workspace, draft, duplicate.memory.id)
        activity.note_block(workspace.folder)
        return RememberResult(None, 0, [], duplicate), None
    changed = expected.changed
    replaces = [(each.memory, "speaks of a change") for each in expected.may_replace]
    if changed is not None:
        replaces = [each for each in replaces if each[0].id != changed.memory.id]
        if changed.memory.kind in STATE_KINDS:
            replaces.insert(0, (changed.memory, f"differs: {'; '.join(expected.differs)}"))
    planned = _plan(workspace, draft, expected.linked, superseded, replaces)
    details = {name: getattr(expected, name) for name in ("changed", "differs", "may_replace", "may_finish")}
    return RememberResult(planned.memory, len(expected.linked), expected.linked, None, superseded, **details), planned


@dataclass(frozen=True)
class Expected(Result):
    """What saving a text would do: the memory it repeats, or else those it links to, changes, replaces or finishes.

    `grows` is the mood or summary that would get the text.
    """

    duplicate_of: Found | None = None
    linked: list[Found] = field(default_factory=list)
    changed: Found | None = None
    differs: list[str] = field(default_factory=list)
    may_replace: list[Found] = field(default_factory=list)
    may_finish: list[Found] = field(default_factory=list)
    grows: Memory | None = None


def check(workspace: Workspace, draft: Draft) -> Expected:
    """What `remember` would do with a draft; nothing is written."""
    draft = checked(draft, workspace.folder.zone)
    if not draft.private:
        refuse_secrets(as_dict(draft))
    workspace.freshen()
    if (existing := existing_singleton(workspace, draft)) is not None:
        return Expected(grows=existing)
    settings = workspace.folder.settings
    limits = settings.dedup_threshold, settings.link_threshold, settings.max_links
    return _expected(workspace, draft, _superseded(workspace, draft), False, *limits)


def _superseded(workspace: Workspace, draft: Draft) -> list[Memory]:
    found = [workspace.index.get(id_) for id_ in draft.supersedes]
    return list({memory.id: memory for memory in found}.values())


def _expected(
    workspace: Workspace, draft: Draft, superseded: list[Memory], force: bool, dedup: float, near: float, most: int
) -> Expected:
    """What saving a draft would do; with `force`, a repetition is saved too."""
    verdict = workspace.reading(lambda: guard(workspace, draft.content, dedup))
    old = {memory.id for memory in superseded}
    duplicate = verdict.duplicate_of if verdict.duplicate_of and verdict.duplicate_of.memory.id not in old else None
    if duplicate is not None and draft.kind == "summary" and duplicate.memory.kind != "summary":
        duplicate = None  # a summary naturally repeats what it sums up
    finished = workspace.reading(lambda: finished_by(workspace, draft))
    if duplicate is not None and duplicate.memory.id in [each.memory.id for each in finished]:
        duplicate = None  # "done" does not repeat the task, however similar the words
    if duplicate is not None and not force:
        return Expected(duplicate)
    worth = worth_linking(workspace, draft.content, near)
    good = (
        found
        for found in verdict.neighbours
        if found.distance < near and worth(found.memory.content) and _can_link(workspace, found, draft.private)
    )
    linked = list(islice(good, max(most, 0)))
    outdated = [] if superseded else workspace.reading(lambda: replaced_by(workspace, draft, verdict.neighbours))
    done = [each for each in finished if each.memory.id not in old]
    outdated = [each for each in outdated if each.memory.id not in [task.memory.id for task in done]]
    changed = verdict.changed if verdict.changed and verdict.changed.memory.id not in old else None
    differs = [str(each) for each in verdict.differs] if changed else []
    return Expected(None, linked, changed, differs, outdated, done)


def _plan(
    workspace: Workspace, draft: Draft, linked: list[Found], superseded: list[Memory], replaces: list[Replaced]
) -> Planned:
    """The memory with its links, and the text of its file."""
    folder = workspace.folder
    memory = new_memory(workspace, draft)
    names = workspace.names
    told_by = [found for found in linked if found.memory.private and not memory.private]
    memory.links += [
        Link(names.of(found.memory.path), "similar", found.similarity, found.memory.title)
        for found in linked
        if found not in told_by
    ]
    for old in superseded:
        _refuse_to_name(old, memory)
        memory.supersedes.append(names.of(old.path))
    if draft.sources:
        sources = [workspace.index.get(id_) for id_ in draft.sources]
        memory.sources = [names.of(source.path) for source in sources]
        memory.sources_digest = summaries.digest(sources)
        memory.source = joined(memory.source, made_of(source.source for source in sources))
    text = note_text(for_obsidian(memory, names, folder), folder.zone).encode()
    # an introspection with a given date was written down later, so it is not the latest
    latest = draft.created is None and memory.category == views.INTROSPECTION
    return Planned(memory, text, superseded, told_by, replaces, latest)


def write(workspace: Workspace, planned: Sequence[Planned], *, mirror: bool = True) -> None:
    """Write memories and whatever must change with them, as one transaction.

    What they may replace is proposed in REVIEW.md. Without `mirror`, the caller adds their lines to the views.
    """
    folder = workspace.folder
    now = folder.now().replace(microsecond=0)
    transaction = Transaction(folder, "remember")
    lines = views.ViewLines(folder)
    at_hand = [each.memory for each in planned]
    suggested = []
    for each in planned:
        memory = each.memory
        transaction.ids += [memory.id, *(old.id for old in each.superseded)]
        transaction.create(memory.path, each.text)
        for found in each.told_by:  # a public file never names a private memory
            link = write_link(Link(stem_of(memory.path), "similar", found.similarity, memory.title))
            raw = to_edit_in(transaction, workspace, found.memory)
            transaction.write(found.memory.path, raw, edit(raw, {"links": [*written_list(raw, "links"), link]}))
        for old in each.superseded:
            if not old.closed_at(now):
                close_in(transaction, workspace, old, now)
        if each.latest:
            views.write_monologue(transaction, memory, views.newest_introspection(workspace))
        for old, why in each.replaces:
            at_hand.append(old)
            suggested.append(review.Suggestion("supersede", (memory.id, old.id), why))
        lines.add(memory)
    if mirror:
        lines.put(transaction)
    review.propose_in(transaction, workspace, suggested, at_hand)
    commit(workspace, transaction, soon=mirror, mirrored=mirror)


def for_obsidian(memory: Memory, names: Names, folder: Folder) -> Memory:
    """The memory as it is written: with its title as an alias, and its people as links, if the settings say so.

    The alias is only for Obsidian; elsewhere it would just repeat the text.
    """
    settings = folder.settings
    wanted = settings.title_aliases and folder.tree.exists(".obsidian")
    if wanted and memory.title not in ("", *memory.aliases):
        memory = replace(memory, aliases=[memory.title, *memory.aliases])
    if settings.people_links:
        memory = replace(memory, people=[_linked(name, names, folder) for name in memory.people])
    return memory


def _linked(person: str, names: Names, folder: Folder) -> str:
    """A person as a link to the note about them, if there is a public one."""
    key = names.find(person) if nameable(person) and "/" not in person else None
    return f"[[{person}]]" if key and key.lower().endswith(".md") and not folder.is_private(key) else person


def new_memory(workspace: Workspace, draft: Draft) -> Memory:
    """A memory made from a draft, with an id, a title and a path, but without links and not written yet."""
    folder = workspace.folder
    created = (draft.created or folder.now()).astimezone(folder.zone).replace(microsecond=0)
    own = {"id": new_id(workspace, "mem_"), "created": created, "supersedes": [], "sources": []}
    memory = Memory(**as_dict(draft) | own | {"metadata": dict(draft.metadata)})
    if memory.kind == "task" and memory.about_time is None:  # the text still says "tomorrow" in a month
        memory.about_time = day_of(memory.content, created)
    memory.title = title_of(draft.content)
    memory.seq = _seq(workspace, created)
    settings = folder.settings
    month = f"{settings.memories_folder}/{created:%Y-%m}"
    memory.path = f"{settings.private_folder if draft.private else month}/{file_name(memory)}"
    return memory


def _seq(workspace: Workspace, created: datetime) -> int | None:
    """The `seq` of a memory: its number among those of the same second, None for the first."""
    second = created.timestamp()
    with workspace.candidates_and_unwritten() as both:
        known = [last for each in both if (last := each.last_of_second(second)) is not None]
    return round((max(known) - second) / SAME_SECOND_STEP) + 2 if known else None


def _supersede(workspace: Workspace, memory: Memory, superseded: list[Memory]) -> RememberResult:
    """Write only what a memory supersedes: its text was saved before, without saying so."""
    now = workspace.folder.now().replace(microsecond=0)
    transaction = Transaction(workspace.folder, "remember", ids=[memory.id, *(old.id for old in superseded)])
    names = workspace.names
    links = []
    for old in superseded:
        _refuse_to_name(old, memory)
        links.append(f"[[{names.of(old.path)}]]")
        if not old.closed_at(now):
            close_in(transaction, workspace, old, now)
    raw = read_to_edit(workspace, memory)
    known = written_list(raw, "supersedes")
    wanted = [*known, *(link for link in links if link not in known)]
    transaction.write(memory.path, raw, edit(raw, {"supersedes": wanted}))
    if transaction.steps:
        commit(workspace, transaction)
    return RememberResult(memory_written(workspace, transaction, memory.id), 0, [], None, superseded)


def _as_private_as_its_sources(workspace: Workspace, draft: Draft) -> Draft:
    """The draft, private if one of its sources is (SPEC P-6)."""
    if draft.private or not any(workspace.index.get(id_).private for id_ in draft.sources):
        return draft
    redact.seal(as_dict(draft))
    workspace.notices.append("saved as private: it is made from a private memory")
    return replace(draft, private=True)


def _refuse_to_name(old: Memory, memory: Memory) -> None:
    if old.private and not memory.private:
        raise InvalidInput(
            f"{old.id} is private: a public memory cannot refer to it", "save the new one with --private too"
        )


def _can_link(workspace: Workspace, found: Found, private: bool) -> bool:
    """Whether the link can be written: always into the new note, but into an old private one only if we may edit it."""
    if not nameable(stem_of(found.memory.path)):
        return False
    if private or not found.memory.private or (workspace.unwritten and found.memory.path in workspace.unwritten):
        return True
    try:
        raw = read_to_edit(workspace, found.memory)
        edit(raw, {"links": [*written_list(raw, "links"), "[[probe]]"]})
    except EditRefused:
        return False
    return True
