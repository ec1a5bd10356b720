"""remember_many: save many texts as one operation, each through the guard."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from vault_mem.errors import VaultMemError
from vault_mem.model import Memory
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.remember import RememberResult, remember
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Results, as_record
from vault_mem.vault.journal import Transaction
from vault_mem.vault.parts import Whole, together

Progress = Callable[[int, int], None]
# So many memories come in before their lines are put into the views, and the vault's files are looked at again.
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
    """Save drafts one after the other, as one operation. One that makes no sense does not stop the rest."""
    done = RememberedMany()
    with together(workspace.folder, "remember") as whole, Batch(workspace, "remember", whole).held() as batch:
        for place, draft in enumerate(drafts):
            try:
                done.results.append(batch.remember(draft, force=force))
            except VaultMemError as error:
                done.refused.append(Refused(place, error.message))
            if progress:
                progress(place + 1, len(drafts))
    return done


class Batch:
    """Many memories on their way in: the vault is held, so its files are looked at now and then and not each time."""

    def __init__(self, workspace: Workspace, command: str, whole: Whole | None) -> None:
        self._workspace = workspace
        self._command = command
        self._whole = whole
        self._unmirrored: list[Memory] = []

    @contextmanager
    def held(self) -> Iterator[Batch]:
        """For as long as the block runs, no file is taken for changed but ours."""
        self._workspace.freshen()
        self._workspace.held_still = True
        try:
            yield self
        finally:
            self._mirror()
            self._workspace.held_still = False

    def remember(self, draft: Draft, *, force: bool = False) -> RememberResult:
        """Save one, as `remember` does; a repetition is not kept aside."""
        result = remember(self._workspace, draft, force=force, keep_refused=False, mirror=False)
        if result.memory is not None:
            self.saved([] if result.grown else [result.memory])
        return result

    def saved(self, memories: Iterable[Memory]) -> None:
        """These were written, and are not in the views yet."""
        self._unmirrored += memories
        self.part_done()
        if len(self._unmirrored) >= AT_ONCE:
            self._mirror()
            self._workspace.held_still = False
            self._workspace.freshen()
            self._workspace.held_still = True

    def part_done(self) -> None:
        """A transaction of it has ended."""
        if self._whole is not None:
            self._whole.part_done()

    def _mirror(self) -> None:
        """Put the lines of what came in into the views: many at once, each time a view is read and written once."""
        memories, self._unmirrored = self._unmirrored, []
        if not memories:
            return
        workspace = self._workspace
        transaction = Transaction(workspace.folder, self._command)
        try:
            views.follow_many(transaction, memories)
            if transaction.steps:
                transaction.commit()
                self.part_done()
            workspace.index.state.follow([memory.path for memory in memories])
        except (VaultMemError, OSError, sqlite3.Error) as error:
            transaction.notices.append(f"the memories are saved; the views follow later: {error}")
        workspace.notices += transaction.notices
