"""Work that waits until a file has been left alone for a while: the only unasked writes (SPEC V-4).

It runs after an answer, never before: in `settle` without a daemon, in the engine's quiet moments with one.
"""

from __future__ import annotations

from vault_mem.errors import VaultMemError
from vault_mem.operations import sharing
from vault_mem.operations.git.private_merges import keep_private
from vault_mem.operations.memory.blocked import drop_old
from vault_mem.operations.sessions.capture import take_in
from vault_mem.operations.unasked.adopt import adopt
from vault_mem.operations.unasked.heal import heal
from vault_mem.operations.unasked.private_moves import move_flagged
from vault_mem.operations.upkeep.proposals import undecided_proposals
from vault_mem.operations.upkeep.tidy import run_due
from vault_mem.operations.vaults.views import follow_files
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git, journal


def apply_ticked(workspace: Workspace) -> bool:
    """Carry out ticked proposals. There are rarely any, so the slow import waits until one is found."""
    if not any(undecided_proposals(workspace.folder, private=private) for private in (False, True)):
        return False
    from vault_mem.operations.upkeep import answers

    return bool(answers.apply_ticked(workspace))


# Run in this order, followed by the views. Each step checks its own setting; a true result means that it wrote files.
STEPS = (keep_private, adopt, move_flagged, heal, apply_ticked, take_in, drop_old)


def settle(workspace: Workspace, *, tidy: bool = True) -> None:
    """Do what is due, after the answer; if the files are watched, the watching process does it instead."""
    if workspace.watch is not None or (not workspace.is_fresh and workspace.freshen().stale):
        return
    workspace.folder.public = False  # unasked work sees all memories
    if quiet_work(workspace):
        workspace.sync(wait=0.0)
    if tidy:
        run_due(workspace)
    sharing.share(workspace)


def quiet_work(workspace: Workspace) -> bool:
    """Do what is due. Returns whether a note was written. The index must be up to date."""
    if journal.busy(workspace.folder) or git.under_way(workspace.folder):
        return False  # it can wait for the next time
    written = False
    for step in (*STEPS, follow_files):
        try:
            written = (bool(step(workspace)) and step is not follow_files) or written
        except VaultMemError as error:  # unasked work must not break an answer
            workspace.notices.append(error.message)
    return written
