"""Which prefixes have too few other events that occur as often as a sensitive one. Only the check uses this.

How many of the other events occur how often in a prefix is kept in a tree of sums (Fenwick's), so that each
row and each look takes logarithmic time.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def find_exposed(
    owners: Array, moments: Array, codes: Array, is_named: Array, most_below: Array, needed: int
) -> tuple[int, Array, Array]:
    """Count the prefixes that a sensitive event occurs in, and list owner and event where it stands out.

    ``most_below[length]`` is the most occurrences that are below delta among so many rows. Another event is
    company if it occurs at least as often as the sensitive one, and is below delta itself.
    """
    checked, n_exposed = 0, 0
    exposed_owners, exposed_codes = np.empty(64, np.int64), np.empty(64, np.int64)
    often = np.zeros(len(is_named), np.int64)
    begin = 0
    while begin < len(owners):
        end = begin
        while end < len(owners) and owners[end] == owners[begin]:
            end += 1
        tree = np.zeros(end - begin + 1, np.int64)
        present, n_present = np.empty(end - begin, np.int64), 0
        for row in range(begin, end):
            code = codes[row]
            often[code] += 1
            if is_named[code]:
                if often[code] == 1:
                    present[n_present] = code
                    n_present += 1
            else:
                _add(tree, often[code] - 1, -1)
                _add(tree, often[code], 1)
            if row + 1 < end and moments[row + 1] == moments[row]:
                continue
            below = _sum(tree, min(most_below[row + 1 - begin], end - begin))
            checked += n_present
            for place in range(n_present):
                if below - _sum(tree, often[present[place]] - 1) < needed:
                    exposed_owners = _room(exposed_owners, n_exposed)
                    exposed_codes = _room(exposed_codes, n_exposed)
                    exposed_owners[n_exposed] = owners[row]
                    exposed_codes[n_exposed] = present[place]
                    n_exposed += 1
        for row in range(begin, end):
            often[codes[row]] = 0
        begin = end
    return checked, exposed_owners[:n_exposed].copy(), exposed_codes[:n_exposed].copy()


@compiled
def _add(tree: Array, count: int, amount: int) -> None:
    """Note that so many more events occur this often; those that do not occur are not kept."""
    while 0 < count < len(tree):
        tree[count] += amount
        count += count & -count


@compiled
def _sum(tree: Array, count: int) -> int:
    """Return how many events occur at most this often, and at least once."""
    total = 0
    while count > 0:
        total += tree[count]
        count -= count & -count
    return total


@compiled
def _room(values: Array, used: int) -> Array:
    """Return the array, twice as long where it is full."""
    return np.append(values, np.empty(used, np.int64)) if used == len(values) else values
