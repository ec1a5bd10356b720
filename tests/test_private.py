"""Private memories: where they are, and that no public file ever names one."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, git, memory, mode, note, public_text, states

from vault_mem import Vault
from vault_mem.vault.tree import Tree


def test_saved_apart(cli: Command, root: Path) -> None:
    # P-1: folder 0700, file 0600, an opaque name
    made = cli.json("remember", "I am afraid of the audit", "--private", "--tag", "fear")["memory"]
    assert made["private"] is True
    assert made["path"] == f"private/{made['id']}.md"
    assert mode(root / made["path"]) == 0o600
    assert mode(root / "private") == 0o700
    assert "private: true\n" in (root / made["path"]).read_text()
    assert "audit" not in public_text(root)


def test_the_folder_is_made_when_it_is_missing(cli: Command, root: Path) -> None:
    # P-1: after a git clone there is none
    (root / "private").rmdir()
    made = cli.json("remember", "A secret", "--private")["memory"]
    assert mode(root / "private") == 0o700
    assert mode(root / made["path"]) == 0o600


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o027])
def test_whatever_the_umask(cli: Command, root: Path, umask: int) -> None:
    # P-1
    import os

    (root / "private").rmdir()
    before = os.umask(umask)
    try:
        made = cli.json("remember", "A secret", "--private")["memory"]
    finally:
        os.umask(before)
    assert mode(root / "private") == 0o700
    assert mode(root / made["path"]) == 0o600
    for path in [root / ".vault-mem/journal", *(root / ".vault-mem/journal").iterdir()]:
        assert mode(path) & 0o077 == 0


def test_by_default_not(cli: Command) -> None:
    # P-1
    assert cli.json("remember", "Anything")["memory"]["private"] is False


def names(root: Path, id_: str, title: str) -> None:
    """No public file has the id, the beginning of it, the title or a link of a private memory."""
    text = public_text(root)
    assert id_ not in text
    assert id_[4:12] not in text
    assert title.casefold() not in text.casefold()
    assert "[[mem_" not in text


def test_a_private_memory_linked_to_older_public_ones(cli: Command, root: Path) -> None:
    # P-3, V-3: the link is on the private side
    public = cli.json("remember", "The merger talks with Borealis began on Monday")["memory"]
    before = states(root)
    made = cli.json(
        "remember", "My doubts on the merger talks with Borealis", "--private", "--link-threshold", "1", "--force"
    )
    assert made["links"] == 1
    assert {name: states(root)[name] for name in before if "memories" in name} == {
        name: state for name, state in before.items() if "memories" in name
    }
    assert f"[[{Path(public['path']).stem}|" in (root / made["memory"]["path"]).read_text()
    names(root, made["memory"]["id"], "My doubts on the merger talks")
    assert [each["id"] for each in cli.json("show", public["id"])["links"]] == [made["memory"]["id"]]


def test_a_public_memory_linked_to_older_private_ones(cli: Command, root: Path) -> None:
    # P-3, V-3: written into the private files, by one line each, with mode kept
    private = [
        cli.json("remember", f"My doubts on the merger talks with Borealis, part {number}", "--private", "--force")[
            "memory"
        ]
        for number in range(2)
    ]
    before = contents(root)
    made = cli.json("remember", "The merger talks with Borealis began on Monday", "--link-threshold", "1", "--force")
    assert made["links"] == 2
    public = made["memory"]
    assert (root / public["path"]).read_text().count("[[") == 0
    assert made["memory"].get("links", []) == []
    for each in private:
        after = (root / each["path"]).read_text()
        assert f"[[{Path(public['path']).stem}|" in after
        added = set(after.splitlines()) - set(before[each["path"]].decode().splitlines())
        assert len(added) <= 2  # `links:` and its one item
        assert mode(root / each["path"]) == 0o600
        names(root, each["id"], "My doubts on the merger talks")
    assert {each["id"] for each in cli.json("show", public["id"])["links"]} == {each["id"] for each in private}
    assert [each["id"] for each in cli.json("show", private[0]["id"])["links"]].count(public["id"]) == 1


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["links: []"], []),
        ([], []),
        (['links: ["[[other]]"]  # mine'], ["[[other]]"]),
        (["links: [[older note]]"], ["older note"]),
        (["links:", "  - [[older note]]", '  - "[[b|B · related 0.5]]"'], ["older note", "[[b|B · related 0.5]]"]),
        (["links:", "- [solo]"], ["solo"]),
        (["links: older"], ["older"]),
    ],
)
def test_links_a_person_wrote_there_stay(cli: Command, root: Path, lines: list[str], kept: list[str]) -> None:
    # V-4, V-3: however the list was written
    path = memory(root, "private/mem_00000000000a.md", "mem_00000000000a", "The harbour dues rise", *lines)
    made = cli.json("remember", "The harbour dues rise in May", "--link-threshold", "1", "--force")
    text = path.read_text()
    for each in kept:
        assert each in text
    shown = cli.json("show", made["memory"]["id"])["links"]
    assert len(shown) == made["links"]
    (record,) = cli.json("list", "--private")["memories"]
    targets = [each["target"] for each in record["links"]] if record.get("links") else []
    wanted = [each.strip("[]").split("|")[0] for each in kept] + [Path(made["memory"]["path"]).stem] * made["links"]
    assert targets == wanted


def test_a_private_file_that_cannot_be_edited_gets_no_link(cli: Command, root: Path) -> None:
    # V-7, P-3: no link then, rather than one in the public file
    path = memory(root, "private/a.md", "mem_00000000000a", "The harbour dues rise", "people: {Noor: 1}")
    before = path.read_bytes()
    made = cli.json("remember", "The harbour dues rise in May", "--link-threshold", "1", "--force")
    assert made["links"] == 0
    assert path.read_bytes() == before
    names(root, "mem_00000000000a", "The harbour dues rise\n")


def test_a_public_memory_does_not_supersede_a_private_one(cli: Command, root: Path) -> None:
    # P-3: a public file would have to name it
    secret = cli.json("remember", "Plan A is to leave", "--private")["memory"]
    before = contents(root)
    answer = cli.run("remember", "Plan B", "--supersedes", secret["id"])
    assert answer.code == 2
    assert "--private" in answer.err
    assert "Plan A" not in answer.err
    assert contents(root) == before
    assert cli.run("remember", "Plan B", "--private", "--supersedes", secret["id"]).code == 0


def test_a_file_in_private_is_private_whatever_it_says(cli: Command, root: Path) -> None:
    # P-2
    memory(root, "private/x.md", "mem_00000000000a", "A secret wish", "private: false")
    assert cli.json("recall", "wish")["results"][0]["private"] is True
    made = cli.json("remember", "A wish that is no secret", "--link-threshold", "1", "--force")
    assert "mem_00000000000a" not in (root / made["memory"]["path"]).read_text()
    names(root, "mem_00000000000a", "A secret wish")


def test_a_flag_on_a_public_note_counts_as_well(cli: Command, root: Path) -> None:
    # P-2, P-3: until it is moved, nothing else names it
    note(root, "memories/x.md", "---\nid: mem_00000000000a\nprivate: yes\n---\nA secret wish\n")
    made = cli.json("remember", "A wish that is no secret", "--link-threshold", "1", "--force")
    assert "[[" not in (root / made["memory"]["path"]).read_text()
    assert "secret wish" not in (root / made["memory"]["path"]).read_text()


def test_many_in_both_directions(vault: Vault) -> None:
    # P-3: whatever order they come in
    words = [
        "the audit",
        "an audit letter",
        "audit fears",
        "the letter",
        "fears of a letter",
        "an open letter",
        "audit ends",
    ]
    for number, text in enumerate(words):
        vault.remember(f"About {text} {number}", private=number % 2 == 0, force=True, link_threshold=1)
    for each in vault.list().memories:
        if each.private:
            names(vault.root, each.id, each.title)
    for each in vault.list().memories:
        for link in vault.show(each.id).links:
            assert each.id in [back.id for back in vault.show(link.id).links]


def test_internal_errors_do_not_quote_texts(root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    # P-3: exceptions; without VAULT_MEM_DEBUG nothing but the place is told
    from vault_mem.operations.memory import remember

    def fail(*_: object) -> None:
        raise KeyError("my secret text")

    monkeypatch.setattr(remember, "guard", fail)
    quiet = {key: value for key, value in env.items() if key != "VAULT_MEM_DEBUG"}
    answer = Command(root, quiet).run("remember", "my secret text", "--private")
    assert answer.code == 1
    assert "my secret text" not in answer.err + answer.out
    assert answer.err.startswith("error: unexpected KeyError in ")


@pytest.mark.parametrize("by", ["command", "flag", "hand"])
def test_what_git_held_before_is_said_until_its_history_is_clean(cli: Command, root: Path, by: str) -> None:
    # P-2, P-5: by status and doctor, whoever made it private
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=root, env=cli.env, check=True, capture_output=True)

    cli.run("config", "set", "quiet_seconds", "0")
    saved = cli.json("remember", "The heron plan")["memory"]
    other = memory(root, "memories/mine.md", "mem_00000000000a", "The stork plan")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "all")
    if by == "command":
        assert cli.run("private", saved["id"]).code == 0
        assert cli.run("private", "mem_00000000000a").code == 0
    elif by == "flag":
        for path in (root / saved["path"], other):
            path.write_text(
                path.read_text().replace("private: false\n", "").replace("---\n", "---\nprivate: true\n", 1)
            )
        cli.run("status")
    else:
        (root / saved["path"]).rename(root / "private" / Path(saved["path"]).name)
    expected = {saved["path"]} | ({"memories/mine.md"} if by != "hand" else set())
    for _ in range(2):
        told = [each for each in cli.json("doctor")["findings"] if each["check"] == "git-history"]
        assert {each["path"] for each in told} == expected
        assert cli.run("doctor").code == 1
        if by != "hand":
            assert set(cli.json("status")["in_git"]) == expected
            assert "in git:" in cli.run("status").out
        git("add", "-A")
        git("commit", "-qm", "moved", "--allow-empty")
    git("checkout", "-q", "--orphan", "clean")
    git("commit", "-qm", "all")
    for branch in ("main", "master"):
        subprocess.run(["git", "branch", "-D", branch], cwd=root, env=cli.env, check=False, capture_output=True)
    assert not any(each["check"] == "git-history" for each in cli.json("doctor")["findings"])
    assert cli.json("status")["in_git"] == []


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_note_that_cannot_be_read_for_a_moment(
    cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    # P-3, S-3: a disk that fails is not taken for a note that names nothing
    memory(root, "memories/a.md", "mem_00000000000a", "The letter is from Kaya")
    naming = memory(root, "memories/b.md", "mem_00000000000b", "As [[a]] says", 'links: ["[[a]]"]')
    cli.run("status")
    before, real, reads = contents(root), Tree.read, []

    def read(tree: Tree, key: str) -> bytes | None:
        if key == "memories/b.md":
            reads.append(key)
            if len(reads) == at:
                raise OSError(errno.EIO, "Input/output error")
        return real(tree, key)

    with monkeypatch.context() as patch:
        patch.setattr(Tree, "read", read)
        answer = cli.run("private", "mem_00000000000a")
    assert len(reads) >= at
    if answer.code:
        assert "Input/output error" in answer.err
        assert contents(root) == before
    else:
        assert b"links" not in naming.read_bytes()


def test_a_vault_within_an_included_folder_is_its_own(cli: Command, root: Path) -> None:
    # P-3, S-6: which of its notes are private, this vault does not know; unless it is asked, nobody reads them
    note(root, "projects/x/vault-mem.toml", "")
    note(root, "projects/x/private/oud.md", "A secret about the oud.\n")
    note(root, "projects/x/deep/er.md", "Deeper about the oud.\n")
    note(root, "projects/y/open.md", "Something open about the oud.\n")
    memory(root, "memories/z/zither.md", "mem_00000000000a", "The zither is mine")
    note(root, "memories/z/vault-mem.toml", "")
    for include in ("projects/**", "**", "projects/x/private/**"):
        cli.run("config", "set", "include", include)
        found = [each["path"] for each in cli.json("recall", "oud", "-n", "20")["results"]]
        assert found == ([] if "private" in include else ["projects/y/open.md"])
    cli.run("reindex")
    assert cli.json("list")["memories"] == []
    assert [each["path"] for each in cli.json("status")["problems"]] == ["memories/z"]  # V-9: no silent loss


def test_git_that_would_take_a_private_memory_in_is_said(cli: Command, root: Path) -> None:
    # P-3, P-5: the next `git add -A` would publish it
    git(root, "init", "-q")
    assert cli.run("remember", "-", "--private", stdin="The brass key").err == ""
    (root / ".gitignore").write_text("*.log\n")
    public = cli.json("remember", "The smokehouse door is oiled")["memory"]["id"]
    for command in (["remember", "-", "--private"], ["private", public]):
        answer = cli.run(*command, stdin="The third plank")
        assert answer.code == 0 and "git does not ignore private/" in answer.err
    cli.run("doctor", "--fix")
    assert "git does not ignore" not in cli.run("remember", "-", "--private", stdin="Soup in the cellar").err
    git(root, "add", "--force", "private")
    assert "does NOT ignore" in cli.run("status").out


def test_another_private_folder_is_ignored_by_git_too(cli: Command, root: Path) -> None:
    git(root, "init", "-q")
    before = contents(root)
    assert cli.run("config", "set", "private_folder", "agent/hidden").code == 0
    assert cli.run("remember", "-", "--private", stdin="The brass key").err == ""
    assert git(root, "status", "--porcelain", "-uall").split() == ["??", ".gitignore", "??", "vault-mem.toml"]
    assert [cli.run("undo").code, cli.run("undo").code] == [0, 0]
    assert contents(root)[".gitignore"] == before[".gitignore"]
