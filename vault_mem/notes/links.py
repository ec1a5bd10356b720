"""Wikilinks: reading and writing them, and what their display text says."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from vault_mem.model import LINK_TYPES, Link

WIKILINK = re.compile(r"\[\[([^\[\]|\n]+?)(?:\\?\|([^\[\]\n]*))?\]\]")
_DISPLAY = re.compile(rf"(?P<title>.*)·\s?(?P<type>{'|'.join(LINK_TYPES)})(?:\s(?P<confidence>[01](?:\.\d+)?))?")
_NOT_IN_DISPLAY = re.compile(r"[\[\]|\"\\\s]+")
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_INLINE_CODE = re.compile(r"`[^`\n]*`")


def read_link(value: Any) -> Link | None:
    """The link that one item of a `links` list means; None where it is not a link."""
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
    """What an unquoted [[name]] holds: to YAML it is a list in a list. Lists may hold themselves, so not for ever."""
    for _ in range(3):
        if not isinstance(value, list) or len(value) != 1:
            break
        value = value[0]
    return value


def body_links(body: str) -> list[Link]:
    """The wikilinks a person wrote in the text, each target once, code left out."""
    if "[[" not in body:
        return []
    found: dict[str, Link] = {}
    prose = "".join(_FENCE.split(body)[::2])  # every second part lies between two fences
    for match in WIKILINK.finditer(_INLINE_CODE.sub("", prose)):
        target = link_name(match.group(1))
        if target:
            found.setdefault(name_key(target), Link(target, title=(match.group(2) or "").strip()))
    return list(found.values())


def write_link(link: Link) -> str:
    """The wikilink to write into front matter (still to be quoted)."""
    title = _NOT_IN_DISPLAY.sub(" ", link.title).strip() or link.target
    score = f" {link.confidence:.2f}" if link.confidence is not None else ""
    return f"[[{link.target}|{title} · {link.type}{score}]]"


def link_name(target: str) -> str:
    """A link's target without heading, block or file ending: what names the note."""
    if "#" in target or "^" in target:
        target = re.split(r"[#^]", target, maxsplit=1)[0]
    name = target.strip().strip("/")
    return name[:-3] if name.lower().endswith(".md") else name


def name_key(name: str) -> str:
    """The form in which names compare: NFC, without regard to case."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def nameable(name: str) -> bool:
    """Whether a wikilink can name a note of this file name (without its ending)."""
    return not re.search(r"[#|^\[\]\n]|\.md$", name)
