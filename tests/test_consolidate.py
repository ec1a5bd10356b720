"""consolidate: replay of the last hours, and pairs that say nearly the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command
from helpers import contents, memory, mode, note, public_text

from vault_mem import Vault
from vault_mem.index.pairs import nearest_pairs
from vault_mem.operations.upkeep import consolidate
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import activity

NOTHING = "Consolidation complete. Replayed 0 events, updated 0 co-activations, created 0 links, refreshed 0 memories."
NOW = {"VAULT_MEM_NOW": "2026-11-01T12:00:00+09:00"}


def ids(count: int) -> list[str]:
    return [f"mem_{number:08x}0000" for number in range(1, count + 1)]


def saved(root: Path, id_: str, text: str, hour: str, *front: str, folder: str = "memories/2026-11") -> Path:
    lines = "".join(line + "\n" for line in front)
    path = f"{folder}/{id_}.md" if folder == "private" else f"{folder}/note-{id_[4:12]}.md"
    return note(root, path, f"---\nid: {id_}\ncreated: {hour}\n{lines}---\n{text}\n")


def test_memories_that_followed_one_another_are_linked_once(cli: Command, root: Path) -> None:
    # C-1: adjacent pairs of the last 24 h; strengths in the activity log, not in files
    one, two, three, old = ids(4)
    paths = [
        saved(root, one, "The tide logger lost nine minutes.", "2026-11-01T08:00:00", "tags: [day]"),
        saved(root, two, "Rye bread is better on the second day.", "2026-11-01T09:00:00", "tags: [day]"),
        saved(root, three, "Noor passed the exam.", "2026-11-01T10:00:00", f'links: ["[[note-{two[4:12]}]]"]'),
    ]
    earlier = saved(root, old, "An old day.", "2026-10-30T08:00:00")
    before = [path.read_bytes() for path in (paths[0], paths[2], earlier)]
    answer = cli.json("consolidate", env=NOW)
    names = ("replay_events", "coactivation_updates", "link_updates", "refreshed_memories")
    assert [answer[name] for name in names] == [2, 2, 1, 3]
    assert answer["merge_candidates"] == []
    assert f'"[[note-{one[4:12]}|The tide logger lost nine minutes · related]]"' in paths[1].read_text(encoding="utf-8")
    assert [path.read_bytes() for path in (paths[0], paths[2], earlier)] == before
    again = cli.json("consolidate", env=NOW)
    assert [again[name] for name in names] == [2, 2, 0, 3]
    strengths = activity.strengths(Vault(root, env=cli.env).workspace.folder)
    assert strengths == {(one, two): 0.2, (two, three): 0.2}
    log = root / ".vault-mem" / "activity.jsonl"
    assert mode(log) == 0o600
    assert "tide" not in log.read_text(encoding="utf-8")


def test_undo_takes_the_links_back(cli: Command, root: Path) -> None:
    # C-1: one transaction for all of them
    for number, id_ in enumerate(ids(5)):
        saved(root, id_, f"Day {number} was quite another day.", f"2026-11-01T0{number}:00:00")
    cli.run("status", env=NOW)
    before = {name: data for name, data in contents(root).items() if not name.startswith("history/")}
    assert cli.json("consolidate", env=NOW)["link_updates"] == 4
    cli.json("undo", env=NOW)
    assert {name: data for name, data in contents(root).items() if not name.startswith("history/")} == before


def test_at_most_a_hundred_pairs(cli: Command, root: Path) -> None:
    # C-1
    for number, id_ in enumerate(ids(105)):
        saved(root, id_, f"Minute {number}.", f"2026-11-01T08:{number // 60:02d}:{number % 60:02d}")
    answer = cli.json("consolidate", "--limit", "0", env=NOW)
    assert (answer["replay_events"], answer["refreshed_memories"]) == (100, 101)


def test_a_link_to_a_private_memory_is_written_there(cli: Command, root: Path) -> None:
    # C-1, P-3
    secret, public, later = ids(3)
    private = saved(
        root, secret, "Zanzibar is where the money is.", "2026-11-01T08:00:00", "tags: [day]", folder="private"
    )
    saved(root, public, "Rye bread is better on the second day.", "2026-11-01T09:00:00", "tags: [day]")
    last = saved(root, later, "Nobody knows of Reykjavik.", "2026-11-01T10:00:00", "tags: [day]", folder="private")
    assert cli.json("consolidate", env=NOW)["link_updates"] == 2
    assert f"[[note-{public[4:12]}|" in private.read_text(encoding="utf-8")
    assert f"[[note-{public[4:12]}|" in last.read_text(encoding="utf-8")
    assert secret not in public_text(root)
    assert later not in public_text(root)


def test_a_note_that_cannot_be_edited_is_passed_over(cli: Command, root: Path) -> None:
    # C-1, V-7
    one, two, three = ids(3)
    saved(root, one, "The tide logger lost nine minutes.", "2026-11-01T08:00:00", "tags: [day]")
    odd = saved(root, two, "Rye bread.", "2026-11-01T09:00:00", "tags: [day]", "people: {Noor: 1}")
    saved(root, three, "Noor passed the exam.", "2026-11-01T10:00:00")
    was = odd.read_bytes()
    answer = cli.json("consolidate", env=NOW)
    assert (answer["replay_events"], answer["link_updates"]) == (2, 1)
    assert odd.read_bytes() == was


def test_near_duplicates_with_the_exact_text(cli: Command, root: Path) -> None:
    # C-2, W-6
    new, old, closed = ids(3)
    text = "The standup with Ingrid moved to the third floor, next to the big window.\nBring the tide logger along. "
    saved(root, old, text + "It starts at nine.", "2026-10-01T08:00:00")
    saved(root, new, text + "It starts at nine.", "2026-11-01T09:00:00")
    saved(root, closed, text + "It starts at nine.", "2026-11-01T08:00:00", "valid_to: 2026-11-01T09:00:00")
    answer = cli.json("consolidate", env=NOW)
    scaffold = (
        "Review each pair with recall. If one is redundant, use forget to remove it.\n"
        "If both have value, consider which perspective to keep."
    )
    assert answer == {
        "replay_events": 0,
        "coactivation_updates": 0,
        "link_updates": 0,
        "refreshed_memories": 0,
        "merge_candidates": [
            {
                "memory_a_id": new,
                "memory_b_id": old,
                "distance": 0.0,
                "snippet_a": text[:100],
                "snippet_b": text[:100],
            }
        ],
        "supersede_candidates": [],
        "scaffold": scaffold,
    }
    data = (
        f"{NOTHING}\n\n"
        "Found 1 near-duplicate pair(s):\n"
        f"- {new} <-> {old} (similarity: 1.00)\n"
        f"  A: {text[:100].replace(chr(10), ' ')}\n"
        f"  B: {text[:100].replace(chr(10), ' ')}"
    )
    assert cli.run("consolidate", env=NOW).out == f"{data}\n\n{scaffold}\n"
    assert cli.run("consolidate", "--no-scaffold", env=NOW).out == f"{data}\n"


def test_new_ones_only_unless_all_is_asked_for(cli: Command, root: Path) -> None:
    # C-2: each pair once, nearest first, at most --limit
    one, two, three = ids(3)
    for id_, day in zip((one, two, three), ("01", "02", "03"), strict=True):
        saved(root, id_, "The bakery ledger is kept by Odette since spring.", f"2026-10-{day}T08:00:00")
    assert cli.json("consolidate", env=NOW)["merge_candidates"] == []
    pairs = cli.json("consolidate", "--all", env=NOW)["merge_candidates"]
    found = [(each["memory_a_id"], each["memory_b_id"]) for each in pairs]
    assert found == [(two, one), (three, one), (three, two)]
    assert len(cli.json("consolidate", "--all", "--limit", "2", env=NOW)["merge_candidates"]) == 2
    assert cli.json("consolidate", "--window-hours", "960", env=NOW)["merge_candidates"] == pairs


def test_the_threshold_is_a_setting_and_an_option(cli: Command, root: Path) -> None:
    # C-2, D-5, D-9: a changed day is a changed fact, however near the texts are
    one, two = ids(2)
    saved(root, one, "Haruka moved the meeting about the roof repair to Friday.", "2026-10-01T08:00:00")
    saved(root, two, "Haruka moved the meeting about the roof repair to Monday at nine.", "2026-10-02T08:00:00")
    answer = cli.json("consolidate", "--all", "--merge-threshold", "1", env=NOW)
    assert answer["merge_candidates"] == []
    distance = answer["supersede_candidates"][0]["distance"]
    assert 0 < distance < 1
    below = cli.json("consolidate", "--all", "--merge-threshold", str(distance), env=NOW)
    assert below["supersede_candidates"] == []
    cli.run("config", "set", "merge_threshold", str(distance + 0.0001))
    assert len(cli.json("consolidate", "--all", env=NOW)["supersede_candidates"]) == 1
    assert cli.run("consolidate", "--merge-threshold", "1.5").code == 2


def test_changed_facts_have_a_block_of_their_own(cli: Command, root: Path) -> None:
    # C-2, D-9: never offered for merging; the newest stays, and what differs is named
    one, two = ids(2)
    saved(root, one, "The billing service runs on PostgreSQL 15.", "2026-10-01T08:00:00", "kind: fact")
    saved(root, two, "The billing service runs on PostgreSQL 16.", "2026-10-02T08:00:00", "kind: fact")
    answer = cli.json("consolidate", "--all", "--merge-threshold", "0.5", env=NOW)
    assert answer["merge_candidates"] == []
    (found,) = answer["supersede_candidates"]
    assert (found["memory_a_id"], found["memory_b_id"]) == (two, one)
    assert any("15" in each and "16" in each for each in found["differs"])
    assert found["snippet_b"] == "The billing service runs on PostgreSQL 15."
    text = cli.run("consolidate", "--all", "--merge-threshold", "0.5", env=NOW).out
    assert "Found 1 changed fact(s):\n" in text
    assert "near-duplicate" not in text
    (proposal,) = cli.json("review", "list")["proposals"]
    assert (proposal["kind"], proposal["memories"]) == ("supersede", [two, one])
    assert "closes the second, of 2026-10-01, and keeps the first, of 2026-10-02" in proposal["text"]


def test_the_fuller_text_stays(cli: Command, root: Path) -> None:
    # C-2: whichever is the newer or more important one, a tick loses no words
    one, two = ids(2)
    text = "The winch on the north pier was repaired by Ewan"
    saved(root, one, f"{text}, so it really was the winch on the pier that was repaired.", "2026-10-01T08:00:00")
    saved(root, two, f"{text}.", "2026-10-02T08:00:00", "importance: 5")
    cli.run("config", "set", "dedup_mode", "distance")
    cli.json("consolidate", "--all", "--merge-threshold", "0.9", env=NOW)
    (proposal,) = cli.json("review", "list")["proposals"]
    assert proposal["memories"] == [one, two]
    assert "keeps the second, of 2026-10-01" in proposal["text"]


def test_by_distance_alone(cli: Command, root: Path) -> None:
    # C-2: the rule of the seed, for those who want it
    one, two = ids(2)
    saved(root, one, "The billing service runs on PostgreSQL 15.", "2026-10-01T08:00:00", "kind: fact")
    saved(root, two, "The billing service runs on PostgreSQL 16.", "2026-10-02T08:00:00", "kind: fact")
    cli.run("config", "set", "dedup_mode", "distance")
    answer = cli.json("consolidate", "--all", "--merge-threshold", "0.5", env=NOW)
    assert [each["memory_a_id"] for each in answer["merge_candidates"]] == [two]
    assert answer["supersede_candidates"] == []


def test_events_are_a_log(cli: Command, root: Path) -> None:
    # T-1: what happened twice with other figures is named, but nobody is asked to close the first
    one, two = ids(2)
    saved(root, one, "The ferry to Mihara left 20 minutes late.", "2026-10-01T08:00:00")
    saved(root, two, "The ferry to Mihara left 40 minutes late.", "2026-10-02T08:00:00")
    answer = cli.json("consolidate", "--all", "--merge-threshold", "0.5", env=NOW)
    assert len(answer["supersede_candidates"]) == 1
    assert cli.json("review", "list")["proposals"] == []


def test_a_task_is_not_the_fact_that_it_is_done(cli: Command, root: Path) -> None:
    # D-9
    one, two = ids(2)
    saved(root, one, "Renew the passport before the trip to Oslo.", "2026-10-01T08:00:00", "kind: task")
    saved(root, two, "Renew the passport before the trip to Oslo.", "2026-10-02T08:00:00", "kind: summary")
    answer = cli.json("consolidate", "--all", "--merge-threshold", "1", env=NOW)
    assert (answer["merge_candidates"], answer["supersede_candidates"]) == ([], [])


def test_a_private_fact_that_a_public_one_changes(cli: Command, root: Path) -> None:
    # P-3: it is closed, and the public file does not name it
    one, two = ids(2)
    saved(root, one, "The safe code of the office is 4411.", "2026-10-01T08:00:00", "kind: fact", folder="private")
    new = saved(root, two, "The safe code of the office is 7902.", "2026-10-02T08:00:00", "kind: fact")
    cli.json("consolidate", "--all", "--merge-threshold", "0.5", env=NOW)
    assert not (root / "REVIEW.md").exists()
    before = new.read_bytes()
    assert cli.json("review", "accept", "1", env=NOW)["status"] == "applied"
    assert cli.json("show", one)["valid_to"]
    assert new.read_bytes() == before
    assert one not in public_text(root)


def test_what_was_said_is_not_taken_back(cli: Command, root: Path) -> None:
    # D-9: a turn of a conversation stays as it was said, whatever kind it was saved as
    for text in ("Jon: I won't quit, no matter what.", "Jon: I will quit, no matter what."):
        cli.run("remember", text, "--kind", "fact", "--person", "Jon", "--force")
    answer = cli.json("consolidate", "--all")
    assert (answer["merge_candidates"], answer["supersede_candidates"]) == ([], [])


def test_the_window_of_the_seed(cli: Command, root: Path) -> None:
    # C-1: the newest N instead of hours, and how many are replayed
    for number, id_ in enumerate(ids(6)):
        saved(root, id_, f"Day {number} was quite another day.", f"2026-09-0{number + 1}T08:00:00")
    assert cli.json("consolidate", env=NOW)["replay_events"] == 0
    assert cli.json("consolidate", "--window", "4", env=NOW)["replay_events"] == 3
    assert cli.json("consolidate", "--window", "6", "--max-replay-events", "2", env=NOW)["replay_events"] == 2


def test_similarity_is_that_of_compare(sample_cli: Command) -> None:
    # D-1, C-2, D-9: the same distance everywhere, and the same judge
    answer = sample_cli.json("consolidate", "--all", "--merge-threshold", "0.3", "--limit", "10")
    merges, changes = answer["merge_candidates"], answer["supersede_candidates"]
    assert merges
    for found in (merges, changes):
        assert [each["distance"] for each in found] == sorted(each["distance"] for each in found)
    for each in merges + changes:
        compared = sample_cli.json("compare", each["memory_b_id"], each["memory_a_id"])
        assert each["distance"] == pytest.approx(1 - compared["similarity"], abs=2e-4)
        assert (compared["verdict"] == "duplicate") == (each in merges)


COFFEE = {"mem_862b1ee803df", "mem_ffac248249d4"}
SURGERY = {"mem_ba8b2196747e", "mem_e6137aae9ad0"}
ORDER = {"mem_9d89c14dd60e", "mem_5d1292533805"}


def test_the_sample_vault(sample_cli: Command) -> None:
    # C-2, D-9: of 39 pairs nearer than 0.10 three repeat each other, as read by hand, and none is a changed fact
    answer = sample_cli.json("consolidate", "--all", "--limit", "50")
    found = [{each["memory_a_id"], each["memory_b_id"]} for each in answer["merge_candidates"]]
    assert COFFEE in found
    assert SURGERY in found
    assert all(each in (COFFEE, SURGERY, ORDER) for each in found)
    assert answer["supersede_candidates"] == []
    proposals = sample_cli.json("review", "list")["proposals"]
    assert len(proposals) == len(found)
    assert all(each["kind"] in ("merge", "append") for each in proposals)  # append where a merge would drop words


def test_no_pair_is_missed_whatever_the_vectors_are() -> None:
    # C-2: the shortened vectors pass over nothing
    random = np.random.default_rng(7)
    for spread in (0.02, 0.2, 1.0):
        centers = random.normal(size=(40, 96))
        vectors = (centers[random.integers(40, size=2500)] + spread * random.normal(size=(2500, 96))).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[::500] = 0
        cosines = np.round((vectors @ vectors.T).astype(np.float64), 6)
        level = float(np.quantile(cosines[np.triu_indices(2500, 1)], 0.999))
        first, others = np.arange(0, 2500, 2), np.arange(1, 2500, 2)
        order = np.concatenate([first, others])
        found = nearest_pairs(vectors, first, others, level, 10**9)
        pairs = {tuple(sorted((int(order[one]), int(order[other])))) for _, one, other in found}
        rows, columns = np.nonzero(np.triu(cosines >= level + 2e-6, 1))
        wanted = {
            (int(row), int(column))
            for row, column in zip(rows, columns, strict=True)
            if row % 2 == 0 or column % 2 == 0
        }
        assert wanted <= pairs
        assert len(found) == len(pairs)
        assert nearest_pairs(vectors, first, others, level, 50) == found[:50]


def test_the_log_is_added_up_and_may_be_lost(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-1: losing it loses no memory; what is not about pairs stays
    folder = vault.workspace.folder
    monkeypatch.setattr(activity, "COMPACT_BYTES", 500)
    log = folder.shown(activity.KEY)
    log.parent.mkdir(exist_ok=True)
    log.write_text('{"recalled": "mem_1", "at": "x"}\n{"pair": ["cut sho', encoding="utf-8")
    for _ in range(12):
        activity.strengthen(folder, [("b", "a"), ("b", "c")])
    activity.strengthen(folder, [("c", "b")])
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert len(lines) < 10
    assert lines[0] == {"recalled": "mem_1", "at": "x"}
    assert activity.strengths(folder) == {("a", "b"): 1.0, ("b", "c"): 1.0}
    log.unlink()
    assert activity.strengths(folder) == {}


def test_nothing_there(cli: Command, root: Path) -> None:
    # C-1
    text = NOTHING + "\n"
    assert cli.run("consolidate").out == text
    assert cli.run("consolidate", "--all").out == text
    memory(root, "memories/one.md", "mem_aaaaaaaa0001", "One alone.")
    assert cli.run("consolidate", "--all").out == text


def test_a_note_that_comes_meanwhile(vault: Vault, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # C-2: another command of the same daemon indexes it between looking for what is new and comparing
    vault.remember("The harbour master moved our berth to pier nine")
    beside = Vault.of(Workspace(vault.workspace.folder, like=vault.workspace))
    recent = consolidate._recent

    def recent_and_more(workspace: Workspace, *window: Any) -> Any:
        found = recent(workspace, *window)
        memory(root, "memories/late.md", "mem_00000000000e", "The harbour master moved our berth to pier nine")
        beside.recall("harbour")
        return found

    monkeypatch.setattr(consolidate, "_recent", recent_and_more)
    assert [each.memory_b_id for each in vault.consolidate().merge_candidates] == ["mem_00000000000e"]
