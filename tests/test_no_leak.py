"""Nothing that was removed is found in a release: not in its file, attrs, categories, index or errors."""

from __future__ import annotations

import pickle
import struct

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local

pytestmark = [
    pytest.mark.usefixtures("uncompressed"),
    pytest.mark.filterwarnings("ignore:.*other columns can identify people"),
]

SECRET = "clinic-for-secrets"  # noqa: S105 (a word, not a password)


def visits(kind):
    """A table in which only the removed rows hold the secret words."""
    events = pd.Series(["home", SECRET, "shop", "home", SECRET, "shop"])
    owners = pd.Series(["ann", "ann", "ann", "bob", f"{SECRET}-bob", "bob"])
    frame = pd.DataFrame(
        {
            "seq_id": owners,
            "event": events,
            "time": [1, 2, 3, 4, 5, 6],
            "note": [f"about {event}" for event in events],
        }
    )
    if kind == "category":
        frame = frame.astype({"seq_id": "category", "event": "category", "note": "category"})
    if kind == "dictionary":
        dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
        frame = frame.astype({"event": dictionary, "note": dictionary})
    frame.attrs["source"] = SECRET
    return frame


INDEXES = {
    "range": lambda frame: frame.index,
    "multi": lambda frame: pd.MultiIndex.from_arrays([frame["note"].astype(str), range(len(frame))]),
    "category": lambda frame: pd.CategoricalIndex(frame["note"].astype(str)),
}


@pytest.mark.parametrize("kind", ["text", "category", "dictionary"])
@pytest.mark.parametrize("index", list(INDEXES))
@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_sanitize_leaves_no_trace(kind, index, scope, tmp_path):
    frame = visits(kind)
    frame.index = INDEXES[index](frame)
    released = frame.seqpriv.sanitize(0.01, events=[SECRET], scope=scope)
    assert len(released) == 4
    texts = [released.to_csv(), repr(released.attrs), repr(released.dtypes.to_dict())]
    for name in released.columns:
        if isinstance(released[name].dtype, pd.CategoricalDtype):
            texts.append(repr(list(released[name].cat.categories)))
        if isinstance(released[name].dtype, pd.ArrowDtype):
            texts.append(repr(pa.chunked_array(released[name].array.__arrow_array__()).chunks))
    if index == "multi":
        texts.append(repr([list(level) for level in released.index.levels]))
    if index == "category":
        texts.append(repr(list(released.index.categories)))
    assert not [text for text in texts if SECRET in text]
    pdseqpriv.write_parquet(released, tmp_path / "released.parquet")
    assert SECRET.encode() not in (tmp_path / "released.parquet").read_bytes()


def test_sanitize_leaves_no_gaps_in_a_numbered_index():
    frame = visits("text")
    assert list(frame.seqpriv.sanitize(0.01, events=[SECRET]).index) == [0, 1, 2, 3]
    shuffled = frame.sample(frac=1, random_state=0)
    assert list(shuffled.seqpriv.sanitize(0.01, events=[SECRET]).index) == [0, 1, 2, 3]


def test_sanitize_tells_no_event_in_errors_and_warnings():
    frame = visits("text")
    with pytest.raises(pdseqpriv.SeqPrivError) as caught:
        frame.seqpriv.sanitize(0.1, events=SECRET)
    assert SECRET not in str(caught.value)
    with pytest.raises(pdseqpriv.SeqPrivError) as caught:
        frame.seqpriv.sanitize(0.1, events=[SECRET, None])
    assert SECRET not in str(caught.value)
    with pytest.warns(pdseqpriv.PrivacyWarning) as warned:
        frame.seqpriv.sanitize(0.1, events=["unheard-of"])
    assert SECRET not in "".join(str(one.message) for one in warned)


DAY = pd.Timestamp("1977-05-13")
NUMBER = 987_654_321


