"""Candidates: sentences of a session that look worth keeping wait in REVIEW.md until somebody says yes (SPEC K-2)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import datetime

from vault_mem.notes import checklist
from vault_mem.notes import session as notes
from vault_mem.notes.checklist import SAVE, Proposal
from vault_mem.notes.links import stem_of
from vault_mem.notes.secrets import find_secret
from vault_mem.notes.session import Said
from vault_mem.notes.worth import RULES, WorthKeeping, worth_keeping
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.guard import guard
from vault_mem.operations.sessions.keep import PRIVATE_MARK, Kept
from vault_mem.operations.upkeep import proposals
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.journal import operation

MOST_A_DAY = 10
# The guard is slow, and the command that has just answered cannot exit until this is done.
_MOST_ASKED = 40
# The distance from a memory below which a sentence is already known, even if the guard would save it.
_KNOWN = 0.15
_TOOLS = re.compile(rb"^\(tools: (.+)\)$", re.MULTILINE)
_OURS = re.compile(rb"vault.mem")
_TEXT = re.compile(r"save “(?P<text>.*)” \((?P<kind>[a-z]+), [^()]*(?:\([^()]*\))?[^()]*\)")


@dataclass(frozen=True)
class _Found:
    worth: WorthKeeping
    said_in: str
    day: str
    agent: str
    session: str


def propose_from(workspace: Workspace, kept: Kept) -> list[Proposal]:
    """Propose sentences in the new turns of a session that look worth keeping, as an unasked operation."""
    folder = workspace.folder
    if not folder.settings.review or not folder.settings.candidates:
        return []
    found = _in_session(workspace, kept)
    if not found:
        return []
    with operation(folder, "review", "candidates of a session", unasked=True) as transaction:
        key = proposals.file_key(folder, private=kept.private)
        text = proposals.text_of(transaction.now(key))
        made = [_proposal(each) for each in _chosen(workspace, found, text)]
        if made:
            proposals.write(transaction, key, checklist.add(text, made))
    return made


def _in_session(workspace: Workspace, kept: Kept) -> list[_Found]:
    raw = workspace.folder.tree.read(kept.key) or b""
    parts = notes.parse(raw, workspace.folder.zone)
    agent = parts.head.agent if parts else ""
    at_work = any(not _OURS.search(tool) for used in _TOOLS.findall(raw) for tool in used.split(b", "))
    return [
        _Found(worth, f"{kept.key}:{said.line}", said.at[:10], agent, stem_of(kept.key))
        for said in notes.turns(raw, workspace.folder.zone)
        if said.line >= kept.first_line and said.role == notes.USER
        for worth in worth_keeping(said.text, at_work=at_work)
        if PRIVATE_MARK not in worth.text
    ]


def _chosen(workspace: Workspace, found: list[_Found], text: str) -> list[_Found]:
    """What to propose: the surest few of each day that were not proposed before and are neither known nor secret."""
    made = checklist.read(text)
    known = {each.ids[0] for each in made}
    a_day: dict[str, int] = {}
    for old in made:
        if old.kind == SAVE and (day := re.search(r"\d{4}-\d{2}-\d{2}(?! save)", old.text)):
            a_day[day[0]] = a_day.get(day[0], 0) + 1
    room = proposals.MOST_OPEN - len(checklist.undecided(text))
    chosen: list[_Found] = []
    asked = 0
    for each in sorted(found, key=lambda each: RULES.index(each.worth.rule)):
        id_ = _id(each.worth.text)
        full = a_day.get(each.day, 0) >= MOST_A_DAY or len(chosen) >= room or asked >= _MOST_ASKED
        if id_ in known or full or find_secret(each.worth.text) or "[REDACTED" in each.worth.text:
            continue
        known.add(id_)
        asked += 1
        if not _is_known(workspace, each.worth.text):
            a_day[each.day] = a_day.get(each.day, 0) + 1
            chosen.append(each)
    return chosen


def _is_known(workspace: Workspace, text: str) -> bool:
    verdict = workspace.reading(lambda: guard(workspace, text, workspace.folder.settings.dedup_threshold))
    near = verdict.neighbours[0].distance < _KNOWN if verdict.neighbours else False
    return verdict.duplicate_of is not None or (near and verdict.changed is None)


def _id(text: str) -> str:
    return "cap_" + hashlib.sha256(notes.segment_key(text).encode()).hexdigest()[:12]


def _proposal(each: _Found) -> Proposal:
    said = each.worth.text.replace("[[", "[ [").replace("]]", "] ]").replace("<!--", "‹!--").replace("-->", "--›")
    said = " ".join(said.split())
    where = f"[[{each.session}|{each.agent}, {each.day}]] line {each.said_in.rpartition(':')[2]}"
    digest = hashlib.sha256(said.encode()).hexdigest()[:8]
    words = f"save “{said}” ({each.worth.kind}, {where})"
    return Proposal(SAVE, (_id(each.worth.text),), words, digest, said_in=each.said_in)


@dataclass(frozen=True)
class Candidate:
    """A candidate as an agent sees it."""

    id: str
    text: str
    kind: str
    said_in: str
    private: bool


def candidates(workspace: Workspace, private: bool | None = None) -> list[Candidate]:
    """The candidates that wait for an answer, the newest last. They are private, like their sessions."""
    folder = workspace.folder
    found: list[Candidate] = []
    for side in (False, True) if private is None else (private,):
        for each in [] if folder.public else proposals.undecided_proposals(folder, private=side):
            if each.kind == SAVE and each.open and (draft := draft_of(each)):
                found.append(Candidate(each.id, draft.content, draft.kind, each.said_in, side))
    return found


def draft_of(proposal: Proposal) -> Draft | None:
    """The memory that a candidate would become, in the words of REVIEW.md, which the owner may have corrected."""
    match = _TEXT.search(proposal.text)
    if match is None or not match["text"].strip():
        return None
    return Draft(match["text"].strip(), kind=match["kind"], source=f"session:{proposal.said_in.replace(':', '#L')}")


def said_at(workspace: Workspace, proposal: Proposal) -> datetime | None:
    """When a candidate was said."""
    key, _, line = proposal.said_in.rpartition(":")
    raw = (workspace.folder.tree.read(key) or b"") if workspace.folder.is_session(key) else b""
    at = next((each.at for each in notes.turns(raw, workspace.folder.zone) if str(each.line) == line), "")
    try:
        return datetime.strptime(at, "%Y-%m-%d %H:%M").replace(tzinfo=workspace.folder.zone)
    except ValueError:
        return None


def said_around(workspace: Workspace, proposal: Proposal) -> list[Said]:
    """A candidate's turn with those before and after it; empty if its session is gone, or for other proposals."""
    folder = workspace.folder
    key, _, line = proposal.said_in.rpartition(":")
    if not folder.is_session(key) or not line.isdigit() or not folder.tree.is_file(key):
        return []
    said = list(notes.turns(folder.tree.read(key) or b"", folder.zone))
    middle = max((number for number, each in enumerate(said) if each.line <= int(line)), default=0)
    return said[max(middle - 1, 0) : middle + 2]


def as_saved(proposal: Proposal, id_: str) -> Proposal:
    """The proposal of a candidate that became a memory: it names the memory instead of quoting it."""
    where = proposal.text.rpartition("” (")[2]
    return replace(proposal, text=f"save {id_} ({where}", ids=(proposal.ids[0], id_))
