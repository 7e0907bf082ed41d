"""The method "subsequence": what it promises of every release, and answers worked out by hand.

Which of several subsequences it chooses is its own business, so no second copy of the search is kept here.
"""

from __future__ import annotations

import random
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.k_anonymity import subsequence, walks
from pdseqpriv.options import options
from tests.k_anonymity import naive
from tests.k_anonymity.cases import (
    GUARANTEES,
    anonymize,
    elements_of,
    people_of,
    random_texts,
    table_of,
    texts_of,
)
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS, plain_rows, plain_table, taxonomies


@pytest.mark.parametrize(
    ("k", "texts", "expected"),
    [
        (3, ["axb", "ayb", "azb"], ["ab", "ab", "ab"]),  # nobody shares x, y, z
        (3, ["aab", "aab", "ab"], ["ab", "ab", "ab"]),  # two have a twice, three have it once
        (3, ["aaa", "aaa", "aa", "b"], ["aa", "aa", "aa"]),
        (2, ["abcde", "abcde", "xbxd"], ["abcde", "abcde", "bd"]),
        (2, ["ab", "ba", "b"], ["b", "b", "b"]),  # one of two events can stay: more have b
        (2, ["abz", "ab", "ab", "z", "z", "z"], ["ab", "ab", "ab", "z", "z", "z"]),  # two events, not one
        (2, ["abcabc", "abcabc", "cxb"], ["abcabc", "abcabc", "cb"]),
    ],
)
@pytest.mark.filterwarnings("ignore:k_anonymize. dropped")
def test_known_answers(k, texts, expected):
    released, key = table_of(texts).seqpriv.k_anonymize(k, with_key=True)
    given_out = texts_of(released)
    assert [given_out[i] for i in key["released_id"].dropna()] == expected


@given(plain_rows(), st.integers(2, 4), st.sampled_from(GUARANTEES))
def test_subsequences_are_true_of_their_person(rows, k, guarantee):
    people = people_of(rows)
    released, key = anonymize(plain_table(rows), k, guarantee=guarantee, with_key=True)
    given_out = elements_of(released)
    assert key["seq_id"].tolist() == list(people)
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if pd.notna(released_id):
            assert naive_table.contains(people[owner], given_out.pop(released_id))
    assert not given_out  # everything that is released is somebody's


@given(plain_rows(), st.integers(2, 4))
def test_who_is_shared_as_a_whole_comes_out_whole(rows, k):
    people = people_of(rows)
    released, key = anonymize(plain_table(rows), k, with_key=True)
    given_out = elements_of(released)
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if people[owner] and naive.support(people.values(), people[owner]) >= k:
            assert given_out[released_id] == people[owner]


@given(plain_rows(), st.integers(2, 4))
def test_nobody_is_dropped_who_has_an_event_that_k_people_have(rows, k):
    people = people_of(rows)
    _, key = anonymize(plain_table(rows), k, with_key=True)
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        assert pd.notna(released_id) == (naive.most_that_k_share(people.values(), people[owner], k) > 0)


def test_rare_events_stay_in_what_is_shared_as_a_whole():
    # At every step there are more than enough shorter patterns that far more people share.
    texts = ["p"] * 5000 + [f"p{event}" for event in "abcdefghi" for _ in range(10)] + ["pabcdefghi"] * 2
    assert sorted(texts_of(table_of(texts).seqpriv.k_anonymize(2))) == sorted(texts)


