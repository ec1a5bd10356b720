"""The Japanese particle after a word, which shows its role."""

from __future__ import annotations

import re

_PARTICLE = re.compile(
    r"\s*(?:さん|様|くん|君|ちゃん|先生|氏)?(が|は|を|に|へ|から|より|と|の|で|も|まで|によって|により)"
)
_SUBJECT = frozenset(("が", "は", "も"))


def role_after(text: str, position: int) -> str:
    """The particle at this position, if there is one."""
    match = _PARTICLE.match(text, position)
    return match.group(1) if match else ""


def role_class(role: str) -> str:
    """が, は and も all mark the subject."""
    return "subject" if role in _SUBJECT else role
