"""Rows that machines share: taken from a store instead of being made, and added to it for the others (SPEC L-3).

A row is named after what it was made from: path, content hash, model, version and settings. So it is right for anyone
with exactly that file, and nobody else can find it. Private memories are never in the store.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from vault_mem.errors import Busy, StoreError
from vault_mem.index.files import provisional_id
from vault_mem.index.index import Index
from vault_mem.index.known import Known, WrittenLink
from vault_mem.index.rows import schema
from vault_mem.index.state import SCHEMA_VERSION
from vault_mem.index.table import listed
from vault_mem.notes.links import ID_AT_END, link_name, name_key, stem_of
from vault_mem.store.ledger import FileRows, Ledger, StoreStatus, mark
from vault_mem.store.objects import Objects, Traffic, without_password
from vault_mem.store.store import (
    EXPIRY_DAYS,
    LINKED_COLUMN,
    MEMORY_COLUMN,
    NAME_COLUMN,
    STORE_FORMAT,
    TEXT_COLUMN,
    Store,
)
from vault_mem.vault.lock import locked_outside

# Indexing fewer files is faster than asking a store.
ASK_FROM_FILES = 100
# How long a command may wait for rows, and how long the work after its answer may take.
PULL_SECONDS, PUSH_SECONDS, WITHDRAW_SECONDS, LOOK_SECONDS = 20.0, 30.0, 30.0, 5.0
# Rows of this many files make a segment: about 2 MB.
SEGMENT_FILES = 1000
# Saves are added to the store together, by a command that comes at least this long after the last addition.
GATHER_SECONDS = 60
_DAY = 86_400
# After losing time to an unreachable store, leave it alone for ten times as long, but at most this long.
_LONGEST_PAUSE = 300.0
# Segments that are kept decoded while rows are taken from them.
_MOST_DECODED = 4
_KNOWN_COLUMN, _LINKS_COLUMN = "known", "links"
_SHARED_FIELDS = Known._fields[Known._fields.index("declared") :]


class Shared:
    """The store of one index, as far as this machine uses it."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._uri = index.folder.settings.index_dir
        digest = hashlib.sha256(self._uri.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        self.ledger = Ledger(index.home / f"store-{digest}-{STORE_FORMAT}.db")
        self._pulled = index.home / "pulled"
        self._decoded: dict[str, pa.Table] = {}
        self._store: Store | None = None  # to read rows from, until its time limit
        self.traffic = Traffic()
        read = [SCHEMA_VERSION, str(schema(index.embedder.dim)), index.embedder.fingerprint, index.read_by]
        self._version_digest = hashlib.sha256(json.dumps(read).encode()).hexdigest()[:16]

    @property
    def prefix(self) -> str:
        """The prefix of the segments made by this version, model and settings."""
        return f"rows/{self._version_digest}"

    def rows_of(self, key: str, digest: str, id_: str) -> FileRows:
        """The name and the marks of a file's rows."""
        text, called = mark("text", key, digest), _name_mark(key)
        return FileRows(
            mark("row", self._version_digest, key, digest), mark("memory", id_), text, mark("path", key), called
        )

    @contextmanager
    def _store_for(self, seconds: float, *, now: bool = False) -> Iterator[Store]:
        """The store, with a time limit. After a failure that cost time, it is left alone for a while, unless `now`."""
        clock = time.time()
        pause = float(self.ledger.get("pause") or 0)
        if not now and abs(clock - float(self.ledger.get("failed") or 0)) < pause:
            raise StoreError(str(self.ledger.get("trouble")), str(self.ledger.get("hint") or ""))
        folder = self._index.folder
        began = time.monotonic()
        objects = None
        try:
            objects = Objects(self._uri, folder.env, folder.settings.store_options, seconds)
            store = Store(objects, self.ledger)
            store.check_usable()
            yield store
        except StoreError as error:
            lost = min(10 * (time.monotonic() - began), _LONGEST_PAUSE)
            self.ledger.put(trouble=error.message, hint=error.hint, failed=clock, pause=lost)
            raise
        else:
            self.ledger.put(trouble="", hint="", pause=0, reached=clock)
        finally:
            if objects is not None:
                self.traffic = objects.traffic

    @contextmanager
    def _writing(self, seconds: float, wait: float, *, now: bool = False) -> Iterator[Store]:
        """The store to write to, for one process of this machine at a time: so a machine knows its own leftovers.

        Raises Busy if another process has it for longer than `wait`.
        """
        lock = self._index.home / "store.lock"
        with locked_outside(lock, "the store", wait), self._store_for(seconds, now=now) as store:
            yield store

    # Taking rows over

    def worth_asking(self, count: int) -> bool:
        """Whether other machines may have rows for this many missing files; if so, what they added has been pulled."""
        if count < ASK_FROM_FILES:
            return False
        self.forget_pulled()
        try:
            self._pulled.mkdir(mode=0o700)
            with self._store_for(PULL_SECONDS) as self._store:
                self._store.catch_up(self._keep_segment)
        except (StoreError, OSError):
            self._store = None
        return bool(self.ledger.segments())

    def _keep_segment(self, segment: str, table: pa.Table) -> None:
        """Keep a segment on disk for this sync: all of them together may not fit into memory."""
        prefix, _, name = segment.rpartition("/")
        if prefix == self.prefix:
            with pa.ipc.new_file(self._pulled / name, table.schema) as writer:
                writer.write_table(table)

    def rows(self, files: Mapping[str, str]) -> tuple[pa.Table, list[tuple[str, tuple[Any, ...], list[WrittenLink]]]]:
        """The pulled rows of these files, which are given with their hashes; and what is known of each file."""
        wanted = {self.rows_of(key, digest, "").name: key for key, digest in files.items()}
        by_segment: dict[str, list[str]] = {}
        for name, segment in self.ledger.segments_with(wanted, self.prefix).items():
            by_segment.setdefault(segment, []).append(name)
        tables, known = [], []
        for segment, names in by_segment.items():
            table = self._segment(segment)
            if table is None:
                continue
            table = table.filter(pc.is_in(table[NAME_COLUMN], value_set=pa.array(names)))
            whole = (
                table.filter(pc.equal(table["n"], 0))
                .select(["file", NAME_COLUMN, _KNOWN_COLUMN, _LINKS_COLUMN])
                .to_pylist()
            )
            sound = [row for row in whole if wanted.get(row[NAME_COLUMN]) == row["file"]]
            if len(sound) != len(names) or len(whole) != len(names):
                continue  # not written by us, or damaged: these files are indexed from disk instead
            tables.append(table.select(schema(self._index.embedder.dim).names))
            for row in sound:
                links = [WrittenLink(row["file"], *each) for each in json.loads(row[_LINKS_COLUMN])]
                known.append((row["file"], tuple(json.loads(row[_KNOWN_COLUMN])), links))
        columns = schema(self._index.embedder.dim)
        return (pa.concat_tables(tables).cast(columns) if tables else columns.empty_table()), known

    def _segment(self, segment: str) -> pa.Table | None:
        """A segment: pulled just now, or fetched again if it was read long ago; None if that fails."""
        if segment not in self._decoded:
            path = self._pulled / segment.rpartition("/")[2]
            try:
                if not path.exists() and self._store and (table := self._store.read(segment)) is not None:
                    self._keep_segment(segment, table)
                table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
                table.select([*schema(self._index.embedder.dim).names, NAME_COLUMN, _KNOWN_COLUMN, _LINKS_COLUMN])
            except (OSError, pa.ArrowInvalid, KeyError, StoreError):
                return None
            self._decoded[segment] = table
            if len(self._decoded) > _MOST_DECODED:
                del self._decoded[next(iter(self._decoded))]
        return self._decoded[segment]

    def forget_pulled(self) -> None:
        """Drop what was pulled."""
        self._decoded.clear()
        self._store = None
        shutil.rmtree(self._pulled, ignore_errors=True)

    # Giving rows away

    def share(self) -> None:
        """After an answer, do what is due in the store: remove rows, add rows, write our list, tidy.

        If nothing is due, the store is not asked. Raises StoreError.
        """
        now = self._index.folder.now().timestamp()
        list_due = abs(now - float(self.ledger.get("listed") or 0)) > _DAY
        if not (list_due or self.ledger.owed()) and self.ledger.get("level") == self._version():
            return
        self._owe_what_became_private()
        entries, to_add = self._to_add()
        owed = self.ledger.owed()
        list_due = list_due and bool(entries)
        if not to_add:
            self.ledger.put(level=self._version())
        waited = abs(now - float(self.ledger.get("added") or 0)) > GATHER_SECONDS
        add_due = bool(to_add) and (waited or len(to_add) >= ASK_FROM_FILES)
        if not (owed or list_due or add_due):
            return
        with suppress(Busy), self._writing(PUSH_SECONDS, 0) as store:
            self._remove_owed(store)
            if to_add:
                store.add(self.prefix, lambda: self._segments(self._to_add()[1]))
                self.ledger.put(added=now)
                self._owe_what_became_private()  # only now is it known what others have added
                self._remove_owed(store)
            if list_due:
                self.ledger.hold(entries.values(), int(now // _DAY), EXPIRY_DAYS)
                store.write_list()
                store.tidy()
                self.ledger.put(listed=now)

    def _to_add(self) -> tuple[dict[str, FileRows], list[str]]:
        """What this machine may share, by file, and the files whose rows the store does not have yet."""
        version = self._version()
        files = filter(_public, self._index.state.all_files())
        entries = {known.key: self.rows_of(known.key, known.hash, known.id) for known in files}
        if version != self.ledger.get("held_version"):
            self.ledger.hold(entries.values(), int(self._index.folder.now().timestamp() // _DAY), EXPIRY_DAYS)
            self.ledger.put(held_version=version)
        there = self.ledger.names_in_store()
        return entries, sorted(key for key, entry in entries.items() if entry.name not in there)

    def _version(self) -> list[Any]:
        """A value that changes whenever the index does."""
        return [self._index.generation, self._index.state.get("table_version")]

    def _segments(self, keys: list[str]) -> Iterator[pa.Table]:
        for start in range(0, len(keys), SEGMENT_FILES):
            yield self._table_of(keys[start : start + SEGMENT_FILES])

    def _table_of(self, keys: list[str]) -> pa.Table:
        """The rows of these files as this machine has them, with all that another needs to take them over."""
        index = self._index
        known = {key: each for key, each in index.state.files(keys).items() if _public(each)}
        links: dict[str, list[tuple[Any, ...]]] = {}
        for each in index.state.written_by(keys):
            links.setdefault(each.file, []).append(tuple(each[1:]))
        # A file may have changed or become private since: what the row itself says decides.
        condition = f"private = false AND file IN ({listed(keys)})"
        found = index.table.select(schema(index.table.dim).names, condition)
        files, hashes, numbers, ends = (found[name].to_pylist() for name in ("file", "hash", "n", "valid_to"))
        kept = [file in known and known[file].hash == digest for file, digest in zip(files, hashes, strict=True)]
        entries = {key: self.rows_of(key, each.hash, each.id) for key, each in known.items()}
        linked = {
            file: " ".join(sorted({mark for target, *_ in each for mark in _marks_meant(target)}))
            for file, each in links.items()
        }
        columns: dict[str, list[str]] = {
            name: [] for name in (NAME_COLUMN, MEMORY_COLUMN, TEXT_COLUMN, LINKED_COLUMN, _KNOWN_COLUMN, _LINKS_COLUMN)
        }
        for file, number, end, keep in zip(files, numbers, ends, kept, strict=True):
            if keep:
                first = number == 0
                columns[NAME_COLUMN].append(entries[file].name)
                columns[MEMORY_COLUMN].append(entries[file].memory)
                columns[TEXT_COLUMN].append(entries[file].text)
                columns[LINKED_COLUMN].append(linked.get(file, ""))
                columns[_KNOWN_COLUMN].append(json.dumps(_shared_values(known[file], end)) if first else "")
                columns[_LINKS_COLUMN].append(json.dumps(links.get(file, [])) if first else "")
        table = found.filter(pa.array(kept, pa.bool_()))
        for name, values in columns.items():
            table = table.append_column(name, pa.array(values, pa.string()))
        return table

    # Taking rows out

    def mark_for_removal(self, ids: Iterable[str], files: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        """Record that nothing of these memories may stay in the store, nor any version of `files`.

        `names`: names of the memories that the index does not know.
        """
        ids, files = set(ids), list(files)
        memories = [mark("memory", id_) for id_ in ids]
        now = self._index.state.files(files).values()
        former = (name for name, id_ in self._index.state.former_names() if id_ in ids)
        of_them = self.ledger.held_as("memory", memories)
        held = [*self.ledger.held_as("path", [mark("path", key) for key in files]), *of_them]
        texts = {*(mark("text", known.key, known.hash) for known in now), *(each.text for each in held)}
        # Other machines may have notes that link to the memory, and a link contains its title.
        keys = [*names, *former, *(known.key for known in now if known.id in ids)]
        called = {*map(_name_mark, keys), *(each.called for each in of_them)}
        numbered = [mark("numbered", id_[-12:-4]) for id_ in ids]  # all its former names end like this
        self.ledger.owe([*memories, *texts, *called, *numbered])

    def _owe_what_became_private(self) -> None:
        """Owe the removal of all that this or another machine once offered and is private now, however it became so."""
        private = [known.id for known in self._index.state.private_files()]
        offered = self.ledger.offered(mark("memory", id_) for id_ in private)
        self.mark_for_removal([id_ for id_ in private if mark("memory", id_) in offered])

    def was_offered(self, id_: str) -> bool:
        """Whether this memory was ever shared with other machines, as far as is known here."""
        return bool(self.ledger.offered([mark("memory", id_)]))

    def withdraw(self) -> None:
        """Remove from the store what must not be there, at once; raises StoreError."""
        try:
            with self._writing(WITHDRAW_SECONDS, WITHDRAW_SECONDS, now=True) as store:
                self._remove_owed(store)
        except Busy as error:
            raise StoreError(error.message, error.hint) from None

    def _remove_owed(self, store: Store) -> None:
        if owed := self.ledger.owed():
            store.withdraw(owed)

    @property
    def owes(self) -> bool:
        """Whether something must still be taken out."""
        return bool(self.ledger.owed())

    def status(self) -> StoreStatus:
        """What this machine has still to add, read and remove; the store is asked, but not for long."""
        to_read = None
        with suppress(StoreError), self._store_for(LOOK_SECONDS) as store:
            to_read = store.unread()
        noted = {name: self.ledger.get(name) for name in ("reached", "trouble", "hint")}
        return StoreStatus(
            without_password(self._uri),
            datetime.fromtimestamp(noted["reached"], self._index.folder.zone) if noted["reached"] else None,
            noted["trouble"] or "",
            noted["hint"] or "",
            len(self._to_add()[1]),
            to_read,
            len(self.ledger.owed()),
        )

    def close(self) -> None:
        """Close the files."""
        self.ledger.close()


def _name_mark(name: str) -> str:
    """The mark of the name by which links find a note, without its folder."""
    return mark("called", name_key(stem_of(link_name(name))))


def _marks_meant(target: str) -> Iterator[str]:
    """The marks of the note that a link, or an id in the text, may mean."""
    yield _name_mark(target)
    if target.startswith(("mem_", "ep_")):
        yield mark("memory", target)
    if numbered := ID_AT_END.search(name_key(stem_of(link_name(target)))):
        yield mark("numbered", numbered[1])


def _public(known: Known) -> bool:
    """Whether a file's rows may leave this machine, and would be the same on any other."""
    of_its_own = known.id == (known.declared or provisional_id(known.key))
    return of_its_own and not (known.private or known.flagged or known.dated_by_file)


def _shared_values(known: Known, ends: float | None) -> list[Any]:
    """What is known of a file on any machine. `ends` comes from its row: here, the views may already show its end."""
    return [getattr(known._replace(ends=ends), name) for name in _SHARED_FIELDS]
