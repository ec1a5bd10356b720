# ruff: noqa: RUF009 - the defaults are field descriptions, made once
"""Settings: every number with a meaning, its default and its reason, and where each may be set."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

from vault_mem.errors import SettingsError
from vault_mem.vault.tree import Tree

VAULT_FILE = "vault-mem.toml"


def _setting(
    default: Any, doc: str, *, user_only: bool = False, secret: bool = False, env: str = "", check: Any = None
) -> Any:
    metadata = {"doc": doc, "user_only": user_only, "secret": secret, "env": env, "check": check}
    if isinstance(default, list):
        return field(default_factory=lambda: list(default), metadata=metadata)
    return field(default=default, metadata=metadata)


# A setting that is never taken from a vault, only from the user's own file: a vault may come from a stranger.
_own = partial(_setting, user_only=True)
_SHARE = (0.0, 1.0)


def _folder(value: str) -> str:
    parts = value.strip("/").split("/")
    if value.startswith("/") or "\\" in value or any(part in ("", ".", "..") or part.startswith(".") for part in parts):
        return "should be the name of a folder in the vault"
    return ""


def _prefix(value: str) -> str:
    odd = re.search(r'[/\\:*?"<>|#^\[\]\x00-\x1f]', value) or value.startswith(".")
    return "should be the beginning of a file's name" if odd or len(value) > 60 else ""


def _note(value: str) -> str:
    return "" if value.endswith(".md") and not _folder(value) else "should be the path of a note in the vault"


def _place(value: str) -> str:
    """Refuse a relative path: it would put a vault's texts into whatever folder a command runs in."""
    full = not value or "://" in value or value.startswith("~/") or Path(value).is_absolute()
    return "" if full else "should be a full path, or an address such as s3://bucket/folder"


def _short(value: str) -> str:
    """A scaffold is read again and again, so it must be short."""
    return "should be at most 1000 characters" if len(value) > 1000 else ""


def _zone(value: str) -> str:
    try:
        zoneinfo.ZoneInfo(value)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return "should be a time zone such as Asia/Tokyo or UTC"
    return ""


