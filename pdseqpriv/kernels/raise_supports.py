"""Raise supports until no pattern tells too much about a longer one (PICS, algorithm 1).

Patterns are numbered from 1 by length; 0 holds no event. ``levels[n]`` is the first number of length n. For
each pattern, in the order of numbers, ``links`` has one number per event: of what remains without it, or 0
where that is not in the table.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled

# What is remembered of a visit: which pattern came, times this, and up to which event it goes on.
VISIT = 1 << 32


@compiled
def raise_supports(
    longest: int,
    stop: int,
    levels: Array,
    links: Array,
    raised: Array,
    added: Array,
    memory: Array,
    k: int,
    numerator: int,
    denominator: int,
    highest: int,
) -> bool:
    """Work out, from number ``longest`` down to above ``stop``, how many copies of each pattern to add.

    Writes ``added`` and ``raised``. When a pattern's turn comes, all that longer ones add is known;
    ``memory`` (three rows, -1 at first) carries over from one call to the next. ``k`` 0 asks for no
    k-anonymity, ``denominator`` 0 for no dissociation (alpha is numerator/denominator). Gives up, with
    False, when a support passes ``highest``.
    """
    # The largest and the second largest different support that may be too close, one event further.
    largest, second, visits = memory[0], memory[1], memory[2]
    shifts = first_links(levels)
    queue = np.empty(len(raised), np.int32)
    length = len(levels) - 2
    for pattern in range(longest, stop, -1):
        while levels[length] > pattern:
            length -= 1
        wanted, most = raised[pattern], largest[pattern]
        if most >= 0 and wanted <= highest:
            if k > 0:
                # With an equal support there is no one to tell apart; the next lower one decides.
                below = second[pattern] if most == wanted else most
                if below >= 0 and below < wanted and wanted - below < k:
                    wanted = most + k
            if denominator > 0 and wanted <= highest:  # beyond, the products would pass 64 bits
                # Once a support is raised, one that was equal is no longer so: ask k again.
                if most * denominator >= wanted * numerator:
                    wanted = most * denominator // numerator + 1
                if k > 0 and wanted > raised[pattern] and wanted - most < k:
                    wanted = most + k
            if wanted > raised[pattern]:
                added[pattern] = wanted - raised[pattern]
                raised[pattern] = wanted
                _add_below(pattern, length, added[pattern], shifts, links, raised, visits, queue)
        if wanted > highest:
            return False
        begin = shifts[length] + pattern * length
        for place in range(begin, begin + length):
            shorter = links[place]
            # What is far enough already stays so: supports of shorter ones only grow.
            if raised[shorter] - wanted >= k and raised[shorter] * numerator > wanted * denominator:
                continue
            if wanted > largest[shorter]:
                second[shorter] = largest[shorter]
                largest[shorter] = wanted
            elif wanted < largest[shorter] and wanted > second[shorter]:
                second[shorter] = wanted
    return True


@compiled
def _add_below(
    pattern: int,
    length: int,
    amount: int,
    shifts: Array,
    links: Array,
    raised: Array,
    visits: Array,
    queue: Array,
) -> None:
    """Add once to everything that a pattern contains.

    Events are left out from the last to the first. What remains the same when other events are left out is
    first met with the latest of them, so nothing is missed when it goes on from there only.
    """
    now = pattern * VISIT
    queue[0], visits[pattern] = pattern, now + length
    head, tail = 0, 1
    while head < tail:
        end_of_level = tail
        while head < end_of_level:
            current = queue[head]
            head += 1
            begin = shifts[length] + current * length
            for step in range(visits[current] - now - 1, -1, -1):
                shorter = links[begin + step]
                if visits[shorter] < now or visits[shorter] >= now + VISIT:
                    visits[shorter] = now + step
                    raised[shorter] += amount
                    if step > 0 and shorter > 0:
                        queue[tail] = shorter
                        tail += 1
        length -= 1


@compiled
def first_links(levels: Array) -> Array:
    """Give for each length what makes ``shift + number * length`` the place of a pattern's first link."""
    shifts = np.zeros(len(levels), np.int64)
    begin = 0
    for length in range(1, len(levels) - 1):
        shifts[length] = begin - levels[length] * length
        begin += (levels[length + 1] - levels[length]) * length
    return shifts


@compiled
def are_closed(supports: Array, levels: Array, links: Array) -> Array:
    """Tell which patterns have no pattern with one event more and the same support."""
    closed = np.ones(len(supports), np.bool_)
    place = 0
    for length in range(1, len(levels) - 1):
        for pattern in range(levels[length], levels[length + 1]):
            for _ in range(length):
                if supports[links[place]] == supports[pattern]:
                    closed[links[place]] = False
                place += 1
    return closed


@compiled
def count_faults(supports: Array, levels: Array, links: Array) -> tuple[int, int]:
    """Count how many sub-patterns are missing, and how many have a lower support than what contains them."""
    missing, rising = 0, 0
    place = 0
    for length in range(1, len(levels) - 1):
        for pattern in range(levels[length], levels[length + 1]):
            for _ in range(length):
                if links[place] > 0:
                    rising += supports[links[place]] < supports[pattern]
                else:
                    missing += levels[length] > 1  # nothing is shorter than the shortest
                place += 1
    return missing, rising
