"""Unasked changes that the owner undid, so that they are not repeated for the same text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from vault_mem.vault import machine_folder
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Entry, Transaction
from vault_mem.vault.steps import FileStep
from vault_mem.vault.walk import content_hash

DECLINED = ".vault-mem/declined.jsonl"


def decline(transaction: Transaction, undone: Entry) -> None:
    """Record, as part of an undo, the texts that the undone operation must leave alone from now on."""
    at = transaction.folder.now().isoformat()
    for step in undone.steps:
        if isinstance(step, FileStep) and step.before is not None and transaction.folder.is_note(step.key):
            mark = _mark(undone.command, step.key, content_hash(step.before, len(step.before)))
            transaction.append(DECLINED, json.dumps({"at": at, "command": undone.command, "file": mark}))


def declined_in(folder: Folder) -> Callable[[str, str, str], bool]:
    """A function (command, key, content hash) that tells whether the owner has undone that command for that text."""
    # hashes, which reveal nothing: notes may be private, or purged later
    marks = {str(each["file"]) for each in machine_folder.records(folder.tree, DECLINED) if "file" in each}
    return lambda command, key, digest: bool(marks) and _mark(command, key, digest) in marks


def _mark(command: str, key: str, digest: str) -> str:
    return hashlib.blake2b(f"{command}\0{key}\0{digest}".encode(), digest_size=16).hexdigest()
