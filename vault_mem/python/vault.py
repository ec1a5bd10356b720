"""`Vault` for Python programs: the library, with values checked, notices in results, and files watched."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakSet

from vault_mem import library
from vault_mem.errors import Busy, InvalidInput, VaultMemError, VaultNotFound
from vault_mem.operations.workspace import Workspace
from vault_mem.python import arguments
from vault_mem.python.words import reword
from vault_mem.result import Result
from vault_mem.vault.folder import Clock, Folder
from vault_mem.vault.settings import VAULT_FILE, user_file

if TYPE_CHECKING:
    from vault_mem import types
    from vault_mem.daemon.watcher import Watcher
else:
    types = arguments.Types()

P = ParamSpec("P")
T = TypeVar("T")
# In a forked child, what the parent had open. Kept referenced: closing it here would affect the parent.
_LEFT: list[object] = []


class Vault(library.Vault):
    """One vault. Every method brings the index up to date with the files first, or says that it could not.

    `path` is the vault's folder; without one it is found as the command finds it. Any number of threads may call one
    `Vault`: reads run in parallel, also with a write; writes run one after the other, in the order in which they came.
    `AsyncVault` is the same for asyncio.

    `watch=True` watches the files while the vault is open, so that a call need not check all of them; inside
    `with Vault(…) as vault:` that is the default from the second call on, `watch=False` turns it off.
    `wait` is how many seconds a write waits for other writes, and `read_wait` how many a read waits for a sync before
    it answers from what is there and says so. The next call sees settings that changed on disk. If the daemon is
    running and the files are not watched here, `recall` and `remember` ask it (never with VAULT_MEM_DAEMON=off).
    """

    def __init__(
        self,
        path: types.StrPath | None = None,
        *,
        watch: bool | None = None,
        wait: float | None = None,
        read_wait: float | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        clock: Clock | None = None,
        progress: types.Progress | None = None,
    ) -> None:
        """Open a vault; raises VaultNotFound where there is none."""
        if path is not None and not isinstance(path, str | os.PathLike):
            raise InvalidInput(f"path must be a text or a Path, not {path!r}")
        if env is not None:
            arguments.mapping("env", env)
        if clock is not None:
            arguments.function("clock", clock)
        own = env is None or env is os.environ
        self._given: dict[str, Any] = {"watch": watch, "wait": wait, "read_wait": read_wait, "clock": clock}
        self._given |= {"env": None if own else env, "progress": progress}
        self._clock, self._waits = clock, (_seconds("wait", wait), _seconds("read_wait", read_wait))
        self._watch = watch if watch is None else arguments.flag("watch", watch)
        self._watcher: Watcher | None = None
        self._refuse: Callable[[], None] | None = None
        self._inside, self._calls = False, 0
        # a daemon can only be given this process's own environment and the real clock
        self._served = own and clock is None and os.environ.get("VAULT_MEM_DAEMON") != "off"
        self._changing, self._at_work = threading.Lock(), threading.local()
        try:
            super().__init__(path, env=env, cwd=cwd, clock=clock, progress=arguments.callers_function(progress))
        except VaultMemError as error:
            reword(error)
            raise
        self._set_up(self.workspace.folder)
        self._folder, self._seen = self.workspace.folder, self._settings_now()
        _OPEN.add(self)

    @classmethod
    def of(cls, workspace: Workspace) -> library.Vault:
        """The vault of a workspace that is already open, as for surfaces: values are not checked, files not watched."""
        return library.Vault.of(workspace)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it (as multiprocessing does) so that the other process opens the same vault."""
        return partial(Vault, self.root, **self._given), ()

    def __enter__(self) -> Vault:
        self._inside = True
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and self._calls:
            with contextlib.suppress(VaultMemError):  # unasked work: if it fails, the next command does it
                self.settle()
        self.close_files()
        self._inside = False

    def close_files(self) -> None:
        """Stop watching, and close the index's files; the vault can be used again. `with` does it at its end."""
        with self._changing:
            watcher, self._watcher = self._watcher, None
        if watcher is not None:
            self._stop_watching()
        self._pool.trim(0)

    def _begin_again(self) -> None:
        """Start over in a forked child: it has its parent's open files, and locks held by threads it does not have."""
        _LEFT.extend((self.workspace, self._pool, self._watcher))
        if self._watcher is not None:
            self._stop_watching.detach()
        self._watcher, self._changing = None, threading.Lock()
        self._refuse = getattr(sys.modules.get("vault_mem.index.lance"), "refuse", None)
        self._share(Workspace(self._folder.twin(), self.workspace.progress))

    def settle(self) -> None:
        """Do what waits for quiet: new ids, links after a rename, private moves, views, ticked proposals, tidy.

        No other call does any of it: an answer writes nothing. Leaving `with Vault(…)` does it too.
        """
        from vault_mem.operations.unasked.quiet import settle

        def act(workspace: Workspace) -> None:
            workspace.is_fresh = not workspace.freshen().stale
            workspace.watch = None  # with a watcher, `settle` would leave the work to the process that watches
            if workspace.is_fresh:
                settle(workspace)

        self._writing(act)

    def ask(
        self,
        request: types.Request,
        cost: Callable[[types.Found], int] | None = None,
        others: Sequence[types.OtherVault] = (),
        name: str = "",
    ) -> types.RecallResult:
        """Recall as a surface does it: `cost` says how many tokens showing a result takes, `request.frame` the rest.

        It asks a running daemon, unless the files are watched here.
        """
        if self._asks and cost is None and not others:
            from vault_mem.python import served

            answer = served.recall(str(self.root), request.checked())
            if answer is not None:
                return answer
        return super().ask(request, cost, others, name)

    @property
    def _asks(self) -> bool:
        """Whether a running daemon may be asked: not if the files are watched here."""
        return self._served and self._watcher is None and self._watch is not True

    def _remember(self, draft: types.Draft, **how: Any) -> types.RememberResult:
        if not self._asks or self._waits[0] is not None:
            return super()._remember(draft, **how)
        from vault_mem.operations.memory.drafts import checked
        from vault_mem.python import served

        request = secrets.token_hex(8)
        try:
            answer = served.remember(str(self.root), checked(draft, self._zone), how, request)
        except served.Lost:
            answer = self._writing(_saved_by, request)
        return super()._remember(draft, **how) if answer is None else answer

    def as_tools(self, which: str = "core", *, public_only: bool = False) -> list[Callable[..., str]]:
        """Plain functions with types and docstrings, for a framework that makes tools of them.

        They are the tools of the MCP server, in its words: the "core" ones (wake_up, recall, remember, update_memory,
        forget) or "all". Each returns what a model should read, with the words of memories tagged as such; an error is
        said in the same way. With `public_only` they see no private memories.
        """
        from vault_mem.python.tools import as_tools

        return as_tools(self, which, public_only=public_only)

    @property
    def _zone(self) -> tzinfo:
        with self._changing:
            self._renew()
            return self._folder.zone

    def _set_up(self, folder: Folder) -> None:
        folder.wait, folder.read_wait = self._waits

    def _settings_now(self) -> list[object]:
        """Changes when a settings file does."""
        folder = self.workspace.folder
        return [_state(folder.root / VAULT_FILE), _state(user_file(folder.env))]

    def _renew(self) -> None:
        """Take over settings that changed on disk; another model or index is opened."""
        seen = self._settings_now()
        if seen[0] is None:
            raise VaultNotFound(f"{self.root} is no longer a vault", "was it moved? Open it where it is now")
        if seen == self._seen:
            return
        was = self._folder
        folder = Folder(was.root, was.env, self._clock)
        self._set_up(folder)
        if (folder.settings.model, folder.index_dir) != (was.settings.model, was.index_dir):
            self._pool.trim(0)
            self._share(Workspace(folder, self.workspace.progress))
        if self._watcher is not None:
            self._watcher.follow(folder)
        self._folder, self._seen = folder, seen

    def _begin_to_watch(self) -> None:
        wanted = self._watch if self._watch is not None else self._inside and self._calls > 0
        if not wanted or self._watcher is not None:
            return
        from vault_mem.daemon.watcher import Watcher

        cookies = None
        with contextlib.suppress(OSError):
            cookies = Path(tempfile.mkdtemp(prefix="vault-mem-"))
        watcher = Watcher(self._folder, lambda: None, cookies)
        self._stop_watching = weakref.finalize(self, _stop_watcher, watcher, cookies)  # even if nobody closes the vault
        watcher.start()
        if watcher.by_events:
            self._watcher = watcher
        else:  # the system reports no changes here: every call checks the files
            self._watch = False
            self._stop_watching()

    @contextmanager
    def _lent(self) -> Iterator[Workspace]:
        if self._refuse is not None:  # before we wait for a lock that a thread of the parent held
            self._refuse()
        with self._changing:
            self._renew()
            self._begin_to_watch()
            self._calls += 1
            watcher, folder = self._watcher, self._folder
        with self._pool.lent() as workspace:
            if workspace.folder.loaded is not folder.loaded:
                workspace.reuse(folder.twin(), workspace.progress)
            workspace.watch = watcher
            outer, self._at_work.workspace = getattr(self._at_work, "workspace", None), workspace
            try:
                yield workspace
            finally:
                self._at_work.workspace = outer

    def _writing(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        outer = getattr(self._at_work, "workspace", None)
        if outer is not None and outer.folder.writing:  # it would wait for itself for ever
            raise Busy(
                "this thread is writing the vault: a function that reports progress can only read", "write later"
            )
        return super()._writing(operation, *args, **options)

    def _reading(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        """Run an operation; its notices are put into the result."""

        def act(workspace: Workspace) -> T:
            try:
                answer = operation(workspace, *args, **options)
                if isinstance(answer, Result):
                    object.__setattr__(answer, "notices", [*workspace.notices])
                return answer
            finally:
                workspace.notices.clear()

        return super()._reading(act)


def _stop_watcher(watcher: Watcher, cookies: Path | None) -> None:
    watcher.stop()
    shutil.rmtree(cookies or "", ignore_errors=True)


def _saved_by(workspace: Workspace, request: str) -> types.RememberResult | None:
    """What a request saved before its daemon died; None if it saved nothing."""
    from vault_mem.operations.memory.remember import saved_before
    from vault_mem.vault import journal

    with journal.writing(workspace.folder):  # this finishes or takes back what was half done
        record = journal.outcome(workspace.folder, request)
    return saved_before(workspace, record["ids"][0]) if record and record["ids"] else None


def _seconds(name: str, value: float | None) -> float | None:
    if value is not None and arguments.number(name, value) < 0:
        raise InvalidInput(f"{name} must be at least 0, not {value}")
    return value


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _public_methods() -> Iterator[tuple[str, Any]]:
    for name, found in vars(library.Vault).items():
        if name.startswith("_") or name == "of":
            continue
        if isinstance(found, staticmethod):
            yield name, arguments.CheckedMethod(found.__func__, static=True)
        elif callable(found):
            yield name, arguments.CheckedMethod(vars(Vault).get(name, found))


for _name, _method in [*_public_methods()]:
    setattr(Vault, _name, _method)
Vault.as_tools = arguments.CheckedMethod(Vault.as_tools)  # type: ignore[method-assign]

_OPEN: WeakSet[Vault] = WeakSet()


def _begin_all_again() -> None:
    library.reset_write_queues()
    for vault in [*_OPEN]:
        vault._begin_again()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_all_again)
