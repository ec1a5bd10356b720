"""Columns of texts held packed: what is read from one is what was put in."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from vault_mem.index.texts import Texts, shared

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


# L-1
@given(st.lists(TEXT), st.integers(0, 3), st.lists(st.tuples(st.integers(0, 30), TEXT)), st.lists(TEXT, max_size=3))
def test_a_packed_column_is_the_list_that_it_was_made_of(
    written: list[str], cut: int, changes: list[tuple[int, str]], more: list[str]
) -> None:
    column, expected = Texts(pa.array(written, pa.string())[cut:]), written[cut:]
    for at, text in changes:
        if at < len(expected):
            column[at] = expected[at] = text
    column.extend(more)
    expected.extend(more)
    assert list(column) == expected
    assert len(column) == len(expected)
    assert [column[at] for at in range(len(expected))] == expected


def test_equal_values_are_one_object() -> None:
    found = shared([["tea"], [], ["tea"], []])
    assert found == [["tea"], [], ["tea"], []]
    assert found[0] is found[2]
    assert found[1] is found[3]
