"""Watching a vault's files. Events are hints about which files to look at; if any may be missing, a scan decides.

On Linux one inotify instance watches the folders that can hold notes, and a folder for cookies, files that we make to
be told of. Events come in the order in which things happened, so when a cookie's arrives, everything before it has
arrived too. Elsewhere watchdog's observer for the system does the same. On file systems without events every command
scans.
"""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from vault_mem.daemon.flags import Flags
from vault_mem.operations.workspace import Pending
from vault_mem.vault.folder import Folder
from vault_mem.vault.settings import VAULT_FILE
from vault_mem.vault.tree import key_of
from vault_mem.vault.walk import FileState, watched_folders

COOKIE_SECONDS = 0.05  # an event takes a millisecond; after this, scan instead
SURE_SECONDS = 1.0  # if a scan could not make up for missing events
_COOKIES = ".vault-mem/cookies"
# Files outside the folders of notes that matter to us: settings, and proposals that a person ticks.
_AT_THE_TOP = (VAULT_FILE, "REVIEW.md")
# Changes made on another machine cause no events here.
_SHARED = ("nfs", "cifs", "smb", "9p", "fuse", "vboxsf", "drvfs", "prl_fs", "virtiofs", "afs", "ceph", "gluster")


class ChangedFiles:
    """Changes are noted here and crossed off once indexed, unless the file changed again meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._serial = 0
        self._keys: dict[str, int] = {}
        self._ours: set[str] = set()
        self._everything = 1  # nothing is known before the first look at all files

    def note(self, keys: Iterable[str], *, ours: bool = False) -> None:
        """These files changed; `ours` where an operation wrote them."""
        keys = list(keys)
        with self._lock:
            self._serial += 1
            self._keys.update(dict.fromkeys(keys, self._serial))
            self._ours.update(keys if ours else ())

    def note_everything(self) -> None:
        """Any file may have changed."""
        with self._lock:
            self._serial += 1
            self._everything = self._serial

    def pending(self) -> Pending:
        """What is not indexed, as of now."""
        with self._lock:
            serial = max(self._serial, self._everything)
            return Pending(frozenset(self._keys), frozenset(self._ours), bool(self._everything), serial)

    def done(self, pending: Pending) -> None:
        """That much is indexed; what changed again since stays."""
        with self._lock:
            if pending.everything and self._everything <= pending.serial:
                self._everything = 0
            for key in pending.keys:
                if self._keys.get(key, pending.serial + 1) <= pending.serial:
                    del self._keys[key]
                    self._ours.discard(key)

    def __bool__(self) -> bool:
        return bool(self._keys or self._everything)


class Watcher:
    """Receives changes to a vault's notes; keeps what is not indexed yet, and the private flags it has seen."""

    def __init__(self, folder: Folder, changed: Callable[[], None], cookies: Path | None = None) -> None:
        """`cookies` is a folder for them outside the vault, where no sync service sees them come and go."""
        self.changed = ChangedFiles()
        self.flags = Flags(folder)
        self._cookies_at = cookies
        self._changed = changed
        self._folder = folder
        self._followed: Any = None
        self._source: _Inotify | _Observed | None = None
        self._cookies: dict[str, threading.Event] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    @property
    def by_events(self) -> bool:
        """Whether the system reports changes; otherwise every command checks the files."""
        return self._source is not None

    def start(self) -> None:
        """Begin to listen; if the system cannot report changes, all files are scanned instead."""
        wanted = self._folder.env.get("VAULT_MEM_WATCH", "")
        if wanted != "scan" and (wanted == "events" or _has_events(self._folder.root)):
            try:
                source = _source(self)
                if self._cookies_at is None or not isinstance(source, _Inotify):
                    self._cookies_at = self._folder.root / _COOKIES
                self._cookie_folder()
                source.watch(self._folder, self._cookies_at)
                self._source = source
                if not self._cookie(SURE_SECONDS):
                    self.stop()
            except (OSError, ImportError):
                self.stop()
        self._followed = _what_matters(self._folder)

    def stop(self) -> None:
        """Stop listening."""
        source, self._source = self._source, None
        if source is not None:
            source.stop()
            shutil.rmtree(self._cookies_at or "", ignore_errors=True)
            self.flags.forget()

    def follow(self, folder: Folder) -> None:
        """Take over changed settings: other folders may hold notes now, or other files be notes."""
        with self._lock:
            if self._followed is None or _what_matters(folder) == self._followed:
                return
            self._folder, self._followed = folder, _what_matters(folder)
            if self._source is not None:
                try:
                    self._source.watch(folder, self._cookies_at)
                except OSError:
                    self.stop()
        self.flags.follow(folder)
        self.changed.note_everything()

    def pending_changes(self) -> Pending:
        """What is not indexed, once every change made before this call has been heard of."""
        if self._source is None or not self._cookie(COOKIE_SECONDS):
            self.changed.note_everything()
        return self.changed.pending()

    def done(self, pending: Pending) -> None:
        """That much has been indexed."""
        self.changed.done(pending)

    def written(self, keys: Iterable[str]) -> None:
        """These files were just written by us."""
        self.changed.note(keys, ours=True)
        self._changed()

    def cleared(self) -> dict[str, FileState]:
        """Private notes whose flag was seen to go from true to false; none if some events may not have arrived yet."""
        sure = self.flags.cleared() and self._source is not None and self._cookie(SURE_SECONDS)
        return self.flags.cleared() if sure else {}

    def heard(self, relative: str, *, folder: bool) -> None:
        """Something happened to this path below the root."""
        parent, _, name = relative.rpartition("/")
        if parent == _COOKIES:
            cookie = self._cookies.get(name)
            if cookie is not None:
                cookie.set()
            return
        if not name or name.startswith(".") or "/." in f"/{parent}":
            return
        if folder:
            self.flags.folder_changed(relative)
            self._scan()
        elif name[-3:].lower() == ".md":
            self.changed.note([key_of(relative)])
            self._changed()
        elif relative == VAULT_FILE:
            self._changed()
        elif name == VAULT_FILE:  # a folder became a vault of its own, or stopped being one
            self._scan()

    def lost_track(self) -> None:
        """Events were lost: only a scan can tell."""
        self.flags.forget()
        self._scan()

    def _scan(self) -> None:
        self.changed.note_everything()
        self._changed()

    def _cookie(self, seconds: float) -> bool:
        """Make a file where we listen and wait for its event: once that has arrived, so have all earlier ones."""
        name = f"{next(self._numbers)}-{secrets.token_hex(2)}"
        heard = self._cookies[name] = threading.Event()
        path = f"{self._cookies_at}/{name}"
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            os.unlink(path)  # noqa: PTH108 - twice in every command
            return heard.wait(seconds)
        except FileNotFoundError:
            with self._lock:
                if self._source is not None and self._folder.root.is_dir():
                    self._cookie_folder()
                    self._source.watch(self._folder, self._cookies_at)
            return False
        except OSError:
            return False
        finally:
            del self._cookies[name]

    def _cookie_folder(self) -> None:
        if self._cookies_at is not None:
            self._cookies_at.parent.mkdir(mode=0o700, exist_ok=True)  # this machine's folder may not be there yet
            self._cookies_at.mkdir(mode=0o700, exist_ok=True)
            for left in self._cookies_at.iterdir():  # of a daemon that was killed
                left.unlink(missing_ok=True)


