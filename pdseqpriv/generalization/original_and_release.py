"""Read an original and its generalized release into rows that can be laid side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.pairs import ORIGINAL, RELEASED
from pdseqpriv.engines.engine import BoundTable, Table, bind, read
from pdseqpriv.errors import in_our_words, refusal, speaking_of, warn, wrong_parameter
from pdseqpriv.generalization.category_tree import UNKNOWN, Ancestry
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.events import text_of_names
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.times import Times, encode_times
from pdseqpriv.taxonomy.taxonomy import Taxonomy

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOBODY = -1


@dataclass(frozen=True)
class Pair:
    """Both tables with the same numbers for people, events and times.

    Attributes
    ----------
    original : DataFrame
        ``person`` (place among the ids), ``node``, ``time`` and ``monitored`` per unmarked row.
    released : DataFrame
        ``sequence`` (place among the released ids), ``group``, ``node``, ``start``, ``end`` and ``interval``
        (whether the row stands for monitored events) per row.
    n_people : int
        Sequences of the original.
    released_ids, group_names : Index
        The ids and the groups of the release, sorted.
    ids : Index
        The ids of the original, sorted.
    nodes : Nodes
        What the nodes are.
    ancestry : Ancestry
        Who is under whom.
    is_monitored : bool per name of the taxonomy
        Whether it is a monitored event.
    clock : Clock
        What times count.
    """

    original: pd.DataFrame
    released: pd.DataFrame
    n_people: int
    released_ids: pd.Index
    group_names: pd.Index
    ids: pd.Index
    nodes: Nodes
    ancestry: Ancestry
    is_monitored: Flags
    clock: Clock

    @property
    def span(self) -> float:
        """Latest minus earliest time of the original."""
        times = self.original["time"]
        return float(times.max()) - float(times.min()) if len(times) else 0.0

    @property
    def group_of(self) -> pd.Series:
        """The group of each released sequence; the first where there are several."""
        return self.released.groupby("sequence")["group"].first()


def is_generalized_table(table: Table) -> bool:
    """Tell from its columns whether a table holds intervals instead of times."""
    frame = table.frame if isinstance(table, BoundTable) else table
    return {"group", "time_from", "time_to"} <= set(getattr(frame, "columns", ()))


def read_pair(
    original: Table, released: Table, taxonomy: Taxonomy | None, monitored: pd.Index | None
) -> Pair:
    """Bring both tables onto the same numbers; ``monitored`` None stands for every event."""
    with speaking_of(ORIGINAL):
        before = bind(original)
        sequences = read(before)
    nodes = _nodes(sequences.vocabulary, taxonomy)
    is_monitored = _monitored_nodes(nodes, sequences.vocabulary, monitored)
    with speaking_of(RELEASED):
        after = bind(released)
        names = after.columns if isinstance(released, BoundTable) else before.columns
        shown = _release_rows(after.frame, names)
    time, start, end, clock = _common_times(before.frame[before.columns.time], shown)
    return Pair(
        _original_frame(sequences, time, nodes, is_monitored),
        _released_frame(shown, (start, end), nodes, is_monitored),
        sequences.n_sequences,
        pd.Index(shown["seq_id"].unique()).sort_values(),
        pd.Index(shown["group"].unique()).sort_values(),
        sequences.ids,
        nodes,
        Ancestry(nodes.parents, nodes.n_events),
        is_monitored,
        clock,
    )


@dataclass(frozen=True)
class Nodes:
    """The names of a taxonomy, then the events that are not in it, which nobody can have generalized."""

    names: pd.Index
    parents: Ints
    is_leaf: Flags
    n_known: int  # names of the taxonomy itself
    n_events: int  # leaves of the taxonomy itself

    def find(self, names: pd.Index) -> Ints:
        """Give the place of each name, UNKNOWN for one that is not here; 7 and "7" are the same."""
        text = text_of_names(names, "events")
        return np.where(text.isna(), UNKNOWN, self.names.get_indexer(text)).astype(np.int64)


def _nodes(vocabulary: pd.Index, taxonomy: Taxonomy | None) -> Nodes:
    tree = Taxonomy.flat(vocabulary) if taxonomy is None else taxonomy
    text = text_of_names(vocabulary, "events")
    outside = text[tree.names.get_indexer(text) < 0]
    parents = np.concatenate((tree.parents, np.arange(len(tree), len(tree) + len(outside))))
    is_leaf = np.concatenate((tree.is_leaf, np.ones(len(outside), bool)))
    return Nodes(
        tree.names.append(outside), parents.astype(np.int64), is_leaf, len(tree), int(tree.is_leaf.sum())
    )


def _release_rows(frame: pd.DataFrame, names: Columns) -> pd.DataFrame:
    new_names = {names.seq_id: "seq_id", names.event: "event"}
    shown = frame.rename(columns=new_names)
    from pdseqpriv.schemas import validate

    validate(shown, "generalized")
    return shown


def _common_times(time: pd.Series, shown: pd.DataFrame) -> tuple[Times, Times, Times, Clock]:
    """Put all times onto one scale; files may have changed the unit of datetimes."""
    columns = [time, shown["time_from"], shown["time_to"]]
    filled = [column for column in columns if len(column)] or columns
    if len({column.dtype.kind == "M" for column in filled}) > 1:
        raise refusal("one table has datetimes and the other has numbers as times.")
    together = pd.concat(filled, ignore_index=True).rename("time")
    numbers, unit = encode_times(together)
    ends = np.cumsum([len(column) for column in columns])
    first: Times = numbers[: ends[0]]
    second, third = numbers[ends[0] : ends[1]], numbers[ends[1] :]
    return first, second, third, Clock(unit, numbers.dtype)


def _monitored_nodes(nodes: Nodes, vocabulary: pd.Index, monitored: pd.Index | None) -> Flags:
    chosen = nodes.is_leaf.copy()
    if monitored is not None:
        chosen[:] = False
        places = nodes.find(monitored)
        check_found(np.where(nodes.is_leaf[places], places, UNKNOWN), "monitored")
        chosen[places[places != UNKNOWN]] = True
    occurring = nodes.find(vocabulary)
    missing = int(chosen[occurring[occurring >= nodes.n_known]].sum())
    if missing:
        raise refusal(f"{missing} monitored events of the original are not in the taxonomy.")
    return chosen & nodes.is_leaf


def check_found(places: Ints, parameter: str) -> None:
    """Stop where none of the named events exists, and warn where some do not: names may be misspelt."""
    missing = int((places == UNKNOWN).sum())
    if places.size and missing == places.size:
        must = "a list of events that occur in the original or its taxonomy"
        raise wrong_parameter(parameter, must, f"{missing} names, none of which does")
    if missing:
        warn(f"{missing} of {places.size} names in {parameter} are no events here.")


def _original_frame(sequences: Sequences, times: Times, nodes: Nodes, is_monitored: Flags) -> pd.DataFrame:
    unmarked = sequences.codes >= 0
    node = nodes.find(sequences.vocabulary)[sequences.codes[unmarked]]
    person = sequences.owners[unmarked]
    time = times[sequences.rows[unmarked]]
    return pd.DataFrame({"person": person, "node": node, "time": time, "monitored": is_monitored[node]})


def _released_frame(
    shown: pd.DataFrame, times: tuple[Times, Times], nodes: Nodes, is_monitored: Flags
) -> pd.DataFrame:
    codes, labels = pd.factorize(shown["event"])
    node = np.append(nodes.find(pd.Index(labels)), UNKNOWN)[codes]
    # A leaf that nobody monitors stands for itself; anything else stands for monitored events.
    own = nodes.is_leaf[node] & ~is_monitored[node] & (node != UNKNOWN)
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


def owners_of(pair: Pair, key: pd.DataFrame) -> tuple[Ints, Ints]:
    """Give the released sequence of each person, NOBODY when dropped, and the people it leads nowhere."""
    columns = list(key.columns) if isinstance(key, pd.DataFrame) else []
    others = [name for name in columns if name != "released_id"]
    if len(columns) != len(others) + 1 or len(others) != 1:
        must = "the frame that generalize gives with_key=True, with the original id and 'released_id'"
        came = f"columns {columns}" if columns else type(key).__name__
        raise wrong_parameter("key", must, came)
    person = pair.ids.astype(object).get_indexer(pd.Index(key[others[0]]).astype(object))
    if (person < 0).any() or person.size != pair.n_people or np.unique(person).size != person.size:
        raise refusal("the key must name each sequence of the original exactly once.")
    with in_our_words(wrong_parameter("key", "whole numbers as 'released_id'", "others")):
        wanted = pd.array(key["released_id"], dtype="Int64")
    dropped = np.asarray(wanted.isna())
    place = pair.released_ids.get_indexer(pd.Index(wanted.fillna(-1).to_numpy(np.int64)))
    owner = np.full(pair.n_people, NOBODY, np.int64)
    owner[person] = np.where(dropped, NOBODY, place)
    return owner, np.sort(person[(place < 0) & ~dropped])
