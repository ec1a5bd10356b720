"""The daemon's logs, one for each vault: what happened and how long it took, never what was said.

Arguments, input, output and the words of exceptions may quote a memory, so none of them is written at any level.
"""

from __future__ import annotations

import contextlib
import logging
import os
import traceback
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

from vault_mem.redact import Redactor
from vault_mem.vault import machine_folder
from vault_mem.vault.folder import OWN
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, Tree, parent_of

NAME = "vault_mem.daemon"
LOG = f"{OWN}/log/daemon.log"  # older ones have a number after their name
_BYTES, _FILES = 1_000_000, 3


def open_log(root: Path) -> logging.Logger:
    """The log of one vault, kept inside it and readable only by its owner."""
    return _logger(lambda: _Private(Tree(root)))


def open_process_log(address: str) -> logging.Logger:
    """The log of what concerns no vault, beside the socket."""
    path = Path(f"{address}.log")

    def handler() -> logging.Handler:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, PRIVATE_MODE))
        return RotatingFileHandler(path, maxBytes=_BYTES, backupCount=1)

    return _logger(handler)


def close_log(logger: logging.Logger) -> None:
    """Close a log."""
    for handler in logger.handlers:
        handler.close()
    logger.handlers[:] = [logging.NullHandler()]


def _logger(make: Callable[[], logging.Handler]) -> logging.Logger:
    try:
        handler = make()
    except OSError:
        handler = logging.NullHandler()  # a log that cannot be written must not stop anything
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.addFilter(Redactor())  # should anything private ever get into a message
    logger = logging.Logger(NAME, logging.INFO)  # not getLogger, whose logger all vaults would share
    logger.addHandler(handler)
    logging.raiseExceptions = False  # a full disk must not stop anything
    return logger


def place_of(error: BaseException) -> str:
    """The kind of an error and where it was raised; not its words, which may quote a note."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return type(error).__name__ + where


class _Private(logging.StreamHandler[TextIO]):
    """A log that starts over when it gets large, keeping a few older ones; opened like everything in a vault."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        super().__init__(self._open())

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.stream.tell() > _BYTES:
                self._begin_again()
            super().emit(record)
        except (OSError, ValueError):
            return

    def close(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.stream.close()
        super().close()

    def _open(self) -> TextIO:
        machine_folder.read(self._tree, LOG)  # sets aside anything but a regular file
        self._tree.make_folder(parent_of(LOG), PRIVATE_FOLDER_MODE)
        handle = self._tree.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_MODE)
        file = os.fdopen(handle, "a", encoding="utf-8")
        file.seek(0, os.SEEK_END)
        return file

    def _begin_again(self) -> None:
        self.stream.close()
        for number in range(_FILES, 0, -1):
            older = f"{LOG}.{number - 1}" if number > 1 else LOG
            if self._tree.exists(older):
                self._tree.put_over(older, f"{LOG}.{number}")
        self.setStream(self._open())
