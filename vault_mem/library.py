"""The library: a vault as a Python object. The command line is a skin on this."""

from __future__ import annotations

import builtins
import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from vault_mem.errors import VaultMemError, of_system
from vault_mem.operations.pool import Pool
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.find import find_vault
from vault_mem.vault.folder import Clock, Folder

if TYPE_CHECKING:
    from vault_mem.index.sync import Progress, SyncReport
    from vault_mem.model import Memory
    from vault_mem.notes.checklist import Proposal
    from vault_mem.notes.session import Said
    from vault_mem.operations.day.emotion_trend import EmotionTrend
    from vault_mem.operations.day.introspect import Introspection
    from vault_mem.operations.day.update_self import SelfResult
    from vault_mem.operations.day.wake_up import WakeUp
    from vault_mem.operations.git.copies import SideBySide
    from vault_mem.operations.memory.compare import Comparison
    from vault_mem.operations.memory.filters import Filters
    from vault_mem.operations.memory.recall import RecallResult
    from vault_mem.operations.memory.remember import RememberResult
    from vault_mem.operations.memory.results import Found
    from vault_mem.operations.memory.show import ListResult, ShowResult
    from vault_mem.operations.memory.why_not import WhyNot
    from vault_mem.operations.sessions.hint import HintStats
    from vault_mem.operations.sessions.sessions import Listed, Removed
    from vault_mem.operations.upkeep.backup import BackupResult
    from vault_mem.operations.upkeep.candidates import Candidates
    from vault_mem.operations.upkeep.consolidate import ConsolidationStats
    from vault_mem.operations.upkeep.edit_memory import EditResult
    from vault_mem.operations.upkeep.episodes import EpisodeChange, EpisodeList, EpisodeResult
    from vault_mem.operations.upkeep.forget import ForgetResult
    from vault_mem.operations.upkeep.graph import Overview, Picture
    from vault_mem.operations.upkeep.link import LinkResult, UnlinkResult
    from vault_mem.operations.upkeep.merge import MergeResult
    from vault_mem.operations.upkeep.private import PrivateResult
    from vault_mem.operations.upkeep.publish import PublishResult
    from vault_mem.operations.upkeep.purge import Purge
    from vault_mem.operations.upkeep.rename import RenameResult
    from vault_mem.operations.upkeep.review import Answer
    from vault_mem.operations.upkeep.summaries import Scope
    from vault_mem.operations.upkeep.tidy import TidyReport
    from vault_mem.operations.upkeep.tidy_plan import PlanResult
    from vault_mem.operations.upkeep.undo import HistoryResult, NextUndo, Operation, UndoResult
    from vault_mem.operations.vaults.doctor import Diagnosis
    from vault_mem.operations.vaults.export import ExportReport
    from vault_mem.operations.vaults.import_ import ImportReport
    from vault_mem.operations.vaults.init import InitResult
    from vault_mem.operations.vaults.stats import Stats
    from vault_mem.operations.vaults.status import Status
    from vault_mem.operations.vaults.views import RebuildResult


P = ParamSpec("P")
T = TypeVar("T")


