"""The kinds of files we add to: JSON, TOML, YAML, a block in a Markdown file, a file of our own.

Each kind only inserts text, so that removing it restores the file byte for byte.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault_mem.errors import EditRefused
from vault_mem.vault import jsonc
from vault_mem.vault.jsonc import Insertion
from vault_mem.vault.marked import BEGIN, END

MARK_BEGIN, MARK_END = "# vault-mem:begin", "# vault-mem:end"
_OUR_COMMANDS = ("vault-mem wake-up", "command -v vault-mem")


@dataclass(frozen=True)
class Addition:
    """A value in a JSON file: at `keys`, or `append`ed to the list there. `weak`: the owner's value is kept."""

    keys: tuple[str, ...]
    value: Any
    append: bool = False
    weak: bool = False


@dataclass(frozen=True)
class Piece:
    """What one file should contain: `entries` for the kinds json and yaml, `text` for toml, block and file."""

    path: Path
    kind: str
    text: str = ""
    entries: tuple[Addition, ...] = ()


@dataclass
class Added:
    """A file's new text, the insertions in order, and the keys that had to be created."""

    text: str
    insertions: list[Insertion]
    made: list[list[str]] = field(default_factory=list)


def present(piece: Piece, text: str) -> bool:
    """Whether the file already has the piece."""
    if piece.kind == "file":
        return text == piece.text
    if piece.kind == "block":
        return _block(piece.text, "\r\n" if "\r\n" in text else "\n") in text
    if piece.kind == "toml":
        return _holds(_toml(piece, text), tomllib.loads(piece.text))
    return all(_has(_value(piece, text), entry) for entry in piece.entries)


def foreign(piece: Piece, text: str) -> str:
    """The owner's entry that is in the way, or an empty text."""
    if piece.kind == "file":
        return "there is another file of that name"
    if piece.kind == "toml" and "vault-mem" in _toml(piece, text).get("mcp_servers", {}):
        return "it has an entry vault-mem of its own"
    if piece.entries:
        for entry in piece.entries:
            if not entry.append and not entry.weak and _at(_value(piece, text), entry.keys) is not None:
                return f"it has an entry {'.'.join(entry.keys)} of its own"
    return ""


def add(piece: Piece, text: str | None) -> Added:
    """Add the piece to a file's text (None: no file); raises EditRefused if that would disturb the rest."""
    if piece.kind == "file":
        return Added(piece.text, [(0, piece.text)])
    before = text or ""
    if piece.kind == "json":
        return _add_json(piece, before)
    if piece.kind == "yaml":
        return _add_yaml(piece, before)
    newline = "\r\n" if "\r\n" in before else "\n"
    gap = "" if not before.strip("\ufeff") else newline if before.endswith("\n") else newline * 2
    block = piece.text.replace("\n", newline) if piece.kind == "toml" else _block(piece.text, newline)
    added = Added(before + gap + block, [(len(before), gap + block)])
    if piece.kind == "toml":
        wanted = _merged(_toml(piece, before), tomllib.loads(piece.text))
        try:
            right = tomllib.loads(added.text.removeprefix("\ufeff")) == wanted
        except tomllib.TOMLDecodeError:
            right = False
        if not right:
            raise _refused(piece, "mcp_servers is written in a way that nothing can be added to", piece.text)
    return added


def without_piece(kind: str, entries: list[Addition], made: list[list[str]], text: str) -> str:
    """The text without our piece, if the owner has edited the file since; their edits stay."""
    if kind == "block":
        pattern = rf"(?:\r?\n)?{re.escape(BEGIN)}.*?{re.escape(END)}[^\n]*(?:\n|\Z)"
        return re.sub(pattern, "", text, flags=re.DOTALL)
    if kind == "toml":
        return _strip_toml(text)
    if kind == "json":
        return _strip_json(entries, made, text)
    if kind == "yaml":
        return _strip_yaml(entries[0], made, text)
    return text


def _add_json(piece: Piece, text: str) -> Added:
    added = Added(text, [])
    expected = _value(piece, text)
    for entry in piece.entries:
        if _has(_value(piece, added.text), entry):
            continue
        try:
            after, insertions, made = jsonc.inserted(added.text, entry.keys, entry.value, append=entry.append)
        except TypeError as error:
            raise _refused(piece, str(error), json.dumps(entry.value, indent=2)) from error
        expected = _put(expected, entry)
        if jsonc.parse(after).value != expected:
            raise _refused(piece, "nothing can be added without changing something else", json.dumps(entry.value))
        added = Added(after, added.insertions + insertions, added.made + ([made] if made else []))
    return added


def _strip_json(entries: list[Addition], made: list[list[str]], text: str) -> str:
    for entry in entries:
        found = _at(jsonc.parse(text).value, entry.keys)
        if entry.append:
            for number in reversed(range(len(found) if isinstance(found, list) else 0)):
                text = _without_hook(text, entry, found[number], number)
        elif not entry.weak or found == entry.value:
            text = jsonc.removed(text, entry.keys)
    for keys in made:  # containers that we created are removed if they are empty
        for entry in entries:
            inner = entry.keys if entry.append else entry.keys[:-1]
            for depth in range(len(inner), len(keys) - 1, -1):
                if list(inner[: len(keys)]) == keys and _at(jsonc.parse(text).value, inner[:depth]) in ({}, []):
                    text = jsonc.removed(text, inner[:depth])
    return text


def _without_hook(text: str, entry: Addition, item: Any, number: int) -> str:
    """Remove our command from a group of hooks, and the group if nothing else is in it."""
    ours = _commands(entry.value)
    found = _commands(item)
    if found and all(_is_ours(command, ours) for command in found):
        return jsonc.removed(text, (*entry.keys, number))
    handlers = item.get("hooks") if isinstance(item, dict) else None
    if not isinstance(handlers, list):
        return text
    for which in reversed(range(len(handlers))):
        if any(_is_ours(command, ours) for command in _commands(handlers[which])):
            text = jsonc.removed(text, (*entry.keys, number, "hooks", which))
    return text


