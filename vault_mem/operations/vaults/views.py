"""Views: public memories mirrored for people to read (SPEC W-1). Only lines with a memory's marker are ours.

Every operation that changes a memory calls `follow` with the memory before and after. The lines are part of its
transaction, so an undo covers them.
"""

from __future__ import annotations

from dataclasses import dataclass

from vault_mem.errors import VaultMemError
from vault_mem.index.filters import Filters
from vault_mem.model import Memory
from vault_mem.notes.excerpt import cut
from vault_mem.notes.links import ID_AT_END, nameable, stem_of
from vault_mem.notes.one_line import one_line
from vault_mem.notes.parse import parse
from vault_mem.notes.text import split_text
from vault_mem.operations.changing import is_quiet
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import history, marked
from vault_mem.vault.carry import left_of
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction, operation
from vault_mem.vault.steps import as_text, read, read_if_can

INTROSPECTION = "introspection"
# How many notes are mirrored at once: a pull may have changed thousands, and no command should wait for all of them.
MOST_FOLLOWED = 200


@dataclass(frozen=True)
class RebuildResult(Result, status="rebuilt"):
    """What rebuilding the views changed."""

    files: list[str]
    memories: int


def follow(transaction: Transaction, before: Memory | None, after: Memory) -> None:
    """Update the views for a new or changed memory."""
    folder = transaction.folder
    old = _lines(folder, before) if before else {}
    new = _lines(folder, after) if folder.settings.views else {}
    for key, position in {**old, **new}:
        line = marked.find(_text(folder, key), after.id)
        wanted = new.get((key, position))
        if before is None and line is not None:
            continue  # a restored memory whose line somebody has written meanwhile
        if wanted is not None or line is not None:
            transaction.line(key, after.id, line, _with_copies(wanted, line), position)
    if before is not None and _is_in_monologue(folder, before):
        write_monologue(transaction, after, before)


def follow_text(transaction: Transaction, key: str, before: bytes | None, after: bytes) -> None:
    """Like `follow`, from the bytes of the note's file; does nothing if it has no id yet."""
    folder = transaction.folder
    private = folder.is_private(key)
    was, now = (parse(each or b"", key, mtime=0, zone=folder.zone, private=private).memory for each in (before, after))
    if after and now.id.startswith("mem_"):
        follow(transaction, was if before else None, now)


