"""How the elements of a release fit into a list of events: at which places, and how well."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

ONE = np.uint64(1)
NO_LINE = -1


class Lists(NamedTuple):
    """Lists of events: list ``i`` is ``codes[offsets[i]:offsets[i + 1]]``, in elements."""

    codes: Array
    begins: Array  # whether the event begins an element
    offsets: Array


class CoveringLabels(NamedTuple):
    """What the labels of a release stand for, and which of its elements hold them."""

    of_event: Array  # event i is covered by the labels of_event[event_offsets[i]:event_offsets[i + 1]]
    event_offsets: Array
    elements: Array  # label i is in the elements elements[label_offsets[i]:label_offsets[i + 1]]
    label_offsets: Array
    inside: Array  # element i holds the labels inside[element_offsets[i]:element_offsets[i + 1]]
    element_offsets: Array
    sizes: Array  # how many labels each element holds


class Fit(NamedTuple):
    """How released elements fit into one list; those that have nothing in common with it have no line."""

    line: Array  # of each released element
    with_line: Array  # these elements
    common: Array  # per line and place: how many labels cover an event there
    touches: Array  # per line, bits of places: some label covers an event there
    goes_in: Array  # per line, bits of places: every label covers an event there
    goes_around: Array  # per line, bits of places: every event there is covered by a label
    most: int  # how many labels of a record can at most be matched


class Notes(NamedTuple):
    """Where :func:`fit_into` keeps track; one for many calls."""

    line: Array
    with_line: Array
    label_seen: Array
    element_seen: Array
    stamp: Array


@compiled
def new_notes(labels: CoveringLabels) -> Notes:
    """Return notes for the first call."""
    n_elements, n_labels = labels.sizes.size, labels.label_offsets.size - 1
    return Notes(
        np.full(n_elements, NO_LINE, np.int64),
        np.empty(n_elements, np.int64),
        np.zeros(n_labels, np.int64),
        np.zeros(n_elements, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def fit_into(labels: CoveringLabels, lists: Lists, which: int, notes: Notes) -> Fit:
    """Hold all released elements against one list; :func:`forget_lines` it before the next one."""
    start, stop = lists.offsets[which], lists.offsets[which + 1]
    codes, begins = lists.codes[start:stop], lists.begins[start:stop]
    n_lines = _give_lines(labels, codes, notes)
    n_places = begins.sum()
    common = np.zeros((n_lines, n_places), np.int32)  # labels that cover an event at the place
    covered = np.zeros((n_lines, n_places), np.int32)  # events of the place that a label covers
    events = np.zeros(n_places, np.int64)
    matched = np.zeros(n_places, np.int64)
    place, place_stamp = -1, 0
    for i in range(codes.size):
        if begins[i]:
            place += 1
            notes.stamp[0] += 1
            place_stamp = notes.stamp[0]
        events[place] += 1
        notes.stamp[0] += 1
        for j in range(labels.event_offsets[codes[i]], labels.event_offsets[codes[i] + 1]):
            label = labels.of_event[j]
            is_new = notes.label_seen[label] != place_stamp
            notes.label_seen[label] = place_stamp
            matched[place] += is_new
            for e in range(labels.label_offsets[label], labels.label_offsets[label + 1]):
                element = labels.elements[e]
                common[notes.line[element], place] += is_new
                if notes.element_seen[element] != notes.stamp[0]:
                    notes.element_seen[element] = notes.stamp[0]
                    covered[notes.line[element], place] += 1
    with_line = notes.with_line[:n_lines].copy()
    touches = _bits_where(common, np.ones(n_lines, np.int64), np.zeros(n_places, np.int64))
    goes_in = _bits_where(common, labels.sizes[with_line], np.zeros(n_places, np.int64))
    goes_around = _bits_where(covered, np.zeros(n_lines, np.int64), events)
    widest = labels.sizes.max() if labels.sizes.size else 0
    most = np.minimum(matched, widest).sum()
    return Fit(notes.line, with_line, common, touches, goes_in, goes_around, most)


@compiled
def forget_lines(fit: Fit) -> None:
    """Take the lines back."""
    for element in fit.with_line:
        fit.line[element] = NO_LINE


@compiled
def _give_lines(labels: CoveringLabels, codes: Array, notes: Notes) -> int:
    """Number the elements that have something in common with the list."""
    n_lines = 0
    for code in codes:
        for j in range(labels.event_offsets[code], labels.event_offsets[code + 1]):
            label = labels.of_event[j]
            for e in range(labels.label_offsets[label], labels.label_offsets[label + 1]):
                element = labels.elements[e]
                if notes.line[element] == NO_LINE:
                    notes.line[element] = n_lines
                    notes.with_line[n_lines] = element
                    n_lines += 1
    return n_lines


@compiled
def _bits_where(values: Array, of_line: Array, of_place: Array) -> Array:
    """Set the bits of the places where a line reaches the least value of the line and the place together."""
    n_lines, n_places = values.shape
    bits = np.zeros((n_lines, (n_places + 63) // 64), np.uint64)
    for line in range(n_lines):
        for place in range(n_places):
            if values[line, place] >= of_line[line] + of_place[place]:
                bits[line, place >> 6] |= ONE << np.uint64(place & 63)
    return bits
