"""The three steps of hiding: what they exchange can be sent elsewhere and merged in any order."""

from __future__ import annotations

import dataclasses
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import Pattern, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.hiding import hide as door
from pdseqpriv.hiding.apply import Tally, apply
from pdseqpriv.hiding.automata import compile_patterns
from pdseqpriv.hiding.matcher import Matcher
from pdseqpriv.hiding.plan import ask, make_plan
from pdseqpriv.hiding.summary import find_costs, find_supporters, merge_costs, merge_supporters
from pdseqpriv.parameters import secret_seed
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of
from tests.engines.posted import Posted
from tests.hiding import naive
from tests.hiding.cases import cases

pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")

MARKINGS = ["optimal", "greedy", "random"]
SELECTIONS = ["per_pattern", "shared", "random"]
OUTPUTS = ["mark", "drop", "replace"]


def visits():
    table = pdseqpriv.datasets.make_clickstream(60, n_pages=5, seed=1)
    return table.assign(event="p" + pd.Series(pd.factorize(table["event"])[0]).astype(str))


@settings(max_examples=40)
@given(
    cases(most_sequences=6),
    st.integers(0, 3),
    st.sampled_from(MARKINGS),
    st.sampled_from(SELECTIONS),
    st.sampled_from(OUTPUTS),
)
def test_everything_can_be_sent_elsewhere(case, threshold, marking, selection, output):
    options = {"max_support": threshold, "marking": marking, "selection": selection, "output": output}
    here = pdseqpriv.hide(case.table, case.patterns, seed=1, **options)
    far = pdseqpriv.hide(BoundTable(case.table, Columns(), Posted(2)), case.patterns, seed=1, **options)
    pd.testing.assert_frame_equal(far, here)
    assert far.attrs == here.attrs


def test_another_process_gives_the_same():
    table = visits()
    sequences = sequences_of(table, Columns())
    patterns = compile_patterns([Pattern("{p0 | p1}"), Pattern("p2")])
    supporters = find_supporters(sequences, patterns)
    options = {"selection": "random", "marking": "random", "output": "replace", "seed": 2}
    plan = make_plan(patterns, supporters, None, np.array([3, 5]), **options)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        summary = pool.submit(partial(find_supporters, patterns=patterns), sequences).result()
        rows, tally = pool.submit(partial(apply, plan=plan, has_labels=False), table, sequences).result()
    assert plan.hidden.any(axis=0).all()
    assert_same(summary, supporters)
    expected, own = apply(table, sequences, plan, has_labels=False)
    pd.testing.assert_frame_equal(rows, expected)
    assert_same(tally, own)


def assert_same(first, second):
    """Compare two dataclasses of arrays, field by field."""
    assert type(first) is type(second)
    for field in dataclasses.fields(first):
        one, other = getattr(first, field.name), getattr(second, field.name)
        if isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, other, err_msg=field.name)
        elif isinstance(one, pd.Index | pd.Series):
            assert one.tolist() == other.tolist(), field.name
        else:
            assert one == other, field.name


def three_parts(case):
    """The whole table and three parts of it; some may be empty."""
    table = case.table
    frames = [table, *(table[table["seq_id"] % 3 == number] for number in range(3))]
    return [sequences_of(frame, Columns()) for frame in frames]


@settings(max_examples=60)
@given(cases(most_sequences=6))
def test_supporters_merge_in_any_order(case):
    patterns = compile_patterns(case.patterns)
    whole, *parts = three_parts(case)
    a, b, c = (find_supporters(part, patterns) for part in parts)
    merged = merge_supporters(merge_supporters(a, b), c)
    assert_same(merged, merge_supporters(a, merge_supporters(b, c)))
    assert_same(merged, merge_supporters(merge_supporters(c, a), b))
    assert_same(merged, find_supporters(whole, patterns))
    expected = [[bool(naive.matches(sequence, one)) for one in case.naive] for sequence in case.sequences]
    assert merged.ids.tolist() == [owner for owner, row in enumerate(expected) if any(row)]
    assert merged.supports.tolist() == [row for row in expected if any(row)]


def per_sequence(costs):
    """The costs of all subsets, sequence by sequence: how they are laid out in memory does not matter."""
    sizes = [1 << count for count in costs.free.sum(axis=1).tolist()]
    return [
        costs.costs[first : first + size].tolist()
        for first, size in zip(costs.first.tolist(), sizes, strict=True)
    ]


