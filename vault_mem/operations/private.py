"""private and publish: a memory moves into the private folder or out of it, and whatever names it follows (SPEC P-2).

A public file never names a private memory, so links between the two are carried over to the private side.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import yaml

from vault_mem.errors import Conflict, EditRefused, InvalidInput, Unsafe, VaultMemError
from vault_mem.index.state import Known
from vault_mem.model import EPISODE_ID, INVERSE_LINK, Link, Memory
from vault_mem.notes import checklist
from vault_mem.notes.edit import edit
from vault_mem.notes.links import name_key, read_link, write_link
from vault_mem.notes.parse import flag_in, parse, read_bool, written_list
from vault_mem.notes.references import Reference, named_in, references, rewritten
from vault_mem.notes.write import file_name, slug
from vault_mem.operations import views
from vault_mem.operations.adopt import quiet
from vault_mem.operations.declined import Declined
from vault_mem.operations.drafts import refuse_secrets
from vault_mem.operations.forget import is_episode
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git, history, journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.names import Means, Names, names_of
from vault_mem.vault.steps import FileStep, read
from vault_mem.vault.walk import content_hash, walk

# What a public text says where it named a private memory by nothing but its name.
SCRUBBED = "(private)"
REVIEW = "REVIEW.md"
# Shorter titles stand in many texts by chance.
_TELLING_TITLE = 8
# Each move looks through all notes: no command waits for more than these.
MOST_MOVED = 20
_CANNOT_EDIT = (EditRefused, yaml.YAMLError, ValueError)


@dataclass(frozen=True)
class PrivateResult:
    """What became private, the public files that still name it in their text, and whether git holds it already."""

    memory: Memory
    links: int = 0
    episodes: list[str] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    scrubbed: list[str] = field(default_factory=list)
    in_git: list[str] = field(default_factory=list)
    op: str = ""


@dataclass(frozen=True)
class PublishResult:
    """What became public, and how many links to private memories were carried over to those."""

    memory: Memory
    links: int = 0
    op: str = ""


@dataclass
class Aside:
    """What a plan found beside the files it changes."""

    links: int = 0
    episodes: list[str] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    scrubbed: list[str] = field(default_factory=list)


@dataclass
class _Moving:
    """A note on its way into the private folder."""

    id: str
    key: str
    target: str
    raw: bytes
    means: Means
    title: str = ""
    added: list[Link] = field(default_factory=list)

    @property
    def name(self) -> str:
        return _stem(self.target)


# ---- in


def make_private(workspace: Workspace, id_: str, *, scrub: bool = False) -> PrivateResult:
    """Move a memory into the private folder; one that is there already is only made sure of."""

    def act() -> PrivateResult:
        memory = workspace.to_change(id_)
        raw = workspace.read_to_remove(memory)
        held = held_by_git(workspace.folder, memory)
        instead = views.newest_introspection(workspace, but=memory.id)
        renames = workspace.index.state.renames()
        transaction, aside = plan_private(workspace.folder, memory, raw, scrub=scrub, instead=instead, renames=renames)
        op = transaction.commit() if transaction.steps else ""
        workspace.done(transaction)
        now = workspace.index.get(memory.id)
        return PrivateResult(now, aside.links, aside.episodes, aside.mentions, aside.scrubbed, held, op)

    return workspace.changing(act)


def plan_private(
    folder: Folder,
    memory: Memory,
    raw: bytes,
    *,
    scrub: bool = False,
    instead: Memory | None = None,
    unasked: bool = False,
    renames: Mapping[str, set[str]] | None = None,
) -> tuple[Transaction, Aside]:
    """The transaction that makes a memory private, with the episodes it is in; `instead` is the next monologue.

    `renames` has the names that files once had, by which other notes may still know it.
    """
    transaction = Transaction(folder, "private", "made private", ids=[memory.id], unasked=unasked)
    keys = list(walk(folder).files)
    names = Names(keys, renames)
    moving = [_moving(folder, names, memory.id, memory.path, raw)]
    moving += _episodes_of(folder, names, keys, moving[0])
    aside = Aside(episodes=[each.id for each in moving[1:]])
    transaction.ids += aside.episodes
    for key in keys:
        if all(key != each.key for each in moving):
            _let_go(transaction, names, key, moving, scrub, aside)
    for key in ("SELF.md", views.DIGEST, *_daily_logs(folder)):
        _let_go_of_prose(transaction, key, moving, scrub, aside)
    _move_proposals(transaction, moving)
    for each in moving:
        _move_in(transaction, each, moving)
        aside.links += len(each.added)
        views.leave(transaction, each.id)
        _hide_history(transaction, each)
    views.silence(transaction, replace(memory, private=False), instead)
    return transaction, aside


def _moving(folder: Folder, names: Names, id_: str, key: str, raw: bytes) -> _Moving:
    target = key if folder.is_private(key) else f"{folder.settings.private_folder.strip('/')}/{id_}.md"
    if target != key and read(folder, target) is not None:
        raise Conflict(f"{target} is there already", "is it a copy of the same memory? Delete one of the two")
    title = parse(raw, key, mtime=0, zone=folder.zone).memory.title
    return _Moving(id_, key, target, raw, names.meaning(key, id_), title)


def _episodes_of(folder: Folder, names: Names, keys: Iterable[str], memory: _Moving) -> list[_Moving]:
    """An episode with a private member is private (SPEC W-2)."""
    found = []
    for key in keys:
        if folder.is_private(key) or key == memory.key or not folder.is_note(key):
            continue
        raw = read(folder, key) or b""
        if is_episode(folder, key, raw) and any(
            reference.key == "members" and memory.means(reference.target) for reference in references(raw)
        ):
            id_ = id_in(raw)
            id_ = id_ if EPISODE_ID.fullmatch(id_) else f"ep_{secrets.token_hex(6)}"
            found.append(_moving(folder, names, id_, key, raw))
    return found


def _let_go(transaction: Transaction, names: Names, key: str, moving: list[_Moving], scrub: bool, aside: Aside) -> None:
    """One other note: a private one goes on naming what moves, by its new name; a public one does not."""
    folder = transaction.folder
    try:
        raw = read(folder, key) or b""
    except VaultMemError:
        aside.mentions.append(key)
        return
    named = [each for each in moving if any(map(each.means, named_in(raw)))]
    if folder.is_private(key):
        if any(each.key != each.target for each in named):
            _write(transaction, key, raw, lambda reference: _renamed(reference, moving))
        return
    if named and folder.is_note(key):
        lost: list[tuple[_Moving, Reference]] = []
        if _write(transaction, key, raw, lambda reference: _loosened(reference, moving, scrub, lost)):
            title = parse(raw, key, mtime=0, zone=folder.zone).memory.title
            for each, reference in lost:
                _carry_over(each, reference, names.of(key), title)
    _let_go_of_prose(transaction, key, moving, scrub and folder.is_note(key), aside)


def _let_go_of_prose(transaction: Transaction, key: str, moving: list[_Moving], scrub: bool, aside: Aside) -> None:
    """Ids in a text, and whatever else still names a memory: taken out where asked for, listed otherwise."""
    folder = transaction.folder
    try:
        before = read(folder, key)
        raw = transaction.now(key)
    except VaultMemError:
        return
    if before is None or raw is None:
        return
    if scrub and (folder.is_note(key) or key == "SELF.md"):
        after = raw
        for each in moving:
            after = re.sub(rb"\b" + each.id.encode() + rb"\b", SCRUBBED.encode(), after)
        if after != raw:
            transaction.write(key, raw, after, keep_time=True)
            raw = after
        if _names_any(before, moving) and not _names_any(raw, moving):
            aside.scrubbed.append(key)
    if folder.is_view(key):  # lines that mirror a memory follow it, and are not a person's
        raw = b"\n".join(line for line in raw.split(b"\n") if b"[id:" not in line)
    if _names_any(raw, moving) or _tells_title(raw, moving):
        aside.mentions.append(key)


def _move_proposals(transaction: Transaction, moving: list[_Moving]) -> None:
    """A proposal about a private memory stands in the private checklist (SPEC P-6)."""
    folder = transaction.folder
    private = f"{folder.settings.private_folder.strip('/')}/{REVIEW}"
    public = read(folder, REVIEW) or b""
    kept, taken = checklist.parted(public.decode(errors="surrogateescape"), [each.id for each in moving])
    if not taken:
        return
    transaction.write(REVIEW, public, kept.encode(errors="surrogateescape"))
    before = read(folder, private)
    after = checklist.joined((before or b"").decode(errors="replace"), taken).encode(errors="replace")
    if before is None:
        transaction.create(private, after)
    else:
        transaction.write(private, before, after)


def _names_any(raw: bytes, moving: list[_Moving]) -> bool:
    return any(each.id.encode() in raw or any(map(each.means, named_in(raw))) for each in moving)


def _tells_title(raw: bytes, moving: list[_Moving]) -> bool:
    text = name_key(raw.decode(errors="replace"))
    return any(len(each.title) >= _TELLING_TITLE and name_key(each.title) in text for each in moving)


def _loosened(
    reference: Reference, moving: list[_Moving], scrub: bool, lost: list[tuple[_Moving, Reference]]
) -> str | Reference | None:
    """A public note's link to what is private: none in its properties, plain words in its text where asked for."""
    each = next((each for each in moving if each.means(reference.target)), None)
    if each is None:
        return reference
    if reference.key in ("links", "supersedes"):
        lost.append((each, reference))
        return None
    if not scrub:
        return reference
    lost.append((each, reference))
    shown = reference.display
    telling = not shown or (each.title and name_key(each.title) in name_key(shown)) or each.means(shown)
    return SCRUBBED if telling else shown


