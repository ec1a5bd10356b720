"""Which vault a command means."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vault_mem.errors import VaultNotFound
from vault_mem.vault.settings import VAULT_FILE, Settings, load_settings
from vault_mem.vault.worktree import in_main_checkout

_HINT = (
    "run `vault-mem init FOLDER`, or name one with --vault or VAULT_MEM_VAULT; "
    "your default everywhere: vault-mem config set --user vault FOLDER"
)


def current_folder() -> Path:
    """The current folder; the name it had if it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return Path(os.environ.get("PWD", os.sep))


def find_vault(named: str | os.PathLike[str] | None, cwd: Path, env: Mapping[str, str]) -> Path:
    """The vault's root: as named, from the environment, around the current folder, or the user's default."""
    if named:
        return _checked(cwd / expanded(named, env), "--vault")
    if env.get("VAULT_MEM_VAULT"):
        return _checked(cwd / expanded(env["VAULT_MEM_VAULT"], env), "VAULT_MEM_VAULT")
    for folder in (cwd, *cwd.parents):
        if os.path.isfile(folder / VAULT_FILE):  # noqa: PTH113 - says no where it may not look
            return Path(os.path.realpath(_main(folder) or folder))
    around = _main(cwd)
    for folder in (around, *around.parents) if around else ():
        if os.path.isfile(folder / VAULT_FILE):  # noqa: PTH113
            return Path(os.path.realpath(folder))
    default = default_vault(load_settings(None, env).settings)
    if default:
        return _checked(cwd / expanded(default, env), "the default vault of your configuration")
    raise VaultNotFound(f"no vault here: {cwd} is not in one", _HINT)


def default_vault(settings: Settings) -> str:
    """The vault for a command that runs outside of any: the setting `vault`, else the first of `vaults`."""
    return settings.vault or next((each for each in settings.vaults if each != "."), "")


def other_vaults(
    nearest: Path,
    named: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    missing: Callable[[str, VaultNotFound], None] | None = None,
) -> list[Path]:
    """The vaults that answer besides the nearest: the others that are named, else those of the settings.

    `missing` is called for one that the settings name by path and that does not exist: its disk may not be mounted.
    """
    names = list(named)
    if not named and not env.get("VAULT_MEM_VAULT"):
        names = load_settings(None, env).settings.vaults
    found: list[Path] = []
    for name in names:
        try:
            root = find_vault(None if name == "." else name, cwd, env)
        except VaultNotFound as error:
            if named:
                raise
            if missing and name != ".":
                missing(name, error)
            continue
        if root != nearest and root not in found:
            found.append(root)
    return found


def expanded(named: str | os.PathLike[str], env: Mapping[str, str]) -> Path:
    """A path with ~ as the caller's home folder, not that of the process that runs the command."""
    path, home = Path(named), env.get("HOME")
    if home and path.parts[:1] == ("~",):
        return Path(home, *path.parts[1:])
    return Path(os.path.expanduser(path))  # noqa: PTH111 - leaves ~name alone if nobody is called that


def _main(folder: Path) -> Path | None:
    """The same folder in the main checkout of a git worktree, if it is in a vault there, too."""
    main = in_main_checkout(str(folder))
    vault = main and (os.path.isfile(os.path.join(main, VAULT_FILE)) or not (folder / VAULT_FILE).is_file())  # noqa: PTH113, PTH118
    return Path(main) if vault else None


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
