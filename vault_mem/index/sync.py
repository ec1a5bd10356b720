"""Sync: the difference between the files as they are and as they were indexed; nothing else is read or embedded."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from vault_mem.embedding.embedder import Vectors
from vault_mem.errors import Unsafe
from vault_mem.index import rows
from vault_mem.index.allocators import no_collection, release_memory
from vault_mem.index.astray import new_home, note_astray
from vault_mem.index.files import known_of, links_of, provisional_id, read
from vault_mem.index.index import Index
from vault_mem.index.known import Known, WrittenLink
from vault_mem.index.links import Names
from vault_mem.index.table import COMMITS_BETWEEN_OPTIMIZE, MANY_ROWS, MORE_COMMITS, listed, rows_in
from vault_mem.model import Problem, digits_of
from vault_mem.notes.links import path_key, stem_of
from vault_mem.notes.parse import Note, parse
from vault_mem.result import Result, plain
from vault_mem.vault.folder import Folder
from vault_mem.vault.lock import locked_outside
from vault_mem.vault.walk import EMPTIED, RACY_NS, FileState, Listing, content_hash, look_at, walk

if TYPE_CHECKING:
    from vault_mem.index.shared import Shared

# Files and bytes in a commit: enough to make its own cost negligible, few enough to hold in memory.
BATCH_FILES = 4000
BATCH_BYTES = 8_000_000
# Indexing more files than this takes long, so others do not wait for it.
LONG_SYNC_FILES = 100
# The rows of a commit are handed on to those who have the memories at hand only if they are at most this many.
MOST_ROWS_HANDED_ON = 8
# If at least this many files vanish at once, a disk is probably not mounted.
MASS_LOSS = 5
# Folding rewrites the table. Old copies are kept for readers that still use them, but
# only until the next folding, or they would soon outgrow the vault.
KEEP_VERSIONS = (1.0, 60.0)
# A large table is rewritten more rarely: recent commits are found without folding (`Facts.recent`).
LARGE_TABLE_COMMITS_FACTOR = 10
# Recorded as the table's version while a sync is running: ids are not settled yet.
UNSETTLED = -1
# The reason for a rebuild that a person asked for: then nothing is taken from other machines.
ASKED_FOR = "asked for"
# How long to wait for another process that is updating the index.
LOCK_WAIT = 10.0

Progress = Callable[[int, int], None]


@dataclass
class SyncReport(Result):
    """What a sync found and did."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    touched: int = 0
    embedded: int = 0
    taken_over: int = 0
    rebuilt: str = ""
    problems: list[Problem] = field(default_factory=list)
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"files": self.added, "seconds": round(self.seconds, 2), "problems": plain(self.problems)}


@dataclass(frozen=True)
class FileDifference:
    """Files that are new, that may have changed, and that are gone."""

    added: list[str]
    suspect: list[str]
    removed: list[str]

    def __len__(self) -> int:
        return len(self.added) + len(self.suspect) + len(self.removed)


def sync(
    index: Index,
    *,
    only: Sequence[str] | None = None,
    rebuild: bool = False,
    progress: Progress | None = None,
    wait: float = LOCK_WAIT,
    commits: int | None = None,
) -> SyncReport:
    """Bring the index up to date with the files; rebuild it if it is missing, damaged or of another model.

    `only` looks at these files alone: for a caller that has just written them, or knows that nothing else changed.
    Raises Busy if another process holds the index longer than `wait`. The table is folded after that many `commits`.
    """
    started = time.monotonic()
    report = SyncReport()
    opened = index.table is not None and (index.unchanged() or not index.outdated())
    reason = ASKED_FOR if rebuild else "" if opened else index.open()
    listing = walk(index.folder) if only is None or reason else look_at(index.folder, only)
    early = None if reason else _early_difference(index, listing, only)
    # `in_step` comes last: another process may have written table and states while we read.
    if early is not None and early.nothing_changed and index.in_step():
        listing.problems += [Problem(key, EMPTIED) for key in early.emptied]
        if early.same and not index.state.fixed:
            index.state.record(early.same)
        report.problems = _problems(index, listing) if only is None else []
        return report
    with locked_outside(index.lock_path, "the index", wait):
        if not rebuild and (reason or (not index.unchanged() and index.outdated())):
            reason, early = index.open(), None  # another process was faster
            if reason and only is not None:
                listing = walk(index.folder)
        if reason:
            index.begin_generation()
            report.rebuilt = reason
        run = _Run(index, listing, report, progress, fresh=bool(reason))
        run.run(None if reason else only, early)
        upkeep(index, commits)
        if reason:
            index.finish_generation()
    report.problems = _problems(index, listing) if only is None or reason else []
    report.seconds = time.monotonic() - started
    return report


