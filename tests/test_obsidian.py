"""init --obsidian: views, templates and types of properties, and no note touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from conftest import Command
from helpers import contents, memory, note, states

from vault_mem import Vault
from vault_mem.model import Memory
from vault_mem.notes.parse import parse

VIEWS = ["Recent", "By category", "Open tasks", "People", "Closed"]
# What a person's Obsidian vault may look like before we come.
THEIRS = {
    "Daily/2026-01-01.md": "---\ntags: [day]\n---\nA day.\n",
    "Vorlagen/Person.md": "---\nname: {{title}}\n---\n",
    ".obsidian/app.json": "{}",
    ".obsidian/templates.json": '{"folder": "Vorlagen"}',
    ".obsidian/types.json": '{\n\t"types": {\n\t\t"aliases": "aliases",\n\t\t"created": "date"\n\t}\n}',
}


@pytest.fixture
def place(tmp_path: Path, env: dict[str, str]) -> Command:
    (tmp_path / "notes").mkdir()
    return Command(tmp_path / "notes", env)


def base(root: Path) -> dict:
    return yaml.safe_load((root / "memories.base").read_text())


def test_a_new_vault(place: Command):
    made = place.json("init", ".", "--obsidian")
    assert {"memories.base", "templates/Memory.md", "templates/Task.md", ".obsidian/types.json"} <= set(made["created"])
    document = base(place.cwd)
    assert [view["name"] for view in document["views"]] == VIEWS
    known = {*Memory.__dataclass_fields__, *document["formulas"]}
    for view in document["views"]:
        assert view["type"] == "table"
        named = [*view["order"], *(each["property"] for each in view.get("sort", []))]
        named += [view["groupBy"]["property"]] if "groupBy" in view else []
        assert {name.rpartition(".")[2] for name in named if not name.startswith("file.")} <= known
    folders = document["filters"]["and"][1]["or"]
    assert folders == ['file.inFolder("memories")', 'file.inFolder("private")']


def test_types_are_those_of_the_format(place: Command):
    place.json("init", ".", "--obsidian")
    types = json.loads((place.cwd / ".obsidian/types.json").read_text())["types"]
    assert types["private"] == "checkbox" and types["created"] == "datetime" and types["importance"] == "number"
    assert {name for name, kind in types.items() if kind == "multitext"} == {
        "links",
        "people",
        "secondary",
        "sources",
        "supersedes",
    }
    sample = Memory("mem_0", "", None)
    assert all(hasattr(sample, name) for name in types)


# V-6: a template is no memory, and does not make one private
def test_templates_are_no_memories(place: Command):
    place.json("init", ".", "--obsidian", "--timezone", "Asia/Tokyo")
    place.json("config", "set", "include", "**")
    assert place.json("list")["total"] == 0
    for path in (place.cwd / "templates").glob("*.md"):
        text = path.read_text()
        assert "private" not in text and "\nid:" not in text
        filled = text.replace("{{date:YYYY-MM-DD}}", "2026-11-16").replace("{{time:HH:mm:ss}}", "08:30:00") + "Words.\n"
        vault = Vault(place.cwd, env=place.env)
        read = parse(filled.encode(), path.name, mtime=0, zone=vault.workspace.folder.zone)
        assert not read.problems and read.memory.created.isoformat() == "2026-11-16T08:30:00+09:00"
        assert not read.memory.private


# V-4
def test_an_existing_vault_is_joined_without_touching_a_note(place: Command):
    for name, text in THEIRS.items():
        note(place.cwd, name, text)
    before, bytes_before = states(place.cwd), contents(place.cwd)
    answer = place.run("init", ".", "--obsidian")
    assert answer.code == 0 and "created is 'date'" in answer.err
    after, bytes_after = states(place.cwd), contents(place.cwd)
    for name in THEIRS:
        if name != ".obsidian/types.json":
            assert after[name] == before[name] and bytes_after[name] == bytes_before[name]
    text = bytes_after[".obsidian/types.json"].decode()
    assert (
        text.startswith(THEIRS[".obsidian/types.json"].partition("\n\t}")[0]) and '\n\t\t"importance": "number"' in text
    )
    types = json.loads(text)["types"]
    assert types["created"] == "date" and types["aliases"] == "aliases" and types["valid_to"] == "datetime"
    assert (place.cwd / "Vorlagen/Memory.md").exists() and not (place.cwd / "templates").exists()
    again = states(place.cwd)
    assert place.json("init", ".", "--obsidian")["created"] == []
    assert states(place.cwd) == again


def test_a_vault_of_ours_gets_it_later(cli: Command):
    memory(cli.cwd, "memories/a.md", "mem_aaaaaaaaaaaa", "One.")
    before = states(cli.cwd)
    made = cli.json("init", ".", "--obsidian")
    assert made["existed"] and "memories.base" in made["created"]
    after = states(cli.cwd)
    assert {name: after[name] for name in before if Path(name).suffix} == {
        name: state for name, state in before.items() if Path(name).suffix
    }


def test_other_folders_and_files_of_the_owner(place: Command):
    note(place.cwd, "memories.base", "views: []\n")
    note(place.cwd, ".obsidian/types.json", "not json")
    note(place.cwd, ".obsidian/templates.json", '{"folder": "agent/memories/t"}')
    answer = place.run("init", ".", "--obsidian", "--memories-folder", "agent/memories", "--private-folder", "it's/p")
    assert (
        answer.code == 0 and "types.json is left alone" in answer.err and "memories.base already exists" in answer.err
    )
    assert (place.cwd / "memories.base").read_text() == "views: []\n"
    assert (place.cwd / ".obsidian/types.json").read_text() == "not json"
    assert (place.cwd / "templates/Memory.md").exists()
    (place.cwd / "memories.base").unlink()
    place.run("init", ".", "--obsidian")
    folders = base(place.cwd)["filters"]["and"][1]["or"]
    assert folders == ['file.inFolder("agent/memories")', 'file.inFolder("it\'s/p")']
