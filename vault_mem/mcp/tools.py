"""The tools: names and descriptions for agents, each with its command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vault_mem.fields import Form
from vault_mem.mcp.schema import INPUT, Parameter, Tool
from vault_mem.model import GIVEN, KINDS, LINK_TYPES, STATE_KINDS


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def _number(description: str, low: float, high: float) -> dict[str, Any]:
    return {"type": "number", "description": description, "minimum": low, "maximum": high}


def _whole(description: str, low: int, high: int | None = None, default: int | None = None) -> dict[str, Any]:
    limits = {"minimum": low} | ({} if high is None else {"maximum": high})
    return {"type": "integer", "description": description} | limits | ({} if default is None else {"default": default})


def _flag(description: str, default: bool | None = False) -> dict[str, Any]:
    return {"type": "boolean", "description": description} | ({} if default is None else {"default": default})


def _texts(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _option(name: str, schema: dict[str, Any], **more: bool) -> Parameter:
    """An argument that is passed as the option of the same name."""
    return Parameter(name, f"--{name.replace('_', '-')}", schema, **more)


def _plan() -> dict[str, Any]:
    """The schema of a TidyPlan, as the command checks it."""
    path = Path(__file__).parent.parent / "operations" / "upkeep" / "tidy_plan.schema.json"
    schema = dict(json.loads(path.read_text(encoding="utf-8")))
    del schema["$schema"], schema["title"]
    return schema | {"description": "A TidyPlan: what to do with states that tidy_candidates gave."}


_FILTERS = (
    _option("category", _text("Only this category.")),
    _option("kind", _text("Only this kind.", enum=list(KINDS))),
    Parameter("tags", "--tag", _texts("Only with all of these tags.")),
    Parameter("people", "--person", _texts("Only about all of these people.")),
    _option("emotion", _text("Only with this emotion."), rare=True),
    _option("importance", _whole("Minimum importance (1-5).", 1, 5)),
    _option("since", _text("Only from this date on (ISO 8601).")),
    _option("until", _text("Only before this date (ISO 8601).")),
    Parameter(
        "private", "--private/--public", _flag("Only private (true) or public (false) ones.", None), private=True
    ),
    _option("closed", _flag("Include closed memories.")),
    _option("as_of", _text("What was true on this date (ISO 8601).")),
)
_BUDGET = "Maximum tokens in the answer."
_PUBLIC_ONLY = _option("public_only", _flag("Leave private memories out."), private=True)
_REASON = _option("reason", _text("Why; kept in the history."))
_ALLOW_SECRET = _option("allow_secret", _flag("Save in public even if it looks like a credential."), rare=True)


def _field(name: str) -> Parameter:
    """The tool argument for a field of a memory."""
    each = GIVEN[name]
    said = each.for_model or each.help
    match each.form:
        case Form.TEXTS | Form.NAMES:
            schema = _texts(said)
        case Form.FLAG:
            schema = _flag(said)
        case Form.WHOLE | Form.NUMBER:
            schema = {"type": "integer" if each.form is Form.WHOLE else "number", "description": said}
            schema |= {"minimum": each.low, "maximum": each.high}
        case Form.TIME:
            schema = _text(f"{said.removesuffix('.')} (ISO 8601).")
        case _:
            schema = _text(said, **({"enum": list(each.choices)} if each.choices else {}))
    if each.default is not None and not each.choices:  # no default for kind: the model should choose one
        schema["default"] = each.default
    return Parameter(each.argument or name, each.flag, schema, rare=each.rare, private=name == "private")


def _memory_id(description: str) -> Parameter:
    return Parameter("memory_id", "", _text(description), required=True)


TOOLS = (
    Tool(
        "wake_up",
        "Wake up",
        "Call this when a session begins: the last introspection, what is open or due, recent and important memories.",
        ("wake-up",),
        (_option("budget", _whole(f"{_BUDGET[:-1]}, default 1500.", 1)), _PUBLIC_ONLY),
        read_only=True,
        core=True,
        always_loaded=True,
        in_public=("--public-only",),
    ),
    Tool(
        "recall",
        "Recall",
        "Find the memories that answer a question, by meaning and by words. Use it whenever something may have been "
        "said or decided before. Each result says how likely it answers (relevance) and whether it is private.",
        ("recall",),
        (
            Parameter("query", INPUT, _text("What you want to know, in any language."), True),
            Parameter("n_results", "-n", _whole("How many results.", 1, default=5)),
            _option("budget", _whole(_BUDGET, 50)),
            _option(
                "min_relevance",
                _number("Minimum relevance of the best result; below it, nothing answers.", 0, 1),
                rare=True,
            ),
            *_FILTERS,
        ),
        read_only=True,
        core=True,
        always_loaded=True,
    ),
    Tool(
        "remember",
        "Remember",
        "Save a memory: one thought, in words that make sense in a year. A repetition is not saved (status: duplicate) "
        "and the existing memory is shown; a changed fact is saved, and the answer says what differs.",
        ("remember",),
        (
            Parameter("content", INPUT, _text("What to remember; names instead of he, dates instead of today."), True),
            *map(_field, dict.fromkeys(("kind", "importance", *GIVEN))),  # a model should think about these two
            _option("force", _flag("Save even if it repeats a memory.")),
            _option("to", _text("If results name vaults: the one to save it in.")),
            _ALLOW_SECRET,
            _option("replace_all", _flag("For a new mood: also replace what a person added to it."), rare=True),
            _option("dedup_threshold", _number("Distance below which it is a repetition.", 0, 1), rare=True),
            _option("link_threshold", _number("Distance below which memories are linked.", 0, 1), rare=True),
        ),
        core=True,
        always_loaded=True,
    ),
    Tool(
        "update_memory",
        "Update a memory",
        "Change one memory: its text or fields, or say that it is over (close), done (a task), still true (confirm) or "
        "true again (reopen). What it said before is kept. If a fact changed, use remember with supersedes. Or "
        "accept or drop a candidate that wake_up lists.",
        ("edit",),
        (
            Parameter("memory_id", "", _text("ID of the memory to change; not with accept or drop.")),
            Parameter("content", "--content=-", _text("The new text. What a person added to it stays.")),
            Parameter(
                "fields",
                "--set",
                {
                    "type": "object",
                    "description": "Fields to set, such as importance, kind, tags, people, about_time, status, "
                    "valid_to; an empty value removes one.",
                },
            ),
            Parameter("close", "", _flag("It is no longer true.")),
            Parameter("done", "", _flag("The task is done.")),
            Parameter("confirm", "", _flag("It is still true today.")),
            Parameter("reopen", "", _flag("It was closed, and is true again.")),
            Parameter("accept", "", _text("Number of a candidate (rv-…): save it."), private=True),
            Parameter("drop", "", _text("Number of a candidate (rv-…): it is not proposed again."), private=True),
            _REASON,
            _ALLOW_SECRET,
        ),
        core=True,
        always=("--keep-added",),
        alternatives={
            "close": ("close",),
            "done": ("done",),
            "confirm": ("confirm",),
            "reopen": ("reopen",),
            "accept": ("review", "accept"),
            "drop": ("review", "reject"),
        },
        alternatives_take=("memory_id", "reason"),
        one_of=("content", "fields", "close", "done", "confirm", "reopen", "accept", "drop"),
        needed=("memory_id",),
    ),
    Tool(
        "forget",
        "Forget",
        "Delete a memory by ID. Returns the deleted memory's summary for confirmation. With restore: bring it back.",
        ("forget",),
        (
            _memory_id("ID of the memory to delete"),
            _option("reason", _text("Why; kept in the deletion log.")),
            Parameter("restore", "", _flag("Bring a forgotten memory back instead.")),
        ),
        destructive=True,
        core=True,
        alternatives={"restore": ("restore",)},
        alternatives_take=("memory_id",),
    ),
    Tool(
        "search_memories",
        "Search memories",
        "Find the memories that have certain words: a name, a part number, a phrase you know is there. For a question "
        "use recall.",
        ("search",),
        (
            Parameter("query", INPUT, _text("The words to look for."), True),
            Parameter("n_results", "-n", _whole("How many results.", 1, default=20)),
            *_FILTERS,
        ),
        read_only=True,
    ),
    Tool(
        "show_memory",
        "Show a memory",
        "One memory in full, with all its fields and its links in both directions.",
        ("show",),
        (_memory_id("ID of the memory to show; it may be shortened as long as it is unique."),),
        read_only=True,
    ),
    Tool(
        "history",
        "History",
        "What happened to a memory, what it said before, by which command and why; without an ID the latest operations "
        "of the vault, whose numbers undo takes.",
        ("history",),
        (
            Parameter("memory_id", "", _text("ID of the memory; without it, of all.")),
            Parameter("n_results", "-n", _whole("How many operations.", 1, default=20)),
        ),
        read_only=True,
    ),
    Tool(
        "merge_memories",
        "Merge memories",
        "Merge one memory into another: the kept one takes over links, tags and episodes, and the new text if one is "
        "given; the other goes to the trash.",
        ("merge",),
        (
            Parameter("keep_id", "", _text("ID of the memory to keep"), True),
            Parameter("remove_id", "", _text("ID of the memory to remove"), True),
            Parameter(
                "merged_content", "--content=-", _text("The new text of the kept memory; without it, it keeps its own.")
            ),
            _REASON,
        ),
        destructive=True,
    ),
    Tool(
        "link_memories",
        "Link memories",
        "Link two memories; the link is shown on both.",
        ("link",),
        (
            Parameter("source_id", "", _text("ID of the one memory"), True),
            Parameter("target_id", "", _text("ID of the other"), True),
            Parameter(
                "link_type",
                "--type",
                _text("What the second is to the first; related by default.", enum=list(LINK_TYPES)),
            ),
            _REASON,
        ),
        idempotent=True,
    ),
    Tool(
        "consolidate",
        "Consolidate",
        "Replay what is new: memories that followed one another are linked, and pairs that say nearly the same are "
        "shown. Texts are never merged by themselves.",
        ("consolidate",),
        (
            _option("all", _flag("Look for pairs in the whole vault, not only among new memories.")),
            _option("limit", _whole("Maximum number of pairs.", 0, default=5)),
            _option("merge_threshold", _number("Distance below which a pair is shown.", 0, 1)),
        ),
    ),
    Tool(
        "create_episode",
        "Create an episode",
        "Save memories that belong together as one story.",
        ("episode", "create"),
        (
            Parameter("memory_ids", "--memory", _texts("IDs of its memories."), True),
            Parameter("summary", "--summary=-", _text("What happened, in a sentence or two."), True),
            _option("title", _text("Its heading; by default the summary's first sentence.")),
            _option("importance", _whole("By default that of its most important memory.", 1, 5)),
            _option("private", _flag("Keep it private; it is anyway if one of its memories is."), private=True),
        ),
    ),
    Tool(
        "get_episode",
        "Get an episode",
        "One episode with its memories.",
        ("episode", "show"),
        (Parameter("episode_id", "", _text("ID of the episode, as list_episodes gives it"), True),),
        read_only=True,
    ),
    Tool(
        "list_episodes",
        "List episodes",
        "The episodes with their IDs, latest first.",
        ("episode", "list"),
        read_only=True,
    ),
    Tool(
        "introspect",
        "Introspect",
        "What is worth thinking about: recent memories, how they felt, episodes, open questions.",
        ("introspect",),
        (_option("budget", _whole(f"{_BUDGET[:-1]}, default 2000.", 1)), _PUBLIC_ONLY),
        read_only=True,
        in_public=("--public-only",),
    ),
    Tool(
        "update_self",
        "Update self",
        "Show or change what you say about yourself in SELF.md, a public file: fields, questions asked and resolved. "
        "Without arguments it only shows it.",
        ("update-self",),
        (
            Parameter(
                "fields",
                "--set",
                {
                    "type": "object",
                    "description": "Fields to set, by name; an empty value drops one.",
                    "additionalProperties": {"type": "string"},
                },
            ),
            _option("ask", _texts("Questions to ask.")),
            _option(
                "resolve",
                {
                    "type": "array",
                    "description": "Open questions to resolve.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "question": _text("Its number, or some of its words."),
                            "answer": _text("The answer."),
                        },
                        "required": ["question", "answer"],
                    },
                },
            ),
        ),
        idempotent=True,
    ),
    Tool(
        "emotion_trend",
        "Emotion trend",
        "How the last week and month felt: the dominant emotion, an undercurrent, the shift between the halves.",
        ("emotion-trend",),
        (_option("days", _whole("Cover this many days instead of a week and a month.", 1, 3650)), _PUBLIC_ONLY),
        read_only=True,
        in_public=("--public-only",),
    ),
    Tool(
        "tidy_candidates",
        "Tidy candidates",
        "Clusters of similar states of one kind (fact, relation, task, summary), to make a plan for tidy_apply from.",
        ("tidy", "candidates"),
        (
            _option("kind", _text("Only this kind.", enum=list(STATE_KINDS))),
            _option("budget", _whole("Maximum tokens of text.", 100, default=6000)),
            _option("summaries", _flag("Show scopes that need a summary instead.")),
            _PUBLIC_ONLY,
        ),
        read_only=True,
        in_public=("--public-only",),
    ),
    Tool(
        "tidy_apply",
        "Tidy apply",
        "Apply a TidyPlan: it is checked as a whole, then applied completely or not at all.",
        ("tidy", "apply"),
        (Parameter("plan", INPUT, _plan(), True), _option("dry_run", _flag("Check it, and change nothing."))),
        destructive=True,
    ),
    Tool(
        "undo",
        "Undo",
        "Take back an operation by its number; without one, says which would be taken back. Nothing is changed if a "
        "file was edited since.",
        ("undo",),
        (
            Parameter(
                "operation", "", _text("The operation to take back, as `op` of an answer; without it nothing is done.")
            ),
        ),
        destructive=True,
        always=("--by-number",),
    ),
)

BY_NAME = {tool.name: tool for tool in TOOLS}
SETS = ("core", "all")


def chosen(which: str) -> tuple[Tool, ...]:
    """The tools of a set."""
    return tuple(tool for tool in TOOLS if tool.core) if which == "core" else TOOLS
