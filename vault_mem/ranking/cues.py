"""Words of a query that ask for something other than their own meaning: a feeling, what matters, an overview."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

from vault_mem.index.terms import STOP, normalised, stem, terms

_IMPORTANT = re.compile(
    r"\b(?:important|importantly|importance|crucial|critical|essential|key (?:point|fact|decision)s?|must not forget|"
    r"matters? most|vital|priority)\b|重要|大事|大切|肝心|忘れてはいけない|優先"
)
_OVERVIEW = re.compile(
    r"\b(?:summar(?:y|ies|ise|ize)|overview|in general|overall|big picture|recap|in short|sum up)\b|"
    r"要約|まとめ|概要|全体|総括|ざっくり"
)
# Words people ask with: they are in the question, whatever the answer says.
_ASKING_WITH = (
    "summarize summarise summary describe explain discuss discussion mention conclude conclusion according regarding "
    "concerning conversation specific specifically remember recall happen"
)
_ASKING = frozenset(map(stem, _ASKING_WITH.split()))
# 何をした, 何があった, どう過ごした: asks what happened, without naming a subject.
_WHAT_HAPPENED = re.compile(
    r"(?:何|なに|なん|どんな|どう|どのように|こと|事|出来事|できごと|日|"
    r"あっ|あり|起き|起こっ|おき|おこっ|し|やっ|過ごし|すごし|い|て|た|まし|です|だ|っけ|の|は|に|を|が|も|と|で|か|ね|よ|[\s、。?!])*"
)
# The words people use for the feelings that memories are marked with, English and Japanese.
_FEELINGS = {
    "happy": "happy happiness joy joyful glad delighted cheerful pleased 嬉し うれし 喜び 喜ん 幸せ 楽し",
    "sad": "sad sadness unhappy sorrow grief heartbroken cried 悲し かなし 寂し さびし つらい 辛い 辛かった",
    "angry": "angry anger furious mad rage annoyed 怒り 怒っ 腹が立 腹立 むかつ",
    "anxious": "anxious anxiety worried worry nervous uneasy stressed 不安 心配 緊張 落ち着か",
    "afraid": "afraid fear scared frightened terrified fearful 怖 恐れ 恐ろし こわ",
    "calm": "calm peaceful relaxed serene quiet 穏やか 落ち着い 落ち着く 安らぎ 静か",
    "excited": "excited exciting thrilled excitement わくわく ワクワク 興奮",
    "proud": "proud pride 誇らし 誇り 自慢",
    "frustrated": "frustrated frustrating frustration もどかし 苛立 いらいら イライラ 悔し",
    "curious": "curious curiosity wondered 好奇心 気になる 気になっ 興味",
    "surprised": "surprised surprise surprising astonished 驚 びっくり 意外",
    "moved": "moved touched touching 感動 感激 胸を打",
    "grateful": "grateful thankful gratitude 感謝 ありがた",
    "lonely": "lonely loneliness alone 孤独 寂し さびし",
    "ashamed": "ashamed shame embarrassed embarrassing guilty 恥ずかし 恥 後悔",
    "tired": "tired exhausted weary 疲れ くたびれ",
    "relieved": "relieved relief ほっとし 安心 安堵",
    "disgusted": "disgusted disgust disgusting 嫌悪 うんざり",
    "conflicted": "conflicted torn ambivalent 葛藤 複雑 迷い",
}
_BY_WORD = {word: name for name, words in _FEELINGS.items() for word in words.split() if word.isascii()}
_BY_PIECE = [(piece, name) for name, words in _FEELINGS.items() for piece in words.split() if not piece.isascii()]


def is_asking(term: str) -> bool:
    """Whether a word of a query is one that people ask with."""
    return stem(term) in _ASKING


def asks_what_happened(rest: str) -> bool:
    """Whether a query, without the times it names, only asks what happened then."""
    plain = normalised(rest)
    return all(term in STOP or is_asking(term) for term in terms(plain)) or bool(_WHAT_HAPPENED.fullmatch(plain))


def wants_important(query: str) -> bool:
    """Whether a query asks for what matters."""
    return bool(_IMPORTANT.search(normalised(query)))


def wants_overview(query: str) -> bool:
    """Whether a query asks for an overview and not for a detail."""
    return bool(_OVERVIEW.search(normalised(query)))


@lru_cache(maxsize=500)
def feelings(text: str) -> frozenset[str]:
    """The feelings that a text names, by their keys in `_FEELINGS`."""
    plain = normalised(text)
    words = set(re.findall(r"[a-z]+", plain))
    found = frozenset(_BY_WORD[word] for word in words if word in _BY_WORD)
    return found | {name for piece, name in _BY_PIECE if piece in plain}


def feels(emotion: str, wanted: Set[str], query: str) -> bool:
    """Whether an emotion written in a memory is one that the query names."""
    label = normalised(emotion)
    return bool(feelings(label) & wanted) or bool(re.search(rf"\b{re.escape(label)}\b", normalised(query)))
