"""vault-mem daemon."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, Group
from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput, Unsafe, VaultMemError
from vault_mem.visible import visible

if TYPE_CHECKING:
    from vault_mem.daemon.service import Service

LOG_LINES = 40


@click.group(cls=Group, examples="vault-mem daemon status --all\nvault-mem daemon stop")
def command() -> None:
    """The process that keeps a vault ready, so that commands answer at once.

    The first command starts one by itself; it ends after half an hour without another. One that you start or install
    stays. VAULT_MEM_DAEMON=off does without.
    """


@command.command("start", cls=Command, examples="vault-mem daemon start")
@click.pass_obj
def start_command(console: Console) -> None:
    """Start it, unless it runs; it stays until it is stopped."""
    from vault_mem.daemon.start import control, start, stop

    root, place = _place(console)
    running = control(place, "status")
    if running is not None and json.loads(running)["automatic"]:  # what a command started would end when idle
        stop(str(root), place)
        running = None
    if running is None:
        _refuse_elsewhere(root, place)
    if running is None and not start(str(root), place, automatic=False, env=console.env):
        raise VaultMemError("the daemon did not start", "vault-mem daemon logs may say why; commands work without it")
    _show(console, root, place)


@command.command("stop", cls=Command, examples="vault-mem daemon stop")
@click.pass_obj
def stop_command(console: Console) -> None:
    """Stop it, after what it is writing. The next command starts one again."""
    from vault_mem.daemon.start import alive

    root, place = _place(console)
    was = alive(str(root))
    _stop(root, place)
    console.answer({"vault": str(root), "stopped": was}, "Stopped." if was else "It was not running.")


@command.command("restart", cls=Command, examples="vault-mem daemon restart")
@click.pass_obj
def restart_command(console: Console) -> None:
    """Restart it."""
    from vault_mem.daemon.start import start

    root, place = _place(console)
    _stop(root, place)
    if not start(str(root), place, automatic=False, env=console.env):
        raise VaultMemError("the daemon did not start", "vault-mem daemon logs may say why; commands work without it")
    _show(console, root, place)


@command.command("status", cls=Command, examples="vault-mem daemon status\nvault-mem daemon status --all --json")
@click.option("--all", "everything", is_flag=True, help="The daemons of all your vaults.")
@click.pass_obj
def status_command(console: Console, everything: bool) -> None:
    """Whether it runs, since when, and what it watches."""
    if not everything:
        _show(console, *_place(console))
        return
    from vault_mem.daemon import protocol

    folder = protocol.runtime_folder(console.env)
    notes = sorted(Path(folder).glob("*.json")) if folder else []
    found = [status for note in notes if (status := _status(str(note.with_suffix("")))) is not None]
    if console.json:
        console.print_json({"daemons": found})
    elif not found:
        console.print("No daemon is running.")
    for status in [] if console.json else found:
        console.print(f"{status['vault']}: {_in_words(status)}")


@command.command("run", cls=Command, examples="vault-mem daemon run")
@click.pass_obj
def run_command(console: Console) -> int:
    """Run it here, in the foreground, until Ctrl-C."""
    from vault_mem.daemon.__main__ import serve
    from vault_mem.daemon.start import alive

    root, _ = _place(console)
    if alive(str(root)):
        raise Unsafe("a daemon of this vault is running already", "vault-mem daemon stop")
    console.notice(f"Serving {root}; Ctrl-C ends it.")
    return serve(root, automatic=False)


@command.command("logs", cls=Command, examples="vault-mem daemon logs -n 100\nvault-mem daemon logs --follow")
@click.option("-n", "lines", type=click.IntRange(1), default=LOG_LINES, help=f"How many lines, default {LOG_LINES}.")
@click.option("--follow", is_flag=True, help="Go on as it is written, until Ctrl-C.")
@click.pass_obj
def logs_command(console: Console, lines: int, follow: bool) -> None:
    """Show the end of its log: commands, exit codes and times, never a word of a memory."""
    from vault_mem.daemon.log import LOG
    from vault_mem.vault.tree import Tree

    root, _ = _place(console)
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
        _follow(console.stdout.write, console.stdout.flush, lambda: tree.read(LOG), len(text.encode()))


@command.command("install", cls=Command, examples="vault-mem daemon install\nvault-mem daemon install --dry-run")
@click.option("--dry-run", is_flag=True, help="Print the file instead of writing it.")
@click.pass_obj
def install_command(console: Console, dry_run: bool) -> None:
    """Start it at login: installs a systemd user unit, or a launchd agent on macOS."""
    from vault_mem.daemon.service import install

    wanted = _service(console)
    left = "" if dry_run else install(wanted, console.env)
    _say(console, wanted, f"{wanted.text}" if dry_run else f"Installed {wanted.path}.", left, dry_run=dry_run)


@command.command("uninstall", cls=Command, examples="vault-mem daemon uninstall")
@click.pass_obj
def uninstall_command(console: Console) -> None:
    """Remove the login service."""
    from vault_mem.daemon.service import uninstall

    wanted = _service(console)
    left = uninstall(wanted, console.env)
    _say(console, wanted, f"Removed {wanted.path}.", left)


def _place(console: Console) -> tuple[Path, str]:
    """The vault, and where its daemon is met."""
    from vault_mem.vault.find import find_vault

    if os.name != "posix":
        raise InvalidInput("there is no daemon on this system", "everything runs without one")
    from vault_mem.daemon.protocol import meeting_place

    root = find_vault(console.vault, console.cwd, console.env)
    place = meeting_place(str(root), console.env)
    if not place:
        raise VaultMemError(
            "there is no folder for the daemon's socket that is yours alone", "set VAULT_MEM_RUNTIME_DIR to one (0700)"
        )
    return root, place


def _stop(root: Path, place: str) -> None:
    from vault_mem.daemon.start import stop

    if not stop(str(root), place):
        _refuse_elsewhere(root, place)
        raise Unsafe("the daemon is still finishing a command", "try again in a moment; nothing was interrupted")


def _refuse_elsewhere(root: Path, place: str) -> None:
    """Stop where the vault's daemon was started with another folder for sockets: it runs, and we cannot talk to it."""
    from vault_mem.daemon.start import elsewhere

    other = elsewhere(str(root), place)
    if other is not None:
        raise Unsafe(
            f"the daemon of this vault (pid {other.pid}) cannot be reached: its socket is in {other.folder}, "
            f"and this command looks in {Path(place).parent}",
            f"set VAULT_MEM_RUNTIME_DIR={other.folder}, or end it: kill {other.pid} (it finishes what it is writing)",
        )


