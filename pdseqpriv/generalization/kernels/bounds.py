"""What a union of clusters loses at least, from few facts about each.

The first interval of a union begins at its first time and reaches the last of its members' first times; the
last interval begins no later than the first of their last times. If these two overlap there is only one
interval and its loss is exact. Otherwise rows in the first and in the last interval lose at least that
much; and each part of a union loses in it at least what it loses alone.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.clusters import BEGIN, END, TOTAL, Clusters
from pdseqpriv.generalization.kernels.loss import least_loss
from pdseqpriv.generalization.kernels.profiles import COUNT, LATEST, NODE, TIME, LossModel, common_ancestor

# Facts of a cluster: the first and last of its members' first times, the first and last of their last times;
# its monitored rows, those up to the last first time and those from the first last time on; all rows; its
# own loss; the common ancestors of all events and of those in the first and the last interval; its slot.
FIRST, FIRST_END, LAST_BEGIN, LAST = range(4)
ROWS, FIRST_ROWS, LAST_ROWS, ALL_ROWS, OWN = range(4, 9)
TOP, FIRST_TOP, LAST_TOP, SLOT = range(9, 13)
N_FACTS = 13
# Clusters whose facts are kept side by side.
BLOCK = 16
# Share of a bucket by which it is taken wider: far more than rounding, far less than matters.
ROUNDING = 1e-6
# Rows of a fingerprint: the least length of an interval, in parts of a bucket, and the rows in each bucket.
LENGTHS, COUNTS = range(2)
PARTS = 512
# The largest length and count in a fingerprint, so that numbers, and sums over all buckets, stay small.
LONGEST, MOST = 2**15 - 1, 2**9 - 1
# Parts of the room of ``extent_bounds``, a number per place each: buckets before this one lie in the first
# interval, those from this one on in the last; and the least lengths of both intervals. Before them stands
# what the cluster's own rows lose.
UNTIL, SINCE, IN_FIRST, IN_LAST = range(BLOCK, 5 * BLOCK, BLOCK)


@compiled
def write_facts(model: LossModel, clusters: Clusters, slot: int, out: Array) -> None:
    """Write the facts of one cluster."""
    times, rows = clusters.profiles.times, clusters.profiles.rows
    begin, end = clusters.slots[BEGIN, slot], clusters.slots[END, slot]
    out[FIRST], out[FIRST_END] = times[TIME, begin], times[TIME, first_cover(clusters, slot)]
    out[LAST_BEGIN], out[LAST] = times[LATEST, end - 1], times[TIME, end - 1]
    out[ROWS:ALL_ROWS] = 0
    top = rows[NODE, begin]
    first_top, last_top = top, rows[NODE, end - 1]
    for t in range(begin, end):
        out[ROWS] += rows[COUNT, t]
        top = common_ancestor(model.parent, top, rows[NODE, t])
        if times[TIME, t] <= out[FIRST_END]:
            out[FIRST_ROWS] += rows[COUNT, t]
            first_top = top
        if times[TIME, t] >= out[LAST_BEGIN]:
            out[LAST_ROWS] += rows[COUNT, t]
            last_top = common_ancestor(model.parent, last_top, rows[NODE, t])
    out[ALL_ROWS] = clusters.slots[TOTAL, slot]
    out[OWN] = least_loss(model, clusters.profiles, begin, end, clusters.table)
    out[TOP], out[FIRST_TOP], out[LAST_TOP], out[SLOT] = top, first_top, last_top, slot


@compiled
def first_cover(clusters: Clusters, slot: int) -> int:
    """Return the first time by which every member has a row."""
    t = clusters.slots[BEGIN, slot]
    while clusters.profiles.times[LATEST, t] == -np.inf:
        t += 1
    return int(t)


# In ``extent_bounds`` and ``block_bounds`` lesser and greater numbers are chosen without min and max, which
# see to missing numbers, and arrays are given whole, as a part of one costs more than the work on it: so
# several are worked out at once.


@compiled
def extent_bounds(
    mine: Array,
    rows_of_mine: Array,
    n_mine: int,
    facts: Array,
    lengths: Array,
    block: int,
    per_time: float,
    origin: float,
    bucket: float,
    ours: Array,
    out: Array,
) -> None:
    """Write lower bounds of CP of a cluster with each place of a block, from what they say of time.

    Rows of the cluster lose what the fingerprints say, as in ``fingerprint_losses``, the others what extents
    say: only the few buckets in which the cluster has rows are looked at, for all places at once.
    ``rows_of_mine`` has them, their rows and least lengths; ``ours`` is room, and so is
    the second half of ``out``.
    """
    my_first, my_last, my_first_end, my_last_begin = (
        mine[FIRST],
        mine[LAST],
        mine[FIRST_END],
        mine[LAST_BEGIN],
    )
    my_rows, my_first_rows, my_last_rows = mine[ROWS], mine[FIRST_ROWS], mine[LAST_ROWS]
    my_all_rows, my_own = mine[ALL_ROWS], mine[OWN]
    per_bucket, n_buckets = 1 / bucket, lengths.shape[1]
    for i in range(BLOCK):
        first, last = facts[block, FIRST, i], facts[block, LAST, i]
        first_end, last_begin = facts[block, FIRST_END, i], facts[block, LAST_BEGIN, i]
        first = first if first < my_first else my_first
        last = last if last > my_last else my_last
        first_end = first_end if first_end > my_first_end else my_first_end
        last_begin = last_begin if last_begin < my_last_begin else my_last_begin
        at_first, at_last, is_one = first_end - first, last - last_begin, first_end >= last_begin
        one = (my_rows + facts[block, ROWS, i]) * (last - first)
        others = facts[block, FIRST_ROWS, i] * at_first + facts[block, LAST_ROWS, i] * at_last
        several = my_first_rows * at_first + my_last_rows * at_last + others
        out[i] = per_time * (one if is_one else several)
        out[BLOCK + i] = per_time * (0.0 if is_one else others)
        ours[UNTIL + i] = np.int32(0.0 if is_one else (first_end - origin) * per_bucket)
        ours[SINCE + i] = np.int32(n_buckets if is_one else (last_begin - origin) * per_bucket + 1)
        at_first, at_last = at_first * per_bucket * PARTS, at_last * per_bucket * PARTS
        ours[IN_FIRST + i] = np.int32(at_first if at_first < LONGEST else LONGEST)
        ours[IN_LAST + i] = np.int32(at_last if at_last < LONGEST else LONGEST)
        ours[i] = 0
    for n in range(n_mine):
        b, count, least = rows_of_mine[0, n], rows_of_mine[1, n], rows_of_mine[2, n]
        for i in range(BLOCK):
            length = np.int32(lengths[block, b, i])
            length = length if length > least else least
            length = ours[IN_FIRST + i] if b < ours[UNTIL + i] else length
            length = ours[IN_LAST + i] if b >= ours[SINCE + i] else length
            ours[i] = np.int32(ours[i] + np.int32(count * length))
    per_part = per_time * bucket / PARTS
    for i in range(BLOCK):
        lost, others, own = per_part * ours[i], out[BLOCK + i], facts[block, OWN, i]
        loss = (lost if lost > my_own else my_own) + (others if others > own else own)
        loss = loss if loss > out[i] else out[i]
        out[i] = loss / (my_all_rows + facts[block, ALL_ROWS, i])


@compiled
def rows_in_buckets(prints: Array, place: int, out: Array) -> int:
    """Write the buckets in which a cluster has rows, how many, and the least lengths; return their number."""
    n = 0
    for b in range(prints.shape[2]):
        if prints[place, COUNTS, b] > 0:
            out[0, n], out[1, n], out[2, n] = b, prints[place, COUNTS, b], prints[place, LENGTHS, b]
            n += 1
    return n


@compiled
def block_bounds(mine: Array, low: Array, high: Array, per_time: float, out: Array) -> None:
    """Write lower bounds of CP of a cluster with any cluster of each block."""
    my_first, my_last, my_first_end, my_last_begin = (
        mine[FIRST],
        mine[LAST],
        mine[FIRST_END],
        mine[LAST_BEGIN],
    )
    my_rows, my_first_rows, my_last_rows = mine[ROWS], mine[FIRST_ROWS], mine[LAST_ROWS]
    my_all_rows, my_own = mine[ALL_ROWS], mine[OWN]
    for i in range(out.size):
        first, last = high[FIRST, i], low[LAST, i]
        first_end, last_begin = low[FIRST_END, i], high[LAST_BEGIN, i]
        first = first if first < my_first else my_first
        last = last if last > my_last else my_last
        first_end = first_end if first_end > my_first_end else my_first_end
        last_begin = last_begin if last_begin < my_last_begin else my_last_begin
        # Never negative: our first and last time are in between.
        one = (my_rows + low[ROWS, i]) * (last - first)
        several = (my_first_rows + low[FIRST_ROWS, i]) * (first_end - first)
        several += (my_last_rows + low[LAST_ROWS, i]) * (last - last_begin)
        several = several if several < one and first_end < last_begin else one
        loss, own = per_time * several, my_own + low[OWN, i]
        out[i] = (loss if loss > own else own) / (my_all_rows + high[ALL_ROWS, i])


@compiled
def extent_bound_with_events(model: LossModel, mine: Array, facts: Array, block: int, i: int) -> float:
    """Return a lower bound of CP of a union from what its two parts say of time and events."""
    first, last = min(mine[FIRST], facts[block, FIRST, i]), max(mine[LAST], facts[block, LAST, i])
    first_end = max(mine[FIRST_END], facts[block, FIRST_END, i])
    last_begin = min(mine[LAST_BEGIN], facts[block, LAST_BEGIN, i])
    if first_end >= last_begin:
        in_all = model.per_time * (last - first) + _category_loss(model, mine, facts, block, i, TOP)
        loss = (mine[ROWS] + facts[block, ROWS, i]) * in_all
    else:
        in_first = model.per_time * (first_end - first) + _category_loss(
            model, mine, facts, block, i, FIRST_TOP
        )
        in_last = model.per_time * (last - last_begin) + _category_loss(
            model, mine, facts, block, i, LAST_TOP
        )
        loss = (mine[FIRST_ROWS] + facts[block, FIRST_ROWS, i]) * in_first
        loss += (mine[LAST_ROWS] + facts[block, LAST_ROWS, i]) * in_last
    return float(loss / (mine[ALL_ROWS] + facts[block, ALL_ROWS, i]))


@compiled
def _category_loss(model: LossModel, mine: Array, facts: Array, block: int, i: int, which: int) -> float:
    top = common_ancestor(model.parent, int(mine[which]), int(facts[block, which, i]))
    return float(model.per_event * model.category[top])


@compiled
def fingerprint(clusters: Clusters, slot: int, origin: float, bucket: float, out: Array) -> None:
    """Write for each bucket of time the least length of an interval that holds a time of it and all members.

    The first bucket begins at ``origin``, and no time of the cluster is before it or after the last bucket.
    Beside it stands how many rows are in the bucket. Lengths are whole numbers of parts of a bucket, rounded
    down, and both are cut at what the sums in ``fingerprint_loss`` can take: then they only say less.

    The shortest intervals with all members go from a latest start to its end. Where one ends before the
    bucket or begins after it, it is stretched to the bucket's near end. Buckets are taken a little wider than
    they are, so that rounding puts no time outside its own.
    """
    times = clusters.profiles.times
    begin, end, first = clusters.slots[BEGIN, slot], clusters.slots[END, slot], first_cover(clusters, slot)
    before, after, n_buckets = first - 1, first, out.shape[1]
    per_bucket = 1 / bucket
    for b in range(n_buckets):
        low, high = (b - ROUNDING) * bucket, (b + 1 + ROUNDING) * bucket
        # The last interval that ends by the low end, and the first that begins at the high end or later.
        while before + 1 < end and times[TIME, before + 1] - origin <= low:
            before += 1
        while after < end and times[LATEST, after] - origin < high:
            after += 1
        length = np.inf
        if before >= first:
            length = low - (times[LATEST, before] - origin)
        if after < end:
            length = min(length, times[TIME, after] - origin - high)
        for i in range(before + 1, after):
            length = min(length, times[TIME, i] - times[LATEST, i])
        out[LENGTHS, b] = min(LONGEST, int(max(0.0, length) * per_bucket * PARTS))
    out[COUNTS] = 0
    for t in range(begin, end):
        b = min(int((times[TIME, t] - origin) * per_bucket), n_buckets - 1)
        out[COUNTS, b] = min(MOST, out[COUNTS, b] + clusters.profiles.rows[COUNT, t])


@compiled
def fingerprint_losses(
    mine: Array, facts: Array, prints: Array, here: int, place: int, origin: float, per_bucket: float
) -> tuple[int, int]:
    """Return what the rows of each of two clusters lose in time, in parts of a bucket (D_fp of lemma 5.5).

    Rows of both lose what the fingerprint of either says; those in buckets that lie in the first or the last
    interval lose its least length.
    """
    block, i, n_buckets = place // BLOCK, place % BLOCK, prints.shape[2]
    first, last = min(mine[FIRST], facts[block, FIRST, i]), max(mine[LAST], facts[block, LAST, i])
    first_end = max(mine[FIRST_END], facts[block, FIRST_END, i])
    last_begin = min(mine[LAST_BEGIN], facts[block, LAST_BEGIN, i])
    until, since, in_first, in_last = np.int16(0), np.int16(n_buckets), np.int16(0), np.int16(0)
    if first_end < last_begin:
        until = np.int16((first_end - origin) * per_bucket)
        since = np.int16((last_begin - origin) * per_bucket) + np.int16(1)
        in_first = np.int16(min(LONGEST, (first_end - first) * per_bucket * PARTS))
        in_last = np.int16(min(LONGEST, (last - last_begin) * per_bucket * PARTS))
    ours, theirs = np.int32(0), np.int32(0)
    # Small numbers, and no branch: then many buckets are worked out at once.
    for b in range(n_buckets):
        one, other = prints[here, LENGTHS, b], prints[place, LENGTHS, b]
        length = one if one > other else other
        length = in_first if np.int16(b) < until else length
        length = np.int32(in_last if np.int16(b) >= since else length)
        ours = np.int32(ours + np.int32(np.int32(prints[here, COUNTS, b]) * length))
        theirs = np.int32(theirs + np.int32(np.int32(prints[place, COUNTS, b]) * length))
    return int(ours), int(theirs)


@compiled
def fingerprint_bound(
    mine: Array,
    facts: Array,
    prints: Array,
    here: int,
    place: int,
    per_time: float,
    origin: float,
    bucket: float,
) -> float:
    """Return a lower bound of CP of a union from the fingerprints of its two parts."""
    ours, theirs = fingerprint_losses(mine, facts, prints, here, place, origin, 1 / bucket)
    block, i, per_part = place // BLOCK, place % BLOCK, per_time * bucket / PARTS
    loss = max(per_part * ours, mine[OWN]) + max(per_part * theirs, facts[block, OWN, i])
    return float(loss / (mine[ALL_ROWS] + facts[block, ALL_ROWS, i]))
