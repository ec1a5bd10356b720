"""Writing: whole or not at all, never over an edit nobody has read, and put right after a crash."""

from __future__ import annotations

import ast
import errno
import importlib
import json
import os
import shutil
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, leftovers, memory, mode, note, one_line, states

import vault_mem
from vault_mem import Vault
from vault_mem.errors import Busy, Conflict, Unsafe, WriteFailed
from vault_mem.vault import carry, files, journal, outside, tree
from vault_mem.vault.folder import Folder
from vault_mem.vault.lock import locked_outside

PACKAGE = Path(vault_mem.__file__).parent


class Killed(BaseException):
    """The process ends here."""


# ---- single files (V-8)


def test_create_and_replace(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    outside.create(path, b"one", 0o640)
    assert (path.read_bytes(), mode(path)) == (b"one", 0o640)
    outside.replace(path, b"one", b"two")
    assert (path.read_bytes(), mode(path)) == (b"two", 0o640)
    outside.remove(path, b"two")
    assert list(tmp_path.iterdir()) == []


def test_what_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"theirs")
    with pytest.raises(Conflict):
        outside.create(path, b"ours", 0o644)
    with pytest.raises(Conflict):
        outside.replace(path, b"expected", b"ours")
    with pytest.raises(Conflict):
        outside.remove(path, b"expected")
    with pytest.raises(Conflict):
        outside.replace(tmp_path / "gone.md", b"expected", b"ours")
    assert contents(tmp_path) == {"a.md": b"theirs"}


@pytest.mark.parametrize("exchange", [True, False])
def test_an_edit_in_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool) -> None:
    # V-8: between the look and the rename, on systems with and without an atomic exchange
    path = tmp_path / "a.md"
    path.write_bytes(b"before")
    if not exchange:
        monkeypatch.setattr(tree, "_system_rename", lambda: None)
    real = os.fsync

    def edit_meanwhile(handle: int) -> None:
        real(handle)
        if path.read_bytes() == b"before":
            path.write_bytes(b"a person's edit")

    monkeypatch.setattr(os, "fsync", edit_meanwhile)
    with pytest.raises(Conflict):
        outside.replace(path, b"before", b"ours")
    assert contents(tmp_path) == {"a.md": b"a person's edit"}


def test_an_atomic_save_in_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-8: an editor that writes a new file and renames it over the old one
    path = tmp_path / "a.md"
    path.write_bytes(b"before")
    exchange = tree.Tree.exchange

    def save_and_exchange(self: tree.Tree, one: str, other: str) -> bool:
        if self.read(other) == b"before":
            (tmp_path / "editor").write_bytes(b"a person's edit")
            (tmp_path / "editor").replace(path)
        return exchange(self, one, other)

    monkeypatch.setattr(tree.Tree, "exchange", save_and_exchange)
    with pytest.raises(Conflict):
        outside.replace(path, b"before", b"ours")
    assert contents(tmp_path) == {"a.md": b"a person's edit"}


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP, errno.EMLINK])
def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    # V-10: exFAT, some network drives
    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(tree, "_system_rename", lambda: None)
    monkeypatch.setattr(os, "link", refuse)
    outside.create(tmp_path / "a.md", b"one", 0o600)
    assert (contents(tmp_path), mode(tmp_path / "a.md")) == ({"a.md": b"one"}, 0o600)
    with pytest.raises(Conflict):
        outside.create(tmp_path / "a.md", b"two", 0o600)
    assert contents(tmp_path) == {"a.md": b"one"}


def test_a_symbolic_link_is_not_written_through(tmp_path: Path) -> None:
    # V-7
    (tmp_path / "real.md").write_bytes(b"text")
    (tmp_path / "link.md").symlink_to("real.md")
    with pytest.raises(Unsafe):
        files.replace(tree.Tree(tmp_path), "link.md", b"text", b"ours")
    assert (tmp_path / "real.md").read_bytes() == b"text"
    assert (tmp_path / "link.md").is_symlink()


# ---- the lock, and other systems (V-10)


