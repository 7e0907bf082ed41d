"""Matches of patterns in sequences: how many go through every element.

The matches through an element are products of forward and backward counts: O(n m) for a list of m elements.

Counts are rows of uint64. One column is a plain number; several are digits of 32 bits, lowest first, so
that a product of two digits and two carries fits. Sums, differences and products are exact modulo the
width, so a result is exact whenever it fits itself: ``Fitted.columns`` sees to that, and no overflow
changes which element is chosen.
"""

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.hiding.kernels.fitting import (
    ACCEPTS,
    AFTER,
    BEGIN,
    END,
    FIRST_REQUIRED,
    FIRST_STATE,
    FIRST_STEP,
    HAS_WINDOW,
    HIGH,
    LAST_REQUIRED,
    LAST_STATE,
    LAST_STEP,
    LOW,
    SOURCE,
    STOP,
    TAKES_OTHERS,
    TARGET,
    UNTIL,
    Automata,
    Fitted,
)

_BITS = np.uint64(32)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compiled
def count_forward(
    begin: int, end: int, only_first: bool, pattern: Array, steps: Array, ways: Array, gaps: Array,
    counts: Array, sums: Array, pulse: Array,
) -> None:  # fmt: skip
    """Count partial matches: counts[j, t] end with step t at j, sums[j + 1, s] are in state s by then."""
    start, digits = pattern[FIRST_STATE], counts.shape[2]
    mask = np.uint64(0xFFFFFFFF) if digits > 1 else ~_ZERO
    for s in range(start, pattern[LAST_STATE]):
        for d in range(digits):
            sums[begin, s, d] = _ZERO
    for j in range(begin, end + 1):
        if digits > 1 and pulse[STOP] != 0:
            break
        for s in range(start, pattern[LAST_STATE]):
            for d in range(digits):
                sums[j + 1, s, d] = sums[j, s, d]
        for t in range(pattern[FIRST_STEP], pattern[LAST_STEP]):
            if ways[j, t] == 0:
                continue
            s, many, borrow, carry = steps[t, SOURCE], np.uint64(ways[j, t]), _ZERO, _ZERO
            low, high = max(int(gaps[LOW, s, j]), begin), int(gaps[HIGH, s, j]) + 1
            starts = s == start and (j == begin or not only_first)
            goes_on = s != start and low < high
            target = steps[t, TARGET]
            for d in range(digits):
                count = _ONE if starts and d == 0 else _ZERO
                if goes_on:
                    count = sums[high, s, d] - sums[low, s, d] - borrow
                    borrow = (count >> _BITS) & _ONE if digits > 1 else _ZERO
                    count &= mask
                counts[j, t, d] = count
                carry += sums[j + 1, target, d] + many * count
                sums[j + 1, target, d] = carry & mask
                carry >>= _BITS


