"""The duplicate guard: what it looks at, where its thresholds come from, and the exact words of a refusal."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from conftest import Command
from helpers import at, contents, memory, mode, states

from vault_mem import Vault

TEXT = "The harbour master moved our berth to pier nine because the dredger needs pier four until the end of March."
SCAFFOLD = (
    "Is there truly something new here, or is this a repetition?\n"
    "If your understanding has deepened, try expressing what changed specifically."
)
ADVICE = (
    "If this is a meaningful update, use recall to review the existing memory "
    "and consider whether the new perspective adds value."
)


def refusal(id_: str, age: str, content: str) -> str:
    return (
        "Not saved — very similar memory already exists.\n"
        f"Existing (id: {id_}, {age}): {content}\n"
        f"Similarity: 1.00\n{ADVICE}\n\n---\n{SCAFFOLD}\n"
    )


def ways_on(id_: str) -> str:
    """The ready commands, on standard error: the exact text ends with its scaffold."""
    again = "vault-mem remember --last-blocked"
    return (
        f"Save it anyway: {again} --force\n"
        f"Replace the existing text: {again} --update {id_}\n"
        f"Close the existing one: {again} --supersedes {id_}\n"
    )


def test_the_refusal(cli: Command, root: Path) -> None:
    # D-2: exact text, exit 3, nothing is written
    id_ = cli.json("remember", TEXT, env=at("2026-11-15T10:00:00+09:00"))["memory"]["id"]
    before = states(root)
    answer = cli.run("remember", TEXT, env=at("2026-11-15T12:30:00+09:00"))
    assert answer.code == 3
    assert (answer.out, answer.err) == (refusal(id_, "2h ago", TEXT), ways_on(id_))
    assert states(root) == before


@pytest.mark.parametrize(
    ("now", "age"),
    [
        ("2026-11-15T10:00:59+09:00", "just now"),
        ("2026-11-15T09:00:00+09:00", "just now"),  # a clock set back
        ("2026-11-15T10:01:00+09:00", "1m ago"),
        ("2026-11-15T10:59:59+09:00", "59m ago"),
        ("2026-11-15T11:00:00+09:00", "1h ago"),
        ("2026-11-16T09:59:59+09:00", "23h ago"),
        ("2026-11-16T10:00:00+09:00", "1d ago"),
        ("2026-12-15T09:59:59+09:00", "29d ago"),
        ("2026-12-15T10:00:00+09:00", "2026-11-15"),
        ("2027-12-15T10:00:00+09:00", "2026-11-15"),
    ],
)
def test_ages(now: str, age: str) -> None:
    # the {age} of the texts: from 30 days on the date
    from datetime import datetime

    from vault_mem.messages.words import age as age_of

    assert age_of(datetime.fromisoformat("2026-11-15T10:00:00+09:00"), datetime.fromisoformat(now)) == age


def test_the_date_is_that_of_the_vaults_zone(cli: Command, root: Path) -> None:
    # V-2: 01:00 in Tokyo is the day before in UTC
    memory(root, "memories/a.md", "mem_00000000000a", TEXT)
    path = root / "memories/a.md"
    path.write_text(path.read_text().replace("2026-11-01T08:00:00", "2026-05-02T01:00:00"))
    answer = cli.run("remember", TEXT, env=at("2026-11-15T10:00:00+00:00"))
    assert "(id: mem_00000000000a, 2026-05-02)" in answer.out


def test_cut_at_120(cli: Command, root: Path) -> None:
    # "Cut at N": newlines become spaces, N code points, then ... if anything was cut
    exactly = "木" * 60 + "\n" + "a" * 59
    memory(root, "memories/a.md", "mem_00000000000a", exactly)
    assert f"): {'木' * 60} {'a' * 59}\n" in cli.run("remember", exactly).out
    over = "風が吹いた。" * 20 + "x"  # 121 code points
    memory(root, "memories/b.md", "mem_00000000000b", over)
    assert f"): {over[:120]}...\n" in cli.run("remember", over).out


def test_a_real_process_refuses(cli: Command) -> None:
    # D-2 with the clock as it is
    id_ = cli.json("remember", TEXT)["memory"]["id"]
    answer = cli.spawn("remember", TEXT)
    assert answer.code == 3
    assert (answer.out, answer.err) == (refusal(id_, "just now", TEXT), ways_on(id_))


def test_the_refused_text_is_kept(cli: Command, root: Path) -> None:
    # D-2: kept for 30 days, 0600, under the private rules; remember --last-blocked --force saves it
    cli.run("remember", TEXT)
    public = contents(root)
    assert cli.run("remember", TEXT + " ", "--tag", "berth").code == 3
    assert contents(root) == public
    kept = [path for path in root.rglob("*") if path.is_file() and TEXT.encode() in path.read_bytes()]
    kept = [path for path in kept if not {"journal", "memories", "memory"} & set(path.parts)]
    assert len(kept) == 1
    assert mode(kept[0]) == 0o600
    answer = cli.run("remember", "--last-blocked", "--force", "--json")
    assert answer.code == 0
    assert answer.json["memory"]["content"] == TEXT
    assert answer.json["memory"]["tags"] == ["berth"]


def test_a_refused_text_is_let_go(cli: Command, root: Path) -> None:
    # D-2: after 30 days, whether or not another is refused
    early, late = ({"VAULT_MEM_NOW": f"2026-{month}-20T10:00:00+00:00"} for month in ("05", "08"))
    for _ in range(2):
        cli.run("remember", TEXT, env=early)
    (kept,) = (root / ".vault-mem" / "blocked").iterdir()
    assert cli.run("recall", "anything", env=early).code == 0 and kept.exists()
    assert cli.run("recall", "anything", env=late).code == 0 and not kept.exists()


def test_a_refused_text_that_cannot_be_let_go(cli: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # S-3: it is saved; that its draft could not be removed is no failure
    from vault_mem.vault.tree import Tree

    cli.run("remember", TEXT)
    cli.run("remember", TEXT)
    real = Tree.drop

    def drop(tree: Tree, key: str) -> None:
        if "/blocked/" in key:
            raise OSError(errno.EROFS, "Read-only file system")
        real(tree, key)

    monkeypatch.setattr(Tree, "drop", drop)
    answer = cli.run("remember", "--last-blocked", "--force")
    assert answer.code == 0
    assert (
        "the refused text could not be deleted, so --last-blocked still offers it: Read-only file system" in answer.err
    )


def test_a_refused_text_that_was_half_written(cli: Command, root: Path) -> None:
    # S-3: what a failing disk left of it goes with the next operation
    cli.run("remember", TEXT)
    cli.run("remember", TEXT)
    left = root / ".vault-mem/blocked/.vault-mem-0123456789ab.tmp"
    left.write_text('{"content": "The harb')
    cli.run("remember", "The crane on the quay was painted red")
    assert not left.exists()
    assert len(list(left.parent.iterdir())) == 1


def test_force_saves_and_still_links(cli: Command, root: Path) -> None:
    # D-5
    first = cli.json("remember", TEXT)["memory"]
    answer = cli.json("remember", TEXT, "--force")
    assert answer["status"] == "saved"
    assert [each["id"] for each in answer["linked"]] == [first["id"]]
    assert answer["linked"][0]["similarity"] == 1.0
    assert len(list((root / "memories").rglob("*.md"))) == 2


def test_thresholds_are_parameters_and_settings(cli: Command, vault: Vault) -> None:
    # D-5
    vault.remember(TEXT)
    near = "The harbour master moved our berth to pier nine; the dredger needs pier four until the end of March."
    distance = 1 - vault.compare(TEXT, near).similarity
    assert 0 < distance < 1
    above, below = str(min(1.0, distance + 0.01)), str(max(0.0, distance - 0.01))
    assert cli.run("remember", near, "--dedup-threshold", above).code == 3
    assert vault.remember(near, dedup_threshold=float(above)).duplicate_of is not None
    cli.run("config", "set", "dedup_threshold", above)
    assert cli.run("remember", near).code == 3
    cli.run("config", "set", "dedup_threshold", below)
    cli.run("config", "set", "link_threshold", below)
    saved = cli.json("remember", near)
    assert (saved["status"], saved["links"]) == ("saved", 0)
    (vault.root / saved["memory"]["path"]).unlink()
    again = cli.json("remember", near, "--link-threshold", above)
    assert (again["status"], again["links"]) == ("saved", 1)


def test_a_threshold_of_nothing(vault: Vault) -> None:
    # D-5: 0 blocks nothing and links nothing; max_links too
    vault.remember(TEXT)
    result = vault.remember(TEXT, dedup_threshold=0, link_threshold=0)
    assert result.memory is not None
    assert result.links == 0
    assert vault.remember(TEXT, force=True, link_threshold=1, max_links=1).links == 1


@pytest.mark.parametrize("option", ["--dedup-threshold", "--link-threshold"])
@pytest.mark.parametrize("value", ["2", "-0.1", "nan"])
def test_thresholds_out_of_range(cli: Command, root: Path, option: str, value: str) -> None:
    # the same range as the setting of that name
    before = contents(root)
    answer = cli.run("remember", "Anything at all", option, value)
    assert answer.code == 2
    assert contents(root) == before


def test_closed_memories_do_not_count(cli: Command, root: Path) -> None:
    # D-1, R-6
    memory(root, "memories/a.md", "mem_00000000000a", TEXT, "valid_to: 2026-10-01T00:00:00")
    answer = cli.json("remember", TEXT, "--link-threshold", "1")
    assert (answer["status"], answer["links"]) == ("saved", 0)


def test_private_ones_do(cli: Command) -> None:
    # D-1
    cli.run("remember", TEXT, "--private")
    assert cli.run("remember", TEXT).code == 3


def test_included_notes_and_episodes_do_not(cli: Command, root: Path) -> None:
    # D-1: the existing memories
    memory(root, "notes/a.md", "mem_00000000000a", TEXT)
    memory(root, "episodes/b.md", "ep_00000000000b", TEXT)
    cli.run("config", "set", "include", "notes/**")
    answer = cli.json("remember", TEXT, "--link-threshold", "1")
    assert (answer["status"], answer["links"]) == ("saved", 0)


def test_not_the_ranked_score(cli: Command, root: Path) -> None:
    # D-1: old, unimportant and far down any ranking by words, still a repetition
    memory(root, "memories/a.md", "mem_00000000000a", TEXT, "importance: 1")
    for number in range(15):
        words = "harbour master berth pier nine dredger pier four end of March " * 2
        memory(root, f"memories/n{number}.md", f"mem_00000000001{number:x}", f"{words} {number}", "importance: 5")
    answer = cli.run("remember", TEXT, "--json")
    assert answer.code == 3
    assert answer.json["duplicate_of"]["id"] == "mem_00000000000a"


def test_the_whole_memory_counts_not_a_passage(vault: Vault) -> None:
    # D-1: a sentence out of a long note is not that note again
    other = "\n\n".join(
        f"Paragraph {number} is about cheese, trains and the weather in Oslo. " * 6 for number in range(8)
    )
    vault.remember(f"{other}\n\n{TEXT}")
    assert vault.remember(TEXT).duplicate_of is None


def test_a_long_text_again(vault: Vault) -> None:
    # D-1, D-2: long texts are compared whole too
    long = "\n\n".join(
        f"On day {number} we sailed {number * 7} miles and saw {number} whales. " * 12 for number in range(9)
    )
    assert vault.remember(long).memory is not None
    assert vault.remember(long).duplicate_of is not None


@pytest.mark.parametrize("text", ["🜁🜂🜃🜄", "????", "︙︙"])
def test_text_without_a_word_the_model_knows(vault: Vault, text: str) -> None:
    # D-1, D-2: zero vectors must not break the guard
    vault.remember("An ordinary sentence about a ladder")
    vault.remember("!!!!!!!!")
    first = vault.remember(text)
    assert first.memory is not None
    again = vault.remember(text)
    assert again.duplicate_of is not None
    assert again.duplicate_of.memory.id == first.memory.id


def test_japanese_repetition(cli: Command) -> None:
    # D-2
    cli.run("remember", "佳也は15時を過ぎたらコーヒーを飲まない。")
    assert cli.run("remember", "佳也は15時を過ぎたらコーヒーを飲まない。").code == 3


def test_similarity_is_calibrated(vault: Vault) -> None:
    # D-1, D-8: 0 to 1, identical is 1, unrelated stays below 0.70
    vault.remember(TEXT)
    assert vault.remember(TEXT).duplicate_of.similarity == 1.0
    assert vault.compare(TEXT, "Beetroot soup wants dill, vinegar and a day in the fridge").similarity < 0.7


def test_the_refused_text_replaces_the_existing_one(cli: Command, root: Path) -> None:
    # D-2, T-5: the way on that keeps one memory; what it said before is a revision
    first = cli.json("remember", TEXT)["memory"]
    assert cli.run("remember", TEXT + "!").code == 3
    answer = cli.json("remember", "--last-blocked", "--update", first["id"])
    assert answer["status"] == "updated"
    assert answer["memory"]["content"] == TEXT + "!"
    (revisions,) = (root / "history").glob("*.jsonl")
    (line,) = revisions.read_text().splitlines()
    revision = json.loads(line)
    assert revision["id"] == first["id"]
    assert TEXT in revision["before"]
    assert TEXT + "!" in revision["after"]
    assert cli.run("remember", "--last-blocked", "--force").code == 4  # it was used up


def test_a_private_revision_stays_private(cli: Command, root: Path) -> None:
    # T-5, P-3
    first = cli.json("remember", "-", "--private", stdin=TEXT)["memory"]
    cli.json("remember", "-", "--update", first["id"], stdin=TEXT + " and more")
    assert not (root / "history").exists()
    (revisions,) = (root / "private" / ".history").glob("*.jsonl")
    assert mode(revisions) == 0o600


def test_saying_afterwards_what_it_supersedes(cli: Command, root: Path) -> None:
    # D-6: saved, told that it changes a fact, and then said to take the other's place
    old = cli.json("remember", "The standup is at 3pm")["memory"]
    new = cli.json("remember", "The standup is at 4pm")
    assert new["differs"] == ["time 3pm → 4pm"]
    assert new["changed"]["id"] == old["id"]
    again = cli.json("remember", "The standup is at 4pm", "--supersedes", old["id"])
    assert again["status"] == "saved"
    assert again["memory"]["id"] == new["memory"]["id"]
    assert again["closed"] == [old["id"]]
    assert [each["id"] for each in cli.json("list")["memories"]] == [new["memory"]["id"]]
    assert again["memory"]["supersedes"] == [Path(old["path"]).stem]


def test_refused_again_is_kept_once(cli: Command, root: Path) -> None:
    # D-2
    cli.run("remember", TEXT)
    assert cli.run("remember", TEXT).code == 3
    assert cli.run("remember", "--last-blocked").code == 3
    assert len(list((root / ".vault-mem" / "blocked").iterdir())) == 1


def test_of_many_equals_the_newest_is_named(vault: Vault, root: Path, env: dict[str, str]) -> None:
    # D-2: however they came into the index, and in a vault just opened too
    text = "Took the pills with a glass of water"
    notes = [
        memory(root, f"memories/{n:02d}.md", f"mem_{n * 7919 % 97:012x}", text, f"about_time: {n}") for n in range(40)
    ]
    for n, path in enumerate(notes):
        path.write_text(path.read_text().replace("2026-11-01", f"2026-09-{n % 28 + 1:02d}"))
    vault.recall("pills")
    for path in reversed(notes[::2]):
        path.write_text(path.read_text() + "\n")
        vault.recall("pills")
    named = [opened.remember(text).duplicate_of for opened in (vault, Vault(root, env=env))]
    assert [found and f"{found.memory.created:%m-%d}" for found in named] == ["09-28"] * 2


NOTE = """The boiler is serviced by Lindgren every October.

