"""Editing a note in place: only the lines of the keys that change are touched, or nothing is (SPEC V-4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from itertools import zip_longest

import yaml

from vault_mem.errors import EditRefused
from vault_mem.notes import yamlish
from vault_mem.notes.front import LINE, NEWLINE, Front, Pair, YamlNode, span
from vault_mem.notes.parse import MAX_FRONT_CHARS
from vault_mem.notes.text import NoteText, split
from vault_mem.notes.yamlish import Value

_FENCE = re.compile(r"---[ \t]*(?:\r\n|\n|\r|\Z)")
_COLON = re.compile(r"[ \t]*:")
_BLANK_OR_COMMENT = re.compile(r"[ \t]*((?<=[ \t])#[^\r\n]*)?")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")
_DASH = re.compile(r" *-[ \t]*")

_BY_HAND = "Nothing was written. Change it by hand, or write it as a plain `key: value` line and try again."
_REPAIR = "Nothing was written. Repair the note first; `vault-mem doctor` names the line."


def edit(raw: bytes, changes: Mapping[str, Value | None]) -> bytes:
    """`raw` with those front-matter keys set (None removes one); every other byte stays. Raises EditRefused.

    Times are written as they stand, without their offset: give them in the vault's zone. A list item that already
    reads as the wanted text (`- 2024` for "2024", an unquoted `- [[note]]`) stays as its owner wrote it.
    """
    if not changes:
        return raw
    keys = ", ".join(changes)
    note = _split(raw, keys)
    before = _read(note.front or "", keys)
    for key in changes:
        if before.names.count(key) > 1:
            raise _refused(key, "the note has that key more than once")
    wanted = {key: value for key, value in changes.items() if not _holds(before, key, value)}
    if not wanted:
        return raw
    if before.in_braces:
        raise _refused(", ".join(wanted), "the front matter is written in braces, not as lines of `key: value`")
    front = _apply(before, wanted, note.newline)
    if note.front is None:
        edited = NoteText(note.bom, f"---{note.newline}", front, f"---{note.newline}", note.body)
    else:
        edited = replace(note, front=front)
    _verify(before, edited, wanted)
    return edited.join()


def replace_body(raw: bytes, body: str) -> bytes:
    """`raw` with another body; front matter, BOM and line ending style stay. Raises EditRefused.

    `body` is taken as it is, with or without a final newline. Its line endings become those of the old body, unless
    that has mixed ones.
    """
    note = _split(raw, "the text")
    styles = set(NEWLINE.findall(note.body)) or {note.newline}
    if len(styles) == 1:
        newline = styles.pop()
        body = NEWLINE.sub(lambda _: newline, body)
    closing = note.closing
    if body and closing and not NEWLINE.search(closing):
        closing += note.newline
    edited = replace(note, closing=closing, body=body)
    try:
        raw = edited.join()
    except UnicodeEncodeError:
        raise _refused("the text", "it cannot be written as UTF-8", "Nothing was written.") from None
    if _split(raw, "the text") != edited:
        raise _refused("the text", "it would be read as front matter", "Start it with another line than `---`.")
    return raw


def _refused(key: str, reason: str, hint: str = _BY_HAND) -> EditRefused:
    """The refusal to raise. It never quotes the note: the note may be private."""
    return EditRefused(f"cannot change {key}: {reason}", hint)


def _split(raw: bytes, keys: str) -> NoteText:
    try:
        note = split(raw)
    except UnicodeDecodeError:
        raise _refused(keys, "the note is not UTF-8 text", _REPAIR) from None
    if b"\0" in raw:
        raise _refused(keys, "the note has NUL bytes: it is not a text file", _REPAIR)
    # A first line `---` may be a rule above a text, but also front matter that somebody is still typing.
    if note.front is None and _FENCE.match(note.body):
        raise _refused(keys, "front matter is opened by --- but never closed", _REPAIR)
    return note


def _read(text: str, keys: str) -> Front:
    if len(text) > MAX_FRONT_CHARS:
        raise _refused(keys, "the front matter is too long", _REPAIR)
    try:
        front = Front(text)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 2}" if mark else ""
        raise _refused(keys, f"the front matter is broken YAML{where}", _REPAIR) from None
    if front.root is not None and not front.is_mapping:
        raise _refused(keys, "the front matter is not made of `key: value` lines", _REPAIR)
    if not front.located:
        raise _refused(keys, "the front matter has a stray byte-order mark", _REPAIR)
    return front


def _holds(front: Front, key: str, value: Value | None) -> bool:
    """Whether the key has that value, or for None whether there is no such key."""
    entry = front.entry(key)
    if entry is None or value is None:
        return entry is None and value is None
    if isinstance(value, list):
        return front.item_texts(entry.value) == value
    loaded = front.values.get(key)
    if isinstance(loaded, datetime) and isinstance(value, datetime):
        if loaded.tzinfo is not None and value.tzinfo is not None:
            return loaded == value.replace(microsecond=0)
        return loaded == value.replace(tzinfo=None, microsecond=0)
    return type(loaded) is type(value) and bool(loaded == value)


# ---- writing


@dataclass(frozen=True, slots=True)
class _Patch:
    """Lines to put in the place of lines `first` up to, not including, `stop`."""

    first: int
    stop: int
    lines: list[str]


def _apply(front: Front, wanted: Mapping[str, Value | None], newline: str) -> str:
    """The front matter's text with the changes made, still to be verified."""
    at = _line_after_last_key(front)
    top, bottom = _Patch(0, 0, []), _Patch(at, at, [])
    patches = [top, bottom]
    for key, value in wanted.items():
        entry = front.entry(key)
        if entry is not None:
            patches.append(_Change(front, entry, key, newline).patch(value))
        elif value is not None:
            edge = top if key == "id" else bottom
            edge.lines.extend(_new_lines(key, value, front.indent, newline))
    result: list[str] = []
    done = 0
    for patch in sorted(patches, key=lambda patch: (patch.first, patch.stop)):
        result += front.lines[done : patch.first] + patch.lines
        done = patch.stop
    return "".join(result + front.lines[done:])


