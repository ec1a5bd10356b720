"""The person's surface (SPEC U-2): what a terminal gets, what a pipe gets, and how memories and dates may be named."""

from __future__ import annotations

import fcntl
import io
import itertools
import os
import pty
import re
import socket
import struct
import sys
import termios
from pathlib import Path

import pytest
from conftest import Answer, Command
from helpers import all_of, at, contents, memory, mode, note

from vault_mem.cli.console import Console
from vault_mem.cli.look import columns
from vault_mem.cli.main import run
from vault_mem.daemon import protocol
from vault_mem.daemon.request import ClientConnection, ClientRequest
from vault_mem.daemon.request import run as serve

KEY = "mem_651b9d294720"
LONG = (
    "The spare key is with Wei, who lives two floors below and is at home in the evenings.\n"
    "鍵は魏さんに預けてある。夜は家にいるので、先に電話をすれば取りに行ける。留守なら「郵便受け」の中を見る。"
)
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@pytest.fixture
def key(root: Path) -> Path:
    return memory(root, "memories/2026-11/spare-key-651b9d29.md", KEY, f"# Where the key is\n\n{LONG}", "tags: [keys]")


def seen(cli: Command, *arguments: str, width: int = 60, colour: bool = True) -> Answer:
    """What somebody at a terminal of that width sees."""
    out, err = io.StringIO(), io.StringIO()
    env = cli.env | at("2026-11-17")
    options = {"interactive": True, "terminal": True, "colour": colour, "width": width}
    console = Console(cli.cwd, env, io.BytesIO(), out, err, **options)
    return Answer(run(list(arguments), console), out.getvalue(), err.getvalue())


def test_a_terminal_gets_colour_and_a_pipe_plain_text(cli: Command, key: Path):
    styled = seen(cli, "show", KEY, width=200)
    assert f"\x1b[36m{KEY}\x1b[39m" in styled.out
    assert (
        ESCAPES.sub("", styled.out) == cli.run("show", KEY).out == seen(cli, "show", KEY, width=200, colour=False).out
    )
    assert "\x1b" in seen(cli, "show", "nothing").err and "\x1b" not in cli.run("show", "nothing").err
    assert seen(cli, "show", KEY, "--json").out == cli.run("show", KEY, "--json").out
    for arguments in (("completion", "bash"), ("graph", KEY, "--dot"), ("tidy", "schema")):  # to be copied as it is
        assert seen(cli, *arguments, width=30).out == cli.run(*arguments).out


@pytest.mark.parametrize("width", [20, 33, 40, 61, 80, 120])
def test_lines_are_wrapped_to_the_width_with_ids_whole(cli: Command, key: Path, width: int):
    shown = seen(cli, "recall", "where is the key?", width=width, colour=False).out
    assert KEY in shown
    assert all(columns(line) <= width for line in shown.splitlines())
    assert not any(line.lstrip()[:1] in "、。」" for line in shown.splitlines() if line.strip())
    kept = cli.run("recall", "where is the key?", env=at("2026-11-17")).out
    assert "".join(shown.split()) == "".join(kept.split())


def test_what_a_note_says_steers_no_terminal(cli: Command, root: Path):  # S-5
    memory(root, "memories/a.md", KEY, "Before \x1b[31mred\x1b[0m after")
    assert "\\u001b[31mred" in seen(cli, "show", KEY).out
    assert "\x1b[31m" not in seen(cli, "show", KEY).out


def test_progress_is_one_line_and_goes_when_done(monkeypatch: pytest.MonkeyPatch):
    clock = itertools.count(0, 5)
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    err = io.StringIO()
    console = Console(Path(), {}, io.BytesIO(), io.StringIO(), err, interactive=True)
    importing, indexing = console.progress("Importing"), console.progress("Indexing")
    for done in range(1, 100):
        importing(done, 100)
        indexing(1, 2)  # each note that comes in is indexed
        indexing(2, 2)
        if done == 50:
            assert err.getvalue().rpartition("\r")[2].startswith("Importing ██████████░░░░░░░░░░ 50/100, ")
    importing(100, 100)
    assert "\n" not in err.getvalue() and "Indexing" not in err.getvalue()
    assert err.getvalue().endswith("\r\x1b[K")
    piped = Console(Path(), {}, io.BytesIO(), io.StringIO(), quiet := io.StringIO())
    piped.progress("Importing")(1, 2)
    assert quiet.getvalue() == ""


