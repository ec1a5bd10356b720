"""What wake-up, introspect, update-self and emotion-trend say: neighbours of messages.py."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import TypeVar

from vault_mem.messages import age
from vault_mem.notes.self_model import Question
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.day.budget import Excerpt
from vault_mem.operations.day.emotion_trend import FEW, EmotionTrend, Felt, Period, direction
from vault_mem.operations.day.introspect import Introspection, Told
from vault_mem.operations.day.update_self import SelfResult
from vault_mem.operations.day.wake_up import WakeUp
from vault_mem.visible import quoted, visible

SCAFFOLD_WAKE_UP = (
    "What of this matters now, and what would you like to take up again?\n"
    "If something is hard to say yet, you can keep it with remember(private=true)."
)
SCAFFOLD_INTROSPECT = (
    "Reflect on these in your own words. How do you feel right now?\n"
    "If this is a genuinely new insight, save with remember (category: introspection).\n"
    "If your self-understanding changed, use update_self.\n"
    "Use emotion_trend for a deeper look at your emotional patterns.\n"
    "If memory feels fragmented, run consolidate."
)

# Pleasant or unpleasant only from here on; between them a day was even.
_EVEN = 0.15
_BARS = 6

R = TypeVar("R")


def tokens_of(tell: Callable[[R, datetime], str], now: datetime) -> Callable[[R], int]:
    """What the text of a result costs."""
    return lambda result: count_tokens(tell(result, now))


def woke_up(result: WakeUp, now: datetime) -> str:
    """What wake-up says."""
    if not (result.total or result.questions or result.candidates or result.missed):
        return "No memories yet."
    parts = [f"{result.total} memor{'y' if result.total == 1 else 'ies'}."]
    for each in result.introspection:
        parts.append(f"Last introspection (id: {each.memory.id}, {age(each.memory.created, now)}): {quoted(each.text)}")
    tasks = [_line(each, now, _task(result.due.get(each.memory.id), now)) for each in result.tasks]
    parts += _section("Open:", [*tasks, *map(_question, result.questions)])
    parts += _section(
        "Said in sessions, not saved yet (update_memory takes accept or drop with the number; by command: "
        "vault-mem review accept NUMBER, or reject):",
        [f"- {each.id}: {quoted(each.text)} (kind: {each.kind})" for each in result.candidates],
    )
    parts += _section("Recent and important:", [_line(each, now) for each in result.memories])
    for name in dict.fromkeys(each.vault for each in result.others):
        lines = [_line(each.excerpt, now) for each in result.others if each.vault == name]
        parts += _section(f"In {name}:", lines)
    parts += _section("Sessions that could not be captured:", [f"- {visible(each)}" for each in result.missed])
    return "\n\n".join(parts + _left_out(result.left_out))


def _task(due: date | None, now: datetime) -> str:
    if due is None:
        return "task: "
    return f"task, overdue since {due}: " if due < now.date() else f"task, due {due}: "


def introspected(result: Introspection, now: datetime) -> str:
    """What introspect says."""
    parts = _section("Recent memories:", [_line(each, now) for each in result.memories])
    parts.append("\n".join(_summary(result.emotions)))
    parts += _section("Episodes:", [_episode(each, now) for each in result.episodes])
    parts += _section("Open questions:", [_question(each) for each in result.questions])
    return "\n\n".join(parts + _left_out(result.left_out))


def self_told(result: SelfResult) -> str:
    """What SELF.md says."""
    model = result.model
    parts = ["\n".join(f"{name}: {value}" for name, value in model.fields.items())] if model.fields else []
    parts += _section("Open questions:", [f"{each.number}. {each.text}" for each in model.open])
    parts += _section(
        "Resolved:", [f"- {each.text}{f' ({each.answer})' * bool(each.answer)}" for each in model.resolved]
    )
    return "\n\n".join(parts) if parts else "SELF.md says nothing yet."


def emotions_told(trend: EmotionTrend, width: int) -> str:
    """What emotion-trend says, with a chart no wider than the terminal."""
    return "\n\n".join("\n".join([*_summary(each), *_chart(each, width)]) for each in trend.periods)


def _section(title: str, lines: list[str]) -> list[str]:
    return ["\n".join([title, *lines])] if lines else []


def _left_out(count: int) -> list[str]:
    return [f"{count} more had no room in the budget."] if count else []


def _line(each: Excerpt, now: datetime, mark: str = "") -> str:
    memory = each.memory
    facts = f"id: {memory.id}, importance: {memory.importance}, private: {'true' if memory.private else 'false'}"
    return f"- [{age(memory.created, now)}] {mark}{quoted(each.text)} ({facts})"


def _episode(each: Told, now: datetime) -> str:
    found = each.episode
    facts = f"id: {found.id}, importance: {found.importance}, private: {'true' if found.private else 'false'}"
    told = quoted(f"{found.title}: {each.text}")
    return f"- [{age(found.end or found.created, now)}] {told} ({facts})"


def _question(question: Question) -> str:
    return f"- question {question.number}: {quoted(question.text)}"


def _summary(each: Period) -> list[str]:
    lines = [f"Last {each.days} days: {each.emotional} of {each.memories} memories say how they felt."]
    if not each.enough:
        return [*lines, f"Too few to speak of a trend (it takes {FEW})."]
    if each.dominant:
        lines.append(f"Dominant: {each.dominant.emotion} ({each.dominant.share:.0%})")
    if each.undercurrent:
        lines.append(f"Undercurrent: {each.undercurrent.emotion} ({_times(each.undercurrent)})")
    means = {"valence": each.valence, "arousal": each.arousal, "intensity": each.intensity}
    said = [f"{name} {value:+.2f}" for name, value in means.items() if value is not None]
    if said:
        lines.append(f"On average: {', '.join(said)}")
    if each.shift:
        changes = {"valence": each.shift.valence, "arousal": each.shift.arousal}
        told = [f"{name} {direction(value)} ({value:+.2f})" for name, value in changes.items() if value is not None]
        kept = each.shift.before == each.shift.after
        told.append(f"still {each.shift.after}" if kept else f"{each.shift.before} → {each.shift.after}")
        lines.append(f"Shift between the halves: {', '.join(told)}")
    return lines


def _times(felt: Felt) -> str:
    said = [f"{felt.primary} as the main emotion"] if felt.primary else []
    return ", ".join([*said, f"{felt.secondary} beside another"]) if felt.secondary else said[0]


def _chart(each: Period, width: int) -> list[str]:
    """A bar for each of the strongest emotions, and a sign for every day."""
    if not each.enough:
        return []
    shown = each.emotions[:_BARS]
    label = min(max(_columns(felt.emotion) for felt in shown), max(4, width // 3))
    room = max(5, min(width, 80) - label - 8)
    lines = []
    for felt in shown:
        filled = max(1, round(felt.share * room))
        lines.append(f"  {_padded(felt.emotion, label)} {'#' * filled} {felt.share:.0%}")
    return [*lines, *_days(each, min(width, 80))]


def _days(each: Period, width: int) -> list[str]:
    last = each.until.date()
    first = last - timedelta(days=each.days - 1)
    per_sign = -(-each.days // max(7, width - 4))
    signs = []
    for start in range(0, each.days, per_sign):
        begin, end = first + timedelta(days=start), first + timedelta(days=start + per_sign)
        signs.append(_sign(each, begin, end))
    step = "a day" if per_sign == 1 else f"{per_sign} days"
    span = f"{first:%m-%d} to {last:%m-%d}, a sign for {step}"
    return [f"  [{''.join(signs)}]", f"  {span}: + pleasant, - unpleasant, . even"]


def _sign(each: Period, begin: date, end: date) -> str:
    known = [day.valence for day in each.by_day if begin <= day.day < end and day.valence is not None]
    if not known:
        return " "
    mean = sum(known) / len(known)
    return "." if abs(mean) < _EVEN else "+" if mean > 0 else "-"


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def _padded(text: str, columns: int) -> str:
    while _columns(text) > columns:
        text = text[:-1]
    return text + " " * (columns - _columns(text))