def _renamed(reference: Reference, moving: list[_Moving]) -> str | Reference:
    each = next((each for each in moving if each.key != each.target and each.means(reference.target)), None)
    return reference.to(each.name) if each is not None else reference


def _carry_over(each: _Moving, reference: Reference, name: str, title: str) -> None:
    """The link that the private side gets for one that a public note lost."""
    link = read_link(f"[[{reference.target}|{reference.display}]]" if reference.display else f"[[{reference.target}]]")
    if link is not None:
        type_ = INVERSE_LINK.get(link.type, link.type) if reference.key == "links" else "related"
        each.added.append(Link(name, type_, link.confidence if reference.key == "links" else None, title))


def _move_in(transaction: Transaction, each: _Moving, moving: list[_Moving]) -> None:
    """The note itself: its flag, its id, the links it takes over, and the new names of what moves along."""
    text = each.raw
    try:
        text = rewritten(text, lambda reference: _renamed(reference, [one for one in moving if one is not each]))
        flag = parse(text, each.key, mtime=0, zone=transaction.folder.zone).fields.get("private")
        changes: dict[str, str | bool] = {} if read_bool(flag) else {"private": True}
        text = edit(text, changes if id_in(text) else {"id": each.id, **changes})
    except _CANNOT_EDIT:
        text = each.raw  # private all the same, by where it lies
    text, refused = _with_links(text, each.added)
    if refused:
        each.added.clear()
        transaction.notices.append(f"{each.target}: links to it could not be carried over: it could not be read whole")
    if each.key == each.target:
        transaction.write(each.key, each.raw, text, keep_time=True)
        return
    time_ns = transaction.folder.path(each.key).lstat().st_mtime_ns
    transaction.create(each.target, text, time_ns)
    transaction.remove(each.key, each.raw)


