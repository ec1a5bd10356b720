"""The terminal of this process: what it can show, and long answers a screen at a time.

The client asks before every command, so that nothing is imported here but what is needed then.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def wants_colour() -> bool:
    """Whether a terminal is to be given colours (no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def may_page(arguments: Sequence[str]) -> bool:
    """Whether somebody reads the answer here; a document is for a program."""
    at_terminal = os.name == "posix" and os.isatty(0) and os.isatty(1) and os.environ.get("TERM") != "dumb"
    return at_terminal and "--json" not in arguments


def show(content: bytes) -> None:
    """Write an answer to the terminal; through the user's pager, or less, where it is longer than the screen."""
    if content.count(b"\n") < _height() or not _paged(content):
        write(1, content)


def write(handle: int, content: bytes | bytearray) -> None:
    """Write all of it, however little the system takes at a time."""
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


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
    env = {"LESS": "FRX", "LESSCHARSET": "utf-8"} | os.environ  # with colours, and without clearing the screen after
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's
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
