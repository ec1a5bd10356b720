"""wake-up and introspect: what a session begins with, in its budget, private or not, with their scaffolds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, states

from vault_mem import Vault
from vault_mem.embedding.embedder import Embedder
from vault_mem.notes.tokens import count_tokens
from vault_mem.setup.agents import AGENTS
from vault_mem.setup.hooks import envelope

MORNING = {"VAULT_MEM_NOW": "2026-11-16T08:00:00+09:00"}
OPTION = "If something is hard to say yet, you can keep it with remember(private=true)."
INTROSPECT = """\
Reflect on these in your own words. How do you feel right now?
If this is a genuinely new insight, save with remember (category: introspection).
If your self-understanding changed, use update_self.
Use emotion_trend for a deeper look at your emotional patterns.
If memory feels fragmented, run consolidate."""


@pytest.fixture
def morning(sample_cli: Command) -> Command:
    """The sample vault on the morning after its last memory."""
    sample_cli.env |= MORNING
    return sample_cli


def test_what_a_session_begins_with(morning: Command, sample_root: Path) -> None:
    # W-3: the last introspection, what is open, recent and important memories
    said = morning.json("wake-up", "--budget", "6000")
    assert said["introspection"]["id"] == "mem_a4ccbb965315"
    assert [each["id"] for each in said["tasks"]] == ["mem_25aeec24c99b"]  # the other task is done
    assert [each["number"] for each in said["questions"]] == [1, 2]
    shown = [each["id"] for each in said["memories"]]
    assert "mem_862b1ee803df" in shown  # of yesterday
    assert "mem_b1159456cde0" in shown  # importance 5, two weeks old
    assert len(shown) == len(set(shown)) and not {"mem_a4ccbb965315", "mem_25aeec24c99b"} & set(shown)
    text = morning.run("wake-up").out
    data, scaffold = text.rstrip("\n").split("\n\n---\n")  # W-6
    assert "Last introspection (id: mem_a4ccbb965315, 8h ago): Tomorrow the boxes leave" in data
    assert "- question 1: Is checking again care, or only a way of not being finished?" in data
    assert OPTION in scaffold.splitlines() and scaffold == said["scaffold"] and OPTION not in data


def test_the_option_is_no_instruction(morning: Command) -> None:
    # W-3
    scaffold = morning.json("wake-up")["scaffold"].casefold()
    assert not any(word in scaffold for word in ("should", "must", "always", "never", "please"))


def test_closed_and_done_are_left_out(cli: Command, root: Path) -> None:
    # W-3, R-6
    memory(root, "memories/a.md", "mem_00000000000a", "Old", "importance: 5", "valid_to: 2026-11-02T00:00:00")
    memory(root, "memories/b.md", "mem_00000000000b", "Fetch the glasses", "kind: task", "status: done")
    memory(root, "memories/c.md", "mem_00000000000c", "Print the papers", "kind: task")
    said = cli.json("wake-up")
    assert said["total"] == 2
    assert [each["id"] for each in said["tasks"]] == ["mem_00000000000c"]
    assert "mem_00000000000a" not in json.dumps(said)


@pytest.mark.parametrize("command", ["wake-up", "introspect"])
def test_private_only_without_public_only(morning: Command, sample_root: Path, command: str) -> None:
    # W-3, P-3
    notes = [path.stem for path in (sample_root / "private").glob("mem_*.md")]
    texts = [path.read_text().split("---\n", 2)[2].strip()[:40] for path in (sample_root / "private").glob("mem_*.md")]
    for options in ([], ["--json"], *([["--hook", "codex"]] if command == "wake-up" else [])):
        whole = morning.run(command, "--budget", "20000", *options).out
        public = morning.run(command, "--budget", "20000", "--public-only", *options).out
        assert any(id_ in whole for id_ in notes)
        assert not any(id_ in public for id_ in notes)
        assert not any(text in public for text in texts)
        assert "private: true" not in public and '"private": true' not in public


@pytest.mark.parametrize("command", ["wake-up", "introspect"])
def test_the_budget_is_never_exceeded(morning: Command, command: str) -> None:
    # W-3
    forms: list[list[str]] = [[], ["--json"], ["--no-scaffold"]]
    forms += [["--hook", agent] for agent in AGENTS] if command == "wake-up" else []
    for form in forms:
        sizes = []
        for budget in (500, 640, 787, 1200, 3000):
            answer = morning.run(command, "--budget", str(budget), *form)
            assert answer.code == 0, answer.err
            sizes.append(count_tokens(answer.out.rstrip("\n")))
            assert sizes[-1] <= budget, form
        assert sizes == sorted(sizes) and sizes[-1] > 1200  # more room is used
    default = morning.run(command)
    assert count_tokens(default.out.rstrip("\n")) <= (1500 if command == "wake-up" else 2000)


def test_a_budget_too_small_for_anything(morning: Command) -> None:
    for command in ("wake-up", "introspect"):
        answer = morning.run(command, "--budget", "20")
        assert answer.code == 2 and "too small" in answer.err and "needs at least" in answer.err
        assert morning.run(command, "--budget", "-5").code == 2


def test_tokens_are_not_underestimated(sample: Vault) -> None:
    tokenizer = Embedder().static.tokenizer
    for each in sample.list().memories:
        assert count_tokens(each.content) >= len(tokenizer.encode(each.content, add_special_tokens=False).ids)
    # at least what common tokenizers need
    assert count_tokens("hello world") >= 2
    assert count_tokens("mem_651b9d294720") >= 9
    assert count_tokens("今日の会議は木曜") >= 8
    assert count_tokens("🦀🦀") >= 6
    assert count_tokens("") == 0


def test_an_empty_vault(cli: Command) -> None:
    assert cli.run("wake-up", "--no-scaffold").out == "No memories yet.\n"
    assert cli.run("introspect").code == 0


def test_scaffolds_are_templates(morning: Command) -> None:
    # W-6: off by the option or by the setting; another text in the vault's settings
    assert morning.run("introspect").out.rstrip("\n").endswith("\n\n---\n" + INTROSPECT)  # W-4
    assert morning.json("introspect")["scaffold"] == INTROSPECT
    assert morning.run("config", "set", "scaffold_introspect", "What is new?").code == 0
    assert morning.run("introspect").out.endswith("\n\n---\nWhat is new?\n")
    assert OPTION in morning.run("wake-up").out  # each has its own
    for command in ("wake-up", "introspect"):
        assert "\n---\n" not in morning.run(command, "--no-scaffold").out
        assert morning.json(command, "--no-scaffold")["scaffold"] == ""
    morning.run("config", "set", "scaffold_saved", "Indeed?")
    assert morning.json("remember", "A kettle that whistles in D")["scaffold"] == "Indeed?"
    morning.run("config", "set", "scaffold", "false")
    assert "\n---\n" not in morning.run("wake-up").out
    assert morning.run("config", "set", "scaffold_wake_up", "x" * 1001).code == 2


def test_for_a_hook(morning: Command, tmp_path: Path) -> None:
    # the form that each agent's session-start hook takes, fenced as data
    for agent in AGENTS:
        hooked = morning.run("wake-up", "--public-only", "--budget", "1000", "--hook", agent).out
        assert "vault-mem-data" in hooked and "Tomorrow the boxes leave" in hooked
    whole = json.loads(morning.run("wake-up", "--hook", "claude-code", "--json").out)
    context = whole["hookSpecificOutput"]["additionalContext"]
    inside = context.split("\n\n", 1)[1].rsplit("\n", 1)[0]
    assert envelope("generic", inside) == context
    assert "Last introspection" in inside
    nowhere = Command(tmp_path, morning.env).run("wake-up", "--hook", "claude-code")
    assert nowhere.code == 0 and nowhere.out == "" and "vault" in nowhere.err
    assert Command(tmp_path, morning.env).run("wake-up").code == 1


def test_what_there_is_to_think_about(morning: Command) -> None:
    # W-4: recent memories, emotions, episodes, open questions
    said = morning.json("introspect", "--budget", "6000")
    assert said["memories"][0]["id"] == "mem_a4ccbb965315"
    assert said["emotions"]["dominant"]["emotion"] == "calm"
    assert {each["id"] for each in said["episodes"]} >= {"ep_2dd43b5bd92d"}
    assert len(said["questions"]) == 2
    assert "Dominant: calm" in morning.run("introspect").out


def test_nothing_is_written(morning: Command, sample_root: Path) -> None:
    # V-4
    before, times = contents(sample_root), states(sample_root)
    for command in ("wake-up", "introspect", "emotion-trend", "update-self"):
        assert morning.run(command).code == 0
    assert contents(sample_root) == before and states(sample_root) == times


def test_by_the_library(sample: Vault) -> None:
    woke = sample.wake_up(300)
    assert woke.left_out and woke.memories == sample.wake_up(300).memories
    assert all(not each.memory.private for each in sample.wake_up(5000, public_only=True).memories)
    assert sample.introspect(700).questions
