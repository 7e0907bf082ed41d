"""Walks that choose a subsequence for every sequence of a block, and the memory that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.errors import refusal
from pdseqpriv.k_anonymity.kernels.different_people import NO_PEOPLE
from pdseqpriv.k_anonymity.kernels.remembered_patterns import END, FAR, LAST_BIT, NO_LINE, PatternMemory, Text
from pdseqpriv.k_anonymity.kernels.shared_subsequences import walk
from pdseqpriv.k_anonymity.rare_events import different_people_of
from pdseqpriv.progress import Bar, Pulse, progress
from pdseqpriv.sequences.ragged import Ints, Ragged
from pdseqpriv.sequences.variants import Variants
from pdseqpriv.taxonomy.labels import depths_of
from pdseqpriv.threads import number_of_threads

# States that are followed at once. More keep more: 8.0 of 9.4 events with one, 8.4 with four or eight. With
# categories there is more to choose from.
BEAM = 8
BEAM_WITH_CATEGORIES = 16
# The time of a walk grows faster than its text, so a block has so many events, and somewhat more for a large
# k; of a very long sequence only the first ones count. Beside its own block a walk looks at the longest
# sequences of the table, which contain most of what others share, with so many times as many events.
EVENTS = 250_000
EVENTS_PER_K = 3_000
COUNTED = 64
LONGEST = 1.5
# Witnesses that all walks at work remember together (8 bytes each), unless a single step needs more.
WITNESSES = 3 << 25
PATTERNS = 1 << 19
# Bytes for the tables of places.
PLACES = 1 << 27
# Bytes for a pattern, with its children, and for an event of a block while it is laid out.
PATTERN_BYTES, TEXT_BYTES = 128, 60
LARGEST = np.iinfo(np.int32).max


# Who works on independent pieces: the cores of this machine, or workers elsewhere.
Spread: TypeAlias = Callable[[Callable[..., Any], Sequence[Any], Bar], list[Any]]


class Block(NamedTuple):
    """Sequences of a table, of which the first n are walked; the others are only looked at."""

    n: int
    variants: Variants


class Values(NamedTuple):
    """What a walk knows of each label: what is above it and below, what it is worth, and how many have it."""

    above: Ints
    end: Ints
    worth: Ints
    supports: Ints


class Largest(NamedTuple):
    """What is enough for any block: sequences, events, and events of a single sequence."""

    n: int
    events: int
    longest: int


@dataclass(frozen=True)
class Blocks(Sequence[Block]):
    """Equal blocks of a table, in its order; each is followed by the longest sequences of the others.

    Variants that are not in a block are not counted there, so a support is at least what is counted. A block
    is made when it is asked for: all together would take several times the memory of the table.
    """

    variants: Variants
    bounds: Ints
    longest: Ints

    def __len__(self) -> int:
        return self.bounds.size - 1

    @overload
    def __getitem__(self, number: int) -> Block: ...
    @overload
    def __getitem__(self, number: slice) -> list[Block]: ...
    def __getitem__(self, number: int | slice) -> Block | list[Block]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        return _block(self.variants, int(self.bounds[number]), int(self.bounds[number + 1]), self.longest)


def cut_into_blocks(variants: Variants, k: int) -> tuple[Sequence[Block], Largest]:
    """Cut variants into blocks of about as many events."""
    n_events = EVENTS + EVENTS_PER_K * k
    lengths = np.diff(variants.offsets)
    cost = np.minimum(lengths, COUNTED)
    n, n_blocks = lengths.size, max(1, -(-int(cost.sum()) // n_events))
    most = int(lengths.max(initial=0))
    if n_blocks == 1:
        return [Block(n, variants)], Largest(n, variants.symbols.size, most)
    n_blocks += n_blocks % 2  # two cores have the same to do
    order = np.argsort(-lengths, kind="stable")
    longest = order[np.cumsum(cost[order]) <= LONGEST * n_events]
    bounds = n * np.arange(n_blocks + 1) // n_blocks
    events = np.diff(variants.offsets[bounds]).max() + lengths[longest].sum()
    largest = Largest(int(np.diff(bounds).max()) + longest.size, int(events), most)
    return Blocks(variants, bounds, longest), largest


def _block(variants: Variants, first: int, last: int, longest: Ints) -> Block:
    others = np.sort(longest[(longest < first) | (longest >= last)])
    chosen = np.concatenate((np.arange(first, last), others))
    taken = variants.lists.take(chosen)
    shared = variants.shared[first:last].copy()
    shared[:1] = 0
    arrays = (taken.values, taken.offsets, variants.counts[chosen], shared)
    people = None if variants.people is None else variants.people.take(chosen)
    return Block(last - first, Variants(*arrays, variants.vocabulary, variants.event_dtype, people))


def most_bytes_of_walks(k: int) -> int:
    """Return how much memory walks may take beside the table, however large it is."""
    events = int((1 + LONGEST) * (EVENTS + EVENTS_PER_K * k))
    each = PLACES + PATTERN_BYTES * PATTERNS + TEXT_BYTES * events
    return 8 * WITNESSES + number_of_threads() * each


def walk_in_blocks(variants: Variants, k: int, values: Values, spread: Spread) -> list[Ragged]:
    """Return the symbols that are chosen for each variant, block by block."""
    blocks, largest = cut_into_blocks(variants, k)
    at_once = 1 if len(blocks) == 1 else min(number_of_threads(), len(blocks))
    memory = SearchMemory(largest, WITNESSES // at_once)
    with progress(variants.counts.size, "finding shared subsequences") as bar:
        return spread(partial(_walk_block, k=k, values=values, memory=memory), blocks, bar)


def _walk_block(block: Block, pulse: Pulse, *, k: int, values: Values, memory: SearchMemory) -> Ragged:
    symbols = np.empty(block.variants.offsets[block.n], np.int64)
    offsets = np.zeros(block.n + 1, np.int64)
    with memory.borrowed(1 + int(depths_of(values.above).max(initial=0))) as search:
        walk(_text(block.variants, values), search, k, block.variants.shared, symbols, offsets, pulse)
    return Ragged(symbols[: offsets[-1]].copy(), offsets)


def _text(block: Variants, values: Values) -> Text:
    """Lay the sequences out with an END row before each and after the last."""
    symbols, offsets, counts = block[:3]
    if symbols.size + offsets.size > LARGEST or counts.sum() > LARGEST:
        raise refusal("the table has more than 2 billion rows. Split it first.")
    codes = np.insert(symbols >> 1, offsets, END).astype(np.int32)
    begins = np.insert(symbols & 1, offsets, 1) == 1
    first_rows = np.flatnonzero(begins)
    element = np.cumsum(begins) - 1
    first = first_rows[element].astype(np.int32)
    after = np.append(first_rows, codes.size)[element + 1].astype(np.int32)
    starts = offsets + np.arange(offsets.size)
    above, end, worth, supports = values
    people, whose = counts.astype(np.int32), NO_PEOPLE
    if block.people is not None:
        people, whose = block.people.lengths.astype(np.int32), different_people_of(block.people)
    known = _room_for_places(counts.size, supports)
    return Text(
        codes, bool(begins.all()), begins, first, after, starts, people, whose, above, end, worth, *known
    )


def _room_for_places(
    n: int, supports: Ints
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint64]]:
    """Set tables of places aside for as many of the most common labels as there is room for."""
    common = np.argsort(-supports, kind="stable")[: PLACES // (9 * n + 1)]
    line = np.full(supports.size, NO_LINE, np.int32)
    line[common] = np.arange(1, common.size + 1)
    latest = np.zeros((common.size + 1, n), np.uint8)
    places = np.zeros((common.size + 1, n), np.uint64)
    latest[NO_LINE], places[NO_LINE] = FAR, 1 << LAST_BIT
    return line, latest, places


class SearchMemory:
    """Memory for walks, used again by the next block: a fifth of the time would go into clearing new one.

    Where a walk is sent to, it finds none and begins with its own.
    """

    def __init__(self, largest: Largest, room: int) -> None:
        self._largest, self._room = largest, room
        self._idle: SimpleQueue[PatternMemory] = SimpleQueue()

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchMemory, (self._largest, self._room)

    @contextmanager
    def borrowed(self, tries: int) -> Iterator[PatternMemory]:
        """Lend memory for one walk that tries so many labels for an event."""
        try:
            search = self._idle.get_nowait()
        except Empty:  # the first block of a thread
            search = _search(self._largest, self._room, tries)
        try:
            yield search
        finally:
            self._idle.put(search)


def _search(largest: Largest, room: int, tries: int) -> PatternMemory:
    """Set memory aside that is enough for any block; pages that are never written cost nothing."""
    n, events, longest = largest
    beam = BEAM if tries == 1 else BEAM_WITH_CATEGORIES
    in_use = (tries + 1) * beam + 1
    witnesses = max(in_use * n + 1, min(room, in_use * n + 64 * beam * events))
    patterns = max(min(PATTERNS, 4 * beam * events), 2 * beam * (longest + 2)) + in_use
    return PatternMemory(
        patterns=np.zeros((patterns, 8), np.int64),
        witnesses=np.empty((witnesses, 2), np.int32),
        children=np.empty((1 << int(4 * patterns - 1).bit_length(), 2), np.int64),
        beam=np.zeros((longest + 1, beam), np.int64),
        width=np.zeros(longest + 1, np.int64),
        whole=np.zeros(longest + 1, np.int64),
        best=np.zeros((beam, 2), np.int64),
        members=np.zeros(longest + 1, np.int64),
        counters=np.zeros(4, np.int64),
        tries=tries,
    )
