"""What each agent needs, and where it looks for it. docs/setup.md says where this knowledge comes from."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.setup import texts
from vault_mem.setup.pieces import TOML_BEGIN, TOML_END, Entry, Piece, strip
from vault_mem.vault import jsonc

AGENTS = ("claude-code", "codex", "openclaw", "cursor", "gemini", "opencode", "generic")
SURFACES = ("mcp", "cli")
TOOL_SETS = ("core", "all")
_SKILL = "skills/vault-mem/SKILL.md"
# A session waits for its hook: longer than a cold start takes, and no longer than a person bears.
_SECONDS = 30
# What runs at every prompt or answer ends by itself within two seconds.
_HOOK_SECONDS = 3


@dataclass(frozen=True)
class Wish:
    """What is to be set up: for which agent, for this project or for the user, by tools or by commands.

    `vault` is written where the agent would not find it by itself; `tools` and `public` say what the server offers.
    `capture` keeps what is said in sessions, `per_prompt` adds a memory to a prompt that it answers.
    """

    agent: str
    scope: str
    surface: str
    project: Path
    env: Mapping[str, str]
    vault: Path | None = None
    private_too: bool = False
    tools: str = "core"
    public: bool = False
    capture: bool = False
    per_prompt: bool = False

    @property
    def home(self) -> Path:
        """The user's home folder."""
        return Path(self.env.get("HOME") or Path.home())

    @property
    def base(self) -> Path:
        """The folder it is about: the project's, or home."""
        return self.project if self.scope == "project" else self.home

    def named(self, variable: str, default: Path) -> Path:
        """A folder that the environment may name."""
        given = self.env.get(variable)
        return Path(given.replace("~", str(self.home), 1) if given and given.startswith("~") else given or default)

    @property
    def lines(self) -> str:
        """The lines of instructions for this agent."""
        return texts.lines(self.surface, self.agent, self.vault)

    @property
    def skill(self) -> str:
        """The skill for this agent."""
        return texts.skill(self.surface, self.tools, self.vault)


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
    makers = {
        "claude-code": _claude_code,
        "codex": _codex,
        "cursor": _cursor,
        "openclaw": _openclaw,
        "gemini": _gemini,
        "opencode": _opencode,
    }
    if wish.agent not in AGENTS:
        raise InvalidInput(f"unknown agent {wish.agent!r}", f"one of {', '.join(AGENTS)}")
    return makers.get(wish.agent, _generic)(wish)


def _claude_code(wish: Wish) -> Needs:
    own = wish.named("CLAUDE_CONFIG_DIR", wish.home / ".claude")
    folder = wish.project / ".claude" if wish.scope == "project" else own
    found = Needs([Piece(folder / "settings.json", "json", entries=_hook_entries(wish))])
    if wish.surface == "mcp":
        beside = own / ".claude.json" if wish.env.get("CLAUDE_CONFIG_DIR") else wish.home / ".claude.json"
        path = wish.project / ".mcp.json" if wish.scope == "project" else beside
        found.pieces.insert(0, Piece(path, "json", entries=(_server(wish, ("mcpServers",)),)))
    found.pieces.append(Piece(folder / _SKILL, "file", wish.skill))
    notes = wish.project / "CLAUDE.md" if wish.scope == "project" else folder / "CLAUDE.md"
    found.pieces.append(Piece(notes, "block", wish.lines))
    if wish.scope == "project":
        found.notices.append("Claude Code reads a project's settings once you have trusted the folder: start it there.")
    return found


