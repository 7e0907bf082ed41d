"""What a search for shared subsequences looks at, what it remembers of patterns, and how it makes room."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.different_people import DifferentPeople

Whole: TypeAlias = Any  # a whole number: an int, or what comes out of an array

# Places of the pulse: what is done, and whether to stop.
DONE, STOP = 0, 1
END = -1
EMPTY = -1
DEAD = -1
# Later places are noted as these, in a byte and as a bit of a word: then the text tells which it is. Labels
# without a line of their own share one in which everything is noted so.
FAR = 255
LAST_BIT = 63
NO_LINE = 0
ROOT = 0
# Columns of PatternMemory.patterns: where its witnesses are and how many, how many people they stand for,
# what its events are worth together, that and a bonus for the support that is left, how many events, all but
# the last event, and the last one: 2 * code + 1 when it begins an element, else 2 * code.
START, SIZE, SUPPORT, WORTH, RANK, LENGTH, PARENT, SYMBOL = 0, 1, 2, 3, 4, 5, 6, 7
# Columns of PatternMemory.witnesses: the sequence, and the place of the first event of the element where the
# pattern ends there. Places are counted from the END row before the sequence.
SEQUENCE, PLACE = 0, 1
# Columns of PatternMemory.children: (parent, symbol) as one number, and the pattern or DEAD.
KEY, CHILD = 0, 1
# Places of PatternMemory.counters: patterns, witnesses, children; beams from depth VALID on are in memory.
PATTERNS, WITNESSES, CHILDREN, VALID = 0, 1, 2, 3
# What a halving of the support is worth; the most popular event is worth ten times that.
BONUS = 100.0


class Text(NamedTuple):
    """All sequences with an END row before each and after the last; what is known of every row and event."""

    codes: Array  # int32 per row: labels
    is_plain: bool  # no element has more than one event
    begins: Array  # bool per row: the row begins an element
    first: Array  # int32 per row: the first row of its element
    after: Array  # int32 per row: the row after its element
    starts: Array  # int64 per sequence: the END row before it; one more for the last END row
    people: Array  # int64 per sequence: how many different people have it
    whose: DifferentPeople  # and who they are
    above: Array  # int64 per label: the next wider one, -1 for none
    end: Array  # int64 per label: it covers those from itself up to here
    worth: Array  # int64 per label: what keeping an event as it is worth; 0 where it must not be shown
    line: Array  # int32 per label: its line in latest and places, or NO_LINE
    latest: Array  # uint8 per line and sequence: the place of the last element that has the label, 0 for none
    places: Array  # uint64 per line and sequence: a bit for the place of every element that has the label


class PatternMemory(NamedTuple):
    """Memory of walks, all of it set aside beforehand; a pattern fills one line of the processor's cache."""

    patterns: Array  # int64, a row per pattern
    witnesses: Array  # int32, a row per witness, pattern by pattern
    children: Array  # int64, a hash table
    beam: Array  # per depth the states: 2 * pattern, plus 1 while its last element may be joined
    width: Array  # per depth how many states
    whole: Array  # per depth the pattern that is the walked prefix as it is, or DEAD
    best: Array  # state and rank of the candidates of one step
    members: Array  # events of one element
    counters: Array
    tries: Whole  # as how many labels an event may be taken at most


@compiled
def plant_root(text: Text, search: PatternMemory, k: Whole) -> None:
    """Begin with the empty pattern, which everybody contains."""
    n = text.people.size
    for s in range(n):
        search.witnesses[s, SEQUENCE] = s
        search.witnesses[s, PLACE] = 0
    search.patterns[ROOT] = 0
    search.patterns[ROOT, SIZE] = n
    search.patterns[ROOT, SUPPORT] = text.people.sum()
    search.patterns[ROOT, RANK] = bonus(search.patterns[ROOT, SUPPORT], k)
    search.counters[:] = 0
    search.counters[PATTERNS] = 1
    search.counters[WITNESSES] = n
    search.beam[0, 0] = 2 * ROOT
    search.whole[0] = ROOT
    search.width[0] = 1
    search.children[:, KEY] = EMPTY


@compiled
def bonus(support: Whole, k: Whole) -> Whole:
    """Value what support is left above k: every halving that later events may still cost."""
    return np.int64(BONUS * np.log2(support / k)) if support > k else np.int64(0)


