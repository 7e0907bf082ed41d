"""Pattern tables whose supports can be shared (PICS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, start
from pdseqpriv.errors import counted, refusal, wrong_column, wrong_parameter
from pdseqpriv.mining.mine import check_lengths, count_of
from pdseqpriv.mining.search import MAX_PATTERNS, frequent_patterns, merge, summarise
from pdseqpriv.parameters import k_and_alpha, minimum_support, yes_or_no
from pdseqpriv.pattern_release.plan import HIGHEST, Given, plan
from pdseqpriv.patterns.tables import pattern_frame, read_pattern_table
from pdseqpriv.sequences.record import record_of, record_step

if TYPE_CHECKING:
    import pandas as pd


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
    max_patterns: int = MAX_PATTERNS,
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
    frame = pattern_frame(plan(given, k=k, alpha=exact, closed=closed))
    parameters = {"k": k, "alpha": None if exact is None else float(exact), "closed": closed}
    return record_step(frame, "release_patterns", parameters, {"patterns": len(frame)})


def _mine(table: Table, min_support: float, k: int | None, limits: tuple[object, object, object]) -> Given:
    """Mine what is to be released; the summary is that of ``mine``."""
    shortest, longest, most = check_lengths(*limits)
    asked = minimum_support(min_support)
    summary = start(table).reduce(summarise, merge)
    count = count_of(asked, summary.total)
    if k is not None and count < k:
        do = "Raise it, or lower k."
        raise wrong_parameter("min_support", f"at least k = {k} sequences", str(count), do)
    found = frequent_patterns(summary, count, max_length=longest, max_patterns=most)
    return Given(found, shortest, is_mined=True)


def _read(table: Table, k: int | None, limits: tuple[object, object, object]) -> Given:
    """Read what is to be released from a pattern table."""
    frame = bind(table).frame
    if limits != (1, None, MAX_PATTERNS):
        raise refusal(
            "min_length, max_length and max_patterns are for sequences. Of a pattern table, "
            "choose the rows before; a pattern needs its shorter ones."
        )
    if any(step["parameters"].get("closed") for step in record_of(frame)["applied"]):
        raise refusal(
            "this table holds closed patterns only, and what was left out can be worked out. "
            "Mine all patterns; closed ones can be chosen afterwards, with closed=True here."
        )
    patterns = read_pattern_table(frame, "table")
    if patterns.supports.max(initial=0) > HIGHEST:
        raise wrong_column("support", f"at most {HIGHEST:,}", "some are higher")
    low = 0 if k is None else int((patterns.supports < k).sum())
    if low:
        raise wrong_parameter(
            "k",
            "at most the lowest support in the table",
            f"{k}, and {counted(low, 'pattern')} {'has' if low == 1 else 'have'} less",
            "Lower k, or leave these patterns out together with all that contain them.",
        )
    shortest = int(patterns.lengths.min()) if len(patterns) else 1
    return Given(patterns, shortest, is_mined=False)
