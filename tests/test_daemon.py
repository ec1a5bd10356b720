"""The daemon answers as the command itself would, faster, and nothing of anyone's is left behind by it."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemons import Served, answer_on, open_things, served, wait_for, waits_for_input
from helpers import all_of, memory, mode

import vault_mem


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("daemon")) as command:
        root = command.root
        memory(root, "memories/2026-11/basil-aaaa1111.md", "mem_aaaa11110000", "The basil on the balcony died of cold.")
        memory(root, "memories/2026-11/tea-bbbb2222.md", "mem_bbbb22220000", "Haruka drinks barley tea.", "kind: fact")
        memory(root, "private/mem_cccc33330000.md", "mem_cccc33330000", "A secret about the attic.", "private: true")
        assert command.spawn("recall", "basil").code == 0
        yield command


# ---- the same answers


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall", "what happened to the basil?"),
        ("recall", "眼鏡", "--json"),
        ("show", "aaaa"),
        ("show", "mem_999999999999"),
        ("show", "mem_999999999999", "--json"),
        ("list", "--private"),
        ("compare", "I like tea", "I do not like tea"),
        ("remember", "Haruka drinks barley tea."),
        ("recall",),
        ("recall", "x", "-n", "0", "--json"),
        ("no-such-command",),
        ("--help",),
        ("remember", "-h"),
        ("config", "get", "adopt_ids"),
        ("doctor", "--json"),
    ],
    ids=" ".join,
)
def test_the_same_answer_as_without_a_daemon(one: Served, arguments: tuple[str, ...]) -> None:
    through, alone = one.spawn(*arguments), one.run(*arguments)
    assert (through.code, through.out, through.err) == (alone.code, alone.out, alone.err)


def _in_a_shell(one: Served, line: str, daemon: str) -> subprocess.CompletedProcess[bytes]:
    env = os.environ | one.env | ({} if daemon == "on" else {"VAULT_MEM_DAEMON": "off"})
    command = ["sh", "-c", f"{sys.executable} -m vault_mem {line}"]
    return subprocess.run(command, cwd=one.root, env=env, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("daemon", ["on", "off"])
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("recall basil <&-", 0, b"basil"),
        ("remember - <&-", 2, b"the text is empty"),  # the connection was the first free number, and was read for it
        ("recall basil >&-", 0, b""),
        ("recall basil 2>&-", 0, b"basil"),
        ("show mem_999999999999 <&- >&- 2>&-", 4, b""),
    ],
)
def test_streams_that_are_closed(one: Served, line: str, code: int, said: bytes, daemon: str) -> None:
    done = _in_a_shell(one, line, daemon)
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("daemon", ["on", "off"])
@pytest.mark.parametrize("form", ["", "--json"])
def test_an_answer_for_which_the_disk_has_no_room(one: Served, form: str, daemon: str) -> None:
    # S-3: what is said is true: the memory was saved, and is not to be saved again
    text = f"The lid of the well, {daemon} {form}, is painted"
    done = _in_a_shell(one, f"remember '{text}' --force {form} > /dev/full", daemon)
    assert done.returncode == 1
    lines = done.stderr.decode().splitlines()
    assert lines[0] == "error: the answer could not be written: No space left on device"
    assert len(lines) == 2
    assert one.run("search", text).out.count(text) == 1


def test_arguments_that_are_not_text(one: Served) -> None:
    raw = os.fsdecode(b"caf\xe9")
    through, alone = one.spawn("recall", raw), one.run("recall", raw)
    assert (through.code, through.err) == (alone.code, alone.err)
    assert through.code == 2


def test_where_the_command_is_run(one: Served, tmp_path: Path) -> None:
    elsewhere = Served(tmp_path, one.env)
    by_option = elsewhere.spawn("show", "aaaa", "--vault", str(one.root))
    by_name = elsewhere.spawn("show", "aaaa", env={"VAULT_MEM_VAULT": str(one.root)})
    inside = Served(one.root / "memories", one.env).spawn("show", "aaaa")
    assert by_option.out == by_name.out == inside.out != ""
    assert elsewhere.spawn("show", "aaaa").code == 1
    assert not elsewhere.alive()
    inside = Served(one.root / "memories", one.env)
    assert inside.spawn("show", "aaaa", "--vault", "..").code == 0  # relative to the client's folder


def test_the_clients_environment_decides(one: Served, tmp_path: Path) -> None:
    # its clock, its settings, its index: never those of the daemon's own process
    answer = one.spawn("remember", "Set in the past.", "--json", env={"VAULT_MEM_NOW": "2024-02-03T04:05:06+09:00"})
    assert answer.json["memory"]["created"].startswith("2024-02-03T04:05:06")
    other = {"VAULT_MEM_INDEX_DIR": str(tmp_path / "other")}
    status = one.spawn("status", "--json", env=other)
    assert status.json["index_dir"].startswith(str(tmp_path / "other"))


def test_large_input_and_output(one: Served) -> None:
    text = "\n".join(f"Line {number} of a long report on the tides." for number in range(20_000))
    saved = one.spawn("remember", "-", "--json", stdin=text)
    assert saved.code == 0
    assert one.spawn("show", saved.json["memory"]["id"], "--json").json["content"] == text
    assert len(one.spawn("show", saved.json["memory"]["id"]).out) > len(text)


def test_nobody_reads_the_output(one: Served) -> None:
    process = one.start("list", "--all", stdin=subprocess.DEVNULL)
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""


def test_standard_input_is_read_only_when_it_is_needed(one: Served) -> None:
    process = one.start("recall", "basil")  # its input stays open
    assert process.wait(60) == 0


def test_help_and_version_start_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as command:
        assert command.spawn("--help").out == command.in_process("--help").out
        assert command.spawn("--version").out == f"vault-mem {vault_mem.__version__}\n"
        assert command.spawn("config").code == 0
        assert not command.alive()


# ---- R-7 and reads beside writes


def test_a_memory_is_found_right_after_it_was_saved(one: Served) -> None:
    # R-7, D-7: its row may be written later, but never later than the next question
    for number in range(5):
        text = f"Parcel {number} went to the {['mill', 'quay', 'barn', 'chapel', 'kiln'][number]}."
        saved = one.ask_json("remember", text)
        assert one.found(text, 1) == [saved["memory"]["path"]]
        assert one.ask("remember", text).code == 3


def test_recall_goes_on_during_a_rebuild_and_a_long_write(one: Served) -> None:
    # reads never wait for whoever holds the vault, and always have an index
    code = (
        "import fcntl, os, sys; h = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT); fcntl.flock(h, fcntl.LOCK_EX); "
        "print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(one.root / ".vault-mem/lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        rebuild = one.send("reindex", id_="1" * 16)
        for _ in range(10):
            assert "memories/2026-11/basil-aaaa1111.md" in one.found("basil balcony")
        (one.root / "memories/meanwhile.md").write_text("A heron stood in the canal.\n")
        answer = one.ask_json("recall", "heron canal")
        assert answer["stale"] or answer["results"][0]["path"] == "memories/meanwhile.md"
        rebuild.close()
    finally:
        holder.communicate(b"")
    wait_for(lambda: not one.ask_json("recall", "heron canal")["stale"])
    assert one.found("heron canal")[0] == "memories/meanwhile.md"


def test_many_at_once(one: Served) -> None:
    # reads and writes side by side: every answer is right, every text is saved once
    texts = [f"Bell {number} of the carillon rings at {number}:15." for number in range(8)]
    lines = [one.send("remember", text, "--json", "--force", id_=f"{n:016x}") for n, text in enumerate(texts)]
    reads = [one.send("recall", "basil balcony", "--json") for _ in range(8)]
    answers = [answer_on(line).json for line in lines]
    found = [answer_on(line).json["results"][0]["id"] for line in reads]
    assert found == ["mem_aaaa11110000"] * 8
    assert len({answer["memory"]["id"] for answer in answers}) == 8
    contents = [each["content"] for each in one.ask_json("list", "--all")["memories"]]
    assert [contents.count(text) for text in texts] == [1] * 8


def test_the_index_is_deleted_under_it(one: Served) -> None:
    # V-1
    shutil.rmtree(one.env["VAULT_MEM_INDEX_DIR"])
    assert "memories/2026-11/basil-aaaa1111.md" in one.found("basil balcony")
    assert one.ask("remember", "The index was lost and found.").code == 0
    assert one.found("index lost and found")[0].startswith("memories/")


def test_a_full_disk(one: Served) -> None:
    # V-8: nothing half-written, and reading goes on
    import resource

    if not hasattr(resource, "prlimit"):
        pytest.skip("this system has no prlimit")
    pid = one.pid()
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    count = one.ask_json("list", "--all")["total"]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        answer = one.ask("remember", "There is no room for this wardrobe.")
        assert answer.code == 1
        assert "cannot write" in answer.err
        assert "memories/2026-11/basil-aaaa1111.md" in one.found("basil balcony")
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
    assert one.ask_json("list", "--all")["total"] == count
    assert one.ask("remember", "There is no room for this wardrobe.").code == 0
    assert "wardrobe" in one.ask("recall", "wardrobe").out


# ---- who may ask, and what is written down


def test_another_users_process_is_refused(one: Served) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    address = Path(one.address)
    code = (
        "import os, socket, sys; os.setgid(65534); os.setuid(65534)\n"
        "s = socket.socket(socket.AF_UNIX); s.settimeout(30)\n"
        "try: s.connect(sys.argv[1])\n"
        "except PermissionError: print('closed'); sys.exit()\n"
        "try: s.sendall(b'K' + (6).to_bytes(4, 'big') + b'status'); print(len(s.recv(100)))\n"
        "except ConnectionError: print(0)"
    )

    def as_nobody() -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, f"{address}.sock"], capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    assert as_nobody() == "closed"
    address.parent.chmod(0o755)
    Path(f"{address}.sock").chmod(0o777)
    try:
        assert as_nobody() == "0"
        # and a client does not use a folder that others can write to
        address.parent.chmod(0o777)
        assert not one.address.startswith(str(address.parent))
    finally:
        address.parent.chmod(0o700)
        Path(f"{address}.sock").chmod(0o600)
    assert one.ask("recall", "basil").code == 0


def test_the_log_never_says_what_was_said(one: Served) -> None:
    # P-3, P-4
    secrets = ["Quetzalcoatlus", "embarrassing-tag", "knot-in-the-stomach", "Xylophonist"]
    assert one.ask("remember", secrets[0], "--private", "--tag", secrets[1], "--body-state", secrets[2]).code == 0
    one.ask("recall", secrets[0])
    one.ask("show", secrets[3])
    one.ask("recall", "x", "--person", secrets[3], "--no-such-option")
    one.ask("compare", secrets[0], secrets[3])
    folder = one.root / ".vault-mem/log"
    text = "".join(path.read_text() for path in folder.iterdir())
    assert "remember: exit 0" in text
    assert not [word for word in secrets if word.lower() in text.lower()]
    assert mode(folder) == 0o700
    assert {mode(path) for path in folder.iterdir()} == {0o600}
    runtime = Path(one.env["VAULT_MEM_RUNTIME_DIR"])
    assert mode(runtime) == 0o700
    assert not [path for path in runtime.iterdir() if stat.S_ISREG(path.stat().st_mode) and mode(path) != 0o600]


# ---- people at the keyboard


def test_ctrl_c_reaches_the_command(one: Served) -> None:
    before = one.ask_json("list", "--all")["total"]
    process = one.start("remember", "-")
    process.stdin.write(b"half of a thou")
    process.stdin.flush()
    wait_for(lambda: waits_for_input(process))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert b"Stopped" in process.stderr.read()
    assert one.ask_json("list", "--all")["total"] == before


def test_a_client_killed_in_the_middle(one: Served) -> None:
    # half of a text is nothing to act on, and whoever comes next is not held up
    before = one.ask_json("list", "--all")["total"]
    for part in (b"", b"half of a thou"):
        process = one.start("remember", "-")
        process.stdin.write(part)
        process.stdin.flush()
        if part:
            wait_for(lambda started=process: waits_for_input(started))
        process.kill()
        process.wait()
    assert one.spawn("recall", "basil").code == 0
    one.send("recall", "basil").close()
    assert one.ask_json("list", "--all")["total"] == before


def test_undo_at_a_terminal_asks(one: Served) -> None:
    # S-7: as it does without a daemon, where something came since that cannot be undone
    kept, gone = (one.ask_json("remember", text)["memory"]["id"] for text in ("Rain on the quay", "A torn sail"))
    assert one.ask("forget", gone, "--purge").code == 0
    keyboard, terminal = os.openpty()
    process = one.start("undo", stdin=terminal, stderr=terminal)
    os.write(keyboard, b"n\n")
    out, _ = process.communicate(timeout=60)
    os.close(terminal)
    assert "Undo that? [y/N]" in all_of(keyboard)
    assert (process.returncode, out) == (1, b"Nothing was undone.\n")
    assert one.ask("show", kept).code == 0
    assert one.ask("undo", "--yes").code == 0


# ---- its own commands


def test_status_logs_and_install(one: Served) -> None:
    status = one.spawn("daemon", "status", "--json").json
    assert status["running"] and status["automatic"] and status["watching"] == "events"
    assert status["pid"] == one.pid()
    assert [each["vault"] for each in one.spawn("daemon", "status", "--all", "--json").json["daemons"]] == [
        str(one.root)
    ]
    assert one.spawn("daemon", "status").out.startswith("Running: pid ")
    assert str(one.root) in one.spawn("daemon", "status", "--all").out
    logged = one.spawn("daemon", "logs", "-n", "3", "--json").json["lines"]
    assert len(logged) == 3
    assert re.search(r"exit \d+, \d+ ms", one.spawn("daemon", "logs").out)
    dry = one.spawn("daemon", "install", "--dry-run", "--json").json
    assert not Path(dry["path"]).exists()
    assert str(one.root) in dry["text"]
    assert one.spawn("daemon", "uninstall").code == 4


def test_install_writes_a_unit_for_the_system(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("systemd is Linux's")
    with served(tmp_path / "100% $mine") as command:
        done = command.spawn("daemon", "install", "--json").json
        unit = Path(done["path"])
        assert unit.parent == Path(command.env["HOME"]) / ".config/systemd/user"
        assert unit.read_text() == done["text"]
        assert f'"{command.root}"'.replace("%", "%%").replace("$", "$$") in done["text"]
        assert "VAULT_MEM_INDEX_DIR=" in done["text"]
        assert command.spawn("daemon", "install").code == 0  # again changes nothing
        assert command.spawn("daemon", "uninstall").code == 0
        assert not unit.exists()


def test_one_process_for_two_vaults(one: Served, tmp_path: Path) -> None:
    # L-4
    root = (tmp_path / "other").resolve()
    assert one.run("init", str(root)).code == 0
    other = Served(root, one.env)
    try:
        assert other.spawn("remember", "Only the other vault knows of the marimba.").code == 0
        assert "marimba" in other.ask("recall", "marimba").out
        assert "marimba" not in one.ask("recall", "marimba").out
        everyone = one.run("daemon", "status", "--all", "--json").json["daemons"]
        assert sorted(each["vault"] for each in everyone) == sorted([str(one.root), str(root)])
        assert {each["pid"] for each in everyone} == {one.pid()}
    finally:
        assert other.spawn("daemon", "stop").out == "Stopped.\n"
    assert one.alive() and not other.alive()


def test_no_vault_no_daemon(one: Served, tmp_path: Path) -> None:
    for word in ("start", "stop", "status", "logs"):
        answer = Served(tmp_path, one.env).run("daemon", word)
        assert (answer.code, answer.err[:7]) == (1, "error: ")


def test_nothing_piles_up(one: Served, soak: bool) -> None:
    # open files and threads after many mixed calls are what they were before; memory is measured by the benchmark
    process = Path(f"/proc/{one.pid()}")
    if not process.exists():
        pytest.skip("this system has no /proc")

    def calls(count: int) -> None:
        choose = random.Random(count)
        for number in range(count):
            match choose.randrange(5):
                case 0:
                    one.ask("remember", f"Entry {number} of {count}: {choose.random()}", "--force")
                case 1:
                    one.ask("show", "mem_999999999999")
                case 2:
                    (one.root / "memories/churn.md").write_text(f"Turn {number} of the wheel.\n")
                case _:
                    one.ask("recall", f"entry {choose.randrange(100)}")

    calls(60)
    time.sleep(0.1)
    files, threads = open_things(process)
    calls(20_000 if soak else 120)
    wait_for(lambda: open_things(process)[0] <= files + 8 and open_things(process)[1] <= threads + 4)


def test_it_ends_when_asked(one: Served) -> None:
    # last in this file: it takes the daemon away
    lines = [one.send("remember", f"Said at the very end, number {number}.", "--force") for number in range(3)]
    messages = [line.recv(5) for line in lines]  # all of them were accepted
    assert all(message.startswith(b"A") for message in messages)
    assert one.spawn("daemon", "stop").out == "Stopped.\n"
    assert not one.alive()
    assert not Path(one.address + ".sock").exists()
    assert one.run("recall", "said at the very end", "-n", "5").out.count("Said at the very end") == 3
    assert one.spawn("daemon", "stop").out == "It was not running.\n"
    assert json.loads(one.spawn("daemon", "status", "--json").out)["running"] is False


def test_a_vault_deleted_and_made_again_beneath_a_daemon(tmp_path: Path) -> None:
    # V-9: the new folder may even have the number of the old one
    with served(tmp_path) as one:
        for number in range(6):
            memory(one.root, f"memories/n{number}.md", f"mem_{number:012x}", f"Pelican number {number}")
        assert one.spawn("status", "--json").json["memories"] == 6
        shutil.rmtree(one.root)
        one.root.mkdir()
        assert one.spawn("init", ".").code == 0
        assert one.spawn("remember", "A new thought").code == 0
        for number, bird in enumerate(("heron", "stork", "crane")):
            memory(one.root, f"memories/{bird}.md", f"mem_00000000001{number}", f"A {bird} came by")
            answer = one.spawn("list", "--json")
            assert (answer.code, answer.json["total"]) == (0, number + 2)
        assert one.spawn("status", "--json").json["trouble"] == []


def test_a_first_save_is_in_the_views_at_once(tmp_path: Path) -> None:
    # W-1: the daemon's background indexed it as if a person had written it
    with served(tmp_path) as command:
        assert command.run("remember", "The shop is open on Mondays").code == 0
        assert command.json("status")["waiting_for_views"] == []
