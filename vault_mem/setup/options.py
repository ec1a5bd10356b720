"""What to set up, and the commands of server and hooks for it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault_mem.setup import texts
from vault_mem.setup.pieces import Addition, Piece

SURFACES = ("mcp", "cli")
TOOL_SETS = ("core", "all")
SKILL = "skills/vault-mem/SKILL.md"
# A session waits for its hook: enough for a cold start, but not too long for a person.
SECONDS = 30
# The time limit of hooks that run at every prompt or answer.
HOOK_SECONDS = 3


@dataclass(frozen=True)
class SetupOptions:
    """What to set up: for which agent, for this project or for the user, with tools or commands.

    `vault` is named if the agent would not find it by itself; `tools` and `public` say what the server offers.
    `capture` keeps sessions, `per_prompt` adds a memory to each prompt that it answers. `sandbox` lets the agent's
    sandbox write to the vaults, which those `outside` the project need.
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
    sandbox: bool = False
    outside: tuple[Path, ...] = ()

    @property
    def home(self) -> Path:
        """The user's home folder."""
        return Path(self.env.get("HOME") or Path.home())

    @property
    def base(self) -> Path:
        """The project's folder, or home."""
        return self.project if self.scope == "project" else self.home

    def named(self, variable: str, default: Path) -> Path:
        """A folder that the environment may set."""
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
    """The pieces that an agent needs, and what a person should know or do."""

    pieces: list[Piece] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def server_arguments(options: SetupOptions) -> list[str]:
    """The arguments of the server's command."""
    offer = ["--tools", options.tools, *(["--public"] if options.public else [])]
    return [*(["--vault", str(options.vault)] if options.vault else []), "mcp", *offer]


def server(options: SetupOptions, keys: tuple[str, ...]) -> Addition:
    """The entry that starts the server, in the format of most agents."""
    return Addition((*keys, "vault-mem"), {"command": "vault-mem", "args": server_arguments(options)})


def plain_wake_up(options: SetupOptions) -> str:
    """What a hook runs when a session starts."""
    public = "" if options.private_too and not options.public else " --public-only"
    return f"vault-mem wake-up{public} --hook {options.agent}{_vault_option(options)}"


def wake_up(options: SetupOptions) -> str:
    """The same for a hook that teammates without vault-mem share."""
    return quietly(plain_wake_up(options))


def quietly(command: str) -> str:
    """A command that does nothing if vault-mem is not installed."""
    return f"command -v vault-mem >/dev/null 2>&1 || exit 0; {command}"


def capture(options: SetupOptions) -> str:
    """What a hook runs to keep what was said."""
    return f"vault-mem capture --agent {options.agent}{_vault_option(options)}"


def hint(options: SetupOptions) -> str:
    """What a hook runs to add a memory to a prompt."""
    private = " --include-private" if options.private_too and not options.public else ""
    return f"vault-mem hint --hook {options.agent}{private}{_vault_option(options)}"


def _vault_option(options: SetupOptions) -> str:
    return f" --vault {shlex.quote(str(options.vault))}" if options.vault else ""


def handler(command: str, seconds: int = SECONDS) -> dict[str, Any]:
    """A command in the format that hooks of several agents share."""
    return {"type": "command", "command": command, "timeout": seconds}
