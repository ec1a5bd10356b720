"""What several tests use: notes as a person writes them, and pictures of a folder to compare."""

from __future__ import annotations

import ctypes
import io
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from conftest import Answer, Command

from vault_mem.cli.console import Console
from vault_mem.cli.main import run

HOUR = 3600


def note(root: Path, key: str, text: str | bytes, *, age: float = HOUR) -> Path:
    """A file as a person left it, some time ago."""
    path = root / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    if key.startswith("private/"):
        path.chmod(0o600)
    aged(path, age)
    return path


def memory(root: Path, key: str, id_: str, text: str, *front: str) -> Path:
    """A memory's file with an id, and further lines of front matter."""
    lines = "".join(line + "\n" for line in front)
    return note(root, key, f"---\nid: {id_}\ncreated: 2026-11-01T08:00:00\n{lines}---\n{text}\n")


def line_end(root: Path, id_: str) -> str:
    """How the line of a memory in a view ends: the link to its note, which we have named, and the marker."""
    (path,) = (root / "memories").rglob(f"*-{id_[4:12]}.md")
    return f"[[{path.stem}|↗]] [id:{id_}]"


def aged(path: Path, seconds: float = HOUR) -> None:
    """Make a file look as if it was last written `seconds` ago."""
    when = path.stat().st_mtime_ns - int(seconds * 1e9)
    os.utime(path, ns=(when, when))


def at(moment: str) -> dict[str, str]:
    """The environment of a command that runs at a moment, in Japan unless it says otherwise; a day begins at nine."""
    clock = moment if "T" in moment else f"{moment}T09:00:00"
    return {"VAULT_MEM_NOW": clock if clock[19:] else f"{clock}+09:00"}


def git(root: Path, *arguments: str) -> str:
    """What git says in a folder."""
    identity = ["-c", "user.email=a@example.org", "-c", "user.name=A"]
    done = subprocess.run(["git", *identity, "-C", root, *arguments], check=True, capture_output=True)
    return done.stdout.decode(errors="replace")


def contents(root: Path, *, own: bool = False) -> dict[str, bytes]:
    """Every file below a folder, hidden ones and links too; this machine's `.vault-mem/` only when asked for."""
    return {
        str(path.relative_to(root)): os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(root.rglob("*"))
        if (path.is_symlink() or path.is_file()) and (own or ".vault-mem" not in path.relative_to(root).parts)
    }


def states(root: Path) -> dict[str, tuple[int, int, int, int]]:
    """Inode, mode, size and mtime of every file and folder of a vault, but for `.vault-mem/`."""
    found = {}
    for path in sorted(root.rglob("*")):
        if ".vault-mem" not in path.relative_to(root).parts:
            result = path.lstat()
            found[str(path.relative_to(root))] = (
                result.st_ino,
                stat.S_IMODE(result.st_mode),
                result.st_size if path.is_file() else 0,
                result.st_mtime_ns if path.is_file() else 0,
            )
    return found


def leftovers(root: Path) -> list[str]:
    """Temporary files that a write left behind, anywhere in the vault."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*.tmp"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def public_text(root: Path) -> str:
    """All text that somebody with only the public files can read, file names included."""
    return "\n".join(
        f"{name}\n{data.decode(errors='replace')}"
        for name, data in contents(root).items()
        if not name.startswith("private/")
    )


def one_line(err: str) -> bool:
    """Whether an error is one line of what happened, at most one more of what to do."""
    lines = err.strip().splitlines()
    return lines[0].startswith("error: ") and len(lines) <= 2 and "Traceback" not in err


def all_of(terminal: int) -> str:
    """Everything that was written at the other end of a terminal until it was closed; one read may give only a part."""
    said = b""
    with suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(terminal, 65_536):
            said += part
    os.close(terminal)
    return said.decode()


class _Keyboard(io.BytesIO):
    def isatty(self) -> bool:
        return True


def at_a_terminal(cli: Command, *arguments: str, typed: str) -> Answer:
    """Run the command as a person does who types an answer."""
    out, err = io.StringIO(), io.StringIO()
    console = Console(cli.cwd, cli.env, _Keyboard(typed.encode()), out, err, interactive=True)
    code = run([str(each) for each in arguments], console)
    return Answer(code, out.getvalue(), err.getvalue())


def as_anybody(cli: Command, *arguments: str, cwd: Path | None = None) -> Answer:
    """Run the command as a real process that file permissions apply to, even if the tests run as root."""
    if os.geteuid() == 0 and sys.platform != "linux":
        pytest.skip("root may do everything here")

    def give_up_privileges() -> None:
        if os.geteuid() == 0:
            libc = ctypes.CDLL(None, use_errno=True)
            for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
                if libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
                    os._exit(99)

    done = subprocess.run(
        [sys.executable, "-m", "vault_mem", *arguments],
        cwd=cwd or cli.cwd,
        env={**os.environ, **cli.env},
        capture_output=True,
        timeout=120,
        check=False,
        preexec_fn=give_up_privileges,
    )
    if done.returncode == 99:
        pytest.skip("root cannot give up its privileges here")
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def no_longer_than(seconds: int) -> Iterator[None]:
    """Stop a test that hangs; the limit is far above what a working one needs."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
