"""The plan as tables: what is released, and the key that stays with the owner."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.engines.engine import Run
from pdseqpriv.k_anonymity.distinct import Distinct, Ints
from pdseqpriv.k_anonymity.plan import Plan, targets_of
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import decode
from pdseqpriv.sequences.sequences import Sequences


def release(released: Distinct, vocabulary: pd.Index, event_dtype: object, columns: Columns) -> pd.DataFrame:
    """Write the released sequences out, sorted by content; ids and times are positions."""
    everybody = np.repeat(np.arange(released.counts.size), released.counts)
    symbols, offsets = released.lists.take(everybody)
    owner = np.repeat(np.arange(everybody.size), np.diff(offsets))
    elements = np.cumsum(symbols % 2)
    time = elements - elements[offsets[:-1]][owner]
    event = decode((symbols // 2).astype(np.int32), vocabulary, event_dtype)
    return pd.DataFrame(dict(zip(columns.names, (owner, event, time), strict=True)))


class Owners(NamedTuple):
    """The ids of a part, sorted, which released sequence each gets, and the type that ids came in."""

    ids: pd.Index
    targets: Ints
    dtype: object


def find_owners(sequences: Sequences, plan: Plan, vocabulary: pd.Index) -> Owners:
    """Summarise one part: whose sequence becomes which."""
    return Owners(sequences.ids, targets_of(plan, vocabulary, sequences), sequences.dtypes.seq_id)


def merge_owners(first: Owners, second: Owners) -> Owners:
    """Put two parts together."""
    ids = first.ids.append(second.ids)
    order = np.asarray(ids.argsort())
    return Owners(ids[order], np.concatenate((first.targets, second.targets))[order], first.dtype)


def make_key(run: Run, plan: Plan, vocabulary: pd.Index) -> pd.DataFrame:
    """Say which released sequence is whose; those who share one are numbered by their own id."""
    owners = run.reduce(partial(find_owners, plan=plan, vocabulary=vocabulary), merge_owners)
    released_id = _number(owners.targets, plan.released.counts)
    places = np.arange(len(owners.ids), dtype=np.int32)
    key = {
        run.columns.seq_id: decode(places, owners.ids, owners.dtype),
        "released_id": pd.array(released_id, dtype="Int64"),
    }
    return pd.DataFrame(key)


def _number(target: Ints, counts: Ints) -> pd.Series:
    """Number the sequences with the same target one after the other; null where there is none."""
    first = np.append(np.cumsum(counts) - counts, 0)  # the last place answers for target -1
    rank = pd.Series(target).groupby(target).cumcount().to_numpy()
    return pd.Series(first[target] + rank, dtype="Int64").mask(target < 0)
