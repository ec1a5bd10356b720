"""A daemon that the system starts: a systemd user unit on Linux, a launchd agent on macOS."""

from __future__ import annotations

import os
import plistlib
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from vault_mem.errors import InvalidInput, NotFound, VaultMemError
from vault_mem.vault import outside

# What decides which index and model a daemon works with.
_KEPT = ("VAULT_MEM_INDEX_DIR", "VAULT_MEM_MODEL", "VAULT_MEM_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")


@dataclass(frozen=True)
class Service:
    """A file for the system's own manager, and the commands that make it heed it."""

    path: Path
    text: str
    enable: list[list[str]]
    disable: list[list[str]]


def service(root: Path, env: Mapping[str, str]) -> Service:
    """The service that keeps a vault's daemon running."""
    label = f"vault-mem-{blake2b(os.fsencode(root), digest_size=4).hexdigest()}"
    command = [sys.executable, "-P", "-m", "vault_mem.daemon", str(root)]
    kept = {name: env[name] for name in _KEPT if env.get(name)}
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return _launchd(label, command, kept, home)
    if sys.platform == "linux":
        base = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
        return _systemd(label, root, command, kept, base)
    raise InvalidInput("there is no daemon on this system", "everything runs without one")


def install(wanted: Service, env: Mapping[str, str]) -> str:
    """Write the file and have the system start it; returns what is left to do by hand, if anything."""
    try:
        if wanted.path.exists():
            before = wanted.path.read_bytes()
            if before != wanted.text.encode():
                outside.replace(wanted.path, before, wanted.text.encode())
        else:
            outside.make_folder(wanted.path.parent)
            outside.create(wanted.path, wanted.text.encode(), outside.PUBLIC_MODE)
    except OSError as error:
        raise VaultMemError(f"cannot write {wanted.path}: {error.strerror}") from error
    return _call(wanted.enable, env)


def uninstall(wanted: Service, env: Mapping[str, str]) -> str:
    """Have the system stop it, and take the file away."""
    if not wanted.path.exists():
        raise NotFound(f"no service is installed for this vault ({wanted.path})")
    left = _call(wanted.disable, env)
    wanted.path.unlink()
    return left


def _call(commands: list[list[str]], env: Mapping[str, str]) -> str:
    for command in commands:
        try:
            done = subprocess.run(command, env=dict(env), capture_output=True, timeout=30, check=False)
            failed = done.returncode != 0
        except (OSError, subprocess.TimeoutExpired):
            failed = True
        if failed:
            return " && ".join(shlex.join(each) for each in commands)
    return ""


def _systemd(label: str, root: Path, command: list[str], kept: dict[str, str], base: Path) -> Service:
    lines = [
        "[Unit]",
        f"Description=vault-mem for {_plain(str(root))}",
        f"ConditionPathExists={_plain(str(root))}/vault-mem.toml",
        "",
        "[Service]",
        "ExecStart=" + " ".join(_quoted(part) for part in command),
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in kept.items()),
        "Restart=on-failure",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    unit = f"{label}.service"
    return Service(
        base / "systemd" / "user" / unit,
        "\n".join(lines) + "\n",
        [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", unit]],
        [["systemctl", "--user", "disable", "--now", unit]],
    )


def _plain(text: str) -> str:
    """A value in a unit file: % begins a specifier there."""
    return text.replace("%", "%%").replace("\n", " ")


def _quoted(text: str) -> str:
    escaped = _plain(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'


def _launchd(label: str, command: list[str], kept: dict[str, str], home: Path) -> Service:
    record = {
        "Label": label,
        "ProgramArguments": command,
        "EnvironmentVariables": kept,
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
    }
    path = home / "Library" / "LaunchAgents" / f"{label}.plist"
    domain = f"gui/{os.getuid()}"
    return Service(
        path,
        plistlib.dumps(record).decode(),
        [["launchctl", "bootstrap", domain, str(path)]],
        [["launchctl", "bootout", f"{domain}/{label}"]],
    )
