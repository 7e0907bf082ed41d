"""Patterns of people who have several sequences: brute force over people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.mining import search
from pdseqpriv.sequences.columns import Columns
from tests.mining import naive
from tests.mining.test_mine import DENSE, as_dict, dense_rows
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS, plain_rows, plain_table, tables, with_people

pytestmark = pytest.mark.filterwarnings("ignore:.* supports? (exceed|is more|are more)")

PERSONAL = Columns(person="person")
ROWS = plain_rows(max_rows=24, n_ids=8) | DENSE | DENSE
OWNERS = st.lists(st.integers(0, 3), min_size=8, max_size=8)


def people_of(rows, owners):
    """Return each person as a list of sequences of named events."""
    people = {}
    for number, elements in naive_table.sequences(rows).items():
        named = [[EVENTS[e] for e in element] for element in naive_table.unmarked(elements)]
        people.setdefault(owners[number], []).append(named)
    return list(people.values())


def personal(rows, owners):
    frame = plain_table(rows)
    return frame.assign(person=frame["seq_id"].map(lambda number: f"person {owners[number]}"))


@given(ROWS, OWNERS, st.integers(1, 3), st.none() | st.integers(1, 4))
def test_support_is_the_number_of_people(rows, owners, min_support, max_length):
    longest = 4 if min_support == 1 and max_length is None else max_length
    found = personal(rows, owners).seqpriv.using(person="person").mine(min_support, max_length=longest)
    assert as_dict(found) == naive.mine_people(people_of(rows, owners), min_support, longest)
    assert found.attrs["pdseqpriv"]["applied"][0]["parameters"]["people"] is True


@pytest.mark.parametrize("most_cells", [0, search.MOST_CELLS])
@pytest.mark.parametrize("seed", range(12))
def test_people_with_much_in_common(seed, most_cells, monkeypatch):
    rows = dense_rows(seed, sequences=20, length=8, width=1 + seed % 3, events=2 + seed % 3)
    owners = np.random.default_rng(seed).integers(0, 7, 20)
    people = people_of(rows, owners)
    expected = naive.mine_people(people, 3, 4)
    assert expected != naive.mine([sequence for person in people for sequence in person], 3, 4)
    monkeypatch.setattr(search, "MOST_CELLS", most_cells)
    found = personal(rows, owners).seqpriv.using(person="person").mine(3, max_length=4)
    assert as_dict(found) == expected


@given(ROWS, OWNERS)
def test_closed_patterns_have_no_longer_one_with_as_many_people(rows, owners):
    everything = naive.mine_people(people_of(rows, owners), 2)
    expected = {
        pattern: support
        for pattern, support in everything.items()
        if not any(
            other != pattern and everything[other] == support and naive_table.contains(other, pattern)
            for other in everything
        )
    }
    bound = personal(rows, owners).seqpriv.using(person="person")
    assert as_dict(bound.mine(2, closed=True)) == expected


@given(tables(max_rows=20))
@settings(deadline=None)
def test_with_one_sequence_each_people_are_sequences(frame):
    alone = frame.assign(person=frame["seq_id"].array).seqpriv.using(person="person")
    pd.testing.assert_frame_equal(alone.mine(2), frame.seqpriv.mine(2))
    pd.testing.assert_frame_equal(alone.release_patterns(2, k=2), frame.seqpriv.release_patterns(2, k=2))


@given(with_people(tables(max_rows=24)), st.sampled_from([3, 7]))
@settings(deadline=None)
def test_parts_give_the_same(frame, partitions):
    parts = BoundTable(frame, PERSONAL, Local(partitions=partitions))
    pd.testing.assert_frame_equal(pdseqpriv.mine(parts, 2), frame.seqpriv.using(person="person").mine(2))


def test_a_share_is_one_of_people():
    rows = [(number, int(number % 10 == 0), 0) for number in range(30)]
    owners = [number // 3 for number in range(30)]  # three sequences each
    found = personal(rows, owners).seqpriv.using(person="person").mine(0.3)
    assert as_dict(found) == {(("a",),): 10, (("b",),): 3}
    assert len(personal(rows, owners).seqpriv.using(person="person").mine(0.31)) == 1


def test_what_one_person_does_ten_times_is_not_frequent():
    frame = personal([(number, 0, 0) for number in range(10)], [0] * 10)
    assert len(frame.seqpriv.using(person="person").mine(2)) == 0
    assert frame.seqpriv.mine(2)["support"].tolist() == [10]


@given(ROWS, OWNERS)
def test_released_supports_are_made_safe_from_those_of_people(rows, owners):
    bound = personal(rows, owners).seqpriv.using(person="person")
    released = bound.release_patterns(2, k=2)
    true = naive.mine_people(people_of(rows, owners), 2)
    assert as_dict(released).keys() == true.keys()
    assert all(support >= true[pattern] for pattern, support in as_dict(released).items())
    assert pdseqpriv.verify.are_patterns_safe(released, k=2)
    pd.testing.assert_frame_equal(released, pdseqpriv.release_patterns(bound.mine(2), k=2))
    assert released.attrs["pdseqpriv"]["applied"][-1]["parameters"]["people"] is True


def test_fewer_people_than_k_are_refused():
    bound = personal([(0, 0, 0), (1, 0, 0)], [0, 0]).seqpriv.using(person="person")
    with pytest.raises(SeqPrivError, match="min_support must be at least k = 2 people, got 1"):
        bound.release_patterns(1.0, k=2)


def test_compare_counts_sequences_in_both_tables():
    frame = personal([(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 1)], [0, 0, 1])
    released = frame.drop(columns="person")
    bound = frame.seqpriv.using(person="person")
    with_person = pdseqpriv.compare(bound, released, min_support=2)
    pd.testing.assert_frame_equal(with_person, pdseqpriv.compare(released, released, min_support=2))
