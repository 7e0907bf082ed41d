"""Releases after earlier ones: whoever links them still finds k people in every intersection of classes."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.errors import SeqPrivError
from tests.k_anonymity.cases import METHODS, anonymize, elements_of, random_texts, table_of, texts_of
from tests.k_anonymity.test_people import N, owners, personal
from tests.strategies import EVENTS, plain_rows, plain_table, taxonomies

groupings = st.lists(st.lists(st.none() | st.integers(0, 1), min_size=N, max_size=N), min_size=1, max_size=2)


def key_of(rows, groups):
    """Return a key that puts the sequences of a table into these groups, by their ids."""
    ids = sorted({row[0] for row in rows})
    own = [groups[one] for one in ids]
    released = [None if group is None else place for place, group in enumerate(own)]
    return pd.DataFrame(
        {"seq_id": ids, "released_id": pd.array(released, "Int64"), "group": pd.array(own, "Int64")}
    )


def people_in_intersections(keys, whose):
    """Return the people in each intersection of classes, for all who are in one of the releases."""
    found = defaultdict(set)
    classes = [dict(zip(key["seq_id"], key["group"].astype(object), strict=True)) for key in keys]
    for one in classes[-1]:
        where = tuple(None if pd.isna(of[one]) else of[one] for of in classes)
        if any(group is not None for group in where):
            found[where].add(whose[one])
    return found


def are_enough(found, k):
    """Return whether k people are in each intersection, but where the last release leaves everybody out."""
    are_shown = {where[:-1] for where in found if where[-1] is not None}
    return all(len(people) >= k or where[:-1] not in are_shown for where, people in found.items())


@pytest.mark.parametrize("method", METHODS)
def test_equal_sequences_of_people_who_were_apart_are_not_released(method):
    rows = [(one, 0, 0) for one in range(6)]
    apart = key_of(rows, [None, 0, 1, 2, 3, 3])
    released, key = anonymize(
        plain_table(rows), 2, guarantee="identical", method=method, previous=[apart], with_key=True
    )
    assert sorted(key["seq_id"][key["released_id"].notna()]) == [4, 5]
    assert len(released) == 2


@given(
    plain_rows(max_rows=40, n_ids=N),
    st.none() | owners(),
    groupings,
    st.integers(2, 3),
    st.sampled_from(METHODS),
    st.none() | taxonomies(EVENTS[:4]),
)
def test_every_intersection_holds_k_people(rows, whose, groupings, k, method, links):  # noqa: PLR0917
    table = plain_table(rows) if whose is None else personal(rows, whose)
    asked = {"method": method, "guarantee": "identical"}
    if method == "subsequence":
        asked["taxonomy"] = links
    previous = [key_of(rows, groups) for groups in groupings]
    released, key = anonymize(table, k, **asked, previous=previous, with_key=True)
    found = people_in_intersections([*previous, key], whose or range(N))
    assert are_enough(found, k)
    taxonomy = asked.get("taxonomy")
    assert pdseqpriv.verify.is_k_anonymous(
        table, released, k, guarantee="identical", taxonomy=taxonomy, key=key
    )
    if taxonomy is None:
        shown = elements_of(released)
        left = key.dropna()
        content = {(group, shown[one]) for one, group in zip(left["released_id"], left["group"], strict=True)}
        groups, contents = zip(*content, strict=True) if content else ((), ())
        assert len(content) == len(set(groups)) == len(set(contents))  # a group is what is equal


@given(plain_rows(max_rows=40, n_ids=N), owners(), groupings, st.integers(2, 3), st.sampled_from(METHODS))
def test_partitions_do_not_matter(rows, whose, groupings, k, method):
    asked = {"method": method, "guarantee": "identical", "with_key": True, "seed": 1}
    asked["previous"] = [key_of(rows, groups) for groups in groupings]
    whole, key = anonymize(personal(rows, whose), k, **asked)
    for partitions in (3, 7):
        released, key_again = anonymize(personal(rows, whose, partitions), k, **asked)
        pd.testing.assert_frame_equal(released, whole)
        pd.testing.assert_frame_equal(key_again, key)


@given(plain_rows(max_rows=40, n_ids=N), st.integers(2, 3), st.sampled_from(METHODS))
def test_a_release_that_told_nobody_apart_costs_nothing(rows, k, method):
    asked = {"method": method, "guarantee": "identical", "with_key": True, "seed": 1}
    released, key = anonymize(plain_table(rows), k, **asked)
    all_together = [key_of(rows, [0] * N)]
    if 0 < key["group"].isna().sum() < k:  # they would be missed
        assert anonymize(plain_table(rows), k, **asked, previous=all_together)[0].empty
        all_together = []
    for previous in ([], all_together, [key_of(rows, [None] * N)] * 2):
        again, key_again = anonymize(plain_table(rows), k, **asked, previous=previous)
        pd.testing.assert_frame_equal(again, released)
        pd.testing.assert_frame_equal(key_again, key)


@pytest.mark.parametrize("method", METHODS)
def test_one_release_after_the_other(method):
    keys, kept = [], []
    for seed in range(3):  # the same people, in three months
        df = table_of(random_texts(seed, 120, 9))
        asked = {"guarantee": "identical", "method": method, "with_key": True}
        released, key = anonymize(df, 3, **asked, previous=keys)
        keys.append(key)
        kept.append(len(released) / len(df))
        found = people_in_intersections(keys, range(120))
        assert min(len(people) for people in found.values()) >= 3
    alone = people_in_intersections([anonymize(df, 3, **asked)[1], keys[0]], range(120))
    assert min(len(people) for people in alone.values()) < 3  # without previous they do not fit together
    assert kept[0] > kept[2] > 0


def test_what_an_earlier_release_told_apart_is_not_released_as_equal():
    df = table_of(["ab", "ab", "ab", "ab", "ab"])
    key = key_of([(i, 0, 0) for i in range(5)], [0, 0, 1, 1, None])
    released, new_key = anonymize(df, 2, guarantee="identical", previous=[key], with_key=True)
    assert texts_of(released) == ["ab"] * 4
    assert new_key["group"].tolist() == [0, 0, 0, 0, pd.NA]  # in each cell they are two


@pytest.mark.parametrize(("dropped", "shown"), [(1, []), (2, []), (3, ["ab"] * 3)])
@pytest.mark.parametrize("method", METHODS)
def test_a_class_of_which_fewer_than_k_would_be_missing_is_not_released(method, dropped, shown):
    rare = ["cd", "ef", "gh"][:dropped]
    key = key_of([(i, 0, 0) for i in range(3 + dropped)], [0] * (3 + dropped))
    df = table_of(["ab"] * 3 + rare)
    assert texts_of(anonymize(df, 3, guarantee="identical", method=method, previous=[key])) == shown


KEY = key_of([(i, 0, 0) for i in range(3)], [0, 0, 0])


@pytest.mark.parametrize(
    ("previous", "guarantee", "words"),
    [
        ([KEY], "contained", 'previous must be None unless guarantee="identical"'),
        ([KEY], "mutual", 'previous must be None unless guarantee="identical"'),
        ([], "contained", 'previous must be None unless guarantee="identical"'),
        (KEY, "identical", "previous must be a list of keys.*got DataFrame. Put a single key into a list"),
        ([KEY, None], "identical", r"in previous\[1\]: previous must be a list of keys.*of type NoneType"),
        ([KEY.drop(columns="group")], "identical", "k_anonymize gives groups with guarantee"),
        ([KEY.iloc[:2]], "identical", "key of another table: it names 2 of the 3 sequences, in 2 rows"),
        ([KEY.assign(seq_id=[0, 1, 9])], "identical", "it names 2 of the 3 sequences, in 3 rows"),
        (
            [table_of(["ab", "ab", "ab"])],
            "identical",
            "a key with the columns 'seq_id' and 'group' is needed",
        ),
    ],
)
def test_what_does_not_fit_is_refused(previous, guarantee, words):
    with pytest.raises(SeqPrivError, match=f"k_anonymize.*{words}"):
        anonymize(BoundTable(table_of(["ab"] * 3)), 2, guarantee=guarantee, previous=previous)


@pytest.mark.parametrize("make", [pa.Table.from_pandas, pl.from_pandas])
def test_keys_may_be_of_any_kind_that_tables_are(make):
    df = table_of(random_texts(3, 40, 5))
    asked = {"guarantee": "identical", "with_key": True, "seed": 1}
    _, key = anonymize(df, 4, **asked)
    expected = anonymize(df, 3, **asked, previous=[key])
    for previous in ([make(key)], (make(key),), [make(key), key]):
        for found, wanted in zip(anonymize(df, 3, **asked, previous=previous), expected, strict=True):
            pd.testing.assert_frame_equal(found, wanted)
    assert pdseqpriv.verify.are_compatible([make(key), expected[1]], 3)
    with pytest.raises(SeqPrivError, match="this is the key of another table"):
        anonymize(df, 3, **asked, previous=[make(key.iloc[1:])])
