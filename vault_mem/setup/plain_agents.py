"""Agents without hooks: each gets a server, a skill and lines of instructions. One row each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vault_mem.setup.options import SKILL, Needs, SetupOptions, server_arguments
from vault_mem.setup.pieces import Addition, Piece

Places = tuple[str, str]  # for a project and for the user, below the folders in `_folders`; empty if there is none


@dataclass(frozen=True)
class _Row:
    """Where an agent keeps servers (and under which key), skills and instructions, and how sure that is."""

    name: str
    settings: Places
    key: str
    skills: Places
    lines: Places
    source: str
    entry: Callable[[SetupOptions], dict[str, Any]] = lambda options: _flat(options)
    notice: str = ""


def _flat(options: SetupOptions) -> dict[str, Any]:
    return {"command": "vault-mem", "args": server_arguments(options)}


def _folders(options: SetupOptions) -> dict[str, Path]:
    """What the places in the table begin with."""
    config = options.named("XDG_CONFIG_HOME", options.home / ".config")
    cline = options.named("CLINE_DIR", options.home / ".cline")
    cline_data = options.named("CLINE_DATA_DIR", cline / "data")
    return {
        "project": options.project,
        "home": options.home,
        "config": config,
        "cline": cline,
        "cline_settings": options.named("CLINE_MCP_SETTINGS_PATH", cline_data / "settings/cline_mcp_settings.json"),
        "code": (options.home / "Library/Application Support" if sys.platform == "darwin" else config) / "Code/User",
    }


_TO_THE_PROJECT = ("{project}/AGENTS.md", "")
_DOCUMENTED = "this follows its documentation; it was not run"

_ROWS = {
    "cline": _Row(
        "Cline",
        ("", "{cline_settings}"),
        "mcpServers",
        ("{project}/.cline", "{cline}"),
        ("{project}/AGENTS.md", "{home}/.agents/AGENTS.md"),
        "its own command writes the same entry",
        lambda options: {"transport": {"type": "stdio", **_flat(options)}},
    ),
    "amp": _Row(
        "Amp",
        ("{project}/.amp/settings.json", "{config}/amp/settings.json"),
        "amp.mcpServers",
        ("{project}/.agents", "{config}/agents"),
        ("{project}/AGENTS.md", "{config}/amp/AGENTS.md"),
        "its own command writes the same entry",
        notice="Amp starts a project's server once you have run `amp mcp approve vault-mem` there.",
    ),
    "vscode": _Row(
        "VS Code",
        ("{project}/.vscode/mcp.json", "{code}/mcp.json"),
        "servers",
        ("{project}/.github", "{home}/.copilot"),
        _TO_THE_PROJECT,
        _DOCUMENTED,
        lambda options: {"type": "stdio", **_flat(options)},
        notice="VS Code asks once whether it may start a project's server.",
    ),
    "windsurf": _Row(
        "Windsurf",
        ("", "{home}/.codeium/windsurf/mcp_config.json"),
        "mcpServers",
        ("{project}/.windsurf", "{home}/.codeium/windsurf"),
        _TO_THE_PROJECT,
        _DOCUMENTED,
    ),
    "zed": _Row(
        "Zed",
        ("{project}/.zed/settings.json", "{config}/zed/settings.json"),
        "context_servers",
        ("{project}/.agents", "{home}/.agents"),
        _TO_THE_PROJECT,
        _DOCUMENTED,
        notice="Zed starts a project's server once you have trusted the project.",
    ),
    "goose": _Row(
        "goose",
        ("", "{config}/goose/config.yaml"),
        "extensions",
        ("{project}/.agents", "{home}/.agents"),
        ("{project}/AGENTS.md", "{config}/goose/.goosehints"),
        _DOCUMENTED,
        lambda options: {
            "enabled": True,
            "type": "stdio",
            "name": "vault-mem",
            "cmd": "vault-mem",
            "args": server_arguments(options),
            "timeout": 300,
        },
    ),
}
PLAIN = tuple(_ROWS)


def plain_needs(options: SetupOptions) -> Needs:
    """Everything that such an agent needs."""
    row = _ROWS[options.agent]
    number, folders = 0 if options.scope == "project" else 1, _folders(options)
    settings, skills, lines = (places[number].format(**folders) for places in (row.settings, row.skills, row.lines))
    found = Needs()
    if options.surface == "mcp" and not settings:
        found.notices.append(f"{row.name} keeps its servers in your home folder only: use --user for that.")
    elif options.surface == "mcp":
        kind = "yaml" if settings.endswith(".yaml") else "json"
        found.pieces.append(
            Piece(Path(settings), kind, entries=(Addition((row.key, "vault-mem"), row.entry(options)),))
        )
    found.pieces.append(Piece(Path(skills) / SKILL, "file", options.skill))
    if lines:
        found.pieces.append(Piece(Path(lines), "block", options.lines))
    if row.notice and options.scope == "project":
        found.notices.append(row.notice)
    if options.capture or options.per_prompt:
        found.notices.append(f"{row.name} has no hook for this: there is no capture and no hint per prompt.")
    found.notices.append(f"{row.name}: {row.source} (docs/setup.md).")
    return found
