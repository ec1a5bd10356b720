"""edit, tag: change a memory's text or fields, with the checks that a new memory gets. It can be undone."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any

from vault_mem import redact
from vault_mem.errors import Conflict, InvalidInput
from vault_mem.fields import Form
from vault_mem.model import FIELDS, GIVEN, Memory
from vault_mem.notes.edit import edit, replace_body
from vault_mem.notes.links import name_key
from vault_mem.notes.parse import Note, parse, read_time, written_list, written_words
from vault_mem.notes.text import split
from vault_mem.notes.yamlish import Value
from vault_mem.operations.changing import changes, commit, memory_written, read_to_edit, to_change
from vault_mem.operations.memory.drafts import Draft, check_words, checked
from vault_mem.operations.memory.results import writable
from vault_mem.operations.unasked.adopt import adopt_in
from vault_mem.operations.upkeep.by_hand import NoteChange, replace_words
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction

_FORMS = {"created": Form.TIME, "title": Form.TEXT} | {name: each.form for name, each in FIELDS.items()}
_LINE = re.compile(r"(?!\Z)([^\r\n]*)(\r\n|\r|\n|\Z)")
_KEY = re.compile(r"[^\W\d][\w -]{0,63}")
# Keys that other commands change, because changing them affects more than one line.
_ELSEWHERE = {
    "id": "a memory keeps its id",
    "private": "use `vault-mem private ID` or `vault-mem publish ID`: the file moves, and links to it change",
    "links": "use `vault-mem link` and `vault-mem unlink`",
    "supersedes": "use `vault-mem remember ... --supersedes ID`",
}
# The reason that is recorded if none is given.
_REASONS = {"remember --update": "the text was replaced"}
REPLACE_ALL = "read it with `vault-mem show ID`; --replace-all replaces the whole text, by hand or not"


@dataclass(frozen=True)
class EditResult(Result):
    """The memory as it is now; `op` is empty if nothing had to be changed.

    `kept` is what a person had added to a text that was replaced; it is still there.
    """

    memory: Memory
    op: str = ""
    kept: str = ""

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        return bool(self.op)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, status="edited" if self.op else "unchanged")


def edit_memory(
    workspace: Workspace,
    id_: str,
    *,
    content: str | None = None,
    fields: Mapping[str, Any] | None = None,
    reason: str = "",
    command: str = "edit",
    allow_secret: bool = False,
    keep_added: bool = False,
) -> EditResult:
    """Replace the text of a memory, set fields of its front matter (None or "" removes one), or both.

    With `keep_added`, what a person added to the text stays; raises Conflict if it cannot be told apart from ours.
    """
    folder = workspace.folder

    def change(memory: Memory, raw: bytes) -> NoteChange:
        given = {"content": content, "reason": reason, **(fields or {})}
        check_words(memory.private, given, allow_secret=allow_secret)
        if memory.private:
            redact.seal({"fields": [*given.values()]})  # before types are checked, because errors quote the values
        changes = {key: _typed(key, value, folder) for key, value in (fields or {}).items()}
        draft = _checked(memory, content, changes, folder)
        note_change = NoteChange(raw)
        if content is not None and keep_added:
            note_change = replace_words(workspace, memory, raw, draft.content, if_unclear=REPLACE_ALL)
        elif content is not None:
            note_change = NoteChange(replace_body(raw, draft.content + "\n"), written=True)
        return replace(
            note_change, raw=edit(note_change.raw, changes | ({"kind": draft.kind} if changes.get("kind") else {}))
        )

    return change_memory(workspace, id_, change, command, reason or _REASONS.get(command, ""))


def tag(workspace: Workspace, id_: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> EditResult:
    """Add and remove tags; case is ignored, as in Obsidian."""
    given, off = list(add), list(remove)

    def change(memory: Memory, raw: bytes) -> NoteChange:
        if memory.private:
            redact.seal({"tags": [*given, *off]})  # first: errors may quote what was given
        wanted = {name_key(each): each for each in map(_tag, given)}
        unwanted = {name_key(_tag(each)) for each in off}
        both = [each for key, each in wanted.items() if key in unwanted]
        if both:
            raise InvalidInput(f"{both[0]} cannot be added and removed at once")
        present = written_words(raw, "tags")
        stay = [text for text in present if name_key(text.lstrip("#")) not in unwanted]
        known = {name_key(text.lstrip("#")) for text in stay}
        tags = [*stay, *(text for key, text in wanted.items() if key not in known)]
        return NoteChange(raw if tags == present else edit(raw, {"tags": tags or None}))

    return change_memory(workspace, id_, change, "tag", "")


def _tag(text: str) -> str:
    found = writable(text, "a tag").strip().lstrip("#").strip()
    if not found or any(sign in found for sign in ",、\n\r"):
        raise InvalidInput(f"{text!r} cannot be a tag", "a tag is one word or a few, without a comma")
    return found


def save_note(
    workspace: Workspace, memory: Memory, before: bytes, after: bytes, reason: str = "", *, allow_secret: bool = False
) -> EditResult:
    """Save a whole note that the owner edited elsewhere; raises Conflict if the file has changed meanwhile."""
    words = {"content": after.decode(errors="replace"), "reason": reason}
    check_words(memory.private, words, allow_secret=allow_secret)
    _check_note(workspace.folder, memory, before, after)

    def change(_: Memory, raw: bytes) -> NoteChange:
        if raw != before:
            raise Conflict(f"{memory.path} was changed while you edited it", "nothing was overwritten")
        return NoteChange(after)

    return change_memory(workspace, memory.id, change, "edit", reason)


@dataclass(frozen=True)
class WholeNote(Result):
    """A memory's file as it is: its text, and a digest that tells later whether it has changed."""

    memory: Memory
    text: str
    digest: str


