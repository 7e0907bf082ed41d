"""Intervals with the least loss, and groups that satisfy what is asked."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pdseqpriv.errors import InfeasibleError
from pdseqpriv.operations.generalize.grouping import group
from pdseqpriv.operations.generalize.intervals import optimal_intervals
from pdseqpriv.operations.generalize.people import Privacy, Weights
from tests import grouping_cases as cases
from tests.naive import generalize as naive

METHODS = ["baseline", "indexed"]


def intervals_of(sequences, found, number):
    """List the times of each interval of one group."""
    times = np.array([time for sequence in sequences for time, _ in sorted(sequence)])
    which = np.flatnonzero(found.interval_group == number)
    return [sorted(set(times[found.interval_of_row == i].tolist())) for i in which]


def test_example_5_2_the_losses_of_both_clusters():
    for numbers, loss, intervals in (
        ([1, 2, 3], Fraction(11, 168), [[1, 3], [10, 11]]),
        ([4, 5], Fraction(1, 20), [[4, 5, 6]]),
    ):
        sequences, totals = cases.google_only(numbers)
        people = cases.people_of(sequences, totals, span=12)
        tree = cases.tree_of(cases.PARENT)
        found = optimal_intervals(people, tree, Weights(1, 0), np.zeros(len(numbers), np.int64))
        assert found.group_loss[0] == pytest.approx(float(loss), rel=1e-12)
        assert intervals_of(sequences, found, 0) == intervals


def test_example_7_2_and_table_3():
    google, bing = cases.GOOGLE, cases.BING
    sequences = [
        [(3, google), (7, bing), (10, bing)],
        [(2, google), (9, bing)],
        [(3, google), (1, bing), (11, bing)],
        [(7, google)],
        [(8, bing)],
    ]
    people = cases.people_of(sequences, [4, 3, 4, 2, 2], span=10)
    tree = cases.tree_of(cases.PARENT)
    found = optimal_intervals(people, tree, Weights(1, 1), np.array([0, 0, 0, 1, 1]))
    assert intervals_of(sequences, found, 0) == [[1, 2, 3], [7, 9, 10, 11]]
    assert intervals_of(sequences, found, 1) == [[7, 8]]
    assert found.interval_node.tolist() == [4, bing, 4]
    assert found.interval_group.tolist() == [0, 0, 1]
    one, two = (Fraction(2, 10) + Fraction(2, 8)) / 2, Fraction(4, 10) / 2
    assert found.group_loss[0] == pytest.approx(float((4 * one + 4 * two) / 11), rel=1e-12)


def test_the_printed_algorithm_7_would_lose_more():
    # The largest number of intervals is three; two lose a twelfth of that.
    sequences = [[(t, 1) for t in (0, 1, 2, 100)], [(t, 1) for t in (0, 99, 100, 101)]]
    people = cases.people_of(sequences)
    found = optimal_intervals(people, cases.tree_of([0, 0]), Weights(1, 1), np.zeros(2, np.int64))
    assert intervals_of(sequences, found, 0) == [[0, 1, 2], [99, 100, 101]]


@given(cases.problems(max_people=4, max_rows=5, max_time=10), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_intervals_are_feasible_and_lose_least(problem, n_groups):
    sequences, totals = problem["sequences"], problem["totals"]
    groups = np.array([min(i, n_groups) for i in range(len(sequences))])
    people = cases.people_of(sequences, totals, span=16)
    tree = cases.tree_of(problem["parents"])
    found = optimal_intervals(people, tree, Weights(*problem["weights"]), groups)
    taxonomy = dict(enumerate(problem["parents"]))
    for number in range(groups.max() + 1):
        members = [s for s, g in zip(sequences, groups, strict=True) if g == number]
        rows = [t for t, g in zip(totals, groups, strict=True) if g == number]
        least, best = naive.least_loss(taxonomy, members, rows, 16, problem["weights"])
        assert found.group_loss[number] == pytest.approx(float(least), rel=1e-12, abs=1e-15)
        parts = intervals_of(sequences, found, number)
        assert parts in best
        nodes = found.interval_node[found.interval_group == number]
        for part, node in zip(parts, nodes.tolist(), strict=True):
            events = [event for member in members for time, event in member if time in part]
            assert node == naive.lowest_common_ancestor(taxonomy, events)
    assert np.array_equal(found.interval_group, np.sort(found.interval_group))
    owner = np.repeat(np.arange(len(sequences)), np.diff(people.offsets))
    assert np.array_equal(found.interval_group[found.interval_of_row], groups[owner])


def as_groups(numbers):
    return sorted(np.flatnonzero(numbers == number).tolist() for number in np.unique(numbers))


def solve(problem, privacy, method, seed=0, *, weights=None):
    people = cases.people_of(problem["sequences"], problem["totals"], sensitive=problem["marks"], span=16)
    tree = cases.tree_of(problem["parents"])
    return group(people, tree, privacy, Weights(*(weights or problem["weights"])), method, seed)


@given(cases.problems(), st.integers(1, 4), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_baseline_is_algorithm_1_for_k(problem, k, seed):
    n = len(problem["sequences"])
    assume(k <= n)
    taxonomy = dict(enumerate(problem["parents"]))
    plain = naive.Baseline(
        taxonomy, problem["sequences"], problem["totals"], 16, problem["weights"], k=k
    ).groups(np.random.default_rng(seed).random(2 * n))
    assert as_groups(solve(problem, Privacy(k), "baseline", seed)) == plain


@given(
    cases.problems(max_rows=2, sensitive=True),
    st.integers(1, 4),
    st.integers(0, 3),
    cases.certainties,
    st.integers(0, 5),
)
@settings(max_examples=40, deadline=None)
def test_baseline_is_algorithm_1_for_diversity(problem, k, g, certainty, seed):
    n = len(problem["sequences"])
    whole = naive.most_in_any_window(problem["marks"], g) * certainty <= n
    if k > n or not whole:
        with pytest.raises(InfeasibleError):
            solve(problem, Privacy(k, g, certainty), "baseline", seed)
        return
    taxonomy = dict(enumerate(problem["parents"]))
    plain = naive.Baseline(
        taxonomy,
        problem["sequences"],
        problem["totals"],
        16,
        problem["weights"],
        k=k,
        sensitive=problem["marks"],
        g=g,
        certainty=certainty,
    ).groups(np.random.default_rng(seed).random(2 * n))
    assert as_groups(solve(problem, Privacy(k, g, certainty), "baseline", seed)) == plain
