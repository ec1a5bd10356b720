"""Memories that exist only once and are updated in place: the mood, and the summary of a scope (SPEC T-1, T-6)."""

from __future__ import annotations

from dataclasses import replace

from vault_mem.model import FIELDS, Memory
from vault_mem.notes.edit import edit, replace_body
from vault_mem.notes.yamlish import Value
from vault_mem.operations.changing import commit, memory_written, read_to_edit
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.upkeep import summaries
from vault_mem.operations.upkeep.by_hand import NoteChange, replace_words
from vault_mem.operations.upkeep.edit_memory import REPLACE_ALL, EditResult, plan_change
from vault_mem.operations.workspace import Workspace

# What a new mood or summary replaces; the rest of the note stays as it is.
_SAID = [name for name, each in FIELDS.items() if each.regrows]


def existing_singleton(workspace: Workspace, draft: Draft) -> Memory | None:
    """The existing mood or summary that a draft updates: on the same side, and for a summary with the same scope."""
    if draft.kind != "mood" and not (draft.kind == "summary" and draft.scope):
        return None
    for memory in workspace.index.memories(Filters(kind=draft.kind)):
        if memory.private == draft.private and (draft.kind == "mood" or memory.scope == draft.scope):
            return memory
    return None


def update_in_place(workspace: Workspace, memory: Memory, draft: Draft, *, replace_all: bool = False) -> EditResult:
    """Replace our text in a memory with the draft's. The old text becomes a revision; what a person added stays."""
    folder = workspace.folder
    raw = read_to_edit(workspace, memory)
    changes: dict[str, Value | None] = {
        name: value
        for name in _SAID
        if (value := getattr(draft, name)) not in (None, []) and value != getattr(memory, name)
    }
    changes["last_confirmed"] = folder.now().replace(microsecond=0)
    if draft.sources:
        sources, names = [workspace.index.get(id_) for id_ in draft.sources], workspace.names
        changes["sources"] = [f"[[{names.of(each.path)}]]" for each in sources]
        changes["sources_digest"] = summaries.digest(sources)
    if replace_all:
        change = NoteChange(replace_body(raw, f"{draft.content}\n"), written=True)
    else:
        change = replace_words(workspace, memory, raw, draft.content, if_unclear=REPLACE_ALL)
    change = replace(change, raw=edit(change.raw, changes))
    transaction = plan_change(folder, memory, raw, change, "remember", f"the {memory.kind} grew")
    op = commit(workspace, transaction)
    return EditResult(memory_written(workspace, transaction, memory.id), op, change.kept)
