"""Hiding: the paper's examples, brute force, options, and what is refused."""

from __future__ import annotations

from math import comb
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import Pattern, PrivacyWarning, SeqPrivError, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.hiding import matcher
from pdseqpriv.hiding.automata import compile_patterns
from pdseqpriv.hiding.matcher import Matcher
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of
from tests.hiding import naive
from tests.hiding.cases import cases

# Small tables lack some of the events that patterns name.
pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")

PAPER = list("aabccbae")
MARKINGS = ["optimal", "greedy", "random"]
SELECTIONS = ["per_pattern", "shared", "random"]


def table_of(events, owner=0):
    return pd.DataFrame({"seq_id": owner, "event": list(events), "time": range(len(events))})


def count(table, patterns):
    """The number of matches of all patterns in the first sequence."""
    sequences = sequences_of(table, Columns())
    own = Matcher(compile_patterns([Pattern(str(pattern)) for pattern in patterns]), sequences)
    wanted = np.ones((1, len(patterns)), bool)
    digits = own.numbers(sequences, sequences.codes, np.array([0]), wanted)
    return sum(int(digit) << (32 * place) for place, digit in enumerate(digits[0]))


def marked_places(released):
    return np.flatnonzero(released["event"].isna()).tolist()


def cells_of(case, released):
    """Which (element, event) of each sequence are marked."""
    table, cells = case.table, []
    gone = table[released["event"].isna().to_numpy()]
    for owner, sequence in enumerate(case.sequences):
        place = {time: i for i, (time, _) in enumerate(sequence)}
        own = gone[gone["seq_id"] == owner]
        cells.append(sorted({(place[t], e) for e, t in zip(own["event"], own["time"], strict=True)}))
    return cells


def wide_counts():
    """Make every count a row of digits, as only long sequences need."""
    real = matcher.fit_jobs

    def widened(*arrays):
        fitted = real(*arrays)
        return fitted._replace(columns=np.full_like(fitted.columns, 3))

    return mock.patch.object(matcher, "fit_jobs", widened)


class TestPaper:
    def test_examples_1_and_2(self):
        table = table_of(PAPER)
        assert count(table, ["a -> b -> c"]) == 4
        assert marked_places(table.seqpriv.hide("a -> b -> c", marking="greedy")) == [2]
        assert marked_places(table.seqpriv.hide("a -> b -> c")) == [2]

    def test_example_3(self):
        assert count(table_of(PAPER[:3]), ["a -> b"]) == 2

    def test_section_5(self):
        assert count(table_of(PAPER), ["a -[0]-> b -[2..6]-> c"]) == 0
        assert count(table_of(PAPER), ["a -[0]-> b -[..1]-> c"]) == 2

    def test_lemma_1(self):
        assert count(table_of("a" * 30), ["a -> " * 14 + "a"]) == comb(30, 15)

    def test_leftmost_of_equals(self):
        assert marked_places(table_of("abab").seqpriv.hide("a -> b", marking="greedy")) == [0, 2]
        assert marked_places(table_of("aabb").seqpriv.hide("a -> b", marking="greedy")) == [0, 1]


