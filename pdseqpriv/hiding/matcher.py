"""Patterns at work on one part of a table: who contains them, how often, and marks that hide them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.hiding.automata import automata
from pdseqpriv.hiding.kernels.fitting import Fitted, fit_jobs
from pdseqpriv.hiding.kernels.in_order import holds_in_order
from pdseqpriv.hiding.kernels.matches import GREEDY, RANDOM, TRIMMED, count_jobs, mark_jobs
from pdseqpriv.hiding.kernels.optimal_marks import mark_optimally
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.progress import progress
from pdseqpriv.sequences.clock import clock_of
from pdseqpriv.sequences.sequences import Sequences

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Digits = NDArray[np.uint64]

_CELLS = 1 << 24  # of the tables that one batch of jobs may fill
_SEQUENCES = 100_000  # of one batch: between batches a user can stop


class Matcher:
    """Sequences and patterns; a job is a sequence (``chosen``) and the patterns wanted in it."""

    def __init__(self, sequences: Sequences, patterns: Sequence[Pattern]) -> None:
        self.sequences = sequences
        self.automata = automata(patterns, sequences.vocabulary, clock_of(sequences))
        self.lists = np.array([pattern.expression is None for pattern in patterns])
        self.simple = self.lists & ~np.array([pattern.is_constrained for pattern in patterns])
        timed = any(pattern.is_timed for pattern in patterns)
        self.clock = sequences.times if timed else sequences.times[:0]

    def supports(self) -> Flags:
        """Tell for every sequence and pattern whether the one contains the other."""
        found = np.ones((self.sequences.n_sequences, self.simple.size), np.bool_)
        for p in range(self.simple.size):
            if self.lists[p]:
                order = np.empty(len(found), np.bool_)
                arrays = (self.sequences.codes, self.sequences.offsets, self.sequences.elements)
                holds_in_order(*arrays, self.automata, p, order)
                found[:, p] = order
            if not self.simple[p]:
                chosen = np.flatnonzero(found[:, p])
                wanted = np.zeros((chosen.size, self.simple.size), np.bool_)
                wanted[:, p] = True
                found[chosen, p] = self.numbers(chosen, wanted).any(axis=1)
        return found

    def numbers(self, chosen: Ints, wanted: Flags) -> Digits:
        """Count the matches of every job: digits of 32 bits, lowest first."""
        parts = []
        for batch in self._batches(chosen, "counting matches"):
            fitted = self._fit(self.sequences.codes, chosen[batch], wanted[batch])
            counts = np.zeros((fitted.columns.size, 2), np.uint64)
            needed = count_jobs(self.sequences.codes, self.automata, wanted[batch], fitted, counts)
            if needed > counts.shape[1]:
                counts = np.zeros((fitted.columns.size, needed), np.uint64)
                count_jobs(self.sequences.codes, self.automata, wanted[batch], fitted, counts)
            parts.append(counts)
        return stack_digits(parts)

    def mark(
        self,
        codes: NDArray[np.int32],
        chosen: Ints,
        wanted: Flags,
        marking: str,
        seeds: Digits,
        *,
        keep: bool,
    ) -> Ints:
        """Hide in every job; returns its number of marks, which stay in ``codes`` as -1 on demand."""
        marks = np.full(chosen.size, -1, np.int64)
        if marking == "optimal":
            arrays = (self.sequences.offsets, self.sequences.elements, self.automata, self.simple)
            for batch in self._batches(chosen, "hiding"):
                marks[batch] = mark_optimally(codes, *arrays, chosen[batch], wanted[batch], keep)
        left = np.flatnonzero(marks < 0)
        rule = {"optimal": TRIMMED, "greedy": GREEDY, "random": RANDOM}[marking]
        for batch in self._batches(chosen[left], "hiding"):
            jobs = left[batch]
            fitted = self._fit(codes, chosen[jobs], wanted[jobs])
            arguments = (self.automata, wanted[jobs], fitted, rule, seeds[jobs], keep)
            marks[jobs] = mark_jobs(codes, self.sequences.codes, *arguments)
        return marks

    def _fit(self, codes: NDArray[np.int32], chosen: Ints, wanted: Flags) -> Fitted:
        arrays = (self.sequences.offsets, self.sequences.elements, self.clock)
        fitted: Fitted = fit_jobs(codes, *arrays, self.automata, chosen, wanted)
        return fitted

    def _batches(self, chosen: Ints, doing: str) -> Iterator[slice]:
        """Cut jobs into batches that fit the memory, and show how far we are."""
        tables = self.automata
        width = 4 * len(tables.states) + len(tables.steps) + len(tables.patterns)
        rows = np.cumsum(self.sequences.lengths[chosen]) * width // _CELLS
        parts = rows + np.arange(chosen.size) // _SEQUENCES
        cuts = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), chosen.size] if chosen.size else []
        with progress(chosen.size, doing) as bar:
            for begin, end in itertools.pairwise(cuts):
                yield slice(begin, end)
                bar.update(end - begin)


def stack_digits(parts: list[Digits]) -> Digits:
    """Put counts of different widths under each other."""
    width = max((part.shape[1] for part in parts), default=1)
    return np.concatenate(
        [
            np.empty((0, width), np.uint64),
            *(np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts),
        ]
    )
