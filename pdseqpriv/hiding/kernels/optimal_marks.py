"""The fewest marks that hide unconstrained lists: a dynamic programme over how far each pattern has got.

With order alone to satisfy, the longest prefix that has been seen says all about a pattern, so a state is
one such length per pattern. From right to left, ``cost[i, state]`` is the fewest marks from relevant
element i on.
"""

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.hiding.kernels.fitting import FIRST_REQUIRED, FIRST_STEP, LAST_REQUIRED, LENGTH, STOP, Automata

MOST_STATES = 4096
MOST_CELLS = 1 << 24  # of the cost table: 64 MB
MOST_EVENTS = 10  # relevant ones in one element, whose subsets are tried
_NEVER = 2**30


@compiled
def count_states(automata: Automata, simple: Array, wanted: Array) -> int:
    """The product of the lengths, or 0 when this programme does not apply."""
    states = 1
    for p in range(len(wanted)):
        if wanted[p]:
            states *= automata.patterns[p, LENGTH]
            if not simple[p] or states > MOST_STATES:
                return 0
    return states


@compiled
def list_events(
    codes: Array,
    numbers: Array,
    begin: int,
    end: int,
    relevant: Array,
    events: Array,
    copies: Array,
    rows: Array,
) -> int:
    """List the relevant events of rows begin:end per element; -1 when an element has too many.

    events[i, k] and copies[i, k]: the k-th distinct one of relevant element i (-1: no more) and its number
    of rows; rows[i]: where the element begins.
    """
    used = 0
    for row in range(begin, end):
        if codes[row] < 0 or not relevant[codes[row]]:
            continue
        if used == 0 or numbers[rows[used - 1]] != numbers[row]:
            events[used], copies[used], rows[used] = -1, 0, row
            used += 1
        k = 0
        while k < MOST_EVENTS and events[used - 1, k] >= 0 and events[used - 1, k] != codes[row]:
            k += 1
        if k == MOST_EVENTS:
            return -1
        events[used - 1, k] = codes[row]
        copies[used - 1, k] += 1
    return used


@compiled
def find_needs(events: Array, automata: Automata, chosen: Array, needs: Array) -> None:
    """needs[c, k]: the bits of the events that step k of pattern c asks for, 0 when the element lacks one."""
    for c in range(len(chosen)):
        first = automata.patterns[chosen[c], FIRST_STEP]
        for k in range(automata.patterns[chosen[c], LENGTH]):
            bits = 0
            for want in range(
                automata.steps[first + k, FIRST_REQUIRED], automata.steps[first + k, LAST_REQUIRED]
            ):
                place = 0
                while place < MOST_EVENTS and events[place] != automata.required[want]:
                    place += 1
                if place == MOST_EVENTS:
                    bits = 0
                    break
                bits |= 1 << place
            needs[c, k] = bits


@compiled
def next_state(state: int, marked: int, seen: Array, strides: Array, lengths: Array, needs: Array) -> int:
    """The state after an element whose marked events are gone; -1 when a pattern is complete."""
    result = state
    for c in range(len(lengths)):
        need = needs[c, seen[state, c]]
        if need > 0 and need & marked == 0:
            if seen[state, c] + 1 == lengths[c]:
                return -1
            result += strides[c]
    return result


@compiled
def best_marks(
    state: int, seen: Array, strides: Array, lengths: Array, needs: Array, copies: Array, after: Array
) -> tuple[int, int]:
    """The cheapest events to mark in this state (the first such subset), and the cost from here on."""
    useful = 0
    for c in range(len(lengths)):
        useful |= needs[c, seen[state, c]]
    best, cost, marked = 0, _NEVER, 0
    while True:
        target = next_state(state, marked, seen, strides, lengths, needs)
        if target >= 0:
            here = int(after[target])
            for k in range(MOST_EVENTS):
                if marked >> k & 1:
                    here += copies[k]
            if here < cost:
                best, cost = marked, here
        if marked == useful:
            return best, cost
        marked = (marked - useful) & useful  # the next larger subset


@compiled
def solve(
    states: int, automata: Automata, chosen: Array, events: Array, copies: Array, rows: Array, codes: Array,
    numbers: Array, end: int, pulse: Array,
) -> None:  # fmt: skip
    """Set codes to -1: back through the elements for the costs, forth for the marks."""
    used = len(rows)
    lengths, strides = np.empty(len(chosen), np.int64), np.empty(len(chosen), np.int64)
    longest, stride = 0, 1
    for c in range(len(chosen)):
        lengths[c], strides[c] = automata.patterns[chosen[c], LENGTH], stride
        stride *= lengths[c]
        longest = max(longest, lengths[c])
    seen = np.empty((states, len(chosen)), np.int64)
    for state in range(states):
        for c in range(len(chosen)):
            seen[state, c] = state // strides[c] % lengths[c]
    needs = np.empty((len(chosen), longest), np.int64)
    cost = np.zeros((used + 1, states), np.int32)
    for back in range(used):
        i = used - 1 - back
        if pulse[STOP] != 0:
            return
        find_needs(events[i], automata, chosen, needs)
        for state in range(states):
            _, cost[i, state] = best_marks(state, seen, strides, lengths, needs, copies[i], cost[i + 1])
    state = 0
    for i in range(used):
        find_needs(events[i], automata, chosen, needs)
        marked, _ = best_marks(state, seen, strides, lengths, needs, copies[i], cost[i + 1])
        state = next_state(state, marked, seen, strides, lengths, needs)
        row = rows[i]
        while marked > 0 and row < end and numbers[row] == numbers[rows[i]]:
            for k in range(MOST_EVENTS):
                if marked >> k & 1 and codes[row] == events[i, k]:
                    codes[row] = -1
                    break
            row += 1


@compiled
def mark_optimally(
    codes: Array, offsets: Array, numbers: Array, automata: Automata, simple: Array, chosen: Array,
    wanted: Array, keep: bool, pulse: Array,
) -> Array:  # fmt: skip
    """Hide patterns wanted[i] in sequence chosen[i] by the fewest marks; -1 where that is out of reach."""
    marks = np.full(len(chosen), -1, np.int64)
    relevant = np.zeros(automata.named.shape[1], np.bool_)
    longest = 0
    for i in range(len(chosen)):
        longest = max(longest, offsets[chosen[i] + 1] - offsets[chosen[i]])
    events, copies = np.empty((longest, MOST_EVENTS), np.int32), np.empty((longest, MOST_EVENTS), np.int32)
    rows, saved = np.empty(longest, np.int64), np.empty(longest, codes.dtype)
    for i in range(len(chosen)):
        begin, end = offsets[chosen[i]], offsets[chosen[i] + 1]
        states = count_states(automata, simple, wanted[i])
        patterns = np.flatnonzero(wanted[i])
        if states == 0 or pulse[STOP] != 0:
            continue
        relevant[:] = False
        for p in patterns:
            relevant |= automata.named[p]
        used = list_events(codes, numbers, begin, end, relevant, events, copies, rows)
        if used < 0 or (used + 1) * states > MOST_CELLS:
            continue
        saved[: end - begin] = codes[begin:end]
        solve(
            states, automata, patterns, events[:used], copies[:used], rows[:used], codes, numbers, end, pulse
        )
        marks[i] = 0
        for row in range(begin, end):
            marks[i] += codes[row] != saved[row - begin]
            if not keep:
                codes[row] = saved[row - begin]
    return marks
