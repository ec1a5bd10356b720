"""The library: a vault as a Python object. The command line is a skin on this."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from vault_mem.errors import InvalidInput, VaultMemError, of_system
from vault_mem.fields import Form
from vault_mem.model import GIVEN, META, Episode, Memory
from vault_mem.operations.pool import FairLock, Pool
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.find import current_folder, expanded, find_vault
from vault_mem.vault.folder import Clock, Folder


class _Verbs:
    """A group of operations, whose modules are imported when they are used: a command of the shell needs few."""

    def __init__(self, group: str) -> None:
        self._group = group

    def __getattr__(self, module: str) -> ModuleType:
        found = importlib.import_module(f"vault_mem.operations.{self._group}.{module}")
        setattr(self, module, found)
        return found


if TYPE_CHECKING:
    from vault_mem.operations import day, git, memory, sessions, unasked, upkeep, vaults
    from vault_mem.types import *
else:
    groups = ("day", "git", "memory", "sessions", "unasked", "upkeep", "vaults")
    day, git, memory, sessions, unasked, upkeep, vaults = map(_Verbs, groups)

DEFAULT_RESULTS = 5
# How often a call starts over because the index was rebuilt while it was reading the old one.
TRIES = 3
_FILTERS = (
    *("category", "kind", "tags", "people", "emotion", "importance", "since", "until", "private", "closed", "as_of"),
    *("episode", "metadata"),
)
# Keywords of `remember` that are not fields of the memory: they control the guard and the writing.
_GUARD = ("force", "dedup_threshold", "link_threshold", "max_links", "allow_secret", "replace_all")
# One queue per vault: a process's threads take turns at writing it, however many `Vault` objects they have.
_WRITE_QUEUES: WeakValueDictionary[str, FairLock] = WeakValueDictionary()
_WRITE_QUEUES_LOCK = threading.Lock()
P = ParamSpec("P")
T = TypeVar("T")


def reset_write_queues() -> None:
    """Start with empty queues: in a process that was just forked, nobody waits in one."""
    global _WRITE_QUEUES, _WRITE_QUEUES_LOCK
    _WRITE_QUEUES, _WRITE_QUEUES_LOCK = WeakValueDictionary(), threading.Lock()


class Vault:
    """One vault. Every method brings the index up to date with the files first, or says that it could not.

    Any number of threads may call one `Vault`, and an asyncio program does so through an executor
    (`await asyncio.to_thread(vault.recall, "…")`). Reads run side by side, and beside a write; writes are made one
    after the other. `with Vault(…) as vault:` closes the files of the index at its end.
    """

    def __init__(
        self,
        path: StrPath | None = None,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> None:
        env = os.environ if env is None else env
        root = find_vault(path, current_folder() if cwd is None else path_of(cwd), env)
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
        with _WRITE_QUEUES_LOCK:
            self._write_queue = _WRITE_QUEUES.setdefault(str(first.folder.root), FairLock())

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and self.workspace.is_fresh:
            with contextlib.suppress(VaultMemError):  # unasked work: if it fails, the next command does it
                self.settle()
        self._pool.trim(0)

    def settle(self) -> None:
        """Do what waits for quiet: new ids, links after a rename, private moves, views, ticked proposals, tidy.

        No other call does any of it: an answer writes nothing. Leaving `with Vault(…)` does it too.
        """

        def act(workspace: Workspace) -> None:
            workspace.is_fresh = False  # it was fresh for an earlier call
            unasked.quiet.settle(workspace)

        self._writing(act)

    def _lent(self) -> AbstractContextManager[Workspace]:
        return self._pool.lent()

    def _reading(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        with self._lent() as workspace:
            before = workspace.folder.last_op
            for left in reversed(range(TRIES)):
                try:
                    return operation(workspace, *args, **options)
                except (OSError, RuntimeError, ValueError, sqlite3.Error) as error:
                    ours = of_system(error)
                    if ours is None:
                        raise
                    if not left or workspace.folder.last_op != before or not workspace.index_replaced():
                        raise ours from error
            raise AssertionError("the last try returns or raises")

    def _writing(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        with self._write_queue.turn(self.workspace.folder.wait):
            return self._reading(operation, *args, **options)

    def _taking_out(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        """A write after which something may have to leave a store: others may write while that takes its time."""
        from vault_mem.operations.sharing import withdraw

        done = self._writing(operation, *args, **options)
        self._reading(withdraw)
        return done

    @staticmethod
    def init(
        path: StrPath,
        *,
        env: Mapping[str, str] | None = None,
        adopt: bool = False,
        adopt_ids: str | None = None,
        memories_folder: str | None = None,
        private_folder: str | None = None,
        episodes_folder: str | None = None,
        timezone: str | None = None,
        obsidian: bool = False,
        git: bool = False,
        nested: bool = False,
        include: bool = False,
    ) -> InitResult:
        """Make a folder a vault; nothing that is already in it is touched.

        It stops if there are notes where memories would live, unless `adopt`, or if it is inside a vault, unless
        `nested`.
        With `include` all other notes of the folder are searched too.
        """
        options = {name: value for name, value in locals().items() if name not in ("path", "env")}
        return vaults.init.init(path_of(path), os.environ if env is None else env, **options)

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.workspace.folder.root

    def remember(
        self,
        content: str,
        *,
        importance: int = 3,
        private: bool = False,
        category: str = "daily",
        kind: Kind | str = "event",
        tags: Texts = (),
        people: Texts = (),
        emotion: str = "neutral",
        secondary: Texts = (),
        intensity: float | None = None,
        valence: float | None = None,
        arousal: float | None = None,
        body_state: str | None = None,
        about_time: str | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
        status: str | None = None,
        supersedes: Iterable[Ref] = (),
        confidence: float | None = None,
        salience: float | None = None,
        source: str | None = None,
        scope: str | None = None,
        sources: Iterable[Ref] = (),
        created: When | None = None,
        metadata: Metadata | None = None,
        force: bool = False,
        dedup_threshold: float | None = None,
        link_threshold: float | None = None,
        max_links: int | None = None,
        allow_secret: bool = False,
        replace_all: bool = False,
    ) -> RememberResult:
        """Save a text as a memory, unless it repeats one.

        The keywords are the fields of its front matter, then what the guard should do. `metadata` is your own: plain
        values, which filters find. A mood, or the summary of a scope, takes the place of the one before; what a person
        added to that stays, unless `replace_all`.
        """
        given = locals()
        draft = self._draft({name: given[name] for name in ("content", "created", "metadata", *GIVEN)})
        return self._remember(draft, **{name: given[name] for name in _GUARD})

    def _remember(self, draft: Draft, **how: Any) -> RememberResult:
        return self._writing(memory.remember.remember, draft, **how)

    def remember_many(
        self,
        memories: Iterable[str | Draft | Mapping[str, Any]],
        *,
        force: bool = False,
        progress: Progress | None = None,
    ) -> RememberedMany:
        """Save many texts as one operation, which one `undo` takes back; each goes through the guard.

        Each is a text, a `Draft`, or a dict with `content` and the keywords of `remember` that are fields. One that
        makes no sense is among the `refused`, with its position and the reason, and does not stop the rest.
        """
        drafts = [self._draft(each) for each in memories]
        return self._writing(memory.remember_many.remember_many, drafts, force=force, progress=progress)

    def update(
        self, id_: Ref, content: str, reason: str = "", *, replace_all: bool = False, allow_secret: bool = False
    ) -> EditResult:
        """Replace what was written into a memory; what a person added to it stays, unless `replace_all`.

        What it said before is kept as a revision.
        """
        return self._writing(
            upkeep.edit_memory.edit_memory,
            name_of(id_),
            content=content,
            reason=reason,
            command="remember --update",
            allow_secret=allow_secret,
            keep_added=not replace_all,
        )

    def edit(
        self,
        id_: Ref,
        content: str | None = None,
        fields: Mapping[str, Any] | None = None,
        reason: str = "",
        *,
        metadata: Mapping[str, MetaValue | None] | None = None,
        allow_secret: bool = False,
        keep_added: bool = False,
    ) -> EditResult:
        """Change the text of a memory, or fields of its front matter: None or an empty text removes one.

        `metadata` sets notes of your own, None removes one. `keep_added`: what a person added to the text stays.
        """
        fields = {**(fields or {}), **{f"{META}{name}": value for name, value in (metadata or {}).items()}}
        return self._writing(
            upkeep.edit_memory.edit_memory,
            name_of(id_),
            content=content,
            fields=fields,
            reason=reason,
            allow_secret=allow_secret,
            keep_added=keep_added,
        )

    def tag(self, id_: Ref, add: Texts = (), remove: Texts = ()) -> EditResult:
        """Add tags to a memory and remove others."""
        return self._writing(upkeep.edit_memory.tag, name_of(id_), texts_of(add, "add"), texts_of(remove, "remove"))

    def rename(self, id_: Ref, name: str, *, exact: bool = False, update_links: bool = False) -> RenameResult:
        """Rename a memory's file and update links to it; the name keeps the first digits of the id unless `exact`.

        `update_links` changes the links in your own notes, canvases and bases as well.
        """
        return self._writing(upkeep.rename.rename, name_of(id_), name, exact=exact, update_links=update_links)

    def consolidate(
        self,
        *,
        whole: bool = False,
        window: int | None = None,
        window_hours: float | None = None,
        max_replay_events: int | None = None,
        merge_threshold: float | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> ConsolidationStats:
        """Link what is new and find near-duplicates of it, or of the `whole` vault.

        `window` treats that many of the newest memories as new, whatever their age, instead of `window_hours`.
        """
        given = {name: value for name, value in locals().items() if name != "self" and value is not None}
        return self._writing(upkeep.consolidate.consolidate, **given)

    def merge(
        self,
        keep: Ref,
        remove: Ref,
        content: str | None = None,
        reason: str = "",
        *,
        allow_secret: bool = False,
        update_links: bool = False,
    ) -> MergeResult:
        """Merge the memory `remove` into `keep`; `content`, if given, replaces its text.

        `update_links` changes the links in your own notes, canvases and bases as well.
        """
        return self._writing(
            upkeep.merge.merge,
            name_of(keep),
            name_of(remove),
            content,
            reason,
            allow_secret=allow_secret,
            update_links=update_links,
        )

    def recall(
        self,
        query: str,
        n: int = DEFAULT_RESULTS,
        filters: Filters | None = None,
        *,
        budget: int | None = None,
        min_relevance: float | None = None,
        category: str | None = None,
        kind: Kind | str | None = None,
        tags: Texts = (),
        people: Texts = (),
        emotion: str | None = None,
        importance: int | None = None,
        since: When | None = None,
        until: When | None = None,
        private: bool | None = None,
        closed: bool = False,
        as_of: When | None = None,
        episode: Ref | None = None,
        metadata: Metadata | None = None,
    ) -> RecallResult:
        """Find the memories that answer a query, best first, by meaning and by words.

        `budget` is the maximum number of tokens of all texts together. `min_relevance` (0 to 1) is how likely the best
        one must answer; below it, `answered` is false and the results are the two nearest. The other keywords are
        filters, all of which must be met; closed memories are found only with `closed`.
        """
        given = locals()
        chosen = self._chosen(filters, **{name: given[name] for name in _FILTERS})
        return self.ask(memory.recall.Request(query, n, chosen, budget, min_relevance=min_relevance))

    def ask(
        self,
        request: Request,
        cost: Callable[[Found], int] | None = None,
        others: Sequence[OtherVault] = (),
        name: str = "",
    ) -> RecallResult:
        """Recall as a surface does it: `cost` says how many tokens showing a result takes, `request.frame` the rest.

        Where `others` answer, too, each result says from which vault it is; this one goes by `name`.
        """
        if others:
            return self._reading(vaults.several.recall_in_all, name, others, request, cost)
        return self._reading(memory.recall.recall, request, cost)

    def trusted_ids(self, least: str) -> set[str]:
        """The memories whose source has that trust: owner, agent, captured, imported, or none."""
        return self._reading(memory.show.trusted_ids, least)

    def show_in(self, others: Sequence[OtherVault], id_: str, name: str = "") -> ShowResult:
        """One memory of this vault, or of the others."""
        return self._reading(vaults.several.show_in_any, name, others, id_)

    def search_all(
        self, query: str, n: int, filters: Filters, others: Sequence[OtherVault], name: str = ""
    ) -> RecallResult:
        """Find the memories that have the words of a query, in this vault and others."""
        return self._reading(vaults.several.search_in_all, name, others, query, n, filters)

    def search(
        self,
        query: str,
        n: int = 20,
        filters: Filters | None = None,
        *,
        category: str | None = None,
        kind: Kind | str | None = None,
        tags: Texts = (),
        people: Texts = (),
        emotion: str | None = None,
        importance: int | None = None,
        since: When | None = None,
        until: When | None = None,
        private: bool | None = None,
        closed: bool = False,
        as_of: When | None = None,
        episode: Ref | None = None,
        metadata: Metadata | None = None,
    ) -> RecallResult:
        """Find the memories that have the words of a query; filters as for `recall`."""
        given = locals()
        chosen = self._chosen(filters, **{name: given[name] for name in _FILTERS})
        return self._reading(memory.search.search, query, n, chosen)

    def why_not(
        self,
        id_: Ref,
        query: str,
        n: int = DEFAULT_RESULTS,
        filters: Filters | None = None,
        *,
        budget: int | None = None,
    ) -> WhyNot:
        """At which stage a recall drops a memory, or at which rank it shows it."""
        return self.ask_why_not(id_, memory.recall.Request(query, n, self._chosen(filters), budget))

    def ask_why_not(self, id_: Ref, request: Request, cost: Callable[[Found], int] | None = None) -> WhyNot:
        """The same for a request, as `ask` makes it."""
        return self._reading(memory.why_not.why_not, name_of(id_), request, cost)

    def similar(self, note: Ref, n: int = DEFAULT_RESULTS) -> SimilarResult:
        """The memories and included notes most like any note of the vault, searched or not."""
        return self._reading(memory.similar.similar, name_of(note), n)

    def compare(self, a: Ref, b: Ref) -> Comparison:
        """How two texts or memories relate, and what `remember` would do with the second."""
        return self._reading(memory.compare.compare, name_of(a), name_of(b))

    def show(self, id_: Ref) -> ShowResult:
        """One memory with its links."""
        return self._reading(memory.show.show, name_of(id_))

    def list(
        self,
        filters: Filters | None = None,
        n: int | None = None,
        *,
        category: str | None = None,
        kind: Kind | str | None = None,
        tags: Texts = (),
        people: Texts = (),
        emotion: str | None = None,
        importance: int | None = None,
        since: When | None = None,
        until: When | None = None,
        private: bool | None = None,
        closed: bool = False,
        as_of: When | None = None,
        episode: Ref | None = None,
        metadata: Metadata | None = None,
    ) -> ListResult:
        """Memories, newest first, all of them unless `n`; filters as for `recall`."""
        given = locals()
        chosen = self._chosen(filters, **{name: given[name] for name in _FILTERS})
        return self._reading(memory.show.list_memories, chosen, n)

    def tags(self, *, closed: bool = False) -> Counts:
        """The tags of the vault and how many memories have each, most frequent first."""
        return self._reading(memory.show.count, "tags", closed=closed)

    def people(self, *, closed: bool = False) -> Counts:
        """The people of the vault and how many memories are about each, most frequent first."""
        return self._reading(memory.show.count, "people", closed=closed)

    def list_due(self, filters: Filters | None = None, n: int | None = None) -> ListResult:
        """Open tasks with a due date, earliest first."""
        return self._reading(memory.due.list_due, self._chosen(filters), n)

    def forget(
        self, id_: Ref, reason: str = "", *, purge: bool = False, sure: bool = False, update_links: bool = False
    ) -> ForgetResult:
        """Move a memory to the trash and remove references to it, with `update_links` in your own notes too.

        `purge` deletes it for good, and needs the full id unless you are `sure`.
        """
        if purge:
            return self._taking_out(upkeep.purge.purge, name_of(id_), reason, sure=sure, update_links=update_links)
        return self._writing(upkeep.forget.forget, name_of(id_), reason, update_links=update_links)

    def look_at_purge(self, id_: Ref) -> Purge:
        """What `forget(id_, purge=True)` would delete; nothing is changed."""
        return self._reading(upkeep.purge.preview, name_of(id_))

    def restore(self, id_: Ref) -> RestoreResult:
        """Bring a forgotten memory back; also the files in which a reference could not be put back."""
        return self._writing(upkeep.forget.restore, name_of(id_))

    def trash(self) -> builtins.list[Trashed]:
        """The memories that `restore` can bring back, last forgotten first."""
        return self._reading(lambda workspace: upkeep.forget.trash(workspace.folder))

    def private(self, id_: Ref, *, scrub: bool = False) -> PrivateResult:
        """Move a memory into the private folder; `scrub` turns what names it in other texts into plain text."""
        return self._taking_out(upkeep.private.make_private, name_of(id_), scrub=scrub)

    def publish(self, id_: Ref, *, scrub: bool = False, allow_secret: bool = False) -> PublishResult:
        """Move a memory out of the private folder."""
        return self._writing(upkeep.publish.publish, name_of(id_), scrub=scrub, allow_secret=allow_secret)

    def backup(self, file: StrPath, *, force: bool = False) -> BackupResult:
        """Write the whole vault, private memories too, into one archive."""
        return self._reading(upkeep.backup.backup, path_of(file), force=force)

    @staticmethod
    def check_backup(file: StrPath) -> BackupResult:
        """Read an archive that `backup` wrote, and say what is wrong with it."""
        return upkeep.backup.check(path_of(file))

    @staticmethod
    def restore_backup(file: StrPath, folder: StrPath) -> BackupResult:
        """Unpack an archive that `backup` wrote into a new or empty folder, as a vault."""
        return upkeep.backup.restore_backup(path_of(file), path_of(folder))

    def link(self, a: Ref, b: Ref, type: LinkType | str | None = None, reason: str = "") -> LinkResult:  # noqa: A002
        """Link two memories; `type` says what b is to a, and changes a link that they have."""
        return self._writing(upkeep.link.link, name_of(a), name_of(b), None if type is None else text_of(type), reason)

    def unlink(self, a: Ref, b: Ref, *, body: bool = False, reason: str = "") -> UnlinkResult:
        """Remove the link between two memories; one in a text becomes plain text with `body`."""
        return self._writing(upkeep.link.unlink, name_of(a), name_of(b), body=body, reason=reason)

    def graph(self, id_: Ref | None = None, depth: int = 1, *, public_only: bool = False) -> GraphResult:
        """The memories around one, or all that have links, and the links between them."""
        if id_ is None:
            return self._reading(upkeep.graph.picture, public_only=public_only)
        return self._reading(upkeep.graph.neighbourhood, name_of(id_), depth, public_only=public_only)

    def graph_overview(self, *, public_only: bool = False) -> GraphOverview:
        """Clusters, hubs, bridges, orphans and dangling links of the whole vault."""
        return self._reading(upkeep.graph.overview, public_only=public_only)

    def create_episode(
        self, ids: Iterable[Ref], summary: str, *, title: str = "", importance: int | None = None, private: bool = False
    ) -> EpisodeChange:
        """Save memories that belong together as an episode; private if one of them is."""
        return self._writing(
            upkeep.episodes.create, names_of(ids), summary, title=title, importance=importance, private=private
        )

    def episode(self, id_: Ref) -> EpisodeResult:
        """One episode with those of its memories that exist."""
        return self._reading(upkeep.episodes.show, name_of(id_))

    def episodes(self) -> EpisodeList:
        """All episodes, latest first."""
        return self._reading(upkeep.episodes.list_episodes)

    def add_to_episode(self, id_: Ref, ids: Iterable[Ref]) -> EpisodeChange:
        """Add memories to an episode."""
        return self._writing(upkeep.episodes.add, name_of(id_), names_of(ids))

    def remove_from_episode(self, id_: Ref, ids: Iterable[Ref]) -> EpisodeChange:
        """Remove memories from an episode."""
        return self._writing(upkeep.episodes.remove, name_of(id_), names_of(ids))

    def undo(self, op: str | None = None, *, sure: bool = False) -> UndoResult:
        """Take back the last operation, or a named one.

        If a later operation cannot be undone, this one is taken back only if you are `sure`.
        """
        return self._writing(upkeep.undo.undo, op, sure=sure)

    def look_at_undo(self) -> NextUndo:
        """What `undo()` would take back; nothing is changed."""
        return self._reading(upkeep.undo.next_undo)

    def history(self, id_: Ref) -> HistoryResult:
        """What happened to a memory."""
        return self._reading(upkeep.undo.history_of, name_of(id_))

    def operations(self, n: int = 20) -> builtins.list[Operation]:
        """The latest operations, newest first."""
        return self._reading(upkeep.undo.operations, n)

    def close(self, id_: Ref, reason: str = "", at: When | None = None) -> EditResult:
        """Mark a memory as no longer true; it is kept."""
        return self._writing(upkeep.validity.close, name_of(id_), reason, self._moment(at, "at"))

    def done(self, id_: Ref, reason: str = "", at: When | None = None) -> EditResult:
        """Mark a task as done, now or at a given time."""
        return self._writing(upkeep.validity.done, name_of(id_), reason, self._moment(at, "at"))

    def reopen(self, id_: Ref, reason: str = "") -> EditResult:
        """Reopen a closed memory."""
        return self._writing(upkeep.validity.reopen, name_of(id_), reason)

    def confirm(self, id_: Ref, reason: str = "") -> EditResult:
        """Confirm that a memory is still true."""
        return self._writing(upkeep.validity.confirm, name_of(id_), reason)

    def tidy(self, *, dry_run: bool = False) -> TidyReport:
        """Close exact duplicates among the states."""
        return self._writing(upkeep.tidy.tidy, dry_run=dry_run)

    def tidy_candidates(
        self, *, kind: Kind | str | None = None, budget: int = 6000, public_only: bool = False
    ) -> TidyCandidates:
        """Clusters of similar states of one kind, and the token to put into a plan made from them."""
        return self._reading(
            upkeep.tidy_candidates.find,
            kind=None if kind is None else text_of(kind),
            budget=budget,
            public_only=public_only,
            progress=self.workspace.progress,
        )

    def tidy_log(self, n: int = 20) -> builtins.list[dict[str, Any]]:
        """The latest runs of tidy, newest first: counts and ids."""
        return self._reading(lambda workspace: upkeep.tidy.log(workspace.folder, n))

    def tidy_apply(self, plan: str, *, dry_run: bool = False) -> PlanResult:
        """Check a TidyPlan as a whole, and apply it completely or not at all."""
        return self._writing(upkeep.tidy_plan.apply, plan, dry_run=dry_run)

    def summary_candidates(self, *, budget: int = 6000, public_only: bool = False) -> builtins.list[Scope]:
        """Scopes that need a summary, and what it would cover."""
        return self._reading(upkeep.summaries.scopes_to_summarise, budget=budget, public_only=public_only)

    def review(self) -> builtins.list[Proposal]:
        """The proposals that wait for an answer."""
        return self._reading(upkeep.review.open_proposals)

    def review_versions(self) -> builtins.list[SideBySide]:
        """Conflict copies of memories that a sync service kept, beside the original: only a person can choose."""
        return self._reading(git.copies.side_by_side)

    def review_answer(self, which: str, *, accept: bool) -> Answer:
        """Carry out a proposal, or refuse it for good."""
        return self._writing(upkeep.answers.answer, which, accept=accept)

    def said_around(self, proposal: Proposal) -> builtins.list[Said]:
        """What was said around the words that a proposal would save; nothing for another proposal."""
        return self._reading(sessions.candidates.said_around, proposal)

    def capture(self, told: bytes, agent: str = "") -> None:
        """Keep what was said in a session, from what its agent's hook was told."""
        self._writing(sessions.capture.capture, told, agent)

    def sessions(self, project: str = "", agent: str = "", n: int | None = None) -> builtins.list[SessionFile]:
        """The captured sessions, latest first."""
        return self._reading(sessions.sessions.list_sessions, project, agent, n)

    def session(self, which: str) -> tuple[SessionFile, str]:
        """One session with everything that was said in it."""
        return self._reading(sessions.sessions.show_session, which)

    def remove_sessions(
        self,
        which: Iterable[str] = (),
        *,
        older_than: timedelta | None = None,
        project: str = "",
        everything: bool = False,
        dry_run: bool = False,
    ) -> Removed:
        """Remove sessions for good: those that are named, or all that ended earlier, or of a project."""
        return self._writing(
            sessions.sessions.remove,
            which,
            older_than=older_than,
            project=project,
            everything=everything,
            dry_run=dry_run,
        )

    def hint(
        self,
        prompt: str,
        session: str = "",
        *,
        include_private: bool = False,
        frame: int = 0,
        cost: Callable[[Found], int] | None = None,
        others: Sequence[OtherVault] = (),
    ) -> builtins.list[Found]:
        """The memories that very likely answer a prompt, each once per session; `others` are asked too."""
        return self._reading(
            sessions.hint.hint, prompt, session, include_private=include_private, frame=frame, cost=cost, others=others
        )

    def hint_stats(self) -> HintStats:
        """How many hints were shown, and used."""
        return self._reading(sessions.hint.hint_stats)

    def note_used(self, ids: Iterable[Ref]) -> None:
        """Note that these memories were read, so a hint that showed one was useful."""
        from vault_mem.vault import hints

        hints.note_used(self.workspace.folder, names_of(ids))

    def stats(self) -> Stats:
        """Show what the vault holds and how it grows."""
        return self._reading(vaults.stats.stats)

    def rebuild_views(self) -> RebuildResult:
        """Regenerate the daily log and MEMORY.md from the memories."""
        return self._writing(vaults.views.rebuild)

    def import_(
        self,
        source: StrPath,
        format_: str = "auto",
        *,
        dry_run: bool = False,
        private: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import memories from a file, folder or archive; what was imported before is skipped."""
        return self._writing(
            vaults.import_.import_, path_of(source), format_, dry_run=dry_run, private=private, progress=progress
        )

    def import_sessions(
        self, source: StrPath, format_: str, *, dry_run: bool = False, progress: Progress | None = None
    ) -> SessionsReport:
        """Import an agent's own transcripts as sessions; one that got longer is extended."""
        return self._writing(
            sessions.import_sessions.import_sessions, path_of(source), format_, dry_run=dry_run, progress=progress
        )

    def export(
        self,
        out: StrPath,
        format_: str = "jsonl",
        filters: Filters | None = None,
        *,
        include_private: bool = False,
        force: bool = False,
    ) -> ExportReport:
        """Write memories to a file, or to a new vault; private ones only when asked for."""
        return self._reading(
            vaults.export.export,
            path_of(out),
            format_,
            self._chosen(filters),
            include_private=include_private,
            force=force,
        )

    def wake_up(self, budget: int | None = None, *, public_only: bool = False) -> WakeUp:
        """What to know when a session begins, in at most `budget` tokens of text (default: 1,500)."""
        from vault_mem.messages.agents_day import tokens_of, woke_up

        return self.wake_up_within(tokens_of(woke_up, self.workspace.folder.now()), budget, public_only=public_only)

    def wake_up_within(
        self,
        cost: Callable[[WakeUp], int],
        budget: int | None = None,
        *,
        public_only: bool = False,
        others: Sequence[OtherVault] = (),
    ) -> WakeUp:
        """The same; `cost` says how many tokens showing it takes, and `others` are vaults that answer too."""
        wanted = day.wake_up.DEFAULT_BUDGET if budget is None else budget
        return self._reading(day.wake_up.wake_up, budget=wanted, cost=cost, public_only=public_only, others=others)

    def introspect(self, budget: int | None = None, *, public_only: bool = False) -> Introspection:
        """What is worth thinking about, in at most `budget` tokens of text."""
        from vault_mem.messages.agents_day import introspected, tokens_of

        now = self.workspace.folder.now()
        return self.introspect_within(tokens_of(introspected, now), budget, public_only=public_only)

    def introspect_within(
        self, cost: Callable[[Introspection], int], budget: int | None = None, *, public_only: bool = False
    ) -> Introspection:
        """The same; `cost` says how many tokens showing it takes."""
        wanted = day.introspect.DEFAULT_BUDGET if budget is None else budget
        return self._reading(day.introspect.introspect, budget=wanted, cost=cost, public_only=public_only)

    def show_self(self) -> SelfResult:
        """What SELF.md says."""
        return self._reading(lambda workspace: day.update_self.show_self(workspace.folder))

    def update_self(
        self, fields: Mapping[str, str] | None = None, *, ask: Texts = (), resolve: Iterable[tuple[str, str]] = ()
    ) -> SelfResult:
        """Change SELF.md: set fields, ask questions, resolve them by number or words."""
        return self._writing(day.update_self.update_self, fields=fields, ask=texts_of(ask, "ask"), resolve=[*resolve])

    def emotion_trend(self, days: int | None = None, *, public_only: bool = False) -> EmotionTrend:
        """How the last week and month felt, or the last `days` days."""
        return self._reading(day.emotion_trend.emotion_trend, days, public_only=public_only)

    def status(self) -> Status:
        """What the vault holds and how fresh the index is."""
        return self._reading(vaults.status.status)

    def doctor(self, *, fix: bool = False) -> Diagnosis:
        """What is wrong with the vault, and how to fix it; `fix` does what is safe."""
        return (self._writing if fix else self._reading)(vaults.doctor.doctor, fix=fix)

    def reindex(self) -> SyncReport:
        """Rebuild the index from the files."""
        return self._reading(Workspace.rebuild)

    def settings(self) -> builtins.list[SettingView]:
        """Every setting with its value, where that comes from, and what it is for."""
        return self._reading(lambda workspace: vaults.configure.view(workspace.folder.root, workspace.folder.env))

    def set_setting(self, name: str, value: str | None, *, user: bool = False) -> Path:
        """Set a setting of the vault, or with `user` one of your own for all vaults; None resets it to the default.

        The value is text, as in `vault-mem config set`. Returns the file.
        """
        env = self.workspace.folder.env
        return self._writing(lambda _: vaults.configure.change(self.root, env, name, value, user=user))

    @staticmethod
    def evaluate(data: StrPath, *, env: Mapping[str, str] | None = None, progress: Progress | None = None) -> Report:
        """Measure recall on a data set of your own, in a temporary vault; see `vault-mem eval --help`."""
        entries = vaults.evaluate.read_data(path_of(data))
        return vaults.evaluate.evaluate(entries, os.environ if env is None else env, progress)

    @property
    def _zone(self) -> tzinfo:
        return self.workspace.folder.zone

    def _draft(self, given: str | Draft | Mapping[str, Any]) -> Draft:
        if isinstance(given, memory.drafts.Draft):
            return given
        fields: dict[str, Any] = (
            {"content": given} if isinstance(given, str) else dict(given) if isinstance(given, Mapping) else {}
        )
        unknown = [str(name) for name in fields if name not in ("content", "created", "metadata", *GIVEN)]
        if "content" not in fields or unknown:
            wrong = f"{unknown[0]!r} is not a field of a memory" if unknown else f"not a text, Draft or dict: {given!r}"
            raise InvalidInput(wrong, "a dict has content and fields that remember takes")
        return memory.drafts.Draft(**{name: self._value(name, value) for name, value in fields.items()})

    def _value(self, name: str, value: Any) -> Any:
        """A field's value as a draft has it."""
        form = Form.TIME if name == "created" else GIVEN[name].form if name in GIVEN else None
        match form:
            case Form.TEXTS:
                return texts_of(value, name)
            case Form.NAMES:
                return names_of(value)
            case Form.TIME:
                return self._moment(value, name)
        if name == "metadata":
            return {} if value is None else value
        return text_of(value) if isinstance(value, str) else value

    def _moment(self, value: When | None, name: str) -> datetime | None:
        """A time as it was given, in the vault's zone where it has none of its own."""
        from vault_mem.notes.parse import read_time

        if value is None:
            return None
        moment = read_time(value, self._zone) if isinstance(value, date | str) else None
        if moment is None and isinstance(value, str):
            now = self._reading(lambda workspace: workspace.folder.now())
            moment = memory.when.moment(value, now, ahead=name == "valid_to")
        if moment is None:
            raise InvalidInput(f"{name} must be a datetime, a date or an ISO 8601 text, not {value!r}")
        return moment

    def _chosen(
        self,
        filters: Filters | None,
        *,
        tags: Texts = (),
        people: Texts = (),
        episode: Ref | None = None,
        metadata: Metadata | None = None,
        closed: bool = False,
        **others: Any,
    ) -> Filters:
        """Filters as they were given, and with the keywords that were given beside them."""
        if not isinstance(filters, memory.filters.Filters | None):
            raise InvalidInput(f"filters must be a Filters object, not {filters!r}", "or give filters as keywords")
        given: dict[str, Any] = {name: value for name, value in others.items() if value is not None}
        given |= {name: self._moment(given[name], name) for name in ("since", "until", "as_of") if name in given}
        words = {"tags": texts_of(tags, "tags"), "people": texts_of(people, "people"), "metadata": metadata}
        given |= {name: value for name, value in words.items() if value}
        if "kind" in given:
            given["kind"] = text_of(given["kind"])
        if closed:
            given["closed"] = True
        if episode is not None:
            given["ids"] = [each.id for each in self.episode(episode).memories]
        chosen = replace(filters or memory.filters.Filters(), **given)
        given_people = texts_of(chosen.people, "people")  # type: ignore[arg-type]  # sets of names come later
        return replace(chosen, tags=texts_of(chosen.tags, "tags"), people=given_people).in_zone(self._zone)


def name_of(ref: Ref) -> str:
    """What an operation looks a memory up by."""
    if isinstance(ref, memory.results.Found):
        ref = ref.memory
    if isinstance(ref, Memory | Episode):
        return ref.id
    if isinstance(ref, os.PathLike):
        return os.fspath(ref)
    if not isinstance(ref, str):
        raise InvalidInput(f"a memory is named by its id, title, path or by a Memory, not by {ref!r}")
    return text_of(ref)


def names_of(refs: Iterable[Ref]) -> list[str]:
    """The same for several; one alone is one of them."""
    if isinstance(refs, str | os.PathLike | Memory | memory.results.Found):
        return [name_of(refs)]
    if not isinstance(refs, Iterable):
        raise InvalidInput(f"memories are named by a list of ids, titles, paths or Memory objects, not by {refs!r}")
    return [name_of(each) for each in refs]


def text_of(value: str) -> str:
    """A text as it is written: of an enum its value."""
    value = value.value if isinstance(value, Enum) else value
    return str.__str__(value) if isinstance(value, str) else value


def texts_of(values: Texts, name: str) -> list[str]:
    """Any number of texts as a list; one text is one of them."""
    if isinstance(values, str):
        return [text_of(values)]
    if not isinstance(values, Iterable) or isinstance(values, bytes | Mapping):
        raise InvalidInput(f"{name} must be a list of texts, not {values!r}")
    found = [text_of(each) for each in values]
    if not all(isinstance(each, str) for each in found):
        raise InvalidInput(f"{name} must be a list of texts, not {found!r}")
    return found


def path_of(path: StrPath) -> Path:
    """A path as it was given; ~ is the user's home."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InvalidInput(f"a path must be a text or a Path, not {path!r}")
    return expanded(path, os.environ).absolute()