class TestBruteForce:
    @settings(max_examples=60)
    @given(cases())
    def test_counts(self, case):
        expected = len(naive.all_matches(case.sequences[0], case.naive))
        for context in (mock.MagicMock(), wide_counts()):
            with context:
                assert count(case.table, case.patterns) == expected

    @settings(max_examples=60)
    @given(cases(most_sequences=2))
    def test_supports(self, case):
        expected = [[bool(naive.matches(s, p)) for p in case.naive] for s in case.sequences]
        sequences = sequences_of(case.table, Columns())
        own = Matcher(compile_patterns(case.patterns), sequences)
        chosen = np.arange(len(expected))
        assert own.supports(sequences, sequences.codes, chosen).tolist() == expected
        assert own.supports(sequences, sequences.codes, chosen[1:]).tolist() == expected[1:]
        found = verify.is_hidden(case.table, case.patterns).details["support"]
        assert found.tolist() == [sum(column) for column in zip(*expected, strict=True)]

    @settings(max_examples=60)
    @given(cases(most_sequences=2))
    def test_greedy_is_the_papers_rule(self, case):
        expected = [sorted(naive.greedy(sequence, case.naive)) for sequence in case.sequences]
        for context in (mock.MagicMock(), wide_counts()):
            with context:
                released = case.table.seqpriv.hide(case.patterns, marking="greedy")
            assert cells_of(case, released) == expected

    @settings(max_examples=60)
    @given(cases(kinds=["list"]))
    def test_optimal_takes_the_fewest_marks(self, case):
        assume(len(naive.all_matches(case.sequences[0], case.naive)) <= 60)
        released = case.table.seqpriv.hide(case.patterns)
        assert len(marked_places(released)) == naive.optimal_cost(case.sequences[0], case.naive)

    @given(cases())
    def test_optimal_never_takes_more_than_greedy(self, case):
        best, rule = (
            len(marked_places(case.table.seqpriv.hide(case.patterns, marking=marking)))
            for marking in ("optimal", "greedy")
        )
        assert best <= rule

    @given(cases(kinds=["constrained", "regex"]))
    def test_no_mark_of_optimal_is_needless(self, case):
        released = case.table.seqpriv.hide(case.patterns)
        (cells,) = cells_of(case, released)
        for kept in cells:
            rest = case.sequences[0]
            for cell in cells:
                rest = rest if cell == kept else naive.mark(rest, *cell)
            assert naive.all_matches(rest, case.naive)

    @given(cases(most_sequences=4), st.integers(0, 3))
    def test_shared_leaves_the_largest(self, case, threshold):
        sizes = [len(naive.all_matches(sequence, case.naive)) for sequence in case.sequences]
        ascending = sorted(range(len(sizes)), key=lambda i: sizes[i])
        left = set(ascending[max(0, len(sizes) - threshold) :])
        expected = [
            [] if i in left else sorted(naive.greedy(sequence, case.naive))
            for i, sequence in enumerate(case.sequences)
        ]
        options = {"marking": "greedy", "selection": "shared", "max_support": threshold}
        assert cells_of(case, case.table.seqpriv.hide(case.patterns, **options)) == expected

    @given(cases(most_sequences=5, most_patterns=1, kinds=["list"]), st.integers(0, 3))
    def test_per_pattern_leaves_the_most_expensive(self, case, threshold):
        matches = [len(naive.all_matches(sequence, case.naive)) for sequence in case.sequences]
        assume(max(matches) <= 40)
        costs = sorted(naive.optimal_cost(sequence, case.naive) for sequence in case.sequences)
        released = case.table.seqpriv.hide(case.patterns, max_support=threshold)
        assert len(marked_places(released)) == sum(costs[: max(len(costs) - threshold, 0)])

    @given(cases(most_sequences=5, kinds=["list"]), st.integers(0, 3))
    def test_per_pattern_never_takes_more_than_shared(self, case, threshold):
        ours = case.table.seqpriv.hide(case.patterns, max_support=threshold)
        paper = case.table.seqpriv.hide(
            case.patterns, max_support=threshold, marking="greedy", selection="shared"
        )
        assert len(marked_places(ours)) <= len(marked_places(paper))


class TestOverflow:
    def test_5000_equal_events(self):
        table, pattern = table_of("a" * 5000), " -> ".join("a" * 12)
        assert count(table, [pattern]) == comb(5000, 12)
        assert len(marked_places(table.seqpriv.hide(pattern))) == 4989

    def test_ties_stay_ties(self):
        table, pattern = table_of("a" * 600), " -> ".join("a" * 12)
        assert comb(600, 12) > 2**64
        assert marked_places(table.seqpriv.hide(pattern, marking="greedy")) == list(range(589))

    def test_which_event_is_marked_does_not_change(self):
        """Theorem 2 in Python's own numbers: what is in most matches is what takes most away."""
        rng = np.random.default_rng(5)
        events = "".join(rng.choice(list("ab"), 170, p=[0.8, 0.2]))
        pattern = "aaabaaabaaaaabaaaa"

        def size(text):
            sums = [1] + [0] * len(pattern)
            for event in text:
                for k in range(len(pattern), 0, -1):
                    sums[k] += sums[k - 1] if pattern[k - 1] == event else 0
            return sums[-1]

        assert size(events) > 2**64
        assert count(table_of(events), [" -> ".join(pattern)]) == size(events)
        left, expected = events, []
        while size(left):
            taken = [size(left) - size(left[:i] + "-" + left[i + 1 :]) for i in range(len(left))]
            expected.append(taken.index(max(taken)))
            left = left[: expected[-1]] + "-" + left[expected[-1] + 1 :]
        released = table_of(events).seqpriv.hide(" -> ".join(pattern), marking="greedy")
        assert marked_places(released) == sorted(expected)

    def test_expression_with_more_matches_than_64_bits(self):
        pattern = Pattern.regex("a+ b", gaps=True)
        table = table_of("a" * 100 + "b")
        assert count(table, [pattern]) == 2**100 - 1
        assert marked_places(table.seqpriv.hide([pattern], marking="greedy")) == [100]


