"""Japanese words: dictionary forms, negation, modality, scope, and who does what."""

from __future__ import annotations

import re
from dataclasses import replace

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.words import (
    Word,
    compiled,
    known,
    lexicon,
    read_expressions,
    read_spellings,
    read_words,
    role_after,
    spelled,
)

KANA = re.compile(r"[ぁ-ゖー]+")
KANJI = re.compile(r"[一-鿿々〆]")
_COMPOUND = re.compile(r"[一-鿿々ァ-ヺ]")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}")
JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿]")

_GRAMMAR = read_words("grammar.txt")
_NEGATIVE = re.compile(
    r"な(?:い|かっ|く(?!な)|くな(?!る|り|っ)|けれ)|ません|ぬ(?=[。、]|$)|(?<![必まは])ず(?:に|、|。|$|(?=[ァ-ヺ一-鿿]))|なし(?=[でだのにもは、。]|$)|未(?=[一-鿿ァ-ヺ])|ないで|そこな[いうっ]|そびれ|損ね|損な[いうっ]"
)
_NOT_NEGATIVE = re.compile(
    r"な(?:ければ|くては|いと|きゃ)(?:なら|いけ|なり)(?:な(?:い|かった)|ません(?:でした)?)|なきゃ|かもしれな(?:い|かった)|かもしれません|"
    r"[てで]は(?:いけ|行け|なら|なり)(?:な(?:い|かった)|ません(?:でした)?)|"
    r"しか(?!け|し|る|た|り|ら)(?P<only>[^。、]*?)(?:な(?:い|かった|く)|ません)|に違いな(?:い|かった)|にすぎな(?:い|かった)|だけでなく|以外[^。]*?(?:な(?:い|かった)|ません)|ではないか|じゃないか|少な(?:い|く|かっ)|危な(?:い|く|かっ)|つまらな(?:い|く|かっ)|"
    r"もったいな(?:い|く)|仕方(?:が)?な(?:い|く)|切な(?:い|く|かっ)|何気な(?:い|く)|問題(?:な(?:い|し|かった)|ありません(?:でした)?)|なく(?=なっ|なり|なる)|間もなく|まもなく|なくて(?=も(?:いい|よい))"
)
_MODALS, _SCOPES = read_expressions("modals_ja.txt"), read_expressions("scopes_ja.txt")


def words(text: str, tokens: TokenVectors, names: frozenset[str]) -> list[Word]:
    """The content words of a normalised text, quantities already taken out."""
    found: list[Word] = []
    ends: list[tuple[int, int]] = []
    if not JAPANESE.search(text):
        return found
    loans = [match.span() for match in _KATAKANA.finditer(text) if known(match.group())]
    for number, token in enumerate(tokens.tokens(text)):
        start, end = token.start, token.end
        if loans:
            start, end = next((span for span in loans if span[0] <= token.start < span[1]), (start, end))
        if start < token.start:  # a piece of a loan word that was taken whole
            continue
        surface = text[start:end].strip()
        if found and start == ends[-1][1] and KANA.fullmatch(surface) and KANJI.match(found[-1].text[-1]):
            whole = _inflected(found[-1].text + surface, text, end)  # 閉 and まり of 閉まります
            if whole != found[-1].text + surface:
                found[-1] = replace(found[-1], text=found[-1].text + surface, lemma=whole, role="", piece=False)
                ends[-1] = ends[-1][0], end
                continue
        if not surface or not JAPANESE.search(surface) or surface in _GRAMMAR:
            continue
        form = _inflected(surface, text, end)
        if KANA.fullmatch(surface) and (len(surface) < 2 or not (known(form) or len(surface) >= 3)):
            continue
        piece = bool(KANJI.fullmatch(surface)) and bool(_COMPOUND.match(text, end) or _COMPOUND.match(text, start - 1))
        found.append(Word(surface, form, number, role_after(text, end), surface in names, piece))
        ends.append((start, end))
    return _with_roles_of_compounds(found, ends)


