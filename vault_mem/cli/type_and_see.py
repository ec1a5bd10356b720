"""recall -i: what is found changes with every key; the arrows choose, Enter opens the note in the editor."""

from __future__ import annotations

import contextlib
import os
import select
import termios
import tty
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from vault_mem.cli.look import columns, wrapped
from vault_mem.visible import visible

if TYPE_CHECKING:
    from vault_mem.operations.memory.results import Found

_KEYS = {
    b"\x1b[A": "up", b"\x1bOA": "up", b"\x10": "up", b"\x1b[B": "down", b"\x1bOB": "down", b"\x0e": "down",
    b"\r": "enter", b"\n": "enter", b"\x7f": "erase", b"\x08": "erase", b"\x15": "clear", b"\x1b": "quit",
    b"\x03": "quit", b"\x04": "quit",
}  # fmt: skip
_REVERSE, _DIM, _PLAIN, _CLEAR = "\x1b[7m", "\x1b[2m", "\x1b[0m", "\x1b[H\x1b[J"


def choose(search: Callable[[str], list[Found]], query: str = "") -> Found | None:
    """Let a person at the terminal type and choose; None where they leave without choosing."""
    found, chosen = search(query) if query else [], 0
    with _raw() as read:
        while True:
            _draw(query, found, chosen)
            key = read()
            name = _KEYS.get(key, "")
            if name == "quit" or (name == "enter" and found):
                return found[chosen] if name == "enter" else None
            if name in ("up", "down"):
                chosen = max(0, min(len(found) - 1, chosen + (1 if name == "down" else -1)))
                continue
            before = query
            query = "" if name == "clear" else query[:-1] if name == "erase" else query + _typed(key)
            if query != before:
                found, chosen = search(query) if query.strip() else [], 0


def _typed(key: bytes) -> str:
    text = key.decode(errors="ignore")
    return text if text.isprintable() else ""


@contextlib.contextmanager
def _raw() -> Iterator[Callable[[], bytes]]:
    """The terminal without line editing and on a screen of its own; gives what reads a key, or all that was pasted."""
    before = termios.tcgetattr(0)
    try:
        tty.setraw(0)
        os.write(1, b"\x1b[?1049h")
        yield _key
    finally:
        os.write(1, b"\x1b[?1049l")
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _key() -> bytes:
    held = os.read(0, 1)
    if not held:
        return b"\x04"
    while select.select([0], [], [], 0.02)[0] and (more := os.read(0, 64)):  # the rest of an arrow or a character
        held += more
    return held


def _draw(query: str, found: list[Found], chosen: int) -> None:
    width, height = os.get_terminal_size(1)
    lines = [f"> {query}", f"{_DIM}type · ↑↓ choose · Enter opens the note · Esc leaves{_PLAIN}"]
    for number, each in enumerate(found):
        text = " ".join(visible(each.passage or each.memory.content).split())
        told = wrapped(f"{each.memory.created.date().isoformat()}  {text}", width - 2).split("\n")
        told = told if number == chosen else told[:1]
        if len(lines) + len(told) >= height:
            break
        mark = _REVERSE if number == chosen else ""
        lines += [f"{mark}{line}{_PLAIN}" for line in told]
    if query.strip() and not found:
        lines.append("No related memories.")
    cursor = f"\x1b[1;{columns(lines[0]) + 1}H"
    os.write(1, (_CLEAR + "\r\n".join(lines) + cursor).encode(errors="replace"))
