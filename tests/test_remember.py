"""remember: one file, exactly these lines, and what it says. The guard has test_guard.py, writing test_writes.py."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, leftovers, memory, mode, states

from vault_mem import Vault
from vault_mem.model import KINDS

NOW = {"VAULT_MEM_NOW": "2026-11-15T23:25:00+09:00"}
SCAFFOLD = "Do any of these connections surprise you? Is there a pattern forming?"


def test_the_file(cli: Command, root: Path) -> None:
    # V-1, V-2, V-5: flat front matter, created in the vault's zone, a name that ends in the id
    made = cli.json("remember", "The blue envelope number 14 came. It was empty.", env=NOW)["memory"]
    assert re.fullmatch(r"mem_[0-9a-f]{12}", made["id"])
    name = f"the-blue-envelope-number-14-came-{made['id'][4:12]}.md"
    assert made["path"] == f"memories/2026-11/{name}"
    assert (root / made["path"]).read_text() == (
        f"---\nid: {made['id']}\ncreated: 2026-11-15T23:25:00\nimportance: 3\nprivate: false\nlinks: []\n---\n"
        "The blue envelope number 14 came. It was empty.\n"
    )
    assert mode(root / made["path"]) == 0o644
    assert list(contents(root)) == [".gitignore", made["path"], "memory/2026-11-15.md", "vault-mem.toml"]


def test_every_field(cli: Command, root: Path) -> None:
    # V-2: optional keys when they are set; what is written is what is read
    old = cli.json("remember", "Haruka drinks coffee")["memory"]
    answer = cli.json(
        "remember",
        "Haruka prefers tea: green, no sugar",
        *("--importance", "5", "--category", "preference", "--kind", "fact"),
        *("--tag", "tea", "--tag", "好み", "--person", "Haruka", "--person", "Dr. No"),
        *("--emotion", "calm", "--secondary", "curious", "--intensity", "0.4", "--valence", "-0.25", "--arousal", "0"),
        *("--body-state", "warm: hands", "--about-time", "every morning"),
        *("--valid-from", "2026-11-01", "--valid-to", "2027-01-01T12:00", "--status", "open"),
        *("--confidence", "0.9", "--salience", "1", "--source", "Haruka, #kitchen", "--supersedes", old["id"]),
        env=NOW,
    )
    made = answer["memory"]
    assert made["created"] == "2026-11-15T23:25:00+09:00"
    expected = {
        "importance": 5,
        "category": "preference",
        "kind": "fact",
        "tags": ["tea", "好み"],
        "people": ["Haruka", "Dr. No"],
        "emotion": "calm",
        "secondary": ["curious"],
        "intensity": 0.4,
        "valence": -0.25,
        "arousal": 0.0,
        "body_state": "warm: hands",
        "about_time": "every morning",
        "valid_from": "2026-11-01T00:00:00+09:00",
        "valid_to": "2027-01-01T12:00:00+09:00",
        "status": "open",
        "confidence": 0.9,
        "salience": 1.0,
        "source": "Haruka, #kitchen",
        "supersedes": [Path(old["path"]).stem],
        "private": False,
    }
    assert {key: made[key] for key in expected} == expected
    shown = cli.json("show", made["id"])
    assert {key: shown[key] for key in expected} == expected
    text = (root / made["path"]).read_text()
    assert "created: 2026-11-15T23:25:00\n" in text
    assert "valid_to: 2027-01-01T12:00:00\n" in text
    assert "{" not in text.split("---")[1]  # flat


def test_json_shape(cli: Command) -> None:
    # remember --json
    cli.run("remember", "A heron stood on the weir")
    saved = cli.json("remember", "A heron stood on the old weir this morning", "--link-threshold", "1", "--force")
    assert set(saved) >= {"status", "memory", "links", "linked", "duplicate_of", "differs", "scaffold"}
    assert saved["status"] == "saved"
    assert saved["duplicate_of"] is None
    assert saved["links"] == len(saved["linked"]) == 1
    assert saved["linked"][0]["content"] == "A heron stood on the weir"
    assert 0 < saved["linked"][0]["similarity"] <= 1
    assert saved["scaffold"] == SCAFFOLD
    assert {
        "id",
        "path",
        "title",
        "content",
        "created",
        "importance",
        "category",
        "kind",
        "emotion",
        "tags",
        "private",
    } <= (set(saved["memory"]))
    refused = cli.run("remember", "A heron stood on the weir", "--json")
    assert refused.code == 3
    assert refused.json["status"] == "duplicate"
    assert refused.json["memory"] is None
    assert refused.json["links"] == 0
    assert refused.json["duplicate_of"]["content"] == "A heron stood on the weir"


def test_the_text_when_saved(cli: Command) -> None:
    # D-4, W-6: exact; with no connection made, there is no question about connections
    answer = cli.run("remember", "Nothing like it yet", env=NOW)
    id_ = cli.json("list")["memories"][0]["id"]
    assert answer.code == 0
    assert answer.out == f"Saved (id: {id_}). Linked to 0 existing memories.\n"
    assert answer.err == ""


def test_the_text_with_links(cli: Command, root: Path) -> None:
    # D-4: up to three lines, nearest first, cut at 120, with the age of each
    long = "The tide table for the strait says " + "high water and low water " * 8
    texts = [long, "The tide table for the strait", "Tide tables\nof the\nstrait", "A tide in the strait", "The strait"]
    days = ["2026-11-12", "2026-11-15", "2026-11-15", "2026-10-01", "2026-01-01"]
    for number, (text, day) in enumerate(zip(texts, days, strict=True)):
        memory(root, f"memories/m{number}.md", f"mem_{number:012x}", text)
        path = root / f"memories/m{number}.md"
        path.write_text(path.read_text().replace("2026-11-01T08:00:00", f"{day}T22:25:00"))
    answer = cli.run(
        "remember", "Our boat waits for the tide in the harbour", "--link-threshold", "1", "--force", env=NOW
    )
    head, *lines = answer.out.splitlines()
    assert re.fullmatch(r"Saved \(id: mem_[0-9a-f]{12}\)\. Linked to 5 existing memories\.", head)
    assert lines[0] == "Most related:"
    listed = lines[1:4]
    assert lines[4:] == ["", "---", SCAFFOLD]
    similarities = []
    ages = ["3d ago", "1h ago", "1h ago", "2026-10-01", "2026-01-01"]
    snippets = [long[:120] + "...", texts[1], "Tide tables of the strait", *texts[3:]]
    for line in listed:
        age, snippet, similarity = re.fullmatch(r"- \[(.+?)\] (.+) \(similarity: (\d\.\d\d)\)", line).groups()
        similarities.append(float(similarity))
        assert age == ages[snippets.index(snippet)]
    assert similarities == sorted(similarities, reverse=True)


def test_at_most_five_links_written_once(cli: Command, root: Path) -> None:
    # V-3, D-4: on the memory saved later; the old files do not churn; the graph is symmetric
    old = [
        cli.json("remember", f"Chess game number {number}", "--force", "--link-threshold", "0") for number in range(7)
    ]
    before = states(root)
    new = cli.json("remember", "A chess game", "--link-threshold", "1", "--dedup-threshold", "0")
    assert new["links"] == 5
    assert {name: states(root)[name] for name in before if name.startswith("memories/2")} == {
        name: state for name, state in before.items() if name.startswith("memories/2")
    }
    text = (root / new["memory"]["path"]).read_text()
    names = {Path(each["memory"]["path"]).stem: each["memory"] for each in old}
    lines = re.findall(r'^  - "\[\[([^|]+)\|(.+) · similar (\d\.\d\d)\]\]"$', text, re.MULTILINE)
    assert len(lines) == 5
    for name, title, confidence in lines:
        assert title == names[name]["title"]
        found = next(each for each in new["linked"] if each["id"] == names[name]["id"])
        assert float(confidence) == pytest.approx(found["similarity"], abs=0.005)
    linked = {each["id"] for each in new["linked"]}
    shown = cli.json("show", new["memory"]["id"])["links"]
    assert {each["id"] for each in shown} == linked
    for each in old:
        back = [link["id"] for link in cli.json("show", each["memory"]["id"])["links"]]
        assert (new["memory"]["id"] in back) == (each["memory"]["id"] in linked)


# Far enough that the words decide, not the distance.
WIDE = 0.95


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Thanks a lot, that's awesome!", "Wow, awesome, thank you so much!"),
        ("Good morning! How are you?", "Hey, good morning, hope you are well!"),
        ("ありがとう、本当に嬉しい！", "本当にありがとうございます、嬉しいです！"),
        ("おはようございます。今日もよろしくお願いします。", "おはよう！よろしくお願いします。"),
    ],
)
def test_tone_alone_is_no_link(vault: Vault, old: str, new: str) -> None:
    # D-4: the two must have something to say to each other; a threshold of 1 asks for links whatever they say
    vault.remember(old)
    assert vault.compare(old, new).similarity > 1 - WIDE
    assert vault.remember(new, dedup_threshold=0, link_threshold=WIDE).links == 0
    assert vault.remember(f"{new}!", dedup_threshold=0, link_threshold=1).links == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The pottery class starts on Monday", "I made a bowl in the pottery class"),
        ("眼鏡の修理は来週終わるそうだ。", "駅前の店に眼鏡を預けてきた。"),
        ("Mother's surgery went well", "母の手術は無事に終わった。"),
        ("The seal BX-4407 leaks when it is cold", "Ordered ten more of BX-4407"),
        ("Мы переехали в Казань весной", "Весной мы с детьми переехали в Казань"),
    ],
)
@pytest.mark.parametrize("others", [0, 40])
def test_what_has_a_subject_in_common_is_linked(vault: Vault, root: Path, old: str, new: str, others: int) -> None:
    # D-4: in English and Japanese, across the two, and where no word list says anything; in small and larger vaults
    for number in range(others):
        memory(root, f"memories/m{number}.md", f"mem_{number:012x}", f"Gina: box {number} of the cellar is sorted now")
    vault.remember(old)
    linked = vault.remember(new, dedup_threshold=0, link_threshold=WIDE).linked
    assert [found.memory.content for found in linked][:1] == [old]
    assert linked[0].similarity == pytest.approx(vault.compare(old, new).similarity, abs=0.01)


def test_a_word_that_all_memories_have_is_no_subject(vault: Vault, root: Path) -> None:
    # D-4: the vault itself says what is common in it
    old, new = "Caroline: the guitar is tuned", "Caroline: my passport has expired"
    subjects = ("kitchen", "tax", "bicycle", "harbour", "exam", "roof", "violin", "garden", "train", "dentist")
    for number in range(30):
        text = f"Caroline: {subjects[number % 10]} number {number}"
        memory(root, f"memories/m{number}.md", f"mem_{number:012x}", text)
    vault.remember(old)
    assert vault.compare(old, new).similarity > 1 - WIDE
    assert vault.remember(new, link_threshold=WIDE).links == 0
    again = vault.remember("Caroline: a string of the guitar broke", link_threshold=WIDE)
    assert [found.memory.content for found in again.linked] == [old]


def test_the_number_of_links_is_what_show_shows(cli: Command, root: Path) -> None:
    # D-3, V-3: also where a person chose a name that a wikilink cannot hold
    for number, name in enumerate(["hash#tag", "pipe|bar", "caret^x", "[[brackets]]", "x.md", "plain"]):
        memory(root, f"memories/{name}.md", f"mem_{number:012x}", f"The ferry timetable, sheet {number}")
    new = cli.json("remember", "The ferry timetable", "--link-threshold", "1", "--dedup-threshold", "0")
    shown = cli.json("show", new["memory"]["id"])["links"]
    assert {each["id"] for each in shown} == {each["id"] for each in new["linked"]}
    assert new["links"] == len(shown)
    assert {each["check"] for each in cli.json("doctor")["findings"]} <= {"origins"}


def test_same_names_are_told_apart(cli: Command, root: Path) -> None:
    # V-3: a link to one of two notes of one name carries its folder
    memory(root, "memories/a/Meeting.md", "mem_00000000000a", "Meeting about the harbour crane")
    memory(root, "memories/b/meeting.md", "mem_00000000000b", "Meeting about kindergarten lunch")
    new = cli.json(
        "remember", "The harbour crane, a meeting about it", "--link-threshold", "1", "--dedup-threshold", "0"
    )
    assert {each["id"] for each in cli.json("show", new["memory"]["id"])["links"]} == {
        "mem_00000000000a",
        "mem_00000000000b",
    }


def test_stdin(cli: Command) -> None:
    made = cli.json("remember", "-", stdin="\ufeff一行目。\r\n二行目。\r\n\r\n")["memory"]
    assert made["content"] == "一行目。\n二行目。"
    assert made["title"] == "一行目"
    assert cli.json("show", made["id"])["content"] == "一行目。\n二行目。"


def test_a_text_that_looks_like_front_matter(cli: Command, root: Path) -> None:
    # V-1: what was said is what is kept
    text = "---\nid: mem_000000000000\nprivate: true\n---\nnot front matter"
    made = cli.run("--json", "remember", "--", text).json["memory"]
    assert made["content"] == text
    assert made["id"] != "mem_000000000000"
    assert made["private"] is False
    assert cli.json("show", made["id"])["content"] == text
    assert cli.json("doctor")["healthy"]


def test_a_japanese_name(cli: Command, root: Path) -> None:
    made = cli.json("remember", "眼鏡の修理が終わった。駅前で受け取る。")["memory"]
    assert Path(made["path"]).name == f"眼鏡の修理が終わった-{made['id'][4:12]}.md"
    assert made["title"] == "眼鏡の修理が終わった"


@pytest.mark.parametrize("text", ["???", "🤖", "...", "/../../etc/passwd", "CON", "a" * 900, "\\\\server\\share", "・"])
def test_odd_texts_get_sound_names(cli: Command, root: Path, text: str) -> None:
    # V-5: below memories/, not hidden, of a length every file system takes
    made = cli.run("--json", "remember", "--", text).json["memory"]
    path = Path(made["path"])
    assert path.parent.parent == Path("memories")
    assert not path.name.startswith((".", "-"))
    assert len(path.name.encode()) < 200
    assert re.fullmatch(r"[\w-]+-[0-9a-f]{8}\.md", path.name)
    assert cli.json("show", made["id"])["content"] == text


def test_kinds(cli: Command) -> None:
    # T-1's alias is taken too
    for kind in KINDS:
        assert cli.json("remember", f"About {kind} number one", "--kind", kind, "--force")["memory"]["kind"] == kind
    assert cli.json("remember", "Tired", "--kind", "long_mood_state")["memory"]["kind"] == "mood"


def test_supersedes(cli: Command, root: Path) -> None:
    # R-6, V-2, V-4: the key is written, the old one is closed by one line, the old text stays
    old = cli.json("remember", "The standup is at 3pm", env={"VAULT_MEM_NOW": "2026-11-14T10:00:00+09:00"})["memory"]
    before = (root / old["path"]).read_text()
    answer = cli.run("remember", "The standup is at 3pm", "--supersedes", old["id"][:9], env=NOW)
    assert answer.code == 0  # a repetition of what it replaces is not a repetition
    assert f"Closed (id: {old['id']}): The standup is at 3pm" in answer.out
    after = (root / old["path"]).read_text()
    assert [line for line in after.splitlines() if line not in before.splitlines()] == ["valid_to: 2026-11-15T23:25:00"]
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
    (new,) = cli.json("recall", "standup", env=NOW)["results"]
    assert new["id"] != old["id"]
    assert new["supersedes"] == [Path(old["path"]).stem]
    both = cli.json("recall", "standup", "--closed", env=NOW)["results"]
    assert {each["id"] for each in both} == {new["id"], old["id"]}
    then = cli.json("recall", "standup", "--as-of", "2026-11-15", env=NOW)["results"]
    assert [each["id"] for each in then] == [old["id"]]


def test_supersedes_twice_the_same(cli: Command, root: Path) -> None:
    old = cli.json("remember", "The standup is at 3pm")["memory"]
    new = cli.json("remember", "The standup is at 4pm", "--supersedes", old["id"], "--supersedes", old["id"][4:])
    assert new["status"] == "saved"
    assert new["memory"]["supersedes"] == [Path(old["path"]).stem]
    assert (root / old["path"]).read_text().count("valid_to:") == 1


def test_supersedes_what_is_not_there(cli: Command, root: Path) -> None:
    before = contents(root)
    answer = cli.run("remember", "The standup is at 4pm", "--supersedes", "mem_000000000000")
    assert answer.code == 4
    assert "Memory not found: mem_000000000000" in answer.err
    assert contents(root) == before


def test_supersedes_a_broken_file(cli: Command, root: Path) -> None:
    # V-7: no operation rewrites it
    path = memory(root, "memories/a.md", "mem_00000000000a", "The standup is at 3pm", "people: {Noor: 1}")
    before = contents(root)
    answer = cli.run("remember", "The standup is at 4pm", "--supersedes", "mem_00000000000a")
    assert answer.code == 1
    assert path.name in answer.err
    assert contents(root) == before


def test_no_scaffold(cli: Command) -> None:
    # W-6: can be turned off, by option and by setting
    assert "---" not in cli.run("remember", "A first thing", "--no-scaffold").out
    assert cli.json("remember", "A second, other thought", "--no-scaffold")["scaffold"] == ""
    cli.run("config", "set", "scaffold", "false")
    assert "---" not in cli.run("remember", "A third on something else").out


def test_what_came_before_is_seen(cli: Command, root: Path) -> None:
    # R-7, D-1: a file that a person has just written counts
    memory(root, "memories/typed.md", "mem_00000000000a", "The ladder is behind the shed")
    answer = cli.run("remember", "The ladder is behind the shed")
    assert answer.code == 3
    assert "mem_00000000000a" in answer.out


def test_two_processes_with_the_same_text_save_one(cli: Command, root: Path) -> None:
    # D-7
    command = [sys.executable, "-m", "vault_mem", "remember", "The same thought at the same moment", "--json"]
    both = [
        subprocess.Popen(
            command, cwd=root, env={**os.environ, **cli.env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    answers = [each.communicate(timeout=120) for each in both]
    assert sorted(each.returncode for each in both) == [0, 3], [err.decode() for _, err in answers]
    by_status = {json.loads(out)["status"]: json.loads(out) for out, _ in answers}
    assert by_status["duplicate"]["duplicate_of"]["id"] == by_status["saved"]["memory"]["id"]
    assert len(list((root / "memories").rglob("*.md"))) == 1
    assert cli.json("status")["memories"] == 1
    assert leftovers(root) == []


def test_two_threads_with_the_same_text_save_one(vault: Vault, env: dict[str, str]) -> None:
    # D-7: in one process, with a Vault each and with one Vault
    from concurrent.futures import ThreadPoolExecutor

    other = Vault(vault.root, env=env)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda each: each.remember("One thought"), [vault, other, vault, other]))
    assert sum(result.memory is not None for result in results) == 1
    assert len(list((vault.root / "memories").rglob("*.md"))) == 1


def test_library_result_unpacks(vault: Vault) -> None:
    # D-3
    memory_, links, linked, duplicate = vault.remember("The lighthouse is closed on Mondays")
    assert (links, linked, duplicate) == (0, [], None)
    assert isinstance(memory_.created, datetime)
    result = vault.remember("The lighthouse is closed on Mondays")
    memory2, links, linked, duplicate = result
    assert (memory2, links, linked) == (None, 0, [])
    assert duplicate.memory.id == memory_.id
    assert duplicate is result.duplicate_of
    assert duplicate.distance == pytest.approx(0)


def test_a_real_process(cli: Command, root: Path) -> None:
    answer = cli.spawn("remember", "-", "--private", stdin="名前のない気持ち")
    assert answer.code == 0
    assert answer.out.startswith("Saved (id: mem_")
    assert answer.err == ""
    assert len(list((root / "private").glob("mem_*.md"))) == 1
    assert [*Path(cli.env["VAULT_MEM_INDEX_DIR"]).rglob("*-wal")] == []  # it closed its databases


@pytest.mark.parametrize(
    "text", ["The kettle whistles at six", "A long walk.\n\n" + "We went on along the river. " * 120]
)
def test_a_text_is_embedded_once(vault: Vault, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    # compared with what there is, then saved and indexed
    from vault_mem.embedding.static import SharedModel

    vault.remember("The cat sleeps on the stove", force=True)
    embedded: list[str] = []
    real = SharedModel.encode
    monkeypatch.setattr(SharedModel, "encode", lambda model, texts, *how: embedded.extend(texts) or real(model, texts))
    saved = vault.remember(text).memory
    assert vault.show(saved.id).memory.content == text.strip()
    assert len(embedded) == len(set(embedded)) > 0
    vault.remember_many([f"Parcel {n} of {n * 7} is on the shelf by the door" for n in range(60)], force=True)
    assert len(embedded) == len(set(embedded)) > 60
