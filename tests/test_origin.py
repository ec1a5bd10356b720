"""Where memories come from: `source` is stamped by the tool and survives merges, and trust is the least of it (K-6)."""

from __future__ import annotations

import json

import pytest
from conftest import Command
from helpers import at_a_terminal

from vault_mem.notes.origin import trust_of, trusted


@pytest.mark.parametrize(
    ("source", "trust"),
    [
        (None, "none"),
        ("", "none"),
        ("a letter: from Kaya", "none"),
        ("https://example.org/x", "none"),
        ("hand", "owner"),
        ("agent:claude-code", "agent"),
        ("agent:claude-code; hand", "agent"),
        ("session:sessions/2026-11/x.md#L4", "captured"),
        ("chatgpt:abc", "imported"),
        ("hand; chatgpt:abc; agent:x", "imported"),
        ("hand; of:captured", "captured"),
        ("of:nonsense", "none"),
    ],
)
def test_trust(source: str | None, trust: str) -> None:
    # K-6: the least over the lineage
    assert trust_of(source) == trust


def test_at_least() -> None:
    assert trusted("hand", "agent") and trusted("agent:x", "agent") and not trusted("chatgpt:x", "agent")
    assert trusted(None, "none") and not trusted(None, "imported") and not trusted("hand", "none")


def tool(cli: Command, *arguments: str, text: str) -> str:
    answer = cli.run("remember", "-", "--json", "--for-tool", *arguments, stdin=text, env={"VAULT_MEM_AGENT": "codex"})
    return str(json.loads(answer.out)["data"]["memory"]["id"])


def test_stamps(cli: Command) -> None:
    # K-6: what a model says of itself does not count for more than what the tool knows
    id_ = tool(cli, "--source", "hand", text="The ferry to Rebun is blue.")
    assert cli.json("show", id_)["source"] == "agent:codex; hand"
    assert at_a_terminal(cli, "remember", "The mill closes on Mondays.", typed="").code == 0
    assert cli.run("remember", "Snow fell on the harbour in the night.").code == 0
    known = {memory["content"]: memory.get("source") for memory in cli.json("list")["memories"]}
    assert known["The mill closes on Mondays."] == "hand"
    assert known["Snow fell on the harbour in the night."] is None


def test_merges_and_summaries(cli: Command) -> None:
    # K-6: a merge keeps both sources, a summary the least trust of what it is made from
    one = tool(cli, text="The ferry to Rebun is blue.")
    other = cli.json("remember", "The blue ferry sails to Rebun at nine.", "--source", "chatgpt:c1", "--force")[
        "memory"
    ]["id"]
    assert cli.run("merge", one, other).code == 0
    assert cli.json("show", one)["source"] == "agent:codex; chatgpt:c1"
    assert "imported" in cli.run("show", one).out
    made = cli.json("remember", "Ferries to Rebun, all told.", "--kind", "summary", "--scope", "tag:ferry", "--of", one)
    assert made["memory"]["source"] == "of:imported"


def test_filter(cli: Command) -> None:
    # K-6: recall, search and list by trust
    tool(cli, text="The blue ferry sails to Rebun.")
    cli.run("remember", "The red ferry sails to Rishiri.", "--source", "mem0:7", "--force")
    cli.run("remember", "The green ferry sails to Yagishiri.", "--force")

    def listed(trust: str) -> list[str]:
        return sorted(memory["content"].split()[1] for memory in cli.json("list", "--trust", trust)["memories"])

    assert (listed("agent"), listed("imported"), listed("none"), listed("owner")) == (
        ["blue"],
        ["blue", "red"],
        ["green"],
        [],
    )
    found = cli.json("recall", "Which ferry sails to Rebun?", "--trust", "agent")["results"]
    assert [each["content"] for each in found] == ["The blue ferry sails to Rebun."]


def test_doctor_counts_what_has_none(cli: Command) -> None:
    # K-6: one line for all of them, and nothing is wrong
    tool(cli, text="The blue ferry sails to Rebun.")
    assert cli.run("doctor").out.startswith("All well: ")
    cli.run("remember", "The green ferry sails to Yagishiri.")
    cli.run("remember", "The miller sleeps until noon.", "--private")
    answer = cli.run("doctor")
    assert answer.code == 0 and "info: 2 of 3 memories do not say where they come from" in answer.out
    assert "nothing that needs attention" in answer.out
