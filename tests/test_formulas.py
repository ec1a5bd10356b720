"""Greetings and formulas link nothing; what stands beside them does."""

from __future__ import annotations

import pytest

from vault_mem import Vault

FORMULAS = [
    ("Hello, AI companion, today I planted tomatoes.", "Hello, AI companion, today the printer broke."),
    ("Good morning, AI companion! Today we baked bread.", "Good morning, AI companion! Today we fixed the roof."),
    ("Dear diary, today I met Ana at the station", "Dear diary, today I lost my keys"),
    ("こんにちは、AIの友達。今日はトマトを植えた。", "こんにちは、AIの友達。今日はプリンタが壊れた。"),
    (
        "お疲れ様です。本日の作業報告です。データベースを移行しました。",
        "お疲れ様です。本日の作業報告です。プリンタを交換しました。",
    ),
]


@pytest.mark.parametrize(("first", "second"), FORMULAS)
def test_a_greeting_links_nothing(vault: Vault, first: str, second: str) -> None:
    # issue 15
    vault.remember(first)
    assert vault.remember(second).linked == []


def test_the_subject_beside_a_greeting_still_links(vault: Vault) -> None:
    # D-4
    vault.remember("Good morning! The tomatoes on the balcony are ripe.")
    assert len(vault.remember("Hello, AI companion, I planted the tomatoes on the balcony in May.").linked) == 1
