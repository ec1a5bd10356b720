"""Where people keep a vault in git, and how they call it: no loss, and what is left is healed (SPEC V-11)."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from clones import IDENTITY, Clone, ids, made, no_marks, pair, same_bytes
from helpers import contents

from vault_mem import Vault

__all__ = ["made", "pair"]  # fixtures


def edit(clone: Clone, id_: str, old: str, new: str) -> None:
    """As a person does, with an editor that leaves line ends alone."""
    path = clone.note(id_)
    raw = path.read_bytes()
    assert old.encode() in raw
    path.write_bytes(raw.replace(old.encode(), new.encode()))


def copy_of(clone: Clone, folder: Path) -> Clone:
    """A third clone."""
    shutil.copytree(clone.root, folder)
    third = Clone(folder, clone.cli.env)
    third.git("update-index", "--refresh", check=False)
    return third


def fetch(clone: Clone, *others: Clone) -> list[str]:
    """Commit everywhere, and have the others' work here, each as a branch."""
    clone.commit()
    for other in others:
        other.commit()
        clone.git("fetch", "-q", str(other.root), f"+HEAD:refs/heads/{other.root.name}")
    return [other.root.name for other in others]


def texts_of(clone: Clone) -> str:
    return "\n".join(path.read_text() for path in sorted((clone.root / "memories").rglob("*.md")))


def views_are_right(clone: Clone) -> bool:
    """After a command: nothing to rebuild, nothing to heal, no marks."""
    clone.run("status")
    return clone.cli.json("views", "rebuild")["files"] == [] and clone.doctor() == [] and no_marks(clone)


def test_an_octopus(pair: tuple[Clone, Clone], tmp_path: Path) -> None:
    # V-11: git merges three branches at once without a driver; where that fails, one after the other works
    one, two = pair
    three = copy_of(two, tmp_path / "three")
    garden = ids(one)[1]
    for number, clone in enumerate((one, two, three)):
        clone.save(f"Thought of {clone.root.name}", "--importance", "5", now=f"2026-11-10T10:0{number}:00+00:00")
        clone.run("tag", garden, clone.root.name)
    branches = fetch(one, two, three)
    done = one.git("merge", "-m", "octopus", *branches, check=False)
    assert done.returncode != 0
    one.git("reset", "-q", "--hard")
    for branch in branches:
        one.git("merge", "-m", "merge", branch)
    assert views_are_right(one)
    assert one.cli.json("show", garden)["tags"] == ["one", "three", "two"]
    assert all(f"Thought of {name}" in (one.root / "MEMORY.md").read_text() for name in ("one", "two", "three"))


def test_an_octopus_that_was_committed_with_its_marks(pair: tuple[Clone, Clone], tmp_path: Path) -> None:
    # V-11: what git left of it is healed, and no memory is lost
    one, two = pair
    three = copy_of(two, tmp_path / "three")
    for number, clone in enumerate((one, two, three)):
        clone.save(f"Thought of {clone.root.name}", "--importance", "5", now=f"2026-11-10T10:0{number}:00+00:00")
    branches = fetch(one, two, three)
    one.git("merge", "-m", "octopus", *branches, check=False)
    one.commit()
    one.run("doctor", "--fix")
    one.git("merge", "-m", "the rest", *branches[:1], check=False)
    one.git("merge", "-m", "the rest", *branches[1:], check=False)
    one.cli.run("doctor", "--fix")
    one.commit()
    assert views_are_right(one)
    assert all(f"Thought of {name}" in texts_of(one) for name in ("one", "two", "three"))


