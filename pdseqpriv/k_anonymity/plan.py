"""What is released instead of each distinct sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pdseqpriv.k_anonymity.cells import with_cells, without_cells
from pdseqpriv.k_anonymity.identical import make_equal
from pdseqpriv.k_anonymity.prefix_tree import attach
from pdseqpriv.k_anonymity.subsequence import shorten
from pdseqpriv.parameters import Guarantee
from pdseqpriv.sequences.variants import Ints, Variants
from pdseqpriv.taxonomy.labels import find_labels, relabel
from pdseqpriv.taxonomy.taxonomy import Taxonomy

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
    variants: Variants, k: int, method: Method, guarantee: Guarantee, taxonomy: Taxonomy | None
) -> Plan:
    """Decide what is released instead of each distinct sequence; cells are for the identical only."""
    labels, label_of = find_labels(variants.vocabulary, taxonomy)
    if variants.n_cells:
        labels, label_of = with_cells(labels, label_of, variants.n_cells)
    written, place = variants, np.arange(variants.counts.size)
    if taxonomy is not None:
        written, place = relabel(variants, labels, label_of)
    if method == "prefix_tree":
        released, target = attach(written, k, labels, guarantee)
    elif guarantee == "identical":
        released, target = make_equal(written, k, labels)
    else:
        released, target = shorten(written, k, labels, mutual=guarantee == "mutual")
    if variants.n_cells:
        released, target = without_cells(released, target, variants.n_cells)
    return Plan(variants, *_without_empty(released, target[place]))


def _without_empty(released: Variants, target: Ints) -> tuple[Variants, Ints]:
    """Leave the empty sequence out, which sorts first: those who would get it are dropped."""
    if released.offsets.size == 1 or released.offsets[1] > 0:
        return released, target
    offsets, counts, shared = (column[1:] for column in released[1:4])
    return released._replace(offsets=offsets, counts=counts, shared=shared), target - 1
