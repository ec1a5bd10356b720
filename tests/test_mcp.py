"""The MCP server, with the SDK's own client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from conftest import Command
from daemons import served
from helpers import contents

from vault_mem.cli.main import cli
from vault_mem.errors import InvalidInput
from vault_mem.mcp.schema import Tool
from vault_mem.mcp.tools import BY_NAME, TOOLS

if TYPE_CHECKING:
    from mcp import Client

NAMES = (
    *("remember", "recall", "search_memories", "show_memory", "forget", "update_memory", "merge_memories"),
    *("link_memories", "consolidate", "create_episode", "get_episode", "list_episodes", "wake_up", "introspect"),
    *("update_self", "emotion_trend", "tidy_candidates", "tidy_apply", "undo", "history"),
)
HEAVY = ("lancedb", "numpy", "pyarrow", "model2vec", "tokenizers", "mcp", "mcp_types", "pydantic", "asyncio")
LEAN = frozenset(("id", "text", "created", "kind", "private"))  # of what a search finds
NOW = {"VAULT_MEM_NOW": "2026-11-16T08:00:00+09:00"}


@asynccontextmanager
async def server(command: Command, *options: str, python: Sequence[str] = (), log: Any = None) -> AsyncIterator[Client]:
    """A session with `vault-mem mcp` as an agent starts it."""
    from mcp import Client, StdioServerParameters, stdio_client  # a second and more: not in workers that only collect

    start = StdioServerParameters(
        command=sys.executable, args=[*python, "-m", "vault_mem", "mcp", *options], env=command.env, cwd=command.cwd
    )
    async with Client(stdio_client(start, **({"errlog": log} if log else {}))) as client:
        yield client


def session(story: Callable[[Client], Awaitable[None]], command: Command, *options: str, **more: Any) -> None:
    async def live() -> None:
        async with server(command, *options, **more) as client:
            await story(client)

    asyncio.run(asyncio.wait_for(live(), 300))


def told(text: str) -> list[str]:
    """What a tool's text marks as the words of memories; raises where the tags do not pair."""
    tag = re.search(r"<([a-z]{6})>", text)
    assert tag and text.count(f"<{tag[1]}>") == text.count(f"</{tag[1]}>")
    return re.findall(rf"<{tag[1]}>(.*?)</{tag[1]}>", text, re.DOTALL)


async def call(client: Client, tool: str, **arguments: Any) -> tuple[Any, str]:
    """A call that goes well: its data and its text."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content, result.content[0].text


async def undo_last(client: Client) -> None:
    """S-7: the tool says what it would take back, and does so once that is named."""
    first, text = await call(client, "undo")
    assert first["status"] == "not undone" and first["would_undo"]["command"] in text
    done, _ = await call(client, "undo", operation=first["would_undo"]["op"])
    assert done["undone"] == first["would_undo"]["op"]


async def fails(client: Client, tool: str, **arguments: Any) -> tuple[Any, str]:
    """A call that does not."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.structured_content["error"], result.content[0].text


