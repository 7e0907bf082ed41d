"""Several releases: the people of every intersection of groups are counted."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdseqpriv import SeqPrivError
from pdseqpriv.audit.verify import are_compatible


def key_of(groups, people=None, ids=None):
    """Return a key with these groups; None if dropped."""
    ids = [f"s{i}" for i in range(len(groups))] if ids is None else ids
    released = [None if group is None else place for place, group in enumerate(groups)]
    columns = {"seq_id": ids} if people is None else {"seq_id": ids, "who": people}
    numbers = {"released_id": pd.array(released, "Int64"), "group": pd.array(groups, "Int64")}
    return pd.DataFrame({**columns, **numbers})


def small_ones(groupings, people, k):
    """Count the intersections, and those with too few people, one sequence after the other."""
    members = {}
    for place, groups in enumerate(zip(*groupings, strict=True)):
        if any(group is not None for group in groups):
            members.setdefault(groups, set()).add(people[place])
    return len(members), sum(len(some) < k for some in members.values())


@st.composite
def groupings(draw):
    n = draw(st.integers(1, 9))
    grouping = st.lists(st.none() | st.integers(0, 2), min_size=n, max_size=n)
    return draw(st.lists(grouping, min_size=2, max_size=3)), draw(
        st.lists(st.integers(0, 5), min_size=n, max_size=n)
    )


@given(groupings(), st.integers(2, 3), st.booleans(), st.randoms())
def test_every_intersection_is_counted(case, k, with_people, chance):
    classes, people = case
    keys = [key_of(groups, people if with_people else None) for groups in classes]
    order = list(range(len(people)))
    chance.shuffle(order)
    keys[-1] = keys[-1].iloc[order]
    verdict = are_compatible(keys, k, person="who" if with_people else None)
    who = people if with_people else range(len(people))
    assert (verdict.checked, verdict.violations) == small_ones(classes, who, k)
    assert bool(verdict) == (verdict.violations == 0)


def test_the_verdict_tells_how_many():
    keys = [key_of([0, 0, 0, 1, 1, 1]), key_of([0, 0, 1, 1, None, None])]
    verdict = are_compatible(keys, 3)
    assert repr(verdict) == (
        "does not hold: 4 of 4 intersections of the groups of 2 releases have fewer than 3 sequences"
    )
    assert verdict.details.to_dict("list") == {"sequences": [1, 2], "intersections": [2, 2]}
    shown = are_compatible(keys, 2, reveal=True).details
    assert shown.to_dict("list") == {"which": ["s2", "s3"], "sequences": [1, 1]}
    people = [key_of(key["group"].tolist(), list("xxyyzz")) for key in (keys[0], keys[0])]
    told = are_compatible(people, 3, person="who")
    assert repr(told).endswith("2 of 2 intersections of the groups of 2 releases have fewer than 3 people")
    assert told.details.to_dict("list") == {"people": [2], "intersections": [2], "sequences": [6]}


def test_those_who_are_in_no_release_are_not_there():
    assert are_compatible([key_of([0, 0, None]), key_of([1, 1, None])], 2)
    assert not are_compatible([key_of([0, 0, None]), key_of([1, 1, 1])], 2)
    assert not are_compatible([key_of([0, 0, 0]), key_of([1, 1, None])], 2)
    nobody = key_of([None, None])
    assert repr(are_compatible([nobody, nobody], 2)) == "holds: 0 intersections of the groups of 2 releases"


def test_keys_of_polars():
    keys = [pl.from_pandas(key_of([0, 0, 1])), pl.from_pandas(key_of([0, 0, None]))]
    assert are_compatible(keys, 2).violations == 1


GOOD = key_of([0, 0, 1, 1])


@pytest.mark.parametrize(
    ("keys", "options", "words"),
    [
        (GOOD, {}, "keys must be a list of at least two keys, .*, got DataFrame"),
        ([GOOD], {}, "got a list of 1. A single release has nothing to be linked to"),
        ([], {}, "got a list of 0"),
        ([GOOD, "x"], {}, "got a list with str in it"),
        ([GOOD, GOOD.drop(columns="group")], {}, r"in keys\[1\]: a key with the column 'group' is needed"),
        ([GOOD, GOOD.drop(columns="released_id")], {}, r"in keys\[1\]: .* the column 'released_id' once"),
        (
            [GOOD, key_of([0, 0, 1])],
            {},
            r"in keys\[1\]: this is the key of another table: it shares 3 of its 3 .* 4",
        ),
        (
            [GOOD, key_of([0, 0, 1, 1], ids=list("abcd"))],
            {},
            "the key of another table: it shares 0 of its 4",
        ),
        ([GOOD, GOOD.assign(seq_id="s0")], {}, "each sequence once"),
        ([GOOD, GOOD.assign(seq_id=None)], {}, "nulls among its ids"),
        ([GOOD, GOOD.assign(group=0.5)], {}, "whole numbers"),
        ([GOOD, GOOD.assign(group=None)], {}, "null for the same sequences"),
        ([GOOD, GOOD], {"person": "who"}, r"in keys\[0\]: the key must have the column 'who' once"),
        ([key_of([0, 0], [1, 2])] * 2, {}, r"these are left: \['seq_id', 'who'\].*person="),
        (
            [key_of([0, 0], [1, 2]), key_of([0, 0], [1, 3])],
            {"person": "who"},
            r"in keys\[1\]: 1 sequence of this key belong",
        ),
        ([GOOD, GOOD], {"k": 1}, "k must be"),
        ([GOOD, GOOD], {"k": 2.5}, "k must be"),
        ([GOOD, GOOD], {"reveal": 1}, "reveal must be"),
    ],
)
def test_bad_keys_are_refused_without_naming_anyone(keys, options, words):
    with pytest.raises(SeqPrivError, match=words) as caught:
        are_compatible(keys, **{"k": 2, **options})
    assert "s0" not in str(caught.value)
