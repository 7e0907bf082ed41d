"""Known answers on real data: Abul et al. 2007, section 6."""

from __future__ import annotations

import pandas as pd
import pytest

from pdseqpriv import verify

PATTERNS = [["x6y3", "x7y2"], ["x4y3", "x5y3"]]
PAPER = {"marking": "greedy", "selection": "shared"}


@pytest.fixture
def trucks(real_data):
    return pd.read_parquet(real_data("trucks"))


def marks(table):
    return int(table["event"].isna().sum())


def test_supports(trucks):
    assert verify.is_hidden(trucks, PATTERNS).details["support"].tolist() == [36, 38]
    hidden = trucks.seqpriv.hide(PATTERNS)
    touched = trucks.loc[hidden["event"].isna().to_numpy(), "seq_id"].nunique()
    assert touched == 66


def test_103_marks_hide_everything(trucks):
    assert marks(trucks.seqpriv.hide(PATTERNS)) == 103
    assert marks(trucks.seqpriv.hide(PATTERNS, **PAPER)) == 103


def test_14_marks_instead_of_36(trucks):
    assert marks(trucks.seqpriv.hide(PATTERNS, max_support=30)) <= 14
    assert marks(trucks.seqpriv.hide(PATTERNS, max_support=30, **PAPER)) == 36


def test_never_more_marks_than_the_paper(trucks):
    for threshold in range(66):
        ours = trucks.seqpriv.hide(PATTERNS, max_support=threshold)
        assert verify.is_hidden(ours, PATTERNS, threshold)
        assert marks(ours) <= marks(trucks.seqpriv.hide(PATTERNS, max_support=threshold, **PAPER))


@pytest.mark.parametrize("output", ["mark", "drop", "replace"])
def test_itemsets_and_time(real_data, output):
    retail = pd.read_parquet(real_data("online_retail"))
    patterns = ["(22423 85123A) -> 22423", "85123A -[1D..60D]-> 22423", "{22423 . 85123A}"]
    before = verify.is_hidden(retail, patterns, 20, max_window="200D").details["support"]
    assert (before > 20).all()
    released = retail.seqpriv.hide(patterns, max_support=20, max_window="200D", output=output, seed=3)
    assert verify.is_hidden(released, patterns, 20, max_window="200D")
