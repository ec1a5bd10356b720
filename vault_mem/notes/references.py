"""The links of any file: finding them, redirecting them, turning them into plain text.

Notes have them in properties and text, a canvas in its file paths and texts, a base in its formulas.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import yaml

from vault_mem.errors import EditRefused
from vault_mem.notes import yamlish
from vault_mem.notes.links import (
    BRACKETS,
    CODE_OR_LINK,
    ID_AT_END,
    LINK,
    LINK_KEYS,
    WIKILINK,
    link_name,
    may_link,
    name_key,
    target_of,
    unwrapped,
)
from vault_mem.notes.parse import written_list
from vault_mem.notes.text import NoteText, split

# A canvas gives the path of a file; a base names notes as arguments, or compares paths.
_QUOTED = {
    ".canvas": re.compile(r'(?P<before>"file"\s*:\s*)(?P<quoted>"(?:[^"\\\n]|\\.)*")'),
    ".base": re.compile(
        r"(?P<before>\b(?:hasLink|linksTo|link|file)\(\s*|\bfile\.path\s*[!=]=\s*)"
        r"(?P<quoted>\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
    ),
}
_ID = re.compile(rb"_(?:(?<=\b(mem)_)|(?<=\b(ep)_))([0-9a-f]{12})\b")  # fast, because it begins with a fixed character
WIKI, MARKDOWN, PATH = "wiki", "markdown", "path"


@dataclass(frozen=True)
class Reference:
    """One link as written. `key` is its key in the front matter, empty in the text."""

    target: str
    display: str
    key: str = ""
    form: str = WIKI
    embed: bool = False

    @property
    def name(self) -> str:
        """The note it names, without heading or file ending."""
        return link_name(self.target)

    @property
    def plain(self) -> str:
        """Its display text, or else its target."""
        return self.display or self.target

    def to(self, name: str) -> str:
        """The link as text, with another target; heading and display text stay."""
        path = re.split(r"[#^]", self.target, maxsplit=1)[0]
        ending = path.rstrip()[-3:] if self.form != WIKI and path.rstrip()[-3:].lower() == ".md" else ""
        target = f"{name}{ending}{self.target[len(path) :]}"
        if self.form == PATH:
            return target
        if self.form == MARKDOWN:
            return f"[{self.display}]({quote(target, safe=_IN_PLACE)})"
        return f"[[{target}|{self.display}]]" if self.display else f"[[{target}]]"

    @property
    def seen(self) -> str:
        """The words that Obsidian shows for the link."""
        return self.display or re.sub(r"#+", " > ", self.target)

    def renamed(self, key: str, name: str, source: str, *, keep_words: bool = False) -> str:
        """The link as text, to a note that is now `key`, in the same style: relative, by path, or by its `name`.

        With `keep_words`, readers still see the words they saw before, unless these were a name that vault-mem made.
        """
        path = key.removesuffix(".md")
        old, new = (name_key(each.rpartition("/")[2]) for each in (self.name, path))
        if keep_words and not self.display and old != new and not (self.key or self.embed or ID_AT_END.search(old)):
            return replace(self, display=self.seen).renamed(key, name, source)
        if self.name.startswith(("./", "../")):
            relative = posixpath.relpath(path, posixpath.dirname(source) or ".")
            return self.to(relative if relative.startswith("../") else f"./{relative}")
        if self.name.startswith("/"):
            return self.to(f"/{path}")
        whole = self.form == PATH and self.target.lower().endswith(".md")
        return self.to(path if whole or "/" in self.name else name)


# Characters that a Markdown link may have unescaped; a space or a bracket would end it.
_IN_PLACE = "/#^!$&'*+,;=:@~"
# What becomes of a reference: itself (no change), the text of another link, or None to leave plain text.
Change = Callable[[Reference], "str | Reference | None"]


def references(raw: bytes, key: str = "") -> Iterator[Reference]:
    """Every link of a file, in front matter and text."""
    found: list[Reference] = []

    def noted(reference: Reference) -> Reference:
        found.append(reference)
        return reference

    if (quoted := _quoted(key)) is not None:
        _changed_text(raw.decode(errors="replace"), quoted, noted)
    elif _may_link(raw) and (note := _split(raw)) is not None:
        for name, items in _front_items(note):
            _changed_items(name, items, noted)
        _changed_body(note.body, noted)
    yield from found


def named_in(raw: bytes, key: str = "") -> set[str]:
    """All names in brackets, even in code: fast, and never too few."""
    if _quoted(key) is not None:
        return {reference.name for reference in references(raw, key)}
    if not _may_link(raw):
        return set()
    text = raw.decode(errors="replace")
    return {name for match in BRACKETS.finditer(text) if (name := link_name(target_of(match)))}


def ids_in(raw: bytes) -> set[str]:
    """The ids of memories and episodes in a text, its own included."""
    return {f"{(memory or episode).decode()}_{digits.decode()}" for memory, episode, digits in _ID.findall(raw)}


def rewritten(raw: bytes, change: Change, key: str = "") -> bytes:
    """The file with its links changed; every line without one stays. Raises EditRefused."""
    from vault_mem.notes.edit import edit  # not loaded by those who only look for links

    if (quoted := _quoted(key)) is not None:
        return _changed_text(raw.decode(errors="surrogateescape"), quoted, change).encode(errors="surrogateescape")
    note = _split(raw)
    if note is None or not _may_link(raw):
        return raw
    wanted: dict[str, Any] = {}
    fields = _fields(note)
    if fields is None:
        raise EditRefused("the front matter cannot be read", "fix the file first (vault-mem doctor)")
    for name, items in _front_items(note):
        after = _changed_items(name, items, change)
        if after != items:
            single = isinstance(fields[name], str) and len(after) == 1
            wanted[name] = after[0] if single else after if after or name == "links" else None
    body = _changed_body(note.body, change)
    if body != note.body:
        raw = NoteText(note.bom, note.opening, note.front, note.closing, body).join()
    return edit(raw, wanted) if wanted else raw


def _quoted(key: str) -> re.Pattern[str] | None:
    return _QUOTED.get(key[key.rfind(".") :].lower()) if "." in key else None


def _may_link(raw: bytes) -> bool:
    return b"[[" in raw or b"](" in raw


def _changed_items(key: str, items: list[str], change: Change) -> list[str]:
    after: list[str] = []
    for item in items:
        match = WIKILINK.fullmatch(item.strip())
        found = Reference(match.group(1).strip(), (match.group(2) or "").strip(), key) if match else None
        result = change(found) if found is not None else item
        if found is None or isinstance(result, Reference):
            after.append(item)
        elif result is not None:
            if result not in after:
                after.append(result)
        elif key not in LINK_KEYS:
            after.append(found.plain)
    return after


def _changed_body(body: str, change: Change) -> str:
    return CODE_OR_LINK.sub(lambda match: _changed_in_text(match, change), body) if may_link(body) else body


def _changed_text(text: str, quoted: re.Pattern[str], change: Change) -> str:
    """A canvas or a base: what it names in quotes, and the links in its texts."""

    def changed(match: re.Match[str]) -> str:
        written = match["quoted"]
        try:
            target = json.loads(written) if written[0] == '"' else written[1:-1]
        except ValueError:
            return match.group()
        result = change(Reference(target, "", form=PATH))
        if result is None or isinstance(result, Reference):
            return match.group()
        after = json.dumps(result, ensure_ascii=False) if written[0] == '"' else f"'{result}'"
        return match["before"] + after

    return LINK.sub(lambda match: _changed_in_text(match, change), quoted.sub(changed, text))


def _changed_in_text(match: re.Match[str], change: Change) -> str:
    if match.groupdict().get("code") is not None:
        return match.group()
    wiki = match["name"] is not None
    shown = (match["shown"] if wiki else match["text"]) or ""
    found = Reference(target_of(match), shown.strip(), form=WIKI if wiki else MARKDOWN, embed=bool(match["embed"]))
    if not found.name:
        return match.group()
    result = change(found)
    if isinstance(result, Reference):
        return match.group()
    if result is None:
        return found.plain
    if match["tip"] and result.endswith(")"):
        result = f"{result[:-1]}{match['tip']})"
    in_table = wiki and ("\\|" in match.group() or _in_row(match))  # there, a bare | would end the cell
    embed = match["embed"] if result.startswith("[") else ""
    return embed + (result.replace("|", "\\|", 1) if in_table else result)


def _in_row(match: re.Match[str]) -> bool:
    """Whether a link is in a table row."""
    start = match.string.rfind("\n", 0, match.start()) + 1
    return match.string[start : match.start()].lstrip().startswith("|")


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
    """The front matter as read; None if it is broken."""
    if note.unclosed:
        return None
    try:
        fields = yamlish.load(note.front) if note.front else {}
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, OverflowError):
        return None
    return (
        {str(key): value for key, value in fields.items()} if isinstance(fields, dict) else {} if not fields else None
    )


def _split(raw: bytes) -> NoteText | None:
    try:
        return split(raw)
    except UnicodeDecodeError:
        return None
