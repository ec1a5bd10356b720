"""`vault-mem` as the shell calls it: a thin client that hands the command line to the daemon.

A command takes as long as Python takes to start, so nothing heavy is imported here: no click, no json, not even
`socket`. What the daemon cannot do runs in this process (`vault_mem.cli.main`), and without a daemon everything does.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # importing typing would be a tenth of the startup time
if TYPE_CHECKING:
    from _socket import socket as Socket  # noqa: N812 - a type here
    from collections.abc import Mapping

    from vault_mem.daemon.protocol import Messages

_ACCEPT_SECONDS = 10.0
_HELP = ("--help", "-h")
_waiting_for_input = False
_input_sent: list[bytes] = []  # kept in case the daemon dies: stdin cannot be read twice


class _Lost(Exception):
    """The daemon took the request and died before it answered."""


class _NotTaken(Exception):
    """The daemon did not take the request: nothing has been done."""


def main() -> int:
    """Run the command line of this process; returns the exit code."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from vault_mem.cli.screen import open_streams

        open_streams()
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from vault_mem import __version__

        os.write(1, f"vault-mem {__version__}\n".encode())
        return 0
    if arguments[:1] == ["git-merge"] and not any(each in _HELP for each in arguments):
        from vault_mem.merge_driver import main as merge

        return merge(arguments[1:])
    if arguments[:1] == ["capture"] and not any(each in _HELP for each in arguments) and not os.isatty(0):
        from vault_mem.capture import main as capture

        return capture(arguments[1:], _find, _poke)
    hint = arguments[:1] == ["hint"] and "--hook" in arguments
    if hint:
        from vault_mem.capture import give_up_in_time

        give_up_in_time()  # the user's prompt waits for this hook
    root = "" if os.environ.get("VAULT_MEM_DAEMON") == "off" or os.name != "posix" else _vault_for(arguments)
    if not root:
        return _in_process(arguments)
    request = os.urandom(8).hex()
    try:
        return _through_daemon(root, arguments, request)
    except _NotTaken:
        return 0 if hint else _in_process(arguments, request)  # a hint would take too long here
    except _Lost:
        from vault_mem.cli.after_crash import resume

        return resume(root, arguments, request, b"".join(_input_sent))
    except KeyboardInterrupt:  # before the daemon took the request; it notices that we are gone
        os.write(2, b"error: Stopped.\n")
        return 130


def _in_process(arguments: list[str], request: str = "") -> int:
    gc.set_threshold(20_000, 20, 50)  # a command leaves hardly any reference cycles to collect
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # starting and stopping more threads costs more than they save
    from vault_mem.cli.main import main as run

    try:
        return run(arguments, request)
    finally:
        gc.collect()  # closes what is still open; frozen objects are not scanned again when Python shuts down
        gc.freeze()


def _vault_for(arguments: list[str]) -> str:
    """The vault whose daemon can run this command; empty if it must run in this process. The daemon checks again."""
    named, words = "", []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            break
        if argument == "--vault":
            value = next(rest, "")
            named = named or value  # if several are named, the first is the main one
        elif argument.startswith("--vault="):
            named = named or argument[8:]
        elif not argument.startswith("-"):
            words.append(argument)
    command = words[0] if words else ""
    from vault_mem.register import COMMANDS

    here = command in COMMANDS and COMMANDS[command].here
    if command == "edit" and any(each.startswith(("--content", "--set")) for each in arguments):
        here = False  # it needs no editor
    if command == "recall" and ("-i" in arguments or "--interactive" in arguments):
        here = True
    may_ask = "--yes" not in arguments and ("--purge" in arguments or words == ["undo"])
    if here or (may_ask and os.isatty(0)):
        return ""
    try:
        return _find(named)
    except (OSError, ValueError):
        return ""