class ViewLines:
    """The lines of many new memories, put into the views together: each view is read and written once."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._lines: dict[tuple[str, str], dict[str, str]] = {}

    def add(self, memory: Memory) -> None:
        """Add the lines of a memory; only the lines are kept, not its text."""
        for view, line in (_lines(self.folder, memory) if self.folder.settings.views else {}).items():
            self._lines.setdefault(view, {})[memory.id] = line

    def put(self, transaction: Transaction) -> None:
        """Put all of them into the views."""
        for (key, position), new in self._lines.items():
            present = marked.by_id(_text(self.folder, key) or "")
            transaction.lines(key, {id_: line for id_, line in new.items() if id_ not in present}, position)


def write_monologue(transaction: Transaction, memory: Memory, former: Memory | None = None) -> None:
    """Write the latest introspection into its own file, between two comments; the rest of the file is the owner's.

    `former` is the previous introspection. A file without the comments that has just its text is ours as a whole.
    """
    wanted = memory.category == INTROSPECTION and not memory.private
    if wanted and transaction.folder.settings.views:
        _set_monologue(transaction, marked.plain(memory.content), former)


def leave(transaction: Transaction, id_: str) -> None:
    """Remove a memory's lines from every view, wherever a person may have moved them.

    Views with the default names are included: they may date from before others were chosen.
    """
    folder = transaction.folder
    wanted = marked.marker(id_).encode()
    default = ["MEMORY.md", *(f"memory/{name}" for name in folder.tree.names("memory", ".md") if name[0].isdigit())]
    for key in dict.fromkeys([*view_keys(folder), *filter(folder.was_view, default)]):
        try:
            raw = read(folder, key)
        except VaultMemError as error:
            transaction.notices.append(f"{key} could not be kept up to date: {error.message}")
            continue
        if raw and wanted in raw and folder.was_view(key):
            transaction.line(key, id_, marked.find(as_text(raw), id_), None, _position(folder, key))


def clear_from_monologue(transaction: Transaction, memory: Memory, instead: Memory | None) -> None:
    """Remove a memory's text from the latest monologue; the text of `instead` may take its place.

    An earlier text of the memory is removed as well, unless it is that of `instead`.
    """
    folder = transaction.folder
    if not _is_in_monologue(folder, memory) and (
        memory.category != INTROSPECTION
        or (marked.find(_text(folder, folder.monologue), "") is None and not _said_once(folder, memory))
        or (instead is not None and _is_in_monologue(folder, instead))
    ):
        return
    _set_monologue(transaction, marked.plain(instead.content) if instead else None, memory)


def follow_files(workspace: Workspace) -> list[str]:
    """Update the views for notes that a person edited, moved or deleted, once they are quiet.

    Memories in the digest that no longer hold count as changed. Returns the views that changed.
    """
    known_files = workspace.index.known
    changed = [known.key for known in known_files.unfollowed() if is_quiet(workspace, known)][:MOST_FOLLOWED]
    gone = known_files.gone()[:MOST_FOLLOWED]
    now = workspace.folder.now().timestamp()
    ended = known_files.ended(now)
    if ended:
        digest = read_if_can(workspace.folder, workspace.folder.settings.digest_file).decode(errors="replace")
        listed = set(marked.marked_ids(digest))
        changed += [key for key, id_ in ended.items() if id_ in listed]
    if not changed and not gone:
        known_files.follow(ended, now)
        return []
    memories = workspace.index.by_files(changed).values()
    found = [each for each in memories if workspace.folder.is_note(each.path) and not each.id.startswith("ep_")]
    try:
        with operation(workspace.folder, "views", "notes were edited by hand", unasked=True) as transaction:
            present = _present(workspace.folder)
            for memory in found:
                _catch_up(transaction, memory, present.get(memory.id, {}))
            for _, id_, moved in gone:
                for key, line in present.get(id_, {}).items() if not moved else ():
                    transaction.line(key, id_, line, None, _position(workspace.folder, key))
            _catch_up_monologue(workspace, transaction, found)
    except VaultMemError as error:
        workspace.notices.append(f"views not brought up to date: {error.message}")
        return []
    workspace.notices += transaction.notices
    known_files.follow([*changed, *ended], now, [key for key, _, _ in gone])
    return transaction.keys


def view_keys(folder: Folder) -> list[str]:
    """The files with lines that mirror memories: the digest, and the existing daily logs."""
    views_folder = folder.settings.views_folder
    logs = (f"{views_folder}/{name}" for name in folder.tree.names(views_folder, ".md"))
    return [
        folder.settings.digest_file,
        *(key for key in logs if folder.is_view(key) and key not in (folder.settings.digest_file, folder.monologue)),
    ]


def _present(folder: Folder) -> dict[str, dict[str, str]]:
    """The lines of all views by memory and file."""
    found: dict[str, dict[str, str]] = {}
    for key in view_keys(folder):
        text = _text(folder, key) if folder.is_view(key) else None
        for id_ in marked.marked_ids(text or ""):
            found.setdefault(id_, {})[key] = marked.find(text, id_) or ""
    return found


def _catch_up(transaction: Transaction, memory: Memory, present: dict[str, str]) -> None:
    folder = transaction.folder
    if not folder.settings.views and not memory.private:
        return
    wanted = {key: line for (key, _), line in _lines(folder, memory).items()} if folder.settings.views else {}
    for key in {**present, **wanted}:
        line = present.get(key)
        transaction.line(key, memory.id, line, _with_copies(wanted.get(key), line), _position(folder, key))


def _catch_up_monologue(workspace: Workspace, transaction: Transaction, changed: list[Memory]) -> None:
    """Write the newest introspection into the monologue, where a merge may have put an older one."""
    if any(memory.category == INTROSPECTION for memory in changed):
        found = _introspections(workspace)
        in_monologue = [memory for memory in found if _is_in_monologue(workspace.folder, memory)]
        if found and found[0] not in in_monologue and (found[0] in changed or in_monologue):
            write_monologue(transaction, found[0])


def _introspections(workspace: Workspace) -> list[Memory]:
    """The public introspections, newest first."""
    return workspace.index.memories(Filters(category=INTROSPECTION, private=False, closed=True))


def newest_introspection(workspace: Workspace, but: str = "") -> Memory | None:
    """The latest public introspection, except for the memory `but`."""
    return next((memory for memory in _introspections(workspace) if memory.id != but), None)


def _with_copies(wanted: str | None, present: str | None) -> str | None:
    """A memory's line, followed by copies of the old line that a person made, which stay as they are."""
    return wanted if wanted is None or present is None else "\n".join([wanted, *present.split("\n")[1:]])


def _position(folder: Folder, key: str) -> str:
    return marked.IN_BLOCK if key == folder.settings.digest_file else marked.BY_TIME


