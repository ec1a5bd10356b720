"""B-3: a vault that is watched, many memories as one operation, fair queues, settings that change."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vault_mem import Busy, Draft, Kind, Vault
from vault_mem.operations.pool import Line
from vault_mem.vault.lock import try_lock

events = pytest.mark.skipif(sys.platform != "linux", reason="the events of other systems come when they like")


@events
def test_a_watched_vault_looks_at_changed_files_alone(root: Path, env: dict[str, str], monkeypatch) -> None:
    # B-3: the freshness scan was nearly all of the cost
    from vault_mem.index import sync

    scans = []
    walk = sync.walk
    monkeypatch.setattr(sync, "walk", lambda *given: scans.append(1) or walk(*given))
    vault = Vault(root, env=env, watch=True)
    first = vault.remember("The ferry leaves at nine").memory
    vault.recall("ferry")
    before = len(scans)
    assert vault.recall("ferry")[0].memory.id == first.id
    second = vault.remember("The bakery opens at six").memory
    assert vault.recall("bakery")[0].memory.id == second.id
    note = root / "memories" / "by-hand.md"
    note.write_text("The gate code is in the blue notebook\n")
    assert vault.recall("gate code")[0].memory.path == "memories/by-hand.md"
    note.unlink()
    assert "gate" not in "".join(each.memory.content for each in vault.recall("gate code"))
    assert len(scans) == before
    vault.close_files()
    for thread in threading.enumerate():
        if "notify" in type(thread).__name__.lower():
            thread.join(10)
            assert not thread.is_alive()


@events
def test_inside_with_it_is_watched_from_the_second_call_on(root: Path, env: dict[str, str]) -> None:
    # B-3: a script of one call pays nothing
    with Vault(root, env=env) as vault:
        vault.remember("One")
        assert vault._watcher is None
        vault.recall("one")
        assert vault._watcher is not None
        note = root / "memories" / "by-hand.md"
        note.write_text("The gate code is in the blue notebook\n")
        assert vault.recall("gate code")[0].memory.path == "memories/by-hand.md"
    assert vault._watcher is None
    assert vault.recall("one")  # it can be used again
    with Vault(root, env=env, watch=False) as vault:
        vault.recall("one")
        vault.recall("one")
        assert vault._watcher is None
    bare = Vault(root, env=env)
    bare.recall("one")
    bare.recall("one")
    assert bare._watcher is None


@events
def test_what_was_written_while_watched_is_settled_at_the_end(root: Path, env: dict[str, str]) -> None:
    # V-4: as without a watch
    settings = root / "vault-mem.toml"
    settings.write_text(settings.read_text() + "quiet_seconds = 0\n")
    note = root / "memories" / "by-hand.md"
    with Vault(root, env=env, watch=True) as vault:
        vault.remember("One")
        note.write_text("The gate code is in the blue notebook\n")
        vault.recall("gate")
        assert "id:" not in note.read_text()
    assert note.read_text().startswith("---\nid: mem_")
    assert not list((root / ".vault-mem").glob("cookies*"))


def test_many_memories_are_one_operation(vault: Vault) -> None:
    # B-3
    vault.remember("The ferry leaves at nine")
    told: list[tuple[int, int]] = []
    made = vault.remember_many(
        [
            "The bakery opens at six",
            Draft("Ann keeps the spare key", kind="fact"),
            {"content": "Call the harbour master", "kind": Kind.TASK, "tags": "sea", "metadata": {"run": 7}},
            "The ferry leaves at nine",
            {"content": "", "kind": "fact"},
            {"content": "Nonsense", "kind": "thing"},
            "The bakery opens at six",
        ],
        progress=lambda done, total: told.append((done, total)),
    )
    assert [each.saved for each in made] == [True, True, True, False, False]
    assert [each.place for each in made.refused] == [4, 5]
    assert made.to_dict()["saved"] == 3
    assert told[-1] == (7, 7)
    assert len(vault.list()) == 4
    assert [each.metadata for each in vault.list(tags="sea", kind="task")] == [{"run": 7}]
    assert vault.operations()[0].command == "remember"
    daily = "".join(path.read_text() for path in (vault.root / "memory").glob("*.md"))
    assert "bakery" in daily
    vault.undo()
    assert [each.content for each in vault.list()] == ["The ferry leaves at nine"]
    assert "bakery" not in "".join(path.read_text() for path in (vault.root / "memory").glob("*.md"))
    assert vault.doctor().healthy


def test_threads_write_in_the_order_they_came() -> None:
    # B-3
    line, order, ready = Line(), [], threading.Barrier(2)

    def write(number: int) -> None:
        with line.turn(), line.turn():  # one's own turn may be taken again
            order.append(number)

    with line.turn():
        threads = []
        for number in range(40):
            threads.append(threading.Thread(target=write, args=(number,)))
            threads[-1].start()
            while len(line._waiting) <= number:
                time.sleep(0.0005)
    for thread in threads:
        thread.join(10)
    assert order == list(range(40))

    def hold() -> None:
        with line.turn():
            ready.wait(10)
            ready.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    ready.wait(10)
    with pytest.raises(Busy, match="other threads"), line.turn(0.01):
        pass
    ready.wait(10)
    holder.join(10)
    with line.turn(0.01):
        pass


def test_two_vaults_of_one_process_stand_in_one_line(root: Path, env: dict[str, str]) -> None:
    # B-3: "another process has been writing this vault"
    vaults = [Vault(root, env=env, wait=0 if number else None) for number in range(2)]
    assert vaults[0]._line is vaults[1]._line
    vaults[1]._waits = None, None
    patient = [Vault(root, env=env) for _ in range(4)]
    with ThreadPoolExecutor(8) as threads:
        saved = list(threads.map(lambda n: patient[n % 4].remember(f"Locker {n} holds {n * 3}", force=True), range(8)))
    assert len({each.memory.id for each in saved}) == 8


def test_waiting_times_can_be_set(root: Path, env: dict[str, str]) -> None:
    # B-3
    vault = Vault(root, env=env, wait=0.05)
    vault.remember("One")
    lock = os.open(root / ".vault-mem" / "lock", os.O_RDWR | os.O_CREAT)
    try:
        assert try_lock(lock)
        began = time.monotonic()
        with pytest.raises(Busy):
            vault.remember("Two")
        assert time.monotonic() - began < 5  # ten seconds, if nothing is said
    finally:
        os.close(lock)
    assert vault.remember("Two")


def test_settings_changed_on_disk_are_seen(root: Path, env: dict[str, str]) -> None:
    # B-3
    vault = Vault(root, env=env)
    assert vault.remember("One").memory.created.utcoffset().total_seconds() == 9 * 3600
    settings = root / "vault-mem.toml"
    settings.write_text(settings.read_text().replace("Asia/Tokyo", "America/New_York"))
    assert vault.remember("Two").memory.created.utcoffset().total_seconds() < 0
    moved = vault.remember("Until noon", valid_to="2030-06-01T12:00").memory
    assert moved.valid_to.utcoffset().total_seconds() < 0
    settings.write_text(settings.read_text() + 'memories_folder = "notes"\n')
    assert vault.remember("Three").memory.path.startswith("notes/")
    other = root.parent / "other-index"
    config = Path(env["HOME"]) / ".config" / "vault-mem" / "config.toml"
    config.parent.mkdir(parents=True)
    del env["VAULT_MEM_INDEX_DIR"]
    vault = Vault(root, env=env)
    vault.recall("one")
    config.write_text(f'index_dir = "{other}"\n')
    assert vault.recall("three")[0].memory.content == "Three"
    assert list(other.iterdir())


def test_a_daemon_that_is_running_is_asked(tmp_path: Path) -> None:
    # B-3: the process itself need not open the index; without a daemon, or for what it cannot be asked, it does
    from daemons import served

    code = """