def at_tty(cli: Command, *arguments: str, rows: int = 10, env: dict[str, str] | None = None) -> str:
    """The real command in a terminal of its own."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 70, 0, 0))
        os.chdir(cli.cwd)
        command = [sys.executable, "-m", "vault_mem", *arguments]
        inherited = {name: value for name, value in os.environ.items() if name not in ("LINES", "COLUMNS")}
        os.execve(sys.executable, command, {**inherited, "TERM": "xterm", **cli.env, **(env or {})})
    said = all_of(terminal)
    os.waitpid(pid, 0)
    return said.replace("\r\n", "\n")


def test_long_answers_go_through_a_pager(cli: Command):
    paged = at_tty(cli, "help", env={"PAGER": "sed s/^/P:/"})
    assert "\nP:" in paged and "\x1b[1m" in paged
    assert "P:" not in at_tty(cli, "help", env={"PAGER": "cat", "NO_COLOR": "1"})
    assert "P:" not in at_tty(cli, "help", rows=200, env={"PAGER": "sed s/^/P:/"})


@pytest.mark.parametrize(("terminal", "styled"), [("itc", True), ("it", False), ("", False)])
def test_what_the_terminal_can_do_travels_with_the_request(terminal: str, styled: bool):
    ours, theirs = socket.socketpair()
    request = ClientRequest(protocol.request("0", "id", ["tags", "--help"], 44, terminal)[5:])
    line = ClientConnection(theirs, protocol.Messages(theirs))
    code, _ = serve(request, line, opening=None, lending=None)  # type: ignore[arg-type]
    line.finish(code)
    messages, said = protocol.Messages(ours), ""
    while (found := messages.next()) and found[0] != protocol.EXIT:
        said += found[1].decode()
    ours.close()
    theirs.close()
    assert code == 0 and ("\x1b[1mOptions:" in said) == styled
    narrow = all(columns(part) <= 44 for part in ESCAPES.sub("", said).splitlines() if "vault-mem" not in part)
    assert narrow == bool(terminal)


NAMES = [KEY, KEY.upper(), "651b9d", "651B9D", "Where the key is", "where the KEY is", "spare-key-651b9d29"]
NAMES += ["spare-key-651b9d29.md", "memories/2026-11/spare-key-651b9d29.md", "[[spare-key-651b9d29]]"]
NAMES += ["[[spare-key-651b9d29|the key]]", "[[Where the key is]]"]


@pytest.mark.parametrize("name", NAMES)
def test_a_memory_is_named_as_a_person_would(cli: Command, key: Path, name: str):
    assert cli.json("show", name)["id"] == KEY


def test_every_command_takes_those_names(cli: Command, root: Path, key: Path):
    memory(root, "memories/other.md", "mem_0123456789ab", "The ladder is in the shed.")
    for arguments in (
        ("tag", "[[spare-key-651b9d29]]", "+house"),
        ("link", "WHERE THE KEY IS", "other.md"),
        ("unlink", "other", "where the key is"),
        ("confirm", "memories/other.md"),
        ("history", "where the key is"),
        ("graph", "[[other]]"),
        ("similar", "[[other]]"),
        ("why-not", "where the key is", "ladder"),
        ("compare", "[[other]]", KEY.upper()),
        ("edit", "651B9D", "--set", "importance=5"),
        ("close", "Where the key is"),
        ("reopen", "651B9D294720"),
        ("rename", "other", "ladder"),
        ("episode", "create", "--title", "Moving", "--memory", "[[ladder-01234567]]", "--summary", "We moved."),
        ("episode", "show", "moving"),
        ("private", "[[ladder-01234567]]"),
        ("publish", "The ladder is in the shed"),
        ("forget", "where the key is", "--reason", "moved"),
        ("history", "where the key is"),
        ("restore", "[[spare-key-651b9d29]]"),
        ("remember", "Wei has moved, the key is with Jonas now.", "--supersedes", "where the key is", "--force"),
    ):
        answer = cli.run(*arguments)
        assert answer.code == 0, (arguments, answer.err)


def test_a_title_that_begins_an_id_is_not_guessed(cli: Command, root: Path):
    memory(root, "memories/a.md", "mem_dad123456789", "The boiler is serviced in May.")
    memory(root, "memories/b.md", "mem_0123456789ab", "# Dad\n\nHis birthday is in June.")
    answer = cli.run("forget", "Dad")
    assert answer.code == 4 and "More than one" in answer.err
    assert cli.json("show", "memories/b.md")["id"] == "mem_0123456789ab"
    assert cli.json("show", "dad123456789")["id"] == "mem_dad123456789"


def test_history_undo_and_the_trash_have_titles(cli: Command):
    id_ = cli.json("remember", "The ladder goes back to Jonas on Friday.")["memory"]["id"]
    line = cli.run("history").out
    assert "The ladder goes back to Jonas on Friday" in line and id_ in line
    assert cli.json("history")["operations"][0]["titles"] == {id_: "The ladder goes back to Jonas on Friday"}
    assert cli.run("history", id_).out.startswith("The ladder goes back to Jonas on Friday")
    cli.run("forget", id_)
    assert "The ladder goes back to Jonas on Friday" in cli.run("restore", "--list").out
    undone = cli.run("undo").out
    assert undone.startswith("Undone: forget") and "The ladder goes back to Jonas" in undone


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("2026-11-09", "2026-11-09"),
        ("last week", "2026-11-09"),
        ("先週", "2026-11-09"),
        ("yesterday", "2026-11-16"),
        ("3日前", "2026-11-14"),
        ("a month ago", "2026-10-18"),
        ("october", "2026-10-01"),
        ("2025", "2025-01-01"),
        ("friday", "2026-11-13"),
        ("December", "2025-12-01"),
        ("令和8年11月1日", "2026-11-01"),
        ("平成31年4月30日", "2019-04-30"),
        ("Feb 29", "2024-02-29"),
    ],
)
def test_dates_as_people_say_them(cli: Command, root: Path, said: str, day: str):
    for place, created in enumerate(("2024-12-31", "2025-11-30", "2026-09-30", "2026-10-17")):
        note(root, f"memories/{place}.md", f"---\ncreated: {created}T23:59:59\n---\nBefore {place}")
    note(root, "memories/on.md", f"---\ncreated: {day}T00:00:00\n---\nThat day")
    listed = cli.json("list", "--since", said, "--all", env=at("2026-11-17"))["memories"]
    assert min(each["created"][:10] for each in listed) == day
    before = cli.json("list", "--until", said, "--all", env=at("2026-11-17"))["memories"]
    assert all(each["created"][:10] < day for each in before)


def test_dates_ahead_and_none_at_all(cli: Command):
    friday = cli.json("remember", "The lift is out of order.", "--valid-to", "friday", env=at("2026-11-17"))["memory"]
    assert friday["valid_to"].startswith("2026-11-20")
    # what is only half understood may mean another day
    for said in ("whenever", "大正3年4月30日", "2026-11-15T25:00", "2026-11-15 9am"):
        wrong = cli.run("list", "--since", said)
        assert wrong.code == 2 and "last week" in wrong.err


def test_tags_and_people_with_counts(cli: Command, root: Path):
    assert cli.run("tags").out == "No tags.\n" and cli.run("people").out == "No people.\n"
    memory(root, "memories/a.md", KEY, "One", "tags: [keys, house]", "people: [Wei]")
    memory(root, "memories/b.md", "mem_0123456789ab", "Two", "tags: [keys]", "valid_to: 2026-11-02")
    assert cli.run("tags").out == "1  house\n1  keys\n"
    assert cli.run("tags", "--closed").out == "2  keys\n1  house\n"
    assert cli.json("people")["counts"] == [{"name": "Wei", "memories": 1}]
    memory(root, "private/mem_aaaaaaaaaaaa.md", "mem_aaaaaaaaaaaa", "Three", "private: true", "people: [Secret]")
    assert "Secret" not in cli.run("people", "--public-view").out  # S-6


def test_backup_and_restore(cli: Command, root: Path, key: Path, tmp_path: Path):
    memory(root, "private/mem_aaaaaaaaaaaa.md", "mem_aaaaaaaaaaaa", "A secret", "private: true")
    archive, back = str(tmp_path / "v.tar.gz"), tmp_path / "back"
    assert cli.run("backup", archive).code == 0
    answer = cli.run("backup", archive, "--restore", str(back))
    assert answer.code == 0 and str(back) in answer.out
    assert contents(back) == contents(root)
    assert mode(back / "private") == 0o700 and mode(back / "private/mem_aaaaaaaaaaaa.md") == 0o600
    assert (back / "memories/2026-11/spare-key-651b9d29.md").stat().st_mtime == pytest.approx(key.stat().st_mtime)
    assert cli.run("backup", archive, "--restore", str(back)).code == 6  # not over something
    damaged = Path(archive).read_bytes()[:-40]
    Path(archive).write_bytes(damaged)
    assert cli.run("backup", archive, "--restore", str(tmp_path / "again")).code == 6
    assert not (tmp_path / "again").exists() and not list(tmp_path.glob(".vault-mem*"))


def test_a_default_vault_is_offered(tmp_path: Path, env: dict[str, str]):
    cli = Command(tmp_path, env)
    assert "vault-mem config set --user vault" in cli.run("status").err
    made = cli.run("init", "notes").out
    assert f'vault-mem config set --user vault "{tmp_path / "notes"}"' in made
    assert cli.run("config", "set", "--user", "vault", str(tmp_path / "notes")).code == 0
    assert cli.run("status").code == 0
    assert "config set --user vault" not in cli.run("init", "second").out


def test_type_and_see(cli: Command, key: Path, monkeypatch: pytest.MonkeyPatch):
    """Keys go in at one end of a terminal; the note that was chosen is opened in the editor."""
    assert cli.run("recall", "-i").code == 2  # nobody is there
    from vault_mem import Vault
    from vault_mem.cli.type_and_see import choose

    vault = Vault(cli.cwd, env=cli.env)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
    kept = [os.dup(0), os.dup(1)]
    asked: list[str] = []

    def search(text: str) -> list:
        asked.append(text)
        return vault.recall(text, n=3).results

    try:
        os.dup2(theirs, 0)
        os.dup2(theirs, 1)
        original = termios.tcgetattr(0)
        monkeypatch.setattr("tty.setraw", lambda fd: os.write(ours, "鍵x\x7f\x1b[B\x1b[A\r".encode()))
        attributes = termios.tcgetattr(0)
        attributes[3] &= ~(termios.ICANON | termios.ECHO | termios.ICRNL)
        termios.tcsetattr(0, termios.TCSANOW, attributes)
        found = choose(search)
        termios.tcsetattr(0, termios.TCSANOW, original)
    finally:
        os.dup2(kept[0], 0)
        os.dup2(kept[1], 1)
        for handle in (*kept, theirs):
            os.close(handle)
    drawn = all_of(ours)
    assert found is not None and found.memory.id == KEY
    assert asked == ["鍵x", "鍵"] and "鍵は魏さんに" in drawn


def test_status_is_aligned_in_a_narrow_terminal(cli: Command, key: Path):
    lines = seen(cli, "status", width=40, colour=False).out.splitlines()
    [below] = [later for line, later in itertools.pairwise(lines) if line.startswith("calibration:")]
    assert re.match(r" {14}\S", below)


@pytest.mark.parametrize("arguments", [("--help",), ("remember", "--help"), ("episode", "--help"), ("remember",)])
def test_help_in_a_narrow_terminal(cli: Command, arguments: tuple[str, ...]):
    # U-2: it was laid out for a wider one, and wrapped a second time
    shown = seen(cli, *arguments, width=40, colour=False)
    lines = (shown.out + shown.err).splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert not any(line.strip() in ("default 3.", "[TEXT]", "a memory,", "it comes from.") for line in lines)
    if "remember" in arguments and "--help" in arguments:
        at = lines.index("  --importance INTEGER")
        assert lines[at + 1] == "          1 to 5, default 3."
