"""Every text an agent or a person reads, in one place; numbers and ids are put in by the surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from vault_mem.notes.excerpt import cut
from vault_mem.operations.memory.results import marks
from vault_mem.visible import quoted

if TYPE_CHECKING:
    from vault_mem.operations.memory.recall import RecallResult
    from vault_mem.operations.memory.remember import RememberResult
    from vault_mem.operations.memory.results import Found
    from vault_mem.operations.memory.similar import SimilarResult
    from vault_mem.operations.memory.why_not import WhyNot
    from vault_mem.operations.sessions.import_sessions import SessionsReport
    from vault_mem.operations.sessions.sessions import Listed, SessionHit
    from vault_mem.operations.upkeep.backup import BackupResult
    from vault_mem.operations.upkeep.consolidate import ConsolidationStats, MergeCandidate
    from vault_mem.operations.upkeep.edit_memory import EditResult
    from vault_mem.operations.upkeep.episodes import EpisodeChange, EpisodeResult
    from vault_mem.operations.upkeep.forget import ForgetResult
    from vault_mem.operations.upkeep.graph import Arc, Node, Overview, Picture
    from vault_mem.operations.upkeep.link import LinkResult, UnlinkResult
    from vault_mem.operations.upkeep.merge import MergeResult
    from vault_mem.operations.upkeep.private import PrivateResult
    from vault_mem.operations.upkeep.publish import PublishResult
    from vault_mem.operations.upkeep.purge import Purge
    from vault_mem.operations.upkeep.rename import RenameResult
    from vault_mem.operations.upkeep.undo import NextUndo, Operation, UndoResult
    from vault_mem.operations.vaults.evaluate import Report
    from vault_mem.operations.vaults.export import ExportReport
    from vault_mem.operations.vaults.import_ import ImportReport

DAYS_AS_AGE = 30

SCAFFOLD_CANDIDATES = (
    "Review each pair with recall. If one is redundant, use forget to remove it.\n"
    "If both have value, consider which perspective to keep."
)
SCAFFOLD_DUPLICATE = (
    "Is there truly something new here, or is this a repetition?\n"
    "If your understanding has deepened, try expressing what changed specifically."
)
SCAFFOLD_FORGOTTEN = (
    "This memory is gone. Was there anything worth preserving in a new form?\n"
    "If this was part of a merge, save the consolidated version with remember."
)
SCAFFOLD_SAVED = "Do any of these connections surprise you? Is there a pattern forming?"


def compose(data: str, scaffold: str) -> str:
    """Data, then the scaffold after a rule; data alone where there is none."""
    return f"{data}\n\n---\n{scaffold}" if scaffold else data


def age(moment: datetime, now: datetime) -> str:
    """Just now, 5m ago, 2h ago, 3d ago; from 30 days on the date, and so of a day that is to come."""
    seconds = (now - moment).total_seconds()
    if -86_400 < seconds < 60:
        return "just now"
    if 0 <= seconds < 3600:
        return f"{int(seconds // 60)}m ago"
    if 0 <= seconds < 86_400:
        return f"{int(seconds // 3600)}h ago"
    if 0 <= seconds < DAYS_AS_AGE * 86_400:
        return f"{int(seconds // 86_400)}d ago"
    return moment.astimezone(now.tzinfo).date().isoformat()


def remembered(result: RememberResult, now: datetime) -> tuple[str, str]:
    """What remember says, and its scaffold."""
    if result.duplicate_of is not None:
        return _not_saved(result.duplicate_of, now), SCAFFOLD_DUPLICATE
    if result.memory is None:
        raise ValueError("neither a memory nor a duplicate")
    if result.grown:
        said = f"Updated the {result.memory.kind} (id: {result.memory.id}). What it said before is kept."
        return said + _kept_by_hand(result.kept), ""
    lines = [f"Saved (id: {result.memory.id}). Linked to {result.links} existing memories."]
    if result.linked:
        lines.append("Most related:")
        for found in result.linked[:3]:
            snippet = quoted(cut(found.memory.content))
            lines.append(f"- [{age(found.memory.created, now)}] {snippet} (similarity: {found.similarity:.2f})")
    if result.changed is not None:
        existing = result.changed.memory
        lines.append(f"Differs from {existing.id} ({age(existing.created, now)}): {'; '.join(result.differs)}")
        if existing.id not in [each.memory.id for each in (*result.may_replace, *result.may_finish)]:
            lines.append(f"If it takes that one's place, repeat it with --supersedes {existing.id}")
    for found in result.may_finish:
        task = found.memory
        lines.append(f"May finish (id: {task.id}, {age(task.created, now)}): {quoted(cut(task.content))}")
        lines.append(f"If that is done: vault-mem done {task.id}")
    for found in result.may_replace:
        old = found.memory
        lines.append(f"May replace (id: {old.id}, {age(old.created, now)}): {quoted(cut(old.content))}")
    if result.may_replace:
        ids = " or ".join(each.memory.id for each in result.may_replace)
        lines.append(f"If it does, repeat it with --supersedes {ids}")
    lines += [f"Closed (id: {old.id}): {quoted(cut(old.content))}" for old in result.closed]
    return "\n".join(lines), SCAFFOLD_SAVED if result.linked else ""  # no connections, no question about them


def updated(result: EditResult) -> str:
    """What remember --update says."""
    said = f"Updated (id: {result.memory.id}). What it said before is kept in its history."
    return said + _kept_by_hand(result.kept)


def _kept_by_hand(kept: str) -> str:
    return f"\nAdded by hand, and still there: {quoted(cut(kept))}" if kept else ""


def ways_on(existing: str) -> list[str]:
    """The commands that save a refused text all the same."""
    again = "vault-mem remember --last-blocked"
    return [f"{again} --force", f"{again} --update {existing}", f"{again} --supersedes {existing}"]


def blocked_hints(existing: str) -> str:
    """The same in words."""
    force, update, supersede = ways_on(existing)
    return f"Save it anyway: {force}\nReplace the existing text: {update}\nClose the existing one: {supersede}"


def _where(found: Found) -> str:
    return f", vault: {found.vault}" if found.vault else ""


def _not_saved(existing: Found, now: datetime) -> str:
    memory = existing.memory
    return (
        "Not saved — very similar memory already exists.\n"
        f"Existing (id: {memory.id}, {age(memory.created, now)}{_where(existing)}): {quoted(cut(memory.content))}\n"
        f"Similarity: {existing.similarity:.2f}\n"
        "If this is a meaningful update, use recall to review the existing memory "
        "and consider whether the new perspective adds value."
    )


def forgot(result: ForgetResult, now: datetime) -> tuple[str, str]:
    """What forget says, and its scaffold."""
    memory = result.memory
    lines = [
        f"Forgot (id: {memory.id}, {age(memory.created, now)}): {quoted(cut(memory.content))}",
        f"Emotion: {memory.emotion} | Importance: {memory.importance}",
    ]
    return "\n".join(lines), SCAFFOLD_FORGOTTEN


def made_private(result: PrivateResult) -> str:
    """What private says; nothing of what the memory says."""
    lines = [f"Private (id: {result.memory.id}): {result.memory.path}"]
    if result.links:
        lines.append(f"{result.links} link(s) of public notes to it are kept on its side now.")
    if result.episodes:
        lines.append(f"Private with it: {', '.join(result.episodes)}")
    if result.scrubbed:
        lines.append(f"Plain text now in: {', '.join(result.scrubbed)}")
    return "\n".join(lines)


def published(result: PublishResult) -> str:
    """What publish says."""
    lines = [f"Public (id: {result.memory.id}): {result.memory.path}"]
    if result.links:
        lines.append(f"{result.links} link(s) to private memories are kept on their side now.")
    return "\n".join(lines)


def backed_up(result: BackupResult) -> str:
    """What backup says."""
    return (
        f"Backed up {result.files} files ({result.private} private), {result.bytes / 1e6:.1f} MB: {result.file}\n"
        "It is not encrypted: whoever can read it reads the private memories too."
    )


def restored_backup(result: BackupResult) -> str:
    """What backup --restore says."""
    return (
        f"Restored {result.files} files ({result.private} private), as of {result.made}: {result.folder}\n"
        f"See that all is well: vault-mem --vault {result.folder} doctor"
    )


def checked_backup(result: BackupResult) -> str:
    """What backup --check says."""
    if not result.wrong:
        return f"Sound: {result.files} files ({result.private} private), made {result.made}"
    more = [f"and {len(result.wrong) - 20} more"] if len(result.wrong) > 20 else []
    return "\n".join([f"Damaged: {result.file}", *(f"- {each}" for each in result.wrong[:20]), *more])


def linked(result: LinkResult) -> str:
    """What link says."""
    score = f" {result.confidence:.2f}" if result.confidence is not None else ""
    said = f"{result.a.id} -> {result.b.id} ({result.type}{score})"
    if result.status == "already":
        return f"Already linked: {said}. Another --type changes it."
    return f"{'Changed' if result.status == 'changed' else 'Linked'}: {said}. Written in {result.path}."


def unlinked(result: UnlinkResult) -> str:
    """What unlink says."""
    return f"Unlinked: {result.a.id} and {result.b.id}. Changed: {', '.join(result.files)}."


def graph_around(picture: Picture) -> str:
    """What graph says of one memory: a line for each link, nearest first."""
    nodes = {node.id: node for node in picture.nodes}
    lines = [_named(nodes[picture.centre])]
    lines += [
        f"{'  ' * (nodes[arc.source].depth + 1)}{_arc(arc)} {_named(nodes[arc.target])}"
        + ("" if arc.source == picture.centre else f" from {arc.source}")
        for arc in picture.arcs
    ]
    others = len(nodes) - 1
    lines.append(f"{others} memor{'y' if others == 1 else 'ies'}, {len(picture.arcs)} link(s).")
    return "\n".join(lines)


def graph_overview(shape: Overview) -> str:
    """What graph says of the whole vault."""
    kinds = ", ".join(f"{count} {type_}" for type_, count in shape.types.items())
    lines = [f"{shape.memories} memories, {shape.links} link(s){f' ({kinds})' if kinds else ''}."]
    lines += _section("Clusters", shape.cluster_count, [f"{each.size}: {_named(each.hub)}" for each in shape.clusters])
    lines += _section("Hubs", len(shape.hubs), [f"{links} links: {_named(node)}" for node, links in shape.hubs])
    lines += _section(
        "Bridges",
        shape.bridge_count,
        [
            f"{shape.titles[each.arc.source]} ({each.arc.source}) {_arc(each.arc)} "
            f"{shape.titles[each.arc.target]} ({each.arc.target}), alone holds {each.smaller}"
            for each in shape.bridges
        ],
    )
    lines += _section("Orphans", shape.orphan_count, [_named(node) for node in shape.orphans])
    lines += _section(
        "Dangling links", shape.dangling_count, [f"[[{target}]] in {_named(node)}" for node, target in shape.dangling]
    )
    return "\n".join(lines)


def _section(title: str, count: int, lines: list[str]) -> list[str]:
    rest = [f"- and {count - len(lines)} more"] if count > len(lines) else []
    return ["", f"{title}: {count or 'none'}", *(f"- {line}" for line in lines), *rest]


def _named(node: Node) -> str:
    return f"{node.title} ({node.id}{', private' if node.private else ''}{', episode' if node.episode else ''})"


def _arc(arc: Arc) -> str:
    score = f" {arc.confidence:.2f}" if arc.confidence is not None else ""
    return f"-[{arc.type}{score}]->"


def episode(result: EpisodeResult, now: datetime) -> str:
    """What episode show says."""
    found = result.episode
    lines = [
        f"{quoted(found.title)} (id: {found.id}, private: {'true' if found.private else 'false'})",
        f"{_span(result, now.tzinfo)} | Importance: {found.importance}",
        *([quoted(found.summary)] if found.summary else []),
        "",
        f"{len(result.memories)} memor{'y' if len(result.memories) == 1 else 'ies'}:",
    ]
    for number, memory in enumerate(result.memories, start=1):
        day = memory.created.astimezone(now.tzinfo).date().isoformat()
        private = "true" if memory.private else "false"
        lines.append(f"{number}. [{day}] {quoted(cut(memory.content))} (id: {memory.id}, private: {private})")
    if result.missing:
        lines.append(f"Note: {result.missing} memory(ies) no longer exist.")
    return "\n".join(lines)


def episode_line(result: EpisodeResult, zone: tzinfo) -> str:
    """An episode in a list."""
    found = result.episode
    mark = " (private)" if found.private else ""
    return f"{found.id}  {_span(result, zone)}  {quoted(cut(found.title, 70))}  {len(result.memories)} memories{mark}"


def episode_changed(status: str, change: EpisodeChange) -> str:
    """What a change to an episode says."""
    found = change.result.episode
    count = len(change.changed)
    said = {
        "created": f"Created (id: {found.id}) with {count} memory(ies): {found.path}",
        "added": f"Added {count} memory(ies) to {found.id}.",
        "removed": f"Removed {count} memory(ies) from {found.id}.",
    }
    lines = [said[status]] if count else []
    lines += [f"Already in it: {id_}" for id_ in change.unchanged]
    if change.hidden:
        lines.append(f"It is private now: {found.path}")
    return "\n".join(lines)


def _span(result: EpisodeResult, zone: tzinfo | None) -> str:
    found = result.episode
    days = [day.astimezone(zone).date().isoformat() for day in (found.start, found.end) if day]
    return " to ".join(dict.fromkeys(days)) or found.created.astimezone(zone).date().isoformat()


def consolidated(stats: ConsolidationStats) -> tuple[str, str]:
    """What consolidate says, and its scaffold where there are pairs to look at."""
    summary = (
        f"Consolidation complete. Replayed {stats.replay_events} events, "
        f"updated {stats.coactivation_updates} co-activations, created {stats.link_updates} links, "
        f"refreshed {stats.refreshed_memories} memories."
    )
    lines = [summary]
    if stats.merge_candidates:
        lines.append(f"\nFound {len(stats.merge_candidates)} near-duplicate pair(s):")
    for pair in stats.merge_candidates:
        lines += _pair(pair, "A", "B")
    if stats.supersede_candidates:
        lines.append(f"\nFound {len(stats.supersede_candidates)} changed fact(s):")
    for change in stats.supersede_candidates:
        lines += [*_pair(change, "New", "Old"), f"  Differs: {'; '.join(change.differs)}"]
    if stats.supersede_candidates:
        lines.append("If the new one takes the old one's place, close the old one: vault-mem close ID")
    return "\n".join(lines), SCAFFOLD_CANDIDATES if stats.merge_candidates else ""


def _pair(pair: MergeCandidate, newer: str, older: str) -> list[str]:
    return [
        f"- {pair.memory_a_id} <-> {pair.memory_b_id} (similarity: {1 - pair.distance:.2f})",
        f"  {newer}: {quoted(' '.join(pair.snippet_a.splitlines()))}",
        f"  {older}: {quoted(' '.join(pair.snippet_b.splitlines()))}",
    ]


def merged(result: MergeResult) -> str:
    """What merge says."""
    memory = result.memory
    said = f"Merged {result.removed.id} into (id: {memory.id}): {quoted(cut(memory.content))}"
    return f"{said}\n{_in_trash(result.removed.id)}"


def _in_trash(id_: str) -> str:
    return f"{id_} is in the trash; undo takes the merge back, restore {id_} brings that memory back beside this one."


def edited(result: EditResult) -> str:
    """What edit says."""
    if not result.changed:
        return f"Nothing to change (id: {result.memory.id})."
    return f"Edited (id: {result.memory.id}). What it said before is kept in its history." + _kept_by_hand(result.kept)


def tagged(result: EditResult) -> str:
    """What tag says."""
    return f"Tags (id: {result.memory.id}): {', '.join(result.memory.tags) or 'none'}"


def would_purge(found: Purge, now: datetime) -> str:
    """What a purge would take, for the person who is asked."""
    memory = found.memory
    lines = [f"{memory.title} (id: {memory.id}, {age(memory.created, now)}) would be gone for good, with"]
    if found.references:
        lines.append(f"  the links to it in {', '.join(found.references[:5])}" + _and_more(found.references, 5))
    lines.append(f"  {found.revisions} revision(s), and the undo of every operation that names it")
    return "\n".join(lines)


def touched(one: Operation) -> str:
    """What an operation was about: its memories by title and id, else its files."""
    if not one.titles:
        return " ".join(one.ids[:2]) or _files(one.files)
    names = [f"{quoted(cut(title, 60))} ({id_})" for id_, title in one.titles.items()][:2]
    return ", ".join(names) + _and_more(one.ids, len(names))


def undone(result: UndoResult) -> str:
    """What undo says."""
    titles = f": {_titles(result.titles)}" if result.titles else ""
    return (
        f"Undone: {result.command} ({result.undone}), {_files(result.files)}{titles}\n"
        f"Do it again: vault-mem undo {result.op.split('-')[0]}"
    )


def _titles(titles: Mapping[str, str]) -> str:
    return ", ".join(quoted(cut(title, 60)) for title in titles.values())


def _files(files: list[str]) -> str:
    return f"{len(files)} file{'' if len(files) == 1 else 's'}"


def would_undo(found: NextUndo) -> str:
    """What an undo would take back."""
    one = found.operation
    files = f"{', '.join(one.files[:3])}{_and_more(one.files, 3)}"
    named = f" ({_titles(one.titles)})" if one.titles else ""
    said = f"{one.command} ({one.op}, {one.at:%Y-%m-%d %H:%M}) would be taken back: {files}{named}"
    if found.since is None:
        return said
    return f"{found.since.command} ({found.since.op}) cannot be undone.\nBefore it, {said}"


def _and_more(items: list[str], shown: int) -> str:
    return f" and {len(items) - shown} more" if len(items) > shown else ""


def renamed(result: RenameResult) -> str:
    """What rename says."""
    if not result.op:
        return f"Nothing to change (id: {result.memory.id}): {result.memory.path}"
    links = f", links in {len(result.references)} file(s) with it" if result.references else ""
    return f"Renamed (id: {result.memory.id}): {result.memory.path}{links}"


def recalled(result: RecallResult, now: datetime, *, explain: bool = False) -> str:
    """What recall says."""
    lines = [recalled_line(number, found, now, explain) for number, found in enumerate(result.results, start=1)]
    count = len(lines)
    if result.left_out:
        lines.append(left_out(result.left_out))
    if result.sessions:
        lines += ["Said in sessions (no memories):", *map(said_line, result.sessions)]
    if not count:
        return "\n".join(["No related memories.", *lines] if result.sessions else lines) or "No related memories."
    if not result.answered:
        return "\n".join(["Nothing closely related; the nearest:", *lines])
    return "\n".join([f"{count} related memor{'y' if count == 1 else 'ies'}:", *lines])


def similar(result: SimilarResult, now: datetime) -> str:
    """What similar says."""
    lines = []
    for number, found in enumerate(result.results, start=1):
        memory = found.memory
        day = memory.created.astimezone(now.tzinfo).date().isoformat()
        private = "true" if memory.private else "false"
        told = f"id: {memory.id}, similarity: {found.similarity:.2f}, private: {private}"
        lines.append(f"{number}. [{day}] {quoted(cut(found.passage or memory.content))} ({told})")
    return "\n".join([f"Most like {result.note}:", *lines]) if lines else f"Nothing is like {result.note}."


def said_line(hit: SessionHit) -> str:
    """A turn of a session that may answer, marked as what it is."""
    return f"- [{hit.at}] {hit.agent}, {hit.role}: {quoted(' '.join(hit.text.split()))} ({hit.key}:{hit.line})"


def session_line(each: Listed, now: datetime) -> str:
    """A session in a list."""
    head = each.head
    ended = head.ended or head.started or now
    where = f", {head.project}" if head.project else ""
    full = ", cut at its size" if head.full else ""
    turns = counted(head.turns, "turn")
    return f"{each.key} ({head.agent}{where}, {turns}{full}, {age(ended, now)}): {each.title}"


def counted(count: int, word: str) -> str:
    """1 turn, 2 turns."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def left_out(count: int) -> str:
    """How many had no room in the budget."""
    return f"{count} more left out (budget)"