@settings(max_examples=60)
@given(cases(most_sequences=6), st.integers(1, 2), st.sampled_from(["per_pattern", "shared"]))
def test_costs_merge_in_any_order(case, threshold, selection):
    patterns, thresholds = compile_patterns(case.patterns), np.full(len(case.patterns), threshold)
    whole, *parts = three_parts(case)
    question = ask(find_supporters(whole, patterns), thresholds, selection, "optimal")
    assume(question is not None)
    a, b, c = (find_costs(part, patterns, question) for part in parts)
    merged = merge_costs(merge_costs(a, b), c)
    assert_same(merged, merge_costs(a, merge_costs(b, c)))
    alone = find_costs(whole, patterns, question)
    for other in (merge_costs(merge_costs(c, a), b), alone):
        assert other.ids.tolist() == merged.ids.tolist()
        assert per_sequence(other) == per_sequence(merged)
        np.testing.assert_array_equal(other.sizes, merged.sizes)


@settings(max_examples=60)
@given(cases(most_sequences=4, kinds=["list"]), st.integers(1, 2))
def test_costs_are_the_fewest_marks(case, threshold):
    assume(all(len(naive.all_matches(sequence, case.naive)) <= 30 for sequence in case.sequences))
    patterns, sequences = compile_patterns(case.patterns), sequences_of(case.table, Columns())
    thresholds = np.full(len(case.patterns), threshold)
    question = ask(find_supporters(sequences, patterns), thresholds, "per_pattern", "optimal")
    assume(question is not None)
    costs = find_costs(sequences, patterns, question)
    above = [p for p, pattern in enumerate(case.naive) if naive.support(case.sequences, pattern) > threshold]
    for owner, free, found in zip(costs.ids, costs.free, per_sequence(costs), strict=True):
        sequence = case.sequences[owner]
        assert np.flatnonzero(free).tolist() == [p for p in above if naive.matches(sequence, case.naive[p])]
        for subset, marks in enumerate(found):
            hidden = [case.naive[p] for b, p in enumerate(np.flatnonzero(free)) if subset >> b & 1]
            assert marks == naive.optimal_cost(sequence, hidden)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("threshold", "steps"), [(0, 2), (2, 3)])
@pytest.mark.parametrize("partitions", [1, 3])
def test_patterns_are_compiled_once_and_fitted_to_a_part_once_per_step(output, threshold, steps, partitions):
    table = visits()
    patterns = ["p0 -[0]-> p1", "p2", Pattern.regex("p0 .? p1")]
    assert (verify.is_hidden(table, patterns).details["support"] > 2).all()
    made, real = [], Matcher.__init__

    def counting(self, *arguments):
        made.append(self)
        real(self, *arguments)

    bound = BoundTable(table, Columns(), Local(partitions))
    compiling = mock.patch.object(door, "compile_patterns", wraps=compile_patterns)
    with compiling as compiled, mock.patch.object(Matcher, "__init__", counting):
        pdseqpriv.hide(bound, patterns, max_support=threshold, output=output)
    assert compiled.call_count == 1
    assert len(made) == steps * partitions


class TestTally:
    table = pd.DataFrame({"seq_id": [1, 1, 2], "event": list("aba"), "time": [1, 2, 1]})

    def tally(self, table, output="mark"):
        sequences, patterns = sequences_of(table, Columns()), compile_patterns([Pattern("a")])
        options = {"selection": "per_pattern", "marking": "optimal", "output": output, "seed": 1}
        supporters = find_supporters(sequences, patterns)
        plan = make_plan(patterns, supporters, None, np.array([0]), **options)
        has_labels = not isinstance(table.index, pd.RangeIndex)
        return apply(table, sequences, plan, has_labels=has_labels)[1]

    def test_counts(self):
        counted = {output: self.tally(self.table, output) for output in OUTPUTS}
        assert {name: one.dropped for name, one in counted.items()} == {"mark": 0, "drop": 2, "replace": 0}

    def test_events_are_only_kept_where_the_index_may_hold_them(self):
        assert self.tally(self.table).hidden.empty
        assert self.tally(self.table.set_axis([10, 20, 30])).hidden.to_dict() == {0: "a", 2: "a"}
        assert self.tally(self.table.set_axis(list("aba"))).hidden.to_dict() == {0: "a", 2: "a"}
        assert self.tally(self.table.set_axis(list("aba")), "drop").hidden.empty
        assert self.tally(self.table.set_axis(list("aba")), "replace").hidden.empty

    def test_tallies_add_up(self):
        first = Tally(3, pd.Series(["a"], index=[4], dtype=object))
        second = Tally(30, pd.Series(["b"], index=[1], dtype=object))
        third = first + second + Tally()
        assert third.dropped == 33
        assert third.hidden.to_dict() == {4: "a", 1: "b"}


def test_seeds_are_fresh_unless_they_are_given():
    assert secret_seed(np.int64(7)) == 7
    assert secret_seed(2**200) == 2**200
    assert len({secret_seed(None) for _ in range(20)}) == 20
    assert max(secret_seed(None) for _ in range(20)) > 2**64
