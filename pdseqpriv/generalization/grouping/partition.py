"""Groups by halving, by events and by time in turn (algorithms 4 and 6)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pdseqpriv.generalization.grouping.curve import hilbert_order
from pdseqpriv.generalization.grouping.nearest import mend_all
from pdseqpriv.generalization.grouping.problem import Problem, clusters_of
from pdseqpriv.generalization.intervals import measure_of
from pdseqpriv.generalization.kernels.clusters import labels
from pdseqpriv.generalization.kernels.growing import join_all
from pdseqpriv.generalization.kernels.splitting import Events, split_all
from pdseqpriv.generalization.people import Ints, People, Tree, Weights
from pdseqpriv.progress import progress

# Sequences between two signs of life.
CHUNK = 20_000


def partition(problem: Problem) -> Ints:
    """Halve until halves would be too small, then mend what may not be released."""
    clusters = problem.new_clusters()
    curve = hilbert_order(clusters, np.arange(problem.people.totals.size), problem.people.span)
    ranks, bounds = _halve(problem, curve)
    join_all(problem.measure, clusters, curve[ranks], bounds[1:])
    mend_all(problem, clusters, indexed=True)
    found: Ints = labels(clusters)
    return found


def _halve(problem: Problem, curve: Ints) -> tuple[Ints, Ints]:
    """Give sequences, by their ranks on the curve, in an order of which groups are stretches."""
    by_time = measure_of(problem.people, problem.tree, Weights(1.0, 0.0))
    clusters = clusters_of(problem.people, by_time, problem.places)
    events = events_of(problem.people, problem.tree)
    ranks, bounds = np.arange(curve.size), np.array([0, curve.size])
    level, idle = 0, 0
    while idle < 2:  # noqa: PLR2004 (once by events, once by time)
        by_events = _is_by_events(problem, level)
        cuts = np.empty(bounds.size - 1, np.int64)
        choices = problem.random.random(cuts.size)
        with progress(curve.size, f"splitting into {bounds.size * 2 - 2}") as bar:
            for begin, end in pairwise(_chunks(bounds)):
                split_all(
                    by_time,
                    clusters,
                    events,
                    curve,
                    ranks,
                    bounds,
                    cuts,
                    problem.rules.target,
                    by_events,
                    choices,
                    begin,
                    end,
                )
                bar.update(int(bounds[end] - bounds[begin]))
        finer = np.unique(np.concatenate([bounds, cuts]))
        idle = idle + 1 if finer.size == bounds.size else 0
        level, bounds = level + 1, finer
    return ranks, bounds


def _is_by_events(problem: Problem, level: int) -> bool:
    """Take turns, or draw lots by weight where the weights differ (algorithm 6)."""
    time, event = problem.weights.time, problem.weights.event
    if time == event:
        return level % 2 == 0
    return bool(problem.random.random() < event / (time + event))


def _chunks(bounds: Ints) -> list[int]:
    """Give the stretches at which a new chunk of sequences begins."""
    wanted = np.arange(0, bounds[-1] + CHUNK, CHUNK)
    ends: list[int] = np.unique(np.minimum(np.searchsorted(bounds, wanted), bounds.size - 1)).tolist()
    return ends


def events_of(people: People, tree: Tree) -> Events:
    """Give of each sequence its events and the categories above them, with the rows under each."""
    n_nodes = tree.parent.size
    owner = np.repeat(np.arange(people.totals.size), np.diff(people.offsets))
    node = people.node.astype(np.int64)
    keys = []
    while True:
        keys.append(owner * n_nodes + (n_nodes - 1 - node))
        climbs = node > 0
        if not climbs.any():
            break
        owner, node = owner[climbs], tree.parent[node[climbs]].astype(np.int64)
    key, count = np.unique(np.concatenate(keys), return_counts=True)
    offsets = np.searchsorted(key, np.arange(people.totals.size + 1) * n_nodes)
    descending = (n_nodes - 1 - key % n_nodes).astype(np.int32)
    return Events(descending, count.astype(np.int64), offsets, np.zeros(n_nodes), np.zeros(n_nodes, np.bool_))
