"""Where a sentence ends: what cuts texts into sentences is told once, for titles, excerpts, proposals and ranking."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import note
from hypothesis import given
from hypothesis import strategies as st

from vault_mem.notes.sentences import sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dr. Sato called. He is well.", ["Dr. Sato called. ", "He is well."]),
        ("Version 1.2.3 is out... Really?! Yes.", ["Version 1.2.3 is out... ", "Really?! ", "Yes."]),
        ("He paid 3.5 for no. 14 etc. and left.", ["He paid 3.5 for no. 14 etc. and left."]),
        ("I said no. We left.", ["I said no. ", "We left."]),
        ("J. R. R. Tolkien wrote it. So do I. And you?", ["J. R. R. Tolkien wrote it. ", "So do I. ", "And you?"]),
        ('"It is done." She was glad.', ['"It is done." ', "She was glad."]),
        ("京都に行く。「楽しみ！」と言った。", ["京都に行く。", "「楽しみ！」", "と言った。"]),
        ("# Menu\n- rice\n\n- tea\n", ["# Menu\n", "- rice\n\n", "- tea\n"]),
        ("", []),
    ],
)
def test_where_a_sentence_ends(text: str, found: list[str]) -> None:
    assert sentences(text) == found


@given(st.text(st.sampled_from("aA1 .!?\n\r\"'」。！？)Drno"), max_size=60))
def test_joined_they_are_the_text_again(text: str) -> None:
    assert "".join(sentences(text)) == text
    assert all(sentences(text))


def test_a_title_goes_on_after_dr(cli: Command) -> None:  # V-3
    saved = cli.json("remember", "Dr. Sato moved to St. Louis. The clinic is on Oak Street.")
    assert cli.json("show", saved["memory"]["id"])["title"] == "Dr. Sato moved to St. Louis"


def test_stops_without_end_take_no_time() -> None:  # S-1
    hostile = "." * 200_000 + "a" + "\"')" * 100_000 + " " * 200_000 + "a"
    assert "".join(sentences(hostile)) == hostile


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Мы ездили на рынок и готовили ужин, ", "код от домофона семьдесят два восемнадцать, "),
        ("0412-7731-8820 ", "IBAN DE89370400440532013000 of the allotment club "),
    ],
)
def test_a_long_sentence_is_cut_between_words(cli: Command, root: Path, words: str, said: str) -> None:
    for before in range(800 // len(words) - 2, 800 // len(words) + 2):  # wherever a passage begins
        text = words * before + said + words * 60
        path = note(root, f"memories/n{before}.md", text)
        (found,) = cli.json("recall", said, "-n", "1")["results"]
        assert set(found["passage"].strip(".").split()) <= set(text.split())
        path.unlink()