def _find(named: str) -> str:
    """Like `vault.find`, but with only a few system calls; empty if there is no vault or it is unclear which."""
    path = os.path
    cwd = os.getcwd()  # noqa: PTH109
    named = named or os.environ.get("VAULT_MEM_VAULT", "")
    if not named:
        folder = _above(cwd)
        from vault_mem.vault.worktree import in_main_checkout

        main = in_main_checkout(folder or cwd)
        if main and (not folder or path.isfile(path.join(main, "vault-mem.toml"))):
            folder = _above(main)
        if folder:
            return path.realpath(folder)
        named = _default_vault()
    folder = path.join(cwd, path.expanduser(named)) if named else ""
    return path.realpath(folder) if folder and path.isfile(path.join(folder, "vault-mem.toml")) else ""


def _above(folder: str) -> str:
    """The vault around a folder, recognised by its vault-mem.toml; empty if there is none."""
    path = os.path
    while not path.isfile(path.join(folder, "vault-mem.toml")):
        above = path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder


def _default_vault() -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    if not os.path.isfile(f"{base}/vault-mem/config.toml"):  # noqa: PTH113
        return ""
    from vault_mem.errors import VaultMemError
    from vault_mem.vault.find import default_vault
    from vault_mem.vault.settings import load_settings

    try:
        return default_vault(load_settings(None, os.environ).settings)
    except VaultMemError:
        return ""


def _through_daemon(root: str, arguments: list[str], request: str) -> int:
    only_if_warm = not arguments or any(each in _HELP for each in arguments)
    for _ in range(3):  # a daemon of another version, or one about to exit, is replaced
        connection, address = reach(root)
        if connection is None:
            address = "" if only_if_warm else starting_address()
            if not address:
                raise _NotTaken
            from vault_mem.daemon.start import start

            if not start(address):
                raise _NotTaken
            connection = connect(address)
        if connection is not None:
            code = _ask(connection, arguments, request)
            if code is not None:
                return code
            from vault_mem.daemon.start import await_end

            await_end(address)
    raise _NotTaken


def reach(root: str) -> tuple[Socket | None, str]:
    """A connection to the daemon for a vault, and its address; None if there is no daemon."""
    from vault_mem.daemon import protocol

    addresses = protocol.addresses(root)
    if os.environ.get("VAULT_MEM_DAEMON") == "on":
        addresses += [starting_address()]
    for address in filter(None, dict.fromkeys(addresses)):
        connection = connect(address)
        if connection is not None:
            return connection, address
    return None, ""


def starting_address(env: Mapping[str, str] = os.environ) -> str:
    """The address at which this process may start a daemon; empty if it must not start one.

    A sandboxed process must not start the daemon that serves everyone. If the user insists (VAULT_MEM_DAEMON=on), it
    starts one that serves only sandboxed processes.
    """
    from vault_mem.daemon import protocol

    own = protocol.own_address(env)
    if not own or not _narrowed():
        return own
    return own + protocol.NARROWED if env.get("VAULT_MEM_DAEMON") == "on" else ""


def _narrowed() -> bool:
    """Whether this process is sandboxed: its daemon would serve everyone with fewer rights, and might die with it.

    Agents' sandboxes set NoNewPrivs. A seccomp filter counts only if process 1 has none: in a container, all have one.
    """
    try:
        with open("/proc/self/status", "rb") as file:  # noqa: PTH123
            status = file.read()
        with open("/proc/1/status", "rb") as file:  # noqa: PTH123
            first = file.read()
    except OSError:
        return False
    filtered = b"\nSeccomp:\t2" in status and b"\nSeccomp:\t2" not in first
    return filtered or b"\nNoNewPrivs:\t1" in status


def _poke(root: str) -> None:
    """Tell a running daemon that something is in the vault's inbox, without waiting for an answer."""
    if os.environ.get("VAULT_MEM_DAEMON") == "off" or os.name != "posix":
        return
    connection, _ = reach(root)
    if connection is not None:
        from vault_mem.daemon import protocol

        connection.sendall(protocol.control(protocol.INBOX, root, os.environ))
        connection.close()


