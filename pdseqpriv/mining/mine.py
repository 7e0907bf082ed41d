"""Frequent sequential patterns of a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeAlias

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.errors import wrong_parameter
from pdseqpriv.mining.search import frequent_patterns, merge, summarise
from pdseqpriv.parameters import whole_number, yes_or_no
from pdseqpriv.pattern_release.kernels.raise_supports import are_closed
from pdseqpriv.patterns.known_patterns import remember
from pdseqpriv.patterns.numbered import number_patterns
from pdseqpriv.patterns.sub_patterns import find_sub_patterns
from pdseqpriv.patterns.tables import pattern_frame
from pdseqpriv.sequences.record import record_step

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from pdseqpriv.mining.search import WeightedSequences
    from pdseqpriv.patterns.numbered import NumberedPatterns
    from pdseqpriv.patterns.tables import PatternArrays

MAX_PATTERNS = 10_000_000

# Shortest, longest, and how many patterns.
Limits: TypeAlias = "tuple[int, int | None, int]"


@dataclass(frozen=True)
class Found:
    """Patterns in their order, their numbers, and which numbers are wanted (None: all)."""

    patterns: PatternArrays
    numbered: NumberedPatterns
    kept: NDArray[np.bool_] | None = None


@on_tables("patterns")
def mine(
    table: Table,
    min_support: float,
    *,
    max_length: int | None = None,
    min_length: int = 1,
    closed: bool = False,
    max_patterns: int = MAX_PATTERNS,
) -> pd.DataFrame:
    """Find all patterns that many sequences contain.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row.
    min_support : int or float
        In how many sequences a pattern must be: a count of at least 1 (int), or a share of the sequences
        above 0 and up to 1 (float), so ``1`` is one sequence and ``1.0`` all of them.
    max_length, min_length : int, optional
        Bounds on the number of events of a pattern.
    closed : bool
        Leave out every pattern that some longer one of the table contains with the same support. The longer
        one tells the same, so the list gets shorter and nothing is lost; with ``max_length`` the longer one
        may be too long to be listed.
    max_patterns : int
        Stop with an error beyond this number, before memory runs out. It counts all patterns up to
        ``max_length``, or one event further with ``closed``, also those that ``min_length`` or ``closed``
        leave out of the result.

    Returns
    -------
    pandas.DataFrame
        ``pattern`` (a tuple of events; an element with several events is a tuple itself), ``support`` (the
        number of sequences that contain it) and ``length`` (the number of events), sorted by support from
        highest to lowest, then by pattern.

    See Also
    --------
    release_patterns : the same with supports that are safe to share.

    Notes
    -----
    **Guarantee**: exact and complete. A pattern is contained in a sequence when its elements are included,
    in order, in elements at strictly increasing times; marked events match nothing.

    **Not protected**: supports of patterns can be subtracted from each other, and that can point to single
    people (Jin et al., "Privacy-preserving sequential pattern release"). Share what
    :func:`pdseqpriv.release_patterns` gives instead.

    Patterns grow depth first, as in PrefixSpan (Pei et al. 2001); what may still follow is kept in a matrix
    of last occurrences, so that counting is one comparison per sequence and event.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2, 3], "event": list("ababb"), "time": [1, 2, 1, 2, 1]})
    >>> df.seqpriv.mine(2)
      pattern  support  length
    0    (b,)        3       1
    1    (a,)        2       1
    2  (a, b)        2       2
    >>> df.seqpriv.mine(2, closed=True)
      pattern  support  length
    0    (b,)        3       1
    1  (a, b)        2       2
    """
    limits = check_lengths(min_length, max_length, max_patterns)
    minimum_support(min_support)
    closed = yes_or_no("closed", closed)
    summary = start(table).reduce(summarise, merge)
    count = count_of(min_support, summary.total)
    frame = apply(plan(summary, count, *limits, closed=closed))
    lengths = {"min_length": limits[0], "max_length": limits[1]}
    asked = int(min_support) if isinstance(min_support, Integral) else float(min_support)
    parameters = {"min_support": asked, **lengths, "closed": closed}
    return record_step(frame, "mine", parameters, {"patterns": len(frame)})


def plan(
    summary: WeightedSequences,
    count: int,
    min_length: int,
    max_length: int | None,
    max_patterns: int,
    *,
    closed: bool,
) -> Found:
    """Find the patterns asked for."""
    # Whether the longest are closed shows one event further.
    reach = max_length + 1 if closed and max_length is not None else max_length
    found = frequent_patterns(summary, count, max_length=reach, max_patterns=max_patterns)
    numbered = number_patterns(found)
    if not closed:
        return Found(found, numbered.from_length(min_length))
    links = find_sub_patterns(numbered, found)
    kept = are_closed(numbered.by_number(found.supports), numbered.levels, links)
    kept[numbered.up_to_length(max_length) :] = False
    return Found(found, numbered.from_length(min_length), kept)


def apply(found: Found) -> pd.DataFrame:
    """Write the table that users see."""
    patterns, numbered = found.patterns, found.numbered
    supports = numbered.by_number(patterns.supports)
    rows = numbered.highest_first(supports, found.kept, len(patterns))
    frame = pattern_frame(patterns.to_tuples(rows.moved), rows.supports, rows.lengths)
    if found.kept is None:
        remember(frame, numbered, rows.moved)
    return frame


def minimum_support(min_support: object) -> None:
    """Refuse what is neither a count nor a share."""
    must = "an int of at least 1 or a float above 0 and up to 1"
    do = "An int counts sequences, a float is a share of them."
    if isinstance(min_support, bool) or not isinstance(min_support, Real):
        raise wrong_parameter("min_support", must, type(min_support).__name__, do)
    if isinstance(min_support, Integral) and int(min_support) >= 1:
        whole_number("min_support", min_support, least=1)
    elif isinstance(min_support, Integral) or not 0 < float(min_support) <= 1:
        raise wrong_parameter("min_support", must, str(min_support), do)


def check_lengths(min_length: object, max_length: object, max_patterns: object) -> Limits:
    """Refuse bounds that no pattern can meet, and give them as plain ints: narrow ones would overflow."""
    shortest = whole_number("min_length", min_length, least=1)
    most = whole_number("max_patterns", max_patterns, least=1)
    longest = None if max_length is None else whole_number("max_length", max_length, least=1)
    if longest is not None and longest < shortest:
        raise wrong_parameter("max_length", f"at least min_length, {shortest}", str(longest))
    return shortest, longest, most


def count_of(min_support: float, n_sequences: int) -> int:
    """Turn a share into a count; 0.07 means seven hundredths, not the float next to it."""
    if isinstance(min_support, Integral):
        return int(min_support)
    return max(1, math.ceil(Fraction(str(min_support)) * n_sequences))
