"""The page's files: every word in both languages, nothing from elsewhere, nothing that the policy would refuse."""

from __future__ import annotations

import re
from pathlib import Path

import vault_mem

STATIC = Path(vault_mem.__file__).parent / "web" / "static"
OURS = [
    each for each in STATIC.rglob("*") if each.suffix in {".js", ".css", ".html", ".svg"} and "vendor" not in each.parts
]
ENTRY = re.compile(r'^  "([^"]+)": \[(.*)\],$', re.M)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def words() -> dict[str, list[str]]:
    table = STATIC.joinpath("js", "words.js").read_text(encoding="utf-8")
    return {key: TEXT.findall(texts) for key, texts in ENTRY.findall(table)}


def test_every_text_is_in_both_languages() -> None:  # U-4
    table = words()
    assert len(table) > 200
    for key, texts in table.items():
        assert len(texts) in (2, 3), key
        english, japanese = texts[:2]
        assert bool(english) == bool(japanese), key
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", japanese)), key


def test_every_text_that_is_asked_for_is_there_and_no_other() -> None:
    table = words()
    source = "".join(
        each.read_text(encoding="utf-8") for each in OURS if each.suffix == ".js" and each.name != "words.js"
    )
    named = set(re.findall(r'"([a-z][\w.-]*)"', source))
    asked = set(re.findall(r'\bt\("([^"]+)"', source))
    assert asked - set(table) == set()
    beginnings = tuple(set(re.findall(r"\bt\(`([a-z]+\.)\$", source)))
    unused = {key for key in table if key not in named and not key.startswith(beginnings)}
    assert unused == set()


def test_every_operation_has_words() -> None:
    """What the journal calls it: by its first word, as in `episode create`."""
    sources = [each.read_text(encoding="utf-8") for each in STATIC.parents[1].rglob("*.py")]
    calls = [name for text in sources for name in re.findall(r'Transaction\(\s*[\w.]+,\s*"([\w -]+)"', text)]
    named = [name for text in sources for name in re.findall(r'^COMMAND = "([\w -]+)"', text, re.M)]
    assert len(set(calls)) > 20
    told = {key.removeprefix("command.") for key in words() if key.startswith("command.")}
    assert {name.split()[0] for name in [*calls, *named, "config set", "supersede"]} - told == set()


def test_nothing_comes_from_elsewhere() -> None:
    for each in OURS:
        text = each.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z0-9-]+\.[a-z]", text), each.name


def test_nothing_that_the_policy_refuses() -> None:
    page = STATIC.joinpath("index.html").read_text(encoding="utf-8")
    assert not re.search(r"\son\w+=|\sstyle=|<style|<script(?![^>]*\ssrc=| type=.application/json.)", page)
    scripts = "".join(each.read_text(encoding="utf-8") for each in OURS if each.suffix == ".js")
    assert not re.search(r'\beval\(|new Function|innerHTML|style="', scripts.replace("dangerouslySetInnerHTML", ""))


def test_html_is_put_in_only_where_the_server_has_sanitised_it() -> None:
    uses = [
        line.strip()
        for each in OURS
        if each.suffix == ".js"
        for line in each.read_text(encoding="utf-8").splitlines()
        if "dangerouslySetInnerHTML" in line
    ]
    assert len(uses) == 1
    assert "__html: memory.html" in uses[0]


def test_what_is_vendored_is_named_with_its_version() -> None:
    notice = STATIC.parents[2].joinpath("NOTICE").read_text(encoding="utf-8")
    for each in STATIC.joinpath("vendor").iterdir():
        assert each.name in notice or each.name.startswith("d3-"), each.name
        version = re.search(rb"v(\d+\.\d+\.\d+) Copyright", each.read_bytes())
        if version:
            assert f"{each.name.removesuffix('.min.js')} {version[1].decode()}" in notice
