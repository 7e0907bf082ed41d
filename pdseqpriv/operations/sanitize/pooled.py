"""The whole table pooled by time as one event sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.kernels.sanitization.build import Pairs, Terms
from pdseqpriv.kernels.sanitization.rows import sanitize_pairs
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
    keys: Counts  # a number per time and event, which only this partition understands
    times: Times
    codes: Counts
    occurrences: Counts
    vocabulary: pd.Index


def summarise(sequences: Sequences) -> tuple[Part, ...]:
    """Count events per time."""
    all_keys, clock = _keys(sequences)
    sorted_keys = np.sort(all_keys[sequences.codes >= 0])
    starts = _starts(sorted_keys[1:] != sorted_keys[:-1], sorted_keys.size)
    keys, occurrences = sorted_keys[starts], np.diff(np.append(starts, sorted_keys.size))
    moments, codes = np.divmod(keys, max(1, len(sequences.vocabulary)))
    owner = sequences.ids[0] if sequences.n_sequences else None
    return (Part(owner, keys, clock[moments], codes, occurrences, sequences.vocabulary),)


def merge(first: tuple[Part, ...], second: tuple[Part, ...]) -> tuple[Part, ...]:
    """Put the counts of partitions side by side, in their order."""
    return first + second


class Deletions(NamedTuple):
    """How many rows of which time and event a partition loses."""

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
        deletions[part.owner] = Deletions(part.keys[amounts > 0], amounts[amounts > 0])
    return deletions


def rows_to_delete(plan: Plan, sequences: Sequences) -> Counts:
    """Give the positions in the frame of the rows to delete: the last ones of their time and event."""
    wanted = plan[sequences.ids[0]] if sequences.n_sequences else None
    if wanted is None or not wanted.keys.size:
        return np.zeros(0, np.int64)
    keys = np.where(sequences.codes >= 0, _keys(sequences)[0], -1)
    loses = np.zeros(len(sequences.vocabulary) + 1, bool)  # the last place answers for code -1
    loses[wanted.keys % len(sequences.vocabulary)] = True
    rows = np.flatnonzero(loses[sequences.codes])
    place = np.searchsorted(wanted.keys, keys[rows])
    found = wanted.keys[np.minimum(place, wanted.keys.size - 1)] == keys[rows]
    rows, place = sequences.rows[rows[found]], place[found]
    order = np.lexsort((rows, place))
    ends = np.cumsum(np.bincount(place, minlength=wanted.keys.size))
    from_end = ends[place[order]] - np.arange(order.size)
    chosen: Counts = rows[order[from_end <= wanted.amounts[place[order]]]]
    return chosen


def _keys(sequences: Sequences) -> tuple[Counts, Times]:
    """Number times and events together, in sorted order; and the times by their number."""
    moments, clock = pd.factorize(sequences.times, sort=True)
    keys: Counts = moments.astype(np.int64) * max(1, len(sequences.vocabulary)) + sequences.codes
    return keys, np.asarray(clock)


def _starts(changes: NDArray[np.bool_], size: int) -> Counts:
    return np.concatenate((np.zeros(min(1, size), np.int64), np.flatnonzero(changes) + 1))


def _pool(parts: tuple[Part, ...]) -> tuple[Part, list[Counts]]:
    """Add up the partitions; for each, where its counts went."""
    if len(parts) == 1:
        return parts[0], [np.arange(parts[0].keys.size)]
    vocabulary = parts[0].vocabulary
    for part in parts[1:]:
        vocabulary = merge_vocabularies(vocabulary, part.vocabulary)[0]
    new_codes = [merge_vocabularies(vocabulary, part.vocabulary)[2] for part in parts]
    codes = np.concatenate([new[part.codes] for new, part in zip(new_codes, parts, strict=True)])
    moments, clock = pd.factorize(np.concatenate([part.times for part in parts]), sort=True)
    both = moments.astype(np.int64) * max(1, len(vocabulary)) + codes
    keys, place = np.unique(both, return_inverse=True)
    occurrences = np.zeros(keys.size, np.int64)
    np.add.at(occurrences, place, np.concatenate([part.occurrences for part in parts]))
    moments, codes = np.divmod(keys, max(1, len(vocabulary)))
    pool = Part(None, keys, np.asarray(clock)[moments], codes, occurrences, vocabulary)
    return pool, np.split(place, np.cumsum([part.keys.size for part in parts])[:-1])


def _solve(pool: Part, terms: Terms, *, is_joint: bool) -> Counts:
    if not bool((terms.rank[pool.codes] >= 0).any()):
        return np.zeros(pool.codes.size, np.int64)
    moments = np.concatenate(([0], np.cumsum(pool.times[1:] != pool.times[:-1])))
    pairs = Pairs(np.stack((moments, pool.codes, pool.occurrences), axis=1).astype(np.int64))
    chosen: Counts = sanitize_pairs(pairs, terms, is_joint, _SEARCH)
    return chosen
