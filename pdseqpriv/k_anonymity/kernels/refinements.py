"""How a pattern that all members of a class contain can say more, and how many of them go along with it.

A refinement puts a label into a gap between two elements, adds one to an element, or puts a narrower label
in the place of one. It is known by a number: ``place * KINDS + kind`` in the upper half, the label in the
lower one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.element_matching import STOP, Book, Whole, cut_elements, embed, holds

KINDS = 3
# A new element before element `place`; one more label in element `place`; a narrower label for row `place`.
NEW_ELEMENT, ADDED_LABEL, NARROWER_LABEL = range(KINDS)
LABEL = 0xFFFFFFFF
# So many gaps are tried for one event: in a long pattern, each event would fit into most of them.
REACH = 8
EMPTY = -1
# Columns of the table: LAST is the member that was counted last, OFTEN counts rows, CHOICE is its number.
KEY, PEOPLE, LAST, OFTEN, CHOICE = range(5)
# Sizes of the table: at least, and to begin with at most.
FEW, MANY = 1 << 8, 1 << 16
SPREAD = np.int64(-7046029254386353131)


class Counter(NamedTuple):
    """Refinements that were met, and how many people go along with each.

    Where all that there can be are few, they lie in the table side by side; else it is a hash table.
    """

    table: Array
    used: Array  # places of the table that are in use
    n_used: Array  # how many
    mask: int  # size of the table less one
    width: int  # labels at each place of a pattern; 0 in a hash table
    ends: Array
    starts: Array


@compiled
def make_counter(book: Book, members: Array) -> Counter:
    """Set room aside for refinements of a pattern that some of these members contain."""
    longest = 0
    for s in members:
        longest = max(longest, book.offsets[s + 1] - book.offsets[s])
    table, used = np.full((FEW, 5), EMPTY, np.int64), np.empty(FEW, np.int64)
    bounds = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int64)
    return Counter(table, used, np.zeros(1, np.int64), FEW - 1, 0, *bounds)


@compiled
def count_refinements(book: Book, members: Array, pattern: Array, counter: Counter, pulse: Array) -> Counter:
    """Count for every refinement the people who go along; returns the counter, which may have had to grow."""
    cuts, n = cut_elements(pattern)
    no_bits = np.zeros(1, np.uint64)
    every = (pattern.size + 1) * KINDS * book.end.size
    size = FEW
    while size <= min(every, MANY):
        size *= 2
    while True:
        counter = _emptied(counter, size, book.end.size if every < size else 0)
        x = 0
        while pulse[STOP] == 0 and x < members.size and (counter.width or 2 * counter.n_used[0] < size):
            _meet_all(book, members[x], pattern, cuts, n, counter, np.int64(x), no_bits)
            x += 1
        if pulse[STOP] != 0 or (x == members.size and counter.n_used[0] < counter.mask):
            return counter
        size *= 4


@compiled
def note_choices(book: Book, members: Array, pattern: Array, counter: Counter, pulse: Array) -> Array:
    """Return for every member, as bits, the choices that it goes along with."""
    cuts, n = cut_elements(pattern)
    bits = np.zeros(members.size, np.uint64)
    for x in range(members.size):
        if pulse[STOP] != 0:
            break
        _meet_all(book, members[x], pattern, cuts, n, counter, np.int64(EMPTY), bits[x : x + 1])
    return bits


@compiled
def _emptied(counter: Counter, size: int, width: int) -> Counter:
    """Forget all refinements, and make room for a table of some size, which is a power of two."""
    table, used = counter.table, counter.used
    for i in range(counter.n_used[0]):
        table[used[i], KEY] = EMPTY
    counter.n_used[0] = 0
    if size > table.shape[0]:
        table, used = np.full((size, 5), EMPTY, np.int64), np.empty(size, np.int64)
    return Counter(table, used, counter.n_used, size - 1, width, counter.ends, counter.starts)


@compiled
def _meet_all(
    book: Book, s: int, pattern: Array, cuts: Array, n: int, counter: Counter, member: Whole, bits: Array
) -> None:
    """Count a member for each refinement that it goes along with; without a number, note its choices."""
    ends, starts = counter.ends, counter.starts
    embed(book, s, pattern, cuts, n, ends, starts)
    people = book.counts[s]
    for j in range(n + 1):
        far = book.offsets[s + 1] if j + REACH > n else ends[j + REACH]
        # Before an equal element it would be the same as behind it.
        same = pattern[cuts[j]] >> 1 if j < n and cuts[j + 1] - cuts[j] == 1 else EMPTY
        for row in range(ends[j], min(starts[j], far)):
            label = np.int64(book.codes[row])
            while label != EMPTY and book.worth[label] > 0:
                if label != same:
                    _meet(counter, ((KINDS * j + NEW_ELEMENT) << 32) | label, people, member, bits)
                label = book.above[label]
        if j < n and not book.is_plain:
            row = ends[j]
            while row < min(starts[j + 1], far):
                # An element with one event, of a table without categories, has nothing to add.
                if book.has_categories or book.after[row] - row > 1:
                    _meet_in_element(
                        book, row, pattern, cuts[j], cuts[j + 1], j, counter, people, member, bits
                    )
                row = book.after[row]


@compiled
def _meet_in_element(
    book: Book, row: int, pattern: Array, first: int, last: int, j: int,
    counter: Counter, people: int, member: Whole, bits: Array,
) -> None:  # fmt: skip
    """Count refinements of a pattern's element, pattern[first:last], that lie in the element at a row."""
    if not holds(book, row, pattern[first:last]):
        return
    for there in range(row, book.after[row]):
        label = np.int64(book.codes[there])
        while label != EMPTY and book.worth[label] > 0:
            related = _find_related(book, pattern, first, last, label)
            if related == EMPTY:
                _meet(counter, ((KINDS * j + ADDED_LABEL) << 32) | label, people, member, bits)
            elif pattern[related] >> 1 < label:  # wider ones have smaller numbers
                _meet(counter, ((KINDS * related + NARROWER_LABEL) << 32) | label, people, member, bits)
            label = book.above[label]


