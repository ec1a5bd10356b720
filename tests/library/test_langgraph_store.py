"""B-4: the LangGraph store does what LangGraph's own does. Its package has no tests in it, so the two are compared."""

from __future__ import annotations

import asyncio

import pytest

base = pytest.importorskip("langgraph.store.base", reason="make frameworks")
from langgraph.store.memory import InMemoryStore  # noqa: E402

from vault_mem import InvalidInput, Vault  # noqa: E402
from vault_mem.integrations.langgraph import VaultStore  # noqa: E402

USERS = ("users", "ann")


def steps(store) -> list[object]:
    """A session, and what it saw."""
    seen: list[object] = []
    store.put((*USERS, "memories"), "m1", {"text": "I like sushi", "stars": 5, "tags": ["a", "b"]})
    store.put((*USERS, "memories"), "m2", {"text": "I dislike rain  \n", "stars": 2, "nested": {"a": {"b": None}}})
    store.put(USERS, "profile", {"name": "Ann", "年齢": 42, "quote": "she said: 'yes' # no"})
    store.put(("users", "bob"), "profile", {"name": "Bob"})
    store.put(("docs",), "empty", {})
    store.put((*USERS, "memories"), "m1", {"text": "I love sushi", "stars": 4})
    seen.append(store.get((*USERS, "memories"), "m1"))
    seen.append(store.get((*USERS, "memories"), "m2"))
    seen.append(store.get(USERS, "profile"))
    seen.append(store.get(("docs",), "empty"))
    seen.append(store.get(USERS, "m1"))
    for prefix in ((), ("users",), USERS, (*USERS, "memories"), ("nobody",)):
        seen.append(store.search(prefix))
    for wanted in ({"stars": 4}, {"name": {"$ne": "Bob"}}, {"name": "Zoe"}):
        seen.append(store.search(("users",), filter=wanted))
    for wanted in ({"stars": {"$gt": 2}}, {"stars": {"$lte": 2}}):
        seen.append(store.search((*USERS, "memories"), filter=wanted))
    seen.append(store.search(("users",), limit=2, offset=1))
    seen.append(store.list_namespaces())
    seen.append(store.list_namespaces(prefix=("users",)))
    seen.append(store.list_namespaces(suffix=("memories",)))
    seen.append(store.list_namespaces(prefix=("users", "*"), max_depth=2))
    seen.append(store.list_namespaces(limit=1, offset=1))
    store.delete(("users", "bob"), "profile")
    store.delete(("users", "bob"), "never there")
    seen.append(store.get(("users", "bob"), "profile"))
    seen.append(
        store.batch([base.PutOp(("q",), "k", {"v": 1}), base.PutOp(("q",), "k", {"v": 2}), base.GetOp(("q",), "k")])
    )
    seen.append(store.get(("q",), "k"))
    return seen


def plain(value):
    """Without times, and in an order of its own where the store promises none."""
    if isinstance(value, list):
        found = [plain(each) for each in value]
        return sorted(found, key=repr)
    if isinstance(value, base.Item):
        return value.namespace, value.key, value.value
    return value


def test_it_does_what_the_store_in_memory_does(vault: Vault) -> None:
    # B-4
    own = steps(VaultStore(vault))
    theirs = steps(InMemoryStore())
    for number, (one, other) in enumerate(zip(own, theirs, strict=True)):
        assert len(one) == len(other) if isinstance(other, list) else True, number
        if number != 15:  # which two of three come first is nobody's promise
            assert plain(one) == plain(other), number
    assert vault.doctor().healthy


def test_items_are_notes_that_people_read(vault: Vault) -> None:
    # B-4
    store = VaultStore(vault)
    store.put(USERS, "m1", {"text": "The standup moved to 3pm", "stars": 5})
    memory = vault.list()[0]
    assert memory.content == "The standup moved to 3pm"
    assert vault.recall("when is the standup?")[0].memory.id == memory.id
    note = vault.root / memory.path
    note.write_text(note.read_text().replace("3pm", "4pm"))
    assert store.get(USERS, "m1").value == {"text": "The standup moved to 4pm", "stars": 5}
    first = store.get(USERS, "m1")
    store.put(USERS, "m1", {"text": "The standup moved to 5pm"})
    second = store.get(USERS, "m1")
    assert second.created_at == first.created_at
    assert second.updated_at >= first.updated_at
    store.delete(USERS, "m1")
    vault.undo()
    assert store.get(USERS, "m1").value == {"text": "The standup moved to 5pm"}
    vault.remember("Not of the store")
    assert len(store.search(())) == 1
    with pytest.raises(InvalidInput, match="more than"):
        store.put(USERS, "large", {"x": "y" * 60_000})


def test_searching_by_meaning(vault: Vault) -> None:
    # B-4
    store = VaultStore(vault)
    for number, text in enumerate(["I like sushi", "The bakery opens at six", "My bicycle is red"]):
        store.put(USERS, f"m{number}", {"text": text})
    store.put(("users", "bob"), "m", {"text": "Bob likes sushi too"})
    found = store.search(USERS, query="what food does she like? sushi", limit=2)
    assert found[0].key == "m0"
    assert found[0].score > 0
    assert len(found) == 2
    assert {each.namespace for each in found} == {USERS}


def test_private_and_async(vault: Vault) -> None:
    # B-4
    store = VaultStore(vault, private=True)

    async def day() -> None:
        await asyncio.gather(*(store.aput(USERS, f"m{n}", {"text": f"Plot {n} grows leeks"}) for n in range(5)))
        assert (await store.aget(USERS, "m3")).value == {"text": "Plot 3 grows leeks"}
        assert len(await store.asearch(USERS)) == 5

    asyncio.run(day())
    assert all(each.private for each in vault.list())


def test_a_graph_with_a_store(vault: Vault) -> None:
    # B-4
    from langgraph.graph import END, START, StateGraph

    def node(state: dict, *, store) -> dict:
        store.put(USERS, "seen", {"text": state["said"]})
        return {"said": store.get(USERS, "seen").value["text"].upper()}

    builder = StateGraph(dict)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    graph = builder.compile(store=VaultStore(vault))
    assert graph.invoke({"said": "hello from the graph"})["said"] == "HELLO FROM THE GRAPH"
