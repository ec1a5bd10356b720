"""The terminal of this process: what it can show, and long answers a screen at a time.

The client imports this for every command, so whatever is rarely needed is imported late.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class NotWritten(Exception):
    """The answer could not be written, say to a file on a full disk. What the command did is still done."""


def open_streams() -> None:
    """Replace standard streams that the caller closed, so that no socket or file gets their numbers."""
    import sys

    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, number)
            if nowhere != number:
                os.close(nowhere)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


def not_written(error: Exception) -> int:
    """Report that the answer could not be written; returns the exit code. Keeps Python from trying again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    reason = getattr(error, "strerror", None) or error
    hint = "what the command did is done; `vault-mem history` shows what it changed"
    write(2, f"error: the answer could not be written: {reason}\n  {hint}\n".encode())
    return 1


def wants_colour() -> bool:
    """Whether to print in colour (no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def may_page(arguments: Sequence[str]) -> bool:
    """Whether a person reads the answer on this terminal; JSON is for programs."""
    at_terminal = os.name == "posix" and os.isatty(0) and os.isatty(1) and os.environ.get("TERM") != "dumb"
    return at_terminal and "--json" not in arguments


def show(content: bytes) -> None:
    """Write an answer to the terminal; one longer than the screen goes through the user's pager, or `less`."""
    if content.count(b"\n") < _height() or not _paged(content):
        write(1, content)


def write(handle: int, content: bytes | bytearray) -> None:
    """Write all of it, however little the system takes at a time. A failure raises only for stdout, not for stderr."""
    view = memoryview(content)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except BrokenPipeError:
        raise
    except OSError as error:
        if handle == 1:
            raise NotWritten(error.strerror) from error


def _paged(content: bytes) -> bool:
    import shlex
    import shutil
    import signal
    import subprocess

    try:
        command = shlex.split(os.environ.get("PAGER", "less"))
    except ValueError:
        return False
    if not command or command[0] == "cat" or shutil.which(command[0]) is None:
        return False
    env = {"LESS": "FRX", "LESSCHARSET": "utf-8"} | os.environ  # in colour, and the text stays on the screen
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pager handles Ctrl-C
    try:
        subprocess.run(command, input=content, env=env, check=False)
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True


def _height() -> int:
    try:
        return int(os.environ.get("LINES") or os.get_terminal_size(1).lines or 24)
    except (OSError, ValueError):
        return 24
