"""Sequences as an attacker sees them: in order, in any order, or with times."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.belonging import Belonging
from pdseqpriv.audit.content_marks import Marks, marks_of_events, marks_of_moments, marks_of_sequences, mixed
from pdseqpriv.audit.kernels.fitting_labels import Lists
from pdseqpriv.errors import SeqPrivError, wrong_parameter
from pdseqpriv.parameters import shown
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.kernels.end_nodes import end_nodes
from pdseqpriv.sequences.ragged import Ints, offsets_of, places_of
from pdseqpriv.sequences.sequences import Sequences, numbered_alike
from pdseqpriv.sequences.span import span
from pdseqpriv.sequences.times import TICKS

Order = Literal["in order", "any order", "with times"]

_WORDS = {"second": "1s", "minute": "1min", "hour": "1h", "day": "1D", "week": "7D"}
_MONDAY = 4 * 86400  # seconds from the beginning of 1970 to a Monday
_WIDEST = 2**53  # of a resolution for numeric times


class HasTimes(Protocol):
    """What has times, of some kind."""

    @property
    def time_unit(self) -> str | None:
        """Of datetimes."""

    @property
    def times(self) -> NDArray[Any]:
        """All of them, or none of the same type."""


class Resolution(NamedTuple):
    """How precisely times are known: times are alike if they are in the same of equally long periods."""

    width: float
    first: int = 0  # where one of them begins


@dataclass(frozen=True)
class People:
    """Distinct sequences, and how many people have each; those of the original before those of a release.

    Where people have several sequences, ``whose`` says who has which, sorted by sequence; its number of
    people is that of the original. Otherwise it is None. ``marks`` stand for their content.
    """

    codes: NDArray[np.int32]
    elements: NDArray[np.int32]
    offsets: Ints
    counts: Ints
    is_release: NDArray[np.bool_]
    n_codes: int
    has_release: bool
    marks: Marks
    whose: Belonging | None = None

    @property
    def lengths(self) -> Ints:
        """How many events can be known of each."""
        return np.diff(self.offsets)


def read_resolution(resolution: object, source: HasTimes, *, with_time: bool) -> Resolution | None:
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
    codes_of, items = number_items(tables, order, resolution)
    things = [
        knowable_things(table, codes, order, resolution)
        for table, codes in zip(tables, codes_of, strict=True)
    ]
    people, counts, numbers = _put_together(things, len(items.events))
    if belonging is None:
        return people
    whose = [one.renumbered(number) for one, number in zip(belonging, numbers, strict=True)]
    sequences = np.concatenate(
        [one.sequences + shift for one, shift in zip(whose, (0, counts[0].size), strict=False)]
    )
    those = np.concatenate([one.people for one in whose])
    return replace(people, whose=Belonging(sequences, those, belonging[0].n_people))


def people_with_items(table: Sequences, items: Items, order: Order, resolution: Resolution | None) -> People:
    """Lay a table out for an attack by somebody who knows nothing but some of these items."""
    things = knowable_things(table, find_items(table, items, resolution), order, resolution)
    return _put_together([things], len(items.events))[0]


def _put_together(things: list[Things], n_codes: int) -> tuple[People, list[Ints], list[Ints]]:
    """Return people, how many have each sequence of each table, and which one each sequence is."""
    codes, elements, lengths, counts, marks, numbers = zip(*map(_distinct, things), strict=True)
    all_lengths = np.concatenate(lengths)
    people = People(
        np.concatenate(codes).astype(np.int32),
        np.concatenate(elements).astype(np.int32),
        offsets_of(all_lengths),
        np.concatenate(counts),
        np.arange(all_lengths.size) >= lengths[0].size,
        n_codes,
        len(things) > 1,
        np.concatenate(marks),
    )
    return people, list(counts), list(numbers)


def events_in_order(table: Sequences) -> Lists:
    """Return the events of every sequence in order, each once per element; marked ones are left out."""
    things = knowable_things(table, table.codes.astype(np.int64), "in order", None)
    return Lists(things.codes, things.begins, things.offsets)


class Items(NamedTuple):
    """What can be known of an event, in order: the event, by its place, and if times are known the moment."""

    vocabulary: pd.Index
    events: Ints
    moments: NDArray[Any] | None


def number_items(
    tables: list[Sequences], order: Order, resolution: Resolution | None
) -> tuple[list[Ints], Items]:
    """Number what can be known of an event, the same way in both tables; -1 for marked events."""
    alike = numbered_alike(tables[0], tables[-1])[: len(tables)]
    codes = [table.codes.astype(np.int64) for table in alike]
    vocabulary = alike[0].vocabulary
    if order != "with times":
        return codes, Items(vocabulary, np.arange(len(vocabulary)), None)
    rank, moments = pd.factorize(np.concatenate([_moments(table, resolution) for table in tables]), sort=True)
    known = np.concatenate(codes)
    there = known >= 0
    numbers, values = pd.factorize(known[there] * len(moments) + rank[there], sort=True)
    known[there] = numbers
    events, places = np.divmod(values, max(1, len(moments)))
    both = np.split(known, [tables[0].n_rows])[: len(tables)]
    return both, Items(vocabulary, events, np.asarray(moments)[places])


def find_items(table: Sequences, items: Items, resolution: Resolution | None) -> Ints:
    """Return the number of what can be known of each row of another table, -1 where it has none."""
    events = np.append(find_values(table.vocabulary, items.vocabulary), -1)[table.codes]
    if items.moments is None:
        return events
    moments = np.unique(items.moments)
    if not moments.size:
        return np.full(table.n_rows, -1)
    own = _moments(table, resolution)
    rank = np.minimum(np.searchsorted(moments, own), moments.size - 1)
    wanted = items.events * moments.size + np.searchsorted(moments, items.moments)  # in order
    keys = events * moments.size + rank
    place = np.minimum(np.searchsorted(wanted, keys), wanted.size - 1)
    return np.where((events >= 0) & (moments[rank] == own) & (wanted[place] == keys), place, -1)


def _moments(table: Sequences, resolution: Resolution | None) -> NDArray[Any]:
    if resolution is None:
        return table.times
    kind = table.times.dtype.type
    return np.asarray(np.floor_divide(table.times - kind(resolution.first), kind(resolution.width)))


class Things(NamedTuple):
    """What can be known of each sequence, one after the other; and a number for its content."""

    codes: Ints
    begins: NDArray[np.bool_]
    offsets: Ints
    marks: Marks


def knowable_things(table: Sequences, codes: Ints, order: Order, resolution: Resolution | None) -> Things:
    """Return what can be known, sorted, and once per element; codes of -1 are left out."""
    owners = table.owners
    kept = np.flatnonzero(codes >= 0)
    elements = table.elements[kept].astype(np.int64)
    if order == "in order":  # as the rows of a table are
        first = _begins(owners[kept], elements)
        first[1:] |= codes[kept[1:]] != codes[kept[:-1]]
        kept, elements = kept[first], elements[first]
        begins = _begins(owners[kept], elements)
    else:
        kept = kept[np.lexsort((codes[kept], owners[kept]))]
        begins = np.ones(kept.size, bool)
    offsets = offsets_of(np.bincount(owners[kept], minlength=table.n_sequences))
    things = marks_of_events(table.vocabulary)[table.codes[kept]]
    if order == "with times":
        things = mixed(things) ^ marks_of_moments(_moments(table, resolution)[kept])
    marks = marks_of_sequences(things, offsets, begins, in_order=order == "in order")
    return Things(codes[kept], begins, offsets, marks)


def _distinct(things: Things) -> tuple[Ints, Ints, Ints, Ints, Marks, Ints]:
    """Return codes, elements and lengths of distinct sequences, how many have each, marks, who has which."""
    codes, begins, offsets, marks = things
    ends, _ = end_nodes(2 * codes + begins, offsets)
    _, first, numbers, counts = np.unique(ends, return_index=True, return_inverse=True, return_counts=True)
    # Elements are numbered anew: marked events may have left gaps.
    elements: Ints = np.cumsum(begins, dtype=np.int64)
    elements -= np.append(elements, 0)[offsets[:-1]].repeat(np.diff(offsets))
    places = places_of(offsets, first)
    lengths, which = np.diff(offsets)[first], numbers.astype(np.int64)
    return codes[places], elements[places], lengths, counts.astype(np.int64), marks[first], which


def _begins(owners: Ints, elements: Ints) -> NDArray[np.bool_]:
    """Return for each event whether it begins an element."""
    begins = np.ones(owners.size, bool)
    begins[1:] = (owners[1:] != owners[:-1]) | (elements[1:] != elements[:-1])
    return begins
