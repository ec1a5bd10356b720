"""Checks of private memories: who can read them, what git does with them, and which public files name them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial

from vault_mem.model import digits_of
from vault_mem.notes.references import ids_in, named_in
from vault_mem.operations.upkeep.private import still_held
from vault_mem.operations.vaults import views
from vault_mem.operations.vaults.checks.finding import Finding
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git, outside
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import operation
from vault_mem.vault.steps import read, read_if_can
from vault_mem.vault.tree import key_of, native


def modes(workspace: Workspace) -> Iterator[Finding]:
    """Private files and our own folders that others can read (SPEC P-1)."""
    folder = workspace.folder
    if os.name != "posix":
        return
    kept = [(folder.tree, key) for key in (OWN, *_below(folder, folder.settings.private_folder))]
    for tree, key in [*kept, outside.tree_and_key(folder.index_dir)]:
        found = tree.stat(key)
        mode = stat.S_IMODE(found.st_mode) if found else 0
        if found and mode & 0o077 and not stat.S_ISLNK(found.st_mode):
            wanted = 0o700 if stat.S_ISDIR(found.st_mode) else 0o600
            yield Finding(
                f"others can read it (mode {mode:o})",
                key if tree is folder.tree else str(tree.path(key)),
                hint=f"chmod {wanted:o} it (doctor --fix does)",
                fix=partial(tree.set_mode, key, mode & wanted),
            )


def _below(folder: Folder, top: str) -> Iterator[str]:
    """A folder and everything in it."""
    pending = [top]
    while pending:
        key = pending.pop()
        yield key
        found = folder.tree.stat(key)
        if found and stat.S_ISDIR(found.st_mode):
            with folder.tree.scan(key) as entries:
                pending += sorted((key_of(f"{native(key)}/{entry.name}") for entry in entries), reverse=True)


def in_git(workspace: Workspace) -> Iterator[Finding]:
    """Private files that git tracks, or would or did take in (SPEC P-5)."""
    folder = workspace.folder
    private = folder.settings.private_folder
    tops = (private, ".vault-mem")
    inside = git.in_repository(folder)
    listed = folder.tree.stat(".gitignore")
    odd = listed is not None and not stat.S_ISREG(listed.st_mode)
    if odd:  # if it is a pipe, git would wait for it forever
        message = f"whether git ignores {private}/ is unknown: .gitignore is not a plain file"
        hint = "remove it, then vault-mem doctor --fix"
        yield Finding(message, ".gitignore", hint=hint)
    concerned = tops if inside else (private,)
    for top in () if odd else concerned:
        if inside and not git.ignores(folder, f"{top}/mem_000000000000.md"):
            message, severity = f"git does not ignore {top}/", "warning"
        elif not inside and _ignore_text(folder) != read(folder, ".gitignore"):
            message, severity = f"{top}/ is not in .gitignore, should the vault ever come into git", "info"
        else:
            continue
        hint = f"add a line {top}/ to it (doctor --fix does)"
        yield Finding(message, ".gitignore", hint=hint, severity=severity, fix=partial(_repair_gitignore, folder))
    if not inside:
        return
    pathspecs = [f":(literal){top}" for top in tops]
    staged = git.tracked(folder, pathspecs)
    if staged:
        hint = f"git rm --cached -r {private} .vault-mem"
        yield Finding(f"git tracks {len(staged)} private file(s)", staged[0], hint=hint, severity="error")
    held = git.ever_held(folder, pathspecs)
    if held:
        message = f"the history of git holds {len(held)} private file(s); anyone with the repository can read them"
        hint = "rewrite the history (git filter-repo), and assume that others have read them"
        yield Finding(message, held[0], hint=hint, severity="error")
    if folder.tree.names(private, ".md"):
        message = "git does not back up private memories, and `git clean -x` deletes them"
        hint = "vault-mem backup FILE keeps them too"
        yield Finding(message, private, hint=hint, severity="info")


def held_before(workspace: Workspace) -> Iterator[Finding]:
    """Notes that were committed before they became private; the id in a file name reveals them, too."""
    folder = workspace.folder
    if not git.in_repository(folder):
        return
    private = workspace.index.private()
    digits = {digits_of(memory.id) for memory in private if not memory.provisional}
    top = folder.settings.private_folder + "/"
    named = git.ever_held(folder, [":(glob)**/*.md"]) if digits else []
    found = {name for name in named if name.removesuffix(".md")[-8:] in digits and not name.startswith(top)}
    for name in sorted({*found, *still_held(workspace)}):
        message = "git holds it from before it became private; anyone with the repository can read it"
        hint = "rewrite the history (git filter-repo), and assume that others have read it"
        yield Finding(message, name, hint=hint, severity="error")


def _ignore_text(folder: Folder) -> bytes:
    return git.ignoring(read(folder, ".gitignore"), folder.settings.private_folder)


def _repair_gitignore(folder: Folder) -> None:
    """Add our lines if they are missing, or once more at the end if a later line of the owner's overrules them."""
    with operation(folder, "doctor --fix", "git did not ignore what is private") as transaction:
        before = read(folder, ".gitignore")
        after = _ignore_text(folder)
        if after == before and git.in_repository(folder):
            tops = [f"{folder.settings.private_folder}/", ".vault-mem/"]
            lines = [f"/{top}" for top in tops if not git.ignores(folder, f"{top}mem_000000000000.md")]
            after = before + b"".join(line.encode() + b"\n" for line in lines)
        transaction.write(".gitignore", before, after)


def mentions(workspace: Workspace) -> Iterator[Finding]:
    """Public files that name a private memory, including a person's own notes and the views; they are not quoted."""
    folder, names = workspace.folder, workspace.names
    private = {memory.path: memory.id for memory in workspace.index.private()}
    if not private:
        return
    shared = [*views.view_keys(folder), folder.monologue, "SELF.md", "REVIEW.md"]
    for key in [*names.naming(*private), *shared]:
        if folder.is_private(key):
            continue
        raw = read_if_can(folder, key)
        if names.key_of(id_in(raw)) in private:
            continue  # a copy of a private memory, which other checks report
        found = {names.note(name, key) for name in named_in(raw, key)}
        found |= {names.key_of(id_) for id_ in ids_in(raw)}
        for id_ in sorted(private[each] for each in found if each is not None and each in private and each != key):
            hint = f"vault-mem private {id_} --scrub turns that into plain text, or edit it yourself"
            yield Finding(f"names the private memory {id_}", key, hint=hint)
