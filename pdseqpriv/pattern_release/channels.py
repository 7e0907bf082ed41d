"""What can be inferred from the supports of a pattern table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.errors import refusal
from pdseqpriv.parameters import k_and_alpha
from pdseqpriv.pattern_release.kernels.pattern_pairs import find_pairs, index_patterns, signatures
from pdseqpriv.patterns.tables import PatternArrays, read_patterns
from pdseqpriv.progress import progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PAIRS = 10_000_000
CHUNK = 1024


@dataclass(frozen=True)
class Channels:
    """Pairs of patterns that tell too much, as places in ``patterns``; and which rule they break."""

    patterns: PatternArrays
    shorter: NDArray[np.int64]
    longer: NDArray[np.int64]
    by_subtraction: NDArray[np.bool_]
    by_confidence: NDArray[np.bool_]


@on_tables()
def inference_channels(
    patterns: pd.DataFrame, *, k: int | None = None, alpha: float | None = None
) -> pd.DataFrame:
    """List what could be inferred from the supports of a pattern table.

    Parameters
    ----------
    patterns : DataFrame
        ``pattern`` and ``support``, for example from :func:`pdseqpriv.mine`. It need not be complete.
    k : int, optional
        List pairs whose supports differ by 1 to ``k - 1``.
    alpha : float, optional
        List pairs where the shorter pattern implies the longer one with this confidence or more.

    Returns
    -------
    pandas.DataFrame
        One row per channel: ``channel`` ("k" or "alpha"), ``pattern``, the ``longer`` pattern that contains
        it, their supports ``support`` and ``longer_support``, ``inferred_support`` (how many sequences have
        the pattern but not the longer one) and ``confidence`` (how surely someone with the pattern has the
        longer one too). The most telling come first: for "k" the lowest inferred support, for "alpha" the
        highest confidence.

    See Also
    --------
    release_patterns : closes all of them.

    Notes
    -----
    **Guarantee**: all pairs of the table are looked at, not only neighbours.

    **Not protected**: everything. This table shows the patterns and what they give away; it is for the owner
    of the data (Jin et al. 2007, "Privacy-preserving sequential pattern release", equations 1 and 2).

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
    found = find_channels(patterns, k, alpha)
    parts = [_rows(found, found.by_subtraction, "k"), _rows(found, found.by_confidence, "alpha")]
    return pd.concat(parts, ignore_index=True)


def find_channels(table: object, k: int | None, alpha: float | None) -> Channels:
    """Find every pair that breaks one of the two rules."""
    k, exact = k_and_alpha(k, alpha)
    patterns = read_patterns(table, "patterns").in_order()
    patterns = patterns.take(np.argsort(patterns.supports, kind="stable"))
    supports = patterns.supports
    implied = _implied(supports, exact)
    shorter, longer = _pairs(patterns, np.maximum(implied, supports + (k or 1) - 1))
    difference = supports[shorter] - supports[longer]
    by_subtraction = (difference > 0) & (difference < (k or 0))
    by_confidence = supports[shorter] <= implied[longer]
    kept = by_subtraction | by_confidence
    return Channels(patterns, shorter[kept], longer[kept], by_subtraction[kept], by_confidence[kept])


def _implied(supports: NDArray[np.int64], alpha: Fraction | None) -> NDArray[np.int64]:
    """For the support of each longer pattern, the highest that still implies it (0: none does)."""
    if alpha is None:
        return np.zeros(len(supports), np.int64)
    values, places = np.unique(supports, return_inverse=True)
    top = int(supports.max(initial=0))
    return np.array([min(top, int(value) // alpha) for value in values.tolist()], np.int64)[places]


def _pairs(patterns: PatternArrays, reach: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    masks = signatures(patterns.codes, patterns.offsets)
    slots = index_patterns(patterns.codes, patterns.offsets, patterns.joined)
    arrays = (patterns.codes, patterns.offsets, patterns.joined, masks, patterns.supports, reach, slots)
    found = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    number = 0
    with progress(len(patterns), "looking at pairs of patterns") as bar:
        for begin in range(0, len(patterns), CHUNK):
            end = min(begin + CHUNK, len(patterns))
            found.append(find_pairs(*arrays, begin, end))
            number += len(found[-1][0])
            if number > MOST_PAIRS:
                raise refusal(
                    f"more than {MOST_PAIRS:,} pairs of patterns tell too much. "
                    "Look at fewer patterns, for example with a lower max_length."
                )
            bar.update(end - begin)
    shorter, longer = zip(*found, strict=True)
    return np.concatenate(shorter), np.concatenate(longer)


def _rows(found: Channels, chosen: NDArray[np.bool_], name: str) -> pd.DataFrame:
    shorter, longer = found.shorter[chosen], found.longer[chosen]
    tuples = found.patterns.to_tuples()
    supports = found.patterns.supports
    rows = pd.DataFrame(
        {
            "channel": np.full(len(shorter), name, object),
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
