"""The steps of a transaction: what one file is before and after, and how to get from one to the other.

Each step can be applied twice without harm, so that a crash in between is finished by applying it again.
"""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from vault_mem.errors import Conflict, VaultMemError
from vault_mem.notes.text import split_text
from vault_mem.vault import files, marked
from vault_mem.vault.folder import Folder


class State(Enum):
    """Where a step stands: not done, done, or the file says something else."""

    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


@dataclass(frozen=True)
class FileStep:
    """One file's whole content before and after; None where there is no file.

    A `loose` step is for what is overwritten anyway: where the file says something else, it is left so.
    The times are those of the file's last change, where they matter: many notes are dated by nothing else.
    """

    key: str
    before: bytes | None
    after: bytes | None
    mode: int = files.PUBLIC_MODE
    loose: bool = False
    before_time: int | None = None
    after_time: int | None = None

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        now = read(folder, self.key)
        if now == self.after:
            return State.AFTER
        return State.BEFORE if now == self.before else State.OTHER

    def apply(self, folder: Folder, keep: Path | None = None) -> None:
        """Do it; raises Conflict where the file says something else. What it displaces is moved to `keep`."""
        if self.loose and self.state(folder) is not State.BEFORE:
            return
        path = folder.path(self.key)
        if self.after is None:
            files.remove(path, self.before or b"")
        elif self.before is None:
            private = not self.mode & 0o077
            files.make_folder(path.parent, files.PRIVATE_FOLDER_MODE if private else 0o755)
            files.create(path, self.after, self.mode, self.after_time)
        else:
            files.replace(path, self.before, self.after, keep, mtime_ns=self.after_time)

    def reverse(self) -> FileStep:
        """The step that takes this one back."""
        return replace(
            self,
            before=self.after,
            after=self.before,
            before_time=self.after_time,
            after_time=self.before_time,
        )

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "key": self.key,
            "before": _pack(self.before),
            "after": _pack(self.after),
            "mode": self.mode,
            "loose": self.loose,
            "before_time": self.before_time,
            "after_time": self.after_time,
        }


@dataclass(frozen=True)
class Was:
    """A view as it was before a line of it changed: its text by its hash, its time, and where the line stood."""

    hash: str
    time: int | None
    places: list[int]

    @staticmethod
    def of(text: str | None, time: int | None, id_: str) -> Was:
        """A view as it is."""
        return Was(_hash(text), time, marked.places(text, id_))

    def matches(self, text: str | None) -> bool:
        """Whether a text is the one it was."""
        return text is not None and _hash(text) == self.hash


@dataclass(frozen=True)
class LineStep:
    """The line of a view that mirrors a memory, with copies that a person made; the rest is not looked at.

    `was` is the view before, and `back_to` what a step that takes another back should make of it if nothing else has
    changed: the same bytes, with the same time.
    """

    key: str
    id: str
    before: str | None
    after: str | None
    place: str = marked.BY_TIME
    was: Was | None = None
    back_to: Was | None = None

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        line = marked.find(as_text(read(folder, self.key)), self.id)
        if line == self.after:
            return State.AFTER
        return State.BEFORE if line == self.before else State.OTHER

    def apply(self, folder: Folder, keep: Path | None = None) -> None:
        """Do it, whatever else has changed in the file meanwhile."""
        raw = read(folder, self.key)
        for _ in range(5):
            after, time = self.applied(as_text(raw))
            step = FileStep(self.key, read(folder, self.key), _encoded(after), after_time=time)
            try:
                if step.before != step.after:
                    step.apply(folder, keep)
            except Conflict:
                raw = read(folder, self.key)  # somebody saved it in between: look again
                continue
            late = _taken(keep)
            if late is None or late == step.before:
                return
            raw = late
        raise Conflict(f"{self.key} keeps changing", "close the program that writes it, and try again")

    def applied(self, text: str | None) -> tuple[str | None, int | None]:
        """A view's text once this is done, and the time it had when it said just that."""
        after = marked.put(text, self.id, self.after, self.place, self.key)
        if self.back_to is None:
            return after, None
        if self.back_to.matches(after):
            return after, self.back_to.time
        if self.after is not None and self.id:  # its owner had moved it
            without = marked.put(text, self.id, None, self.place, self.key)
            exact = marked.put_at(without, self.after, self.back_to.places)
            if self.back_to.matches(exact):
                return exact, self.back_to.time
        return after, None

    def reverse(self) -> LineStep:
        """The step that takes this one back."""
        return replace(self, before=self.after, after=self.before, was=None, back_to=self.was)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        record = {"key": self.key, "id": self.id, "before": self.before, "after": self.after, "place": self.place}
        kept = {"was": self.was, "back_to": self.back_to}
        return record | {name: vars(value) for name, value in kept.items() if value is not None}


