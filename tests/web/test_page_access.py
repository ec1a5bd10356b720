"""For everybody: both languages, screen readers, small screens. And nothing private before it is switched on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import memory as write_memory

from web.browsing import Site, browsing, chromium, serving, tab_on, view

axe = pytest.importorskip("axe_playwright_python", reason="axe-core is not installed: make test-web")

CANARY = "quokka4711"
O_RING = "mem_3c135e765c4f"
VIEWS = ["ask?q=O-ring", "agent", "timeline", f"graph?around={O_RING}", "review", "history", "health", "new"]
VIEWS.append(f"memory/{O_RING}")
NAMES = re.compile(r"#\w+|Kaya|Fumie|Soma|Ewan|Onishi|Ibe|Marit|vault-mem.*|Obsidian")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    chromium()
    with serving(tmp_path_factory.mktemp("web")) as site:
        changed = "定例会議は毎週金曜の10時に変わった。出るのは佳也と井部さんの二人で、場所は工房の二階のまま。"
        site.cli.run("remember", changed, "--kind", "fact")
        secret = f"The {CANARY} lives in a cupboard that nobody opens."
        site.cli.run("remember", "-", "--private", "--tag", CANARY, "--person", CANARY, stdin=secret)
        hostile = "<img src=x onerror=alert(1)> <script>alert(2)</script>"
        write_memory(site.root, "memories/2026-11/hostile.md", "mem_00000000beef", hostile)
        yield site


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as browser:
        yield browser


def violations(tab: Any) -> list[str]:
    found = tab.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [f"{each['id']}: {[node['html'][:160] for node in each['nodes'][:3]]}" for each in found]


@pytest.mark.parametrize(("locale", "theme", "asked"), [("en-GB", "light", "Ask"), ("ja-JP", "dark", "たずねる")])
def test_accessible_in_both_languages(site: Site, browser: Any, locale: str, theme: str, asked: str) -> None:  # U-4
    """axe-core finds nothing to complain about, in any view; and every view is in the browser's language."""
    source = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    with tab_on(site, browser, locale=locale, color_scheme=theme, reduced_motion="reduce") as tab:
        assert tab.get_by_role("heading", level=1).inner_text() == asked
        tab.evaluate(source)
        for name in VIEWS:
            view(tab, name)
            if "graph" in name:
                tab.wait_for_selector("canvas[data-settled=true]")
            tab.locator("details").evaluate_all("(all) => all.forEach((each) => { each.open = true })")
            assert violations(tab) == [], name
            assert tab.evaluate("document.documentElement.lang") == locale[:2]
            if locale == "ja-JP":
                said = tab.locator("main button, main label, main legend, main summary").all_inner_texts()
                english = [text for text in said if re.search(r"[A-Za-z]{4}", NAMES.sub("", text))]
                assert [text for text in english if not re.search(r"[ぁ-んァ-ヶ一-龠]", text)] == [], name


def test_the_language_can_be_switched_and_stays(site: Site, browser: Any) -> None:
    with tab_on(site, browser) as tab:
        tab.get_by_role("radio", name="日本語").check()
        tab.get_by_role("heading", level=1, name="たずねる").wait_for()
        tab.reload()
        tab.get_by_role("heading", level=1, name="たずねる").wait_for()


def test_fits_a_small_screen(site: Site, browser: Any) -> None:
    with tab_on(site, browser, viewport={"width": 360, "height": 740}, reduced_motion="reduce") as tab:
        for name in VIEWS:
            view(tab, name)
            assert tab.evaluate("document.documentElement.scrollWidth") <= 360, name


def test_private_memories_are_nowhere_until_they_are_switched_on(site: Site, browser: Any) -> None:
    """Neither on the page nor on the wire; then they are there, and the page says so all the time; then gone again."""
    with tab_on(site, browser, reduced_motion="reduce") as tab:
        wire: list[str] = []

        def heard(answer: Any) -> None:
            if "/api/" in answer.url and "events" not in answer.url:
                wire.append(answer.text().replace(f'"query":"{CANARY}"', ""))

        tab.on("response", heard)
        everywhere = [*VIEWS, f"ask?q={CANARY}", "ask?q=cupboard", "agent?what=recall&q=cupboard", "graph"]

        def look(names: list[str]) -> bool:
            shown = ""
            for name in names:
                view(tab, name)
                tab.locator("details").evaluate_all("(all) => all.forEach((each) => { each.open = true })")
                shown += tab.locator("main").inner_html()
            return CANARY in shown + "".join(wire)

        assert not look(everywhere)
        assert not tab.get_by_text("Private memories are shown").count()
        tab.get_by_role("switch").check()
        tab.get_by_role("region", name="Private").wait_for()
        assert look(["ask?q=cupboard"])
        for name in VIEWS:
            view(tab, name)
            assert tab.get_by_text("Private memories are shown in this tab.").first.is_visible()
            assert tab.title().startswith("● Private")
        view(tab, "ask?q=cupboard")
        tab.get_by_text(re.compile(CANARY)).first.wait_for()
        tab.get_by_role("button", name="Hide them").click()
        tab.get_by_role("region", name="Private").wait_for(state="detached")
        tab.wait_for_function("(word) => !document.documentElement.outerHTML.includes(word)", arg=CANARY)
        wire.clear()
        assert not look(everywhere)


def test_another_tab_does_not_see_what_one_has_switched_on(site: Site, browser: Any) -> None:
    with tab_on(site, browser) as one:
        one.get_by_role("switch").check()
        one.get_by_role("region", name="Private").wait_for()
        other = one.context.new_page()
        other.goto(one.url)
        other.wait_for_selector("main h1")
        assert not other.get_by_role("switch").is_checked()
        assert not other.get_by_role("region", name="Private").count()


def test_hostile_text_stays_text(site: Site, browser: Any) -> None:
    with tab_on(site, browser) as tab:
        tab.on("dialog", lambda dialog: pytest.fail("a script of a note has run"))
        for name in ("memory/mem_00000000beef", "ask?q=onerror", "timeline?by=day"):
            view(tab, name)
        assert not tab.locator("main img").count()
        assert not tab.locator("main script").count()


def test_everything_comes_from_this_machine(site: Site, browser: Any) -> None:
    with tab_on(site, browser) as tab:
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.reload()
        tab.wait_for_selector("main h1")
        assert asked
        assert all(url.startswith(tab.url.split("#")[0]) for url in asked)


def test_a_vault_that_cannot_be_read_says_why(site: Site, browser: Any) -> None:
    settings = site.root / "vault-mem.toml"
    before = settings.read_text(encoding="utf-8")
    tab = browser.new_page(locale="en-GB")
    try:
        settings.write_text(f"{before}\nversion = [\n", encoding="utf-8")
        tab.goto(site.address())
        tab.get_by_role("alert").filter(has_text="vault-mem.toml").wait_for()
    finally:
        settings.write_text(before, encoding="utf-8")
    tab.get_by_role("heading", level=1, name="Ask").wait_for()  # as soon as it can be read again
    tab.close()
