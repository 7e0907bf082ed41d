"""What can be inferred from the supports of a pattern table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.parameters import k_and_alpha
from pdseqpriv.pattern_release.verify_pairs import UnsafePairs, find_unsafe_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray


@on_tables("channels")
def inference_channels(
    patterns: pd.DataFrame, *, k: int | None = None, alpha: float | None = None
) -> pd.DataFrame:
    """List what could be inferred from the supports of a pattern table.

    Parameters
    ----------
    patterns : DataFrame
        With columns ``pattern`` and ``support``, for example from :func:`pdseqpriv.mine`. It need not be
        complete.
    k : int, optional
        List pairs whose supports differ by 1 to ``k - 1``.
    alpha : float, optional
        List pairs where the shorter pattern implies the longer one with this confidence or more.

    Returns
    -------
    pandas.DataFrame
        One row per channel: ``channel`` ("k" or "alpha"), ``pattern``, the ``longer`` pattern that contains
        it, their supports ``support`` and ``longer_support``, ``inferred_support`` (how many sequences have
        the pattern but not the longer one) and ``confidence`` (the share of sequences with the pattern that
        also have the longer one). The most revealing come first: for "k" the lowest inferred support, for
        "alpha" the highest confidence.

    See Also
    --------
    release_patterns : closes all of these channels.
    verify.are_patterns_safe : counts them.

    Notes
    -----
    **Guarantee**: every pair of patterns in the table is checked, not only those that differ by one event,
    with the code of the check, which :func:`pdseqpriv.release_patterns` does not use.

    **Not protected**: everything. The result shows the patterns and what they reveal; it is for the owner of
    the data only. The channels are those of "Privacy-preserving sequential pattern release" (PAKDD 2007),
    equations 1 and 2.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> patterns = pd.DataFrame(
    ...     {"pattern": [tuple("abcd"), tuple("abd"), tuple("ad")], "support": [1000, 1000, 1001]}
    ... )
    >>> channels = pdseqpriv.inference_channels(patterns, k=2)
    >>> channels[["pattern", "longer", "inferred_support"]]
      pattern        longer  inferred_support
    0  (a, d)  (a, b, c, d)                 1
    1  (a, d)     (a, b, d)                 1
    """
    found = find_unsafe_pairs(patterns, *k_and_alpha(k, alpha))
    tuples = found.patterns.to_tuples()
    parts = [
        _rows(found, found.by_subtraction, "k", tuples),
        _rows(found, found.by_confidence, "alpha", tuples),
    ]
    return pd.concat(parts, ignore_index=True)


def _rows(
    found: UnsafePairs, chosen: NDArray[np.bool_], name: str, tuples: NDArray[np.object_]
) -> pd.DataFrame:
    shorter, longer = found.shorter[chosen], found.longer[chosen]
    supports = found.patterns.supports
    rows = pd.DataFrame(
        {
            "channel": pd.Series([name] * len(shorter), dtype="str"),
            "pattern": tuples[shorter],
            "longer": tuples[longer],
            "support": supports[shorter],
            "longer_support": supports[longer],
            "inferred_support": supports[shorter] - supports[longer],
            "confidence": supports[longer] / supports[shorter],
        }
    )
    telling, rising = ("inferred_support", True) if name == "k" else ("confidence", False)
    return rows.sort_values(telling, ascending=rising, kind="stable")
