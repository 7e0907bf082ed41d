"""Hiding by enumeration of every match, written from the paper with plain lists.

A sequence is a list of ``(time, events)``: one entry per element, ``events`` a list that may repeat. A mark
removes every copy of one event from one element and costs as many marks as there were copies; the element
keeps its place. A match is a tuple of ``(element, events used there)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, pairwise, product

ANY = float("inf")


@dataclass(frozen=True)
class NaivePattern:
    """Elements, a (least, most, least time, most time) per arrow, and a window (elements, time)."""

    elements: tuple[frozenset, ...]
    gaps: tuple[tuple, ...]
    window: tuple = (ANY, ANY)


@dataclass(frozen=True)
class NaiveRegex:
    """A Python expression over one-letter events, the same gap between all neighbours, and a window."""

    expression: str
    gap: tuple
    window: tuple = (ANY, ANY)


def gap_holds(sequence, i, j, gap):
    between, apart = j - i - 1, sequence[j][0] - sequence[i][0]
    return gap[0] <= between <= gap[1] and gap[2] <= apart <= gap[3]


def window_holds(sequence, positions, window):
    first, last = positions[0], positions[-1]
    return last - first + 1 <= window[0] and sequence[last][0] - sequence[first][0] <= window[1]


def matches(sequence, pattern):
    """Every match of the pattern."""
    if isinstance(pattern, NaiveRegex):
        return regex_matches(sequence, pattern)
    found = []
    for positions in combinations(range(len(sequence)), len(pattern.elements)):
        included = all(
            want <= set(sequence[i][1]) for i, want in zip(positions, pattern.elements, strict=True)
        )
        arrows = zip(positions, positions[1:], pattern.gaps, strict=False)
        close = included and all(gap_holds(sequence, i, j, gap) for i, j, gap in arrows)
        if close and window_holds(sequence, positions, pattern.window):
            found.append(tuple(zip(positions, pattern.elements, strict=True)))
    return found


def regex_matches(sequence, pattern):
    """Every choice of elements, and of one event in each, that spells a word of the expression."""
    found, expression = [], re.compile(pattern.expression)
    for size in range(1, len(sequence) + 1):
        for positions in combinations(range(len(sequence)), size):
            if not all(gap_holds(sequence, i, j, pattern.gap) for i, j in pairwise(positions)):
                continue
            if not window_holds(sequence, positions, pattern.window):
                continue
            found += [
                tuple((i, frozenset({e})) for i, e in zip(positions, word, strict=True))
                for word in product(*(sorted(set(sequence[i][1])) for i in positions))
                if expression.fullmatch("".join(word))
            ]
    return found


def all_matches(sequence, patterns):
    return [match for pattern in patterns for match in matches(sequence, pattern)]


def mark(sequence, element, event):
    """The sequence without ``event`` in ``element``."""
    return [
        (time, [e for e in events if (i, e) != (element, event)]) for i, (time, events) in enumerate(sequence)
    ]


def greedy(sequence, patterns):
    """The paper's rule: the element in most matches (leftmost), there the event in most matches (first)."""
    marks = []
    while found := all_matches(sequence, patterns):
        involved = [sum(any(i == j for i, _ in match) for match in found) for j in range(len(sequence))]
        element = involved.index(max(involved))
        events = sorted(set(sequence[element][1]))
        used = [sum((element, event) in [(i, e) for i, s in m for e in s] for m in found) for event in events]
        event = events[used.index(max(used))]
        marks.append((element, event))
        sequence = mark(sequence, element, event)
    return marks


def cost(sequence, marks):
    return sum(sequence[i][1].count(event) for i, event in marks)


def optimal_cost(sequence, patterns):
    """The fewest marks, by trying every set of (element, event)."""
    cells = sorted({(i, event) for match in all_matches(sequence, patterns) for i, s in match for event in s})
    best = cost(sequence, cells)
    found = [frozenset((i, e) for i, s in match for e in s) for match in all_matches(sequence, patterns)]
    for size in range(len(cells) + 1):
        for chosen in combinations(cells, size):
            if all(match & set(chosen) for match in found):
                best = min(best, cost(sequence, chosen))
    return best


def support(sequences, pattern):
    return sum(bool(matches(sequence, pattern)) for sequence in sequences)
