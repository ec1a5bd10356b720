"""backup: the whole vault in one file that only its owner can read, with the private memories that git does not keep.

It has what a person would want back: every file of the vault, and from `.vault-mem/` the trash, the logs and the
refused texts. It leaves out the index (made from the files), the undo journal (useless elsewhere), locks, and `.git`,
which is a store of its own.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import secrets
import shutil
import stat
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from vault_mem.errors import InvalidInput, NotFound, Unsafe, VaultMemError, WriteFailed
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.journal import writing
from vault_mem.vault.tree import TEMPORARY, Tree, name_of, native

MANIFEST = ".vault-mem/backup.json"
_OWN = ("trash", "blocked", "deletions.jsonl", "activity.jsonl", "declined.jsonl")
_FORMAT = 1


@dataclass(frozen=True)
class BackupResult(Result):
    """What was written, checked or restored; `wrong` lists what is damaged or missing."""

    file: Path
    files: int
    private: int
    bytes: int
    made: str = ""
    wrong: list[str] = field(default_factory=list)
    folder: Path | None = None  # where it was unpacked

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        status = "damaged" if self.wrong else "restored" if self.folder else "written"
        return as_record(self, *(() if self.folder else ("folder",)), status=status)


def backup(workspace: Workspace, file: Path, *, force: bool = False) -> BackupResult:
    """Write an archive of the vault, completely or not at all, without holding up writers."""
    folder = workspace.folder
    _refuse_target(folder, file, force)
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
        Tree(file.parent).sync_folder("")
    except OSError as error:
        raise WriteFailed(f"cannot write {file}: {error.strerror}", "nothing was half-written") from error
    finally:
        temporary.unlink(missing_ok=True)
    private = sum(map(folder.is_private, held))
    return BackupResult(file, len(held), private, file.stat().st_size, folder.now().isoformat())


def check(file: Path) -> BackupResult:
    """Read a whole archive and compare it with the list of files inside it."""
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
        wrong.append("it has no list of its files: it is not a backup of vault-mem, or not a complete one")
        listed = {}
    wrong += [f"{name} is missing" for name in listed if name not in found]
    wrong += [f"{name} is not what was backed up" for name in listed if name in found and found[name] != listed[name]]
    private = str((manifest or {}).get("private_folder", "private")) + "/"
    made = str((manifest or {}).get("made", ""))
    size = file.stat().st_size
    return BackupResult(file, len(found), sum(name.startswith(private) for name in found), size, made, wrong)


def restore_backup(file: Path, folder: Path) -> BackupResult:
    """Unpack an undamaged archive into a new or empty folder, completely or not at all."""
    found = check(file)
    if found.wrong:
        raise Unsafe(f"{file} is damaged: {found.wrong[0]}", "nothing was unpacked; `backup --check` lists everything")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Unsafe(f"{folder} is not empty", "name a new folder")
    temporary = folder.with_name(f".vault-mem-{secrets.token_hex(6)}.tmp")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        with tarfile.open(file, "r:gz") as archive:
            _unpack(archive, temporary)
        if folder.exists():
            folder.rmdir()
        temporary.rename(folder)
    except OSError as error:
        raise WriteFailed(f"cannot write {folder}: {error.strerror}", "nothing was unpacked") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return replace(found, folder=folder)


def _unpack(archive: tarfile.TarFile, root: Path) -> None:
    """Unpack everything but the list of files. Links come last, so that no file is written through one."""
    folders: list[tuple[Path, int]] = []
    links: list[tuple[Path, str]] = []
    for member in archive:
        parts = PurePosixPath(member.name).parts
        if member.name == MANIFEST:
            continue
        if not parts or ".." in parts or parts[0] == "/" or "\\" in member.name or ":" in parts[0]:
            raise Unsafe(f"{member.name} would not be in the vault", "nothing was unpacked")
        path = root.joinpath(*parts)
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
            folders.append((path, member.mode))
        elif member.issym():
            links.append((path, member.linkname))
        elif (content := archive.extractfile(member)) is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(path, flags, stat.S_IMODE(member.mode)), "wb") as out:
                out.write(content.read())
            os.utime(path, (member.mtime, member.mtime))
    for path, target in links:
        path.symlink_to(target)
    for path, mode in folders:
        path.chmod(stat.S_IMODE(mode))


def _refuse_target(folder: Folder, file: Path, force: bool) -> None:
    if not file.parent.is_dir():
        raise InvalidInput(f"{file.parent} is not a folder", "make it first")
    if file.is_dir():
        raise InvalidInput(f"{file} is a folder", "name the file to write, such as vault.tar.gz")
    real = Path(os.path.realpath(file.parent)) / file.name
    if real.is_relative_to(folder.root) and not real.is_relative_to(folder.shown(OWN)):
        raise Unsafe(f"{file} lies in the vault, where git and sync services would pick it up", "name a place outside")
    if file.exists() and not force:
        raise _exists(file)


def _exists(file: Path) -> Unsafe:
    return Unsafe(f"{file} already exists", "name another file, or use --force to replace it")


def _write(workspace: Workspace, out: IO[bytes]) -> list[str]:
    """Put everything into the archive. A file that cannot be read raises, since a backup must be complete."""
    folder = workspace.folder
    keys = list(_keys(folder))
    hashes: dict[str, str] = {}
    with (
        gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=6) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for number, key in enumerate(keys):
            name = native(key)
            try:
                digest = _add(archive, folder.tree, key)
            except FileNotFoundError:
                continue  # deleted meanwhile
            except OSError as error:
                raise VaultMemError(f"cannot read {name}: {error.strerror}", "no backup was written") from error
            if digest:
                hashes[name.encode(errors="backslashreplace").decode()] = digest
            if workspace.progress is not None:
                workspace.progress(number + 1, len(keys))
        manifest = {
            "format": _FORMAT,
            "made": folder.now().isoformat(),
            "private_folder": folder.settings.private_folder,
            "files": hashes,
        }
        data = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode, info.mtime = len(data), 0o600, int(folder.now().timestamp())
        archive.addfile(info, io.BytesIO(data))
    return list(hashes)


def _add(archive: tarfile.TarFile, tree: Tree, key: str) -> str:
    """One file, folder or link, as it is at this moment. Returns a file's hash."""
    found = tree.stat(key)
    if found is None:
        raise FileNotFoundError(key)
    info = tarfile.TarInfo(native(key))
    info.mode, info.mtime = stat.S_IMODE(found.st_mode), found.st_mtime_ns / 1e9
    if stat.S_ISLNK(found.st_mode):
        info.type, info.linkname = tarfile.SYMTYPE, tree.link_target(key)
        archive.addfile(info)
        return _of_link(info.linkname)
    if stat.S_ISDIR(found.st_mode):
        info.type = tarfile.DIRTYPE
        archive.addfile(info)
        return ""
    with tree.opened(key) as handle, os.fdopen(handle, "rb", closefd=False) as file:
        data = file.read()
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
    return hashlib.sha256(data).hexdigest()


def _of_link(target: str) -> str:
    return "link:" + target


def _keys(folder: Folder) -> Iterator[str]:
    """Everything to back up, folders before their contents."""
    try:
        for parent, folders, others in folder.tree.walk():
            if parent == OWN:
                folders[:] = [key for key in folders if name_of(key) in _OWN]
                others = [key for key in others if name_of(key) in _OWN]
            elif not parent:
                folders[:] = [key for key in folders if key != ".git"]
            yield from ([parent] if parent else [])
            for key in others:
                found = folder.tree.stat(key)  # anything but files and links, such as a FIFO, is left out
                kept = found is not None and (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode))
                if kept and not (name_of(key).startswith(TEMPORARY) and key.endswith(".tmp")):
                    yield key
    except OSError as error:
        raise VaultMemError(f"cannot read {error.filename}: {error.strerror}", "no backup was written") from error
