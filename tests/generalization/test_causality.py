"""How often one event soon follows another, before and after: by the paper's own queries."""

from __future__ import annotations

import math
from itertools import product

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pdseqpriv
from tests.generalization.cases import frame_of
from tests.generalization.naive_check import covers

LINKS = {"a": "ab", "b": "ab", "ab": "all", "c": "all", "d": "de", "e": "de", "de": "all"}
EVENTS = list("abcde")

pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")


def divergence(original, released, monitored, window):
    """Write both queries of the paper as loops over all pairs of events."""
    unseen = 0.5

    def stands_for(shown, event):
        return covers(shown, event, LINKS, "all") if event in monitored else shown == event

    def hits(sequences, pair):
        return sum(
            any(
                stands_for(x, pair[0]) and stands_for(y, pair[1]) and x_end <= y_start <= x_end + window
                for (x, _, x_end), (y, y_start, _) in product(rows, repeat=2)
            )
            for rows in sequences
        )

    pairs = list(product(EVENTS, repeat=2))
    before = {pair: hits([[(e, t, t) for e, t in rows] for rows in original], pair) for pair in pairs}
    after = {pair: hits(released, pair) for pair in pairs}
    after = {pair: after[pair] or (unseen if before[pair] else 0) for pair in pairs}
    p, q = sum(before.values()), sum(after.values())
    return sum(before[one] / p * math.log(before[one] / p / (after[one] / q)) for one in pairs if before[one])


rows = st.lists(st.tuples(st.sampled_from(EVENTS), st.integers(0, 12)), min_size=1, max_size=5, unique=True)


@settings(max_examples=30)
@given(
    st.lists(rows, min_size=4, max_size=8),
    st.lists(st.sampled_from(EVENTS), unique=True, min_size=1) | st.just(EVENTS),
    st.integers(0, 12),
    st.sampled_from(["apart", "by_category"]),
)
def test_the_divergence_is_that_of_the_papers_queries(sequences, monitored, window, intervals):
    df = frame_of(dict(enumerate(sequences)))
    assume(len(set(df["seq_id"][df["event"].isin(monitored)])) > 1)  # else no group can be formed
    asked = {"taxonomy": LINKS, "monitored": monitored}
    released, key = df.seqpriv.generalize(k=2, with_key=True, intervals=intervals, **asked)
    shown = [
        [(row.event, row.time_from, row.time_to) for row in one.itertuples()]
        for _, one in released.groupby("seq_id")
    ]
    found = pdseqpriv.compare(df, released, key=key, window=window, **asked).set_index("measure")["value"]
    expected = divergence(sequences, shown, monitored, window)
    assert found["causality_divergence"] == pytest.approx(expected, abs=1e-9)


def test_what_is_wrongly_shown_counts():
    df = frame_of({1: [("a", 0)], 2: [("a", 0)]})
    exact = pd.DataFrame({"seq_id": [0, 1], "group": 0, "event": "a", "time_from": 0, "time_to": 0})
    blurred = exact.assign(event="ab")
    values = [
        pdseqpriv.compare(df, release, taxonomy=LINKS).set_index("measure")["value"]["causality_divergence"]
        for release in (exact, blurred)
    ]
    assert values == pytest.approx([0, math.log(4)])  # one of four pairs is true
