"""Frequent patterns: brute force, known answers, another miner, bad input."""

from __future__ import annotations

import re
from fractions import Fraction
from time import sleep

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.mining import search
from pdseqpriv.sequences.columns import Columns
from tests.mining import naive
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS, plain_rows, plain_table, tables


def nested(pattern):
    """Write a pattern as a tuple of tuples."""
    return tuple(element if isinstance(element, tuple) else (element,) for element in pattern)


def as_dict(frame):
    """Read a pattern table; the same pattern twice would get lost here, so it is looked for."""
    result = {nested(pattern): support for pattern, support in zip(frame.pattern, frame.support, strict=True)}
    assert len(result) == len(frame)
    return result


def named(rows, ties="element"):
    """Turn rows into lists of elements with the names that ``plain_table`` gives to events."""
    lists = naive_table.sequences(rows, ties=ties).values()
    return [[[EVENTS[e] for e in element] for element in naive_table.unmarked(one)] for one in lists]


def random_rows(seed, *, sequences=12, length=12, events=4, itemsets=False):
    choose = np.random.default_rng(seed)
    return [
        (owner, None if choose.random() < 0.05 else int(choose.integers(events)), time)
        for owner in range(sequences)
        for time in range(choose.integers(length // 2, length))
        for _ in range(choose.integers(1, 3) if itemsets else 1)
    ]


def dense_rows(seed, sequences, length, width, events):
    """Make a few sequences that have much in common; up to ``width`` events at a time."""
    choose = np.random.default_rng(seed)
    return [
        (owner, None if choose.random() < 0.05 else int(choose.integers(events)), time)
        for owner in range(sequences)
        for time in range(choose.integers(1, length + 1))
        for _ in range(choose.integers(1, width + 1))
    ]


DENSE = st.builds(
    dense_rows,
    st.integers(0, 2**32 - 1),
    sequences=st.sampled_from([3, 4, 6]),
    length=st.sampled_from([3, 4, 5]),
    width=st.sampled_from([1, 2, 3]),
    events=st.sampled_from([2, 3, 4]),
)
# Rows that hypothesis makes are few and share little, but they shrink.
ROWS = plain_rows(max_rows=22, n_ids=4) | DENSE | DENSE


@given(ROWS, st.integers(1, 3), st.none() | st.integers(1, 4))
def test_patterns_are_those_of_brute_force(rows, min_support, max_length):
    longest = 4 if min_support == 1 and max_length is None else max_length
    found = plain_table(rows).seqpriv.mine(min_support, max_length=longest)
    assert as_dict(found) == naive.mine(named(rows), min_support, longest)


@pytest.mark.parametrize("seed", range(24))
def test_sequences_with_much_in_common(seed):
    rows = dense_rows(seed, sequences=8, length=8, width=1 + seed % 3, events=2 + seed % 3)
    expected = naive.mine(named(rows), 3, 5)
    assert len(expected) > 5
    assert as_dict(plain_table(rows).seqpriv.mine(3, max_length=5)) == expected


@pytest.mark.parametrize("itemsets", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_long_sequences_with_many_repeats(seed, itemsets):
    rows = random_rows(seed, itemsets=itemsets)
    expected = naive.mine(named(rows), 5, 5)
    assert max(map(naive.length, expected)) >= 4
    assert as_dict(plain_table(rows).seqpriv.mine(5, max_length=5)) == expected


@pytest.mark.parametrize("seed", range(6))
def test_without_room_for_a_matrix_the_patterns_are_the_same(seed, monkeypatch):
    rows = random_rows(seed, length=9)
    monkeypatch.setattr(search, "MOST_CELLS", 0)
    assert as_dict(plain_table(rows).seqpriv.mine(5)) == naive.mine(named(rows), 5)


def test_a_sequence_longer_than_a_cell_can_count():
    long = [(0, 0 if time % 2 else 1, time) for time in range(70_000)]
    rows = [*long, (1, 1, 0), (1, 0, 1), (2, 0, 0)]
    found = as_dict(plain_table(rows).seqpriv.mine(2))
    assert found == {(("a",),): 3, (("b",),): 2, (("b",), ("a",)): 2}


@given(ROWS)
def test_simultaneous_rows_in_row_order(rows):
    found = plain_table(rows).seqpriv.using(ties="order").mine(2)
    assert as_dict(found) == naive.mine(named(rows, "order"), 2)


@given(ROWS, st.integers(1, 3))
def test_closed_patterns_are_those_without_an_equal_longer_one(rows, max_length):
    everything = naive.mine(named(rows), 2)
    expected = {
        pattern: support
        for pattern, support in everything.items()
        if naive.length(pattern) <= max_length
        and not any(
            other != pattern and everything[other] == support and naive_table.contains(other, pattern)
            for other in everything
        )
    }
    found = plain_table(rows).seqpriv.mine(2, closed=True, max_length=max_length)
    assert as_dict(found) == expected


def test_whether_the_longest_are_closed_shows_one_event_further():
    frame = plain_table([(owner, event, event) for owner in range(2) for event in range(3)])
    assert len(frame.seqpriv.mine(2, closed=True, max_length=2)) == 0
    assert as_dict(frame.seqpriv.mine(2, closed=True, max_length=3)) == {(("a",), ("b",), ("c",)): 2}


@given(ROWS)
def test_table_is_sorted_by_support_then_pattern(rows):
    found = plain_table(rows).seqpriv.mine(2)
    keys = [(-row.support, nested(row.pattern)) for row in found.itertuples()]
    assert keys == sorted(keys)
    assert list(found.columns) == ["pattern", "support", "length"]
    assert found.length.tolist() == [naive.length(nested(pattern)) for pattern in found.pattern]
    assert list(found.index) == list(range(len(found)))


def test_min_length_leaves_short_patterns_out():
    rows = random_rows(1, itemsets=True)
    everything = naive.mine(named(rows), 6, 4)
    found = plain_table(rows).seqpriv.mine(6, min_length=2, max_length=4)
    assert as_dict(found) == {p: s for p, s in everything.items() if naive.length(p) >= 2}


@given(tables(max_rows=20), st.randoms(use_true_random=False))
def test_any_dress_row_order_and_partition_gives_the_same(frame, random):
    before = frame.copy(deep=True)
    found = frame.seqpriv.mine(2)
    order = list(range(len(frame)))
    random.shuffle(order)
    parts = BoundTable(frame, Columns(), Local(partitions=3))
    pd.testing.assert_frame_equal(frame.iloc[order].seqpriv.mine(2), found)
    pd.testing.assert_frame_equal(pdseqpriv.mine(parts, 2), found)
    pd.testing.assert_frame_equal(frame, before)


def test_one_thread_gives_the_same(monkeypatch):
    frame = plain_table(random_rows(2, sequences=30))
    both = frame.seqpriv.mine(10)
    monkeypatch.setattr(pdseqpriv.options, "threads", 1)
    pd.testing.assert_frame_equal(frame.seqpriv.mine(10), both)


def test_other_names_and_events_that_are_numbers():
    frame = pd.DataFrame({"who": ["x", "x", "y", "y"], "what": [7, 3, 3, 7], "when": [1, 1, 5, 5]})
    found = frame.seqpriv.using(seq_id="who", event="what", time="when").mine(1.0)
    assert found.pattern.tolist() == [(3,), ((3, 7),), (7,)]
    assert type(found.pattern[0][0]) is int


@pytest.mark.parametrize(("share", "count"), [(0.07, 7), (0.069, 7), (1.0, 100), (0.001, 1), (0.29, 29)])
def test_a_share_is_exact(share, count):
    rows = [
        (owner, event, event) for owner in range(100) for event in range(3) if owner < [100, 7, 29][event]
    ]
    found = plain_table(rows).seqpriv.mine(share)
    pd.testing.assert_frame_equal(found, plain_table(rows).seqpriv.mine(count))


def test_nothing_to_find():
    empty = plain_table([]).seqpriv.mine(0.5)
    assert len(empty) == 0
    assert list(empty.columns) == ["pattern", "support", "length"]
    assert len(plain_table([(0, None, 1), (1, None, 2)]).seqpriv.mine(1)) == 0
    assert len(plain_table([(0, 1, 1)]).seqpriv.mine(2)) == 0


BAD = [
    ({"min_support": 0}, "min_support must be an int of at least 1 or a float above 0 and up to 1, got 0"),
    ({"min_support": -3}, "got -3"),
    ({"min_support": 0.0}, "got a share of 0.0"),
    ({"min_support": 1.5}, "got a share of 1.5"),
    ({"min_support": float("nan")}, "got a share of nan"),
    ({"min_support": Fraction(5)}, "got a share of 5"),  # as of "5" in a recipe
    ({"min_support": True}, "got bool"),
    ({"min_support": "2"}, "got str"),
    ({"min_support": 1, "max_length": 0}, "max_length must be an int of at least 1, got 0"),
    ({"min_support": 1, "max_length": 2.0}, "got float"),
    ({"min_support": 1, "min_length": 0}, "min_length must be an int of at least 1, got 0"),
    (
        {"min_support": 1, "min_length": 3, "max_length": 2},
        "max_length must be at least min_length (3), got 2",
    ),
    ({"min_support": 1, "max_patterns": 0}, "max_patterns must be an int of at least 1, got 0"),
    ({"min_support": 1, "closed": "yes"}, "closed must be True or False, got str"),
]


@pytest.mark.parametrize(("given", "message"), BAD)
def test_bad_input_is_one_clear_sentence(given, message):
    with pytest.raises(SeqPrivError, match=re.escape(message)) as error:
        plain_table([(0, 0, 0)]).seqpriv.mine(**given)
    assert str(error.value).startswith("mine: ")


def test_too_many_patterns_stop_the_search():
    frame = plain_table([(owner, event, event) for owner in range(2) for event in range(7)])
    assert len(frame.seqpriv.mine(2, max_patterns=127)) == 127
    with pytest.raises(
        SeqPrivError, match=r"^mine: .* more than 126 patterns, the most that max_patterns allows"
    ):
        frame.seqpriv.mine(2, max_patterns=126)
    with pytest.raises(SeqPrivError, match=r"^release_patterns: .* more than 126 patterns"):
        frame.seqpriv.release_patterns(2, k=2, max_patterns=126)


def test_the_search_ends_as_soon_as_there_are_too_many(monkeypatch):
    """One search never ends by itself; it is told to when it has found too many."""
    ended = []

    def endless(_entries, event, _support, limits, _most_cells):
        limits.found[event] = limits.most + 1
        for _ in range(3000):
            if limits.stop[0]:
                ended.append(event)
                break
            sleep(0.01)
        return np.zeros(1, np.int32), np.zeros(1, np.int32), np.ones(1, np.int64)

    monkeypatch.setattr(search, "extend_dense", endless)
    with pytest.raises(SeqPrivError, match="more than 10 patterns"):
        plain_table([(0, 0, 0), (1, 0, 0)]).seqpriv.mine(2, max_patterns=10)
    assert ended == [0]


def test_short_patterns_that_are_too_many_end_a_search_that_takes_long(monkeypatch):
    """The search through patterns of any length finds hardly any; those of few events alone are too many."""
    ended = []

    def slow(_entries, event, _support, limits, _most_cells):
        if limits.max_length == search._FEW_EVENTS:
            limits.found[event] = limits.most + 1
        else:
            for _ in range(3000):
                if limits.stop[0]:
                    ended.append(event)
                    break
                sleep(0.01)
        return np.zeros(1, np.int32), np.zeros(1, np.int32), np.ones(1, np.int64)

    monkeypatch.setattr(search, "extend_dense", slow)
    monkeypatch.setattr(search, "_LOOK_AFTER", 0.0)
    with pytest.raises(SeqPrivError, match="more than 10 patterns"):
        plain_table([(0, 0, 0), (1, 0, 0)]).seqpriv.mine(2, max_patterns=10)
    assert ended == [0]


@pytest.mark.parametrize("together", [1, 2])
@pytest.mark.parametrize("max_length", [None, 2, 3, 4])
def test_looking_at_short_patterns_refuses_nothing_that_fits(monkeypatch, together, max_length):
    rng = np.random.default_rng(7)
    rows = [
        (owner, event, t // together) for owner in range(9) for t, event in enumerate(rng.integers(0, 4, 12))
    ]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time"]).drop_duplicates()
    found = frame.seqpriv.mine(3, max_length=max_length)
    looks = []
    count, wait = search._count_short, search.wait
    monkeypatch.setattr(search, "_count_short", lambda *given: (looks.append(1), count(*given)))
    monkeypatch.setattr(search, "_LOOK_AFTER", -1.0)
    # Whatever is done already, look before the rest of it is taken.
    monkeypatch.setattr(search, "wait", lambda left, **_: (set(), left) if not looks else wait(left))
    if max_length in (2, 3):  # there is nothing to look at
        monkeypatch.setattr(search, "wait", wait)
    assert frame.seqpriv.mine(3, max_length=max_length, max_patterns=len(found)).equals(found)
    with pytest.raises(SeqPrivError, match="patterns, the most that max_patterns"):
        frame.seqpriv.mine(3, max_length=max_length, max_patterns=len(found) - 1)
    assert bool(looks) == (max_length in (None, 4))


def test_every_search_says_how_many_it_has_found():
    frame = plain_table([(owner, event, event) for owner in range(2) for event in range(3)])
    for cells, table in ((0, frame), (search.MOST_CELLS, frame), (0, frame.assign(time=frame["time"] // 2))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "MOST_CELLS", cells)
            seen = []
            patch.setattr(search, "check_number", lambda found, _, seen=seen: seen.append(found))
            found = table.seqpriv.mine(2)
            assert seen[-1] == len(found) > 3


def test_ctrl_c_stops_all_threads(monkeypatch):
    class Interrupted:
        def update(self, _):
            raise KeyboardInterrupt

    monkeypatch.setattr(search, "progress", lambda *_: _Bar(Interrupted()))
    stops = []
    plain = search.extend_dense

    def watched(entries, event, support, limits, most_cells):
        stops.append(limits.stop)
        return plain(entries, event, support, limits, most_cells)

    monkeypatch.setattr(search, "extend_dense", watched)
    with pytest.raises(KeyboardInterrupt):
        plain_table(random_rows(1)).seqpriv.mine(2)
    assert stops
    assert all(stop[0] == 1 for stop in stops)


class _Bar:
    def __init__(self, bar):
        self.bar = bar

    def __enter__(self):
        return self.bar

    def __exit__(self, *_):
        return False


def test_the_record_names_what_was_asked():
    found = plain_table([(0, 0, 0), (1, 0, 0)]).seqpriv.mine(0.5, max_length=3)
    (step,) = found.attrs["pdseqpriv"]["applied"]
    assert step["operation"] == "mine"
    assert step["parameters"] == {"closed": False, "max_length": 3, "min_length": 1, "min_support": 0.5}
