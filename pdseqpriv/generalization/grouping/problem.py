"""All that the ways of grouping share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pdseqpriv.generalization.grouping.sensitive import Places, places_of, rules_of
from pdseqpriv.generalization.intervals import measure_of
from pdseqpriv.generalization.kernels.clusters import Clusters, Rules, new_clusters
from pdseqpriv.generalization.kernels.loss import Measure
from pdseqpriv.generalization.people import People, Privacy, Tree, Weights


@dataclass(frozen=True)
class Problem:
    """What is to be grouped, by which rules, and how loss is measured."""

    people: People
    tree: Tree
    weights: Weights
    measure: Measure
    places: Places
    rules: Rules
    random: np.random.Generator

    def new_clusters(self) -> Clusters:
        """Make every sequence a cluster of its own."""
        return clusters_of(self.people, self.measure, self.places)


def problem_of(people: People, tree: Tree, privacy: Privacy, weights: Weights, seed: int) -> Problem:
    """Bring what is asked into the form that the compiled code takes."""
    places = places_of(people, privacy)
    rules = rules_of(privacy, places, people.totals.size)
    measure = measure_of(people, tree, weights)
    return Problem(people, tree, weights, measure, places, rules, np.random.default_rng(seed))


def clusters_of(people: People, measure: Measure, places: Places) -> Clusters:
    """Make every sequence a cluster; categories are left out where they cost nothing."""
    node = people.node if measure.per_event > 0 else np.zeros_like(people.node)
    clusters: Clusters = new_clusters(
        measure,
        people.when,
        node.astype(np.int32),
        people.offsets.astype(np.int64),
        people.totals.astype(np.int64),
        places.place,
        places.offsets.astype(np.int64),
    )
    return clusters
