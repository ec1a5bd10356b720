"""Clones of a vault, made once and copied for each test, with the command and the real git in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Answer, Command
from helpers import contents

from vault_mem import Vault

IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
MARK = re.compile(rb"^(?:<{7}|>{7})", re.MULTILINE)


class Clone:
    """A clone of a vault, with the command and git in it."""

    def __init__(self, root: Path, env: dict[str, str]) -> None:
        self.root = root
        self.cli = Command(root, env)

    def git(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **self.cli.env}
        command = ["git", *IDENTITY, "-C", str(self.root), *arguments]
        return subprocess.run(command, env=env, check=check, capture_output=True, text=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "work", check=False)

    def run(self, *arguments: str, now: str = "") -> Answer:
        answer = self.cli.run(*arguments, env={"VAULT_MEM_NOW": now} if now else None)
        assert answer.code == 0, answer.err or answer.out
        return answer

    def save(self, text: str, *options: str, now: str = "2026-11-10T10:00:00+00:00") -> str:
        answer = self.run("remember", text, "--force", "--json", *options, now=now)
        return str(answer.json["memory"]["id"])

    def merge(self, other: Clone, *, check: bool = True) -> str:
        """Commit on both sides, and merge the other's work; returns what git said."""
        self.commit()
        other.commit()
        self.git("fetch", "-q", str(other.root), "HEAD")
        done = self.git("merge", "-m", "merge", "FETCH_HEAD", check=False)
        if check:
            assert done.returncode == 0, done.stdout
        return done.stdout + done.stderr

    def note(self, id_: str) -> Path:
        return self.root / self.cli.json("show", id_)["path"]

    def doctor(self, *options: str) -> list[dict[str, object]]:
        found = self.cli.json("doctor", *options)["findings"]
        return [each for each in found if each["severity"] != "info"]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two clones of a vault with two memories, both set up; each test gets a copy."""
    home = tmp_path_factory.mktemp("clones")
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "VAULT_MEM_INDEX_DIR": str(home / "index")}
    Vault.init(home / "one", env=env, timezone="UTC", git=True)
    one, other = Clone(home / "one", env), Clone(home / "two", env)
    with (one.root / "vault-mem.toml").open("a") as file:
        file.write("quiet_seconds = 0\n")
    (one.root / "MEMORY.md").write_text("First line of my own.\n\nLast line of my own.\n")
    one.save("The ferry to the island leaves at nine.", "--importance", "5", now="2026-11-09T08:00:00+00:00")
    one.save("Line one of the garden note.\n\nLine three of the garden note.", now="2026-11-09T09:00:00+00:00")
    one.commit()
    subprocess.run(["git", "clone", "-q", one.root, other.root], check=True)
    other.run("doctor", "--fix")
    other.commit()
    return home


@pytest.fixture
def pair(made: Path, tmp_path: Path, env: dict[str, str]) -> tuple[Clone, Clone]:
    for name in ("one", "two"):
        shutil.copytree(made / name, tmp_path / name)
    one, other = Clone(tmp_path / "one", env), Clone(tmp_path / "two", env)
    other.git("remote", "set-url", "origin", str(one.root))
    for clone in (one, other):
        clone.git("update-index", "--refresh", check=False)
    return one, other


def ids(clone: Clone) -> list[str]:
    return [each["id"] for each in reversed(clone.cli.json("list")["memories"])]


def no_marks(clone: Clone) -> bool:
    files = {key: raw for key, raw in contents(clone.root).items() if not key.startswith(".git/")}
    return not any(MARK.search(raw) for raw in files.values())


def same_bytes(one: Clone, other: Clone) -> bool:
    """Whether both have the same files after the next command in each."""
    one.run("status")
    one.commit()
    other.git("pull", "-q", str(one.root), "HEAD")
    other.run("status")
    texts = [
        {key: raw for key, raw in contents(each.root).items() if not key.startswith((".git/", "private/"))}
        for each in (one, other)
    ]
    return texts[0] == texts[1]


def public_text_of(clone: Clone) -> str:
    """All public text except git's own."""
    files = contents(clone.root)
    return "\n".join(
        f"{key}\n{raw.decode(errors='replace')}"
        for key, raw in files.items()
        if not key.startswith((".git/", "private/"))
    )
