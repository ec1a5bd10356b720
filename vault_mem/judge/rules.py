"""The rules: each finds one way in which a nearly identical text states another fact."""

from __future__ import annotations

import re
from itertools import zip_longest

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge import japanese
from vault_mem.judge.align import Alignment
from vault_mem.judge.attending import attending
from vault_mem.judge.converse import receives, settle_converses
from vault_mem.judge.lists import list_changes
from vault_mem.judge.places import place_changes
from vault_mem.judge.quantities import Quantity, placeholder, unmatched
from vault_mem.judge.roles import role_changes
from vault_mem.judge.tense import is_order, tense_changes
from vault_mem.judge.text import Text
from vault_mem.judge.words import KIN, Difference, opposite

_QUANTITY_NAMES = {"weekday": "day", "relative": "time", "ordinal": "number"}
# In one text only, these change the statement; "all" or "some" hardly do.
_TELLING_SCOPES = frozenset(
    ("every-other", "except", "half", "quarter", "few", "both", "only", "too", "almost", "least", "at-least", "at-most")
)


_IN_ANY_LANGUAGE = frozenset(("number", "time", "date", "day", "negation"))


def differences(one: Text, two: Text, alignment: Alignment, tokens: TokenVectors) -> list[Difference]:
    """Every difference that the rules find. An opposite with a negation counts as a counterpart."""
    told_from_both_ends = settle_converses(one, two, alignment)
    polarity = _polarity(one, two, alignment)
    if not polarity and alignment.opposites:
        settled = {word for pair in alignment.opposites for word in pair}
        alignment.left = [word for word in alignment.left if word not in settled]
        alignment.right = [word for word in alignment.right if word not in settled]
    found = [
        *quantity_changes(one.quantities, two.quantities),
        *_names(alignment),
        *polarity,
        *tense_changes(one, two, alignment),
        *_modality(one, two),
        *_scope(one, two),
        *_speech(one, two),
        *_order_of_quantities(one, two),
        *_comparison(one, two),
        *_only_who(one, two),
        *_small_words(one, two),
        *_kin(one, two, alignment),
        *_one_or_both(one, two),
        *_asked_about(one, two),
        *list_changes(one, two, alignment),
    ]
    if not told_from_both_ends:
        found += [*_givings(one, two), *place_changes(one, two, alignment), *attending(one, two, alignment)]
        found += role_changes(one, two, alignment, tokens)
    found = list(dict.fromkeys(found))
    if one.is_japanese == two.is_japanese:
        return found
    # between two languages, small words do not correspond
    return [each for each in found if (each.before and each.after) or each.kind in _IN_ANY_LANGUAGE]


def quantity_changes(before: list[Quantity], after: list[Quantity]) -> list[Difference]:
    """Numbers, times and dates without a counterpart; two of one kind count as one that changed."""
    found: list[Difference] = []
    left, right = unmatched(before, after)
    for one in left:
        partner = next((other for other in right if other.kind == one.kind), None)
        if partner is not None:
            right.remove(partner)
        if partner is not None or not _trivial(one):
            found.append(Difference(_quantity_name(one), one.text, partner.text if partner else ""))
    return found + [Difference(_quantity_name(each), "", each.text) for each in right if not _trivial(each)]


def _quantity_name(quantity: Quantity) -> str:
    return _QUANTITY_NAMES.get(quantity.kind, quantity.kind)


def _trivial(quantity: Quantity) -> bool:
    """Whether a number adds nothing: "one man" means "a man"."""
    return quantity.kind == "number" and quantity.value == 1.0 and not quantity.unit


def _names(alignment: Alignment) -> list[Difference]:
    left = [word.text for word in alignment.left if word.name]
    right = [word.text for word in alignment.right if word.name]
    return [Difference("name", one, other) for one, other in zip_longest(left, right, fillvalue="")]


