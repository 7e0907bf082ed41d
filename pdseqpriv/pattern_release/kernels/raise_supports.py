"""Raise supports until nothing can be inferred from a pattern about a longer one (PICS, algorithm 1).

Patterns are numbered from 1 by length; 0 holds no event. ``levels[n]`` is the first number of length n. For
each pattern, in the order of numbers, ``links`` has one number per event: of what remains without it, or 0
where that is not in the table. Links of the ``shortest`` patterns lead to nothing that counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled


class Rules(NamedTuple):
    """What supports must satisfy."""

    k: int  # 0 asks for no k-anonymity
    numerator: int  # of alpha
    denominator: int  # 0 asks for no dissociation
    highest: int  # support that there is room for


@compiled
def raise_supports(
    longest: int, stop: int, levels: Array, shortest: int, links: Array, state: Array, rules: Rules
) -> bool:
    """Work out, from number ``longest`` down to above ``stop``, how many copies of each pattern to add.

    ``state`` has four rows and carries over from one call to the next. The first holds the supports, which
    are raised; the others are 0 to begin with. When a pattern's turn comes, all that longer ones add is
    known. Returns False as soon as a support exceeds the highest.
    """
    k, numerator, denominator, highest = rules
    # The largest and the second largest different support that may be too close, one event further.
    raised, largest, second, visits = state
    shifts = first_links(levels)
    queue = np.empty((len(raised), 2), np.int32)
    length = len(levels) - 2
    for pattern in range(longest, stop, -1):
        while levels[length] > pattern:
            length -= 1
        support = int(raised[pattern])
        wanted = _least_safe(support, int(largest[pattern]), int(second[pattern]), rules)
        if wanted > highest:
            return False
        if wanted > support:
            raised[pattern] = wanted
            amount = wanted - support
            if not _add_below(
                pattern, length, shortest, amount, shifts, links, raised, visits, queue, highest
            ):
                return False
        if length == shortest:
            continue
        begin = shifts[length] + pattern * length
        for place in range(begin, begin + length):
            shorter = links[place]
            # What is far enough already stays so: supports of shorter ones only grow.
            other = int(raised[shorter])
            if other - wanted >= k and other * numerator > wanted * denominator:
                continue
            if wanted > largest[shorter]:
                second[shorter] = largest[shorter]
                largest[shorter] = wanted
            elif wanted < largest[shorter] and wanted > second[shorter]:
                second[shorter] = wanted
    return True


@compiled
def _least_safe(support: int, most: int, second: int, rules: Rules) -> int:
    """Return the least support that is safe given those with one more event; 0 stands for no support."""
    k, numerator, denominator, highest = rules
    wanted = support
    if most == 0 or support > highest:
        return wanted
    if k > 0:
        # With an equal support there is no one to tell apart; the next lower one decides.
        below = second if most == support else most
        if 0 < below < support and support - below < k:
            wanted = most + k
    if denominator > 0 and wanted <= highest:  # beyond, the products would pass 64 bits
        # Once a support is raised, one that was equal is no longer so: ask k again.
        if most * denominator >= wanted * numerator:
            wanted = most * denominator // numerator + 1
        if k > 0 and wanted > support and wanted - most < k:
            wanted = most + k
    return wanted


@compiled
def _add_below(
    pattern: int,
    length: int,
    shortest: int,
    amount: int,
    shifts: Array,
    links: Array,
    raised: Array,
    visits: Array,
    queue: Array,
    highest: int,
) -> bool:
    """Add once to everything that a pattern contains; return False if that exceeds the highest support.

    Events are left out from the last to the first. If leaving out different events yields the same pattern,
    it is first met by leaving out the latest, so nothing is missed by continuing only from there.
    """
    queue[0, 0], queue[0, 1] = pattern, length
    head, tail = 0, 1
    while length > shortest:
        end_of_level = tail
        while head < end_of_level:
            current, steps = queue[head, 0], queue[head, 1]
            head += 1
            begin = shifts[length] + current * length
            for step in range(steps - 1, -1, -1):
                shorter = links[begin + step]
                if visits[shorter] != pattern:
                    visits[shorter] = pattern
                    total = int(raised[shorter]) + amount
                    if total > highest:
                        return False
                    raised[shorter] = total
                    if step > 0:
                        queue[tail, 0], queue[tail, 1] = shorter, step
                        tail += 1
        length -= 1
    return True


@compiled
def first_links(levels: Array) -> Array:
    """Return for each length what makes ``shift + number * length`` the place of a pattern's first link."""
    shifts = np.zeros(len(levels), np.int64)
    begin = 0
    for length in range(1, len(levels) - 1):
        shifts[length] = begin - levels[length] * length
        begin += (levels[length + 1] - levels[length]) * length
    return shifts


@compiled
def find_faults(supports: Array, levels: Array, shortest: int, links: Array) -> tuple[bool, int]:
    """Return whether sub-patterns are missing, and how many have less support than what contains them."""
    is_missing, rising = False, 0
    shifts = first_links(levels)
    for length in range(shortest + 1, len(levels) - 1):
        begin = shifts[length] + levels[length] * length
        for pattern in range(levels[length], levels[length + 1]):
            for place in range(begin, begin + length):
                is_missing |= links[place] == 0
                if links[place] > 0 and supports[links[place]] < supports[pattern]:
                    # The same may remain without another event; a pair counts once.
                    rising += _is_first(links, begin, place)
            begin += length
    return is_missing, rising


@compiled
def _is_first(links: Array, begin: int, place: int) -> bool:
    for before in range(begin, place):
        if links[before] == links[place]:
            return False
    return True
