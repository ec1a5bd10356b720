"""The eight views of the page in a real browser, on a copy of the sample vault; changes, undo and what arrives live."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from daemons import wait_for
from helpers import aged
from helpers import memory as write_memory

from vault_mem import Vault
from web.browsing import Site, browsing, chromium, serving, tab_on, view

ORDERED = "memories/2026-09/marit-ordered-24-9d89c14d.md"
O_RING = "mem_3c135e765c4f"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    chromium()
    with serving(tmp_path_factory.mktemp("web")) as site:
        yield site


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def shared_tab(site: Site, browser: Any) -> Iterator[Any]:
    with tab_on(site, browser, reduced_motion="reduce") as tab:
        yield tab


@pytest.fixture
def tab(shared_tab: Any) -> Any:
    view(shared_tab, "health")
    return shared_tab


def ask(tab: Any, question: str) -> None:
    view(tab, "ask")
    tab.get_by_role("searchbox", name="Your question").fill(question)
    tab.locator("main .status", has_text="the likeliest answer first").wait_for()


def test_ask_shows_the_answer_and_why(tab: Any) -> None:  # U-4
    ask(tab, "which O-ring for the logger cap")
    first = tab.locator(".card").first
    assert first.get_by_role("heading").inner_text() == "The O-ring for the logger cap is now BX-4407V"
    assert "% likely" in first.inner_text()
    assert first.get_by_role("button", name="Only with Onishi").is_visible()
    first.get_by_text("Why this one?").click()
    assert first.get_by_role("term").first.inner_text() in {"words", "meaning", "the passage"}
    # the answering part stands out of a longer memory
    assert tab.locator("mark").count() > 0


def test_the_first_view_asks_for_nothing_more(site: Site, browser: Any) -> None:
    """What it shows came with the page."""
    with tab_on(site, browser) as tab:
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url.rpartition("/api/")[2]))
        tab.reload()
        tab.wait_for_selector(".card")
        tab.get_by_text("Live", exact=True).wait_for()
        assert [each for each in asked if not each.startswith("http")] == ["events"]


def test_who_goes_on_at_once_is_not_called_back(site: Site, browser: Any) -> None:
    """A view puts itself into the address; one that was just left, but has not heard of it yet, must not."""
    at_once = """new MutationObserver((_, self) => {
      if (!document.querySelector("main h1")) return
      self.disconnect()
      history.pushState(null, "", "#/timeline") // a busy browser tells of a new address later
      setTimeout(() => dispatchEvent(new HashChangeEvent("hashchange")), 400)
    }).observe(document, { subtree: true, childList: true })"""
    with tab_on(site, browser) as tab:
        tab.add_init_script(at_once)
        tab.route("**/api/events", lambda _: None)  # nothing else makes the page look where it is
        tab.goto(tab.url.partition("#")[0])
        tab.get_by_role("heading", level=1, name="Timeline").wait_for()
        assert tab.url.partition("#")[2].startswith("/timeline")


def test_filters_are_in_the_address(tab: Any) -> None:
    ask(tab, "Bergen")
    tab.get_by_text("Filters", exact=True).click()
    tab.get_by_label("Kind").select_option("task")
    tab.wait_for_function(
        "() => document.querySelector('.card .kind .k-task') && !document.querySelector('.card .kind .k-event')"
    )
    assert "kind=task" in tab.url
    tab.get_by_role("button", name="Remove all filters").click()
    tab.wait_for_selector(".card .kind .k-event")
    assert "kind=" not in tab.url


def test_why_not_this_one(tab: Any) -> None:
    ask(tab, "which O-ring for the logger cap")
    tab.get_by_role("textbox", name="Words of the memory, or its id").fill("Kaya wants her mails short")
    tab.get_by_role("button", name="Look").click()
    tab.get_by_role("button", name="Kaya wants her mails short").click()
    tab.get_by_text(re.compile("Others answer better|too far from the question")).wait_for()


def unfenced(text: str) -> list[str]:
    """The words of an answer; what it is fenced with is drawn by lot."""
    return re.sub(r"</?[a-z]{6}>", " ", text).split()


def test_the_agent_sees_what_its_tool_answers(tab: Any, site: Site) -> None:
    view(tab, "agent")
    sent = tab.get_by_role("region", name="What is sent")
    with Vault(site.root, env=site.cli.env) as vault:
        wake_up = next(tool for tool in vault.as_tools("core", public_only=True) if tool.__name__ == "wake_up")
        assert unfenced(sent.inner_text()) == unfenced(wake_up(budget=1500))
    tab.get_by_role("slider").fill("300")
    tab.wait_for_function("() => document.querySelector('.tokens').innerText.includes('of 300')")
    wait_for(lambda: 0 < int(tab.locator(".tokens b").inner_text().replace(",", "").replace("–", "0")) <= 300)
    tab.get_by_role("radio", name="Recall").check()
    tab.get_by_role("searchbox").fill("眼鏡")
    wait_for(lambda: "眼鏡" in (sent.inner_text() if sent.count() else ""))


def test_timeline_as_it_was(tab: Any) -> None:
    view(tab, "timeline")
    struck = tab.locator("li", has=tab.locator("s", has_text="The O-ring for the logger cap is BX-4407"))
    assert "replaced by The O-ring for the logger cap is now BX-4407V" in struck.inner_text()
    assert tab.get_by_role("img", name=re.compile("How it felt from")).is_visible()
    # in July nobody knew of the new one
    view(tab, "timeline?as_of=2026-07-15")
    tab.get_by_text("as it was true on 15 Jul 2026").wait_for()
    tab.locator("a", has_text="The O-ring for the logger cap is BX-4407").wait_for()
    wait_for(lambda: not tab.locator("s").count())
    tab.get_by_text("November 2026").wait_for(state="detached")
    tab.get_by_role("radio", name="Year").check()
    tab.get_by_role("heading", name=re.compile("^2026 ?12 memories")).wait_for()


def test_graph_by_keyboard(tab: Any) -> None:
    view(tab, f"graph?around={O_RING}")
    canvas = tab.get_by_role("application")
    tab.wait_for_selector("canvas[data-settled=true]")
    canvas.focus()
    canvas.press("ArrowRight")
    chosen = tab.locator(".graph-card .title")
    assert chosen.inner_text() == "The O-ring for the logger cap is now BX-4407V"
    assert "BX-4407V, fact" in tab.get_by_role("status").first.inner_text()
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
        canvas.press(key)
    assert chosen.inner_text()
    title = chosen.inner_text()
    canvas.press("Enter")
    tab.get_by_role("heading", level=1, name=title).wait_for()


def test_graph_as_a_list_and_as_clusters(tab: Any) -> None:
    view(tab, "graph")
    tab.wait_for_selector("canvas[data-settled=true]")
    tab.get_by_text("The same as a list").click()
    tab.get_by_role("link", name="Marit ordered 24 loggers for the Bergen pilot").wait_for()
    tab.get_by_role("button", name="Zoom in").click()
    tab.get_by_role("button", name="Show all").click()


def proposals(site: Site) -> list[dict[str, Any]]:
    return site.cli.json("review", "list")["proposals"]


def test_review_and_the_file_agree(tab: Any, site: Site) -> None:
    site.cli.run(
        "remember",
        "定例会議は毎週金曜の10時に変わった。出るのは佳也と井部さんの二人で、場所は工房の二階のまま。",
        "--kind",
        "fact",
    )
    wait_for(lambda: len(proposals(site)) >= 2)
    review = site.root / "REVIEW.md"
    view(tab, "review")
    cards = tab.get_by_role("article")
    wait_for(lambda: cards.count() == len(proposals(site)))
    before = cards.count()
    tab.locator("article del").first.wait_for()
    tab.locator("article ins").first.wait_for()
    # later: nothing is written
    text = review.read_text(encoding="utf-8")
    cards.first.get_by_role("button", name="Later").click()
    tab.get_by_role("button", name="Decide now").click()
    assert review.read_text(encoding="utf-8") == text
    # no, and the way back
    cards.first.get_by_role("button", name="No").click()
    wait_for(lambda: cards.count() == before - 1 == len(proposals(site)))
    tab.get_by_role("button", name="Undo").click()
    wait_for(lambda: cards.count() == before == len(proposals(site)))
    # no, in an editor: the page follows
    review.write_text(text.replace("- [ ]", "- [-]", 1), encoding="utf-8")
    aged(review)
    site.cli.run("status")
    wait_for(lambda: cards.count() == before - 1 == len(proposals(site)))


def test_history_undoes_what_the_page_did(tab: Any, site: Site) -> None:
    before = (site.root / ORDERED).read_bytes()
    site.cli.run("tag", "mem_9d89c14dd60e", "+pilot")
    view(tab, "history")
    first = tab.locator(".ops > li", has_text="Tagged").first
    first.get_by_text(re.compile("files?$")).click()
    first.locator(".diff .plus", has_text="- pilot").wait_for()
    first.get_by_role("button", name=re.compile("Undo: Tagged")).click()
    wait_for(lambda: (site.root / ORDERED).read_bytes() == before)
    tab.locator(".ops > li", has_text="taken back").first.wait_for()


def test_health_names_the_command_that_helps(tab: Any, site: Site) -> None:
    broken = site.root / "memories" / "2026-11" / "broken.md"
    broken.write_text("---\nid: [\n---\nNot readable.\n", encoding="utf-8")
    tab.get_by_text("broken.md").first.wait_for()
    broken.unlink()
    tab.get_by_text("All is well").wait_for()
    assert (
        tab.locator("dl", has_text="Index size").inner_text().count("MB")
        + tab.locator(".figures").inner_text().count("kB")
        > 0
    )
    assert tab.get_by_role("heading", name="Growth by month").is_visible()
    assert tab.locator(".cmd code").count() + tab.locator(".figure code").count() > 0


def test_edit_in_place_and_undo(tab: Any, site: Site) -> None:
    path = site.root / ORDERED
    before = path.read_text(encoding="utf-8")
    view(tab, "memory/mem_9d89c14dd60e")
    tab.get_by_role("button", name="Edit", exact=True).click()
    area = tab.get_by_role("textbox", name=re.compile("The whole note"))
    assert area.input_value() == before
    area.fill(before.replace("in the boat shed", "in the new boat shed"))
    tab.get_by_role("button", name="Save", exact=True).click()
    tab.get_by_text("in the new boat shed").first.wait_for()
    assert "in the new boat shed" in path.read_text(encoding="utf-8")
    tab.get_by_role("button", name="Undo").click()
    wait_for(lambda: path.read_text(encoding="utf-8") == before)


def test_a_conflict_shows_both_texts(tab: Any, site: Site) -> None:
    path = site.root / "memories/2026-06/short-mails-47628efd.md"
    before = path.read_text(encoding="utf-8")
    view(tab, "memory/mem_47628efd")
    heading = tab.get_by_role("heading", level=1).inner_text()
    assert heading == "Kaya wants her mails short"
    tab.get_by_role("button", name="Edit", exact=True).click()
    area = tab.get_by_role("textbox", name=re.compile("The whole note"))
    area.fill(before.rstrip() + " Written here.\n")
    path.write_text(before.rstrip() + " Written elsewhere.\n", encoding="utf-8")
    tab.get_by_text("has just been changed elsewhere").wait_for()
    tab.get_by_role("button", name="Save", exact=True).click()
    clash = tab.get_by_role("alert")
    clash.wait_for()
    assert "Written elsewhere." in clash.inner_text()
    assert "Written here." in clash.inner_text()
    assert "Written here." not in path.read_text(encoding="utf-8")
    clash.get_by_role("button", name="Save mine").click()
    wait_for(lambda: "Written here." in path.read_text(encoding="utf-8"))
    assert "elsewhere" not in path.read_text(encoding="utf-8")


def test_a_new_memory_and_what_the_guard_says(tab: Any, site: Site) -> None:
    view(tab, "new")
    text = tab.get_by_role("textbox", name="What should be remembered?")
    text.fill(site.cli.json("show", O_RING)["content"])
    verdict = tab.locator("#verdict")
    verdict.get_by_text("This repeats a memory").wait_for()
    assert verdict.get_by_role("link", name="The O-ring for the logger cap is now BX-4407V").first.is_visible()
    text.fill("The harbour crane at Onomichi is painted yellow since Friday.")
    verdict.get_by_text("New.").wait_for()
    tab.get_by_label("Tags").fill("harbour, onomichi")
    tab.get_by_role("button", name="Save", exact=True).click()
    tab.get_by_role("heading", level=1, name=re.compile("The harbour crane")).wait_for()
    texts = [each.read_text(encoding="utf-8") for each in Path(site.root, "memories").rglob("*.md")]
    (saved,) = [text for text in texts if "harbour crane" in text]
    assert "  - onomichi" in saved


def test_what_happens_elsewhere_appears(tab: Any, site: Site) -> None:
    view(tab, "ask?tag=birds")
    text = "A pelican sat on the third raft."
    pelican = write_memory(site.root, "memories/2026-11/pelican.md", "mem_00000000abcd", text, "tags: [birds]")
    heading = tab.get_by_role("heading", name=text[:-1])
    heading.wait_for()
    pelican.unlink()
    heading.wait_for(state="detached")


def test_the_way_through_by_keyboard(tab: Any) -> None:
    view(tab, "ask")
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.type") == "search"
    tab.get_by_role("link", name="Skip to the content").focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"
    tab.get_by_role("link", name="Timeline").focus()
    tab.keyboard.press("Enter")
    wait_for(
        lambda: tab.evaluate("document.activeElement.tagName + document.activeElement.textContent") == "H1Timeline"
    )