@compiled
def count_backward(
    begin: int, end: int, only_first: bool, pattern: Array, steps: Array, states: Array, ways: Array,
    gaps: Array, counts: Array, sums: Array, out: Array, spare: Array, pulse: Array,
) -> None:  # fmt: skip
    """counts[j, t] becomes the matches through step t at element j; out[j] grows by all of them."""
    start, digits = pattern[FIRST_STATE], counts.shape[2]
    mask = np.uint64(0xFFFFFFFF) if digits > 1 else ~_ZERO
    for s in range(start, pattern[LAST_STATE]):
        for d in range(digits):
            sums[end + 1, s, d] = _ZERO
    for j in range(end, begin - 1, -1):
        if digits > 1 and pulse[STOP] != 0:
            break
        for s in range(start, pattern[LAST_STATE]):
            for d in range(digits):
                sums[j, s, d] = sums[j + 1, s, d]
        for t in range(pattern[FIRST_STEP], pattern[LAST_STEP]):
            if ways[j, t] == 0:
                continue
            s, many, borrow = steps[t, TARGET], np.uint64(ways[j, t]), _ZERO
            low, high = int(gaps[AFTER, s, j]), min(int(gaps[UNTIL, s, j]), end) + 1
            carry, total = _ONE if states[s, ACCEPTS] else _ZERO, _ZERO
            source = steps[t, SOURCE]
            counted = source != start or j == begin or not only_first
            for d in range(digits):
                rest = _ZERO
                if low < high:
                    rest = sums[low, s, d] - sums[high, s, d] - borrow
                    borrow = (rest >> _BITS) & _ONE if digits > 1 else _ZERO
                    rest &= mask
                carry += rest
                spare[0, d] = carry & mask
                spare[1, d] = _ZERO
                carry = carry >> _BITS if digits > 1 else _ZERO
                if counted:
                    total += sums[j, source, d] + many * spare[0, d]
                    sums[j, source, d] = total & mask
                    total >>= _BITS
            for a in range(digits):
                factor, carry = counts[j, t, a], _ZERO
                for d in range(digits - a if factor != _ZERO else 0):
                    carry += spare[1, a + d] + factor * spare[0, d]
                    spare[1, a + d] = carry & mask
                    carry >>= _BITS
            carry = _ZERO
            for d in range(digits):
                counts[j, t, d] = spare[1, d]
                carry += out[j, d] + many * spare[1, d]
                out[j, d] = carry & mask
                carry >>= _BITS


@compiled
def takes(code: int, step: Array, required: Array, named: Array) -> bool:
    """Return whether a step uses this event of an element that it fits."""
    if step[TAKES_OTHERS]:
        return code >= 0 and not named[code]
    for want in range(step[FIRST_REQUIRED], step[LAST_REQUIRED]):
        if required[want] == code:
            return True
    return False


@compiled
def add(x: Array, y: Array) -> None:
    """Add one count to another."""
    mask, carry = np.uint64(0xFFFFFFFF) if len(x) > 1 else ~_ZERO, _ZERO
    for d in range(len(x)):
        carry += x[d] + y[d]
        x[d] = carry & mask
        carry >>= _BITS


@compiled
def is_zero(x: Array) -> bool:
    """Return whether a count is zero."""
    for d in range(len(x)):
        if x[d] != _ZERO:
            return False
    return True


@compiled
def starts_here(j: int, pattern: Array, steps: Array, ways: Array) -> bool:
    """Return whether a match can start at element j."""
    for t in range(pattern[FIRST_STEP], pattern[LAST_STEP]):
        if steps[t, SOURCE] == pattern[FIRST_STATE] and ways[j, t] > 0:
            return True
    return False


@compiled
def count_job(
    codes: Array, automata: Automata, wanted: Array, elements: Array, ways: Array, gaps: Array, ends: Array,
    work: tuple[Array, Array, Array], out: Array, rows: Array, pulse: Array,
) -> bool:  # fmt: skip
    """Count the matches of all wanted patterns through every element and row; True if there are any.

    The last row of ``out`` is their number. ``rows`` is kept for elements of several rows only; ``rows[0]``
    stands for the first row of the job. When the work is to end, there are none.
    """
    out[:] = _ZERO
    rows[:] = _ZERO
    found, n = False, len(elements)
    for p in range(len(wanted) if n > 0 else 0):
        for begin in range((n if automata.patterns[p, HAS_WINDOW] else 1) if wanted[p] else 0):
            if pulse[STOP] != 0:
                return False
            if count_from(begin, p, codes, automata, elements, ways, gaps, ends, work, out, rows, pulse):
                found = True
    return found


