"""Tables of patterns for the operations: from a frame to arrays and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdseqpriv.patterns import table_rules as rules
from pdseqpriv.sequences.kernels.lexicographic import shared_with_previous, sort_sequences
from pdseqpriv.sequences.ragged import offsets_of, owners_of, places_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class PatternArrays:
    """Patterns as flat arrays.

    They are ordered like tuples of tuples: a pattern comes before those that begin with it, and an event in a
    new element before one that joins the last element.

    Attributes
    ----------
    codes : numpy.ndarray of int32
        Events of all patterns, one pattern after the other.
    offsets : numpy.ndarray of int64
        Pattern ``i`` is ``codes[offsets[i]:offsets[i+1]]``.
    joined : numpy.ndarray of bool
        Whether an event is in the same element as the one before it; within an element codes increase.
    supports : numpy.ndarray of int64
        The number of sequences that contain each pattern.
    vocabulary : pandas.Index
        The event of each code, sorted.
    parents : numpy.ndarray of int32, optional
        Each pattern without its last event (-1: nothing left), if a search has already found it.
    written : pair of numpy.ndarray, optional
        If patterns came as tuples: the tuples, and which of them each pattern is.
    """

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    joined: NDArray[np.bool_]
    supports: NDArray[np.int64]
    vocabulary: pd.Index
    parents: NDArray[np.int32] | None = None
    written: tuple[NDArray[np.object_], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.supports)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of events of each pattern."""
        return np.diff(self.offsets)

    def take(self, chosen: NDArray[Any]) -> PatternArrays:
        """Return the chosen patterns."""
        places = places_of(self.offsets, chosen)
        return PatternArrays(
            self.codes[places],
            offsets_of(self.lengths[chosen]),
            self.joined[places],
            self.supports[chosen],
            self.vocabulary,
            written=None if self.written is None else (self.written[0], self.written[1][chosen]),
        )

    def to_tuples(self, chosen: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.object_]:
        """Return the chosen patterns as users write them."""
        if self.written is not None:
            tuples, places = self.written
            return tuples[places[chosen]]
        if not isinstance(chosen, slice):
            # Tuples created in this order are faster to read later.
            return self.take(chosen).to_tuples()
        events = self.vocabulary.to_numpy(dtype=object)[self.codes]
        if not self.joined.any():
            return _tuples(events, self.offsets)
        opens = np.flatnonzero(~self.joined)
        bounds = np.append(opens, len(events))
        elements = events[opens]
        several = np.flatnonzero(np.diff(bounds) > 1)
        elements[several] = _tuples(events, bounds, several)
        return _tuples(elements, np.searchsorted(bounds, self.offsets))


def pattern_frame(patterns: PatternArrays) -> pd.DataFrame:
    """Write the table that users see: the highest support first, then in pattern order."""
    below_highest = patterns.supports.max(initial=0) - patterns.supports
    # Numbers of few bits are sorted digit by digit, which is faster.
    rows = below_highest.astype(np.min_scalar_type(below_highest.max(initial=0))).argsort(kind="stable")
    columns = {
        "pattern": patterns.to_tuples(rows),
        "support": patterns.supports[rows],
        "length": patterns.lengths[rows],
    }
    return pd.DataFrame(columns, copy=False)


def read_pattern_table(frame: Any, parameter: str) -> PatternArrays:  # noqa: ANN401 (of a user)
    """Check a user's pattern table and turn it into arrays, in pattern order."""
    supports, cells = rules.supports_and_patterns(frame, parameter)
    elements, which, offsets = _flatten(cells)
    lists = [item if isinstance(item, rules.CONTAINERS) else (item,) for item in elements]
    if np.ndarray in {*map(type, lists)}:
        rules.check_arrays(lists)
    events, which_event, inside = _flatten(lists)
    widths = np.diff(inside)[which]
    empty = int((offsets[1:] == offsets[:-1]).sum() + (widths == 0).sum())
    if empty:
        raise rules.empty(empty)
    codes, vocabulary = _number(events)
    if inside[-1] == len(lists):
        codes, joined = codes[which_event][which], np.zeros(len(which), bool)
    else:
        codes, joined = _join(codes[which_event][places_of(inside, which)], widths)
        offsets = offsets_of(widths)[offsets]
    order, repeated = sort_patterns(codes, offsets, joined, len(vocabulary))
    if repeated:
        raise rules.repeated_patterns(repeated)
    is_plain = {*map(type, cells)} == {tuple} and {*map(type, elements)} <= {str, int}
    written = (frame["pattern"].to_numpy(), np.arange(len(cells))) if is_plain else None
    return PatternArrays(codes, offsets, joined, supports, vocabulary, written=written).take(order)


def sort_patterns(
    codes: NDArray[np.int32], offsets: NDArray[np.int64], joined: NDArray[np.bool_], n_events: int
) -> tuple[NDArray[np.int64], int]:
    """Return the sorted order of patterns, and how many of them are repeats."""
    tokens = codes + n_events * joined.astype(np.int32)
    order: NDArray[np.int64] = sort_sequences(tokens, offsets)
    return order, int((shared_with_previous(tokens, offsets, order) < 0).sum())


def _flatten(lists: list[Any]) -> tuple[NDArray[np.object_], NDArray[np.intp], NDArray[np.int64]]:
    """Return the distinct items of lists, which of them each item is, and the offsets of the lists.

    Items are distinguished by address: a search writes an event as the same object wherever it occurs, and
    addresses are faster to compare than text.
    """
    offsets = offsets_of(np.fromiter(map(len, lists), np.int64, len(lists)))
    items = np.fromiter(chain.from_iterable(lists), object, offsets[-1])
    which, addresses = pd.factorize(np.ndarray(items.shape, np.uintp, buffer=items))
    places = np.empty(len(addresses), np.intp)
    places[which] = np.arange(len(which))
    return items[places], which, offsets


def _number(events: NDArray[np.object_]) -> tuple[NDArray[np.int32], pd.Index]:
    """Return the code of each event, and the event of each code."""
    rules.check_events({*map(type, events)})
    try:
        codes, distinct = pd.factorize(events, sort=True)
        return codes.astype(np.int32), pd.Index(distinct)
    except UnicodeEncodeError:
        raise rules.not_text() from None


def _join(codes: NDArray[np.int32], widths: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Sort the codes of each element, and return which are in the same element as the one before."""
    element = owners_of(offsets_of(widths))
    codes = codes[np.lexsort((codes, element))]
    joined = np.append(False, element[1:] == element[:-1])[: len(codes)]
    repeated = int((joined[1:] & (codes[1:] == codes[:-1])).sum())
    if repeated:
        raise rules.repeated_events(repeated)
    return codes, joined


def _tuples(
    values: NDArray[np.object_], offsets: NDArray[np.int64], chosen: NDArray[np.int64] | None = None
) -> NDArray[np.object_]:
    """Split values into tuples, all tuples of one length at once."""
    begins, lengths = offsets[:-1], np.diff(offsets)
    if chosen is not None:
        begins, lengths = begins[chosen], lengths[chosen]
    result = np.empty(len(begins), object)
    for length in np.unique(lengths):
        here = np.flatnonzero(lengths == length)
        columns = [values[begins[here] + step].tolist() for step in range(length)]
        result[here] = np.fromiter(zip(*columns, strict=True), object, len(here))
    return result
