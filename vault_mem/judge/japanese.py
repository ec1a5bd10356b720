"""Japanese words: dictionary forms, negation, modality, scope, and who does what."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.words import Word, compiled, known, lexicon, read_words, role_after

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
_MODALS = {
    "must": re.compile(
        r"な(?:ければ|くては|いと)(?:なら|いけ|なり)|なきゃ|必須|べき|必ず(?![^。]*くださ)|必要|要る|要ります"
    ),
    "may not": re.compile(r"(?<!なく)[てで]は(?:いけ|行け|なら|だめ|ダメ|駄目)|禁止"),
    "may": re.compile(r"[てで]も(?:いい|よい|良い|構わ|かまわ)|[てで](?:よい|良い|いい)(?!か|ので)"),
    "perhaps": re.compile(
        r"かも(?:しれ)?|だろう|でしょう|らしい|みたい|推測|おそらく|たぶん|多分|かどうか|か迷|検討|はず"
    ),
    "need not": re.compile(r"なくても(?:いい|よい|良い|構わ|かまわ)"),
    "want": re.compile(
        r"(?<=[一-鿿いきぎしちにびみりえけげせぜてでねべめれ])(?<!だい)(?<!つめ)(?<![冷重眠平])たい(?!した|て|へん)|たがっ|ほし(?:い|く)|希望"
    ),
}
_SCOPES = {
    "all": re.compile(
        r"全部|全員|全て|すべて|みんな|皆|毎(?:回|日|朝|晩|週|月|年)|いつも|全(?=[一-鿿])|とも(?=[、。今])"
    ),
    "some": re.compile(r"一部|いくつか|ときどき|時々|たまに"),
    "only": re.compile(r"だけ|しか(?!け|し|る|た|り|ら)|のみ(?!物)|ばかり|以外[^。]*?(?:な(?:い|かった)|ません)"),
    "except": re.compile(r"以外(?![^。]*な[いか])|を除"),
    "most": re.compile(r"ほとんど|大半|大部分|たいてい|大抵"),
    "half": re.compile(r"半分|半数"),
    "almost": re.compile(r"ほぼ(?!\s*[\ue000-\uf7ff])|ほとんど(?=全|すべて|みんな|毎|完)"),
}


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


# Things that one has rather than holds: 免許を持っている is 免許がある.
_NOT_IN_HAND = "(アレルギー|免許|資格|権限|経験|自信|興味|関心|持病)"
_DIGITS = dict(zip("一二三四五六七八九", "123456789", strict=True))
# Spellings and the form that replaces them; the pattern is tried only in texts with the first string.
_SPELLINGS: list[tuple[str, str, str | Callable[[re.Match[str]], str]]] = [
    ("一杯", r"一杯(?=だ|に|で|の|。)", "いっぱい"), ("わりに", r"の(?:代わり|かわり)に", "ではなく"),
    ("隔週", "隔週", "二週間に一度"), ("50", "50 ?(?:%|パーセント)", "半分"),
    ("曜", "([月火水木金土日]曜日?)(?:ごと|毎)に", r"毎週\1に"),
    ("毎", r"毎([分秒])", r"1\1あたり"), ("毎時", "毎時", "1時間あたり"),
    ("につき", r"(?<=[分秒間日月年人個回件])につき", "あたり"),
    ("日", r"(?<!\d)[1一]日(?:に|あたり)?(?=[0-9一二三四五六七八九十]+[回度錠杯])", "毎日"),
    ("朝", r"朝(?:ご飯|ごはん|飯)", "朝食"), ("昼", r"昼(?:ご飯|ごはん|飯)", "昼食"),
    ("", r"[夕晩](?:ご飯|ごはん|飯)", "夕食"),
    ("として", r"として(?:働い|勤め|勤務し)て(?:いる|います)(?=。|$)", "です"),
    ("たいと", r"たいと(?:思う|思います|思って(?:いる|います))(?=。|$)", "たい"),
    ("", r"(?<=[てで])(?:ほしい|欲しい)(?:です)?(?=。|$)", "ください"),
    ("と", r"(?<=[だるいたすくう])と(?:話し|述べ|語っ|伝え)て(?:いた|いる|いました)(?=。|$)", "と言っていた"),
    ("願い", r"お願い(?:します|いたします|する)", "ください"),
    ("", r"(?:こと|よう)に(?:決め|し|決まっ)(?=た|ま)|ことが決まっ(?=た)|と(?:決め|決まっ)(?=た|て)", "ことにし"),
    ("時間半", r"([0-9一二三四五六七八九])時間半", lambda match: f"{_DIGITS.get(match[1], match[1])}.5時間"),
    ("電話をかけ", r"電話をかけ(?=[たてるなま])", "電話し"), ("のうちに", "のうちに", "の間に"),
    ("に", r"に(?:保管|保存|格納|収納)(?:してある|されている)", "にある"),
    ("に", r"に(?:保管|保存|格納|収納)(?:してあり|されてい)(?=ます)", "にあり"),
    ("円", r"の(?:値段|価格|料金|代金)は(?=[0-9一二三四五六七八九十百千万,]+円)", "は"),
    ("持って", rf"{_NOT_IN_HAND}を持ってい(?=る|ます)", r"\1があ"), ("があます", "があます", "があります"),
    ("持って", rf"{_NOT_IN_HAND}を持ってい(?=ない|ません)", r"\1が"), ("がません", "がません", "がありません"),
    ("昨日の", "昨日の[夜晩]", "昨夜"), ("今日の", "今日の[夜晩]", "今夜"), ("今日の朝", "今日の朝", "今朝"),
    ("月", r"[1一][かヵカヶケ]月(?:に|あたり)?(?=\d)", "月"), ("週間に", r"[1一]週間に(?=\d)", "週に"),
    ("バージョン", r"バージョン\s*(?=v?\d+\.\d)", "v"),
    ("が", r"(?<=[一-鿿ァ-ヺー])が(?:先|最初)(?=で|だ|、|。|$)", "から"),
    ("逢", "逢", "会"), ("聴", "聴", "聞"), ("貴方", "貴方", "あなた"), ("下さ", "下さ", "くださ"),
    # Grammatical words are usually written in kana, but some people use kanji.
    ("有", "有(?=[るりっ])", "あ"), ("無", "(?<![一-鿿])無(?=い|く|か(?!ら)|け|し(?=で))", "な"),
    ("良", "良(?=[いくかけ])", "よ"), ("達", "(?<=[私彼君僕俺供人])達", "たち"),
    ("居", "(?<=[てで])居(?=[るたま])", "い"), ("沢山", "沢山", "たくさん"),
    ("事", "(?<=[るたいなのうむくす])事(?=[がはをにもでだ、。]|$)", "こと"),
    ("物", "(?<=[るたいなうむくす])物(?=[がはをにもでだ、。]|$)", "もの"),
    ("又", "又(?=[^一-鿿])", "また"), ("頃", "頃", "ころ"), ("皆", "皆(?!様|さん)", "みんな"),
    ("全て", "全て", "すべて"), ("付", "(?<=[をに])付(?=け)", "つ"), ("掛", "掛(?=[けか])", "か"),
    ("始め", "(?<=[きしちにびみりい])始め", "はじめ"), ("子", "子ども|こども", "子供"),
    ("通り", "(?<=[いたの])通り(?=に|だ|、|。)", "とおり"), ("どおり", "どおり", "とおり"),
    # お寺 is 寺 and ご両親 is 両親, but お母さん is a word of its own.
    (
        "",
        "(?:(?<=[はがをにのでともへ])|(?<![ぁ-ゖァ-ヺー一-鿿]))[おご御](?=[一-鿿])(?![一-鿿]+(?:さん|ちゃん|様)|前)",
        "",
    ),
    ("為", r"(?<=の)為", "ため"), ("出来", "出来(?=[るたなま])", "でき"),
    ("の", r"の(?:名前|場所)は(?=[^ぁ-ゖ。、]+(?:です|だ|という|といいます|である)?(?:。|$))", "は"),
    ("とい", r"(?<=[^ぁ-ゖ])と(?:いう(?:名前)?|いいます)(?:です|だ)?(?=。|$)", "です"),
    ("ユーザー", r"^ユーザー(?:によると|いわく|の話では|の話によると)、?", ""),
]  # fmt: skip


def normal_text(text: str) -> str:
    """One spelling for what is written in several ways."""
    for needed, written, plain in _SPELLINGS:
        if needed in text:
            text = compiled(written).sub(plain, text)
    return text


def negations(text: str) -> int:
    """How many negations a text has."""
    return len(_NEGATIVE.findall(_NOT_NEGATIVE.sub(" ", text)))


def modality(text: str) -> frozenset[str]:
    """How certain, binding or wished for something is."""
    return frozenset(name for name, pattern in _MODALS.items() if pattern.search(text))


def scope(text: str) -> frozenset[str]:
    """Which of all, some, most and only the text uses."""
    return frozenset(name for name, pattern in _SCOPES.items() if pattern.search(text))


def directions(text: str) -> frozenset[str]:
    """Relative positions, such as 上 and 下, which change a statement if replaced."""
    alone = re.findall(r"(?<![一-鿿])(上|下|前|後|左|右|外|内|裏)(?![一-鿿])|(?<=の)(中)(?![一-鿿])", text)
    compounds = re.sub(r"最後|午前|午後|以前|以後|前回|前提|今後", "", text)
    in_words = re.findall(r"(?<=[一-鿿])[前後]|[前後](?=[一-鿿])", compounds)
    return frozenset(each for found in alone for each in found if each) | frozenset(in_words)


_PRONOUNS = (
    ("we", re.compile(r"私(?:たち|達|ども)|僕(?:ら|たち|達)|俺(?:ら|たち)|我々|われわれ")),
    ("they", re.compile(r"彼(?:女)?(?:ら|たち|達)")),
    ("she", re.compile(r"彼女")),
    ("he", re.compile(r"彼(?![岸氏方])")),
    ("i", re.compile(r"私(?![立物書服用生的鉄])|わたし|僕|ぼく(?=[はがをにのも])|俺|あたし")),
    ("you", re.compile(r"あなた|貴方|(?<![一-鿿ァ-ヺーぁ-ん])君(?=[はがをにのもとへ])|お前|きみ(?=[はがをにのも])")),
)


def persons(text: str) -> frozenset[str]:
    """The persons that the text mentions by pronoun; 彼女 is not 彼."""
    found = set()
    for person, pattern in _PRONOUNS:
        text, count = pattern.subn("　", text)
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
