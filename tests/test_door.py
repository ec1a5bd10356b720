"""A vault from a stranger: nothing outside it is touched, nothing hangs, nothing planted is followed (S-1, S-2)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, git, memory, note

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and FIFOs need POSIX")

OWN = ".vault-mem"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file of the user's that no vault may touch."""
    path = tmp_path / "bashrc"
    path.write_text("alias ll='ls -l'\n")
    return path


def plant(root: Path, key: str, target: Path) -> None:
    """A symbolic link in the vault, as a clone brings it."""
    path = root / key
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def test_an_unasked_write_does_not_follow_a_link(cli: Command, root: Path, outside: Path) -> None:
    # S-1: adoption appends a revision to history/; here that is a link to the user's .bashrc
    cli.run("config", "set", "quiet_seconds", "0")
    note(root, "memories/x.md", "# $(touch pwned)\n\nSome words about the harbour.\n")
    month = cli.json("status")  # the clock of the vault tells the month
    assert month
    for name in (f"history/{year}-{number:02d}.jsonl" for year in (2026, 2027) for number in range(1, 13)):
        plant(root, name, outside)
    assert cli.run("recall", "harbour").code == 0
    assert cli.run("recall", "harbour").code == 0
    assert outside.read_text() == "alias ll='ls -l'\n"
    assert (root / "history/2026-11.jsonl").is_symlink()


@pytest.mark.parametrize(
    "key",
    [
        f"{OWN}/{name}"
        for name in ("turns.json", "activity.jsonl", "deletions.jsonl", "log/daemon.log", "daemon.lock", "tidy.jsonl")
    ],
)
def test_this_machines_records_are_not_written_through_a_link(
    cli: Command, root: Path, outside: Path, key: str
) -> None:
    # S-1, S-2
    memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise")
    plant(root, key, outside)
    for command in (
        ["recall", "harbour"],
        ["remember", "Soup was hot"],
        ["consolidate"],
        ["forget", "mem_00000000000a"],
    ):
        assert "Traceback" not in cli.run(*command).err
    assert outside.read_text() == "alias ll='ls -l'\n"


@pytest.mark.parametrize("key", [OWN, f"{OWN}/journal", f"{OWN}/trash", "history", "memory", "private"])
def test_a_folder_that_is_a_link_is_not_entered(cli: Command, root: Path, tmp_path: Path, key: str) -> None:
    # S-1: neither read nor written; reads answer all the same
    memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise")
    there = tmp_path / "there"
    there.mkdir()
    plant(root, key, there)
    assert cli.json("recall", "harbour")["results"][0]["id"] == "mem_00000000000a"
    for command in (["remember", "Soup was hot", "--private"], ["forget", "mem_00000000000a"], ["doctor"], ["status"]):
        assert "Traceback" not in cli.run(*command).err
    assert list(there.iterdir()) == []


@pytest.mark.parametrize(
    "key",
    [
        "SELF.md",
        "REVIEW.md",
        "MEMORY.md",
        ".gitignore",
        "memory/2026-11-16.md",
        "memories/pipe.md",
        "history/2026-11.jsonl",
    ]
    + [f"{OWN}/{name}" for name in ("turns.json", "activity.jsonl", "journal/000001-20261116T000000.json", "lock")],
)
def test_a_fifo_hangs_nothing(cli: Command, root: Path, key: str) -> None:
    # S-1: opening it would wait for a writer that never comes
    memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise", "importance: 5")
    (root / key).parent.mkdir(parents=True, exist_ok=True)
    (root / key).unlink(missing_ok=True)
    os.mkfifo(root / key)
    answers: list[str] = []

    def use() -> None:
        for command in (
            ["recall", "harbour"],
            ["status"],
            ["remember", "Soup was hot", "--importance", "5"],
            ["doctor"],
        ):
            answers.append(cli.run(*command).err)

    worker = threading.Thread(target=use, daemon=True)
    worker.start()
    worker.join(90)
    assert not worker.is_alive(), f"{key} hangs a command"
    assert not any("Traceback" in each or "unexpected" in each for each in answers)


def test_a_note_that_is_a_link_is_named_and_not_read(cli: Command, root: Path, outside: Path) -> None:
    # V-7, S-1
    outside.write_text("The secret harbour password is xyzzy\n")
    plant(root, "memories/link.md", outside)
    assert cli.json("recall", "harbour password")["results"] == []
    problems = cli.json("status")["problems"]
    assert [each["path"] for each in problems] == ["memories/link.md"]
    assert "symbolic link" in problems[0]["reason"]
    assert any(each["path"] == "memories/link.md" for each in cli.json("doctor")["findings"])