def _codex(wish: Wish) -> Needs:
    home = wish.named("CODEX_HOME", wish.home / ".codex")
    folder = wish.project / ".codex" if wish.scope == "project" else home
    settings = folder / "config.toml"
    found, text = Needs(), ""
    if wish.surface == "mcp":
        command, args = _command(wish)
        args_text = json.dumps(args, ensure_ascii=False)
        text = f"[mcp_servers.vault-mem]\ncommand = {json.dumps(command)}\nargs = {args_text}\n"
    hooks = _hook_entries(wish)
    if _has_hooks(settings):  # in both places, Codex warns at every start
        text += "".join(_toml_hook(each) for each in hooks)
    else:
        found.pieces.append(Piece(folder / "hooks.json", "json", entries=hooks))
    if text:
        found.pieces.insert(0, Piece(settings, "toml", f"{TOML_BEGIN}\n{text}{TOML_END}\n"))
    found.pieces += [
        Piece(wish.base / ".agents" / _SKILL, "file", wish.skill),
        Piece((wish.project if wish.scope == "project" else home) / "AGENTS.md", "block", wish.lines),
    ]
    if wish.scope == "project":
        found.notices.append("Codex reads a project's .codex folder once the project is trusted: start it there.")
    found.notices.append("Codex asks once whether it may run these hooks; older versions need `codex_hooks = true`.")
    return found


def _has_hooks(settings: Path) -> bool:
    """Whether a config.toml has hooks of its owner's."""
    try:
        text = settings.read_text(encoding="utf-8-sig")
        return "hooks" in tomllib.loads(strip("toml", [], [], text))
    except (OSError, ValueError):
        return False


def _toml_hook(entry: Entry) -> str:
    event, (handler,) = entry.keys[-1], entry.value["hooks"]
    values = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in handler.items())
    return f"\n[[hooks.{event}]]\n[[hooks.{event}.hooks]]\n{values}"


def _cursor(wish: Wish) -> Needs:
    folder = wish.base / ".cursor"
    start = Entry(("hooks", "sessionStart"), {"command": _wake_up(wish)}, append=True)
    version = Entry(("version",), 1, weak=True)
    events = ("stop", "sessionEnd", "preCompact") if wish.capture else ()
    kept = [Entry(("hooks", event), {"command": _quietly(_capture(wish))}, append=True) for event in events]
    found = Needs([Piece(folder / "hooks.json", "json", entries=(version, start, *kept))])
    if wish.per_prompt:
        found.notices.append("Cursor's hooks cannot add to a prompt: there is no hint per prompt.")
    if wish.surface == "mcp":
        found.pieces.insert(0, Piece(folder / "mcp.json", "json", entries=(_server(wish, ("mcpServers",)),)))
    found.pieces.append(Piece(folder / _SKILL, "file", wish.skill))
    if wish.scope == "project":
        found.pieces.append(Piece(folder / "rules/vault-mem.mdc", "file", texts.rule(wish.lines)))
    else:
        found.notices.append("Cursor keeps user rules in its settings, not in a file; the skill says the same.")
    return found


def _gemini(wish: Wish) -> Needs:
    folder = wish.base / ".gemini"
    commands = [("SessionStart", _wake_up(wish), _SECONDS)]
    if wish.capture:
        commands += [
            (each, _quietly(_capture(wish)), _HOOK_SECONDS) for each in ("AfterAgent", "SessionEnd", "PreCompress")
        ]
    if wish.per_prompt:
        commands.append(("BeforeAgent", _quietly(_hint(wish)), _HOOK_SECONDS))
    entries = [
        Entry(("hooks", event), {"hooks": [_handler(command, seconds * 1000)]}, append=True)
        for event, command, seconds in commands
    ]
    if wish.surface == "mcp":
        entries.insert(0, _server(wish, ("mcpServers",)))
    notes = wish.project / "GEMINI.md" if wish.scope == "project" else folder / "GEMINI.md"
    found = Needs(
        [
            Piece(folder / "settings.json", "json", entries=tuple(entries)),
            Piece(folder / _SKILL, "file", wish.skill),
            Piece(notes, "block", wish.lines),
        ]
    )
    if wish.scope == "project":
        found.notices.append("Gemini reads a project's .gemini folder once the folder is trusted.")
    return found


