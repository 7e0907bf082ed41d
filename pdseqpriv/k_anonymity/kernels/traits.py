"""What a sequence has before and after its rarest label, and which others have the same.

Whoever contains a sequence has its rarest label, the *pivot*: only these are candidates. Of them, whoever
contains it has each of its labels as often before a pivot, and as often after one, as it has itself: its
*traits*. For each trait there is a row of bits, a bit per candidate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.holders import LabelHolders

# Elements with one label are counted up to this number: hardly any sequence has more in common with another.
MOST = 16
# So few candidates are compared one by one.
FEW = 64
NONE = -1
BEFORE, AFTER = 0, 1


class Traits(NamedTuple):
    """Bits for the traits of some sequences: which candidates have them."""

    rows: Array  # per numbered label, side and count: its row of bits, or none
    sizes: Array  # per row: how many candidates have the trait
    bits: Array


@compiled
def number_labels(index: LabelHolders, chosen: Array, number: Array) -> int:
    """Number the labels that some sequences have."""
    n = 0
    for s in chosen:
        for i in range(index.offsets[s], index.offsets[s + 1]):
            if number[index.symbols[i] >> 1] == NONE:
                number[index.symbols[i] >> 1] = n
                n += 1
    return n


@compiled
def forget_labels(index: LabelHolders, chosen: Array, number: Array) -> None:
    """Take the numbers away again."""
    for s in chosen:
        for i in range(index.offsets[s], index.offsets[s + 1]):
            number[index.symbols[i] >> 1] = NONE


@compiled
def _ends_of(index: LabelHolders, s: int, pivot: int) -> tuple[int, int]:
    """Return the first and the last element of a sequence that has the pivot."""
    first, last, element = NONE, NONE, NONE
    for i in range(index.offsets[s], index.offsets[s + 1]):
        element = i if index.symbols[i] & 1 else element
        if pivot <= index.symbols[i] >> 1 < index.end[pivot]:
            first = element if first == NONE else first
            last = element
    return first, last


@compiled
def traits_of(
    index: LabelHolders, pivot: int, chosen: Array, number: Array, n_labels: int
) -> tuple[Array, Array]:
    """Return the traits of some sequences, for each label the highest count, and where each begins."""
    size = 0
    for s in chosen:
        size += index.offsets[s + 1] - index.offsets[s]
    traits, starts = np.empty(2 * size, np.int64), np.zeros(chosen.size + 1, np.int64)
    often = np.zeros((n_labels, 2), np.int64)
    n = 0
    for c in range(chosen.size):
        begin, stop = index.offsets[chosen[c]], index.offsets[chosen[c] + 1]
        first, last = _ends_of(index, chosen[c], pivot)
        element = begin
        for i in range(begin, stop):  # an element has a label at most once
            element = i if index.symbols[i] & 1 else element
            often[number[index.symbols[i] >> 1], BEFORE] += element < last
            often[number[index.symbols[i] >> 1], AFTER] += element > first
        for i in range(begin, stop):
            label = number[index.symbols[i] >> 1]
            for side in range(2):
                if often[label, side]:
                    traits[n] = (label * 2 + side) * MOST + min(often[label, side], MOST) - 1
                    often[label, side] = 0
                    n += 1
        starts[c + 1] = n
    return traits[:n], starts


@compiled
def traits_of_candidates(
    index: LabelHolders, pivot: int, candidates: Array, own: Array, number: Array, n_labels: int, room: int
) -> Traits:
    """Find which candidates have the traits that are asked for, as far as there is room; if few, of none."""
    n_words = candidates.size // 64 + 1
    most_rows = room // n_words if candidates.size > FEW else 0
    rows = np.full(n_labels * 2 * MOST, NONE, np.int64)
    n_rows = 0
    for trait in own:
        if rows[trait] == NONE and n_rows < most_rows:
            rows[trait] = n_rows
            n_rows += 1
    traits = Traits(rows, np.zeros(n_rows, np.int64), np.zeros((n_rows, n_words), np.uint64))
    if n_rows:
        often, seen = np.zeros((n_labels, 2), np.int64), np.full(n_labels, NONE, np.int64)
        for c in range(candidates.size):
            _set_bits(index, pivot, candidates, c, traits, number, often, seen)
    return traits


@compiled
def _set_bits(
    index: LabelHolders,
    pivot: int,
    candidates: Array,
    c: int,
    traits: Traits,
    number: Array,
    often: Array,
    seen: Array,
) -> None:
    """Set the bits of the traits that a candidate has, by its labels and those above them."""
    begin, stop = index.offsets[candidates[c]], index.offsets[candidates[c] + 1]
    first, last = _ends_of(index, candidates[c], pivot)
    bit = np.uint64(1) << np.uint64(c & 63)
    element = begin
    for i in range(begin, stop):
        element = i if index.symbols[i] & 1 else element
        above = index.symbols[i] >> 1
        while above >= 0:
            label = number[above]
            above = index.above[above]
            if label == NONE or seen[label] == element:
                continue
            if not begin <= seen[label] < stop:
                often[label, BEFORE], often[label, AFTER] = 0, 0
            seen[label] = element
            for side in range(2):
                if often[label, side] < MOST and (element < last if side == BEFORE else element > first):
                    row = traits.rows[(label * 2 + side) * MOST + often[label, side]]
                    often[label, side] += 1
                    if row != NONE:
                        traits.bits[row, c >> 6] |= bit
                        traits.sizes[row] += 1


@compiled
def rows_of(traits: Traits, own: Array, rows: Array) -> int:
    """Write the rows of the traits of a sequence, the rarest first."""
    n = 0
    for trait in own:
        row = traits.rows[trait]
        if row == NONE:
            continue
        place = n
        while place > 0 and traits.sizes[row] < traits.sizes[rows[place - 1]]:
            rows[place] = rows[place - 1]
            place -= 1
        rows[place] = row
        n += 1
    return n