@contextmanager
def _at_length(index: Index, long: bool) -> Iterator[None]:
    """If this may take long, leave a sign, so that others do not wait for us."""
    sign = index.home / "busy"
    if not long:
        yield
        return
    try:
        with contextlib.suppress(OSError):
            sign.touch()
        yield
    finally:
        with contextlib.suppress(OSError):
            sign.unlink(missing_ok=True)


def busy_at_length(index: Index) -> bool:
    """Whether the process that holds the index may take long; also true if a crash left the sign behind."""
    return (index.home / "busy").exists()


def _emptied(old: Known | None, size: int) -> bool:
    """Whether a memory's file is empty now: that is how some sync services show files they have not downloaded."""
    return old is not None and bool(old.declared) and size == 0


@dataclass(slots=True)
class _Read:
    """A file as it was read, and when."""

    raw: bytes
    hash: str
    state: FileState
    size: int
    checked_ns: int

    @classmethod
    def of(cls, folder: Folder, key: str, open_: Callable[[str], int] | None = None) -> _Read:
        raw, state, size = read(folder, key, open_)
        return cls(raw, content_hash(raw, size), state, size, time.time_ns())

    def if_unchanged(self, old: Known) -> Known | None:
        """What is known of the file, with the state it is in now; None if its content changed."""
        if self.hash != old.hash or (old.dated_by_file and old.mtime_ns != self.state.mtime_ns):
            return None
        return old._replace(**self.state._asdict(), checked_ns=self.checked_ns)


@dataclass(frozen=True)
class _EarlyDifference:
    """The difference as found before the lock was taken: valid until another process writes the states.

    `same` are files that looked changed and say what they said; `read` is the first that really changed.
    """

    stamp: int
    found: FileDifference
    same: list[Known]
    read: dict[str, _Read]
    emptied: list[str]

    @property
    def nothing_changed(self) -> bool:
        """Whether nothing has really changed."""
        looked_at = len(self.same) + len(self.emptied)
        return not (self.found.added or self.found.removed or looked_at < len(self.found.suspect))


def _early_difference(index: Index, listing: Listing, only: Sequence[str] | None) -> _EarlyDifference:
    """Take the difference; if no file came or went, see whether those that may have changed really have."""
    stamp = index.state.stamp()
    found = difference(index, listing, only)
    early = _EarlyDifference(stamp, found, [], {}, [])
    known = {} if found.added or found.removed else index.state.files(found.suspect)
    for key, old in known.items():
        try:
            now = _Read.of(index.folder, key)
        except OSError:
            break
        if _emptied(old, now.size):
            early.emptied.append(key)
            continue
        unchanged = now.if_unchanged(old)
        if unchanged is None:
            early.read[key] = now
            break
        early.same.append(unchanged)
    return early


def difference(index: Index, listing: Listing, only: Sequence[str] | None = None) -> FileDifference:
    """Compare a listing with what was indexed, by the files' states alone."""
    states = index.state.states(only)
    if only is None:
        _refuse_mass_loss(index, listing)
    added, suspect = [], []
    for key, state in listing.files.items():
        known = states.get(key)
        if known is None:
            added.append(key)
        elif known[:4] != state or known[4] - state.mtime_ns < RACY_NS:
            suspect.append(key)
    files = listing.files
    removed = [key for key in states if key not in files and not listing.unknown(key)]
    return FileDifference(added, suspect, removed)