def labelled(kind, events=("home", SECRET, "shop", "home", SECRET, "shop")):
    """A table whose index says which rows hold the secret, in one way or another."""
    frame = pd.DataFrame({"seq_id": [1, 1, 1, 2, 2, 2], "event": list(events), "time": range(6)})
    is_secret = (frame["event"].isin([SECRET, NUMBER])).to_numpy()
    words = frame["event"].astype(str)
    days = pd.Series(pd.date_range("2020-01-01", periods=6)).mask(is_secret, DAY)
    numbers = pd.Series(range(6)).mask(is_secret, NUMBER)
    dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    frame.index = {
        "text": lambda: pd.Index(words, name="event"),
        "objects": lambda: pd.Index(words, dtype=object),
        "category": lambda: pd.CategoricalIndex(words),
        "dictionary": lambda: pd.Index(words.astype(dictionary)),
        "two levels": lambda: pd.MultiIndex.from_arrays([words, pd.Categorical(words)]),
        "one of two levels": lambda: pd.MultiIndex.from_arrays([range(6), words]),
        "tuples": lambda: pd.Index([(word, 1) for word in words], tupleize_cols=False),
        "days": lambda: pd.DatetimeIndex(days),
        "days with zone": lambda: pd.DatetimeIndex(days).tz_localize("UTC"),
        "periods": lambda: pd.PeriodIndex(days, freq="D"),
        "numbers": lambda: pd.Index(numbers),
        "named numbers": lambda: pd.Index([0, NUMBER, 2, 3, NUMBER + 1, 5], name="price"),
        "floats": lambda: pd.Index(numbers.astype(float)),
        "spans": lambda: pd.IntervalIndex.from_arrays(numbers, numbers + 1),
        "switches": lambda: pd.Index(is_secret),
    }[kind]()
    return frame


EVENTS_AS_LABELS = ["text", "objects", "category", "dictionary", "two levels", "one of two levels"]
OTHER_LABELS = [
    "tuples",
    "days",
    "days with zone",
    "periods",
    "numbers",
    "named numbers",
    "floats",
    "spans",
    "switches",
]
LABELS = EVENTS_AS_LABELS + OTHER_LABELS


@pytest.mark.parametrize("output", ["mark", "replace"])
@pytest.mark.parametrize("kind", EVENTS_AS_LABELS)
@pytest.mark.parametrize("partitions", [1, 2])
def test_hide_leaves_no_label_that_is_a_hidden_event(kind, output, partitions):
    frame = labelled(kind)
    bound = BoundTable(frame, engine=Local(partitions))
    released = pdseqpriv.hide(bound, [[SECRET]], output=output)
    touched = (frame["event"] == SECRET).to_numpy()
    if output == "replace":  # a null would show the row
        assert released.index.equals(pd.RangeIndex(len(frame)))
    else:
        assert released.index.get_level_values(-1).isna().tolist() == touched.tolist()
        assert released.index[~touched].tolist() == frame.index[~touched].tolist()
        assert released.index.names == frame.index.names
    assert SECRET.encode() not in pickle.dumps(released)
    assert not [text for text in seen_in(released) if SECRET in text]


@pytest.mark.parametrize("kind", OTHER_LABELS)
def test_hide_keeps_all_other_labels(kind):
    frame = labelled(kind)
    released = frame.seqpriv.hide([[SECRET]])
    pd.testing.assert_index_equal(released.index, frame.index)


@pytest.mark.parametrize("kind", ["int64", "Int64", "float64", "str", "category"])
def test_hide_leaves_no_number_that_is_an_event_in_the_index(kind):
    frame = pd.DataFrame({"seq_id": [1, 1, 2], "event": [5, NUMBER, 8], "time": [1, 2, 3]})
    frame.index = pd.Index(frame["event"].astype(kind).array)
    released = frame.seqpriv.hide([[NUMBER]])
    assert released.index.isna().tolist() == [False, True, False]
    assert [int(label) for label in released.index[[0, 2]]] == [5, 8]
    data = pickle.dumps(released)
    assert NUMBER.to_bytes(4, "little") not in data
    assert str(NUMBER).encode() not in data
    assert struct.pack("<d", NUMBER) not in data
    assert frame.set_axis(pd.RangeIndex(3)).seqpriv.hide([[NUMBER]]).index.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", LABELS)
