"""Sets of questions that show what one stage of the ranking is worth; generated, the same in every run.

Each is an entry as `vault-mem eval` takes it: memories among believable others, and questions with their evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from benchmarks.vaults import memories

Sample = dict[str, Any]
Turn = dict[str, Any]

OTHERS = 300
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
PEOPLE = ["Anneli", "Bastian", "Chiyo", "Dunja", "Emeka", "Farida", "Gustav", "Hanae", "Imre", "Jovana", "Kofi",
          "Liesl", "Mateus", "Nadja", "Osamu", "Pilar", "Quentin", "Rurik", "Saoirse", "Tadashi"]  # fmt: skip
FACTS = [
    ("{p}'s desk is {v}.", "Where is {p}'s desk?", ["by the window", "in the annex", "next to the printer"]),
    ("{p} takes the {v} to work.", "How does {p} get to work?", ["tram", "ferry", "bicycle"]),
    ("{p}'s phone number ends in {v}.", "What does {p}'s phone number end in?", ["4471", "9028", "3316"]),
    ("{p} is learning {v}.", "What is {p} learning?", ["Portuguese", "the cello", "pottery"]),
    ("{p}の部屋は{v}にある。", "{p}の部屋はどこ", ["二階", "別館", "中庭の奥"]),
    ("{p}の担当は{v}だ。", "{p}の担当は何", ["経理", "温室", "出荷"]),
]
THINGS = ["the roof", "the boiler", "the archive", "the orchard", "the van", "the choir", "the exhibition",
          "the website", "the kitchen", "the library", "the festival", "the harbour lease", "温室", "蔵書", "収穫祭",
          "古い井戸", "名簿", "合唱の練習", "灯台", "納屋"]  # fmt: skip


def sets() -> Iterator[tuple[str, str, Sample]]:
    """Each set with the name of the stage it judges."""
    for name, stage, make in _MAKERS:
        yield name, stage, make(Random(name))


def _entry(name: str, turns: list[Turn], questions: list[tuple[str, list[str]]], random: Random) -> Sample:
    others = [
        {"key": f"other-{number}", "text": memory.content, "created": memory.created.isoformat(), "tags": memory.tags,
         "importance": memory.importance, "emotion": memory.emotion}
        for number, memory in enumerate(memories(OTHERS, seed=11))
    ]  # fmt: skip
    turns = [*others, *turns]
    random.shuffle(turns)
    asked = [{"question": question, "evidence": evidence} for question, evidence in questions]
    return {"name": name, "memories": turns, "questions": asked}


def _day(random: Random, first: int, last: int) -> str:
    """A time between `first` and `last` days ago; spread out, so that no two memories form a moment by chance."""
    ago = timedelta(days=random.uniform(first, last))
    return (NOW - ago).replace(microsecond=0).isoformat()


def _changes(random: Random) -> Sample:
    """Facts that change: the newest holds. Half of the questions ask explicitly for the present."""
    turns: list[Turn] = []
    questions: list[tuple[str, list[str]]] = []
    for person in PEOPLE:
        for number, (text, question, values) in enumerate(FACTS):
            for version, value in enumerate(random.sample(values, 3)):
                turns.append(
                    {"key": f"{person}-{number}-{version}", "text": text.format(p=person, v=value),
                     "created": _day(random, 500 - 200 * version, 560 - 200 * version)}
                )  # fmt: skip
            asked = question.format(p=person)
            if random.random() < 0.5:
                asked = f"今の{asked}" if not asked.isascii() else asked.replace("?", " now?")
            questions.append((asked, [f"{person}-{number}-2"]))
    return _entry("changes", turns, questions, random)


def _importance(random: Random) -> Sample:
    """The same thing noted three times; once it was marked as important."""
    return _told_apart("importance", random, lambda marked: {"importance": 5 if marked else random.choice([2, 3])},
                       ["{t}", "what is important about {t}", "{t}の大事なこと"])  # fmt: skip


def _emotion(random: Random) -> Sample:
    """The same thing noted three times; once with a feeling, which the question names or does not."""
    return _told_apart(
        "emotion", random, lambda marked: {"emotion": "sad", "intensity": 0.9} if marked else {},
        ["{t}", "when was I sad about {t}", "{t}で悲しかったこと"],
    )  # fmt: skip


def _told_apart(name: str, random: Random, mark: Callable[[bool], dict[str, Any]], wordings: list[str]) -> Sample:
    turns: list[Turn] = []
    questions: list[tuple[str, list[str]]] = []
    for thing in THINGS:
        for person in random.sample(PEOPLE, 2):
            key = f"{thing}-{person}"
            text = (
                f"{person} called about {thing}." if thing.isascii() else f"{thing}のことで{person}から電話があった。"
            )
            marked = random.randrange(3)
            for number, ending in enumerate(random.sample(ENDINGS_EN if thing.isascii() else ENDINGS_JA, 3)):
                turns.append(
                    {"key": f"{key}-{number}", "text": text + ending, "created": _day(random, 100, 130)}
                    | mark(number == marked)
                )
            plain, english, japanese = wordings
            asking = english if thing.isascii() else japanese
            for wording in (plain, asking):
                questions.append((wording.format(t=f"{thing} {person}"), [f"{key}-{marked}"]))
            questions.append((f"{asking.format(t=thing)} {person}", [f"{key}-{marked}"]))
    return _entry(name, turns, questions, random)


ENDINGS_EN = [" It took ten minutes.", " We talked for a while.", " There was little new.", " The line was bad."]
ENDINGS_JA = ["十分ほどかかった。", "しばらく話した。", "新しいことはなかった。", "声が遠かった。"]

HOPS = [
    ("{p} moved into the house with the {c} door.", "The {c} door leads to number {n} in Rope Street.",
     "What is the street number where {p} lives?"),
    ("{p} plays in the band called {c} Heron.", "{c} Heron rehearses on Wednesdays in hall {n}.",
     "Where do {p}'s musicians practise?"),
    ("{p} bought the {c} bicycle from the auction.", "Frame {n}: stamped under the saddle of the {c} bicycle.",
     "What is the serial of the thing {p} got at the auction?"),
    ("{p}は{c}組に入った。", "{c}組の鍵は{n}番の箱にある。", "{p}の鍵はどこの箱"),
]  # fmt: skip
COLOURS = ["Amber", "Cobalt", "Crimson", "Ivory", "Jade", "Lilac", "Ochre", "Pearl", "Russet", "Saffron", "Scarlet",
           "Sepia", "Silver", "Teal", "Umber", "Violet", "Walnut", "Copper", "Indigo", "Maroon"]  # fmt: skip


def _hops(random: Random) -> Sample:
    """The answer shares words with another memory, but not with the question."""
    turns: list[Turn] = []
    questions: list[tuple[str, list[str]]] = []
    for number, (first, second, question) in enumerate(HOPS):
        for person, colour in zip(PEOPLE, random.sample(COLOURS, len(PEOPLE)), strict=True):
            slots = {"p": person, "c": colour, "n": random.randint(2, 980)}
            keys = [f"{number}-{person}-a", f"{number}-{person}-b"]
            turns.append({"key": keys[0], "text": first.format(**slots), "created": _day(random, 200, 400)})
            turns.append(
                {"key": keys[1], "text": second.format(**slots), "created": _day(random, 10, 190),
                 "links": [keys[0]]}
            )  # fmt: skip
            questions.append((question.format(**slots), keys))
            if number < 2:
                questions.append((f"{person} {question.split()[-1]}", keys))
    return _entry("hops", turns, questions, random)


PASTIMES = [
    ("{p} keeps bees behind the orchard.", "The hives need new frames before the honey flow starts."),
    ("{p} restores old sailing boats.", "The hull wants caulking, and the mast a coat of varnish."),
    ("{p} bakes sourdough bread every Sunday.", "The oven runs cold: the loaves come out with a pale crust."),
    ("{p} plays the violin in the evenings.", "The bow needs rehairing, and the E string is worn."),
    ("{p} grows orchids in the greenhouse.", "Repot the flowers in bark, and water the roots less."),
    ("{p} goes climbing in the Alps.", "The rope and the harness are past their date; new carabiners too."),
    ("{p} repairs mechanical watches.", "A mainspring and two tiny screws are missing from the movement."),
    ("{p} paints watercolour landscapes.", "Cobalt pigment and sable brushes are running out at the studio."),
    ("{p} trains for the marathon.", "Running shoes wear out after 700 km; stretch the calves."),
    ("{p} photographs birds at the lagoon.", "The long lens fogs up; pack a second tripod and the hide."),
    ("{p} knits jumpers for the whole family.", "Eight skeins of wool and a pair of size four needles."),
    ("{p} brews beer in the cellar.", "Hops and malt are in; the fermenter leaks at the tap."),
    ("{p}は毎晩チェロを弾く。", "弓の毛替えと、弦の張り替えが要る。"),
    ("{p}は庭で薔薇を育てている。", "肥料と剪定ばさみを買い、花の根元に水をやる。"),
    ("{p}は週末に山登りをする。", "登山靴の底がはがれた。ロープも古い。"),
    ("{p}は陶芸を習っている。", "窯の温度が上がらず、釉薬も足りない。"),
    ("{p}は将棋に夢中だ。", "駒が一枚足りない。盤も新しくしたい。"),
    ("{p}は天文の観測が好きだ。", "望遠鏡の鏡を磨き、星図を買い直す。"),
    ("{p}は家でパンを焼く。", "オーブンの火力が弱く、小麦粉も残り少ない。"),
    ("{p}は釣りによく出かける。", "竿の先が折れ、糸と針も使い切った。"),
    ("{p}は油絵を描く。", "筆と絵の具が乾き、キャンバスもない。"),
    ("{p}は書道を教えている。", "墨と半紙を補充し、硯を洗う。"),
    ("{p}は自転車で遠出する。", "タイヤが減り、チェーンに油が要る。"),
    ("{p}は編み物を始めた。", "毛糸を八玉と、四号の針。"),
]  # fmt: skip


def _pastimes(random: Random) -> Sample:
    """The answer is about the same matter as a memory that the question names, but in other words."""
    turns: list[Turn] = []
    questions: list[tuple[str, list[str]]] = []
    people = [*PEOPLE, "Ulrika", "Viggo", "Wanda", "Yusuf"]
    for number, (person, (first, second)) in enumerate(zip(people, PASTIMES, strict=True)):
        keys = [f"{number}-a", f"{number}-b"]
        for key, text in zip(keys, (first, second), strict=True):
            turns.append({"key": key, "text": text.format(p=person), "created": _day(random, 20, 400)})
        asked = ["What does {p}'s hobby need?", "what should I get for {p}'s pastime", "{p} hobby", "{p}, to buy",
                 "What is missing for what {p} likes to do?"]  # fmt: skip
        if not first.isascii():
            asked = [
                "{p}の趣味に要るもの",
                "{p}の趣味",
                "{p}に何を贈ろう",
                "{p}が好きなことに足りないもの",
                "{p} 買い物",
            ]
        questions += [(each.format(p=person), [keys[1]]) for each in asked]
    return _entry("pastimes", turns, questions, random)


def _summaries(random: Random) -> Sample:
    """Many notes on a thing, and one summary, which is what a question about the whole wants."""
    turns: list[Turn] = []
    questions: list[tuple[str, list[str]]] = []
    for thing in THINGS:
        english = thing.isascii()
        for number in range(5):
            text = (
                f"Worked on {thing}: step {number + 1} is done."
                if english
                else f"{thing}の作業、{number + 1}番目が済んだ。"
            )
            turns.append({"key": f"{thing}-{number}", "text": text, "created": _day(random, 50, 300)})
        text = f"Work on {thing}: five steps, all done." if english else f"{thing}の作業は五段階、すべて済んだ。"
        turns.append({"key": f"{thing}-all", "text": text, "created": _day(random, 10, 40), "kind": "summary"})
        asked = ["overview of {t}", "{t}", "summary: {t}", "how did {t} go overall?", "recap {t}"]
        if not english:
            asked = ["{t}の概要", "{t}", "{t}のまとめ", "{t}は全体としてどうだった", "{t}を要約"]
        questions += [(each.format(t=thing), [f"{thing}-all"]) for each in asked]
    return _entry("summaries", turns, questions, random)


def _crowds(random: Random) -> Sample:
    """Seven notes that say nearly the same, and one on another side of the matter, which they must not push out."""
    turns: list[Turn] = []
    questions: list[tuple[str, list[str]]] = []
    for thing in THINGS:
        for person in random.sample(PEOPLE, 5):
            english = thing.isascii()
            key = f"{thing}-{person}"
            for number in range(7):
                text = f"{person} is on duty for {thing} again." if english else f"{person}がまた{thing}の当番だ。"
                turns.append({"key": f"{key}-{number}", "text": text + "!" * number, "created": _day(random, 50, 300)})
            text = (
                f"{person} would rather hand over {thing} to somebody."
                if english
                else f"{person}は{thing}を誰かに譲りたい。"
            )
            turns.append({"key": f"{key}-x", "text": text, "created": _day(random, 50, 300)})
            asked = f"{person} duty {thing}" if english else f"{person} {thing} 当番"
            questions.append((f"how is it with {asked}?" if english else f"{asked}はどうなっている", [f"{key}-x"]))
    return _entry("crowds", turns, questions, random)


_MAKERS: list[tuple[str, str, Callable[[Random], Sample]]] = [
    ("changed facts", "decay", _changes),
    ("importance", "importance", _importance),
    ("emotion", "emotion", _emotion),
    ("linked hops", "links", _hops),
    ("pastimes", "association", _pastimes),
    ("summaries", "summary", _summaries),
    ("crowds", "diversity", _crowds),
]
