"""init: a folder becomes a vault, and nothing that was in it changes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Command
from helpers import at, at_a_terminal, contents, memory, mode, note, one_line, states

from vault_mem import Vault
from vault_mem.errors import Unsafe


@pytest.fixture
def outside(tmp_path: Path, env: dict[str, str]) -> Command:
    """The command, run in a folder that is no vault."""
    folder = tmp_path / "somewhere"
    folder.mkdir()
    return Command(folder, env)


@pytest.fixture
def obsidian(outside: Command) -> Path:
    """Somebody's Obsidian vault."""
    root = outside.cwd
    note(root, ".obsidian/app.json", "{}")
    note(root, ".obsidian/workspace.json", '{"main": {}}')
    note(root, ".trash/old.md", "# thrown away\nwombats")
    note(root, "notes/Bees.md", "# Bees\r\nThe hive by the shed swarmed in May.\r\n")
    note(root, "notes/deep/Wasps.md", "---\nid: 20231104\ntags: [garden]\n---\nA wasp nest under the roof.\n")
    note(root, "Welcome.md", "Welcome to Obsidian")
    note(root, ".gitignore", b".DS_Store\r\n*.log")
    return root


def test_a_new_folder(outside: Command) -> None:
    # P-1: the layout of a vault
    answer = outside.run("init", "my-vault", "--timezone", "Asia/Tokyo")
    root = outside.cwd / "my-vault"
    assert answer.code == 0
    assert str(root) in answer.out
    assert 'timezone = "Asia/Tokyo"' in (root / "vault-mem.toml").read_text()
    assert (root / ".gitignore").read_text().splitlines() == ["private/", ".vault-mem/"]
    assert (root / "memories").is_dir()
    assert mode(root / "private") == 0o700
    assert outside.run("--vault", "my-vault", "remember", "The first memory").code == 0


def test_json_and_a_second_time(outside: Command) -> None:
    first = outside.json("init", ".")
    assert first["vault"] == str(outside.cwd)
    assert set(first["created"]) == {"memories/", "private/", ".gitignore", "vault-mem.toml"}
    assert (first["notes"], first["existed"]) == (0, False)
    before = states(outside.cwd)
    again = outside.json("init", ".")
    assert (again["vault"], again["created"], again["notes"], again["existed"]) == (str(outside.cwd), [], 0, True)
    assert states(outside.cwd) == before


def test_joining_an_obsidian_vault_touches_nothing_of_it(outside: Command, obsidian: Path) -> None:
    # V-9, V-4; "Joining a folder that is already somebody's Obsidian vault is safe"
    before, seen = contents(obsidian), states(obsidian)
    assert outside.run("init", ".").code == 0
    outside.run("remember", "The neighbour keeps wombats")
    for command in (["recall", "wombats"], ["status"], ["doctor"], ["reindex"]):
        assert outside.run(*command).code == 0
    after = contents(obsidian)
    assert after.pop(".gitignore") == b".DS_Store\r\n*.log\r\nprivate/\r\n.vault-mem/\r\n"
    before.pop(".gitignore")
    assert {name: after[name] for name in before} == before
    assert all(states(obsidian)[name] == seen[name] for name in before)
    made = {name for name in after if name not in before}
    assert {name.split("/")[0] for name in made} == {"vault-mem.toml", "memories", "memory-log"}  # O-6
    # what lies outside memories/ and in hidden folders is not searched
    assert [each["content"] for each in outside.json("recall", "wombats bees")["results"]] == [
        "The neighbour keeps wombats"
    ]


def test_other_notes_are_searched_read_only(outside: Command, obsidian: Path) -> None:
    # V-4; include = ["notes/**"] is searchable and never written
    outside.run("init", ".")
    settings = obsidian / "vault-mem.toml"
    settings.write_text(settings.read_text() + 'include = ["notes/**"]\nquiet_seconds = 0\n')
    before = {name: state for name, state in states(obsidian).items() if name.startswith("notes")}
    found = outside.json("recall", "the hive swarmed")["results"]
    assert found[0]["path"] == "notes/Bees.md"
    assert outside.run("remember", "The hive by the shed swarmed in May.", "--link-threshold", "1").code == 0
    assert outside.json("status")["notes"] == 2
    outside.run("doctor")
    outside.run("reindex")
    assert {name: state for name, state in states(obsidian).items() if name.startswith("notes")} == before
    # superseding one would write into it: refused, and nothing is saved
    known = contents(obsidian)
    answer = outside.run("remember", "No more bees", "--supersedes", found[0]["id"])
    assert answer.code == 1
    assert "read-only" in answer.err
    assert contents(obsidian) == known


