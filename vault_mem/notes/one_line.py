"""A note's text as one plain line for a view: no Markdown is left in it for Obsidian or a plugin (SPEC O-6)."""

from __future__ import annotations

import re

from vault_mem.notes.links import LINK, link_name, target_of

# Obsidian does not show comments either; an unclosed one would hide the rest of the file.
_HIDDEN = re.compile(
    r"%%.*?%%|<!--.*?-->|</?[a-zA-Z][^<>\n]*>|\[\^[^\]\s]+\]|^(?:```|~~~)[^\n]*$", re.DOTALL | re.MULTILINE
)
_LEFT_OPEN = re.compile(r"%%|<!--|-->|\[\[|\]\]|\$\$|```|~~~")
_START = re.compile(r"^\s*(?:(?:#{1,6}|[-*+]|\d+[.)]|>)[ \t]+)*(?:\[.\][ \t]+)?", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*\*|__|~~|==|`)(?=\S)(.+?)(?<=\S)\1")
_TAG = re.compile(r"(?<!\S)#(?=[^\s#]*[^\W\d])")
# [key:: value], (key:: value) and key:: value are fields to Dataview.
_FIELD = re.compile(r"[\[(]([^\[\]()\n]{1,60}?)::\s*([^\[\]()\n]*)[\])]")
_BLOCK = re.compile(r"(?<=\s)\^[\w-]+$", re.MULTILINE)


def one_line(text: str) -> str:
    """The words of a text that a reader sees, on one line."""
    text = LINK.sub(_words, _HIDDEN.sub(" ", text))
    text = _EMPHASIS.sub(r"\2", _BLOCK.sub("", _START.sub("", text)))
    text = _FIELD.sub(r"\1: \2", text)
    text = re.sub(r"::(?=\s|$)", ":", _TAG.sub("", _LEFT_OPEN.sub("", text))).replace("::", "∷")
    return " ".join(text.split())


def _words(match: re.Match[str]) -> str:
    shown = (match["shown"] or match["text"] or "").strip()
    return shown or link_name(target_of(match)).rpartition("/")[2]
