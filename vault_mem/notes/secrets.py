"""Text that looks like a credential: keys and tokens of well-known shapes, and passwords labelled as such.

Precise rather than complete: people may write about passwords, and wrong refusals cost trust.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

MASK = "[REDACTED_SECRET]"

_LINES = (Path(__file__).parent / "secrets.txt").read_text(encoding="ascii").splitlines()
# Each kind of secret: its name and its pattern.
_SHAPES = [
    (kind, pattern) for kind, _, pattern in (line.partition(": ") for line in _LINES if not line.startswith("#"))
]
_SHAPE = re.compile("|".join(f"(?P<shape{number}>{pattern})" for number, (_, pattern) in enumerate(_SHAPES)), re.ASCII)

_BEARER = re.compile(r"\b(?:bearer|basic)[ \t]+(?P<value>[A-Za-z0-9._~+/-]{16,}={0,2})", re.IGNORECASE | re.ASCII)
_CONNECTION = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"<>]{0,99}:(?P<value>[^\s/@'\"]{3,200})@[\w.\[-]", re.IGNORECASE | re.ASCII
)
_WORD = (
    r"(?:[\w.-]{0,40}?(?:password|passwort|kennwort|passwd|passphrase|passcode|pwd|secret|token"
    r"|(?:api|access|secret|private|account|auth|encryption|signing)[ _-]?key)s?|(?:[\w.-]{0,40}[_.-])?(?:pass|pw))"
)
_GIVEN = re.compile(
    rf"(?:(?<![A-Za-z0-9]){_WORD}(?![A-Za-z])[\"'`]?[ \t]*"
    r"(?:\([^()\n]{0,20}\)|(?:for|to|of)[ \t][\w .-]{1,30}?(?=[ \t]is\b|:))?[ \t]*"
    r"(?P<sign>:=|=>|->|==?|:(?!//)|(?<=[ \t])is(?:[ \t]+now|:)?(?=[ \t])"
    r"|(?<=[ \t])(?:was|is|has[ \t]been)[ \t](?:changed|set|reset)[ \t]to(?=[ \t]))"
    r"|(?:パスワード|パスフレーズ|合言葉|(?<![A-Za-z0-9])pw|暗証"
    r"|トークン|秘密鍵|シークレット|APIキー|アクセスキー)[ \t]*(?:[=＝:：]|[はがを]、?)"
    r")[ \t]*[\"'`「『]?(?P<value>[!-~]{6,200})",
    re.IGNORECASE | re.ASCII,
)
_PIN = re.compile(
    r"(?:(?<![A-Za-z0-9])(?:PIN(?:[ -]code)?|passcode"
    r"|(?:alarm|safe|keypad|unlock)[ -]code)[ \t]*(?::|=|is(?:[ \t]+now)?)"
    r"|(?:暗証番号|パスコード|PINコード|解錠番号|金庫の番号)[ \t]*(?:[=＝:：]|は、?))"
    r"[ \t]*[\"'「]?(?P<value>[#*]?\d{4,8}[#*]?)(?![\w.,:/-]*\d)(?![年円月時分])",
    re.IGNORECASE,
)
# Placeholders for a secret: variables, masks, and words such as "password".
_PLACEHOLDER = re.compile(
    r"[<{\[$%(].*|.*(?:\.\.\.|…|\*{3}|x{4}|X{4}|_here|-here|example|changeme|redacted|placeholder|your[_-]).*"
    r"|(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|user|admin|test|foo|bar|null|none|true|false)\d{0,3}"
    r"|(?:os\.|process\.|env[.(\[]|getenv|self\.|config\.|settings\.).*",
    re.IGNORECASE,
)
# Things with letters and digits that are not secrets: dates, times, versions, ids of memories, addresses, file names.
_HARMLESS = re.compile(
    r"v?\d+(?:[.:/-]\d+)+[\w.-]*|(?:mem|ep)_[0-9a-f]{8,12}|https?://.*|[\w.+-]+@[\w-]+\.\w+|[\w./~-]*\.[a-z]{2,5}"
    r"|[~./][\w./-]+|[\d.,:/+%-]+"
    r"|(?i:base64|sha-?\d+|md5|utf-?8|oauth-?2|argon2|pbkdf2|aes|rsa|ed25519|[ehr]s256|x509|2fa|k8s|1password)[\w.-]*"
    r"|\d+[- ]?(?:chars?|characters?|digits?|letters?|words?|days?|hours?|minutes?|bits?|bytes?)[\w-]*"
    r"|\d+(?:st|nd|rd|th|[kKmMgG]?[bB]|ms|min|am|pm|px|s|h|d)",
)


# Characters after a value that are not part of it.
_AFTER = ".,;:!?)}]\"'`"


def find_secret(text: str) -> str | None:
    """What kind of credential a text holds, in words that never quote it; None if it holds none."""
    return next((kind for kind, _, _ in _found(text)), None)


def masked(text: str) -> str:
    """The text with every credential masked."""
    for _, start, end in sorted(_found(text), key=lambda each: each[1], reverse=True):
        text = text[:start] + MASK + text[end:]
    return text


def _found(text: str) -> Iterator[tuple[str, int, int]]:
    end = -1
    for kind, start, stop in sorted(_all(text), key=lambda each: (each[1], -each[2])):
        if start >= end:
            yield kind, start, stop
            end = stop


def _all(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _SHAPE.finditer(text):
        number = int((match.lastgroup or "shape0").removeprefix("shape"))
        yield _SHAPES[number][0], *match.span()
    for kind, pattern, secret in _VALUES:
        for match in pattern.finditer(text):
            if secret(match):
                yield kind, match.start("value"), match.start("value") + len(match["value"].rstrip(_AFTER))


def _random_token(match: re.Match[str]) -> bool:
    value = match["value"]
    kinds = sum(bool(re.search(signs, value)) for signs in (r"[a-z]", r"[A-Z]", r"\d", r"[^A-Za-z0-9._-]"))
    return kinds >= 2 and bool(re.search(r"\d", value)) and _entropy(value) >= 3.0


def _given_value(match: re.Match[str]) -> bool:
    """Whether what follows `password =` is a password, and not a word of the sentence."""
    value = match["value"].rstrip(_AFTER)
    if len(value) < 6 or _PLACEHOLDER.fullmatch(value) or _HARMLESS.fullmatch(value):
        return False
    mixed = bool(re.search(r"\d", value)) and bool(re.search(r"[A-Za-z]", value))
    return (mixed or bool(re.search(r"[A-Za-z][@#$%^&*!+=~]+[A-Za-z]", value))) and _entropy(value) >= 2.0


_VALUES: list[tuple[str, re.Pattern[str], Callable[[re.Match[str]], bool]]] = [
    ("a bearer token", _BEARER, _random_token),
    ("an address with a password in it", _CONNECTION, lambda match: not _PLACEHOLDER.fullmatch(match["value"])),
    ("a password or key", _GIVEN, _given_value),
    ("a PIN", _PIN, lambda _: True),
]


def _entropy(value: str) -> float:
    """Bits per character."""
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())
