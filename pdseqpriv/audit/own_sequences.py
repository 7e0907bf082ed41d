"""Find whose record is whose in a release: from the owner's key, or from the ids if they were kept."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from pdseqpriv.audit.kernels.linkage import DROPPED
from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.errors import SeqPrivError, counted, in_our_words, refusal, warn, wrong_parameter
from pdseqpriv.sequences.columns import GROUP, RELEASED_ID, Columns
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.ragged import Ints, distinct
from pdseqpriv.sequences.record import Record, claims_of
from pdseqpriv.sequences.sequences import Sequences

GIVE_IT = (
    "Give the key: the frame that with_key=True returns, or one with the original id and 'released_id', null "
    "if a sequence was dropped."
)
# Operations whose releases have new ids, which may look like those of the original.
_RENUMBERING = ("k_anonymize", "generalize")


def own_sequences(
    original: Sequences, released: Sequences, key: pd.DataFrame | None, applied: list[Record]
) -> Ints:
    """Return the number of each person's sequence in the release, DROPPED where there is none.

    ``applied`` are the steps that made the release from the original, as far as they are known.
    """
    if key is not None:
        return by_key(original.ids, released.ids, key, original.columns)
    if any(step["operation"] in _RENUMBERING for step in applied):
        raise refusal(
            f"the ids of this release are new, so the key is needed to match records to people. {GIVE_IT}"
        )
    if not _has_kept_its_ids(original, released):
        raise refusal(
            "the release does not have the ids and times of the original, so the key is needed to match "
            f"records to people. {GIVE_IT}"
        )
    return find_values(original.ids, released.ids)


def _has_kept_its_ids(original: Sequences, released: Sequences) -> bool:
    """Return whether every row has the id and the time of one of the original: new ids may look the same."""
    owners = find_values(released.ids, original.ids)
    if (owners < 0).any() or original.time_unit != released.time_unit:
        return False
    moments, different = pd.factorize(np.concatenate((original.times, released.times)))
    people = np.concatenate((original.owners, owners[released.owners]))
    before, after = np.split(people * len(different) + moments, [original.n_rows])
    return bool(pd.Index(after).isin(before).all())  # np.isin takes seconds, and hears no Ctrl-C


def by_key(original_ids: pd.Index, released_ids: pd.Index, key: pd.DataFrame, columns: Columns) -> Ints:
    """Return the position among the released ids of each original one, DROPPED where the key has none."""
    id_column = _id_column(key, columns)
    with in_our_words(refusal("the key holds ids that pandas cannot compare.")):
        people = find_values(pd.Index(key[id_column]), original_ids)
        wanted = pd.Index(key[RELEASED_ID])
        records = find_values(wanted, released_ids)
    if (people < 0).any() or people.size != len(original_ids) or distinct(people).size != people.size:
        raise refusal("the key must name each sequence of the original exactly once.")
    is_dropped = np.asarray(wanted.isna())
    missing = int(((records < 0) & ~is_dropped).sum())
    if missing:
        of, are = counted(len(wanted), "id"), "is" if missing == 1 else "are"
        raise refusal(f"{missing} of the {of} in column 'released_id' of the key {are} not in the release.")
    own = np.full(len(original_ids), DROPPED, np.int64)
    own[people] = np.where(is_dropped, DROPPED, records)
    return own


def _id_column(key: object, columns: Columns) -> Hashable:
    """Return the column of the original ids; a key may also say whose they are, and with whom grouped."""
    names = list(key.columns) if isinstance(key, pd.DataFrame) else []
    others = [name for name in names if name not in (RELEASED_ID, GROUP, columns.person)]
    others = [columns.seq_id] if columns.seq_id in names else others
    if len(set(names)) < len(names) or RELEASED_ID not in names or len(others) != 1:
        must = "a frame with two columns, the original id and 'released_id', as with_key=True returns it"
        raise wrong_parameter("key", must, f"columns {names}" if names else type(key).__name__)
    return others[0]  # type: ignore[no-any-return]


def applied_since(original: Table, released: Table) -> list[Record]:
    """Return the steps in the record of a release that are not in that of its original."""
    before: list[Record] = claims_of(bind(original).frame)["applied"]
    after: list[Record] = claims_of(bind(released).frame)["applied"]
    return after[len(before) :] if after[: len(before)] == before else after


def warn_of_what_was_applied(table: Table, original: Table | None) -> None:
    """Warn if other releases are not measured, or if this one is measured as if it were an original."""
    try:
        steps = claims_of(bind(table).frame)["applied"]
    except SeqPrivError:  # what is wrong with the table is said when it is read
        return
    if len(steps) > 1:
        warn(
            f"the record shows {len(steps)} steps, so if a table of an earlier step was released as well, "
            "people are easier to find in both together than this measures."
        )
    if original is None and any(step["operation"] == "k_anonymize" for step in steps):
        warn(
            "this is a release of k_anonymize, measured as if it were an original: the owner of a rare "
            "record in it need not be the person it seems to be. Give original=."
        )
