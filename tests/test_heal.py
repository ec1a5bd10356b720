"""Healing: links to the old name of a renamed file get the new one, once nobody is at work there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, note, states

A, B, C = "mem_aa11aa11aa11", "mem_bb22bb22bb22", "mem_cc33cc33cc33"


@pytest.fixture
def eager(cli: Command) -> Command:
    """No waiting: ctime, which no test can set, counts too."""
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("config", "set", "views", "false")
    return cli


def renamed(root: Path, old: str, new: str) -> Path:
    target = root / new
    target.parent.mkdir(parents=True, exist_ok=True)
    (root / old).rename(target)
    return target


def seen_renamed(cli: Command, root: Path, old: str, new: str) -> None:
    """A rename between two commands."""
    cli.run("status")
    renamed(root, old, new)
    cli.run("status")


def linked(cli: Command, id_: str) -> list[str]:
    return [each["id"] for each in cli.json("show", id_)["links"]]


def heals(cli: Command) -> list[dict]:
    return [each for each in cli.json("history")["operations"] if each["command"] == "heal"]


@pytest.mark.parametrize("new", ["memories/New name.md", "memories/deep/新しい名前.md"])
@pytest.mark.parametrize("old", ["memories/one-aa11aa11.md", "memories/A name I chose.md"])
def test_a_renamed_file(eager: Command, root: Path, old: str, new: str) -> None:
    # V-5, V-4: front matter and body; heading, display text and all else stay; the graph never lost it
    name, stem = Path(old).stem, Path(new).stem
    memory(root, old, A, "The target")
    text = (
        f"---\r\nid: {B}\r\ncreated: 2026-11-01\r\n"
        f'# mine\r\nlinks:\r\n  - "[[{name}|The target · caused_by 0.81]]"\r\nother: x\r\n---\r\n'
        f"See [[{name}]], [[{name}#Part|that part]], ![[{name}^b1]] and `[[{name}]]`.\r\n"
        f"| a | [[{name}\\|cell]] |\r\n```\r\n[[{name}]]\r\n```"
    )
    path = note(root, "memories/b.md", text.encode())
    assert linked(eager, B) == [A]
    before = path.stat().st_mtime_ns
    renamed(root, old, new)
    eager.run("config", "set", "heal_links", "false")
    assert linked(eager, B) == [A]
    assert path.read_bytes() == text.encode()
    eager.run("config", "set", "heal_links", "true")
    eager.run("status")
    code = f"`[[{name}]]`", f"```\r\n[[{name}]]\r\n```"
    shown = "" if name.endswith("aa11aa11") else f"|{name}"  # what people read stays, but for a name of ours
    wanted = text.replace(f"See [[{name}]]", f"See [[{stem}{shown}]]").replace(f"[[{name}", f"[[{stem}")
    for each in code:
        wanted = wanted.replace(each.replace(name, stem), each)
    assert path.read_bytes().decode() == wanted
    assert path.stat().st_mtime_ns > before  # O-5: or rsync would miss it
    assert linked(eager, B) == [A]
    (heal,) = heals(eager)
    assert heal["unasked"] is True
    assert heal["files"] == ["memories/b.md"]


def test_it_waits_until_both_are_quiet(cli: Command, root: Path) -> None:
    # V-4: 30 seconds, and `status` shows it
    memory(root, "memories/Old.md", A, "The target")
    memory(root, "memories/b.md", B, "See [[Old]]")
    cli.run("status")
    renamed(root, "memories/Old.md", "memories/New.md")
    before = states(root)
    assert cli.json("status")["waiting_for_heal"] == ["memories/b.md"]
    assert "1 for new names in links (heal_links = true)" in cli.run("status").out
    assert linked(cli, B) == [A]
    assert states(root) == before
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("config", "set", "views", "false")
    cli.run("status")  # it answers first, and heals then
    assert cli.json("status")["waiting_for_heal"] == []
    assert "See [[New|Old]]" in (root / "memories/b.md").read_text()


def test_obsidian_was_first(eager: Command, root: Path) -> None:
    # V-5: if Obsidian has already done it, nothing happens
    memory(root, "memories/Old.md", A, "The target")
    path = memory(root, "memories/b.md", B, "See [[Old]]")
    eager.run("status")
    renamed(root, "memories/Old.md", "memories/New.md")
    path.write_text(path.read_text().replace("[[Old]]", "[[New]]"))
    before = contents(root)
    eager.run("status")
    assert contents(root) == before
    assert heals(eager) == []


def test_a_renamed_folder(eager: Command, root: Path) -> None:
    # V-5: links with a folder keep the folder, others need nothing
    memory(root, "memories/2026-11/Plan.md", A, "The target")
    path = memory(
        root,
        "memories/b.md",
        B,
        "[[Plan]], [[memories/2026-11/Plan|p]], [[2026-11/Plan#h]], [[notes/Plan]] and [[../2026-11/Plan]]",
    )
    eager.run("status")
    (root / "memories/2026-11").rename(root / "memories/autumn")
    eager.run("status")
    assert path.read_text().endswith(
        "[[Plan]], [[memories/autumn/Plan|p]], [[memories/autumn/Plan#h]], [[notes/Plan]] and [[../2026-11/Plan]]\n"
    )


def test_names_compare_as_nfc_and_without_case(eager: Command, root: Path) -> None:
    # V-5
    memory(root, "memories/\u304cくせい Note.md", A, "The target")
    path = memory(root, "memories/b.md", B, "[[か\u3099くせい NOTE]]")
    seen_renamed(eager, root, "memories/\u304cくせい Note.md", "memories/New.md")
    assert path.read_text().endswith("[[New|か\u3099くせい NOTE]]\n")


def test_a_name_that_only_changed_its_case_needs_nothing(eager: Command, root: Path) -> None:
    # V-5
    memory(root, "memories/Note.md", A, "The target")
    memory(root, "memories/b.md", B, "[[Note]]")
    seen_renamed(eager, root, "memories/Note.md", "memories/NOTE.md")
    assert heals(eager) == []


def test_a_name_that_meant_two_memories_is_left(eager: Command, root: Path) -> None:
    # V-5: healed when it meant exactly one memory
    memory(root, "memories/a/Same.md", A, "One")
    other = memory(root, "memories/b/Same.md", B, "Other")
    path = memory(root, "memories/c.md", C, "[[Same]]")
    seen_renamed(eager, root, "memories/a/Same.md", "memories/a/New.md")
    assert linked(eager, C) == [B]  # the one that is still called so
    other.unlink()
    eager.run("status")
    assert path.read_text().endswith("[[Same]]\n")
    assert heals(eager) == []


def test_two_memories_one_after_the_other_with_a_name(eager: Command, root: Path) -> None:
    # V-5
    memory(root, "memories/Same.md", A, "One")
    seen_renamed(eager, root, "memories/Same.md", "memories/x.md")
    memory(root, "memories/Same.md", B, "Other")
    eager.run("status")
    renamed(root, "memories/Same.md", "memories/y.md")
    path = memory(root, "memories/c.md", C, "[[Same]]")
    eager.run("status")
    assert path.read_text().endswith("[[Same]]\n")
    assert linked(eager, C) == []


def test_a_name_that_another_file_of_the_vault_has(eager: Command, root: Path) -> None:
    # V-5: in Obsidian the link now means that file, although we do not read it
    memory(root, "memories/Kaya.md", A, "About Kaya")
    path = memory(root, "memories/c.md", C, "[[Kaya]]")
    eager.run("status")
    renamed(root, "memories/Kaya.md", "memories/Kaya, my friend.md")
    note(root, "people/Kaya.md", "A note of mine")
    eager.run("status")
    assert path.read_text().endswith("[[Kaya]]\n")


def test_a_name_that_is_not_unique_gets_its_folder(eager: Command, root: Path) -> None:
    # V-5
    memory(root, "memories/one-aa11aa11.md", A, "The target")
    path = memory(root, "memories/c.md", C, "[[one-aa11aa11|it]]")
    note(root, "people/Kaya.md", "A note of mine")
    seen_renamed(eager, root, "memories/one-aa11aa11.md", "memories/Kaya.md")
    assert path.read_text().endswith("[[memories/Kaya|it]]\n")


def test_from_the_id_without_any_index(eager: Command, root: Path) -> None:
    # V-5: a link carries the id
    memory(root, "memories/Renamed long ago.md", A, "The target")
    path = memory(root, "memories/b.md", B, "[[one-aa11aa11]]")
    eager.run("status")
    assert path.read_text().endswith("[[Renamed long ago]]\n")


def test_old_names_survive_a_rebuild(eager: Command, root: Path) -> None:
    # V-5: also of a file that is renamed before the index is rebuilt
    memory(root, "memories/Old.md", A, "The target")
    path = memory(root, "memories/b.md", B, "[[Old]] and [[Second]]")
    memory(root, "memories/Second.md", C, "Another")
    eager.run("config", "set", "heal_links", "false")
    seen_renamed(eager, root, "memories/Old.md", "memories/New.md")
    renamed(root, "memories/Second.md", "memories/2.md")
    eager.run("reindex")
    assert sorted(linked(eager, B)) == [A, C]
    eager.run("config", "set", "heal_links", "true")
    eager.run("status")
    assert path.read_text().endswith("[[New|Old]] and [[2|Second]]\n")


def test_a_note_without_an_id_that_is_renamed(eager: Command, root: Path) -> None:
    # V-5, V-6
    eager.run("config", "set", "adopt_ids", "never")
    note(root, "memories/Old.md", "No id in here")
    path = memory(root, "memories/b.md", B, "[[Old]]")
    seen_renamed(eager, root, "memories/Old.md", "memories/New.md")
    assert path.read_text().endswith("[[New|Old]]\n")


def test_what_is_not_ours_or_broken_is_left(eager: Command, root: Path) -> None:
    # V-4, V-7
    eager.run("config", "set", "include", "notes/**")
    memory(root, "memories/Old.md", A, "The target")
    note(root, "notes/n.md", "[[Old]]")
    note(root, "memories/broken.md", "---\ntags: [a\n---\n[[Old]]")
    eager.run("status")
    renamed(root, "memories/Old.md", "memories/New.md")
    before = contents(root)
    eager.run("status")
    assert contents(root) == before


def test_a_public_note_never_gets_the_name_of_a_private_one(eager: Command, root: Path) -> None:
    # P-3
    memory(root, "memories/Old.md", A, "The target")
    public = memory(root, "memories/b.md", B, "[[Old]]")
    private = note(root, f"private/{C}.md", f"---\nid: {C}\n---\n[[Old]]")
    eager.run("status")
    renamed(root, "memories/Old.md", f"private/{A}.md").chmod(0o600)
    eager.run("status")
    assert public.read_text().endswith("[[Old]]\n")
    assert private.read_text().endswith(f"[[{A}|Old]]")


def test_episodes_are_healed_too(eager: Command, root: Path) -> None:
    # V-5, W-2
    memory(root, "memories/Old.md", A, "The target")
    path = note(root, "episodes/e.md", '---\nid: ep_0123456789ab\nmembers:\n  - "[[Old]]"\n---\n# [[Old|The target]]\n')
    seen_renamed(eager, root, "memories/Old.md", "memories/New.md")
    assert path.read_text() == '---\nid: ep_0123456789ab\nmembers:\n  - "[[New]]"\n---\n# [[New|The target]]\n'


def test_a_heal_that_was_undone_is_not_done_again(eager: Command, root: Path) -> None:
    # V-4: undoable, and then left so until its owner changes the file
    memory(root, "memories/Old.md", A, "The target")
    path = memory(root, "memories/b.md", B, "[[Old]]")
    seen_renamed(eager, root, "memories/Old.md", "memories/New.md")
    assert path.read_text().endswith("[[New|Old]]\n")
    (heal,) = heals(eager)
    undone = eager.json("undo", heal["op"])
    assert path.read_text().endswith("[[Old]]\n")
    eager.run("status")
    eager.run("reindex")
    eager.run("status")
    assert path.read_text().endswith("[[Old]]\n")
    assert "Old" not in (root / ".vault-mem/declined.jsonl").read_text()
    eager.run("undo", undone["op"])
    assert path.read_text().endswith("[[New|Old]]\n")
    eager.run("undo", heals(eager)[0]["op"])
    path.write_text(path.read_text() + "More.\n")
    eager.run("status")
    assert "[[New|Old]]" in path.read_text()


def test_an_adoption_that_was_undone_is_not_done_again(eager: Command, root: Path) -> None:
    # V-6, V-4
    path = note(root, "memories/a.md", "A heron")
    eager.run("status")
    adopted = eager.json("history")["operations"][0]
    assert adopted["command"] == "adopt"
    eager.run("undo", adopted["op"])
    assert path.read_text() == "A heron"
    assert eager.json("status")["waiting_for_id"] == []
    assert path.read_text() == "A heron"
    path.write_text("A heron on the weir")
    eager.run("status")
    assert path.read_text().startswith("---\nid: mem_")


def test_a_file_saved_at_the_same_moment_is_left(eager: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-8
    from vault_mem.vault import journal

    memory(root, "memories/Old.md", A, "The target")
    path = memory(root, "memories/b.md", B, "[[Old]]")
    eager.run("status")
    renamed(root, "memories/Old.md", "memories/New.md")
    real = journal.Transaction.commit

    def save_first(self: journal.Transaction) -> str:
        path.write_text(path.read_text() + "More.\n")
        return real(self)

    with monkeypatch.context() as patch:
        patch.setattr(journal.Transaction, "commit", save_first)
        answer = eager.run("status")
    assert "links not healed" in answer.err
    assert path.read_text().endswith("[[Old]]\nMore.\n")
    eager.run("status")
    assert path.read_text().endswith("[[New|Old]]\nMore.\n")


def test_nothing_is_looked_at_twice(eager: Command, root: Path) -> None:
    # a link that leads nowhere costs nothing once it has been looked at
    memory(root, "memories/b.md", B, "[[Someday]] and [[x-00000000]]")
    eager.run("status")
    assert json.loads(eager.run("status", "--json").out)["waiting_for_heal"] == []
    assert heals(eager) == []


def test_forget_finds_links_to_an_old_name(cli: Command, root: Path) -> None:
    # F-1, V-5: before they are healed
    memory(root, "memories/Old.md", A, "The target")
    path = memory(root, "memories/b.md", B, "See [[Old|it]]", 'links: ["[[Old]]"]')
    cli.run("status")
    renamed(root, "memories/Old.md", "memories/New.md")
    assert cli.json("forget", A)["references"] == ["memories/b.md"]
    assert "[[" not in path.read_text()
    cli.run("restore", A)
    assert linked(cli, B) == [A]


def test_a_purge_takes_the_old_names_along(eager: Command, root: Path, env: dict[str, str]) -> None:
    # F-2: no file of the index holds them
    memory(root, "memories/zebra plan.md", A, "The target")
    memory(root, "memories/b.md", B, "Another")
    eager.run("status")
    renamed(root, "memories/zebra plan.md", "memories/x-aa11aa11.md")
    renamed(root, "memories/b.md", "memories/c.md")
    eager.run("status")
    assert eager.run("forget", A, "--purge").code == 0
    index = Path(env["VAULT_MEM_INDEX_DIR"])
    held = [path for path in index.rglob("*") if path.is_file() and b"zebra plan" in path.read_bytes()]
    assert held == []
    memory(root, "memories/d.md", C, "[[b]]")
    eager.run("status")
    assert linked(eager, C) == [B]
