"""What hide promises, on whatever hypothesis finds: hidden, the rest untouched, no trace of what is gone."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import Pattern, verify
from tests.strategies import EVENTS, NUMBER_EVENTS, tables

pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")

COMBINATIONS = list(
    itertools.product(
        ["optimal", "greedy", "random"], ["per_pattern", "shared", "random"], ["mark", "drop", "replace"]
    )
)
numbers = st.integers(0, 3)
lists = st.lists(st.one_of(numbers, st.frozensets(numbers, min_size=1, max_size=2)), min_size=1, max_size=3)
templates = ["{0} {1}", "{0}+ {1}", "({0} | {1}) .", "{0} .? {1}", ". {0}"]
expressions = st.tuples(st.sampled_from(templates), numbers, numbers, st.booleans())


def patterns_for(table, drawn_lists, drawn_expressions):
    names = NUMBER_EVENTS if pd.api.types.is_integer_dtype(table["event"].dtype) else EVENTS
    made = [
        Pattern([{names[i] for i in item} if isinstance(item, frozenset) else names[item] for item in items])
        for items in drawn_lists
    ]
    for template, first, second, gaps in drawn_expressions:
        text = template.format(f'"{names[first]}"', f'"{names[second]}"')
        made.append(Pattern.regex(text, gaps=gaps))
    return made


def constraints_for(table, drawn):
    """Bounds in elements, or on whatever the time column counts."""
    least, most, window, by_time = drawn
    if not by_time:
        return {"min_gap": least, "max_gap": most, "max_window": window}
    if pd.api.types.is_numeric_dtype(table["time"].dtype):
        return {"min_gap": least, "max_gap": most, "max_window": window, "gap_unit": "time"}
    spans = [None if value is None else pd.Timedelta(value, "s") for value in (least, most, window)]
    return dict(zip(("min_gap", "max_gap", "max_window"), spans, strict=True))


bounds = st.tuples(
    st.sampled_from([None, None, 0, 1]),
    st.sampled_from([None, None, 1, 3]),
    st.sampled_from([None, None, 2, 6]),
    st.booleans(),
)


@pytest.mark.parametrize(("marking", "selection", "output"), COMBINATIONS)
@settings(max_examples=12)
@given(
    table=tables(),
    drawn=st.tuples(st.lists(lists, min_size=1, max_size=2), st.lists(expressions, max_size=1)),
    threshold=st.integers(0, 2),
    drawn_bounds=bounds,
)
def test_hidden_and_untouched(marking, selection, output, *, table, drawn, threshold, drawn_bounds):
    table["place"] = np.arange(len(table), dtype="float64")
    before = table.copy()
    patterns, constraints = patterns_for(table, *drawn), constraints_for(table, drawn_bounds)
    options = {"max_support": threshold, "marking": marking, "selection": selection, "output": output}
    options["seed"] = 3  # so that hypothesis can repeat what fails
    released = table.seqpriv.hide(patterns, **options, **constraints)
    verdict = verify.is_hidden(released, patterns, threshold, may_be_absent=True, **constraints)
    assert verdict.raise_if_violated()
    pd.testing.assert_frame_equal(table, before)
    assert table.attrs == before.attrs
    assert set(released.attrs) == {"pdseqpriv"}
    if output == "replace":  # other columns and labels would tell which rows were replaced
        assert list(released.columns) == ["seq_id", "event", "time"]
        assert released.index.equals(pd.RangeIndex(len(table)))
        assert released["time"].tolist() == table["time"].tolist()
        assert released["seq_id"].tolist() == table["seq_id"].tolist()
        return
    assert list(released.columns) == list(table.columns)
    untouched = released["place"].notna().to_numpy()
    expected = table.iloc[released["place"].to_numpy()[untouched].astype("int64")]
    if output == "drop" and table.index.is_unique and table.index.dtype == "int64":
        expected = expected.reset_index(drop=True)  # numbers with gaps would tell where rows are missing
    pd.testing.assert_frame_equal(
        released[untouched], expected, check_dtype=False, check_categorical=False, check_index_type=False
    )
    # Categories that no row has are forgotten, so only these dtypes may differ.
    assert released["seq_id"].dtype.name == table["seq_id"].dtype.name
    assert released["time"].dtype == table["time"].dtype
    if output == "drop":
        assert untouched.all()
    else:
        assert released.loc[~untouched, "event"].isna().all()
        pd.testing.assert_series_equal(released["time"], table["time"])
        assert released["seq_id"].tolist() == table["seq_id"].tolist()
        assert released.index.equals(table.index)


def secretive(kind):
    events = pd.Series(["secret", "a", "b", "secret", "b", "a"])
    dtype = {
        "category": pd.CategoricalDtype(["b", "secret", "a", "unused"]),
        "arrow": pd.ArrowDtype(pa.string()),
    }.get(kind, kind)
    frame = pd.DataFrame({"seq_id": [1, 1, 1, 2, 2, 2], "event": events.astype(dtype), "time": range(6)})
    frame["note"] = pd.Categorical([f"about {event}" for event in events])
    frame.attrs["source"] = "secret"
    return frame.set_index(pd.MultiIndex.from_arrays([["x"] * 6, ["keep"] * 6]))


@pytest.mark.parametrize("output", ["mark", "drop", "replace"])
@pytest.mark.parametrize("kind", ["str", "object", "string", "category", "arrow"])
def test_nothing_of_what_was_hidden_is_left(kind, output, tmp_path):
    released = secretive(kind).seqpriv.hide([["secret"]], output=output, seed=3)
    assert b"secret" not in pickle.dumps(released)
    pdseqpriv.write_parquet(released, tmp_path / "release.parquet")
    assert b"secret" not in (tmp_path / "release.parquet").read_bytes()
    assert "secret" not in repr(released.attrs)


def test_ids_and_labels_of_dropped_rows_are_forgotten():
    frame = pd.DataFrame(
        {"seq_id": pd.Categorical(["gone", "kept"]), "event": ["a", "b"], "time": [1, 2]},
        index=pd.MultiIndex.from_arrays([["gone", "kept"], [1, 2]]),
    )
    released = frame.seqpriv.hide([["a"]], output="drop")
    assert b"gone" not in pickle.dumps(released)


def test_replacement_draws_from_the_table_only():
    table = pdseqpriv.datasets.make_clickstream(300, n_pages=20, seed=2)
    popular = table["event"].value_counts().index[:2].tolist()
    released = table.seqpriv.hide([popular], output="replace", seed=3)
    assert verify.is_hidden(released, [popular])
    assert set(released["event"]) <= set(table["event"])
    assert not released["event"].isna().any()
