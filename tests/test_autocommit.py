"""Commits that the daemon makes by itself, where its owner wants them (SPEC V-11)."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemons import Served, served, wait_for

from vault_mem import Vault

PACE = QUIET = 30  # the daemon's quiet period takes a second
PERIOD = QUIET / PACE


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("autocommit")) as command:
        command.env["VAULT_MEM_PACE"] = str(PACE)
        Vault.init(command.root, env=command.env, git=True)
        for name, value in (("user.name", "t"), ("user.email", "t@example.org"), ("commit.gpgsign", "false")):
            git(command, "config", name, value)
        assert command.run("config", "set", "quiet_seconds", str(QUIET)).code == 0
        assert command.spawn("remember", "The first thought.").code == 0
        git(command, "add", "-A")
        git(command, "commit", "-qm", "begin")
        yield command


@pytest.fixture
def wanted(one: Served) -> Iterator[Served]:
    """With autocommit, for as long as a test lasts."""
    assert one.run("config", "set", "--user", "autocommit", str(one.root)).code == 0
    yield one
    assert one.run("config", "unset", "--user", "autocommit").code == 0


def git(command: Served, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", command.root, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commits(command: Served) -> int:
    return int(git(command, "rev-list", "--count", "HEAD"))


def save(command: Served, text: str, *options: str) -> str:
    answer = command.ask("remember", text, "--force", "--json", *options)
    return str(answer.json["memory"]["path"])


def a_quiet_period() -> None:
    """Long enough for whatever the daemon does of itself."""
    time.sleep(PERIOD + 0.5)


def test_off_until_asked_for(one: Served) -> None:
    before = commits(one)
    save(one, "Nobody asked for a commit.")
    a_quiet_period()
    assert commits(one) == before
    git(one, "add", "-A")
    git(one, "commit", "-qm", "by hand")


def test_one_commit_per_quiet_period(wanted: Served) -> None:
    # V-11: of the vault's public files alone, with a message of what happened; what is staged of others stays staged
    one, before = wanted, commits(wanted)
    own = one.root / "own.txt"
    own.write_text("not ours to commit")
    git(one, "add", "own.txt")
    paths = [save(one, f"Thought {number} of a busy minute.") for number in range(3)]
    save(one, "zanzibarquill is mine", "--private")
    wait_for(lambda: commits(one) > before)
    assert commits(one) == before + 1
    shown = git(one, "show", "--name-only", "--format=%s")
    assert all(path in shown for path in paths) and "remember ×" in shown.splitlines()[0]
    assert "own.txt" not in shown and "zanzibar" not in git(one, "log", "-p")
    assert git(one, "status", "--porcelain") == "A  own.txt"
    a_quiet_period()
    assert commits(one) == before + 1
    git(one, "rm", "-qf", "--cached", "own.txt")
    own.unlink()


def test_never_in_the_middle_of_something(wanted: Served) -> None:
    # V-11: a merge, a rebase, a commit that no branch would have
    one = wanted
    head = git(one, "rev-parse", "HEAD")
    branch = git(one, "symbolic-ref", "--short", "HEAD")
    mark = one.root / ".git/MERGE_HEAD"
    mark.write_text(head + "\n")
    save(one, "Saved during a merge.")
    a_quiet_period()
    mark.unlink()
    git(one, "checkout", "-q", "--detach")
    save(one, "Saved on no branch.")
    a_quiet_period()
    assert git(one, "rev-parse", "HEAD") == head
    git(one, "checkout", "-q", branch)
    save(one, "Saved afterwards.")
    wait_for(lambda: git(one, "rev-parse", "HEAD") != head)
    assert git(one, "status", "--porcelain") == ""


@pytest.mark.parametrize(("what", "why"), [("hook", "not on a Friday"), ("signature", "gpg failed to sign")])
def test_git_says_no(wanted: Served, tmp_path: Path, what: str, why: str) -> None:
    # V-11: the owner is told why, git's index is as it was, and nothing is tried again until something changes
    one, before = wanted, commits(wanted)
    asked = tmp_path / "asked"
    script = one.root / ".git/hooks/pre-commit" if what == "hook" else tmp_path / "gpg"
    script.write_text(f"#!/bin/sh\necho x >> '{asked}'\necho 'not on a Friday' >&2\nexit 1\n")
    script.chmod(0o755)
    if what == "signature":
        git(one, "config", "gpg.program", str(script))
        git(one, "config", "commit.gpgsign", "true")
    path = save(one, f"A thought that meets a {what}.")
    wait_for(lambda: why in one.ask_json("status")["autocommit"])
    assert f"git did not commit: {why}" in one.ask("status").out.replace("error: ", "")
    assert "autocommit" in {each["check"] for each in one.ask_json("doctor")["findings"]}
    assert git(one, "diff", "--cached", "--name-only") == "" and f"?? {path}" in git(
        one, "status", "--porcelain", "-uall"
    )
    a_quiet_period()
    assert asked.read_text() == "x\n" and commits(one) == before
    script.unlink()
    git(one, "config", "commit.gpgsign", "false")
    save(one, f"Another thought after the {what}.")
    wait_for(lambda: commits(one) > before)
    wait_for(lambda: one.ask_json("status")["autocommit"] == "")  # said once git has come back
    assert git(one, "status", "--porcelain") == ""


def test_what_waits_to_become_private_is_not_committed(wanted: Served) -> None:
    # V-11, P-3: a note that its owner has just flagged
    one, before = wanted, commits(wanted)
    path = one.root / save(one, "zanzibarquill is a word of mine.")
    path.write_text(path.read_text().replace("private: false", "private: true"))
    save(one, "An open thought beside it.")
    wait_for(lambda: commits(one) > before)
    assert not path.exists() and "zanzibar" not in git(one, "log", "-p")
