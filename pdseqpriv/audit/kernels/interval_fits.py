"""Which records of a generalized release fit what is known of somebody, times included."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.audit.kernels.candidates import DONE, STOP
from pdseqpriv.compiled import Array, compiled


class Records(NamedTuple):
    """Different records, their rows one after the other, and how many released sequences are each."""

    node: Array  # negative for a name that is in no taxonomy
    start: Array
    end: Array
    offsets: Array
    sizes: Array


class Known(NamedTuple):
    """What is known of each of those who are attacked, and the records of the person, each once or often."""

    node: Array
    time: Array
    offsets: Array
    own: Array
    own_offsets: Array


@compiled
def chances_by_intervals(
    parent: Array, records: Records, known: Known, knows_all: bool, first: int, last: int, pulse: Array
) -> Array:
    """Return the chance of a hit if one of the released sequences that fit is picked at random.

    For those from ``first`` to before ``last``. A record fits if each known event lies in one of its rows
    and, for somebody who ``knows_all``, each of its rows holds a known event.
    """
    chances, fits = np.zeros(last - first), np.empty(records.sizes.size, np.bool_)
    for one in range(first, last):
        if pulse[STOP] != 0:
            break
        picks, hits = 0, 0
        for record in range(fits.size):
            fits[record] = _fits(parent, records, record, known, one, knows_all)
            picks += records.sizes[record] if fits[record] else 0
        for i in range(known.own_offsets[one], known.own_offsets[one + 1]):
            hits += fits[known.own[i]]
        chances[one - first] = hits / max(1, picks)
        pulse[DONE] += 1
    return chances


@compiled
def _fits(parent: Array, records: Records, record: int, known: Known, one: int, knows_all: bool) -> bool:
    begin, end = records.offsets[record], records.offsets[record + 1]
    for event in range(known.offsets[one], known.offsets[one + 1]):
        is_held = False
        for row in range(begin, end):
            if _holds(parent, records, row, known, event):
                is_held = True
                break
        if not is_held:
            return False
    if knows_all:
        for row in range(begin, end):
            is_needed = False
            for event in range(known.offsets[one], known.offsets[one + 1]):
                if _holds(parent, records, row, known, event):
                    is_needed = True
                    break
            if not is_needed:
                return False
    return True


@compiled
def _holds(parent: Array, records: Records, row: int, known: Known, event: int) -> bool:
    """Return whether an event lies in the time of a row, and is its label or below it."""
    if not records.start[row] <= known.time[event] <= records.end[row]:
        return False
    label, at = records.node[row], known.node[event]
    if label < 0 or at < 0:
        return False
    while at != label and parent[at] != at:
        at = parent[at]
    return bool(at == label)
