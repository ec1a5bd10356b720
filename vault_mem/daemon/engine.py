"""A vault that the daemon has open: its watcher, its workspaces, its background work, and how it closes.

Only threads of this vault's own (a request's, or the engine's) touch its files, so a disk that hangs does not hold up
other vaults.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vault_mem import __version__
from vault_mem.cli.console import Console
from vault_mem.daemon.holding import release
from vault_mem.daemon.log import close_log, open_log, place_of
from vault_mem.daemon.request import ClientRequest
from vault_mem.daemon.watcher import Watcher
from vault_mem.errors import Busy, VaultMemError
from vault_mem.library import Vault
from vault_mem.operations import standby
from vault_mem.operations.pool import Pool, WriteLock
from vault_mem.operations.workspace import Workspace
from vault_mem.register import COMMANDS
from vault_mem.vault import clock, turns
from vault_mem.vault.folder import Folder
from vault_mem.vault.lock import WAIT_SECONDS
from vault_mem.vault.settings import VAULT_FILE

_BATCH_SECONDS = 0.05  # saves in quick succession are indexed together
_BATCH_LONGEST = 0.5
_AGAIN_SECONDS = 5.0  # before trying again after a failure
_SCAN_SECONDS = 600.0  # events are hints: now and then all files are looked at
_SCAN_WITHOUT_EVENTS = 10.0
_IDLE_SECONDS = 2.0
_BREATH_SECONDS = 0.01  # between two commands
_PATIENCE = 30.0  # background work does not wait longer than this for a running command
_QUIET_LONGEST = 60.0  # until the next look: settings may have changed, or a clock
# After this many commits the table is folded together in a quiet moment, or between two commands of a busy one.
_FOLD_COMMITS, _FOLD_WHEN_BUSY = 20, 100
# Commands compact the table only if background work has not done so for a long time.
_COMMITS_BETWEEN_FOLDING = 400
_LOOK_SECONDS = 2.0  # how often to check whether the vault is gone, and the like


class Engine:
    """What the requests to one vault share. `lock_handle` is the vault's lock, held for as long as it is open."""

    def __init__(self, folder: Folder, lock_handle: int, cookies: Path, ended: Callable[[Engine], None]) -> None:
        self.root = root = folder.root
        self.env = env = folder.env
        self._lock_handle, self._ended_here = lock_handle, ended
        self.kept = False  # stays open even if unused
        self.requests = self.borrowers = 0
        self._why_ending = ""
        self._users = threading.Condition()
        self.ended = threading.Event()
        self.turn = WriteLock()
        self._index_dir, self._model = folder.index_dir, folder.settings.model
        self._apply_settings(folder)
        self._quiet_due = clock.monotonic() + _IDLE_SECONDS
        # While this is open, no other folder gets its inode: a vault made again at this path is recognised as another.
        self._root_handle = os.open(root, os.O_RDONLY)
        self._wake = threading.Event()
        self._ready, self._ready_lock = False, threading.Lock()
        self._unread: int | None = None  # where to go on reading memories ahead of queries; None: nothing to read
        self._urgent = False
        # The first command looks at all files anyway; if none comes, we do it.
        self._last_change = self._first_change = clock.monotonic() + _IDLE_SECONDS
        self.watcher = Watcher(folder, self._changed, cookies)
        self.pool = Pool(self._open(folder), lambda like: self._open(Folder(root, env), like))
        self._workspace: Workspace | None = None
        self.loans: dict[Loan, float] = {}  # the commands at work, and since when
        self.last_request = clock.monotonic()
        self.log = open_log(root)

    def start(self) -> None:
        """Start watching the files, and the thread for background work."""
        self.log.info("started: version %s, pid %d", __version__, os.getpid())
        self.watcher.start()
        threading.Thread(target=self._thread_main, name="quiet", daemon=True).start()

    def _apply_settings(self, folder: Folder) -> None:
        """Read the settings again: they may have changed."""
        self._quiet_seconds = folder.settings.quiet_seconds + 0.1
        self._idle_seconds = folder.settings.idle_seconds

    # ---- from the first request to the last

    def borrow(self) -> bool:
        """Keep it open until `give_back`; fails if it is already closing."""
        with self._users:
            self.borrowers += not self._why_ending
            return not self._why_ending

    def give_back(self) -> None:
        """End what `borrow` began."""
        with self._users:
            self.borrowers -= 1
            self._users.notify_all()

    def end(self, why: str) -> None:
        """Close it after running writes; `ended` is set when that is done."""
        with self._users:
            self._why_ending = self._why_ending or why
        self.wake()

    def wake(self) -> None:
        """See whether there is something to do, or whether the vault is gone."""
        self._wake.set()

    @property
    def ending(self) -> bool:
        """Whether it is closing."""
        return bool(self._why_ending)

    def _is_over(self) -> bool:
        """Whether it was told to end, is unused, or has nothing left to serve."""
        if not self.ending and self.gone:
            self.end("the vault is gone")
        with self._users:
            idle = clock.monotonic() - self.last_request > self._idle_seconds
            if idle and not self.kept and not self.borrowers:
                self._why_ending = self._why_ending or "idle"
            return self.ending

    def _thread_main(self) -> None:
        try:
            self._run()
        finally:
            self._close()

    def _close(self) -> None:
        """Close everything once the last command has ended."""
        with self._users:
            self._users.wait_for(lambda: not self.borrowers)
        try:
            self.watcher.stop()
            if self._workspace is not None:
                self._workspace.close()
            self.pool.trim(0)
            os.close(self._root_handle)
        except Exception as error:
            self.log.warning("closing: %s", place_of(error))
        self.log.info("ended after %d request(s): %s", self.requests, self._why_ending)
        close_log(self.log)
        release(self._lock_handle)
        self._ended_here(self)
        self.ended.set()

    def status(self) -> dict[str, Any]:
        """Its status, without looking at its files."""
        return {
            "vault": str(self.root),
            "automatic": not self.kept,
            "requests": self.requests,
            "at_work": self.borrowers,
            "watching": "events" if self.watcher.by_events else "scans",
            "private_seen": len(self.watcher.flags),
            "unused_seconds": round(max(0.0, clock.monotonic() - self.last_request), 1),
        }

    def _open(self, folder: Folder, like: Workspace | None = None) -> Workspace:
        workspace = Workspace(folder, like=like)
        workspace.watch = self.watcher
        workspace.commits_between_folding = _COMMITS_BETWEEN_FOLDING
        return workspace

    @property
    def gone(self) -> bool:
        """Whether the vault is no longer where it was."""
        try:
            same = os.path.samestat(self.root.stat(), os.fstat(self._root_handle))
            return not same or not (self.root / VAULT_FILE).is_file()
        except OSError:
            return True

    def serves(self, folder: Folder) -> bool:
        """Whether a command means this vault, index and model; if not, it opens its own."""
        same = (folder.index_dir, folder.settings.model) == (self._index_dir, self._model)
        return folder.root == self.root and same and not self.gone

    def _changed(self) -> None:
        now = clock.monotonic()
        self._first_change = self._first_change or now
        self._last_change = now
        self._quiet_due = min(self._quiet_due, now + self._quiet_seconds)
        self._wake.set()

    def get_ready(self, folder: Folder, progress: Callable[[int, int], None]) -> list[str]:
        """Load model and index once, before any command runs; the others wait for the first. Returns its notices."""
        with self._ready_lock:
            if self._ready:
                return []
            try:
                with self.pool.lent() as workspace:
                    workspace.reuse(folder, progress)
                    workspace.freshen()
                    return workspace.notices[len(folder.loaded.warnings) :]
            except VaultMemError:
                return []  # the command will report it
            finally:
                self._ready, self._unread = True, 0

    def index_soon(self) -> None:
        """A command has ended: what it wrote is indexed at once, before the next one needs it."""
        if self.watcher.changed:
            self._urgent = True
        if self.watcher.changed or self._unread is not None:
            self._wake.set()

    def quiet_soon(self) -> None:
        """Do quiet work soon, without waiting until the vault has been quiet for long."""
        self._quiet_due = min(self._quiet_due, clock.monotonic())
        self._wake.set()

    def _run(self) -> None:
        """Background work, until the vault is closed."""
        scan_due = clock.monotonic() + self._scan_seconds
        not_before = folded = 0.0
        while not self._is_over():
            now = clock.monotonic()
            pause = max(0.0, min(_LOOK_SECONDS, self._quiet_due - now))
            if self._at_work(now):
                pause = _LOOK_SECONDS
            elif self.watcher.changed and now >= not_before:
                pause = self._until_batch(now)
            elif self._unread is not None and now >= not_before:
                pause = max(0.0, self._busy + _BREATH_SECONDS - now)
            self._wake.wait(max(0.0, min(clock.real(pause), self.watcher.flags.until_look())))
            self._wake.clear()
            now = clock.monotonic()
            if self.ending:
                break
            try:
                if self.watcher.flags.until_look() <= 0:
                    self.watcher.flags.look()
                elif self._at_work(now):
                    continue  # a command brings the index up to date by itself, or rebuilds it
                elif self.watcher.changed and now >= not_before and self._until_batch(now) <= 0:
                    self._urgent, self._first_change = False, 0.0
                    self._index()
                elif now >= scan_due:
                    scan_due = now + self._scan_seconds
                    self.watcher.changed.note_everything()
                elif now >= self._quiet_due:
                    self._quiet_due = now + _QUIET_LONGEST
                    self._quiet_due = min(self._quiet_due, clock.monotonic() + self._quiet())
                elif now - self._busy > _IDLE_SECONDS and self.watcher.flags.unknown and self.watcher.by_events:
                    self._look_at_flags()
                elif now - self._busy > _IDLE_SECONDS and folded < self._busy:
                    folded = now
                    self._fold()
                elif self._unread is not None and now >= max(not_before, self._busy + _BREATH_SECONDS):
                    self._read_ahead()
            except Busy:  # another process is doing it: try later
                not_before = self._quiet_due = now + _AGAIN_SECONDS
            except Exception as error:  # commands report it to people who can act on it
                self.log.warning("background: %s", place_of(error))
                not_before = self._quiet_due = now + _AGAIN_SECONDS

    def _at_work(self, now: float) -> bool:
        """Whether a command is at work. One that takes very long does not count: it may be waiting for its user."""
        return any(now - since < _PATIENCE for since in list(self.loans.values()))

    @property
    def _busy(self) -> float:
        """When something last happened."""
        return max(self._last_change, self.last_request)

    @property
    def _scan_seconds(self) -> float:
        return _SCAN_SECONDS if self.watcher.by_events else _SCAN_WITHOUT_EVENTS

    def _until_batch(self, now: float) -> float:
        if self._urgent:
            return 0.0
        return max(0.0, min(self._last_change + _BATCH_SECONDS, self._first_change + _BATCH_LONGEST) - now)

    @contextmanager
    def _background_workspace(self) -> Iterator[Workspace]:
        """The workspace of this thread, which does the background work."""
        folder = Folder(self.root, self.env)
        self.watcher.follow(folder)
        workspace, self._workspace = self._workspace or self.pool.open_one(), None
        workspace.reuse(folder, None)
        try:
            yield workspace
        except BaseException:
            workspace.close()
            raise
        self._workspace = workspace

    def _index(self) -> None:
        with self._background_workspace() as workspace:
            if workspace.freshen().stale:
                raise Busy("the index is in use")
            if self._ready:
                workspace.reading(lambda: workspace.calibration)  # also updates the memories at hand
            standby.fold(workspace, _FOLD_WHEN_BUSY)

    def _quiet(self) -> float:
        """Do what waited for quiet; returns when to look again."""
        from vault_mem.operations.git.autocommit import autocommit
        from vault_mem.operations.sharing import share
        from vault_mem.operations.unasked.private_moves import move_cleared
        from vault_mem.operations.unasked.quiet import quiet_work
        from vault_mem.operations.upkeep.tidy import run_due

        if not self.turn.take(0):
            return 1.0
        began = clock.monotonic()
        try:
            with self._background_workspace() as workspace:
                if workspace.freshen().stale:
                    return _AGAIN_SECONDS
                out = move_cleared(workspace)  # first: any other write to such a file makes its flag doubtful
                if out:
                    self.log.info("private: %d note(s) moved out: their flag was cleared", len(out))
                wrote = quiet_work(workspace) or bool(out)
                tidied = run_due(workspace)
                if tidied is not None:
                    self.log.info("tidy: %d closed, %.1f s", tidied.closed, tidied.seconds)
                trouble = autocommit(workspace)
                if trouble is not None:
                    self.log.info("autocommit: %s", "git said no; see status" if trouble else "done")
                self._apply_settings(workspace.folder)
                shares = workspace.folder.shares
                if workspace.notices:
                    self.log.info("quiet work: %d file(s) or settings need attention", len(workspace.notices))
        finally:
            self.turn.end()
        if shares:
            with self._background_workspace() as workspace:
                share(workspace)  # a store may be slow: writers do not wait for it
        if wrote:
            return 1.0
        if began < (quiet := self._last_change + self._quiet_seconds):  # some files were not quiet yet when we looked
            return max(quiet - clock.monotonic(), 0.1)
        return _QUIET_LONGEST

    def _look_at_flags(self) -> None:
        """Read the flags of private notes that were never looked at, until the next request comes."""
        since = self.last_request
        self.watcher.flags.look_at_all(lambda: self.last_request != since)

    def _fold(self) -> None:
        """Compact the table, close workspaces that only a busy moment needed, and load what recall needs."""
        self.pool.trim()
        with self._background_workspace() as workspace:
            if workspace.freshen().stale:
                return
            standby.fold(workspace, _FOLD_COMMITS)
            standby.load_for_recall(workspace)
        self._unread = 0
        standby.release_memory()

    def _read_ahead(self) -> None:
        """Prepare memories for ranking that no query has needed yet, until a command comes."""
        with self._background_workspace() as workspace:
            while self._unread is not None and not self._at_work(clock.monotonic()):
                self._unread = standby.read_ahead(workspace, self._unread)


