"""Imports LanceDB in half the usual time.

It imports the models of a client for remote catalogues, whose package imports the whole client along with them: four
fifths of a second and 14 MB for what nobody calls here. The package is put in place before it has run, and runs when
somebody asks it for more than its models. What makes thousands of classes also makes Python look for garbage hundreds
of times, and there is none.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from contextlib import suppress
from typing import Any

from vault_mem.index.allocators import no_collection

_CLIENT = "lance_namespace_urllib3_client"


def _put_off(name: str) -> None:
    """Install a package that runs when one of its attributes is used; its modules can be imported before that."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None or name in sys.modules:
        return
    module, loader = importlib.util.module_from_spec(spec), spec.loader

    def load(attribute: str) -> Any:
        module.__dict__.pop("__getattr__", None)
        loader.exec_module(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = load
    sys.modules[name] = module


os.environ.setdefault("LANCEDB_LOG", "error")  # its warnings are for developers, not for our users
_put_off(_CLIENT)
with no_collection():
    import lancedb as lancedb


def _wake_by_write() -> None:
    """Have LanceDB's event loop woken by `write`: Codex's sandbox forbids `send`, and asyncio would wait for ever."""
    from lancedb.background_loop import LOOP

    loop: Any = LOOP.loop
    end = getattr(loop, "_csock", None)
    if os.name == "posix" and end is not None:

        def wake() -> None:
            with suppress(OSError):  # full: it is about to wake anyway
                os.write(end.fileno(), b"\0")

        loop._write_to_self = wake


_wake_by_write()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_wake_by_write)  # a new process has a new loop
