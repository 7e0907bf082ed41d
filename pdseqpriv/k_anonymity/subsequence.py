"""Replace each sequence by a long subsequence of its own that at least k sequences contain."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.errors import refusal
from pdseqpriv.k_anonymity.distinct import (
    Distinct,
    Ints,
    Lists,
    distinct_of,
    event_supports,
    joined,
    keep_events,
)
from pdseqpriv.k_anonymity.kernels import search_memory as memory
from pdseqpriv.k_anonymity.kernels.shared_subsequences import ANEW, put_children, rank_root, walk
from pdseqpriv.progress import progress

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
CHUNK = 2048
LARGEST = np.iinfo(np.int32).max


def shorten(distinct: Distinct, k: int, n_events: int, *, strict: bool) -> Lists:
    """Give for each sequence the subsequence that is released; empty when no event of it is shared.

    With strict it is repeated on its own output until nothing changes: then at least k sequences of the
    output, too, contain each of its sequences.
    """
    worth = _worth(event_supports(distinct, n_events))
    result = _shorten_once(distinct, k, worth)
    while strict:
        output, place = distinct_of(result, distinct.counts)
        again = _shorten_once(output, k, worth)
        if again.symbols.size == output.lists.symbols.size:
            break
        result = again.take(place)
    return result


def _worth(supports: Ints) -> Ints:
    popularity = (supports / max(1, supports.max(initial=0))) ** POPULARITY
    worth: Ints = np.maximum(1, np.rint(WORTH * popularity)).astype(np.int64)
    return worth


def _shorten_once(distinct: Distinct, k: int, worth: Ints) -> Lists:
    supports = event_supports(distinct, worth.size)
    # An event that fewer than k people have is in no pattern that k people share.
    left = keep_events(distinct.lists, supports[distinct.lists.symbols // 2] >= k)
    reduced, place = distinct_of(left, distinct.counts)
    found = [_walk(text, k, worth, supports) for text in _texts(reduced, EVENTS + EVENTS_PER_K * k)]
    return _at_least_one_event(joined(found), reduced.lists, supports).take(place)


def _texts(distinct: Distinct, n_events: int) -> Iterator[Distinct]:
    """Cut a table, in lexicographic order, into equal blocks; after each the longest of the other sequences.

    Who is not in the text of a block is no witness there, so a support is at least what is counted.
    """
    n, lengths = distinct.counts.size, np.minimum(distinct.lists.lengths, COUNTED)
    order = np.argsort(-distinct.lists.lengths, kind="stable")
    longest = order[np.cumsum(lengths[order]) <= n_events]
    n_blocks = max(1, -(-int(lengths.sum()) // n_events))
    bounds = n * np.arange(n_blocks + 1) // n_blocks
    for begin, end in pairwise(bounds.tolist()):
        others = np.sort(longest[(longest < begin) | (longest >= end)])
        chosen = np.concatenate((np.arange(begin, end), others))
        shared = distinct.shared[begin:end].copy()
        shared[:1] = 0
        yield Distinct(distinct.lists.take(chosen), distinct.counts[chosen], shared)


def _at_least_one_event(found: Lists, lists: Lists, supports: Ints) -> Lists:
    """Give who got nothing, because all who share something are in other texts, the most common event."""
    lacking = np.flatnonzero((found.lengths == 0) & (lists.lengths > 0))
    if not lacking.size:
        return found
    theirs = lists.take(lacking)
    owner = np.repeat(np.arange(lacking.size), theirs.lengths)
    order = np.lexsort((-supports[theirs.symbols // 2], owner))
    most_common = theirs.symbols[order[theirs.offsets[:-1]]] // 2 * 2 + 1
    instead = np.arange(found.lengths.size)
    instead[lacking] = found.lengths.size + np.arange(lacking.size)
    singles = Lists(most_common, np.arange(lacking.size + 1))
    return joined([found, singles]).take(instead)


def _walk(distinct: Distinct, k: int, worth: Ints, supports: Ints) -> Lists:
    """Choose for the sequences of a block, those with an entry in ``shared``."""
    text = _text(distinct, worth, supports)
    search = _search(distinct, BEAM)
    n = distinct.shared.size
    symbols = np.empty(distinct.lists.symbols.size, np.int64)
    ends = np.zeros(n + 1, np.int64)
    memory.plant_root(text, search)
    rank_root(search.patterns, k)
    here, depth = 0, ANEW
    with progress(n, "finding shared subsequences") as bar:
        while here < n:
            begin, stop = here, min(here + CHUNK, n)
            here, depth = walk(text, search, k, distinct.shared, begin, depth, stop, symbols, ends)
            if depth != ANEW:
                _make_room(search, depth)
            bar.update(here - begin)
    return Lists(symbols[: ends[-1]].copy(), ends)


def _make_room(search: memory.Search, depth: int) -> None:
    """Forget what is easily found again; children that are known may fill half of their table."""
    new, is_whole = memory.forget(search, depth)
    known = search.children[search.children[:, memory.KEY] != memory.EMPTY]
    parent, child = known[:, memory.KEY] >> 32, known[:, memory.CHILD]
    stays = is_whole[parent] & ((child == memory.DEAD) | is_whole[child])
    known = known[stays][: search.children.shape[0] // 4]
    parent, child = known[:, memory.KEY] >> 32, known[:, memory.CHILD]
    keys = (new[parent] << 32) | (known[:, memory.KEY] & 0xFFFFFFFF)
    put_children(search.children, keys, np.where(child == memory.DEAD, memory.DEAD, new[child]))
    search.counters[memory.CHILDREN] = keys.size


def _text(distinct: Distinct, worth: Ints, supports: Ints) -> memory.Text:
    symbols, offsets = distinct.lists
    n = distinct.counts.size
    if symbols.size + n + 1 > LARGEST or distinct.counts.sum() > LARGEST:
        raise refusal("the table has more than two thousand million rows. Split it first.")
    starts = offsets + np.arange(n + 1)
    rows = np.arange(symbols.size) + np.repeat(np.arange(1, n + 1), distinct.lists.lengths)
    codes = np.full(symbols.size + n + 1, memory.END, np.int32)
    begins = np.ones(codes.size, bool)
    codes[rows] = symbols // 2
    begins[rows] = symbols % 2 == 1
    first_rows = np.flatnonzero(begins)
    element = np.cumsum(begins) - 1
    first = first_rows[element].astype(np.int32)
    after = np.append(first_rows, codes.size)[element + 1].astype(np.int32)
    slot, jumps = _jumps(codes, first, supports)
    return memory.Text(
        codes, bool(begins.all()), begins, first, after, starts, distinct.counts, worth, slot, jumps
    )


def _jumps(
    codes: NDArray[np.int32], first: NDArray[np.int32], supports: Ints
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Make the table of next occurrences for as many of the most common events as there is room for."""
    room = min(supports.size, JUMPS // codes.size)
    common = np.argsort(-supports, kind="stable")[:room]
    slot = np.full(supports.size, -1, np.int32)
    slot[common] = np.arange(common.size)
    jumps = np.zeros((common.size, codes.size), np.uint8)
    memory.fill_jumps(codes, first, slot, jumps)
    return slot, jumps


def _search(distinct: Distinct, beam: int) -> memory.Search:
    """Set the memory of a walk aside; pages that are never written cost nothing."""
    n, events = distinct.counts.size, distinct.lists.symbols.size
    longest = int(distinct.lists.lengths.max(initial=0))
    step = (2 * beam + 1) * n + 1
    witnesses = max(step, min(WITNESSES, step + 64 * beam * events))
    patterns = max(min(PATTERNS, 4 * beam * events), 2 * beam * (longest + 2)) + 2 * beam
    children = np.empty((1 << int(4 * patterns - 1).bit_length(), 2), np.int64)
    children[:, memory.KEY] = memory.EMPTY
    return memory.Search(
        patterns=np.zeros((patterns, 8), np.int64),
        witnesses=np.empty((witnesses, 2), np.int32),
        children=children,
        beam=np.zeros((longest + 1, beam), np.int64),
        width=np.zeros(longest + 1, np.int64),
        best=np.zeros((beam, 2), np.int64),
        members=np.zeros(longest + 1, np.int64),
        counters=np.zeros(4, np.int64),
    )
