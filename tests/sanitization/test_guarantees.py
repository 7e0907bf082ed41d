"""What operations promise holds on whatever hypothesis finds, and their input stays as it was."""

from __future__ import annotations

import warnings
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdseqpriv import PrivacyWarning, verify
from tests.strategies import tables

DELTAS = [0.1, 1 / 3, Fraction(1, 3), 0.5, 0.9, 1.0, 1e-9]


@given(
    tables(),
    st.sampled_from(DELTAS),
    st.fixed_dictionaries(
        {
            "scope": st.sampled_from(["sequence", "table"]),
            "method": st.sampled_from(["joint", "essa"]),
            "camouflage": st.sampled_from([None, 2, 3]),
        }
    ),
    st.integers(0, 3),
)
def test_sanitized_tables_are_sanitized(frame, delta, asked, n_sensitive):
    before = frame.copy(deep=True)
    events = [*frame["event"].dropna().unique()[:n_sensitive], "not there"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        released = frame.seqpriv.sanitize(delta, events=events, **asked)
        del asked["method"]
        assert verify.is_sanitized(released, delta, events=events, may_be_absent=True, **asked)
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == before.attrs
    assert list(released.columns) == list(frame.columns)
    for name in ("seq_id", "time", "event"):
        is_category = isinstance(frame[name].dtype, pd.CategoricalDtype)
        assert released[name].dtype == ("category" if is_category else frame[name].dtype)
    others = ~frame["event"].isin(events)
    kept = ~released["event"].isin(events)
    plain = [side.astype(object).reset_index(drop=True) for side in (frame[others], released[kept])]
    pd.testing.assert_frame_equal(*plain)


@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_an_unsanitized_table_is_told_from_a_sanitized_one(scope):
    frame = pd.DataFrame({"seq_id": 1, "event": list("bbba"), "time": [1, 2, 3, 4]})
    assert verify.is_sanitized(frame, 0.26, events=["a"], scope=scope)
    assert not verify.is_sanitized(frame, 0.25, events=["a"], scope=scope)