def _line_after_last_key(front: Front) -> int:
    if not front.entries:
        return len(front.lines)
    last = front.entries[-1]
    return min(front.line_after(last.key.start, last.value.end), len(front.lines))


def _new_lines(key: str, value: Value, indent: str, newline: str) -> list[str]:
    name = f"{indent}{yamlish.scalar(key)}:"
    if isinstance(value, list) and value:
        return [f"{name}{newline}", *(f"{indent}  - {_item(item)}{newline}" for item in value)]
    return [f"{name} {_inline(value)}{newline}"]


def _inline(value: Value) -> str:
    """A scalar, or an empty list."""
    return "[]" if isinstance(value, list) else yamlish.scalar(value)


def _item(text: str) -> str:
    return yamlish.quoted(text) if "[[" in text else yamlish.scalar(text)


def _only_comment(rest: str) -> bool:
    """Whether the rest of a line, newline included, is blank or a comment."""
    return bool(_BLANK_OR_COMMENT.fullmatch(rest.rstrip("\r\n")))


@dataclass(frozen=True, slots=True)
class _Item:
    """One item of a block list: its lines, and what it says (None: nothing)."""

    node: YamlNode
    first: int
    stop: int
    text: str | None


class _Change:
    """One existing key about to change: where it and its value are, and its new lines."""

    def __init__(self, front: Front, entry: Pair, key: str, newline: str) -> None:
        self.front = front
        self.key = key
        self.newline = newline
        self.value = entry.value
        self.first = front.line_of(entry.key.start)
        self.stop = front.line_after(entry.key.start, entry.value.end)
        while not front.lines[self.stop - 1].strip(" \t\r\n"):  # blank lines that trail a block scalar
            self.stop -= 1
        self.is_block = self.value.is_block_list or self.value.is_block_scalar
        self._refuse_unsafe(entry)
        self.colon = self._colon(entry.key)
        if not self.is_block and not _only_comment(front.line_rest(self._value_end())):
            raise self._refused("something else is on its line")

    def patch(self, value: Value | None) -> _Patch:
        """The lines that replace the entry's."""
        if value is None:
            lines = self._bare()[1:]
        elif isinstance(value, list) and value:
            lines = self._with_list(value)
        else:
            lines = self._with_inline(_inline(value))
        return _Patch(self.first, self.stop, lines)

    def _refused(self, reason: str) -> EditRefused:
        return _refused(self.key, reason)

    def _refuse_unsafe(self, entry: Pair) -> None:
        """Refuse what cannot be rewritten without losing something."""
        for event in self.value.events:
            if isinstance(event, yaml.MappingStartEvent):
                raise self._refused("it holds keys of its own")
            if isinstance(event, yaml.NodeEvent) and (event.anchor or getattr(event, "tag", None)):
                raise self._refused("it has an anchor, an alias or a tag")
        if self.value.is_list and self.front.unquoted_link(self.value) is None:
            for item in self.value.children:
                if item.is_list and self.front.unquoted_link(item) is None:
                    raise self._refused("it holds a list in a list")
        for other in self.front.entries:
            if other is not entry and self.first <= self.front.line_of(other.key.start) < self.stop:
                raise self._refused("it shares a line with another key")

    def _colon(self, key: YamlNode) -> int:
        """The position just after the colon, where the value may start."""
        source = self.front.text[key.start : key.end]
        before = self.front.text[self.front.starts[self.first] : key.start]
        colon = _COLON.match(self.front.text, key.end)
        if before.strip(" ") or not colon or (source != self.key and source[:1] not in ("'", '"')):
            raise self._refused("it is not at the start of a line of its own")
        return colon.end()

    def _value_end(self) -> int:
        return self.colon if self.value.is_empty else self.value.end

    # -- the key without its value

    def _bare(self) -> list[str]:
        """The entry's lines without its value: the key with its comment, and the comments between key and value."""
        front = self.front
        value_line = front.line_of(self.value.start)
        if self.value.is_block_list:
            items = {line for item in self._items() for line in range(item.first, item.stop)}
            between = [front.lines[line] for line in range(self.first + 1, self.stop) if line not in items]
            return [self._key_line(self.colon), *between]
        if self.value.is_block_scalar:
            header = _BLOCK_HEADER.match(front.text, self.value.start)
            if value_line != self.first or not header:
                raise self._refused("its value starts on another line")
            return [self._key_line(header.end())]
        self._refuse_inner_comments()
        if self.value.is_empty or value_line == self.first:
            return [self._key_line(self._value_end())]
        comment = front.line_rest(self.value.end).lstrip()
        between = front.lines[self.first + 1 : value_line]
        if comment:
            between.append(front.text[front.starts[value_line] : self.value.start] + comment)
        return [self._key_line(self.colon), *between]

    def _key_line(self, value_end: int) -> str:
        """The key up to its colon, then the comment that follows the value."""
        rest = self.front.line_rest(value_end)
        if not _only_comment(rest):
            raise self._refused("something else is on its line")
        head = self.front.text[self.front.starts[self.first] : self.colon]
        return head + (rest if rest.strip() else rest.lstrip(" \t"))

    def _refuse_inner_comments(self) -> None:
        """Refuse a list in brackets with comments between its items: on one line, they would be lost."""
        start, end = self.value.start, self.value.end
        source = self.front.text[start:end]
        for event in reversed(self.value.events):
            if isinstance(event, yaml.ScalarEvent):
                first, stop = span(event)
                source = source[: first - start] + source[stop - start :]
        if "#" in source:
            raise self._refused("its list has comments in it")

    # -- new values

    def _with_inline(self, text: str) -> list[str]:
        """The entry's lines with a value that fits on one line."""
        front = self.front
        if self.is_block or self.value.is_empty:
            key_line, *others = self._bare()
            head = self.colon - front.starts[self.first]
            return [f"{key_line[:head]} {text}{key_line[head:]}", *others]
        self._refuse_inner_comments()
        before = front.text[front.starts[self.first] : self.value.start]
        return LINE.findall(before + text + front.line_rest(self.value.end))

    def _with_list(self, wanted: list[str]) -> list[str]:
        if self.value.is_block_list:
            return self._with_items(wanted)
        sources = self._sources_in_brackets()
        written = [sources.get(text) or _item(text) for text in wanted]
        one_line = not NEWLINE.search(self.front.text, self.value.start, self.value.end)
        if sources and one_line and all(text in sources or "[[" not in text for text in wanted):
            return self._with_inline("[" + ", ".join(written) + "]")
        return [*self._bare(), *(f"{self.front.indent}  - {item}{self.newline}" for item in written)]

    def _sources_in_brackets(self) -> dict[str, str]:
        """How the items of a list in brackets are written now, by what they say."""
        sources: dict[str, str] = {}
        for item in self.value.children if self.value.is_list else []:
            text = self.front.item_text(item)
            source = self.front.text[item.start : item.end]
            if text is not None and item.scalar and not NEWLINE.search(source):
                sources.setdefault(text, source)
        return sources

    # -- items of a block list

    def _items(self) -> list[_Item]:
        items: list[_Item] = []
        for node in self.value.children:
            first, stop = self.front.line_of(node.start), self.front.line_after(node.start, node.end)
            if first < (items[-1].stop if items else self.first + 1):
                raise self._refused("two of its items share a line")
            items.append(_Item(node, first, stop, self.front.item_text(node)))
        return items

    def _with_items(self, wanted: list[str]) -> list[str]:
        """The entry's lines with items dropped and added; comments and the lines of other items stay."""
        items = self._items()
        steps = SequenceMatcher(None, [item.text for item in items], wanted, autojunk=False).get_opcodes()
        dropped = [item for step, old, stop, _, _ in steps if step != "equal" for item in items[old:stop]]
        self._refuse_shared_lines(dropped)
        moved = {item.text: self.front.lines[item.first : item.stop] for item in dropped}
        # With as many items as before, an item that differs was changed in place, and keeps its comment.
        in_place = len(items) == len(wanted)
        lines = [self.front.lines[self.first]]
        done = self.first + 1
        for step, old, old_stop, new, new_stop in steps:
            for item in items[old:old_stop]:
                lines += self.front.lines[done : item.stop if step == "equal" else item.first]
                done = item.stop
            if step != "equal":
                predecessors = items[old : min(old_stop, old + new_stop - new)] if in_place else []
                for text, predecessor in zip_longest(wanted[new:new_stop], predecessors):
                    lines += moved.get(text) or [self._item_line(text, predecessor, items[-1])]
        return lines

    def _item_line(self, text: str, predecessor: _Item | None, last: _Item) -> str:
        """The line of an item that is new, or that takes the place and the comment of another."""
        if predecessor and predecessor.stop == predecessor.first + 1:
            return self._dash(predecessor) + _item(text) + self.front.line_rest(predecessor.node.end)
        return self._dash(last) + _item(text) + self.newline

    def _dash(self, item: _Item) -> str:
        """Indentation, dash and space as an item has them."""
        prefix = self.front.text[self.front.starts[item.first] : item.node.start]
        if not _DASH.fullmatch(prefix):
            raise self._refused("an item is not on the line of its dash")
        return prefix if prefix[-1] in " \t" else f"{prefix} "

    def _refuse_shared_lines(self, dropped: list[_Item]) -> None:
        """An item may go only if its lines hold nothing but its dash, its text and a comment."""
        for item in dropped:
            self._dash(item)
            if not _only_comment(self.front.line_rest(item.node.end)):
                raise self._refused("an item is not on a line of its own")


