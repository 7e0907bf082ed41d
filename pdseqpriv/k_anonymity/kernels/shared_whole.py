"""Which sequences are contained in the sequences of at least k people as they are.

Sequences are in order of their number of elements, the longest first, because none contains a longer one.
Each is compared only with those that have its rarest label and all of its traits.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.bits import place_of_bit
from pdseqpriv.k_anonymity.kernels.different_people import (
    DifferentPeople,
    are_counted,
    begin_count,
    meet,
    on_their_own,
)
from pdseqpriv.k_anonymity.kernels.holders import LabelHolders, size_of
from pdseqpriv.k_anonymity.kernels.traits import (
    NONE,
    Traits,
    forget_labels,
    number_labels,
    rows_of,
    traits_of,
    traits_of_candidates,
)
from pdseqpriv.sequences.kernels.lexicographic import take_sequences

# Words of bits that are looked at before asking whether enough was found.
WORDS = 64
# Places of the pulse: what is done, and whether to stop.
DONE, STOP = 0, 1


@compiled
def are_shared(index: LabelHolders, chosen: Array, pivots: Array, k: int, room: int, pulse: Array) -> Array:
    """Return for each chosen sequence whether at least k people contain it.

    Those with the same pivot come together; ``room`` is in words of bits for the traits of them.
    """
    found = np.zeros(chosen.size, np.bool_)
    whose = on_their_own(index.people)
    number = np.full(index.end.size, NONE, np.int64)
    begin = 0
    while begin < chosen.size and pulse[STOP] == 0:
        stop = begin + 1
        while stop < chosen.size and pivots[stop] == pivots[begin]:
            stop += 1
        some = chosen[begin:stop]
        n_labels = number_labels(index, some, number)
        own, starts = traits_of(index, pivots[begin], some, number, n_labels)
        candidates = index.having[index.starts[pivots[begin]] : index.starts[pivots[begin] + 1]]
        traits = traits_of_candidates(index, pivots[begin], candidates, own, number, n_labels, room)
        # Copied, as they are far apart in a large table.
        texts = take_sequences(index.symbols, index.offsets, candidates)
        _look_up(index, whose, candidates, texts, traits, some, own, starts, k, found[begin:stop], pulse)
        forget_labels(index, some, number)
        begin = stop
    return found


@compiled
def _look_up(
    index: LabelHolders,
    whose: DifferentPeople,
    candidates: Array,
    texts: tuple[Array, Array],
    traits: Traits,
    chosen: Array,
    own: Array,
    starts: Array,
    k: int,
    found: Array,
    pulse: Array,
) -> None:
    """Look sequences up among the candidates; those for which no trait has a row are compared with all."""
    rows = np.empty(own.size, np.int64)
    words = np.empty(WORDS, np.uint64)
    for c in range(chosen.size):
        if pulse[STOP] != 0:
            break
        pulse[DONE] += 1
        s = chosen[c]
        size = size_of(index.symbols, index.offsets, s)
        # Where labels are events, one to an element, no other sequence of the same length contains it.
        longer = index.at_least[size + (1 if index.is_one_by_one else 0)]
        some = candidates[: np.searchsorted(candidates, longer)]
        n = rows_of(traits, own[starts[c] : starts[c + 1]], rows)
        if index.counts[s] >= k or size == 0:
            found[c] = True
        elif n:
            found[c] = _is_shared_in_bits(index, whose, s, some, texts, traits.bits, rows[:n], k, words)
        else:
            found[c] = _is_shared_by_some(index, whose, s, some, texts, k)


@compiled
def _is_shared_by_some(
    index: LabelHolders, whose: DifferentPeople, s: int, candidates: Array, texts: tuple[Array, Array], k: int
) -> bool:
    begin_count(whose)
    people = _count_more(whose, index.counts, s, k)
    symbols, offsets = texts
    own, begin, stop = index.symbols, index.offsets[s], index.offsets[s + 1]
    for place in range(candidates.size):
        other = candidates[place]
        if other != s and _contains(
            symbols, offsets[place], offsets[place + 1], own, begin, stop, index.end, index.is_one_by_one
        ):
            people += _count_more(whose, index.counts, other, k - people)
            if people >= k:
                return True
    return False


@compiled
def _is_shared_in_bits(
    index: LabelHolders,
    whose: DifferentPeople,
    s: int,
    candidates: Array,
    texts: tuple[Array, Array],
    bits: Array,
    rows: Array,
    k: int,
    words: Array,
) -> bool:
    begin_count(whose)
    people = _count_more(whose, index.counts, s, k)
    symbols, offsets = texts
    own, first, last = index.symbols, index.offsets[s], index.offsets[s + 1]
    for begin in range(0, (candidates.size + 63) >> 6, WORDS):
        size = min(WORDS, bits.shape[1] - begin)
        words[:size] = bits[rows[0], begin : begin + size]
        for row in rows[1:]:
            left, line = np.uint64(0), bits[row, begin : begin + size]
            for w in range(size):
                words[w] &= line[w]
                left |= words[w]
            if left == 0:
                break
        for w in range(size):
            word = words[w]
            while word != 0:
                lowest = word & (~word + np.uint64(1))
                place = ((begin + w) << 6) + place_of_bit(lowest)
                word ^= lowest
                if place >= candidates.size:
                    return False
                other = candidates[place]
                # Handing on single arrays: to hand on the whole index for each takes longer than the look.
                if other != s and _contains(
                    symbols,
                    offsets[place],
                    offsets[place + 1],
                    own,
                    first,
                    last,
                    index.end,
                    index.is_one_by_one,
                ):
                    people += _count_more(whose, index.counts, other, k - people)
                    if people >= k:
                        return True
    return False


@compiled
def _count_more(whose: DifferentPeople, counts: Array, s: int, wanted: int) -> int:
    """Count the people of a sequence who are not counted yet, up to as many as are wanted."""
    return meet(whose, s, wanted) if are_counted(whose) else counts[s]


@compiled
def _contains(
    symbols: Array, here: int, stop: int, own: Array, wanted: int, last: int, end: Array, is_one_by_one: bool
) -> bool:
    """Return whether a sequence contains another: in order, an element for each that covers all of it."""
    if is_one_by_one:
        return _contains_events(symbols, here, stop, own, wanted, last)
    while wanted < last:
        after_wanted = wanted + 1
        while after_wanted < last and own[after_wanted] & 1 == 0:
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
                is_covered = is_covered and _has(symbols[here:after], own[i] >> 1, end)
            here = after
        wanted = after_wanted
    return True


@compiled
def _contains_events(symbols: Array, here: int, stop: int, own: Array, wanted: int, last: int) -> bool:
    """The same where every element is an event that covers only itself."""
    while wanted < last and last - wanted <= stop - here:
        wanted += own[wanted] == symbols[here]
        here += 1
    return bool(wanted == last)


@compiled
def _has(element: Array, label: int, end: Array) -> bool:
    """Return whether an element has an event that a label covers."""
    for symbol in element:
        if label <= symbol >> 1 < end[label]:
            return True
    return False
