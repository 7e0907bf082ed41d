"""The plan as tables: what is released, and the key that stays with the owner.

Nothing here looks at what was hidden: groups are numbered by the intervals and rows that are released, and
members of a group by the rows that are released of them. Otherwise an order would tell what a number hides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.generalization.content import Content, ranks_of_lists
from pdseqpriv.generalization.people import Ints
from pdseqpriv.generalization.plan import Plan
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import decode
from pdseqpriv.sequences.events import text_of_names
from pdseqpriv.sequences.times import decode_times
from pdseqpriv.taxonomy.taxonomy import Taxonomy


class Numbers(NamedTuple):
    """Per sequence: its number and the number of its group in the release, -1 when it is dropped."""

    sequence: Ints
    group: Ints


class _Rows(NamedTuple):
    sequence: Ints
    label: Ints
    first: Ints
    last: Ints


def number(plan: Plan, seed: int) -> Numbers:
    """Number groups and sequences by what is released of them; who is released alike comes in any order."""
    content, n = plan.content, plan.content.n_sequences
    others = ~content.monitored
    symbols = content.moments[others] * (int(content.codes.max(initial=0)) + 1) + content.codes[others]
    lengths = np.bincount(content.owners[others], minlength=n)
    ranks = ranks_of_lists(symbols, np.concatenate(([0], np.cumsum(lengths))))
    group = np.where(plan.group < 0, -1, _group_numbers(plan, ranks)[plan.group])
    kept = np.flatnonzero(group >= 0)
    # By content, numbers of people who are released alike would follow their hidden times.
    chance = np.random.default_rng(seed).permutation(n)
    order = kept[np.lexsort((chance[kept], ranks[kept], group[kept]))]
    sequence = np.full(n, -1, np.int64)
    sequence[order] = np.arange(order.size)
    return Numbers(sequence, group)


def release(
    plan: Plan, numbers: Numbers, summary: Summary, taxonomy: Taxonomy, columns: Columns
) -> pd.DataFrame:
    """Write out intervals of groups and rows of sequences, sorted by sequence and time."""
    labels, label_of_node, label_of_code = _labels(plan, summary, taxonomy)
    parts = (_interval_rows(plan, numbers, label_of_node), _own_rows(plan.content, numbers, label_of_code))
    rows = _Rows(*(np.concatenate(pair) for pair in zip(*parts, strict=True)))
    clock = plan.content.clock
    order = np.lexsort((rows.label, rows.last, rows.sequence * max(1, clock.size) + rows.first))
    rows = _Rows(*(values[order] for values in rows))
    group_of = np.empty(int(numbers.sequence.max(initial=-1)) + 1, np.int64)
    kept = numbers.sequence >= 0
    group_of[numbers.sequence[kept]] = numbers.group[kept]
    return pd.DataFrame(
        {
            columns.seq_id: rows.sequence,
            "group": group_of[rows.sequence],
            columns.event: _events(rows.label, labels, summary),
            "time_from": decode_times(clock[rows.first], summary.dtypes.time),
            "time_to": decode_times(clock[rows.last], summary.dtypes.time),
        }
    )


def make_key(plan: Plan, numbers: Numbers, summary: Summary, columns: Columns) -> pd.DataFrame:
    """Say which released sequence is whose."""
    released = np.empty(numbers.sequence.size, np.int64)
    released[plan.content.ids] = numbers.sequence
    order = np.asarray(summary.ids.argsort())
    places = np.arange(order.size, dtype=np.int32)
    released_id = pd.Series(released[order], dtype="Int64")
    key = {
        columns.seq_id: decode(places, summary.ids[order], summary.dtypes.seq_id),
        "released_id": released_id.mask(released_id < 0),
    }
    return pd.DataFrame(key)


def _group_numbers(plan: Plan, ranks: Ints) -> Ints:
    """Sort groups by their intervals, then by the ranks of their members; those without intervals last."""
    kept = np.flatnonzero(plan.group >= 0)
    members = kept[np.lexsort((ranks[kept], plan.group[kept]))]
    n_intervals = plan.interval_group.size
    order = np.lexsort((plan.interval_node, plan.interval_last, plan.interval_first))
    sorted_rows = np.stack([plan.interval_first, plan.interval_last, plan.interval_node])[:, order]
    is_new = np.ones(n_intervals, bool)
    is_new[1:] = (sorted_rows[:, 1:] != sorted_rows[:, :-1]).any(axis=0)
    symbol = np.empty(n_intervals, np.int64)
    symbol[order] = np.cumsum(is_new) - 1
    owners = np.concatenate((plan.interval_group, plan.group[members]))
    symbols = np.concatenate((symbol, n_intervals + ranks[members]))
    in_groups = np.argsort(owners, kind="stable")
    lengths = np.bincount(owners)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    places = np.argsort(ranks_of_lists(symbols[in_groups], offsets), kind="stable")
    numbers = np.empty(lengths.size, np.int64)
    numbers[places] = np.arange(lengths.size)
    return numbers


def _interval_rows(plan: Plan, numbers: Numbers, label_of_node: Ints) -> _Rows:
    """Repeat the intervals of each group for all its members."""
    n_intervals = np.bincount(plan.interval_group, minlength=int(plan.group.max(initial=0)) + 1)
    start = np.cumsum(n_intervals) - n_intervals
    kept = np.flatnonzero(plan.group >= 0)
    many = n_intervals[plan.group[kept]]
    ends = np.cumsum(many)
    inside = np.arange(int(many.sum())) - np.repeat(ends - many, many)
    intervals = np.repeat(start[plan.group[kept]], many) + inside
    return _Rows(
        np.repeat(numbers.sequence[kept], many),
        label_of_node[plan.interval_node[intervals]],
        plan.interval_first[intervals],
        plan.interval_last[intervals],
    )


def _own_rows(content: Content, numbers: Numbers, label_of_code: Ints) -> _Rows:
    """Take the rows that are not monitored as they are."""
    sequence = numbers.sequence[content.owners]
    rows = np.flatnonzero(~content.monitored & (sequence >= 0))
    moments = content.moments[rows]
    return _Rows(sequence[rows], label_of_code[content.codes[rows]], moments, moments)


def _labels(plan: Plan, summary: Summary, taxonomy: Taxonomy) -> tuple[pd.Index, Ints, Ints]:
    """Give all labels, sorted, and the label of each place in the taxonomy and of each event."""
    used = np.unique(plan.interval_node)
    events = text_of_names(summary.vocabulary, "event")
    labels = taxonomy.names[used].append(events).unique().sort_values()
    label_of_node = np.full(len(taxonomy), -1, np.int64)
    label_of_node[used] = labels.get_indexer(taxonomy.names[used])
    return labels, label_of_node, np.asarray(labels.get_indexer(events), dtype=np.int64)


def _events(label: Ints, labels: pd.Index, summary: Summary) -> pd.Series:
    """Write labels in the type that events came in; numbers become text, with or without categories."""
    used, places = np.unique(label, return_inverse=True)
    names = labels[used]
    dtype = summary.dtypes.event
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Series(pd.Categorical.from_codes(places.astype(np.int32), names))
    is_text = isinstance(summary.vocabulary[0], str)
    return decode(places.astype(np.int32), names, dtype if is_text else "str")
