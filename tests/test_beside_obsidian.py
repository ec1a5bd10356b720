"""Small things for a person who lives in the vault with Obsidian: ticks, names, titles, people, neighbours, links."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
import yaml
from conftest import Answer, Command
from helpers import contents, memory, note, states

from vault_mem import Vault
from vault_mem.cli.console import Console
from vault_mem.cli.main import run
from vault_mem.notes import checklist
from vault_mem.notes.checklist import Proposal
from vault_mem.visible import shows_links

KILN, GLAZE = "mem_00000000000a", "mem_00000000000b"


@pytest.fixture
def eager(cli: Command) -> Command:
    cli.run("config", "set", "quiet_seconds", "0")
    return cli


@pytest.mark.parametrize(
    "ticked",
    [
        "{line} ✅ 2026-11-16",
        "{line} [completion:: 2026-11-16]",
        "{head} ✅ 2026-11-16 {block}",
        "{head} (completion:: 2026-11-16) {block}",
        "{line} ✅2026-11-16  ",
    ],
)
def test_a_tick_that_a_plugin_completed_counts(eager: Command, root: Path, ticked: str) -> None:
    # O-4, T-7: as Tasks and Dataview leave the line
    memory(root, "memories/one.md", KILN, "The winch on the north pier was repaired by Ewan")
    memory(root, "memories/two.md", GLAZE, "The winch on the north pier was repaired by Ewan.")
    eager.run("consolidate", "--all")
    review = root / "REVIEW.md"
    (line,) = [each for each in review.read_text().splitlines() if each.startswith("- [ ]")]
    done = line.replace("- [ ]", "- [x]", 1)
    head, _, block = done.rpartition(" ")
    after = ticked.format(line=done, head=head, block=block)
    review.write_text(review.read_text().replace(line, after))
    eager.run("status")
    assert len(list((root / "memories").rglob("*.md"))) == 1
    assert "## Done" in review.read_text()


def test_what_else_stands_behind_a_proposal_makes_it_none() -> None:
    line = Proposal("close", (KILN,), "close it", "00000000").line()
    assert checklist.read(f"{line} ✅ 2026-11-16")
    assert not checklist.read(f"{line} and more")


def test_publish_gives_back_name_and_folder(eager: Command, root: Path) -> None:
    # P-2: and what a person sees of links to it stays
    memory(root, "memories/Garage/Gutter.md", KILN, "The gutter leaks at the corner.")
    memory(root, "memories/Roof.md", GLAZE, "The roof is tight.", 'links: ["[[Gutter|Gutter · related]]"]')
    eager.run("private", KILN)
    assert (root / f"private/{KILN}.md").exists()
    answer = eager.json("publish", KILN)
    assert answer["memory"]["path"] == "memories/Garage/Gutter.md"
    assert "was" not in (root / "memories/Garage/Gutter.md").read_text().split("---")[1]


def test_publish_takes_no_name_that_somebody_has_by_now(eager: Command, root: Path) -> None:
    memory(root, "memories/Garage/Gutter.md", KILN, "The gutter leaks at the corner.")
    eager.run("private", KILN)
    note(root, "House/Gutter.md", "Another gutter.\n")
    assert eager.json("publish", KILN)["memory"]["path"].endswith("-00000000.md")


def test_heal_keeps_the_words_people_see(eager: Command, root: Path) -> None:
    # V-5: a sentence reads as before, an embed and a property need no words, a name of ours is none
    memory(root, "memories/Gutter.md", KILN, "The gutter leaks.")
    text = (
        "I cleaned the [[Gutter]] and [[Gutter#Tools]]. ![[Gutter]] [[Gutter|it]] [g](Gutter.md)\n\n| a |\n| - |\n"
        "| [[Gutter]] |\n"
    )
    path = memory(root, "memories/Day.md", GLAZE, text, 'up: "[[Gutter]]"')
    eager.run("status")
    (root / "memories/Gutter.md").rename(root / "memories/Rain pipe.md")
    eager.run("status")
    after = path.read_text()
    assert "I cleaned the [[Rain pipe|Gutter]] and [[Rain pipe#Tools|Gutter > Tools]]." in after
    assert "![[Rain pipe]] [[Rain pipe|it]] [g](Rain%20pipe.md)" in after
    assert "| [[Rain pipe\\|Gutter]] |" in after
    assert 'up: "[[Rain pipe]]"' in after


def test_the_title_is_an_alias_where_the_name_is_ours(cli: Command, root: Path) -> None:
    # Obsidian finds and shows it by that; to us it is no other name
    plain = cli.json("remember", "Bisque firing is done.")["memory"]
    assert "aliases" not in (root / plain["path"]).read_text()  # nobody opens this vault in Obsidian yet
    note(root, ".obsidian/app.json", "{}")
    saved = cli.json("remember", "The kiln reaches cone six. It took nine hours.")["memory"]
    path = root / saved["path"]
    assert "aliases:\n  - The kiln reaches cone six\n" in path.read_text()
    assert "aliases" not in cli.json("show", saved["id"])
    cli.json("edit", saved["id"], "--content", "-", stdin="The kiln reaches cone ten. It took a night.\n")
    assert "aliases:\n  - The kiln reaches cone ten\n" in path.read_text()
    fresh = cli.json("remember", "The slip fits the clay. It took weeks.")["memory"]
    path = root / fresh["path"]
    path.write_text(path.read_text().replace("The slip fits the clay. It", "The slip suits the clay. It"))
    assert "aliases" not in cli.json("show", fresh["id"])  # changed by hand: what it was called is no other name
    private = cli.json("remember", "A thought of my own.", "--private")["memory"]
    assert "aliases:\n  - A thought of my own\n" in (root / private["path"]).read_text()
    cli.run("config", "set", "title_aliases", "false")
    other = cli.json("remember", "The glaze is too thin.")["memory"]
    assert "aliases" not in (root / other["path"]).read_text()


def test_an_alias_that_a_person_wrote_stays(cli: Command, root: Path) -> None:
    # S-8
    path = memory(root, "memories/kiln.md", KILN, "The kiln reaches cone six.", "aliases: [The beast]")
    cli.json("edit", KILN, "--content", "-", stdin="The kiln reaches cone ten.\n")
    assert "aliases: [The beast]" in path.read_text()
    assert cli.json("show", KILN)["aliases"] == ["The beast"]


def test_people_are_links_where_there_is_such_a_note(cli: Command, root: Path) -> None:
    # a setting; nobody private is named, and filters know them by name
    note(root, "People/Marit.md", "Marit lives in Bergen.\n")
    note(root, "private/Noor.md", "Noor is ill.\n")
    cli.run("config", "set", "people_links", "true")
    people = ["--person", "Marit", "--person", "Wei", "--person", "Noor"]
    saved = cli.json("remember", "Lunch by the water.", *people)["memory"]
    text = (root / saved["path"]).read_text()
    assert 'people:\n  - "[[Marit]]"\n  - Wei\n  - Noor\n' in text
    assert cli.json("show", saved["id"])["people"] == ["Marit", "Wei", "Noor"]
    assert cli.json("list", "--person", "Marit")["total"] == 1
    cli.run("config", "set", "people_links", "false")
    plain = cli.json("remember", "Coffee on the pier.", "--person", "Marit")["memory"]
    assert "[[Marit]]" not in (root / plain["path"]).read_text()


def test_similar_for_any_note_of_the_vault(cli: Command, root: Path) -> None:
    # as Smart Connections shows it beside an open note: own notes too, nothing written
    memory(root, "memories/kiln.md", KILN, "The kiln reaches cone six after nine hours of firing.")
    memory(root, "memories/tea.md", GLAZE, "Kaya drinks roasted tea in the afternoon.")
    memory(root, "private/mem_00000000000c.md", "mem_00000000000c", "I broke the kiln shelf while firing.")
    own = note(root, "Projects/Firing plan.md", "How to fire the kiln: slowly, to cone six.\n")
    before = states(root)
    for name in ("Projects/Firing plan.md", "Firing plan", "[[Firing plan]]", str(own)):
        answer = cli.json("similar", name, "-n", "2")
        assert answer["note"] == "Projects/Firing plan.md"
        assert {each["id"] for each in answer["results"]} == {KILN, "mem_00000000000c"}
    assert [each["id"] for each in cli.json("similar", KILN, "-n", "1")["results"]] == ["mem_00000000000c"]
    assert "Most similar to Projects/Firing plan.md:\n1. [2026-11-01] " in cli.run("similar", "Firing plan").out
    assert states(root) == before
    assert cli.run("similar", "Nothing of that name").code == 4
    assert cli.run("similar", "../elsewhere.md").code == 4
    assert cli.run("similar", "Firing plan", "-n", "0").code == 2


def test_similar_in_the_library(root: Path, env: dict[str, str]) -> None:
    memory(root, "memories/kiln.md", KILN, "The kiln reaches cone six after nine hours of firing.")
    note(root, "Firing.md", "Fire the kiln slowly.\n")
    with Vault(root, env=env) as vault:
        assert [found.memory.id for found in vault.similar("Firing")] == [KILN]


def on_a_terminal(cli: Command, *arguments: str, links: bool = True) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    console = Console(cli.cwd, cli.env, io.BytesIO(), out, err, shows_links=links)
    return Answer(run(list(arguments), console), out.getvalue(), err.getvalue())


def test_ids_lead_to_obsidian_on_a_terminal_that_shows_links(cli: Command, root: Path) -> None:
    # U-2, S-5: in a vault of Obsidian's; a pipe and JSON stay as they are
    memory(root, "memories/A kiln & more.md", KILN, "The kiln reaches cone six \x1b]8;;http://evil\x1b\\.")
    assert "\x1b" not in on_a_terminal(cli, "recall", "kiln").out
    note(root, ".obsidian/app.json", "{}")
    out = on_a_terminal(cli, "recall", "kiln").out
    place = re.escape(str(root).replace("/", "%2F"))
    assert re.search(rf"\x1b\]8;;obsidian://open\?path={place}%2Fmemories%2FA%20kiln%20%26%20more\.md\x1b", out)
    assert out.count("\x1b") == 4  # one link, and nothing of the note
    assert "\x1b" not in on_a_terminal(cli, "recall", "kiln", "--json").out
    assert "\x1b" not in cli.run("recall", "kiln").out


@pytest.mark.parametrize(
    ("env", "shown"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, True),
        ({"VTE_VERSION": "7600"}, True),
        ({"VTE_VERSION": "4600"}, False),
        ({"KITTY_WINDOW_ID": "1"}, True),
        ({"FORCE_HYPERLINK": "1"}, True),
        ({"FORCE_HYPERLINK": "0", "WT_SESSION": "x"}, False),
        ({"TERM": "dumb", "WT_SESSION": "x"}, False),
        ({"TERM": "xterm-256color"}, False),
    ],
)
def test_which_terminals_show_links(env: dict[str, str], shown: bool) -> None:
    assert shows_links(env) is shown


def test_the_base_has_no_blank_columns_or_groups(tmp_path: Path, env: dict[str, str]) -> None:
    # O-6: what is not written because it is the default stands there all the same, and titles instead of cut names
    Vault.init(tmp_path / "v", env=env, obsidian=True)
    document = yaml.safe_load((tmp_path / "v/memories.base").read_text())
    assert {"memory", "category", "kind", "importance"} <= set(document["formulas"])
    for view in document["views"]:
        assert view["order"][0] == "formula.memory"
        assert not {"category", "kind", "importance", "file.name"} & set(view["order"])
        assert view.get("groupBy", {"property": "note.people"})["property"] in ("formula.category", "note.people")
    (people,) = [view for view in document["views"] if view["name"] == "People"]
    assert "!people.isEmpty()" in people["filters"]["and"]


def test_nothing_of_this_is_written_into_a_note_that_has_it(eager: Command, root: Path) -> None:
    # V-4: adoption writes neither alias nor people
    note(root, "memories/Kiln.md", "---\npeople: [Marit]\n---\nThe kiln reaches cone six.\n")
    eager.run("config", "set", "people_links", "true")
    eager.run("status")
    text = contents(root)["memories/Kiln.md"].decode()
    assert "aliases" not in text and "people: [Marit]" in text