def recalled_line(number: int, found: Found, now: datetime, explain: bool = False) -> str:
    """One result, by the part that answers; the terms of its score come below it."""
    memory = found.memory
    day = memory.created.astimezone(now.tzinfo).date().isoformat()
    text = " ".join(line for line in (found.passage or memory.content).splitlines() if line.strip())
    private = "true" if memory.private else "false"
    told = [f"id: {memory.id}", f"emotion: {memory.emotion}", f"private: {private}"]
    told += marks(memory, now, now.tzinfo, found.superseded_by)
    told += [f"maybe replaced by: {found.replaced_by}"] if found.replaced_by else []
    told += [f"conflict copies: {len(found.copies)}"] if found.copies else []
    told += [f"a copy of: {found.copy_of}"] if found.copy_of else []
    told += [f"vault: {found.vault}"] if found.vault else []
    line = f"{number}. [{day}] {quoted(text)} ({', '.join(told)})"
    return f"{line}\n   {explained(found.score, found.terms)}" if explain else line


def explained(score: float, terms: Mapping[str, float]) -> str:
    """A score as the sum it is."""
    if not terms:
        return f"score {score:.4f}"
    parts = [f"{'-' if value < 0 else '+'} {stage} {abs(value):.4f}" for stage, value in terms.items()]
    return f"score {score:.4f} = " + " ".join(parts).removeprefix("+ ")