def test_notes_where_memories_would_live_stop_it(outside: Command) -> None:
    # exit 6, with counts and a way out
    note(outside.cwd, "memories/a.md", "one")
    note(outside.cwd, "memories/b/c.md", "two")
    note(outside.cwd, "private/d.md", "three")
    before = states(outside.cwd)
    answer = outside.run("init", ".")
    assert answer.code == 6
    assert "2 in memories/" in answer.err
    assert "1 in private/" in answer.err
    assert "--adopt" in answer.err
    assert "--memories-folder" in answer.err
    assert states(outside.cwd) == before
    with pytest.raises(Unsafe):
        Vault.init(outside.cwd, env=outside.env)


def test_other_folder_names(outside: Command) -> None:
    note(outside.cwd, "memories/a.md", "somebody's own")
    before = contents(outside.cwd)
    answer = outside.run("init", ".", "--memories-folder", "agent/memories", "--private-folder", "agent/private")
    assert answer.code == 0
    assert "agent/private/" in (outside.cwd / ".gitignore").read_text().splitlines()
    public = outside.json("remember", "A red bicycle")["memory"]["path"]
    private = outside.json("remember", "A quiet doubt", "--private")["memory"]["path"]
    assert public.startswith("agent/memories/")
    assert private.startswith("agent/private/mem_")
    assert mode(outside.cwd / private) == 0o600
    assert mode(outside.cwd / "agent/private") == 0o700
    assert contents(outside.cwd)["memories/a.md"] == before["memories/a.md"]
    assert len(outside.json("list", "--all")["memories"]) == 2


def test_adopt(outside: Command) -> None:
    # V-6
    path = note(outside.cwd, "memories/a.md", "A note about herons")
    answer = outside.run("init", ".", "--adopt", "--adopt-ids", "never")
    assert answer.code == 0
    assert "1 existing note" in answer.out
    assert outside.json("recall", "herons")["results"][0]["path"] == "memories/a.md"
    assert path.read_text() == "A note about herons"


def test_git_ignores_what_is_private(outside: Command) -> None:
    # P-1, P-3: with a real git
    outside.run("init", ".")
    outside.run("remember", "A public thought")
    outside.run("remember", "A private thought", "--private")
    subprocess.run(["git", "init", "-q", "."], cwd=outside.cwd, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"],
        cwd=outside.cwd,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert sorted(name.split("/")[0] for name in listed) == [".gitignore", "memories", "memory", "vault-mem.toml"]


@pytest.mark.parametrize(
    "before",
    [
        b"private/\n.vault-mem/\n",
        b"/private/\n/.vault-mem/\n",
        b"private\r\n.vault-mem\r\n",
        b"x\n\n.vault-mem/\n/private",
    ],
)
def test_a_gitignore_that_already_does_it_stays(outside: Command, before: bytes) -> None:
    # V-4
    note(outside.cwd, ".gitignore", before)
    assert outside.run("init", ".").code == 0
    assert (outside.cwd / ".gitignore").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["a-file"], 2),
        (["a-file/below"], 1),
        (["new", "--adopt-ids", "sometimes"], 2),
        (["new", "--timezone", "Mars/Base"], 2),
        (["new", "--memories-folder", "../elsewhere"], 2),
        (["new", "--private-folder", "HERE/elsewhere"], 2),
        (["new", "--memories-folder", "private"], 2),
        (["new", "--memories-folder", "private/inside"], 2),
    ],
)
def test_bad_places_and_values(outside: Command, arguments: list[str], code: int) -> None:
    # what bad input gets: one clear line, the right exit code, nothing half-made
    note(outside.cwd, "a-file", "text")
    before = states(outside.cwd)
    answer = outside.run("init", *(each.replace("HERE", str(outside.cwd)) for each in arguments))
    assert answer.code == code
    assert one_line(answer.err)
    assert states(outside.cwd) == before


def test_a_folder_name_with_signs_of_toml(outside: Command) -> None:
    answer = outside.run("init", "new", "--memories-folder", 'a"b\\c')
    if answer.code == 0:  # taken: then the vault works
        assert outside.run("--vault", "new", "remember", "Something").code == 0
        assert list((outside.cwd / "new" / 'a"b\\c').rglob("*.md"))
    else:
        assert answer.code == 2
        assert one_line(answer.err)
        assert not (outside.cwd / "new").exists()


def test_the_machines_time_zone(outside: Command) -> None:
    outside.run("init", "one", env={"TZ": "Europe/Lisbon"})
    assert 'timezone = "Europe/Lisbon"' in (outside.cwd / "one/vault-mem.toml").read_text()


