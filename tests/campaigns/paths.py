"""Put a link, pipe, folder, device or socket at each path that the tool opens, and run every command.

    python -m tests.campaigns.paths --seed 1 --cases 300
    python -m tests.campaigns.paths --only 'recall' --path SELF.md --kind fifo

No command may hang, fail in an unforeseen way, read or change what a link leads to, or remove what is there; `doctor`
must name it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .operations import OPERATIONS, READERS, Operation
from .stage import PATIENCE, UNEXPECTED, Answer, Stage, forked, parser_of, staged, summed_up

WORD = "zqoutsideword"  # a word that is only in files outside the vault

FILES = [
    "vault-mem.toml",
    ".gitignore",
    ".obsidian/types.json",
    ".obsidian/templates.json",
    "MEMORY.md",
    "SELF.md",
    "REVIEW.md",
    "memory/2026-11-16.md",
    "memory/inner-monologue-latest.md",
    "history/2026-11.jsonl",
    "private/REVIEW.md",
    "private/.history/2026-11.jsonl",
    "{note}",
    "{private note}",
    "{episode}",
    "memories/2026-11/new.md",
    ".vault-mem/lock",
    ".vault-mem/daemon.lock",
    ".vault-mem/turns.json",
    ".vault-mem/activity.jsonl",
    ".vault-mem/deletions.jsonl",
    ".vault-mem/declined.jsonl",
    ".vault-mem/tidy.jsonl",
    ".vault-mem/log/daemon.log",
    ".vault-mem/purging/mem_0123456789ab.json",
    ".vault-mem/edits/{dues}.md",
    ".vault-mem/trash/{gone}.json",
    ".vault-mem/candidates/0123456789ab.json",
    "{refused}",
    "{last entry}",
    ".vault-mem/journal/000999-20261116T000000.pending",
    ".vault-mem/journal/000001-20261116T000000.0.was",
]
FOLDERS = (
    "memories memories/2026-11 private private/.history episodes memory history .vault-mem .vault-mem/journal "
    ".vault-mem/trash .vault-mem/blocked .vault-mem/edits .vault-mem/log .vault-mem/purging .vault-mem/candidates "
    ".vault-mem/cookies".split()
)


def _link(path: Path, outside: Path) -> None:
    """Link to a copy of what was there, in which every file has `WORD`."""
    target = outside / "target"
    if path.is_dir():
        shutil.move(path, target)
    else:
        if path.is_file():
            shutil.move(path, target)
        target.touch()
    for each in [target] if target.is_file() else target.rglob("*"):
        if each.is_file():
            with each.open("a") as file:
                file.write(f"\n# {WORD}\n")
    path.symlink_to(target)


def _dangling(path: Path, outside: Path) -> None:
    _cleared(path).symlink_to(outside / "not there")


def _fifo(path: Path, outside: Path) -> None:
    os.mkfifo(_cleared(path))


def _other(path: Path, outside: Path) -> None:
    """Replace a file by a folder, a folder by a file."""
    was_folder = path.is_dir()
    _cleared(path)
    if was_folder:
        path.write_text("a file\n")
    else:
        path.mkdir()


def _device(path: Path, outside: Path) -> None:
    os.mknod(_cleared(path), 0o600 | stat.S_IFCHR, os.makedev(1, 3))


def _socket(path: Path, outside: Path) -> None:
    _cleared(path)
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as listener:  # a socket's path must be short
        listener.bind(path.name)


def _cleared(path: Path) -> Path:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    return path


KINDS: dict[str, Callable[[Path, Path], None]] = {
    "link": _link,
    "dangling link": _dangling,
    "fifo": _fifo,
    "other": _other,
    "device": _device,
    "socket": _socket,
}


@dataclass(frozen=True)
class Case:
    operation: Operation
    path: str
    kind: str
    served: bool = False

    @property
    def name(self) -> str:
        by = " --served" if self.served else ""
        return f"--only {self.operation.name!r} --path {self.path!r} --kind {self.kind!r}{by}"


def usable_kinds() -> list[str]:
    """The kinds that can be made here: only root can make a device."""
    return [kind for kind in KINDS if kind != "device" or os.geteuid() == 0]


def located(stage: Stage, path: str) -> Path:
    """Where a path of `FILES` is in this vault."""
    root = stage.vault
    note = {
        "{note}": lambda: next(root.glob("memories/*/the-harbour-dues*.md")),
        "{private note}": lambda: root / f"private/{stage.names['secret']}.md",
        "{episode}": lambda: next(root.glob("episodes/*.md")),
        "{refused}": lambda: next(root.glob(".vault-mem/blocked/*.json")),
        "{last entry}": lambda: max(root.glob(".vault-mem/journal/*.json")),
    }.get(path)
    return note() if note else root / stage.fill((path,))[0]


def look(folder: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """A picture of what is outside the vault, to see whether anything changed."""
    found = {}
    for path in sorted(folder.rglob("*")):
        result = path.lstat()
        data = path.read_bytes() if stat.S_ISREG(result.st_mode) else b""
        found[str(path.relative_to(folder))] = (result.st_mode, result.st_mtime_ns, result.st_size, data)
    return found


def run_case(stage: Stage, case: Case) -> list[str]:
    """Run a case; returns what went wrong."""
    outside, odd, path = _set(stage, case)
    before = look(outside)
    answer = _answer(stage, case)
    found = []
    if answer.ended:
        found.append(f"{answer.ended} {answer.err[-300:]}".strip())
    if unexpected := UNEXPECTED.search(answer.said):
        found.append(unexpected.group())
    changed = sorted(key for key in before.keys() | look(outside).keys() if before.get(key) != look(outside).get(key))
    if changed:
        found.append(f"changed what is outside: {', '.join(changed[:3])}")
    if WORD in answer.said or _holding(stage, outside):
        found.append("read what is outside")
    if not answer.ended and not _still_there(stage, odd):
        found.append("did away with what stood there")
    named = path.name in answer.said or path.parent.name in answer.said
    harmless = case.kind == "other" and path.suffix == ".md"  # a folder may have such a name
    if case.operation.name == "doctor" and not answer.ended and not named and not harmless:
        found.append("doctor does not name it")
    return found


def _set(stage: Stage, case: Case) -> tuple[Path, tuple[int, int], Path]:
    stage.restore()
    case.operation.before(stage)
    outside = stage.folder / "now" / "outside"
    outside.mkdir()
    path = located(stage, case.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    KINDS[case.kind](path, outside)
    result = path.lstat()
    return outside, (stat.S_IFMT(result.st_mode), result.st_ino), path


def _still_there(stage: Stage, odd: tuple[int, int]) -> bool:
    """Whether the odd thing is still in the vault, where it was or set aside."""
    for folder, names, files in os.walk(stage.vault):
        for name in (*names, *files):
            result = os.lstat(os.path.join(folder, name))  # noqa: PTH118
            if (stat.S_IFMT(result.st_mode), result.st_ino) == odd:
                return True
    return False


def _holding(stage: Stage, outside: Path) -> bool:
    """Whether a file of the vault or an export says what only the outside did."""
    for folder in (stage.vault, stage.out):
        for path in folder.rglob("*"):
            regular = stat.S_ISREG(path.lstat().st_mode) and path.resolve().is_relative_to(folder.resolve())
            if regular and WORD.encode() in path.read_bytes():
                return True
    return False


def _answer(stage: Stage, case: Case) -> Answer:
    words, stdin = case.operation.words, case.operation.stdin
    if not case.served:
        return forked(lambda: stage.command(*words, stdin=stdin, seed=99))
    return _served(stage, words, stdin)


def _served(stage: Stage, words: tuple[str, ...], stdin: str) -> Answer:
    """The command as a process, through a daemon that it starts; the daemon ends with it."""
    runtime = tempfile.mkdtemp(prefix="vm-", dir="/tmp")
    env = {**os.environ, **stage.env, "VAULT_MEM_DAEMON": "on", "VAULT_MEM_RUNTIME_DIR": runtime}
    command = [sys.executable, "-m", "vault_mem"]
    try:
        done = subprocess.run(
            [*command, *stage.fill(words)],
            input=stdin.encode(),
            capture_output=True,
            cwd=stage.home,
            env=env | {"VAULT_MEM_VAULT": str(stage.vault)},
            timeout=PATIENCE,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    except subprocess.TimeoutExpired:
        return Answer(None, ended="hung")
    finally:
        end_daemons(runtime)
        shutil.rmtree(runtime, ignore_errors=True)


def end_daemons(runtime: str) -> None:
    """End the daemons whose sockets are in this folder, and no others."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"VAULT_MEM_RUNTIME_DIR={runtime}".encode() in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), 9)
        except (OSError, ValueError):
            continue