@compiled
def _find_related(book: Book, pattern: Array, first: int, last: int, label: Whole) -> int:
    """Return the place of an element's label that covers this one or is covered by it; EMPTY for none."""
    for i in range(first, last):
        other = pattern[i] >> 1
        if other <= label < book.end[other] or label <= other < book.end[label]:
            return i
    return EMPTY


@compiled
def _meet(counter: Counter, key: Whole, people: int, member: Whole, bits: Array) -> None:
    table = counter.table
    place: Whole
    if counter.width:
        place = (key >> 32) * counter.width + (key & LABEL)
    else:
        place = ((key * SPREAD) >> np.int64(24)) & counter.mask
        while table[place, KEY] != key and table[place, KEY] != EMPTY:
            place = (place + 1) & counter.mask
    line = table[place]
    if member == EMPTY:
        if line[CHOICE] != EMPTY:
            bits[0] |= np.uint64(1) << np.uint64(line[CHOICE])
        return
    if line[KEY] == EMPTY:
        if counter.n_used[0] == counter.mask:  # full: all is counted again, with more room
            return
        line[KEY], line[PEOPLE], line[LAST], line[OFTEN], line[CHOICE] = key, 0, EMPTY, 0, EMPTY
        counter.used[counter.n_used[0]] = place
        counter.n_used[0] += 1
    if line[LAST] != member:
        line[LAST] = member
        line[PEOPLE] += people
    line[OFTEN] += 1


@compiled
def gain_of(book: Book, pattern: Array, key: Whole) -> Whole:
    """Return how much more a pattern says of each person with a refinement."""
    kind, place, label = (key >> 32) % KINDS, (key >> 32) // KINDS, key & LABEL
    before = book.worth[pattern[place] >> 1] if kind == NARROWER_LABEL else 0
    return np.int64(book.worth[label] - before)


@compiled
def refine(pattern: Array, keys: Array) -> Array:
    """Carry refinements out, at most one of each kind at a place of the pattern."""
    cuts, n = cut_elements(pattern)
    chosen = np.full((pattern.size + 1, KINDS), EMPTY, np.int64)
    for key in keys:
        chosen[(key >> 32) // KINDS, (key >> 32) % KINDS] = key & LABEL
    new = np.empty(pattern.size + keys.size, np.int64)
    size = 0
    for j in range(n + 1):
        if chosen[j, NEW_ELEMENT] != EMPTY:
            new[size] = 2 * chosen[j, NEW_ELEMENT] + 1
            size += 1
        if j < n:
            begin = size
            for i in range(cuts[j], cuts[j + 1]):
                label = chosen[i, NARROWER_LABEL]
                new[size] = pattern[i] if label == EMPTY else 2 * label
                size += 1
            if chosen[j, ADDED_LABEL] != EMPTY:
                new[size] = 2 * chosen[j, ADDED_LABEL]
                size += 1
            _sort_element(new[begin:size])
    return new[:size].copy()


@compiled
def _sort_element(symbols: Array) -> None:
    """Bring the labels of an element into their order; the first one begins it."""
    for i in range(symbols.size):
        label, place = symbols[i] >> 1, i
        while place > 0 and symbols[place - 1] >> 1 > label:
            symbols[place] = symbols[place - 1]
            place -= 1
        symbols[place] = 2 * label
    for i in range(symbols.size):
        symbols[i] = 2 * (symbols[i] >> 1) + (i == 0)
