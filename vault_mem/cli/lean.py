"""The JSON of an answer for a model: only what it can use, and nothing twice."""

from __future__ import annotations

from typing import Any

# Fields of a memory in a list. `show_memory` gives the rest.
_MEMORY = ("id", "text", "created", "kind", "status", "private", "relevance", "due", "valid_to", "shortened")
_MARKS = ("superseded_by", "maybe_replaced_by", "vault")
# No tool takes paths or lists of changed files.
_FILES = ("path", "files", "references", "left", "not_put_back", "commands", "next", "report")
# Left out if empty or at their default.
_QUIET = ("stale", "pending", "left_out", "links", "hidden", "missing")


def without_filler(document: dict[str, Any]) -> dict[str, Any]:
    """An answer without what a model has no use for. A memory that is itself the answer keeps all its fields."""
    if _is_memory(document):
        document = {"id": document["id"], "text": document["content"], **document}
        document = {key: value for key, value in document.items() if key not in ("content", "title")}
    if document.get("status") == "saved" and document.get("memory"):
        saved = _lean_value(document["memory"])
        document = document | {"memory": {key: value for key, value in saved.items() if key != "text"}}
        document |= _what_next(document)
    return {
        key: each
        for key, value in document.items()
        if _is_filled(key, each := _lean_value(value)) and key not in _FILES
    }


def _what_next(document: dict[str, Any]) -> dict[str, Any]:
    """What a saved memory suggests doing next, worded for tools; memories it mentions are not listed again as links."""
    finished = [each["id"] for each in document.get("may_finish") or ()]
    replaces = list(document.get("may_replace") or ())
    changed = document.get("changed")
    if changed and changed["id"] not in (*finished, *(each["id"] for each in replaces)):
        replaces.append(changed)
    replaced = [each["id"] for each in replaces if not each.get("vault")]
    elsewhere = [each["id"] for each in replaces if each.get("vault")]
    hints = (
        [f"if it replaces that one, call remember again with supersedes: {' or '.join(replaced)}"] if replaced else []
    )
    hints += [f"if it replaces that one, update_memory with memory_id {each} and close" for each in elsewhere]
    hints += [f"if that is done, update_memory with memory_id {each} and done" for each in finished]
    linked = [each for each in document.get("linked") or () if each["id"] not in finished + replaced]
    return {"linked": linked, "hint": "; ".join(hints)}


def _lean_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_lean_value(each) for each in value]
    if not isinstance(value, dict):
        return value
    if _is_memory(value):
        text = value.get("passage") or value.get("text") or value.get("content")
        record = value | {"text": text}
        if "relevance" in record:
            record["relevance"] = round(record["relevance"], 2)
        return {key: record[key] for key in (*_MEMORY, *_MARKS) if _is_filled(key, record.get(key))}
    return {
        key: each for key, inner in value.items() if _is_filled(key, each := _lean_value(inner)) and key not in _FILES
    }


def _is_memory(record: dict[str, Any]) -> bool:
    return {"id", "created", "kind"} <= record.keys() or {"id", "passage"} <= record.keys()


def _is_filled(key: str, value: Any) -> bool:
    if value is None or value == "" or value == [] or value == {}:
        return False
    return bool(value) or key not in (*_QUIET, "relevance", "shortened")
