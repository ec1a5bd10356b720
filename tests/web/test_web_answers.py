"""U-4: what the page is told, and what it changes, is what the commands say and do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from uuid import uuid4

import pytest
from conftest import Command
from helpers import memory as write_memory

from vault_mem import Vault
from vault_mem.errors import VaultMemError
from vault_mem.operations.memory.show import replacements_and_titles
from vault_mem.operations.vaults.doctor import BY_INDEX, CHECKS
from web.asking import ADDRESS, PORT, Browser, Gate, SeenVault, Site, TestClient, application, environment
from web.test_page_words import STATIC

NAGI = "mem_7d3fd0812983"


@pytest.fixture
def cli(site: Site) -> Command:
    return Command(site.root, dict(site.vault.folder.env))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A small vault that tests change."""
    place = tmp_path_factory.mktemp("own")
    env = environment(place)
    Vault.init(place / "vault", env=env, timezone="Asia/Tokyo")
    served = Site(place / "vault", env)
    yield served
    served.vault.close_files()


@pytest.fixture
def here(own: Site) -> Browser:
    return own.browser()


def test_first_view(cli: Command, browser: Browser) -> None:
    shown, said = browser.get("status"), cli.json("status", "--json")
    public = said["memories"] - said["private"]
    assert (shown["memories"], shown["episodes"], shown["private"]) == (public, said["episodes"], False)
    assert shown["vault"] == "sample" and shown["zone"] == "Asia/Tokyo" and shown["obsidian"] is True
    facets = browser.get("facets")
    assert dict(facets["kinds"])["fact"] == 11 and facets["people"][0][0] == "Kaya"
    assert sum(count for _, count in facets["kinds"]) == public


def test_the_page_brings_its_first_answers(browser: Browser) -> None:
    page = browser.client.get(browser.folder)
    assert page.headers["cache-control"] == "no-store"
    sent = json.loads(page.text.partition('id="sent">')[2].partition("</script>")[0])
    assert sent.keys() == {"api/status", "api/list?n=12"}
    assert sent["api/list?n=12"] == browser.get("list", n=12)
    assert sent["api/status"] == browser.get("status")


def test_no_note_ends_the_element_that_it_is_sent_in(own: Site, here: Browser) -> None:
    text = "A note ends with </script><script>alert(1)</script><!-- and goes on."
    note = write_memory(own.root, "memories/2026-11/ending.md", "mem_00000000fade", text)
    page = here.client.get(here.folder).text
    note.unlink()
    assert "<script>alert" not in page and page.count("<!--") == 0
    sent = json.loads(page.partition('id="sent">')[2].partition("</script>")[0])
    assert text in [each["content"] for each in sent["api/list?n=12"]["memories"]]


def test_a_vault_that_cannot_be_read_has_a_page_all_the_same(tmp_path: Path) -> None:
    env = environment(tmp_path)
    Vault.init(tmp_path / "vault", env=env, timezone="Asia/Tokyo")
    served = Site(tmp_path / "vault", env)
    browser = served.browser()
    (tmp_path / "vault" / "vault-mem.toml").write_text("version = [\n")
    page = browser.client.get(browser.folder)
    assert page.status_code == 200 and 'id="sent">{}</script>' in page.text
    assert browser.ask("status").status_code == 503  # which the page asks for, to tell the reader
    served.vault.close_files()


def test_recall_as_the_command_answers(cli: Command, browser: Browser) -> None:
    said = cli.json("recall", "O-ring of the housing", "-n", "4", "--public", "--explain")
    shown = browser.get("recall", q="O-ring of the housing", n=4)
    assert [each["id"] for each in shown["results"]] == [each["id"] for each in said["results"]]
    first, expected = shown["results"][0], said["results"][0]
    assert (first["relevance"], first["score"]) == (expected["relevance"], expected["score"])
    assert dict(first["explain"]) == expected["explain"]
    assert sum(value for _, value in first["explain"]) == pytest.approx(first["score"], abs=1e-3)
    assert "".join(text for text, _ in first["parts"]) == first["content"]
    assert any(marked for _, marked in first["parts"])
    assert first["obsidian"].startswith("obsidian://open?path=")
    filtered = browser.get("recall", q="O-ring of the housing", kind="fact", closed=1, tag="parts")
    assert filtered["results"] and {each["kind"] for each in filtered["results"]} == {"fact"}
    old = next(each for each in filtered["results"] if each["closed"])
    assert old["superseded_by"]["id"] == first["id"] and old["superseded_by"]["title"] == first["title"]