def _polarity(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """Negations and opposites. Both together cancel out: dislikes, does not like."""
    opposites = [Difference("opposite", a.text, b.text) for a, b in alignment.opposites]
    gone, new = one.directions - two.directions, two.directions - one.directions
    opposites += [Difference("opposite", a, b) for a in sorted(gone) for b in sorted(new) if opposite(a, b)]
    signs = [set(japanese.KANJI.findall(text.rest)) for text in (one, two)]
    opposites += [
        Difference("opposite", a, b)
        for a in sorted(signs[0] - signs[1])
        for b in sorted(signs[1] - signs[0])
        if opposite(a, b) and not opposites  # 内開き, 外開き
    ]
    places = sorted(each for each in gone if not each.isascii()), sorted(each for each in new if not each.isascii())
    if all(places) and not opposites:  # 上 and 前 are not opposites, but different places
        opposites.append(Difference("place", places[0][0], places[1][0]))
    fewer, more = sorted((one.negations, two.negations))
    denied = fewer != more and not (fewer and (more - fewer) % 2 == 0)
    if denied and len(opposites) == 1 and more - fewer == 1 and _taken_back(one, two, alignment):
        return []
    if denied:
        added = two.negations > one.negations
        return [*opposites, Difference("negation", "" if added else "not", "not" if added else "")]
    return opposites


def _taken_back(one: Text, two: Text, alignment: Alignment) -> bool:
    """Whether the negation denies exactly the word whose opposite the other text has."""
    for a, b in alignment.opposites:
        text, word = (one.rest, a.text) if one.negations > two.negations else (two.rest, b.text)
        if re.search(
            rf"\bnot\b(?:\W+\w+){{0,2}}?\W+{re.escape(word)}|{re.escape(word)}[^。、]{{0,7}}(?:な[いかく]|ません)", text
        ):
            return True
    return False


def _modality(one: Text, two: Text) -> list[Difference]:
    """How certain or binding it is; an order counts as "must"."""
    gone, new = sorted(one.modality - two.modality), sorted(two.modality - one.modality)
    if [*gone, *new] in (["must"], ["should"]) and is_order(two if gone else one):
        return []
    return [Difference("modality", " ".join(gone), " ".join(new))] if gone or new else []


def _scope(one: Text, two: Text) -> list[Difference]:
    gone, new = sorted(one.scope - two.scope - {"some"}), sorted(two.scope - one.scope - {"some"})
    if (gone and new) or (gone and "some" in two.scope) or (new and "some" in one.scope):
        return [Difference("scope", " ".join(gone or ["some"]), " ".join(new or ["some"]))]
    if _TELLING_SCOPES & {*gone, *new}:
        return [Difference("scope", " ".join(gone), " ".join(new))]
    return []


_ONLY_WHO = re.compile(r"^\W*only (?:the )?(\w+)")


def _only_who(one: Text, two: Text) -> list[Difference]:
    """What "only" refers to: only admins can invite guests, admins can only invite guests."""
    for text, other in ((one, two), (two, one)):
        who = _ONLY_WHO.match(text.rest)
        if who and " only " in other.rest and not re.search(rf"\bonly (?:\w+ )?{who[1]}|\b{who[1]} only\b", other.rest):
            return [Difference("scope", f"only {who[1]}", "only")]
    return []


_MORE = re.compile(r"\b(?:\w+er|(?:more|less) \w+) than\b")
_AS_MUCH = re.compile(r"\bas \w+ as\b")


def _comparison(one: Text, two: Text) -> list[Difference]:
    """Inequality against equality: older than Ava, as old as Ava."""
    (more, equal), (then_more, then_equal) = (
        (_MORE.search(text.rest), _AS_MUCH.search(text.rest)) for text in (one, two)
    )
    if more and then_equal and not equal and one.negations == two.negations:
        return [Difference("scope", more[0], then_equal[0])]
    if equal and then_more and not then_equal and one.negations == two.negations:
        return [Difference("scope", equal[0], then_more[0])]
    return []


def _order_of_quantities(one: Text, two: Text) -> list[Difference]:
    """Swapped quantities: Monday for the meeting and Friday for the review; from ten, or until ten."""
    found = []
    same_words = [word.lemma for word in one.words] == [word.lemma for word in two.words]
    for kind in sorted({each.kind for each in one.quantities}):
        values = [sorted(str(each.value) for each in text.quantities if each.kind == kind) for text in (one, two)]
        if len(values[0]) < 2 or values[0] != values[1]:
            continue
        before, after = _anchored(one, kind), _anchored(two, kind)
        orders = [" … ".join(value for value, _ in each) for each in (before, after)]
        old, new = dict(before), dict(after)
        moved = [value for value, anchor in before if anchor and new[value] and anchor != new[value]]
        swapped = len(moved) > 1 and {old[value] for value in moved} == {new[value] for value in moved}
        if swapped or (same_words and orders[0] != orders[1]):
            found.append(Difference("order", *orders))
    ends = [{each.value: _end(text, number) for number, each in enumerate(text.quantities)} for text in (one, two)]
    for value, was in ends[0].items():
        now = ends[1].get(value)
        if was and now and was != now:
            found.append(Difference("time", was, now))
    return found


def _anchored(text: Text, kind: str) -> list[tuple[str, str]]:
    """The quantities of one kind in order, each with the content word before it."""
    positions = sorted(
        (text.rest.index(placeholder(number)), str(each.value))
        for number, each in enumerate(text.quantities)
        if each.kind == kind
    )
    anchored = []
    for position, value in positions:
        words = [word for word in text.words if text.rest.find(word.text) < position]
        ahead = [(text.rest.rfind(word.text, 0, position), word.lemma) for word in words]
        anchored.append((value, max(ahead)[1] if ahead else ""))
    return anchored


def _end(text: Text, number: int) -> str:
    match = re.match(r"\s*(から|まで|以降|以前)", text.rest[text.rest.index(placeholder(number)) + 1 :])
    return match.group(1) if match else ""


def _small_words(one: Text, two: Text) -> list[Difference]:
    """Possessors, givers, denied words, and the spelling of codes."""
    found = []
    gone, new = sorted(one.possessors - two.possessors), sorted(two.possessors - one.possessors)
    if gone and new:
        found.append(Difference("possessor", gone[0], new[0]))
    said = [{word.lemma for word in text.words} for text in (one, two)]
    shared = said[0] & said[1]
    gone, new = sorted((one.denied - two.denied) & shared), sorted((two.denied - one.denied) & shared)
    gone = gone or (sorted(one.denied - said[1]) if new else [])  # not closed, and then not come from
    new = new or (sorted(two.denied - said[0]) if gone else [])
    if one.negations == two.negations and gone and new:
        found.append(Difference("negation", f"not {gone[0]}", f"not {new[0]}"))
    for code in sorted(one.secrets - two.secrets):
        other = next((each for each in two.secrets if each.lower() == code.lower() and each != code), None)
        if other:
            found.append(Difference("identifier", code, other))
    return found


_JOINING = re.compile(r"\b(and|or)\b|(?<=[一-鿿ァ-ヺー\ue000-\uf7ff ])([かと])(?=[ 一-鿿ァ-ヺ\ue000-\uf7ff])")


def _one_or_both(one: Text, two: Text) -> list[Difference]:
    """One of two against both: Monday or Tuesday, Monday and Tuesday; 月曜か火曜, 月曜と火曜."""
    if one.rest == two.rest or _JOINING.sub("", one.rest) != _JOINING.sub("", two.rest):
        return []
    said = ([match[0] for match in _JOINING.finditer(text.rest)] for text in (one, two))
    return [Difference("scope", was, now) for was, now in zip(*said, strict=False) if was != now][:1]


_ADDRESSED = r"\b(?:ask|tell|told|call|email|inform|remind|show|warn)(?:s|ed|ing)? {}\b"


def _asked_about(one: Text, two: Text) -> list[Difference]:
    """Whom to ask against what to ask about: ask Eva about the budget, ask about Eva's budget."""
    for text, other in ((one, two), (two, one)):
        for name in sorted(other.possessors - text.possessors):
            addressed = re.compile(_ADDRESSED.format(re.escape(name)))
            if addressed.search(text.rest) and not addressed.search(other.plain.lower().replace(f"{name}'s", "")):
                return [Difference("role", *((name, f"{name}'s") if text is one else (f"{name}'s", name)))]
    return []


def _kin(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """A relative is another person: Rosa's aunt is not Rosa, but Aunt Rosa is."""
    for text, words in ((one, alignment.left), (two, alignment.right)):
        for word in words:
            if word.lemma not in KIN and word.text not in KIN:
                continue
            whose = rf"(?:'s|\b(?:my|your|his|her|our|their)) (?:\w+ )?{word.text}\b|\b{word.text} of\b|の{word.text}"
            if re.search(whose, text.plain.lower()):
                return [Difference("possessor", *((word.text, "") if text is one else ("", word.text)))]
    return []


_COMES, _GOES = re.compile("[てで](?:き[たてま]|くる|来)"), re.compile("[てで](?:いっ|いく|行[っく])")


def _givings(one: Text, two: Text) -> list[Difference]:
    """Somebody else gives or helps: あげた, もらった; 手伝った, 手伝ってもらった."""
    if one.givings and two.givings and one.givings != two.givings:
        return [Difference("opposite", min(one.givings), min(two.givings))]
    comes, goes = ([bool(pattern.search(text.rest)) for text in (one, two)] for pattern in (_COMES, _GOES))
    if comes != goes and comes == goes[::-1] and any(comes):  # 引っ越してきた, 引っ越していった
        return [Difference("opposite", *("てくる" if each else "ていく" for each in comes))]
    if one.is_japanese and two.is_japanese and receives(one) != receives(two) and not (one.givings and two.givings):
        return [Difference("role", "もらう" if receives(one) else "", "もらう" if receives(two) else "")]
    return []


def _speech(one: Text, two: Text) -> list[Difference]:
    """Questions against statements, and pronouns of different persons."""
    found = []
    if one.asks != two.asks:
        found.append(Difference("question", "asks" if one.asks else "states", "asks" if two.asks else "states"))
    before, after = one.persons, two.persons
    gone, new = sorted(before - after), sorted(after - before)
    if gone and new:
        found.append(Difference("person", gone[0], new[0]))
    return found
