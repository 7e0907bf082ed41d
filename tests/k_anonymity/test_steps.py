"""Summaries, plans and functions can be sent to where the data are, and partitions merge in any order."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.k_anonymity.key import find_owners, merge_owners
from pdseqpriv.k_anonymity.plan import make_plan
from pdseqpriv.k_anonymity.release import Piece, cut, make
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of
from pdseqpriv.sequences.variants import merge_variants, variants_of
from tests.engines.posted import Posted, posted
from tests.k_anonymity.cases import GUARANTEES, METHODS, anonymize
from tests.sequences import naive as naive_table
from tests.strategies import plain_rows, plain_table, tables


def in_parts(frame, columns=Columns(), n=3):  # noqa: B008 (frozen)
    """Return the sequences of some parts, which hold whole sequences; a part may be empty."""
    owner = pd.factorize(frame["seq_id"])[0] % n
    return [sequences_of(frame[owner == part], columns) for part in range(n)]


def assert_same(first, second):
    """Compare summaries, field by field."""
    assert type(first) is type(second)
    for name, one, other in zip(first._fields, first, second, strict=True):
        if isinstance(one, np.ndarray | pd.Index):
            assert list(one) == list(other), name
        else:
            assert one == other, name


@given(tables(), st.permutations(range(3)), st.sampled_from(["element", "order"]))
def test_variants_merge_in_any_order(frame, order, ties):
    columns = Columns(ties=ties)
    a, b, c = (variants_of(in_parts(frame, columns)[i]) for i in order)
    whole = variants_of(sequences_of(frame, columns))
    assert_same(merge_variants(merge_variants(a, b), c), whole)
    assert_same(merge_variants(a, merge_variants(b, c)), whole)


@given(plain_rows())
def test_variants_are_the_distinct_sequences(rows):
    variants = variants_of(sequences_of(plain_table(rows), Columns()))
    codes = {name: code for code, name in enumerate(["a", "b", "c", "d"])}
    found = []
    for begin, end, count in zip(variants.offsets, variants.offsets[1:], variants.counts, strict=False):
        elements = []
        for symbol in variants.symbols[begin:end]:
            if symbol % 2:
                elements.append([])
            elements[-1].append(codes[variants.vocabulary[symbol // 2]])
        found += [elements] * count
    people = [naive_table.unmarked(one) for one in naive_table.sequences(rows).values()]
    assert sorted(found) == sorted(people)
    assert len({str(one) for one in people}) == variants.counts.size


@given(tables(), st.permutations(range(3)), st.sampled_from(METHODS))
def test_owners_merge_in_any_order(frame, order, method):
    whole = sequences_of(frame, Columns())
    plan = make_plan(variants_of(whole), 2, method, "contained", None)
    a, b, c = (find_owners(in_parts(frame)[i], plan) for i in order)
    expected = find_owners(whole, plan)
    assert_same(merge_owners(merge_owners(a, b), c), expected)
    assert_same(merge_owners(a, merge_owners(b, c)), expected)


@given(tables(), st.integers(2, 3), st.sampled_from(METHODS), st.sampled_from(GUARANTEES))
def test_what_went_through_the_post_gives_the_same_answer(frame, k, method, guarantee):
    asked = {"method": method, "guarantee": guarantee, "with_key": True, "seed": 1}
    here = anonymize(frame, k, **asked)
    for partitions in (1, 3):
        there = anonymize(BoundTable(frame, Columns(), Posted(partitions)), k, **asked)
        for one, other in zip(there, here, strict=True):
            pd.testing.assert_frame_equal(one, other)


@given(tables(), st.integers(2, 3), st.sampled_from(METHODS), st.sampled_from(GUARANTEES))
def test_a_plan_is_posted_and_changed_by_nobody(frame, k, method, guarantee):
    plan = make_plan(variants_of(sequences_of(frame, Columns())), k, method, guarantee, None)
    whole, n = Piece(plan.released, 0, Columns(), None), int(plan.released.counts.sum())
    rows = make(whole)
    for again in (posted(whole), cut(whole, 0, n), whole):
        pd.testing.assert_frame_equal(make(again), rows)
    pieces = [make(posted(cut(whole, one, one + 1))) for one in range(n)]
    assert [piece["seq_id"].unique().tolist() for piece in pieces] == [[one] for one in range(n)]
    if n:
        together = pd.concat(pieces, ignore_index=True)
        pd.testing.assert_frame_equal(together, rows, check_categorical=False, check_dtype=False)
