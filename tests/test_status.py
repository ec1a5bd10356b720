"""status: what the vault holds, and what needs attention."""

from __future__ import annotations

from pathlib import Path

from conftest import Command
from helpers import memory, mode, note, states

from vault_mem import Vault


def test_the_numbers(cli: Command, root: Path) -> None:
    # D-8 (the calibration is shown), V-4, V-6, V-7
    memory(root, "memories/a.md", "mem_00000000000a", "Open")
    memory(root, "memories/b.md", "mem_00000000000b", "Closed", "valid_to: 2026-11-02")
    memory(root, "private/mem_00000000000c.md", "mem_00000000000c", "Private")
    memory(root, "episodes/d.md", "ep_00000000000d", "Episode")
    note(root, "notes/e.md", "Another note")
    note(root, "memories/f.md", "A note without an id", age=0)
    memory(root, "memories/g.md", "mem_00000000000f", "Broken", "importance: high")
    cli.run("config", "set", "include", "notes/**")
    status = cli.json("status")
    assert status["vault"] == str(root)
    assert (status["memories"], status["private"], status["closed"]) == (5, 1, 1)
    assert (status["episodes"], status["notes"]) == (1, 1)
    assert (status["stale"], status["pending"]) == (False, 0)
    assert status["waiting_for_id"] == ["memories/f.md"]
    assert status["adopt_ids"] == "quiet"
    assert status["interrupted"] == []
    assert status["problems"] == [
        {"path": "memories/g.md", "line": 4, "reason": "importance should be a whole number from 1 to 5, not 'high'"}
    ]
    assert status["index_bytes"] > 0
    assert status["model"] == "built-in"
    curve = status["calibration"]
    assert 0 < curve["related"] < curve["nearly_same"] < curve["near_identical"] < 1


def test_the_text(cli: Command, root: Path) -> None:
    memory(root, "memories/g.md", "mem_00000000000f", "Broken", "importance: high")
    answer = cli.run("status")
    assert answer.code == 0
    assert "memories:     1 (0 private, 0 closed)\n" in answer.out
    assert "up to date with every file" in answer.out
    assert "0.70 from cosine" in answer.out
    assert "  memories/g.md:4: importance should be" in answer.out


def test_many_problems_are_not_a_flood(cli: Command, root: Path) -> None:
    for number in range(30):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", "Broken", "importance: high")
    answer = cli.run("status")
    assert "and 10 more; see vault-mem doctor" in answer.out
    assert len(cli.json("status")["problems"]) == 30


def test_an_empty_vault(cli: Command, root: Path) -> None:
    before = states(root)
    assert cli.json("status")["memories"] == 0
    assert states(root) == before
    assert not (root / ".vault-mem").exists()


def test_the_index_is_the_owners_alone(cli: Command, vault: Vault) -> None:
    # P-1: rows of private memories lie in it
    vault.remember("A secret", private=True)
    assert mode(vault.status().index_dir) == 0o700


def test_stale_is_said(cli: Command, root: Path, monkeypatch) -> None:
    #
    from vault_mem.index import sync
    from vault_mem.vault.lock import locked_outside

    index = Path(cli.json("status")["index_dir"])
    note(root, "memories/a.md", "New")
    monkeypatch.setattr(sync, "LOCK_WAIT", 0.05)
    with locked_outside(index / "lock", "the index"):
        assert (cli.json("status")["stale"], cli.json("status")["pending"]) == (True, 1)
        assert "behind by 1 file" in cli.run("status").out


def test_it_answers_without_a_model(cli: Command, root: Path) -> None:
    # V-9: in every state a vault can be in
    memory(root, "memories/a.md", "mem_00000000000a", "Open")
    memory(root, "private/mem_00000000000c.md", "mem_00000000000c", "Private")
    memory(root, "episodes/d.md", "ep_00000000000d", "Episode")
    answer = cli.run("status", "--json", env={"VAULT_MEM_MODEL": "/nowhere/at/all"})
    assert answer.code == 0
    assert "/nowhere/at/all" in answer.json["trouble"][0]
    assert [answer.json[name] for name in ("memories", "private", "episodes", "stale")] == [2, 1, 1, True]
    assert "/nowhere/at/all" in cli.run("status", env={"VAULT_MEM_MODEL": "/nowhere/at/all"}).out


def test_it_answers_without_a_place_for_the_index(cli: Command, root: Path, tmp_path: Path) -> None:
    # V-9
    memory(root, "memories/a.md", "mem_00000000000a", "Open")
    (tmp_path / "a-file").write_text("")
    env = {"VAULT_MEM_INDEX_DIR": str(tmp_path / "a-file")}
    answer = cli.run("status", "--json", env=env)
    assert (answer.code, answer.json["memories"]) == (0, 1)
    assert answer.json["trouble"]
    assert cli.run("doctor", env=env).code == 1


def test_no_trouble(cli: Command) -> None:
    assert cli.json("status")["trouble"] == []
    assert "trouble:" not in cli.run("status").out
