"""Count the prefixes of a table pooled by time: how many rows there are at each time is enough."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sanitization.verify_prefixes import Violations, frequent_prefixes
from pdseqpriv.sequences.events import find_events, merge_vocabularies
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences


class Pooled(NamedTuple):
    """How many unmarked rows some parts have at each time, and how many of each named event.

    Events are known by the first place at which they are named. A time takes 16 bytes, and so does each named
    event that occurs at it, and 8 more.
    """

    rows: int  # marked ones as well
    vocabulary: pd.Index
    times: NDArray[Any]
    lengths: Ints
    at: NDArray[Any]
    place: Ints
    counts: Ints


def count_at_times(sequences: Sequences, named: pd.Index) -> Pooled:
    """Count the rows of a part."""
    codes = find_events(named, sequences.vocabulary)
    first_place = np.full(len(sequences.vocabulary), -1)
    for place in reversed(np.flatnonzero(codes >= 0)):
        first_place[codes[place]] = place
    there = sequences.codes >= 0
    times, places = sequences.times[there], first_place[sequences.codes[there]]
    is_named = places >= 0
    distinct, lengths = np.unique(times, return_counts=True)
    ones = np.ones(int(is_named.sum()), np.int64)
    at_times = _added_up(times[is_named], places[is_named], ones)
    return Pooled(sequences.n_rows, sequences.vocabulary, distinct, lengths, *at_times)


def merge_counts(first: Pooled, second: Pooled) -> Pooled:
    """Add up two parts."""
    own, other = (first, second) if len(first.vocabulary) else (second, first)
    vocabulary = (
        merge_vocabularies(own.vocabulary, other.vocabulary)[0] if len(other.vocabulary) else own.vocabulary
    )
    times, lengths, at, place, counts = (
        np.concatenate(both) for both in zip(first[2:], second[2:], strict=True)
    )
    times, _, lengths = _added_up(times, np.zeros(times.size, np.int64), lengths)
    return Pooled(first.rows + second.rows, vocabulary, times, lengths, *_added_up(at, place, counts))


def _added_up(times: NDArray[Any], place: Ints, counts: Ints) -> tuple[NDArray[Any], Ints, Ints]:
    """Add up the counts of the same time and place, sorted by place and time."""
    order = np.lexsort((times, place))
    times, place, counts = times[order], place[order], counts[order]
    is_new = np.ones(times.size, bool)
    is_new[1:] = (times[1:] != times[:-1]) | (place[1:] != place[:-1])
    starts = np.flatnonzero(is_new)
    sums = np.add.reduceat(counts, starts) if starts.size else counts
    return times[starts], place[starts], sums


def find_frequent_in_pool(pooled: Pooled, named: pd.Index, delta: Fraction) -> Violations:
    """Count the prefixes in which a sensitive event is too frequent."""
    codes = find_events(named, pooled.vocabulary)
    moment = np.searchsorted(pooled.times, pooled.at)
    prefixes = pd.DataFrame({"owner": 0, "moment": moment, "code": codes[pooled.place]})
    prefixes["length"] = np.cumsum(pooled.lengths)[moment]
    prefixes["occurrences"] = pd.Series(pooled.counts).groupby(pooled.place).cumsum()
    return frequent_prefixes(prefixes, codes, delta)
