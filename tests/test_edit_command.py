"""edit: a memory's text and fields, from the command line or in an editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, line_end, memory, mode, one_line

from vault_mem import Vault
from vault_mem.errors import Conflict

ID = "mem_aaaaaaaa0001"


def written(root: Path, *front: str) -> Path:
    return memory(root, "memories/key.md", ID, "The spare key is with Wei.", *front)


def editor(tmp_path: Path, code: str) -> dict[str, str]:
    """An editor that does something to the file it is given."""
    script = tmp_path / "my editor.py"
    script.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text()\n{code}\n")
    return {"EDITOR": f'"{sys.executable}" "{script}"', "ROOT": str(tmp_path)}


def test_the_text_alone(cli: Command, root: Path) -> None:
    # V-4, T-5, W-1
    id_ = cli.json("remember", "The spare key is with Wei.", "--importance", "5", "--tag", "house")["memory"]["id"]
    path = root / cli.json("show", id_)["path"]
    before = path.read_text(encoding="utf-8")
    answer = cli.json("edit", id_, "--content", "-", "--reason", "he gave it back", stdin="Noor has the key now.\n")
    assert answer["status"] == "edited"
    assert path.read_text(encoding="utf-8") == before.replace("The spare key is with Wei.", "Noor has the key now.")
    assert f"Noor has the key now. {line_end(root, id_)}" in (root / "MEMORY.md").read_text(encoding="utf-8")
    last = cli.json("history", id_)["revisions"][-1]
    assert (last["command"], last["reason"]) == ("edit", "he gave it back")
    cli.json("undo")
    assert path.read_text(encoding="utf-8") == before
    assert f"The spare key is with Wei. {line_end(root, id_)}" in (root / "MEMORY.md").read_text(encoding="utf-8")


def test_fields_in_the_types_they_have(cli: Command, root: Path) -> None:
    # V-2, V-4
    path = written(root, "importance: 2 # low", "source: a letter", "colour: blue")
    arguments = (
        "importance=5", "tags=house, 鍵、door", "kind=long_mood_state", "valence=-0.5", "valid-from=2026-11-02",
        "source=", "colour=red = dark", "shelf=12", "emotion=calm",
    )  # fmt: skip
    answer = cli.json("edit", ID, *(part for each in arguments for part in ("--set", each)))
    changed = answer["memory"]
    assert (changed["importance"], changed["tags"], changed["kind"]) == (5, ["house", "鍵", "door"], "mood")
    assert (changed["valence"], changed["valid_from"]) == (-0.5, "2026-11-02T00:00:00+09:00")
    text = path.read_text(encoding="utf-8")
    assert "importance: 5 # low\n" in text
    assert "source" not in text
    assert 'colour: "red = dark"\n' in text
    assert 'shelf: "12"\n' in text
    assert "key.md" not in cli.run("doctor").out


@pytest.mark.parametrize(
    "field",
    [
        "importance=6", "importance=high", "kind=dream", "intensity=2", "created=yesterday", "created=",
        "valid_to=soon", "id=mem_bbbbbbbb0002", "private=true", "links=[[x]]", "supersedes=x", "a b!=c", "=x",
        "novalue", "emotion=a\nb", "valid_to=2020-01-01",
    ],
)  # fmt: skip
def test_fields_that_make_no_sense(cli: Command, root: Path, field: str) -> None:
    # V-2: checked as a new memory is, and nothing written
    written(root, "valid_from: 2026-01-01")
    before = contents(root)
    answer = cli.run("edit", ID, "--set", field, "--set", "mood=fine")
    assert answer.code == 2
    assert answer.err.startswith("error: ")
    assert contents(root) == before


def test_private_leads_to_the_commands_for_it(cli: Command, root: Path) -> None:
    # P-2
    written(root)
    assert "vault-mem publish" in cli.run("edit", ID, "--set", "private=false").err


def test_nothing_to_change(cli: Command, root: Path) -> None:
    # V-4
    path = written(root, "tags: [house]")
    state = path.stat().st_mtime_ns
    assert cli.json("edit", ID, "--set", "tags=house")["status"] == "unchanged"
    assert path.stat().st_mtime_ns == state
    assert cli.run("edit", "mem_ffffffffffff", "--set", "a=b").code == 4
    assert cli.run("edit", ID, "--content", " ").code == 2


def test_the_library(vault: Vault, root: Path) -> None:
    written(root)
    result = vault.edit(ID, fields={"importance": 4, "tags": ["a", "b"], "status": None})
    assert (result.memory.importance, result.memory.tags) == (4, ["a", "b"])
    with pytest.raises(Conflict):  # S-8: a person wrote it
        vault.update(ID, "Another text.")
    assert vault.update(ID, "Another text.", replace_all=True).memory.content == "Another text."


def test_in_the_editor(cli: Command, root: Path, tmp_path: Path) -> None:
    # the whole note, on a copy that only its owner can read
    path = written(root, "tags: [house]")
    code = (
        "assert path.stat().st_mode & 0o077 == 0; path.write_text(text.replace('Wei', 'Noor').replace('house', 'door'))"
    )
    answer = cli.json("edit", ID, env=editor(tmp_path, code))
    assert answer["status"] == "edited"
    assert answer["memory"]["tags"] == ["door"]
    assert "The spare key is with Noor." in path.read_text(encoding="utf-8")
    assert list((root / ".vault-mem/edits").iterdir()) == []
    assert cli.json("edit", ID, env=editor(tmp_path, "pass"))["status"] == "unchanged"
    assert cli.json("undo")["command"] == "edit"


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("path.write_text(text.replace('---', '--'))", 2),
        ("path.write_text(text.replace('created: ', 'created: nonsense '))", 2),
        ("path.write_text(text.replace('mem_a', 'mem_b'))", 2),
        ("path.write_text(text.replace('id:', 'private: true\\nid:'))", 2),
        ("path.write_text(text.split('The spare')[0])", 2),
        ("path.write_bytes(b'\\xff' + path.read_bytes())", 2),
        ("path.write_text(text + 'more'); sys.exit(3)", 1),
    ],
)
def test_what_cannot_be_saved_is_kept(cli: Command, root: Path, tmp_path: Path, code: str, exit_code: int) -> None:
    written(root)
    before = contents(root)
    answer = cli.run("edit", ID, env=editor(tmp_path, code))
    kept = root / ".vault-mem/edits" / f"{ID}.md"
    assert answer.code == exit_code
    assert str(kept) in answer.err
    assert one_line(answer.err)
    assert mode(kept) & 0o077 == 0
    assert contents(root) == before
    again = cli.run("edit", ID, env=editor(tmp_path, "pass"))
    assert again.code == 2
    assert str(kept) in again.err


def test_saved_by_someone_else_meanwhile(cli: Command, root: Path, tmp_path: Path) -> None:
    # V-8: nobody's words are lost
    path = written(root)
    code = f"pathlib.Path({str(path)!r}).write_text(text + 'Theirs.'); path.write_text(text + 'Mine.')"
    answer = cli.run("edit", ID, env=editor(tmp_path, code))
    assert answer.code == 5
    assert path.read_text(encoding="utf-8").endswith("Theirs.")
    assert (root / ".vault-mem/edits" / f"{ID}.md").read_text(encoding="utf-8").endswith("Mine.")


def test_the_editor_is_never_the_vaults(cli: Command, root: Path, tmp_path: Path) -> None:
    # a vault may be a stranger's
    path = written(root)
    was = path.read_bytes()
    settings = root / "vault-mem.toml"
    mine = editor(tmp_path, "path.write_text(text + 'Mine.')")["EDITOR"]
    settings.write_text(settings.read_text(encoding="utf-8") + f"\neditor = '{mine}'\n", encoding="utf-8")
    answer = cli.run("edit", ID)
    assert answer.code == 2
    assert "VISUAL" in answer.err
    assert path.read_bytes() == was
    assert cli.run("config", "set", "--user", "editor", mine).code == 0
    assert cli.run("edit", ID).code == 0
    assert path.read_text(encoding="utf-8").endswith("Mine.")


def test_an_editor_that_is_not_there(cli: Command, root: Path) -> None:
    written(root)
    answer = cli.run("edit", ID, env={"VISUAL": "no-such-editor-anywhere"})
    assert answer.code == 1
    assert one_line(answer.err)
    assert not (root / ".vault-mem/edits" / f"{ID}.md").exists()
