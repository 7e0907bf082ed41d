"""Who contains a pattern with one event more: its witnesses, found from those of the pattern.

A witness of a pattern is a sequence that contains it, with the earliest element where it can end there.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.bits import place_of_bit
from pdseqpriv.k_anonymity.kernels.remembered_patterns import (
    END,
    FAR,
    LAST_BIT,
    NO_LINE,
    PARENT,
    PLACE,
    SEQUENCE,
    SIZE,
    START,
    STOP,
    SUPPORT,
    SYMBOL,
    WITNESSES,
    PatternMemory,
    Text,
    Whole,
)

# Witnesses looked at before asking whether enough are left.
BLOCK = 64


@compiled
def note_places(text: Text, pulse: Array) -> None:
    """Note for each label that has a line, and each sequence, which elements have the label."""
    for s in range(text.people.size):
        if pulse[STOP] != 0:
            return
        start = text.starts[s]
        for row in range(start + 1, text.starts[s + 1]):
            place = text.first[row] - start
            bit = np.uint64(1) << np.uint64(min(place, LAST_BIT))
            label = np.int64(text.codes[row])
            while label >= 0:
                line = text.line[label]
                if line != NO_LINE:
                    text.latest[line, s] = min(place, FAR)
                    text.places[line, s] |= bit
                label = text.above[label]


@compiled
def find_witnesses(
    text: Text, search: PatternMemory, k: Whole, node: Whole, symbol: Whole
) -> tuple[Whole, Whole]:
    """Write the witnesses of a pattern with one symbol more behind all others; returns their end and support.

    Gives up as soon as fewer than k people can be left.
    """
    label = symbol >> 1
    top = search.counters[WITNESSES]
    begin, support = search.patterns[node, START], search.patterns[node, SUPPORT]
    stop = begin + search.patterns[node, SIZE]
    if symbol & 1 == 0:
        n_members = _read_element(search.patterns, node, search.members)
        if _is_related(search.members[:n_members], label, text.end):
            return top, np.int64(0)
        return _join(text, search.witnesses, begin, stop, top, support, k, label, search.members[:n_members])
    while begin < stop and support >= k:
        block = min(begin + BLOCK, stop)
        end, lost = _keep_some(text, search.witnesses, begin, block, top, label)
        top, lost_too = _move_on(text, search.witnesses, top, end, label)
        support -= lost + lost_too
        begin = block
    return top, support


@compiled
def _keep_some(
    text: Text, witnesses: Array, begin: Whole, stop: Whole, end: Whole, label: Whole
) -> tuple[Whole, Whole]:
    """Copy the witnesses that have a label later on, or may have; returns their end and who is lost.

    Places of arrays are unsigned here and in `_move_on`: others are first examined for counting from the end,
    which took about a tenth of a walk.
    """
    latest, people = text.latest[text.line[label]], text.people
    end, lost = np.uint64(end), np.int64(0)
    for i in range(np.uint64(begin), np.uint64(stop)):
        s, place = np.uint32(witnesses[i, SEQUENCE]), witnesses[i, PLACE]
        is_kept = min(place, FAR - 1) < latest[s]
        # Written always and counted on a hit only: no branch to mispredict.
        witnesses[end, SEQUENCE] = s
        witnesses[end, PLACE] = place
        end += np.uint64(is_kept)
        lost += 0 if is_kept else people[s]
    return np.int64(end), lost


@compiled
def _move_on(text: Text, witnesses: Array, begin: Whole, stop: Whole, label: Whole) -> tuple[Whole, Whole]:
    """Move witnesses to the next element with a label; returns their end and how many people are lost."""
    places = text.places[text.line[label]]
    end, lost = np.uint64(begin), np.int64(0)
    for i in range(np.uint64(begin), np.uint64(stop)):
        s, before = np.uint32(witnesses[i, SEQUENCE]), witnesses[i, PLACE]
        place = min(before, LAST_BIT - 1) + 1
        later = places[s] >> np.uint64(place)
        place += place_of_bit(later & (~later + np.uint64(1)))
        if place == LAST_BIT:
            place = _next_place(text, s, before, label)
        if place == 0:
            lost += text.people[s]
        else:
            witnesses[end, SEQUENCE] = s
            witnesses[end, PLACE] = place
            end += np.uint64(1)
    return np.int64(end), lost


@compiled
def _next_place(text: Text, s: Whole, place: Whole, label: Whole) -> Whole:
    """Return the place of the next element with a label, read from the text; 0 for none."""
    codes, past, start = text.codes, text.end[label], text.starts[s]
    row = text.after[start + place]
    while not label <= codes[row] < past and codes[row] != END:
        row += 1
    return 0 if codes[row] == END else text.first[row] - start


@compiled
def _join(
    text: Text, witnesses: Array, begin: Whole, stop: Whole, end: Whole, support: Whole, k: Whole,
    label: Whole, members: Array,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Find the witnesses of a pattern whose last element, with these members, gets one label more."""
    for i in range(begin, stop):
        s = witnesses[i, SEQUENCE]
        start = text.starts[s]
        row = _element_with(text, members, start + witnesses[i, PLACE], label)
        if row >= 0:
            witnesses[end, SEQUENCE] = s
            witnesses[end, PLACE] = row - start
            end += 1
        else:
            support -= text.people[s]
            if support < k:
                break
    return end, support


@compiled
def _read_element(patterns: Array, node: Whole, members: Array) -> Whole:
    """Write the labels of the last element of a pattern; returns how many there are."""
    n = 0
    while True:
        members[n] = patterns[node, SYMBOL] >> 1
        n += 1
        if patterns[node, SYMBOL] & 1:
            return n
        node = patterns[node, PARENT]


@compiled
def _is_related(members: Array, label: Whole, end: Array) -> Whole:
    """Return whether a label covers a member or is covered by one: beside it, it would say nothing more."""
    for member in members:
        if label <= member < end[label] or member <= label < end[member]:
            return True
    return False


@compiled
def _element_with(text: Text, members: Array, row: Whole, label: Whole) -> Whole:
    """Return the first element, from the one at row on, with the label and all members; -1 for none."""
    codes, past = text.codes, text.end[label]
    here = row
    while True:
        while not label <= codes[here] < past and codes[here] != END:
            here += 1
        if codes[here] == END:
            return -1
        begin = text.first[here]
        if begin == row or _holds_all(codes[begin : text.after[here]], members, text.end):
            return begin
        here = text.after[here]


@compiled
def _holds_all(element: Array, members: Array, end: Array) -> Whole:
    for member in members:
        place = 0
        while place < element.size and not member <= element[place] < end[member]:
            place += 1
        if place == element.size:
            return False
    return True
