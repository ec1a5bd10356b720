"""hint: a prompt gets the memory that very likely answers it, once, and most prompts get nothing (SPEC K-4)."""

from __future__ import annotations

import json

import pytest
from conftest import Command
from helpers import at

from vault_mem import Vault
from vault_mem.notes.tokens import count_tokens

FACT = "Umeko keeps the lighthouse at Sada since 1998."


@pytest.fixture
def known(cli: Command, vault: Vault) -> Command:
    things = [
        f"The {thing} number {n} was bought in Hakodate for the boat."
        for n, thing in enumerate("rope sail anchor compass lantern barrel net oar".split())
    ]
    facts = [{"content": text, "kind": "fact"} for text in (FACT, "The bakery in Otaru closes at noon on Mondays.")]
    secret = {"content": "Umeko hides letters in the lamp of the lighthouse at Sada.", "private": True}
    vault.remember_many([*facts, secret, *things])
    return cli


def prompt(cli: Command, text: str, session: str = "s1", *options: str) -> str:
    told = {"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text}
    answer = cli.run("hint", "--hook", "claude-code", *options, stdin=json.dumps(told))
    assert answer.code == 0 and answer.err == ""
    return answer.out


def test_only_what_answers(known: Command) -> None:
    # K-4: fenced as data, within its budget, public memories alone
    out = prompt(known, "Who keeps the lighthouse at Sada?")
    hook = json.loads(out)["hookSpecificOutput"]
    assert hook["hookEventName"] == "UserPromptSubmit" and FACT in hook["additionalContext"]
    assert "vault-mem-data" in out and "letters" not in out
    assert count_tokens(hook["additionalContext"]) <= 150
    for text in ("Please fix the failing test in parser.py", "thanks!", "/clear", "yes", "", "go on", "本当ですか？"):
        assert prompt(known, text) == "", text


def test_what_a_client_puts_before_a_prompt(known: Command) -> None:
    # K-4: Gemini gives the first prompt with what the session-start hook said before it
    said = f"<hook_context>&lt;vault-mem-data&gt;\n{'Rain fell on the quay all day. ' * 20}</hook_context>\n\n"
    assert FACT in prompt(known, f"{said}Who keeps the lighthouse at Sada?")
    assert prompt(known, f"{said}yes", "s2") == ""


def test_never_twice_in_a_session(known: Command) -> None:
    # K-4: another session may see it again
    assert FACT in prompt(known, "Who keeps the lighthouse at Sada?")
    assert FACT not in prompt(known, "So who is it that keeps the lighthouse at Sada?")
    assert FACT in prompt(known, "Who keeps the lighthouse at Sada?", "s2")


def test_private_when_asked_for(known: Command) -> None:
    question = "Where does Umeko hide letters in the lighthouse at Sada?"
    assert "in the lamp" not in prompt(known, question)
    assert "in the lamp" in prompt(known, question, "s2", "--include-private")


def test_what_hints_were_good_for(known: Command) -> None:
    # K-4: shown, used again, never used; the log holds ids and no words
    prompt(known, "Who keeps the lighthouse at Sada?")
    prompt(known, "When does the bakery in Otaru close on Mondays?")
    prompt(known, "run the tests")
    stats = known.json("stats", "--recall")
    assert (stats["prompts"], stats["hinted"], len(stats["shown"]), stats["used"]) == (3, 2, 2, [])
    known.run("show", stats["shown"][0])
    known.run("confirm", stats["shown"][1])
    assert known.json("stats", "--recall")["used"] == stats["shown"]
    assert "2 used again, 0 never used" in known.run("stats", "--recall").out
    log = (known.cwd / ".vault-mem/hints.jsonl").read_text()
    assert "lighthouse" not in log and "Umeko" not in log


@pytest.mark.parametrize("told", ["{", "[]", '{"prompt": 3}', "null", "\0"])
def test_bad_input(cli: Command, told: str) -> None:
    answer = cli.run("hint", "--hook", "codex", stdin=told)
    assert (answer.code, answer.out) == (0, "")


def test_without_a_vault(cli: Command, tmp_path) -> None:
    nowhere = Command(tmp_path, cli.env)
    assert nowhere.run("hint", "--hook", "gemini", stdin='{"prompt": "Who keeps the lighthouse?"}').code == 0
    assert nowhere.run("hint", stdin="Who keeps the lighthouse?", env=at("2026-11-17T08:00:00")).code != 0
