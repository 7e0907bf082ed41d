"""Read an original and its generalized release into rows that can be compared."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.engines.engine import ORIGINAL, RELEASED, BoundTable, Table, bind, collected, read
from pdseqpriv.errors import (
    SeqPrivError,
    counted,
    in_our_words,
    listed,
    refusal,
    said_of,
    warn,
    wrong_parameter,
)
from pdseqpriv.generalization.category_tree import UNKNOWN, CategoryTree, category_tree
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.columns import GROUP, INTERVAL, RELEASED_ID, Columns
from pdseqpriv.sequences.differences import times_since
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.ragged import Flags, Ints, distinct
from pdseqpriv.sequences.record import claims_of, warn_if_swapped
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.times import Times, decode_times, encode_times, ticks_of_seconds
from pdseqpriv.taxonomy.taxonomy import Taxonomy

NOBODY = -1


@dataclass(frozen=True)
class OriginalAndRelease:
    """Both tables, with people, events and times numbered in the same way.

    Attributes
    ----------
    original : DataFrame
        ``person`` (position among the ids), ``node``, ``time`` and ``monitored`` per unmarked row.
    released : DataFrame
        ``sequence`` (position among the released ids), ``group``, ``node``, ``start``, ``end`` and
        ``interval`` (whether the row stands for monitored events) per row.
    ids : Index
        The ids of the original, sorted.
    released_ids, group_names : Index
        The ids and the groups of the release, sorted.
    vocabulary : Index
        The events of the original.
    tree : CategoryTree
        What the nodes are, and which is below which.
    is_monitored : bool per node
        Whether it is a monitored event.
    clock : Clock
        The unit of the times.
    columns : Columns
        The names of the original's columns.
    people : int64 per id of the original, or None
        Number of the person in ``person_ids``. None if each sequence is a person of its own.
    person_ids : Index or None
        The ids of the people.
    """

    original: pd.DataFrame
    released: pd.DataFrame
    ids: pd.Index
    released_ids: pd.Index
    group_names: pd.Index
    vocabulary: pd.Index
    tree: CategoryTree
    is_monitored: Flags
    clock: Clock
    columns: Columns
    people: Ints | None
    person_ids: pd.Index | None

    @property
    def span(self) -> float:
        """Latest minus earliest time of the original."""
        times = self.original["time"]
        return float(times.max()) - float(times.min()) if len(times) else 0.0

    @property
    def group_of(self) -> pd.Series:
        """The group of each released sequence; the first if there are several."""
        return self.released.groupby("sequence")["group"].first()


def read_original_and_release(
    original: Table,
    released: Table,
    taxonomy: Taxonomy | None,
    monitored: pd.Index | None,
    *,
    since_start: bool | None = None,
) -> OriginalAndRelease:
    """Number people, events and times the same way in both tables; ``monitored`` None means every event.

    ``since_start`` says that the times of the release are counted from the first event of each sequence; if
    it is None, the record of the release says so.
    """
    sequences = read(original, ORIGINAL)
    tree = category_tree(sequences.vocabulary, taxonomy)
    is_monitored = _monitored_nodes(tree, sequences.vocabulary, monitored)
    shown = _read_release(released, sequences.columns)
    warn_if_swapped(bind(original).frame, bind(released).frame)
    is_since = _says_since_start(released) if since_start is None else since_start
    own_times = decode_times(sequences.times, sequences.dtypes.time)
    times = _times_since_start(own_times, sequences, shown) if is_since else _common_times(own_times, shown)
    time, start, end, clock = times
    return OriginalAndRelease(
        _original_rows(sequences, time, tree, is_monitored),
        _released_rows(shown, (start, end), tree, is_monitored),
        sequences.ids,
        pd.Index(shown["seq_id"].unique()).sort_values(),
        pd.Index(shown["group"].unique()).sort_values(),
        sequences.vocabulary,
        tree,
        is_monitored,
        clock,
        sequences.columns,
        sequences.people,
        sequences.person_ids,
    )


def _read_release(released: Table, columns: Columns) -> pd.DataFrame:
    """Check a generalized table, which has the column names of the original or its own."""
    from pdseqpriv.schemas import validate

    try:
        after = bind(collected(released))
        names = after.columns if isinstance(released, BoundTable) else columns
        wanted = {names.seq_id, names.event, *INTERVAL}  # what is kept of people is not compared here
        shown = after.frame.loc[:, [name in wanted for name in after.frame.columns]]
        shown = shown.rename(columns={names.seq_id: "seq_id", names.event: "event"})
        validate(shown, "generalized")
    except SeqPrivError as error:
        raise said_of(RELEASED, error) from None
    return shown


def _common_times(time: pd.Series, shown: pd.DataFrame) -> tuple[Times, Times, Times, Clock]:
    """Put all times onto one scale; files may have changed the unit of datetimes."""
    columns = [time, shown["time_from"], shown["time_to"]]
    filled = [column for column in columns if len(column)] or columns
    if len({column.dtype.kind == "M" for column in filled}) > 1:
        raise refusal("the times of one table are datetimes and those of the other are numbers.")
    together = pd.concat(filled, ignore_index=True).rename("time")
    numbers, unit = encode_times(together)
    first, second = np.cumsum([len(column) for column in columns[:2]])
    return numbers[:first], numbers[first:second], numbers[second:], Clock(unit, numbers.dtype)


def _says_since_start(released: Table) -> bool:
    steps = claims_of(bind(released).frame)["applied"]
    told = [step["parameters"].get("time") for step in steps if step["operation"] == "generalize"]
    return bool(told) and told[-1] == "since_start"


def _times_since_start(
    time: pd.Series, sequences: Sequences, shown: pd.DataFrame
) -> tuple[Times, Times, Times, Clock]:
    """Count the times of the original from the first row of each sequence that is not marked.

    Datetimes are counted in their own unit, and what a release tells in seconds is put into that.
    """
    numbers, unit = encode_times(time)
    owner, is_there = sequences.owners, sequences.codes >= 0
    first = pd.Series(numbers[is_there]).groupby(owner[is_there]).min()
    since: Times = numbers.copy()
    began: Times = first.loc[owner[is_there]].to_numpy()
    since[is_there] = times_since(numbers[is_there], began, time.dtype)
    start, end = (encode_times(shown[name]) for name in ("time_from", "time_to"))
    if start.unit is not None or end.unit is not None:
        raise refusal("the times of the release are datetimes, so they do not count from the start.")
    if unit is None:
        return since, start[0], end[0], Clock(None, numbers.dtype)
    own = distinct(since[is_there])
    ticks = [ticks_of_seconds(one.numbers, unit, own) for one in (start, end)]
    return since, ticks[0], ticks[1], Clock(unit, numbers.dtype)


def _monitored_nodes(tree: CategoryTree, vocabulary: pd.Index, monitored: pd.Index | None) -> Flags:
    chosen = tree.is_leaf if monitored is None else nodes_named(tree, vocabulary, monitored, "monitored")
    occurring = tree.find(vocabulary)
    missing = int(chosen[occurring[occurring >= tree.n_inside]].sum())
    if missing:
        are = "is" if missing == 1 else "are"
        raise refusal(f"{counted(missing, 'monitored event')} of the original {are} not in the taxonomy.")
    return chosen


def nodes_named(tree: CategoryTree, vocabulary: pd.Index, events: pd.Index, parameter: str) -> Flags:
    """Return, for each node, whether it is one of the named events, of the table or else of the taxonomy.

    Raises if none of the names is an event, and warns if some are not: they may be misspelt.
    """
    in_table, in_tree = find_events(events, vocabulary), find_events(events, tree.names)
    nodes = np.where(in_table < 0, in_tree, np.append(tree.find(vocabulary), UNKNOWN)[in_table])
    is_event = (nodes >= 0) & tree.is_leaf[nodes]
    nodes, typed = nodes[is_event], listed(events[~is_event])
    missing = len(events) - nodes.size
    if len(events) and not nodes.size:
        must = "a list of events that occur in the original or its taxonomy"
        came = "1 name, which does not" if missing == 1 else f"{missing} names, none of which does"
        raise wrong_parameter(parameter, must, f"{came} ({typed})")
    if missing:
        are = "is not an event" if missing == 1 else "are not events"
        what = f"{are} of the original or its taxonomy"
        warn(f"{missing} of {len(events)} names in {parameter} {what} ({typed}).")
    chosen = np.zeros(len(tree.names), bool)
    chosen[nodes] = True
    return chosen


def _original_rows(
    sequences: Sequences, times: Times, tree: CategoryTree, is_monitored: Flags
) -> pd.DataFrame:
    unmarked = sequences.codes >= 0
    node = tree.find(sequences.vocabulary)[sequences.codes[unmarked]]
    person = sequences.owners[unmarked]
    time = times[unmarked]
    return pd.DataFrame({"person": person, "node": node, "time": time, "monitored": is_monitored[node]})


def _released_rows(
    shown: pd.DataFrame, times: tuple[Times, Times], tree: CategoryTree, is_monitored: Flags
) -> pd.DataFrame:
    codes, labels = pd.factorize(shown["event"])
    node = np.append(tree.find(pd.Index(labels)), UNKNOWN)[codes]
    # A leaf that is not monitored stands for itself; anything else stands for monitored events.
    own = tree.is_leaf[node] & ~is_monitored[node] & (node != UNKNOWN)
    return pd.DataFrame(
        {
            "sequence": pd.factorize(shown["seq_id"], sort=True)[0],
            "group": pd.factorize(shown["group"], sort=True)[0],
            "node": node,
            "start": times[0],
            "end": times[1],
            "interval": ~own,
        }
    )


class OwnersByKey(NamedTuple):
    """What a key says.

    The released sequence of each original one, NOBODY if dropped; the original ones that are released
    according to the key but missing from the release; and those whose group in the key is another.
    """

    sequence_of: Ints
    lost: Ints
    misplaced: Ints


def read_key(both: OriginalAndRelease, key: pd.DataFrame) -> OwnersByKey:
    """Read which released sequence is whose."""
    person = both.ids.astype(object).get_indexer(pd.Index(key[_id_column(both, key)]).astype(object))
    if (person < 0).any() or person.size != len(both.ids) or distinct(person).size != person.size:
        raise refusal("the key must name each sequence of the original exactly once.")
    with in_our_words(wrong_parameter("key", "whole numbers as 'released_id' and 'group'", "others")):
        wanted, group = (pd.array(column, dtype="Int64") for column in _numbers_of(key))
    dropped = np.asarray(wanted.isna())
    place = both.released_ids.get_indexer(pd.Index(wanted.fillna(-1).to_numpy(np.int64)))
    sequence_of = np.full(person.size, NOBODY, np.int64)
    sequence_of[person] = np.where(dropped, NOBODY, place)
    lost = np.sort(person[(place < 0) & ~dropped])
    misplaced = np.zeros(0, np.int64)
    if GROUP in key.columns:
        shown = np.append(both.group_names.to_numpy(np.int64)[both.group_of], NOBODY)[sequence_of[person]]
        misplaced = np.sort(person[group.fillna(NOBODY).to_numpy(np.int64) != shown])
    return OwnersByKey(sequence_of, lost, misplaced)


def _id_column(both: OriginalAndRelease, key: object) -> Hashable:
    """Return the column of a key with the ids of the original; the person's column may be beside it."""
    columns = list(key.columns) if isinstance(key, pd.DataFrame) else []
    ids = [name for name in columns if name not in (RELEASED_ID, GROUP)]
    if columns.count(RELEASED_ID) == 1 and columns.count(GROUP) <= 1:
        if len(ids) == 1:
            return ids[0]  # type: ignore[no-any-return]
        if len(ids) == 2 and ids.count(both.columns.seq_id) == 1:  # noqa: PLR2004 (a pair)
            return both.columns.seq_id
    must = "the frame that generalize(..., with_key=True) returns: the original id and 'released_id'"
    raise wrong_parameter("key", must, f"columns {columns}" if columns else type(key).__name__)


def _numbers_of(key: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    return key[RELEASED_ID], key[GROUP if GROUP in key.columns else RELEASED_ID]
