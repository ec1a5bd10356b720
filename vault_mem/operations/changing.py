"""What every operation that writes does: hold the vault, read what it changes, and let the index follow."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from vault_mem.errors import Changed, EditRefused, Unsafe, VaultMemError, WriteFailed, of_system
from vault_mem.model import Memory
from vault_mem.notes.parse import parse
from vault_mem.operations.workspace import INDEX_ERRORS, Workspace, reason_of
from vault_mem.vault import clock, git, journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.steps import FileStep
from vault_mem.vault.walk import FileState, has_stub, state_of

if TYPE_CHECKING:
    from vault_mem.index.known import Known

P = ParamSpec("P")
T = TypeVar("T")
# The owner may save a file while we are changing it. After this many tries, something else is wrong.
TRIES = 5


def changing(workspace: Workspace, act: Callable[[], T]) -> T:
    """Run `act` while holding the vault for writing; if somebody saved a file at the same moment, run it again."""
    outermost = not workspace.folder.writing
    prepare(workspace)
    with journal.writing(workspace.folder):
        before = workspace.folder.last_op
        for left in reversed(range(TRIES)):
            try:
                return act()
            except Exception as error:
                done = workspace.folder.last_op != before
                if done and outermost:
                    _tell_done(workspace, error)
                if done or not left or not isinstance(error, Changed):
                    raise
        raise AssertionError("the last try returns or raises")


def changes(verb: Callable[Concatenate[Workspace, P], T]) -> Callable[Concatenate[Workspace, P], T]:
    """Decorator: runs the whole verb inside `changing`."""

    @wraps(verb)
    def held(workspace: Workspace, /, *given: P.args, **named: P.kwargs) -> T:
        return changing(workspace, lambda: verb(workspace, *given, **named))

    return held


def prepare(workspace: Workspace) -> None:
    """Load the index and catch up before taking the lock: a process's first time takes seconds."""
    if not workspace.folder.writing and not workspace.index.is_open:
        workspace.freshen()


def _tell_done(workspace: Workspace, error: Exception) -> None:
    """Raise an error that says the operation took effect, although something after it failed."""
    reason = error if isinstance(error, VaultMemError) else of_system(error)
    if reason is not None:
        raise WriteFailed(
            f"operation {workspace.folder.last_op} is done, but something after it failed: {reason.message}",
            "do not repeat it; `vault-mem undo` takes it back",
        ) from error


def freshen_to_change(workspace: Workspace) -> None:
    """Bring the index up to date for an operation that must not rely on a stale one."""
    if workspace.freshen().stale:
        raise Unsafe("the index is busy", "try again in a moment")


def to_change(workspace: Workspace, id_: str) -> Memory:
    """A memory that an operation is about to change, as its file is now."""
    freshen_to_change(workspace)
    return workspace.index.get(id_)


def new_id(workspace: Workspace, prefix: str) -> str:
    """A random id (`mem_…` or `ep_…`) whose first digits, used in file names, are free."""
    while True:
        digits = secrets.token_hex(6)
        taken = workspace.unwritten is not None and workspace.unwritten.has_digits(digits[:8])
        if not taken and not workspace.index.known.with_digits(digits[:8]):
            return prefix + digits


def commit(workspace: Workspace, transaction: journal.Transaction, *, soon: bool = False, mirrored: bool = True) -> str:
    """Carry out the transaction and update the index (see `index_written`). Returns the operation's name."""
    op = transaction.commit()
    index_written(workspace, transaction, soon=soon, mirrored=mirrored)
    return op


def index_written(
    workspace: Workspace, transaction: journal.Transaction, *, soon: bool = False, mirrored: bool = True
) -> None:
    """Update the index after an operation; if that fails, only a notice says so, since the files are right.

    Pass `soon` if the operation does not read the index again: watched files are then indexed after the answer, or by
    the next command. Unless they are `mirrored`, the changes are not in the views yet; the caller writes them there.
    """
    workspace.notices += [*transaction.notices, *_exposed(workspace.folder, transaction)]
    if soon and workspace.watch is not None:
        workspace.watch.written(transaction.notes)
        return
    try:
        workspace.sync_ours(transaction.notes, transaction.notes if mirrored else ())
    except (VaultMemError, *INDEX_ERRORS) as error:
        workspace.notices.append(f"the files are written; the index follows with the next command: {reason_of(error)}")


