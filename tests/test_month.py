"""A month of a person in Obsidian beside an agent: 150 notes, 70 edits as Obsidian and its plugins make them.

After each step: the person's bytes, links, identities, views, recall and doctor. Plugins are imitated, not run.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from helpers import note

from vault_mem import Vault
from vault_mem.notes.one_line import one_line
from vault_mem.notes.references import references
from vault_mem.notes.text import split

# Each names what nothing else in the vault is about.
NAMES = """walrus gutter celadon hinge lantern quince saffron trellis bobbin kayak magnet mortar nettle oboe paprika
quarry rudder sextant thimble urchin vellum wicker yarrow zither anvil bellows chisel dulcimer ember falcon gimlet
harrow inkwell jasper kelp loom mallet nutmeg osprey pewter quiver ratchet sickle tansy umber viola whittle xylem
yoke zephyr almond basalt cobalt drizzle easel fennel garnet heather indigo juniper"""
WORDS = re.findall(r"\w+", NAMES)
MEMORIES, OWN = 60, 90
DAYS = [f"2026-10-{day:02d}" for day in range(1, 31)]


def id_of(number: int) -> str:
    return f"mem_{number:08x}{number:04x}"


class Month:
    """The vault, and what the person knows of it: their own files to the byte, of each memory the words they see."""

    def __init__(self, root: Path, vault: Vault) -> None:
        self.root = root
        self.vault = vault
        self.own: dict[str, bytes] = {}
        self.words: dict[str, str] = {}
        self.private: set[str] = set()
        self.unsearched: set[str] = set()
        self.evicted: set[str] = set()
        self.hidden: set[str] = set()  # names of notes that are private now
        self.expected: set[str] = set()  # checks of doctor that have something to say
        self.asked = 0

    # What the person does

    def write(self, key: str, text: str) -> None:
        """An own file, saved."""
        self.own[key] = note(self.root, key, text).read_bytes()

    def path(self, number: int) -> Path:
        """Where a memory is, as the person finds it: by what it says."""
        return self.root / self.key(id_of(number))

    def key(self, id_: str) -> str:
        found = [path for path in self.root.rglob("*.md") if f"id: {id_}\n" in path.read_text().replace("\r\n", "\n")]
        inside = [path for path in found if ".trash" not in path.parts]
        return str(inside[0].relative_to(self.root))

    def edit(self, number: int, change: Callable[[str], str]) -> None:
        """A memory, changed in the editor and saved."""
        path = self.path(number)
        after = change(path.read_bytes().decode())
        path.write_bytes(after.encode())
        self.words[id_of(number)] = seen(after.encode())

    def new(self, key: str, text: str) -> str:
        """A note put among the memories; returns the id it gets."""
        note(self.root, key, text)
        self.vault.settle()
        found = re.search(r"^id: (mem_\w+)$", (self.root / key).read_text(), re.MULTILINE)
        assert found is not None, key
        self.words[found[1]] = seen(text.encode())
        return found[1]

    def obsidian_renames(self, old: str, new: str) -> None:
        """As Obsidian does it: the file, and every link to it in the whole vault."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)
        before, after = Path(old).stem, Path(new).stem
        for path in [*self.root.rglob("*.md"), *self.root.rglob("*.canvas")]:
            key = str(path.relative_to(self.root))
            text = path.read_bytes().decode()
            changed = text.replace(f"[[{before}]]", f"[[{after}]]").replace(f"[[{before}|", f"[[{after}|")
            changed = changed.replace(f'"{old}"', f'"{new}"')
            if changed != text:
                path.write_bytes(changed.encode())
                if key in self.own:
                    self.own[key] = changed.encode()
                elif found := re.search(r"^id: (mem_\w+)", changed, re.MULTILINE):
                    self.words[found[1]] = seen(changed.encode())

    # What must hold after every step

    def check(self) -> None:
        self.vault.settle()
        self.vault.settle()  # what the first wrote is followed by the second
        self.bytes_stay()
        self.identities_stay()
        self.links_lead_somewhere()
        self.views_say_it_once()
        self.recall_finds_it()
        self.doctor_is_content()

    def bytes_stay(self) -> None:
        for key, data in self.own.items():
            assert (self.root / key).read_bytes() == data, key
        files = {known.declared: known.key for known in self.vault.workspace.index.state.all_files() if known.declared}
        for id_, words in self.words.items():
            if id_ not in self.unsearched | self.evicted:
                assert seen((self.root / files[id_]).read_bytes()) == words, files[id_]

    def identities_stay(self) -> None:
        found = [each.id for each in self.vault.list(closed=True) if not each.provisional]
        assert sorted(found) == sorted(set(self.words) - self.unsearched)

    def links_lead_somewhere(self) -> None:
        names = self.vault.workspace.names
        for path in (self.root / "memories").rglob("*.md"):
            key = str(path.relative_to(self.root))
            for reference in references(path.read_bytes(), key):
                assert names.find(reference.target, key) or reference.name in self.hidden, (key, reference)

    def views_say_it_once(self) -> None:
        logs = "\n".join(path.read_text() for path in sorted((self.root / "memory-log").glob("memory 2026-*.md")))
        public = set(self.words) - self.private - self.unsearched
        assert sorted(re.findall(r"\[id:(mem_\w+)\]$", logs, re.MULTILINE)) == sorted(public)
        names = self.vault.workspace.names
        for name, id_ in re.findall(r"\[\[([^|\]]+)\|↗\]\] \[id:(mem_\w+)\]$", logs, re.MULTILINE):
            assert names.id(name) == id_, (name, id_)
        assert not re.search(r"%%|\S::\s|(?:^|\s)#[a-z]|!\[\[", logs)
        assert names.find("2026-10-16") == "Daily/2026-10-16.md"

    def recall_finds_it(self) -> None:
        number = self.asked % MEMORIES
        self.asked += 7
        if id_of(number) in self.words.keys() - self.unsearched:
            found = self.vault.recall(f"{WORDS[number]} {number}", 3)
            assert id_of(number) in [each.memory.id for each in found], WORDS[number]

    def doctor_is_content(self) -> None:
        found = {each.check for each in self.vault.doctor().findings if each.severity != "info"}
        assert found == self.expected


