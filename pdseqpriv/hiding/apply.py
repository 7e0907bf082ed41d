"""Carry out the plan on one part of the table."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from pdseqpriv.hiding.matcher import Digits, Matcher
from pdseqpriv.hiding.plan import Plan
from pdseqpriv.hiding.replacement import draw_events, write_events
from pdseqpriv.sequences.frames import with_blanks, without_labels, without_rows, without_traces
from pdseqpriv.sequences.ragged import Flags, Ints, offsets_of, owners_of, places_of
from pdseqpriv.sequences.sequences import Sequences


@dataclass(frozen=True, eq=False)
class Tally:
    """What was done to a part.

    ``hidden`` are the events that were marked, by the position of their row in the whole table. They are
    collected only if the index may hold labels, because the same events must disappear from the labels.
    """

    dropped: int = 0
    hidden: pd.Series = field(default_factory=lambda: pd.Series(dtype=object))

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.dropped + other.dropped, pd.concat((self.hidden, other.hidden)))


@dataclass(frozen=True, eq=False)
class _Jobs:
    """The sequences of one part in which something is hidden.

    Attributes
    ----------
    chosen : their numbers in the part, ascending
    hidden : the patterns to hide in each
    allowed : the patterns that may stay: contained before, and not to be hidden
    seeds, later_seeds : a random stream per sequence, for the marks and for what replaces them; they do not
        depend on how the table is split into parts
    """

    chosen: Ints
    hidden: Flags
    allowed: Flags
    seeds: Digits
    later_seeds: Digits


def apply(
    frame: pd.DataFrame, sequences: Sequences, plan: Plan, *, has_labels: bool
) -> tuple[pd.DataFrame, Tally]:
    """Hide what the plan says, in one part; the index of the table may have labels."""
    if plan.output == "replace":  # other columns would tell which rows were replaced
        frame = frame[list(sequences.columns.names)]
    if not plan.changes:
        return frame.copy(), Tally()
    sequences, matcher, jobs, marked = _marked(sequences, plan)
    if plan.output == "drop":
        marked = _until_hidden(matcher, sequences, jobs, plan.marking, marked)
        return without_rows(frame, sequences.rows[marked]), Tally(dropped=marked.size)
    released = with_blanks(frame, sequences.columns, sequences.rows[marked])
    if plan.output == "replace":
        places, events = _replacements(matcher, sequences, jobs, plan.supporters.frequencies, marked)
        return write_events(released, frame, sequences, places, events), Tally()
    if not has_labels:
        return released, Tally()
    hidden = sequences.vocabulary.take(sequences.codes[marked]).astype(object)
    return released, Tally(hidden=pd.Series(hidden, index=sequences.numbers[marked]))


def count_dropped(sequences: Sequences, plan: Plan) -> Tally:
    """Count what is dropped from one part, whose rows are changed later."""
    sequences, matcher, jobs, marked = _marked(sequences, plan)
    return Tally(dropped=_until_hidden(matcher, sequences, jobs, plan.marking, marked).size)


def _marked(sequences: Sequences, plan: Plan) -> tuple[Sequences, Matcher, _Jobs, Ints]:
    """Mark what the plan says; returns the positions of the marks, and all that was needed to find them."""
    sequences = _recoded(sequences, plan.supporters.vocabulary)
    matcher = Matcher(plan.patterns, sequences)
    jobs = _jobs_everywhere(matcher, sequences) if plan.everywhere else _jobs(sequences.ids, plan)
    return (
        sequences,
        matcher,
        jobs,
        matcher.marked(sequences, jobs.chosen, jobs.hidden, plan.marking, jobs.seeds),
    )


def finish(released: pd.DataFrame, tally: Tally, output: str, event: Hashable) -> pd.DataFrame:
    """Leave nothing behind that tells of what was there: labels of the index, unused categories."""
    if output == "replace":  # labels would tell which rows were replaced
        released.index = pd.RangeIndex(len(released))
    elif len(tally.hidden):
        released.index = without_labels(released.index, tally.hidden, released[event])
    return without_traces(released, same_rows=output != "drop")


def _recoded(sequences: Sequences, vocabulary: pd.Index) -> Sequences:
    """Number events as in the whole table."""
    if sequences.vocabulary.equals(vocabulary):
        return sequences
    new = np.append(vocabulary.get_indexer(sequences.vocabulary), -1).astype(np.int32)
    return replace(sequences, codes=new[sequences.codes], vocabulary=vocabulary)


def _jobs(ids: pd.Index, plan: Plan) -> _Jobs:
    """Find what the plan says about the sequences with these ids."""
    place = np.asarray(ids.get_indexer(plan.supporters.ids), np.int64)
    ranks = np.flatnonzero((place >= 0) & plan.hidden.any(axis=1))
    hidden = plan.hidden[ranks]
    allowed = plan.supporters.supports[ranks] & ~hidden
    return _Jobs(place[ranks], hidden, allowed, *(_streams(plan.seed, stage, ranks) for stage in range(2)))


def _jobs_everywhere(matcher: Matcher, sequences: Sequences) -> _Jobs:
    """Find all sequences that contain a pattern, of which none may stay; there is no chance in it."""
    supports = matcher.supports(sequences, sequences.codes, np.arange(sequences.n_sequences))
    chosen = np.flatnonzero(supports.any(axis=1))
    hidden, no_seeds = supports[chosen], np.zeros(chosen.size, np.uint64)
    return _Jobs(chosen, hidden, np.zeros_like(hidden), no_seeds, no_seeds)


def _streams(seed: int, stage: int, ranks: Ints) -> Digits:
    """Return a seed for every sequence, by its rank among all that contain a pattern."""
    start = np.random.SeedSequence([seed, stage]).generate_state(1, np.uint64)
    return np.asarray(start + ranks.astype(np.uint64) * np.uint64(0xD1B54A32D192ED03))


def _until_hidden(matcher: Matcher, sequences: Sequences, jobs: _Jobs, marking: str, marked: Ints) -> Ints:
    """Mark until nothing matches: without the marked rows, others become neighbours and may match."""
    chosen, allowed, seeds = jobs.chosen, jobs.allowed, jobs.seeds
    gone = np.zeros(sequences.codes.size, np.bool_)
    gone[marked] = True
    while True:
        part, places = _without(sequences, chosen, gone)
        found = matcher.supports(part, part.codes, np.arange(chosen.size)) & ~allowed
        again = np.flatnonzero(found.any(axis=1))
        if not again.size:
            return np.flatnonzero(gone)
        gone[places[matcher.marked(part, again, found[again], marking, seeds[again])]] = True
        chosen, allowed, seeds = chosen[again], allowed[again], seeds[again]


def _without(sequences: Sequences, chosen: Ints, gone: Flags) -> tuple[Sequences, Ints]:
    """Return the chosen sequences without the removed rows, and where the remaining rows were."""
    all_places = places_of(sequences.offsets, chosen)
    stays = ~gone[all_places]
    owners = owners_of(offsets_of(np.diff(sequences.offsets)[chosen]))[stays]
    places = all_places[stays]
    part = replace(
        sequences,
        codes=sequences.codes[places],
        times=sequences.times[places],
        rows=sequences.rows[places],
        offsets=offsets_of(np.bincount(owners, minlength=chosen.size)),
        ids=sequences.ids[chosen],
    )
    return part, places


def _replacements(
    matcher: Matcher, sequences: Sequences, jobs: _Jobs, frequencies: Ints, marked: Ints
) -> tuple[Ints, pd.Index]:
    """Return the positions that get another event, and the events; none where a pattern would come back."""
    owner = np.searchsorted(jobs.chosen, np.searchsorted(sequences.offsets, marked, side="right") - 1)
    named = np.asarray(matcher.automata.named.any(axis=0))
    drawn = draw_events(jobs.later_seeds, owner, frequencies, named)
    drawn[drawn == sequences.codes[marked]] = -1  # an event cannot replace itself
    codes = sequences.codes.copy()
    codes[marked] = drawn
    found = (matcher.supports(sequences, codes, jobs.chosen) & ~jobs.allowed).any(axis=1)
    safe = (drawn >= 0) & ~np.asarray(found)[owner]
    return marked[safe], sequences.vocabulary[drawn[safe]]
