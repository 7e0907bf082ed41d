"""What is to be done, and in which sequences of one part of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pdseqpriv.hiding.matcher import Digits, Flags, Ints
from pdseqpriv.hiding.plan import Plan
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.sequences.sequences import Sequences


@dataclass(frozen=True)
class Way:
    """How to hide: in which sequences, by which marks, what becomes of them, and a seed for chance."""

    selection: str
    marking: str
    output: str
    seed: int


@dataclass(frozen=True)
class Task:
    """The sequences of one part in which something is hidden."""

    patterns: Sequence[Pattern]
    way: Way
    chosen: Ints
    hide: Flags
    allowed: Flags  # patterns that may stay: contained before, and not to be hidden
    ranks: Ints  # places in the whole plan, so that chance does not depend on partitions

    def seeds(self, stage: int) -> Digits:
        """Give a stream of chance per sequence, another one for each stage."""
        start = np.random.SeedSequence([self.way.seed, stage]).generate_state(1, np.uint64)
        return np.asarray(start + self.ranks.astype(np.uint64) * np.uint64(0xD1B54A32D192ED03))


def task_of(ids: pd.Index, plan: Plan, patterns: Sequence[Pattern], way: Way) -> Task:
    """Find what the plan wants of the sequences with these ids."""
    place = np.asarray(ids.get_indexer(plan.ids), np.int64)
    ranks = np.flatnonzero((place >= 0) & plan.hide.any(axis=1))
    allowed = plan.supports[ranks] & ~plan.hide[ranks]
    return Task(patterns, way, place[ranks], plan.hide[ranks], allowed, ranks)


def part_of(sequences: Sequences, chosen: Ints, without: Ints) -> tuple[Sequences, Ints]:
    """Give some of the sequences, without some of the rows, and where their rows were."""
    wanted = np.zeros(sequences.n_sequences, np.bool_)
    wanted[chosen] = True
    owner = sequences.owners
    keep = wanted[owner]
    keep[without] = False
    rows = np.flatnonzero(keep)
    lengths = np.bincount(owner[rows], minlength=sequences.n_sequences)[chosen]
    part = replace(
        sequences,
        codes=sequences.codes[rows],
        times=sequences.times[rows],
        rows=sequences.rows[rows],
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        ids=sequences.ids[chosen],
    )
    return part, rows
