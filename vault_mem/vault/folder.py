"""A vault's folder: its root, settings and clock, and which of its files is what."""

from __future__ import annotations

import copy
import hashlib
import os
import re
import threading
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path

from vault_mem.errors import SettingsError
from vault_mem.vault.settings import VAULT_FILE, Loaded, Settings, load_settings, vault_tree
from vault_mem.vault.tree import Tree, key_of, native

Clock = Callable[[], datetime]
OWN = ".vault-mem"  # this machine's folder in the vault: journal, trash, activity, log
JOURNAL = f"{OWN}/journal"
LOCK = f"{OWN}/lock"
GIT_LISTS = (".gitignore", ".gitattributes")
_DEFAULT_VIEW = re.compile(r"MEMORY\.md|memory/(?:\d{4}-\d{2}-\d{2}|inner-monologue-latest)\.md")
_MONOLOGUE = "inner-monologue-latest"
# Forgotten memories, and purged ones of which traces are still to be removed.
_TRASH = re.compile(r"\.vault-mem/(?:trash|purging)/(?:mem|ep)_[0-9a-f]{12}\.json")
# A copy of a view with what an editor wrote after a command had replaced the view (see `late`).
_LATE_COPY = re.compile(r"(?P<above>(?:.*/)?)[^/]+ \(late edit [\d .-]+\)\.md")
_LOG = re.compile(r"\.vault-mem/(?:deletions|activity|declined|tidy|held)\.jsonl")


def system_clock(env: Mapping[str, str]) -> Clock:
    """Now; VAULT_MEM_NOW (ISO 8601) stops the clock there, for simulations and tests."""
    fixed = env.get("VAULT_MEM_NOW")
    if not fixed:
        return lambda: datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(fixed)
    except ValueError as error:
        raise SettingsError(
            f"VAULT_MEM_NOW should be a time such as 2026-11-15T23:25:00+09:00, not {fixed!r}"
        ) from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return lambda: moment


