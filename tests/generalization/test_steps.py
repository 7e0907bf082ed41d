"""The three steps: parts are put together in any grouping, and all that is sent can be pickled."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pdseqpriv.generalization.grouping.search import Weights
from pdseqpriv.generalization.plan import make_plan
from pdseqpriv.generalization.release import cut_rows, make_key, release, rows_as_frame
from pdseqpriv.generalization.request import Request
from pdseqpriv.generalization.summary import merge, summarise
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of
from pdseqpriv.sequences.window import k_and_diversity
from tests.engines.posted import posted
from tests.strategies import tables


def parts_of(frame, owners):
    """Summarise whole sequences part by part; a part may be empty."""
    numbers = frame["seq_id"].map({one: i for i, one in enumerate(frame["seq_id"].unique())})
    part = numbers.map(dict(enumerate(owners)))
    return [summarise(sequences_of(frame[part == i], Columns())) for i in range(3)]


def content_of(summary):
    """Write a summary out in plain values."""
    rows = zip(summary.vocabulary[summary.codes], summary.times.tolist(), strict=True)
    return {
        "rows": [(str(event), time) for event, time in rows],
        "offsets": summary.offsets.tolist(),
        "vocabulary": [str(event) for event in summary.vocabulary],
        "ids": summary.ids.tolist(),
        "time": (summary.time_unit, summary.times.dtype),
        "columns": (summary.columns, summary.dtypes),
    }


@given(tables(n_ids=6, max_rows=24, min_rows=1), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_summaries_merge_in_any_grouping(frame, owners):
    first, second, third = parts_of(frame, owners)
    left, right = merge(merge(first, second), third), merge(first, merge(second, third))
    assert content_of(left) == content_of(right)
    marked = frame["event"].isna()
    assert left.codes.size == (~marked).sum()
    assert sorted(left.ids.tolist()) == sorted(frame["seq_id"].unique().tolist())


@given(tables(n_ids=6, max_rows=24, min_rows=1), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_a_summary_holds_every_row_of_every_sequence(frame, owners):
    whole = reduce(merge, parts_of(frame, owners))
    for place, one in enumerate(whole.ids):
        theirs = slice(whole.offsets[place], whole.offsets[place + 1])
        own = frame[(frame["seq_id"] == one) & frame["event"].notna()]
        events = [str(event) for event in whole.vocabulary[whole.codes[theirs]]]
        assert sorted(events) == sorted(own["event"].astype(object).map(str))
        assert whole.times[theirs].tolist() == sorted(whole.times[theirs].tolist())


ASKED = {"k": 2, "diversity": (1, 1.5), "monitored": ["a", "b"], "with_key": True}


def test_all_that_is_sent_can_be_pickled_and_gives_the_same():
    chance = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "seq_id": np.repeat(np.arange(20), 4),
            "event": chance.choice(list("abcdef"), 80),
            "time": chance.integers(0, 50, 80),
        }
    )
    privacy, monitored = k_and_diversity(ASKED["k"], ASKED["diversity"]), pd.Index(ASKED["monitored"])
    request = Request(*privacy, monitored, None, "auto", Weights(), 0, True)
    request, step, join = posted((request, summarise, merge))
    assert (step, join) == (summarise, merge)
    summary = posted(step(sequences_of(frame, Columns())))
    plan = posted(make_plan(summary, None, request))
    whole, numbers = release(plan, summary, 0, [], "real")
    expected, key = frame.seqpriv.generalize(**ASKED, seed=0)
    bounds = [0, 7, 8, whole.sizes.size]
    pieces = [rows_as_frame(posted(cut_rows(whole, *some))) for some in pairwise(bounds)]
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), expected)
    pd.testing.assert_frame_equal(make_key(plan, numbers, summary), key)


def test_rows_have_one_order_however_many_sequences_and_times_there_are(monkeypatch):
    rows = {"seq_id": [1, 2, 3, 4] * 6, "event": list("abcabd") * 4, "time": range(24)}
    frame = pd.DataFrame(rows)
    few = frame.seqpriv.generalize(k=2, monitored=["a"], seed=1)
    monkeypatch.setattr("pdseqpriv.generalization.release._FITS", 0)  # as if it were too small
    many = frame.seqpriv.generalize(k=2, monitored=["a"], seed=1)
    pd.testing.assert_frame_equal(few, many)
    order = few[["seq_id", "time_from", "time_to", "event"]]
    assert order.equals(order.sort_values(list(order.columns), kind="stable"))