def test_a_linked_worktree(pair: tuple[Clone, Clone], tmp_path: Path) -> None:
    # V-11: named as the vault, it shares the clone's settings, and a merge in it is seen as one
    one, _ = pair
    one.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Clone(tmp_path / "side", {**one.cli.env, "VAULT_MEM_VAULT": str(tmp_path / "side")})
    assert side.doctor() == []
    assert [each for each in side.cli.json("doctor")["findings"] if each["check"] == "merge-driver"] == []
    ferry, garden = ids(one)
    for clone in (one, side):
        clone.save(f"Thought of {clone.root.name}", "--importance", "5")
        clone.run("tag", ferry, clone.root.name)
        clone.commit()
    side.git("merge", "-m", "merge", one.git("rev-parse", "HEAD").stdout.strip())
    assert views_are_right(side)
    assert side.cli.json("show", ferry)["tags"] == ["one", "side"]
    side.commit()
    for clone, word in ((one, "beans"), (side, "roses")):
        edit(clone, garden, "Line one", word)
        clone.commit()
    side.git("merge", "-m", "merge", one.git("rev-parse", "HEAD").stdout.strip(), check=False)
    assert side.cli.json("status")["git"]["under_way"] == "merge"
    assert one.cli.json("status")["git"]["under_way"] == ""


def test_a_vault_that_is_a_submodule(pair: tuple[Clone, Clone], tmp_path: Path, env: dict[str, str]) -> None:
    # V-11: git's folder is elsewhere; set-up, merges and what is under way work all the same
    one, two = pair
    two.git("config", "receive.denyCurrentBranch", "updateInstead")
    subprocess.run(["git", "init", "-q", tmp_path / "top"], check=True)
    add = ["submodule", "--quiet", "add", str(two.root), "my memory"]
    allowed = ("-c", "protocol.file.allow=always")
    subprocess.run(["git", *IDENTITY, *allowed, "-C", tmp_path / "top", *add], check=True, capture_output=True)
    sub = Clone(tmp_path / "top/my memory", env)
    assert (sub.root / ".git").is_file()
    sub.run("doctor", "--fix")
    assert sub.git("config", "merge.vault-mem.driver").stdout
    ferry, garden = ids(sub)
    for clone in (sub, one):
        clone.save(f"Thought of {clone.root.name}", "--importance", "5")
        clone.run("tag", ferry, clone.root.name.replace(" ", "-"))
    sub.merge(one)
    assert views_are_right(sub)
    assert sub.cli.json("show", ferry)["tags"] == ["my-memory", "one"]
    for clone, word in ((one, "beans"), (sub, "roses")):
        edit(clone, garden, "Line one", word)
    assert "CONFLICT" in sub.merge(one, check=False)
    assert sub.cli.json("status")["git"]["under_way"] == "merge"


def test_line_ends_that_git_turns(pair: tuple[Clone, Clone], tmp_path: Path, env: dict[str, str]) -> None:
    # V-11: core.autocrlf, as git for Windows sets it: notes, views and history have CRLF in the tree
    one, _ = pair
    subprocess.run(
        ["git", "clone", "-q", "-c", "core.autocrlf=true", one.root, tmp_path / "windows"], check=True, env=os.environ
    )
    windows = Clone(tmp_path / "windows", env)
    assert b"\r\n" in (windows.root / "MEMORY.md").read_bytes()
    windows.run("doctor", "--fix")
    ferry, garden = ids(windows)
    for number, clone in enumerate((one, windows)):
        now = f"2026-11-10T10:0{number}:00+00:00"
        clone.save(f"Thought of {clone.root.name}", "--importance", "5", now=now)
        clone.run("tag", ferry, clone.root.name, now=now)
        edit(clone, garden, "Line one" if number else "Line three", "Row")
    windows.merge(one)
    assert windows.cli.json("show", ferry)["tags"] == ["one", "windows"]
    assert windows.note(garden).read_bytes().count(b"Row") == 2
    assert views_are_right(windows)
    windows.commit()
    history = (windows.root / "history/2026-11.jsonl").read_bytes()
    assert b"\r\r" not in history and history.count(b'"at"') == len(history.splitlines())
    one.git("pull", "-q", str(windows.root), "HEAD")
    assert views_are_right(one) and b"\r" not in b"".join(contents(one.root / "memories").values())
    assert one.git("status", "--porcelain").stdout == windows.git("status", "--porcelain").stdout == ""


