"""Find the intervals of each group with the least loss (section 7 of the paper, corrected)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pdseqpriv.generalization.kernels.category_cut import intervals_by_category
from pdseqpriv.generalization.kernels.clusters import MonitoredSequences
from pdseqpriv.generalization.kernels.loss import Intervals, LossModel, intervals_of_groups
from pdseqpriv.progress import Bar
from pdseqpriv.sequences.ragged import Ints, offsets_of, owners_of

# Rows between two updates of the progress bar.
CHUNK = 200_000


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
    sizes, inside = np.bincount(groups, minlength=n_groups), np.zeros(groups.size, np.int64)
    of_row, group, node = (np.empty(n_rows, dtype) for dtype in (np.int64, np.int64, np.int32))
    found = Intervals(of_row, group, node, np.zeros(n_groups), np.zeros(1, np.int64))
    by_row = (sequences.when, sequences.node, owner)
    find = intervals_by_category if by_category else intervals_of_groups
    for begin, end in pairwise(_chunks(offsets)):
        find(model, *by_row, rows, offsets, sizes, inside, begin, end, found)
        bar.update(int(sizes[begin:end].sum()))
    n = int(found.n_found[0])
    return found._replace(group=group[:n], node=node[:n])


def _chunks(offsets: Ints) -> list[int]:
    """Return the groups at which a new chunk of rows begins."""
    wanted = np.arange(0, offsets[-1] + CHUNK, CHUNK)
    ends: list[int] = np.unique(np.minimum(np.searchsorted(offsets, wanted), offsets.size - 1)).tolist()
    return ends
