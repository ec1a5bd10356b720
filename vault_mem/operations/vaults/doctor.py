"""doctor: reports every kind of trouble in a plain sentence, with what to do. It changes nothing without --fix.

A finding may have a fix, which does only what is safe without asking and never changes a note's text. If the model or
the index is the trouble, the checks that do not need them still run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from vault_mem.errors import VaultMemError
from vault_mem.operations.upkeep.shown_operations import names_one, private_digits
from vault_mem.operations.vaults.checks import machine, merges, notes, private
from vault_mem.operations.vaults.checks.finding import Check, Finding
from vault_mem.operations.workspace import INDEX_ERRORS, Workspace
from vault_mem.result import Result
from vault_mem.vault.folder import Folder
from vault_mem.vault.parts import one_operation

CHECKS: dict[str, Check] = {
    "settings": machine.settings,
    "disk": machine.disk,
    "lock": machine.locks,
    "watch-limit": machine.watches,
    "model": machine.model,
    "index": machine.index,
    "store": machine.store,
    "interrupted": machine.interrupted,
    "set-aside": machine.set_aside,
    "odd-files": machine.odd_files,
    "late-words": machine.late_words,
    "conflict-copies": notes.copies,
    "modes": private.modes,
    "merge-driver": merges.driver,
    "merges": merges.merged,
    "git": private.in_git,
}
# These checks need the index.
BY_INDEX: dict[str, Check] = {
    "broken-files": notes.broken_files,
    "astray": notes.astray,
    "private-merges": merges.came_back,
    "autocommit": merges.commits,
    "duplicate-ids": notes.duplicate_ids,  # before deleted-and-changed, whose fix settles conflicts in git
    "deleted-and-changed": merges.unmerged,
    "foreign-ids": notes.foreign_ids,
    "missing-ids": notes.missing_ids,
    "dangling-links": notes.dangling_links,
    "replay-links": notes.replay_links,
    "summaries": notes.summaries,
    "origins": notes.origins,
    "superseded-twice": merges.superseded,
    "clock": notes.clock,
    "mentions": private.mentions,
    "git-history": private.held_before,
}
# These checks read or count private memories, so they are left out if only public ones may be seen (SPEC S-6).
_OF_PRIVATE_ONES = tuple("astray git git-history mentions missing-ids modes private-merges replay-links".split())


@dataclass(frozen=True)
class Diagnosis(Result, also=("healthy",)):
    """What was checked, found and fixed, and what could not be checked."""

    checks: list[str]
    findings: list[Finding]
    fixed: list[Finding] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        """Whether nothing needs attention."""
        return all(finding.severity == "info" for finding in self.findings)


def doctor(workspace: Workspace, *, fix: bool = False) -> Diagnosis:
    """Run every check; with `fix`, fix what can be fixed and check again."""
    findings, skipped = _check(workspace)
    fixed = _fix(workspace, findings) if fix else []
    if fixed:
        findings, skipped = _check(workspace)
    checks = [name for name in (*CHECKS, *BY_INDEX) if name not in skipped]
    if workspace.folder.public:
        checks = [name for name in checks if name not in _OF_PRIVATE_ONES]
        findings = _public(workspace.folder, findings)
    return Diagnosis(checks, findings, fixed, skipped)


def _public(folder: Folder, findings: list[Finding]) -> list[Finding]:
    """The findings that reveal nothing about private memories."""
    private = private_digits(folder)
    return [
        each
        for each in findings
        if each.check not in _OF_PRIVATE_ONES
        and folder.is_shown(each.path)
        and not names_one(f"{each.path} {each.message} {each.hint}", private)
    ]


def _fix(workspace: Workspace, findings: list[Finding]) -> list[Finding]:
    """Apply the fixes, as one operation. Returns the findings that were fixed."""
    fixed: list[Finding] = []
    fixes = [(finding, finding.fix) for finding in findings if finding.fix is not None]
    if not fixes:
        return fixed
    with one_operation(workspace.folder, "doctor --fix"):
        for finding, fix in fixes:
            try:
                fix()
                fixed.append(finding)
            except (OSError, VaultMemError) as error:
                reason = error.message if isinstance(error, VaultMemError) else error.strerror
                workspace.notices.append(f"{finding.path}: not fixed: {reason}")
    return fixed


def _check(workspace: Workspace) -> tuple[list[Finding], list[str]]:
    findings = [finding for name, check in CHECKS.items() for finding in _found(name, check, workspace)]
    if any(finding.check in ("model", "index") and finding.severity == "error" for finding in findings):
        return findings, list(BY_INDEX)
    skipped = []
    for name, check in BY_INDEX.items():
        try:
            findings += _found(name, check, workspace)
        except (VaultMemError, *INDEX_ERRORS) as error:
            skipped.append(name)
            reason = error.message if isinstance(error, VaultMemError) else type(error).__name__
            findings.append(
                Finding(f"could not be checked: {reason}", hint="vault-mem reindex, then doctor again", check=name)
            )
    return findings, skipped


def _found(name: str, check: Check, workspace: Workspace) -> Iterator[Finding]:
    return (replace(finding, check=finding.check or name) for finding in check(workspace))
