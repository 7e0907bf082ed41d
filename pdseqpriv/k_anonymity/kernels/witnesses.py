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
def fill_jumps(text: Text) -> None:
    """Note for each first row of an element how far the next event of each kind is, in later elements."""
    codes, first, slot, jumps = text.codes, text.first, text.slot, text.jumps
    last = np.zeros(jumps.shape[0], np.int64)
    row = codes.size - 1
    while row >= 0:
        begin = row if codes[row] == END else first[row]
        for line in range(last.size):
            if last[line] > 0:
                jumps[line, begin] = min(last[line] - begin, FAR)
        if codes[row] == END:
            last[:] = 0
        else:
            for r in range(begin, row + 1):
                if slot[codes[r]] >= 0:
                    last[slot[codes[r]]] = r
        row = begin - 1


@compiled
def find_witnesses(text: Text, search: Search, k: Whole, node: Whole, symbol: Whole) -> tuple[Whole, Whole]:
    """Write the witnesses of a pattern with one symbol more behind all others; gives their end and support.

    Gives up as soon as fewer than k people can be left.
    """
    code = symbol >> 1
    top = search.counters[WITNESSES]
    begin, support = search.patterns[node, START], search.patterns[node, SUPPORT]
    stop = begin + search.patterns[node, SIZE]
    if symbol & 1 == 0:
        n_members = _read_element(search.patterns, node, search.members)
        return _join(
            text.codes, text.first, text.after, search.witnesses, begin, stop, top, support, k, code,
            search.members[:n_members],
        )  # fmt: skip
    if text.is_plain and text.slot[code] >= 0:
        jumps = text.jumps[text.slot[code]]
        return _jump(text.codes, jumps, search.witnesses, begin, stop, top, support, k, code)
    return _follow(text.codes, text.first, text.after, search.witnesses, begin, stop, top, support, k, code)


@compiled
def _jump(
    codes: Array, jumps: Array, witnesses: Array, begin: Whole, stop: Whole, end: Whole,
    support: Whole, k: Whole, code: Whole,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Find the witnesses of a pattern with one element more, where every row is an element."""
    while begin < stop and support >= k:
        block = min(begin + BLOCK, stop)
        for i in range(begin, block):
            row, people = witnesses[i, ROW], witnesses[i, PEOPLE]
            jump = np.int32(jumps[row])
            row += jump
            if jump == FAR:
                while codes[row] != code:
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
    codes: Array, first: Array, after: Array, witnesses: Array, begin: Whole, stop: Whole, end: Whole,
    support: Whole, k: Whole, code: Whole,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Do what _jump does, for elements with several events and for events without a line of jumps."""
    for i in range(begin, stop):
        row = after[witnesses[i, ROW]]
        while codes[row] != code and codes[row] != END:
            row += 1
        if codes[row] == code:
            witnesses[end, ROW] = first[row]
            witnesses[end, PEOPLE] = witnesses[i, PEOPLE]
            end += 1
        else:
            support -= witnesses[i, PEOPLE]
            if support < k:
                break
    return end, support


@compiled
def _join(
    codes: Array, first: Array, after: Array, witnesses: Array, begin: Whole, stop: Whole, end: Whole,
    support: Whole, k: Whole, code: Whole, members: Array,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Find the witnesses of a pattern whose last element, with these members, gets one event more."""
    for i in range(begin, stop):
        row = _element_with(codes, first, after, members, witnesses[i, ROW], code)
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
    """Write the events of the last element of a pattern; gives how many there are."""
    n = 0
    while True:
        members[n] = patterns[node, SYMBOL] >> 1
        n += 1
        if patterns[node, SYMBOL] & 1:
            return n
        node = patterns[node, PARENT]


@compiled
def _element_with(codes: Array, first: Array, after: Array, members: Array, row: Whole, code: Whole) -> Whole:
    """Give the first element, from the one at row on, with the code and all members; -1 for none."""
    here = row
    while True:
        while codes[here] != code and codes[here] != END:
            here += 1
        if codes[here] == END:
            return -1
        if first[here] == row or _holds_all(codes[first[here] : after[here]], members):
            return first[here]
        here = after[here]


@compiled
def _holds_all(element: Array, members: Array) -> Whole:
    for member in members:
        place = 0
        while place < element.size and element[place] != member:
            place += 1
        if place == element.size:
            return False
    return True
