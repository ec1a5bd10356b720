"""Receipts: what setup added where, so that it can be removed exactly. They contain none of the owner's text."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vault_mem.errors import VaultMemError
from vault_mem.setup.pieces import Addition, Piece, without_piece
from vault_mem.vault import outside
from vault_mem.vault.jsonc import Insertion


@dataclass
class Receipt:
    """One file's receipt: the insertions, the hashes before and after, the folders made for it, and who needs it.

    `theirs`: the owner already had what we would have added, so it stays.
    """

    kind: str
    before: str | None
    after: str
    insertions: list[Insertion] = field(default_factory=list)
    made: list[list[str]] = field(default_factory=list)
    entries: list[Addition] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    theirs: bool = False

    def undone(self, text: str | None) -> str | None:
        """The file's text without ours: as it was before, or with the owner's edits since. None: no file."""
        if text is None or self.theirs:
            return text
        now = digest(text)
        if now == self.before:
            return text
        if now == self.after:
            for offset, piece in reversed(self.insertions):
                text = text[:offset] + text[offset + len(piece) :]
            return None if self.before is None else text
        if self.kind == "file":
            return text
        left = without_piece(self.kind, self.entries, self.made, text)
        bare = "".join(left.split()).strip("\ufeff")
        return None if self.before is None and bare in ("", "{}") else left


class Receipts:
    """All receipts of this user, by the file's path."""

    def __init__(self, env: Mapping[str, str]) -> None:
        home = env.get("HOME") or str(Path.home())
        state = Path(env.get("XDG_STATE_HOME") or Path(home, ".local/state"))
        self.path = state / "vault-mem" / "setup.json"
        self._raw: bytes | None = None
        self._folders: list[str] = []
        self.by_path: dict[str, Receipt] = {}
        try:
            self._raw = self.path.read_bytes()
            record = json.loads(self._raw)
            self._folders = record["folders"]
            self.by_path = {path: _receipt(each) for path, each in record["files"].items()}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise VaultMemError(
                f"{self.path} cannot be read: {error}",
                "it records what setup added; move it away to continue without it",
            ) from error

    def of(self, path: Path) -> Receipt | None:
        """The receipt of a file."""
        return self.by_path.get(str(path))

    def save(self) -> None:
        """Save them, before the files themselves, so that a crash in between loses nothing."""
        if self.by_path and self._raw is None:
            self._folders = missing(self.path.parent)
            outside.make_folder(self.path.parent, 0o700)
        record = {"folders": self._folders, "files": {path: asdict(each) for path, each in self.by_path.items()}}
        new = json.dumps(record, ensure_ascii=False, indent=1).encode()
        if self.by_path and self._raw is None:
            outside.create(self.path, new, outside.PRIVATE_MODE)
        elif self.by_path and self._raw not in (None, new):
            outside.replace(self.path, self._raw or b"", new)
        elif not self.by_path and self._raw is not None:
            outside.remove(self.path, self._raw)
            remove_folders(self._folders)
        self._raw = new if self.by_path else None


def missing(folder: Path) -> list[str]:
    """The folders that must be created for this one, the innermost first."""
    return [str(each) for each in (folder, *folder.parents) if not each.exists()]


def remove_folders(folders: list[str]) -> None:
    """Remove folders that are empty."""
    for folder in folders:
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def receipt_for(piece: Piece, before: str | None, after: str) -> Receipt:
    """A receipt without insertions, which the caller fills in."""
    return Receipt(piece.kind, None if before is None else digest(before), digest(after), entries=list(piece.entries))


def digest(text: str) -> str:
    """A hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _receipt(record: dict[str, Any]) -> Receipt:
    values = dict(record)
    values["insertions"] = [(int(offset), str(piece)) for offset, piece in values["insertions"]]
    values["entries"] = [
        Addition(tuple(each["keys"]), each["value"], each["append"], each["weak"]) for each in values["entries"]
    ]
    return Receipt(**values)
