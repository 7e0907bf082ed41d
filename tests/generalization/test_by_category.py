"""Intervals of a group whose events are first separated by category, where that loses less."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import InfeasibleError, PrivacyWarning, verify
from pdseqpriv.generalization.grouping.same_categories import cells_of_categories
from pdseqpriv.generalization.grouping.search import Privacy
from pdseqpriv.generalization.intervals import optimal_intervals
from tests.generalization import grouping_cases as cases
from tests.generalization import naive
from tests.generalization.cases import exact, frame_of, generalized, plain_sequences
from tests.generalization.grouping_cases import NO_BAR, search_for
from tests.generalization.test_guarantees import LEAVES, METHODS
from tests.strategies import plain_rows, plain_table, tables, taxonomies

CATEGORIES = {"x": ["a", "b"], "y": ["c", "d"], "z": ["e", "f"]}


def intervals(search, groups, *, by_category=True):
    return optimal_intervals(search.sequences, search.model, groups, NO_BAR, by_category=by_category)


def shown_of(sequences, found, number):
    """List the intervals of one group as (first, last, category)."""
    times = np.array([time for sequence in sequences for time, _ in sorted(sequence)])
    theirs = [(times[found.of_row == i], int(found.node[i])) for i in np.flatnonzero(found.group == number)]
    return sorted((when.min(), when.max(), node) for when, node in theirs)


@given(cases.problems(max_people=4, max_rows=4, max_time=8), st.integers(0, 2))
@settings(max_examples=50, deadline=None)
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


def odd(**asked):
    """Return what a table of two events is released as; the events of everybody are the same."""
    rows = {one: [("a", 4 * one), ("b", 9 - one), ("a", 20)] for one in range(3)}
    return frame_of(rows).seqpriv.generalize(k=3, seed=1, **asked)


def test_events_that_everybody_has_get_intervals_of_their_own():
    assert set(odd()["event"]) == {"ALL", "a"}
    released = odd(intervals="by_category")
    intervals = released[["event", "time_from", "time_to"]].drop_duplicates().to_numpy().tolist()
    assert intervals == [["a", 0, 8], ["b", 7, 9], ["a", 20, 20]]
    assert released.attrs["pdseqpriv"]["applied"][0]["parameters"]["intervals"] == "by_category"


def test_where_it_loses_the_same_intervals_stay_apart():
    frame = frame_of({one: [("a", 1), ("b", 1)] for one in range(4)})
    released = generalized(frame, k=2, event_weight=0, intervals="by_category")
    assert set(released["event"]) == {"ALL"}
    assert set(generalized(frame, k=2, intervals="by_category")["event"]) == {"a", "b"}


@given(
    tables(n_ids=7, max_rows=30, min_rows=6),
    st.none() | taxonomies(LEAVES),
    st.sampled_from(METHODS),
    st.integers(2, 3),
    st.sampled_from([(1, 1), (1, 0), (0, 1), (3, 1)]),
)
def test_no_table_loses_more_than_with_intervals_apart(frame, links, method, k, weights):
    asked = {"k": k, "method": method, "time_weight": weights[0], "event_weight": weights[1], "seed": 2}
    try:
        apart, key = generalized(frame, links, with_key=True, **asked)
    except InfeasibleError:
        return
    released, other_key = generalized(frame, links, with_key=True, intervals="by_category", **asked)
    losses = [
        loss_by_hand(frame, one, its_key, links, weights)
        for one, its_key in ((apart, key), (released, other_key))
    ]
    assert losses[1] <= losses[0] + 1e-9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        told = pdseqpriv.compare(frame, released, key=other_key, taxonomy=links).set_index("measure")["value"]
    assert told["ncp"] == pytest.approx(losses[1], abs=1e-9)
    if method != "auto":  # which looks for groups of its own
        same = [set(one.dropna().groupby("group")["seq_id"].agg(frozenset)) for one in (key, other_key)]
        assert same[0] == same[1]


def loss_by_hand(frame, released, key, links, weights):
    """Equations 3 to 5: each event loses what the only interval that covers it loses; per person."""
    own = plain_sequences(frame)
    times = [time for rows in own.values() for _, time in rows]
    span = max(times) - min(times) or 1
    back = dict(zip(key["released_id"].tolist(), key["seq_id"].tolist(), strict=True))
    events = {event for rows in own.values() for event, _ in rows}
    tree = {**dict.fromkeys(events, "ALL"), "ALL": "ALL"} if links is None else {**links, "TOP": "TOP"}
    tree = {str(child): str(parent) for child, parent in tree.items()}
    total, people = Fraction(0), 0
    for _, group in released.groupby("group"):
        names = [back[one] for one in group["seq_id"].unique().tolist()]
        first = group[group["seq_id"] == group["seq_id"].iloc[0]]
        shown = zip(first["event"], exact(first["time_from"]), exact(first["time_to"]), strict=True)
        shown, lost = list(shown), Fraction(0)
        for event, time in (row for name in names for row in own[name]):
            (one,) = [i for i in shown if i[1] <= time <= i[2] and i[0] in naive.ancestors(tree, event)]
            parts = Fraction(one[2] - one[1]) / span, naive.event_loss(tree, one[0])
            lost += (weights[0] * parts[0] + weights[1] * parts[1]) / sum(weights)
        total += len(names) * lost / sum(len(own[name]) for name in names)
        people += len(names)
    return float(total / people)


@pytest.mark.parametrize("links", [None, CATEGORIES])
def test_who_knows_all_that_is_monitored_finds_k(links):
    chance = np.random.default_rng(3)
    rows = {"seq_id": chance.integers(0, 120, 900), "time": chance.integers(0, 50, 900)}
    frame = pd.DataFrame(
        {**rows, "event": chance.choice(list("abcdef"), 900, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05])}
    )
    released, key = generalized(frame, links, k=4, intervals="by_category", with_key=True)
    asked = {"original": frame, "key": key, "attack": "linkage", "k": 4, "taxonomy": links}
    overlapping = not verify.is_generalized(frame, released, key, k=4, taxonomy=links)
    assert overlapping
    for knows in ("whole", 3):
        found = pdseqpriv.risk(released, knows=knows, **asked).iloc[0]
        assert found["worst_probability"] <= 1 / 4
        assert found["below_k_share"] == 0


@given(cases.problems(max_people=9, max_rows=3), st.integers(1, 3), st.integers(1, 2))
@settings(deadline=None)
def test_cells_have_the_same_categories_and_can_be_groups(problem, k, n_given):
    sequences = problem["sequences"]
    k = min(k, len(sequences))
    search = search_for(sequences, problem["parents"], Privacy(k), (1, 1))
    given_cells = np.arange(len(sequences)) % n_given
    assume(min(np.bincount(given_cells)) >= k)
    cells = cells_of_categories(search, given_cells)
    assert min(np.bincount(cells)[np.unique(cells)]) >= k
    for number in np.unique(cells):
        members = np.flatnonzero(cells == number)
        assert len(set(given_cells[members].tolist())) == 1
    # Whoever has as many with the same events as a group needs is with these, and at most with the rest.
    events = [frozenset(event for _, event in rows) for rows in sequences]
    for one, cell in zip(range(len(sequences)), cells, strict=True):
        alike = [o for o in np.flatnonzero(given_cells == given_cells[one]) if events[o] == events[one]]
        if len(alike) >= k:
            assert {cells[o] for o in alike} == {cell}


@given(plain_rows(max_rows=20, n_events=4, n_ids=6, marked=False))
@settings(max_examples=30, deadline=None)
def test_range_queries_are_answered_by_every_interval_that_covers_them(rows):
    frame = plain_table(rows).astype({"event": "str"})
    events, n_parts = sorted(set(frame["event"])), 100
    assume(len(set(frame["seq_id"])) > 1)
    released, key = generalized(frame, k=2, intervals="by_category", with_key=True)
    low, span = frame["time"].min(), frame["time"].max() - frame["time"].min() or 1

    def part(time):
        return min(int((time - low) / span * n_parts), n_parts - 1)

    def hits(table, first, last):
        shown = {(event, at): set() for event in events for at in range(n_parts)}
        for who, label, begin, end in table[["seq_id", "event", first, last]].to_numpy().tolist():
            for event in events if label == "ALL" else [label]:
                for at in range(part(begin), part(end) + 1):
                    shown[event, at].add(who)
        return {query: len(who) for query, who in shown.items()}

    true = hits(frame.assign(end=frame["time"]), "time", "end")
    after = hits(released, "time_from", "time_to")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        told = pdseqpriv.compare(frame, released, key=key).set_index("measure")["value"]
    too_high = sum(after[query] > true[query] for query in true) / len(true)
    assert told["range_query_false_positives"] == pytest.approx(too_high)
    assert told["range_query_false_negatives"] == 0
