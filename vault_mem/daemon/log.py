"""The daemon's log: what happened and how long it took, never what was said.

Arguments, input, output and the words of exceptions may quote a memory, so none of them is written at any level.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import traceback
from pathlib import Path

from vault_mem.redact import Redactor

NAME = "vault_mem.daemon"
_BYTES, _FILES = 1_000_000, 3


def log_file(root: Path) -> Path:
    """The log that is being written; older ones have a number behind their name."""
    return root / ".vault-mem" / "log" / "daemon.log"


def open_log(root: Path) -> logging.Logger:
    """Write the log of this process there, readable by its owner alone."""
    path = log_file(root)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = _Private(path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.addFilter(Redactor())  # there is nothing to redact; so it stays
    logger = logging.getLogger(NAME)
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logging.raiseExceptions = False  # a full disk must not stop anything
    return logger


def place_of(error: BaseException) -> str:
    """The kind of an error and where it was raised; not its words, which may quote a note."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return type(error).__name__ + where


class _Private(logging.handlers.RotatingFileHandler):
    def _open(self):  # type: ignore[no-untyped-def]  # noqa: ANN202
        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=_opener)


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
