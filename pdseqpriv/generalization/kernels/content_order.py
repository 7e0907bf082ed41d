"""Sequences in the lexicographic order of what they hold."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sequences.kernels.lexicographic import shared_with_previous, sort_sequences
from pdseqpriv.sequences.kernels.ordering import sort_inside


@compiled
def order_by_content(symbols: Array, offsets: Array, ranks: Array) -> tuple[Array, Array, Array]:
    """Sort the rows of each sequence by symbol, and sequences by their rows; equal ones by their ranks.

    Returns where each row was, the number of its sequence in the new order, and that order. Symbols are left
    sorted inside each sequence.
    """
    rows, n = np.arange(symbols.size), ranks.size
    sort_inside(rows, offsets, symbols, np.zeros(symbols.size, np.int32), False)
    # A rank stands behind the symbols of its sequence and below all symbols: it only decides between equals.
    ranked, ranked_offsets = np.empty(symbols.size + n, np.int64), offsets + np.arange(n + 1)
    for s in range(n):
        shift = ranked_offsets[s] - offsets[s]
        for row in range(offsets[s], offsets[s + 1]):
            ranked[row + shift] = symbols[row] + n
        ranked[ranked_offsets[s + 1] - 1] = ranks[s]
    order = sort_sequences(ranked, ranked_offsets)
    sorted_rows, owners, free = np.empty_like(rows), np.empty_like(rows), 0
    for i in range(n):
        for row in range(offsets[order[i]], offsets[order[i] + 1]):
            sorted_rows[free], owners[free] = rows[row], i
            free += 1
    return sorted_rows, owners, order


@compiled
def ranks_of_lists(symbols: Array, lengths: Array) -> Array:
    """Number lists of these lengths in lexicographic order; equal ones get the same number."""
    offsets = np.zeros(lengths.size + 1, np.int64)
    for i in range(lengths.size):
        offsets[i + 1] = offsets[i] + lengths[i]
    order = sort_sequences(symbols, offsets)
    shared = shared_with_previous(symbols, offsets, order)
    ranks, rank = np.empty(order.size, np.int64), -1
    for i in range(order.size):
        rank += shared[i] >= 0
        ranks[order[i]] = rank
    return ranks
