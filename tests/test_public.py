"""S-6: an agent that is given public memories alone learns nothing of the private ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from test_mcp_wire import Wire

SECRET = "The brass key to the smokehouse hangs behind the third plank."


@pytest.fixture
def wire(cli: Command, monkeypatch: pytest.MonkeyPatch) -> Wire:
    monkeypatch.chdir(cli.cwd)
    for name, value in cli.env.items():
        monkeypatch.setenv(name, value)
    return Wire(public=True)


def test_private_memories_do_not_exist(cli: Command, wire: Wire) -> None:
    old = cli.json("remember", "The brass key to the smokehouse is with Ines.", "--kind", "fact")["memory"]["id"]
    secret = cli.json("remember", "-", "--private", "--kind", "fact", "--supersedes", old, stdin=SECRET)["memory"]["id"]
    task = cli.json("remember", "-", "--private", "--kind", "task", stdin="Oil the smokehouse door by Friday.")
    hidden = {secret, task["memory"]["id"]}
    episode = cli.json("episode", "create", "--memory", secret, "--summary", "The smokehouse at night")["episode"]["id"]
    hidden.add(episode)
    last = cli.json("history", "-n", "1")["operations"][0]["op"]
    answers: list[object] = []

    def call(tool: str, **arguments: object) -> dict[str, object]:
        result = wire.call(tool, **arguments)
        answers.append(result)
        return result

    # a text that repeats a private one is saved, without a link or a word about it
    saved = call("remember", content=SECRET, kind="fact")
    assert saved["structuredContent"]["status"] == "saved" and "linked" not in saved["structuredContent"]
    mine = saved["structuredContent"]["memory"]["id"]
    done = call("remember", content="The smokehouse door was oiled on Thursday.")
    assert "may_finish" not in done["structuredContent"]
    for query in ("brass key", "smokehouse door"):
        call("recall", query=query, n_results=9, closed=True)
        call("search_memories", query=query, closed=True)
    # marks do not name what took the place of a public memory
    closed = call("recall", query="brass key with Ines", n_results=9, closed=True)["structuredContent"]["results"]
    assert "superseded_by" not in next(each for each in closed if each["id"] == old)
    for name in hidden:
        for tool in ("show_memory", "history", "forget"):
            told = call(tool, memory_id=name)
            assert told["isError"] and "ot found" in told["content"][0]["text"], (tool, told)
    for tool, arguments in (
        ("update_memory", {"memory_id": secret, "confirm": True}),
        ("link_memories", {"source_id": mine, "target_id": secret}),
        ("merge_memories", {"keep_id": mine, "remove_id": secret}),
        ("remember", {"content": "Another key.", "supersedes": [secret]}),
        ("create_episode", {"memory_ids": [secret], "summary": "x"}),
        ("get_episode", {"episode_id": episode}),
        ("undo", {"operation": last}),
        ("forget", {"memory_id": secret, "restore": True}),
    ):
        assert wire.call(tool, **arguments)["isError"], tool
    refused = wire.call("tidy_apply", plan={"state_updates": [{"op": "close", "state_id": secret, "reason": "x"}]})
    assert refused["isError"]
    assert call("wake_up")["structuredContent"]["total"] == 2
    call("introspect")
    call("emotion_trend")
    call("consolidate", all=True)
    call("tidy_candidates")
    call("undo")
    call("show_memory", memory_id=old)
    assert "episodes" not in call("list_episodes")["structuredContent"]
    happened = call("history")["structuredContent"]["operations"]
    assert [each["command"] for each in happened] == ["remember"] * 3
    read = json.dumps(answers, ensure_ascii=False)
    for tool_answer in hidden:
        asked = sum(each["content"][0]["text"].count(tool_answer) for each in answers if each["isError"])
        assert read.count(tool_answer) <= 2 * asked  # in the text and the data of "not found" alone
    assert "private/" not in read and "at night" not in read


def test_forgetting_leaves_no_loose_end_on_the_private_side(cli: Command, wire: Wire) -> None:
    # the private note that links to a public one is changed, and not named
    public = cli.json("remember", "The heron nests at the old pier.")["memory"]["id"]
    secret = cli.json("remember", "-", "--private", stdin="I hide my letters at the old pier.")["memory"]["id"]
    cli.run("link", secret, public)
    gone = wire.call("forget", memory_id=public)
    assert not gone["isError"] and secret not in json.dumps(gone) and "private/" not in json.dumps(gone)
    assert cli.json("show", secret)["links"] == []
    back = wire.call("forget", memory_id=public, restore=True)
    assert not back["isError"] and secret not in json.dumps(back)
    assert [each["id"] for each in cli.json("show", secret)["links"]] == [public]


def test_counts(cli: Command) -> None:
    cli.run("remember", "The ferry leaves at nine.")
    cli.run("remember", "-", "--private", stdin="The ferry leaves at nine, and I shall not be on it.")
    cli.run("remember", "-", "--private", stdin="The ferry leaves at nine and I shall not be on it.")
    whole, public = cli.json("stats"), cli.json("stats", "--public")
    assert whole["memories"] > public["memories"] == 1 and public["private"] == 0 and public["blocked"] is None
    assert cli.json("stats")["memories"] == whole["memories"]  # nothing of it stays
    pairs = cli.json("consolidate", "--all", "--public", "--merge-threshold", "0.9")
    assert pairs["merge_candidates"] == [] and pairs["replay_events"] == 0


def test_what_became_private_is_gone_from_the_history(cli: Command, wire: Wire) -> None:
    stays = cli.json("remember", "Ines paints the boat shed blue.", "--kind", "fact")["memory"]["id"]
    goes = cli.json("remember", SECRET, "--kind", "fact")["memory"]["id"]
    told = wire.call("history")["structuredContent"]["operations"]
    assert [each["ids"] for each in told] == [[goes], [stays]]
    cli.json("private", goes)
    told = wire.call("history")
    assert [each["ids"] for each in told["structuredContent"]["operations"]] == [[stays]]
    assert goes not in json.dumps(told) and "brass" not in json.dumps(told)
    assert wire.call("undo", operation="2")["isError"]
    cli.json("publish", goes)
    assert [goes] in [each["ids"] for each in wire.call("history")["structuredContent"]["operations"]]


def test_what_was_done_under_another_name_of_the_private_folder(cli: Command, wire: Wire, root: Path) -> None:
    for content in (SECRET, "Oil the smokehouse door."):
        secret = cli.json("remember", "-", "--private", stdin=content)["memory"]["id"]
    cli.run("forget", secret)
    (root / "private").rename(root / "hidden")
    cli.run("config", "set", "private_folder", "hidden")
    assert len(cli.json("history")["operations"]) == 4
    told = wire.call("history")["structuredContent"]["operations"]
    assert [each["command"] for each in told] == ["config set"]
    back = wire.call("forget", memory_id=secret, restore=True)
    assert back["isError"] and "Not in the trash" in back["content"][0]["text"]