def _refuse_mass_loss(index: Index, listing: Listing) -> None:
    """Raise Unsafe if a folder of notes is suddenly empty or unreadable: hardly anybody deletes all their memories."""
    settings = index.folder.settings
    for setting in ("memories_folder", "private_folder", "episodes_folder"):
        top = getattr(settings, setting)
        prefix = top + "/"
        known = index.state.below(prefix)
        if known < MASS_LOSS or any(key.startswith(prefix) for key in chain(listing.files, listing.unread)):
            continue
        folder = index.folder.root / top
        causes = [str(problem) for problem in listing.problems if (problem.path + "/").startswith(prefix)]
        if causes:
            raise Unsafe(f"{folder}: its {known} notes cannot be read: {causes[0]}", "nothing was changed")
        home, count = new_home(index.folder, index.state, top)
        if home:
            raise Unsafe(
                f"{folder}: all {known} notes are gone; {count} of their ids lie in {home}/",
                f'did you rename the folder? vault-mem config set {setting} "{home}"',
            )
        raise Unsafe(
            f"{folder}: all {known} notes are gone",
            "is a disk not mounted, or a sync not finished? If you meant it, run `vault-mem reindex`",
        )


_COPY = re.compile(r"conflict|copy|コピー|競合| \d+$|\(\d+\)$", re.IGNORECASE)


def owner_of(id_: str, keys: Iterable[str], folder: Folder) -> str:
    """Which of the files that declare an id keeps it: the one that looks like the original."""

    def unlikely(key: str) -> tuple[bool, bool, bool, int, str]:
        stem = stem_of(key)
        named = stem == id_ or stem.endswith(digits_of(id_))
        return (not folder.is_owned(key), not named, bool(_COPY.search(stem)), len(key), key)

    return min(keys, key=unlikely)


