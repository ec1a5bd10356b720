"""The state of the vault for a person: what was checked, what stands behind it, and which command helps."""

from __future__ import annotations

import os
from typing import Any

from vault_mem.vault.folder import Folder
from vault_mem.web.vault import SeenVault

_WORST = ("error", "warning", "info")


def health(vault: SeenVault) -> dict[str, Any]:
    """Doctor's findings, freshness, the index, the daemon and growth; private memories only where they are seen."""
    diagnosis, status, stats = vault.doctor(), vault.status(), vault.stats()
    running = daemon(vault.folder)
    found = [finding.to_dict() for finding in diagnosis.findings]
    worst = next((each for each in _WORST if any(one["severity"] == each for one in found)), "ok")
    memory = None if running is None else running["memory_bytes"]
    checks = [
        _check("doctor", worst, f"{len(diagnosis.checks)} checks, {len(found)} findings", "vault-mem doctor --fix"),
        _check("fresh", "warning" if status.stale else "ok", _freshness(status.stale), "vault-mem status"),
        _check("index", "error" if status.trouble else "ok", "; ".join(status.trouble), "vault-mem reindex"),
        _check("daemon", "ok" if running else "info", _daemon(running), "vault-mem daemon start"),
        _check("duplicates", "info" if stats.duplicates_left else "ok", str(stats.duplicates_left), "vault-mem tidy"),
    ]
    return {
        "healthy": diagnosis.healthy,
        "checks": checks,
        "findings": found,
        "checked": diagnosis.checks,
        "growth": list(stats.by_month.items()),
        "by_kind": stats.by_kind,
        "by_category": stats.by_category,
        "memories": stats.memories,
        "closed": stats.closed,
        "index_bytes": status.index_bytes,
        "index_dir": str(status.index_dir),
        "daemon": {
            "running": running is not None,
            "pid": running and running["pid"],
            "memory": memory,
            "version": running and running["version"],
        },
    }


def daemon(folder: Folder) -> dict[str, Any] | None:
    """What the vault's daemon says of itself; None where none is running."""
    from vault_mem.daemon.protocol import meeting_place
    from vault_mem.daemon.start import control

    place = meeting_place(str(folder.root), folder.env) if os.name == "posix" else ""
    return control(place, "status") if place else None


def _check(name: str, state: str, detail: str, fix: str) -> dict[str, str]:
    return {"name": name, "state": state, "detail": detail, "fix": "" if state == "ok" else fix}


def _freshness(stale: bool) -> str:
    return "the index is behind the files" if stale else "the index has every file as it is"


def _daemon(running: dict[str, Any] | None) -> str:
    if running is None:
        return "not running: the next command starts one"
    return f"pid {running['pid']}, {running['memory_bytes'] / 1e6:.0f} MB"
