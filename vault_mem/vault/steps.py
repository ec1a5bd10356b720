"""The steps of a transaction: what one file is before and after, and how to get from one to the other.

A step is prepared first: its new content is written and synced beside its target. Then it is switched: only names
change, which needs no disk space. What it displaces stays in the journal until no program has it open (see `late`), so
taking it back only renames files, too. A step can be applied twice without harm, so after a crash it is done again.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import hashlib
import json
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from vault_mem.errors import Unsafe, VaultMemError
from vault_mem.notes.text import split_text
from vault_mem.vault import files, marked
from vault_mem.vault.folder import JOURNAL, Folder
from vault_mem.vault.tree import (
    PRIVATE_FOLDER_MODE,
    PRIVATE_MODE,
    PUBLIC_FOLDER_MODE,
    PUBLIC_MODE,
    TEMPORARY,
    PathRefused,
    beside,
    name_of,
    parent_of,
)


class State(Enum):
    """Where a step stands: not done, done, or the file has changed."""

    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


@dataclass(frozen=True)
class Stage:
    """The names under which one step of an operation keeps what it prepared and what it displaced."""

    name: str  # of the operation's entry in the journal
    number: int

    def prepared_name(self, key: str) -> str:
        """The name of the new content, beside its target."""
        return beside(key, f"{TEMPORARY}{self.name}.{self.number}.tmp")

    def displaced_name(self, before: bytes) -> str:
        """The name of the displaced file. It has the content's size and hash, so that late words can be told."""
        return f"{JOURNAL}/{self.name}.{self.number}.{len(before)}-{digest(before, 8)}.was"


@dataclass(frozen=True)
class FileStep:
    """One file's whole content before and after; None if there is no file.

    A `loose` step is skipped if the file has other content by now. The times are mtimes, where they matter: many notes
    are dated by nothing else.
    """

    key: str
    before: bytes | None
    after: bytes | None
    mode: int = PUBLIC_MODE
    loose: bool = False
    before_time: int | None = None
    after_time: int | None = None

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        now = read(folder, self.key)
        if now == self.after:
            return State.AFTER
        return State.BEFORE if now == self.before else State.OTHER

    def prepare(self, folder: Folder, stage: Stage, *, sync: bool = True) -> list[str]:
        """Write the new content beside its target. Returns the folders that had to be made."""
        if self.after is None:
            return []
        tree = folder.tree
        with files.failures(tree.path(self.key)):
            if self.before is None:
                mode = None if self.mode == PUBLIC_MODE else self.mode
                private = not self.mode & 0o077
                above = parent_of(self.key)
                made = tree.make_folder(above, PRIVATE_FOLDER_MODE if private else PUBLIC_FOLDER_MODE) if above else []
            else:
                mode, made = stat.S_IMODE(files.checked(tree, self.key, self.before).st_mode), []
            tree.stage(self.key, name_of(stage.prepared_name(self.key)), self.after, mode, self.after_time, sync=sync)
            return made

    def switch(self, folder: Folder, stage: Stage) -> None:
        """Do what was prepared; raises Conflict, and changes nothing, if the file has changed."""
        tree, new = folder.tree, stage.prepared_name(self.key)
        with files.failures(tree.path(self.key)):
            if self.before is None:
                tree.rename(new, self.key)
            elif self.after is None:
                try:
                    files.take(tree, self.key, stage.displaced_name(self.before), self.before)
                except OSError as error:
                    if error.errno != errno.EXDEV:
                        raise
                    files.take(tree, self.key, new, self.before)  # the journal is on another disk
            else:
                files.swap(tree, new, self.key, self.before, stage.displaced_name(self.before))

    def take_back(self, folder: Folder, stage: Stage) -> None:
        """Put the file back as it was before the switch; raises Conflict if somebody has edited it since."""
        tree, new = folder.tree, stage.prepared_name(self.key)
        kept = self.kept(folder, stage)
        with files.failures(tree.path(self.key)):
            if self.before is None:
                if tree.is_file(new):
                    return  # never switched: a file with the same content is not ours
                files.take(tree, self.key, new, self.after or b"")
                tree.drop(new)
            elif kept is None or (self.after is not None and not tree.exchange(kept, self.key)):
                again = Stage(stage.name, stage.number + 100_000)
                self.reverse().prepare(folder, again)
                self.reverse().switch(folder, again)
                tree.drop(again.displaced_name(self.after or b""))
            elif self.after is None:
                tree.rename(kept, self.key)
            elif tree.read(kept) != self.after:
                tree.exchange(kept, self.key)
                raise files.changed(tree, self.key)
            else:
                tree.drop(kept)

    def kept(self, folder: Folder, stage: Stage) -> str | None:
        """Where the displaced file is: in the journal, or beside its old place if that is on another disk."""
        if self.before is None:
            return None
        keys = (stage.displaced_name(self.before), stage.prepared_name(self.key))
        return next((each for each in keys if folder.tree.is_file(each)), None)

    def slipped_in(self, folder: Folder, stage: Stage) -> bool:
        """If a person saved the file just as a crash cut the switch short, put that back; returns whether they did."""
        kept = self.kept(folder, stage)
        if self.before is None or kept is None or self.state(folder) is not State.AFTER:
            return False
        with files.failures(folder.tree.path(self.key)):
            if folder.tree.read(kept) in (self.before, self.after):
                return False
            if self.after is None:
                folder.tree.rename(kept, self.key)
            else:
                folder.tree.exchange(kept, self.key)
        return True

    def reverse(self) -> FileStep:
        """The step that takes this one back."""
        return replace(
            self, before=self.after, after=self.before, before_time=self.after_time, after_time=self.before_time
        )

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return vars(self) | {"before": _pack(self.before), "after": _pack(self.after)}