def random_people(seed, *, longest=6, most=9, together=(1,)):
    """Return some people with short sequences; an element has one of so many events."""
    chance = random.Random(seed)  # noqa: S311 (nothing secret)
    lengths = [chance.randint(longest // 2, longest) for _ in range(chance.randint(most // 2, most))]
    return [
        tuple(tuple(sorted(chance.sample(range(4), chance.choice(together)))) for _ in range(length))
        for length in lengths
    ]


def frame_of(people):
    rows = [
        (i, t, event) for i, one in enumerate(people) for t, element in enumerate(one) for event in element
    ]
    rows = [(i, EVENTS[event], t) for i, t, event in rows]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


@pytest.mark.parametrize(
    ("share", "shape"),
    [
        (1, {}),
        (0.99, {"together": (1, 1, 2)}),
        (0.97, {"longest": 7, "most": 12, "together": (1, 2)}),  # more patterns than are followed at once
    ],
)
def test_what_is_kept_is_nearly_all_that_could_be(share, shape):
    kept = possible = 0
    for seed in range(30):
        people = random_people(seed, **shape)
        kept += len(anonymize(frame_of(people), 2))
        possible += sum(naive.most_that_k_share(people, one, 2) for one in people)
    assert share * possible <= kept <= possible


@given(plain_rows(), st.integers(2, 4))
def test_a_mutual_release_has_nothing_left_to_shorten(rows, k):
    released = anonymize(plain_table(rows), k, guarantee="mutual")
    pd.testing.assert_frame_equal(anonymize(released, k), released)


def test_events_that_are_far_apart():
    texts = ["a" + "b" * 400 + "c" + "d" * 300 + "e", "ace", "abce"]
    assert texts_of(table_of(texts).seqpriv.k_anonymize(3)) == ["ace"] * 3


@pytest.mark.parametrize("apart", [60, 61, 62, 63, 64, 252, 253, 254, 255, 256, 300])
def test_events_that_are_far_apart_stay_in_their_order(apart):
    df = table_of(["a" + "b" * apart + "c", "acb", "acb"])
    released = df.seqpriv.k_anonymize(3)
    assert [len(text) for text in texts_of(released)] == [2, 2, 2]  # a c, or a b, but two have a c b
    assert pdseqpriv.verify.is_k_anonymous(df, released, 3)


@pytest.mark.parametrize("table", [0, 100, walks.PLACES])
@pytest.mark.parametrize("room", [1, 600, 3000, walks.WITNESSES])
@pytest.mark.parametrize("together", [1, 2])
@pytest.mark.parametrize(
    "taxonomy", [None, {"a": "A", "b": "A", "c": "C", "d": "C", "A": "AC", "C": "AC", "e": "E"}]
)
def test_little_memory_changes_nothing(monkeypatch, room, table, together, taxonomy):
    df = table_of(random_texts(7, 60, 30))
    df["time"] //= together
    asked = {"k": 5, "taxonomy": taxonomy}
    plenty = df.seqpriv.k_anonymize(**asked)
    assert len(df) / 2 < len(plenty) < len(df)
    monkeypatch.setattr(walks, "WITNESSES", room)
    monkeypatch.setattr(walks, "PATTERNS", room)
    monkeypatch.setattr(walks, "PLACES", table)
    pd.testing.assert_frame_equal(df.seqpriv.k_anonymize(**asked), plenty)
    assert pdseqpriv.verify.is_k_anonymous(df, plenty, **asked)


@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.parametrize("length", [70, 300])
def test_long_sequences_are_read_alike_from_tables_and_from_the_text(monkeypatch, length, together):
    df = table_of(random_texts(5, 20, length))
    df["time"] //= together
    noted = df.seqpriv.k_anonymize(4)
    monkeypatch.setattr(walks, "PLACES", 0)
    pd.testing.assert_frame_equal(df.seqpriv.k_anonymize(4), noted)
    assert noted.groupby("seq_id").size().max() > length // 3
    assert pdseqpriv.verify.is_k_anonymous(df, noted, 4)


@given(plain_rows(max_rows=40), st.integers(2, 3), st.integers(1, 9), st.booleans())
def test_blocks_cost_no_guarantee_and_drop_nobody(rows, k, n_events, mutual):
    people = people_of(rows)
    with small_blocks(n_events):
        released, key = anonymize(
            plain_table(rows), k, guarantee="mutual" if mutual else "contained", with_key=True
        )
    given_out = elements_of(released)
    assert all(naive.support(people.values(), one) >= k for one in given_out.values())
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if pd.notna(released_id):
            assert naive_table.contains(people[owner], given_out[released_id])
        elif not mutual:
            assert naive.most_that_k_share(people.values(), people[owner], k) == 0
    if mutual:
        assert all(naive.support(given_out.values(), one) >= k for one in given_out.values())


@given(plain_rows(max_rows=60, n_ids=12), st.integers(2, 4), st.integers(1, 9))
def test_blocks_never_cut_what_is_shared_as_a_whole(rows, k, n_events):
    people = people_of(rows)
    with small_blocks(n_events):
        released, key = anonymize(plain_table(rows), k, with_key=True)
    given_out = elements_of(released)
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if people[owner] and naive.support(people.values(), people[owner]) >= k:
            assert given_out[released_id] == people[owner]


@pytest.mark.parametrize("links", [None, dict.fromkeys("aceg", "odd") | dict.fromkeys("bdfh", "even")])
@pytest.mark.parametrize("room", [1, 20, 10_000])
@pytest.mark.parametrize("together", [1, 2])
def test_sequences_are_found_whole_by_bits_and_by_lists(monkeypatch, room, together, links):
    texts = random_texts(3, 300, 9, letters="aaaabbbccdefgh")
    df = table_of(texts)
    df["time"] //= together
    people = [
        tuple(tuple(sorted(set(t[i : i + together]))) for i in range(0, len(t), together)) for t in texts
    ]
    expected = {i for i, one in enumerate(people) if naive.support(people, one) >= 3}
    assert 20 < len(expected) < 280
    monkeypatch.setattr(subsequence, "BITS", room)  # words: for no row of bits, or for some, or for all
    monkeypatch.setattr(subsequence, "LOOK_UPS", 1)  # in as many lots as there are at most
    with small_blocks(5):
        released, key = df.seqpriv.k_anonymize(3, taxonomy=links, with_key=True)
    released = released[~released["event"].isin({"odd", "even"})]
    lengths = released.groupby("seq_id").size()
    kept = {i for i, new in enumerate(key["released_id"]) if lengths.get(new) == sum(map(len, people[i]))}
    assert kept == expected


@given(plain_rows(max_rows=40, n_ids=9), st.integers(2, 3), st.integers(1, 30), st.sampled_from(GUARANTEES))
def test_threads_change_nothing(rows, k, n_events, guarantee):
    answers = []
    for threads in (1, 3):
        with small_blocks(n_events) as patch:
            patch.setattr(options, "threads", threads)
            answers.append(anonymize(plain_table(rows), k, guarantee=guarantee))
    pd.testing.assert_frame_equal(*answers)


@given(plain_rows(max_rows=40, n_ids=9), st.integers(2, 3), st.integers(1, 9), taxonomies(EVENTS[:4]))
def test_blocks_never_blur_what_is_shared_as_a_whole(rows, k, n_events, links):
    people = people_of(rows)
    with small_blocks(n_events):
        released, key = anonymize(plain_table(rows), k, taxonomy=links, with_key=True)
    given_out = elements_of(released, [*EVENTS[:4], *sorted(set(links.values()))])
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if people[owner] and naive.support(people.values(), people[owner]) >= k:
            assert given_out[released_id] == people[owner]


def test_an_event_is_worth_more_than_its_category_however_rare_it_is():
    counts = {"a": 300_000, "b": 2, "c": 5}
    df = pd.DataFrame({"event": np.repeat(list(counts), list(counts.values())), "time": 0})
    released = df.assign(seq_id=range(len(df))).seqpriv.k_anonymize(
        2, taxonomy={"b": "C", "c": "C", "a": "A"}
    )
    assert released["event"].value_counts().to_dict() == counts


def test_of_two_categories_the_narrower_one_is_kept():
    above = {
        "flu": "lungs",
        "cold": "lungs",
        "lungs": "illness",
        "gout": "illness",
        "cut": "illness",
        "x": "y",
    }
    df = pd.DataFrame({"event": ["flu", "cold", "gout", "cut", "x", "x"], "time": 0}).rename_axis("seq_id")
    released = df.reset_index().seqpriv.k_anonymize(2, taxonomy=above)
    assert sorted(released["event"]) == ["illness", "illness", "lungs", "lungs", "x", "x"]


@contextmanager
def small_blocks(n_events):
    """Walk blocks of so few events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walks, "EVENTS", n_events)
        patch.setattr(walks, "EVENTS_PER_K", 0)
        yield patch


@given(plain_rows(max_rows=40), st.integers(2, 3))
def test_blocks_that_are_large_enough_change_nothing(rows, k):
    whole = anonymize(plain_table(rows), k)
    with small_blocks(len(rows) or 1):
        pd.testing.assert_frame_equal(anonymize(plain_table(rows), k), whole)


def test_the_longest_sequences_are_looked_at_for_every_block():
    df = table_of(["abc", "abd", "cba", "cbd", "dab", "ddabcbd"])
    with small_blocks(7):
        assert texts_of(df.seqpriv.k_anonymize(2)) == ["abc", "abd", "cb", "cbd", "dab", "dab"]