def _with_links(raw: bytes, added: list[Link]) -> tuple[bytes, bool]:
    """The note with links added that it has not yet, and whether that could not be done."""
    try:
        present = written_list(raw, "links") if added else []
        known = {name_key(link.target) for link in map(read_link, present) if link is not None}
        new: dict[str, str] = {}
        for link in added:
            if name_key(link.target) not in known:
                new.setdefault(name_key(link.target), write_link(link))
        return (edit(raw, {"links": [*present, *new.values()]}) if new else raw), False
    except _CANNOT_EDIT:
        return raw, True


def _write(transaction: Transaction, key: str, raw: bytes, change: object) -> bool:
    try:
        after = rewritten(raw, change)  # type: ignore[arg-type]
    except _CANNOT_EDIT:
        return False
    transaction.write(key, raw, after, keep_time=True)
    return True


def _hide_history(transaction: Transaction, each: _Moving) -> None:
    """Revisions that tell of it leave the public store for the private one; not even an undo brings them back."""
    folder = transaction.folder
    private = f"{folder.settings.private_folder.strip('/')}/.history/"
    digits = each.id.partition("_")[2][:8]
    telling = [each.id, f"-{digits}", json.dumps(_stem(each.key), ensure_ascii=False)[1:-1]]
    if len(each.title) >= _TELLING_TITLE:
        telling.append(json.dumps(each.title, ensure_ascii=False)[1:-1])
    lines: dict[str, list[str]] = {}
    for key, record, line in history.read_all(folder):
        if not folder.is_private(key) and (record.get("id") == each.id or any(text in line for text in telling)):
            lines.setdefault(key, []).append(line)
    dropped = {line for step in transaction.steps for line in getattr(step, "lines", ())}
    for key, found in lines.items():
        new = [line for line in found if line not in dropped]
        for line in new:
            transaction.append(private + key.rpartition("/")[2], line)
        if new:
            transaction.drop(key, new)


