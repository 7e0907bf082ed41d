"""Pattern tables: from a frame to arrays and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdseqpriv.errors import called_function, refusal, wrong_column, wrong_parameter
from pdseqpriv.patterns.kernels.pattern_index import count_repeats, take_patterns

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CONTAINERS = (tuple, list, set, frozenset, np.ndarray)

_HIGHEST = 2**53  # supports count people


@dataclass(frozen=True)
class PatternArrays:
    """Patterns as flat arrays.

    Attributes
    ----------
    codes : numpy.ndarray of int32
        Events of all patterns, one pattern after the other.
    offsets : numpy.ndarray of int64
        Pattern ``i`` is ``codes[offsets[i]:offsets[i+1]]``.
    joined : numpy.ndarray of bool
        Whether an event shares the element of the one before it; inside an element codes rise.
    supports : numpy.ndarray of int64
        In how many sequences each pattern is contained.
    vocabulary : pandas.Index
        Which event a code stands for, sorted.
    parents : numpy.ndarray of int32, optional
        Which pattern each is without its last event (-1: none); where a search has found them.
    """

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    joined: NDArray[np.bool_]
    supports: NDArray[np.int64]
    vocabulary: pd.Index
    parents: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.supports)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of events of each pattern."""
        return np.diff(self.offsets)

    def take(self, order: NDArray[np.int64]) -> PatternArrays:
        """Give some patterns, in this order."""
        codes, offsets, joined = take_patterns(self.codes, self.offsets, self.joined, order)
        return PatternArrays(codes, offsets, joined, self.supports[order], self.vocabulary)

    def in_order(self) -> PatternArrays:
        """Sort by pattern: an order that depends on nothing else."""
        return self.take(np.argsort(_sort_keys(self), kind="stable"))

    def to_tuples(self, moved: NDArray[np.intp] | None = None) -> NDArray[np.object_]:
        """Give the patterns as users write them; in other rows, where what moves to -1 is left out."""
        if moved is not None:
            kept = np.flatnonzero(moved >= 0)
            order = np.empty_like(kept)
            order[moved[kept]] = kept
            # Tuples that are made in the order of the rows are later read faster than others.
            return self.take(order).to_tuples()
        events = self.vocabulary.to_numpy(dtype=object)[self.codes]
        if not self.joined.any():
            return _tuples(events, self.offsets)
        opens = np.flatnonzero(~self.joined)
        bounds = np.append(opens, len(events))
        elements = events[opens]
        several = np.flatnonzero(np.diff(bounds) > 1)
        elements[several] = _tuples(events, bounds, several)
        return _tuples(elements, np.searchsorted(bounds, self.offsets))


def pattern_frame(
    tuples: NDArray[np.object_], supports: NDArray[np.int64], lengths: NDArray[np.int64]
) -> pd.DataFrame:
    """Give the table that users see; the arrays must be of nobody else."""
    return pd.DataFrame({"pattern": tuples, "support": supports, "length": lengths}, copy=False)


def read_patterns(frame: object, parameter: str) -> PatternArrays:
    """Check a pattern table of a user and turn it into arrays."""
    table = check_columns(frame, parameter)
    supports = read_supports(table["support"])
    codes, offsets, joined, vocabulary = _read_cells(table["pattern"].tolist())
    repeated = count_repeats(codes, offsets, joined)
    if repeated:
        raise refusal(f"a pattern may be in the table once, but {repeated} rows repeat one.")
    return PatternArrays(codes, offsets, joined, supports, vocabulary)


def check_columns(frame: object, parameter: str) -> pd.DataFrame:
    """Refuse what is not a table of patterns and supports."""
    if not isinstance(frame, pd.DataFrame):
        raise wrong_parameter(parameter, "a pattern table (a DataFrame)", type(frame).__name__)
    for column in ("pattern", "support"):
        if column not in frame.columns:
            raise wrong_parameter(
                parameter,
                "a pattern table with the columns 'pattern' and 'support'",
                f"one without {column!r}",
                "Such a table comes from mine; sequences need min_support."
                if called_function() == "release_patterns"
                else "Mine the patterns first, with df.seqpriv.mine(min_support).",
            )
        if not isinstance(frame.columns.get_loc(column), int):
            raise refusal(f"several columns are named {column!r}. Rename them.")
    return frame


def read_supports(column: pd.Series) -> NDArray[np.int64]:
    """Check that supports count people, and give them."""
    can_be_null = not isinstance(column.dtype, np.dtype)
    if not pd.api.types.is_integer_dtype(column.dtype) or (can_be_null and column.isna().any()):
        raise wrong_column("support", "ints without nulls", f"it is {column.dtype}")
    if len(column) and int(column.max()) > _HIGHEST:
        raise wrong_column("support", f"at most {_HIGHEST}", "some are higher")
    supports: NDArray[np.int64] = column.to_numpy(np.int64)
    if supports.min(initial=1) < 1:
        low = int((supports < 1).sum())
        raise wrong_column("support", "at least 1", f"{low} rows have less")
    return supports