def why_not(result: WhyNot) -> str:
    """What why-not says."""
    head = "Shown" if result.stage == "shown" else f"Dropped by {result.stage}"
    lines = [f"{head} (id: {result.memory.id}): {result.reason}."]
    if result.score is not None:
        lines.append(explained(result.score, result.terms))
    if result.needed is not None:
        lines.append(f"the last one shown has {result.needed:.4f}")
    return "\n".join(lines)


def evaluated(report: Report) -> str:
    """What eval says: a table, a line for each way of searching."""
    counts = report.as_json()
    lines = [
        f"{counts['questions']} questions, {report.memories} memories, {report.entries} vault(s)",
        "",
        f"{'':<16}" + "".join(f"{name:>8}" for name in ("R@1", "R@5", "R@10", "R@20", "MRR")) + f"{'ms/query':>11}",
    ]
    for way in report.answers:
        figures = report.figures(way)
        shares = "".join(f"{value:>8.3f}" for name, value in figures.items() if name != "ms")
        lines.append(f"{way:<16}{shares}{figures['ms']:>11.1f}")
    return "\n".join(lines)


def imported_sessions(report: SessionsReport) -> str:
    """What import says of sessions."""
    did = "Would keep" if report.dry_run else "Kept"
    rest = [
        f"{len(report.grown)} grown" if report.grown else "",
        f"{report.same} with nothing new" if report.same else "",
        f"{len(report.refused)} refused" if report.refused else "",
    ]
    said = ", ".join([counted(report.turns, "turn"), *(part for part in rest if part)])
    return f"{did} {counted(len(report.new), 'new session')} ({report.format}): {said}."