def test_why_not(browser: Browser) -> None:
    told = browser.get("why-not", q="O-ring of the housing", id="mem_670897e0", n=3)
    assert told["stage"] == "ranking" and "are shown" in told["reason"] and told["title"].startswith("Soma")


def test_what_an_agent_is_told(cli: Command, browser: Browser) -> None:
    for path, params in (("agent/wake-up", {"budget": 400}), ("agent/recall", {"q": "bergen batch", "budget": 300})):
        told = browser.get(path, **params)
        assert 50 < told["tokens"] <= params["budget"] and told["text"]
    less = browser.get("agent/wake-up", budget=200)
    assert less["tokens"] < browser.get("agent/wake-up", budget=1500)["tokens"]


def test_timeline(cli: Command, browser: Browser) -> None:
    months = browser.get("timeline", by="month")["buckets"]
    assert [(each["start"], each["count"]) for each in months][:2] == [("2026-06-01", 8), ("2026-07-01", 6)]
    assert months[0]["valence"] is not None and sum(each["closed"] for each in months) == 5
    days = browser.get("timeline", by="day")["buckets"]
    assert sum(each["count"] for each in days) == sum(each["count"] for each in months) == 43
    assert [each["start"] for each in browser.get("timeline", by="year")["buckets"]] == ["2026-01-01"]
    then = browser.get("timeline", by="month", as_of="2026-08-01")
    assert then["buckets"][-1]["start"] <= "2026-08-01"
    listed = cli.json("list", "--as-of", "2026-08-01", "--public")["total"]
    assert sum(each["count"] for each in then["buckets"]) == listed
    august = browser.get("timeline/memories", start="2026-06-01", end="2026-07-01")
    replaced = [each for each in august["memories"] if each["superseded_by"]]
    assert august["total"] == 8 and replaced and all(each["closed"] for each in replaced)
    assert "content" not in august["memories"][0] and august["memories"][0]["excerpt"]


def test_graph(cli: Command, browser: Browser) -> None:
    whole = browser.get("graph")
    nodes, size = whole["nodes"], len(whole["nodes"]["id"])
    assert size == whole["total"] and all(len(column) == size for column in nodes.values())
    said = cli.json("graph", "--public-only")
    assert len(whole["edges"]) >= said["links"] and whole["kinds"][-1] == "episode"
    assert sum(nodes["degree"]) == 2 * len(whole["edges"])
    centre = nodes["id"][0]
    near = browser.get("graph", around=centre, depth=1)
    neighbours = {each["id"] for each in cli.json("show", centre)["links"]}
    assert near["nodes"]["id"][near["centre"]] == centre and set(near["nodes"]["id"]) == {centre, *neighbours}
    assert max(browser.get("graph", around=centre, depth=2)["nodes"]["depth"]) == 2


def test_one_memory(site: Site, browser: Browser) -> None:
    shown = browser.get(f"memory/{NAGI}")
    raw = (site.root / shown["path"]).read_bytes()
    assert shown["raw"].encode() == raw and shown["hash"] == hashlib.sha256(raw).hexdigest() and shown["writable"]
    assert shown["html"].startswith("<p>Kaya named me Nagi") and shown["private"] is False
    assert shown["links"][0]["kind"] == "event"


def test_save_then_see_undo_and_see(here: Browser, own: Site) -> None:
    draft = {"content": "The ferry to Oshima leaves at 7:40.", "kind": "fact", "tags": ["ferry"]}
    assert here.post("check", **draft)["verdict"] == "new"
    saved = here.post("remember", **draft)
    assert saved["status"] == "saved" and saved["memory"]["source"] == "hand"
    assert (own.root / saved["memory"]["path"]).is_file()
    again = here.post("check", **draft)
    assert again["verdict"] == "duplicate" and not again["would_save"]
    assert again["duplicate_of"]["id"] == saved["memory"]["id"]
    refused = here.send("remember", draft)
    assert refused.status_code == 409 and refused.json()["error"]["code"] == "duplicate"
    assert refused.json()["duplicate_of"]["title"] == saved["memory"]["title"]
    other = here.post("check", **draft | {"content": "The ferry to Oshima leaves at 8:10."})
    assert other["verdict"] == "changed" and other["changes"]["diff"][0] == ["=", "The ferry to Oshima leaves at "]
    assert len(list((own.root / "memories").rglob("*.md"))) == 1  # a check writes nothing

    done = here.get("history")["operations"][0]
    assert (done["op"], done["command"], done["undoable"]) == (saved["op"], "remember", True)
    detail = here.get(f"history/{done['op']}")
    note = next(each for each in detail["files"] if each["path"] == saved["memory"]["path"])
    assert note["made"] and note["diff"][0][0] == "+" and "Oshima" in note["diff"][0][1]
    taken = here.post("undo", op=saved["op"])
    assert taken["undone"] == saved["op"] and not (own.root / saved["memory"]["path"]).exists()
    assert here.get("history")["operations"][1]["undone"] is True
    assert here.send("undo", {"op": saved["op"]}).status_code == 409
    assert here.send("undo", {"op": "999999"}).status_code == 404