def _read_cells(cells: list[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_], pd.Index]:
    """Read patterns written as tuples or lists of events, or of sets of events."""
    wrong = set(map(type, cells)) - {tuple, list, np.ndarray}
    if wrong:
        names = ", ".join(sorted(kind.__name__ for kind in wrong))
        raise wrong_column("pattern", "a tuple or list of events in every row", f"it holds {names}")
    _check_dimensions(cells)
    sizes = np.fromiter(map(len, cells), np.int64, len(cells))
    elements = list(chain.from_iterable(cells))
    widths = np.ones(len(elements), np.int64)
    if any(issubclass(kind, _CONTAINERS) for kind in set(map(type, elements))):
        elements = [item if isinstance(item, _CONTAINERS) else (item,) for item in elements]
        _check_dimensions(elements)
        widths = np.fromiter(map(len, elements), np.int64, len(elements))
        elements = list(chain.from_iterable(elements))
    empty = int((sizes == 0).sum()) + int((widths == 0).sum())
    if empty:
        raise wrong_column("pattern", "free of empty patterns and elements", f"{empty} are empty")
    codes, vocabulary = _encode(elements)
    return _join(codes, sizes, widths, vocabulary)


def _check_dimensions(cells: list[Any]) -> None:
    if np.ndarray in set(map(type, cells)) and any(
        isinstance(cell, np.ndarray) and cell.ndim != 1 for cell in cells
    ):
        raise wrong_column(
            "pattern",
            "a tuple or list of events in every row",
            "it holds arrays of other dimensions",
        )


def _encode(events: list[Any]) -> tuple[NDArray[np.int32], pd.Index]:
    kinds = set(map(type, events))
    if not (all(issubclass(kind, str) for kind in kinds) or all(map(_is_int, kinds))):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise wrong_column("pattern", "events that are all text or all ints", f"they are {names}")
    values = np.empty(len(events), object)
    values[:] = events
    try:
        codes, uniques = pd.factorize(values, sort=True)
        return codes.astype(np.int32), pd.Index(uniques)
    except UnicodeEncodeError:
        raise wrong_column("pattern", "text that can be written", "some of it cannot") from None


def _is_int(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and not issubclass(kind, bool)


def _join(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    widths: NDArray[np.int64],
    vocabulary: pd.Index,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_], pd.Index]:
    element = np.repeat(np.arange(len(widths)), widths)
    if len(element) > len(widths):
        codes = codes[np.lexsort((codes, element))]
    joined = np.zeros(len(codes), bool)
    joined[1:] = element[1:] == element[:-1]
    twice = int((joined[1:] & (codes[1:] == codes[:-1])).sum())
    if twice:
        raise refusal(f"an element of a pattern may hold an event once, but {twice} events repeat one.")
    ends = np.concatenate([[0], np.cumsum(widths)])
    offsets = ends[np.concatenate([[0], np.cumsum(sizes)])].astype(np.int64)
    return codes, offsets, joined, vocabulary


def _sort_keys(patterns: PatternArrays) -> NDArray[np.bytes_]:
    """One byte string per pattern, in the order of the patterns as tuples of tuples of codes.

    A pattern comes before what it begins; a further element comes before a larger last one.
    """
    n_events = len(patterns.vocabulary)
    tokens = patterns.codes.astype(np.int64) + 1 + n_events * patterns.joined
    longest = int(patterns.lengths.max(initial=1))
    table = np.zeros((len(patterns), longest), ">u4")
    row = np.repeat(np.arange(len(patterns)), patterns.lengths)
    column = np.arange(len(tokens)) - patterns.offsets[row]
    table[row, column] = tokens
    return table.view(f"S{4 * longest}").ravel()


def _tuples(
    values: NDArray[np.object_], offsets: NDArray[np.int64], chosen: NDArray[np.int64] | None = None
) -> NDArray[np.object_]:
    """Cut values into tuples, all tuples of one length at once."""
    begins, lengths = offsets[:-1], np.diff(offsets)
    if chosen is not None:
        begins, lengths = begins[chosen], lengths[chosen]
    result = np.empty(len(begins), object)
    for length in np.unique(lengths):
        here = np.flatnonzero(lengths == length)
        columns = [values[begins[here] + step].tolist() for step in range(length)]
        result[here] = np.fromiter(zip(*columns, strict=True), object, len(here))
    return result
