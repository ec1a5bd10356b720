"""What agents are told about their memory. Lines, skill, and handlers for OpenClaw and opencode are in `files/`."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

_FILES = Path(__file__).parent / "files"
REMINDER = (
    "Before this conversation is summarised: save what is worth keeping with vault-mem, "
    "and keep the ids of saved memories in the summary."
)
# While it summarises, an agent cannot call tools.
SUMMARY = (
    "In the summary, list what is worth remembering and has not been saved with vault-mem yet, "
    "so that it can be saved afterwards, and keep the ids of saved memories."
)

_PRIVATE = {
    "mcp": "Save what is personal with `private: true`.",
    "cli": "Save what is personal by standard input: `{vm} remember - --private`.",
}
_OWN_MEMORY = (
    "- Your own memory (CLAUDE.md, auto memory) is for how to work in this project; vault-mem is for what happened, "
    "was decided or is true, across projects.\n"
)

_OPERATIONS = (  # to do what, tool, whether it is a core tool, command
    ("begin a session", "wake_up", True, "wake-up"),
    ("find memories", "recall", True, 'recall "query"'),
    ("save one", "remember", True, 'remember "text"'),
    ("change, close, finish or confirm one", "update_memory", True, "edit ID, close ID, done ID, confirm ID"),
    ("forget one, and bring it back", "forget", True, "forget ID, restore ID"),
    ("read one in full", "show_memory", False, "show ID"),
    ("find exact words", "search_memories", False, 'search "words"'),
    ("link two", "link_memories", False, "link A B"),
    ("link what is new, find near-duplicates", "consolidate", False, "consolidate"),
    ("merge two", "merge_memories", False, "merge KEEP REMOVE"),
    ("group several into a story", "create_episode, list_episodes, get_episode", False, "episode create, list, show"),
    ("think about yourself", "introspect, update_self, emotion_trend", False, "introspect, update-self, emotion-trend"),
    ("tidy facts and tasks", "tidy_candidates, tidy_apply", False, "tidy candidates, tidy apply -"),
    ("see what happened, undo it", "history, undo", False, "history [ID], undo [NUMBER]"),
)

_HOW = {
    "mcp": "Use the tools. If something has no tool here, or the server is not connected, run the command; "
    "`{vm} help --json` lists them.",
    "cli": "Use the commands in the shell: every one takes `--json`, `{vm} help --json` lists them; exit codes are "
    "0 done, 2 usage, 3 repetition, 4 not found, 6 stopped.",
}


def lines(surface: str, agent: str, vault: Path | None) -> str:
    """Four lines for AGENTS.md and the like, and one more if the agent has its own memory."""
    command = _command(vault)
    text = shipped(f"lines-{surface}.md").replace("{private}", _PRIVATE[surface]).replace("{vm}", command)
    return text + (_OWN_MEMORY if agent == "claude-code" else "")


def skill(surface: str, tools: str, vault: Path | None) -> str:
    """The whole SKILL.md: every operation with its installed tool, or else its command."""
    command = _command(vault)
    with_tools = surface == "mcp"
    head = "| to | tool | command |\n| --- | --- | --- |" if with_tools else "| to | command |\n| --- | --- |"
    rows = [head]
    for purpose, names, core, words in _OPERATIONS:
        tool = ", ".join(f"`{name}`" for name in names.split(", ")) if core or tools == "all" else ""
        rows.append(f"| {purpose} | {f'{tool} | ' if with_tools else ''}`{command} {words}` |")
    return (
        shipped("SKILL.md").replace("{table}", "\n".join(rows)).replace("{how}", _HOW[surface]).replace("{vm}", command)
    )


def rule(text: str) -> str:
    """The lines as a rule for Cursor that is always applied."""
    return f"---\ndescription: Long-term memory in vault-mem\nalwaysApply: true\n---\n{text}"


def shipped(name: str) -> str:
    """A file of ours for agents."""
    return (_FILES / name).read_text(encoding="utf-8")


def program(name: str, command: str) -> str:
    """A shipped program, which runs a command."""
    return shipped(name).replace("%s", json.dumps(shlex.split(command), ensure_ascii=False))


def _command(vault: Path | None) -> str:
    return f"vault-mem --vault {shlex.quote(str(vault))}" if vault else "vault-mem"
