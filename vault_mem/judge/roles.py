"""Who did what to whom: words that were swapped although the sentence did not become passive."""

from __future__ import annotations

import re

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge import english, japanese
from vault_mem.judge.align import EXACT, Alignment
from vault_mem.judge.quantities import placeholder
from vault_mem.judge.text import Text, positions_of
from vault_mem.judge.words import PERSONS, SMALL_LETTERS, Difference, Word, opposed, role_class

# Swapped groups of words change roles only if one could replace the other.
_COMPARABLE = 0.4
_MARKED = frozenset(("subject", "を", "に", "へ", "から", "より", "の", "まで"))
_COMPARISONS = tuple(
    f" {words} "
    for words in "than|over|from|into|instead of|by|then|above|below|behind|under|left of|right of|north of|south of|"
    "east of|west of|in front of|on top of".split("|")
)
_LISTED = r"\W*(?:and|or|&|,|と|や|、)\W*(?:the )?"

Pair = tuple[Word, Word]


def role_changes(one: Text, two: Text, alignment: Alignment, tokens: TokenVectors) -> list[Difference]:
    """A change of roles between two texts, if there is one."""
    if _has(one, two):
        return []
    same = [(a, b) for a, b, strength in alignment.pairs if strength == EXACT]
    turned = (one.passives - two.passives) % 2 == 1 or _turned(one, two, same)
    return (
        _by_particle([(a, b) for a, b in same if a.role and b.role], turned)
        or _by_transposition(one, two, turned, tokens)
        or _by_order(one, two, turned)
        or _by_exchange(one, two)
        or _by_comparison(one, two, turned)
        or _by_yori(one, two)
        or _by_landmark(one, two, alignment)
        or _by_sequence(one, two, same)
        or _by_owner(one, two, same)
    )


_BE_DONE = r"\b(?:is|are|was|were|be|been|being)(?: \w+ly)? {}\b"


def _turned(one: Text, two: Text, same: list[Pair]) -> bool:
    """Whether a verb is passive in only one of the texts: the repo uses pnpm, pnpm is used in the repo."""
    return any(
        a.text.isascii()
        and (english.is_past(a.text) or english.is_past(b.text))
        and bool(re.search(_BE_DONE.format(a.text), one.rest)) != bool(re.search(_BE_DONE.format(b.text), two.rest))
        for a, b in same
    )


_FIRST = re.compile(r"[てで]から|[ただ](?:後|あと)(?:で|に)?|(?P<last>[うくぐすつぬぶむる]前に)")


def _by_sequence(one: Text, two: Text, same: list[Pair]) -> list[Difference]:
    """Another order of events: 食べてから飲む, 飲んでから食べる."""
    before, after = _in_sequence(one), _in_sequence(two)
    if not before or not after:
        return []
    turned = [(a, b) for a, b in same if (a.text in before[0]) != (b.text in after[0])]
    first = [a.text for a, _ in turned if a.text in before[0]]
    then = [a.text for a, _ in turned if a.text in before[1]]
    if first and then:
        return [Difference("order", f"{first[0]} … {then[0]}", f"{then[0]} … {first[0]}")]
    verbs = [a.text for a, _ in turned if a.lemma[-1] in "うくぐすつぬぶむる"]
    return [Difference("order", verbs[0], verbs[0])] if verbs else []


def _in_sequence(text: Text) -> tuple[str, str] | None:
    """The events in their order: in 実装する前にテストを書く the test comes first."""
    found = list(_FIRST.finditer(text.rest)) if text.is_japanese else []
    if len(found) != 1:
        return None
    parts = text.rest[: found[0].start()], text.rest[found[0].end() :]
    return (parts[1], parts[0]) if found[0]["last"] else parts


def _by_owner(one: Text, two: Text, same: list[Pair]) -> list[Difference]:
    """Owner and owned were swapped: 兄の会社, 会社の兄."""
    words = [a.text for a, _ in same if not a.text.isascii()]
    for a in words:
        for b in words:
            if f"{a}の{b}" in one.rest and f"{b}の{a}" in two.rest and f"{a}の{b}" not in two.rest:
                return [Difference("role", f"{a}の{b}", f"{b}の{a}")]
    return []


_BESIDE = re.compile(r"の(上|下|前|後ろ|横|隣|左|右)[にでのを]")


