"""Patterns that are searched part by part are those of the whole table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.mining import tables_to_mine
from pdseqpriv.sequences.columns import Columns
from tests.engines.test_same_answers import told
from tests.strategies import tables, with_people


class Elsewhere(Local):
    """Parts that are searched one by one, as if the table were large."""

    def start(self, frame, columns, others=None):
        run = super().start(frame, columns, others)
        run.is_here = False
        return run


@pytest.fixture(autouse=True)
def no_table_is_small(monkeypatch):
    monkeypatch.setattr(tables_to_mine, "FEW_ROWS", -1)


def both(frame, columns, parts, call):
    searched = BoundTable(frame, columns, Elsewhere(parts))
    return told(call, lambda: searched), told(call, lambda: BoundTable(frame, columns))


@given(tables(), st.sampled_from([2, 0.4, 1, 5]), st.integers(2, 4), st.sampled_from(["element", "order"]))
def test_parts_give_the_patterns_of_the_whole(frame, least, parts, ties):
    found, expected = both(
        frame, Columns(ties=ties), parts, lambda make: pdseqpriv.mine(make(), least, max_length=4)
    )
    assert found == expected


@given(with_people(tables()), st.sampled_from([2, 0.4]), st.integers(2, 4))
def test_people_are_counted_once(frame, least, parts):
    columns = Columns(person="person")
    found, expected = both(frame, columns, parts, lambda make: pdseqpriv.mine(make(), least, max_length=4))
    assert found == expected


@given(tables(), st.integers(2, 4))
def test_small_parts_with_too_many_patterns_are_put_together(frame, parts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables_to_mine, "MOST_CANDIDATES", 3)
        found, expected = both(frame, Columns(), parts, lambda make: pdseqpriv.mine(make(), 1, max_length=3))
    assert found == expected


@given(tables(min_rows=12), st.integers(2, 4))
def test_what_follows_from_patterns_is_the_same(frame, parts):
    def call(make):
        return pdseqpriv.release_patterns(make(), 2, k=2, alpha=0.9)

    found, expected = both(frame, Columns(), parts, call)
    assert found == expected


@pytest.mark.parametrize("most", [1, 2])
def test_too_many_patterns_are_refused_as_elsewhere(most):
    frame = pdseqpriv.datasets.make_clickstream(30, seed=1)
    found, expected = both(frame, Columns(), 3, lambda make: pdseqpriv.mine(make(), 0.3, max_patterns=most))
    assert "the most that max_patterns allows" in expected[0]
    assert found == expected
