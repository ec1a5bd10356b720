"""The words a text is found by: words of letters and digits, and pairs of characters where no spaces part words."""

from __future__ import annotations

import re
import unicodedata

# Chinese, Japanese and Korean letters: one run of them is cut into overlapping pairs.
_UNSPACED = "々〆ぁ-ゖァ-ヺー㐀-䶿一-鿿豈-﫿가-힣\U00020000-\U0002fa1f"
_STARTS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")


def terms(text: str) -> list[str]:
    """The terms of a text, in order, repeated as often as they occur."""
    found: list[str] = []
    for run in _RUN.findall(normalised(text)):
        if run.isascii() or len(run) == 1 or not _STARTS_UNSPACED.match(run):
            found.append(run)
        else:
            found += [run[start : start + 2] for start in range(len(run) - 1)]
    return found


def normalised(text: str) -> str:
    """One form for full and half width, and for upper and lower case."""
    return unicodedata.normalize("NFKC", text).casefold()
