"""One vault's index: opening it, noticing damage or a change of model, and rebuilding it beside the old one."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vault_mem.embedding.calibration import Calibration, built_in, fingerprint, loaded, measure
from vault_mem.embedding.embedder import Embedder
from vault_mem.errors import Ambiguous, NotFound, VaultMemError, WriteFailed
from vault_mem.index.borrowed import usable_home, writable
from vault_mem.index.changes import Changes, Rows
from vault_mem.index.filters import Filters
from vault_mem.index.known import EPISODE, MEMORY, NOTE, Known, KnownFiles
from vault_mem.index.links import Names
from vault_mem.index.rows import memory_of
from vault_mem.index.state import SCHEMA_VERSION, StateStore
from vault_mem.index.table import Table, listed, quote
from vault_mem.model import Memory
from vault_mem.notes.links import WIKILINK
from vault_mem.vault.folder import Folder

if TYPE_CHECKING:
    from vault_mem.index.facts import Facts
    from vault_mem.index.graph import Graph
    from vault_mem.index.shared import Shared

NO_INDEX = "there is no index yet"
# LanceDB and SQLite raise anything when a file is missing, cut short or not theirs at all; LanceDB even panics.
DAMAGE = Exception
_FILES_AT_ONCE = 50
# From this many rows on, LanceDB finds the candidates: as fast, with a fifth of the memory (docs/benchmarks.md).
LARGE_ROWS = 100_000
EVERYTHING = Filters(closed=True)


@dataclass(frozen=True)
class VaultCounts:
    """Memories, those of them that are closed or private, episodes, and the owner's other notes."""

    memories: int
    closed: int
    private: int
    episodes: int
    notes: int


