"""Measures of Loukides and Gwadera (2015): how deletions changed the distribution of events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd

from pdseqpriv.exact import round_up
from pdseqpriv.sanitization.kernels.ghosts import find_ghosts
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.named_events import warn_of_absent
from pdseqpriv.sequences.ragged import Flags, Ints
from pdseqpriv.sequences.sequences import Sequences

# Rows that are counted at a time.
_MANY = 1 << 19


def sanitization_measures(
    original: Sequences,
    released: Sequences,
    *,
    scope: Literal["sequence", "table"],
    delta: Fraction | None,
    events: pd.Index,
) -> dict[str, float]:
    """Measure a release that is the original without some rows; for any other, return nothing.

    The tables have one vocabulary.
    """
    new_owners = find_values(released.ids, original.ids)
    if original.time_unit != released.time_unit or (new_owners < 0).any():
        return {}
    total, left, error = int((original.codes >= 0).sum()), 0, 0.0
    is_ghost = np.zeros(len(original.vocabulary), bool)
    for some, others, owners in _pieces(original, released, new_owners, scope):
        counts = _count(some, others, owners, scope)
        if counts is None:
            return {}
        error, left = error + _error(counts), left + int(counts.after.sum())
        if delta is not None:
            is_ghost |= _ghosts(counts, round_up(delta, max(1, total)))
    measures = {"sanitization_error": error, "deleted_share": 1 - _ratio(left, total)}
    if delta is not None:
        is_other = np.ones(is_ghost.size, bool)
        sensitive = find_events(events, original.vocabulary)
        warn_of_absent(events[sensitive < 0], len(events))
        is_other[sensitive[sensitive >= 0]] = False
        measures["ghost_events"] = _ratio(int((is_ghost & is_other).sum()), int(is_other.sum()))
    return measures


def _pieces(
    original: Sequences, released: Sequences, new_owners: Ints, scope: Literal["sequence", "table"]
) -> Iterator[tuple[Sequences, Sequences, Ints]]:
    """Yield some sequences at a time, those of the release, and whose they are: it takes less memory."""
    if scope == "table" or original.n_rows <= _MANY or (np.diff(new_owners) < 0).any():
        yield original, released, new_owners
        return
    cuts = np.searchsorted(original.offsets, np.arange(0, original.n_rows, _MANY)).tolist()
    for first, last in pairwise([*cuts, original.n_sequences]):
        begin, end = np.searchsorted(new_owners, [first, last])
        own = original.take(np.arange(first, last)), released.take(np.arange(begin, end))
        yield *own, new_owners[begin:end] - first


@dataclass(frozen=True)
class PairCounts:
    """How often each event occurs at each time point, before and after.

    Sorted by owner (the sequence, or 0 for a pooled table), moment and code.
    """

    owner: Ints
    moment: Ints  # different for each time point, also for those of different owners
    code: Ints
    before: Ints
    after: Ints
    n_events: int


def _count(
    original: Sequences, released: Sequences, new_owners: Ints, scope: Literal["sequence", "table"]
) -> PairCounts | None:
    """Count both tables side by side; None unless the release is the original without some rows."""
    rows = pd.concat(
        [_rows(original, np.arange(len(original.ids)), "before"), _rows(released, new_owners, "after")]
    )
    if scope == "table":
        rows["owner"] = 0
    keys = ["owner", "time", "code"]
    sums = rows.groupby(keys, as_index=False, sort=True)[["before", "after"]].sum()
    if (sums["after"] > sums["before"]).any():
        return None
    sums["moment"] = sums.groupby(keys[:2]).ngroup()
    columns = {name: sums[name].to_numpy(np.int64) for name in ("owner", "moment", "code", "before", "after")}
    return PairCounts(**columns, n_events=len(original.vocabulary))


def _rows(sequences: Sequences, new_owners: Ints, side: str) -> pd.DataFrame:
    unmarked = sequences.codes >= 0
    owners = np.repeat(new_owners, sequences.lengths)[unmarked]
    codes = sequences.codes[unmarked]
    rows = pd.DataFrame({"owner": owners, "time": sequences.times[unmarked], "code": codes})
    return rows.assign(before=int(side == "before"), after=int(side == "after"))


def _error(counts: PairCounts) -> float:
    """Return the error as the paper defines it; events absent from a time point all differ equally."""
    half = 0.5
    present = np.bincount(counts.moment)
    total_before = _per_moment(counts, counts.before) + half * counts.n_events
    total_after = _per_moment(counts, counts.after) + half * counts.n_events
    absent = (counts.n_events - present) * (half / total_before - half / total_after) ** 2
    share_before = (counts.before + half) / total_before[counts.moment]
    share_after = (counts.after + half) / total_after[counts.moment]
    return float(((share_before - share_after) ** 2).sum() + absent.sum())


def _per_moment(counts: PairCounts, values: Ints) -> Ints:
    return np.bincount(counts.moment, weights=values).astype(np.int64)


def _ghosts(counts: PairCounts, delta: Fraction) -> Flags:
    """Return which events are infrequent in a prefix before and frequent in it after."""
    is_ghost = np.zeros(counts.n_events, bool)
    order = np.lexsort((counts.moment, counts.code, counts.owner))
    owners, codes = counts.owner[order], counts.code[order]
    changes = (owners[1:] != owners[:-1]) | (codes[1:] != codes[:-1])
    runs = np.concatenate(([0], np.flatnonzero(changes) + 1, [order.size]))[order.size == 0 :]
    columns = (counts.code, counts.moment, counts.before, counts.after)
    pairs = np.stack([column[order] for column in columns], axis=1)
    ends = pd.Series(counts.moment).groupby(counts.owner).transform("max").to_numpy()[order] + 1
    lengths = _lengths(counts)
    find_ghosts(pairs, runs, ends[runs[:-1]], lengths, delta.numerator, delta.denominator, is_ghost)
    return is_ghost


def _lengths(counts: PairCounts) -> Ints:
    """Count the rows of the prefix that ends with each time point, before and after."""
    rows = pd.DataFrame({"before": counts.before, "after": counts.after})
    sums = rows.groupby(counts.owner).cumsum()
    lengths: Ints = sums.groupby(counts.moment).last().to_numpy(np.int64)
    return lengths


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
