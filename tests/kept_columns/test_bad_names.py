"""Names of columns to keep that cannot be meant: operations and checks say the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import SeqPrivError, verify

KEY_LIKE = ["seq_id", "event", "time"]
VISITS = pd.DataFrame({"seq_id": [1, 2], "event": "a", "time": 0, "age": "30"})


def calls(keep):
    generalized, key = pdseqpriv.generalize(VISITS, k=2, keep=["age"], with_key=True)
    released = pdseqpriv.k_anonymize(VISITS, 2, keep=["age"])
    return [
        lambda: pdseqpriv.k_anonymize(VISITS, 2, keep=keep),
        lambda: pdseqpriv.generalize(VISITS, k=2, keep=keep),
        lambda: verify.is_k_anonymous(VISITS, released, 2, keep=keep),
        lambda: verify.is_generalized(VISITS, generalized, key, k=2, keep=keep),
    ]


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        ("age", "got str. Put a single column into a list."),
        (3, "got int. Put a single column into a list."),
        ([], "and each once, got none"),
        ({}, "and each once, got none"),
        (["age", "age"], "and each once, got 2 names, some of them twice"),
        ([["age"]], "got a list with something that cannot be a name"),
        ([np.array(["age", "sex"])], "got a list with something that cannot be a name"),
    ],
)
def test_names_that_cannot_be_meant(keep, said):
    for call in calls(keep):
        with pytest.raises(SeqPrivError) as caught:
            call()
        assert str(caught.value).rstrip(".").endswith(said.rstrip("."))


@pytest.mark.parametrize("name", KEY_LIKE)
def test_names_that_have_a_role(name):
    for call in calls([name]):
        with pytest.raises(
            SeqPrivError, match=rf"keep must be .*, got '{name}', which has a role of its own\.$"
        ):
            call()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (7, "source must be a mapping of child to parent, nested dicts, or a DataFrame"),
        ({}, "source is empty. Give at least one event."),
        ({"30": "x", "x": "30"}, "2 names are on or below a cycle"),
        ({"30": None}, "1 of 1 parents is null."),
    ],
)
def test_a_bad_taxonomy_is_that_of_a_column(source, said):
    for call in calls({"age": source}):
        with pytest.raises(SeqPrivError) as caught:
            call()
        assert f"keep has no usable taxonomy for column 'age': {said}" in str(caught.value)
        assert "\n" not in str(caught.value)


SPARSE = "it is sparse. Convert it with .sparse.to_dense()."
LISTS = "it holds lists, dicts or the like. Make a name of each, for example with .map(str)."
FLOATS = "Convert it to whole numbers with .astype('Int64'), or make ranges of it: pd.cut(...).astype(str)."


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (pd.arrays.SparseArray([1, 0]), SPARSE),
        (pd.arrays.SparseArray([1.0, np.nan]), SPARSE),
        (pd.arrays.SparseArray(np.array(["secret", None], dtype=object)), SPARSE),
        ([["secret"], ["secret"]], LISTS),
        ([("secret", 1), ("secret", 1)], LISTS),
        ([{"secret": 1}, {"secret": 1}], LISTS),
        ([{"secret"}, None], LISTS),
        ([1.0, 1.0], f"its type is float64. {FLOATS}"),
        ([1.5, None], f"its type is float64. {FLOATS}"),
        (pd.array([1.5, None], "Float64"), f"its type is Float64. {FLOATS}"),
        ([True, True], "its type is bool. Convert it with .astype(str)."),
        (
            pd.Series([1, True], dtype=object),
            "it holds values of several types. Convert it with .astype(str).",
        ),
        (pd.Categorical([1.5, 1.5]), "its categories are neither all text nor all whole numbers. Convert it"),
        (pd.to_datetime(["2024-01-01"] * 2), "Convert it with .astype(str)."),
    ],
)
def test_columns_that_cannot_be_kept(values, said):
    bad = VISITS.assign(age=values)
    generalized, key = pdseqpriv.generalize(VISITS, k=2, keep=["age"], with_key=True)
    released = pdseqpriv.k_anonymize(VISITS, 2, keep=["age"])
    for call in [
        lambda: pdseqpriv.k_anonymize(bad, 2, keep=["age"]),
        lambda: pdseqpriv.generalize(bad, k=2, keep=["age"]),
        lambda: verify.is_k_anonymous(bad, released, 2, keep=["age"]),
        lambda: verify.is_k_anonymous(VISITS, bad, 2, keep=["age"]),
        lambda: verify.is_generalized(bad, generalized, key, k=2, keep=["age"]),
        lambda: verify.is_generalized(VISITS, generalized.assign(age=values), key, k=2, keep=["age"]),
    ]:
        with pytest.raises(
            SeqPrivError, match="column 'age' must be all text or all whole numbers"
        ) as caught:
            call()
        assert said in str(caught.value)
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("told", [True, 1.0])
def test_only_a_1_is_a_1(told):
    df = VISITS.assign(age=[1, 1])
    released = pdseqpriv.k_anonymize(df, 2, keep=["age"])
    assert verify.is_k_anonymous(df, released, 2, keep=["age"])
    with pytest.raises(SeqPrivError, match="in the release: column 'age' must be all text or all whole"):
        verify.is_k_anonymous(df, released.assign(age=told), 2, keep=["age"])
    assert not verify.is_k_anonymous(df, released.assign(age="1"), 2, keep=["age"])
