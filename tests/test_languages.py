"""Other languages: a text that the model does not know the words of is read in English (R-1, R-10)."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from helpers import memory

from vault_mem.embedding.embedder import BUILT_IN, LANGUAGES, Embedder
from vault_mem.embedding.languages import Languages
from vault_mem.embedding.tokens import TokenVectors

SHELF = {
    "memories/plumber.md": "The plumber comes on Thursday between 8 and 10.",
    "memories/keys.md": "Tomaž has the keys of the vacation house.",
    "memories/cat.md": "The cat has to take its medicine twice a day.",
    "memories/eyes.md": "母は来月、白内障の手術を受ける。",
    "memories/concert.md": "Jun's violin recital is in May.",
    "memories/shed.md": "The garden shed may cost 1,850 euros.",
    "memories/bread.md": "Bread: 500 g flour, 350 g water, 10 g salt.",
    "memories/train.md": "The night train to Zagreb leaves at eleven.",
}
ASKED = {
    "Wann kommt der Klempner?": "plumber",
    "Wer hat den Schlüssel zum Ferienhaus?": "keys",
    "Quel médicament prend le chat ?": "cat",
    "Qui a les clés de la maison de vacances ?": "keys",
    "¿Cuándo viene el fontanero?": "plumber",
    "Quando è il recital di violino?": "concert",
    "小提琴演奏会是什么时候？": "concert",
    "母亲的白内障手术": "eyes",
    "어머니의 백내장 수술": "eyes",
    "배관공은 언제 와?": "plumber",
    "Klempner": "plumber",
}


@pytest.fixture(scope="module")
def languages() -> Languages:
    found = Embedder().static.languages
    assert found
    return found


@pytest.mark.parametrize("question", ASKED)
def test_an_english_or_japanese_memory_answers(cli: Command, root: Path, question: str) -> None:
    for number, (key, text) in enumerate(SHELF.items()):
        memory(root, key, f"mem_{number:012x}", text)
    answer = cli.json("recall", question)
    assert Path(answer["results"][0]["path"]).stem == ASKED[question]


@pytest.mark.parametrize(
    "text",
    [
        "The hat was red, and the gift is for a friend of ours.",
        "Met Die Hard fans at the bar; we talked about art and war for hours.",
        "Haruka prefers Svelte",
        "pnpm-lock.yaml",
        "眼鏡の修理は金曜日",
        "車検予約完了九月末支払済",  # Japanese without kana
        "",
        "🎻",
    ],
)
def test_what_the_model_knows_is_read_as_it_is(languages: Languages, text: str) -> None:
    assert languages.in_english(text) == text


def test_a_word_of_another_language_is_not_read_in_english_texts(languages: Languages) -> None:
    assert not languages.translations("We had Schadenfreude about it, and the others were angry with us.")
    assert [each.english for each in languages.translations("Schlüssel")] == ["key"]


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Mi hermana vive en Valencia y trabaja en un hospital de la ciudad.", "city"),
        ("A minha irmã mora no Porto e trabalha com o meu gato.", "cat"),
        ("Mia sorella abita a Torino e lavora in un ospedale con il suo gatto.", "sister"),
        ("Ma sœur habite à Lyon et elle travaille dans un hôpital.", "hospital"),
        ("Mijn zus woont in Utrecht en werkt met haar kat in een ziekenhuis.", "cat"),
    ],
)
def test_small_words_that_languages_share_tell_them_together(languages: Languages, text: str, english: str) -> None:
    assert english in languages.in_english(text).split()


def test_parts_of_a_compound_are_known(languages: Languages) -> None:
    (said,) = [each for each in languages.translations("Das ist ein Geigenkonzert.") if each.start == 12]
    assert "concert" in said.english and "violin" in said.english


def test_tokens_stand_where_the_word_does() -> None:
    tokens, text = TokenVectors(), "Wo ist der Schlüssel für Jun?"
    spans = {text[token.start : token.end] for token in tokens.tokens(text)}
    assert {"Schlüssel", "Jun"} <= spans
    assert "der" not in spans  # it says nothing
    key = tokens.tokens("key")[0].id
    assert [token.id for token in tokens.tokens(text) if text[token.start : token.end] == "Schlüssel"] == [key]


def test_denying_is_kept(languages: Languages) -> None:
    assert "not" in languages.in_english("Ich mag das nicht, und der Hund auch nicht.").split()


def test_tables_are_part_of_what_the_model_is(tmp_path: Path) -> None:
    """The index is rebuilt when they change."""
    for file in BUILT_IN.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    bare = Embedder(str(tmp_path))
    assert bare.static.languages is None
    (tmp_path / LANGUAGES).mkdir()
    (tmp_path / LANGUAGES / "small_words.json").write_text('{"de": "der ist"}', encoding="utf-8")
    (tmp_path / LANGUAGES / "de.txt").write_text("der\t\nhund\tdog\n", encoding="utf-8")
    told = Embedder(str(tmp_path))
    assert told.fingerprint != bare.fingerprint
    dog, hund = told.encode(["the dog", "der Hund ist"])
    assert float(np.dot(dog, hund)) > 0.8


@pytest.mark.parametrize("letter", ["x", "한", "ü"])
def test_a_run_of_letters_without_end_is_read_at_once(languages: Languages, letter: str) -> None:
    """To look up all parts of 200,000 letters would take minutes; this takes milliseconds."""
    before = time.process_time()
    languages.in_english(f"Das ist der {letter * 200_000} und das nicht.")
    assert time.process_time() - before < 5


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("ส้มโอ", "cat"),  # inside a run of Thai, which has no spaces
        ("อาหาร", "dog"),
        ("दवा", "medicine"),  # and not every word that begins with the same consonants
        ("محمد", "driver"),
    ],
)
def test_words_of_scripts_that_write_vowels_as_signs(cli: Command, root: Path, query: str, name: str) -> None:
    shelf = {
        "cat": "แมวชื่อส้มโอต้องฉีดวัคซีนทุกเดือนมิถุนายน",
        "dog": "หมาของเพื่อนบ้านชอบกินอาหารตอนเย็น",
        "medicine": "माँ की दवा रोज़ रात को खाने के बाद देनी है।",
        "wall": "दीवार का रंग दो साल पहले बदला था।",
        "driver": "السائق اسمه مُحَمَّد.",
    }
    for number, (key, text) in enumerate(shelf.items()):
        memory(root, f"memories/{key}.md", f"mem_{number:012x}", text)
    answer = cli.json("recall", query)
    assert answer["answered"] and Path(answer["results"][0]["path"]).stem == name
    assert [Path(each["path"]).stem for each in cli.json("search", query)["results"]] == [name]
