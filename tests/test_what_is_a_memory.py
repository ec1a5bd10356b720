"""What is a memory and what is not, and what people really write into their properties (O-3, O-4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import memory, note

NOW = {"VAULT_MEM_NOW": "2026-11-16T12:00:00+09:00"}
A, B, C = (f"mem_{letter * 8}0000" for letter in "abc")


def listed(cli: Command, *arguments: str) -> set[str]:
    return {each["path"] for each in cli.json("list", *arguments)["memories"]}


@pytest.fixture(autouse=True)
def quiet(cli: Command) -> None:
    cli.run("config", "set", "quiet_seconds", "0")


def test_an_empty_note_without_a_name_waits(cli: Command, root: Path) -> None:
    # O-4: nobody has said anything yet; with the first words it is a memory
    names = ["Untitled", "Untitled 3", "無題のファイル", "無題のファイル 2", "2026-11-16", "Unbenannt"]
    paths = [note(root, f"memories/{name}.md", "\n") for name in names]
    cli.run("status")
    assert listed(cli) == set() and {path.read_text() for path in paths} == {"\n"}
    for number, path in enumerate(paths):
        path.write_text(f"The kiln number {number} is cold.\n")
    assert len(listed(cli)) == len(names)
    assert all("id: mem_" in path.read_text() for path in paths)


def test_a_name_that_somebody_chose_is_a_text(cli: Command, root: Path) -> None:
    # O-4: recall finds it, and the guard compares with it
    note(root, "memories/Call the plumber about the leaking tap.md", "")
    found = cli.json("recall", "plumber leaking tap")["results"]
    assert found[0]["content"] == "Call the plumber about the leaking tap"
    refused = cli.json("remember", "Call the plumber about the leaking tap")
    assert refused["duplicate_of"]["id"] == found[0]["id"]


@pytest.mark.parametrize("plugin", ["excalidraw-plugin: parsed", "kanban-plugin: board"])
def test_what_a_plugin_wrote_is_no_memory(cli: Command, root: Path, plugin: str) -> None:
    # O-4: told by its front matter; its bytes stay
    text = f"---\n{plugin}\n---\n## Doing\n- [ ] the kiln shelf\n"
    path = note(root, "memories/Board.md", text)
    memory(root, "memories/a.md", A, "The kiln is cold.")
    assert listed(cli) == {"memories/a.md"}
    assert {each["id"] for each in cli.json("recall", "kiln shelf")["results"]} <= {A}
    assert path.read_text() == text


def test_a_value_of_ones_own_freezes_nothing(cli: Command, root: Path) -> None:
    # O-4: it is kept, and the note gets its id; tag and close work
    lines = [
        'created: "[[2026-11-16]]"',
        "created: Monday, November 16th 2026, 8:12:34 pm",
        "created: the other day",
        "confidence: high",
        "importance: 7",
        "kind: book",
    ]
    paths = {line: note(root, f"memories/Book {n}.md", f"---\n{line}\n---\nNo {n}.\n") for n, line in enumerate(lines)}
    cli.run("status")
    ids = {each["path"]: each["id"] for each in cli.json("list")["memories"]}
    for line, path in paths.items():
        text = path.read_text()
        assert line in text and "id: mem_" in text and text.count("created:") <= 1
        id_ = ids[f"memories/{path.name}"]
        assert cli.run("tag", id_, "pottery").code == 0
        assert cli.run("close", id_).code == 0
        text = path.read_text()
        assert line in text and "pottery" in text and "valid_to:" in text
    odd = [each for each in cli.json("doctor")["findings"] if each["check"] == "broken-files"]
    assert [(each["path"], each["severity"]) for each in odd] == [
        (f"memories/Book {n}.md", "info") for n in (2, 3, 4, 5)
    ]


def test_dates_that_people_write_are_read(cli: Command, root: Path) -> None:
    # O-4
    note(root, "memories/a.md", '---\ncreated: "[[2026-11-14]]"\n---\nOne.\n')
    note(root, "memories/b.md", "---\ncreated: Sunday, November 15th 2026, 8:12:34 pm\n---\nTwo.\n")
    created = {each["path"]: each["created"] for each in cli.json("list")["memories"]}
    assert created["memories/a.md"] == "2026-11-14T00:00:00+09:00"
    assert created["memories/b.md"] == "2026-11-15T20:12:34+09:00"


def test_tags_in_the_text(cli: Command, root: Path) -> None:
    # O-4: as Obsidian takes them; and a tag stands for those below it
    path = memory(
        root, "memories/a.md", A, "Cone 6 #pottery/glaze #2026 a#b `#code` [[x#head]]\n\n# Heading", "tags: [kiln]"
    )
    memory(root, "memories/b.md", B, "Nothing.", "tags: [pottery/clay]")
    assert cli.json("show", A)["tags"] == ["kiln", "pottery/glaze"]
    assert listed(cli, "--tag", "pottery") == {"memories/a.md", "memories/b.md"}
    assert listed(cli, "--tag", "pottery/glaze") == {"memories/a.md"}
    assert listed(cli, "--tag", "pot") == set()
    cli.run("tag", A, "cone-6")
    assert "tags: [kiln, cone-6]" in path.read_text()


def test_a_chain_by_time_alone_stays_out_of_the_files(cli: Command, root: Path) -> None:
    # O-3, C-1: counted and strengthened; written only where two belong together
    texts = ["The tide logger lost nine minutes.", "Rye bread is better on the second day.", "Noor passed the exam."]
    for number, text in enumerate(texts):
        person = ["people: [Noor]"] if number else []
        lines = "".join(line + "\n" for line in person)
        front = f"id: mem_{number:08x}0000\ncreated: 2026-11-16T0{number}:00:00\n{lines}"
        note(root, f"memories/n{number}.md", f"---\n{front}---\n{text}\n")
    answer = cli.json("consolidate", env=NOW)
    assert (answer["replay_events"], answer["link_updates"]) == (2, 2)
    written = ["links:" in (root / f"memories/n{number}.md").read_text() for number in range(3)]
    assert written == [False, False, True]
    assert "[[n1|" in (root / "memories/n2.md").read_text()
    assert cli.json("consolidate", env=NOW)["link_updates"] == 0


def test_what_an_earlier_version_wrote_can_be_taken_out(cli: Command, root: Path) -> None:
    # O-3: only what consolidate itself wrote, and nothing that belongs together
    for number, text in enumerate(["The tide logger lost nine minutes.", "Rye bread is better on the second day."]):
        front = f"id: mem_{number:08x}0000\ncreated: 2026-11-16T0{number}:00:00\npeople: [Noor]\n"
        note(root, f"memories/n{number}.md", f"---\n{front}---\n{text}\n")
    memory(root, "memories/c.md", C, "Far away.", "links: ['[[n0|by hand · related]]']")
    cli.run("consolidate", env=NOW)
    path = root / "memories/n1.md"
    assert not [each for each in cli.json("doctor")["findings"] if each["check"] == "replay-links"]
    path.write_text(path.read_text().replace("people: [Noor]\n", ""))  # as an earlier version would have linked them
    found = [each for each in cli.json("doctor")["findings"] if each["check"] == "replay-links"]
    assert len(found) == 1 and "1 link(s) in 1 note(s)" in found[0]["message"]
    before = path.read_bytes()
    cli.json("doctor", "--fix")
    assert "[[n0" not in path.read_text() and "by hand" in (root / "memories/c.md").read_text()
    cli.run("undo")
    assert path.read_bytes() == before