def _stem(key: str) -> str:
    return key.rsplit("/", 1)[-1].removesuffix(".md")


def _daily_logs(folder: Folder) -> list[str]:
    return [folder.key(path) for path in sorted((folder.root / "memory").glob("????-??-??.md"))]


def held_by_git(folder: Folder, memory: Memory) -> list[str]:
    """The files under which git already holds a memory; moving it does not take it out of there."""
    if not git.in_repository(folder):
        return []
    digits = memory.id.partition("_")[2][:8]
    places = [f":(literal){memory.path}", f":(glob)**/*{digits}*.md"]
    return sorted({*git.ever_held(folder, places), *git.tracked(folder, places)})


# ---- out


def publish(workspace: Workspace, id_: str, *, scrub: bool = False, allow_secret: bool = False) -> PublishResult:
    """Move a memory out of the private folder."""

    def act() -> PublishResult:
        memory = workspace.to_change(id_)
        if not memory.private:
            raise InvalidInput(f"{memory.id} is public already", "`vault-mem private ID` makes it private")
        raw = workspace.read_to_edit(memory)
        newest = views.newest_introspection(workspace)
        transaction, links = plan_publish(
            workspace.folder,
            memory,
            raw,
            scrub=scrub,
            allow_secret=allow_secret,
            speaks=newest is None or newest.created < memory.created,
        )
        op = transaction.commit()
        workspace.done(transaction)
        return PublishResult(workspace.index.get(memory.id), links, op)

    return workspace.changing(act)


def plan_publish(
    folder: Folder,
    memory: Memory,
    raw: bytes,
    *,
    scrub: bool = False,
    allow_secret: bool = False,
    speaks: bool = False,
    unasked: bool = False,
) -> tuple[Transaction, int]:
    """The transaction that makes a memory public, and how many of its links the private side takes over."""
    if not allow_secret:
        refuse_secrets(vars_of(memory))
    transaction = Transaction(folder, "publish", "made public", ids=[memory.id], unasked=unasked)
    names = names_of(folder)
    private = _private_notes(folder, names, but=memory.path)
    lost: list[tuple[_Moving, Reference]] = []
    text = _without_private(raw, private, scrub, lost)
    text = edit(text, {"private": False} if id_in(text) else {"id": memory.id, "private": False})
    read_again = parse(text, memory.path, mtime=memory.created.timestamp(), zone=folder.zone).memory
    after = replace(read_again, id=memory.id)  # as the public will read it: its name and lines are made of this
    after.path = _public_key(folder, after, raw) if folder.is_private(memory.path) else memory.path
    moving = _Moving(memory.id, memory.path, after.path, raw, names.meaning(memory.path, memory.id), memory.title)
    for each, reference in lost:
        _carry_over(each, reference, _stem(after.path), after.title)
    links = 0
    for each in private:
        renamed = each.raw
        if any(map(moving.means, named_in(each.raw))):
            try:
                renamed = rewritten(each.raw, lambda reference: _renamed(reference, [moving]))
            except _CANNOT_EDIT:
                renamed = each.raw
        linked, refused = _with_links(renamed, each.added)
        if refused:
            transaction.notices.append(f"{each.key}: a link could not be carried over: it could not be read whole")
        links += 0 if refused else len(each.added)
        transaction.write(each.key, each.raw, linked, keep_time=True)
    if after.path == memory.path:
        transaction.write(memory.path, raw, text, keep_time=True)
    else:
        transaction.create(after.path, text, folder.path(memory.path).lstat().st_mtime_ns)
        transaction.remove(memory.path, raw)
    if not is_episode(folder, after.path, text):
        views.follow(transaction, None, after)
        if speaks:
            views.speak(transaction, after)
    return transaction, links


