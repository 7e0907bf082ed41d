"""Find groups of sequences that satisfy what is asked for and lose little (sections 4 to 6 of the paper)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pdseqpriv.errors import infeasible, refusal
from pdseqpriv.generalization.grouping.hybrid import hilbert, hybrid
from pdseqpriv.generalization.grouping.nearest_first import baseline, indexed
from pdseqpriv.generalization.grouping.partition import partition
from pdseqpriv.generalization.grouping.search import GroupSearch, most_shared
from pdseqpriv.progress import Bar
from pdseqpriv.sequences.ragged import Ints, count_different

GroupingMethod = Literal["baseline", "indexed", "hybrid", "hilbert", "partition"]

METHODS = {
    "baseline": baseline,
    "indexed": indexed,
    "hybrid": hybrid,
    "hilbert": hilbert,
    "partition": partition,
}


def group(search: GroupSearch, method: GroupingMethod, bar: Bar) -> Ints:
    """Put sequences into groups that each satisfy the privacy asked for.

    Parameters
    ----------
    search
        The sequences, what is asked for, and what counts as loss.
    method
        ``"baseline"`` joins each cluster with its nearest, ``"indexed"`` finds the same groups without
        trying all clusters, ``"hybrid"`` does so only for sequences that are spread in time and cuts the
        others along the Hilbert curve, ``"hilbert"`` cuts all, ``"partition"`` splits by events and by time
        in turn.
    bar
        Counts the sequences that have been processed.

    Returns
    -------
    int64 per sequence
        Its group, numbered from 0 in the order of their first members.

    Raises
    ------
    InfeasibleError
        If not even all sequences together satisfy what is asked for: then no grouping does (lemma 2.8). Where
        people have several sequences, some grouping might, but joining groups does not lead to it.
    """
    k = search.privacy.k
    n_people = search.n_people
    if n_people == 0:
        return np.zeros(0, np.int64)
    _must_be_feasible(search, n_people, k)
    numbers: Ints = np.unique(METHODS[method](search, bar), return_inverse=True)[1].astype(np.int64)
    if (
        _people_of_groups(numbers, search.sequences.people).min() < k
    ):  # never release anything without its guarantee
        raise refusal("a group is too small, which is a bug. Nothing was released; please report it.")
    return numbers


def _people_of_groups(groups: Ints, people: Ints) -> Ints:
    """Count the different people of each group."""
    return count_different(groups, people, int(groups.max()) + 1) if people.size else np.bincount(groups)


def _must_be_feasible(search: GroupSearch, n: int, k: int) -> None:
    if n < k:
        are = "is" if n == 1 else "are"
        raise infeasible(
            f"groups must have at least {k} {search.counts}, but there {are} only {n} with a monitored "
            "event. Use a smaller k."
        )
    if search.privacy.one_in is None:
        return
    most, allowed = most_shared(search.occurrences, search.sequences.people), search.rules.allowed[n]
    if most > allowed:
        who = "no grouping can" if search.counts == "sequences" else "not even all people together"
        raise infeasible(
            f"{who} reach this diversity: in one window {most} of all {n} {search.counts} share a "
            f"sensitive event, but at most {allowed} may. "
            "Use a shorter window or a smaller l, or name fewer events as sensitive."
        )
