"""Which sequences are contained in the sequences of at least k people as they are.

Sequences are put in order of length, the longest first, because none contains a longer one. A *trait* is a
label and a number: the sequence has so many elements with that label. Whoever contains a sequence has all of
its traits. So for every trait there is a row of bits, a bit per sequence; rare ones are lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.bits import place_of_bit
from pdseqpriv.k_anonymity.kernels.different_people import (
    People,
    are_counted,
    begin_count,
    heads_of,
    meet,
    on_their_own,
)

# Elements with one label are counted up to this number: hardly any sequence has more in common with another.
MOST = 16
# A trait that fewer than one in so many sequences have is a list.
RARE = 1024
# Words of bits that are looked at before asking whether enough was found.
WORDS = 64
NO_BITS = -1
# Places of the pulse: what is done, and whether to stop.
DONE, STOP = 0, 1


class Index(NamedTuple):
    """Sequences, the longest first, and which of them have each trait."""

    symbols: Array
    offsets: Array
    counts: Array  # different people per sequence
    people: People
    end: Array  # per label: it covers those from itself up to here
    is_plain: bool  # every element is one event
    has_categories: bool  # else every label covers itself only
    sizes: Array  # per trait: how many have it
    line: Array  # per trait its row of bits, or NO_BITS
    bits: Array
    starts: Array  # where the list of each trait starts
    lists: Array


@compiled
def index_sequences(
    symbols: Array, offsets: Array, counts: Array, people: People, above: Array, end: Array, room: int
) -> Index:
    """Index sequences that come in order of length, the longest first; ``room`` is in words of bits."""
    traits, owners = _traits_of(symbols, offsets, above)
    sizes = np.zeros(above.size * MOST, np.int64)
    for trait in traits:
        sizes[trait] += 1
    line, n_lines = _choose_bits(sizes, counts.size, room)
    starts = np.zeros(sizes.size, np.int64)
    total = 0
    for trait in range(sizes.size):
        starts[trait] = total
        total += sizes[trait] if line[trait] == NO_BITS else 0
    bits = np.zeros((n_lines, counts.size // 64 + 1), np.uint64)
    lists = np.empty(total, np.int32)
    free = starts.copy()
    for trait, s in zip(traits, owners):  # noqa: B905 (numba has no strict)
        if line[trait] == NO_BITS:
            lists[free[trait]] = s
            free[trait] += 1
        else:
            bits[line[trait], s >> 6] |= np.uint64(1) << np.uint64(s & 63)
    is_plain, has_categories = bool((symbols & 1).all()), bool((above >= 0).any())
    kinds = (is_plain, has_categories)
    heads = heads_of(people, counts)
    return Index(symbols, offsets, heads, people, end, *kinds, sizes, line, bits, starts, lists)


@compiled
def _traits_of(symbols: Array, offsets: Array, above: Array) -> tuple[Array, Array]:
    """Return every trait of every sequence, sequence by sequence, and whose it is."""
    size = np.int64(0)
    traits, owners = np.empty(symbols.size, np.int32), np.empty(symbols.size, np.int32)
    often, last = np.zeros(above.size, np.int64), np.full(above.size, -1, np.int64)
    for s in range(offsets.size - 1):
        element = offsets[s]
        for i in range(offsets[s], offsets[s + 1]):
            element = i if symbols[i] & 1 else element
            label = symbols[i] >> 1
            while label >= 0 and last[label] != element:
                often[label] = often[label] + 1 if last[label] >= offsets[s] else 1
                last[label] = element
                if often[label] <= MOST:
                    if size == traits.size:
                        traits = np.append(traits, np.empty(size + 1, np.int32))
                        owners = np.append(owners, np.empty(size + 1, np.int32))
                    traits[size], owners[size] = label * MOST + often[label] - 1, s
                    size += 1
                label = above[label]
    return traits[:size], owners[:size]


@compiled
def _choose_bits(sizes: Array, n: int, room: int) -> tuple[Array, int]:
    """Reserve rows of bits for the most common traits, as long as there is room and they are not rare."""
    line = np.full(sizes.size, NO_BITS, np.int64)
    n_lines = 0
    for trait in np.argsort(-sizes):
        if sizes[trait] * RARE <= n or (n_lines + 1) * (n // 64 + 1) > room:
            break
        line[trait] = n_lines
        n_lines += 1
    return line, n_lines


@compiled
def are_shared(index: Index, chosen: Array, k: int, pulse: Array) -> Array:
    """Return for each chosen sequence, the longest first, whether at least k people contain it."""
    found = np.zeros(chosen.size, np.bool_)
    whose = on_their_own(index.people)
    words = np.empty(WORDS, np.uint64)
    often = np.zeros(index.end.size, np.int64)
    lengths = np.diff(index.offsets)
    traits = np.empty(np.diff(index.offsets).max(), np.int64)
    n_candidates = 0
    for c in range(chosen.size):
        s = chosen[c]
        if pulse[STOP] != 0:
            break
        pulse[DONE] += 1
        # Without categories, no other sequence of the same length contains it.
        least = lengths[s] + (0 if index.has_categories else 1)
        while n_candidates < lengths.size and lengths[n_candidates] >= least:
            n_candidates += 1
        n_traits = _own_traits(index, s, often, traits)
        if index.counts[s] >= k or n_traits == 0:
            found[c] = True
        elif index.line[traits[0]] == NO_BITS:
            found[c] = _is_shared_in_list(index, whose, s, traits[0], n_candidates, k)
        else:
            found[c] = _is_shared_in_bits(index, whose, s, traits[:n_traits], n_candidates, k, words)
    return found


@compiled
def _own_traits(index: Index, s: int, often: Array, traits: Array) -> int:
    """Write for each label of a sequence the trait with the highest number, the rarest first."""
    n = 0
    begin, stop = index.offsets[s], index.offsets[s + 1]
    for i in range(begin, stop):  # an element has a label at most once
        often[index.symbols[i] >> 1] += 1
    for i in range(begin, stop):
        label = index.symbols[i] >> 1
        if often[label] > 0:
            traits[n] = label * MOST + min(often[label], MOST) - 1
            often[label] = 0
            n += 1
    rarest = 0
    for t in range(1, n):
        size, least = index.sizes[traits[t]], index.sizes[traits[rarest]]
        if size < least or (size == least and index.line[traits[t]] == NO_BITS):
            rarest = t
    if n:
        traits[0], traits[rarest] = traits[rarest], traits[0]
    return n


@compiled
def _is_shared_in_list(index: Index, whose: People, s: int, trait: int, n_candidates: int, k: int) -> bool:
    begin_count(whose)
    people = _count_more(index, whose, s, k)
    for i in range(index.starts[trait], index.starts[trait] + index.sizes[trait]):
        other = index.lists[i]
        if other >= n_candidates:
            break
        if other != s and _contains(index, other, s):
            people += _count_more(index, whose, other, k - people)
            if people >= k:
                return True
    return False


@compiled
def _is_shared_in_bits(
    index: Index, whose: People, s: int, traits: Array, n_candidates: int, k: int, words: Array
) -> bool:
    begin_count(whose)
    people = _count_more(index, whose, s, k)
    for begin in range(0, (n_candidates + 63) >> 6, WORDS):
        size = min(WORDS, index.bits.shape[1] - begin)
        words[:size] = index.bits[index.line[traits[0]], begin : begin + size]
        for trait in traits[1:]:
            row = index.bits[index.line[trait], begin : begin + size]
            for w in range(size):
                words[w] &= row[w]
        for w in range(size):
            word = words[w]
            while word != 0:
                lowest = word & (~word + np.uint64(1))
                other = ((begin + w) << 6) + place_of_bit(lowest)
                word ^= lowest
                if other != s and _contains(index, other, s):
                    people += _count_more(index, whose, other, k - people)
                    if people >= k:
                        return True
    return False


@compiled
def _count_more(index: Index, whose: People, s: int, wanted: int) -> int:
    """Count the people of a sequence who are not counted yet, up to as many as are wanted."""
    return meet(whose, s, wanted) if are_counted(whose) else index.counts[s]


@compiled
def _contains(index: Index, other: int, s: int) -> bool:
    """Return whether a sequence contains another: in order, an element for each that covers all of it."""
    symbols, end = index.symbols, index.end
    here, stop = index.offsets[other], index.offsets[other + 1]
    wanted, last = index.offsets[s], index.offsets[s + 1]
    if index.is_plain and not index.has_categories:
        while wanted < last and last - wanted <= stop - here:
            wanted += symbols[wanted] == symbols[here]
            here += 1
        return bool(wanted == last)
    while wanted < last:
        after_wanted = wanted + 1
        while after_wanted < last and symbols[after_wanted] & 1 == 0:
            after_wanted += 1
        is_covered = False
        while not is_covered:
            if here == stop:
                return False
            after = here + 1
            while after < stop and symbols[after] & 1 == 0:
                after += 1
            is_covered = True
            for i in range(wanted, after_wanted):
                is_covered = is_covered and _has(symbols[here:after], symbols[i] >> 1, end)
            here = after
        wanted = after_wanted
    return True


@compiled
def _has(element: Array, label: int, end: Array) -> bool:
    """Return whether an element has an event that a label covers."""
    for symbol in element:
        if label <= symbol >> 1 < end[label]:
            return True
    return False