class TestOutput:
    table = pd.DataFrame(
        {
            "seq_id": [1, 1, 1, 2, 2, 2],
            "event": pd.Categorical(list("abcabd"), categories=list("dcbaz")),
            "time": [3, 1, 2, 1, 2, 3],
            "count": [1, 2, 3, 4, 5, 6],
            "flag": [True, False] * 3,
            "note": list("uvwxyz"),
        },
        index=list("ppqrst"),
    )

    def test_mark_blanks_everything_but_the_keys(self):
        released = self.table.seqpriv.hide(["a -> b"])
        gone = released["event"].isna().to_numpy()
        # Only the second sequence contains the pattern, in rows 3 and 4, and one mark is enough.
        assert np.flatnonzero(gone).tolist() in ([3], [4])
        assert released.loc[gone, ["event", "count", "flag", "note"]].isna().all(axis=None)
        assert released[["seq_id", "time"]].equals(self.table[["seq_id", "time"]])
        assert released.index.equals(self.table.index)
        pd.testing.assert_frame_equal(
            released[~gone], self.table[~gone], check_dtype=False, check_categorical=False
        )
        assert str(released["count"].dtype) == "Int64"
        assert str(released["flag"].dtype) == "boolean"

    def test_drop_removes_rows(self):
        released = self.table.seqpriv.hide(["a -> b"], output="drop")
        assert len(released) == 5
        assert released.dtypes.drop("event").equals(self.table.dtypes.drop("event"))
        assert not released["event"].isna().any()

    def test_replace_puts_in_an_event_that_no_pattern_names(self):
        released = self.table.seqpriv.hide(["a -> b"], output="replace", seed=4)
        changed = released["event"].astype(str).to_numpy() != self.table["event"].astype(str).to_numpy()
        assert changed.sum() == 1
        assert set(released.loc[changed, "event"]) <= {"c", "d"}

    def test_nothing_beside_the_event_tells_which_rows_were_replaced(self):
        """Other columns and labels belong to the event that was there, so none is released."""
        labelled = self.table.set_axis(self.table["event"].astype(str))
        for table in (self.table, labelled, self.table.reset_index(drop=True)):
            for partitions in (1, 3):
                bound = BoundTable(table, engine=Local(partitions))
                with pytest.warns(PrivacyWarning, match="dropped 'count', 'flag', 'note': other columns"):
                    released = pdseqpriv.hide(bound, ["a -> b"], output="replace")
                assert list(released.columns) == ["seq_id", "event", "time"]
                assert released.index.equals(pd.RangeIndex(len(table)))
                assert not released.isna().any(axis=None)
                assert released["time"].tolist() == table["time"].tolist()

    def test_columns_that_are_released_are_named(self):
        for output in ("mark", "drop"):
            with pytest.warns(PrivacyWarning, match="'count', 'flag', 'note' are released as before"):
                self.table.seqpriv.hide(["a -> b"], output=output)
        with pytest.warns(PrivacyWarning, match="sanitize: 'note' is released as before, like ids and times"):
            self.table.drop(columns=["count", "flag"]).seqpriv.sanitize(0.4, events=["a"])

    def test_replace_keeps_the_mark_where_nothing_else_fits(self):
        table = table_of("ab")
        released = table.seqpriv.hide([["a"], ["b"]], output="replace")
        assert released["event"].isna().all()

    def test_dropping_looks_again(self):
        """Without the x in the middle, a and b are neighbours: only a second look finds them."""
        table = table_of("axb")
        patterns = ["x", "a -[0]-> b"]
        released = table.seqpriv.hide(patterns, output="drop")
        assert len(released) == 1
        assert verify.is_hidden(released, patterns)

    def test_only_events_that_take_part_are_marked(self):
        table = pd.DataFrame({"seq_id": 1, "event": list("abcd"), "time": [1, 1, 1, 2]})
        released = table.seqpriv.hide(["(a b) -> d"], marking="greedy")
        assert marked_places(released) == [0]

    def test_copies_in_one_element_count(self):
        """Two a's at one time are two marks, so the single b is cheaper."""
        table = pd.DataFrame({"seq_id": 1, "event": list("aab"), "time": [1, 1, 2]})
        assert marked_places(table.seqpriv.hide(["a -> b"])) == [2]

    def test_whole_numbers_stay_whole(self):
        table = table_of("ab").assign(event=[2**60 + 1, 7])
        released = table.seqpriv.hide([[2**60 + 1, 7]], marking="greedy")
        assert released["event"].tolist()[1] == 7
        assert str(released["event"].dtype) == "Int64"
        unchanged = table.seqpriv.hide([[7, 2**60 + 1]])
        pd.testing.assert_frame_equal(unchanged, table)


