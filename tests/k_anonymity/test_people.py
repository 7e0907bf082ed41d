"""People with several sequences: every guarantee counts different people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.k_anonymity import identical
from pdseqpriv.options import options
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of
from pdseqpriv.sequences.variants import merge_variants, variants_of
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
from tests.strategies import EVENTS, plain_rows, plain_table, tables, taxonomies, with_people

PERSONAL = Columns(person="person")
N = 12
ASKED = st.fixed_dictionaries({"method": st.sampled_from(METHODS), "guarantee": st.sampled_from(GUARANTEES)})


def owners(n=N):
    """Whose each of n sequences is: people with one to five sequences."""
    sizes = st.lists(st.integers(1, 5), min_size=n, max_size=n)
    in_order = sizes.map(lambda several: np.repeat(np.arange(n), several)[:n].tolist())
    return in_order.flatmap(st.permutations)


def personal(rows, whose, partitions=1):
    table = plain_table(rows)
    table["person"] = [f"person {whose[one]}" for one in table["seq_id"]]
    return BoundTable(table, PERSONAL, Local(partitions))


def owners_of(key):
    """Return whose each released sequence is."""
    left = key[key["released_id"].notna()]
    return dict(zip(left["released_id"].astype(int), left["person"], strict=True))


def texts_with(texts, people):
    frame = table_of(texts).assign(person=np.repeat(people, [len(text) for text in texts]))
    return BoundTable(frame, PERSONAL)


def too_few(original, whose, shown, whose_shown, k, guarantee, around=None):  # noqa: PLR0917
    """Return, for each released sequence, whether fewer than k different people share it.

    ``around`` is what released sequences contain, if that is more than what they show.
    """
    around = around or shown
    return [
        len(naive.people_with(original, whose, one)) < k
        or (guarantee == "mutual" and len(naive.people_with(around, whose_shown, one)) < k)
        or (guarantee == "identical" and len({whose_shown[i] for i in shown if shown[i] == one}) < k)
        for one in shown.values()
    ]


@given(plain_rows(max_rows=40, n_ids=N), owners(), st.integers(2, 4), ASKED)
def test_the_guarantee_counts_different_people(rows, whose, k, asked):
    table = personal(rows, whose)
    released, key = anonymize(table, k, **asked, with_key=True)
    shown, whose_shown = elements_of(released), owners_of(key)
    assert set(shown) == set(whose_shown)
    wrong = too_few(people_of(rows), whose, shown, whose_shown, k, asked["guarantee"])
    assert not any(wrong)
    assert pdseqpriv.verify.is_k_anonymous(table, released, k, guarantee=asked["guarantee"], key=key)


@given(
    plain_rows(max_rows=40, n_ids=N),
    owners(),
    st.integers(2, 4),
    taxonomies(EVENTS[:4]),
    st.sampled_from(GUARANTEES),
)
def test_the_guarantee_counts_different_people_under_a_taxonomy(rows, whose, k, links, guarantee):
    table, taxonomy = personal(rows, whose), pdseqpriv.Taxonomy(links)
    asked = {"guarantee": guarantee, "taxonomy": taxonomy}
    released, key = anonymize(table, k, **asked, with_key=True)
    shown, around = shown_elements(released), shown_elements(released, taxonomy)
    wrong = too_few(wide_people(rows, taxonomy), whose, shown, owners_of(key), k, guarantee, around)
    assert not any(wrong)
    assert pdseqpriv.verify.is_k_anonymous(table, released, k, **asked, key=key)


@given(tables(n_ids=7, max_rows=40), st.integers(2, 4), ASKED, st.booleans())
def test_with_one_sequence_each_nothing_changes(frame, k, asked, are_backwards):
    number = pd.factorize(frame["seq_id"].astype(object))[0]
    personal_frame = frame.assign(person=-number if are_backwards else number)
    released, key = anonymize(frame, k, **asked, with_key=True, seed=1)
    again, key_again = anonymize(BoundTable(personal_frame, PERSONAL), k, **asked, with_key=True, seed=1)
    pd.testing.assert_frame_equal(again, released)
    pd.testing.assert_frame_equal(key_again.drop(columns="person"), key)


@given(plain_rows(max_rows=40, n_ids=N), owners(), st.integers(2, 3), ASKED)
def test_partitions_do_not_matter(rows, whose, k, asked):
    whole, key = anonymize(personal(rows, whose), k, **asked, with_key=True, seed=1)
    for partitions in (3, 7):
        table = personal(rows, whose, partitions)
        released, key_again = anonymize(table, k, **asked, with_key=True, seed=1)
        pd.testing.assert_frame_equal(released, whole)
        pd.testing.assert_frame_equal(key_again, key)


@given(with_people(tables()))
def test_summaries_of_parts_say_who_has_what(frame):
    parts = [sequences_of(frame[frame["person"] == one], PERSONAL) for one in frame["person"].unique()]
    if not parts:
        return
    merged = variants_of(parts[0])
    for part in parts[1:]:
        merged = merge_variants(merged, variants_of(part))
    whole = variants_of(sequences_of(frame, PERSONAL))
    assert merged.counts.tolist() == whole.counts.tolist()
    assert merged.symbols.tolist() == whole.symbols.tolist()
    assert merged.people.lengths.tolist() == whole.people.lengths.tolist()
    # Parts number people differently, so compare who has which variants.
    assert sorted(variants_by_person(merged)) == sorted(variants_by_person(whole))


def variants_by_person(variants):
    owners, values = variants.people.owners.tolist(), variants.people.values.tolist()  # noqa: PD011 (lists)
    found = {}
    for variant, person in zip(owners, values, strict=True):
        found.setdefault(person, []).append(variant)
    return list(found.values())


@given(plain_rows(max_rows=60, n_ids=N), owners(), st.integers(2, 3), st.integers(1, 30))
def test_neither_calls_nor_threads_change_what_is_identical(rows, whose, k, n_rows):
    whole = anonymize(personal(rows, whose), k, guarantee="identical")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identical, "ROWS", n_rows)
        patch.setattr(options, "threads", 2)
        pd.testing.assert_frame_equal(anonymize(personal(rows, whose), k, guarantee="identical"), whole)


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("method", METHODS)
def test_two_sequences_of_one_person_are_not_two_people(guarantee, method):
    table = texts_with(["ab", "ab", "cd", "cd"], ["ann", "ann", "bo", "cy"])
    released, key = anonymize(table, 2, guarantee=guarantee, method=method, with_key=True)
    assert texts_of(released) == ["cd", "cd"]
    assert key["released_id"].isna().tolist() == [True, True, False, False]
    assert key["person"].tolist() == ["ann", "ann", "bo", "cy"]


def test_people_keep_all_that_enough_others_share():
    table = texts_with(["abc", "abc", "abx", "abx"], ["ann", "ann", "bo", "bo"])
    for guarantee in GUARANTEES:
        assert texts_of(anonymize(table, 2, guarantee=guarantee)) == ["ab"] * 4


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("seed", range(3))
def test_larger_tables_than_one_call_looks_at(guarantee, seed):
    texts = random_texts(seed, 400, 14, "abcdefgh")
    people = np.random.default_rng(seed).integers(0, 120, 400)
    table = texts_with(texts, people)
    released, key = anonymize(table, 4, guarantee=guarantee, with_key=True)
    assert 0.2 < len(released) / len(table.frame) < 1
    shown, whose_shown = elements_of(released, list("abcdefgh")), owners_of(key)
    original = elements_of(table.frame, list("abcdefgh"))
    assert not any(too_few(original, dict(enumerate(people)), shown, whose_shown, 4, guarantee))


@given(
    plain_rows(max_rows=30, n_ids=8),
    owners(8),
    plain_rows(max_rows=10, n_ids=4, marked=False),
    st.integers(2, 4),
    st.sampled_from(GUARANTEES),
    st.permutations(range(8)),
)
def test_the_check_counts_people_by_brute_force(  # noqa: PLR0917
    rows, whose, shown_rows, k, guarantee, order
):
    original, shown = people_of(rows), people_of(shown_rows)
    ids = [one for one in order if one in original]
    if len(ids) < len(shown):
        return
    whose_shown = {released: whose[one] for released, one in zip(shown, ids, strict=False)}
    table, released = personal(rows, whose), plain_table(shown_rows)
    released_ids = [*shown, *[None] * (len(ids) - len(shown))]
    key = pd.DataFrame({"seq_id": ids, "released_id": pd.array(released_ids, "Int64")})
    wrong = too_few(original, whose, shown, whose_shown, k, guarantee)
    verdict = pdseqpriv.verify.is_k_anonymous(table, released, k, guarantee=guarantee, key=key)
    assert (verdict.checked, verdict.violations) == (len(shown), sum(wrong))
    assert verdict.holds == (not any(wrong))


def test_the_check_says_that_people_are_counted():
    table = texts_with(["ab", "ab", "ab"], ["ann", "ann", "bo"])
    released, key = table_of(["ab"] * 3), pd.DataFrame({"seq_id": [0, 1, 2], "released_id": [1, 0, 2]})
    check = pdseqpriv.verify.is_k_anonymous
    start = "each of 3 released sequences is contained in sequences of at least 2 of the 2 people"
    assert repr(check(table, released, 2)) == f"holds: {start}"
    mutual = check(table, released, 2, guarantee="mutual", key=key)
    assert repr(mutual) == f"holds: {start} and in released ones of at least 2 of them"
    equal = check(table, released, 2, guarantee="identical", key=key)
    assert repr(equal) == f"holds: {start} and equal to released ones of at least 2 of them"
    too_much = check(table, released, 3, guarantee="identical", key=key)
    assert repr(too_much) == (
        "does not hold: 3 of 3 released sequences are contained in sequences of fewer than 3 of the 2 people "
        "or equal to released ones of fewer than 3 of them"
    )
    assert too_much.details.to_dict("list") == {
        "events": [2],
        "in_original": [2],
        "sequences": [3],
        "people": [2],
    }
    nothing = check(table, released.iloc[:0], 2)
    assert repr(nothing) == "holds: the release is empty and shows nothing of the 2 people"


@pytest.mark.parametrize("guarantee", ["mutual", "identical"])
def test_the_check_needs_the_key_to_count_people_in_a_release(guarantee):
    table = texts_with(["ab", "ab", "ab"], ["ann", "ann", "bo"])
    with pytest.raises(SeqPrivError, match=r"is_k_anonymous: key must be given .* with_key=True returns"):
        pdseqpriv.verify.is_k_anonymous(table, table_of(["ab"]), 2, guarantee=guarantee)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("key", "key must be the frame that k_anonymize.*'seq_id' and 'released_id', got str"),
        ({"seq_id": [0, 1, 2]}, r"got columns \['seq_id'\]"),
        ({"seq_id": [0, 1], "released_id": [0, 1]}, "each of the 3 sequences of the original once.*another"),
        ({"seq_id": [0, 1, 1], "released_id": [0, 1, None]}, "each of the 3 sequences of the original once"),
        ({"seq_id": [0, 1, 7], "released_id": [0, 1, None]}, "each of the 3 sequences of the original once"),
        ({"seq_id": ["0", "1", "2"], "released_id": [0, 1, None]}, "each of the 3 sequences of the original"),
        ({"seq_id": [0, 1, 2], "released_id": [0, 1, 2]}, "each of the 2 sequences of the release once"),
        (
            {"seq_id": [0, 1, 2], "released_id": [0, None, None]},
            "each of the 2 sequences of the release once",
        ),
        ({"seq_id": [0, 1, 2], "released_id": [0, 1, 1]}, "each of the 2 sequences of the release once"),
        ({"seq_id": [0, 1, 2], "released_id": ["a", "b", None]}, "each of the 2 sequences of the release"),
        (
            {"seq_id": [0, 1, 2], "person": ["ann", "bo", "bo"], "released_id": [0, 1, None]},
            "the people of the original",
        ),
    ],
)
@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_keys_of_other_tables_are_refused(key, words, guarantee):
    table = texts_with(["ab", "ab", "ab"], ["ann", "ann", "bo"])
    given_key = key if isinstance(key, str) else pd.DataFrame(key)
    with pytest.raises(SeqPrivError, match=words) as caught:
        pdseqpriv.verify.is_k_anonymous(table, table_of(["ab"] * 2), 2, guarantee=guarantee, key=given_key)
    assert "ann" not in str(caught.value)


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.filterwarnings("ignore:k_anonymize. dropped")
def test_the_key_says_whose_and_which_are_equal(guarantee):
    texts = ["ab", "abx", "q", "cd", "cd", "aby"]
    people = ["ann", "bo", "bo", "ann", "cy", "di"]
    frame = table_of(texts).assign(customer=np.repeat(people, [len(text) for text in texts]))
    bound = frame.rename(columns={"seq_id": "visit"}).seqpriv.using(seq_id="visit", person="customer")
    released, key = bound.k_anonymize(2, guarantee=guarantee, with_key=True, seed=0)
    has_groups = guarantee == "identical"
    assert list(released.columns) == ["visit", "event", "time"]
    assert list(key.columns) == ["visit", "customer", "released_id", *(["group"] if has_groups else [])]
    assert key["customer"].tolist() == people
    if has_groups:
        assert key["group"].dtype == "Int64"
        assert key["group"].tolist() == [0, 0, pd.NA, 1, 1, 0]
        assert key.sort_values("released_id")["group"].dropna().tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("name", ["released_id", "group"])
def test_names_of_the_key_are_taken(name):
    frame = table_of(["ab", "ab"]).assign(person="ann").rename(columns={"person": name})
    bound = frame.seqpriv.using(person=name)
    with pytest.raises(SeqPrivError, match=f"key needs the column name {name!r}. Rename the person's column"):
        bound.k_anonymize(2, with_key=True)
    renamed = table_of(["ab", "ab"]).rename(columns={"seq_id": name}).seqpriv.using(seq_id=name)
    with pytest.raises(SeqPrivError, match=f"key needs the column name {name!r}. Rename the id column"):
        renamed.k_anonymize(2, with_key=True)


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("seed", range(3))
def test_released_ids_do_not_bring_a_persons_sequences_together(guarantee, seed):
    """Two sequences of a person in one class are as far apart as any two of the class."""
    n = 2000
    table = texts_with(["abc"] * n, np.repeat(np.arange(n // 2), 2))
    _, key = anonymize(table, 10, guarantee=guarantee, with_key=True, seed=seed)
    first, second = key["released_id"].to_numpy(np.int64).reshape(-1, 2).T
    apart = np.abs(first - second)
    # Of two places out of n, drawn at random, the mean distance is n / 3, with a deviation of n / sqrt(18).
    assert abs(apart.mean() / n - 1 / 3) < 4 / np.sqrt(18 * n / 2)
    assert (apart == 1).sum() <= 6  # one is expected
    assert abs(np.corrcoef(np.arange(n // 2), first)[0, 1]) < 4 / np.sqrt(n / 2)


def test_the_record_says_that_people_were_counted():
    released = anonymize(texts_with(["ab", "ab"], ["ann", "bo"]), 2)
    (step,) = released.attrs["pdseqpriv"]["applied"]
    asked = {"k": 2, "guarantee": "contained", "method": "subsequence", "taxonomy": False}
    assert step["parameters"] == {**asked, "people": True}