def connect(address: str) -> Socket | None:
    """A connection to the daemon that listens there, if it belongs to our user; else None."""
    from _socket import AF_UNIX, SOCK_STREAM, socket

    from vault_mem.daemon.protocol import peer_uid

    try:
        connection = socket(AF_UNIX, SOCK_STREAM)
    except OSError:
        return None  # Claude Code's sandbox allows no such sockets
    try:
        connection.settimeout(_ACCEPT_SECONDS)
        connection.connect(address + ".sock")
        if peer_uid(connection) in (os.getuid(), -1):
            return connection
    except OSError:
        pass
    connection.close()
    return None


def _terminal() -> str:
    """What the terminal can do, in the letters that `protocol.request` explains."""
    from vault_mem.cli.screen import wants_colour

    links = answer = os.isatty(1)
    if links:
        from vault_mem.visible import shows_links

        links = shows_links(os.environ)
    return "i" * os.isatty(2) + "t" * answer + "c" * wants_colour() + "l" * links


def _ask(connection: Socket, arguments: list[str], id_: str) -> int | None:
    """Send a request and relay its answer; None if this daemon is being replaced or about to exit."""
    from vault_mem import __version__
    from vault_mem.cli.screen import NotWritten, may_page, not_written
    from vault_mem.daemon import protocol

    messages = protocol.Messages(connection)
    hung_up = False
    try:
        connection.sendall(protocol.request(__version__, id_, arguments, _width(), _terminal()))
        first = messages.next()
        hung_up = first is None and messages.ended
    except OSError:
        first, hung_up = None, True
    if first is None and not hung_up:
        first = last_word(connection, messages)
        if first is None:
            raise _NotTaken
    if first is None or first[0] != protocol.ACCEPTED:
        return None
    connection.settimeout(None)
    _cancel_on_interrupt(connection)
    try:
        return _relay(connection, messages, paged=may_page(arguments))
    except BrokenPipeError:  # our output is no longer read
        return 0
    except NotWritten as error:
        return not_written(error)


def _relay(connection: Socket, messages: Messages, *, paged: bool) -> int:
    """Print what the daemon sends. If `paged`, hold back the answer and what follows, to show it in a pager."""
    from vault_mem.cli.screen import show, write
    from vault_mem.daemon import protocol

    answered, after = bytearray(), bytearray()
    while True:
        answer = messages.next()
        if answer is None:
            raise _Lost
        kind, content = answer
        if kind == protocol.STDOUT and paged:
            answered += content
        elif kind == protocol.STDOUT:
            write(1, content)
        elif kind == protocol.STDERR and answered:
            after += content
        elif kind == protocol.STDERR:
            write(2, content)
        elif kind == protocol.WANT_STDIN:
            _send_stdin(connection)
        elif kind == protocol.EXIT:
            if answered:
                show(bytes(answered))
            write(2, after)
            return int(content)


def _cancel_on_interrupt(connection: Socket) -> None:
    """Make Ctrl-C cancel the command; a second one exits without waiting for it."""
    import _signal

    from vault_mem.daemon.protocol import CANCEL, message

    def cancel(*_: object) -> None:
        _signal.signal(_signal.SIGINT, lambda *_: os._exit(130))
        try:
            connection.sendall(message(CANCEL))
        except OSError:
            os._exit(130)
        if _waiting_for_input:
            raise KeyboardInterrupt

    _signal.signal(_signal.SIGINT, cancel)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGINT])  # delivers a Ctrl-C that came in the meantime


def last_word(connection: Socket, messages: Messages) -> tuple[bytes, bytes] | None:
    """After a timeout: hang up, then check whether the request was taken after all."""
    try:
        connection.shutdown(2)
        return messages.next()
    except OSError:
        return None


def _send_stdin(connection: Socket) -> None:
    from vault_mem.daemon.protocol import CHUNK, STDIN, message

    global _waiting_for_input
    while True:
        _waiting_for_input = True
        try:
            part = os.read(0, CHUNK)
        except KeyboardInterrupt:
            return
        except OSError:
            part = b""
        finally:
            _waiting_for_input = False
        _input_sent.append(part)
        try:
            connection.sendall(message(STDIN, part))
        except ConnectionError:  # the daemon hung up, but its answer may still be waiting
            return
        if not part:
            return


def _width() -> int:
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns or 80)
    except (OSError, ValueError):
        return 80
