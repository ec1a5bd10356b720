"""Imports LanceDB in half the usual time.

It imports a client for remote catalogues, with all its models: a second and 20 MB for something we never call. Here,
both packages run only when somebody asks for one of their attributes. Garbage collection is paused: making thousands of
classes would start it hundreds of times for nothing. And the check for missing `@override`s, which reads the bytecode
of LanceDB's classes before Python 3.12, is left out.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakSet

from vault_mem.errors import Unsafe
from vault_mem.index.allocators import count_as_old, no_collection

_CLIENT = "lance_namespace_urllib3_client"
_MODELS = f"{_CLIENT}.models"


class _StandIn(type):
    """Stands for a model in LanceDB's modules, and passes everything on to the real one."""

    def _real(cls) -> Any:
        return getattr(sys.modules[_MODELS], cls.__name__)

    def __call__(cls, *given: Any, **options: Any) -> Any:
        return cls._real()(*given, **options)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls._real(), name)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls._real())


def _put_off(name: str) -> None:
    """Install a package whose code runs only when one of its attributes is used."""
    spec = None
    with suppress(ModuleNotFoundError):  # another release of LanceDB may do without it
        spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None or name in sys.modules:
        return
    module, loader = importlib.util.module_from_spec(spec), spec.loader

    def load(attribute: str) -> Any:
        if attribute.startswith("__"):  # the import itself looks for these
            raise AttributeError(attribute)
        if _importing:
            return _StandIn(attribute, (), {})
        module.__dict__.pop("__getattr__", None)
        loader.exec_module(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = load
    sys.modules[name] = module
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)


def _show_models() -> None:
    """Give the real models to anybody else who imports them from the catalogues' package."""
    package: Any = sys.modules.get("lance_namespace")
    stand_ins = [name for name, value in vars(package).items() if isinstance(value, _StandIn)] if package else []
    for name in stand_ins:
        delattr(package, name)
    if stand_ins:
        package.__getattr__ = lambda name: getattr(sys.modules[_MODELS], name)


os.environ.setdefault("LANCEDB_LOG", "error")  # its warnings are for developers, not for our users
# It warns in every forked child, even one without a vault. A child that opens one gets our error from `connect`.
warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
_importing = True
_put_off(_CLIENT)
_put_off(_MODELS)
_at_exit: list[Any] = []  # LanceDB's exit handlers that end its threads
_register = atexit.register


def _noted(act: Any, *given: Any, **options: Any) -> Any:
    if getattr(act, "__name__", "") == "shutdown_runtime":
        _at_exit.append(act)
    return _register(act, *given, **options)


@contextmanager
def _unchecked() -> Iterator[None]:
    """Leave out the checks of LanceDB's own overriding methods, as it does itself from Python 3.12 on."""
    there, stand_in = sys.modules.get("overrides"), ModuleType("overrides")
    stand_in.__dict__.update(override=lambda method: method, EnforceOverrides=object)
    sys.modules["overrides"] = stand_in
    try:
        yield
    finally:
        del sys.modules["overrides"]
        if there:
            sys.modules["overrides"] = there


atexit.register = _noted  # type: ignore[assignment]
try:
    with no_collection(), _unchecked():
        import lancedb as lancedb

        count_as_old()
    _show_models()
finally:
    _importing = False
    atexit.register = _register


def _wake_by_write() -> None:
    """Wake LanceDB's event loop by `write`: Codex's sandbox forbids `send`, and asyncio would wait for ever."""
    from lancedb.background_loop import LOOP

    loop: Any = LOOP.loop
    end = getattr(loop, "_csock", None)
    if os.name == "posix" and end is not None:

        def wake() -> None:
            with suppress(OSError):  # full: it is about to wake anyway
                os.write(end.fileno(), b"\0")

        loop._write_to_self = wake


def connect(holder: object, folder: Path, session: Any) -> Any:
    """Connect to LanceDB in a folder. `holder` is the object that will own whatever comes from the connection."""
    global _used
    if _forked:
        refuse()
    _used = True
    _holders.add(holder)
    return lancedb.connect(folder, session=session)


def refuse() -> None:
    """Refuse to work in the child of a process that had used LanceDB: half of the time it would hang or crash."""
    raise Unsafe(
        "this process was forked from one that had used a vault: LanceDB cannot be used in it",
        "use vaults after the fork alone, or start processes by spawn or forkserver",
    )


def _note_fork() -> None:
    """Keep the child of a fork from freeing or ending what LanceDB made: it would wait for threads it does not have.

    A process that has only imported LanceDB has no such threads, so its child may use it.
    """
    import ctypes

    global _forked
    if not _used:
        return
    _forked = True
    for each in _at_exit:
        atexit.unregister(each)
    for holder in [*_holders]:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(holder))


_used = _forked = False
_holders: WeakSet[object] = WeakSet()
_wake_by_write()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)
