"""As much is shown in kept columns as enough people share."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import event, given
from hypothesis import strategies as st

from pdseqpriv.kept_columns.coarsening import shown_nodes
from pdseqpriv.kept_columns.reading import Kept
from pdseqpriv.kept_columns.trees import ValueTree
from tests.kept_columns import naive

N = 24


@st.composite
def cases(draw):
    """Draw trees, the values of some people, and the person and the start of each sequence."""
    trees = [
        [0, *(draw(st.integers(0, node)) for node in range(draw(st.integers(0, 7))))]
        for _ in range(draw(st.integers(1, 3)))
    ]
    ends = [[node for node in range(len(tree)) if node == 0 or node not in tree] for tree in trees]
    kinds = draw(st.lists(st.tuples(*map(st.sampled_from, ends)), min_size=1, max_size=4))
    values = draw(
        st.lists(st.sampled_from(kinds) | st.tuples(*map(st.sampled_from, ends)), min_size=N, max_size=N)
    )
    sequences = draw(st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, 2)), min_size=1, max_size=40))
    return trees, values, sequences


@given(cases(), st.integers(2, 4))
def test_cells_are_divided_as_by_brute_force(case, k):
    trees, values, sequences = case
    people, start = (np.array(one) for one in zip(*sequences, strict=True))
    leaves, numbers = np.unique([values[person] for person in people], axis=0, return_inverse=True)
    kept = Kept(
        pd.RangeIndex(people.size),
        people,
        numbers.reshape(-1),
        leaves,
        [ValueTree(np.array(tree), []) for tree in trees],
    )
    found = shown_nodes(kept, start, k)
    for one in np.unique(start):
        there = {int(person): values[person] for person in people[start == one]}
        expected = naive.shown(there, trees, k)
        for person, nodes in zip(people[start == one], found[start == one].tolist(), strict=True):
            assert tuple(nodes) == expected[int(person)]
        if len(there) >= k:
            shown = list(expected.values())
            assert min(shown.count(label) for label in shown) >= k
    event(f"{len(np.unique(found, axis=0))} labels")
