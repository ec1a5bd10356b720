"""Episodes: memories that belong together, as one story with a summary (SPEC W-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vault_mem.errors import Ambiguous, EditRefused, InvalidInput, NotFound
from vault_mem.index.filters import Filters
from vault_mem.index.known import EPISODE
from vault_mem.index.links import Names
from vault_mem.model import Episode, Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.episode import episode_text, read_episode
from vault_mem.notes.links import nameable, read_link
from vault_mem.notes.parse import title_of, written_list
from vault_mem.notes.references import Reference, references, rewritten
from vault_mem.notes.write import file_name
from vault_mem.operations.changing import changes, commit, freshen_to_change, new_id, read_to_edit
from vault_mem.operations.memory.results import writable
from vault_mem.operations.upkeep.backlinks import referrers
from vault_mem.operations.upkeep.link import require_memory
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, Results, as_record
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import read

# A summary is read at a glance; anything longer belongs in the note's text, or in a memory.
MAX_SUMMARY = 2000


@dataclass(frozen=True)
class EpisodeResult(Result):
    """An episode with those of its memories that still exist, and the number of those that do not."""

    episode: Episode
    memories: list[Memory]
    missing: int = 0
    stale: bool = False
    pending: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return self.told() | as_record(self, "episode", "missing")

    def told(self) -> dict[str, Any]:
        """The episode as JSON, with only the ids of its memories."""
        members = [memory.id for memory in self.memories]
        return as_record(self.episode, members=members, missing=self.missing)


@dataclass(frozen=True)
class EpisodeChange(Result):
    """What a change to an episode did: members added or removed, members it already had, files that still name it."""

    result: EpisodeResult
    changed: list[str]
    unchanged: list[str] = field(default_factory=list)
    hidden: bool = False
    left: list[str] = field(default_factory=list)
    op: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, "result", status="changed" if self.changed else "already", episode=self.result.told())


@dataclass(frozen=True)
class EpisodeList(Results[EpisodeResult], items="episodes"):
    """Episodes, latest first."""

    episodes: list[EpisodeResult]
    stale: bool = False
    pending: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, episodes=[each.told() for each in self.episodes])


@changes
def create(
    workspace: Workspace,
    ids: Sequence[str],
    summary: str,
    *,
    title: str = "",
    importance: int | None = None,
    private: bool = False,
) -> EpisodeChange:
    """Save an episode of these memories; it is private if one of them is (SPEC P-6)."""
    summary, title = (" ".join(writable(text, "the text").split()) for text in (summary, title))
    if not summary or len(summary) > MAX_SUMMARY:
        raise InvalidInput(f"an episode has a summary of 1 to {MAX_SUMMARY} characters, not {len(summary)}")
    if not ids:
        raise InvalidInput("an episode has at least one memory", "name it with --memory ID")
    if importance is not None and importance not in range(1, 6):
        raise InvalidInput(f"importance must be from 1 to 5, not {importance}")
    memories = sorted(_memories(workspace, ids), key=lambda memory: memory.created)  # of the same time: as given
    folder = workspace.folder
    names = workspace.names
    episode = Episode(
        id=new_id(workspace, "ep_"),
        title=title or title_of(summary),
        summary=summary,
        created=folder.now().replace(microsecond=0),
        members=[_name(names, memory) for memory in memories],
        start=memories[0].created,
        end=memories[-1].created,
        importance=importance or max(memory.importance for memory in memories),
        private=private or any(memory.private for memory in memories),
    )
    episode.content = f"# {episode.title}"
    settings = folder.settings
    parent = settings.private_folder if episode.private else settings.episodes_folder
    episode.path = f"{parent}/{file_name(episode)}"
    transaction = Transaction(folder, "episode create", ids=[episode.id, *(memory.id for memory in memories)])
    transaction.create(episode.path, episode_text(episode, folder.zone).encode())
    op = commit(workspace, transaction)
    return EpisodeChange(_result(workspace, episode), [memory.id for memory in memories], op=op)


def show(workspace: Workspace, id_: str) -> EpisodeResult:
    """One episode, with ids that no longer exist filtered out; its file is not touched."""
    freshness = workspace.freshen()
    found = workspace.reading(lambda: _result(workspace, _find(workspace, id_)))
    return replace(found, stale=freshness.stale, pending=freshness.pending)


def list_episodes(workspace: Workspace) -> EpisodeList:
    """All episodes, latest first."""
    freshness = workspace.freshen()
    notes = workspace.reading(lambda: workspace.index.memories(types=(EPISODE,)))
    found = _results(workspace, [episode for note in notes if (episode := _read(workspace, note)) is not None])
    found.sort(key=lambda each: (each.episode.end or each.episode.created, each.episode.id), reverse=True)
    return EpisodeList(found, freshness.stale, freshness.pending)


@changes
def add(workspace: Workspace, episode_id: str, ids: Sequence[str]) -> EpisodeChange:
    """Add memories to an episode; a private one makes it private (SPEC P-6)."""
    memories = _memories(workspace, ids)
    episode, raw = _to_change(workspace, episode_id)
    present = _result(workspace, episode).memories
    inside = {memory.id for memory in present}
    new = [memory for memory in memories if memory.id not in inside]
    transaction = Transaction(workspace.folder, "episode add", ids=[episode.id, *(memory.id for memory in new)])
    left: list[str] = []
    hidden = not episode.private and any(memory.private for memory in new)
    if new:
        names = workspace.names
        items = [*written_list(raw, "members"), *(f"[[{_name(names, memory)}]]" for memory in new)]
        after = edit(raw, {"members": items} | _span(workspace.folder, [*present, *new]))
        if hidden:
            left = plan_hide(transaction, episode, raw, after, names)
        else:
            transaction.write(episode.path, raw, after)
        if transaction.steps:
            commit(workspace, transaction)
    unchanged = [memory.id for memory in memories if memory.id in inside]
    result = _result(workspace, _find(workspace, episode.id))
    return EpisodeChange(result, [memory.id for memory in new], unchanged, hidden, left, transaction.op)


@changes
def remove(workspace: Workspace, episode_id: str, ids: Sequence[str]) -> EpisodeChange:
    """Remove memories from an episode, even ones that no longer exist. A private episode stays private."""
    episode, raw = _to_change(workspace, episode_id)
    items = written_list(raw, "members")
    out = {id_: _items_of(workspace, items, id_) for id_ in ids}
    absent = [id_ for id_, found in out.items() if not found]
    if absent:
        raise NotFound(f"Not in {episode.id}: {', '.join(absent)}", f"`vault-mem episode show {episode.id}`")
    gone = {item for found in out.values() for item in found}
    kept = [item for item in items if item not in gone]
    remaining = _result(workspace, replace(episode, members=_targets(kept))).memories
    wanted: dict[str, Any] = {"members": kept} | (_span(workspace.folder, remaining) if remaining else {})
    transaction = Transaction(workspace.folder, "episode remove", ids=[episode.id, *ids])
    transaction.write(episode.path, raw, edit(raw, wanted))
    if transaction.steps:
        commit(workspace, transaction)
    return EpisodeChange(_result(workspace, _find(workspace, episode.id)), list(ids), op=transaction.op)


def plan_hide(transaction: Transaction, episode: Episode, before: bytes, after: bytes, names: Names) -> list[str]:
    """Move a public episode into the private folder. Returns the files whose text still names it.

    Links in the front matter of public notes are removed, and those in private notes get the new name (SPEC P-3, P-6).
    """
    folder = transaction.folder
    key = f"{folder.settings.private_folder}/{file_name(replace(episode, private=True))}"
    means = names.meaning(episode.path)
    left = []
    for other, raw in referrers(folder, names, episode.path):
        if other == episode.path:
            continue
        name = episode.id if folder.is_private(other) else ""

        def new_reference(reference: Reference, source: str = other, name: str = name) -> Reference | str | None:
            if not means(reference.target, source):
                return reference
            return reference.to(name) if name else None if reference.key == "links" else reference

        try:
            seen = rewritten(raw, new_reference) if folder.is_note(other) else raw
        except EditRefused:
            seen = raw
        transaction.write(other, raw, seen)
        if not name and any(means(each.target, other) for each in references(seen, other)):
            left.append(other)
    transaction.remove(episode.path, before)
    transaction.create(key, edit(after, {"private": True}))
    if folder.tree.exists(".git"):
        transaction.notices.append(f"git may still hold {episode.path} and what it said")
    return left


def _memories(workspace: Workspace, ids: Sequence[str]) -> list[Memory]:
    freshen_to_change(workspace)
    found = [require_memory(workspace.folder, workspace.index.get(id_)) for id_ in ids]
    return list({memory.id: memory for memory in found}.values())


def _name(names: Names, memory: Memory) -> str:
    name = names.of(memory.path)
    if not nameable(name):
        raise InvalidInput(f"no link can name {memory.path}", "rename the file: without # ^ | [ ]")
    return name


def _span(folder: Folder, memories: Sequence[Memory]) -> dict[str, Any]:
    """The `start` and `end` of an episode with these memories."""
    times = [memory.created.astimezone(folder.zone) for memory in memories]
    return {"start": min(times), "end": max(times)}


def _find(workspace: Workspace, id_: str) -> Episode:
    try:
        note = _named(workspace, id_.strip())
    except NotFound as error:
        hint = "give more of the id" if isinstance(error, Ambiguous) else "`vault-mem episode list` lists them"
        raise NotFound(error.message.replace("Memory not found", "Episode not found"), hint) from error
    episodes = workspace.folder.settings.episodes_folder + "/"
    episode = _read(workspace, note) if note.id.startswith("ep_") or note.path.startswith(episodes) else None
    if episode is None:
        raise NotFound(f"Episode not found: {id_}", "`vault-mem episode list` lists them")
    return episode


def _named(workspace: Workspace, wanted: str) -> Memory:
    """An episode's note, by the digits of its id or by anything that names a memory."""
    try:
        return workspace.index.get(wanted if wanted.lower().startswith(("mem_", "ep_")) else f"ep_{wanted}")
    except Ambiguous:
        raise
    except NotFound:
        return workspace.index.get(wanted)


