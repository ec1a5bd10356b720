"""review: proposals as a checklist that the owner ticks in an editor, or answers in a terminal (`answers`).

Those about private memories are in a checklist in the private folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from vault_mem.errors import NotFound
from vault_mem.judge.judge import judge
from vault_mem.model import Memory
from vault_mem.notes import checklist
from vault_mem.notes.checklist import Proposal
from vault_mem.notes.excerpt import cut
from vault_mem.operations.upkeep.proposals import MOST_OPEN, file_key, text_of, undecided_proposals, write
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.journal import Transaction, operation
from vault_mem.visible import visible

STALE = "!"
# A text longer by this factor says more, whatever its words.
_MORE = 1.5


@dataclass(frozen=True)
class Suggestion:
    """A proposal to make. `ids` are keep and remove for merge and append, new and old for supersede."""

    kind: str
    ids: tuple[str, ...]
    reason: str


def propose(workspace: Workspace, suggestions: Iterable[Suggestion]) -> list[Proposal]:
    """Write proposals, as an unasked operation."""
    with operation(workspace.folder, "review", "proposals", unasked=True) as transaction:
        return propose_in(transaction, workspace, suggestions)


def propose_in(
    transaction: Transaction, workspace: Workspace, suggestions: Iterable[Suggestion], at_hand: Iterable[Memory] = ()
) -> list[Proposal]:
    """Add proposals to an operation, except those that were made before, answered or not.

    `at_hand` are memories that need not be read from the index, such as those that the operation itself makes.
    """
    folder = workspace.folder
    if not folder.settings.review:
        return []
    wanted: dict[bool, list[Proposal]] = {False: [], True: []}
    known = {memory.id: memory for memory in at_hand}
    for each in suggestions:
        try:
            memories = [known.get(id_) or workspace.index.get(id_) for id_ in each.ids]
        except NotFound:
            continue
        proposal = proposal_for(transaction, workspace, each, memories)
        wanted[any(memory.private for memory in memories)].append(proposal)
    made: list[Proposal] = []
    for private, proposals in wanted.items():
        if not proposals:
            continue
        key = file_key(folder, private=private)
        text = text_of(transaction.now(key))
        made_before = {old.id for old in checklist.read(text) if old.box != STALE}
        room = MOST_OPEN - len(checklist.undecided(text))
        fresh = list({each.id: each for each in proposals if each.id not in made_before}.values())[: max(room, 0)]
        if fresh:
            write(transaction, key, checklist.add(text, fresh))
            made += fresh
    return made


def open_proposals(workspace: Workspace) -> list[Proposal]:
    """The proposals that wait for an answer, public ones first."""
    sides = (False,) if workspace.folder.public else (False, True)
    return [each for side in sides for each in undecided_proposals(workspace.folder, private=side) if each.box != STALE]


def says_more(workspace: Workspace, keep: Memory, removed: Memory) -> bool:
    """Whether the memory to be removed says anything that the one to be kept does not."""
    from vault_mem.operations.upkeep.tidy import normalised

    if normalised(removed.content) in normalised(keep.content):
        return False
    verdict = judge(keep.content, removed.content, workspace.tokens)
    more = any(each.kind != "words" or each.after for each in verdict.differs)
    return more or len(removed.content) > _MORE * len(keep.content)


def proposal_for(transaction: Transaction, workspace: Workspace, each: Suggestion, memories: list[Memory]) -> Proposal:
    """The proposal for a suggestion, in words and with a digest of its memories."""
    if each.kind == "merge" and says_more(workspace, *memories):
        each = replace(each, kind="append")
    words = visible(_words(workspace, each, memories))
    return Proposal(each.kind, each.ids, words, digest_of(transaction.now, memories))


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


def digest_of(says: Callable[[str], bytes | None], memories: list[Memory]) -> str:
    """A digest of the memories' files, to tell later whether they have changed; `says` reads a file."""
    digest = hashlib.sha256()
    for memory in memories:
        digest.update(says(memory.path) or b"")
    return digest.hexdigest()[:8]
