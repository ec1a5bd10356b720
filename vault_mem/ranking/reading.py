"""What is worked out once per text, when it is first a candidate: its tokens, whether it asks, what it may answer."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import islice
from string import whitespace
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.index.catalogue import READINGS, Catalogue
from vault_mem.index.terms import stem, terms
from vault_mem.notes.days import MONTHS, WEEKDAYS
from vault_mem.notes.links import stem_of
from vault_mem.notes.sentences import CLOSING, sentences

MAX_CHARACTERS = 4_000
# Raise this whenever texts are read differently: readings on the disk are then discarded.
READING_VERSION = 7
# How many memories are read ahead before looking for requests again: two or three milliseconds.
READ_AHEAD_AT_ONCE = 25
# From this many words on, a text is long enough to say something.
ENOUGH_WORDS = 30
# A text of up to this many words is a sentence; from the second number on, it is surely more than one.
SENTENCE_WORDS, PARAGRAPH_WORDS = 15, 40
# A text of up to this many words is a turn of a talk; from the second number on, it is understood by itself.
TURN_WORDS, PAGE_WORDS = 40, 160

_OURS = re.compile(r"[-/][0-9a-f]{8}\.md$|(?:^|/)(?:mem|ep)_[0-9a-f]{12}\.md$").search  # a name that vault-mem makes
_AFTER_STOP = CLOSING + whitespace
_IMAGE = re.compile(r"\[image:.*?\]")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿가-힣]")
# A question typed without a question mark; the speaker's name may come first.
_UNMARKED = re.compile(
    r"^(?:[^:：\n]{1,40}[:：])?\s*(?:(?:and|so|but|oh|hey|ok|okay|well|wait|then),? )?(?:"
    r"(?:what|where|who|why|how|when|which)"
    r"(?:['’]?s|['’]?re| is| are| was| were| do| does| did| have| has| can| about| should) |"
    r"(?:do|did|are|were|have|can|could|would|will|should) (?:you|u|ur|your|we|they|he|she|it) )",
    re.IGNORECASE,
)
# Classes of words: t times, n numbers, s the speaker, o the person spoken to, c colours, m materials; d are digits.
# Words are looked up one by one, because one pattern of all of them takes five times as long.
_CLASS_WORDS = {
    "t": " ".join((*MONTHS, *WEEKDAYS)) + " yesterday today tonight tomorrow last next ago day days week weeks weekend "
    "month months year years since morning evening recently just",
    "n": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen dozens "
    "once twice both single pair half several couple few twin twins triplets duo trio quartet quintet",
    "s": "i im ive my me mine myself we our us",
    "o": "you your youre yours yourself",
    "c": "red blue green yellow black white brown gray grey pink purple orange gold golden silver beige violet "
    "turquoise scarlet crimson navy blond dark pale teal cyan magenta maroon burgundy olive khaki lavender lilac mauve "
    "indigo aqua azure cobalt cream ivory ochre amber rust peach coral mint sage lime plum charcoal tan "
    "transparent striped colorful colourful",
    "m": "wood wooden oak pine metal steel iron plastic leather cotton wool woolen silk linen nylon denim velvet glass "
    "paper cardboard stone brick concrete rubber fur copper brass clay ceramic canvas polyester walnut beech birch "
    "maple teak cedar mahogany bamboo plywood timber cork hemp jute straw wicker rattan suede tweed fleece "
    "flannel corduroy cashmere satin marble granite slate porcelain enamel tin bronze aluminium aluminum titanium "
    "carbon acrylic vinyl silicone latex foam",
}
_CLASS_OF = {word: class_ for class_, words in _CLASS_WORDS.items() for word in words.split()}
_CLASS_OF |= {f"{colour}ish": "c" for colour in _CLASS_WORDS["c"].split()}
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_YEAR_OR_HOUR = re.compile(r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d)\b")
# The same in scripts without spaces.
_TIME = re.compile(
    r"[昨今明]日|先[週月日]|[今来][週月年]|去年|昨年|[月火水木金土日]曜|[\d〇一二三四五六七八九十](?:[年月日時]|世紀)|午[前後]|朝|昼|夜|夕方"
)
_SELF = re.compile("[我私僕俺]")
_OTHER = re.compile("[你您]|あなた")
_UNSPACED_CLASSES = {
    "d": re.compile("[〇一二三四五六七八九]{2}"),
    "n": re.compile(
        "[一二三四五六七八九十百千万億数][つ人名個回円年月日時分秒度歳才本枚台冊匹頭羽階倍割点位号箱袋杯足着軒件泊キメグト]|半分|ダース|双子"
    ),
    "c": re.compile(
        "[赤青緑黄黒白茶紫紺藍灰銀金]|[一-鿿ァ-ー](?<![何景特音])色|透明|ピンク|オレンジ|ベージュ|グレー|ブルー|レッド|グリーン|ネイビー"
    ),
    "m": re.compile(
        "[木革皮綿絹麻布鉄銅紙石竹杉陶]|プラスチック|金属|ガラス|ヒノキ|コットン|ウール|ナイロン|レザー|ゴム|アルミ|ステンレス|樹脂"
    ),
}
# Phrases that answer without such a word. q answers "how many" (none, only, the third, a list of names), but not "how
# high"; m says what something is made of.
_PHRASES = {
    "q": re.compile(
        r"\b(?:no|none|never|zero|neither|without|only|second|third|(?:four|fif|six|seven|eigh|nin|ten)th)\b|"
        r"n['’]t (?:have|any|got)\b|\w, [^,.]+,? and \w|\w、[^、。]+[、と]\w|"
        "(?<![てで])い(?:ない|ません)|[はが](?:ない|なし)|ありません|ゼロ|だけ|っ子",
        re.IGNORECASE,
    ),
    "m": re.compile(r"\bmade (?:out )?(?:of|from)\b|製|できて", re.IGNORECASE),
}
# A line break that ends no sentence: a list belongs to the line above it, only a heading starts something new.
_NO_HEADING = re.compile(r"\n(?!#)")


class TextForm(NamedTuple):
    """What kind of text it is."""

    asks: float  # the share of it that is questions
    times: float  # how much it speaks of times, 0 to 1
    numbers: float
    slight: float  # 1 for a word or two, 0 for a sentence that says something
    brief: float  # 1 for a sentence, 0 for several
    turn: float  # 1 for a few words, 0 for a text that needs nothing around it
    colours: float  # 1 if it names one
    of_self: float  # from 1, all about the speaker, to −1, all about the person spoken to


_FORM = Struct(f"<{len(TextForm._fields)}f")


@dataclass(frozen=True)
class Readings:
    """The readings of several texts: all their tokens in a row, how many each has, and the form of each."""

    tokens: NDArray[np.int32]
    sizes: NDArray[np.int64]
    forms: NDArray[np.float32]  # texts × fields of TextForm

    def followed_by(self, more: Readings) -> Readings:
        """These texts and then others."""
        return Readings(
            np.concatenate([self.tokens, more.tokens]),
            np.concatenate([self.sizes, more.sizes]),
            np.concatenate([self.forms, more.forms]),
        )


def readings(catalogue: Catalogue, places: Sequence[int], tokens: TokenVectors) -> Readings:
    """The readings of these places; what was read before is kept, packed as on the disk."""
    found = catalogue.readings(places)
    missing = list(dict.fromkeys(place for place, known in zip(places, found, strict=True) if not known))
    if missing:
        texts = [catalogue.texts[place][:MAX_CHARACTERS] for place in missing]
        # what somebody calls a note is part of what it says: "Blood type.md" may hold no more than "O negative"
        named = [f"{_name(catalogue, place)}\n{text}" for place, text in zip(missing, texts, strict=True)]
        for place, text, ids in zip(missing, texts, tokens.numbers(named), strict=True):
            catalogue.keep_reading(place, _FORM.pack(*_form(text)) + ids.tobytes())
        found = catalogue.readings(places)
    return Readings(
        np.frombuffer(b"".join([each[_FORM.size :] for each in found]), np.int32),
        (np.array([len(each) for each in found], dtype=np.int64) - _FORM.size) // 4,
        np.frombuffer(b"".join([each[: _FORM.size] for each in found]), np.float32).reshape(-1, len(TextForm._fields)),
    )


def given_name(file: str) -> str:
    """The name that somebody gave a file; empty if vault-mem made it."""
    return "" if _OURS(file) else stem_of(file)


def _name(catalogue: Catalogue, row: int) -> str:
    """The name that somebody gave a memory's file; empty for a passage."""
    return "" if catalogue.n[row] else given_name(catalogue.files[row])