def whole_note(workspace: Workspace, id_: str) -> WholeNote:
    """The whole note of a memory, including front matter, for editing."""
    memory = to_change(workspace, id_)
    raw = read_to_edit(workspace, memory)
    return WholeNote(memory, raw.decode(), hashlib.sha256(raw).hexdigest())


def save_text(workspace: Workspace, id_: str, text: str, digest: str) -> EditResult:
    """Save a whole note that somebody edited after `whole_note`; unchanged lines keep their endings.

    Raises Conflict if the file has changed since then.
    """
    memory = to_change(workspace, id_)
    before = read_to_edit(workspace, memory)
    if hashlib.sha256(before).hexdigest() != digest:
        raise Conflict(f"{memory.path} was changed while you edited it", "nothing was overwritten")
    return save_note(workspace, memory, before, with_endings(before, text))


def with_endings(before: bytes, text: str) -> bytes:
    """An edited text with the line endings of its file, which a browser's text field does not keep."""
    mark = "\ufeff" if before.startswith(b"\xef\xbb\xbf") else ""
    old = _LINE.findall(before.decode().removeprefix(mark))
    new = _LINE.findall(text.removeprefix("\ufeff"))
    usual = Counter(ending for _, ending in old if ending).most_common(1)
    lines = [line + (ending and (usual[0][0] if usual else ending)) for line, ending in new]
    matcher = SequenceMatcher(None, [line for line, _ in old], [line for line, _ in new], autojunk=False)
    for at, to, size in matcher.get_matching_blocks():
        for one, other in zip(range(at, at + size), range(to, to + size), strict=True):
            if new[other][1] and old[one][1]:
                lines[other] = "".join(old[one])
    return (mark + "".join(lines)).encode()


@changes
def change_memory(
    workspace: Workspace, id_: str, change: Callable[[Memory, bytes], NoteChange], command: str, reason: str
) -> EditResult:
    """Replace a memory's file with what `change` makes of it, and update the views."""
    memory = to_change(workspace, id_)
    raw = read_to_edit(workspace, memory)
    wanted = change(memory, raw)
    return write(workspace, plan_change(workspace.folder, memory, raw, wanted, command, reason), memory, wanted.kept)


def write(workspace: Workspace, transaction: Transaction, memory: Memory, kept: str = "") -> EditResult:
    """Commit the changes to a memory, if there are any."""
    if not transaction.steps:
        return EditResult(memory)
    adopt_in(workspace, transaction)
    op = commit(workspace, transaction)
    return EditResult(memory_written(workspace, transaction, memory.id), op, kept)


def plan_change(
    folder: Folder, memory: Memory, before: bytes, wanted: NoteChange, command: str, reason: str = ""
) -> Transaction:
    """The transaction that writes a memory's new bytes; it has no steps if nothing changes."""
    transaction = Transaction(folder, command, reason, ids=[memory.id])
    transaction.write(memory.path, before, _with_alias(folder, memory, before, wanted.raw))
    if wanted.written:
        transaction.written[memory.id] = wanted.written
    if transaction.steps:
        views.follow(transaction, memory, as_written(folder, memory, wanted.raw))
    return transaction


