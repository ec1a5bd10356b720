"""What each agent needs, and where it looks for it. docs/setup.md says where this knowledge comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.setup import texts
from vault_mem.setup.pieces import TOML_BEGIN, TOML_END, Entry, Piece
from vault_mem.vault import jsonc

AGENTS = ("claude-code", "codex", "openclaw", "cursor", "generic")
SURFACES = ("mcp", "cli")
_SKILL = "skills/vault-mem/SKILL.md"
# A session waits for its hook: longer than a cold start takes, and no longer than a person bears.
_SECONDS = 30


@dataclass(frozen=True)
class Wish:
    """What is to be set up: for which agent, for this project or for the user, by tools or by commands."""

    agent: str
    scope: str
    surface: str
    project: Path
    env: Mapping[str, str]
    vault: Path | None = None
    private_too: bool = False

    @property
    def home(self) -> Path:
        """The user's home folder."""
        return Path(self.env.get("HOME") or Path.home())

    @property
    def base(self) -> Path:
        """The folder it is about: the project's, or home."""
        return self.project if self.scope == "project" else self.home


@dataclass
class Needs:
    """The pieces an agent needs, and what a person should know or do besides."""

    pieces: list[Piece] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def default_scope(agent: str) -> str:
    """Where an agent is set up unless it is said otherwise."""
    return "user" if agent == "openclaw" else "project"


def needs(wish: Wish) -> Needs:
    """All that an agent needs."""
    makers = {"claude-code": _claude_code, "codex": _codex, "cursor": _cursor, "openclaw": _openclaw}
    if wish.agent not in AGENTS:
        raise InvalidInput(f"unknown agent {wish.agent!r}", f"one of {', '.join(AGENTS)}")
    return makers.get(wish.agent, _generic)(wish)


def _claude_code(wish: Wish) -> Needs:
    folder = wish.base / ".claude"
    entries = _hook_entries(wish)
    found = Needs([Piece(folder / "settings.json", "json", entries=entries)])
    if wish.surface == "mcp":
        path = wish.project / ".mcp.json" if wish.scope == "project" else wish.home / ".claude.json"
        found.pieces.insert(0, Piece(path, "json", entries=(_server(wish, ("mcpServers",)),)))
    found.pieces.append(Piece(folder / _SKILL, "file", texts.skill(wish.surface)))
    notes = wish.project / "CLAUDE.md" if wish.scope == "project" else folder / "CLAUDE.md"
    found.pieces.append(Piece(notes, "block", texts.lines(wish.surface)))
    return found


def _codex(wish: Wish) -> Needs:
    home = Path(wish.env.get("CODEX_HOME") or wish.home / ".codex")
    folder = wish.project / ".codex" if wish.scope == "project" else home
    found = Needs()
    if wish.surface == "mcp":
        command, args = _command(wish)
        text = (
            f"[mcp_servers.vault-mem]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args, ensure_ascii=False)}\n"
        )
        found.pieces.append(Piece(folder / "config.toml", "toml", f"{TOML_BEGIN}\n{text}{TOML_END}\n"))
    found.pieces += [
        Piece(folder / "hooks.json", "json", entries=_hook_entries(wish)),
        Piece(wish.base / ".agents" / _SKILL, "file", texts.skill(wish.surface)),
        Piece((wish.project if wish.scope == "project" else home) / "AGENTS.md", "block", texts.lines(wish.surface)),
    ]
    found.notices.append("Codex asks once whether it may run these hooks; older versions need `codex_hooks = true`.")
    return found


