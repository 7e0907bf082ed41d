"""Sequences as an attacker sees them: in order, in any order, or with times."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.belonging import Belonging
from pdseqpriv.audit.kernels.fitting_labels import Lists
from pdseqpriv.errors import SeqPrivError, wrong_parameter
from pdseqpriv.parameters import shown
from pdseqpriv.sequences.kernels.end_nodes import end_nodes
from pdseqpriv.sequences.ragged import Ints, offsets_of, places_of
from pdseqpriv.sequences.sequences import Sequences, numbered_alike
from pdseqpriv.sequences.span import span
from pdseqpriv.sequences.times import TICKS

Order = Literal["in order", "any order", "with times"]

_WORDS = {"second": "1s", "minute": "1min", "hour": "1h", "day": "1D", "week": "7D"}
_MONDAY = 4 * 86400  # seconds from the beginning of 1970 to a Monday
_WIDEST = 2**53  # of a resolution for numeric times


class Resolution(NamedTuple):
    """How precisely times are known: times are alike if they are in the same of equally long periods."""

    width: float
    first: int = 0  # where one of them begins


@dataclass(frozen=True)
class People:
    """Distinct sequences, and how many people have each; those of the original before those of a release.

    Where people have several sequences, ``whose`` says who has which, sorted by sequence; its number of
    people is that of the original. Otherwise it is None.
    """

    codes: NDArray[np.int32]
    elements: NDArray[np.int32]
    offsets: Ints
    counts: Ints
    is_release: NDArray[np.bool_]
    n_codes: int
    has_release: bool
    whose: Belonging | None = None

    @property
    def lengths(self) -> Ints:
        """How many events can be known of each."""
        return np.diff(self.offsets)


def read_resolution(resolution: object, source: Sequences, *, with_time: bool) -> Resolution | None:
    """Read how precisely times are known: a word or a time span for datetimes, a width for numeric times."""
    if resolution is None:
        return None
    if not with_time:
        raise wrong_parameter("resolution", "left out unless with_time=True", shown(resolution))
    if source.time_unit:
        return _of_datetimes(resolution, source.time_unit)
    is_number = isinstance(resolution, int | float) and not isinstance(resolution, bool)
    if not is_number or not 0 < resolution <= _WIDEST:  # type: ignore[operator]
        raise wrong_parameter("resolution", "a positive number for numeric times", shown(resolution))
    if source.times.dtype.kind == "i" and resolution != int(resolution):  # type: ignore[call-overload]
        must = "a whole number where times are whole numbers"
        raise wrong_parameter("resolution", must, shown(resolution))
    return Resolution(resolution)  # type: ignore[arg-type]


def _of_datetimes(resolution: object, unit: str) -> Resolution | None:
    """Express a word or a time span in ticks of the table's clock; weeks begin on Mondays."""
    is_word = isinstance(resolution, str) and resolution in _WORDS
    read = None
    if isinstance(resolution, str | dt.timedelta | np.timedelta64):
        try:
            read = span(_WORDS[resolution] if is_word else resolution, "element", "resolution")  # type: ignore[index]
        except SeqPrivError:
            read = None
    if read is None or not isinstance(read.value, pd.Timedelta) or not read.value.value:
        must = f"one of {', '.join(map(repr, _WORDS))}, or a time span such as '1h' or '30min', for datetimes"
        raise wrong_parameter("resolution", must, shown(resolution))
    nanoseconds, per_tick = int(read.value.value), 10**9 // TICKS[unit]
    if nanoseconds <= per_tick:
        return None  # the clock is not more precise
    if nanoseconds % per_tick:
        raise wrong_parameter(
            "resolution", f"a multiple of 1 {unit}, the unit of the times", shown(resolution)
        )
    first = _MONDAY * TICKS[unit] if resolution == "week" else 0
    return Resolution(nanoseconds // per_tick, first)


def people_of(
    tables: list[Sequences],
    order: Order,
    resolution: Resolution | None,
    belonging: list[Belonging] | None = None,
) -> People:
    """Lay a table, or an original and its release, out for an attack, with one numbering of events.

    ``belonging`` says for each table whose the sequences are, where people have several.
    """
    things, n_codes = _numbered(tables, order, resolution)
    parts = [_distinct(*_laid_out(table, codes, order)) for table, codes in things]
    codes, elements, lengths, counts, numbers = zip(*parts, strict=True)
    all_lengths = np.concatenate(lengths)
    people = People(
        np.concatenate(codes).astype(np.int32),
        np.concatenate(elements).astype(np.int32),
        offsets_of(all_lengths),
        np.concatenate(counts),
        np.arange(all_lengths.size) >= lengths[0].size,
        n_codes,
        len(tables) > 1,
    )
    if belonging is None:
        return people
    whose = [one.renumbered(number) for one, number in zip(belonging, numbers, strict=True)]
    sequences = np.concatenate(
        [one.sequences + shift for one, shift in zip(whose, (0, counts[0].size), strict=False)]
    )
    those = np.concatenate([one.people for one in whose])
    return replace(people, whose=Belonging(sequences, those, belonging[0].n_people))


def events_in_order(table: Sequences) -> Lists:
    """Return the events of every sequence in order, each once per element; marked ones are left out."""
    owners, elements, codes, n = _laid_out(table, table.codes.astype(np.int64), "in order")
    return Lists(codes, _begins(owners, elements), offsets_of(np.bincount(owners, minlength=n)))


def _numbered(
    tables: list[Sequences], order: Order, resolution: Resolution | None
) -> tuple[list[tuple[Sequences, Ints]], int]:
    """Number what can be known of an event, the same way in both tables; -1 for marked events."""
    alike = numbered_alike(tables[0], tables[-1])[: len(tables)]
    codes = [table.codes.astype(np.int64) for table in alike]
    n_codes = len(alike[0].vocabulary)
    if order == "with times":
        moments = np.concatenate([_moments(table, resolution) for table in tables])
        rank, values = pd.factorize(moments)
        known = np.concatenate(codes)
        known, values = pd.factorize(np.where(known < 0, -1, known * len(values) + rank))
        known = np.where(values[known] < 0, -1, known)
        codes, n_codes = np.split(known, [tables[0].n_rows])[: len(tables)], len(values)
    return list(zip(tables, codes, strict=True)), n_codes


def _moments(table: Sequences, resolution: Resolution | None) -> NDArray[np.generic]:
    if resolution is None:
        return table.times
    kind = table.times.dtype.type
    return np.asarray(np.floor_divide(table.times - kind(resolution.first), kind(resolution.width)))


def _laid_out(table: Sequences, codes: Ints, order: Order) -> tuple[Ints, Ints, Ints, int]:
    """Return owner, element and code of every thing that can be known, sorted; once per element."""
    owners = table.owners
    kept = np.flatnonzero(codes >= 0)
    owners, codes, elements = owners[kept], codes[kept], table.elements[kept].astype(np.int64)
    if order == "in order":  # as the rows of a table are
        first = _begins(owners, elements)
        first[1:] |= codes[1:] != codes[:-1]
        return owners[first], elements[first], codes[first], table.n_sequences
    by = np.lexsort((codes, owners))
    owners, codes = owners[by], codes[by]
    starts = offsets_of(np.bincount(owners, minlength=table.n_sequences))
    return owners, np.arange(codes.size) - starts[owners], codes, table.n_sequences


def _distinct(owners: Ints, elements: Ints, codes: Ints, n: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return codes, elements and lengths of the distinct sequences, how many have each, and who has which."""
    begins, offsets = _begins(owners, elements), offsets_of(np.bincount(owners, minlength=n))
    ends, _ = end_nodes(2 * codes + begins, offsets)
    _, first, numbers, counts = np.unique(ends, return_index=True, return_inverse=True, return_counts=True)
    # Elements are numbered anew: marked events may have left gaps.
    elements = np.cumsum(begins)
    elements -= elements[offsets[owners]]
    places = places_of(offsets, first)
    return codes[places], elements[places], np.diff(offsets)[first], counts.astype(np.int64), numbers


def _begins(owners: Ints, elements: Ints) -> NDArray[np.bool_]:
    """Return for each event whether it begins an element."""
    begins = np.ones(owners.size, bool)
    begins[1:] = (owners[1:] != owners[:-1]) | (elements[1:] != elements[:-1])
    return begins
