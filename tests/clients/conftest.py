"""Real clients, installed from npm into build/clients: only with `--clients` (`make clients`)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clients.model_api import Model, model
from vault_mem import Vault

PROJECT = Path(__file__).parents[2]
FOLDER = PROJECT / "build" / "clients"
WANTED = Path(__file__).parent / "package.json"
PATIENCE = 600  # seconds; a client that starts in five takes minutes beside other work


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return None if config.getoption("--clients") else True


@pytest.fixture(scope="session")
def installed() -> Path:
    """The folder with the clients' commands; skipped, with the reason, where they cannot be had."""
    if not shutil.which("npm"):
        pytest.skip("no npm here")
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = WANTED.read_text()
    dependencies = json.loads(wanted)["dependencies"]
    note = FOLDER / "package.json"
    if not note.exists() or json.loads(note.read_text()).get("dependencies") != dependencies:
        done = _install(json.dumps({"private": True, "dependencies": {"node": dependencies["node"]}}))
        if not done.returncode:  # some of the clients refuse to be installed by an older Node.js
            done = _install(wanted)
        if done.returncode:
            pytest.skip(f"npm cannot install the clients: {done.stderr.strip()[-300:]}")
    return FOLDER / "node_modules" / ".bin"


def _install(wanted: str) -> subprocess.CompletedProcess[str]:
    """npm install, with the Node.js of the folder as soon as there is one."""
    note = FOLDER / "package.json"
    note.write_text(wanted)
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=FOLDER,
        env={**os.environ, "PATH": f"{FOLDER}/node_modules/.bin:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        note.unlink()  # so that it is tried again
    return done


@dataclass
class Place:
    """A project, a home folder and a vault for one client, and a model that it talks to."""

    project: Path
    home: Path
    vault: Path
    bin: Path
    model: Model
    env: dict[str, str] = field(default_factory=dict)

    def run(self, *command: str, seconds: float = PATIENCE) -> subprocess.CompletedProcess[str]:
        """A client's command."""
        return subprocess.run(
            command,
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def setup(self, agent: str, *options: str) -> None:
        """vault-mem setup, with the vault named."""
        done = self.run("vault-mem", "setup", agent, "--vault", str(self.vault), "--yes", *options)
        assert done.returncode == 0 and "Checked: vault-mem answers" in done.stdout, done.stdout + done.stderr

    def remove(self, agent: str, *options: str) -> None:
        done = self.run("vault-mem", "setup", agent, "--remove", "--yes", *options)
        assert done.returncode == 0, done.stderr

    def version(self, client: str) -> str:
        found = re.search(r"\d[\w.-]*\d", self.run(client, "--version").stdout)
        return found.group() if found else "?"


@pytest.fixture
def place(installed: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    # not below /tmp: Codex takes no home folder there
    top = PROJECT / "build" / "tried" / request.node.name
    shutil.rmtree(top, ignore_errors=True)
    home, project, vault = (top / name for name in ("home", "project", "vault"))
    for folder in (home, project):
        folder.mkdir(parents=True)
    env = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{installed}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "VAULT_MEM_RUNTIME_DIR": str(home / "run"),
    }
    subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    Vault.init(vault, env=env)
    opened = Vault(vault, env=env | {"VAULT_MEM_DAEMON": "off"})
    opened.remember("The lighthouse keeper at Sada is called Umeko.", kind="fact", importance=5)
    opened.remember("The keeper hides her letters in the lamp.", private=True, importance=5)
    with model() as stand_in:
        yield Place(project, home, vault, installed, stand_in, env)
    stop = ["vault-mem", "--vault", str(vault), "daemon", "stop"]
    for left in (env, {name: value for name, value in env.items() if name != "VAULT_MEM_RUNTIME_DIR"}):
        subprocess.run(stop, env=left, capture_output=True, check=False)  # Codex gives its servers few variables
    shutil.rmtree(top, ignore_errors=True)
