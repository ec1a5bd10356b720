"""The judge: a repetition is told from a changed fact, in English and Japanese, and what differs is said in words."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_mem import Vault
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge import english, japanese
from vault_mem.judge.align import align, likeness
from vault_mem.judge.judge import MAX_LENGTH, Judgement, judge, plainly_differs
from vault_mem.judge.quantities import READERS, unmatched
from vault_mem.judge.text import Text, names_in, texts
from vault_mem.judge.words import synonyms

DATA = Path(__file__).parent / "data"
LISTS = {
    name: json.loads((DATA / f"guard_pairs_{name}.json").read_text(encoding="utf-8")) for name in ("en", "ja", "mixed")
}
PAIRS = [pair for pairs in LISTS.values() for pair in pairs]
TOKENS = TokenVectors()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """One empty vault for all comparisons: comparing writes nothing."""
    folder = tmp_path_factory.mktemp("judge")
    env = {"HOME": str(folder), "VAULT_MEM_INDEX_DIR": str(folder / "index"), "VAULT_MEM_DAEMON": "off"}
    Vault.init(folder / "vault", env=env)
    return Vault(folder / "vault", env=env)


@functools.cache
def judged(before: str, after: str) -> Judgement:
    return judge(before, after, TOKENS)


def differs(before: str, after: str) -> list[str]:
    return [str(each) for each in judged(before, after).differs]


def text(written: str) -> Text:
    return Text(written, TOKENS, frozenset())


def agree(one: str, other: str) -> bool:
    """Whether the quantities of two texts are the same ones; both must have some."""
    left, right = text(one).quantities, text(other).quantities
    assert left, f"no quantity seen in {one!r}"
    assert right, f"no quantity seen in {other!r}"
    return unmatched(left, right) == ([], [])


# One small word put for another


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The parcel was left by Ana.", "The parcel was left for Ana."),
        ("We drove via Linz.", "We drove to Linz."),
        ("Dinner is this Friday.", "Dinner is next Friday."),
        ("The shelf is across from the desk.", "The shelf is inside the desk."),
        ("Nils is taller than Pia.", "Nils is as tall as Pia."),
        ("Only members can book rooms.", "Members can only book rooms."),
        ("The firm took on three interns.", "The firm let go three interns."),
        ("We walk there and cycle back.", "We cycle there and walk back."),
        ("英語は合格、数学は不合格だった。", "英語は不合格、数学は合格だった。"),
        ("彼は約束を守る。", "彼は習慣を守る。"),
        ("The lecture was moved up.", "The lecture was moved back."),
        ("The user wants more detail.", "The user wants less detail."),
        ("The doctor advised surgery.", "The doctor advised against surgery."),
        ("Nadia has two cats.", "Nadia had two cats."),
        ("The fair will be in Lyon.", "The fair was in Lyon."),
        ("Anna's father is Russian.", "Anna's grandfather is Russian."),
        ("Rosa gave Pia a bicycle.", "Rosa's aunt gave Pia a bicycle."),
        ("The barn is left of the mill.", "The mill is left of the barn."),
        ("She is vegetarian, he is vegan.", "She is vegan, he is vegetarian."),
        ("ほぼ全員が参加した。", "全員が参加した。"),
        ("砂糖入りのコーヒー", "砂糖なしのコーヒー"),
        ("新しい棚は前のより軽い。", "前の棚は新しいのより軽い。"),
        ("大輔は健ほど背が高くない。", "健は大輔ほど背が高くない。"),
        ("山田さんを手伝った。", "山田さんに手伝ってもらった。"),
        ("先生に質問した。", "先生から質問された。"),
        ("ここまでは無料だ。", "ここからは無料だ。"),
        ("上の階の人が引っ越してきた。", "上の階の人が引っ越していった。"),
        ("生地を寝かせてからこねる。", "生地をこねてから寝かせる。"),
        ("今のところ問題はない。", "今のところ問題がある。"),
        ("I can meet on Monday or Tuesday.", "I can meet on Monday and Tuesday."),
        ("月曜か火曜に会える。", "月曜と火曜に会える。"),
        ("Ask Eva about the budget.", "Ask about Eva's budget."),
        ("They have been married for ten years.", "They were married for ten years."),
        ("更新の後に不具合が出た。", "更新の後に不具合が消えた。"),
        ("子供が傘を持っている。", "子供が傘を置いている。"),
        ("She is leaning against a wall and singing.", "She is not leaning against a wall and is not singing."),
        ("Max is in the choir.", "Mia is in the choir."),
    ],
)
def test_small_words_that_change_a_fact(before: str, after: str) -> None:
    # D-6
    assert not judged(before, after).repetition
    assert not judged(after, before).repetition


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("They set off at dawn.", "They departed at dawn."),
        ("The team uses Bazel.", "Bazel is used in the team."),
        ("Somebody took the umbrella.", "Someone took the umbrella."),
        ("The user prefers async reviews.", "The user prefers asynchronous reviews."),
        ("私達は駅に着く事が出来た。", "私たちは駅につくことができた。"),
        ("お寺の庭は広い。", "寺の庭は広い。"),
        ("締切は2027年2月1日だ。", "締切は2027/2/1だ。"),
    ],
)
def test_one_fact_spelled_in_two_ways(before: str, after: str) -> None:
    # D-5
    assert judged(before, after).repetition


# A list that grows or shrinks

LISTS_THAT_GROW = [
    ("Mr Okafor is allergic to aspirin", "Mr Okafor is allergic to aspirin and nickel", "nickel"),
    ("Mr Okafor is allergic to aspirin", "Mr Okafor is allergic to aspirin as well as nickel", "nickel"),
    ("Mr Okafor is allergic to aspirin", "Mr Okafor is allergic to aspirin and also to nickel", "nickel"),
    ("Mr Okafor is allergic to aspirin", "Mr Okafor is allergic to aspirin and allergic to nickel", "nickel"),
    ("Mr Okafor is allergic to aspirin", "Mr Okafor is allergic to aspirin, nickel", "nickel"),
    ("Pia cannot eat peaches and figs", "Pia cannot eat peaches, figs and cashews", "cashews"),
    ("Pia cannot eat peaches and figs", "Pia cannot eat cashews, peaches and figs", "cashews"),
    ("She has keys to the attic and the cellar", "She has keys to the attic, the cellar and the shed", "shed"),
    ("The soup contains leek and fennel.", "The soup contains leek, fennel, and turnip.", "turnip"),
    ("Buy rice, beans and onions", "Buy rice, beans, onions and garlic", "garlic"),
    ("Grandpa takes warfarin in the evening", "Grandpa takes warfarin and digoxin in the evening", "digoxin"),
    ("Vaccinated against tetanus and polio", "Vaccinated against tetanus, polio and rabies", "rabies"),
    ("Side effects: nausea; headache", "Side effects: nausea; headache; fatigue", "fatigue"),
    ("Shopping:\n- rice\n- beans", "Shopping:\n- rice\n- beans\n- garlic", "garlic"),
    ("The build runs on linux and macos", "The build runs on linux, macos and android", "android"),
    ("Ingredients (flour, sugar)", "Ingredients (flour, sugar, honey)", "honey"),
    ("The fee is due for bikes, cars", "The fee is due for bikes, cars / trailers", "trailers"),
    ("The changing room is for men", "The changing room is for men and women", "women"),
    ("妹は英語と中国語を話す", "妹は英語と中国語と韓国語を話す", "韓国"),
    ("妹は英語・中国語を話す", "妹は英語・中国語・韓国語を話す", "韓国"),
    ("パンにはクルミとアーモンドが入っている", "パンにはクルミとアーモンドとピスタチオが入っている", "ピスタチオ"),
    ("夫はエビにアレルギーがある", "夫はエビとカニにアレルギーがある", "カニ"),
    ("米、豆、卵を買う", "米、豆、卵、バターを買う", "バター"),
    ("兄は高血圧がある", "兄は高血圧や糖尿病がある", "糖尿"),
    ("父はギターを弾く", "父はギターもピアノも弾く", "ピアノ"),
    ("持ち物\n- 水筒\n- 帽子", "持ち物\n- 水筒\n- 帽子\n- タオル", "タオル"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "item"), LISTS_THAT_GROW)
def test_another_item_is_another_fact(before: str, after: str, item: str) -> None:
    # D-6: saved whether the list grew or shrank, and the item is named
    assert not judged(before, after).repetition
    assert not judged(after, before).repetition
    assert any(each.startswith("item added: ") and item in each for each in differs(before, after))
    assert any(each.startswith("item dropped: ") and item in each for each in differs(after, before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Buy rice, beans and onions", "Buy rice, beans and lentils"),
        ("Mr Okafor is allergic to aspirin and nickel", "Mr Okafor is allergic to aspirin and wool"),
        ("米と豆を買う", "米と卵を買う"),
    ],
)
def test_an_item_exchanged_is_another_fact(before: str, after: str) -> None:
    # D-6
    assert not judged(before, after).repetition
    assert not judged(after, before).repetition


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The new menu is quick and easy to use", "The new menu is easy to use"),
        ("The guest room is neat and tidy", "The guest room is tidy"),
        ("We asked the neighbours for help and support", "We asked the neighbours for help"),
        ("The badge must be worn by each and every visitor", "The badge must be worn by every visitor"),
        ("We had bread and butter for breakfast", "For breakfast we had bread and butter"),
        ("Buy rice, beans and onions", "Buy onions, rice and beans"),
        ("Ravi works on search and ranking tasks", "Ravi works on search and ranking"),
        ("The user prefers tea, thanks.", "The user prefers tea."),
        ("Actually, the shop opens on Sunday", "The shop opens on Sunday"),
        ("米、豆、卵を買う", "米と豆と卵を買う"),
        ("買い物\n- 米\n- 豆", "買い物: 米、豆"),
        ("ユーザーは米と豆を買うと言っていた", "ユーザーは米と豆を買う"),
        ("母と一緒に暮らしている", "母と暮らしている"),
    ],
)
def test_a_list_said_again_is_a_repetition(before: str, after: str) -> None:
    # D-2: in another order, with other signs between, or with words that only add emphasis
    assert judged(before, after).repetition, differs(before, after)
    assert judged(after, before).repetition, differs(after, before)


def test_both_lists_are_saved(vault: Vault) -> None:
    # D-6: and the answer says which item is new
    first = vault.remember("Mr Okafor is allergic to aspirin").memory
    result = vault.remember("Mr Okafor is allergic to aspirin and nickel")
    assert result.memory is not None
    assert result.changed.memory.id == first.id
    assert [str(each) for each in result.differs] == ["item added: nickel"]


# Our lists of agent-style pairs


@pytest.mark.parametrize("name", ["en", "ja"])
def test_the_lists_are_long_enough(name: str) -> None:
    # D-6, issue 3: at least 150 pairs a language, of every kind of change
    kinds = {pair["type"] for pair in LISTS[name] if pair["label"] == "fact"}
    assert len(LISTS[name]) >= 150
    assert kinds >= {"number", "date", "time", "negation", "opposite", "name", "role", "preference"}
    assert len({(pair["a"], pair["b"]) for pair in LISTS[name]}) == len(LISTS[name])


@pytest.mark.parametrize("name", list(LISTS))
def test_no_fact_is_swallowed(empty: Vault, name: str) -> None:
    # D-6
    facts = [(pair["a"], pair["b"]) for pair in LISTS[name] if pair["label"] == "fact"]
    swallowed = [pair for a, b in facts for pair in ((a, b), (b, a)) if empty.compare(*pair).verdict == "duplicate"]
    assert swallowed == []


@pytest.mark.parametrize("name", ["en", "ja"])
def test_most_rewordings_are_blocked(empty: Vault, name: str) -> None:
    # D-2, D-6, issue 3: at least 70 %
    reworded = [pair for pair in LISTS[name] if pair["label"] == "reworded"]
    passed = [(pair["a"], pair["b"]) for pair in reworded if empty.compare(pair["a"], pair["b"]).verdict != "duplicate"]
    assert len(passed) <= 0.3 * len(reworded), f"{len(passed)} of {len(reworded)} passed: {passed}"


# Shortcuts save time and change no answer


def test_a_quick_look_never_denies_a_repetition() -> None:
    # D-2, D-6
    assert any(plainly_differs(*_texts(pair)) for pair in PAIRS)
    assert not [pair for pair in PAIRS if plainly_differs(*_texts(pair)) and judged(*_texts(pair)).repetition]
    long = "A long text. " * MAX_LENGTH
    assert plainly_differs(long, f"{long} More.")
    assert not plainly_differs(long, long)


def test_every_quantity_has_a_sign_of_those_it_is_looked_for_by() -> None:
    # D-6: a reader that is skipped for want of its signs would have found nothing
    written = [text(each).lower for pair in PAIRS for each in _texts(pair)]
    matched = [
        (reader, match.group()) for reader in READERS for each in written for match in re.finditer(reader.written, each)
    ]
    assert len({reader.written for reader, _ in matched if reader.signs}) > 20
    assert not [found for reader, found in matched if reader.signs and reader.signs.isdisjoint(found)]


def test_words_that_are_alike_are_always_compared() -> None:
    # D-6: no word is left over that has a counterpart
    for pair in PAIRS:
        one, two = texts(*_texts(pair), TOKENS)
        found = align(one.words, two.words, one.lower, two.lower)
        assert not [(a, b) for a in found.left for b in found.right if likeness(a, b) and not a.name]


def test_a_text_is_the_same_whatever_it_is_compared_with() -> None:
    # D-6: only the names of the other text that can stand in it are looked for
    for pair in PAIRS:
        names = names_in(pair["a"]) | names_in(pair["b"])
        for quick, written in zip(texts(*_texts(pair), TOKENS), _texts(pair), strict=True):
            assert quick.words == Text(written, TOKENS, names).words


def test_what_is_not_a_repetition_says_what_differs() -> None:
    # D-6: it says what differs
    silent = [pair for pair in PAIRS if not judged(pair["a"], pair["b"]).repetition and not differs(*_texts(pair))]
    assert silent == []


def test_the_order_of_the_two_texts_does_not_matter() -> None:
    # D-6: saved first or second, a repetition is one. What only one text adds may be weighed either way round.
    one_way = [
        pair
        for pair in PAIRS
        if judged(pair["a"], pair["b"]).repetition != judged(pair["b"], pair["a"]).repetition
        and judged(pair["a"], pair["b"]).same_words
    ]
    assert one_way == []
    either = sum(judged(*_texts(p)).repetition != judged(*reversed(_texts(p))).repetition for p in PAIRS)
    assert either <= 0.02 * len(PAIRS)


def _texts(pair: dict[str, str]) -> tuple[str, str]:
    return pair["a"], pair["b"]


# The pairs that issue 3 and the source documents name

NAMED_FACTS = [
    ("The standup is at 3pm", "The standup is at 4pm"),
    ("I like coffee", "I don't like coffee"),
    ("Alice manages Bob", "Bob manages Alice"),
    ("Çağla gave Şule the keys.", "Şule gave Çağla the keys."),
    ("Štěpán lives in Brno with Žofie.", "Štěpán lives in Brno with Zuzana."),
    ("犬が好き", "犬が嫌い"),
    ("犬が好きです。", "犬が嫌いです。"),
    ("会議は3時から", "会議は4時から"),
    ("The review is on Tuesday", "The review is on Thursday"),
]
SOURCE = "今日の会話は楽しかった。Masterとの対話は学びが多い。"
SOURCE_AGAIN = "今日の会話は楽しかった。Masterから多くのことを学んだ。"


@pytest.mark.parametrize(("before", "after"), NAMED_FACTS)
def test_a_change_of_fact_is_saved(vault: Vault, before: str, after: str) -> None:
    # D-6: saved, what differs is said, the changed memory is named
    first = vault.remember(before).memory
    result = vault.remember(after)
    assert result.memory is not None
    assert result.duplicate_of is None
    assert result.changed.memory.id == first.id
    assert result.differs


def test_the_source_documents_repetition_is_blocked(vault: Vault) -> None:
    # D-2
    first = vault.remember(SOURCE).memory
    result = vault.remember(SOURCE_AGAIN)
    assert result.memory is None
    assert result.duplicate_of.memory.id == first.id
    assert vault.compare(SOURCE, SOURCE_AGAIN).verdict == "duplicate"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("The standup is at 3pm", "The standup is at 4pm", "time 3pm → 4pm"),
        ("会議は3時から", "会議は4時から", "time 3時 → 4時"),
        ("I like coffee", "I don't like coffee", "negation added: not"),
        ("I don't like coffee", "I like coffee", "negation dropped: not"),
        ("犬が好き", "犬が嫌い", "opposite 好き → 嫌い"),
        ("Alice manages Bob", "Bob manages Alice", "role alice … bob → bob … alice"),
        ("The lease ends on March 31.", "The lease ends on May 31.", "date march 31 → may 31"),
        ("The code freeze begins on Tuesday.", "The code freeze begins on Thursday.", "day tuesday → thursday"),
        ("The team has 5 engineers.", "The team has 6 engineers.", "number 5 → 6"),
        ("Emi reviews the frontend.", "Eri reviews the frontend.", "name emi → eri"),
        ("The app targets v2.3.1", "The app targets v2.4.0", "identifier v2.3.1 → v2.4.0"),
        ("User might come.", "User must come.", "modality"),
        ("All servers were patched.", "Most servers were patched.", "scope all → most"),
        ("Is the door open?", "The door is open.", "question asks → states"),
    ],
)
def test_what_differs_is_said_in_words(before: str, after: str, said: str) -> None:
    # D-6: words an agent can act on
    assert any(said in each for each in differs(before, after)), differs(before, after)


# Quantities: one value, however it is written


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # digits, words, kanji, full width
        ("three cats", "3 cats"), ("twenty-one cats", "21 cats"), ("two hundred and five", "205"),
        ("a dozen eggs", "12 eggs"), ("１２３個", "123個"), ("二十三人", "23人"), ("三匹", "3匹"),
        ("1,200 yen", "1200円"), ("千二百円", "1200円"), ("1.5万円", "15000円"), ("3万5千円", "35000円"),
        ("twice", "two times"), ("ふたり", "2人"), ("第三回", "3回目"), ("the first", "the 1st"),
        # times
        ("3pm", "15:00"), ("3 p.m.", "3pm"), ("at 3", "at 3pm"), ("three o'clock", "3 o'clock"), ("noon", "12:00"),
        ("midnight", "0:00"), ("half past nine", "9:30"), ("quarter past nine", "9:15"), ("午後3時", "15時"),
        ("3時半", "3:30"), ("３時", "三時"), ("正午", "12時"), ("5pm", "17時"), ("7:30 in the evening", "19:30"),
        # dates
        ("March 31", "31 March"), ("the 31st of March", "March 31"), ("3月31日", "March 31"),
        ("2026-03-31", "March 31, 2026"), ("2026年3月31日", "2026-03-31"), ("火曜", "火曜日"), ("Tuesday", "火曜日"),
        ("tomorrow", "明日"),
        # units
        ("¥500", "500円"), ("$20", "20 dollars"), ("3 kg", "3000 g"), ("3キロ", "3kg"), ("2 hours", "2時間"),
        ("10 percent", "10%"), ("10パーセント", "10%"), ("30 min", "30分"),
        # versions
        ("v2.3.1", "2.3.1"),
    ],
)  # fmt: skip
def test_the_same_quantity(one: str, other: str) -> None:
    # D-6
    assert agree(one, other)
    assert agree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3 cats", "4 cats"), ("三匹", "四匹"), ("千二百円", "千三百円"), ("1200円", "12000円"), ("0.5", "0.05"),
        ("once", "twice"), ("the first", "the second"), ("第三回", "第四回"), ("2025年", "2026年"), ("5倍", "6倍"),
        ("3pm", "4pm"), ("3pm", "3am"), ("午前3時", "午後3時"), ("3時", "4時"), ("9:30", "9:45"), ("13:00", "14:00"),
        ("March 31", "May 31"), ("March 31", "March 30"), ("3月31日", "5月31日"), ("2026-03-31", "2025-03-31"),
        ("Tuesday", "Thursday"), ("火曜", "木曜"), ("tomorrow", "today"), ("明日", "今日"), ("last week", "next week"),
        ("$20", "€20"), ("20円", "20ドル"), ("3 kg", "3 g"), ("10 minutes", "10 hours"), ("10分", "10時間"),
        ("10%", "12%"), ("5 MB", "5 GB"),
        ("v2.3.1", "v2.3.2"), ("python 3.11", "python 3.12"), ("1.2", "1.20.1"), ("192.168.0.1", "192.168.0.2"),
        ("port 8080", "port 8081"), ("ABC-123", "ABC-124"), ("/srv/app1", "/srv/app2"), ("Q1", "Q2"),
    ],
)  # fmt: skip
def test_another_quantity(one: str, other: str) -> None:
    # D-6
    assert not agree(one, other)
    assert not agree(other, one)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The entry point is src/app.py now", "The entry point is src/api.py now"),
        ("Notes go to ~/notes/inbox first", "Notes go to ~/notes/outbox first"),
        ("設定は /etc/foo.toml に置く", "設定は /etc/bar.toml に置く"),
        ("His email is tom.reed@example.com", "His email is tom.reid@example.com"),
        ("The branch is feature/login", "The branch is feature/logout"),
        ("The dose is 5 mg", "The dose is 5 ml"),
    ],
)
def test_another_path_address_or_unit(empty: Vault, before: str, after: str) -> None:
    # D-6
    assert empty.compare(before, after).verdict != "duplicate"


# Negation


@pytest.mark.parametrize(
    "written",
    [
        "行かない", "行かなかった", "行きません", "好きではない", "寒くない", "予定はない", "知らずに出た", "未解決",
        "砂糖なしで", "飲み忘れないで",
    ],
)  # fmt: skip
def test_japanese_negations(written: str) -> None:
    # D-6
    assert japanese.negations(written) == 1


@pytest.mark.parametrize(
    "written",
    [
        "行かなければならない", "行かなければならなかった", "行かなければなりません", "行かなくてはいけない",
        "行かないといけない", "行かなきゃ", "行くしかない", "水しか飲まない", "雨かもしれない", "雨かもしれません",
        "彼に違いない", "少ない", "危ない", "つまらない", "もったいない", "仕方がない", "問題ない", "間もなく着く",
        "英語だけでなく", "切ない", "少なくとも",
    ],
)  # fmt: skip
def test_japanese_that_looks_negative_and_is_not(written: str) -> None:
    # D-6
    assert japanese.negations(written) == 0


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("I don't like it", 1), ("I do not like it", 1), ("I dislike it", 1), ("never", 1), ("can't", 1), ("cannot", 1),
        ("without sugar", 1), ("nobody came", 1), ("it is impossible", 1), ("unhappy", 1), ("unless it rains", 1),
        ("not only that", 0), ("no doubt about it", 0), ("uniform", 0), ("understand", 0), ("until", 0), ("unit", 0),
        ("the universe", 0), ("under the table", 0), ("a knot in the noose", 0), ("I like it", 0),
    ],
)  # fmt: skip
def test_english_negations(written: str, count: int) -> None:
    # D-6
    assert english.negations(english.normal_text(written.lower())) == count


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The user dislikes cilantro.", "The user does not like cilantro."),
        ("The endpoint is impossible to cache.", "The endpoint is not possible to cache."),
        ("会議に行かなければならない。", "会議に行かなくてはならない。"),
        ("会議に行かなければならない。", "会議に行かなきゃならない。"),
    ],
)
def test_the_same_denial_in_other_words(before: str, after: str) -> None:
    # D-6: negation and opposite together say the same again
    assert judged(before, after).repetition, differs(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("肉しか食べない。", "肉を食べない。"),
        ("行かなければならない。", "行かなくてもいい。"),
        ("Use sudo for this.", "Don't use sudo for this."),
        ("The user has to come.", "The user doesn't have to come."),
        ("この機能は使える。", "この機能は使えない。"),
        ("返信は必要です。", "返信は不要です。"),
        ("一人で歩けるようになった。", "一人で歩けなくなった。"),
    ],
)
def test_another_polarity(empty: Vault, before: str, after: str) -> None:
    # D-6
    for pair in ((before, after), (after, before)):
        assert empty.compare(*pair).verdict != "duplicate"


# Who did what to whom


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Alice manages Bob", "Bob manages Alice"),
        ("Jim is taller than Ann.", "Ann is taller than Jim."),
        ("User prefers tabs over spaces.", "User prefers spaces over tabs."),
        ("The server was migrated from Hetzner to OVH.", "The server was migrated from OVH to Hetzner."),
        ("Lunch was cheap but dinner was expensive.", "Lunch was expensive but dinner was cheap."),
        ("田中さんが鈴木さんを推薦した。", "鈴木さんが田中さんを推薦した。"),
        ("健太は美咲に謝った。", "美咲は健太に謝った。"),
        ("父は母より年上だ。", "母は父より年上だ。"),
        ("フロントがバックエンドを呼ぶ。", "バックエンドがフロントを呼ぶ。"),
        ("犬は飼うが猫は飼わない。", "猫は飼うが犬は飼わない。"),
    ],
)
def test_roles_that_changed(before: str, after: str) -> None:
    # D-6
    for pair in ((before, after), (after, before)):
        assert not judged(*pair).repetition
        assert any(each.startswith(("role", "opposite", "negation")) for each in differs(*pair)), differs(*pair)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Alice sent the report to Bob.", "The report was sent to Bob by Alice."),
        ("Jonas and Elif went to the market.", "Elif and Jonas went to the market."),
        ("The customer cancelled the order.", "The order was cancelled by the customer."),
        ("田中さんが報告書を書いた。", "報告書は田中さんによって書かれた。"),
        ("公園で子供が遊んでいる。", "子供が公園で遊んでいる。"),
    ],
)
def test_roles_that_stayed(before: str, after: str) -> None:
    # D-6: turned passive, listed in another order, moved with its particle
    for pair in ((before, after), (after, before)):
        assert judged(*pair).repetition, differs(*pair)


# Facts of other kinds than those of our lists, each with why it was once taken for a repetition

HARD_FACTS = [
    ("We agreed on option a for the schema.", "We agreed on option b for the schema.", "single letters are dropped"),
    ("Docs live at https://example.com/a now.", "Docs live at https://example.com/b now.", "single letters"),
    ("The flag for the tool is -f here.", "The flag for the tool is -r here.", "single letters are dropped"),
    ("The nightly job starts at 02:00.", "The nightly job starts at 14:00.", "02:00 is not 2 pm"),
    ("夜間バッチは2時に始まる。", "夜間バッチは14時に始まる。", "2時 may be 14時"),
    ("The freezer must stay at -5 degrees.", "The freezer must stay at 5 degrees.", "signs of numbers"),
    ("The user's blood type is A+.", "The user's blood type is A-.", "signs behind letters"),
    ("Use a == b in that check.", "Use a != b in that check.", "operators"),
    ("The wifi password is Tulip42.", "The wifi password is tulip42.", "identifiers lose their case"),
    ("The user lent Tom 50 dollars.", "Tom lent the user 50 dollars.", "the user is no actor"),
    ("The agent corrected the user.", "The user corrected the agent.", "user and agent are no actors"),
    ("I owe Sara a dinner.", "Sara owes me a dinner.", "pronouns are no actors"),
    ("Kim's cat ate the fish.", "Kim ate the cat's fish.", "the possessive is dropped"),
    ("The router replaced the switch.", "The switch replaced the router.", "things changing places"),
    ("Rename get_user to fetch_user.", "Rename fetch_user to get_user.", "things changing places"),
    ("Milk in the fridge, bread in the cupboard.", "Bread in the fridge, milk in the cupboard.", "changing places"),
    ("サーバーをAWSからGCPに移した。", "サーバーをGCPからAWSに移した。", "から and に changing places"),
    ("東京から大阪へ引っ越した。", "大阪から東京へ引っ越した。", "から and へ changing places"),
    ("The meeting is on Monday, the review on Friday.", "The meeting is on Friday, the review on Monday.", "order"),
    ("The user's daughter is 7 and her son is 9.", "The user's daughter is 9 and her son is 7.", "order of numbers"),
    ("Prod runs v1 and staging runs v2.", "Prod runs v2 and staging runs v1.", "order of identifiers"),
    ("会議は月曜、レビューは金曜。", "会議は金曜、レビューは月曜。", "order of days"),
    ("娘は7歳、息子は9歳。", "娘は9歳、息子は7歳。", "order of numbers"),
    ("User doesn't like cats but likes dogs.", "User likes cats but doesn't like dogs.", "what a negation denies"),
    ("The contract was signed.", "The contract was almost signed.", "almost"),
    ("Only Maria can approve releases.", "Maria can approve releases.", "only, on one side"),
    ("肉だけ食べる。", "肉を食べる。", "だけ, on one side"),
    ("At least 5 people are needed.", "At most 5 people are needed.", "least and most"),
    ("User's favourite colour is teal.", "User's least favourite colour is teal.", "least"),
    ("Rent increased by 5%.", "Rent increased to 5%.", "by and to"),
    ("The parcel is for Mr. Sato.", "The parcel is from Mr. Sato.", "for and from"),
    ("The shop is open until 9.", "The shop is open from 9.", "until and from"),
    ("会議は10時から。", "会議は10時まで。", "から and まで"),
    ("He works at Google.", "He worked at Google.", "what is and what was"),
    ("姉は大阪に住んでいる。", "姉は大阪に住んでいた。", "what is and what was"),
    ("User plays tennis.", "User used to play tennis.", "what is and what was"),
    ("明日は来てもいい。", "明日は来なくてもいい。", "なくてもいい counts as no negation"),
    ("私は田中さんに本を貸した。", "私は田中さんに本を借りた。", "貸す and 借りる"),
    ("本は佐藤さんからもらった。", "本は佐藤さんにあげた。", "もらう and あげる are grammar"),
    ("薬は食前に飲む。", "薬は食後に飲む。", "前 and 後 in a compound"),
    ("前輪のタイヤを替える。", "後輪のタイヤを替える。", "前 and 後 in a compound"),
    ("オーナーに褒められた。", "オーナーを褒めた。", "a passive without its subject"),
    ("妻に頼まれた。", "妻に頼んだ。", "a passive without its subject"),
]


@pytest.mark.parametrize(("before", "after", "cause"), HARD_FACTS)
def test_hard_facts(empty: Vault, before: str, after: str, cause: str) -> None:
    # D-6
    for pair in ((before, after), (after, before)):
        assert empty.compare(*pair).verdict != "duplicate", cause


# Laws

FRAGMENTS = """
the user likes don't not never Alice Bob 3pm 4 $5 -2 v1.2 3時 犬 が 好き 嫌い ない しか なければ ならない 、 。 ? （
１２ 三十 March 2026-01-32 25:99 99時99分 at half past o'clock 億 万千百 ー ァ 😀 ' - _ . / un in
"""
WORDS = st.sampled_from([*FRAGMENTS.split(), "\n", "\t"])


@given(st.text(max_size=80), st.text(max_size=80))
def test_it_never_raises_on_any_text(before: str, after: str) -> None:
    # D-6
    assert 0.0 <= judged(before, after).probability <= 1.0


@given(st.lists(WORDS, max_size=14).map(" ".join), st.lists(WORDS, max_size=14).map("".join))
def test_it_never_raises_on_words_run_together(before: str, after: str) -> None:
    # D-6
    for pair in ((before, after), (after, before)):
        assert isinstance(judged(*pair).repetition, bool)


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)))
def test_identical_text_is_a_repetition(written: str) -> None:
    # D-2
    found = judged(written, written)
    assert found.repetition
    assert found.aligned
    assert found.differs == []


@pytest.mark.parametrize("pair", PAIRS[::7])
def test_a_text_differs_in_nothing_from_itself(pair: dict[str, str]) -> None:
    # D-6: also where only space and full stop differ, and the texts are really compared
    for written in (pair["a"], pair["b"]):
        again = f" {written.rstrip('.。')}"
        assert judged(written, again).aligned, differs(written, again)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The user's birthday is on May 4.", "The user’s birthday is on May 4."),
        ("ＡＰＩの上限は１００件です。", "APIの上限は100件です。"),
        ("サーバーを再起動した。", "サーバを再起動した。"),
        ("REMEMBER THE MILK", "Remember the milk"),
    ],
)
def test_writing_does_not_matter(before: str, after: str) -> None:
    # D-6: typographic signs, full width, long vowels, capitals
    assert judged(before, after).repetition, differs(before, after)


def test_long_texts_are_not_compared_word_by_word() -> None:
    # D-6: a document falls back to what is safe: only the same text is a repetition
    long = "The harbour was quiet. " * (MAX_LENGTH // 20)
    assert len(long) > MAX_LENGTH
    assert judged(long, long).repetition
    found = judged(long, long + "It rained.")
    assert not found.repetition
    assert differs(long, long + "It rained.") == ["text added: long text"]


def test_as_long_as_it_may_be() -> None:
    # D-6: up to that length it answers
    near = " ".join(f"On day {number} we sailed." for number in range(1000))[: MAX_LENGTH - 1]
    assert not judged(near, near.replace("day 7 ", "day 8 ", 1)).repetition


# Issue 15: what happened, and what only reads otherwise. Rules and the pairs they were written from: docs/guard.md

CHANGED = [
    # D-9: done is not planned, past is not present
    ("Kai takes lisinopril", "Kai stopped taking lisinopril"),
    ("Kai takes lisinopril", "Kai no longer takes lisinopril"),
    ("Olga is learning Spanish.", "Olga gave up learning Spanish."),
    ("Rosa will move to Madrid.", "Rosa moved to Madrid."),
    ("I live in Berlin", "I lived in Berlin"),
    ("We use Redis", "We used Redis"),
    ("Renew the passport", "The passport has been renewed"),
    ("請求書を送る", "請求書を送った"),
    ("The report is not done yet", "The report is done"),
    ("Tom is married", "Tom was married"),
    ("レポートはまだ完成していない", "レポートは完成した"),
    ("ジムに通っている", "ジムに通っていた"),
    # words that contain each other
    ("彼は卵アレルギーだ。", "彼女は卵アレルギーだ。"),
    ("父は医者だ。", "祖父は医者だ。"),
    ("田中さんは部長だ。", "田中さんは副部長だ。"),
    ("The walls are green.", "The walls are blue-green."),
    ("The S3 bucket for uploads is acme-uploads-eu.", "The S3 bucket for backups is acme-uploads-eu."),
    # time of day
    ("Take the tablet in the morning", "Take the tablet in the evening"),
    # direction and place
    ("The migration to Kubernetes is finished.", "The migration from Kubernetes is finished."),
    ("電車は京都へ行く", "電車は京都から行く"),
    ("部屋から電話した。", "部屋に電話した。"),
    ("店は10時から開いている", "店は10時まで開いている"),
    ("田中さんがメールした。", "田中さんにメールした。"),
    ("The switch is behind the cabinet.", "The switch is inside the cabinet."),
    ("The key is in the drawer", "The key is under the drawer"),
    ("The key is under the mat", "The key is on the mat"),
    # reversals
    ("Pricing stays flat: no per-seat charges.", "Pricing stays per seat: no flat charges."),
    ("エラーはメールではなくSentryに送る。", "エラーはSentryではなくメールで送る。"),
    ("Use tabs rather than spaces", "Use spaces rather than tabs"),
    ("Prefers tea to coffee", "Prefers coffee to tea"),
    ("Reach her on Signal rather than by email", "Reach her by email rather than on Signal"),
    ("She would rather be reached on Signal than by email", "She would rather be reached by email than on Signal"),
    # exchange
    (
        "The ARM build runs on the laptop and the x86 build on the server",
        "The x86 build runs on the laptop and the ARM build on the server",
    ),
    (
        "Logging is DEBUG in development and WARNING in production",
        "Logging is WARNING in development and DEBUG in production",
    ),
    (
        "バックエンドチームがモバイルチームにスキーマの確認を頼んだ。",
        "モバイルチームがバックエンドチームにスキーマの確認を頼んだ。",
    ),
    ("She told him about the diagnosis.", "He told her about the diagnosis."),
    ("Anna is taller than Ben", "Ben is taller than Anna"),
    ("太郎は花子に本をあげた", "太郎は花子に本をもらった"),
]


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_what_happened_is_told_apart(empty: Vault, before: str, after: str) -> None:
    # D-6, D-9: never a duplicate, in either order, and something is said to differ
    for pair in ((before, after), (after, before)):
        found = empty.compare(*pair)
        assert found.verdict != "duplicate"
        assert judged(*pair).differs


RESTATED = [
    ("The dose is 20 mg.", "The dose is 20mg."),
    ("The timeout is 30 seconds.", "The timeout is 30s."),
    ("The weekly team meeting starts at 3pm", "The weekly team meeting starts at 15:00"),
    ("会議は15時に始まる", "会議は午後3時に始まる"),
    ("リクエストは1分あたり60回まで", "リクエストは毎分60回まで"),
    ("A passport is required", "A passport is needed"),
    ("Remember to rotate the deploy key every 90 days.", "The deploy key has to be rotated every 90 days."),
    ("Sofia Lindqvist is the new product owner.", "The new product owner is Sofia Lindqvist."),
    ("Naoki is the brother of Mei", "Naoki is Mei's brother"),
    ("On Mondays the team meets at 10.", "The team meets at 10 on Mondays."),
    ("Vera lives in Oslo", "Vera is located in Oslo"),
    ("Caching is disabled on the login page.", "Caching is turned off on the login page."),
    ("Use tabs instead of spaces", "Use tabs, not spaces"),
    ("健太はピーナッツアレルギーがある", "健太はピーナッツにアレルギーがある"),
    ("祖母は京都に住んでいる", "おばあちゃんは京都に住んでいる"),
    ("ビルドは約8分かかる", "ビルドは8分ほどかかる"),
    ("エイリアスは~/.zshrcにある", "~/.zshrcにエイリアスがある"),
    ("私は毎朝6時に起きる", "毎朝6時に起きる"),
    ("The user mentioned that they are allergic to nuts", "The user is allergic to nuts"),
    (
        "Today's conversation was fun. I learned a lot from Master.",
        "Today's conversation was enjoyable. Master taught me many things.",
    ),
    ("Theo borrowed a ladder from Ingrid.", "Ingrid lent Theo a ladder."),
    ("太郎が花子に本をあげた", "花子は太郎から本をもらった"),
    ("Ben lent Ann his drill.", "Ann borrowed Ben's drill."),
    ("Requests time out after 45s.", "The request times out after 45 seconds."),
    ("Chen is married to Hugo.", "Hugo is married to Chen."),
    ("My son is starting school.", "The user said that their son is starting school."),
    ("The user asked me to use metric units.", "Use metric units."),
    ("Feature flags are managed with Unleash.", "Unleash is used to manage feature flags."),
    ("Tea without sugar, please.", "Tea with no sugar, please."),
    ("The talk lasts 90 minutes.", "The talk lasts 1.5 hours."),
    ("The contract ends on 31.12.2026.", "The contract ends on December 31, 2026."),
    ("The production database lives in eu-west-1.", "The production database is hosted in eu-west-1."),
    ("There are three cats in Nadia's house.", "Nadia has three cats at home."),
    ("弟は銀行に勤めている。", "弟は銀行で働いている。"),
    ("真由美は姉から着物を借りた。", "姉は真由美に着物を貸した。"),
    ("田村さんが英語を教えてくれた。", "田村さんに英語を教えてもらった。"),
    ("薬は１日２回飲む。", "薬は一日二回飲みます。"),
    ("店は5時に閉まる。", "店は5時に閉まります。"),
    ("実装する前にテストを書く。", "テストを書いてから実装する。"),
    ("費用はだいたい3万円だ。", "費用は約3万円です。"),
    ("昨夜のバックアップは失敗した。", "昨日の夜のバックアップが失敗しました。"),
    ("会議は一時間半だ。", "会議は90分です。"),
]


@pytest.mark.parametrize(("before", "after"), RESTATED)
def test_the_same_in_other_words(before: str, after: str) -> None:
    # D-2: nothing differs, whichever comes first; how near the vectors are is another question
    assert judged(before, after).repetition
    assert judged(after, before).repetition


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("妹", "夫"),
        ("乗る", "飲む"),
        ("夜", "夕方"),
        ("手紙", "メール"),
        ("風呂", "バス"),
        ("負ける", "なくす"),
        ("want", "need"),
    ],
)
def test_what_only_shares_an_english_word_is_no_synonym(one: str, other: str) -> None:
    # D-6: both are "dear", "take", "evening", "mail", "bath", "lose" in a dictionary
    assert not synonyms(one, other)
    assert not synonyms(other, one)


PLANS = json.loads((DATA / "plan_done.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("pair", PLANS, ids=lambda pair: pair["plan"])
def test_a_plan_and_its_completion(vault: Vault, pair: dict[str, str]) -> None:
    # D-9: sixty pairs, written before the rules; none is refused
    vault.remember(pair["plan"], kind="task")
    assert vault.remember(pair["done"]).memory is not None


def test_reasons_in_two_languages_are_true() -> None:
    # a pair in two languages names no small word that only one of the languages has
    kinds = {each.split()[0] for each in differs("I just moved to Osaka", "大阪に引っ越したばかりだ")}
    assert kinds <= {"words", "name"}
    assert differs("The rent is 900 euros", "家賃は950ユーロです")[0].startswith("number")