class _Run:
    """One sync under the lock."""

    def __init__(
        self, index: Index, listing: Listing, report: SyncReport, progress: Progress | None, *, fresh: bool
    ) -> None:
        self.index = index
        self.folder: Folder = index.folder
        self.listing = listing
        self.report = report
        self.progress = progress or (lambda done, total: None)
        self.fresh = fresh
        self.states_empty = not fresh and index.state.empty()  # the table may have rows that the states do not know
        self.known: dict[str, Known] = {}
        self.read: dict[str, _Read] = {}  # files that were read before we had the lock
        self.claimed: set[str] = set()
        self.targets: set[tuple[str, str]] = set()  # each file read, with each name it mentions

    def run(self, only: Sequence[str] | None, early: _EarlyDifference | None) -> None:
        if not self.fresh and not self.index.in_step():
            self._distrust_other_versions()
            early = None
        if early is not None and early.stamp == self.index.state.stamp():
            found = self._take_over(early)
        elif self.fresh:
            found = FileDifference(list(self.listing.files), [], [])
        else:
            found = difference(self.index, self.listing, only)
        self.known = self.index.state.files([*found.suspect, *found.removed])
        removed = [self.known[key] for key in found.removed]
        left = [Known(*each) for each in self.index.state.get("leaving") or ()]  # by a sync that was cut short
        gone = {self.known[key].hash: key for key in found.removed}
        todo = [*sorted(found.added), *found.suspect]  # sorted like the states, which is far faster
        with _at_length(self.index, self.fresh or len(todo) > LONG_SYNC_FILES), self._sharing(len(todo)) as shared:
            done = 0
            for batch in self._batches(todo):
                with no_collection():
                    self._index_files(self._take_over_shared(shared, batch, gone) if shared else batch, gone)
                done += len(batch)
                self.progress(done, len(todo))
        if self.fresh:
            self.index.state.follow_all()
            self.index.state.make_indexes()
        if found.removed:
            self._commit([], found.removed)
            self.report.removed = len(found.removed) - self.report.moved
            self.index.state.record([], found.removed, table_version=UNSETTLED, leaving=[*left, *removed])
            self.claimed.update(old.declared for old in removed)
        self._settle_ids()
        gone_for_good = self._note_renames([*left, *removed], set(found.added))
        note_astray(self.folder, self.index.state, gone_for_good)
        self.index.state.put(table_version=self.index.table.version, leaving=[])

    def _batches(self, keys: Sequence[str]) -> Iterator[list[str]]:
        """Files to be indexed together."""
        batch: list[str] = []
        size = 0
        for key in keys:
            state = self.listing.files.get(key)
            batch.append(key)
            size += state.size if state else 0
            if len(batch) == BATCH_FILES or size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    @contextmanager
    def _sharing(self, count: int) -> Iterator[Shared | None]:
        """The rows of other machines, if enough files are missing; None if not, or if the store has none for us."""
        shared = self.index.shared if self.index.folder.shares and self.report.rebuilt != ASKED_FOR else None
        if shared is None or not shared.worth_asking(count):
            yield None
            return
        try:
            yield shared
        finally:
            shared.forget_pulled()

    def _take_over_shared(self, shared: Shared, keys: Sequence[str], gone: dict[str, str]) -> list[str]:
        """Take over the rows that other machines made of exactly these files. Returns the files still to be indexed."""
        wanted: dict[str, str] = {}
        with self.folder.tree.opener() as open_:
            for key in keys:
                old = self.known.get(key)
                with contextlib.suppress(OSError):
                    now = self.read[key] = self.read.get(key) or _Read.of(self.folder, key, open_)
                    if not (_emptied(old, now.size) or (old and now.if_unchanged(old)) or self.folder.is_private(key)):
                        wanted[key] = now.hash
        found, facts = shared.rows(wanted)
        fresh: list[Known] = []
        links: list[WrittenLink] = []
        for key, known, written in facts:
            now, old = self.read.pop(key), self.known.get(key)
            fresh.append(Known(key, *now.state, now.checked_ns, now.hash, *known))
            links += written
            self.claimed.update((fresh[-1].declared, old.declared if old else ""))
            self._count(old, now.hash in gone)
        if self.fresh:
            self.index.table.add(found)
        elif fresh:
            self._commit(rows_in(found), [known.key for known in fresh if known.key in self.known])
        self.targets.update((each.file, each.target) for each in links)
        self.known.update({known.key: known for known in fresh})
        self.index.state.record(fresh, links=links, table_version=UNSETTLED)
        self.report.taken_over += len(fresh)
        taken = {known.key for known in fresh}
        return [key for key in keys if key not in taken]

    def _take_over(self, early: _EarlyDifference) -> FileDifference:
        """Use the difference that was found before we had the lock: nothing has changed since."""
        self.read = early.read
        self._note_touched(early.same)
        same = {known.key for known in early.same}
        return replace(early.found, suspect=[key for key in early.found.suspect if key not in same])

    def _note_touched(self, touched: list[Known]) -> None:
        self.report.touched += len(touched)
        if touched:
            self.index.state.record(touched)

    def _distrust_other_versions(self) -> None:
        """After a crash or a lost manifest, table and states disagree: read the files whose rows have another hash.

        Which file keeps an id may not have been settled either.
        """
        indexed = self.index.table.select(["file", "hash"], "n = 0").to_pylist()
        hashes = {row["file"]: row["hash"] for row in indexed}
        known = self.index.state.hashes()
        wrong = [key for key, digest in known.items() if hashes.get(key) != digest]
        strangers = [key for key in hashes if key not in known]
        if wrong or strangers:
            self._commit([], [*wrong, *strangers])
        self.index.state.record([], wrong, table_version=UNSETTLED)
        self.claimed.update(
            id_ for _, id_, _ in (*self.index.state.declared_twice(), *self.index.state.with_unsettled_ids())
        )

    def _index_files(self, keys: Sequence[str], gone: dict[str, str], ids: dict[str, str] | None = None) -> None:
        """Read these files and write their rows, states last."""
        with self.folder.tree.opener() as open_:
            notes, touched, links = self._look_into(open_, keys, gone, ids)
        if notes:
            self._write(notes, gone)
        fresh = [known for _, known in notes]
        self.known.update({known.key: known for known in [*fresh, *touched]})
        self.index.state.record(fresh, links=links, table_version=UNSETTLED)
        self._note_touched(touched)

    def _look_into(
        self, open_: Callable[[str], int], keys: Sequence[str], gone: dict[str, str], ids: dict[str, str] | None
    ) -> tuple[list[tuple[Note, Known]], list[Known], list[WrittenLink]]:
        """The files to be indexed as notes, those that say what they said before, and the links of the notes."""
        notes: list[tuple[Note, Known]] = []
        touched: list[Known] = []
        links: list[WrittenLink] = []
        for key in keys:
            try:
                now = self.read.pop(key, None) or _Read.of(self.folder, key, open_)
            except FileNotFoundError:
                continue  # gone since the listing; the next sync sees it
            except OSError as error:
                self.listing.problems.append(Problem(key, f"cannot be read: {error.strerror}"))
                continue
            old = self.known.get(key)
            if _emptied(old, now.size):
                self.listing.problems.append(Problem(key, EMPTIED))
                continue
            unchanged = now.if_unchanged(old) if ids is None and old else None
            if unchanged is not None:
                touched.append(unchanged)
                continue
            private = self.folder.is_private(key)
            mtime = now.state.mtime_ns / 1e9
            note = parse(now.raw, key, mtime=mtime, zone=self.folder.zone, private=private, size=now.size)
            declared = note.memory.id
            note.memory.id = (ids or {}).get(key) or declared or provisional_id(key)
            note.memory.provisional = note.memory.id != declared
            known = known_of(self.folder, key, now.state, now.checked_ns, now.hash, declared, note)
            notes.append((note, known))
            found = links_of(key, now.raw, note)
            links += found
            self.targets.update((each.file, each.target) for each in found)
            self.claimed.update((declared, old.declared if old else ""))
            if ids is None:
                self._count(old, now.hash in gone)
        return notes, touched, links

    def _count(self, old: Known | None, moved: bool) -> None:
        if old is not None:
            self.report.changed += 1
        elif moved:
            self.report.moved += 1
        else:
            self.report.added += 1

    def _write(self, notes: list[tuple[Note, Known]], gone: dict[str, str]) -> None:
        vectors = self._vectors(notes, gone)
        dim = self.index.table.dim
        written: list[dict[str, object]] = []
        for (note, known), vector in zip(notes, vectors, strict=True):
            written += rows.rows_of(known, note.memory, vector, dim)
        replaced = [known.key for _, known in notes if known.key in self.known]
        if self.fresh and not replaced:
            self.index.table.add(written)
        else:
            self._commit(written, replaced)

    def _vectors(self, notes: list[tuple[Note, Known]], gone: dict[str, str]) -> list[Vectors]:
        """Vectors of each note's passages: those of the same text under its old name, or new ones."""
        moved = self._vectors_of_files({gone[known.hash] for _, known in notes if known.hash in gone})
        texts: list[str] = []
        found: list[tuple[int, int] | str] = []
        for note, known in notes:
            if known.hash in gone and gone[known.hash] in moved:
                found.append(gone[known.hash])
                continue
            parts = rows.texts_to_embed(note.memory.content)
            found.append((len(texts), len(texts) + len(parts)))
            texts += parts
        self.report.embedded += len(texts)
        embedded = self.index.embedder.encode(texts) if texts else np.zeros((0, self.index.table.dim), np.float32)
        return [moved[each] if isinstance(each, str) else embedded[slice(*each)] for each in found]

    def _vectors_of_files(self, files: set[str]) -> dict[str, Vectors]:
        if not files:
            return {}
        rows = self.index.table.select(["file", "n", "vector"], f"file IN ({listed(files)})").to_pylist()
        found: dict[str, list[Vectors]] = {}
        for row in sorted(rows, key=lambda row: row["n"]):
            found.setdefault(row["file"], []).append(np.asarray(row["vector"], np.float32))
        return {file: np.stack(ordered[1:] or ordered) for file, ordered in found.items()}

    def _settle_ids(self) -> None:
        """Copies of a file carry its id too: one file keeps it, the others go by a provisional one."""
        state = self.index.state
        claims = state.declared_twice() if self.fresh else state.declaring(self.claimed - {""})
        declared: dict[str, list[str]] = {}
        for key, id_, _ in claims:
            declared.setdefault(id_, []).append(key)
        ids: dict[str, str] = {}
        for id_, keys in declared.items():
            owner = owner_of(id_, keys, self.folder)
            ids |= {key: id_ if key == owner else provisional_id(key, self._taken) for key in keys}
        gone_by = {key: id_ for key, _, id_ in claims}
        for key, id_, now in state.with_unsettled_ids():
            if not id_:
                ids[key], gone_by[key] = provisional_id(key, self._taken), now
        wrong = [key for key, id_ in ids.items() if gone_by[key] != id_]
        self.known.update(state.files(wrong))
        for batch in self._batches(wrong):
            self._index_files(batch, {}, ids)

    def _note_renames(self, removed: list[Known], added: set[str]) -> list[Known]:
        """Record the old names of files that were moved (SPEC V-5). Returns those that are gone for good."""
        state = self.index.state
        renames: list[tuple[str, str]] = []
        if self.fresh:
            (files, names), self.index.former = self.index.former, ([], [])
            removed = [old for old in files if old.key not in self.known]
            # The old names of files that are gone are dropped: nothing of a purged memory may stay.
            renames = [(name, id_) for name, id_ in names if state.with_ids([id_])]
        gone: list[Known] = []
        for old in removed:
            now = self._moved_to(old, added)
            if now is None:
                gone.append(old)
            elif path_key(old.key) != path_key(now.key):
                renames.append((path_key(old.key), now.id))
                # If another file has that name as well, the name is ambiguous for good.
                renames += [(path_key(key), id_) for key, id_ in state.with_name(old.name) if id_ != now.id]
        state.add_renames(renames)
        self._note_unhealed([id_ for _, id_ in renames], added)
        return gone

    def _note_unhealed(self, renamed: list[str], added: set[str]) -> None:
        """Record files that may use an old name: just read, with a link to no file, or linking to what was moved."""
        state = self.index.state
        names = Names(state)
        if self.fresh:
            names.take_all()
        unhealed = {file for file, target in self.targets if names.find(target, file) is None}
        if not self.fresh:
            came = [self.known[key].id for key in added if _misnamed(self.known.get(key))]
            moved = [key for id_ in {*renamed, *came} if (key := state.key_of(id_)) is not None]
            unhealed.update(names.naming(*moved))
        state.add_unhealed(unhealed)

    def _moved_to(self, old: Known, added: set[str]) -> Known | None:
        """The file that a missing file has become: found by its id, or without an id by its content."""
        if old.declared:
            homes = [key for key, _, id_ in self.index.state.declaring([old.declared]) if id_ == old.id]
            return self.index.state.files(homes).get(homes[0]) if homes else None
        same = [self.known[key] for key in added if key in self.known and self.known[key].hash == old.hash]
        return same[0] if len(same) == 1 and not same[0].declared else None

    def _taken(self, id_: str) -> bool:
        """Whether a file declares this id."""
        return bool(self.index.state.declaring([id_]))

    def _commit(self, written: list[dict[str, object]], replaced: Iterable[str]) -> None:
        replaced = list(replaced)
        before = self.index.table.version
        facts = self.index.facts if self.index.large and not self.fresh else None
        gone = facts.rows_of(self.index.table, replaced) if facts else ()
        if replaced or self.states_empty:
            self.index.table.upsert(written, replaced)
        else:
            self.index.table.add(written)  # takes a fraction of the time
        changed: dict[str, list[dict[str, object]]] = {key: [] for key in replaced}
        for row in written:
            changed.setdefault(str(row["file"]), []).append(row)
        handed_on = changed if len(written) <= MOST_ROWS_HANDED_ON else dict.fromkeys(changed)
        self.index.note_change(before, handed_on)
        if facts:
            facts.follow(gone, written, before, self.index.table)
        self.index.state.put(commits=(self.index.state.get("commits") or 0) + 1)


