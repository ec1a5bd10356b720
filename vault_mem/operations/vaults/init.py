"""init: make a folder a vault, without touching anything that is already in it."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput, SettingsError, Unsafe, WriteFailed
from vault_mem.operations.vaults.joining import joining
from vault_mem.result import Result
from vault_mem.vault import files, git, walk
from vault_mem.vault.folder import Folder
from vault_mem.vault.settings import VAULT_FILE, Settings, check_folders, checked, load_settings, vault_tree
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PUBLIC_FOLDER_MODE, PUBLIC_MODE, PathRefused, Tree, name_of

EVERYTHING = ["**"]
_TEMPLATE = """\
# vault-mem settings. This file marks the folder as a vault; `vault-mem config` lists everything that can be set.
"""


@dataclass(frozen=True)
class InitResult(Result, left_out=("notices",), renamed={"root": "vault"}):
    """What init made and found: `notes` are memories now, `others` could be searched as well."""

    root: Path
    created: list[str]
    notes: int
    existed: bool
    notices: list[str] = field(default_factory=list)
    others: int = 0
    included: bool = False


def init(
    root: Path,
    env: Mapping[str, str],
    *,
    adopt: bool = False,
    adopt_ids: str | None = None,
    memories_folder: str | None = None,
    private_folder: str | None = None,
    episodes_folder: str | None = None,
    timezone: str | None = None,
    obsidian: bool = False,
    git: bool = False,
    nested: bool = False,
    include: bool = False,
) -> InitResult:
    """Make `root` a vault. Raises Unsafe if notes already lie where memories would live, unless `adopt`.

    The same if it lies inside another vault, unless `nested`. `obsidian` adds views, templates and property types,
    `git` lets git merge the vault, and `include` lets recall find all other notes (they are read and never written).
    These three also work on an existing vault.
    """
    if root.exists() and not root.is_dir():
        raise InvalidInput(f"{root} is a file, not a folder", "name a folder, new or existing")
    if (root / VAULT_FILE).exists():
        included = include and _include(root, env)
        result = InitResult(root, [], 0, existed=True, included=included)
        return _with_others(result, env, obsidian=obsidian, git=git)
    around = next((folder for folder in root.parents if (folder / VAULT_FILE).is_file()), None)
    if around is not None and not nested:
        raise Unsafe(
            f"{root} lies in the vault {around}, which would no longer see what is in it",
            f"use that one (--vault {around}), or --nested to make a vault in a vault",
        )
    given = {"memories_folder": memories_folder, "private_folder": private_folder, "episodes_folder": episodes_folder}
    _check(**given, timezone=timezone, adopt_ids=adopt_ids)
    folders: dict[str, Any] = {name: folder or getattr(Settings(), name) for name, folder in given.items()}
    tree = vault_tree(root, load_settings(None, env).settings.follow_links)
    found = {name: _notes(tree, name.strip("/")) if root.exists() else 0 for name in folders.values()}
    if any(found.values()) and not adopt:
        counts = ", ".join(f"{count} in {name}/" for name, count in found.items() if count)
        raise Unsafe(
            f"{root} already has notes where memories would live: {counts}",
            "use --adopt to make them memories (an id is written into each, once it is quiet), "
            "or choose other folders: --memories-folder agent/memories --private-folder agent/private "
            "--episodes-folder agent/episodes",
        )
    settings: dict[str, Any] = folders | {"timezone": timezone or local_timezone(env)}
    settings |= {"adopt_ids": adopt_ids} if adopt_ids else {}
    joined, notices = joining(tree, replace(Settings(), **folders))
    others = len(other_notes(root, env, folders))
    included = include and others > 0
    settings |= joined | ({"include": EVERYTHING} if included else {})
    defaults = vars(Settings())
    written = {name: value for name, value in settings.items() if value != defaults[name] or name == "timezone"}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in written.items()]
    created = _make(tree, "".join([_TEMPLATE, *lines]), folders)
    with contextlib.suppress(OSError, SettingsError):  # the index of an earlier vault in this folder
        (Folder(Path(os.path.realpath(root)), env).index_dir / "current").unlink()
    result = InitResult(root, created, sum(found.values()), False, notices, others, included)
    return _with_others(result, env, obsidian=obsidian, git=git)


def other_notes(root: Path, env: Mapping[str, str], folders: Mapping[str, str | None]) -> list[str]:
    """The notes of a folder that would not become memories, but could be searched."""
    if not root.is_dir():
        return []
    folder = Folder(Path(os.path.realpath(root)), env)
    given: dict[str, Any] = {name: value for name, value in folders.items() if value}
    settings = replace(folder.settings, **given)
    folder.settings = replace(settings, **joining(folder.tree, settings)[0])
    return walk.other_notes(folder)


def _include(root: Path, env: Mapping[str, str]) -> bool:
    """Let recall search all other notes of a vault. Returns whether the setting was changed."""
    from vault_mem.operations.vaults.configure import change

    before = load_settings(root, env).settings.include
    if before == EVERYTHING:
        return False
    change(root, env, "include", ",".join(EVERYTHING), user=False)
    return True


def would_add(root: Path, folders: Mapping[str, str | None]) -> list[str]:
    """What init would add to a folder that has files already; nothing if it is empty or already a vault."""
    if (root / VAULT_FILE).exists() or not root.is_dir() or not any(root.iterdir()):
        return []
    memories = (folders.get("memories_folder") or Settings().memories_folder).strip("/")
    private = (folders.get("private_folder") or Settings().private_folder).strip("/")
    listed = root / ".gitignore"
    before = listed.read_bytes() if listed.exists() else None
    ignored = git.ignoring(before, private) != before
    return [
        VAULT_FILE,
        *(f"{name}/" for name in (memories, private) if not (root / name).exists()),
        *([f"{private}/ and .vault-mem/ in .gitignore"] if ignored else []),
    ]


def _with_others(result: InitResult, env: Mapping[str, str], *, obsidian: bool, git: bool) -> InitResult:
    """The result, after adding what Obsidian and git need."""
    if obsidian:
        from vault_mem.operations.vaults.obsidian import add_obsidian

        added = add_obsidian(result.root, load_settings(result.root, env).settings)
        result = replace(result, created=[*result.created, *added.created], notices=[*result.notices, *added.notices])
    if git:
        from vault_mem.operations.git.git_setup import add_git

        created, notices = add_git(Folder(Path(os.path.realpath(result.root)), env))
        result = replace(result, created=[*result.created, *created], notices=[*result.notices, *notices])
    return result


def _check(**given: str | None) -> None:
    values = {name: value for name, value in given.items() if value is not None}
    try:
        check_folders(Settings(**{name: checked(name, value, "init") for name, value in values.items()}), "init")
    except SettingsError as error:
        raise InvalidInput(error.message, error.hint or "nothing was made") from error


def local_timezone(env: Mapping[str, str]) -> str:
    """The name of this machine's time zone, or UTC if it is unknown."""
    import zoneinfo

    candidates = [env.get("TZ", "").lstrip(":")]
    real = os.path.realpath("/etc/localtime")
    if "zoneinfo/" in real:
        candidates.append(real.split("zoneinfo/", 1)[1])
    for name in candidates:
        try:
            if name:
                key = zoneinfo.ZoneInfo(name).key
                return "UTC" if key in ("Etc/UTC", "Etc/UCT", "Zulu") else key
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return "Asia/Tokyo" if time.timezone == -9 * 3600 else "UTC"


