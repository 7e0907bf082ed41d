"""Raise supports until no pattern tells too much about a longer one (PICS, algorithm 1)."""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled


@compiled
def raise_supports(
    order: Array,
    offsets: Array,
    links: Array,
    raised: Array,
    added: Array,
    memory: Array,
    k: int,
    numerator: int,
    denominator: int,
    highest: int,
) -> bool:
    """Work out, from longest to shortest, how many copies of each pattern to add.

    Writes ``added`` and ``raised``. When a pattern's turn comes, all that longer ones add is known;
    ``memory`` (four rows, -1 at first) carries over from one call to the next. ``k`` 0 asks for no
    k-anonymity, ``denominator`` 0 for no dissociation (alpha is numerator/denominator). Gives up, with
    False, when a support passes ``highest``.
    """
    # The largest and the second largest different support among the patterns with one event more.
    largest, second, last_seen, queue = memory[0], memory[1], memory[2], memory[3]
    for pattern in order:
        if largest[pattern] >= 0:
            wanted = raised[pattern]
            if k > 0:
                # With an equal support there is no one to tell apart; the next lower one decides.
                below = second[pattern] if largest[pattern] == wanted else largest[pattern]
                if below >= 0 and below < wanted and wanted - below < k:
                    wanted = largest[pattern] + k
            if denominator > 0:
                # Once a support is raised, one that was equal is no longer so: ask k again.
                least = largest[pattern] * denominator // numerator + 1
                if least > wanted:
                    wanted = least
                if k > 0 and wanted > raised[pattern] and wanted - largest[pattern] < k:
                    wanted = largest[pattern] + k
            if wanted > highest:
                return False
            if wanted > raised[pattern]:
                added[pattern] = wanted - raised[pattern]
                _add_below(pattern, added[pattern], raised, offsets, links, last_seen, queue)
        support = raised[pattern]
        for place in range(offsets[pattern], offsets[pattern + 1]):
            shorter = links[place]
            if shorter < 0:
                continue
            if support > largest[shorter]:
                second[shorter] = largest[shorter]
                largest[shorter] = support
            elif support < largest[shorter] and support > second[shorter]:
                second[shorter] = support
    return True


@compiled
def _add_below(
    pattern: int, amount: int, raised: Array, offsets: Array, links: Array, last_seen: Array, queue: Array
) -> None:
    """Add to a pattern and, once each, to all that it contains."""
    queue[0] = pattern
    last_seen[pattern] = pattern
    raised[pattern] += amount
    waiting = 1
    while waiting > 0:
        waiting -= 1
        current = queue[waiting]
        for place in range(offsets[current], offsets[current + 1]):
            shorter = links[place]
            if shorter >= 0 and last_seen[shorter] != pattern:
                last_seen[shorter] = pattern
                raised[shorter] += amount
                queue[waiting] = shorter
                waiting += 1


@compiled
def are_closed(supports: Array, offsets: Array, links: Array) -> Array:
    """Tell which patterns have no pattern with one event more and the same support."""
    closed = np.ones(len(supports), np.bool_)
    for pattern in range(len(supports)):
        for place in range(offsets[pattern], offsets[pattern + 1]):
            shorter = links[place]
            if shorter >= 0 and supports[shorter] == supports[pattern]:
                closed[shorter] = False
    return closed


@compiled
def count_faults(supports: Array, offsets: Array, links: Array, shortest: int) -> tuple[int, int]:
    """Count how many sub-patterns are missing, and how many have a lower support than what contains them."""
    missing = 0
    rising = 0
    for pattern in range(len(supports)):
        if offsets[pattern + 1] - offsets[pattern] <= shortest:
            continue
        for place in range(offsets[pattern], offsets[pattern + 1]):
            if links[place] < 0:
                missing += 1
            elif supports[links[place]] < supports[pattern]:
                rising += 1
    return missing, rising