def tokens_of(catalogue: Catalogue, rows: Sequence[int]) -> list[NDArray[np.int32]]:
    """The tokens of texts that were read before."""
    return [np.frombuffer(each, np.int32, offset=_FORM.size) for each in catalogue.readings(rows)]


def read_ahead(catalogue: Catalogue, tokens: TokenVectors, start: int = 0) -> int | None:
    """Read some memories, from a place on, before a query needs them. Returns where to go on, or None at the end."""
    kept = catalogue.by_place(READINGS)
    waiting = (place for place in range(start, len(catalogue.alive)) if catalogue.alive[place] and place not in kept)
    some = list(islice(waiting, READ_AHEAD_AT_ONCE))
    readings(catalogue, some, tokens)
    return some[-1] + 1 if len(some) == READ_AHEAD_AT_ONCE else None


def packed_readings(catalogue: Catalogue, tokens: TokenVectors) -> dict[str, list[bytes]]:
    """The readings of all rows at hand by file, as they are kept on the disk."""
    places = range(len(catalogue.files))
    readings(catalogue, places, tokens)
    found: dict[str, list[bytes]] = {}
    for file, reading in zip(catalogue.files, catalogue.readings(places), strict=True):
        found.setdefault(file, []).append(reading)
    return found


def _form(text: str) -> TextForm:
    asked = 0
    said = 0
    if "?" in text or "？" in text or "か。" in text or _UNMARKED.search(text):
        for sentence in sentences(_IMAGE.sub("", text)):
            said += len(sentence)
            asked += len(sentence) * (
                sentence.rstrip(_AFTER_STOP).endswith(("?", "？", "か。")) or bool(_UNMARKED.search(sentence))
            )
    classes = _word_classes(text)
    times, of_self, of_other = (classes.count(class_) for class_ in "tso")
    times += text.lower().count("o'clock") + (len(_YEAR_OR_HOUR.findall(text)) if "d" in classes else 0)
    words = float(len(text.split()))
    if not text.isascii():
        times += len(_TIME.findall(text))
        of_self, of_other = of_self + len(_SELF.findall(text)), of_other + len(_OTHER.findall(text))
        words += len(_UNSPACED.findall(text)) / 2  # two characters are about a word
    return TextForm(
        asked / max(said, 1),
        min(times, 3) / 3,
        float("n" in classes or "d" in classes),
        1 - min(math.log1p(words) / math.log1p(ENOUGH_WORDS), 1.0),
        _fading(words, SENTENCE_WORDS, PARAGRAPH_WORDS),
        _fading(words, TURN_WORDS, PAGE_WORDS),
        float("c" in classes),
        (of_self - of_other) / (of_self + of_other + 1),
    )


