"""Several releases of one table: whoever links them still finds enough people in every intersection."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from pdseqpriv import InfeasibleError, PrivacyWarning, SeqPrivError, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.sequences.columns import Columns
from tests.generalization.cases import frame_of, generalized, plain_sequences, problems_of
from tests.generalization.naive_check import diversity_problems, pooled
from tests.generalization.test_people import METHODS, crowd
from tests.strategies import plain_rows, plain_table

PERSONAL = Columns(person="person")


def outcome(table, asked):
    """Return release and key, or nothing if it is infeasible."""
    try:
        return generalized(table, with_key=True, **asked)
    except InfeasibleError:
        return None


def intersections(keys, person_of):
    """Return the people of every intersection of groups; None stands for those who were dropped."""
    classes = {}
    for key in keys:
        for one, group in zip(key["seq_id"].tolist(), key["group"].tolist(), strict=True):
            classes.setdefault(one, []).append(None if pd.isna(group) else group)
    found = {}
    for one, groups in classes.items():
        if set(groups) != {None}:
            found.setdefault(tuple(groups), set()).add(person_of[one])
    return found


@st.composite
def cases(draw):
    """Draw a table with people, and what is asked for in up to three releases."""
    frame = plain_table(draw(plain_rows(max_rows=40, n_events=4, n_ids=12, marked=False)))
    assume(len(frame) > 5)
    owners = draw(st.lists(st.integers(0, 8), min_size=12, max_size=12))
    people = frame["seq_id"] if draw(st.booleans()) else frame["seq_id"].map(dict(enumerate(owners)))
    frame = frame.assign(person=people)
    events = sorted(frame["event"].unique())
    how = st.fixed_dictionaries(
        {
            "method": st.sampled_from(METHODS),
            "seed": st.integers(0, 3),
            "monitored": st.none() | st.just(events[:1]) | st.just(events[-2:]),
            "intervals": st.sampled_from(["apart", "by_category"]),
        }
    )
    return frame, draw(st.lists(how, min_size=2, max_size=3)), draw(st.integers(2, 3))


@given(cases())
@settings(max_examples=50, deadline=None)
def test_every_release_that_knows_the_earlier_ones_is_compatible(case):
    frame, asked, k = case
    who = dict(zip(frame["seq_id"], frame["person"], strict=True))
    table, keys = BoundTable(frame, PERSONAL), []
    for how in asked:
        previous = {"previous": keys} if keys else {}
        answer = outcome(table, {"k": k, **how, **previous})
        if answer is None:
            event(f"infeasible after {len(keys)}")
            break
        released, key = answer
        known = set(frame["event"].unique() if how["monitored"] is None else how["monitored"])
        told = {"monitored": known, "root": "ALL", "person_of": who, "intervals": how["intervals"]}
        assert not problems_of(frame, released, key, k=k, **told)
        keys = [*keys, key]
        parted = outcome(BoundTable(frame, PERSONAL, Local(3)), {"k": k, **how, **previous})
        pd.testing.assert_frame_equal(parted[0], released)
    assume(len(keys) > 1)
    event(f"{len(keys)} releases")
    assert all(len(people) >= k for people in intersections(keys, who).values())
    assert verify.are_compatible(keys, k, person="person")


@given(cases(), st.lists(st.integers(0, 2), min_size=12, max_size=12))
@settings(max_examples=50, deadline=None)
def test_everyone_who_can_be_released_is_whatever_the_earlier_groups_were(case, groups):
    frame, asked, k = case
    frame = frame.drop(columns="person")
    ids = sorted(frame["seq_id"].unique().tolist())
    earlier = [None if groups[one] == 2 else groups[one] for one in ids]
    key = pd.DataFrame(
        {"seq_id": ids, "released_id": pd.array(earlier, "Int64"), "group": pd.array(earlier, "Int64")}
    )
    cells = {}
    for one, group in zip(ids, earlier, strict=True):
        cells.setdefault(group, set()).add(one)
    expected = set().union(*(cell for cell in cells.values() if len(cell) >= k))
    answer = outcome(frame, {"k": k, **asked[0], "monitored": None, "previous": [key]})
    if answer is None:
        assert not expected
        return
    new = answer[1].dropna()
    assert set(new["seq_id"]) == expected
    for _, members in new.groupby("group"):
        assert any(set(members["seq_id"]) <= cell for cell in cells.values())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("people", [True, False])
def test_diversity_holds_in_every_intersection(method, people):
    df, monitored = crowd(300, 90, alike=False)
    table = BoundTable(df, PERSONAL) if people else df.drop(columns="person")
    who = dict(zip(df["seq_id"], df["person"] if people else df["seq_id"], strict=True))
    first, asked = {"k": 40, "monitored": monitored}, {"diversity": (3, 3), "monitored": monitored[:5]}
    _, one = generalized(table, with_key=True, **first)
    _, two = generalized(table, with_key=True, method=method, previous=[one], **asked)
    rows = plain_sequences(df)
    shared = {}
    for key in (one, two):
        for name, group in zip(key["seq_id"], key["group"].astype(object), strict=True):
            shared[name] = (*shared.get(name, ()), None if pd.isna(group) else group)
    met = {}
    for name, groups in shared.items():
        if groups[-1] is not None:
            met.setdefault(groups, {})[name] = rows[name]
    sensitive = {f"s{i}" for i in range(8)} | set(monitored[5:])
    assert len(met) > 3
    for members in met.values():
        assert len({who[name] for name in members}) >= 3
        assert not diversity_problems(pooled(members, who), sensitive, 3, 3)


def test_a_few_who_have_to_be_dropped_take_their_group_along():
    # All seven were together. Two of them have no monitored event: alone they would be found as missing.
    df = frame_of({one: [("a" if one < 5 else "b", one)] for one in range(7)})
    key = pd.DataFrame({"seq_id": range(7), "released_id": range(7), "group": 0})
    with pytest.raises(InfeasibleError, match="nothing can be released in addition to the earlier releases"):
        generalized(df, k=3, monitored=["a"], previous=[key])
    both = frame_of({one: [("a" if one % 7 < 5 or one > 6 else "b", one)] for one in range(14)})
    key = pd.DataFrame({"seq_id": range(14), "released_id": range(14), "group": [0] * 7 + [1] * 7})
    with pytest.warns(PrivacyWarning, match="dropped 7 sequences: too few others were together"):
        _, new = both.seqpriv.generalize(k=3, monitored=["a"], previous=[key], with_key=True)
    assert new["released_id"].isna().tolist() == [True] * 7 + [False] * 7


def test_few_who_are_dropped_are_not_counted():
    df = frame_of({one: [("a", one)] for one in range(8)})
    key = pd.DataFrame({"seq_id": range(8), "released_id": range(8), "group": [0] * 6 + [1] * 2})
    with pytest.warns(PrivacyWarning, match="dropped some sequences: too few others") as told:
        df.seqpriv.generalize(k=3, previous=[key])
    assert not any("2 " in str(one.message) for one in told)


def test_groups_that_cannot_be_divided_stay_as_they_were():
    chance = np.random.default_rng(3)
    df = frame_of({one: [("a", int(t)) for t in chance.integers(0, 99, 3)] for one in range(60)})
    _, one = generalized(df, k=4, method="indexed", with_key=True)
    _, two = generalized(df, k=4, method="partition", seed=5, previous=[one], with_key=True)
    assert one["group"].value_counts().max() < 8
    assert verify.are_compatible([one, two], 4)
    pairs = pd.DataFrame({"one": one["group"], "two": two["group"]}).drop_duplicates()
    assert len(pairs) == one["group"].nunique() == two["group"].nunique()
    without = generalized(df, k=4, method="partition", seed=5, with_key=True)[1]
    assert not verify.are_compatible([one, without], 4)


TABLE = frame_of({one: [("a", one)] for one in range(6)})
KEY = pd.DataFrame({"seq_id": range(6), "released_id": range(6), "group": [0, 0, 0, 1, 1, 1]})


@pytest.mark.parametrize(
    ("previous", "words"),
    [
        (KEY, "previous must be a list of keys"),
        ([KEY, 3], r"in previous\[1\]"),
        ([KEY.drop(columns="group")], r"in previous\[0\].*'group'"),
        ([KEY.iloc[1:]], "the key of another table: it names 5 of the 6 sequences"),
        ([KEY.assign(seq_id=KEY["seq_id"] + 1)], "the key of another table"),
        ("key", "previous must be a list of keys"),
    ],
)
def test_bad_earlier_keys(previous, words):
    with pytest.raises(SeqPrivError, match=words):
        generalized(TABLE, k=2, previous=previous)


def test_keys_are_of_the_kind_that_the_tables_are():
    arrow = pa.Table.from_pandas(TABLE)
    released, key = generalized(arrow, k=3, with_key=True)
    again, new = generalized(arrow, k=3, previous=[key], with_key=True)
    assert isinstance(new, pa.Table)
    assert again.equals(released)
    assert verify.are_compatible([key, new], 3)
