"""How many pairs of events a release shows: categories stand for all events below them."""

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def count_covered(firsts: Array, thens: Array, first_starts: Array, then_starts: Array) -> int:
    """Return the number of pairs of events that each sequence shows, added up over all sequences.

    Events are numbered so that a category is an interval of them, and of two intervals that meet one is
    inside the other. ``firsts`` are the intervals of events that something follows, and ``thens`` the pairs
    of intervals: what is first, and what follows. Those of sequence ``s`` begin at ``first_starts[s]`` and
    ``then_starts[s]``. Larger intervals come before those inside them, in ``thens`` by what follows.
    """
    total = 0
    alone = np.empty(len(firsts), np.int64)  # events of an interval that are in no smaller one
    for sequence in range(len(first_starts) - 1):
        begin, end = first_starts[sequence], first_starts[sequence + 1]
        for place in range(begin, end):
            size = firsts[place, 1] - firsts[place, 0]
            alone[place] = size
            around = place - 1
            while around >= begin and firsts[around, 1] < firsts[place, 1]:
                around -= 1
            if around >= begin:
                alone[around] -= size
        for place in range(begin, end):
            followers, reached = 0, 0
            for pair in range(then_starts[sequence], then_starts[sequence + 1]):
                is_around = thens[pair, 0] <= firsts[place, 0] and firsts[place, 1] <= thens[pair, 1]
                if is_around and thens[pair, 2] >= reached:
                    followers += thens[pair, 3] - thens[pair, 2]
                    reached = thens[pair, 3]
            total += alone[place] * followers
    return total
