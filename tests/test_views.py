"""Views: public memories mirrored for people, whose own text in them stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, line_end, memory, note, public_text

NOON = {"VAULT_MEM_NOW": "2026-11-15T12:30:00+09:00"}
LATER = {"VAULT_MEM_NOW": "2026-11-15T14:05:00+09:00"}


def saved(cli: Command, text: str, *options: str, at: dict[str, str] = NOON) -> str:
    return cli.json("remember", text, *options, env=at)["memory"]["id"]


def test_the_daily_log(cli: Command, root: Path) -> None:
    # W-1: a line each, ending in the marker, in the order of the day
    later = saved(cli, "The lamp on the pier is out", at=LATER)
    first = saved(cli, "Marit called about the cartons.\nShe was calm.")
    assert (root / "memory/2026-11-15.md").read_text() == (
        "# 2026-11-15\n\n"
        f"- 12:30 Marit called about the cartons. She was calm. {line_end(root, first)}\n"
        f"- 14:05 The lamp on the pier is out {line_end(root, later)}\n"
    )
    assert not (root / "MEMORY.md").exists()


def test_the_digest(cli: Command, root: Path) -> None:
    # W-1: importance >= 4 or a curated category, newest first, in a managed block
    note(root, "MEMORY.md", "# Mine\r\n\r\nMy words.\r\n")
    old = saved(cli, "Kaya prefers tea", "--importance", "4")
    new = saved(cli, "We ship by air", "--category", "decision", at=LATER)
    saved(cli, "Rain again", at=LATER)
    assert (root / "MEMORY.md").read_bytes().decode() == (
        "# Mine\r\n\r\nMy words.\r\n\r\n<!-- vault-mem:begin -->\r\n"
        f"- 2026-11-15 We ship by air {line_end(root, new)}\r\n- 2026-11-15 Kaya prefers tea {line_end(root, old)}\r\n"
        "<!-- vault-mem:end -->\r\n"
    )


def test_the_latest_monologue(cli: Command, root: Path) -> None:
    # W-1: overwritten by the latest introspection, and by nothing else
    saved(cli, "I was wrong about the radio.", "--category", "introspection")
    saved(cli, "Staying a moment with a thing\nthat is over.", "--category", "introspection", at=LATER)
    saved(cli, "Rain again", at=LATER)
    path = root / "memory/inner-monologue-latest.md"
    assert path.read_text() == (
        "<!-- vault-mem:begin -->\nStaying a moment with a thing\nthat is over.\n<!-- vault-mem:end -->\n"
    )
    cli.run("undo")
    cli.run("undo")
    assert path.read_text() == "<!-- vault-mem:begin -->\nI was wrong about the radio.\n<!-- vault-mem:end -->\n"


def test_a_persons_words_in_the_monologue_stay(cli: Command, root: Path) -> None:
    # S-8: before and after the block, whoever speaks, and to the byte when nobody does any more
    path = root / "memory/inner-monologue-latest.md"
    first = saved(cli, "I was wrong about the radio.", "--category", "introspection")
    path.write_text("Mine above.\r\n\n" + path.read_text() + "\nMine below, no end")
    before = path.read_bytes()
    second = saved(cli, "The lamp can wait.", "--category", "introspection", at=LATER)
    said = path.read_text()
    assert "The lamp can wait." in said
    assert "radio" not in said
    assert cli.run("undo").code == 0
    assert path.read_bytes() == before
    third = saved(cli, "The kettle sings.", "--category", "introspection", at=LATER)
    path.write_bytes(path.read_bytes() + b" at all")
    assert cli.run("undo").code == 0
    assert path.read_bytes() == before + b" at all"
    for id_ in (first, second, third):
        cli.run("private", id_)
    assert path.read_text() == "Mine above.\n\nMine below, no end at all"


def test_a_persons_own_monologue_is_kept(cli: Command, root: Path) -> None:
    # S-8: a file that was there before; W-1: one that an earlier version wrote is taken over whole
    path = root / "memory/inner-monologue-latest.md"
    path.parent.mkdir()
    path.write_text("All of this is mine.\n")
    first = saved(cli, "I was wrong about the radio.", "--category", "introspection")
    assert path.read_text().startswith("All of this is mine.\n\n<!-- vault-mem:begin -->\nI was wrong")
    path.write_text("I was wrong about the radio.\n")
    saved(cli, "The lamp can wait.", "--category", "introspection", at=LATER)
    assert path.read_text() == "<!-- vault-mem:begin -->\nThe lamp can wait.\n<!-- vault-mem:end -->\n"
    assert cli.run("undo").code == 0
    assert path.read_text() == "I was wrong about the radio.\n"
    assert cli.run("private", first).code == 0
    assert not path.exists()


def test_private_memories_are_not_mirrored(cli: Command, root: Path) -> None:
    # P-3
    for category in ("introspection", "decision"):
        cli.run("remember", "-", "--private", "--importance", "5", "--category", category, stdin=f"Quiet {category}")
    assert {name for name in contents(root) if not name.startswith("private/")} == {".gitignore", "vault-mem.toml"}


def test_a_persons_own_text_stays(cli: Command, root: Path) -> None:
    # W-1: their lines, their order, a missing final newline, bytes that are no UTF-8
    id_ = saved(cli, "Something long ago", "--importance", "5")
    day = root / "memory/2026-11-15.md"
    day.write_bytes(b"My own start\n" + day.read_bytes() + b"\nAsk Mio \xff about the truck")
    before = day.read_bytes()
    other = saved(cli, "Cartons are packed", at=LATER)
    assert cli.run("forget", other).code == 0
    assert day.read_bytes() == before
    assert cli.run("forget", id_).code == 0
    assert day.read_bytes() == b"My own start\n# 2026-11-15\n\n\nAsk Mio \xff about the truck"
    assert not (root / "MEMORY.md").exists()


def test_they_can_be_turned_off(cli: Command, root: Path) -> None:
    # W-1
    cli.run("config", "set", "views", "false")
    saved(cli, "Nobody mirrors this", "--importance", "5", "--category", "introspection")
    assert not (root / "memory").exists()
    assert not (root / "MEMORY.md").exists()


def test_rebuild(cli: Command, root: Path) -> None:
    # W-1: views rebuild gives what saving one by one gave, and keeps what people wrote
    saved(cli, "Marit called", "--importance", "4")
    saved(cli, "The lamp is out", "--category", "introspection", at=LATER)
    (root / "MEMORY.md").write_text("Mine.\n" + (root / "MEMORY.md").read_text())
    before = contents(root)
    for name in ("memory/2026-11-15.md", "memory/inner-monologue-latest.md"):
        (root / name).unlink()
    stale = (root / "MEMORY.md").read_text().replace("Marit called", "Marit rang")
    (root / "MEMORY.md").write_text(
        stale.replace("<!-- vault-mem:end", "- gone [id:mem_0123456789ab]\n<!-- vault-mem:end")
    )
    answer = cli.json("views", "rebuild", env=LATER)
    assert sorted(answer["files"]) == ["MEMORY.md", "memory/2026-11-15.md", "memory/inner-monologue-latest.md"]
    assert contents(root) == before
    assert cli.json("views", "rebuild", env=LATER)["files"] == []


def test_an_edit_and_a_close_are_followed(cli: Command, root: Path) -> None:
    # W-1, R-6: the lines say what the memory says; a closed memory leaves the digest and stays in the log
    id_ = saved(cli, "The standup is at 3pm", "--importance", "4")
    cli.run("remember", "The standup is at half past three", "--update", id_, env=LATER)
    assert "half past three" in (root / "memory/2026-11-15.md").read_text()
    assert "half past three" in (root / "MEMORY.md").read_text()
    cli.run("remember", "The standup is at 5pm now", "--supersedes", id_, "--force", env=LATER)
    assert not (root / "MEMORY.md").exists()
    assert f"[id:{id_}]" in (root / "memory/2026-11-15.md").read_text()


def test_what_ceases_to_hold_leaves_the_digest_in_time(cli: Command, root: Path) -> None:
    # W-1, V-11: an end that lay in the future, as that of a clone whose clock is ahead, passes; nothing is edited then
    id_ = saved(cli, "The bridge is closed", "--importance", "4", "--valid-to", "2026-11-15T15:00")
    cli.run("recall", "bridge", env=LATER)
    assert f"[id:{id_}]" in (root / "MEMORY.md").read_text()
    digest = (root / "MEMORY.md").read_text()
    cli.run("recall", "bridge", env={"VAULT_MEM_NOW": "2026-11-15T15:01:00+09:00"})
    assert not (root / "MEMORY.md").exists()
    # a clone made later gets the digest as it was committed, and has a new index
    (root / "MEMORY.md").write_text(digest)
    new = {"VAULT_MEM_NOW": "2026-11-16T15:01:00+09:00", "VAULT_MEM_INDEX_DIR": str(root.parent / "new index")}
    cli.run("recall", "bridge", env=new)
    assert not (root / "MEMORY.md").exists()
    assert f"[id:{id_}]" in (root / "memory/2026-11-15.md").read_text()


@pytest.mark.parametrize("line", ["", "id: mem_00000000000b\n"])
def test_lines_follow_an_id_that_somebody_changed(cli: Command, root: Path, line: str) -> None:
    # W-1, P-3: else its words would stay there, also once the note is private
    cli.run("config", "set", "quiet_seconds", "0")
    old = saved(cli, "The bridge is closed", "--importance", "5")
    (path,) = (root / "memories").rglob("*.md")
    path.write_text(path.read_text().replace(f"id: {old}\n", line))
    cli.run("list")
    (new,) = [each["id"] for each in cli.json("list")["memories"]]
    for view in ("MEMORY.md", "memory/2026-11-15.md"):
        assert re.findall(r"\[id:(\w+)\]", (root / view).read_text()) == [new] != [old]
    path.write_text(path.read_text().replace("private: false", "private: true"))
    cli.run("list")
    assert "bridge" not in public_text(root)


def test_a_view_that_cannot_be_written_is_a_warning(cli: Command, root: Path) -> None:
    # F-1: the forget goes on
    id_ = saved(cli, "The lamp is out", "--importance", "5")
    (root / "MEMORY.md").unlink()
    (root / "MEMORY.md").mkdir()
    day = root / "memory/2026-11-15.md"
    answer = cli.run("forget", id_)
    assert answer.code == 0
    assert "MEMORY.md could not be kept up to date" in answer.err
    assert not day.exists()
    assert not list((root / "memories").rglob("*.md"))


def test_a_text_that_looks_like_a_marker(cli: Command, root: Path) -> None:
    # a memory that quotes a marker does not take another's line away with it
    memory(root, "memories/a.md", "mem_00000000000a", "Plain")
    cli.run("views", "rebuild")
    id_ = saved(cli, "He wrote [id:mem_00000000000a] on the wall")
    cli.run("forget", id_)
    assert "[id:mem_00000000000a]" in (root / "memory/2026-11-01.md").read_text()


MARKS = """\
%% not for the log %% # The *kiln* plan #pottery/kiln

