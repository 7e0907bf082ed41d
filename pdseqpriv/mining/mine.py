"""Frequent sequential patterns of a table."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Unpack

import numpy as np

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.errors import wrong_parameter
from pdseqpriv.mining.search import MAX_PATTERNS
from pdseqpriv.mining.tables_to_mine import TableToMine, table_to_mine
from pdseqpriv.parameters import minimum_support, whole_number, yes_or_no
from pdseqpriv.patterns.sub_patterns import find_sub_patterns
from pdseqpriv.patterns.tables import pattern_frame
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.record import record_step

if TYPE_CHECKING:
    import pandas as pd

    from pdseqpriv.patterns.tables import PatternArrays


@on_tables("patterns", anywhere=True)
def mine(
    table: Table,
    min_support: float,
    *,
    max_length: int | None = None,
    min_length: int = 1,
    closed: bool = False,
    max_patterns: int = MAX_PATTERNS,
    **_columns: Unpack[ColumnNames],
) -> pd.DataFrame:
    """Find every pattern that at least ``min_support`` sequences contain.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row.
    min_support : int or float
        How many sequences must contain a pattern: a count of at least 1 (int), or a share of the sequences
        above 0 and up to 1 (float), so ``1`` is one sequence and ``1.0`` is all of them. With
        ``using(person=...)``: how many people, or which share of them.
    max_length, min_length : int, optional
        The largest and smallest number of events in a pattern.
    closed : bool
        Leave out every pattern that is contained in a longer one with the same support. The longer one
        carries the same information, so the table gets shorter and nothing is lost; with ``max_length`` the
        longer one may itself be too long to be listed.
    max_patterns : int
        Stop with an error if there are more patterns than this, before memory runs out. All patterns up to
        ``max_length`` count (with ``closed``, up to one event more), including those that ``min_length`` or
        ``closed`` leave out of the result.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.DataFrame
        ``pattern`` (a tuple of events; an element with several events is a tuple itself), ``support`` (the
        number of sequences that contain it; with ``using(person=...)``, the number of people of whom at
        least one sequence contains it) and ``length`` (the number of events), sorted by support from highest
        to lowest, then by pattern.

    See Also
    --------
    release_patterns : the same patterns, with supports that are safe to share.

    Notes
    -----
    **Guarantee**: exact and complete. A pattern is contained in a sequence if its elements are included,
    in order, in elements at strictly increasing times; marked events match nothing.

    **Not protected**: subtracting one support from another can single out a few people (see
    "Privacy-preserving sequential pattern release", PAKDD 2007). Share the result of
    :func:`pdseqpriv.release_patterns` instead.

    **Large tables**: the same patterns. Up to 20 million rows are searched in one place, at 8 bytes each.
    Larger tables are searched part by part at the same share, and what was found anywhere is counted
    everywhere; only if the parts are too small for that, all rows are brought together.

    Patterns grow depth first, as in PrefixSpan (Pei et al. 2001); what may still follow is kept in a matrix
    of last occurrences, so that counting takes one comparison per sequence and event.

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
    shortest, longest, most = check_lengths(min_length, max_length, max_patterns)
    asked = minimum_support(min_support)
    closed = yes_or_no("closed", closed)
    run = start(table, others=())
    whole = table_to_mine(run)
    count = count_of(asked, whole.total)
    patterns = make_plan(
        whole, count, min_length=shortest, max_length=longest, max_patterns=most, closed=closed
    )
    frame = pattern_frame(patterns)
    parameters = {
        "min_support": asked if isinstance(asked, int) else float(asked),
        "min_length": shortest,
        "max_length": longest,
        "closed": closed,
        **run.columns.noted,
    }
    return record_step(frame, "mine", parameters)


def make_plan(
    table: TableToMine,
    min_count: int,
    *,
    min_length: int,
    max_length: int | None,
    max_patterns: int,
    closed: bool,
) -> PatternArrays:
    """Find the patterns asked for, in pattern order."""
    # Whether the longest patterns are closed can only be seen with one more event.
    reach = max_length + 1 if closed and max_length is not None else max_length
    found = table.patterns(min_count, max_length=reach, max_patterns=max_patterns)
    if min_length == 1 and not closed:
        return found
    kept = found.lengths >= min_length
    if closed:
        kept &= find_sub_patterns(found).are_closed(found.supports)
    if max_length is not None:
        kept &= found.lengths <= max_length
    return found.take(np.flatnonzero(kept))


def check_lengths(
    min_length: object, max_length: object, max_patterns: object
) -> tuple[int, int | None, int]:
    """Read the limits of a search: shortest, longest, and how many patterns; narrow ints would overflow."""
    shortest = whole_number("min_length", min_length, least=1)
    most = whole_number("max_patterns", max_patterns, least=1)
    longest = None if max_length is None else whole_number("max_length", max_length, least=1)
    if longest is not None and longest < shortest:
        raise wrong_parameter("max_length", f"at least min_length ({shortest})", str(longest))
    return shortest, longest, most


def count_of(min_support: float | Fraction, n_people: int) -> int:
    """Turn a share into a count; 0.07 means exactly seven hundredths, not the nearest float."""
    if isinstance(min_support, Integral):
        return int(min_support)
    return max(1, math.ceil(Fraction(str(min_support)) * n_people))
