"""What is released instead of each distinct sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pdseqpriv.k_anonymity.prefix_tree import attach
from pdseqpriv.k_anonymity.subsequence import shorten
from pdseqpriv.sequences.variants import Ints, Variants

Method = Literal["subsequence", "prefix_tree"]


@dataclass(frozen=True)
class Plan:
    """What to release.

    Attributes
    ----------
    original : Variants
        The distinct sequences of the table.
    released : Variants
        The distinct sequences of the release, with how many people get each; never an empty one.
    target : int64 per original sequence
        Which released sequence replaces it; -1 when it is dropped.
    """

    original: Variants
    released: Variants
    target: Ints


def make_plan(variants: Variants, k: int, method: Method, *, strict: bool) -> Plan:
    """Decide what is released instead of each distinct sequence."""
    replace = attach if method == "prefix_tree" else shorten
    released, target = replace(variants, k, strict=strict)
    if released.offsets.size > 1 and released.offsets[1] == 0:  # the empty sequence sorts first
        offsets, counts, shared = (column[1:] for column in released[1:4])
        released = released._replace(offsets=offsets, counts=counts, shared=shared)
        target = target - 1
    return Plan(variants, released, target)