@compiled
def count_from(
    begin: int, p: int, codes: Array, automata: Automata, elements: Array, ways: Array, gaps: Array,
    ends: Array, work: tuple[Array, Array, Array], out: Array, rows: Array, pulse: Array,
) -> bool:  # fmt: skip
    """Add the matches of a pattern in the window that begins here, without a window all; True if any."""
    n, (counts, sums, spare) = len(elements), work
    pattern, steps, states = automata.patterns[p], automata.steps, automata.states
    only_first, end = pattern[HAS_WINDOW] > 0, n - 1
    if only_first:
        end = int(ends[p, begin])
        if not starts_here(begin, pattern, steps, ways):
            return False
    count_forward(begin, end, only_first, pattern, steps, ways, gaps, counts, sums, pulse)
    found = False
    for s in range(pattern[FIRST_STATE], pattern[LAST_STATE]):
        if states[s, ACCEPTS] and not is_zero(sums[end + 1, s]):
            add(out[n], sums[end + 1, s])
            found = True
    if not found:
        return False
    # The forward sums are no longer needed: the same table now holds those of the backward pass.
    count_backward(
        begin, end, only_first, pattern, steps, states, ways, gaps, counts, sums, out, spare, pulse
    )
    for j in range(begin, end + 1):
        if elements[j, END] - elements[j, BEGIN] == 1:
            continue
        for t in range(pattern[FIRST_STEP], pattern[LAST_STEP]):
            if ways[j, t] > 0 and not is_zero(counts[j, t]):
                for row in range(elements[j, BEGIN], elements[j, END]):
                    if takes(codes[row], steps[t], automata.required, automata.named[p]):
                        add(rows[row - elements[0, BEGIN]], counts[j, t])
    return True


@compiled
def count_around(
    j: int, only_one: bool, codes: Array, automata: Automata, wanted: Array, elements: Array, ways: Array,
    gaps: Array, ends: Array, work: tuple[Array, Array, Array], out: Array, rows: Array, pulse: Array,
) -> bool:  # fmt: skip
    """Add the matches in all windows that hold element j, or look for one; True if there are any."""
    found = False
    for p in range(len(wanted)):
        has_window = automata.patterns[p, HAS_WINDOW] > 0
        begin = (j if has_window else 0) if wanted[p] else -1
        while begin >= 0 and (not has_window or ends[p, begin] >= j):
            if pulse[STOP] != 0:
                return False
            if count_from(begin, p, codes, automata, elements, ways, gaps, ends, work, out, rows, pulse):
                found = True
                if only_one:
                    return True
            begin -= 1
    return found


@compiled
def negate(numbers: Array) -> None:
    """Turn counts into what adds up to 0 with them."""
    digits = numbers.shape[1]
    mask = np.uint64(0xFFFFFFFF) if digits > 1 else ~_ZERO
    for i in range(len(numbers)):
        carry = _ONE
        for d in range(digits):
            carry += ~numbers[i, d] & mask
            numbers[i, d] = carry & mask
            carry >>= _BITS


@compiled
def work_space(n: int, automata: Automata, columns: int) -> tuple[Array, Array, Array]:
    """Counts per element and step, sums per element and state, and two numbers at hand."""
    return (
        np.zeros((n, len(automata.steps), columns), np.uint64),
        np.zeros((n + 1, len(automata.states), columns), np.uint64),
        np.zeros((2, columns), np.uint64),
    )


@compiled
def count_jobs(
    codes: Array, automata: Automata, wanted: Array, fitted: Fitted, out: Array, pulse: Array
) -> int:
    """Fill out[i] with digits of the number of matches of job i; returns how many digits are needed."""
    most = 1
    for i in range(len(wanted)):
        first, last, columns = fitted.offsets[i], fitted.offsets[i + 1], fitted.columns[i]
        elements, n = fitted.elements[first:last], last - first
        size = elements[n - 1, END] - elements[0, BEGIN] if n > 0 else 0
        counts = np.zeros((n + 1, columns), np.uint64)
        count_job(
            codes, automata, wanted[i], elements, fitted.ways[first:last], fitted.gaps[:, :, first:last],
            fitted.ends[:, first:last], work_space(n, automata, columns), counts,
            np.zeros((size, columns), np.uint64), pulse,
        )  # fmt: skip
        number = counts[n]
        if columns == 1:
            number = np.array([number[0] & np.uint64(0xFFFFFFFF), number[0] >> _BITS])
        for d in range(len(number)):
            if d < out.shape[1]:
                out[i, d] = number[d]
            if number[d] != _ZERO:
                most = max(most, d + 1)
    return most