def _what_matters(folder: Folder) -> Any:
    settings = folder.settings
    tops = (settings.memories_folder, settings.private_folder, settings.episodes_folder)
    return (*tops, tuple(settings.include), tuple(settings.ignore))


def _has_events(root: Path) -> bool:
    """Whether the file system is local, so that every change causes an event here."""
    if sys.platform != "linux":
        return True
    kind, longest = "", -1
    try:
        with Path("/proc/self/mountinfo").open(encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                before, _, after = line.partition(" - ")
                point = before.split()[4].replace("\\040", " ")
                if len(point) > longest and (f"{root}/").startswith(point.rstrip("/") + "/"):
                    kind, longest = after.split()[0], len(point)
    except (OSError, IndexError):
        return True
    return not kind.startswith(_SHARED) or kind == "fuseblk"


def _source(watcher: Watcher) -> _Inotify | _Observed:
    if sys.platform == "linux":
        try:
            return _Inotify(watcher)
        except (ImportError, AttributeError):  # an older watchdog, whose instances are one per folder
            pass
    return _Observed(watcher)


class _Inotify:
    """One inotify instance for all folders, read by watchdog's own reader."""

    def __init__(self, watcher: Watcher) -> None:
        from watchdog.observers.inotify_c import InotifyConstants, InotifyFD

        kinds = (
            "IN_MODIFY IN_ATTRIB IN_CLOSE_WRITE IN_MOVED_FROM IN_MOVED_TO IN_CREATE IN_DELETE IN_DELETE_SELF "
            "IN_MOVE_SELF IN_ONLYDIR IN_DONT_FOLLOW IN_EXCL_UNLINK"
        )
        # After lost events every folder is added again on purpose: do not log a warning for each.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._mask: Any = sum(int(getattr(InotifyConstants, kind)) for kind in kinds.split())
        self._watcher = watcher
        self._folders: dict[int, str] = {}
        self._recursive: list[str] = []
        self._root = ""
        self._left = (0, "")
        self._reader = InotifyFD()
        self._reader.start()

    def stop(self) -> None:
        self._reader.stop()

    def watch(self, folder: Folder, cookies: Path | None) -> None:
        self._root = os.fspath(folder.root)
        self._recursive = watched_folders(folder)
        self._add("")
        self._add(_COOKIES, os.fspath(cookies or ""))
        for top in self._recursive:
            self._add_tree(top)

    def on_event(self, event: Any) -> None:
        """Called for every event, in order, by the one thread that reads them."""
        parent = self._folders.get(event.wd)
        if parent is None:
            return
        if event.is_delete_self or event.is_move_self:
            self._watcher.lost_track()
            return
        name = os.fsdecode(event.name)
        relative = f"{parent}/{name}" if parent else name
        self._tell_flags(event, relative)
        if event.is_directory:
            if not self._relevant(relative):
                return
            if event.is_create or event.is_moved_to:
                self._add_tree(relative)
            elif event.is_attrib:
                return
        elif not parent and "" not in self._recursive and relative not in _AT_THE_TOP:
            return
        self._watcher.heard(relative, folder=event.is_directory)

    def _tell_flags(self, event: Any, relative: str) -> None:
        """Tell the flags what happened to a file; only the next event tells the new name of a renamed one."""
        flags = self._watcher.flags
        (cookie, left), self._left = self._left, (0, "")
        if left and event.is_moved_to and event.cookie == cookie:
            flags.moved(left, relative)
            return
        if left:
            flags.moved(left, "")
        if event.is_directory:
            return
        if event.is_moved_from:
            self._left = (event.cookie, relative)
        elif event.is_moved_to:
            flags.moved("", relative)
        elif event.is_create:
            flags.made(relative)
        elif event.is_delete:
            flags.gone(relative)
        else:
            flags.saved(relative)

    def on_watch_deleted(self, wd: int) -> None:
        """A watched folder is gone."""
        if self._folders.pop(wd, None) is not None:
            self._watcher.lost_track()

    def on_queue_overflow(self) -> None:
        """Too much at once: events were lost, and so may be folders that were made meanwhile."""
        for top in self._recursive:
            self._add_tree(top)
        self._watcher.lost_track()

    def _relevant(self, relative: str) -> bool:
        """Whether notes may lie in a folder, or in one below it."""
        return any(
            not top or relative == top or relative.startswith(top + "/") or top.startswith(relative + "/")
            for top in self._recursive
        )

    def _add(self, relative: str, path: str = "") -> bool:
        path = path or (f"{self._root}/{relative}" if relative else self._root)
        try:
            wd = self._reader.add_callback(os.fsencode(path), self._mask, self, 0)  # type: ignore[arg-type]
        except (FileNotFoundError, NotADirectoryError):
            return False
        self._folders[wd] = relative
        return True

    def _add_tree(self, top: str) -> None:
        """Watch a folder and all below it; each is watched before it is listed, so that nothing slips in between."""
        waiting = [top]
        while waiting:
            relative = waiting.pop()
            if "/." in f"/{relative}" or not self._add(relative):
                continue
            try:
                with os.scandir(f"{self._root}/{relative}") as entries:
                    below = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
            except OSError:
                continue
            waiting += [f"{relative}/{name}" if relative else name for name in below if not name.startswith(".")]


class _Observed:
    """Watchdog's observer for this system, over the whole vault."""

    def __init__(self, watcher: Watcher) -> None:
        from watchdog.observers import Observer

        self._watcher = watcher
        self._observer = Observer()
        self._root = ""

    def stop(self) -> None:
        self._observer.stop()

    def watch(self, folder: Folder, cookies: Path | None) -> None:
        if self._root:
            return
        self._root = os.fspath(folder.root)
        self._observer.schedule(self, self._root, recursive=True)  # type: ignore[arg-type]
        self._observer.start()

    def dispatch(self, event: Any) -> None:
        """Called for every event."""
        if event.event_type in ("opened", "closed_no_write"):
            return
        source, target = (
            os.path.relpath(os.fsdecode(path), self._root).replace(os.sep, "/") if path else ""
            for path in (event.src_path, event.dest_path)
        )
        flags = self._watcher.flags
        if not event.is_directory and event.event_type == "moved":
            flags.moved(source, target)
        elif not event.is_directory:
            {"created": flags.made, "deleted": flags.gone}.get(event.event_type, flags.saved)(source)
        elif event.event_type == "modified":
            return
        for relative in filter(None, (source, target)):
            self._watcher.heard("" if relative == "." else relative, folder=event.is_directory)
