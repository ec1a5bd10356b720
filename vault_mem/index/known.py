"""What the index knows of files, in the words in which operations ask for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from vault_mem.model import Link, Problem
from vault_mem.vault.copies import original_of
from vault_mem.vault.database import NamedValues
from vault_mem.vault.walk import FileState

# Kinds of files.
MEMORY, EPISODE, NOTE = "memory", "episode", "note"
OTHER = "other"  # lies among the memories and is not one: a drawing, a board, a note without name and text yet
# The type of a mere mention: in code, by an id in the text, or in a file that is not indexed.
MENTION = ""


class Known(NamedTuple):
    """One file as it was indexed. `declared` is the id the file gives, `id` the one it goes by, `name` its name key.

    `flagged`: it says that it is private, but lies among the public ones. `ends`: when it ceases to hold; None once
    the views show that.
    """

    key: str
    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int
    checked_ns: int
    hash: str
    declared: str
    id: str
    name: str
    dated_by_file: int
    foreign_id: int
    problems: str
    flagged: int
    type: str
    title: str
    private: int
    created: float
    ends: float | None

    @property
    def frozen(self) -> str:
        """Why nothing may be written into the file; empty if it may."""
        return next((reason for reason, _, odd in json.loads(self.problems) if not odd), "")

    @property
    def state(self) -> FileState:
        """The file's state when it was read."""
        return FileState(self.mtime_ns, self.ctime_ns, self.size, self.inode)


class WrittenLink(NamedTuple):
    """A link as a file has it; of type MENTION if it is a mere mention."""

    file: str
    target: str
    type: str = MENTION
    confidence: float | None = None
    title: str = ""

    @property
    def link(self) -> Link:
        """The link itself."""
        return Link(self.target, self.type, self.confidence, self.title)


COLUMNS = ", ".join(Known._fields)


