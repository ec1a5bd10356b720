"""Random operations on the files of a vault, each killed at every single step, without the index.

Run as a process of its own: `crash_worker.py FOLDER SEED OPERATIONS EVERY`. Each operation is first done whole in a
copy; then, in the real vault, a forked child is killed with SIGKILL before its first call that changes the disk,
before its second, and so on (every EVERY-th of them). After each kill the vault is recovered and must equal
the state before the operation or the one after it. Prints a JSON summary.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from vault_mem.errors import VaultMemError
from vault_mem.index.allocators import set_apart
from vault_mem.index.files import read_names
from vault_mem.model import Link, Memory
from vault_mem.notes.edit import edit, replace_body
from vault_mem.notes.parse import parse
from vault_mem.notes.references import references
from vault_mem.notes.write import file_name, note_text
from vault_mem.operations.upkeep import forget, link, merge, private, publish, rename, undo
from vault_mem.operations.vaults import views
from vault_mem.vault import journal
from vault_mem.vault import tree as tree_module
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.walk import walk

WORDS = ["harbour", "lamp", "港", "envelope", "ferry", "猫", "battery", "rope", "tide", "朝", "winch", "salt"]
Plan = Callable[[Folder, random.Random], "journal.Transaction | None"]


def memories(folder: Folder) -> list[Memory]:
    found = []
    for key in sorted(walk(folder).files):
        raw = folder.shown(key).read_bytes()
        note = parse(raw, key, mtime=0, zone=folder.zone, private=folder.is_private(key))
        if note.memory.id.startswith("mem_"):
            found.append(note.memory)
    return found


def save(folder: Folder, rng: random.Random) -> journal.Transaction:
    private = rng.random() < 0.25
    memory = Memory(f"mem_{rng.getrandbits(48):012x}", " ".join(rng.choices(WORDS, k=8)), folder.now(), private=private)
    memory.title = memory.content[:30]
    memory.importance = rng.randint(1, 5)
    memory.category = rng.choice(["daily", "introspection"])
    names = read_names(folder)
    for other in rng.sample(memories(folder), min(2, len(memories(folder)))):
        if private or not other.private:
            memory.links.append(Link(names.of(other.path), "related", None, other.title))
    top = "private" if private else f"memories/{rng.choice(['2026-10', '2026-11'])}"
    memory.path = f"{top}/{file_name(memory)}"
    if memory.links and rng.random() < 0.5 and not private:
        memory.content += f"\n\nSee [[{memory.links[0].target}|that one]]."
    transaction = journal.Transaction(folder, "remember", ids=[memory.id])
    transaction.create(memory.path, note_text(memory, folder.zone).encode())
    views.follow(transaction, None, memory)
    views.write_monologue(transaction, memory)
    return transaction


def change(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    memory = _some(folder, rng)
    if memory is None:
        return None
    raw = folder.shown(memory.path).read_bytes()
    transaction = journal.Transaction(folder, "edit", ids=[memory.id])
    text = " ".join(rng.choices(WORDS, k=6))
    after = edit(replace_body(raw, text + "\n"), {"importance": rng.randint(1, 5)})
    transaction.write(memory.path, raw, after)
    new = parse(after, memory.path, mtime=0, zone=folder.zone, private=memory.private).memory
    views.follow(transaction, memory, new)
    return transaction


def drop(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    memory = _some(folder, rng)
    if memory is None:
        return None
    return forget.plan_forget(folder, read_names(folder), memory, folder.shown(memory.path).read_bytes(), "at random")[
        0
    ]


def unite(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    found = memories(folder)
    if len(found) < 2:
        return None
    keep, removed = rng.sample(found, 2)
    if removed.private and not keep.private:
        keep, removed = removed, keep
    text = " ".join(rng.choices(WORDS, k=7)) if rng.random() < 0.5 else None
    raws = [folder.shown(memory.path).read_bytes() for memory in (keep, removed)]
    return merge.plan_merge(
        folder, read_names(folder), keep, raws[0], removed, raws[1], text and replace_body(raws[0], text)
    )[0]


def move(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    public = [memory for memory in memories(folder) if not memory.private]
    if not public:
        return None
    memory = rng.choice(public)
    key = rename.new_key(folder, memory, " ".join(rng.choices(WORDS, k=3)), False)
    return rename.plan_rename(folder, read_names(folder), memory, folder.shown(memory.path).read_bytes(), key)[0]


def bring_back(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    trashed = forget.trash(folder)
    if not trashed:
        return None
    return forget.plan_restore(folder, read_names(folder), rng.choice(sorted(trashed, key=lambda each: each.id)))[0]


def hide(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    public = [memory for memory in memories(folder) if not memory.private]
    if not public:
        return None
    memory = rng.choice(public)
    raw = folder.shown(memory.path).read_bytes()
    return private.plan_private(folder, read_names(folder), memory, raw, scrub=rng.random() < 0.5)[0]


def show(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    hidden = [memory for memory in memories(folder) if memory.private]
    if not hidden:
        return None
    memory = rng.choice(hidden)
    return publish.plan_publish(folder, read_names(folder), memory, folder.shown(memory.path).read_bytes(), scrub=True)[
        0
    ]


def connect(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    ends = _two(folder, rng)
    return link.plan_link(folder, *ends, rng.choice(["related", "caused_by", "leads_to"])) if ends else None


def disconnect(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    ends = _two(folder, rng)
    return link.plan_unlink(folder, *ends, body=rng.random() < 0.5)[0] if ends else None


def _two(folder: Folder, rng: random.Random) -> list[link.LinkEnd]:
    found = memories(folder)
    if len(found) < 2:
        return []
    one, other = rng.sample(found, 2)
    linked = [each for each in found if each is not one and any(to.target in each.path for to in one.links)]
    other = rng.choice(linked) if linked and rng.random() < 0.5 else other
    names = read_names(folder)
    return [
        link.LinkEnd(each, folder.shown(each.path).read_bytes(), names.of(each.path), names.meaning(each.path))
        for each in (one, other)
    ]


def take_back(folder: Folder, rng: random.Random) -> journal.Transaction | None:
    entries = list(journal.entries(folder))
    if not entries:
        return None
    with contextlib.suppress(VaultMemError):
        return undo.plan_undo(
            folder,
            read_names(folder),
            undo.last(folder)[0] if rng.random() < 0.7 else undo.entry_named(folder, rng.choice(entries).op),
        )
    return None


def _some(folder: Folder, rng: random.Random) -> Memory | None:
    found = memories(folder)
    return rng.choice(found) if found else None


PLANS: list[Plan] = [save] * 4 + [change, connect, disconnect, drop, unite, move, bring_back, hide, show, take_back]


def tree(root: Path) -> dict[str, bytes]:
    """Everything a person sees of the vault."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".vault-mem" not in path.relative_to(root).parts
    }


