"""Intervals of a group whose events are first separated by category, where that loses less."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdseqpriv.generalization.grouping.search import Privacy
from pdseqpriv.generalization.intervals import optimal_intervals
from tests.generalization import grouping_cases as cases
from tests.generalization import naive
from tests.generalization.grouping_cases import NO_BAR, search_for


def intervals(search, groups, *, by_category=True):
    return optimal_intervals(search.sequences, search.model, groups, NO_BAR, by_category=by_category)


def shown_of(sequences, found, number):
    """List the intervals of one group as (first, last, category)."""
    times = np.array([time for sequence in sequences for time, _ in sorted(sequence)])
    theirs = [(times[found.of_row == i], int(found.node[i])) for i in np.flatnonzero(found.group == number)]
    return sorted((when.min(), when.max(), node) for when, node in theirs)


@given(cases.problems(max_people=4, max_rows=4, max_time=8), st.integers(0, 2))
@settings(max_examples=100, deadline=None)
def test_no_other_separation_loses_less(problem, n_groups):
    sequences, totals, weights = problem["sequences"], problem["totals"], problem["weights"]
    groups = np.array([min(i, n_groups) for i in range(len(sequences))])
    search = search_for(sequences, problem["parents"], Privacy(1), weights, totals=totals, span=16)
    found, apart = intervals(search, groups), intervals(search, groups, by_category=False)
    taxonomy = dict(enumerate(problem["parents"]))
    for number in range(groups.max() + 1):
        members = [s for s, g in zip(sequences, groups, strict=True) if g == number]
        rows = [t for t, g in zip(totals, groups, strict=True) if g == number]
        least, best = naive.least_loss_by_category(taxonomy, members, rows, 16, weights)
        assert found.loss[number] / sum(rows) == pytest.approx(float(least), rel=1e-12, abs=1e-15)
        assert shown_of(sequences, found, number) in best
    assert (found.loss <= apart.loss).all()
    assert np.array_equal(found.group, np.sort(found.group))
    owner = np.repeat(np.arange(len(sequences)), [len(sequence) for sequence in sequences])
    assert np.array_equal(found.group[found.of_row], groups[owner])
