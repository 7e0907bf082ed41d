"""Count candidates: everybody whose sequence contains all that is known (Monreale et al., theorem 1)."""

from __future__ import annotations

from math import comb

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.belonging import Belonging
from pdseqpriv.audit.kernels.candidates import NOBODY, Whose, first_events, hide_among
from pdseqpriv.audit.known_events import Order, People, people_of
from pdseqpriv.audit.sample import draw_people, interval_of, mean_of
from pdseqpriv.progress import progress
from pdseqpriv.sequences.ragged import offsets_of, owners_of
from pdseqpriv.sequences.sequences import Sequences

# Up to this many (sequence, pattern) pairs are enumerated; beyond that, people are drawn at random.
_CHEAP = 30_000_000
_DRAWN = 1_000


def count_candidates(
    tables: list[Sequences],
    numbers: list[int],
    order: Order,
    resolution: float | None,
    belonging: list[Belonging] | None = None,
    *,
    k: int,
    sample: int | None,
    seed: int,
) -> pd.DataFrame:
    """Return one row per number of known events, of one table, or of an original and its release.

    ``belonging`` says for each table whose the sequences are, where people have several.
    """
    people = people_of(tables, order, resolution, belonging)
    longest = max(1, int(people.lengths.max(initial=0)))  # nobody can know more
    rows = [_row(people, min(number, longest), k, sample, seed) for number in numbers]
    return pd.DataFrame([{"known": m, "attack": order, **row} for m, row in zip(numbers, rows, strict=True)])


def _row(people: People, known: int, k: int, sample: int | None, seed: int) -> dict[str, object]:
    times, is_everybody = _draw(people, known, sample, seed)
    worst, chances, patterns = (one[times > 0] for one in _attacked(people, known, k, times > 0))
    weights = times[times > 0]
    highest = np.where(worst == NOBODY, 0.0, 1 / worst)
    unique = mean_of(worst == 1, weights)
    low, high = (unique, unique) if is_everybody else interval_of(unique, int(weights.sum()))
    return {
        "people": _count_people(people),
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
    """Return fewest candidates, sum of chances and number of patterns of every sequence, or every person."""
    found = np.full(wanted.size, NOBODY), np.zeros(wanted.size), np.zeros(wanted.size, np.int64)
    arrays = people.codes, people.elements, people.offsets
    is_release = people.is_release if people.has_release else people.is_release[:0]
    whose = _whose(people, wanted)
    data = (*arrays, people.counts, is_release, _wanted_sequences(people, wanted))
    events, starts, members, ends = first_events(*arrays, people.n_codes)
    # One call per first event, so that progress shows and Ctrl-C is noticed.
    with progress(len(events), f"knowing {known}") as bar:
        for event, start, stop in zip(events, starts[:-1], starts[1:], strict=True):
            group = slice(start, stop)
            hide_among(data, known, k, people.n_codes, event, members[group], ends[group], found, whose)
            bar.update(1)
    _note_those_without_events(people, k, found)
    return found


def _note_those_without_events(
    people: People, k: int, found: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]
) -> None:
    """Handle sequences without events: nothing can be known about them, so everybody is a candidate."""
    worst, chances, patterns = found
    empty = people.lengths == 0
    if people.whose is not None:
        has_none = (empty & ~people.is_release)[people.whose.sequences]
        empty = np.bincount(people.whose.people[has_none], minlength=worst.size) > 0
    in_original = _count_people(people)
    in_release = _count_people(people, in_release=True) if people.has_release else in_original
    everybody = in_release if in_original < k or in_release >= k else in_original
    patterns[empty] += 1
    if in_release:
        worst[empty] = np.minimum(worst[empty], everybody)
        chances[empty] += 1 / everybody


def _count_people(people: People, *, in_release: bool = False) -> int:
    """Count those who have a sequence, in the original or in the release."""
    is_there = people.is_release == in_release
    if people.whose is None:
        return int(people.counts[is_there].sum())
    return int(np.count_nonzero(np.bincount(people.whose.people[is_there[people.whose.sequences]])))


def _whose(people: People, wanted: NDArray[np.bool_]) -> Whose:
    """Return which people have each sequence; nothing if each is a person of its own."""
    nothing = np.empty(0, np.int64)
    if people.whose is None:
        return Whose(nothing, nothing, wanted[:0], np.empty((3, 0), np.int64), nothing)
    offsets = offsets_of(np.bincount(people.whose.sequences, minlength=people.counts.size))
    seen = np.zeros((3, int(people.whose.people.max(initial=-1)) + 1), np.int64)
    return Whose(people.whose.people, offsets, wanted, seen, np.zeros(1, np.int64))


def _wanted_sequences(people: People, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which sequences somebody has who is measured; those of a release are not."""
    if people.whose is None:
        return wanted
    is_original = ~people.is_release[people.whose.sequences]
    sequences, those = people.whose.sequences[is_original], people.whose.people[is_original]
    return np.bincount(sequences[wanted[those]], minlength=people.counts.size) > 0


def _draw(people: People, known: int, sample: int | None, seed: int) -> tuple[NDArray[np.int64], bool]:
    """Decide whom to measure (everybody, if that is quick): how often each, and whether that is everybody."""
    total = _count_people(people)
    size = sample if sample is not None else total if _work(people, known) <= _CHEAP else _DRAWN
    if people.whose is None:
        counts = np.where(people.is_release, 0, people.counts)
        return draw_people(people.lengths, counts, size, seed), size >= total
    is_original = ~people.is_release[people.whose.sequences]
    sequences, those = people.whose.sequences[is_original], people.whose.people[is_original]
    lengths = np.bincount(those, people.lengths[sequences], minlength=total).astype(np.int64)
    # As their first sequences come, whatever people are called.
    first = np.empty(total, np.int64)
    first[those[::-1]] = np.arange(those.size)[::-1]
    order = np.argsort(first)
    times = np.empty(total, np.int64)
    times[order] = draw_people(lengths[order], np.ones(total, np.int64), size, seed)
    return times, size >= total


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
