"""Equal sequences for at least k people: what holds of every release, and answers worked out by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.k_anonymity import identical
from pdseqpriv.k_anonymity.kernels import refinements
from pdseqpriv.options import options
from tests.k_anonymity import naive
from tests.k_anonymity.cases import (
    GUARANTEES,
    METHODS,
    anonymize,
    elements_of,
    people_of,
    random_texts,
    shown_elements,
    table_of,
    texts_of,
    wide_people,
)
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS, plain_rows, plain_table, taxonomies

NAMES = EVENTS[:4]


@pytest.mark.parametrize(
    ("k", "texts", "expected"),
    [
        (2, ["abc", "abc", "xyz", "xyz"], ["abc", "abc", "xyz", "xyz"]),
        (2, ["axb", "ayb"], ["ab", "ab"]),
        (3, ["axb", "ayb", "azb", "q"], ["ab", "ab", "ab", ""]),
        (2, ["abcd", "abcd", "abxcd"], ["abcd", "abcd", "abcd"]),  # goes to a class that is there already
        (2, ["ab", "ab", "abc", "abc", "abcd"], ["ab", "ab", "abc", "abc", "abc"]),
        (2, ["aab", "aba", "baa"], ["aa", "aa", "aa"]),
        (2, ["a", "b", "c"], ["", "", ""]),
        (3, ["ab", "ab"], ["", ""]),
    ],
)
def test_known_answers(k, texts, expected):
    released, key = anonymize(table_of(texts), k, guarantee="identical", with_key=True)
    given_out = texts_of(released)
    assert ["" if pd.isna(i) else given_out[i] for i in key["released_id"]] == expected


@given(plain_rows(max_rows=40, n_ids=9), st.integers(2, 4))
def test_who_is_not_alone_as_a_whole_comes_out_whole(rows, k):
    people = people_of(rows)
    given_out, key = released_of(rows, k)
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if people[owner] and list(people.values()).count(people[owner]) >= k:
            assert given_out[released_id] == people[owner]


@given(plain_rows(max_rows=40, n_ids=9), st.integers(2, 3))
def test_no_class_could_say_more_of_all_its_members(rows, k):
    people = people_of(rows)
    given_out, key = released_of(rows, k)
    classes = {}
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        classes.setdefault(given_out.get(released_id, ()), []).append(people[owner])
    for shown, members in classes.items():
        if len(members) >= k:
            size = naive.size(shown) + 1
            longer = [one for one in naive.subsequences(members[0]) if naive.size(one) == size]
            assert not any(naive_table.contains(one, shown) for one in longer if all_contain(members, one))


def released_of(rows, k):
    released, key = anonymize(plain_table(rows), k, guarantee="identical", with_key=True)
    return elements_of(released), key


def all_contain(members, pattern):
    return all(naive_table.contains(member, pattern) for member in members)


@given(plain_rows(max_rows=40, n_ids=9), st.integers(2, 3))
def test_nobody_is_dropped_who_contains_what_is_released(rows, k):
    people = people_of(rows)
    given_out, key = released_of(rows, k)
    for owner in key["seq_id"][key["released_id"].isna()]:
        assert not any(naive_table.contains(people[owner], shown) for shown in given_out.values())


@given(plain_rows(max_rows=30, n_ids=8), st.integers(2, 3), taxonomies(NAMES), st.sampled_from(GUARANTEES))
def test_with_categories_every_label_is_true_of_its_person(rows, k, links, guarantee):
    taxonomy = pdseqpriv.Taxonomy(links)
    table = plain_table(rows)
    released, key = anonymize(table, k, guarantee=guarantee, taxonomy=taxonomy, with_key=True)
    assert taxonomy.root not in set(released["event"])
    people = wide_people(rows, taxonomy)
    shown = shown_elements(released)
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if pd.notna(released_id):
            assert naive_table.contains(people[owner], shown[released_id])
    for one in shown.values():
        assert naive.support(people.values(), one) >= k
        assert all(not related(element, taxonomy) for element in one)
    if guarantee == "identical":
        assert all(count >= k for count in Counter(map(str, shown.values())).values())
    if guarantee == "mutual":
        around = shown_elements(released, taxonomy).values()
        assert all(naive.support(around, one) >= k for one in shown.values())
    assert pdseqpriv.verify.is_k_anonymous(table, released, k, guarantee=guarantee, taxonomy=taxonomy)


@given(
    plain_rows(max_rows=24, n_ids=6),
    plain_rows(max_rows=10, n_ids=3, marked=False),
    st.integers(2, 3),
    taxonomies(NAMES),
    st.sampled_from(GUARANTEES),
)
def test_the_check_counts_under_the_taxonomy(rows, shown, k, links, guarantee):
    taxonomy = pdseqpriv.Taxonomy(links)
    categories = sorted(set(links.values()))
    released = plain_table(shown)
    labels = {NAMES[2]: categories[0], NAMES[3]: categories[-1]}  # the other two are events
    released["event"] = released["event"].replace(labels)
    people, around = wide_people(rows, taxonomy), shown_elements(released, taxonomy)
    own = shown_elements(released)
    wrong = [
        naive.support(people.values(), one) < k
        or (guarantee == "mutual" and naive.support(around.values(), one) < k)
        or (guarantee == "identical" and list(own.values()).count(one) < k)
        for one in own.values()
    ]
    asked = {"guarantee": guarantee, "taxonomy": links}
    verdict = pdseqpriv.verify.is_k_anonymous(plain_table(rows), released, k, **asked)
    assert (verdict.checked, verdict.violations) == (len(own), sum(wrong))


def related(element, taxonomy):
    return any(a != b and taxonomy.covers(a, b) for a in element for b in element)


def test_a_rare_event_becomes_its_category():
    df = table_of(["ax", "ay", "bx", "by"])
    categories = {"a": "letters", "b": "letters", "x": "ends", "y": "ends"}
    assert anonymize(df, 4, guarantee="identical").empty
    released = df.seqpriv.k_anonymize(4, guarantee="identical", taxonomy=categories)
    assert released["event"].tolist() == ["letters", "ends"] * 4


def test_whole_numbers_become_text_beside_categories():
    df = table_of(["12", "13", "12"]).astype({"event": "int64"})
    released = df.seqpriv.k_anonymize(3, guarantee="identical", taxonomy={1: "odd", 2: "more", 3: "more"})
    assert released["event"].tolist() == ["1", "more"] * 3


@given(plain_rows(max_rows=60, n_ids=12), st.integers(2, 3), st.integers(1, 30), st.sampled_from([1, 2]))
def test_neither_calls_nor_threads_nor_room_change_the_answer(rows, k, n_rows, threads):
    whole = anonymize(plain_table(rows), k, guarantee="identical")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identical, "ROWS", n_rows)
        patch.setattr(options, "threads", threads)
        pd.testing.assert_frame_equal(anonymize(plain_table(rows), k, guarantee="identical"), whole)


def test_more_events_than_the_table_of_refinements_holds_at_first():
    """Two by two people share a long sequence of events of their own; nothing is shared by more."""
    numbers = np.arange(60_000)
    pair = pd.DataFrame(
        {"seq_id": numbers // 3000, "event": numbers % 3000 + 3000 * (numbers // 6000), "time": numbers}
    )
    assert pair["event"].nunique() * refinements.KINDS > refinements.MANY // 4
    alone = pair.groupby("seq_id").head(2999)
    alone = alone[~((alone["seq_id"] % 2 == 0) & (alone["time"] % 3000 == 1500))]
    released = alone.seqpriv.k_anonymize(2, guarantee="identical")
    assert released.groupby("seq_id").size().tolist() == [2998] * 20


@pytest.mark.parametrize("length", [3_000, 20_000])
def test_long_sequences_that_are_nearly_equal(length):
    chance = np.random.default_rng(3)
    text = chance.choice(list("abcdefghij"), length)
    texts = []
    for _ in range(2):
        own = text.copy()
        own[chance.integers(0, length, 20)] = "x"
        texts.append("".join(own))
    released = table_of(texts).seqpriv.k_anonymize(2, guarantee="identical")
    assert len(released) >= 2 * (length - 60)


def test_chance_decides_who_gets_which_of_equal_sequences():
    df = table_of(["ab"] * 200)
    keys = [df.seqpriv.k_anonymize(2, with_key=True, seed=seed)[1]["released_id"] for seed in (1, 1, 2)]
    assert keys[0].equals(keys[1])
    assert not keys[0].equals(keys[2])
    assert all(sorted(key) == list(range(200)) for key in keys)
    fresh = [df.seqpriv.k_anonymize(2, with_key=True)[1]["released_id"] for _ in range(2)]
    assert not fresh[0].equals(fresh[1])


def test_an_impartial_reader_finds_the_levels_in_their_order():
    """Each level implies the one before it."""
    df = table_of(random_texts(5, 60, 10))
    identical_release = df.seqpriv.k_anonymize(3, guarantee="identical")
    mutual_release = df.seqpriv.k_anonymize(3, guarantee="mutual")
    for level in ("contained", "mutual", "identical"):
        assert pdseqpriv.verify.is_k_anonymous(df, identical_release, 3, guarantee=level)
    assert pdseqpriv.verify.is_k_anonymous(df, mutual_release, 3, guarantee="contained")
    assert not pdseqpriv.verify.is_k_anonymous(df, mutual_release, 3, guarantee="identical")


KNOWS = st.sampled_from(["whole", 0.5, 0.3, 1, 2])


@pytest.mark.parametrize("method", METHODS)
@given(rows=plain_rows(max_rows=40, n_events=3, n_ids=9), k=st.integers(2, 4), knows=KNOWS)
def test_whoever_links_by_best_match_finds_nobody_more_surely_than_one_in_k(method, rows, k, knows):
    original = plain_table(rows)
    released, key = anonymize(original, k, guarantee="identical", method=method, with_key=True)
    if not released.empty:
        found = attacked(released, original, key, k, knows)
        assert (found["worst_probability"] <= 1 / k).all()
        assert (found[["below_k_share", "unique_share"]] == 0).all(axis=None)


@given(rows=plain_rows(max_rows=30, n_ids=8), k=st.integers(2, 3), links=taxonomies(NAMES), knows=KNOWS)
def test_whoever_links_categories_finds_nobody_more_surely_either(rows, k, links, knows):
    original = plain_table(rows)
    released, key = anonymize(original, k, guarantee="identical", taxonomy=links, with_key=True)
    if not released.empty:
        found = attacked(released, original, key, k, knows, taxonomy=links)
        assert (found["worst_probability"] <= 1 / k).all()


def attacked(released, original, key, k, knows, **more):
    return released.seqpriv.risk(attack="linkage", original=original, key=key, k=k, knows=knows, **more)


def test_the_attacks_do_find_people_at_the_weaker_levels():
    """Else the tests above could not fail."""
    original = table_of(random_texts(5, 60, 10))
    worst = {}
    for guarantee in GUARANTEES:
        released, key = original.seqpriv.k_anonymize(3, guarantee=guarantee, with_key=True)
        worst[guarantee] = attacked(released, original, key, 3, "whole")["worst_probability"].max()
    assert worst["contained"] > 1 / 3 >= worst["identical"]
