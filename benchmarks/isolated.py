"""Run a benchmark in its own process, folder and environment; nothing of the user's is read or touched."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import tempfile
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.harness import Figure, Setting


def figures_of(module: str, quick: bool) -> Iterator[Figure]:
    """Run one benchmark in its own process and yield its figures as they come. Raises RuntimeError if it fails."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix=f"vault-mem-{module}-", ignore_cleanup_errors=True) as folder:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(module, Setting(Path(folder).resolve(), quick), sender))
        process.start()
        sender.close()
        try:
            while True:
                try:
                    received = receiver.recv()
                except EOFError:
                    break
                if isinstance(received, str):
                    raise RuntimeError(received)
                yield received
        finally:
            process.join()
        if process.exitcode:
            raise RuntimeError(f"its process ended with {process.exitcode}")


def _run(module: str, setting: Setting, sender: Connection) -> None:
    """In the child: send every figure, or the text of what went wrong."""
    environment = clean_environment(setting.folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        for figure in importlib.import_module(f"benchmarks.{module}").run(setting):
            sender.send(figure)
    except Exception:
        sender.send(traceback.format_exc())
    sender.close()


def clean_environment(folder: Path) -> dict[str, str]:
    """The environment with nothing of the user's own vaults, settings or caches in it.

    Bytecode is kept below `folder` too, because compiling modules again would slow down the starts that are measured.
    """
    ours = ("VAULT_MEM_", "XDG_", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    return kept | {
        "HOME": str(home),
        "VAULT_MEM_INDEX_DIR": str(folder / "index"),
        "VAULT_MEM_DAEMON": "off",
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