@dataclass(frozen=True)
class Settings:
    """All settings of one vault."""

    timezone: str = _setting("UTC", "time zone of `created` and of every time without an offset", check=_zone)
    memories_folder: str = _setting("memories", "where public memories live", check=_folder)
    private_folder: str = _setting("private", "where private memories live; ignored by git", check=_folder)
    episodes_folder: str = _setting("episodes", "where episodes live", check=_folder)
    sessions_folder: str = _setting("sessions", "where captured sessions are kept; ignored by git", check=_folder)
    sessions_days: int = _setting(
        90, "how long captured sessions are kept, in days; 0 means forever", check=(0, 36_500)
    )
    session_kilobytes: int = _setting(
        1024, "maximum size of one session, in kB; the rest is left out", check=(16, 100_000)
    )
    include: list[str] = _setting([], "other notes to search, read-only, as globs: notes/**")
    ignore: list[str] = _setting(
        ["README.md", "templates/**", "_templates/**"], "notes that are not memories, as globs (folder notes never are)"
    )
    quiet_seconds: int = _setting(30, "seconds without an edit before a file counts as quiet", check=(0, 86_400))
    adopt_ids: str = _setting(
        "quiet", "write an id into a note that has none: quiet (once it is quiet) or never", check=("quiet", "never")
    )
    dedup_threshold: float = _setting(
        0.05, "a new memory nearer than this to an old one is a repetition and is not saved", check=_SHARE
    )
    dedup_mode: str = _setting(
        "judge",
        "what decides on a repetition: judge (near, and no fact differs) or distance (only the thresholds)",
        check=("judge", "distance"),
    )
    merge_threshold: float = _setting(0.10, "memories nearer than this are proposed for a merge", check=_SHARE)
    link_threshold: float = _setting(0.3, "a new memory is linked to old ones nearer than this", check=_SHARE)
    max_links: int = _setting(5, "maximum number of links a new memory gets", check=(0, 100))
    views: bool = _setting(True, "mirror public memories into memory/ and MEMORY.md")
    views_folder: str = _setting("memory", "where the daily logs and the latest monologue are", check=_folder)
    log_prefix: str = _setting(
        "",
        "what the name of a daily log begins with, before the date: 'memory ' makes memory 2026-11-16.md",
        check=_prefix,
    )
    digest_file: str = _setting("MEMORY.md", "the file that lists important memories", check=_note)
    curated_importance: int = _setting(4, "minimum importance of what MEMORY.md lists", check=(1, 6))
    curated_categories: list[str] = _setting(
        ["introspection", "decision", "lesson"], "memories of these categories are listed in MEMORY.md too"
    )
    title_aliases: bool = _setting(
        True, "in an Obsidian vault, write the title of a new memory as an alias, so that Obsidian finds and shows it"
    )
    people_links: bool = _setting(
        False, "write people of a new memory as links if the vault has a note of that name, for backlinks"
    )
    heal_links: bool = _setting(True, "after a file was renamed, write its new name into links to it, once quiet")
    private_moves: bool = _setting(
        True, "move a note whose `private` was changed into the private folder or out of it, once it is quiet"
    )
    late_words: bool = _setting(
        True, "bring back what a program wrote into a file that was moved or changed while it had it open"
    )
    tidy: bool = _setting(True, "close exact duplicates of facts, relations, tasks and summaries, in the daemon")
    tidy_first_turns: int = _setting(10, "turns before the first automatic tidy", check=(1, 1_000_000))
    tidy_turns: int = _setting(
        200, "turns between automatic tidies (a turn is a remember or a recall)", check=(1, 1_000_000)
    )
    review: bool = _setting(True, "write proposals into REVIEW.md, and apply those that are ticked, once it is quiet")
    candidates: bool = _setting(True, "propose in REVIEW.md what looks worth keeping in captured sessions")
    search_with: str = _setting(
        "auto",
        "how candidates are found: memory (all rows in memory, exact), lancedb (its indexes, less memory) or auto "
        "(lancedb from 100,000 rows on)",
        env="VAULT_MEM_SEARCH_WITH",
        check=("auto", "memory", "lancedb"),
    )
    journal_days: int = _setting(30, "how long operations can be undone, in days", check=(1, 3650))
    journal_megabytes: int = _setting(50, "maximum size of the undo journal, in MB", check=(1, 100_000))
    trash_days: int = _setting(30, "how long a forgotten memory can be restored, in days", check=(1, 3650))
    scaffold: bool = _setting(True, "end answers with a question to the agent, after ---")
    scaffold_saved: str = _setting("", "that question after remember; empty means the built-in one", check=_short)
    scaffold_duplicate: str = _setting("", "the same if remember refused a repetition", check=_short)
    scaffold_forgotten: str = _setting("", "the same after forget", check=_short)
    scaffold_candidates: str = _setting("", "the same if consolidate found near-duplicates", check=_short)
    scaffold_wake_up: str = _setting("", "the same after wake-up", check=_short)
    scaffold_introspect: str = _setting("", "the same after introspect", check=_short)
    model: str = _own(
        "", "embedding model: a model2vec folder or hub name; empty means the built-in one", env="VAULT_MEM_MODEL"
    )
    editor: str = _own("", "the editor that `edit` opens; empty means VISUAL or EDITOR from the environment")
    index_dir: str = _own(
        "",
        "where indexes are kept; empty means your cache folder; with s3://bucket/folder, machines share the work "
        "(docs/store.md)",
        env="VAULT_MEM_INDEX_DIR",
        check=_place,
    )
    store_options: list[str] = _own(
        [], 'options for the store in index_dir: ["endpoint=https://…", "access_key_id=…"]; never shown', secret=True
    )
    vault: str = _own("", "the vault to use if none is named and you are not in one", env="VAULT_MEM_VAULT")
    vaults: list[str] = _own([], 'vaults that answer together: ["~/me", "."]; "." is the one around the current folder')
    save_to: list[str] = _own([], 'where new memories of a kind or person go: ["kind:mood=~/me", "person:Kaya=~/me"]')
    follow_links: list[str] = _own([], "symbolic links in a vault to follow, by full path: ~/vault/private")
    autocommit: list[str] = _own([], "vaults that the daemon commits to git once they are quiet, by full path")
    idle_seconds: int = _own(1800, "seconds without a command until the daemon closes a vault", check=(1, 604_800))


BY_NAME = {each.name: each for each in fields(Settings)}


@dataclass(frozen=True)
class Loaded:
    """Settings, where each value came from, and warnings about what was ignored."""

    settings: Settings
    sources: dict[str, str]
    warnings: list[str]


def user_file(env: Mapping[str, str]) -> Path:
    """The user's own settings file."""
    base = env.get("XDG_CONFIG_HOME") or os.path.join(env.get("HOME") or str(Path.home()), ".config")  # noqa: PTH118
    return Path(base) / "vault-mem" / "config.toml"


