"""Markdown as harmless HTML: rendered by markdown-it without raw HTML, then sanitised by nh3.

Images are named but not loaded, links between notes carry an id, and other links open a new tab without a referrer.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from vault_mem.notes.links import WIKILINK, link_name
from vault_mem.visible import visible

_ELSEWHERE = ("http", "https", "mailto", "obsidian")
_TAGS = {"a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"}
_TAGS |= {"s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"}
_ATTRIBUTES = {"a": {"class", "data-id", "href", "target", "title"}, "span": {"class"}, "ol": {"start"}}
_REL = "noopener noreferrer nofollow"
# Characters; a longer text, which would take seconds to render, is cut.
LONGEST = 200_000


def rendered(text: str, known: Mapping[str, str]) -> str:
    """The text as HTML; `known` maps the names in links to the ids of memories."""
    shown = visible(text[:LONGEST])
    html = str(_MARKDOWN.render(shown, {"known": known}))
    return nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=set(_ELSEWHERE), link_rel=_REL)


def _wikilink(state: StateInline, silent: bool) -> bool:
    """Parses `[[name|shown]]`, and `![[name]]`, which is shown like an image."""
    start = state.pos + 1 if state.src.startswith("![[", state.pos) else state.pos
    match = WIKILINK.match(state.src, start) if state.src.startswith("[[", start) else None
    if match is None or match.end() > state.posMax:
        return False
    if not silent:
        target, said = match.group(1), match.group(2) or match.group(1)
        token = state.push("wikilink", "", 0)
        token.content, token.meta = said.strip(), {"target": link_name(target), "embedded": start != state.pos}
    state.pos = match.end()
    return True


def _shown_wikilink(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    token = tokens[at]
    tag, attributes = _to_note(env["known"].get(token.meta["target"]))
    if tag == "span" and token.meta["embedded"]:
        attributes = {"class": "image"}
    said = "".join(f' {name}="{nh3.clean_text(value)}"' for name, value in attributes.items())
    return f"<{tag}{said}>{nh3.clean_text(token.content)}</{tag}>"


def _shown_image(self: RendererHTML, tokens: Sequence[Token], at: int, *_: object) -> str:
    token = tokens[at]
    return f'<span class="image">{nh3.clean_text(token.content or str(token.attrGet("src") or ""))}</span>'


def _shown_link(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    """A Markdown link: one to a note carries its id, any other opens a new tab."""
    opening = tokens[at]
    address = str(opening.attrGet("href") or "")
    if urlsplit(address).scheme in _ELSEWHERE:
        opening.attrSet("target", "_blank")
    else:
        closing = next(each for each in tokens[at:] if each.type == "link_close")
        tag, attributes = _to_note(env["known"].get(link_name(unquote(address))))
        opening.tag = closing.tag = tag
        opening.attrs = dict(attributes)
    return self.renderToken(tokens, at, options, env)


def _to_note(id_: str | None) -> tuple[str, dict[str, str]]:
    return ("a", {"class": "wikilink", "data-id": id_}) if id_ else ("span", {"class": "wikilink missing"})


def _markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    made.inline.ruler.before("link", "wikilink", _wikilink)
    made.inline.ruler.before("image", "embedded", _wikilink)
    for name, rule in (("wikilink", _shown_wikilink), ("image", _shown_image), ("link_open", _shown_link)):
        made.add_render_rule(name, rule)
    return made


_MARKDOWN = _markdown()
