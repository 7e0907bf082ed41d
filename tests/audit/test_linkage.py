"""Attackers who link by best match, against brute force, and what they make of real releases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.audit.knowledge import draw_known, read_knows
from pdseqpriv.audit.known_events import events_in_order
from pdseqpriv.engines.engine import read
from pdseqpriv.errors import PrivacyWarning, SeqPrivError
from tests.audit import naive_linkage as naive
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS, plain_rows, plain_table, tables, taxonomies

MEASURES = [
    "people",
    "unique_share",
    "below_k_share",
    "worst_probability",
    "mean_probability",
    "events_learned",
    "events_mistaken",
]
SHARES = [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)]


def elements_of(frame):
    """Give {id: elements} of a plain table, marked events left out."""
    rows = [(i, None if pd.isna(e) else e, t) for i, e, t in frame[["seq_id", "event", "time"]].to_numpy()]
    found = {}
    for owner in sorted({row[0] for row in rows}):
        times = sorted({t for i, _, t in rows if i == owner})
        sets = [sorted({e for i, e, t in rows if (i, t) == (owner, time)} - {None}) for time in times]
        found[owner] = [one for one in sets if one]
    return found


def known_of(frame, knows, seed):
    """Give {id: elements} of what the attackers of such a call know."""
    table = read(frame)
    lists = draw_known(events_in_order(table), read_knows(knows)[0], seed)
    found = {}
    for i, owner in enumerate(table.ids):
        found[owner] = []
        for j in range(lists.offsets[i], lists.offsets[i + 1]):
            if lists.begins[j]:
                found[owner].append([])
            found[owner][-1].append(table.vocabulary[lists.codes[j]])
    return found


def naive_row(people, known, records, own, attack, **rules):
    k = rules.pop("k")
    is_whole = rules.pop("is_whole")
    outcomes = []
    for person, elements in people.items():
        if attack == "containment":
            matches = naive.by_containment(records, known[person], is_whole=is_whole, **rules)
        else:
            matches = naive.by_common_subsequence(records, known[person], **rules)
        covers = rules.get("covers", naive.equal)
        outcomes.append(
            naive.attacked(
                records, own.get(person), elements, known[person], matches=matches, covers=covers
            )
        )
    return naive.row(outcomes, k)


def assert_same(frame, released, key, *, knows, k, seed=0, taxonomy=None, **rules):
    """Hold both rows of a call against brute force."""
    found = released.seqpriv.risk(
        original=frame, key=key, attack="linkage", knows=knows, k=k, seed=seed, taxonomy=taxonomy
    )
    people, records = elements_of(frame), elements_of(released)
    known = known_of(frame, knows, seed)
    own = {person: record for person, record in key.itertuples(index=False) if not pd.isna(record)}
    for _, row in found.iterrows():
        expected = naive_row(
            people, known, records, own, row["attack"], k=k, is_whole=knows == "whole", **rules
        )
        for name in MEASURES:
            assert row[name] == pytest.approx(expected[name], abs=1e-9), (row["attack"], name)


def any_key(frame, released, random):
    """Say at random who is whose: some are dropped, and the records may be of anybody."""
    people, records = sorted(frame["seq_id"].unique()), sorted(released["seq_id"].unique())
    random.shuffle(records)
    mine = [records[i] if i < len(records) and random.random() < 0.9 else None for i in range(len(people))]
    return pd.DataFrame({"seq_id": people, "released_id": pd.array(mine, dtype="Int64")})


def shrunk(rows, random):
    """Make a release by deleting rows."""
    return [row for row in rows if random.random() < 0.6]


def some_knows():
    return st.sampled_from(["whole", 0.5, 0.3, 1, 2, 3])


@given(plain_rows(max_rows=30, n_events=3).filter(bool), some_knows(), st.integers(2, 4), st.randoms())
@pytest.mark.parametrize("kind", ["sets", "plain"])
def test_attacks_are_what_brute_force_finds(kind, rows, knows, k, random):
    if kind == "plain":  # the bit-parallel way: no two events of a sequence at the same time
        rows = [(owner, event, place) for place, (owner, event, _) in enumerate(rows)]
    frame, released = plain_table(rows), plain_table(shrunk(rows, random))
    if not released["event"].notna().any():
        return
    assert_same(frame, released, any_key(frame, released, random), knows=knows, k=k, seed=random.randrange(9))


@pytest.mark.parametrize("at_once", [1, 2])
@pytest.mark.parametrize("knows", ["whole", 0.9, 0.5, 70])
def test_sequences_longer_than_a_word_of_bits(knows, at_once):
    rng = np.random.default_rng(at_once)
    lengths = [150, 128, 64, 65, 130, 40, 200]
    frame = pd.DataFrame(
        [(i, rng.choice(list("abc")), t // at_once) for i, n in enumerate(lengths) for t in range(n)],
        columns=["seq_id", "event", "time"],
    )
    released = frame[rng.random(len(frame)) < 0.8]
    key = pd.DataFrame({"seq_id": range(7), "released_id": pd.array([0, 1, 2, 3, 4, 5, 6], dtype="Int64")})
    assert_same(frame, released, key, knows=knows, k=2)


@given(
    plain_rows(max_rows=24, n_events=3, marked=False).filter(bool),
    plain_rows(max_rows=24, n_events=3).filter(bool),
    some_knows(),
    st.randoms(),
)
def test_releases_that_have_little_to_do_with_the_original(rows, others, knows, random):
    frame, released = plain_table(rows), plain_table(others)
    is_strange = not set(frame["event"]) & set(released["event"].dropna())
    if is_strange or released["seq_id"].nunique() > frame["seq_id"].nunique():
        return
    key = any_key(frame, released, random)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pdseqpriv.audit.records.warn", lambda _: None)
        assert_same(frame, released, key, knows=knows, k=3)


def covering(links):
    """Give the rule by which labels stand for events, and for how many other events each could stand."""
    above = {}
    for name in [*links, *links.values()]:
        above[name], at = {name}, name
        while at in links:
            at = links[at]
            above[name].add(at)
    leaves = [name for name in above if name not in links.values()]
    others = {label: max(0, sum(label in above[leaf] for leaf in leaves) - 1) for label in above}
    return (lambda label, event: label in above[event]), others, above


@given(
    plain_rows(max_rows=24, n_events=4, marked=False).filter(bool),
    taxonomies(EVENTS[:4]),
    some_knows(),
    st.booleans(),
    st.randoms(),
)
def test_categories_stand_for_the_events_below_them(rows, links, knows, is_plain, random):
    if is_plain:
        rows = [(owner, event, place) for place, (owner, event, _) in enumerate(rows)]
    covers, others, above = covering(links)
    frame = plain_table(rows)
    released = plain_table(shrunk(rows, random))
    released["event"] = pd.Series(
        [random.choice(sorted(above[event])) for event in released["event"]], dtype="str"
    )
    if released.empty:
        return
    key = any_key(frame, released, random)
    assert_same(frame, released, key, knows=knows, k=2, taxonomy=links, covers=covers, others=others)


@given(plain_rows(max_rows=30, n_events=3), st.sampled_from([*SHARES, 1, 2, 5]), st.integers(0, 5))
def test_what_is_known_is_drawn_from_the_person(rows, knows, seed):
    frame = plain_table(rows)
    people, known = elements_of(frame), known_of(frame, knows, seed)
    for person, elements in people.items():
        size = naive.size(elements)
        wanted = -(-size * knows // 1) if isinstance(knows, Fraction) else min(size, knows)
        assert naive.size(known[person]) == wanted
        assert naive_table.contains(elements, known[person])


def test_every_event_is_as_likely_to_be_known():
    frame = pd.DataFrame({"seq_id": np.repeat(np.arange(4_000), 6), "event": list("abcdef") * 4_000})
    frame["time"] = np.tile([0, 0, 1, 2, 2, 3], 4_000)
    counts = pd.Series(
        [event for elements in known_of(frame, 0.5, 0).values() for element in elements for event in element]
    ).value_counts()
    assert counts.sum() == 12_000
    # Standard deviation: 4,000 times 1/2 * 1/2, square root: 32.
    assert ((counts - 2_000).abs() < 5 * 32).all()
