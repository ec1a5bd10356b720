"""The register of commands: everything about a command as a whole is here, once.

The client reads it before every command, so it imports nothing: `typing` alone would take milliseconds.
"""

from __future__ import annotations

SAVE_AND_FIND, KEEP_CLEAN, AGENTS_DAY, THE_VAULT = "Save and find", "Keep clean", "An agent's day", "The vault"
GROUPS = (SAVE_AND_FIND, KEEP_CLEAN, AGENTS_DAY, THE_VAULT)


class Command:
    """One command.

    `writes` may also be the option with which alone it writes. `here`: it runs in the client and not in the daemon,
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
    "remember": Command(SAVE_AND_FIND, "Save a memory, unless it repeats one.", turn=True),
    "recall": Command(SAVE_AND_FIND, "Find memories by meaning and by words.", writes=False, turn=True),
    "search": Command(SAVE_AND_FIND, "Find memories by keywords alone.", writes=False),
    "show": Command(SAVE_AND_FIND, "Show one memory with its links.", writes=False),
    "list": Command(SAVE_AND_FIND, "List memories, newest first.", writes=False),
    "tags": Command(SAVE_AND_FIND, "List tags, with counts.", writes=False),
    "people": Command(SAVE_AND_FIND, "List people, with counts.", writes=False),
    "similar": Command(SAVE_AND_FIND, "Find memories most like a note.", writes=False),
    "compare": Command(SAVE_AND_FIND, "Compare two texts or memories.", writes=False),
    "why-not": Command(SAVE_AND_FIND, "Explain why recall does not show a memory.", writes=False),
    "edit": Command(KEEP_CLEAN, "Change a memory's text or fields.", here=True),
    "tag": Command(KEEP_CLEAN, "Add and remove tags."),
    "rename": Command(KEEP_CLEAN, "Rename a memory's file."),
    "link": Command(KEEP_CLEAN, "Link two memories."),
    "unlink": Command(KEEP_CLEAN, "Remove the link between two memories."),
    "graph": Command(KEEP_CLEAN, "Show links, of one memory or of all.", writes=False),
    "episode": Command(KEEP_CLEAN, "Group memories into one story."),
    "consolidate": Command(KEEP_CLEAN, "Link what is new, and find near-duplicates."),
    "merge": Command(KEEP_CLEAN, "Merge one memory into another."),
    "done": Command(KEEP_CLEAN, "Mark a task as done."),
    "close": Command(KEEP_CLEAN, "Mark a memory as no longer true."),
    "reopen": Command(KEEP_CLEAN, "Reopen a closed memory."),
    "confirm": Command(KEEP_CLEAN, "Confirm that a memory is still true."),
    "tidy": Command(KEEP_CLEAN, "Close exact duplicates; list near ones and apply plans."),
    "review": Command(KEEP_CLEAN, "Accept or reject the proposals in REVIEW.md.", here=True),
    "forget": Command(KEEP_CLEAN, "Move a memory to the trash."),
    "restore": Command(KEEP_CLEAN, "Bring a forgotten memory back."),
    "undo": Command(KEEP_CLEAN, "Take back the last operation."),
    "history": Command(KEEP_CLEAN, "Show what happened, by which command and why.", writes=False),
    "private": Command(KEEP_CLEAN, "Move a memory into the private folder."),
    "publish": Command(KEEP_CLEAN, "Move a memory out of the private folder."),
    "backup": Command(KEEP_CLEAN, "Back up the vault, and restore it."),
    "wake-up": Command(AGENTS_DAY, "Show what to know when a session begins.", writes=False),
    "introspect": Command(AGENTS_DAY, "Show what is worth thinking about.", writes=False),
    "emotion-trend": Command(AGENTS_DAY, "Show how the last week and month felt.", writes=False),
    "update-self": Command(AGENTS_DAY, "Show or change SELF.md."),
    "sessions": Command(AGENTS_DAY, "List, show and remove captured sessions.", here=True),
    "capture": Command(AGENTS_DAY, "Capture a session; hooks call this.", here=True),
    "hint": Command(AGENTS_DAY, "Add a memory to a prompt; hooks call this.", writes=False),
    "setup": Command(AGENTS_DAY, "Set up an agent to use this memory.", here=True),
    "mcp": Command(AGENTS_DAY, "Serve the vault to an agent as MCP tools.", here=True),
    "init": Command(THE_VAULT, "Make a folder a vault.", here=True),
    "config": Command(THE_VAULT, "Read and change settings.", here=True),
    "status": Command(THE_VAULT, "Show what the vault holds and whether the index is fresh.", writes=False),
    "doctor": Command(THE_VAULT, "Check the vault's health and say how to fix it.", writes="--fix"),
    "stats": Command(THE_VAULT, "Show what the vault holds and how it grows.", writes=False),
    "web": Command(THE_VAULT, "Open the vault in your browser.", here=True),
    "views": Command(THE_VAULT, "Regenerate the daily log and MEMORY.md."),
    "reindex": Command(THE_VAULT, "Rebuild the index.", writes=False),
    "daemon": Command(THE_VAULT, "Manage the process that keeps commands fast.", here=True),
    "import": Command(THE_VAULT, "Import memories from other tools."),
    "export": Command(THE_VAULT, "Export memories.", writes=False),
    "eval": Command(THE_VAULT, "Measure recall on your own questions."),
    "git-merge": Command(THE_VAULT, "Merge two versions of a file; git calls this.", here=True),
    "help": Command(THE_VAULT, "Explain commands (--json for agents).", here=True),
    "completion": Command(THE_VAULT, "Print a shell completion script.", here=True),
}


def command_of(arguments: list[str]) -> str:
    """The command that a command line names, if it is one of ours."""
    return next((each for each in arguments if each in COMMANDS), "")


def module_of(command: str) -> str:
    """The module of `cli` that has a command; `import` is a word of the language."""
    return "import_" if command == "import" else command.replace("-", "_")
