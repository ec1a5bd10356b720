"""Two clones, one memory: merges by the real git, with our driver and without it (SPEC V-11)."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from clones import Clone, ids, made, no_marks, pair, public_text_of, same_bytes
from conftest import Command
from helpers import aged, contents

from vault_mem import Vault
from vault_mem.merging import merge

__all__ = ["made", "pair"]  # fixtures


def test_saves_on_both_sides_merge(pair: tuple[Clone, Clone]) -> None:
    # V-11: three rounds, no conflict, views as from the memories, history in order of time
    one, other = pair
    for number in range(3):
        for clone, minute in ((one, 2 * number), (other, 2 * number + 1)):
            now = f"2026-11-10T10:{minute:02}:00+00:00"
            id_ = clone.save(f"Thought {number} of {clone.root.name}", "--importance", "4", now=now)
            clone.run("tag", id_, "x", now=now)
        one.merge(other)
        assert same_bytes(one, other)
        assert one.cli.json("views", "rebuild")["files"] == []
    assert no_marks(one)
    history = [json.loads(line) for line in (one.root / "history/2026-11.jsonl").read_text().splitlines()]
    assert [each["at"] for each in history] == sorted({each["at"] for each in history})
    assert len((one.root / "memory/2026-11-10.md").read_text().splitlines()) == 2 + 6
    assert one.doctor() == other.doctor() == []


def test_both_change_one_note(pair: tuple[Clone, Clone]) -> None:
    # V-11: keys and lines apart do not conflict; lists are sets, importance the higher, closed stays closed
    one, other = pair
    ferry, garden = ids(one)
    one.run("tag", ferry, "sea", "boat")
    other.run("tag", ferry, "island")
    one.run("edit", ferry, "--set", "importance=2")
    other.run("edit", ferry, "--set", "importance=4")
    one.run("close", ferry, now="2026-11-10T10:00:00+00:00")
    other.run("close", ferry, now="2026-11-10T09:00:00+00:00")
    one.run("confirm", garden, now="2026-11-11T10:00:00+00:00")
    other.run("confirm", garden, now="2026-11-12T10:00:00+00:00")
    for clone, line in ((one, "one"), (other, "three")):
        path = clone.note(garden)
        path.write_text(path.read_text().replace(f"Line {line}", f"Row {line}"))
    one.merge(other)
    memory = one.cli.json("show", ferry)
    assert memory["tags"] == ["boat", "island", "sea"]
    assert (memory["importance"], memory["valid_to"][:16]) == (4, "2026-11-10T09:00")
    text = one.note(garden).read_text()
    assert "last_confirmed: 2026-11-12T10:00:00" in text and "Row one" in text and "Row three" in text
    assert same_bytes(one, other)


def test_a_conflict_keeps_both_texts(pair: tuple[Clone, Clone]) -> None:
    # V-11: the same key and the same line; the note can be read meanwhile, and doctor names it
    one, other = pair
    garden = ids(one)[1]
    for clone, word in ((one, "beans"), (other, "roses")):
        clone.run("edit", garden, "--set", f"category={word}")
        path = clone.note(garden)
        path.write_text(path.read_text().replace("Line one", f"Plant {word}"))
    said = one.merge(other, check=False)
    assert "CONFLICT (content)" in said and said.count("CONFLICT") == 1
    text = one.note(garden).read_text()
    assert all(word in text for word in ("Plant beans", "Plant roses", "category: beans", "category: roses"))
    status = one.cli.json("status")
    assert status["problems"] == [] and status["git"]["under_way"] == "merge"
    assert one.cli.json("show", garden)["category"] == "beans"
    (found,) = [each for each in one.doctor() if each["check"] == "merges"]
    assert "both texts" in found["message"] and found["path"] == str(one.note(garden).relative_to(one.root))
    one.cli.run("doctor", "--fix")
    assert one.note(garden).read_text() == text  # only a person can decide


def test_nothing_is_written_unasked_during_a_merge(pair: tuple[Clone, Clone]) -> None:
    # V-11: adoption, views, healing wait until the merge has ended, also after a stash
    one, other = pair
    garden = ids(one)[1]
    for clone, word in ((one, "beans"), (other, "roses")):
        path = clone.note(garden)
        path.write_text(path.read_text().replace("Line one", word))
    one.merge(other, check=False)
    dropped = one.root / "memories/mine.md"
    dropped.write_text("Dropped while merging.\n")
    aged(dropped)
    before = contents(one.root)
    one.run("status")
    one.run("recall", "garden")
    assert {key: raw for key, raw in contents(one.root).items() if not key.startswith(".git/")} == {
        key: raw for key, raw in before.items() if not key.startswith(".git/")
    }
    one.git("reset", "-q", "--hard")
    one.run("status")
    assert "id: mem_" in dropped.read_text()
    path = one.note(garden)
    path.write_text(path.read_text().replace("beans", "kale"))
    one.git("stash", "-q")
    path.write_text(path.read_text().replace("beans", "leeks"))
    one.commit()
    one.git("stash", "pop", check=False)
    assert one.cli.json("status")["git"]["under_way"] == "merge"


def test_forgotten_here_and_edited_there(pair: tuple[Clone, Clone]) -> None:
    # V-11: git stops; the edit wins, the deletion is told
    one, other = pair
    garden = ids(one)[1]
    path = other.note(garden)
    path.write_text(path.read_text() + "Edited there.\n")
    one.run("forget", garden)
    assert "modify/delete" in one.merge(other, check=False)
    fixed = one.cli.json("doctor", "--fix")["fixed"]
    assert any("one side deleted it" in each["message"] for each in fixed)
    one.git("commit", "-qm", "merge")
    assert "Edited there." in one.note(garden).read_text()
    assert same_bytes(one, other)
    assert f"[id:{garden}]" in (one.root / "memory/2026-11-09.md").read_text()


@pytest.mark.parametrize("holder_merges", [True, False])
def test_private_here_and_edited_there(pair: tuple[Clone, Clone], holder_merges: bool) -> None:
    # V-11, P-3: the machine that holds the private file takes the edit in; the public file goes
    one, other = pair
    garden = ids(one)[1]
    path = other.note(garden)
    path.write_text(path.read_text() + "Edited there.\n")
    one.run("private", garden)
    if holder_merges:
        assert "modify/delete" in one.merge(other, check=False)
        one.cli.run("doctor", "--fix")  # git's history still has the public file: that stays a finding
        one.commit()
    else:
        assert "modify/delete" in other.merge(one, check=False)
        other.commit()
        assert "Edited there." in other.note(garden).read_text()
        one.merge(other)
        one.run("status")
    text = (one.root / f"private/{garden}.md").read_text()
    assert "Edited there." in text and "Line one" in text and "private: true" in text
    assert garden not in public_text_of(one) and not list((one.root / "memories").rglob(f"*{garden[4:12]}.md"))
    assert same_bytes(one, other)
    assert [each for each in one.doctor() if each["check"] != "git-history"] == []


def test_private_here_and_linked_there(pair: tuple[Clone, Clone]) -> None:
    # V-11, P-3: no public line names it once the machine that holds it has run
    one, other = pair
    ferry, garden = ids(one)
    other.run("link", ferry, garden)
    assert ferry[4:12] in other.note(garden).read_text()
    one.run("private", ferry)
    one.merge(other)
    one.run("status")
    named = public_text_of(one)
    assert ferry not in named and ferry[4:12] not in named
    assert garden[4:12] in (one.root / f"private/{ferry}.md").read_text()
    assert same_bytes(one, other)


def test_a_private_memory_never_enters_a_merge(pair: tuple[Clone, Clone], tmp_path: Path) -> None:
    # V-11: not in what git said, its objects, the files or what the driver was given
    one, other = pair
    seen = tmp_path / "seen"
    seen.mkdir()
    driver = one.git("config", "merge.vault-mem.driver").stdout.strip()
    one.git(
        "config",
        "merge.vault-mem.driver",
        f"cat %O %A %B >> {seen}/given; ({driver}); code=$?; cat %A >> {seen}/made; exit $code",
    )
    for clone in pair:
        clone.save("zanzibarquill is between us", "--private", "--category", "introspection")
        clone.save(f"An open thought of {clone.root.name}", "--importance", "5")
    said = one.merge(other)
    one.run("status")
    one.commit()
    given = (seen / "given").read_text() + (seen / "made").read_text()
    assert "An open thought" in given and "zanzibar" not in said + given + public_text_of(one)
    assert one.git("log", "--all", "--format=%H", "-Szanzibar").stdout == ""


def test_one_fact_replaced_on_both_sides(pair: tuple[Clone, Clone]) -> None:
    # V-11: both stand, the old one is closed once, and the owner is asked
    one, other = pair
    ferry = ids(one)[0]
    older = one.save("The ferry leaves at ten.", "--supersedes", ferry, now="2026-11-10T10:00:00+00:00")
    newer = other.save("The ferry leaves at eleven.", "--supersedes", ferry, now="2026-11-10T11:00:00+00:00")
    one.merge(other)
    assert one.note(ferry).read_text().count("valid_to: 2026-11-10T10:00:00") == 1
    found = [each for each in one.cli.json("doctor")["findings"] if each["check"] == "superseded-twice"]
    assert [newer in each["message"] and older in each["message"] for each in found] == [True]
    one.run("doctor", "--fix")
    assert f"supersede {newer} {older}" in (one.root / "REVIEW.md").read_text()
    assert "superseded-twice" not in {each["check"] for each in one.cli.json("doctor")["findings"]}


def test_the_same_text_on_both_sides(pair: tuple[Clone, Clone]) -> None:
    # V-11: a repetition, proposed for merging
    one, other = pair
    both = [clone.save("The harbour master retires in spring.") for clone in pair]
    one.merge(other)
    found = one.cli.json("consolidate", "--all")["merge_candidates"]
    assert {tuple(sorted(both))} <= {tuple(sorted((each["memory_a_id"], each["memory_b_id"]))) for each in found}
    assert "merge mem_" in (one.root / "REVIEW.md").read_text()


def test_clocks_apart(pair: tuple[Clone, Clone]) -> None:
    # V-11: each line stands at the time its own machine gave it
    one, other = pair
    ferry, garden = ids(one)
    other.run("tag", ferry, "early", now="2026-11-10T06:00:00+00:00")
    one.run("tag", garden, "late", now="2026-11-10T12:00:00+09:00")  # which is three in the morning
    one.merge(other)
    at = [json.loads(line)["at"] for line in (one.root / "history/2026-11.jsonl").read_text().splitlines()]
    assert [each[11:16] for each in at[-2:]] == ["03:00", "06:00"]
    assert same_bytes(one, other)


def test_renamed_here_and_edited_there(pair: tuple[Clone, Clone]) -> None:
    # V-11: git follows the file, and so do links and views
    one, other = pair
    garden = ids(one)[1]
    one.run("rename", garden, "the vegetable patch")
    path = other.note(garden)
    path.write_text(path.read_text().replace("Line one", "Row one"))
    one.merge(other)
    assert "Row one" in one.note(garden).read_text() and "vegetable" in one.note(garden).name
    assert same_bytes(one, other)
    assert one.doctor() == []


def test_a_new_memory_that_git_takes_for_an_old_one(pair: tuple[Clone, Clone]) -> None:
    # V-11: forgotten here, where a similar one was saved; edited there: two memories, and both stay
    one, other = pair
    garden = ids(one)[1]
    path = other.note(garden)
    path.write_text(path.read_text().replace("Line one", "Row one"))
    text = one.note(garden).read_text()
    one.run("forget", garden)
    new = one.save(text.split("---\n")[2].replace("Line three", "Verse three"), now="2026-11-09T09:00:00+00:00")
    assert "CONFLICT (content)" in one.merge(other, check=False)
    assert one.cli.json("status")["problems"] == []
    assert "took another memory" in next(each["message"] for each in one.doctor() if each["check"] == "merges")
    one.run("doctor", "--fix")
    one.git("commit", "-qm", "merge")
    assert "Row one" in one.note(garden).read_text() and "Verse three" in one.note(new).read_text()
    assert "Verse" not in one.note(garden).read_text() and no_marks(one)
    assert same_bytes(one, other) and one.doctor() == []


def test_renamed_on_both_sides(pair: tuple[Clone, Clone]) -> None:
    # V-11: one id in two files; both are found, and doctor names them
    one, other = pair
    garden = ids(one)[1]
    one.run("rename", garden, "the vegetable patch")
    other.run("rename", garden, "the flower bed")
    assert "rename/rename" in one.merge(other, check=False)
    assert [each["check"] for each in one.doctor() if each["check"] == "duplicate-ids"] == ["duplicate-ids"]
    one.run("doctor", "--fix")
    assert len(list((one.root / "memories").rglob(f"*{garden[4:12]}.md"))) == 1
    one.commit()
    assert same_bytes(one, other)


def test_renamed_on_both_sides_and_changed_much(pair: tuple[Clone, Clone]) -> None:
    # V-11: git does not know the changed one again (rename/delete); doctor --fix does, by its id
    one, other = pair
    garden = ids(one)[1]
    one.run("rename", garden, "the vegetable patch")
    path = one.note(garden)
    path.write_text(path.read_text() + "".join(f"A long story, part {number}.\n" for number in range(40)))
    other.run("rename", garden, "the flower bed")
    assert "rename/delete" in one.merge(other, check=False)
    one.run("doctor", "--fix")
    (left,) = (one.root / "memories").rglob(f"*{garden[4:12]}.md")
    assert "part 39" in left.read_text() and "Line one" in left.read_text()
    one.commit()
    assert same_bytes(one, other) and one.doctor() == []


def test_ones_own_text_in_views_and_ticks(pair: tuple[Clone, Clone]) -> None:
    # V-11: the owner's lines merge as text does; a tick on either side stays
    one, other = pair
    for clone, line in ((one, "First line"), (other, "Last line")):
        clone.save(f"An important thing of {clone.root.name}", "--importance", "5")
        path = clone.root / "MEMORY.md"
        path.write_text(path.read_text().replace(line, f"{line}, changed"))
    one.merge(other)
    text = (one.root / "MEMORY.md").read_text()
    assert text.count("changed") == 2 and text.count("An important thing") == 2 and text.count("vault-mem:begin") == 1
    assert same_bytes(one, other)
    for text in ("Rent is due on Friday.", "Rent is due on Friday!"):
        one.save(text)
    one.run("consolidate", "--all")
    one.commit()
    other.git("pull", "-q", str(one.root), "HEAD")
    path = other.root / "REVIEW.md"
    path.write_text(path.read_text().replace("- [ ]", "- [x]", 1))
    one.save("Something else entirely.")
    review = one.root / "REVIEW.md"
    review.write_text(review.read_text() + "\nMy remark.\n")
    other.commit()
    one.merge(other)
    assert "- [x]" in review.read_text() and "My remark." in review.read_text()


def test_a_clone_without_the_driver_is_healed(pair: tuple[Clone, Clone]) -> None:
    # V-11: as on a forge's page; marks in views and in front matter, lines twice; no line is lost
    one, other = pair
    one.git("config", "--remove-section", "merge.vault-mem")
    (one.root / ".git/info/attributes").unlink()
    ferry = ids(one)[0]
    for clone in pair:
        clone.save(f"Thought of {clone.root.name}", "--importance", "5")
        clone.run("tag", ferry, clone.root.name)
        clone.run("edit", ferry, "--set", "category=decision")
    assert "CONFLICT" in one.merge(other, check=False)
    one.git("add", "-A")
    one.git("commit", "-qm", "taken as it is")  # what people do
    assert not no_marks(one)
    assert {each["check"] for each in one.doctor()} >= {"merges", "broken-files"}
    one.run("doctor", "--fix")
    assert no_marks(one) and one.doctor() == []
    assert one.cli.json("show", ferry)["tags"] == ["one", "two"]
    assert all(f"Thought of {name}" in (one.root / "MEMORY.md").read_text() for name in ("one", "two"))
    history = [json.loads(line) for line in (one.root / "history/2026-11.jsonl").read_text().splitlines()]
    assert {tag for each in history for tag in ("one", "two") if f"- {tag}" in str(each["after"])} == {"one", "two"}
    assert one.git("config", "merge.vault-mem.driver").stdout
    assert same_bytes(one, other)


def test_a_rebase_and_a_cherry_pick(pair: tuple[Clone, Clone]) -> None:
    # V-11: the driver serves them as well
    one, other = pair
    for number in range(2):
        for clone in pair:
            clone.save(f"Thought {number} of {clone.root.name}", "--importance", "5")
            clone.commit()
    one.git("fetch", "-q", str(other.root), "HEAD")
    one.git("rebase", "-q", "FETCH_HEAD")
    assert same_bytes(one, other) and no_marks(one)
    one.save("Picked by the other", "--importance", "5")
    one.commit()
    other.save("Meanwhile", "--importance", "5")
    other.commit()
    other.git("fetch", "-q", str(one.root), "HEAD")
    other.git("cherry-pick", "FETCH_HEAD")
    other.run("status")
    assert no_marks(other) and other.cli.json("views", "rebuild")["files"] == []


@pytest.mark.parametrize("broken", [False, True])
def test_the_program_is_missing(pair: tuple[Clone, Clone], tmp_path: Path, broken: bool) -> None:
    # V-11: git merges as it always does, and nobody's side is dropped; so, too, where its Python or package is gone
    one, other = pair
    program = tmp_path / "a broken program"
    if broken:
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
    driver = one.git("config", "merge.vault-mem.driver").stdout.strip()
    one.git("config", "merge.vault-mem.driver", re.sub(r"(?<=program in ).*?(?=; do)", f"'{program}'", driver))
    garden = ids(one)[1]
    for clone, line in ((one, "one"), (other, "three")):
        path = clone.note(garden)
        path.write_text(path.read_text().replace(f"Line {line}", f"Row {line}"))
    one.merge(other)
    assert one.note(garden).read_text().split("---\n")[2].count("Row") == 2
    found = [each for each in one.cli.json("doctor")["findings"] if each["check"] == "merge-driver"]
    assert ["merge.vault-mem" in each["message"] for each in found] == ([] if broken else [True])


def test_a_vault_in_a_folder_of_a_repository(tmp_path: Path, env: dict[str, str]) -> None:
    # V-11: attributes name the files from where they are
    top = tmp_path / "top"
    subprocess.run(["git", "init", "-q", top], check=True)
    Vault.init(top / "my notes", env=env, timezone="UTC", git=True)
    assert not (top / "my notes/.git").exists()
    one = Clone(top / "my notes", env)
    keys = ("memories/2026-11/x.md", "history/2026-11.jsonl", "memory/2026-11-10.md", "MEMORY.md")
    said = one.git("check-attr", "merge", "--", *keys).stdout
    assert said.count("merge: vault-mem") == len(keys)
    one.save("Before.", "--importance", "5")
    one.commit()
    subprocess.run(["git", "clone", "-q", top, tmp_path / "clone"], check=True)
    other = Clone(tmp_path / "clone/my notes", env)
    other.run("doctor", "--fix")
    for clone in (one, other):
        clone.save(f"Saved in {clone.root.parent.name}", "--importance", "5")
    one.git("config", "user.name", "t")
    one.commit()
    other.commit()
    one.git("fetch", "-q", str(other.root.parent), "HEAD")
    one.git("merge", "-m", "merge", "FETCH_HEAD")
    assert no_marks(one) and "Saved in clone" in (one.root / "MEMORY.md").read_text()


def test_init_says_what_it_wrote(tmp_path: Path, env: dict[str, str]) -> None:
    cli = Command(tmp_path, env)
    made = cli.json("init", "v", "--git")["created"]
    assert {".git/", ".gitattributes", "git's setting merge.vault-mem", ".git/info/attributes"} <= set(made)
    assert cli.json("init", "v", "--git")["created"] == []
    assert "merge=union" in (tmp_path / "v/.gitattributes").read_text()


def test_status_tells_how_the_vault_stands_to_git(pair: tuple[Clone, Clone], cli: Command) -> None:
    one, other = pair
    assert "git:          not a repository" in cli.run("status").out
    line = next(each for each in other.run("status").out.splitlines() if each.startswith("git:"))
    assert "no uncommitted" in line and "up to date with origin/" in line and "ignores what is private" in line
    other.save("New here.")
    other.commit()
    other.save("Not committed.")
    one.save("New there.")
    one.commit()
    other.git("fetch", "-q")
    (line,) = [each for each in other.run("status").out.splitlines() if each.startswith("git:")]
    assert "1 uncommitted note(s)" in line and "ahead of and 1 behind origin/" in line
    (other.root / ".gitignore").write_text("")
    assert "does NOT ignore" in other.run("status").out


CONFLICTED = ("{stem} (conflicted copy 2026-11-10).md", "{stem}.sync-conflict-20261110-101010-ABC.md", "{stem} 2.md")


def test_a_sync_service_kept_two_versions(cli: Command, root: Path) -> None:
    # V-11: merged where the journal has the common text, shown side by side where it has not
    (root / "vault-mem.toml").write_text('timezone = "UTC"\nquiet_seconds = 0\n')
    id_ = cli.json("remember", "Line one.\n\nLine two.\n\nLine three.", "--force")["memory"]["id"]
    path = root / cli.json("show", id_)["path"]
    before = path.read_text()
    cli.run("edit", id_, "--set", "importance=5")
    cli.run("tag", id_, "here")
    copies = [path.with_name(name.format(stem=path.stem)) for name in CONFLICTED]
    for copy, line in zip(copies, ("one", "two", "three"), strict=True):
        copy.write_text(before.replace(f"Line {line}", f"Row {line}"))
    found = [each for each in cli.json("doctor")["findings"] if each["check"] == "conflict-copies"]
    assert {each["path"] for each in found} == {str(each.relative_to(root)) for each in copies}
    assert all("doctor --fix merges" in each["hint"] for each in found)
    cli.run("doctor", "--fix")
    copy = copies[0]
    text = path.read_text()
    assert not any(each.exists() for each in copies) and text.split("---\n")[2].count("Row") == 3
    assert "importance: 5" in text and "- here" in text
    copy.write_text(text.replace("Row one", "Song one"))
    path.write_text(text.replace("Row one", "Verse one"))
    shown = cli.run("review", "list").out
    assert "Verse one" in shown and "Song one" in shown and copy.name in shown
    cli.run("doctor", "--fix")
    assert copy.exists()


def test_merging_is_the_same_both_ways() -> None:
    # V-11: whoever merges, the same lines come out
    note = "---\nid: mem_000000000001\ncreated: 2026-11-01T00:00:00\nimportance: 3\ntags:\n  - a\n---\nText.\n"
    one = note.replace("  - a\n", "  - a\n  - c\n").replace("importance: 3", "importance: 5")
    other = note.replace("  - a\n", "  - b\n").replace("importance: 3", "importance: 4")
    found = [
        merge("memories/x.md", note.encode(), *(each.encode() for each in pair))
        for pair in ((one, other), (other, one))
    ]
    assert found[0].text == found[1].text and not found[0].conflicts
    assert "importance: 5\ntags:\n  - b\n  - c\n---" in found[0].text


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_ends_of_one_side_do_not_conflict(ending: str) -> None:
    # V-11: an editor that writes CRLF changed every line, and meant none
    base = "---\nid: mem_000000000001\n---\nOne.\nTwo.\nThree.\n"
    ours = base.replace("One", "First").replace("\n", ending)
    found = merge("memories/x.md", base.encode(), ours.encode(), base.replace("Three", "Third").encode())
    assert not found.conflicts
    assert found.text == base.replace("One", "First").replace("Three", "Third").replace("\n", ending)


def test_an_undo_leaves_the_views_that_git_tracks(pair: tuple[Clone, Clone]) -> None:
    # V-11: emptied, as forget leaves them: git could not merge a deletion with what the other side added
    one, other = pair
    one.save("The only thought of its day.", now="2026-11-12T10:00:00+00:00")
    one.merge(other)
    other.git("pull", "-q", str(one.root), "HEAD")
    view = one.root / "memory/2026-11-12.md"
    before = view.read_bytes()
    op = one.run("undo", "--json").json["op"]
    assert view.read_text() == "# 2026-11-12\n\n"
    again = one.run("undo", op, "--json").json["op"]
    assert view.read_bytes() == before
    one.run("undo", again)
    other.save("Another thought of that day.", now="2026-11-12T11:00:00+00:00")
    one.merge(other)
    assert "Another thought" in view.read_text() and "The only" not in view.read_text()
    assert same_bytes(one, other) and one.doctor() == []


@pytest.mark.parametrize("private", [False, True])
def test_a_renaming_that_git_takes_for_two(pair: tuple[Clone, Clone], private: bool) -> None:
    # V-11: forgotten or private here, edited there; both have a third much like it: git merges three texts into one
    one, other = pair
    garden = ids(one)[1]
    text = one.note(garden).read_text()
    new = one.save(text.split("---\n")[2].replace("Line three", "Verse three"), now="2026-11-09T09:00:00+00:00")
    one.commit()
    other.save("Meanwhile.")
    other.commit()
    other.git("fetch", "-q", str(one.root), "HEAD")
    other.git("cherry-pick", "FETCH_HEAD")
    path = other.note(garden)
    path.write_text(path.read_text().replace("Line one", "Row one"))
    one.run("private" if private else "forget", garden)
    said = one.merge(other, check=False)
    assert "CONFLICT (rename involved in collision)" in said
    one.cli.run("doctor", "--fix")
    one.commit()
    assert one.note(garden).is_relative_to(one.root / "private") is private
    assert "Row one" in one.note(garden).read_text() and "Verse three" in one.note(new).read_text()
    assert "Verse" not in one.note(garden).read_text() and no_marks(one)
    assert same_bytes(one, other)
    assert [each for each in one.doctor() if each["check"] != "git-history"] == []
    assert not private or (garden not in public_text_of(one) and "Row one" not in public_text_of(one))
