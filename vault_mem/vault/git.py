"""What git knows about a vault's files, and the little we ask it to do. Where there is no git, it knows nothing.

We change git only on request: `init --git`, `doctor --fix` and the setting `autocommit`.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.tree import native

# A repository may come from a stranger: nothing that its configuration names is run, and nothing is fetched.
_SAFE = ["-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.quotePath=false", "--no-pager"]
_SAFE_ENV = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_SECONDS = 30.0
_LONGEST_PATH = 5000
_LATEST = 30  # how many commits of a file are searched
_LONGEST_MESSAGE = 300  # how many characters of a hook's refusal are shown
_IDENTITY = frozenset(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL"))
# Git reads these whatever it is asked, and would wait for ever if one were a pipe.
_ALWAYS_READ = ("HEAD", "config", "index", "packed-refs", "commondir", "shallow", "objects/info/alternates")
_IGNORE_LISTS = (".gitignore", ".git/info/exclude")
# Git opens these too, and would wait if one were a pipe; not for questions about its index alone (`--cached`).
_READ_BY_GIT = (".gitignore", ".gitattributes")
# What git leaves in its folder while somebody is in the middle of something.
_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "sequencer": "cherry-pick",
    "BISECT_LOG": "bisect",
}
# How many fields come before the path in a line of `git status`: changed, not merged, unknown to git.
_FIELDS_BEFORE_PATH = {"1": 7, "u": 9, "?": 0}
# The state of git's index when it was last asked for unmerged files, by vault, and whether there were any.
_seen: dict[Path, tuple[tuple[int, int], bool]] = {}


@dataclass(frozen=True)
class GitState:
    """The state of a vault's repository; `under_way` is an unfinished merge, rebase or the like."""

    ignored: bool
    uncommitted: int
    upstream: str = ""
    ahead: int = 0
    behind: int = 0
    under_way: str = ""


def in_repository(folder: Folder) -> bool:
    """Whether the vault is in a work tree of git, its own or a larger one."""
    return _git(folder, "rev-parse", "--is-inside-work-tree") == "true\n"


def ignores(folder: Folder, *keys: str) -> bool:
    """Whether git would ignore these files if they existed and were not tracked."""
    if not all(_plain(folder, each) for each in _IGNORE_LISTS) or _waits_at_a_pipe(folder, keys):
        return False
    return len(_lines(_git(folder, "check-ignore", "--no-index", "--", *keys))) == len(keys)


def would_take(folder: Folder, key: str) -> bool:
    """Whether `git add` would add a file."""
    return not ignores(folder, key) and in_repository(folder)


def tracked(folder: Folder, keys: Iterable[str]) -> list[str]:
    """Which of these files or folders git holds now, or will with the next commit."""
    return _records(_git(folder, "ls-files", "--cached", "-z", "--", *keys))


def tracked_below(folder: Folder, *tops: str) -> list[str]:
    """What git tracks in these folders; its index tells at a glance if it tracks nothing there."""
    git_dir = git_folder(folder.root)
    index = git_dir / "index" if git_dir else None
    listed = index.read_bytes() if index and index.is_file() else b""
    named = [top for top in tops if f"{top}/".encode() in listed]
    return tracked(folder, [f":(literal){top}" for top in named]) if named else []


def ever_held(folder: Folder, keys: Iterable[str]) -> list[str]:
    """The files with these paths or patterns that are in any commit of any branch."""
    found = _git(folder, "log", "--all", "--format=", "--name-only", "--relative", "-z", "--", *keys)
    return sorted(set(_records(found)))


def state(folder: Folder) -> GitState | None:
    """The state of the vault's repository; None if it is in none."""
    report = _report(folder, ["."])
    if report is None:
        return GitState(ignored=False, uncommitted=0, under_way=under_way(folder)) if in_repository(folder) else None
    stamp = index_stamp(git_folder(folder.root))
    if stamp is not None:
        _seen[folder.root] = (stamp, report.unmerged)
    notes = [each + "/" for each in (folder.settings.memories_folder, folder.settings.episodes_folder)]
    changed = sum(key.startswith(tuple(notes)) for key in report.changed)
    tops = (folder.settings.private_folder, OWN)
    ignored = ignores(folder, *(f"{top}/mem_000000000000.md" for top in tops))
    ignored = ignored and not tracked_below(folder, *tops)
    return GitState(ignored, changed, report.upstream, report.ahead, report.behind, under_way(folder))