@dataclass(frozen=True)
class AppendStep:
    """A line at the end of a log. An undo leaves it: what happened has happened."""

    key: str
    line: str

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        return State.AFTER if self._bytes() in (read(folder, self.key) or b"") else State.BEFORE

    def apply(self, folder: Folder, keep: Path | None = None) -> None:
        """Add the line; one that a crash cut short is cut off first."""
        path, line = folder.path(self.key), self._bytes()
        private = self.key.startswith(".") or folder.is_private(self.key)
        files.make_folder(path.parent, files.PRIVATE_FOLDER_MODE if private else 0o755)
        files.append(path, line, files.PRIVATE_MODE if private else files.PUBLIC_MODE, unique=True)

    def reverse(self) -> AppendStep:
        """An append has no reverse."""
        raise TypeError("a log is not taken back")

    def take_back(self, folder: Folder) -> None:
        """Remove the line again, as long as it is the last: for a transaction that did not come about."""
        path = folder.path(self.key)
        raw = read(folder, self.key)
        if raw is not None and raw.endswith(self._bytes()):
            os.truncate(path, len(raw) - len(self._bytes()))

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {"key": self.key, "append": self.line}

    def _bytes(self) -> bytes:
        return self.line.encode() + b"\n"


@dataclass(frozen=True)
class DropStep:
    """Lines that leave a public log, because what they tell of is private now. An undo leaves it so."""

    key: str
    lines: tuple[str, ...]

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        return State.AFTER if not self._present(read(folder, self.key)) else State.BEFORE

    def apply(self, folder: Folder, keep: Path | None = None) -> None:
        """Take the lines out, whatever else has been added meanwhile."""
        raw = read(folder, self.key)
        if raw is None or not self._present(raw):
            return
        gone = {line.encode() for line in self.lines}
        after = b"".join(line for line in raw.splitlines(keepends=True) if line.rstrip(b"\r\n") not in gone)
        FileStep(self.key, raw, after or None).apply(folder)

    def reverse(self) -> DropStep:
        """What became private stays so."""
        raise TypeError("a log is not taken back")

    def take_back(self, folder: Folder) -> None:
        """Put the lines back: for a transaction that did not come about."""
        for line in self.lines:
            AppendStep(self.key, line).apply(folder)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {"key": self.key, "drop": list(self.lines)}

    def _present(self, raw: bytes | None) -> bool:
        return any(line.encode() in (raw or b"").splitlines() for line in self.lines)


@dataclass(frozen=True)
class MadeStep:
    """A note that was made, by its hash and that of its text: both are in the file itself. Only ever taken back."""

    key: str
    hash: str
    text: str
    mode: int = files.PUBLIC_MODE

    @staticmethod
    def of(key: str, raw: bytes, mode: int) -> MadeStep:
        """A note of these bytes."""
        return MadeStep(key, _digest(raw), _digest(split_text(raw.decode(errors="replace")).body.encode()), mode)

    def says(self, body: str) -> bool:
        """Whether a note of that text still says what was made."""
        return _digest(body.encode()) == self.text

    def state(self, folder: Folder) -> State:
        """Where the step stands."""
        now = read(folder, self.key)
        if now is None:
            return State.BEFORE
        return State.AFTER if _digest(now) == self.hash else State.OTHER

    def apply(self, folder: Folder, keep: Path | None = None) -> None:
        """It was done already, by the transaction that it is gathered from."""

    def reverse(self) -> MadeStep:
        """What takes it back needs the text."""
        raise TypeError("the file has to be read first")

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {"key": self.key, "made": self.hash, "text": self.text, "mode": self.mode}


Step = FileStep | LineStep | AppendStep | DropStep | MadeStep


def read(folder: Folder, key: str) -> bytes | None:
    """A file's bytes, or None where there is none."""
    try:
        return folder.path(key).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise VaultMemError(f"cannot read {key}: {error.strerror}") from error


def from_record(record: dict[str, Any]) -> Step:
    """The step that `record` described; raises KeyError, TypeError or ValueError where it is none."""
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
        known = [_was(record.get(name)) for name in ("was", "back_to")]
        return LineStep(key, str(record["id"]), record["before"], record["after"], str(record["place"]), *known)
    return FileStep(
        key,
        _unpack(record["before"]),
        _unpack(record["after"]),
        int(record["mode"]),
        bool(record.get("loose")),
        _time(record.get("before_time")),
        _time(record.get("after_time")),
    )


def _was(record: Any) -> Was | None:
    if record is None:
        return None
    return Was(str(record["hash"]), _time(record["time"]), [int(place) for place in record["places"]])


def _hash(text: str | None) -> str:
    return "" if text is None else _digest(_encoded(text) or b"")


def _digest(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=12).hexdigest()


def _time(value: Any) -> int | None:
    return None if value is None else int(value)


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode(errors="surrogateescape")


def as_text(raw: bytes | None) -> str | None:
    """A view's text; what is not UTF-8 in it comes out again as it went in."""
    return None if raw is None else raw.decode(errors="surrogateescape")


def _taken(keep: Path | None) -> bytes | None:
    """What a displaced file says by now; it is not needed any longer."""
    if keep is None or not keep.exists():
        return None
    late = keep.read_bytes()
    keep.unlink()
    return late


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
