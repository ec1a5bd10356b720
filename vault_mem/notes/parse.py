"""A note's bytes to a Memory, as far as they can be read; what could not be read is a Problem, never an exception."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any, TypeVar

import yaml

from vault_mem.fields import FieldInfo, Form
from vault_mem.model import (
    EPISODE_ID,
    FIELDS,
    KIND_ALIASES,
    KINDS,
    MEMORY_ID,
    META,
    TITLE_LENGTH,
    Link,
    Memory,
    MetaValue,
    Problem,
)
from vault_mem.notes import yamlish
from vault_mem.notes.days import MONTHS
from vault_mem.notes.links import (
    CODE,
    ID_AT_END,
    LINK_KEYS,
    WIKILINK,
    body_links,
    link_name,
    may_hold_link,
    may_link,
    name_key,
    property_links,
    read_link,
    stem_of,
    unwrapped,
)
from vault_mem.notes.sentences import sentences
from vault_mem.notes.text import BOM, NoteText, split, split_text
from vault_mem.notes.write import slug

# Beyond this a note is a log or a dump, not a memory: the rest of it is not searched, and `status` says so.
MAX_NOTE_BYTES = 2_000_000
# Hand-written front matter is never this long; a YAML parser given megabytes of it stops everything else.
MAX_FRONT_CHARS = 100_000

_TRUE = {"true", "yes", "1", "on", "y"}
_FALSE = {"false", "no", "0", "off", "n", ""}
# What Obsidian and others call a note that nobody has named yet; a daily note is named by its date.
PLACEHOLDER = re.compile(
    r"(?:untitled|new note|無題(?:の(?:ファイル|ノート))?|名称未設定|未命名|제목 없음|unbenannt|sans titre|sin título"
    r"|sem título|senza (?:nome|titolo)|naamloos|без названия|new file|新規ノート)(?:[ _-]?\(?\d+\)?)?"
    r"|\d{4}[-_.]?\d{2}[-_.]?\d{2}|(?:mem|ep)_[0-9a-f]{12}",
    re.IGNORECASE,
)
_TAG = re.compile(r"(?<![^\s])#((?:[^\W_]|[_/-])*[^\W\d](?:[^\W_]|[_/-])*)")
# A time as the Linter plugin writes it by default: Monday, November 16th 2026, 8:12:34 pm.
_SPOKEN = re.compile(
    r"(?:[A-Za-z]+,? )?(?P<month>[A-Z][a-z]{2,8})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})"
    r"(?:,? (?P<time>\d{1,2}:\d{2}(?::\d{2})?) ?(?P<half>[apAP][mM])?)?"
)
_MONTHS = [name[:3].title() for name in MONTHS]
_DATE_IN_NAME = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_SALVAGED_ID = re.compile(r"^id:[ \t]*[\"']?((?:mem|ep)_[0-9a-f]{12})\b", re.MULTILINE)
# In Obsidian, `Private` is the same property; if the key is there twice, one true line is enough.
_SALVAGED_PRIVATE = re.compile(r"^private:[ \t]*[\"']?(?:true|yes|1|on)\b", re.MULTILINE | re.IGNORECASE)
_RETURN = re.compile(r"\r\n?")
_KEY_LINE = re.compile(r"^([A-Za-z_]\w*)[ \t]*:", re.MULTILINE)

# Types that may be turned into text; YAML collections can refer to themselves, or expand to gigabytes.
_SCALARS = (str, int, float, bool, date)
# A title is cut here.
_TITLE_SOURCE = 300

T = TypeVar("T")
_LARGEST_COUNT = 50_000  # larger numbers in a field are not counts


@dataclass(slots=True)
class Note:
    """What one file says: a memory (with an empty id if the file gives none), the keys as read, what went wrong."""

    memory: Memory
    fields: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    episode: bool = False
    foreign_id: bool = False
    dated_by_file: bool = False
    plugin: bool = False  # a drawing, a board: written by a plugin, not by a person
    unnamed: bool = False  # neither a text nor a name that somebody chose


def parse(raw: bytes, path: str, *, mtime: float, zone: tzinfo, private: bool = False, size: int | None = None) -> Note:
    """Read a note. `private`: it is in the private folder; `size` is the file's if `raw` is only its start."""
    return _Reader(raw, path, mtime, zone, private, size).note()


