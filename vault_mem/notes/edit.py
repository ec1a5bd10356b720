"""Editing a note in place: only the lines of the keys that change are touched, or nothing is (SPEC V-4)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from itertools import accumulate, zip_longest
from typing import Any

import yaml

from vault_mem.errors import EditRefused
from vault_mem.notes import yamlish
from vault_mem.notes.parse import MAX_FRONT_CHARS
from vault_mem.notes.text import NoteText, split
from vault_mem.notes.yamlish import Value

# YAML also breaks lines at NEL, U+2028 and U+2029; editors and git do not, so for us those stay inside a line.
_NEWLINE = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_FENCE = re.compile(r"---[ \t]*(?:\r\n|\n|\r|\Z)")
_COLON = re.compile(r"[ \t]*:")
_AFTER_VALUE = re.compile(r"[ \t]*((?<=[ \t])#[^\r\n]*)?")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")
_DASH = re.compile(r" *-[ \t]*")
_NULLS = ("", "~", "null", "Null", "NULL")

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
    wanted = {key: value for key, value in changes.items() if not before.holds(key, value)}
    if not wanted:
        return raw
    keys = ", ".join(wanted)
    if before.flow:
        raise _refused(keys, "the front matter is written in braces, not as lines of `key: value`")
    front = _apply(before, wanted, note.newline)
    if note.front is None:
        edited = NoteText(note.bom, f"---{note.newline}", front, f"---{note.newline}", note.body)
    else:
        edited = replace(note, front=front)
    _verify(before, edited, wanted)
    return edited.join()


def replace_body(raw: bytes, body: str) -> bytes:
    """`raw` with another body; front matter, BOM and line ending style stay. Raises EditRefused.

    `body` is taken whole, with or without a final newline. Its line endings become those of the old body, unless
    that one mixes them.
    """
    note = _split(raw, "the text")
    styles = set(_NEWLINE.findall(note.body)) or {note.newline}
    if len(styles) == 1:
        newline = styles.pop()
        body = _NEWLINE.sub(lambda _: newline, body)
    closing = note.closing
    if body and closing and not _NEWLINE.search(closing):
        closing += note.newline
    edited = replace(note, closing=closing, body=body)
    try:
        if split(edited.join()) != edited:
            raise _refused("the text", "it would be read as front matter", "Start it with another line than `---`.")
    except UnicodeEncodeError:
        raise _refused("the text", "it cannot be written as UTF-8", "Nothing was written.") from None
    return edited.join()


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
    # A first line `---` may be a rule above a text, but also front matter somebody is still typing.
    if note.front is None and _FENCE.match(note.body):
        raise _refused(keys, "front matter is opened by --- but never closed", _REPAIR)
    return note


# ---- reading


@dataclass(frozen=True, slots=True)
class _Entry:
    """One key and its value: the parser's events for each, with their places in the text."""

    key: list[yaml.Event]
    value: list[yaml.Event]

    @property
    def name(self) -> str | None:
        """The key's text; None where the key is a collection or an alias."""
        return self.key[0].value if isinstance(self.key[0], yaml.ScalarEvent) else None

    @property
    def start(self) -> int:
        return _start(self.key)

    @property
    def end(self) -> int:
        return _end(self.value)


class _Front:
    """Front matter as read: its text, its lines, its entries and what they load as."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[str] = _LINE.findall(text)
        self.starts = list(accumulate(map(len, self.lines), initial=0))
        self.values: Any = yamlish.load(text)
        events = list(yamlish.events(text))
        self.root = events[2] if len(events) > 2 else None  # after the starts of stream and document
        self.entries = _entries(events) if isinstance(self.root, yaml.MappingStartEvent) else []
        self.names = [entry.name for entry in self.entries]

    @property
    def flow(self) -> bool:
        """Whether the whole of it is one `{a: 1, b: 2}`."""
        return isinstance(self.root, yaml.MappingStartEvent) and bool(self.root.flow_style)

    @property
    def indent(self) -> str:
        """What stands before every key: nothing, or the spaces somebody put there."""
        if not self.entries:
            return ""
        line = self.lines[self.line_of(self.entries[0].start)]
        return line[: len(line) - len(line.lstrip(" "))]

    @property
    def located(self) -> bool:
        """Whether the parser's places fit our text (they are one off after a stray byte-order mark)."""
        return all(
            self.text.startswith(event.value, _span(event)[0])
            for event in (entry.key[0] for entry in self.entries)
            if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and not event.anchor and not event.tag
        )

    def entry(self, key: str) -> _Entry | None:
        return self.entries[self.names.index(key)] if key in self.names else None

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def last_line(self, start: int, end: int) -> int:
        """The line on which what runs from `start` to `end` ends; a block scalar ends where the next line starts."""
        return self.line_of(max(start, end - 1))

    def line_rest(self, offset: int) -> str:
        """From `offset` to the end of its line, the newline with it."""
        return self.text[offset : self.starts[self.line_of(max(0, offset - 1)) + 1]]

    def holds(self, key: str, value: Value | None) -> bool:
        """Whether the key has that value, or for None whether there is no such key."""
        entry = self.entry(key)
        if entry is None or value is None:
            return entry is None and value is None
        if isinstance(value, list):
            return _list_texts(self, entry.value) == value
        return _same(self.values.get(key), value)


