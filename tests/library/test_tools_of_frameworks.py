"""B-1, B-4: methods of a `Vault`, and what `as_tools()` gives, are taken as tools. `make frameworks` installs them."""

from __future__ import annotations

import asyncio
import inspect
import json
import typing

import pytest

from vault_mem import AsyncVault, InvalidInput, Vault
from vault_mem.mcp.tools import chosen

CORE = ["wake_up", "recall", "remember", "update_memory", "forget"]


def test_the_core_tools_of_the_server_as_functions(vault: Vault) -> None:
    # B-4: the same names, words and arguments, from the same register
    tools = {tool.__name__: tool for tool in vault.as_tools()}
    assert list(tools) == CORE
    for known in chosen("core"):
        function = tools[known.name]
        schema = known.input_schema(core=True)
        schema["properties"].pop("to", None)  # a function is of one vault
        assert set(inspect.signature(function).parameters) == set(schema["properties"])
        assert function.__doc__.startswith(known.description)
        assert typing.get_type_hints(function)["return"] is str
        for name, each in schema["properties"].items():
            assert f"    {name}: {each['description']}" in function.__doc__
    said = tools["remember"]("The standup moved to 3pm", kind="fact", tags=["work"])
    assert said.startswith("Saved (id: mem_")
    assert vault.list(kind="fact")[0].tags == ["work"]
    found = tools["recall"]("when is the standup?", n_results=1)
    assert "The standup moved to 3pm</" in found  # the words of a memory are tagged
    id_ = vault.list()[0].id
    assert "only a task can be done" in tools["update_memory"](id_, done=True)
    assert tools["recall"]("x", kind="thing").startswith("error: kind is one of event, fact")
    assert tools["forget"]("mem_ffffffffffff").startswith("error: Memory not found")
    assert tools["forget"](id_, reason="a test").startswith("Forgot") or not vault.list()
    assert len(vault.as_tools("all")) == len(chosen("all"))
    with pytest.raises(InvalidInput, match="core or all"):
        vault.as_tools("some")


def test_tools_without_private_memories(vault: Vault) -> None:
    # S-6
    vault.remember("The secret code is 4711", private=True)
    vault.remember("The public code is 0815", force=True)
    tools = {tool.__name__: tool for tool in vault.as_tools(public_only=True)}
    assert "4711" not in tools["recall"]("code") + tools["wake_up"]()
    assert "0815" in tools["recall"]("code")
    assert "private" not in inspect.signature(tools["remember"]).parameters
    assert "4711" in vault.recall("secret code")[0].memory.content  # others see them as before


def test_tools_to_be_awaited(root, env) -> None:
    # B-4
    async def day() -> None:
        vault = AsyncVault(root, env=env)
        tools = {tool.__name__: tool for tool in vault.as_tools()}
        assert inspect.iscoroutinefunction(tools["remember"])
        await asyncio.gather(*(tools["remember"](f"Plot {n} grows {n * 5} leeks", force=True) for n in range(4)))
        assert "leeks" in await tools["recall"]("leeks")
        assert inspect.signature(tools["recall"]).parameters["query"].annotation is str

    asyncio.run(day())


def test_pydantic_ai(vault: Vault) -> None:
    # B-1: an agent with a model that calls every tool
    pytest.importorskip("pydantic_ai", reason="make frameworks")
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    vault.remember("The standup moved to 3pm")
    agent = Agent(TestModel(call_tools=["recall", "wake_up"]), tools=vault.as_tools())
    assert "standup" in json.dumps(agent.run_sync("When is the standup?").output)
    plain = Agent(TestModel(call_tools=["recall"]), tools=[vault.recall, vault.remember, vault.show, vault.list])
    assert plain.run_sync("When is the standup?").output


def test_openai_agents(vault: Vault) -> None:
    # B-1
    agents = pytest.importorskip("agents", reason="make frameworks")
    vault.remember("The standup moved to 3pm")
    tools = {each.name: each for each in (agents.function_tool(tool, strict_mode=False) for tool in vault.as_tools())}
    assert list(tools) == CORE
    schema = tools["recall"].params_json_schema
    assert schema["properties"]["query"]["description"] == "What you want to know, in any language."
    assert schema["required"] == ["query"]
    plain = agents.function_tool(vault.recall, strict_mode=False)
    assert "min_relevance" in plain.params_json_schema["properties"]


def test_langchain_tools(vault: Vault) -> None:
    # B-1
    tools = pytest.importorskip("langchain_core.tools", reason="make frameworks")
    vault.remember("The standup moved to 3pm")
    recall = next(tool for tool in map(tools.tool, vault.as_tools()) if tool.name == "recall")
    assert "standup" in recall.invoke({"query": "standup", "n_results": 1})
    assert tools.tool(vault.recall).invoke({"query": "standup", "n": 1})[0].memory.content == "The standup moved to 3pm"


def test_llama_index(vault: Vault) -> None:
    # B-1
    tools = pytest.importorskip("llama_index.core.tools", reason="make frameworks")
    vault.remember("The standup moved to 3pm")
    recall = next(
        tool for tool in map(tools.FunctionTool.from_defaults, vault.as_tools()) if tool.metadata.name == "recall"
    )
    assert "standup" in str(recall.call(query="standup"))
    assert "query" in tools.FunctionTool.from_defaults(vault.recall).metadata.get_parameters_dict()["properties"]


def test_langchain_retriever(vault: Vault) -> None:
    # B-4
    pytest.importorskip("langchain_core", reason="make frameworks")
    from vault_mem.integrations.langchain import VaultRetriever

    saved = vault.remember("The standup moved to 3pm", tags=["work"]).memory
    vault.remember("The bakery opens at six", force=True)
    retriever = VaultRetriever(vault=vault, k=1, search_kwargs={"tags": ["work"]})
    found = retriever.invoke("when is the standup?")
    assert [(each.id, each.page_content) for each in found] == [(saved.id, "The standup moved to 3pm")]
    assert found[0].metadata["tags"] == ["work"]
    assert asyncio.run(retriever.ainvoke("when is the standup?")) == found
    nothing = VaultRetriever(vault=vault, search_kwargs={"min_relevance": 1.0})
    assert nothing.invoke("the price of tea in Peru") == []
