"""How patterns fit sequences: which steps fit which elements, and what can follow what.

A pattern is an automaton that reads elements from left to right. A step leads from one state to another and
fits an element that holds all its required events; a match is a run from the first state to one that
accepts. A list of m elements is the automaton 0 -> 1 -> ... -> m.

A job is one sequence and the patterns wanted in it. The elements that no step fits are left out; the others
lie one after the other, those of job i from ``offsets[i]`` to ``offsets[i + 1]``, and refer to each other
by their number inside the job.
"""

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

# Columns of Automata.patterns, .states and .steps; lasts are exclusive.
FIRST_STEP, LAST_STEP, FIRST_STATE, LAST_STATE, WINDOW, HAS_WINDOW, HAS_TIME, LENGTH, LONGEST = range(9)
ACCEPTS, LEAST, MOST = range(3)
SOURCE, TARGET, FIRST_REQUIRED, LAST_REQUIRED, TAKES_OTHERS = range(5)
# Columns of Fitted.elements, layers of Fitted.gaps.
BEGIN, END, PLACE = range(3)
LOW, HIGH, AFTER, UNTIL = range(4)
# Of a pulse, at which work that may take long looks: not 0 when it is to end.
STOP = 1


class Automata(NamedTuple):
    """All patterns; states and steps are numbered over all of them."""

    # int64; no window is 0, the length of an expression is 0, its longest match 0 when there is no limit
    patterns: Array
    states: Array  # int64: whether it accepts, and how many elements may lie before a step that leaves it
    steps: Array  # int64
    required: Array  # int32, codes of steps
    # bool, pattern x code; a step that takes others takes any one event that its pattern does not name
    named: Array
    state_times: Array  # least and most on the clock before a step that leaves the state
    window_times: Array  # per pattern


class Fitted(NamedTuple):
    """All jobs.

    Element j can be reached in state s from ``gaps[LOW, s, j] .. gaps[HIGH, s, j]``, and a match that is in
    state s at element i can go on to ``gaps[AFTER, s, i] .. gaps[UNTIL, s, i]``.
    """

    offsets: Array  # int64, per job
    columns: Array  # int64, per job: how wide its counts must be
    elements: Array  # int64: rows begin:end, and the place among all elements of the sequence
    ways: Array  # int32, element x step: in how many ways the step fits
    gaps: Array  # int32
    ends: Array  # int32, pattern x element: the last element of a match that starts here


@compiled
def count_others(codes: Array, begin: int, end: int, named: Array) -> int:
    """Count the distinct events that a pattern does not name; copies of an event are next to each other."""
    found = 0
    for row in range(begin, end):
        copy = row > begin and codes[row] == codes[row - 1]
        found += codes[row] >= 0 and not named[codes[row]] and not copy
    return found


@compiled
def fit(codes: Array, begin: int, end: int, automata: Automata, wanted: Array, ways: Array) -> bool:
    """Fill the ways of every step for rows begin:end; True if any fits."""
    some = False
    patterns, steps, required = automata.patterns, automata.steps, automata.required
    for p in range(len(wanted)):
        named = automata.named[p]
        for t in range(patterns[p, FIRST_STEP], patterns[p, LAST_STEP] if wanted[p] else 0):
            if steps[t, TAKES_OTHERS]:
                ways[t] = count_others(codes, begin, end, named)
            else:
                ways[t] = 1
                for want in range(steps[t, FIRST_REQUIRED], steps[t, LAST_REQUIRED]):
                    row = begin
                    while row < end and codes[row] != required[want]:
                        row += 1
                    if row == end:
                        ways[t] = 0
                        break
            some = some or ways[t] > 0
    return some


@compiled
def fill_gaps(
    elements: Array, down: Array, up: Array, bounds: Array, times: Array, timed: bool, gaps: Array
) -> None:
    """Fill the gaps of one state; every limit only moves to the right."""
    n = len(elements)
    bottom, top = 0, -1
    for j in range(n):
        here = elements[j, PLACE] - 1
        while bottom < j and (
            here - elements[bottom, PLACE] > bounds[MOST] or (timed and down[j] - up[bottom] > times[1])
        ):
            bottom += 1
        while (
            top + 1 < j
            and here - elements[top + 1, PLACE] >= bounds[LEAST]
            and not (timed and up[j] - down[top + 1] < times[0])
        ):
            top += 1
        gaps[LOW, j], gaps[HIGH, j] = bottom, top
    bottom, top = 0, -1
    for i in range(n):
        while bottom < n and gaps[HIGH, bottom] < i:
            bottom += 1
        while top + 1 < n and gaps[LOW, top + 1] <= i:
            top += 1
        gaps[AFTER, i], gaps[UNTIL, i] = bottom, top


