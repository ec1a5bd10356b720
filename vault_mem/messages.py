"""Every text an agent or a person reads, in one place; numbers and ids are put in by the surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from vault_mem.operations.recall import RecallResult
from vault_mem.operations.remember import RememberResult
from vault_mem.operations.results import Found

if TYPE_CHECKING:
    from vault_mem.operations.evaluate import Report
    from vault_mem.operations.why_not import WhyNot

SNIPPET = 120
DAYS_AS_AGE = 30

SCAFFOLD_DUPLICATE = (
    "Is there truly something new here, or is this a repetition?\n"
    "If your understanding has deepened, try expressing what changed specifically."
)
SCAFFOLD_SAVED = "Do any of these connections surprise you? Is there a pattern forming?"


def compose(data: str, scaffold: str) -> str:
    """Data, then the scaffold after a rule; data alone where there is none."""
    return f"{data}\n\n---\n{scaffold}" if scaffold else data


def age(moment: datetime, now: datetime) -> str:
    """Just now, 5m ago, 2h ago, 3d ago; from 30 days on the date."""
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds // 60)}m ago"
    if seconds < 86_400:
        return f"{int(seconds // 3600)}h ago"
    if seconds < DAYS_AS_AGE * 86_400:
        return f"{int(seconds // 86_400)}d ago"
    return moment.astimezone(now.tzinfo).date().isoformat()


def cut(text: str, length: int = SNIPPET) -> str:
    """One line of at most so many code points, then ... if anything was cut."""
    line = " ".join(text.splitlines())
    return line if len(line) <= length else line[:length] + "..."


def remembered(result: RememberResult, now: datetime) -> tuple[str, str]:
    """What remember says, and its scaffold."""
    if result.duplicate_of is not None:
        return _not_saved(result.duplicate_of, now), SCAFFOLD_DUPLICATE
    if result.memory is None:
        raise ValueError("neither a memory nor a duplicate")
    lines = [f"Saved (id: {result.memory.id}). Linked to {result.links} existing memories."]
    if result.linked:
        lines.append("Most related:")
        for found in result.linked[:3]:
            snippet = cut(found.memory.content)
            lines.append(f"- [{age(found.memory.created, now)}] {snippet} (similarity: {found.similarity:.2f})")
    if result.changed is not None:
        existing = result.changed.memory
        lines.append(f"Differs from {existing.id} ({age(existing.created, now)}): {'; '.join(result.differs)}")
        lines.append(f"If it takes that one's place, repeat it with --supersedes {existing.id}")
    lines += [f"Closed (id: {old.id}): {cut(old.content)}" for old in result.closed]
    return "\n".join(lines), SCAFFOLD_SAVED


def ways_on(existing: str) -> list[str]:
    """The commands that save a refused text all the same."""
    again = "vault-mem remember --last-blocked"
    return [f"{again} --force", f"{again} --update {existing}", f"{again} --supersedes {existing}"]


def blocked_hints(existing: str) -> str:
    """The same in words."""
    force, update, supersede = ways_on(existing)
    return f"Save it anyway: {force}\nReplace the existing text: {update}\nClose the existing one: {supersede}"


def _not_saved(existing: Found, now: datetime) -> str:
    memory = existing.memory
    return (
        "Not saved — very similar memory already exists.\n"
        f"Existing (id: {memory.id}, {age(memory.created, now)}): {cut(memory.content)}\n"
        f"Similarity: {existing.similarity:.2f}\n"
        "If this is a meaningful update, use recall to review the existing memory "
        "and consider whether the new perspective adds value."
    )


def recalled(result: RecallResult, now: datetime, *, explain: bool = False) -> str:
    """What recall says."""
    if not result.results:
        return "No related memories."
    count = len(result.results)
    lines = [f"{count} related memor{'y' if count == 1 else 'ies'}:"]
    lines += [recalled_line(number, found, now, explain) for number, found in enumerate(result.results, start=1)]
    return "\n".join(lines)


def recalled_line(number: int, found: Found, now: datetime, explain: bool = False) -> str:
    """One result; a budget has already cut its text, and the terms of its score come below it."""
    memory = found.memory
    day = memory.created.astimezone(now.tzinfo).date().isoformat()
    text = " ".join(found.excerpt.splitlines()) if found.excerpt else cut(found.passage or memory.content)
    private = "true" if memory.private else "false"
    line = f"{number}. [{day}] {text} (id: {memory.id}, emotion: {memory.emotion}, private: {private})"
    return f"{line}\n   {explained(found.score, found.terms)}" if explain else line


def explained(score: float, terms: Mapping[str, float]) -> str:
    """A score as the sum it is."""
    if not terms:
        return f"score {score:.4f}"
    parts = [f"{'-' if value < 0 else '+'} {stage} {abs(value):.4f}" for stage, value in terms.items()]
    return f"score {score:.4f} = " + " ".join(parts).removeprefix("+ ")


def why_not(result: WhyNot) -> str:
    """What why-not says."""
    head = "Shown" if result.stage == "shown" else f"Dropped by {result.stage}"
    lines = [f"{head} (id: {result.memory.id}): {result.reason}."]
    if result.score is not None:
        lines.append(explained(result.score, result.terms))
    if result.needed is not None:
        lines.append(f"the last one shown has {result.needed:.4f}")
    return "\n".join(lines)


def evaluated(report: Report) -> str:
    """What eval says: a table, a line for each way of searching."""
    counts = report.as_json()
    lines = [
        f"{counts['questions']} questions, {report.memories} memories, {report.entries} vault(s)",
        "",
        f"{'':<16}" + "".join(f"{name:>8}" for name in ("R@1", "R@5", "R@10", "R@20", "MRR")) + f"{'ms/query':>11}",
    ]
    for way in report.answers:
        figures = report.figures(way)
        shares = "".join(f"{value:>8.3f}" for name, value in figures.items() if name != "ms")
        lines.append(f"{way:<16}{shares}{figures['ms']:>11.1f}")
    return "\n".join(lines)
