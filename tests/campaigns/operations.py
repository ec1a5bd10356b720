"""Every command that writes, as the campaigns call it on their stage."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from .stage import OLD, Stage


def _nothing(stage: Stage) -> None:
    return


@dataclass(frozen=True)
class Operation:
    """A command line, its input, and what a person did in the files just before.

    `hands_over`: it always succeeds, and what it could not do is left for after the next command.
    """

    name: str
    words: tuple[str, ...]
    stdin: str = ""
    before: Callable[[Stage], None] = _nothing
    hands_over: bool = False


def _drop_in(stage: Stage) -> None:
    """A note without an id, one that was renamed by hand, one marked private, and one that was edited: all long ago."""
    folder = stage.vault / "memories/2026-11"
    (folder / "dropped in.md").write_text("# Dropped in\n\nA note about tar and oakum.\n")
    soup = next(folder.glob("soup*.md"))
    soup.rename(folder / "broth.md")
    task = next(folder.glob("call*.md"))
    task.write_bytes(task.read_bytes().replace(b"private: false", b"private: true", 1))
    chain = next(folder.glob("the-bicycle*.md"))
    chain.write_bytes(chain.read_bytes().replace(b"new chain", b"new chain and a bell"))
    for path in folder.iterdir():
        os.utime(path, (OLD, OLD))


def _tick(stage: Stage) -> None:
    path = stage.vault / "REVIEW.md"
    path.write_bytes(path.read_bytes().replace(b"- [ ]", b"- [x]", 1))
    os.utime(path, (OLD, OLD))


_HOOK = '{"session_id": "talk", "transcript_path": "{out}/talk.jsonl", "hook_event_name": "Stop", "cwd": "/app"}'


def _sessions_folder(stage: Stage) -> Path:
    folder = stage.vault / "sessions/2026-11"
    folder.mkdir(parents=True)
    note = "# Made by vault-mem: what was said in sessions is not for git.\n*\n"
    (stage.vault / "sessions/.gitignore").write_text(note)
    return folder


def _talk(stage: Stage) -> None:
    """An agent's transcript, and the folder for sessions."""
    _sessions_folder(stage)
    lines = [("user", "Where did we leave the boat?"), ("assistant", "In the shed, under the tarpaulin.")]
    with (stage.out / "talk.jsonl").open("w") as file:
        for role, text in lines:
            message = {"role": role, "content": text}
            record = {"type": role, "message": message, "timestamp": "2026-11-16T08:00:00Z", "sessionId": "talk"}
            file.write(json.dumps(record | {"cwd": "/app"}) + "\n")


def _kept(stage: Stage) -> None:
    """A session that was captured."""
    folder = _sessions_folder(stage)
    head = '---\nsession: "claude-code:talk"\nagent: "claude-code"\nturns: 1\nread: 9\n---\n'
    said = "\n## 2026-11-16 08:00 user\n\nI read it: Soup was hot and salty today. And the boat?\n"
    (folder / "2026-11-16-claude-code-0a1b2c3d.md").write_text(head + said)


def answered(name: str) -> tuple[str, ...]:
    """A command line with `--yes` if the command takes it, so that it does not ask before it acts."""
    from vault_mem.cli.main import cli

    command = cli.get_command(click.Context(cli), name)
    asks = command is not None and any("--yes" in option.opts for option in command.params)
    return (name, "--yes") if asks else (name,)


