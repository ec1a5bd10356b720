"""What the commands of an agent's day say: wake-up, introspect, emotion-trend, update-self, sessions, hint, setup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from vault_mem.messages.words import age, columns, counted, day, flag
from vault_mem.notes.tokens import count_tokens
from vault_mem.visible import quoted, visible

if TYPE_CHECKING:
    from vault_mem import types
    from vault_mem.notes.self_model import Question
    from vault_mem.operations.day.emotion_trend import EmotionShare, Period
    from vault_mem.operations.day.introspect import ShownEpisode

NO_SESSIONS = """No sessions are kept here.
`vault-mem setup AGENT --capture` keeps new ones, `vault-mem import claude-code` brings in earlier ones."""
NO_SUCH_SESSIONS = "No session matches; `vault-mem sessions` lists all of them."
HOOK_INPUT = "No input: this command reads a hook's JSON on standard input."
TRIED = "Checked: vault-mem answers ({memories})."
NOTHING_TO_CHANGE = "Nothing to change."
NOT_SET_UP = "Nothing was changed. Use --yes to skip the question."

# A day with a valence beyond this counts as pleasant or unpleasant, otherwise as even.
_EVEN = 0.15
_BARS = 6

R = TypeVar("R")


def tokens_of(tell: Callable[[R, datetime], str], now: datetime) -> Callable[[R], int]:
    """A function that counts the tokens of a result as text."""
    return lambda result: count_tokens(tell(result, now))


def woke_up(result: types.WakeUp, now: datetime) -> str:
    """What wake-up says."""
    if not (result.total or result.questions or result.candidates or result.missed):
        return "No memories yet."
    parts = [f"{counted(result.total, 'memory')}."]
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


def introspected(result: types.Introspection, now: datetime) -> str:
    """What introspect says."""
    parts = _section("Recent memories:", [_line(each, now) for each in result.memories])
    parts.append("\n".join(_summary(result.emotions)))
    parts += _section("Episodes:", [_episode(each, now) for each in result.episodes])
    parts += _section("Open questions:", [_question(each) for each in result.questions])
    return "\n\n".join(parts + _left_out(result.left_out))


def self_told(result: types.SelfResult) -> str:
    """What SELF.md says."""
    model = result.model
    parts = ["\n".join(f"{name}: {value}" for name, value in model.fields.items())] if model.fields else []
    parts += _section("Open questions:", [f"{each.number}. {each.text}" for each in model.open])
    parts += _section(
        "Resolved:", [f"- {each.text}{f' ({each.answer})' * bool(each.answer)}" for each in model.resolved]
    )
    return "\n\n".join(parts) if parts else "SELF.md is empty."


def emotions_told(trend: types.EmotionTrend, width: int) -> str:
    """What emotion-trend says, with a chart no wider than the terminal."""
    return "\n\n".join("\n".join([*_summary(each), *_chart(each, width)]) for each in trend.periods)


def _section(title: str, lines: list[str]) -> list[str]:
    return ["\n".join([title, *lines])] if lines else []


def _left_out(count: int) -> list[str]:
    return [f"{count} more did not fit the budget."] if count else []


def _line(each: types.Excerpt, now: datetime, mark: str = "") -> str:
    memory = each.memory
    facts = f"id: {memory.id}, importance: {memory.importance}, private: {flag(memory.private)}"
    return f"- [{age(memory.created, now)}] {mark}{quoted(each.text)} ({facts})"


def _episode(each: ShownEpisode, now: datetime) -> str:
    found = each.episode
    facts = f"id: {found.id}, importance: {found.importance}, private: {flag(found.private)}"
    told = quoted(f"{found.title}: {each.text}")
    return f"- [{age(found.end or found.created, now)}] {told} ({facts})"


def _question(question: Question) -> str:
    return f"- question {question.number}: {quoted(question.text)}"


def _summary(each: Period) -> list[str]:
    from vault_mem.operations.day.emotion_trend import FEW, direction

    lines = [f"Last {counted(each.days, 'day')}: {each.emotional} of {each.memories} memories name an emotion."]
    if not each.enough:
        return [*lines, f"Too few for a trend (at least {FEW} are needed)."]
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


def _times(felt: EmotionShare) -> str:
    said = [f"{felt.primary} as the main emotion"] if felt.primary else []
    return ", ".join([*said, f"{felt.secondary} as a secondary emotion"]) if felt.secondary else said[0]


def _chart(each: Period, width: int) -> list[str]:
    """A bar for each of the strongest emotions, and a mark for every day."""
    if not each.enough:
        return []
    shown = each.emotions[:_BARS]
    label = min(max(columns(felt.emotion) for felt in shown), max(4, width // 3))
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
    span = f"{first:%m-%d} to {last:%m-%d}, one mark for {step}"
    return [f"  [{''.join(signs)}]", f"  {span}: + pleasant, - unpleasant, . even"]


def _sign(each: Period, begin: date, end: date) -> str:
    known = [day.valence for day in each.by_day if begin <= day.day < end and day.valence is not None]
    if not known:
        return " "
    mean = sum(known) / len(known)
    return "." if abs(mean) < _EVEN else "+" if mean > 0 else "-"


def _padded(text: str, width: int) -> str:
    while columns(text) > width:
        text = text[:-1]
    return text + " " * (width - columns(text))


def session_line(each: types.SessionFile, now: datetime) -> str:
    """A session in a list."""
    head = each.head
    ended = head.ended or head.started or now
    where = f", {head.project}" if head.project else ""
    full = ", cut at the size limit" if head.full else ""
    turns = counted(head.turns, "turn")
    return f"{each.key} ({head.agent}{where}, {turns}{full}, {age(ended, now)}): {each.title}"


def removed_sessions(found: Sequence[types.SessionFile], *, dry_run: bool) -> str:
    """What sessions remove says."""
    done = "Would remove" if dry_run else "Removed"
    return "\n".join([f"{done} {counted(len(found), 'session')}.", *(f"- {each.key}" for each in found)])


def hinted(found: types.Found, now: datetime) -> str:
    """A memory added to a prompt, with what an agent needs to ask for more."""
    memory = found.memory
    text = " ".join((found.passage or memory.content).split())
    private = ", private: true" if memory.private else ""
    where = f", vault: {found.vault}" if found.vault else ""
    return f"- [{day(memory.created, now.tzinfo)}] {text} (id: {memory.id}{private}{where})"


def hint_stats(found: types.HintStats) -> str:
    """What stats --recall says."""
    if not found.prompts:
        return "No prompts have been checked yet. `vault-mem setup AGENT --per-prompt` adds hints to prompts."
    return (
        f"{counted(found.prompts, 'prompt')} checked, {found.hinted} got a hint\n"
        f"{counted(len(found.shown), 'memory')} shown: {len(found.used)} used again, {len(found.unused)} never used"
    )


def set_up(agent: str, scope: str, *, remove: bool) -> str:
    """What setup says last; `scope` is the flag to repeat when removing, if any."""
    again = "" if remove else f" To remove it: vault-mem setup {agent}{scope} --remove"
    return f"Done. Start a new session of {agent} to see it.{again}"
