"""remember_many: save many texts as one operation, each through the guard."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from vault_mem.errors import CallersOwn, Conflict, EditRefused, InvalidInput, NotFound, SecretFound, VaultMemError
from vault_mem.model import Memory
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.remember import RememberResult, remember
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Results, as_record
from vault_mem.vault.journal import Transaction
from vault_mem.vault.parts import Whole, together

Progress = Callable[[int, int], None]
# After this many the vault's files are looked at again.
AT_ONCE = 500


@dataclass(frozen=True)
class Refused:
    """A text that could not be saved: its place among those given, from 0, and why."""

    place: int
    reason: str


@dataclass(frozen=True)
class RememberedMany(Results[RememberResult]):
    """What became of each text, in the order given; one that was `refused` is not among the results."""

    results: list[RememberResult] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def _items(self) -> Sequence[RememberResult]:
        return self.results

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, saved=sum(each.saved for each in self.results))


def remember_many(
    workspace: Workspace, drafts: Sequence[Draft], *, force: bool = False, progress: Progress | None = None
) -> RememberedMany:
    """Save drafts one after the other, as one operation: whole or not there. One that makes no sense is passed over."""
    done = RememberedMany()
    with taken_back(workspace), together(workspace.folder, "remember") as whole:
        batch = Batch(workspace, "remember", whole)
        workspace.freshen()
        with batch.held():
            for place, draft in enumerate(drafts):
                try:
                    done.results.append(batch.remember(draft, force=force))
                except (InvalidInput, EditRefused, Conflict, NotFound, SecretFound) as error:
                    done.refused.append(Refused(place, error.message))
                batch.look_now_and_then(place + 1)
                if progress:
                    progress(place + 1, len(drafts))
    return done


@contextmanager
def taken_back(workspace: Workspace) -> Iterator[None]:
    """Where an operation fails and is taken back, the index lets go of what it had saved."""
    try:
        yield
    except (Exception, CallersOwn):
        with contextlib.suppress(VaultMemError, OSError, RuntimeError, ValueError, sqlite3.Error):
            workspace.follow_removed()
        raise


class Batch:
    """Many memories on their way in: the vault is held, so its files are looked at now and then and not each time."""

    def __init__(self, workspace: Workspace, command: str, whole: Whole | None) -> None:
        self._workspace = workspace
        self._command = command
        self._whole = whole
        self._lines = views.Lines(workspace.folder)
        self._unmirrored: list[str] = []

    @contextmanager
    def held(self) -> Iterator[None]:
        """For as long as the block runs, the files are taken as the index knows them; the views follow at its end."""
        self._workspace.held_still = True
        try:
            yield
        except KeyboardInterrupt:
            self._mirror()
            raise
        finally:
            self._workspace.held_still = False
        self._mirror()

    def look_now_and_then(self, done: int) -> None:
        """Every few hundred, the vault's files are looked at again."""
        if done % AT_ONCE == 0:
            self._workspace.held_still = False
            self._workspace.freshen()
            self._workspace.held_still = True

    def remember(self, draft: Draft, *, force: bool = False) -> RememberResult:
        """Save one, as `remember` does; a repetition is not kept aside."""
        result = remember(self._workspace, draft, force=force, keep_refused=False, mirror=False)
        if result.memory is not None and not result.grown:
            self.saved(result.memory)
        elif result.memory is not None:
            self.part_done()
        return result

    def saved(self, memory: Memory) -> None:
        """A memory was written, and is not in the views yet."""
        self._lines.add(memory)
        self._unmirrored.append(memory.path)
        self.part_done()

    def part_done(self) -> None:
        """A transaction of it has ended."""
        if self._whole is not None:
            self._whole.part_done()

    def _mirror(self) -> None:
        """Put the lines of all that came in into the views."""
        if not self._unmirrored:
            return
        workspace = self._workspace
        transaction = Transaction(workspace.folder, self._command)
        self._lines.put(transaction)
        if transaction.steps:
            transaction.commit()
            self.part_done()
        workspace.notices += transaction.notices
        with contextlib.suppress(OSError, sqlite3.Error):  # then they are looked at once more, when they are quiet
            workspace.index.known.follow(self._unmirrored, workspace.folder.now().timestamp())
