"""People with several sequences: groups have enough different people, and certainty is counted per person."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from pdseqpriv import InfeasibleError, SeqPrivError
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.generalization.verify import is_generalized
from pdseqpriv.sequences.columns import Columns
from tests.generalization.cases import frame_of, generalized, plain_sequences, problems_of
from tests.generalization.naive_check import diversity_problems, pooled
from tests.strategies import tables, with_people

METHODS = ["baseline", "indexed", "hybrid", "hilbert", "partition", "auto"]
HOW = st.fixed_dictionaries(
    {"method": st.sampled_from(METHODS), "intervals": st.sampled_from(["apart", "by_category"])}
)
PERSONAL = Columns(person="person")


def with_persons(frame, partitions=1):
    return BoundTable(frame, PERSONAL, Local(partitions))


def people_in(frame):
    """Return whose each sequence is."""
    return dict(zip(frame["seq_id"].tolist(), frame["person"].tolist(), strict=True))


def outcome(table, asked):
    """Return release and key, or the text of the refusal."""
    try:
        return generalized(table, with_key=True, **asked)
    except InfeasibleError as error:
        return str(error)


PRIVACY = st.sampled_from(
    [
        {"k": 2},
        {"k": 3},
        {"diversity": (2, Fraction(3, 2))},
        {"diversity": (0, 2)},
        {"k": 2, "diversity": (3, 2)},
        {"k": 3, "diversity": (1, Fraction(5, 4))},
    ]
)
plain_times = st.sampled_from([2, 3, 4, 5]).flatmap(
    lambda n_people: with_people(tables(n_ids=7, max_rows=30, min_rows=6), n_people=n_people)
)


@given(
    plain_times,
    PRIVACY,
    HOW,
    st.integers(0, 2),
    st.integers(0, 3),
)
@settings(max_examples=60, deadline=None)
def test_groups_have_enough_people(frame, privacy, how, n_monitored, seed):
    frame["time"] = np.arange(len(frame)) % 9  # the types of times are tried elsewhere
    events = frame["event"].dropna().unique().tolist()
    monitored = events[:n_monitored] or None
    known = {str(one) for one in monitored or events}
    sensitive = {str(one) for one in events} - known
    assume(events and ("diversity" not in privacy or sensitive))
    asked = {**privacy, "monitored": monitored, "seed": seed, **how}
    wanted = {"k": privacy.get("k", 1), "diversity": privacy.get("diversity"), "sensitive": sensitive}
    answer = outcome(with_persons(frame), asked)
    for partitions in (3, 7):
        assert_same(outcome(with_persons(frame, partitions), asked), answer)
    if isinstance(answer, str):
        event("infeasible")
        assert not may_be_a_group(frame, lambda rows: any(e in known for e, _ in rows), **wanted)
        return
    released, key = answer
    event(f"{released['group'].nunique()} groups")
    who = people_in(frame)
    told = {"monitored": known, "root": "ALL", "person_of": who, "intervals": how["intervals"]}
    assert not problems_of(frame, released, key, **told, **wanted)
    asked = {**privacy, "monitored": monitored, "intervals": how["intervals"]}
    assert is_generalized(with_persons(frame), released, key, **asked)
    assert "person" not in released.columns
    assert [who[one] for one in key["seq_id"].tolist()] == key["person"].tolist()
    kept = set(key.dropna()["seq_id"].tolist())
    sequences = {one: rows for one, rows in plain_sequences(frame).items() if rows}
    others = {one for one, rows in sequences.items() if not any(e in known for e, _ in rows)}
    assert kept - others == sequences.keys() - others
    fits = may_be_a_group(frame, lambda rows: not any(e in known for e, _ in rows), **wanted)
    assert kept & others == (others if fits else set())


def may_be_a_group(frame, belongs, *, k, diversity, sensitive):
    """Return whether all sequences of a kind satisfy what is asked for if they are one group."""
    chosen = {one: rows for one, rows in plain_sequences(frame).items() if rows and belongs(rows)}
    people = pooled(chosen, people_in(frame))
    return len(people) >= k and (diversity is None or not diversity_problems(people, sensitive, *diversity))


def assert_same(one, other):
    assert type(one) is type(other)
    if isinstance(one, str):
        assert one == other
        return
    for mine, yours in zip(one, other, strict=True):
        pd.testing.assert_frame_equal(mine, yours)
        assert mine.attrs == yours.attrs


@given(tables(n_ids=7, max_rows=30, min_rows=6), PRIVACY, st.sampled_from(METHODS), st.integers(0, 2))
@settings(deadline=None)
def test_with_one_sequence_each_the_answer_is_that_without_people(frame, privacy, method, n_monitored):
    frame["time"] = np.arange(len(frame)) % 9
    events = frame["event"].dropna().unique().tolist()
    monitored = events[:n_monitored] or None
    assume(events and ("diversity" not in privacy or (monitored and len(events) > len(monitored))))
    asked = {**privacy, "monitored": monitored, "method": method}
    numbers = pd.factorize(frame["seq_id"].astype(object))[0]
    without = outcome(frame, asked)
    answer = outcome(with_persons(frame.assign(person=[f"p{-n % 97}" for n in numbers])), asked)
    if isinstance(without, str):
        assert isinstance(answer, str)
        return
    pd.testing.assert_frame_equal(answer[0], without[0])
    pd.testing.assert_frame_equal(answer[1].drop(columns="person"), without[1])


def crowd(n_sequences, n_people, *, alike, seed=7):
    """Draw visits; where people are alike, the sequences of one person are near to each other."""
    chance = np.random.default_rng(seed)
    person = chance.integers(0, n_people, n_sequences)
    lengths = chance.integers(2, 8, n_sequences)
    begins = person * 9 if alike else chance.integers(0, 9 * n_people, n_sequences)
    n = int(lengths.sum())
    events = [*(f"m{i}" for i in range(9)), *(f"s{i}" for i in range(8))]
    return pd.DataFrame(
        {
            "seq_id": np.repeat(np.arange(n_sequences), lengths),
            "event": chance.choice(events, n),
            "time": np.repeat(begins, lengths) + chance.integers(0, 12, n),
            "person": np.repeat(person, lengths),
        }
    ), events[:9]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("k", "diversity"), [(3, None), (20, None), (None, (3, 2)), (4, (5, 2))], ids=str)
@pytest.mark.parametrize("alike", [True, False])
def test_larger_crowds(method, k, diversity, alike):
    df, monitored = crowd(400, 90, alike=alike)
    asked = {"k": k, "diversity": diversity, "monitored": monitored, "method": method}
    released, key = generalized(with_persons(df), with_key=True, **asked)
    wanted = {"k": k or 1, "diversity": diversity, "sensitive": {f"s{i}" for i in range(8)}}
    who = people_in(df)
    assert not problems_of(df, released, key, monitored=set(monitored), root="ALL", person_of=who, **wanted)
    assert released["group"].max() > 0


@pytest.mark.parametrize("method", METHODS)
def test_one_person_with_hundreds_of_sequences_is_nobodys_company(method):
    df, monitored = crowd(60, 30, alike=False)
    busy, _ = crowd(300, 2, alike=True, seed=8)
    df = pd.concat([df, busy.assign(seq_id=busy["seq_id"] + 1000, person=99)], ignore_index=True)
    released, key = generalized(with_persons(df), k=5, monitored=monitored, method=method, with_key=True)
    who = people_in(df)
    asked = {"monitored": set(monitored), "root": "ALL", "k": 5}
    assert not problems_of(df, released, key, person_of=who, **asked)
    assert released["group"].max() > 0


@pytest.mark.parametrize("alike", [True, False])
def test_the_index_finds_the_groups_of_the_baseline(alike):
    df, monitored = crowd(150, 40, alike=alike)
    asked = {"k": 4, "monitored": monitored, "time_weight": 1, "event_weight": 0}
    one, other = (generalized(with_persons(df), method=method, **asked) for method in ("baseline", "indexed"))
    pd.testing.assert_frame_equal(one, other)


VISITS = frame_of(
    {
        1: [("a", 1), ("s", 5)],
        2: [("a", 2), ("s", 5)],
        3: [("a", 3), ("t", 5)],
        4: [("a", 4), ("t", 9)],
        5: [("t", 1)],
        6: [("t", 7)],
    }
).assign(person=["ann", "ann", "ann", "ann", "bo", "bo", "cy", "cy", "ann", "ann"])


def test_k_sequences_of_one_person_are_not_a_group():
    without, _ = generalized(VISITS, k=2, monitored=["a"], method="baseline", with_key=True)
    assert without["group"].nunique() == 3
    released, key = generalized(with_persons(VISITS), k=2, monitored=["a"], method="baseline", with_key=True)
    who = people_in(VISITS)
    assert not problems_of(VISITS, released, key, monitored={"a"}, root="ALL", k=2, person_of=who)
    assert key["released_id"].isna().tolist() == [False] * 4 + [True] * 2
    assert list(key.columns)[:3] == ["seq_id", "person", "released_id"]
    assert released.attrs["pdseqpriv"]["applied"][0]["parameters"]["people"] is True


def test_certainty_is_counted_per_person():
    # Three of four sequences have s, but they are one of two people.
    rows = {1: [("a", 1), ("s", 5)], 2: [("a", 1), ("s", 5)], 3: [("a", 1), ("s", 5)], 4: [("a", 1)]}
    df = frame_of(rows).assign(person=[7] * 6 + [8])
    asked = {"diversity": (0, 2), "monitored": ["a"]}
    with pytest.raises(InfeasibleError, match="3 of all 4 sequences"):
        generalized(df, **asked)
    assert generalized(with_persons(df), **asked)["group"].max() == 0
    # Two of four sequences have s, and they are two of three people.
    rows = {1: [("a", 1), ("s", 5)], 2: [("a", 1), ("s", 5)], 3: [("a", 1), ("t", 5)], 4: [("a", 1)]}
    df = frame_of(rows).assign(person=[7, 7, 8, 8, 9, 9, 9])
    assert generalized(df, **asked)["seq_id"].nunique() == 4
    with pytest.raises(
        InfeasibleError, match=r"not even all people together .* 2 of all 3 people share .* at most 1 may"
    ):
        generalized(with_persons(df), **asked)


def test_too_few_people_are_told_in_people():
    with pytest.raises(InfeasibleError, match="at least 4 people, but only 3 people have a monitored event"):
        generalized(with_persons(VISITS), k=4, monitored=["a"])
    with pytest.raises(InfeasibleError, match="at least 2 people, but only 1 person has a monitored event"):
        generalized(with_persons(VISITS.assign(person=1)), k=2, monitored=["a"])
    with pytest.raises(InfeasibleError, match=r"too few of them \(1\)"):
        generalized(with_persons(VISITS[VISITS["person"] == "ann"]), k=2, monitored=[])


@pytest.mark.parametrize("name", ["released_id", "group"])
def test_the_key_needs_its_names(name):
    table = BoundTable(VISITS.rename(columns={"person": name}), Columns(person=name))
    generalized(table, k=2, monitored=["a"])
    with pytest.raises(SeqPrivError, match=f"needs the column name '{name}'"):
        generalized(table, k=2, monitored=["a"], with_key=True)


def test_the_brute_force_counts_people():
    df = frame_of({1: [("a", 1)], 2: [("a", 1)], 3: [("a", 1)]}).assign(person=["x", "x", "y"])
    released, key = df.drop(columns="person").seqpriv.generalize(k=3, with_key=True)
    asked = {"monitored": {"a"}, "root": "ALL", "k": 3}
    assert not problems_of(df, released, key, **asked)
    assert problems_of(df, released, key, person_of=people_in(df), **asked) == ["a group is too small"]


@given(plain_times, PRIVACY, st.sampled_from(["indexed", "partition"]), st.integers(1, 2))
@settings(max_examples=60, deadline=None)
def test_the_check_counts_people_as_the_brute_force_does(frame, privacy, method, n_monitored):
    frame["time"] = np.arange(len(frame)) % 9
    events = frame["event"].dropna().unique().tolist()
    monitored = events[:n_monitored]
    assume(len(events) > n_monitored)
    # Made without people: it has enough sequences in its groups, and perhaps too few people.
    answer = outcome(frame.drop(columns="person"), {**privacy, "monitored": monitored, "method": method})
    assume(not isinstance(answer, str))
    released, key = answer
    known = {str(one) for one in monitored}
    wanted = {
        "k": privacy.get("k", 1),
        "diversity": privacy.get("diversity"),
        "sensitive": {str(one) for one in events} - known,
    }
    found = problems_of(
        frame, released, key, monitored=known, root="ALL", person_of=people_in(frame), **wanted
    )
    verdict = is_generalized(with_persons(frame), released, key, monitored=monitored, **privacy)
    event("good" if verdict else "bad")
    assert bool(verdict) == (not found)
    assert is_generalized(frame, released, key, monitored=monitored, **privacy)


def test_the_check_speaks_of_people():
    df = frame_of({1: [("a", 1)], 2: [("a", 2)], 3: [("a", 3)]}).assign(person=["x", "x", "y"])
    table = with_persons(df)
    released, key = generalized(table, k=2, with_key=True)
    assert repr(is_generalized(table, released, key, k=2)) == (
        "holds: 3 released sequences in 1 group of at least 2 people, and every row agrees with the original"
    )
    assert repr(is_generalized(table, released, key, k=3)) == (
        "does not hold: 1 of 10 rules is broken: groups have at least 3 people (violated by 3 sequences)"
    )
    moved = df.assign(time=[1, 2, 90])
    verdict = is_generalized(with_persons(moved), released, key, k=2, reveal=True)
    assert verdict.details.query("counts == 'person'")["which"].tolist() == ["y"]


def test_the_check_takes_every_kind_of_key():
    df = frame_of({1: [("a", 1)], 2: [("a", 2)], 3: [("a", 3)], 4: [("b", 1)]}).assign(
        person=["x", "x", "y", "x"]
    )
    table = with_persons(df)
    released, key = generalized(table, k=2, monitored=["a"], with_key=True)
    assert list(key.columns) == ["seq_id", "person", "released_id", "group"]
    for fewer in ([], ["group"], ["person"], ["person", "group"]):
        assert is_generalized(table, released, key.drop(columns=fewer), k=2, monitored=["a"])
        assert is_generalized(df, released, key.drop(columns=fewer), k=3, monitored=["a"])
    for wrong in (key["group"] + 1, key["group"].fillna(0), None):
        verdict = is_generalized(table, released, key.assign(group=wrong), k=2, monitored=["a"])
        assert set(verdict.details["rule"]) == {"the key names the group of everyone"}
    with pytest.raises(SeqPrivError, match="key must be the frame that generalize"):
        is_generalized(table, released, key.assign(more=1), k=2, monitored=["a"])


@pytest.mark.parametrize("partitions", [1, 3])
def test_the_key_names_the_released_group(partitions):
    df, monitored = crowd(80, 30, alike=False)
    released, key = generalized(with_persons(df, partitions), k=4, monitored=monitored, with_key=True)
    shown = released.drop_duplicates("seq_id").set_index("seq_id")["group"]
    kept = key.dropna()
    assert kept["group"].tolist() == shown[kept["released_id"].astype(int)].tolist()
    assert key["group"].dtype == "Int64"
    assert (key["group"].isna() == key["released_id"].isna()).all()