def test_a_credential_is_refused(here: Browser) -> None:
    draft = {"content": "The token is ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"}
    told = here.post("check", **draft)
    assert told["verdict"] == "secret" and not told["would_save"]
    assert here.send("remember", draft).status_code == 422


def test_edit_in_place(here: Browser, own: Site) -> None:
    id_ = here.post("remember", content="The boat shed needs paint.", force=True)["memory"]["id"]
    shown = here.get(f"memory/{id_}")
    file = own.root / shown["path"]
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))  # somebody's editor
    stale = here.send("edit", {"id": id_, "raw": shown["raw"] + "x", "hash": shown["hash"]})
    assert stale.status_code == 409
    told = stale.json()
    assert told["yours"].endswith("x") and told["theirs"] == file.read_bytes().decode()
    assert [op for op, _ in told["diff"]] == ["=", "+"]  # endings do not count
    fresh = here.get(f"memory/{id_}")
    assert told["hash"] == fresh["hash"]
    typed = fresh["raw"].replace("\r\n", "\n").replace("needs paint", "needs blue paint")  # as a text field has it
    edited = here.post("edit", id=id_, raw=typed, hash=fresh["hash"])
    assert edited["status"] == "edited" and edited["memory"]["content"] == "The boat shed needs blue paint."
    raw = file.read_bytes()
    assert raw.count(b"\r\n") == raw.count(b"\n") and b"blue" in raw
    assert edited["hash"] == hashlib.sha256(raw).hexdigest()
    assert here.get(f"memory/{id_}")["history"][0]["command"] == "edit"
    for wrong in ("", typed.replace(id_, "mem_000000000000"), typed.replace("private: false", "private: true")):
        assert here.send("edit", {"id": id_, "raw": wrong, "hash": edited["hash"]}).status_code == 400
    here.post("undo", op=edited["op"])
    assert b"blue" not in file.read_bytes()


def test_review_is_the_same_file(here: Browser, own: Site) -> None:
    old = here.post("remember", content="The standup is on Tuesday at nine.", kind="fact", force=True)["memory"]["id"]
    new = here.post("remember", content="The standup is on Thursday at nine.", kind="fact", force=True)["memory"]["id"]
    (proposal,) = [each for each in here.get("review")["proposals"] if each["kind"] == "supersede"]
    assert [each["id"] for each in proposal["memories"]] == [new, old] and proposal["file"] == "REVIEW.md"
    assert ["-", "Tuesday"] in proposal["diff"] and ["+", "Thursday"] in proposal["diff"]
    file = own.root / "REVIEW.md"
    assert f"^{proposal['key']}" in file.read_text().split("## Done")[0]
    refused = here.post(f"review/{proposal['key']}", answer="refuse")
    assert refused["outcome"] == "rejected" and f"^{proposal['key']}" in file.read_text().split("## Rejected")[1]
    here.post("undo", op=refused["op"])
    accepted = here.post(f"review/{proposal['key']}", answer="accept")
    assert accepted["outcome"] == "applied" and here.get(f"memory/{old}")["closed"]
    assert here.get(f"memory/{old}")["superseded_by"]["id"] == new
    assert here.send(f"review/{proposal['key']}", {"answer": "accept"}).status_code == 404
    assert here.send("review/1", {"answer": "accept"}).status_code == 404  # numbers shift under one's hands
    assert here.send(f"review/{proposal['key']}", {"answer": "later"}).status_code == 400


def test_history_page_by_page(here: Browser) -> None:
    everything = [each["op"] for each in here.get("history", n=500)["operations"]]
    first = here.get("history", n=2)
    second = here.get("history", n=2, before=first["operations"][-1]["op"])
    assert [each["op"] for each in (*first["operations"], *second["operations"])] == everything[:4] and first["more"]


def test_health_names_what_helps(own: Site, here: Browser) -> None:
    own.root.joinpath("memories", "broken.md").write_text("---\nid: [\n---\nHalf a note.\n")
    told = here.get("health")
    assert any(each["path"] == "memories/broken.md" and each["hint"] for each in told["findings"])
    by_name = {each["name"]: each for each in told["checks"]}
    assert by_name["doctor"]["state"] == "warning" and by_name["doctor"]["fix"] == "vault-mem doctor --fix"
    assert told["index_bytes"] > 0 and told["daemon"]["running"] is False and told["growth"]
    shown = here.get("recall", q="Half a note")["results"][0]
    assert here.get(f"memory/{shown['id']}")["writable"] is False