def test_no_label_of_a_dropped_row_is_left(kind):
    frame = labelled(kind)
    hidden = frame.seqpriv.hide([[SECRET]], output="drop")
    sanitized = frame.seqpriv.sanitize(0.01, events=[SECRET])
    shared = frame.seqpriv.k_anonymize(2)
    blurred = frame[frame["event"] != SECRET].seqpriv.generalize(k=2)
    for released in (hidden, sanitized):
        assert len(released) == 4
        data = pickle.dumps(released)
        assert SECRET.encode() not in data
        assert NUMBER.to_bytes(4, "little") not in data
        assert not [text for text in seen_in(released) if SECRET in text or "1977" in text]
    for released in (shared, blurred):
        assert released.index.equals(pd.RangeIndex(len(released)))


@pytest.mark.parametrize("output", ["mark", "replace"])
@pytest.mark.parametrize(
    "kind", ["int64", "uint32", "Int64", "Float64", "float64", "int64[pyarrow]", "Sparse[int]"]
)
def test_hide_leaves_no_number_beneath_a_null(kind, output):
    frame = pd.DataFrame({"seq_id": [1, 1, 2], "event": [5, NUMBER, 8], "time": [1, 2, 3]})
    frame["price"] = frame["event"].astype(kind)
    released = frame.seqpriv.hide([[NUMBER]], output=output)
    assert output == "replace" or released["price"].isna().tolist() == [False, True, False]
    data = pickle.dumps(released)
    assert NUMBER.to_bytes(4, "little") not in data
    assert struct.pack("<d", NUMBER) not in data


@pytest.mark.parametrize("call", ["mark", "drop", "sanitize"])
@pytest.mark.parametrize("place", ["column", "label"])
@pytest.mark.parametrize("kind", ["int64", "float64", "bool"])
def test_no_sparse_type_names_a_value_that_is_gone(kind, place, call):
    secret = kind == "bool" or NUMBER
    values = pd.arrays.SparseArray(np.array([0, secret, 0], kind), fill_value=np.dtype(kind).type(secret))
    frame = pd.DataFrame({"seq_id": [1, 1, 2], "event": ["a", SECRET, "b"], "time": [1, 2, 3]})
    frame = frame.assign(price=values) if place == "column" else frame.set_index(pd.Index(values))
    if call == "sanitize":
        released = frame.seqpriv.sanitize(0.01, events=[SECRET])
    else:
        released = frame.seqpriv.hide([[SECRET]], output=call)
    seen = released["price"] if place == "column" else released.index
    assert not isinstance(seen.dtype, pd.SparseDtype)
    if call != "mark":
        assert seen.tolist() == [0, 0]
    elif place == "column":
        assert seen.isna().tolist() == [False, True, False]


# Times that no other number in a file looks like.
FIRST, SECOND, LAST = 1_234_567_000_011, 1_234_569_000_011, 1_234_571_000_011


def crowd(kind):
    """Four people whose names, sites and times between the first and the last of them are to disappear."""
    frame = pd.DataFrame(
        {
            "seq_id": [f"{SECRET}-{i}" for i in range(4) for _ in range(3)],
            "event": [f"{SECRET}-{i % 6}" for i in range(12)],
            "time": [start + 1001 * i for i in range(4) for start in (FIRST, SECOND, LAST)],
            "note": SECRET,
        }
    )
    frame["event"] = frame["event"].where(frame["time"] < LAST, "shop")
    if kind == "category":
        frame = frame.astype({"seq_id": "category", "event": "category", "note": "category"})
    if kind == "dictionary":
        dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
        frame = frame.astype({"event": dictionary, "seq_id": dictionary})
    frame.attrs["source"] = SECRET
    return frame


def seen_in(table):
    """Return all that pandas shows of a table, behind the values as well."""
    texts = [table.to_csv(), repr(table.attrs), repr(table.dtypes.to_dict()), repr(table.index)]
    for name in table.columns:
        if isinstance(table[name].dtype, pd.CategoricalDtype):
            texts.append(repr(list(table[name].cat.categories)))
        if isinstance(table[name].dtype, pd.ArrowDtype):
            texts.append(repr(pa.chunked_array(table[name].array.__arrow_array__()).chunks))
    return texts


