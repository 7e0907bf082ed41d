"""Frequent patterns of plain sequences where a small matrix says it all.

An event can follow a pattern in a sequence when its *last* occurrence there lies behind the pattern's
first match. So below one first event we keep a matrix ``last[event, sequence]`` of the locally frequent
events; each longer pattern copies the rows and columns that it still needs. Counting is then one comparison
per cell, with no branch to mispredict and no text to read.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

LONGEST = 65_000


@compiled
def extend_dense(
    text: Array,
    places: Array,
    packed: Array,
    event: int,
    support: int,
    n_events: int,
    min_support: int,
    max_length: int,
    most: int,
    most_cells: int,
    stop: Array,
) -> tuple[Array, Array, Array]:
    """Find all frequent patterns that begin with one event, in order: parent, event, support.

    Gives nothing at all when the matrix would be too large.
    """
    parents = np.empty(256, np.int32)
    events = np.empty(256, np.int32)
    supports = np.empty(256, np.int64)
    parents[0] = -1
    events[0] = event
    supports[0] = support
    n_patterns = 1
    if max_length < 2:
        return parents[:1], events[:1], supports[:1]

    n_entries = len(places)
    counts = np.zeros(n_events, np.int64)
    longest, total = _count_followers(text, places, packed, counts)
    rows = np.full(n_events, -1, np.int64)
    child_event = np.empty(256 + n_events, np.int32)
    child_count = np.empty(256 + n_events, np.int64)
    n_rows = 0
    for code in range(n_events):
        if counts[code] >= min_support:
            rows[code] = n_rows
            child_event[n_rows] = code
            child_count[n_rows] = counts[code]
            n_rows += 1
    if n_rows * n_entries > most_cells or longest > LONGEST:
        return parents[:0], events[:0], supports[:0]

    # Stacks, one layer per open level: the matrix, and per sequence where the pattern ends in it.
    cells = np.zeros(n_rows * n_entries + 1024, np.uint16)
    ends = np.zeros(n_entries + 1024, np.uint16)
    weights = np.empty(n_entries + 1024, np.int64)
    bases = np.empty(n_entries + 1024, np.int64)
    earlier = np.empty(total + 1, np.uint16)
    _fill(text, places, packed, rows, cells, n_entries, weights, bases, earlier)
    source = np.empty(n_entries, np.uint32)

    level_next = np.empty(64, np.int64)
    level_begin = np.empty(64, np.int64)
    level_end = np.empty(64, np.int64)
    level_pattern = np.empty(64, np.int64)
    level_cells = np.empty(64, np.int64)
    level_first = np.empty(64, np.int64)
    level_last = np.empty(64, np.int64)
    level = 0
    level_next[0] = 0
    level_begin[0] = 0
    level_end[0] = n_rows
    level_pattern[0] = 0
    level_cells[0] = 0
    level_first[0] = 0
    level_last[0] = n_entries
    while level >= 0:
        if level_next[level] == level_end[level]:
            level -= 1
            continue
        child = level_next[level]
        level_next[level] += 1
        if n_patterns == len(parents):
            parents = _grown(parents, 2 * n_patterns)
            events = _grown(events, 2 * n_patterns)
            supports = _grown(supports, 2 * n_patterns)
        parents[n_patterns] = level_pattern[level]
        events[n_patterns] = child_event[child]
        supports[n_patterns] = child_count[child]
        n_patterns += 1
        if n_patterns > most or stop[0]:
            break
        if level + 2 >= max_length:
            continue

        # Where the longer pattern ends, in the sequences that go on after it.
        first, last = level_first[level], level_last[level]
        size = last - first
        if 2 * last - first > len(ends):
            ends = _grown(ends, 2 * (2 * last - first))
            weights = _grown(weights, 2 * (2 * last - first))
            bases = _grown(bases, 2 * (2 * last - first))
        row = level_cells[level] + (child - level_begin[level]) * size
        n_kept = _supporters(cells[row : row + size], ends[first:last], source)
        rest = _advance(cells[row : row + size], source, n_kept, first, last, ends, weights, bases, earlier)
        if rest < min_support:
            continue

        # Count every candidate and keep the rows of the frequent ones.
        width = level_end[level] - level_begin[level]
        cells_top = level_cells[level] + width * size
        if cells_top + width * n_kept > len(cells):
            cells = _grown(cells, 2 * (cells_top + width * n_kept))
        if level_end[level] + width > len(child_event):
            child_event = _grown(child_event, 2 * (level_end[level] + width))
            child_count = _grown(child_count, 2 * (level_end[level] + width))
        child_top = level_end[level]
        target = cells_top
        for candidate in range(level_begin[level], level_end[level]):
            row = level_cells[level] + (candidate - level_begin[level]) * size
            count = _copy_and_count(
                cells[row : row + size],
                source,
                cells[target : target + n_kept],
                weights[last : last + n_kept],
                ends[last : last + n_kept],
            )
            if count >= min_support:
                child_event[child_top] = child_event[candidate]
                child_count[child_top] = count
                child_top += 1
                target += n_kept
        if child_top == level_end[level]:
            continue
        if level + 1 == len(level_next):
            level_next = _grown(level_next, 2 * len(level_next))
            level_begin = _grown(level_begin, 2 * len(level_begin))
            level_end = _grown(level_end, 2 * len(level_end))
            level_pattern = _grown(level_pattern, 2 * len(level_pattern))
            level_cells = _grown(level_cells, 2 * len(level_cells))
            level_first = _grown(level_first, 2 * len(level_first))
            level_last = _grown(level_last, 2 * len(level_last))
        level += 1
        level_next[level] = level_end[level - 1]
        level_begin[level] = level_end[level - 1]
        level_end[level] = child_top
        level_pattern[level] = n_patterns - 1
        level_cells[level] = cells_top
        level_first[level] = last
        level_last[level] = last + n_kept
    return parents[:n_patterns].copy(), events[:n_patterns].copy(), supports[:n_patterns].copy()


@compiled
def _count_followers(text: Array, places: Array, packed: Array, counts: Array) -> tuple[int, int]:
    """Add up, per event, the weights of the sequences in which it follows; longest and total length."""
    last_seen = np.full(len(counts), -1, np.int64)
    longest = 0
    total = 0
    for entry in range(len(places)):
        weight = packed[entry] >> 32
        place = places[entry]
        code = text[place]
        while code >= 0:
            counts[code] += weight * (last_seen[code] != entry)
            last_seen[code] = entry
            place += 1
            code = text[place]
        length = place - places[entry]
        total += length
        if length > longest:
            longest = length
    return longest, total


@compiled
def _fill(
    text: Array,
    places: Array,
    packed: Array,
    rows: Array,
    cells: Array,
    n_entries: int,
    weights: Array,
    bases: Array,
    earlier: Array,
) -> None:
    """Write the first matrix; ``earlier`` leads from an occurrence to the one before it (0: none)."""
    base = 0
    for entry in range(n_entries):
        weights[entry] = packed[entry] >> 32
        bases[entry] = base
        place = places[entry]
        position = 0
        while text[place] >= 0:
            row = rows[text[place]]
            place += 1
            if row >= 0:
                position += 1
                cell = row * n_entries + entry
                earlier[base + position] = cells[cell]
                cells[cell] = position
        base += position


@compiled
def _supporters(row: Array, ends: Array, source: Array) -> int:
    """Write down which entries have the event behind the pattern; no branch, for no one can predict it."""
    found = 0
    for entry in range(len(row)):
        source[found] = entry
        found += row[entry] > ends[entry]
    return found


@compiled
def _advance(
    row: Array,
    source: Array,
    n_kept: int,
    first: int,
    last: int,
    ends: Array,
    weights: Array,
    bases: Array,
    earlier: Array,
) -> int:
    """Push where the longer pattern ends in each supporting entry, and give their weight."""
    total = 0
    for kept in range(n_kept):
        entry = source[kept]
        place = row[entry]
        base = bases[first + entry]
        while earlier[base + place] > ends[first + entry]:
            place = earlier[base + place]
        ends[last + kept] = place
        weights[last + kept] = weights[first + entry]
        bases[last + kept] = base
        total += weights[first + entry]
    return total


@compiled
def _copy_and_count(row: Array, source: Array, target: Array, weights: Array, ends: Array) -> int:
    """Keep the supporters' part of a row, and add up the weights where the event still lies ahead."""
    for entry in range(len(target)):
        target[entry] = row[source[entry]]
    count = 0
    for entry in range(len(target)):
        count += weights[entry] * (target[entry] > ends[entry])
    return count


@compiled
def _grown(array: Array, size: int) -> Array:
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger
