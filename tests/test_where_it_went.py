"""What was moved, renamed, not downloaded or copied by a sync service is recognised by its id, and said (SPEC O-5)."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import Command
from helpers import contents, memory, note, one_line, states

from vault_mem import Vault
from vault_mem.index.sync import sync
from vault_mem.vault.walk import is_dataless

KILN, GLAZE, WHEEL = "mem_00000000000a", "mem_00000000000b", "mem_00000000000c"


@pytest.fixture
def pottery(root: Path, cli: Command) -> Path:
    memory(root, "memories/kiln-00000000.md", KILN, "The kiln reaches cone six after nine hours.")
    memory(root, "memories/Glaze.md", GLAZE, "The celadon glaze runs at the foot ring. See [[kiln-00000000]].")
    memory(root, "memories/2026-11/Wheel.md", WHEEL, "The wheel head wobbles since the flood.")
    cli.run("status")
    return root


def found(cli: Command, query: str) -> list[str]:
    return [each["path"] for each in cli.json("recall", query)["results"]]


def test_a_memory_dragged_away_is_told_once_and_by_doctor(pottery: Path, cli: Command) -> None:
    # O-5: "1 memory now lies in Archive/: include it, or move it back"
    (pottery / "Archive").mkdir()
    (pottery / "memories/Glaze.md").rename(pottery / "Archive/Glaze.md")
    before = (pottery / "Archive/Glaze.md").read_bytes()
    said = cli.run("recall", "celadon glaze").err
    assert "1 memory now lies in Archive/" in said
    assert 'config set include "Archive/**"' in said
    assert cli.run("recall", "celadon glaze").err == ""
    assert cli.json("status")["astray"] == ["Archive/Glaze.md"]
    (finding,) = [each for each in cli.json("doctor")["findings"] if each["check"] == "astray"]
    assert finding["message"].startswith("1 memory now lies in Archive/")
    assert (pottery / "Archive/Glaze.md").read_bytes() == before

    assert cli.run("config", "set", "include", "Archive/**").code == 0
    assert found(cli, "celadon glaze")[0] == "Archive/Glaze.md"
    assert cli.json("show", GLAZE)["path"] == "Archive/Glaze.md"
    assert [each for each in cli.json("doctor")["findings"] if each["check"] == "astray"] == []
    assert cli.json("status")["astray"] == []


def test_a_memory_that_is_searched_again_by_now_is_not_told(pottery: Path, env: dict[str, str]) -> None:
    # O-5: git takes files away and brings them back while a command reads the folder
    vault = Vault(pottery, env=env)
    (pottery / "memories/Glaze.md").rename(pottery / "memories/2026-11/Glaze.md")
    sync(vault.workspace.index, only=["memories/Glaze.md"])  # what had gone when the files were listed
    assert vault.workspace.index.tell_astray() == []


def test_it_comes_back_as_it_was(pottery: Path, cli: Command) -> None:
    # O-5, V-5: the same id, the same links
    shutil.move(pottery / "memories/2026-11", pottery / "Old things")
    assert "1 memory now lies in Old things/" in cli.run("list").err
    shutil.move(pottery / "Old things", pottery / "memories/2026-11")
    assert cli.json("show", WHEEL)["path"] == "memories/2026-11/Wheel.md"
    assert cli.json("status")["astray"] == []


def test_doctor_recognises_what_got_another_name_too(pottery: Path, cli: Command) -> None:
    (pottery / "memories/Glaze.md").rename(pottery / "Celadon.md")
    assert cli.run("list").code == 0
    (finding,) = [each for each in cli.json("doctor")["findings"] if each["check"] == "astray"]
    assert "in the root of the vault" in finding["message"]


def test_forgetting_is_not_moving(pottery: Path, cli: Command) -> None:
    # nothing is said of what somebody deleted, or asked to forget
    assert cli.json("forget", KILN)
    (pottery / "memories/2026-11/Wheel.md").unlink()
    answer = cli.run("list")
    assert "now lie" not in answer.err
    assert [each for each in cli.json("doctor")["findings"] if each["check"] == "astray"] == []


def test_a_renamed_folder_of_memories(pottery: Path, cli: Command) -> None:
    # O-5, V-9: the advice is not `reindex`, which would drop them all
    for number in range(4):
        memory(pottery, f"memories/more {number}.md", f"mem_0000000001{number:02d}", f"Shelf {number} holds bowls.")
    cli.run("status")
    (pottery / "memories").rename(pottery / "Agent memories")
    answer = cli.run("recall", "kiln")
    assert answer.code != 0
    assert one_line(answer.err)
    assert "7 of their ids lie in Agent memories/" in answer.err
    assert 'config set memories_folder "Agent memories"' in answer.err
    assert "reindex" not in answer.err
    assert "7 of their ids lie in Agent memories/" in cli.run("status").out
    assert cli.run("config", "set", "memories_folder", "Agent memories").code == 0
    assert found(cli, "kiln")[0] == "Agent memories/kiln-00000000.md"
    assert cli.json("show", WHEEL)["path"] == "Agent memories/2026-11/Wheel.md"


def test_renamed_folders_keep_history_and_trash(cli: Command, root: Path) -> None:
    # V-5, S-7: what happened before is told, and undone where the notes are now
    cli.run("config", "set", "views_folder", "log")
    cli.run("remember", "The kiln reaches cone six after nine hours", "--importance", "5")
    gone = cli.json("remember", "The wheel head wobbles since the flood")["memory"]["id"]
    cli.run("forget", gone)
    cli.run("remember", "-", "--private", stdin="The recipe of the celadon glaze")
    before = cli.json("history")["operations"]
    renamed = {"memories": ("memories", "Agent memories"), "private": ("private", "Secrets"), "views": ("log", "Days")}
    for setting, (old, new) in renamed.items():
        (root / old).rename(root / new)
        assert cli.run("config", "set", f"{setting}_folder", new).code == 0
    assert cli.json("history")["operations"][3:] == before
    assert [each["id"] for each in cli.json("restore", "--list")["trash"]] == [gone]
    for number, folder in (("5", "Secrets"), ("2", "Agent memories")):
        assert cli.run("undo", number).code == 0
        assert list((root / folder).rglob("*.md")) == []
    cli.run("status")
    assert not (root / "MEMORY.md").exists() and list((root / "Days").iterdir()) == []
    for arguments in (["undo", "4"], ["restore", gone]):
        answer = cli.run(*arguments)
        assert answer.code == 5 and "give it the old one first" in answer.err
    cli.run("config", "set", "memories_folder", "memories")
    assert cli.run("restore", gone).code == 0


def test_reindex_says_where_they_are(pottery: Path, cli: Command) -> None:
    (pottery / "memories").rename(pottery / "Agent memories")
    answer = cli.run("reindex")
    assert "2 memories now lie in Agent memories/" in answer.err
    assert "1 memory now lies in Agent memories/2026-11/" in answer.err


@pytest.mark.parametrize("stub", [".Glaze.md.icloud", "Glaze.md.nextcloud", "Glaze.md.owncloud", "Glaze.md.cloud"])
def test_a_file_that_is_not_downloaded_is_not_deleted(pottery: Path, cli: Command, stub: str) -> None:
    # O-5: it is still found, its links and lines stay, and it is named
    cli.run("views", "rebuild")
    log = (pottery / "memory/2026-11-01.md").read_text()
    kept = (pottery / "memories/Glaze.md").read_bytes()
    (pottery / "memories/Glaze.md").unlink()
    (pottery / "memories" / stub).write_bytes(b"bplist00")
    assert found(cli, "celadon glaze")[0] == "memories/Glaze.md"
    (told,) = [each for each in cli.json("status")["problems"] if each["path"] == "memories/Glaze.md"]
    assert told["reason"].startswith("is not downloaded")
    findings = cli.json("doctor")["findings"]
    assert [each["check"] for each in findings if each["path"] == "memories/Glaze.md"] == ["broken-files"]
    assert not [each for each in findings if each["check"] in ("dangling-links", "astray")]
    assert (pottery / "memory/2026-11-01.md").read_text() == log
    for command in (["tag", GLAZE, "+x"], ["forget", GLAZE], ["rename", GLAZE, "Other"]):
        answer = cli.run(*command)
        assert answer.code != 0
        assert "is not downloaded" in answer.err
    (pottery / "memories" / stub).unlink()
    (pottery / "memories/Glaze.md").write_bytes(kept)
    assert cli.json("show", GLAZE)["path"] == "memories/Glaze.md"
    assert cli.json("status")["problems"] == []


def test_a_whole_folder_that_is_not_downloaded(pottery: Path, cli: Command) -> None:
    # O-5, V-9: neither an error nor a mass deletion
    for number in range(4):
        memory(pottery, f"memories/more {number}.md", f"mem_0000000001{number:02d}", f"Shelf {number} holds bowls.")
    cli.run("status")
    for path in list((pottery / "memories").rglob("*.md")):
        path.rename(path.with_name(f".{path.name}.icloud"))
    assert found(cli, "celadon glaze")[0] == "memories/Glaze.md"
    assert len(cli.json("status")["problems"]) == 7


def test_an_own_note_that_is_not_downloaded_is_no_dangling_link(pottery: Path, cli: Command) -> None:
    note(pottery, "People/.Marit.md.icloud", b"bplist00")
    memory(pottery, "memories/lunch.md", "mem_0000000000ee", "Lunch with [[Marit]].")
    assert [each for each in cli.json("doctor")["findings"] if each["check"] == "dangling-links"] == []


def test_a_memory_whose_file_is_suddenly_empty(pottery: Path, cli: Command) -> None:
    # O-5: what some sync services show before they download; nothing is written into it
    path = pottery / "memories/Glaze.md"
    kept = path.read_bytes()
    path.write_bytes(b"")
    assert found(cli, "celadon glaze")[0] == "memories/Glaze.md"
    (told,) = cli.json("status")["problems"]
    assert told["reason"].startswith("is empty: not downloaded yet")
    answer = cli.run("tag", GLAZE, "+x")
    assert (answer.code, "is not downloaded" in answer.err) == (5, True)
    assert path.read_bytes() == b""
    path.write_bytes(kept)
    assert cli.json("status")["problems"] == []


def test_marks_of_onedrive_and_dropbox() -> None:
    # O-5: macOS and Windows mark the file itself
    assert not is_dataless(Path(__file__).stat())
    assert is_dataless(SimpleNamespace(st_flags=0x40000000))  # type: ignore[arg-type]
    assert is_dataless(SimpleNamespace(st_file_attributes=0x400000))  # type: ignore[arg-type]
    assert not is_dataless(SimpleNamespace(st_file_attributes=0x20, st_flags=0x20))  # type: ignore[arg-type]


COPIES = (
    "Glaze (Marit's conflicted copy 2026-11-16).md",
    "Glaze.sync-conflict-20261116-081234-ABCDEFG.md",
    "Glaze (1).md",
    "Glaze 2.md",
)


def test_conflict_copies_are_one_result(pottery: Path, cli: Command) -> None:
    # O-5: four copies took ranks 1 to 4
    for name in COPIES:
        shutil.copy2(pottery / "memories/Glaze.md", pottery / "memories" / name)
    results = cli.json("recall", "celadon glaze at the foot ring", "-n", "5")["results"]
    assert [each["id"] for each in results].count(GLAZE) == 1
    assert results[0]["path"] == "memories/Glaze.md"
    assert sorted(results[0]["copies"]) == sorted(f"memories/{name}" for name in COPIES)
    assert not {each["path"] for each in results[1:]} & {f"memories/{name}" for name in COPIES}
    assert "conflict copies: 4" in cli.run("recall", "celadon glaze").out
    assert "repetition" not in cli.run("consolidate", "--all").out
    assert "near-duplicate" not in cli.run("consolidate", "--all").out
    answer = cli.json("remember", "The celadon glaze runs at the foot ring. See [[kiln-00000000]].")
    assert answer["duplicate_of"]["id"] == GLAZE


def test_what_only_the_copy_says_is_found_there(pottery: Path, cli: Command) -> None:
    # V-5: both are searchable
    copy = pottery / "memories/Glaze (conflicted copy).md"
    copy.write_text((pottery / "memories/Glaze.md").read_text() + "\nThe tenmoku bucket is under the stairs.\n" * 3)
    (first, *_) = cli.json("recall", "where is the tenmoku bucket?")["results"]
    assert first["path"] == "memories/Glaze (conflicted copy).md"
    assert first["copy_of"] == GLAZE


def test_a_conflict_copy_gets_no_id_of_its_own(cli: Command, root: Path) -> None:
    # O-5, V-6: of a note without an id, and of an included one
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("config", "set", "include", "Notes/**")
    for place in ("memories", "Notes"):
        note(root, f"{place}/Raku {place}.md", f"Raku firing in {place} needs sawdust.")
        note(root, f"{place}/Raku {place} (conflicted copy).md", f"Raku firing in {place} needs sawdust.")
    before = contents(root / "Notes")
    results = cli.json("recall", "raku firing sawdust")["results"]
    assert sorted(each["path"] for each in results) == ["Notes/Raku Notes.md", "memories/Raku memories.md"]
    assert all(each["copies"] for each in results)
    cli.run("status")
    assert "id: mem_" in (root / "memories/Raku memories.md").read_text()
    assert "id: mem_" not in (root / "memories/Raku memories (conflicted copy).md").read_text()
    assert contents(root / "Notes") == before


def test_the_library_says_it_too(pottery: Path, env: dict[str, str]) -> None:
    # O-5: and looking for it writes nothing
    (pottery / "memories/Glaze.md").rename(pottery / "Glaze.md")
    before = states(pottery)
    with Vault(pottery, env=env) as vault:
        vault.recall("kiln")
        assert vault.status().astray == ["Glaze.md"]
    assert states(pottery) == before
