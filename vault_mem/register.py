"""The register of commands: everything that is told of a command as a whole is told here, once.

The client reads it before every command, so it imports nothing: `typing` alone would take milliseconds.
"""

from __future__ import annotations

SAVE_AND_FIND, KEEP_CLEAN, AGENTS_DAY, THE_VAULT = "Save and find", "Keep clean", "An agent's day", "The vault"
GROUPS = (SAVE_AND_FIND, KEEP_CLEAN, AGENTS_DAY, THE_VAULT)


class Entry:
    """One command.

    `writes` may also be the option with which alone it writes. `here`: it runs in the client and not in the daemon,
    because it talks to the person at the terminal, changes how a vault is found, needs none, or is about the daemon.
    `turn`: tidying by itself goes by how often it was called (T-3).
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
    "remember": Entry(SAVE_AND_FIND, "Save a memory, unless it repeats one.", turn=True),
    "recall": Entry(SAVE_AND_FIND, "Find memories by meaning and by words.", writes=False, turn=True),
    "search": Entry(SAVE_AND_FIND, "Find memories by keywords alone.", writes=False),
    "show": Entry(SAVE_AND_FIND, "Show one memory with its links.", writes=False),
    "list": Entry(SAVE_AND_FIND, "List memories, newest first.", writes=False),
    "tags": Entry(SAVE_AND_FIND, "List tags, with counts.", writes=False),
    "people": Entry(SAVE_AND_FIND, "List people, with counts.", writes=False),
    "similar": Entry(SAVE_AND_FIND, "Find what is most like a note of the vault.", writes=False),
    "compare": Entry(SAVE_AND_FIND, "Compare two texts or memories.", writes=False),
    "why-not": Entry(SAVE_AND_FIND, "Explain why recall does not show a memory.", writes=False),
    "edit": Entry(KEEP_CLEAN, "Change a memory's text or fields.", here=True),
    "tag": Entry(KEEP_CLEAN, "Add and remove tags."),
    "rename": Entry(KEEP_CLEAN, "Give a memory's file another name."),
    "link": Entry(KEEP_CLEAN, "Link two memories."),
    "unlink": Entry(KEEP_CLEAN, "Remove the link between two memories."),
    "graph": Entry(KEEP_CLEAN, "Show the links around a memory, or of the whole vault.", writes=False),
    "episode": Entry(KEEP_CLEAN, "Group memories into one story."),
    "consolidate": Entry(KEEP_CLEAN, "Replay what is new, and find near-duplicates."),
    "merge": Entry(KEEP_CLEAN, "Merge one memory into another."),
    "done": Entry(KEEP_CLEAN, "Mark a task as done."),
    "close": Entry(KEEP_CLEAN, "Mark a memory as no longer true."),
    "reopen": Entry(KEEP_CLEAN, "Reopen a closed memory."),
    "confirm": Entry(KEEP_CLEAN, "Confirm that a memory is still true."),
    "tidy": Entry(KEEP_CLEAN, "Close exact duplicates; list near ones and apply plans."),
    "review": Entry(KEEP_CLEAN, "Accept or reject the proposals in REVIEW.md.", here=True),
    "forget": Entry(KEEP_CLEAN, "Move a memory to the trash."),
    "restore": Entry(KEEP_CLEAN, "Bring a forgotten memory back."),
    "undo": Entry(KEEP_CLEAN, "Take back the last operation."),
    "history": Entry(KEEP_CLEAN, "Show what happened, by which command and why.", writes=False),
    "private": Entry(KEEP_CLEAN, "Move a memory into the private folder."),
    "publish": Entry(KEEP_CLEAN, "Move a memory out of the private folder."),
    "backup": Entry(KEEP_CLEAN, "Back up the vault, and restore it."),
    "wake-up": Entry(AGENTS_DAY, "Show what to know when a session begins.", writes=False),
    "introspect": Entry(AGENTS_DAY, "Show what is worth thinking about.", writes=False),
    "emotion-trend": Entry(AGENTS_DAY, "Show how the last week and month felt.", writes=False),
    "update-self": Entry(AGENTS_DAY, "Show or change the agent's description of itself (SELF.md)."),
    "sessions": Entry(AGENTS_DAY, "List, show and remove what was said in sessions.", here=True),
    "capture": Entry(AGENTS_DAY, "Keep what was said in a session; hooks call this.", here=True),
    "hint": Entry(AGENTS_DAY, "Answer a prompt with a memory, if any; hooks call this.", writes=False),
    "setup": Entry(AGENTS_DAY, "Set up an agent to use this memory.", here=True),
    "mcp": Entry(AGENTS_DAY, "Serve the vault to an agent as MCP tools.", here=True),
    "init": Entry(THE_VAULT, "Make a folder a vault.", here=True),
    "config": Entry(THE_VAULT, "Read and change settings.", here=True),
    "status": Entry(THE_VAULT, "Show what the vault holds and whether the index is fresh.", writes=False),
    "doctor": Entry(THE_VAULT, "Check the vault's health and say how to fix it.", writes="--fix"),
    "stats": Entry(THE_VAULT, "Show what the vault holds and how it grows.", writes=False),
    "web": Entry(THE_VAULT, "Show the vault as a page in your browser.", here=True),
    "views": Entry(THE_VAULT, "Regenerate the daily log and MEMORY.md."),
    "reindex": Entry(THE_VAULT, "Rebuild the index.", writes=False),
    "daemon": Entry(THE_VAULT, "Manage the background process that keeps commands fast.", here=True),
    "import": Entry(THE_VAULT, "Import memories from other tools."),
    "export": Entry(THE_VAULT, "Export memories, to read or to move.", writes=False),
    "eval": Entry(THE_VAULT, "Measure recall on your own questions."),
    "git-merge": Entry(THE_VAULT, "Merge two versions of a file; git calls this.", here=True),
    "help": Entry(THE_VAULT, "Explain the commands; --json for agents.", here=True),
    "completion": Entry(THE_VAULT, "Print a completion script for a shell.", here=True),
}


def command_of(arguments: list[str]) -> str:
    """The command that a command line names, if it is one of ours."""
    return next((each for each in arguments if each in COMMANDS), "")


def module_of(command: str) -> str:
    """The module of `cli` that has a command; `import` is a word of the language."""
    return "import_" if command == "import" else command.replace("-", "_")