def test_a_tilde_before_what_is_no_users_name(outside: Command) -> None:
    assert outside.run("init", "~nobody-here").code == 0
    assert outside.run("remember", "Soup was hot", "--vault", "~nobody-here").code == 0
    assert outside.run("export", "~out.jsonl", "--vault", "~nobody-here").code == 0
    assert {path.name for path in outside.cwd.iterdir()} == {"~nobody-here", "~out.jsonl"}
    answer = outside.run("list", "--vault", "~somebody-else/notes")
    assert answer.code != 0 and "does not exist" in answer.err


def test_a_real_process(outside: Command) -> None:
    answer = outside.spawn("init", "there", "--json")
    assert answer.code == 0
    assert answer.json["vault"] == str(outside.cwd / "there")


def test_a_vault_deleted_and_made_again_at_the_same_path(root: Path, cli: Command) -> None:
    # V-9: a new vault begins with an index of its own
    for number in range(6):
        memory(root, f"memories/n{number}.md", f"mem_{number:012x}", f"Pelican number {number}")
    assert cli.json("status")["memories"] == 6
    shutil.rmtree(root)
    root.mkdir()
    assert cli.run("init", str(root)).code == 0
    for command in (["status"], ["doctor"], ["list"], ["recall", "pelican"], ["remember", "A new thought"]):
        answer = cli.run(*command)
        assert answer.code == 0, (command, answer)
    assert cli.json("status")["memories"] == 1
    assert "pelican" not in cli.run("recall", "pelican").out.lower()


def test_a_folder_with_files_is_asked_about(outside: Command, obsidian: Path) -> None:
    # S-8: what it will add, and only a yes is one
    before = contents(outside.cwd)
    for typed in ("", "n\n"):
        answer = at_a_terminal(outside, "init", typed=typed)
        assert (answer.code, answer.out) == (1, "No vault was created.\n")
        for each in ("vault-mem.toml", "memories/", "private/", ".gitignore"):
            assert each in answer.err
        assert contents(outside.cwd) == before
    assert at_a_terminal(outside, "init", typed="y\n").code == 0
    assert (outside.cwd / "vault-mem.toml").exists()
    again = at_a_terminal(outside, "init", typed="")
    assert (again.code, again.err) == (0, "")  # nothing would be added


def test_an_empty_folder_and_yes_are_not_asked_about(outside: Command, tmp_path: Path) -> None:
    assert at_a_terminal(outside, "init", typed="").code == 0
    note(tmp_path, "another/readme.txt", "mine")
    assert at_a_terminal(outside, "init", str(tmp_path / "another"), "--yes", typed="").code == 0
    note(tmp_path, "third/readme.txt", "mine")
    assert outside.run("init", str(tmp_path / "third")).code == 0  # nobody to ask, and no note that it would own


def test_notes_in_the_folder_of_episodes_stop_it(outside: Command) -> None:
    # they would be the tool's to write
    note(outside.cwd, "episodes/Pilot.md", "# Pilot\nOf a series I watch")
    answer = outside.run("init")
    assert answer.code == 6
    for flag in ("--adopt", "--memories-folder", "--private-folder", "--episodes-folder"):
        assert flag in answer.err
    assert outside.run("init", "--episodes-folder", "agent/episodes").code == 0
    assert 'episodes_folder = "agent/episodes"' in (outside.cwd / "vault-mem.toml").read_text()


def test_a_vault_in_a_vault(root: Path, cli: Command) -> None:
    below = root / "memories/project"
    below.mkdir(parents=True)
    answer = cli.run("init", str(below))
    assert answer.code == 6
    assert "--nested" in answer.err
    assert list(below.iterdir()) == []
    assert cli.run("init", str(below), "--nested").code == 0


@pytest.fixture
def stranger(tmp_path: Path, env: dict[str, str]) -> Command:
    """Somebody's Obsidian vault of 300 notes: daily notes, folders, templates, and names that views would like."""
    root = tmp_path / "theirs"
    note(root, ".obsidian/app.json", "{}")
    note(root, ".obsidian/templates.json", '{"folder": "Vorlagen"}')
    note(root, "Vorlagen/Day.md", "# {{date}}\nwalrus template\n")
    for number in range(200):
        note(
            root,
            f"Notes/{number % 20}/Topic {number}.md",
            f"---\nkind: note\n---\n# Topic {number}\nSee [[Nowhere]].\n",
        )
    for number in range(1, 31):
        note(root, f"2026-11-{number:02d}.md", f"Day {number}: rain, and [[Topic {number}]].\n")
        note(root, f"memory/2026-10-{number:02d}.md", f"Leaf pile {number * 111} raked.\n")
    for number in range(33):
        note(root, f"People/Person {number}.md", f"---\nid: 2024{number:04d}\n---\nPerson {number} keeps bees.\n")
    note(root, "MEMORY.md", "My own memory page.\n")
    note(root, "Review.md", "My weekly review.\n")
    note(root, "Bees/Bees.md", "The folder note: the hive by the shed swarmed in May.\n")
    note(root, "Board.canvas", '{"nodes":[{"id":"1","type":"file","file":"2026-11-16.md"}],"edges":[]}')
    note(root, "files/kiln.png", b"\x89PNG")
    note(root, "files/kiln (1).png", b"\x89PNG")
    return Command(root, env)


