"""Gaps and windows on decimal times: what is exactly as long as allowed is allowed."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pdseqpriv import verify
from tests.hiding import naive

DECIMALS = st.integers(-30, 200).map(lambda number: number / 10)


def table_of(times, events):
    return pd.DataFrame({"seq_id": 1, "event": list(events), "time": times})


@pytest.mark.parametrize("times", [(0.1, 0.4, 0.3), (0.1, 0.8, 0.7), (0.7, 1.0, 0.3), (-0.3, 0.4, 0.7)])
@pytest.mark.parametrize("bound", ["min_gap", "max_gap", "max_window"])
def test_an_edge_is_inside(times, bound):
    *moments, span = times
    table, asked = table_of(moments, "ab"), {bound: span, "gap_unit": "time"}
    assert not verify.is_hidden(table, ["a -> b"], **asked)
    released = table.seqpriv.hide(["a -> b"], **asked)
    assert released["event"].isna().sum() == 1
    assert verify.is_hidden(released, ["a -> b"], **asked)


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(DECIMALS, st.sampled_from("abc")), min_size=1, max_size=7, unique_by=lambda row: row[0]
    ),
    st.tuples(st.integers(0, 8), st.integers(0, 30), st.integers(0, 40)),
)
def test_gaps_are_those_of_the_numbers_as_written(rows, spans):
    rows = sorted(rows)
    table = table_of(*zip(*rows, strict=True))
    assume(spans[0] <= spans[1])
    least, most, window = (number / 10 for number in spans)
    exact = [(Fraction(str(time)), [event]) for time, event in rows]
    gap = (0, naive.ANY, Fraction(str(least)), Fraction(str(most)))
    elements, longest = (frozenset("a"), frozenset("b")), (naive.ANY, Fraction(str(window)))
    pattern = naive.NaivePattern(elements, (gap,), longest)
    asked = {"min_gap": least, "max_gap": most, "max_window": window, "gap_unit": "time"}
    expected = bool(naive.matches(exact, pattern))
    assert verify.is_hidden(table, ["a -> b"], **asked).details["support"].tolist() == [expected]
    released = table.seqpriv.hide(["a -> b"], **asked)
    gone = released["event"].isna().tolist()
    left = [(time, [] if is_gone else events) for (time, events), is_gone in zip(exact, gone, strict=True)]
    assert not naive.matches(left, pattern)
    assert any(gone) == expected
