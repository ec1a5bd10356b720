"""What each agent needs, and where it looks for it. docs/setup.md names the sources."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

from vault_mem.errors import InvalidInput
from vault_mem.setup import texts
from vault_mem.setup.options import (
    HOOK_SECONDS,
    SECONDS,
    SKILL,
    Needs,
    SetupOptions,
    capture,
    handler,
    hint,
    plain_wake_up,
    quietly,
    server,
    server_arguments,
    wake_up,
)
from vault_mem.setup.pieces import MARK_BEGIN, MARK_END, Addition, Piece, without_piece
from vault_mem.setup.plain_agents import PLAIN, plain_needs
from vault_mem.vault import jsonc

_HOOK_STARTS_DAEMON = (
    "The session-start hook runs outside the agent's sandbox and starts the daemon, which answers for commands inside."
)
# Settings that only their owner should widen: they are mentioned, not written.
_SANDBOXES = {
    "claude-code": "If Claude Code's sandbox is on, commands save into a vault outside the project if settings.json "
    'has "sandbox": {"filesystem": {"allowWrite": VAULTS}}; on Linux "network": {"allowAllUnixSockets": true} in it '
    "lets them reach the daemon. --sandbox adds both.",
    "codex": "In Codex's sandbox, commands save into a vault outside the project once config.toml has "
    "[sandbox_workspace_write] writable_roots = VAULTS. --sandbox adds it where there is no such table yet.",
}


def default_scope(agent: str) -> str:
    """Where an agent is set up by default."""
    return "user" if agent == "openclaw" else "project"


def needs(options: SetupOptions) -> Needs:
    """Everything that an agent needs."""
    if options.agent not in _MAKERS:
        raise InvalidInput(f"unknown agent {options.agent!r}", f"one of {', '.join(AGENTS)}")
    found = _MAKERS[options.agent](options)
    if options.agent in PLAIN:
        return found
    if options.agent not in ("opencode", "generic"):
        found.notices.append(_HOOK_STARTS_DAEMON)
    if options.agent in _SANDBOXES and not _opened(options, found):
        found.notices.append(_SANDBOXES[options.agent].replace("VAULTS", _roots(options)))
    return found


def _opened(options: SetupOptions, found: Needs) -> bool:
    """Whether commands in the sandbox can write to the vaults; a vault inside the project needs no permission."""
    entries = [entry.value for piece in found.pieces for entry in piece.entries]
    given = any("writable_roots" in piece.text for piece in found.pieces)
    return not options.outside or given or all(str(vault) in entries for vault in options.outside)


def _roots(options: SetupOptions) -> str:
    return json.dumps([str(vault) for vault in options.outside], ensure_ascii=False)


def _claude_sandbox(options: SetupOptions) -> tuple[Addition, ...]:
    if not options.sandbox or not options.outside:
        return ()
    write = [Addition(("sandbox", "filesystem", "allowWrite"), str(vault), append=True) for vault in options.outside]
    return *write, Addition(("sandbox", "network", "allowAllUnixSockets"), True, weak=True)


def _claude_code(options: SetupOptions) -> Needs:
    own = options.named("CLAUDE_CONFIG_DIR", options.home / ".claude")
    folder = options.project / ".claude" if options.scope == "project" else own
    found = Needs([Piece(folder / "settings.json", "json", entries=_hook_entries(options) + _claude_sandbox(options))])
    if options.surface == "mcp":
        beside = own / ".claude.json" if options.env.get("CLAUDE_CONFIG_DIR") else options.home / ".claude.json"
        path = options.project / ".mcp.json" if options.scope == "project" else beside
        found.pieces.insert(0, Piece(path, "json", entries=(server(options, ("mcpServers",)),)))
    found.pieces.append(Piece(folder / SKILL, "file", options.skill))
    notes = options.project / "CLAUDE.md" if options.scope == "project" else folder / "CLAUDE.md"
    found.pieces.append(Piece(notes, "block", options.lines))
    if options.scope == "project":
        found.notices.append("Claude Code reads a project's settings once you have trusted the folder: start it there.")
    return found


def _codex(options: SetupOptions) -> Needs:
    home = options.named("CODEX_HOME", options.home / ".codex")
    folder = options.project / ".codex" if options.scope == "project" else home
    settings = folder / "config.toml"
    found, text = Needs(), ""
    if options.surface == "mcp":
        args = json.dumps(server_arguments(options), ensure_ascii=False)
        text = f'[mcp_servers.vault-mem]\ncommand = "vault-mem"\nargs = {args}\n'
    hooks = _hook_entries(options)
    if options.sandbox and options.outside and not _has(settings, "sandbox_workspace_write"):
        text += f"\n[sandbox_workspace_write]\nwritable_roots = {_roots(options)}\n"
    if _has(settings, "hooks"):  # with hooks in both files, Codex warns at every start
        text += "".join(_toml_hook(each) for each in hooks)
    else:
        found.pieces.append(Piece(folder / "hooks.json", "json", entries=hooks))
    if text:
        found.pieces.insert(0, Piece(settings, "toml", f"{MARK_BEGIN}\n{text}{MARK_END}\n"))
    found.pieces += [
        Piece(options.base / ".agents" / SKILL, "file", options.skill),
        Piece((options.project if options.scope == "project" else home) / "AGENTS.md", "block", options.lines),
    ]
    if options.scope == "project":
        found.notices.append("Codex reads a project's .codex folder once the project is trusted: start it there.")
    found.notices.append("Codex asks once whether it may run these hooks; older versions need `codex_hooks = true`.")
    return found


def _has(settings: Path, table: str) -> bool:
    """Whether a config.toml has a table of that name which its owner wrote."""
    try:
        text = settings.read_text(encoding="utf-8-sig")
        return table in tomllib.loads(without_piece("toml", [], [], text))
    except (OSError, ValueError):
        return False


def _toml_hook(entry: Addition) -> str:
    event, (handler,) = entry.keys[-1], entry.value["hooks"]
    values = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in handler.items())
    return f"\n[[hooks.{event}]]\n[[hooks.{event}.hooks]]\n{values}"


def _cursor(options: SetupOptions) -> Needs:
    folder = options.base / ".cursor"
    start = Addition(("hooks", "sessionStart"), {"command": wake_up(options)}, append=True)
    version = Addition(("version",), 1, weak=True)
    events = ("stop", "sessionEnd", "preCompact") if options.capture else ()
    kept = [Addition(("hooks", event), {"command": quietly(capture(options))}, append=True) for event in events]
    found = Needs([Piece(folder / "hooks.json", "json", entries=(version, start, *kept))])
    if options.per_prompt:
        found.notices.append("Cursor's hooks cannot add to a prompt: there is no hint per prompt.")
    if options.surface == "mcp":
        found.pieces.insert(0, Piece(folder / "mcp.json", "json", entries=(server(options, ("mcpServers",)),)))
    found.pieces.append(Piece(folder / SKILL, "file", options.skill))
    if options.scope == "project":
        found.pieces.append(Piece(folder / "rules/vault-mem.mdc", "file", texts.rule(options.lines)))
    else:
        found.notices.append("Cursor keeps user rules in its settings, not in a file; the skill says the same.")
    return found


def _gemini(options: SetupOptions) -> Needs:
    events = ("AfterAgent", "SessionEnd", "PreCompress")
    trust = "Gemini reads a project's .gemini folder once the folder is trusted."
    return _one_file(options, options.base / ".gemini", "GEMINI.md", events, "BeforeAgent", trust)


def _qwen(options: SetupOptions) -> Needs:
    # a fork of Gemini's client, with the events of Claude Code
    folder = (
        options.project / ".qwen" if options.scope == "project" else options.named("QWEN_HOME", options.home / ".qwen")
    )
    trust = "Qwen Code runs a project's hooks once the folder is trusted."
    return _one_file(options, folder, "QWEN.md", ("Stop", "SessionEnd", "PreCompact"), "UserPromptSubmit", trust)


def _one_file(options: SetupOptions, folder: Path, notes: str, ends: tuple[str, ...], prompt: str, trust: str) -> Needs:
    """Server and hooks in one settings.json; its timeouts are in milliseconds."""
    commands = [("SessionStart", wake_up(options), SECONDS)]
    if options.capture:
        commands += [(event, quietly(capture(options)), HOOK_SECONDS) for event in ends]
    if options.per_prompt:
        commands.append((prompt, quietly(hint(options)), HOOK_SECONDS))
    entries = [
        Addition(("hooks", event), {"hooks": [handler(command, seconds * 1000)]}, append=True)
        for event, command, seconds in commands
    ]
    if options.surface == "mcp":
        entries.insert(0, server(options, ("mcpServers",)))
    return Needs(
        [
            Piece(folder / "settings.json", "json", entries=tuple(entries)),
            Piece(folder / SKILL, "file", options.skill),
            Piece((options.project if options.scope == "project" else folder) / notes, "block", options.lines),
        ],
        [trust] if options.scope == "project" else [],
    )


def _copilot(options: SetupOptions) -> Needs:
    own = options.named("COPILOT_HOME", options.home / ".copilot")
    folder = options.project / ".github" if options.scope == "project" else own
    start = {"type": "command", "bash": wake_up(options), "timeoutSec": SECONDS}
    hooks = json.dumps({"version": 1, "hooks": {"sessionStart": [start]}}, indent=2) + "\n"
    found = Needs([Piece(folder / "hooks/vault-mem.json", "file", hooks)])
    if options.surface == "mcp":
        settings = options.project / ".mcp.json" if options.scope == "project" else own / "mcp-config.json"
        found.pieces.insert(0, Piece(settings, "json", entries=(server(options, ("mcpServers",)),)))
    notes = options.project / "AGENTS.md" if options.scope == "project" else own / "copilot-instructions.md"
    found.pieces += [Piece(folder / SKILL, "file", options.skill), Piece(notes, "block", options.lines)]
    if options.capture or options.per_prompt:
        found.notices.append(
            "Sessions and prompts of Copilot are not read: there is no capture and no hint per prompt."
        )
    if options.scope == "project":
        found.notices.append("Copilot reads a project's servers and hooks once you have trusted the folder.")
    return found


def _opencode(options: SetupOptions) -> Needs:
    own = options.named("XDG_CONFIG_HOME", options.home / ".config") / "opencode"
    folder = options.project if options.scope == "project" else own
    found = Needs()
    if options.surface == "mcp":
        command = ["vault-mem", *server_arguments(options)]
        entry = Addition(("mcp", "vault-mem"), {"type": "local", "command": command, "enabled": True})
        settings = folder / "opencode.jsonc"
        if not settings.exists():
            settings = folder / "opencode.json"
        found.pieces.append(Piece(settings, "json", entries=(entry,)))
    inside = folder / ".opencode" if options.scope == "project" else folder
    found.pieces += [
        Piece(inside / SKILL, "file", options.skill),
        Piece(folder / "AGENTS.md", "block", options.lines),
    ]
    if options.capture:
        found.pieces.append(
            Piece(inside / "plugins/vault-mem.js", "file", texts.program("opencode-vault-mem.js", capture(options)))
        )
    if options.per_prompt:
        found.notices.append("opencode has no hook for prompts: there is no hint per prompt.")
    found.notices.append("opencode has plugins and no hooks: AGENTS.md asks the agent to wake up by itself.")
    return found


def _openclaw(options: SetupOptions) -> Needs:
    state, settings = _openclaw_places(options)
    found = Needs()
    if options.per_prompt:
        found.notices.append("OpenClaw's hooks cannot add to a prompt: there is no hint per prompt.")
    if options.scope == "project":
        found.pieces.append(Piece(options.project / ".agents" / SKILL, "file", options.skill))
        found.notices.append(f"OpenClaw keeps servers and hooks in {state} only: use --user for those.")
        _openclaw_lines(options, options.project, found)
        return found
    # With a folder `skills` in it, OpenClaw takes the workspace for an old one that lost its files.
    found.pieces.append(Piece(state / SKILL, "file", options.skill))
    hooks = {"vault-mem": plain_wake_up(options)} | ({"vault-mem-capture": capture(options)} if options.capture else {})
    for name, command in hooks.items():
        found.pieces += [
            Piece(state / f"hooks/{name}/HOOK.md", "file", texts.shipped(f"openclaw-{name}.md")),
            Piece(state / f"hooks/{name}/handler.js", "file", texts.program(f"openclaw-{name}.js", command)),
        ]
    entries = [Addition(("hooks", "internal", "entries", name), {"enabled": True}) for name in hooks]
    if options.surface == "mcp":
        entries.append(server(options, ("mcp", "servers")))
    found.pieces.insert(0, Piece(settings, "json", entries=tuple(entries)))
    _openclaw_lines(options, _workspace(settings, state, options), found)
    return found


def _openclaw_lines(options: SetupOptions, workspace: Path, found: Needs) -> None:
    """Lines for AGENTS.md, once it exists: OpenClaw creates it, and would not if we had."""
    if not workspace.is_dir() or (workspace / "BOOTSTRAP.md").exists():
        found.notices.append(
            f"{workspace / 'AGENTS.md'} is left to OpenClaw until it has set up its workspace; run this again then."
        )
    else:
        found.pieces.append(Piece(workspace / "AGENTS.md", "block", options.lines))


def _openclaw_places(options: SetupOptions) -> tuple[Path, Path]:
    """The folder of OpenClaw's state and its settings, as its environment names them."""
    home = options.named("OPENCLAW_HOME", options.home)
    profile = options.env.get("OPENCLAW_PROFILE", "")
    usual = home / (f".openclaw-{profile}" if profile and profile != "default" else ".openclaw")
    state = options.named("OPENCLAW_STATE_DIR", usual)
    return state, options.named("OPENCLAW_CONFIG_PATH", state / "openclaw.json")


