"""private and publish: a memory moves in or out, and no public file names what is private."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, mode, note, public_text

SECRET = "mem_0000000a00aa"
OTHER = "mem_0000000b00bb"
SECRET_NAME = "zanzibar-plan-0000000a"


def quiet(root: Path) -> None:
    file = root / "vault-mem.toml"
    file.write_text(file.read_text() + "quiet_seconds = 0\n")


def nowhere(root: Path, *words: str) -> None:
    text = public_text(root)
    for word in words:
        assert word.casefold() not in text.casefold(), word


def test_a_public_memory_becomes_private(cli: Command, root: Path) -> None:
    # P-1, P-2, P-3: opaque name, modes, flag, views, links on the private side
    text = "The Zanzibar plan"
    made = cli.json("remember", text, "--importance", "5")["memory"]
    later = cli.json("remember", "The Zanzibar plan was heard by Kaya", "--link-threshold", "1", "--force")["memory"]
    old = root / made["path"]
    assert f"[[{old.stem}|" in (root / later["path"]).read_text()
    assert made["id"] in public_text(root)
    cli.run("remember", "The Zanzibar plan, second version", "--update", made["id"])
    assert "Zanzibar plan, second" in public_text(root)
    answer = cli.json("private", made["id"])
    assert answer["status"] == "private"
    assert answer["memory"]["path"] == f"private/{made['id']}.md"
    assert answer["links"] == 1
    moved = root / answer["memory"]["path"]
    assert (mode(moved), mode(moved.parent), mode(moved.parent / ".history")) == (0o600, 0o700, 0o700)
    assert "private: true\n" in moved.read_text()
    assert not old.exists()
    assert f"[[{Path(later['path']).stem}|" in moved.read_text()
    assert "links: []" in (root / later["path"]).read_text()
    nowhere(root, made["id"], made["id"][4:12], "second version")
    assert [each["id"] for each in cli.json("show", later["id"])["links"]] == [made["id"]]
    told = [each["command"] for each in cli.json("history", made["id"])["revisions"]]
    assert told == ["remember --update", "private"]
    assert cli.json("recall", "Zanzibar version")["results"][0]["private"] is True


def test_undo_and_redo(cli: Command, root: Path) -> None:
    # V-4, P-3: files come back byte for byte, revisions stay private, and a redo leaks nothing either
    made = cli.json("remember", "The Zanzibar plan", "--category", "introspection")["memory"]
    cli.run("remember", "The Zanzibar plan was heard by Kaya", "--link-threshold", "1", "--force")
    before = contents(root)
    cli.run("private", made["id"])
    assert not (root / "memory/inner-monologue-latest.md").exists()
    after = {name: data for name, data in contents(root).items() if ".history" not in name}
    undone = cli.json("undo")
    assert {name: data for name, data in contents(root).items() if ".history" not in name} == before
    assert not (root / "history").exists()
    cli.run("undo", undone["op"].split("-")[0])
    assert {name: data for name, data in contents(root).items() if ".history" not in name} == after
    nowhere(root, made["id"], made["id"][4:12])


def test_types_of_links_turn_round(cli: Command, root: Path) -> None:
    # P-3, V-3: confidence stays; what a person wrote counts too; other private notes get the new name
    memory(root, f"memories/{SECRET_NAME}.md", SECRET, "Zanzibar plan")
    for number, written in enumerate(
        [
            f"[[{SECRET_NAME}|Zanzibar plan · caused_by 0.83]]",
            f"[[{SECRET_NAME}|Zanzibar plan · leads_to]]",
            f"[[{SECRET_NAME}]]",
            f"[[memories/{SECRET_NAME}|x · similar 0.51]]",
        ]
    ):
        memory(
            root, f"memories/n{number}.md", f"mem_00000000000{number}", f"Note {number}", "links:", f'  - "{written}"'
        )
    memory(root, "memories/s.md", "mem_000000000005", "Newer", "supersedes:", f'  - "[[{SECRET_NAME}]]"')
    memory(root, "private/p.md", "mem_000000000006", f"See [[{SECRET_NAME}|that]]")
    cli.json("private", SECRET)
    links = (root / f"private/{SECRET}.md").read_text()
    assert '"[[n0|Note 0 · leads_to 0.83]]"' in links
    assert '"[[n1|Note 1 · caused_by]]"' in links
    assert '"[[n2|Note 2 · related]]"' in links
    assert '"[[n3|Note 3 · similar 0.51]]"' in links
    assert '"[[s|Newer · related]]"' in links
    assert f"See [[{SECRET}|that]]" in (root / "private/p.md").read_text()
    nowhere(root, SECRET_NAME, "Zanzibar", SECRET)
    assert [each for each in cli.json("doctor")["findings"] if each["check"] == "mentions"] == []


def test_prose_is_listed_and_scrubbed_when_asked(cli: Command, root: Path) -> None:
    # P-2: doctor lists it without quoting; --scrub makes plain text of it
    memory(root, f"memories/{SECRET_NAME}.md", SECRET, "Zanzibar plan")
    prose = f"I read [[{SECRET_NAME}|it]] and [[{SECRET_NAME}]] and {SECRET}; `[[other]]` stays."
    memory(root, "memories/a.md", "mem_000000000001", prose)
    (root / "SELF.md").write_text(f"I am who wrote {SECRET}.\n")
    answer = cli.run("private", SECRET)
    assert "memories/a.md" in answer.err
    assert "--scrub" in answer.err
    found = [each for each in cli.json("doctor")["findings"] if each["check"] == "mentions"]
    assert {each["path"] for each in found} == {"memories/a.md", "SELF.md"}
    assert all(SECRET in each["hint"] and "Zanzibar" not in str(each) for each in found)
    assert cli.json("private", SECRET, "--scrub")["scrubbed"] == ["memories/a.md", "SELF.md"]
    assert "I read it and (private) and (private); `[[other]]` stays." in (root / "memories/a.md").read_text()
    assert (root / "SELF.md").read_text() == "I am who wrote (private).\n"
    nowhere(root, SECRET_NAME, SECRET)
    assert f"private/{SECRET}.md" == cli.json("show", SECRET)["path"]
    assert [each["id"] for each in cli.json("show", SECRET)["links"]] == ["mem_000000000001"]
    assert {each["check"] for each in cli.json("doctor")["findings"]} <= {"origins"}


def test_episodes_follow(cli: Command, root: Path) -> None:
    # P-6, W-2: an episode with a private member is private
    memory(root, f"memories/{SECRET_NAME}.md", SECRET, "Zanzibar plan")
    memory(root, "memories/b.md", OTHER, "Another thing")
    note(
        root,
        "episodes/the-trip.md",
        f'---\nid: ep_00000000000e\nmembers:\n  - "[[{SECRET_NAME}]]"\n  - "[[b]]"\n---\n# Zanzibar\n',
    )
    note(root, "episodes/calm.md", '---\nid: ep_00000000000f\nmembers:\n  - "[[b]]"\n---\n# Calm\n')
    memory(root, "memories/c.md", "mem_00000000000c", "Of the trip", "links:", '  - "[[the-trip|Zanzibar · related]]"')
    assert cli.json("private", SECRET)["episodes"] == ["ep_00000000000e"]
    episode = root / "private/ep_00000000000e.md"
    assert mode(episode) == 0o600
    assert f'"[[{SECRET}]]"' in episode.read_text()
    assert "[[c|Of the trip · related]]" in episode.read_text()
    assert not (root / "episodes/the-trip.md").exists()
    assert (root / "episodes/calm.md").exists()
    nowhere(root, "Zanzibar", SECRET, "ep_00000000000e")
    answer = cli.run("publish", "ep_00000000000e")
    assert answer.code == 6
    cli.run("publish", SECRET)
    assert cli.json("publish", "ep_00000000000e")["memory"]["path"] == "episodes/the-trip.md"  # as it was called


def test_publish(cli: Command, root: Path) -> None:
    # P-2, P-3: out by name, month and slug; links to what stays private move there
    other = cli.json("remember", "-", "--private", stdin="My doubts on the Borealis merger")["memory"]
    made = cli.json(
        "remember",
        "-",
        "--private",
        "--force",
        "--link-threshold",
        "1",
        "--importance",
        "5",
        stdin="Borealis merger talks",
    )["memory"]
    assert other["id"] in (root / made["path"]).read_text()
    answer = cli.json("publish", made["id"])
    path = root / answer["memory"]["path"]
    assert (answer["status"], answer["links"]) == ("public", 1)
    assert path.parent.parent == root / "memories"
    assert path.name == f"borealis-merger-talks-{made['id'][4:12]}.md"
    assert "private: false\n" in path.read_text()
    assert mode(path) & 0o044
    assert f"[[{path.stem}|Borealis merger talks · similar" in (root / other["path"]).read_text()
    nowhere(root, other["id"], "doubts")
    assert f"[id:{made['id']}]" in (root / "MEMORY.md").read_text()
    assert cli.run("publish", made["id"]).code == 2
    assert cli.run("undo").code == 0
    assert (root / made["path"]).exists()
    assert mode(root / made["path"]) == 0o600
    nowhere(root, made["id"], "Borealis")


def test_publish_stops_where_the_text_names_private_ones(cli: Command, root: Path) -> None:
    # P-3: in doubt it stays private
    memory(root, f"private/{OTHER}.md", OTHER, "Hidden")
    memory(root, f"private/{SECRET}.md", SECRET, f"See [[{OTHER}|what I hide]] and {OTHER}")
    before = contents(root)
    answer = cli.run("publish", SECRET)
    assert answer.code == 6
    assert "--scrub" in answer.err
    assert contents(root) == before
    path = root / cli.json("publish", SECRET, "--scrub")["memory"]["path"]
    assert path.read_text().endswith("See what I hide and (private)\n")
    nowhere(root, OTHER)


def test_the_flag_moves_a_quiet_note(cli: Command, root: Path) -> None:
    # P-2, V-4: unasked, once quiet, shown before, undoable; a setting of its own
    made = cli.json("remember", "The Zanzibar plan", "--importance", "5", "--category", "introspection")["memory"]
    path = root / made["path"]
    path.write_text(path.read_text().replace("private: false", "private: yes").replace("plan\n", "plan grew\n"))
    assert cli.json("status")["waiting_to_move"] == [made["path"]]
    assert cli.json("recall", "Zanzibar")["results"][0]["private"] is True
    assert path.exists()
    cli.run("config", "set", "private_moves", "false")
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("list")
    assert path.exists()
    assert not (root / "MEMORY.md").exists()  # its lines leave all the same
    cli.run("config", "set", "private_moves", "true")
    answer = cli.run("list")
    assert f"private/{made['id']}.md" in answer.err
    assert (root / f"private/{made['id']}.md").exists()
    assert "private: yes\n" in (root / f"private/{made['id']}.md").read_text()
    nowhere(root, "Zanzibar", made["id"], made["id"][4:12])
    last = cli.json("history")["operations"][0]
    assert (last["command"], last["unasked"]) == ("private", True)
    assert cli.json("status")["waiting_to_move"] == []
    cli.run("undo", last["op"].split("-")[0])
    cli.run("list")
    assert path.exists()  # taken back: not done again, and private all the same
    assert cli.json("show", made["id"])["private"] is True


@pytest.mark.parametrize(
    "lines", [["Private: true"], ["private: true", "private: false"], ["private: false", "PRIVATE: yes"]]
)
def test_any_line_that_says_private_counts(cli: Command, root: Path, lines: list[str]) -> None:
    # P-2: in doubt it stays private; to Obsidian, Private is the same property
    quiet(root)
    path = memory(root, "memories/plan.md", "mem_00000000000a", "The Zanzibar plan", "importance: 5", *lines)
    assert cli.json("recall", "Zanzibar")["results"][0]["private"] is True
    assert not path.exists()
    nowhere(root, "Zanzibar", "mem_00000000000a")
    assert cli.run("publish", "mem_00000000000a").code == 1
    nowhere(root, "Zanzibar", "mem_00000000000a")


def test_a_flag_in_the_private_folder_moves_nothing_out(cli: Command, root: Path) -> None:
    # P-2: only the daemon's own eyes (test_private_flag.py), or publish
    quiet(root)
    made = cli.json("remember", "-", "--private", stdin="A wish")["memory"]
    path = root / made["path"]
    path.write_text(path.read_text().replace("private: true", "private: false"))
    assert cli.json("status")["waiting_to_move"] == []
    assert cli.json("show", made["id"])["private"] is True
    assert path.exists()
    assert cli.json("publish", made["id"])["memory"]["path"].startswith("memories/")
    assert not path.exists()


def test_what_comes_back_does_not_name_it(cli: Command, root: Path) -> None:
    # P-3, F-2: a forgotten note that linked it when it was public
    made = cli.json("remember", "The Zanzibar plan")["memory"]
    later = cli.json("remember", "Heard of the Zanzibar plan", "--link-threshold", "1", "--force")["memory"]
    forgotten = cli.json("forget", later["id"])["op"]
    cli.run("private", made["id"])
    answer = cli.run("undo", forgotten.split("-")[0])
    assert answer.code == 5
    assert "private by now" in answer.err
    cli.run("restore", later["id"])
    assert "links: []" in (root / later["path"]).read_text()
    nowhere(root, made["id"], made["id"][4:12])
    assert [each["id"] for each in cli.json("show", later["id"])["links"]] == [made["id"]]


def test_git_is_asked(cli: Command, root: Path) -> None:
    # P-2, P-5: says so if git holds the file; works in a larger repository, and without git
    made = cli.json("remember", "The Zanzibar plan")["memory"]
    assert cli.json("private", made["id"])["in_git"] == []
    cli.run("undo")
    subprocess.run(["git", "init", "-q", root.parent], check=True)
    identity = ["-c", "user.email=a@example.org", "-c", "user.name=A"]
    subprocess.run(["git", "-C", root.parent, "add", "vault"], check=True)
    subprocess.run(["git", *identity, "-C", root.parent, "commit", "-qm", "all"], check=True)
    assert cli.json("private", made["id"], env={"PATH": ""})["in_git"] == []
    cli.run("undo")
    answer = cli.json("private", made["id"])
    assert answer["in_git"] == [made["path"]]
    assert "git already holds" in cli.run("private", made["id"]).err


def test_a_broken_note_is_moved_as_it_is(cli: Command, root: Path) -> None:
    # V-7: it is private by where it lies; nothing rewrites it
    path = memory(root, "memories/x.md", SECRET, "Zanzibar", "tags: [a, b")
    raw = path.read_bytes()
    cli.run("private", SECRET)
    assert (root / f"private/{SECRET}.md").read_bytes() == raw
    assert cli.json("recall", "Zanzibar")["results"][0]["private"] is True


def test_views_follow_a_persons_edit(cli: Command, root: Path) -> None:
    # W-1, V-4: edited, moved and deleted files, once quiet
    quiet(root)
    made = cli.json("remember", "The dues rise in May", "--importance", "5")["memory"]
    (log,) = (root / "memory").glob("????-??-??.md")
    log.write_text(log.read_text() + "My own words.\n")
    path = root / made["path"]
    path.write_text(path.read_text().replace("in May", "in June").replace("importance: 5", "importance: 2"))
    cli.run("list")
    assert "The dues rise in June" in log.read_text()
    assert not (root / "MEMORY.md").exists()
    path = path.rename(root / "memories/renamed.md")
    cli.run("list")
    before = log.read_bytes()
    assert "June [[memories/renamed|↗]] [id:" in before.decode()  # O-6
    cli.run("config", "set", "views", "false")
    path.write_text(path.read_text().replace("in June", "in July"))
    cli.run("list")
    assert log.read_bytes() == before
    path.unlink()
    cli.run("list")
    assert made["id"] not in log.read_text()
    assert "My own words." in log.read_text()
    operations = cli.json("history")["operations"]
    assert all(each["unasked"] for each in operations if each["command"] == "views")


def test_views_leave_alone_what_they_follow_already(cli: Command, root: Path) -> None:
    # V-4: a line that a person took out does not come back by itself, not by our own edits and not by a reindex
    quiet(root)
    made = cli.json("remember", "The dues rise in May")["memory"]
    (log,) = (root / "memory").glob("????-??-??.md")
    log.write_text("only mine\n")
    cli.run("list")
    cli.run("reindex")
    cli.run("list")
    assert log.read_text() == "only mine\n"
    cli.run("private", made["id"])
    cli.run("publish", made["id"])
    assert f"[id:{made['id']}]" in log.read_text()  # asked for
