"""U-4, S-6: private memories are absent from everything that a tab is told, until they are switched on in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Command

from vault_mem import Vault
from web.asking import Browser, Site, environment

CANARY = "quokka"
SECRET = f"The {CANARY} key to the smokehouse hangs behind the third plank."
LATER = f"The {CANARY} ledger lies in the boat shed."


@pytest.fixture(scope="module")
def hidden() -> dict[str, str]:
    """The ids of what is private, by what it is."""
    return {}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, hidden: dict[str, str]) -> Iterator[Site]:
    """A vault with private memories of every sort: an episode, a proposal, one that was public before."""
    place = tmp_path_factory.mktemp("kept")
    env = environment(place)
    root = place / "vault"
    Vault.init(root, env=env, timezone="Asia/Tokyo")
    cli = Command(root, env)
    cli.json("remember", "Ines keeps the spare key to the smokehouse.", "--kind", "fact")
    hidden["fact"] = cli.json("remember", "-", "--private", "--kind", "fact", "--tag", CANARY, stdin=SECRET)["memory"][
        "id"
    ]
    changed = SECRET.replace("third", "fourth")
    hidden["new"] = cli.json("remember", "-", "--private", "--kind", "fact", "--force", stdin=changed)["memory"]["id"]
    episode = cli.json("episode", "create", "--memory", hidden["fact"], "--summary", f"A {CANARY} at night")
    hidden["episode"] = episode["episode"]["id"]
    # written for all, linked by another, proposed to replace it, then made private
    before = cli.json("remember", "-", "--kind", "fact", stdin=LATER)["memory"]["id"]
    cli.json("remember", "-", "--kind", "fact", "--force", stdin="The ledger lies in the boat shed, under the oars.")
    cli.json("private", before, "--scrub")
    hidden["later"] = before
    (root / "private" / "odd.md").write_text(f"---\nid: [{CANARY}\n---\nA broken {CANARY}.\n")
    served = Site(root, env)
    yield served
    served.vault.close_files()


@pytest.fixture
def tab(kept: Site) -> Browser:
    return kept.browser()


ASKED = """
    status facets list?n=500&closed=1 recall?q=quokka&n=50&closed=1 recall?q=smokehouse+key&n=50 timeline?by=day
    timeline/memories?n=500 graph review history?n=500 health agent/wake-up?budget=4000
    agent/recall?q=quokka+smokehouse&budget=4000 agent/recall?q=boat+shed&budget=4000