def _generic(options: SetupOptions) -> Needs:
    found = Needs([Piece(options.base / ".agents" / SKILL, "file", options.skill)])
    if options.scope == "project":
        found.pieces.append(Piece(options.project / "AGENTS.md", "block", options.lines))
    if options.surface == "mcp":
        entry = server(options, ("mcpServers",))
        found.notices.append(f"Add to your agent's MCP servers: {json.dumps({'vault-mem': entry.value})}")
    found.notices.append(f"If your agent has session-start hooks, let one run: {plain_wake_up(options)}")
    if options.capture:
        found.notices.append(f"And at the end of each answer, with the hook's JSON as its input: {capture(options)}")
    return found


def _hook_entries(options: SetupOptions) -> tuple[Addition, ...]:
    """Hooks that add the memory at every session start, and a reminder before a compaction."""
    start = {"hooks": [handler(wake_up(options))]}
    # Claude Code adds the output to its instructions for the summary; Codex shows a systemMessage to its user.
    said = json.dumps({"systemMessage": texts.REMINDER}) if options.agent == "codex" else texts.SUMMARY
    before = {"hooks": [handler(quietly(f"echo {shlex.quote(said)}"))]}
    commands = [("SessionStart", start), ("PreCompact", before)]
    if options.capture:
        kept = {"hooks": [handler(quietly(capture(options)), HOOK_SECONDS)]}
        commands += [(event, kept) for event in ("Stop", "SessionEnd", "PreCompact")]
    if options.per_prompt:
        commands.append(("UserPromptSubmit", {"hooks": [handler(quietly(hint(options)), HOOK_SECONDS)]}))
    return tuple(Addition(("hooks", event), value, append=True) for event, value in commands)


def _workspace(settings: Path, state: Path, options: SetupOptions) -> Path:
    """The workspace that OpenClaw's settings name, else its environment, else its usual one."""
    try:
        value = jsonc.parse(settings.read_text(encoding="utf-8")).value
        named = value["agents"]["defaults"]["workspace"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        named = None
    if not isinstance(named, str) or not named:
        return options.named("OPENCLAW_WORKSPACE_DIR", state / "workspace")
    return options.home / named.removeprefix("~/")


_MAKERS = {
    "claude-code": _claude_code,
    "codex": _codex,
    "openclaw": _openclaw,
    "cursor": _cursor,
    "gemini": _gemini,
    "opencode": _opencode,
    "copilot": _copilot,
    "qwen": _qwen,
    **dict.fromkeys(PLAIN, plain_needs),
    "generic": _generic,
}
AGENTS = tuple(_MAKERS)
