"""init in an existing Obsidian vault: our files avoid its names, and its templates are not taken for notes (O-6)."""

from __future__ import annotations

import re
from typing import Any

from vault_mem.notes.links import name_key
from vault_mem.vault import jsonc
from vault_mem.vault.settings import Settings
from vault_mem.vault.tree import Tree

# The folder of the views, the prefix of daily logs, and the name of the digest; the first free set is used.
_NAMES = (
    ("memory-log", "memory ", "memory digest"),
    ("agent-memory-log", "agent memory ", "agent memory digest"),
    ("vault-mem-log", "vault-mem ", "vault-mem digest"),
)
_MONOLOGUE = "inner-monologue-latest"
# Where Obsidian and the Templater plugin store which folder has the templates.
_TEMPLATES = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)


def joining(tree: Tree, settings: Settings) -> tuple[dict[str, Any], list[str]]:
    """Settings that keep our files out of the owner's way, and notices about them; none in any other folder."""
    if not tree.root.is_dir() or not tree.exists(".obsidian"):
        return {}, []
    shown = (each for _, folders, others in tree.walk_shown() for each in (*folders, *others))
    taken = set(map(name_key, shown))
    chosen, notices = _views(taken)
    templates = [f"{folder}/**" for folder in template_folders(tree)]
    ignore = [each for each in templates if each.casefold() not in settings.ignore]
    if ignore:
        chosen["ignore"] = [*settings.ignore, *ignore]
    if "review.md" in taken:
        chosen["review"] = False
        notices.append("REVIEW.md is yours: proposals are not written there (setting review)")
    return chosen, notices


def _views(taken: set[str]) -> tuple[dict[str, Any], list[str]]:
    names = {each.rpartition("/")[2] for each in taken}
    for folder, prefix, digest in _NAMES:
        log = re.compile(rf"{re.escape(prefix)}\d{{4}}-\d{{2}}-\d{{2}}\.md")
        if folder not in taken and not names & {f"{digest}.md", f"{_MONOLOGUE}.md"} and not any(map(log.match, names)):
            chosen = {"views_folder": folder, "log_prefix": prefix, "digest_file": f"{folder}/{digest}.md"}
            return chosen, [f"views have a folder and names of their own here: {folder}/{prefix}2026-11-16.md"]
    return {"views": False}, ["no views are written here: every name for them is taken (setting views)"]


def template_folders(tree: Tree) -> list[str]:
    """The folders in which Obsidian and its plugins look for templates."""
    found = []
    for key, name in _TEMPLATES:
        try:
            named = jsonc.parse((tree.read(key) or b"").decode()).value[name]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        folder = named.strip("/") if isinstance(named, str) else ""
        if folder and ".." not in folder.split("/") and folder not in found:
            found.append(folder)
    return found