def _status(place: str) -> dict[str, Any] | None:
    from vault_mem.daemon.start import control

    answer = control(place, "status")
    return None if answer is None else dict(json.loads(answer))


def _show(console: Console, root: Path, place: str) -> None:
    status = _status(place)
    if status is None:
        _refuse_elsewhere(root, place)
    if console.json:
        console.print_json({"running": status is not None, **(status or {"vault": str(root)})})
    else:
        console.print("Not running." if status is None else f"Running: {_in_words(status)}.")


def _in_words(status: dict[str, Any]) -> str:
    minutes = status["uptime_seconds"] / 60
    watching = {"events": "told of changes by the system", "scans": "looking for changes"}.get(status["watching"])
    kind = "started by a command" if status["automatic"] else "started to stay"
    parts = [
        f"pid {status['pid']}, version {status['version']}, {kind}",
        f"up {minutes:.0f} min, {status['requests']} command(s)",
        f"{status['memory_bytes'] / 1e6:.0f} MB",
    ]
    return ", ".join([*parts, watching] if watching else parts)


def _follow(
    write: Callable[[str], Any], flush: Callable[[], None], read: Callable[[], bytes | None], start: int
) -> None:
    while True:
        time.sleep(0.3)
        try:
            whole = read() or b""
        except OSError:
            continue
        start = 0 if len(whole) < start else start  # the log was turned over
        part = whole[start:]
        if part:
            start += len(part)
            write(visible(part.decode(errors="replace")))
            flush()


def _service(console: Console) -> Service:
    from vault_mem.daemon.service import service

    root, _ = _place(console)
    return service(root, console.env)


def _say(console: Console, wanted: Service, text: str, left: str, *, dry_run: bool = False) -> None:
    if console.json:
        console.print_json({"path": str(wanted.path), "text": wanted.text, "dry_run": dry_run, "left_to_do": left})
    else:
        console.print(text.rstrip("\n"), as_is=True)
    if left:
        console.notice(f"note: the system's manager did not answer; run by hand: {left}")
    sys.stdout.flush()
