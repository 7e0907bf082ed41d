"""For each sequence a long subsequence of its own that enough sequences share.

Sequences are walked in lexicographic order. A state is a pattern made of events of the walked prefix; it
knows its witnesses: for every sequence that contains it, the earliest element where it can end. Each event of
the walked sequence is taken by a state, if at least k sequences go along, or skipped; the best states stay (a
beam). The beam depends on the prefix only, so sequences with a common prefix share the work, and patterns are
remembered in a hash table of (parent pattern, event) until the memory set aside for them is full.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.different_people import are_enough
from pdseqpriv.k_anonymity.kernels.remembered_patterns import (
    CHILD,
    CHILDREN,
    DEAD,
    DONE,
    EMPTY,
    KEY,
    LENGTH,
    PARENT,
    PATTERNS,
    RANK,
    ROOT,
    SEQUENCE,
    SIZE,
    START,
    STOP,
    SUPPORT,
    SYMBOL,
    VALID,
    WITNESSES,
    WORTH,
    PatternMemory,
    Text,
    Whole,
    bonus,
    forget_patterns,
    lacks_room,
    many_witnesses,
    place_of,
    plant_root,
)
from pdseqpriv.k_anonymity.kernels.witnesses import find_witnesses, note_places

# States that are shared as a whole rank before all others.
PINNED = 1 << 60


@compiled
def walk(
    text: Text, search: PatternMemory, k: Whole, shared: Array, out: Array, ends: Array, pulse: Array
) -> None:
    """Choose for the first sequences; ``ends[s + 1]`` says where in ``out`` the symbols of s end.

    ``shared`` tells how many rows each sequence has in common with the one before it.
    """
    note_places(text, pulse)
    plant_root(text, search, k)
    for s in range(ends.size - 1):
        length = text.starts[s + 1] - text.starts[s] - 1
        depth = shared[s]
        if depth < search.counters[VALID]:
            depth = 0
            search.counters[VALID] = 0
        while depth < length:
            if pulse[STOP] != 0:
                return
            if lacks_room(search, depth):
                forget_patterns(search, depth, many_witnesses(search))
            if lacks_room(search, depth):  # there is room for the beam alone
                forget_patterns(search, depth, search.witnesses.shape[0] + 1)
            _step(text, search, k, depth, text.starts[s] + 1 + depth)
            depth += 1
        ends[s + 1] = _write_best(search.patterns, search.beam[length], search.width[length], out, ends[s])
        pulse[DONE] += 1


@compiled
def _step(text: Text, search: PatternMemory, k: Whole, depth: Whole, row: Whole) -> None:
    """Let every state of the beam skip the event of a row, or take it as itself or as a category."""
    patterns, best, beam = search.patterns, search.best, search.beam
    code, begins = text.codes[row], text.begins[row]
    # Whether the element goes on must not be looked up: another sequence with this prefix may differ.
    stays_open = 0 if text.is_plain else 1
    found = 0
    # A sequence that is shared as a whole must come out whole.
    whole = search.whole[depth]
    if whole != DEAD:
        whole = _child(text, search, k, whole, 2 * code + begins)
        if whole != DEAD:
            found = _offer(best, found, 2 * whole + stays_open, PINNED)
    search.whole[depth + 1] = whole
    for b in range(search.width[depth]):
        node = beam[depth, b] >> 1
        is_open = 0 if begins else beam[depth, b] & 1
        found = _offer(best, found, 2 * node + is_open, patterns[node, RANK])
        label = code
        while label >= 0 and text.worth[label] > 0:
            # A child has at most the support of its parent: no need to look when even that is too little.
            at_most = patterns[node, RANK] + text.worth[label]
            if found < best.shape[0] or best[found - 1, 1] < at_most:
                child = _child(text, search, k, node, 2 * label + 1 - is_open)
                if child != DEAD:
                    found = _offer(best, found, 2 * child + stays_open, patterns[child, RANK])
            label = text.above[label]
    for b in range(found):
        beam[depth + 1, b] = best[b, 0]
    search.width[depth + 1] = found


@compiled
def _child(text: Text, search: PatternMemory, k: Whole, node: Whole, symbol: Whole) -> Whole:
    """Return the pattern with one event more, made if nobody asked for it yet, or DEAD."""
    place = place_of(search.children, (np.int64(node) << 32) | np.int64(symbol))
    if search.children[place, KEY] == EMPTY:
        return _add_child(text, search, k, node, symbol, place)
    return search.children[place, CHILD]


@compiled
def _offer(best: Array, found: Whole, state: Whole, rank: Whole) -> Whole:
    """Put a state in its place among the best, after those of equal rank; the last may fall out."""
    for i in range(found):
        if best[i, 0] == state:
            return found
    place = found
    while place > 0 and best[place - 1, 1] < rank:
        place -= 1
    if place == best.shape[0]:
        return found
    last = min(found, best.shape[0] - 1)
    for i in range(last, place, -1):
        best[i, 0] = best[i - 1, 0]
        best[i, 1] = best[i - 1, 1]
    best[place, 0] = state
    best[place, 1] = rank
    return last + 1


@compiled
def _add_child(
    text: Text, search: PatternMemory, k: Whole, node: Whole, symbol: Whole, place: Whole
) -> Whole:
    """Make the pattern with one event more, or note that it is DEAD: fewer than k people share it."""
    top = search.counters[WITNESSES]
    end, support = find_witnesses(text, search, k, node, symbol)
    child = np.int64(DEAD)
    if support >= k and are_enough(text.whose, search.witnesses[top:end, SEQUENCE], k):
        child = search.counters[PATTERNS]
        line = search.patterns[child]
        line[START], line[SIZE], line[SUPPORT] = top, end - top, support
        line[WORTH] = search.patterns[node, WORTH] + text.worth[symbol >> 1]
        line[RANK] = line[WORTH] + bonus(support, k)
        line[LENGTH] = search.patterns[node, LENGTH] + 1
        line[PARENT], line[SYMBOL] = node, symbol
        search.counters[PATTERNS] += 1
        search.counters[WITNESSES] = end
    search.children[place, KEY] = (np.int64(node) << 32) | np.int64(symbol)
    search.children[place, CHILD] = child
    search.counters[CHILDREN] += 1
    return child


@compiled
def _write_best(patterns: Array, states: Array, n_states: Whole, out: Array, end: Whole) -> Whole:
    """Write the symbols of the state that is worth most, then has most support; returns the new end."""
    best = states[0] >> 1
    for state in states[1:n_states]:
        node = state >> 1
        if patterns[node, WORTH] > patterns[best, WORTH] or (
            patterns[node, WORTH] == patterns[best, WORTH]
            and patterns[node, SUPPORT] > patterns[best, SUPPORT]
        ):
            best = node
    new_end = end + patterns[best, LENGTH]
    place = new_end
    while best != ROOT:
        place -= 1
        out[place] = patterns[best, SYMBOL]
        best = patterns[best, PARENT]
    return new_end
