"""Types that pandas handles strangely must not break a guarantee."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pdseqpriv
from pdseqpriv import PrivacyWarning, verify
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.sequences.events import merge_vocabularies

pytestmark = pytest.mark.filterwarnings("ignore:.*other columns can identify people")

DICTIONARY = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
BIG = 2**60


def packed(values):
    return pd.Series(values, dtype=pd.ArrowDtype(pa.string())).astype(DICTIONARY)


def table(events, **more):
    return pd.DataFrame({"seq_id": [1] * len(events), "event": events, "time": range(len(events)), **more})


@pytest.mark.filterwarnings("ignore:hide. this can undo")
@pytest.mark.parametrize("output", ["mark", "drop", "replace"])
def test_hiding_in_arrow_dictionaries_with_nulls(output):
    frame = table(packed(["a", "b", None, "c", "d"]), ward=packed([None, "top-secret", "flu", None, "flu"]))
    once = frame.seqpriv.hide(["a -> b"], output=output)
    twice = once.seqpriv.hide(["c -> d"], output=output)
    assert verify.is_hidden(once, ["a -> b"])
    assert verify.is_hidden(twice, ["c -> d"] if output == "replace" else ["a -> b", "c -> d"])
    assert once["event"].dtype == frame["event"].dtype
    if output != "replace":
        hidden = frame.seqpriv.hide(["b"], output=output)
        assert "b" not in hidden["event"].dropna().tolist()
        assert "top-secret" not in hidden["ward"].dropna().tolist()


def test_events_with_leading_zeros_are_names():
    frame = pd.DataFrame({"seq_id": list("xxyy"), "event": ["007", "042", "7", "42"], "time": [1, 2, 1, 2]})
    for pattern in ("007 -> 042", pdseqpriv.Pattern.regex("007 042"), ["007", "042"]):
        assert not verify.is_hidden(frame, [pattern])
        released = frame.seqpriv.hide([pattern])
        assert released["event"].isna().tolist()[2:] == [False, False]
        assert released["event"].isna().sum() == 1
    assert str(pdseqpriv.Pattern("007 -> 7")) == "007 -> 7"


def test_checks_say_when_events_do_not_occur():
    frame = table(["a", "b"])
    with pytest.warns(PrivacyWarning, match="is_hidden: 1 of 1"):
        verdict = verify.is_hidden(frame, ["typo -> b"])
    assert "1 of 1 pattern names events that are not in the table" in str(verdict)
    assert "not in the table" not in str(verify.is_hidden(frame, ["b -> a"]))
    numbers = table([1, 2, 1])
    verdict = verify.is_sanitized(numbers, 0.1, events=["9"])
    assert "1 of 1 event does not occur in the table" in str(verdict)
    assert "not occur" not in str(verify.is_sanitized(numbers, 0.1, events=[1]))


@pytest.mark.parametrize("index", ["categories", "dictionary"])
def test_labels_of_dropped_rows_are_gone(index):
    labels = ["gone-label", "k2", "k3"]
    level = pd.Categorical(labels) if index == "categories" else pd.Index(packed(labels))
    frame = table(["a", "b", "b"])
    frame.index = pd.MultiIndex.from_arrays([level, [1, 2, 3]]) if index == "categories" else level
    assert b"gone-label" in pickle.dumps(frame)
    for released in (
        frame.seqpriv.hide(["a"], output="drop"),
        frame.seqpriv.sanitize(0.5, events=["a"]),
    ):
        assert len(released) < len(frame)
        assert b"gone-label" not in pickle.dumps(released)


def test_columns_of_lists_pass_through():
    lists = pd.Series([["x"], ["y"], None], dtype=pd.ArrowDtype(pa.list_(pa.string())))
    released = table(["a", "b", "c"], note=lists).seqpriv.hide(["a -> b"])
    assert released["note"].isna().sum() == 2


def test_values_inside_nested_columns_do_not_outlive_their_rows():
    inside = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array(["kept", "gone-value"]))
    nested = pd.arrays.ArrowExtensionArray(pa.StructArray.from_arrays([inside], ["x"]))
    frame = table(["b", "a", "b"], note=pd.Series(nested))
    assert b"gone-value" in pickle.dumps(frame)
    try:
        released = frame.seqpriv.hide(["a"], output="drop")
    except SeqPrivError as refused:
        assert "gone-value" not in str(refused)  # noqa: PT017 (either answer keeps the value in)
    else:
        assert len(released) == 2
        assert b"gone-value" not in pickle.dumps(released)


@pytest.mark.parametrize("text", ["{a{99999999}}", "{" + "(" * 3000 + "a" + ")" * 3000 + "}"])
def test_expressions_beyond_reason_are_refused_by_all(text):
    for function in (pdseqpriv.hide, verify.is_hidden):
        with pytest.raises(SeqPrivError, match="more than"):
            function(table(["a"]), [text])


def test_one_event_of_a_match_is_replaced():
    frame = table(["a", "b", "c", "c"])
    released = frame.seqpriv.hide(["a -> b"], output="replace", seed=1)
    assert (released["event"] != frame["event"]).sum() == 1
    assert set(released["event"]) <= {"a", "b", "c"}


def test_patterns_that_are_new_do_not_make_up_for_lost_ones():
    frame = pd.DataFrame(
        {"seq_id": [i // 3 for i in range(12)], "event": list("addabddcbadc"), "time": range(12)}
    )
    released = frame.seqpriv.hide(["a -> b"], output="replace", seed=1)
    values = pdseqpriv.compare(frame, released, min_support=2).set_index("measure")["value"]
    assert 0 <= values["M2"] <= 1


NUMBERS = ["int64", "uint64", "Int64", "UInt64", "int64[pyarrow]", "uint64[pyarrow]", "category"]


@pytest.mark.parametrize("first", NUMBERS)
@pytest.mark.parametrize("second", NUMBERS)
def test_large_numbers_of_different_types_stay_different(first, second):
    original = table(pd.Series([BIG, BIG])).assign(seq_id=[1, 2]).astype({"event": first})
    released = table(pd.Series([BIG + 1])).astype({"event": second})
    assert not verify.is_k_anonymous(original, released, 2)
    assert verify.is_k_anonymous(original, table(pd.Series([BIG])).astype({"event": second}), 2)
    with pytest.warns(PrivacyWarning, match="no event of the release is one of the original"):
        values = pdseqpriv.compare(original, released).set_index("measure")["value"]
    assert values["event_distance"] == 1


def test_vocabularies_of_different_types_merge_by_value():
    union, _, second = merge_vocabularies(pd.Index([BIG]), pd.Index([BIG + 1], dtype="UInt64"))
    assert list(union) == [BIG, BIG + 1]
    assert second.tolist() == [1]


@pytest.mark.filterwarnings("ignore:release_patterns. .* supports? (exceed|is more|are more)")
def test_alpha_is_as_written_in_every_type():
    patterns = pd.DataFrame({"pattern": [("a",), ("b",), ("a", "b")], "support": [7, 7, 5]})
    assert not verify.are_patterns_safe(patterns, alpha=Fraction(5, 7))
    released = pdseqpriv.release_patterns(patterns, alpha=Fraction(5, 7))
    assert verify.are_patterns_safe(released, alpha=Fraction(5, 7))
    tenth = patterns.assign(support=[100, 100, 10])
    assert not verify.are_patterns_safe(tenth, alpha=np.float32(0.1))
    pd.testing.assert_frame_equal(
        pdseqpriv.release_patterns(tenth, alpha=np.float32(0.1)), pdseqpriv.release_patterns(tenth, alpha=0.1)
    )


def test_a_pattern_stands_once_in_a_table():
    twice = pd.DataFrame({"pattern": [("a",), ("a",), ("b",)], "support": [10, 9, 20], "length": [1, 1, 1]})
    once = twice.drop(index=1)
    for call in (
        lambda: verify.are_patterns_safe(twice, k=5),
        lambda: pdseqpriv.inference_channels(twice, k=5),
        lambda: pdseqpriv.release_patterns(twice, k=5),
        lambda: pdseqpriv.compare(once, twice),
    ):
        with pytest.raises(SeqPrivError, match="1 row repeats an earlier one"):
            call()


HUGE = 10**30


@pytest.mark.parametrize(
    "call",
    [
        lambda df: df.seqpriv.k_anonymize(HUGE),
        lambda df: verify.is_k_anonymous(df, df, HUGE),
        lambda df: df.seqpriv.risk(HUGE),
        lambda df: df.seqpriv.risk(1, k=HUGE),
        lambda df: pdseqpriv.risk(None, 1, original=df),
        lambda df: df.seqpriv.hide(["a"], min_gap=3, max_gap=1),
        lambda df: df.seqpriv.hide(["a"], max_window=0),
        lambda df: df.seqpriv.mine(HUGE),
        lambda df: df.seqpriv.mine(1, max_length=HUGE),
        lambda df: df.seqpriv.mine(1, max_patterns=HUGE),
        lambda df: df.seqpriv.sanitize(10**400, events=["a"]),
        lambda df: df.seqpriv.sanitize(0.5, events=["a"], camouflage=HUGE),
        lambda df: pdseqpriv.compare(df, df.seqpriv.mine(1)),
    ],
)
def test_beyond_reason_is_one_clear_sentence(call):
    with pytest.raises(SeqPrivError) as caught:
        call(table(["a", "b"]))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("dtype", [object, pd.ArrowDtype(pa.decimal128(9, 2))])
def test_the_advice_for_decimal_times_works(dtype):
    times = pd.Series([Decimal("0.5"), Decimal("1.5")]).astype(dtype)
    frame = table(["a", "b"]).assign(time=times)
    with pytest.raises(
        SeqPrivError, match=r'floats or datetimes, but .* Convert it with .astype\("float64"\)'
    ):
        frame.seqpriv.describe()
    assert frame.assign(time=times.astype("float64")).seqpriv.describe()["events"] == 2