- [ ] fire it [[Kilns/Big kiln|the big one]], ![[kiln.png]] and [the chart](charts/Cone%20six.md) ✅ 2026-11-14
budget:: 40 euro, [due:: 2026-11-20] and std::move; ==soon== <!-- private --> `#code` <b>bold</b> $$x$$ [^1] ^block
"""


def test_a_line_is_plain_text(cli: Command, root: Path) -> None:
    # O-6: no tag, field, comment, embed or half a link of a memory becomes the owner's
    id_ = saved(cli, MARKS, "--importance", "5")
    day = (root / "memory/2026-11-15.md").read_text().splitlines()[-1]
    assert day.startswith("- 12:30 The *kiln* plan pottery/kiln fire it the big one, kiln.png and the chart")
    for line in (day, (root / "MEMORY.md").read_text().splitlines()[1]):
        assert line.endswith(line_end(root, id_))
        said = line.removesuffix(line_end(root, id_))
        for mark in ("%%", "#", "::", "![[", "[[", "<!--", "<b>", "$$", "[^1]", "not for the log", "private"):
            assert mark not in said


def test_a_cut_leaves_no_half_a_link(cli: Command, root: Path) -> None:
    # O-6: the text is plain before it is cut
    id_ = saved(cli, f"{'Clay ' * 22}[[A very long name of a note|and what is shown of it in the text]] %% open")
    line = (root / "memory/2026-11-15.md").read_text().splitlines()[-1]
    said = line.removesuffix(line_end(root, id_))
    assert said.endswith("... ") and "[[" not in said and "%%" not in said


def test_lines_follow_a_rename(cli: Command, root: Path) -> None:
    # O-6: in the same operation, and with its undo
    id_ = saved(cli, "The kiln reaches cone six", "--importance", "4")
    cli.json("tag", id_, "+kilns", env=LATER)
    before = contents(root)
    cli.json("rename", id_, "Big kiln", env=LATER)
    for name in ("memory/2026-11-15.md", "MEMORY.md"):
        assert f"[[big-kiln-{id_[4:12]}|↗]] [id:{id_}]" in (root / name).read_text()
    cli.run("undo", env=LATER)
    history = {"history/2026-11.jsonl": before["history/2026-11.jsonl"]}  # what happened has happened
    assert contents(root) | history == before


def test_lines_follow_a_rename_by_hand_once_it_is_quiet(cli: Command, root: Path) -> None:
    # O-6, V-4: by its path where the name is the person's own, so that it means no other note
    id_ = saved(cli, "The kiln reaches cone six")
    (path,) = (root / "memories").rglob("*.md")
    path.rename(path.with_name("Kiln.md"))
    cli.run("status", env=LATER)
    assert "[[Kiln" not in (root / "memory/2026-11-15.md").read_text()
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("status", env=LATER)
    assert f"[[memories/2026-11/Kiln|↗]] [id:{id_}]" in (root / "memory/2026-11-15.md").read_text()
    assert (root / "memory/2026-11-15.md").read_text().count(id_) == 1


NAMES = {"views_folder": "memory-log", "log_prefix": "memory ", "digest_file": "memory-log/Important memories.md"}


def test_views_have_the_names_that_the_settings_give(cli: Command, root: Path) -> None:
    # O-6, W-1: saving, rebuild, forget, private and doctor follow
    for name, value in NAMES.items():
        assert cli.run("config", "set", name, value).code == 0
    own = note(root, "memory/2026-11-15.md", "My day.\n"), note(root, "MEMORY.md", "Mine.\n")
    ids = [saved(cli, text, "--importance", "5") for text in ("The kiln is hot", "Bergen wants twenty bowls")]
    thought = saved(cli, "I was wrong about the radio.", "--category", "introspection")
    log, digest = root / "memory-log/memory 2026-11-15.md", root / "memory-log/Important memories.md"
    assert log.read_text().startswith("# memory 2026-11-15\n\n- 12:30 ")
    assert all(id_ in path.read_text() for id_ in ids for path in (log, digest))
    monologue = root / "memory-log/inner-monologue-latest.md"
    assert "wrong about the radio" in monologue.read_text()
    assert cli.json("views", "rebuild", env=LATER)["files"] == []
    cli.json("forget", ids[0], env=LATER)
    cli.json("private", ids[1], env=LATER)
    cli.json("private", thought, env=LATER)
    assert not log.exists() and not digest.exists() and not monologue.exists()
    assert [path.read_text() for path in own] == ["My day.\n", "Mine.\n"]
    for _ in range(3):
        assert cli.run("undo", env=LATER).code == 0
    assert all(id_ in path.read_text() for id_ in ids for path in (log, digest))
    cli.run("config", "set", "include", "**")
    found = [each["path"] for each in cli.json("recall", "kiln", env=LATER)["results"]]
    assert not [each for each in found if each.startswith("memory-log/")]
    assert cli.run("recall", "my day", "--json", env=LATER).json["results"][0]["path"] == "memory/2026-11-15.md"


def test_names_that_views_cannot_have(cli: Command) -> None:
    for name, value in (
        ("views_folder", "memories/log"),
        ("views_folder", "../log"),
        ("log_prefix", "a/b "),
        ("digest_file", "digest.txt"),
        ("digest_file", "private/digest.md"),
    ):
        assert cli.run("config", "set", name, value).code == 2, (name, value)


def test_lines_leave_views_that_had_other_names_once(cli: Command, root: Path) -> None:
    # P-3, F-1: the settings were changed since
    ids = [saved(cli, text) for text in ("The kiln is hot", "Bergen wants twenty bowls", "Rain again")]
    cli.run("config", "set", "views_folder", "memory-log")
    cli.json("private", ids[0], env=LATER)
    cli.json("forget", ids[1], env=LATER)
    text = (root / "memory/2026-11-15.md").read_text()
    assert "kiln" not in text and "Bergen" not in text and ids[2] in text


def test_what_the_journal_tells_of_other_names_can_be_undone(cli: Command, root: Path) -> None:
    # S-7: the settings were changed since
    id_ = saved(cli, "The kiln is hot")
    cli.run("config", "set", "views_folder", "memory-log")
    assert cli.run("undo", env=LATER).code == 0
    assert cli.run("undo", env=LATER).code == 0
    assert cli.run("show", id_).code == 4
    assert not (root / "memory/2026-11-15.md").exists()