def all_cases(options: argparse.Namespace) -> list[Case]:
    kinds = options.kind or usable_kinds()
    paths = options.path or [*FILES, *FOLDERS]
    operations = [each for each in (*OPERATIONS, *READERS) if not options.only or each.name in options.only]
    cases = [Case(each, path, kind) for each in operations for path in paths for kind in kinds]
    by_daemon = [each for each in OPERATIONS if each.name in ("recall", "remember", "tag")]
    served = [Case(each, path, kind, True) for each in by_daemon for path in paths for kind in kinds]
    if options.served:
        return [case for case in served if not options.only or case.operation.name in options.only]
    return cases + ([] if options.only else served)


def main() -> int:
    parser = parser_of("paths", __doc__, seed=1)
    parser.add_argument("--cases", type=int, default=300, help="how many, 0 for all")
    parser.add_argument("--only", action="append", help="only this operation (repeatable)")
    parser.add_argument("--path", action="append", help="only at this path (repeatable)")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this kind (repeatable)")
    parser.add_argument("--served", action="store_true", help="through a daemon, in processes of their own")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    cases = all_cases(options)
    total = len(cases)
    if 0 < options.cases < total:
        cases = random.Random(options.seed).sample(cases, options.cases)
    failures: dict[str, list[str]] = {}
    with staged("paths") as stage:
        stage_ready = forked(lambda: stage.command("backup", "{out}/made.tar.gz"))
        assert stage_ready.code == 0, stage_ready
        stage.save()
        started = time.monotonic()
        for number, case in enumerate(cases, 1):
            for problem in run_case(stage, case):
                label = f"{case.kind} at {case.path}: {problem}"
                failures.setdefault(label, []).append(case.name)
                if options.verbose:
                    print(f"{case.name}: {problem}", flush=True)
            if number % 100 == 0:
                passed = time.monotonic() - started
                print(f"{number}/{len(cases)} of {total}, {passed:.0f} s, {len(failures)} kinds", flush=True)
    return summed_up(options, len(cases), f"cases of {total}", failures)


if __name__ == "__main__":
    sys.exit(main())
