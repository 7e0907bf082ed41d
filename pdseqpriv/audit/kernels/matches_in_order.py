"""Matches of a pattern in sequences, listed one after the other.

Matches are listed by the place of their first element, then of their second one and so on; in an expression,
which takes one event of each element, the place of an element and then the event decide. A match comes before
the longer ones that begin with it. No step is taken that does not lead to a match, so that the first one is
found without looking at the others, however many there are.
"""

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.hiding.kernels.fitting import (
    ACCEPTS,
    AFTER,
    BEGIN,
    END,
    FIRST_STATE,
    HAS_WINDOW,
    LENGTH,
    SOURCE,
    TARGET,
    UNTIL,
    Automata,
    Fitted,
)
from pdseqpriv.hiding.kernels.matches import takes

JOB, MATCH, POSITION, ROW = range(4)


class Ways(NamedTuple):
    """How matches go on: from each element and step, or from each state."""

    leads_on: Array  # element x step: whether the step fits there and leads to a match
    ahead: Array  # state x element: how many elements from here on have a step that leaves the state so


@compiled
def list_matches(
    codes: Array, automata: Automata, fitted: Fitted, limit: int, most: int, found: Array
) -> tuple[Array, int]:
    """List up to ``limit`` matches per job, one row of (job, match, position, row) for each event.

    There is one pattern. Returns ``found``, or a longer copy, and how many rows of it are filled; stops when
    there are more than ``most``.
    """
    used = 0
    for job in range(len(fitted.offsets) - 1):
        found, used = _list_job(codes, automata, fitted, job, limit, most, found, used)
        if used > most:
            break
    return found, used


@compiled
def _list_job(
    codes: Array, automata: Automata, fitted: Fitted, job: int, limit: int, most: int, found: Array, used: int
) -> tuple[Array, int]:
    first, last = fitted.offsets[job], fitted.offsets[job + 1]
    elements, gaps, n = fitted.elements[first:last], fitted.gaps[:, :, first:last], last - first
    pattern, steps, states = automata.patterns[0], automata.steps, automata.states
    ways = Ways(np.zeros((n, len(steps)), np.bool_), np.zeros((len(states), n + 1), np.int64))
    # A partial match: at each depth the element and row taken, up to which element, and by which step.
    at, row, until = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    step, source = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    has_window, matches = pattern[HAS_WINDOW] > 0, 0
    for begin in range(n if has_window else min(n, 1)):
        end = int(fitted.ends[0, first + begin]) if has_window else n - 1
        _look_ahead(begin, end, automata, fitted.ways[first:last], gaps, ways)
        at[0], row[0], until[0], source[0] = begin, -1, begin if has_window else end, pattern[FIRST_STATE]
        depth = 0
        while depth >= 0:
            j, r, t = _next(
                codes, automata, elements, ways, at[depth], row[depth], until[depth], source[depth]
            )
            if t < 0:
                depth -= 1
                continue
            at[depth], row[depth], step[depth] = j, r, t
            s = steps[t, TARGET]
            if states[s, ACCEPTS]:
                matches += 1
                for position in range(depth + 1):
                    taken = elements[at[position], BEGIN], elements[at[position], END], row[position]
                    entry = job, matches, position + 1
                    found, used = _note(codes, automata, step[position], taken, entry, found, used)
                if matches == limit or used > most:
                    return found, used
            low, high = int(gaps[AFTER, s, j]), min(int(gaps[UNTIL, s, j]), end)
            if low <= high and ways.ahead[s, low] > ways.ahead[s, high + 1]:
                depth += 1
                at[depth], row[depth], until[depth], source[depth] = low, -1, high, s
    return found, used


@compiled
def _look_ahead(begin: int, end: int, automata: Automata, fits: Array, gaps: Array, ways: Ways) -> None:
    """Find out, for the elements from ``begin`` to ``end``, which steps lead to a match."""
    steps, states = automata.steps, automata.states
    ways.ahead[:, end + 1] = 0
    for j in range(end, begin - 1, -1):
        ways.ahead[:, j] = ways.ahead[:, j + 1]
        for t in range(len(steps)):
            ways.leads_on[j, t] = False
            if fits[j, t] > 0:
                s = steps[t, TARGET]
                low, high = int(gaps[AFTER, s, j]), min(int(gaps[UNTIL, s, j]), end)
                goes_on = low <= high and ways.ahead[s, low] > ways.ahead[s, high + 1]
                ways.leads_on[j, t] = states[s, ACCEPTS] > 0 or goes_on
        for t in range(len(steps)):
            if ways.leads_on[j, t]:
                ways.ahead[steps[t, SOURCE], j] = ways.ahead[steps[t, SOURCE], j + 1] + 1


@compiled
def _next(
    codes: Array, automata: Automata, elements: Array, ways: Ways, j: int, row: int, until: int, source: int
) -> tuple[int, int, int]:
    """Return the next element, row and step after this row of element j; step -1 when there is none."""
    steps, is_list = automata.steps, automata.patterns[0, LENGTH] > 0
    while j <= until:
        begin, end = elements[j, BEGIN], elements[j, END]
        for r in range(begin if row < 0 else row + 1, end):
            if not is_list and (codes[r] < 0 or (r > begin and codes[r] == codes[r - 1])):
                continue
            for t in range(len(steps)):
                if steps[t, SOURCE] == source and ways.leads_on[j, t]:
                    if is_list:  # the element as a whole: none of its rows comes next
                        return j, end - 1, t
                    if takes(codes[r], steps[t], automata.required, automata.named[0]):
                        return j, r, t
            if is_list:
                break
        j, row = j + 1, -1
    return j, row, -1


@compiled
def _note(
    codes: Array,
    automata: Automata,
    step: int,
    taken: tuple[int, int, int],
    entry: tuple[int, int, int],
    found: Array,
    used: int,
) -> tuple[Array, int]:
    """Note the rows that a step takes of an element; of several copies of an event, the first."""
    begin, end, row = taken
    is_list = automata.patterns[0, LENGTH] > 0
    for r in range(begin if is_list else row, end if is_list else row + 1):
        is_copy = r > begin and codes[r] == codes[r - 1]
        if not is_copy and takes(codes[r], automata.steps[step], automata.required, automata.named[0]):
            if used == len(found):
                longer = np.empty((2 * used + 1, 4), np.int64)
                longer[:used] = found
                found = longer
            found[used, JOB], found[used, MATCH], found[used, POSITION] = entry
            found[used, ROW] = r
            used += 1
    return found, used
