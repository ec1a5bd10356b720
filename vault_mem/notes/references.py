"""The wikilinks of a note, whoever wrote them: finding them, leading them elsewhere, turning them into plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from vault_mem.errors import EditRefused
from vault_mem.notes import yamlish
from vault_mem.notes.edit import edit
from vault_mem.notes.links import WIKILINK, link_name, unwrapped
from vault_mem.notes.parse import written_list
from vault_mem.notes.text import NoteText, split

# Code is not prose: what looks like a link there is none.
_CODE_OR_LINK = re.compile(
    r"(?P<code>^(?P<fence>```|~~~).*?(?:^(?P=fence)|\Z)|`[^`\n]*`)|(?P<embed>!?)(?P<link>\[\[[^\[\]\n]+\]\])",
    re.MULTILINE | re.DOTALL,
)
# In these keys an item is a link and nothing else: without its target it says nothing.
LINK_KEYS = ("links", "supersedes", "sources", "members")


@dataclass(frozen=True)
class Reference:
    """One wikilink as it is written. `key` is the front-matter key it stands in, empty in the body."""

    target: str
    display: str
    key: str = ""

    @property
    def name(self) -> str:
        """The note it names, without heading or file ending."""
        return link_name(self.target)

    @property
    def plain(self) -> str:
        """What a reader sees of it."""
        return self.display or self.target

    def to(self, name: str, display: str | None = None) -> str:
        """The same link, leading elsewhere; heading and display text stay."""
        rest = self.target[len(re.split(r"[#^]", self.target, maxsplit=1)[0]) :]
        shown = self.display if display is None else display
        return f"[[{name}{rest}|{shown}]]" if shown else f"[[{name}{rest}]]"


# What becomes of a reference: itself, another link, or None for no link any more.
Change = Callable[[Reference], "str | Reference | None"]


def references(raw: bytes) -> Iterator[Reference]:
    """Every wikilink of a note, in front matter and body."""
    if b"[[" not in raw:
        return
    note = _split(raw)
    if note is None:
        return
    for key, items in _front_items(note):
        for item in items:
            found = _reference(item, key)
            if found is not None:
                yield found
    for match in _CODE_OR_LINK.finditer(note.body):
        found = _reference(match["link"] or "")
        if found is not None:
            yield found


def named_in(raw: bytes) -> set[str]:
    """The names that anything in brackets gives, code included: quick, and never too few."""
    if b"[[" not in raw:
        return set()
    text = raw.decode(errors="replace")
    return {link_name(match.group(1)) for match in WIKILINK.finditer(text)}


def rewritten(raw: bytes, change: Change) -> bytes:
    """The note with its wikilinks changed; every line without one stays. Raises EditRefused."""
    note = _split(raw)
    if note is None or b"[[" not in raw:
        return raw
    wanted: dict[str, Any] = {}
    fields = _fields(note)
    if fields is None:
        raise EditRefused("the front matter cannot be read", "correct the file first (vault-mem doctor)")
    for key, items in _front_items(note):
        after = _changed_items(key, items, change)
        if after != items:
            single = isinstance(fields[key], str) and len(after) == 1
            wanted[key] = after[0] if single else after if after or key == "links" else None
    body = _CODE_OR_LINK.sub(lambda match: _changed_in_body(match, change), note.body)
    if body != note.body:
        raw = NoteText(note.bom, note.opening, note.front, note.closing, body).join()
    return edit(raw, wanted) if wanted else raw


def _changed_items(key: str, items: list[str], change: Change) -> list[str]:
    after: list[str] = []
    for item in items:
        found = _reference(item, key)
        result = change(found) if found is not None else item
        if found is None or isinstance(result, Reference):
            after.append(item)
        elif result is not None:
            if result not in after:
                after.append(result)
        elif key not in LINK_KEYS:
            after.append(found.plain)
    return after


def _changed_in_body(match: re.Match[str], change: Change) -> str:
    found = _reference(match["link"] or "")
    if found is None:
        return match.group()
    result = change(found)
    if isinstance(result, Reference):
        return match.group()
    if result is None:
        return found.plain
    in_table = "\\|" in match["link"]  # where a bare | would end the cell
    return match["embed"] + (result.replace("|", "\\|", 1) if in_table else result)


def _front_items(note: NoteText) -> Iterator[tuple[str, list[str]]]:
    """The keys whose value is a link or a list with links, their items as text."""
    if not note.front or "[[" not in note.front:
        return
    for key, value in (_fields(note) or {}).items():
        items = value if isinstance(value, list) else [value]
        plain = [unwrapped(item) for item in items[:1000]]
        if all(isinstance(item, str | int | float) for item in plain) and (
            any(isinstance(item, list) for item in items) or any("[[" in str(item) for item in plain)
        ):
            yield str(key), written_list(note.join(), str(key))


def _fields(note: NoteText) -> dict[str, Any] | None:
    """The front matter as read; None where it is broken."""
    if note.unclosed:
        return None
    try:
        fields = yamlish.load(note.front) if note.front else {}
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, OverflowError):
        return None
    return (
        {str(key): value for key, value in fields.items()} if isinstance(fields, dict) else {} if not fields else None
    )


def _reference(text: str, key: str = "") -> Reference | None:
    match = WIKILINK.fullmatch(text.strip())
    return Reference(match.group(1).strip(), (match.group(2) or "").strip(), key) if match else None


def _split(raw: bytes) -> NoteText | None:
    try:
        return split(raw)
    except UnicodeDecodeError:
        return None
