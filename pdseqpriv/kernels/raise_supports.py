"""Raise supports until no pattern tells too much about a longer one (PICS, algorithm 1).

Patterns are numbered from 1 by length; 0 holds no event. ``links[begins[i]:begins[i + 1]]`` are the numbers
of what remains of pattern ``i`` without one event, 0 where that is not in the table.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled

# What is remembered of a visit: which pattern came, times this, and up to which event it went on.
VISIT = 1 << 32


@compiled
def raise_supports(
    longest: int,
    stop: int,
    begins: Array,
    links: Array,
    raised: Array,
    added: Array,
    memory: Array,
    k: int,
    numerator: int,
    denominator: int,
    highest: int,
) -> bool:
    """Work out, from pattern ``longest`` down to above ``stop``, how many copies of each to add.

    Writes ``added`` and ``raised``. When a pattern's turn comes, all that longer ones add is known;
    ``memory`` (three rows, -1 at first) carries over from one call to the next. ``k`` 0 asks for no
    k-anonymity, ``denominator`` 0 for no dissociation (alpha is numerator/denominator). Gives up, with
    False, when a support passes ``highest``.
    """
    # The largest and the second largest different support that may be too close, one event further.
    largest, second, visits = memory[0], memory[1], memory[2]
    waiting = np.empty((64, 3), np.int32)
    for pattern in range(longest, stop, -1):
        wanted = raised[pattern]
        if largest[pattern] >= 0 and wanted <= highest:
            if k > 0:
                # With an equal support there is no one to tell apart; the next lower one decides.
                below = second[pattern] if largest[pattern] == wanted else largest[pattern]
                if below >= 0 and below < wanted and wanted - below < k:
                    wanted = largest[pattern] + k
            if denominator > 0:
                # Once a support is raised, one that was equal is no longer so: ask k again.
                if largest[pattern] * denominator >= wanted * numerator:
                    wanted = largest[pattern] * denominator // numerator + 1
                if k > 0 and wanted > raised[pattern] and wanted - largest[pattern] < k:
                    wanted = largest[pattern] + k
            if wanted > raised[pattern]:
                added[pattern] = wanted - raised[pattern]
                raised[pattern] = wanted
                waiting = _add_below(pattern, added[pattern], raised, begins, links, visits, waiting)
        if wanted > highest:
            return False
        support = raised[pattern]
        for place in range(begins[pattern], begins[pattern + 1]):
            shorter = links[place]
            # What is far enough already stays so: supports of shorter ones only grow.
            if raised[shorter] - support >= k and raised[shorter] * numerator > support * denominator:
                continue
            if support > largest[shorter]:
                second[shorter] = largest[shorter]
                largest[shorter] = support
            elif support < largest[shorter] and support > second[shorter]:
                second[shorter] = support
    return True


@compiled
def _add_below(
    pattern: int, amount: int, raised: Array, begins: Array, links: Array, visits: Array, waiting: Array
) -> Array:
    """Add once to everything that a pattern contains.

    Events are left out from the last to the first, so that each choice of events comes up once. What is met
    again goes on only with the events that could not be left out before.
    """
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = pattern, 0, begins[pattern + 1] - begins[pattern]
    left = 1
    while left > 0:
        left -= 1
        begin, low, high = begins[waiting[left, 0]], waiting[left, 1], waiting[left, 2]
        if left + high > len(waiting):
            waiting = np.concatenate((waiting, np.empty((len(waiting) + high, 3), np.int32)))
        for step in range(high - 1, low - 1, -1):
            shorter = links[begin + step]
            reached = visits[shorter] - pattern * VISIT
            if reached < 0 or reached >= VISIT:
                raised[shorter] += amount
                reached = 0
                visits[shorter] = pattern * VISIT
            if reached < step and shorter > 0:
                waiting[left, 0], waiting[left, 1], waiting[left, 2] = shorter, reached, step
                left += 1
                visits[shorter] = pattern * VISIT + step
    return waiting


@compiled
def are_closed(supports: Array, begins: Array, links: Array) -> Array:
    """Tell which patterns have no pattern with one event more and the same support."""
    closed = np.ones(len(supports), np.bool_)
    for pattern in range(1, len(supports)):
        for place in range(begins[pattern], begins[pattern + 1]):
            if supports[links[place]] == supports[pattern]:
                closed[links[place]] = False
    return closed


@compiled
def count_faults(supports: Array, begins: Array, links: Array, shortest: int) -> tuple[int, int]:
    """Count how many sub-patterns are missing, and how many have a lower support than what contains them."""
    missing = 0
    rising = 0
    for pattern in range(1, len(supports)):
        if begins[pattern + 1] - begins[pattern] <= shortest:
            continue
        for place in range(begins[pattern], begins[pattern + 1]):
            if links[place] == 0:
                missing += 1
            elif supports[links[place]] < supports[pattern]:
                rising += 1
    return missing, rising
