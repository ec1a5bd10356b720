"""graph: the links around a memory, and the shape of a vault."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory, no_longer_than, note, states

from vault_mem import Vault


def id_of(number: int) -> str:
    return f"mem_{number:08x}0000"


def build(root: Path, links: dict[int, list[str]], count: int, private: tuple[int, ...] = ()) -> None:
    """Memories 0 … count-1, called n0, n1, …; `links` are items of their `links` list."""
    for number in range(count):
        items = ", ".join(f'"{item}"' for item in links.get(number, []))
        folder = "private" if number in private else "memories"
        memory(root, f"{folder}/n{number}.md", id_of(number), f"Note number {number}", f"links: [{items}]")


@pytest.fixture
def chain(root: Path) -> Path:
    """0 → 1 → 2 → 3, and 4 apart; 2 is private; 1 also names 3 in its text, and 5 nowhere."""
    build(
        root,
        {
            0: ["[[n1|N · caused_by 0.80]]"],
            2: ["[[n1|N · similar 0.90]]", "[[n3]]"],
        },
        5,
        private=(2,),
    )
    memory(root, "memories/n1.md", id_of(1), "Note number 1, see [[n3]] and [[Nobody]]")
    return root


def arcs(answer: dict) -> set[tuple[str, str, str, float | None]]:
    return {(each["source"], each["target"], each["type"], each["confidence"]) for each in answer["links"]}


def test_around_a_memory(cli: Command, chain: Path) -> None:
    # V-3: types, confidence, both directions; wikilinks in a text are related links
    before = states(chain)
    answer = cli.json("graph", id_of(1))
    assert answer["centre"] == id_of(1)
    assert {each["id"]: each["depth"] for each in answer["nodes"]} == {
        id_of(1): 0,
        id_of(0): 1,
        id_of(2): 1,
        id_of(3): 1,
    }
    assert {each["id"]: each["private"] for each in answer["nodes"]}[id_of(2)] is True
    assert arcs(answer) == {
        (id_of(1), id_of(0), "leads_to", 0.8),
        (id_of(1), id_of(2), "similar", 0.9),
        (id_of(1), id_of(3), "related", None),
        (id_of(2), id_of(3), "related", None),
    }
    assert states(chain) == before


def test_the_depth(cli: Command, chain: Path) -> None:
    with no_longer_than(60):
        depths = {
            depth: {each["id"]: each["depth"] for each in cli.json("graph", id_of(0), "--depth", str(depth))["nodes"]}
            for depth in (1, 2, 10**20)
        }
    assert depths[1] == {id_of(0): 0, id_of(1): 1}
    assert depths[2] == depths[10**20] == {id_of(0): 0, id_of(1): 1, id_of(2): 2, id_of(3): 2}
    text = cli.run("graph", id_of(0), "--depth", "2").out
    assert text.splitlines()[:2] == [
        f"Note number 0 ({id_of(0)})",
        f"  -[caused_by 0.80]-> Note number 1, see n3 and Nobody ({id_of(1)})",
    ]
    assert f"    -[similar 0.90]-> Note number 2 ({id_of(2)}, private) from {id_of(1)}\n" in text
    assert text.endswith("3 memories, 4 links.\n")


def test_the_whole_vault(cli: Command, chain: Path) -> None:
    answer = cli.json("graph")
    assert (answer["memories"], answer["links"], answer["components"]) == (5, 4, 1)
    assert answer["types"] == {"related": 2, "caused_by": 1, "similar": 1}
    assert [each["id"] for each in answer["orphans"]["top"]] == [id_of(4)]
    assert [(each["id"], each["target"]) for each in answer["dangling"]["top"]] == [(id_of(1), "Nobody")]
    assert (answer["hubs"][0]["id"], answer["hubs"][0]["links"]) == (id_of(1), 3)
    text = cli.run("graph").out
    assert text.startswith("5 memories, 4 links (2 related, 1 caused_by, 1 similar).\n")
    assert f"\nOrphans: 1\n- Note number 4 ({id_of(4)})\n" in text
    assert f"\nDangling links: 1\n- [[Nobody]] in Note number 1, see n3 and Nobody ({id_of(1)})\n" in text
    assert "\nBridges: none\n" in text


def test_an_empty_vault(cli: Command) -> None:
    answer = cli.run("graph")
    assert answer.code == 0
    assert answer.out.startswith("0 memories, 0 links.\n")


@pytest.mark.parametrize("options", [["--json"], ["--dot"], ["--mermaid"], []])
@pytest.mark.parametrize("centre", [[], [id_of(1), "--depth", "3"]])
def test_public_only(cli: Command, chain: Path, options: list[str], centre: list[str]) -> None:
    # P-3: what may be pasted elsewhere
    answer = cli.run("graph", *centre, *options, "--public-only")
    assert answer.code == 0
    assert id_of(3) in answer.out
    assert id_of(2) not in answer.out
    assert "number 2" not in answer.out
    assert cli.run("graph", id_of(2), "--public-only").code == 2


def test_drawings(cli: Command, root: Path) -> None:
    memory(
        root,
        "memories/a.md",
        id_of(1),
        "Text",
        'title: "A \\"quoted\\" #1 \\\\ title"',
        'links: ["[[b|B · caused_by]]"]',
    )
    memory(root, "memories/b.md", id_of(2), "鷺")
    memory(root, "memories/c.md", id_of(3), "[[b]]")
    assert cli.run("graph", "--dot").out == (
        "digraph memories {\n  node [shape=box];\n"
        f'  {id_of(1)} [label="A \\"quoted\\" #1 \\\\ title"];\n  {id_of(2)} [label="鷺"];\n  {id_of(3)} [label="b"];\n'
        f'  {id_of(1)} -> {id_of(2)} [label="caused_by"];\n'
        f'  {id_of(2)} -> {id_of(3)} [label="related", dir=none];\n}}\n'
    )
    assert cli.run("graph", id_of(1), "--mermaid").out == (
        f'graph LR\n  {id_of(1)}["A #quot;quoted#quot; #35;1 \\ title"]\n  {id_of(2)}["鷺"]\n'
        f'  {id_of(1)} -->|"caused_by"| {id_of(2)}\n'
    )


@pytest.mark.parametrize(
    "arguments", [["--dot", "--mermaid"], ["--dot", "--json"], ["--depth", "2"], ["x", "--depth", "0"]]
)
def test_options_that_do_not_fit(cli: Command, arguments: list[str]) -> None:
    assert cli.run("graph", *arguments).code == 2


def test_who_is_not_there(cli: Command, root: Path) -> None:
    assert cli.run("graph", "mem_0000").code == 4
    cli.run("config", "set", "include", "notes/**")
    note(root, "notes/n.md", f"---\nid: {id_of(9)}\n---\nAn included note")
    assert cli.run("graph", id_of(9)).code == 2


def test_clusters_and_bridges(cli: Command, root: Path) -> None:
    # two rings of five, held together by one link
    links = {number: [f"[[n{(number + step) % 5}]]" for step in (1, 2)] for number in range(5)}
    links |= {5 + number: [f"[[n{5 + (number + step) % 5}]]" for step in (1, 2)] for number in range(5)}
    links[0].append("[[n7|N · leads_to]]")
    build(root, links, 10)
    answer = cli.json("graph")
    assert sorted(sorted(each["ids"]) for each in answer["clusters"]["top"]) == [
        [id_of(number) for number in range(5)],
        [id_of(number) for number in range(5, 10)],
    ]
    assert answer["components"] == 1
    (bridge,) = answer["bridges"]["top"]
    assert (bridge["source"], bridge["target"], bridge["type"], bridge["smaller"]) == (
        id_of(0),
        id_of(7),
        "leads_to",
        5,
    )
    assert (
        f"Note number 0 ({id_of(0)}) -[leads_to]-> Note number 7 ({id_of(7)}), the only link to 5 memories"
        in cli.run("graph").out
    )


def reached(near: dict[int, set[int]], start: int) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        for other in near[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_bridges_are_the_links_whose_loss_splits(vault: Vault, root: Path, seed: int) -> None:
    # against the definition, link by link
    chance = random.Random(seed)
    pairs = {tuple(sorted(chance.sample(range(40), 2))) for _ in range(42)}
    links: dict[int, list[str]] = {}
    near: dict[int, set[int]] = {number: set() for number in range(40)}
    for one, other in pairs:
        links.setdefault(one, []).append(f"[[n{other}]]")
        near[one].add(other)
        near[other].add(one)
    build(root, links, 40)
    wanted = {}
    for one, other in pairs:
        near[one].remove(other)
        near[other].remove(one)
        sides = reached(near, one), reached(near, other)
        near[one].add(other)
        near[other].add(one)
        if other not in sides[0] and min(map(len, sides)) > 1:
            wanted[id_of(one), id_of(other)] = min(map(len, sides))
    shape = vault.graph_overview()
    assert shape.bridge_count == len(wanted) > 0
    assert all(wanted[each.arc.source, each.arc.target] == each.smaller for each in shape.bridges)
    assert [each.smaller for each in shape.bridges] == sorted(wanted.values(), reverse=True)[:10]
    assert shape.components == len({frozenset(reached(near, each)) for each in near if near[each]})
    assert shape.orphan_count == sum(not others for others in near.values())


def test_episodes_are_shown_around_a_memory_but_not_counted(cli: Command, chain: Path) -> None:
    # W-2
    note(chain, "episodes/e.md", "---\nid: ep_0123456789ab\n---\n# A story of [[n4]]\n")
    assert {each["id"]: each["episode"] for each in cli.json("graph", id_of(4))["nodes"]} == {
        id_of(4): False,
        "ep_0123456789ab": True,
    }
    assert cli.json("graph")["memories"] == 5