def _exposed(folder: Folder, transaction: journal.Transaction) -> list[str]:
    """A warning if git would commit a private file that the operation created (SPEC P-3)."""
    made = [step.key for step in transaction.steps if isinstance(step, FileStep) and step.before is None]
    private = [key for key in made if folder.is_private(key)]
    if not private or not git.would_take(folder, private[0]):
        return []
    return [f"git does not ignore {folder.settings.private_folder}/, where this is saved: vault-mem doctor --fix"]


def memory_written(workspace: Workspace, transaction: journal.Transaction, id_: str) -> Memory:
    """A memory as an operation has just written it, parsed from its text because it may not be indexed yet."""
    folder = workspace.folder
    for step in reversed(transaction.steps):
        if isinstance(step, FileStep) and folder.is_note(step.key) and id_in(step.after or b"") == id_:
            mtime, private = (journal.changed_at(folder, step.key) or 0) / 1e9, folder.is_private(step.key)
            return parse(step.after or b"", step.key, mtime=mtime, zone=folder.zone, private=private).memory
    return workspace.index.get(id_)


def read_to_remove(workspace: Workspace, memory: Memory) -> bytes:
    """The bytes of a memory's file, if we may remove it; a file that cannot be parsed may be removed too."""
    if not workspace.folder.is_note(memory.path):
        raise EditRefused(f"{memory.path} is an included note, read-only for vault-mem", "delete it yourself")
    return _bytes(workspace, memory)


def read_to_edit(workspace: Workspace, memory: Memory) -> bytes:
    """The bytes of a memory's file, if we may change it."""
    if not workspace.folder.is_owned(memory.path):
        raise EditRefused(f"{memory.path} is an included note, read-only for vault-mem", "edit it yourself")
    known = workspace.index.known.files([memory.path]).get(memory.path)
    if known is not None and known.frozen:
        reason = "it could not be read completely" if memory.private else known.frozen
        raise EditRefused(f"{memory.path} is left alone: {reason}", "fix the file first (vault-mem doctor)")
    return _bytes(workspace, memory)


def to_edit_in(transaction: journal.Transaction, workspace: Workspace, memory: Memory) -> bytes:
    """Like `read_to_edit`, but if the transaction already plans to write that file, what it will write."""
    planned = transaction.now(memory.path) if memory.path in transaction.keys else None
    return read_to_edit(workspace, memory) if planned is None else planned


def _bytes(workspace: Workspace, memory: Memory) -> bytes:
    try:
        raw = workspace.folder.tree.read(memory.path)
    except OSError as error:
        raise Changed(f"{memory.path} cannot be read: {error.strerror}", "was it moved? Try again") from error
    if raw is None:
        if has_stub(workspace.folder, memory.path):
            raise EditRefused(f"{memory.path} is not downloaded", "download it from your sync service first")
        raise Changed(f"{memory.path} is gone", "was it moved? Try again")
    if not raw and not memory.provisional:
        raise Changed(f"{memory.path} is empty: it is being written, or is not downloaded", "try again")
    return raw


def is_quiet(workspace: Workspace, known: Known | FileState) -> bool:
    """Whether a file has been quiet for a while, according to the index."""
    return clock.since(max(known.mtime_ns, known.ctime_ns) / 1e9) >= workspace.folder.settings.quiet_seconds


def is_quiet_file(workspace: Workspace, key: str) -> bool:
    """Whether a file has been quiet for a while, according to the disk."""
    try:
        found = workspace.folder.tree.stat(key)
    except OSError:
        return False
    return found is not None and is_quiet(workspace, state_of(found))
