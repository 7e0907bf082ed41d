"""Who contains a pattern with one event more: its witnesses, found from those of the pattern.

A witness of a pattern is a sequence that contains it, with the earliest element where it can end there.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.remembered_patterns import (
    END,
    FAR,
    PARENT,
    PEOPLE,
    ROW,
    SIZE,
    START,
    STOP,
    SUPPORT,
    SYMBOL,
    WITNESSES,
    Search,
    Text,
    Whole,
)

# Witnesses looked at before asking whether enough are left.
BLOCK = 64


@compiled
def fill_jumps(text: Text, pulse: Array) -> None:
    """Note for each first row of an element how far the next event of each kind is, in later elements."""
    codes, first, slot, jumps = text.codes, text.first, text.slot, text.jumps
    last = np.zeros(jumps.shape[0], np.int64)
    row = codes.size - 1 if last.size > 0 else -1
    while row >= 0 and pulse[STOP] == 0:
        begin = row if codes[row] == END else first[row]
        for line in range(last.size):
            if last[line] > 0:
                jumps[line, begin] = min(last[line] - begin, FAR)
        if codes[row] == END:
            last[:] = 0
        else:
            for r in range(begin, row + 1):
                label = np.int64(codes[r])
                while label >= 0:
                    if slot[label] >= 0:
                        last[slot[label]] = r
                    label = text.above[label]
        row = begin - 1


@compiled
def find_witnesses(text: Text, search: Search, k: Whole, node: Whole, symbol: Whole) -> tuple[Whole, Whole]:
    """Write the witnesses of a pattern with one symbol more behind all others; returns their end and support.

    Gives up as soon as fewer than k people can be left.
    """
    label = symbol >> 1
    end = text.end[label]
    top = search.counters[WITNESSES]
    begin, support = search.patterns[node, START], search.patterns[node, SUPPORT]
    stop = begin + search.patterns[node, SIZE]
    if symbol & 1 == 0:
        n_members = _read_element(search.patterns, node, search.members)
        if _is_related(search.members[:n_members], label, text.end):
            return top, np.int64(0)
        return _join(text, search.witnesses, begin, stop, top, support, k, label, search.members[:n_members])
    if text.is_plain and text.slot[label] >= 0:
        jumps = text.jumps[text.slot[label]]
        return _jump(text.codes, jumps, search.witnesses, begin, stop, top, support, k, label, end)
    return _follow(text, search.witnesses, begin, stop, top, support, k, label)


@compiled
def _jump(
    codes: Array, jumps: Array, witnesses: Array, begin: Whole, stop: Whole, end: Whole,
    support: Whole, k: Whole, label: Whole, past: Whole,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Find the witnesses of a pattern with one element more, where every row is an element."""
    while begin < stop and support >= k:
        block = min(begin + BLOCK, stop)
        for i in range(begin, block):
            row, people = witnesses[i, ROW], witnesses[i, PEOPLE]
            jump = np.int32(jumps[row])
            row += jump
            if jump == FAR:
                while not label <= codes[row] < past:
                    row += 1
            # Written always and counted on a hit only: no branch to mispredict.
            witnesses[end, ROW] = row
            witnesses[end, PEOPLE] = people
            end += 1 if jump > 0 else 0
            support -= people if jump == 0 else 0
        begin = block
    return end, support


@compiled
def _follow(
    text: Text,
    witnesses: Array,
    begin: Whole,
    stop: Whole,
    end: Whole,
    support: Whole,
    k: Whole,
    label: Whole,
) -> tuple[Whole, Whole]:
    """Do what _jump does, for elements with several events and for labels without a line of jumps."""
    codes, past = text.codes, text.end[label]
    for i in range(begin, stop):
        row = text.after[witnesses[i, ROW]]
        while not label <= codes[row] < past and codes[row] != END:
            row += 1
        if codes[row] != END:
            witnesses[end, ROW] = text.first[row]
            witnesses[end, PEOPLE] = witnesses[i, PEOPLE]
            end += 1
        else:
            support -= witnesses[i, PEOPLE]
            if support < k:
                break
    return end, support


@compiled
def _join(
    text: Text, witnesses: Array, begin: Whole, stop: Whole, end: Whole, support: Whole, k: Whole,
    label: Whole, members: Array,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Find the witnesses of a pattern whose last element, with these members, gets one label more."""
    for i in range(begin, stop):
        row = _element_with(text, members, witnesses[i, ROW], label)
        if row >= 0:
            witnesses[end, ROW] = row
            witnesses[end, PEOPLE] = witnesses[i, PEOPLE]
            end += 1
        else:
            support -= witnesses[i, PEOPLE]
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
