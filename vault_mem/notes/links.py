"""Links as they are written: wikilinks and Markdown links, in text and properties, and what their display text says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from vault_mem.model import LINK_TYPES, Link

WIKILINK = re.compile(r"\[\[([^\[\]|\n]+?)(?:\\?\|([^\[\]\n]*))?\]\]")
# A target in the text's own vault: neither an address nor a heading of the same note.
_TARGET = r"(?![a-zA-Z][a-zA-Z0-9+.-]*:|#|//)(?:[^()\s<>]|\([^()\s<>]*\))+"
_ADDRESS = rf"(?:<(?P<angled>(?![a-zA-Z]+:)[^<>\n]+)>|(?P<target>{_TARGET}))"
_MARKDOWN = rf"\[(?P<text>[^\[\]\n]*)\]\({_ADDRESS}(?P<tip>\s+\"[^\"\n]*\")?\)"
_BRACKETS = rf"(?:\[\[(?P<name>[^\[\]|\n]+?)(?:\\?\|(?P<shown>[^\[\]\n]*))?\]\]|{_MARKDOWN})"
_LINK = rf"(?P<embed>!?){_BRACKETS}"
LINK = re.compile(_LINK)
BRACKETS = re.compile(_BRACKETS)  # without the `!` of an embed: twice as fast, since all begin with [
_CODE = r"^(?P<fence>```|~~~).*?(?:^(?P=fence)|\Z)|`[^`\n]*`"
CODE = re.compile(_CODE, re.MULTILINE | re.DOTALL)
# In code, what looks like a link is not one.
CODE_OR_LINK = re.compile(rf"(?P<code>{_CODE})|{_LINK}", re.MULTILINE | re.DOTALL)
# In these keys, an item is only a link, useless without its target.
LINK_KEYS = ("links", "supersedes", "sources", "members")
# A file's name that vault-mem made ends in the first digits of the id.
ID_AT_END = re.compile(r"(?:^|-)([0-9a-f]{8})$")
_DISPLAY = re.compile(rf"(?P<title>.*)·\s?(?P<type>{'|'.join(LINK_TYPES)})(?:\s(?P<confidence>[01](?:\.\d+)?))?")
_NOT_IN_DISPLAY = re.compile(r"[\[\]|\"\\\s]+")


def read_link(value: Any) -> Link | None:
    """The link that one item of a `links` list means; None if it is not a link."""
    value = unwrapped(value)
    if not isinstance(value, str):
        return None
    match = WIKILINK.fullmatch(value.strip())
    target, display = (match.group(1), match.group(2) or "") if match else (value, "")
    target = link_name(target)
    if not target:
        return None
    display = display.strip()
    said = _DISPLAY.fullmatch(display)
    if not said:
        return Link(target, title=display)
    confidence = float(said["confidence"]) if said["confidence"] else None
    return Link(target, said["type"], confidence, said["title"].strip())


def unwrapped(value: Any) -> Any:
    """The name in an unquoted [[name]], to YAML a list in a list. Three levels only: a YAML list may contain itself."""
    for _ in range(3):
        if not isinstance(value, list) or len(value) != 1:
            break
        value = value[0]
    return value


def may_link(text: str) -> bool:
    """A quick check whether a text can have links at all."""
    return "[[" in text or "](" in text


def may_hold_link(value: Any) -> bool:
    """A quick check whether the value of a property can hold links."""
    if isinstance(value, list):
        return any(isinstance(item, list) or (isinstance(item, str) and "[[" in item) for item in value)
    return isinstance(value, str) and "[[" in value


def target_of(match: re.Match[str]) -> str:
    """The target of a match of LINK, with its heading or block."""
    name = match["name"] or match["angled"]
    return name.strip() if name else unquote(match["target"])


def body_links(body: str) -> Iterator[Link]:
    """The links that a person wrote in the text, including embeds, but not in code."""
    if may_link(body):
        for match in CODE_OR_LINK.finditer(body):
            if match["code"] is None and (target := link_name(target_of(match))):
                yield Link(target, title=(match["shown"] or match["text"] or "").strip())


def property_links(value: Any) -> Iterator[Link]:
    """The wikilinks that the value of a property holds."""
    items = value if isinstance(value, list) else [value]
    for item in items[:1000]:
        nested = isinstance(item, list)
        item = unwrapped(item)
        if isinstance(item, str) and (nested or WIKILINK.fullmatch(item.strip())) and (link := read_link(item)):
            yield link


def write_link(link: Link) -> str:
    """The wikilink to write into front matter (still to be quoted)."""
    title = _NOT_IN_DISPLAY.sub(" ", link.title).strip() or link.target
    score = f" {link.confidence:.2f}" if link.confidence is not None else ""
    return f"[[{link.target}|{title} · {link.type}{score}]]"


def link_name(target: str) -> str:
    """The name of the note in a link's target: without heading, block or file ending."""
    if "#" in target or "^" in target:
        target = re.split(r"[#^]", target, maxsplit=1)[0]
    name = target.strip().rstrip("/")
    return name[:-3] if name[-3:].lower() == ".md" else name


def name_key(name: str) -> str:
    """The form in which names are compared: NFC, without regard to case."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def path_key(key: str) -> str:
    """A file's path in the form in which names are compared; a note's without `.md`."""
    return name_key(key).removesuffix(".md")


def stem_of(key: str) -> str:
    """A file's name without folder and ending."""
    return key.rsplit("/", 1)[-1].removesuffix(".md")


def nameable(name: str) -> bool:
    """Whether a wikilink can name a note with this file name (without its ending)."""
    return not re.search(r"[#|^\[\]\n]|\.md$", name)
