"""backup: the whole vault in one file that only its owner can read; private memories too, which git does not keep.

In it is what a person would want back: every file of the vault, and of this machine's folder the trash, the logs and
the refused texts. Not in it: the index (it is made from the files), the undo journal (copies of what the files
say, useless elsewhere), locks, and `.git`, which is a store of its own.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import secrets
import stat
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from vault_mem.errors import InvalidInput, NotFound, Unsafe, VaultMemError, WriteFailed
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import files
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import writing

MANIFEST = ".vault-mem/backup.json"
_OWN = ("trash", "blocked", "deletions.jsonl", "activity.jsonl", "declined.jsonl")
_FORMAT = 1


@dataclass(frozen=True)
class BackupResult:
    """What was written, or checked: `wrong` says what does not hold."""

    file: Path
    files: int
    private: int
    bytes: int
    made: str = ""
    wrong: list[str] = field(default_factory=list)


def backup(workspace: Workspace, file: Path, *, force: bool = False) -> BackupResult:
    """Write an archive of the vault; whole or not at all, and never in the way of a writer."""
    folder = workspace.folder
    _refuse_place(folder, file, force)
    temporary = file.with_name(f".vault-mem-{secrets.token_hex(6)}.tmp")
    try:
        with writing(folder):
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            with os.fdopen(handle, "wb") as out:
                held = _write(workspace, out)
                out.flush()
                os.fsync(out.fileno())
        if not force and file.exists():
            raise _exists(file)
        temporary.replace(file)
        files.sync_folder(file.parent)
    except OSError as error:
        raise WriteFailed(f"cannot write {file}: {error.strerror}", "nothing was half-written") from error
    finally:
        temporary.unlink(missing_ok=True)
    private = sum(map(folder.is_private, held))
    return BackupResult(file, len(held), private, file.stat().st_size, folder.now().isoformat())


def check(file: Path) -> BackupResult:
    """Read an archive whole and compare it with its own list."""
    found: dict[str, str] = {}
    manifest: dict[str, object] | None = None
    wrong: list[str] = []
    if not file.is_file():
        raise NotFound(f"{file} is not there", "name an archive that `vault-mem backup` made")
    try:
        with tarfile.open(file, "r:gz") as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isreg() else None
                if content is not None:
                    data = content.read()
                    if member.name == MANIFEST:
                        manifest = json.loads(data)
                    else:
                        found[member.name] = hashlib.sha256(data).hexdigest()
                elif member.issym():
                    found[member.name] = _of_link(member.linkname)
    except (tarfile.TarError, OSError, EOFError, ValueError, zlib.error):
        wrong.append("the archive is damaged or cut short")
    listed = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(listed, dict):
        wrong.append("it has no list of its files: it is not a backup of vault-mem, or not whole")
        listed = {}
    wrong += [f"{name} is missing" for name in listed if name not in found]
    wrong += [f"{name} is not what was backed up" for name in listed if name in found and found[name] != listed[name]]
    private = str((manifest or {}).get("private_folder", "private")) + "/"
    made = str((manifest or {}).get("made", ""))
    size = file.stat().st_size
    return BackupResult(file, len(found), sum(name.startswith(private) for name in found), size, made, wrong)


def _refuse_place(folder: Folder, file: Path, force: bool) -> None:
    if not file.parent.is_dir():
        raise InvalidInput(f"{file.parent} is not a folder", "make it first")
    if file.is_dir():
        raise InvalidInput(f"{file} is a folder", "name the file to write, such as vault.tar.gz")
    real = Path(os.path.realpath(file.parent)) / file.name
    if real.is_relative_to(folder.root) and not real.is_relative_to(folder.own):
        raise Unsafe(f"{file} lies in the vault, where git and sync services would pick it up", "name a place outside")
    if file.exists() and not force:
        raise _exists(file)


def _exists(file: Path) -> Unsafe:
    return Unsafe(f"{file} is there already", "name another file, or use --force to replace it")


def _write(workspace: Workspace, out: IO[bytes]) -> list[str]:
    """Put everything into the archive; what cannot be read stops it, since a backup with holes is none."""
    folder = workspace.folder
    paths = list(_paths(folder))
    hashes: dict[str, str] = {}
    with (
        gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=6) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for number, path in enumerate(paths):
            name = path.relative_to(folder.root).as_posix()
            try:
                digest = _add(archive, path, name)
            except FileNotFoundError:
                continue  # deleted by its owner meanwhile
            except OSError as error:
                raise VaultMemError(f"cannot read {name}: {error.strerror}", "no backup was written") from error
            if digest:
                hashes[name.encode(errors="backslashreplace").decode()] = digest
            if workspace.progress is not None:
                workspace.progress(number + 1, len(paths))
        manifest = {
            "format": _FORMAT,
            "made": folder.now().isoformat(),
            "private_folder": folder.settings.private_folder.strip("/"),
            "files": hashes,
        }
        data = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode, info.mtime = len(data), 0o600, int(folder.now().timestamp())
        archive.addfile(info, io.BytesIO(data))
    return list(hashes)


def _add(archive: tarfile.TarFile, path: Path, name: str) -> str:
    """One file, folder or link, as it is in this moment. Returns a file's hash."""
    if path.is_symlink():
        archive.add(path, name, recursive=False)
        return _of_link(os.readlink(path))  # noqa: PTH115 - as text, like the archive has it
    if path.is_dir():
        archive.add(path, name, recursive=False)
        return ""
    with path.open("rb") as file:
        result = os.fstat(file.fileno())
        data = file.read()
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(data), stat.S_IMODE(result.st_mode), result.st_mtime_ns / 1e9
    archive.addfile(info, io.BytesIO(data))
    return hashlib.sha256(data).hexdigest()


def _of_link(target: str) -> str:
    return "link:" + target


def _paths(folder: Folder) -> Iterator[Path]:
    """Everything to be kept, folders before what is in them."""
    pending = [folder.root]
    while pending:
        place = pending.pop()
        with contextlib.ExitStack() as stack:
            try:
                entries = sorted(stack.enter_context(os.scandir(place)), key=lambda entry: entry.name)
            except OSError as error:
                raise VaultMemError(f"cannot read {place}: {error.strerror}", "no backup was written") from error
            for entry in entries:
                own = place == folder.own
                if (place == folder.root and entry.name == ".git") or (own and entry.name not in _OWN):
                    continue
                if entry.name.startswith(".vault-mem-") and entry.name.endswith(".tmp"):
                    continue
                if entry.is_symlink() or entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    yield Path(entry.path)
                    pending.append(Path(entry.path))
