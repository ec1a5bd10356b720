"""export: memories written out, and what stays here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, mode, note, states

from vault_mem import Vault
from vault_mem.operations.memory.filters import Filters

CANARY = "The canary sings only for Ulrike"


def everything(vault: Vault) -> list:
    return vault.list(Filters(closed=True)).memories


@pytest.fixture
def mixed(vault: Vault) -> Vault:
    """A vault with public, private, closed and linked memories, and an episode."""
    first = vault.remember("The boat is moored at pier nine", tags=["boat"], importance=4).memory
    vault.remember("The boat is moored at pier twelve now", supersedes=[first.id], people=["Okan"])
    vault.remember("Bread rises better near the stove", kind="fact", created=None, source="mem0:abc")
    vault.remember(CANARY, private=True, tags=["canarytag"])
    vault.remember("日本語の覚え書きも書き出せる。", emotion="calm", valence=0.3)
    note(
        vault.root, "episodes/harbour.md", f"---\nid: ep_0123456789ab\n---\nHarbour days: [[{Path(first.path).stem}]]\n"
    )
    vault.status()
    return vault


def same(one, other) -> bool:
    """Whether two memories say the same; the files may lie elsewhere."""
    return replace(one, path="") == replace(other, path="")


# V-1
def test_json_lines_come_back_as_the_same_memories(mixed: Vault, tmp_path: Path, env: dict[str, str]):
    out = tmp_path / "all.jsonl"
    report = mixed.export(out, filters=Filters(closed=True), include_private=True)
    assert report.memories == 5 and mode(out) == 0o600 and not report.left_links
    Vault.init(tmp_path / "other", env=env, timezone="Asia/Tokyo")
    other = Vault(tmp_path / "other", env=env)
    came = other.import_(out)
    assert came.format == "jsonl" and len(came.imported) == 5 and not came.refused
    old, new = everything(mixed), everything(other)
    assert [memory.id for memory in old] == [memory.id for memory in new]
    assert all(same(one, two) for one, two in zip(old, new, strict=True))
    for each in old:
        assert {link.id for link in mixed.show(each.id).links} - {"ep_0123456789ab"} == {
            link.id for link in other.show(each.id).links
        }
    again = other.import_(out)
    assert not again.imported and len(again.skipped) == 5
    assert CANARY not in "".join(
        data.decode() for name, data in contents(other.root).items() if not name.startswith("private/")
    )


def test_near_repetitions_of_one_export_do_not_refuse_each_other(vault: Vault, tmp_path: Path, env: dict[str, str]):
    vault.remember("The meeting is in the blue room")
    vault.remember("The meeting is in the blue room", force=True)
    vault.export(tmp_path / "all.jsonl")
    Vault.init(tmp_path / "other", env=env)
    other = Vault(tmp_path / "other", env=env)
    assert len(other.import_(tmp_path / "all.jsonl").imported) == 2
    Vault.init(tmp_path / "third", env=env)
    third = Vault(tmp_path / "third", env=env)
    third.remember("The meeting is in the blue room")
    assert len(third.import_(tmp_path / "all.jsonl").duplicates) == 2


def test_titles_aliases_and_unusual_names_survive(vault: Vault, tmp_path: Path, env: dict[str, str]):
    text = "Wind from the west. See [[other]]."
    memory(vault.root, "memories/my own name.md", "mem_aaaaaaaaaaaa", text, "title: Winds", "aliases: [breeze, gale]")
    memory(
        vault.root,
        "memories/other.md",
        "mem_bbbbbbbbbbbb",
        "Another note.",
        'links: ["[[my own name|x · caused_by 0.5]]"]',
    )
    vault.export(tmp_path / "all.jsonl")
    Vault.init(tmp_path / "new", env=env, timezone="Asia/Tokyo")
    new = Vault(tmp_path / "new", env=env)
    new.import_(tmp_path / "all.jsonl")
    assert all(same(one, two) for one, two in zip(everything(vault), everything(new), strict=True))
    assert (new.root / "memories/2026-11/my own name.md").is_file()


# P-3: exports join the canary test
@pytest.mark.parametrize("format_", ["jsonl", "markdown", "vault"])
def test_private_memories_stay_here(format_, mixed: Vault, tmp_path: Path):
    secret = next(each for each in everything(mixed) if each.private)
    leak = f'links:\n  - "[[{secret.id}|{CANARY} · similar 0.80]]"'
    memory(mixed.root, "memories/leaky.md", "mem_cccccccccccc", f"It names [[{secret.id}|{CANARY}]] in prose.", leak)
    out = tmp_path / "out"
    report = mixed.export(out, format_, Filters(closed=True))
    assert report.private_left_out == 1 and report.memories == 5
    written = contents(out) if out.is_dir() else {"": out.read_bytes()}
    text = "\n".join(f"{name}\n{data.decode()}" for name, data in written.items())
    assert "pier twelve" in text and "It names (a private memory) in prose." in text
    for word in (CANARY, secret.id, secret.id[4:12], "canarytag"):
        assert word not in text and word not in str(report)
    assert [each for each in report.left_links if each.startswith("mem_cccccccccccc")]


def test_private_only_when_it_is_said(mixed: Vault, sample_cli: Command, tmp_path: Path):
    cli = Command(mixed.root, sample_cli.env)
    assert cli.run("export", str(tmp_path / "a.jsonl"), "--private").code == 2
    assert not (tmp_path / "a.jsonl").exists()
    found = cli.json("export", str(tmp_path / "a.md"), "--format", "markdown", "--private", "--include-private")
    assert found["memories"] == 1 and mode(tmp_path / "a.md") == 0o600
    assert CANARY in (tmp_path / "a.md").read_text()


def test_episodes_that_are_left_out_are_told(mixed: Vault, cli: Command, tmp_path: Path):
    for name in ("jsonl", "markdown"):
        told = cli.run("export", str(tmp_path / name), "--format", name).out
        assert "1 episode left out; --format vault exports them too." in told
    assert (
        "left out"
        not in cli.run("export", str(tmp_path / "v"), "--format", "vault", "--closed", "--include-private").out
    )


def test_a_new_vault_has_the_files_byte_for_byte(mixed: Vault, tmp_path: Path, env: dict[str, str]):
    before = states(mixed.root)
    out = tmp_path / "copy"
    report = mixed.export(out, "vault", Filters(closed=True), include_private=True)
    assert (report.memories, report.episodes) == (5, 1) and not report.left_links
    folders = ("memories", "private", "episodes")
    assert all(contents(mixed.root / name) == contents(out / name) for name in folders)
    assert (out / "vault-mem.toml").read_bytes() == (mixed.root / "vault-mem.toml").read_bytes()
    assert mode(out / "private") == 0o700 and all(mode(each) == 0o600 for each in (out / "private").glob("*.md"))
    assert "private/" in (out / ".gitignore").read_text()
    copy = Vault(out, env=env)
    assert everything(copy) == everything(mixed)
    assert states(mixed.root) == before


def test_links_to_what_was_left_out_are_reported(mixed: Vault, tmp_path: Path):
    report = mixed.export(tmp_path / "open", "vault")
    old = next(each for each in everything(mixed) if "pier nine" in each.content)
    new = next(each for each in everything(mixed) if "pier twelve" in each.content)
    assert report.closed_left_out == 1
    assert f"{new.id} -> {old.id}" in report.left_links and f"ep_0123456789ab -> {old.id}" in report.left_links


def test_filters_choose(mixed: Vault, env: dict[str, str], tmp_path: Path):
    cli = Command(mixed.root, env)
    assert cli.json("export", str(tmp_path / "f.jsonl"), "--kind", "fact")["memories"] == 1
    lines = (tmp_path / "f.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["source"] == "mem0:abc"


def test_one_markdown_file(mixed: Vault, tmp_path: Path):
    mixed.export(tmp_path / "all.md", "markdown")
    text = (tmp_path / "all.md").read_text()
    assert text.startswith("# Memories of vault\n\n## ") and text.count("\n## ") == 3
    assert "日本語の覚え書きも書き出せる。" in text and "- source: mem0:abc" in text


def test_nothing_is_overwritten_unasked(mixed: Vault, env: dict[str, str], tmp_path: Path):
    cli = Command(mixed.root, env)
    out = tmp_path / "out.jsonl"
    out.write_text("mine\n")
    assert cli.run("export", str(out)).code == 6 and out.read_text() == "mine\n"
    assert cli.run("export", str(out), "--include-private", "--force").code == 0
    assert CANARY in out.read_text() and mode(out) == 0o600
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("mine")
    assert cli.run("export", str(tmp_path / "full"), "--format", "vault", "--force").code == 6
    assert cli.run("export", str(tmp_path)).code == 2
    assert cli.run("export", str(tmp_path / "no/where.jsonl")).code == 2
    before = contents(mixed.root)
    for place in ("memories/all.md", "copy"):
        assert cli.run("export", place, "--format", "vault").code == 6
    assert cli.run("export", "memories/all.md", "--format", "markdown").code == 6
    assert cli.run("export", "all.jsonl", "--include-private").code == 6
    assert contents(mixed.root) == before


def test_a_hostile_file_cannot_write_where_it_likes(vault: Vault, tmp_path: Path):
    record = {"id": "mem_dddddddddddd", "content": "Hello there", "created": "2026-01-01T00:00:00+00:00"}
    lines = [
        record | {"path": "../../evil.md"},
        record | {"id": "mem_eeeeeeeeeeee", "content": "Second thing", "path": "memories/.hidden.md"},
        record | {"id": "../../x"},
        record | {"id": "mem_ffffffffffff", "created": 5},
        record | {"id": "mem_111111111111", "tags": "no list"},
        record | {"id": "mem_222222222222", "links": [{"target": 5}]},
        record | {"id": "mem_333333333333", "links": [{"target": "a]]\nprivate: true"}]},
        record | {"id": "mem_444444444444", "title": ["x"], "aliases": 7},
        {"id": 3},
        [],
    ]
    source = tmp_path / "evil.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n")
    report = vault.import_(source)
    assert [each.id for each in report.imported] == ["mem_dddddddddddd", "mem_eeeeeeeeeeee"]
    assert len(report.refused) == 9
    assert [path.parent.parent for path in tmp_path.rglob("evil.md")] == [vault.root / "memories"]
    assert not list(vault.root.rglob(".hidden.md"))
    assert len(everything(vault)) == 2


def test_a_line_that_is_no_memory_is_refused_in_plain_words(cli: Command, tmp_path: Path):
    source = tmp_path / "mine.jsonl"
    source.write_text('{"text": "The ferry leaves at nine"}\n["The ferry leaves at nine"]\n')
    reasons = [each["reason"] for each in cli.json("import", str(source))["refused"]]
    assert reasons == ["not a memory as export writes it: no id and no content and no created"] * 2