def _read(text: str, keys: str) -> _Front:
    if len(text) > MAX_FRONT_CHARS:
        raise _refused(keys, "the front matter is too long", _REPAIR)
    try:
        front = _Front(text)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 2}" if mark else ""
        raise _refused(keys, f"the front matter is broken YAML{place}", _REPAIR) from None
    if front.root is not None and not isinstance(front.root, yaml.MappingStartEvent):
        raise _refused(keys, "the front matter is not a list of `key: value` lines", _REPAIR)
    if not front.located:
        raise _refused(keys, "the front matter has a stray byte-order mark", _REPAIR)
    return front


def _entries(events: list[yaml.Event]) -> list[_Entry]:
    nodes = _nodes(events[3:])
    return [_Entry(key, value) for key, value in zip(nodes[::2], nodes[1::2], strict=True)]


def _nodes(events: Iterable[yaml.Event]) -> list[list[yaml.Event]]:
    """The events of each child of a collection, up to where the collection ends."""
    nodes: list[list[yaml.Event]] = []
    depth = 0
    for event in events:
        if depth == 0:
            if isinstance(event, yaml.CollectionEndEvent):
                break
            nodes.append([])
        nodes[-1].append(event)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
    return nodes


def _span(event: yaml.Event) -> tuple[int, int]:
    """Where an event's text starts and ends, counted in code points."""
    start, end = event.start_mark, event.end_mark
    assert start is not None and end is not None  # the parser always gives both
    return start.index, end.index


def _start(node: list[yaml.Event]) -> int:
    return _span(node[0])[0]


def _end(node: list[yaml.Event]) -> int:
    """Where a node's own text ends."""
    spans = [(event, *_span(event)) for event in node]
    # The end of a block collection is an empty span that lies after the comments below it: it says nothing.
    return max(end for event, start, end in spans if start < end or not isinstance(event, yaml.CollectionEndEvent))


def _is_empty(node: list[yaml.Event]) -> bool:
    return isinstance(node[0], yaml.ScalarEvent) and _start(node) == _end(node)


def _is_block_list(node: list[yaml.Event]) -> bool:
    return isinstance(node[0], yaml.SequenceStartEvent) and not node[0].flow_style


def _is_block_scalar(node: list[yaml.Event]) -> bool:
    return isinstance(node[0], yaml.ScalarEvent) and node[0].style in ("|", ">")


def _same(loaded: object, value: Value) -> bool:
    if isinstance(loaded, datetime) and isinstance(value, datetime):
        if loaded.tzinfo is not None and value.tzinfo is not None:
            return loaded == value
        return loaded == value.replace(tzinfo=None, microsecond=0)
    return type(loaded) is type(value) and loaded == value


def _list_texts(front: _Front, node: list[yaml.Event]) -> list[str | None] | None:
    """What a list's items say; None where the node is no list."""
    if not isinstance(node[0], yaml.SequenceStartEvent):
        return None
    if (link := _unquoted_link(front, node)) is not None:  # `links: [[note]]`, which a person means as one link
        return [link]
    return [_item_text(front, item) for item in _nodes(node[1:])]


def _item_text(front: _Front, item: list[yaml.Event]) -> str | None:
    """What an item says, whatever type YAML gives it; None for nothing, an alias or a collection."""
    event = item[0]
    if not isinstance(event, yaml.ScalarEvent):
        return _unquoted_link(front, item)
    return None if event.implicit[0] and event.value in _NULLS else str(event.value)


