"""vault-mem: long-term memory for AI agents, in plain Markdown files.

>>> from vault_mem import Vault
>>> vault = Vault("my-vault")
>>> vault.remember("The standup moved to 3pm").memory.id  # doctest: +SKIP
'mem_651b9d294720'
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

    from vault_mem.errors import VaultMemError
    from vault_mem.library import Vault
    from vault_mem.model import Link, Memory

__version__ = "0.1.0"
__all__ = ["Link", "Memory", "Vault", "VaultMemError", "__version__"]

_HOMES = {
    "Vault": "vault_mem.library",
    "Memory": "vault_mem.model",
    "Link": "vault_mem.model",
    "VaultMemError": "vault_mem.errors",
}


def __getattr__(name: str) -> Any:
    """Load the public names when they are used: a command that needs none of them starts without them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'vault_mem' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