def title_in(raw: bytes, path: str) -> str:
    """The title of a note."""
    return parse(raw, path, mtime=0, zone=UTC).memory.title


def read_bool(value: Any) -> bool | None:
    """true, yes, 1, "true" and their opposites; None for anything else."""
    if not isinstance(value, str | int | None):
        return None
    word = str(value).strip().casefold()
    if word in _TRUE:
        return True
    return False if word in _FALSE or value is None else None


def flag_in(raw: bytes) -> bool | None:
    """The value of `private` in a note; None if it is missing or unreadable."""
    try:
        front = split(raw).front
        fields = yamlish.load(front) if front and len(front) <= MAX_FRONT_CHARS else None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError):
        return None
    value = fields.get("private") if isinstance(fields, dict) else None
    if front and _SALVAGED_PRIVATE.search(front):
        return True
    return None if value is None or value == "" else read_bool(value)


def read_time(value: Any, zone: tzinfo) -> datetime | None:
    """A time as a person or Obsidian writes it, in the vault's zone if it has no offset of its own."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        value = unwrapped(value)  # an unquoted link to the daily note
    if isinstance(value, str):
        value = value.strip().removeprefix("[[").removesuffix("]]")
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = _spoken(value, zone)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=zone)
    if not isinstance(value, datetime):
        return None
    try:
        moment = value.replace(tzinfo=zone) if value.tzinfo is None else value.astimezone(zone)
        moment.timestamp()
    except (OverflowError, ValueError, OSError):
        return None
    return moment if 1 < moment.year < 9999 else None  # so that it is a valid date in any zone


def _spoken(text: str, zone: tzinfo) -> datetime | None:
    """A time in English words and figures."""
    said = _SPOKEN.fullmatch(text)
    if said is None or said["month"][:3] not in _MONTHS:
        return None
    hour, minute, second = (*map(int, (said["time"] or "0:0").split(":")), 0)[:3]
    if said["half"]:
        hour = hour % 12 + 12 * (said["half"].lower() == "pm")
    try:
        month = _MONTHS.index(said["month"][:3]) + 1
        return datetime(int(said["year"]), month, int(said["day"]), hour, minute, second, tzinfo=zone)
    except ValueError:
        return None


def _with_tags_of(body: str, tags: list[str]) -> list[str]:
    """The tags of the front matter, then the other #tags in the text, recognised as in Obsidian."""
    seen = {name_key(tag) for tag in tags}
    for tag in _TAG.findall(CODE.sub("", body)) if "#" in body else ():
        tag = tag.rstrip("/")
        if name_key(tag) not in seen:
            seen.add(name_key(tag))
            tags.append(tag)
    return tags


def written_words(raw: bytes, key: str) -> list[str]:
    """The words under a key as written; text with commas is split."""
    written = written_list(raw, key)
    return [word.strip() for word in re.split(r"[,、\n]", written[0]) if word.strip()] if len(written) == 1 else written


def written_list(raw: bytes, key: str) -> list[str]:
    """The items of a list in the front matter, each as text."""
    front = split(raw).front
    value = (yamlish.load(front) or {}).get(key) if front else None
    if value is None:
        return []
    if read_link(value) is not None and isinstance(value, list) and isinstance(value[0], list):  # links: [[name]]
        return [f"[[{unwrapped(value)}]]"]
    items = value if isinstance(value, list) else [value]
    return [f"[[{unwrapped(item)}]]" if isinstance(item, list) else str(item) for item in items]


