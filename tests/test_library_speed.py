"""B-3: a vault that is watched, many memories as one operation, fair queues, settings that change."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vault_mem import Busy, Draft, Kind, Vault
from vault_mem.operations.pool import FairLock
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
def test_a_vault_that_nobody_closes_stops_watching(
    root: Path, env: dict[str, str], tmp_path: Path, monkeypatch
) -> None:
    # B-3: a cell of a notebook that is run again leaves no thread and no watch of the system's behind
    import gc
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def watching() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if "notify" in type(thread).__name__.lower()}

    before = watching()
    vault = Vault(root, env=env, watch=True)
    vault.recall("one")
    mine = watching() - before
    assert mine
    assert list(tmp_path.glob("vault-mem-*"))
    del vault
    gc.collect()
    for thread in mine:
        thread.join(10)
        assert not thread.is_alive()
    assert not list(tmp_path.glob("vault-mem-*"))


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
    assert [each.position for each in made.refused] == [4, 5]
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


TEXTS = [
    "The standup is at 3pm on weekdays",
    "Ann keeps the spare key of the boat house",
    "The standup is at 3pm on weekdays",
    "The standup is at 4pm on weekdays",
    "Ann keeps the spare key of the boat house in the blue jar",
    "Call the harbour master about the crane",
    "I have called the harbour master about the crane",
    "鍵は青い壺の中にある",
    "鍵は青い壺の中にある",
]


def test_many_at_once_are_judged_as_one_by_one(root: Path, env: dict[str, str], tmp_path: Path, monkeypatch) -> None:
    # B-3, D-2, D-6: what is not written yet is compared like what is
    from vault_mem.index.table import Table

    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    drafts = [Draft(text, kind="task" if text.startswith("Call") else "fact", created=noon) for text in TEXTS]
    Vault.init(tmp_path / "other", env=env, timezone="Asia/Tokyo")
    single, many = Vault(tmp_path / "other", env=env), Vault(root, env=env)
    one_by_one = [single.remember(each.content, kind=each.kind, created=noon) for each in drafts]
    commits = []
    for name in ("add", "upsert"):
        real = getattr(Table, name)
        monkeypatch.setattr(Table, name, lambda *given, real=real: commits.append(1) or real(*given))
    together = many.remember_many(drafts)
    assert len(commits) <= 3  # one for each of them before
    for one, other in zip(one_by_one, together, strict=True):
        assert (one.saved, one.differs) == (other.saved, other.differs)
        for name in ("linked", "may_replace", "may_finish"):
            said = [[found.memory.content for found in getattr(each, name)] for each in (one, other)]
            assert said[0] == said[1], name
    order = [[each.memory.seq for each in results if each.memory] for results in (one_by_one, together)]
    assert order[1] == [None, *range(2, len(order[1]) + 1)]  # all of one second
    assert [each.content for each in many.list()] == [each.content for each in single.list()]
    reviews = [(vault.root / "REVIEW.md").read_text().count("- [ ]") for vault in (single, many)]
    assert reviews[0] == reviews[1] > 0


def test_a_private_memory_of_the_same_batch_keeps_the_link(vault: Vault) -> None:
    # P-3: on its own side
    made = vault.remember_many(
        [
            {"content": "The doctor said the knee needs rest for two weeks", "private": True},
            {"content": "The knee needs rest for two weeks, so no running"},
        ]
    )
    private, public = (each.memory for each in made)
    assert [found.memory.id for found in made[1].linked] == [private.id]
    assert public.path.removesuffix(".md").rsplit("/")[-1] in (vault.root / private.path).read_text()
    assert "mem_" + private.id[4:] not in (vault.root / public.path).read_text()
    assert vault.doctor().healthy


def test_many_memories_are_written_some_at_a_time(vault: Vault, monkeypatch) -> None:
    # B-3, S-7: one operation all the same, and an interrupt ends it where it is
    from vault_mem.operations.memory import remember_many as module
    from vault_mem.vault import parts

    monkeypatch.setattr(module, "FIRST", 3)
    monkeypatch.setattr(parts, "MOST_PARTS", 5)
    texts = [f"Shelf {n} holds {n * 7919 % 1013} lamps" for n in range(10)]
    made = vault.remember_many([*texts, {"content": "Calm today", "kind": "mood"}, "The last of them"])
    assert all(each.saved for each in made)
    assert len(vault.list(n=50)) == 12
    assert [each.command for each in vault.operations()] == ["remember"]
    vault.undo()
    assert len(vault.list()) == 0
    assert not list((vault.root / "memories").rglob("*.md"))

    def stop(done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vault.remember_many(texts, progress=stop)
    assert len(vault.list()) == 5
    daily = "".join(path.read_text() for path in (vault.root / "memory").glob("*.md"))
    assert daily.count("Shelf") == 5
    assert vault.doctor().healthy
    vault.undo()
    assert len(vault.list()) == 0

    def fail(done: int, total: int) -> None:
        if done == 5:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        vault.remember_many(texts, progress=fail)
    assert len(vault.list()) == 0
    assert not list((vault.root / "memories").rglob("*.md"))
    assert vault.recall("lamps").results == []


def test_threads_write_in_the_order_they_came() -> None:
    # B-3
    line, order, ready = FairLock(), [], threading.Barrier(2)

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
    assert vaults[0]._write_queue is vaults[1]._write_queue
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


def test_a_daemon_that_is_running_saves(tmp_path: Path) -> None:
    # B-3: what it answers is what this process would have answered
    from daemons import served

    code = """
