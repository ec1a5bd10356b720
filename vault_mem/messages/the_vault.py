"""What the commands about the vault as a whole say: init, status, doctor, stats, daemon, import, export, eval."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_mem.messages.words import counted, flag, minute, size

if TYPE_CHECKING:
    from vault_mem import types
    from vault_mem.store.ledger import StoreStatus
    from vault_mem.vault.git import GitState

WOULD_MAKE = "{root} already has files, which stay as they are. init would add: {added}"
OTHER_VERSION = "the daemon runs version {running}, this command is {ours}"
SERVING = "Serving {root}, and other vaults on request. Press Ctrl-C to stop."
DONE_BEFORE = "Done: {command} (operation {op})."
NOT_CREATED = "No vault was created."
NOT_RUNNING = "Not running."
NO_DAEMON = "No daemon is running."
_SHOWN_PROBLEMS = 20
_SHOWN_NAMES = 12


def made(result: types.InitResult, *, has_default: bool) -> str:
    """What init says."""
    if result.existed:
        done = [f"added {', '.join(result.created)}"] if result.created else []
        done += ["its other notes can now be searched too"] if result.included else []
        return f"{result.root} is already a vault; {'; '.join(done) or 'nothing was changed'}."
    lines = [f"Made {result.root} a vault: {', '.join(each for each in result.created if each != './')}"]
    others = counted(result.others, "other note")
    if result.notes:
        notes = counted(result.notes, "existing note")
        lines.append(f"Now among its memories: {notes}. To see what it holds: vault-mem status")
    elif not result.others:
        lines.append(f'Next: vault-mem --vault "{result.root}" remember "..."')
    if result.included:
        lines.append(f"{others} can be searched too; they stay untouched.")
    elif result.others:
        lines.append(f"Found {others}. To search them too (they stay untouched):")
        lines.append(f'  vault-mem --vault "{result.root}" config set include "**"')
    if not has_default:
        lines.append(f'To use it from any folder: vault-mem config set --user vault "{result.root}"')
    return "\n".join(lines)


def settings(views: Sequence[types.SettingView]) -> str:
    """What config says: every setting with its meaning, and where it is set."""
    lines = []
    for each in views:
        source = "" if each.source == "default" else f"  (from {each.source})"
        lines.append(f"{each.name} = {value(each.value)}{source}\n    {each.doc}")
    return "\n".join(lines)


def value(setting: Any) -> str:
    """A setting's value, as it is written."""
    return json.dumps(setting, ensure_ascii=False)


def status(found: types.Status) -> str:
    """What status says."""
    curve = found.calibration
    fresh = f"behind by {counted(found.pending, 'file')}" if found.stale else "up to date with every file"
    waiting = {
        f"for an id (adopt_ids = {found.adopt_ids})": found.waiting_for_id,
        "to move into or out of the private folder": found.waiting_to_move,
        "for the views to catch up": found.waiting_for_views,
        f"for new names in links (heal_links = {flag(found.heal_links)})": found.waiting_for_heal,
    }
    anchors = curve and (
        f"0.70 from cosine {curve.related:.3f}, 0.90 from {curve.nearly_same:.3f}, 0.95 from {curve.near_identical:.3f}"
    )
    facts = {
        "vault": found.vault,
        "trouble": "; ".join(found.trouble),
        "memories": f"{found.memories} ({found.private} private, {found.closed} closed)",
        "episodes": str(found.episodes),
        "other notes": str(found.notes),
        "index": f"{fresh}; {size(found.index_bytes)} in {found.index_dir}",
        "model": f"{found.model}, {found.dim} dimensions" if found.dim else found.model,
        "calibration": anchors or "unknown without an index",
        "waiting": ", ".join(f"{len(notes)} {what}" for what, notes in waiting.items() if notes) or "nothing",
        "elsewhere": f"{len(found.astray)} not searched (vault-mem doctor)" if found.astray else "",
        "interrupted": ", ".join(found.interrupted) or "nothing",
        "problems": str(len(found.problems) or "none"),
        "git": _git(found.git),
        "autocommit": f"git did not commit: {found.autocommit}" if found.autocommit else "",
        "store": _store(found.store) if found.store else "",
        "in git": f"now private, but still in git: {', '.join(found.in_git)}" if found.in_git else "",
    }
    lines = [f"{name + ':':<14}{text}" for name, text in facts.items() if text]
    lines += [f"  {problem}" for problem in found.problems[:_SHOWN_PROBLEMS]]
    if len(found.problems) > _SHOWN_PROBLEMS:
        lines.append(f"  and {len(found.problems) - _SHOWN_PROBLEMS} more; see vault-mem doctor")
    return "\n".join(lines)


