"""The index on a store: machines share the work of indexing, and nothing else changes (SPEC L-3)."""

from __future__ import annotations

import shutil
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from daemons import served, wait_for
from helpers import at, memory

from store.conftest import NOTES, Machine, Site
from store.servers import HANG_SECONDS, SECRET
from vault_mem.store import store as store_room

PURGED = "mem_000000000005"


def questions(machine: Machine) -> list[object]:
    """What a machine answers: searches, the links of all notes, and what it holds."""
    asked = [("recall", "kiln of shelf 7"), ("recall", "fired on day 30"), ("graph",), ("list",)]
    return [machine.json(*each) for each in asked]


def local(site: Site, like: Machine) -> Machine:
    """A machine with the same files and an index of its own."""
    machine = site.machine(f"local-of-{like.root.parent.name}", like)
    machine.env["VAULT_MEM_INDEX_DIR"] = str(machine.root.parent / "index")
    return machine


def test_a_fresh_machine_takes_over_the_work_of_another_and_answers_the_same(site: Site) -> None:  # L-3
    one, two = site.machine("one"), site.machine("two")
    assert one.run("recall", "kiln").code == 0
    assert two.taken_over() == NOTES
    assert questions(two) == questions(local(site, two))
    before = site.proxy.requests
    assert two.run("recall", "kiln").code == 0
    assert site.proxy.requests == before, "nothing is due, so nothing is asked"


def test_only_rows_of_the_files_as_they_are_here_are_shown(site: Site) -> None:  # L-3
    one, two = site.machine("one"), site.machine("two")
    one.run("status")
    memory(two.root, "memories/n3.md", "mem_000000000003", "Here the kiln of shelf 3 was sold.")
    (two.root / "memories/n4.md").unlink()
    assert two.taken_over() == NOTES - 2
    assert questions(two) == questions(local(site, two))
    three = site.machine("three")
    assert three.taken_over() == NOTES, "what another machine does not have stays"


def test_what_is_private_from_the_start_never_leaves_the_machine(site: Site) -> None:  # L-3 P-1
    one = site.machine("one")
    one.run("recall", "canaryprivate")
    assert site.names("rows")
    for name, raw in site.objects().items():
        assert b"canary" not in raw and b"aaaaaaaaaaaa" not in raw and b"secret.md" not in raw, name


@pytest.mark.parametrize("command", [("private",), ("forget", "--purge", "--yes")])
def test_what_is_purged_or_made_private_leaves_the_store_at_once(site: Site, command: tuple[str, ...]) -> None:  # L-3
    one, two = site.machine("one"), site.machine("two")
    one.run("status")
    assert two.taken_over() == NOTES
    assert any(b"kiln of shelf 5 " in raw for raw in site.objects().values())
    answer = one.run(command[0], PURGED, *command[1:])
    assert answer.code == 0 and "store" not in answer.err
    for _ in range(2):  # before and after the other machine, which still has the file, has done its work
        left = site.objects()
        for trace in (b"kiln of shelf 5 ", b"n5.md", b'"n5"', b"[[n5]]"):  # the last two are links to it
            assert not [name for name, raw in left.items() if trace in raw], trace
        assert not [name for name, raw in left.items() if PURGED.encode() in raw or PURGED[4:].encode() in raw]
        assert site.names("tombstones")
        memory(two.root, "memories/new.md", "mem_0123456789ab", "Something new, so that there is a reason to add.")
        memory(two.root, "memories/n5.md", PURGED, "The kiln of shelf 5 in another version.")
        titled = "links:\n- '[[n5|The kiln of shelf 5 · similar 0.91]]'"  # a link has the title of what it leads to
        memory(two.root, "memories/n4.md", "mem_000000000004", "The kiln of shelf 4 in another version.", titled)
        two.run("status", env=at("2027-01-01"))


def test_a_note_that_is_dragged_among_the_private_ones_leaves_the_store(site: Site) -> None:  # L-3
    one = site.machine("one")
    one.run("status")
    (one.root / "memories/n5.md").rename(one.root / "private/n5.md")
    one.run("status")
    assert not [name for name, raw in site.objects().items() if b"kiln of shelf 5 " in raw]


def test_a_purge_that_does_not_reach_the_store_says_so_until_it_is_done(site: Site) -> None:  # L-3
    one = site.machine("one")
    one.run("status")
    site.proxy.mode = "cut"
    answer = one.run("forget", PURGED, "--purge", "--yes")
    assert answer.code == 0 and "could NOT be removed from the store" in answer.err
    (finding,) = (each for each in one.json("doctor")["findings"] if each["check"] == "store")
    assert finding["severity"] == "error" and "still in the store" in finding["message"]
    assert one.json("status")["store"]["to_remove"]
    site.proxy.heal()
    one.run("doctor", "--fix")
    assert not [each for each in one.json("doctor")["findings"] if each["check"] == "store"]
    assert not [name for name, raw in site.objects().items() if b"kiln of shelf 5 " in raw]


