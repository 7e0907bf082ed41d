"""The whole table pooled by time as one event sequence."""

from __future__ import annotations

from dataclasses import dataclass

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
    times: Times
    codes: Counts
    occurrences: Counts
    vocabulary: pd.Index


def summarise(sequences: Sequences) -> tuple[Part, ...]:
    """Count events per time."""
    order, starts = _by_time_and_event(sequences)
    occurrences = np.diff(np.append(starts, order.size))
    first = order[starts]
    codes = sequences.codes[first].astype(np.int64)
    owner = sequences.ids[0] if sequences.n_sequences else None
    return (Part(owner, sequences.times[first], codes, occurrences, sequences.vocabulary),)


def merge(first: tuple[Part, ...], second: tuple[Part, ...]) -> tuple[Part, ...]:
    """Put the counts of partitions side by side, in their order."""
    return first + second


@dataclass(frozen=True)
class Plan:
    """How many of each partition's counts to delete."""

    deletions: dict[object, Counts]


def plan(parts: tuple[Part, ...], request: Request) -> Plan:
    """Decide how many occurrences to delete, the last ones in the order of the partitions first."""
    times, codes, occurrences, places, vocabulary = _pool(parts)
    terms = request.terms(vocabulary, int(occurrences.sum()))
    left = _solve(times, codes, occurrences, terms, request)
    deletions: dict[object, Counts] = {}
    for part, place in zip(reversed(parts), reversed(places), strict=True):
        deletions[part.owner] = np.minimum(left[place], part.occurrences)
        left[place] -= deletions[part.owner]
    return Plan(deletions)


def rows_to_delete(plan: Plan, sequences: Sequences) -> Counts:
    """Give the positions in the frame of the rows to delete: the last ones of their time and event."""
    if not sequences.n_sequences:
        return np.zeros(0, np.int64)
    order, starts = _by_time_and_event(sequences)
    sizes = np.diff(np.append(starts, order.size))
    from_end = np.repeat(starts + sizes, sizes) - np.arange(order.size)
    chosen = from_end <= np.repeat(plan.deletions[sequences.ids[0]], sizes)
    return sequences.rows[order[chosen]]


def _by_time_and_event(sequences: Sequences) -> tuple[Counts, Counts]:
    """Order unmarked rows by time, event and row, and say where each time and event begins."""
    unmarked = np.flatnonzero(sequences.codes >= 0)
    times, codes, rows = (part[unmarked] for part in (sequences.times, sequences.codes, sequences.rows))
    order = np.lexsort((rows, codes, times))
    times, codes = times[order], codes[order]
    return unmarked[order], _starts((times[1:] != times[:-1]) | (codes[1:] != codes[:-1]), order.size)


def _starts(changes: NDArray[np.bool_], size: int) -> Counts:
    return np.concatenate((np.zeros(min(1, size), np.int64), np.flatnonzero(changes) + 1))


def _pool(parts: tuple[Part, ...]) -> tuple[Times, Counts, Counts, list[Counts], pd.Index]:
    """Add up the partitions; for each, where its counts went."""
    vocabulary = parts[0].vocabulary
    for part in parts[1:]:
        vocabulary = merge_vocabularies(vocabulary, part.vocabulary)[0]
    new_codes = [merge_vocabularies(vocabulary, part.vocabulary)[2].astype(np.int64) for part in parts]
    times = np.concatenate([part.times for part in parts])
    codes = np.concatenate([new[part.codes] for new, part in zip(new_codes, parts, strict=True)])
    order = np.lexsort((codes, times))
    times, codes = times[order], codes[order]
    starts = _starts((times[1:] != times[:-1]) | (codes[1:] != codes[:-1]), order.size)
    place = np.empty(order.size, np.int64)
    place[order] = np.repeat(np.arange(starts.size), np.diff(np.append(starts, order.size)))
    occurrences = np.zeros(starts.size, np.int64)
    np.add.at(occurrences, place, np.concatenate([part.occurrences for part in parts]))
    places = np.split(place, np.cumsum([part.codes.size for part in parts])[:-1])
    return times[starts], codes[starts], occurrences, places, vocabulary


def _solve(times: Times, codes: Counts, occurrences: Counts, terms: Terms, request: Request) -> Counts:
    if not bool((terms.rank[codes] >= 0).any()):
        return np.zeros(codes.size, np.int64)
    numbers = np.concatenate(([0], np.cumsum(times[1:] != times[:-1])))
    pairs = Pairs(np.stack((numbers, codes, occurrences), axis=1).astype(np.int64))
    chosen: Counts = sanitize_pairs(pairs, terms, request.method == "joint", _SEARCH)
    return chosen