def test_controls_of_a_note_are_shown_and_its_markup_does_nothing(own: Site, here: Browser) -> None:
    hostile = (
        "Wrench \x1b[31mred \u202etxt.exe\n\n<script>alert(1)</script> <img src=x onerror=alert(1)> "
        "![pixel](https://evil.example/p.png) [go](javascript:alert(1)) [data](data:text/html,x) "
        '<svg/onload=alert(1)> [site](https://evil.example/) ![[pixel.svg]] [[gone" onclick="alert(1)]]\n\n'
        "[ref]: javascript:alert(1)\n[ref] <javascript:alert(1)> &#x6a;avascript:alert(1)\n"
    )
    write_memory(own.root, "memories/hostile.md", "mem_00000000beef", hostile, 'title: "<b>\\x1b]0;x\\x07"')
    shown = here.get("memory/mem_00000000beef")
    html = shown["html"]
    tags: list[tuple[str, dict[str, str | None]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.append((tag, dict(attributes)))  # type: ignore[method-assign]
    parser.feed(html)
    assert {tag for tag, _ in tags} == {"p", "span", "a"}
    assert {name for _, attributes in tags for name in attributes} <= {"class", "href", "rel", "target"}
    assert [attributes["href"] for tag, attributes in tags if tag == "a"] == ["https://evil.example/"]
    assert "\\u001b[31mred" in html and "\\u202etxt.exe" in html
    assert 'rel="noopener noreferrer nofollow"' in html and '<span class="image">pixel</span>' in html
    answers = [here.ask(path).text for path in ("recall?q=wrench", "list?n=50", "graph", "history", "health")]
    read = "".join(answers) + json.dumps({name: each for name, each in shown.items() if name != "raw"})
    assert not any(sign in read for sign in ("\x1b", "\u202e", "\x07"))
    assert "\x1b" in shown["raw"]  # the editor has the note as it is


def test_a_vault_that_vanishes_and_comes_back(own: Site, here: Browser, tmp_path: Path) -> None:
    away = tmp_path / "away"
    own.root.rename(away)
    try:
        gone = here.ask("status")
        assert gone.status_code == 503 and gone.json()["error"]["code"] == "no_vault"
        assert here.client.get(here.folder).status_code == 200  # the page itself stays
    finally:
        away.rename(own.root)
    assert here.get("status")["memories"] >= 1


def test_the_first_look_of_a_thread_opens_the_index(own: Site) -> None:
    """Threads have workspaces of their own; one that nobody had used yet ended an answer with status 500."""
    saved = own.vault.remember("The harbour master keeps the spare key.", force=True)
    assert saved.memory is not None
    fresh = SeenVault(own.root, env=own.vault.folder.env)
    assert fresh.look(replacements_and_titles, [], [saved.memory.id]).titles[saved.memory.id]
    fresh.close_files()


def test_an_unexpected_error_is_reported_without_what_it_says(
    own: Site, monkeypatch: pytest.MonkeyPatch
) -> None:  # P-4
    def failing(*_: object, **__: object) -> None:
        raise KeyError(secret)

    said: list[str] = []
    secret = uuid4().hex
    monkeypatch.setitem(own.vault.folder.env, "VAULT_MEM_DEBUG", "")
    monkeypatch.setattr(own.vault, "look", failing)
    gate = Gate(application(own.vault, own.hub, report=said.append), PORT)
    client = TestClient(gate, base_url=ADDRESS, follow_redirects=False)
    opened = client.get(f"/open?token={gate.new_token()}")
    answer = client.get(f"{opened.headers['location']}api/status")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "KeyError" in said[0] and "answers.py" in said[0]
    assert secret not in said[0] + answer.text


def test_trouble_has_words_in_both_languages(own: Site) -> None:
    table = STATIC.joinpath("js", "words.js").read_text(encoding="utf-8")
    codes = {error.code for error in [VaultMemError, *_children(VaultMemError)]}
    assert [code for code in sorted(codes) if f'"error.{code}"' not in table] == []
    assert [name for name in (*CHECKS, *BY_INDEX) if f'"finding.{name}"' not in table] == []


def _children(of: type[VaultMemError]) -> list[type[VaultMemError]]:
    return [each for child in of.__subclasses__() for each in (child, *_children(child))]
