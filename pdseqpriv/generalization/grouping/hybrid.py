"""Groups cut from the Hilbert curve where that loses little, grown elsewhere (algorithm 3)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from pdseqpriv.generalization.grouping.nearest_first import grow_all, indexed, mend_all
from pdseqpriv.generalization.grouping.search import Floats, GroupSearch, part_of
from pdseqpriv.generalization.kernels.clusters import Clusters, labels
from pdseqpriv.generalization.kernels.growing import join_all, may_be_released
from pdseqpriv.generalization.kernels.hilbert import (
    clusters_along_curve,
    cut_curve,
    neighbour_losses,
    new_cut_room,
    way_back,
)
from pdseqpriv.progress import DONE, Bar, Pulse
from pdseqpriv.sequences.ragged import Flags, Ints, offsets_of
from pdseqpriv.threads import PulseBar, on_all_cores

# Sequences between two updates of the progress bar.
CHUNK = 2_000
# A group cut from the curve that loses more than this many times the average is grown instead. That takes
# about twice as long; on generated visits, even scattered ones, the loss was then that of indexed instead
# of a quarter more. Nothing guarantees this for other tables.
PATIENCE = 1 + 1e-9
# The ways to cut grow with the square of the group size, so a curve of large groups is cut at fewer places: a
# group of the least size has at most this many grains. For 3,000 scattered visitors and k=200 that took 0.4 s
# instead of 20 s (2026-11-16, 2 cores, busy); between 16, 32 and 64 grains the loss differed no more than
# between seeds.
GRAINS = 16
# Growing takes more than twice as long for twice as many sequences, so about this many are grown at once:
# those that follow each other on the curve, which is cut in such blocks, too. Of 100,000 scattered visitors,
# k=16, more than half are left on the curve; growing them in blocks took a quarter of the time and lost 4 %
# more, of clustered ones half of the time, and lost 2 % less (2026-11-17, 2 cores).
BLOCK = 4_000
GROUPS = 64  # and no fewer than this many groups of the least size
# With fewer groups than this, region A holds only one or two of them, and what is left on the curve makes
# them larger; then everything is grown.
HANDFUL = 8


def hybrid(search: GroupSearch, bar: Bar) -> Ints:
    """Cut region A, grow region B."""
    if search.sequences.totals.size < HANDFUL * search.rules.target:
        return indexed(search, bar)
    clusters, order = clusters_along_curve(search.model, search.sequences, search.occurrences)
    in_a = _is_in_region_a(search, clusters, order, bar)
    return _cut_and_grow(search, clusters, order, in_a, bar, patience=PATIENCE)


def hilbert(search: GroupSearch, bar: Bar) -> Ints:
    """Cut everything: every sequence is in region A."""
    clusters, order = clusters_along_curve(search.model, search.sequences, search.occurrences)
    return _cut_and_grow(search, clusters, order, np.ones(order.size, np.bool_), bar, patience=None)


def _is_in_region_a(search: GroupSearch, clusters: Clusters, order: Ints, bar: Bar) -> Flags:
    """Return which sequences lose no more than average with the previous one, or have only one row."""
    if order.size == 1:
        return np.ones(1, bool)
    # Each stretch begins with the last sequence of the one before it.
    stretches = [order[begin : begin + CHUNK + 1] for begin in range(0, order.size - 1, CHUNK)]
    found = on_all_cores(partial(_losses_of_stretch, search, clusters), stretches, bar)
    losses = np.concatenate([found[0][:1], *found])  # the first loses what the second does
    rows = np.diff(search.sequences.offsets)[order]
    near: Flags = (losses <= losses.mean()) | (rows == 1)
    return near


def _losses_of_stretch(search: GroupSearch, clusters: Clusters, order: Ints, pulse: Pulse) -> Floats:
    losses: Floats = neighbour_losses(search.model, clusters, order)
    pulse[DONE] += losses.size
    return losses


def _cut_and_grow(
    search: GroupSearch,
    clusters: Clusters,
    order: Ints,
    in_a: Flags,
    bar: Bar,
    *,
    patience: float | None,
) -> Ints:
    """Cut one region and grow the other, including the parts of the first that cannot stay as cut.

    A cut group cannot stay if it may not be released, or if it loses more than ``patience`` times the average
    of the first region. Without ``patience``, all that may be released stays. What is left is mended.
    """
    region_a, is_left = order[in_a], np.ones(order.size, np.bool_)
    ends, losses = _cuts(search, clusters, region_a, bar)
    if ends.size:
        sizes = np.diff(ends, prepend=0)
        stays = may_be_released(search.rules, clusters, region_a, ends)
        if patience is not None:
            stays &= losses <= patience * (losses * sizes).sum() / region_a.size
        if stays.all() and in_a.all():
            return _slots_of_stretches(region_a, sizes)
        member = np.repeat(stays, sizes)
        join_all(search.model, clusters, region_a[member], np.cumsum(sizes[stays]))
        is_left[in_a] = ~member
    left = order[is_left]
    blocks = _blocks(search, left)
    are_groups = may_be_released(search.rules, clusters, left, np.cumsum([block.size for block in blocks]))
    if len(blocks) > 1 and are_groups.all():
        return _grown_in_blocks(search, clusters, blocks, bar)
    grow_all(search, clusters, np.sort(left), bar, indexed=True)
    return mend_all(search, clusters, bar, indexed=True)


def _slots_of_stretches(order: Ints, sizes: Ints) -> Ints:
    """Return for each sequence the lowest slot of its stretch, under which clusters would be joined."""
    slots = np.empty_like(order)
    slots[order] = np.repeat(np.minimum.reduceat(order, np.cumsum(sizes) - sizes), sizes)
    return slots


def _grown_in_blocks(search: GroupSearch, clusters: Clusters, blocks: list[Ints], bar: Bar) -> Ints:
    """Grow what is left block by block, side by side; return the slot of the cluster of each sequence."""
    found: Ints = labels(clusters)
    members = [np.sort(block) for block in blocks]
    parts = [
        replace(part_of(search, block), random=random)
        for block, random in zip(members, search.random.spawn(len(blocks)), strict=True)
    ]
    for block, slots in zip(members, on_all_cores(_grown, parts, bar), strict=True):
        found[block] = block[slots]
    return found


def _grown(search: GroupSearch, pulse: Pulse) -> Ints:
    return indexed(search, PulseBar(pulse))


def _cuts(search: GroupSearch, clusters: Clusters, order: Ints, bar: Bar) -> tuple[Ints, Floats]:
    """Return where the groups with the least loss along an order end, and what each loses.

    There are none if they would be too small, as few people with many sequences stand side by side.
    """
    blocks = _blocks(search, order)
    found = on_all_cores(partial(_cuts_of_block, search, clusters), blocks, bar)
    if not all(ends.size for ends, _ in found):
        return np.zeros(0, np.int64), np.zeros(0)
    begins = offsets_of([block.size for block in blocks])
    ends = np.concatenate([ends + begin for (ends, _), begin in zip(found, begins[:-1], strict=True)])
    return ends, np.concatenate([losses for _, losses in found])


def _cuts_of_block(search: GroupSearch, clusters: Clusters, order: Ints, pulse: Pulse) -> tuple[Ints, Floats]:
    n, least, bar = order.size, search.rules.target, PulseBar(pulse)
    best, sizes = np.zeros(n + 1), np.zeros(n + 1, np.int64)
    room, grain = new_cut_room(clusters, order), -(-least // GRAINS)
    for begin, end in pairwise([*range(0, n, CHUNK), n]):
        cut_curve(search.model, clusters, order, least, grain, room, best, sizes, begin, end)
        bar.update(end - begin)
    ends: Ints = way_back(sizes) if np.isfinite(best[n]) else np.zeros(0, np.int64)
    return ends, np.diff(best[ends], prepend=0.0) / np.diff(ends, prepend=0)


def _blocks(search: GroupSearch, order: Ints) -> list[Ints]:
    """Split an order into blocks of about the same size, each with room for many groups."""
    size = max(BLOCK, GROUPS * search.rules.target)
    return np.array_split(order, max(1, order.size // size))
