"""JSON as people write it (comments, trailing commas, JSON5 names and quotes), parsed with offsets, edited in place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"[\s\ufeff]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"|\'(?:[^\'\\\r\n]|\\(?:\r\n|[\s\S]))*\'')
_BARE = re.compile(r"[^\s,:\[\]{}\"'/]+")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN)")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 200

Insertion = tuple[int, str]


class NotJson(ValueError):
    """The text is not JSON, with or without comments; says where."""

    def __init__(self, text: str, offset: int, wanted: str) -> None:
        super().__init__(f"line {text.count(chr(10), 0, offset) + 1}: {wanted}")


@dataclass
class Member:
    """One member of an object (with its name) or item of an array, where it starts, and the comma after it."""

    key: str
    start: int
    node: JsonNode
    comma: int | None = None


@dataclass
class JsonNode:
    """A value and its offsets. `inner_end` is where the last thing inside it ends, comments included."""

    start: int
    end: int
    value: Any
    members: list[Member] = field(default_factory=list)
    inner_end: int = 0

    def member(self, key: str) -> Member | None:
        """The member of that name; of several the last, which is the one that parsers take."""
        return next((each for each in reversed(self.members) if each.key == key), None)


def parse(text: str) -> JsonNode:
    """Read a document; raises NotJson."""
    return _Reader(text).document()


def inserted(text: str, keys: tuple[str, ...], value: Any, *, append: bool) -> tuple[str, list[Insertion], list[str]]:
    """Put `value` at `keys`, or at the end of the list there. Only adds text.

    Returns the new text, the insertions in order, and the path of the outermost key that had to be created, if any.
    """
    if not text.strip("\ufeff \t\r\n"):
        after = json.dumps(_nested(keys, [value] if append else value), indent=2, ensure_ascii=False) + "\n"
        return text + after, [(len(text), after)], [keys[0]]
    node, depth = parse(text), 0
    steps = keys if append else keys[:-1]
    while depth < len(steps) and isinstance(node.value, dict) and (found := node.member(steps[depth])):
        node, depth = found.node, depth + 1
    missing = steps[depth:]
    if append and not missing:
        if not isinstance(node.value, list):
            raise TypeError(f"{'.'.join(keys)} is not a list")
        pieces = _insertions(text, node, None, value)
    else:
        if not isinstance(node.value, dict):
            raise TypeError(f"{'.'.join(keys[:depth]) or 'the document'} is not an object")
        rest = keys[depth + 1 :]
        pieces = _insertions(text, node, keys[depth], _nested(rest, [value] if append else value))
    for offset, piece in pieces:
        text = text[:offset] + piece + text[offset:]
    return text, pieces, list(keys[: depth + 1]) if missing else []


def removed(text: str, path: tuple[str | int, ...]) -> str:
    """The text without what is at `path`, given by member names and item numbers; unchanged if nothing is there."""
    node = parse(text)
    number: int | None = None
    for depth, step in enumerate(path):
        if isinstance(step, int):
            number = step if step < len(node.members) else None
        else:
            found = node.member(step)
            number = node.members.index(found) if found else None
        if number is None:
            return text
        if depth < len(path) - 1:
            node = node.members[number].node
    return text if number is None else _cut(text, node, number)


def _nested(keys: tuple[str, ...], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _insertions(text: str, node: JsonNode, key: str | None, value: Any) -> list[Insertion]:
    """What to insert, later offsets first, so that the others stay valid."""
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    closer = node.end - 1
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if node.members and "\n" not in text[node.start : node.end]:
        return _after_last(node, " " + name + json.dumps(value, ensure_ascii=False))
    indent = _line_indent(text, node.start) + unit
    if node.members and not text[: node.members[-1].start].rpartition("\n")[2].strip():
        indent = _line_indent(text, node.members[-1].start)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    member = newline + indent + name + (newline + indent).join(lines)
    if not node.members:
        tail = "" if "\n" in text[node.inner_end : closer] else newline + _line_indent(text, node.start)
        return [(node.inner_end, member + tail)]
    return _after_last(node, member)


def _after_last(node: JsonNode, member: str) -> list[Insertion]:
    """A comma after the last value, if it has none, and the new member after the comments that follow it."""
    last, inner_end = node.members[-1], node.inner_end
    if last.comma is not None:
        return [(inner_end, member + ",")]
    value_end = last.node.end
    if value_end == inner_end:
        return [(value_end, "," + member)]
    return [(inner_end, member), (value_end, ",")]


def _cut(text: str, node: JsonNode, number: int) -> str:
    member = node.members[number]
    start, end = member.start, member.node.end
    cuts = []
    if member.comma is not None:
        if text[end : member.comma].strip():
            cuts.append((member.comma, member.comma + 1))
        else:
            end = member.comma + 1
    elif number:
        comma = node.members[number - 1].comma or 0
        cuts.append((comma, comma + 1))
    line = text.rfind("\n", 0, start) + 1
    rest = re.compile(r"[ \t]*(?:\r?\n|(?=[\]}]))").match(text, end)
    if not text[line:start].strip() and line > node.start and rest:
        start, end = line, rest.end()
    else:
        gap = re.compile(r"[ \t]*").match(text, end)
        end = gap.end() if gap else end
    for first, last in sorted([*cuts, (start, end)], reverse=True):
        text = text[:first] + text[last:]
    return text


def _line_indent(text: str, offset: int) -> str:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))].replace("\ufeff", "")


def _unit(text: str) -> str:
    """One step of the text's own indentation."""
    steps = re.findall(r"^([ \t]+)[^\s*/]", text, re.MULTILINE)
    if not steps:
        return "  "
    return "\t" if steps[0][0] == "\t" else min(steps, key=len)


