"""The tools: names and descriptions as agents know them, each with the command behind it."""

from __future__ import annotations

from typing import Any

from vault_mem.mcp.schema import INPUT, Parameter, Tool
from vault_mem.model import (
    DEFAULT_CATEGORY,
    DEFAULT_EMOTION,
    DEFAULT_IMPORTANCE,
    DEFAULT_KIND,
    KINDS,
    LINK_TYPES,
    STATE_KINDS,
)


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


_LIST: dict[str, Any] = {"type": "array"}
_OBJECT: dict[str, Any] = {"type": "object"}
_STRING: dict[str, Any] = {"type": "string"}
_STALE: dict[str, Any] = {
    "stale": {"type": "boolean", "description": "True where the answer does not reflect every file as it is now."},
    "pending": {"type": "integer", "description": "How many changed files are not in it."},
}
_SCAFFOLD: dict[str, Any] = {"scaffold": _text("A thought to go on with; no part of the data.")}

_FILTERS = (
    Parameter("category", "--category", _text("Only this category.")),
    Parameter("kind", "--kind", _text("Only this kind.", enum=list(KINDS))),
    Parameter("tags", "--tag", _texts("Only with all of these tags.")),
    Parameter("people", "--person", _texts("Only with all of these people.")),
    Parameter("emotion", "--emotion", _text("Only with this emotion.")),
    Parameter("importance", "--importance", _whole("Only at least so important.", 1, 5)),
    Parameter("since", "--since", _text("Only from this date on (ISO 8601).")),
    Parameter("until", "--until", _text("Only before this date (ISO 8601).")),
    Parameter(
        "private",
        "--private/--public",
        _flag("True: only private memories; false: only public ones. Both by default.", None),
    ),
    Parameter("closed", "--closed", _flag("Memories whose time is over, too.")),
    Parameter("as_of", "--as-of", _text("What was true on this date (ISO 8601).")),
)

_BUDGET = "At most so many tokens in the answer."


def _memory_id(description: str) -> Parameter:
    return Parameter("memory_id", "", _text(description), required=True)


