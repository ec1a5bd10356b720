"""One daemon for all vaults of a user: what one of them goes through is not felt by the others (SPEC L-4)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Command
from daemons import Served, answer_on, beside, open_things, served, wait_for
from helpers import memory


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    with served(tmp_path_factory.mktemp("vaults")) as first:
        first.env["VAULT_MEM_PACE"] = "8"
        five = [first, *(beside(first, f"vault-{number}") for number in range(1, 5))]
        for number, vault in enumerate(five):
            memory(vault.root, "memories/heron.md", f"mem_00000000000{number}", f"The heron of vault {number}.")
        secret = {"AWS_SECRET_ACCESS_KEY": "wagtail", "HF_TOKEN": "wagtail"}
        assert first.spawn("recall", "heron", env=secret).code == 0
        for vault in five[1:]:
            assert vault.ask("recall", "heron").code == 0
        yield five


def is_open(vault: Served) -> bool:
    return vault.run("daemon", "status", "--json").json["running"]


def test_five_vaults_in_one_process(vaults: list[Served]) -> None:
    for number, vault in enumerate(vaults):
        assert vault.ask("recall", "heron", "--json").json["results"][0]["id"] == f"mem_00000000000{number}"
    status = vaults[2].run("daemon", "status", "--json").json
    assert {vault.pid() for vault in vaults} == {status["pid"]}
    assert [each["vault"] for each in status["vaults"]] == [str(vault.root) for vault in vaults]
    assert status["vault"] == str(vaults[2].root) and status["requests"] >= 2
    lines = vaults[0].run("daemon", "status").out.splitlines()
    assert "5 vaults open" in lines[0] and str(vaults[4].root) in lines[5]


def test_two_vaults_in_one_answer(vaults: list[Served]) -> None:
    # K-5: each lends what it has open, and commands that look into each other's vaults all end
    named = [each for vault in vaults[3:] for each in ("--vault", str(vault.root))]
    lines = [vaults[0].send("recall", "heron", "--json", *turned) for turned in (named, named[2:] + named[:2]) * 6]
    answers = [answer_on(line).json["results"] for line in lines]
    assert {frozenset(each["id"] for each in found) for found in answers} == {
        frozenset(("mem_000000000003", "mem_000000000004"))
    }
    told = {each["vault"]: each["requests"] for each in vaults[0].run("daemon", "status", "--json").json["vaults"]}
    assert min(told[str(vault.root)] for vault in vaults[3:]) >= 12


def test_logs_and_environments_are_kept_apart(vaults: list[Served]) -> None:
    # P-4; and what the client that started the process has in its environment is nobody else's
    first, second = vaults[:2]
    first.ask("remember", "Quetzalcoatlus", "--private", id_="a" * 16)
    second.ask("remember", "Archaeopteryx", id_="b" * 16)
    files = [vault.root / ".vault-mem/log/daemon.log" for vault in (first, second)]
    wait_for(lambda: "b" * 16 in files[1].read_text())  # the answer comes first
    logs = [file.read_text() for file in files]
    assert [("a" * 16 in log, "b" * 16 in log) for log in logs] == [(True, False), (False, True)]
    runtime = Path(first.env["VAULT_MEM_RUNTIME_DIR"])
    beside_socket = "".join(path.read_text() for path in runtime.glob("*.log*"))
    assert "a" * 16 not in beside_socket and "zalcoatlus" not in beside_socket + logs[0] + logs[1]
    if sys.platform == "linux":
        assert b"wagtail" not in Path(f"/proc/{first.pid()}/environ").read_bytes()


def feed(pipe: Path, text: bytes, until: threading.Event) -> None:
    """Give everybody who waits at a pipe what they wait for: the command, and the quiet work of its vault."""
    while not until.wait(0.1):
        with contextlib.suppress(OSError):
            write_to(pipe, text)


def write_to(pipe: Path, text: bytes) -> None:
    """Raises OSError where nobody reads."""
    handle = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    os.write(handle, text)
    os.close(handle)


def test_a_vault_that_hangs(vaults: list[Served]) -> None:
    # whatever waits for its disk waits alone: commands, its quiet moments, and its end
    hanging, other = vaults[0], vaults[1]
    current = Path(hanging.ask_json("status")["index_dir"]) / "current"
    kept = current.read_bytes()
    current.unlink()
    os.mkfifo(current)
    line = hanging.send("recall", "heron")
    try:
        began = time.monotonic()
        assert other.ask("recall", "heron").code == 0
        assert other.ask("remember", "A wren by the gate.").code == 0
        assert time.monotonic() - began < 20
        states = other.run("daemon", "status", "--json").json["vaults"]
        assert [each["at_work"] for each in states[:2]] == [1, 0]
    finally:
        answered = threading.Event()
        writer = threading.Thread(target=feed, args=(current, kept, answered))
        writer.start()
        answer = answer_on(line)
        answered.set()
        writer.join()
        pipe = current.rename(current.with_name("pipe"))
        current.write_bytes(kept)
        with contextlib.suppress(OSError):  # quiet work that has opened the pipe meanwhile would wait for ever
            while True:
                write_to(pipe, kept)
                time.sleep(0.1)
        pipe.unlink()
    assert answer.code == 0


def test_a_vault_that_is_being_written_by_somebody_else(vaults: list[Served]) -> None:
    # more commands wait for it than there are processors: the others do not wait behind them
    held, other = vaults[:2]
    handle = os.open(held.root / ".vault-mem/lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        lines = [
            held.send("remember", f"Waiting, number {number}.", "--force", id_=f"{number:016x}") for number in range(9)
        ]
        assert other.ask("remember", "Not waiting.").code == 0
        assert "heron" in other.ask("recall", "heron").out
    finally:
        os.close(handle)
    assert [answer_on(line).code for line in lines] == [0] * 9


def test_a_damaged_index_is_its_own(vaults: list[Served]) -> None:
    broken, other = vaults[2], vaults[3]
    folder = Path(broken.ask_json("status")["index_dir"])
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "current":
            path.write_bytes(b"damaged")
    assert "heron of vault 3" in other.ask("recall", "heron").out
    assert "heron of vault 2" in broken.ask("recall", "heron").out
    assert "rebuilt" not in other.ask("recall", "heron").err


def test_let_go_and_used_again(vaults: list[Served]) -> None:
    # files, threads and watches of a vault that nobody uses are given back, time and again
    other = vaults[3]
    home = Path(other.env["HOME"]).with_name("hasty")
    (home / ".config/vault-mem").mkdir(parents=True)
    (home / ".config/vault-mem/config.toml").write_text("idle_seconds = 1\n")
    hasty = beside(other, "hasty-vault", {"HOME": str(home)})
    process = Path(f"/proc/{other.pid()}")
    before: tuple[int, int] | None = None
    for number in range(3):
        assert hasty.ask("remember", f"Said in round {number}.", "--force").code == 0
        assert hasty.pid() == other.pid()
        wait_for(lambda: not hasty.alive())
        wait_for(lambda: not is_open(hasty))
        assert is_open(other)
        if process.exists() and before is None:
            before = open_things(process)
    if before is not None:  # LanceDB's pool grows in a busy moment, and its threads end ten seconds later
        files, threads = before
        wait_for(lambda: open_things(process)[0] <= files + 2 and open_things(process)[1] <= threads + 2)
    assert hasty.ask("recall", "said in round").out.count("Said in round") == 3


def test_renamed_deleted_and_made_again(vaults: list[Served]) -> None:
    # V-9: the vault at its new place, and the new vault at the old one
    old, other = beside(vaults[0], "going"), vaults[4]
    memory(old.root, "memories/stork.md", "mem_0000000000aa", "A stork on the roof.")
    assert "stork" in old.ask("recall", "stork").out
    moved = Served(old.root.with_name("gone"), old.env)
    old.root.rename(moved.root)
    assert "stork" in moved.ask("recall", "stork").out
    assert is_open(moved)
    assert old.run("init", str(old.root)).code == 0
    assert old.ask("remember", "A new thought.").code == 0
    assert old.ask_json("list")["total"] == 1
    assert "stork" not in old.ask("recall", "stork").out
    shutil.rmtree(old.root)
    assert other.ask("recall", "heron").code == 0
    wait_for(
        lambda: str(old.root) not in [each["vault"] for each in other.run("daemon", "status", "--json").json["vaults"]]
    )
    assert old.ask("recall", "stork", "--vault", str(moved.root)).code == 0
    assert moved.run("daemon", "stop").out == "Stopped.\n"
    assert is_open(other)


def test_stop_says_what_it_did_after_git_clean(vaults: list[Served]) -> None:
    one = vaults[0]
    assert one.ask("recall", "heron").code == 0
    shutil.rmtree(one.root / ".vault-mem")  # as `git clean -x` does
    assert one.ask("recall", "heron").code == 0
    assert one.run("daemon", "stop").out == "Stopped.\n" and not is_open(one)
    assert one.run("daemon", "stop").out == "It was not running.\n"
    assert one.ask("recall", "heron").code == 0


def test_stop_lets_one_vault_go_and_start_keeps_it(vaults: list[Served]) -> None:
    one, other = vaults[:2]
    pid = one.pid()
    line = one.send("remember", "Said before it was let go.")
    assert line.recv(5).startswith(b"A")
    assert one.run("daemon", "stop").out == "Stopped.\n"
    assert not is_open(one) and other.pid() == pid
    assert one.run("daemon", "status").out.startswith("Not open here. Running: ")
    assert one.run("daemon", "stop").out == "It was not running.\n"
    assert "before it was let go" in one.ask("recall", "said before").out
    assert one.run("daemon", "start", "--json").json["automatic"] is False
    assert other.run("daemon", "status", "--json").json["automatic"] is True
    assert one.pid() == pid
    assert one.run("daemon", "restart", "--json").json["automatic"] is False
    assert one.pid() != pid and not is_open(other)
    # what the system starts takes the place of what a command started, and goes on keeping what that kept
    service = subprocess.Popen(
        [sys.executable, "-P", "-m", "vault_mem.daemon", str(other.root)], env={**os.environ, **one.env}
    )
    wait_for(lambda: is_open(one) and is_open(other))
    told = one.run("daemon", "status", "--json").json
    assert told["pid"] == service.pid and [each["automatic"] for each in told["vaults"]] == [False, False]
    stopped = other.run("daemon", "stop", "--all", "--json").json["vaults"]
    assert sorted(stopped) == sorted([str(one.root), str(other.root)])
    assert not one.alive() and not other.alive()
    assert service.wait(60) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")
def test_one_service_for_all_vaults(cli: Command, tmp_path: Path) -> None:
    # a unit of before, when each vault had its own, becomes part of the one
    units = Path(cli.env["HOME"]) / ".config/systemd/user"
    units.mkdir(parents=True)
    older = units / "vault-mem-0123abcd.service"
    before = str(tmp_path / 'a "100%" $vault')
    older.write_text('[Service]\nExecStart="python" "-P" "-m" "vault_mem.daemon" "' + _in_unit(before) + '"\n')
    foreign = units / "vault-mem-untouch.service"
    foreign.write_text("[Service]\nExecStart=/bin/true\n")
    nothing = {"PATH": str(tmp_path)}  # no systemctl
    answer = cli.run("daemon", "install", "--json", env=nothing)
    assert answer.json["vaults"] == [before, str(cli.cwd)]
    assert "systemctl --user restart vault-mem.service" in answer.json["left_to_do"]
    assert sorted(path.name for path in units.iterdir()) == ["vault-mem-untouch.service", "vault-mem.service"]
    assert _in_unit(before) in (units / "vault-mem.service").read_text()
    assert cli.json("daemon", "uninstall", env=nothing)["vaults"] == [before]
    assert cli.run("daemon", "uninstall", env=nothing).code == 4


def _in_unit(path: str) -> str:
    return path.replace("%", "%%").replace('"', '\\"').replace("$", "$$")
