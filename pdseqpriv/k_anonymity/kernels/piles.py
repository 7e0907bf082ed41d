"""Piles of classes that wait to be refined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled


class Pile(NamedTuple):
    """Classes, the last one on top: range of members, whether it is done, where its pattern ends."""

    size: Array
    lines: Array
    symbols: Array


@compiled
def no_classes() -> Pile:
    """Return a pile without classes."""
    return Pile(np.zeros(1, np.int64), np.zeros((16, 4), np.int64), np.empty(256, np.int64))


@compiled
def push_class(pile: Pile, begin: int, stop: int, pattern: Array, is_done: bool) -> Pile:
    """Put a class on top; returns the pile, which may have had to move."""
    n = pile.size[0]
    end = pile.lines[n - 1, 3] if n else 0
    lines, symbols = pile.lines, pile.symbols
    if n == lines.shape[0]:
        lines = np.zeros((2 * n, 4), np.int64)
        for i in range(n):
            for column in range(4):
                lines[i, column] = pile.lines[i, column]
    if end + pattern.size > symbols.size:
        symbols = np.empty(2 * (end + pattern.size), np.int64)
        for i in range(end):
            symbols[i] = pile.symbols[i]
    lines[n, 0], lines[n, 1], lines[n, 2], lines[n, 3] = begin, stop, is_done, end + pattern.size
    for i in range(pattern.size):
        symbols[end + i] = pattern[i]
    pile.size[0] = n + 1
    return Pile(pile.size, lines, symbols)


@compiled
def pop_class(pile: Pile) -> tuple[int, int, Array, bool]:
    """Take the class on top away: its range of members, its pattern, and whether it is done."""
    n = pile.size[0] - 1
    pile.size[0] = n
    first = pile.lines[n - 1, 3] if n else 0
    pattern = pile.symbols[first : pile.lines[n, 3]].copy()
    return pile.lines[n, 0], pile.lines[n, 1], pattern, pile.lines[n, 2] == 1
