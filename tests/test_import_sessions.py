"""Old sessions come in, grow, and are never doubled (SPEC K-3)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from conftest import Command
from test_capture import DATA, capture, kept, line, transcript

from vault_mem.cli import import_ as command
from vault_mem.imports.formats import FORMATS
from vault_mem.imports.transcripts.readers import READERS


def home(cli: Command, agent: str) -> Path:
    """The agent's own folder, with the transcript that the real client wrote."""
    where = {
        "claude-code": ".claude/projects/-home-umi-app/9962f847.jsonl",
        "codex": ".codex/sessions/2026/11/17/rollout-2026-11-17T06-24-56-x.jsonl",
        "gemini": ".gemini/tmp/app/chats/session-2026-11-17T06-25-747e7600.jsonl",
        "opencode": ".local/share/opencode/opencode.db",
        "openclaw-sessions": ".openclaw/agents/main/agent/openclaw-agent.sqlite",
        "qwen": ".qwen/projects/-home-umi-app/chats/e3e9751e.jsonl",
    }
    path = Path(cli.env["HOME"], where[agent])
    path.parent.mkdir(parents=True, exist_ok=True)
    if agent.startswith("open"):
        with sqlite3.connect(path) as database:
            database.executescript((DATA / f"{agent.removesuffix('-sessions')}.sql").read_text())
    else:
        shutil.copy(DATA / f"{agent}.jsonl", path)
    return path


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "opencode", "openclaw-sessions", "qwen"])
def test_by_the_name_of_the_agent(cli: Command, root: Path, agent: str) -> None:
    # K-3: from where the client keeps them; repeatable; as memories only on request
    home(cli, agent)
    looked = cli.json("import", agent, "--dry-run")
    assert (len(looked["new"]), looked["turns"]) == (1, 4) and kept(root) == {}
    assert cli.json("import", agent)["turns"] == 4
    again = cli.json("import", agent)
    assert (again["new"], again["grown"], again["same"]) == ([], [], 1)
    assert len(kept(root)) == 1 and cli.json("list")["memories"] == []
    whole = cli.json("import", agent, "--as-memories")
    assert whole["counts"]["imported"] == 1
    (memory,) = cli.json("list")["memories"]
    assert "lighthouse" in memory["content"] and memory["source"].startswith(f"{agent}:")


def test_they_grow(cli: Command, root: Path) -> None:
    # K-3: what was said since comes in, and nothing twice; captured and imported are one session
    path = home(cli, "claude-code")
    cli.run("import", "claude-code")
    with path.open("a") as file:
        file.write(
            line("user", "And what is new?", "2026-11-17T09:00:00Z", sessionId="9962f847-81d0-485e-b5e7-71f677f10563")
        )
    assert cli.json("import", "claude-code")["turns"] == 1
    capture(cli, path, session_id="9962f847-81d0-485e-b5e7-71f677f10563")
    (text,) = kept(root).values()
    assert text.count("And what is new?") == 1 and text.count("Remember that I prefer tea.") == 1
    assert not (root / "REVIEW.md").exists()  # what was said long ago is not proposed


def test_a_year_of_sessions(cli: Command, root: Path, tmp_path: Path, soak: bool) -> None:
    # K-3: 5,000 sessions twice without doubling, then grown (200 unless it is the long run)
    count = 5000 if soak else 200
    for n in range(count):
        day = f"2026-{1 + n % 12:02}-{1 + n % 28:02}T08:00:00Z"
        said = [line("user", f"Question {n} about the harbour.", day), line("assistant", f"Answer {n}.", day)]
        transcript(tmp_path, *(each.replace('"s1"', f'"s{n}"') for each in said), name=f"s{n}")
    first = cli.json("import", tmp_path, "--format", "claude-code")
    assert (len(first["new"]), first["turns"]) == (count, 2 * count)
    assert cli.json("import", tmp_path, "--format", "claude-code")["same"] == count
    for n in range(0, count, 10):
        transcript(tmp_path, line("user", f"More of {n}.").replace('"s1"', f'"s{n}"'), name=f"s{n}")
    assert len(cli.json("import", tmp_path, "--format", "claude-code")["grown"]) == count // 10
    assert len(kept(root)) == count and "Question 7 " in cli.run("recall", "Question 7 harbour", "--sessions").out


