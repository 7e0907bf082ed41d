"""Turn the plan into tables: what is released, and the key that stays with the owner.

No number depends on what was hidden: groups are numbered by their released intervals and rows, and members of
a group by their released rows. Otherwise the order of the numbers would reveal something.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.generalization.kernels.content_order import ranks_of_lists
from pdseqpriv.generalization.plan import Plan
from pdseqpriv.generalization.request import TimeOf
from pdseqpriv.generalization.sorted_sequences import SortedSequences
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.kept_columns.trees import ValueTree, shown_columns
from pdseqpriv.sequences.columns import GROUP, RELEASED_ID
from pdseqpriv.sequences.encoding import decode
from pdseqpriv.sequences.ragged import Ints, places_of
from pdseqpriv.sequences.times import TICKS, decode_times

_FITS = 2**63  # what a number of 64 bits can tell apart


class _Rows(NamedTuple):
    sequence: Ints
    label: Ints
    first: Ints
    last: Ints


class Numbers(NamedTuple):
    """How sequences and groups are numbered in the release.

    Per sequence of the plan its number, -1 when it is dropped; per number its group.
    """

    of_sequence: Ints
    group_of: Ints


class Piece(NamedTuple):
    """What is needed for the rows of some released sequences, sorted by sequence and time.

    Their columns, with numbers for events, and a node in each tree of what is kept, per row; how many rows
    each sequence has.
    """

    columns: dict[Hashable, Any]
    shown: Ints
    sizes: Ints
    event: Hashable
    labels: pd.Index
    dtype: object
    trees: list[ValueTree]


def release(
    plan: Plan, summary: Summary, secret: int, trees: list[ValueTree], time: TimeOf
) -> tuple[Piece, Numbers]:
    """Lay out intervals of groups and rows of sequences; ``trees`` say what is kept besides."""
    numbers, group_of = _numbers(plan, secret)
    labels, label_of_node, label_of_code = _labels(plan)
    parts = (
        _interval_rows(plan, numbers, label_of_node),
        _other_rows(plan.sequences, numbers, label_of_code),
    )
    rows = _Rows(*(np.concatenate(pair) for pair in zip(*parts, strict=True)))
    clock, sizes = plan.sequences.clock, np.bincount(rows.sequence, minlength=group_of.size)
    order = _by_sequence_and_time(rows, group_of.size, clock.size, len(labels))
    rows = _Rows(*(values[order] for values in rows))
    times = _written_times(clock, rows, summary, time).array
    columns = {
        summary.columns.seq_id: rows.sequence,
        "group": group_of[rows.sequence],
        summary.columns.event: rows.label,
        "time_from": times.take(rows.first),
        "time_to": times.take(rows.last),
    }
    is_text = isinstance(summary.vocabulary[0], str) or isinstance(summary.dtypes.event, pd.CategoricalDtype)
    dtype = summary.dtypes.event if is_text else "str"
    shown = (
        _shown(plan, numbers, group_of.size)[rows.sequence] if trees else np.zeros((order.size, 0), np.int64)
    )
    piece = Piece(columns, shown, sizes, summary.columns.event, labels, dtype, trees)
    return piece, Numbers(numbers, group_of)


def _by_sequence_and_time(rows: _Rows, n_sequences: int, n_times: int, n_labels: int) -> Ints:
    """Return the order of rows by sequence, beginning, end and label; no two rows that differ are equal."""
    begins, ends = rows.sequence * n_times + rows.first, rows.last * n_labels + rows.label
    if n_sequences * n_times * n_times * n_labels < _FITS:  # one sort of one number is faster
        return np.argsort(begins * (n_times * n_labels) + ends)
    return np.lexsort((ends, begins))


def _written_times(clock: NDArray[Any], rows: _Rows, summary: Summary, time: TimeOf) -> pd.Series:
    """Write times in the original type; seconds, if they are counted since the start and were datetimes.

    Only what the rows show decides on the type: it must not tell of times that are not released.
    """
    dtype, shown = summary.dtypes.time, (rows.first, rows.last)
    if time == "real" or (summary.time_unit is None and all(_holds(dtype, clock[ends]) for ends in shown)):
        return decode_times(clock, dtype)
    ticks = 1 if summary.time_unit is None else TICKS[summary.time_unit]
    return pd.Series(clock if ticks == 1 else clock / ticks)


def _holds(dtype: Any, clock: NDArray[Any]) -> bool:  # noqa: ANN401 (a dtype)
    """Return whether a type has all times as they are: differences of its numbers may not fit into it."""
    with np.errstate(over="ignore"):
        return bool((clock.astype(getattr(dtype, "numpy_dtype", dtype)) == clock).all())


def _shown(plan: Plan, numbers: Ints, n_released: int) -> Ints:
    """Return what is shown of each released sequence, a node in each tree."""
    shown = np.empty((n_released, plan.shown.shape[1]), np.int64)
    shown[numbers[numbers >= 0]] = plan.shown[numbers >= 0]
    return shown


def cut_rows(whole: Piece, first: int, last: int) -> Piece:
    """Take what is needed for the rows of some released sequences."""
    begin, end = int(whole.sizes[:first].sum()), int(whole.sizes[:last].sum())
    columns = {name: column[begin:end] for name, column in whole.columns.items()}
    return whole._replace(columns=columns, shown=whole.shown[begin:end], sizes=whole.sizes[first:last])


def rows_as_frame(piece: Piece) -> pd.DataFrame:
    """Write rows out; columns that are kept follow."""
    events = _events(piece.columns[piece.event], piece.labels, piece.dtype)
    kept = shown_columns(piece.trees, piece.shown) if piece.trees else {}
    # Nobody else has these arrays.
    return pd.DataFrame({**piece.columns, piece.event: events, **kept}, copy=False)


def make_key(plan: Plan, numbers: Numbers, summary: Summary) -> pd.DataFrame:
    """Return which released sequence belongs to whom, and which group it is in."""
    released = np.empty(numbers.of_sequence.size, np.int64)
    released[plan.sequences.ids] = numbers.of_sequence
    order = np.asarray(summary.ids.argsort())
    places = np.arange(order.size, dtype=np.int32)
    released_id = released[order]
    group = np.append(numbers.group_of, -1)[released_id]  # the last entry is for those who are dropped
    key = {
        summary.columns.seq_id: decode(places, summary.ids[order], summary.dtypes.seq_id),
        **_people(summary, order),
        RELEASED_ID: pd.Series(released_id, dtype="Int64").mask(released_id < 0),
        GROUP: pd.Series(group, dtype="Int64").mask(group < 0),
    }
    return pd.DataFrame(key)


def _people(summary: Summary, order: Ints) -> dict[Hashable, pd.Index]:
    """Return the person of each sequence under the name of the person's column, if there is one."""
    if summary.people is None or summary.person_ids is None:
        return {}
    return {summary.columns.person: summary.person_ids[summary.people[order]]}


