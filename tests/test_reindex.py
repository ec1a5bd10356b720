"""The index can be lost, damaged or of another model at any time; the files bring it back."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory, note, states

from vault_mem import Vault


@pytest.fixture
def filled(cli: Command, root: Path) -> Path:
    """Some memories, indexed, the last of them in a commit of its own."""
    memory(root, "memories/a.md", "mem_00000000000a", "The ferry has a green funnel", 'links: ["[[b]]"]')
    memory(root, "memories/b.md", "mem_00000000000b", "A word about the ferry timetable", "tags: [sea]")
    memory(root, "private/mem_00000000000c.md", "mem_00000000000c", "I was seasick on the ferry")
    long = "\n\n".join(f"Paragraph {number} about bread and butter. " * 12 for number in range(6))
    memory(root, "memories/long.md", "mem_00000000000d", long)
    cli.run("status")
    memory(root, "memories/e.md", "mem_00000000000e", "Late: the ferry sank in the harbour")
    cli.run("status")
    return root


# Memories fade by the second: two answers are equal at one moment only.
NOW = {"VAULT_MEM_NOW": "2026-11-20T09:00:00+09:00"}


def answers(cli: Command) -> list:
    """What a user gets to see at one moment; no traceback, whatever state the index is in."""
    commands = (["recall", "ferry"], ["list"], ["show", "mem_00000000000b"])
    found = []
    for command in commands:
        answer = cli.run(*command, "--json", env=NOW)
        assert answer.code == 0, answer.err
        assert "Traceback" not in answer.err
        found.append(answer.json)
    return found


def generation(cli: Command) -> Path:
    """Where the index in use is, with nobody holding its files open."""
    gc.collect()
    home = next(Path(cli.env["VAULT_MEM_INDEX_DIR"]).iterdir())
    return home / (home / "current").read_text()


def test_delete_the_index_and_nothing_is_lost(cli: Command, filled: Path) -> None:
    # V-1
    before, seen = answers(cli), states(filled)
    shutil.rmtree(cli.env["VAULT_MEM_INDEX_DIR"])
    answer = cli.run("reindex", "--json")
    assert answer.code == 0
    assert answer.json["files"] == 5
    assert answer.json["problems"] == []
    assert answers(cli) == before
    assert states(filled) == seen


def test_the_sample_vault_is_the_same_after_a_rebuild(sample_cli: Command) -> None:
    # V-1: every memory, link and filter
    def everything() -> list:
        listed = sample_cli.json("list", "--all", "--closed", env=NOW)
        return [
            listed,
            *(sample_cli.json("show", each["id"], env=NOW) for each in listed["memories"][::6]),
            sample_cli.json("recall", "団子", "-n", "40", env=NOW),
            sample_cli.json("recall", "Bergen loggers", "--closed", "--kind", "fact", "-n", "40", env=NOW),
            sample_cli.json("doctor", env=NOW),
        ]

    before = everything()
    shutil.rmtree(sample_cli.env["VAULT_MEM_INDEX_DIR"])
    assert sample_cli.run("reindex").code == 0
    assert everything() == before


def test_the_text(cli: Command, filled: Path) -> None:
    memory(filled, "memories/z.md", "mem_0000000000ff", "Broken", "kind: thought")
    answer = cli.run("reindex")
    assert answer.code == 0
    assert answer.out.startswith("Indexed 6 files in ")
    assert "1 problem: see vault-mem doctor." in answer.out


def test_old_generations_go(cli: Command, filled: Path) -> None:
    for _ in range(3):
        cli.run("reindex")
    home = generation(cli).parent
    assert [each.name for each in home.glob("g-*")] == [generation(cli).name]


DAMAGE = [
    *[("current", way) for way in ("truncate", "garbage")],
    *[("state.db", way) for way in ("delete", "truncate", "garbage")],
    *[("data/", way) for way in ("delete", "truncate", "garbage")],
    *[("_versions/", way) for way in ("delete", "truncate", "garbage", "panic")],
    *[("_indices/", way) for way in ("delete", "truncate", "garbage")],
]


@pytest.mark.parametrize(("file", "way"), DAMAGE)
def test_damage_is_healed(cli: Command, filled: Path, file: str, way: str) -> None:
    # "Damage is noticed and healed by a rebuild, never an exception in the user's face"
    before, seen = answers(cli), states(filled)
    home = generation(cli).parent
    for path in home.rglob("state.db-*"):  # what SQLite keeps beside the file would heal it by itself
        path.unlink()
    for path in [path for path in home.rglob("*") if path.is_file() and file in str(path.relative_to(home))]:
        if way == "delete":
            path.unlink()
        elif way == "truncate":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        elif way == "panic":  # what stands at the end sends LanceDB beyond it
            path.write_bytes(b"\0" * 100 + (114).to_bytes(8, "little") + b"\0\0\3\0LANC")
        else:
            path.write_bytes(b"\x07garbage\xff" * 50)
    assert answers(cli) == before
    assert cli.run("remember", "The ferry has a green funnel").code == 3
    assert states(filled) == seen


@pytest.mark.parametrize("number", range(2))
def test_one_damaged_data_file_of_several(cli: Command, filled: Path, number: int) -> None:
    # "a missing data file shows only on a real read"
    before = answers(cli)
    files = sorted((generation(cli) / "memories.lance/data").iterdir())
    assert len(files) >= 2
    files[number % len(files)].unlink()
    assert answers(cli) == before


def test_the_newest_manifest_is_missing(cli: Command, filled: Path) -> None:
    # "silently opens the previous version"
    before = answers(cli)
    versions = generation(cli) / "memories.lance/_versions"
    newest = min(versions.glob("*.manifest"), key=lambda path: int(path.stem))
    newest.unlink()
    (versions / "latest_version_hint.json").unlink(missing_ok=True)
    assert answers(cli) == before


def test_a_notice_says_that_it_was_rebuilt(cli: Command, filled: Path) -> None:
    for path in generation(cli).glob("state.db*"):
        path.unlink()
    (generation(cli) / "state.db").write_bytes(b"not a database at all" * 100)
    answer = cli.run("recall", "ferry", "--json")
    assert answer.code == 0
    assert answer.err.startswith("note: index rebuilt: the index is damaged")
    assert json.loads(answer.out)["results"]
    assert cli.run("recall", "ferry").err == ""


def test_a_crash_between_table_and_states(cli: Command, filled: Path) -> None:
    # the table is ahead of the states, or behind them
    before = answers(cli)
    db = sqlite3.connect(generation(cli) / "state.db")
    db.execute("UPDATE files SET hash = 'x', size = 1 WHERE key = 'memories/a.md'")
    db.execute("DELETE FROM files WHERE key = 'memories/b.md'")
    db.execute("CREATE TEMP TABLE ghost AS SELECT * FROM files WHERE key = 'memories/e.md'")
    db.execute("UPDATE ghost SET key = 'memories/ghost.md', declared = '', id = 'mem_000000000099'")
    db.execute("INSERT INTO files SELECT * FROM ghost")
    db.execute("UPDATE meta SET value = '1' WHERE name = 'table_version'")
    db.commit()
    db.close()
    assert answers(cli) == before


def test_states_lost_but_table_there(cli: Command, filled: Path) -> None:
    before = answers(cli)
    db = sqlite3.connect(generation(cli) / "state.db")
    db.execute("DROP TABLE files")
    db.commit()
    db.close()
    assert answers(cli) == before


def test_another_schema_version(cli: Command, filled: Path) -> None:
    # "a schema change is noticed and healed by a rebuild"
    before = answers(cli)
    db = sqlite3.connect(generation(cli) / "state.db")
    db.execute("UPDATE meta SET value = '9999' WHERE name = 'schema'")
    db.commit()
    db.close()
    answer = cli.run("status")
    assert answer.code == 0
    assert "another version" in answer.err
    assert answers(cli) == before


def test_the_index_goes_while_a_vault_is_open(vault: Vault, root: Path) -> None:
    # "never an exception in the user's face": a program that keeps a Vault open
    memory(root, "memories/a.md", "mem_00000000000a", "The ferry has a green funnel")
    memory(root, "memories/b.md", "mem_00000000000b", "The train has a green engine")
    before = [(found.memory.id, found.score) for found in vault.recall("ferry").results]
    shutil.rmtree(vault.status().index_dir)
    assert [(found.memory.id, found.score) for found in vault.recall("ferry").results] == before
    shutil.rmtree(vault.status().index_dir)
    assert vault.remember("The ferry has a green funnel").duplicate_of is not None


def test_a_rebuild_that_was_interrupted(cli: Command, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the index in use stays until the new one is whole
    from vault_mem.index.index import Index

    class Killed(BaseException):
        pass

    def die(self: Index) -> None:
        raise Killed

    before, old = answers(cli), generation(cli)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Index, "finish_generation", die)
        cli.run("reindex")
    assert generation(cli) == old
    assert answers(cli) == before
    cli.run("reindex")
    assert len(list(old.parent.glob("g-*"))) == 1


# ---- the model


@pytest.fixture
def tiny_model(tmp_path: Path) -> Callable[[str, int], Path]:
    """Makes a model2vec model of a few words."""

    def make(name: str, dim: int) -> Path:
        import numpy as np
        from model2vec import StaticModel
        from tokenizers import Tokenizer
        from tokenizers.models import WordLevel
        from tokenizers.pre_tokenizers import Whitespace

        words = [
            "[UNK]",
            "[PAD]",
            "the",
            "ferry",
            "green",
            "funnel",
            "has",
            "a",
            "butter",
            "bread",
            "harbour",
            "timetable",
        ]
        tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        vectors = np.random.default_rng(dim).normal(size=(len(words), dim)).astype(np.float32)
        folder = tmp_path / name
        StaticModel(vectors=vectors, tokenizer=tokenizer, config={"normalize": True}).save_pretrained(folder)
        return folder

    return make


def test_another_model(cli: Command, filled: Path, tiny_model: Callable[[str, int], Path]) -> None:
    # "A user may configure another; a change re-embeds", with a notice, and back again
    before, seen = answers(cli), states(filled)
    other = {"VAULT_MEM_MODEL": str(tiny_model("tiny", 8))}
    answer = cli.run("recall", "ferry funnel", "--json", env=other)
    assert answer.code == 0
    assert "note: index rebuilt: the embedding model changed" in answer.err
    assert answer.json["results"][0]["id"] == "mem_00000000000a"
    status = cli.json("status", env=other)
    assert (status["dim"], status["model"]) == (8, other["VAULT_MEM_MODEL"])
    assert cli.run("remember", "The ferry has a green funnel", env=other).code == 3
    # the same name, other weights
    shutil.rmtree(other["VAULT_MEM_MODEL"])
    tiny_model("tiny", 6)
    assert cli.json("status", env=other)["dim"] == 6
    assert "model changed" in cli.run("status").err
    assert answers(cli) == before
    assert states(filled) == seen


def test_a_model_changed_in_place(cli: Command, filled: Path, tiny_model: Callable[[str, int], Path]) -> None:
    # "a change re-embeds", also where size and time of the file are as they were
    other = {"VAULT_MEM_MODEL": str(tiny_model("tiny", 8))}
    assert "model changed" in cli.run("status", env=other).err
    file = Path(other["VAULT_MEM_MODEL"]) / "model.safetensors"
    before, raw = file.stat(), file.read_bytes()
    file.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "model changed" in cli.run("status", env=other).err
    assert cli.run("status", env=other).err == ""


def test_a_model_from_the_users_settings(cli: Command, filled: Path, tiny_model: Callable[[str, int], Path]) -> None:
    folder = tiny_model("mine", 4)
    assert cli.run("config", "set", "--user", "model", str(folder)).code == 0
    assert cli.json("status")["dim"] == 4


@pytest.mark.parametrize("kind", ["nowhere", "empty", "a file", "cut short", "hub"])
def test_a_model_that_is_not_there(
    cli: Command, filled: Path, tiny_model, tmp_path: Path, kind: str, monkeypatch
) -> None:
    # "one that is not there is a clear error", exit 1; the index of the old one stays
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    before, old = answers(cli), generation(cli)
    name = tmp_path / "model"
    if kind == "empty":
        name.mkdir()
    elif kind == "a file":
        name.write_text("not a model")
    elif kind == "cut short":
        name = tiny_model("model", 4)
        (name / "model.safetensors").write_bytes((name / "model.safetensors").read_bytes()[:20])
    elif kind == "hub":
        name = "nobody-at-all/no-such-model"
    status = cli.run("status", env={"VAULT_MEM_MODEL": str(name)})
    assert status.code == 0  # it answers in every state, and says what is wrong
    assert f"embedding model '{name}'" in status.out
    for command in (["recall", "ferry"], ["remember", "A new thing"], ["reindex"]):
        answer = cli.run(*command, env={"VAULT_MEM_MODEL": str(name)})
        assert answer.code == 1
        assert answer.out == ""
        first, hint = answer.err.splitlines()
        assert first.startswith(f"error: embedding model '{name}'")
        assert "built-in model" in hint
    assert generation(cli) == old
    assert answers(cli) == before
    assert len(list((filled / "memories").rglob("*.md"))) == 4


def test_progress_with_time_left(root: Path, env: dict[str, str]) -> None:
    # "reindex rebuilds from nothing with a progress bar and time left"
    from vault_mem.index import sync

    note(root, "memories/a.md", "One")
    calls: list[tuple[int, int]] = []
    Vault(root, env=env, progress=lambda done, total: calls.append((done, total))).reindex()
    assert calls[-1] == (1, 1)
    assert sync.BATCH_FILES > 1


def test_long_notes_are_indexed_few_at_a_time(root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held at once is bounded by its size, not only by the number of files."""
    from vault_mem.index import sync

    for name in "abcde":
        note(root, f"memories/{name}.md", f"{name} " + "the ferry leaves at nine. " * 40)
    monkeypatch.setattr(sync, "BATCH_BYTES", 1500)
    calls: list[tuple[int, int]] = []
    vault = Vault(root, env=env, progress=lambda done, total: calls.append((done, total)))
    assert vault.reindex().added == 5
    assert [done for done, _ in calls] == [2, 4, 5]


