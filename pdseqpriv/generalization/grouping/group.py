"""Groups of sequences that satisfy what is asked and lose little (sections 4 to 6 of the paper)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pdseqpriv.errors import infeasible, refusal
from pdseqpriv.generalization.grouping.hybrid import hilbert, hybrid
from pdseqpriv.generalization.grouping.nearest_first import baseline, indexed
from pdseqpriv.generalization.grouping.partition import partition
from pdseqpriv.generalization.grouping.search import GroupSearch, most_shared
from pdseqpriv.progress import Bar
from pdseqpriv.sequences.ragged import Ints

GroupingMethod = Literal["baseline", "indexed", "hybrid", "hilbert", "partition"]

METHODS = {
    "baseline": baseline,
    "indexed": indexed,
    "hybrid": hybrid,
    "hilbert": hilbert,
    "partition": partition,
}


def group(search: GroupSearch, method: GroupingMethod, bar: Bar) -> Ints:
    """Put sequences into groups each of which satisfies the privacy asked.

    Parameters
    ----------
    search
        The sequences, what is asked, and what counts as loss.
    method
        ``"baseline"`` joins each cluster with its nearest, ``"indexed"`` finds the same groups without
        looking at all clusters, ``"hybrid"`` does so only with sequences that are spread in time and cuts
        the others along the Hilbert curve, ``"hilbert"`` cuts all, ``"partition"`` halves by events and
        by time in turn.
    bar
        Hears of the sequences that are gone over.

    Returns
    -------
    int64 per sequence
        Its group, numbered from 0 on in the order of their first members.

    Raises
    ------
    InfeasibleError
        If not even all sequences together satisfy what is asked: then no grouping does (lemma 2.8).
    """
    n, k = search.sequences.totals.size, search.privacy.k
    if n == 0:
        return np.zeros(0, np.int64)
    _must_be_feasible(search, n, k)
    numbers: Ints = np.unique(METHODS[method](search, bar), return_inverse=True)[1].astype(np.int64)
    if np.bincount(numbers).min() < k:  # a release without its guarantee must never leave
        raise refusal("a group stayed too small. Nothing is released; please report it.")
    return numbers


def _must_be_feasible(search: GroupSearch, n: int, k: int) -> None:
    if n < k:
        are = "is" if n == 1 else "are"
        raise infeasible(
            f"groups of at least {k} sequences are asked for, but there {are} only {n} with a monitored "
            "event. Ask for a smaller k."
        )
    if search.privacy.one_in is None:
        return
    most, allowed = most_shared(search.occurrences), search.rules.allowed[n]
    if most > allowed:
        raise infeasible(
            f"no grouping can reach the diversity asked for: in one window {most} of all {n} sequences share "
            f"a sensitive event, and at most {allowed} may. "
            "Ask for a shorter window or a smaller l, or declare fewer events sensitive."
        )
