"""Find people in a generalized release: which records fit what is known of somebody, times included."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.knowledge import Knowledge
from pdseqpriv.audit.sample import draw_people, interval_of, mean_of
from pdseqpriv.engines.engine import Table
from pdseqpriv.generalization.original_and_release import (
    NOBODY,
    OriginalAndRelease,
    read_key,
    read_original_and_release,
)
from pdseqpriv.progress import progress
from pdseqpriv.sequences.kernels.end_nodes import end_nodes
from pdseqpriv.sequences.ragged import Flags, Ints, offsets_of, places_of
from pdseqpriv.taxonomy.taxonomy import Taxonomy

# Up to this many pairs of a known event and a released row everybody is attacked; else those it allows.
_CHEAP = 300_000_000
_DRAWN = 1_000


class _Records(NamedTuple):
    """Different records, their rows one after the other; and which record each released sequence is."""

    node: Ints
    start: NDArray[Any]
    end: NDArray[Any]
    offsets: Ints
    number: Ints


class _Events(NamedTuple):
    """The events of each sequence of the original."""

    node: Ints
    time: NDArray[Any]
    offsets: Ints


def link_by_intervals(
    original: Table,
    released: Table,
    key: pd.DataFrame,
    knowledge: list[Knowledge],
    taxonomy: Taxonomy | None,
    *,
    k: int,
    sample: int | None,
    seed: int,
) -> pd.DataFrame:
    """Return one row for each kind of knowledge.

    A record fits if every known event lies in one of its intervals and is in its category; for somebody who
    knows everything, every interval must also hold such an event. One of those that fit is picked at random.
    """
    both = read_original_and_release(original, released, taxonomy, None)
    own = read_key(both, key).sequence_of
    people = np.arange(len(both.ids)) if both.people is None else both.people
    records, events = _records_of(both), _events_of(both)
    times = _draw(people, events, records, sample, seed)
    rows = []
    pair = _Pair(both, records, events, own, people)
    for one in knowledge:
        found = _found(pair, times, one, seed)
        about = {"knows": one.name, "attack": "intervals", "people": times.size}
        rows.append({**about, **_row(*found, times, k, is_exact=bool(times.all()) and one.is_whole)})
    return pd.DataFrame(rows)


def _records_of(both: OriginalAndRelease) -> _Records:
    """Put equal records together: those of a group mostly are."""
    shown = both.released.sort_values(["sequence", "start", "end", "node"], kind="stable")
    rows = shown[["start", "end", "node"]]
    symbols = rows.groupby(list(rows.columns), sort=False).ngroup().to_numpy(np.int64)
    offsets = offsets_of(np.bincount(shown["sequence"], minlength=len(both.released_ids)))
    _, first, number = np.unique(end_nodes(symbols, offsets)[0], return_index=True, return_inverse=True)
    places = places_of(offsets, first)
    node, start, end = (shown[name].to_numpy()[places] for name in ("node", "start", "end"))
    return _Records(node, start, end, offsets_of(np.diff(offsets)[first]), number)


def _events_of(both: OriginalAndRelease) -> _Events:
    known = both.original.sort_values("person", kind="stable")
    offsets = offsets_of(np.bincount(known["person"], minlength=len(both.ids)))
    return _Events(known["node"].to_numpy(), known["time"].to_numpy(), offsets)


def _draw(people: Ints, events: _Events, records: _Records, sample: int | None, seed: int) -> Ints:
    """Decide who is attacked, and how often each counts: everybody, if that is quick."""
    n_people, lengths = int(people.max(initial=-1)) + 1, np.diff(events.offsets)
    work = max(1, records.node.size) * int(lengths.sum())
    most = max(1, min(_DRAWN, n_people * _CHEAP // work))
    size = sample if sample is not None else n_people if work <= _CHEAP else most
    theirs = np.bincount(people, lengths, minlength=n_people).astype(np.int64)
    return draw_people(theirs, np.ones(n_people, np.int64), size, seed)


class _Pair(NamedTuple):
    both: OriginalAndRelease
    records: _Records
    events: _Events
    own: Ints  # the released sequence of each one of the original
    people: Ints  # whose each one of the original is


def _found(
    pair: _Pair, times: Ints, knowledge: Knowledge, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the highest and the average chance that each person who is attacked is found."""
    both, records, events, own, people = pair
    random = np.random.default_rng(seed)
    n_fit = np.bincount(records.number, minlength=records.offsets.size - 1)
    worst, total, attacks = (np.zeros(times.size) for _ in range(3))
    whose = np.full(len(both.released_ids), NOBODY)
    whose[own[own != NOBODY]] = people[own != NOBODY]
    attacked = np.flatnonzero(times[people] > 0)
    with progress(attacked.size, "linking people") as bar:
        for sequence in attacked.tolist():
            rows = np.arange(events.offsets[sequence], events.offsets[sequence + 1])
            size = knowledge.number_of(rows.size)
            chosen = rows if knowledge.is_whole else random.choice(rows, size, replace=False)
            fits = _fitting(both, records, events.node[chosen], events.time[chosen], knowledge)
            theirs = records.number[whose == people[sequence]]
            chance = float(fits[theirs].sum() / max(1, n_fit[fits].sum()))
            worst[people[sequence]] = max(worst[people[sequence]], chance)
            total[people[sequence]] += chance
            attacks[people[sequence]] += 1
            bar.update(1)
    return worst, total / np.maximum(attacks, 1)


def _fitting(
    both: OriginalAndRelease,
    records: _Records,
    node: Ints,
    time: NDArray[Any],
    knowledge: Knowledge,
) -> Flags:
    """Return which records fit some known events."""
    if not records.node.size:
        return np.zeros(0, np.bool_)
    labels, label = np.unique(records.node, return_inverse=True)
    is_below = both.tree.covers(*np.broadcast_arrays(labels[None, :], node[:, None]))
    holds = is_below[:, label] & (records.start <= time[:, None]) & (records.end >= time[:, None])
    fits = np.logical_or.reduceat(holds, records.offsets[:-1], axis=1).all(axis=0)
    if knowledge.is_whole:
        fits &= np.logical_and.reduceat(holds.any(axis=0), records.offsets[:-1])
    return np.asarray(fits, np.bool_)


def _row(
    worst: NDArray[np.float64], mean: NDArray[np.float64], times: Ints, k: int, *, is_exact: bool
) -> dict[str, object]:
    there = times > 0
    weights, worst, mean = times[there], worst[there], mean[there]
    average = mean_of(mean, weights)
    low, high = (
        (average, average) if is_exact or not weights.size else interval_of(average, int(weights.sum()))
    )
    return {
        "attacked": int(weights.sum()),
        "unique_share": mean_of(worst == 1, weights),
        "below_k_share": mean_of(worst * k > 1, weights),
        "worst_probability": float(worst.max()) if worst.size else float("nan"),
        "mean_probability": average,
        "mean_low": low,
        "mean_high": high,
        "events_learned": float("nan"),
        "events_mistaken": float("nan"),
        "method": "exact" if is_exact else "sampled",
    }
