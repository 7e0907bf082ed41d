"""Columns that are kept beside the sequences: at least k people share both."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import PrivacyWarning, SeqPrivError
from tests.k_anonymity.cases import GUARANTEES, METHODS, anonymize, elements_of, people_of, table_of
from tests.k_anonymity.test_people import PERSONAL, N, owners, owners_of
from tests.kept_columns.naive import tells_truth
from tests.sequences.naive import contains
from tests.strategies import plain_rows, plain_table

KEEP = ["sex", "age"]
ASKED = st.fixed_dictionaries({"method": st.sampled_from(METHODS), "guarantee": st.sampled_from(GUARANTEES)})
# For each person a sex and an age.
told = st.lists(
    st.tuples(st.sampled_from(["f", "m", None]), st.sampled_from([30, 40, None])), min_size=N, max_size=N
)


def with_kept(rows, whose, values, partitions=1):
    table = plain_table(rows)
    people = [whose[one] for one in table["seq_id"]]
    table["age"] = pd.array([values[person][1] for person in people], "Int64")
    table["person"] = [f"person {person}" for person in people]
    table["sex"] = pd.Series([values[person][0] for person in people], dtype="str")
    return BoundTable(table, PERSONAL, Local(partitions))


def shown_of(released):
    """Return what is told of each released sequence; None if nothing is."""
    found = {}
    for one, sex, age in zip(released["seq_id"], released["sex"], released["age"], strict=True):
        values = (None if pd.isna(sex) else sex, None if pd.isna(age) else age)
        assert found.setdefault(one, values) == values
    return {one: None if values == (None, None) else values for one, values in found.items()}


def same(told, own):
    return told in (None, own)


def too_few(original, released, k, guarantee, fits=same):
    """Return, for each released sequence, whether fewer than k people share it and what is told of them.

    Sequences are given as triples: elements, person, and what is told.
    """
    wrong = []
    for elements, _, values in released:
        alike = [one for one in original if fits(values, one[2])]
        alike_shown = [one for one in released if fits(values, one[2])]
        equal = {who for one, who, told in released if (one, told) == (elements, values)}
        others_differ = any(told != values for one, _, told in released if one == elements)
        wrong.append(
            len({who for one, who, _ in alike if contains(one, elements)}) < k
            or (others_differ and len(equal) < k)
            or (
                guarantee == "mutual"
                and len({who for one, who, _ in alike_shown if contains(one, elements)}) < k
            )
            or (guarantee == "identical" and len(equal) < k)
        )
    return wrong


def triples_of(rows, whose, values):
    return [
        (elements, whose[one], None if values[whose[one]] == (None, None) else values[whose[one]])
        for one, elements in people_of(rows).items()
    ]


@given(plain_rows(max_rows=40, n_ids=N), owners(), told, st.integers(2, 3), ASKED)
def test_k_people_share_what_is_told(rows, whose, values, k, asked):
    table = with_kept(rows, whose, values)
    released, key = anonymize(table, k, **asked, keep=KEEP, with_key=True)
    assert list(released.columns) == ["seq_id", "event", "time", *KEEP]
    shown, whose_shown = shown_of(released), owners_of(key)
    elements = elements_of(released)
    lines = [(elements[one], whose_shown[one], shown[one]) for one in elements]
    assert not any(too_few(triples_of(rows, whose, values), lines, k, asked["guarantee"]))
    for _, person, one in lines:
        assert one in (None, values[int(person.split()[1])])
    told_of = {sequence: {one for other, _, one in lines if other == sequence} for sequence, _, _ in lines}
    for line in lines:
        alike = {person for sequence, person, one in lines if (sequence, one) == (line[0], line[2])}
        assert len(alike) >= k or len(told_of[line[0]]) == 1  # nobody stands out among equal sequences
    asked_of_check = {"guarantee": asked["guarantee"], "key": key, "keep": KEEP}
    assert pdseqpriv.verify.is_k_anonymous(table, released, k, **asked_of_check)
    if asked["guarantee"] == "identical":
        left = key.dropna(subset="group")
        groups = {(g, elements[i], shown[i]) for i, g in zip(left["released_id"], left["group"], strict=True)}
        assert len(groups) == left["group"].nunique() == len({line[1:] for line in groups})


def test_the_check_sees_who_is_told_less_than_others():
    df = small(["ab"] * 6, sex=list("fffmmm"))
    check = pdseqpriv.verify.is_k_anonymous
    for shown, violations in [("fffmmm", 0), ("fff   ", 0), ("ffmmm ", 3), ("fffmm ", 3), ("      ", 0)]:
        told = [None if one == " " else one for one in shown]
        verdict = check(df, small(["ab"] * 6, sex=told), 3, keep=["sex"])
        assert (bool(verdict), verdict.violations) == (not violations, violations)
    assert verdict
    verdict = check(df, small(["ab"] * 5 + ["a"], sex=["f", "f", "f", "m", "m", None]), 3, keep=["sex"])
    assert "or too few with the same sequence are shown the same" in repr(verdict)
    assert verdict.details["told_apart"].tolist() == [True]


def test_the_check_of_what_is_told_of_people_needs_the_key():
    df = small(["ab"] * 4, person=["ann", "ann", "bo", "bo"], sex=["f", "f", "f", "f"])
    released, key = anonymize(BoundTable(df, PERSONAL), 2, keep=["sex"], with_key=True)
    check = pdseqpriv.verify.is_k_anonymous
    assert check(BoundTable(df, PERSONAL), released, 2, keep=["sex"], key=key)
    with pytest.raises(SeqPrivError, match=r"is_k_anonymous: key must be given to check keep"):
        check(BoundTable(df, PERSONAL), released, 2, keep=["sex"])
    # Two sequences of which nothing is told, but both are ann's.
    alone = released.assign(
        sex=["f" if one in set(key["released_id"][2:]) else None for one in released["seq_id"]]
    )
    verdict = check(BoundTable(df, PERSONAL), alone, 2, keep=["sex"], key=key)
    assert (bool(verdict), verdict.violations) == (False, 4)


YOUNG = {"x": "young", "y": "young", "z": "old", "young": "all", "old": "all"}


@pytest.mark.parametrize("guarantee", ["contained", "mutual", "identical"])
@pytest.mark.parametrize(("keep", "told"), [(["age"], None), ({"age": YOUNG}, "young")])
def test_nobody_is_alone_with_less_than_others_are_told(guarantee, keep, told):
    df = table_of(["a", "a", "a"]).assign(age=["x", "x", "y"])
    released = df.seqpriv.k_anonymize(2, guarantee=guarantee, keep=keep)
    assert released["age"].astype(object).where(released["age"].notna(), None).tolist() == [told] * 3


@given(plain_rows(max_rows=40, n_ids=N), owners(), told, st.integers(2, 3), ASKED)
def test_partitions_do_not_matter(rows, whose, values, k, asked):
    asked = {**asked, "keep": KEEP, "with_key": True, "seed": 1}
    whole, key = anonymize(with_kept(rows, whose, values), k, **asked)
    for partitions in (3, 7):
        released, key_again = anonymize(with_kept(rows, whose, values, partitions), k, **asked)
        pd.testing.assert_frame_equal(released, whole)
        pd.testing.assert_frame_equal(key_again, key)


@given(
    plain_rows(max_rows=30, n_ids=8),
    owners(),
    told,
    plain_rows(max_rows=10, n_ids=4, marked=False),
    st.lists(
        st.tuples(st.sampled_from(["f", "m", None]), st.sampled_from([30, None])), min_size=4, max_size=4
    ),
    st.integers(2, 3),
    st.sampled_from(GUARANTEES),
)
def test_the_check_counts_by_brute_force(rows, whose, values, shown_rows, shown_values, k, guarantee):  # noqa: PLR0917
    original, shown = people_of(rows), people_of(shown_rows)
    if len(original) < len(shown):
        return
    ids = sorted(original)
    released = plain_table(shown_rows)
    released["sex"] = pd.Series([shown_values[one][0] for one in released["seq_id"]], dtype=object)
    released["age"] = pd.array([shown_values[one][1] for one in released["seq_id"]], "Int64")
    released_ids = [*shown, *[None] * (len(ids) - len(shown))]
    key = pd.DataFrame({"seq_id": ids, "released_id": pd.array(released_ids, "Int64")})
    lines = [
        (shown[one], whose[owner], None if shown_values[one] == (None, None) else shown_values[one])
        for one, owner in zip(shown, ids, strict=False)
    ]
    wrong = too_few(triples_of(rows, whose, values), lines, k, guarantee)
    table = with_kept(rows, whose, values)
    verdict = pdseqpriv.verify.is_k_anonymous(table, released, k, guarantee=guarantee, key=key, keep=KEEP)
    assert (verdict.checked, verdict.violations) == (len(lines), sum(wrong))


AGES = {"30": "thirties", "31": "thirties", "40": "forties"}
CATEGORIES = {"sex": None, "age": AGES}
known_ages = st.lists(
    st.tuples(st.sampled_from(["f", "m", None]), st.sampled_from([30, 31, 40, None])), min_size=N, max_size=N
)


def below(told, own):
    """Return whether what is told of sex and age is true of somebody, or of a released sequence."""
    pairs = zip(told, own, (None, AGES), strict=True)
    return all(
        tells_truth(one, None if mine is None else str(mine), links or {}) for one, mine, links in pairs
    )


def lines_of(released, whose):
    """Return the elements of released sequences, whose they are, and what is told of them as text."""
    told = released.drop_duplicates("seq_id").set_index("seq_id")[["sex", "age"]].astype(object)
    told = told.where(told.notna(), None)
    return [(one, whose[number], tuple(told.loc[number])) for number, one in elements_of(released).items()]


@given(plain_rows(max_rows=40, n_ids=N), owners(), known_ages, st.integers(2, 3), ASKED)
def test_k_people_fit_the_categories_that_are_told(rows, whose, values, k, asked):
    table = with_kept(rows, whose, values)
    released, key = anonymize(table, k, **asked, keep=CATEGORIES, with_key=True, seed=1)
    lines = lines_of(released, owners_of(key))
    original = [(one, whose[number], values[whose[number]]) for number, one in people_of(rows).items()]
    assert not any(too_few(original, lines, k, asked["guarantee"], below))
    for _, person, told_of in lines:
        assert below(told_of, values[int(person.split()[1])])
    event("a category" if any(told_of[1] in ("thirties", "forties") for _, _, told_of in lines) else "none")
    wanted = {"guarantee": asked["guarantee"], "key": key, "keep": CATEGORIES}
    assert pdseqpriv.verify.is_k_anonymous(table, released, k, **wanted)
    again = anonymize(with_kept(rows, whose, values, 3), k, **asked, keep=CATEGORIES, with_key=True, seed=1)
    pd.testing.assert_frame_equal(again[0], released)
    pd.testing.assert_frame_equal(again[1], key)


@given(
    plain_rows(max_rows=30, n_ids=8),
    owners(),
    known_ages,
    plain_rows(max_rows=10, n_ids=4, marked=False),
    st.lists(
        st.tuples(st.sampled_from(["f", None]), st.sampled_from(["30", "thirties", "forties", "old", None])),
        min_size=4,
        max_size=4,
    ),
    st.integers(2, 3),
    st.sampled_from(GUARANTEES),
)
def test_the_check_counts_whom_categories_fit(rows, whose, values, shown_rows, shown_values, k, guarantee):  # noqa: PLR0917
    original, shown = people_of(rows), people_of(shown_rows)
    assume(len(original) >= len(shown))
    released = plain_table(shown_rows)
    for place, name in enumerate(CATEGORIES):
        released[name] = pd.Series([shown_values[one][place] for one in released["seq_id"]], dtype=object)
    ids = sorted(original)
    released_ids = [*shown, *[None] * (len(ids) - len(shown))]
    key = pd.DataFrame({"seq_id": ids, "released_id": pd.array(released_ids, "Int64")})
    lines = [(shown[one], whose[owner], shown_values[one]) for one, owner in zip(shown, ids, strict=False)]
    mine = [(one, whose[number], values[whose[number]]) for number, one in original.items()]
    wrong = too_few(mine, lines, k, guarantee, below)
    wanted = {"guarantee": guarantee, "key": key, "keep": CATEGORIES}
    verdict = pdseqpriv.verify.is_k_anonymous(with_kept(rows, whose, values), released, k, **wanted)
    assert (verdict.checked, verdict.violations) == (len(lines), sum(wrong))


def test_rare_values_become_categories_before_they_are_null():
    df = small(["ab"] * 8, age=[30, 30, 30, 31, 31, 40, 40, 50]).astype({"age": "int64"})
    ages = {"30": "young", "31": "young", "40": "old", "50": "old"}
    for guarantee in GUARANTEES:
        released = df.seqpriv.k_anonymize(3, guarantee=guarantee, keep={"age": ages})
        shown = released.drop_duplicates("seq_id")["age"].value_counts().to_dict()
        assert shown == {"young": 5, "old": 3}  # beside three of 30, two of 31 would be the only "young" ones
        assert pdseqpriv.verify.is_k_anonymous(df, released, 3, guarantee=guarantee, keep={"age": ages})


@pytest.mark.parametrize(
    ("taxonomy", "words"),
    [
        ({"30": "x"}, "1 of the 2 values of column 'age' is not in its taxonomy"),
        ({"30": "40"}, "1 of the 2 values of column 'age' is also a category of its taxonomy"),
    ],
)
def test_a_taxonomy_must_have_every_value(taxonomy, words):
    with pytest.raises(SeqPrivError, match=f"k_anonymize: {words}"):
        small(["ab"] * 3, age=[30, 30, 40]).seqpriv.k_anonymize(2, keep={"age": taxonomy})


def small(texts, **columns):
    lengths = [len(text) for text in texts]
    kept = {name: np.repeat(np.array(values, dtype=object), lengths) for name, values in columns.items()}
    return table_of(texts).assign(**kept)


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("method", METHODS)
def test_values_that_too_few_share_are_null(guarantee, method):
    df = small(["ab"] * 5, sex=["f", "f", "m", "m", "x"], city=["Rome"] * 5)
    asked = {"guarantee": guarantee, "method": method}
    with pytest.warns(PrivacyWarning, match="dropped 'city': other columns") as caught:
        released = df.seqpriv.k_anonymize(2, **asked, keep=["sex"])
    assert len(caught) == 1
    told_of = released.drop_duplicates("seq_id")["sex"].fillna("nothing").value_counts().to_dict()
    # Nobody may be the only one of whom nothing is told: the next ones are hidden as well.
    assert told_of == {"nothing": 3, "m": 2}
    verdict = pdseqpriv.verify.is_k_anonymous(df, released, 2, guarantee=guarantee, keep=["sex"])
    assert verdict
    assert "counting only those whose 'sex' fit" in repr(verdict)
    assert not pdseqpriv.verify.is_k_anonymous(df, released.assign(sex="x"), 2, keep=["sex"])


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("int64", "Int64"), ("uint8", "UInt64"), ("Int64", "Int64"), ("category", "category"), ("str", "str")],
)
def test_types_of_kept_columns(dtype, expected):
    df = small(["ab"] * 5, age=[1, 1, 2, 2, 3]).astype({"age": dtype})
    released = df.seqpriv.k_anonymize(2, keep=["age"])
    assert released["age"].dtype == expected
    assert released["age"].isna().sum() == 6
    if dtype == "category":
        assert list(released["age"].cat.categories) == [2]  # what is hidden leaves no trace
    whole = df[df["seq_id"] < 4].seqpriv.k_anonymize(2, keep=["age"])
    assert dtype == "category" or whole["age"].dtype == dtype


GOOD = small(["ab"] * 3, person=["ann", "ann", "bo"], sex=["f", "f", "m"], income=[1.5, 1.5, 2.5])


@pytest.mark.parametrize(
    ("frame", "keep", "words"),
    [
        (
            GOOD.assign(sex=list("fffmmm")),
            ["sex"],
            "keep must name columns with one value for each person, but 1 person has several",
        ),
        (GOOD.assign(sex=["f", None, "f", "f", "m", "m"]), ["sex"], "but 1 person has several"),
        (
            GOOD,
            "sex",
            "keep must be a list of columns beside the sequences, or a taxonomy for each, got str. Put",
        ),
        (GOOD, [], "keep must be at least one column beside the sequences, and each once, got none"),
        (GOOD, ["sex", "sex"], "each once, got 2 names, some of them twice"),
        (GOOD, ["event"], "'event', which has a role of its own"),
        (GOOD, ["person"], "'person', which has a role of its own"),
        (GOOD, ["age"], "got 'age'. The other columns are: 'sex', 'income'"),
        (GOOD, ["income"], "'income' must be all text or all whole numbers"),
        (pd.concat([GOOD, GOOD[["sex"]]], axis=1), ["sex"], "several columns are named 'sex'"),
    ],
)
def test_what_cannot_be_kept_is_refused(frame, keep, words):
    with pytest.raises(SeqPrivError, match=f"k_anonymize: .*{words}") as caught:
        anonymize(BoundTable(frame, PERSONAL), 2, keep=keep)
    assert "ann" not in str(caught.value).replace("cannot", "")


def test_the_check_refuses_what_it_cannot_compare():
    check = pdseqpriv.verify.is_k_anonymous
    released = table_of(["ab"])
    with pytest.raises(SeqPrivError, match="in the release: keep must be columns of both tables, got 'sex'"):
        check(GOOD, released, 2, keep=["sex"])
    with pytest.raises(
        SeqPrivError, match="in the release: keep must name columns with one value for each seq"
    ):
        check(GOOD, released.assign(sex=["f", "m"]), 2, keep=["sex"])


def test_without_keep_nothing_is_kept():
    released = anonymize(BoundTable(GOOD, PERSONAL), 2)
    assert list(released.columns) == ["seq_id", "event", "time"]