def _store(store: StoreStatus) -> str:
    """How far this machine and the shared store differ, in one line."""
    said = [f"{store.uri}: {store.trouble or 'reached'}"]
    if store.trouble:
        said.append(f"last reached {minute(store.reached)}" if store.reached else "never reached")
    said.append(f"{store.to_add or 'no'} note(s) of ours not uploaded yet")
    if store.to_read is not None:
        said.append(f"{store.to_read or 'no'} segment(s) of others not read yet")
    if store.to_remove:
        said.append("what was purged or made private is STILL THERE (vault-mem doctor)")
    return "; ".join(said)


def _git(state: GitState | None) -> str:
    """The state of the vault's git repository, in one line."""
    if state is None:
        return "not a repository"
    said = [f"a {state.under_way} is in progress; no automatic changes until it ends"] if state.under_way else []
    said.append(f"{state.uncommitted or 'no'} uncommitted note(s)")
    if state.upstream:
        apart = [f"{n} {word}" for n, word in ((state.ahead, "ahead of"), (state.behind, "behind")) if n]
        said.append(f"{' and '.join(apart) or 'up to date with'} {state.upstream}")
    said.append("ignores what is private" if state.ignored else "does NOT ignore what is private (vault-mem doctor)")
    return "; ".join(said)


def diagnosed(found: types.Diagnosis) -> str:
    """What doctor says."""
    lines = [f"fixed: {each.path + ': ' if each.path else ''}{each.message}" for each in found.fixed]
    if found.healthy:
        what = "nothing that needs attention" if found.findings else "nothing"
        lines.append(f"All well: {len(found.checks)} checks found {what}.")
    for each in found.findings:
        where = f"{each.path}:{each.line}" if each.line else each.path
        lines.append(f"{each.severity}: {where + ': ' if where else ''}{each.message}")
        lines += [f"  {each.hint}"] if each.hint else []
    if found.skipped:
        lines.append(f"Not checked because of that: {', '.join(found.skipped)}.")
    return "\n".join(lines)


def grown(found: types.Stats, width: int, *, plot: bool) -> str:
    """What stats says."""
    lines = [f"{counted(found.memories, 'memory')}, {found.private} private, {found.closed} closed"]
    for title, by_name in (("kind", found.by_kind), ("category", found.by_category)):
        lines += ["", f"by {title}", *(f"  {name:<20} {n:>6}" for name, n in list(by_name.items())[:_SHOWN_NAMES])]
    lines += ["", "by month"]
    most = max(found.by_month.values(), default=1)
    total = 0
    for month, count in found.by_month.items():
        total += count
        bar = "█" * max(1, round(max(10, width - 24) * count / most)) if plot else f"{total:>8} in all"
        lines.append(f"  {month:<10} {count:>6} {bar}")
    kept_clean = {
        "refused as repetitions": found.blocked,
        "merged": found.merges,
        "closed": found.closes,
        "forgotten": found.forgotten,
        "exact duplicates left": found.duplicates_left,
    }
    known = {name: count for name, count in kept_clean.items() if count is not None}
    return "\n".join([*lines, "", "kept clean", *(f"  {name:<24} {count:>4}" for name, count in known.items())])


def reindexed(report: types.SyncReport) -> str:
    """What reindex says."""
    problems = counted(len(report.problems), "problem")
    rest = f"\n{problems}: see vault-mem doctor." if report.problems else ""
    return f"Indexed {counted(report.added, 'file')} in {report.seconds:.1f} s.{rest}"


def rebuilt(result: types.RebuildResult) -> str:
    """What views rebuild says."""
    memories = counted(result.memories, "public memory")
    return f"Mirrored {memories}; {counted(len(result.files), 'file')} changed."


