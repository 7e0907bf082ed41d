"""Pattern tables whose supports can be shared (PICS)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdseqpriv.errors import InfeasibleError, SeqPrivError, wrong_column, wrong_parameter, yes_or_no
from pdseqpriv.kernels.raise_supports import count_faults, raise_supports
from pdseqpriv.operations import mine as mining
from pdseqpriv.operations.frequent_patterns import merge, summarise
from pdseqpriv.operations.sub_patterns import SubPatterns, find_sub_patterns
from pdseqpriv.progress import progress
from pdseqpriv.table.bound import Table, bind, start
from pdseqpriv.table.known_patterns import recall
from pdseqpriv.table.patterns import (
    PatternArrays,
    check_columns,
    highest_first,
    read_patterns,
    read_supports,
)
from pdseqpriv.table.record import record_of, record_step
from pdseqpriv.values.pattern_privacy import check_privacy

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

FUNCTION = "release_patterns"
# Supports up to here times a denominator up to there stay inside 64 bits.
HIGHEST = 1 << 33
FINEST = 10**9
CHUNK = 1 << 16

# Shortest, longest, and how many patterns.
Limits: TypeAlias = "tuple[int, int | None, int]"


@dataclass(frozen=True)
class Release:
    """What to add, and what that makes of the supports.

    Attributes
    ----------
    supports : numpy.ndarray of int64
        The supports to release.
    added : numpy.ndarray of int64
        How many sequences that are a copy of each pattern the released table stands for beyond the true ones;
        in the order of ``below``, as are the links.
    below : SubPatterns
        What remains of each pattern without one event.
    """

    supports: NDArray[np.int64]
    added: NDArray[np.int64]
    below: SubPatterns


def release_patterns(
    table: Table,
    min_support: float | None = None,
    *,
    k: int | None = None,
    alpha: float | None = None,
    max_length: int | None = None,
    min_length: int = 1,
    closed: bool = False,
    max_patterns: int = mining.MAX_PATTERNS,
) -> pd.DataFrame:
    """Give frequent patterns with supports that tell on no one.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        Sequences, one event per row, together with ``min_support``; or a pattern table that was mined
        already, without it.
    min_support : int or float, optional
        As in :func:`pdseqpriv.mine`. It must come to at least ``k`` sequences.
    k : int, optional
        The supports of a pattern and of a longer one that contains it may not differ by 1 to ``k - 1``: the
        difference counts people.
    alpha : float, optional
        No pattern may imply a longer one with this confidence or more; above 0 and up to 1.
    max_length, min_length, max_patterns : int, optional
        As in :func:`pdseqpriv.mine`, for sequences only.
    closed : bool
        Leave out patterns whose released support equals that of a longer pattern. Supports are made safe
        before that, for all patterns, because a receiver can work out what was left out. With ``alpha`` no
        two such supports are equal, so nothing gets shorter.

    Returns
    -------
    pandas.DataFrame
        The same patterns as :func:`pdseqpriv.mine`, with ``support`` raised where needed, sorted by the new
        support and then by pattern. Row order, index and further columns of a given table do not come along:
        they could tell the old order.

    See Also
    --------
    inference_channels : what an unsafe table tells, for its owner.
    verify.are_patterns_safe : the independent check.

    Notes
    -----
    **Guarantee**: for every pattern P and every longer pattern Q of the table that contains it, the released
    supports satisfy ``support(P) - support(Q)`` = 0 or >= ``k``, and ``support(Q) / support(P)`` < ``alpha``.
    The released table is exactly what mining would give on some table: the original one and more sequences,
    sometimes several times as many. No support is lowered. Supports can therefore pass the number of
    sequences in the table, and a share computed from them then means nothing.

    **Not protected**: what a single support says; what follows from combining more than two supports; and
    what a receiver knows besides, for example the number of sequences or other releases of the same data.
    Patterns and the order of events in them are true and stay readable.

    This is the algorithm PICS (Jin et al., "Privacy-preserving sequential pattern release"): from the longest
    pattern to the shortest, each gets the least number of added copies that closes what it tells about the
    patterns with one event more; a copy counts for everything that it contains.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2, 3, 3, 4], "event": list("abababa"), "time": range(7)})
    >>> df.seqpriv.release_patterns(2, k=2)
      pattern  support  length
    0    (a,)        5       1
    1  (a, b)        3       2
    2    (b,)        3       1
    """
    exact = check_privacy(FUNCTION, k, alpha)
    closed = yes_or_no(FUNCTION, "closed", closed)
    limits = (min_length, max_length, max_patterns)
    patterns = _read(table, k, limits) if min_support is None else _mine(table, min_support, k, limits)
    frame = apply(patterns, plan(patterns, k=k, alpha=exact), closed=closed)
    parameters = {"k": k, "alpha": None if alpha is None else float(alpha), "closed": closed}
    return record_step(frame, FUNCTION, parameters, {"patterns": len(frame)})


def plan(patterns: PatternArrays, *, k: int | None, alpha: Fraction | None) -> Release:
    """Work out what to add, from the longest patterns to the shortest."""
    below = find_sub_patterns(patterns)
    supports = below.by_number(patterns.supports)
    _check_rules(below, supports)
    added = np.zeros_like(supports)
    memory = np.full((3, len(supports)), -1, np.int64)
    limits = (k or 0, *_ratio(alpha), HIGHEST)
    with progress(len(patterns), "making patterns safe") as bar:
        for longest in range(len(patterns), 0, -CHUNK):
            stop = max(0, longest - CHUNK)
            arrays = below.levels, below.links, supports, added, memory
            if not raise_supports(longest, stop, *arrays, *limits):
                raise InfeasibleError(
                    f"{FUNCTION}: supports would pass {HIGHEST:,}. Use a larger alpha, or a smaller k."
                )
            bar.update(longest - stop)
    return Release(below.by_place(supports), added, below)


def apply(patterns: PatternArrays, release: Release, *, closed: bool) -> pd.DataFrame:
    """Put the new supports on the patterns, and sort by them."""
    order = highest_first(release.supports)
    if closed:
        order = order[release.below.are_closed(release.supports)[order]]
    return patterns.with_supports(release.supports).to_frame(order)


def _mine(table: Table, min_support: float, k: int | None, limits: Limits) -> PatternArrays:
    mining.check_lengths(FUNCTION, *limits)
    mining.check_support(FUNCTION, min_support)
    summary = start(table, FUNCTION).reduce(summarise, merge)
    count = mining.count_of(min_support, summary.total)
    if k is not None and count < k:
        raise wrong_parameter(
            FUNCTION, "min_support", f"at least k = {k} sequences", str(count), "Raise it, or lower k."
        )
    return mining.plan(summary, count, *limits, closed=False, function=FUNCTION)


def _read(table: Table, k: int | None, limits: Limits) -> PatternArrays:
    frame = bind(table, FUNCTION).frame
    if limits != (1, None, mining.MAX_PATTERNS):
        raise SeqPrivError(
            f"{FUNCTION}: min_length, max_length and max_patterns are for sequences. Of a pattern table, "
            "choose the rows before; a pattern needs its shorter ones."
        )
    patterns = _patterns_of(frame)
    if patterns.supports.max(initial=0) > HIGHEST:
        raise wrong_column(FUNCTION, "support", f"at most {HIGHEST:,}", "some are higher")
    low = 0 if k is None else int((patterns.supports < k).sum())
    if low:
        raise wrong_parameter(
            FUNCTION,
            "k",
            "at most the lowest support in the table",
            f"{k}, and {low} patterns have less",
            "Lower k, or leave these patterns out together with all that contain them.",
        )
    return patterns


def _patterns_of(frame: pd.DataFrame) -> PatternArrays:
    """Give the patterns of a table, in their order; supports are always read."""
    check_columns(frame, FUNCTION, "table")
    if any(step["parameters"].get("closed") for step in record_of(frame)["applied"]):
        raise SeqPrivError(
            f"{FUNCTION}: this table holds closed patterns only, and what was left out can be worked out. "
            "Mine all patterns; closed ones can be chosen afterwards, with closed=True here."
        )
    known = recall(frame["pattern"])
    if known is None:
        return read_patterns(frame, FUNCTION, "table").in_order()
    supports = read_supports(frame["support"], FUNCTION)[known.rows]
    return replace(known.patterns, supports=supports, cells=(known.cells, known.rows))


def _check_rules(below: SubPatterns, supports: NDArray[np.int64]) -> None:
    """Refuse a table that no database can have."""
    missing, rising = count_faults(supports, below.levels, below.links)
    if rising:
        raise SeqPrivError(
            f"{FUNCTION}: a pattern must have at least the support of any longer one that contains it, "
            f"but {rising} pairs break this rule."
        )
    if missing:
        raise SeqPrivError(
            f"{FUNCTION}: with a pattern the table must hold its sub-patterns, but {missing} are missing. "
            "Mine all patterns; closed ones can be chosen afterwards, with closed=True here."
        )


def _ratio(alpha: Fraction | None) -> tuple[int, int]:
    """Give alpha as a fraction of ints: as it is written, or a billionth stricter."""
    if alpha is None:
        return 1, 0
    exact = alpha
    if exact.denominator > FINEST:
        # Rounding down can only ask for more.
        exact = Fraction(int(exact * FINEST), FINEST)
    if exact == 0:
        raise wrong_parameter(FUNCTION, "alpha", f"at least {1 / FINEST}", "less")
    return exact.numerator, exact.denominator
