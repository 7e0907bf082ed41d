"""What becomes of events that too few people have, and who the people are."""

from __future__ import annotations

import numpy as np

from pdseqpriv.k_anonymity.kernels.common_events import keep_common_events
from pdseqpriv.k_anonymity.kernels.different_people import NO_PEOPLE, DifferentPeople
from pdseqpriv.sequences.ragged import Ints, Ragged
from pdseqpriv.sequences.variants import Variants
from pdseqpriv.taxonomy.labels import Labels


def without_rare_events(variants: Variants, labels: Labels, k: int) -> tuple[Variants, Ints, Ints]:
    """Replace events that fewer than k people have by a category that k people have, or leave them out.

    Return the distinct sequences that are left, the place of each variant among them, and how many people
    have each label. An event counts once in its element.
    """
    arrays = (variants.symbols, variants.offsets, variants.counts, different_people_of(variants.people))
    kept = keep_common_events(*arrays, labels.above, labels.end, labels.kept > 0, k)
    left = Variants(*kept[:4], variants.vocabulary, variants.event_dtype)
    if variants.people is not None:
        left = left._replace(people=variants.people.together(kept[4], kept[2].size))
    return left, kept[4], kept[5]


def different_people_of(people: Ragged | None) -> DifferentPeople:
    """Return the people of each sequence as kernels count them; None if each is a person of its own."""
    if people is None:
        return NO_PEOPLE
    return DifferentPeople(people.values, people.offsets, np.zeros(people.bound + 1, np.int64))
