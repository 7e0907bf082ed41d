"""Where a pattern of labels lies in a sequence, at the earliest and at the latest."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.different_people import DifferentPeople, heads_of

# Whole numbers inside compiled loops.
Whole: TypeAlias = "int | np.int64"
STOP = 1  # of a pulse: not 0 when the work is to end; what is returned then is of no use


class Book(NamedTuple):
    """Distinct sequences, row by row, and the labels that their events may be released as.

    A label covers those from itself up to its ``end``; ``above`` it is the next wider one, or -1. A label
    that is worth 0 is never released.
    """

    codes: Array  # the label of each row: the event itself
    first: Array  # first row of its element
    after: Array  # first row of the next element
    offsets: Array
    counts: Array  # different people per sequence
    people: DifferentPeople
    above: Array
    end: Array
    worth: Array
    has_categories: bool
    is_plain: bool  # without categories, and every element is one event
    n_cells: int  # labels below this are cells: each sequence begins with its own


@compiled
def make_book(
    symbols: Array, offsets: Array, counts: Array, people: DifferentPeople,
    above: Array, end: Array, worth: Array, n_cells: int,
) -> Book:  # fmt: skip
    """Lay the symbols of sequences out as rows."""
    size = symbols.size
    first, after = np.empty(size, np.int32), np.empty(size, np.int32)
    for s in range(counts.size):
        start = offsets[s]
        for i in range(offsets[s], offsets[s + 1]):
            start = i if symbols[i] & 1 else start
            first[i] = start
        following = offsets[s + 1]
        for i in range(offsets[s + 1] - 1, offsets[s] - 1, -1):
            after[i] = following
            following = first[i] if first[i] == i else following
    has_categories = bool((above >= 0).any())
    is_plain = not has_categories and bool((symbols & 1).all())
    codes = (symbols >> 1).astype(np.int32)
    heads = heads_of(people, counts)
    labels = (above, end, worth)
    return Book(codes, first, after, offsets, heads, people, *labels, has_categories, is_plain, n_cells)


@compiled
def says_something(book: Book, pattern: Array) -> bool:
    """Return whether a pattern has an event: a cell alone is not released."""
    return pattern.size > (1 if book.n_cells else 0)


@compiled
def cut_elements(pattern: Array) -> tuple[Array, int]:
    """Return where the elements of a pattern begin, and where the last one ends, and how many they are."""
    cuts = np.empty(pattern.size + 1, np.int64)
    n = 0
    for i in range(pattern.size):
        if pattern[i] & 1:
            cuts[n] = i
            n += 1
    cuts[n] = pattern.size
    return cuts, n


@compiled
def has_label(book: Book, row: int, stop: int, label: int) -> bool:
    """Return whether one of the rows is covered by a label."""
    for i in range(row, stop):
        if label <= book.codes[i] < book.end[label]:
            return True
    return False


@compiled
def holds(book: Book, row: int, element: Array) -> bool:
    """Return whether the element that begins at a row has an event for every label of another."""
    for symbol in element:
        if not has_label(book, row, book.after[row], symbol >> 1):
            return False
    return True


@compiled
def find_element(book: Book, row: int, stop: int, element: Array) -> int:
    """Return where the first element begins, from row on, that holds another; stop for none."""
    while row < stop and not holds(book, row, element):
        row = book.after[row]
    return row


@compiled
def contains(book: Book, s: int, pattern: Array, cuts: Array, n: int) -> bool:
    """Return whether a sequence contains a pattern of n elements."""
    row, stop = book.offsets[s], book.offsets[s + 1]
    for j in range(n):
        row = find_element(book, row, stop, pattern[cuts[j] : cuts[j + 1]])
        if row == stop:
            return False
        row = book.after[row]
    return True


@compiled
def embed(book: Book, s: int, pattern: Array, cuts: Array, n: int, ends: Array, starts: Array) -> None:
    """Find the earliest and the latest places of a pattern in a sequence that contains it.

    ``ends[j]`` is the row after the first j elements at their earliest, ``starts[j]`` the first row of the
    elements from j on at their latest. Whatever lies in between may be released between the two.
    """
    if book.is_plain:
        _embed_plain(book, s, pattern, ends, starts)
        return
    row = book.offsets[s]
    ends[0] = row
    for j in range(n):
        row = book.after[find_element(book, row, book.offsets[s + 1], pattern[cuts[j] : cuts[j + 1]])]
        ends[j + 1] = row
    row = book.offsets[s + 1]
    starts[n] = row
    for j in range(n - 1, -1, -1):
        row = book.first[row - 1]
        while not holds(book, row, pattern[cuts[j] : cuts[j + 1]]):
            row = book.first[row - 1]
        starts[j] = row


@compiled
def _embed_plain(book: Book, s: int, pattern: Array, ends: Array, starts: Array) -> None:
    """Do the same where an element is one event and a label covers itself only."""
    codes, n = book.codes, pattern.size
    row = book.offsets[s]
    ends[0] = row
    for j in range(n):
        label = pattern[j] >> 1
        while codes[row] != label:
            row += 1
        row += 1
        ends[j + 1] = row
    row = book.offsets[s + 1]
    starts[n] = row
    for j in range(n - 1, -1, -1):
        label = pattern[j] >> 1
        row -= 1
        while codes[row] != label:
            row -= 1
        starts[j] = row