# What can follow the stem of a verb, but not a noun: 勤めて, 払いました, 来ない.
_AFTER_STEM = re.compile(r"(?P<past>[たて](?![めちき]))|ま[すしせ]|ない|なか|たい|られ")
_GODAN = dict(zip("いきぎしちにびみり", "うくぐすつぬぶむる", strict=True))


def _inflected(surface: str, text: str, end: int) -> str:
    """The dictionary form. A stem that is also a noun counts as a verb if what follows shows that it is one."""
    form = lexicon().lemmas.get(surface, surface)
    if form != surface:
        return form
    after = _AFTER_STEM.match(text, end)
    if not after or not KANJI.match(surface):
        return surface
    endings = [surface + "る"]
    if surface[-1] in _GODAN:  # 貸した; the other verbs of this kind change before た: 働いた
        endings += [surface[:-1] + _GODAN[surface[-1]]] if surface[-1] == "し" or not after["past"] else []
    return next((verb for verb in endings if known(verb)), surface)


def _with_roles_of_compounds(found: list[Word], ends: list[tuple[int, int]]) -> list[Word]:
    """Give all parts of a compound the particle that follows it: バックエンド in バックエンドチームが."""
    for number in range(len(found) - 2, -1, -1):
        if not found[number].role and not KANA.match(found[number].text[-1]) and ends[number][1] == ends[number + 1][0]:
            found[number] = replace(found[number], role=found[number + 1].role, compound=found[number + 1].text)
    return found


_SPELLINGS = read_spellings("spellings_ja.txt")


def normal_text(text: str) -> str:
    """One spelling for what is written in several ways."""
    return spelled(text, _SPELLINGS)


def negations(text: str) -> int:
    """How many negations a text has."""
    return len(_NEGATIVE.findall(_NOT_NEGATIVE.sub(" ", text)))


def _found(expressions: list[tuple[str, str]], text: str) -> frozenset[str]:
    return frozenset(name for name, written in expressions if compiled(written).search(text))


def modality(text: str) -> frozenset[str]:
    """How certain, binding or wished for something is."""
    return _found(_MODALS, text)


def scope(text: str) -> frozenset[str]:
    """Which of all, some, most and only the text uses."""
    return _found(_SCOPES, text)


def directions(text: str) -> frozenset[str]:
    """Relative positions, such as 上 and 下, which change a statement if replaced."""
    alone = re.findall(r"(?<![一-鿿])(上|下|前|後|左|右|外|内|裏)(?![一-鿿])|(?<=の)(中)(?![一-鿿])", text)
    compounds = re.sub(r"最後|午前|午後|以前|以後|前回|前提|今後", "", text)
    in_words = re.findall(r"(?<=[一-鿿])[前後]|[前後](?=[一-鿿])", compounds)
    return frozenset(each for found in alone for each in found if each) | frozenset(in_words)


_PRONOUNS = read_expressions("pronouns_ja.txt")


def persons(text: str) -> frozenset[str]:
    """The persons that the text mentions by pronoun; 彼女 is not 彼."""
    found = set()
    for person, written in _PRONOUNS:
        text, count = compiled(written).subn("　", text)
        if count:
            found.add(person)
    return frozenset(found)


def is_denied(word: str, text: str) -> bool:
    """Whether a word is denied or rejected: メールではなく, メールより, 直していない."""
    start = text.find(word)
    return start >= 0 and bool(_DENIED.match(text, start + len(word)))


_DENIED = re.compile(
    r"(?:では|じゃ|で|に)なく(?!な)|より(?:も|は)?(?!まし)|[しっいんきりえて]{0,3}[てで]い?(?:ない|ません)"
)


def is_question(text: str) -> bool:
    """Whether the text asks."""
    return bool(re.search(r"[?？]|(?:です|ます|でしょう|だろう)か(?:。|$)", text))


def passives(text: str) -> int:
    """How many passives the text has."""
    return len(re.findall(r"(?:[かがさたなばまらわ]れ|られ|され)(?:る|た|て|ま)", text))
