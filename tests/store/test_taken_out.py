"""What was purged or became private leaves the store, under every name it ever had, and stays out (SPEC L-3)."""

from __future__ import annotations

import json
import shutil
import threading
import time
import zlib
from pathlib import Path

import pytest
from conftest import Answer, Command
from daemons import served, wait_for
from helpers import at, memory

from store.conftest import NOTES, Site
from vault_mem.errors import StoreError
from vault_mem.store import store as store_room
from vault_mem.store.ledger import Ledger
from vault_mem.store.objects import Objects
from vault_mem.store.store import Store

N5 = "mem_000000000005"
HERON, TITLE = "mem_00aabbccddee", "Heron of the ninth gate"


def objects_of(machine: Command) -> Objects:
    return Objects(machine.env["VAULT_MEM_INDEX_DIR"], machine.env, [], 30)


def having(site: Site, text: str) -> list[str]:
    return [name for name, raw in site.objects().items() if text.encode() in raw]


@pytest.mark.parametrize(
    "named",
    [
        f"links:\n- '[[old-name-00aabbcc|{TITLE} · similar 0.91]]'",
        f"It is told in [{TITLE}](old-name-00aabbcc.md).",
        f"It is told in ![[2026/old-name-00aabbcc#Part|{TITLE}]].",
        f"It is told in {HERON}: {TITLE}.",
    ],
)
def test_a_title_leaves_with_the_notes_that_name_it_by_a_former_name_or_its_id(site: Site, named: str) -> None:
    one, two = site.machine("one"), site.machine("two")
    memory(two.root, "memories/new-name-00aabbcc.md", HERON, "It stood still.")
    memory(one.root, "memories/old-name-00aabbcc.md", HERON, "It stood still.")
    in_front, in_text = (named, "") if named.startswith("links") else ("tags: []", named)
    text = f"{in_text}\n\n" + "\n\n".join(f"Passage {n} of many. " + "Nothing happens here. " * 60 for n in range(4))
    memory(one.root, "memories/long.md", "mem_00000000eeee", text, in_front)
    one.run("status")
    assert having(site, TITLE) and having(site, "long.md#3")
    assert two.run("private", HERON).code == 0
    assert not having(site, TITLE) and not having(site, "long.md#3") and not having(site, HERON)
    one.run("status", env=at("2027-01-01"))
    assert not having(site, TITLE) and not having(site, HERON)


def test_what_became_private_before_this_index_was_made_leaves_too(site: Site) -> None:
    one, two = site.machine("one"), site.machine("two")
    one.run("status")
    (two.root / "memories/n5.md").rename(two.root / "private/n5.md")
    two.run("status")
    assert not having(site, "kiln of shelf 5 ")
    assert not two.json("status")["store"]["to_remove"]


def test_a_note_that_says_it_is_private_leaves_before_it_is_moved(site: Site) -> None:
    one = site.machine("one")
    one.run("status")
    path = one.root / "memories/n5.md"
    path.write_text(path.read_text().replace("---\nThe", "private: true\n---\nThe"))
    one.run("status")
    assert path.exists(), "it has not been quiet for long"
    assert not having(site, "kiln of shelf 5 ")


def test_private_public_and_private_again(site: Site) -> None:
    one, two = site.machine("one"), site.machine("two")
    one.run("status")
    for command in ("private", "publish", "private", "publish"):
        assert one.run(command, N5).code == 0
        one.run("status", env=at("2027-01-01"))
        assert not having(site, "kiln of shelf 5 ") and not having(site, N5)
    two.run("status", env=at("2027-01-02"))
    assert not having(site, "kiln of shelf 5 ") and not having(site, N5)
    assert "shelf 5" in two.run("recall", "kiln of shelf 5").out, "here it is a memory like any other"


def test_the_lists_of_what_machines_hold_lose_it_too(site: Site) -> None:
    one, two = site.machine("one"), site.machine("two")
    for machine in (one, two):
        machine.run("status")
    store, (segment,) = Store(objects_of(one), Ledger(one.root.parent / "other.db")), site.names("rows")
    rows = store.read(segment)
    assert rows is not None
    (name,) = (row["name"] for row in rows.select(["file", "name"]).to_pylist() if row["file"] == "memories/n5.md")

    def listed() -> list[bool]:
        lists = [raw for each, raw in site.objects().items() if each.startswith("held/")]
        return [name.encode() in zlib.decompress(raw) for raw in lists]

    assert listed() == [True, True]
    assert one.run("private", N5).code == 0
    assert listed() == [False, False]
    two.run("status", env=at("2027-01-03"))  # it still has the file
    assert listed() == [False, False]


def test_a_store_that_was_emptied_and_begun_again_knows_the_tombstones_of_all(site: Site) -> None:
    one, two, three = (site.machine(name) for name in ("one", "two", "three"))
    one.run("status")
    objects = objects_of(one)
    objects.delete(*objects.list(""))
    two.run("status")
    assert one.run("forget", N5, "--purge", "--yes").code == 0
    assert not having(site, "kiln of shelf 5 ")
    three.run("status")
    assert not having(site, "kiln of shelf 5 ")
    assert site.machine("four").taken_over() == NOTES - 2, "it and the note that links to it"