def test_300_notes_of_a_stranger_are_joined(stranger: Command) -> None:
    # U-3, O-6: bytes unchanged, found, and [[2026-11-16]] is still the daily note
    root = stranger.cwd
    before = states(root)
    answer = stranger.json("init", ".", "--include", "--timezone", "Asia/Tokyo")
    assert (answer["others"], answer["included"]) == (296, True)  # and a template
    day = at("2026-11-16")
    id_ = stranger.json("remember", "The kiln was fired.", "--importance", "5", env=day)["memory"]["id"]
    assert id_ in (root / "memory-log/memory 2026-11-16.md").read_text()
    assert id_ in (root / "memory-log/memory digest.md").read_text()
    for query, path in (
        ("hive swarmed in May", "Bees/Bees.md"),
        ("leaf pile 777 raked", "memory/2026-10-07.md"),
        ("Person 12 bees", "People/Person 12.md"),
        ("my own memory page", "MEMORY.md"),
        ("weekly review", "Review.md"),
    ):
        assert path in [each["path"] for each in stranger.json("recall", query, env=day)["results"]], query
    assert "walrus" not in stranger.run("recall", "walrus template", env=day).out
    stranger.run("remember", "The kiln was fired twice.", "--category", "introspection", env=day)
    stranger.run("consolidate", env=day)
    findings = stranger.json("doctor", env=day)["findings"]
    told = [each for each in findings if each["check"] != "origins"]  # which is of the vault, not of a note
    assert [each for each in told if each["severity"] != "info" or not each["path"].startswith("m")] == []
    assert stranger.json("status", env=day)["problems"] == []
    vault = Vault(root, env=stranger.env)
    vault.status()
    names = vault.workspace.names
    assert names.find("2026-11-16", "Board.canvas") == "2026-11-16.md"
    assert names.find("MEMORY") == "MEMORY.md"
    assert {key: state for key, state in states(root).items() if key in before} == before


def test_joining_asks_where_there_is_somebody_to_ask(stranger: Command) -> None:
    # U-3: a flag, or a question
    answer = at_a_terminal(stranger, "init", ".", typed="y\ny\n")
    assert "Found 296 notes. Search them too? (they stay untouched) [y/N]" in answer.err
    assert "296 other notes can be searched too" in answer.out
    assert stranger.json("config", "get", "include")["include"]["value"] == ["**"]


def test_joining_without_anybody_to_ask_includes_nothing(stranger: Command) -> None:
    # U-3: and says how to
    answer = stranger.run("init", ".")
    assert "Found 296 other notes" in answer.out
    assert 'config set include "**"' in answer.out
    assert stranger.json("recall", "hive swarmed in May")["results"] == []
    assert stranger.json("init", ".", "--include")["included"] is True
    assert stranger.json("recall", "hive swarmed in May")["results"][0]["path"] == "Bees/Bees.md"


def test_including_later_says_what_changed(stranger: Command) -> None:
    # U-3: the settings were there and are not added
    stranger.run("init", ".")
    answer = stranger.run("init", ".", "--include").out
    assert "its other notes can now be searched too." in answer
    assert "added" not in answer
    assert stranger.json("init", ".", "--include")["created"] == []


def test_views_are_left_off_where_every_name_is_taken(stranger: Command) -> None:
    # O-6
    for name in ("memory-log", "agent-memory-log", "vault-mem-log"):
        note(stranger.cwd, f"{name}/x.md", "Mine.\n")
    before = contents(stranger.cwd)
    assert "no views are written here" in stranger.run("init", ".").err
    stranger.run("remember", "The kiln was fired.", "--importance", "5")
    after = contents(stranger.cwd)
    assert {key: after[key] for key in before} == before
    assert not [key for key in after.keys() - before.keys() if key.endswith(".md") and not key.startswith("memories/")]


def test_a_new_vault_for_obsidian_keeps_the_names_of_the_views(outside: Command) -> None:
    # W-1: its own names are nobody else's
    outside.run("init", ".", "--obsidian")
    outside.run("remember", "The kiln was fired.", env=at("2026-11-16"))
    assert (outside.cwd / "memory/2026-11-16.md").exists()
