"""Revisions: what a memory said before and after each change, append-only, apart from the undo journal."""

from __future__ import annotations

import json

from vault_mem.vault.journal import Transaction


def record(transaction: Transaction, memory_id: str, key: str, before: bytes, after: bytes, reason: str) -> None:
    """Add a revision of one memory to a transaction, so that it is written together with the change."""
    now = transaction.folder.now()
    line = {
        "id": memory_id,
        "at": now.isoformat(),
        "command": transaction.command,
        "reason": reason,
        "before": before.decode(errors="replace"),
        "after": after.decode(errors="replace"),
        "evidence": [],
    }
    transaction.append(transaction.folder.history_key(key, now), json.dumps(line, ensure_ascii=False).encode() + b"\n")