def keep_apart(transaction: Transaction, key: str, raw: bytes) -> bytes:
    """A public note's text without the names of memories that are private by now; those get the links instead.

    For what comes back from a time when they were public.
    """
    folder = transaction.folder
    keys = walk(folder).files
    private = _private_notes(folder, Names([*keys, key]), but=key)
    lost: list[tuple[_Moving, Reference]] = []
    if folder.is_private(key) or not any(_names_any(raw, [each]) for each in private if each.id):
        return raw
    text = _without_private(raw, private, True, lost)
    title = parse(text, key, mtime=0, zone=folder.zone).memory.title
    for each, reference in lost:
        _carry_over(each, reference, _stem(key), title)
    for each in private:
        linked, _ = _with_links(each.raw, each.added)
        transaction.write(each.key, each.raw, linked, keep_time=True)
    return text


def refuse_to_name(transaction: Transaction, names: Names | None = None) -> None:
    """Stop where the transaction would write the name of a private memory into a public note."""
    folder = transaction.folder
    public = [
        step
        for step in transaction.steps
        if isinstance(step, FileStep)
        and step.after
        and (folder.is_note(step.key) or step.key == REVIEW)
        and not folder.is_private(step.key)
    ]
    leaving = {step.key for step in transaction.steps if isinstance(step, FileStep) and step.after is None}
    private = _private_notes(folder, names or names_of(folder)) if public else []
    private = [each for each in private if each.id and each.key not in leaving]
    for step in public:
        for each in private:
            new = _names_any(step.after or b"", [each]) and not _names_any(step.before or b"", [each])
            if new and not _hidden_before(folder, each.key, transaction.undoes):
                raise Conflict(f"{step.key} would name a memory that is private by now", "nothing was changed")


def _hidden_before(folder: Folder, key: str, op: str) -> bool:
    """Whether a private note was there before an operation: what named it then may do so again."""
    for entry in journal.standing(folder):
        for step in entry.steps:
            if isinstance(step, FileStep) and step.key == key and step.before is None:
                return entry.op < op
    return False


def _private_notes(folder: Folder, names: Names, but: str = "") -> list[_Moving]:
    found = []
    for key in names.keys:
        if folder.is_private(key) and key != but:
            raw = read(folder, key) or b""
            id_ = id_in(raw)
            title = parse(raw, key, mtime=0, zone=folder.zone).memory.title
            found.append(_Moving(id_, key, key, raw, names.meaning(key, id_ or "mem_"), title))
    return found


def _without_private(raw: bytes, private: list[_Moving], scrub: bool, lost: list[tuple[_Moving, Reference]]) -> bytes:
    """The text as the public may read it; raises Unsafe where it names private memories and nobody asked to scrub."""
    members = [each for each in references(raw) if each.key == "members"]
    if any(each.means(reference.target) for each in private for reference in members):
        raise Unsafe("the episode has private members", "publish those first, or take them out of it")
    text = rewritten(raw, lambda reference: _loosened(reference, private, scrub, lost))
    if scrub:
        for each in private:
            if each.id:
                text = re.sub(rb"\b" + each.id.encode() + rb"\b", SCRUBBED.encode(), text)
    named = sum(_names_any(text, [each]) for each in private if each.id)
    if named:
        raise Unsafe(
            f"its text names {named} private memor{'y' if named == 1 else 'ies'}",
            "publish those first, or turn the names into plain text with --scrub",
        )
    return text


def _public_key(folder: Folder, memory: Memory, raw: bytes) -> str:
    settings = folder.settings
    digits = memory.id.partition("_")[2][:8]
    if is_episode(folder, memory.path, raw):
        key = f"{settings.episodes_folder.strip('/')}/{slug(memory.title)}.md"
        return key if read(folder, key) is None else f"{key.removesuffix('.md')}-{digits}.md"
    month = f"{memory.created.astimezone(folder.zone):%Y-%m}"
    return f"{settings.memories_folder.strip('/')}/{month}/{file_name(memory)}"


