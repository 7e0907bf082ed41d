"""Treat the whole table, pooled by time, as one event sequence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.progress import watched
from pdseqpriv.sanitization.kernels.build_timeline import CODE, COUNT, TIME, Requirement
from pdseqpriv.sanitization.kernels.choose_deletions import choose_deletions, count_keys
from pdseqpriv.sanitization.request import Request, requirement_for
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.ragged import Ints, distinct
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.times import Times

# How much work an exact search may do, in ways of deleting that it tries.
_SEARCH = 1 << 20


@dataclass(frozen=True)
class EventCounts:
    """How often each event occurs at each time in one part of a table, sorted by time and event.

    Parts hold whole sequences, so the first id identifies a part.
    """

    owner: object
    clock: Times  # the times that occur, sorted
    counts: NDArray[np.integer]  # number of the time, code of the event, how often: as the kernels need it
    vocabulary: pd.Index


def summarise(sequences: Sequences) -> tuple[EventCounts, ...]:
    """Count events per time."""
    codes, times = sequences.codes, sequences.times
    if codes.size and codes.min() < 0:
        codes, times = codes[codes >= 0], times[codes >= 0]
    clock: Times = distinct(times)
    keys = _keys(np.searchsorted(clock, times), codes, sequences.vocabulary)
    keys.sort()
    counts = count_keys(keys, max(1, len(sequences.vocabulary)), np.empty(0, _narrow(keys.size)))
    return (EventCounts(_owner(sequences), clock, counts, sequences.vocabulary),)


def merge(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """Combine what is known about several parts, in their order."""
    return first + second


class Deletions(NamedTuple):
    """How many rows of which time and event a part loses at most."""

    clock: Times
    keys: Ints
    amounts: Ints
    places: Ints  # of the keys in the whole plan


@dataclass(frozen=True)
class PooledPlan:
    """How many rows are deleted in all, and, by the first id of each part, how many it may lose.

    If there are several parts, ``pool`` says which time and event each number of rows is about.
    """

    amounts: Ints
    deletions: dict[object, Deletions]
    pool: EventCounts | None

    def rows_to_delete(self, sequences: Sequences) -> Ints:
        """Return the positions in the frame of the rows to delete: the last of each time and event."""
        if not sequences.n_rows:
            return sequences.rows
        return sequences.rows[_last(self.deletions[_owner(sequences)], sequences)[0]]


@dataclass(frozen=True)
class CutOffs:
    """From which row of the whole table on the rows of a time and an event are deleted, in any part."""

    clock: Times
    vocabulary: pd.Index
    keys: Ints  # sorted; times and events together, as numbers
    rows: Ints

    def rows_to_delete(self, sequences: Sequences) -> Ints:
        """Return the positions in the frame of the rows to delete."""
        if not self.keys.size or not sequences.n_rows:
            return sequences.rows[:0]
        new_codes = np.append(find_values(sequences.vocabulary, self.vocabulary), -1)
        codes, moments = new_codes[sequences.codes], np.searchsorted(self.clock, sequences.times)
        keys = _keys(moments, codes, self.vocabulary)
        place = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        gone = (codes >= 0) & (self.keys[place] == keys) & (sequences.numbers >= self.rows[place])
        rows: Ints = sequences.rows[gone]
        return rows


def make_plan(parts: tuple[EventCounts, ...], request: Request) -> PooledPlan:
    """Decide how many occurrences to delete; if there are several parts, they still have to be divided up."""
    pool, places = _pool(parts)
    requirement = requirement_for(request, pool.vocabulary, int(pool.counts[:, COUNT].sum()))
    amounts = _choose(pool, requirement, is_joint=request.method == "joint")
    deletions = {
        part.owner: _deletions(part, amounts, place) for part, place in zip(parts, places, strict=True)
    }
    # With a single part there is nothing to divide up, and a large table has no memory to spare.
    if len(parts) == 1:
        return PooledPlan(amounts[:0].copy(), deletions, None)
    return PooledPlan(amounts, deletions, pool)


def _deletions(part: EventCounts, amounts: Ints, place: Ints | None) -> Deletions:
    loses = np.flatnonzero(amounts if place is None else amounts[place])
    places = loses if place is None else place[loses]
    moments, codes, counts = part.counts[loses].T
    keys = _keys(moments, codes, part.vocabulary)
    return Deletions(part.clock, keys, np.minimum(amounts[places], counts), places)


class LastRows(NamedTuple):
    """The last rows of a part that could be deleted, by their position in the whole table."""

    owner: object
    keys: Ints  # places in the deletions of the part
    rows: Ints


def last_rows(sequences: Sequences, plan: PooledPlan) -> tuple[LastRows, ...]:
    """Number the rows to delete if no other part has later ones."""
    rows, keys = _last(plan.deletions[_owner(sequences)], sequences)
    return (LastRows(_owner(sequences), keys, sequences.numbers[rows]),)


def share_out(plan: PooledPlan, pool: EventCounts, parts: tuple[LastRows, ...]) -> CutOffs:
    """Choose the last rows of the whole table for deletion, whichever parts they are in."""
    keys = np.concatenate([plan.deletions[part.owner].places[part.keys] for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    order = np.lexsort((rows, keys))
    gone = order[_is_last(keys[order], plan.amounts)]
    chosen, first = np.unique(keys[gone], return_index=True)
    moments, codes, _ = pool.counts[chosen].T.astype(np.int64)
    return CutOffs(pool.clock, pool.vocabulary, _keys(moments, codes, pool.vocabulary), rows[gone[first]])


def _owner(sequences: Sequences) -> object:
    return sequences.ids[0] if len(sequences.ids) else None


def _last(wanted: Deletions, sequences: Sequences) -> tuple[Ints, Ints]:
    """Return the positions of the last rows of each key, as many as it loses, and their keys."""
    if not wanted.keys.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    loses = np.zeros(len(sequences.vocabulary) + 1, bool)  # the last entry is for code -1
    loses[wanted.keys % len(sequences.vocabulary)] = True
    rows = np.flatnonzero(loses[sequences.codes])
    moments = np.searchsorted(wanted.clock, sequences.times[rows])
    keys = _keys(moments, sequences.codes[rows], sequences.vocabulary)
    place = np.searchsorted(wanted.keys, keys)
    found = wanted.keys[np.minimum(place, wanted.keys.size - 1)] == keys
    rows, place = rows[found], place[found]
    order = np.lexsort((sequences.rows[rows], place))
    gone = order[_is_last(place[order], wanted.amounts)]
    return rows[gone], place[gone]


def _is_last(keys: Ints, amounts: Ints) -> NDArray[np.bool_]:
    """Return which of sorted keys are among the last of their kind, as many as the amounts say."""
    ends = np.cumsum(np.bincount(keys, minlength=amounts.size))
    return np.asarray(ends[keys] - np.arange(keys.size) <= amounts[keys])


def _keys(moments: NDArray[np.integer], codes: NDArray[np.integer], vocabulary: pd.Index) -> Ints:
    """Number times and events together, in place where possible, to save memory."""
    keys: Ints = moments.astype(np.int64, copy=False)
    keys *= max(1, len(vocabulary))
    keys += codes
    return keys


def _narrow(n_rows: int) -> type[np.integer]:
    """Return the narrowest type that holds the number of any of these rows, to save memory."""
    return np.int32 if n_rows <= np.iinfo(np.int32).max else np.int64


def _pool(parts: tuple[EventCounts, ...]) -> tuple[EventCounts, list[Ints | None]]:
    """Add up the parts; also return where the counts of each went (None: they keep their positions)."""
    if len(parts) == 1:
        return parts[0], [None]
    vocabulary = parts[0].vocabulary
    for part in parts[1:]:
        vocabulary = merge_vocabularies(vocabulary, part.vocabulary)[0]
    new_codes = [merge_vocabularies(vocabulary, part.vocabulary)[2] for part in parts]
    codes = np.concatenate([new[part.counts[:, CODE]] for new, part in zip(new_codes, parts, strict=True)])
    times = np.concatenate([part.clock[part.counts[:, TIME]] for part in parts])
    clock, moments = np.unique(times, return_inverse=True)
    keys, place = np.unique(_keys(moments, codes, vocabulary), return_inverse=True)
    occurrences = np.zeros(keys.size, np.int64)
    np.add.at(occurrences, place, np.concatenate([part.counts[:, COUNT] for part in parts]))
    columns = (*np.divmod(keys, max(1, len(vocabulary))), occurrences)
    counts = np.stack(columns, axis=1).astype(_narrow(int(occurrences.sum())))
    pool = EventCounts(None, clock, counts, vocabulary)
    return pool, list(np.split(place, np.cumsum([len(part.counts) for part in parts])[:-1]))


def _choose(pool: EventCounts, requirement: Requirement, *, is_joint: bool) -> Ints:
    if not bool((requirement.rank >= 0).any()):
        return np.zeros(len(pool.counts), np.int64)
    choose = partial(choose_deletions, pool.counts, requirement, is_joint, _SEARCH)
    chosen: Ints = watched(choose, "sanitizing")
    return chosen
