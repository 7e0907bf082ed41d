"""Frequent patterns of plain sequences, where a small matrix is enough.

An event can follow a pattern in a sequence if its *last* occurrence there comes after the pattern's first
match. So, for each first event, we keep a matrix ``last[event, sequence]`` of the locally frequent events;
each longer pattern copies the rows and columns that it still needs. Counting is then one comparison per
cell, with no branch to mispredict and no text to read. Where people have several sequences, those of one
person stay next to each other, and only the first that has the event counts.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.mining.kernels.depth_first import (
    BEGIN,
    CODE,
    END,
    LEVEL_COLUMNS,
    PATTERN,
    SUPPORT,
    Entries,
    SearchLimits,
    count_followers,
    first_pattern,
    first_rows,
    next_child,
    with_level,
    with_pattern,
    with_room,
)

LONGEST = 65_000
# Of a level: where its matrix begins, and where its sequences begin and end.
MATRIX, FIRST, LAST = range(LEVEL_COLUMNS, LEVEL_COLUMNS + 3)


@compiled
def extend_dense(
    entries: Entries, event: int, support: int, limits: SearchLimits, most_cells: int
) -> tuple[Array, Array, Array]:
    """Find all frequent patterns that begin with one event, in order: parent, code, support.

    Returns empty arrays if the matrix would be too large.
    """
    found, n_found = first_pattern(event, support), 1
    n_events, min_support, max_length, most, stop, so_far = limits
    if max_length == 1:
        return first_rows(found, n_found)

    n_entries = len(entries.places)
    counts, last_seen = np.zeros(n_events, np.int64), np.zeros(n_events, np.int64)
    _, longest, total = count_followers(entries, 0, n_entries, counts, last_seen, 0)
    rows = np.full(n_events, -1, np.int64)
    children = np.empty((256 + n_events, 2), np.int64)
    n_rows = 0
    for code in range(n_events):
        if counts[code] >> 32 >= min_support:
            rows[code] = n_rows
            children[n_rows, CODE], children[n_rows, SUPPORT] = code, counts[code] >> 32
            n_rows += 1
    if n_rows * n_entries > most_cells or longest > LONGEST:
        return first_rows(found, 0)

    # Stacks, one layer per open level: the matrix, and per sequence where the pattern ends in it.
    cells = np.zeros(n_rows * n_entries + 1024, np.uint16)
    ends = np.zeros(n_entries + 1024, np.uint16)
    weights = np.empty(n_entries + 1024, np.int64)
    bases = np.empty(n_entries + 1024, np.int64)
    people = with_room(entries.people, n_entries + 1024 if len(entries.people) else 0)
    earlier = np.empty(total + 1, np.uint16)
    _fill(entries, rows, cells, weights, bases, earlier)
    source = np.empty(n_entries, np.uint32)
    levels = with_level(np.empty((64, LEVEL_COLUMNS + 3), np.int64), 0, 0, n_rows, 0)
    levels[0, MATRIX], levels[0, FIRST], levels[0, LAST] = 0, 0, n_entries

    level, child = next_child(levels, 0)
    while level >= 0:
        found = with_pattern(found, n_found, levels[level, PATTERN], children[child])
        n_found += 1
        so_far[event] = n_found
        if n_found > most or stop[0]:
            break
        rest, n_kept = 0, 0
        begin, child_top = levels[level, BEGIN], levels[level, END]
        first, last, matrix = levels[level, FIRST], levels[level, LAST], levels[level, MATRIX]
        size, width = last - first, child_top - begin
        if level + 2 < max_length:
            # Where the longer pattern ends, in the sequences that go on after it.
            ends = with_room(ends, last + size)
            weights = with_room(weights, last + size)
            bases = with_room(bases, last + size)
            people = with_room(people, last + size if len(people) else 0)
            row = matrix + (child - begin) * size
            n_kept = _supporters(cells[row : row + size], ends[first:last], source)
            rest = _advance(
                cells[row : row + size], source, n_kept, first, last, ends, weights, bases, people, earlier
            )
        if rest >= min_support:
            # Count every candidate and keep the rows of the frequent ones.
            cells_top = matrix + width * size
            cells = with_room(cells, cells_top + width * n_kept)
            children = with_room(children, child_top + width)
            target = cells_top
            for candidate in range(begin, begin + width):
                row = matrix + (candidate - begin) * size
                count = _copy_and_count(
                    cells[row : row + size],
                    source,
                    cells[target : target + n_kept],
                    weights[last : last + n_kept],
                    ends[last : last + n_kept],
                    people[last : last + n_kept],
                )
                if count >= min_support:
                    children[child_top, CODE], children[child_top, SUPPORT] = children[candidate, CODE], count
                    child_top += 1
                    target += n_kept
            if child_top > begin + width:
                level += 1
                levels = with_level(levels, level, begin + width, child_top, n_found - 1)
                levels[level, MATRIX], levels[level, FIRST], levels[level, LAST] = (
                    cells_top,
                    last,
                    last + n_kept,
                )
        level, child = next_child(levels, level)
    return first_rows(found, n_found)


@compiled
def _fill(entries: Entries, rows: Array, cells: Array, weights: Array, bases: Array, earlier: Array) -> None:
    """Write the first matrix; ``earlier`` leads from an occurrence to the one before it (0: none)."""
    text, places, packed, _ = entries
    n_entries, base = len(places), 0
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
    """List the entries that have the event after the pattern; no branch, as it would be unpredictable."""
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
    people: Array,
    earlier: Array,
) -> int:
    """Push where the longer pattern ends in each supporting entry, and return their weight."""
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
    if len(people):
        for kept in range(n_kept):
            people[last + kept] = people[first + source[kept]]
    return total


@compiled
def _copy_and_count(
    row: Array, source: Array, target: Array, weights: Array, ends: Array, people: Array
) -> int:
    """Keep the supporters' part of a row, and add up the weights where the event still lies ahead."""
    for entry in range(len(target)):
        target[entry] = row[source[entry]]
    count = 0
    if len(people):
        counted = -1
        for entry in range(len(target)):
            lies_ahead = target[entry] > ends[entry]
            count += weights[entry] * (lies_ahead & (people[entry] != counted))
            counted = people[entry] if lies_ahead else counted
    else:
        for entry in range(len(target)):
            count += weights[entry] * (target[entry] > ends[entry])
    return count
