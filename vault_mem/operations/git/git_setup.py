"""Lets git merge clones of a vault: attributes committed with it, and settings of this clone (docs/git.md)."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from vault_mem.errors import Conflict
from vault_mem.vault import files, git
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import operation
from vault_mem.vault.steps import read
from vault_mem.vault.tree import PUBLIC_FOLDER_MODE, PUBLIC_MODE, Tree

ATTRIBUTES = ".gitattributes"
_HERE = "info/attributes"
_COMMENT = "# How git merges what vault-mem writes; see its docs/git.md"
_DRIVER, _NAME = "merge.vault-mem.driver", "merge.vault-mem.name"
_CALL = "git-merge %O %A %B %P"
# Only our own exit codes count: git must not take a missing or broken program for a conflict and keep only our side.
# In that case git merges as usual, and `doctor --fix` repairs what that leaves.
_COMMAND = (
    f'for program in {{programs}}; do "$program" {_CALL} 2>/dev/null; '
    f"case $? in 0) exit 0;; {Conflict.exit_code}) exit 1;; esac; done; "
    "git merge-file -L ours -L base -L theirs %A %O %B"
)
_OLD_COMMAND = "if command -v"


def add_git(folder: Folder) -> tuple[list[str], list[str]]:
    """For init: make the vault a repository unless it is in one, and set up merging. Returns new files and notices."""
    created = []
    if not git.in_repository(folder):
        if not git.make_repository(folder):
            return [], ["git could not make this a repository; is it installed? `vault-mem doctor --fix` goes on later"]
        created.append(".git/")
    before = read(folder, ATTRIBUTES)
    if files.put(folder.tree, ATTRIBUTES, before, git.with_lines(before, missing_attributes(folder)), PUBLIC_MODE):
        created.append(ATTRIBUTES)
    return [*created, *_set_up_clone(folder)], []


def missing_setup(folder: Folder) -> list[str]:
    """What git still needs: the attributes, or settings of this clone."""
    return [*([ATTRIBUTES] if missing_attributes(folder) else []), *(name for name, _ in _clone_steps(folder))]


def set_up(folder: Folder) -> None:
    """Add the missing attributes and settings."""
    with operation(folder, "doctor --fix", "git did not know how to merge the vault") as transaction:
        before = read(folder, ATTRIBUTES)
        transaction.write(ATTRIBUTES, before, git.with_lines(before, missing_attributes(folder)))
    _set_up_clone(folder)


def missing_attributes(folder: Folder) -> list[str]:
    """The lines missing from the vault's attributes."""
    present = _present(read(folder, ATTRIBUTES))
    lines = [line for line in _shared(folder) if line not in present]
    return [_COMMENT, *lines] if lines and _COMMENT not in present else lines


def _shared(folder: Folder) -> list[str]:
    """The attributes that all clones share. Any git can join the logs; the rest needs our driver."""
    settings = folder.settings
    notes = [_quoted(f"/{_plain(each)}/**/*.md") for each in (settings.memories_folder, settings.episodes_folder)]
    views = [_quoted(f"/{_plain(key)}") for key in (folder.settings.digest_file, folder.monologue)]
    ours = [*notes, *views, "/REVIEW.md", "/SELF.md", "/memories.base"]
    return [*(f"{each} merge=vault-mem" for each in ours), *(f"{_quoted(each)} merge=union" for each in _logs(folder))]


def _logs(folder: Folder) -> tuple[str, str]:
    """Patterns for revisions and daily logs, in the syntax of git's attributes."""
    return "/history/*.jsonl", f"/{_plain(folder.settings.views_folder)}/{_plain(folder.settings.log_prefix)}[0-9]*.md"


def _plain(path: str) -> str:
    """A path with the characters escaped that would form a pattern."""
    return re.sub(r"([*?\[\\])", r"\\\1", path)


def _quoted(pattern: str) -> str:
    if not re.search(r'[\s"]', pattern):
        return pattern
    return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _present(raw: bytes | None) -> set[str]:
    return {line.strip() for line in (raw or b"").decode(errors="replace").splitlines()}


def _set_up_clone(folder: Folder) -> list[str]:
    return [name for name, step in _clone_steps(folder) if step()]


def _clone_steps(folder: Folder) -> list[tuple[str, Callable[[], bool]]]:
    """What this clone still needs, and how it is done."""
    steps: list[tuple[str, Callable[[], bool]]] = []
    if not _is_set(folder):
        steps.append(("git's setting merge.vault-mem", lambda: _set_driver(folder)))
    shared = git.shared_folder(folder)
    if shared is not None:
        tree = Tree(shared)
        prefix = _plain(git.prefix(folder))
        lines = [_quoted(f"/{prefix}{each[1:]}") + " merge=vault-mem" for each in _logs(folder)]
        before = tree.read(_HERE)
        new = [line for line in lines if line not in _present(before)]
        if new:
            steps.append((f".git/{_HERE}", lambda: _add_here(tree, before, new)))
    return steps


def _is_set(folder: Folder) -> bool:
    """Whether git would find the driver."""
    driver = git.setting(folder, _DRIVER)
    named = re.search(r"for program in (.+?); do", driver)
    programs = shlex.split(named.group(1).replace("%%", "%")) if named else []
    found = not named or any(shutil.which(each, path=folder.env.get("PATH")) for each in programs)
    return _CALL in driver and not driver.startswith(_OLD_COMMAND) and found


def _set_driver(folder: Folder) -> bool:
    name = git.change_setting(folder, _NAME, "vault-mem: notes by key, views by memory, history by time")
    # by name; by our own path too, because a desktop program may give git a short PATH
    script = Path(sys.executable).with_name("vault-mem")
    programs = "vault-mem" + (" " + shlex.quote(str(script)).replace("%", "%%") if script.exists() else "")
    return name and git.change_setting(folder, _DRIVER, _COMMAND.format(programs=programs))


def _add_here(tree: Tree, before: bytes | None, lines: list[str]) -> bool:
    files.make_folder(tree, "info", PUBLIC_FOLDER_MODE)
    return files.put(tree, _HERE, before, git.with_lines(before, lines), PUBLIC_MODE)