def load_settings(root: Path | None, env: Mapping[str, str]) -> Loaded:
    """Settings from the vault's file, the user's, and the environment; the later wins."""
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    warnings: list[str] = []
    own = user_file(env)
    own_values = _read(own, Tree(Path(os.path.realpath(own)).parent))
    sources_read = [(own, own_values, True)]
    if root is not None:
        named = own_values.get("follow_links")
        tree = vault_tree(root, named if isinstance(named, list) else [])
        sources_read.insert(0, (root / VAULT_FILE, _read(root / VAULT_FILE, tree), False))
    for path, read_values, is_user in sources_read:
        for name, value in read_values.items():
            warning = _objection(name, is_user)
            if warning:
                warnings.append(f"{path.name}: {warning}")
                continue
            values[name] = checked(name, value, str(path))
            sources[name] = str(path)
    for name, each in BY_NAME.items():
        variable = each.metadata["env"]
        if variable and env.get(variable):
            values[name] = checked(name, env[variable], variable)
            sources[name] = variable
    settings = Settings(**values)
    check_folders(settings, str(root / VAULT_FILE) if root else "settings")
    return Loaded(settings, sources, warnings)


def vault_tree(root: Path, links: list[Any]) -> Tree:
    """The files of a vault, with the links in it that the user wants followed."""
    inside = os.path.join(root, "")  # noqa: PTH118
    paths = [os.path.normpath(os.path.expanduser(each)) for each in links if isinstance(each, str)]  # noqa: PTH111
    return Tree(root, frozenset(path.removeprefix(inside).replace(os.sep, "/") for path in paths))


def check_folders(settings: Settings, where: str) -> None:
    """Refuse folders that lie within one another."""

    def path(name: str, of: Settings = settings) -> str:
        return str(getattr(of, name)).strip("/").casefold() + "/"

    names = ("memories_folder", "private_folder", "episodes_folder")
    for name in ("views_folder", "digest_file"):
        own = path(name)
        if own != path(name, Settings()) and any(own.startswith(path(each)) for each in names):
            raise SettingsError(f"{where}: {name} lies among the notes: {own[:-1]!r}", "give it a place of its own")
    for name, other in permutations(names, 2):
        if path(name).startswith(path(other)):
            lies = f"{name} lies in {other}: {path(name)[:-1]!r}"
            raise SettingsError(f"{where}: {lies}", "give each a folder of its own")


def checked(name: str, value: Any, where: str) -> Any:
    """The value, or an error that names the setting, the file and what it takes."""
    default = getattr(Settings(), name)
    wanted = type(default)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    right = type(value) is wanted and (wanted is not list or all(isinstance(item, str) for item in value))
    if not right:
        given = "what it is" if BY_NAME[name].metadata["secret"] else repr(value)
        raise SettingsError(f"{where}: {name} should be {_words(wanted)}, not {given}", f"{name}: {doc_of(name)}")
    check = BY_NAME[name].metadata["check"]
    if callable(check):
        objection = check(value)
        if objection:
            raise SettingsError(f"{where}: {name} {objection}, not {value!r}")
        return value.strip("/") if check is _folder else value
    if check and isinstance(check[0], str) and value not in check:
        raise SettingsError(f"{where}: {name} should be one of {', '.join(check)}, not {value!r}")
    if check and not isinstance(check[0], str) and not check[0] <= value <= check[1]:
        raise SettingsError(f"{where}: {name} should be from {check[0]} to {check[1]}, not {value!r}")
    return value


def shown(name: str, value: Any) -> Any:
    """A setting's value as it may be printed: credentials are hidden."""
    if BY_NAME[name].metadata["secret"]:
        return [f"{each.partition('=')[0]}=(hidden)" if "=" in each else "(hidden)" for each in value]
    return re.sub(r"//[^/]*@", "//(hidden)@", value) if name == "index_dir" else value


def doc_of(name: str) -> str:
    """One line that says what a setting is for."""
    return str(BY_NAME[name].metadata["doc"])


def suggestion(name: str) -> str:
    """The setting that an unknown name may have meant."""
    near = difflib.get_close_matches(name, BY_NAME, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _objection(name: str, is_user: bool) -> str:
    if name not in BY_NAME:
        return f"unknown setting {name!r} is ignored{suggestion(name)}"
    if BY_NAME[name].metadata["user_only"] and not is_user:
        return f"{name} is ignored in a vault; set it in your own configuration (vault-mem config set --user)"
    return ""


def _read(path: Path, tree: Tree) -> dict[str, Any]:
    try:
        return tomllib.loads((tree.read(path.name) or b"").decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}", "fix the file; nothing was changed") from error
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error


def _words(kind: type) -> str:
    return {str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list of texts"}[kind]