@compiled
def fill_ends(elements: Array, down: Array, up: Array, pattern: Array, longest: object, ends: Array) -> None:
    """Fill the last element of a match that starts at each element."""
    n, last = len(elements), 0
    for first in range(n):
        last = max(last, first)
        while last + 1 < n and not (
            (pattern[WINDOW] > 0 and elements[last + 1, PLACE] - elements[first, PLACE] >= pattern[WINDOW])
            or (pattern[HAS_TIME] and down[last + 1] - up[first] > longest)
        ):
            last += 1
        ends[first] = last


@compiled
def bits_needed(elements: Array, ends: Array, pattern: Array, neighbours: bool) -> float:
    """At least the logarithm of the number of matches of one pattern."""
    n, bound = len(elements), 0.0
    if pattern[LENGTH] > 0:
        # A match of a list is a choice of its elements.
        for i in range(min(pattern[LENGTH], n // 2)):
            bound += np.log2((n - i) / (i + 1.0))
        return bound
    spelt, widest, longest = 0.0, 0.0, 0
    for j in range(n):
        events = float(elements[j, END] - elements[j, BEGIN])
        bound += np.log2(1.0 + events)
        spelt += np.log2(events)
        widest = max(widest, np.log2(1.0 + events))
        longest = max(longest, ends[j] - j + 1)
    if neighbours:
        # A first and a last element, and one event of each element between them.
        bound = min(bound, 2 * np.log2(1.0 + n) + spelt)
    if pattern[LONGEST] > 0:
        bound = min(bound, pattern[LONGEST] * (np.log2(1.0 + n) + widest))
    return float(min(bound, np.log2(1.0 + n) + longest * widest))


@compiled
def fit_jobs(
    codes: Array,
    offsets: Array,
    numbers: Array,
    clock: tuple[Array, Array],
    automata: Automata,
    chosen: Array,
    wanted: Array,
) -> Fitted:
    """Fit patterns wanted[i] to sequence chosen[i]; ``numbers`` are of elements.

    The clock has times that are rounded down and up; both may be empty.
    """
    size = 0
    for i in range(len(chosen)):
        size += offsets[chosen[i] + 1] - offsets[chosen[i]]
    patterns, states = automata.patterns, automata.states
    elements = np.empty((size, 3), np.int64)
    ways = np.zeros((size, len(automata.steps)), np.int32)
    gaps = np.empty((4, len(states), size), np.int32)
    ends = np.empty((len(patterns), size), np.int32)
    firsts, columns = np.zeros(len(chosen) + 1, np.int64), np.ones(len(chosen), np.int64)
    down = np.empty(size if len(clock[0]) > 0 else 0, clock[0].dtype)
    up = np.empty(len(down), clock[1].dtype)
    used = 0
    for i in range(len(chosen)):
        first, row, bits = used, offsets[chosen[i]], 0.0
        while row < offsets[chosen[i] + 1]:
            end = row + 1
            while end < offsets[chosen[i] + 1] and numbers[end] == numbers[row]:
                end += 1
            if fit(codes, row, end, automata, wanted[i], ways[used]):
                elements[used, BEGIN], elements[used, END], elements[used, PLACE] = row, end, numbers[row]
                if len(down) > 0:
                    down[used], up[used] = clock[0][row], clock[1][row]
                used += 1
            row = end
        firsts[i + 1] = used
        here, early, late = elements[first:used], down[first:used], up[first:used]
        for p in range(len(patterns)):
            if not wanted[i, p]:
                continue
            for s in range(patterns[p, FIRST_STATE], patterns[p, LAST_STATE]):
                spans, timed = automata.state_times[s], patterns[p, HAS_TIME] > 0
                fill_gaps(here, early, late, states[s], spans, timed, gaps[:, s, first:used])
            fill_ends(here, early, late, patterns[p], automata.window_times[p], ends[p, first:used])
            neighbours = states[patterns[p, FIRST_STATE] + 1, MOST] == 0
            bits = max(bits, bits_needed(here, ends[p, first:used], patterns[p], neighbours))
        # Room for the sum over the patterns and for what rounding may have taken from the logarithms.
        digits = int((bits * 1.000001 + np.log2(1.0 + len(patterns)) + 2) // 32) + 1
        columns[i] = 1 if digits <= 2 else digits
    return Fitted(firsts, columns, elements[:used], ways[:used], gaps, ends)
