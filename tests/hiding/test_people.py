"""Hiding where people have several sequences: brute force over people."""

from __future__ import annotations

from math import comb

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import SeqPrivError, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.sequences.columns import Columns
from tests.hiding import naive
from tests.hiding.cases import cases
from tests.strategies import tables, with_people

pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")

PERSONAL = Columns(person="person")
OPTIONS = st.fixed_dictionaries(
    {
        "max_support": st.integers(0, 3),
        "marking": st.sampled_from(["optimal", "greedy", "random"]),
        "selection": st.sampled_from(["per_pattern", "shared", "random"]),
        "output": st.sampled_from(["mark", "drop", "replace"]),
        "seed": st.just(3),
    }
)
OWNERS = st.lists(st.integers(0, 3), min_size=8, max_size=8)


def personal(case, owners):
    return case.table.assign(person=[f"person {owners[number]}" for number in case.table["seq_id"]])


def supports(released, owners, patterns):
    """Count, for every pattern, the people with a sequence that matches, by enumeration."""
    people = [set() for _ in patterns]
    for number, rows in released.groupby("seq_id"):
        times = sorted(set(rows["time"]))
        sequence = [(time, rows.loc[rows["time"] == time, "event"].dropna().tolist()) for time in times]
        for found, pattern in zip(people, patterns, strict=True):
            if naive.matches(sequence, pattern):
                found.add(owners[number])
    return [len(found) for found in people]


@settings(max_examples=60)
@given(cases(most_sequences=8), OWNERS, OPTIONS)
def test_few_enough_people_are_left(case, owners, options):
    bound = personal(case, owners).seqpriv.using(person="person")
    released = bound.hide(case.patterns, **options)
    left = supports(released, owners, case.naive)
    assert max(left) <= options["max_support"]
    assert list(released.columns) == ["seq_id", "event", "time"]
    assert released.attrs["pdseqpriv"]["applied"][0]["parameters"]["people"] is True
    verdict = verify.is_hidden(
        released, case.patterns, options["max_support"], original=bound, may_be_absent=True
    )
    assert verdict.raise_if_violated()
    assert verdict.details["support"].tolist() == left


@settings(max_examples=60)
@given(cases(most_sequences=8), OWNERS)
def test_the_check_counts_people(case, owners):
    table, expected = personal(case, owners), supports(case.table, owners, case.naive)
    bound = table.seqpriv.using(person="person")
    assert verify.is_hidden(bound, case.patterns).details["support"].tolist() == expected
    parts = BoundTable(table, PERSONAL, Local(partitions=3))
    assert verify.is_hidden(parts, case.patterns).details["support"].tolist() == expected
    by_ids = verify.is_hidden(case.table, case.patterns, original=bound, may_be_absent=True)
    assert by_ids.details["support"].tolist() == expected
    assert bool(by_ids) == (max(expected) == 0)


@settings(max_examples=60)
@given(cases(most_sequences=6), OPTIONS)
def test_with_one_sequence_each_people_are_sequences(case, options):
    alone = case.table.assign(person=-case.table["seq_id"])
    released = alone.seqpriv.using(person="person").hide(case.patterns, **options)
    pd.testing.assert_frame_equal(released, case.table.seqpriv.hide(case.patterns, **options))


@settings(max_examples=60, deadline=None)
@given(with_people(tables(max_rows=30, n_ids=7)), st.sampled_from([3, 7]), OPTIONS)
def test_parts_give_the_same(frame, partitions, options):
    events = frame["event"].dropna().unique()[:2].tolist()
    assume(events)
    patterns = [events, [events[0]]]
    parts = BoundTable(frame, PERSONAL, Local(partitions=partitions))
    here = frame.seqpriv.using(person="person").hide(patterns, **options)
    pd.testing.assert_frame_equal(pdseqpriv.hide(parts, patterns, **options), here)