class Vault:
    """One vault. Every method brings the index up to date with the files first, or says that it could not.

    Any number of threads may call one `Vault`, and an asyncio program does so through an executor
    (`await asyncio.to_thread(vault.recall, "…")`). Reads run side by side, and beside a write; writes are made one
    after the other. `with Vault(…) as vault:` closes the files of the index at its end.
    """

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
        self._share(Workspace(Folder(root, env, clock), progress))

    @classmethod
    def of(cls, workspace: Workspace) -> Vault:
        """The vault of a workspace that is open already."""
        vault = cls.__new__(cls)
        vault._share(workspace)
        return vault

    def _share(self, first: Workspace) -> None:
        """Serve any number of threads; as long as there is one, it has the first workspace to itself."""
        self.workspace = first
        self._pool = Pool(first, lambda like: Workspace(like.folder.twin(), like.progress, like=like))
        self._turn = threading.RLock()  # a progress callback may write, too

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and self.workspace.is_fresh:
            with contextlib.suppress(VaultMemError):  # nobody asked for it, and the next command does it
                self.settle()
        self._pool.trim(0)

    def settle(self) -> None:
        """Do what waits for quiet: new ids, links after a rename, private moves, views, ticked proposals, tidy.

        No other call does any of it: an answer writes nothing. Leaving `with Vault(…)` does it, too.
        """
        from vault_mem.operations.unasked.quiet import settle

        def act(workspace: Workspace) -> None:
            workspace.is_fresh = False  # it was, for an earlier call
            settle(workspace)

        self._writing(act)

    def _reading(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        with self._pool.lent() as workspace:
            try:
                return operation(workspace, *args, **options)
            except (OSError, RuntimeError, ValueError, sqlite3.Error) as error:
                ours = of_system(error)
                if ours is None:
                    raise
                raise ours from error

    def _writing(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        with self._turn:
            return self._reading(operation, *args, **options)

    @staticmethod
    def init(path: str | os.PathLike[str], **options: Any) -> InitResult:
        """Make a folder a vault; nothing that is already in it is touched."""
        from vault_mem.operations.vaults.init import init

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
        replace_all: bool = False,
        **fields: Any,
    ) -> RememberResult:
        """Save a text as a memory, unless it repeats one; `fields` are those of a note's front matter.

        A mood, or the summary of a scope, takes the place of the one before. What a person added to that stays, unless
        `replace_all`.
        """
        from vault_mem.operations.memory.drafts import Draft
        from vault_mem.operations.memory.remember import remember

        return self._writing(
            remember,
            Draft(content, **fields),
            force=force,
            dedup_threshold=dedup_threshold,
            link_threshold=link_threshold,
            max_links=max_links,
            allow_secret=allow_secret,
            replace_all=replace_all,
        )

    def update(
        self, id_: str, content: str, reason: str = "", *, replace_all: bool = False, allow_secret: bool = False
    ) -> Memory:
        """Replace what was written into a memory; what a person added to it stays, unless `replace_all`.

        What it said before is kept as a revision.
        """
        from vault_mem.operations.upkeep.edit_memory import update_memory

        return self._writing(
            update_memory, id_, content, reason, replace_all=replace_all, allow_secret=allow_secret
        ).memory

    def edit(
        self,
        id_: str,
        content: str | None = None,
        fields: Mapping[str, Any] | None = None,
        reason: str = "",
        *,
        allow_secret: bool = False,
        keep_added: bool = False,
    ) -> EditResult:
        """Change the text of a memory, or fields of its front matter: None or an empty text removes one.

        `keep_added`: what a person added to the text stays.
        """
        from vault_mem.operations.upkeep.edit_memory import edit_memory

        return self._writing(
            edit_memory,
            id_,
            content=content,
            fields=fields,
            reason=reason,
            allow_secret=allow_secret,
            keep_added=keep_added,
        )

    def tag(self, id_: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> EditResult:
        """Add tags to a memory and take others off."""
        from vault_mem.operations.upkeep.tag import tag

        return self._writing(tag, id_, add, remove)

    def rename(self, id_: str, name: str, *, exact: bool = False, update_links: bool = False) -> RenameResult:
        """Give a memory's file another name, and links to it too; its id's first digits stay in it unless `exact`.

        `update_links` changes the links in your own notes, canvases and bases as well.
        """
        from vault_mem.operations.upkeep.rename import rename

        return self._writing(rename, id_, name, exact=exact, update_links=update_links)

    def consolidate(self, **options: Any) -> ConsolidationStats:
        """Replay the last hours and find near-duplicates; options as of `operations.consolidate.consolidate`."""
        from vault_mem.operations.upkeep.consolidate import consolidate

        return self._writing(consolidate, **options)

    def merge(
        self,
        keep: str,
        remove: str,
        content: str | None = None,
        reason: str = "",
        *,
        allow_secret: bool = False,
        update_links: bool = False,
    ) -> MergeResult:
        """Merge the memory `remove` into `keep`, whose text `content` replaces when given.

        `update_links` changes the links in your own notes, canvases and bases as well.
        """
        from vault_mem.operations.upkeep.merge import merge

        return self._writing(merge, keep, remove, content, reason, allow_secret=allow_secret, update_links=update_links)

    def recall(self, query: str, n: int = 5, filters: Filters | None = None, **options: Any) -> RecallResult:
        """Find the memories that answer a query; options are those of `operations.recall.Request`, such as `budget`."""
        from vault_mem.operations.memory.filters import Filters
        from vault_mem.operations.memory.recall import Request, recall

        cost = options.pop("cost", None)
        return self._reading(recall, Request(query, n, filters or Filters(), **options), cost)

    def search(self, query: str, n: int = 20, filters: Filters | None = None) -> RecallResult:
        """Find the memories that have the words of a query."""
        from vault_mem.operations.memory.search import search

        return self._reading(search, query, n, filters)

    def why_not(self, id_: str, query: str, n: int = 5, filters: Filters | None = None, **options: Any) -> WhyNot:
        """At which stage a recall drops a memory, or where it stands."""
        from vault_mem.operations.memory.filters import Filters
        from vault_mem.operations.memory.recall import Request
        from vault_mem.operations.memory.why_not import why_not

        cost = options.pop("cost", None)
        return self._reading(why_not, id_, Request(query, n, filters or Filters(), **options), cost)

    def compare(self, a: str, b: str) -> Comparison:
        """How two texts or memories stand to each other."""
        from vault_mem.operations.memory.compare import compare

        return self._reading(compare, a, b)

    def show(self, id_: str) -> ShowResult:
        """One memory with its links."""
        from vault_mem.operations.memory.show import show

        return self._reading(show, id_)

    def list(self, filters: Filters | None = None, n: int | None = None) -> ListResult:
        """Memories, newest first."""
        from vault_mem.operations.memory.show import list_memories

        return self._reading(list_memories, filters, n)

    def list_due(self, filters: Filters | None = None, n: int | None = None) -> ListResult:
        """The open tasks that are due on a day, the earliest first."""
        from vault_mem.operations.memory.due import list_due

        return self._reading(list_due, filters, n)

    def forget(
        self, id_: str, reason: str = "", *, purge: bool = False, sure: bool = False, update_links: bool = False
    ) -> ForgetResult:
        """Put a memory into the trash and remove the references to it, with `update_links` in your own notes too.

        `purge` keeps nothing of it, and takes the whole id unless you are `sure`.
        """
        from vault_mem.operations.upkeep.forget import forget
        from vault_mem.operations.upkeep.purge import purge as purge_memory

        if purge:
            return self._writing(purge_memory, id_, reason, sure=sure, update_links=update_links)
        return self._writing(forget, id_, reason, update_links=update_links)

    def look_at_purge(self, id_: str) -> Purge:
        """What `forget(id_, purge=True)` would take; nothing is changed."""
        from vault_mem.operations.upkeep.purge import look

        return self._reading(look, id_)

    def restore(self, id_: str) -> tuple[Memory, builtins.list[str]]:
        """Bring a forgotten memory back; also the files in which a reference could not be put back."""
        from vault_mem.operations.upkeep.forget import restore

        return self._writing(restore, id_)

    def private(self, id_: str, *, scrub: bool = False) -> PrivateResult:
        """Move a memory into the private folder; `scrub` turns what names it in other texts into plain text."""
        from vault_mem.operations.upkeep.private import make_private

        return self._writing(make_private, id_, scrub=scrub)

    def publish(self, id_: str, *, scrub: bool = False, allow_secret: bool = False) -> PublishResult:
        """Move a memory out of the private folder."""
        from vault_mem.operations.upkeep.publish import publish

        return self._writing(publish, id_, scrub=scrub, allow_secret=allow_secret)

    def backup(self, file: str | os.PathLike[str], *, force: bool = False) -> BackupResult:
        """Write the whole vault, private memories too, into one archive."""
        from vault_mem.operations.upkeep.backup import backup

        return self._reading(backup, Path(file).absolute(), force=force)

    def link(self, a: str, b: str, type: str | None = None, reason: str = "") -> LinkResult:  # noqa: A002
        """Link two memories; `type` says what b is to a, and changes a link that they have."""
        from vault_mem.operations.upkeep.link import link

        return self._writing(link, a, b, type, reason)

    def unlink(self, a: str, b: str, *, body: bool = False, reason: str = "") -> UnlinkResult:
        """Take the link between two memories away; one in a text becomes plain text with `body`."""
        from vault_mem.operations.upkeep.link import unlink

        return self._writing(unlink, a, b, body=body, reason=reason)

    def graph(self, id_: str | None = None, depth: int = 1, *, public_only: bool = False) -> Picture:
        """The memories around one, or all that have links, and the links between them."""
        from vault_mem.operations.upkeep.graph import neighbourhood, picture

        if id_ is None:
            return self._reading(picture, public_only=public_only)
        return self._reading(neighbourhood, id_, depth, public_only=public_only)

    def graph_overview(self, *, public_only: bool = False) -> Overview:
        """Clusters, hubs, bridges, orphans and dangling links of the whole vault."""
        from vault_mem.operations.upkeep.graph import overview

        return self._reading(overview, public_only=public_only)

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
        from vault_mem.operations.upkeep.episodes import create

        return self._writing(create, ids, summary, title=title, importance=importance, private=private)

    def episode(self, id_: str) -> EpisodeResult:
        """One episode with those of its memories that exist."""
        from vault_mem.operations.upkeep.episodes import show

        return self._reading(show, id_)

    def episodes(self) -> EpisodeList:
        """All episodes, the one that ended last first."""
        from vault_mem.operations.upkeep.episodes import list_episodes

        return self._reading(list_episodes)

    def add_to_episode(self, id_: str, ids: Sequence[str]) -> EpisodeChange:
        """Put memories into an episode."""
        from vault_mem.operations.upkeep.episodes import add

        return self._writing(add, id_, ids)

    def remove_from_episode(self, id_: str, ids: Sequence[str]) -> EpisodeChange:
        """Take memories out of an episode."""
        from vault_mem.operations.upkeep.episodes import remove

        return self._writing(remove, id_, ids)

    def undo(self, op: str | None = None, *, sure: bool = False) -> UndoResult:
        """Take back the last operation, or a named one.

        Where something came since that cannot be taken back, the one before it is meant only if you are `sure`.
        """
        from vault_mem.operations.upkeep.undo import undo

        return self._writing(undo, op, sure=sure)

    def look_at_undo(self) -> NextUndo:
        """What `undo()` would take back; nothing is changed."""
        from vault_mem.operations.upkeep.undo import next_undo

        return self._reading(next_undo)

    def history(self, id_: str) -> HistoryResult:
        """What happened to a memory."""
        from vault_mem.operations.upkeep.undo import history_of

        return self._reading(history_of, id_)

    def operations(self, n: int = 20) -> builtins.list[Operation]:
        """The latest operations, newest first."""
        from vault_mem.operations.upkeep.undo import operations

        return self._reading(operations, n)

    def close(self, id_: str, reason: str = "", at: datetime | None = None) -> Memory:
        """End a memory's validity; it is kept."""
        from vault_mem.operations.upkeep.validity import close

        return self._writing(close, id_, reason, at)

    def done(self, id_: str, reason: str = "", at: datetime | None = None) -> Memory:
        """End a task: it is done, now or at a given time."""
        from vault_mem.operations.upkeep.validity import done

        return self._writing(done, id_, reason, at)

    def reopen(self, id_: str, reason: str = "") -> Memory:
        """Reopen a closed memory."""
        from vault_mem.operations.upkeep.validity import reopen

        return self._writing(reopen, id_, reason)

    def confirm(self, id_: str, reason: str = "") -> Memory:
        """Confirm that a memory is still true."""
        from vault_mem.operations.upkeep.validity import confirm

        return self._writing(confirm, id_, reason)

    def tidy(self, *, dry_run: bool = False) -> TidyReport:
        """Close exact duplicates among the states."""
        from vault_mem.operations.upkeep.tidy import tidy

        return self._writing(tidy, dry_run=dry_run)

    def tidy_candidates(self, *, kind: str | None = None, budget: int = 6000, public_only: bool = False) -> Candidates:
        """Clusters of near states of one kind, and the token that a plan made from them gives."""
        from vault_mem.operations.upkeep.candidates import find

        return self._reading(find, kind=kind, budget=budget, public_only=public_only, progress=self.workspace.progress)

    def tidy_apply(self, plan: str, *, dry_run: bool = False) -> PlanResult:
        """Check a TidyPlan whole, and apply all of it or nothing."""
        from vault_mem.operations.upkeep.tidy_plan import apply

        return self._writing(apply, plan, dry_run=dry_run)

    def summary_candidates(self, *, budget: int = 6000, public_only: bool = False) -> builtins.list[Scope]:
        """Scopes that deserve a summary, and what it would cover."""
        from vault_mem.operations.upkeep.summaries import deserving

        return self._reading(deserving, budget=budget, public_only=public_only)

    def review(self) -> builtins.list[Proposal]:
        """The proposals that wait for an answer."""
        from vault_mem.operations.upkeep.review import open_proposals

        return self._reading(open_proposals)

    def review_versions(self) -> builtins.list[SideBySide]:
        """Second versions of a memory that a sync service kept, beside the first: only a person can choose."""
        from vault_mem.operations.git.copies import side_by_side

        return self._reading(side_by_side)

    def review_answer(self, which: str, *, accept: bool) -> Answer:
        """Carry out a proposal, or refuse it for good."""
        from vault_mem.operations.upkeep.review import answer

        return self._writing(answer, which, accept=accept)

    def said_around(self, proposal: Proposal) -> builtins.list[Said]:
        """What was said around the words that a proposal would save; nothing for another proposal."""
        from vault_mem.operations.sessions.worth import said_around

        return self._reading(said_around, proposal)

    def capture(self, told: bytes, agent: str = "") -> None:
        """Keep what was said in a session, from what its agent's hook was told."""
        from vault_mem.operations.sessions.capture import capture

        self._writing(capture, told, agent)

    def sessions(self, project: str = "", agent: str = "", n: int | None = None) -> builtins.list[Listed]:
        """The sessions that are kept, the latest first."""
        from vault_mem.operations.sessions.sessions import list_sessions

        return self._reading(list_sessions, project, agent, n)

    def session(self, which: str) -> tuple[Listed, str]:
        """One session, and all that was said in it."""
        from vault_mem.operations.sessions.sessions import show_session

        return self._reading(show_session, which)

    def remove_sessions(self, which: Iterable[str] = (), **options: Any) -> Removed:
        """Remove sessions for good; options are those of `operations.sessions.sessions.remove`."""
        from vault_mem.operations.sessions.sessions import remove

        return self._writing(remove, which, **options)

    def hint(self, prompt: str, session: str = "", **options: Any) -> builtins.list[Found]:
        """The memories that very likely answer a prompt, each once a session."""
        from vault_mem.operations.sessions.hint import hint

        return self._reading(hint, prompt, session, **options)

    def hint_stats(self) -> HintStats:
        """How many hints were shown, and used."""
        from vault_mem.operations.sessions.hint import hint_stats

        return self._reading(hint_stats)

    def note_used(self, ids: Iterable[str]) -> None:
        """These memories were read: a hint that had shown one was of use."""
        from vault_mem.vault import hints

        hints.note_used(self.workspace.folder, ids)

    def stats(self) -> Stats:
        """Show what the vault holds and how it grows."""
        from vault_mem.operations.vaults.stats import stats

        return self._reading(stats)

    def rebuild_views(self) -> RebuildResult:
        """Regenerate the daily log and MEMORY.md from the memories."""
        from vault_mem.operations.vaults.views import rebuild

        return self._writing(rebuild)

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
        from vault_mem.operations.vaults.import_ import import_

        return self._writing(import_, Path(source), format_, dry_run=dry_run, private=private, progress=progress)

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
        from vault_mem.operations.vaults.export import export

        return self._reading(export, Path(out), format_, filters, include_private=include_private, force=force)

    def wake_up(
        self,
        budget: int | None = None,
        *,
        public_only: bool = False,
        cost: Callable[[WakeUp], int] | None = None,
    ) -> WakeUp:
        """What to know when a session begins; `cost` is what showing it takes, by default the tokens of its text."""
        from vault_mem.operations.day.wake_up import DEFAULT_BUDGET, wake_up
        from vault_mem.session_texts import tokens_of, woke_up

        cost = cost or tokens_of(woke_up, self.workspace.folder.now())
        wanted = DEFAULT_BUDGET if budget is None else budget
        return self._reading(wake_up, budget=wanted, cost=cost, public_only=public_only)

    def introspect(
        self,
        budget: int | None = None,
        *,
        public_only: bool = False,
        cost: Callable[[Introspection], int] | None = None,
    ) -> Introspection:
        """What there is to think about; `cost` as for `wake_up`."""
        from vault_mem.operations.day.introspect import DEFAULT_BUDGET, introspect
        from vault_mem.session_texts import introspected, tokens_of

        cost = cost or tokens_of(introspected, self.workspace.folder.now())
        wanted = DEFAULT_BUDGET if budget is None else budget
        return self._reading(introspect, budget=wanted, cost=cost, public_only=public_only)

    def show_self(self) -> SelfResult:
        """What SELF.md says."""
        from vault_mem.operations.day.update_self import show_self

        return show_self(self.workspace.folder)

    def update_self(
        self,
        fields: Mapping[str, str] | None = None,
        *,
        ask: Sequence[str] = (),
        resolve: Sequence[tuple[str, str]] = (),
    ) -> SelfResult:
        """Change SELF.md: set fields, ask questions, resolve them by number or words."""
        from vault_mem.operations.day.update_self import update_self

        return self._writing(update_self, fields=fields, ask=ask, resolve=resolve)

    def emotion_trend(self, days: int | None = None, *, public_only: bool = False) -> EmotionTrend:
        """How the last week and month felt, or the last `days` days."""
        from vault_mem.operations.day.emotion_trend import emotion_trend

        return self._reading(emotion_trend, days, public_only=public_only)

    def status(self) -> Status:
        """What the vault holds and how fresh the index is."""
        from vault_mem.operations.vaults.status import status

        return self._reading(status)

    def doctor(self, *, fix: bool = False) -> Diagnosis:
        """What is wrong with the vault, and what to do about it; `fix` does what is safe to do."""
        from vault_mem.operations.vaults.doctor import doctor

        return (self._writing if fix else self._reading)(doctor, fix=fix)

    def reindex(self) -> SyncReport:
        """Rebuild the index from the files."""
        return self._reading(Workspace.rebuild)
