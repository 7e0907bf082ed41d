"""Sequences of symbols in lexicographic order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pdseqpriv.sequences.kernels.lexicographic import distinct_sequences, sort_sequences
from pdseqpriv.sequences.ragged import offsets_of

# From symbols of which dozens are compared at once to those that fill a number each.
LARGEST = st.sampled_from([0, 1, 2, 30, 255, 2**16, 2**31, 2**32, 2**40, 2**62 - 1, 2**63 - 2])


@st.composite
def lists_of_symbols(draw):
    """Draw lists, of which many begin alike, are equal or have no symbol."""
    symbols = st.integers(0, draw(LARGEST))
    starts = draw(st.lists(st.lists(symbols, max_size=70), min_size=1, max_size=3))
    one = st.tuples(st.sampled_from(starts), st.integers(0, 70), st.lists(symbols, max_size=2))
    return [start[:length] + more for start, length, more in draw(st.lists(one, max_size=40))]


def as_arrays(lists):
    flat = [symbol for one in lists for symbol in one]
    return np.array(flat, np.int64), offsets_of([len(one) for one in lists])


@given(lists_of_symbols())
def test_lists_are_sorted_as_python_sorts_them(lists):
    order = sort_sequences(*as_arrays(lists)).tolist()
    assert sorted(order) == list(range(len(lists)))
    assert [lists[i] for i in order] == sorted(lists)


@given(lists_of_symbols())
def test_equal_lists_are_counted_once(lists):
    ones = np.ones(len(lists), np.int64)
    symbols, offsets, counts, _, place = distinct_sequences(*as_arrays(lists), ones)
    found = [symbols[begin:end].tolist() for begin, end in pairwise(offsets)]
    assert found == sorted([list(one) for one in {*map(tuple, lists)}])
    assert counts.tolist() == [lists.count(one) for one in found]
    assert [found[i] for i in place] == lists