@dataclass(frozen=True)
class ViewBefore:
    """A view before one of its lines changed: the hash of its text, its mtime, and the numbers of the lines."""

    hash: str
    time: int | None
    lines: list[int]

    @staticmethod
    def of(text: str | None, time: int | None, id_: str) -> ViewBefore:
        """A view as it is."""
        return ViewBefore(_hash(text), time, marked.line_numbers(text, id_))

    def matches(self, text: str | None) -> bool:
        """Whether a text is the same as the view's was."""
        return text is not None and _hash(text) == self.hash

    def record(self) -> dict[str, Any]:
        """As JSON; the journals of earlier versions have the same keys."""
        return {"hash": self.hash, "time": self.time, "places": self.lines}


@dataclass(frozen=True)
class LineStep:
    """The line of a view that mirrors a memory, with copies that a person made; the rest is not looked at.

    `view_before` is the view before it. A step that takes another back has that one's in `restores`: if nothing else
    has changed, the view gets the same bytes and the same mtime again.
    """

    key: str
    id: str
    before: str | None
    after: str | None
    position: str = marked.BY_TIME
    view_before: ViewBefore | None = None
    restores: ViewBefore | None = None

    @property
    def adds(self) -> bool:
        """Whether it only adds a line."""
        return bool(self.id) and self.before is None and self.after is not None and self.restores is None

    @property
    def takes_out(self) -> bool:
        """Whether it only takes out a line that another step had added."""
        return bool(self.id) and self.after is None and self.restores is not None

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        line = marked.find(as_text(read(folder, self.key)), self.id)
        if line == self.after:
            return State.AFTER
        return State.BEFORE if line == self.before else State.OTHER

    def put(self, raw: bytes | None) -> tuple[bytes | None, int | None]:
        """The view with that line in it, or without it, and the time to give it."""
        text, time = self.applied(as_text(raw))
        return _encoded(text), time

    def applied(self, text: str | None) -> tuple[str | None, int | None]:
        """A view's text after this step, and the mtime it had with exactly this text, if it ever did."""
        after = marked.put(text, self.id, self.after, self.position, self.key)
        if self.restores is None:
            return after, None
        if self.restores.matches(after):
            return after, self.restores.time
        if self.after is not None and self.id:  # a person had moved it
            without = marked.put(text, self.id, None, self.position, self.key)
            exact = marked.put_at(without, self.after, self.restores.lines)
            if self.restores.matches(exact):
                return exact, self.restores.time
        return after, None

    def reverse(self) -> LineStep:
        """The step that takes this one back."""
        return replace(self, before=self.after, after=self.before, view_before=None, restores=self.view_before)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        record = {"key": self.key, "id": self.id, "before": self.before, "after": self.after, "place": self.position}
        kept = {"was": self.view_before, "back_to": self.restores}
        return record | {name: value.record() for name, value in kept.items() if value is not None}


