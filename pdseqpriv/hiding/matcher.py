"""Patterns applied to one part of a table: who contains them, how often, and marks that hide them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.hiding.automata import CompiledPatterns
from pdseqpriv.hiding.kernels.fitting import Automata, Fitted, fit_jobs
from pdseqpriv.hiding.kernels.in_order import holds_in_order
from pdseqpriv.hiding.kernels.marks import GREEDY, RANDOM, TRIMMED, mark_jobs
from pdseqpriv.hiding.kernels.matches import count_jobs
from pdseqpriv.hiding.kernels.optimal_marks import mark_optimally
from pdseqpriv.progress import DONE, Pulse, progress
from pdseqpriv.sequences.clock import rounded_times, time_bounds
from pdseqpriv.sequences.encoding import Codes
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.ragged import Flags, Ints
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.times import Times
from pdseqpriv.threads import on_all_cores

Digits = NDArray[np.uint64]
Answer = TypeVar("Answer")

_RULES = {"optimal": TRIMMED, "greedy": GREEDY, "random": RANDOM}
_CELLS = 1 << 23  # of the tables that one batch of jobs may fill
_SEQUENCES = 50_000  # of one batch: a user can stop between batches


class Matcher:
    """Patterns with the codes and the unit of time of one part of a table.

    It can be used for any sequences with this vocabulary. A job is a sequence (``chosen``) and the patterns
    that are ``wanted`` in it.
    """

    def __init__(self, patterns: CompiledPatterns, sequences: Sequences) -> None:
        self.lists, self.simple, self.is_timed = patterns.lists, patterns.simple, patterns.is_timed
        codes = find_events(patterns.events, sequences.vocabulary)
        self.known = codes >= 0
        named = np.zeros((len(patterns.named), len(sequences.vocabulary)), np.bool_)
        rows, events = np.nonzero(patterns.named & self.known)
        named[rows, codes[events]] = True
        times, states = np.zeros((len(patterns.gaps), 2), sequences.times.dtype), len(patterns.states)
        if patterns.is_timed:
            times = time_bounds(patterns.gaps, sequences)
        self.automata = Automata(
            patterns.patterns,
            patterns.states,
            patterns.steps,
            codes[patterns.required].astype(np.int32),
            named,
            state_times=times[:states],
            window_times=times[states:, 1].copy(),
        )

    def supports(self, sequences: Sequences, codes: Codes, chosen: Ints) -> Flags:
        """Return, for every chosen sequence and every pattern, whether the sequence contains the pattern.

        ``codes`` are those of the sequences, or what would replace them.
        """
        found = np.ones((chosen.size, self.simple.size), np.bool_)
        for p in range(self.simple.size):
            if self.lists[p]:
                arrays = (codes, sequences.offsets, sequences.elements, chosen)
                found[:, p] = holds_in_order(*arrays, self.automata, p)
            if not self.simple[p]:
                there = np.flatnonzero(found[:, p])
                wanted = np.zeros((there.size, self.simple.size), np.bool_)
                wanted[:, p] = True
                found[there, p] = self.numbers(sequences, codes, chosen[there], wanted).any(axis=1)
        return found

    def numbers(self, sequences: Sequences, codes: Codes, chosen: Ints, wanted: Flags) -> Digits:
        """Count the matches of every job: digits of 32 bits, lowest first."""
        clock = self._clock(sequences)

        def count(batch: slice, pulse: Pulse) -> Digits:
            fitted = self._fit(sequences, clock, codes, chosen[batch], wanted[batch])
            counts = np.zeros((fitted.columns.size, 2), np.uint64)
            needed = count_jobs(codes, self.automata, wanted[batch], fitted, counts, pulse)
            if needed > counts.shape[1]:
                counts = np.zeros((fitted.columns.size, needed), np.uint64)
                count_jobs(codes, self.automata, wanted[batch], fitted, counts, pulse)
            return counts

        return stack_digits(self._in_batches(count, sequences, chosen, "counting matches"))

    def marked(self, sequences: Sequences, chosen: Ints, wanted: Flags, marking: str, seeds: Digits) -> Ints:
        """Return the positions of the marks that hide every job."""
        codes = sequences.codes.copy()
        self._mark(lambda: codes, sequences, chosen, wanted, marking=marking, seeds=seeds, keep=True)
        return np.flatnonzero(codes != sequences.codes)

    def costs(self, sequences: Sequences, chosen: Ints, wanted: Flags, marking: str) -> Ints:
        """Count the marks that hide each job on its own; a sequence may be in many jobs."""
        # Which marks a random choice will use is not known yet; the paper's rule is used as an estimate.
        rule, seeds = "greedy" if marking == "random" else marking, np.zeros(chosen.size, np.uint64)
        own = threading.local()

        def codes_of_thread() -> Codes:  # marks that are not kept are in them for a moment
            if not hasattr(own, "codes"):
                own.codes = sequences.codes.copy()
            return own.codes  # type: ignore[no-any-return]

        return self._mark(codes_of_thread, sequences, chosen, wanted, marking=rule, seeds=seeds, keep=False)

    def _mark(
        self,
        codes_of: Callable[[], Codes],
        sequences: Sequences,
        chosen: Ints,
        wanted: Flags,
        *,
        marking: str,
        seeds: Digits,
        keep: bool,
    ) -> Ints:
        """Count the marks that hide each job; marks that are kept stay in the codes as -1."""
        marks, clock = np.full(chosen.size, -1, np.int64), self._clock(sequences)
        arrays = (sequences.offsets, sequences.elements, self.automata, self.simple)

        def hide(batch: slice, pulse: Pulse) -> None:
            codes = codes_of()
            if marking == "optimal":
                jobs = (chosen[batch], wanted[batch], keep)
                marks[batch] = mark_optimally(codes, *arrays, *jobs, pulse)
            left = np.flatnonzero(marks[batch] < 0) + batch.start
            if left.size:
                fitted = self._fit(sequences, clock, codes, chosen[left], wanted[left])
                arguments = (self.automata, wanted[left], fitted, _RULES[marking], seeds[left], keep)
                marks[left] = mark_jobs(codes, sequences.codes, *arguments, pulse)

        self._in_batches(hide, sequences, chosen, "hiding")
        return marks

    def _clock(self, sequences: Sequences) -> tuple[Times, Times]:
        return rounded_times(sequences.times if self.is_timed else sequences.times[:0])

    def _fit(
        self, sequences: Sequences, clock: tuple[Times, Times], codes: Codes, chosen: Ints, wanted: Flags
    ) -> Fitted:
        arrays = (sequences.offsets, sequences.elements, clock)
        fitted: Fitted = fit_jobs(codes, *arrays, self.automata, chosen, wanted)
        return fitted

    def _in_batches(
        self, work: Callable[[slice, Pulse], Answer], sequences: Sequences, chosen: Ints, doing: str
    ) -> list[Answer]:
        """Do the jobs on all cores, batch by batch."""

        def work_and_tell(batch: slice, pulse: Pulse) -> Answer:
            answer = work(batch, pulse)
            pulse[DONE] += batch.stop - batch.start
            return answer

        with progress(chosen.size, doing) as bar:
            return on_all_cores(work_and_tell, self._batches(sequences, chosen), bar)

    def _batches(self, sequences: Sequences, chosen: Ints) -> list[slice]:
        """Split jobs into batches that fit into memory."""
        tables = self.automata
        width = 4 * len(tables.states) + len(tables.steps) + len(tables.patterns)
        rows = np.cumsum(np.diff(sequences.offsets)[chosen]) * width // _CELLS
        parts = rows + np.arange(chosen.size) // _SEQUENCES
        cuts = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), chosen.size] if chosen.size else []
        return [slice(begin, end) for begin, end in itertools.pairwise(cuts)]


def stack_digits(parts: list[Digits]) -> Digits:
    """Stack counts of different widths."""
    width = max((part.shape[1] for part in parts), default=1)
    return np.concatenate(
        [
            np.empty((0, width), np.uint64),
            *(np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts),
        ]
    )