def _unquoted_link(front: _Front, node: list[yaml.Event]) -> str | None:
    """`[[note]]` without quotes, which is a list in a list to YAML."""
    shape = (yaml.SequenceStartEvent, yaml.SequenceStartEvent, yaml.ScalarEvent, yaml.SequenceEndEvent)
    if len(node) != 5 or not all(isinstance(event, kind) for event, kind in zip(node, shape, strict=False)):
        return None
    source = front.text[_start(node) : _end(node)]
    return source if source.startswith("[[") and source.endswith("]]") and not _NEWLINE.search(source) else None


# ---- writing


@dataclass(frozen=True, slots=True)
class _Patch:
    """Lines to put in the place of lines `first` up to, not including, `stop`."""

    first: int
    stop: int
    lines: list[str]


def _apply(front: _Front, wanted: Mapping[str, Value | None], newline: str) -> str:
    """The front matter's text with the changes made, still to be verified."""
    at = _line_after_last_key(front)
    first, last = _Patch(0, 0, []), _Patch(at, at, [])
    patches = [first, last]
    for key, value in wanted.items():
        entry = front.entry(key)
        if entry is not None:
            patches.append(_Change(front, entry, key, newline).patch(value))
        elif value is not None:
            place = first if key == "id" else last
            place.lines.extend(_new_lines(key, value, front.indent, newline))
    result: list[str] = []
    done = 0
    for patch in sorted(patches, key=lambda patch: (patch.first, patch.stop)):
        result += front.lines[done : patch.first] + patch.lines
        done = patch.stop
    return "".join(result + front.lines[done:])


def _line_after_last_key(front: _Front) -> int:
    if not front.entries:
        return len(front.lines)
    return min(front.last_line(front.entries[-1].start, front.entries[-1].end) + 1, len(front.lines))


def _new_lines(key: str, value: Value, indent: str, newline: str) -> list[str]:
    name = f"{indent}{yamlish.scalar(key)}:"
    if isinstance(value, list) and value:
        return [f"{name}{newline}", *(f"{indent}  - {_item(item)}{newline}" for item in value)]
    return [f"{name} {_inline(value)}{newline}"]


def _inline(value: Value) -> str:
    return "[" + ", ".join(map(_item, value)) + "]" if isinstance(value, list) else yamlish.scalar(value)


def _item(text: str) -> str:
    return yamlish.quoted(text) if "[[" in text else yamlish.scalar(text)


