"""Group rows into sequences: a counting sort by sequence, then a sort by time within each."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

# Below this length an insertion sort beats the general one.
SHORT = 24


@compiled
def offsets_of_groups(groups: Array, n_groups: int) -> Array:
    """Return where each group starts if rows are stored group by group."""
    offsets = np.zeros(n_groups + 1, np.int64)
    for i in range(groups.size):
        offsets[groups[i] + 1] += 1
    for g in range(n_groups):
        offsets[g + 1] += offsets[g]
    return offsets


@compiled
def places_of_lists(offsets: Array, chosen: Array) -> Array:
    """Return the positions of the values of the chosen lists, list by list."""
    size = 0
    for i in range(chosen.size):
        size += offsets[chosen[i] + 1] - offsets[chosen[i]]
    places = np.empty(size, np.int64)
    filled = 0
    for i in range(chosen.size):
        for place in range(offsets[chosen[i]], offsets[chosen[i] + 1]):
            places[filled] = place
            filled += 1
    return places


@compiled
def lay_out_by_group(groups: Array, offsets: Array, times: Array, codes: Array) -> tuple[Array, Array, Array]:
    """Return row numbers, times and codes group by group, in row order within a group."""
    rows = np.empty(groups.size, np.int64)
    laid_times = np.empty(groups.size, times.dtype)
    laid_codes = np.empty(groups.size, codes.dtype)
    lay_out_some(groups, 0, offsets, times, codes, rows, laid_times, laid_codes)
    return rows, laid_times, laid_codes


@compiled
def lay_out_some(
    groups: Array,
    first: int,
    offsets: Array,
    times: Array,
    codes: Array,
    rows: Array,
    laid_times: Array,
    laid_codes: Array,
) -> None:
    """Write row numbers, times and codes of the groups from ``first`` on for which there are offsets."""
    free = offsets[:-1].copy()
    for i in range(groups.size):
        group = groups[i] - first
        if 0 <= group < free.size:
            place = free[group]
            free[group] += 1
            rows[place] = i
            laid_times[place] = times[i]
            laid_codes[place] = codes[i]


@compiled
def sort_inside(rows: Array, offsets: Array, times: Array, codes: Array, by_code: bool) -> None:
    """Sort each sequence in place by time, then by code if asked, otherwise in row order."""
    for s in range(offsets.size - 1):
        start, end = offsets[s], offsets[s + 1]
        if end - start <= SHORT:
            _sort_short(rows, start, end, times, codes, by_code)
        elif not _is_sorted(start, end, times, codes, by_code):
            _sort_long(rows, start, end, times, codes, by_code)


@compiled
def _sort_short(rows: Array, start: int, end: int, times: Array, codes: Array, by_code: bool) -> None:
    for i in range(start + 1, end):
        row, time, code = rows[i], times[i], codes[i]
        j = i - 1
        while j >= start and (time < times[j] or (by_code and time == times[j] and code < codes[j])):
            rows[j + 1], times[j + 1], codes[j + 1] = rows[j], times[j], codes[j]
            j -= 1
        rows[j + 1], times[j + 1], codes[j + 1] = row, time, code


@compiled
def _sort_long(rows: Array, start: int, end: int, times: Array, codes: Array, by_code: bool) -> None:
    """Sort short runs and merge them in pairs; numba's own sorts take seconds to compile."""
    for run in range(start, end, SHORT):
        _sort_short(rows, run, min(run + SHORT, end), times, codes, by_code)
    room = end - start
    spare = np.empty(room, rows.dtype), np.empty(room, times.dtype), np.empty(room, codes.dtype)
    width = SHORT
    while width < end - start:
        for run in range(start, end - width, 2 * width):
            _merge(rows, times, codes, run, run + width, min(run + 2 * width, end), by_code, spare)
        width *= 2


@compiled
def _merge(
    rows: Array,
    times: Array,
    codes: Array,
    start: int,
    middle: int,
    end: int,
    by_code: bool,
    spare: tuple[Array, Array, Array],
) -> None:
    """Merge two adjacent sorted runs; of equal rows, those of the left run come first."""
    if _is_sorted(middle - 1, middle + 1, times, codes, by_code):
        return
    left_rows, left_times, left_codes = spare
    n_left = middle - start
    for i in range(n_left):
        left_rows[i], left_times[i], left_codes[i] = rows[start + i], times[start + i], codes[start + i]
    left, right, place = 0, middle, start
    while left < n_left and right < end:
        time, other = times[right], left_times[left]
        if time < other or (by_code and time == other and codes[right] < left_codes[left]):
            rows[place], times[place], codes[place] = rows[right], time, codes[right]
            right += 1
        else:
            rows[place], times[place], codes[place] = left_rows[left], other, left_codes[left]
            left += 1
        place += 1
    for i in range(left, n_left):
        rows[place], times[place], codes[place] = left_rows[i], left_times[i], left_codes[i]
        place += 1


@compiled
def _is_sorted(start: int, end: int, times: Array, codes: Array, by_code: bool) -> bool:
    for i in range(start + 1, end):
        if times[i] < times[i - 1]:
            return False
        if by_code and times[i] == times[i - 1] and codes[i] < codes[i - 1]:
            return False
    return True


@compiled
def is_laid_out(offsets: Array, times: Array, codes: Array, by_code: bool) -> bool:
    """Return whether rows that are stored group by group are also in order within each group."""
    for s in range(offsets.size - 1):
        if not _is_sorted(offsets[s], offsets[s + 1], times, codes, by_code):
            return False
    return True


@compiled
def number_elements(times: Array, offsets: Array) -> Array:
    """Number the elements of each sequence from 0: rows with the same time share a number."""
    elements = np.empty(times.size, np.int32)
    for s in range(offsets.size - 1):
        number = 0
        for i in range(offsets[s], offsets[s + 1]):
            if i > offsets[s] and times[i] != times[i - 1]:
                number += 1
            elements[i] = number
    return elements


@compiled
def number_rows(offsets: Array) -> Array:
    """Number the rows of each sequence from 0."""
    positions = np.empty(offsets[-1], np.int32)
    for s in range(offsets.size - 1):
        for i in range(offsets[s], offsets[s + 1]):
            positions[i] = i - offsets[s]
    return positions