def test_a_link_that_the_user_wants(cli: Command, root: Path, tmp_path: Path) -> None:
    # S-1: private/ on an encrypted disk, named in the user's own settings
    disk = tmp_path / "encrypted"
    disk.mkdir()
    plant(root, "private", disk)
    assert cli.run("remember", "A private thought", "--private").code == 6
    assert cli.run("config", "set", "--user", "follow_links", str(root / "private")).code == 0
    saved = cli.json("remember", "A private thought", "--private")
    assert [path.name for path in disk.glob("*.md")] == [Path(saved["memory"]["path"]).name]
    assert cli.json("recall", "private thought")["results"][0]["id"] == saved["memory"]["id"]
    assert cli.run("forget", saved["memory"]["id"]).code == 0
    assert list(disk.glob("*.md")) == []
    assert cli.run("undo").code == 0
    assert len(list(disk.glob("*.md"))) == 1


def test_a_vault_cannot_allow_its_own_links(cli: Command, root: Path, tmp_path: Path) -> None:
    # S-1
    (root / "vault-mem.toml").write_text(f'follow_links = ["{root / "private"}"]\n')
    plant(root, "private", tmp_path)
    assert cli.run("remember", "A private thought", "--private").code == 6
    assert not list(tmp_path.glob("*.md"))


# ---- planted records (S-2)


def entry(root: Path, op: str, key: str, after: str, ending: str = "json") -> Path:
    record = {
        "op": op,
        "command": "remember",
        "reason": "",
        "at": "2026-11-16T00:00:00+00:00",
        "steps": [{"key": key, "before": None, "after": after, "mode": 0o644}],
    }
    path = root / f"{OWN}/journal/{op}.{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))
    return path


@pytest.mark.parametrize("ending", ["json", "pending"])
@pytest.mark.parametrize(
    "key", ["memories/a\0b.md", "../outside.md", ".git/hooks/post-commit", "", "memories//x.md", 7]
)
def test_a_planted_entry_is_set_aside(cli: Command, root: Path, ending: str, key: str) -> None:
    cli.run("remember", "The harbour dues rise")
    planted = entry(root, "000002-20261116T000000", key, "evil", ending)
    text = planted.read_bytes()
    assert cli.run("remember", "Soup was hot and salty").code == 0
    assert cli.run("history").code == 0
    assert not planted.exists()
    aside = [path for path in (root / f"{OWN}/aside").iterdir() if path.read_bytes() == text]
    assert len(aside) == 1
    assert any(each["check"] == "set-aside" for each in cli.json("doctor")["findings"])
    assert cli.run("undo", "--yes").code == 0
    assert cli.json("list")["total"] == 1


def test_a_planted_import_takes_no_note_away(cli: Command, root: Path) -> None:
    # an import that did not end is taken back unasked, but not what is in no folder of ours
    cli.run("remember", "The harbour dues rise")
    own = note(root, "Diary/Monday.md", "Mine")
    planted = entry(root, "000002-20261116T000000", "Diary/Monday.md", "Mine")
    planted.write_text(json.dumps(json.loads(planted.read_text()) | {"part_of": "token"}))
    (planted.parent / "token.parts").write_text("1 import")
    assert cli.run("remember", "Soup was hot and salty").code == 0
    assert cli.run("undo", "2").code == 5
    assert own.read_text() == "Mine"


def test_a_planted_number_is_not_what_undo_takes(cli: Command, root: Path) -> None:
    kept = cli.json("remember", "The harbour dues rise")["memory"]["id"]
    stranger = memory(root, "memories/s.md", "mem_00000000000b", "A stranger's note")
    entry(root, "999999-20261116T000000", "memories/s.md", stranger.read_text())
    undone = cli.run("undo", "--yes")
    assert undone.code == 0
    assert stranger.exists()
    assert kept not in [each["id"] for each in cli.json("list")["memories"]]
    assert cli.run("remember", "Soup was hot").code == 0


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_git_brought_is_set_aside_whole(cli: Command, root: Path) -> None:
    # S-2: a clone's journal is somebody else's
    stranger = memory(root, "memories/s.md", "mem_00000000000b", "A stranger's note")
    planted = entry(root, "000001-20261116T000000", "memories/s.md", stranger.read_text())
    (root / f"{OWN}/turns.json").write_text('{"turns": 9, "tidied": null}')
    (root / f"{OWN}/lock").touch()
    git(root, "init", "-q")
    git(root, "add", "-f", ".")
    git(root, "commit", "-qm", "a stranger's vault")
    answer = cli.run("recall", "note")
    assert answer.code == 0
    assert "git rm --cached -r .vault-mem" in answer.err
    assert not planted.exists()  # a read is enough
    assert cli.run("undo", "--yes").code == 4
    assert stranger.exists()
    assert not planted.exists()
    names = sorted(path.name for path in (root / f"{OWN}/aside").iterdir())
    assert "journal.000001-20261116T000000.json" in names
    assert "turns.json" in names
    assert "lock" not in names  # another process may hold it