import sys, datetime
from vault_mem import InvalidInput, Vault
vault = Vault(sys.argv[1])
found = vault.recall("when does the ferry leave?", 3)
light = "lancedb" not in sys.modules
day = datetime.date(2020, 1, 1)
again = vault.recall("ferry", tags=["sea"], kind="fact", since=day, closed=True, min_relevance=0.0)
none = vault.recall("ferry", tags=["no such"])
light = light and "index" not in vars(vault.workspace)
try:
    vault.recall("")
except InvalidInput as error:
    said = error.message
own = Vault(sys.argv[1], watch=True).recall("when does the ferry leave?", 3)
assert found.results[0].memory == own.results[0].memory, (found, own)
assert (found.answered, found.stale, found.pending) == (own.answered, own.stale, own.pending)
assert found.results[0].terms.keys() == own.results[0].terms.keys()
assert (len(again), len(none), said) == (1, 0, "nothing to recall: the query is empty")
print(light)
"""
    with served(tmp_path) as vault:
        vault.spawn("remember", "The ferry leaves at nine from pier four", "--tag", "sea", "--kind", "fact")
        env = {**os.environ, **vault.env}
        for daemon, light in (("on", "True"), ("off", "False")):
            done = subprocess.run(
                [sys.executable, "-c", code, str(vault.root)],
                env=env | {"VAULT_MEM_DAEMON": daemon},
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert (done.returncode, done.stdout.strip()) == (0, light), done.stderr
