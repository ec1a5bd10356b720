"""Late words: what a program still writes into a file that an operation displaced or removed is not lost (SPEC S-4).

An editor may have a note open while a command renames it, moves it or changes a line of it. What it writes then goes
into a file that has no name any more. So a displaced file is kept in the journal (`*.was`) until no program has it open
for writing, and is then compared with what it said. Words added at its end are added to the note, wherever that is by
now; anything else becomes a note of its own beside it. Both are operations like any other, and can be undone.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault_mem.errors import VaultMemError
from vault_mem.vault.folder import JOURNAL, OWN, Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.steps import FileStep, Stage, digest, from_record, read
from vault_mem.vault.tree import Tree, beside, name_of

if TYPE_CHECKING:
    from vault_mem.vault.journal import Entry, Transaction

COMMAND = "late-words"
# How long a displaced file is kept if the system does not tell whether a program has it open.
UNKNOWN_SECONDS = 600.0
_WAS = re.compile(r"(?P<name>.+)\.(?P<number>\d+)\.(?P<size>\d+)-(?P<digest>[0-9a-f]{16})\.was")
_LONGEST_STEM = 200  # in bytes; with what is added, a name may have 255
_ID_LINE = re.compile(rb"^id:[^\n]*\n", re.MULTILINE)
_FRONT = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n.*?^---[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class DisplacedFile:
    """A file that an operation displaced, as its name in the journal tells."""

    key: str
    name: str
    number: int
    size: int
    digest: str

    def added(self, text: bytes) -> bytes | None:
        """What was added at its end; None if it was changed otherwise."""
        return text[self.size :] if digest(text[: self.size], 8) == self.digest else None


def look_after(folder: Folder, done: Iterable[tuple[Stage, FileStep]]) -> None:
    """Right after an operation: what it displaced is deleted unless a program still has it open."""
    for stage, step in done:
        kept = step.kept(folder, stage)
        if kept is None:
            continue
        worth = folder.is_note(step.key) or folder.is_shared(step.key)
        if not worth or (in_use(folder.tree, kept) is False and folder.tree.read(kept) == step.before):
            folder.tree.drop(kept)


def kept_files(folder: Folder) -> list[DisplacedFile]:
    """The displaced files that are still kept."""
    found = [(name, _WAS.fullmatch(name)) for name in folder.tree.names(JOURNAL, ".was")]
    return [
        DisplacedFile(f"{JOURNAL}/{name}", match["name"], int(match["number"]), int(match["size"]), match["digest"])
        for name, match in found
        if match
    ]


def clear_displaced(folder: Folder, transaction: type[Transaction]) -> list[str]:
    """Delete displaced files that no program has open; put late text back. Returns what to report."""
    said = []
    for each in kept_files(folder):
        try:
            text = folder.tree.read(each.key)
            open_ = in_use(folder.tree, each.key)
            found = folder.tree.stat(each.key)
        except OSError:
            continue
        if text is None or found is None or open_:
            continue
        added = each.added(text)
        if open_ is None and time.time() - max(found.st_mtime, found.st_ctime) < UNKNOWN_SECONDS:
            continue
        if added == b"" or folder.settings.late_words:
            try:
                report = "" if added == b"" else _bring_back(folder, each, text, added, transaction)
                folder.tree.drop(each.key)
            except (VaultMemError, OSError):
                continue  # kept, and tried again with the next command
            said += [report] if report else []
    return said


def in_use(tree: Tree, key: str) -> bool | None:
    """Whether another program has a file open for writing; None if the system does not tell.

    Linux grants a read lease only if no program has the file open for writing. It is given back at once.
    """
    try:
        import fcntl

        take, signal_ = fcntl.F_SETLEASE, fcntl.F_SETSIG
    except (ImportError, AttributeError):
        return None
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), tree.opened(key) as handle:
        try:
            fcntl.fcntl(handle, signal_, signal.SIGURG)  # ignored by default, whereas SIGIO would kill us
            fcntl.fcntl(handle, take, fcntl.F_RDLCK)
            fcntl.fcntl(handle, take, fcntl.F_UNLCK)
        except BlockingIOError:
            return True
        except OSError:
            return None
        return False
    return False


def _bring_back(
    folder: Folder, each: DisplacedFile, text: bytes, added: bytes | None, transaction: type[Transaction]
) -> str:
    """Put late text where the note is now. Returns what to report; nothing if the note is unknown."""
    from vault_mem.vault import journal

    entry = journal.load(folder, each.name, "json") or journal.load(folder, each.name, "conflict")
    if entry is None or each.number >= len(entry.steps):
        return ""
    key = entry.steps[each.number].key
    id_ = id_in(text) or id_in(text[: each.size])
    home = _present_key(folder, entry, key, id_)
    change = transaction(folder, COMMAND, "written by a program that still had the file open", unasked=True)
    change.ids += [id_] if id_ else []
    if home is not None and home.startswith(f"{OWN}/trash/"):
        return _into_trash(folder, home, added, text, change)
    now = read(folder, home) if home else None
    if home is not None and now is not None and added is not None:
        change.write(home, now, now + added)
        said = f"{home}: another program added to it after {entry.command}; its words are at the end"
    else:
        home = _copy_name(folder, home or key)
        change.create(home, _without_id(text))
        said = f"{home}: what another program wrote after {entry.command} is kept here"
    change.commit()
    return said


def _into_trash(folder: Folder, key: str, added: bytes | None, text: bytes, change: Transaction) -> str:
    """Late words after a forget join the copy in the trash."""
    raw = read(folder, key) or b""
    record = json.loads(raw)
    step = from_record(record["file"])
    if not isinstance(step, FileStep):
        return ""
    before = text if added is None else (step.before or b"") + added
    record["file"] = FileStep(step.key, before, None, step.mode, before_time=step.before_time).record()
    change.write(key, raw, json.dumps(record, ensure_ascii=False).encode())
    change.commit()
    return f"{step.key}: what another program wrote after it was forgotten is in the trash with it"


def _present_key(folder: Folder, entry: Entry, key: str, id_: str) -> str | None:
    """Where a note is now: at its old place, where that operation or a later one put it, or in the trash."""
    if not id_:
        return key if folder.tree.is_file(key) else None
    for path in (key, *_later_keys(folder, entry, id_)):
        if folder.tree.is_file(path) and id_in(read(folder, path) or b"") == id_:
            return path
    trash = f"{OWN}/trash/{id_}.json"
    return trash if folder.tree.is_file(trash) else None


def _later_keys(folder: Folder, entry: Entry, id_: str) -> Iterator[str]:
    from vault_mem.vault import journal

    for each in (entry, *itertools.takewhile(lambda later: later.op > entry.op, journal.entries(folder))):
        for step in each.steps:
            if isinstance(step, FileStep) and id_in(step.after or b"") == id_:
                yield step.key


def _copy_name(folder: Folder, key: str) -> str:
    """A name for a copy beside a file; in the private folder it reveals nothing."""
    now = folder.now()
    stem = name_of(key).removesuffix(".md").encode()[:_LONGEST_STEM].decode(errors="ignore")
    for number in range(1000):
        again = f" {number + 1}" if number else ""
        name = f"late edit {now:%Y%m%dT%H%M%S}{again}.md"
        if not folder.is_private(key):
            name = f"{stem} (late edit {now:%Y-%m-%d %H.%M.%S}{again}).md"
        if not folder.tree.exists(beside(key, name)):
            break
    return beside(key, name)


def _without_id(text: bytes) -> bytes:
    """The same note without an id: two files must not have one."""
    front = _FRONT.match(text)
    if front is None:
        return text
    return _ID_LINE.sub(b"", text[: front.end()], count=1) + text[front.end() :]