def upkeep(index: Index, commits: int | None = None) -> None:
    """Fold the table together after that many commits, and drop old versions; the caller holds the lock."""
    made = index.state.get("commits") or 0
    if made < (COMMITS_BETWEEN_OPTIMIZE if commits is None else commits):
        return
    if commits is None:
        commits = COMMITS_BETWEEN_OPTIMIZE if index.rows < MANY_ROWS else MORE_COMMITS
    rarely = index.large and index.facts.recent() is not None
    if made < (commits * LARGE_TABLE_COMMITS_FACTOR if rarely else commits):
        return
    release_memory()  # otherwise folding would need as much memory again
    least, most = KEEP_VERSIONS
    now = time.time()
    since = now - (index.state.get("optimized") or 0)
    before = index.table.version
    kept = index.large and index.facts.in_step(index.table)
    index.table.optimize(min(max(since, least), most))
    index.note_change(before, {})
    if kept:
        index.facts.keep(index.table)
    index.state.put(commits=0, optimized=now, table_version=index.table.version)
    release_memory()


def _misnamed(known: Known | None) -> bool:
    """Whether a file's name lacks the id it gives: others may link to it by a name that has it."""
    return known is not None and bool(known.declared) and digits_of(known.declared) not in known.name


def _problems(index: Index, listing: Listing) -> list[Problem]:
    found = [*listing.problems, *index.state.problems()]
    return sorted(found, key=lambda problem: (problem.path, problem.line or 0, problem.reason))