@pytest.mark.parametrize("requests", [1, 4, 6, 8])
def test_a_cut_in_the_middle_is_healed_by_the_next_command(site: Site, requests: int) -> None:  # L-3
    one, two = site.machine("one"), site.machine("two")
    site.proxy.cut_after(requests)
    assert "shelf 7" in one.run("recall", "kiln of shelf 7").out
    site.proxy.heal()
    wait_for(lambda: one.run("status") and site.names("rows"), 300)  # a store that cost time is left alone for a while
    site.proxy.cut_after(requests)
    assert "shelf 7" in two.run("recall", "kiln of shelf 7").out
    site.proxy.heal()
    assert questions(two) == questions(local(site, two))
    assert site.machine("three").taken_over() == NOTES


def test_rows_that_two_machines_add_at_once_count_once(site: Site) -> None:  # L-3
    machines = [site.machine("one"), site.machine("two")]
    threads = [threading.Thread(target=machine.run, args=("status",)) for machine in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    three = site.machine("three")
    assert three.taken_over() == NOTES
    assert questions(three) == questions(local(site, three))


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("deny", "refuses the credentials"),
        ("cut", "cannot be reached"),
        ("hang", "cannot be reached"),
        ("unconditional", "ignores If-None-Match"),
    ],
)
def test_a_store_that_cannot_be_used_is_named_and_everything_else_goes_on(
    site: Site, mode: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # L-3
    monkeypatch.setattr("vault_mem.store.objects.REQUEST_SECONDS", 1)
    now = time.time()
    monkeypatch.setattr("vault_mem.index.shared.time.time", lambda: now)  # so that no pause ends, on no computer
    one = site.machine("one")
    site.proxy.mode = mode
    began = time.monotonic()
    answer = one.run("recall", "kiln of shelf 7")
    assert answer.code == 0 and "shelf 7" in answer.out and said in answer.err
    assert time.monotonic() - began < HANG_SECONDS
    before = site.proxy.requests
    assert said not in one.run("recall", "kiln of shelf 8").err, "said once"
    assert site.proxy.requests == before, "and left alone"
    assert said in one.run("status").out and said in one.run("doctor").out
    assert not site.names("rows")


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("s3://nobodys-bucket/x", "does not exist"),
        ("db://service/x", "cannot share an index on db://"),
        ("s3://key:" + SECRET + "@bucket/x", "credentials belong"),
    ],
)
def test_an_address_that_means_nothing_is_named(site: Site, uri: str, said: str) -> None:  # L-3
    one = site.machine("one")
    one.env["VAULT_MEM_INDEX_DIR"] = uri
    assert one.run("recall", "kiln of shelf 7").code == 0
    told = one.run("doctor").out + one.run("status").out + one.run("config").out
    assert said in told and SECRET not in told


def test_credentials_are_told_to_nobody_and_never_taken_from_a_vault(site: Site) -> None:  # L-3 S-5
    one = site.machine("one")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"):
        del one.env[name]
    options = f"access_key_id={SECRET},secret_access_key={SECRET},endpoint=http://127.0.0.1:{site.proxy.port}"
    assert one.run("config", "set", "store_options", options).code != 0, "a vault has no credentials"
    told = one.run("config", "set", "--user", "store_options", options)
    one.run("status")
    assert site.names("rows"), "they are used"
    site.proxy.mode = "deny"
    one.env["VAULT_MEM_DEBUG"] = "1"
    memory(one.root, "memories/new.md", "mem_0123456789ab", "A reason to add something.")
    answers = [
        told,
        one.run("config"),
        one.run("config", "get", "store_options", "--json"),
        one.run("status", "--json"),
    ]
    answers += [
        one.run("recall", "reason", env=at("2027-01-01")),
        one.run("doctor"),
        one.run("forget", PURGED, "--purge"),
    ]
    for answer in answers:
        assert SECRET not in answer.out + answer.err
    assert SECRET not in "".join(path.read_text(errors="replace") for path in one.root.rglob("*") if path.is_file())
    (one.root / "vault-mem.toml").write_text('store_options = ["access_key_id=x"]\nindex_dir = "s3://stranger/x"\n')
    assert "store_options is ignored in a vault" in one.run("doctor").out


def test_rows_of_other_settings_are_not_taken_over(site: Site) -> None:  # L-3
    one, two = site.machine("one"), site.machine("two")
    one.run("status")
    settings = two.root / "vault-mem.toml"
    settings.write_text(settings.read_text().replace("Asia/Tokyo", "Europe/Vienna"))
    assert "Vienna" in settings.read_text()
    assert two.taken_over() == 0
    two.run("status")
    assert len({name.split("/")[1] for name in site.names("rows")}) == 2
    assert questions(two) == questions(local(site, two))