class _Reader:
    """One document being read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0
        self.last = 0  # where the last token or comment ended
        self.depth = 0

    def document(self) -> JsonNode:
        node = self._value()
        self._skip()
        if self.offset < len(self.text):
            raise self._wrong("something follows the document")
        return node

    def _wrong(self, what: str) -> NotJson:
        return NotJson(self.text, self.offset, what)

    def _skip(self) -> None:
        while match := _BLANK.match(self.text, self.offset):
            self.offset = match.end()
            if match.group()[0] == "/":
                self.last = self.offset

    def _peek(self) -> str:
        self._skip()
        return self.text[self.offset : self.offset + 1]

    def _take(self, length: int = 1) -> None:
        self.offset += length
        self.last = self.offset

    def _value(self) -> JsonNode:
        sign = self._peek()
        start = self.offset
        if sign in ("{", "["):
            return self._container(start, sign)
        if match := _STRING.match(self.text, start):
            self._take(len(match.group()))
            return JsonNode(start, self.offset, _unquoted(match.group()))
        match = _BARE.match(self.text, start)
        word = match.group() if match else ""
        if word in _WORDS:
            self._take(len(word))
            return JsonNode(start, self.offset, _WORDS[word])
        if word and _NUMBER.fullmatch(word):
            self._take(len(word))
            return JsonNode(start, self.offset, _number(word))
        raise self._wrong("a value is missing" if not word else f"{word[:20]!r} is not a value")

    def _container(self, start: int, sign: str) -> JsonNode:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._wrong("nested too deeply")
        closer = "}" if sign == "{" else "]"
        self._take()
        members: list[Member] = []
        while (sign := self._peek()) != closer:
            if members and members[-1].comma is None:
                raise self._wrong("a comma is missing")
            first = self.offset
            key = self._key() if closer == "}" else ""
            members.append(Member(key, first, self._value()))
            if self._peek() == ",":
                members[-1].comma = self.offset
                self._take()
        inner_end = self.last
        self._take()
        self.depth -= 1
        value: Any = [each.node.value for each in members]
        if closer == "}":
            value = {each.key: each.node.value for each in members}
        return JsonNode(start, self.offset, value, members, inner_end)

    def _key(self) -> str:
        match = _STRING.match(self.text, self.offset) or _BARE.match(self.text, self.offset)
        if not match:
            raise self._wrong("a name is missing")
        self._take(len(match.group()))
        if self._peek() != ":":
            raise self._wrong("a colon is missing")
        self._take()
        word = match.group()
        return _unquoted(word) if word[0] in "\"'" else word


def _unquoted(word: str) -> str:
    def sign(match: re.Match[str]) -> str:
        code = match.group(1) or match.group(2)
        return chr(int(code, 16)) if code else _SIGNS.get(match.group(3), match.group(3))

    if word[0] == '"':
        try:
            return str(json.loads(word))  # surrogate pairs and all
        except ValueError:
            pass
    return _ESCAPE.sub(sign, word[1:-1])


def _number(word: str) -> int | float:
    if re.fullmatch(r"[+-]?\d+", word):
        return int(word)
    if "x" in word.lower() and "0x" in word.lower():
        return int(word, 16)
    return float(word.replace("Infinity", "inf"))