# ---- checking


def _verify(before: Front, edited: NoteText, wanted: Mapping[str, Value | None]) -> None:
    """Read the result again and refuse it unless the wanted values are there and all else is the same, in order."""
    keys = ", ".join(wanted)
    unsafe = _refused(keys, "it would disturb something else in the front matter")
    try:
        after = _read(edited.front or "", keys)
        same_text = split(edited.join()) == edited
    except (EditRefused, UnicodeEncodeError):
        raise unsafe from None
    if (
        not same_text
        or after.names != _expected_names(before, wanted)
        or _others(before, wanted) != _others(after, wanted)
    ):
        raise unsafe
    if before.root and after.root and YamlNode([before.root]).signature != YamlNode([after.root]).signature:
        raise unsafe
    for key, value in wanted.items():
        if not _holds(after, key, value):
            raise _refused(key, "the value would not be read back unchanged")


def _expected_names(before: Front, wanted: Mapping[str, Value | None]) -> list[str | None]:
    removed = {key for key, value in wanted.items() if value is None}
    new = [key for key in wanted if key not in before.names]
    first = [key for key in new if key == "id"]
    return [*first, *(name for name in before.names if name not in removed), *(key for key in new if key != "id")]


def _others(front: Front, wanted: Mapping[str, Value | None]) -> list[list[tuple[object, ...]]]:
    return [entry.key.signature + entry.value.signature for entry in front.entries if entry.name not in wanted]
