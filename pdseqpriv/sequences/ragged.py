"""Lists of different lengths, stored one after the other: the form of sequences, patterns and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdseqpriv.sequences.kernels.ordering import places_of_lists

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def offsets_of(lengths: ArrayLike) -> Ints:
    """Return where lists of these lengths begin, followed by the end of the last one.

    Examples
    --------
    >>> offsets_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    sizes = np.asarray(lengths, np.int64)
    offsets = np.zeros(sizes.size + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def owners_of(offsets: Ints) -> Ints:
    """Return, for every value, the number of its list.

    Examples
    --------
    >>> owners_of(offsets_of([2, 0, 3])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(offsets.size - 1), np.diff(offsets))


def places_of(offsets: Ints, chosen: NDArray[Any]) -> Ints:
    """Return the positions of the values of the chosen lists, list by list; a list may be chosen repeatedly.

    Examples
    --------
    >>> places_of(offsets_of([2, 0, 3]), np.array([2, 0])).tolist()
    [2, 3, 4, 0, 1]
    """
    places: Ints = places_of_lists(offsets, chosen.astype(np.int64, copy=False))
    return places


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return each number once, in ascending order.

    np.unique does the same with a hash table, which takes fifteen times as long for millions of numbers
    that differ (numpy 2.4.6, 2026-11-17).

    Examples
    --------
    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(numbers)
    is_first = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def count_different(groups: Ints, numbers: Ints, n: int) -> Ints:
    """Count the different numbers, such as people, in each of n groups.

    Examples
    --------
    >>> count_different(np.array([0, 0, 2, 2]), np.array([5, 5, 5, 7]), 3).tolist()
    [1, 0, 2]
    """
    size = numbers.max(initial=0) + 1
    return np.bincount(distinct(groups * size + numbers) // size, minlength=n)


@dataclass(frozen=True)
class Ragged:
    """List ``i`` is ``values[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> lists = Ragged.of(np.array([7, 8, 9]), [2, 1])
    >>> len(lists), lists.owners.tolist(), lists.take(np.array([1, 1])).values.tolist()
    (2, [0, 0, 1], [9, 9])
    """

    values: NDArray[Any]
    offsets: Ints

    @classmethod
    def of(cls, values: NDArray[Any], lengths: ArrayLike) -> Self:
        """Split values into lists of these lengths."""
        return cls(values, offsets_of(lengths))

    @classmethod
    def concat(cls, parts: Sequence[Ragged]) -> Self:
        """Put the lists of several parts one after the other."""
        lengths = np.concatenate([part.lengths for part in parts])
        return cls.of(np.concatenate([part.values for part in parts]), lengths)

    def __len__(self) -> int:
        return self.offsets.size - 1

    @property
    def lengths(self) -> Ints:
        """How many values each list has."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Ints:
        """For every value, the number of its list."""
        return owners_of(self.offsets)

    def take(self, chosen: NDArray[Any]) -> Self:
        """Return the chosen lists, which may repeat."""
        lengths = self.lengths[chosen]
        return type(self).of(self.values[places_of(self.offsets, chosen)], lengths)

    def differs_from(self, others: Ragged) -> Flags:
        """Return which lists differ from their counterparts.

        Examples
        --------
        >>> lists = Ragged.of(np.array([7, 8, 9]), [2, 1])
        >>> lists.differs_from(Ragged.of(np.array([7, 8, 8]), [2, 1])).tolist()
        [False, True]
        """
        differ: Flags = self.lengths != others.lengths
        same = np.flatnonzero(~differ)
        left = self.values[np.repeat(~differ, self.lengths)]
        found = np.flatnonzero(left != others.values[np.repeat(~differ, others.lengths)])
        ends = np.cumsum(self.lengths[same])
        differ[same[np.searchsorted(ends, found, side="right")]] = True
        return differ

    def replaced(self, which: Flags, others: Ragged) -> Self:
        """Return the lists, some of them replaced with their counterparts.

        Examples
        --------
        >>> lists = Ragged.of(np.array([7, 8, 9]), [2, 1])
        >>> lists.replaced(np.array([True, False]), Ragged.of(np.array([5, 6]), [1, 1])).values.tolist()
        [5, 9]
        """
        lengths = np.where(which, others.lengths, self.lengths)
        values, is_other = np.empty(lengths.sum(), self.values.dtype), np.repeat(which, lengths)
        values[is_other] = others.values[np.repeat(which, others.lengths)]
        values[~is_other] = self.values[np.repeat(~which, self.lengths)]
        return type(self).of(values, lengths)

    @property
    def bound(self) -> int:
        """One more than the largest value, where values are numbers from 0 on."""
        return int(self.values.max(initial=-1)) + 1

    def plus(self, number: int) -> Self:
        """Return the same lists with a number added to every value."""
        return type(self)(self.values + number, self.offsets)

    def together(self, group: Ints, n: int) -> Self:
        """Return the different values of n groups of lists, given the group of each list.

        Examples
        --------
        >>> lists = Ragged.of(np.array([7, 8, 8, 9]), [2, 1, 1]).together(np.array([1, 1, 0]), 2)
        >>> lists.values.tolist(), lists.lengths.tolist()
        ([9, 7, 8], [1, 2])
        """
        size = max(1, self.bound)
        pairs = distinct(group[self.owners] * size + self.values)
        return type(self).of(pairs % size, np.bincount(pairs // size, minlength=n))