import sys, datetime
from vault_mem import InvalidInput, SecretFound, Vault
vault = Vault(sys.argv[1])
when = datetime.datetime(2026, 1, 2, 3, 4)
fields = dict(kind="fact", tags=["sea", "-x"], people=["Noor"], importance=4, intensity=0.5, secondary=["calm"])
first = vault.remember("The ferry leaves at nine from pier four", **fields, valid_from=when)
again = vault.remember("The ferry leaves at nine from pier four")
moved = vault.remember("The ferry leaves at ten from pier four", kind="fact")
kept = vault.remember("--my own words", private=True, dedup_threshold=0, link_threshold=0.1, force=True)
wrong = []
for given in ({"kind": "no"}, {"importance": 9}, {"dedup_threshold": 2.0}, {"valid_from": when, "valid_to": "2025"}):
    try:
        vault.remember("Something else altogether", **given)
    except InvalidInput as error:
        wrong.append(error.message)
try:
    vault.remember("The key is AKIAIOSFODNN7EXAMPLE and AWS is ours")
except SecretFound as error:
    wrong.append(error.hint)
light = "lancedb" not in sys.modules
own = Vault(sys.argv[1], watch=True)
assert (first.saved, first.grown, first.links) == (True, False, 0)
assert own.show(first.memory.id).memory == first.memory, first.memory
assert not again and again.duplicate_of.memory == first.memory and again.duplicate_of.similarity == 1
assert moved.changed.memory == first.memory and moved.differs and moved.linked, moved
assert [each.memory.id for each in moved.may_replace] == [first.memory.id] or not moved.may_replace
assert kept.memory.private and kept.memory.content == "--my own words"
assert len(wrong) == 5 and not any("--" in each for each in wrong), wrong
assert vault.remember("With notes of my own", metadata={"run": 7}, created=when).memory.metadata == {"run": 7}
print(light)
"""
    with served(tmp_path) as vault:
        vault.spawn("remember", "A cat sleeps on the stove")
        for daemon, light in (("on", "True"), ("off", "False")):
            done = subprocess.run(
                [sys.executable, "-c", code, str(vault.root)],
                env={**os.environ, **vault.env, "VAULT_MEM_DAEMON": daemon},
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert (done.returncode, done.stdout.strip()) == (0, light), done.stderr
            for _ in range(3 + (daemon == "on")):
                vault.spawn("undo", "--yes")


@pytest.mark.parametrize("before", [True, False])
def test_an_answer_that_gets_lost(root: Path, env: dict[str, str], monkeypatch, before: bool) -> None:
    # B-3: a text is saved once, whether the daemon died before or after it had saved it
    from vault_mem.python import served
    from vault_mem.vault.interrupted import request_id

    vault = Vault(root, env=env)
    vault._served = True

    def die(where: str, arguments: list[str], text: bytes, request: str) -> None:
        if not before:
            token = request_id.set(request)
            Vault(where, env=env).remember(text.decode())
            request_id.reset(token)
        raise served.Lost

    monkeypatch.setattr(served, "ask", die)
    saved = vault.remember("The ferry leaves at nine")
    assert saved
    assert [each.id for each in vault.list()] == [saved.memory.id]


def test_a_write_that_may_wait_does(root: Path, env: dict[str, str]) -> None:
    # B-3: with `wait` set it gave up after a tenth of a second where the index was being rebuilt
    vault = Vault(root, env=env, wait=30)
    vault.remember("The ferry leaves at nine")
    index = vault.workspace.index
    (index.home / "busy").touch()
    handle = os.open(index.lock_path, os.O_RDWR)
    assert try_lock(handle)
    (root / "memories" / "by-hand.md").write_text("The gate code is in the blue notebook")
    free = threading.Timer(1.0, os.close, [handle])
    free.start()
    assert vault.remember("The bakery opens at six")
    free.join()


def test_a_vault_is_not_held_while_a_process_starts(root: Path, env: dict[str, str], monkeypatch) -> None:
    # D-7, B-3: loading the index under the vault's lock made others give up on a busy machine
    from vault_mem.index.index import Index

    held = []
    real = Index.open
    vault = Vault(root, env=env)

    def open_(index: Index) -> str:
        held.append(vault.workspace.folder.writing)
        return real(index)

    monkeypatch.setattr(Index, "open", open_)
    vault.remember("The ferry leaves at nine")
    vault.close_files()
    vault.remember_many(["The bakery opens at six"])
    assert held
    assert not any(held)


def test_progress_that_writes(vault: Vault) -> None:
    # B-3: it waited ten seconds for itself, and blamed another process
    def report(done: int, total: int) -> None:
        assert vault.recall("one")
        vault.remember("Three")

    vault.remember("One")
    started = time.monotonic()
    with pytest.raises(Busy, match="this thread"):
        vault.remember_many(["Two"], progress=report)
    assert time.monotonic() - started < 8
    assert len(vault.list()) == 1
    assert vault.remember("Three")
