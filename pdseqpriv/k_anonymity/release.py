"""Write the release out; ids and times are new, so all of it follows from the plan alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.k_anonymity.kernels.released_rows import rows_of_people
from pdseqpriv.kept_columns.trees import ValueTree, shown_columns
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import decode
from pdseqpriv.sequences.ragged import Ints, offsets_of, owners_of
from pdseqpriv.sequences.variants import Variants


class Shown(NamedTuple):
    """What is kept beside each distinct released sequence, a node in each tree."""

    trees: list[ValueTree]
    nodes: Ints


class Piece(NamedTuple):
    """Some of the released sequences, which are numbered from ``first`` on."""

    released: Variants
    first: int
    columns: Columns
    shown: Shown | None


def cut(whole: Piece, first: int, last: int) -> Piece:
    """Take some of the released sequences, by their ids."""
    released, shown = whole.released, whole.shown
    ends = np.cumsum(released.counts)
    some = np.flatnonzero((ends > first) & (ends - released.counts < last))
    counts = np.minimum(ends[some], last) - np.maximum(ends[some] - released.counts[some], first)
    sequences = released.lists.take(some)
    taken = released._replace(symbols=sequences.values, offsets=sequences.offsets, counts=counts)
    return Piece(taken, first, whole.columns, shown and shown._replace(nodes=shown.nodes[some]))


def make(piece: Piece) -> pd.DataFrame:
    """Write sequences out as rows; columns that are kept follow."""
    released, columns = piece.released, piece.columns
    people, codes, times = rows_of_people(released.symbols, released.offsets, released.counts)
    events = decode(codes, released.vocabulary, released.event_dtype)
    rows = pd.DataFrame({columns.seq_id: people + piece.first, columns.event: events, columns.time: times})
    if piece.shown is not None:
        line = owners_of(offsets_of(released.counts * np.diff(released.offsets)))
        kept = shown_columns(piece.shown.trees, piece.shown.nodes[line])
        for name, column in kept.items():
            rows[name] = column
    return rows
