"""Identity is the id, not the path: renames, moves, copies and conflicts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, note, states

from vault_mem import Vault

A, B = "mem_aa11aa11aa11", "mem_bb22bb22bb22"


def by_path(cli: Command) -> dict[str, str]:
    return {each["path"]: each["id"] for each in cli.json("list", "--all")["memories"]}


@pytest.fixture
def pair(root: Path) -> Path:
    memory(
        root,
        "memories/2026-11/one-aa11aa11.md",
        A,
        "The first of the two",
        'links: ["[[two-bb22bb22|Two · similar 0.80]]"]',
    )
    memory(root, "memories/2026-11/two-bb22bb22.md", B, "The second of the two")
    return root


def links(cli: Command, id_: str) -> list[tuple[str, str, float | None]]:
    return [(each["id"], each["type"], each["confidence"]) for each in cli.json("show", id_)["links"]]


@pytest.mark.parametrize(
    "new",
    [
        "memories/2026-11/renamed.md",
        "memories/elsewhere/two-bb22bb22.md",
        "memories/deep/er/別名 😀.md",
        "private/x.md",
    ],
)
def test_a_renamed_or_moved_file_is_the_same_memory(cli: Command, pair: Path, new: str) -> None:
    # V-5: the memory keeps its id, its links and is found; the link is resolved by the id in it
    assert links(cli, A) == [(B, "similar", 0.8)]
    target = pair / new
    target.parent.mkdir(parents=True, exist_ok=True)
    (pair / "memories/2026-11/two-bb22bb22.md").rename(target)
    before = states(pair)
    assert by_path(cli) == {"memories/2026-11/one-aa11aa11.md": A, new: B}
    assert links(cli, A) == [(B, "similar", 0.8)]
    assert links(cli, B) == [(A, "similar", 0.8)]
    assert cli.json("recall", "second of the two")["results"][0]["path"] == new
    assert states(pair) == before


def test_a_renamed_folder_and_git_mv(cli: Command, pair: Path) -> None:
    # V-5
    cli.run("status")
    for command in (["init", "-q"], ["add", "-A"], ["mv", "memories/2026-11", "memories/autumn"]):
        subprocess.run(["git", *command], cwd=pair, check=True, capture_output=True)
    assert by_path(cli) == {"memories/autumn/one-aa11aa11.md": A, "memories/autumn/two-bb22bb22.md": B}
    assert links(cli, B) == [(A, "similar", 0.8)]


def test_a_move_embeds_nothing_again(vault: Vault, pair: Path) -> None:
    # sync: only what changed is parsed and embedded
    vault.recall("two")
    (pair / "memories/2026-11/two-bb22bb22.md").rename(pair / "memories/moved.md")
    report = vault.workspace.sync().report
    assert (report.moved, report.added, report.removed, report.embedded) == (1, 0, 0, 0)


def test_names_compare_without_case_and_as_nfc(cli: Command, root: Path) -> None:
    # V-5
    memory(root, "memories/か\u3099くせい.md", A, "A name in NFD")
    memory(root, "memories/b.md", B, "See [[\u304cくせい]] and [[GAKUSEI]]")
    memory(root, "memories/Gakusei.md", "mem_cc33cc33cc33", "Latin letters")
    assert sorted(each[0] for each in links(cli, B)) == sorted([A, "mem_cc33cc33cc33"])


def test_a_link_by_path_alias_free_name_or_id(cli: Command, root: Path) -> None:
    # V-3, V-5
    memory(root, "memories/a/Some Note.md", A, "Target")
    for number, target in enumerate(
        [
            "Some Note",
            "some note",
            "memories/a/Some Note",
            "memories/a/Some Note.md",
            "Some Note#Heading",
            f"{A}",
            "x-aa11aa11",
        ]
    ):
        memory(root, f"memories/s{number}.md", f"mem_{number:012x}", f"See [[{target}]]")
        assert [each[0] for each in links(cli, f"mem_{number:012x}")] == [A], target


def test_an_ambiguous_name_links_to_neither(cli: Command, root: Path) -> None:
    # V-5: when it meant exactly one memory
    memory(root, "memories/a/Same.md", A, "One")
    memory(root, "memories/b/same.md", B, "Other")
    memory(root, "memories/s.md", "mem_000000000001", "See [[Same]] or [[memories/b/same]]")
    assert [each[0] for each in links(cli, "mem_000000000001")] == [B]


@pytest.mark.parametrize(
    "copy",
    [
        "memories/2026-11/two-bb22bb22 copy.md",
        "memories/2026-11/two-bb22bb22 1.md",
        "memories/2026-11/two-bb22bb22 (conflicted copy 2026-11-15).md",
        "memories/2026-11/two-bb22bb22.sync-conflict-20261115-120000-ABCDEFG.md",
        "memories/2026-11/two-bb22bb22のコピー.md",
        "memories/a.md",
    ],
)
def test_a_copy_goes_by_a_provisional_id(cli: Command, pair: Path, copy: str) -> None:
    # V-5, O-5: both are searchable, the second under a provisional id, as one result, and reported; nothing is written
    cli.run("status")
    shutil.copy2(pair / "memories/2026-11/two-bb22bb22.md", pair / copy)
    before = states(pair)
    found = by_path(cli)
    assert found["memories/2026-11/two-bb22bb22.md"] == B
    assert found[copy] not in (A, B)
    original = "memories/2026-11/two-bb22bb22.md"
    results = [each for each in cli.json("recall", "second of the two")["results"] if each["path"] in (copy, original)]
    assert [(each["path"], each["copies"]) for each in results] == [(original, [copy])]
    assert copy in [each["path"] for each in cli.json("doctor")["findings"] if each["check"] == "duplicate-ids"]
    assert states(pair) == before
    # the same after a rebuild, whichever came first
    cli.run("reindex")
    assert by_path(cli) == found
    # the original goes: the copy takes its place
    (pair / "memories/2026-11/two-bb22bb22.md").unlink()
    assert by_path(cli)[copy] == B


def test_a_copy_in_an_included_folder_does_not_take_the_id(cli: Command, pair: Path) -> None:
    # V-5: what is read-only for the tool is not the memory
    shutil.copytree(pair / "memories/2026-11", pair / "n")
    cli.run("config", "set", "include", "n/**")
    assert by_path(cli) == {"memories/2026-11/one-aa11aa11.md": A, "memories/2026-11/two-bb22bb22.md": B}
    assert links(cli, A) == [(B, "similar", 0.8)]


def test_the_untitled_note_renamed_and_made_again(cli: Command, root: Path) -> None:
    # V-5, V-6: Obsidian's Untitled.md, adopted, renamed, and a new one in its place: two memories, two ids
    cli.run("config", "set", "quiet_seconds", "0")
    first = note(root, "memories/Untitled.md", "A thought about rivers")
    cli.run("status")
    assert "id: mem_" in first.read_text()
    first.rename(root / "memories/Rivers.md")
    note(root, "memories/Untitled.md", "A thought about mountains")
    found = by_path(cli)
    assert len(set(found.values())) == 2
    assert found["memories/Rivers.md"] in (root / "memories/Rivers.md").read_text()
    assert found["memories/Untitled.md"] in (root / "memories/Untitled.md").read_text()
    for path, id_ in found.items():
        assert cli.json("show", id_)["path"] == path
    assert [each for each in cli.json("doctor")["findings"] if each["check"] == "duplicate-ids"] == []


def test_the_untitled_note_before_adoption(cli: Command, root: Path) -> None:
    # V-5: the same with adoption off, where only the first has got an id
    cli.run("config", "set", "quiet_seconds", "0")
    note(root, "memories/Untitled.md", "A thought about rivers")
    cli.run("status")
    cli.run("config", "set", "adopt_ids", "never")
    (root / "memories/Untitled.md").rename(root / "memories/Rivers.md")
    note(root, "memories/Untitled.md", "A thought about mountains")
    found = by_path(cli)
    assert len(set(found.values())) == 2
    ids = [each["id"] for each in cli.json("recall", "thought")["results"]]
    assert len(ids) == len(set(ids)) == 2  # the same id never appears twice


def test_provisional_ids_are_stable(cli: Command, root: Path) -> None:
    # V-6: the id a note goes by is the one that is written into it
    cli.run("config", "set", "adopt_ids", "never")
    path = note(root, "memories/a.md", "Something")
    id_ = by_path(cli)["memories/a.md"]
    cli.run("reindex")
    assert by_path(cli)["memories/a.md"] == id_
    cli.run("config", "set", "adopt_ids", "quiet")
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("status")
    assert f"id: {id_}\n" in path.read_text()
    assert by_path(cli)["memories/a.md"] == id_


def test_an_id_that_changes_in_the_file(cli: Command, pair: Path) -> None:
    # V-1: the file is the truth
    cli.run("status")
    path = pair / "memories/2026-11/two-bb22bb22.md"
    path.write_text(path.read_text().replace(B, "mem_cc33cc33cc33"))
    assert by_path(cli)["memories/2026-11/two-bb22bb22.md"] == "mem_cc33cc33cc33"
    assert cli.run("show", B).code == 4


def test_two_files_swap_names(cli: Command, pair: Path) -> None:
    # V-5
    cli.run("status")
    one, two = pair / "memories/2026-11/one-aa11aa11.md", pair / "memories/2026-11/two-bb22bb22.md"
    one.rename(pair / "aside")
    two.rename(one)
    (pair / "aside").rename(two)
    assert by_path(cli) == {"memories/2026-11/one-aa11aa11.md": B, "memories/2026-11/two-bb22bb22.md": A}
    assert cli.json("show", A)["content"] == "The first of the two"


def test_ids_are_not_taken_from_elsewhere(cli: Command, root: Path) -> None:
    # V-2: mem_ + 12 hex, nothing else
    for number, id_ in enumerate(
        ["mem_XYZ", "MEM_AA11AA11AA11", "mem_aa11aa11aa1", "mem_aa11aa11aa11b", "42", "''", "[a]"]
    ):
        note(root, f"memories/{number}.md", f"---\nid: {id_}\n---\nText {number}\n")
    found = by_path(cli)
    assert len(set(found.values())) == 7
    assert contents(root)["memories/0.md"] == b"---\nid: mem_XYZ\n---\nText 0\n"
