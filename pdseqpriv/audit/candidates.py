"""Count candidates: everybody whose sequence contains all that is known (Monreale et al., theorem 1)."""

from __future__ import annotations

from math import comb

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.kernels.candidates import NOBODY, first_events, hide_among
from pdseqpriv.audit.known_events import Order, People, people_of
from pdseqpriv.audit.sample import draw_people, interval_of, mean_of
from pdseqpriv.progress import progress
from pdseqpriv.sequences.ragged import owners_of
from pdseqpriv.sequences.sequences import Sequences

# Up to this many (sequence, pattern) pairs are enumerated; beyond that, people are drawn at random.
_CHEAP = 30_000_000
_DRAWN = 1_000


def count_candidates(
    tables: list[Sequences],
    numbers: list[int],
    order: Order,
    resolution: float | None,
    *,
    k: int,
    sample: int | None,
    seed: int,
) -> pd.DataFrame:
    """Return one row per number of known events, of one table, or of an original and its release."""
    people = people_of(tables, order, resolution)
    longest = max(1, int(people.lengths.max(initial=0)))  # nobody can know more
    rows = [_row(people, min(number, longest), k, sample, seed) for number in numbers]
    return pd.DataFrame([{"known": m, "attack": order, **row} for m, row in zip(numbers, rows, strict=True)])


def _row(people: People, known: int, k: int, sample: int | None, seed: int) -> dict[str, object]:
    times, is_everybody = _draw(people, known, sample, seed)
    worst, chances, patterns = _attacked(people, known, k, times > 0)
    weights = times[times > 0]
    highest = np.where(worst == NOBODY, 0.0, 1 / worst)
    unique = mean_of(worst == 1, weights)
    low, high = (unique, unique) if is_everybody else interval_of(unique, int(weights.sum()))
    return {
        "people": int(people.counts[~people.is_release].sum()),
        "unique_share": unique,
        "unique_low": low,
        "unique_high": high,
        "below_k_share": mean_of(worst < k, weights),
        "worst_probability": float(highest.max()) if highest.size else float("nan"),
        "mean_worst_probability": mean_of(highest, weights),
        "mean_probability": mean_of(chances / patterns, weights),
        "method": "exact" if is_everybody else "sampled",
    }


def _attacked(
    people: People, known: int, k: int, wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return fewest candidates, sum of chances and number of patterns of the wanted sequences."""
    n = people.counts.size
    found = np.full(n, NOBODY), np.zeros(n), np.zeros(n, np.int64)
    arrays = people.codes, people.elements, people.offsets
    is_release = people.is_release if people.has_release else people.is_release[:0]
    data = (*arrays, people.counts, is_release, wanted)
    events, starts, members, ends = first_events(*arrays, people.n_codes)
    # One call per first event, so that progress shows and Ctrl-C is noticed.
    with progress(len(events), f"knowing {known}") as bar:
        for event, start, stop in zip(events, starts[:-1], starts[1:], strict=True):
            group = slice(start, stop)
            hide_among(data, known, k, people.n_codes, event, members[group], ends[group], found)
            bar.update(1)
    _note_those_without_events(people, k, found)
    worst, chances, patterns = found
    return worst[wanted], chances[wanted], patterns[wanted]


def _note_those_without_events(
    people: People, k: int, found: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]
) -> None:
    """Handle people without events: nothing can be known about them, so everybody is a candidate."""
    worst, chances, patterns = found
    empty = people.lengths == 0
    in_original = int(people.counts[~people.is_release].sum())
    in_release = int(people.counts[people.is_release].sum()) if people.has_release else in_original
    everybody = in_release if in_original < k or in_release >= k else in_original
    patterns[empty] = 1
    if in_release:
        worst[empty], chances[empty] = everybody, 1 / everybody


def _draw(people: People, known: int, sample: int | None, seed: int) -> tuple[NDArray[np.int64], bool]:
    """Decide whom to measure (everybody, if that is quick): how often each, and whether that is everybody."""
    counts = np.where(people.is_release, 0, people.counts)
    total = int(counts.sum())
    size = sample if sample is not None else total if _work(people, known) <= _CHEAP else _DRAWN
    return draw_people(people.lengths, counts, size, seed), size >= total


def _work(people: People, known: int) -> float:
    """Return an upper bound on the number of (sequence, pattern) pairs, by positions and distinct events."""
    owners = owners_of(people.offsets)
    pairs = np.unique(owners * people.n_codes + people.codes) // max(1, people.n_codes)
    distinct = np.bincount(pairs, minlength=people.counts.size)
    if (np.diff(people.elements) == 0).any():
        distinct = 2 * distinct  # each event may come later or join
    lengths = people.lengths
    by_length = np.array(
        [comb(n, min(n, known)) for n in range(int(lengths.max(initial=0)) + 1)], dtype=float
    )
    by_event = distinct.astype(float) ** known
    return float(np.minimum(by_length[lengths], by_event)[~people.is_release].sum())
