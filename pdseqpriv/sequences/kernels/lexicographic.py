"""Sequences as symbols in lexicographic order, which puts equal sequences next to each other.

A symbol is ``2 * code + 1`` when its event begins an element and ``2 * code`` when it joins the element
before it.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

# Below this many sequences an insertion sort beats another partition.
FEW = 8
PAST_END = -1


@compiled
def symbols_of_rows(codes: Array, times: Array, offsets: Array, by_time: bool) -> tuple[Array, Array]:
    """Return the symbols of all sequences and their offsets; marked rows are left out.

    With ``by_time``, rows of a sequence with the same time form an element; otherwise every row is one.
    """
    symbols = np.empty(codes.size, np.int64)
    new_offsets = np.zeros(offsets.size, np.int64)
    size = 0
    for s in range(offsets.size - 1):
        last = -1  # the previous row that is not marked
        for i in range(offsets[s], offsets[s + 1]):
            if codes[i] >= 0:
                begins = last < 0 or not by_time or times[i] != times[last]
                symbols[size] = 2 * np.int64(codes[i]) + begins
                size += 1
                last = i
        new_offsets[s + 1] = size
    return symbols[:size].copy(), new_offsets


@compiled
def count_variants(
    codes: Array, times: Array, offsets: Array, by_time: bool
) -> tuple[Array, Array, Array, Array]:
    """Return the distinct sequences and their counts, as ``distinct_sequences`` does, straight from rows."""
    symbols, new_offsets = symbols_of_rows(codes, times, offsets, by_time)
    ones = np.ones(new_offsets.size - 1, np.int64)
    distinct, distinct_offsets, counts, shared, _ = distinct_sequences(symbols, new_offsets, ones)
    return distinct, distinct_offsets, counts, shared


@compiled
def distinct_sequences(
    symbols: Array, offsets: Array, counts: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Sort the sequences and add up the counts of equal ones.

    Returns symbols, offsets and counts of the distinct sequences, how many leading symbols each shares with
    the one before it, and, for every input sequence, its position among the distinct ones.
    """
    order = sort_sequences(symbols, offsets)
    shared = shared_with_previous(symbols, offsets, order)
    place = np.empty(order.size, np.int64)
    first = np.empty(order.size, np.int64)
    n = 0
    for i in range(order.size):
        if shared[i] >= 0:
            first[n] = order[i]
            shared[n] = shared[i]
            n += 1
        place[order[i]] = n - 1
    totals = np.zeros(n, np.int64)
    for s in range(order.size):
        totals[place[s]] += counts[s]
    new_symbols, new_offsets = take_sequences(symbols, offsets, first[:n])
    return new_symbols, new_offsets, totals, shared[:n].copy(), place


@compiled
def sort_sequences(symbols: Array, offsets: Array) -> Array:
    """Return the positions of the sequences in lexicographic order (three-way radix quicksort).

    Ranges waiting to be sorted are disjoint, so there are never more of them than sequences.
    """
    n = offsets.size - 1
    order = np.arange(n)
    waiting = np.empty((n + 2, 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, n, 0
    left = 1
    while left > 0:
        left -= 1
        low, high, depth = waiting[left, 0], waiting[left, 1], waiting[left, 2]
        if high - low < FEW:
            _sort_few(symbols, offsets, order, low, high, depth)
            continue
        pivot = _pivot(symbols, offsets, order, low, high, depth)
        less, greater = _part(symbols, offsets, order, low, high, depth, pivot)
        left = _push(waiting, left, low, less, depth)
        left = _push(waiting, left, greater, high, depth)
        if pivot != PAST_END:
            left = _push(waiting, left, less, greater, depth + 1)
    return order


@compiled
def shared_with_previous(symbols: Array, offsets: Array, order: Array) -> Array:
    """Return how many leading symbols each sequence shares with the previous one in order; -1 if equal."""
    shared = np.zeros(order.size, np.int64)
    for i in range(1, order.size):
        a, b = offsets[order[i - 1]], offsets[order[i]]
        a_length, b_length = offsets[order[i - 1] + 1] - a, offsets[order[i] + 1] - b
        length = 0
        while length < a_length and length < b_length and symbols[a + length] == symbols[b + length]:
            length += 1
        shared[i] = -1 if length == a_length and length == b_length else length
    return shared


@compiled
def take_sequences(symbols: Array, offsets: Array, chosen: Array) -> tuple[Array, Array]:
    """Return the chosen sequences, one after the other, and their offsets."""
    new_offsets = np.zeros(chosen.size + 1, np.int64)
    for i in range(chosen.size):
        new_offsets[i + 1] = new_offsets[i] + offsets[chosen[i] + 1] - offsets[chosen[i]]
    taken = np.empty(new_offsets[-1], symbols.dtype)
    for i in range(chosen.size):
        shift = offsets[chosen[i]] - new_offsets[i]
        for j in range(new_offsets[i], new_offsets[i + 1]):
            taken[j] = symbols[j + shift]
    return taken, new_offsets


@compiled
def _push(waiting: Array, left: int, low: int, high: int, depth: int) -> int:
    if high - low < 2:
        return left
    waiting[left, 0], waiting[left, 1], waiting[left, 2] = low, high, depth
    return left + 1


@compiled
def _part(
    symbols: Array, offsets: Array, order: Array, low: int, high: int, depth: int, pivot: int
) -> tuple[int, int]:
    """Move what is less than the pivot to the front and what is greater to the back."""
    less, here, greater = low, low, high
    while here < greater:
        symbol = _symbol_at(symbols, offsets, order[here], depth)
        if symbol < pivot:
            order[here], order[less] = order[less], order[here]
            less += 1
            here += 1
        elif symbol > pivot:
            greater -= 1
            order[here], order[greater] = order[greater], order[here]
        else:
            here += 1
    return less, greater


@compiled
def _pivot(symbols: Array, offsets: Array, order: Array, low: int, high: int, depth: int) -> int:
    first = _symbol_at(symbols, offsets, order[low], depth)
    middle = _symbol_at(symbols, offsets, order[(low + high) // 2], depth)
    last = _symbol_at(symbols, offsets, order[high - 1], depth)
    return max(min(first, middle), min(max(first, middle), last))


@compiled
def _sort_few(symbols: Array, offsets: Array, order: Array, low: int, high: int, depth: int) -> None:
    for i in range(low + 1, high):
        moving = order[i]
        j = i
        while j > low and _comes_before(symbols, offsets, moving, order[j - 1], depth):
            order[j] = order[j - 1]
            j -= 1
        order[j] = moving


@compiled
def _comes_before(symbols: Array, offsets: Array, one: int, other: int, depth: int) -> bool:
    """Return whether one sorts before the other, given that they are equal up to depth."""
    while True:
        a = _symbol_at(symbols, offsets, one, depth)
        b = _symbol_at(symbols, offsets, other, depth)
        if a != b or a == PAST_END:
            return a < b
        depth += 1


@compiled
def _symbol_at(symbols: Array, offsets: Array, sequence: int, depth: int) -> int:
    place = offsets[sequence] + depth
    return symbols[place] if place < offsets[sequence + 1] else PAST_END
