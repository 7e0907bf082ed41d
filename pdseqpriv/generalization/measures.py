"""Measures of Sherkat, Li and Mamoulis (2013): how much detail intervals and categories lose."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import pandas as pd

from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.generalization.causality import causality_divergence
from pdseqpriv.generalization.original_and_release import (
    NOBODY,
    OriginalAndRelease,
    read_key,
    read_original_and_release,
)
from pdseqpriv.generalization.range_queries import range_query_errors
from pdseqpriv.generalization.verify_checks import cover
from pdseqpriv.parameters import list_of_events
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import claims_of
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.sequences.window import read_window, window_length
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike

_PART_OF_SPAN = 20


def generalization_measures(
    original: Table,
    released: Table,
    *,
    key: pd.DataFrame | None,
    taxonomy: TaxonomyLike | None,
    monitored: Iterable[Hashable] | None,
    window: SpanLike,
) -> dict[str, float]:
    """Measure a generalized release; without the key, only what can be measured without it."""
    named = None if monitored is None else list_of_events("monitored", monitored)
    tree = None if taxonomy is None else Taxonomy(taxonomy)
    both = read_original_and_release(original, released, tree, named)
    length = _length(window, both)
    losses = {} if key is None else _losses(both, read_key(both, key).sequence_of, _weights_of(released))
    had_events = both.original["person"].nunique()
    too_high, too_low = range_query_errors(both)
    return {
        "sequences_lost": 1 - len(both.released_ids) / had_events if had_events else float("nan"),
        **losses,
        "range_query_false_positives": too_high,
        "range_query_false_negatives": too_low,
        "causality_divergence": causality_divergence(both, length),
    }


def _length(window: SpanLike, both: OriginalAndRelease) -> float:
    if window is None:
        return both.span / _PART_OF_SPAN
    length = window_length("window", read_window("window", window), both.clock)
    return float(length) if both.clock.dtype.kind == "f" else length


def _weights_of(released: Table) -> tuple[float, float]:
    """Return the weights of time and events that a release was made with, if its record tells them."""
    steps = claims_of(bind(released).frame)["applied"]
    told = [step["parameters"] for step in steps if step["operation"] == "generalize"][-1:] or [{}]
    for_time, for_event = (told[0].get(name) for name in ("time_weight", "event_weight"))
    return (for_time, for_event) if for_time is not None and for_event is not None else (1.0, 1.0)


def _losses(both: OriginalAndRelease, sequence_of: Ints, weights: tuple[float, float]) -> dict[str, float]:
    """Return the loss of the released intervals (eq. 3 and 5), and its two parts."""
    time_loss, event_loss = _loss_per_person(both, sequence_of)
    ncp = (weights[0] * time_loss + weights[1] * event_loss) / sum(weights)
    return {"ncp": ncp, "time_loss": time_loss, "event_loss": event_loss}


def _loss_per_person(both: OriginalAndRelease, sequence_of: Ints) -> tuple[float, float]:
    """Return the loss of each person's group, averaged over people, by time and by event."""
    group_of = both.group_of
    sequence = sequence_of[both.original["person"]]
    rows_of_group = pd.Series(1, index=sequence)[sequence != NOBODY].groupby(group_of).sum()
    _, row = cover(both, sequence_of)
    row = row[row != NOBODY]
    length = (both.released["end"] - both.released["start"]).to_numpy(float) / (both.span or 1.0)
    group = both.released["group"].to_numpy()[row]
    people = group_of.value_counts()
    if not len(people):
        return float("nan"), float("nan")
    losses = []
    for loss in (length, both.tree.share[both.released["node"].to_numpy()]):
        blurred = pd.Series(loss[row]).groupby(group).sum().reindex(people.index, fill_value=0.0)
        losses.append(float((blurred / rows_of_group.reindex(people.index) * people).sum() / people.sum()))
    return losses[0], losses[1]
