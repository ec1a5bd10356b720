"""Japanese queries of one word that somebody remembers from a memory; the same in every run.

Words are taken from the sample vault and from generated memories: of two characters, in katakana, full and half
width, mixed with English, names, part numbers, snake_case, versions and paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from benchmarks.vaults import PEOPLE_JA
from vault_mem import Memory
from vault_mem.index.terms import normalised

_TWO = re.compile(r"(?<![一-鿿々])[一-鿿々]{2}(?![一-鿿々])")
_KATAKANA = re.compile(r"[ァ-ヺー]{3,}")
_LONGER = re.compile(r"(?<![一-鿿々])[一-鿿々]{3,6}(?![一-鿿々])")
_MIXED = re.compile(
    r"[A-Za-z][A-Za-z0-9.-]+ ?[ぁ-ゖ]{1,2} ?[一-鿿々]{2,}|[一-鿿々]{2,}[ぁ-ゖ]{0,1} ?[A-Za-z][A-Za-z0-9.-]+"
)
_CODES = re.compile(r"[A-Z]{2}-\d{3,5}\w?|[a-z]+_[a-z_]+|\d+\.\d+(?:\.\d+)?(?:-\w+)?|[\w-]+/[\w./-]+\.\w+")
_HALF = str.maketrans("アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワンー",
                      "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝｰ")  # fmt: skip
_FULL = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})


class Asked(NamedTuple):
    """A query, what it is an example of, and the normalised word that a text must contain."""

    query: str
    kind: str
    word: str


def queries(memories: list[Memory], per_kind: int, seed: int = 5) -> Iterator[Asked]:
    """Queries of every kind, each a word from these memories."""
    random = Random(seed)
    japanese = [memory.content for memory in memories if re.search(r"[ぁ-ゖ]", memory.content)]
    text = "\n".join(japanese)
    kinds = {
        "two characters": _TWO.findall(text),
        "katakana": _KATAKANA.findall(text),
        "longer words": _LONGER.findall(text),
        "mixed with English": _MIXED.findall(text),
        "codes": _CODES.findall(text),
        "names": [name for name in PEOPLE_JA if len(name) > 1 and name in text],
    }
    for kind, words in kinds.items():
        for word in _some(words, per_kind, random):
            yield Asked(word, kind, normalised(word))
    for word in _some(kinds["katakana"], per_kind // 2, random):
        yield Asked(word.translate(_HALF), "half width", normalised(word))
    for word in _some(kinds["codes"], per_kind // 2, random):
        yield Asked(word.translate(_FULL), "full width", normalised(word))


def _some(words: list[str], count: int, random: Random) -> list[str]:
    distinct = sorted(set(words))
    return random.sample(distinct, min(count, len(distinct)))
