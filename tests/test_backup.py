"""backup: one file with everything a person would want back, readable by its owner alone."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from conftest import Command
from helpers import as_anybody, contents, leftovers, mode, note


@pytest.fixture
def filled(cli: Command, root: Path) -> Path:
    cli.run("remember", "The harbour dues rise in May", "--importance", "5")
    cli.run("remember", "-", "--private", stdin="I am afraid of the audit")
    gone = cli.json("remember", "Something to forget")["memory"]
    cli.run("forget", gone["id"])
    note(root, "attachments/plan.txt", "a plan")
    (root / "shortcut.md").symlink_to("attachments/plan.txt")
    return root


def test_everything_is_in_it_and_comes_back(cli: Command, filled: Path, tmp_path: Path) -> None:
    # P-5: the archive holds private memories; modes and times come back with tar
    file = tmp_path / "vault.tar.gz"
    answer = cli.json("backup", str(file))
    assert answer["status"] == "written"
    assert answer["private"] >= 1
    assert mode(file) == 0o600
    assert leftovers(tmp_path) == []
    restored = tmp_path / "restored"
    restored.mkdir()
    with tarfile.open(file) as archive:
        archive.extractall(restored, filter="fully_trusted")
    assert contents(restored) == contents(filled)
    assert mode(restored / "private") == 0o700
    for path in (restored / "private").glob("*.md"):
        assert mode(path) == 0o600
        assert path.stat().st_mtime == pytest.approx((filled / path.relative_to(restored)).stat().st_mtime, abs=0.01)
    own = {path.name for path in (restored / ".vault-mem").iterdir()}
    assert own == {"trash", "deletions.jsonl", "backup.json"}
    there = Command(restored, cli.env)
    assert {each["id"] for each in there.json("list")["memories"]} == {
        each["id"] for each in cli.json("list")["memories"]
    }
    trashed = there.json("restore", "--list")["trash"]
    assert there.run("restore", trashed[0]["id"]).code == 0


def test_check(cli: Command, filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "vault.tar.gz"
    cli.run("backup", str(file))
    sound = cli.json("backup", "--check", str(file))
    assert (sound["status"], sound["wrong"]) == ("sound", [])
    assert sound["private"] >= 1
    raw = file.read_bytes()
    for damaged in (raw[: len(raw) // 2], raw[:200] + bytes([raw[200] ^ 255]) + raw[201:], b"nothing of the kind"):
        file.write_bytes(damaged)
        answer = cli.run("backup", "--check", str(file))
        assert answer.code == 1
        assert answer.out.startswith("Damaged: ")
        assert "audit" not in answer.out
    assert cli.run("backup", "--check", str(tmp_path / "none")).code == 4


def test_where_it_may_be_written(cli: Command, filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "vault.tar.gz"
    file.write_text("mine")
    answer = cli.run("backup", str(file))
    assert answer.code == 6
    assert file.read_text() == "mine"
    assert cli.run("backup", str(file), "--force").code == 0
    assert mode(file) == 0o600
    before = contents(filled)
    for place in ("vault.tar.gz", "memories/vault.tar.gz", "private/vault.tar.gz"):
        assert cli.run("backup", place).code == 6
    assert contents(filled) == before
    assert cli.run("backup", ".vault-mem/vault.tar.gz").code == 0  # ignored by git, and not in the next one
    with tarfile.open(filled / ".vault-mem/vault.tar.gz") as archive:
        assert not any(name.endswith(".tar.gz") for name in archive.getnames())
    assert cli.run("backup", str(tmp_path)).code == 2
    assert cli.run("backup", str(tmp_path / "nowhere/x.tar.gz")).code == 2


def test_a_backup_with_holes_is_none(cli: Command, filled: Path, tmp_path: Path) -> None:
    note(filled, "notes/locked.txt", "text").chmod(0)
    file = tmp_path / "vault.tar.gz"
    answer = as_anybody(cli, "backup", str(file))
    assert answer.code == 1
    assert "notes/locked.txt" in answer.err
    assert not file.exists()
    assert leftovers(tmp_path) == []
