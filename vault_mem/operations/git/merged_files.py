"""What a merge left in the files: conflict marks, duplicate lines, history out of order. `doctor --fix` repairs it.

It happens in a clone without our driver, on a forge's website, in a rebase, a stash or a half-resolved merge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vault_mem.errors import Conflict
from vault_mem.merging import encoded, kind_of, merge
from vault_mem.merging.history import in_order, is_in_order, merge_history
from vault_mem.merging.note import cut, is_marked, memories_in, sides
from vault_mem.merging.review import without_repeats
from vault_mem.merging.views import without_copies
from vault_mem.notes.parse import parse
from vault_mem.notes.write import file_name
from vault_mem.operations.changing import commit
from vault_mem.operations.git.common_text import taken_in
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import history_keys
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read, read_if_can
from vault_mem.vault.tree import beside
from vault_mem.vault.walk import walk

_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_OURS = ("log", "digest", "review")
_WHOLE_MARKS = ("<<<<<<<", "=======", ">>>>>>>")


@dataclass(frozen=True)
class Leftover:
    """What a merge left in one file. `after` is the repaired file, None if only a person can repair it."""

    key: str
    what: str
    line: int | None = None
    after: bytes | None = None
    undecided: bool = False
    others: tuple[bytes, ...] = ()  # other memories in the same file: git took them for this one, renamed


def leftovers(folder: Folder) -> Iterator[Leftover]:
    """Every file of ours that a merge left in disorder."""
    in_git = git.in_repository(folder)
    waiting = git.unmerged(folder) if in_git else {}
    for key in [*walk(folder).files, *views.view_keys(folder), folder.monologue, "REVIEW.md", "SELF.md"]:
        raw = read_if_can(folder, key)
        if raw and (
            b"<<<<<<<" in raw or b"\n>>>>>>>" in raw or (in_git and kind_of(key, raw.decode(errors="replace")) in _OURS)
        ):
            yield from _leftover(folder, key, raw, key in waiting)
    for key in filter(lambda key: not folder.is_private(key), history_keys(folder)):
        raw = read_if_can(folder, key)
        text = raw.decode(errors="surrogateescape").replace("\r\n", "\n")
        after = _history(text)
        if after != text:
            marks = any(line.startswith(_MARKS) for line in text.split("\n"))
            what = "it contains merge marks" if marks else "a merge left duplicate or unordered lines in it"
            yield Leftover(key, what, after=encoded(after.replace("\n", "\r\n") if b"\r\n" in raw else after))


def put_right(workspace: Workspace, leftover: Leftover) -> None:
    """Write the repaired file, and rebuild the views if it is one."""
    folder = workspace.folder
    if leftover.after is None:
        return
    with writing(folder):
        raw = read(folder, leftover.key)
        transaction = Transaction(folder, "doctor --fix", "a merge left it in disorder")
        if raw is not None:
            transaction.write(leftover.key, raw, leftover.after)
            if folder.is_note(leftover.key):
                views.follow_text(transaction, leftover.key, raw, leftover.after)
        for other in leftover.others:
            _give_own_file(workspace, transaction, leftover.key, other)
        if transaction.steps:
            commit(workspace, transaction)
    if folder.is_view(leftover.key):
        views.rebuild(workspace)
    if leftover.key in git.unmerged(folder) and not leftover.undecided:
        for key in {leftover.key, *transaction.keys}:
            if not folder.is_private(key):
                git.mark_resolved(folder, key)


def _give_own_file(workspace: Workspace, transaction: Transaction, key: str, other: bytes) -> None:
    """Give the other memory its own file again: a new one, or the private one that it already has here."""
    folder = workspace.folder
    memory = parse(other, key, mtime=0, zone=folder.zone).memory
    own = beside(key, file_name(memory))
    claimed = [each for each, *_ in workspace.index.known.declaring([memory.id])]
    if not claimed:
        transaction.create(own, other)
        views.follow_text(transaction, own, None, other)
    elif all(map(folder.is_private, claimed)):
        private = read(folder, claimed[0]) or b""
        transaction.write(claimed[0], private, taken_in(folder, own, private, other))
    else:
        raise Conflict(f"{memory.id} is in another file, too", "compare the two, and delete what is between the marks")


def _leftover(folder: Folder, key: str, raw: bytes, waiting: bool) -> Iterator[Leftover]:
    kind = kind_of(key) if not folder.is_note(key) else "note"
    text = raw.decode(errors="surrogateescape")
    held = list(memories_in(text).values()) if kind == "note" else []
    if len(held) > 1:
        what = "git took another memory for this one, renamed, and put the two together"
        yield Leftover(key, what, after=encoded(held[0]), others=tuple(map(encoded, held[1:])))
    elif is_marked(text):
        found = sides(text)
        if found is None or (kind in ("note", "self") and not waiting and _in_code(text)):
            return
        base = git.version(folder, key, 1) if waiting else None
        result = merge(key, base or encoded(found[0]), *map(encoded, found[1:]))
        after = encoded(result.text)
        line = next(number for number, each in enumerate(text.split("\n"), 1) if each.startswith(_MARKS[0]))
        broken = "\n<<<<<<<" in "".join(cut(text)[1] or ())
        if after != raw or broken:
            yield Leftover(key, "it contains merge marks", line, after, bool(result.conflicts))
        else:
            yield Leftover(
                key, "both sides of a merge changed the same key or lines; it has both texts", line, undecided=True
            )
    elif kind in _OURS:
        stripped = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(_WHOLE_MARKS))
        clean = without_repeats(stripped) if kind == "review" else without_copies(stripped, kind)
        if clean != text:
            what = "it contains merge marks" if stripped != text else "a merge left duplicate lines in it"
            yield Leftover(key, what, after=encoded(clean))
    elif _half_marked(text):
        yield Leftover(key, "a merge was half resolved: some of its marks are left", undecided=True)


def _history(text: str) -> str:
    """A log of revisions, repaired: without marks, and in order."""
    found = sides(text) if "<<<<<<<" in text else None
    if found is not None:
        return merge_history(*found).text
    lines = [line for line in text.split("\n") if line.strip()]
    revisions = [line for line in lines if not line.startswith(_MARKS)]
    return text if revisions == lines and is_in_order(lines) else in_order(revisions)


def _half_marked(text: str) -> bool:
    """Whether somebody removed only some of the marks; a deeply quoted e-mail has `>>>>>>>` but no `=======`."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    middle = "=" * 7 in lines
    return not _in_code(text) and (
        any(line.startswith("<<<<<<< ") for line in lines)
        or (middle and any(line.startswith(">>>>>>> ") for line in lines[lines.index("=" * 7) :]))
    )


def _in_code(text: str) -> bool:
    """Whether the marks are in a code block, because somebody wrote about merges."""
    inside = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif line.startswith((_MARKS[0], _MARKS[3])) and not inside:
            return False
    return True
