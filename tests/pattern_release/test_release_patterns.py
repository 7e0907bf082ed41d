"""Supports that can be shared: brute force, all pairs, the database behind a release, bad input."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import InfeasibleError, SeqPrivError
from pdseqpriv.pattern_release import plan
from pdseqpriv.patterns.kernels.pattern_index import link_sub_patterns
from pdseqpriv.patterns.kernels.pattern_tree import (
    find_parents,
    link_by_tree,
    number_by_length,
    number_links,
)
from pdseqpriv.patterns.sub_patterns import find_sub_patterns
from pdseqpriv.patterns.tables import PatternArrays, pattern_frame, read_pattern_table
from pdseqpriv.sequences.columns import Columns
from tests.mining import naive as naive_mine
from tests.mining.test_mine import ROWS, as_dict, dense_rows, named, nested, random_rows
from tests.pattern_release import naive
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS, plain_table, tables

pytestmark = [
    pytest.mark.usefixtures("uncompressed"),
    pytest.mark.filterwarnings("ignore:release_patterns. .* supports? (exceed|is more|are more)"),
]

# The paper's example 1.
EXAMPLE = pd.DataFrame({"pattern": [tuple("abcd"), tuple("abd"), tuple("ad")], "support": [1000, 1000, 1001]})
ASKED = [
    (2, None),
    (3, None),
    (5, None),
    (None, 0.5),
    (None, 0.8),
    (None, 1.0),
    (2, 0.95),
    (3, 0.9),
    (5, 0.7),
]
PRIVACY = st.sampled_from(ASKED)


def several_times(rows, times):
    """Repeat sequences under new ids, so that supports are worth hiding."""
    return [(owner + 10 * copy, event, time) for copy in range(times) for owner, event, time in rows]


def telling_rows(*, itemsets=False):
    """Many people who do the same, and a few who stop early or leave something out."""
    whole = random_rows(4, sequences=4, length=7, itemsets=itemsets)
    parts = [(400 + 10 * i + owner, e, t) for i in range(3) for owner, e, t in whole if (t + i) % 4]
    return several_times(whole, 6) + parts


def table_of(patterns):
    """Write a dict of nested patterns as users see it."""
    cells = [tuple(e[0] if len(e) == 1 else e for e in pattern) for pattern in patterns]
    column = pd.Series(cells, dtype=object)
    return pd.DataFrame({"pattern": column, "support": pd.Series(list(patterns.values()), dtype="int64")})


def with_added(rows, added):
    """Put the added sequences behind the rows of the original."""
    owner = 1_000_000
    more = []
    for pattern, copies in added.items():
        for _ in range(copies):
            owner += 1
            more += [
                (owner, EVENTS.index(event), time)
                for time, element in enumerate(pattern)
                for event in element
            ]
    return [*rows, *more]


@given(ROWS, st.integers(2, 6), st.integers(0, 2), PRIVACY)
def test_supports_are_those_of_brute_force_and_no_pair_tells(rows, times, more, privacy):
    k, alpha = privacy
    rows = several_times(rows, times) + [(500 + i, e, t) for i in range(more) for _, e, t in rows[: 4 + i]]
    least = max(k or 1, 2)
    mined = naive_mine.mine(named(rows), least)
    assume(len(mined) < 150)
    expected, _ = naive.release(mined, k, alpha)
    released = plain_table(rows).seqpriv.release_patterns(least, k=k, alpha=alpha)
    assert as_dict(released) == expected
    assert naive.channels(as_dict(released), k, alpha) == set()


@given(ROWS, st.integers(2, 5), PRIVACY)
def test_a_release_is_the_mined_table_of_a_database(rows, times, privacy):
    k, alpha = privacy
    rows = several_times(rows, times)
    least = max(k or 1, 2)
    mined = naive_mine.mine(named(rows), least)
    assume(len(mined) < 150)
    _, added = naive.release(mined, k, alpha)
    database = plain_table(with_added(rows, added))
    released = plain_table(rows).seqpriv.release_patterns(least, k=k, alpha=alpha)
    pd.testing.assert_frame_equal(released, database.seqpriv.mine(least))


@pytest.mark.parametrize("chunk", [1, 3, 7])
@pytest.mark.parametrize(("k", "alpha"), ASKED)
def test_patterns_are_made_safe_piece_by_piece(k, alpha, chunk, monkeypatch):
    rows = telling_rows(itemsets=True)
    mined = as_dict(plain_table(rows).seqpriv.mine(6))
    assert len(mined) > 3 * chunk
    expected, _ = naive.release(mined, k, alpha)
    monkeypatch.setattr(plan, "CHUNK", chunk)
    assert as_dict(plain_table(rows).seqpriv.release_patterns(6, k=k, alpha=alpha)) == expected


@pytest.mark.parametrize(("k", "alpha"), [(2_000_000_000, 0.999999999), (4_000_000_000, 0.999999999)])
@pytest.mark.parametrize("support", [6_000_000_000, 8_000_000_000])
def test_supports_that_pass_64_bits_on_the_way_are_refused(k, alpha, support):
    table = table_of({(("a",),): support + 100, (("b",),): support + 100, (("a",), ("b",)): support})
    if support + k < plan.HIGHEST:
        released = pdseqpriv.release_patterns(table, k=k, alpha=alpha)
        assert naive.channels(as_dict(released), k, alpha) == set()
    else:
        with pytest.raises(InfeasibleError, match="supports would have to exceed"):
            pdseqpriv.release_patterns(table, k=k, alpha=alpha)


@pytest.mark.parametrize("limit", [{"max_length": 1}, {"min_length": 2}, {"max_patterns": 5}])
def test_limits_of_a_search_are_refused_with_a_pattern_table(limit):
    mined = plain_table(telling_rows()).seqpriv.mine(6)
    with pytest.raises(SeqPrivError, match="apply only to a table of sequences"):
        pdseqpriv.release_patterns(mined, k=2, **limit)


def test_closed_patterns_are_not_taken_for_all():
    frame = plain_table([(owner, event, event) for owner in range(3) for event in range(2)])
    closed = frame.seqpriv.mine(2, closed=True)
    assert closed["length"].tolist() == [2]  # as if min_length were 2
    with pytest.raises(SeqPrivError, match="holds closed patterns only"):
        pdseqpriv.release_patterns(closed, alpha=0.95)


@pytest.mark.parametrize(
    "cell", [np.array(5), (np.array("secret"),), np.array([["secret"]]), ("\ud800", "b")]
)
def test_odd_cells_are_refused_without_showing_them(cell):
    cells = np.empty(1, object)
    cells[0] = cell
    with pytest.raises(SeqPrivError, match="column 'pattern' must be") as error:
        pdseqpriv.release_patterns(pd.DataFrame({"pattern": cells, "support": [5]}), k=2)
    assert "secret" not in str(error.value)
    assert "ud800" not in str(error.value)


def test_supports_beyond_what_can_be_worked_with_are_refused_as_such():
    with pytest.raises(SeqPrivError, match="column 'support' must be at most 8,589,934,592"):
        pdseqpriv.release_patterns(table_of({(("a",),): plan.HIGHEST + 1}), k=2)


@pytest.mark.parametrize(("k", "alpha"), [(2, None), (900, None), (None, 0.9999999), (5, 0.999999)])
@pytest.mark.parametrize("beyond", [-2_000, -3, 0, 1, 700_000_000])
def test_supports_around_32_bits(beyond, k, alpha):
    single, pair = 2**31 + beyond, 2**31 + beyond - 1
    mined = {(("a",),): single, (("b",),): single + 1, (("a",), ("b",)): pair, (("a", "b"),): pair - 5}
    expected, _ = naive.release(mined, k, alpha)
    assert as_dict(pdseqpriv.release_patterns(table_of(mined), k=k, alpha=alpha)) == expected


def test_what_passes_32_bits_only_on_the_way_down():
    # Copies of both pairs count for a; each alone stays within 32 bits.
    mined = {(("a",),): 2**31 - 1, (("b",),): 2**31 - 1, (("c",),): 2**31 - 1}
    mined |= {
        (("a",), ("b",)): 1000,
        (("a",), ("c",)): 1000,
        (("a",), ("b",), ("c",)): 999,
        (("b",), ("c",)): 999,
    }
    expected, added = naive.release(mined, 500, None)
    assert expected[(("a",),)] > 2**31
    assert len(added) > 1
    assert as_dict(pdseqpriv.release_patterns(table_of(mined), k=500)) == expected


@given(
    st.lists(st.integers(1, 2**40), max_size=40),
    st.sampled_from([2**3, 2**8, 2**16 - 1, 2**16, 2**16 + 1, 2**20, 2**33]),
)
def test_rows_come_from_the_highest_support_to_the_lowest(supports, largest):
    supports = [support % largest + 1 for support in supports]
    n_patterns = len(supports)
    offsets = np.arange(n_patterns + 1)
    patterns = PatternArrays(
        np.arange(n_patterns, dtype=np.int32),
        offsets,
        np.zeros(n_patterns, bool),
        np.array(supports, np.int64),
        pd.Index([f"e{number:02}" for number in range(n_patterns)], dtype=object),
    )
    expected = sorted(((f"e{number:02}",), support) for number, support in enumerate(supports))
    expected = sorted(expected, key=lambda row: -row[1])
    rows = pattern_frame(patterns)
    assert list(zip(rows["pattern"], rows["support"], strict=True)) == expected
    assert rows["length"].tolist() == [1] * n_patterns


@pytest.mark.parametrize(("k", "alpha"), ASKED)
@pytest.mark.parametrize("width", [1, 2, 3])
def test_sequences_with_much_in_common(width, k, alpha):
    changed = 0
    for seed in range(4):
        rows = dense_rows(seed, sequences=5, length=4, width=width, events=3)
        rows = several_times(rows, 2) + [(800 + owner, e, t) for owner, e, t in rows if owner > 1 and t < 3]
        mined = naive_mine.mine(named(rows), 5, 4)
        expected, added = naive.release(mined, k, alpha)
        released = as_dict(plain_table(rows).seqpriv.release_patterns(5, k=k, alpha=alpha, max_length=4))
        assert released == expected
        assert naive.channels(released, k, alpha) == set()
        assert as_dict(plain_table(with_added(rows, added)).seqpriv.mine(5, max_length=4)) == released
        changed += len(added)
    assert (changed == 0) == ((k, alpha) == (2, None) and width < 3)


@given(tables(max_rows=30, n_ids=4), PRIVACY)
def test_the_check_holds_on_any_table_and_the_input_stays(frame, privacy):
    k, alpha = privacy
    before = frame.copy(deep=True)
    released = frame.seqpriv.release_patterns(max(k or 1, 2), k=k, alpha=alpha, max_length=6)
    assert pdseqpriv.verify.are_patterns_safe(released, k=k, alpha=alpha)
    assert "attribute of the input" not in str(released.attrs)
    pd.testing.assert_frame_equal(frame, before)


def test_real_supports_of_longer_patterns_are_safe_for_all_pairs():
    rows = telling_rows(itemsets=True)
    mined = as_dict(plain_table(rows).seqpriv.mine(6))
    released = as_dict(plain_table(rows).seqpriv.release_patterns(6, k=4, alpha=0.9))
    assert len(naive.channels(mined, 4, 0.9)) > 20
    assert naive.channels(released, 4, 0.9) == set()
    assert released.keys() == mined.keys()
    assert all(released[pattern] >= mined[pattern] for pattern in mined)


@given(ROWS, st.integers(2, 5), PRIVACY, st.randoms(use_true_random=False))
def test_a_mined_table_gives_what_its_sequences_give(rows, times, privacy, random):
    k, alpha = privacy
    frame = plain_table(several_times(rows, times))
    least = max(k or 1, 2)
    direct = frame.seqpriv.release_patterns(least, k=k, alpha=alpha)
    order = list(range(len(direct)))
    random.shuffle(order)
    mined = frame.seqpriv.mine(least).iloc[order]
    pd.testing.assert_frame_equal(pdseqpriv.release_patterns(mined, k=k, alpha=alpha), direct)
    lists = mined.assign(pattern=[[list(e) for e in nested(cell)] for cell in mined.pattern])
    pd.testing.assert_frame_equal(pdseqpriv.release_patterns(lists, k=k, alpha=alpha), direct)
    parts = BoundTable(frame, Columns(), Local(partitions=3))
    pd.testing.assert_frame_equal(pdseqpriv.release_patterns(parts, least, k=k, alpha=alpha), direct)


@pytest.mark.parametrize(("with_b", "with_c"), [(10, 8), (8, 10), (10, 10), (9, 8), (10, 7), (7, 4)])
def test_an_equal_support_does_not_cover_one_that_is_close(with_b, with_c):
    mined = {(("a",),): 10, (("b",),): 30, (("c",),): 30}
    mined |= {(("a",), ("b",)): with_b, (("a",), ("c",)): with_c}
    released = as_dict(pdseqpriv.release_patterns(table_of(mined), k=3))
    # Both supports are at most 10; once one is 1 or 2 below, a has to be 3 above the higher one.
    close = any(10 - 3 < support < 10 for support in (with_b, with_c))
    assert released[(("a",),)] == (max(with_b, with_c) + 3 if close else 10)
    assert not naive.channels(released, 3, None)


@given(ROWS)
def test_both_ways_of_looking_up_sub_patterns_agree(rows):
    mined = plain_table(rows).seqpriv.mine(2, max_length=5)
    patterns = read_pattern_table(mined, "test")
    by_index = link_sub_patterns(patterns.codes, patterns.offsets, patterns.joined)
    cells = [nested(cell) for cell in patterns.to_tuples()]
    for pattern, cell in enumerate(cells):
        for place, link in enumerate(by_index[patterns.offsets[pattern] : patterns.offsets[pattern + 1]]):
            assert (cells[link] if link >= 0 else ()) == without(cell, place)
    links = along_the_tree(patterns)
    np.testing.assert_array_equal(links, by_the_index(patterns))
    by_number = [(), *(cells[place] for place in find_sub_patterns(patterns).places[1:])]
    remains = iter(links)
    for cell in by_number[1:]:
        for place in range(sum(map(len, cell))):
            assert by_number[next(remains)] == without(cell, place)
    assert next(remains, None) is None


def many_events(events, *, itemsets):
    """Mine a table where every event is frequent, so that children are spread over several words."""
    random = np.random.default_rng(events)
    times = np.tile(np.arange(12) // (3 if itemsets else 1), 60)
    rows = {"seq_id": np.repeat(np.arange(60), 12), "event": random.integers(0, events, 720), "time": times}
    code = np.tile(np.arange(events), 2)
    # Each event twice; with itemsets, in sets of eight.
    own = np.repeat([0, events], events) + (code // 8 if itemsets else code)
    more = {"seq_id": 900 + own, "event": code, "time": 0}
    frame = pd.concat([pd.DataFrame(rows), pd.DataFrame(more)]).drop_duplicates()
    return read_pattern_table(frame.seqpriv.mine(2, max_length=3), "test")


@pytest.mark.parametrize("itemsets", [False, True])
@pytest.mark.parametrize("events", [63, 64, 65, 130, 200])
def test_sub_patterns_are_found_among_many_events(events, itemsets):
    patterns = many_events(events, itemsets=itemsets)
    assert (patterns.lengths == 1).sum() == events
    assert (patterns.lengths == 3).sum() > 10
    assert patterns.joined.any() == itemsets
    np.testing.assert_array_equal(along_the_tree(patterns), by_the_index(patterns))
    for lacking in np.random.default_rng(0).choice(len(patterns), 30, replace=False):
        fewer = patterns.take(np.delete(np.arange(len(patterns)), lacking))
        np.testing.assert_array_equal(find_sub_patterns(fewer).links, by_the_index(fewer))


def test_a_missing_event_is_not_taken_for_one_64_further():
    # With a table of 65 events, e00 and e64 have the same bit in different words.
    events = [f"e{number:02}" for number in range(65)]
    cells = [(event,) for event in events]
    cells += [("e01", "e00"), ("e01", "e02"), ("e01", "e02", "e00"), ("e02", "e64")]  # not (e02, e00)
    mined = pd.DataFrame({"pattern": pd.Series(cells, dtype=object), "support": 5})
    with pytest.raises(SeqPrivError, match="1 sub-pattern with one event fewer is missing"):
        pdseqpriv.release_patterns(mined, k=2)


def by_the_index(patterns):
    """Look sub-patterns up by their hash, and return them as numbers."""
    places, numbers, _ = number_by_length(patterns.offsets)
    by_index = link_sub_patterns(patterns.codes, patterns.offsets, patterns.joined)
    return number_links(by_index, patterns.offsets, places, numbers)


def along_the_tree(patterns):
    """Look sub-patterns up in the tree, which must be complete."""
    arrays = patterns.codes, patterns.offsets, patterns.joined
    parents, has_parents = find_parents(*arrays)
    assert has_parents
    links, is_complete = link_by_tree(
        parents, *arrays, len(patterns.vocabulary), *number_by_length(patterns.offsets)
    )
    assert is_complete
    return links


@given(ROWS, st.data())
def test_a_table_that_lacks_a_pattern_is_not_taken_for_complete(rows, data):
    mined = plain_table(rows).seqpriv.mine(2, max_length=5)
    patterns = read_pattern_table(mined, "test")
    assume(patterns.lengths.max(initial=0) > 1)
    contained = {without(nested(cell), place) for cell in mined.pattern for place in range(len(flat(cell)))}
    cells = [nested(cell) for cell in patterns.to_tuples()]
    lacking = data.draw(st.sampled_from([place for place, cell in enumerate(cells) if cell in contained]))
    fewer = patterns.take(np.delete(np.arange(len(cells)), lacking))
    found = find_sub_patterns(fewer)
    np.testing.assert_array_equal(found.links, by_the_index(fewer))
    assert (found.links[found.levels[2] - 1 :] == 0).any()


def flat(cell):
    """List the events of a pattern."""
    return [event for element in nested(cell) for event in element]


def without(pattern, place):
    """Take the event at a place out of a nested pattern."""
    result = []
    for element in pattern:
        result.append(tuple(event for step, event in enumerate(element) if step != place))
        place -= len(element)
    return tuple(element for element in result if element)


def test_a_table_without_single_events_is_made_safe_too():
    rows = telling_rows()
    mined = plain_table(rows).seqpriv.mine(6, min_length=2)
    released = as_dict(pdseqpriv.release_patterns(mined, k=5, alpha=0.9))
    expected, _ = naive.release(as_dict(mined), 5, 0.9)
    assert released == expected
    assert naive.channels(as_dict(mined), 5, 0.9)
    assert not naive.channels(released, 5, 0.9)
    direct = plain_table(rows).seqpriv.release_patterns(6, min_length=2, k=5, alpha=0.9)
    assert as_dict(direct) == released


def test_closed_patterns_of_a_release():
    rows = several_times([(0, 0, 0), (0, 1, 1), (0, 2, 2), (1, 0, 0), (1, 1, 1), (2, 3, 0)], 5)
    frame = plain_table([*rows, (900, 0, 0)])
    # a is in 11 sequences, b and (a, b) in 10; c and all that end with it in 5.
    everything = frame.seqpriv.release_patterns(5, k=3)
    closed = frame.seqpriv.release_patterns(5, k=3, closed=True)
    assert as_dict(everything)[(("a",),)] == 13
    assert as_dict(closed) == {
        (("a",),): 13,
        (("a",), ("b",)): 10,
        (("a",), ("b",), ("c",)): 5,
        (("d",),): 5,
    }
    strict = frame.seqpriv.release_patterns(5, alpha=0.9, closed=True)
    assert len(strict) == len(everything)


def test_example_1_of_the_paper():
    found = pdseqpriv.inference_channels(EXAMPLE, k=2, alpha=0.95)
    rows = [tuple(row) for row in found.itertuples(index=False)]
    abcd, abd, ad = EXAMPLE.pattern
    # One patient has a and d without b in between; whoever has a, b and d certainly has c.
    assert rows[:2] == [
        ("k", ad, abcd, 1001, 1000, 1, pytest.approx(1000 / 1001)),
        ("k", ad, abd, 1001, 1000, 1, pytest.approx(1000 / 1001)),
    ]
    assert rows[2] == ("alpha", abd, abcd, 1000, 1000, 0, 1.0)
    assert {row[1:3] for row in rows[3:]} == {(ad, abcd), (ad, abd)}
    assert not pdseqpriv.verify.are_patterns_safe(EXAMPLE, k=2)
    assert not pdseqpriv.verify.are_patterns_safe(EXAMPLE, alpha=0.95)


@given(
    ROWS,
    st.integers(1, 4),
    PRIVACY,
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.5, 1.0]),
)
def test_channels_and_verdict_on_any_table(rows, times, privacy, seed, share):
    k, alpha = privacy
    mined = naive_mine.mine(named(several_times(rows, times)), 2, 4)
    assume(len(mined) < 150)
    choose = np.random.default_rng(seed)
    some = {pattern: support for pattern, support in mined.items() if choose.random() < share}
    found = pdseqpriv.inference_channels(table_of(some), k=k, alpha=alpha)
    pairs = {(row.channel, nested(row.pattern), nested(row.longer)) for row in found.itertuples(index=False)}
    expected = naive.channels(some, k, alpha)
    assert pairs == expected
    assert len(found) == len(expected)
    low = sum(support < k for support in some.values()) if k else 0
    verdict = pdseqpriv.verify.are_patterns_safe(table_of(some), k=k, alpha=alpha)
    assert bool(verdict) == (not expected and not low)
    assert (verdict.checked, verdict.violations) == (len(some), len(expected) + low)
    assert verdict.details["violations"].sum() == verdict.violations


def random_patterns(seed):
    """Patterns of 1 to 8 events, with repeated events and itemsets, and supports close to each other."""
    choose = np.random.default_rng(seed)
    patterns = {}
    while len(patterns) < 300:
        size = int(choose.integers(1, 9))
        cuts = np.flatnonzero(choose.random(size - 1) < 0.8) + 1
        elements = np.split(choose.choice(np.array(list("abc"), object), size), cuts)
        patterns[tuple(tuple(sorted(set(element))) for element in elements)] = int(choose.integers(20, 32))
    return patterns


@pytest.mark.parametrize("seed", range(6))
def test_parts_that_are_looked_up_are_those_that_are_contained(seed):
    some = random_patterns(seed)
    for k, alpha in ((4, None), (None, 0.9), (3, 0.8)):
        found = pdseqpriv.inference_channels(table_of(some), k=k, alpha=alpha)
        pairs = [
            (row.channel, nested(row.pattern), nested(row.longer)) for row in found.itertuples(index=False)
        ]
        expected = naive.channels(some, k, alpha)
        # A longer pattern with the higher support, which these random ones may have, is not looked for.
        expected = {pair for pair in expected if some[pair[2]] <= some[pair[1]]}
        assert len(expected) > 100
        assert set(pairs) == expected
        assert len(pairs) == len(expected)


def rising_pairs(supports):
    """List the pairs in which the longer pattern has the higher support."""
    return [
        (one, other)
        for one in supports
        for other in supports
        if one != other and supports[other] > supports[one] and naive_table.contains(other, one)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_longer_pattern_with_the_higher_support_is_not_safe(seed):
    some = random_patterns(seed)
    expected = rising_pairs(some)
    assert len(expected) > 100
    for privacy in ({"k": 2}, {"alpha": 0.9}, {"k": 3, "alpha": 0.8}):
        verdict = pdseqpriv.verify.are_patterns_safe(table_of(some), **privacy)
        assert not verdict
        rules = verdict.details.set_index("rule")["violations"]
        assert rules["longer has higher support"] == len(expected)
        shown = pdseqpriv.verify.are_patterns_safe(table_of(some), **privacy, reveal=True).details
        shown = shown[shown["rule"] == "longer has higher support"]
        found = [(nested(row.pattern), nested(row.longer)) for row in shown.itertuples()]
        assert sorted(found) == sorted(expected)


@given(ROWS, st.integers(0, 2**32 - 1))
def test_one_support_that_was_raised_by_hand_is_seen(rows, seed):
    mined = naive_mine.mine(named(several_times(rows, 3)), 2, 4)
    longer = [pattern for pattern in mined if naive_mine.length(pattern) > 1]
    assume(longer and len(mined) < 100)
    chosen = longer[seed % len(longer)]
    raised = mined | {chosen: max(mined.values()) + 5}
    for supports, expected in ((mined, 0), (raised, len(rising_pairs(raised)))):
        verdict = pdseqpriv.verify.are_patterns_safe(table_of(supports), k=2)
        assert verdict.details["violations"].iloc[-1] == expected
        assert ("in which the longer has the higher support" in str(verdict)) == (expected > 0)
    assert rising_pairs(raised)


def test_a_verdict_shows_no_pattern():
    secret = EXAMPLE.assign(pattern=[("hiv", "drug", "ward", "out"), ("hiv", "drug", "out"), ("hiv", "out")])
    verdict = pdseqpriv.verify.are_patterns_safe(secret, k=2, alpha=0.9)
    assert not verdict
    assert "hiv" not in repr(verdict) + verdict.details.to_string()


@pytest.mark.parametrize("alpha", [0.95, 1 / 3, 2 / 3, 0.1 + 0.2, 0.123456789123])
def test_alpha_is_exact_at_the_border(alpha):
    # Brute force with fractions decides; floats would err on one side or the other.
    for support in (1, 3, 19, 20, 57, 95, 999_999_937):
        mined = {(("a",), ("b",)): support, (("a",),): support, (("b",),): support}
        released = as_dict(pdseqpriv.release_patterns(table_of(mined), alpha=alpha))
        assert not naive.channels(released, None, alpha)
        if len(str(alpha)) < 11:
            tight = dict(released) | {(("a",),): released[(("a",),)] - 1}
            assert naive.channels(tight, None, alpha)


def test_measures_by_hand():
    before = table_of({(("a",),): 10, (("b",),): 20, (("a", "b"),): 5, (("c",),): 4})
    after = table_of({(("a", "b"),): 6, (("a",),): 10, (("b",),): 25})
    values = pdseqpriv.compare(before, after).set_index("measure")["value"]
    assert values["patterns_kept"] == 3 / 4
    assert values["average_distortion"] == pytest.approx((0 + 5 / 20 + 1 / 5) / 3)
    assert values["share_adjusted"] == pytest.approx(2 / 3)


def make_like_in_the_paper():
    """20,000 sequences of 10 events; j is rare, and 97 % of those who have it have i soon after."""
    choose = np.random.default_rng(4)
    lengths = choose.geometric(0.3, 20_000)
    shares = np.array([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    events = choose.choice(list("abcdefghij"), lengths.sum(), p=shares / shares.sum())
    owners = np.repeat(np.arange(20_000), lengths)
    followed = np.flatnonzero((events == "j") & (choose.random(len(events)) < 0.97))
    return pd.DataFrame(
        {
            "seq_id": np.concatenate([owners, owners[followed]]),
            "event": np.concatenate([events, np.full(len(followed), "i")]),
            "time": np.concatenate([2 * np.arange(len(owners)), 2 * followed + 1]),
        }
    )


def test_distortion_like_in_the_paper():
    mined = make_like_in_the_paper().seqpriv.mine(40)
    assert len(mined) > 770
    assert len(pdseqpriv.inference_channels(mined, k=2, alpha=0.95)) > 100
    released = pdseqpriv.release_patterns(mined, k=2, alpha=0.95)
    values = pdseqpriv.compare(mined, released).set_index("measure")["value"]
    # The paper: under 4 % of the supports adjusted, under 0.72 % distortion.
    assert 0 < values["share_adjusted"] < 0.04
    assert 0 < values["average_distortion"] < 0.0072


def test_nothing_of_the_given_table_comes_along(tmp_path):
    mined = plain_table(telling_rows()).seqpriv.mine(6)
    given = mined.iloc[::-1].assign(note="top-secret").set_index(pd.Index(["label"] * len(mined)))
    given.attrs["owner"] = "top-secret"
    released = pdseqpriv.release_patterns(given, k=5, alpha=0.9)
    assert list(released.columns) == ["pattern", "support", "length"]
    assert released.index.equals(pd.RangeIndex(len(mined)))
    assert list(released.attrs) == ["pdseqpriv"]
    (step,) = released.attrs["pdseqpriv"]["applied"]
    assert step["parameters"] == {"k": 5, "alpha": 0.9, "closed": False, "method": "raise"}
    keys = [(-row.support, nested(row.pattern)) for row in released.itertuples()]
    assert keys == sorted(keys)
    assert not released.support.equals(mined.support)
    pdseqpriv.write_parquet(released, tmp_path / "patterns.parquet")
    assert b"top-secret" not in (tmp_path / "patterns.parquet").read_bytes()
    again = pdseqpriv.read_parquet(tmp_path / "patterns.parquet")
    pd.testing.assert_frame_equal(again, released)
    assert again.attrs == released.attrs


@pytest.mark.parametrize("lacking", [False, True])
@given(ROWS, st.data())
def test_what_is_wrong_with_a_table_is_counted(lacking, rows, data):
    patterns = as_dict(plain_table(rows).seqpriv.mine(2, max_length=5))
    assume(len(patterns) > 1)
    cells = list(patterns)
    for cell in data.draw(st.lists(st.sampled_from(cells), max_size=3)):
        if not lacking:
            patterns[cell] += data.draw(st.integers(0, 2))
        elif len(patterns) > 1:
            patterns.pop(cell, None)
    below = {cell: {without(cell, place) for place in range(len(flat(cell)))} - {()} for cell in patterns}
    shortest = min(map(length_of, patterns))
    missing = {one for cell in below for one in below[cell] if length_of(cell) > shortest} - set(patterns)
    rising = sum(patterns.get(one, 99) < patterns[cell] for cell in below for one in below[cell])
    if rising:
        told = "but 1 pair breaks this rule" if rising == 1 else f"but {rising} pairs break this rule"
    elif missing:
        told = told_missing(len(missing))
    else:
        pdseqpriv.release_patterns(table_of(patterns), k=2)
        return
    with pytest.raises(SeqPrivError, match=told):
        pdseqpriv.release_patterns(table_of(patterns), k=2)


def told_missing(number):
    """Say how many sub-patterns are missing."""
    what = (
        "1 sub-pattern with one event fewer is"
        if number == 1
        else f"{number} sub-patterns with one event fewer are"
    )
    return f"but {what} missing"


def length_of(cell):
    """Count the events of a nested pattern."""
    return sum(map(len, cell))


@pytest.mark.parametrize(
    ("cells", "supports", "told"),
    [
        ([("a", "a"), ("b",)], [5, 9], told_missing(1)),
        ([("a",), ("b",), ("a", "c"), ("b", "c")], [9, 9, 5, 5], told_missing(1)),
        ([("a",), ("a", "a")], [5, 9], "but 1 pair breaks"),
        ([("a",), ("b",), (("a", "b"),), (("a", "b"), "a")], [9, 9, 9, 9], told_missing(2)),
    ],
)
def test_what_remains_twice_counts_once(cells, supports, told):
    table = pd.DataFrame({"pattern": pd.Series(cells, dtype=object), "support": supports})
    with pytest.raises(SeqPrivError, match=told):
        pdseqpriv.release_patterns(table, k=2)


@pytest.mark.parametrize(
    "alpha", [0.7000000001, 0.69999999999, Fraction(2, 3) + Fraction(1, 10**15), 0.123456789012]
)
def test_every_digit_of_alpha_counts(alpha):
    mined = {(("a",),): 10, (("a",), ("a",)): 7}
    released = as_dict(pdseqpriv.release_patterns(table_of(mined), alpha=alpha))
    single = next(support for support in range(10, 100) if Fraction(7, support) < Fraction(str(alpha)))
    assert released == {(("a",),): single, (("a",), ("a",)): 7}


def test_numbers_of_numpy_mean_what_plain_ones_do():
    frame = plain_table([(owner, time % 2, time) for owner in range(6) for time in range(6)])
    for narrow in (np.uint8(255), np.int8(127)):
        pd.testing.assert_frame_equal(
            frame.seqpriv.mine(np.int8(2), max_length=narrow, min_length=np.int8(1), closed=True),
            frame.seqpriv.mine(2, closed=True),
            check_like=True,
        )
    for k in (np.uint64(2), np.int8(2)):
        released = frame.seqpriv.release_patterns(2, k=k, max_length=np.uint8(255))
        pd.testing.assert_frame_equal(released, frame.seqpriv.release_patterns(2, k=2, max_length=255))
        assert type(released.attrs["pdseqpriv"]["applied"][-1]["parameters"]["k"]) is int


GOOD = {(("x",),): 9, (("y",),): 8, (("x",), ("y",)): 7}
BAD_TABLES = [
    (
        table_of(GOOD | {(("x",), ("y",)): 9}),
        "at least the support of any longer pattern that contains it, but 1 ",
    ),
    (table_of({(("x",), ("y",)): 7, (("x",),): 9}), told_missing(1)),
    (table_of({(("x",), ("y",), ("z",)): 7, (("x",),): 9}), told_missing(3)),
    (pd.concat([table_of(GOOD)] * 2), "may be in the table only once, but 3 rows repeat an earlier one"),
    (
        table_of(GOOD).assign(support=0),
        "column 'support' must be whole numbers of at least 1, but 3 rows have less",
    ),
    (
        table_of(GOOD).assign(support=1.5),
        "column 'support' must be whole numbers of at least 1, but its type is float64",
    ),
    (table_of(GOOD).drop(columns="support"), "a table without 'support'"),
    (
        table_of(GOOD).assign(pattern="xy"),
        "a tuple or list of events in every row, but it holds values of type str",
    ),
    (table_of(GOOD).assign(pattern=[("x",), (), ("y",)]), "free of empty patterns and elements, but 1 is"),
    (table_of(GOOD).assign(pattern=[("x",), (None,), ("y",)]), "all text or all ints, but they are NoneType"),
    (table_of(GOOD).assign(pattern=[("x",), (1,), ("y",)]), "all text or all ints, but they are int, str"),
    (
        table_of(GOOD).assign(pattern=[("x",), (("y", "y"),), ("y",)]),
        "may hold an event only once, but 1 event is a repeat",
    ),
    ("patterns", "must be a pandas DataFrame, got str"),
]


@pytest.mark.parametrize(("table", "message"), BAD_TABLES)
def test_a_bad_table_is_told_by_rule_and_count(table, message):
    with pytest.raises(SeqPrivError, match=re.escape(message)) as error:
        pdseqpriv.release_patterns(table, k=5)
    assert str(error.value).startswith("release_patterns: ")
    assert not re.search(r"\b[xyz]\b", str(error.value))


BAD_PRIVACY = [
    ({}, "k and alpha are both missing"),
    ({"k": 1}, "k must be an int of at least 2, got 1"),
    ({"k": 2.0}, "k must be an int of at least 2, got float"),
    ({"k": True}, "k must be an int of at least 2, got bool"),
    ({"alpha": 0}, "alpha must be a number above 0 and at most 1, got 0"),
    ({"alpha": -0.5}, "got -0.5"),
    ({"alpha": 1.01}, "got 1.01"),
    ({"alpha": float("nan")}, "got nan"),
    ({"alpha": "0.9"}, "got str"),
]


@pytest.mark.parametrize(("given", "message"), BAD_PRIVACY)
@pytest.mark.parametrize(
    "function", [pdseqpriv.release_patterns, pdseqpriv.inference_channels, pdseqpriv.verify.are_patterns_safe]
)
def test_k_and_alpha_out_of_range(function, given, message):
    with pytest.raises(SeqPrivError, match=re.escape(message)) as error:
        function(table_of(GOOD), **given)
    assert str(error.value).startswith(f"{function.__name__}: ")


def test_supports_below_k_are_refused():
    with pytest.raises(
        SeqPrivError, match="k must be at most the lowest support in the table, got 8, but 1 "
    ):
        pdseqpriv.release_patterns(table_of(GOOD), k=8)
    frame = plain_table([(owner, 0, 0) for owner in range(9)])
    with pytest.raises(SeqPrivError, match="min_support must be at least k = 5 sequences, got 4"):
        frame.seqpriv.release_patterns(4, k=5)
    with pytest.raises(SeqPrivError, match="min_support must be an int of at least 1"):
        frame.seqpriv.release_patterns(-1, k=5)
    with pytest.raises(SeqPrivError, match="closed must be True or False"):
        frame.seqpriv.release_patterns(5, k=5, closed=1)


def test_an_alpha_that_no_support_can_meet():
    chain = {tuple(("x",) for _ in range(length)): 1000 for length in range(1, 12)}
    with pytest.raises(InfeasibleError, match="Use a larger alpha"):
        pdseqpriv.release_patterns(table_of(chain), alpha=0.01)


def test_sequences_without_min_support_are_told_what_is_missing():
    with pytest.raises(SeqPrivError, match="min_support"):
        plain_table([(0, 0, 0)]).seqpriv.release_patterns(k=2)


def test_an_empty_table_stays_empty():
    empty = plain_table([]).seqpriv.mine(2)
    assert len(pdseqpriv.release_patterns(empty, k=2, alpha=0.9)) == 0
    assert pdseqpriv.verify.are_patterns_safe(empty, k=2, alpha=0.9)
    assert len(pdseqpriv.inference_channels(empty, k=2)) == 0


def test_naive_containment_is_that_of_the_definition():
    assert naive_table.contains(nested((("a", "b"), "c")), nested(("b", "c")))
    assert not naive_table.contains(nested(("a", "b")), nested((("a", "b"),)))


def test_supports_can_pass_the_number_of_sequences():
    # All 10 people have a, b and both; to keep a from implying a longer pattern its support must double.
    table = pd.DataFrame({"seq_id": [i for i in range(10) for _ in "ab"], "event": list("ab" * 10)})
    released = table.assign(time=range(20)).seqpriv.release_patterns(2, k=2, alpha=0.51)
    supports = released.set_index("pattern")["support"]
    assert supports[("a", "b")] == 10
    assert supports[("a",)] == 20
