"""`AsyncVault`: the methods of `Vault` for asyncio, written by docs/generate_async.py from theirs."""

# ruff: noqa: A002 - parameters are named as those of Vault
from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from vault_mem.library import DEFAULT_RESULTS
from vault_mem.python.running import Running, in_thread
from vault_mem.python.vault import Vault
from vault_mem.types import (
    Answer,
    BackupResult,
    Beside,
    Candidates,
    Comparison,
    ConsolidationStats,
    Counts,
    Diagnosis,
    Draft,
    EditResult,
    EmotionTrend,
    EpisodeChange,
    EpisodeList,
    EpisodeResult,
    ExportReport,
    Filters,
    ForgetResult,
    Found,
    HintStats,
    HistoryResult,
    ImportReport,
    InitResult,
    Introspection,
    Kind,
    LinkResult,
    LinkType,
    Listed,
    ListResult,
    MergeResult,
    Metadata,
    MetaValue,
    NextUndo,
    Operation,
    Overview,
    Picture,
    PlanResult,
    PrivateResult,
    Progress,
    Proposal,
    PublishResult,
    Purge,
    RebuildResult,
    RecallResult,
    Ref,
    RememberedMany,
    RememberResult,
    Removed,
    RenameResult,
    Report,
    Request,
    RestoreResult,
    Said,
    Scope,
    SelfResult,
    SessionsReport,
    SettingView,
    ShowResult,
    SideBySide,
    SimilarResult,
    Stats,
    Status,
    StrPath,
    SyncReport,
    Texts,
    TidyReport,
    Trashed,
    UndoResult,
    UnlinkResult,
    WakeUp,
    When,
    WhyNot,
)


