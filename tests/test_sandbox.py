"""Commands in an agent's sandbox: the home folder is read-only, rights are narrowed, processes end with the command."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Answer, Command
from daemons import served, wait_for
from helpers import as_anybody

from vault_mem.daemon import protocol
from vault_mem.index import borrowed

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2


def _why_not() -> str:
    if not shutil.which("bwrap"):
        return "no bubblewrap here"
    tried = subprocess.run(["bwrap", "--ro-bind", "/", "/", "true"], capture_output=True, text=True, check=False)
    return f"bubblewrap does not run here: {tried.stderr.strip()}" if tried.returncode else ""


in_bubblewrap = pytest.mark.skipif(bool(_why_not()), reason=_why_not() or "-")


class Sandboxed(Command):
    """The command as an agent's sandbox runs it: all is read-only but some folders."""

    def confined(
        self, *arguments: str, writable: tuple[Path, ...] = (), full: Path | None = None, network: bool = False
    ) -> Answer:
        folder = str(self.cwd.parent)  # which may be below /dev
        binds = ["--ro-bind", folder, folder]
        binds += [word for path in writable for word in ("--bind", str(path), str(path))]
        binds += ["--size", "4096", "--tmpfs", str(full)] if full else []
        isolation = ["--unshare-pid", *([] if network else ["--unshare-net"]), "--die-with-parent"]
        command = [
            *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *binds, *isolation),
            *(sys.executable, "-m", "vault_mem", *arguments),
        ]
        done = subprocess.run(
            command, cwd=self.cwd, env=self.env, capture_output=True, text=True, timeout=120, check=False
        )
        return Answer(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def sandboxed(cli: Command, tmp_path: Path) -> Sandboxed:
    """A vault whose index is in a home folder, both known to commands outside."""
    command = Sandboxed(cli.cwd, cli.env | {"VAULT_MEM_RUNTIME_DIR": str(tmp_path / "run")})
    command.env.pop("VAULT_MEM_DAEMON")
    cli.run("remember", "The ferry leaves at nine.")
    cli.run("remember", "The crane is green.")
    return command


@in_bubblewrap
def test_saves_and_reads_where_the_home_folder_is_read_only(sandboxed: Sandboxed, cli: Command, tmp_path: Path) -> None:
    # fresh, though the index cannot be written; what was saved is found outside afterwards
    index = {path: path.stat().st_mtime_ns for path in (tmp_path / "index").rglob("*")}
    saved = sandboxed.confined("remember", "The heron came back on Sunday.", "--json", writable=(cli.cwd,))
    assert saved.code == 0 and saved.json["status"] == "saved", saved.err
    again = sandboxed.confined("remember", "The ferry leaves at nine.", "--json", writable=(cli.cwd,))
    assert again.code == 3 and again.json["status"] == "duplicate"
    found = sandboxed.confined("recall", "heron", "--json", writable=(cli.cwd,))
    assert found.json["results"][0]["id"] == saved.json["memory"]["id"] and found.json["stale"] is False
    assert not list((cli.cwd / ".vault-mem").glob("vault-mem-index-*")) and not (tmp_path / "run").exists()
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "index").rglob("*")} == index
    assert cli.json("recall", "heron")["results"][0]["id"] == saved.json["memory"]["id"]


@in_bubblewrap
def test_reads_where_nothing_can_be_written(sandboxed: Sandboxed, cli: Command) -> None:
    # what is there is read as it is; newer files are counted, and a save says where it could not write
    for note in cli.cwd.glob("memories/*/*.md"):
        os.utime(note, ns=(10**18, 10**18))  # long enough ago not to be looked at again
    cli.run("status")
    found = sandboxed.confined("recall", "ferry", "--json")
    assert found.code == 0 and "ferry" in found.json["results"][0]["content"] and found.json["stale"] is False
    (cli.cwd / "memories/new.md").write_text("The tide is high at noon.\n")
    behind = sandboxed.confined("recall", "ferry", "--json")
    assert behind.json["stale"] is True and behind.json["pending"] == 1 and behind.json["results"]
    refused = sandboxed.confined("remember", "Nothing can be written here.")
    assert refused.code == 1 and str(cli.cwd) in refused.err and "Read-only" in refused.err
    assert "setup AGENT --sandbox" in refused.err


@in_bubblewrap
def test_saves_and_reads_where_the_disk_of_the_index_is_full(
    sandboxed: Sandboxed, cli: Command, tmp_path: Path
) -> None:
    # S-3: the vault has room, so what is to be saved is saved
    index, elsewhere = tmp_path / "index", tmp_path / "elsewhere"
    elsewhere.mkdir()
    sandboxed.env["TMPDIR"] = str(elsewhere)
    sandbox = {"writable": (cli.cwd, elsewhere), "full": index}
    saved = sandboxed.confined("remember", "The heron came back on Sunday.", "--json", **sandbox)
    assert saved.code == 0 and saved.json["status"] == "saved", saved.err
    found = sandboxed.confined("recall", "heron", "--json", **sandbox)
    assert found.json["results"][0]["id"] == saved.json["memory"]["id"] and found.json["stale"] is False
    sandboxed.env["TMPDIR"] = str(index)
    nowhere = sandboxed.confined("recall", "heron", writable=(), full=index)
    assert nowhere.code == 1 and str(index) in nowhere.err and "index_dir" in nowhere.err


@in_bubblewrap
def test_a_daemon_outside_answers_into_the_sandbox(tmp_path: Path) -> None:
    with served(tmp_path) as command:
        command.spawn("remember", "The ferry leaves at nine.")
        inside = Sandboxed(command.cwd, {**os.environ, **command.env})
        saved = inside.confined("remember", "The heron came back.", "--json", network=True)
        assert saved.json["status"] == "saved"  # the vault is read-only in there: it was the daemon
        assert command.json("list")["total"] == 2


