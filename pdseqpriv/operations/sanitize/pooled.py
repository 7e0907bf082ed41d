"""The whole table pooled by time as one event sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.kernels.sanitization.build import Pairs, Terms
from pdseqpriv.kernels.sanitization.rows import count_sorted, sanitize_pairs
from pdseqpriv.operations.sanitize.request import Request
from pdseqpriv.table.sequences import Sequences
from pdseqpriv.table.times import Times
from pdseqpriv.table.vocabulary import merge_vocabularies

Counts = NDArray[np.int64]

# How much work an exact search may do, in ways to delete that it looks at.
_SEARCH = 1 << 20


@dataclass(frozen=True)
class Part:
    """How often each event occurs at each time in one partition, sorted by time and event.

    Partitions hold whole sequences, so the first id tells one from another.
    """

    owner: object
    clock: Times  # the times that occur, sorted
    keys: Counts  # number of the time, times the number of events, plus the event's code
    occurrences: Counts
    vocabulary: pd.Index

    @property
    def moments(self) -> Counts:
        """The number of the time of each count."""
        return self.keys // max(1, len(self.vocabulary))

    @property
    def codes(self) -> Counts:
        """The code of the event of each count."""
        return self.keys % max(1, len(self.vocabulary))


def summarise(sequences: Sequences) -> tuple[Part, ...]:
    """Count events per time."""
    codes, times = sequences.codes, sequences.times
    if codes.size and codes.min() < 0:
        codes, times = codes[codes >= 0], times[codes >= 0]
    clock: Times = np.unique(times)  # type: ignore[assignment]
    keys = _keys(np.searchsorted(clock, times), codes, sequences.vocabulary)
    keys.sort()
    distinct, occurrences = count_sorted(keys)
    owner = sequences.ids[0] if sequences.n_sequences else None
    return (Part(owner, clock, distinct, occurrences, sequences.vocabulary),)


def merge(first: tuple[Part, ...], second: tuple[Part, ...]) -> tuple[Part, ...]:
    """Put the counts of partitions side by side, in their order."""
    return first + second


class Deletions(NamedTuple):
    """How many rows of which time and event a partition loses."""

    clock: Times
    keys: Counts
    amounts: Counts


Plan = dict[object, Deletions]


def plan(parts: tuple[Part, ...], request: Request) -> Plan:
    """Decide how many occurrences to delete, from the last partition first."""
    pool, places = _pool(parts)
    terms = request.terms(pool.vocabulary, int(pool.occurrences.sum()))
    left = _solve(pool, terms, is_joint=request.method == "joint")
    deletions: Plan = {}
    for part, place in zip(reversed(parts), reversed(places), strict=True):
        amounts = np.minimum(left[place], part.occurrences)
        left[place] -= amounts
        deletions[part.owner] = Deletions(part.clock, part.keys[amounts > 0], amounts[amounts > 0])
    return deletions


def rows_to_delete(plan: Plan, sequences: Sequences) -> Counts:
    """Give the positions in the frame of the rows to delete: the last ones of their time and event."""
    wanted = plan[sequences.ids[0]] if sequences.n_sequences else None
    if wanted is None or not wanted.keys.size:
        return np.zeros(0, np.int64)
    loses = np.zeros(len(sequences.vocabulary) + 1, bool)  # the last place answers for code -1
    loses[wanted.keys % len(sequences.vocabulary)] = True
    rows = np.flatnonzero(loses[sequences.codes])
    moments = np.searchsorted(wanted.clock, sequences.times[rows])
    keys = _keys(moments, sequences.codes[rows], sequences.vocabulary)
    place = np.searchsorted(wanted.keys, keys)
    found = wanted.keys[np.minimum(place, wanted.keys.size - 1)] == keys
    rows, place = sequences.rows[rows[found]], place[found]
    order = np.lexsort((rows, place))
    ends = np.cumsum(np.bincount(place, minlength=wanted.keys.size))
    from_end = ends[place[order]] - np.arange(order.size)
    chosen: Counts = rows[order[from_end <= wanted.amounts[place[order]]]]
    return chosen


def _keys(moments: NDArray[np.integer], codes: NDArray[np.integer], vocabulary: pd.Index) -> Counts:
    """Number times and events together, in the place of the times' numbers: large tables are tight."""
    keys: Counts = moments.astype(np.int64, copy=False)
    keys *= max(1, len(vocabulary))
    keys += codes
    return keys


def _pool(parts: tuple[Part, ...]) -> tuple[Part, list[Counts] | list[slice]]:
    """Add up the partitions; for each, where its counts went."""
    if len(parts) == 1:
        return parts[0], [slice(None)]
    vocabulary = parts[0].vocabulary
    for part in parts[1:]:
        vocabulary = merge_vocabularies(vocabulary, part.vocabulary)[0]
    new_codes = [merge_vocabularies(vocabulary, part.vocabulary)[2] for part in parts]
    codes = np.concatenate([new[part.codes] for new, part in zip(new_codes, parts, strict=True)])
    clock, moments = np.unique(
        np.concatenate([part.clock[part.moments] for part in parts]), return_inverse=True
    )
    keys, place = np.unique(_keys(moments, codes, vocabulary), return_inverse=True)
    occurrences = np.zeros(keys.size, np.int64)
    np.add.at(occurrences, place, np.concatenate([part.occurrences for part in parts]))
    pool = Part(None, clock, keys, occurrences, vocabulary)
    return pool, np.split(place, np.cumsum([part.keys.size for part in parts])[:-1])


def _solve(pool: Part, terms: Terms, *, is_joint: bool) -> Counts:
    if not bool((terms.rank >= 0).any()):
        return np.zeros(pool.keys.size, np.int64)
    rows = np.empty((pool.keys.size, 3), np.int64)
    np.divmod(pool.keys, len(pool.vocabulary), out=(rows[:, 0], rows[:, 1]))
    rows[:, 2] = pool.occurrences
    chosen: Counts = sanitize_pairs(Pairs(rows), terms, is_joint, _SEARCH)
    return chosen