def _opencode(wish: Wish) -> Needs:
    own = wish.named("XDG_CONFIG_HOME", wish.home / ".config") / "opencode"
    folder = wish.project if wish.scope == "project" else own
    found = Needs()
    if wish.surface == "mcp":
        command, args = _command(wish)
        entry = Entry(("mcp", "vault-mem"), {"type": "local", "command": [command, *args], "enabled": True})
        found.pieces.append(Piece(_opencode_settings(folder), "json", entries=(entry,)))
    inside = folder / ".opencode" if wish.scope == "project" else folder
    found.pieces += [
        Piece(inside / _SKILL, "file", wish.skill),
        Piece(folder / "AGENTS.md", "block", wish.lines),
    ]
    if wish.capture:
        found.pieces.append(Piece(inside / "plugins/vault-mem.js", "file", texts.opencode_plugin(_capture(wish))))
    if wish.per_prompt:
        found.notices.append("opencode has no hook for prompts: there is no hint per prompt.")
    found.notices.append("opencode has plugins and no hooks: AGENTS.md asks the agent to wake up by itself.")
    return found


def _opencode_settings(folder: Path) -> Path:
    """The settings that are there: JSON, or JSON with comments."""
    return next((folder / name for name in ("opencode.jsonc", "opencode.json") if (folder / name).exists()), None) or (
        folder / "opencode.json"
    )


def _openclaw(wish: Wish) -> Needs:
    state, settings = _openclaw_places(wish)
    found = Needs()
    if wish.capture or wish.per_prompt:
        found.notices.append(
            "OpenClaw has no hook for this. `vault-mem import openclaw-sessions` brings its sessions in."
        )
    if wish.scope == "project":
        found.pieces.append(Piece(wish.project / ".agents" / _SKILL, "file", wish.skill))
        found.notices.append(f"OpenClaw keeps servers and hooks in {state} only: use --user for those.")
        _openclaw_lines(wish, wish.project, found)
        return found
    # A folder `skills` in the workspace makes OpenClaw take it for an old one that lost its files.
    found.pieces.append(Piece(state / _SKILL, "file", wish.skill))
    found.pieces += [
        Piece(state / "hooks/vault-mem/HOOK.md", "file", texts.OPENCLAW_HOOK),
        Piece(state / "hooks/vault-mem/handler.js", "file", texts.openclaw_handler(_plain_wake_up(wish))),
    ]
    entries = [Entry(("hooks", "internal", "entries", "vault-mem"), {"enabled": True})]
    if wish.surface == "mcp":
        entries.append(_server(wish, ("mcp", "servers")))
    found.pieces.insert(0, Piece(settings, "json", entries=tuple(entries)))
    _openclaw_lines(wish, _workspace(settings, state, wish), found)
    return found


def _openclaw_lines(wish: Wish, workspace: Path, found: Needs) -> None:
    """AGENTS.md is OpenClaw's own to make: what is there before it would take its place."""
    if not workspace.is_dir() or (workspace / "BOOTSTRAP.md").exists():
        found.notices.append(
            f"{workspace / 'AGENTS.md'} is left to OpenClaw until it has set up its workspace; run this again then."
        )
    else:
        found.pieces.append(Piece(workspace / "AGENTS.md", "block", wish.lines))


def _openclaw_places(wish: Wish) -> tuple[Path, Path]:
    """The folder of OpenClaw's state and its settings, as its environment names them."""
    home = wish.named("OPENCLAW_HOME", wish.home)
    profile = wish.env.get("OPENCLAW_PROFILE", "")
    usual = home / (f".openclaw-{profile}" if profile and profile != "default" else ".openclaw")
    state = wish.named("OPENCLAW_STATE_DIR", usual)
    return state, wish.named("OPENCLAW_CONFIG_PATH", state / "openclaw.json")


