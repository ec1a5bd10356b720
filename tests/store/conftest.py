"""Machines that share a store: each has a copy of the notes and an index of its own."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory

from store.servers import Azure, Proxy, Server, azure_program, server_program
from vault_mem import Vault

NOTES = 110


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [name for name in ("obstore", "moto") if importlib.util.find_spec(name) is None]
    if missing or not server_program():
        reason = f"not installed: {', '.join(missing) or 'moto_server'} (make test-store)"
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


class Machine(Command):
    """One computer with its copy of the notes; `store` is its environment's part of the store."""

    def __init__(self, place: Path, notes: Path, store: dict[str, str]) -> None:
        self.root = place / "vault"
        shutil.copytree(notes, self.root)
        env = {
            "HOME": str(place),
            "PATH": os.environ.get("PATH", ""),
            "VAULT_MEM_DEBUG": "raise",
            "VAULT_MEM_DAEMON": "off",
            **store,
        }
        super().__init__(self.root, env)

    def taken_over(self) -> int:
        """How many files of a new index were taken from the store."""
        with Vault(self.root, env=self.env) as vault:
            report = vault.workspace.freshen().report
        return report.taken_over if report else 0


class Site:
    """A bucket, the proxy in front of it, and the machines that use it."""

    def __init__(self, place: Path, server: Server, notes: Path) -> None:
        self._place, self._server, self._notes = place, server, notes
        self.bucket = server.bucket()
        self.proxy = Proxy(server.port)

    def machine(self, name: str, like: Machine | None = None) -> Machine:
        place = self._place / name
        place.mkdir()
        return Machine(place, like.root if like else self._notes, self.environment())

    def environment(self) -> dict[str, str]:
        """Where a command finds the store, and what it shows there."""
        store = f"{self._server.scheme}://{self.bucket}/shared"
        return {"VAULT_MEM_INDEX_DIR": store, **self._server.credentials(self.proxy.port)}

    def objects(self) -> dict[str, bytes]:
        return {name.split("/", 1)[1]: raw for name, raw in self._server.objects(self.bucket).items()}

    def names(self, kind: str) -> list[str]:
        return [name for name in self.objects() if name.startswith(kind + "/")]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def azure() -> Iterator[Azure]:
    if not azure_program():
        pytest.skip("Azurite is not installed: make test-store does it where there is npm")
    server = Azure()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with public notes that link to one another, a private one and one that says it is."""
    root = tmp_path_factory.mktemp("notes") / "vault"
    Vault.init(root, env={"HOME": str(root.parent), "VAULT_MEM_DAEMON": "off"}, timezone="Asia/Tokyo")
    for n in range(NOTES):
        next_ = f"links:\n- '[[n{(n + 1) % NOTES}]]'"
        memory(root, f"memories/n{n}.md", f"mem_{n:012x}", f"The kiln of shelf {n} was fired on day {n}.", next_)
    memory(root, "private/secret.md", "mem_aaaaaaaaaaaa", "canaryprivate was never told")
    memory(root, "memories/flagged.md", "mem_bbbbbbbbbbbb", "canaryflagged is not for others", "private: true")
    return root


@pytest.fixture
def site(tmp_path: Path, server: Server, notes: Path) -> Iterator[Site]:
    site = Site(tmp_path, server, notes)
    yield site
    site.proxy.stop()


@pytest.fixture
def on_azure(tmp_path: Path, azure: Azure, notes: Path) -> Iterator[Site]:
    site = Site(tmp_path, azure, notes)
    yield site
    site.proxy.stop()
