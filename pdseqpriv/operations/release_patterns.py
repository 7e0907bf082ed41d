"""Pattern tables whose supports can be shared (PICS)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pdseqpriv.errors import InfeasibleError, SeqPrivError, wrong_parameter
from pdseqpriv.kernels.pattern_index import link_sub_patterns
from pdseqpriv.kernels.pattern_tree import link_along_tree
from pdseqpriv.kernels.raise_supports import are_closed, count_faults, raise_supports
from pdseqpriv.operations import mine as mining
from pdseqpriv.operations.frequent_patterns import merge, summarise
from pdseqpriv.progress import progress
from pdseqpriv.table.bound import Table, bind, start
from pdseqpriv.table.patterns import PatternArrays, highest_first, read_patterns
from pdseqpriv.table.record import record_step
from pdseqpriv.values.pattern_privacy import check_privacy

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

FUNCTION = "release_patterns"
# Supports up to here times a denominator up to there stay inside 64 bits.
HIGHEST = 1 << 33
FINEST = 10**9
CHUNK = 1 << 16
NO_LENGTH = 1 << 40


@dataclass(frozen=True)
class Release:
    """What to add, and what that makes of the supports.

    Attributes
    ----------
    added : numpy.ndarray of int64
        How many sequences that are a copy of each pattern the released table stands for beyond the true ones.
    supports : numpy.ndarray of int64
        The supports to release.
    links : numpy.ndarray of int32
        For each event of each pattern, the pattern that remains without it.
    """

    added: NDArray[np.int64]
    supports: NDArray[np.int64]
    links: NDArray[np.int32]


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
        No two supports may differ by 1 to ``k - 1``: the difference counts people.
    alpha : float, optional
        No pattern may imply a longer one with this confidence or more; above 0 and up to 1.
    max_length, min_length, max_patterns : int, optional
        As in :func:`pdseqpriv.mine`, for sequences.
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
    The released table is exactly what mining would give on some table: the original one and a few more
    sequences. No support is lowered.

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
    mining.check_switch(FUNCTION, "closed", closed)
    patterns = (
        _read(table, k)
        if min_support is None
        else _mine(table, min_support, k, (min_length, max_length, max_patterns))
    )
    release = plan(patterns, k=k, alpha=exact)
    frame = apply(patterns, release, closed=closed).to_frame()
    parameters = {"k": k, "alpha": None if alpha is None else float(alpha), "closed": closed}
    return record_step(frame, FUNCTION, parameters, {"patterns": len(frame)})


def plan(patterns: PatternArrays, *, k: int | None, alpha: Fraction | None) -> Release:
    """Work out what to add, from the longest patterns to the shortest."""
    links = _link(patterns)
    numerator, denominator = _ratio(alpha)
    raised, added = patterns.supports.copy(), np.zeros(len(patterns), np.int64)
    memory = np.full((4, len(patterns)), -1, np.int64)
    order = highest_first(patterns.lengths)
    with progress(len(order), "making patterns safe") as bar:
        for begin in range(0, len(order), CHUNK):
            part = order[begin : begin + CHUNK]
            limits = (k or 0, numerator, denominator, HIGHEST)
            if not raise_supports(part, patterns.offsets, links, raised, added, memory, *limits):
                raise InfeasibleError(
                    f"{FUNCTION}: supports would pass {HIGHEST:,}. Use a larger alpha, or a smaller k."
                )
            bar.update(len(part))
    return Release(added, raised, links)


def apply(patterns: PatternArrays, release: Release, *, closed: bool) -> PatternArrays:
    """Put the new supports on the patterns, and sort by them."""
    raised = patterns.with_supports(release.supports)
    if closed:
        kept = are_closed(release.supports, patterns.offsets, release.links)
        raised = raised.take(np.flatnonzero(kept))
    return mining.by_support(raised)


def _mine(
    table: Table, min_support: float, k: int | None, limits: tuple[int, int | None, int]
) -> PatternArrays:
    mining.check_lengths(FUNCTION, *limits)
    mining.check_support(FUNCTION, min_support)
    summary = start(table, FUNCTION).reduce(summarise, merge)
    count = mining.count_of(min_support, summary.total)
    if k is not None and count < k:
        raise wrong_parameter(
            FUNCTION, "min_support", f"at least k = {k} sequences", str(count), "Raise it, or lower k."
        )
    return mining.plan(summary, count, *limits, closed=False)


def _read(table: Table, k: int | None) -> PatternArrays:
    patterns = read_patterns(bind(table, FUNCTION).frame, FUNCTION, "table")
    low = 0 if k is None else int((patterns.supports < k).sum())
    if low:
        raise wrong_parameter(
            FUNCTION,
            "k",
            "at most the lowest support in the table",
            f"{k}, and {low} patterns have less",
            "Lower k, or leave these patterns out together with all that contain them.",
        )
    return patterns.in_order()


def _link(patterns: PatternArrays) -> NDArray[np.int32]:
    """Look up all sub-patterns; refuse a table that no database can have."""
    arrays = patterns.codes, patterns.offsets, patterns.joined
    links, complete = link_along_tree(*arrays, len(patterns.vocabulary))
    if not complete:
        # Without short patterns, or wrong: the index finds what is there and what is not.
        links = link_sub_patterns(*arrays)
    shortest = int(patterns.lengths.min(initial=NO_LENGTH))
    missing, rising = count_faults(patterns.supports, patterns.offsets, links, shortest)
    _check_rules(missing, rising)
    return links


def _check_rules(missing: int, rising: int) -> None:
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
