"""Messages of commands, worded for a model, which has tools and arguments instead of a shell and options."""

from __future__ import annotations

import re
from collections.abc import Collection

from vault_mem.mcp.schema import Tool
from vault_mem.mcp.tools import BY_NAME, TOOLS

_IDS = r"((?:mem|ep)_\w+(?: or (?:mem|ep)_\w+)*|ID)"
# A command as it occurs in hints, the tool that does the same, and how to call it. `{0}` is the first group.
_CALLS = (
    (r"vault-mem remember \.\.\. --supersedes ID", "remember", "remember with supersedes"),
    (rf"--supersedes {_IDS}", "remember", "supersedes: {0}"),
    (rf"vault-mem done {_IDS}", "update_memory", "update_memory with memory_id {0} and done"),
    (rf"vault-mem close {_IDS}(?: --vault \S+)?", "update_memory", "update_memory with memory_id {0} and close"),
    (rf"vault-mem edit {_IDS} --set valid_to=", "update_memory", "update_memory with memory_id {0} and reopen"),
    (rf"vault-mem forget {_IDS}", "forget", "forget with memory_id {0}"),
    (rf"vault-mem show {_IDS}", "show_memory", "show_memory with memory_id {0}"),
    (r"vault-mem undo (\d+)(?:, or --yes)?", "undo", "undo with operation {0}"),
    (r"vault-mem restore --list", "history", "history"),
    (r"; by command: vault-mem review accept NUMBER, or reject", "update_memory", ""),
    (r"vault-mem tidy schema", "tidy_apply", "the schema of tidy_apply"),
    (r"vault-mem tidy candidates --json", "tidy_candidates", "tidy_candidates"),
    (r'try: vault-mem (?:recall|search|remember) "\.\.\."', "", "give it some words"),
    (r"vault-mem review list` shows them", "wake_up", "wake_up lists them"),
    (r"only the first --vault can be changed", "", "only update_memory changes it from here"),
    (r"read it with `vault-mem show ID`; --replace-all replaces the whole text, by hand or not", "", "ask a person"),
)
_PLAIN = re.compile(r"`?vault-mem ((?:episode |tidy )?[a-z-]+)(?![\w ]*[-.]{2})`?")
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+|-n(?= must))")


def in_tool_words(text: str, tool: Tool, offered: Collection[str]) -> str:
    """One of our texts, with commands and options replaced by tools and arguments if the tool is offered."""
    for pattern, name, said in _CALLS:
        if not name or name in offered:
            text = re.sub(f"`?{pattern}`?", lambda found: said.format(*found.groups()), text)  # noqa: B023
    by_command = {" ".join(each.command): each.name for each in TOOLS if each.name in offered}
    text = _PLAIN.sub(lambda found: by_command.get(found.group(1), found.group()), text)
    parameters = (*BY_NAME["remember"].parameters, *tool.parameters)  # most hints are about remember
    names = {each.to.split("/")[0]: each.name for each in parameters if each.to}
    return _OPTION.sub(lambda found: names.get(found.group(), found.group()), text)


def said_to_a_model(text: str, tag: str, tool: Tool, offered: Collection[str]) -> str:
    """A command's message, with our own words adapted to tools and the text of memories unchanged."""
    if not tag:
        return in_tool_words(text, tool, offered)
    parts = re.split(rf"(<{tag}>.*?</{tag}>)", text, flags=re.DOTALL)
    parts[::2] = [in_tool_words(ours, tool, offered) for ours in parts[::2]]  # every second part is memory text
    return "".join(parts)