@pytest.mark.skipif(sys.platform == "win32", reason="links to files")
def test_another_name_of_a_file_keeps_what_it_said(cli: Command, root: Path, tmp_path: Path) -> None:
    # S-1: a hard link may lead anywhere, into a backup made with `cp -al` for one
    memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise")
    assert cli.run("tag", "mem_00000000000a", "+harbour").code == 0
    before = {}
    for path in [each for each in root.rglob("*") if each.is_file()]:
        copy = tmp_path / f"copy-{len(before)}"
        copy.hardlink_to(path)
        before[copy] = copy.read_bytes()
    assert cli.run("tag", "mem_00000000000a", "+dues").code == 0
    assert cli.run("forget", "mem_00000000000a").code == 0
    assert cli.run("history", "mem_00000000000a").out.count("  tag\n") == 2
    assert {copy: copy.read_bytes() for copy in before} == before


def test_the_lock_is_exclusive(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with locked_outside(lock, "it"), pytest.raises(Unsafe), locked_outside(lock, "it", wait=0.05):
        pass
    with locked_outside(tmp_path / "lock", "it", wait=0.05):
        pass


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from vault_mem.vault.lock import locked_outside\n"
        "with locked_outside(Path(sys.argv[1]), 'it'): os._exit(1)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "lock")], check=False, timeout=60)
    with locked_outside(tmp_path / "lock", "it", wait=0.05):
        pass


def test_the_lock_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-10: without fcntl, by msvcrt
    held: set[int] = set()

    def locking(handle: int, how: int, count: int) -> None:
        inode = os.fstat(handle).st_ino
        if inode in held:
            raise OSError(errno.EACCES, "locked")
        held.add(inode)

    fake = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    import vault_mem.vault.lock as module

    try:
        windows = importlib.reload(module)
        with windows.locked_outside(tmp_path / "lock", "it", wait=0.05):
            assert len(held) == 1
            with pytest.raises(Unsafe), windows.locked_outside(tmp_path / "lock", "it", wait=0.05):
                pass
    finally:
        monkeypatch.undo()
        importlib.reload(module)


def test_nothing_else_needs_unix() -> None:
    # V-10: imports at the top of a module that Windows does not have
    unix = {"fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "posix"}
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        for statement in tree.body:
            names = {alias.name for alias in getattr(statement, "names", [])} | {getattr(statement, "module", "")}
            assert not (isinstance(statement, ast.Import | ast.ImportFrom) and names & unix), path


def test_bytes_are_written_as_they_are_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-10, V-4: there a file opened without O_BINARY gets \r\n for every \n
    flag = 1 << 30
    monkeypatch.setattr(tree, "_PLAIN", tree._PLAIN | flag)
    seen: list[int] = []
    real = os.open

    def look(path, flags, *rest, **options):
        if flags & os.O_CREAT:
            seen.append(flags)
        return real(path, flags & ~flag, *rest, **options)

    monkeypatch.setattr(os, "open", look)
    outside.create(tmp_path / "a.md", b"one\n", 0o644)
    outside.replace(tmp_path / "a.md", b"one\n", b"two\n")
    assert seen
    assert all(flags & flag for flags in seen)


def test_the_readme_says_so() -> None:
    # V-10: on Windows everything runs in-process, without the daemon, and the README says so
    readme = (PACKAGE.parent / "README.md").read_text()
    assert "Windows" in readme
    assert "daemon" in readme


# ---- disk full, read-only


def failing(monkeypatch: pytest.MonkeyPatch, where: str, code: int) -> None:
    """Let one kind of system call below the vault fail."""
    if where == "rename":
        monkeypatch.setattr(tree, "_system_rename", lambda: lambda *_: code)
        return
    real = getattr(os, where)

    def fail(*arguments, **options):
        if where == "open" and not arguments[1] & (os.O_WRONLY | os.O_RDWR):
            return real(*arguments, **options)
        if where == "fsync" or "dir_fd" in options:
            raise OSError(code, os.strerror(code))
        return real(*arguments, **options)

    monkeypatch.setattr(os, where, fail)


@pytest.mark.parametrize(("code", "private"), [(errno.ENOSPC, False), (errno.EROFS, False), (errno.EACCES, True)])
@pytest.mark.parametrize("where", ["open", "fsync", "mkdir", "rename"])
def test_nothing_half_written(
    cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch, where: str, code: int, private: bool
) -> None:
    # bad input: a read-only vault, a full disk: one clear line, exit 1, nothing half-written
    memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "The harbour dues rise")
    cli.run("status")
    before = contents(root)
    with monkeypatch.context() as patch:
        failing(patch, where, code)
        arguments = ["--private"] if private else []
        answer = cli.run("remember", "The harbour dues rise in May", "--force", "--link-threshold", "1", *arguments)
    assert answer.code == 1
    assert os.strerror(code) in answer.err
    assert one_line(answer.err)
    assert answer.out == ""
    assert contents(root) == before
    assert leftovers(root) == []
    cli.run("status")
    assert not list((root / ".vault-mem").rglob("*.pending"))
    assert cli.run("remember", "The harbour dues rise in May", "--force").code == 0


def test_a_read_only_vault(cli: Command, root: Path) -> None:
    # with real permissions: it can be read, and writing says what and what to do
    from helpers import as_anybody

    memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise")
    for path in (root, root / "memories", root / "private"):
        path.chmod(0o555)
    before = states(root)
    try:
        answer = as_anybody(cli, "remember", "Something new")
        assert answer.code == 1
        assert "Permission denied" in answer.err
        assert one_line(answer.err)
        assert states(root) == before
        found = as_anybody(cli, "recall", "harbour", "--json")
        assert found.code == 0
        assert found.json["results"][0]["id"] == "mem_00000000000a"
    finally:
        for path in (root, root / "memories", root / "private"):
            path.chmod(0o755)


def test_an_index_that_cannot_be_written(cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the memory is in its file; the index catches up later, and nothing is saved twice
    from vault_mem.index.table import Table

    cli.run("status")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Table, "upsert", full)
        answer = cli.run("remember", "A thought in hard times")
    assert answer.code in (0, 1)
    assert "Traceback" not in answer.err
    assert "No space left" in answer.err or "index" in answer.err
    assert cli.run("remember", "A thought in hard times").code == (3 if list((root / "memories").rglob("*.md")) else 0)
    assert cli.json("list")["total"] == 1


@pytest.mark.parametrize("stays", [".tmp", ".pending"])
def test_what_cannot_be_cleared_away_is_finished(
    cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch, stays: str
) -> None:
    # S-3: a disk that turns read-only in the middle: the answer says what will come of it, and nothing is left lying
    memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise")
    cli.run("status")
    real = tree.Tree.drop

    def drop(self: tree.Tree, key: str) -> None:
        if key.endswith(stays):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        real(self, key)

    def exchange(*_: object) -> bool:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(tree.Tree, "drop", drop)
        patch.setattr(tree.Tree, "exchange", exchange)
        answer = cli.run("tag", "mem_00000000000a", "+harbour")
    assert answer.code == 1
    assert "the next command finishes it" in answer.err
    assert cli.run("status").code == 0
    assert b"harbour\n" in (root / "memories/a.md").read_bytes()
    assert leftovers(root) == []
    assert cli.run("undo", "--yes").code == 0
    assert b"tags" not in (root / "memories/a.md").read_bytes()


def test_what_fails_after_an_operation_does_not_unsay_it(
    cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-3: the answer tells that it was done, and an undo takes back the right thing
    from vault_mem.index.table import Table

    one = memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise")
    cli.run("status")
    real = Table.select

    def fails_when_done(table: Table, *arguments, **options):
        if list((root / "episodes").glob("*.md")):
            raise RuntimeError("lance error: LanceError(IO): Input/output error (os error 5)")
        return real(table, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Table, "select", fails_when_done)
        answer = cli.run("episode", "create", "--memory", "mem_00000000000a", "--summary", "Lights")
    assert answer.code == 1
    assert "is done, but something after it failed: the index cannot be used: Input/output error" in answer.err
    assert cli.run("undo", "--yes").code == 0
    assert list((root / "episodes").glob("*.md")) == []
    assert one.exists()


def test_an_index_that_cannot_be_opened_again_is_not_looked_into(
    cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-3: no more files can be opened once the note is written; what was done is not called a failure
    from vault_mem.index.index import Index
    from vault_mem.index.table import Table

    memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise")
    cli.run("status")

    def fails(*_: object) -> None:
        monkeypatch.setattr(Index, "_current", fails)
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Table, "upsert", fails)
    answer = cli.run("tag", "mem_00000000000a", "+harbour")
    assert (answer.code, answer.err.count("the index follows with the next command")) == (0, 1)


def test_a_panic_of_lancedb_is_told_in_a_line(cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # as where a process may open no more files: what it raises is no Exception
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})

    def fails(*_: object, **__: object) -> None:
        raise panic("Failed to build tokio runtime")

    monkeypatch.setattr("vault_mem.index.index.Table", fails)
    answer = cli.run("recall", "harbour", env={"VAULT_MEM_DEBUG": ""})
    assert (answer.code, one_line(answer.err)) == (1, True)


def test_the_time_of_a_file_that_the_disk_does_not_tell(
    cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-3, S-7: an operation that could not give the time back is not begun
    path = memory(root, "memories/a.md", "mem_00000000000a", "The harbour dues rise")
    cli.run("status")
    before, real = contents(root), tree.Tree.stat

    def stat(self: tree.Tree, key: str) -> os.stat_result | None:
        if key == "memories/a.md" and sys._getframe(1).f_code.co_name == "changed_at":
            raise OSError(errno.EIO, "Input/output error")
        return real(self, key)

    monkeypatch.setattr(tree.Tree, "stat", stat)
    answer = cli.run("forget", "mem_00000000000a")
    assert (answer.code, "memories/a.md: Input/output error" in answer.err) == (1, True)
    assert contents(root) == before
    assert path.exists()


# ---- transactions: all or nothing, also over a crash

ONE = "---\ncreated: 2026-11-01T10:00:00\n---\none {}"  # a date of its own, so that its first change adds none (S-8)


@pytest.fixture
def folder(root: Path, env: dict[str, str]) -> Folder:
    note(root, "memories/one.md", ONE.format("before"))
    note(root, "memories/two.md", "two before")
    return Folder(root, env)


def three_steps(folder: Folder) -> journal.Transaction:
    transaction = journal.Transaction(folder, "test", "a reason")
    transaction.write("memories/one.md", ONE.format("before").encode(), ONE.format("after").encode())
    transaction.create("private/new.md", b"new\xff")
    transaction.remove("memories/two.md", b"two before")
    return transaction


BEFORE = {"memories/one.md": ONE.format("before").encode(), "memories/two.md": b"two before"}
AFTER = {"memories/one.md": ONE.format("after").encode(), "private/new.md": b"new\xff"}


def notes(root: Path) -> dict[str, bytes]:
    return {name: data for name, data in contents(root).items() if name.endswith(".md")}


def test_a_transaction(folder: Folder) -> None:
    # V-8: what a write displaced is in the journal
    op = three_steps(folder).commit()
    assert notes(folder.root) == AFTER
    assert mode(folder.root / "private/new.md") == 0o600
    entry = folder.shown(f".vault-mem/journal/{op}.json")
    assert mode(entry) == 0o600
    assert mode(entry.parent) == 0o700
    record = json.loads(entry.read_text())
    assert record["command"] == "test"
    assert [step["before"] for step in record["steps"] if "before" in step] == [
        ONE.format("before"),
        None,
        "two before",
    ]
    assert journal.pending(folder) == []


def test_a_lock_deleted_while_somebody_waits_for_it_keeps_others_out(tmp_path: Path) -> None:
    # git clean -x takes .vault-mem/ with it: who waited must not hold a file that nobody else opens
    lock, taken, done = tmp_path / "lock", threading.Event(), threading.Event()

    def wait_for_it() -> None:
        with locked_outside(lock, "it"):
            taken.set()
            done.wait(20)

    waiter = threading.Thread(target=wait_for_it)
    with locked_outside(lock, "it"):
        waiter.start()
        assert not taken.wait(0.2)
        lock.unlink()
    try:
        assert taken.wait(20)
        with pytest.raises(Busy), locked_outside(lock, "it", 0):
            pass
    finally:
        done.set()
        waiter.join()


def test_who_lost_the_lock_to_another_writes_nothing(folder: Folder, env: dict[str, str]) -> None:
    other = Folder(folder.root, env)
    with journal.writing(folder):
        planned = three_steps(folder)
        shutil.rmtree(folder.root / ".vault-mem")
        with journal.writing(other), pytest.raises(Busy, match="deleted while it was held"):
            planned.commit()
    assert notes(folder.root) == BEFORE
    with journal.writing(folder):
        three_steps(folder).commit()
    assert notes(folder.root) == AFTER


def test_a_change_before_the_commit(folder: Folder) -> None:
    transaction = three_steps(folder)
    (folder.root / "memories/two.md").write_text("somebody else")
    with pytest.raises(Conflict):
        transaction.commit()
    assert notes(folder.root) == BEFORE | {"memories/two.md": b"somebody else"}
    assert journal.pending(folder) == []


@pytest.mark.parametrize("step", [0, 1, 2])
def test_a_failure_in_between_takes_everything_back(folder: Folder, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    done = []
    real = carry.Job.switch

    def fail_at(job: carry.Job, folder_: Folder) -> None:
        done.append(job)
        if len(done) == step + 1:
            raise WriteFailed("full")
        real(job, folder_)

    monkeypatch.setattr(carry.Job, "switch", fail_at)
    with pytest.raises(WriteFailed):
        three_steps(folder).commit()
    assert notes(folder.root) == BEFORE
    assert journal.pending(folder) == []
    assert leftovers(folder.root) == []


def crash(folder: Folder, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Commit three steps and die after that many of them."""
    done = []
    real, rename = carry.Job.switch, tree.Tree.rename

    def die_at(job: carry.Job, folder_: Folder) -> None:
        if len(done) == after:
            raise Killed
        real(job, folder_)
        done.append(job)

    def die_at_the_end(self: tree.Tree, old: str, new: str) -> None:
        if old.endswith(".pending"):
            raise Killed
        rename(self, old, new)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(carry.Job, "switch", die_at)
        patch.setattr(tree.Tree, "rename", die_at_the_end)
        three_steps(folder).commit()


@pytest.mark.parametrize("after", [0, 1, 2, 3])
@pytest.mark.parametrize("command", [["recall", "x"], ["remember", "Something else"], ["status"]])
def test_a_crash_is_finished_by_the_next_command(
    cli: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch, after: int, command: list[str]
) -> None:
    # V-8; F-1's promise for every transaction
    crash(folder, monkeypatch, after)
    assert len(journal.pending(folder)) == 1
    assert cli.run(*command).code == 0
    found = notes(folder.root)
    assert {name: data for name, data in found.items() if name in BEFORE | AFTER} == AFTER
    assert journal.pending(folder) == []
    assert leftovers(folder.root) == []
    assert cli.json("doctor")["findings"] == [
        each for each in cli.json("doctor")["findings"] if each["check"] != "interrupted"
    ]


@pytest.mark.parametrize("after", [0, 1, 2, 3])
@pytest.mark.parametrize("edited", ["memories/one.md", "memories/two.md", "private/new.md"])
def test_a_crash_is_taken_back_where_a_person_edited_since(
    cli: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch, after: int, edited: str
) -> None:
    # V-8: a person's edit is never lost; the rest is as before; doctor tells
    crash(folder, monkeypatch, after)
    (folder.root / edited).write_bytes(b"a person's words")
    assert cli.run("status").code == 0
    found = notes(folder.root)
    assert found.pop(edited) == b"a person's words"
    assert found == {name: data for name, data in BEFORE.items() if name != edited}
    assert journal.pending(folder) == []
    assert any("taken back" in each["message"] for each in cli.json("doctor")["findings"])


@pytest.mark.parametrize("data", [b"", b"{", b'{"steps": [{"key": "memories/one.md"}]}', b"\xff\xfe", b"[]", b"null"])
def test_an_entry_cut_off_while_it_was_written(cli: Command, folder: Folder, data: bytes) -> None:
    # nothing had been done yet
    entry = folder.shown(".vault-mem/journal/000001-20261115T000000.pending")
    entry.parent.mkdir(parents=True)
    entry.write_bytes(data)
    assert cli.run("status").code == 0
    assert notes(folder.root) == BEFORE
    assert journal.pending(folder) == []


@pytest.mark.parametrize(
    "key", ["../outside.md", "/ABS/outside.md", "memories/../../outside.md", "link/outside.md", ".git/hooks/x"]
)
def test_a_strangers_journal_does_not_reach_outside(cli: Command, folder: Folder, tmp_path: Path, key: str) -> None:
    # a vault may come from a stranger: its journal must not write where the tool would not
    (tmp_path / "target").mkdir()
    (folder.root / "link").symlink_to(tmp_path / "target")
    entry = folder.shown(".vault-mem/journal/000001-20261115T000000.pending")
    entry.parent.mkdir(parents=True)
    steps = [{"key": key.replace("/ABS", str(tmp_path)), "before": None, "after": "evil", "mode": 0o755}]
    entry.write_text(
        json.dumps(
            {
                "op": "000001-20261115T000000",
                "command": "x",
                "reason": "",
                "at": "2026-11-15T00:00:00+00:00",
                "steps": steps,
            }
        )
    )
    answer = cli.run("remember", "Something else")
    assert "Traceback" not in answer.err
    evil = [path for path in tmp_path.rglob("*") if path.is_file() and path.name in ("outside.md", "x")]
    assert evil == []


def test_a_real_crash_leaves_no_litter(cli: Command, root: Path) -> None:
    # V-8: the process is killed while the new file is being linked into place
    code = (
        "import os, sys\n"
        "from vault_mem.vault.tree import Tree\n"
        "real = Tree.rename\n"
        "def die(self, old, new):\n"
        "    if new.endswith('.md'): os._exit(9)\n"
        "    return real(self, old, new)\n"
        "Tree.rename = die\n"
        "from vault_mem.cli.main import main; main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "remember", "A thought cut short"],
        cwd=root,
        env={**os.environ, **cli.env},
        timeout=120,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 9, done.stderr.decode()
    assert cli.run("remember", "Another thought").code == 0
    texts = [data for name, data in contents(root).items() if name.startswith("memories/")]
    assert sum(b"A thought cut short" in data for data in texts) == 1
    assert leftovers(root) == []
    assert cli.json("list")["total"] == 2


# ---- remember beside an editor


def test_an_edit_of_a_linked_private_note_is_not_lost(
    cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # V-8: re-read and re-applied
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "The harbour dues rise")
    real = journal.Transaction.commit
    edits = []

    def edit_first(self: journal.Transaction) -> str:
        if not edits:
            edits.append(path.write_text(path.read_text() + "A person's line.\n"))
        return real(self)

    monkeypatch.setattr(journal.Transaction, "commit", edit_first)
    made = cli.json("remember", "The harbour dues rise in May", "--force", "--link-threshold", "1")
    text = path.read_text()
    assert text.endswith("A person's line.\n")
    assert Path(made["memory"]["path"]).stem in text
    assert len(list((root / "memories").rglob("*.md"))) == 1
    assert edits


def test_an_edit_in_the_last_moment_is_not_lost(cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-8: after the comparison, before the rename
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "The harbour dues rise")
    real = tree.Tree.exchange
    edits = []

    def edit_first(self: tree.Tree, one: str, other: str) -> bool:
        if not edits:
            edits.append(path.write_text(path.read_text() + "A person's line.\n"))
        return real(self, one, other)

    monkeypatch.setattr(tree.Tree, "exchange", edit_first)
    made = cli.json("remember", "The harbour dues rise in May", "--force", "--link-threshold", "1")
    assert path.read_text().endswith("A person's line.\n")
    assert Path(made["memory"]["path"]).stem in path.read_text()
    assert len(list((root / "memories").rglob("*.md"))) == 1
    assert leftovers(root) == []


def test_an_editor_that_never_stops(cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-8: a conflict error, exit 5, nothing lost, nothing half-written
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "The harbour dues rise")
    real = journal.Transaction.commit
    count = []

    def edit_first(self: journal.Transaction) -> str:
        count.append(1)
        path.write_text(path.read_text() + f"Line {len(count)}.\n")
        return real(self)

    with monkeypatch.context() as patch:
        patch.setattr(journal.Transaction, "commit", edit_first)
        answer = cli.run("remember", "The harbour dues rise in May", "--force", "--link-threshold", "1")
    assert answer.code == 5
    assert one_line(answer.err)
    assert path.read_text().endswith("".join(f"Line {number + 1}.\n" for number in range(len(count))))
    assert list((root / "memories").rglob("*.md")) == []
    assert journal.pending(Folder(root, cli.env)) == []


def test_a_linked_private_note_renamed_meanwhile(cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-5, V-8
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "The harbour dues rise")
    real = journal.Transaction.commit
    moved = []

    def move_first(self: journal.Transaction) -> str:
        if not moved:
            moved.append(path.rename(root / "private/moved.md"))
        return real(self)

    monkeypatch.setattr(journal.Transaction, "commit", move_first)
    made = cli.json("remember", "The harbour dues rise in May", "--force", "--link-threshold", "1")
    assert made["links"] == 1
    assert Path(made["memory"]["path"]).stem in (root / "private/moved.md").read_text()
    assert not path.exists()


def test_another_writer_holds_the_vault(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    # one writer at a time: exit 6 after the wait, nothing written
    import vault_mem.vault.lock as lock

    with locked_outside(vault.root / ".vault-mem/lock", "this vault"):
        monkeypatch.setattr(lock.time, "sleep", lambda _: None)
        clock = iter(range(0, 10**6, 5))
        monkeypatch.setattr(lock.time, "monotonic", lambda: float(next(clock)))
        with pytest.raises(Unsafe, match="another process"):
            vault.remember("Something")
    monkeypatch.undo()
    assert vault.remember("Something").memory is not None