def title_of(body: str) -> str:
    """A title for a text: its first heading or first sentence, cut short."""
    for line in body[:20_000].splitlines():
        line = plain(line[:_TITLE_SOURCE])
        if not line:
            continue
        line = sentences(line)[0].rstrip("。.! ！")
        return line if len(line) <= TITLE_LENGTH else line[:TITLE_LENGTH].rstrip() + "..."
    return ""


_BEFORE = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+(?:\[.\]\s+)?|>\s*|\d+[.)]\s+)")
_WIKILINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_MARKDOWN_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|``?|~~|==)(?=\S)(.+?)(?<=\S)\1")


def plain(line: str) -> str:
    """A line of Markdown without its marks."""
    line = _BEFORE.sub("", line)
    if "[" in line:
        line = _MARKDOWN_LINK.sub(r"\1", _WIKILINK.sub(r"\1", line))
    return _EMPHASIS.sub(r"\2", line).strip()


class _Reader:
    """One note being read: collects the problems while it reads field by field."""

    def __init__(self, raw: bytes, path: str, mtime: float, zone: tzinfo, private: bool, size: int | None) -> None:
        self.raw = raw
        self.path = path
        self.stem = stem_of(path)
        self.mtime = mtime
        self.zone = zone
        self.private = private
        self.size = len(raw) if size is None else size
        self.problems: list[Problem] = []
        self.fields: dict[str, Any] = {}
        self.text = NoteText(b"", "", None, "", "")

    def note(self) -> Note:
        self.text = split_text(self._decode())
        self.fields = self._front()
        memory, dated_by_file = self._memory()
        episode = memory.id.startswith("ep_")
        foreign = not memory.id and self.fields.get("id") is not None
        plugin = any(key.endswith("-plugin") for key in self.fields)
        return Note(memory, self.fields, self.problems, episode, foreign, dated_by_file, plugin, not memory.content)

    def _problem(self, reason: str, line: int | None = None, key: str | None = None, *, odd: bool = False) -> None:
        if key is not None:
            for match in _KEY_LINE.finditer(self.text.front or ""):
                if match.group(1) == key:
                    line = (self.text.front or "").count("\n", 0, match.start()) + 2
        self.problems.append(Problem(self.path, reason, line, odd))

    def _decode(self) -> str:
        raw = self.raw[len(BOM) :] if self.raw.startswith(BOM) else self.raw
        if self.size > MAX_NOTE_BYTES:
            raw = raw[:MAX_NOTE_BYTES]
            self._problem(
                f"{self.size / 1e6:.1f} MB of text: only the first {MAX_NOTE_BYTES // 1_000_000} MB are searched"
            )
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            cut_short = self.size > MAX_NOTE_BYTES and error.end >= len(raw) - 3
            text = raw.decode(errors="replace")
            if not cut_short:
                self._problem("not UTF-8 text", line=raw.count(b"\n", 0, error.start) + 1)
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            self._problem("has NUL bytes: not a text file", line=line)
            text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        return text

    def _front(self) -> dict[str, Any]:
        front = self.text.front
        if front is None:
            if self.text.unclosed:
                self._problem("front matter is opened by --- but never closed", line=1)
                return self._salvage(self.text.body[:MAX_FRONT_CHARS])
            return {}
        if len(front) > MAX_FRONT_CHARS:
            self._problem(f"front matter of {len(front):,} characters is not read", line=1)
            return self._salvage(front)
        try:
            value = yamlish.load(front)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            what = getattr(error, "problem", None) or str(error).splitlines()[0]
            what = "it cannot be read" if self.private or _SALVAGED_PRIVATE.search(front) else what  # it may quote
            self._problem(f"broken YAML: {what}", line=mark.line + 2 if mark else None)
            return self._salvage(front)
        except (ValueError, OverflowError, RecursionError, TypeError) as error:
            return self._as_text(front, error)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._problem(f"front matter is a {type(value).__name__}, not a list of `key: value` lines", line=1)
            return self._salvage(front)
        fields = {str(key): each for key, each in value.items()}
        return fields | {"private": True} if _SALVAGED_PRIVATE.search(front) else fields

    def _as_text(self, front: str, error: Exception) -> dict[str, Any]:
        """Read every value as text, so that an impossible one (2026-13-45) does not lose the other keys."""
        try:
            value = yamlish.load_text(front)
        except (yaml.YAMLError, ValueError, RecursionError, TypeError):
            value = None
        what = "a value is impossible" if self.private or _SALVAGED_PRIVATE.search(front) else error
        self._problem(f"broken YAML: {what}", line=1)
        return {str(key): each for key, each in value.items()} if isinstance(value, dict) else self._salvage(front)

    def _salvage(self, front: str) -> dict[str, Any]:
        """What must survive broken YAML: which memory this is, and that it is private."""
        found: dict[str, Any] = {}
        if match := _SALVAGED_ID.search(front):
            found["id"] = match.group(1)
        if _SALVAGED_PRIVATE.search(front):
            found["private"] = True
        return found

    def _memory(self) -> tuple[Memory, bool]:
        body = self.text.body
        body = (_RETURN.sub("\n", body) if "\r" in body else body).strip("\n")
        created = self._time("created")
        declared = self.fields.get("id")
        text = declared if isinstance(declared, str) else ""
        known = MEMORY_ID.fullmatch(text) or EPISODE_ID.fullmatch(text)
        title = self.fields.get("title")
        title = title.strip() if isinstance(title, str) else ""
        memory = Memory(
            id=text if known else "",
            content=body if body.strip() else title or self._chosen_name(),  # an empty note may say it all in its name
            created=created or self._created_of_file(),
            path=self.path,
            title=title or title_of(body) or self.stem,
            private=self.private or self._private_flag(),
            links=self._links(body),
            metadata=self._metadata(),
        )
        for key, value in self.fields.items():  # over the note's keys, which are few
            if value is not None and key in _READERS and (said := _READERS[key](self)) is not None:
                setattr(memory, key, said)
        memory.tags = _with_tags_of(body, [tag.lstrip("#") for tag in memory.tags])
        memory.people = [_person(name) for name in memory.people]
        memory.aliases = [each for each in memory.aliases if each != memory.title and not self._named_by(each)]
        return memory, created is None

    def _chosen_name(self) -> str:
        chosen = self.path.endswith(".md") and not PLACEHOLDER.fullmatch(self.stem)
        return ID_AT_END.sub("", self.stem) if chosen else ""

    def _metadata(self) -> dict[str, MetaValue]:
        """The metadata of programs, as far as the values are scalars."""
        return {
            key.removeprefix(META): value.isoformat() if isinstance(value, date) else value
            for key, value in self.fields.items()
            if key.startswith(META)
            and isinstance(value, _SCALARS)
            and not (isinstance(value, float) and not math.isfinite(value))
        }

    def _private_flag(self) -> bool:
        """The flag; a value that is not understood counts as private."""
        return self.fields.get("private") is not None and self._take("private", read_bool, "true or false") is not False

    def _created_of_file(self) -> datetime:
        """A date in the file's name, else the time the file was last written."""
        if match := _DATE_IN_NAME.search(self.stem):
            try:
                return datetime(*(int(part) for part in match.groups()), tzinfo=self.zone)  # type: ignore[misc,arg-type]
            except ValueError:
                pass
        try:
            return datetime.fromtimestamp(int(self.mtime), self.zone)
        except (OverflowError, ValueError, OSError):
            return datetime.fromtimestamp(0, self.zone)

    def _named_by(self, alias: str) -> bool:
        """Whether the file's name was made from this alias: then it is a former title, not another name."""
        return bool(ID_AT_END.search(self.stem)) and slug(alias) == ID_AT_END.sub("", self.stem)

    def _take(self, key: str, read: Callable[[Any], T | None], wanted: str) -> T | None:
        value = self.fields.get(key)
        result = read(value) if value is not None else None
        if result is None and value is not None:
            odd = key != "private"  # until it is clear who may see the note, nothing is written to it
            self._problem(f"{key} should be {wanted}, not {self._shown(value)}", key=key, odd=odd)
        return result

    def _shown(self, value: Any) -> str:
        """A value as a problem may quote it; a private note is never quoted."""
        private = self.private or read_bool(self.fields.get("private")) is True
        return "what it is" if private else _shown(value)

    def _string(self, key: str) -> str | None:
        value = self.fields.get(key)
        if value is None:
            return None
        if not isinstance(value, _SCALARS):
            self._problem(f"{key} should be text, not {self._shown(value)}", key=key)
            return None
        return str(value).strip() or None

    def _strings(self, key: str) -> list[str]:
        value = self.fields.get(key)
        if value is None:
            return []
        items = value if isinstance(value, list) else re.split(r"[,、\n]", value) if isinstance(value, str) else [value]
        found: list[str] = []
        for item in items[:1000]:
            item = unwrapped(item)  # an unquoted [[Name]]
            if not isinstance(item, _SCALARS):
                self._problem(f"{key} should be a list of words, not {self._shown(value)}", key=key)
                return found
            if str(item).strip():
                found.append(str(item).strip())
        return found

    def _time(self, key: str) -> datetime | None:
        return self._take(key, lambda value: read_time(value, self.zone), "a date or a date and time")

    def _link_list(self, key: str) -> list[Link]:
        value = self.fields.get(key)
        if value is None:
            return []
        items = value if isinstance(value, list) else [value]
        links = [read_link(item) for item in items[:1000]]
        if None in links:
            self._problem(f'{key} should be a list of "[[note]]" links, not {self._shown(value)}', key=key)
        return [link for link in links if link is not None]

    def _links(self, body: str) -> list[Link]:
        """The links of the front matter, then further ones in other properties and in the text."""
        links = self._link_list("links")
        others = [value for key, value in self.fields.items() if key not in LINK_KEYS and may_hold_link(value)]
        if not others and not may_link(body):
            return links
        seen = {name_key(link.target) for link in links}
        more: dict[str, Link] = {}
        for link in (*(link for value in others for link in property_links(value)), *body_links(body)):
            more.setdefault(name_key(link.target), link)
        return links + [link for name, link in more.items() if name not in seen]


