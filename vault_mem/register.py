"""The register of commands: everything about a command as a whole is here, once.

The client reads it before every command, so it imports nothing: `typing` alone would take milliseconds.
"""

from __future__ import annotations

SAVE_AND_FIND, KEEP_CLEAN, AGENTS_DAY, THE_VAULT = "Save and find", "Keep clean", "An agent's day", "The vault"
GROUPS = (SAVE_AND_FIND, KEEP_CLEAN, AGENTS_DAY, THE_VAULT)


class CommandInfo:
    """One command.

    `writes` may also name the one option with which it writes. `here`: it runs in the client and not in the daemon,
    because it talks to the person at the terminal, changes how a vault is found, needs none, or is about the daemon.
    `turn`: it counts towards the next automatic tidy (T-3).
    """

    __slots__ = ("group", "here", "summary", "turn", "writes")

    def __init__(
        self, group: str, summary: str, *, writes: bool | str = True, here: bool = False, turn: bool = False
    ) -> None:
        self.group = group
        self.summary = summary
        self.writes = writes
        self.here = here
        self.turn = turn

    def may_write(self, arguments: list[str]) -> bool:
        """Whether a call with these arguments may write, so that it waits for its turn."""
        return self.writes in arguments if isinstance(self.writes, str) else self.writes


COMMANDS = {
    "remember": CommandInfo(SAVE_AND_FIND, "Save a memory, unless it repeats one.", turn=True),
    "recall": CommandInfo(SAVE_AND_FIND, "Find memories by meaning and by words.", writes=False, turn=True),
    "search": CommandInfo(SAVE_AND_FIND, "Find memories by keywords alone.", writes=False),
    "show": CommandInfo(SAVE_AND_FIND, "Show one memory with its links.", writes=False),
    "list": CommandInfo(SAVE_AND_FIND, "List memories, newest first.", writes=False),
    "tags": CommandInfo(SAVE_AND_FIND, "List tags, with counts.", writes=False),
    "people": CommandInfo(SAVE_AND_FIND, "List people, with counts.", writes=False),
    "similar": CommandInfo(SAVE_AND_FIND, "Find memories most like a note.", writes=False),
    "compare": CommandInfo(SAVE_AND_FIND, "Compare two texts or memories.", writes=False),
    "why-not": CommandInfo(SAVE_AND_FIND, "Explain why recall does not show a memory.", writes=False),
    "edit": CommandInfo(KEEP_CLEAN, "Change a memory's text or fields.", here=True),
    "tag": CommandInfo(KEEP_CLEAN, "Add and remove tags."),
    "rename": CommandInfo(KEEP_CLEAN, "Rename a memory's file."),
    "link": CommandInfo(KEEP_CLEAN, "Link two memories."),
    "unlink": CommandInfo(KEEP_CLEAN, "Remove the link between two memories."),
    "graph": CommandInfo(KEEP_CLEAN, "Show links, of one memory or of all.", writes=False),
    "episode": CommandInfo(KEEP_CLEAN, "Group memories into one story."),
    "consolidate": CommandInfo(KEEP_CLEAN, "Link what is new, and find near-duplicates."),
    "merge": CommandInfo(KEEP_CLEAN, "Merge one memory into another."),
    "done": CommandInfo(KEEP_CLEAN, "Mark a task as done."),
    "close": CommandInfo(KEEP_CLEAN, "Mark a memory as no longer true."),
    "reopen": CommandInfo(KEEP_CLEAN, "Reopen a closed memory."),
    "confirm": CommandInfo(KEEP_CLEAN, "Confirm that a memory is still true."),
    "tidy": CommandInfo(KEEP_CLEAN, "Close exact duplicates; list near ones and apply plans."),
    "review": CommandInfo(KEEP_CLEAN, "Accept or reject the proposals in REVIEW.md.", here=True),
    "forget": CommandInfo(KEEP_CLEAN, "Move a memory to the trash."),
    "restore": CommandInfo(KEEP_CLEAN, "Bring a forgotten memory back."),
    "undo": CommandInfo(KEEP_CLEAN, "Take back the last operation."),
    "history": CommandInfo(KEEP_CLEAN, "Show what happened, by which command and why.", writes=False),
    "private": CommandInfo(KEEP_CLEAN, "Move a memory into the private folder."),
    "publish": CommandInfo(KEEP_CLEAN, "Move a memory out of the private folder."),
    "backup": CommandInfo(KEEP_CLEAN, "Back up the vault, and restore it."),
    "wake-up": CommandInfo(AGENTS_DAY, "Show what to know when a session begins.", writes=False),
    "introspect": CommandInfo(AGENTS_DAY, "Show what is worth thinking about.", writes=False),
    "emotion-trend": CommandInfo(AGENTS_DAY, "Show how the last week and month felt.", writes=False),
    "update-self": CommandInfo(AGENTS_DAY, "Show or change SELF.md."),
    "sessions": CommandInfo(AGENTS_DAY, "List, show and remove captured sessions.", here=True),
    "capture": CommandInfo(AGENTS_DAY, "Capture a session; hooks call this.", here=True),
    "hint": CommandInfo(AGENTS_DAY, "Add a memory to a prompt; hooks call this.", writes=False),
    "setup": CommandInfo(AGENTS_DAY, "Set up an agent to use this memory.", here=True),
    "mcp": CommandInfo(AGENTS_DAY, "Serve the vault to an agent as MCP tools.", here=True),
    "init": CommandInfo(THE_VAULT, "Make a folder a vault.", here=True),
    "config": CommandInfo(THE_VAULT, "Read and change settings.", here=True),
    "status": CommandInfo(THE_VAULT, "Show what the vault holds and whether the index is fresh.", writes=False),
    "doctor": CommandInfo(THE_VAULT, "Check the vault's health and say how to fix it.", writes="--fix"),
    "stats": CommandInfo(THE_VAULT, "Show what the vault holds and how it grows.", writes=False),
    "web": CommandInfo(THE_VAULT, "Open the vault in your browser.", here=True),
    "views": CommandInfo(THE_VAULT, "Regenerate the daily log and MEMORY.md."),
    "reindex": CommandInfo(THE_VAULT, "Rebuild the index.", writes=False),
    "daemon": CommandInfo(THE_VAULT, "Manage the process that keeps commands fast.", here=True),
    "import": CommandInfo(THE_VAULT, "Import memories from other tools."),
    "export": CommandInfo(THE_VAULT, "Export memories.", writes=False),
    "eval": CommandInfo(THE_VAULT, "Measure recall on your own questions."),
    "git-merge": CommandInfo(THE_VAULT, "Merge two versions of a file; git calls this.", here=True),
    "help": CommandInfo(THE_VAULT, "Explain commands (--json for agents).", here=True),
    "completion": CommandInfo(THE_VAULT, "Print a shell completion script.", here=True),
}


def command_of(arguments: list[str]) -> str:
    """The command that a command line names, if it is one of ours."""
    return next((each for each in arguments if each in COMMANDS), "")


def module_of(command: str) -> str:
    """The module of `cli` that has a command; `import` is a Python keyword and cannot be one."""
    return "import_" if command == "import" else command.replace("-", "_")