def test_tools_as_agents_know_them(cli: Command, tmp_path: Path) -> None:
    # names, schemas and hints; and that nothing heavy is loaded to say so
    async def look(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert sorted(tools) == sorted(NAMES)
        private = tools["remember"].input_schema["properties"]["private"]
        assert private == {
            "type": "boolean",
            "default": False,
            "description": "When true, keep this memory internal and skip workspace sync.",
        }
        assert tools["remember"].input_schema["required"] == ["content"]
        forget = tools["forget"]
        assert forget.description.startswith(
            "Delete a memory by ID. Returns the deleted memory's summary for confirmation."
        )
        assert forget.input_schema["properties"]["memory_id"] == {
            "type": "string",
            "description": "ID of the memory to delete",
        }
        assert forget.input_schema["required"] == ["memory_id"]
        assert list(tools["merge_memories"].input_schema["properties"])[:3] == [
            "keep_id",
            "remove_id",
            "merged_content",
        ]
        reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
        assert reading == {
            *("recall", "search_memories", "show_memory", "get_episode", "wake_up", "introspect", "emotion_trend"),
            *("tidy_candidates", "list_episodes", "history"),
        }
        assert tools["forget"].annotations.destructive_hint and not tools["remember"].annotations.destructive_hint
        assert all(tool.description and tool.annotations.title for tool in tools.values())
        loaded = {name for name, tool in tools.items() if (tool.meta or {}).get("anthropic/alwaysLoad")}
        assert loaded == {"wake_up", "recall", "remember"}
        error, _ = await fails(client, "recal", query="x")
        assert error["code"] == "not_found"
        error, _ = await fails(client, "recall", question="x")
        assert "question" in error["message"] and "query" in error["hint"]
        error, _ = await fails(client, "recall")
        assert "query" in error["message"]
        error, _ = await fails(client, "remember", content="x", importance="high")
        assert "importance" in error["message"]

    with (tmp_path / "imports").open("w") as log:
        session(look, cli, python=("-X", "importtime"), log=log)
    assert light(tmp_path / "imports")


def light(imports: Path) -> bool:
    """Whether a server that logged its imports had none that take long."""
    imported = {line.rsplit("|")[-1].strip() for line in imports.read_text().splitlines()}
    return "vault_mem.mcp.server" in imported and not imported & set(HEAVY)


def test_through_the_daemon(tmp_path: Path) -> None:
    # the server itself stays light, whatever is asked of it
    async def live(client: Client) -> None:
        saved, text = await call(client, "remember", content="-秘密\nin two lines", private=True, tags=["attic"])
        assert saved["memory"]["private"] is True and text.startswith("Saved")
        again, _ = await call(client, "remember", content="-秘密\nin two lines", private=True)
        assert again["status"] == "duplicate"
        found, _ = await call(client, "recall", query="秘密")
        assert found["results"][0]["text"] == "-秘密\nin two lines"
        shown, _ = await call(client, "show_memory", memory_id=found["results"][0]["id"])
        assert shown["tags"] == ["attic"]
        woken, _ = await call(client, "wake_up")
        assert woken["total"] == 1
        assert (await fails(client, "forget", memory_id="mem_999999999999"))[0]["code"] == "not_found"
        await undo_last(client)

    with served(tmp_path) as command:
        with (tmp_path / "imports").open("w") as log:
            session(live, command, python=("-X", "importtime"), log=log)
        assert command.alive()
        assert command.json("list")["total"] == 0
    assert light(tmp_path / "imports")


def test_a_session(sample_cli: Command, sample_root: Path) -> None:
    # W-3, D-2, R-3, F-2, F-3: wake up, remember, a blocked duplicate, recall, forget, undo
    before = contents(sample_root)

    async def live(client: Client) -> None:
        woken, text = await call(client, "wake_up", budget=900)
        assert woken["introspection"]["id"] == "mem_a4ccbb965315" and len(told(text)) > 3
        assert text.endswith("you can keep it with remember(private=true).") and "\n\n---\n" in text
        assert woken["scaffold"] == text.split("\n\n---\n")[1] and "text" not in woken
        saved, text = await call(
            client,
            "remember",
            content="--The harbour crane was repainted green on Friday.\n",
            tags=["--harbour"],
            kind="fact",
            importance=4,
            people=["Ewan"],
        )
        id_ = saved["memory"]["id"]
        assert saved["status"] == "saved" and saved["memory"]["kind"] == "fact"
        assert text.startswith(f"Saved (id: {id_}).")
        again, text = await call(client, "remember", content="--The harbour crane was repainted green on Friday.")
        assert again["status"] == "duplicate" and "memory" not in again and again["duplicate_of"]["id"] == id_
        assert text.startswith("Not saved — very similar memory already exists.\nExisting (id: " + id_)
        assert text.endswith("try expressing what changed specifically.")
        secret, text = await call(
            client, "remember", content="I did not like the green at all.", private=True, category="introspection"
        )
        assert secret["memory"]["private"] is True
        found, text = await call(client, "recall", query="what colour is the crane?", n_results=3)
        assert id_ in [each["id"] for each in found["results"]] and "private: false" in text
        only, _ = await call(client, "recall", query="green", private=False)
        assert not any(each["private"] for each in only["results"])
        shown, text = await call(client, "show_memory", memory_id=id_[4:12])
        assert shown["id"] == id_ and shown["text"] in told(text) and shown["tags"] == ["--harbour"]
        gone, text = await call(client, "forget", memory_id=id_, reason="only a test")
        assert text.startswith(f"Forgot (id: {id_}") and gone["op"]
        error, text = await fails(client, "show_memory", memory_id=id_)
        assert error["code"] == "not_found"
        assert text == (
            f"Memory not found: {id_}\n\n---\n"
            "Double-check the ID. Use recall to search for the memory you're looking for."
        )
        undone, _ = await call(client, "undo", operation=gone["op"])
        assert undone["undone"] == gone["op"]
        await call(client, "forget", memory_id=id_)
        restored, _ = await call(client, "forget", memory_id=id_, restore=True)
        assert restored["memory"]["id"] == id_
        myself, text = await call(
            client,
            "update_self",
            fields={"colour": "-green"},
            ask=["--Is green calm?"],
            resolve=[{"question": "1", "answer": "-care"}],
        )
        assert myself["fields"]["colour"] == "-green" and myself["open"][-1]["question"] == "--Is green calm?"
        assert myself["resolved"][0]["answer"] == "-care"
        thought, text = await call(client, "introspect", budget=1500)
        # saved in the same second as the other, it may come before or after it
        assert secret["memory"]["id"] in [each["id"] for each in thought["memories"][:2]]
        assert text.endswith("If memory feels fragmented, run consolidate.")
        trend, text = await call(client, "emotion_trend", days=30)
        assert trend["periods"][0]["days"] == 30 and "Last 30 days" in text
        for _ in range(5):  # self, restore, the second forget, secret, saved
            await undo_last(client)

    session(live, sample_cli)
    after = contents(sample_root)
    assert {name: data for name, data in after.items() if "history/" not in name} == before


def test_what_to_do_next_is_in_the_data_too(sample_cli: Command) -> None:
    # D-2: clients give their models the JSON alone; what a save proposes is there, in the words of tools, and once
    async def live(client: Client) -> None:
        old, _ = await call(client, "remember", content="The ferry to Sada leaves pier 3 at 7:40.", kind="fact")
        assert "hint" not in old
        new, _ = await call(client, "remember", content="The ferry to Sada leaves pier 4 at 7:40.", kind="fact")
        id_ = old["memory"]["id"]
        assert new["changed"]["id"] == id_ and new["hint"].endswith(f"supersedes: {id_}")
        assert id_ not in [each["id"] for each in new.get("linked", ())]
        task, _ = await call(client, "remember", content="Call the harbour master about the berth", kind="task")
        done, _ = await call(client, "remember", content="I called the harbour master about the berth")
        assert done["hint"].endswith(f"update_memory with memory_id {task['memory']['id']} and done")

    session(live, sample_cli)


def test_a_whole_session(sample_cli: Command) -> None:
    # C-2, C-3, V-3, W-2: search, link, episode, consolidate, merge, undo
    async def live(client: Client) -> None:
        ids = []
        for content in ("The lamp in the boathouse hums at night.", "At night the lamp in the boathouse is humming."):
            saved, _ = await call(client, "remember", content=content, force=True)
            ids.append(saved["memory"]["id"])
        keep, remove = ids
        found, text = await call(client, "search_memories", query="boathouse")
        assert {each["id"] for each in found["results"]} >= set(ids)
        assert {frozenset(each) for each in found["results"]} == {LEAN}
        assert text.startswith(f"{len(found['results'])} related memories:")
        stats, text = await call(client, "consolidate")
        pairs = [{pair["memory_a_id"], pair["memory_b_id"]} for pair in stats["merge_candidates"]]
        assert set(ids) in pairs and text.startswith("Consolidation complete.")
        await call(client, "link_memories", source_id=keep, target_id="mem_25aeec24c99b", link_type="related")
        shown, _ = await call(client, "show_memory", memory_id=keep)
        assert "mem_25aeec24c99b" in [link["id"] for link in shown["links"]]
        made, _ = await call(client, "create_episode", memory_ids=ids, summary="-The humming lamp.")
        merged, _ = await call(
            client,
            "merge_memories",
            keep_id=keep,
            remove_id=remove,
            merged_content="-The boathouse lamp hums at night.",
        )
        assert merged["memory"]["text"].startswith("-The boathouse")
        await fails(client, "show_memory", memory_id=remove)
        episode, _ = await call(client, "get_episode", episode_id=made["episode"]["id"])
        assert episode["members"] == [keep] and episode["summary"] == "-The humming lamp."
        listed, _ = await call(client, "list_episodes")
        assert made["episode"]["id"] in [each["id"] for each in listed["episodes"]]
        await call(client, "undo", operation=merged["op"])
        shown, _ = await call(client, "show_memory", memory_id=remove)
        assert shown["text"].startswith("At night")

    session(live, sample_cli)


def test_tidy(sample_cli: Command) -> None:
    # T-4
    async def live(client: Client) -> None:
        for content in ("Ewan drinks his tea without milk.", "Ewan takes his tea without any milk."):
            await call(client, "remember", content=content, kind="fact", force=True)
        found, text = await call(client, "tidy_candidates", kind="fact", public_only=True)
        assert f"among {found['states']} states." in text
        states = {state["body_text"]: state["state_id"] for each in found["clusters"] for state in each["states"]}
        id_ = states["Ewan takes his tea without any milk."]
        update = {"op": "close", "state_id": id_, "reason": "said twice"}
        plan = {"candidates": found["candidates"], "state_updates": [update]}
        checked, _ = await call(client, "tidy_apply", plan=plan, dry_run=True)
        assert checked["status"] == "checked"
        done, text = await call(client, "tidy_apply", plan=plan)
        assert done["closed"] == [id_] and "closed 1 state" in text
        shown, _ = await call(client, "show_memory", memory_id=id_)
        assert shown["valid_to"]

    session(live, sample_cli)


def test_the_text_is_what_the_command_says(sample_cli: Command) -> None:
    # W-6: data, a blank line, ---, the scaffold; but for the tags around the words of memories
    sample_cli.env |= NOW
    said = {
        "show_memory": sample_cli.run("show", "mem_25aeec24c99b"),
        "recall": sample_cli.run("recall", "O-ring", "-n", "2"),
        "update_self": sample_cli.run("update-self"),
        "emotion_trend": sample_cli.run("emotion-trend"),
    }
    arguments = {"show_memory": {"memory_id": "mem_25aeec24c99b"}, "recall": {"query": "O-ring", "n_results": 2}}

    async def compare(client: Client) -> None:
        for name, answer in said.items():
            _, text = await call(client, name, **arguments.get(name, {}))
            assert re.sub(r"</?[a-z]{6}>", "", text) == answer.out.rstrip("\n")

    session(compare, sample_cli)


def options_of(command: click.Command) -> dict[str, click.Option]:
    return {
        name: each
        for each in command.params
        if isinstance(each, click.Option)
        for name in (*each.opts, *each.secondary_opts)
    }


def command_of(tool: Tool) -> click.Command | None:
    context, command = click.Context(cli), cli
    for word in tool.command:
        below = command.get_command(context, word) if isinstance(command, click.Group) else None
        if below is None:
            return None
        command = below
    return command


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_takes_what_its_command_takes(tool: Tool) -> None:
    # schema and command cannot drift apart: options, flags, choices, defaults
    command = command_of(tool)
    assert command is not None
    options = options_of(command)
    for each in tool.parameters:
        if each.to in ("", "-"):
            continue
        for name in each.to.removesuffix("=-").split("/"):
            option = options[name]
            default = option.default if isinstance(option.default, str | int | float | bool) else None
            assert (each.schema["type"] == "boolean") == bool(option.is_flag)
            assert (each.schema["type"] in ("array", "object")) == option.multiple
            if "default" in each.schema and not option.is_flag:
                assert each.schema["default"] == default
    required = [each for each in tool.parameters if each.to == "" and each.required]
    assert len(required) <= len([each for each in command.params if isinstance(each, click.Argument)])


def test_text_is_never_an_argument_nor_an_option() -> None:
    words, stdin = BY_NAME["remember"].command_line({"content": "秘密 --force", "private": True, "tags": ["--force"]})
    assert stdin.decode() == "秘密 --force"
    assert words == ["remember", "--json", "--for-tool", "--private", "--tag=--force", "--", "-"]
    words, stdin = BY_NAME["merge_memories"].command_line({"remove_id": "--b", "keep_id": "a", "merged_content": "-"})
    assert (words[3:], stdin) == (["--content=-", "--", "a", "--b"], b"-")
    words, stdin = BY_NAME["tidy_apply"].command_line({"plan": {"state_updates": []}})
    assert json.loads(stdin) == {"state_updates": []} and words[-1] == "-"
    words, _ = BY_NAME["recall"].command_line({"query": "x", "private": False, "n_results": 3, "since": None})
    assert words[3:] == ["-n3", "--public", "--", "-"]
    with pytest.raises(InvalidInput):
        BY_NAME["update_self"].command_line({"resolve": [{"question": "1"}]})
    with pytest.raises(InvalidInput):
        BY_NAME["update_self"].command_line({"fields": {"name": 3}})
    with pytest.raises(InvalidInput):
        BY_NAME["recall"].command_line({"query": "x", "n_results": True})


def test_another_vault(cli: Command, sample_root: Path, tmp_path: Path) -> None:
    async def look(client: Client) -> None:
        shown, _ = await call(client, "show_memory", memory_id="mem_25aeec24c99b")
        assert shown["kind"] == "task"

    session(look, cli, "--vault", str(sample_root))
