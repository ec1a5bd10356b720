"""A daemon that the system starts, one for all vaults: a systemd user unit on Linux, a launchd agent on macOS."""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vault_mem.errors import InvalidInput, NotFound, VaultMemError
from vault_mem.vault import files, outside

# The variables that decide which index and model a daemon works with.
_KEPT = ("VAULT_MEM_INDEX_DIR", "VAULT_MEM_MODEL", "VAULT_MEM_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
_LABEL = "vault-mem"
_MODULE = "vault_mem.daemon"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Service:
    """The unit file with the vaults to keep open, and the commands that activate it."""

    path: Path
    roots: list[str]
    text: str
    enable: list[list[str]]
    disable: list[list[str]]


@dataclass(frozen=True)
class ServiceChange:
    """The service as it will be, and those to remove: older ones of single vaults, and itself if no vault is left."""

    service: Service
    gone: list[Service]


def installing(root: Path, env: Mapping[str, str]) -> ServiceChange:
    """What `install` does for a vault. Unit files from when each vault had its own are merged into the one."""
    one, older = _found(env)
    roots = [*one.roots, *(each for old in older for each in old.roots), str(root)]
    return ServiceChange(_service(one.path, roots, env), older)


def uninstalling(root: Path, env: Mapping[str, str]) -> ServiceChange:
    """What `uninstall` does for a vault: the others stay."""
    one, older = _found(env)
    if not any(str(root) in each.roots for each in (one, *older)):
        raise NotFound(f"no service is installed for this vault ({one.path})")
    left = _service(one.path, [each for each in one.roots if each != str(root)], env)
    gone = [old for old in older if str(root) in old.roots]
    return ServiceChange(left, gone if left.roots or not one.roots else [one, *gone])


def make(change: ServiceChange, env: Mapping[str, str]) -> str:
    """Write the file and activate it; returns what is left to do by hand, if anything."""
    left = [_call(each.disable, env) for each in change.gone]
    for each in change.gone:
        each.path.unlink()
    wanted = change.service
    if wanted.roots:
        try:
            before = wanted.path.read_bytes() if wanted.path.exists() else None
            outside.make_folder(wanted.path.parent)
            files.put(*outside.tree_and_key(wanted.path), before, wanted.text.encode(), outside.PUBLIC_MODE)
        except OSError as error:
            raise VaultMemError(f"cannot write {wanted.path}: {error.strerror}") from error
        left.append(_call(wanted.enable, env))
    return " && ".join(filter(None, left))


def _found(env: Mapping[str, str]) -> tuple[Service, list[Service]]:
    """The service as it is, and older ones of single vaults."""
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "darwin":
        folder, ending, read = home / "Library" / "LaunchAgents", ".plist", _roots_in_plist
    elif sys.platform == "linux":
        base = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
        folder, ending, read = base / "systemd" / "user", ".service", _roots_in_unit
    else:
        raise InvalidInput("there is no daemon on this system", "everything runs without one")
    path = folder / f"{_LABEL}{ending}"
    older = [_service(each, read(each), env) for each in sorted(folder.glob(f"{_LABEL}-????????{ending}"))]
    return _service(path, read(path) if path.is_file() else [], env), [each for each in older if each.roots]


def _service(path: Path, roots: Iterable[str], env: Mapping[str, str]) -> Service:
    roots = list(dict.fromkeys(roots))
    command = [sys.executable, "-P", "-m", _MODULE, *roots]
    kept = {name: env[name] for name in _KEPT if env.get(name)}
    return (_launchd if sys.platform == "darwin" else _systemd)(path, roots, command, kept)


def _call(commands: list[list[str]], env: Mapping[str, str]) -> str:
    for command in commands:
        try:
            subprocess.run(command, env=dict(env), capture_output=True, timeout=60, check=True)
        except (OSError, subprocess.SubprocessError):
            return " && ".join(map(shlex.join, commands))
    return ""


def _systemd(path: Path, roots: list[str], command: list[str], kept: dict[str, str]) -> Service:
    lines = [
        "[Unit]",
        "Description=vault-mem, ready for commands",
        "",
        "[Service]",
        "ExecStart=" + " ".join(_quoted(part) for part in command),
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in kept.items()),
        "Restart=on-failure",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    manager = ["systemctl", "--user"]
    return Service(
        path,
        roots,
        "\n".join(lines) + "\n",
        [[*manager, "daemon-reload"], [*manager, "enable", path.name], [*manager, "restart", path.name]],
        [[*manager, "disable", "--now", path.name]],
    )


def _roots_in_unit(path: Path) -> list[str]:
    """The vaults that a unit of ours keeps; none if the file is not one of ours."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    line = next((each for each in text.splitlines() if each.startswith("ExecStart=")), "")
    parts = [re.sub(r"\\(.)", r"\1", each).replace("$$", "$").replace("%%", "%") for each in _QUOTED.findall(line)]
    return parts[parts.index(_MODULE) + 1 :] if _MODULE in parts else []


def _quoted(text: str) -> str:
    """A part of a line in a unit file, where % begins a specifier."""
    plain = text.replace("%", "%%").replace("\n", " ")
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'


def _launchd(path: Path, roots: list[str], command: list[str], kept: dict[str, str]) -> Service:
    record = {
        "Label": path.stem,
        "ProgramArguments": command,
        "EnvironmentVariables": kept,
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
    }
    domain = f"gui/{os.getuid()}"
    end = ["launchctl", "bootout", f"{domain}/{path.stem}"]
    begin = ["launchctl", "bootstrap", domain, str(path)]
    again = [end] if path.exists() else []
    return Service(path, roots, plistlib.dumps(record).decode(), [*again, begin], [end])


def _roots_in_plist(path: Path) -> list[str]:
    """The same for an agent of launchd."""
    try:
        parts = list(plistlib.loads(path.read_bytes())["ProgramArguments"])
    except (ValueError, KeyError, TypeError):
        return []
    return parts[parts.index(_MODULE) + 1 :] if _MODULE in parts else []