@pytest.mark.parametrize("crlf", [False, True])
def test_a_stash_on_top_of_other_work(pair: tuple[Clone, Clone], crlf: bool) -> None:
    # V-11: the driver serves a stash, too; saves on both sides do not conflict
    one, _ = pair
    if crlf:
        one.git("config", "core.autocrlf", "true")
    ferry = ids(one)[0]
    one.save("Stashed thought.", "--importance", "5")
    one.run("tag", ferry, "stashed")
    one.git("add", "-A")
    one.git("stash", "-q")
    one.save("Committed thought.", "--importance", "5", now="2026-11-10T11:00:00+00:00")
    one.run("tag", ferry, "committed")
    one.commit()
    assert one.git("stash", "pop", check=False).returncode == 0
    assert views_are_right(one)
    assert one.cli.json("show", ferry)["tags"] == ["committed", "stashed"]
    assert all(f"{word} thought" in (one.root / "MEMORY.md").read_text() for word in ("Stashed", "Committed"))


def test_a_rebase_that_stops(pair: tuple[Clone, Clone]) -> None:
    # V-11: nothing is written unasked until it has ended; then the views are as from the memories
    one, two = pair
    garden = ids(one)[1]
    for clone, word in ((one, "beans"), (two, "roses")):
        clone.save(f"Thought of {clone.root.name}", "--importance", "5")
        edit(clone, garden, "Line one", word)
    (branch,) = fetch(one, two)
    assert one.git("rebase", branch, check=False).returncode != 0
    assert one.cli.json("status")["git"]["under_way"] == "rebase"
    before = contents(one.root / "memories")
    one.run("recall", "beans")
    assert contents(one.root / "memories") == before
    path = one.note(garden)
    path.write_text("".join(line for line in path.read_text().splitlines(True) if line[:7] not in MARKS))
    one.git("add", "-A")
    one.git("-c", "core.editor=true", "rebase", "--continue")
    assert views_are_right(one)
    text = path.read_text()
    assert "beans" in text and "roses" in text


MARKS = ("<<<<<<<", "=======", ">>>>>>>")


def test_a_half_resolved_merge(pair: tuple[Clone, Clone]) -> None:
    # V-11: one mark overlooked, and committed: named, nothing guessed; the views are healed
    one, two = pair
    garden = ids(one)[1]
    for clone, word in ((one, "beans"), (two, "roses")):
        edit(clone, garden, "Line one", word)
    one.merge(two, check=False)
    path = one.note(garden)
    half = path.read_text().replace("<<<<<<< ours\n", "")
    path.write_text(half)
    one.commit()
    (found,) = [each for each in one.doctor() if each["check"] == "merges"]
    assert "half resolved" in found["message"] and found["path"] == str(path.relative_to(one.root))
    one.cli.run("doctor", "--fix")
    assert path.read_text() == half


def test_a_merge_on_a_forge(pair: tuple[Clone, Clone], tmp_path: Path) -> None:
    # V-11: made without our attributes and settings; what came of it is put right by the next clone that runs doctor
    one, two = pair
    ferry = ids(one)[0]
    for number, clone in enumerate(pair):
        now = f"2026-11-10T10:0{1 - number}:00+00:00"
        clone.save(f"Thought of {clone.root.name}", now=now)
        clone.run("tag", ferry, clone.root.name, now=now)
        clone.commit()
    forge = tmp_path / "forge"
    subprocess.run(["git", "clone", "-q", one.root, forge], check=True)
    git = ["git", *IDENTITY, "-C", forge]
    subprocess.run([*git, "fetch", "-q", two.root, "HEAD"], check=True)
    subprocess.run([*git, "merge", "-q", "-m", "merge", "-X", "theirs", "FETCH_HEAD"], check=True, capture_output=True)
    one.git("pull", "-q", str(forge), "HEAD")
    one.run("doctor", "--fix")
    assert views_are_right(one)
    assert all(f"Thought of {name}" in (one.root / "memory/2026-11-10.md").read_text() for name in ("one", "two"))
    at = re.findall(r'"at": "([^"]*)"', (one.root / "history/2026-11.jsonl").read_text())
    assert at == sorted(at)


