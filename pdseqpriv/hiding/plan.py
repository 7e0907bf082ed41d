"""Which patterns are hidden in which sequences: pure choices on a small summary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdseqpriv.hiding.matcher import Flags, Ints
from pdseqpriv.hiding.summary import Costs, Question, Supporters

_ROUNDS = 20


@dataclass(frozen=True)
class Plan:
    """Per sequence that contains a pattern: which it contains, and which of these are hidden there."""

    ids: pd.Index
    supports: Flags
    hide: Flags


def ask(supporters: Supporters, thresholds: Ints, selection: str, marking: str) -> Question | None:
    """What is to be known before choosing; None when there is nothing to choose."""
    above = supporters.supports.sum(axis=0) > thresholds
    free = above & (thresholds > 0)
    if selection == "per_pattern":
        several = bool(((supporters.supports & free).sum(axis=1) > 1).any())
        return Question(above, free, marking, with_sizes=several) if free.any() else None
    needs_sizes = selection == "shared" and 0 < thresholds.min() < len(supporters.ids)
    return Question(above, np.zeros_like(free), marking, with_sizes=True) if needs_sizes else None


def plan_all(supporters: Supporters, thresholds: Ints) -> Plan:
    """Hide every pattern that is above its threshold, everywhere."""
    above = supporters.supports.sum(axis=0) > thresholds
    return Plan(supporters.ids, supporters.supports, supporters.supports & above)


def plan_shared(supporters: Supporters, costs: Costs, thresholds: Ints) -> Plan:
    """Leave the sequences with most matches as they are and hide everything in the others (the paper)."""
    by_size = np.lexsort(
        costs.sizes.T
    )  # the last key, the highest digit, decides first; ties stay in order of ids
    return _leave(supporters, by_size[::-1], thresholds)


def plan_random(supporters: Supporters, thresholds: Ints, seed: int) -> Plan:
    """Leave any sequences."""
    return _leave(supporters, np.random.default_rng(seed).permutation(len(supporters.ids)), thresholds)


def _leave(supporters: Supporters, order: Ints, thresholds: Ints) -> Plan:
    hide = supporters.supports.copy()
    hide[order[: int(thresholds.min())]] = False
    return Plan(supporters.ids, supporters.supports, hide)


def plan_per_pattern(supporters: Supporters, costs: Costs, thresholds: Ints) -> Plan:
    """Leave, for every pattern, the sequences where that saves most marks.

    Where no sequence has two patterns to choose from, the choices are independent and this is the optimum.
    Else they are improved pattern by pattern, each time the best choice given the others, from three
    beginnings; one of them is the choice of ``plan_shared``, so that the outcome never costs more than that.
    """
    above = supporters.supports.sum(axis=0) > thresholds
    nothing = np.zeros_like(costs.free)
    shared = costs.free & ~plan_shared(supporters, costs, thresholds).hide
    patterns = np.arange(above.size)
    found = [
        _improve(costs, left, thresholds, order) for left, order in _beginnings(nothing, shared, patterns)
    ]
    left = min(found, key=lambda choice: _total(costs, choice))
    return Plan(supporters.ids, supporters.supports, supporters.supports & above & ~left)


def _beginnings(nothing: Flags, shared: Flags, patterns: Ints) -> list[tuple[Flags, Ints]]:
    return [(nothing, patterns), (nothing, patterns[::-1]), (shared, patterns)]


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
    """The marks that leaving pattern p saves in every sequence, as the other patterns are now."""
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
