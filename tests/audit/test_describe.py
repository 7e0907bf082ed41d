"""What describe counts, against brute force and known answers."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.sequences.columns import Columns
from tests.audit import naive_describe as naive
from tests.strategies import plain_rows, plain_table, tables


@given(plain_rows(max_rows=40).filter(bool))
def test_describe_counts_as_brute_force_does(rows):
    facts = plain_table(rows).seqpriv.describe()
    for name, expected in naive.describe(rows).items():
        if expected is None:
            assert pd.isna(facts[name])
        else:
            assert facts[name] == pytest.approx(expected, abs=1e-12), name


@given(tables(), st.integers(2, 4))
def test_partitions_and_row_order_do_not_matter(frame, partitions):
    whole = pdseqpriv.describe(frame)
    parts = pdseqpriv.describe(BoundTable(frame, Columns(), Local(partitions=partitions)))
    pd.testing.assert_series_equal(whole, parts)
    pd.testing.assert_series_equal(whole, frame.iloc[::-1].seqpriv.describe())


def test_density_of_the_papers_running_example():
    # Monreale et al., figure 1(a) and its prefix tree in figure 2(a), less the root.
    sequences = ["ABCDEF"] * 3 + ["ADEF"] * 3 + ["BKS", "BK", "BK", "DEJF"]
    rows = [(i, event, t) for i, one in enumerate(sequences) for t, event in enumerate(one)]
    facts = pd.DataFrame(rows, columns=["seq_id", "event", "time"]).seqpriv.describe()
    assert facts["density"] == pytest.approx(1 - 16 / 41)
    assert facts["unique_sequence_share"] == pytest.approx(2 / 10)


def test_ties_as_elements_or_in_order():
    frame = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abba"), "time": [5, 5, 5, 5]})
    assert frame.seqpriv.describe()["elements"] == 2
    assert frame.seqpriv.describe()["unique_sequence_share"] == 0
    in_order = frame.seqpriv.using(ties="order").describe()
    assert in_order["elements"] == 4
    assert in_order["unique_sequence_share"] == 1


def test_one_row_and_none():
    one = pd.DataFrame({"seq_id": ["x"], "event": ["a"], "time": pd.to_datetime(["2024-01-01"])})
    facts = one.seqpriv.describe()
    assert facts["sequences"] == facts["events"] == facts["unique_sequence_share"] == 1
    assert facts["time_span"] == pd.Timedelta(0)
    none = pd.DataFrame(columns=["seq_id", "event", "time"]).seqpriv.describe()
    assert none["sequences"] == none["rows"] == 0
    assert pd.isna(none["density"])


def test_one_giant_sequence_among_short_ones():
    giant = pd.DataFrame({"seq_id": 0, "event": "a", "time": range(100_000)})
    short = pd.DataFrame({"seq_id": range(1, 1001), "event": "b", "time": 1})
    facts = pd.concat([giant, short]).seqpriv.describe()
    assert facts["length_max"] == 100_000
    assert facts["density"] == pytest.approx(1 - 100_001 / 101_000)


def test_msnbc_has_the_tree_of_the_paper(real_data):
    frame = pdseqpriv.read_parquet(real_data("msnbc"))
    size = frame.groupby("seq_id")["event"].transform("size")
    facts = frame[size.between(5, 25)].seqpriv.describe()
    assert facts["sequences"] == 286_260
    assert round((1 - facts["density"]) * facts["events"]) == 661_875
    assert facts["events"] / facts["sequences"] == pytest.approx(9.37, abs=0.005)


def test_entree_has_its_known_size(real_data):
    facts = pdseqpriv.read_parquet(real_data("entree")).seqpriv.describe()
    assert (facts["events"], facts["distinct_events"]) == (239_790, 5_005)
