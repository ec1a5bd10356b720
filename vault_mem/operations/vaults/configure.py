"""config: read and change settings, keeping the comments of their files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput, NotFound, SettingsError
from vault_mem.vault import files, git, outside, settings
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import operation
from vault_mem.vault.settings import BY_NAME, VAULT_FILE, Settings, load_settings
from vault_mem.vault.steps import read
from vault_mem.vault.tree import PUBLIC_MODE


@dataclass(frozen=True)
class SettingView:
    """One setting: its value, where that comes from, and what it is for."""

    name: str
    value: Any
    source: str
    doc: str


def view(root: Path | None, env: Mapping[str, str], name: str | None = None) -> list[SettingView]:
    """All settings, or the one named."""
    if name is not None:
        _known(name)
    loaded = load_settings(root, env)
    found = []
    for each in BY_NAME if name is None else [name]:
        value = settings.shown(each, getattr(loaded.settings, each))
        found.append(SettingView(each, value, loaded.sources.get(each, "default"), settings.doc_of(each)))
    return found


def change(root: Path | None, env: Mapping[str, str], name: str, value: str | None, *, user: bool) -> Path:
    """Set a setting (None: unset it) in the vault's file or the user's. Returns the file."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    _known(name)
    if BY_NAME[name].metadata["user_only"] and not user:
        raise InvalidInput(f"{name} belongs to you, not to a vault", f"vault-mem config set --user {name} ...")
    if not user and root is None:
        raise InvalidInput("no vault here to set it in", "use --user for your own settings")
    path = settings.user_file(env) if user else (root or Path()) / VAULT_FILE
    if user:
        outside.make_folder(path.parent)
    tree, key = outside.tree_and_key(path)
    if not user and root is not None:
        tree, key = settings.vault_tree(root, load_settings(None, env).settings.follow_links), VAULT_FILE
    try:
        before = tree.read(key)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        document = tomlkit.parse((before or b"").decode("utf-8-sig"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}", "fix the file; nothing was changed") from error
    if value is None:
        document.pop(name, None)
    else:
        try:
            document[name] = settings.checked(name, _typed(name, value), "config")
            settings.check_folders(
                replace(load_settings(None if user else root, env).settings, **{name: document[name]}), "config"
            )
        except SettingsError as error:
            raise InvalidInput(error.message, error.hint or f"{name}: {settings.doc_of(name)}") from error
    after = tomlkit.dumps(document).encode()
    if not user and root is not None and (folder := _opened(root, env)) is not None:
        # an operation like any other change in the vault, so that it can be undone
        with operation(folder, f"config {'unset' if value is None else 'set'}", name) as transaction:
            transaction.write(VAULT_FILE, before, after)
            if name == "private_folder" and value is not None:
                listed = read(folder, ".gitignore")
                transaction.write(".gitignore", listed, git.ignoring(listed, value.strip("/")))
    else:
        files.put(tree, key, before, after, PUBLIC_MODE)
    return path


def _opened(root: Path, env: Mapping[str, str]) -> Folder | None:
    """The vault; None if invalid settings keep it from being opened, which this change may be about to fix."""
    try:
        return Folder(root, env)
    except SettingsError:
        return None


def _known(name: str) -> None:
    if name not in BY_NAME:
        raise NotFound(f"unknown setting {name!r}{settings.suggestion(name)}", "vault-mem config lists all settings")


def _typed(name: str, value: str) -> Any:
    default = getattr(Settings(), name)
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False, "yes": True, "no": False}[value.casefold()]
        if isinstance(default, list):
            if value.strip().startswith("["):  # written as in the file: ["a", "b"]
                return tomllib.loads(f"it = {value}")["it"]
            return [part.strip() for part in value.split(",") if part.strip()]
        return type(default)(value)
    except (ValueError, KeyError) as error:
        raise InvalidInput(
            f"{name} cannot be {value!r}", f"{name}: {settings.doc_of(name)}; now {default!r} by default"
        ) from error