@pytest.mark.parametrize("kind", ["text", "category", "dictionary"])
@pytest.mark.parametrize("index", list(INDEXES))
def test_generalize_leaves_no_trace(kind, index, tmp_path):
    frame = crowd(kind)
    frame.index = INDEXES[index](frame)
    taxonomy = {f"{SECRET}-{i}": "a site" for i in range(6)}
    monitored = [one for one in frame["event"].unique() if one != "shop"]
    with pytest.warns(pdseqpriv.PrivacyWarning) as warned:
        released = frame.seqpriv.generalize(
            taxonomy, k=4, monitored=monitored, diversity=(10**9, 1), seed=8_675_309
        )
    texts = [*seen_in(released), *(str(one.message) for one in warned)]
    assert not [text for text in texts if SECRET in text or "8675309" in text]
    pdseqpriv.write_parquet(released, tmp_path / "released.parquet")
    data = (tmp_path / "released.parquet").read_bytes()
    assert SECRET.encode() not in data
    inside = [start + 1001 * i for start in (FIRST, SECOND) for i in (1, 2)]
    assert not [time for time in inside if time.to_bytes(8, "little") in data]
    assert all(time.to_bytes(8, "little") in data for time in (FIRST, FIRST + 3003, SECOND, LAST + 1001))


def test_generalize_tells_no_event_in_errors():
    frame = crowd("text")[["seq_id", "event", "time"]]
    with pytest.raises(pdseqpriv.SeqPrivError) as caught:
        frame.seqpriv.generalize({SECRET: "x"}, k=2)
    assert SECRET not in str(caught.value)
    with pytest.raises(pdseqpriv.InfeasibleError) as caught:
        frame.seqpriv.generalize(monitored=[f"{SECRET}-0", f"{SECRET}-3"], diversity=(10**12, 4))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "call", ["k_anonymize(table, 2)", "describe(table)", "verify.is_hidden(table, ['a'])"]
)
def test_an_error_keeps_nothing_of_the_one_that_it_replaced(call):
    """What pandera raises holds the rows, and would go with the error wherever that is sent."""
    table = pd.DataFrame({"seq_id": [1], "event": pd.Series([1.5], dtype=object), "time": [1]})
    with pytest.raises(pdseqpriv.SeqPrivError, match="'event'") as raised:
        eval(f"pdseqpriv.{call}", {"pdseqpriv": pdseqpriv, "table": table})  # noqa: S307 (ours)
    assert raised.value.__context__ is None


UNWRITABLE = "\ud800 of ann"  # half of a character, which no text in UTF-8 can hold


@pytest.mark.parametrize("column", ["seq_id", "time"])
def test_labels_that_are_no_text_are_not_quoted(column):
    frame = visits("text").astype({column: object})
    frame.index = pd.Index([UNWRITABLE, *range(5)], dtype=object)
    frame.loc[UNWRITABLE, column] = None
    with pytest.raises(pdseqpriv.SeqPrivError, match=rf"describe: column '{column}' must be free of nulls"):
        frame.seqpriv.describe()


def test_labels_that_are_no_text_stay_beside_what_is_hidden():
    frame = visits("text")
    frame.index = pd.Index([*range(4), UNWRITABLE, SECRET], dtype=object)
    released = frame.seqpriv.hide([[SECRET], ["shop"]])
    assert list(released.index) == list(frame.index)
    frame.index = pd.Index([UNWRITABLE, SECRET, *range(4)], dtype=object)
    assert list(frame.seqpriv.hide([["home"], [SECRET]]).index) == [UNWRITABLE, None, *range(4)]


def test_ids_of_keys_that_are_no_text_are_not_quoted():
    ids = pd.Series([UNWRITABLE, "bob"], dtype=object)
    key = pd.DataFrame({"seq_id": ids, "released_id": [0, 1], "group": [0, 0]})
    with pytest.raises(pdseqpriv.SeqPrivError, match="are_compatible: the keys hold ids or people that"):
        pdseqpriv.verify.are_compatible([key, key], 2)