@compiled
def place_of(children: Array, key: Whole) -> Whole:
    """Find the key, or the free place where it belongs; the table is never full."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    last = children.shape[0] - 1
    place = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(last))
    while children[place, KEY] != EMPTY and children[place, KEY] != key:
        place = (place + 1) & last
    return place


@compiled
def lacks_room(search: PatternMemory, depth: Whole) -> Whole:
    """Return whether the next step might not find room; a witness is written one past the last hit."""
    needed = 1
    for b in range(search.width[depth]):
        needed += search.tries * search.patterns[search.beam[depth, b] >> 1, SIZE]
    children = search.tries * search.best.shape[0]
    return (
        search.counters[WITNESSES] + needed > search.witnesses.shape[0]
        or search.counters[PATTERNS] + children > search.patterns.shape[0]
        or 2 * (search.counters[CHILDREN] + children) > search.children.shape[0]
    )


@compiled
def forget_patterns(search: PatternMemory, depth: Whole, least: Whole) -> None:
    """Forget what is easily found again: all but the beam at this depth and patterns with many witnesses.

    Many witnesses, at ``least`` so many, are expensive to find again. Of the ancestors of what is kept only
    the events stay.
    """
    patterns, beam = search.patterns, search.beam
    n_patterns = search.counters[PATTERNS]
    new = np.zeros(n_patterns, np.int64)
    is_kept_whole = patterns[:n_patterns, SIZE] >= least
    for b in range(search.width[depth]):
        is_kept_whole[beam[depth, b] >> 1] = True
    for leaf in range(1, n_patterns):
        node = leaf if is_kept_whole[leaf] else ROOT
        while node != ROOT and new[node] == 0:
            new[node] = 1
            node = patterns[node, PARENT]
    _move_together(search, new, is_kept_whole)
    for b in range(search.width[depth]):
        beam[depth, b] = 2 * new[beam[depth, b] >> 1] + (beam[depth, b] & 1)
    if search.whole[depth] != DEAD:  # it is in the beam
        search.whole[depth] = new[search.whole[depth]]
    is_kept_whole[ROOT] = True
    _keep_children(search, new, is_kept_whole)
    search.counters[VALID] = depth


@compiled
def _move_together(search: PatternMemory, new: Array, is_kept_whole: Array) -> None:
    """Close the gaps between patterns that are kept and number them; witnesses stay with whole ones only."""
    patterns, witnesses = search.patterns, search.witnesses
    kept = 1
    top = patterns[ROOT, SIZE]
    for node in range(1, new.size):  # parents come first, and nothing moves to the right
        if new[node] == 0:
            continue
        new[node] = kept
        size = patterns[node, SIZE] if is_kept_whole[node] else 0
        begin = patterns[node, START]
        for i in range(size):
            witnesses[top + i, SEQUENCE] = witnesses[begin + i, SEQUENCE]
            witnesses[top + i, PLACE] = witnesses[begin + i, PLACE]
        for column in range(patterns.shape[1]):
            patterns[kept, column] = patterns[node, column]
        patterns[kept, START], patterns[kept, SIZE] = top, size
        patterns[kept, PARENT] = new[patterns[kept, PARENT]]
        top += size
        kept += 1
    search.counters[PATTERNS] = kept
    search.counters[WITNESSES] = top


@compiled
def _keep_children(search: PatternMemory, new: Array, is_kept_whole: Array) -> None:
    """Keep the known children of whole patterns, as long as they fill at most half of their table."""
    children = search.children
    stays = np.empty((children.shape[0] // 4, 2), np.int64)
    n = 0
    for i in range(children.shape[0]):
        key, child = children[i, KEY], children[i, CHILD]
        children[i, KEY] = EMPTY
        if key == EMPTY or n == stays.shape[0]:
            continue
        parent = key >> 32
        if is_kept_whole[parent] and (child == DEAD or is_kept_whole[child]):
            stays[n, KEY] = (new[parent] << 32) | (key & 0xFFFFFFFF)
            stays[n, CHILD] = DEAD if child == DEAD else new[child]
            n += 1
    for i in range(n):
        place = place_of(children, stays[i, KEY])
        children[place, KEY], children[place, CHILD] = stays[i, KEY], stays[i, CHILD]
    search.counters[CHILDREN] = n


@compiled
def many_witnesses(search: PatternMemory) -> Whole:
    """Return the least power of two: patterns with so many witnesses fit into half of the spare room."""
    width = search.best.shape[0]
    in_use = (search.tries + 1) * width + 1
    spare_witnesses = search.witnesses.shape[0] - in_use * search.patterns[ROOT, SIZE]
    spare_patterns = search.patterns.shape[0] - width * search.beam.shape[0] - in_use
    sizes = np.zeros(64, np.int64)
    counts = np.zeros(64, np.int64)
    for node in range(1, search.counters[PATTERNS]):
        power = 0
        while (1 << (power + 1)) <= search.patterns[node, SIZE]:
            power += 1
        sizes[power] += search.patterns[node, SIZE]
        counts[power] += 1
    power = 62
    size, count = sizes[power], counts[power]
    # Ancestors are kept with their children, bare or not, and have as many witnesses: they are counted, too.
    while (
        power > 0
        and 2 * (size + sizes[power - 1]) <= spare_witnesses
        and (2 * (count + counts[power - 1]) <= spare_patterns)
    ):
        power -= 1
        size += sizes[power]
        count += counts[power]
    return np.int64(1) << power