def _by_landmark(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """Another thing is on the other: 赤ん坊がテーブルの上に, 赤ちゃんの上にテーブルが."""
    before, after = (_landmarks(text) for text in (one, two))
    for a, b, _ in alignment.pairs:
        for c, d, _ in alignment.pairs:
            where = before.get(a.text)
            if where and where == after.get(d.text) and b.text not in after and c.text not in before:
                return [Difference("role", f"{a.text}の{where}", f"{d.text}の{where}")]
    return []


def _landmarks(text: Text) -> dict[str, str]:
    """The things that something else is on, under or in front of, each with its position word."""
    if not text.is_japanese:
        return {}
    found = ((word.text, _BESIDE.match(text.rest.partition(word.text)[2])) for word in text.words)
    return {word: match[1] for word, match in found if match}


def _by_particle(same: list[Pair], turned: bool) -> list[Difference]:
    """Two words swapped their particles: 太郎が花子に, 花子が太郎に."""
    for number, (a, b) in enumerate(same):
        for c, d in same[number + 1 :]:
            was, now = role_class(a.role), role_class(b.role)
            swapped = was != now and was == role_class(d.role) and now == role_class(c.role)
            if swapped and not turned and {was, now} <= _MARKED:
                return [Difference("role", f"{a.text}{a.role} {c.text}{c.role}", f"{b.text}{b.role} {d.text}{d.role}")]
    if turned:  # 私がオーナーに励まされた, 私がオーナーを励ました
        subjects = [
            role_class(a.role) == role_class(b.role) for a, b in same if "subject" in map(role_class, (a.role, b.role))
        ]
        lemmas = [a.lemma for a, _ in same]  # a word that occurs twice is ambiguous
        moved = [
            (a, b)
            for a, b in same
            if {a.role, b.role} <= {"に", "を", "から"}
            and (a.role, b.role) != ("から", "から")
            and lemmas.count(a.lemma) == 1
        ]
        if moved and all(subjects):
            a, b = moved[0]
            return [Difference("role", f"{a.text}{a.role}", f"{b.text}{b.role}")]
    return []


def _by_transposition(one: Text, two: Text, turned: bool, tokens: TokenVectors) -> list[Difference]:
    """The same words, but two words or groups are swapped."""
    left, right = one.words, two.words
    if len(left) != len(right) or turned:
        return []
    before, after = _middle(left, right)
    old, new = [word.lemma for word in before], [word.lemma for word in after]
    size = len(before)
    for first in range(1, size - 1):
        for last in range(1, size - first):
            between = old[first : size - last]
            if not between or new != old[size - last :] + between + old[:first]:
                continue
            front, back = before[:first], before[-last:]
            if _keeps_roles(front[-1], back[-1], after[-1], after[last - 1]) or _listed(
                one, front[-1].text, back[-1].text
            ):
                return []
            if all(_mutual(each, front[-1].text, back[-1].text) for each in (one, two)):
                return []
            x, y = " ".join(word.text for word in front), " ".join(word.text for word in back)
            named = any(word.name for word in front) and any(word.name for word in back)
            single = first == last == 1
            if (
                named
                or single
                or opposed(front[-1], back[-1])
                or float(tokens.word(x)[0] @ tokens.word(y)[0]) >= _COMPARABLE
            ):
                return [Difference("role", f"{x} … {y}", f"{y} … {x}")]
            return []
    return []


def _middle(left: list[Word], right: list[Word]) -> tuple[list[Word], list[Word]]:
    """Two word lists without their common beginning and end."""
    start, end, size = 0, 0, len(left)
    while start < size and left[start].lemma == right[start].lemma:
        start += 1
    while end < size - start and left[-1 - end].lemma == right[-1 - end].lemma:
        end += 1
    return left[start : size - end], right[start : size - end]


def _keeps_roles(front: Word, back: Word, front_now: Word, back_now: Word) -> bool:
    """Whether two words only moved together with their particles: 男性が草原で, 草原で男性が."""
    was = role_class(front.role), role_class(back.role)
    now = role_class(front_now.role), role_class(back_now.role)
    return bool(front.role and back.role) and was == now and was[0] != was[1]


def _by_order(one: Text, two: Text, turned: bool) -> list[Difference]:
    """Two persons are swapped: Alice manages Bob, Bob manages Alice; I owe Sara, Sara owes me."""
    if turned:
        return []
    before, after = _actors(one), _actors(two)
    both = [name for name in before if name in after]
    for number, first in enumerate(both):
        for second in both[number + 1 :]:
            swapped = (before[first] < before[second]) != (after[first] < after[second])
            if swapped and not _only_moved(one, two, first, second):
                early, late = sorted((first, second), key=before.__getitem__)
                return [Difference("role", f"{early} … {late}", f"{late} … {early}")]
    return []


def _only_moved(one: Text, two: Text, first: str, second: str) -> bool:
    """Whether two were swapped without changing roles: in a list, as the speaker, or together with a preposition."""
    if any(_listed(each, first, second) for each in (one, two)) or _linked(one, two, first, second):
        return True
    if all(_mutual(each, first, second) for each in (one, two)):
        return True
    for actor in (first, second):
        speaker = (
            rf"\b{actor}\b(?: \w+){{0,3}} (?:said|says|say|told)\b"
            rf"|\b(?:said|says)\b(?: \w+){{0,5}} {actor}\b|\b{actor} ?:"
        )
        if all(re.search(speaker, text.lower) for text in (one, two)):
            return True
        before, after = (
            re.search(rf"\b({_PREPOSITION}) (?:the |a |an )?(?:\w+ )?{actor}\b", text.rest) for text in (one, two)
        )
        if before and after and before[1] == after[1]:
            return True
    return False


_PREPOSITION = r"in|on|at|for|with|about|from|to|of|as|under|near|during|after|before"
_BE = r"(?:is|are|was|were|be|becomes?|became)"


def _linked(one: Text, two: Text, first: str, second: str) -> bool:
    """Whether both texts equate the two: X is the new Y, the new Y is X; Mei's brother, brother of Mei."""
    for a, b in ((first, second), (second, first)):
        whose = rf"\b{a}'s (?:\w+ ){{0,2}}{b}\b|\b{b} of (?:\w+ )?{a}\b"
        if all(re.search(whose, text.plain.lower()) for text in (one, two)):
            return True
    equal = "|".join(
        rf"\b{a}(?:'s)?(?: \w+)?(?: (?:of|for|in) (?:[\w'-]+ ){{1,3}}?| ){_BE}(?: now)? (?:[\w']+ ){{0,3}}?{b}\b"
        for a, b in ((first, second), (second, first))
    )
    return all(re.search(equal, text.plain.lower()) for text in (one, two))


_IS_OR_HAS = r"(?: (?:is|are|was|were|got|has|have|been|now|still))*"
# Symmetric relations.
_MUTUAL = (
    r"(?:(?:married|engaged|related|next|adjacent|identical|similar|equal) to|(?:friends|neighbou?rs|colleagues"
    r"|siblings|roommates|flatmates|twins|cousins|classmates) with|(?:married|met|resembles?|differs? from))"
)


def _mutual(text: Text, first: str, second: str) -> bool:
    """Whether the relation is symmetric: Chen is married to Hugo."""
    return any(
        re.search(rf"\b{a}(?: \w+)?{_IS_OR_HAS} {_MUTUAL} (?:the )?{b}\b", text.rest)
        for a, b in ((first, second), (second, first))
    )


_THERE, _HAS = re.compile(r"^\W*there (?:is|are|was|were)\b"), re.compile(r"\b(?:has|have|had)\b")


def _has(one: Text, two: Text) -> bool:
    """Whether one text says "there are" and the other "has": there are cats in Nadia's house, Nadia has cats."""
    return any(_THERE.search(a.rest) and _HAS.search(b.rest) for a, b in ((one, two), (two, one)))


def _actors(text: Text) -> dict[str, int]:
    """Names, people and pronouns that an English text mentions once, each with its position."""
    if text.is_japanese:
        return {}  # there, particles say more
    positions: dict[str, list[int]] = {}
    for match in re.finditer(rf"[{SMALL_LETTERS}]+", text.rest):
        word = match.group()
        actor = english.person_of(word, text.rest[match.end() :]) or (
            word if word in text.names or english.lemma(word) in PERSONS else ""
        )
        if actor:
            positions.setdefault(actor, []).append(match.start())
    return {actor: found[0] for actor, found in positions.items() if len(found) == 1}


def _by_comparison(one: Text, two: Text, turned: bool) -> list[Difference]:
    """The sides of a comparison are swapped: tabs over spaces, spaces over tabs."""
    if turned:
        return []
    for sign in _COMPARISONS:
        if one.lower.count(sign) != 1 or two.lower.count(sign) != 1:
            continue
        (a, b), (c, d) = (
            [frozenset(word.lemma for word in english.words(part, text.names)) for part in text.lower.split(sign)]
            for text in (one, two)
        )
        crossed, back = (a & d) - (b | c), (b & c) - (a | d)
        if back and sign == " than " and not crossed:  # older than her brother, her brother is older than
            return [Difference("role", f"than {min(back)}", f"{min(back)} … than")]
        if crossed and back:
            return [Difference("role", f"{min(crossed)}{sign}{min(back)}", f"{min(back)}{sign}{min(crossed)}")]
    return []


_THAN = re.compile(
    r"([^はが、。\s]+?)(?:の|もの|のほう|の方)?(?:より(?:も|は)?(?!まし)|ほど(?=[^。]*(?:ない|ません|なかった)))"
)


def _by_yori(one: Text, two: Text) -> list[Difference]:
    """The sides of より are swapped: 新しいのは前のより静かだ, 前のは新しいのより静かだ."""
    before, after = (_THAN.findall(text.rest) for text in (one, two))
    if len(before) != 1 or len(after) != 1 or before == after:
        return []
    (was,), (now,) = before, after
    if was in two.rest and now in one.rest and was not in now and now not in was:
        return [Difference("role", f"{was}より", f"{now}より")]
    return []


_IN_ENGLISH_WORD = re.compile("[a-z0-9]")
_PARTS = re.compile(r"[,;:.、。；\n]|\b(?:and|but|while|whereas|or)\b|一方")
# Small words that identify a part of a sentence: there by train and back by plane.
_WAYS = re.compile(r"\b(?:there|back|here|first|then|before|after|inside|outside|up|down|he|she|they|we|you|i)\b")
_DENYING = re.compile("[不非未無](?=[一-鿿ァ-ヺ])")
# In longer texts, two things are in the same part by chance.
_MOST_THINGS = 24


def _by_exchange(one: Text, two: Text) -> list[Difference]:
    """Two values are swapped: DEBUG in development and WARNING in production, or the other way round."""
    if one.rest == two.rest or not _PARTS.search(one.rest.strip(" .。")) or not _PARTS.search(two.rest.strip(" .。")):
        return []
    before, after = _parts(one), _parts(two)
    things = [thing for thing in before if thing in after]
    if len(things) > _MOST_THINGS:
        return []
    was, now = before.get("not", 0), after.get("not", 0)
    stay = {before[thing]: thing for thing in things if before[thing] == after[thing]}
    if was != now and was in stay and now in stay:  # maths passed and history failed, or the other way round
        return [Difference("exchange", f"not {stay[was]}", f"not {stay[now]}")]
    moves: dict[tuple[int, int], str] = {}  # from which part to which, and the first that went there
    for thing in things:
        moves.setdefault((before[thing], after[thing]), thing)
    for (front, front_now), a in moves.items():
        for (back, back_now), b in moves.items():
            c, d = moves.get((front, back_now)), moves.get((back, front_now))
            if front < back and front_now != back_now and c and d:
                return [Difference("exchange", f"{a} {c}, {b} {d}", f"{a} {d}, {b} {c}")]
    return []


def _parts(text: Text) -> dict[str, int]:
    """The part of the sentence that each word or quantity is in, for those that are in one part only."""
    found: dict[str, set[int]] = {}
    for number, part in enumerate(_PARTS.split(text.rest)):
        for word in text.words:
            if word.text in part and positions_of(word.text, part, _IN_ENGLISH_WORD):
                found.setdefault(word.lemma, set()).add(number)
        for index, quantity in enumerate(text.quantities):
            if placeholder(index) in part:
                found.setdefault(quantity.text, set()).add(number)
        for small in _WAYS.findall(part):
            found.setdefault(small, set()).add(number)
        if english.negations(part) + japanese.negations(part) or _DENYING.search(part):
            found.setdefault("not", set()).add(number)
    return {thing: min(numbers) for thing, numbers in found.items() if len(numbers) == 1}


def _listed(text: Text, one: str, other: str) -> bool:
    """Whether two words are just listed together: Jonas and Elif."""
    names = re.escape(one), re.escape(other)
    return any(re.search(rf"{a}(?:さん|くん|氏)?{_LISTED}{b}", text.rest) for a, b in (names, names[::-1]))
