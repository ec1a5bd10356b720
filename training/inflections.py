"""Which English words are forms of one word, by their endings. For the vectors, so nearly right is enough."""

from __future__ import annotations

from collections.abc import Iterator

IRREGULAR = {
    "bad": "worse worst", "begin": "began begun", "big": "bigger biggest", "break": "broke broken",
    "bring": "brought", "build": "built", "buy": "bought", "catch": "caught", "child": "children",
    "choose": "chose chosen", "come": "came", "draw": "drew drawn", "drink": "drank drunk", "drive": "drove driven",
    "eat": "ate eaten", "fall": "fell fallen", "feel": "felt", "fight": "fought", "find": "found",
    "fly": "flew flown", "foot": "feet", "forget": "forgot forgotten", "get": "got gotten", "give": "gave given",
    "go": "went gone", "good": "better best", "grow": "grew grown", "hear": "heard", "hold": "held", "keep": "kept",
    "knife": "knives", "know": "knew known", "leave": "left", "lend": "lent", "life": "lives", "lose": "lost",
    "make": "made", "man": "men", "meet": "met", "mouse": "mice", "pay": "paid", "person": "people",
    "ride": "rode ridden", "ring": "rang rung", "run": "ran", "say": "said", "see": "saw seen", "sell": "sold",
    "send": "sent", "shoot": "shot", "sing": "sang sung", "sit": "sat", "sleep": "slept", "speak": "spoke spoken",
    "spend": "spent", "stand": "stood", "steal": "stole stolen", "swim": "swam swum", "take": "took taken",
    "teach": "taught", "tell": "told", "think": "thought", "throw": "threw thrown", "tooth": "teeth",
    "understand": "understood", "wake": "woke woken", "wear": "wore worn", "wife": "wives", "win": "won",
    "woman": "women", "write": "wrote written",
}  # fmt: skip
_IRREGULAR_FORMS = {form: word for word, forms in IRREGULAR.items() for form in forms.split()}
_SHORTEST = 3


def bases(form: str) -> Iterator[str]:
    """Yield what `form` may be an inflection of; some of it may not be a word."""
    if form in _IRREGULAR_FORMS:
        yield _IRREGULAR_FORMS[form]
        return
    for base in _regular(form):
        if len(base) >= _SHORTEST:
            yield base


def _regular(form: str) -> Iterator[str]:
    if form.endswith(("ies", "ied")):
        yield form[:-3] + "y"
    if form.endswith("es"):
        yield form[:-2]
    if form.endswith("s") and not form.endswith("ss"):
        yield form[:-1]
    for ending in ("ed", "ing"):
        if form.endswith(ending):
            stem = form.removesuffix(ending)
            yield stem
            yield stem + "e"
            if len(stem) > _SHORTEST and stem[-1] == stem[-2]:
                yield stem[:-1]
