"""Aligning two texts word by word: which words of one have a counterpart in the other, and how good it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from vault_mem.judge.japanese import KANJI
from vault_mem.judge.text import Text
from vault_mem.judge.words import KIN, Word, derived, known, lexicon, meanings, opposed, read_words, synonyms

EXACT, SYNONYM = 1.0, 0.9
_STEM = re.compile(r"([一-鿿々〆]+)[ぁ-ゖ]+")


@dataclass
class Alignment:
    """How the words of two texts pair up."""

    pairs: list[tuple[Word, Word, float]] = field(default_factory=list)
    left: list[Word] = field(default_factory=list)
    right: list[Word] = field(default_factory=list)
    opposites: list[tuple[Word, Word]] = field(default_factory=list)


# Pronouns, which Japanese often leaves out. Another rule finds out if one was replaced by another.
_MAY_BE_UNSAID = read_words("unsaid.txt")


def compared(one: Text, two: Text) -> Alignment:
    """The words of two texts, paired. Words that can be left unsaid do not count as unpaired."""
    found = align(one.words, two.words, one.rest, two.rest)
    found.left, found.right = (
        [word for word in words if word.lemma not in _MAY_BE_UNSAID] for words in (found.left, found.right)
    )
    _pair_phrasal(one, two, found)
    # An agent's note that names nobody is about its user ("dislikes cilantro"), and "my wife" is the user's wife.
    if not found.left and _of_nobody(one) and _about_user(two):
        found.right = [word for word in found.right if word.lemma not in _USER]
    elif not found.right and _of_nobody(two) and _about_user(one):
        found.left = [word for word in found.left if word.lemma not in _USER]
    return found


_MY_KIN = re.compile(rf"\W*my (?:\w+ )?(?:{'|'.join(sorted(word for word in KIN if word.isascii()))})\b")


def _of_nobody(text: Text) -> bool:
    """Whether a text does not say whom it is about, or only mentions "my wife"."""
    return not text.persons or (text.persons == {"i"} and bool(_MY_KIN.match(text.lower)))


_SMALL_WORD_AFTER = re.compile(
    r" (?:\w+ ){0,3}?(up|off|out|in|down|away|back|over|on|after|for|by|through|along|into|about)\b"
)


def _pair_phrasal(one: Text, two: Text, found: Alignment) -> None:
    """Pair phrasal verbs with their synonyms: "handed in" means "submitted"."""
    for text, words, others in ((one, found.left, found.right), (two, found.right, found.left)):
        for word in list(words):
            small = _SMALL_WORD_AFTER.match(text.rest.partition(word.text)[2]) if word.text.isascii() else None
            verb = f"{word.lemma}_{small[1]}" if small else ""
            partner = next((each for each in others if verb and synonyms(verb, each.lemma)), None)
            if small and partner:
                words.remove(word)
                others.remove(partner)
                found.pairs.append((word, partner, SYNONYM) if text is one else (partner, word, SYNONYM))


_USER = ("user", "ユーザー", "ユーザ")


def _about_user(text: Text) -> bool:
    return bool(re.match(r"(?:the )?user (?!and\b|or\b)|ユーザー?(?:[はがに]|の(?=[一-鿿]))", text.lower.lstrip()))


def align(left: list[Word], right: list[Word], left_text: str, right_text: str) -> Alignment:
    """Pair the words of two texts, the surest pairs first."""
    found = Alignment()
    taken_left: set[int] = set()
    taken_right: set[int] = set()
    _pair_exact(left, right, found, taken_left, taken_right)
    ties_left, ties_right = ([_likeness_keys(word.text, word.lemma) for word in words] for words in (left, right))
    free_right = [j for j in range(len(right)) if j not in taken_right]
    candidates = []
    for i, one in enumerate(left):
        if i in taken_left:
            continue
        for j in free_right:
            if not ties_left[i].isdisjoint(ties_right[j]) and (strength := likeness(one, right[j])):
                candidates.append((-strength, abs(i - j), i, j))
    for negative, _, i, j in sorted(candidates):
        if i not in taken_left and j not in taken_right:
            taken_left.add(i)
            taken_right.add(j)
            found.pairs.append((left[i], right[j], -negative))
    untaken = (
        [word for i, word in enumerate(left) if i not in taken_left],
        [word for j, word in enumerate(right) if j not in taken_right],
    )
    found.opposites = [(one, other) for one in untaken[0] for other in untaken[1] if opposed(one, other)]
    found.left = [word for word in untaken[0] if not _covered(word, right, ties_right, left_text, right_text)]
    found.right = [word for word in untaken[1] if not _covered(word, left, ties_left, right_text, left_text)]
    _part_compounds(found)
    return found


def _part_compounds(found: Alignment) -> None:
    """Unpair compounds of which only one part has a counterpart: green is not blue-green."""
    for left_over, others, own in ((found.right, found.left, 1), (found.left, found.right, 0)):
        for word in [each for each in left_over if "-" in each.compound]:
            for before, after, _ in found.pairs:
                part, other = (before, after) if own == 0 else (after, before)
                if part.compound == word.compound and not other.compound and other not in others:
                    others.append(other)


@lru_cache(maxsize=5_000)
def _likeness_keys(text: str, lemma: str) -> frozenset[str]:
    """Keys for a quick test: words that share none of them are not alike."""
    stem = _STEM.fullmatch(lemma)
    return frozenset(
        (
            text, lemma, _unstretched(lemma), stem.group(1) if stem else lemma[:4],
            *lexicon().same.get(lemma, ()), *(meaning.lstrip("~=") for meaning in meanings(lemma) or ()),
        )
    )  # fmt: skip


def _pair_exact(
    left: list[Word], right: list[Word], found: Alignment, taken_left: set[int], taken_right: set[int]
) -> None:
    """Pair equal words first, in order. That is quick, and pairs most words of similar texts."""
    positions: dict[str, list[int]] = {}
    for j, word in enumerate(right):
        positions.setdefault(word.lemma, []).append(j)
    for i, word in enumerate(left):
        if waiting := positions.get(word.lemma):
            j = min(waiting, key=lambda other: abs(other - i))
            waiting.remove(j)
            taken_left.add(i)
            taken_right.add(j)
            found.pairs.append((word, right[j], EXACT))


def likeness(one: Word, other: Word) -> float:
    """1 for the same word, less for a synonym, 0 if nothing connects them."""
    if one.lemma == other.lemma or one.text == other.text or _unstretched(one.lemma) == _unstretched(other.lemma):
        return EXACT
    if opposed(one, other) or _made_another(one.lemma, other.lemma):
        return 0.0
    if one.name or other.name:
        return SYNONYM if derived(one.lemma, other.lemma) else 0.0
    return SYNONYM if synonyms(one.lemma, other.lemma) or _same_stem(one.lemma, other.lemma) else 0.0


# A character before or after a word that makes it another thing: 副部長, 祖父, 青緑, 東京都.
_MAKES_ANOTHER = "青赤黄黒白紫緑茶紺淡濃薄深大小中上下東西南北副準義祖曾元前旧新非無未不半准再次"


def _made_another(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    longer = len(long) == len(short) + 1 and long.endswith(short) and long[0] in _MAKES_ANOTHER
    return longer and not derived(one, other)


_ENDING = re.compile(
    r"[bdfglmnprstz]?(?:e?s|e?d|ing|ings|e|y|ies|ied|i?er|ers|ors?|i?est|ly|i?al|ally|ments?|i?ons?|ations?|itions?|tions?|ive"
    r"|ances?|ences?|ants?|ents?|[ai]bles?|ity|ful|ness|ic|ical|ish|ists?|ism|iz?e|ize[ds]?|en|ened|ure|age|ship|s|t|th)?"
)


def _same_stem(one: str, other: str) -> bool:
    """Whether two words have the same stem: 終える and 終わる, relate and relation."""
    first, second = _STEM.fullmatch(one), _STEM.fullmatch(other)
    if first and second:
        return first.group(1) == second.group(1)
    if first and KANJI.search(other):
        return first.group(1) == other
    if second and KANJI.search(one):
        return second.group(1) == one
    if one.isascii() and other.isascii():
        short, long = sorted((one, other), key=len)
        if len(short) > 3 and long.startswith(short) and not known(short) and known(long):
            return True  # async, asynchronous
        shared = next((size for size, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
        if shared < 4 or shared < max(len(one), len(other)) - 4 or shared < 0.6 * max(len(one), len(other)):
            return False
        return all(_ENDING.fullmatch(each[shared:]) for each in (one, other))  # not violin and viola
    return False


def _covered(word: Word, others: list[Word], ties: list[frozenset[str]], own: str, text: str) -> bool:
    """Whether the other text has a word that is split differently there: 定例 in 定例会議, trash can in trashcan."""
    if word.name:
        return any(other.lemma == word.lemma for other in others)
    tied = _likeness_keys(word.text, word.lemma)
    if any(likeness(word, other) for other, tie in zip(others, ties, strict=True) if not tied.isdisjoint(tie)):
        return True
    if (word.piece and word.text in text) or _put_together(word.text, others):
        return True
    if len(word.text) >= 2 and not word.text.isascii():
        if _stands_in(word.text, text, own) or _skeleton_in(word.text, text):
            return True
        if KANJI.fullmatch(word.text[0]) and all(KANJI.fullmatch(sign) for sign in word.text):
            return any(_subsequence(word.text, other.text) for other in others if len(other.text) > len(word.text))
    if word.text.isascii() and len(word.text) >= 3:
        return any(_put_into(word.text, other.text, own) for other in others)
    return False


def _put_into(word: str, long: str, own: str) -> bool:
    """Whether a word and its neighbour are one word in the other text: trash can in trashcan."""
    before, found, after = long.partition(word)
    rest = f"{before}{after}".strip("-")
    return bool(found) and len(rest) > 1 and bool(re.search(rf"\b{re.escape(rest)}", own))


def _put_together(word: str, others: list[Word]) -> bool:
    """Whether the other text has every piece of a word: 夜勤 needs 夜 and 勤."""
    if word.isascii() or not (KANJI.search(word) or _KATAKANA.search(word)):
        return False
    short = "".join(other.text for other in others if other.piece and other.text in word)
    if len(short) > 1 and _subsequence(short, word):  # 健診 for 健康診断
        return True
    for other in sorted(others, key=lambda each: -len(each.text)):
        if not other.text.isascii() and (other.piece or len(other.text) > 1):
            word = word.replace(other.text, "", 1)
    return not KANJI.search(word) and not _KATAKANA.search(word)


def _stands_in(word: str, text: str, own: str) -> bool:
    """Whether a text contains a word, alone or in a longer word that means the same: not 部長 in 副部長."""
    for match in re.finditer(re.escape(word), text):
        before = _RUN_BEFORE.search(text[: match.start()])
        if not before or before.group() in own:
            return True
    return False


_KATAKANA = re.compile(r"[ァ-ヺ]")
_RUN_BEFORE = re.compile(r"[一-鿿々ァ-ヺー]+$")


def _unstretched(word: str) -> str:
    """Without long vowel marks, which are optional in katakana words: サーバー, サーバ."""
    return word.replace("ー", "") if len(word) > 2 else word


def _skeleton_in(word: str, text: str) -> bool:
    """Whether a text contains a word with more or fewer kana between its kanji: 引き出し, 引出し."""
    kanji = "".join(KANJI.findall(word))
    return len(kanji) >= 2 and kanji in _without_kana(text)


@lru_cache(maxsize=16)
def _without_kana(text: str) -> str:
    return re.sub(r"[ぁ-ゖ]", "", text)


def _subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(sign in rest for sign in short)
