"""Pattern tables whose supports can be shared (PICS)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, start
from pdseqpriv.errors import infeasible, refusal, wrong_column, wrong_parameter
from pdseqpriv.exact import round_up
from pdseqpriv.mining import mine as mining
from pdseqpriv.mining.search import merge, summarise
from pdseqpriv.parameters import k_and_alpha, yes_or_no
from pdseqpriv.pattern_release.kernels.raise_supports import are_closed, find_faults, raise_supports
from pdseqpriv.patterns.known_patterns import recall
from pdseqpriv.patterns.numbered import NARROW, number_patterns
from pdseqpriv.patterns.scratch import scratch
from pdseqpriv.patterns.sub_patterns import count_missing, find_sub_patterns
from pdseqpriv.patterns.tables import (
    PatternArrays,
    check_columns,
    pattern_frame,
    read_patterns,
    read_supports,
)
from pdseqpriv.progress import progress
from pdseqpriv.sequences.record import record_of, record_step

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from pdseqpriv.patterns.known_patterns import KnownPatterns
    from pdseqpriv.patterns.numbered import NumberedPatterns, Supports

# Supports up to here times a denominator up to there stay inside 64 bits.
HIGHEST = 1 << 33
FINEST = 10**9
CHUNK = 1 << 16


@dataclass(frozen=True)
class Given:
    """What is to be released.

    Attributes
    ----------
    patterns : PatternArrays or KnownPatterns
        The patterns.
    numbered : NumberedPatterns
        Their numbers; places are those of ``patterns`` and ``supports``.
    supports : numpy.ndarray of int64
        Their supports.
    is_mined : bool
        Whether these patterns and supports came from a search, so that they are those of a database.
    """

    patterns: PatternArrays | KnownPatterns
    numbered: NumberedPatterns
    supports: NDArray[np.int64]
    is_mined: bool


@dataclass(frozen=True)
class Release:
    """What to add, and what that makes of the supports; all by number.

    Attributes
    ----------
    supports : numpy.ndarray of int32 or int64
        The supports to release.
    added : numpy.ndarray of int32 or int64
        How many sequences that are a copy of each pattern the released table stands for beyond the true ones;
        nothing is made of them, but they prove that such a table exists.
    links : numpy.ndarray of int32
        What remains of each pattern without one event.
    """

    supports: Supports
    added: Supports
    links: NDArray[np.int32]


@on_tables("patterns")
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
        No pattern may imply a longer one with this confidence or more; above 0 and up to 1. It is taken as
        it is written; only where supports pass 2 billion, digits beyond the ninth are cut off, which asks for
        more.
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
    k, exact = k_and_alpha(k, alpha)
    closed = yes_or_no("closed", closed)
    limits = (min_length, max_length, max_patterns)
    given = _read(table, k, limits) if min_support is None else _mine(table, min_support, k, limits)
    frame = apply(given, plan(given, k=k, alpha=exact), closed=closed)
    parameters = {"k": k, "alpha": None if alpha is None else float(alpha), "closed": closed}
    return record_step(frame, "release_patterns", parameters, {"patterns": len(frame)})


def plan(given: Given, *, k: int | None, alpha: Fraction | None) -> Release:
    """Work out what to add, from the longest patterns to the shortest."""
    numbered = given.numbered
    links = find_sub_patterns(numbered, given.patterns)
    if not given.is_mined:
        _check_rules(given, links)
    # Where 32 bits do not hold what the supports become, 64 may.
    for highest in (NARROW, HIGHEST):
        if given.supports.max(initial=0) <= highest:
            state = scratch((4, len(numbered.places)), np.int32 if highest == NARROW else np.int64)
            numbered.by_number(given.supports, state[0])
            if _raise(numbered, links, state, (k or 0, *_ratio(alpha, highest), highest)):
                supports, added, _, _ = state
                return Release(supports, added, links)
    raise infeasible(f"supports would pass {HIGHEST:,}. Use a larger alpha, or a smaller k.")


def _raise(
    numbered: NumberedPatterns, links: NDArray[np.int32], state: Supports, limits: tuple[int, int, int, int]
) -> bool:
    """Raise the supports, which are in the first row; False when one would not fit."""
    state[1:] = 0
    arrays = numbered.levels, numbered.shortest, links, state
    with progress(len(numbered), "making patterns safe") as bar:
        for longest in range(state.shape[1] - 1, numbered.first - 1, -CHUNK):
            stop = max(numbered.first - 1, longest - CHUNK)
            if not raise_supports(longest, stop, *arrays, *limits):
                return False
            bar.update(longest - stop)
    return True


def apply(given: Given, release: Release, *, closed: bool) -> pd.DataFrame:
    """Put the new supports on the patterns, and sort by them."""
    numbered = given.numbered
    kept = are_closed(release.supports, numbered.levels, release.links) if closed else None
    rows = numbered.highest_first(release.supports, kept, len(given.supports))
    return pattern_frame(given.patterns.to_tuples(rows.moved), rows.supports, rows.lengths)


def _mine(table: Table, min_support: float, k: int | None, limits: mining.Limits) -> Given:
    limits = mining.check_lengths(*limits)
    mining.minimum_support(min_support)
    summary = start(table).reduce(summarise, merge)
    count = mining.count_of(min_support, summary.total)
    if k is not None and count < k:
        raise wrong_parameter(
            "min_support", f"at least k = {k} sequences", str(count), "Raise it, or lower k."
        )
    found = mining.plan(summary, count, *limits, closed=False)
    return Given(found.patterns, found.numbered, found.patterns.supports, is_mined=True)


def _read(table: Table, k: int | None, limits: mining.Limits) -> Given:
    frame = bind(table).frame
    if limits != (1, None, mining.MAX_PATTERNS):
        raise refusal(
            "min_length, max_length and max_patterns are for sequences. Of a pattern table, "
            "choose the rows before; a pattern needs its shorter ones."
        )
    given = _given_in(frame)
    if given.supports.max(initial=0) > HIGHEST:
        raise wrong_column("support", f"at most {HIGHEST:,}", "some are higher")
    low = 0 if k is None else int((given.supports < k).sum())
    if low:
        raise wrong_parameter(
            "k",
            "at most the lowest support in the table",
            f"{k}, and {low} patterns have less",
            "Lower k, or leave these patterns out together with all that contain them.",
        )
    return given


def _given_in(frame: pd.DataFrame) -> Given:
    """Give what a table holds; supports are always read."""
    check_columns(frame, "table")
    if any(step["parameters"].get("closed") for step in record_of(frame)["applied"]):
        raise refusal(
            "this table holds closed patterns only, and what was left out can be worked out. "
            "Mine all patterns; closed ones can be chosen afterwards, with closed=True here."
        )
    known = recall(frame["pattern"])
    if known is None:
        patterns = read_patterns(frame, "table").in_order()
        return Given(patterns, number_patterns(patterns), patterns.supports, is_mined=False)
    supports = read_supports(frame["support"])
    return Given(known, known.numbered, supports, is_mined=np.array_equal(supports, known.supports))


def _check_rules(given: Given, links: NDArray[np.int32]) -> None:
    """Refuse a table that no database can have."""
    numbered = given.numbered
    supports = numbered.by_number(given.supports)
    is_missing, rising = find_faults(supports, numbered.levels, numbered.shortest, links)
    if rising:
        raise refusal(
            f"a pattern must have at least the support of any longer one that contains it, "
            f"but {rising} pairs break this rule."
        )
    if is_missing and isinstance(given.patterns, PatternArrays):  # what a search found lacks none
        missing = count_missing(numbered, given.patterns, links)
        raise refusal(
            f"with a pattern the table must hold its sub-patterns, but {missing} are missing "
            "among those with one event less. Mine all patterns; closed ones can be chosen afterwards, with "
            "closed=True here."
        )


def _ratio(alpha: Fraction | None, highest: int) -> tuple[int, int]:
    """Give alpha as a fraction of ints whose products with supports up to the highest fit into 64 bits."""
    if alpha is None:
        return 1, 0
    if highest <= NARROW:
        # For supports up to here this asks for the same.
        exact = round_up(alpha, NARROW)
    else:
        # Rounding down can only ask for more.
        exact = alpha if alpha.denominator <= FINEST else Fraction(int(alpha * FINEST), FINEST)
    if exact == 0:
        raise wrong_parameter("alpha", f"at least {1 / FINEST}", "less")
    return exact.numerator, exact.denominator