"""


def told(tab: Browser) -> list[str]:
    """All that a tab can ask for without a name, and every operation and memory that this names."""
    answers = {path: tab.ask(path) for path in ASKED.split()}
    assert all(each.status_code == 200 for each in answers.values())
    history = answers["history?n=500"].json()["operations"]
    listed = answers["list?n=500&closed=1"].json()["memories"]
    named = [f"history/{each['op']}" for each in history] + [f"memory/{each['id']}" for each in listed]
    page = tab.client.get(tab.folder)  # the first answers stand in it
    assert all(f'"{path}":' in page.text for path in ("api/status", "api/list?n=12"))
    return [each.text for each in (page, *answers.values(), *map(tab.ask, named))]


def test_nothing_private_is_told(tab: Browser, hidden: dict[str, str]) -> None:
    read = "\n".join(told(tab)).replace('"query":"quokka"', "")
    for word in (CANARY, "private/", *hidden.values(), *(id_[4:12] for id_ in hidden.values())):
        assert word not in read, read[max(0, read.index(word) - 300) : read.index(word) + 100]
    assert tab.get("status")["memories"] == 2 and tab.get("status")["episodes"] == 0
    assert "private_memories" not in tab.get("status")
    assert tab.get("facets")["tags"] == [] and tab.get("timeline", by="day")["buckets"][0]["count"] == 2


def test_what_is_private_cannot_be_named(tab: Browser, hidden: dict[str, str]) -> None:
    for id_ in hidden.values():
        for path in (f"memory/{id_}", f"graph?around={id_}", f"why-not?q=key&id={id_}"):
            answer = tab.ask(path)
            assert answer.status_code == 404 and CANARY not in answer.text, (path, answer.text)
        assert tab.send("edit", {"id": id_, "raw": "x", "hash": ""}).status_code == 404
    supersede = {"content": "Another key.", "supersedes": [hidden["fact"]]}
    assert tab.send("remember", supersede).status_code == 404
    refused = tab.send("remember", {"content": "Mine alone.", "private": True})
    assert refused.status_code == 403 and refused.json()["error"]["code"] == "private"
    # the guard does not tell that a text repeats a private one
    assert tab.post("check", content=SECRET, kind="fact")["verdict"] == "new"


def test_what_is_private_cannot_be_undone_or_answered(kept: Site, tab: Browser) -> None:
    seeing = kept.browser()
    seeing.switch_private(True)
    shown = {each["op"] for each in tab.get("history", n=500)["operations"]}
    secret = [each["op"] for each in seeing.get("history", n=500)["operations"] if each["op"] not in shown]
    assert secret
    for op in secret:
        assert tab.send("undo", {"op": op}).status_code == 404
        assert tab.ask(f"history/{op}").status_code == 404
    proposals = [each for each in seeing.get("review")["proposals"] if each["private"]]
    assert proposals and all(CANARY in json.dumps(each) for each in proposals)
    for each in proposals:
        assert tab.send(f"review/{each['key']}", {"answer": "accept"}).status_code == 404


def test_switched_on_for_one_tab_alone(kept: Site, tab: Browser, hidden: dict[str, str]) -> None:
    tab.switch_private(True)
    assert tab.get("status")["private"] is True and tab.get("status")["private_memories"] == 4
    found = tab.get("recall", q=f"{CANARY} key", n=10)["results"]
    assert {hidden["fact"], hidden["new"]} <= {each["id"] for each in found}
    assert tab.get(f"memory/{hidden['fact']}")["private"] is True
    assert CANARY in tab.get("agent/recall", q=f"{CANARY} key")["text"]
    for name in ("new", "later"):
        assert hidden[name] in tab.get("graph")["nodes"]["id"]
    # the cookie is the browser's, the key is the tab's
    key, tab.key = tab.key, ""
    assert not {each["id"] for each in tab.get("recall", q=f"{CANARY} key", n=10)["results"]} & {*hidden.values()}
    other = kept.browser()
    other.key = key
    assert other.get("status")["private"] is False
    tab.key = key
    tab.switch_private(False)
    tab.key = key  # a key that was given back opens nothing
    assert tab.get("status")["private"] is False


def test_private_is_written_where_it_is_switched_on(kept: Site, tab: Browser) -> None:
    tab.switch_private(True)
    saved = tab.post("remember", content=f"The {CANARY} sleeps in the loft.", private=True)
    assert saved["memory"]["path"].startswith("private/")
    edited = tab.get(f"memory/{saved['memory']['id']}")
    tab.post("edit", id=saved["memory"]["id"], raw=edited["raw"].replace("loft", "attic"), hash=edited["hash"])
    assert CANARY not in "".join(
        path.read_text() for path in kept.root.rglob("*.md") if "private" not in path.relative_to(kept.root).parts
    )
    tab.post("undo", op=tab.get("history")["operations"][0]["op"])
    tab.post("undo", op=saved["op"])


def test_events_tell_nothing_of_private_files(kept: Site, tab: Browser) -> None:  # and the rest within a second
    async def heard(sees_private: bool) -> list[Any]:
        stream = kept.hub.listen(lambda: sees_private)
        found = [await anext(stream)]
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        kept.root.joinpath("private", "mem_0123456789ab.md").write_text("One more quokka.\n")
        kept.root.joinpath("private", "more").mkdir(exist_ok=True)
        note = next((kept.root / "memories").rglob("*.md"))
        await asyncio.sleep(0.3)
        note.write_bytes(note.read_bytes())
        found.append(await asyncio.wait_for(waiting, 2))
        if sees_private:
            found.append(await asyncio.wait_for(anext(stream), 2))
        await stream.aclose()
        return [json.loads(each.decode().partition("data: ")[2]) for each in found]

    kept.hub.start()
    hello, change = asyncio.run(heard(False))
    assert hello == {"private": False} and not change["all"]
    assert [path.partition("/")[0] for path in change["paths"]] == ["memories"] and change["ids"][0].startswith("mem_")
    hello, first, second = asyncio.run(heard(True))
    assert hello == {"private": True} and "private/mem_0123456789ab.md" in first["paths"] + second["paths"]