def _with_alias(folder: Folder, memory: Memory, before: bytes, after: bytes) -> bytes:
    """The bytes with the title that `remember` wrote as an alias brought up to date."""
    title = as_written(folder, memory, after).title
    old = written_list(before, "aliases") if title != memory.title else []
    if memory.title not in old or written_list(after, "aliases") != old:
        return after
    return edit(after, {"aliases": [title if each == memory.title else each for each in old if each != title]})


def as_written(folder: Folder, memory: Memory, raw: bytes) -> Memory:
    """The memory as it is read from these bytes, at the same path."""
    after = _parsed(folder, memory, raw).memory
    after.id, after.provisional = memory.id, memory.provisional
    return after


def _parsed(folder: Folder, memory: Memory, raw: bytes) -> Note:
    mtime = memory.created.timestamp()
    return parse(raw, memory.path, mtime=mtime, zone=folder.zone, private=folder.is_private(memory.path))


def _check_note(folder: Folder, memory: Memory, before: bytes, after: bytes) -> None:
    """Raise InvalidInput if the note would no longer be this memory, or could not be read completely."""
    was, now = _parsed(folder, memory, before), _parsed(folder, memory, after)
    new = [each for each in now.problems if each.reason not in {old.reason for old in was.problems if old.odd}]
    if new:
        where = f"line {new[0].line}: " if new[0].line else ""
        raise InvalidInput(f"the note could not be read any more: {where}{new[0].reason}")
    if not split(after).body.strip():
        raise InvalidInput("the text is empty", f"to remove the memory: vault-mem forget {memory.id}")
    if was.fields.get("id") != now.fields.get("id"):
        raise InvalidInput("the id was changed", _ELSEWHERE["id"])
    flags = [note.fields.get("private") or False for note in (was, now)]
    if was.memory.private != now.memory.private or flags[0] != flags[1]:
        raise InvalidInput("`private` was changed", _ELSEWHERE["private"])
    if split(before).front is not None and split(after).front is None:
        raise InvalidInput("the front matter is gone", "keep the lines between --- and ---")


def _checked(memory: Memory, content: str | None, changes: Mapping[str, Value | None], folder: Folder) -> Draft:
    """The memory as it would be after the change, with the checks that a new one gets."""
    names = [name for name in (*GIVEN, "created", "metadata") if name not in ("supersedes", "private")]
    blank = Draft("")
    values: dict[str, Any] = {name: getattr(memory, name) for name in names}
    for name in values.keys() & changes.keys():
        values[name] = getattr(blank, name) if changes[name] is None else changes[name]
    return checked(Draft("-" if content is None else content, **values), folder.zone)


def _typed(key: str, value: Any, folder: Folder) -> Value | None:
    """A field's value in its key's type; None if the key is to be removed."""
    if key in _ELSEWHERE:
        raise InvalidInput(f"{key} is not changed by edit", _ELSEWHERE[key])
    if not _KEY.fullmatch(key):
        raise InvalidInput(f"{key!r} cannot be a key of front matter", "use letters, digits, _ and -")
    if value is None or value == "" or value == []:
        if key == "created":
            raise InvalidInput("created cannot be removed", "a memory has a time")
        return None
    form = _FORMS.get(key)
    if form is Form.TEXTS:
        return _items(key, value)
    if form in (Form.WHOLE, Form.NUMBER):
        return _number(key, value, int if form is Form.WHOLE else float)
    if form is Form.TIME:
        return _time(key, value, folder)
    if isinstance(value, str):
        if "\n" in value:
            raise InvalidInput(f"{key} must be one line of text")
        return writable(value.strip(), key)
    if form is Form.TEXT or not isinstance(value, bool | int | float | datetime):
        raise InvalidInput(f"{key} must be text, not {value!r}")
    return value


def _items(key: str, value: Any) -> list[str]:
    items = re.split(r"[,、]", value) if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise InvalidInput(f"{key} must be a list of texts, not {value!r}")
    found = [writable(item.strip(), key) for item in items if item.strip()]
    return list(dict.fromkeys(found))


def _number(key: str, value: Any, kind: type[int] | type[float]) -> Value:
    try:
        return kind(value)
    except (TypeError, ValueError) as error:
        wanted = "a whole number" if kind is int else "a number"
        raise InvalidInput(f"{key} must be {wanted}, not {value!r}") from error


def _time(key: str, value: Any, folder: Folder) -> datetime:
    moment = read_time(value, folder.zone)
    if moment is None:
        raise InvalidInput(f"{key} must be a date such as 2026-11-15 or 2026-11-15T23:25, not {value!r}")
    return moment.replace(microsecond=0)
