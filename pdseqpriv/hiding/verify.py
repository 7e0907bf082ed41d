"""Check that patterns are below their threshold."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.absent import warn_of_absent
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.parameters import yes_or_no
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.patterns.reading import PatternsLike, read_patterns, read_thresholds
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.verdict import Verdict

Counts = NDArray[np.int64]


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
        Any, whoever made it.
    patterns, max_support
        As for :func:`pdseqpriv.hide`.
    min_gap, max_gap, max_window, gap_unit
        As for :func:`pdseqpriv.hide`.
    reveal : bool
        Let ``details`` also show each pattern, and which sequences contain it where it is too frequent.
        For the owner's eyes only: what breaks a guarantee is what must not be seen.

    Returns
    -------
    Verdict
        Where it holds for patterns whose events the table does not have, it says so; with a PrivacyWarning,
        unless the table's record tells that events were removed.
        ``details`` has a row per pattern: its number in the list, ``support`` and ``max_support``.

    Notes
    -----
    **Guarantee**: exact supports under the constraints given. They are found by the latest start of partial
    matches, an algorithm that shares nothing with the counting of :func:`pdseqpriv.hide`.

    **Not protected**: it looks at these patterns and this table only. Abul et al., *Hiding sequences* (2007),
    problem 1, is the definition that it checks.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abba"), "time": [1, 2, 1, 2]})
    >>> pdseqpriv.verify.is_hidden(df, ["a -> b"])
    does not hold: 1 of 1 patterns are in more sequences than max_support allows
    >>> pdseqpriv.verify.is_hidden(df, ["a -> b"], max_support=1)
    holds: 1 patterns, each in at most max_support of 2 sequences
    """
    asked = read_patterns(
        patterns, min_gap=min_gap, max_gap=max_gap, max_window=max_window, gap_unit=gap_unit
    )
    thresholds = read_thresholds(max_support, len(asked))
    reveal = yes_or_no("reveal", reveal)
    run = start(released)
    counts: Counts = run.reduce(functools.partial(_count, patterns=asked), np.add)
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
    sentence = f"{len(asked)} patterns, each in at most max_support of {sequences} sequences"
    if violations:
        sentence = f"{violations} of {len(asked)} patterns are in more sequences than max_support allows"
    if unknown:
        sentence += f"; {unknown} patterns name events that the table does not have"
    if unknown and sequences and not violations:
        absent = f"{unknown} of {len(asked)} patterns name events that the table does not have"
        warn_of_absent(absent, run.record)
    return Verdict(not violations, sentence, len(asked), violations, details)


def _supporters(sequences: Sequences, pattern: Pattern) -> NDArray[np.bool_]:
    """Tell which sequences contain a pattern."""
    # What does the work loads when it is first needed.
    from pdseqpriv.hiding.kernels.latest_starts import find_supporters
    from pdseqpriv.hiding.verify_positions import positions_of
    from pdseqpriv.patterns.reading import check_spans
    from pdseqpriv.sequences.clock import clock_of

    clock = clock_of(sequences)
    check_spans(pattern, clock)
    arrays = (sequences.codes, sequences.offsets, sequences.elements, sequences.times)
    positions = positions_of(pattern, sequences.vocabulary, clock)
    return np.asarray(find_supporters(*arrays, positions), bool)


def _holders(sequences: Sequences, patterns: list[Pattern | None]) -> list[tuple[object, ...]]:
    """Give the ids of the sequences that contain each pattern; none for None."""
    return [() if one is None else tuple(sequences.ids[_supporters(sequences, one)]) for one in patterns]


def _join(first: list[tuple[object, ...]], second: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [own + other for own, other in zip(first, second, strict=True)]


def _count(sequences: Sequences, patterns: list[Pattern]) -> Counts:
    """The number of sequences, the support of every pattern, and which of their events occur."""
    from pdseqpriv.sequences.events import find_events

    counts = [int(_supporters(sequences, pattern).sum()) for pattern in patterns]
    occur = [find_events(pattern.events, sequences.vocabulary) >= 0 for pattern in patterns]
    return np.concatenate(([sequences.n_sequences], counts, *occur)).astype(np.int64)
