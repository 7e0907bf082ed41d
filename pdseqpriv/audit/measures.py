"""Every measure that ``compare`` takes: which way is better, whose it is, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

ABUL = "Abul et al. 2007"
JIN = "Jin et al. 2007"
LOUKIDES = "Loukides & Gwadera 2015"
MONREALE = "Monreale et al. 2014"
SHERKAT = "Sherkat et al. 2013"

MEASURES: dict[str, tuple[Literal["lower", "higher"], str, str]] = {
    "sequences_lost": ("lower", "", "share of the sequences with events that are missing from the release"),
    "events_kept": ("higher", "", "events in the release as a share of those in the original"),
    "length_distance": (
        "lower",
        "",
        "total variation between the distributions of sequence lengths, 0 to 1",
    ),
    "event_distance": ("lower", "", "total variation between the distributions of events, 0 to 1"),
    "pattern_precision": (
        "higher",
        MONREALE,
        "share of the patterns frequent in the release that are frequent in the original",
    ),
    "pattern_recall": (
        "higher",
        MONREALE,
        "share of the patterns frequent in the original that are frequent in the release",
    ),
    "f_measure": ("higher", MONREALE, "harmonic mean of pattern precision and recall, 0 to 1"),
    "support_similarity": (
        "higher",
        MONREALE,
        "SupSim: smaller frequency divided by larger, averaged over the patterns frequent in both",
    ),
    "M1": ("lower", ABUL, "events of the original that are marked or replaced in the release"),
    "M2": ("lower", ABUL, "share of the frequent patterns that are no longer frequent"),
    "M3": ("lower", ABUL, "average share of their support lost by the patterns that are still frequent"),
    "sanitization_error": (
        "lower",
        LOUKIDES,
        "squared differences of smoothed event distributions, summed over time points",
    ),
    "deleted_share": ("lower", LOUKIDES, "events deleted as a share of those in the original"),
    "ghost_events": (
        "lower",
        LOUKIDES,
        "share of the events not named as sensitive that become frequent in some prefix",
    ),
    "ncp": (
        "lower",
        SHERKAT,
        "information loss of the released intervals, time and events weighing the same, 0 to 1",
    ),
    "time_loss": ("lower", SHERKAT, "the part of the loss that is due to time, 0 to 1"),
    "event_loss": ("lower", SHERKAT, "the part of the loss that is due to events, 0 to 1"),
    "range_query_false_positives": (
        "lower",
        SHERKAT,
        "share of the queries for an event in a hundredth of the time that get too high a count",
    ),
    "range_query_false_negatives": (
        "lower",
        SHERKAT,
        "share of such queries with a count above 0 that get too low a count",
    ),
    "causality_divergence": (
        "lower",
        SHERKAT,
        "Kullback-Leibler divergence of how many sequences have one event soon after another",
    ),
    "patterns_kept": ("higher", JIN, "share of the patterns that the release lists"),
    "average_distortion": (
        "lower",
        JIN,
        "change of a support as a share of the true one, on average over patterns",
    ),
    "share_adjusted": ("lower", JIN, "share of the patterns whose support was changed"),
}


class Measure(NamedTuple):
    """One row of what :func:`pdseqpriv.compare` returns."""

    measure: str
    value: float
    better: Literal["lower", "higher"]
    paper: str
    meaning: str
    basis: str


def rows_of(values: Mapping[str, float], basis: str = "all") -> list[Measure]:
    """Write values by the names of their measures as rows; ``basis`` says of what they were taken."""
    return [Measure(name, value, *MEASURES[name], basis) for name, value in values.items()]