def vars_of(memory: Memory) -> dict[str, object]:
    """The texts of a memory, by the names of their keys."""
    names = ("content", "tags", "people", "source", "emotion", "secondary", "body_state", "about_time", "status")
    return {name: getattr(memory, name) for name in names}


# ---- unasked


def waiting(workspace: Workspace) -> list[Known]:
    """Public notes that say they are private, and are to be moved; not those whose move was undone."""
    folder = workspace.folder
    flagged = workspace.index.state.flagged() if folder.settings.private_moves else []
    declined = Declined(folder) if flagged else None
    return [
        known
        for known in flagged
        if folder.is_note(known.key) and not (declined and declined("private", known.key, known.hash))
    ]


def move_flagged(workspace: Workspace) -> list[str]:
    """Move public notes with `private: true` into the private folder, once they are quiet. Returns their keys."""
    ready = [known for known in waiting(workspace) if quiet(workspace, known)][:MOST_MOVED]
    if not ready:
        return []
    moved = []
    memories = workspace.index.by_files([known.key for known in ready])
    for known in ready:
        try:
            with writing(workspace.folder):
                memory = memories[known.key]
                raw = workspace.read_to_remove(memory)
                held = held_by_git(workspace.folder, memory)
                instead = views.newest_introspection(workspace, but=memory.id)
                transaction, aside = plan_private(
                    workspace.folder,
                    memory,
                    raw,
                    instead=instead,
                    unasked=True,
                    renames=workspace.index.state.renames(),
                )
                transaction.commit()
        except VaultMemError as error:
            workspace.notices.append(f"{known.key}: not moved into the private folder: {error.message}")
            continue
        moved.append(known.key)
        new = next(key for key in transaction.notes if workspace.folder.is_private(key) and memory.id in key)
        workspace.notices.append(f"a note that says it is private was moved to {new}")
        workspace.notices += [*transaction.notices, *notices(PrivateResult(memory, in_git=held, **vars(aside)))]
    return moved


def leaving(workspace: Workspace) -> list[Known]:
    """Private notes whose flag this very process saw go from true to false; not those whose move was undone.

    Only who watches the files all the time can have seen it. What a file says is not enough: it may have come from
    anywhere, with whatever flag (SPEC P-2).
    """
    folder = workspace.folder
    seen = workspace.watch.cleared() if workspace.watch and folder.settings.private_moves else {}
    declined = Declined(folder) if seen else None
    return [
        known
        for key, known in workspace.index.state.files(seen).items()
        if known.state == seen[key] and folder.is_note(key) and not (declined and declined("publish", key, known.hash))
    ]


def move_cleared(workspace: Workspace) -> list[str]:
    """Publish the notes that are leaving, once they are quiet. Returns their keys."""
    folder = workspace.folder
    ready = [] if journal.busy(folder) else [known for known in leaving(workspace) if quiet(workspace, known)]
    memories = workspace.index.by_files([known.key for known in ready])
    moved = []
    for known in ready:
        try:
            with writing(folder):
                memory = memories[known.key]
                raw = workspace.read_to_edit(memory)
                if content_hash(raw, len(raw)) != known.hash or flag_in(raw) is not False:
                    continue
                newest = views.newest_introspection(workspace)
                speaks = newest is None or newest.created < memory.created
                transaction, _ = plan_publish(folder, memory, raw, speaks=speaks, unasked=True)
                transaction.commit()
        except VaultMemError as error:
            workspace.notices.append(f"{known.key} stays private: {error.message}")
            continue
        workspace.done(transaction)
        moved.append(known.key)
    return moved


def notices(result: PrivateResult) -> list[str]:
    """What the owner should know after a memory became private."""
    said = []
    if result.in_git:
        said.append(
            f"git already holds {', '.join(result.in_git[:3])}{' …' if len(result.in_git) > 3 else ''}: "
            "moving the file does not take it out of the repository's history"
        )
    if result.mentions:
        said.append(
            f"{len(result.mentions)} public file(s) still name it in their text: {', '.join(result.mentions[:5])}; "
            f"`vault-mem private {result.memory.id} --scrub` turns links and ids into plain text"
        )
    return said