def _read(workspace: Workspace, note: Memory) -> Episode | None:
    """An episode as its file is now."""
    folder = workspace.folder
    raw = read(folder, note.path)
    if raw is None:
        return None
    return read_episode(raw, note.path, folder.zone, private=folder.is_private(note.path), id_=note.id)


def _to_change(workspace: Workspace, id_: str) -> tuple[Episode, bytes]:
    freshen_to_change(workspace)
    episode = _find(workspace, id_)
    return episode, read_to_edit(workspace, workspace.index.get(episode.id))


def _result(workspace: Workspace, episode: Episode) -> EpisodeResult:
    return _results(workspace, [episode])[0]


def _results(workspace: Workspace, episodes: Sequence[Episode]) -> list[EpisodeResult]:
    """Episodes with those of their members that exist in the vault."""
    graph = workspace.graph
    meant = [[graph.resolve(target, episode.path) for target in episode.members] for episode in episodes]
    ids = {id_ for each in meant for id_ in each if id_ is not None}
    found = workspace.index.memories(Filters(ids=sorted(ids), closed=True)) if ids else []
    by_id = {memory.id: memory for memory in found}
    return [
        EpisodeResult(
            episode,
            [by_id[id_] for id_ in dict.fromkeys(each) if id_ in by_id],
            sum(id_ not in by_id for id_ in each),
        )
        for episode, each in zip(episodes, meant, strict=True)
    ]


def _items_of(workspace: Workspace, items: Sequence[str], id_: str) -> list[str]:
    """The member links that mean an id; for a memory that is gone, those whose name ends in the id or its digits."""
    graph, targets = workspace.graph, _targets(items)
    try:
        wanted = workspace.index.get(id_).id
    except NotFound:
        wanted = id_ if id_.startswith("mem_") else f"mem_{id_}"
        named = (wanted, f"-{wanted.removeprefix('mem_')[:8]}")
        gone = [graph.resolve(target) is None and target.endswith(named) for target in targets]
        return [item for item, is_gone in zip(items, gone, strict=True) if is_gone]
    return [item for item, target in zip(items, targets, strict=True) if graph.resolve(target) == wanted]


def _targets(items: Sequence[str]) -> list[str]:
    return [link.target if (link := read_link(item)) else "" for item in items]