class Folder:
    """One vault on disk. A file's key is its path below the root, with slashes; keys are always valid text."""

    def __init__(self, root: Path, env: Mapping[str, str] | None = None, clock: Clock | None = None) -> None:
        self.env: Mapping[str, str] = os.environ if env is None else env
        self.root = root
        self.loaded: Loaded = load_settings(root, self.env)
        self.settings: Settings = self.loaded.settings
        self._clock = clock or system_clock(self.env)
        self.notices: list[str] = [*self.loaded.warnings]  # for the user, not part of any answer
        self.writer = threading.RLock()
        self.held: Callable[[], bool] | None = None  # while held for writing: whether it still is
        self.public = False  # hides private memories from whoever uses this folder (SPEC S-6)
        self.removed: set[str] = set()  # files removed while recovering from a crash
        self.wait: float | None = None  # how long a write waits for another process; None: the lock's default
        self.read_wait: float | None = None  # how long a read waits for a sync
        self.last_number = 0  # of the latest operation, while held for writing; 0: not read yet
        self.last_op = ""  # the last completed operation that somebody asked for

    def twin(self) -> Folder:
        """The same folder for another thread: it does not share this one's hold on the vault."""
        twin = copy.copy(self)
        twin.writer, twin.held, twin.notices, twin.removed = threading.RLock(), None, [], set()
        return twin

    @property
    def writing(self) -> bool:
        """Whether this folder is held for writing."""
        return self.held is not None

    @cached_property
    def zone(self) -> tzinfo:
        """The vault's time zone."""
        name = self.settings.timezone
        try:
            return zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise SettingsError(f"unknown timezone {name!r}", "use a name such as Asia/Tokyo or UTC") from error

    def now(self) -> datetime:
        """The present moment in the vault's time zone."""
        return self._clock().astimezone(self.zone)

    @cached_property
    def tree(self) -> Tree:
        """The only way to the vault's files (SPEC S-1)."""
        return vault_tree(self.root, self.settings.follow_links)

    @property
    def shares(self) -> bool:
        """Whether machines share the work of indexing through a store; each keeps an index of its own (SPEC L-3)."""
        return "://" in self.settings.index_dir

    @cached_property
    def index_dir(self) -> Path:
        """Where this vault's index is kept, outside the vault so that no sync service carries a live database."""
        if self.settings.index_dir and not self.shares:
            base = Path(self.settings.index_dir).expanduser()
        else:
            home = self.env.get("HOME") or str(Path.home())
            base = Path(self.env.get("XDG_CACHE_HOME") or Path(home, ".cache")) / "vault-mem"
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", self.root.name).strip("-")[:40]
        return base / f"{name or 'vault'}-{digest}"

    def shown(self, key: str) -> Path:
        """Where a file is, to be shown or handed to another program. The tool itself goes through `tree`."""
        return self.tree.path(key)

    def in_obsidian(self, key: str) -> str:
        """The address that opens a file in Obsidian; empty if this is not an Obsidian vault too."""
        from urllib.parse import quote

        return f"obsidian://open?path={quote(str(self.shown(key)), safe='')}" if self.tree.exists(".obsidian") else ""

    def key(self, path: Path | str) -> str:
        """A file's key from its path."""
        return key_of(os.path.relpath(path, self.root).replace(os.sep, "/"))

    def history_key(self, key: str, now: datetime) -> str:
        """Where revisions of a note are kept: beside the notes, and those of private ones in the private folder."""
        parent = f"{self.settings.private_folder}/.history" if self.is_private(key) else "history"
        return f"{parent}/{now:%Y-%m}.jsonl"

    def is_history(self, key: str) -> bool:
        """Whether a file holds revisions."""
        private = re.escape(self.settings.private_folder)
        return bool(re.fullmatch(rf"(?:history|{private}/\.history)/\d{{4}}-\d{{2}}\.jsonl", key))

    def is_note(self, key: str) -> bool:
        """Whether a file is a note that the tool may write."""
        return key.lower().endswith(".md") and self.is_owned(key) and not any(map(_hidden, key.split("/")))

    def has_links(self, key: str) -> bool:
        """Whether links in a file may be changed: notes and, when asked for, a person's own files."""
        return (
            key.lower().endswith((".md", ".canvas", ".base"))
            and not any(map(_hidden, key.split("/")))
            and not self.is_shared(key)
            and not self.is_session(key)
        )

    def is_session(self, key: str) -> bool:
        """Whether a file holds what was said in a session: a log, in which nothing counts as a link or a memory."""
        return _below(key, self.settings.sessions_folder) and not self.is_owned(key)

    def is_view(self, key: str) -> bool:
        """Whether a file mirrors memories for people to read."""
        return bool(self._view.fullmatch(key))

    def was_view(self, key: str) -> bool:
        """Whether a file is a view under its present or default name: the journal may be older than the settings."""
        return bool(self._view.fullmatch(key) or _DEFAULT_VIEW.fullmatch(key))

    @cached_property
    def _view(self) -> re.Pattern[str]:
        views, prefix = re.escape(self.settings.views_folder), re.escape(self.settings.log_prefix)
        log = rf"{views}/(?:{prefix}\d{{4}}-\d{{2}}-\d{{2}}|{_MONOLOGUE})\.md"
        return re.compile(rf"{re.escape(self.settings.digest_file)}|{log}")

    @property
    def monologue(self) -> str:
        """The file with the latest introspection."""
        return f"{self.settings.views_folder}/{_MONOLOGUE}.md"

    def log_key(self, day: datetime) -> str:
        """The daily log of a day."""
        return f"{self.settings.views_folder}/{self.settings.log_prefix}{day:%Y-%m-%d}.md"

    def is_kept(self, key: str) -> bool:
        """Whether a file is one of the few others that the tool writes: trash, self model, proposals, settings."""
        return (
            key in (*GIT_LISTS, VAULT_FILE, *self.shared)
            or bool(_TRASH.fullmatch(key) or self._is_late_copy(key))
            or self.is_history(key)
        )

    def _is_late_copy(self, key: str) -> bool:
        match = _LATE_COPY.fullmatch(key)
        digest = self.settings.digest_file
        parents = ("", f"{self.settings.views_folder}/", digest[: digest.rfind("/") + 1])
        return match is not None and match["above"] in parents

    def is_shared(self, key: str) -> bool:
        """Whether a file is one that people write in too, but not a memory: a view, the self model, proposals."""
        return self.is_view(key) or key in (*GIT_LISTS, VAULT_FILE, *self.shared)

    @property
    def shared(self) -> tuple[str, ...]:
        """The single files that both a person and the tool write."""
        return ("SELF.md", "REVIEW.md", f"{self.settings.private_folder}/REVIEW.md")

    def is_log(self, key: str) -> bool:
        """Whether a file is a log of this machine."""
        return bool(_LOG.fullmatch(key))

    def is_private(self, key: str) -> bool:
        """Whether a file is in the private folder."""
        return _below(key, self.settings.private_folder)

    def is_shown(self, key: str) -> bool:
        """Whether a file may be shown to whoever uses this folder."""
        return not (self.public and self.is_private(key))

    def is_owned(self, key: str) -> bool:
        """Whether a file is in a folder that the tool may write to; included notes are read-only."""
        settings = self.settings
        owned = (settings.memories_folder, settings.private_folder, settings.episodes_folder)
        return any(_below(key, folder) for folder in owned)


def _hidden(part: str) -> bool:
    return not part or part.startswith(".")


def _below(key: str, folder: str) -> bool:
    return native(key).startswith(folder.strip("/") + "/")