def test_a_vault_copied_to_a_new_computer_keeps_its_undo(cli: Command, root: Path, tmp_path: Path) -> None:
    # S-2
    cli.run("remember", "The harbour dues rise")
    copy = shutil.copytree(root, tmp_path / "copy")
    there = Command(copy, {**cli.env, "VAULT_MEM_VAULT": str(copy), "VAULT_MEM_INDEX_DIR": str(tmp_path / "index2")})
    assert there.run("undo", "--yes").code == 0
    assert there.json("list")["total"] == 0
    assert cli.json("list")["total"] == 1


# ---- nothing else opens a path of the vault

_WATCHED = """
import os, sys
root = os.path.realpath(sys.argv[1])
seen = []
def hook(event, args):
    if event == "open" or event.startswith(("os.", "shutil.")):
        for each in args[:2]:
            if isinstance(each, (str, bytes)) and os.fsdecode(each).startswith(root + os.sep):
                frame = sys._getframe(1)
                while frame and "vault_mem" not in frame.f_code.co_filename:
                    frame = frame.f_back
                where = frame.f_code.co_filename + ":" + frame.f_code.co_name if frame else "?"
                seen.append((event, os.fsdecode(each), where))
sys.addaudithook(hook)
from vault_mem.cli.main import main
for line in sys.stdin.read().splitlines():
    main(line.split("|"))
for each in seen:
    print("OPENED", *each)
"""


def test_nothing_else_opens_a_path_of_the_vault(cli: Command, root: Path) -> None:
    # S-1: every path that the process opens by its whole name is seen; those of the vault must not be among them
    for number, text in enumerate(("The harbour dues rise", "Soup was hot", "Forty lamps stand on the quay")):
        memory(root, f"memories/{number}.md", f"mem_00000000000{number}", text, "importance: 5")
    note(root, "memories/new.md", "A note without an id\n")
    lines = [
        "status", "recall|harbour", "search|harbour", "remember|A thought of my own", "remember|Quiet|--private",
        "show|mem_000000000000", "list", "tag|mem_000000000000|--add|x", "rename|mem_000000000001|Hot soup",
        "link|mem_000000000000|mem_000000000001", "private|mem_000000000002", "publish|mem_000000000002",
        "merge|mem_000000000000|mem_000000000001", "undo|--yes", "forget|mem_000000000001", "restore|mem_000000000001",
        "consolidate|--all", "tidy", "tidy|candidates|--json", "wake-up", "introspect", "update-self|--set|name=Ada",
        "emotion-trend", "graph", "stats", "history", "views", "config", "config|set|quiet_seconds|20", "doctor",
        "doctor|--fix", "reindex", "review", "episode|create|Evening|mem_000000000000|mem_000000000001",
        f"export|{root.parent / 'out.jsonl'}", f"backup|{root.parent / 'out.tar.gz'}",
        "forget|mem_000000000000|--purge|--yes",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, str(root)],
        input="\n".join(lines),
        cwd=root,
        env={**os.environ, **cli.env, "VAULT_MEM_DAEMON": "off"},
        text=True,
        capture_output=True,
        timeout=300,
        check=False,
    )
    opened = sorted({line for line in done.stdout.splitlines() if line.startswith("OPENED")})
    assert not opened, "\n".join(opened)
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    assert contents(root)


def test_a_link_in_the_place_of_the_history_leaves_nothing_half_done(cli: Command, root: Path, tmp_path: Path) -> None:
    # S-1, S-3: what would be noted there is refused as a whole; whatever else is asked for works
    id_ = cli.json("remember", "The ferry leaves at eight")["memory"]["id"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    plant(root, "history", elsewhere)
    before = contents(root)
    assert cli.run("tag", id_, "+sea").code == 6
    assert contents(root) == before
    assert cli.json("status")["interrupted"] == []
    assert cli.run("remember", "Tar came in barrels").code == 0
    assert list(elsewhere.iterdir()) == []
