"""What the commands that keep a vault clean say: edit, link, episode, merge, tidy, review, forget, undo, private."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

from vault_mem.messages import scaffolds
from vault_mem.messages.save_and_find import kept_by_hand
from vault_mem.messages.words import age, and_more, counted, day, flag, minute, size
from vault_mem.notes.excerpt import cut
from vault_mem.visible import quoted

if TYPE_CHECKING:
    from vault_mem import types
    from vault_mem.operations.upkeep.consolidate import MergeCandidate
    from vault_mem.operations.upkeep.graph import GraphLink, GraphNode

RESTORED = "Restored (id: {id}): {path}"
TWO_VERSIONS = "Two versions of one memory: {original} | {copy}"
MAKE_A_PLAN = "write a plan (vault-mem tidy schema) and give it to: vault-mem tidy apply -"
WRITE_A_SUMMARY = "vault-mem remember - --kind summary --scope SCOPE --of ID …"
NOT_PURGED = "Nothing was purged."
NOT_UNDONE = "Nothing was undone."
NO_EPISODES = "No episodes."
NOTHING_TO_REVIEW = "Nothing to review."
KEEP_ONE = "  Keep what is right in the first, and delete the second."
REVIEW_KEYS = "[y] accept  [n] reject  [s] skip  [q] quit"
WHICH_TAGS = "Which tags? Give +TAG to add one, -TAG to remove one."
WHICH_FORGOTTEN = "Give the ID of a forgotten memory, or --list."
_ANSWERS = {"applied": "Done", "rejected": "Rejected", "stale": "Not done: a memory has changed since"}


def changed(what: str, result: types.EditResult) -> str:
    """What close, reopen, confirm and done say."""
    return f"{what} (id: {result.memory.id}): {cut(result.memory.content)}"


def forgot(result: types.ForgetResult, now: datetime) -> tuple[str, str]:
    """What forget says, and its scaffold."""
    memory = result.memory
    lines = [
        f"Forgot (id: {memory.id}, {age(memory.created, now)}): {quoted(cut(memory.content))}",
        f"Emotion: {memory.emotion} | Importance: {memory.importance}",
    ]
    return "\n".join(lines), scaffolds.FORGOTTEN


def would_purge(found: types.Purge, now: datetime) -> str:
    """What a purge would delete, for the person who has to confirm it."""
    memory = found.memory
    lines = [f"{memory.title} (id: {memory.id}, {age(memory.created, now)}) would be deleted for good, with"]
    if found.references:
        lines.append(f"  the links to it in {', '.join(found.references[:5])}{and_more(found.references, 5)}")
    lines.append(f"  {counted(found.revisions, 'revision')}, and the undo of every operation that names it")
    return "\n".join(lines)


def trash(found: Sequence[types.Trashed]) -> str:
    """What restore --list says."""
    lines = []
    for each in found:
        reason = f"  ({cut(each.reason, 60)})" if each.reason else ""
        lines.append(f"{each.id}  {minute(each.at)}  {cut(each.title or each.key, 70)}{reason}")
    return "\n".join(lines) or "The trash is empty."


def made_private(result: types.PrivateResult) -> str:
    """What private says; it does not quote the memory."""
    lines = [f"Private (id: {result.memory.id}): {result.memory.path}"]
    if result.links:
        lines.append(f"{counted(result.links, 'link')} from public notes moved into the private note.")
    if result.episodes:
        lines.append(f"Also private now: {', '.join(result.episodes)}")
    if result.scrubbed:
        lines.append(f"Turned into plain text in: {', '.join(result.scrubbed)}")
    return "\n".join(lines)


def published(result: types.PublishResult) -> str:
    """What publish says."""
    lines = [f"Public (id: {result.memory.id}): {result.memory.path}"]
    if result.links:
        lines.append(f"{counted(result.links, 'link')} to private memories moved into those notes.")
    return "\n".join(lines)


def backed_up(result: types.BackupResult) -> str:
    """What backup says."""
    return (
        f"Backed up {counted(result.files, 'file')} ({result.private} private), {size(result.bytes)}: {result.file}\n"
        "It is not encrypted: anyone who can read the file can read the private memories."
    )


def restored_backup(result: types.BackupResult) -> str:
    """What backup --restore says."""
    return (
        f"Restored {counted(result.files, 'file')} ({result.private} private), as of {result.made}: {result.folder}\n"
        f"Check it: vault-mem --vault {result.folder} doctor"
    )


def checked_backup(result: types.BackupResult) -> str:
    """What backup --check says."""
    if not result.wrong:
        return f"Complete: {counted(result.files, 'file')} ({result.private} private), made {result.made}"
    more = [f"and {len(result.wrong) - 20} more"] if len(result.wrong) > 20 else []
    return "\n".join([f"Damaged: {result.file}", *(f"- {each}" for each in result.wrong[:20]), *more])


def linked(result: types.LinkResult) -> str:
    """What link says."""
    score = f" {result.confidence:.2f}" if result.confidence is not None else ""
    said = f"{result.a.id} -> {result.b.id} ({result.type}{score})"
    if result.status == "already":
        return f"Already linked: {said}. To change it, give another --type."
    return f"{'Changed' if result.status == 'changed' else 'Linked'}: {said}. Written in {result.path}."


def unlinked(result: types.UnlinkResult) -> str:
    """What unlink says."""
    return f"Unlinked: {result.a.id} and {result.b.id}. Changed: {', '.join(result.files)}."


def graph_around(picture: types.GraphResult) -> str:
    """What graph says of one memory: a line for each link, nearest first."""
    nodes = {node.id: node for node in picture.nodes}
    lines = [_named(nodes[picture.centre])]
    lines += [
        f"{'  ' * (nodes[arc.source].depth + 1)}{_arc(arc)} {_named(nodes[arc.target])}"
        + ("" if arc.source == picture.centre else f" from {arc.source}")
        for arc in picture.arcs
    ]
    lines.append(f"{counted(len(nodes) - 1, 'memory')}, {counted(len(picture.arcs), 'link')}.")
    return "\n".join(lines)


def graph_overview(shape: types.GraphOverview) -> str:
    """What graph says of the whole vault."""
    kinds = ", ".join(f"{count} {type_}" for type_, count in shape.types.items())
    lines = [
        f"{counted(shape.memories, 'memory')}, {counted(shape.links, 'link')}{f' ({kinds})' if kinds else ''}.",
        *_section("Clusters", shape.cluster_count, [f"{each.size}: {_named(each.hub)}" for each in shape.clusters]),
        *_section("Hubs", len(shape.hubs), [f"{counted(links, 'link')}: {_named(node)}" for node, links in shape.hubs]),
        *_section(
            "Bridges",
            shape.bridge_count,
            [
                f"{shape.titles[each.arc.source]} ({each.arc.source}) {_arc(each.arc)} "
                f"{shape.titles[each.arc.target]} ({each.arc.target}), "
                f"the only link to {counted(each.smaller, 'memory')}"
                for each in shape.bridges
            ],
        ),
        *_section("Orphans", shape.orphan_count, [_named(node) for node in shape.orphans]),
        *_section(
            "Dangling links",
            shape.dangling_count,
            [f"[[{target}]] in {_named(node)}" for node, target in shape.dangling],
        ),
    ]
    return "\n".join(lines)


def _section(title: str, count: int, lines: list[str]) -> list[str]:
    rest = [f"- and {count - len(lines)} more"] if count > len(lines) else []
    return ["", f"{title}: {count or 'none'}", *(f"- {line}" for line in lines), *rest]


def _named(node: GraphNode) -> str:
    return f"{node.title} ({node.id}{', private' if node.private else ''}{', episode' if node.episode else ''})"


def _arc(arc: GraphLink) -> str:
    score = f" {arc.confidence:.2f}" if arc.confidence is not None else ""
    return f"-[{arc.type}{score}]->"


def episode(result: types.EpisodeResult, now: datetime) -> str:
    """What episode show says."""
    found = result.episode
    lines = [
        f"{quoted(found.title)} (id: {found.id}, private: {flag(found.private)})",
        f"{_span(result, now.tzinfo)} | Importance: {found.importance}",
        *([quoted(found.summary)] if found.summary else []),
        "",
        f"{counted(len(result.memories), 'memory')}:",
    ]
    for number, memory in enumerate(result.memories, start=1):
        facts = f"id: {memory.id}, private: {flag(memory.private)}"
        lines.append(f"{number}. [{day(memory.created, now.tzinfo)}] {quoted(cut(memory.content))} ({facts})")
    if result.missing:
        lines.append(f"Note: {result.missing} memory(ies) no longer exist.")
    return "\n".join(lines)


def episode_line(result: types.EpisodeResult, zone: tzinfo) -> str:
    """An episode in a list."""
    found = result.episode
    mark = " (private)" if found.private else ""
    size = counted(len(result.memories), "memory")
    return f"{found.id}  {_span(result, zone)}  {quoted(cut(found.title, 70))}  {size}{mark}"


def episode_changed(status: str, change: types.EpisodeChange) -> str:
    """What a change to an episode says."""
    found = change.result.episode
    count = counted(len(change.changed), "memory")
    said = {
        "created": f"Created (id: {found.id}) with {count}: {found.path}",
        "added": f"Added {count} to {found.id}.",
        "removed": f"Removed {count} from {found.id}.",
    }
    lines = [said[status]] if change.changed else []
    lines += [f"Already in it: {id_}" for id_ in change.unchanged]
    if change.hidden:
        lines.append(f"It is private now: {found.path}")
    return "\n".join(lines)


def _span(result: types.EpisodeResult, zone: tzinfo | None) -> str:
    found = result.episode
    days = [day(each, zone) for each in (found.start, found.end) if each]
    return " to ".join(dict.fromkeys(days)) or day(found.created, zone)


def consolidated(stats: types.ConsolidationStats) -> tuple[str, str]:
    """What consolidate says, and its scaffold if there are pairs to look at."""
    head = (
        f"Consolidation complete. Replayed {stats.replay_events} events, "
        f"updated {stats.coactivation_updates} co-activations, created {stats.link_updates} links, "
        f"refreshed {stats.refreshed_memories} memories."
    )
    lines = [head]
    if stats.merge_candidates:
        lines.append(f"\nFound {len(stats.merge_candidates)} near-duplicate pair(s):")
    for pair in stats.merge_candidates:
        lines += _pair(pair, "A", "B")
    if stats.supersede_candidates:
        lines.append(f"\nFound {len(stats.supersede_candidates)} changed fact(s):")
    for change in stats.supersede_candidates:
        lines += [*_pair(change, "New", "Old"), f"  Differs: {'; '.join(change.differs)}"]
    if stats.supersede_candidates:
        lines.append("If the new one replaces the old one, close the old one: vault-mem close ID")
    return "\n".join(lines), scaffolds.CANDIDATES if stats.merge_candidates else ""


def _pair(pair: MergeCandidate, newer: str, older: str) -> list[str]:
    return [
        f"- {pair.memory_a_id} <-> {pair.memory_b_id} (similarity: {1 - pair.distance:.2f})",
        f"  {newer}: {quoted(' '.join(pair.snippet_a.splitlines()))}",
        f"  {older}: {quoted(' '.join(pair.snippet_b.splitlines()))}",
    ]


def merged(result: types.MergeResult) -> str:
    """What merge says."""
    memory, gone = result.memory, result.removed.id
    return (
        f"Merged {gone} into (id: {memory.id}): {quoted(cut(memory.content))}\n"
        f"{gone} is in the trash. To take the merge back: vault-mem undo. To have both: vault-mem restore {gone}"
    )


def edited(result: types.EditResult) -> str:
    """What edit says."""
    if not result.changed:
        return f"Nothing to change (id: {result.memory.id})."
    return f"Edited (id: {result.memory.id}). The earlier text is kept in its history." + kept_by_hand(result.kept)


def tagged(result: types.EditResult) -> str:
    """What tag says."""
    return f"Tags (id: {result.memory.id}): {', '.join(result.memory.tags) or 'none'}"


def renamed(result: types.RenameResult) -> str:
    """What rename says."""
    if not result.op:
        return f"Nothing to change (id: {result.memory.id}): {result.memory.path}"
    links = f", and the links in {counted(len(result.references), 'file')}" if result.references else ""
    return f"Renamed (id: {result.memory.id}): {result.memory.path}{links}"


def operations(found: Sequence[types.Operation]) -> str:
    """What history says of the vault."""
    lines = []
    for each in found:
        mark = "  (undone)" if each.undone else "  (automatic)" if each.unasked else ""
        lines.append(f"{each.op.split('-')[0]}  {minute(each.at)}  {each.command:<16} {_touched(each)}{mark}")
    return "\n".join(lines) or "No operations yet."


def _touched(one: types.Operation) -> str:
    """What an operation was about: its memories by title and id, or else the number of its files."""
    if not one.titles:
        return " ".join(one.ids[:2]) or counted(len(one.files), "file")
    names = [f"{quoted(cut(title, 60))} ({id_})" for id_, title in one.titles.items()][:2]
    return ", ".join(names) + and_more(one.ids, len(names))


def history(result: types.HistoryResult, zone: tzinfo) -> str:
    """What history says of one memory."""
    lines = [f"{quoted(result.memory.title)} (id: {result.id})"] if result.memory else []
    lines += [f"{minute(result.created, zone)}  created"] if result.created else []
    for each in result.revisions:
        lines.append(f"{minute(each.at, zone)}  {each.command}{f': {each.reason}' if each.reason else ''}")
        lines += [f"    {quoted(line)}" for line in _changes(each)]
    return "\n".join(lines if result.memory else [*lines, "It is no longer in the vault."])


def _changes(revision: types.Revision) -> list[str]:
    if revision.before is None or revision.after is None:
        return []
    lines = difflib.unified_diff(revision.before.splitlines(), revision.after.splitlines(), lineterm="", n=0)
    return [line for line in lines if line[:1] in "+-" and not line.startswith(("+++", "---"))]


def undone(result: types.UndoResult) -> str:
    """What undo says."""
    titles = f": {_titles(result.titles)}" if result.titles else ""
    return (
        f"Undone: {result.command} ({result.undone}), {counted(len(result.files), 'file')}{titles}\n"
        f"To redo it: vault-mem undo {result.op.split('-')[0]}"
    )


def _titles(titles: Mapping[str, str]) -> str:
    return ", ".join(quoted(cut(title, 60)) for title in titles.values())


def would_undo(found: types.NextUndo) -> str:
    """What an undo would take back."""
    one = found.operation
    files = f"{', '.join(one.files[:3])}{and_more(one.files, 3)}"
    named = f" ({_titles(one.titles)})" if one.titles else ""
    said = f"{one.command} ({one.op}, {minute(one.at)}) would be taken back: {files}{named}"
    if found.since is None:
        return said
    return f"{found.since.command} ({found.since.op}) cannot be undone.\nBefore it, {said}"


def answered(answer: types.Answer) -> str:
    """What accepting or rejecting a proposal says."""
    saved = f" ({answer.note or 'saved'}, id: {answer.memory_id})" if answer.memory_id else ""
    return f"{_ANSWERS[answer.outcome]}: {answer.proposal.readable}{saved}"


def tidied(report: types.TidyReport) -> str:
    """What tidy says."""
    kinds = _kinds(report.states)
    closed = f"{len(report.duplicates)} would be closed" if report.dry_run else f"{report.closed} closed"
    lines = [f"States: {kinds}. Exact duplicates: {closed}. {report.seconds:.1f} s"]
    lines += [f"- {each.id} ({each.kind}) says the same as {each.keep}" for each in report.duplicates]
    return "\n".join(lines)


def tidy_log(runs: Sequence[Mapping[str, Any]]) -> str:
    """What tidy log says."""
    lines = [
        f"{each['at'][:16].replace('T', ' ')}  states: {_kinds(each['states'])}; closed {each['closed']}, "
        f"merged {each['merged']}, summaries {each['summaries']}, {each['seconds']:.1f} s"
        for each in runs
    ]
    return "\n".join(lines) or "tidy has not run yet."


def _kinds(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(states.items())) or "none"


def candidates(found: types.TidyCandidates) -> str:
    """What tidy candidates says."""
    lines = []
    for cluster in found.clusters:
        shared = ", ".join([*cluster.shared_tags, *cluster.shared_people])
        lines.append(f"{cluster.kind}, similarity {cluster.similarity:.2f}" + (f", {shared}" if shared else ""))
        lines += [f"- {memory.id}  {memory.created:%Y-%m-%d}  {quoted(memory.content)}" for memory in cluster.states]
        lines += [f"  {newer} repeats {older}" for newer, older in cluster.repetitions]
        lines += [f"  {each.newer} changes {each.older}: {'; '.join(each.differs)}" for each in cluster.changes]
    return "\n".join([*lines, f"{counted(len(found.clusters), 'cluster')} among {found.states} states."])


def scopes(found: Sequence[types.Scope]) -> str:
    """What tidy candidates --summaries says."""
    lines = [f"{each.scope}: {each.reason}" + (f" ({each.summary.id})" if each.summary else "") for each in found]
    return "\n".join(lines) or "No scope needs a summary yet."


def planned(result: types.PlanResult, *, dry_run: bool) -> str:
    """What tidy apply says."""
    did = "Would create" if dry_run else "Created"
    closed = counted(len(result.closed), "state")
    return f"{did} {len(result.created)}, updated {len(result.updated)}, closed {closed}."
