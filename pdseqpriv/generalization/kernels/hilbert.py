"""The Hilbert curve, and groups cut from it (algorithm 3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.clusters import (
    BEGIN,
    END,
    TOTAL,
    Clusters,
    MonitoredSequences,
    SensitiveOccurrences,
    new_clusters,
)
from pdseqpriv.generalization.kernels.loss import least_loss
from pdseqpriv.generalization.kernels.profiles import (
    LATEST,
    TIME,
    LossModel,
    LossTable,
    Profiles,
    join,
    new_loss_table,
    new_profiles,
)

# Cells along each side, as a power of 2: a single far outlier leaves the others in cells of their own.
BITS = 31
# Where people have several sequences, a group cut from the curve may have this many times as many as usual:
# it takes time to look for different people where one person has thousands side by side.
PATIENCE_WITH_PEOPLE = 8


class CutRoom(NamedTuple):
    """Room to cut in: clusters have some of their own, but blocks are cut side by side."""

    one: Profiles
    other: Profiles
    table: LossTable
    inside: Array  # int64 per person, all 0


@compiled
def new_cut_room(clusters: Clusters, order: Array) -> CutRoom:
    """Make room for a thread that cuts this order of clusters."""
    room = 0
    for slot in order:
        room += clusters.slots[END, slot] - clusters.slots[BEGIN, slot]
    inside = np.zeros(clusters.inside.size if clusters.people.size else 0, np.int64)
    return CutRoom(new_profiles(room), new_profiles(room), new_loss_table(room), inside)


@compiled
def hilbert_index(x: Array, y: Array) -> Array:
    """Return the place on the Hilbert curve of cells with whole coordinates below 2 ** BITS."""
    found = np.zeros(x.size, np.int64)
    for i in range(x.size):
        a, b, place = np.int64(x[i]), np.int64(y[i]), np.int64(0)
        for bit in range(BITS - 1, -1, -1):
            side = np.int64(1) << bit
            right, upper = (a >> bit) & 1, (b >> bit) & 1
            place += side * side * ((3 * right) ^ upper)
            # Turn the quarter so that the curve inside it starts where the last one ended.
            a, b = a & (side - 1), b & (side - 1)
            if upper == 0:
                if right == 1:
                    a, b = side - 1 - a, side - 1 - b
                a, b = b, a
        found[i] = place
    return found


@compiled
def hilbert_order(clusters: Clusters, slots: Array, span: float) -> Array:
    """Return clusters, as points of first and last time, in the order of the curve.

    Those in one cell stay in their own order. ``span`` is the largest time there is.
    """
    scale = (2**BITS - 1) / span if span > 0 else 0.0
    times, ends = clusters.profiles.times, clusters.slots
    first, last = np.empty(slots.size, np.int64), np.empty(slots.size, np.int64)
    for i in range(slots.size):
        first[i] = np.int64(times[TIME, ends[BEGIN, slots[i]]] * scale)
        last[i] = np.int64(times[TIME, ends[END, slots[i]] - 1] * scale)
    return slots[np.argsort(hilbert_index(first, last), kind="mergesort")]


@compiled
def clusters_along_curve(
    model: LossModel, sequences: MonitoredSequences, occurrences: SensitiveOccurrences
) -> tuple[Clusters, Array]:
    """Make every sequence a cluster of its own, and give all of them in the order of the curve."""
    clusters = new_clusters(model, sequences, occurrences)
    return clusters, hilbert_order(clusters, np.arange(sequences.totals.size), sequences.span)


@compiled
def neighbour_losses(model: LossModel, clusters: Clusters, order: Array) -> Array:
    """Return what each sequence of an order but the first loses with the one before it: CP of both together.

    Nothing is written to the clusters, so that stretches of the order can be processed side by side.
    """
    slots, profiles = clusters.slots, clusters.profiles
    losses, room = np.empty(order.size - 1), 0
    for i in range(1, order.size):
        one, other = order[i], order[i - 1]
        room = max(room, slots[END, one] - slots[BEGIN, one] + slots[END, other] - slots[BEGIN, other])
    union, table = new_profiles(room), new_loss_table(room)
    for i in range(1, order.size):
        one, other = order[i], order[i - 1]
        begin, end, other_begin, other_end = (
            slots[BEGIN, one],
            slots[END, one],
            slots[BEGIN, other],
            slots[END, other],
        )
        n = join(model, profiles, begin, end, profiles, other_begin, other_end, union)
        losses[i - 1] = least_loss(model, union, 0, n, table) / (slots[TOTAL, one] + slots[TOTAL, other])
    return losses


@compiled
def cut_curve(
    model: LossModel,
    clusters: Clusters,
    order: Array,
    least: int,
    grain: int,
    room: CutRoom,
    best: Array,
    sizes: Array,
    begin: int,
    end: int,
) -> None:
    """Go on cutting an order of sequences into groups of ``least`` to ``2 * least - 1`` with the least loss.

    With a grain above 1, groups begin only at each so many sequences, and ``least`` in the upper limit is
    rounded up to whole grains: then there is a way whenever there are enough sequences. Where people have
    several sequences, a group has so many different people; there is perhaps no way.

    ``best[i]`` is the least loss of the first i sequences, each group's CP counted once per member as in
    equation 5, and ``sizes[i]`` the size of the last group in that way. Without a way the loss is infinite.
    """
    slots, profiles, people, inside = clusters.slots, clusters.profiles, clusters.people, room.inside
    most = 2 * grain * ((least + grain - 1) // grain) - 1
    most_people, reach = (most + grain - 1, PATIENCE_WITH_PEOPLE * most) if people.size else (most, most)
    for last in range(begin, end):
        one, other = room.one, room.other
        n, total, n_people, size = 0, 0, 0, 0
        best[last + 1] = np.inf
        if (last + 1) % grain and last + 1 < order.size:
            continue
        while size < min(reach, last + 1) and n_people <= most_people:
            slot = order[last - size]
            size += 1
            if people.size:
                n_people += inside[people[slot]] == 0
                inside[people[slot]] = 1
            else:
                n_people = size
            total += slots[TOTAL, slot]
            n = join(model, one, 0, n, profiles, slots[BEGIN, slot], slots[END, slot], other)
            if size == 1:
                # The first member of the stretch: the latest starts are its own.
                other.times[LATEST, :n] = other.times[TIME, :n]
            one, other = other, one
            before = best[last + 1 - size]
            if n_people < least or n_people > most_people or before == np.inf:
                continue
            loss = before + size * (least_loss(model, one, 0, n, room.table) / total)
            if loss < best[last + 1]:
                best[last + 1], sizes[last + 1] = loss, size
        if people.size:
            for slot in order[last + 1 - size : last + 1]:
                inside[people[slot]] = 0


@compiled
def way_back(sizes: Array) -> Array:
    """Return where the groups end, from the size of the last group of each first part."""
    n, here = 0, sizes.size - 1
    while here > 0:
        n += 1
        here -= sizes[here]
    ends, here = np.empty(n, np.int64), sizes.size - 1
    while here > 0:
        n -= 1
        ends[n] = here
        here -= sizes[here]
    return ends
