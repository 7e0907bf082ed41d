"""Check that few enough sequences contain each pattern."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, start
from pdseqpriv.engines.whose import read_with_people
from pdseqpriv.errors import counted
from pdseqpriv.parameters import yes_or_no
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.patterns.reading import PatternsLike, absent_events, patterns_and_thresholds
from pdseqpriv.progress import DONE, Pulse, progress
from pdseqpriv.sequences.clock import rounded_times
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.named_events import were_there, with_absent
from pdseqpriv.sequences.ragged import Ints, distinct
from pdseqpriv.sequences.record import Record, claims_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.threads import on_all_cores
from pdseqpriv.verdict import Verdict

_CHUNK = 50_000  # sequences that a thread looks at before it takes more


@on_tables(anywhere=True)
def is_hidden(
    released: Table,
    patterns: PatternsLike,
    max_support: int | Sequence[int] = 0,
    *,
    min_gap: SpanLike = None,
    max_gap: SpanLike = None,
    max_window: SpanLike = None,
    gap_unit: Literal["element", "time"] = "element",
    original: Table | None = None,
    may_be_absent: bool = False,
    reveal: bool = False,
    **_columns: Unpack[ColumnNames],
) -> Verdict:
    """Check that every pattern is in at most ``max_support`` sequences, or in those of so many people.

    Parameters
    ----------
    released : sequence table
        Any table, whoever made it. If it still has the person's column, ``using(person=...)`` makes the
        check count people.
    patterns, max_support
        As for :func:`pdseqpriv.hide`.
    min_gap, max_gap, max_window, gap_unit
        As for :func:`pdseqpriv.hide`.
    original : sequence table with ``using(person=...)``, optional
        The table that the release was made from, to count people: a release does not say whose a sequence
        is, but it keeps the ids, and the original says whose they are.
    may_be_absent : bool
        Whether it is fine that no event of any pattern occurs in the table. Otherwise the verdict does not
        hold in that case: the names may be misspelt, and nothing was checked. Not needed in the process that
        removed the events: it remembers which names ``hide`` and ``sanitize`` were given and found, for the
        rows that they returned. No table or file says that, because it is secret; in another process, or
        after changing rows, say it.
    reveal : bool
        Whether ``details`` also shows each pattern and, if it is too frequent, the sequences that contain
        it. Only for those who may see the original: it shows what should have been hidden.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    Verdict
        If patterns name events that are not in the table, the verdict says so, and if none of their events
        is, it does not hold; if it holds, there is also a PrivacyWarning that shows these patterns. Events
        that this process removed count as if they were there, and so do all with ``may_be_absent``.
        ``details`` has a row per pattern: its number in the list, ``support`` and ``max_support``.

    Notes
    -----
    **Guarantee**: exact supports under the constraints given. They are found from the latest start of partial
    matches, by an algorithm that has nothing in common with the counting in :func:`pdseqpriv.hide`. Where
    people are known, a support is the number of different people of whom at least one sequence contains the
    pattern.

    **Large tables**: checked where the rows are; with ``original``, the sequences of both are brought
    together as numbers, at 12 bytes per row.

    **Not protected**: the check covers only these patterns and this table. The definition that it checks is
    problem 1 of Abul et al., *Hiding sequences* (2007).

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abba"), "time": [1, 2, 1, 2]})
    >>> pdseqpriv.verify.is_hidden(df, ["a -> b"])
    does not hold: 1 of 1 pattern is in more sequences than max_support allows
    >>> pdseqpriv.verify.is_hidden(df, ["a -> b"], max_support=1)
    holds: 1 pattern checked, none in more of the 2 sequences than max_support allows
    """
    constraints = {"min_gap": min_gap, "max_gap": max_gap, "max_window": max_window, "gap_unit": gap_unit}
    asked, thresholds = patterns_and_thresholds(patterns, max_support, **constraints)
    reveal, may_be_absent = yes_or_no("reveal", reveal), yes_or_no("may_be_absent", may_be_absent)
    checked = _checked(released, original)
    counts: Ints = checked.reduce(functools.partial(_count, patterns=asked), np.add)
    total, supports = int(counts[0]), counts[1 : 1 + len(asked)]
    violations = int((supports > thresholds).sum())
    details = pd.DataFrame(
        {"pattern": np.arange(1, len(asked) + 1), "support": supports, "max_support": thresholds}
    )
    if reveal:
        wrong = [pattern if bad else None for pattern, bad in zip(asked, supports > thresholds, strict=True)]
        holders = checked.reduce(functools.partial(_holders, patterns=wrong), _join)
        # Parts come in any order; the ids of a table are sorted.
        details = details.assign(text=list(map(str, asked)), seq_ids=[tuple(sorted(ids)) for ids in holders])
    sentence = _sentence(len(asked), violations, total, checked)
    verdict = Verdict(not violations, sentence, len(asked), violations, details)
    occurs, may_be = counts[1 + len(asked) :] > 0, may_be_absent or not total
    return verdict if occurs.all() else _with_absent(verdict, asked, occurs, checked, may_be_absent=may_be)


def _with_absent(
    verdict: Verdict,
    asked: list[Pattern],
    occurs: NDArray[np.bool_],
    checked: _Checked,
    *,
    may_be_absent: bool,
) -> Verdict:
    """Say which patterns name events that neither occur nor are known to have been removed."""
    names = [event for pattern in asked for event in pattern.events]
    known = occurs | were_there(names, checked.frame, checked.record)
    per_pattern = np.split(known, np.cumsum([len(pattern.events) for pattern in asked])[:-1])
    unknown = [str(one) for one, there in zip(asked, per_pattern, strict=True) if not there.all()]
    if not unknown:
        return verdict
    absent = absent_events(len(unknown), len(asked))
    return with_absent(verdict, absent, unknown, none_occurs=not known.any(), may_be_absent=may_be_absent)


@dataclass(frozen=True, eq=False)
class _Checked:
    """The release in parts: how to summarise them, what it says itself, and whether people are counted."""

    reduce: Callable[..., Any]
    frame: Any
    record: Record
    by_person: bool


def _checked(released: Table, original: Table | None) -> _Checked:
    """Read the release; whose its sequences are, it says itself or the original does."""
    frame = bind(released).frame
    if original is None:
        run = start(released, others=())
        return _Checked(run.reduce, frame, claims_of(frame), run.columns.person is not None)
    whole = read_with_people(original, released)
    return _Checked(lambda summarise, _: summarise(whole), frame, claims_of(frame), by_person=True)


def _sentence(n_patterns: int, violations: int, total: int, checked: _Checked) -> str:
    several = counted(n_patterns, "pattern")
    if not violations:
        people = f"sequences of more of the {total} {'person' if total == 1 else 'people'}"
        more = people if checked.by_person else f"more of the {counted(total, 'sequence')}"
        return f"{several} checked, none in {more} than max_support allows"
    more = "sequences of more people" if checked.by_person else "more sequences"
    verb = "is" if violations == 1 else "are"
    sentence = f"{violations} of {several} {verb} in {more} than max_support allows"
    steps = checked.record["applied"]
    if not checked.by_person and any(step["parameters"].get("people") for step in steps):
        sentence += "; people were counted when it was made, for which original is needed here"
    return sentence


def _supporters(sequences: Sequences, pattern: Pattern) -> NDArray[np.bool_]:
    """Return which sequences contain a pattern."""
    # The compiled code is loaded only when it is needed.
    from pdseqpriv.hiding.kernels.latest_starts import which_contain
    from pdseqpriv.hiding.verify_positions import positions_of

    rest = (sequences.elements, rounded_times(sequences.times), positions_of(pattern, sequences))

    def look(begin: int, pulse: Pulse) -> NDArray[np.bool_]:
        offsets = sequences.offsets[begin : begin + _CHUNK + 1]
        found: NDArray[np.bool_] = which_contain(sequences.codes, offsets, *rest, pulse)
        pulse[DONE] += found.size
        return found

    with progress(sequences.n_sequences, "checking") as bar:
        parts = on_all_cores(look, range(0, sequences.n_sequences, _CHUNK), bar)
    return np.concatenate([np.empty(0, np.bool_), *parts])


def _holders(sequences: Sequences, patterns: list[Pattern | None]) -> list[tuple[object, ...]]:
    """Return the ids of the sequences that contain each pattern; none for None."""
    return [() if one is None else tuple(sequences.ids[_supporters(sequences, one)]) for one in patterns]


def _join(first: list[tuple[object, ...]], second: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [own + other for own, other in zip(first, second, strict=True)]


def _count(sequences: Sequences, patterns: list[Pattern]) -> Ints:
    """Return the number of people, the support of every pattern, and which of their events occur."""
    counts = [_number(sequences, _supporters(sequences, pattern)) for pattern in patterns]
    occur = [find_events(pattern.events, sequences.vocabulary) >= 0 for pattern in patterns]
    return np.concatenate(([sequences.n_people], counts, *occur)).astype(np.int64)


def _number(sequences: Sequences, chosen: NDArray[np.bool_]) -> int:
    """Count the people whose sequences are chosen; parts hold whole people."""
    return int(chosen.sum()) if sequences.people is None else distinct(sequences.people[chosen]).size