class Index:
    """The index of one vault. A generation is a folder with a table and its states; `current` names the one in use.

    A rebuild fills a new generation and then switches over, so that readers are never without an index.
    """

    def __init__(self, folder: Folder, embedder: Embedder, changes: Changes) -> None:
        self.folder = folder
        self.changes = changes
        self.embedder = embedder
        self.home = folder.index_dir
        self.table: Table = None  # type: ignore[assignment]  # set by open() or begin_generation()
        self.state: StateStore = None  # type: ignore[assignment]
        self._facts: Facts | None = None
        self._shared: Shared | None = None
        self.generation = ""
        self.former: tuple[list[Known], list[tuple[str, str]]] = ([], [])

    def open(self) -> str:
        """Open the index. Returns why it has to be rebuilt, or nothing when it is sound."""
        self.close()
        self.home = usable_home(self.folder)
        self._make_home()
        try:
            self.generation = self._current()
        except (OSError, UnicodeDecodeError):
            return NO_INDEX
        build = self.home / self.generation
        if not self.generation or not build.is_dir():
            return "the index is gone"
        try:
            self.state = StateStore(build / "state.db", fixed=not writable(self.home))
            if self.state.get("schema") != SCHEMA_VERSION:
                return "the index is of another version of vault-mem"
            if self.state.get("model") != self.embedder.fingerprint:
                return f"the embedding model changed (now {self.embedder.name})"
            if not self._read_alike():
                return "the settings have another time zone or other folders"
            self.table = Table(build, int(self.state.get("dim")), create=False)
            if not self.table.sound():
                return "the index has other columns"
        except VaultMemError:  # about the model
            raise
        except DAMAGE as error:
            return f"the index is damaged ({type(error).__name__})"
        return ""

    def in_step(self) -> bool:
        """Whether table and states were written together; a crash or a lost manifest leaves them apart."""
        return bool(self.state.get("table_version") == self.table.version)

    def unchanged(self) -> bool:
        """Whether nothing was written since we looked, judging by the states: asking the table takes far longer."""
        try:
            return self._current() == self.generation and self.in_step() and self._read_alike()
        except DAMAGE:
            return False

    def _read_alike(self) -> bool:
        """Whether files still mean what they meant when they were read."""
        return bool(self.state.get("settings") == self.read_by)

    @property
    def read_by(self) -> list[str]:
        """The settings that decide what a file means: when it was, whether it is private, what kind of note it is."""
        now = self.folder.settings
        return [now.timezone, now.memories_folder, now.private_folder, now.episodes_folder]

    def outdated(self) -> bool:
        """Whether another generation is in use by now, or needed; newer versions of our own table are taken over."""
        try:
            current = self._current()
            self.table.refresh()
            return current != self.generation or not self._read_alike()
        except DAMAGE:
            return True

    def note_change(self, before: int, files: Mapping[str, Rows | None]) -> None:
        """Tell others in this process what a commit changed; to be called before the states record it."""
        self.changes.note(self.generation, (before, self.table.version), files)

    def _current(self) -> str:
        return (self.home / "current").read_text(encoding="ascii").strip()

    def close(self) -> None:
        """Close the files."""
        if self.state is not None:
            self.state.close()
        self.table = None  # type: ignore[assignment]  # until it is opened again
        self.__dict__.pop("calibration", None)
        if self._facts is not None:
            self._facts.close()
            self._facts = None
        if self._shared is not None:
            self._shared.close()
            self._shared = None

    @property
    def lock_path(self) -> Path:
        """The lock that the one writer of this index holds."""
        return self.home / "lock"

    def begin_generation(self) -> None:
        """Start an empty generation; it comes into use with `finish_generation`."""
        self.former = self._inheritance()
        self.close()
        self._make_home()
        self.generation = f"g-{secrets.token_hex(4)}"
        build = self.home / self.generation
        try:
            build.mkdir(mode=0o700)
        except OSError as error:
            raise WriteFailed(f"cannot write the index in {self.home}: {error.strerror}", _PLACE_HINT) from error
        dim = self.embedder.dim
        self.state = StateStore(build / "state.db", new=True)
        self.table = Table(build, dim, create=True)
        self.state.put(schema=SCHEMA_VERSION, model=self.embedder.fingerprint, settings=self.read_by)
        self.state.put(dim=dim, commits=0)
        self.state.put(calibration=asdict(self._measured()))

    def _inheritance(self) -> tuple[list[Known], list[tuple[str, str]]]:
        """What cannot be read from the files: their earlier paths and names, as far as the old index is readable."""
        if self.state is None:
            self.open()
        files: list[Known] = []
        names: list[tuple[str, str]] = []
        with contextlib.suppress(sqlite3.Error, AttributeError):  # damaged, or never there
            names = self.state.former_names()
            files = self.state.all_files()  # fails for an earlier version, which has other columns
        return files, names

    def finish_generation(self) -> None:
        """Make the new generation the one in use, and delete the others."""
        temporary = self.home / f"current.{secrets.token_hex(4)}"
        temporary.write_text(self.generation, encoding="ascii")
        temporary.replace(self.home / "current")
        for other in self.home.glob("g-*"):
            if other.name != self.generation:
                shutil.rmtree(other, ignore_errors=True)

    def _measured(self) -> Calibration:
        """The model's calibration; one that is not built in is measured once, and kept beside the generations."""
        if shipped := built_in(self.embedder):
            return shipped
        kept = self.home / f"calibration-{fingerprint(self.embedder)}.json"
        try:
            return loaded(json.loads(kept.read_text(encoding="ascii")))
        except (OSError, ValueError, TypeError, KeyError):
            measured = measure(self.embedder)
            temporary = self.home / f"{kept.name}.{secrets.token_hex(4)}"
            temporary.write_text(json.dumps(asdict(measured)), encoding="ascii")
            temporary.replace(kept)
            return measured

    @property
    def large(self) -> bool:
        """Whether LanceDB finds the candidates, and not every row is held in memory."""
        way = self.folder.settings.search_with
        if self.state.fixed:  # the figures could not be written
            return False
        return way == "lancedb" or (way == "auto" and self.table.rows >= LARGE_ROWS)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.table.rows

    @property
    def facts(self) -> Facts:
        """The figures of all memories, kept beside the table; they may be behind it."""
        if self._facts is None:
            from vault_mem.index.facts import opened

            self._facts = opened(self.home / self.generation / "facts.db", self.table.dim)
        return self._facts

    @property
    def shared(self) -> Shared | None:
        """The store of rows that machines share; None if the index is this machine's alone (SPEC L-3)."""
        if self._shared is None and self.folder.shares and not self.state.fixed:
            from vault_mem.index.shared import Shared

            self._shared = Shared(self)
        return self._shared

    @cached_property
    def calibration(self) -> Calibration:
        """What this model's cosines mean."""
        return loaded(self.state.get("calibration"))

    @property
    def is_open(self) -> bool:
        """Whether there is an index to ask."""
        return self.table is not None

    @property
    def known(self) -> KnownFiles:
        """What is known of every file."""
        return self.state

    def names(self) -> Names:
        """The names by which links find files: notes as indexed, all others as they are on disk."""
        return Names(self.state, self.folder)

    def graph(self, *, every_file: bool = False) -> Graph:
        """The links of the whole vault, as indexed; with `every_file`, also to files that are not notes."""
        from vault_mem.index.graph import Graph

        return Graph(self.state, self.names() if every_file else None)

    def tell_astray(self) -> list[str]:
        """What to tell the user, once, about memories that were moved out of the searched folders."""
        if not self.state.get("astray_untold"):
            return []
        from vault_mem.index.astray import messages_for, still_astray

        if not self.state.fixed:
            self.state.put(astray_untold=False)
        return messages_for(self.folder, still_astray(self.folder, self.state).values())

    @property
    def size(self) -> int:
        """How many bytes it takes on the disk."""
        return sum(file.stat().st_size for file in self.home.rglob("*") if file.is_file())

    def has_holes(self) -> bool:
        """Whether rows are missing or cannot be read; it tries to read all of them."""
        found: dict[str, str] = {}
        for batch in self.table.stream(("file", "hash", "memory", "content", "vector"), "n = 0"):
            found.update(zip(batch["file"].to_pylist(), batch["hash"].to_pylist(), strict=True))
        return self.state.hashes() != found

    def has(self, id_: str) -> bool:
        """Whether a memory of that id is in the vault."""
        return bool(self._rows(f"n = 0 AND id = {quote(id_)}", 1))

    def get(self, id_: str) -> Memory:
        """A memory by its id or the beginning of it, its path, file name, title, link or text, if only one matches."""
        wanted = id_.strip()
        rows = self._by_id(wanted.lower()) or [*self._by_beginning(wanted.lower()), *self._by_name(wanted)]
        found = {memory.id: memory for memory in map(memory_of, rows)}
        if not found:
            hint = "Double-check the ID. Use recall to search for the memory you're looking for."
            raise NotFound(f"Memory not found: {id_}", hint)
        if len(found) > 1:  # "Dad" may be a title and also the beginning of an id
            raise Ambiguous(f"More than one memory matches {wanted}", "give the full id or the path")
        return found.popitem()[1]

    def _by_id(self, wanted: str) -> list[dict[str, Any]]:
        return self._rows(f"n = 0 AND id = {quote(_full(wanted))}{self._seen}", 1) if _may_be_id(wanted) else []

    def _by_beginning(self, wanted: str) -> list[dict[str, Any]]:
        begins = f"n = 0 AND starts_with(id, {quote(_full(wanted))}){self._seen}"
        rows = self._rows(begins, 2) if _may_be_id(wanted) else []
        if len(rows) > 1:
            raise Ambiguous(f"More than one id begins with {wanted}", "give more of the id")
        return rows

    def _by_name(self, wanted: str) -> list[dict[str, Any]]:
        try:
            wanted.encode()
        except UnicodeEncodeError:  # no file and no title has such a name
            return []
        link = WIKILINK.fullmatch(wanted)
        for files in self._named(link[1] if link else wanted) if wanted else ():
            rows = self._rows(f"n = 0 AND file IN ({listed(files)}){self._seen}") if files else []
            if len(rows) > 1:
                raise Ambiguous(f"More than one memory has the title {wanted}", "name it by its id or path")
            if rows:
                return rows
        return self._rows(f"n = 0 AND content = {quote(wanted)}{self._seen}") if wanted else []

    def _named(self, wanted: str) -> Iterator[list[str]]:
        """The files that a person may mean: by path, by title, as a link names them, by title in any case."""
        path = Path(wanted)
        key = self.folder.key(path) if path.is_absolute() else wanted.removeprefix("./")
        yield [key] if self.state.id_of(key) else []
        yield self.state.titled(wanted)
        meant = Names(self.state).note(wanted)
        yield [meant] if meant else []
        yield self.state.titled(wanted, any_case=True)

    def memories(self, filters: Filters = EVERYTHING, types: Collection[str] = (MEMORY,)) -> list[Memory]:
        """All memories that meet the filters, newest first; without any, closed ones too."""
        found = [memory_of(row) for row in self._rows(self._where(filters, types))]
        return sorted(found, key=lambda memory: (-memory.created.timestamp(), -(memory.seq or 1), memory.id))

    def private(self) -> list[Memory]:
        """All private memories and episodes, newest first; if there are none, the states say so at once."""
        if not self.state.private_files():
            return []
        return self.memories(Filters(private=True, closed=True), (MEMORY, EPISODE))

    def records(self, filters: Filters = EVERYTHING) -> Iterator[dict[str, Any]]:
        """All but the text of each memory that meets the filters, in no order; only a few are in memory at a time."""
        for batch in self.table.stream(("memory",), self._where(filters)):
            yield from map(json.loads, batch["memory"].to_pylist())

    def columns(self, names: Sequence[str], filters: Filters = EVERYTHING) -> pa.Table:
        """Columns of the memories that meet the filters, in no order."""
        return self.table.select(names, self._where(filters))

    def count(self, filters: Filters) -> int:
        """How many memories meet the filters."""
        return self.table.count(self._where(filters))

    def counts(self) -> VaultCounts:
        """How many notes of each sort there are, counted in one query."""
        rows = self.table.select(("type", "private", "valid_to"), f"n = 0{self._seen}")
        types = Counter(rows["type"].to_pylist())
        memories = rows.filter(pc.equal(rows["type"], MEMORY))
        closed = pc.sum(pc.less_equal(memories["valid_to"], self.folder.now().timestamp())).as_py()
        private = pc.sum(memories["private"]).as_py()
        return VaultCounts(types[MEMORY], closed or 0, private or 0, types[EPISODE], types[NOTE])

    def _where(self, filters: Filters, types: Collection[str] = (MEMORY,)) -> str:
        return filters.where(self.folder.now(), types) + self._seen

    @property
    def _seen(self) -> str:
        """The condition that the reader may see a memory."""
        return " AND private = false" if self.folder.public else ""

    def in_order(self, filters: Filters, *, important_first: bool = False) -> list[str]:
        """The files of all memories that meet the filters, newest first, or the important ones before the others."""
        found = self.columns(("file", "created", "id", "importance"), filters)
        first = [("importance", "descending")] if important_first else []
        files: list[str] = found.sort_by([*first, ("created", "descending"), ("id", "ascending")])["file"].to_pylist()
        return files

    def newest(self, filters: Filters, limit: int) -> tuple[list[Memory], int]:
        """The newest memories that meet the filters, and how many do; of the others, only times are read."""
        where = self._where(filters)
        times = np.sort(self.table.select(("created",), where)["created"].to_numpy())
        since = f" AND created >= {float(times[-limit])!r}" if 0 < limit < len(times) else ""
        rows = self._rows(where + since, columns=("created", "id")) if limit else []
        rows.sort(key=lambda row: (-row["created"], row["id"]))
        return [memory_of(row) for row in rows[:limit]], len(times)

    def read(self, files: list[str]) -> Iterator[Memory]:
        """The memories of these files, one after the other; they are read a page at a time."""
        for start in range(0, len(files), _FILES_AT_ONCE):
            page = files[start : start + _FILES_AT_ONCE]
            memories = self.by_files(page)
            yield from (memories[file] for file in page)

    def by_files(self, files: list[str]) -> dict[str, Memory]:
        """Memories by the key of their file."""
        if not files:
            return {}
        rows = self._rows(f"n = 0 AND file IN ({listed(files)})", columns=("file",))
        return {row["file"]: memory_of(row) for row in rows}

    def telling(self, words: str) -> list[str]:
        """The files whose text or properties have these words, whatever their case."""
        words = quote(words.lower())
        where = f"n = 0 AND (contains(lower(content), {words}) OR contains(lower(memory), {words}))"
        return [str(row["file"]) for row in self.table.select(["file"], where).to_pylist()]

    def _rows(self, where: str, limit: int | None = None, columns: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        return list(self.table.select(["memory", "content", *columns], where, limit).to_pylist())

    def _make_home(self) -> None:
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise WriteFailed(f"cannot make the index folder {self.home}: {error.strerror}", _PLACE_HINT) from error


_PLACE_HINT = "set VAULT_MEM_INDEX_DIR to a folder you can write to"


def _may_be_id(text: str) -> bool:
    return text.isascii() and text.replace("_", "").isalnum()


def _full(digits: str) -> str:
    return digits if digits.startswith(("mem_", "ep_")) else f"mem_{digits}"
