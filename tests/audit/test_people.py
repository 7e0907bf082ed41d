"""Audits of tables whose people have several sequences: they count people, as brute force does."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import PrivacyWarning, SeqPrivError
from pdseqpriv.sequences.columns import Columns
from tests.audit import naive_linkage, naive_people, naive_risk
from tests.audit.test_linkage import any_key, elements_of, known_of, some_knows
from tests.sequences import naive as naive_table
from tests.strategies import plain_rows, plain_table

PEOPLE = st.lists(st.integers(0, 3), min_size=9, max_size=9)


def with_person(frame, people):
    """Bind a table to a column of people, some of whom have several sequences."""
    return frame.assign(who=[f"person {people[owner]}" for owner in frame["seq_id"]]).seqpriv.using(
        person="who"
    )


def by_person(rows, people, change=lambda elements: elements):
    found = {}
    for owner, elements in naive_table.sequences(rows).items():
        found.setdefault(people[owner], []).append(change(naive_table.unmarked(elements)))
    return found


def assert_same(row, expected):
    for name, value in expected.items():
        assert row[name] == pytest.approx(value, abs=1e-9), name


@given(plain_rows(max_rows=20, n_events=3).filter(bool), PEOPLE, st.integers(1, 4), st.booleans())
def test_candidates_are_people(rows, people, known, in_order):
    found = with_person(plain_table(rows), people).risk(known, k=3, in_order=in_order).iloc[0]
    own = by_person(rows, people, (lambda one: one) if in_order else naive_risk.any_order)
    assert_same(found, naive_people.risk(own, own, known, 3))
    assert found["method"] == "exact"


@given(
    rows=plain_rows(max_rows=16, n_events=3).filter(bool),
    people=PEOPLE,
    known=st.integers(1, 3),
    k=st.integers(2, 3),
    has_key=st.booleans(),
    random=st.randoms(),
)
def test_candidates_in_a_release_are_people(*, rows, people, known, k, has_key, random):
    left = [row for row in rows if random.random() < 0.7]
    if not {row[1] for row in left} - {None}:
        return
    new = {owner: place for place, owner in enumerate(random.sample(range(9), 9))} if has_key else range(9)
    released = plain_table([(new[row[0]], *row[1:]) for row in left])
    there = {row[0] for row in left}
    ids = sorted({row[0] for row in rows})
    key = pd.DataFrame(
        {"seq_id": ids, "released_id": pd.array([new[i] if i in there else None for i in ids], dtype="Int64")}
    )
    original = with_person(plain_table(rows), people)
    found = released.seqpriv.risk(known, k=k, original=original, key=key if has_key else None).iloc[0]
    assert_same(found, naive_people.risk(by_person(rows, people), by_person(left, people), known, k))


@given(
    rows=st.one_of(plain_rows(max_rows=24, n_events=3), plain_rows(max_rows=24, n_events=2, n_ids=9)).filter(
        bool
    ),
    people=PEOPLE,
    knows=some_knows(),
    k=st.integers(2, 4),
    in_sets=st.booleans(),
    random=st.randoms(),
)
def test_any_record_of_the_person_is_a_hit(*, rows, people, knows, k, in_sets, random):
    rows = [(o, event, t // 3 if in_sets else place) for place, (o, event, t) in enumerate(rows)]
    frame, released = plain_table(rows), plain_table([row for row in rows if random.random() < 0.6])
    if not released["event"].notna().any():
        return
    key, seed = any_key(frame, released, random), random.randrange(9)
    given_to_attackers = {"attack": "linkage", "knows": knows, "k": k, "seed": seed}
    found = released.seqpriv.risk(original=with_person(frame, people), key=key, **given_to_attackers)
    sequences, records, known = elements_of(frame), elements_of(released), known_of(frame, knows, seed)
    owner_of = {("original", one): people[one] for one in sequences}
    owner_of |= {("record", r): people[s] for s, r in key.itertuples(index=False) if not pd.isna(r)}
    for _, row in found.iterrows():
        outcomes = {}
        for one, elements in sequences.items():
            if row["attack"] == "containment":
                taken = naive_linkage.by_containment(records, known[one], is_whole=knows == "whole")
            else:
                taken = naive_linkage.by_common_subsequence(records, known[one])
            told = naive_linkage.attacked(records, None, elements, known[one], matches=taken)
            outcomes[one] = taken, told["learned"], told["mistaken"]
        assert_same(row, naive_people.linkage(outcomes, owner_of, k))


@settings(max_examples=30)
@given(plain_rows(max_rows=30, n_events=3, n_ids=9).filter(bool), st.randoms(), st.sampled_from([None, 1, 3]))
def test_with_one_sequence_each_nothing_changes(rows, random, sample):
    frame = plain_table(rows)
    bound = with_person(frame, random.sample(range(9), 9))
    alike = {"rtol": 1e-12}
    pd.testing.assert_frame_equal(
        bound.risk([1, 2], sample=sample), frame.seqpriv.risk([1, 2], sample=sample), **alike
    )
    released = frame[[random.random() < 0.7 for _ in rows]]
    if not released["event"].notna().any():
        return
    for options in ({"known": 2}, {"attack": "linkage"}):
        mine = released.seqpriv.risk(original=bound, sample=sample, **options)
        pd.testing.assert_frame_equal(
            mine, released.seqpriv.risk(original=frame, sample=sample, **options), **alike
        )
    told = bound.describe()
    assert told.iloc[:-6].to_dict() == frame.seqpriv.describe().to_dict()


@given(plain_rows(max_rows=30).filter(bool), PEOPLE, st.sampled_from([1, 3, 7]))
def test_describe_counts_people(rows, people, partitions):
    bound = with_person(plain_table(rows), people)
    told = pdseqpriv.describe(BoundTable(bound.frame, Columns(person="who"), Local(partitions)))
    sequences = {o: naive_table.unmarked(one) for o, one in naive_table.sequences(rows).items()}
    for name, value in naive_people.describe(sequences, {one: people[one] for one in sequences}).items():
        assert told[name] == pytest.approx(value), name


VISITS = pd.DataFrame(
    {"seq_id": [1, 1, 2, 2, 3], "event": list("ababa"), "time": [1, 2, 1, 2, 1], "who": list("xxxxy")}
)


def test_a_person_with_two_equal_sequences_is_alone():
    alone = VISITS.seqpriv.risk(2)
    assert alone["unique_share"].iloc[0] == 0
    found = VISITS.seqpriv.using(person="who").risk(2)
    assert found["people"].iloc[0] == 2
    assert found["unique_share"].iloc[0] == 0.5
    told = VISITS.seqpriv.using(person="who").describe()
    assert told[["people", "per_person_min", "per_person_50", "per_person_max"]].tolist() == [2, 1, 1.5, 2]
    assert told["unique_sequence_share"] == 1


def test_a_release_with_new_ids_needs_the_key_to_count_people():
    original = VISITS.seqpriv.using(person="who")
    released, key = VISITS.drop(columns="who").seqpriv.k_anonymize(2, with_key=True)
    with pytest.raises(SeqPrivError, match="risk: the ids of this release are new, so the key is needed"):
        released.seqpriv.risk(1, original=original)
    assert released.seqpriv.risk(1, original=original, key=key)["people"].iloc[0] == 2
    personal = key.assign(who=list("xxy"))
    assert released.seqpriv.risk(1, original=original, key=personal)["people"].iloc[0] == 2
    with pytest.raises(SeqPrivError, match="key must be left out"):
        released.seqpriv.risk(1, original=VISITS, key=key)


def test_people_must_be_named_in_the_original():
    with pytest.raises(SeqPrivError, match="risk: people are named in the release only"):
        VISITS.seqpriv.using(person="who").risk(1, original=VISITS)


def test_sweep_counts_people():
    original = VISITS.seqpriv.using(person="who")
    frame = original.sweep("hide", patterns="a -> b", output=["mark", "drop"], known=1)
    assert frame["worst_probability"].tolist() == [0.5, 0.5]


@pytest.mark.filterwarnings("ignore:k_anonymize. dropped")
def test_a_release_on_its_own_is_not_taken_for_an_original():
    plain = VISITS.drop(columns="who")
    released = plain.seqpriv.k_anonymize(2)
    with pytest.warns(PrivacyWarning, match="risk: this is a release of k_anonymize.*Give original="):
        released.seqpriv.risk(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released.seqpriv.risk(1, original=plain)


def test_earlier_steps_are_mentioned():
    plain = VISITS.drop(columns="who")
    once = plain.seqpriv.hide("b")
    twice = once.seqpriv.hide("a -> a")
    for options in ({"known": 1}, {"attack": "linkage"}):
        once.seqpriv.risk(original=plain, **options)
        with pytest.warns(PrivacyWarning, match="risk: the record shows 2 steps"):
            twice.seqpriv.risk(original=plain, **options)
    with pytest.warns(PrivacyWarning, match="the record shows 2 steps"):
        twice.seqpriv.risk(1)
