"""Columns that are kept beside the groups: at least k people share both."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import InfeasibleError, PrivacyWarning, SeqPrivError, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.schemas import GeneralizedTable
from pdseqpriv.sequences.columns import Columns
from tests.generalization.cases import frame_of, generalized, problems_of
from tests.generalization.test_people import HOW, METHODS, PRIVACY, crowd
from tests.kept_columns.naive import tells_truth
from tests.strategies import plain_rows, plain_table

PERSONAL = Columns(person="person")
AGES = {"30": "thirties", "31": "thirties", "40": "forties", "41": "forties"}
FORMS = [["age", "sex"], ["sex"], {"age": AGES, "sex": None}, {"sex": None, "age": None}, {"age": AGES}]
N = 12


@st.composite
def cases(draw):
    """Draw a table with people, of whom sex and age are known."""
    frame = plain_table(draw(plain_rows(max_rows=40, n_events=4, n_ids=N, marked=False)))
    assume(len(frame) > 5)
    owners = draw(st.just(list(range(N))) | st.lists(st.integers(0, N - 1), min_size=N, max_size=N))
    told = draw(
        st.lists(
            st.tuples(st.sampled_from([30, 31, 40, 41, None]), st.sampled_from(["f", "m", None])),
            min_size=N,
            max_size=N,
        )
    )
    person = [owners[one] for one in frame["seq_id"]]
    frame["age"] = pd.array([told[one][0] for one in person], "Int64")
    frame["sex"] = pd.Series([told[one][1] for one in person], dtype="str")
    return frame.assign(person=person)


def outcome(table, asked):
    """Return release and key, or nothing if it is infeasible."""
    try:
        return generalized(table, with_key=True, **asked)
    except InfeasibleError:
        return None


def plain(value):
    return None if pd.isna(value) else str(value)


def untrue(frame, released, key, keep):
    """Return the released sequences of which a column says what is not so, by brute force."""
    owner = dict(zip(key["released_id"], key["seq_id"], strict=True))
    own = frame.drop_duplicates("seq_id").set_index("seq_id")
    found = set()
    for row in released.drop_duplicates().to_dict("records"):
        mine = {name: plain(own.loc[owner[row["seq_id"]], name]) for name in keep}
        told = {name: plain(row[name]) for name in keep}
        if isinstance(keep, dict):
            fits = all(tells_truth(told[name], mine[name], keep[name] or {}) for name in keep)
        else:
            fits = told in (mine, dict.fromkeys(keep))
        found |= set() if fits else {row["seq_id"]}
    return found


def mixed(released, keep):
    """Return the groups in which a column says several things."""
    told = {}
    for row in released.to_dict("records"):
        told.setdefault(row["group"], set()).add(tuple(plain(row[name]) for name in keep))
    return {group for group, values in told.items() if len(values) > 1}


@given(
    cases(),
    PRIVACY,
    HOW,
    st.integers(0, 2),
    st.sampled_from(FORMS),
)
@settings(max_examples=60)
def test_a_whole_group_is_told_the_same(frame, privacy, how, n_monitored, keep):
    events = sorted(frame["event"].unique())
    monitored = events[:n_monitored] or None
    known = set(monitored or events)
    sensitive = set(events) - known
    assume("diversity" not in privacy or sensitive)
    asked = {**privacy, "monitored": monitored, **how}
    table = BoundTable(frame, PERSONAL)
    answer, without = outcome(table, {**asked, "keep": keep}), outcome(table, asked)
    assert (answer is None) == (without is None)
    if answer is None:
        return
    released, key = answer
    assert list(released.columns)[5:] == list(keep)
    wanted = {"k": privacy.get("k", 1), "diversity": privacy.get("diversity"), "sensitive": sensitive}
    who = dict(zip(frame["seq_id"], frame["person"], strict=True))
    told = {"monitored": known, "root": "ALL", "person_of": who, "intervals": how["intervals"]}
    assert not problems_of(frame, released, key, **told, **wanted)
    assert not untrue(frame, released, key, keep)
    assert not mixed(released, keep)
    event("told" if released[list(keep)].notna().any(axis=None) else "nothing told")
    if "diversity" not in privacy:  # nobody with a monitored event is dropped for what is kept of them
        dropped, dropped_without = (set(one["seq_id"][one["group"].isna()]) for one in (key, without[1]))
        assert dropped <= dropped_without
    asked_for = {**privacy, "monitored": monitored, "keep": keep, "intervals": how["intervals"]}
    assert verify.is_generalized(table, released, key, **asked_for)
    parted = outcome(BoundTable(frame, PERSONAL, Local(3)), {**asked, "keep": keep})
    pd.testing.assert_frame_equal(parted[0], released)
    pd.testing.assert_frame_equal(parted[1], key)


@given(cases(), st.sampled_from(FORMS), st.data())
def test_the_check_sees_what_is_untrue_or_mixed(frame, keep, data):
    answer = outcome(BoundTable(frame, PERSONAL), {"k": 2, "keep": keep})
    assume(answer is not None)
    released, key = answer
    name = data.draw(st.sampled_from(list(keep)))
    values = {"age": ["30", "41", "thirties", "forties", "ALL", "old", None], "sex": ["f", "m", "x", None]}[
        name
    ]
    if name == "age" and (isinstance(keep, list) or keep["age"] is None):
        values = [30, 41, 99, None]
    new = released[name].astype(object)
    rows = data.draw(st.sampled_from(["a group", "a row"]))
    if rows == "a group":
        new[released["group"] == 0] = data.draw(st.sampled_from(values))
    else:
        new.iloc[0] = data.draw(st.sampled_from(values))
    tampered = released.assign(**{name: new})
    verdict = verify.is_generalized(BoundTable(frame, PERSONAL), tampered, key, k=2, keep=keep)
    wrong = bool(untrue(frame, tampered, key, keep_with_root(keep)) or mixed(tampered, keep))
    event("bad" if wrong else "good")
    assert bool(verdict) == (not wrong)


def keep_with_root(keep):
    """Say what is above the categories, which a taxonomy adds by itself."""
    if isinstance(keep, list):
        return keep
    tops = {"thirties": "ALL", "forties": "ALL"}
    return {name: None if links is None else links | tops for name, links in keep.items()}


@given(cases(), st.sampled_from(FORMS), st.sampled_from(METHODS), st.integers(2, 3))
@settings(max_examples=40)
def test_releases_with_kept_columns_are_compatible(frame, keep, method, k):
    table = BoundTable(frame, PERSONAL)
    first = outcome(table, {"k": k, "seed": 1})
    assume(first is not None)
    second = outcome(table, {"k": k, "method": method, "previous": [first[1]], "keep": keep})
    alone = outcome(table, {"k": k, "method": method, "previous": [first[1]]})
    assert set(second[1].dropna()["seq_id"]) == set(alone[1].dropna()["seq_id"])
    assert verify.are_compatible([first[1], second[1]], k, person="person")
    assert verify.is_generalized(table, *second, k=k, keep=keep)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("k", "diversity"), [(3, None), (None, (3, 2)), (4, (5, 2))], ids=str)
def test_larger_crowds(method, k, diversity):
    df, monitored = crowd(400, 120, alike=False)
    df["age"], df["sex"] = (
        30 + df["person"] % 7 % 2 + df["person"] % 2 * 10,
        np.where(df["person"] % 3, "f", "m"),
    )
    keep = {"age": AGES, "sex": None}
    table, asked = BoundTable(df, PERSONAL), {"k": k, "diversity": diversity, "monitored": monitored}
    released, key = generalized(table, with_key=True, method=method, keep=keep, **asked)
    assert verify.is_generalized(table, released, key, keep=keep, **asked)
    assert not untrue(df, released, key, keep)
    assert released["sex"].notna().mean() > 0.9
    assert key["group"].notna().all()


SECRET = "rare-illness"  # noqa: S105 (a word, not a password)


@pytest.mark.usefixtures("uncompressed")
@pytest.mark.parametrize("kind", ["str", "object", "category", "string", "arrow"])
@pytest.mark.parametrize("taxonomy", [None, {SECRET: "ill", "cold": "ill", "none": "well"}])
def test_what_is_not_shown_leaves_no_trace(kind, taxonomy, tmp_path):
    df = frame_of({one: [("a", one)] for one in range(9)})
    values = pd.Series(["cold"] * 4 + [SECRET] + ["none"] * 4)
    df["state"] = values.astype(pd.ArrowDtype(pa.string()) if kind == "arrow" else kind)
    released, key = df.seqpriv.generalize(k=2, keep={"state": taxonomy}, with_key=True)
    # One alone would be found, so the smallest others are told as little.
    assert set(released["state"].dropna()) == ({"none"} if taxonomy is None else {"ill", "none"})
    pdseqpriv.write_parquet(released, tmp_path / "released.parquet")
    pdseqpriv.write_csv(released, tmp_path / "released.csv")
    for path in tmp_path.iterdir():
        assert SECRET.encode() not in path.read_bytes()
    assert SECRET.encode() not in pickle.dumps(released)
    for again in (
        pdseqpriv.read_parquet(tmp_path / "released.parquet"),
        pdseqpriv.read_csv(tmp_path / "released.csv"),
    ):
        assert verify.is_generalized(df, again, key, k=2, keep={"state": taxonomy})
        GeneralizedTable.using(keep=["state"]).validate(again)


GOOD = frame_of({one: [("a", one), ("b", one + 3)] for one in range(4)}).assign(
    person=list("xxxxyyzz"), sex=list("ffffmmmm"), age=[30, 30, 30, 30, 40, 40, 41, 41], income=1.5
)


@pytest.mark.parametrize(
    ("frame", "keep", "words"),
    [
        (GOOD.assign(sex=list("fffmmmmm")), ["sex"], "one value for each person, but 1 person has several"),
        (GOOD.assign(sex=["f", None, *"ffmmmm"]), ["sex"], "but 1 person has several"),
        (GOOD, "sex", "keep must be a list of columns beside the sequences, or a taxonomy for each, got str"),
        (GOOD, [], "keep must be at least one column beside the sequences, and each once, got none"),
        (GOOD, {}, "and each once, got none"),
        (GOOD, ["time"], "'time', which has a role of its own"),
        (GOOD, ["person"], "'person', which has a role of its own"),
        (GOOD, {"height": None}, "got 'height'. The other columns are: 'sex', 'age', 'income'"),
        (GOOD, ["income"], "'income' must be all text or all whole numbers"),
        (GOOD.rename(columns={"sex": "group"}), ["group"], "the release needs the column name 'group'"),
        (GOOD, {"age": {"30": "thirties"}}, "2 of the 3 values of column 'age' are not in its taxonomy. Add"),
        (
            GOOD,
            {"age": {"30": "40", "41": "40"}},
            "1 of the 3 values of column 'age' is also a category of its",
        ),
        (GOOD, {"age": 7}, "keep has no usable taxonomy for column 'age': source must be a mapping"),
    ],
)
def test_what_cannot_be_kept_is_refused(frame, keep, words):
    with pytest.raises(SeqPrivError, match=words) as caught:
        generalized(BoundTable(frame, PERSONAL), k=2, keep=keep)
    assert "\n" not in str(caught.value)


def test_the_check_wants_to_know_what_was_kept():
    table = BoundTable(GOOD, PERSONAL)
    with pytest.warns(PrivacyWarning, match="dropped 'age', 'income': other columns"):
        released, key = pdseqpriv.generalize(table, k=2, keep=["sex"], with_key=True)
    assert released["sex"].isna().all()  # one f, two m: nobody is told apart
    with pytest.raises(SeqPrivError, match=r"in the release: it also has a column 'sex'. Name it in keep"):
        verify.is_generalized(table, released, key, k=2)
    with pytest.raises(SeqPrivError, match="in the release: keep must be columns of both tables, got 'age'"):
        verify.is_generalized(table, released, key, k=2, keep=["sex", "age"])
    with pytest.raises(SeqPrivError, match="the taxonomy of column 'age' lacks 2 values"):
        verify.is_generalized(
            table, released.assign(age=None), key, k=2, keep={"sex": None, "age": {"30": "x"}}
        )
    assert len(pdseqpriv.compare(GOOD, released, key=key[["seq_id", "released_id"]])) > 3


def test_a_column_that_differs_in_a_group_is_not_written(tmp_path):
    released = generalized(BoundTable(GOOD, PERSONAL), k=2, keep=["sex"])
    released["sex"] = ["f", *["m"] * (len(released) - 1)]
    for write in (pdseqpriv.write_parquet, pdseqpriv.write_csv):
        with pytest.raises(
            SeqPrivError, match="'sex' must be the same in a whole group, but in 1 group it is not"
        ):
            write(released, tmp_path / "released")


def test_arrow_tables_keep_columns():
    frame, keep = pd.concat([GOOD, GOOD.assign(seq_id=GOOD["seq_id"] + 4)]), {"age": AGES, "sex": None}
    frame = frame.assign(person=frame["seq_id"]).drop(columns="income")
    expected = generalized(BoundTable(frame, PERSONAL), k=2, keep=keep)
    released = generalized(pdseqpriv.using(pa.Table.from_pandas(frame), person="person"), k=2, keep=keep)
    assert isinstance(released, pa.Table)
    assert {"30", "41", "m"} <= {*expected["age"], *expected["sex"]}
    assert [plain(one) for one in released["age"].to_pylist()] == [plain(one) for one in expected["age"]]
