"""Count candidates: everybody whose sequence contains all that is known (Monreale et al., theorem 1)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.belonging import Belonging
from pdseqpriv.audit.crowd import crowd_of_people, work_of
from pdseqpriv.audit.drawn_knowledge import InOnePlace, Searched, attack_with_drawn_sets, in_order_of_content
from pdseqpriv.audit.kernels.candidates import NOBODY, first_events, hide_among
from pdseqpriv.audit.known_events import Order, People, Resolution, people_of
from pdseqpriv.audit.sample import draw_people, interval_of, mean_of
from pdseqpriv.audit.who_has_which import (
    count_everybody,
    count_people,
    has_empty,
    wanted_sequences,
    whose_are,
)
from pdseqpriv.progress import Pulse, progress
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.threads import on_all_cores

# Up to this many (sequence, pattern) pairs are enumerated; beyond that, people and what is known are drawn.
_CHEAP = 30_000_000
_DRAWN = 1_000
_PATIENT = 20  # times as much may be enumerated if the caller says how many people to measure
# What somebody finds who knows times as well is shown beside it; it may take less time.
_CHEAP_BESIDE = 1_000_000
_DRAWN_BESIDE = 200
_TINY = 1e-300
# What all that may be known is cut into, for all cores; of few rows, one piece.
_PIECES = 8
_SMALL = 20_000

Row: TypeAlias = dict[str, object]


def count_candidates(
    tables: list[Sequences],
    numbers: list[int],
    order: Order,
    resolution: Resolution | None,
    belonging: list[Belonging] | None,
    *,
    k: int,
    sample: int | None,
    seed: int,
    has_times: bool,
) -> pd.DataFrame:
    """Return one row per number of known events, of one table, or of an original and its release.

    ``belonging`` says for each table whose the sequences are, where people have several. If the table
    ``has_times``, a row also says what somebody finds who knows them.
    """

    def measured(order: Order, resolution: Resolution | None, drawing: Drawing) -> list[Row]:
        people = people_of(tables, order, resolution, belonging)
        return [row_of(people, number, k, drawing) for number in numbers]

    drawing: dict[str, Any] = {"sample": sample, "seed": seed, "has_times": has_times}
    return with_times_beside(measured, numbers, order, resolution, **drawing)


def with_times_beside(
    measured: Callable[[Order, Resolution | None, Drawing], list[Row]],
    numbers: list[int],
    order: Order,
    resolution: Resolution | None,
    *,
    sample: int | None,
    seed: int,
    has_times: bool,
) -> pd.DataFrame:
    """Measure what somebody finds, and what somebody finds who knows times as well."""
    rows = measured(order, resolution, Drawing(sample, seed, _CHEAP, _DRAWN))
    beside = rows
    if order != "with times":
        drawing = Drawing(sample, seed, _CHEAP_BESIDE, _DRAWN_BESIDE)
        beside = measured("with times", None, drawing) if has_times else [{} for _ in numbers]
    return pd.DataFrame(
        [
            {"known": number, "attack": order, **row, **_beside(other)}
            for number, row, other in zip(numbers, rows, beside, strict=True)
        ]
    )


class Drawing(NamedTuple):
    """How many people are drawn, if the caller says so or if there is more work than this."""

    sample: int | None
    seed: int
    cheap: int
    drawn: int

    @property
    def most(self) -> int:
        """How much may be enumerated."""
        return self.cheap * (1 if self.sample is None else _PATIENT)


def _beside(row: dict[str, object]) -> dict[str, object]:
    nothing = float("nan")
    return {
        "unique_with_times": row.get("unique_share", nothing),
        "mean_with_times": row.get("mean_probability", nothing),
    }


class RiskOfPeople(NamedTuple):
    """Of each person: fewest candidates, average chance, sets tried, and whether another may be unique."""

    worst: NDArray[np.int64]
    chance: NDArray[np.float64]
    tried: NDArray[np.int64]
    may_be_unique: NDArray[np.bool_]


def row_of(people: People, number: int, k: int, drawing: Drawing) -> Row:
    """Measure what somebody finds who knows so many events."""
    known = min(number, max(1, int(people.lengths.max(initial=0))))  # nobody can know more
    is_cheap = work_of(crowd_of_people(people), known, drawing.most) <= drawing.most
    times, is_everybody = _draw(people, is_cheap, drawing)
    found = (
        _try_all(people, known, k, times > 0) if is_cheap else _try_some(people, known, k, times > 0, drawing)
    )
    everybody = count_people(people)
    return numbers_of_risk(people, found, times, k, everybody, is_everybody=is_everybody, is_cheap=is_cheap)


def numbers_of_risk(
    people: People,
    found: RiskOfPeople,
    times: Ints,
    k: int,
    everybody: int,
    *,
    is_everybody: bool,
    is_cheap: bool,
) -> Row:
    """Put together what was found of people who count so many times each."""
    there = in_order_of_content(people, np.flatnonzero((times > 0) & (found.tried > 0)))
    worst, weights = found.worst[there], times[there]
    highest = np.where(worst == NOBODY, 0.0, 1 / worst)
    is_everybody &= there.size == (times > 0).sum()
    unique = mean_of(worst == 1, weights)
    low, high = unique, mean_of((worst == 1) | found.may_be_unique[there], weights)
    if not is_everybody and weights.size:
        low, high = interval_of(low, int(weights.sum()))[0], interval_of(high, int(weights.sum()))[1]
    return {
        "people": int(weights.sum()),
        "of_people": everybody,
        "unique_share": unique,
        "unique_low": low,
        "unique_high": high,
        "below_k_share": mean_of(worst < k, weights),
        "worst_probability": float(highest.max()) if highest.size else float("nan"),
        "mean_worst_probability": mean_of(highest, weights),
        "mean_probability": mean_of(found.chance[there], weights),
        "known_sets": int((found.tried[there] * weights).sum()),
        "method": ("exact" if is_everybody else "sampled") if is_cheap else "sampled knowledge",
    }


def _try_some(
    people: People, known: int, k: int, wanted: NDArray[np.bool_], drawing: Drawing
) -> RiskOfPeople:
    """Try some of what may be known about each person, drawn at random."""
    searched = InOnePlace(people, whose_are(people, wanted))
    everybody = count_everybody(people)
    return try_some(people, known, k, wanted, searched=searched, everybody=everybody, seed=drawing.seed)


def try_some(
    people: People,
    known: int,
    k: int,
    wanted: NDArray[np.bool_],
    *,
    searched: Searched,
    everybody: tuple[int, int],
    seed: int,
) -> RiskOfPeople:
    """Do so wherever the tables are that are searched.

    ``everybody`` are the people of the original and of the release.
    """
    is_original = ~people.is_release & (people.lengths > 0)
    if people.whose is None:
        owned = np.flatnonzero(is_original), np.flatnonzero(is_original)
    else:
        is_original = is_original[people.whose.sequences]
        owned = people.whose.sequences[is_original], people.whose.people[is_original]
    worst, chances, weights, tried, may_be = attack_with_drawn_sets(
        people, known, k, wanted, owned=owned, searched=searched, seed=seed
    )
    empty = has_empty(people, wanted.size) & (np.bincount(owned[1], minlength=wanted.size) == 0)
    _note_those_without_events(everybody, k, (worst, chances, weights), empty)
    return RiskOfPeople(worst, chances / np.maximum(weights, _TINY), tried + empty, may_be & ~empty)


def _try_all(people: People, known: int, k: int, wanted: NDArray[np.bool_]) -> RiskOfPeople:
    """Try all that may be known: fewest candidates, sum of chances and number of patterns of everybody."""
    arrays = people.codes, people.elements, people.offsets
    is_release = people.is_release if people.has_release else people.is_release[:0]
    data = (*arrays, people.counts, is_release, wanted_sequences(people, wanted))
    first, whose = first_events(*arrays, people.n_codes), whose_are(people, wanted)

    def work(piece: slice, pulse: Pulse) -> tuple[NDArray[Any], ...]:
        found = np.full(wanted.size, NOBODY), np.zeros(wanted.size), np.zeros(wanted.size, np.int64)
        some = _some_groups(first, piece)
        hide_among(data, known, k, people.n_codes, some, found, whose.for_one_thread(), pulse)
        return found

    with progress(first[0].size, f"knowing {known}") as bar:
        parts = on_all_cores(work, _pieces(first[1]), bar)
    worst = np.min([part[0] for part in parts], axis=0)
    # The pieces are always the same, so that no sum depends on the number of threads.
    chances, tried = np.sum([part[1] for part in parts], axis=0), np.sum([part[2] for part in parts], axis=0)
    found = worst, chances, tried
    _note_those_without_events(count_everybody(people), k, found, has_empty(people, wanted.size))
    return RiskOfPeople(worst, chances / np.maximum(tried, 1), tried, np.zeros(wanted.size, np.bool_))


def _pieces(starts: NDArray[np.int64]) -> list[slice]:
    """Cut groups into pieces with about as many members each, one piece if there are few."""
    n_pieces = _PIECES if starts[-1] > _SMALL else 1
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], n_pieces + 1)[1:-1])
    return [slice(*ends) for ends in itertools.pairwise([0, *cuts.tolist(), starts.size - 1])]


def _some_groups(first: tuple[NDArray[Any], ...], piece: slice) -> tuple[NDArray[Any], ...]:
    keys, starts, members, ends = first
    starts = starts[piece.start : piece.stop + 1]
    rows = slice(int(starts[0]), int(starts[-1]))
    return keys[piece], starts - starts[0], members[rows], ends[rows]


def _note_those_without_events(
    counts: tuple[int, int], k: int, found: tuple[NDArray[Any], ...], empty: NDArray[np.bool_]
) -> None:
    """Handle sequences without events: nothing can be known about them, so everybody is a candidate."""
    worst, chances, patterns = found
    in_original, in_release = counts
    everybody = in_release if in_original < k or in_release >= k else in_original
    patterns[empty] += 1
    if in_release:
        worst[empty] = np.minimum(worst[empty], everybody)
        chances[empty] += 1 / everybody


def _draw(people: People, is_cheap: bool, drawing: Drawing) -> tuple[NDArray[np.int64], bool]:  # noqa: FBT001
    """Decide whom to measure (everybody, if that is quick): how often each, and whether that is everybody."""
    total, seed = count_people(people), drawing.seed
    size = drawing.sample if drawing.sample is not None else total if is_cheap else drawing.drawn
    if people.whose is None:
        counts = np.where(people.is_release, 0, people.counts)
        order = in_order_of_content(people, np.arange(counts.size))
        times = np.empty(counts.size, np.int64)
        times[order] = draw_people(people.lengths[order], counts[order], size, seed)
        return times, size >= total
    is_original = ~people.is_release[people.whose.sequences]
    sequences, those = people.whose.sequences[is_original], people.whose.people[is_original]
    lengths = np.bincount(those, people.lengths[sequences], minlength=total).astype(np.int64)
    # By content, as without people, and then as their first sequences come, whatever people are called.
    first = np.empty(total, np.int64)
    first[those[::-1]] = np.arange(those.size)[::-1]
    content = np.full(total, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(content, those, people.marks[sequences])
    order = np.lexsort((first, content))
    times = np.empty(total, np.int64)
    times[order] = draw_people(lengths[order], np.ones(total, np.int64), size, seed)
    return times, size >= total