def test_grown_conversations_of_exports(cli: Command, tmp_path: Path) -> None:
    # K-3: a conversation of ChatGPT's or Claude's that got longer grows; one that its owner changed stays
    def export(*said: str) -> None:
        messages = [{"sender": "human" if n % 2 == 0 else "assistant", "text": text} for n, text in enumerate(said)]
        record = {"uuid": "c1", "name": "Boat", "created_at": "2026-01-02T08:00:00Z", "chat_messages": messages}
        (tmp_path / "conversations.json").write_text(json.dumps([record]))

    export("Shall we sell the boat?", "Not yet.")
    assert cli.json("import", tmp_path / "conversations.json")["counts"]["imported"] == 1
    export("Shall we sell the boat?", "Not yet.", "And in spring?", "In spring, yes.")
    assert cli.json("import", tmp_path / "conversations.json", "--dry-run")["counts"]["grown"] == 1
    assert "1 extended" in cli.run("import", tmp_path / "conversations.json").out
    (memory,) = cli.json("list")["memories"]
    assert "In spring, yes." in memory["content"]
    cli.run("edit", memory["id"], "--content", "We keep the boat.")
    export("Shall we sell the boat?", "Not yet.", "And in spring?", "In spring, yes.", "Good.")
    assert cli.json("import", tmp_path / "conversations.json")["counts"]["skipped"] == 1
    assert cli.json("list")["memories"][0]["content"] == "We keep the boat."


def test_other_memory_tools(cli: Command, tmp_path: Path) -> None:
    # K-3: claude-mem, MemPalace, memsearch, and Claude Code's own notes
    mem = tmp_path / "claude-mem.db"
    with sqlite3.connect(mem) as database:
        database.executescript(
            "CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, type TEXT, title TEXT, narrative TEXT,"
            " facts TEXT, concepts TEXT, created_at TEXT, created_at_epoch INTEGER);"
            "CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, request TEXT, learned TEXT, created_at TEXT);"
        )
        facts = json.dumps(["The parser reads tabs as eight"])
        row = (1, "app", "discovery", "Tabs in the parser", "Tabs were wrong.", facts, '["parser"]', "", 1763366400000)
        database.execute("INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        database.execute("INSERT INTO session_summaries VALUES (1, 'Fix it', 'Use pytest -x', '2026-01-02T08:00:00Z')")
    assert cli.json("import", mem)["counts"]["imported"] == 2
    palace = tmp_path / "palace"
    palace.mkdir()
    with sqlite3.connect(palace / "chroma.sqlite3") as database:
        database.executescript(
            "CREATE TABLE collections (id TEXT, name TEXT); CREATE TABLE segments (id TEXT, collection TEXT);"
            "CREATE TABLE embeddings (id INTEGER, segment_id TEXT, embedding_id TEXT, created_at TEXT);"
            "CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER);"
            "INSERT INTO collections VALUES ('c', 'mempalace_drawers'); INSERT INTO segments VALUES ('s', 'c');"
            "INSERT INTO embeddings VALUES (1, 's', 'drawer_1', '2026-01-03 08:00:00');"
            "INSERT INTO embedding_metadata VALUES (1, 'chroma:document', 'Kaya paints boats in Otaru.', NULL),"
            " (1, 'wing', 'family', NULL), (1, 'room', 'kaya', NULL);"
        )
    assert cli.json("import", palace)["counts"]["imported"] == 1
    day = tmp_path / "app/.memsearch/memory/2026-02-03.md"
    day.parent.mkdir(parents=True)
    day.write_text("# 2026-02-03\n\n## Session 10:12\n\n- Chose SQLite for the queue of the harbour app.\n")
    assert cli.json("import", tmp_path / "app")["counts"]["imported"] == 1
    notes = Path(cli.env["HOME"], ".claude/projects/-app/memory")
    notes.mkdir(parents=True)
    (notes / "MEMORY.md").write_text("- [Style](style.md)\n")
    (notes / "style.md").write_text("---\nname: style\n---\nUmi wants short commit messages.\n")
    assert cli.json("import", "claude-code-memory")["counts"]["imported"] == 1
    found = {memory["content"]: memory for memory in cli.json("list")["memories"]}
    assert found["Kaya paints boats in Otaru."]["tags"] == ["family", "kaya"]
    assert "Umi wants short commit messages." in found and "Chose SQLite for the queue of the harbour app." in found
    assert any("The parser reads tabs as eight" in text for text in found)
    for source in (mem, palace, tmp_path / "app", "claude-code-memory"):
        assert cli.json("import", source)["counts"]["imported"] == 0


def test_bad_stores(cli: Command, tmp_path: Path) -> None:
    # K-3: what cannot be read is refused with its reason, and the rest comes in
    bad = tmp_path / "opencode.db"
    bad.write_bytes(b"no database")
    assert cli.run("import", bad, "--format", "opencode").code != 0
    assert cli.run("import", tmp_path / "nowhere", "--format", "codex").code != 0
    (tmp_path / "rollout-1.jsonl").write_text("{broken\n\0\n")
    assert cli.json("import", tmp_path, "--format", "codex")["same"] == 1


def test_formats_are_listed() -> None:
    assert sorted(command.FORMATS) == sorted(FORMATS)
    assert set(command.SESSIONS) == set(READERS)