def _cursor(wish: Wish) -> Needs:
    folder = wish.base / ".cursor"
    start = Entry(("hooks", "sessionStart"), {"command": _wake_up(wish)}, append=True)
    version = Entry(("version",), 1, weak=True)
    found = Needs([Piece(folder / "hooks.json", "json", entries=(version, start))])
    if wish.surface == "mcp":
        found.pieces.insert(0, Piece(folder / "mcp.json", "json", entries=(_server(wish, ("mcpServers",)),)))
    found.pieces.append(Piece(folder / _SKILL, "file", texts.skill(wish.surface)))
    if wish.scope == "project":
        found.pieces.append(Piece(folder / "rules/vault-mem.mdc", "file", texts.rule(wish.surface)))
    else:
        found.notices.append("Cursor keeps user rules in its settings, not in a file; the skill says the same.")
    return found


def _openclaw(wish: Wish) -> Needs:
    settings = Path(wish.env.get("OPENCLAW_CONFIG_PATH") or wish.home / ".openclaw/openclaw.json")
    workspace = wish.project if wish.scope == "project" else _workspace(settings, wish.home)
    found = Needs()
    if wish.surface == "mcp" and wish.scope == "user":
        found.pieces.append(Piece(settings, "json", entries=(_server(wish, ("mcp", "servers")),)))
    elif wish.surface == "mcp":
        found.notices.append(f"OpenClaw keeps MCP servers in {settings} only: use --user for that entry.")
    found.pieces += [
        Piece(workspace / _SKILL, "file", texts.skill(wish.surface)),
        Piece(workspace / "AGENTS.md", "block", texts.lines(wish.surface)),
    ]
    found.notices.append("OpenClaw has no hooks in plain files: AGENTS.md asks the agent to wake up by itself.")
    return found


def _generic(wish: Wish) -> Needs:
    found = Needs([Piece(wish.base / ".agents" / _SKILL, "file", texts.skill(wish.surface))])
    if wish.scope == "project":
        found.pieces.append(Piece(wish.project / "AGENTS.md", "block", texts.lines(wish.surface)))
    if wish.surface == "mcp":
        entry = _server(wish, ("mcpServers",))
        found.notices.append(f"Add to your agent's MCP servers: {json.dumps({'vault-mem': entry.value})}")
    found.notices.append(f"If your agent has session-start hooks, let one run: {_wake_up(wish)}")
    return found


def _command(wish: Wish) -> tuple[str, list[str]]:
    return "vault-mem", [*(["--vault", str(wish.vault)] if wish.vault else []), "mcp"]


def _server(wish: Wish, keys: tuple[str, ...]) -> Entry:
    command, args = _command(wish)
    return Entry((*keys, "vault-mem"), {"command": command, "args": args})


def _wake_up(wish: Wish) -> str:
    vault = f" --vault {_quoted(str(wish.vault))}" if wish.vault else ""
    public = "" if wish.private_too else " --public-only"
    return f"vault-mem wake-up{public} --hook {wish.agent}{vault}"


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _hook_entries(wish: Wish) -> tuple[Entry, ...]:
    """Session start (after a compaction too) brings the memory in; before a compaction comes a reminder."""
    start = {"matcher": "startup|resume|clear|compact", "hooks": [_handler(_wake_up(wish))]}
    # Claude Code may take what it prints as a wish for the summary; Codex shows a systemMessage to its user.
    said = json.dumps({"systemMessage": texts.REMINDER}) if wish.agent == "codex" else texts.REMINDER
    before = {"hooks": [_handler(f"echo {_quoted(said)}")]}
    return (
        Entry(("hooks", "SessionStart"), start, append=True),
        Entry(("hooks", "PreCompact"), before, append=True),
    )


def _handler(command: str) -> dict[str, Any]:
    return {"type": "command", "command": command, "timeout": _SECONDS}


def _workspace(settings: Path, home: Path) -> Path:
    """The workspace that OpenClaw's settings name, else its usual one."""
    try:
        value = jsonc.parse(settings.read_text(encoding="utf-8")).value
        named = value["agents"]["defaults"]["workspace"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        named = None
    if not isinstance(named, str) or not named:
        return home / ".openclaw/workspace"
    return home / named.removeprefix("~/") if named.startswith("~/") else home / named
