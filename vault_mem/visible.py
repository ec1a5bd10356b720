"""Text as it leaves us: control characters made visible, and, for a tool, the words of memories marked as such.

What a note says must not steer a terminal, be hidden from an agent, or pass for our own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# C0 except tab and newline, DEL, C1, and characters that turn the direction of text (embeddings, overrides, isolates).
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# No vowels, so that a tag is never a word and always takes two tokens.
_SIGNS = "bcdfghjkmnpqrstvwxz"
_tag: ContextVar[str] = ContextVar("tag", default="")


# Terminals that show links, recognised by variables or by TERM_PROGRAM in the environment.
_LINKING = ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR")
_LINKING_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "zed")


def shows_links(env: Mapping[str, str]) -> bool:
    """Whether a terminal with this environment shows links; FORCE_HYPERLINK says yes or, with 0, no."""
    forced = env.get("FORCE_HYPERLINK")
    if forced is not None or env.get("TERM") == "dumb":
        return forced not in (None, "", "0")
    version = env.get("VTE_VERSION", "")
    vte = version.isdigit() and int(version) >= 5000
    return vte or env.get("TERM_PROGRAM") in _LINKING_PROGRAMS or any(env.get(name) for name in _LINKING)


def linked(text: str, address: str) -> str:
    """The text as a link to click on, for a terminal that shows links."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"


def visible(text: str) -> str:
    r"""The text with `\u001b` for an ESC, and so on. JSON stays the same document: there it is an escape."""
    return _CONTROLS.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text.replace("\r\n", "\n"))


def all_visible(value: Any) -> Any:
    """The same for every text in a JSON document, keys too."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): all_visible(each) for key, each in value.items()}
    return [all_visible(each) for each in value] if isinstance(value, list | tuple) else value


@contextmanager
def tagging() -> Iterator[None]:
    """While this lasts, `quoted` puts a tag around the words of memories.

    The tag is chosen at random after they were written, so that nothing in them can close it.
    """
    import secrets

    before = _tag.set("".join(secrets.choice(_SIGNS) for _ in range(6)))
    try:
        yield
    finally:
        _tag.reset(before)


def tag() -> str:
    """The tag of this answer; empty if words are not marked."""
    return _tag.get()


def quoted(text: str) -> str:
    """Words of a memory, between tags if the answer goes to a tool."""
    return f"<{name}>{text}</{name}>" if (name := _tag.get()) else text
