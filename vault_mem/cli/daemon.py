"""vault-mem daemon."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Group
from vault_mem.cli.console import Console
from vault_mem.client import starting_address
from vault_mem.daemon import holding
from vault_mem.daemon.holding import address_of_holder, alive, holder_elsewhere
from vault_mem.daemon.protocol import KEEP, STATUS, STOP, own_address, runtime_folder
from vault_mem.daemon.start import END_SECONDS, await_end, control, running, start
from vault_mem.errors import InvalidInput, Unsafe, VaultMemError
from vault_mem.messages import notices, the_vault
from vault_mem.vault.find import find_vault
from vault_mem.visible import visible

if TYPE_CHECKING:
    from vault_mem.daemon.service import ServiceChange

LOG_LINES = 40


@click.group(cls=Group, examples="vault-mem daemon status --all\nvault-mem daemon stop")
def command() -> None:
    """Manage the background process that keeps your vaults open, so that commands answer at once.

    The first command starts it. It closes a vault after half an hour without a command, and exits with the last vault.
    A vault you `start` or `install` it for stays open. VAULT_MEM_DAEMON=off turns it off.
    """


@command.command("start", examples="vault-mem daemon start")
def start_command(console: Console) -> None:
    """Start the daemon if needed, and keep this vault open until you stop it."""
    root, address = _root_and_address(console)
    _refuse_elsewhere(root, address)
    _keep(console, address, [str(root)])
    _show(console, root, address)


@command.command("stop", examples="vault-mem daemon stop\nvault-mem daemon stop --all")
@click.option("--all", "everything", is_flag=True, help="End the process, closing all its vaults.")
def stop_command(console: Console, everything: bool) -> None:
    """Close this vault once running writes are done. The process ends with the last one; a command starts it again."""
    if everything:
        stopped = [status for address in _addresses(console) if (status := _end(address))]
        vaults = [each["vault"] for status in stopped for each in status["vaults"]]
        console.answer({"stopped": bool(stopped), "vaults": vaults}, the_vault.stopped(bool(stopped)))
        return
    root, address = _root_and_address(console)
    was = alive(str(root)) or "vault" in (_status(address, root) or {})  # ask too: `git clean -x` deletes the lock
    _refuse_elsewhere(root, address)
    _end(address, root)
    console.answer({"vault": str(root), "stopped": was}, the_vault.stopped(was))


@command.command("restart", examples="vault-mem daemon restart")
def restart_command(console: Console) -> None:
    """Restart the process and keep this vault open. Other vaults open when they are used."""
    root, address = _root_and_address(console)
    _refuse_elsewhere(root, address)
    before = _end(address) or {"vaults": []}
    kept = [each["vault"] for each in before["vaults"] if not each["automatic"]]
    _keep(console, "", [str(root), *kept])
    _show(console, *_root_and_address(console))


@command.command("status", examples="vault-mem daemon status\nvault-mem daemon status --all --json")
@click.option(
    "--all", "everything", is_flag=True, help="Show the daemons of all your installations, with all their vaults."
)
def status_command(console: Console, everything: bool) -> None:
    """Show whether it is running, since when, and which vaults are open."""
    if not everything:
        _show(console, *_root_and_address(console))
        return
    found = [status for address in _addresses(console) if (status := _status(address)) is not None]
    text = "\n".join(map(the_vault.running, found)) or the_vault.NO_DAEMON
    daemons = [{**status, **vault} for status in found for vault in status.pop("vaults")]
    console.answer({"daemons": daemons}, text)


@command.command("run", examples="vault-mem daemon run")
def run_command(console: Console) -> int:
    """Run the daemon in the foreground until Ctrl-C."""
    root, _ = _root_and_address(console)
    from vault_mem.daemon.__main__ import serve

    address = own_address(console.env)
    if alive(str(root)) or running(address):
        raise Unsafe("a daemon is running already", "vault-mem daemon stop --all")
    console.notice(the_vault.SERVING.format(root=root))
    return serve([str(root)], address)


@command.command("logs", examples="vault-mem daemon logs -n 100\nvault-mem daemon logs --follow")
@click.option(
    "-n", "--limit", "lines", type=click.IntRange(1), default=LOG_LINES, help=f"How many lines (default: {LOG_LINES})."
)
@click.option("--follow", is_flag=True, help="Keep printing new lines until Ctrl-C.")
def logs_command(console: Console, lines: int, follow: bool) -> None:
    """Show the end of its log: commands, exit codes and times, never the text of a memory."""
    from vault_mem.daemon.log import LOG
    from vault_mem.vault.tree import Tree

    root, _ = _root_and_address(console)
    tree = Tree(root)
    try:
        text = (tree.read(LOG) or b"").decode(errors="replace")
    except OSError as error:
        raise Unsafe(f"{tree.path(LOG)}: {error.strerror}", "move it away") from error
    last = text.splitlines()[-lines:]
    if console.json:
        console.print_json({"file": str(tree.path(LOG)), "lines": last})
        return
    for line in last:
        console.print(line)
    if follow:
        _follow(console, lambda: tree.read(LOG), len(text.encode()))


@command.command("install", examples="vault-mem daemon install\nvault-mem daemon install --dry-run")
@click.option("--dry-run", is_flag=True, help="Print the file instead of writing it.")
def install_command(console: Console, dry_run: bool) -> None:
    """Start the daemon at login and keep this vault open (a systemd user unit, or a launchd agent on macOS)."""
    from vault_mem.daemon.service import installing, make

    root, _ = _root_and_address(console)
    change = installing(root, console.env)
    left = "" if dry_run else make(change, console.env)
    text = change.service.text if dry_run else f"Installed {change.service.path}."
    _say(console, change, text, left, dry_run=dry_run)


@command.command("uninstall", examples="vault-mem daemon uninstall")
def uninstall_command(console: Console) -> None:
    """Remove this vault from the login service; the last one removes the service."""
    from vault_mem.daemon.service import make, uninstalling

    root, _ = _root_and_address(console)
    change = uninstalling(root, console.env)
    left = make(change, console.env)
    _say(console, change, the_vault.uninstalled(change.service.path, len(change.service.roots)), left)


def _root_and_address(console: Console) -> tuple[Path, str]:
    """The vault, and the address of its daemon."""
    if os.name != "posix":
        raise InvalidInput("there is no daemon on this system", "everything runs without one")
    root = find_vault(console.vault, console.cwd, console.env)
    address, _ = address_of_holder(str(root), own_address(console.env))
    if not address:
        raise VaultMemError(
            "there is no folder for the daemon's socket that only you can enter",
            "set VAULT_MEM_RUNTIME_DIR to one (0700)",
        )
    return root, address


def _addresses(console: Console) -> list[str]:
    """The addresses of all of this user's daemons, of whichever installation."""
    folder = runtime_folder(console.env) if os.name == "posix" else ""
    return [str(note.with_suffix("")) for note in sorted(Path(folder).glob("*.json"))] if folder else []


