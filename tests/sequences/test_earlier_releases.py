"""Who was in the same class of every earlier release."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdseqpriv.errors import SeqPrivError
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.earlier_releases import IN_NONE, cells_of

IDS = ["anna", "bo", "cy", "di", "ed", "flo"]


def key_of(groups, ids=IDS, seq_id="seq_id"):
    released = [None if group is None else place for place, group in enumerate(groups)]
    return pd.DataFrame(
        {seq_id: ids, "released_id": pd.array(released, "Int64"), "group": pd.array(groups, "Int64")}
    )


groupings = st.lists(st.lists(st.none() | st.integers(0, 2), min_size=6, max_size=6), max_size=3)


@given(groupings=groupings, order=st.permutations(range(6)))
@settings(deadline=None)
def test_a_cell_is_who_was_together_in_every_release(groupings, order):
    shuffled = [key_of(groups).iloc[order] for groups in groupings]
    cells = cells_of(shuffled, pd.Index(IDS), Columns())
    for one in range(6):
        for other in range(6):
            was_together = all(groups[one] == groups[other] for groups in groupings)
            assert (cells[one] == cells[other]) == was_together
    assert {IN_NONE, *cells} == set(range(len({IN_NONE, *cells})))
    for one in range(6):
        assert (cells[one] == IN_NONE) == all(groups[one] is None for groups in groupings)


def test_cells_have_numbers_that_do_not_depend_on_the_order_of_ids():
    keys = [key_of([1, 0, 1, None, 2, 2])]
    ids = pd.Index(IDS)
    backwards = cells_of(keys, ids[::-1], Columns())
    assert cells_of(keys, ids, Columns()).tolist() == backwards[::-1].tolist() == [2, 1, 2, 0, 3, 3]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "uint64", "int64[pyarrow]", object])
def test_ids_and_groups_of_any_type(dtype):
    key = key_of([0, 0, 1, 1, 2, 2], ids=pd.Series([9, 3, 5, 1, 2, 4], dtype=dtype), seq_id="visit")
    key["group"] = key["group"].astype("int64[pyarrow]")
    ids = pd.Index(np.array([1, 2, 3, 4, 5, 9]))
    assert cells_of((key,), ids, Columns(seq_id="visit")).tolist() == [2, 3, 1, 3, 2, 1]


def test_without_earlier_releases_there_is_one_cell():
    assert cells_of([], pd.Index(IDS), Columns()).tolist() == [0] * 6
    assert cells_of([], pd.Index([]), Columns()).tolist() == []


GOOD = key_of([0, 0, 0, 1, 1, None])


@pytest.mark.parametrize(
    ("previous", "words"),
    [
        (GOOD, "previous must be a list of keys with a column 'group'.*got DataFrame. Put a single key"),
        ("key", "got str"),
        ([GOOD, 7], r"in previous\[1\]: previous must be a list of keys.*of type int"),
        ([GOOD.drop(columns="group")], r"in previous\[0\]: .*'seq_id' and 'group' is needed.*identical"),
        ([GOOD.rename(columns={"seq_id": "visit"})], "but it has .'visit', 'released_id', 'group'"),
        ([pd.concat([GOOD, GOOD[["group"]]], axis=1)], "'seq_id' and 'group' is needed"),
        ([GOOD.iloc[:-1]], "key of another table: it names 5 of the 6 sequences, in 5 rows"),
        ([pd.concat([GOOD, key_of([0], ["gil"])])], "it names 6 of the 6 sequences, in 7 rows"),
        ([pd.concat([GOOD, GOOD.iloc[:1]])], "key of another table"),
        ([key_of([0] * 6, range(6))], "it names 0 of the 6 sequences"),
        ([GOOD.assign(seq_id=None)], "seq_id"),
        ([GOOD.assign(group=-1)], "'group' must be"),
        ([GOOD.assign(group=1.5)], "'group' must be"),
        ([GOOD.assign(group="a")], "'group' must be"),
        ([GOOD.assign(group=np.uint64(2**64 - 1))], "groups that pandas cannot compare"),
    ],
)
def test_what_is_no_key_of_this_table_is_refused(previous, words):
    with pytest.raises(SeqPrivError, match=words) as caught:
        cells_of(previous, pd.Index(IDS), Columns())
    assert not any(name in str(caught.value) for name in ("anna", "gil"))
