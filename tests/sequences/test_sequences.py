"""Frames to arrays and back, for every allowed type."""

from __future__ import annotations

import uuid

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.dictionaries import without_dictionaries
from pdseqpriv.engines.engine import read
from pdseqpriv.errors import PrivacyWarning, SeqPrivError
from pdseqpriv.sequences import sequences as sequences_module
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import decode
from pdseqpriv.sequences.kernels import ordering
from pdseqpriv.sequences.ragged import offsets_of
from pdseqpriv.sequences.sequences import sequences_of
from pdseqpriv.sequences.times import decode_times
from tests.sequences import naive
from tests.strategies import EVENTS, plain_rows, plain_table, tables


def as_lists(sequences):
    """Read the arrays the slow way: {id: [[event, ...], ...]}."""
    result = {}
    for i, owner in enumerate(sequences.ids):
        elements: dict[int, list] = {}
        for row in range(sequences.offsets[i], sequences.offsets[i + 1]):
            code = sequences.codes[row]
            event = None if code < 0 else EVENTS.index(sequences.vocabulary[code])
            elements.setdefault(int(sequences.elements[row]), []).append(event)
        assert list(elements) == list(range(len(elements)))
        result[int(owner)] = list(elements.values())
    return result


def by_name(elements):
    """Sort events inside elements by name, as the vocabulary is sorted."""
    return [sorted(e, key=lambda i: "" if i is None else EVENTS[i]) for e in elements]


@given(plain_rows(max_rows=60, n_ids=3), st.sampled_from(["element", "order"]))
def test_arrays_are_the_sequences_of_the_definition(rows, ties):
    sequences = sequences_of(plain_table(rows), Columns(ties=ties))
    expected = naive.sequences(rows, ties=ties)
    if ties == "element":
        expected = {owner: by_name(elements) for owner, elements in expected.items()}
    assert as_lists(sequences) == expected


@given(tables(), st.randoms(use_true_random=False))
def test_any_row_order_gives_the_same_arrays(frame, random):
    order = list(range(len(frame)))
    random.shuffle(order)
    first = sequences_of(frame, Columns())
    second = sequences_of(frame.iloc[order], Columns())
    for name in ("codes", "offsets", "times", "elements"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.ids.equals(second.ids)
    assert first.vocabulary.equals(second.vocabulary)


@given(tables())
def test_rows_lead_back_to_the_frame(frame):
    sequences = sequences_of(frame, Columns())
    assert sorted(sequences.rows.tolist()) == list(range(len(frame)))
    owners = np.repeat(np.arange(sequences.n_sequences), sequences.lengths)
    ordered = frame.iloc[sequences.rows]
    assert ordered["seq_id"].tolist() == sequences.ids.take(owners).tolist()
    marked = sequences.codes < 0
    assert ordered["event"].isna().tolist() == marked.tolist()
    events = ordered["event"][~marked].tolist()
    assert events == sequences.vocabulary.take(sequences.codes[~marked]).tolist()


def frame_of(sequences):
    """Write the three columns back, in canonical order, in the dtypes they came in."""
    columns = [
        decode(sequences.owners.astype(np.int32), sequences.ids, sequences.dtypes.seq_id),
        decode(sequences.codes, sequences.vocabulary, sequences.dtypes.event),
        decode_times(sequences.times, sequences.dtypes.time),
    ]
    return pd.DataFrame(dict(zip(sequences.columns.names, columns, strict=True)))


@given(tables())
def test_back_to_the_frame_keeps_values_and_types(frame):
    before = frame.copy(deep=True)
    sequences = sequences_of(frame, Columns())
    again = frame_of(sequences)
    expected = frame[["seq_id", "event", "time"]].iloc[sequences.rows].reset_index(drop=True)
    for name in ("seq_id", "event"):
        if isinstance(expected[name].dtype, pd.CategoricalDtype):
            expected[name] = expected[name].cat.remove_unused_categories()
    expected.attrs = {}
    pd.testing.assert_frame_equal(again, expected)
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == before.attrs


@given(tables(marked=False))
def test_vocabulary_and_ids_are_sorted_and_in_use(frame):
    sequences = sequences_of(frame, Columns())
    for values in (sequences.vocabulary, sequences.ids):
        assert values.is_monotonic_increasing
        assert values.is_unique
    assert set(sequences.vocabulary) == set(frame["event"])
    assert set(sequences.ids) == set(frame["seq_id"])


def test_long_sequences_with_many_ties_are_sorted():
    rng = np.random.default_rng(5)
    rows = [(int(o), int(e), int(t)) for o, e, t in rng.integers(0, [3, 4, 40], (900, 3))]
    sequences = sequences_of(plain_table(rows), Columns())
    assert as_lists(sequences) == {o: by_name(e) for o, e in naive.sequences(rows).items()}


def test_sorted_and_shuffled_tables_take_different_ways_to_the_same_end():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"seq_id": rng.integers(0, 50, 500), "event": rng.choice(list("abc"), 500), "time": rng.random(500)}
    )
    in_order = frame.sort_values(["seq_id", "time"])
    by_runs = sequences_of(in_order, Columns())
    by_hash = sequences_of(frame, Columns())
    assert by_runs.rows.tolist() == list(range(500))
    np.testing.assert_array_equal(by_runs.codes, by_hash.codes)
    np.testing.assert_array_equal(by_runs.times, by_hash.times)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_compact_numbers_at_the_ends_of_their_type(dtype):
    limits = np.iinfo(dtype)
    values = np.array([limits.max, limits.min, limits.max - 1, limits.min + 1] * 40, dtype=dtype)
    frame = pd.DataFrame({"seq_id": values, "event": values, "time": range(len(values))})
    sequences = sequences_of(frame, Columns())
    assert sequences.ids.tolist() == sorted(set(values.tolist()))
    assert frame_of(sequences)["event"].tolist() == sorted(values.tolist())


