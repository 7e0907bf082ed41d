"""Measures of Sherkat, Li and Mamoulis (2013): what intervals and categories blur."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import pandas as pd

from pdseqpriv.audit.measure import Measure
from pdseqpriv.engines.engine import Table
from pdseqpriv.errors import wrong_parameter
from pdseqpriv.generalization.causality import causality_divergence
from pdseqpriv.generalization.original_and_release import NOBODY, Ints, Pair, owners_of, read_pair
from pdseqpriv.generalization.range_queries import range_query_errors
from pdseqpriv.generalization.verify_checks import cover
from pdseqpriv.parameters import list_of_events
from pdseqpriv.sequences.span import SpanLike, span
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike

_PAPER = "Sherkat et al. 2013"
_PART_OF_SPAN = 20


def generalization_measures(
    original: Table,
    released: Table,
    key: pd.DataFrame | None,
    *,
    taxonomy: TaxonomyLike | None,
    monitored: Iterable[Hashable] | None,
    window: SpanLike,
) -> list[Measure]:
    """Measure a generalized release; without the key, only what needs no owners."""
    named = None if monitored is None else list_of_events("monitored", monitored)
    tree = None if taxonomy is None else Taxonomy(taxonomy)
    pair = read_pair(original, released, tree, named)
    length = _length(window, pair)
    losses = [] if key is None else _losses(pair, owners_of(pair, key)[0])
    return [_sequences_lost(pair), *losses, *_query_errors(pair), _causality(pair, length)]


def _length(window: SpanLike, pair: Pair) -> float:
    if window is None:
        return pair.span / _PART_OF_SPAN
    read = span(window, "time", "window")
    if read is None or read.kind != ("number" if pair.clock.unit is None else "timedelta"):
        must = "a number where time is one, and a time span such as '30min' for datetimes"
        raise wrong_parameter("window", must, "another")
    return pair.clock.longest_allowed(read)


def _sequences_lost(pair: Pair) -> Measure:
    had_events = pair.original["person"].nunique()
    lost = 1 - len(pair.released_ids) / had_events if had_events else float("nan")
    meaning = "share of the sequences with events that the release no longer has"
    return Measure("sequences_lost", lost, "lower", "", meaning)


def _query_errors(pair: Pair) -> list[Measure]:
    too_high, too_low = range_query_errors(pair)
    every = "share of the queries for an event in a hundredth of the time that get too high a count"
    answered = "share of such queries with a count above 0 that get too low a count"
    return [
        Measure("range_query_false_positives", too_high, "lower", _PAPER, every),
        Measure("range_query_false_negatives", too_low, "lower", _PAPER, answered),
    ]


def _causality(pair: Pair, length: float) -> Measure:
    meaning = "Kullback-Leibler divergence of how many sequences have one event soon after another"
    value = causality_divergence(pair, length)
    return Measure("causality_divergence", value, "lower", _PAPER, meaning)


def _losses(pair: Pair, owner: Ints) -> list[Measure]:
    """Give the loss of the published intervals (eq. 3 and 5) with equal weights, and its two parts."""
    time_loss, event_loss = _loss_per_person(pair, owner)
    both = "information loss of the published intervals, time and events alike, 0 to 1"
    return [
        Measure("ncp", (time_loss + event_loss) / 2, "lower", _PAPER, both),
        Measure("time_loss", time_loss, "lower", _PAPER, "the part of it that is lost in time, 0 to 1"),
        Measure("event_loss", event_loss, "lower", _PAPER, "the part of it that is lost in events, 0 to 1"),
    ]


def _loss_per_person(pair: Pair, owner: Ints) -> tuple[float, float]:
    """Average over people the loss of their group, by time and by event."""
    group_of = pair.group_of
    sequence = owner[pair.original["person"]]
    rows_of_group = pd.Series(1, index=sequence)[sequence != NOBODY].groupby(group_of).sum()
    _, row = cover(pair, owner)
    row = row[row != NOBODY]
    length = (pair.released["end"] - pair.released["start"]).to_numpy(float) / (pair.span or 1.0)
    share = np.where(pair.ancestry.is_leaf, 0.0, pair.ancestry.events_under / max(1, pair.ancestry.n_events))
    group = pair.released["group"].to_numpy()[row]
    people = group_of.value_counts()
    if not len(people):
        return float("nan"), float("nan")
    losses = []
    for loss in (length, share[pair.released["node"].to_numpy()]):
        blurred = pd.Series(loss[row]).groupby(group).sum().reindex(people.index, fill_value=0.0)
        losses.append(float((blurred / rows_of_group.reindex(people.index) * people).sum() / people.sum()))
    return losses[0], losses[1]
