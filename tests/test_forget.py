"""forget, restore and purge: the memory, whatever names it, and nothing else."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from conftest import Command
from helpers import at, at_a_terminal, contents, leftovers, memory, mode, note, states

from vault_mem import Vault
from vault_mem.errors import Unsafe
from vault_mem.vault.tree import Tree

OLD = "mem_651b9d294720"
GONE = "---\nThis memory is gone. Was there anything worth preserving in a new form?\n"


@pytest.fixture
def blue(root: Path) -> Path:
    """A memory that is ten days old in a clock that stands still."""
    return memory(
        root,
        "memories/2026-11/blue-envelope-14-651b9d29.md",
        OLD,
        "Blue Envelope #14 came\nwith the morning post " + "x" * 120,
        "emotion: happy",
    )


def test_every_line_with_its_marker_leaves_every_view(cli: Command, root: Path) -> None:
    # F-1: only the first line of each file did
    id_ = cli.json("remember", "The ferry is late again", "--importance", "5", env=at("2026-11-03"))["memory"]["id"]
    day = next((root / "memory").glob("????-??-??.md"))
    line = next(each for each in day.read_text().splitlines() if id_ in each)
    day.write_text(day.read_text() + f"\n## Highlights\n{line}\n\nAs said above [id:{id_}] I am tired of it.\nMine.\n")
    before = day.read_bytes()
    os.utime(day, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
    assert cli.run("forget", id_).code == 0
    assert id_ not in day.read_text()
    assert day.read_text().endswith("## Highlights\n\nMine.\n")
    assert cli.run("undo").code == 0
    assert day.read_bytes() == before
    assert day.stat().st_mtime_ns == 1_700_000_000_000_000_000


def test_a_line_somebody_wrote_meanwhile_is_not_overwritten(cli: Command, root: Path) -> None:
    # S-7, S-8: neither by restore nor by undo
    id_ = cli.json("remember", "The ferry is late again", env=at("2026-11-03"))["memory"]["id"]
    cli.run("remember", "Another thing that day", env=at("2026-11-03"))
    day = next((root / "memory").glob("????-??-??.md"))
    assert cli.run("forget", id_).code == 0
    day.write_text(day.read_text() + f"I was wrong about the ferry [id:{id_}]\n")
    before = day.read_bytes()
    answer = cli.run("undo")
    assert answer.code == 5
    assert day.read_bytes() == before
    assert cli.run("restore", id_).code == 0
    assert day.read_bytes() == before


def test_a_line_that_its_owner_moved_comes_back_where_it_was(cli: Command, root: Path) -> None:
    # S-7: order
    ids = [
        cli.json("remember", text, "--force", env=at("2026-11-03"))["memory"]["id"]
        for text in ("One ferry", "Two kettles")
    ]
    day = next((root / "memory").glob("????-??-??.md"))
    lines = day.read_text().splitlines()
    day.write_text("\n".join(["# Mine", *reversed(lines[2:]), "", "The end"]))
    before = day.read_bytes()
    for id_ in ids:
        assert cli.run("forget", id_).code == 0
    assert cli.run("undo").code == 0
    assert cli.run("undo").code == 0
    assert day.read_bytes() == before


def test_what_it_says(cli: Command, blue: Path) -> None:
    # F-2: the exact text, scaffold after ---, content cut at 120 on one line
    content = ("Blue Envelope #14 came with the morning post " + "x" * 120)[:120] + "..."
    answer = cli.run("forget", OLD, env=at("2026-11-04"))
    assert answer.out == (
        f"Forgot (id: {OLD}, 3d ago): {content}\nEmotion: happy | Importance: 3\n\n{GONE}"
        "If this was part of a merge, save the consolidated version with remember.\n"
    )
    assert not blue.exists()
    assert cli.run("show", OLD).code == 4
    assert cli.json("recall", "blue envelope")["results"] == []


def test_json(cli: Command, blue: Path) -> None:
    # W-6: data and scaffold apart
    answer = cli.json("forget", "651b9d", "--no-scaffold")
    assert answer["status"] == "forgotten"
    assert answer["memory"]["id"] == OLD
    assert answer["scaffold"] == ""


def test_unknown(cli: Command, blue: Path, root: Path) -> None:
    # F-3
    before = contents(root)
    answer = cli.run("forget", "mem_invalid123")
    assert answer.code == 4
    assert "Memory not found: mem_invalid123" in answer.err
    assert "Double-check the ID. Use recall to search for the memory you're looking for." in answer.err
    assert contents(root) == before


def test_one_id_a_call(cli: Command, blue: Path) -> None:
    # F-1
    assert cli.run("forget", OLD, "mem_000000000001").code == 2
    assert blue.exists()


def test_every_reference_leaves(cli: Command, root: Path, blue: Path) -> None:
    # F-1: front-matter links whoever wrote them, wikilinks in a body become their display text, nothing else changes
    linking = note(
        root,
        "memories/linking.md",
        "---\r\n# mine\r\nid: mem_00000000000a\r\ncreated: 2026-11-01\r\nlinks:\r\n"
        '  - "[[blue-envelope-14-651b9d29|Blue · similar 0.93]]"\r\n  - "[[other]]"  # stays\r\n'
        'supersedes: ["[[Blue-Envelope-14-651b9d29]]"]\r\nup: "[[memories/2026-11/blue-envelope-14-651b9d29]]"\r\n'
        "---\r\nAs in [[blue-envelope-14-651b9d29|the envelope]], ![[blue-envelope-14-651b9d29#top]] and\r\n"
        "`[[blue-envelope-14-651b9d29]]`\r\n```\r\n[[blue-envelope-14-651b9d29]]\r\n```\r\n"
        "| a \\| [[blue-envelope-14-651b9d29\\|b]] |",
    )
    was = linking.stat().st_mtime_ns
    by_id = note(root, "memories/by-id.md", f"See [[{OLD}]] and [[renamed-since-651b9d29|it]].")
    answer = cli.json("forget", OLD)
    assert sorted(answer["references"]) == ["memories/by-id.md", "memories/linking.md"]
    assert linking.read_bytes().decode() == (
        "---\r\n# mine\r\nid: mem_00000000000a\r\ncreated: 2026-11-01\r\nlinks:\r\n"
        '  - "[[other]]"  # stays\r\nup: memories/2026-11/blue-envelope-14-651b9d29\r\n'
        "---\r\nAs in the envelope, blue-envelope-14-651b9d29#top and\r\n"
        "`[[blue-envelope-14-651b9d29]]`\r\n```\r\n[[blue-envelope-14-651b9d29]]\r\n```\r\n| a \\| b |"
    )
    assert linking.stat().st_mtime_ns > was  # O-5
    assert "See mem_651b9d294720 and it." in by_id.read_text()
    assert cli.run("undo").code == 0
    assert "[[renamed-since-651b9d29|it]]" in by_id.read_text()
    assert linking.stat().st_mtime_ns == was


def test_what_is_left_alone(cli: Command, root: Path, blue: Path) -> None:
    # F-1, W-2: episodes, read-only notes, the latest monologue, a broken file, another memory of the same name
    cli.run("config", "set", "include", "notes/**")
    link = "[[blue-envelope-14-651b9d29]]"
    left = {
        "episodes/e.md": f'---\nid: ep_00000000000e\nmembers:\n  - "{link}"\n---\nText {link}',
        "notes/n.md": f"Read only {link}",
        "memory/inner-monologue-latest.md": f"Blue Envelope {link} [id:{OLD}]",
        "memories/broken.md": f"---\nlinks: [\n---\n{link}",
        "memories/unlike.md": "[[blue-envelope-15]] [[651b9d29x]] [[envelope]]",
    }
    for key, text in left.items():
        note(root, key, text)
    answer = cli.run("forget", OLD)
    assert answer.code == 0
    for key, text in left.items():
        if key != "memories/unlike.md":
            assert (root / key).read_text().endswith(text.rpartition("---\n")[2])
    for key in ("episodes/e.md", "notes/n.md"):
        assert f"{key} still names it" in answer.err


def test_a_name_that_two_notes_have(cli: Command, root: Path) -> None:
    # V-5: a bare name that means two notes is neither's; with its folder it is one's
    memory(root, "memories/a/plan.md", "mem_00000000000a", "Plan A")
    memory(root, "memories/b/plan.md", "mem_00000000000b", "Plan B")
    other = memory(root, "memories/c.md", "mem_00000000000c", "[[plan]] [[memories/a/plan|A]] [[memories/b/plan|B]]")
    cli.run("forget", "mem_00000000000a")
    assert other.read_text().endswith("[[plan]] A [[memories/b/plan|B]]\n")


def test_the_log(cli: Command, root: Path, blue: Path) -> None:
    # F-4: id, when, why, which command; nothing of what it said
    cli.run("forget", OLD, "--reason", "double", env=at("2026-11-04T08:00:00"))
    (line,) = (root / ".vault-mem/deletions.jsonl").read_text().splitlines()
    assert json.loads(line) == {"id": OLD, "at": "2026-11-04T08:00:00+09:00", "command": "forget", "reason": "double"}
    assert mode(root / ".vault-mem/deletions.jsonl") == 0o600
    revisions = cli.json("history", OLD)["revisions"]
    assert [each["command"] for each in revisions] == ["forget"]


def test_restore(cli: Command, root: Path, blue: Path) -> None:
    # F-2: file and references come back, byte for byte
    cli.json("remember", "Blue envelope 14 came with the post", "--force", "--importance", "5")
    memory(root, "memories/x.md", "mem_00000000000a", "See [[blue-envelope-14-651b9d29|it]].")
    cli.run("views", "rebuild")
    before, was = contents(root), states(root)
    cli.run("forget", OLD)
    assert blue.name not in str(sorted(contents(root)))
    assert [each["id"] for each in cli.json("restore", "--list")["trash"]] == [OLD]
    answer = cli.json("restore", "651b9d")
    assert answer["memory"]["id"] == OLD
    after = {name: data for name, data in contents(root).items() if not name.startswith("history/")}
    assert after == before
    key = "memories/2026-11/blue-envelope-14-651b9d29.md"
    assert states(root)[key][3] == was[key][3]
    assert cli.json("restore", "--list")["trash"] == []
    assert cli.run("restore", OLD).code == 4


def test_restore_keeps_what_was_written_meanwhile(cli: Command, root: Path, blue: Path) -> None:
    # F-2, V-8: an edit since stays, and the reference is put back beside it where it can be
    linking = memory(
        root,
        "memories/x.md",
        "mem_00000000000a",
        "First line.\nSee [[blue-envelope-14-651b9d29|it]].\nLast.",
        "links:",
        '  - "[[blue-envelope-14-651b9d29]]"',
    )
    cli.run("forget", OLD)
    linking.write_text(linking.read_text().replace("First line.", "A new first line."))
    gone = memory(root, "memories/blue-envelope-14-651b9d29.md", "mem_00000000000b", "Took the name")
    assert cli.json("restore", OLD)["not_put_back"] == []
    text = linking.read_text()
    assert "A new first line.\nSee [[blue-envelope-14-651b9d29|it]].\nLast." in text
    assert '- "[[blue-envelope-14-651b9d29]]"' in text
    assert gone.read_text().endswith("Took the name\n")


def test_a_private_memory(cli: Command, root: Path) -> None:
    # P-3, F-4: into a protected trash, and out of it with its mode; nothing of it in public files
    saved = cli.json("remember", "-", "--private", stdin="Nobody knows about the lighthouse")
    id_, path = saved["memory"]["id"], root / saved["memory"]["path"]
    cli.run("forget", id_)
    assert not path.exists()
    assert mode(root / f".vault-mem/trash/{id_}.json") == 0o600
    assert mode(root / ".vault-mem/trash") == 0o700
    assert not (root / "history").exists()
    assert id_ in (root / "private/.history").glob("*.jsonl").__next__().read_text()
    cli.run("restore", id_)
    assert mode(path) == 0o600


def test_trash_does_not_grow_for_ever(cli: Command, root: Path) -> None:
    one, two = (cli.json("remember", text)["memory"]["id"] for text in ("The lamp is out", "Marit rang at noon"))
    cli.run("forget", one, env=at("2026-11-01"))
    cli.run("forget", two, env={"VAULT_MEM_NOW": "2026-12-20T08:00:00+09:00"})
    assert [each["id"] for each in cli.json("restore", "--list")["trash"]] == [two]


TOKEN = "zq7canary"


@pytest.mark.parametrize("private", [False, True])
def test_purge(cli: Command, root: Path, env: dict[str, str], private: bool) -> None:
    # F-2: no file of vault or index holds it, raw index files included; the deletion log keeps the id
    options = ["--private"] if private else []
    id_ = cli.json("remember", "-", *options, "--importance", "5", stdin=f"The {TOKEN} lamp is out")["memory"]["id"]
    cli.json("remember", "-", *options, "--force", stdin="The lamp on the pier is out")
    cli.run("remember", f"The {TOKEN} lamp is out", *options)  # refused, and kept for a month
    cli.run("remember", "-", "--update", id_, stdin=f"The {TOKEN} lamp is out again")
    cli.run("forget", id_)
    cli.run("restore", id_)
    answer = cli.json("forget", id_, "--purge", "--reason", "asked to")
    assert answer["status"] == "purged"
    everything = [*root.rglob("*"), *Path(env["VAULT_MEM_INDEX_DIR"]).rglob("*")]
    held = [path for path in everything if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert held == []
    assert [path for path in everything if TOKEN in path.name] == []
    last = (root / ".vault-mem/deletions.jsonl").read_text().splitlines()[-1]
    assert (json.loads(last)["id"], json.loads(last)["reason"]) == (id_, "asked to")
    assert cli.json("recall", "lamp on the pier")["results"][0]["content"] == "The lamp on the pier is out"
    assert cli.run("restore", id_).code == 4


def test_purge_what_is_in_the_trash(cli: Command, root: Path, env: dict[str, str]) -> None:
    # F-2
    id_ = cli.json("remember", f"The {TOKEN} lamp is out")["memory"]["id"]
    cli.run("forget", id_)
    assert cli.run("forget", id_, "--purge").code == 0
    everything = [*root.rglob("*"), *Path(env["VAULT_MEM_INDEX_DIR"]).rglob("*")]
    assert [path for path in everything if path.is_file() and TOKEN.encode() in path.read_bytes()] == []
    assert cli.run("forget", id_, "--purge").code == 4


def test_an_interrupted_purge_is_finished(cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # F-1, F-2
    from vault_mem.vault import traces

    id_ = cli.json("remember", f"The {TOKEN} lamp is out")["memory"]["id"]
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr(traces, "_scrub_own", interrupted)
        from vault_mem import Vault

        Vault(root, env=cli.env).forget(id_, purge=True)
    assert any(TOKEN.encode() in path.read_bytes() for path in root.rglob("*") if path.is_file())
    assert cli.run("status").code == 0
    assert [path for path in root.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()] == []


def test_no_temporary_file_tells_of_what_was_purged(
    cli: Command, root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-3, F-2: what cannot be removed the first time, beside a file that was rewritten, goes before the answer
    id_ = cli.json("remember", f"The {TOKEN} rope")["memory"]["id"]
    cli.run("remember", f"The {TOKEN} hawser", "--update", id_)
    drop, failed = Tree.drop, []

    def failing(tree: Tree, key: str) -> None:
        place = key.rpartition("/")[0]
        if "/.vault-mem-" in key and place not in failed:
            failed.append(place)
            raise OSError(errno.EIO, "Input/output error", key)
        drop(tree, key)

    monkeypatch.setattr(Tree, "drop", failing)
    answer = cli.run("forget", id_, "--purge")
    assert answer.code == 0, answer.err
    assert "history" in failed
    monkeypatch.undo()
    if "traces are left" in answer.err:
        cli.run("status")
    assert leftovers(root) == []
    assert holding(root, env) == []


def test_a_name_is_found_however_it_was_written(cli: Command, root: Path) -> None:
    # F-1: also in files that the index has known for long, and in one that changed a moment ago
    memory(root, "memories/caf\u00e9-5e1f0b2c.md", "mem_5e1f0b2c3d4e", "The door sticks")
    names = (
        "CAFE\u0301-5E1F0B2C",
        "memories/caf\u00e9-5e1f0b2c.md#Top",
        "mem_5e1f0b2c3d4e",
        "door-5e1f0b2c",
        "x/caf\u00e9-5e1f0b2c",
    )
    for number, name in enumerate(names):
        memory(root, f"memories/note {number}.md", f"mem_00000000000{number}", f"See [[{name}|there]]")
    memory(root, "memories/other.md", "mem_00000000000e", "See [[else-5e1f0b2d|there]]")
    late = memory(root, "memories/late.md", "mem_00000000000f", "Nothing")
    large = note(root, "memories/large.md", "x" * 2_000_100 + "\n[[door-5e1f0b2c]]\n")
    cli.run("status")
    late.write_text(late.read_text() + "See [[door-5e1f0b2c|there]]\n")
    answer = cli.json("forget", "mem_5e1f0b2c3d4e")
    assert sorted(answer["references"]) == ["memories/late.md", *(f"memories/note {number}.md" for number in range(5))]
    assert answer["left"] == ["memories/large.md"]
    assert large.read_text().endswith("[[door-5e1f0b2c]]\n")
    assert "[[" in (root / "memories/other.md").read_text()


def holding(root: Path, env: dict[str, str]) -> list[str]:
    everything = [*root.rglob("*"), *Path(env["VAULT_MEM_INDEX_DIR"]).rglob("*")]
    return [
        str(path) for path in everything if TOKEN in path.name or (path.is_file() and TOKEN in str(path.read_bytes()))
    ]


def test_purge_leaves_nothing_in_the_records_of_others(cli: Command, root: Path, env: dict[str, str]) -> None:
    # F-2: what was forgotten before and named it, reasons, and an operation's words
    id_ = cli.json("remember", f"The {TOKEN} lamp is out")["memory"]["id"]
    other, third = (cli.json("remember", text)["memory"]["id"] for text in ("The pier is long", "Tea at four"))
    cli.run("link", id_, other, "--reason", f"both {TOKEN}")
    cli.run("link", other, third)
    cli.run("forget", other, "--reason", "by mistake")  # its record in the trash holds the note that named it
    assert any(TOKEN in path.read_text() for path in (root / ".vault-mem/trash").iterdir())
    assert cli.run("forget", id_, "--purge").code == 0
    assert holding(root, env) == []
    assert cli.run("restore", other).code == 0
    assert cli.json("show", other)["content"] == "The pier is long"
    assert [each["id"] for each in cli.json("show", other)["links"]] == [third]


def test_purge_knows_former_names(cli: Command, root: Path, env: dict[str, str]) -> None:
    # F-2, V-5: names that people chose stand in the records of other notes; short ones do not take those along
    cli.run("config", "set", "quiet_seconds", "0")
    memory(root, f"memories/{TOKEN}.md", "mem_00000000000a", "The lamp is out")
    memory(root, "memories/b.md", "mem_00000000000b", "Another", f'links: ["[[{TOKEN}|Lamp]]"]')
    cli.run("status")
    cli.run("tag", "mem_00000000000b", "+pier")
    cli.run("history", "mem_00000000000b")
    (root / f"memories/{TOKEN}.md").rename(root / "memories/a.md")
    cli.run("status")
    cli.run("tag", "mem_00000000000b", "+quay")
    assert cli.run("forget", "mem_00000000000a", "--purge").code == 0
    assert holding(root, env) == []
    cli.run("tag", "mem_00000000000b", "+harbour")
    revisions = cli.json("history", "mem_00000000000b")["revisions"]
    assert [each["command"] for each in revisions if each["command"] == "tag"] == ["tag", "tag", "tag"]


def test_purge_of_a_public_introspection(cli: Command, root: Path, env: dict[str, str]) -> None:
    # F-2: unlike forget, it takes the words out of the monologue; an older one speaks again
    cli.run("remember", "I like the sea", "--category", "introspection")
    id_ = cli.json("remember", f"I fear the {TOKEN}", "--category", "introspection")["memory"]["id"]
    assert TOKEN in (root / "memory/inner-monologue-latest.md").read_text()
    assert cli.run("forget", id_, "--purge").code == 0
    assert holding(root, env) == []
    assert "I like the sea" in (root / "memory/inner-monologue-latest.md").read_text()


def test_purge_of_a_note_that_was_adopted(cli: Command, root: Path, env: dict[str, str]) -> None:
    # F-2: what the adoption displaced had no id yet, and bytes that are no text are looked into
    cli.run("config", "set", "quiet_seconds", "0")
    note(root, "memories/a.md", f"The {TOKEN} lamp")
    note(root, "memories/odd.md", f"---\nid: mem_00000000000b\n---\n{TOKEN} ".encode() + b"\xff\xfe")
    cli.run("status")
    ids = [each["id"] for each in cli.json("list", "--all")["memories"]]
    cli.run("forget", "mem_00000000000b")
    cli.run("restore", "mem_00000000000b")
    assert len(ids) == 2
    for id_ in ids:
        assert cli.run("forget", id_, "--purge").code == 0
    assert holding(root, env) == []


def test_what_comes_back_does_not_lead_to_a_forgotten_private_memory(cli: Command, root: Path) -> None:
    # F-1, F-2: a private note is named by its id alone
    other = cli.json("remember", "-", "--private", stdin="The boat needs a new engine")["memory"]
    made = cli.json("remember", "-", "--private", stdin="The engine of the boat was ordered")["memory"]
    cli.run("link", made["id"], other["id"])
    assert other["id"] in (root / made["path"]).read_text()
    cli.run("forget", made["id"])
    cli.run("forget", other["id"])
    assert cli.run("restore", made["id"]).code == 0
    assert other["id"] not in (root / made["path"]).read_text()


def test_purge_asks_at_a_terminal(cli: Command, root: Path, blue: Path) -> None:
    # S-7: the title, and what else goes; only a yes is one
    memory(root, "memories/other.md", "mem_00000000000a", f"See [[{blue.stem}]] for the rest.")
    before = contents(root)
    for typed in ("", "n\n", "whatever\n"):
        answer = at_a_terminal(cli, "forget", OLD, "--purge", typed=typed)
        assert answer.code == 1
        assert "Blue Envelope #14" in answer.err
        assert "memories/other.md" in answer.err
        assert answer.out == "Nothing was purged.\n"
        assert contents(root) == before
    answer = at_a_terminal(cli, "forget", OLD[:9], "--purge", typed="y\n")
    assert answer.code == 0
    assert not blue.exists()
    assert "[[" not in (root / "memories/other.md").read_text()


def test_purge_elsewhere_needs_the_whole_id(cli: Command, root: Path, blue: Path) -> None:
    # S-7: or --yes
    before = contents(root)
    for given in (OLD[:9], OLD.removeprefix("mem_")):
        answer = cli.run("forget", given, "--purge")
        assert answer.code == 6
        assert "--yes" in answer.err
        assert "Envelope" not in answer.err
        assert contents(root) == before
    with pytest.raises(Unsafe):
        Vault(root, env=cli.env).forget(OLD[:9], purge=True)
    assert cli.run("forget", OLD[:9], "--purge", "--yes").code == 0
    assert not blue.exists()


def test_undo_after_a_purge_does_not_take_something_older(cli: Command, root: Path) -> None:
    # S-7: it names what it would take, and asks or needs --yes
    kept = cli.json("remember", "The lamp is out", env=at("2026-11-03"))["memory"]["path"]
    gone = cli.json("remember", "Marit rang at noon", env=at("2026-11-04"))["memory"]["id"]
    assert cli.run("forget", gone, "--purge").code == 0
    before = contents(root)
    answer = cli.run("undo")
    assert answer.code == 6
    assert "forget --purge" in answer.err
    assert "remember (000001" in answer.err
    assert "undo 000001" in answer.err
    asked = at_a_terminal(cli, "undo", typed="n\n")
    assert (asked.code, asked.out) == (1, "Nothing was undone.\n")
    assert "remember (000001" in asked.err
    purged = cli.json("history")["operations"][0]
    assert purged["command"] == "forget --purge"
    assert cli.run("undo", purged["op"]).code == 5
    assert contents(root) == before
    assert at_a_terminal(cli, "undo", typed="y\n").code == 0
    assert not (root / kept).exists()
    again = cli.json("remember", "The lamp is on", env=at("2026-11-05"))["memory"]["path"]
    assert cli.run("undo").code == 0  # nothing came after this one
    assert not (root / again).exists()


def test_undo_with_yes_after_a_purge(cli: Command, root: Path) -> None:
    cli.run("remember", "The lamp is out")
    gone = cli.json("remember", "Marit rang at noon")["memory"]["id"]
    assert cli.run("forget", gone, "--purge").code == 0
    assert cli.run("undo", "--yes").code == 0
    assert list((root / "memories").rglob("*.md")) == []


def test_the_hint_is_a_scaffold(cli: Command) -> None:
    # F-3, W-6: it can be turned off like the others
    assert "Double-check the ID" in cli.run("forget", "mem_ffffffffffff").err
    assert cli.run("forget", "mem_ffffffffffff", "--no-scaffold").err == "error: Memory not found: mem_ffffffffffff\n"
    assert cli.json("forget", "mem_ffffffffffff", "--no-scaffold")["error"]["hint"] == ""
