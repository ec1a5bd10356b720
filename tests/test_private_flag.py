"""A private note whose flag is cleared before the eyes of the running daemon moves out; in doubt it stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from daemons import Served, served, wait_for
from helpers import aged, contents, memory, note

PACE = 8  # seconds of the daemon that pass in one of ours
QUIET = 8
MOMENT = 2 / PACE + 0.3  # files that change in less are not taken for one person's edits


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("flag")) as command:
        hasten(command)
        hidden(command.root, 0)
        assert command.spawn("recall", "anything").code == 0
        wait_for(lambda: seen(command) == 1)  # also what was there when it started
        yield command


def hasten(command: Served) -> None:
    """What waits, waits for a moment only."""
    command.env["VAULT_MEM_PACE"] = str(PACE)
    assert command.run("config", "set", "quiet_seconds", str(QUIET)).code == 0


def hidden(root: Path, number: int, text: str = "", flag: str = "private: true") -> Path:
    id_ = f"mem_{number:08x}0000"
    return memory(root, f"private/{id_}.md", id_, text or f"Wish {number} of the marmot.", flag, "importance: 5")


def seen(command: Served) -> int:
    """How many private notes the daemon has seen to say that they are."""
    return command.run("daemon", "status", "--json").json["private_seen"]


def hide(command: Served, number: int, text: str = "") -> Path:
    """A new private note, after the daemon has looked at it."""
    before = seen(command)
    path = hidden(command.root, number, text)
    wait_for(lambda: seen(command) == before + 1)
    return path


def clear(path: Path) -> str:
    """What the note says once its flag is cleared."""
    return path.read_text().replace("private: true", "private: false")


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def by_exchange(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text)
    temporary.replace(path)


def by_backup(path: Path, text: str) -> None:
    backup = path.with_name(path.name + "~")
    path.rename(backup)
    path.write_text(text)
    backup.unlink()


def moved(command: Served, path: Path) -> Path | None:
    """Where a note is now that is no longer private."""
    found = list(command.root.glob(f"memories/**/*{path.stem[4:12]}.md"))
    return found[0] if found and not path.exists() else None


def published(command: Served, path: Path) -> str:
    """The operation that moved it out, once it is done."""
    wait_for(lambda: moved(command, path) and operations(command, path))  # after a miss, it tries again
    assert operations(command, path)[0]["command"] == "publish"
    return operations(command, path)[0]["op"]


def operations(command: Served, path: Path) -> list[dict]:
    """What was done to a note and is in the journal, newest first."""
    return [each for each in command.ask_json("history")["operations"] if each["ids"] == [path.stem]]


def stay(command: Served, number: int, *paths: Path) -> None:
    """These notes stay where they are, as they are, while one that was changed after them moves out."""
    before = [path.read_bytes() for path in paths]
    time.sleep(MOMENT)
    later = hide(command, number)
    in_place(later, clear(later))
    published(command, later)
    assert [path.read_bytes() for path in paths] == before
    assert not [path for path in paths if moved(command, path)]


@pytest.mark.parametrize(("number", "save"), [(0x10, in_place), (0x11, by_exchange), (0x12, by_backup)])
def test_an_editors_save_moves_it_out(one: Served, number: int, save: Callable[[Path, str], None]) -> None:
    # P-2, V-4, W-1: once quiet, with its lines in the views, shown before, journalled as unasked
    path = hide(one, number)
    save(path, clear(path))
    saved = time.time()
    assert one.found("wish of the marmot", 20)  # a command indexes it first
    key = f"private/{path.name}"
    wait_for(lambda: one.ask_json("status")["waiting_to_move"] == [key] or moved(one, path))
    op = published(one, path)
    assert time.time() - saved >= QUIET / PACE
    assert f"[id:{path.stem}]" in (one.root / "MEMORY.md").read_text()
    assert f"[id:{path.stem}]" in (one.root / "memory/2026-11-01.md").read_text()
    shown = one.ask_json("show", path.stem)
    assert (shown["private"], shown["path"]) == (False, str(moved(one, path).relative_to(one.root)))
    assert [(each["op"], each["unasked"]) for each in operations(one, path)] == [(op, True)]
    log = (one.root / ".vault-mem/log/daemon.log").read_text()
    assert "1 note(s) moved out" in log
    assert "marmot" not in log and path.stem not in log


def removed_and_made_again(path: Path) -> None:
    text = clear(path)
    path.unlink()
    path.write_text(text)


def from_elsewhere(path: Path) -> None:
    other = path.parents[2] / "arriving.md"
    other.write_text(clear(path))
    other.replace(path)


def with_its_time(path: Path) -> None:
    """As `cp -p` or `rsync --inplace` restores a file."""
    path.write_text(clear(path))
    aged(path)


def by_a_sync(path: Path) -> None:
    """As Syncthing and rsync put a file in place: with the time of the change elsewhere."""
    temporary = path.with_name(f".syncthing.{path.name}.tmp")
    temporary.write_text(clear(path))
    aged(temporary, 15)
    temporary.replace(path)


def by_way_of_nothing(path: Path) -> None:
    path.write_text(path.read_text().replace("private: true\n", ""))
    time.sleep(1)
    path.write_text(path.read_text().replace("importance: 5", "importance: 5\nprivate: false"))


def and_set_again(path: Path) -> None:
    text = path.read_text()
    path.write_text(clear(path))
    time.sleep(0.2)
    path.write_text(text)


def not_said(path: Path) -> None:
    path.write_text(path.read_text().replace("private: true", "private:"))


WAYS = (
    removed_and_made_again,
    from_elsewhere,
    with_its_time,
    by_a_sync,
    by_way_of_nothing,
    and_set_again,
    not_said,
)


def test_in_doubt_it_stays(one: Served) -> None:
    # P-2: another file, another time, another value, or none
    before = seen(one)
    paths = [hidden(one.root, 0x20 + place) for place in range(len(WAYS))]
    named = hidden(one.root, 0x30, f"See [[{paths[0].stem}]], which stays.")
    late = hidden(one.root, 0x31, flag="private: false")  # came like this
    target, other = hidden(one.root, 0x32), hidden(one.root, 0x33)
    wait_for(lambda: seen(one) == before + len(WAYS) + 3)
    for change, path in zip(WAYS, paths, strict=True):
        time.sleep(MOMENT)
        change(path)
    time.sleep(MOMENT)
    in_place(named, clear(named))  # it would name a private memory in public
    time.sleep(MOMENT)
    in_place(late, late.read_text().replace("Wish", "Hope"))
    text = clear(other)
    other.replace(target)
    time.sleep(MOMENT)
    in_place(other, text.replace("mem_00000033", "mem_00000034"))  # a new note under the old name
    stay(one, 0x35, *paths, named, late, target, other)
    public = "".join(f"{name} {data!r}" for name, data in contents(one.root).items() if not name.startswith("private/"))
    assert not [path for path in (*paths, named, late, target, other) if path.stem in public]


def test_many_files_at_once_stay(one: Served) -> None:
    # P-2: as a checkout or a restore replaces them, whatever way it writes
    before = seen(one)
    paths = [hidden(one.root, 0x40 + number) for number in range(9)]
    wait_for(lambda: seen(one) == before + 9)
    time.sleep(MOMENT)
    for number, path in enumerate(paths):
        (in_place, by_exchange, by_backup)[number % 3](path, clear(path))
    stay(one, 0x50, *paths)


def test_notes_hidden_in_a_row_are_all_known(one: Served) -> None:
    # P-2: as an agent saves them; each can be moved out by hand later
    first, second = hide(one, 0x80), hide(one, 0x81)
    time.sleep(MOMENT)
    in_place(first, clear(first))
    published(one, first)
    assert second.exists()


def test_an_undo_is_not_undone(one: Served) -> None:
    # P-2, V-4: not when it comes back, and not when the same is done to the same text again
    path = hide(one, 0x60)
    text = clear(path)
    in_place(path, text)
    op = published(one, path)
    assert one.ask("undo", op.split("-")[0]).code == 0
    assert path.read_text() == text
    other = hidden(one.root, 0x63, flag="private: false")
    before = seen(one)
    assert one.ask("private", other.stem).code == 0
    wait_for(lambda: seen(one) == before + 1)
    assert one.ask("undo").code == 0
    assert "private: false" in other.read_text()  # by an undo, and not by hand
    stay(one, 0x61, path, other)
    before = seen(one)
    in_place(path, text.replace("private: false", "private: true"))
    wait_for(lambda: seen(one) == before + 1)
    time.sleep(MOMENT)
    in_place(path, text)
    stay(one, 0x62, path)


def test_the_setting(one: Served) -> None:
    # V-4: a setting of its own
    assert one.run("config", "set", "private_moves", "false").code == 0
    path = hide(one, 0x70)
    in_place(path, clear(path))
    wait_for(lambda: one.ask_json("status")["waiting_to_move"] == [])
    dropped = note(one.root, "memories/dropped.md", "Without an id.\n", age=0)
    wait_for(lambda: dropped.read_text().startswith("---\nid: mem_"))  # the quiet moment has come
    assert path.exists()
    assert one.run("config", "set", "private_moves", "true").code == 0
    stay(one, 0x71)


def test_what_nobody_saw(tmp_path: Path) -> None:
    # P-2: cleared before the daemon started, also where an earlier one had seen it set
    with served(tmp_path) as command:
        hasten(command)
        first, second = hidden(command.root, 1), hidden(command.root, 2)
        assert command.in_process("recall", "marmot").code == 0
        in_place(first, clear(first))
        assert command.spawn("recall", "marmot").code == 0
        wait_for(lambda: seen(command) == 1)
        assert command.spawn("daemon", "stop").code == 0
        in_place(second, clear(second))
        assert command.spawn("recall", "marmot").code == 0
        stay(command, 3, first, second)


def test_without_events_nothing_is_seen(tmp_path: Path) -> None:
    # P-2: who only looks now and then cannot tell an edit from another file
    with served(tmp_path) as command:
        command.env["VAULT_MEM_WATCH"] = "scan"
        hasten(command)
        path = hidden(command.root, 1)
        assert command.spawn("recall", "marmot").code == 0
        in_place(path, clear(path))
        assert command.found("marmot")
        dropped = note(command.root, "memories/dropped.md", "Without an id.\n", age=0)
        wait_for(lambda: dropped.read_text().startswith("---\nid: mem_"))
        assert (seen(command), path.exists()) == (0, True)
