"""Whatever happens to the daemon, the next command works, and no memory is lost or doubled."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemons import Served, beside, served, wait_for, waits_for_input
from helpers import leftovers, memory

import vault_mem
from vault_mem.daemon import protocol


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as command:
        memory(command.root, "memories/basil-aaaa1111.md", "mem_aaaa11110000", "The basil died of cold.")
        yield command


def saved(command: Served) -> list[str]:
    return [each["content"] for each in command.json("list", "--all", env={"VAULT_MEM_DAEMON": "off"})["memories"]]


def test_fifty_first_calls_and_what_a_killed_daemon_leaves(one: Served) -> None:
    # one daemon however many start it, in however many vaults; a socket and locks left behind are in nobody's way
    vaults = [one, beside(one, "second"), beside(one, "third")]
    for vault in vaults[1:]:
        memory(vault.root, "memories/basil-aaaa1111.md", "mem_aaaa11110000", "The basil died of cold.")
    assert one.spawn("recall", "basil").code == 0
    os.kill(one.pid(), signal.SIGKILL)
    assert Path(one.address + ".sock").exists()
    chosen = [vaults[number % 3] for number in range(50)]
    processes = [vault.start("recall", "basil", "--json", stdin=subprocess.DEVNULL) for vault in chosen]
    answers = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * 50
    assert all(b'"mem_aaaa11110000"' in out and b'"stale": false' in out for out, _ in answers)
    logs = [(vault.root / ".vault-mem/log/daemon.log").read_text() for vault in vaults]
    assert [log.count("started:") for log in logs] == [2, 1, 1]
    assert len(_daemons_of(one)) == 1


def _daemons_of(command: Served) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (process / "cmdline").read_bytes().split(b"\0")
            if b"vault_mem.daemon" in line and os.fsencode(command.env["VAULT_MEM_RUNTIME_DIR"]) in b"\0".join(line):
                found.append(process.name)
    return found


def test_killed_at_random_moments_during_writes(one: Served, soak: bool) -> None:
    # V-8: every remember says that it saved, once, whenever the daemon dies
    rounds = 200 if soak else 3
    choose = random.Random(6)
    texts = [f"Entry {number}: the {choose.choice(WORDS)} and the {choose.choice(WORDS)}." for number in range(rounds)]
    done = threading.Event()

    def kill_now_and_then() -> None:
        while not done.wait(choose.uniform(0.0, 6.0)):
            one.kill()

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    try:
        for text in texts:
            answer = one.spawn("remember", text, "--force")
            assert answer.code == 0, (answer.out, answer.err)
            assert answer.out.startswith("Saved (id: mem_"), answer.out
    finally:
        done.set()
        killer.join()
    one.kill()
    contents = saved(one)
    assert [contents.count(text) for text in texts] == [1] * rounds
    assert one.run("remember", "And after all that, a last one.").code == 0  # no stale lock
    assert not leftovers(one.root)
    assert not list((one.root / ".vault-mem/journal").glob("*.pending"))


WORDS = "kestrel ledger tide quince harbour violin museum envelope router greenhouse choir bakery".split()


def test_killed_after_the_commit_and_before_the_answer(one: Served) -> None:
    # the client tells what was done, and does not do it again
    assert one.spawn("recall", "basil").code == 0
    text = "Saved, but nobody was told."
    arguments = ["remember", text]
    id_ = "feedfacefeedface"
    connection = one.send(*arguments, id_=id_)
    assert protocol.Messages(connection).next()[0] == protocol.ACCEPTED
    wait_for(lambda: list((one.root / ".vault-mem/journal").glob(f"*.{id_}.json")))
    one.kill()
    call = f"resume({str(one.root)!r}, {arguments!r}, {id_!r})"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; from vault_mem.cli.after_crash import resume; sys.exit({call})"],
        cwd=one.root,
        env={**os.environ, **one.env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "died before it could answer" in done.stderr
    assert done.stdout.startswith("Saved (id: mem_")
    assert saved(one).count(text) == 1


def test_killed_before_the_commit(one: Served) -> None:
    # taken, but not done: the client does it, with the input that the daemon took with it
    assert one.spawn("recall", "basil").code == 0
    vaults = [one, beside(one, "second")]
    processes = [vault.start("remember", "-", "--json") for vault in vaults]
    for process in processes:
        process.stdin.write(b"Told twice, ")
        process.stdin.flush()
        wait_for(lambda taken=process: waits_for_input(taken))
    one.kill()
    for vault, process in zip(vaults, processes, strict=True):
        out, err = process.communicate(b"saved once.", timeout=120)
        assert process.returncode == 0, err
        assert saved(vault).count("Told twice, saved once.") == 1, out


def test_told_to_end_while_it_works(one: Served) -> None:
    # SIGTERM loses nothing: what was taken is finished, what was not is done by the next
    assert one.spawn("recall", "basil").code == 0
    texts = [f"Written in the last moment, number {number}." for number in range(6)]
    processes = [one.start("remember", text, "--force", stdin=subprocess.DEVNULL) for text in texts]
    time.sleep(0.1)
    os.kill(one.pid(), signal.SIGTERM)
    outs = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * 6, outs
    contents = saved(one)
    assert [contents.count(text) for text in texts] == [1] * 6


def test_another_version_takes_over(one: Served, tmp_path: Path) -> None:
    # L-4: and takes over the one vault; the others stay where they are
    second = beside(one, "second")
    assert one.spawn("daemon", "start").code == 0
    assert second.spawn("recall", "basil").code == 0
    first = one.pid()
    package = tmp_path / "newer" / "vault_mem"
    shutil.copytree(Path(vault_mem.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    init = package / "__init__.py"
    init.write_text(init.read_text().replace(f'__version__ = "{vault_mem.__version__}"', '__version__ = "99.0.0"'))
    newer = {"PYTHONPATH": str(package.parent)}
    answer = one.spawn("recall", "basil", env=newer)
    assert (answer.code, "died of cold" in answer.out) == (0, True)
    status = one.spawn("daemon", "status", "--json", env=newer).json
    assert status["version"] == "99.0.0"
    assert status["pid"] != first
    assert second.spawn("daemon", "status", "--json").json["pid"] == first == second.pid()
    everyone = second.run("daemon", "status", "--all", "--json").json["daemons"]
    assert {each["vault"]: each["version"] for each in everyone} == {
        str(one.root): "99.0.0",
        str(second.root): vault_mem.__version__,
    }
    # another installation of the same version uses the daemon that has the vault open
    init.write_text(init.read_text().replace("99.0.0", vault_mem.__version__))
    assert second.spawn("daemon", "status", "--json", env=newer).json["pid"] == first
    # and with its last vault a daemon ends
    assert second.spawn("daemon", "stop").out == "Stopped.\n"
    wait_for(lambda: len(_daemons_of(one)) == 1)
    assert second.run("daemon", "stop", "--all").out == "Stopped.\n"
    wait_for(lambda: not _daemons_of(one))


def test_it_ends_when_nobody_needs_it(one: Served) -> None:
    one.env["VAULT_MEM_PACE"] = "8"
    assert one.run("config", "set", "--user", "idle_seconds", "1").code == 0
    assert one.spawn("recall", "basil").code == 0
    wait_for(lambda: not one.alive())
    wait_for(lambda: not Path(one.address + ".sock").exists())
    assert one.spawn("daemon", "start").code == 0  # this one was asked for, and stays
    assert one.run("daemon", "status", "--json").json["automatic"] is False
    # the vault is gone
    one.root.rename(one.root.with_name("moved"))
    wait_for(lambda: not Path(one.address + ".sock").exists())
    moved = Served(one.root.with_name("moved"), one.env)
    wait_for(lambda: not moved.alive())
    assert moved.in_process("recall", "basil").code == 0


def test_no_place_for_a_socket(one: Served, tmp_path: Path) -> None:
    # a path that is too long, or a folder that others can write to, is not used; the next place is
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True, mode=0o700)
    shared = Path(tempfile.mkdtemp(prefix="vm-", dir="/tmp"))
    shared.chmod(0o777)
    try:
        one.env |= {"VAULT_MEM_RUNTIME_DIR": str(deep), "XDG_RUNTIME_DIR": str(shared)}
        (shared / "vault-mem").mkdir(mode=0o777)
        (shared / "vault-mem").chmod(0o777)
        assert "died of cold" in one.spawn("recall", "basil").out
        assert not list(deep.iterdir()) and not list((shared / "vault-mem").iterdir())
        assert one.alive()
    finally:
        one.kill()
        for left in Path(one.address).parent.glob(Path(one.address).name + ".*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        shutil.rmtree(shared)


def test_a_daemon_with_another_folder_for_sockets(one: Served) -> None:
    # it runs, and cannot be talked to: that is said at once, with what to do
    assert one.spawn("daemon", "start").code == 0
    folder = one.env["VAULT_MEM_RUNTIME_DIR"]
    other = tempfile.mkdtemp(prefix="vm-", dir="/tmp")
    environment = {"VAULT_MEM_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": other}
    try:
        began = time.monotonic()
        for word in ("stop", "restart", "status", "start"):
            answer = one.spawn("daemon", word, env=environment)
            assert answer.code == 6
            assert f"(pid {one.pid()}) cannot be reached: its socket is in {folder}, " in answer.err
            assert f"looks in {other}/vault-mem" in answer.err
            assert f"VAULT_MEM_RUNTIME_DIR={folder}" in answer.err
        assert time.monotonic() - began < 30  # and not after waiting for it to end
        assert one.alive()
        assert one.spawn("daemon", "stop", env=environment | {"VAULT_MEM_RUNTIME_DIR": folder}).out == "Stopped.\n"
        assert one.spawn("daemon", "stop", env=environment).out == "It was not running.\n"
    finally:
        shutil.rmtree(other)


def test_somebody_else_listens_there(one: Served) -> None:
    # a process that accepts and says nothing, or nonsense, costs time and no answer
    for words in (b"", b"nonsense that is no message at all"):
        Path(one.address + ".sock").unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as impostor:
            impostor.bind(one.address + ".sock")
            impostor.listen()

            def hang_up(listener: socket.socket = impostor, said: bytes = words) -> None:
                with contextlib.suppress(OSError):  # until it is closed
                    while True:
                        connection, _ = listener.accept()
                        connection.sendall(said)
                        connection.close()

            thread = threading.Thread(target=hang_up)
            thread.start()
            assert "died of cold" in one.spawn("recall", "basil").out
            impostor.shutdown(socket.SHUT_RDWR)
            thread.join()
        one.kill()