def seen(raw: bytes) -> str:
    """The words of a note that its reader sees, whatever its links are called."""
    return one_line(split(raw).body)


@pytest.fixture
def month(tmp_path: Path, env: dict[str, str]) -> Month:
    root = tmp_path / "vault"
    note(root, ".obsidian/app.json", "{}")
    own = {f"Daily/{day}.md": f"# {day}\n\n- weather: grey\n- see [[Project {n}]]\n" for n, day in enumerate(DAYS)}
    own |= {f"Projects/Project {n}.md": f"---\ntags: [project]\n---\nPlan {n}.\n" for n in range(40)}
    own |= {f"People/Person {n}.md": f"Person {n} knows [[Person {(n + 1) % 20}]].\n" for n in range(20)}
    for key, text in own.items():
        note(root, key, text)
    Vault.init(root, env=env, timezone="Asia/Tokyo")
    settings = root / "vault-mem.toml"
    settings.write_text(settings.read_text() + "quiet_seconds = 0\ntidy = false\n")
    assert len(own) == OWN
    words = {}
    for number in range(MEMORIES):
        link = f"It reminds me of [[Memory {number - 1}]]." if number else "It is the first."
        text = f"The {WORDS[number]} {number} is kept in shed {number * 17}. {link}"
        day = DAYS[number % 28]
        front = f"id: {id_of(number)}\ncreated: {day}T08:{number:02d}:00\ntags:\n  - shed\n"
        note(root, f"memories/{day[:7]}/Memory {number}.md", f"---\n{front}---\n{text}\n")
        words[id_of(number)] = one_line(text)
    vault = Vault(root, env=env)
    vault.rebuild_views()
    month = Month(root, vault)
    month.own = {key: (root / key).read_bytes() for key in own}
    month.words = words
    return month