def test_a_machine_that_slept_while_it_added_adds_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:  # a purge does not wait for longer than a minute
    one = site.machine("one")
    one.run("status")
    (segment,) = site.names("rows")
    store = Store(objects_of(one), Ledger(one.root.parent / "other.db"))
    store.check_usable()
    rows = store.read(segment)
    assert rows is not None

    def asleep() -> list[object]:
        later = time.time() + 3600
        monkeypatch.setattr("vault_mem.store.objects.time.time", lambda: later)
        return [rows]

    with pytest.raises(StoreError, match="too slow"):
        store.add("rows/other", asleep)  # type: ignore[arg-type]
    assert site.names("rows") == [segment]


def test_much_that_is_owed_is_paid_over_many_short_connections(site: Site) -> None:
    one = site.machine("one")
    one.run("status")
    for n in range(10):
        (one.root / f"memories/n{n}.md").rename(one.root / f"private/n{n}.md")
    for _ in range(5):  # each too short for all of it, and the lease is left behind
        site.proxy.cut_after(25)
        one.run("doctor", "--fix")
    site.proxy.mode = "cut"
    assert not one.json("status")["store"]["to_remove"]
    assert not any(having(site, f"kiln of shelf {n} ") for n in range(10))
    assert having(site, "kiln of shelf 50 ")


@pytest.mark.parametrize(("left", "said"), [("lease", "tidying"), ("adding/0123-4567", "adding")])
def test_a_machine_that_was_killed_makes_a_purge_wait_but_not_for_ever(
    site: Site, left: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = site.machine("one")
    one.run("status")
    objects_of(one).put(left, b"of a machine that was killed")
    monkeypatch.setattr("vault_mem.index.shared.WITHDRAW_SECONDS", 7)
    answer = one.run("forget", N5, "--purge", "--yes")
    assert answer.code == 0 and "could NOT" in answer.err and f"another machine is {said}" in answer.err
    monkeypatch.setattr(store_room, "LEASE_SECONDS" if left == "lease" else "ADDING_SECONDS", -1)
    one.run("doctor", "--fix")
    assert not one.json("status")["store"]["to_remove"] and not having(site, "kiln of shelf 5 ")


def test_while_a_daemon_waits_for_the_store_others_can_save(site: Site, notes: Path, tmp_path: Path) -> None:
    with served(tmp_path / "served") as one:
        shutil.copytree(notes, one.root, dirs_exist_ok=True)
        one.env.update(site.environment())
        assert one.spawn("recall", "kiln").code == 0
        wait_for(lambda: site.names("rows"))
        objects = objects_of(one)
        wait_for(lambda: objects.put_new("lease", b"another machine"))
        answers: list[Answer] = []
        hiding = threading.Thread(target=lambda: answers.append(one.spawn("private", N5)))
        hiding.start()
        wait_for(lambda: not (one.root / "memories/n5.md").exists())
        assert one.spawn("remember", "Somebody else goes on meanwhile.").code == 0
        assert hiding.is_alive(), answers
        objects.delete("lease")
        hiding.join()
        assert answers[0].code == 0 and "could NOT" not in answers[0].err
        assert not having(site, "kiln of shelf 5 ")


def test_who_tidies_at_the_same_time_is_no_trouble(site: Site) -> None:
    one = site.machine("one")
    one.run("status")
    objects_of(one).put("lease", b"another machine")
    answer = one.run("recall", "kiln", env=at("2027-01-03"))
    assert answer.code == 0 and not answer.err
    assert not one.json("status")["store"]["trouble"]


def test_rows_that_are_there_twice_are_there_once_when_the_store_is_tidied(site: Site) -> None:
    one, two = site.machine("one"), site.machine("two")
    memory(two.root, "memories/new.md", "mem_0123456789ab", "So the segment of this machine is another.")
    one.run("status")
    objects, (first,) = objects_of(one), site.names("rows")
    raw = objects.get(first)
    assert raw is not None
    objects.delete(first)  # as if both had looked at the same moment
    two.run("status")
    objects.put(first, raw)
    assert len(having(site, "kiln of shelf 5 ")) == 2
    two.run("status", env=at("2027-01-03"))
    assert len(having(site, "kiln of shelf 5 ")) == 1
    assert site.machine("three", two).taken_over() == NOTES + 1


@pytest.mark.parametrize(
    ("there", "said"), [(json.dumps({"format": 99, "salt": "x"}), "format 99"), ("holiday pictures", "not a store of")]
)
def test_a_folder_of_another_format_is_refused_and_left_as_it_is(site: Site, there: str, said: str) -> None:
    one = site.machine("one")
    objects_of(one).put("format.json", there.encode())
    answer = one.run("recall", "kiln of shelf 7")
    assert "shelf 7" in answer.out and said in answer.err
    assert said in one.run("status").out and said in one.run("doctor").out
    assert site.objects() == {"format.json": there.encode()}


def test_rows_of_another_version_are_beside_ours_and_leave_with_them(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = site.machine("one"), site.machine("two")
    one.run("status")
    with monkeypatch.context() as newer:
        newer.setattr("vault_mem.index.shared.SCHEMA_VERSION", 99)
        assert two.taken_over() == 0
        two.run("status")
    assert len({name.split("/")[1] for name in site.names("rows")}) == 2
    one.run("private", N5)
    assert not having(site, "kiln of shelf 5 ")
    shutil.rmtree(one.root.parent / ".cache")
    assert one.taken_over() == NOTES - 2
