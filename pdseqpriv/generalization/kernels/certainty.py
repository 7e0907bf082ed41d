"""How many people have an event within a window of time."""

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def most_within(
    early: Array, late: Array, people: Array, starts: Array, length: float, n_people: int
) -> Array:
    """Return per run the most people that one closed window of this length holds.

    Run ``r`` is ``starts[r]:starts[r + 1]``; its times ascend and are given rounded down and up. Windows that
    begin with a row are enough: any other can be moved to the next row that it holds without losing one.
    """
    most = np.zeros(len(starts) - 1, np.int64)
    inside = np.zeros(n_people, np.int64)
    for run in range(len(starts) - 1):
        begin, found = starts[run], 0
        for row in range(starts[run], starts[run + 1]):
            found += inside[people[row]] == 0
            inside[people[row]] += 1
            while begin < row and early[row] - late[begin] > length:
                inside[people[begin]] -= 1
                found -= inside[people[begin]] == 0
                begin += 1
            most[run] = max(most[run], found)
        for row in range(begin, starts[run + 1]):
            inside[people[row]] = 0
    return most
