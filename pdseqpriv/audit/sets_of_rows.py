"""Sets of rows of sequences: at random, or the rows with the rarest events."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.sequences.ragged import Ints, Ragged, offsets_of, owners_of, places_of

_FEW = 32


class SetsOfRows(NamedTuple):
    """Rows, one set after the other, in ascending order; the size of each set, and whose it is."""

    person: Ints
    rows: Ints
    sizes: Ints


def draw_rows(
    begins: Ints, own: Ragged, size: int, times: Ints, random: np.random.Generator
) -> tuple[Ints, Ints]:
    """Draw sets of so many rows, all rows of a sequence if it has no more; return rows and sizes.

    ``own`` are the sequences of each person, whose rows begin at ``begins``; person ``p`` gets ``times[p]``
    sets. All sets of a person are equally likely, from whichever sequence.
    """
    sequences, offsets = own.values, own.offsets
    lengths = np.diff(begins)[sequences]
    chances = np.exp(_relative_to_the_most(_log_of_choices(lengths, size), offsets))
    ends = np.cumsum(chances)
    before, after = np.append(0.0, ends)[offsets[:-1]], np.append(0.0, ends)[offsets[1:]]
    person = owners_of(offsets_of(times))
    wanted = before[person] + random.random(person.size) * (after - before)[person]
    place = np.clip(np.searchsorted(ends, wanted, side="right"), offsets[person], offsets[person + 1] - 1)
    sizes = np.minimum(lengths[place], size)
    rows = np.empty(int(sizes.sum()), np.int64)
    into = offsets_of(sizes)
    short = np.flatnonzero(lengths[place] <= size)
    rows[places_of(into, short)] = places_of(begins, sequences[place[short]])
    long = np.flatnonzero(lengths[place] > size)
    drawn = _without_repeats(lengths[place[long]], size, random) + begins[sequences[place[long]]][:, None]
    rows[places_of(into, long)] = drawn.reshape(-1)
    return rows, sizes


def _log_of_choices(lengths: Ints, size: int) -> NDArray[np.float64]:
    """Return the logarithm of the number of ways to choose so many rows of a sequence."""
    least = np.minimum(lengths, size)
    logs = np.append(0.0, np.cumsum(np.log(np.arange(1, int(lengths.max(initial=0)) + 1))))
    ways: NDArray[np.float64] = logs[lengths] - logs[least] - logs[lengths - least]
    return ways


def _relative_to_the_most(logs: NDArray[np.float64], offsets: Ints) -> NDArray[np.float64]:
    if not logs.size:
        return logs
    most: NDArray[np.float64] = np.repeat(np.maximum.reduceat(logs, offsets[:-1]), np.diff(offsets))
    return logs - most


def _without_repeats(lengths: Ints, size: int, random: np.random.Generator) -> Ints:
    """Draw so many different places of each length, in ascending order (for few by the method of Floyd)."""
    drawn = np.empty((lengths.size, size), np.int64)
    if size > _FEW:
        for number, length in enumerate(lengths.tolist()):
            drawn[number] = np.sort(random.choice(length, size, replace=False))
        return drawn
    for j in range(size):
        last = lengths - size + j
        place = np.floor(random.random(lengths.size) * (last + 1)).astype(np.int64)
        is_taken = (drawn[:, :j] == place[:, None]).any(axis=1)
        drawn[:, j] = np.where(is_taken, last, place)
    drawn.sort(axis=1)
    return drawn


def rarest_rows(begins: Ints, sequences: Ints, size: int, support: Ints) -> tuple[Ints, Ints]:
    """Return the rows of each sequence with the rarest events, so many of them, and their number."""
    rows, lengths = places_of(begins, sequences), np.diff(begins)[sequences]
    offsets = offsets_of(lengths)
    owner = owners_of(offsets)
    order = np.lexsort((support[rows], owner))
    rank = np.arange(rows.size) - offsets[owner]
    kept = np.sort(order[rank < size])  # owners are in order before and after
    return rows[kept], np.minimum(lengths, size)


def put_together(parts: list[SetsOfRows], kinds: list[int]) -> tuple[SetsOfRows, Ints]:
    """Bring the sets of each person together; return them, and the kind of each."""
    person, rows, sizes = (np.concatenate(one) for one in zip(*parts, strict=True))
    kind = np.repeat(kinds, [part.person.size for part in parts])
    order = np.argsort(person, kind="stable")
    rows = rows[places_of(offsets_of(sizes), order)]
    return SetsOfRows(person[order], rows, sizes[order]), kind[order]
