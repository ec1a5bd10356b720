"""The store itself: segments of rows, and what keeps purged rows from coming back.

A segment is an Arrow file named by its own hash and written with one request: it is complete or not there, and never
changes. Machines add segments side by side. Removing rows, merging small segments and expiring old ones needs the
lease. Ages are measured by the clock of the store, because those of machines are sometimes wrong.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc

from vault_mem.errors import StoreError
from vault_mem.store.ledger import FileRows, Ledger
from vault_mem.store.objects import ObjectInfo, Objects

STORE_FORMAT = 3
# The columns of every segment: a row's name, and the marks of its memory, its text and the notes it links to.
NAME_COLUMN, MEMORY_COLUMN, TEXT_COLUMN, LINKED_COLUMN = "name", "mark_memory", "mark_text", "marks_linked"
# The lease of a machine that died lapses after this time; a working machine has given up by then.
LEASE_SECONDS = 120
# A machine that died while adding rows delays a purge for this time.
ADDING_SECONDS = 60
# Rows that no machine lists expire after this many days; new rows need not be listed for the second number of days.
EXPIRY_DAYS, GRACE_DAYS = 30, 2
_DAY = 86_400
# MANY_SEGMENTS segments with fewer than FEW_ROWS rows are merged into one.
FEW_ROWS, MANY_SEGMENTS = 500, 20
_POLL_SECONDS = 0.3
# The last seconds are for requests, not for waiting.
_LAST_SECONDS = 5.0

Taken = Callable[[str, pa.Table], None]


class Store:
    """The objects, and what this machine knows about them. Only one process of a machine writes at a time."""

    def __init__(self, objects: Objects, ledger: Ledger) -> None:
        self.objects = objects
        self.ledger = ledger
        self._salt = ""

    def check_usable(self) -> None:
        """Make sure that this store can be used: check its format, read its salt, and try conditional writes."""
        raw = self.objects.get("format.json")
        if raw is None:
            self._try_out()
            ours = json.dumps({"format": STORE_FORMAT, "salt": secrets.token_hex(16)}).encode()
            raw = ours if self.objects.put_new("format.json", ours) else self.objects.get("format.json")
        try:
            described = json.loads(raw or b"")
            known, salt = described["format"], str(described["salt"])
        except (ValueError, TypeError, KeyError):
            raise StoreError(
                "what is there is not a store of vault-mem", "name an empty folder of the bucket"
            ) from None
        if known != STORE_FORMAT:
            raise StoreError(
                f"the store has format {known}, and this version reads {STORE_FORMAT}",
                "name another folder, or use the same version of vault-mem on all machines",
            )
        if salt != self.ledger.get("salt"):  # new to this machine, or emptied since
            self._try_out()
            self.ledger.put(salt=salt)
        self._salt = salt

    def _try_out(self) -> None:
        probe = f"probe/{self.ledger.machine}-{secrets.token_hex(4)}"
        self.objects.put_new(probe, b"1")
        twice = self.objects.put_new(probe, b"2")
        self.objects.delete(probe)
        if twice:
            raise StoreError(
                "the store ignores If-None-Match: machines would overwrite each other's work",
                "use one that honours conditional writes, as S3 does",
            )
        self._refuse_versions()

    def _refuse_versions(self) -> None:
        if self.objects.keeps_versions:
            raise StoreError(
                "the bucket keeps old versions of objects: what is purged would stay in them",
                "turn versioning off, and delete old versions",
            )

    def catch_up(self, take: Taken = lambda segment, table: None) -> dict[str, ObjectInfo]:
        """Read the segments that others have added since, and pass each to `take`. Returns all segments."""
        listing = self.objects.list("rows/")
        read = self.ledger.segments()
        self.ledger.drop_segments(read - set(listing))
        for segment in sorted(set(listing) - read):
            table = self.read(segment)
            if table is not None:
                self._record_segment(segment, table)
                take(segment, table)
        return listing

    def unread(self) -> int:
        """How many segments have not been read yet."""
        return len(set(self.objects.list("rows/")) - self.ledger.segments())

    def read(self, segment: str) -> pa.Table | None:
        """The rows of a segment; None if it is gone or damaged."""
        raw = self.objects.get(segment)
        if raw is None or _name_of(raw) != segment.rpartition("/")[2]:
            return None
        try:
            table = pa.ipc.open_file(pa.BufferReader(raw)).read_all()
        except (pa.ArrowInvalid, OSError):
            return None
        return table if {NAME_COLUMN, MEMORY_COLUMN, TEXT_COLUMN, LINKED_COLUMN} <= set(table.column_names) else None

    def add(self, prefix: str, tables: Callable[[], Iterable[pa.Table]]) -> int:
        """Add rows, except those with a tombstone in the store. Returns the number of segments added.

        `tables` is called once it is known what others have added.
        """
        adding = self.ledger.name_left_or("adding", f"adding/{self.ledger.machine}-{secrets.token_hex(4)}")
        self.objects.put(adding, b"")  # before tombstones are read: a purge waits for it to go
        try:
            self.catch_up()
            forbidden = self._tombstones()
            return sum(self._write(prefix, self._allowed(table, forbidden)) is not None for table in tables())
        finally:
            with contextlib.suppress(StoreError):
                self.objects.delete(adding)
                self.ledger.put(adding=None)

    def _tombstones(self) -> set[str]:
        return {name.rpartition("/")[2] for name in self.objects.list("tombstones/")}

    def _allowed(self, table: pa.Table, forbidden: set[str]) -> pa.Table:
        if not forbidden:
            return table
        marks = {
            mark for column in (MEMORY_COLUMN, TEXT_COLUMN) for mark in table[column].unique().to_pylist()
        } | linked_in(table)
        left = without(table, {mark for mark in marks if self._tombstone(mark) in forbidden})
        self.ledger.refuse(set(table[NAME_COLUMN].to_pylist()) - set(left[NAME_COLUMN].to_pylist()))
        return left

    def _tombstone(self, mark: str) -> str:
        return hashlib.sha256(f"{self._salt} {mark}".encode()).hexdigest()

    def _write(self, prefix: str, table: pa.Table) -> str | None:
        if not table.num_rows:
            return None
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table)
        raw = sink.getvalue().to_pybytes()
        segment = f"{prefix}/{_name_of(raw)}"
        self.objects.put(segment, raw)
        self._record_segment(segment, table)
        return segment

    def _record_segment(self, segment: str, table: pa.Table) -> None:
        self.ledger.note_segment(segment, file_rows_in(table), linked_in(table))

    def withdraw(self, marks: Iterable[str]) -> None:
        """Leave tombstones for these marks, and remove every row with one of them from all segments."""
        marks = list(marks)
        with self.lease(wait=True):
            for tombstone in {self._tombstone(mark) for mark in marks} - self._tombstones():
                self.objects.put(f"tombstones/{tombstone}", b"")
            self._wait_for_others()
            unreadable = set(self.catch_up()) - self.ledger.segments()
            names = self.ledger.names_marked(marks)
            for list_ in self.objects.list("held/"):
                held = self._listed(list_)
                if held and not held.isdisjoint(names):
                    self._write_list(list_, held - names)
            self._take_out(self.ledger.segments_marked(marks), set(marks))
        self._refuse_versions()
        if unreadable:
            raise StoreError(f"{len(unreadable)} object(s) of the store cannot be read", "delete them, or the store")
        self.ledger.drop_owed(marks)

    def _take_out(self, segments: Iterable[str], dead: set[str]) -> None:
        for segment in sorted(segments):
            table = self.read(segment)
            left = None if table is None else self._write(segment.rpartition("/")[0], without(table, dead))
            self._drop({segment} - {left})

    def _drop(self, segments: Iterable[str | None]) -> None:
        names = [segment for segment in segments if segment]
        self.objects.delete(*names)
        self.ledger.drop_segments(names)

    def _wait_for_others(self) -> None:
        """Wait for machines that may have read the tombstones before ours were written."""
        waiting_for = self.objects.list("adding/")
        waiting_for.pop(self.ledger.get("adding") or "", None)  # our own, left when we were cut off
        if not waiting_for:
            return
        now, asked = self.now(), time.monotonic()
        while waiting_for:
            age = now + time.monotonic() - asked
            waiting_for = {n: seen for n, seen in waiting_for.items() if age - seen.modified < ADDING_SECONDS}
            if waiting_for:
                self._wait_a_moment("another machine is adding to the store, or was cut off while it did")
                there = self.objects.list("adding/")
                waiting_for = {name: seen for name, seen in waiting_for.items() if name in there}

    def _wait_a_moment(self, reason: str) -> None:
        """Wait a moment for another machine; raises StoreError if no time is left."""
        if self.objects.time_left() < _LAST_SECONDS:
            raise StoreError(reason, "that takes two minutes at most; the next command tries again")
        time.sleep(_POLL_SECONDS)

    def now(self) -> float:
        """The time by the clock of the store."""
        name = f"clock/{self.ledger.machine}"
        self.objects.put(name, b"")
        seen = self.objects.look_at(name)
        if seen is None:
            raise StoreError("the store does not keep what is written", "the next command tries again")
        return seen.modified

    @contextmanager
    def lease(self, *, wait: bool = False) -> Iterator[bool]:
        """The right to remove rows, which one machine has at a time; False if another has it and we do not `wait`."""
        token = self.ledger.name_left_or("lease", secrets.token_hex(16)).encode()
        while not self._take_lease(token):
            if not wait:
                yield False
                return
            self._wait_a_moment("another machine is tidying the store, or was cut off while it did")
        try:
            yield True
        finally:
            with contextlib.suppress(StoreError):
                if self.objects.get("lease") == token:
                    self.objects.delete("lease")
                self.ledger.put(lease=None)

    def _take_lease(self, token: bytes) -> bool:
        if self.objects.put_new("lease", token):
            return True
        seen = self.objects.look_at("lease")
        if seen is None:
            return False
        ours = self.objects.get("lease") == token  # left when we were cut off
        return (ours or self.now() - seen.modified >= LEASE_SECONDS) and self.objects.swap("lease", token, seen)

    def write_list(self) -> None:
        """Tell the others what this machine has, except what must not be in the store."""
        forbidden = self._tombstones()
        held = {
            each.name
            for each in self.ledger.held()
            if forbidden.isdisjoint((self._tombstone(each.memory), self._tombstone(each.text)))
        }
        self._write_list(f"held/{self.ledger.machine}", held)

    def _write_list(self, list_: str, held: set[str]) -> None:
        self.objects.put(list_, zlib.compress("\n".join(sorted(held)).encode()))

    def _listed(self, list_: str) -> set[str] | None:
        """What a machine has; None if its list is damaged."""
        try:
            return set(zlib.decompress(self.objects.get(list_) or b"").decode().split("\n"))
        except (zlib.error, UnicodeDecodeError):
            return None

    def tidy(self) -> None:
        """Merge small segments, and remove what no machine has had for long; only one machine does it at a time."""
        with self.lease() as alone:
            if not alone:
                return
            listing = self.catch_up()
            now = self.now()
            self._expire(listing, now)
            for segment, names in self.ledger.rows_stored_twice().items():
                self._take_out([segment], names)
            self._merge_small_segments()
            for prefix in ("adding/", "clock/", "probe/"):
                old = [name for name, seen in self.objects.list(prefix).items() if now - seen.modified > _DAY]
                self.objects.delete(*old)

    def _expire(self, listing: dict[str, ObjectInfo], now: float) -> None:
        lists = self.objects.list("held/")
        gone = [name for name, seen in lists.items() if now - seen.modified > EXPIRY_DAYS * _DAY]
        held: set[str] = set()
        for name in set(lists) - set(gone):
            theirs = self._listed(name)
            if theirs is None:
                return  # a damaged list could have anything: nothing expires today
            held |= theirs
        expired: dict[str, set[str]] = {}
        for segment, name in self.ledger.rows_not_among(held):
            if segment in listing and now - listing[segment].modified > GRACE_DAYS * _DAY:
                expired.setdefault(segment, set()).add(name)
        for segment, names in expired.items():
            self._take_out([segment], names)
        self.objects.delete(*gone)

    def _merge_small_segments(self) -> None:
        """Merge small segments into one, with each row once and without those that a tombstone forbids."""
        by_prefix: dict[str, list[str]] = {}
        for segment in self.ledger.small_segments(FEW_ROWS):
            by_prefix.setdefault(segment.rpartition("/")[0], []).append(segment)
        for prefix, segments in by_prefix.items():
            if len(segments) < MANY_SEGMENTS:
                continue
            seen: set[str] = set()
            tables = []
            for segment in segments:
                if (table := self.read(segment)) is not None:
                    tables.append(without(table, seen))
                    seen.update(table[NAME_COLUMN].to_pylist())
            folded = tables and self._write(prefix, self._allowed(pa.concat_tables(tables), self._tombstones()))
            self._drop({*segments} - {folded or None})


def file_rows_in(table: pa.Table) -> list[FileRows]:
    """The files of a segment, each once."""
    columns = (table[column].to_pylist() for column in (NAME_COLUMN, MEMORY_COLUMN, TEXT_COLUMN))
    return list(dict.fromkeys(map(FileRows, *columns)))


def linked_in(table: pa.Table) -> set[str]:
    """The marks of all notes that a segment's rows link to, whose titles it may contain."""
    return {mark for marks in table[LINKED_COLUMN].unique().to_pylist() for mark in marks.split()}


def without(table: pa.Table, dead: set[str]) -> pa.Table:
    """A segment without the rows that have one of these names or marks, or link to a note with one."""
    if not dead:
        return table
    values = pa.array(sorted(dead), pa.string())
    hit = pc.is_in(table[NAME_COLUMN], value_set=values)
    for column in (MEMORY_COLUMN, TEXT_COLUMN):
        hit = pc.or_(hit, pc.is_in(table[column], value_set=values))
    linking = [not dead.isdisjoint(marks.split()) for marks in table[LINKED_COLUMN].to_pylist()]
    hit = pc.or_(hit, pa.array(linking, pa.bool_()))
    return table.filter(pc.invert(hit))


def _name_of(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:40]
