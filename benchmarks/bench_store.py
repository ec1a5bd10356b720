"""A store that machines share: a fresh index and first recall against building from nothing, with requests and bytes.

`make test-store` installs what it needs. The server runs on this machine; a remote one takes longer for each request.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import PROJECT, Figure, Setting, Target
from benchmarks.vaults import memories, write_vault
from vault_mem.operations.workspace import Workspace
from vault_mem.store.objects import Traffic
from vault_mem.vault.folder import Folder

PACKAGES = ("obstore", "moto")


def run(setting: Setting) -> Iterator[Figure]:
    """CPU and wall time, without loading LanceDB and the model."""
    sys.path.insert(0, str(PROJECT / "tests"))
    from store.servers import REGION, Server

    import vault_mem.index.lance  # noqa: F401 - so that importing LanceDB is not counted

    count = 1_000 if setting.quick else 10_000
    root = write_vault(setting.folder / "vault", memories(count)).root
    server = Server()
    try:
        bucket = server.bucket()
        env = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
        }
        shared = {**env, "VAULT_MEM_INDEX_DIR": f"s3://{bucket}/shared"}
        one = _machine(root, setting.folder / "one", shared)
        built = _freshen(one)
        added, seconds = _share(one)
        yield Figure(f"store: adding {count:,} notes", seconds, "s")
        yield Figure("store: requests for it", added.requests)
        yield Figure("store: bytes for it", added.written / 1e6, "MB")
        two = _machine(shutil.copytree(root, setting.folder / "copy"), setting.folder / "two", shared)
        pulled = _freshen(two)
        name = "building from nothing"
        yield Figure("store: a fresh index, CPU", pulled[1], "s", built[1], name, Target("<", 0.6, of_ratio=True))
        yield Figure("store: a fresh index, wall time", pulled[0], "s", built[0], name)
        traffic = two.index.shared.traffic if two.index.shared else Traffic()
        yield Figure("store: requests for it", traffic.requests)
        yield Figure("store: bytes for it", traffic.read / 1e6, "MB")
        local = {**env, "VAULT_MEM_INDEX_DIR": str(setting.folder / "local")}
        first, alone = (
            _first_recall(root, setting.folder / name, each) for name, each in (("a", shared), ("b", local))
        )
        yield Figure("store: first recall of a container", first, "s", alone, name)
        _share(two)  # writes the list of what it holds
        idle, _ = _share(two)
        yield Figure("store: requests where nothing changed", idle.requests, target=Target("≤", 0))
        note = next(Path(two.folder.root, "memories").rglob("*.md"))
        note.write_text(note.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
        _freshen(two)
        if two.index.shared:
            two.index.shared.ledger.put(added=0)  # as if a minute had passed
        one_note, _ = _share(two)
        yield Figure("store: requests for one changed note", one_note.requests)
        yield Figure("store: bytes for one changed note", (one_note.written + one_note.read) / 1e3, "kB")
    finally:
        server.stop()


def _first_recall(root: Path, home: Path, env: dict[str, str]) -> float:
    """Seconds until a recall answers in a container that has only the notes."""
    home.mkdir()
    surroundings = {"HOME": str(home), "PATH": os.environ["PATH"], "VAULT_MEM_DAEMON": "off", **env}
    command = [sys.executable, "-m", "vault_mem", "--vault", str(root), "recall", "where is the key"]
    began = time.perf_counter()
    with subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE) as process:
        if not (process.stdout and process.stdout.readline()):
            raise AssertionError("no answer")
        taken = time.perf_counter() - began
        process.communicate()
    return taken


def _machine(root: Path, home: Path, env: dict[str, str]) -> Workspace:
    workspace = Workspace(Folder(root, {**env, "HOME": str(home)}))
    workspace.embedder.encode(["the model is loaded now"])
    return workspace


def _freshen(workspace: Workspace) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    workspace.freshen()
    return time.perf_counter() - wall, time.process_time() - cpu


def _share(workspace: Workspace) -> tuple[Traffic, float]:
    shared = workspace.index.shared
    if shared is None:
        raise AssertionError("there is no store")
    shared.traffic = Traffic()
    began = time.perf_counter()
    shared.share()
    return shared.traffic, time.perf_counter() - began