def _generic(wish: Wish) -> Needs:
    found = Needs([Piece(wish.base / ".agents" / _SKILL, "file", wish.skill)])
    if wish.scope == "project":
        found.pieces.append(Piece(wish.project / "AGENTS.md", "block", wish.lines))
    if wish.surface == "mcp":
        entry = _server(wish, ("mcpServers",))
        found.notices.append(f"Add to your agent's MCP servers: {json.dumps({'vault-mem': entry.value})}")
    found.notices.append(f"If your agent has session-start hooks, let one run: {_plain_wake_up(wish)}")
    if wish.capture:
        found.notices.append(f"And at the end of each answer, with the hook's JSON as its input: {_capture(wish)}")
    return found


def server_arguments(wish: Wish) -> list[str]:
    """The arguments that start the server as the entry does."""
    offer = ["--tools", wish.tools, *(["--public"] if wish.public else [])]
    return [*(["--vault", str(wish.vault)] if wish.vault else []), "mcp", *offer]


def _command(wish: Wish) -> tuple[str, list[str]]:
    return "vault-mem", server_arguments(wish)


def _server(wish: Wish, keys: tuple[str, ...]) -> Entry:
    command, args = _command(wish)
    return Entry((*keys, "vault-mem"), {"command": command, "args": args})


def _plain_wake_up(wish: Wish) -> str:
    public = "" if wish.private_too and not wish.public else " --public-only"
    return f"vault-mem wake-up{public} --hook {wish.agent}{_vault_option(wish)}"


def _wake_up(wish: Wish) -> str:
    """The same for a hook that teammates without vault-mem have too."""
    return _quietly(_plain_wake_up(wish))


def _quietly(command: str) -> str:
    """A command that ends quietly where there is no vault-mem."""
    return f"command -v vault-mem >/dev/null 2>&1 || exit 0; {command}"


def _capture(wish: Wish) -> str:
    return f"vault-mem capture --agent {wish.agent}{_vault_option(wish)}"


def _hint(wish: Wish) -> str:
    private = " --include-private" if wish.private_too and not wish.public else ""
    return f"vault-mem hint --hook {wish.agent}{private}{_vault_option(wish)}"


def _vault_option(wish: Wish) -> str:
    return f" --vault {shlex.quote(str(wish.vault))}" if wish.vault else ""


def _hook_entries(wish: Wish) -> tuple[Entry, ...]:
    """Session start, whatever began it, brings the memory in; before a compaction comes a reminder."""
    start = {"hooks": [_handler(_wake_up(wish))]}
    # Claude Code takes what it prints as a wish for the summary; Codex shows a systemMessage to its user.
    said = json.dumps({"systemMessage": texts.REMINDER}) if wish.agent == "codex" else texts.SUMMARY
    before = {"hooks": [_handler(f"echo {shlex.quote(said)}")]}
    commands = [("SessionStart", start), ("PreCompact", before)]
    if wish.capture:
        kept = {"hooks": [_handler(_quietly(_capture(wish)), _HOOK_SECONDS)]}
        commands += [(event, kept) for event in ("Stop", "SessionEnd", "PreCompact")]
    if wish.per_prompt:
        commands.append(("UserPromptSubmit", {"hooks": [_handler(_quietly(_hint(wish)), _HOOK_SECONDS)]}))
    return tuple(Entry(("hooks", event), value, append=True) for event, value in commands)


def _handler(command: str, seconds: int = _SECONDS) -> dict[str, Any]:
    return {"type": "command", "command": command, "timeout": seconds}


def _workspace(settings: Path, state: Path, wish: Wish) -> Path:
    """The workspace that OpenClaw's settings name, else its environment, else its usual one."""
    try:
        value = jsonc.parse(settings.read_text(encoding="utf-8")).value
        named = value["agents"]["defaults"]["workspace"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        named = None
    if not isinstance(named, str) or not named:
        return wish.named("OPENCLAW_WORKSPACE_DIR", state / "workspace")
    return wish.home / named.removeprefix("~/")
