"""Control characters made visible: what a note says must not steer a terminal, or be hidden from an agent."""

from __future__ import annotations

import re
from typing import Any

# C0 but tab and newline, DEL, C1, and what turns the direction of text: embeddings, overrides, isolates.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""The text with `\u001b` for an ESC, and so on. JSON stays the same document: there it is an escape."""
    return _CONTROLS.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text.replace("\r\n", "\n"))


def all_visible(value: Any) -> Any:
    """The same for every text in a JSON document, keys too."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): all_visible(each) for key, each in value.items()}
    return [all_visible(each) for each in value] if isinstance(value, list) else value
