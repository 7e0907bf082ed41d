"""Sequences as symbols in lexicographic order, which puts equal sequences next to each other.

A symbol is ``2 * code + 1`` when its event begins an element and ``2 * code`` when it joins the element
before it.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

# Below this many sequences an insertion sort beats another partition.
FEW = 8
# What stands in a key where a sequence has ended; symbols are written one higher.
PAST_END = np.uint64(0)


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

    Symbols are compared many at once: the next ones of each sequence are its key, a single number, so that
    most comparisons do not have to look for them all over memory. Ranges waiting to be sorted are disjoint,
    so there are never more of them than sequences.
    """
    n, bits = offsets.size - 1, _bits_of_a_symbol(symbols)
    per_key, last = 64 // bits, (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    order, keys = np.arange(n), np.empty(n, np.uint64)
    _write_keys(symbols, offsets, order, keys, 0, n, 0, bits)
    waiting = np.empty((n + 2, 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, n, 0
    left = 1
    while left > 0:
        left -= 1
        low, high, depth = waiting[left, 0], waiting[left, 1], waiting[left, 2]
        if high - low < FEW:
            _sort_few(symbols, offsets, order, keys, low, high, depth + per_key)
            continue
        pivot = _pivot(keys, low, high)
        less, greater = _part(order, keys, low, high, pivot)
        left = _push(waiting, left, low, less, depth)
        left = _push(waiting, left, greater, high, depth)
        if pivot & last != PAST_END and greater - less > 1:
            _write_keys(symbols, offsets, order, keys, less, greater, depth + per_key, bits)
            left = _push(waiting, left, less, greater, depth + per_key)
    return order


@compiled
def _bits_of_a_symbol(symbols: Array) -> int:
    """Return how many bits tell all symbols apart, and the end of a sequence from them."""
    most = np.uint64(0)
    for i in range(symbols.size):
        most = max(most, np.uint64(symbols[i]) + np.uint64(1))
    bits = 1
    while bits < 63 and most >> np.uint64(bits):
        bits += 1
    return bits


@compiled
def _write_keys(
    symbols: Array, offsets: Array, order: Array, keys: Array, low: int, high: int, depth: int, bits: int
) -> None:
    """Write the next symbols of sequences as one number each, so that numbers compare as symbols do."""
    for i in range(low, high):
        start, end = offsets[order[i]] + depth, offsets[order[i] + 1]
        key = np.uint64(0)
        for place in range(start, start + 64 // bits):
            here = np.uint64(symbols[place]) + np.uint64(1) if place < end else PAST_END
            key = (key << np.uint64(bits)) | here
        keys[i] = key


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
def _part(order: Array, keys: Array, low: int, high: int, pivot: int) -> tuple[int, int]:
    """Move what is less than the pivot to the front and what is greater to the back."""
    less, here, greater = low, low, high
    while here < greater:
        key = keys[here]
        if key < pivot:
            order[here], order[less] = order[less], order[here]
            keys[here], keys[less] = keys[less], key
            less += 1
            here += 1
        elif key > pivot:
            greater -= 1
            order[here], order[greater] = order[greater], order[here]
            keys[here], keys[greater] = keys[greater], key
        else:
            here += 1
    return less, greater


@compiled
def _pivot(keys: Array, low: int, high: int) -> int:
    first, middle, last = keys[low], keys[(low + high) // 2], keys[high - 1]
    pivot: int = max(min(first, middle), min(max(first, middle), last))
    return pivot


@compiled
def _sort_few(
    symbols: Array, offsets: Array, order: Array, keys: Array, low: int, high: int, depth: int
) -> None:
    """Sort by keys, and where they are equal by the symbols from this depth on."""
    for i in range(low + 1, high):
        moving, key = order[i], keys[i]
        j = i
        while j > low and (
            key < keys[j - 1]
            or (key == keys[j - 1] and _comes_before(symbols, offsets, moving, order[j - 1], depth))
        ):
            order[j], keys[j] = order[j - 1], keys[j - 1]
            j -= 1
        order[j], keys[j] = moving, key


@compiled
def _comes_before(symbols: Array, offsets: Array, one: int, other: int, depth: int) -> bool:
    """Return whether one sorts before the other, given that they are equal up to depth."""
    a, a_end = offsets[one] + depth, offsets[one + 1]
    b, b_end = offsets[other] + depth, offsets[other + 1]
    while a < a_end and b < b_end and symbols[a] == symbols[b]:
        a += 1
        b += 1
    if a >= a_end or b >= b_end:
        return bool(b < b_end)
    return bool(symbols[a] < symbols[b])
