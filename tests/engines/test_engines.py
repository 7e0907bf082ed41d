"""Every engine gives what local gives, and the two verbs keep their promises."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.engines.parts import cuts, merged
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.events import merge_vocabularies
from tests.strategies import tables


def started(frame, partitions):
    return Local(partitions).start(frame, Columns())


def as_it_is(rows, _):
    return rows


@given(tables(), st.integers(1, 4))
def test_rows_come_back_in_order_with_their_index_and_without_attrs(frame, partitions):
    before = frame.copy(deep=True)
    same, rows = started(frame, partitions).map(lambda part, _: (part, len(part)), as_it_is)
    assert rows == len(frame)
    pd.testing.assert_frame_equal(same, without_unused(frame, partitions))
    assert same.attrs == {}
    assert frame.attrs == before.attrs
    pd.testing.assert_frame_equal(frame, before)


@given(tables(), st.integers(1, 4))
def test_rows_that_are_left_keep_their_order(frame, partitions):
    kept, _ = started(frame, partitions).map(
        lambda part, _: (part[part["event"].notna().to_numpy()], 0), as_it_is
    )
    pd.testing.assert_frame_equal(
        kept, without_unused(frame[frame["event"].notna().to_numpy()], partitions), check_categorical=False
    )


@given(tables(), st.integers(1, 4))
def test_sequences_stay_whole_and_counts_add_up(frame, partitions):
    lengths = started(frame, partitions).reduce(
        lambda sequences: dict(zip(sequences.ids.tolist(), sequences.lengths.tolist(), strict=True)),
        lambda first, second: first | second if not first.keys() & second.keys() else pytest.fail("split"),
    )
    assert lengths == frame.groupby("seq_id", observed=True).size().to_dict()


def without_unused(frame, partitions):
    result = frame.copy()
    result.attrs = {}
    if partitions > 1:
        for name in ("seq_id", "event"):
            if isinstance(result[name].dtype, pd.CategoricalDtype):
                result[name] = result[name].cat.remove_unused_categories()
    return result


def test_vocabularies_merge_in_order_and_not_across_kinds():
    union, first, second = merge_vocabularies(pd.Index([3, 9]), pd.Index([1, 9]))
    assert union.tolist() == [1, 3, 9]
    np.testing.assert_array_equal(first, [1, 2])
    np.testing.assert_array_equal(second, [0, 2])
    with pytest.raises(SeqPrivError, match="text in one table, or one part of it, and numbers in another"):
        merge_vocabularies(pd.Index(["a"]), pd.Index([3]))
    assert merge_vocabularies(pd.Index(["a"]), pd.Index([], dtype="int64"))[0].tolist() == ["a"]


@pytest.mark.parametrize("partitions", [1, 3])
def test_an_index_may_be_called_anything(partitions):
    frame = pd.DataFrame({"seq_id": [1, 1, 2], "event": ["a", "b", "a"], "time": [0, 1, 0]})
    frame.index = pd.Index([100, 200, 300], name="pdseqpriv row")
    table = BoundTable(frame, Columns(), Local(partitions))
    released = pdseqpriv.hide(table, ["a -> b"], output="drop", seed=1)
    assert released.index.name == "pdseqpriv row"
    assert set(released.index) < {100, 200, 300}


@pytest.mark.parametrize("number", range(1, 20))
def test_summaries_are_merged_in_their_order_as_a_tree(number):
    deep = merged(([place] for place in range(number)), lambda one, other: [one, other])
    flat = merged(([place] for place in range(number)), lambda one, other: one + other)
    assert flat == list(range(number))
    assert depth(deep) <= 1 + (number - 1).bit_length()


def depth(nested):
    return 1 + max(map(depth, nested)) if isinstance(nested, list) else 0


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 20))
def test_pieces_hold_all_items_and_few_rows(sizes, most):
    bounds = cuts(np.array(sizes, np.int64), most)
    assert bounds[0] == 0
    assert bounds[-1] == len(sizes)
    assert bounds == sorted(bounds)
    assert all(sum(sizes[a:b]) < most + 9 for a, b in pairwise(bounds))
