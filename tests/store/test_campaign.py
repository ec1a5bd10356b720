"""A sample of the campaign of machines that share a store; the longest test here, so it begins first."""

from __future__ import annotations

from campaigns.store import run


def test_machines_that_are_killed_and_cut_off_end_up_right(soak: bool) -> None:  # L-3
    counts, wrong = run(seed=1, seconds=600 if soak else 10)
    assert not wrong
    assert counts["answers compared"] and counts["taken out"] + counts["taken out later"]