SOCKET_CALL = {"x86_64": 41, "aarch64": 198}


class _Program(ctypes.Structure):
    """A filter of system calls, as the kernel takes it."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


def _no_unix_sockets() -> None:
    """Let this process make no socket of the machine's own kind, as Claude Code's sandbox does."""
    lines = (
        (0x20, 0, 0, 0),  # the number of the call
        (0x15, 0, 3, SOCKET_CALL[platform.machine()]),  # not socket: let it pass
        (0x20, 0, 0, 16),  # its first argument
        (0x15, 0, 1, socket.AF_UNIX),  # another family: let it pass
        (0x06, 0, 0, 0x50000 | errno.EPERM),
        (0x06, 0, 0, 0x7FFF0000),
    )
    packed = b"".join(struct.pack("HBBI", *line) for line in lines)
    program = _Program(len(lines), packed)
    assert ctypes.CDLL(None).prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(program)) == 0


def narrowed(command: Command, *arguments: str, daemon: str = "", sockets: bool = True) -> Answer:
    """The command with no right to gain rights, as in every agent's sandbox; some allow no sockets either."""

    def narrow() -> None:
        ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if not sockets:
            _no_unix_sockets()

    done = subprocess.run(
        [sys.executable, "-m", "vault_mem", *arguments],
        cwd=command.cwd,
        env={**os.environ, **command.env, "VAULT_MEM_DAEMON": daemon},
        capture_output=True,
        text=True,
        preexec_fn=narrow,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(sys.platform != "linux", reason="rights are narrowed like this on Linux")
def test_who_may_do_less_never_becomes_the_daemon_of_all(tmp_path: Path) -> None:
    with served(tmp_path) as command:
        saved = narrowed(command, "remember", "The crane is green.")
        assert saved.code == 0 and not command.alive()
        command.spawn("status")
        assert command.alive()
        assert "crane" in narrowed(command, "recall", "crane").out  # one that is there is used


@pytest.mark.skipif(sys.platform != "linux", reason="rights are narrowed like this on Linux")
def test_a_daemon_of_those_who_may_do_less_is_theirs_alone(tmp_path: Path) -> None:
    # L-4: where the user wants one even so; everybody else's takes the vault over
    with served(tmp_path) as command:
        assert narrowed(command, "remember", "The crane is green.", daemon="on").code == 0
        assert command.alive() and not Path(command.address + ".sock").exists()
        assert "crane" in command.spawn("recall", "crane").out
        assert command.pid() is not None and Path(command.address + ".sock").exists()
        wait_for(lambda: not Path(command.address + protocol.NARROWED + ".sock").exists())


@pytest.mark.skipif(platform.machine() not in SOCKET_CALL or sys.platform != "linux", reason="needs Linux's seccomp")
def test_where_no_socket_may_be_made(tmp_path: Path) -> None:
    # Claude Code's sandbox on Linux, as it is by default: it works without the daemon, though there is one
    with served(tmp_path) as command:
        command.spawn("remember", "The ferry leaves at nine.")
        assert command.alive()
        found = narrowed(command, "recall", "ferry", sockets=False)
        assert found.code == 0 and "nine" in found.out and not found.err
        assert narrowed(command, "remember", "The crane is green.", sockets=False).code == 0
        assert "crane" in command.spawn("recall", "crane").out


@pytest.mark.skipif(sys.platform != "linux", reason="there is no folder here that even root may not write to")
def test_an_index_that_may_not_be_made_is_built_for_the_moment(cli: Command) -> None:
    nowhere = {"VAULT_MEM_INDEX_DIR": "/sys/vault-mem"}
    saved = cli.run("remember", "The ferry leaves at nine.", "--json", env=nowhere)
    assert saved.code == 0
    assert cli.run("remember", "The ferry leaves at nine.", env=nowhere).code == 3
    assert cli.json("recall", "ferry")["results"][0]["id"] == saved.json["memory"]["id"]


def test_an_index_in_a_folder_that_may_not_be_written(cli: Command, tmp_path: Path) -> None:
    cli.run("remember", "The ferry leaves at nine.")
    places = [tmp_path / "index", *(each for each in (tmp_path / "index").rglob("*") if each.is_dir())]
    (tmp_path / "tmp").mkdir()
    cli.env["TMPDIR"] = str(tmp_path / "tmp")
    for place in places:
        place.chmod(0o500)
    found = as_anybody(cli, "recall", "ferry", "--json")
    for place in places:
        place.chmod(0o700)
    assert found.code == 0 and found.json["results"] and "damaged" not in found.err
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc here")
def test_an_index_that_may_not_be_locked(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # fresh, as in a folder that cannot be written
    cli.run("remember", "The ferry leaves at nine.")
    lock = fcntl.flock

    def refused(handle: int, operation: int) -> None:
        if Path(f"/proc/self/fd/{handle}").readlink().is_relative_to(tmp_path / "index"):
            raise OSError(errno.ENOLCK, "No locks available")
        lock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", refused)
    assert cli.run("remember", "The crane is green.").code == 0
    found = cli.json("recall", "crane")
    assert found["results"] and found["stale"] is False


def test_what_killed_processes_left_is_taken_away(tmp_path: Path) -> None:
    old, new = tmp_path / "vault-mem-index-old", tmp_path / "vault-mem-index-new"
    for each in (old, new):
        each.mkdir()
    os.utime(old, (0, 0))
    borrowed._clear(tmp_path)
    assert not old.exists() and new.exists()