def _numbers(plan: Plan, secret: int) -> Numbers:
    """Number groups and sequences by what is released; those that look the same are in random order."""
    sequences, n = plan.sequences, plan.group.size
    others = np.flatnonzero(~sequences.monitored)
    codes = sequences.codes[others]
    symbols = sequences.moments[others] * (int(sequences.codes.max(initial=0)) + 1) + codes
    ranks = ranks_of_lists(symbols, np.bincount(sequences.owners[others], minlength=n))
    group = np.where(plan.group < 0, -1, _group_numbers(plan, ranks)[plan.group])
    kept = np.flatnonzero(group >= 0)
    # In the order of their content, people who look the same would be numbered by their hidden times.
    chance = np.random.default_rng(secret).permutation(n)
    order = kept[np.lexsort((chance[kept], ranks[kept], group[kept]))]
    numbers = np.full(n, -1, np.int64)
    numbers[order] = np.arange(order.size)
    return Numbers(numbers, group[order])


def _group_numbers(plan: Plan, ranks: Ints) -> Ints:
    """Sort groups by their intervals, then by the ranks of their members, then by what is shown besides.

    Those without intervals come last.
    """
    kept = np.flatnonzero(plan.group >= 0)
    members = kept[np.lexsort((ranks[kept], plan.group[kept]))]
    owners, node, first, last = plan.intervals
    order = np.lexsort((node, last, first))
    sorted_rows = np.stack([first, last, node])[:, order]
    is_new = np.ones(order.size, bool)
    is_new[1:] = (sorted_rows[:, 1:] != sorted_rows[:, :-1]).any(axis=0)
    symbol = np.empty(order.size, np.int64)
    symbol[order] = np.cumsum(is_new) - 1
    labels = np.zeros(kept.size, np.int64)
    if plan.shown.shape[1]:
        labels = np.unique(plan.shown[kept], axis=0, return_inverse=True)[1].reshape(-1)
    owners = np.concatenate((owners, plan.group[members], plan.group[kept]))
    symbols = np.concatenate((symbol, order.size + ranks[members], order.size + labels))
    in_groups = np.argsort(owners, kind="stable")
    places = np.argsort(ranks_of_lists(symbols[in_groups], np.bincount(owners)), kind="stable")
    numbers = np.empty(places.size, np.int64)
    numbers[places] = np.arange(places.size)
    return numbers


def _interval_rows(plan: Plan, numbers: Ints, label_of_node: Ints) -> _Rows:
    """Repeat the intervals of each group for all its members."""
    offsets = np.searchsorted(plan.intervals.group, np.arange(int(plan.group.max()) + 2))
    kept = np.flatnonzero(plan.group >= 0)
    intervals = places_of(offsets, plan.group[kept])
    return _Rows(
        np.repeat(numbers[kept], np.diff(offsets)[plan.group[kept]]),
        label_of_node[plan.intervals.node[intervals]],
        plan.intervals.first[intervals],
        plan.intervals.last[intervals],
    )


def _other_rows(sequences: SortedSequences, numbers: Ints, label_of_code: Ints) -> _Rows:
    """Take the rows that are not monitored as they are."""
    number = numbers[sequences.owners]
    rows = np.flatnonzero(~sequences.monitored & (number >= 0))
    moments = sequences.moments[rows]
    return _Rows(number[rows], label_of_code[sequences.codes[rows]], moments, moments)


def _labels(plan: Plan) -> tuple[pd.Index, Ints, Ints]:
    """Return all labels, sorted, and the label of each place in the taxonomy and of each event."""
    used, names = np.unique(plan.intervals.node), plan.events.taxonomy.names
    labels = names[used].append(plan.events.names).unique().sort_values()
    label_of_node = np.full(names.size, -1, np.int64)
    label_of_node[used] = labels.get_indexer(names[used])
    return labels, label_of_node, np.asarray(labels.get_indexer(plan.events.names), dtype=np.int64)


def _events(label: Ints, labels: pd.Index, dtype: object) -> pd.Series:
    """Write labels in the original type of the events; numbers become text, with or without categories."""
    is_used = np.bincount(label, minlength=len(labels)) > 0
    places, names = (np.cumsum(is_used, dtype=np.int32) - np.int32(1))[label], labels[is_used]
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Series(pd.Categorical.from_codes(places, names))
    return decode(places, names, dtype)
