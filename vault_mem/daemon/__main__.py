"""`python -m vault_mem.daemon ROOT`: the daemon's process, started by a command, a person or the system."""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
from pathlib import Path

from vault_mem.daemon import protocol
from vault_mem.daemon.server import Server

_MODEST = {
    "LANCE_DEFAULT_BATCH_SIZE": "1024",  # folding a table needs a fifth less memory, and no more time
    "OPENBLAS_NUM_THREADS": "1",  # a recall takes a tenth longer, and half the processor; less where cores are busy
}


def main() -> int:
    """Serve one vault."""
    parser = argparse.ArgumentParser(prog="vault-mem daemon")
    parser.add_argument("root", type=Path)
    parser.add_argument("--automatic", action="store_true")
    parser.add_argument("--ready", type=int)
    options = parser.parse_args()
    return serve(options.root, automatic=options.automatic, ready=options.ready)


def serve(root: Path, *, automatic: bool, ready: int | None = None) -> int:
    """Serve one vault in this process until it is told to end."""
    from vault_mem.errors import VaultMemError
    from vault_mem.vault.settings import load_settings

    _be_modest()
    place = protocol.meeting_place(str(root))
    if not place:
        return 1
    try:
        idle = load_settings(root, os.environ).settings.idle_seconds
    except VaultMemError:
        return 1
    return Server(root, place, automatic=automatic, idle_seconds=idle).serve(ready)


def _be_modest() -> None:
    """Few threads, and freed memory back to the system: with a heap for each of many, half of it would stay."""
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    for name, value in _MODEST.items():
        os.environ.setdefault(name, value)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if sys.platform == "linux" and mallopt is not None:
        for option, amount in ((-8, 2), (-1, 1 << 20), (-3, 1 << 18)):  # arenas, trim and mmap thresholds
            mallopt(option, amount)


if __name__ == "__main__":
    sys.exit(main())
