"""Cells that must not be mixed: whoever is released as equal is in one cell, beside at least k people.

A sequence is written with its cell in front, as if it were an event. Nobody contains what begins with another
cell, so patterns stay inside cells. The codes of cells come before those of events.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.engines.arrow import as_frames
from pdseqpriv.engines.engine import Run
from pdseqpriv.errors import wrong_parameter
from pdseqpriv.parameters import Guarantee
from pdseqpriv.sequences.earlier_releases import IN_NONE, cells_of
from pdseqpriv.sequences.encoding import one_after_the_other
from pdseqpriv.sequences.ragged import Flags, Ints, Ragged, count_different, offsets_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.variants import Cells, Variants, variants_of_lists
from pdseqpriv.taxonomy.labels import NONE, Labels

# What a cell says of a person: as good as nothing, but it is not left out.
SAYS = 1e-9
# Copies of the ids that it takes to put those of all parts together.
_COPIES = 3


def cells_of_earlier_releases(previous: object, guarantee: Guarantee, run: Run) -> Cells:
    """Read the keys of earlier releases: who was together in all of them is in one cell."""
    if guarantee != "identical":
        do = "Only then are there classes that earlier ones can be compared with."
        came = f"{type(previous).__name__} with guarantee={guarantee!r}"
        raise wrong_parameter("previous", 'None unless guarantee="identical"', came, do)
    ids = run.reduce(_ids_of, one_after_the_other, copies=_COPIES)
    numbers = cells_of(as_frames(previous), ids, run.columns)
    return Cells(ids, numbers, np.arange(numbers.max(initial=-1) + 1) != IN_NONE)


def _ids_of(sequences: Sequences) -> pd.Index:
    return sequences.ids


def with_cells(labels: Labels, label_of: Ints, n: int) -> tuple[Labels, Ints]:
    """Put n cells before all labels: nothing is above or below them."""
    above = np.where(labels.above == NONE, NONE, labels.above + n)
    own = np.arange(n)
    wider = Labels(
        labels.names,
        np.concatenate((np.full(n, NONE), above)),
        np.concatenate((own + 1, labels.end + n)),
        np.concatenate((np.full(n, SAYS), labels.kept)),
    )
    return wider, np.concatenate((own, label_of + n))


def without_cells(released: Variants, target: Ints, n: int) -> tuple[Variants, Ints]:
    """Leave the cells out of what is released, and put together what is then equal."""
    is_event = released.symbols >> 1 >= n
    offsets = offsets_of(is_event)[released.offsets]
    bare = Ragged(released.symbols[is_event] - 2 * n, offsets)
    names = (released.vocabulary, released.event_dtype)
    together, place = variants_of_lists(bare, released.counts, *names)
    return together, place[target]


def in_torn_cells(variants: Variants, target: Ints, k: int, were_released: Flags) -> Flags:
    """Return which variants are in a cell of which too few people are dropped.

    Those few would be found as the ones who are missing since the earlier releases, so their cell cannot be
    released without them. A variant is dropped if its target is -1.
    """
    cells = variants.symbols[variants.offsets[:-1]] >> 1
    dropped = np.flatnonzero((target < 0) & were_released[cells])
    if variants.people is None:
        missing = np.bincount(cells[dropped], variants.counts[dropped], were_released.size)
    else:
        people = variants.people.take(dropped)
        missing = count_different(cells[dropped][people.owners], people.values, were_released.size)
    torn: Flags = ((missing > 0) & (missing < k))[cells]
    return torn
