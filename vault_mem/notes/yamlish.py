"""Front matter as Obsidian reads it: a handler for python-frontmatter; and how our values are written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

try:
    from yaml import CSafeLoader as _SafeLoader
except ImportError:  # a PyYAML built without libyaml
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]

Value = str | int | float | bool | datetime | list[str]


class Loader(_SafeLoader):
    """Safe YAML with the scalars of YAML 1.2: `12:30` is text, `yes` is a word, `010` is ten, `<<` is a key."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge nothing: YAML 1.2 has no merge keys, and a few lines of them can expand to gigabytes."""


_BOOL = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
_INT = re.compile(r"^[-+]?[0-9]+$")
_FLOAT = re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$")
_REPLACED = {f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float", "merge", "value")}


def _plain_int(loader: Any, node: Any) -> int:
    return int(loader.construct_scalar(node))


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _REPLACED]
    for first, resolvers in _SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", _BOOL, list("tTfF"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", _INT, list("-+0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))
Loader.add_constructor("tag:yaml.org,2002:int", _plain_int)


class _TextLoader(Loader):
    """Reads every scalar as text, for front matter with a value that cannot be what it looks like (2026-13-45)."""


_TextLoader.yaml_implicit_resolvers = {}

_CLOSING = re.compile(r"---[ \t]*(?:\r\n|\n|\r|\Z)")


class NoteHandler(YAMLHandler):  # type: ignore[misc]  # python-frontmatter is not typed in all versions
    """Cuts and loads front matter. Unlike `frontmatter.parse`, which strips, it leaves every character in its place."""

    FM_BOUNDARY = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")

    def detect(self, text: str) -> bool:
        """Whether the text begins with front matter that is closed."""
        return self.parts(text) is not None

    def split(self, text: str) -> tuple[str, str]:
        """The text between the fences, and the text after them; raises ValueError if there are none."""
        parts = self.parts(text)
        if parts is None:
            raise ValueError("no front matter")
        return parts[1], parts[3]

    def parts(self, text: str) -> tuple[str, str, str, str] | None:
        """The fence above, the front matter, the fence below (a later line with only `---`) and the rest."""
        opening = self.FM_BOUNDARY.match(text)
        start = opening.end() if opening else 0
        end = text.find("---", start) if opening else -1
        while opening and end >= 0:
            if text[end - 1] in "\r\n" and (closing := _CLOSING.match(text, end)):
                return opening.group(), text[start:end], closing.group(), text[closing.end() :]
            end = text.find("---", end + 1)
        return None

    def load(self, fm: str, **options: Any) -> Any:
        """The front matter's value; raises yaml.YAMLError or ValueError if it cannot be read."""
        plain = None if options else _load_plain(fm)
        if plain is not None:
            return plain
        _refuse_deep(fm)
        return super().load(fm, **{"Loader": Loader, **options})


HANDLER = NoteHandler()
load = HANDLER.load

# Real front matter is never this deep; libyaml recurses, and ten thousand `[` crash the process.
MAX_DEPTH = 100
_INDENTED_DEEP = re.compile(rf"[ \t?:-]{{{MAX_DEPTH}}}")


def events(front: str) -> Iterator[yaml.Event]:
    """The front matter's parse events with their positions; raises yaml.YAMLError if it is nested too deep."""
    depth = 0
    for event in yaml.parse(front, Loader=Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise yaml.YAMLError(f"more than {MAX_DEPTH} levels of nesting")
        yield event


def _refuse_deep(front: str) -> None:
    if front.count("[") + front.count("{") > MAX_DEPTH or _INDENTED_DEEP.search(front):
        for _ in events(front):
            pass


_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
_A_WORD = r"[^\W\d_](?:[\w ./+'’()-]*[\w.)])?"
_PLAIN = re.compile(_A_WORD)
# Front matter as this tool writes it: `key: value` lines and lists of `- item`, nothing that needs a YAML parser.
# Reading it line by line is five times as fast, and half the work of a rebuild is front matter.
_LINE = re.compile(
    r"(?:(?P<key>[A-Za-z_][A-Za-z0-9_]*):(?P<empty> \[\]\Z)?|  -)(?: (?:"
    r'"(?P<quoted>[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]*)"'
    r"|(?P<flag>true|false)"
    r"|(?P<number>-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?)"
    r"|(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})"
    rf"|(?P<word>{_A_WORD})))?"
)


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


# How to read a value, by the group that matched last; None if YAML might read it differently.
_VALUES: dict[str, Callable[[str], Any]] = {
    "key": lambda text: (),
    "empty": lambda text: (),
    "quoted": str,
    "flag": "true".__eq__,
    "number": lambda text: float(text) if "." in text else int(text),
    "time": _time,
    "word": lambda text: None if text.casefold() in _WORDS else text,
}


def _read_line(line: str) -> tuple[str | None, str | None, Any]:
    """Key, form and value of one line."""
    said = _LINE.fullmatch(line)
    form = said.lastgroup if said else None
    if said is None or form is None or (said["key"] or "").lower() in _WORDS:
        return None, None, None
    return said["key"], form, _VALUES[form](said[form])


# Most short lines occur in many notes.
_read_short = lru_cache(maxsize=4096)(_read_line)
_SHORT_LINE = 40


def _load_plain(front: str) -> dict[str, Any] | None:
    """The value of front matter in our own plain form; None if it is in any other form."""
    *lines, rest = front.split("\n")
    if rest or not lines:
        return None
    fields: dict[str, Any] = {}
    items: list[Any] | None = None
    for line in lines:
        key, form, value = (_read_short if len(line) <= _SHORT_LINE else _read_line)(line)
        if value is None:
            return None
        if key is None:
            if items is None:
                return None
            items.append(value)
        elif key in fields or items == []:
            return None
        else:
            items = [] if form == "key" else None
            fields[key] = [] if form == "empty" else value if items is None else items
    return None if items == [] else fields


def load_text(front: str) -> Any:
    """The front matter's value with every scalar as text."""
    return HANDLER.load(front, Loader=_TextLoader)


def scalar(value: str | int | float | bool | datetime) -> str:
    """One value as it is written in front matter."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        # in the repeated hour at the end of summer time, only the offset tells the two apart
        again = value.fold and value.utcoffset() != value.replace(fold=0).utcoffset()
        return (value if again else value.replace(tzinfo=None)).isoformat(timespec="seconds")
    if isinstance(value, int | float):
        return repr(value)
    if _PLAIN.fullmatch(value) and value.casefold() not in _WORDS:
        return value
    return quoted(value)


_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def quoted(value: str) -> str:
    """Text between double quotes; JSON's escapes are YAML's."""
    return _UNPRINTABLE.sub(lambda sign: f"\\u{ord(sign.group()):04x}", json.dumps(value, ensure_ascii=False))
