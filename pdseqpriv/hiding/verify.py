"""Check that few enough sequences contain each pattern."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.errors import counted
from pdseqpriv.parameters import yes_or_no
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.patterns.reading import PatternsLike, absent_events, patterns_and_thresholds
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import warn_of_absent
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.verdict import Verdict


@on_tables()
def is_hidden(
    released: Table,
    patterns: PatternsLike,
    max_support: int | Sequence[int] = 0,
    *,
    min_gap: SpanLike = None,
    max_gap: SpanLike = None,
    max_window: SpanLike = None,
    gap_unit: Literal["element", "time"] = "element",
    reveal: bool = False,
) -> Verdict:
    """Check that every pattern is in at most ``max_support`` sequences.

    Parameters
    ----------
    released : sequence table
        Any table, whoever made it.
    patterns, max_support
        As for :func:`pdseqpriv.hide`.
    min_gap, max_gap, max_window, gap_unit
        As for :func:`pdseqpriv.hide`.
    reveal : bool
        Whether ``details`` also shows each pattern and, if it is too frequent, the sequences that contain
        it. Only for those who may see the original: it shows what should have been hidden.

    Returns
    -------
    Verdict
        If patterns name events that are not in the table, the verdict says so; if it holds, there is also a
        PrivacyWarning, unless the table's record shows that events were removed.
        ``details`` has a row per pattern: its number in the list, ``support`` and ``max_support``.

    Notes
    -----
    **Guarantee**: exact supports under the constraints given. They are found from the latest start of partial
    matches, by an algorithm that has nothing in common with the counting in :func:`pdseqpriv.hide`.

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
    reveal = yes_or_no("reveal", reveal)
    run = start(released)
    counts: Ints = run.reduce(functools.partial(_count, patterns=asked), np.add)
    sequences, supports = int(counts[0]), counts[1 : 1 + len(asked)]
    places = np.split(counts[1 + len(asked) :], np.cumsum([len(pattern.events) for pattern in asked])[:-1])
    unknown = sum(bool((occurs == 0).any()) for occurs in places)
    violations = int((supports > thresholds).sum())
    details = pd.DataFrame(
        {"pattern": np.arange(1, len(asked) + 1), "support": supports, "max_support": thresholds}
    )
    if reveal:
        wrong = [pattern if bad else None for pattern, bad in zip(asked, supports > thresholds, strict=True)]
        holders = run.reduce(functools.partial(_holders, patterns=wrong), _join)
        details = details.assign(text=list(map(str, asked)), seq_ids=holders)
    several, total = counted(len(asked), "pattern"), counted(sequences, "sequence")
    sentence = f"{several} checked, none in more of the {total} than max_support allows"
    if violations:
        verb = "is" if violations == 1 else "are"
        sentence = f"{violations} of {several} {verb} in more sequences than max_support allows"
    if unknown:
        sentence += f"; {absent_events(unknown, len(asked))}"
    if unknown and sequences and not violations:
        warn_of_absent(absent_events(unknown, len(asked)), run.record)
    return Verdict(not violations, sentence, len(asked), violations, details)


def _supporters(sequences: Sequences, pattern: Pattern) -> NDArray[np.bool_]:
    """Return which sequences contain a pattern."""
    # The compiled code is loaded only when it is needed.
    from pdseqpriv.hiding.kernels.latest_starts import which_contain
    from pdseqpriv.hiding.verify_positions import positions_of

    arrays = (sequences.codes, sequences.offsets, sequences.elements, sequences.times)
    return np.asarray(which_contain(*arrays, positions_of(pattern, sequences)), bool)


def _holders(sequences: Sequences, patterns: list[Pattern | None]) -> list[tuple[object, ...]]:
    """Return the ids of the sequences that contain each pattern; none for None."""
    return [() if one is None else tuple(sequences.ids[_supporters(sequences, one)]) for one in patterns]


def _join(first: list[tuple[object, ...]], second: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [own + other for own, other in zip(first, second, strict=True)]


def _count(sequences: Sequences, patterns: list[Pattern]) -> Ints:
    """Return the number of sequences, the support of every pattern, and which of their events occur."""
    from pdseqpriv.sequences.events import find_events

    counts = [int(_supporters(sequences, pattern).sum()) for pattern in patterns]
    occur = [find_events(pattern.events, sequences.vocabulary) >= 0 for pattern in patterns]
    return np.concatenate(([sequences.n_sequences], counts, *occur)).astype(np.int64)
