"""What of the sensitive rows decides whether a group is diverse."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.generalization.kernels.clusters import Rules, most_in_a_window
from pdseqpriv.generalization.kernels.windows import last_within
from pdseqpriv.generalization.people import Ints, People, Privacy


@dataclass(frozen=True)
class Places:
    """Where sensitive events happen: a place is an event at a time.

    Attributes
    ----------
    place : int64
        Of each sensitive row, ascending inside a sequence.
    offsets : int64
        Sequence ``i`` has the places ``offsets[i]:offsets[i + 1]``.
    until : int64 per place
        The last place of the same event in the window that begins there.
    """

    place: Ints
    offsets: Ints
    until: Ints


def places_of(people: People, privacy: Privacy) -> Places:
    """Number the places of the sensitive rows; none when no diversity is asked."""
    if privacy.window is None or privacy.certainty is None:
        nothing = np.zeros(0, np.int64)
        return Places(nothing, np.zeros(people.totals.size + 1, np.int64), nothing)
    times, when = np.unique(people.sensitive_time, return_inverse=True)
    last = _last_within(times, privacy.window)
    key = people.sensitive_code.astype(np.int64) * max(1, times.size) + when
    keys, place = np.unique(key, return_inverse=True)
    within = keys // max(1, times.size) * times.size + last[keys % max(1, times.size)]
    owner = np.repeat(np.arange(people.totals.size), np.diff(people.sensitive_offsets))
    place = place[np.lexsort((place, owner))].astype(np.int64)
    return Places(place, people.sensitive_offsets, np.searchsorted(keys, within, side="right") - 1)


def _last_within(times: NDArray[Any], length: float) -> Ints:
    """Give the last time in the window that begins at each, compared exactly."""
    if times.dtype.kind == "f":
        rounded = float(length)
        limit: Any = rounded if rounded >= length else math.nextafter(rounded, math.inf)
    else:
        # Times since the first one fit unsigned numbers, whatever the times are.
        times = times.view(np.uint64) - times[:1].view(np.uint64)
        limit = np.uint64(2**64 - 1 if length >= 2**64 else math.floor(length))
    last: Ints = last_within(times, limit)
    return last


def rules_of(privacy: Privacy, places: Places, n: int) -> Rules:
    """Give the privacy asked as whole numbers, for groups of up to n sequences.

    A group of s may have floor(s / l) members that share an event in a window. The target is the least size
    at which groups whose members share nothing satisfy both requirements, or all sequences.
    """
    sizes = np.arange(n + 1)
    if privacy.window is None or privacy.certainty is None:
        return Rules(privacy.k, min(privacy.k, n), sizes, places.until)
    l = privacy.certainty  # noqa: E741 (as in the paper)
    # Python's own numbers: the parts of a fraction may be large.
    allowed = np.minimum(sizes.astype(object) * l.denominator // l.numerator, sizes).astype(np.int64)
    return Rules(privacy.k, min(max(privacy.k, math.ceil(l)), n), allowed, places.until)


def most_shared(places: Places) -> int:
    """Give the most sequences of the whole table that share a sensitive event in one window."""
    owner = np.repeat(np.arange(places.offsets.size - 1), np.diff(places.offsets))
    order = np.argsort(places.place, kind="stable")
    rows = np.stack([places.place[order], owner[order]])
    inside = np.zeros(places.offsets.size - 1, np.int64)
    return int(most_in_a_window(rows, 0, order.size, places.until, inside))
