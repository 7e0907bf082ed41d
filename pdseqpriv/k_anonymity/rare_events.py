"""What becomes of events that too few people have."""

from __future__ import annotations

from pdseqpriv.k_anonymity.kernels.common_events import keep_common_events
from pdseqpriv.sequences.variants import Ints, Variants
from pdseqpriv.taxonomy.labels import Labels


def without_rare_events(variants: Variants, labels: Labels, k: int) -> tuple[Variants, Ints, Ints]:
    """Replace events that fewer than k people have by a category that k people have, or leave them out.

    Return the distinct sequences that are left, the place of each variant among them, and how many people
    have each label. An event counts once in its element.
    """
    arrays = (variants.symbols, variants.offsets, variants.counts)
    kept = keep_common_events(*arrays, labels.above, labels.end, labels.kept > 0, k)
    return Variants(*kept[:4], *variants[4:]), kept[4], kept[5]
