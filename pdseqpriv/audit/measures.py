"""All measures of ``compare``: the paper they come from, what they mean, and which direction is better."""

from __future__ import annotations

from typing import Literal, NamedTuple

MEANINGS = {
    "": {
        "sequences_lost": "share of the sequences with events that are missing from the release",
        "events_kept": "events in the release as a share of those in the original",
        "events_kept_exactly": "events in the release that are not categories, as a share of the original's",
        "events_kept_as_category": "categories in the release as a share of the events in the original",
        "information_kept": "1 minus the share of all events below its label, over the original's events",
        "length_distance": "total variation between the distributions of sequence lengths, 0 to 1",
        "event_distance": "total variation between the distributions of events, 0 to 1",
    },
    "Monreale et al. 2014": {
        "pattern_precision": "share of the release's frequent patterns that are frequent in the original",
        "pattern_recall": "share of the original's frequent patterns that are frequent in the release, "
        "by the number of its own sequences",
        "f_measure": "harmonic mean of pattern precision and recall, 0 to 1",
        "support_similarity": "SupSim: smaller frequency divided by larger, mean over the common patterns",
    },
    "Abul et al. 2007": {
        "M1": "events of the original that are marked or replaced in the release",
        "M2": "share of the frequent patterns that are in too few sequences of the release, by the number "
        "of sequences of the original",
        "M3": "average share of their support lost by the patterns that are still frequent",
    },
    "Loukides & Gwadera 2015": {
        "sanitization_error": "squared differences of smoothed event distributions, summed over time points",
        "deleted_share": "events deleted as a share of those in the original",
        "ghost_events": "share of the events not named as sensitive that become frequent in some prefix",
    },
    "Sherkat et al. 2013": {
        "ncp": "information loss of the released intervals, 0 to 1, with the weights that the record tells",
        "time_loss": "the part of the loss that is due to time, 0 to 1",
        "event_loss": "the part of the loss that is due to events, 0 to 1",
        "range_query_false_positives": "share of queries for an event in 1% of the time that count too many",
        "range_query_false_negatives": "share of such queries with a count above 0 that count too few",
        "causality_divergence": "Kullback-Leibler divergence of how often one event soon follows another",
    },
    "PICS, PAKDD 2007": {
        "patterns_kept": "share of the patterns that the release lists",
        "average_distortion": "change in support as a share of the true support, averaged over patterns",
        "share_adjusted": "share of the patterns whose support was changed",
    },
}
BETTER_HIGHER = {
    "events_kept",
    "events_kept_exactly",
    "events_kept_as_category",
    "information_kept",
    "pattern_precision",
    "pattern_recall",
    "f_measure",
    "support_similarity",
    "patterns_kept",
}


class Measure(NamedTuple):
    """One row of what :func:`pdseqpriv.compare` returns."""

    measure: str
    value: float
    better: Literal["lower", "higher"]
    paper: str
    meaning: str
    basis: str