def added_to(raw: bytes | None, steps: list[LineStep]) -> bytes | None:
    """A view with the lines that many steps add to it, at once."""
    text = as_text(raw)
    for position in dict.fromkeys(step.position for step in steps):
        lines = [line for step in steps if step.position == position and (line := step.after) is not None]
        text = marked.add(text, lines, position, steps[0].key)
    return _encoded(text)


def without(raw: bytes | None, steps: list[LineStep]) -> tuple[bytes | None, int | None]:
    """A view without the lines that many steps take out of it, at once, and the mtime it had with exactly this text."""
    ids = {step.id for step in steps}
    if ids.isdisjoint(marked.by_id(as_text(raw) or "")):
        return raw, None
    text = marked.without(as_text(raw) or "", ids, steps[0].key)
    was = steps[-1].restores
    return _encoded(text), was.time if was is not None and was.matches(text) else None


@dataclass(frozen=True)
class AppendStep:
    """A line at the end of a log. An undo leaves it: what happened has happened."""

    key: str
    line: str

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        return State.AFTER if self._bytes() in (read(folder, self.key) or b"") else State.BEFORE

    def prepare(self, folder: Folder) -> None:
        """Raise if the log cannot be opened, before anything has been done."""
        with (
            files.failures(folder.tree.path(self.key)),
            contextlib.suppress(FileNotFoundError),
            folder.tree.opened(self.key),
        ):
            return

    def switch(self, folder: Folder, stage: Stage) -> None:
        """Add the line; if a crash left a part of it, that is cut off first."""
        private = self.key.startswith(".") or folder.is_private(self.key)
        files.make_folder(folder.tree, parent_of(self.key), PRIVATE_FOLDER_MODE if private else PUBLIC_FOLDER_MODE)
        files.append(folder.tree, self.key, self._bytes(), PRIVATE_MODE if private else PUBLIC_MODE, unique=True)

    def take_back(self, folder: Folder, stage: Stage) -> None:
        """Remove the line again, if it is still the last, because the transaction failed."""
        with files.failures(folder.tree.path(self.key)):
            raw = folder.tree.read(self.key)
            if raw is None or not raw.endswith(self._bytes()):
                return
            if raw == self._bytes():
                files.take(folder.tree, self.key, stage.prepared_name(self.key), raw)
                folder.tree.drop(stage.prepared_name(self.key))
            else:
                folder.tree.truncate(self.key, len(raw) - len(self._bytes()))

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {"key": self.key, "append": self.line}

    def _bytes(self) -> bytes:
        return self.line.encode() + b"\n"


@dataclass(frozen=True)
class DropStep:
    """Lines removed from a public log because they are about something private. An undo does not restore them."""

    key: str
    lines: tuple[str, ...]

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        return State.AFTER if self.put(raw := read(folder, self.key))[0] == raw else State.BEFORE

    def put(self, raw: bytes | None) -> tuple[bytes | None, int | None]:
        """The log without these lines, and None for the mtime: it gets a new one."""
        gone = {line.encode() for line in self.lines}
        kept = b"".join(line for line in (raw or b"").splitlines(keepends=True) if line.rstrip(b"\r\n") not in gone)
        return (raw if raw is None or kept == raw else kept or None), None

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {"key": self.key, "drop": list(self.lines)}


