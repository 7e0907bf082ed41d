"""All rows of a table as arrays, one sequence after the other: what partitions exchange.

Groups are made from all monitored and sensitive rows, and all others are released as they are, so nothing
less than the rows will do; the other columns stay behind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import wrong_column
from pdseqpriv.generalization.people import Ints
from pdseqpriv.sequences.clock import Clock, clock_of
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.sequences import Dtypes, Sequences
from pdseqpriv.sequences.times import Times

_LONGEST = 2**63 - 1


@dataclass(frozen=True)
class Summary:
    """The rows of a part without its marked events.

    Attributes
    ----------
    codes, times
        Of each row, one sequence after the other; events by their place in ``vocabulary``.
    offsets
        Sequence ``i`` is ``offsets[i]:offsets[i + 1]``; it may have no row left.
    vocabulary, ids
        Events and ids of sequences.
    marked
        How many rows were marked.
    """

    codes: NDArray[np.int32]
    times: Times
    offsets: Ints
    vocabulary: pd.Index
    ids: pd.Index
    marked: int
    clock: Clock
    dtypes: Dtypes

    @property
    def n_sequences(self) -> int:
        """How many sequences there are."""
        return self.offsets.size - 1

    @property
    def owners(self) -> Ints:
        """The sequence of each row."""
        return np.repeat(np.arange(self.n_sequences), np.diff(self.offsets))


def summarise(sequences: Sequences) -> Summary:
    """Take the rows of a part."""
    kept = sequences.codes >= 0
    before = np.concatenate(([0], np.cumsum(kept)))
    return Summary(
        sequences.codes[kept],
        sequences.times[kept],
        before[sequences.offsets],
        sequences.vocabulary,
        sequences.ids,
        int(kept.size - before[-1]),
        clock_of(sequences),
        sequences.dtypes,
    )


def merge(first: Summary, second: Summary) -> Summary:
    """Put the rows of two parts one after the other."""
    if not first.ids.size or not second.ids.size:  # types of empty parts are made up
        return first if first.ids.size else second
    vocabulary, code_of_first, code_of_second = merge_vocabularies(first.vocabulary, second.vocabulary)
    return Summary(
        np.concatenate((code_of_first[first.codes], code_of_second[second.codes])),
        np.concatenate((first.times, second.times)),  # type: ignore[arg-type]
        np.concatenate((first.offsets, second.offsets[1:] + first.offsets[-1])),
        vocabulary,
        first.ids.append(second.ids),
        first.marked + second.marked,
        first.clock,
        first.dtypes,
    )


def check_span(summary: Summary, columns: Columns) -> None:
    """Refuse times that are too far apart; each part was looked at, but not the whole."""
    if not summary.times.size:
        return
    earliest, latest = summary.times.min().item(), summary.times.max().item()
    is_float = summary.clock.dtype.kind == "f"
    if np.isinf(np.subtract(latest, earliest)) if is_float else latest - earliest > _LONGEST:
        came = "the first and the last are too far apart"
        raise wrong_column(columns.time, "within a span of 64 bits", came)
