"""An agent that has only the command line: a session from waking up to undoing."""

from __future__ import annotations

from pathlib import Path

from conftest import Command
from helpers import contents


def test_a_session_by_commands(sample_cli: Command, sample_root: Path) -> None:
    # W-3, D-2, R-3, F-2: the same as over MCP, by exit codes and JSON alone
    before = contents(sample_root)
    woken = sample_cli.json("wake-up", "--public-only", "--budget", "1500")
    assert woken["introspection"] and woken["tasks"] and woken["questions"]

    text = "The harbour crane was repainted green on Friday."
    saved = sample_cli.run("remember", "-", "--kind", "fact", "--json", stdin=text)
    assert saved.code == 0
    id_ = saved.json["memory"]["id"]
    blocked = sample_cli.run("remember", "-", "--json", stdin=text)
    assert blocked.code == 3 and blocked.json["duplicate_of"]["id"] == id_
    changed = sample_cli.run("remember", "-", "--json", "--kind", "fact", stdin=text.replace("green", "red"))
    assert changed.code == 0 and changed.json["differs"]

    found = sample_cli.json("recall", "what colour is the crane?", "-n", "3")["results"]
    assert id_ in [each["id"] for each in found]
    sample_cli.run("update-self", "--ask", "Do I like green?")
    assert sample_cli.json("introspect")["questions"][-1]["question"] == "Do I like green?"

    assert sample_cli.run("forget", id_, "--json").code == 0
    assert sample_cli.run("show", id_, "--json").code == 4
    assert sample_cli.run("undo", "--json").code == 0
    assert sample_cli.run("show", id_, "--json").code == 0
    for _ in range(3):  # the question, red, green
        assert sample_cli.run("undo", "--json").code == 0
    after = contents(sample_root)
    assert {name: data for name, data in after.items() if "history/" not in name} == before


def test_merging_by_commands(sample_cli: Command) -> None:
    # C-2, C-3
    ids = [
        sample_cli.json("remember", text, "--force")["memory"]["id"]
        for text in ("The lamp in the boathouse hums at night.", "At night the lamp in the boathouse is humming.")
    ]
    pairs = sample_cli.json("consolidate")["merge_candidates"]
    assert set(ids) in [{pair["memory_a_id"], pair["memory_b_id"]} for pair in pairs]
    merged = sample_cli.run("merge", *ids, "--content", "-", "--json", stdin="The boathouse lamp hums at night.")
    assert merged.code == 0 and merged.json["memory"]["content"] == "The boathouse lamp hums at night."
    assert sample_cli.run("show", ids[1]).code == 4
    assert sample_cli.run("undo").code == 0
    assert sample_cli.run("show", ids[1]).code == 0