@given(cases(most_sequences=8, most_patterns=1, kinds=["list"]), OWNERS, st.integers(0, 3))
def test_per_pattern_leaves_the_people_who_cost_most(case, owners, threshold):
    matches = [len(naive.all_matches(sequence, case.naive)) for sequence in case.sequences]
    assume(max(matches) <= 40)
    costs = dict.fromkeys(owners, 0)
    for number, sequence in enumerate(case.sequences):
        costs[owners[number]] += naive.optimal_cost(sequence, case.naive)
    released = (
        personal(case, owners).seqpriv.using(person="person").hide(case.patterns, max_support=threshold)
    )
    assert released["event"].isna().sum() == sum(sorted(costs.values(), reverse=True)[threshold:])


@given(cases(most_sequences=8), OWNERS, st.integers(0, 3))
def test_shared_leaves_the_people_with_most_matches(case, owners, threshold):
    sizes = {}
    for number, sequence in enumerate(case.sequences):
        own = len(naive.all_matches(sequence, case.naive))
        if own:
            sizes[owners[number]] = sizes.get(owners[number], 0) + own
    left = sorted(sizes, key=sizes.get)[max(0, len(sizes) - threshold) :]
    options = {"marking": "greedy", "selection": "shared", "max_support": threshold}
    released = personal(case, owners).seqpriv.using(person="person").hide(case.patterns, **options)
    for number, sequence in enumerate(case.sequences):
        marks = [] if owners[number] in left else naive.greedy(sequence, case.naive)
        gone = released.loc[released["seq_id"] == number, "event"].isna().sum()
        assert gone == naive.cost(sequence, marks)


def test_numbers_of_matches_are_added_up_beyond_32_bits():
    sizes = {1: 2600, 2: 2600, 3: 3100}
    assert comb(2600, 3) < 2**32 < comb(3100, 3) < 2 * comb(2600, 3)
    frame = pd.concat(
        pd.DataFrame({"seq_id": number, "event": "a", "time": range(size), "person": number // 3})
        for number, size in sizes.items()
    )
    bound = frame.seqpriv.using(person="person")
    released = bound.hide("a -> a -> a", max_support=1, selection="shared")
    assert released.loc[released["event"].isna(), "seq_id"].unique().tolist() == [3]


def visits():
    return pd.DataFrame(
        {"seq_id": [1, 1, 2, 2, 3], "event": list("ababb"), "time": range(5), "person": list("xxxxy")}
    )


def test_one_person_may_keep_a_pattern_in_all_sequences():
    released = visits().seqpriv.using(person="person").hide(["a -> b"], max_support=1)
    assert not released["event"].isna().any()
    verdict = verify.is_hidden(released, ["a -> b"], 1)
    assert str(verdict) == (
        "does not hold: 1 of 1 pattern is in more sequences than max_support allows; people were counted "
        "when it was made, for which original is needed here"
    )
    bound = visits().seqpriv.using(person="person")
    assert str(verify.is_hidden(released, ["a -> b"], 1, original=bound)) == (
        "holds: 1 pattern checked, none in sequences of more of the 2 people than max_support allows"
    )
    assert str(verify.is_hidden(bound, ["b"], 1)) == (
        "does not hold: 1 of 1 pattern is in sequences of more people than max_support allows"
    )


def test_an_original_that_does_not_say_whose_the_sequences_are():
    released, bound = visits().drop(columns="person"), visits().seqpriv.using(person="person")
    with pytest.raises(SeqPrivError, match=r"original must be a table with using\(person=\.\.\.\)"):
        verify.is_hidden(released, ["a"], original=visits())
    changed = released.assign(seq_id=[1, 1, 8, 8, 9])
    with pytest.raises(SeqPrivError, match="2 sequences of the release are not in the original"):
        verify.is_hidden(changed, ["a"], original=bound)


def test_the_release_is_read_with_the_names_of_the_original():
    names = {"seq_id": "visit", "event": "what", "time": "when"}
    bound = visits().rename(columns=names).seqpriv.using(**names, person="person")
    released = bound.hide(["a"], max_support=1)
    assert verify.is_hidden(released, ["a"], 1, original=bound)
