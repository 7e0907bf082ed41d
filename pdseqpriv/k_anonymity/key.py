"""The key, which says which released sequence belongs to whom and stays with the data owner."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.engines.engine import Run
from pdseqpriv.k_anonymity.plan import Plan
from pdseqpriv.sequences.encoding import decode
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.variants import Ints, find_variants

RELEASED_ID = "released_id"


class Owners(NamedTuple):
    """The ids of a part, sorted, which released sequence each gets, and the original type of the ids."""

    ids: pd.Index
    targets: Ints
    dtype: object


def make_key(run: Run, plan: Plan, seed: int) -> pd.DataFrame:
    """Return which released sequence belongs to whom; equal sequences are assigned at random."""
    owners = run.reduce(partial(find_owners, plan=plan), merge_owners)
    places = np.arange(len(owners.ids), dtype=np.int32)
    released_id = _number(owners.targets, plan.released.counts, seed)
    ids = decode(places, owners.ids, owners.dtype)
    return pd.DataFrame({run.columns.seq_id: ids, RELEASED_ID: pd.array(released_id, dtype="Int64")})


def find_owners(sequences: Sequences, plan: Plan) -> Owners:
    """Summarise one part: which released sequence each original one becomes."""
    targets = plan.target[find_variants(sequences, plan.original)]
    return Owners(sequences.ids, targets, sequences.dtypes.seq_id)


def merge_owners(first: Owners, second: Owners) -> Owners:
    """Combine two parts."""
    ids = first.ids.append(second.ids)
    order = np.asarray(ids.argsort())
    return Owners(ids[order], np.concatenate((first.targets, second.targets))[order], first.dtype)


def _number(target: Ints, counts: Ints, seed: int) -> pd.Series:
    """Number the sequences with the same target in random order; null if there is no target."""
    first = np.append(np.cumsum(counts) - counts, 0)  # the last entry is for target -1
    drawn = np.random.default_rng(seed).permutation(target.size)
    order = drawn[np.argsort(target[drawn], kind="stable")]
    begins = np.searchsorted(target[order], target[order])
    rank = np.empty(target.size, np.int64)
    rank[order] = np.arange(target.size) - begins
    return pd.Series(first[target] + rank, dtype="Int64").mask(target < 0)
