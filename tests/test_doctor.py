"""doctor: every trouble with its place, a plain sentence and what to do; it changes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

from conftest import Command
from helpers import memory, mode, note, states


def findings(cli: Command, check: str) -> list[dict]:
    return [each for each in cli.json("doctor")["findings"] if each["check"] == check]


def test_all_well(cli: Command, root: Path) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", "Sound")
    answer = cli.run("doctor")
    assert answer.code == 0
    assert answer.out.startswith("All well: ")
    assert cli.json("doctor")["healthy"] is True
    assert {"broken-files", "duplicate-ids", "missing-ids", "modes"} <= set(cli.json("doctor")["checks"])


def test_a_broken_file(cli: Command, root: Path) -> None:
    # V-7: line and reason
    memory(root, "memories/a.md", "mem_00000000000a", "Text", "tags: [a, b", "importance: 3")
    answer = cli.run("doctor")
    assert answer.code == 1
    assert "memories/a.md:" in answer.out
    (found,) = findings(cli, "broken-files")
    assert found["path"] == "memories/a.md"
    assert found["line"] in (4, 5, 6)
    assert "broken YAML" in found["message"]
    assert found["hint"]
    assert set(found) == {"check", "message", "path", "line", "hint", "severity"}


def test_two_files_with_one_id(cli: Command, root: Path) -> None:
    # V-5
    memory(root, "memories/thing-00000000.md", "mem_00000000000a", "The thing")
    memory(root, "memories/thing-00000000 copy.md", "mem_00000000000a", "The thing")
    (found,) = findings(cli, "duplicate-ids")
    assert found["path"] == "memories/thing-00000000 copy.md"
    assert "memories/thing-00000000.md" in found["message"]
    assert "mem_00000000000a" in found["message"]
    assert cli.run("doctor").code == 1


def test_ids(cli: Command, root: Path) -> None:
    # V-6
    note(root, "memories/none.md", "No id yet", age=0)
    note(root, "memories/other.md", "---\nid: 20231104\n---\nAnother scheme")
    assert findings(cli, "missing-ids")[0]["path"] == "memories/none.md"
    assert findings(cli, "foreign-ids")[0]["path"] == "memories/other.md"
    assert cli.run("doctor").code == 0  # nothing to do about either


def test_links_to_nowhere(cli: Command, root: Path) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", "See [[nobody]]")
    (found,) = findings(cli, "dangling-links")
    assert "[[nobody]]" in found["message"]
    assert found["path"] == "memories/a.md"
    assert found["severity"] == "info"


def test_modes(cli: Command, root: Path) -> None:
    # P-1
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret")
    path.chmod(0o644)
    (root / "private").chmod(0o755)
    found = {each["path"]: each for each in findings(cli, "modes")}
    assert set(found) == {"private", "private/mem_00000000000a.md"}
    assert "chmod 600" in found["private/mem_00000000000a.md"]["hint"]
    (root / "private").chmod(0o700)
    path.chmod(0o600)
    assert findings(cli, "modes") == []


def test_settings(cli: Command, root: Path) -> None:
    # DESIGN: what a stranger's vault may not set is ignored with a warning
    file = root / "vault-mem.toml"
    file.write_text(file.read_text() + 'model = "/evil"\nquiet_second = 3\n')
    messages = [each["message"] for each in findings(cli, "settings")]
    assert any("model is ignored" in each for each in messages)
    assert any("did you mean quiet_seconds?" in each for each in messages)


def test_it_changes_nothing(cli: Command, root: Path) -> None:
    # V-4: doctor without --fix leaves bytes and mtime alone
    cli.run("config", "set", "adopt_ids", "never")
    note(root, "memories/a.md", "No id")
    memory(root, "memories/b.md", "mem_00000000000b", "Broken", "importance: 9")
    memory(root, "memories/b copy.md", "mem_00000000000b", "Copy")
    memory(root, "private/c.md", "mem_00000000000c", "Secret")
    before = states(root)
    assert cli.run("doctor").code == 1
    assert cli.run("doctor", "--json").code == 1
    assert states(root) == before


def test_private_texts_are_not_in_errors(cli: Command, root: Path) -> None:
    # P-3: no exception quotes a private note
    memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret", "importance: my-divorce")
    assert "private/mem_00000000000a.md:4" in cli.run("doctor").out
    answer = cli.run("remember", "New", "--private", "--supersedes", "mem_00000000000a")
    assert answer.code == 1
    assert "private/mem_00000000000a.md" in answer.err
    assert "my-divorce" not in answer.err


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.email=a@example.org", "-c", "user.name=A"]
    subprocess.run(["git", *identity, "-C", root, *arguments], check=True, capture_output=True)


def test_modes_are_put_right(cli: Command, root: Path) -> None:
    # P-1, P-5: by --fix alone, and everything below
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret")
    note(root, "private/.history/2026-11.jsonl", "{}\n")
    for each in (path, root / "private", root / "private/.history", root / "private/.history/2026-11.jsonl"):
        each.chmod(0o755)
    (root / "private/.history/2026-11.jsonl").chmod(0o644)
    before = states(root)
    assert cli.run("doctor").code == 1
    assert states(root) == before
    answer = cli.json("doctor", "--fix")
    assert answer["healthy"] is True
    assert {each["path"] for each in answer["fixed"]} == {
        "private",
        "private/mem_00000000000a.md",
        "private/.history",
        "private/.history/2026-11.jsonl",
    }
    assert mode(path) == 0o600
    assert mode(root / "private/.history") == 0o700
    assert cli.json("doctor", "--fix")["fixed"] == []


def test_git_ignores_what_is_private(cli: Command, root: Path) -> None:
    # P-5: checked with git itself, repaired by --fix, undoable
    git(root, "init", "-q")
    assert findings(cli, "git") == []
    for text in ("*.pyc\n", "private/\n.vault-mem/\n!private/\n", "private/\n.vault-mem/\r\n!.vault-mem/"):
        (root / ".gitignore").write_text(text)
        found = findings(cli, "git")
        assert found, text
        assert all("git does not ignore" in each["message"] for each in found)
        assert cli.run("doctor").code == 1
        assert cli.json("doctor", "--fix")["healthy"] is True, text
        assert (root / ".gitignore").read_text().startswith(text.split("\r")[0])
        assert cli.run("undo").code == 0
        assert (root / ".gitignore").read_bytes() == text.encode()
    (root / ".gitignore").unlink()
    assert cli.run("doctor", "--fix").code == 0
    assert (root / ".gitignore").read_text() == "private/\n.vault-mem/\n"


def test_without_git_the_list_is_looked_at(cli: Command, root: Path) -> None:
    # P-5
    (root / ".gitignore").unlink()
    (found,) = findings(cli, "git")
    assert found["severity"] == "info"
    assert cli.run("doctor", "--fix").code == 0
    assert (root / ".gitignore").read_text() == "private/\n.vault-mem/\n"


def test_git_never_held_a_private_file(cli: Command, root: Path) -> None:
    # P-5: staged, committed once, or in a larger repository; and what git does not do
    git(root.parent, "init", "-q")
    memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "Secret words")
    (found,) = findings(cli, "git")
    assert found["severity"] == "info"
    assert "git clean -x" in found["message"]
    assert "backup" in found["hint"]
    git(root.parent, "add", "-f", "vault/private")
    assert any("tracks 1 private" in each["message"] for each in findings(cli, "git"))
    git(root.parent, "commit", "-qm", "oops")
    git(root.parent, "rm", "-q", "--cached", "-r", "vault/private")
    git(root.parent, "commit", "-qm", "taken back")
    errors = [each for each in findings(cli, "git") if each["severity"] == "error"]
    assert ["history of git holds 1" in each["message"] for each in errors] == [True]
    answer = cli.run("doctor")
    assert answer.code == 1
    assert "Secret words" not in answer.out
