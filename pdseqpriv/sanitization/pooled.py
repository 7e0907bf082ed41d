"""The whole table pooled by time as one event sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.progress import watched
from pdseqpriv.sanitization.kernels.build import CODE, TIME, TIMES, Pairs, Terms
from pdseqpriv.sanitization.kernels.event_sequences import count_distinct, count_sorted, sanitize_watched
from pdseqpriv.sanitization.request import Request
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.times import Times

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
    rows: NDArray[np.integer]  # one per time and event that occur together, as the kernels want them
    vocabulary: pd.Index

    @property
    def moments(self) -> NDArray[np.integer]:
        """The number of the time of each count."""
        return self.rows[:, TIME]

    @property
    def codes(self) -> NDArray[np.integer]:
        """The code of the event of each count."""
        return self.rows[:, CODE]

    @property
    def occurrences(self) -> NDArray[np.integer]:
        """The counts."""
        return self.rows[:, TIMES]


def summarise(sequences: Sequences) -> tuple[Part, ...]:
    """Count events per time."""
    codes, times = sequences.codes, sequences.times
    if codes.size and codes.min() < 0:
        codes, times = codes[codes >= 0], times[codes >= 0]
    clock: Times = np.unique(times)  # type: ignore[assignment]
    keys = _keys(np.searchsorted(clock, times), codes, sequences.vocabulary)
    keys.sort()
    owner = sequences.ids[0] if sequences.n_sequences else None
    rows = np.empty((count_distinct(keys), 3), _narrow(keys.size))
    count_sorted(keys, max(1, len(sequences.vocabulary)), rows)
    return (Part(owner, clock, rows, sequences.vocabulary),)


def merge(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """Put what is known of partitions side by side, in their order."""
    return first + second


class Deletions(NamedTuple):
    """How many rows of which time and event a partition loses at most."""

    clock: Times
    keys: Counts
    amounts: Counts
    places: Counts  # of the keys in the whole plan


class Plan(NamedTuple):
    """How many rows are lost in all, and by the first id of each partition what it may lose of them."""

    amounts: Counts
    deletions: dict[object, Deletions]


def plan(parts: tuple[Part, ...], request: Request) -> Plan:
    """Decide how many occurrences to delete."""
    pool, places = _pool(parts)
    terms = request.terms(pool.vocabulary, int(pool.occurrences.sum()))
    amounts = _solve(pool, terms, is_joint=request.method == "joint")
    deletions = {}
    for part, place in zip(parts, places, strict=True):
        loses = np.flatnonzero(amounts if place is None else amounts[place])
        numbers = loses if place is None else place[loses]
        own = np.minimum(amounts[numbers], part.occurrences[loses])
        keys = _keys(part.moments[loses], part.codes[loses], part.vocabulary)
        deletions[part.owner] = Deletions(part.clock, keys, own, numbers)
    # One partition has all that there is to share out; large tables are tight.
    return Plan(amounts if len(parts) > 1 else amounts[:0].copy(), deletions)


class LastRows(NamedTuple):
    """The last rows of a partition that could go: where they stand in the whole table."""

    owner: object
    keys: Counts  # places in the deletions of the partition
    rows: Counts


def last_rows(plan: Plan, sequences: Sequences) -> tuple[LastRows, ...]:
    """Number the rows that go if no other partition has later ones."""
    if not sequences.n_sequences:
        return ()
    rows, keys = _last(plan.deletions[sequences.ids[0]], sequences)
    return (LastRows(sequences.ids[0], keys, sequences.numbers[rows]),)


def share_out(plan: Plan, parts: tuple[LastRows, ...]) -> Plan:
    """Let the last rows of the whole table go, whichever partitions they are in."""
    if not parts:
        return plan
    owner = np.repeat(np.arange(len(parts)), [part.rows.size for part in parts])
    own = np.concatenate([part.keys for part in parts])
    keys = np.concatenate([plan.deletions[part.owner].places[part.keys] for part in parts])
    order = np.lexsort((owner, np.concatenate([part.rows for part in parts]), keys))
    gone = order[_is_last(keys[order], plan.amounts)]
    deletions = dict(plan.deletions)
    for number, part in enumerate(parts):
        before = deletions[part.owner]
        amounts = np.bincount(own[gone[owner[gone] == number]], minlength=before.keys.size)
        deletions[part.owner] = before._replace(amounts=amounts)
    return plan._replace(deletions=deletions)


def rows_to_delete(plan: Plan, sequences: Sequences) -> Counts:
    """Give the positions in the frame of the rows to delete: the last ones of their time and event."""
    if not sequences.n_sequences:
        return np.zeros(0, np.int64)
    return sequences.rows[_last(plan.deletions[sequences.ids[0]], sequences)[0]]


def _last(wanted: Deletions, sequences: Sequences) -> tuple[Counts, Counts]:
    """Give the places of the last rows of each key, as many as it loses, and their keys."""
    if not wanted.keys.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    loses = np.zeros(len(sequences.vocabulary) + 1, bool)  # the last place answers for code -1
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


def _is_last(keys: Counts, amounts: Counts) -> NDArray[np.bool_]:
    """Tell which of sorted keys are among the last of their kind."""
    ends = np.cumsum(np.bincount(keys, minlength=amounts.size))
    return np.asarray(ends[keys] - np.arange(keys.size) <= amounts[keys])


def _keys(moments: NDArray[np.integer], codes: NDArray[np.integer], vocabulary: pd.Index) -> Counts:
    """Number times and events together, in the place of the times' numbers: large tables are tight."""
    keys: Counts = moments.astype(np.int64, copy=False)
    keys *= max(1, len(vocabulary))
    keys += codes
    return keys


def _narrow(n_rows: int) -> type[np.integer]:
    """Give what is wide enough for any number of so many rows: large tables are tight."""
    return np.int32 if n_rows <= np.iinfo(np.int32).max else np.int64


def _pool(parts: tuple[Part, ...]) -> tuple[Part, list[Counts | None]]:
    """Add up the partitions; for each, where its counts went (None: they stay in their places)."""
    if len(parts) == 1:
        return parts[0], [None]
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
    columns = (*np.divmod(keys, max(1, len(vocabulary))), occurrences)
    rows = np.stack(columns, axis=1).astype(_narrow(int(occurrences.sum())))
    pool = Part(None, clock, rows, vocabulary)
    return pool, list(np.split(place, np.cumsum([len(part.rows) for part in parts])[:-1]))


def _solve(pool: Part, terms: Terms, *, is_joint: bool) -> Counts:
    if not bool((terms.rank >= 0).any()):
        return np.zeros(len(pool.rows), np.int64)
    asked = Pairs(pool.rows), terms, is_joint, _SEARCH
    chosen: Counts = watched(lambda pulse: sanitize_watched(*asked, pulse), "sanitizing")
    return chosen
