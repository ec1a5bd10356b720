"""The library: a vault as a Python object. The command line is a skin on this."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_mem.operations.workspace import Workspace
from vault_mem.vault.find import find_vault
from vault_mem.vault.folder import Clock, Folder

if TYPE_CHECKING:
    from vault_mem.index.sync import Progress, SyncReport
    from vault_mem.model import Memory
    from vault_mem.operations.compare import Comparison
    from vault_mem.operations.doctor import Diagnosis
    from vault_mem.operations.filters import Filters
    from vault_mem.operations.init import InitResult
    from vault_mem.operations.recall import RecallResult
    from vault_mem.operations.remember import RememberResult
    from vault_mem.operations.show import ListResult, ShowResult
    from vault_mem.operations.status import Status
    from vault_mem.operations.why_not import WhyNot


class Vault:
    """One vault. Every method brings the index up to date with the files first, or says that it could not."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> None:
        env = os.environ if env is None else env
        root = find_vault(path, cwd or Path.cwd(), env)
        self.workspace = Workspace(Folder(root, env, clock), progress)

    @staticmethod
    def init(path: str | os.PathLike[str], **options: Any) -> InitResult:
        """Make a folder a vault; nothing that is already in it is touched."""
        from vault_mem.operations.init import init

        return init(Path(path).absolute(), options.pop("env", os.environ), **options)

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.workspace.folder.root

    def remember(
        self,
        content: str,
        *,
        force: bool = False,
        dedup_threshold: float | None = None,
        link_threshold: float | None = None,
        max_links: int | None = None,
        **fields: Any,
    ) -> RememberResult:
        """Save a text as a memory, unless it repeats one; `fields` are those of a note's front matter."""
        from vault_mem.operations.drafts import Draft
        from vault_mem.operations.remember import remember

        return remember(
            self.workspace,
            Draft(content, **fields),
            force=force,
            dedup_threshold=dedup_threshold,
            link_threshold=link_threshold,
            max_links=max_links,
        )

    def update(self, id_: str, content: str, reason: str = "") -> Memory:
        """Replace the text of a memory; what it said before is kept as a revision."""
        from vault_mem.operations.remember import update

        return update(self.workspace, id_, content, reason)

    def recall(self, query: str, n: int = 5, filters: Filters | None = None, **options: Any) -> RecallResult:
        """Find the memories that answer a query; options are those of `operations.recall.Request`, such as `budget`."""
        from vault_mem.operations.filters import Filters
        from vault_mem.operations.recall import Request, recall

        cost = options.pop("cost", None)
        return recall(self.workspace, Request(query, n, filters or Filters(), **options), cost)

    def search(self, query: str, n: int = 20, filters: Filters | None = None) -> RecallResult:
        """Find the memories that have the words of a query."""
        from vault_mem.operations.search import search

        return search(self.workspace, query, n, filters)

    def why_not(self, id_: str, query: str, n: int = 5, filters: Filters | None = None, **options: Any) -> WhyNot:
        """At which stage a recall drops a memory, or where it stands."""
        from vault_mem.operations.filters import Filters
        from vault_mem.operations.recall import Request
        from vault_mem.operations.why_not import why_not

        return why_not(self.workspace, id_, Request(query, n, filters or Filters(), **options))

    def compare(self, a: str, b: str) -> Comparison:
        """How two texts or memories stand to each other."""
        from vault_mem.operations.compare import compare

        return compare(self.workspace, a, b)

    def show(self, id_: str) -> ShowResult:
        """One memory with its links."""
        from vault_mem.operations.show import show

        return show(self.workspace, id_)

    def list(self, filters: Filters | None = None, n: int | None = None) -> ListResult:
        """Memories, newest first."""
        from vault_mem.operations.show import list_memories

        return list_memories(self.workspace, filters, n)

    def status(self) -> Status:
        """What the vault holds and how fresh the index is."""
        from vault_mem.operations.status import status

        return status(self.workspace)

    def doctor(self) -> Diagnosis:
        """What is wrong with the vault, and what to do about it."""
        from vault_mem.operations.doctor import doctor

        return doctor(self.workspace)

    def reindex(self) -> SyncReport:
        """Build the index anew from the files."""
        from vault_mem.index.sync import sync

        return sync(self.workspace.index, rebuild=True, progress=self.workspace.progress)
