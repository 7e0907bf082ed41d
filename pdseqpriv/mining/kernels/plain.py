"""Frequent patterns of plain sequences, depth first.

PrefixSpan with two changes. Only the first occurrence of an event matters for what may follow it, so a
pattern is kept as one place per sequence. And before going deeper, what follows is rewritten with only the
locally frequent events, numbered 0, 1, 2 ...: the deeper the pattern, the shorter the text to read.

This is for tables that are too large for the matrix of ``extend_dense``.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.mining.kernels.depth_first import (
    BEGIN,
    CHILD_COLUMNS,
    END,
    FIRST,
    LAST,
    LEVEL_COLUMNS,
    PATTERN,
    Entries,
    SearchLimits,
    count_followers,
    first_pattern,
    first_rows,
    next_child,
    with_children,
    with_level,
    with_pattern,
    with_room,
)

# Of a child: the weight of the sequences that go on after it; more than that of their people, or the same.
REST = CHILD_COLUMNS
# Of a level: how far what is written anew, and the places in it, fill their stacks.
WRITTEN, STACKED = range(LEVEL_COLUMNS, LEVEL_COLUMNS + 2)


@compiled
def extend_plain(
    entries: Entries, event: int, support: int, limits: SearchLimits
) -> tuple[Array, Array, Array]:
    """Find all frequent patterns that begin with one event, in order: parent, code, support."""
    found, n_found = first_pattern(event, support), 1
    n_events, min_support, max_length, most, stop, so_far = limits
    counts, last_seen = np.zeros(n_events, np.int64), np.zeros(n_events, np.int64)
    local = np.empty(n_events, np.int32)
    tick = 0
    # The rewritten text, and the places in it, are stacks: one layer per level.
    room = np.empty(1024, np.int64)
    stack = Entries(np.empty(1024, np.int32), room, room.copy(), entries.people[:0].copy())
    children = np.empty((256, CHILD_COLUMNS + 1), np.int64)
    levels = np.empty((64, LEVEL_COLUMNS + 2), np.int64)

    # The first event comes before all levels.
    level, written_top, stack_top, child_top = -1, 0, 0, 0
    source, begin, end, rest = entries, 0, len(entries.places), support
    names, width = -1, n_events
    while True:
        if level + 2 < max_length and rest >= min_support:
            counts[:width] = 0
            tick, _, total = count_followers(source, begin, end, counts, last_seen, tick)
            first_child = child_top
            children, child_top, needed = with_children(
                children, child_top, names, counts[:width], min_support, stack_top, local
            )
            if child_top > first_child:
                level += 1
                levels = with_level(levels, level, first_child, child_top, n_found - 1)
                if level + 2 < max_length:
                    stack = Entries(
                        with_room(stack.text, written_top + total + end - begin),
                        with_room(stack.places, needed),
                        with_room(stack.packed, needed),
                        with_room(stack.people, needed if len(entries.people) else 0),
                    )
                    stack_top = needed
                    source = stack if level > 0 else entries  # the stack may lie elsewhere now
                    new = children[first_child:child_top]
                    tick, written_top = _write_anew(
                        source, begin, end, local, new, last_seen, tick, stack, written_top
                    )
                levels[level, WRITTEN], levels[level, STACKED] = written_top, stack_top
        level, child = next_child(levels, level)
        if level < 0:
            break
        found = with_pattern(found, n_found, levels[level, PATTERN], children[child])
        n_found += 1
        so_far[event] = n_found
        if n_found > most or stop[0]:
            break
        source = stack
        begin, end, rest = children[child, FIRST], children[child, LAST], children[child, REST]
        written_top, stack_top = levels[level, WRITTEN], levels[level, STACKED]
        names, child_top = levels[level, BEGIN], levels[level, END]
        width = child_top - names
    return first_rows(found, n_found)


@compiled
def _write_anew(
    source: Entries,
    begin: int,
    end: int,
    local: Array,
    children: Array,
    last_seen: Array,
    tick: int,
    stack: Entries,
    written_top: int,
) -> tuple[int, int]:
    """Rewrite what follows with only the frequent events, and push the place after the first of each."""
    text, places, packed, people = source
    written, stack_places, stack_packed, stack_people = stack
    children[:, REST] = 0
    for entry in range(begin, end):
        tick += 1
        weight = packed[entry]
        place = places[entry]
        code = text[place]
        child = -1
        while code >= 0:
            if local[code] >= 0:
                child = local[code]
                written[written_top] = child
                written_top += 1
                # The counting pass has left stamps of earlier ticks only.
                if last_seen[code] != tick:
                    last_seen[code] = tick
                    stack_places[children[child, LAST]] = written_top
                    stack_packed[children[child, LAST]] = weight
                    if len(people):
                        stack_people[children[child, LAST]] = people[entry]
                    children[child, LAST] += 1
                    children[child, REST] += weight >> 32
            place += 1
            code = text[place]
        if child >= 0:
            # Nothing follows the last event: that entry can support nothing longer.
            if stack_places[children[child, LAST] - 1] == written_top:
                children[child, LAST] -= 1
                children[child, REST] -= weight >> 32
            written[written_top] = -1
            written_top += 1
    return tick, written_top