@dataclass(frozen=True)
class MadeStep:
    """A note that an import made, known only by its hash and its text's hash. Such a step is only ever taken back."""

    key: str
    hash: str
    text: str
    mode: int = PUBLIC_MODE

    @staticmethod
    def of(key: str, raw: bytes, mode: int) -> MadeStep:
        """A note of these bytes."""
        return MadeStep(key, digest(raw), digest(split_text(raw.decode(errors="replace")).body.encode()), mode)

    def says(self, body: str) -> bool:
        """Whether a note with that text still has the text that was made."""
        return digest(body.encode()) == self.text

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        now = read(folder, self.key)
        if now is None:
            return State.BEFORE
        return State.AFTER if digest(now) == self.hash else State.OTHER

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {"key": self.key, "made": self.hash, "text": self.text, "mode": self.mode}


Step = FileStep | LineStep | AppendStep | DropStep | MadeStep


def read(folder: Folder, key: str) -> bytes | None:
    """A file's bytes, or None."""
    try:
        return folder.tree.read(key)
    except PathRefused as error:
        raise Unsafe(f"{key}: {error.strerror}", files.ONLY_REGULAR) from error
    except OSError as error:
        raise VaultMemError(f"cannot read {key}: {error.strerror}") from error


def read_if_can(folder: Folder, key: str) -> bytes:
    """A file's bytes; none if there is no such file, or it cannot be read."""
    try:
        return read(folder, key) or b""
    except VaultMemError:
        return b""


def json_lines(folder: Folder, key: str) -> Iterator[Any]:
    """The records of a log, one on each line; a line that cannot be read is passed over."""
    for line in (read(folder, key) or b"").decode(errors="replace").splitlines():
        with contextlib.suppress(ValueError):
            yield json.loads(line)


def from_record(record: dict[str, Any]) -> Step:
    """The step that `record` describes; raises KeyError, TypeError or ValueError if it is not valid."""
    key = record["key"]
    if not isinstance(key, str):
        raise TypeError("a key is text")
    if "append" in record:
        return AppendStep(key, str(record["append"]))
    if "drop" in record:
        return DropStep(key, tuple(str(line) for line in record["drop"]))
    if "made" in record:
        return MadeStep(key, str(record["made"]), str(record["text"]), int(record["mode"]))
    if "place" in record:
        known = [_view_before(record.get(name)) for name in ("was", "back_to")]
        before, after = _line(record["before"]), _line(record["after"])
        return LineStep(key, str(record["id"]), before, after, str(record["place"]), *known)
    return FileStep(
        key,
        _unpack(record["before"]),
        _unpack(record["after"]),
        int(record["mode"]),
        bool(record.get("loose")),
        _time(record.get("before_time")),
        _time(record.get("after_time")),
    )


def _line(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("a line is text")
    return value


def _view_before(record: Any) -> ViewBefore | None:
    if record is None:
        return None
    return ViewBefore(str(record["hash"]), _time(record["time"]), [int(number) for number in record["places"]])


def _hash(text: str | None) -> str:
    return "" if text is None else digest(_encoded(text) or b"")


def digest(raw: bytes, size: int = 12) -> str:
    """A digest, `size` bytes long, as text."""
    return hashlib.blake2b(raw, digest_size=size).hexdigest()


def _time(value: Any) -> int | None:
    return None if value is None else int(value)


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode(errors="surrogateescape")


def as_text(raw: bytes | None) -> str | None:
    """A view's text; bytes that are not UTF-8 survive being encoded again."""
    return None if raw is None else raw.decode(errors="surrogateescape")


def _pack(data: bytes | None) -> Any:
    """Text as text, so that a person can read the journal; other bytes as base64."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _unpack(value: Any) -> bytes | None:
    if value is None:
        return None
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else bytes(value.encode())