def running(status: Mapping[str, Any], *, is_open: bool = True) -> str:
    """What daemon status says: the process, then a line for each vault it has open."""
    head = (
        f"{'' if is_open else 'Not open here. '}Running: pid {status['pid']}, version {status['version']}, "
        f"up {status['uptime_seconds'] / 60:.0f} min, {counted(len(status['vaults']), 'vault')} open, "
        f"{status['memory_bytes'] / 1e6:.0f} MB."
    )
    lines = [head]
    for each in status["vaults"]:
        watching = "notified of changes by the system" if each["watching"] == "events" else "scanning for changes"
        stays = "" if each["automatic"] else ", stays open"
        used = f"{counted(each['requests'], 'command')}, idle for {each['unused_seconds'] / 60:.0f} min{stays}"
        lines.append(f"  {each['vault']}: {used}, {watching}")
    return "\n".join(lines)


def stopped(was_running: bool) -> str:
    """What daemon stop says."""
    return "Stopped." if was_running else "It was not running."


def uninstalled(path: Path, kept: int) -> str:
    """What daemon uninstall says."""
    return f"Removed from {path}; {counted(kept, 'vault')} left in it." if kept else f"Removed {path}."


def evaluated(report: types.Report) -> str:
    """What eval says: a table with a line for each way of searching."""
    counts = report.as_json()
    lines = [
        f"{counts['questions']} questions, {report.memories} memories, {counted(report.entries, 'vault')}",
        "",
        f"{'':<16}" + "".join(f"{name:>8}" for name in ("R@1", "R@5", "R@10", "R@20", "MRR")) + f"{'ms/query':>11}",
    ]
    for way in report.answers:
        figures = report.figures(way)
        shares = "".join(f"{share:>8.3f}" for name, share in figures.items() if name != "ms")
        lines.append(f"{way:<16}{shares}{figures['ms']:>11.1f}")
    return "\n".join(lines)


def imported_sessions(report: types.SessionsReport) -> str:
    """What import says of sessions."""
    did = "Would keep" if report.dry_run else "Kept"
    rest = [
        counted(report.turns, "turn"),
        f"{len(report.grown)} extended" if report.grown else "",
        f"{report.same} with nothing new" if report.same else "",
        f"{len(report.refused)} refused" if report.refused else "",
    ]
    head = f"{did} {counted(len(report.new), 'new session')} ({report.format}): {', '.join(filter(None, rest))}."
    return "\n".join([head, *(f"refused: {each.source}: {each.reason}" for each in report.refused)])


def import_stopped(report: types.ImportReport) -> str:
    """What an interrupted import says."""
    came = len(report.imported)
    if not came:
        return "Stopped: nothing was imported."
    ways = "Run the same command to continue, or `vault-mem undo` to take them back."
    return f"Stopped: {came} of {report.total} imported. {ways}"


def imported(report: types.ImportReport) -> str:
    """What import says."""
    did = "Would import" if report.dry_run else "Imported"
    rest = [
        f"{len(report.grown)} extended" if report.grown else "",
        f"{len(report.skipped)} already here" if report.skipped else "",
        counted(len(report.duplicates), "duplicate") if report.duplicates else "",
        f"{len(report.refused)} refused" if report.refused else "",
        f"{counted(report.links, 'link')} made" if report.links else "",
    ]
    said = ", ".join(filter(None, rest))
    count = counted(len(report.imported), "memory")
    lines = [f"{did} {count} ({report.format}){': ' + said if said else ''}."]
    for each in report.duplicates:
        similar = f" (similarity: {each.similarity:.2f})" if each.similarity is not None else ""
        lines.append(f"duplicate: {each.source} repeats {each.id or 'another item'}{similar}")
    lines += [f"refused: {each.source}: {each.reason}" for each in report.refused]
    return "\n".join(lines)


def exported(report: types.ExportReport) -> str:
    """What export says."""
    lines = [f"Exported {counted(report.memories, 'memory')} to {report.out}."]
    if report.episodes:
        lines.append(f"With {counted(report.episodes, 'episode')}.")
    if report.private_left_out:
        lines.append(f"{report.private_left_out} private left out; --include-private exports them too.")
    if report.closed_left_out:
        lines.append(f"{report.closed_left_out} closed left out; --closed exports them too.")
    if report.episodes_left_out:
        lines.append(f"{counted(report.episodes_left_out, 'episode')} left out; --format vault exports them too.")
    if report.left_links:
        lines.append(f"{counted(len(report.left_links), 'link')} to memories that were left out:")
        lines += [f"- {each}" for each in report.left_links]
    if report.unread:
        lines.append(f"{counted(len(report.unread), 'file')} could not be copied:")
        lines += [f"- {each}" for each in report.unread]
    return "\n".join(lines)