def _keep(console: Console, address: str, roots: list[str]) -> None:
    """Have the daemon keep vaults open; starts one if none listens at `address`."""
    if not address or _status(address) is None:
        address = starting_address(console.env)
        if not address or not start(address, console.env):
            raise VaultMemError("the daemon did not start", f"{address}.log may say why; commands work without it")
    for root in roots:
        control(address, KEEP, root, console.env)


def _end(address: str, root: Path | None = None) -> dict[str, Any] | None:
    """Have a daemon close one vault, or end. Returns its status before; None if none was running."""
    status = control(address, STOP, address_of_holder(str(root), address)[1] if root else "")
    if status is None or status["ending"]:
        ended = await_end(address, END_SECONDS) and (root is None or holding.await_end(str(root)))
    else:
        ended = str(root) not in [each["vault"] for each in status["vaults"]]
    if not ended:
        raise Unsafe("the daemon is still finishing a command", "try again in a moment; nothing was interrupted")
    return status


def _refuse_elsewhere(root: Path, address: str) -> None:
    """Raise Unsafe if the vault's daemon has its socket in another folder: it runs, but we cannot reach it."""
    folder = str(Path(address).parent)
    other = holder_elsewhere(str(root), folder)
    if other is not None:
        raise Unsafe(
            f"the daemon of this vault (pid {other.pid}) cannot be reached: its socket is in {other.folder}, "
            f"and this command looks in {folder}",
            f"set VAULT_MEM_RUNTIME_DIR={other.folder}, or end it: kill {other.pid} (it finishes what it is writing)",
        )


def _status(address: str, root: Path | None = None) -> dict[str, Any] | None:
    return control(address, STATUS, str(root or ""))


def _show(console: Console, root: Path, address: str) -> None:
    _refuse_elsewhere(root, address)
    status = _status(address, root)
    is_open = status is not None and "vault" in status
    text = the_vault.running(status, is_open=is_open) if status else the_vault.NOT_RUNNING
    console.answer({"running": is_open, "vault": str(root), **(status or {"vaults": []})}, text)


def _follow(console: Console, read: Callable[[], bytes | None], start: int) -> None:
    while True:
        time.sleep(0.3)
        try:
            whole = read() or b""
        except OSError:
            continue
        start = 0 if len(whole) < start else start  # the log was rotated
        part = whole[start:]
        if part:
            start += len(part)
            console.stdout.write(visible(part.decode(errors="replace")))
            console.stdout.flush()


def _say(console: Console, change: ServiceChange, text: str, left: str, *, dry_run: bool = False) -> None:
    wanted = change.service
    described = {"path": str(wanted.path), "text": wanted.text, "vaults": wanted.roots}
    console.answer(described | {"dry_run": dry_run, "left_to_do": left}, text.rstrip("\n"), as_is=True)
    if left:
        console.note(notices.NO_SERVICE_MANAGER.format(command=left))
