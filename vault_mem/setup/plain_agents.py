"""Agents without hooks: each gets a server, a skill and lines of instructions. One row each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vault_mem.setup.pieces import Addition, Piece
from vault_mem.setup.wish import SKILL, Needs, Wish, server_arguments

Places = tuple[Path | None, Path | None]  # for a project and for the user; None if there is none


@dataclass(frozen=True)
class _Row:
    """Where an agent keeps servers (and under which key), skills and instructions, and how sure that is."""

    name: str
    settings: Callable[[Wish], Places]
    key: str
    skills: Callable[[Wish], Places]
    lines: Callable[[Wish], Places]
    source: str
    entry: Callable[[Wish], dict[str, Any]] = lambda wish: _flat(wish)
    notice: str = ""


def _flat(wish: Wish) -> dict[str, Any]:
    return {"command": "vault-mem", "args": server_arguments(wish)}


def _config(wish: Wish) -> Path:
    return wish.named("XDG_CONFIG_HOME", wish.home / ".config")


def _cline(wish: Wish) -> Path:
    return wish.named("CLINE_DIR", wish.home / ".cline")


def _cline_settings(wish: Wish) -> Path:
    data = wish.named("CLINE_DATA_DIR", _cline(wish) / "data")
    return wish.named("CLINE_MCP_SETTINGS_PATH", data / "settings/cline_mcp_settings.json")


def _code(wish: Wish) -> Path:
    mac = wish.home / "Library/Application Support"
    return (mac if sys.platform == "darwin" else _config(wish)) / "Code/User"


def _agents_md(wish: Wish) -> Places:
    return wish.project / "AGENTS.md", None


_DOCUMENTED = "this follows its documentation; it was not run"

_ROWS = {
    "cline": _Row(
        "Cline",
        lambda wish: (None, _cline_settings(wish)),
        "mcpServers",
        lambda wish: (wish.project / ".cline", _cline(wish)),
        lambda wish: (wish.project / "AGENTS.md", wish.home / ".agents/AGENTS.md"),
        "its own command writes the same entry",
        lambda wish: {"transport": {"type": "stdio", **_flat(wish)}},
    ),
    "amp": _Row(
        "Amp",
        lambda wish: (wish.project / ".amp/settings.json", _config(wish) / "amp/settings.json"),
        "amp.mcpServers",
        lambda wish: (wish.project / ".agents", _config(wish) / "agents"),
        lambda wish: (wish.project / "AGENTS.md", _config(wish) / "amp/AGENTS.md"),
        "its own command writes the same entry",
        notice="Amp starts a project's server once you have run `amp mcp approve vault-mem` there.",
    ),
    "vscode": _Row(
        "VS Code",
        lambda wish: (wish.project / ".vscode/mcp.json", _code(wish) / "mcp.json"),
        "servers",
        lambda wish: (wish.project / ".github", wish.home / ".copilot"),
        _agents_md,
        _DOCUMENTED,
        lambda wish: {"type": "stdio", **_flat(wish)},
        notice="VS Code asks once whether it may start a project's server.",
    ),
    "windsurf": _Row(
        "Windsurf",
        lambda wish: (None, wish.home / ".codeium/windsurf/mcp_config.json"),
        "mcpServers",
        lambda wish: (wish.project / ".windsurf", wish.home / ".codeium/windsurf"),
        _agents_md,
        _DOCUMENTED,
    ),
    "zed": _Row(
        "Zed",
        lambda wish: (wish.project / ".zed/settings.json", _config(wish) / "zed/settings.json"),
        "context_servers",
        lambda wish: (wish.project / ".agents", wish.home / ".agents"),
        _agents_md,
        _DOCUMENTED,
        notice="Zed starts a project's server once you have trusted the project.",
    ),
    "goose": _Row(
        "goose",
        lambda wish: (None, _config(wish) / "goose/config.yaml"),
        "extensions",
        lambda wish: (wish.project / ".agents", wish.home / ".agents"),
        lambda wish: (wish.project / "AGENTS.md", _config(wish) / "goose/.goosehints"),
        _DOCUMENTED,
        lambda wish: {
            "enabled": True,
            "type": "stdio",
            "name": "vault-mem",
            "cmd": "vault-mem",
            "args": server_arguments(wish),
            "timeout": 300,
        },
    ),
}
PLAIN = tuple(_ROWS)


def plain_needs(wish: Wish) -> Needs:
    """Everything that such an agent needs."""
    row = _ROWS[wish.agent]
    number = 0 if wish.scope == "project" else 1
    settings, skills, lines = (places(wish)[number] for places in (row.settings, row.skills, row.lines))
    found = Needs()
    if wish.surface == "mcp" and settings is None:
        found.notices.append(f"{row.name} keeps its servers in your home folder only: use --user for that.")
    elif wish.surface == "mcp" and settings is not None:
        kind = "yaml" if settings.suffix == ".yaml" else "json"
        found.pieces.append(Piece(settings, kind, entries=(Addition((row.key, "vault-mem"), row.entry(wish)),)))
    if skills is not None:
        found.pieces.append(Piece(skills / SKILL, "file", wish.skill))
    if lines is not None:
        found.pieces.append(Piece(lines, "block", wish.lines))
    if row.notice and wish.scope == "project":
        found.notices.append(row.notice)
    if wish.capture or wish.per_prompt:
        found.notices.append(f"{row.name} has no hook for this: there is no capture and no hint per prompt.")
    found.notices.append(f"{row.name}: {row.source} (docs/setup.md).")
    return found