def test_an_index_folder_that_cannot_be(cli: Command, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "taken"
    file.write_text("")
    answer = cli.run("status", env={"VAULT_MEM_INDEX_DIR": str(file)})
    assert answer.code == 0  # it answers in every state, and says what is wrong
    assert "trouble" in answer.out
    assert str(file) in answer.out
    answer = cli.run("recall", "ferry", env={"VAULT_MEM_INDEX_DIR": str(file)})
    assert answer.code == 1
    assert "VAULT_MEM_INDEX_DIR" in answer.err
    assert "Traceback" not in answer.err


def test_an_index_of_an_earlier_version_is_no_damage(cli: Command, root: Path) -> None:
    # V-8: its tables lack columns of today's
    cli.run("remember", "The quay was repainted")
    [state] = Path(cli.env["VAULT_MEM_INDEX_DIR"]).rglob("state.db")
    with contextlib.closing(sqlite3.connect(state)) as database, database:
        database.execute("DROP INDEX ending")
        database.execute("ALTER TABLE files DROP COLUMN ends")
        database.execute("UPDATE meta SET value = '8' WHERE name = 'schema'")
    answer = cli.run("recall", "quay")
    assert "The quay was repainted" in answer.out
    assert "another version" in answer.err and "damaged" not in answer.err
