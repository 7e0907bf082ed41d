"""Pattern tables that were made here need not be read again.

Turning a hundred thousand tuples into arrays takes longer than making their supports safe. So what a search
knows of the patterns in a table is kept for as long as its column of patterns lives, and is taken when that
column still holds the very same tuples. Tuples do not change, so a cell that was replaced is noticed, in
whatever way it was.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from pdseqpriv.patterns.numbered import NumberedPatterns


@dataclass(frozen=True)
class KnownPatterns:
    """The cells and supports of a table as it was made, and its patterns, whose places are its rows."""

    cells: NDArray[np.object_]
    supports: NDArray[np.int64]
    numbered: NumberedPatterns

    def to_tuples(self, moved: NDArray[np.intp]) -> NDArray[np.object_]:
        """Give the cells in other rows; what moves to -1 is left out."""
        # To read them as they lie in memory is faster than to fetch them row by row.
        kept = slice(None) if moved.min(initial=0) >= 0 else moved >= 0
        cells, rows = self.cells[kept], moved[kept]
        tuples = np.empty(len(rows), object)
        tuples.put(rows, cells)
        return tuples


_known: dict[int, KnownPatterns] = {}


def remember(frame: pd.DataFrame, numbered: NumberedPatterns, moved: NDArray[np.intp]) -> None:
    """Keep what is known of the patterns in a frame; what stands at a place moved to that row."""
    cells = frame["pattern"].to_numpy()
    owner = _owner(cells)
    rows = np.append(-1, moved[numbered.places[1:]]).astype(np.int32)
    numbered = replace(numbered, places=rows)
    _known[id(owner)] = KnownPatterns(cells.copy(), frame["support"].to_numpy(copy=True), numbered)
    weakref.finalize(owner, _known.pop, id(owner), None).atexit = False


def recall(column: pd.Series) -> KnownPatterns | None:
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
