"""Sub-patterns of a complete pattern table, found along its tree.

In pattern order, a pattern comes after its parent: the pattern without its last event. A pattern without an
inner event is a child of its parent without that event; so it is enough to know, for every pattern, which
events lead to a child. Tables with gaps are left to the index, which needs no parents.

Patterns are numbered from 1, by length and then in pattern order, so that children are next to each other; 0
is the root, which has no event. ``levels[n]`` is the first number of length n. Each pattern has one link per
event, and links are stored in the order of numbers.

The events that lead to children are kept in words of 64 events: the words of pattern n are those from
``begins[n]`` up to ``begins[n + 1]``, and words without an event are left out. A word has two columns: which
64 events it covers, times ``CHILD``, plus the number of its first child; and one bit per event. The bits
below that of an event count the children before it. Events that join the last element have words of their
own, ``n_words`` further on.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

WORD = 64
SHIFT = 32
CHILD = 1 << SHIFT


@compiled
def find_parents(codes: Array, offsets: Array, joined: Array) -> tuple[Array, bool]:
    """Find each pattern without its last event (-1: nothing is left); the patterns must be in order.

    Returns False if one is missing, or if a pattern occurs twice.
    """
    n_patterns = len(offsets) - 1
    parents = np.full(n_patterns, -1, np.int32)
    path = np.full(2, -1, np.int32)
    for pattern in range(n_patterns):
        begin = offsets[pattern]
        length = offsets[pattern + 1] - begin
        if length >= len(path):
            path = np.append(path, np.full(length + 1, -1, np.int32))
        if pattern > 0:
            # The pattern just before shares all but the last event, and so does what is remembered of it.
            before = offsets[pattern - 1]
            shorter = min(length, begin - before)
            same = 0
            while (
                same < shorter
                and codes[before + same] == codes[begin + same]
                and joined[before + same] == joined[begin + same]
            ):
                same += 1
            if same < length - 1 or same == length:
                return parents, False
        elif length > 1:
            return parents, False
        if length > 1:
            parents[pattern] = path[length - 1]
        path[length] = pattern
    return parents, True


@compiled
def number_by_length(offsets: Array) -> tuple[Array, Array, Array]:
    """Number patterns: the position of each number (from 1), the number of each position, and the levels."""
    n_patterns = len(offsets) - 1
    longest = 0
    for place in range(n_patterns):
        longest = max(longest, offsets[place + 1] - offsets[place])
    levels = np.zeros(longest + 2, np.int64)
    for place in range(n_patterns):
        levels[offsets[place + 1] - offsets[place] + 1] += 1
    levels[1] = 1
    for length in range(2, longest + 2):
        levels[length] += levels[length - 1]
    free = levels.copy()
    places, numbers = np.full(n_patterns + 1, -1, np.int32), np.empty(n_patterns, np.int32)
    for place in range(n_patterns):
        length = offsets[place + 1] - offsets[place]
        numbers[place] = free[length]
        places[free[length]] = place
        free[length] += 1
    return places, numbers, levels


@compiled
def link_by_tree(
    parents: Array,
    codes: Array,
    offsets: Array,
    joined: Array,
    n_events: int,
    places: Array,
    numbers: Array,
    levels: Array,
) -> tuple[Array, bool]:
    """Find the links of a complete table; return False if a pattern is missing."""
    links = np.empty(len(codes), np.int32)
    begins, words, n_words = _grow_tree(parents, codes, offsets, joined, n_events, places, numbers)
    is_complete = n_words >= 0 and _link_along_tree(levels, begins, words, n_words, links)
    return links, is_complete


@compiled
def _grow_tree(
    parents: Array, codes: Array, offsets: Array, joined: Array, n_events: int, places: Array, numbers: Array
) -> tuple[Array, Array, int]:
    """Return which events lead to the children of each pattern: begins, words and ``n_words``.

    ``n_words`` is -1 if a pattern holds an event that is not itself a pattern of the table.
    """
    n_patterns = len(numbers)
    begins, words = np.empty(n_patterns + 2, np.int32), np.empty((n_patterns + 1, 2), np.int64)
    ranks = np.full(n_events, -1, np.int64)
    singles = 0
    while singles < n_patterns and offsets[places[singles + 1] + 1] - offsets[places[singles + 1]] == 1:
        ranks[codes[offsets[places[singles + 1]]]] = singles
        singles += 1
    n_words = (singles + WORD - 1) // WORD
    filled, begun, before = 0, 0, -1
    for number in range(1, n_patterns + 1):
        place = places[number]
        last = offsets[place + 1] - 1
        rank = ranks[codes[last]]
        if rank < 0:
            return begins, words, -1
        parent = 0 if parents[place] < 0 else numbers[parents[place]]
        word = rank // WORD + n_words * joined[last]
        while begun <= parent:
            begins[begun] = filled
            begun, before = begun + 1, -1
        if word != before:
            words[filled, 0], words[filled, 1] = word * CHILD + number, 0
            filled, before = filled + 1, word
        words[filled - 1, 1] |= np.int64(1) << (rank % WORD)
    begins[begun:] = filled
    words[filled, 0] = 2 * n_words * CHILD  # ends every search
    return begins, words, n_words


@compiled
def _link_along_tree(levels: Array, begins: Array, words: Array, n_words: int, links: Array) -> bool:
    """Find, for every event of every pattern, the number of the pattern left without it.

    Returns False if a sub-pattern is missing.
    """
    first = np.empty(len(levels), np.int64)
    known = np.empty(len(levels), np.uint64)
    own, below = 0, 0
    if len(levels) > 2:
        below = levels[2] - 1
        links[:below] = 0
    for length in range(1, len(levels) - 1):
        for parent in range(levels[length], levels[length + 1]):
            for word in range(begins[parent], begins[parent + 1]):
                which, events = words[word, 0] >> SHIFT, words[word, 1]
                # Without the event that begins the element, the next one in it begins it.
                opens = which >= n_words and not _joins(
                    parent, links[own + length - 1], begins, words, n_words
                )
                missing = 0
                for step in range(length):
                    shorter, wanted = links[own + step], which
                    if opens and step == length - 1:
                        wanted -= n_words
                    here = begins[shorter]
                    while words[here, 0] < wanted * CHILD:
                        here += 1
                    # No branches, so that the processor can look up several at a time.
                    missing |= here >= begins[shorter + 1]
                    missing |= (words[here, 0] >> SHIFT) ^ wanted
                    missing |= events & ~words[here, 1]
                    first[step], known[step] = words[here, 0] & (CHILD - 1), np.uint64(words[here, 1])
                if missing:
                    return False
                rest = np.uint64(events)
                while rest:
                    bit = rest & (~rest + np.uint64(1))
                    rest ^= bit
                    for step in range(length):
                        links[below + step] = first[step] + _count_bits(known[step] & (bit - np.uint64(1)))
                    links[below + length] = parent
                    below += length + 1
            own += length
    return True


@compiled
def _joins(pattern: int, parent: int, begins: Array, words: Array, n_words: int) -> bool:
    """Return whether the last event of a pattern is in the same element as the one before."""
    word = begins[parent + 1] - 1
    while words[word, 0] & (CHILD - 1) > pattern:
        word -= 1
    return bool(words[word, 0] >= n_words * CHILD)


@compiled
def _count_bits(word: np.uint64) -> np.int64:
    """Count the bits that are set; processors have an instruction for what this spells out."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + (
        (pairs >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((eights * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def number_links(by_index: Array, offsets: Array, places: Array, numbers: Array) -> Array:
    """Turn links between positions, -1 for none, into links between numbers."""
    links = np.zeros(len(by_index), np.int32)
    at = 0
    for place in places[1:]:
        for link in range(offsets[place], offsets[place + 1]):
            if by_index[link] >= 0:
                links[at] = numbers[by_index[link]]
            at += 1
    return links


@compiled
def are_closed(supports: Array, levels: Array, links: Array) -> Array:
    """Return, by number, which patterns have no pattern with one more event and the same support."""
    closed = np.ones(len(supports), np.bool_)
    place = 0
    for length in range(1, len(levels) - 1):
        for pattern in range(levels[length], levels[length + 1]):
            for _ in range(length):
                if supports[links[place]] == supports[pattern]:
                    closed[links[place]] = False
                place += 1
    return closed
