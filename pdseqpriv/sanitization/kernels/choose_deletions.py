"""How many occurrences to delete: in one event sequence, or in each of many in one call."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.build_timeline import CODE, COUNT, TIME, Requirement, build_timeline
from pdseqpriv.sanitization.kernels.joint import solve_joint
from pdseqpriv.sanitization.kernels.one_event import iterate_essa
from pdseqpriv.sanitization.kernels.timeline import DONE, STOP, complete, new_solution

# Counts from which on a single sequence may take longer than a second.
LONG = 1 << 14


@compiled
def count_keys(keys: Array, width: int, like: Array) -> Array:
    """Count sorted keys, which are time * width + code; the counts have the type of ``like``."""
    size = 0
    for i in range(keys.size):
        size += i == 0 or keys[i] != keys[i - 1]
    counts = np.zeros((size, 3), like.dtype)
    place = -1
    for i in range(keys.size):
        if i == 0 or keys[i] != keys[i - 1]:
            place += 1
            counts[place, TIME], counts[place, CODE] = keys[i] // width, keys[i] % width
        counts[place, COUNT] += 1
    return counts


@compiled
def choose_deletions(
    counts: Array, requirement: Requirement, is_joint: bool, limit: int, pulse: Array
) -> Array:
    """Return how many occurrences of each count to delete; if stopped, the choice is poor but below delta."""
    timeline, origin = build_timeline(counts, requirement, pulse)
    solution = new_solution(timeline)
    if is_joint:
        solve_joint(timeline, solution, limit)
    else:
        iterate_essa(timeline, solution, np.arange(timeline.event_offsets.size - 1))
    complete(timeline, solution.deleted)  # adds nothing; the guarantee rests on this loop alone
    chosen = np.zeros(counts.shape[0], counts.dtype)
    for i in range(origin.size):
        chosen[origin[i]] = solution.deleted[i]
    return chosen


@compiled
def choose_for_each(
    counts: Array, offsets: Array, requirement: Requirement, is_joint: bool, limit: int, chosen: Array,
    pulse: Array,
) -> None:  # fmt: skip
    """Do the same for many event sequences, which begin at the offsets; the caller counts what is done."""
    before, own = pulse[DONE], np.zeros(2, np.int64)
    for s in range(offsets.size - 1):
        if pulse[STOP] != 0:
            return
        first, last = offsets[s], offsets[s + 1]
        # Steps are not what the bar counts: short sequences count them elsewhere.
        steps = pulse if last - first > LONG else own
        chosen[first:last] = choose_deletions(counts[first:last], requirement, is_joint, limit, steps)
        pulse[DONE] = before
