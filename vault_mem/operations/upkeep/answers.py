"""Answers to proposals: carrying one out and ticking its line in REVIEW.md are one operation.

A proposal whose memories have changed since is marked stale and not carried out.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from vault_mem.errors import Conflict, EditRefused, NotFound, VaultMemError
from vault_mem.model import Memory
from vault_mem.notes import checklist
from vault_mem.notes.checklist import Proposal
from vault_mem.notes.edit import edit, replace_body
from vault_mem.notes.parse import written_list
from vault_mem.notes.text import split
from vault_mem.operations.changing import changes, commit, is_quiet_file, read_to_edit, read_to_remove
from vault_mem.operations.memory.remember import remember
from vault_mem.operations.sessions.candidates import as_saved, draft_of, said_at
from vault_mem.operations.upkeep.link import link_transaction
from vault_mem.operations.upkeep.merge import plan_merge
from vault_mem.operations.upkeep.proposals import file_key, text_of, undecided_proposals, write
from vault_mem.operations.upkeep.review import STALE, Suggestion, digest_of, open_proposals, proposal_for, says_more
from vault_mem.operations.upkeep.validity import close_in
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.parts import one_operation
from vault_mem.vault.steps import read


@dataclass(frozen=True)
class Answer(Result, if_any=("memory_id",), renamed={"outcome": "status"}):
    """What became of a proposal: applied, rejected or stale."""

    proposal: Proposal
    outcome: str
    op: str = ""
    note: str = ""
    memory_id: str = ""  # what a candidate of a session became


@changes
def answer(workspace: Workspace, which: str, *, accept: bool) -> Answer:
    """Carry out a proposal, or reject it for good. `which` is its number in the list, or its id."""
    workspace.freshen()
    asked = open_proposals(workspace)
    number = int(which) - 1 if which.isdigit() else -1
    found = [each for each in asked if each.id == which.removeprefix("^")]
    if 0 <= number < len(asked):
        found = [asked[number]]
    if not found:
        raise NotFound(f"No open proposal {which}", "`vault-mem review list` shows them")
    return _carry_out_or_reject(workspace, found[0], accept=accept)


def apply_ticked(workspace: Workspace) -> list[Answer]:
    """Carry out what a person has ticked in REVIEW.md, and reject what they crossed out, once the file is quiet."""
    answers = []
    for private in (False, True):
        key = file_key(workspace.folder, private=private)
        for proposal in undecided_proposals(workspace.folder, private=private):
            if proposal.box in "xX-" and is_quiet_file(workspace, key):
                try:
                    with writing(workspace.folder):
                        answers.append(
                            _carry_out_or_reject(workspace, proposal, accept=proposal.box != "-", unasked=True)
                        )
                except VaultMemError as error:
                    workspace.notices.append(f"{key}: {proposal.id} could not be carried out: {error.message}")
    return answers


def _carry_out_or_reject(workspace: Workspace, proposal: Proposal, *, accept: bool, unasked: bool = False) -> Answer:
    folder = workspace.folder
    reason = f"proposal {proposal.id}"
    if accept and proposal.kind == checklist.SAVE:
        return _save(workspace, proposal, unasked=unasked)
    if not accept:
        transaction = Transaction(folder, "review reject", reason, unasked=unasked, ids=list(proposal.ids))
        return _finish(workspace, transaction, proposal, "-", "rejected")
    memories = []
    with suppress(NotFound):
        memories = [workspace.index.get(id_) for id_ in proposal.ids]
    if not memories or digest_of(partial(read, folder), memories) != proposal.digest:
        transaction = Transaction(folder, "review", reason, unasked=True, ids=list(proposal.ids))
        return _finish(workspace, transaction, proposal, STALE, "stale", "stale: changed since")
    if proposal.kind == "merge" and says_more(workspace, *memories):
        return _offer_to_append(workspace, proposal, memories)
    try:
        transaction = _carry_out(workspace, proposal, memories)
    except EditRefused as error:
        raise Conflict(error.message, error.hint) from error
    transaction.unasked = unasked
    return _finish(workspace, transaction, proposal, "x", "applied")


def _save(workspace: Workspace, proposal: Proposal, *, unasked: bool) -> Answer:
    """Save a candidate of a session; the memory and its line in the file are one operation.

    If it repeats a memory by the time it is accepted, it is not saved again.
    """
    folder = workspace.folder
    draft = draft_of(proposal)
    transaction = Transaction(folder, "review accept", f"proposal {proposal.id}", unasked=unasked)
    if draft is None:
        return _finish(workspace, transaction, proposal, STALE, "stale", "stale: its words cannot be read")
    private = proposal.id in {each.id for each in undecided_proposals(folder, private=True)}
    draft = replace(draft, private=private, created=said_at(workspace, proposal))
    with one_operation(folder, "review accept") as whole:
        result = remember(workspace, draft, keep_refused=False)
        whole.part_done()
        existing = result.duplicate_of.memory if result.duplicate_of else result.memory
        id_ = existing.id if existing else ""
        note = "known already" if result.duplicate_of else ""
        done = _finish(workspace, transaction, proposal, "x", "applied", note, as_saved(proposal, id_))
        whole.part_done()
    return replace(done, proposal=proposal, memory_id=id_)


def _carry_out(workspace: Workspace, proposal: Proposal, memories: list[Memory]) -> Transaction:
    """The transaction that does what a proposal says."""
    folder = workspace.folder
    now = folder.now().replace(microsecond=0)
    reason = f"proposal {proposal.id}"
    ids = [memory.id for memory in memories]
    if proposal.kind in ("merge", "append"):
        keep, removed = memories
        raws = read_to_edit(workspace, keep), read_to_remove(workspace, removed)
        kept_with_new_text = None
        if proposal.kind == "append":
            kept_with_new_text = replace_body(
                raws[0], f"{split(raws[0]).body.rstrip()}\n\n{split(raws[1]).body.strip()}\n"
            )
        return plan_merge(folder, workspace.names, keep, raws[0], removed, raws[1], kept_with_new_text, reason)[0]
    if proposal.kind == "link":
        return link_transaction(workspace, memories[0], memories[1], "related", reason=reason)
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


def _offer_to_append(workspace: Workspace, proposal: Proposal, memories: list[Memory]) -> Answer:
    """Propose to append instead of merging, since a merge would lose words that only the removed memory has."""
    folder = workspace.folder
    said = "it says more: appending it is proposed instead"
    transaction = Transaction(folder, "review", f"proposal {proposal.id}", unasked=True, ids=list(proposal.ids))
    key = file_key(folder, private=any(memory.private for memory in memories))
    reason = proposal.text.rpartition(": ")[2]
    offer = proposal_for(transaction, workspace, Suggestion("append", proposal.ids, reason), memories)
    text = text_of(transaction.now(key))
    if offer.id not in {each.id for each in checklist.read(text) if each.box != STALE}:
        write(transaction, key, checklist.add(text, [offer]))
    return _finish(workspace, transaction, proposal, STALE, "stale", said)


def _finish(
    workspace: Workspace,
    transaction: Transaction,
    proposal: Proposal,
    box: str,
    outcome: str,
    note: str = "",
    as_: Proposal | None = None,
) -> Answer:
    """Write the answer into the file and commit it together with its effects."""
    folder = workspace.folder
    for private in (False, True):
        key = file_key(folder, private=private)
        if any(each.id == proposal.id for each in undecided_proposals(folder, private=private)):
            day = f"{folder.now():%Y-%m-%d}"
            text = text_of(transaction.now(key))
            write(transaction, key, checklist.record_answer(text, replace(as_ or proposal, box=" "), box, day, note))
    commit(workspace, transaction)
    return Answer(proposal, outcome, transaction.op, note)