class Loan:
    """What one request has taken from a borrowed engine, and must give back however it ends."""

    def __init__(self, engine: Engine, request: ClientRequest) -> None:
        self._engine = engine
        self._command = request.command
        entry = COMMANDS.get(self._command)
        self._writes = entry is None or entry.may_write(request.arguments)
        self._turn = entry is not None and entry.turn
        self._meant = False
        self._workspaces: list[Workspace] = []
        self._has_turn = False

    def open(self, folder: Folder, console: Console, what: str) -> Vault:
        """The vault that the command means, as the command sees it."""
        self._meant = True
        self._begin(folder)
        progress = console.progress(what)
        # `reindex` needs no index that is up to date.
        notices = self._engine.get_ready(folder, progress) if self._command != "reindex" else []
        if self._writes and not self._has_turn:
            if not self._engine.turn.take(WAIT_SECONDS, console.check):
                raise Busy(f"another command has been writing this vault for {WAIT_SECONDS:.0f} s", "wait for it")
            self._has_turn = True
        workspace = self._taken(self._engine.pool.take(console.check), folder, progress)
        workspace.done_writing = self._end_turn
        workspace.notices += notices
        return Vault.of(workspace)

    def lend(self, folder: Folder, console: Console) -> Workspace:
        """Another vault, which the command only reads."""
        self._begin(folder)
        progress = console.progress("Indexing")
        notices = self._engine.get_ready(folder, progress)
        workspace = self._taken(self._engine.pool.take(wait=False), folder, progress)
        workspace.notices += notices
        return workspace

    def _begin(self, folder: Folder) -> None:
        self._engine.loans.setdefault(self, clock.monotonic())
        self._engine.watcher.follow(folder)

    def _taken(self, workspace: Workspace, folder: Folder, progress: Callable[[int, int], None]) -> Workspace:
        self._workspaces.append(workspace)
        workspace.reuse(folder, progress)
        return workspace

    def _end_turn(self) -> None:
        if self._has_turn:
            self._has_turn = False
            self._engine.turn.end()

    def end(self, *, sound: bool) -> None:
        """Give everything back."""
        engine = self._engine
        try:
            for workspace in self._workspaces:
                workspace.progress = None
                engine.pool.give_back(workspace, sound=sound)
            self._end_turn()
            if sound and self._turn and self._meant:
                turns.count_turn(Folder(engine.root, engine.env))
        finally:
            engine.loans.pop(self, None)
            engine.requests += 1
            engine.last_request = clock.monotonic()
            engine.give_back()
            engine.index_soon()
