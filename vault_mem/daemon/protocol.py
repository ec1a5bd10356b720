"""What client and daemon say to each other, and where. Every command imports this, so it imports next to nothing.

A message is one letter, the length of its content in four bytes, and the content.
"""

from __future__ import annotations

import os
import sys

from vault_mem import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket  # noqa: N812 - a type here
    from collections.abc import Mapping

# From the client.
REQUEST, CONTROL, STDIN, CANCEL = b"R", b"K", b"S", b"C"
# The words of a CONTROL, followed by the vault that is meant and the sender's environment. INBOX says that a hook has
# left something in the vault's inbox, and is not answered; STOP without a vault ends the process.
STATUS, KEEP, STOP, INBOX = "status", "keep", "stop", "inbox"
# From the daemon. Nothing has been done for a request before ACCEPTED, nor if another answer comes instead of it.
ACCEPTED, OTHER_VERSION, ENDING = b"A", b"V", b"B"
STDOUT, STDERR, WANT_STDIN, EXIT = b"O", b"E", b"I", b"X"

CHUNK = 65_536
# The system's limit for a socket's path: 108 bytes on Linux, 104 on macOS, the final zero included.
LONGEST_PATH = 100
_LONGEST_MESSAGE = 1 << 30
# What a command sees of its client's environment: our own settings, what git signs with, credentials of a store.
_FORWARDED = (b"VAULT_MEM_", b"XDG_", b"LC_", b"HF_", b"GIT_AUTHOR_", b"GIT_COMMITTER_", b"AWS_", b"AZURE_", b"GOOGLE_")
_FORWARDED_WHOLE = (b"HOME", b"TZ", b"LANG", b"PATH", b"USER", b"NO_COLOR", b"TMPDIR", b"SSH_AUTH_SOCK", b"GNUPGHOME")
# The file in a vault that says which daemon has it open; the daemon holds its lock for as long.
LIFE_LOCK = ".vault-mem/daemon.lock"
# The end of the address of a daemon that a sandboxed process started, for other sandboxed processes.
NARROWED = "-s"


def message(kind: bytes, content: bytes = b"") -> bytes:
    """One message as bytes."""
    return kind + len(content).to_bytes(4, "big") + content


class Messages:
    """The messages that arrive on a socket, one after the other."""

    def __init__(self, connection: Socket) -> None:
        self._connection = connection
        self._held = bytearray()
        self.ended = False

    def next(self) -> tuple[bytes, bytes] | None:
        """The next message, or None if the other side is gone (`ended`) or silent for too long."""
        head = self._take(5)
        if head is None:
            return None
        length = int.from_bytes(head[1:], "big")
        if length > _LONGEST_MESSAGE:
            return None
        content = self._take(length)
        return None if content is None else (head[:1], content)

    def _take(self, count: int) -> bytes | None:
        while len(self._held) < count:
            try:
                part = self._connection.recv(CHUNK)
            except TimeoutError:
                return None
            except ConnectionError:
                part = b""
            if not part:
                self.ended = True
                return None
            self._held += part
        taken = bytes(self._held[:count])
        del self._held[:count]
        return taken


def request(version: str, id_: str, arguments: list[str], width: int, terminal: str) -> bytes:
    """A command line with its surroundings, joined by zero bytes, which none of its parts can contain.

    `terminal` has an `i` if stderr is a terminal, a `t` if stdout is one, a `c` if the answer may be in colour, and an
    `l` if links in it can be clicked.
    """
    environment = forwarded(os.environb)
    head = [version, id_, os.getcwd(), str(width), terminal, str(len(environment))]  # noqa: PTH109
    parts = [*map(os.fsencode, head), *environment, *map(os.fsencode, arguments)]
    return message(REQUEST, b"\0".join(parts))


def control(word: str, root: str = "", env: Mapping[str, str] | None = None) -> bytes:
    """A CONTROL message about the daemon itself, or about one vault."""
    raw = {os.fsencode(name): os.fsencode(value) for name, value in (env or {}).items()}
    about = [os.fsencode(root), *forwarded(raw)] if root else []
    return message(CONTROL, b"\0".join([word.encode(), *about]))


