"""The library: a vault as a Python object. The command line is a skin on this."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_mem.operations.workspace import Workspace
from vault_mem.vault.find import find_vault
from vault_mem.vault.folder import Clock, Folder

if TYPE_CHECKING:
    from vault_mem.index.sync import Progress, SyncReport
    from vault_mem.model import Memory
    from vault_mem.notes.checklist import Proposal
    from vault_mem.operations.backup import BackupResult
    from vault_mem.operations.candidates import Candidates
    from vault_mem.operations.compare import Comparison
    from vault_mem.operations.consolidate import ConsolidationStats
    from vault_mem.operations.doctor import Diagnosis
    from vault_mem.operations.edit_memory import EditResult
    from vault_mem.operations.emotion_trend import EmotionTrend
    from vault_mem.operations.episodes import EpisodeChange, EpisodeList, EpisodeResult
    from vault_mem.operations.export import ExportReport
    from vault_mem.operations.filters import Filters
    from vault_mem.operations.forget import ForgetResult
    from vault_mem.operations.graph import Overview, Picture
    from vault_mem.operations.import_ import ImportReport
    from vault_mem.operations.init import InitResult
    from vault_mem.operations.introspect import Introspection
    from vault_mem.operations.link import LinkResult, UnlinkResult
    from vault_mem.operations.merge import MergeResult
    from vault_mem.operations.private import PrivateResult
    from vault_mem.operations.publish import PublishResult
    from vault_mem.operations.recall import RecallResult
    from vault_mem.operations.remember import RememberResult
    from vault_mem.operations.rename import RenameResult
    from vault_mem.operations.review import Answer
    from vault_mem.operations.show import ListResult, ShowResult
    from vault_mem.operations.stats import Stats
    from vault_mem.operations.status import Status
    from vault_mem.operations.summaries import Scope
    from vault_mem.operations.tidy import TidyReport
    from vault_mem.operations.tidy_plan import PlanResult
    from vault_mem.operations.undo import HistoryResult, Operation, UndoResult
    from vault_mem.operations.update_self import SelfResult
    from vault_mem.operations.views import RebuildResult
    from vault_mem.operations.wake_up import WakeUp
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

    @classmethod
    def of(cls, workspace: Workspace) -> Vault:
        """The vault of a workspace that is open already."""
        vault = cls.__new__(cls)
        vault.workspace = workspace
        return vault

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
        allow_secret: bool = False,
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
            allow_secret=allow_secret,
        )

    def update(self, id_: str, content: str, reason: str = "", *, allow_secret: bool = False) -> Memory:
        """Replace the text of a memory; what it said before is kept as a revision."""
        from vault_mem.operations.edit_memory import edit_memory

        why = reason or "the text was replaced"
        return edit_memory(
            self.workspace, id_, content=content, reason=why, command="remember --update", allow_secret=allow_secret
        ).memory

    def edit(
        self,
        id_: str,
        content: str | None = None,
        fields: Mapping[str, Any] | None = None,
        reason: str = "",
        *,
        allow_secret: bool = False,
    ) -> EditResult:
        """Change the text of a memory, or fields of its front matter: None or an empty text removes one."""
        from vault_mem.operations.edit_memory import edit_memory

        return edit_memory(
            self.workspace, id_, content=content, fields=fields, reason=reason, allow_secret=allow_secret
        )

    def tag(self, id_: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> EditResult:
        """Add tags to a memory and take others off."""
        from vault_mem.operations.tag import tag

        return tag(self.workspace, id_, add, remove)

    def rename(self, id_: str, name: str, *, exact: bool = False) -> RenameResult:
        """Give a memory's file another name, and links to it too; its id's first digits stay in it unless `exact`."""
        from vault_mem.operations.rename import rename

        return rename(self.workspace, id_, name, exact=exact)

    def consolidate(self, **options: Any) -> ConsolidationStats:
        """Replay the last hours and find near-duplicates; options as of `operations.consolidate.consolidate`."""
        from vault_mem.operations.consolidate import consolidate

        return consolidate(self.workspace, **options)

    def merge(
        self, keep: str, remove: str, content: str | None = None, reason: str = "", *, allow_secret: bool = False
    ) -> MergeResult:
        """Merge the memory `remove` into `keep`, whose text `content` replaces when given."""
        from vault_mem.operations.merge import merge

        return merge(self.workspace, keep, remove, content, reason, allow_secret=allow_secret)

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

        cost = options.pop("cost", None)
        return why_not(self.workspace, id_, Request(query, n, filters or Filters(), **options), cost)

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

    def list_due(self, filters: Filters | None = None, n: int | None = None) -> ListResult:
        """The open tasks that are due on a day, the earliest first."""
        from vault_mem.operations.due import list_due

        return list_due(self.workspace, filters, n)

    def forget(self, id_: str, reason: str = "", *, purge: bool = False) -> ForgetResult:
        """Put a memory into the trash and remove the references to it; `purge` keeps nothing of it."""
        from vault_mem.operations.forget import forget
        from vault_mem.operations.purge import purge as purge_memory

        return (purge_memory if purge else forget)(self.workspace, id_, reason)

    def restore(self, id_: str) -> tuple[Memory, builtins.list[str]]:
        """Bring a forgotten memory back; also the files in which a reference could not be put back."""
        from vault_mem.operations.forget import restore

        return restore(self.workspace, id_)

    def private(self, id_: str, *, scrub: bool = False) -> PrivateResult:
        """Move a memory into the private folder; `scrub` turns what names it in other texts into plain text."""
        from vault_mem.operations.private import make_private

        return make_private(self.workspace, id_, scrub=scrub)

    def publish(self, id_: str, *, scrub: bool = False, allow_secret: bool = False) -> PublishResult:
        """Move a memory out of the private folder."""
        from vault_mem.operations.publish import publish

        return publish(self.workspace, id_, scrub=scrub, allow_secret=allow_secret)

    def backup(self, file: str | os.PathLike[str], *, force: bool = False) -> BackupResult:
        """Write the whole vault, private memories too, into one archive."""
        from vault_mem.operations.backup import backup

        return backup(self.workspace, Path(file).absolute(), force=force)

    def link(self, a: str, b: str, type: str | None = None, reason: str = "") -> LinkResult:  # noqa: A002
        """Link two memories; `type` says what b is to a, and changes a link that they have."""
        from vault_mem.operations.link import link

        return link(self.workspace, a, b, type, reason)

    def unlink(self, a: str, b: str, *, body: bool = False, reason: str = "") -> UnlinkResult:
        """Take the link between two memories away; one in a text becomes plain text with `body`."""
        from vault_mem.operations.link import unlink

        return unlink(self.workspace, a, b, body=body, reason=reason)

    def graph(self, id_: str | None = None, depth: int = 1, *, public_only: bool = False) -> Picture:
        """The memories around one, or all that have links, and the links between them."""
        from vault_mem.operations.graph import neighbourhood, picture

        if id_ is None:
            return picture(self.workspace, public_only=public_only)
        return neighbourhood(self.workspace, id_, depth, public_only=public_only)

    def graph_overview(self, *, public_only: bool = False) -> Overview:
        """Clusters, hubs, bridges, orphans and dangling links of the whole vault."""
        from vault_mem.operations.graph import overview

        return overview(self.workspace, public_only=public_only)

    def create_episode(
        self,
        ids: Sequence[str],
        summary: str,
        *,
        title: str = "",
        importance: int | None = None,
        private: bool = False,
    ) -> EpisodeChange:
        """Save memories that belong together as an episode; private if one of them is."""
        from vault_mem.operations.episodes import create

        return create(self.workspace, ids, summary, title=title, importance=importance, private=private)

    def episode(self, id_: str) -> EpisodeResult:
        """One episode with those of its memories that exist."""
        from vault_mem.operations.episodes import show

        return show(self.workspace, id_)

    def episodes(self) -> EpisodeList:
        """All episodes, the one that ended last first."""
        from vault_mem.operations.episodes import list_episodes

        return list_episodes(self.workspace)

    def add_to_episode(self, id_: str, ids: Sequence[str]) -> EpisodeChange:
        """Put memories into an episode."""
        from vault_mem.operations.episodes import add

        return add(self.workspace, id_, ids)

    def remove_from_episode(self, id_: str, ids: Sequence[str]) -> EpisodeChange:
        """Take memories out of an episode."""
        from vault_mem.operations.episodes import remove

        return remove(self.workspace, id_, ids)

    def undo(self, op: str | None = None) -> UndoResult:
        """Take back the last operation, or a named one."""
        from vault_mem.operations.undo import undo

        return undo(self.workspace, op)

    def history(self, id_: str) -> HistoryResult:
        """What happened to a memory."""
        from vault_mem.operations.undo import history_of

        return history_of(self.workspace, id_)

    def operations(self, n: int = 20) -> builtins.list[Operation]:
        """The latest operations, newest first."""
        from vault_mem.operations.undo import operations

        return operations(self.workspace, n)

    def close(self, id_: str, reason: str = "", at: datetime | None = None) -> Memory:
        """End a memory's validity; it is kept."""
        from vault_mem.operations.validity import close

        return close(self.workspace, id_, reason, at)

    def done(self, id_: str, reason: str = "", at: datetime | None = None) -> Memory:
        """End a task: it is done, now or at a given time."""
        from vault_mem.operations.validity import done

        return done(self.workspace, id_, reason, at)

    def reopen(self, id_: str, reason: str = "") -> Memory:
        """Make a closed memory valid again."""
        from vault_mem.operations.validity import reopen

        return reopen(self.workspace, id_, reason)

    def confirm(self, id_: str, reason: str = "") -> Memory:
        """Note that a memory is still true."""
        from vault_mem.operations.validity import confirm

        return confirm(self.workspace, id_, reason)

    def tidy(self, *, dry_run: bool = False) -> TidyReport:
        """Close exact duplicates among the states."""
        from vault_mem.operations.tidy import tidy

        return tidy(self.workspace, dry_run=dry_run)

    def tidy_candidates(self, *, kind: str | None = None, budget: int = 6000, public_only: bool = False) -> Candidates:
        """Clusters of near states of one kind, and the token that a plan made from them gives."""
        from vault_mem.operations.candidates import find

        return find(self.workspace, kind=kind, budget=budget, public_only=public_only, progress=self.workspace.progress)

    def tidy_apply(self, plan: str, *, dry_run: bool = False) -> PlanResult:
        """Check a TidyPlan whole, and apply all of it or nothing."""
        from vault_mem.operations.tidy_plan import apply

        return apply(self.workspace, plan, dry_run=dry_run)

    def summary_candidates(self, *, budget: int = 6000, public_only: bool = False) -> builtins.list[Scope]:
        """Scopes that deserve a summary, and what it would cover."""
        from vault_mem.operations.summaries import deserving

        return deserving(self.workspace, budget=budget, public_only=public_only)

    def review(self) -> builtins.list[Proposal]:
        """The proposals that wait for an answer."""
        from vault_mem.operations.review import open_proposals

        return open_proposals(self.workspace)

    def review_answer(self, which: str, *, accept: bool) -> Answer:
        """Carry out a proposal, or refuse it for good."""
        from vault_mem.operations.review import answer

        return answer(self.workspace, which, accept=accept)

    def stats(self) -> Stats:
        """What the vault holds and how it grows."""
        from vault_mem.operations.stats import stats

        return stats(self.workspace)

    def rebuild_views(self) -> RebuildResult:
        """Make the mirrored files anew from the memories."""
        from vault_mem.operations.views import rebuild

        return rebuild(self.workspace)

    def import_(
        self,
        source: str | os.PathLike[str],
        format_: str = "auto",
        *,
        dry_run: bool = False,
        private: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Bring in memories from a file, folder or archive; what came in before is skipped."""
        from vault_mem.operations.import_ import import_

        return import_(self.workspace, Path(source), format_, dry_run=dry_run, private=private, progress=progress)

    def export(
        self,
        out: str | os.PathLike[str],
        format_: str = "jsonl",
        filters: Filters | None = None,
        *,
        include_private: bool = False,
        force: bool = False,
    ) -> ExportReport:
        """Write memories to a file, or to a new vault; private ones only when asked for."""
        from vault_mem.operations.export import export

        return export(self.workspace, Path(out), format_, filters, include_private=include_private, force=force)

    def wake_up(
        self,
        budget: int | None = None,
        *,
        public_only: bool = False,
        cost: Callable[[WakeUp], int] | None = None,
    ) -> WakeUp:
        """What to know when a session begins; `cost` is what showing it takes, by default the tokens of its text."""
        from vault_mem.operations.wake_up import DEFAULT_BUDGET, wake_up
        from vault_mem.session_texts import tokens_of, woke_up

        cost = cost or tokens_of(woke_up, self.workspace.folder.now())
        wanted = DEFAULT_BUDGET if budget is None else budget
        return wake_up(self.workspace, budget=wanted, cost=cost, public_only=public_only)

    def introspect(
        self,
        budget: int | None = None,
        *,
        public_only: bool = False,
        cost: Callable[[Introspection], int] | None = None,
    ) -> Introspection:
        """What there is to think about; `cost` as for `wake_up`."""
        from vault_mem.operations.introspect import DEFAULT_BUDGET, introspect
        from vault_mem.session_texts import introspected, tokens_of

        cost = cost or tokens_of(introspected, self.workspace.folder.now())
        wanted = DEFAULT_BUDGET if budget is None else budget
        return introspect(self.workspace, budget=wanted, cost=cost, public_only=public_only)

    def show_self(self) -> SelfResult:
        """What SELF.md says."""
        from vault_mem.operations.update_self import show_self

        return show_self(self.workspace.folder)

    def update_self(
        self,
        fields: Mapping[str, str] | None = None,
        *,
        ask: Sequence[str] = (),
        resolve: Sequence[tuple[str, str]] = (),
    ) -> SelfResult:
        """Change SELF.md: set fields, ask questions, resolve them by number or words."""
        from vault_mem.operations.update_self import update_self

        return update_self(self.workspace, fields=fields, ask=ask, resolve=resolve)

    def emotion_trend(self, days: int | None = None, *, public_only: bool = False) -> EmotionTrend:
        """How the last week and month felt, or so many days."""
        from vault_mem.operations.emotion_trend import emotion_trend

        return emotion_trend(self.workspace, days, public_only=public_only)

    def status(self) -> Status:
        """What the vault holds and how fresh the index is."""
        from vault_mem.operations.status import status

        return status(self.workspace)

    def doctor(self, *, fix: bool = False) -> Diagnosis:
        """What is wrong with the vault, and what to do about it; `fix` does what is safe to do."""
        from vault_mem.operations.doctor import doctor

        return doctor(self.workspace, fix=fix)

    def reindex(self) -> SyncReport:
        """Build the index anew from the files."""
        from vault_mem.index.sync import sync

        return sync(self.workspace.index, rebuild=True, progress=self.workspace.progress)
