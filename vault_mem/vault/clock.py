"""The clock by which files become quiet and the daemon waits; VAULT_MEM_PACE makes it run faster, for tests."""

from __future__ import annotations

import os
import time

try:
    _PACE = max(1.0, float(os.environ.get("VAULT_MEM_PACE", "1")))
except ValueError:
    _PACE = 1.0


def monotonic() -> float:
    """Seconds that never go back."""
    return time.monotonic() * _PACE


def since(timestamp: float) -> float:
    """How many seconds ago a file was touched."""
    return (time.time() - timestamp) * _PACE


def real(seconds: float) -> float:
    """Seconds of this clock in real seconds."""
    return seconds / _PACE
