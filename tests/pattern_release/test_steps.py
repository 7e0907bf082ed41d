"""The three steps of mining and of a release: summaries that merge, and plans that can be sent elsewhere."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdseqpriv.engines.local import LocalRun
from pdseqpriv.mining import mine, search
from pdseqpriv.mining.tables_to_mine import WholeTable
from pdseqpriv.pattern_release import plan as release
from pdseqpriv.patterns.tables import pattern_frame
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of
from tests.engines.posted import posted
from tests.mining.test_mine import ROWS, as_dict
from tests.strategies import plain_table, tables

pytestmark = pytest.mark.filterwarnings("ignore:.* supports? (exceed|is more|are more)")

LIMITS = {"min_length": 1, "max_length": 4, "max_patterns": 100_000}


def summary_of(frame):
    return search.summarise(sequences_of(frame, Columns()))


def parts_of(frame, owners):
    """Cut a table into three parts that hold whole sequences."""
    part = frame["seq_id"].map(
        {one: owners[i % len(owners)] for i, one in enumerate(frame["seq_id"].unique())}
    )
    return [summary_of(frame[(part == number).to_numpy()]) for number in range(3)]


def content(summary):
    """Write a summary as plain lists: events per sequence with their elements."""
    names = [*summary.vocabulary.tolist(), None]
    events = [names[code] for code in summary.codes]
    rows = list(zip(events, summary.elements.tolist(), strict=True))
    sequences = [rows[first:last] for first, last in pairwise(summary.offsets.tolist())]
    return sequences, names[:-1]


@given(tables(max_rows=20), st.lists(st.integers(0, 2), min_size=1, max_size=5))
def test_merging_is_associative_and_loses_nothing(frame, owners):
    one, two, three = parts_of(frame, owners)
    left = search.merge(search.merge(one, two), three)
    right = search.merge(one, search.merge(two, three))
    assert content(left) == content(right)
    whole_sequences, whole_vocabulary = content(summary_of(frame))
    sequences, vocabulary = content(left)
    assert sorted(map(str, sequences)) == sorted(map(str, whole_sequences))
    assert vocabulary == whole_vocabulary
    assert left.total == frame["seq_id"].nunique()


@given(ROWS, st.lists(st.integers(0, 2), min_size=1, max_size=5))
def test_the_order_of_parts_does_not_matter(rows, owners):
    one, two, three = parts_of(plain_table(rows), owners)
    asked = LIMITS | {"closed": False}
    first = mine.make_plan(WholeTable(search.merge(search.merge(one, two), three)), 2, **asked)
    second = mine.make_plan(WholeTable(search.merge(three, search.merge(two, one))), 2, **asked)
    pd.testing.assert_frame_equal(pattern_frame(first), pattern_frame(second))


@given(ROWS, st.booleans())
def test_summaries_and_plans_can_be_sent_elsewhere(rows, closed):
    table = plain_table(rows)
    summary = LocalRun(table, Columns()).reduce(posted(search.summarise), posted(search.merge))
    here = mine.make_plan(WholeTable(summary), 2, **LIMITS, closed=closed)
    there = posted(mine.make_plan(posted(WholeTable(summary)), 2, **LIMITS, closed=closed))
    pd.testing.assert_frame_equal(pattern_frame(here), pattern_frame(there))
    assert as_dict(pattern_frame(here)) == as_dict(table.seqpriv.mine(2, max_length=4, closed=closed))
    found = search.frequent_patterns(summary, 2, max_length=4)
    given = release.GivenPatterns(found, 1, is_mined=True)
    asked = {"k": 2, "alpha": Fraction(9, 10), "closed": closed}
    there = posted(release.make_plan(posted(given), **asked))
    pd.testing.assert_frame_equal(pattern_frame(release.make_plan(given, **asked)), pattern_frame(there))


def test_a_plan_changes_nothing_that_it_was_given():
    table = plain_table([(owner, event, event) for owner in range(6) for event in range(3) if owner > event])
    summary = summary_of(table)
    before = posted(summary)
    given = release.GivenPatterns(search.frequent_patterns(summary, 2), 1, is_mined=True)
    supports = given.patterns.supports.copy()
    raised = release.make_plan(given, k=3, alpha=None, closed=False)
    assert (raised.supports > supports).any()
    np.testing.assert_array_equal(given.patterns.supports, supports)
    assert content(summary) == content(before)
    with pytest.raises(AttributeError):
        given.patterns.supports = supports
