"""Summaries, plans and functions can be sent to where the data are, and parts merge in any order."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import PrivacyWarning
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.sanitization import per_sequence, pooled
from pdseqpriv.sanitization.request import read_request
from pdseqpriv.sanitization.sanitize import apply
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of
from tests.engines.posted import Posted, posted
from tests.strategies import tables


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return function(*arguments, **options)


def asked(frame, scope, method="joint"):
    events = list(frame["event"].dropna().unique()[:2]) or ["none"]
    request = {"events": events, "scope": scope, "method": method}
    return quietly(read_request, 0.3, **request, alphabet=None, camouflage=None)


def in_parts(frame, n=3):
    """Return the frames and sequences of some parts, which hold whole sequences; a part may be empty."""
    owner = pd.factorize(frame["seq_id"])[0] % n
    parts = [frame[owner == part] for part in range(n)]
    return [(part, sequences_of(part, Columns())) for part in parts]


def merged_both_ways(merge, summaries):
    return functools.reduce(merge, summaries), functools.reduce(lambda a, b: merge(b, a), reversed(summaries))


@given(tables())
def test_events_merge_in_any_grouping(frame):
    summaries = [per_sequence.summarise(sequences) for _, sequences in in_parts(frame)]
    whole = per_sequence.summarise(sequences_of(frame, Columns()))
    for merged in merged_both_ways(per_sequence.merge, summaries):
        assert (list(merged.vocabulary), merged.rows) == (list(whole.vocabulary), whole.rows)


@given(tables())
def test_counts_merge_in_any_grouping_and_add_up(frame):
    summaries = [pooled.summarise(sequences) for _, sequences in in_parts(frame)]
    left, right = merged_both_ways(pooled.merge, summaries)
    assert [id(part) for part in left] == [id(part) for part in right]
    request = asked(frame, "table")
    together = quietly(pooled.make_plan, left, request)
    alone = quietly(pooled.make_plan, pooled.summarise(sequences_of(frame, Columns())), request)
    (deletions,) = alone.deletions.values()
    np.testing.assert_array_equal(together.amounts[together.amounts > 0], deletions.amounts)


@given(tables(), st.sampled_from(["sequence", "table"]), st.sampled_from(["joint", "essa"]))
def test_what_went_through_the_post_gives_the_same_answer(frame, scope, method):
    request = asked(frame, scope, method)
    options = {"events": list(request.events), "scope": scope, "method": method}
    here = quietly(pdseqpriv.sanitize, frame, 0.3, **options)
    for partitions in (1, 3):
        there = BoundTable(frame, Columns(), Posted(partitions))
        again = quietly(pdseqpriv.sanitize, there, 0.3, **options)
        pd.testing.assert_frame_equal(again, here, check_categorical=False)
        assert again.attrs == here.attrs


@given(tables(), st.sampled_from(["sequence", "table"]))
def test_a_plan_is_posted_and_changed_by_nobody(frame, scope):
    sequences = sequences_of(frame, Columns())
    way = per_sequence if scope == "sequence" else pooled
    plan = quietly(way.make_plan, way.summarise(sequences), asked(frame, scope))
    before = frame.copy(deep=True)
    rows, tally = apply(frame, sequences, plan)
    pd.testing.assert_frame_equal(frame, before)
    assert (tally.rows, tally.rows - tally.deleted) == (len(frame), len(rows))
    for again in (posted(plan), plan):
        rows_again, tally_again = apply(frame, sequences, again)
        pd.testing.assert_frame_equal(rows_again, rows)
        assert tally_again == tally
    assert (tally + tally).deleted == 2 * tally.deleted
