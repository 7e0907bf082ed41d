"""Tables of patterns that were mined before: however they were handled since, they mean what they hold."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.errors import SeqPrivError
from tests.mining.test_mine import ROWS, as_dict, dense_rows
from tests.strategies import plain_table

pytestmark = pytest.mark.filterwarnings("ignore:.* supports? (exceed|is more|are more)")


@pytest.fixture
def mined():
    table = plain_table(dense_rows(3, sequences=12, length=5, width=2, events=3)).seqpriv.mine(3)
    assert table["length"].max() > 2
    return table


def afresh(table):
    """Make the same table of other objects: reading must not depend on which ones are the same."""
    cells = [pickle.loads(pickle.dumps(cell)) for cell in table["pattern"]]  # noqa: S301 (our own)
    return pd.DataFrame({"pattern": pd.Series(cells, dtype=object), "support": table["support"].to_numpy()})


@given(ROWS, st.sampled_from([(2, None), (None, 0.8), (3, 0.9)]), st.integers(1, 4), st.booleans())
def test_the_same_patterns_as_other_objects_give_the_same(rows, privacy, shortest, closed):
    asked = {"k": privacy[0], "alpha": privacy[1], "closed": closed}
    mined = plain_table(rows).seqpriv.mine(3, min_length=shortest)
    released = pdseqpriv.release_patterns(mined, **asked)
    pd.testing.assert_frame_equal(released, pdseqpriv.release_patterns(afresh(mined), **asked))
    direct = plain_table(rows).seqpriv.release_patterns(3, min_length=shortest, **asked)
    pd.testing.assert_frame_equal(released, direct)


def test_events_are_written_in_plain_types_again():
    cells = pd.Series([(np.str_("a"),), [["a"], np.array(["b"])], np.array(["b"], object)], dtype=object)
    released = pdseqpriv.release_patterns(pd.DataFrame({"pattern": cells, "support": [9, 3, 9]}), k=2)
    assert released["pattern"].tolist() == [("a",), ("b",), ("a", "b")]
    assert {type(cell) for cell in released["pattern"]} == {tuple}
    assert {type(event) for cell in released["pattern"] for event in cell} <= {str, np.str_}


def test_a_replaced_pattern_counts(mined):
    mined["pattern"] = [*mined["pattern"][:-1], ("never", "seen")]
    with pytest.raises(
        SeqPrivError, match=r"^release_patterns: .* 2 sub-patterns with one event fewer are missing"
    ):
        pdseqpriv.release_patterns(mined, k=2)


def test_swapped_patterns_count(mined):
    shifted = mined.assign(pattern=[*mined["pattern"][1:], mined["pattern"].iloc[0]])
    with pytest.raises(SeqPrivError, match=r"^release_patterns: .* pairs break this rule"):
        pdseqpriv.release_patterns(shifted, k=2)


def test_changed_supports_count(mined):
    mined["support"] *= 2
    doubled = as_dict(pdseqpriv.release_patterns(mined, k=6))
    mined["support"] //= 2
    single = as_dict(pdseqpriv.release_patterns(mined, k=3))
    # Twice the supports and twice k: every least safe support doubles too.
    assert doubled == {pattern: 2 * support for pattern, support in single.items()}
    mined.loc[0, "support"] = 1
    with pytest.raises(SeqPrivError, match=r"^release_patterns: .* pairs? breaks? this rule"):
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
def test_tables_made_from_a_mined_one(mined, derive):
    expected = pdseqpriv.release_patterns(mined, k=3, alpha=0.9)
    pd.testing.assert_frame_equal(pdseqpriv.release_patterns(derive(mined), k=3, alpha=0.9), expected)


def test_a_part_of_a_mined_table(mined):
    part = mined[mined["length"] <= 2]
    assert 0 < len(part) < len(mined)
    assert len(pdseqpriv.release_patterns(part, k=3)) == len(part)
    assert pdseqpriv.verify.are_patterns_safe(pdseqpriv.release_patterns(part, k=3), k=3)
    assert len(pdseqpriv.release_patterns(mined.head(1), k=3)) == 1