class AsyncVault(Running):
    """A vault for asyncio: the methods of `Vault`, each to be awaited; the event loop goes on meanwhile.

    A task that is cancelled leaves nothing half done: a call that has not begun never begins, and one that has is
    waited for. `async with AsyncVault(…) as vault:` watches the files as `with Vault(…)` does, and closes them.
    """

    async def settle(self) -> None:
        """Do what waits for quiet: new ids, links after a rename, private moves, views, ticked proposals, tidy.

        No other call does any of it: an answer writes nothing. Leaving `with Vault(…)` does it too.
        """
        await self._run(self.vault.settle)

    @staticmethod
    async def init(
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
        return await in_thread(
            Vault.init,
            path,
            env=env,
            adopt=adopt,
            adopt_ids=adopt_ids,
            memories_folder=memories_folder,
            private_folder=private_folder,
            episodes_folder=episodes_folder,
            timezone=timezone,
            obsidian=obsidian,
            git=git,
            nested=nested,
            include=include,
        )

    async def remember(
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
        return await self._run(
            self.vault.remember,
            content,
            importance=importance,
            private=private,
            category=category,
            kind=kind,
            tags=tags,
            people=people,
            emotion=emotion,
            secondary=secondary,
            intensity=intensity,
            valence=valence,
            arousal=arousal,
            body_state=body_state,
            about_time=about_time,
            valid_from=valid_from,
            valid_to=valid_to,
            status=status,
            supersedes=supersedes,
            confidence=confidence,
            salience=salience,
            source=source,
            scope=scope,
            sources=sources,
            created=created,
            metadata=metadata,
            force=force,
            dedup_threshold=dedup_threshold,
            link_threshold=link_threshold,
            max_links=max_links,
            allow_secret=allow_secret,
            replace_all=replace_all,
        )

    async def remember_many(
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
        return await self._run(self.vault.remember_many, memories, force=force, progress=progress)

    async def update(
        self, id_: Ref, content: str, reason: str = "", *, replace_all: bool = False, allow_secret: bool = False
    ) -> EditResult:
        """Replace what was written into a memory; what a person added to it stays, unless `replace_all`.

        What it said before is kept as a revision.
        """
        return await self._run(
            self.vault.update, id_, content, reason, replace_all=replace_all, allow_secret=allow_secret
        )

    async def edit(
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
        return await self._run(
            self.vault.edit,
            id_,
            content,
            fields,
            reason,
            metadata=metadata,
            allow_secret=allow_secret,
            keep_added=keep_added,
        )

    async def tag(self, id_: Ref, add: Texts = (), remove: Texts = ()) -> EditResult:
        """Add tags to a memory and remove others."""
        return await self._run(self.vault.tag, id_, add, remove)

    async def rename(self, id_: Ref, name: str, *, exact: bool = False, update_links: bool = False) -> RenameResult:
        """Rename a memory's file and update links to it; the name keeps the first digits of the id unless `exact`.

        `update_links` changes the links in your own notes, canvases and bases as well.
        """
        return await self._run(self.vault.rename, id_, name, exact=exact, update_links=update_links)

    async def consolidate(
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
        return await self._run(
            self.vault.consolidate,
            whole=whole,
            window=window,
            window_hours=window_hours,
            max_replay_events=max_replay_events,
            merge_threshold=merge_threshold,
            limit=limit,
            progress=progress,
        )

    async def merge(
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
        return await self._run(
            self.vault.merge, keep, remove, content, reason, allow_secret=allow_secret, update_links=update_links
        )

    async def recall(
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
        return await self._run(
            self.vault.recall,
            query,
            n,
            filters,
            budget=budget,
            min_relevance=min_relevance,
            category=category,
            kind=kind,
            tags=tags,
            people=people,
            emotion=emotion,
            importance=importance,
            since=since,
            until=until,
            private=private,
            closed=closed,
            as_of=as_of,
            episode=episode,
            metadata=metadata,
        )

    async def ask(
        self,
        request: Request,
        cost: Callable[[Found], int] | None = None,
        others: Sequence[Beside] = (),
        name: str = "",
    ) -> RecallResult:
        """Recall as a surface does it: `cost` says how many tokens showing a result takes, `request.frame` the rest.

        Where `others` answer, too, each result says from which vault it is; this one goes by `name`.
        """
        return await self._run(self.vault.ask, request, cost, others, name)

    async def trusted_ids(self, least: str) -> set[str]:
        """The memories whose source has that trust: owner, agent, captured, imported, or none."""
        return await self._run(self.vault.trusted_ids, least)

    async def show_in(self, others: Sequence[Beside], id_: str, name: str = "") -> ShowResult:
        """One memory of this vault, or of the others."""
        return await self._run(self.vault.show_in, others, id_, name)

    async def search_all(
        self, query: str, n: int, filters: Filters, others: Sequence[Beside], name: str = ""
    ) -> RecallResult:
        """Find the memories that have the words of a query, in this vault and others."""
        return await self._run(self.vault.search_all, query, n, filters, others, name)

    async def search(
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
        return await self._run(
            self.vault.search,
            query,
            n,
            filters,
            category=category,
            kind=kind,
            tags=tags,
            people=people,
            emotion=emotion,
            importance=importance,
            since=since,
            until=until,
            private=private,
            closed=closed,
            as_of=as_of,
            episode=episode,
            metadata=metadata,
        )

    async def why_not(
        self,
        id_: Ref,
        query: str,
        n: int = DEFAULT_RESULTS,
        filters: Filters | None = None,
        *,
        budget: int | None = None,
    ) -> WhyNot:
        """At which stage a recall drops a memory, or at which rank it shows it."""
        return await self._run(self.vault.why_not, id_, query, n, filters, budget=budget)

    async def ask_why_not(self, id_: Ref, request: Request, cost: Callable[[Found], int] | None = None) -> WhyNot:
        """The same for a request, as `ask` makes it."""
        return await self._run(self.vault.ask_why_not, id_, request, cost)

    async def similar(self, note: Ref, n: int = DEFAULT_RESULTS) -> SimilarResult:
        """The memories and included notes most like any note of the vault, searched or not."""
        return await self._run(self.vault.similar, note, n)

    async def compare(self, a: Ref, b: Ref) -> Comparison:
        """How two texts or memories relate, and what `remember` would do with the second."""
        return await self._run(self.vault.compare, a, b)

    async def show(self, id_: Ref) -> ShowResult:
        """One memory with its links."""
        return await self._run(self.vault.show, id_)

    async def list(
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
        return await self._run(
            self.vault.list,
            filters,
            n,
            category=category,
            kind=kind,
            tags=tags,
            people=people,
            emotion=emotion,
            importance=importance,
            since=since,
            until=until,
            private=private,
            closed=closed,
            as_of=as_of,
            episode=episode,
            metadata=metadata,
        )

    async def tags(self, *, closed: bool = False) -> Counts:
        """The tags of the vault and how many memories have each, most frequent first."""
        return await self._run(self.vault.tags, closed=closed)

    async def people(self, *, closed: bool = False) -> Counts:
        """The people of the vault and how many memories are about each, most frequent first."""
        return await self._run(self.vault.people, closed=closed)

    async def list_due(self, filters: Filters | None = None, n: int | None = None) -> ListResult:
        """Open tasks with a due date, earliest first."""
        return await self._run(self.vault.list_due, filters, n)

    async def forget(
        self, id_: Ref, reason: str = "", *, purge: bool = False, sure: bool = False, update_links: bool = False
    ) -> ForgetResult:
        """Move a memory to the trash and remove references to it, with `update_links` in your own notes too.

        `purge` deletes it for good, and needs the full id unless you are `sure`.
        """
        return await self._run(self.vault.forget, id_, reason, purge=purge, sure=sure, update_links=update_links)

    async def look_at_purge(self, id_: Ref) -> Purge:
        """What `forget(id_, purge=True)` would delete; nothing is changed."""
        return await self._run(self.vault.look_at_purge, id_)

    async def restore(self, id_: Ref) -> RestoreResult:
        """Bring a forgotten memory back; also the files in which a reference could not be put back."""
        return await self._run(self.vault.restore, id_)

    async def trash(self) -> builtins.list[Trashed]:
        """The memories that `restore` can bring back, last forgotten first."""
        return await self._run(self.vault.trash)

    async def private(self, id_: Ref, *, scrub: bool = False) -> PrivateResult:
        """Move a memory into the private folder; `scrub` turns what names it in other texts into plain text."""
        return await self._run(self.vault.private, id_, scrub=scrub)

    async def publish(self, id_: Ref, *, scrub: bool = False, allow_secret: bool = False) -> PublishResult:
        """Move a memory out of the private folder."""
        return await self._run(self.vault.publish, id_, scrub=scrub, allow_secret=allow_secret)

    async def backup(self, file: StrPath, *, force: bool = False) -> BackupResult:
        """Write the whole vault, private memories too, into one archive."""
        return await self._run(self.vault.backup, file, force=force)

    @staticmethod
    async def check_backup(file: StrPath) -> BackupResult:
        """Read an archive that `backup` wrote, and say what is wrong with it."""
        return await in_thread(Vault.check_backup, file)

    @staticmethod
    async def restore_backup(file: StrPath, folder: StrPath) -> BackupResult:
        """Unpack an archive that `backup` wrote into a new or empty folder, as a vault."""
        return await in_thread(Vault.restore_backup, file, folder)

    async def link(self, a: Ref, b: Ref, type: LinkType | str | None = None, reason: str = "") -> LinkResult:
        """Link two memories; `type` says what b is to a, and changes a link that they have."""
        return await self._run(self.vault.link, a, b, type, reason)

    async def unlink(self, a: Ref, b: Ref, *, body: bool = False, reason: str = "") -> UnlinkResult:
        """Remove the link between two memories; one in a text becomes plain text with `body`."""
        return await self._run(self.vault.unlink, a, b, body=body, reason=reason)

    async def graph(self, id_: Ref | None = None, depth: int = 1, *, public_only: bool = False) -> Picture:
        """The memories around one, or all that have links, and the links between them."""
        return await self._run(self.vault.graph, id_, depth, public_only=public_only)

    async def graph_overview(self, *, public_only: bool = False) -> Overview:
        """Clusters, hubs, bridges, orphans and dangling links of the whole vault."""
        return await self._run(self.vault.graph_overview, public_only=public_only)

    async def create_episode(
        self, ids: Iterable[Ref], summary: str, *, title: str = "", importance: int | None = None, private: bool = False
    ) -> EpisodeChange:
        """Save memories that belong together as an episode; private if one of them is."""
        return await self._run(
            self.vault.create_episode, ids, summary, title=title, importance=importance, private=private
        )

    async def episode(self, id_: Ref) -> EpisodeResult:
        """One episode with those of its memories that exist."""
        return await self._run(self.vault.episode, id_)

    async def episodes(self) -> EpisodeList:
        """All episodes, latest first."""
        return await self._run(self.vault.episodes)

    async def add_to_episode(self, id_: Ref, ids: Iterable[Ref]) -> EpisodeChange:
        """Add memories to an episode."""
        return await self._run(self.vault.add_to_episode, id_, ids)

    async def remove_from_episode(self, id_: Ref, ids: Iterable[Ref]) -> EpisodeChange:
        """Remove memories from an episode."""
        return await self._run(self.vault.remove_from_episode, id_, ids)

    async def undo(self, op: str | None = None, *, sure: bool = False) -> UndoResult:
        """Take back the last operation, or a named one.

        If a later operation cannot be undone, this one is taken back only if you are `sure`.
        """
        return await self._run(self.vault.undo, op, sure=sure)

    async def look_at_undo(self) -> NextUndo:
        """What `undo()` would take back; nothing is changed."""
        return await self._run(self.vault.look_at_undo)

    async def history(self, id_: Ref) -> HistoryResult:
        """What happened to a memory."""
        return await self._run(self.vault.history, id_)

    async def operations(self, n: int = 20) -> builtins.list[Operation]:
        """The latest operations, newest first."""
        return await self._run(self.vault.operations, n)

    async def close(self, id_: Ref, reason: str = "", at: When | None = None) -> EditResult:
        """Mark a memory as no longer true; it is kept."""
        return await self._run(self.vault.close, id_, reason, at)

    async def done(self, id_: Ref, reason: str = "", at: When | None = None) -> EditResult:
        """Mark a task as done, now or at a given time."""
        return await self._run(self.vault.done, id_, reason, at)

    async def reopen(self, id_: Ref, reason: str = "") -> EditResult:
        """Reopen a closed memory."""
        return await self._run(self.vault.reopen, id_, reason)

    async def confirm(self, id_: Ref, reason: str = "") -> EditResult:
        """Confirm that a memory is still true."""
        return await self._run(self.vault.confirm, id_, reason)

    async def tidy(self, *, dry_run: bool = False) -> TidyReport:
        """Close exact duplicates among the states."""
        return await self._run(self.vault.tidy, dry_run=dry_run)

    async def tidy_candidates(
        self, *, kind: Kind | str | None = None, budget: int = 6000, public_only: bool = False
    ) -> Candidates:
        """Clusters of similar states of one kind, and the token to put into a plan made from them."""
        return await self._run(self.vault.tidy_candidates, kind=kind, budget=budget, public_only=public_only)

    async def tidy_log(self, n: int = 20) -> builtins.list[dict[str, Any]]:
        """The latest runs of tidy, newest first: counts and ids."""
        return await self._run(self.vault.tidy_log, n)

    async def tidy_apply(self, plan: str, *, dry_run: bool = False) -> PlanResult:
        """Check a TidyPlan as a whole, and apply it completely or not at all."""
        return await self._run(self.vault.tidy_apply, plan, dry_run=dry_run)

    async def summary_candidates(self, *, budget: int = 6000, public_only: bool = False) -> builtins.list[Scope]:
        """Scopes that need a summary, and what it would cover."""
        return await self._run(self.vault.summary_candidates, budget=budget, public_only=public_only)

    async def review(self) -> builtins.list[Proposal]:
        """The proposals that wait for an answer."""
        return await self._run(self.vault.review)

    async def review_versions(self) -> builtins.list[SideBySide]:
        """Conflict copies of memories that a sync service kept, beside the original: only a person can choose."""
        return await self._run(self.vault.review_versions)

    async def review_answer(self, which: str, *, accept: bool) -> Answer:
        """Carry out a proposal, or refuse it for good."""
        return await self._run(self.vault.review_answer, which, accept=accept)

    async def said_around(self, proposal: Proposal) -> builtins.list[Said]:
        """What was said around the words that a proposal would save; nothing for another proposal."""
        return await self._run(self.vault.said_around, proposal)

    async def capture(self, told: bytes, agent: str = "") -> None:
        """Keep what was said in a session, from what its agent's hook was told."""
        await self._run(self.vault.capture, told, agent)

    async def sessions(self, project: str = "", agent: str = "", n: int | None = None) -> builtins.list[Listed]:
        """The captured sessions, latest first."""
        return await self._run(self.vault.sessions, project, agent, n)

    async def session(self, which: str) -> tuple[Listed, str]:
        """One session with everything that was said in it."""
        return await self._run(self.vault.session, which)

    async def remove_sessions(
        self,
        which: Iterable[str] = (),
        *,
        older_than: timedelta | None = None,
        project: str = "",
        everything: bool = False,
        dry_run: bool = False,
    ) -> Removed:
        """Remove sessions for good: those that are named, or all that ended earlier, or of a project."""
        return await self._run(
            self.vault.remove_sessions,
            which,
            older_than=older_than,
            project=project,
            everything=everything,
            dry_run=dry_run,
        )

    async def hint(
        self,
        prompt: str,
        session: str = "",
        *,
        include_private: bool = False,
        frame: int = 0,
        cost: Callable[[Found], int] | None = None,
        others: Sequence[Beside] = (),
    ) -> builtins.list[Found]:
        """The memories that very likely answer a prompt, each once per session; `others` are asked too."""
        return await self._run(
            self.vault.hint, prompt, session, include_private=include_private, frame=frame, cost=cost, others=others
        )

    async def hint_stats(self) -> HintStats:
        """How many hints were shown, and used."""
        return await self._run(self.vault.hint_stats)

    async def note_used(self, ids: Iterable[Ref]) -> None:
        """Note that these memories were read, so a hint that showed one was useful."""
        await self._run(self.vault.note_used, ids)

    async def stats(self) -> Stats:
        """Show what the vault holds and how it grows."""
        return await self._run(self.vault.stats)

    async def rebuild_views(self) -> RebuildResult:
        """Regenerate the daily log and MEMORY.md from the memories."""
        return await self._run(self.vault.rebuild_views)

    async def import_(
        self,
        source: StrPath,
        format_: str = "auto",
        *,
        dry_run: bool = False,
        private: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import memories from a file, folder or archive; what was imported before is skipped."""
        return await self._run(self.vault.import_, source, format_, dry_run=dry_run, private=private, progress=progress)

    async def import_sessions(
        self, source: StrPath, format_: str, *, dry_run: bool = False, progress: Progress | None = None
    ) -> SessionsReport:
        """Import an agent's own transcripts as sessions; one that got longer is extended."""
        return await self._run(self.vault.import_sessions, source, format_, dry_run=dry_run, progress=progress)

    async def export(
        self,
        out: StrPath,
        format_: str = "jsonl",
        filters: Filters | None = None,
        *,
        include_private: bool = False,
        force: bool = False,
    ) -> ExportReport:
        """Write memories to a file, or to a new vault; private ones only when asked for."""
        return await self._run(self.vault.export, out, format_, filters, include_private=include_private, force=force)

    async def wake_up(self, budget: int | None = None, *, public_only: bool = False) -> WakeUp:
        """What to know when a session begins, in at most `budget` tokens of text (default: 1,500)."""
        return await self._run(self.vault.wake_up, budget, public_only=public_only)

    async def wake_up_within(
        self,
        cost: Callable[[WakeUp], int],
        budget: int | None = None,
        *,
        public_only: bool = False,
        others: Sequence[Beside] = (),
    ) -> WakeUp:
        """The same; `cost` says how many tokens showing it takes, and `others` are vaults that answer too."""
        return await self._run(self.vault.wake_up_within, cost, budget, public_only=public_only, others=others)

    async def introspect(self, budget: int | None = None, *, public_only: bool = False) -> Introspection:
        """What is worth thinking about, in at most `budget` tokens of text."""
        return await self._run(self.vault.introspect, budget, public_only=public_only)

    async def introspect_within(
        self, cost: Callable[[Introspection], int], budget: int | None = None, *, public_only: bool = False
    ) -> Introspection:
        """The same; `cost` says how many tokens showing it takes."""
        return await self._run(self.vault.introspect_within, cost, budget, public_only=public_only)

    async def show_self(self) -> SelfResult:
        """What SELF.md says."""
        return await self._run(self.vault.show_self)

    async def update_self(
        self, fields: Mapping[str, str] | None = None, *, ask: Texts = (), resolve: Iterable[tuple[str, str]] = ()
    ) -> SelfResult:
        """Change SELF.md: set fields, ask questions, resolve them by number or words."""
        return await self._run(self.vault.update_self, fields, ask=ask, resolve=resolve)

    async def emotion_trend(self, days: int | None = None, *, public_only: bool = False) -> EmotionTrend:
        """How the last week and month felt, or the last `days` days."""
        return await self._run(self.vault.emotion_trend, days, public_only=public_only)

    async def status(self) -> Status:
        """What the vault holds and how fresh the index is."""
        return await self._run(self.vault.status)

    async def doctor(self, *, fix: bool = False) -> Diagnosis:
        """What is wrong with the vault, and how to fix it; `fix` does what is safe."""
        return await self._run(self.vault.doctor, fix=fix)

    async def reindex(self) -> SyncReport:
        """Rebuild the index from the files."""
        return await self._run(self.vault.reindex)

    async def settings(self) -> builtins.list[SettingView]:
        """Every setting with its value, where that comes from, and what it is for."""
        return await self._run(self.vault.settings)

    async def set_setting(self, name: str, value: str | None, *, user: bool = False) -> Path:
        """Set a setting of the vault, or with `user` one of your own for all vaults; None resets it to the default.

        The value is text, as in `vault-mem config set`. Returns the file.
        """
        return await self._run(self.vault.set_setting, name, value, user=user)

    @staticmethod
    async def evaluate(
        data: StrPath, *, env: Mapping[str, str] | None = None, progress: Progress | None = None
    ) -> Report:
        """Measure recall on a data set of your own, in a temporary vault; see `vault-mem eval --help`."""
        return await in_thread(Vault.evaluate, data, env=env, progress=progress)