def test_numbers_beyond_64_bits_are_ids_too():
    ids = pd.Series([2**70, 3, 2**70], dtype=object)
    sequences = sequences_of(
        pd.DataFrame({"seq_id": ids, "event": list("aba"), "time": [1, 2, 3]}), Columns()
    )
    assert list(sequences.ids) == [3, 2**70]
    assert sequences.offsets.tolist() == [0, 1, 3]


def test_arrow_dictionaries_are_categories():
    events = pd.Series(["b", "a", None], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))
    frame = pd.DataFrame({"seq_id": [1, 1, 1], "event": events, "time": [1, 2, 3]})
    plain, dictionaries = without_dictionaries(frame)
    sequences = read(plain)
    assert sequences.codes.tolist() == [1, 0, -1]
    assert frame_of(sequences)["event"].tolist()[:2] == ["b", "a"]
    assert dictionaries.give_back(plain).dtypes.equals(frame.dtypes)


@pytest.mark.parametrize("size", [3, 200_000])
def test_nulls_inside_an_arrow_dictionary_are_nulls(size):
    places = pa.array([0, 1, 1] * (size // 3), pa.int8())
    hidden = pa.DictionaryArray.from_arrays(places, pa.array([None, "top-secret"]))
    column = pd.Series(pd.arrays.ArrowExtensionArray(hidden))
    frame = pd.DataFrame({"seq_id": column, "event": "a", "time": range(len(column))})
    with pytest.raises(SeqPrivError, match=r"rows? (has|have) no sequence"):
        frame.seqpriv.describe()
    marked = pd.DataFrame({"seq_id": 1, "event": column, "time": range(len(column))})
    assert marked.seqpriv.describe()["marked"] == size // 3


@pytest.mark.parametrize("dtype", [object, "str", "string", "string[python]", "category"])
def test_text_is_compared_whole(dtype):
    odd = pd.Series(["a\0b", "x", "x\0", "x\0\0", "X", "x ", "\uff58"]).astype(dtype)
    frame = pd.DataFrame({"seq_id": odd, "event": odd, "time": 1})
    facts = frame.seqpriv.describe()
    assert facts["sequences"] == facts["distinct_events"] == 7
    with pytest.warns(PrivacyWarning, match="no 2 share anything that could be kept"):
        assert frame.seqpriv.k_anonymize(2).empty


def test_an_error_of_a_kernel_does_not_blame_the_table(monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("of the kernel")

    frame = pd.DataFrame({"seq_id": [2, 1, 2], "event": list("aba"), "time": [1, 2, 3]})
    monkeypatch.setattr(ordering, "lay_out_some", fail)
    with pytest.raises(ZeroDivisionError, match="of the kernel"):
        frame.seqpriv.describe()


@given(tables(), st.sampled_from([1, 2, 3, 7]))
def test_cores_that_share_rows_sort_them_as_one_does(rows, threads):
    frame = rows.sample(frac=1, random_state=1)
    alone = sequences_of(frame, Columns())
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(pdseqpriv.options, "threads", threads)
        changed.setattr(sequences_module, "_ROWS_OF_A_STRETCH", 1)
        shared = sequences_of(frame, Columns())
    for name in ("codes", "offsets", "times", "rows"):
        np.testing.assert_array_equal(getattr(shared, name), getattr(alone, name))


@pytest.mark.parametrize("lengths", [[], [0, 0], [5], [1, 0, 900, 1], [0, 3, 0, 0, 4, 2, 2, 0]])
@pytest.mark.parametrize("threads", [1, 2, 3, 50])
def test_stretches_hold_every_sequence_once(monkeypatch, lengths, threads):
    monkeypatch.setattr(pdseqpriv.options, "threads", threads)
    monkeypatch.setattr(sequences_module, "_ROWS_OF_A_STRETCH", 1)
    found = sequences_module._stretches(offsets_of(lengths))
    assert [i for some in found for i in range(len(lengths))[some]] == list(range(len(lengths)))


@pytest.mark.parametrize("dtype", ["int8", "Int8", "int64", "float64"])
def test_spans_do_not_overflow_small_types(dtype):
    frame = pd.DataFrame({"seq_id": [1, 1], "event": ["a", "b"], "time": pd.Series([-100, 100], dtype=dtype)})
    assert frame.seqpriv.describe()["time_span"] == 200


@pytest.mark.parametrize("events", [pd.Categorical([None, None]), [np.nan, np.nan], [None, None]])
def test_events_may_all_be_marked(events):
    frame = pd.DataFrame({"seq_id": [1, 2], "event": events, "time": [1, 2]})
    assert frame.seqpriv.describe()["marked"] == 2


@pytest.mark.parametrize(
    "dtype",
    ["period[D]", "Sparse[int]", pd.ArrowDtype(pa.list_(pa.int8())), pd.ArrowDtype(pa.date32()), "bool"],
)
def test_empty_frames_of_any_type_are_empty_tables(dtype):
    frame = pd.DataFrame({name: pd.Series([], dtype=dtype) for name in ("seq_id", "event", "time")})
    assert frame.seqpriv.describe()["rows"] == 0


def frame_with(**columns):
    base = {"seq_id": ["top-secret", "x"], "event": ["top-secret", "b"], "time": [1, 2]}
    return pd.DataFrame({**base, **columns})


SURROGATES = pd.Series(["top-secret\ud800", "b"], dtype=object)
CATEGORIES_OF_SURROGATES = pd.Categorical(pd.Index(SURROGATES))
TEXT_OF_SURROGATES = SURROGATES.astype(pd.StringDtype("python"))
BAD = {
    "missing": (pd.DataFrame({"user": [1], "event": ["a"], "time": [1]}), ["'user'", "using(seq_id="]),
    "misnamed": (pd.DataFrame({"seq_id": [1], "evnt": ["a"], "time": [1]}), ["Did you mean 'evnt'?"]),
    "two of a name": (
        pd.DataFrame([[1, "a", 1, 2]], columns=["seq_id", "event", "time", "time"]),
        ["2 columns are named 'time'"],
    ),
    "null ids": (frame_with(seq_id=["top-secret", None]), ["'seq_id'", "1 row has no sequence"]),
    "null times": (frame_with(time=pd.array([1, None], dtype="Int64")), ["'time'", "1 row has no time"]),
    "NaN": (frame_with(time=[1.0, np.nan]), ["1 row has no time"]),
    "NaT": (frame_with(time=pd.to_datetime(["2020-01-01", None])), ["1 row has no time"]),
    "infinite": (frame_with(time=[1.0, -np.inf]), ["1 value is infinite"]),
    "text times": (frame_with(time=["top-secret", "2"]), ["pd.to_datetime"]),
    "mixed events": (frame_with(event=pd.Series(["top-secret", 3], dtype=object)), ["several types"]),
    "mixed ids": (frame_with(seq_id=pd.Series(["top-secret", 3.5], dtype=object)), ["several types"]),
    "mixed times": (frame_with(time=pd.Series([1, "top-secret"], dtype=object)), ["several types"]),
    "ids of another type": (
        frame_with(seq_id=[uuid.UUID(int=1), uuid.UUID(int=2)]),
        ["its values are of type UUID", ".astype(str)"],
    ),
    "mixed categories": (frame_with(event=pd.Categorical([1, "top-secret"])), ["categories"]),
    "float ids": (frame_with(seq_id=[1.5, 2.5]), ["float64", "Int64"]),
    "float events": (frame_with(event=[1.5, 2.5]), ["float64"]),
    "bool events": (frame_with(event=[True, False]), ["bool"]),
    "times beyond 64 bits": (frame_with(time=np.array([2**64 - 1, 1], dtype="uint64")), ["64 bits"]),
    "huge python times": (frame_with(time=pd.Series([2**80, 1], dtype=object)), ["64 bits"]),
    "span beyond 64 bits": (frame_with(time=[-(2**62) - 2**61, 2**62 + 2**61]), ["too far apart"]),
    "timedelta": (frame_with(time=pd.to_timedelta([1, 2], unit="s")), ["timedelta64"]),
    "sparse": (frame_with(time=pd.arrays.SparseArray([98765.4, np.nan], fill_value=98765.4)), ["'time'"]),
    "far future": (
        frame_with(
            time=pd.array([2**62, 1], dtype="int64")
            .astype(pd.ArrowDtype(pa.int64()))
            .astype(pd.ArrowDtype(pa.timestamp("us")))
        ),
        ["'time'"],
    ),
    "surrogates": (frame_with(event=SURROGATES), ["describe"]),
    "surrogates in ids": (frame_with(seq_id=SURROGATES), ["describe"]),
    "surrogates in text": (frame_with(event=TEXT_OF_SURROGATES), ["UTF-8"]),
    "surrogates in text of ids": (frame_with(seq_id=TEXT_OF_SURROGATES), ["UTF-8"]),
    "surrogates in categories of text": (frame_with(event=TEXT_OF_SURROGATES.astype("category")), ["UTF-8"]),
    "surrogates in categories": (frame_with(event=CATEGORIES_OF_SURROGATES), ["UTF-8"]),
    "surrogates in categories of ids": (frame_with(seq_id=CATEGORIES_OF_SURROGATES), ["UTF-8"]),
    "too wide floats": (frame_with(time=[-1.7e308, 1.7e308]), ["too far apart"]),
    "longdouble": (frame_with(time=np.array([1, 2], dtype="longdouble")), ["float128"]),
    "periods": (frame_with(time=pd.period_range("2020-01-01", periods=2, freq="D")), [".dt.to_timestamp()"]),
    "bool times": (frame_with(time=[True, False]), ["bool"]),
}


@pytest.mark.parametrize(("frame", "said"), BAD.values(), ids=BAD.keys())
def test_bad_tables_are_refused_in_one_clear_sentence(frame, said):
    with pytest.raises(SeqPrivError) as caught:
        frame.seqpriv.describe()
    message = str(caught.value)
    for words in said:
        assert words in message
    assert "top-secret" not in message
    assert "98765" not in message
    assert "\n" not in message
    assert message.startswith("describe: ")
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "names",
    [SURROGATES, CATEGORIES_OF_SURROGATES, TEXT_OF_SURROGATES],
    ids=["objects", "categories", "text"],
)
@pytest.mark.parametrize(
    ("column", "call"),
    [
        ("event", lambda _good, bad: pdseqpriv.risk(bad, known=1)),
        ("seq_id", lambda good, bad: pdseqpriv.report(good, bad, "page.html")),
        ("seq_id", lambda _good, bad: pdseqpriv.plot.sequences(bad)),
        ("person", lambda _good, bad: pdseqpriv.hide(bad, ["a"], person="person")),
        ("age", lambda _good, bad: pdseqpriv.k_anonymize(bad, 2, keep=["age"])),
    ],
)
def test_errors_hold_no_text_that_cannot_be_written(column, call, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good = pd.DataFrame({"seq_id": ["a", "b"], "event": ["a", "b"], "time": [1, 2]})
    with pytest.raises(SeqPrivError) as caught:
        call(good, good.assign(**{column: names}))
    assert "top-secret" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("by_code", [False, True])
@pytest.mark.parametrize("length", [2, 24, 25, 48, 49, 97, 500])
@pytest.mark.parametrize("largest", [1, 30, 10**6])
@pytest.mark.parametrize("disorder", ["any", "little", "reversed"])
def test_long_sequences_are_sorted_like_any(length, largest, disorder, by_code):
    random = np.random.default_rng(length)
    lengths = np.array([length, 3, length + 1])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    times = random.integers(0, largest, offsets[-1])
    if disorder == "little":
        times = np.sort(times)
        times[::17] = 0
    elif disorder == "reversed":
        times = np.sort(times)[::-1].copy()
    codes = random.integers(0, 4, offsets[-1]).astype(np.int32)
    rows = random.permutation(offsets[-1])
    given_rows, given_times, given_codes = rows.copy(), times.copy(), codes.copy()
    owners = np.repeat(np.arange(3), lengths)
    keys = (codes, times, owners) if by_code else (times, owners)
    expected = np.lexsort(keys)
    ordering.sort_inside(rows, offsets, times, codes, by_code)
    np.testing.assert_array_equal(rows, given_rows[expected])
    np.testing.assert_array_equal(times, given_times[expected])
    np.testing.assert_array_equal(codes, given_codes[expected])
