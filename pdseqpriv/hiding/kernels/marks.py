"""Marks, one event of one element at a time, until no pattern matches any more."""

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.hiding.kernels.fitting import (
    BEGIN,
    END,
    FIRST_STEP,
    HAS_WINDOW,
    LAST_STEP,
    STOP,
    Automata,
    Fitted,
)
from pdseqpriv.hiding.kernels.matches import count_around, count_job, is_zero, negate, takes, work_space

GREEDY, RANDOM, TRIMMED = 0, 1, 2

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compiled
def draw(state: Array) -> int:
    """The next of a stream of 64-bit numbers (splitmix64), the same on every machine."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))  # type: ignore[no-any-return]


@compiled
def choose(counts: Array, begin: int, end: int, rule: int, state: Array) -> int:
    """The first of the largest counts; with RANDOM any one that is not zero. The first when all are zero."""
    best, positive = begin, _ZERO
    for i in range(begin, end):
        if rule == RANDOM:
            if not is_zero(counts[i]):
                positive += _ONE
                if draw(state) % positive == _ZERO:
                    best = i
            continue
        for d in range(counts.shape[1] - 1, -1, -1):
            if counts[i, d] != counts[best, d]:
                if counts[i, d] > counts[best, d]:
                    best = i
                break
    return best


@compiled
def mark_event(
    codes: Array, begin: int, end: int, code: int, automata: Automata, wanted: Array, ways: Array
) -> None:
    """Mark every copy of an event in one element, and what it takes from the ways of the steps."""
    for row in range(begin, end):
        if codes[row] == code:
            codes[row] = -1
    for p in range(len(wanted)):
        for t in range(automata.patterns[p, FIRST_STEP], automata.patterns[p, LAST_STEP] if wanted[p] else 0):
            if ways[t] > 0 and takes(code, automata.steps[t], automata.required, automata.named[p]):
                ways[t] = ways[t] - 1


@compiled
def have_windows(automata: Automata, wanted: Array) -> bool:
    """Return whether all wanted patterns have a window."""
    for p in range(len(wanted)):
        if wanted[p] and automata.patterns[p, HAS_WINDOW] == 0:
            return False
    return True


@compiled
def mark_jobs(
    codes: Array, original: Array, automata: Automata, wanted: Array, fitted: Fitted, rule: int,
    seeds: Array, keep: bool, pulse: Array,
) -> Array:  # fmt: skip
    """Mark, one event of one element at a time, until no wanted pattern matches; returns the marks per job.

    GREEDY and TRIMMED take the element in most matches (the leftmost), and in it the event in most (the
    first); TRIMMED then takes needless marks back. Unless they are to be kept, all marks are.
    """
    state, marks = np.empty(1, np.uint64), np.zeros(len(wanted), np.int64)
    for i in range(len(wanted)):
        first, last, columns = fitted.offsets[i], fitted.offsets[i + 1], fitted.columns[i]
        elements, ways, n = fitted.elements[first:last], fitted.ways[first:last].copy(), last - first
        if n == 0:
            continue
        gaps, ends = fitted.gaps[:, :, first:last], fitted.ends[:, first:last]
        base, work = elements[0, BEGIN], work_space(n, automata, columns)
        counts = np.zeros((n + 1, columns), np.uint64)
        rows = np.zeros((elements[n - 1, END] - base, columns), np.uint64)
        state[0] = seeds[i]
        in_windows = have_windows(automata, wanted[i])
        left = count_job(codes, automata, wanted[i], elements, ways, gaps, ends, work, counts, rows, pulse)
        while left:
            j = choose(counts, 0, n, rule, state)
            begin, end = elements[j, BEGIN], elements[j, END]
            row = base + choose(rows, begin - base, end - base, rule, state)
            if in_windows:  # a mark changes nothing in windows that do not hold it
                negate(counts)
                negate(rows)
                count_around(
                    j,
                    False,
                    codes,
                    automata,
                    wanted[i],
                    elements,
                    ways,
                    gaps,
                    ends,
                    work,
                    counts,
                    rows,
                    pulse,
                )
                negate(counts)
                negate(rows)
                mark_event(codes, begin, end, codes[row], automata, wanted[i], ways[j])
                count_around(
                    j,
                    False,
                    codes,
                    automata,
                    wanted[i],
                    elements,
                    ways,
                    gaps,
                    ends,
                    work,
                    counts,
                    rows,
                    pulse,
                )
                left = pulse[STOP] == 0 and not is_zero(counts[n])
            else:
                mark_event(codes, begin, end, codes[row], automata, wanted[i], ways[j])
                left = count_job(
                    codes, automata, wanted[i], elements, ways, gaps, ends, work, counts, rows, pulse
                )
        for place in range(n if rule == TRIMMED else 0):
            j = n - 1 - place
            begin, end = elements[j, BEGIN], elements[j, END]
            for row in range(begin, end):
                if codes[row] == original[row] or pulse[STOP] != 0:
                    continue
                kept = codes[begin:end].copy()
                codes[begin:end] = original[begin:end]
                ways[j] = fitted.ways[first + j]
                for other in range(begin, end):
                    # Marking one copy marks all, so the next ones find it done.
                    still = kept[other - begin] != original[other] and original[other] != original[row]
                    if still and codes[other] == original[other]:
                        mark_event(codes, begin, end, original[other], automata, wanted[i], ways[j])
                # Nothing matched with the mark, so what matches without it goes through this element.
                if count_around(
                    j, True, codes, automata, wanted[i], elements, ways, gaps, ends, work, counts, rows, pulse
                ):
                    mark_event(codes, begin, end, original[row], automata, wanted[i], ways[j])
        for row in range(base, elements[n - 1, END]):
            marks[i] += codes[row] != original[row]
            if not keep:
                codes[row] = original[row]
    return marks
