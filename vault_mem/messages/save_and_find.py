"""What remember, recall and the other commands that save and find say."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from vault_mem.messages import scaffolds
from vault_mem.messages.words import age, counted, day, flag, minute
from vault_mem.notes.excerpt import cut
from vault_mem.notes.origin import trust_of
from vault_mem.operations.memory.results import why_closed
from vault_mem.visible import quoted

if TYPE_CHECKING:
    from vault_mem import types

NO_TEXT = 'Missing the text. Give it as an argument, "-" to read standard input, or --last-blocked.'
NOTHING_RELATED = "No related memories."
KEYS = "type · ↑↓ choose · Enter opens the note · Esc quits"
_WOULD = {
    "block": "refuse the second as a repetition",
    "link": "save the second and link the two",
    "save": "save the second without a link",
}


def remembered(result: types.RememberResult, now: datetime) -> tuple[str, str]:
    """What remember says, and its scaffold."""
    if result.duplicate_of is not None:
        return _not_saved(result.duplicate_of, now), scaffolds.DUPLICATE
    if result.memory is None:
        raise ValueError("neither a memory nor a duplicate")
    if result.grown:
        said = f"Updated the {result.memory.kind} (id: {result.memory.id}). The earlier text is kept."
        return said + kept_by_hand(result.kept), ""
    lines = [f"Saved (id: {result.memory.id}). Linked to {result.links} existing memories."]
    if result.linked:
        lines.append("Most related:")
        for found in result.linked[:3]:
            snippet = quoted(cut(found.memory.content))
            lines.append(f"- [{age(found.memory.created, now)}] {snippet} (similarity: {found.similarity:.2f})")
    if result.changed is not None:
        existing, where = result.changed.memory, _in_vault(result.changed)
        lines.append(f"Differs from {existing.id} ({age(existing.created, now)}{where}): {'; '.join(result.differs)}")
        if existing.id not in [each.memory.id for each in (*result.may_replace, *result.may_finish)]:
            lines.append(f"If it replaces that one, {_to_replace([result.changed])}")
    for found in result.may_finish:
        lines.append(f"May finish {_named(found, now)}")
        lines.append(f"If that is done: vault-mem done {found.memory.id}")
    lines += [f"May replace {_named(found, now)}" for found in result.may_replace]
    for replaced in (
        [each for each in result.may_replace if not each.vault],
        *([each] for each in result.may_replace if each.vault),
    ):
        if replaced:
            lines.append(f"If it does, {_to_replace(replaced)}")
    lines += [f"Closed (id: {old.id}): {quoted(cut(old.content))}" for old in result.closed]
    return "\n".join(lines), scaffolds.SAVED if result.linked else ""  # the question is about the links


def _named(found: types.Found, now: datetime) -> str:
    memory = found.memory
    return f"(id: {memory.id}, {age(memory.created, now)}{_in_vault(found)}): {quoted(cut(memory.content))}"


def _in_vault(found: types.Found) -> str:
    return f", vault: {found.vault}" if found.vault else ""


def _to_replace(old: list[types.Found]) -> str:
    """How to let the saved memory replace others; either all are in this vault, or there is one of another vault."""
    if old[0].vault:
        return f"close that one there: vault-mem close {old[0].memory.id} --vault {old[0].vault}"
    return f"run it again with --supersedes {' or '.join(each.memory.id for each in old)}"


def updated(result: types.EditResult) -> str:
    """What remember --update says."""
    said = f"Updated (id: {result.memory.id}). The earlier text is kept in its history."
    return said + kept_by_hand(result.kept)


def kept_by_hand(kept: str) -> str:
    """What a person had added to the note, which an update leaves in place."""
    return f"\nAdded by hand, and still there: {quoted(cut(kept))}" if kept else ""


def ways_on(existing: types.Found) -> list[str]:
    """The commands that save a refused text after all; they leave a memory of another vault alone."""
    again, id_ = "vault-mem remember --last-blocked", existing.memory.id
    in_place = [] if existing.vault else [f"{again} --update {id_}", f"{again} --supersedes {id_}"]
    return [f"{again} --force", *in_place]


def blocked_hints(existing: types.Found) -> str:
    """The commands of `ways_on`, with what each does."""
    does = ("Save it anyway", "Replace the existing text", "Close the existing one")
    return "\n".join(f"{what}: {command}" for what, command in zip(does, ways_on(existing), strict=False))


def _not_saved(existing: types.Found, now: datetime) -> str:
    memory = existing.memory
    return (
        "Not saved — very similar memory already exists.\n"
        f"Existing (id: {memory.id}, {age(memory.created, now)}{_in_vault(existing)}): {quoted(cut(memory.content))}\n"
        f"Similarity: {existing.similarity:.2f}\n"
        "If this is a meaningful update, use recall to review the existing memory "
        "and consider whether the new perspective adds value."
    )


def recalled(result: types.RecallResult, now: datetime, *, explain: bool = False) -> str:
    """What recall says."""
    lines = [recalled_line(number, found, now, explain) for number, found in enumerate(result.results, start=1)]
    count = len(lines)
    if result.left_out:
        lines.append(f"{result.left_out} more left out (budget)")
    if result.sessions:
        lines.append("Said in sessions (not memories):")
        for hit in result.sessions:
            said = quoted(" ".join(hit.text.split()))
            lines.append(f"- [{hit.at}] {hit.agent}, {hit.role}: {said} ({hit.key}:{hit.line})")
    if not count:
        return "\n".join([NOTHING_RELATED, *lines] if result.sessions else lines) or NOTHING_RELATED
    head = f"{counted(count, 'related memory')}:" if result.answered else "Nothing closely related; the nearest:"
    return "\n".join([head, *lines])


def recalled_line(number: int, found: types.Found, now: datetime, explain: bool = False) -> str:
    """One result, shown by the passage that answers; with `explain`, the terms of its score below it."""
    memory = found.memory
    text = " ".join(line for line in (found.passage or memory.content).splitlines() if line.strip())
    emotion = [] if found.bare else [f"emotion: {memory.emotion}"]
    facts = [f"id: {memory.id}", *emotion, f"private: {flag(memory.private)}"]
    facts += why_closed(memory, now, now.tzinfo, found.superseded_by)
    facts += [f"maybe replaced by: {found.replaced_by}"] if found.replaced_by else []
    facts += [f"conflict copies: {len(found.copies)}"] if found.copies else []
    facts += [f"a copy of: {found.copy_of}"] if found.copy_of else []
    facts += [f"vault: {found.vault}"] if found.vault else []
    when = "" if found.bare else f"[{day(memory.created, now.tzinfo)}] "
    line = f"{number}. {when}{quoted(text)} ({', '.join(facts)})"
    return f"{line}\n   {explained(found.score, found.terms)}" if explain else line


def explained(score: float, terms: Mapping[str, float]) -> str:
    """A score as the sum of its terms."""
    if not terms:
        return f"score {score:.4f}"
    parts = [f"{'-' if value < 0 else '+'} {stage} {abs(value):.4f}" for stage, value in terms.items()]
    return f"score {score:.4f} = " + " ".join(parts).removeprefix("+ ")


def why_not(result: types.WhyNot) -> str:
    """What why-not says."""
    head = "Shown" if result.stage == "shown" else f"Dropped by {result.stage}"
    lines = [f"{head} (id: {result.memory.id}): {result.reason}."]
    if result.score is not None:
        lines.append(explained(result.score, result.terms))
    if result.needed is not None:
        lines.append(f"the last result shown scored {result.needed:.4f}")
    return "\n".join(lines)


def similar(result: types.SimilarResult, now: datetime) -> str:
    """What similar says."""
    lines = []
    for number, found in enumerate(result.results, start=1):
        memory = found.memory
        facts = f"id: {memory.id}, similarity: {found.similarity:.2f}, private: {flag(memory.private)}"
        text = quoted(cut(found.passage or memory.content))
        lines.append(f"{number}. [{day(memory.created, now.tzinfo)}] {text} ({facts})")
    return "\n".join([f"Most similar to {result.note}:", *lines]) if lines else f"Nothing is similar to {result.note}."


def compared(result: types.Comparison) -> str:
    """What compare says."""
    differs = [f"differs: {'; '.join(result.differs)}"] if result.differs else []
    head = f"{result.verdict} (similarity: {result.similarity:.2f})"
    return "\n".join([head, *differs, f"remember would {_WOULD[result.remember]}."])


def shown(result: types.ShowResult, zone: tzinfo) -> str:
    """What show says."""
    memory = result.memory
    facts = {
        "id": memory.id + (" (provisional)" if memory.provisional else ""),
        "vault": result.vault,
        "path": memory.path,
        "created": minute(memory.created, zone),
        "importance": memory.importance,
        "category": memory.category,
        "kind": memory.kind,
        "emotion": memory.emotion,
        "private": flag(memory.private),
        "tags": ", ".join(memory.tags),
        "people": ", ".join(memory.people),
        "source": memory.source,
        "trust": trust_of(memory.source) if memory.source else None,
        "status": memory.status,
        "valid to": memory.valid_to.isoformat() if memory.valid_to else None,
    }
    lines = [quoted(memory.title), ""]
    lines += [f"{name + ':':<12}{value}" for name, value in facts.items() if value not in (None, "")]
    lines += ["", quoted(memory.content), *(["", "Links:"] if result.links else [])]
    for each in result.links:
        confidence = f" {each.confidence:.2f}" if each.confidence is not None else ""
        lines.append(f"- {quoted(each.title)} (id: {each.id}, {each.type}{confidence})")
    return "\n".join(lines)


def listed(result: types.ListResult, now: datetime, zone: tzinfo, *, due: bool) -> str:
    """What list says; with `due`, by the day each task is due."""
    from vault_mem.operations.memory.due import due_on

    lines = []
    for memory in result.memories:
        date = (due_on(memory, zone) if due else None) or memory.created.astimezone(zone).date()
        facts = ["private"] if memory.private else []
        facts += why_closed(memory, now, zone, result.superseded_by.get(memory.id, ""))
        mark = f" ({', '.join(facts)})" if facts else ""
        lines.append(f"{memory.id}  {date.isoformat()}  {cut(memory.title, 70)}{mark}")
    if len(lines) < result.total:
        lines.append(f"{len(lines)} of {result.total}; --all shows the rest.")
    return "\n".join(lines) or "No memories."


def counts(found: types.Counts, what: str) -> str:
    """What tags and people say: names with their counts."""
    width = len(str(max((each.memories for each in found), default=0)))
    return "\n".join(f"{each.memories:>{width}}  {each.name}" for each in found) or f"No {what}."