class KnownFiles(NamedValues):
    """Every file as it was indexed, what has been done about it, and what is still to be done."""

    def _where(self, condition: str) -> list[Known]:
        return [Known._make(row) for row in self._db.execute(f"SELECT {COLUMNS} FROM files WHERE {condition}")]

    def files(self, keys: Iterable[str]) -> dict[str, Known]:
        """What is known of these files."""
        select = f"SELECT {COLUMNS} FROM files WHERE key = ?"
        found = (self._db.execute(select, (key,)).fetchone() for key in keys)
        return {row[0]: Known._make(row) for row in found if row}

    def declaring(self, ids: Iterable[str]) -> list[tuple[str, str, str]]:
        """Key, declared id and id gone by, of every file that declares one of these ids."""
        select = "SELECT key, declared, id FROM files WHERE declared = ?"
        return [row for id_ in sorted(set(ids)) for row in self._db.execute(select, (id_,))]

    def declared_twice(self) -> list[tuple[str, str, str]]:
        """Key, declared id and id gone by, for every id that more than one file declares."""
        several = "SELECT declared FROM files WHERE declared != '' GROUP BY declared HAVING COUNT(*) > 1"
        return list(self._db.execute(f"SELECT key, declared, id FROM files WHERE declared IN ({several}) ORDER BY key"))

    def is_searched(self, key: str) -> bool:
        """Whether recall looks through a file: not episodes."""
        found = self._db.execute("SELECT type FROM files WHERE key = ?", (key,)).fetchone()
        return found is not None and found[0] in (MEMORY, NOTE)

    def keys(self) -> list[str]:
        """Every file, in the order of their keys."""
        return [key for (key,) in self._db.execute("SELECT key FROM files ORDER BY key")]

    def problems(self) -> list[Problem]:
        """What could not be read, file by file."""
        found: list[Problem] = []
        for key, text in self._db.execute("SELECT key, problems FROM files WHERE problems != '[]' ORDER BY key"):
            found += [Problem(key, *each) for each in json.loads(text)]
        return found

    def with_ids(self, ids: Iterable[str]) -> list[Known]:
        """The files that go by these ids."""
        select = f"SELECT {COLUMNS} FROM files WHERE declared = ?1 AND id = ?1"
        provisional = f"SELECT {COLUMNS} FROM files WHERE declared = '' AND id = ?1"
        found = (
            self._db.execute(select, (id_,)).fetchone() or self._db.execute(provisional, (id_,)).fetchone()
            for id_ in sorted(ids)
        )
        return [Known._make(row) for row in found if row]

    def with_digits(self, digits: str) -> set[str]:
        """The ids, given by the files themselves, that begin with these hex digits."""
        select = "SELECT declared FROM files WHERE declared = id AND declared BETWEEN ? AND ?"
        ranges = ((f"{prefix}_{digits}", f"{prefix}_{digits}g") for prefix in ("mem", "ep"))
        return {id_ for each in ranges for (id_,) in self._db.execute(select, each)}

    def without_id(self) -> list[Known]:
        """Files that declare no id."""
        return self._where("declared = ''")

    def declaring_a_taken_id(self) -> list[Known]:
        """Files that declare an id which another file owns."""
        return self._where("declared != '' AND declared != id ORDER BY key")

    def id_of(self, key: str) -> str:
        """The id that a file goes by; nothing if there is no such file."""
        row = self._db.execute("SELECT id FROM files WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def key_of(self, id_: str) -> str | None:
        """The file that goes by an id."""
        row = self._db.execute("SELECT key FROM files WHERE id = ?", (id_,)).fetchone()
        return str(row[0]) if row else None

    def all_files(self) -> list[Known]:
        """What is known of every file."""
        return self._where("true")

    def originals(self, keys: Iterable[str]) -> dict[str, str]:
        """The copies among these files, each with its original: recognised by the id, or by a sync service's naming."""
        copied = dict(self._db.execute("SELECT key, declared FROM files WHERE declared != '' AND declared != id"))
        found: dict[str, str] = {}
        for key in keys:
            original = self.key_of(copied[key]) if key in copied else original_of(key)
            if original and original != key and self.id_of(original):
                found[key] = original
        return found

    def copies(self, key: str) -> list[str]:
        """The copies of a file."""
        id_ = self.id_of(key)
        prefix = key.removesuffix(".md")
        select = "SELECT key FROM files WHERE key > ? AND key < ?"
        named = [each for (each,) in self._db.execute(select, (prefix, prefix + "\uffff")) if original_of(each) == key]
        by_id = [each for each, _, gone_by in self.declaring([id_]) if gone_by != id_] if id_ else []
        return sorted({*named, *by_id})

    def flagged(self) -> list[Known]:
        """Files that say they are private but lie among the public ones."""
        return self._where("flagged = 1")

    def private_files(self) -> list[Known]:
        """Files that are private, or say so."""
        return self._where("private = 1 OR flagged = 1")

    def unfollowed(self) -> list[Known]:
        """Files that changed since the views were last updated."""
        return self._where("followed IS NOT hash")

    def unfollowed_among(self, keys: Iterable[str]) -> set[str]:
        """Those of these files that changed since the views were updated; after a checkout, all would be thousands."""
        select = "SELECT key FROM files WHERE key = ? AND followed IS NOT hash"
        return {key for wanted in keys for (key,) in self._db.execute(select, (wanted,))}

    def ended(self, now: float) -> dict[str, str]:
        """Files that have ceased to hold since the views were updated, with their ids."""
        return dict(self._db.execute("SELECT key, declared FROM files WHERE ends <= ? AND followed IS hash", (now,)))

    def gone(self) -> list[tuple[str, str, bool]]:
        """Files that are gone, or lost their id, since the views were updated: key, id, whether another has that id."""
        select = "SELECT key, id, EXISTS (SELECT 1 FROM files WHERE declared = gone.id) FROM gone"
        return [(key, id_, bool(moved)) for key, id_, moved in self._db.execute(select)]

    def follow(self, keys: Iterable[str], now: float, gone: Iterable[str] = ()) -> None:
        """Record that the views show these files as they were indexed, and no longer show those that are gone."""
        update = "UPDATE files SET followed = hash, ends = CASE WHEN ends > ? THEN ends END WHERE key = ?"
        self._db.executemany(update, [(now, key) for key in keys])
        self._db.executemany("DELETE FROM gone WHERE key = ?", [(key,) for key in gone])

    def follow_all(self) -> None:
        """Treat the views as up to date: a new index is no reason to write them."""
        self._db.execute("UPDATE files SET followed = hash")

    def renames(self) -> dict[str, set[str]]:
        """Names that files had before, alone and with their folders, and the ids of those files (see name_key)."""
        found: dict[str, set[str]] = {}
        for name, id_ in self.former_names():
            parts = name.split("/")
            for start in range(len(parts)):
                found.setdefault("/".join(parts[start:]), set()).add(id_)
        return found

    def former_names(self) -> list[tuple[str, str]]:
        """The names as they are kept: each with its folder, and the id of its file."""
        return list(self._db.execute("SELECT name, id FROM renames"))

    def unhealed(self) -> list[str]:
        """Files that may hold links to old names."""
        return [key for (key,) in self._db.execute("SELECT key FROM unhealed ORDER BY key")]

    def add_unhealed(self, keys: Iterable[str]) -> None:
        """Note files to look at for links to old names."""
        self._db.executemany("INSERT OR IGNORE INTO unhealed VALUES (?)", [(key,) for key in keys])

    def take_unhealed(self) -> list[str]:
        """Files that may hold links to old names; the list is emptied."""
        return [key for (key,) in self._db.execute("DELETE FROM unhealed RETURNING key")]
