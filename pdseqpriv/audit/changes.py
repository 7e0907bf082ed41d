"""Show what became of every sequence in a release."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
import pandas as pd

from pdseqpriv.audit.changed_events import changes_by_cover, changes_of_sequences
from pdseqpriv.audit.kernels.linkage import DROPPED
from pdseqpriv.audit.own_sequences import GIVE_IT, applied_since, by_key, own_sequences
from pdseqpriv.audit.owner_tables import people_column, refuse_own_names
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import ORIGINAL, Table, bind, read, read_both
from pdseqpriv.errors import counted, refusal
from pdseqpriv.generalization.original_and_release import read_original_and_release
from pdseqpriv.parameters import one_of
from pdseqpriv.sequences.columns import ColumnNames, has_intervals
from pdseqpriv.sequences.encoding import decode
from pdseqpriv.sequences.ragged import Ints, distinct
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike

# In the order in which the compiled code counts them.
_KINDS = ("kept", "coarser", "marked", "replaced", "deleted", "added")
_COLUMNS = ("released_id", "dropped", "before", "after", *_KINDS)


@on_tables(anywhere=True)
def changes(
    original: Table,
    released: Table,
    key: pd.DataFrame | None = None,
    *,
    taxonomy: TaxonomyLike | None = None,
    by: Literal["sequence", "kind"] = "sequence",
    **_columns: Unpack[ColumnNames],
) -> pd.DataFrame:
    """Show what was deleted, marked, replaced or made coarser in every sequence.

    Works on the releases of all operations, and on any other release whose sequences can be matched with
    those of the original.

    Parameters
    ----------
    original, released : DataFrame, or ``df.seqpriv.using(...)``
        The table before and after. The release may be a generalized table.
    key : DataFrame, optional
        Which released sequence belongs to whom, as ``with_key=True`` returns it: the original id and
        ``released_id``, null for those who were dropped. Not needed if the release has the ids and times of
        the original, as those of ``hide`` and ``sanitize`` have.
    taxonomy : Taxonomy or what makes one, optional
        If the release has categories, the taxonomy they come from. For a generalized release, None means the
        flat one.
    by : {"sequence", "kind"}
        Whether there is a row for each sequence, or a summary with a row for each kind of change.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.DataFrame
        By sequence, one row for each sequence of the original:

        - its id and, if they are named, that of the person, under the user's names;
        - ``released_id``, null if the sequence is ``dropped``;
        - ``before`` and ``after``: how many events it has in the original and in the release, without marked
          ones;
        - ``kept``: events that are in the release as they were;
        - ``coarser``: events that are there as a category or, in a generalized release, in an interval;
        - ``marked``, ``replaced`` (another event has taken their place) and ``deleted`` events;
        - ``added``: events of the release that stand for none of the original.

        The first five kinds add up to ``before``.

        By kind, one row for each of these kinds, with ``dropped`` for the events of dropped sequences: how
        many ``events`` in how many ``sequences``, and the ``share`` of all events of the original.

    Notes
    -----
    **Guarantee**: none; exact counts. If the release has the ids and times of the original, events of one
    sequence and time are compared. With a key, the times of the release may be new: events are then aligned
    in order, so that as many as possible are kept or coarser, and events that were replaced count as deleted
    and added. In a generalized release, a row may stand for several events.

    **Not protected**: the result shows what was hidden from others, and where. It is for the owner of the
    data only.

    **Large tables**: the same numbers. The sequences of both tables are brought together as numbers, at 12
    bytes per row and the id of each sequence; a generalized release comes here with its rows.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abac"), "time": [1, 2, 1, 2]})
    >>> pdseqpriv.changes(df, df.seqpriv.hide("a -> b"))[["seq_id", "before", "kept", "marked", "deleted"]]
       seq_id  before  kept  marked  deleted
    0       1       2     1       1        0
    1       2       2     2       0        0
    >>> released, key = df.seqpriv.k_anonymize(2, with_key=True)
    >>> pdseqpriv.changes(df, released, key, by="kind").query("events > 0")
          kind  events  sequences  share
    0     kept       2          2    0.5
    4  deleted       2          2    0.5
    """
    one_of("by", by, ("sequence", "kind"))
    tree = None if taxonomy is None else Taxonomy(taxonomy)
    count = _count_intervals if has_intervals(released) else _count_events
    found = _checked(_by_sequence(count(original, released, key, tree)), "changes", original)
    return found if by == "sequence" else _checked(_by_kind(found), "change_summary", original)


class _Counted(NamedTuple):
    """The sequences of the original, the id of each in the release, and what became of its events."""

    sequences: Sequences
    released_ids: pd.Series
    after: Ints
    changes: Ints


def _count_events(
    original: Table, released: Table, key: pd.DataFrame | None, taxonomy: Taxonomy | None
) -> _Counted:
    before, after = read_both(original, released)
    own = own_sequences(before, after, key, applied_since(original, released))
    _refuse_nobodys(own, after.n_sequences)
    found = changes_of_sequences(before, after, own, taxonomy, by_time=key is None)
    left = np.append(after.unmarked_lengths, 0)[own]
    return _Counted(before, _released_ids(own, after.ids, after.dtypes.seq_id), left, found)


def _count_intervals(
    original: Table, released: Table, key: pd.DataFrame | None, taxonomy: Taxonomy | None
) -> _Counted:
    both = read_original_and_release(original, released, taxonomy, pd.Index([], dtype=object))
    before = read(original, ORIGINAL)
    if key is None:
        raise refusal(f"the ids of a generalized release are new, so the key is needed. {GIVE_IT}")
    own = by_key(before.ids, both.released_ids, key, before.columns)
    _refuse_nobodys(own, len(both.released_ids))
    left = np.bincount(both.released["sequence"], minlength=len(both.released_ids))
    ids = _released_ids(own, both.released_ids, both.released_ids.dtype)
    return _Counted(before, ids, np.append(left, 0)[own], changes_by_cover(both, own))


def _refuse_nobodys(own: Ints, released: int) -> None:
    """Raise if the release has sequences that belong to nobody."""
    strange = released - distinct(own[own != DROPPED]).size
    if strange:
        verb = "is" if strange == 1 else "are"
        raise refusal(
            f"of the {counted(released, 'sequence')} of the release, {strange} {verb} nobody's. Do the "
            "tables and the key belong together?"
        )


def _released_ids(own: Ints, ids: pd.Index, dtype: Any) -> pd.Series:  # noqa: ANN401 (of pandas)
    """Return the id of each sequence in the release; numbers become nullable."""
    if pd.api.types.is_integer_dtype(dtype) and not pd.api.types.is_extension_array_dtype(dtype):
        dtype = "UInt64" if dtype.kind == "u" else "Int64"
    if not (own != DROPPED).any():
        return pd.Series([None] * own.size, dtype=dtype)
    return decode(own.astype(np.int32), ids, dtype)


def _by_sequence(found: _Counted) -> pd.DataFrame:
    sequences, before = found.sequences, found.sequences.unmarked_lengths
    columns, everyone = sequences.columns, np.arange(sequences.n_sequences, dtype=np.int32)
    named = {
        columns.seq_id: decode(everyone, sequences.ids, sequences.dtypes.seq_id),
        **people_column(columns, sequences.whose.astype(np.int32), sequences.person_ids),
    }
    refuse_own_names(named, _COLUMNS)
    dropped = found.released_ids.isna()
    kinds = dict(zip(_KINDS, found.changes.T, strict=True))
    kinds["deleted"] = np.where(dropped, before, kinds["deleted"])
    whole = {"released_id": found.released_ids, "dropped": dropped, "before": before, "after": found.after}
    values: dict[Any, Any] = {**named, **whole, **kinds}
    return pd.DataFrame(values)


def _by_kind(found: pd.DataFrame) -> pd.DataFrame:
    """Add up all sequences; what was dropped as a whole is a kind of its own."""
    kinds = found[list(_KINDS)].assign(dropped=found["before"].where(found["dropped"], 0))
    kinds["deleted"] -= kinds["dropped"]
    kinds = kinds[["kept", "coarser", "marked", "replaced", "deleted", "dropped", "added"]]
    total = int(found["before"].sum())
    events = kinds.sum().to_numpy(np.int64)
    return pd.DataFrame(
        {
            "kind": list(kinds.columns),
            "events": events,
            "sequences": (kinds > 0).sum().to_numpy(np.int64),
            "share": events / total if total else float("nan"),
        }
    )


def _checked(
    found: pd.DataFrame, kind: Literal["changes", "change_summary"], original: Table
) -> pd.DataFrame:
    from pdseqpriv.schemas import validate_output

    return validate_output(found, kind, bind(original).columns)
