"""private: a memory moves into the private folder, and public files stop naming it (SPEC P-2)."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from vault_mem.errors import Conflict
from vault_mem.index.links import Names
from vault_mem.model import EPISODE_ID, Memory, digits_of
from vault_mem.notes import checklist
from vault_mem.notes.edit import edit
from vault_mem.notes.links import name_key, stem_of
from vault_mem.notes.parse import parse, read_bool, title_in
from vault_mem.notes.references import Change, Reference, named_in, references, rewritten
from vault_mem.operations import sharing
from vault_mem.operations.changing import changes, index_written, memory_written, read_to_remove, to_change
from vault_mem.operations.upkeep import sides
from vault_mem.operations.upkeep.backlinks import bytes_of
from vault_mem.operations.upkeep.forget import is_episode
from vault_mem.operations.upkeep.sides import MovingNote
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import git, history
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import ChangeReason, id_in
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import json_lines, read

# Finds the notes whose text has these words.
Telling = Callable[[str], list[str]]

HELD = ".vault-mem/held.jsonl"

# Titles with fewer characters occur in many texts by chance, so they do not give a memory away.
_TELLING_TITLE = 8


@dataclass(frozen=True)
class PrivateResult(Result, status="private"):
    """What became private, the public files that still name it in their text, and whether git holds it already."""

    memory: Memory
    links: int = 0
    episodes: list[str] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    scrubbed: list[str] = field(default_factory=list)
    in_git: list[str] = field(default_factory=list)
    op: str = ""


@changes
def make_private(workspace: Workspace, id_: str, *, scrub: bool = False) -> PrivateResult:
    """Move a memory into the private folder; for one already there, what still names it is cleaned up."""
    memory = to_change(workspace, id_)
    held = held_by_git(workspace.folder, memory)
    transaction, noticed = private_transaction(workspace, memory, scrub=scrub)
    op = commit_private(workspace, transaction, memory, held) if transaction.steps else ""
    index_written(workspace, transaction)
    return replace(noticed, memory=memory_written(workspace, transaction, memory.id), in_git=held, op=op)


def private_transaction(
    workspace: Workspace, memory: Memory, *, scrub: bool = False, unasked: bool = False
) -> tuple[Transaction, PrivateResult]:
    """The transaction that makes a memory of the vault private, not committed yet."""
    raw = read_to_remove(workspace, memory)
    instead = views.newest_introspection(workspace, but=memory.id)
    telling = workspace.index.telling
    return plan_private(
        workspace.folder, workspace.names, memory, raw, telling, scrub=scrub, instead=instead, unasked=unasked
    )


def commit_private(workspace: Workspace, transaction: Transaction, memory: Memory, held: list[str]) -> str:
    """Make it private, and record where git and a store already have it."""
    if held:  # doctor warns as long as git's history has these files
        transaction.append(HELD, json.dumps({"id": memory.id, "files": held}, ensure_ascii=False))
    sharing.mark_for_removal(workspace, transaction.ids, transaction.notes)
    return transaction.commit()


def plan_private(
    folder: Folder,
    names: Names,
    memory: Memory,
    raw: bytes,
    telling: Telling = lambda words: [],
    *,
    scrub: bool = False,
    instead: Memory | None = None,
    unasked: bool = False,
) -> tuple[Transaction, PrivateResult]:
    """The transaction that makes a memory private, with the episodes it is in; `instead` is the next monologue."""
    transaction = Transaction(folder, "private", "made private", ids=[memory.id], unasked=unasked)
    moving = [_moving(folder, names, memory.id, memory.path, raw)]
    moving += _episodes_of(folder, names, names.naming(memory.path), moving[0])
    noticed = PrivateResult(memory, episodes=[each.id for each in moving[1:]])
    transaction.ids += noticed.episodes
    titles = [each.title for each in moving if len(each.title) >= _TELLING_TITLE]
    keys = {*names.naming(*(each.key for each in moving)), *(key for title in titles for key in telling(title))}
    for key in sorted(keys):
        if all(key != each.key for each in moving):
            _remove_links(transaction, names, key, moving, scrub, noticed)
    for key in ("SELF.md", *views.view_keys(folder)):
        _remove_mentions_in_text(transaction, key, moving, scrub, noticed)
    _move_proposals(transaction, moving)
    for each in moving:
        transaction.whys[each.id] = ChangeReason("made private", payload={"was": each.key})  # publish moves it back
        _move_in(transaction, each, moving)
        views.leave(transaction, each.id)
        _hide_history(transaction, each)
    views.clear_from_monologue(transaction, replace(memory, private=False), instead)
    return transaction, replace(noticed, links=sum(len(each.added) for each in moving))


def _moving(folder: Folder, names: Names, id_: str, key: str, raw: bytes) -> MovingNote:
    target = key if folder.is_private(key) else f"{folder.settings.private_folder}/{id_}.md"
    if target != key and read(folder, target) is not None:
        raise Conflict(f"{target} already exists", "is it a copy of the same memory? Delete one of the two")
    title = title_in(raw, key)
    return MovingNote(id_, key, target, raw, names.meaning(key), title)


def _episodes_of(folder: Folder, names: Names, keys: Iterable[str], memory: MovingNote) -> list[MovingNote]:
    """The public episodes with this member, which become private with it (SPEC W-2)."""
    found = []
    for key in keys:
        if folder.is_private(key) or key == memory.key or not folder.is_note(key):
            continue
        raw = read(folder, key) or b""
        if is_episode(folder, key, raw) and any(
            reference.key == "members" and memory.means(reference.target, key) for reference in references(raw)
        ):
            id_ = id_in(raw)
            id_ = id_ if EPISODE_ID.fullmatch(id_) else f"ep_{secrets.token_hex(6)}"
            found.append(_moving(folder, names, id_, key, raw))
    return found


def _remove_links(
    transaction: Transaction, names: Names, key: str, moving: list[MovingNote], scrub: bool, noticed: PrivateResult
) -> None:
    """Change one other note: a private one gets the new name of what moves, a public one no longer names it."""
    folder = transaction.folder
    raw = bytes_of(folder, key)
    if raw is None:
        noticed.mentions.extend([key] if folder.tree.exists(key) else [])
        return
    named = [each for each in moving if any(each.means(name, key) for name in named_in(raw, key))]
    if folder.is_private(key):
        if any(each.key != each.target for each in named):
            _write(transaction, key, raw, lambda reference: sides.renamed(key, reference, moving))
        return
    if named and (folder.is_note(key) or (scrub and folder.has_links(key))):
        lost: list[tuple[MovingNote, Reference]] = []
        if _write(transaction, key, raw, lambda reference: sides.without_link(key, reference, moving, scrub, lost)):
            title = title_in(raw, key)
            for each, reference in lost:
                if folder.is_note(key):
                    sides.carry_over(each, reference, names.of(key), title)
    _remove_mentions_in_text(transaction, key, moving, scrub, noticed)


def _remove_mentions_in_text(
    transaction: Transaction, key: str, moving: list[MovingNote], scrub: bool, noticed: PrivateResult
) -> None:
    """Remove ids from a text if `scrub`, and list the file if it still names a memory."""
    folder = transaction.folder
    before = bytes_of(folder, key)
    raw = None if before is None else transaction.now(key)
    if before is None or raw is None:
        return
    if scrub and (folder.has_links(key) or key == "SELF.md"):
        after = raw
        for each in moving:
            after = re.sub(rb"\b" + each.id.encode() + rb"\b", sides.SCRUBBED.encode(), after)
        if after != raw:
            transaction.write(key, raw, after)
            raw = after
        if sides.names_any(key, before, moving) and not sides.names_any(key, raw, moving):
            noticed.scrubbed.append(key)
    if folder.is_view(key):  # lines that mirror a memory are ours, and are removed elsewhere
        raw = b"\n".join(line for line in raw.split(b"\n") if b"[id:" not in line)
    text = name_key(raw.decode(errors="replace"))
    titles = [name_key(each.title) for each in moving if len(each.title) >= _TELLING_TITLE]
    if sides.names_any(key, raw, moving) or any(title in text for title in titles):
        noticed.mentions.append(key)


def _move_proposals(transaction: Transaction, moving: list[MovingNote]) -> None:
    """Move proposals about private memories to the private checklist (SPEC P-6)."""
    folder = transaction.folder
    private = f"{folder.settings.private_folder}/{sides.REVIEW}"
    public = read(folder, sides.REVIEW) or b""
    kept, taken = checklist.parted(public.decode(errors="surrogateescape"), [each.id for each in moving])
    if not taken:
        return
    transaction.write(sides.REVIEW, public, kept.encode(errors="surrogateescape"))
    before = read(folder, private)
    after = checklist.joined((before or b"").decode(errors="replace"), taken).encode(errors="replace")
    transaction.write(private, before, after)


def _move_in(transaction: Transaction, each: MovingNote, moving: list[MovingNote]) -> None:
    """Move the note itself, with its flag, its id, the links it takes over, and new names for what moves along."""
    text = each.raw
    try:
        others = [one for one in moving if one is not each]
        text = rewritten(text, lambda reference: sides.renamed(each.key, reference, others))
        flag = parse(text, each.key, mtime=0, zone=transaction.folder.zone).fields.get("private")
        changes: dict[str, str | bool] = {} if read_bool(flag) else {"private": True}
        text = edit(text, changes if id_in(text) else {"id": each.id, **changes})
    except sides.CANNOT_EDIT:
        text = each.raw  # still private, because of its folder
    text, refused = sides.with_links(text, each.added)
    if refused:
        each.added.clear()
        transaction.notices.append(
            f"{each.target}: links to it could not be carried over: it could not be read completely"
        )
    if each.key == each.target:
        transaction.write(each.key, each.raw, text)
        return
    transaction.move(each.key, each.raw, each.target, text)


def _write(transaction: Transaction, key: str, raw: bytes, change: Change) -> bool:
    try:
        after = rewritten(raw, change, key)
    except sides.CANNOT_EDIT:
        return False
    transaction.write(key, raw, after)
    return True


def _hide_history(transaction: Transaction, each: MovingNote) -> None:
    """Move revisions that mention it from the public history to the private one, where even an undo leaves them."""
    folder = transaction.folder
    private = f"{folder.settings.private_folder}/.history/"
    digits = digits_of(each.id)
    telling = [each.id, f"-{digits}", json.dumps(stem_of(each.key), ensure_ascii=False)[1:-1]]
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


def held_by_git(folder: Folder, memory: Memory) -> list[str]:
    """The files under which git already has a memory; moving it does not remove it from git's history."""
    if not git.in_repository(folder):
        return []
    digits = digits_of(memory.id)
    pathspecs = [f":(literal){memory.path}", f":(glob)**/*{digits}*.md"]
    return sorted({*git.ever_held(folder, pathspecs), *git.tracked(folder, pathspecs)})


def still_held(workspace: Workspace) -> list[str]:
    """The files in git's history whose memories have become private since."""
    folder = workspace.folder
    names: dict[str, list[str]] = {}
    for record in json_lines(folder, HELD):
        with contextlib.suppress(KeyError, TypeError):
            names[str(record["id"])] = [str(each) for each in record["files"]]
    private = [known.id for known in workspace.index.known.with_ids(names) if folder.is_private(known.key)]
    pathspecs = [f":(literal){name}" for id_ in private for name in names[id_]]
    return sorted({*git.ever_held(folder, pathspecs), *git.tracked(folder, pathspecs)}) if pathspecs else []


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
