"""Front matter with the position of everything in it, so that an edit knows which lines it touches."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import yaml

from vault_mem.notes import yamlish

# YAML also breaks lines at NEL, U+2028 and U+2029; editors and git do not, so here those stay inside a line.
NEWLINE = re.compile(r"\r\n|\n|\r")
LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_NULLS = ("", "~", "null", "Null", "NULL")


class YamlNode:
    """A scalar, a list, a mapping or an alias: the parser's events for it. Offsets count code points."""

    def __init__(self, events: list[yaml.Event]) -> None:
        self.events = events

    @property
    def start(self) -> int:
        """Where its text starts."""
        return span(self.events[0])[0]

    @cached_property
    def end(self) -> int:
        """Where its own text ends; for a block scalar, where the line after it starts."""
        spans = [(event, *span(event)) for event in self.events]
        # The end event of a block collection is an empty span below its trailing comments: too far down.
        return max(end for event, start, end in spans if start < end or not isinstance(event, yaml.CollectionEndEvent))

    @property
    def scalar(self) -> yaml.ScalarEvent | None:
        """Its only event, if it is a scalar."""
        return self.events[0] if isinstance(self.events[0], yaml.ScalarEvent) else None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written: the value in `key:`."""
        return self.scalar is not None and self.start == self.end

    @property
    def is_block_scalar(self) -> bool:
        """Whether it is text below a `|` or a `>`."""
        return self.scalar is not None and self.scalar.style in ("|", ">")

    @property
    def is_list(self) -> bool:
        """Whether it is a list, in brackets or with dashes."""
        return isinstance(self.events[0], yaml.SequenceStartEvent)

    @property
    def is_block_list(self) -> bool:
        """Whether it is a list with dashes."""
        return isinstance(self.events[0], yaml.SequenceStartEvent) and not self.events[0].flow_style

    @property
    def children(self) -> list[YamlNode]:
        """The items of a list; for a mapping, its keys and values in turn."""
        return _nodes(self.events[1:])

    @property
    def signature(self) -> list[tuple[object, ...]]:
        """All that the parser saw, without positions. Comparing loaded values could take for ever: aliases multiply."""
        parts = ("anchor", "tag", "implicit", "value", "style", "flow_style")
        return [(type(event), *(getattr(event, part, None) for part in parts)) for event in self.events]


@dataclass(frozen=True, slots=True)
class Pair:
    """One key and its value."""

    key: YamlNode
    value: YamlNode

    @property
    def name(self) -> str | None:
        """The key's text; None if the key is a collection or an alias."""
        return self.key.scalar.value if self.key.scalar else None


class Front:
    """Front matter as read: its text, its lines, its entries, and what they load as.

    Raises yaml.YAMLError, ValueError, OverflowError, RecursionError or TypeError if it cannot be read.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[str] = LINE.findall(text)
        self.starts = list(accumulate(map(len, self.lines), initial=0))
        self.values: Any = yamlish.load(text)
        events = list(yamlish.events(text))
        self.root = events[2] if len(events) > 2 else None  # after the starts of stream and document
        nodes = _nodes(events[3:]) if self.is_mapping else []
        self.entries = [Pair(key, value) for key, value in zip(nodes[::2], nodes[1::2], strict=True)]
        self.names = [entry.name for entry in self.entries]

    @property
    def is_mapping(self) -> bool:
        """Whether it consists of keys and values."""
        return isinstance(self.root, yaml.MappingStartEvent)

    @property
    def in_braces(self) -> bool:
        """Whether all of it is one `{a: 1, b: 2}`."""
        return isinstance(self.root, yaml.MappingStartEvent) and bool(self.root.flow_style)

    @property
    def located(self) -> bool:
        """Whether the parser's positions fit the text (they are off by one after a stray byte-order mark)."""
        keys = [entry.key.scalar for entry in self.entries]
        plain = [key for key in keys if key and key.implicit[0] and not key.anchor and not key.tag]
        return all(self.text.startswith(key.value, span(key)[0]) for key in plain)

    @property
    def indent(self) -> str:
        """The indentation of every key: nothing, or the spaces that somebody put there."""
        if not self.entries:
            return ""
        line = self.lines[self.line_of(self.entries[0].key.start)]
        return line[: len(line) - len(line.lstrip(" "))]

    def entry(self, key: str) -> Pair | None:
        """The entry of that key, if there is one."""
        return self.entries[self.names.index(key)] if key in self.names else None

    def line_of(self, offset: int) -> int:
        """The number, from 0, of the line with this offset."""
        return bisect_right(self.starts, offset) - 1

    def line_after(self, start: int, end: int) -> int:
        """The number of the line after the text from `start` to `end`."""
        return self.line_of(max(start, end - 1)) + 1

    def line_rest(self, offset: int) -> str:
        """The rest of the line after an offset, newline included."""
        return self.text[offset : self.starts[self.line_of(max(0, offset - 1)) + 1]]

    def item_texts(self, node: YamlNode) -> list[str | None] | None:
        """What the items of a list say; None if the node is not a list."""
        if not node.is_list:
            return None
        link = self.unquoted_link(node)  # `links: [[note]]`, by which a person means one link
        return [self.item_text(item) for item in node.children] if link is None else [link]

    def item_text(self, item: YamlNode) -> str | None:
        """An item as text, whatever type YAML gives it; None if it is empty, an alias or a collection."""
        scalar = item.scalar
        if scalar is None:
            return self.unquoted_link(item)
        return None if scalar.implicit[0] and scalar.value in _NULLS else str(scalar.value)

    def unquoted_link(self, node: YamlNode) -> str | None:
        """`[[note]]` without quotes, which is a list in a list to YAML; None for anything else."""
        inner = node.children if node.is_list else []
        if len(inner) != 1 or not inner[0].is_list or len(node.events) != 5:
            return None
        source = self.text[node.start : node.end]
        return source if source.startswith("[[") and source.endswith("]]") and not NEWLINE.search(source) else None


def span(event: yaml.Event) -> tuple[int, int]:
    """Where an event's text starts and ends."""
    start, end = event.start_mark, event.end_mark
    assert start is not None and end is not None  # the parser always gives both
    return start.index, end.index


def _nodes(events: Iterable[yaml.Event]) -> list[YamlNode]:
    """The children of a collection whose start has been read, up to its end."""
    nodes: list[list[yaml.Event]] = []
    depth = 0
    for event in events:
        if depth == 0:
            if isinstance(event, yaml.CollectionEndEvent):
                break
            nodes.append([])
        nodes[-1].append(event)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
    return [YamlNode(node) for node in nodes]
