"""Which vault a command means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from vault_mem.errors import VaultNotFound
from vault_mem.vault.settings import VAULT_FILE, load_settings

_HINT = "run `vault-mem init FOLDER`, or name one with --vault or VAULT_MEM_VAULT"


def find_vault(named: str | os.PathLike[str] | None, cwd: Path, env: Mapping[str, str]) -> Path:
    """The vault's root: as named, from the environment, around the current folder, or the user's default."""
    if named:
        return _checked(cwd / Path(named).expanduser(), "--vault")
    if env.get("VAULT_MEM_VAULT"):
        return _checked(cwd / Path(env["VAULT_MEM_VAULT"]).expanduser(), "VAULT_MEM_VAULT")
    for folder in (cwd, *cwd.parents):
        if os.path.isfile(folder / VAULT_FILE):  # noqa: PTH113 - says no where it may not look
            return Path(os.path.realpath(folder))
    default = load_settings(None, env).settings.vault
    if default:
        return _checked(cwd / Path(default).expanduser(), "the default vault of your configuration")
    raise VaultNotFound(f"no vault here: {cwd} is not in one", _HINT)


def _checked(path: Path, said_by: str) -> Path:
    try:
        if path.is_file():
            raise VaultNotFound(f"{path} ({said_by}) is a file, not a vault folder", _HINT)
        if not path.is_dir():
            raise VaultNotFound(f"{path} ({said_by}) does not exist", _HINT)
        if not (path / VAULT_FILE).is_file():
            hint = f"run `vault-mem init {path}`"
            raise VaultNotFound(f"{path} ({said_by}) is not a vault: it has no {VAULT_FILE}", hint)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise VaultNotFound(f"{path} ({said_by}) cannot be read: {reason}", "check its permissions") from error
    return Path(os.path.realpath(path))
