"""undo and history: everything can be taken back, and what happened is told."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from random import Random

import pytest
from conftest import Command
from helpers import contents, memory, note

from vault_mem import Vault
from vault_mem.operations.upkeep.review import Suggestion, propose


def tree(root: Path) -> dict[str, bytes]:
    return {name: data for name, data in contents(root).items() if "history" not in name}


def test_undo_of_everything(cli: Command, root: Path) -> None:
    # issue: undo of everything gives the first tree
    memory(root, "memories/mine.md", "mem_00000000000a", "The ferry leaves at eight")
    note(root, "MEMORY.md", "Mine")
    cli.run("status")
    first = tree(root)
    one = cli.json("remember", "Marit rang about the cartons", "--importance", "5")["memory"]["id"]
    cli.run("remember", "-", "--private", stdin="Marit rang about the cartons, and sounded sad")
    cli.run("remember", "The ferry leaves at nine", "--supersedes", "mem_00000000000a", "--category", "introspection")
    cli.run("remember", "Marit rang about the foam", "--update", one)
    cli.run("forget", one)
    cli.run("restore", one)
    cli.run("forget", "mem_00000000000a")
    for _ in range(7):
        answer = cli.run("undo")
        assert answer.code == 0, answer.err
    assert cli.run("undo").code == 4
    assert tree(root) == first


def test_times_and_order_come_back(cli: Command, root: Path, soak: bool) -> None:
    # S-7: bytes, order and modification times, views included, of operations at random
    random = Random(14)
    old = 1_700_000_000_000_000_000
    for number in range(6):
        memory(root, f"memories/m{number}.md", f"mem_{number:012x}", f"Errand {number}: see [[m{(number + 1) % 6}]]")
    cli.run("views", "rebuild")
    for view in (root / "memory").glob("*.md"):
        lines = view.read_text().splitlines()
        view.write_text("\n".join(["Mine.", *random.sample(lines, len(lines)), "Mine too."]))
    for number, path in enumerate(sorted(root.rglob("*.md"))):
        os.utime(path, ns=(old + number, old + number))
    cli.run("status")
    first = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*.md")}
    done = 0
    for number in range(200 if soak else 24):
        ids = [each["id"] for each in cli.json("list", "--all")["memories"]]
        one, other = random.sample(ids, 2)
        command = random.choice(
            [
                ["remember", f"Errand {number} of the afternoon", "--force", "--importance", "5"],
                ["remember", f"I am at errand {number}", "--force", "--category", "introspection"],
                ["remember", "-", "--force", "--private"],
                ["edit", one, "--content", f"Another errand {number}"],
                ["tag", one, f"+t{number}"],
                ["forget", one],
                ["close", one],
                ["private", one],
                ["rename", one, f"name {number}"],
                ["link", one, other],
                ["merge", one, other],
            ]
        )
        if len(ids) < 5 and command[0] in ("forget", "merge"):
            continue
        before = len(cli.json("history", "-n", "9999")["operations"])
        cli.run(*command, stdin=f"Secret errand {number}")
        done += len(cli.json("history", "-n", "9999")["operations"]) > before
    for _ in range(done):
        answer = cli.run("undo")
        assert answer.code == 0, answer.err
    now = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*.md")}
    assert now == first
    assert done > 10


def test_redo(cli: Command, root: Path) -> None:
    cli.run("remember", "The lamp is out")
    saved = tree(root)
    undone = cli.json("undo")
    assert undone["command"] == "remember"
    assert cli.run("undo", undone["undone"]).code == 5  # undone already
    assert cli.run("undo", undone["op"]).code == 0  # an undo of the undo does it again
    assert tree(root) == saved
    assert cli.run("undo").code == 0


def test_a_named_operation(cli: Command, root: Path) -> None:
    # two memories of one day: the first can be taken back alone, its line leaves the log, the other's stays
    cli.run("remember", "The lamp is out")
    cli.run("remember", "Marit rang at noon")
    number = cli.json("history")["operations"][-1]["op"].split("-")[0]
    assert cli.run("undo", str(int(number))).code == 0
    assert [each["content"] for each in cli.json("list")["memories"]] == ["Marit rang at noon"]
    (day,) = (root / "memory").glob("2*.md")
    assert "lamp" not in day.read_text()
    assert "Marit" in day.read_text()
    assert cli.run("undo", "4711").code == 4


def test_an_edit_since_is_never_overwritten(cli: Command, root: Path) -> None:
    # exit 5, names the file, changes nothing
    path = root / cli.json("remember", "The lamp is out")["memory"]["path"]
    path.write_text(path.read_text() + "\nBy hand.\n")
    before = contents(root)
    answer = cli.run("undo")
    assert answer.code == 5
    assert path.name in answer.err
    assert "by hand" in answer.err
    assert contents(root) == before


@pytest.mark.parametrize("command", ["edit", "remember", "rename", "import"])
def test_a_note_that_was_moved_by_hand_is_followed(cli: Command, root: Path, tmp_path: Path, command: str) -> None:
    # V-5, S-7: it is found by its id where it says the same
    id_ = cli.json("remember", "The lamp is out")["memory"]["id"]
    if command == "import":
        cli.run("undo")
        (tmp_path / "lamp.md").write_text("The lamp is out\n")
        id_ = cli.json("import", str(tmp_path / "lamp.md"))["imported"][0]["id"]
    before = {path.name: path.read_bytes() for path in root.rglob("memories/**/*.md")}
    if command in ("edit", "rename"):
        cli.run(
            *{"edit": ["edit", id_, "--content", "The lamp is lit"], "rename": ["rename", id_, "the lamp"]}[command]
        )
    path = root / cli.json("show", id_)["path"]
    (root / "memories" / "mine").mkdir()
    moved = path.rename(root / "memories" / "mine" / "my lamp.md")
    answer = cli.run("undo")
    assert answer.code == 0, answer.err
    left = {path.name: path.read_bytes() for path in root.rglob("memories/**/*.md")}
    if command == "edit":
        assert left == {moved.name: next(iter(before.values()))}  # its text comes back where it is now
    else:
        assert left == (before if command == "rename" else {})
    if command == "edit":
        moved.write_bytes(moved.read_bytes() + b"Mine.\n")
        assert cli.run("undo", "--yes").code in (4, 5)


def test_a_later_operation_is_named(cli: Command, root: Path) -> None:
    id_ = cli.json("remember", "The lamp is out")["memory"]["id"]
    cli.run("remember", "The lamp is out for good", "--update", id_)
    answer = cli.run("undo", "1")
    assert answer.code == 5
    assert "by remember --update (000002-" in answer.err
    assert cli.run("undo").code == 0
    assert cli.run("undo").code == 0


def test_what_the_tool_did_by_itself(cli: Command, root: Path) -> None:
    # V-4: journalled and undoable, but not what a plain undo means
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("remember", "The lamp is out")
    path = note(root, "memories/mine.md", "My note")
    cli.run("status")
    assert path.read_text().startswith("---\nid: ")
    operations = cli.json("history")["operations"][:2]
    assert [(each["command"], each["unasked"]) for each in operations] == [("adopt", True), ("remember", False)]
    assert cli.json("undo")["command"] == "remember"


def test_history_of_a_memory(cli: Command, root: Path) -> None:
    # T-5: before, after, command, reason; also once it is gone
    id_ = cli.json("remember", "The standup is at 3pm")["memory"]["id"]
    cli.run("remember", "The standup is at 4pm", "--update", id_)
    cli.run("remember", "The standup is at noon", "--supersedes", id_, "--force")
    cli.run("forget", id_, "--reason", "old")
    answer = cli.json("history", id_)
    assert not answer["exists"]
    assert [(each["command"], each["reason"]) for each in answer["revisions"]] == [
        ("remember --update", "the text was replaced"),
        ("remember", ""),
        ("forget", "old"),
    ]
    first, second, third = answer["revisions"]
    assert "3pm" in first["before"]
    assert "4pm" in first["after"]
    assert "valid_to" in second["after"]
    assert "\nThe standup" not in second["after"]  # only the front matter changed
    assert third["after"] is None
    text = cli.run("history", id_).out
    assert "-The standup is at 3pm" in text
    assert "+The standup is at 4pm" in text
    assert cli.run("history", "mem_ffffffffffff").code == 4


def test_the_journal_is_bounded(cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # by age and by size; what is undone later than that says so
    from vault_mem.vault import journal
    from vault_mem.vault.folder import Folder

    for day in (1, 2, 30):
        cli.run("remember", f"Note of day {day}", "--force", env={"VAULT_MEM_NOW": f"2026-11-{day:02d}T08:00:00+09:00"})
    later = Folder(root, cli.env | {"VAULT_MEM_NOW": "2026-12-05T08:00:00+09:00"})
    journal.prune(later)
    assert [entry.at.day for entry in journal.entries(later)] == [30]
    cli.run("config", "set", "journal_megabytes", "1")
    big = "word " * 60_000
    for _ in range(6):
        cli.run("remember", big, "--force")
    journal.prune(Folder(root, cli.env))
    size = sum(path.stat().st_size for path in (root / ".vault-mem/journal").iterdir())
    assert size < 2_000_000
    assert cli.run("undo").code == 0


def test_history_outlives_the_journal(cli: Command, root: Path) -> None:
    # T-5: revisions are kept apart and stay
    id_ = cli.json("remember", "The lamp is out")["memory"]["id"]
    cli.run("remember", "The lamp is on", "--update", id_)
    for path in (root / ".vault-mem/journal").iterdir():
        path.unlink()
    assert len(cli.json("history", id_)["revisions"]) == 1
    assert cli.run("undo").code == 4


def test_what_named_a_private_memory_before_may_do_so_again(cli: Command, root: Path) -> None:
    # P-3, undo in order: the mention was there before the note was forgotten
    hidden = cli.json("remember", "The Zanzibar plan is a secret of ours")["memory"]
    naming = cli.json("remember", f"It rained. See [[{Path(hidden['path']).stem}]]", "--link-threshold", "0")["memory"]
    cli.run("private", hidden["id"])
    before = (root / naming["path"]).read_text()
    cli.run("forget", naming["id"])
    assert cli.run("publish", hidden["id"]).code == 0
    assert cli.run("undo").code == 0
    answer = cli.run("undo")
    assert answer.code == 0, answer.err
    assert (root / naming["path"]).read_text() == before


def test_an_editor_saving_all_the_time(root: Path, env: dict[str, str], soak: bool) -> None:
    # V-8: no edit is lost, whichever way the editor saves; conflicts are reported
    paths = [memory(root, f"memories/n{number}.md", f"mem_0000000000{number:02x}", "start") for number in range(6)]
    vault = Vault(root, env=env)
    vault.status()
    stop = threading.Event()
    saved: dict[Path, int] = {}

    def editor() -> None:
        count = 0
        while not stop.is_set():
            count += 1
            path = paths[count % len(paths)]
            text = path.read_text() if path.exists() else ""
            if not text.startswith("---"):
                continue
            head, _, _ = text.partition("\nmark ")
            after = f"{head}\nmark {count}"
            if count % 2:
                path.write_text(after)  # in place
            else:
                temporary = path.with_suffix(".swp")
                temporary.write_text(after)
                temporary.replace(path)
            saved[path] = count

    thread = threading.Thread(target=editor)
    thread.start()
    try:
        for number in range(60 if soak else 12):
            target = paths[number % len(paths)]
            id_ = f"mem_0000000000{paths.index(target):02x}"
            try:
                vault.remember(f"Number {number} follows", supersedes=[id_], force=True)
                vault.undo()
            except Exception as error:
                # 4: it was looked at in the moment in which the editor had emptied it to write it again
                assert getattr(error, "exit_code", 0) in (4, 5), error
    finally:
        stop.set()
        thread.join()
    for path, count in saved.items():
        assert path.read_text().rstrip().endswith(f"mark {count}"), path


def test_what_was_private_then_may_be_named_again(cli: Command, root: Path) -> None:
    # P-3, F-1: a text that named a memory when that became private comes back with an undo, but no text since
    secret = memory(root, "memories/secret-a1a1a1a1.md", "mem_a1a1a1a10000", "The winch sticks")
    memory(root, "memories/one-b2b2b2b2.md", "mem_b2b2b2b20000", "See [[secret-a1a1a1a1]] for it")
    cli.run("private", "mem_a1a1a1a10000")
    cli.run("forget", "mem_b2b2b2b20000")
    assert cli.run("undo").code == 0
    assert "[[secret" in (root / "memories/one-b2b2b2b2.md").read_text()
    assert not secret.exists()
    memory(root, "memories/tide-c3c3c3c3.md", "mem_c3c3c3c30000", "The tide table")
    memory(root, "memories/two-d4d4d4d4.md", "mem_d4d4d4d40000", "See [[tide-c3c3c3c3]] for it")
    cli.run("forget", "mem_d4d4d4d40000")
    forgotten = cli.json("history")["operations"][0]["op"]
    cli.run("private", "mem_c3c3c3c30000")
    answer = cli.run("undo", forgotten)
    assert answer.code == 5
    assert "private by now" in answer.err


def test_the_monologue_does_not_get_words_that_were_taken_back(cli: Command, root: Path) -> None:
    # V-6: an edit undone out of its order; the memory saved after it is undone next
    first = tree(root)
    id_ = cli.json("remember", "I was short with Marit", "--category", "introspection")["memory"]["id"]
    cli.run("remember", "I was short with Marit at noon", "--update", id_)
    cli.run("remember", "The lamp can wait", "--category", "introspection")
    edited = cli.json("history")["operations"][1]
    assert cli.run("undo", edited["op"]).code == 0
    assert cli.run("undo").code == 0
    assert "\nI was short with Marit\n" in (root / "memory/inner-monologue-latest.md").read_text()
    assert cli.run("undo").code == 0
    assert tree(root) == first


def test_a_proposal_survives_the_undo_of_a_rename(cli: Command, root: Path) -> None:
    # S-7: the file that goes is not the memory
    memory(root, "memories/a.md", "mem_00000000000a", "The lamp is lit")
    memory(root, "memories/b.md", "mem_00000000000b", "The harbour is dark")
    vault = Vault(root, env=cli.env)
    vault.status()
    propose(vault.workspace, [Suggestion("link", ("mem_00000000000a", "mem_00000000000b"), "night")])
    before = (root / "REVIEW.md").read_bytes()
    assert cli.run("rename", "mem_00000000000a", "lantern").code == 0
    assert cli.run("undo").code == 0
    assert (root / "REVIEW.md").read_bytes() == before
