"""import: memories from elsewhere, through the guard, once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, leftovers, mode, public_text

from vault_mem import Vault
from vault_mem.errors import WriteFailed
from vault_mem.imports.formats import FORMATS, reader_for
from vault_mem.imports.items import blocks

DATA = Path(__file__).parent / "data" / "imports"
# What is in each sample: how many come in, repeat another, are refused.
SAMPLES = {
    "markdown": ("markdown", 3, 0, 1),
    "openclaw": ("openclaw", 5, 0, 0),
    "basic-memory": ("basic-memory", 5, 0, 0),
    "mem0": ("mem0.json", 2, 1, 1),
    "mcp-memory-service": ("mcp-memory-service.json", 2, 0, 0),
    "chatgpt": ("chatgpt", 2, 0, 1),
    "claude": ("claude", 5, 0, 0),
}


def by_source(vault: Vault) -> dict[str, object]:
    return {memory.source: memory for memory in vault.list(n=None).memories}


# D-1, V-1: through the guard, and repeatable
@pytest.mark.parametrize("format_", SAMPLES)
def test_every_format_comes_in_once(format_, cli: Command, vault: Vault):
    name, count, duplicates, refused = SAMPLES[format_]
    source = DATA / name
    assert format_ == reader_for(source).NAME

    empty = contents(cli.cwd)
    dry = cli.json("import", str(source), "--dry-run")
    assert dry["format"] == format_ and dry["dry_run"]
    assert len(dry["imported"]) + len(dry["duplicates"]) == count + duplicates
    assert contents(cli.cwd) == empty

    first = cli.json("import", str(source))
    assert first["counts"] == {"imported": count, "skipped": 0, "duplicates": duplicates, "refused": refused}
    memories = by_source(vault)
    assert set(memories) == {each["source"] for each in first["imported"]}
    assert {memory.id for memory in memories.values()} == {each["id"] for each in first["imported"]}
    assert all(each["source"].startswith(f"{format_}:") for each in first["imported"])
    assert all(each["id"] in {m.id for m in memories.values()} for each in first["duplicates"])
    assert not leftovers(cli.cwd)

    edited = memories[first["imported"][0]["source"]]
    vault.update(edited.id, "Something else altogether was written here since.")
    before = contents(cli.cwd)
    again = cli.json("import", str(source), "--format", format_)
    assert again["counts"] == {"imported": 0, "skipped": count, "duplicates": duplicates, "refused": refused}
    assert contents(cli.cwd) == before


def test_markdown_keeps_what_notes_say(cli: Command, vault: Vault):
    report = cli.json("import", str(DATA / "markdown"))
    found = by_source(vault)
    office = found["markdown:harbour.md"]
    assert office.created.isoformat() == "2025-03-04T09:30:00+09:00"
    assert office.importance == 4 and office.tags == ["harbour", "office"]
    assert office.path.startswith("memories/2025-03/")
    ferry = found["markdown:trips/Ferry.md"]
    assert ferry.created.date().isoformat() == "2025-06-01" and ferry.tags == ["travel"]
    assert ferry.id in {link.id for link in vault.show(office.id).links}
    rest = found["markdown:2025-07-12 rest.md"]
    assert rest.private and rest.created.date().isoformat() == "2025-07-12"
    assert report["refused"][0]["source"] == "markdown:broken.md" and "broken YAML" in report["refused"][0]["reason"]


# P-1
def test_private_stays_private(cli: Command, vault: Vault):
    cli.json("import", str(DATA / "markdown"))
    assert "体調" not in public_text(cli.cwd)
    answer = cli.run("import", str(DATA / "mem0.json"), "--private")
    assert answer.code == 0 and "hazelnuts" not in answer.out + answer.err
    assert "hazelnuts" not in public_text(cli.cwd)
    notes = list((cli.cwd / "private").glob("mem_*.md"))
    assert len(notes) == 3 and all(mode(path) == 0o600 for path in notes)


def test_openclaw_entries(cli: Command, vault: Vault):
    cli.json("import", str(DATA / "openclaw"))
    found = {each.content: each for each in by_source(vault).values()}
    dentist = found["The dentist appointment moved to Thursday."]
    assert (dentist.source or "").startswith("openclaw:memory/2026-01-03.md#")
    assert dentist.created.isoformat() == "2026-01-03T09:15:00+09:00"
    assert any(content.startswith("The cat slept") for content in found)
    curated = found["Uses fish as a shell\n  on every machine."]
    assert (curated.source or "").startswith("openclaw:MEMORY.md#") and curated.importance == 4


@pytest.mark.parametrize(
    ("place", "format_"),
    [("MEMORY.md", "openclaw"), ("memory/2026-01-03.md", "openclaw"), (".memsearch/memory/2026-01-03.md", "memsearch")],
)
def test_an_entry_before_those_that_are_here(cli: Command, vault: Vault, tmp_path: Path, place: str, format_: str):
    # K-3: each entry was known by its line, so the new one was taken for the one that had been there
    file = tmp_path / "workspace" / place
    file.parent.mkdir(parents=True)
    file.write_text("- The landlord is called Petersen\n- The wifi password is on the fridge\n")
    assert cli.json("import", str(tmp_path / "workspace"), "--format", format_)["counts"]["imported"] == 2
    vault.update(next(iter(by_source(vault).values())).id, "Something else was written here since.")
    file.write_text("- Anna moved to Trondheim in October\n" + file.read_text())
    again = cli.json("import", str(tmp_path / "workspace"), "--format", format_)
    assert again["counts"] == {"imported": 1, "skipped": 2, "duplicates": 0, "refused": 0}
    assert "Anna moved to Trondheim in October" in [each.content for each in by_source(vault).values()]


def test_basic_memory_observations_and_relations(cli: Command, vault: Vault):
    report = cli.json("import", str(DATA / "basic-memory"))
    found = by_source(vault)
    note = found["basic-memory:kitchen/coffee-brewing"]
    assert "Notes from a year" in note.content and "Observations" not in note.content
    roasters, routine = found["basic-memory:kitchen/bean-roasters"], found["basic-memory:morning-routine"]
    assert roasters.category == "company" and routine.created.isoformat() == "2025-02-01T14:30:00+09:00"
    links = {link.id: link.type for link in vault.show(note.id).links}
    assert links[roasters.id] in ("related", "similar") and links[routine.id] == "leads_to"
    facts = {memory.category: memory for memory in found.values() if memory.kind == "fact"}
    assert set(facts) == {"method", "technique"}
    assert facts["method"].tags == ["coffee", "brewing"]
    assert facts["method"].content == "Coffee Brewing: Pour over gives a clearer taste than the French press"
    assert note.id in {link.id for link in vault.show(facts["technique"].id).links}
    assert report["links"] >= 2


def test_times_and_fields_of_json_exports(cli: Command, vault: Vault):
    for name in ("mem0.json", "mcp-memory-service.json", "chatgpt", "claude"):
        cli.json("import", str(DATA / name))
    found = by_source(vault)
    seat = found["mem0:892db2ae-06d9-49e5-8b3e-585ef9b85b8e"]
    assert seat.created.isoformat() == "2025-07-20T17:32:09+09:00" and seat.category == "preference"
    assert found["mem0:c190ab1a-a2f1-4f6f-914a-495e9a16b76e"].tags == ["health", "food"]
    hash_ = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
    assert found[f"mcp-memory-service:{hash_}"].tags == ["people", "reviews"]
    talk = found["chatgpt:8f3a2b1c-0000-4000-8000-000000000001"]
    assert "electricity" in talk.content and "thrown away" not in talk.content and "context updated" not in talk.content
    assert talk.created.isoformat() == "2025-01-07T09:23:20+09:00" and talk.category == "conversation"
    assert found["chatgpt:b2"].content == "User is moving to Lisbon in May." and found["chatgpt:b2"].kind == "fact"
    assert "Twelve hours" in found["claude:3d9d1c52-0000-4000-8000-00000000000a"].content
    texts = {memory.content for source, memory in found.items() if source.startswith("claude:memory#")}
    assert texts == {
        "Work context: Runs a small bakery in Utrecht.",
        "Personal context: Speaks Dutch and some Turkish.",
        "Personal context: Has two sisters.",
    }


def test_a_zip_archive_is_read_as_it_is(cli: Command, tmp_path: Path):
    archive = tmp_path / "data.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in (DATA / "claude").iterdir():
            out.write(path, f"data-2025/{path.name}")
    assert cli.json("import", str(archive))["counts"]["imported"] == 5
    assert cli.json("import", str(DATA / "claude"))["counts"] == {
        "imported": 0, "skipped": 5, "duplicates": 0, "refused": 0,
    }  # fmt: skip


def test_what_the_vault_knows_is_not_said_twice(cli: Command, vault: Vault):
    known = vault.remember("Is allergic to hazelnuts").memory
    report = cli.json("import", str(DATA / "mem0.json"))
    assert [each["id"] for each in report["duplicates"]] == [known.id, known.id]
    assert report["duplicates"][0]["similarity"] > 0.95
    assert cli.run("remember", "--last-blocked").code == 4  # an import is not the last thing a person tried to save


NONSENSE = ["", "{", "[1, 2]", '{"results": 3}', '{"results": [null, {"memory": 4}]}', "\x00\x01", '{"memories": [[]]}']


@pytest.mark.parametrize("format_", [each for each in FORMATS if each != "auto"])
def test_nonsense_is_refused_with_a_reason(format_, cli: Command, tmp_path: Path):
    notes = format_ in ("markdown", "basic-memory")  # to these any text is a note
    before = contents(cli.cwd)
    for text in NONSENSE[:1] + NONSENSE[5:6] if notes else NONSENSE:
        path = tmp_path / "export.json"
        path.write_text(text)
        answer = cli.run("import", str(path), "--format", format_, "--as-memories", "--json")
        assert answer.code in (0, 1) and not answer.json["imported"]
        assert all(each["reason"] for each in answer.json["refused"])
        assert contents(cli.cwd) == before


def test_one_bad_record_does_not_stop_the_rest(cli: Command, tmp_path: Path):
    records = json.loads((DATA / "mem0.json").read_text())["results"]
    bad = [None, {"id": "x"}, {"id": "y", "memory": "a\x00b"}, {"id": "z", "memory": "q" * 1_100_000}, records[1]]
    bad.append(
        {"id": "t", "memory": "The lighthouse keeper retires in autumn", "created_at": "not a time", "categories": 7}
    )
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps(bad))
    report = cli.json("import", str(path), "--format", "mem0")
    assert report["counts"] == {"imported": 2, "skipped": 0, "duplicates": 0, "refused": 4}
    assert "too long" in report["refused"][3]["reason"]


def test_unknown_sources_say_what_to_do(cli: Command, tmp_path: Path):
    assert cli.run("import", str(tmp_path / "nothing")).code == 2
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    answer = cli.run("import", str(tmp_path / "photo.jpg"))
    assert answer.code == 2 and "--format" in answer.err


def test_a_growing_log_brings_only_what_is_new(cli: Command, tmp_path: Path):
    source = tmp_path / "workspace"
    shutil.copytree(DATA / "openclaw", source)
    cli.json("import", str(source))
    with (source / "memory/2026-01-03.md").open("a") as log:
        log.write("- Ordered new curtains for the study.\n")
    report = cli.json("import", str(source))
    assert report["counts"] == {"imported": 1, "skipped": 5, "duplicates": 0, "refused": 0}


def test_blocks_of_a_markdown_text():
    text = "# T\n\nOne\nline.\n\n- a\n  - b\n\n1. c\n\n```\n- code\n\nmore\n```\n---\n"
    assert [block.text for block in blocks(text)] == ["One\nline.", "a\n  - b", "c", "```\n- code\n\nmore\n```\n---"]


def test_a_vault_in_the_workspace_itself(tmp_path: Path, env: dict[str, str]):
    root = tmp_path / "workspace"
    shutil.copytree(DATA / "openclaw", root)
    Vault.init(root, env=env, timezone="Asia/Tokyo")
    cli = Command(root, env)
    assert cli.json("import", ".")["counts"]["imported"] == 5
    log = (root / "memory/2026-01-03.md").read_text()
    assert log.count("[id:mem_") == 4 and log.count("The dentist") == 2  # the views mirror what came in
    vault = Vault(root, env=env)
    logged = next(source for source in by_source(vault) if source.startswith("openclaw:memory/2026-01-03.md#"))
    vault.update(by_source(vault)[logged].id, "Something else was written here since.")
    again = cli.json("import", ".")
    assert again["counts"] == {"imported": 0, "skipped": 5, "duplicates": 0, "refused": 0}


# W-1
def test_an_old_introspection_is_not_the_latest_word(cli: Command, vault: Vault, tmp_path: Path):
    vault.remember("I have grown fond of the mornings.", category="introspection")
    latest = cli.cwd / "memory/inner-monologue-latest.md"
    before = latest.read_text()
    (tmp_path / "old.md").write_text("---\ncreated: 2020-01-01\ncategory: introspection\n---\nI was restless then.\n")
    assert cli.json("import", str(tmp_path / "old.md"))["counts"]["imported"] == 1
    assert latest.read_text() == before


def test_the_report_in_words(cli: Command):
    answer = cli.run("import", str(DATA / "mem0.json"))
    first, *rest = answer.out.splitlines()
    assert first == "Imported 2 memories (mem0): 1 duplicate, 1 refused."
    assert rest[0].startswith("duplicate: mem0:77aa4e18-3b1f-4c5b-bf5c-2a4bd8f6a6d1 repeats mem_")
    assert rest[1] == "refused: mem0:0d1f0d9b-5c58-4c38-8d38-9a2ae1b0a6b4: it has no text"
    assert cli.run("import", str(DATA / "mem0.json")).out.startswith("Imported 0 memories (mem0): 2 already here")


def crates(place: Path, count: int) -> Path:
    """An export of mem0 with that many memories."""
    items = [{"id": f"x{n}", "memory": f"Crate {n} has {n * 7919 % 1013} lamps"} for n in range(count)]
    place.write_text(json.dumps(items))
    return place


def asked(cli: Command) -> list[dict]:
    return [each for each in cli.json("history", "-n", "99")["operations"] if not each["unasked"]]


def test_an_import_is_one_operation(cli: Command, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # S-7: one entry in history, one undo to the byte, one to do it again
    monkeypatch.setattr("vault_mem.vault.parts.MOST_PARTS", 10)
    cli.run("remember", "The lamp is out", "--importance", "5")
    os.utime(root / "MEMORY.md", (1_700_000_000, 1_700_000_000))
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*.md")}
    source = crates(tmp_path / "mem0.json", 45)
    report = cli.json("import", str(source), "--format", "mem0")
    assert report["counts"]["imported"] == report["total"] - report["counts"]["duplicates"] >= 30
    saved = contents(root)
    made, first = asked(cli)
    assert (made["command"], first["command"]) == ("import", "remember")
    assert set(made["ids"]) >= {each["id"] for each in report["imported"]}
    assert not list((root / ".vault-mem/journal").glob("*.parts"))
    undone = cli.json("undo")
    assert undone["command"] == "import"
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*.md")} == before
    assert cli.json("list")["total"] == 1
    assert cli.run("undo", undone["op"]).code == 0
    assert {name: data for name, data in contents(root).items() if "history" not in name} == {
        name: data for name, data in saved.items() if "history" not in name
    }


def test_a_purge_takes_only_its_own_out_of_an_import(cli: Command, vault: Vault, root: Path):
    # S-7: the rest of the import can still be undone, also a note that linked to what is purged
    before = contents(root)
    cli.run("import", str(DATA / "basic-memory"))
    gone = by_source(vault)["basic-memory:kitchen/bean-roasters"].id
    assert [link.id for link in vault.show(gone).links]
    assert cli.run("forget", gone, "--purge").code == 0
    imported = asked(cli)[1]
    assert imported["command"] == "import"
    assert gone not in imported["ids"]
    for path in (root / ".vault-mem/journal").iterdir():
        assert gone[4:12] not in path.read_text()
    answer = cli.run("undo", imported["op"])
    assert answer.code == 0, answer.err
    assert {name for name in contents(root) if "history" not in name} == set(before)


def test_the_undo_of_an_import_does_not_take_an_edit(cli: Command, root: Path):
    report = cli.json("import", str(DATA / "basic-memory"))
    path = root / cli.json("show", report["imported"][0]["id"])["path"]
    path.write_text(path.read_text() + "\nBy hand.\n")
    before = contents(root)
    assert cli.run("undo").code == 5
    assert contents(root) == before


def test_ctrl_c_leaves_one_operation_and_goes_on(cli: Command, root: Path, tmp_path: Path, env: dict[str, str]):
    # S-7
    source = crates(tmp_path / "mem0.json", 20)

    def stop(done: int, total: int) -> None:
        if done == 8:
            raise KeyboardInterrupt

    vault = Vault(root, env=env)
    with pytest.raises(KeyboardInterrupt) as stopped:
        vault.import_(source, "mem0", progress=stop)
    came = len(stopped.value.report.imported)
    assert 0 < came <= 8
    assert vault.list().total == came
    (one,) = asked(cli)
    assert one["command"] == "import"
    again = cli.json("import", str(source), "--format", "mem0")
    assert again["counts"]["skipped"] == came
    assert len(asked(cli)) == 2
    assert cli.run("undo").code == 0
    assert cli.json("list")["total"] == came
    assert cli.run("undo").code == 0
    assert cli.json("list")["total"] == 0


def test_a_killed_import_is_not_there(cli: Command, root: Path, tmp_path: Path, env: dict[str, str]):
    # S-3, S-7: the next command takes it back, one that only reads too, and an empty vault is no alarm
    source = crates(tmp_path / "mem0.json", 20)
    code = (
        "import os, sys\nfrom vault_mem import Vault\nfrom vault_mem.vault import parts\nparts.MOST_PARTS = 4\n"
        "from vault_mem.operations.memory import remember_many\nremember_many.FIRST = 4\n"
        "die = lambda done, total: os._exit(9) if done == 15 else None\n"
        "Vault(sys.argv[1]).import_(sys.argv[2], 'mem0', progress=die)\n"
    )
    before = contents(root)
    done = subprocess.run([sys.executable, "-c", code, str(root), str(source)], env={**os.environ, **env}, check=False)
    assert done.returncode == 9
    assert len(contents(root)) > len(before) + 5
    answer = cli.run("list", "--json")
    assert json.loads(answer.out)["total"] == 0
    assert "took back import" in answer.err
    assert contents(root) == before
    assert asked(cli) == []
    assert cli.run("doctor").code == 0
    assert len(cli.json("import", str(source), "--format", "mem0")["imported"]) > 5
    assert cli.run("undo").code == 0
    assert {name for name in contents(root) if "history" not in name} == set(before)


def test_an_import_that_fails_is_not_there(cli: Command, vault: Vault, root: Path, tmp_path: Path):
    # S-3, S-7: nor what it changed in the memory of a kind of which there is one, in the views and in REVIEW.md
    vault.remember("I feel calm by the harbour", kind="mood")
    vault.remember("The dues are 30 euros a month", kind="fact", importance=5)
    os.utime(root / "MEMORY.md", (1_700_000_000, 1_700_000_000))
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*.md")}
    items = [
        {"content": "I feel restless, the ferry is late", "kind": "mood"},
        {"content": "The dues are 40 euros a month now", "kind": "fact", "importance": 5},
        {"content": "The tide has turned in me", "category": "introspection"},
        *({"content": f"Crate {n} has {n * 7919 % 1013} lamps"} for n in range(6)),
    ]
    source = tmp_path / "notes"
    source.mkdir()
    for number, item in enumerate(items):
        fields = "".join(f"{name}: {value}\n" for name, value in item.items() if name != "content")
        (source / f"{number}.md").write_text(f"---\n{fields}---\n{item['content']}\n")

    changed = set()

    def fail(done: int, total: int) -> None:
        if done == total:
            changed.update(path.name for path, (data, _) in before.items() if path.read_bytes() != data)
            raise WriteFailed("the disk is full")

    with pytest.raises(WriteFailed, match="the disk is full"):
        vault.import_(source, progress=fail)
    assert any(name.startswith("i-feel-calm") for name in changed)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*.md")} == before
    assert vault.list().total == 2
    assert [each["command"] for each in asked(cli)] == ["remember", "remember"]
    assert not [path for path in (root / ".vault-mem/journal").iterdir() if path.suffix != ".json"]
    assert len(vault.import_(source).imported) > 6
    assert [each["command"] for each in asked(cli)] == ["import", "remember", "remember"]
