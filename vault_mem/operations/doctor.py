"""doctor: every kind of trouble with a plain sentence and what to do. It looks, and changes nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vault_mem.operations.adopt import candidates
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import journal


@dataclass(frozen=True)
class Finding:
    """One trouble: its kind, where, what it is, and what to do."""

    check: str
    message: str
    path: str = ""
    line: int | None = None
    hint: str = ""
    severity: str = "warning"


@dataclass(frozen=True)
class Diagnosis:
    """What was checked and what was found."""

    checks: list[str]
    findings: list[Finding]

    @property
    def healthy(self) -> bool:
        """Whether nothing needs attention."""
        return all(finding.severity == "info" for finding in self.findings)


def doctor(workspace: Workspace) -> Diagnosis:
    """Run every check."""
    workspace.freshen()
    findings = [finding for check in CHECKS.values() for finding in check(workspace)]
    return Diagnosis(list(CHECKS), findings)


def _settings(workspace: Workspace) -> Iterator[Finding]:
    for warning in workspace.folder.loaded.warnings:
        yield Finding("settings", warning, hint="vault-mem config lists all settings")


def _broken_files(workspace: Workspace) -> Iterator[Finding]:
    freshness = workspace.sync()
    problems = freshness.report.problems if freshness.report else workspace.index.state.problems()
    for problem in problems:
        hint = "it is searchable as far as it can be read; correct the file, vault-mem never rewrites it"
        if "symbolic link" in problem.reason:
            hint = "keep the notes in the vault itself; what lies outside is not read"
        yield Finding("broken-files", problem.reason, problem.path, problem.line, hint)


def _duplicate_ids(workspace: Workspace) -> Iterator[Finding]:
    for known in workspace.index.state.provisional():
        owners = [key for key, _, id_ in workspace.index.state.claims([known.declared]) if id_ == known.declared]
        owner = owners[0] if owners else "another file"
        yield Finding(
            "duplicate-ids",
            f"has the id {known.declared} of {owner}; it goes by {known.id} for now",
            known.key,
            hint="delete the copy, or delete its id line to make it a memory of its own",
        )


def _foreign_ids(workspace: Workspace) -> Iterator[Finding]:
    for known in workspace.index.state.without_id():
        if known.foreign_id:
            yield Finding(
                "foreign-ids",
                f"has an id of another scheme; it goes by {known.id}, which changes when the file is renamed",
                known.key,
                hint="rename that property to keep both",
                severity="info",
            )


def _missing_ids(workspace: Workspace) -> Iterator[Finding]:
    waiting = candidates(workspace)
    if waiting:
        seconds = workspace.folder.settings.quiet_seconds
        yield Finding(
            "missing-ids",
            f"{len(waiting)} note(s) get an id once they have been quiet for {seconds} s",
            waiting[0].key,
            severity="info",
        )


def _dangling_links(workspace: Workspace) -> Iterator[Finding]:
    for id_, link in workspace.graph.dangling():
        yield Finding(
            "dangling-links",
            f"links to [[{link.target}]], which is no memory of this vault, or more than one",
            workspace.index.get(id_).path,
            severity="info",
        )


def _interrupted(workspace: Workspace) -> Iterator[Finding]:
    for entry in journal.pending(workspace.folder):
        yield Finding(
            "interrupted", f"operation {entry.stem} did not end", hint="the next command that writes finishes it"
        )
    for entry in journal.conflicts(workspace.folder):
        yield Finding(
            "interrupted", f"operation {entry.stem} was taken back: a file had changed since", hint="run it again"
        )


def _modes(workspace: Workspace) -> Iterator[Finding]:
    folder = workspace.folder
    private = folder.root / folder.settings.private_folder
    if os.name != "posix" or not private.is_dir():
        return
    for path in [private, *private.rglob("*.md")]:
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077:
            wanted = "700" if path.is_dir() else "600"
            yield Finding("modes", f"others can read it (mode {mode:o})", folder.key(path), hint=f"chmod {wanted} it")


CHECKS: dict[str, Callable[[Workspace], Iterator[Finding]]] = {
    "settings": _settings,
    "broken-files": _broken_files,
    "duplicate-ids": _duplicate_ids,
    "foreign-ids": _foreign_ids,
    "missing-ids": _missing_ids,
    "dangling-links": _dangling_links,
    "interrupted": _interrupted,
    "modes": _modes,
}
