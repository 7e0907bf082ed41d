"""Turn sequences into what the miners read: only frequent events, and equal sequences or people only once.

The text is one array: the kept events as 0, 1, 2 ..., END_OF_TEXT after each sequence and, when any element
holds several events, GAP between elements.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.mining.kernels.distinct_people import list_people
from pdseqpriv.mining.kernels.equal_lists import number_equal

END_OF_TEXT = -1
GAP = -2


class Occurrences(NamedTuple):
    """What the miners read: where each event occurs in the text of the distinct sequences.

    ``places[bounds[event]:bounds[event + 1]]`` are the places behind an event, and ``owners`` says whose.
    Where people have several sequences, those of each distinct person are listed one after the other.
    """

    text: Array  # int32
    weights: Array  # int64 per listed sequence, how often it, or its person, occurs
    people: Array  # int64 per listed sequence, its person; empty if each sequence is a person of its own
    bounds: Array  # int64
    places: Array  # int64
    owners: Array  # int64


@compiled
def write_frequent(
    codes: Array, offsets: Array, elements: Array, people: Array, n_events: int, min_support: int
) -> tuple[Array, Array, Occurrences, bool]:
    """Return the frequent events and their supports, what the miners read, and whether it has gaps.

    Sequences are in order of ``people``, which is empty if each is a person of its own. All occurrences of an
    event matter only if there are gaps; otherwise only the first in each sequence is listed.
    """
    supports = _event_supports(codes, offsets, people, n_events)
    frequent = np.flatnonzero(supports >= min_support)
    new_code = np.full(n_events, -1, np.int32)
    for code in range(len(frequent)):
        new_code[frequent[code]] = code
    gaps = _has_itemsets(codes, offsets, elements, new_code)
    text, starts, written = _write_text(codes, offsets, elements, new_code, gaps)
    starts, numbers = number_equal(text, starts)
    if len(people):
        starts, weights, people = list_people(people[written], numbers, starts)
    else:
        weights = np.zeros(len(starts), np.int64)
        for number in numbers:
            weights[number] += 1
    bounds, places, owners = _list_places(text, starts, len(frequent), not gaps)
    return frequent, supports[frequent], Occurrences(text, weights, people, bounds, places, owners), gaps


@compiled
def _list_places(text: Array, starts: Array, n_events: int, only_first: bool) -> tuple[Array, Array, Array]:
    """Return bounds, places and owners of all occurrences of each event, or of the first in each sequence."""
    counts = np.zeros(n_events + 1, np.int64)
    last_seen = np.full(n_events, -1, np.int64)
    for sequence in range(len(starts)):
        place = starts[sequence]
        while text[place] != END_OF_TEXT:
            event = text[place]
            if event >= 0 and not (only_first and last_seen[event] == sequence):
                last_seen[event] = sequence
                counts[event + 1] += 1
            place += 1
    bounds = np.cumsum(counts)
    fill = bounds[:-1].copy()
    places = np.empty(bounds[-1], np.int64)
    owners = np.empty(bounds[-1], np.int64)
    last_seen[:] = -1
    for sequence in range(len(starts)):
        place = starts[sequence]
        while text[place] != END_OF_TEXT:
            event = text[place]
            place += 1
            if event >= 0 and not (only_first and last_seen[event] == sequence):
                last_seen[event] = sequence
                places[fill[event]] = place
                owners[fill[event]] = sequence
                fill[event] += 1
    return bounds, places, owners


@compiled
def _event_supports(codes: Array, offsets: Array, people: Array, n_events: int) -> Array:
    """Count how many sequences, or people, have each event."""
    supports = np.zeros(n_events, np.int64)
    last_seen = np.full(n_events, -1, np.int64)
    for sequence in range(len(offsets) - 1):
        person = people[sequence] if len(people) else sequence
        for row in range(offsets[sequence], offsets[sequence + 1]):
            event = codes[row]
            if event >= 0 and last_seen[event] != person:
                last_seen[event] = person
                supports[event] += 1
    return supports


@compiled
def _has_itemsets(codes: Array, offsets: Array, elements: Array, new_code: Array) -> bool:
    """Return whether two different kept events share an element."""
    for sequence in range(len(offsets) - 1):
        element = -1
        event = -1
        for row in range(offsets[sequence], offsets[sequence + 1]):
            if codes[row] < 0 or new_code[codes[row]] < 0:
                continue
            if elements[row] == element and codes[row] != event:
                return True
            element = elements[row]
            event = codes[row]
    return False


@compiled
def _write_text(
    codes: Array, offsets: Array, elements: Array, new_code: Array, gaps: bool
) -> tuple[Array, Array, Array]:
    """Write the kept events of every sequence that has any, and which these are.

    An event that is in one element twice is written once.
    """
    n_sequences = len(offsets) - 1
    text = np.empty(len(codes) * (2 if gaps else 1) + n_sequences, np.int32)
    starts = np.empty(n_sequences + 1, np.int64)
    written = np.empty(n_sequences, np.int64)
    top = 0
    kept = 0
    for sequence in range(n_sequences):
        starts[kept] = top
        element = -1
        event = -1
        for row in range(offsets[sequence], offsets[sequence + 1]):
            code = codes[row]
            if code < 0 or new_code[code] < 0:
                continue
            if elements[row] != element:
                if gaps and top > starts[kept]:
                    text[top] = GAP
                    top += 1
            elif code == event:
                continue
            element = elements[row]
            event = code
            text[top] = new_code[code]
            top += 1
        if top > starts[kept]:
            text[top] = END_OF_TEXT
            top += 1
            written[kept] = sequence
            kept += 1
    starts[kept] = top
    return text[:top].copy(), starts[: kept + 1].copy(), written[:kept].copy()