CALLS = tuple("open fsync link rename replace unlink mkdir truncate utime ftruncate rmdir write".split())


def die_before(count: int) -> None:
    """Kill this process before its `count`-th call that changes the disk."""
    left = [count]

    def tick() -> None:
        left[0] -= 1
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in CALLS:
        real = getattr(os, name)

        def call(*arguments: object, _real: Callable[..., object] = real, _name: str = name, **options: object):
            if _name != "open" or (len(arguments) > 1 and int(arguments[1]) & (os.O_WRONLY | os.O_RDWR)):
                tick()
            return _real(*arguments, **options)

        setattr(os, name, call)
    renaming = tree_module._system_rename()

    def rename(*arguments: object) -> int:
        tick()
        return renaming(*arguments) if renaming else errno.ENOSYS

    tree_module._system_rename = lambda: rename


def run(folder: Folder, plan: Plan, seed: int) -> bool:
    """One whole operation; whether there was anything to do."""
    with journal.writing(folder):
        transaction = plan(folder, random.Random(seed))
        if transaction is None or not transaction.steps:
            return False
        transaction.commit()
    return True


def killed(root: Path, plan: Plan, seed: int, count: int) -> bool:
    """Do an operation in a child that is killed before its `count`-th call; whether it was."""
    child = os.fork()
    if child == 0:
        try:
            die_before(count)
            run(Folder(root), plan, seed)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def check(folder: Folder) -> None:
    """No memory is doubled, and no link of a note leads nowhere."""
    keys = list(walk(folder).files)
    raws = {key: folder.shown(key).read_bytes() for key in keys}
    ids = [id_in(raw) for raw in raws.values()]
    assert len(ids) == len(set(ids)), "a memory is doubled"
    names = read_names(folder)
    for key, raw in raws.items():
        for reference in references(raw):
            assert names.note(reference.target, key), f"{key}: {reference.target} dangles"
    public = "".join(f"{key}{raw!r}" for key, raw in raws.items() if not folder.is_private(key))
    for key, raw in raws.items():
        if folder.is_private(key):
            assert id_in(raw) not in public, f"{key} is named in public"
    assert not list(folder.root.rglob("*.tmp")), "a temporary file was left behind"


def main(root: Path, seed: int, operations: int, every: int) -> None:
    assert "lancedb" not in sys.modules
    set_apart()  # otherwise every child copies the pages that it looks through for garbage
    rng = random.Random(seed)
    folder = Folder(root)
    first = tree(root)
    done = kills = 0
    finished = taken_back = 0
    copy, saved = root.with_name("copy"), root.with_name("saved")
    while done < operations:
        plan, op_seed = rng.choice(PLANS), rng.getrandbits(32)
        for target in (copy, saved):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(root, target)
        before = tree(root)
        if not run(Folder(copy), plan, op_seed):
            continue
        after = tree(copy)
        count = 1 + rng.randrange(every)
        while killed(root, plan, op_seed, count):
            with journal.writing(folder):  # what the next command does first
                pass
            now = tree(root)
            assert now in (before, after), f"{plan.__name__} killed at call {count}: a state in between"
            finished += now == after
            taken_back += now == before
            kills += 1
            check(folder)
            shutil.rmtree(root)
            shutil.copytree(saved, root)
            count += every
        now = tree(root)
        assert now == after, plan.__name__
        check(folder)
        done += 1
    undone = 0
    with contextlib.suppress(VaultMemError):
        while True:
            with journal.writing(folder):
                undo.plan_undo(folder, read_names(folder), undo.last(folder)[0]).commit()
            undone += 1
    now = tree(root)
    left = {key for key in now.keys() | first.keys() if now.get(key) != first.get(key)}
    print(
        json.dumps(
            {
                "operations": done,
                "kills": kills,
                "finished": finished,
                "taken_back": taken_back,
                "undone": undone,
                "left": sorted(key for key in left if "history" not in key),
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