OPERATIONS = [
    Operation("remember", ("remember", "The crane on the quay was painted red")),
    Operation("remember private", ("remember", "-", "--private"), "I would rather not sail"),
    Operation("remember curated", ("remember", "I learned to splice", "--category", "introspection")),
    Operation("remember a repetition", ("remember", "The harbour dues rise in spring")),
    Operation("remember what was refused", ("remember", "--last-blocked", "--force")),
    Operation("remember --update", ("remember", "-", "--update", "{lamps}"), "Fifty lamps stand on the quay"),
    Operation("remember --supersedes", ("remember", "Sixty lamps are on the quay", "--supersedes", "{lamps}")),
    Operation("remember mood", ("remember", "Restless since the storm", "--kind", "mood")),
    Operation("edit", ("edit", "{dues}", "--content", "-"), "The harbour dues rise in autumn"),
    Operation("edit private", ("edit", "{secret}", "--set", "importance=5")),
    Operation("tag", ("tag", "{chain}", "+bicycle")),
    Operation("rename", ("rename", "{dues}", "Dues of the harbour")),
    Operation("link", ("link", "{chain}", "{task}")),
    Operation("link private", ("link", "{soup}", "{secret}")),
    Operation("unlink", ("unlink", "{dues}", "{lamps}")),
    Operation("private", ("private", "{lamps}")),
    Operation("private --scrub", ("private", "{dues}", "--scrub")),
    Operation("publish", ("publish", "{turned}")),
    Operation("forget", ("forget", "{dues}", "--reason", "too dear")),
    Operation("forget private", ("forget", "{secret}")),
    Operation("forget --purge", (*answered("forget"), "{soup}", "--purge")),
    Operation("restore", ("restore", "{gone}")),
    Operation("merge", ("merge", "{lamps}", "{lamps2}")),
    Operation("merge --content", ("merge", "{dues}", "{chain}", "--content", "-"), "Dues and chains cost money"),
    Operation("close", ("close", "{lamps}")),
    Operation("reopen", ("reopen", "{closed}")),
    Operation("confirm", ("confirm", "{dues}")),
    Operation("undo", answered("undo")),
    Operation("undo an earlier one", (*answered("undo"), "{early}")),
    Operation("episode create", ("episode", "create", "--memory", "{lamps}", "--summary", "Lights")),
    Operation("episode add", ("episode", "add", "{story}", "{lamps}")),
    Operation("episode remove", ("episode", "remove", "{story}", "{soup}")),
    Operation("tidy", ("tidy",)),
    Operation("tidy apply", ("tidy", "apply", "{out}/plan.json")),
    Operation("review accept", ("review", "accept", "1")),
    Operation("review reject", ("review", "reject", "1")),
    Operation("views rebuild", ("views", "rebuild"), before=lambda stage: (stage.vault / "MEMORY.md").unlink()),
    Operation("consolidate", ("consolidate", "--all")),
    Operation("update-self", ("update-self", "--set", "name=Harbour", "--resolve", "1", "It is")),
    Operation("import", ("import", "{out}/import.jsonl")),
    Operation("import sessions", ("import", "{out}/talk.jsonl", "--format", "claude-code"), before=_talk),
    Operation("capture", ("capture", "--agent", "claude-code"), _HOOK, _talk, hands_over=True),
    Operation("sessions remove", ("sessions", "remove", "--all", "--yes"), before=_kept),
    Operation("forget what a session says", ("forget", "{soup}"), before=_kept),
    Operation("doctor --fix", ("doctor", "--fix")),
    Operation("reindex", ("reindex",)),
    Operation("unasked: a person's files", ("recall", "harbour"), before=_drop_in),
    Operation("unasked: a ticked proposal", ("status",), before=_tick),
    Operation("recall", ("recall", "harbour")),
    Operation("status", ("status",)),
    Operation("export", ("export", "{out}/all.jsonl")),
    Operation("backup", ("backup", "{out}/all.tar.gz")),
]

READERS = [
    Operation(" ".join(words), words)
    for words in (
        ("search", "harbour"),
        ("why-not", "{dues}", "soup"),
        ("show", "{dues}"),
        ("show", "{secret}"),
        ("list", "--all", "--closed"),
        ("graph",),
        ("graph", "{dues}", "--mermaid"),
        ("episode", "list"),
        ("episode", "show", "{story}"),
        ("restore", "--list"),
        ("history",),
        ("history", "{lamps}"),
        ("tidy", "--dry-run"),
        ("tidy", "candidates"),
        ("tidy", "log"),
        ("review", "list"),
        ("stats",),
        ("wake-up",),
        ("introspect",),
        ("update-self", "--show"),
        ("emotion-trend",),
        ("compare", "{dues}", "{lamps}"),
        ("doctor",),
        ("config", "list"),
        ("config", "get", "timezone"),
        ("daemon", "status"),
        ("daemon", "logs"),
        ("backup", "--check", "{out}/made.tar.gz"),
        ("export", "{out}/notes.md", "--format", "markdown"),
        ("export", "{out}/copy", "--format", "vault"),
    )
] + [
    Operation("config set", ("config", "set", "quiet_seconds", "5")),
    Operation("config unset", ("config", "unset", "quiet_seconds")),
    Operation("init again", ("init", "{vault}")),
    Operation("init --obsidian", ("init", "{vault}", "--obsidian")),
]
