"""doctor: every trouble with its place, a plain sentence and what to do; it changes nothing unless asked to fix."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, git, memory, mode, no_longer_than, note, states

from vault_mem.operations.vaults.checks import machine
from vault_mem.operations.vaults.doctor import BY_INDEX
from vault_mem.vault.lock import locked_outside


def findings(cli: Command, check: str) -> list[dict]:
    return [each for each in cli.json("doctor")["findings"] if each["check"] == check]


def test_all_well(cli: Command, root: Path) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", "Sound")
    answer = cli.run("doctor")
    assert answer.code == 0
    assert answer.out.startswith("All well: ")
    assert cli.json("doctor")["healthy"] is True
    assert {"broken-files", "duplicate-ids", "missing-ids", "modes"} <= set(cli.json("doctor")["checks"])


def test_a_broken_file(cli: Command, root: Path) -> None:
    # V-7: line and reason
    memory(root, "memories/a.md", "mem_00000000000a", "Text", "tags: [a, b", "importance: 3")
    answer = cli.run("doctor")
    assert answer.code == 1
    assert "memories/a.md:" in answer.out
    (found,) = findings(cli, "broken-files")
    assert found["path"] == "memories/a.md"
    assert found["line"] in (4, 5, 6)
    assert "broken YAML" in found["message"]
    assert found["hint"]
    assert set(found) == {"check", "message", "path", "line", "hint", "severity"}


def test_two_files_with_one_id(cli: Command, root: Path) -> None:
    # V-5
    memory(root, "memories/thing-00000000.md", "mem_00000000000a", "The thing")
    memory(root, "memories/thing-00000000 copy.md", "mem_00000000000a", "The thing")
    (found,) = findings(cli, "duplicate-ids")
    assert found["path"] == "memories/thing-00000000 copy.md"
    assert "memories/thing-00000000.md" in found["message"]
    assert "mem_00000000000a" in found["message"]
    assert cli.run("doctor").code == 1


def test_ids(cli: Command, root: Path) -> None:
    # V-6
    note(root, "memories/none.md", "No id yet", age=0)
    note(root, "memories/other.md", "---\nid: 20231104\n---\nAnother scheme")
    assert findings(cli, "missing-ids")[0]["path"] == "memories/none.md"
    assert findings(cli, "foreign-ids")[0]["path"] == "memories/other.md"
    assert cli.run("doctor").code == 0  # nothing to do about either


def test_links_to_nowhere(cli: Command, root: Path) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", "See [[nobody]]")
    (found,) = findings(cli, "dangling-links")
    assert "[[nobody]]" in found["message"]
    assert found["path"] == "memories/a.md"
    assert found["severity"] == "info"


def test_modes(cli: Command, root: Path) -> None:
    # P-1
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret")
    path.chmod(0o644)
    (root / "private").chmod(0o755)
    found = {each["path"]: each for each in findings(cli, "modes")}
    assert set(found) == {"private", "private/mem_00000000000a.md"}
    assert "chmod 600" in found["private/mem_00000000000a.md"]["hint"]
    (root / "private").chmod(0o700)
    path.chmod(0o600)
    assert findings(cli, "modes") == []


def test_settings(cli: Command, root: Path) -> None:
    # what a stranger's vault may not set is ignored with a warning
    file = root / "vault-mem.toml"
    file.write_text(file.read_text() + 'model = "/evil"\nquiet_second = 3\n')
    messages = [each["message"] for each in findings(cli, "settings")]
    assert any("model is ignored" in each for each in messages)
    assert any("did you mean quiet_seconds?" in each for each in messages)


def test_it_changes_nothing(cli: Command, root: Path) -> None:
    # V-4: doctor without --fix leaves bytes and mtime alone
    cli.run("config", "set", "adopt_ids", "never")
    note(root, "memories/a.md", "No id")
    memory(root, "memories/b.md", "mem_00000000000b", "Broken", "importance: 9")
    memory(root, "memories/b copy.md", "mem_00000000000b", "Copy")
    memory(root, "private/c.md", "mem_00000000000c", "Secret")
    before = states(root)
    assert cli.run("doctor").code == 1
    assert cli.run("doctor", "--json").code == 1
    assert states(root) == before


def test_private_texts_are_not_in_errors(cli: Command, root: Path) -> None:
    # P-3: no exception quotes a private note
    memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret", "tags: {my-divorce: 1}")
    assert "private/mem_00000000000a.md:4" in cli.run("doctor").out
    answer = cli.run("remember", "New", "--private", "--supersedes", "mem_00000000000a")
    assert answer.code == 1
    assert "private/mem_00000000000a.md" in answer.err
    assert "my-divorce" not in answer.err


def test_modes_are_put_right(cli: Command, root: Path) -> None:
    # P-1, P-5: by --fix alone, and everything below
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret")
    note(root, "private/.history/2026-11.jsonl", "{}\n")
    for each in (path, root / "private", root / "private/.history", root / "private/.history/2026-11.jsonl"):
        each.chmod(0o755)
    (root / "private/.history/2026-11.jsonl").chmod(0o644)
    before = states(root)
    assert cli.run("doctor").code == 1
    assert states(root) == before
    answer = cli.json("doctor", "--fix")
    assert answer["healthy"] is True
    assert {each["path"] for each in answer["fixed"]} == {
        "private",
        "private/mem_00000000000a.md",
        "private/.history",
        "private/.history/2026-11.jsonl",
    }
    assert mode(path) == 0o600
    assert mode(root / "private/.history") == 0o700
    assert cli.json("doctor", "--fix")["fixed"] == []


def test_git_ignores_what_is_private(cli: Command, root: Path) -> None:
    # P-5: checked with git itself, repaired by --fix, undoable
    git(root, "init", "-q")
    assert findings(cli, "git") == []
    for text in ("*.pyc\n", "private/\n.vault-mem/\n!private/\n", "private/\n.vault-mem/\r\n!.vault-mem/"):
        (root / ".gitignore").write_text(text)
        found = findings(cli, "git")
        assert found, text
        assert all("git does not ignore" in each["message"] for each in found)
        assert cli.run("doctor").code == 1
        assert cli.json("doctor", "--fix")["healthy"] is True, text
        assert (root / ".gitignore").read_text().startswith(text.split("\r")[0])
        assert cli.run("undo").code == 0
        assert (root / ".gitignore").read_bytes() == text.encode()
    (root / ".gitignore").unlink()
    assert cli.run("doctor", "--fix").code == 0
    assert (root / ".gitignore").read_text() == "private/\n.vault-mem/\n"


def test_without_git_the_list_is_looked_at(cli: Command, root: Path) -> None:
    # P-5
    (root / ".gitignore").unlink()
    (found,) = findings(cli, "git")
    assert found["severity"] == "info"
    assert cli.run("doctor", "--fix").code == 0
    assert (root / ".gitignore").read_text() == "private/\n.vault-mem/\n"


def test_git_never_held_a_private_file(cli: Command, root: Path) -> None:
    # P-5: staged, committed once, or in a larger repository; and what git does not do
    git(root.parent, "init", "-q")
    memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret words")
    (found,) = findings(cli, "git")
    assert found["severity"] == "info"
    assert "git clean -x" in found["message"]
    assert "backup" in found["hint"]
    git(root.parent, "add", "-f", "vault/private")
    assert any("tracks 1 private" in each["message"] for each in findings(cli, "git"))
    git(root.parent, "commit", "-qm", "oops")
    git(root.parent, "rm", "-q", "--cached", "-r", "vault/private")
    git(root.parent, "commit", "-qm", "taken back")
    errors = [each for each in findings(cli, "git") if each["severity"] == "error"]
    assert ["history of git holds 1" in each["message"] for each in errors] == [True]
    answer = cli.run("doctor")
    assert answer.code == 1
    assert "Secret words" not in answer.out


@pytest.mark.parametrize(
    ("name", "original"),
    [
        ("plan.sync-conflict-20261101-080000-ABCDEFG.md", "plan.md"),
        ("plan (Kaya's conflicted copy 2026-11-01).md", "plan.md"),
        ("plan (conflict 2026-11-01-08-00-00).md", "plan.md"),
        ("plan (1).md", "plan.md"),
    ],
)
def test_copies_of_a_sync_service(cli: Command, root: Path, name: str, original: str) -> None:
    # V-5: one that says something else is only named, one that says the same goes by --fix, and can come back
    memory(root, f"memories/{original}", "mem_00000000000a", "The plan")
    copy = memory(root, f"memories/{name}", "mem_00000000000a", "The other plan")
    memory(root, "memories/a-conflict-with-the-baker.md", "mem_00000000000b", "Bread")
    memory(root, "memories/chapter (2).md", "mem_00000000000c", "No chapter without a number is there")
    (found,) = findings(cli, "conflict-copies")
    assert found["path"] == f"memories/{name}"
    assert original in found["message"]
    assert "compare" in found["hint"]
    assert cli.json("doctor", "--fix")["fixed"] == []
    shutil.copy(root / f"memories/{original}", copy)
    assert [each["check"] for each in cli.json("doctor", "--fix")["fixed"]] == ["conflict-copies"]
    assert not copy.exists()
    assert cli.run("doctor").code == 0
    assert cli.run("undo").code == 0
    assert copy.exists()


def test_notes_from_the_future(cli: Command, root: Path) -> None:
    # a clock that was wrong; --fix sets the file's time alone
    wrong = note(root, "memories/a.md", "---\nid: mem_00000000000a\ncreated: 2099-01-01T08:00:00\n---\nLater")
    late = memory(root, "memories/b.md", "mem_00000000000b", "Saved by a clock that is wrong")
    os.utime(late, (time.time() + 90_000, time.time() + 90_000))
    by_path = {each["path"]: each for each in findings(cli, "clock")}
    assert set(by_path) == {"memories/a.md", "memories/b.md"}
    assert "created in the future, on 2099-01-01" in by_path["memories/a.md"]["message"]
    before = contents(root)
    assert [each["path"] for each in cli.json("doctor", "--fix")["fixed"]] == ["memories/b.md"]
    assert contents(root) == before
    assert late.stat().st_mtime <= time.time() + 1
    assert [each["path"] for each in findings(cli, "clock")] == ["memories/a.md"]
    assert wrong.exists()


def index_files(cli: Command, *endings: str) -> list[Path]:
    index = Path(cli.env["VAULT_MEM_INDEX_DIR"])
    return [path for path in index.rglob("*") if path.is_file() and path.suffix in endings]


def test_a_damaged_index(cli: Command, root: Path) -> None:
    # rebuilt by itself where that is noticed on opening, and said; the notes are not touched
    memory(root, "memories/a.md", "mem_00000000000a", "Sound")
    assert cli.run("status").code == 0
    before = states(root)
    for path in index_files(cli, ".lance"):
        path.write_bytes(b"not a table")
    (found,) = findings(cli, "index")
    assert "damaged" in found["message"]
    assert findings(cli, "index") == []
    assert states(root) == before


def test_an_index_with_holes(cli: Command, root: Path) -> None:
    # rows that are missing show only when all of them are read; --fix rebuilds it
    from vault_mem import Vault

    for digit in "abc":
        memory(root, f"memories/{digit}.md", f"mem_00000000000{digit}", f"Memory {digit}")
    vault = Vault(root, env=cli.env)
    vault.status()
    table = vault.workspace.index.table
    table._table.delete("file = 'memories/b.md'")
    table.refresh()
    vault.workspace.index.state.put(table_version=table.version)
    (found,) = findings(cli, "index")
    assert (found["severity"], "damaged" in found["message"]) == ("error", True)
    assert "reindex" in found["hint"]
    answer = cli.json("doctor", "--fix")
    assert [each["check"] for each in answer["fixed"]] == ["index"]
    assert answer["healthy"] is True
    assert len(cli.json("list")["memories"]) == 3


def test_without_an_index(cli: Command, root: Path) -> None:
    # it says so, and checks what it can
    copy = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret")
    copy.chmod(0o644)
    Path(cli.env["VAULT_MEM_INDEX_DIR"]).write_text("not a folder")
    answer = cli.run("doctor")
    assert answer.code == 1
    assert "cannot make the index folder" in answer.out
    assert "private/mem_00000000000a.md: others can read it" in answer.out
    assert "Not checked because of that: broken-files, " in answer.out
    told = cli.json("doctor")
    assert told["skipped"] == list(BY_INDEX)
    assert not set(told["skipped"]) & set(told["checks"])
    assert {each["check"] for each in told["findings"]} == {"index", "modes"}


@pytest.mark.parametrize("broken", ["missing", "empty folder"])
def test_without_the_model(cli: Command, root: Path, tmp_path: Path, broken: str) -> None:
    # it says so, with the way back to the built-in one, and checks what it can
    memory(root, "memories/a (1).md", "mem_00000000000a", "Sound")
    memory(root, "memories/a.md", "mem_00000000000b", "Sound")
    place = tmp_path / "model"
    if broken == "empty folder":
        place.mkdir()
    answer = cli.run("doctor", "--json", env={"VAULT_MEM_MODEL": str(place)})
    assert answer.code == 1
    (found,) = [each for each in answer.json["findings"] if each["check"] == "model"]
    assert found["severity"] == "error"
    assert "embedding model" in found["message"]
    assert "config unset --user model" in found["hint"]
    assert {each["check"] for each in answer.json["findings"]} == {"model", "conflict-copies"}
    assert answer.json["skipped"] == list(BY_INDEX)
    assert cli.json("doctor")["skipped"] == []


def test_a_lock_that_is_held(cli: Command, root: Path) -> None:
    # by whom, where the system tells; one that was only left behind is no trouble
    memory(root, "memories/a.md", "mem_00000000000a", "Sound")
    cli.run("status")
    assert findings(cli, "lock") == []
    with locked_outside(root / ".vault-mem/lock", "this vault"):
        (found,) = findings(cli, "lock")
        assert "is writing this vault" in found["message"]
        assert found["path"].endswith(".vault-mem/lock")
        assert "end it" in found["hint"]
    assert (root / ".vault-mem/lock").exists()
    assert findings(cli, "lock") == []


def test_a_lock_that_git_left(cli: Command, root: Path) -> None:
    git(root, "init", "-q")
    lock = note(root, ".git/index.lock", "")
    (found,) = findings(cli, "lock")
    assert found["path"] == ".git/index.lock"
    assert lock.exists()  # whether a git is running, its owner knows
    lock.unlink()
    assert findings(cli, "lock") == []


def test_a_full_disk(cli: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # what the system tells of a disk is the one thing that is made up here
    assert findings(cli, "disk") == []
    for free, word, severity in ((3_000_000, "is full: 3 MB", "error"), (90_000_000, "nearly full: 90 MB", "warning")):
        monkeypatch.setattr(machine.shutil, "disk_usage", lambda path, free=free: shutil._ntuple_diskusage(0, 0, free))
        found = findings(cli, "disk")[0]
        assert (word in found["message"], found["severity"]) == (True, severity)
        assert "free some space" in found["hint"]


def test_too_few_watches(cli: Command, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for month in range(1, 8):
        memory(root, f"memories/2026-{month:02}/a{month}.md", f"mem_00000000000{month}", f"Memory {month}")
    limit = tmp_path / "max_user_watches"
    monkeypatch.setattr(machine, "_WATCHES", limit)
    limit.write_text("1000\n")
    assert findings(cli, "watch-limit") == []
    limit.write_text("12\n")
    (found,) = findings(cli, "watch-limit")
    assert "lets you watch 12" in found["message"]
    assert "fs.inotify.max_user_watches=" in found["hint"]
    limit.unlink()
    assert findings(cli, "watch-limit") == []


def test_what_was_left_half_done(cli: Command, root: Path) -> None:
    # V-8: an operation that was taken back, and an edit that could not be saved
    memory(root, "memories/a.md", "mem_00000000000a", "Sound")
    note(root, ".vault-mem/journal/000007-20261101T080000.conflict", "{}")
    note(root, ".vault-mem/edits/mem_00000000000a.md", "My edit")
    messages = [each["message"] for each in findings(cli, "interrupted")]
    assert any("000007-20261101T080000 was taken back" in each for each in messages)
    assert any("edit that could not be saved" in each for each in messages)


def test_a_summary_that_aged(cli: Command) -> None:
    # T-6
    fact = cli.json("remember", "Kaya likes green tea", "--kind", "fact", "--tag", "kaya")["memory"]["id"]
    cli.run("remember", "Kaya is fond of tea", "--kind", "summary", "--scope", "tag:kaya", "--of", fact, "--force")
    assert findings(cli, "summaries") == []
    cli.run("edit", fact, "--content", "Kaya likes coffee by now", env={"VAULT_MEM_NOW": "2099-01-01T08:00:00+09:00"})
    (found,) = findings(cli, "summaries")
    assert found["severity"] == "info"


def test_proposals_that_name_a_private_memory(cli: Command, root: Path) -> None:
    # P-3, P-6: a file moved by hand leaves them; `private ID` takes them along
    from vault_mem import Vault
    from vault_mem.operations.upkeep.review import Suggestion, propose

    a, b = (cli.json("remember", text)["memory"] for text in ("The harbour dues rise", "My zebra dream"))
    vault = Vault(root, env=cli.env)
    vault.status()
    propose(vault.workspace, [Suggestion("link", (a["id"], b["id"]), "a zebra in the harbour")])
    (root / b["path"]).rename(root / f"private/{b['id']}.md")
    assert "REVIEW.md" in [each["path"] for each in findings(cli, "mentions")]
    assert cli.run("private", b["id"]).code == 0
    assert "zebra" not in (root / "REVIEW.md").read_text()
    assert "a zebra in the harbour" in (root / "private/REVIEW.md").read_text()
    assert [each["id"] for each in cli.json("review", "list")["proposals"]]
    assert "REVIEW.md" not in [each["path"] for each in findings(cli, "mentions")]


def test_at_least_fifteen_kinds(cli: Command) -> None:
    assert len(cli.json("doctor")["checks"]) >= 15


def test_a_daemon_of_another_version(cli: Command, root: Path, env: dict[str, str]) -> None:
    # left from before an update, as a real socket of ours that answers for an older one
    import socket
    import threading

    from vault_mem.daemon import protocol

    place = protocol.address_for(str(root), env)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(place + ".sock")
        listener.listen()

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                protocol.Messages(connection).next()
                connection.sendall(protocol.message(protocol.STDOUT, b'{"version": "0.0.1"}'))

        thread = threading.Thread(target=answer)
        thread.start()
        found = [each for each in cli.json("doctor")["findings"] if each["check"] == "daemon"]
        thread.join()
    assert "0.0.1" in found[0]["message"]
    assert "daemon restart" in found[0]["hint"]


def test_many_dangling_links_take_no_time(cli: Command, root: Path) -> None:
    # V-7: each link was looked up in the index, and 10,000 of them took minutes
    links = "".join(f"[[nowhere {number}]]\n" for number in range(10_000))
    memory(root, "memories/a.md", "mem_00000000000a", links)
    cli.run("status")
    started = time.monotonic()
    assert len(findings(cli, "dangling-links")) == 10_000
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("key", [".vault-mem/turns.json", ".vault-mem/trash", "history/2026-11.jsonl", "MEMORY.md"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/nowhere"), Path.mkdir, Path.touch])
def test_odd_files_where_ours_belong(cli: Command, root: Path, key: str, make: Callable[[Path], None]) -> None:
    # S-1, S-2: named, whether or not doctor itself reads them, and left alone
    cli.run("status")
    path = root / key
    path.parent.mkdir(exist_ok=True)
    make(path)
    findings = [each for each in cli.json("doctor")["findings"] if each["check"] == "odd-files"]
    wanted = path.is_dir() if key.endswith("trash") else path.is_file()
    assert [each["path"] for each in findings] == ([] if wanted else [key])
    assert os.path.lexists(path)


@pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude", ".git/config", "private/.gitignore", ""])
def test_a_pipe_that_git_would_wait_for(cli: Command, root: Path, place: str) -> None:
    # S-1: nothing hangs, and doctor answers in every state a vault can be in
    if place:
        git(root, "init", "-q")
    place = place or ".gitignore"
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).unlink(missing_ok=True)
    os.mkfifo(root / place)
    with no_longer_than(20):
        answer = cli.run("doctor", "--fix")
    assert "error:" not in answer.err
    if place == ".gitignore":
        assert "is unknown" in answer.out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", "memories/a/.gitignore", "memories/.gitattributes"])
def test_git_is_not_asked_where_it_would_wait_at_a_pipe(cli: Command, root: Path, name: str) -> None:
    # S-1: nothing hangs; git opens both whatever they are
    git(root, "init", "-q")
    memory(root, "memories/a/ferry.md", "mem_00000000000a", "The ferry leaves at eight")
    (root / name).unlink(missing_ok=True)
    os.mkfifo(root / name)
    started = time.monotonic()
    assert cli.run("status").code == 0
    cli.run("doctor")
    assert time.monotonic() - started < 20  # git itself would be given thirty seconds, several times