> [!note] Ana
> Ask for the same technician.

## Links
- [[Heating]]
- [[Lindgren]]
"""


def test_an_annotated_memory_still_counts(vault: Vault, root: Path) -> None:
    # D-2: callouts, headings and lists of links are no facts
    memory(root, "memories/boiler.md", "mem_00000000000c", NOTE)
    again = vault.remember("The boiler is serviced by Lindgren every October.")
    assert again.duplicate_of is not None
    assert again.duplicate_of.memory.id == "mem_00000000000c"
    assert vault.remember("The boiler is serviced by Lindgren every March.").memory is not None


def test_a_paragraph_that_a_person_added(vault: Vault, root: Path) -> None:
    # D-2: a short note is compared by its paragraphs too
    both = "The boiler is serviced by Lindgren every October.\n\nThe filter of the pump was replaced after the flood."
    memory(root, "memories/boiler.md", "mem_00000000000c", both)
    assert vault.remember("The boiler is serviced by Lindgren every October.").duplicate_of is not None


def test_distance_alone_decides_where_it_is_asked_to(cli: Command, root: Path) -> None:
    # the seed's rule, for those who want it
    before, after = "Alice manages Bob in the platform team", "Bob manages Alice in the platform team"
    assert cli.run("remember", before).code == 0
    assert cli.run("compare", before, after, "--json").json["verdict"] == "contradicts"
    assert cli.run("config", "set", "dedup_mode", "distance").code == 0
    assert cli.run("compare", before, after, "--json").json["verdict"] == "duplicate"
    assert cli.run("remember", after).code == 3
    assert cli.run("remember", "Alice keeps bees").code == 0
    assert cli.run("config", "set", "dedup_mode", "cosine").code != 0
