"""The stage of things: whether a text says that something is planned, going on, done or over."""

from __future__ import annotations

import re

from vault_mem.judge import english
from vault_mem.judge.align import EXACT, Alignment
from vault_mem.judge.text import Text
from vault_mem.judge.words import Difference, Word, compiled, read_expressions, read_words

# Words that say that something ended or was given up.
_ENDED = read_words("endings.txt")
# Stages that exclude each other. A resulting state ("left": 買ってある, is fixed) fits both "done" and "now".
_CLASHES = frozenset(
    frozenset(pair)
    for pair in (
        ("asked", "done"), ("asked", "left"), ("asked", "over"), ("planned", "done"), ("planned", "left"),
        ("planned", "over"), ("planned", "now"), ("plain", "done"), ("plain", "left"), ("plain", "over"),
        ("now", "done"), ("now", "over"), ("left", "over"), ("open", "done"), ("open", "left"),
    )
)  # fmt: skip


def tense_changes(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """Things that have reached another stage: 送る, 送った; takes, stopped taking; is, was."""
    return (
        _ended(alignment)
        or _english(one, two, alignment)
        or _copula(one, two)
        or _having(one, two, alignment)
        or (_japanese(one, two) if one.is_japanese and two.is_japanese else [])
    )


_TOLD = re.compile(
    r"^\W*(?:please|remember to|todo|make sure|be sure to|do not|never|no)\b|(?:こと|ください|てね)[。.!！]*$"
)


def is_order(text: Text) -> bool:
    """Whether a text is an instruction: it has "remember to" or "please", or begins with a verb."""
    if _TOLD.search(text.rest):
        return True
    return any(_stages(text, word) == {"asked"} for word in text.words if word.text.isascii() and not word.name)


def _ended(alignment: Alignment) -> list[Difference]:
    """Only one text says that something ended."""
    left, right = ([word for word in words if word.lemma in _ENDED] for words in (alignment.left, alignment.right))
    if bool(left) == bool(right) or (alignment.left and alignment.right):
        return []
    return [Difference("status", left[0].text if left else "", right[0].text if right else "")]


# English: the words before a verb show its stage.

_ADVERB = (
    r"(?:not|already|just|also|finally|recently|still|now|always|never|ever|soon|usually|often|really|both|all|only|even"
    r"|successfully|completely|partly|fully|officially|probably|currently|then|since)"
)
_ADVERBS = rf"(?: {_ADVERB})*"
_BEFORE = {
    "over": re.compile(  # "a tool is used to" is not over
        r"(?:(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )\bused to|\bno longer"
        rf"|\b(?:stop|quit|cease|finish)\w*|\b(?:give|gave|given|giving) up){_ADVERBS}$"
    ),
    "planned": re.compile(
        r"\b(?:will|shall|must|should|let|let us|todo"
        r"|(?:going|about|plan\w*|want\w*|intend\w*|needs?|ha(?:s|ve)|hop(?:e|es|ing)|like|remember|forget|wish\w*|aim\w*"
        rf"|yet|due|ought|supposed|decided|scheduled|promised) to){_ADVERBS}(?: be| get)?{_ADVERBS}$"
    ),
    "now": re.compile(
        rf"\b(?:(?:is|are|am) being|do|does|been|(?:start|begin|began|begun|keep|kept|continue)\w*){_ADVERBS}$"
    ),
    "done": re.compile(rf"\b(?:has|have|had|having|was|were|did|had to){_ADVERBS}(?: been| got)?{_ADVERBS}$"),
    "present": re.compile(rf"\b(?:is|are|am|gets?){_ADVERBS}$"),
    "adjective": re.compile(r"\b(?:a|an|the|my|your|his|her|its|our|their|this|that|these|those|some|any|no|of|with)$"),
    "start": re.compile(rf"^(?:{_ADVERB}|please|\W)*$"),
    "subject": re.compile(rf"\b(?:i|we|you|they|who|\w+s){_ADVERBS}$"),
}
# Verbs of state: "tabs are used" means the same as "use tabs".
_STATES = read_words("state_verbs.txt")
# "Says" and "said" mean the same.
_REPORTS = frozenset(("say", "state", "claim", "report", "note", "confirm", "announce", "mention", "tell", "warn"))


def _english(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    for before, after, strength in alignment.pairs:
        if before.name or after.name or not before.text.isascii() or not after.text.isascii():
            continue
        if before.text == after.text and one.before(before.text) == two.before(after.text):
            continue
        was, now = _stages(one, before), _stages(two, after)
        if before.lemma in _REPORTS or (before.lemma in _STATES and {"left"} in (was, now)):
            continue
        if {"now"} in (was, now) and {"left"} in (was, now) and one.before(before.text) == two.before(after.text):
            return [Difference("status", before.text, after.text)]  # the battery is charging, is charged
        if strength < EXACT and {"now"} in (was, now):  # "captures" and "seized" are two words for one moment
            continue
        if was and now and all(frozenset((a, b)) in _CLASHES for a in was for b in now):
            return [Difference("status", min(was), min(now))]
    return []


_TOLD_NOT = re.compile(r"^\W*(?:please )?do not$")


def _stages(text: Text, word: Word) -> set[str]:
    """The stages of a verb, wherever it occurs in a text."""
    return {stage for before in text.before(word.text) if (stage := _stage(word, before))}


def _stage(word: Word, before: str) -> str:
    """The stage of a verb in this form after these words; none if it may not be a verb."""
    if _TOLD_NOT.search(before):
        return "asked"
    said = next((name for name, pattern in _BEFORE.items() if pattern.search(before)), "")
    if said == "adjective":
        return ""
    if said in ("over", "planned"):
        return said
    if word.text.endswith("ing"):
        return {"present": "now", "now": "now", "done": "now" if before.endswith("been") else "done"}.get(said, "")
    if english.is_past(word.text):
        return {"present": "left", "now": "now" if before.endswith("being") else "done"}.get(said, "done")
    if said == "done":
        return "done" if english.is_past_or_base(word.text) or before.endswith("did") else ""
    if said == "start":
        return "asked" if word.text == word.lemma else ""
    if word.text == word.lemma:
        return "now" if said in ("now", "subject") else ""
    return "now" if word.text.endswith("s") and not _FINITE.search(before) else ""


# After one of these in its clause, a word with -s is a noun, not a verb.
_FINITE = re.compile(r"\b(?:will|to|must|should|can|may|has|have|had|is|are|was|were)\b")
_BE = re.compile(r"\b(is|are|am|was|were|will be) ((?:(?:the|a|an) )?\S+)")


_SINCE_THEN, _FOR = re.compile(r"\b(?:has|have) been\b"), re.compile(r"\b(?:for|since)\b")


def _copula(one: Text, two: Text) -> list[Difference]:
    """Is against was, in texts that are otherwise the same word by word."""
    if [word.lemma for word in one.words] != [word.lemma for word in two.words]:
        return []
    lasts = [bool(_SINCE_THEN.search(text.rest)) for text in (one, two)]
    if lasts[0] != lasts[1] and _FOR.search(one.rest) and re.search(r"\b(?:was|were)\b", (one, two)[lasts[0]].rest):
        return [Difference("status", "have been" if lasts[0] else "were", "have been" if lasts[1] else "were")]
    before, after = ({said: form for form, said in _BE.findall(text.rest)} for text in (one, two))
    for said, form in before.items():
        now = after.get(said, form)
        if (form in ("was", "were")) != (now in ("was", "were")):
            return [Difference("status", form, now)]
    return []


_HAD = re.compile(r"\bhad(?! (?:to|been|not)\b) +(\S+)")
_PAST, _PRESENT = re.compile(r"\b(?:had|was|were|did)\b"), re.compile(r"\b(?:has|have|is|are|am)\b")


def _having(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """Has against had, if no other verb shows the stage: Nadia has two cats, Nadia had two cats."""
    if alignment.left or alignment.right:
        return []
    had = [any(not english.is_past(word) for word in _HAD.findall(text.rest)) for text in (one, two)]
    now = [bool(_PRESENT.search(text.rest)) and not _PAST.search(text.rest) for text in (one, two)]
    if (had[0] and now[1]) or (now[0] and had[1]):
        return [Difference("status", "had" if had[0] else "has", "had" if had[1] else "has")]
    return []


# Japanese: the end of the sentence shows the stage.

# Endings of hearsay and politeness, which are removed first.
_TRIMMED = re.compile(
    r"(?:[よねわぞな]|そうだ|そうです|らしい|と(?:の|いう)こと(?:だ|です)?|という"
    r"|と(?:言われた|言っていた|言った|聞いた|話していた|述べた|思う|思います|思っている|思っています|考えている|考えています)"
    r"|(?<=[うくぐすつぬぶむるただい])(?:のだ|んだ|のです|んです)|(?<=[たい])です)+$"
)
_ENDS = read_expressions("stages_ja.txt")
_MOMENT = re.compile(r"ところ(?:だ|です)?$")
_COPULA = re.compile(r"(.{2})(?:(だった|でした|であった)|だ|です|である|に(?:なった|なりました))?$")
# For these verbs, ている is the resulting state: 貸している is 貸した.
_RESULTS = re.compile(rf"(?:{'|'.join(sorted(read_words('result_verbs.txt')))})[ぁ-ん]{{0,2}}[てで]い?(?:る|ます)$")


def _japanese(one: Text, two: Text) -> list[Difference]:
    before, after = (
        [each.strip() for each in re.split(r"[。.!?！？\n]+", text.rest) if each.strip()] for text in (one, two)
    )
    if len(before) != len(after):
        return []
    for was, now in zip(before, after, strict=True):
        stages = _end(was), _end(now)
        if all(stages) and frozenset(stages) in _CLASHES:
            return [Difference("status", *stages)]
        copulas = _COPULA.search(was), _COPULA.search(now)
        if copulas[0] and copulas[1] and copulas[0][1] == copulas[1][1] and bool(copulas[0][2]) != bool(copulas[1][2]):
            return [Difference("status", copulas[0][0], copulas[1][0])]
    return []


def _end(sentence: str) -> str:
    """The stage that the end of a sentence shows; none if it ends in a noun or an adjective."""
    trimmed = _TRIMMED.sub("", sentence.rstrip(" 、,」）)"))
    if _MOMENT.search(trimmed):  # するところだ is "about to", しているところだ is "in the middle of"
        stage = _end(_MOMENT.sub("", trimmed))
        return "planned" if stage == "plain" else stage
    if _RESULTS.search(trimmed):
        return "left"
    return next((stage for stage, end in _ENDS if compiled(end).search(trimmed)), "")
