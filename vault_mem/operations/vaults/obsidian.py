"""What `init --obsidian` adds for Obsidian: views, templates, property types. No note is touched."""

from __future__ import annotations

import json
import stat
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from vault_mem.errors import VaultMemError
from vault_mem.fields import Form
from vault_mem.model import FIELDS
from vault_mem.operations.vaults.joining import template_folders
from vault_mem.vault import files, jsonc
from vault_mem.vault.settings import Settings, vault_tree
from vault_mem.vault.tree import PUBLIC_FOLDER_MODE, PUBLIC_MODE, Tree, parent_of

BASE = "memories.base"
TYPES = ".obsidian/types.json"
# Obsidian's names for property types. Text is its default, and it knows tags and aliases itself.
_PROPERTIES = {
    Form.TEXTS: "multitext",
    Form.NAMES: "multitext",
    Form.WHOLE: "number",
    Form.NUMBER: "number",
    Form.FLAG: "checkbox",
    Form.TIME: "datetime",
}
PROPERTY_TYPES = {"created": "datetime", "links": "multitext"} | {
    name: _PROPERTIES[each.form]
    for name, each in FIELDS.items()
    if each.form in _PROPERTIES and name not in ("tags", "aliases")
}

# No `id` (vault-mem gives it) and no `private`: a template must not decide that, and an empty checkbox would.
_NOW = '"{{date:YYYY-MM-DD}}T{{time:HH:mm:ss}}"'
TEMPLATES = {
    "Memory.md": f"---\ncreated: {_NOW}\nimportance: 3\ncategory: daily\ntags: []\npeople: []\n---\n",
    "Fact.md": f"---\ncreated: {_NOW}\nimportance: 3\nkind: fact\ntags: []\npeople: []\n---\n",
    "Task.md": f"---\ncreated: {_NOW}\nimportance: 3\nkind: task\nstatus: open\nabout_time:\npeople: []\n---\n",
}


class AddedFiles(NamedTuple):
    """What was made, and what a person should know."""

    created: list[str]
    notices: list[str]


def add_obsidian(root: Path, settings: Settings) -> AddedFiles:
    """Add views, templates and property types, each only if it is missing."""
    result = AddedFiles([], [])
    tree = vault_tree(root, settings.follow_links)
    _create(tree, BASE, base_text(settings), result)
    folder = _template_folder(tree, settings)
    for name, text in TEMPLATES.items():
        _create(tree, f"{folder}/{name}", text, result)
    _types(tree, result)
    return result


def base_text(settings: Settings) -> str:
    """The views of the memories, for Obsidian's Bases."""
    text = resources.files("vault_mem.operations.vaults").joinpath(BASE).read_text(encoding="utf-8")
    folders = (settings.memories_folder, settings.private_folder)
    # escaped twice: for a string in an expression, inside a single-quoted YAML string
    memories, private = (json.dumps(each.strip("/"), ensure_ascii=False).replace("'", "''") for each in folders)
    return text.format(memories=memories, private=private)


def _create(tree: Tree, key: str, text: str, result: AddedFiles) -> None:
    with files.failures(tree.path(key)):
        before = tree.read(key)
    if before is not None:
        if before != text.encode():
            result.notices.append(f"{key} already exists and stays as it is")
        return
    if parent_of(key):
        files.make_folder(tree, parent_of(key), PUBLIC_FOLDER_MODE)
    files.create(tree, key, text.encode(), PUBLIC_MODE)
    result.created.append(key)


def _template_folder(tree: Tree, settings: Settings) -> str:
    """Obsidian's template folder in this vault; ours if there is none, or if it is among the memories."""
    folder = next(iter(template_folders(tree)), "")
    owned = (settings.memories_folder, settings.private_folder, settings.episodes_folder)
    found = tree.stat(folder) if folder else None
    inside = folder and (found is None or stat.S_ISDIR(found.st_mode))
    if not inside or any(f"{folder}/".startswith(f"{name.strip('/')}/") for name in owned):
        return "templates"
    return folder


def _types(tree: Tree, result: AddedFiles) -> None:
    """Add the types of our properties to the vault's, unless it has them already."""
    with files.failures(tree.path(TYPES)):
        before = tree.read(TYPES)
    if before is None:
        _create(tree, TYPES, json.dumps({"types": PROPERTY_TYPES}, indent=2) + "\n", result)
        return
    try:
        text = before.decode()
        known = jsonc.parse(text).value.get("types", {}) if text.strip() else {}
        for name, kind in PROPERTY_TYPES.items():
            if name not in known:
                text, _, _ = jsonc.inserted(text, ("types", name), kind, append=False)
            elif known[name] != kind:
                result.notices.append(f"{TYPES}: {name} is {known[name]!r} in this vault and stays so, not {kind!r}")
    except (ValueError, TypeError, AttributeError, RecursionError, VaultMemError) as error:
        result.notices.append(f"{TYPES} is left alone: {error}")
        return
    if text.encode() != before:
        files.replace(tree, TYPES, before, text.encode())
        result.created.append(TYPES)