def edits(m: Month) -> list[Callable[[], object]]:
    """The month, step by step: a person's edits, and what an agent does between them."""
    v, root = m.vault, m.root

    def front(change: Callable[[dict], dict]) -> Callable[[str], str]:
        """The properties read and written again as a whole, as Obsidian's property editor does."""

        def changed(text: str) -> str:
            _, head, body = text.split("---\n", 2)
            fields = change(yaml.load(head, yaml.BaseLoader))
            return f"---\n{yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)}---\n{body}"

        return changed

    def linter(text: str) -> str:
        """Keys sorted, a blank line after the properties, no trailing spaces, the time of the change."""
        text = front(lambda fields: dict(sorted(fields.items())) | {"date modified": "Monday, November 16th 2026"})(
            text
        )
        head, _, body = text.rpartition("---\n")
        return head + "---\n\n" + "\n".join(line.rstrip() for line in body.strip().split("\n")) + "\n"

    def append(words: str) -> Callable[[str], str]:
        return lambda text: text.rstrip("\n") + f"\n\n{words}\n"

    def evict(number: int) -> None:
        path = m.path(number)
        kept = path.read_bytes()
        path.unlink()
        stub = note(root, f"{path.parent.relative_to(root)}/.{path.name}.icloud", "bplist00")
        m.evicted.add(id_of(number))
        m.expected.add("broken-files")
        m.check()
        m.evicted.clear()
        m.expected.clear()
        stub.unlink()
        path.write_bytes(kept)

    def drag_away_and_back(number: int) -> None:
        path = m.path(number)
        away = root / "Archive" / path.name
        away.parent.mkdir(exist_ok=True)
        path.rename(away)
        m.unsearched.add(id_of(number))
        m.expected.add("astray")
        m.check()
        away.rename(path)
        m.unsearched.clear()
        m.expected.clear()

    def conflict_copy(number: int) -> None:
        path = m.path(number)
        copy = path.with_name(f"{path.stem} (conflicted copy 2026-11-16).md")
        shutil.copy(path, copy)
        m.expected |= {"conflict-copies", "duplicate-ids"}
        m.check()
        m.expected.clear()
        copy.unlink()

    def trash(number: int) -> None:
        """Deleted in Obsidian, and taken out of its trash again."""
        path = m.path(number)
        (root / ".trash").mkdir(exist_ok=True)
        path.rename(root / ".trash" / path.name)
        m.unsearched.add(id_of(number))
        v.settle()
        assert id_of(number) not in [each.id for each in v.list()]
        (root / ".trash" / path.name).rename(path)
        m.unsearched.clear()

    def make_private(number: int) -> None:
        """The checkbox, ticked in the properties."""
        m.edit(number, front(lambda fields: fields | {"private": True}))
        m.private.add(id_of(number))
        m.hidden.add(f"Memory {number}")
        m.expected.add("mentions")

    def publish(number: int) -> None:
        key = v.publish(id_of(number)).memory.path
        assert key == f"memories/{DAYS[number % 28][:7]}/Memory {number}.md"
        m.private.clear()
        m.hidden.clear()
        m.expected.clear()

    def placeholder() -> None:
        note(root, "memories/Untitled.md", "")

    def name_it() -> None:
        (root / "memories/Untitled.md").rename(root / "memories/Buy twine.md")
        v.settle()
        (id_,) = re.findall(r"id: (mem_\w+)", (root / "memories/Buy twine.md").read_text())
        m.words[id_] = ""

    def remember(text: str, **fields: object) -> None:
        saved = v.remember(text, **fields).memory  # type: ignore[arg-type]
        assert saved is not None
        m.words[saved.id] = one_line(text)

    def forget_and_undo(number: int) -> None:
        v.forget(id_of(number))
        v.undo()

    def rename_by_agent(number: int, name: str) -> None:
        v.rename(id_of(number), name, exact=True)
        for each in (number, number + 1):
            m.words[id_of(each)] = seen(m.path(each).read_bytes())

    def moved(number: int, folder: str) -> None:
        """Dragged in Obsidian's file list: links by name mean it still."""
        path = m.path(number)
        (root / folder).mkdir(parents=True, exist_ok=True)
        path.rename(root / folder / path.name)

    def by_mv(number: int, name: str) -> None:
        path = m.path(number)
        path.rename(path.with_name(f"{name}.md"))

    def day(number: int, words: str) -> None:
        key = f"Daily/{DAYS[number]}.md"
        m.write(key, (root / key).read_text() + words + "\n")

    excalidraw = "---\nexcalidraw-plugin: parsed\n---\n# Drawing\n{}\n"
    kanban = "---\nkanban-plugin: basic\n---\n## Todo\n- [ ] walrus\n"
    canvas = {"nodes": [{"id": "1", "type": "file", "file": "memories/2026-10/Memory 9.md"}], "edges": []}
    return [
        # the first week: writing
        lambda: day(0, "- walked, see [[Memory 0]] #walk"),
        lambda: m.edit(0, append("More of it, said by hand.")),
        lambda: remember("The heron came back to the weir.", importance=4),
        lambda: m.edit(1, append("> [!note] A callout\n> with a line.")),
        lambda: m.edit(2, append("%% a comment %% and #garden/tools and budget:: 40")),
        lambda: m.edit(3, append("![[Memory 2]] is embedded, [[Memory 2#^b1|a block]] too.")),
        lambda: m.edit(2, lambda text: text.rstrip("\n") + " ^b1\n"),
        lambda: m.edit(4, append("| a | b |\n| - | - |\n| [[Memory 3\\|three]] | x |")),
        lambda: m.edit(5, append("[by path](Memory%204.md) and [from the root](/memories/2026-10/Memory%204.md)")),
        lambda: m.edit(6, append("```\n[[Memory 99]] is code\n```")),
        lambda: m.write("Projects/Project 1.md", "---\ntags: [project]\n---\nPlan 1, with [[Memory 5]].\n"),
        lambda: v.tag(id_of(7), ["agent"]),
        lambda: m.edit(7, append("After the agent tagged it.")),
        # the second: properties and plugins
        lambda: m.edit(8, front(lambda fields: fields | {"aliases": ["The ninth"], "cssclasses": ["wide"]})),
        lambda: m.edit(9, linter),
        lambda: m.edit(10, linter),
        lambda: m.edit(11, front(lambda fields: fields | {"kind": "book", "importance": "7", "confidence": "high"})),
        lambda: m.edit(12, front(lambda fields: fields | {"created": "[[2026-10-13]]"})),
        lambda: m.edit(13, lambda text: text.replace("tags:\n  - shed\n", "tags: [shed, from-linter]\n")),
        lambda: m.edit(14, lambda text: text.replace("\n", "\r\n")),
        lambda: m.edit(15, front(lambda fields: fields | {"up": "[[Project 3]]", "related": ["[[Memory 14]]"]})),
        lambda: m.edit(16, append("- [x] sharpen it ✅ 2026-11-16\n- [ ] oil it 📅 2026-11-20")),
        lambda: m.edit(17, append("[rating:: 5] (mood:: calm)")),
        lambda: note(root, "memories/Drawing.excalidraw.md", excalidraw),
        lambda: note(root, "memories/Board.md", kanban),
        lambda: m.write("Map.canvas", json.dumps(canvas)),
        lambda: m.write("All.base", "views:\n  - type: table\n    name: All\n"),
        lambda: m.own.update({"kiln.png": note(root, "kiln.png", b"\x89PNG").read_bytes()}),
        lambda: m.edit(18, append("![[kiln.png|200]]")),
        lambda: remember("Marit wants twenty bowls by Friday.", kind="task", people=["Marit"]),
        lambda: v.consolidate(),
        # the third: renaming, moving, dropping in
        lambda: m.obsidian_renames("memories/2026-10/Memory 20.md", "memories/2026-10/Trellis by the wall.md"),
        lambda: m.obsidian_renames("memories/2026-10/Memory 9.md", "memories/Tools/Ninth thing.md"),
        lambda: by_mv(22, "Kayak in the shed"),
        lambda: by_mv(24, "memory 24"),  # the case alone
        lambda: moved(25, "memories/Garage"),
        lambda: moved(26, "memories/Garage/Deep"),
        lambda: (root / "memories/Garage").rename(root / "memories/Carport"),
        lambda: rename_by_agent(28, "Falcon and glove"),
        lambda: (
            m.obsidian_renames("Projects/Project 7.md", "Projects/Boat.md")
            or m.own.update({"Projects/Boat.md": m.own.pop("Projects/Project 7.md")})
        ),
        lambda: m.new(
            "memories/From a template.md",
            "---\ncreated: 2026-10-17T09:00:00\nkind: fact\n---\nThe yew is 400 years old.\n",
        ),
        lambda: m.new("memories/Dropped in.md", "A note without any property, about a peregrine.\n"),
        lambda: m.new("memories/Extracted.md", "Part of [[Memory 30]], by Note Composer.\n"),
        placeholder,
        name_it,
        lambda: evict(31),
        lambda: drag_away_and_back(32),
        lambda: conflict_copy(33),
        lambda: trash(34),
        lambda: v.wake_up(),
        lambda: m.new("memories/無題の庭.md", "庭の隅に翡翠が来た。\n"),
        # the fourth: private, the agent's changes, late edits
        lambda: make_private(36),
        lambda: publish(36),
        lambda: forget_and_undo(38),
        lambda: v.link(id_of(39), id_of(55)),
        lambda: m.edit(39, append("Edited after it was linked.")),
        lambda: v.unlink(id_of(39), id_of(55)),
        lambda: v.close(id_of(41), "it is over"),
        lambda: v.reopen(id_of(41)),
        lambda: m.edit(42, lambda text: text.replace("---\nThe", "---\n# A heading\n\nThe")),
        lambda: m.edit(43, append("A footnote[^1].\n\n[^1]: At the end.")),
        lambda: m.edit(44, lambda text: "\ufeff" + text),
        lambda: m.edit(45, lambda text: text.rstrip("\n")),
        lambda: m.write("People/Person 3.md", "Person 3 met [[Falcon and glove]] and [[Kayak in the shed]].\n"),
        lambda: day(15, "- [[2026-10-15]] was better; ![[Memory 45]]"),
        lambda: remember("The ferry leaves at seven.", category="decision"),
        lambda: v.undo() and m.words.pop(next(reversed(m.words))),
        lambda: m.edit(46, append("$$x^2$$ and ==marked== and ~~gone~~")),
        lambda: m.edit(47, append("<details><summary>more</summary>hidden</details>")),
        lambda: m.edit(48, lambda text: text.replace("is kept in", "was kept in")),
        lambda: by_mv(49, "almond (old)"),
        lambda: m.obsidian_renames("memories/2026-10/Memory 50.md", "memories/2026-10/貝殻.md"),
        lambda: m.edit(51, front(lambda fields: fields | {"people": ["[[Person 3]]"]})),
        lambda: v.consolidate(whole=True),
    ]


def test_a_month_beside_an_agent(month: Month) -> None:
    # O-1 to O-6, V-4, V-5, S-8
    steps = edits(month)
    assert len(steps) >= 70
    month.check()
    for number, step in enumerate(steps, 1):
        step()
        try:
            month.check()
        except AssertionError as error:
            raise AssertionError(f"after step {number} of {len(steps)}: {error}") from error
    assert [path for path in (month.root / "memory-log").iterdir() if "late" in path.name] == []
