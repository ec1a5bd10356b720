"""The health of the vault: what was checked, the details, and which command helps."""

from __future__ import annotations

import os
from typing import Any

from vault_mem.errors import VaultMemError
from vault_mem.operations.day.timeline import timeline
from vault_mem.operations.vaults.glance import facets, glance, index_bytes
from vault_mem.vault.folder import Folder
from vault_mem.web.vault import SeenVault

_WORST = ("error", "warning", "info")


def health(vault: SeenVault, *, quick: bool) -> dict[str, Any]:
    """Freshness, the index, the daemon and growth; unless `quick`, also what doctor finds.

    Private memories count only for those who see them.
    """
    running = daemon(vault.folder)
    checks = [_check("daemon", "ok" if running else "info", "vault-mem daemon start")]
    figures: dict[str, Any] = {"growth": [], "by_kind": {}, "index_bytes": 0}
    try:
        found = vault.look(glance)
        checks.append(_check("fresh", "warning" if found.stale else "ok", "vault-mem status"))
        months = [(f"{span.start:%Y-%m}", span.count) for span in vault.look(timeline, "month").spans]
        size = vault.look(index_bytes)
        figures = {"growth": months, "by_kind": dict(vault.look(facets).kinds), "index_bytes": size}
    except VaultMemError as error:  # doctor checks what it can without the index
        checks.append(_check("index", "error", "vault-mem reindex", error.message))
    told: dict[str, Any] = {"findings": [], "healthy": None}
    if not quick:
        told = {name: value for name, value in vault.doctor().to_dict().items() if name in told}
        state = next((each for each in _WORST if any(one["severity"] == each for one in told["findings"])), "ok")
        checks.append(_check("doctor", state, "vault-mem doctor --fix"))
    about = {"pid": running["pid"], "memory": running["memory_bytes"], "version": running["version"]} if running else {}
    return {"quick": quick, "checks": checks, "daemon": {"running": running is not None} | about, **figures, **told}


def daemon(folder: Folder) -> dict[str, Any] | None:
    """The status of the daemon that has the vault open, or None."""
    from vault_mem.daemon.protocol import STATUS, address_for
    from vault_mem.daemon.start import control

    root = str(folder.root)
    address = address_for(root, folder.env) if os.name == "posix" else ""
    found = control(address, STATUS, root) if address else None
    return found if found and found.get("vault") == root else None


def _check(name: str, state: str, fix: str, detail: str = "") -> dict[str, str]:
    """One check, which the page puts into words; `detail` is only known to the server."""
    return {"name": name, "state": state, "detail": detail, "fix": "" if state == "ok" else fix}