def _notes(tree: Tree, folder: str) -> int:
    """How many notes are in a folder, not counting hidden ones."""
    found = (key for _, _, keys in tree.walk_shown(folder) for key in keys)
    return sum(key.lower().endswith(".md") and not name_of(key).startswith(".") for key in found)


def _make(tree: Tree, settings: str, folders: dict[str, str]) -> list[str]:
    created: list[str] = []
    try:
        if not tree.root.exists():
            tree.root.mkdir(parents=True)
            created.append("./")
        for name, mode in (("memories_folder", PUBLIC_FOLDER_MODE), ("private_folder", PRIVATE_FOLDER_MODE)):
            folder = folders[name].strip("/")
            created += [f"{folder}/"] if tree.make_folder(folder, mode) else []
        before = tree.read(".gitignore")
        ignored = git.ignoring(before, folders["private_folder"].strip("/"))
        if files.put(tree, ".gitignore", before, ignored, PUBLIC_MODE):
            created.append(".gitignore")
        files.create(tree, VAULT_FILE, settings.encode(), PUBLIC_MODE)
    except OSError as error:
        where = f"{error.filename}: " if isinstance(error, PathRefused) else ""
        raise WriteFailed(
            f"cannot make a vault in {tree.root}: {where}{error.strerror}", "check permissions and space"
        ) from error
    return [*created, VAULT_FILE]
