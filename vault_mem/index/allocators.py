"""Memory management: pausing garbage collection, and returning freed memory to the system."""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Pause garbage collection while thousands of lasting objects are made: it would run often, and find nothing."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def count_as_old() -> None:
    """Count the objects just made as old: otherwise the next collection would search them all."""
    if not gc.get_freeze_count():  # unfreeze() would also release what set_apart() froze
        gc.freeze()
        gc.unfreeze()


def set_apart() -> None:
    """Collect garbage now; later collections skip everything that is loaded by now.

    Otherwise one recall in a dozen would search all that the process has loaded. A recall makes thousands of objects
    and hardly any cyclic garbage, so the thresholds are raised: with Python's own, it takes a twentieth longer.
    """
    gc.set_threshold(20_000, 20, 50)
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def release_memory() -> None:
    """Return to the system what large reads left in the allocators: it can be more than all memories at hand take."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    try:
        call: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library
        return None
    return call
