"""Tasks: done with their date, due on the day they name."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from conftest import Command
from helpers import at, contents

from vault_mem.notes.days import named_day

# A Tuesday.
TODAY = date(2026, 11, 17)
NOW = {"VAULT_MEM_NOW": "2026-11-17T09:00:00+09:00"}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Call Onishi tomorrow", "2026-11-18"),
        ("Send the report today", "2026-11-17"),
        ("Pay the bill the day after tomorrow", "2026-11-19"),
        ("Send the invoice next Friday", "2026-11-27"),
        ("Send the invoice on Friday", "2026-11-20"),
        ("Send the invoice by Tuesday", "2026-11-24"),
        ("Send the invoice this Friday", "2026-11-20"),
        ("Renew the passport on the 20th", "2026-11-20"),
        ("Renew the passport by the 3rd", "2026-12-03"),
        ("Book the flight in two weeks", "2026-12-01"),
        ("Check the logger in 3 days", "2026-11-20"),
        ("File the tax return by 5 March", "2027-03-05"),
        ("File the tax return by March 5th, 2027", "2027-03-05"),
        ("Ship on 2026-12-01", "2026-12-01"),
        ("明日大西さんに電話する", "2026-11-18"),
        ("来週の金曜に請求書を送る", "2026-11-27"),
        ("金曜までに請求書を送る", "2026-11-20"),
        ("今週の木曜に会う", "2026-11-19"),
        ("明後日の朝に出す", "2026-11-19"),
        ("20日に旅券を受け取る", "2026-11-20"),
        ("12月3日までに申し込む", "2026-12-03"),
        ("3日後に確認する", "2026-11-20"),
        ("１２月３日に申し込む", "2026-12-03"),
        # the year is said in other ways
        ("来年12月3日までに更新する", "2027-12-03"),
        ("再来年の3月5日に車検", "2028-03-05"),
        ("令和9年12月3日に免許を更新する", "2027-12-03"),
        ("Renew the licence on December 3 next year", "2027-12-03"),
        ("Renew the licence by 1 December 2101", "2101-12-01"),
        ("来月の20日に家賃を払う", "2026-12-20"),
        ("今月30日に家賃を払う", "2026-11-30"),
        # only some years have it
        ("Pay the notary on Feb 29", "2028-02-29"),
        ("2月29日に公証人に払う", "2028-02-29"),
    ],
)
def test_a_day_that_is_named(text: str, day: str) -> None:
    # T-8
    assert named_day(text, TODAY) == date.fromisoformat(day)


@pytest.mark.parametrize(
    "text",
    [
        "Renew the passport",
        "Water the plants every Friday",
        "Write the weekly report on Friday",
        "Call on Monday or on Tuesday",
        "Ask about last Friday",
        "Look at tomorrow's agenda",
        "Fix the bug on the 3rd floor",
        "Send 20 invoices",
        "Order in 2 sizes",
        "Meet between Monday and Friday",
        "March to the summit",
        "Read about 30 February",
        "Call soon",
        "毎週金曜に報告する",
        "先週の金曜の件を聞く",
        "月曜から金曜まで工事",
        "3日間休む",
        "日記を書く",
        "This Monday was a holiday",
        "Scan the letter of 5 March 1999",
        "1999年3月5日の手紙をスキャンする",
        "平成30年3月5日の手紙をスキャンする",
        "去年の12月3日の請求書を探す",
        "Renew it on 3 December '27",
        "Next year on 3 December, renew it",
        "1日に2回薬を飲む",
        "第3日曜に掃除する",
        "再来月の3日に払う",
    ],
)
def test_what_names_no_one_day(text: str) -> None:
    # T-8: times the parser is not sure of are left alone
    assert named_day(text, TODAY) is None


def test_the_day_is_kept(cli: Command) -> None:
    # T-8: in about_time of a task; the text stays as it was, and --about-time wins
    found = cli.json("remember", "Call Onishi tomorrow", "--kind", "task", env=NOW)["memory"]
    assert (found["content"], found["about_time"]) == ("Call Onishi tomorrow", "2026-11-18")
    given = cli.json("remember", "Pay Kaya tomorrow", "--kind", "task", "--about-time", "by noon", env=NOW)["memory"]
    assert given["about_time"] == "by noon"
    assert cli.json("remember", "Tomorrow is Kaya's birthday", env=NOW)["memory"].get("about_time") is None


def test_list_due(cli: Command) -> None:
    # T-8: the earliest first, without what is done or has no day
    later = cli.json("remember", "Send the invoice to Bergen next Friday", "--kind", "task", env=NOW)["memory"]["id"]
    soon = cli.json("remember", "Call Onishi tomorrow", "--kind", "task", env=NOW)["memory"]["id"]
    gone = cli.json("remember", "Feed the tortoise today", "--kind", "task", env=NOW)["memory"]["id"]
    cli.json("remember", "Learn to solder", "--kind", "task", env=NOW)
    cli.json("done", gone, env=NOW)
    found = cli.json("list", "--due", env=NOW)
    assert [each["id"] for each in found["memories"]] == [soon, later]
    assert found["total"] == 2
    assert cli.run("list", "--due", env=NOW).out.splitlines()[0].startswith(f"{soon}  2026-11-18  ")


def test_wake_up_shows_what_is_due_first(cli: Command) -> None:
    # T-8: overdue and due within a week first, with the date, before what is merely important
    cli.json("remember", "Learn to solder", "--kind", "task", "--importance", "5", env=NOW)
    cli.json("remember", "Send the invoice to Bergen next Friday", "--kind", "task", env=NOW)
    cli.json("remember", "Call Onishi tomorrow", "--kind", "task", env=NOW)
    cli.json("remember", "Renew the passport in 3 days", "--kind", "task", env=NOW)
    later = at("2026-11-19")
    tasks = cli.json("wake-up", env=later)["tasks"]
    assert [each["text"].split()[0] for each in tasks] == ["Call", "Renew", "Learn", "Send"]
    assert [each.get("due") for each in tasks] == ["2026-11-18", "2026-11-20", None, None]
    text = cli.run("wake-up", env=later).out
    assert "task, overdue since 2026-11-18: Call Onishi tomorrow" in text
    assert "task, due 2026-11-20: Renew the passport" in text


def test_done(cli: Command, root: Path) -> None:
    # T-7: closed with its date, undone by one step
    task = cli.json("remember", "Renew the passport", "--kind", "task", env=NOW)["memory"]["id"]
    before = {name: data for name, data in contents(root).items() if not name.startswith("history/")}
    answer = cli.json("done", task, "--reason", "fetched it", env=NOW)
    assert (answer["status"], answer["memory"]["status"]) == ("done", "done")
    assert answer["memory"]["valid_to"].startswith("2026-11-17T09:00:00")
    assert cli.json("history", task)["revisions"][-1]["reason"] == "fetched it"
    assert cli.run("done", task, env=NOW).code == 5
    cli.json("undo", env=NOW)
    assert {name: data for name, data in contents(root).items() if not name.startswith("history/")} == before
    fact = cli.json("remember", "The passport is in the drawer", "--kind", "fact", env=NOW)["memory"]["id"]
    assert cli.run("done", fact, env=NOW).code == 2


@pytest.mark.parametrize("how", ["command", "status"])
def test_what_is_done_appears_nowhere(cli: Command, how: str) -> None:
    # T-7: not under recent and important either
    task = cli.json("remember", "Renew the passport", "--kind", "task", "--importance", "5", env=NOW)["memory"]["id"]
    if how == "command":
        cli.json("done", task, env=NOW)
    else:
        cli.json("edit", task, "--set", "status=done", env=NOW)
    assert "passport" not in cli.run("wake-up", env=NOW).out


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("Renew the passport by next Friday", "The passport has been renewed"),
        ("来週までに請求書を送る", "請求書を送った"),
        ("Renew the passport", "The passport has been renewed"),
        ("Send the contract to Marit", "Sent Marit the contract"),
        ("I need to call the dentist", "I called the dentist"),
        ("Pay the electricity bill", "Paid the electricity bill today"),
        ("請求書を送る", "請求書を送った"),
        ("部屋を掃除する", "部屋の掃除が終わった"),
        ("電気代を払うのを忘れないこと", "電気代を払った"),
    ],
)
def test_a_text_that_says_a_task_is_done(cli: Command, task: str, text: str) -> None:
    # T-7, D-9: it is saved, and offers to end the task
    open_task = cli.json("remember", task, "--kind", "task", env=NOW)["memory"]["id"]
    cli.json("remember", "Buy stamps and paper", "--kind", "task", env=NOW)
    answer = cli.json("remember", text, env=NOW)
    assert answer["status"] == "saved"
    assert [each["id"] for each in answer["may_finish"]] == [open_task]
    cli.json("forget", answer["memory"]["id"], env=NOW)
    assert f"If that is done: vault-mem done {open_task}\n" in cli.run("remember", text, "--force", env=NOW).out
    assert cli.json("show", open_task).get("valid_to") is None


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("Renew the passport", "The passport has not been renewed yet"),
        ("Renew the passport", "I must renew the passport soon"),
        ("Pay the electricity bill", "The gas bill was paid"),
        ("Return the library books", "The library was closed"),
        ("請求書を送る", "請求書をまだ送っていない"),
        ("歯医者を予約する", "歯医者が引っ越した"),
    ],
)
def test_a_text_that_does_not(cli: Command, task: str, text: str) -> None:
    # T-7
    cli.json("remember", task, "--kind", "task", env=NOW)
    assert cli.json("remember", text, "--force", env=NOW)["may_finish"] == []
