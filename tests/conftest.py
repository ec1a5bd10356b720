"""Fixtures: an empty vault, the sample vault, and the real command run on either."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from vault_mem import Vault
from vault_mem.cli.console import Console
from vault_mem.cli.main import run, settle
from vault_mem.index.allocators import set_apart

SAMPLE = Path(__file__).parent.parent / "sample_vault"
IN_MEMORY, ROOM = Path("/dev/shm"), 4 << 30  # syncing costs nothing there, if there is this much room


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the long campaigns whole instead of a seeded sample")
    parser.addoption("--clients", action="store_true", help="ask the real clients, installed from npm")
    parser.addoption("--fuzz", action="store_true", help="the same for fuzzed input and odd files")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Give each worker whole files, so that what tests share is made once; idle workers take over tests at the end."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"
    # not with `--clients`: their sandboxes have a /dev of their own
    if not config.option.clients and IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads would only spin while they wait


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exempt what stays to the end, such as thousands of tests, from garbage collection."""
    if hasattr(session.config, "workerinput"):  # every worker needs it sooner or later
        import vault_mem.index.lance  # noqa: F401

    set_apart()


def pytest_configure(config: pytest.Config) -> None:
    common = {"deadline": None, "suppress_health_check": list(hypothesis.HealthCheck), "database": None}
    hypothesis.settings.register_profile("fast", derandomize=True, **common)
    hypothesis.settings.register_profile("soak", max_examples=2000, **common)
    hypothesis.settings.load_profile("soak" if config.getoption("--soak") else "fast")


@pytest.fixture
def soak(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--soak"))


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--fuzz"))


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Command:
    """`vault-mem` as a user calls it. `run` stays in this process; `spawn` starts a real one."""

    def __init__(self, cwd: Path, env: dict[str, str]) -> None:
        self.cwd = cwd
        self.env = env

    def run(self, *arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None) -> Answer:
        out, err = io.StringIO(), io.StringIO()
        data = stdin.encode() if isinstance(stdin, str) else stdin
        console = Console(self.cwd, self.env | (env or {}), io.BytesIO(data), out, err)
        code = run([str(each) for each in arguments], console)
        settle(console, arguments)
        return Answer(code, out.getvalue(), err.getvalue())

    def json(self, *arguments: str, **options):
        answer = self.run(*arguments, "--json", **options)
        assert answer.out, f"exit {answer.code}: {answer.err}"
        return answer.json

    def spawn(self, *arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None) -> Answer:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", "vault_mem", *map(str, arguments)],
            input=data,
            capture_output=True,
            cwd=self.cwd,
            env={**os.environ, **self.env, **(env or {})},
            timeout=120,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="session", autouse=True)
def _apart() -> Iterator[None]:
    """Keep tests away from daemons of the user or of other workers. In /tmp, as sockets need a short path."""
    with tempfile.TemporaryDirectory(prefix="vm-", dir="/tmp") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        yield


def environment(folder: Path, runtime: str) -> dict[str, str]:
    """An environment that hides everything of the user's own."""
    home = folder / "home"
    home.mkdir()
    return {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", ""),
        "XDG_RUNTIME_DIR": runtime,
        "VAULT_MEM_INDEX_DIR": str(folder / "index"),
        "VAULT_MEM_DEBUG": "raise",
        "VAULT_MEM_DAEMON": "off",
    }


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment of the test's own."""
    with tempfile.TemporaryDirectory(prefix="vm-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield environment(tmp_path, folder)


@pytest.fixture
def root(tmp_path: Path, env: dict[str, str]) -> Path:
    """An empty vault."""
    path = tmp_path / "vault"
    Vault.init(path, env=env, timezone="Asia/Tokyo")
    return path


@pytest.fixture
def vault(root: Path, env: dict[str, str]) -> Vault:
    """The empty vault through the library."""
    return Vault(root, env=env)


@pytest.fixture
def cli(root: Path, env: dict[str, str]) -> Command:
    """The command, run inside the empty vault."""
    return Command(root, env)


def copy_of_sample(path: Path) -> Path:
    """A copy of the sample vault, its private notes in place."""
    shutil.copytree(SAMPLE, path)
    private = path / "private"
    shutil.copytree(path / "private.sample", private)
    private.chmod(0o700)
    for note in private.iterdir():
        note.chmod(0o600)
    return path


@pytest.fixture
def sample_root(tmp_path: Path) -> Path:
    """A copy of the sample vault."""
    return copy_of_sample(tmp_path / "sample")


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """The sample vault for tests that only read: they share one, whose index is built once."""
    folder = tmp_path_factory.mktemp("shared")
    return Vault(copy_of_sample(folder / "sample"), env=environment(folder, os.environ["XDG_RUNTIME_DIR"]))


@pytest.fixture
def sample_cli(sample_root: Path, env: dict[str, str]) -> Command:
    """The command, run inside the sample vault."""
    return Command(sample_root, env)
