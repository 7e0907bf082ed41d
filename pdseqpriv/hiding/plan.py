"""Decide which patterns are hidden in which sequences, from a small summary.

Whoever is left as a supporter of a pattern keeps it in all their sequences: it is people that count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdseqpriv.hiding.automata import CompiledPatterns
from pdseqpriv.hiding.summary import Costs, Question, Supporters
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.ragged import Flags, Ints

_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class Plan:
    """Which patterns are hidden in which of the supporters (``hidden``), and how.

    Where no sequence may keep any of them, all are hidden wherever they are (``everywhere``), and the plan
    need not name anybody.
    """

    patterns: CompiledPatterns
    supporters: Supporters
    hidden: Flags
    marking: str
    output: str
    seed: int
    everywhere: bool = False

    @property
    def changes(self) -> bool:
        """Whether anything is hidden anywhere."""
        return bool(self.supporters.found.any() if self.everywhere else self.hidden.any())

    @property
    def may_drop_all(self) -> bool:
        """Whether every row might be dropped: that takes patterns which can match any event of the table."""
        there = self.supporters
        if self.output != "drop" or not self.changes or there.frequencies.sum() < there.rows:
            return False  # what is marked already matches nothing, and stays
        named = find_events(self.patterns.events, there.vocabulary)
        return bool(self.patterns.takes_any or np.unique(named[named >= 0]).size == len(there.vocabulary))


def names_nobody(thresholds: Ints, marking: str, output: str) -> bool:
    """Return whether it does not matter who contains a pattern: nobody may, and no chance is involved."""
    return not thresholds.any() and marking != "random" and output != "replace"


def ask(supporters: Supporters, thresholds: Ints, selection: str, marking: str) -> Question | None:
    """Return what must be known before choosing, or None if there is nothing to choose."""
    supports, people = supporters.supports, _number_people(supporters)
    by_person = _any_of_person(supports, people)
    above = by_person.sum(axis=0) > thresholds
    free = above & (thresholds > 0) & (selection == "per_pattern")
    with_sizes = bool(((supports & free).sum(axis=1) > 1).any())
    if selection == "shared":
        with_sizes = bool(0 < thresholds.min() < len(by_person))
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
    everywhere: bool = False,
) -> Plan:
    """Choose the patterns to hide in each supporter: for every pattern, the same in all of a person's."""
    if everywhere:
        return Plan(patterns, supporters, supporters.supports, marking, output, seed, everywhere=True)
    supports, people = supporters.supports, _number_people(supporters)
    by_person = _any_of_person(supports, people)
    if selection == "random":
        order = np.random.default_rng(seed).permutation(len(by_person))
        hidden = _leave(by_person, order, thresholds)
    elif selection == "shared":
        # Without costs either all are left or none, so the order does not matter.
        order = np.arange(len(by_person)) if costs is None else _largest_first(costs, people)
        hidden = _leave(by_person, order, thresholds)
    else:
        hidden = by_person & (by_person.sum(axis=0) > thresholds)
        if costs is not None:
            hidden &= ~_left_per_pattern(costs, people, thresholds)
    return Plan(patterns, supporters, supports & hidden[people], marking, output, seed)


def _number_people(supporters: Supporters) -> Ints:
    """Number the people of the supporters, in the order of their first sequences."""
    if supporters.people is None:
        return np.arange(len(supporters.ids))
    return np.asarray(pd.factorize(supporters.people)[0], np.int64)


def _any_of_person(flags: Flags, people: Ints) -> Flags:
    """Return, for every person, what holds for any of their sequences."""
    found = np.zeros((people.max(initial=-1) + 1, flags.shape[1]), np.bool_)
    sequences, columns = np.nonzero(flags)
    found[people[sequences], columns] = True
    return found


def _leave(by_person: Flags, order: Ints, thresholds: Ints) -> Flags:
    """Leave the first people as they are and hide everything in the others (the paper)."""
    hidden = by_person.copy()
    hidden[order[: int(thresholds.min())]] = False
    return hidden


def _largest_first(costs: Costs, people: Ints) -> Ints:
    """Order people by the number of matches in their sequences: its highest digit decides first."""
    digits = np.zeros((people.max(initial=-1) + 1, costs.sizes.shape[1] + 1), np.uint64)
    np.add.at(digits[:, :-1], people, costs.sizes)
    for digit in range(costs.sizes.shape[1]):
        digits[:, digit + 1] += digits[:, digit] >> np.uint64(32)
        digits[:, digit] &= np.uint64(2**32 - 1)
    return np.lexsort(digits.T)[::-1]


def _left_per_pattern(costs: Costs, people: Ints, thresholds: Ints) -> Flags:
    """Leave, for every pattern, the people in whose sequences that saves the most marks.

    Where no sequence has two patterns to choose from, the choices are independent and this is the optimum.
    Otherwise they are improved pattern by pattern, each time with the best choice given the others, from
    three starting points; one of them is the choice of "shared", so the result never costs more than that.
    """
    free = _any_of_person(costs.free, people)
    nothing, shared = np.zeros_like(free), free.copy()
    shared[_largest_first(costs, people)[int(thresholds.min()) :]] = False
    patterns = np.arange(thresholds.size)
    beginnings = [(nothing, patterns), (nothing, patterns[::-1]), (shared, patterns)]
    found = [_improve(costs, people, left, thresholds, order) for left, order in beginnings]
    return min(found, key=lambda left: _total(costs, left[people]))


def _improve(costs: Costs, people: Ints, left: Flags, thresholds: Ints, order: Ints) -> Flags:
    free = _any_of_person(costs.free, people)
    left, best = left.copy(), np.iinfo(np.int64).max
    for _ in range(_ROUNDS):
        for p in order:
            candidates = np.flatnonzero(free[:, p])
            saved = np.zeros(len(left), np.int64)
            np.add.at(saved, people, _saved(costs, left[people], p))
            most = candidates[np.argsort(-saved[candidates], kind="stable")[: thresholds[p]]]
            left[:, p] = False
            left[most, p] = True
        total = _total(costs, left[people])
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
