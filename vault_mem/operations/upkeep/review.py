"""review: proposals as a checklist that the owner ticks in an editor, or answers in a terminal.

What a proposal does is one operation together with its line in the file. One whose memories have changed since is
marked stale and not carried out. Proposals about private memories stand in the private folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from vault_mem.errors import Conflict, EditRefused, NotFound, VaultMemError
from vault_mem.model import Memory
from vault_mem.notes import checklist
from vault_mem.notes.checklist import Proposal
from vault_mem.notes.edit import edit, replace_body
from vault_mem.notes.excerpt import cut
from vault_mem.notes.parse import written_list
from vault_mem.notes.text import split
from vault_mem.operations.changing import changing, index_written, is_quiet_file, read_to_edit, read_to_remove
from vault_mem.operations.upkeep.proposals import file_key, text_of, write
from vault_mem.operations.upkeep.validity import close_in
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read
from vault_mem.visible import visible

# More open proposals than these nobody looks through; the rest is proposed when there is room again.
MOST_OPEN = 50
STALE = "!"
# A text so much longer than another says more, whatever its words.
_MORE = 1.5


@dataclass(frozen=True)
class Suggestion:
    """What is to be proposed: merge keep remove, append keep remove, close id, supersede new old, link one other."""

    kind: str
    ids: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Answer(Result):
    """What became of a proposal: applied, rejected or stale."""

    proposal: Proposal
    outcome: str
    op: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, "outcome", status=self.outcome)


def propose(workspace: Workspace, suggestions: Iterable[Suggestion]) -> list[Proposal]:
    """Write proposals, as an operation that nobody asked for."""
    with writing(workspace.folder):
        transaction = Transaction(workspace.folder, "review", "proposals", unasked=True)
        made = propose_in(transaction, workspace, suggestions)
        if transaction.steps:
            transaction.commit()
    return made


def propose_in(
    transaction: Transaction, workspace: Workspace, suggestions: Iterable[Suggestion], new: Memory | None = None
) -> list[Proposal]:
    """Add proposals that were not made before to an operation; one that was answered is not made again.

    `new` is a memory that the operation itself makes.
    """
    folder = workspace.folder
    if not folder.settings.review:
        return []
    wanted: dict[bool, list[Proposal]] = {False: [], True: []}
    for each in suggestions:
        try:
            memories = [new if new and new.id == id_ else workspace.index.get(id_) for id_ in each.ids]
        except NotFound:
            continue
        proposal = _proposal(transaction, workspace, each, memories)
        wanted[any(memory.private for memory in memories)].append(proposal)
    made: list[Proposal] = []
    for private, proposals in wanted.items():
        key = file_key(folder, private=private)
        text = text_of(transaction.now(key))
        known = {old.id for old in checklist.read(text) if old.box != STALE}
        room = MOST_OPEN - len(checklist.undecided(text))
        fresh = list({each.id: each for each in proposals if each.id not in known}.values())[: max(room, 0)]
        if fresh:
            write(transaction, key, checklist.add(text, fresh))
            made += fresh
    return made


def open_proposals(workspace: Workspace) -> list[Proposal]:
    """What waits for an answer, public first."""
    found = []
    for private in (False, True):
        raw = read(workspace.folder, file_key(workspace.folder, private=private))
        found += [each for each in checklist.undecided((raw or b"").decode(errors="replace")) if each.box != STALE]
    return found


def answer(workspace: Workspace, which: str, *, accept: bool) -> Answer:
    """Carry out a proposal, or refuse it for good. `which`: its number in the list, or its id."""

    def act() -> Answer:
        workspace.freshen()
        waiting = open_proposals(workspace)
        number = int(which) - 1 if which.isdigit() else -1
        found = [each for each in waiting if each.id == which.removeprefix("^")]
        if 0 <= number < len(waiting):
            found = [waiting[number]]
        if not found:
            raise NotFound(f"No open proposal {which}", "`vault-mem review list` shows them")
        return _settle(workspace, found[0], accept=accept)

    return changing(workspace, act)


def apply_ticked(workspace: Workspace) -> list[Answer]:
    """Carry out what a person has ticked, and note what they refused: once the file is quiet."""
    answers = []
    for private in (False, True):
        key = file_key(workspace.folder, private=private)
        raw = read(workspace.folder, key)
        for proposal in checklist.undecided((raw or b"").decode(errors="replace")):
            if proposal.box in "xX-" and is_quiet_file(workspace, key):
                try:
                    with writing(workspace.folder):
                        answers.append(_settle(workspace, proposal, accept=proposal.box != "-", unasked=True))
                except VaultMemError as error:
                    workspace.notices.append(f"{key}: {proposal.id} could not be carried out: {error.message}")
    return answers


def _settle(workspace: Workspace, proposal: Proposal, *, accept: bool, unasked: bool = False) -> Answer:
    folder = workspace.folder
    memories = _memories(workspace, proposal)
    reason = f"proposal {proposal.id}"
    if not accept:
        transaction = Transaction(folder, "review reject", reason, unasked=unasked, ids=list(proposal.ids))
        return _finish(workspace, transaction, proposal, "-", "rejected")
    if memories is None or _digest(partial(read, folder), memories) != proposal.digest:
        transaction = Transaction(folder, "review", reason, unasked=True, ids=list(proposal.ids))
        return _finish(workspace, transaction, proposal, STALE, "stale", "stale: changed since")
    if proposal.kind == "merge" and _says_more(workspace, *memories):
        return _offer_to_append(workspace, proposal, memories)
    try:
        transaction = _carry_out(workspace, proposal, memories)
    except EditRefused as error:
        raise Conflict(error.message, error.hint) from error
    transaction.unasked = unasked
    return _finish(workspace, transaction, proposal, "x", "applied")


def _carry_out(workspace: Workspace, proposal: Proposal, memories: list[Memory]) -> Transaction:
    """The transaction that does what a proposal says."""
    from vault_mem.operations.upkeep.link import linking
    from vault_mem.operations.upkeep.merge import plan_merge

    folder = workspace.folder
    now = folder.now().replace(microsecond=0)
    reason = f"proposal {proposal.id}"
    ids = [memory.id for memory in memories]
    if proposal.kind in ("merge", "append"):
        keep, removed = memories
        raws = read_to_edit(workspace, keep), read_to_remove(workspace, removed)
        retold = _appended(*raws) if proposal.kind == "append" else None
        return plan_merge(folder, workspace.names, keep, raws[0], removed, raws[1], retold, reason)[0]
    if proposal.kind == "link":
        return linking(workspace, memories[0], memories[1], "related", reason=reason)
    transaction = Transaction(folder, proposal.kind, reason, ids=ids)
    if proposal.kind == "close":
        close_in(transaction, workspace, memories[0], now)
        return transaction
    new, old = memories
    if new.private or not old.private:  # a public file never names a private memory: that one is only closed
        raw = read_to_edit(workspace, new)
        name = f"[[{workspace.names.of(old.path)}]]"
        transaction.write(new.path, raw, edit(raw, {"supersedes": [*written_list(raw, "supersedes"), name]}))
    if not old.closed_at(now):
        close_in(transaction, workspace, old, now)
    return transaction


def _says_more(workspace: Workspace, keep: Memory, removed: Memory) -> bool:
    """Whether a memory says anything that the one it would be merged into does not."""
    from vault_mem.judge.judge import judge
    from vault_mem.operations.upkeep.tidy import normalised

    if normalised(removed.content) in normalised(keep.content):
        return False
    verdict = judge(keep.content, removed.content, workspace.tokens)
    more = any(each.kind != "words" or each.after for each in verdict.differs)
    return more or len(removed.content) > _MORE * len(keep.content)


def _appended(keep: bytes, removed: bytes) -> bytes:
    """A note with the text of another below its own."""
    return replace_body(keep, f"{split(keep).body.rstrip()}\n\n{split(removed).body.strip()}\n")


def _offer_to_append(workspace: Workspace, proposal: Proposal, memories: list[Memory]) -> Answer:
    """A merge would drop words that only the one to be removed has: propose to add them to the other instead."""
    folder = workspace.folder
    said = "it says more: appending it is proposed instead"
    transaction = Transaction(folder, "review", f"proposal {proposal.id}", unasked=True, ids=list(proposal.ids))
    key = file_key(folder, private=any(memory.private for memory in memories))
    reason = proposal.text.rpartition(": ")[2]
    offer = _proposal(transaction, workspace, Suggestion("append", proposal.ids, reason), memories)
    text = text_of(transaction.now(key))
    if offer.id not in {each.id for each in checklist.read(text) if each.box != STALE}:
        write(transaction, key, checklist.add(text, [offer]))
    return _finish(workspace, transaction, proposal, STALE, "stale", said)


def _proposal(transaction: Transaction, workspace: Workspace, each: Suggestion, memories: list[Memory]) -> Proposal:
    if each.kind == "merge" and _says_more(workspace, *memories):
        each = replace(each, kind="append")
    words = visible(_words(workspace, each, memories))
    return Proposal(each.kind, each.ids, words, _digest(transaction.now, memories))


def _finish(
    workspace: Workspace, transaction: Transaction, proposal: Proposal, box: str, outcome: str, note: str = ""
) -> Answer:
    """Write the answer into the file, together with what it brings about."""
    folder = workspace.folder
    for private in (False, True):
        key = file_key(folder, private=private)
        if any(each.id == proposal.id for each in checklist.undecided(text_of(read(folder, key)))):
            day = f"{folder.now():%Y-%m-%d}"
            text = text_of(transaction.now(key))
            write(transaction, key, checklist.settle(text, replace(proposal, box=" "), box, day, note))
    transaction.commit()
    index_written(workspace, transaction)
    return Answer(proposal, outcome, transaction.op, note)


def _memories(workspace: Workspace, proposal: Proposal) -> list[Memory] | None:
    try:
        return [workspace.index.get(id_) for id_ in proposal.ids]
    except NotFound:
        return None


def _words(workspace: Workspace, suggestion: Suggestion, memories: list[Memory]) -> str:
    names = workspace.names
    links = [f"[[{names.of(each.path)}|{_plain(cut(each.title, 60))}]]" for each in memories]
    reason = _plain(cut(suggestion.reason, 160))
    first, other = links[0], links[-1]
    zone = workspace.folder.zone
    kept, gone = (f"{each.created.astimezone(zone):%Y-%m-%d}" for each in (memories[0], memories[-1]))
    said, does = {
        "merge": (
            f"merge {other} into {first}",
            f"a tick moves the first, of {gone}, to the trash and keeps the second, of {kept}",
        ),
        "append": (
            f"append the text of {other} to {first}, and merge them",
            f"a tick adds the text of the first, of {gone}, to the second, of {kept}, and moves the first to the trash",
        ),
        "close": (f"close {first}", "a tick ends its validity and keeps it"),
        "supersede": (
            f"{first} takes the place of {other}",
            f"a tick closes the second, of {gone}, and keeps the first, of {kept}",
        ),
        "link": (f"link {first} and {other}", "a tick links the two"),
    }[suggestion.kind]
    return f"{said}: {reason} ({does})" if reason else f"{said} ({does})"


def _plain(text: str) -> str:
    """Text that does not disturb a link, a comment or a block id."""
    return text.translate(str.maketrans("[]|<>^", "()/‹›'"))


def _digest(says: Callable[[str], bytes | None], memories: list[Memory]) -> str:
    """What tells whether memories have changed, from what their files say."""
    digest = hashlib.sha256()
    for memory in memories:
        digest.update(says(memory.path) or b"")
    return digest.hexdigest()[:8]
