"""A process killed at any moment leaves a whole operation or none, and everything can be undone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

WORKER = Path(__file__).with_name("crash_worker.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is forked and killed")
@pytest.mark.parametrize("part", [1, 2])
def test_killed_at_every_step(tmp_path: Path, root: Path, env: dict[str, str], soak: bool, part: int) -> None:
    # V-8, F-1: after recovery the vault equals a state between two whole operations, no link dangles, no memory is
    # doubled; undo of everything gives the first tree. The file layer needs no index for that.
    seeds, operations, every = (range(part, 11, 2), 50, 1) if soak else ([part], 12, 3)
    for seed in seeds:
        vault = shutil.copytree(root, tmp_path / str(seed) / "vault")
        report = _campaign(vault, env, seed, operations, every)
        print(f"seed {seed}: {report}")
        assert report["operations"] == operations
        assert report["kills"] > 5 * operations
        assert report["finished"] > 0
        assert report["taken_back"] > 0
        assert report["left"] == []


def _campaign(root: Path, env: dict[str, str], seed: int, operations: int, every: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(WORKER), str(root), str(seed), str(operations), str(every)],
        env={**os.environ, **env, "VAULT_MEM_NOW": "2026-11-16T09:00:00+09:00"},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(json.loads(done.stdout))
