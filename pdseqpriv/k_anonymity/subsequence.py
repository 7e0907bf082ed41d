"""Replace each sequence with a long subsequence of its own that at least k sequences contain."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.errors import refusal
from pdseqpriv.k_anonymity.kernels.common_events import keep_common_events
from pdseqpriv.k_anonymity.kernels.remembered_patterns import END, Search, Text
from pdseqpriv.k_anonymity.kernels.shared_subsequences import walk
from pdseqpriv.progress import progress
from pdseqpriv.sequences.kernels.lexicographic import distinct_sequences
from pdseqpriv.sequences.ragged import Ragged, offsets_of
from pdseqpriv.sequences.variants import Ints, Variants

# States that are followed at once. More keep more: 8.0 of 9.4 events with one, 8.4 with four or eight.
BEAM = 8
# A popular event is in more frequent patterns: an event with a tenth of the support is worth a quarter.
WORTH = 1000
POPULARITY = 0.6
# The time of one walk grows faster than its text, so a large table is walked in blocks. Beside its own block
# a walk looks at the longest sequences of the table, which contain most of what others share. Each of the
# two has so many events, and somewhat more for a large k; of a very long sequence only the first ones count.
EVENTS = 250_000
EVENTS_PER_K = 3_000
COUNTED = 64
# Witnesses remembered at most (8 bytes each), unless a single step needs more.
WITNESSES = 3 << 24
PATTERNS = 1 << 19
# Bytes for the tables of next occurrences.
JUMPS = 1 << 27
# Sequences per compiled call: between calls an interrupt is heard and the bar moves.
CHUNK = 2048
LARGEST = np.iinfo(np.int32).max


def shorten(variants: Variants, k: int, *, strict: bool) -> tuple[Variants, Ints]:
    """Give the subsequences to release, and which of them replaces each variant.

    The empty one replaces a variant of which no event is shared. With ``strict`` the output is shortened
    again until nothing changes: then at least k sequences of the output, too, contain each of its sequences.
    """
    released, target, worth = variants, np.arange(variants.counts.size), None
    while True:
        before = released
        kept = keep_common_events(*before[:3], len(before.vocabulary), k)
        common, place, supports = Variants(*kept[:4], *before[4:]), kept[4], kept[5]
        worth = _worth(supports) if worth is None else worth
        found = distinct_sequences(*_find_shared(common, k, worth, supports), common.counts)
        released, target = Variants(*found[:4], *before[4:]), found[4][place][target]
        if not strict or released.symbols.size == before.symbols.size:
            return released, target


def _worth(supports: Ints) -> Ints:
    popularity = (supports / max(1, supports.max(initial=0))) ** POPULARITY
    worth: Ints = np.maximum(1, np.rint(WORTH * popularity)).astype(np.int64)
    return worth


def _find_shared(common: Variants, k: int, worth: Ints, supports: Ints) -> tuple[Ints, Ints]:
    """Give, as symbols and offsets, the subsequence that is chosen for each variant."""
    n = common.counts.size
    symbols, offsets = np.empty(common.symbols.size, np.int64), np.zeros(n + 1, np.int64)
    with progress(n, "finding shared subsequences") as bar:
        for first, last, block in _blocks(common, EVENTS + EVENTS_PER_K * k):
            text, search = _text(block, worth, supports), _search(block)
            ends = offsets[first : last + 1]
            for begin in range(0, last - first, CHUNK):
                stop = min(begin + CHUNK, last - first)
                walk(text, search, k, block.shared, begin, stop, symbols, ends)
                bar.update(stop - begin)
    return _at_least_one_event(symbols[: offsets[-1]], offsets, common, supports)


def _blocks(variants: Variants, n_events: int) -> Iterator[tuple[int, int, Variants]]:
    """Cut variants, in their order, into equal blocks; each is followed by the longest of the other variants.

    Variants that are not in a block are not counted there, so a support is at least what is counted.
    """
    lengths = np.diff(variants.offsets)
    cost = np.minimum(lengths, COUNTED)
    n, n_blocks = lengths.size, max(1, -(-int(cost.sum()) // n_events))
    if n_blocks == 1:
        yield 0, n, variants
        return
    order = np.argsort(-lengths, kind="stable")
    longest = order[np.cumsum(cost[order]) <= n_events]
    for first, last in pairwise((n * np.arange(n_blocks + 1) // n_blocks).tolist()):
        others = np.sort(longest[(longest < first) | (longest >= last)])
        chosen = np.concatenate((np.arange(first, last), others))
        taken = Ragged(variants.symbols, variants.offsets).take(chosen)
        shared = variants.shared[first:last].copy()
        shared[:1] = 0
        counts = variants.counts[chosen]
        yield first, last, Variants(taken.values, taken.offsets, counts, shared, *variants[4:])


def _at_least_one_event(
    symbols: Ints, offsets: Ints, variants: Variants, supports: Ints
) -> tuple[Ints, Ints]:
    """Give variants that got nothing, because what they share is in other blocks, their most common event."""
    lacking = np.flatnonzero((np.diff(offsets) == 0) & (np.diff(variants.offsets) > 0))
    if not lacking.size:
        return symbols, offsets
    theirs = Ragged(variants.symbols, variants.offsets).take(lacking)
    order = np.lexsort((-supports[theirs.values >> 1], theirs.owners))
    most_common = theirs.values[order[theirs.offsets[:-1]]] | 1
    filled = np.insert(symbols, offsets[lacking], most_common)
    lengths = np.diff(offsets)
    lengths[lacking] = 1
    return filled, offsets_of(lengths)


def _text(block: Variants, worth: Ints, supports: Ints) -> Text:
    """Lay the sequences out with an END row before each and after the last."""
    symbols, offsets, counts = block[:3]
    if symbols.size + offsets.size > LARGEST or counts.sum() > LARGEST:
        raise refusal("the table has more than two thousand million rows. Split it first.")
    codes = np.insert(symbols >> 1, offsets, END).astype(np.int32)
    begins = np.insert(symbols & 1, offsets, 1) == 1
    first_rows = np.flatnonzero(begins)
    element = np.cumsum(begins) - 1
    first = first_rows[element].astype(np.int32)
    after = np.append(first_rows, codes.size)[element + 1].astype(np.int32)
    starts = offsets + np.arange(offsets.size)
    slot, jumps = _room_for_jumps(codes, supports)
    return Text(codes, bool(begins.all()), begins, first, after, starts, counts, worth, slot, jumps)


def _room_for_jumps(codes: NDArray[np.int32], supports: Ints) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Set a table of next occurrences aside for as many of the most common events as there is room for."""
    room = min(supports.size, JUMPS // codes.size)
    common = np.argsort(-supports, kind="stable")[:room]
    slot = np.full(supports.size, -1, np.int32)
    slot[common] = np.arange(common.size)
    return slot, np.zeros((common.size, codes.size), np.uint8)


def _search(block: Variants) -> Search:
    """Set the memory of a walk aside; pages that are never written cost nothing."""
    n, events = block.counts.size, block.symbols.size
    longest = int(np.diff(block.offsets).max(initial=0))
    step = (2 * BEAM + 1) * n + 1
    witnesses = max(step, min(WITNESSES, step + 64 * BEAM * events))
    patterns = max(min(PATTERNS, 4 * BEAM * events), 2 * BEAM * (longest + 2)) + 2 * BEAM
    return Search(
        patterns=np.zeros((patterns, 8), np.int64),
        witnesses=np.empty((witnesses, 2), np.int32),
        children=np.empty((1 << int(4 * patterns - 1).bit_length(), 2), np.int64),
        beam=np.zeros((longest + 1, BEAM), np.int64),
        width=np.zeros(longest + 1, np.int64),
        best=np.zeros((BEAM, 2), np.int64),
        members=np.zeros(longest + 1, np.int64),
        counters=np.zeros(4, np.int64),
    )
