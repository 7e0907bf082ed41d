"""Find the intervals of each group with the least loss (section 7 of the paper, corrected)."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.generalization.kernels.category_cut import intervals_by_category
from pdseqpriv.generalization.kernels.clusters import MonitoredSequences
from pdseqpriv.generalization.kernels.loss import Intervals, intervals_of_groups
from pdseqpriv.generalization.kernels.profiles import LossModel
from pdseqpriv.progress import DONE, Bar, Pulse
from pdseqpriv.sequences.ragged import Ints, offsets_of, owners_of
from pdseqpriv.threads import on_all_cores

# Rows whose intervals are found in one compiled call; cores share such chunks.
CHUNK = 200_000


class GroupIntervals(NamedTuple):
    """Per interval: its group, its place in the taxonomy, and its first and last time in ``sequences.clock``.

    Sorted by group and time; a group without monitored events has none.
    """

    group: Ints
    node: NDArray[np.int32]
    first: Ints
    last: Ints


def optimal_intervals(
    sequences: MonitoredSequences, model: LossModel, groups: Ints, bar: Bar, *, by_category: bool
) -> Intervals:
    """Find in each group the feasible intervals with the least loss.

    Feasible means that each interval holds a row of every member, and each row is in exactly one interval
    (property 2.3). All intervals are apart in time, unless events may be separated ``by_category``: then
    those of different categories may overlap. Of equally good solutions, the one with the shorter intervals
    at the end is taken.
    ``groups`` has the group of each sequence, from 0; ``bar`` counts the sequences processed.
    """
    n_groups, n_rows = int(groups.max(initial=-1)) + 1, sequences.when.size
    owner = owners_of(sequences.offsets)
    rows = np.lexsort((sequences.when, groups[owner]))
    offsets = offsets_of(np.bincount(groups[owner], minlength=n_groups))
    sizes = np.bincount(groups, minlength=n_groups)
    chunks = []
    for begin, end in pairwise(_chunks(offsets)):
        theirs, own_offsets = rows[offsets[begin] : offsets[end]], offsets[begin : end + 1] - offsets[begin]
        chunks.append(_Chunk(theirs, owner[theirs], own_offsets, sizes[begin:end], begin))
    find = partial(_intervals_of_chunk, sequences, model, by_category=by_category)
    return _joined(chunks, on_all_cores(find, chunks, bar), n_rows)


class _Chunk(NamedTuple):
    """Some groups: their rows, those of a group in order of time, and where each group begins among them."""

    rows: Ints
    owner: Ints  # the sequence of each row
    offsets: Ints
    sizes: Ints  # sequences of each group
    first: int  # number of the first group


def _intervals_of_chunk(
    sequences: MonitoredSequences,
    model: LossModel,
    chunk: _Chunk,
    pulse: Pulse,
    *,
    by_category: bool,
) -> Intervals:
    """Find the intervals of some groups, numbered from 0; nothing that others read is written to."""
    rows, owner, offsets, sizes, _ = chunk
    of_row, group, node = (np.empty(rows.size, dtype) for dtype in (np.int64, np.int64, np.int32))
    found = Intervals(of_row, group, node, np.zeros(sizes.size), np.zeros(1, np.int64))
    by_row = (sequences.when[rows], sequences.node[rows], owner)
    inside = np.zeros(sequences.totals.size, np.int64)
    find = intervals_by_category if by_category else intervals_of_groups
    find(model, *by_row, np.arange(rows.size), offsets, sizes, inside, 0, sizes.size, found)
    pulse[DONE] += sizes.sum()
    n = int(found.n_found[0])
    return found._replace(group=group[:n], node=node[:n])


def _joined(chunks: list[_Chunk], found: list[Intervals], n_rows: int) -> Intervals:
    """Number the intervals of all chunks, one chunk after the other."""
    first = offsets_of([one.group.size for one in found])
    of_row = np.empty(n_rows, np.int64)
    for chunk, one, number in zip(chunks, found, first[:-1], strict=True):
        of_row[chunk.rows] = one.of_row + number
    nothing = np.zeros(0, np.int64)
    return Intervals(
        of_row,
        np.concatenate(
            [nothing, *(one.group + chunk.first for chunk, one in zip(chunks, found, strict=True))]
        ),
        np.concatenate([nothing.astype(np.int32), *(one.node for one in found)]),
        np.concatenate([nothing.astype(np.float64), *(one.loss for one in found)]),
        first[-1:],
    )


def _chunks(offsets: Ints) -> list[int]:
    """Return the groups at which a new chunk of rows begins."""
    wanted = np.arange(0, offsets[-1] + CHUNK, CHUNK)
    ends: list[int] = np.unique(np.minimum(np.searchsorted(offsets, wanted), offsets.size - 1)).tolist()
    return ends


def extents_of(intervals: Intervals, moments: Ints) -> GroupIntervals:
    """Return where each interval begins and ends: at the first and the last of its rows.

    They are sorted by what is released of them, not by which categories were separated.
    """
    n = intervals.group.size
    first, last = np.full(n, np.iinfo(np.int64).max), np.zeros(n, np.int64)
    np.minimum.at(first, intervals.of_row, moments)
    np.maximum.at(last, intervals.of_row, moments)
    order = np.lexsort((intervals.node, last, first, intervals.group))
    return GroupIntervals(intervals.group[order], intervals.node[order], first[order], last[order])
