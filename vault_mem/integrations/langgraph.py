"""A LangGraph store in a vault: every item is a memory, a note that people can read, edit and find.

    from vault_mem.integrations.langgraph import VaultStore

    graph = builder.compile(store=VaultStore("my-vault"))

Needs `pip install "vault-mem[langgraph]"`. An item's namespace, key and value are in the note's front matter, as
metadata; its text (`content`, `text`, `memory` or `data` of the value) is the note's own. If a person changes that, the
item has the new text.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from vault_mem.errors import InvalidInput
from vault_mem.model import Memory, MetaValue
from vault_mem.python.vault import Vault
from vault_mem.types import StrPath

TEXTS = ("content", "text", "memory", "data")
# People read front matter, and a sync parses all of it.
LARGEST = 50_000
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, wanted: value == wanted,
    "$ne": lambda value, wanted: value != wanted,
    "$gt": lambda value, wanted: float(value) > float(wanted),
    "$gte": lambda value, wanted: float(value) >= float(wanted),
    "$lt": lambda value, wanted: float(value) < float(wanted),
    "$lte": lambda value, wanted: float(value) <= float(wanted),
}


class VaultStore(BaseStore):
    """A `BaseStore` on a `Vault`, or on the vault in a folder. `private` keeps its items private."""

    def __init__(self, vault: Vault | StrPath, *, private: bool = False) -> None:
        self.vault = vault if isinstance(vault, Vault) else Vault(vault, watch=True)
        self._private = private

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do some operations: all reads come before any write, and of several puts of an item only the last is done."""
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, GetOp):
                found = self._memory(op.namespace, op.key)
                results.append(None if found is None else _item(found))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op))
            elif isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            else:
                raise ValueError(f"Unknown operation type: {type(op)}")
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _memory(self, namespace: tuple[str, ...], key: str) -> Memory | None:
        found = self.vault.list(n=1, metadata=_namespace_keys(namespace) | {"ns": len(namespace), "key": key})
        return found[0] if found else None

    def _put(self, op: PutOp) -> None:
        known = self._memory(op.namespace, op.key)
        if op.value is None:
            if known is not None:
                self.vault.forget(known, "taken out of the store")
            return
        text, noted = _written(dict(op.value))
        noted |= {"key": op.key, "ns": len(op.namespace)} | _namespace_keys(op.namespace)
        noted["updated"] = datetime.now().astimezone().isoformat()
        if known is None:
            self.vault.remember(text, metadata=noted, private=self._private, force=True, max_links=0)
        else:
            gone = {name: None for name in known.metadata if name not in noted}
            self.vault.edit(known, text, metadata={**noted, **gone})

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = _namespace_keys(op.namespace_prefix)
        listed = [each for each in reversed(self.vault.list(metadata=wanted)) if "ns" in each.metadata]
        items = {each.id: _item(each) for each in listed}
        items = {id_: item for id_, item in items.items() if _matches(item.value, op.filter)}
        scores: dict[str, float | None] = {}
        if op.query and items:
            found = self.vault.recall(op.query, max(len(listed), 1), metadata=wanted, min_relevance=0.0)
            scores = {each.memory.id: each.relevance for each in found if each.memory.id in items}
        chosen = [*scores, *(id_ for id_ in items if id_ not in scores)][op.offset : op.offset + op.limit]
        return [_found(items[id_], scores.get(id_)) for id_ in chosen]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        known = {_namespace(each) for each in self.vault.list() if "ns" in each.metadata}
        fit = {each for each in known if all(_fits(each, condition) for condition in op.match_conditions or ())}
        if op.max_depth is not None:
            fit = {each[: op.max_depth] for each in fit}
        return sorted(fit)[op.offset : op.offset + op.limit]


def _namespace_keys(namespace: tuple[str, ...]) -> dict[str, MetaValue]:
    return {f"ns_{number}": label for number, label in enumerate(namespace, start=1)}


def _namespace(memory: Memory) -> tuple[str, ...]:
    return tuple(str(memory.metadata.get(f"ns_{number}", "")) for number in range(1, int(memory.metadata["ns"]) + 1))


def _written(value: dict[str, Any]) -> tuple[str, dict[str, MetaValue]]:
    """A value as a text to read, and metadata that holds the rest."""
    field = next((name for name in TEXTS if isinstance(value.get(name), str) and value[name].strip()), "")
    text = value[field] if field else "\n".join(f"{name}: {_told(each)}" for name, each in value.items()) or "(empty)"
    noted: dict[str, MetaValue] = {}
    if field and text == text.strip() and "\r" not in text:  # the note keeps this text as it is
        noted["text"] = field
        value = {name: each for name, each in value.items() if name != field}
    noted["value"] = json.dumps(value, ensure_ascii=False)
    if len(str(noted["value"])) > LARGEST:
        raise InvalidInput(f"the value takes {len(str(noted['value']))} characters as JSON, more than {LARGEST}")
    return text, noted


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _item(memory: Memory) -> Item:
    value = json.loads(str(memory.metadata["value"]))
    if "text" in memory.metadata:
        value = {str(memory.metadata["text"]): memory.content} | value
    updated = datetime.fromisoformat(str(memory.metadata["updated"]))
    return Item(
        value=value,
        key=str(memory.metadata["key"]),
        namespace=_namespace(memory),
        created_at=memory.created,
        updated_at=updated,
    )


def _found(item: Item, score: float | None) -> SearchItem:
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def _matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(_compares(value.get(name), each) for name, each in (wanted or {}).items())


def _compares(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(_operator(name)(value, each) for name, each in wanted.items())
        return isinstance(value, dict) and all(_compares(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same and all(_compares(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _operator(name: str) -> Callable[[Any, Any], bool]:
    if name not in _COMPARE:
        raise ValueError(f"Unsupported operator: {name}")
    return _COMPARE[name]


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
