"""recall -i: searches with every key. The arrow keys choose, Enter opens the note in the editor."""

from __future__ import annotations

import contextlib
import os
import re
import select
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from vault_mem.cli.look import wrapped
from vault_mem.messages.save_and_find import KEYS, NOTHING_RELATED
from vault_mem.messages.words import columns
from vault_mem.visible import visible

if TYPE_CHECKING:
    from vault_mem.operations.memory.results import Found

_KEYS = {
    "\x1b[A": "up", "\x1bOA": "up", "\x10": "up", "\x1b[B": "down", "\x1bOB": "down", "\x0e": "down",
    "\r": "enter", "\n": "enter", "\x7f": "erase", "\x08": "erase", "\x15": "clear", "\x1b": "quit",
    "\x03": "quit", "\x04": "quit",
}  # fmt: skip
_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|[^\x1b\x00-\x1f\x7f]+|.", re.DOTALL)
_REVERSE, _DIM, _PLAIN, _CLEAR = "\x1b[7m", "\x1b[2m", "\x1b[0m", "\x1b[H\x1b[J"


def choose(search: Callable[[str], list[Found]], query: str = "") -> Found | None:
    """Let a person at the terminal type and choose; None if they leave without choosing."""
    found, chosen = search(query) if query else [], 0
    with _raw() as keys:
        _draw(query, found, chosen)
        for key in keys:
            name = _KEYS.get(key, "")
            if name == "quit":
                break
            if name == "enter" and found:
                return found[chosen]
            if name in ("up", "down"):
                chosen = max(0, min(len(found) - 1, chosen + (1 if name == "down" else -1)))
            before = query
            query = "" if name == "clear" else query[:-1] if name == "erase" else query + key * key.isprintable()
            if query != before:
                found, chosen = search(query) if query.strip() else [], 0
            _draw(query, found, chosen)
    return None


@contextlib.contextmanager
def _raw() -> Iterator[Iterator[str]]:
    """Switch the terminal to raw mode and its alternate screen; yields the keys, with pasted text in one piece."""
    import termios
    import tty

    before = termios.tcgetattr(0)
    try:
        tty.setraw(0)
        os.write(1, b"\x1b[?1049h")
        yield _keys()
    finally:
        os.write(1, b"\x1b[?1049l")
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _keys() -> Iterator[str]:
    while held := os.read(0, 1):
        while select.select([0], [], [], 0.02)[0] and (more := os.read(0, 1024)):  # the rest of an arrow, or a paste
            held += more
        yield from _KEY.findall(held.decode(errors="ignore"))


def _draw(query: str, found: list[Found], chosen: int) -> None:
    width, height = os.get_terminal_size(1)
    lines = [f"> {query}", f"{_DIM}{KEYS}{_PLAIN}"]
    for number, each in enumerate(found):
        text = " ".join(visible(each.passage or each.memory.content).split())
        text_lines = wrapped(f"{each.memory.created.date().isoformat()}  {text}", width - 2).split("\n")
        text_lines = text_lines if number == chosen else text_lines[:1]
        if len(lines) + len(text_lines) >= height:
            break
        mark = _REVERSE if number == chosen else ""
        lines += [f"{mark}{line}{_PLAIN}" for line in text_lines]
    if query.strip() and not found:
        lines.append(NOTHING_RELATED)
    cursor = f"\x1b[1;{columns(lines[0]) + 1}H"
    os.write(1, (_CLEAR + "\r\n".join(lines) + cursor).encode(errors="replace"))