class TestConstraints:
    table = pd.DataFrame(
        {
            "seq_id": 1,
            "event": list("axb"),
            "time": pd.to_datetime(["2024-01-01 10:00", "2024-01-01 10:20", "2024-01-01 11:00"]),
        }
    )

    @pytest.mark.parametrize(
        ("options", "contained"),
        [
            ({}, True),
            ({"max_gap": 1}, True),
            ({"max_gap": 0}, False),
            ({"min_gap": 1}, True),
            ({"min_gap": 2}, False),
            ({"max_window": 3}, True),
            ({"max_window": 2}, False),
            ({"max_gap": "1h"}, True),
            ({"max_gap": pd.Timedelta("59min")}, False),
            ({"min_gap": "60min", "max_window": "1h"}, True),
            ({"min_gap": "3601s"}, False),
            ({"max_window": "3599999ms"}, False),
        ],
    )
    def test_keywords(self, options, contained):
        released = self.table.seqpriv.hide(["a -> b"], **options)
        assert bool(marked_places(released)) == contained
        assert bool(verify.is_hidden(self.table, ["a -> b"], **options)) != contained

    def test_a_pattern_goes_first(self):
        assert marked_places(self.table.seqpriv.hide(["a -[1..1]-> b"], max_gap=5)) != []
        assert marked_places(self.table.seqpriv.hide(["a -[..0]-> b"], max_gap=5)) == []

    def test_numbers_on_a_numeric_time(self):
        table = table_of("ab").assign(time=[0.0, 2.5])
        assert marked_places(table.seqpriv.hide(["a -> b"], max_gap=2.5, gap_unit="time")) != []
        assert marked_places(table.seqpriv.hide(["a -> b"], max_gap=2.4, gap_unit="time")) == []

    def test_ties_in_order(self):
        table = pd.DataFrame({"seq_id": 1, "event": list("ab"), "time": [1, 1]})
        assert marked_places(table.seqpriv.hide(["a -> b"])) == []
        assert len(marked_places(table.seqpriv.using(ties="order").hide(["a -> b"]))) == 1


@given(cases(most_sequences=6), st.integers(0, 3), st.sampled_from(MARKINGS), st.sampled_from(SELECTIONS))
@settings(max_examples=40)
def test_partitions_do_not_matter(case, threshold, marking, selection):
    for output in ("mark", "drop", "replace"):
        options = {"max_support": threshold, "marking": marking, "selection": selection, "output": output}
        table, options = case.table, {**options, "seed": 5}
        alone = pdseqpriv.hide(table, case.patterns, **options)
        parts = pdseqpriv.hide(BoundTable(table, Columns(), Local(partitions=3)), case.patterns, **options)
        if output == "drop":
            parts, alone = (
                one.sort_values(["seq_id", "time", "event"], ignore_index=True) for one in (parts, alone)
            )
        pd.testing.assert_frame_equal(parts.sort_index(), alone)


