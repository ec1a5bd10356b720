"""vault-mem: long-term memory for AI agents, in plain Markdown files.

>>> from vault_mem import Vault
>>> vault = Vault("my-vault")
>>> vault.remember("The standup moved to 3pm").memory.id  # doctest: +SKIP
'mem_651b9d294720'
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would take longer than everything else here
if TYPE_CHECKING:
    from typing import Any

    from vault_mem.errors import (
        Busy,
        Changed,
        Conflict,
        EditRefused,
        InvalidInput,
        ModelNotFound,
        NotFound,
        SecretFound,
        SettingsError,
        Unsafe,
        VaultMemError,
        VaultNotFound,
        WriteFailed,
    )
    from vault_mem.model import Episode, Kind, Link, LinkType, Memory
    from vault_mem.operations.memory.drafts import Draft
    from vault_mem.operations.memory.filters import Filters
    from vault_mem.operations.memory.recall import RecallResult
    from vault_mem.operations.memory.remember import RememberResult
    from vault_mem.operations.memory.results import Found
    from vault_mem.python.awaitable import AsyncVault
    from vault_mem.python.vault import Vault

__version__ = "0.1.0"

# The module that each public name is loaded from; any name not listed is an error class.
_MODULE_OF = {
    "vault_mem.python.vault": ("Vault",),
    "vault_mem.python.awaitable": ("AsyncVault",),
    "vault_mem.model": ("Episode", "Kind", "Link", "LinkType", "Memory"),
    "vault_mem.operations.memory.drafts": ("Draft",),
    "vault_mem.operations.memory.filters": ("Filters",),
    "vault_mem.operations.memory.recall": ("RecallResult",),
    "vault_mem.operations.memory.remember": ("RememberResult",),
    "vault_mem.operations.memory.results": ("Found",),
}
__all__ = [
    "AsyncVault",
    "Busy",
    "Changed",
    "Conflict",
    "Draft",
    "EditRefused",
    "Episode",
    "Filters",
    "Found",
    "InvalidInput",
    "Kind",
    "Link",
    "LinkType",
    "Memory",
    "ModelNotFound",
    "NotFound",
    "RecallResult",
    "RememberResult",
    "SecretFound",
    "SettingsError",
    "Unsafe",
    "Vault",
    "VaultMemError",
    "VaultNotFound",
    "WriteFailed",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that commands that need none of them start faster."""
    if name not in __all__:
        raise AttributeError(f"module 'vault_mem' has no attribute {name!r}")
    import importlib

    home = next((home for home, names in _MODULE_OF.items() if name in names), "vault_mem.errors")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