def rebuild(workspace: Workspace) -> RebuildResult:
    """Regenerate the views from the memories; a person's own text in them stays."""
    folder = workspace.folder
    with operation(folder, "views rebuild", "rebuilt from the memories") as transaction:
        workspace.freshen()
        public = [memory for memory in workspace.index.memories() if not memory.private]
        wanted: dict[str, dict[str, tuple[str, str]]] = {}
        for memory in sorted(public, key=lambda each: each.order):
            for (key, position), line in (_lines(folder, memory) if folder.settings.views else {}).items():
                wanted.setdefault(key, {})[memory.id] = (line, position)
        for key in sorted({*wanted, *filter(folder.is_view, view_keys(folder))}):
            _rebuild_file(transaction, key, wanted.get(key, {}))
        spoken = [memory for memory in public if memory.category == INTROSPECTION]
        newest = max(spoken, key=lambda memory: memory.order, default=None)
        if newest is not None and not _is_in_monologue(folder, newest):
            write_monologue(transaction, newest)
    return RebuildResult(transaction.keys, len(public))


def _rebuild_file(transaction: Transaction, key: str, wanted: dict[str, tuple[str, str]]) -> None:
    raw = read(transaction.folder, key)
    text = as_text(raw)
    for id_ in marked.marked_ids(text or ""):
        if id_ not in wanted:
            text = marked.put(text, id_, None, marked.BY_TIME, key)
    for id_, (line, position) in wanted.items():
        present = marked.find(text, id_)
        if present is None or present.split("\n")[0] != line:
            text = marked.put(text, id_, _with_copies(line, present), position, key)
    after = left_of(transaction.folder, key) if text is None else text.encode(errors="surrogateescape")
    if after is not None:
        transaction.write(key, raw, after)
    elif raw is not None:
        transaction.remove(key, raw)


def _lines(folder: Folder, memory: Memory) -> dict[tuple[str, str], str]:
    """The lines that mirror a memory, by file and position; none for a private one."""
    if memory.private or memory.provisional:
        return {}
    created = memory.created.astimezone(folder.zone)
    # plain text, so that nothing in it becomes a tag, a field or half a link
    said = cut(one_line(memory.content)).replace("[id:", "[id :")
    text = f"{said}{_link_to(memory)} {marked.marker(memory.id)}"
    lines = {(folder.log_key(created), marked.BY_TIME): f"- {created:%H:%M} {text}"}
    settings = folder.settings
    curated = memory.importance >= settings.curated_importance or memory.category in settings.curated_categories
    if curated and not memory.closed_at(folder.now()):
        lines[(folder.settings.digest_file, marked.IN_BLOCK)] = f"- {created:%Y-%m-%d} {text}"
    return lines


def _link_to(memory: Memory) -> str:
    """The link to a memory's note: by its name if we chose it, because that is unique, otherwise by path."""
    path = memory.path.removesuffix(".md")
    stem = stem_of(memory.path)
    name = stem if ID_AT_END.search(stem) else path
    return f" [[{name}|↗]]" if path and nameable(path) else ""


def _is_in_monologue(folder: Folder, memory: Memory) -> bool:
    """Whether the monologue is this memory's text: in the managed block, or as the whole of an old file without one."""
    text = _text(folder, folder.monologue) or ""
    block = marked.find(text, "")
    return marked.plain(text if block is None else block) == marked.plain(memory.content)


def _said_once(folder: Folder, memory: Memory) -> bool:
    """Whether a monologue without a managed block is an earlier text of this memory."""
    text = marked.plain(_text(folder, folder.monologue) or "")
    earlier = (revision.before or "" for revision in history.of_memory(folder, memory.id))
    return bool(text) and any(split_text(each).body.strip() == text for each in earlier)


def _set_monologue(transaction: Transaction, wanted: str | None, former: Memory | None) -> None:
    folder = transaction.folder
    raw = read(folder, folder.monologue)
    text = as_text(raw)
    said = marked.find(text, "")
    if (
        said is not None
        or raw is None
        or former is None
        or not (_is_in_monologue(folder, former) or _said_once(folder, former))
    ):
        transaction.line(folder.monologue, "", said, wanted, marked.WHOLE_BLOCK)
    elif wanted is None:
        transaction.remove(folder.monologue, raw)
    else:
        block = marked.put(None, "", wanted, marked.WHOLE_BLOCK, folder.monologue) or ""
        transaction.write(folder.monologue, raw, block.encode(errors="surrogateescape"))


def _text(folder: Folder, key: str) -> str | None:
    return as_text(read(folder, key))