def test_names_that_git_quotes(tmp_path: Path, env: dict[str, str]) -> None:
    # V-11: spaces, quotes, Japanese and percent signs in every part of a path, a line end in a name; a merge run from a
    # folder below
    top = tmp_path / "a 'top' 100%s 日本"
    home = top / 'my "notes" \'n メモ'
    subprocess.run(["git", "init", "-q", top], check=True)
    Vault.init(home, env=env, timezone="UTC", git=True)
    with (home / "vault-mem.toml").open("a") as file:
        file.write("quiet_seconds = 0\n")
    one = Clone(home, env)
    odd = one.save("庭のメモ。\n\nA second line.", now="2026-11-09T10:00:00+00:00")
    path = one.note(odd)
    path.rename(path.with_name('it\'s "quoted"\nと日本語 %A.md'))
    one.commit()
    subprocess.run(["git", "clone", "-q", top, tmp_path / "clone"], check=True)
    two = Clone(tmp_path / "clone" / home.name, env)
    two.run("doctor", "--fix")
    for clone, line in ((one, "庭のメモ"), (two, "A second line")):
        clone.save(f"Thought of {clone.root.parent.name}", "--importance", "5")
        clone.run("tag", odd, clone.root.parent.name[:1])
        edit(clone, odd, line, line + " here")
        clone.commit()
    assert one.cli.json("status")["git"]["uncommitted"] == 0
    one.git("fetch", "-q", str(two.root.parent), "HEAD")
    done = one.git("-C", str(home / "memories"), "merge", "-m", "merge", "FETCH_HEAD", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert views_are_right(one)
    assert one.note(odd).read_text().count(" here") == 2 and len(one.cli.json("show", odd)["tags"]) == 2
    for clone, word in ((one, "beans"), (two, "roses")):
        edit(clone, odd, "庭のメモ here" if clone is one else "庭のメモ", word)
        clone.commit()
    one.git("fetch", "-q", str(two.root.parent), "HEAD")
    one.git("merge", "-m", "merge", "FETCH_HEAD", check=False)
    assert one.cli.json("status")["git"]["under_way"] == "merge"
    (found,) = [each for each in one.doctor() if each["check"] == "merges"]
    assert found["path"] == str(one.note(odd).relative_to(home))


@pytest.mark.parametrize("has_place", [True, False])
def test_git_from_a_program_with_a_short_path(pair: tuple[Clone, Clone], tmp_path: Path, has_place: bool) -> None:
    # V-11: desktop programs start git with little on their path: the driver is found where it was set up from;
    # where it is not, nothing is lost, and doctor heals what git then leaves
    one, two = pair
    ferry = ids(one)[0]
    for number, clone in enumerate(pair):
        now = f"2026-11-10T10:0{number}:00+00:00"
        clone.save(f"Thought of {clone.root.name}", "--importance", "5", now=now)
        clone.run("tag", ferry, clone.root.name, now=now)
    fetch(one, two)
    short = tmp_path / "short"
    short.mkdir()
    for name in ("git", "sh"):
        (short / name).symlink_to(shutil.which(name) or "")
    driver = one.git("config", "merge.vault-mem.driver").stdout.strip()
    if not has_place:
        one.git("config", "merge.vault-mem.driver", re.sub(r" \S*/vault-mem(?=; do)", "", driver))
    command = ["git", *IDENTITY, "-C", one.root, "merge", "-m", "merge", "two"]
    shell = {"PATH": str(short), "HOME": one.cli.env["HOME"]}
    done = subprocess.run(command, env=shell, capture_output=True, text=True)
    assert (done.returncode == 0) is has_place, done.stdout + done.stderr
    one.commit()  # marks and all, as people do
    if not has_place:
        one.cli.run("doctor", "--fix")
    assert views_are_right(one)
    assert one.cli.json("show", ferry)["tags"] == ["one", "two"]
    assert same_bytes(one, two)


def test_status_asks_git_at_most_twice(pair: tuple[Clone, Clone], tmp_path: Path) -> None:
    one, _ = pair
    one.run("status")
    asked, shim = tmp_path / "asked", tmp_path / "bin/git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\necho "$*" >> "{asked}"\nexec {shutil.which("git")} "$@"\n')
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    one.cli.env["PATH"] = f"{shim.parent}:{one.cli.env['PATH']}"
    one.run("status")
    assert len(asked.read_text().splitlines()) <= 2
