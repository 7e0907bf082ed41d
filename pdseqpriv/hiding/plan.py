"""Decide which patterns are hidden in which sequences, from a small summary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pdseqpriv.hiding.automata import CompiledPatterns
from pdseqpriv.hiding.summary import Costs, Question, Supporters
from pdseqpriv.sequences.ragged import Flags, Ints

_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class Plan:
    """Which patterns are hidden in which of the supporters (``hidden``), and how."""

    patterns: CompiledPatterns
    supporters: Supporters
    hidden: Flags
    marking: str
    output: str
    seed: int


def ask(supporters: Supporters, thresholds: Ints, selection: str, marking: str) -> Question | None:
    """Return what must be known before choosing, or None if there is nothing to choose."""
    supports = supporters.supports
    above = supports.sum(axis=0) > thresholds
    free = above & (thresholds > 0) & (selection == "per_pattern")
    with_sizes = bool(((supports & free).sum(axis=1) > 1).any())
    if selection == "shared":
        with_sizes = bool(0 < thresholds.min() < len(supports))
    if not free.any() and not with_sizes:
        return None
    return Question(supporters.ids, supports, above, free, marking, with_sizes)


def make_plan(
    patterns: CompiledPatterns,
    supporters: Supporters,
    costs: Costs | None,
    thresholds: Ints,
    *,
    selection: str,
    marking: str,
    output: str,
    seed: int,
) -> Plan:
    """Choose the patterns to hide in each supporter."""
    supports, n_sequences = supporters.supports, len(supporters.ids)
    if selection == "random":
        order = np.random.default_rng(seed).permutation(n_sequences)
        hidden = _leave(supports, order, thresholds)
    elif selection == "shared":
        # Without costs either all are left or none, so the order does not matter.
        order = np.arange(n_sequences) if costs is None else _largest_first(costs)
        hidden = _leave(supports, order, thresholds)
    else:
        hidden = supports & (supports.sum(axis=0) > thresholds)
        if costs is not None:
            hidden &= ~_left_per_pattern(supports, costs, thresholds)
    return Plan(patterns, supporters, hidden, marking, output, seed)


def _largest_first(costs: Costs) -> Ints:
    """Order by the number of matches: its highest digit decides first, and ties stay in the order of ids."""
    return np.lexsort(costs.sizes.T)[::-1]


def _leave(supports: Flags, order: Ints, thresholds: Ints) -> Flags:
    """Leave the first sequences as they are and hide everything in the others (the paper)."""
    hidden = supports.copy()
    hidden[order[: int(thresholds.min())]] = False
    return hidden


def _left_per_pattern(supports: Flags, costs: Costs, thresholds: Ints) -> Flags:
    """Leave, for every pattern, the sequences where that saves the most marks.

    Where no sequence has two patterns to choose from, the choices are independent and this is the optimum.
    Otherwise they are improved pattern by pattern, each time with the best choice given the others, from
    three starting points; one of them is the choice of "shared", so the result never costs more than that.
    """
    nothing = np.zeros_like(costs.free)
    shared = costs.free & ~_leave(supports, _largest_first(costs), thresholds)
    patterns = np.arange(thresholds.size)
    beginnings = [(nothing, patterns), (nothing, patterns[::-1]), (shared, patterns)]
    found = [_improve(costs, left, thresholds, order) for left, order in beginnings]
    return min(found, key=lambda left: _total(costs, left))


def _improve(costs: Costs, left: Flags, thresholds: Ints, order: Ints) -> Flags:
    left, best = left.copy(), np.iinfo(np.int64).max
    for _ in range(_ROUNDS):
        for p in order:
            candidates = np.flatnonzero(costs.free[:, p])
            saved = _saved(costs, left, p)[candidates]
            most = candidates[np.argsort(-saved, kind="stable")[: thresholds[p]]]
            left[:, p] = False
            left[most, p] = True
        total = _total(costs, left)
        if total >= best:
            break
        best = total
    return left


def _bits(costs: Costs, flags: Flags) -> Ints:
    place = np.where(costs.free, np.cumsum(costs.free, axis=1) - 1, 0)
    return np.asarray(np.where(costs.free & flags, 1 << place, 0).sum(axis=1))


def _saved(costs: Costs, left: Flags, p: int) -> Ints:
    """Count the marks that leaving pattern p saves in every sequence, given the other patterns."""
    without = left.copy()
    without[:, p] = True
    hidden = _bits(costs, ~without)
    own = np.zeros_like(left)
    own[:, p] = True
    return np.asarray(
        costs.costs[costs.first + hidden + _bits(costs, own)] - costs.costs[costs.first + hidden]
    )


def _total(costs: Costs, left: Flags) -> int:
    return int(costs.costs[costs.first + _bits(costs, ~left)].sum())
