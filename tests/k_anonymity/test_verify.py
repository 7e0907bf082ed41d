"""is_k_anonymous counts what brute force counts, finds what was tampered with, and names nothing."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import verify
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.k_anonymity import verify_search
from tests.k_anonymity import naive
from tests.k_anonymity.cases import GUARANTEES, people_of, random_texts, table_of
from tests.strategies import plain_rows, plain_table

LEVEL = st.sampled_from(GUARANTEES)


@given(plain_rows(max_rows=30), plain_rows(max_rows=10, n_ids=3), st.integers(2, 4), LEVEL)
def test_verify_counts_what_brute_force_counts(rows, shown, k, guarantee):
    people = list(people_of(rows).values())
    released = [one for one in people_of(shown).values() if one]
    wrong = [
        naive.support(people, one) < k
        or (guarantee == "mutual" and naive.support(released, one) < k)
        or (guarantee == "identical" and released.count(one) < k)
        for one in released
    ]
    verdict = pdseqpriv.verify.is_k_anonymous(plain_table(rows), plain_table(shown), k, guarantee=guarantee)
    assert (verdict.holds, verdict.checked, verdict.violations) == (not any(wrong), len(released), sum(wrong))
    assert verdict.details["sequences"].sum() == sum(wrong)
    columns = {"contained": [], "mutual": ["in_release"], "identical": ["sequences"]}[guarantee]
    assert (verdict.details[["in_original", *columns]].min(axis=1) < k).all()


def test_verify_counts_people_with_marked_events_only():
    df = table_of(["ab", "ab", "xx"])
    df["event"] = df["event"].where(df["event"] != "x")
    verdict = pdseqpriv.verify.is_k_anonymous(df, df[df["seq_id"] < 2], 2)
    assert repr(verdict) == (
        "holds: each of 2 released sequences is contained in at least 2 of the 3 original ones"
    )


def test_verify_with_rare_and_common_events():
    chance = random.Random(3)  # noqa: S311 (nothing secret)
    letters = "aaaaaaaabbbbbcccdde"
    texts = ["".join(chance.choices(letters, k=chance.randint(1, 9))) for _ in range(700)]
    shown = ["".join(chance.choices(letters, k=chance.randint(1, 7))) for _ in range(200)]
    people = [[[letter] for letter in text] for text in texts]
    supports = {text: naive.support(people, [[letter] for letter in text]) for text in shown}
    for k in (2, 5, 40):
        verdict = pdseqpriv.verify.is_k_anonymous(table_of(texts), table_of(shown), k)
        assert verdict.violations == sum(supports[text] < k for text in shown)
        assert 0 < verdict.violations < verdict.checked


def test_verify_finds_a_release_that_was_tampered_with():
    df = table_of(random_texts(1, 40, 12))
    released = df.seqpriv.k_anonymize(4)
    assert pdseqpriv.verify.is_k_anonymous(df, released, 4)
    swapped = released.assign(time=-released["time"])
    assert not pdseqpriv.verify.is_k_anonymous(df, swapped, 4)
    unknown = released.replace({"event": {"a": "never seen"}})
    assert not pdseqpriv.verify.is_k_anonymous(df, unknown, 4)
    numbers = released.assign(event=1)
    assert not pdseqpriv.verify.is_k_anonymous(df, numbers, 4)


def test_verify_tells_no_value_and_wants_a_sensible_k():
    df = table_of(["secret", "word"])
    verdict = pdseqpriv.verify.is_k_anonymous(df, df, 2)
    assert verdict.details.dtypes.map(lambda dtype: dtype.kind).unique().tolist() == ["i"]
    for k in (1, 2.5, "2"):
        with pytest.raises(SeqPrivError, match="is_k_anonymous: k must be an int of at least 2"):
            pdseqpriv.verify.is_k_anonymous(df, df, k)
    with pytest.raises(SeqPrivError, match='guarantee must be one of "contained", "mutual", "identical"'):
        pdseqpriv.verify.is_k_anonymous(df, df, 2, guarantee="yes")


@pytest.mark.parametrize("person", [None, "who"])
def test_pieces_for_several_threads_find_the_same(monkeypatch, person):
    df = table_of(random_texts(5, 60, 8)).assign(who=lambda rows: rows["seq_id"] // 2)
    released = df.drop(columns="who")
    whole = pdseqpriv.verify.is_k_anonymous(df, released, 3, person=person)
    assert not whole
    monkeypatch.setattr(verify_search, "_CHUNK", 5)
    pieces = pdseqpriv.verify.is_k_anonymous(df, released, 3, person=person)
    assert (pieces.violations, pieces.checked) == (whole.violations, whole.checked)


@pytest.mark.parametrize("ids", ["seq_id", "user"])
@pytest.mark.parametrize("guarantee", ["contained", "identical"])
def test_a_plain_release_is_read_with_the_ties_of_the_original_whatever_columns_are_called(ids, guarantee):
    original = pd.DataFrame({ids: [1, 1, 2, 2], "event": list("abab"), "time": 0})
    released = pd.DataFrame({ids: [0, 0, 1, 1], "event": list("aaaa"), "time": 0})
    named = {"ties": "order", "seq_id": ids}
    bound = original.seqpriv.using(**named)
    # "a, then a" is in nobody's sequence; as a set of simultaneous events it would be in both.
    assert not verify.is_k_anonymous(original, released, 2, guarantee=guarantee, **named)
    assert not verify.is_k_anonymous(bound, released, 2, guarantee=guarantee)
    as_sets = released.seqpriv.using(ties="element", seq_id=ids)
    assert verify.is_k_anonymous(bound, as_sets, 2)
