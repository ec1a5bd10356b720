"""`python -m vault_mem.daemon [VAULT …]`: the daemon's process, started by a command, a person or the system."""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import sys
from collections.abc import Sequence

from vault_mem.daemon import protocol
from vault_mem.daemon.server import Server

_MODEST = {
    "LANCE_DEFAULT_BATCH_SIZE": "1024",  # compacting a table needs a fifth less memory, and no more time
    "OPENBLAS_NUM_THREADS": "1",  # a recall takes a tenth longer but half the CPU time, and less time on busy cores
}
_FILES = 16_384  # open files; each vault needs a dozen


def main() -> int:
    """Serve the vaults of a user."""
    parser = argparse.ArgumentParser(prog="vault-mem daemon")
    parser.add_argument("roots", nargs="*", metavar="VAULT", help="opened at once, and kept open")
    parser.add_argument("--address", help="where to listen")
    parser.add_argument("--ready", type=int)
    options = parser.parse_args()
    return serve(options.roots, options.address or protocol.own_address(), ready=options.ready)


def serve(keep: Sequence[str], address: str, *, ready: int | None = None) -> int:
    """Serve in this process until it is told to end."""
    be_modest()
    _allow_many_files()
    return Server(address, os.environ).serve(ready, keep) if address else 1


def be_modest() -> None:
    """Use few threads and return freed memory to the system: many threads, each with a heap, would keep half of it."""
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    for name, value in _MODEST.items():
        os.environ.setdefault(name, value)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if sys.platform == "linux" and mallopt is not None:
        for option, amount in ((-8, 2), (-1, 1 << 20), (-3, 1 << 18)):  # arenas, trim and mmap thresholds
            mallopt(option, amount)


def _allow_many_files() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


if __name__ == "__main__":
    os._exit(main())  # at once: the next command recovers what a thread has not finished, as after a crash
