"""Pattern tables that were made here need not be read again.

Turning a hundred thousand tuples into arrays takes longer than making their supports safe. So the arrays that
a table was made from are kept for as long as its column of patterns lives, and are taken when that column
still holds the very same tuples. Tuples do not change, so a cell that was replaced, in whatever way, is
noticed.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from pdseqpriv.table.patterns import PatternArrays


class Known(NamedTuple):
    """The cells of a table, the patterns that they show (without supports), and the row of each pattern."""

    cells: NDArray[np.object_]
    patterns: PatternArrays
    rows: NDArray[np.int32]


_known: dict[int, Known] = {}


def remember(frame: pd.DataFrame, patterns: PatternArrays, order: NDArray[np.int64]) -> None:
    """Keep the arrays that a frame was made from; row ``i`` shows pattern ``order[i]``."""
    cells = frame["pattern"].to_numpy()
    owner = _owner(cells)
    rows = np.empty(len(order), np.int32)
    rows[order] = np.arange(len(order), dtype=np.int32)
    _known[id(owner)] = Known(cells.copy(), patterns.with_supports(patterns.supports[:0]), rows)
    weakref.finalize(owner, _known.pop, id(owner), None).atexit = False


def recall(column: pd.Series) -> Known | None:
    """Give what is known of a column of patterns that is as it was."""
    if column.dtype != object:
        return None
    cells = column.to_numpy()
    known = _known.get(id(_owner(cells)))
    if known is None or cells.shape != known.cells.shape:
        return None
    return known if np.array_equal(_addresses(cells), _addresses(known.cells)) else None


def _owner(cells: NDArray[np.object_]) -> NDArray[np.object_]:
    """The array that holds the memory; pandas hands out views of it."""
    return cells if cells.base is None else cells.base


def _addresses(cells: NDArray[np.object_]) -> NDArray[np.uintp]:
    """Where the cells are: the same address is the same object, because both arrays keep theirs alive."""
    contiguous = np.ascontiguousarray(cells)
    return np.ndarray(contiguous.shape, np.uintp, buffer=contiguous)
