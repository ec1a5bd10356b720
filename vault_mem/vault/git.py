"""What git knows of a vault's files: asked, never told. Where there is no git, it knows nothing."""

from __future__ import annotations

import shutil
import stat
import subprocess
from collections.abc import Iterable

from vault_mem.vault.folder import Folder
from vault_mem.vault.tree import beside

# A repository may come from a stranger: nothing that its configuration names is run, and nothing is fetched.
_SAFE = ["-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.quotePath=false", "--no-pager"]
_SAFE_ENV = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_SECONDS = 30.0
# What git reads whatever it is asked; it would wait for ever at a pipe.
_ALWAYS_READ = ("HEAD", "config", "index", "packed-refs", "commondir", "shallow", "objects/info/alternates")
_IGNORE_LISTS = (".gitignore", ".git/info/exclude")


def in_repository(folder: Folder) -> bool:
    """Whether the vault lies in a work tree of git, its own or a larger one."""
    return _git(folder, "rev-parse", "--is-inside-work-tree") == "true\n"


def ignores(folder: Folder, key: str) -> bool:
    """Whether git would leave a file out, were it there and not yet tracked."""
    if not all(_plain(folder, each) for each in (*_IGNORE_LISTS, beside(key, ".gitignore"))):
        return False
    return _git(folder, "check-ignore", "--no-index", "--quiet", "--", key) is not None


def tracked(folder: Folder, keys: Iterable[str]) -> list[str]:
    """Which of these files or folders git holds now, or will with the next commit."""
    return _lines(_git(folder, "ls-files", "--cached", "-z", "--", *keys))


def ever_held(folder: Folder, keys: Iterable[str]) -> list[str]:
    """The files at these places, or names, that any commit of any branch holds."""
    found = _git(folder, "log", "--all", "--format=", "--name-only", "--relative", "-z", "--", *keys)
    return sorted(set(_lines(found)))


def _lines(output: str | None) -> list[str]:
    return [line for line in (output or "").replace("\0", "\n").split("\n") if line]


def _plain(folder: Folder, key: str) -> bool:
    """Whether there is a file that can be read, or none."""
    try:
        found = folder.tree.stat(key)
    except OSError:
        return True  # in a folder that we do not follow: git may
    return found is None or stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)


def _git(folder: Folder, *arguments: str) -> str | None:
    """What git answers; None where it says no, is missing, or would take too long."""
    program = shutil.which("git", path=folder.env.get("PATH"))
    if program is None or not all(_plain(folder, f".git/{name}") for name in _ALWAYS_READ):
        return None
    env = {name: folder.env[name] for name in ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT") if name in folder.env}
    try:
        done = subprocess.run(
            [program, *_SAFE, "-C", str(folder.root), *arguments],
            env=env | _SAFE_ENV,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None
