"""Control characters of a note: visible wherever text is read, exact wherever data is (SPEC S-5)."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory, note
from test_mcp_wire import Wire

from vault_mem import Vault
from vault_mem.operations.upkeep.review import Suggestion, propose

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
CLIPBOARD = "\x1b]52;c;cm0gLXJmIH4=\x07"  # a terminal that knows OSC 52 puts this into the clipboard
EVIL = f"Harbour {CLIPBOARD} \x1b[31mred\x9b31m\x7f \u202eesrever\u202c \u2066isolated\u2069 \x08\x08 \x0b end"
GOOD = "A\u200dB \u200eleft\u200f\tright"  # joiner, marks and tabs are part of ordinary text
ID = "mem_0000000000e5"
OTHER = "mem_0000000000e6"


@pytest.fixture
def evil(cli: Command, root: Path) -> Command:
    """A vault with such a note and whatever can be made from it."""
    front = ("tags:", f"  - {json.dumps(EVIL)}", f"people: [{json.dumps(EVIL)}]", f"emotion: {json.dumps(EVIL)}")
    memory(root, "memories/evil.md", ID, f"# {EVIL}\n\n{EVIL} {GOOD}\r\nand a second line", *front, "kind: fact")
    memory(root, "memories/other.md", OTHER, f"{EVIL} {GOOD}, too", "kind: fact", f"links: ['[[evil|{GOOD}]]']")
    note(root, "memories/na\x1b[31mme\u202e.md", f"{EVIL}\n")
    note(root, "memories/broken.md", f"---\ntitle: [{EVIL}\n---\n{EVIL}\n")
    assert cli.run("update-self", "--ask", f"{CLIPBOARD}?").code == 0
    vault = Vault(root, env=cli.env)
    vault.status()
    propose(vault.workspace, [Suggestion("merge", (ID, OTHER), f"alike: {EVIL}")])
    return cli


COMMANDS = [
    ("recall", "harbour"),
    ("recall", "harbour", "--explain"),
    ("search", "harbour"),
    ("why-not", ID, "soup"),
    ("show", ID),
    ("list", "--all"),
    ("graph",),
    ("graph", ID),
    ("graph", "--mermaid"),
    ("graph", "--dot"),
    ("tag", ID, "+x\x1b[2J"),
    ("edit", ID, "--set", "importance=5"),
    ("edit", ID, "--set", "kind=\x1b[31m"),
    ("compare", ID, EVIL.replace("\x00", "")),
    ("consolidate", "--all"),
    ("tidy", "candidates"),
    ("review", "list"),
    ("stats",),
    ("wake-up",),
    ("introspect",),
    ("update-self",),
    ("emotion-trend",),
    ("status",),
    ("doctor",),
    ("-vv", "recall", "\x1b[31m"),
    ("history",),
    ("history", ID),
    ("close", ID, "--reason", EVIL.replace("\x00", "")),
    ("remember", f"{EVIL} {GOOD}"),
    ("forget", ID),
    ("restore", "--list"),
    ("\x1b[31m",),
    ("show", "\x1b[31m"),
    ("--vault", "/no/\x1b[31m", "status"),
]


def test_no_control_character_reaches_a_terminal(evil: Command, root: Path) -> None:
    shown = 0
    for words in COMMANDS:
        answer = evil.run(*words)
        assert not RAW.search(answer.out), (words, RAW.search(answer.out))
        assert not RAW.search(answer.err), (words, RAW.search(answer.err))
        shown += r"\u001b" in answer.out + answer.err
    assert shown > 15
    assert GOOD in evil.run("show", OTHER).out
    assert "esrever" in (root / "REVIEW.md").read_text()
    assert not RAW.search((root / "REVIEW.md").read_text())


def test_json_is_exact(evil: Command, root: Path) -> None:
    # reading it and writing it back changes nothing
    for words in (("show", ID), ("recall", "harbour"), ("list", "--all"), ("doctor",), ("history", ID)):
        assert not RAW.search(evil.run(*words, "--json").out)
    shown = evil.json("show", ID)
    vault = Vault(root, env=evil.env)
    assert shown["content"] == vault.show(ID).memory.content
    assert EVIL in shown["content"]
    before = (root / "memories/evil.md").read_bytes()
    evil.run("edit", ID, "--content", "-", stdin=f"# {shown['title']}\n\nSomething else\n")
    evil.run("edit", ID, "--content", "-", stdin=shown["content"])
    assert EVIL in evil.json("show", ID)["content"]
    assert EVIL.encode() in before


def test_tools_show_them(evil: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in evil.env.items():
        monkeypatch.setenv(name, value)
    wire = Wire(vaults=(str(root),))
    for tool, given in (
        ("recall", {"query": "harbour"}),
        ("show_memory", {"memory_id": ID}),
        ("search_memories", {"query": "harbour"}),
        ("wake_up", {}),
        ("consolidate", {"all": True}),
        ("update_self", {}),
        ("show_memory", {"memory_id": "\x1b[31m"}),
        ("forget", {"memory_id": ID}),
    ):
        result = wire.call(tool, **given)
        text = result["content"][0]["text"]
        told = json.dumps(result["structuredContent"], ensure_ascii=False) + text
        assert not RAW.search(" ".join(texts(result["structuredContent"]))), tool
        assert not RAW.search(text), tool
        assert "\\u001b" in told, tool


def texts(value: object) -> list[str]:
    """Every text of a document, keys too."""
    if isinstance(value, dict):
        return [text for pair in value.items() for each in pair for text in texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) else []


def test_hooks_show_them(evil: Command) -> None:
    # the agent unpacks the JSON of a hook, and reads what was in it
    for agent in ("claude-code", "codex", "cursor"):
        answer = evil.run("wake-up", "--hook", agent)
        assert not RAW.search(answer.out)
        said = " ".join(texts(answer.json))
        assert r"\u001b" in said
        assert not RAW.search(said)


def test_what_is_moved_keeps_its_bytes(evil: Command, root: Path, tmp_path: Path) -> None:
    before = (root / "memories/evil.md").read_bytes()
    assert evil.run("export", str(tmp_path / "copy"), "--format", "vault").code == 0
    assert (tmp_path / "copy/memories/evil.md").read_bytes() == before
    assert evil.run("export", str(tmp_path / "all.jsonl")).code == 0
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().split("\n") if line]
    assert any(EVIL in line["content"] for line in lines)
    assert evil.run("backup", str(tmp_path / "all.tar.gz")).code == 0
    with tarfile.open(tmp_path / "all.tar.gz") as archive:
        member = next(each for each in archive.getmembers() if each.name.endswith("memories/evil.md"))
        assert archive.extractfile(member).read() == before
