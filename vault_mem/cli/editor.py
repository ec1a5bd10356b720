"""The caller's editor: it runs in the caller's terminal, on a copy that only the caller can read."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput, VaultMemError
from vault_mem.vault import files, machine_folder
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE

# Tried in this order if no editor is set.
_USUAL = ("vi", "vim", "nano", "notepad")


@contextmanager
def edited_copy(console: Console, folder: Folder, id_: str, text: bytes) -> Iterator[bytes]:
    """The text after editing. If the block raises, the copy is kept, and the error's hint says where."""
    command = _command(console, folder)
    tree, key = folder.tree, f"{OWN}/edits/{id_}.md"
    path = folder.shown(key)
    if machine_folder.read(folder.tree, key) not in (None, text):
        raise InvalidInput(
            f"an edit that could not be saved is still in {path}", "take what you need from it, then delete it"
        )
    files.make_folder(tree, f"{OWN}/edits", PRIVATE_FOLDER_MODE)
    tree.drop(key)
    files.create(tree, key, text, PRIVATE_MODE)
    after = text
    try:
        code = subprocess.run([*command, str(path)], cwd=console.cwd, env=dict(console.env), check=False).returncode
        after = tree.read(key) or b""
        if code:
            raise VaultMemError(f"the editor ended with code {code}; nothing was saved")
        yield after
    except OSError as error:
        tree.drop(key)
        raise VaultMemError(f"{command[0]} cannot be run: {error.strerror}", "set VISUAL or EDITOR") from error
    except VaultMemError as error:
        if after != text:
            error.hint = f"{error.hint}; your text is kept in {path}" if error.hint else f"your text is kept in {path}"
        else:
            tree.drop(key)
        raise
    tree.drop(key)


def _command(console: Console, folder: Folder) -> list[str]:
    """The editor, from the user's own settings or environment; never from the vault, which may be a stranger's."""
    named = folder.settings.editor or console.env.get("VISUAL") or console.env.get("EDITOR") or ""
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise InvalidInput(f"{named!r} is not a command", "set VISUAL or EDITOR") from error
    if not words and console.stdin.isatty():
        words = [name for name in _USUAL if shutil.which(name, path=console.env.get("PATH"))][:1]
    if not words:
        raise InvalidInput("there is no editor to open", "set VISUAL or EDITOR, or give --content or --set")
    return words
