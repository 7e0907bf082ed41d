"""What is released with columns that are kept: different lines, each a sequence and what is shown with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.k_anonymity.key import SequenceOwners
from pdseqpriv.k_anonymity.plan import Plan
from pdseqpriv.k_anonymity.release import Shown
from pdseqpriv.kept_columns.coarsening import shown_nodes
from pdseqpriv.kept_columns.reading import Kept
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.variants import Cells


def cells_by_kept(cells: Cells | None, kept: Kept, k: int) -> tuple[Cells, Ints]:
    """Divide cells, if there are any, such that k people in each can be shown the same; return that, too."""
    earlier, were_released = np.zeros(kept.numbers.size, np.int64), np.zeros(1, np.bool_)
    if cells is not None:
        earlier, were_released = cells.numbers[cells.ids.get_indexer(kept.ids)], cells.were_released
    nodes = shown_nodes(kept, earlier, k)
    both, found = np.unique(np.column_stack((earlier, nodes)), axis=0, return_inverse=True)
    return Cells(kept.ids, found.reshape(-1).astype(np.int64), were_released[both[:, 0]]), nodes


def nodes_beside(plan: Plan, owners: SequenceOwners, kept: Kept, k: int, *, is_invented: bool) -> Ints:
    """Return what k people with the same released sequence can be shown.

    If sequences may hold what their person never had, only people count whose sequence is released as it is.
    """
    targets = np.empty(kept.numbers.size, np.int64)
    place = kept.ids.get_indexer(owners.ids)
    targets[place] = owners.targets
    counts = targets >= 0
    if is_invented:
        counts[place] &= _are_whole(plan)[owners.variants]
    # Those who are dropped start with nobody who counts.
    return shown_nodes(kept, targets + 1, k, counts)


def beside_kept(
    plan: Plan, owners: SequenceOwners, kept: Kept, nodes: Ints
) -> tuple[Plan, SequenceOwners, Shown]:
    """Put what is shown of each sequence beside what is released for it; return that as well."""
    there = np.flatnonzero(owners.targets >= 0)
    labels, label = np.unique(nodes[kept.ids.get_indexer(owners.ids[there])], axis=0, return_inverse=True)
    size = len(labels)
    lines, line = np.unique(owners.targets[there] * size + label.reshape(-1), return_inverse=True)
    sequences = plan.released.lists.take(lines // max(size, 1))
    released = plan.released._replace(
        symbols=sequences.values,
        offsets=sequences.offsets,
        counts=np.bincount(line, minlength=lines.size),
    )
    target = np.full(owners.targets.size, -1)
    target[there] = line
    shown = Shown(kept.trees, labels[lines % max(size, 1)])
    return replace(plan, released=released), owners._replace(targets=target), shown


def _are_whole(plan: Plan) -> NDArray[np.bool_]:
    """Return which original sequences are released as they are."""
    are_whole = plan.target >= 0
    some = np.flatnonzero(are_whole)
    before = plan.original.lists.take(some)
    after = plan.released.lists.take(plan.target[some])
    are_whole[some] = ~before.differs_from(after)
    return are_whole
