"""What is released instead of each distinct sequence: the summary that partitions exchange, and the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from pdseqpriv.k_anonymity.distinct import (
    Distinct,
    Ints,
    Lists,
    distinct_of,
    joined,
    without_repeats,
)
from pdseqpriv.k_anonymity.prefix_tree import attach
from pdseqpriv.k_anonymity.subsequence import shorten
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.variants import Variants, merge_variants, symbols_of, variants_of

Method = Literal["subsequence", "prefix_tree"]


@dataclass(frozen=True)
class Summary:
    """The distinct sequences of a part with their counts, and what type its events have."""

    variants: Variants
    event_dtype: object


@dataclass(frozen=True)
class Plan:
    """What to release.

    Attributes
    ----------
    original : Distinct
        The distinct sequences of the table.
    released : Distinct
        The distinct sequences of the release, sorted, with how many people get each; never an empty one.
    target : int64 per original sequence
        Which released sequence replaces it; -1 when it is dropped.
    """

    original: Distinct
    released: Distinct
    target: Ints


def summarise(sequences: Sequences) -> Summary:
    """Summarise one part of a table."""
    return Summary(variants_of(sequences), sequences.dtypes.event)


def merge(first: Summary, second: Summary) -> Summary:
    """Add up two parts."""
    return Summary(merge_variants(first.variants, second.variants), first.event_dtype)


def make_plan(variants: Variants, k: int, method: Method, *, strict: bool) -> Plan:
    """Decide what is released instead of each distinct sequence."""
    original, _ = distinct_of(lists_of(variants), variants.counts)
    if method == "prefix_tree":
        instead = attach(original, k, strict=strict)
    else:
        instead = shorten(original, k, len(variants.vocabulary), strict=strict)
    released, target = distinct_of(instead, original.counts)
    if released.counts.size and released.lists.lengths[0] == 0:  # the empty sequence sorts first
        released = Distinct(
            released.lists.take(np.arange(1, released.counts.size)), released.counts[1:], released.shared[1:]
        )
        target = target - 1
    return Plan(original, released, target)


def lists_of(variants: Variants) -> Lists:
    """Give the sequences with each event of an element once."""
    return without_repeats(Lists(variants.symbols, variants.offsets))


def targets_of(plan: Plan, vocabulary: pd.Index, sequences: Sequences) -> Ints:
    """Give which released sequence replaces each sequence of a part; -1 when it is dropped.

    ``vocabulary`` is that of the plan; a part may lack some events and so number them otherwise.
    """
    symbols, offsets = symbols_of(sequences)
    new_code = vocabulary.get_indexer(sequences.vocabulary).astype(np.int64)
    part = without_repeats(Lists(2 * new_code[symbols // 2] + symbols % 2, offsets))
    both = joined([plan.original.lists, part])
    n_known = plan.target.size
    _, place = distinct_of(both, np.zeros(both.lengths.size, np.int64))
    target_at = np.full(both.lengths.size, -1, np.int64)
    target_at[place[:n_known]] = plan.target
    return target_at[place[n_known:]]
