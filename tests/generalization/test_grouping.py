"""Intervals with the least loss, and groups that satisfy what is asked."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pdseqpriv.errors import InfeasibleError
from pdseqpriv.generalization import intervals as interval_module
from pdseqpriv.generalization.grouping import hybrid, nearest_first, partition
from pdseqpriv.generalization.grouping.group import group
from pdseqpriv.generalization.grouping.nearest_first import grow_all, mend_all
from pdseqpriv.generalization.grouping.partition import category_counts
from pdseqpriv.generalization.grouping.search import Privacy, most_shared, occurrences_of
from pdseqpriv.generalization.intervals import optimal_intervals
from pdseqpriv.generalization.kernels.bounds import (
    BLOCK,
    LENGTHS,
    PARTS,
    block_bounds,
    extent_bound_with_events,
    extent_bounds,
    fingerprint,
    fingerprint_bound,
    rows_in_buckets,
)
from pdseqpriv.generalization.kernels.clusters import (
    BEGIN,
    END,
    SIZE,
    TOTAL,
    join_clusters,
    labels,
    loss_of_union,
    new_clusters,
)
from pdseqpriv.generalization.kernels.hilbert import clusters_along_curve, hilbert_index
from pdseqpriv.generalization.kernels.nearest_clusters import BUCKETS, SHORTEST, new_cluster_index
from pdseqpriv.generalization.kernels.pair_loss import distance_loss, join_times, least_loss_within
from pdseqpriv.generalization.kernels.splitting import Halving, event_distance, split
from tests.generalization import grouping_cases as cases
from tests.generalization import naive
from tests.generalization.grouping_cases import NO_BAR, search_for

METHODS = ["baseline", "indexed", "hybrid", "hilbert", "partition"]
# No person has several sequences.
NOBODY_TWICE = np.zeros(0, np.int64)


def intervals(search, groups):
    return optimal_intervals(search.sequences, search.model, groups, NO_BAR, by_category=False)


def intervals_of(sequences, found, number):
    """List the times of each interval of one group."""
    times = np.array([time for sequence in sequences for time, _ in sorted(sequence)])
    which = np.flatnonzero(found.group == number)
    return [sorted(set(times[found.of_row == i].tolist())) for i in which]


def test_example_5_2_the_losses_of_both_clusters():
    for numbers, loss, expected in (
        ([1, 2, 3], Fraction(11, 168), [[1, 3], [10, 11]]),
        ([4, 5], Fraction(1, 20), [[4, 5, 6]]),
    ):
        sequences, totals = cases.google_only(numbers)
        search = search_for(sequences, cases.PARENT, Privacy(2), (1, 0), totals=totals, span=12)
        found = intervals(search, np.zeros(len(numbers), np.int64))
        assert found.loss[0] / sum(totals) == pytest.approx(float(loss), rel=1e-12)
        assert intervals_of(sequences, found, 0) == expected


def test_example_7_2_and_table_3():
    google, bing = cases.GOOGLE, cases.BING
    sequences = [
        [(3, google), (7, bing), (10, bing)],
        [(2, google), (9, bing)],
        [(3, google), (1, bing), (11, bing)],
        [(7, google)],
        [(8, bing)],
    ]
    search = search_for(sequences, cases.PARENT, Privacy(2), (1, 1), totals=[4, 3, 4, 2, 2], span=10)
    found = intervals(search, np.array([0, 0, 0, 1, 1]))
    assert intervals_of(sequences, found, 0) == [[1, 2, 3], [7, 9, 10, 11]]
    assert intervals_of(sequences, found, 1) == [[7, 8]]
    assert found.node.tolist() == [4, bing, 4]
    assert found.group.tolist() == [0, 0, 1]
    one, two = (Fraction(2, 10) + Fraction(2, 8)) / 2, Fraction(4, 10) / 2
    assert found.loss[0] == pytest.approx(float(4 * one + 4 * two), rel=1e-12)


def test_the_printed_algorithm_7_would_lose_more():
    # The largest number of intervals is three; two lose a twelfth of that.
    sequences = [[(t, 1) for t in (0, 1, 2, 100)], [(t, 1) for t in (0, 99, 100, 101)]]
    found = intervals(search_for(sequences, [0, 0], Privacy(2), (1, 1)), np.zeros(2, np.int64))
    assert intervals_of(sequences, found, 0) == [[0, 1, 2], [99, 100, 101]]


@given(cases.problems(max_people=4, max_rows=5, max_time=10), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_intervals_are_feasible_and_lose_least(problem, n_groups):
    sequences, totals = problem["sequences"], problem["totals"]
    groups = np.array([min(i, n_groups) for i in range(len(sequences))])
    search = search_for(sequences, problem["parents"], Privacy(1), problem["weights"], totals=totals, span=16)
    found = intervals(search, groups)
    taxonomy = dict(enumerate(problem["parents"]))
    for number in range(groups.max() + 1):
        members = [s for s, g in zip(sequences, groups, strict=True) if g == number]
        rows = [t for t, g in zip(totals, groups, strict=True) if g == number]
        least, best = naive.least_loss(taxonomy, members, rows, 16, problem["weights"])
        assert found.loss[number] / sum(rows) == pytest.approx(float(least), rel=1e-12, abs=1e-15)
        parts = intervals_of(sequences, found, number)
        assert parts in best
        nodes = found.node[found.group == number]
        for part, node in zip(parts, nodes.tolist(), strict=True):
            events = [event for member in members for time, event in member if time in part]
            assert node == naive.lowest_common_ancestor(taxonomy, events)
    assert np.array_equal(found.group, np.sort(found.group))
    owner = np.repeat(np.arange(len(sequences)), [len(sequence) for sequence in sequences])
    assert np.array_equal(found.group[found.of_row], groups[owner])


def as_groups(numbers):
    return sorted(np.flatnonzero(numbers == number).tolist() for number in np.unique(numbers))


def solve(problem, privacy, method, seed=0):
    search = search_for(
        problem["sequences"],
        problem["parents"],
        privacy,
        problem["weights"],
        seed=seed,
        totals=problem["totals"],
        marks=problem["marks"],
        span=problem.get("span", 16),
    )
    return group(search, method, NO_BAR)


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


def large_problem(seed, n, *, max_time, mean, sensitive=0, events=8):
    """Draw more people than hypothesis does, with many ties."""
    random = np.random.default_rng(seed)
    leaf = naive.leaves(dict(enumerate(cases.PARENT)))[:events]

    def rows(count, top, codes):
        return [(int(random.integers(0, top + 1)), int(random.choice(codes))) for _ in range(count)]

    sequences = [rows(random.geometric(1 / mean), max_time, leaf) for _ in range(n)]
    totals = [len(sequence) + int(random.integers(0, 4)) for sequence in sequences]
    marks = [rows(random.integers(0, sensitive + 1), 30, range(6)) for _ in range(n)]
    weights = [(1, 0), (0, 1), (1, 1), (1, 3)][seed % 4]
    return {
        "parents": cases.PARENT,
        "sequences": sequences,
        "totals": totals,
        "marks": marks,
        "weights": weights,
        "span": max_time,
    }


@given(cases.problems(max_people=12, sensitive=True), st.integers(1, 5), st.integers(0, 9), st.booleans())
@settings(max_examples=200, deadline=None)
def test_indexed_gives_the_groups_of_baseline(problem, k, seed, diverse):
    privacy = Privacy(k, 2, Fraction(3, 2)) if diverse else Privacy(k)
    try:
        expected = solve(problem, privacy, "baseline", seed)
    except InfeasibleError:
        return
    assert np.array_equal(solve(problem, privacy, "indexed", seed), expected)


def one_kind(problem):
    """Let all events be the same: they count, but nothing is lost by categories."""
    event = problem["sequences"][0][0][1]
    problem["sequences"] = [[(time, event) for time, _ in rows] for rows in problem["sequences"]]
    return problem


@given(cases.problems(max_people=12, max_rows=6), st.integers(1, 5), st.integers(0, 9))
@settings(max_examples=100, deadline=None)
def test_indexed_gives_the_groups_of_baseline_for_events_of_one_kind(problem, k, seed):
    assume(k <= len(problem["sequences"]))
    expected = solve(one_kind(problem), Privacy(k), "baseline", seed)
    assert np.array_equal(solve(problem, Privacy(k), "indexed", seed), expected)


@given(cases.problems(max_people=6))
@settings(max_examples=60, deadline=None)
def test_the_index_knows_whether_events_can_be_lost(problem):
    _, _, _, index = all_pairs(problem, 0)
    kinds = {event for rows in problem["sequences"] for _, event in rows}
    assert index.with_events == (problem["weights"][1] > 0 and len(kinds) > 1)


@pytest.mark.parametrize("seed", range(12))
def test_indexed_gives_the_groups_of_baseline_for_events_of_one_kind_for_many(seed):
    problem = large_problem(seed, 250, max_time=(16, 4, 300)[seed % 3], mean=3, events=1)
    expected = solve(problem, Privacy(5), "baseline", seed)
    assert np.array_equal(solve(problem, Privacy(5), "indexed", seed), expected)


@pytest.mark.parametrize("seed", range(12))
def test_indexed_gives_the_groups_of_baseline_for_many(seed):
    problem = large_problem(seed, 250, max_time=(16, 4, 300)[seed % 3], mean=3, sensitive=2)
    for privacy in (Privacy(5), Privacy(2, 1, Fraction(5, 2))):
        expected = solve(problem, privacy, "baseline", seed)
        assert np.array_equal(solve(problem, privacy, "indexed", seed), expected)


def assert_private(problem, privacy, groups):
    for members in as_groups(groups):
        assert len(members) >= privacy.k
        if privacy.one_in is not None:
            marks = [problem["marks"][i] for i in members]
            assert naive.most_in_any_window(marks, privacy.window) * privacy.one_in <= len(members)


@pytest.mark.parametrize("method", METHODS)
@given(
    cases.problems(max_people=12, max_rows=3, sensitive=True),
    st.integers(1, 4),
    st.integers(0, 3),
    st.one_of(st.none(), cases.certainties),
    st.integers(0, 9),
)
@settings(max_examples=80, deadline=None)
def test_every_group_satisfies_what_is_asked(method, problem, k, g, certainty, seed):  # noqa: PLR0917
    n = len(problem["sequences"])
    privacy = Privacy(k) if certainty is None else Privacy(k, g, certainty)
    possible = k <= n
    if certainty is not None:
        possible &= naive.most_in_any_window(problem["marks"], g) * certainty <= n
    if not possible:
        with pytest.raises(InfeasibleError):
            solve(problem, privacy, method, seed)
        return
    groups = solve(problem, privacy, method, seed)
    assert_private(problem, privacy, groups)
    firsts = [np.flatnonzero(groups == number)[0] for number in range(groups.max() + 1)]
    assert firsts == sorted(firsts)
    assert np.array_equal(groups, solve(problem, privacy, method, seed))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_many_people_in_private_groups(method, seed):
    problem = large_problem(seed, 150, max_time=40, mean=2, sensitive=3)
    for privacy in (Privacy(7), Privacy(1, 2, Fraction(3)), Privacy(6, 1, Fraction(9, 4))):
        assert_private(problem, privacy, solve(problem, privacy, method, seed))


def all_pairs(problem, seed):
    """Grow some clusters and give them with the facts of each."""
    search = search_for(
        problem["sequences"],
        problem["parents"],
        Privacy(3),
        problem["weights"],
        seed=seed,
        totals=problem["totals"],
        span=16,
    )
    clusters = clusters_of(search)
    n = len(problem["sequences"])
    if n > 1:
        grow_all(search, clusters, np.arange(n // 2), NO_BAR, indexed=False)
    slots = np.flatnonzero(clusters.slots[SIZE])
    return search.model, clusters, slots, new_cluster_index(search.model, clusters, slots)


def clusters_of(search):
    return new_clusters(search.model, search.sequences, search.occurrences)


def facts_at(index, place):
    return np.ascontiguousarray(index.facts[place // BLOCK, :, place % BLOCK])


@given(cases.problems(max_people=14, max_rows=6), st.integers(0, 5))
@settings(max_examples=200, deadline=None)
def test_no_bound_is_above_the_loss(problem, seed):
    model, clusters, slots, index = all_pairs(problem, seed)
    facts, per_time, buckets = index.facts, model.per_time, (index.origin, index.bucket)
    of_blocks, of_clusters = np.empty(index.filled.size), np.empty(2 * BLOCK)
    in_buckets, room = np.empty((3, BUCKETS), np.int32), np.empty(5 * BLOCK, np.int32)
    for a, one in enumerate(slots):
        mine = facts_at(index, a)
        block_bounds(mine, index.low, index.high, per_time, of_blocks)
        own = (mine, in_buckets, rows_in_buckets(index.prints, a, in_buckets))
        assert (
            in_buckets[1, : own[-1]].sum() == clusters.profiles.rows[0, slice(*ends_of(clusters, one))].sum()
        )
        for b, other in enumerate(slots):
            if one == other:
                continue
            loss = loss_of_union(model, clusters, one, other) * (1 + 1e-9) + 1e-15
            where = (facts, index.lengths, b // BLOCK)
            extent_bounds(*own, *where, per_time, *buckets, room, of_clusters)
            assert of_blocks[b // BLOCK] <= loss
            assert of_clusters[b % BLOCK] <= loss
            assert extent_bound_with_events(model, mine, facts, b // BLOCK, b % BLOCK) <= loss
            assert fingerprint_bound(mine, facts, index.prints, a, b, per_time, *buckets) <= loss
            rows = clusters.slots[TOTAL, one] + clusters.slots[TOTAL, other]
            assert distance_bound(model, clusters, one, other) / rows <= loss


@pytest.mark.parametrize("shift", [0, 7 / 8])
@pytest.mark.parametrize("length", [0, 1e-310, 2.0**-40, 1 / 64, 1 / 8])
def test_buckets_divide_the_time_of_what_is_in_the_index(shift, length):
    times = [[shift, shift + length / 4], [shift + length / 2, shift + length], [shift + length / 4]]
    search = search_for([[(time, 0) for time in one] for one in times], [0], Privacy(2), (1, 0), span=1)
    clusters, slots = clusters_of(search), np.arange(3)
    index = new_cluster_index(search.model, clusters, slots)
    assert index.origin == shift
    assert index.bucket * BUCKETS == max(shift + length - shift, SHORTEST)
    assert index.prints[:3, 1].sum(axis=1).tolist() == [2, 2, 1]
    for a, one in enumerate(slots):
        for b, other in enumerate(slots):
            bound = fingerprint_bound(
                facts_at(index, a), index.facts, index.prints, a, b, 1.0, index.origin, index.bucket
            )
            assert one == other or bound <= loss_of_union(search.model, clusters, one, other) * (1 + 1e-9)


def ends_of(clusters, slot):
    return clusters.slots[[BEGIN, END], slot]


def joined_times(model, clusters, one, other, limit=np.inf):
    """Return what D_LB says of the rows of two clusters together, and what they lose within a limit."""
    ends = [*ends_of(clusters, one), *ends_of(clusters, other)]
    room = clusters.union.times.shape[1]
    time, latest, count = np.empty((3, room))
    least, before, rest = np.full((3, room + 1), np.nan)
    n = join_times(*clusters.profiles, *ends, time, latest, count)
    found = distance_loss(model.per_time, time, latest, count, n, rest, np.inf)
    assert rest[0] == found
    assert (np.diff(rest[: n + 1]) <= 0).all()
    marks = np.zeros(room + 1, np.int64)
    rooms, in_order = (least, before, rest, marks), model.per_event <= 0
    loss = least_loss_within(model.per_time, time, latest, count, n, *rooms, limit, in_order)
    return found, loss


def distance_bound(model, clusters, one, other):
    return joined_times(model, clusters, one, other)[0]


@given(cases.problems(max_people=8, max_rows=5), st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_d_lb_is_at_least_the_printed_one(problem, seed):
    problem["weights"] = (1, 0)
    model, clusters, slots, _ = all_pairs(problem, seed)
    sequences, totals, joined = problem["sequences"], problem["totals"], labels(clusters)
    for one in slots:
        for other in slots:
            if one < other:
                members = np.flatnonzero((joined == one) | (joined == other)).tolist()
                group, rows = [sequences[i] for i in members], [totals[i] for i in members]
                printed = float(naive.distance_bound(group, rows, 16) * sum(rows))
                assert distance_bound(model, clusters, one, other) >= printed * (1 - 1e-12)


@given(cases.problems(max_people=10, max_rows=5), st.integers(0, 5), st.floats(0, 2), st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_limit_changes_no_loss_within_it(problem, seed, share, of_one_kind):
    if of_one_kind:
        one_kind(problem)
    else:
        problem["weights"] = (1, 0)
    model, clusters, slots, _ = all_pairs(problem, seed)
    for one in slots:
        for other in slots:
            if one != other:
                rows = clusters.slots[TOTAL, one] + clusters.slots[TOTAL, other]
                loss = loss_of_union(model, clusters, one, other)
                assert joined_times(model, clusters, one, other)[1] / rows == loss
                limit = share * loss * rows
                found = joined_times(model, clusters, one, other, limit)[1] / rows
                assert found == loss or (found == np.inf and loss > share * loss * (1 - 1e-9))


def google_clusters(numbers):
    """Return the clusters of some sequences of figure 1, with time from the first visit on."""
    sequences, totals = cases.google_only(numbers)
    since = [[(t - 1, e) for t, e in s] for s in sequences]
    search = search_for(since, cases.PARENT, Privacy(2), (1, 0), totals=totals, span=12)
    return search, clusters_of(search)


def test_example_5_2_d_lb():
    # The text says 11 / 168 for the first, but by its definition a visit at 1 loses nothing: all have one.
    search, clusters = google_clusters([1, 2, 3])
    join_clusters(search.model, clusters, 1, 2)
    assert distance_bound(search.model, clusters, 0, 1) / 14 == pytest.approx(5 / 168)
    assert loss_of_union(search.model, clusters, 0, 1) == pytest.approx(11 / 168)
    # The printed bound is 0.025. Here the first and the last interval are seen to be one.
    search, clusters = google_clusters([4, 5])
    assert distance_bound(search.model, clusters, 0, 1) / 10 == pytest.approx(1 / 20)
    assert loss_of_union(search.model, clusters, 0, 1) == pytest.approx(1 / 20)


def test_example_5_6_the_fingerprint():
    search, clusters = google_clusters([1, 2, 3])
    join_clusters(search.model, clusters, 1, 2)
    least = np.empty((2, 12), np.int16)
    fingerprint(clusters, 0, 0.0, 1.0, least)
    # The paper counts the empty buckets between times of both clusters: one between 1 and 3, none between 10
    # and 11, or 1 / 168. Here the times of one cluster are known, so 3 is two from 1, and 11 one from 10.
    found = np.array([least[LENGTHS, t - 1] for t in (1, 3, 11)]) / PARTS
    assert (found >= [0, 1, 0]).all()
    assert found == pytest.approx([0, 2, 1], abs=1.1 / PARTS)
    assert (found <= [0, 2, 1]).all()
    index = new_cluster_index(search.model, clusters, np.array([0, 1]))
    buckets = (index.origin, index.bucket)
    bound = fingerprint_bound(facts_at(index, 0), index.facts, index.prints, 0, 1, 1 / 12, *buckets)
    assert 1 / 168 <= bound <= 11 / 168
    assert loss_of_union(search.model, clusters, 0, 1) == pytest.approx(11 / 168)


def test_examples_5_2_and_5_6_as_printed():
    (one, totals), (other, other_totals) = cases.google_only([1, 2, 3]), cases.google_only([4, 5])
    assert naive.distance_bound(one, totals, 12) == Fraction(5, 168)
    assert naive.distance_bound(other, other_totals, 12) == Fraction(1, 40)
    first, rest = naive.buckets(one[:1], 1, 12, 12), naive.buckets(one[1:], 1, 12, 12)
    assert "".join("01"[filled] for filled in first) == "100000000100"
    assert "".join("01"[filled] for filled in rest) == "101000000010"
    assert naive.fingerprint_bound(first, rest, totals, 12) == Fraction(1, 168)


TIMES = st.lists(st.integers(0, 20), min_size=1, max_size=4, unique=True)


@given(st.lists(TIMES, min_size=2, max_size=4), st.lists(st.integers(0, 3), min_size=4, max_size=4))
@settings(max_examples=100, deadline=None)
def test_the_bounds_of_the_paper_are_below_the_loss(times, others):
    group = [[(time, 0) for time in sorted(one)] for one in times]
    totals = [len(one) + more for one, more in zip(group, others, strict=False)]
    loss, _ = naive.least_loss({0: 0}, group, totals, 20, (1, 0))
    assert naive.distance_bound(group, totals, 20) <= loss
    first, rest = naive.buckets(group[:1], 0, 20, 7), naive.buckets(group[1:], 0, 20, 7)
    assert naive.fingerprint_bound(first, rest, totals, 7) <= loss


def distance_of(parents, one, other):
    search = search_for(
        [[(0, node) for node in one], [(0, node) for node in other]], parents, Privacy(2), (1, 1)
    )
    counts = category_counts(search.sequences, search.model.parent)
    found = event_distance(search.model, counts, 0, 1)
    assert not counts.lost.any()
    assert not counts.is_mixed.any()
    return found


def test_example_6_2_the_distance_of_events():
    one = [cases.FACEBOOK, cases.MYSPACE, cases.GOOGLE, cases.EBAY, cases.SEENIT]
    other = [cases.BING, cases.FACEBOOK, cases.FACEBOOK, cases.AMAZON]
    assert distance_of(cases.PARENT, one, other) == pytest.approx(24 / 72)


@given(st.data(), st.sampled_from(cases.TAXONOMIES))
@settings(max_examples=150, deadline=None)
def test_distance_of_events_tries_all_categories(data, parents):
    event = st.sampled_from(naive.leaves(dict(enumerate(parents))))
    one, other = (data.draw(st.lists(event, min_size=1, max_size=4)) for _ in range(2))
    expected = naive.event_distance(dict(enumerate(parents)), one, other)
    assert distance_of(parents, one, other) == pytest.approx(float(expected))
    assert distance_of(parents, other, one) == pytest.approx(float(expected))


@given(cases.problems(max_people=9, max_rows=3), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_the_curve_is_cut_where_least_is_lost(problem, k):
    n = len(problem["sequences"])
    assume(n >= k)
    groups = solve(problem, Privacy(k), "hilbert")
    search = search_for(problem["sequences"], problem["parents"], Privacy(k), (1, 1), span=16)
    order = clusters_along_curve(search.model, search.sequences, search.occurrences)[1].tolist()
    taxonomy = dict(enumerate(problem["parents"]))
    plain = naive.Baseline(taxonomy, problem["sequences"], problem["totals"], 16, problem["weights"], k=k)

    def loss(places):
        return plain.loss(sorted(order[place] for place in places))

    found = sum(len(members) * plain.loss(members) for members in as_groups(groups))
    assert found == naive.best_cuts(loss, n, k)


@pytest.mark.parametrize("k", [17, 33, 50, 53])
def test_a_curve_of_large_groups_is_cut_at_fewer_places(k):
    grain = -(-k // 16)
    most = 2 * grain * -(-k // grain) - 1
    for n in (k, 2 * k - 1, 2 * k, 2 * k + 1, 3 * k - 1, 5 * k + 3):
        problem = large_problem(4, n, max_time=300, mean=2)
        sizes = np.bincount(solve(problem, Privacy(k), "hilbert"))
        assert sizes.min() >= k
        assert sizes.max() <= most
        assert sizes.sum() == n


@given(cases.problems(max_people=12), st.integers(2, 4), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_hybrid_grows_all_of_a_handful(problem, k, seed):
    assume(len(problem["sequences"]) >= k)
    expected = solve(problem, Privacy(k), "baseline", seed)
    assert np.array_equal(solve(problem, Privacy(k), "hybrid", seed), expected)


def test_the_curve_goes_from_neighbour_to_neighbour():
    x, y = (a.ravel() for a in np.meshgrid(np.arange(32), np.arange(32)))
    order = np.argsort(hilbert_index(x, y))
    assert sorted(hilbert_index(x, y).tolist()) == list(range(1024))
    assert set(np.abs(np.diff(x[order])) + np.abs(np.diff(y[order]))) == {1}


@pytest.mark.parametrize("method", METHODS)
def test_odd_tables(method):
    def groups(sequences, privacy, weights=(1, 1), **known):
        return group(search_for(sequences, cases.PARENT, privacy, weights, **known), method, NO_BAR)

    assert np.bincount(groups([[(3, 5)]] * 10, Privacy(3), span=0)).min() >= 3
    far = [[(i % 7, 5), (i % 7 + 1, 9)] for i in range(20)] + [[(10**15, 5)]]
    assert np.bincount(groups(far, Privacy(4), (1, 0), seed=1)).min() >= 4
    one = [[(0, 5), (4, 6)]]
    assert groups(one, Privacy(1)).tolist() == [0]
    nothing_sensitive = Privacy(1, 0, Fraction(10**30))
    assert groups([[(0, 5)], [(4, 6)]], nothing_sensitive).tolist() == [0, 0]
    with pytest.raises(InfeasibleError, match="there is only 1 with a monitored event"):
        groups(one, Privacy(2))
    assert groups([], Privacy(2)).size == 0


@pytest.mark.parametrize("indexed", [False, True])
def test_mending_what_cannot_be_mended_is_refused(indexed):
    search = search_for([[(0, 5)], [(4, 6)]], cases.PARENT, Privacy(3), (1, 1))
    with pytest.raises(RuntimeError, match="may not be released"):
        mend_all(search, clusters_of(search), NO_BAR, indexed=indexed)


@pytest.mark.parametrize("method", METHODS)
def test_seeds_draw_other_groups_and_the_message_names_no_value(method):
    problem = large_problem(2, 80, max_time=200, mean=3)
    drawn = {tuple(solve(problem, Privacy(3), method, seed).tolist()) for seed in range(6)}
    assert (len(drawn) == 1) == (method == "hilbert")
    sure = {**problem, "marks": [[(4711, 1)]] * 80}
    with pytest.raises(InfeasibleError, match="80 of all 80 sequences") as error:
        solve(sure, Privacy(1, 0, Fraction(2)), method)
    assert "4711" not in str(error.value)


def shared(times, g, *, dtype=np.int64):
    """Return the most people who share an event that each has at one time."""
    sensitive = cases.sensitive_of([[(time, 0)] for time in times], dtype=dtype)
    return most_shared(occurrences_of(sensitive, Privacy(1, g, Fraction(2))), NOBODY_TWICE)


def test_windows_are_closed_and_exact():
    low, high = -(2**63), 2**63 - 1
    assert shared([0, 5, 10], 5) == 2
    assert shared([0, 5, 10], 4) == 1
    assert shared([0, 5, 10], 9.99) == 2
    assert shared([low, high], 2**63) == 1
    assert shared([low, high], 2**64 - 1) == 2
    assert shared([low, high], 2**64 - 2) == 1
    assert shared([low, high], float("inf")) == 2
    assert shared([2**60, 2**60 + 1], 0) == 1
    assert shared([0.5, 0.75, 1.0], 0.25, dtype=np.float64) == 2
    assert shared([0.1, 0.4], 0.3, dtype=np.float64) == 2
    for first, last, length in [(0.03, 0.32, 0.29), (0.03, 2.14, 2.11), (-0.3, 0.4, 0.7), (0.7, 1.0, 0.3)]:
        assert shared([first, last], length, dtype=np.float64) == 2
        assert shared([first, last], length - 0.01, dtype=np.float64) == 1
    assert shared([1e300, -1e300], float("inf"), dtype=np.float64) == 2


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2), st.integers(0, 4))), st.integers(0, 5))
def test_windows_that_begin_at_an_event_are_enough(rows, g):
    marks = [[(time, code) for time, code, who in rows if who == person] for person in range(5)]
    found = most_shared(occurrences_of(cases.sensitive_of(marks), Privacy(1, g, Fraction(2))), NOBODY_TWICE)
    assert found == naive.most_in_any_window(marks, g)


@given(cases.problems(max_people=10, max_rows=3), st.integers(1, 3), st.booleans(), st.floats(0, 0.999))
@settings(max_examples=60, deadline=None)
def test_halves_are_near_their_pivots(problem, least, by_events, choice):
    sequences, parents = problem["sequences"], problem["parents"]
    n = len(sequences)
    assume(n >= 2 * least)
    search = search_for(sequences, parents, Privacy(least), (1, 0), totals=problem["totals"], span=16)
    clusters, curve = clusters_along_curve(search.model, search.sequences, search.occurrences)
    counts, ranks = category_counts(search.sequences, search.model.parent), np.arange(n)
    cut = split(Halving(search.model, clusters, counts, curve, least, -1.0), ranks, by_events, choice)
    taxonomy = dict(enumerate(parents))

    def distance(one, other):
        if by_events:
            nodes = [[node for _, node in sequences[who]] for who in (one, other)]
            return naive.event_distance(taxonomy, *nodes)
        members = [sequences[one], sequences[other]]
        totals = [problem["totals"][one], problem["totals"][other]]
        return naive.least_loss(taxonomy, members, totals, 16, (1, 0))[0] if one != other else 0

    first = curve[int(choice * n)]
    second = max(curve.tolist(), key=lambda who: distance(first, who))
    nearer = [float(distance(first, who) - distance(second, who)) for who in curve[ranks]]
    assert sorted(ranks.tolist()) == list(range(n))
    assert least <= cut <= n - least
    assert cut // least + (n - cut) // least == n // least
    assert max(nearer[:cut]) <= min(nearer[cut:]) + 1e-12
    if not by_events:
        assert abs(cut - n // 2) < least


@pytest.mark.parametrize("method", METHODS)
def test_a_thousand_equal_people_are_grouped_without_loss(method):
    search = search_for([[(2, 5), (7, 6)]] * 1000, cases.PARENT, Privacy(4), (1, 1), span=16)
    groups = group(search, method, NO_BAR)
    assert np.bincount(groups).min() >= 4
    assert intervals(search, groups).loss.max() == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weights", [(1, 1), (1, 0), (1, 3)])
def test_how_often_the_progress_bar_hears_changes_no_group(method, weights, monkeypatch):
    problem = {**large_problem(2, 150, max_time=200, mean=3), "weights": weights}
    privacy = Privacy(4)
    expected = solve(problem, privacy, method, seed=3)
    for module in (hybrid, nearest_first, partition):
        monkeypatch.setattr(module, "CHUNK", 7)
    monkeypatch.setattr(nearest_first, "CHUNK_INDEXED", 7)
    assert np.array_equal(solve(problem, privacy, method, seed=3), expected)


def test_how_often_the_progress_bar_hears_changes_no_interval(monkeypatch):
    problem = large_problem(2, 150, max_time=200, mean=3)
    search = search_for(problem["sequences"], problem["parents"], Privacy(4), (1, 1))
    groups = group(search, "hilbert", NO_BAR)
    expected = intervals(search, groups)
    monkeypatch.setattr(interval_module, "CHUNK", 7)
    for one, other in zip(intervals(search, groups), expected, strict=True):
        assert np.array_equal(one, other)
