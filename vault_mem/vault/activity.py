"""The activity log: which memories were active together, and how often.

It belongs to this machine and holds only ids. Losing it may reorder results but loses no memory (SPEC V-1). So it
is written with a plain append, without the journal, and a line that cannot be read is passed over.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from typing import Any

from vault_mem.errors import VaultMemError
from vault_mem.vault import files, machine_folder
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE

KEY = ".vault-mem/activity.jsonl"
# What being active together once adds to a connection (SPEC C-1), and the most that this can add up to.
STEP = 0.1
STRONGEST = 1.0
# Above this size, the lines of each pair are added up into one.
COMPACT_BYTES = 1_000_000

Pair = tuple[str, str]


def pair_of(one: str, other: str) -> Pair:
    """Two ids in a fixed order, so that (a, b) and (b, a) are the same connection."""
    return (one, other) if one <= other else (other, one)


def strengthen(folder: Folder, pairs: Iterable[Pair]) -> int:
    """Strengthen the connections between these memories; returns how many. The caller holds the vault for writing."""
    at = folder.now().isoformat(timespec="seconds")
    lines = [_line({"pair": [*pair_of(*pair)], "by": STEP, "at": at}) for pair in pairs]
    if not lines:
        return 0
    _append(folder, "".join(lines))
    found = folder.tree.stat(KEY)
    if found and found.st_size > COMPACT_BYTES:
        _compact(folder)
    return len(lines)


def note_block(folder: Folder) -> None:
    """Count a text that the guard refused; a failure to count is ignored."""
    with contextlib.suppress(VaultMemError):
        _append(folder, _line({"blocked": 1, "at": folder.now().isoformat(timespec="seconds")}))


def blocks(folder: Folder) -> int:
    """How many texts the guard has refused."""
    return (machine_folder.read(folder.tree, KEY) or b"").count(b'"blocked"')


def strengths(folder: Folder) -> dict[Pair, float]:
    """How strong each connection is, 0 to 1, by the sorted pair of ids."""
    return {pair: round(min(total, STRONGEST), 6) for pair, (total, _) in _sums(folder)[0].items()}


def _sums(folder: Folder) -> tuple[dict[Pair, tuple[float, str]], list[str]]:
    """The sum and last activity of every pair, and the lines about anything else."""
    sums: dict[Pair, tuple[float, str]] = {}
    others: list[str] = []
    for line in (machine_folder.read(folder.tree, KEY) or b"").decode(errors="replace").splitlines():
        try:
            record = json.loads(line)
            one, other = record["pair"]
            by, at = float(record["by"]), str(record["at"])
        except (ValueError, TypeError):
            continue  # cut short by a crash, or not ours
        except KeyError:
            others.append(line)
            continue
        pair = pair_of(str(one), str(other))
        total, last = sums.get(pair, (0.0, ""))
        sums[pair] = (total + by, max(last, at))
    return sums, others


def _compact(folder: Folder) -> None:
    """Rewrite the log with one line for each pair; lines about anything else stay."""
    sums, others = _sums(folder)
    lines = [
        _line({"pair": [*pair], "by": round(min(total, STRONGEST), 6), "at": at}) for pair, (total, at) in sums.items()
    ]
    before = machine_folder.read(folder.tree, KEY) or b""
    files.replace(folder.tree, KEY, before, "".join([*(line + "\n" for line in others), *lines]).encode())


def _append(folder: Folder, lines: str) -> None:
    machine_folder.read(folder.tree, KEY)  # moves anything that is not a regular file out of the way
    files.make_folder(folder.tree, OWN, PRIVATE_FOLDER_MODE)
    files.append(folder.tree, KEY, lines.encode(), PRIVATE_MODE)


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"
