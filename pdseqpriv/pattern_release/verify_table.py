"""How the check reads tables of patterns: with its own code, apart from the rules for such tables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdseqpriv.patterns import table_rules as rules

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ListedPatterns:
    """Patterns from the lowest support to the highest, then in pattern order.

    Attributes
    ----------
    codes, begins : numpy.ndarray of int32, of bool
        Events of all patterns, one pattern after the other, and whether each begins an element.
    offsets : numpy.ndarray of int64
        Pattern ``i`` is ``codes[offsets[i]:offsets[i + 1]]``.
    supports : numpy.ndarray of int64
        The support of each.
    vocabulary : numpy.ndarray of object
        The event of each code, sorted.
    """

    codes: NDArray[np.int32]
    begins: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    supports: NDArray[np.int64]
    vocabulary: NDArray[np.object_]

    def to_tuples(self) -> NDArray[np.object_]:
        """Return the patterns as users write them."""
        items: list[Any] = self.vocabulary[self.codes].tolist()
        offsets = self.offsets
        if not self.begins.all():
            starts = np.flatnonzero(self.begins)
            offsets = np.searchsorted(starts, offsets)
            elements = _cut(items, [*starts.tolist(), len(items)])
            items = [one if len(one) > 1 else one[0] for one in elements]
        return np.fromiter(_cut(items, offsets.tolist()), object, len(self.supports))


def list_patterns(frame: object) -> ListedPatterns:
    """Read and sort a pattern table."""
    supports, cells = rules.supports_and_patterns(frame, "patterns")
    elements = list(chain.from_iterable(cells))
    events, sizes, widths = elements, _lengths(cells), np.ones(len(elements), np.int64)
    if any(issubclass(kind, rules.CONTAINERS) for kind in {*map(type, elements)}):
        lists = [one if isinstance(one, rules.CONTAINERS) else (one,) for one in elements]
        rules.check_arrays(lists)
        events, widths = list(chain.from_iterable(lists)), _lengths(lists)
    empty = _count(sizes == 0) + _count(widths == 0)
    if empty:
        raise rules.empty(empty)
    codes, vocabulary = _number(events)
    element = np.repeat(np.arange(len(widths)), widths)
    codes = codes[np.lexsort((codes, element))] if len(element) > len(widths) else codes
    begins = np.diff(element, prepend=-1) > 0
    repeated = _count(~begins[1:] & (codes[1:] == codes[:-1]))
    if repeated:
        raise rules.repeated_events(repeated)
    pattern = np.repeat(np.arange(len(sizes)), sizes)[element]
    return _sorted(codes, begins, pattern, supports, vocabulary)


def _sorted(
    codes: NDArray[np.int32],
    begins: NDArray[np.bool_],
    pattern: NDArray[np.int64],
    supports: NDArray[np.int64],
    vocabulary: NDArray[np.object_],
) -> ListedPatterns:
    """Sort patterns; each may occur only once."""
    lengths = np.bincount(pattern, minlength=len(supports))
    firsts = np.cumsum(lengths) - lengths
    # One byte string per pattern: it sorts like tuples of tuples of codes, with an event that begins an
    # element before one that does not.
    spelled = np.zeros((len(supports), max(1, int(lengths.max(initial=0)))), ">u4")
    spelled[pattern, np.arange(len(pattern)) - firsts[pattern]] = codes + 1 + len(vocabulary) * ~begins
    keys = spelled.view(f"S{spelled.shape[1] * 4}").ravel()
    by_pattern = np.argsort(keys, kind="stable")
    repeated = _count(keys[by_pattern[1:]] == keys[by_pattern[:-1]])
    if repeated:
        raise rules.repeated_patterns(repeated)
    rows = by_pattern[np.argsort(supports[by_pattern], kind="stable")]
    offsets = np.append(0, np.cumsum(lengths[rows]))
    moved = np.arange(len(codes)) + np.repeat(firsts[rows] - offsets[:-1], lengths[rows])
    return ListedPatterns(codes[moved], begins[moved], offsets, supports[rows], vocabulary)


def _number(events: list[Any]) -> tuple[NDArray[np.int32], NDArray[np.object_]]:
    """Return a code for each event, in the order of events."""
    rules.check_events({*map(type, events)})
    try:
        codes, distinct = pd.factorize(pd.Series(events, dtype=object), sort=True)
        return codes.astype(np.int32), pd.Index(distinct).to_numpy(dtype=object)
    except UnicodeEncodeError:
        raise rules.not_text() from None


def _count(cases: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(cases))


def _lengths(lists: list[Any]) -> NDArray[np.int64]:
    return np.fromiter(map(len, lists), np.int64, len(lists))


def _cut(items: list[Any], bounds: list[int]) -> list[tuple[Any, ...]]:
    return [tuple(items[first:last]) for first, last in pairwise(bounds)]
