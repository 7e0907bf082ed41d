"""A release as an attacker searches it: its distinct records in a tree, and what their labels mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.kernels.fitting_labels import CoveringLabels
from pdseqpriv.audit.kernels.release_tree import ReleaseTree, release_tree
from pdseqpriv.audit.known_events import events_in_order
from pdseqpriv.errors import counted, refusal, warn
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.kernels.end_nodes import end_nodes
from pdseqpriv.sequences.kernels.lexicographic import distinct_sequences
from pdseqpriv.sequences.ragged import Ints, Ragged, distinct, offsets_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.taxonomy import Taxonomy


class SearchedRelease(NamedTuple):
    """A release in a tree, the node at which each of its sequences ends, and what its labels stand for."""

    tree: ReleaseTree
    nodes: Ints
    labels: CoveringLabels


def searched_release(released: Sequences, vocabulary: pd.Index, taxonomy: Taxonomy | None) -> SearchedRelease:
    """Lay a release out; ``vocabulary`` has the events of the original."""
    in_order = events_in_order(released)
    numbers, elements = _distinct_elements(Ragged.of(in_order.codes, _lengths(in_order.begins)))
    begun = offsets_of(in_order.begins)
    records = Ragged(numbers, begun[in_order.offsets])
    covering = _labels_of_events(vocabulary, released.vocabulary, taxonomy)
    _check_labels(covering.values, len(released.vocabulary))
    ones = np.ones(len(records), np.int64)
    distinct, offsets, counts, shared, place = distinct_sequences(records.values, records.offsets, ones)
    vague = _vagueness(elements, _other_events(released.vocabulary, taxonomy))
    tree, ends = release_tree(distinct, offsets, counts, shared, elements.lengths, vague)
    return SearchedRelease(tree, ends[place], _labels(covering, elements, len(released.vocabulary)))


def _lengths(begins: NDArray[np.bool_]) -> Ints:
    """Return how many events each element has."""
    return np.diff(np.append(np.flatnonzero(begins), begins.size))


def _distinct_elements(elements: Ragged) -> tuple[Ints, Ragged]:
    """Number the distinct elements; returns the number of each, and the events of each number."""
    nodes, _ = end_nodes(elements.values, elements.offsets)
    _, first, numbers = np.unique(nodes, return_index=True, return_inverse=True)
    return numbers.astype(np.int64), elements.take(first)


def _labels(covering: Ragged, elements: Ragged, n_labels: int) -> CoveringLabels:
    by_label = np.argsort(elements.values, kind="stable")
    return CoveringLabels(
        of_event=covering.values,
        event_offsets=covering.offsets,
        elements=elements.owners[by_label],
        label_offsets=offsets_of(np.bincount(elements.values, minlength=n_labels)),
        inside=elements.values,
        element_offsets=elements.offsets,
        sizes=elements.lengths,
    )


def _labels_of_events(vocabulary: pd.Index, labels: pd.Index, taxonomy: Taxonomy | None) -> Ragged:
    """Return for each event of the original the labels of the release that cover it."""
    if taxonomy is None:
        own = find_events(vocabulary, labels)
        return Ragged.of(own[own >= 0], own >= 0)
    at = taxonomy.find(vocabulary)
    missing = int((at < 0).sum())
    if missing:
        are = "is" if missing == 1 else "are"
        raise refusal(f"{counted(missing, 'event')} of the original {are} not in the taxonomy.")
    label_at = np.full(len(taxonomy), -1, np.int64)
    places = taxonomy.find(labels)
    label_at[places[places >= 0]] = np.flatnonzero(places >= 0)
    above = _with_ancestors(at, taxonomy)
    found = label_at[above]
    events, levels = np.nonzero((above >= 0) & (found >= 0))
    return Ragged.of(found[events, levels], np.bincount(events, minlength=len(vocabulary)))


def _with_ancestors(places: Ints, taxonomy: Taxonomy) -> Ints:
    """Return for each place, in one row, itself and everything above it; -1 where there is nothing more."""
    levels = [places]
    for _ in range(int(taxonomy.depths[places].max(initial=0))):
        last = levels[-1]
        levels.append(np.where(last > 0, taxonomy.parents[last], -1))
    return np.stack(levels, axis=1)


def _other_events(labels: pd.Index, taxonomy: Taxonomy | None) -> Ints:
    """Count for each label the events that it could stand for, beside the one that it does stand for."""
    if taxonomy is None:
        return np.zeros(len(labels), np.int64)
    places = taxonomy.find(labels)
    events = np.rint(taxonomy.shares * len(taxonomy.leaves)).astype(np.int64)
    return np.where(places < 0, 0, np.maximum(events[places] - 1, 0))


def _vagueness(elements: Ragged, other_events: Ints) -> Ints:
    """Add up for each element what its labels could stand for."""
    weights = np.take(other_events, elements.values)
    return np.bincount(elements.owners, weights, minlength=len(elements)).astype(np.int64)


def _check_labels(covering: Ints, n_labels: int) -> None:
    """Raise if nothing can match, and warn about labels that cannot."""
    strange = n_labels - distinct(covering).size
    if strange and strange == n_labels:
        raise refusal("no event of the release occurs in the original. Do the tables belong together?")
    if strange:
        do = "If they are categories, give the taxonomy: without it, the risk seems smaller than it is."
        verb = "does" if strange == 1 else "do"
        warn(f"{strange} of the {n_labels} events of the release {verb} not occur in the original. {do}")