def test_what_no_machine_has_held_for_30_days_expires(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:  # L-3
    monkeypatch.setattr(store_room, "GRACE_DAYS", -1)  # nobody can make the server's objects older
    one = site.machine("one")
    start = datetime.now(UTC)
    days = [{"VAULT_MEM_NOW": (start + timedelta(days=day)).isoformat()} for day in (0, 2, 33)]
    one.run("status", env=days[0])
    (one.root / "memories/n5.md").unlink()
    one.run("status", env=days[1])
    assert any(b"kiln of shelf 5 " in raw for raw in site.objects().values()), "not yet"
    one.run("status", env=days[2])
    left = site.objects().values()
    assert not any(b"kiln of shelf 5 " in raw for raw in left) and any(b"kiln of shelf 6 " in raw for raw in left)


def test_a_wrong_clock_takes_nothing_from_the_others(site: Site) -> None:  # L-3
    one, two = site.machine("one"), site.machine("two")
    one.run("status")
    for year in ("2031-05-05", "1999-05-05"):
        two.run("status", env=at(year))
    assert site.machine("three").taken_over() == NOTES


def test_small_segments_are_folded_and_one_machine_at_a_time_does_it(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:  # L-3
    monkeypatch.setattr(store_room, "MANY_SEGMENTS", 3)
    one = site.machine("one")
    for day in (1, 2, 3):
        memory(one.root, f"memories/new{day}.md", f"mem_{day}{'c' * 11}", f"Something new on day {day}.")
        one.run("status", env=at(f"2027-01-01T0{day}:00:00"))
    assert len(site.names("rows")) == 3
    one.run("status", env=at("2027-01-03"))
    assert len(site.names("rows")) == 1 and not site.names("lease")
    assert site.machine("three").taken_over() == NOTES


def test_a_segment_that_is_damaged_is_passed_over(site: Site) -> None:  # L-3
    from vault_mem.store.objects import Objects

    one, two = site.machine("one"), site.machine("two")
    one.run("status")
    objects = Objects(one.env["VAULT_MEM_INDEX_DIR"], one.env, [], 10)
    (name,) = site.names("rows")
    objects.put(name, b"not what it was")
    assert two.taken_over() == 0
    assert questions(two) == questions(local(site, two))


def test_a_store_of_azure(on_azure: Site) -> None:  # L-3
    one, two = on_azure.machine("one"), on_azure.machine("two")
    one.run("status")
    assert two.taken_over() == NOTES
    assert questions(two) == questions(local(on_azure, two))
    assert one.run("private", PURGED).code == 0
    assert on_azure.names("tombstones")
    left = on_azure.objects()
    assert not [name for name, raw in left.items() if b"kiln of shelf 5 " in raw or b"canary" in raw]
    key = one.env["AZURE_STORAGE_ACCOUNT_KEY"]
    one.env["AZURE_STORAGE_ACCOUNT_KEY"] = "d3Jvbmc="
    memory(one.root, "memories/new.md", "mem_0123456789ab", "A reason to add something.")
    answer = one.run("recall", "reason", env=at("2027-01-01"))
    assert "refuses the credentials" in answer.err and key not in answer.err


def test_a_daemon_with_a_store(site: Site, notes: Path, tmp_path: Path) -> None:  # L-3
    """It has the credentials of the command that opened the vault, adds after an answer, and takes out at once."""
    with served(tmp_path / "served") as one:
        shutil.copytree(notes, one.root, dirs_exist_ok=True)
        one.env.update(site.environment())
        assert "shelf 7" in one.spawn("recall", "kiln of shelf 7").out
        wait_for(lambda: site.names("rows"))
        assert one.pid() is not None
        assert site.machine("two").taken_over() == NOTES
        site.proxy.mode = "cut"
        assert "could NOT" in one.spawn("private", PURGED).err
        assert "shelf 8" in one.spawn("recall", "kiln of shelf 8").out, "cut off, it answers all the same"
        site.proxy.heal()
        wait_for(lambda: not one.spawn("status", "--json").json["store"]["to_remove"])
        assert not [name for name, raw in site.objects().items() if b"kiln of shelf 5 " in raw]


def test_a_machine_that_lost_its_index_takes_out_links_to_a_memory_too(site: Site) -> None:  # L-3
    one, two = site.machine("one"), site.machine("two")
    titled = "links:\n- '[[n5|The kiln of shelf 5 · similar 0.91]]'"
    memory(one.root, "memories/n4.md", "mem_000000000004", "The kiln of shelf 4 in another version.", titled)
    one.run("status")
    assert two.run("forget", PURGED, "--purge", "--yes").code == 0, "the first command here: nothing was offered yet"
    assert not [name for name, raw in site.objects().items() if b'"n5"' in raw]
