"""Candidates: what looks worth keeping waits for a yes, and becomes a memory by nothing else (SPEC K-2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from helpers import at_a_terminal
from test_capture import capture, kept, line, transcript

from vault_mem.mcp.tools import TOOLS
from vault_mem.notes.worth import worth_keeping

SAID = (
    "Please run the tests again. We decided to use Postgres 16 for the harbour app. Is that clear?",
    "締め切りは11月30日です。ログを見せてください。",
    "Remember that Kaya is allergic to shellfish.",
)


@pytest.fixture
def waiting(cli: Command, root: Path, tmp_path: Path) -> Command:
    capture(
        cli, transcript(tmp_path, *(line("user", said) for said in SAID), line("assistant", "We decided on Oracle."))
    )
    return cli


def proposals(cli: Command) -> list[dict]:
    return cli.json("review", "list")["proposals"]


def test_they_wait(waiting: Command, root: Path) -> None:
    # K-2: by rules, in both languages; what is asked or told to be done now is none; nothing is saved
    found = [each["text"].split("”")[0].removeprefix("save “") for each in proposals(waiting)]
    assert found == [
        "Kaya is allergic to shellfish.",
        "We decided to use Postgres 16 for the harbour app.",
        "締め切りは11月30日です。",
    ]
    assert waiting.json("list")["memories"] == []
    first = proposals(waiting)[0]
    assert first["said_in"].startswith("sessions/2026-11/") and "Kaya" in json.dumps(first["around"])
    assert (
        "Kaya"
        in kept(root)[Path(first["said_in"].partition(":")[0]).name].split("\n")[
            int(first["said_in"].rpartition(":")[2]) + 1
        ]
    )


def test_accepted(waiting: Command, root: Path) -> None:
    # K-2: one operation saves it, with its source and its time; one undo takes it back
    answer = waiting.json("review", "accept", proposals(waiting)[0]["id"])
    memory = waiting.json("show", answer["memory_id"])
    assert memory["content"] == "Kaya is allergic to shellfish." and memory["kind"] == "fact"
    assert memory["source"].startswith("session:sessions/2026-11/") and "#L" in memory["source"]
    assert memory["created"].startswith("2026-11-17T15:24")
    assert "shellfish" not in (root / "REVIEW.md").read_text()
    assert len(proposals(waiting)) == 2
    assert waiting.run("undo", "--yes").code == 0
    assert waiting.json("list")["memories"] == [] and len(proposals(waiting)) == 3


def test_a_tick_saves(waiting: Command, root: Path) -> None:
    # K-2: as it stands in the file, corrected by its owner
    waiting.run("config", "set", "quiet_seconds", "0")
    review = root / "REVIEW.md"
    text = review.read_text().replace(
        "- [ ] save “Kaya is allergic to shellfish.”", "- [x] save “Kaya cannot eat oysters.”"
    )
    review.write_text(text)
    waiting.run("status")
    assert [each["content"] for each in waiting.json("list")["memories"]] == ["Kaya cannot eat oysters."]


def test_dropped_for_good(waiting: Command, tmp_path: Path) -> None:
    # K-2: what was refused, known or saved is not proposed again
    waiting.run("review", "reject", "1")
    waiting.run("remember", "The deadline for the harbour is 30 November.")
    transcript(tmp_path, line("user", "Remember that Kaya is allergic to shellfish."))
    capture(waiting, tmp_path / "s1.jsonl")
    assert len(proposals(waiting)) == 2
    waiting.run("remember", "I moved to Otaru in spring.")
    capture(waiting, transcript(tmp_path, line("user", "I moved to Otaru in spring."), name="s2"))
    assert len(proposals(waiting)) == 2


def test_ten_a_day(cli: Command, tmp_path: Path) -> None:
    towns = "Otaru Sada Hakata Nagoya Kobe Sendai Naha Nara Gifu Beppu Saga Mito Kure Tsu".split()
    said = [line("user", f"Remember that my aunt number {n} keeps a boat in {town}.") for n, town in enumerate(towns)]
    capture(cli, transcript(tmp_path, *said))
    assert len(proposals(cli)) == 10
    capture(
        cli, transcript(tmp_path, line("user", "Remember that the ferry to Rebun is blue.", "2026-11-18T09:00:00Z"))
    )
    assert len(proposals(cli)) == 11


def test_private_sessions(cli: Command, root: Path, tmp_path: Path) -> None:
    # K-2, P-6: what comes of a session that touched a private memory is private
    given = {"type": "tool_use", "name": "mcp__vault-mem__recall", "input": {"query": "lamp", "private": True}}
    said = [line("user", "We decided to sell the old boat in March."), line("assistant", [given])]
    capture(cli, transcript(tmp_path, *said))
    assert not (root / "REVIEW.md").exists() and "sell the old boat" in (root / "private/REVIEW.md").read_text()
    assert "sell the old boat" in cli.run("wake-up").out
    assert "sell the old boat" not in cli.run("wake-up", "--public-only").out
    id_ = cli.json("review", "accept", "1")["memory_id"]
    assert cli.json("show", id_)["private"] is True


def test_an_agent_answers(waiting: Command) -> None:
    # K-2: wake-up lists them with their numbers, update_memory takes those; not where there is the public side alone
    woke = waiting.json("wake-up")["candidates"]
    assert woke[0]["text"] == "Kaya is allergic to shellfish."
    assert woke[0]["id"] in waiting.run("wake-up").out
    tool = next(each for each in TOOLS if each.name == "update_memory")
    words, _ = tool.command_line({"accept": woke[0]["id"]})
    assert waiting.run(*words).code == 0
    words, _ = tool.command_line({"drop": woke[1]["id"]})
    assert waiting.run(*words).code == 0
    assert len(waiting.json("list")["memories"]) == 1 and len(proposals(waiting)) == 1
    for wrong in ({"accept": "rv-1", "close": True}, {"close": True}, {"accept": "rv-1", "memory_id": "mem_1"}, {}):
        with pytest.raises(Exception, match=r"memory_id|do not go together|needs one of"):
            tool.command_line(wrong)
    assert "candidates" not in waiting.json("wake-up", "--public-view")
    assert "accept" not in tool.input_schema(public=True)["properties"]


def test_step_by_step(waiting: Command) -> None:
    shown = at_a_terminal(waiting, "review", typed="y\nn\nq\n").out
    assert "user: Remember that Kaya" in shown and "saved, id: mem_" in shown


def test_switched_off(cli: Command, root: Path, tmp_path: Path) -> None:
    cli.run("config", "set", "candidates", "false")
    capture(cli, transcript(tmp_path, line("user", "Remember that the ferry to Rebun is blue.")))
    assert not (root / "REVIEW.md").exists() and len(kept(root)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Can you fix the failing test?",
        "run the linter and then commit",
        "It still fails with the same error.",
        "Looks good, thanks!",
        "テストを実行してください。",
        "これはどういう意味ですか？",
        "```\nwe decided to use tabs\n```",
        "> We decided to use tabs everywhere.",
        "ok",
        "12月6日の土曜に決まった。",
        "I want to make sure that I understand it before deciding on that.",
        "That's good to hear, it should be fine by now.",
        "",
    ],
)
def test_not_worth_it(said: str) -> None:
    assert list(worth_keeping(said)) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I prefer tea to coffee, just so you know for next time", "I prefer tea to coffee"),
        ("ok. we decided to keep the old stove", "we decided to keep the old stove"),
        ("My dentist is Dr. Obuya at the harbour.", "My dentist is Dr. Obuya at the harbour."),
        ("I can't have oats, I have coeliac disease", "I can't have oats, I have coeliac disease"),
        ("from 24 November I'm on the early shift", "from 24 November I'm on the early shift"),
        ("一覧は表じゃなくて箇条書きにして。", "一覧は表じゃなくて箇条書きにして。"),
        ("解約するなら11月20日までに言わないと違約金がかかる", "解約するなら11月20日までに言わないと違約金がかかる"),
        ("違う違う、野々村さんは男性だよ", "違う違う、野々村さんは男性だよ"),
    ],
)
def test_worth_it(said: str, kept: str) -> None:
    # K-2: the sentence whole, and it alone
    assert [each.text for each in worth_keeping(said)] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "releases go out tuesdays, never on fridays",
        "The archive has about 400,000 articles, the oldest from 1996.",
        "timeouts are 5 seconds everywhere",
        "請求番号は年度ごとに1から始まります",
    ],
)
def test_plain_statements_where_the_agent_works(said: str) -> None:
    # K-2: how things are is told without a cue; in small talk the same form is mostly an opinion
    assert [each.rule for each in worth_keeping(said, at_work=True)] == ["statement"] and not list(worth_keeping(said))


@pytest.mark.parametrize(
    "said",
    [
        "The search page is slow, please profile the query.",
        "The index looks wrong.",
        "the failing one is test_split_three_ways",
        "that hotel looks nice, how far is it from the tram",
        "まだ直っていません",
        "請求書のPDFは今おかしいです",
    ],
)
def test_remarks_on_the_work_at_hand(said: str) -> None:
    assert not list(worth_keeping(said, at_work=True))


def test_an_agent_that_works_has_used_tools(cli: Command, tmp_path: Path) -> None:
    said = line("user", "The archive has about 400,000 articles.")
    ours = {"type": "tool_use", "id": "t1", "name": "mcp__vault-mem__recall", "input": {"query": "archive"}}
    capture(cli, transcript(tmp_path, said, line("assistant", [ours])))
    assert not proposals(cli)
    shell = {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "ls"}}
    capture(cli, transcript(tmp_path, said, line("assistant", [ours, shell]), said))
    assert [each["text"][:20] for each in proposals(cli)] == ["save “The archive ha"]


def test_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    # K-2: of what is proposed in the sessions of the benchmark, at least .6 is worth keeping
    monkeypatch.syspath_prepend(Path(__file__).parent.parent)
    from benchmarks.bench_capture import candidates
    from benchmarks.harness import Setting

    precision, share = (figure.value for figure in candidates(Setting(Path(), quick=True)))
    assert precision >= 0.6 and share >= 0.5
