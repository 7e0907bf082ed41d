"""Check that the supports of a pattern table are safe to share."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.errors import counted
from pdseqpriv.parameters import k_and_alpha, yes_or_no
from pdseqpriv.pattern_release.verify_pairs import UnsafePairs, find_unsafe_pairs
from pdseqpriv.verdict import Verdict


@on_tables()
def are_patterns_safe(
    patterns: pd.DataFrame, *, k: int | None = None, alpha: float | None = None, reveal: bool = False
) -> Verdict:
    """Check that no two supports single out a few people or make a longer pattern almost certain.

    Parameters
    ----------
    patterns : DataFrame
        A table with columns ``pattern`` and ``support``, whoever made it.
    k : int, optional
        No support may be below ``k``, and the supports of a pattern and of a longer one that contains it may
        not differ by 1 to ``k - 1``.
    alpha : float, optional
        No pattern may imply a longer one with this confidence or more.
    reveal : bool
        List every violation in ``details``: the rule, the pattern, and the longer one. For the owner of the
        data only: this is exactly what nobody else may see.

    Returns
    -------
    Verdict
        Truthy if the table is safe; ``details`` counts the violations of each rule.

    Notes
    -----
    **Guarantee**: every pair of patterns in the table is checked, whatever their lengths, in exact arithmetic
    and with no code shared with :func:`pdseqpriv.release_patterns`. The rules are definitions 1 and 2 of
    "Privacy-preserving sequential pattern release" (PAKDD 2007), and that no longer pattern has a higher
    support than one that it contains: mining cannot produce that, so such a table was changed, and what it
    says is not safe.

    **Not protected**: the check says nothing about patterns that are not in the table, nor about what follows
    from three or more supports together.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> patterns = pd.DataFrame({"pattern": [("a",), ("a", "b")], "support": [10, 9]})
    >>> pdseqpriv.verify.are_patterns_safe(patterns, k=2)
    does not hold: 2 patterns: 0 supports below 2, 1 pair whose supports differ by less than 2
    >>> pdseqpriv.verify.are_patterns_safe(patterns, alpha=0.95)
    holds: 2 patterns: 0 pairs in which the shorter implies the longer with confidence 0.95 or more
    """
    reveal = yes_or_no("reveal", reveal)
    k, exact = k_and_alpha(k, alpha)
    found = find_unsafe_pairs(patterns, k, exact)
    number = len(found.patterns.supports)
    rules: dict[str, int] = {}
    told: list[str] = []
    if k is not None:
        rules["support below k"] = int((found.patterns.supports < k).sum())
        rules["difference below k"] = int(found.by_subtraction.sum())
        told.append(f"{counted(rules['support below k'], 'support')} below {k}")
        close = counted(rules["difference below k"], "pair")
        told.append(f"{close} whose supports differ by less than {k}")
    if alpha is not None:
        rules["confidence of alpha or more"] = int(found.by_confidence.sum())
        implying = counted(rules["confidence of alpha or more"], "pair")
        told.append(f"{implying} in which the shorter implies the longer with confidence {alpha} or more")
    rules["longer has higher support"] = int(found.rising.sum())
    if found.rising.any():
        told.append(f"{counted(int(found.rising.sum()), 'pair')} in which the longer has the higher support")
    details = pd.DataFrame({"rule": list(rules), "violations": list(rules.values())})
    if reveal:
        details = _revealed(found, k)
    violations = sum(rules.values())
    sentence = f"{counted(number, 'pattern')}: {', '.join(told)}"
    return Verdict(violations == 0, sentence, number, violations, details)


def _revealed(found: UnsafePairs, k: int | None) -> pd.DataFrame:
    """Return a row per violation, in the order of the rules."""
    tuples = found.patterns.to_tuples()
    nothing = np.zeros(0, np.int64)
    rare = nothing if k is None else np.flatnonzero(found.patterns.supports < k)
    broken = {
        "support below k": (rare, nothing),
        "difference below k": (found.shorter[found.by_subtraction], found.longer[found.by_subtraction]),
        "confidence of alpha or more": (
            found.shorter[found.by_confidence],
            found.longer[found.by_confidence],
        ),
        "longer has higher support": (found.shorter[found.rising], found.longer[found.rising]),
    }
    parts = [
        pd.DataFrame({"rule": rule, "pattern": tuples[short], "longer": tuples[long] if long.size else None})
        for rule, (short, long) in broken.items()
    ]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
