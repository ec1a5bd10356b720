"""The merge driver: what git starts as `vault-mem git-merge %O %A %B %P`. The result is written into %A."""

from __future__ import annotations

import os

from vault_mem.merging import encoded, merge

CONFLICT = 5  # as in all commands; 1 would look like a crash of Python
_USAGE = b"usage: vault-mem git-merge BASE OURS THEIRS PATH (git calls this; see docs/git.md)\n"


def main(arguments: list[str]) -> int:
    """Merge three files that git wrote for us; returns 0 if nothing is left to decide, else 5."""
    if len(arguments) != 4:
        os.write(2, _USAGE)
        return 2
    base_file, ours_file, theirs_file, path = arguments
    try:
        base, ours, theirs = (_read(each) for each in (base_file, ours_file, theirs_file))
    except (OSError, ValueError) as error:
        os.write(2, f"vault-mem git-merge: {error}\n".encode(errors="replace") + _USAGE)
        return 2
    try:
        key = _key(path)
        found = merge(key, base or None, ours, theirs, None if base else _generated(key, path))
        _write(ours_file, encoded(found.text))
    except Exception:  # whatever it is: git's own merge is better than none
        return _as_git_would(base_file, ours_file, theirs_file)
    return CONFLICT if found.conflicts else 0


def _key(path: str) -> str:
    """A file's path in its vault; git gives it relative to the top of the repository, where it starts us."""
    parts = path.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        if os.path.isfile("/".join([*parts[:depth], "vault-mem.toml"])):  # noqa: PTH113 - pathlib takes too long
            return "/".join(parts[depth:])
    return path


def _generated(key: str, path: str) -> bytes | None:
    """What init writes into a file that both sides created."""
    if not key.endswith(".base"):
        return None
    from pathlib import Path

    from vault_mem.operations.vaults.obsidian import base_text
    from vault_mem.vault.settings import load_settings

    root = Path(path[: len(path) - len(key)] or ".")
    return base_text(load_settings(root, os.environ).settings).encode()


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read()


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(data)


def _as_git_would(base: str, ours: str, theirs: str) -> int:
    names = [part for name in ("ours", "base", "theirs") for part in ("-L", name)]
    code = os.spawnvp(os.P_WAIT, "git", ["git", "merge-file", *names, ours, base, theirs])
    return CONFLICT if 0 < code < 128 else code  # git counts the conflicts