def forwarded(environment: Mapping[bytes, bytes]) -> list[bytes]:
    """The part of an environment that is sent to the daemon, as `NAME=VALUE`."""
    return [
        name + b"=" + value
        for name, value in environment.items()
        if name.startswith(_FORWARDED) or name in _FORWARDED_WHOLE
    ]


def runtime_folder(env: Mapping[str, str] = os.environ) -> str:
    """The user's own folder for sockets, closed to everyone else; empty if none can be made."""
    named = env.get("VAULT_MEM_RUNTIME_DIR")
    system = env.get("XDG_RUNTIME_DIR")
    folders = [named, system and f"{system}/vault-mem", f"/tmp/vault-mem-{os.getuid()}"]
    for folder in folders:
        if folder and len(os.fsencode(folder)) + 24 <= LONGEST_PATH:
            if _is_ours(folder):
                return folder
            if folder == named:
                break  # try no other folder: a daemon there is not the one that was meant
    return ""


def _is_ours(folder: str) -> bool:
    try:
        os.mkdir(folder, 0o700)  # noqa: PTH102
    except FileExistsError:
        pass
    except OSError:
        return False
    found = os.lstat(folder)
    return found.st_mode & 0o170077 == 0o040000 and found.st_uid == os.getuid()


def address_for(root: str, env: Mapping[str, str] = os.environ) -> str:
    """Where to ask about a vault, without `.sock`; empty if no daemon can be reached."""
    return next(iter(addresses(root, env)), "")


def addresses(root: str, env: Mapping[str, str] = os.environ) -> list[str]:
    """The addresses to try for a vault: that of the daemon that says it has it open, if any, then our own."""
    own = own_address(env)
    told = _told_address(root, os.path.dirname(own)) if own else ""  # noqa: PTH120
    return [address for address in (told, own) if address]


def own_address(env: Mapping[str, str] = os.environ) -> str:
    """Where this installation's daemon listens: each has its own, as versions differ and one may be deleted."""
    folder = runtime_folder(env)
    package = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    return f"{folder}/{key(f'{sys.prefix}:{package}')}" if folder else ""


def key(text: str) -> str:
    """A short name for a path."""
    try:
        from _blake2 import blake2b
    except ImportError:  # hashlib takes longer to import than a connection takes
        from hashlib import blake2b
    return blake2b(os.fsencode(text), digest_size=8).hexdigest()


def _told_address(root: str, folder: str) -> str:
    """The address of a daemon of our version, of any installation, that says it has the vault open."""
    handles = [-1]
    try:  # part by part, as `Tree` opens files, which would take too long to load
        handles.append(os.open(root, os.O_RDONLY))
        for part in LIFE_LOCK.split("/"):
            handles.append(os.open(part, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=handles[-1]))
        told = os.fsdecode(os.read(handles[-1], 4096))
    except OSError:
        return ""
    finally:
        for handle in handles[1:]:
            os.close(handle)
    name, end, _ = told.partition(f'"place": "{folder}/')[2].partition('"')
    known = end and len(name) == 16 and name.isalnum() and f'"version": "{__version__}"' in told
    return f"{folder}/{name}" if known else ""


def peer_uid(connection: Socket) -> int:
    """The user at the other end of a unix socket; -1 if the system does not say."""
    if sys.platform == "linux":
        return int.from_bytes(connection.getsockopt(1, 17, 12)[4:8], sys.byteorder)  # SOL_SOCKET, SO_PEERCRED: pid, uid
    import ctypes

    uid, gid = ctypes.c_uint(), ctypes.c_uint()
    call = getattr(ctypes.CDLL(None), "getpeereid", None)
    if call is None or call(connection.fileno(), ctypes.byref(uid), ctypes.byref(gid)):
        return -1
    return uid.value
