"""doctor: every kind of trouble with a plain sentence and what to do. It changes nothing unless it is asked to fix.

A finding may carry its fix: only what is safe without asking, and never a note's text.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from vault_mem.errors import VaultMemError
from vault_mem.notes.references import named_in
from vault_mem.operations.adopt import candidates
from vault_mem.operations.init import ignoring
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git, journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read
from vault_mem.vault.walk import walk

Fix = Callable[[Workspace], None]


@dataclass(frozen=True)
class Finding:
    """One trouble: its kind, where, what it is, and what to do."""

    check: str
    message: str
    path: str = ""
    line: int | None = None
    hint: str = ""
    severity: str = "warning"
    fix: Fix | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Diagnosis:
    """What was checked, what was found, and what was put right."""

    checks: list[str]
    findings: list[Finding]
    fixed: list[Finding] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        """Whether nothing needs attention."""
        return all(finding.severity == "info" for finding in self.findings)


def doctor(workspace: Workspace, *, fix: bool = False) -> Diagnosis:
    """Run every check; with `fix`, put right what can be, and check again."""
    workspace.freshen(scan=True)
    findings = _check(workspace)
    fixed: list[Finding] = []
    for finding in findings if fix else ():
        if finding.fix is not None:
            try:
                finding.fix(workspace)
                fixed.append(finding)
            except (OSError, VaultMemError) as error:
                reason = error.message if isinstance(error, VaultMemError) else error.strerror
                workspace.notices.append(f"{finding.path}: not fixed: {reason}")
    return Diagnosis(list(CHECKS), _check(workspace) if fixed else findings, fixed)


def _check(workspace: Workspace) -> list[Finding]:
    return [finding for check in CHECKS.values() for finding in check(workspace)]


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
        memory = workspace.index.get(id_)
        name = "a name" if memory.private else f"[[{link.target}]]"
        yield Finding(
            "dangling-links",
            f"links to {name}, which is no memory of this vault, or more than one",
            memory.path,
            severity="info",
        )


def _summaries(workspace: Workspace) -> Iterator[Finding]:
    from vault_mem.operations.summaries import outdated

    for summary in workspace.index.memories("kind = 'summary'"):
        if not summary.closed_at(workspace.folder.now()) and outdated(workspace, summary):
            yield Finding(
                "summaries",
                "a summary whose sources have changed since",
                summary.path,
                hint="write it anew: vault-mem tidy candidates --summaries",
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
    if os.name != "posix":
        return
    private = folder.root / folder.settings.private_folder
    below = [private, *sorted(private.rglob("*"))] if private.is_dir() else []
    for path in [*below, *([folder.own] if folder.own.is_dir() else [])]:
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077 and not path.is_symlink():
            wanted = 0o700 if path.is_dir() else 0o600
            yield Finding(
                "modes",
                f"others can read it (mode {mode:o})",
                folder.key(path),
                hint=f"chmod {wanted:o} it (doctor --fix does)",
                fix=partial(_set_mode, path, mode & wanted),
            )


def _set_mode(path: Path, mode: int, workspace: Workspace) -> None:
    if not path.is_symlink():
        path.chmod(mode)


def _git(workspace: Workspace) -> Iterator[Finding]:
    """SPEC P-5: git leaves out what is private, and never held any of it."""
    folder = workspace.folder
    private = folder.settings.private_folder.strip("/")
    tops = (private, ".vault-mem")
    in_git = git.in_repository(folder)
    for top in tops:
        if in_git and not git.ignores(folder, f"{top}/mem_000000000000.md"):
            message, severity = f"git does not ignore {top}/", "warning"
        elif not in_git and _ignore_text(folder) != read(folder, ".gitignore"):
            message, severity = f"{top}/ is not in .gitignore, should the vault ever come into git", "info"
            if top != private:
                continue
        else:
            continue
        yield Finding(
            "git",
            message,
            ".gitignore",
            hint=f"add a line {top}/ to it (doctor --fix does)",
            severity=severity,
            fix=_repair_gitignore,
        )
    if not in_git:
        return
    places = [f":(literal){top}" for top in tops]
    staged = git.tracked(folder, places)
    if staged:
        yield Finding(
            "git",
            f"git tracks {len(staged)} private file(s)",
            staged[0],
            hint=f"git rm --cached -r {private} .vault-mem",
            severity="error",
        )
    held = git.ever_held(folder, places)
    if held:
        yield Finding(
            "git",
            f"the history of git holds {len(held)} private file(s); whoever has the repository can read them",
            held[0],
            hint="rewrite the history (git filter-repo), and take what was in them as known",
            severity="error",
        )
    if any((folder.root / private).glob("*.md")):
        yield Finding(
            "git",
            "git does not back up private memories, and `git clean -x` deletes them",
            private,
            hint="vault-mem backup FILE keeps them too",
            severity="info",
        )


def _ignore_text(folder: Folder) -> bytes:
    return ignoring(read(folder, ".gitignore"), (f"{folder.settings.private_folder.strip('/')}/", ".vault-mem/"))


def _repair_gitignore(workspace: Workspace) -> None:
    """Add our lines where they are missing, or at the end where a later line of the owner's overrules them."""
    folder = workspace.folder
    with writing(folder):
        before = read(folder, ".gitignore")
        after = _ignore_text(folder)
        if after == before and git.in_repository(folder):
            tops = [f"{folder.settings.private_folder.strip('/')}/", ".vault-mem/"]
            lines = [f"/{top}" for top in tops if not git.ignores(folder, f"{top}mem_000000000000.md")]
            after = before + b"".join(line.encode() + b"\n" for line in lines)
        transaction = Transaction(folder, "doctor --fix", "git did not ignore what is private")
        if before is None:
            transaction.create(".gitignore", after)
        else:
            transaction.write(".gitignore", before, after)
        if transaction.steps:
            transaction.commit()


def _mentions(workspace: Workspace) -> Iterator[Finding]:
    """Public files that name a private memory; they are not quoted here."""
    folder = workspace.folder
    private = {memory.id for memory in workspace.index.memories("private = true", ("memory", "episode"))}
    if not private:
        return
    graph = workspace.graph
    logs = [folder.key(path) for path in sorted((folder.root / "memory").glob("*.md"))]
    for key in [*walk(folder).files, "MEMORY.md", "SELF.md", *logs]:
        if folder.is_private(key):
            continue
        try:
            raw = read(folder, key) or b""
        except VaultMemError:
            continue
        own = workspace.index.state.files([key]).get(key)
        named = {id_ for name in named_in(raw) if (id_ := graph.resolve(name)) in private}
        if b"mem_" in raw or b"ep_" in raw:
            named |= {id_ for id_ in private if id_.encode() in raw}
        for id_ in sorted(named - {own.id if own else ""}):
            yield Finding(
                "mentions",
                f"names the private memory {id_}",
                key,
                hint=f"vault-mem private {id_} --scrub turns that into plain text, or edit it yourself",
            )


CHECKS: dict[str, Callable[[Workspace], Iterator[Finding]]] = {
    "settings": _settings,
    "broken-files": _broken_files,
    "duplicate-ids": _duplicate_ids,
    "foreign-ids": _foreign_ids,
    "missing-ids": _missing_ids,
    "dangling-links": _dangling_links,
    "summaries": _summaries,
    "interrupted": _interrupted,
    "modes": _modes,
    "git": _git,
    "mentions": _mentions,
}