def test_same_seed_same_result():
    table = pdseqpriv.datasets.make_trajectories(60, seed=3)
    patterns = [["x3y3"], ["x4y4"]]
    options = {"marking": "random", "selection": "random", "output": "replace"}
    first, again, other = (
        table.seqpriv.hide(patterns, max_support=2, seed=seed, **options) for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


def test_without_a_seed_nobody_can_repeat_what_chance_did():
    table = pdseqpriv.datasets.make_clickstream(300, n_pages=30, seed=2)
    popular = table["event"].value_counts().index[:2].tolist()
    fresh, again, known = (
        table.seqpriv.hide([[page] for page in popular], output="replace", **options)
        for options in ({}, {"seed": None}, {"seed": 0})
    )
    # So many draws from 28 pages are not alike by chance.
    assert (fresh["event"] != table["event"]).sum() > 100
    assert not fresh.equals(again)
    assert not fresh.equals(known)


def test_a_seed_may_be_as_long_as_a_key():
    table = pdseqpriv.datasets.make_clickstream(100, n_pages=30, seed=2)
    popular = table["event"].value_counts().index[:2].tolist()
    first, again, other = (
        table.seqpriv.hide([popular], output="replace", seed=seed) for seed in (2**127, 2**127, 2**127 + 1)
    )
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


def test_thresholds_per_pattern():
    table = pd.concat([table_of("abcd", owner) for owner in range(5)], ignore_index=True)
    patterns = ["a -> b", "c -> d"]
    released = table.seqpriv.hide(patterns, max_support=[1, 3])
    assert verify.is_hidden(released, patterns, [1, 3])
    assert verify.is_hidden(released, patterns).details["support"].tolist() == [1, 3]


def test_repeated_patterns_take_the_lowest_threshold():
    table = pd.concat([table_of("ab", owner) for owner in range(4)], ignore_index=True)
    released = table.seqpriv.hide(["a -> b", ["a", "b"]], max_support=[3, 1])
    assert len(marked_places(released)) == 3


def test_nulls_that_are_there_match_nothing_and_stay():
    table = table_of(["a", None, "b"])
    assert marked_places(table.seqpriv.hide(["a -[0]-> b"])) == [1]
    assert marked_places(table.seqpriv.hide(["a -> b"], marking="greedy")) == [0, 1]


def test_unknown_events_are_warned_of():
    table = table_of("ab")
    with pytest.warns(PrivacyWarning, match="1 of 2 patterns names events that are not in the table") as told:
        released = table.seqpriv.hide([["secret"], ["a"]])
    assert marked_places(released) == [0]
    assert "secret" in str(told[0].message)  # as the user wrote it


def test_empty_table():
    table = table_of("ab")[:0]
    with pytest.warns(PrivacyWarning):
        assert len(table.seqpriv.hide(["a -> b"])) == 0


TIMED = pd.DataFrame({"seq_id": 1, "event": ["a", "b"], "time": pd.to_datetime(["2024-01-01", "2024-01-02"])})


@pytest.mark.parametrize(
    ("table", "patterns", "options", "says"),
    [
        (None, [], {}, "hide: patterns must be a list of patterns"),
        (None, [[]], {}, "at least one event"),
        (None, {"a", "b"}, {}, "hide: patterns must be"),
        (None, 5, {}, "hide: patterns must be"),
        (None, ["a ->"], {}, "at character 5"),
        (None, ["a -> b"], {"max_support": -1}, "hide: max_support must be an int of at least 0"),
        (None, ["a -> b"], {"max_support": 1.0}, "got float"),
        (None, ["a -> b"], {"max_support": True}, "got bool"),
        (None, ["a -> b"], {"max_support": [1, 2]}, "2 of them for 1 pattern"),
        (None, ["a -> b"], {"max_support": []}, "0 of them for 1 pattern"),
        (None, ["a -> b"], {"min_gap": 3, "max_gap": 2}, "min_gap must be at most max_gap"),
        (None, ["a -[3..]-> b"], {"max_gap": 2}, "min_gap must be at most max_gap"),
        (None, ["a -> b"], {"max_gap": "1h"}, "a time span, but the time column holds plain numbers"),
        (None, ["a -> b within 1h"], {}, "a time span, but the time column holds plain numbers"),
        (TIMED, ["a -> b"], {"max_gap": 5, "gap_unit": "time"}, "time spans such as '30min'"),
        (None, ["a -> b"], {"max_gap": -1}, "hide: max_gap must be"),
        (None, ["a -> b"], {"max_window": 0}, "at least 1 element"),
        (None, ["a -> b"], {"gap_unit": "hours"}, "hide: gap_unit must be"),
        (None, ["a -> b"], {"marking": "best"}, 'hide: marking must be one of "optimal", "greedy", "random"'),
        (None, ["a -> b"], {"selection": ["shared"]}, "hide: selection must be one of"),
        (None, ["a -> b"], {"output": None}, "hide: output must be one of"),
        (None, ["a -> b"], {"seed": -1}, "hide: seed must be"),
        (None, ["a -> b"], {"seed": 1.5}, "hide: seed must be"),
        (None, [Pattern.regex("(a|b)* a (a|b){12}")], {}, "at most 500 states"),
    ],
)
def test_bad_input(table, patterns, options, says):
    with pytest.raises(SeqPrivError, match=says.replace("|", "[|]")):
        pdseqpriv.hide(table_of("ab") if table is None else table, patterns, **options)


def test_is_hidden_refuses_the_same():
    with pytest.raises(SeqPrivError, match="is_hidden: max_support"):
        verify.is_hidden(table_of("ab"), ["a -> b"], max_support=-1)
    with pytest.raises(SeqPrivError, match="is_hidden: gaps and windows"):
        verify.is_hidden(table_of("ab"), ["a -> b"], max_gap="1h")


def test_record_tells_nothing_of_the_patterns():
    released = table_of("ab").seqpriv.hide(["a -> b"], seed=77)
    (step,) = released.attrs["pdseqpriv"]["applied"]
    assert step["parameters"] == {
        "max_support": 0,
        "constrained": False,
        "marking": "optimal",
        "selection": "per_pattern",
        "output": "mark",
    }
