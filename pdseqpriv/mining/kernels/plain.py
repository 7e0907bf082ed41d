"""Frequent patterns of plain sequences, depth first.

PrefixSpan with two changes. Only the first occurrence of an event matters for what may follow it, so a
pattern is kept as one place per sequence. And before going deeper, what follows is written anew with the
locally frequent events only, numbered 0, 1, 2 ...: the deeper the pattern, the shorter the text to read.

This is for tables that are too large for the matrix of ``mine_dense``.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

# A weight and a count of one travel in the same 64 bits.
UNIT = 1 << 32
LOW = UNIT - 1


@compiled
def first_places(text: Array, starts: Array, weights: Array, n_events: int) -> tuple[Array, Array, Array]:
    """Give, for each event, the place after its first occurrence in each sequence, with the packed weight."""
    counts = np.zeros(n_events + 1, np.int64)
    last_seen = np.full(n_events, -1, np.int64)
    for sequence in range(len(starts)):
        place = starts[sequence]
        while text[place] >= 0:
            event = text[place]
            if last_seen[event] != sequence:
                last_seen[event] = sequence
                counts[event + 1] += 1
            place += 1
    bounds = np.cumsum(counts)
    fill = bounds[:-1].copy()
    places = np.empty(bounds[-1], np.int64)
    packed = np.empty(bounds[-1], np.int64)
    last_seen[:] = -1
    for sequence in range(len(starts)):
        place = starts[sequence]
        while text[place] >= 0:
            event = text[place]
            place += 1
            if last_seen[event] != sequence:
                last_seen[event] = sequence
                places[fill[event]] = place
                packed[fill[event]] = weights[sequence] * UNIT + 1
                fill[event] += 1
    return bounds, places, packed


@compiled
def extend_plain(
    text: Array,
    places: Array,
    packed: Array,
    event: int,
    support: int,
    n_events: int,
    min_support: int,
    max_length: int,
    most: int,
    stop: Array,
) -> tuple[Array, Array, Array]:
    """Find all frequent patterns that begin with one event, in order: parent, event, support."""
    parents = np.empty(256, np.int32)
    events = np.empty(256, np.int32)
    supports = np.empty(256, np.int64)
    parents[0] = -1
    events[0] = event
    supports[0] = support
    n_patterns = 1

    # What is written anew, and the places in it, are stacks: one layer per level.
    written = np.empty(1024, np.int32)
    written_top = 0
    stack_places = np.empty(1024, np.int64)
    stack_packed = np.empty(1024, np.int64)
    stack_top = 0
    # One record per frequent extension of the open levels.
    child_event = np.empty(256, np.int32)
    child_count = np.empty(256, np.int64)
    child_rest = np.empty(256, np.int64)
    child_first = np.empty(256, np.int64)
    child_last = np.empty(256, np.int64)
    child_top = 0
    # One record per open level.
    level_next = np.empty(64, np.int64)
    level_end = np.empty(64, np.int64)
    level_begin = np.empty(64, np.int64)
    level_pattern = np.empty(64, np.int64)
    level_written = np.empty(64, np.int64)
    level_stack = np.empty(64, np.int64)
    level = -1

    counts = np.zeros(n_events, np.int64)
    last_seen = np.zeros(n_events, np.int64)
    local = np.empty(n_events, np.int32)
    tick = 0

    source, source_places, source_packed = text, places, packed
    begin, end = 0, len(places)
    width, names = n_events, -1
    pattern = 0
    expand = max_length > 1
    while True:
        if expand:
            counts[:width] = 0
            total = end - begin
            for entry in range(begin, end):
                tick += 1
                weight = source_packed[entry]
                place = source_places[entry]
                code = source[place]
                while code >= 0:
                    if last_seen[code] != tick:
                        last_seen[code] = tick
                        counts[code] += weight
                    place += 1
                    code = source[place]
                total += place - source_places[entry]
            first_child = child_top
            needed = stack_top
            if child_top + width > len(child_event):
                size = 2 * (child_top + width)
                child_event = _grown(child_event, size)
                child_count = _grown(child_count, size)
                child_rest = _grown(child_rest, size)
                child_first = _grown(child_first, size)
                child_last = _grown(child_last, size)
            for code in range(width):
                if counts[code] >> 32 >= min_support:
                    local[code] = child_top - first_child
                    child_event[child_top] = code if names < 0 else child_event[names + code]
                    child_count[child_top] = counts[code] >> 32
                    child_rest[child_top] = 0
                    child_first[child_top] = needed
                    child_last[child_top] = needed
                    needed += counts[code] & LOW
                    child_top += 1
                else:
                    local[code] = -1
            if child_top > first_child:
                level += 1
                if level == len(level_next):
                    level_next = _grown(level_next, 2 * level)
                    level_end = _grown(level_end, 2 * level)
                    level_begin = _grown(level_begin, 2 * level)
                    level_pattern = _grown(level_pattern, 2 * level)
                    level_written = _grown(level_written, 2 * level)
                    level_stack = _grown(level_stack, 2 * level)
                level_next[level] = first_child
                level_begin[level] = first_child
                level_end[level] = child_top
                level_pattern[level] = pattern
                level_written[level] = written_top
                level_stack[level] = stack_top
            if child_top > first_child and level + 2 < max_length:
                if written_top + total > len(written):
                    written = _grown(written, 2 * (written_top + total))
                if level > 0:
                    source = written
                if needed > len(stack_places):
                    stack_places = _grown(stack_places, 2 * needed)
                    stack_packed = _grown(stack_packed, 2 * needed)
                if level > 0:
                    source_places, source_packed = stack_places, stack_packed
                stack_top = needed
                for entry in range(begin, end):
                    tick += 1
                    weight = source_packed[entry]
                    place = source_places[entry]
                    code = source[place]
                    child = -1
                    while code >= 0:
                        new = local[code]
                        if new >= 0:
                            written[written_top] = new
                            written_top += 1
                            child = first_child + new
                            # The counting pass has left stamps of earlier ticks only.
                            if last_seen[code] != tick:
                                last_seen[code] = tick
                                stack_places[child_last[child]] = written_top
                                stack_packed[child_last[child]] = weight
                                child_last[child] += 1
                                child_rest[child] += weight >> 32
                        place += 1
                        code = source[place]
                    if child >= 0:
                        # Nothing follows the last event: that entry can support nothing longer.
                        if stack_places[child_last[child] - 1] == written_top:
                            child_last[child] -= 1
                            child_rest[child] -= weight >> 32
                        written[written_top] = -1
                        written_top += 1
        # The next extension of the deepest open level.
        while level >= 0 and level_next[level] == level_end[level]:
            written_top = level_written[level]
            stack_top = level_stack[level]
            child_top = level_begin[level]
            level -= 1
        if level < 0:
            break
        child = level_next[level]
        level_next[level] += 1
        if n_patterns == len(parents):
            parents = _grown(parents, 2 * n_patterns)
            events = _grown(events, 2 * n_patterns)
            supports = _grown(supports, 2 * n_patterns)
        parents[n_patterns] = level_pattern[level]
        events[n_patterns] = child_event[child]
        supports[n_patterns] = child_count[child]
        pattern = n_patterns
        n_patterns += 1
        if n_patterns > most or stop[0]:
            break
        expand = level + 2 < max_length and child_rest[child] >= min_support
        source, source_places, source_packed = written, stack_places, stack_packed
        begin, end = child_first[child], child_last[child]
        names = level_begin[level]
        width = level_end[level] - names
    return parents[:n_patterns].copy(), events[:n_patterns].copy(), supports[:n_patterns].copy()


@compiled
def _grown(array: Array, size: int) -> Array:
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger
