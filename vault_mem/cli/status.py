"""vault-mem status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    from vault_mem.store.ledger import Standing
    from vault_mem.vault.git import GitState


@click.command(cls=Command, examples="vault-mem status\nvault-mem status --json")
@click.pass_obj
def command(console: Console) -> None:
    """What the vault holds, whether the index is fresh, and what needs attention."""
    vault = open_vault(console)
    status = vault.status()
    if console.json:
        console.print_json(status.to_dict())
    else:
        curve = status.calibration
        fresh = f"behind by {status.pending} file(s)" if status.stale else "up to date with every file"
        unknown = "cannot be told without an index"
        lines = {
            "vault": status.vault,
            **({"trouble": "; ".join(status.trouble)} if status.trouble else {}),
            "memories": f"{status.memories} ({status.private} private, {status.closed} closed)",
            "episodes": status.episodes,
            "other notes": status.notes,
            "index": f"{fresh}; {status.index_bytes / 1e6:.1f} MB in {status.index_dir}",
            "model": f"{status.model}, {status.dim} dimensions" if status.dim else status.model,
            "calibration": f"0.70 from cosine {curve.related:.3f}, 0.90 from {curve.nearly_same:.3f}, "
            f"0.95 from {curve.near_identical:.3f}"
            if curve
            else unknown,
            "waiting": f"{len(status.waiting_for_id)} note(s) for an id (adopt_ids = {status.adopt_ids}), "
            f"{len(status.waiting_to_move)} to be moved into the private folder or out of it, "
            f"{len(status.waiting_for_views)} to be followed by the views, "
            f"{len(status.waiting_for_heal)} for new names in links "
            f"(heal_links = {'true' if status.heal_links else 'false'})",
            **({"elsewhere": f"{len(status.astray)} not searched (vault-mem doctor)"} if status.astray else {}),
            "interrupted": ", ".join(status.interrupted) or "nothing",
            "problems": len(status.problems) or "none",
            "git": _git(status.git),
            **({"autocommit": f"git did not commit: {status.autocommit}"} if status.autocommit else {}),
            **({"store": _store(status.store)} if status.store else {}),
            **({"in git": f"what is private by now: {', '.join(status.in_git)}"} if status.in_git else {}),
        }
        for name, value in lines.items():
            console.print(f"{name + ':':<13}{value}")
        for problem in status.problems[:20]:
            console.print(f"  {problem}")
        if len(status.problems) > 20:
            console.print(f"  and {len(status.problems) - 20} more; see vault-mem doctor")
    finish(console, vault)


def _store(store: Standing) -> str:
    """How this machine stands to the store it shares rows on, in one line."""
    said = [f"{store.uri}: {store.trouble or 'reached'}"]
    if store.trouble:
        said.append(f"last reached {store.reached:%Y-%m-%d %H:%M}" if store.reached else "never reached")
    said.append(f"{store.to_add or 'no'} note(s) of ours not there yet")
    if store.to_read is not None:
        said.append(f"{store.to_read or 'no'} segment(s) of others not read yet")
    if store.to_remove:
        said.append("what was purged or made private is STILL THERE (vault-mem doctor)")
    return "; ".join(said)


def _git(state: GitState | None) -> str:
    """How the vault stands to git, in one line."""
    if state is None:
        return "not a repository"
    said = [f"a {state.under_way} is under way, nothing is written unasked"] if state.under_way else []
    said.append(f"{state.uncommitted or 'no'} uncommitted note(s)")
    if state.upstream:
        apart = [f"{n} {word}" for n, word in ((state.ahead, "ahead of"), (state.behind, "behind")) if n]
        said.append(f"{' and '.join(apart) or 'level with'} {state.upstream}")
    said.append("ignores what is private" if state.ignored else "does NOT ignore what is private (vault-mem doctor)")
    return "; ".join(said)
