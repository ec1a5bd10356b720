"""What all messages share: ages, dates, counts, lists, and the terminal columns that a text takes."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime, tzinfo

DAYS_AS_AGE = 30


def age(moment: datetime, now: datetime) -> str:
    """Just now, 5m ago, 2h ago, 3d ago; the date after 30 days, and for times more than a day ahead."""
    seconds = (now - moment).total_seconds()
    if -86_400 < seconds < 60:
        return "just now"
    if 0 <= seconds < 3600:
        return f"{int(seconds // 60)}m ago"
    if 0 <= seconds < 86_400:
        return f"{int(seconds // 3600)}h ago"
    if 0 <= seconds < DAYS_AS_AGE * 86_400:
        return f"{int(seconds // 86_400)}d ago"
    return day(moment, now.tzinfo)


def day(moment: datetime, zone: tzinfo | None) -> str:
    """The date, as the vault's clock shows it."""
    return moment.astimezone(zone).date().isoformat()


def minute(moment: datetime, zone: tzinfo | None = None) -> str:
    """Date and time to the minute."""
    return f"{moment.astimezone(zone) if zone else moment:%Y-%m-%d %H:%M}"


def counted(count: int, word: str) -> str:
    """1 turn, 2 days, 3 memories."""
    plural = f"{word[:-1]}ies" if word.endswith("y") and not word.endswith("day") else f"{word}s"
    return f"{count:,} {word if count == 1 else plural}"


def and_more(items: Sequence[str], shown: int) -> str:
    """How many of a list are not shown."""
    return f" and {len(items) - shown} more" if len(items) > shown else ""


def size(count: int) -> str:
    """Bytes as people say them: 12 kB, 3.4 MB."""
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.0f} kB"


def flag(value: bool) -> str:
    """True and false as JSON and YAML write them."""
    return "true" if value else "false"


def columns(text: str) -> int:
    """How many terminal columns a text takes."""
    return len(text) if text.isascii() else sum(map(width_of, text))


def width_of(char: str) -> int:
    """The columns of one character: 0, 1 or 2."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
