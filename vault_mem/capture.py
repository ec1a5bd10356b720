"""`vault-mem capture` as a hook calls it: leave the hook's input in the vault's inbox, and let the agent go on.

Nothing is parsed here; the daemon or the next command takes it in later (`operations/sessions/`). Almost nothing is
imported, so that it takes no longer than Python takes to start. A hook must never disturb its session: whatever goes
wrong, this exits silently with 0.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# An agent waits for its hooks: an open pipe or a hanging disk must not delay it longer.
_MOST_SECONDS = 2
_MOST_BYTES = 4_000_000
INBOX = ".vault-mem/inbox"


def main(arguments: list[str], find: Callable[[str], str], poke: Callable[[str], None]) -> int:
    """Leave a hook's input in the inbox; always returns 0."""
    try:
        give_up_in_time()
        agent, named = _options(arguments)
        root = find(named)
        if root:
            _hand_over(root, f"{agent}\n{os.getcwd()}\n".encode(errors="surrogateescape") + _said())  # noqa: PTH109
            poke(root)
    except Exception:
        pass
    return 0


def give_up_in_time() -> None:
    """Exit with 0 after a moment, whatever this process is waiting for."""
    if os.name == "posix":
        import _signal

        _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
        _signal.alarm(_MOST_SECONDS)


def _options(arguments: list[str]) -> tuple[str, str]:
    """The agent and the vault that the command line names."""
    found = {"--agent": "", "--vault": ""}
    rest = iter(arguments)
    for argument in rest:
        name, sign, value = argument.partition("=")
        if name in found:
            found[name] = value if sign else next(rest, "")
    return found["--agent"], found["--vault"]


def _said() -> bytes:
    parts: list[bytes] = []
    left = _MOST_BYTES
    while left > 0 and (part := os.read(0, min(left, 65_536))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _hand_over(root: str, content: bytes) -> None:
    try:
        _leave(root, INBOX, content)
    except OSError:  # a sandbox, or a full disk
        base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")  # noqa: PTH111
        inbox = f"{base}/vault-mem/inbox"
        os.makedirs(inbox, 0o700, exist_ok=True)  # noqa: PTH103
        _leave(inbox, "", os.fsencode(root) + b"\n" + content)


def _leave(root: str, below: str, content: bytes) -> None:
    """Write to a temporary name, then rename: no reader sees half a file. Follows no links in the vault (SPEC S-1)."""
    from time import time_ns

    links = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)
    name = f"{time_ns():020d}-{os.getpid()}"
    if os.name != "posix":
        folder = os.path.join(root, below)  # noqa: PTH118
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        with open(os.path.join(folder, name + ".new"), "xb") as file:  # noqa: PTH118, PTH123
            file.write(content)
        os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name + ".in"))  # noqa: PTH104, PTH118
        return
    handle = os.open(root, os.O_RDONLY)
    for part in below.split("/") if below else ():
        try:  # noqa: SIM105 - importing contextlib would be half of the startup time
            os.mkdir(part, 0o700, dir_fd=handle)
        except FileExistsError:
            pass
        handle = os.open(part, os.O_RDONLY | links, dir_fd=handle)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    file_handle = os.open(name + ".new", flags, 0o600, dir_fd=handle)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(file_handle, view) :]
        os.rename(name + ".new", name + ".in", src_dir_fd=handle, dst_dir_fd=handle)
    except OSError:
        os.unlink(name + ".new", dir_fd=handle)
        raise
