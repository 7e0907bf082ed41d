"""Groups of sequences that satisfy what is asked and lose little (sections 4 to 6 of the paper)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pdseqpriv.errors import infeasible, refusal
from pdseqpriv.generalization.grouping.hybrid import hilbert, hybrid
from pdseqpriv.generalization.grouping.nearest import baseline, indexed
from pdseqpriv.generalization.grouping.partition import partition
from pdseqpriv.generalization.grouping.problem import Problem, problem_of
from pdseqpriv.generalization.grouping.sensitive import most_shared
from pdseqpriv.generalization.people import Ints, People, Privacy, Tree, Weights

Method = Literal["baseline", "indexed", "hybrid", "hilbert", "partition"]


def group(  # noqa: PLR0917 (an inner seam)
    people: People, tree: Tree, privacy: Privacy, weights: Weights, method: Method, seed: int
) -> Ints:
    """Put sequences into groups each of which satisfies the privacy asked.

    Parameters
    ----------
    people, tree, privacy, weights
        What is known, what is asked, and what counts as loss.
    method
        ``"baseline"`` joins each cluster with its nearest, ``"indexed"`` finds the same groups without
        looking at all clusters, ``"hybrid"`` does so only with sequences that are spread in time and cuts
        the others along the Hilbert curve, ``"hilbert"`` cuts all, ``"partition"`` halves by events and
        by time in turn.
    seed
        Of the random choices.

    Returns
    -------
    int64 per sequence
        Its group, numbered from 0 on in the order of their first members.

    Raises
    ------
    InfeasibleError
        If not even all sequences together satisfy what is asked: then no grouping does (lemma 2.8).
    """
    n = people.totals.size
    if n == 0:
        return np.zeros(0, np.int64)
    problem = problem_of(people, tree, privacy, weights, seed)
    _must_be_feasible(problem, privacy, n)
    slots = METHODS[method](problem)
    numbers: Ints = np.unique(slots, return_inverse=True)[1].astype(np.int64)
    if np.bincount(numbers).min() < privacy.k:  # a release without its guarantee must never leave
        raise refusal("a group stayed too small. Nothing is released; please report it.")
    return numbers


def _must_be_feasible(problem: Problem, privacy: Privacy, n: int) -> None:
    if n < privacy.k:
        raise infeasible(
            f"k={privacy.k} asks for groups of at least {privacy.k} sequences, but only {n} have "
            "a monitored event. Ask for a smaller k."
        )
    most = most_shared(problem.places)
    if most > problem.rules.allowed[n]:
        raise infeasible(
            f"diversity cannot be reached by any grouping: in one window a sensitive event is "
            f"shared by {most} of all {n} sequences, and at most {problem.rules.allowed[n]} may share it. "
            "Ask for a shorter window or a smaller l, or declare fewer events sensitive."
        )


METHODS = {
    "baseline": baseline,
    "indexed": indexed,
    "hybrid": hybrid,
    "hilbert": hilbert,
    "partition": partition,
}