class _Change:
    """One existing key about to change: where it and its value lie, and what its lines become."""

    def __init__(self, front: _Front, entry: _Entry, key: str, newline: str) -> None:
        self.front = front
        self.entry = entry
        self.key = key
        self.newline = newline
        self.value = entry.value
        self.start = _start(entry.value)
        self.end = entry.end
        self.colon = self._colon()
        self.first = front.line_of(entry.start)
        self.stop = front.last_line(entry.start, self.end) + 1
        while not front.lines[self.stop - 1].strip(" \t\r\n"):  # blank lines that trail a block scalar
            self.stop -= 1
        self._check()

    def patch(self, value: Value | None) -> _Patch:
        """The lines that take the place of the entry's."""
        if value is None:
            lines = self._bare()[1:]
        elif isinstance(value, list) and value:
            lines = self._with_list(value)
        else:
            lines = self._with_inline(_inline(value))
        return _Patch(self.first, self.stop, lines)

    def _colon(self) -> int:
        key_end = _end(self.entry.key)
        source = self.front.text[self.entry.start : key_end]
        before = self.front.text[self.front.starts[self.front.line_of(self.entry.start)] : self.entry.start]
        colon = _COLON.match(self.front.text, key_end)
        if before.strip(" ") or not colon or (source != self.key and source[:1] not in ("'", '"')):
            raise self._refused("it is not at the start of a line of its own")
        return colon.end()

    def _check(self) -> None:
        """Refuse whatever cannot be rewritten without losing something."""
        for event in self.value:
            if isinstance(event, yaml.MappingStartEvent):
                raise self._refused("it holds keys of its own")
            if isinstance(event, yaml.NodeEvent) and (event.anchor or getattr(event, "tag", None)):
                raise self._refused("it has an anchor, an alias or a tag")
        if None in self._nested():
            raise self._refused("it holds a list in a list")
        for other in self.front.entries:
            if other is not self.entry and self.first <= self.front.line_of(other.start) < self.stop:
                raise self._refused("it shares a line with another key")
        if not self._is_block() and not _only_comment(self.front.line_rest(self._value_end())):
            raise self._refused("something else stands on its line")

    def _nested(self) -> list[str | None]:
        """The items that are lists themselves: the link each one is, None where it is not one."""
        if not isinstance(self.value[0], yaml.SequenceStartEvent) or _unquoted_link(self.front, self.value):
            return []
        return [_unquoted_link(self.front, item) for item in _nodes(self.value[1:]) if len(item) > 1]

    def _is_block(self) -> bool:
        return _is_block_list(self.value) or _is_block_scalar(self.value)

    def _value_end(self) -> int:
        return self.colon if _is_empty(self.value) else self.end

    def _refused(self, reason: str) -> EditRefused:
        return _refused(self.key, reason)

    # -- the key without its value

    def _bare(self) -> list[str]:
        """The entry's lines without its value: the key and its comment, and comments between key and value."""
        front = self.front
        value_line = front.line_of(self.start)
        if _is_block_list(self.value):
            taken = {line for item in self._items() for line in range(item.first, item.stop)}
            between = [front.lines[line] for line in range(self.first + 1, self.stop) if line not in taken]
            return [self._key_line(front.line_rest(self.colon)), *between]
        if _is_empty(self.value):
            return [self._key_line(front.line_rest(self.colon))]
        if _is_block_scalar(self.value):
            header = _BLOCK_HEADER.match(front.text, self.start)
            if value_line != self.first or not header:
                raise self._refused("its value starts on another line")
            return [self._key_line(front.line_rest(header.end()))]
        self._refuse_inner_comments()
        rest = front.line_rest(self.end)
        if value_line == self.first:
            return [self._key_line(rest)]
        if rest.strip():
            raise self._refused("its value is on another line, with a comment")
        return [self._key_line(front.line_rest(self.colon)), *front.lines[self.first + 1 : value_line]]

    def _key_line(self, rest: str) -> str:
        """The key up to its colon, then the comment that followed."""
        if not _only_comment(rest):
            raise self._refused("something else stands on its line")
        comment = rest if rest.strip() else rest.lstrip(" \t")
        return self.front.text[self.front.starts[self.first] : self.colon] + comment

    def _refuse_inner_comments(self) -> None:
        """A list in brackets may have comments between its items, which would have no place on one line."""
        if not isinstance(self.value[0], yaml.SequenceStartEvent):
            return
        source = self.front.text[self.start : self.end]
        for event in reversed(self.value):
            if isinstance(event, yaml.ScalarEvent):
                first, stop = _span(event)
                source = source[: first - self.start] + source[stop - self.start :]
        if "#" in source:
            raise self._refused("its list has comments in it")

    # -- new values

    def _with_inline(self, text: str) -> list[str]:
        """The entry's lines with a value that fits on one line."""
        front = self.front
        if self._is_block() or _is_empty(self.value):
            key_line, *others = self._bare()
            head = self.colon - front.starts[self.first]
            return [f"{key_line[:head]} {text}{key_line[head:]}", *others]
        self._refuse_inner_comments()
        before = front.text[front.starts[self.first] : self.start]
        return _LINE.findall(before + text + front.line_rest(self.end))

    def _with_list(self, wanted: list[str]) -> list[str]:
        if _is_block_list(self.value):
            return self._with_items(wanted)
        sources = self._flow_sources()
        written = [sources.get(text) or _item(text) for text in wanted]
        if sources and self._on_one_line() and all(text in sources or "[[" not in text for text in wanted):
            return self._with_inline("[" + ", ".join(written) + "]")
        indent = self.front.indent
        return [*self._bare(), *(f"{indent}  - {item}{self.newline}" for item in written)]

    def _on_one_line(self) -> bool:
        return not _NEWLINE.search(self.front.text, self.start, self.end)

    def _flow_sources(self) -> dict[str, str]:
        """How the items of a list in brackets are written now, by what they say."""
        if not isinstance(self.value[0], yaml.SequenceStartEvent):
            return {}
        sources: dict[str, str] = {}
        for item in _nodes(self.value[1:]):
            text = _item_text(self.front, item)
            source = self.front.text[_start(item) : _end(item)]
            if text is not None and len(item) == 1 and not _NEWLINE.search(source):
                sources.setdefault(text, source)
        return sources

    # -- items of a block list

    def _items(self) -> list[_Item]:
        items: list[_Item] = []
        for node in _nodes(self.value[1:]):
            start, end = _start(node), _end(node)
            first, stop = self.front.line_of(start), self.front.last_line(start, end) + 1
            if first < (items[-1].stop if items else self.first + 1):
                raise self._refused("two of its items share a line")
            items.append(_Item(first, stop, start, end, _item_text(self.front, node)))
        return items

    def _with_items(self, wanted: list[str]) -> list[str]:
        """The entry's lines with items dropped and added; the lines of those that stay, and comments, are kept."""
        items = self._items()
        steps = SequenceMatcher(None, [item.text for item in items], wanted, autojunk=False).get_opcodes()
        dropped = [item for step, old, stop, _, _ in steps if step != "equal" for item in items[old:stop]]
        self._refuse_shared_lines(dropped)
        moved = {item.text: item for item in dropped}
        # As many items as before: one that differs was changed in its place, and its comment is still its own.
        in_place = len(items) == len(wanted)
        lines: list[str] = []
        done = self.first
        for step, old, old_stop, new, new_stop in steps:
            for item in items[old:old_stop]:
                lines += self.front.lines[done : item.first]
                lines += self.front.lines[item.first : item.stop] if step == "equal" else []
                done = item.stop
            if step == "equal":
                continue
            predecessors = items[old:old_stop] if in_place else []
            for text, predecessor in zip_longest(wanted[new:new_stop], predecessors[: new_stop - new]):
                if text in moved:
                    lines += self.front.lines[moved[text].first : moved[text].stop]
                else:
                    lines.append(self._item_line(text, predecessor, items[-1]))
        return lines

    def _item_line(self, text: str, predecessor: _Item | None, last: _Item) -> str:
        """The line of an item that is new, or takes the place and the comment of another."""
        model = predecessor or last
        prefix = self._dash(model)
        rest = self.front.line_rest(model.end) if model is predecessor and model.stop == model.first + 1 else ""
        return f"{prefix}{_item(text)}{rest or self.newline}"

    def _dash(self, item: _Item) -> str:
        """Indentation, dash and space as an item has them."""
        prefix = self.front.text[self.front.starts[item.first] : item.start]
        if not _DASH.fullmatch(prefix):
            raise self._refused("an item is not on the line of its dash")
        return prefix if prefix[-1] in " \t" else f"{prefix} "

    def _refuse_shared_lines(self, dropped: list[_Item]) -> None:
        """An item may go only if its lines hold nothing but its dash, its text and a comment."""
        for item in dropped:
            self._dash(item)
            if not _only_comment(self.front.line_rest(item.end)):
                raise self._refused("an item is not on a line of its own")


