"""Patterns left out instead of supports raised: safe, true, and as few as can be."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import PrivacyWarning, SeqPrivError, verify
from pdseqpriv.pattern_release import left_out
from tests.pattern_release import naive
from tests.strategies import plain_rows, plain_table

LEFT_OUT = pytest.mark.filterwarnings("ignore:release_patterns. .* left out")


def as_sets(pattern):
    """Write a pattern as the brute force does: a tuple of sorted tuples."""
    return tuple(tuple(sorted(one)) if isinstance(one, tuple) else (one,) for one in pattern)


def supports_of(table):
    return {
        as_sets(pattern): support for pattern, support in zip(table["pattern"], table["support"], strict=True)
    }


def fewest_by_trying(patterns, pairs):
    for size in range(len(patterns) + 1):
        for chosen in combinations(patterns, size):
            if all(short in chosen or long in chosen for short, long in pairs):
                return size
    raise AssertionError("all patterns together are in every pair")


@given(
    rows=plain_rows(max_rows=24, n_ids=6, n_events=3, marked=False),
    k=st.sampled_from([None, 2]),
    alpha=st.sampled_from([None, 0.5, 0.7, 0.95, 1]),
    shortest=st.sampled_from([1, 2]),
)
@settings(max_examples=60)
@LEFT_OUT
def test_the_fewest_patterns_are_left_out_and_the_others_are_true(rows, k, alpha, shortest):
    k = 3 if k is None and alpha is None else k
    limits = {"max_length": 3, "min_length": shortest}
    frame = plain_table(rows)
    mined = supports_of(frame.seqpriv.mine(3, **limits))
    assume(len(mined) <= 12)
    released = frame.seqpriv.release_patterns(3, k=k, alpha=alpha, method="suppress", **limits)
    kept = supports_of(released)
    assert kept.items() <= mined.items()
    assert verify.are_patterns_safe(released, k=k, alpha=alpha)
    pairs = {pair[1:] for pair in naive.channels(mined, k, alpha)}
    concerned = sorted({pattern for pair in pairs for pattern in pair})
    assert len(mined) - len(kept) == fewest_by_trying(concerned, pairs)


@given(st.sets(st.tuples(st.integers(1, 9), st.integers(1, 9)).filter(lambda pair: pair[0] < pair[1])))
@settings(max_examples=200)
def test_the_choice_is_the_fewest_and_the_quick_choice_has_none_too_many(pairs):
    graph: dict[int, set[int]] = {}
    for one, other in pairs:
        graph.setdefault(one, set()).add(other)
        graph.setdefault(other, set()).add(one)
    chosen = left_out.fewest_in_all_pairs(graph)
    assert len(chosen) == fewest_by_trying(sorted(graph), pairs)
    quick = left_out._few(graph)
    for choice in (chosen, quick):
        assert all(one in choice or other in choice for one, other in pairs)
        assert not any(graph[one] <= choice for one in choice)


@LEFT_OUT
def test_a_table_that_is_mined_already_gives_the_same():
    frame = pdseqpriv.datasets.make_event_log(200, seed=3)
    mined = frame.seqpriv.mine(20)
    asked = {"k": 4, "alpha": 0.9, "method": "suppress"}
    released = pdseqpriv.release_patterns(mined, **asked)
    assert released.equals(frame.seqpriv.release_patterns(20, **asked))
    assert 0 < len(released) < len(mined)
    assert verify.are_patterns_safe(released, k=4, alpha=0.9)
    assert released.attrs["pdseqpriv"]["applied"][0]["parameters"]["method"] == "suppress"


def test_the_owner_is_told_how_much_was_changed():
    frame = plain_table([(i, event, t) for i in range(4) for t, event in enumerate([0, 1] if i else [0])])
    with pytest.warns(PrivacyWarning, match='1 of 3 supports exceeds the number .*use method="suppress"'):
        raised = frame.seqpriv.release_patterns(2, k=2)
    assert raised["support"].max() == 5
    with pytest.warns(PrivacyWarning, match="1 of 3 supports is more than 10 % too high"):
        pdseqpriv.release_patterns(frame.seqpriv.mine(2), k=2)
    others = [("b",), *((f"c{i}",) for i in range(20))]
    few = {"pattern": [("a",), ("a", "b"), *others], "support": [10, 9, *([100] * len(others))]}
    with pytest.warns(PrivacyWarning, match="1 of 23 supports is at least twice as high as is true"):
        pdseqpriv.release_patterns(pd.DataFrame(few), alpha=0.4)
    with pytest.warns(
        PrivacyWarning, match="1 of 3 patterns is left out. The supports of the others are true"
    ):
        frame.seqpriv.release_patterns(2, k=2, method="suppress")


def test_what_does_not_fit_together_is_refused(monkeypatch):
    frame = plain_table([(i, event, t) for i in range(4) for t, event in enumerate([0, 1] if i else [0])])
    with pytest.raises(SeqPrivError, match="closed must be False with method"):
        frame.seqpriv.release_patterns(2, k=2, method="suppress", closed=True)
    with pytest.raises(SeqPrivError, match="method must be"):
        frame.seqpriv.release_patterns(2, k=2, method="drop")
    monkeypatch.setattr(left_out, "MOST_PAIRS", 0)
    with pytest.raises(SeqPrivError, match=r'more than 0 pairs .* Use method="raise"'):
        frame.seqpriv.release_patterns(2, k=2, method="suppress")