def _is_ours(command: str, ours: list[str]) -> bool:
    return command in ours or command.startswith(_OUR_COMMANDS)


def _commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["command"]] if isinstance(value.get("command"), str) else []
        return own + [each for inner in value.values() for each in _commands(inner)]
    return [each for inner in value for each in _commands(inner)] if isinstance(value, list) else []


def _strip_toml(text: str) -> str:
    kept: list[str] = []
    ours = between = False
    for line in text.splitlines(keepends=True):
        word = line.strip()
        if word in (MARK_BEGIN, MARK_END):
            ours, between = False, word == MARK_BEGIN
            if word == MARK_BEGIN and kept and not kept[-1].strip():
                kept.pop()
            continue
        if word.startswith("["):
            hook = between and word.startswith("[[hooks.")
            ours = hook or bool(re.match(r"""\[\s*mcp_servers\s*\.\s*["']?vault-mem["']?\s*[.\]]""", word))
        if not ours:
            kept.append(line)
    return "".join(kept)


def _add_yaml(piece: Piece, text: str) -> Added:
    """Add lines in block style below the key for such entries, or at the end if there is none yet."""
    (entry,) = piece.entries
    key, name = entry.keys
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _yaml_key(key, text)
    indent = found["indent"] or "  " if found else "  "
    values = "".join(
        f"{indent * 2}{each}: {json.dumps(value, ensure_ascii=False)}\n" for each, value in entry.value.items()
    )
    block = f"{indent}{name}:\n{values}".replace("\n", newline)
    if found is None:
        gap = newline if text and not text.endswith("\n") else ""
        offset, block = len(text), f"{gap}{key}:{newline}{block}"
    else:
        offset = found.end("line")
    added = Added(text[:offset] + block + text[offset:], [(offset, block)], [] if found else [[key]])
    before = _value(piece, text)
    try:
        right = _value(piece, added.text) == _put(before, entry) and (found is not None or key not in before)
    except EditRefused:
        right = False
    if not right:
        raise _refused(piece, f"{key} is written in a way that nothing can be added to", json.dumps(entry.value))
    return added


def _yaml_key(key: str, text: str) -> re.Match[str] | None:
    """The line of a top-level key in a YAML file, and the indentation below it."""
    below = r"(?=(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?P<indent> +)[^\s#]|)"
    return re.search(rf"^(?P<line>{re.escape(key)}:[ \t]*(?:#[^\n]*)?\r?\n){below}", text, re.MULTILINE)


def _strip_yaml(entry: Addition, made: list[list[str]], text: str) -> str:
    key, name = entry.keys
    ours = rf"^(?P<indent> +)[\"']?{re.escape(name)}[\"']?:[^\n]*(?:\n|\Z)(?:(?P=indent) +[^\n]*(?:\n|\Z))*"
    above = _yaml_key(key, text)
    mine = re.compile(ours, re.MULTILINE).search(text, above.end("line")) if above else None
    if mine is None:
        return text
    text = text[: mine.start()] + text[mine.end() :]
    left = _yaml_key(key, text)
    if [key] in made and left is not None and left["indent"] is None:
        text = text[: left.start("line")] + text[left.end("line") :]
    return text


def _block(text: str, newline: str) -> str:
    return f"{BEGIN}\n{text}{END}\n".replace("\n", newline)


def _value(piece: Piece, text: str) -> Any:
    if not text.strip("\ufeff \t\r\n"):
        return {}
    if piece.kind == "yaml":
        return _yaml(piece, text)
    try:
        return jsonc.parse(text).value
    except (jsonc.NotJson, RecursionError) as error:
        raise EditRefused(f"{piece.path} is not valid JSON: {error}", "fix it first; nothing was changed") from error


def _yaml(piece: Piece, text: str) -> dict[str, Any]:
    import yaml  # help and completion need not load it

    try:
        value = yaml.safe_load(text) or {}
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise EditRefused(f"{piece.path} is not valid YAML: {reason}", "fix it first; nothing was changed") from error
    if not isinstance(value, dict):
        raise _refused(piece, "it is no mapping", json.dumps(piece.entries[0].value))
    return value


def _toml(piece: Piece, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise EditRefused(f"{piece.path} is not valid TOML: {error}", "fix it first; nothing was changed") from error


def _at(value: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _has(value: Any, entry: Addition) -> bool:
    found = _at(value, entry.keys)
    if entry.append:
        return isinstance(found, list) and entry.value in found
    return found == entry.value or (entry.weak and found is not None)


def _put(value: Any, entry: Addition) -> Any:
    """A copy of the value with an entry added."""
    head, *rest = entry.keys
    inner = value.get(head)
    if rest:
        new = _put(inner if isinstance(inner, dict) else {}, Addition(tuple(rest), entry.value, entry.append))
    else:
        new = [*(inner or []), entry.value] if entry.append else entry.value
    return {**value, head: new}


def _merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**one, **{key: _both(one.get(key), value) for key, value in other.items()}}


def _both(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return _merged(one, other)
    return [*one, *other] if isinstance(one, list) and isinstance(other, list) else other


def _holds(whole: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(_holds(whole.get(key), value) for key, value in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and all(each in whole for each in part)
    return bool(whole == part)


def _refused(piece: Piece, why: str, by_hand: str) -> EditRefused:
    return EditRefused(f"{piece.path} is left alone: {why}", f"add it by hand: {' '.join(by_hand.split())}")