TOOLS = (
    Tool(
        "wake_up",
        "Wake up",
        "Call this when a session begins: the last introspection, what is open, recent and important memories.",
        ("wake-up",),
        (
            Parameter("budget", "--budget", _whole(_BUDGET, 1)),
            Parameter("public_only", "--public-only", _flag("Leave private memories out.")),
        ),
        {"introspection": {}, "tasks": _LIST, "questions": _LIST, "memories": _LIST, **_STALE, **_SCAFFOLD},
        read_only=True,
    ),
    Tool(
        "remember",
        "Remember",
        "Save a memory, unless it only repeats one. A repetition is not saved (status: duplicate) and the existing "
        "memory is shown. A changed fact is saved and what differs is said.",
        ("remember",),
        (
            Parameter(
                "content", INPUT, _text("What to remember: one thought, in words that make sense in a year."), True
            ),
            Parameter("private", "--private", _flag("When true, keep this memory internal and skip workspace sync.")),
            Parameter("importance", "--importance", _whole("1 to 5.", 1, 5, DEFAULT_IMPORTANCE)),
            Parameter(
                "category",
                "--category",
                _text(
                    "A word of your choice, such as daily, introspection, decision, lesson.", default=DEFAULT_CATEGORY
                ),
            ),
            Parameter(
                "kind",
                "--kind",
                _text("What it is: something that happened, or a state.", enum=list(KINDS), default=DEFAULT_KIND),
            ),
            Parameter("tags", "--tag", _texts("Tags.")),
            Parameter("people", "--person", _texts("People it is about.")),
            Parameter("emotion", "--emotion", _text("The main emotion.", default=DEFAULT_EMOTION)),
            Parameter("secondary", "--secondary", _texts("Other emotions in it.")),
            Parameter("intensity", "--intensity", _number("How strong the emotion is.", 0, 1)),
            Parameter("valence", "--valence", _number("How pleasant.", -1, 1)),
            Parameter("arousal", "--arousal", _number("How stirring.", -1, 1)),
            Parameter("body_state", "--body-state", _text("How the body feels.")),
            Parameter("about_time", "--about-time", _text("The time it is about, in any words.")),
            Parameter("valid_from", "--valid-from", _text("True from this date on (ISO 8601).")),
            Parameter("valid_to", "--valid-to", _text("True until this date (ISO 8601).")),
            Parameter("status", "--status", _text("For tasks: open, done, ...")),
            Parameter("confidence", "--confidence", _number("How sure.", 0, 1)),
            Parameter("salience", "--salience", _number("How much it stands out.", 0, 1)),
            Parameter("source", "--source", _text("Where it comes from.")),
            Parameter("scope", "--scope", _text("For a summary: tag:…, person:…, project:… or month:2026-11.")),
            Parameter("summary_of", "--of", _texts("For a summary: IDs of what it was made from.")),
            Parameter("supersedes", "--supersedes", _texts("IDs of memories that this one takes the place of.")),
            Parameter("force", "--force", _flag("Save even if it repeats a memory.")),
            Parameter("allow_secret", "--allow-secret", _flag("Save in public even if it looks like a credential.")),
            Parameter("replace_all", "--replace-all", _flag("For a new mood: replace what a person added to it, too.")),
            Parameter(
                "dedup_threshold", "--dedup-threshold", _number("Distance below which it is a repetition.", 0, 1)
            ),
            Parameter("link_threshold", "--link-threshold", _number("Distance below which memories are linked.", 0, 1)),
        ),
        {
            "status": _text("Whether it was saved.", enum=["saved", "updated", "duplicate"]),
            "memory": {},
            "links": {"type": "integer"},
            "linked": _LIST,
            "duplicate_of": {},
            "differs": _LIST,
            **_SCAFFOLD,
        },
    ),
    Tool(
        "recall",
        "Recall",
        "Find the memories that answer a question, by meaning and by words. Private ones are included; each says "
        "whether it is private.",
        ("recall",),
        (
            Parameter("query", INPUT, _text("What to look for, in any language."), True),
            Parameter("n_results", "-n", _whole("How many results.", 1, default=5)),
            Parameter("budget", "--budget", _whole(_BUDGET, 1)),
            Parameter(
                "min_relevance", "--min-relevance", _number("How likely the best result must answer, 0 to 1.", 0, 1)
            ),
            *_FILTERS,
        ),
        {
            "results": _LIST,
            "answered": {"type": "boolean", "description": "False: nothing answers; the results are the nearest."},
            "left_out": {"type": "integer", "description": "How many the budget had no room for."},
            **_STALE,
            **_SCAFFOLD,
        },
        read_only=True,
    ),
    Tool(
        "search_memories",
        "Search memories",
        "Find the memories that have certain words, within filters. Private ones are included; each says whether it "
        "is private.",
        ("search",),
        (
            Parameter("query", INPUT, _text("The words to look for."), True),
            Parameter("n_results", "-n", _whole("How many results.", 1, default=20)),
            *_FILTERS,
        ),
        {"results": _LIST, **_STALE},
        read_only=True,
    ),
    Tool(
        "show_memory",
        "Show a memory",
        "One memory whole, with its links in both directions.",
        ("show",),
        (_memory_id("ID of the memory to show; it may be cut short while it is unique."),),
        {"id": _STRING, "content": _STRING, "links": _LIST, **_STALE},
        read_only=True,
    ),
    Tool(
        "forget",
        "Forget",
        "Delete a memory by ID. Returns the deleted memory's summary for confirmation.",
        ("forget",),
        (
            _memory_id("ID of the memory to delete"),
            Parameter("reason", "--reason", _text("Why; kept in the deletion log.")),
        ),
        {"status": _STRING, "memory": _OBJECT, "references": {}, "op": _STRING, **_SCAFFOLD},
        destructive=True,
    ),
    Tool(
        "restore",
        "Restore",
        "Bring a forgotten memory back, with the references to it.",
        ("restore",),
        (_memory_id("ID of the memory to bring back"),),
        {"status": _STRING, "memory": _OBJECT, "not_put_back": _LIST},
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
            Parameter("reason", "--reason", _text("Why; kept in the history.")),
        ),
        {"status": _STRING, "memory": _OBJECT, "removed": _OBJECT, "op": _STRING},
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
            Parameter("reason", "--reason", _text("Why; kept in the history.")),
        ),
        {"status": _STRING, "type": _STRING, "op": _STRING},
        idempotent=True,
    ),
    Tool(
        "consolidate",
        "Consolidate",
        "Replay what is new: memories that followed one another are linked, and pairs that say nearly the same are "
        "shown. Texts are never merged by themselves.",
        ("consolidate",),
        (
            Parameter("all", "--all", _flag("Look for pairs in the whole vault, not only among new memories.")),
            Parameter("limit", "--limit", _whole("How many pairs at the most.", 0, default=5)),
            Parameter("merge_threshold", "--merge-threshold", _number("Distance below which a pair is shown.", 0, 1)),
        ),
        {
            "replay_events": {"type": "integer"},
            "coactivation_updates": {"type": "integer"},
            "link_updates": {"type": "integer"},
            "refreshed_memories": {"type": "integer"},
            "merge_candidates": _LIST,
            **_SCAFFOLD,
        },
    ),
    Tool(
        "create_episode",
        "Create an episode",
        "Save memories that belong together as one story.",
        ("episode", "create"),
        (
            Parameter("memory_ids", "--memory", _texts("IDs of its memories."), True),
            Parameter("summary", "--summary=-", _text("What happened, in a sentence or two."), True),
            Parameter("title", "--title", _text("Its heading; by default the summary's first sentence.")),
            Parameter("importance", "--importance", _whole("By default that of its most important memory.", 1, 5)),
            Parameter("private", "--private", _flag("Keep it private; it is anyway if one of its memories is.")),
        ),
        {"status": _STRING, "episode": _OBJECT, "op": _STRING},
    ),
    Tool(
        "get_episode",
        "Get an episode",
        "One episode with its memories.",
        ("episode", "show"),
        (Parameter("episode_id", "", _text("ID of the episode"), True),),
        {"id": _STRING, "summary": _STRING, "members": _LIST, "memories": _LIST, **_STALE},
        read_only=True,
    ),
    Tool(
        "introspect",
        "Introspect",
        "What there is to think about: recent memories, how they felt, episodes, open questions.",
        ("introspect",),
        (
            Parameter("budget", "--budget", _whole(_BUDGET, 1)),
            Parameter("public_only", "--public-only", _flag("Leave private memories out.")),
        ),
        {"memories": _LIST, "emotions": _OBJECT, "episodes": _LIST, "questions": _LIST, **_STALE, **_SCAFFOLD},
        read_only=True,
    ),
    Tool(
        "update_self",
        "Update self",
        "Show or change what you say of yourself in SELF.md, a public file: fields, questions asked and resolved. "
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
            Parameter("ask", "--ask", _texts("Questions to ask.")),
            Parameter(
                "resolve",
                "--resolve",
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
        {"status": _STRING, "fields": _OBJECT, "open": _LIST, "resolved": _LIST, "op": _STRING},
        idempotent=True,
    ),
    Tool(
        "emotion_trend",
        "Emotion trend",
        "How the last week and month felt: the dominant emotion, an undercurrent, the shift between the halves.",
        ("emotion-trend",),
        (
            Parameter("days", "--days", _whole("So many days instead of a week and a month.", 1, 3650)),
            Parameter("public_only", "--public-only", _flag("Leave private memories out of the sums.")),
        ),
        {"periods": _LIST, **_STALE},
        read_only=True,
    ),
    Tool(
        "tidy_candidates",
        "Tidy candidates",
        "Clusters of near states of one kind (fact, relation, task, summary), to be made into a plan for tidy_apply.",
        ("tidy", "candidates"),
        (
            Parameter("kind", "--kind", _text("Only this kind.", enum=list(STATE_KINDS))),
            Parameter("budget", "--budget", _whole("At most so many tokens of text.", 100, default=6000)),
            Parameter("summaries", "--summaries", _flag("Instead: scopes that deserve a summary.")),
            Parameter("public_only", "--public-only", _flag("Leave private memories out.")),
        ),
        {"candidates": _text("A token that goes into the plan."), "clusters": _LIST, "scopes": _LIST},
        read_only=True,
    ),
    Tool(
        "tidy_apply",
        "Tidy apply",
        "Apply a TidyPlan: the whole of it is checked first, then all of it is done or nothing.",
        ("tidy", "apply"),
        (
            Parameter(
                "plan",
                INPUT,
                {
                    "type": "object",
                    "description": "A TidyPlan: the token `candidates`, and state_updates[] with op, state_id, reason.",
                },
                True,
            ),
            Parameter("dry_run", "--dry-run", _flag("Check it, and change nothing.")),
        ),
        {"status": _STRING, "created": _LIST, "updated": _LIST, "closed": _LIST, "op": _STRING},
        destructive=True,
    ),
    Tool(
        "undo",
        "Undo",
        "Take back an operation by its number; without one, says which would be taken back. Nothing is changed where a "
        "file was edited since.",
        ("undo",),
        (
            Parameter(
                "operation", "", _text("The operation to take back, as `op` of an answer; without it nothing is done.")
            ),
        ),
        {
            "status": _STRING,
            "op": _STRING,
            "undone": _STRING,
            "command": _STRING,
            "files": _LIST,
            "would_undo": _OBJECT,
        },
        destructive=True,
        always=("--by-number",),
    ),
)

BY_NAME = {tool.name: tool for tool in TOOLS}
