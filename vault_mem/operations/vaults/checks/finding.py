"""A problem that doctor found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result

Fix = Callable[[], object]


@dataclass(frozen=True)
class Finding(Result, left_out=("fix",)):
    """A problem: its kind, where it is, what it is, and what to do. `fix` does only what is safe without asking."""

    check: str = field(default="", kw_only=True)  # empty: the name of the check that found it
    message: str
    path: str = ""
    line: int | None = None
    hint: str = ""
    severity: str = "warning"
    fix: Fix | None = field(default=None, repr=False, compare=False)


Check = Callable[[Workspace], Iterator[Finding]]
