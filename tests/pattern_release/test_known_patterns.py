"""Mined tables are not read again; whatever was changed in one is noticed, and nothing outlives it."""

from __future__ import annotations

import copy
import gc
import pickle

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.patterns import known_patterns
from tests.mining.test_mine import ROWS, as_dict, dense_rows
from tests.strategies import plain_table


@pytest.fixture
def mined():
    table = plain_table(dense_rows(3, sequences=12, length=5, width=2, events=3)).seqpriv.mine(4)
    assert len(table) > 10
    return table


def afresh(table):
    """Make the same table of other tuples, which are not known."""
    cells = [pickle.loads(pickle.dumps(cell)) for cell in table["pattern"]]  # noqa: S301 (our own)
    return pd.DataFrame({"pattern": pd.Series(cells, dtype=object), "support": table["support"].to_numpy()})


@given(ROWS, st.sampled_from([(2, None), (None, 0.8), (3, 0.9)]), st.integers(1, 4), st.booleans())
def test_known_and_unknown_tables_give_the_same(rows, privacy, shortest, closed):
    asked = {"k": privacy[0], "alpha": privacy[1], "closed": closed}
    mined = plain_table(rows).seqpriv.mine(3, min_length=shortest)
    assert known_patterns.recall(mined["pattern"]) is not None
    assert known_patterns.recall(afresh(mined)["pattern"]) is None
    released = pdseqpriv.release_patterns(mined, **asked)
    pd.testing.assert_frame_equal(released, pdseqpriv.release_patterns(afresh(mined), **asked))
    direct = plain_table(rows).seqpriv.release_patterns(3, min_length=shortest, **asked)
    pd.testing.assert_frame_equal(released, direct)


@given(ROWS, st.integers(1, 3), st.data())
def test_known_tables_with_other_supports_give_the_same(rows, shortest, data):
    mined = plain_table(rows).seqpriv.mine(3, min_length=shortest)
    for _ in range(data.draw(st.integers(1, 3))):
        if len(mined):
            mined.loc[data.draw(st.integers(0, len(mined) - 1)), "support"] += 1
    results = []
    for table in (mined, afresh(mined)):
        try:
            results.append(as_dict(pdseqpriv.release_patterns(table, k=3, alpha=0.9)))
        except SeqPrivError as error:
            results.append(str(error))
    assert results[0] == results[1]


def test_a_replaced_pattern_is_noticed(mined):
    mined["pattern"] = [*mined["pattern"][:-1], ("never", "seen")]
    with pytest.raises(SeqPrivError, match="2 are missing"):
        pdseqpriv.release_patterns(mined, k=2)


def test_a_pattern_replaced_behind_the_back_of_pandas_is_noticed(mined):
    cells = mined["pattern"].to_numpy()
    cells.flags.writeable = True
    cells[-1] = ("never", "seen")
    with pytest.raises(SeqPrivError, match="2 are missing"):
        pdseqpriv.release_patterns(mined, k=2)


def test_swapped_patterns_are_noticed(mined):
    shifted = mined.assign(pattern=[*mined["pattern"][1:], mined["pattern"].iloc[0]])
    with pytest.raises(SeqPrivError, match="pairs break this rule"):
        pdseqpriv.release_patterns(shifted, k=2)


def test_changed_supports_count(mined):
    doubled = mined.assign(support=mined["support"] * 2)
    mined["support"] *= 2
    assert known_patterns.recall(mined["pattern"]) is not None
    released = as_dict(pdseqpriv.release_patterns(mined, k=3))
    assert released == as_dict(pdseqpriv.release_patterns(afresh(doubled), k=3))
    mined.loc[0, "support"] = 1
    with pytest.raises(SeqPrivError, match="break this rule"):
        pdseqpriv.release_patterns(mined, alpha=0.9)


@pytest.mark.parametrize(
    "derive",
    [
        lambda table: table.sort_values("length", kind="stable"),
        lambda table: table.iloc[::-1],
        lambda table: table.copy(),
        copy.deepcopy,
        lambda table: pickle.loads(pickle.dumps(table)),  # noqa: S301 (our own)
        lambda table: table.assign(note="x").set_index("length"),
        lambda table: table.sample(frac=1, random_state=0),
        lambda table: table.astype({"support": "Int64"}),
    ],
)
def test_tables_made_from_a_known_one(mined, derive):
    expected = pdseqpriv.release_patterns(afresh(mined), k=3, alpha=0.9)
    pd.testing.assert_frame_equal(pdseqpriv.release_patterns(derive(mined), k=3, alpha=0.9), expected)


def test_a_part_of_a_known_table(mined):
    part = mined[mined["length"] <= 2]
    expected = pdseqpriv.release_patterns(afresh(part), k=3)
    pd.testing.assert_frame_equal(pdseqpriv.release_patterns(part, k=3), expected)
    first = mined.head(1)
    assert len(pdseqpriv.release_patterns(first, k=3)) == 1


def test_nothing_is_kept_once_the_table_is_gone():
    gc.collect()
    before = len(known_patterns._known)
    mined = plain_table([(owner, 0, 1) for owner in range(5)]).seqpriv.mine(2)
    assert len(known_patterns._known) == before + 1
    del mined
    gc.collect()
    assert len(known_patterns._known) == before
