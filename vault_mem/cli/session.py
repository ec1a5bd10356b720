"""What an answer within a budget costs, in whichever form it is printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from vault_mem.cli.console import Console
from vault_mem.cli.lean import lean


def printed_tokens(console: Console, document: Callable[[], dict[str, Any]], text: str) -> int:
    """The tokens of what will be read; of the two that a tool gives, the longer."""
    from vault_mem.notes.tokens import count_tokens

    if not console.json:
        return count_tokens(text)
    if not console.for_tool:
        return count_tokens(json.dumps(document(), ensure_ascii=False, indent=2, default=str))
    return max(count_tokens(json.dumps(lean(document()), ensure_ascii=False, default=str)), count_tokens(text))
