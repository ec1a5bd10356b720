"""remember_many: save many texts as one operation, each through the guard."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from vault_mem import errors
from vault_mem.errors import CallersOwn, Conflict, EditRefused, NotFound, VaultMemError, WriteFailed
from vault_mem.index.sync import Progress
from vault_mem.index.unwritten import Unwritten
from vault_mem.operations.changing import changing, prepare
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.remember import Planned, RememberResult, refers_to_others, remember, write
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import INDEX_ERRORS, Workspace
from vault_mem.result import Results, as_record
from vault_mem.vault.journal import operation
from vault_mem.vault.parts import RunningOperation, one_operation

# Errors that concern one text only.
UNFIT = (errors.InvalidInput, EditRefused, Conflict, NotFound, errors.SecretFound)
# How many texts are written at once, and how many bytes, since they are held in memory until then.
AT_ONCE, MOST_BYTES = 500, 4_000_000
# In a small vault, a batch has half as many texts as the vault, but at least this many: calibration samples the vault,
# so it should grow along.
FIRST = 30


@dataclass(frozen=True)
class Refused:
    """A text that could not be saved: its position among those given, from 0, and why."""

    position: int
    reason: str


@dataclass(frozen=True)
class RememberedMany(Results[RememberResult], items="results"):
    """What became of each text, in the order given; one that was `refused` is not among the results."""

    results: list[RememberResult] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, saved=sum(each.saved for each in self.results))


def remember_many(
    workspace: Workspace, drafts: Sequence[Draft], *, force: bool = False, progress: Progress | None = None
) -> RememberedMany:
    """Save drafts in order, as one operation that happens completely or not at all. Invalid drafts are skipped."""
    done = RememberedMany()
    prepare(workspace)
    with taken_back(workspace), one_operation(workspace.folder, "remember") as whole:
        workspace.freshen()
        with Batch(workspace, whole).held() as batch:
            for position, draft in enumerate(drafts):
                try:
                    done.results.append(batch.remember(draft, force=force))
                except UNFIT as error:
                    done.refused.append(Refused(position, error.message))
                if progress:
                    progress(position + 1, len(drafts))
    return done


@contextmanager
def taken_back(workspace: Workspace) -> Iterator[None]:
    """If the operation fails and is rolled back, remove from the index what it had saved."""
    try:
        yield
    except (Exception, CallersOwn):
        with contextlib.suppress(VaultMemError, *INDEX_ERRORS):
            workspace.follow_removed()
        raise


class Batch:
    """Many memories being saved, written a few hundred at a time.

    The vault is held, so changed files are looked for once per batch, not once per memory. New texts are also compared
    with those that are not written yet.
    """

    def __init__(self, workspace: Workspace, whole: RunningOperation | None) -> None:
        """`whole` is the operation that all of them belong to; None for a dry run."""
        self._workspace = workspace
        self._whole = whole
        self._lines = views.ViewLines(workspace.folder)
        self._unmirrored: list[str] = []
        self._planned: list[Planned] = []
        self._size = 0

    @contextmanager
    def held(self) -> Iterator[Batch]:
        """Until the block ends, the index is trusted without looking at the files; then the views are updated."""
        self._workspace.skip_file_check = True
        try:
            yield self
            self._end()
        except KeyboardInterrupt:
            self._end()  # keep what was saved so far
            raise
        finally:
            self._workspace.skip_file_check, self._workspace.unwritten = False, None

    def remember(self, draft: Draft, *, force: bool = False) -> RememberResult:
        """Save one, as `remember` does, but without keeping what is refused."""
        if refers_to_others(draft):
            self.write()
            result = remember(self._workspace, draft, force=force, keep_refused=False)
            self.part_done()
            return result
        return remember(self._workspace, draft, force=force, keep_refused=False, later=self.put)

    def put(self, planned: Planned) -> None:
        """Add one to those that will be written together."""
        workspace = self._workspace
        most = min(max(FIRST, workspace.index.rows // 2), AT_ONCE)
        if len(self._planned) >= most or self._size >= MOST_BYTES:
            self.write()
        workspace.unwritten = workspace.unwritten or Unwritten(workspace.index)
        workspace.unwritten.add(planned.memory.path, planned.text)
        self._planned.append(planned)
        self._size += len(planned.text)

    def write(self) -> None:
        """Write what was added so far, and bring the index up to date."""
        workspace, planned = self._workspace, self._planned
        if not planned:
            return
        try:
            changing(workspace, lambda: write(workspace, planned, mirror=False))
        except (EditRefused, Conflict, NotFound) as error:  # a failure of the whole batch, not of one text
            raise WriteFailed(error.message, error.hint) from error
        self._planned, self._size, workspace.unwritten = [], 0, None
        for each in planned:
            self._lines.add(each.memory)
            self._unmirrored.append(each.memory.path)
        self.part_done(len(planned))
        workspace.skip_file_check = False
        workspace.freshen()
        workspace.skip_file_check = True

    def part_done(self, files: int = 1) -> None:
        """Tell the operation that one of its transactions has ended, and how many files it wrote."""
        if self._whole is not None:
            self._whole.part_done(files)

    def _end(self) -> None:
        """Write what is left, and add all new memories to the views."""
        self.write()
        if not self._unmirrored:
            return
        workspace = self._workspace
        with operation(workspace.folder, "remember") as transaction:
            self._lines.put(transaction)
        workspace.notices += transaction.notices
        with contextlib.suppress(OSError, sqlite3.Error):  # if it fails, they are only checked again once quiet
            workspace.index.known.follow(self._unmirrored, workspace.folder.now().timestamp())
