"""The key, which says which released sequence belongs to whom and stays with the data owner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.errors import refusal
from pdseqpriv.k_anonymity.plan import Plan
from pdseqpriv.sequences.columns import GROUP, RELEASED_ID, Columns
from pdseqpriv.sequences.encoding import decode, in_order, one_after_the_other
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.variants import Cells, find_variants

# What is known of all sequences is there several times while the key is made.
COPIES_OF_OWNERS = 4


class SequenceOwners(NamedTuple):
    """What is known of each sequence of a part, sorted by id, and the original type of the ids.

    Its variant, which released sequence it gets, and the id of its person; None if each sequence is a person
    of its own.
    """

    ids: pd.Index
    variants: Ints
    targets: Ints
    dtype: object
    people: pd.Index | None = None


def check_key_names(columns: Columns) -> None:
    """Raise if a column of the key would have the name of another one."""
    for role, name in (("id", columns.seq_id), ("person's", columns.person)):
        if name in (RELEASED_ID, GROUP):
            raise refusal(f"the key needs the column name {name!r}. Rename the {role} column.")


def make_key(
    owners: SequenceOwners, counts: Ints, columns: Columns, seed: int, *, with_groups: bool
) -> pd.DataFrame:
    """Return which released sequence belongs to whom; equal sequences are assigned at random.

    ``counts`` tells how often each is there. With groups the key also says which of them are equal.
    """
    places = np.arange(len(owners.ids), dtype=np.int32)
    key = pd.DataFrame({columns.seq_id: decode(places, owners.ids, owners.dtype)})
    if owners.people is not None:
        key[columns.person] = owners.people
    key[RELEASED_ID] = pd.array(_number(owners.targets, counts, seed), dtype="Int64")
    if with_groups:
        key[GROUP] = pd.Series(owners.targets, dtype="Int64").mask(owners.targets < 0)
    return key


def find_owners(sequences: Sequences, plan: Plan, cells: Cells | None = None) -> SequenceOwners:
    """Summarise one part: which released sequence each original one becomes."""
    variants = find_variants(sequences, plan.original, cells)
    people = None if sequences.person_ids is None else sequences.person_ids[sequences.people]
    return SequenceOwners(sequences.ids, variants, plan.target[variants], sequences.dtypes.seq_id, people)


def merge_owners(first: SequenceOwners, second: SequenceOwners) -> SequenceOwners:
    """Combine two parts."""
    ids, order = in_order(first.ids, second.ids)
    people = None
    if first.people is not None and second.people is not None:
        people = one_after_the_other(first.people, second.people)[order]
    variants = np.concatenate((first.variants, second.variants))[order]
    targets = np.concatenate((first.targets, second.targets))[order]
    return SequenceOwners(ids, variants, targets, first.dtype, people)


def _number(target: Ints, counts: Ints, seed: int) -> pd.Series:
    """Number the sequences with the same target in random order; null if there is no target."""
    first = np.append(np.cumsum(counts) - counts, 0)  # the last entry is for target -1
    drawn = np.random.default_rng(seed).permutation(target.size)
    order = drawn[np.argsort(target[drawn], kind="stable")]
    begins = np.searchsorted(target[order], target[order])
    rank = np.empty(target.size, np.int64)
    rank[order] = np.arange(target.size) - begins
    return pd.Series(first[target] + rank, dtype="Int64").mask(target < 0)