def uncommitted(folder: Folder, keys: Iterable[str]) -> dict[str, bool]:
    """The files at these paths that differ from the last commit, and whether git knows each of them."""
    report = _report(folder, list(keys))
    return report.changed if report else {}


@dataclass
class _Report:
    """What `git status` says."""

    changed: dict[str, bool]  # by key, whether git knows the file
    upstream: str = ""
    ahead: int = 0
    behind: int = 0
    unmerged: bool = False


def _report(folder: Folder, keys: Sequence[str]) -> _Report | None:
    """Ask git for everything at once; None if it does not answer."""
    if _waits_at_a_pipe(folder, keys):
        return None
    options = ("--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
    pathspecs = (f":(literal){key}" for key in keys)
    answer = _git(folder, "status", *options, "--", *pathspecs, options=_without_filters(folder))
    if answer is None:
        return None
    report, below, upstream = _Report({}), len(prefix(folder)), ""
    for line in filter(None, answer.split("\0")):
        kind, _, rest = line.partition(" ")
        if kind in _FIELDS_BEFORE_PATH:
            report.changed[rest.split(" ", _FIELDS_BEFORE_PATH[kind])[-1][below:]] = kind != "?"
            report.unmerged |= kind == "u"
        elif rest.startswith("branch.upstream "):
            upstream = rest.partition(" ")[2]
        elif rest.startswith("branch.ab "):  # only if the upstream branch exists
            report.upstream = upstream
            report.ahead, report.behind = (abs(int(each)) for each in rest.split()[1:])
    return report


def under_way(folder: Folder) -> str:
    """What somebody has begun with git and not finished: a merge, a rebase …; empty if there is nothing."""
    git_dir = git_folder(folder.root)
    if git_dir is None:
        return ""
    named = next((what for name, what in _UNDER_WAY.items() if (git_dir / name).exists()), "")
    return named or ("merge" if _has_unmerged(folder, git_dir) else "")


def _has_unmerged(folder: Folder, git_dir: Path) -> bool:
    """Whether files wait to be merged, as after a stash: only git's index tells."""
    stamp = index_stamp(git_dir)
    if stamp is None:
        return False
    seen = _seen.get(folder.root)
    if seen is None or seen[0] != stamp:
        seen = _seen[folder.root] = (stamp, bool(unmerged(folder)))
    return seen[1]


def unmerged(folder: Folder) -> dict[str, set[int]]:
    """The files of the vault that git could not merge, and which versions it has: 1 base, 2 ours, 3 theirs."""
    found: dict[str, set[int]] = {}
    for line in _records(_git(folder, "ls-files", "--unmerged", "-z", "--", ".")):
        record, _, key = line.partition("\t")
        found.setdefault(key, set()).add(int(record[-1]))
    return found


def version(folder: Folder, key: str, stage: int) -> bytes | None:
    """One version of a file that git could not merge."""
    return _bytes(folder, "cat-file", "blob", f":{stage}:./{key}")


def versions(folder: Folder, key: str) -> list[bytes]:
    """What a file said in the latest commits that changed it, newest first."""
    commits = _lines(_git(folder, "log", "--all", "--format=%H", f"-n{_LATEST}", "--", f":(literal){key}"))
    found = (_bytes(folder, "cat-file", "blob", f"{commit}:./{key}") for commit in commits)
    return [each for each in found if each is not None]


def git_folder(root: Path) -> Path | None:
    """Git's own folder of the vault's work tree, found without asking git."""
    found = _work_tree(root)
    return found[1] if found else None


def _work_tree(root: Path) -> tuple[Path, Path] | None:
    """The top of the vault's work tree, and git's own folder."""
    for top in (root, *root.parents):
        if not os.path.exists(f"{top}/.git"):  # noqa: PTH110 - every command asks several times, and few folders have one
            continue
        found = top / ".git"
        try:
            if found.is_file():  # a worktree or submodule: the file says where the folder is
                with found.open(encoding="utf-8") as file:
                    found = top / file.readline(_LONGEST_PATH).removeprefix("gitdir:").strip()
            if (found / "HEAD").exists():
                return top, found
        except (OSError, ValueError):
            continue
    return None


def index_stamp(git_dir: Path | None) -> tuple[int, int] | None:
    """A stamp that changes with git's index; None if there is no index."""
    try:
        found = (git_dir / "index").stat() if git_dir else None
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if found else None


def shared_folder(folder: Folder) -> Path | None:
    """The folder with the settings of a clone, which its worktrees share."""
    git_dir = git_folder(folder.root)
    said = git_dir / "commondir" if git_dir else None
    if git_dir is None or said is None or not said.is_file():
        return git_dir
    return (git_dir / said.read_text(encoding="utf-8").strip()).resolve()


def prefix(folder: Folder) -> str:
    """The vault's path in its repository, with a slash at the end; empty if it is the repository's root."""
    found = _work_tree(folder.root)
    below = folder.root.relative_to(found[0]).as_posix() if found else "."
    return "" if below == "." else below + "/"


def setting(folder: Folder, name: str) -> str:
    """A setting of this clone."""
    return (_git(folder, "config", "--local", "--get", name) or "").rstrip("\n")


def change_setting(folder: Folder, name: str, value: str) -> bool:
    """Set a setting of this clone; returns whether git did."""
    return _git(folder, "config", "--local", name, value) is not None


def make_repository(folder: Folder) -> bool:
    """Make the vault a repository; returns whether git did."""
    return _git(folder, "init", "--quiet") is not None


def mark_resolved(folder: Folder, key: str) -> bool:
    """Tell git that a conflict in a file is resolved, perhaps by removing it: what `git add` does.

    Does nothing, and returns False, if git would run a filter: the owner must do that.
    """
    if _waits_at_a_pipe(folder, [key]):
        return False
    filtered = (_git(folder, "check-attr", "-z", "filter", "--", key) or "").split("\0")
    if filtered[2:3] not in (["unspecified"], ["unset"]):
        return False
    return _git(folder, "add", "--all", "--", f":(literal){key}") is not None


def last_commit(folder: Folder) -> int | None:
    """When the last commit was made, in seconds."""
    found = (_git(folder, "log", "-1", "--format=%ct") or "").strip()
    return int(found) if found else None


def on_a_branch(folder: Folder) -> bool:
    """Whether a branch is checked out; without one, the next checkout would lose a commit."""
    git_dir = git_folder(folder.root)
    try:
        return git_dir is not None and (git_dir / "HEAD").read_bytes().startswith(b"ref:")
    except OSError:
        return False


def commit(folder: Folder, message: str, changed: Mapping[str, bool]) -> str:
    """Commit exactly these files, as `uncommitted` gave them. Returns why git did not, or an empty text.

    The owner's hooks are run, in the owner's environment. If one refuses, git's index is as it was.
    """
    if _waits_at_a_pipe(folder, changed):
        return "a pipe stands in the place of one of git's lists"
    new = [key for key, known in changed.items() if not known]
    said = _run_on_files(folder, new, "add", "--intent-to-add") if new else ""
    said = said or _run_on_files(folder, changed, "commit", "--quiet", "--message", message)
    if said and new:
        _run_on_files(folder, new, "rm", "--cached", "--quiet", "--ignore-unmatch")
    return said


def _run_on_files(folder: Folder, keys: Iterable[str], *arguments: str) -> str:
    """Run a git command on these files; returns what git said if it failed."""
    program = shutil.which("git", path=folder.env.get("PATH"))
    if program is None:
        return "git is not on the path"
    ours = {name: value for name, value in folder.env.items() if not name.startswith("GIT_") or name in _IDENTITY}
    with subprocess.Popen(
        [program, *_SAFE, "-C", str(folder.root), *arguments, "--pathspec-from-file=-", "--pathspec-file-nul"],
        env={**ours, "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate("\0".join(keys).encode(errors="surrogateescape"), timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)  # git removes its locks, and a hook ends too
            return f"it took longer than {_SECONDS:.0f} seconds"
    text = " ".join(said.decode(errors="replace").split())[:_LONGEST_MESSAGE]
    return "" if process.returncode == 0 else text or f"git ended with code {process.returncode}"


def _without_filters(folder: Folder) -> list[str]:
    """Options that keep git from running the filters that settings name."""
    if not _may_filter(folder):
        return []
    names = {
        line.rpartition(".")[0] for line in _lines(_git(folder, "config", "--name-only", "--get-regexp", r"^filter\."))
    }
    return [
        part for name in sorted(names) for what in ("clean", "smudge", "process") for part in ("-c", f"{name}.{what}=")
    ]


def _may_filter(folder: Folder) -> bool:
    """Whether git's settings mention filters, or include files that may. If not, git need not be asked."""
    home = Path(folder.env.get("HOME") or Path.home())
    settings = [Path("/etc/gitconfig"), home / ".gitconfig"]
    settings.append(Path(folder.env.get("XDG_CONFIG_HOME") or home / ".config", "git/config"))
    try:
        for git_dir in (shared_folder(folder), git_folder(folder.root)):
            settings += [git_dir / "config", git_dir / "config.worktree"] if git_dir else []
        texts = [file.read_bytes().lower() for file in settings if file.is_file()]
    except (OSError, ValueError):
        return True
    return any(b"filter" in text or b"include" in text for text in texts)


def _lines(output: str | None) -> list[str]:
    return [line for line in (output or "").split("\n") if line]


def _records(output: str | None) -> list[str]:
    """The records of git's -z output, which end in NUL because a file name may contain newlines."""
    return [record for each in (output or "").split("\0") if (record := each.removeprefix("\n"))]


def _plain(folder: Folder, key: str) -> bool:
    """Whether git can read this file without waiting: it is a regular file, a link, or missing."""
    try:
        found = folder.tree.stat(key)
    except OSError:
        return True  # behind a link that we do not follow, but git may
    return found is None or stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)


def _waits_at_a_pipe(folder: Folder, keys: Iterable[str]) -> bool:
    """Whether git would wait at a pipe: one of the lists that it reads above or below these files is one."""
    for key in keys:
        above = itertools.accumulate(native(key).split("/")[:-1], lambda parent, name: f"{parent}/{name}")
        lists = [f"{parent}/{name}" for parent in above for name in _READ_BY_GIT]
        with contextlib.suppress(OSError):  # no folder, or not one of ours
            for _, folders, others in folder.tree.walk("" if key == "." else key):
                folders[:] = [each for each in folders if each not in (".git", OWN)]
                lists += [each for each in others if each.endswith(_READ_BY_GIT)]
        with contextlib.suppress(OSError):
            if any(map(folder.tree.is_pipe, lists)):
                return True
    return False


def _git(folder: Folder, *arguments: str, options: Iterable[str] = ()) -> str | None:
    """What git answers; None if it fails, is missing, or might take too long."""
    answer = _bytes(folder, *arguments, options=options)
    return None if answer is None else answer.decode(errors="replace")


def _bytes(folder: Folder, *arguments: str, options: Iterable[str] = ()) -> bytes | None:
    # outside a repository, starting git to be told so takes longer than all the rest of a `status`
    above = (os.path.lexists(top / ".git") for top in (folder.root, *folder.root.parents))
    if arguments[0] != "init" and not any(above):
        return None
    program = shutil.which("git", path=folder.env.get("PATH"))
    if program is None or not all(_plain(folder, f".git/{name}") for name in _ALWAYS_READ):
        return None
    if "--cached" not in arguments and any(map(folder.tree.is_pipe, _READ_BY_GIT)):
        return None
    env = {name: folder.env[name] for name in ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT") if name in folder.env}
    try:
        done = subprocess.run(
            [program, *_SAFE, *options, "-C", str(folder.root), *arguments],
            env=env | _SAFE_ENV,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def ignoring(before: bytes | None, private: str) -> bytes:
    """The text of a .gitignore with the private folder and ours in it; other people's lines stay."""
    present = {line.strip().lstrip(b"/").rstrip(b"/") for line in (before or b"").splitlines()}
    return with_lines(before, [f"{top}/" for top in (private, OWN) if top.encode() not in present])


def with_lines(before: bytes | None, missing: Iterable[str]) -> bytes:
    """One of git's lists with lines added at its end."""
    before, missing = before or b"", list(missing)
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    after = before if not before or before.endswith(b"\n") or not missing else before + newline
    return after + b"".join(line.encode() + newline for line in missing)
