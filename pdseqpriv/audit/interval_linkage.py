"""Find people in a generalized release: which records fit what is known of somebody, times included."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.kernels.interval_fits import Known, Records, chances_by_intervals
from pdseqpriv.audit.knowledge import Knowledge
from pdseqpriv.audit.sample import draw_people, interval_of, mean_of
from pdseqpriv.engines.engine import Table
from pdseqpriv.generalization.original_and_release import (
    NOBODY,
    OriginalAndRelease,
    read_key,
    read_original_and_release,
)
from pdseqpriv.progress import Pulse, progress
from pdseqpriv.sequences.kernels.end_nodes import end_nodes
from pdseqpriv.sequences.ragged import Ints, offsets_of, places_of
from pdseqpriv.taxonomy.taxonomy import Taxonomy
from pdseqpriv.threads import on_all_cores

# Up to this many pairs of a known event and a released row everybody is attacked; else those it allows.
_CHEAP = 300_000_000
_DRAWN = 1_000
# Released rows that one core holds against what is known, at once.
_CHUNK = 10_000_000


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
    records, number = _records_of(both)
    events = _events_of(both)
    times = _draw(people, events, records, sample, seed)
    rows = []
    pair = _Pair(both.tree.parent, records, *_records_of_people(number, own, people), events, people)
    for one in knowledge:
        found = _found(pair, times, one, seed)
        about = {"knows": one.name, "attack": "intervals", "people": times.size}
        rows.append({**about, **_row(*found, times, k, is_exact=bool(times.all()) and one.is_whole)})
    return pd.DataFrame(rows)


def _records_of(both: OriginalAndRelease) -> tuple[Records, Ints]:
    """Put equal records together: those of a group mostly are. Also say which each released sequence is."""
    shown = both.released.sort_values(["sequence", "start", "end", "node"], kind="stable")
    rows = shown[["start", "end", "node"]]
    symbols = rows.groupby(list(rows.columns), sort=False).ngroup().to_numpy(np.int64)
    offsets = offsets_of(np.bincount(shown["sequence"], minlength=len(both.released_ids)))
    _, first, number = np.unique(end_nodes(symbols, offsets)[0], return_index=True, return_inverse=True)
    places = places_of(offsets, first)
    node, start, end = (shown[name].to_numpy()[places] for name in ("node", "start", "end"))
    sizes = np.bincount(number, minlength=first.size)
    return Records(node, start, end, offsets_of(np.diff(offsets)[first]), sizes), number


def _events_of(both: OriginalAndRelease) -> _Events:
    known = both.original.sort_values("person", kind="stable")
    offsets = offsets_of(np.bincount(known["person"], minlength=len(both.ids)))
    return _Events(known["node"].to_numpy(), known["time"].to_numpy(), offsets)


def _draw(people: Ints, events: _Events, records: Records, sample: int | None, seed: int) -> Ints:
    """Decide who is attacked, and how often each counts: everybody, if that is quick."""
    n_people, lengths = int(people.max(initial=-1)) + 1, np.diff(events.offsets)
    work = max(1, records.node.size) * int(lengths.sum())
    most = max(1, min(_DRAWN, n_people * _CHEAP // work))
    size = sample if sample is not None else n_people if work <= _CHEAP else most
    theirs = np.bincount(people, lengths, minlength=n_people).astype(np.int64)
    return draw_people(theirs, np.ones(n_people, np.int64), size, seed)


class _Pair(NamedTuple):
    parent: Ints  # of each node of the taxonomy
    records: Records
    own: Ints  # the records of people, those of each one after the other
    own_offsets: Ints
    events: _Events
    people: Ints  # whose each sequence of the original is


def _records_of_people(number: Ints, own: Ints, people: Ints) -> tuple[Ints, Ints]:
    """Return which records the sequences of each person were released as, and where each person's begin."""
    whose = np.full(number.size, NOBODY)
    whose[own[own != NOBODY]] = people[own != NOBODY]
    there = np.flatnonzero(whose != NOBODY)
    order = there[np.argsort(whose[there], kind="stable")]
    sizes = np.bincount(whose[there], minlength=int(people.max(initial=-1)) + 1)
    return number[order], offsets_of(sizes)


def _found(
    pair: _Pair, times: Ints, knowledge: Knowledge, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the highest and the average chance that each person who is attacked is found."""
    attacked = np.flatnonzero(times[pair.people] > 0)
    rows, offsets = _known_rows(pair.events, attacked, knowledge, seed)
    person = pair.people[attacked]
    own, own_offsets = places_of(pair.own_offsets, person), offsets_of(np.diff(pair.own_offsets)[person])
    known = Known(pair.events.node[rows], pair.events.time[rows], offsets, pair.own[own], own_offsets)
    chances = partial(_chances, pair, known, knows_all=knowledge.is_whole)
    at_once = max(1, _CHUNK // max(1, pair.records.node.size))
    with progress(attacked.size, "linking people") as bar:
        parts = list(pairwise([*range(0, attacked.size, at_once), attacked.size]))
        chance = np.concatenate([np.zeros(0), *on_all_cores(chances, parts, bar)])
    worst = np.zeros(times.size)
    np.maximum.at(worst, person, chance)
    total, attacks = (np.bincount(person, what, minlength=times.size) for what in (chance, None))
    return worst, total / np.maximum(attacks, 1)


def _known_rows(events: _Events, attacked: Ints, knowledge: Knowledge, seed: int) -> tuple[Ints, Ints]:
    """Return the rows that are known of each sequence that is attacked, all or some, and their offsets."""
    rows, lengths = places_of(events.offsets, attacked), np.diff(events.offsets)[attacked]
    offsets, sizes = offsets_of(lengths), knowledge.numbers_of(lengths)
    if knowledge.is_whole:
        return rows, offsets
    random = np.random.default_rng(seed)
    drawn = [
        random.choice(rows[begin:end], size, replace=False)
        for (begin, end), size in zip(pairwise(offsets), sizes, strict=True)
    ]
    return np.concatenate([rows[:0], *drawn]), offsets_of(sizes)


def _chances(
    pair: _Pair, known: Known, part: tuple[int, int], pulse: Pulse, *, knows_all: bool
) -> NDArray[np.float64]:
    found: NDArray[np.float64] = chances_by_intervals(
        pair.parent, pair.records, known, knows_all, *part, pulse
    )
    return found


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
