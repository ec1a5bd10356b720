"""The canary: random words in private memories, every command there is, and nothing outside knows them (SPEC P-3)."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest
from conftest import Answer, Command
from helpers import as_anybody, git, memory

from vault_mem import Vault
from vault_mem.cli.main import cli as program
from vault_mem.operations.upkeep.review import Suggestion, propose
from vault_mem.register import COMMANDS

TOKEN = f"zq{secrets.token_hex(5)}"


@dataclass
class Canary:
    """A vault with private memories that hold the token wherever a memory can."""

    cli: Command
    root: Path
    out: Path
    names: dict[str, str] = field(default_factory=dict)

    @property
    def private_ids(self) -> list[str]:
        return [self.names[name] for name in ("secret", "other", "turned", "mood", "story", "twin")]

    def fill(self, arguments: tuple[str, ...]) -> list[str]:
        known = self.names | {"token": TOKEN, "out": str(self.out)}
        return [each.format(**known) for each in arguments]

    def run(self, *arguments: str, stdin: str = "", **env: str) -> Answer:
        return self.cli.run("-vv", *self.fill(arguments), stdin=stdin, env=env)


def fields() -> list[str]:
    names = ("tag", "person", "emotion", "secondary", "body-state", "source", "about-time", "status")
    return [part for name in names for part in (f"--{name}", f"{TOKEN}-{name}")]


def spoken(folder: Path, id_: str) -> str:
    """What a hook says of a session in which our tools and the agent had private memories on their lips (K-1)."""

    def line(role: str, content: object) -> str:
        record = {"type": role, "message": {"role": role, "content": content}, "timestamp": "2026-11-17T08:00:00Z"}
        return json.dumps(record | {"sessionId": "s", "cwd": "/app"}) + "\n"

    given = {"content": f"The {TOKEN} key lies under the mat", "private": True}
    told = f"1. [2026-11-16] My {TOKEN} fear of the harbour (id: {id_}, private: true)"
    lines = [
        line("user", "What do you know of me?"),
        line("assistant", [{"type": "tool_use", "name": "mcp__vault-mem__remember", "input": given}]),
        line("user", [{"type": "tool_result", "content": [{"type": "text", "text": told}]}]),
        line("assistant", f"Your {id_} says: My {TOKEN} fear of the harbour. The {TOKEN} key lies under the mat. So?"),
        line("user", "The soup was good. We decided to keep the old boat until March."),
    ]
    path = folder / "transcript.jsonl"
    path.write_text("".join(lines))
    (folder / "out/transcript.jsonl").write_text("".join(lines).replace('"sessionId": "s"', '"sessionId": "other"'))
    return json.dumps({"transcript_path": str(path), "hook_event_name": "Stop", "session_id": "s"})


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Canary:
    """The vault, made once; every test works on a copy."""
    folder = tmp_path_factory.mktemp("canary")
    (folder / "home").mkdir()
    root, out = folder / "vault", folder / "out"
    out.mkdir()
    env = {
        "HOME": str(folder / "home"),
        "PATH": os.environ.get("PATH", ""),
        "VAULT_MEM_INDEX_DIR": str(folder / "index"),
        "VAULT_MEM_DAEMON": "off",
    }
    Vault.init(root, env=env)
    cli = Command(root, env)

    def saved(text: str, *options: str) -> str:
        answer = cli.json("remember", "-", "--force", *options, stdin=text)
        return str(answer["memory"]["id"])

    git(root, "init", "-q")
    made = {
        "a": saved("The harbour dues rise in spring", "--kind", "fact"),
        "b": saved("The bicycle wants a new chain", "--category", "introspection"),
        "c": saved("Soup was hot and salty today"),
        "secret": saved(f"# {TOKEN} title\n\nMy {TOKEN} fear of the harbour", "--private", *fields()),
        "other": saved(f"The {TOKEN} letter is from Kaya", "--private", "--kind", "fact"),
        "twin": saved(f"The {TOKEN} letter is from Kaya.", "--private", "--kind", "fact"),
        "mood": saved(f"Low since the {TOKEN} week", "--private", "--kind", "mood"),
        "turned": saved(f"{TOKEN} was public for a moment", "--importance", "5", "--category", "introspection"),
    }
    cli.run("remember", "-", "--private", stdin=f"The {TOKEN} letter is from Kaya")  # refused, and kept
    cli.run("remember", "-", "--private", "--kind", "mood", stdin=f"Better after the {TOKEN} week")
    cli.run("link", made["turned"], made["b"], "--reason", f"{TOKEN} again")
    cli.run("episode", "create", "--memory", made["turned"], "--summary", f"{TOKEN} days")
    vault = Vault(root, env=env)
    vault.status()
    propose(vault.workspace, [Suggestion("link", (made["turned"], made["a"]), f"both {TOKEN}")])
    assert TOKEN in (root / "REVIEW.md").read_text()
    assert TOKEN in (root / "memory/inner-monologue-latest.md").read_text()
    assert cli.run("private", made["turned"]).code == 0
    vault.status()
    propose(vault.workspace, [Suggestion("link", (made["secret"], made["a"]), f"both {TOKEN}")])
    assert f"both {TOKEN}" in (root / "private/REVIEW.md").read_text()
    members = ("--memory", made["secret"], "--memory", made["a"])
    story = cli.json("episode", "create", *members, "--summary", "-", stdin=f"{TOKEN} tale")["episode"]
    plan = {"op": "upsert", "kind": "fact", "body_text": "The quay has forty lamps", "reason": "it was counted"}
    (out / "plan.json").write_text(json.dumps({"state_updates": [plan]}))
    item = {"id": "mem_00000000beef", "created": "2026-11-01T08:00:00+00:00", "content": f"An imported {TOKEN} word"}
    (out / "import.jsonl").write_text(json.dumps(item) + "\n")
    cli.run("capture", stdin=spoken(folder, made["secret"]))
    assert "The soup was good" in "".join(path.read_text() for path in root.glob("sessions/*/*.md"))
    session = next(root.glob("sessions/*/*.md")).name[-11:-3]
    return Canary(cli, root, out, made | {"story": story["id"], "session": session})


@pytest.fixture
def canary(grown: Canary, env: dict[str, str], tmp_path: Path) -> Canary:
    shutil.copytree(grown.root, tmp_path / "vault")
    shutil.copytree(grown.out, tmp_path / "out")
    cli = Command(tmp_path / "vault", env)
    assert cli.run("status").code == 0
    return Canary(cli, tmp_path / "vault", tmp_path / "out", grown.names)


# Every command with what it is called with, in an order in which all of it can be done. A new command comes in here.
CALLS: list[tuple[str, tuple[str, ...], str]] = [
    ("init", ("{out}/new",), ""),
    ("remember", ("-", "--private", "--force"), "A {token} afterthought"),
    ("remember", ("-", "--private"), "My {token} fear of the harbour"),
    ("remember", ("-", "--update", "{secret}"), "# {token} title\n\nMy {token} fear of the whole harbour"),
    ("remember", ("The harbour dues rise in autumn", "--force"), ""),
    ("remember", ("--last-blocked", "--force"), ""),
    ("recall", ("{token} fear",), ""),
    ("search", ("{token}",), ""),
    ("why-not", ("{secret}", "{token} soup"), ""),
    ("show", ("{secret}",), ""),
    ("list", (), ""),
    ("wake-up", (), ""),
    ("wake-up", ("--public-only",), ""),
    ("wake-up", ("--public-only", "--hook", "claude-code"), ""),
    ("introspect", (), ""),
    ("introspect", ("--public-only",), ""),
    ("update-self", ("--ask", "Is the harbour dear to me?"), ""),
    ("emotion-trend", (), ""),
    ("emotion-trend", ("--public-only",), ""),
    ("daemon status", (), ""),
    ("sessions", (), ""),
    ("sessions list", (), ""),
    ("sessions show", ("{session}",), ""),
    ("recall", ("What was the soup?", "--sessions"), ""),
    ("hint", ("--hook", "claude-code"), "What of the {token} fear of the harbour?"),
    ("hint", ("--include-private",), "What of the {token} fear of the harbour?"),
    ("stats", ("--recall",), ""),
    ("capture", (), "{{}}"),
    ("import", ("{out}/transcript.jsonl", "--format", "claude-code"), ""),
    ("import", ("{out}/transcript.jsonl", "--format", "claude-code"), ""),
    ("sessions remove", ("{session}", "--yes"), ""),
    ("sessions remove", ("--all", "--dry-run"), ""),
    ("link", ("{secret}", "{b}", "--type", "caused_by", "--reason", "because of {token}"), ""),
    ("unlink", ("{secret}", "{b}", "--reason", "no {token}"), ""),
    ("link", ("{a}", "{other}"), ""),
    ("graph", (), ""),
    ("graph", ("{a}", "--depth", "3", "--public-only"), ""),
    ("graph", ("--public-only",), ""),
    ("graph", ("--dot", "--public-only"), ""),
    ("graph", ("--mermaid", "--public-only"), ""),
    ("episode create", ("--memory", "{secret}", "--summary", "-"), "Another {token} tale"),
    ("episode add", ("{story}", "{other}"), ""),
    ("episode remove", ("{story}", "{other}"), ""),
    ("episode list", (), ""),
    ("episode show", ("{story}",), ""),
    ("edit", ("{secret}", "--content", "-"), "# {token} title\n\nMy {token} fear of the old harbour"),
    ("edit", ("{secret}", "--set", "people={token},Kaya", "--reason", "{token}"), ""),
    ("tag", ("{secret}", "+{token}x", "-none"), ""),
    ("rename", ("{c}", "Hot soup"), ""),
    ("rename", ("{secret}", "{token}"), ""),
    ("consolidate", ("--all", "--limit", "20"), ""),
    ("merge", ("{other}", "{twin}", "--reason", "{token} twice"), ""),
    ("forget", ("{mood}", "--reason", "{token}"), ""),
    ("restore", ("{mood}",), ""),
    ("restore", ("--list",), ""),
    ("private", ("{c}", "--scrub"), ""),
    ("publish", ("{c}",), ""),
    ("undo", (), ""),
    ("publish", ("{c}",), ""),
    ("history", (), ""),
    ("history", ("{secret}",), ""),
    ("close", ("{other}", "--reason", "{token} is over"), ""),
    ("reopen", ("{other}", "--reason", "{token} is back"), ""),
    ("confirm", ("{other}", "--reason", "{token} said so"), ""),
    ("edit", ("{other}", "--set", "kind=task"), ""),
    ("done", ("{other}", "--reason", "{token} is done"), ""),
    ("reopen", ("{other}",), ""),
    ("tidy", (), ""),
    ("tidy candidates", (), ""),
    ("tidy candidates", ("--public-only",), ""),
    ("tidy apply", ("{out}/plan.json",), ""),
    ("tidy log", (), ""),
    ("tidy schema", (), ""),
    ("review", (), ""),
    ("review list", (), ""),
    ("review accept", ("1",), ""),
    ("review reject", ("1",), ""),
    ("stats", (), ""),
    ("views", ("rebuild",), ""),
    ("compare", ("{secret}", "{token} fear"), ""),
    ("similar", ("{secret}",), ""),
    ("tags", (), ""),
    ("people", (), ""),
    ("status", (), ""),
    ("doctor", (), ""),
    ("doctor", ("--fix",), ""),
    ("backup", ("{out}/backup.tar.gz", "--force"), ""),
    ("backup", ("--check", "{out}/backup.tar.gz"), ""),
    ("backup", ("{out}/backup.tar.gz", "--restore", "{out}/restored"), ""),
    ("reindex", (), ""),
    ("config", (), ""),
    ("config list", (), ""),
    ("config get", ("timezone",), ""),
    ("config set", ("quiet_seconds", "0"), ""),
    ("config unset", ("quiet_seconds",), ""),
    ("import", ("{out}/import.jsonl", "--private"), ""),
    ("export", ("{out}/all.jsonl", "--force", "--closed"), ""),
    ("export", ("{out}/all.md", "--format", "markdown", "--force"), ""),
    ("export", ("{out}/copy", "--format", "vault"), ""),
    ("setup", ("claude-code", "--user", "--yes"), ""),
    ("git-merge", ("{out}/all.md", "{out}/all.md", "{out}/all.md", "memories/x.md"), ""),
    ("help", (), ""),
    ("completion", ("bash",), ""),
]
# What is asked for private memories, or for everything, and may answer with their words.
ASKED = {"remember", "recall", "show", "list", "graph", "edit", "tag", "consolidate", "merge", "forget", "restore"}
ASKED |= {
    "history",
    "close",
    "done",
    "reopen",
    "confirm",
    "tidy",
    "tidy candidates",
    "review",
    "review list",
    "compare",
    "similar",
}
ASKED |= {"search", "tags", "people", "why-not", "wake-up", "introspect", "emotion-trend"}
ASKED |= {"review accept", "review reject", "import", "backup"}
ASKED |= {f"episode {verb}" for verb in ("create", "add", "remove", "list", "show")}


# Servers, and what starts them; test_the_daemons_log has their logs, tests/web what the page is told. `eval` works in a
# vault of its own.
SERVERS = {
    "mcp",
    "web",
    "eval",
    *(f"daemon {verb}" for verb in ("run", "start", "stop", "restart", "logs", "install", "uninstall")),
}


def test_every_command_is_called() -> None:
    def below(command: click.Command, path: str) -> Iterator[str]:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                yield from below(found, f"{path} {name}".strip())
        if not isinstance(command, click.Group) or (path and command.invoke_without_command):
            yield path

    assert {path for path, *_ in CALLS} | SERVERS == set(below(program, ""))
    assert {path.split()[0] for path, *_ in [*CALLS, *((path,) for path in SERVERS)]} == set(COMMANDS)


def holding(folder: Path, *texts: str, but: tuple[str, ...] = ()) -> list[str]:
    """The files below a folder that hold one of these texts, in their names or their bytes."""
    found = []
    for path in sorted(folder.rglob("*")):
        key = str(path.relative_to(folder))
        if not key.startswith(but) and any(
            text in key or (path.is_file() and text.encode() in path.read_bytes()) for text in texts
        ):
            found.append(key)
    return found


def outside(canary: Canary) -> list[str]:
    """Whatever holds the token, or names a private memory, where neither may be."""
    words = (TOKEN, *canary.private_ids)
    found = holding(canary.root, *words, but=("private/", ".vault-mem/"))
    given = ("import.jsonl", "transcript.jsonl", "backup.tar.gz", "restored/private/", "restored/.vault-mem/")
    found += holding(canary.out, *words, but=given)
    found += holding(Path(canary.cli.env["HOME"]), *words)
    git(canary.root, "add", "-A")
    git(canary.root, "commit", "-q", "--allow-empty", "-m", "all")
    log = git(canary.root, "log", "-p", "--all", "--text")
    return found + [f"git: {word}" for word in words if word in log]


def test_every_command(canary: Canary) -> None:
    # P-3, P-4, P-6: the most talkative level, as text and as JSON; nothing of it in logs, public files, exports or git
    succeeded, leaks = set(), []
    for path, arguments, stdin in CALLS:
        public = (path not in ASKED and "--include-private" not in arguments) or "--public-only" in arguments
        for more in ((), ("--json",)):
            answer = canary.run(*path.split(), *arguments, *more, stdin=stdin.format(token=TOKEN))
            assert "unexpected" not in answer.err, (path, answer.err)
            if TOKEN in answer.err or (public and TOKEN in answer.out):
                leaks.append((path, arguments, more))
            if answer.code == 0:
                succeeded.add(path)
    assert leaks == []
    assert {path for path, *_ in CALLS} - succeeded == set()
    assert outside(canary) == []
    assert TOKEN in canary.run("show", "{secret}").out


def quoting(*_: object, **__: object) -> None:
    try:
        raise ValueError(f"the row was {TOKEN}")
    except ValueError as error:
        raise RuntimeError(f"again: {TOKEN}") from error


@pytest.mark.parametrize(
    "where",
    ["vault_mem.vault.journal.Transaction.commit", "vault_mem.index.sync.sync", "vault_mem.index.index.Index.get"],
)
def test_exceptions(canary: Canary, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    # P-3, P-4: what breaks deep inside quotes a private memory, and nobody repeats it
    monkeypatch.setattr(where, quoting)
    failed = 0
    for path, arguments, stdin in CALLS:
        more = ("--json",) if failed % 2 else ()
        text = stdin.format(token=TOKEN)
        answer = canary.run(*path.split(), *arguments, *more, stdin=text, VAULT_MEM_DEBUG="1")
        failed += answer.code == 1
        assert TOKEN not in answer.err, (path, arguments)
        if answer.code not in (0, 3):  # a repetition is an answer: it shows its owner what it repeats
            assert TOKEN not in answer.out, (path, arguments)
    assert failed > 10
    monkeypatch.undo()
    assert outside(canary) == []


WRONG = [
    ("edit", "{secret}", "--set", "importance={token}"),
    ("edit", "{secret}", "--set", "kind={token}"),
    ("edit", "{secret}", "--set", "{token}"),
    ("edit", "{secret}", "--set", "created={token}"),
    ("tag", "{secret}", "+{token}", "-{token}"),
    ("episode", "create", "--private", "--memory", "{secret}", "--summary", "x", "--importance", "{token}"),
    ("episode", "create", "--private", "--memory", "{secret}", "--summary", "x", "--{token}"),
    ("episode", "create", "--private", "--memory", "{token}", "--summary", "{token}"),
    ("import", "{token}", "--private"),
    ("import", "{out}/import.jsonl", "--private", "--format", "{token}"),
    ("remember", "{token}", "--private", "--valid-to", "{token}"),
    ("remember", "{token}", "--private", "more", "{token}"),
    ("merge", "{a}", "{secret}", "--content", "both {token}"),
    ("rename", "{secret}", "{token}"),
]


def test_wrong_arguments(canary: Canary) -> None:
    # P-3: what was given for a private memory is not repeated by the error
    leaks = []
    for arguments in WRONG:
        for more in ((), ("--json",)):
            answer = canary.run(*arguments, *more, VAULT_MEM_DEBUG="1")
            assert answer.code not in (0, 3), arguments
            if TOKEN in answer.err + answer.out:
                leaks.append((arguments, answer.err + answer.out))
    assert leaks == []
    assert outside(canary) == []


def test_a_broken_index(canary: Canary) -> None:
    # P-3: damage is told without what it hit; real processes
    index = Path(canary.cli.env["VAULT_MEM_INDEX_DIR"])
    for number, path in enumerate(sorted(path for path in index.rglob("*") if path.is_file())):
        if path.suffix in (".lance", ".db") or "data" in path.parts:
            path.write_bytes(path.read_bytes()[: 100 if number % 2 else 3])
    asked = canary.fill(("status", "-vv"))
    answer = canary.cli.spawn(*asked, env={"VAULT_MEM_DEBUG": "1"})
    assert "rebuilt" in answer.err
    assert TOKEN not in answer.err + answer.out
    shutil.rmtree(index)
    index.write_text("not a folder")
    for arguments in (("remember", "-", "--private"), ("forget", "{secret}")):
        answer = canary.cli.spawn(*canary.fill(arguments), "-vv", stdin=f"More {TOKEN}", env={"VAULT_MEM_DEBUG": "1"})
        assert answer.code == 1
        assert TOKEN not in answer.err + answer.out
    index.unlink()
    assert outside(canary) == []


def test_read_only_files(canary: Canary) -> None:
    # P-3: real processes, for which permissions hold
    private = canary.root / "private"
    private.chmod(0o500)
    try:
        answer = as_anybody(canary.cli, *canary.fill(("close", "{secret}", "--reason", "{token}")), "-vv")
        assert answer.code != 0
        assert TOKEN not in answer.err + answer.out
    finally:
        private.chmod(0o700)
    assert outside(canary) == []


def changing_editor(canary: Canary) -> dict[str, str]:
    """An editor that edits its copy, while somebody else saves the note itself."""
    script = canary.root.parent / "editor.py"
    note = canary.root / f"private/{canary.names['secret']}.md"
    script.write_text(
        f"import sys\nfor path in (sys.argv[1], {str(note)!r}):\n"
        f"    open(path, 'a').write('more {TOKEN} ' + path[-20:] + '\\n')\n"
    )
    return {"EDITOR": f"{sys.executable} {script}"}


def test_a_file_that_changes_underneath(canary: Canary) -> None:
    # P-3: the edit that could not be saved is kept where only its owner reads it
    answer = canary.run("edit", "{secret}", **changing_editor(canary))
    assert answer.code == 5
    assert TOKEN not in answer.err + answer.out
    assert holding(canary.root / ".vault-mem/edits", TOKEN)
    assert outside(canary) == []


def test_nothing_is_left_after_a_purge(canary: Canary) -> None:
    # F-2: after every command, of every private memory; the deletion log keeps their ids
    cli, root = canary.cli, canary.root
    for path, arguments, stdin in CALLS:
        if path not in ("init", "import", "backup", "export", "setup"):
            canary.run(*path.split(), *arguments, stdin=stdin.format(token=TOKEN))
    canary.run("edit", "{secret}", **changing_editor(canary))
    memory(
        root,
        "private/odd.md",
        "mem_0dd0dd0dd0dd",
        f"Odd {TOKEN} \udcff".encode(errors="surrogateescape").decode("latin1"),
    )
    cli.run("status")
    held = [memory["id"] for memory in cli.json("list", "--all", "--closed", "--private")["memories"]]
    held += [episode["id"] for episode in cli.json("episode", "list")["episodes"] if episode["private"]]
    held += [each["id"] for each in cli.json("restore", "--list")["trash"]]
    assert len(held) > 6
    for id_ in dict.fromkeys(held):
        assert cli.run("forget", id_, "--purge", "--reason", "asked to").code == 0, id_
    index = Path(cli.env["VAULT_MEM_INDEX_DIR"])
    assert holding(root, TOKEN) + holding(index, TOKEN) == []
    assert canary.names["secret"] in (root / ".vault-mem/deletions.jsonl").read_text()
    assert cli.json("list", "--all")["memories"]


def test_the_daemons_log(canary: Canary) -> None:
    # P-4: commands that a daemon runs, and what it writes down of them
    on = {"VAULT_MEM_DAEMON": "on", "VAULT_MEM_DEBUG": "1"}
    try:
        for arguments, stdin in (
            (("remember", "-", "--private", *fields()), f"One more {TOKEN} word"),
            (("recall", "{token}"), ""),
            (("forget", "{other}", "--reason", "{token}"), ""),
            (("edit", "{secret}", "--set", "importance={token}"), ""),
        ):
            assert TOKEN not in canary.cli.spawn("-vv", *canary.fill(arguments), stdin=stdin, env=on).err
        logs = canary.cli.spawn("daemon", "logs", env=on)
        assert logs.out
        assert TOKEN not in logs.out
    finally:
        canary.cli.spawn("daemon", "stop", env=on)
    assert outside(canary) == []
    assert holding(canary.root / ".vault-mem", TOKEN, but=("journal", "trash", "blocked")) == ["deletions.jsonl"]
