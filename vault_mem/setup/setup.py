"""setup: add what an agent needs, or remove it; first as a plan that can be shown."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from vault_mem.errors import EditRefused
from vault_mem.setup.agents import needs
from vault_mem.setup.options import SURFACES, TOOL_SETS, SetupOptions
from vault_mem.setup.pieces import Piece, add, foreign, present
from vault_mem.setup.receipts import Receipt, Receipts, missing, receipt_for, remove_folders
from vault_mem.vault import outside

# Longer lines of a diff are cut: settings on one long line may contain keys.
_LONGEST_LINE = 160


@dataclass
class SetupChange:
    """One file's text before and after (None: no file). `receipt` is None if nothing of ours is left in it."""

    path: Path
    before: str | None
    after: str | None
    receipt: Receipt | None = None

    @property
    def action(self) -> str:
        """create, edit, remove or none."""
        if self.before == self.after:
            return "none"
        return "create" if self.before is None else "remove" if self.after is None else "edit"

    @property
    def diff(self) -> str:
        """The change as a person reads it."""
        name = str(self.path)
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            (self.after or "").splitlines(),
            "/dev/null" if self.before is None else name,
            "/dev/null" if self.after is None else name,
            lineterm="",
            n=1,
        )
        return "\n".join(line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "..." for line in lines)


@dataclass
class Plan:
    """What setup would do. `notices` are for the person."""

    changes: list[SetupChange]
    receipts: Receipts
    notices: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether no file would change."""
        return all(change.action == "none" for change in self.changes)

    def apply(self) -> None:
        """Apply the plan. Stops with an error if a file has changed meanwhile."""
        for change in self.changes:
            if change.receipt is None:
                continue
            if change.action == "create":
                change.receipt.folders = missing(change.path.parent) or change.receipt.folders
            self.receipts.by_path[str(change.path)] = change.receipt
        self.receipts.save()
        for change in self.changes:
            folders = self.receipts.by_path[str(change.path)].folders if change.receipt is None else []
            _write(change)
            if change.receipt is None:
                remove_folders(folders)
                del self.receipts.by_path[str(change.path)]
                self.receipts.save()


def plan(options: SetupOptions) -> Plan:
    """A plan to add what the agent needs; what it already has stays."""
    receipts = Receipts(options.env)
    wanted = needs(options)
    result = Plan([], receipts, wanted.notices)
    for piece in wanted.pieces:
        change = _addition(replace(piece, path=_real(piece.path)), receipts, _user(options), result.notices)
        if change is not None:
            result.changes.append(change)
    kept = {str(_real(piece.path)) for piece in wanted.pieces}
    result.changes += _removals(receipts, _user(options), kept, result.notices)
    return result


def plan_removal(options: SetupOptions) -> Plan:
    """A plan to remove what setup added for the agent."""
    result = Plan([], Receipts(options.env))
    result.changes = _removals(result.receipts, _user(options), set(), result.notices)
    known = set(result.receipts.by_path)
    ways = [
        replace(options, surface=surface, tools=tools, capture=capture, per_prompt=per_prompt)
        for capture in (True, False)  # the largest set first, since it contains the smaller ones
        for per_prompt in (True, False)
        for surface in SURFACES
        for tools in TOOL_SETS
    ]
    for way in ways:  # without a receipt, remove what is exactly as we write it
        for piece in needs(way).pieces:
            path = _real(piece.path)
            if str(path) not in known and (change := _without_receipt(replace(piece, path=path))):
                known.add(str(path))
                result.receipts.by_path[str(path)] = Receipt(piece.kind, None, "")
                result.changes.append(change)
    if result.empty and (elsewhere := _elsewhere(result.receipts, options)):
        result.notices.append(f"{options.agent} was set up in {', '.join(elsewhere)}: run it there")
    return result


def _elsewhere(receipts: Receipts, options: SetupOptions) -> list[str]:
    """The other folders in which an agent is set up; the home folder is `--user`."""
    users = {user for receipt in receipts.by_path.values() for user in receipt.users}
    folders = sorted(user.removeprefix(f"{options.agent} ") for user in users if user.startswith(f"{options.agent} "))
    home = str(_real(options.home))
    return [
        f"{folder} (--user)" if folder == home else folder for folder in folders if folder != str(_real(options.base))
    ]


def _addition(piece: Piece, receipts: Receipts, user: str, notices: list[str]) -> SetupChange | None:
    now = _read(piece.path)
    known = receipts.of(piece.path)
    users = [*(known.users if known else []), *([] if known and user in known.users else [user])]
    if now is not None and present(piece, now) and not (known and _has_more(known, piece)):
        receipt = known or replace(receipt_for(piece, now, now), theirs=True)
        return SetupChange(piece.path, now, now, replace(receipt, users=users))
    before = known.undone(now) if known else now
    taken = foreign(piece, before) if before is not None else ""
    if taken:
        notices.append(f"{piece.path} is left alone: {taken}")
        return None
    added = add(piece, before)
    receipt = receipt_for(piece, before, added.text)
    receipt.insertions, receipt.made, receipt.users = added.insertions, added.made, users
    receipt.folders = known.folders if known else []
    return SetupChange(piece.path, now, added.text, receipt)


def _has_more(known: Receipt, piece: Piece) -> bool:
    """Whether an earlier setup added something that is not wanted any more."""
    return not known.theirs and any(entry not in piece.entries for entry in known.entries)


def _removals(receipts: Receipts, user: str, kept: set[str], notices: list[str]) -> list[SetupChange]:
    changes = []
    for name, receipt in receipts.by_path.items():
        if user not in receipt.users or name in kept:
            continue
        others = [each for each in receipt.users if each != user]
        now = _read(Path(name))
        if others:
            changes.append(SetupChange(Path(name), now, now, replace(receipt, users=others)))
            continue
        after = receipt.undone(now)
        if after is not None and receipt.kind == "file" and not receipt.theirs:
            notices.append(f"{name} is kept: it was changed since it was made")
        changes.append(SetupChange(Path(name), now, after))
    return changes


def _without_receipt(piece: Piece) -> SetupChange | None:
    now = _read(piece.path)
    try:
        if now is None or not present(piece, now):
            return None
    except EditRefused:
        return None
    made = [[entry.keys[0]] for entry in piece.entries]
    unknown = Receipt(piece.kind, None, "", made=made, entries=list(piece.entries))
    return SetupChange(piece.path, now, None if piece.kind == "file" else unknown.undone(now))


def _user(options: SetupOptions) -> str:
    return f"{options.agent} {_real(options.base)}"


def _real(path: Path) -> Path:
    """Where a file really is: settings are often links into a folder of dot files."""
    return Path(os.path.realpath(path))


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise EditRefused(f"{path} was left alone: it is not UTF-8 text", "save it as UTF-8 first") from error
    except OSError as error:
        raise EditRefused(f"{path} is left alone: {error.strerror}", "nothing was changed") from error


def _write(change: SetupChange) -> None:
    before, after = change.before, change.after
    if change.action == "create":
        outside.make_folder(change.path.parent)
        outside.create(change.path, (after or "").encode(), outside.PUBLIC_MODE)
    elif change.action == "edit":
        outside.replace(change.path, (before or "").encode(), (after or "").encode())
    elif change.action == "remove":
        outside.remove(change.path, (before or "").encode())
