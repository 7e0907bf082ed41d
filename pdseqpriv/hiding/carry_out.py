"""The three steps of hiding, one after the other: summarise, plan, apply."""

from __future__ import annotations

import functools

import pandas as pd

from pdseqpriv.engines.engine import Run
from pdseqpriv.errors import warn
from pdseqpriv.hiding.apply import apply
from pdseqpriv.hiding.matcher import Ints
from pdseqpriv.hiding.plan import Plan, ask, plan_all, plan_per_pattern, plan_random, plan_shared
from pdseqpriv.hiding.summary import (
    Supporters,
    costs_of,
    merge_costs,
    merge_supporters,
    supporters_of,
)
from pdseqpriv.hiding.task import Way
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.patterns.reading import check_spans
from pdseqpriv.sequences.clock import clock_of
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.frames import without_labels, without_traces
from pdseqpriv.sequences.sequences import Sequences


def carry_out(
    run: Run, patterns: list[Pattern], thresholds: Ints, way: Way
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Hide the patterns; gives the release and what the record tells."""
    supporters = run.reduce(functools.partial(_summarise, patterns=patterns), merge_supporters)
    _warn_of_unknown(patterns, supporters.vocabulary)
    plan = _plan(run, patterns, supporters, thresholds, way)
    events = pd.Series(supporters.frequencies, index=supporters.vocabulary)
    change = functools.partial(apply, patterns=patterns, plan=plan, way=way, events=events)
    released, tally = run.map(change)
    released.index = without_labels(released.index, tally.hidden, released[run.columns.event])
    if supporters.rows and not len(released):
        warn("every row was dropped; the release is empty.")
    marked_before = supporters.rows - int(supporters.frequencies.sum())
    counts = {
        "sequences_in": supporters.sequences,
        "events_marked": int(released[run.columns.event].isna().sum()) - marked_before,
        "events_replaced": tally.replaced,
        "rows_dropped": supporters.rows - len(released),
    }
    return without_traces(released, same_rows=way.output != "drop"), counts


def _summarise(sequences: Sequences, patterns: list[Pattern]) -> Supporters:
    for pattern in patterns:
        check_spans(pattern, clock_of(sequences))
    return supporters_of(sequences, patterns)


def _plan(run: Run, patterns: list[Pattern], supporters: Supporters, thresholds: Ints, way: Way) -> Plan:
    question = ask(supporters, thresholds, way.selection, way.marking)
    if question is not None:
        summarise = functools.partial(costs_of, patterns=patterns, supporters=supporters, question=question)
        costs = run.reduce(summarise, merge_costs)
        plan = plan_shared if way.selection == "shared" else plan_per_pattern
        return plan(supporters, costs, thresholds)
    if way.selection == "per_pattern":
        return plan_all(supporters, thresholds)
    return plan_random(supporters, thresholds, way.seed)


def _warn_of_unknown(patterns: list[Pattern], vocabulary: pd.Index) -> None:
    unknown = sum(bool((find_events(pattern.events, vocabulary) < 0).any()) for pattern in patterns)
    if unknown:
        text = f"{unknown} of {len(patterns)} patterns name events that the table does not have."
        if unknown == len(patterns):
            text = "no pattern has all its events in the table; what is not there is not hidden."
        warn(f"{text} Check their spelling.")
