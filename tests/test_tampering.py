"""A good release passes its check; the same release, changed so that the guarantee breaks, does not.

Every operation has a section: the release as it is (the control), then ways to tamper with it.
"""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import PrivacyWarning, verify
from tests.strategies import plain_rows, plain_table


def table_of(*sequences):
    """One row per event; times count up."""
    rows = [(i, event, t) for i, one in enumerate(sequences) for t, event in enumerate(one)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"]).astype({"event": "str"})


def with_rows(frame, *rows):
    return pd.concat([frame, pd.DataFrame(rows, columns=["seq_id", "event", "time"])], ignore_index=True)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return function(*arguments, **options)


# k_anonymize: every released sequence is in at least k original ones, in k released ones, equal to k.

PEOPLE = table_of("abc", "abc", "abc", "abd", "abd", "abd", "xyz")
LEVELS = ("contained", "mutual", "identical")
SETTINGS = [(method, level) for method in ("prefix_tree", "subsequence") for level in LEVELS]


def k_anonymized(method, guarantee):
    return quietly(PEOPLE.seqpriv.k_anonymize, 3, method=method, guarantee=guarantee)


@pytest.mark.parametrize(("method", "guarantee"), SETTINGS)
def test_k_anonymized_as_it_is(method, guarantee):
    released = k_anonymized(method, guarantee)
    assert len(released) >= 12
    assert verify.is_k_anonymous(PEOPLE, released, 3, guarantee=guarantee)


def one_event_put_back(released):
    """Somebody again has an event that nobody else has there."""
    last = released.loc[released["time"].idxmax()]
    return with_rows(released, (last["seq_id"], "z", last["time"] + 1))


def one_sequence_invented(released):
    return with_rows(released, ("new", "x", 1), ("new", "y", 2), ("new", "z", 3)).astype({"seq_id": str})


def one_sequence_of_unknown_events(released):
    return with_rows(released, ("new", "never seen", 1)).astype({"seq_id": str})


def one_event_moved_to_the_front(released):
    """What came last now comes first, an order that nobody has."""
    own = released["seq_id"] == released["seq_id"].iloc[0]
    last = released.loc[own, "time"].idxmax()
    return released.assign(time=released["time"].mask(released.index == last, released["time"].min() - 1))


def one_event_twice(released):
    last = released.loc[released["time"].idxmax()]
    return with_rows(released, (last["seq_id"], last["event"], last["time"] + 1))


def events_at_once(released):
    """Two events of one sequence happen together, which nobody's do."""
    own = released["seq_id"] == released["seq_id"].iloc[0]
    return released.assign(time=released["time"].mask(own, released["time"].min()))


@pytest.mark.parametrize(("method", "guarantee"), SETTINGS)
@pytest.mark.parametrize(
    "tamper",
    [
        one_event_put_back,
        one_sequence_invented,
        one_sequence_of_unknown_events,
        one_event_moved_to_the_front,
        one_event_twice,
        events_at_once,
    ],
)
def test_tampered_k_anonymity_is_refused(method, guarantee, tamper):
    verdict = verify.is_k_anonymous(PEOPLE, tamper(k_anonymized(method, guarantee)), 3, guarantee=guarantee)
    assert not verdict
    assert verdict.violations >= 1


@pytest.mark.parametrize("method", ["prefix_tree", "subsequence"])
@pytest.mark.parametrize("guarantee", ["mutual", "identical"])
def test_one_released_sequence_fewer_breaks_only_the_stronger_promises(method, guarantee):
    released = k_anonymized(method, guarantee)
    fewer = released[released["seq_id"] != released["seq_id"].iloc[0]]
    assert verify.is_k_anonymous(PEOPLE, fewer, 3)
    assert not verify.is_k_anonymous(PEOPLE, fewer, 3, guarantee=guarantee)


@pytest.mark.parametrize("method", ["prefix_tree", "subsequence"])
def test_one_original_sequence_fewer_breaks_the_promise(method):
    """Of those who share a sequence one leaves: the others are too few."""
    fewer = PEOPLE[PEOPLE["seq_id"] != 0]
    assert not verify.is_k_anonymous(fewer, k_anonymized(method, "contained"), 3)


@given(plain_rows(max_rows=40, n_events=2, n_ids=6, marked=False), st.integers(2, 4), st.data())
def test_whatever_is_put_back_is_refused_where_too_few_have_it(rows, k, data):
    original = plain_table(rows)
    released = quietly(original.seqpriv.k_anonymize, k)
    assert verify.is_k_anonymous(original, released, k)
    counts = original.groupby(["seq_id", "event"]).size()
    assume(len(counts))
    # More of one event than all but k - 1 people have.
    event = data.draw(st.sampled_from(sorted(original["event"].unique())))
    most = counts.xs(event, level="event").sort_values(ascending=False)
    enough = int(most.iloc[k - 1]) + 1 if len(most) >= k else 1
    added = [("new", event, time) for time in range(enough)]
    assert not verify.is_k_anonymous(original, with_rows(released, *added).astype({"seq_id": str}), k)


# hide: every pattern is in at most max_support sequences.

HIDDEN = ["a -> b", "c"]
VISITS = table_of("ab", "axb", "ab", "ca", "cb", "ba", "xa")
OUTPUTS = ["mark", "drop", "replace"]


def hidden(output, max_support):
    return quietly(VISITS.seqpriv.hide, HIDDEN, max_support=max_support, output=output, seed=1)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("max_support", [0, 1])
def test_hidden_as_it_is(output, max_support):
    assert not verify.is_hidden(VISITS, HIDDEN, max_support)
    assert verify.is_hidden(hidden(output, max_support), HIDDEN, max_support)


def put_back(released, max_support):
    """The rows of as many supporters of a pattern as break the promise are as they were."""
    supporters = [0, 1, 2][: max_support + 1]
    return pd.concat(
        [released[~released["seq_id"].isin(supporters)], VISITS[VISITS["seq_id"].isin(supporters)]]
    )


def single_event_put_back(released, max_support):
    """The second pattern is one event: so many of its rows are as they were."""
    rows = VISITS[VISITS["event"] == "c"].head(max_support + 1)
    return pd.concat([released, rows.assign(time=-1)], ignore_index=True)


def supporters_invented(released, max_support):
    rows = [(100 + n, event, time) for n in range(max_support + 1) for time, event in enumerate("ab")]
    return with_rows(released, *rows)


def moved_in_front(released, max_support):
    """An a is moved before the b of its sequence, where it came after it."""
    rows = [(200 + n, event, time) for n in range(max_support + 1) for time, event in enumerate("ba")]
    after = with_rows(released, *rows)
    assert verify.is_hidden(after, HIDDEN, max_support)
    return after.assign(time=after["time"].mask((after["seq_id"] >= 200) & (after["event"] == "a"), -1))


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")  # of events that are not there
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("max_support", [0, 1])
@pytest.mark.parametrize("tamper", [put_back, single_event_put_back, supporters_invented, moved_in_front])
def test_what_was_hidden_and_shows_again_is_refused(output, max_support, tamper):
    verdict = verify.is_hidden(tamper(hidden(output, max_support), max_support), HIDDEN, max_support)
    assert not verdict
    assert verdict.violations >= 1


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")  # of events that are not there
@given(plain_rows(max_rows=30, n_events=3, marked=False), st.sampled_from(OUTPUTS), st.integers(0, 2))
def test_the_original_in_place_of_what_hides_is_refused(rows, output, max_support):
    original = plain_table(rows)
    own = original.sort_values(["seq_id", "time"], kind="stable")
    firsts = own[own["event"] == "a"].groupby("seq_id")["time"].min()
    lasts = own[own["event"] == "b"].groupby("seq_id")["time"].max()
    support = int((firsts < lasts.reindex(firsts.index)).sum())
    released = quietly(original.seqpriv.hide, ["a -> b"], max_support=max_support, output=output, seed=1)
    asked = {"max_support": max_support, "may_be_absent": True}
    assert verify.is_hidden(released, ["a -> b"], **asked)
    assert bool(verify.is_hidden(original, ["a -> b"], **asked)) == (support <= max_support)


# sanitize: no sensitive event reaches delta in any prefix.

SALES = table_of("bbcbabcbbabcbbab", "cbbcabbcbbabbcab")
DELTA = Fraction(1, 8)


def sanitized(scope):
    return quietly(SALES.seqpriv.sanitize, DELTA, events=["a"], scope=scope)


@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_sanitized_as_it_is(scope):
    released = sanitized(scope)
    assert "a" in set(released["event"])
    assert verify.is_sanitized(released, DELTA, events=["a"], scope=scope)


def first_put_back(released):
    """The sensitive event stands in the first prefix again."""
    return with_rows(released, (0, "a", -1))


def all_put_back(released):
    return pd.concat([released[released["event"] != "a"], SALES[SALES["event"] == "a"]])


def others_missing(released):
    """Half of the other rows are gone, so the same number is a larger share."""
    others = released.index[released["event"] != "a"]
    return released.drop(others[::2])


def sensitive_moved_to_the_front(released):
    return released.assign(time=released["time"].mask(released["event"] == "a", -1))


def other_renamed(released):
    """Some other event turns out to be the sensitive one."""
    return released.assign(event=released["event"].where(released["event"] != "c", "a"))


def sequence_invented(released):
    """A new sequence, early, with nothing but the sensitive event."""
    return with_rows(released, *[(9, "a", -1 - n) for n in range(8)])


@pytest.mark.parametrize("scope", ["sequence", "table"])
@pytest.mark.parametrize(
    "tamper",
    [
        first_put_back,
        all_put_back,
        others_missing,
        sensitive_moved_to_the_front,
        other_renamed,
        sequence_invented,
    ],
)
def test_tampered_sanitization_is_refused(scope, tamper):
    verdict = verify.is_sanitized(tamper(sanitized(scope)), DELTA, events=["a"], scope=scope)
    assert not verdict
    assert verdict.violations >= 1


@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_company_that_leaves_is_noticed(scope):
    # b is frequent at one half, so c alone keeps a company.
    sales = table_of("cbbabbcbba", "cbbabbcbba")
    asked = {"events": ["a"], "scope": scope, "camouflage": 2}
    released = quietly(sales.seqpriv.sanitize, 0.5, **asked)
    assert "a" in set(released["event"])
    assert verify.is_sanitized(released, 0.5, **asked)
    gone = released[released["event"] != "c"]
    assert verify.is_sanitized(gone, 0.5, events=["a"], scope=scope)
    assert not verify.is_sanitized(gone, 0.5, **asked)


@given(plain_rows(max_rows=30, n_events=3, marked=False), st.sampled_from(["sequence", "table"]))
def test_a_sensitive_event_put_first_is_always_refused(rows, scope):
    original = plain_table(rows)
    assume("a" in set(original["event"]))
    released = quietly(original.seqpriv.sanitize, 0.5, events=["a"], scope=scope)
    assert verify.is_sanitized(released, 0.5, events=["a"], scope=scope)
    row = original[original["event"] == "a"].head(1)
    tampered = pd.concat([released, row.assign(time=original["time"].min() - 1)], ignore_index=True)
    assert not verify.is_sanitized(tampered, 0.5, events=["a"], scope=scope)


# release_patterns: no support, and no two together, tell of fewer than k people; no near certainty.

MINED = table_of(*["abc"] * 40, *["ab"] * 17, *["bc"] * 9, *["c"] * 23, *["acb"] * 14)
K, ALPHA = 5, 0.8


@pytest.fixture(scope="module")
def patterns():
    return quietly(pdseqpriv.release_patterns, MINED.seqpriv.mine(10), k=K, alpha=ALPHA)


def place_of(table, pattern):
    return next(i for i, one in zip(table.index, table["pattern"], strict=True) if one == pattern)


def test_patterns_as_they_are(patterns):
    assert {("a",), ("a", "b"), ("a", "b", "c")} <= set(patterns["pattern"])
    assert not verify.are_patterns_safe(MINED.seqpriv.mine(10), k=K, alpha=ALPHA)
    assert verify.are_patterns_safe(patterns, k=K, alpha=ALPHA)


@pytest.mark.parametrize("pair", [(("a",), ("a", "b")), (("a", "b"), ("a", "b", "c")), (("c",), ("b", "c"))])
@pytest.mark.parametrize("difference", [1, K - 1])
def test_a_support_that_is_lowered_is_refused(patterns, pair, difference):
    """The shorter pattern has a few more people than the longer one: those few can be told."""
    shorter, longer = (place_of(patterns, pattern) for pattern in pair)
    tampered = patterns.copy()
    tampered.loc[shorter, "support"] = tampered.loc[longer, "support"] + difference
    assert not verify.are_patterns_safe(tampered, k=K)


@pytest.mark.parametrize("pair", [(("a",), ("a", "b")), (("b",), ("a", "b", "c"))])
def test_a_support_that_is_raised_is_refused(patterns, pair):
    """The longer pattern has nearly as many people as the shorter one: who has the one has the other."""
    shorter, longer = (place_of(patterns, pattern) for pattern in pair)
    tampered = patterns.copy()
    tampered.loc[longer, "support"] = int(np.ceil(tampered.loc[shorter, "support"] * ALPHA))
    assert not verify.are_patterns_safe(tampered, alpha=ALPHA)


def test_a_pattern_of_few_people_put_back_is_refused(patterns):
    row = pd.DataFrame({"pattern": [("a", "c", "b", "x")], "support": [K - 1]})
    assert not verify.are_patterns_safe(pd.concat([patterns, row], ignore_index=True), k=K)


def test_true_supports_in_place_of_released_ones_are_refused(patterns):
    true = MINED.seqpriv.mine(10)
    same = patterns.assign(
        support=true.set_index("pattern")["support"].reindex(patterns["pattern"]).to_numpy()
    )
    assert not verify.are_patterns_safe(same, k=K, alpha=ALPHA)


@given(st.data())
def test_any_support_one_above_a_longer_one_is_refused(patterns, data):
    longer = data.draw(st.sampled_from([p for p in patterns["pattern"] if len(p) > 1]))
    left_out = data.draw(st.integers(0, len(longer) - 1))
    shorter = longer[:left_out] + longer[left_out + 1 :]
    supports = dict(zip(patterns["pattern"], patterns["support"], strict=True))
    supports[shorter] = supports[longer] + data.draw(st.integers(1, K - 1))
    tampered = pd.DataFrame({"pattern": list(supports), "support": list(supports.values())})
    assert not verify.are_patterns_safe(tampered, k=K)


# generalize: groups of k with the same intervals, true to their people, and sensitive events uncertain.

SEARCHES = pd.DataFrame(
    [
        (person, event, time)
        for person in range(12)
        for event, time in (
            ("Google" if person % 2 else "Bing", person),
            ("Google", 40 + person % 5),
            (("eBay", "Amazon", "Wired")[person % 3], 20),
        )
    ],
    columns=["seq_id", "event", "time"],
)
CATEGORIES = {"Search": ["Google", "Bing"], "Shopping": ["eBay", "Amazon"], "News": ["Wired"]}
FOR_GROUPS = {"k": 3, "diversity": (1, 2), "monitored": ["Google", "Bing"]}


def generalized(method):
    return SEARCHES.seqpriv.generalize(CATEGORIES, method=method, with_key=True, **FOR_GROUPS)


def is_generalized(released, key, **asked):
    return verify.is_generalized(SEARCHES, released, key, taxonomy=CATEGORIES, **{**FOR_GROUPS, **asked})


GROUPINGS = ["baseline", "indexed", "hybrid", "hilbert", "partition"]


@pytest.mark.parametrize("method", GROUPINGS)
def test_generalized_as_it_is(method):
    released, key = generalized(method)
    assert released["group"].max() > 0
    assert is_generalized(released, key)


def one_time_put_back(released):
    wide = released.index[released["time_from"] < released["time_to"]][0]
    return released.assign(time_to=released["time_to"].mask(released.index == wide, released["time_from"]))


def one_group_split(released):
    alone = released["seq_id"] == 0
    return released.assign(group=released["group"].mask(alone, released["group"].max() + 1))


def two_groups_called_one(released):
    return released.assign(group=0)


def one_released_sequence_fewer(released):
    return released[released["seq_id"] != 0]


def one_released_sequence_twice(released):
    copy = released[released["seq_id"] == 0].assign(seq_id=released["seq_id"].max() + 1)
    return pd.concat([released, copy], ignore_index=True)


def one_interval_gone(released):
    wide = released[released["time_from"] < released["time_to"]].iloc[0]
    same = released[["group", "time_from", "time_to"]].eq(wide[["group", "time_from", "time_to"]]).all(axis=1)
    return released[~same]


def one_other_event_gone(released):
    return released.drop(index=released.index[released["event"].isin(["eBay", "Amazon", "Wired"])][0])


def one_other_event_moved(released):
    other = released.index[released["event"].isin(["eBay", "Amazon", "Wired"])][0]
    moved = released.index == other
    return released.assign(time_from=released["time_from"] + moved, time_to=released["time_to"] + moved)


BROKEN_GROUPS = [
    one_time_put_back,
    one_group_split,
    two_groups_called_one,
    one_released_sequence_fewer,
    one_released_sequence_twice,
    one_interval_gone,
    one_other_event_gone,
    one_other_event_moved,
]


@pytest.mark.parametrize("method", GROUPINGS)
@pytest.mark.parametrize("tamper", BROKEN_GROUPS)
def test_generalized_and_tampered_with(method, tamper):
    released, key = generalized(method)
    tampered = tamper(released).reset_index(drop=True)  # labels alone would be refused
    assert not tampered.equals(released)
    assert not is_generalized(tampered, key)


@pytest.mark.parametrize("method", GROUPINGS)
def test_generalized_for_less_than_is_asked(method):
    released, key = generalized(method)
    assert not is_generalized(released, key, k=len(key) + 1)
    assert not is_generalized(released, key, diversity=(1, 100))


# The same with events separated by category: intervals of different categories may overlap in time, and
# nothing else may.

STAYS = pd.DataFrame(
    [
        (person, event, time)
        for person in range(12)
        for event, time in (
            ("ward", person % 3),
            ("icu" if person % 2 else "ward", 10 + person % 4),
            ("blood" if person % 3 else "scan", 1 + person % 4),
            ("scan", 11 + person % 3),
        )
    ],
    columns=["seq_id", "event", "time"],
)
PLACES = {"bed": ["ward", "icu"], "test": ["blood", "scan"]}
APART = {"k": 12, "taxonomy": PLACES}


def separated(**asked):
    return STAYS.seqpriv.generalize(intervals="by_category", with_key=True, seed=1, **APART, **asked)


def is_separated(released, key, **asked):
    return verify.is_generalized(STAYS, released, key, intervals="by_category", **{**APART, **asked})


def group_0(released, event):
    """Return the first interval of the first group with this label, as flags of its rows."""
    theirs = (released["group"] == 0) & released["event"].isin(event)
    first = released["time_from"][theirs].min()
    return theirs & (released["time_from"] == first)


BEDS, TESTS = ["bed", "ward", "icu"], ["test", "blood", "scan"]


def label_made_broader(released):
    return released.assign(event=released["event"].mask(group_0(released, BEDS), "ALL"))


def label_of_the_other_category(released):
    return released.assign(event=released["event"].mask(group_0(released, BEDS), "test"))


def label_of_an_event_that_not_all_have(released):
    return released.assign(event=released["event"].mask(group_0(released, TESTS), "blood"))


def interval_of_the_same_category_added(released):
    return pd.concat([released, released[group_0(released, BEDS)].assign(event="bed")], ignore_index=True)


def interval_above_all_others_added(released):
    whole = {"event": "ALL", "time_from": 0, "time_to": 13}
    return pd.concat([released, released[group_0(released, BEDS)].assign(**whole)], ignore_index=True)


def interval_cut_short(released):
    wide = group_0(released, BEDS)
    return released.assign(time_to=released["time_to"].mask(wide, released["time_from"]))


def interval_stretched_over_the_next(released):
    return released.assign(time_to=released["time_to"].mask(group_0(released, BEDS), 13))


def interval_removed(released):
    return released[~group_0(released, TESTS)]


def interval_removed_from_one_member(released):
    chosen = released.index[group_0(released, TESTS)][0]
    return released.drop(index=chosen)


def empty_interval_added(released):
    where = {"event": "scan", "time_from": 8, "time_to": 9}
    return pd.concat([released, released[group_0(released, BEDS)].assign(**where)], ignore_index=True)


def test_separated_as_it_is():
    released, key = separated()
    assert is_separated(released, key)
    assert set(released["event"]) <= {*BEDS, *TESTS}
    # Its intervals overlap, which is not accepted unless the caller says that it may be so.
    verdict = verify.is_generalized(STAYS, released, key, **APART)
    assert verdict.details["rule"].tolist() == ["intervals do not overlap"]


@pytest.mark.parametrize(
    ("tamper", "rule"),
    [
        (label_made_broader, "intervals of related categories do not overlap"),
        (label_of_the_other_category, "every monitored event lies in an interval"),
        (label_of_an_event_that_not_all_have, "every interval holds an event of its person"),
        (interval_of_the_same_category_added, "intervals of related categories do not overlap"),
        (interval_above_all_others_added, "intervals of related categories do not overlap"),
        (interval_cut_short, "every monitored event lies in an interval"),
        (interval_stretched_over_the_next, "intervals of related categories do not overlap"),
        (interval_removed, "every monitored event lies in an interval"),
        (interval_removed_from_one_member, "all members of a group have the same intervals"),
        (empty_interval_added, "every interval holds an event of its person"),
        (one_group_split, "groups have at least 12 sequences"),
        (one_released_sequence_fewer, "everyone released according to the key is in the release"),
        (one_released_sequence_twice, "every sequence belongs to one person"),
    ],
)
def test_separated_and_tampered_with(tamper, rule):
    released, key = separated()
    tampered = tamper(released)
    assert not tampered.equals(released)
    verdict = is_separated(tampered.reset_index(drop=True), key)
    assert not verdict
    assert rule in verdict.details["rule"].tolist()


def test_the_keys_of_two_people_swapped():
    released, key = generalized("baseline")
    swapped = key.assign(released_id=key["released_id"].to_numpy()[[1, 0, *range(2, 12)]])
    assert not is_generalized(released, swapped)