def import_stopped(report: ImportReport) -> str:
    """What an interrupted import says."""
    came = len(report.imported)
    if not came:
        return "Stopped: nothing came in."
    ways = "Run the same command to go on, or `vault-mem undo` to take them back."
    return f"Stopped: {came} of {report.total} came in. {ways}"


def imported(report: ImportReport) -> str:
    """What import says first."""
    count = len(report.imported)
    did = "Would import" if report.dry_run else "Imported"
    rest = [
        f"{len(report.grown)} grown" if report.grown else "",
        f"{len(report.skipped)} already here" if report.skipped else "",
        f"{len(report.duplicates)} duplicate(s)" if report.duplicates else "",
        f"{len(report.refused)} refused" if report.refused else "",
        f"{report.links} link(s) made" if report.links else "",
    ]
    said = ", ".join(part for part in rest if part)
    return f"{did} {count} memor{'y' if count == 1 else 'ies'} ({report.format}){': ' + said if said else ''}."


def exported(report: ExportReport) -> str:
    """What export says."""
    lines = [f"Exported {report.memories} memor{'y' if report.memories == 1 else 'ies'} to {report.out}."]
    if report.episodes:
        lines.append(f"{report.episodes} episode(s) are in it too.")
    if report.private_left_out:
        lines.append(f"{report.private_left_out} private left out; --include-private takes them along.")
    if report.closed_left_out:
        lines.append(f"{report.closed_left_out} closed left out; --closed takes them along.")
    if report.left_links:
        lines.append(f"{len(report.left_links)} link(s) lead to what was left out:")
        lines += [f"- {each}" for each in report.left_links]
    if report.unread:
        lines.append(f"{len(report.unread)} file(s) could not be copied:")
        lines += [f"- {each}" for each in report.unread]
    return "\n".join(lines)
