"""What is released instead of each distinct sequence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pdseqpriv.k_anonymity.cells import in_torn_cells, with_cells, without_cells
from pdseqpriv.k_anonymity.identical import make_equal
from pdseqpriv.k_anonymity.prefix_tree import attach_to_paths
from pdseqpriv.k_anonymity.subsequence import shorten
from pdseqpriv.k_anonymity.walks import Spread
from pdseqpriv.parameters import Guarantee
from pdseqpriv.sequences.ragged import Flags, Ints
from pdseqpriv.sequences.variants import Variants, variants_of_lists
from pdseqpriv.taxonomy.labels import find_labels, relabel
from pdseqpriv.taxonomy.taxonomy import Taxonomy
from pdseqpriv.threads import on_all_cores

Method = Literal["subsequence", "prefix_tree"]


@dataclass(frozen=True)
class Plan:
    """What to release.

    Attributes
    ----------
    original : Variants
        The distinct sequences of the table.
    released : Variants
        The distinct sequences of the release, with how often each is there; never an empty one.
    target : int64 per original sequence
        Which released sequence replaces it; -1 when it is dropped.
    """

    original: Variants
    released: Variants
    target: Ints


def make_plan(
    variants: Variants,
    k: int,
    method: Method,
    guarantee: Guarantee,
    taxonomy: Taxonomy | None,
    *,
    spread: Spread = on_all_cores,
) -> Plan:
    """Decide what is released instead of each distinct sequence; cells are for the identical only."""
    labels, label_of = find_labels(variants.vocabulary, taxonomy)
    if variants.n_cells:
        labels, label_of = with_cells(labels, label_of, variants.n_cells)
    written, place = variants, np.arange(variants.counts.size)
    if taxonomy is not None:
        written, place = relabel(variants, labels, label_of)
    if method == "prefix_tree":
        released, target = attach_to_paths(written, k, labels, guarantee)
    elif guarantee == "identical":
        released, target = make_equal(written, k, labels)
    else:
        released, target = shorten(written, k, labels, mutual=guarantee == "mutual", spread=spread)
    if variants.n_cells:
        released, target = without_cells(released, target, variants.n_cells)
    return Plan(variants, *_without_empty(released, target[place]))


def without_torn_cells(plan: Plan, k: int, were_released: Flags) -> Plan:
    """Drop whole cells where those who are dropped would be too few."""
    torn = in_torn_cells(plan.original, plan.target, k, were_released)
    if not torn.any():
        return plan
    left = np.flatnonzero((plan.target >= 0) & ~torn)
    used, place = np.unique(plan.target[left], return_inverse=True)
    counts = np.bincount(place, plan.original.counts[left], used.size).astype(np.int64)
    target = np.full(plan.target.size, -1)
    target[left] = place
    names = (plan.released.vocabulary, plan.released.event_dtype)
    released, _ = variants_of_lists(plan.released.lists.take(used), counts, *names)
    return replace(plan, released=released, target=target)


def _without_empty(released: Variants, target: Ints) -> tuple[Variants, Ints]:
    """Leave the empty sequence out, which sorts first: those who would get it are dropped."""
    if released.offsets.size == 1 or released.offsets[1] > 0:
        return released, target
    offsets, counts, shared = (column[1:] for column in released[1:4])
    return released._replace(offsets=offsets, counts=counts, shared=shared), target - 1