def _word_classes(text: str) -> str:
    """The classes of the words in a text, except times and persons in scripts without spaces."""
    found = "".join([class_ for word in _WORD.findall(text.lower()) if (class_ := _CLASS_OF.get(word))])
    found += "d" * bool(_DIGIT.search(text))
    if not text.isascii():
        found += "".join([class_ for class_, pattern in _UNSPACED_CLASSES.items() if pattern.search(text)])
    return found


def asked_for(query: str) -> list[str]:
    """Which classes of words a query asks for: a text without them does not answer."""
    return [classes for classes, asks in _ASKS.items() if asks.search(query)]


def names_what_is_asked(text: str, classes: str, words: Set[str]) -> bool:
    """Whether a sentence of the text has one of these words and, apart from them, a word of these classes.

    A text in another script cannot have the words, so there a word of the class is enough.
    """
    said = sentences(_NO_HEADING.sub(" ", text[:MAX_CHARACTERS]))
    telling = [sentence for sentence in said if _has(sentence, classes, words)]
    if any(not words.isdisjoint(map(stem, terms(sentence))) for sentence in telling):
        return True
    other_script = any(map(_UNSPACED.match, words)) != bool(_UNSPACED.search(text))
    return bool(telling) and other_script and words.isdisjoint(map(stem, terms(text)))


def _has(sentence: str, classes: str, words: Set[str]) -> bool:
    rest = " ".join([word for word in _WORD.findall(sentence) if stem(word.lower()) not in words])
    return not set(classes).isdisjoint(_word_classes(rest)) or any(
        class_ in classes and phrase.search(sentence) for class_, phrase in _PHRASES.items()
    )


def _fading(words: float, first: int, last: int) -> float:
    """1 up to the first length, 0 from the last one on."""
    left = (math.log1p(last) - math.log1p(words)) / (math.log1p(last) - math.log1p(first))
    return min(max(left, 0.0), 1.0)


def wants_time(query: str) -> bool:
    """Whether a query asks when."""
    return bool(_ASKS_WHEN.search(query))


def wants_number(query: str) -> bool:
    """Whether a query asks how many."""
    return bool(_ASKS_NUMBER.search(query))


_ASKS = {
    "m": re.compile(
        r"\b(?:what|which)(?: \w+)? (?:material|fabric|cloth|wood|metal)\b|\bmade of\b|素材|材質|何製", re.IGNORECASE
    ),
    "c": re.compile(r"\b(?:what|which)(?: \w+)? colou?r\b|\bcolou?r of\b|何色|どんな色|色は[?？]?$", re.IGNORECASE),
    "ndq": re.compile(
        # times, kinds and past events are counted by the reader: no text says the number
        r"\bhow many\b(?! (?:times|types|kinds|sorts|different)\b|[^?]* ha(?:s|ve) \w)|\bthe number of\b|"
        r"いくつ|何[個人枚本台冊匹頭]|数は[?？]?$",
        re.IGNORECASE,
    ),
    "nd": re.compile(r"\bhow (?:high|tall|wide|deep|thick|heavy)\b", re.IGNORECASE),
    "d": re.compile(
        r"\b(?:what|the|s)(?: \w+)? (?:plate|house|phone|telephone|room|flight|account|serial) number\b|"
        r"\b(?:what|which) number\b|\b(?:what|which)(?: \w+){0,3} temperature\b|\bexpir\w+ date\b|番号は",
        re.IGNORECASE,
    ),
}
_ASKS_WHEN = re.compile(
    r"\b(?:when|how long|what (?:date|day|month|year|time)|(?:in )?which (?:date|day|month|year))\b|"
    r"いつ(?!も|か|の間)|何[年月日時曜]|どのくらい前",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|often)\b|いくつ|いくら|何[個人回円枚本台冊匹頭度歳倍割点位番キメグ]|"
    r"ど[れの](?:くらい|ぐらい|だけ|ほど)",
    re.IGNORECASE,
)
