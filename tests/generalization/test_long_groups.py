"""Groups with many distinct times, for which the starts that can be best wait in queues."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdseqpriv.generalization.grouping.search import Privacy
from pdseqpriv.generalization.kernels import long_groups, loss
from pdseqpriv.generalization.kernels.loss import least_loss
from pdseqpriv.generalization.kernels.pair_loss import distance_loss, least_loss_within
from pdseqpriv.generalization.kernels.profiles import (
    LATEST,
    START,
    TIME,
    new_loss_table,
    new_profiles,
    profile_of_members,
)
from tests.generalization import naive
from tests.generalization.grouping_cases import search_for

# ALL, two categories in it, one of which has a category of its own; the last four are events.
PARENTS = [0, 0, 0, 1, 3, 3, 1, 2]
EVENTS = [4, 5, 6, 7]


def profile(sequences, weights, parents=PARENTS, span=50):
    """Return the loss model, and the sequences as one group."""
    search = search_for(sequences, parents, Privacy(1), weights, span=span)
    rows = search.sequences
    owner = np.repeat(np.arange(len(sequences)), np.diff(rows.offsets))
    order = np.argsort(rows.when, kind="stable")
    made, inside = new_profiles(order.size), np.zeros(len(sequences), np.int64)
    of_rows = rows.when[order], rows.node[order], owner[order]
    return search.model, made, profile_of_members(search.model, *of_rows, len(sequences), inside, made)


def way(table, n):
    """Return the places at which intervals start."""
    starts, end = [], n - 1
    while end >= 0:
        starts.append(int(table.places[START, end]))
        end = starts[-1] - 1
    return starts


def two_runs(n):
    """A common time, then a long run of one, then a long run of the other: every start has to be tried."""
    return [[(t, 4) for t in range(n + 1)], [(0, 4), *((t, 4 + t % 4) for t in range(n + 1, 2 * n))]]


LONG = st.lists(
    st.lists(
        st.tuples(st.integers(0, 50), st.sampled_from(EVENTS)),
        min_size=1,
        max_size=20,
        unique_by=lambda r: r[0],
    ),
    min_size=1,
    max_size=4,
)
WEIGHTS = [(1, 0), (1, 1), (3, 1), (1, 5), (0, 1)]


@given(LONG, st.sampled_from(WEIGHTS))
@settings(max_examples=150)
def test_queues_find_the_least_loss_of_the_recursion(sequences, weights):
    model, group, n = profile(sequences, weights)
    table = new_loss_table(n)
    found = long_groups.least_loss_of_long_group(model, group, 0, n, table)
    expected = naive.least_loss_of_long_group(dict(enumerate(PARENTS)), sequences, 50, weights)
    assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


@given(LONG, st.sampled_from(WEIGHTS))
@settings(max_examples=150)
def test_queues_and_the_search_of_all_starts_give_the_same(sequences, weights):
    model, group, n = profile(sequences, weights)
    of_queues, of_all = new_loss_table(n), new_loss_table(n)
    found = long_groups.least_loss_of_long_group(model, group, 0, n, of_queues)
    assert found == pytest.approx(least_loss(model, group, 0, n, of_all), rel=1e-12)
    for table in (of_queues, of_all):
        ends = [n, *way(table, n)]
        parts = [group.times[TIME, start:end] for end, start in pairwise(ends)]
        assert all(part[0] <= group.times[LATEST, end - 1] for part, end in zip(parts, ends, strict=False))


@pytest.mark.parametrize("weights", [(1, 0), (1, 1)])
def test_a_group_with_too_many_starts_is_handed_over(weights):
    n_each = 4 * loss.TRIED
    sequences = two_runs(n_each)
    model, group, n = profile(sequences, weights, span=2 * n_each)
    of_queues, of_all = new_loss_table(n), new_loss_table(n)
    expected = long_groups.least_loss_of_long_group(model, group, 0, n, of_queues)
    assert least_loss(model, group, 0, n, of_all) == expected
    assert way(of_all, n) == way(of_queues, n)
    count = np.ones(n)
    rooms = (*np.zeros((2, n + 1)), np.zeros(n + 1), np.zeros(n + 1, np.int64))
    within = least_loss_within(model.per_time, *group.times[:, :n], count, n, *rooms, np.inf, False)
    assert within == -1


@given(LONG)
@settings(max_examples=50)
def test_the_bound_of_distances_holds_where_few_ends_are_tried(sequences):
    model, group, n = profile(sequences, (1, 0))
    bound = distance_loss(model.per_time, *group.times[:, :n], group.rows[0, :n], n, np.zeros(n + 1), np.inf)
    assert bound <= least_loss(model, group, 0, n, new_loss_table(n)) * (1 + 1e-9)