@dataclass(frozen=True, slots=True)
class _Item:
    """One item of a block list: its lines, its offsets, what it says (None: nothing)."""

    first: int
    stop: int
    start: int
    end: int
    text: str | None


def _only_comment(rest: str) -> bool:
    """Whether the rest of a line, newline included, is blank or a comment."""
    return bool(_AFTER_VALUE.fullmatch(rest.rstrip("\r\n")))


# ---- checking


def _verify(before: _Front, edited: NoteText, wanted: Mapping[str, Value | None]) -> None:
    """Read the result again: the wanted values are there, all else is the same in the same order. Or refuse."""
    keys = ", ".join(wanted)
    unsafe = _refused(keys, "it would disturb something else in the front matter")
    try:
        after = _read(edited.front or "", keys)
        same_text = split(edited.join()) == edited
    except (EditRefused, UnicodeEncodeError):
        raise unsafe from None
    if not same_text or after.names != _expected_names(before, wanted):
        raise unsafe
    if before.root is not None and after.root is not None and _signature([before.root]) != _signature([after.root]):
        raise unsafe
    if _others(before, wanted) != _others(after, wanted):
        raise unsafe
    for key, value in wanted.items():
        if not after.holds(key, value):
            raise _refused(key, "the value would not read back as it is")


def _expected_names(before: _Front, wanted: Mapping[str, Value | None]) -> list[str | None]:
    removed = {key for key, value in wanted.items() if value is None}
    new = [key for key in wanted if key not in before.names]
    first = [key for key in new if key == "id"]
    return [*first, *(name for name in before.names if name not in removed), *(key for key in new if key != "id")]


def _others(front: _Front, wanted: Mapping[str, Value | None]) -> list[list[tuple[object, ...]]]:
    return [_signature([*entry.key, *entry.value]) for entry in front.entries if entry.name not in wanted]


def _signature(events: list[yaml.Event]) -> list[tuple[object, ...]]:
    """What the parser saw, without the places. Events, not values: comparing those could take for ever (aliases)."""
    parts = ("anchor", "tag", "implicit", "value", "style", "flow_style")
    return [(type(event), *(getattr(event, part, None) for part in parts)) for event in events]
