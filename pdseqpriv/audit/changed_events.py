"""Count what became of the events of every sequence in its release."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pdseqpriv.audit.kernels.kept_events import (
    LabelIntervals,
    SequenceRows,
    compare_by_cover,
    compare_by_order,
    compare_by_time,
)
from pdseqpriv.errors import counted, warn
from pdseqpriv.generalization.category_tree import UNKNOWN, category_tree
from pdseqpriv.generalization.original_and_release import OriginalAndRelease
from pdseqpriv.progress import progress
from pdseqpriv.sequences.ragged import Flags, Ints, offsets_of
from pdseqpriv.sequences.sequences import Sequences, numbered_alike
from pdseqpriv.taxonomy.taxonomy import Taxonomy

# Pairs of events that are compared between two updates of the progress bar, when Ctrl-C is noticed as well.
_CHUNK = 100_000_000


class _Nodes(NamedTuple):
    """The events of both tables as nodes of a forest."""

    before: Ints
    after: Ints
    parent: Ints
    is_category: Flags


def changes_of_sequences(
    original: Sequences, released: Sequences, own: Ints, taxonomy: Taxonomy | None, *, by_time: bool
) -> Ints:
    """Return a row of counts for each sequence; ``own`` is its number in the release, -1 if it was dropped.

    By time, rows of one sequence and time are compared; otherwise only the order of events counts.
    """
    nodes = _nodes(original, released, taxonomy)
    before = _rows(original, nodes.before, by_time=by_time)
    after = _rows(released, nodes.after, by_time=by_time)
    if by_time:
        counts: Ints = compare_by_time(before, after, own, nodes.parent, nodes.is_category)
        return counts
    counts = np.zeros((own.size, 6), np.int64)
    for first, last in _chunks(original.lengths, released.lengths, own):
        compare_by_order(before, after, own, nodes.parent, nodes.is_category, first, last, counts)
    return counts


def _chunks(before: Ints, after: Ints, own: Ints) -> Iterator[tuple[int, int]]:
    """Split sequences by the pairs of events that are compared, and show progress."""
    work = np.cumsum(before * np.append(after, 0)[own]) // _CHUNK
    cuts = [0, *(np.flatnonzero(np.diff(work)) + 1).tolist(), own.size]
    with progress(own.size, "comparing") as bar:
        for first, last in pairwise(cuts):
            yield first, last
            bar.update(last - first)


def changes_by_cover(both: OriginalAndRelease, own: Ints) -> Ints:
    """Return a row of counts for each sequence of a generalized release."""
    events = both.original.sort_values(["person", "time"], kind="stable")
    before = SequenceRows(
        events["node"].to_numpy(np.int64),
        events["time"].to_numpy(),
        offsets_of(np.bincount(events["person"], minlength=len(both.ids))),
    )
    shown = both.released.sort_values("sequence", kind="stable")
    _warn_of_strangers(int((shown["node"] == UNKNOWN).sum()), len(shown), "row")
    after = LabelIntervals(
        shown["node"].to_numpy(np.int64),
        shown["start"].to_numpy(),
        shown["end"].to_numpy(),
        offsets_of(np.bincount(shown["sequence"], minlength=len(both.released_ids))),
    )
    counts = np.zeros((own.size, 6), np.int64)
    for first, last in _chunks(np.diff(before.offsets), np.diff(after.offsets), own):
        compare_by_cover(before, after, own, both.tree.parent, first, last, counts)
    return counts


def _nodes(original: Sequences, released: Sequences, taxonomy: Taxonomy | None) -> _Nodes:
    if taxonomy is None:
        one, other = numbered_alike(original, released)
        parent, is_category = np.arange(len(one.vocabulary)), np.zeros(len(one.vocabulary), bool)
        before, after = one.codes.astype(np.int64), other.codes.astype(np.int64)
    else:
        tree = category_tree(original.vocabulary, taxonomy)
        parent, is_category = tree.parent, ~tree.is_leaf
        # Labels that are nowhere come after all others, each on its own.
        labels = tree.find(released.vocabulary)
        strange = np.flatnonzero(labels == UNKNOWN)
        labels[strange] = parent.size + np.arange(strange.size)
        parent = np.append(parent, labels[strange])
        is_category = np.append(is_category, np.zeros(strange.size, bool))
        before = np.append(tree.find(original.vocabulary), -1)[original.codes]
        after = np.append(labels, -1)[released.codes]
    is_strange = ~is_category
    is_strange[before[before >= 0]] = False
    strange = np.unique(after[after >= 0])
    _warn_of_strangers(int(is_strange[strange].sum()), len(released.vocabulary), "event")
    return _Nodes(before, after, parent.astype(np.int64), is_category)


def _warn_of_strangers(strange: int, total: int, noun: str) -> None:
    if strange:
        do = "If they are categories, give the taxonomy: without it, they count as added."
        verb = "is" if strange == 1 else "are"
        warn(f"{strange} of the {counted(total, noun)} of the release {verb} not of the original. {do}")


def _rows(table: Sequences, nodes: Ints, *, by_time: bool) -> SequenceRows:
    """Return rows sorted by node where they have the same moment."""
    moments = table.times if by_time else table.elements.astype(np.int64)
    owners = table.owners
    is_same = (owners[1:] == owners[:-1]) & (moments[1:] == moments[:-1])
    if (is_same & (nodes[1:] < nodes[:-1])).any():
        nodes = nodes[np.lexsort((nodes, moments, owners))]
    return SequenceRows(nodes, moments, table.offsets)
