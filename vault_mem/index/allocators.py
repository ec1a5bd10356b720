"""Giving memory back to the system."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable

import pyarrow as pa


def release_memory() -> None:
    """Give back what large reads have left in the allocators: more than all the memories at hand take."""
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