def _person(name: str) -> str:
    """A person's name; [[Name]] is a link to the note about them."""
    link = WIKILINK.fullmatch(name)
    return link_name(link.group(1)) if link else name


def _shown(value: Any) -> str:
    if not isinstance(value, _SCALARS):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = str(value)
    return repr(text if len(text) <= 40 else text[:40] + "...")


def _kind(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    word = value.strip().casefold()
    word = KIND_ALIASES.get(word, word)
    return word if word in KINDS else None


def _number(value: Any, each: FieldInfo) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    low, high = each.low if each.low is not None else -math.inf, each.high if each.high is not None else _LARGEST_COUNT
    if not math.isfinite(number) or not low <= number <= high:
        return None
    return number if each.form is Form.NUMBER else int(number) if number == int(number) else None


def _reader(each: FieldInfo) -> Callable[[_Reader], Any]:
    """Reads the value of a key: None if it is missing or unreadable."""
    match each.form:
        case Form.TEXTS:
            return lambda reader: reader._strings(each.name)
        case Form.NAMES:
            return lambda reader: [link.target for link in reader._link_list(each.name)]
        case Form.TIME:
            return lambda reader: reader._time(each.name)
        case Form.TEXT if each.choices:
            return _taken(each, _kind, f"one of {', '.join(each.choices)}")
        case Form.TEXT:
            return lambda reader: reader._string(each.name)
        case _:
            return _taken(each, lambda value: _number(value, each), f"a {each.form} {each.limits}")


def _taken(each: FieldInfo, read: Callable[[Any], Any], wanted: str) -> Callable[[_Reader], Any]:
    return lambda reader: reader._take(each.name, read, wanted)


_READERS = {name: _reader(each) for name, each in FIELDS.items() if each.form is not Form.FLAG}
