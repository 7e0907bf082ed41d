"""Find whose record is whose in a release: from the owner's key, or from the ids if they were kept."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from pdseqpriv.audit.kernels.linkage import DROPPED
from pdseqpriv.errors import counted, in_our_words, refusal, wrong_parameter
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import Record
from pdseqpriv.sequences.sequences import Sequences

_RELEASED_ID = "released_id"
_GIVE_IT = (
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
        return _by_key(original, released, key)
    if any(step["operation"] in _RENUMBERING for step in applied):
        raise refusal(
            f"the ids of this release are new, so the key is needed to match records to people. {_GIVE_IT}"
        )
    if not _has_kept_its_ids(original, released):
        raise refusal(
            "the release does not have the ids and times of the original, so the key is needed to match "
            f"records to people. {_GIVE_IT}"
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
    return bool(np.isin(after, before).all())


def _by_key(original: Sequences, released: Sequences, key: pd.DataFrame) -> Ints:
    id_column = _id_column(key, original.columns.person)
    with in_our_words(refusal("the key holds ids that pandas cannot compare.")):
        people = find_values(pd.Index(key[id_column]), original.ids)
        wanted = pd.Index(key[_RELEASED_ID])
        records = find_values(wanted, released.ids)
    if (people < 0).any() or people.size != len(original.ids) or np.unique(people).size != people.size:
        raise refusal("the key must name each sequence of the original exactly once.")
    is_dropped = np.asarray(wanted.isna())
    missing = int(((records < 0) & ~is_dropped).sum())
    if missing:
        of, are = counted(len(wanted), "id"), "is" if missing == 1 else "are"
        raise refusal(f"{missing} of the {of} in column 'released_id' of the key {are} not in the release.")
    own = np.full(len(original.ids), DROPPED, np.int64)
    own[people] = np.where(is_dropped, DROPPED, records)
    return own


def _id_column(key: object, person: Hashable | None) -> Hashable:
    columns = list(key.columns) if isinstance(key, pd.DataFrame) else []
    others = [name for name in columns if name not in (_RELEASED_ID, "group", person)]
    if len(others) != 1 or columns.count(_RELEASED_ID) != 1:
        must = "a frame with two columns, the original id and 'released_id', as with_key=True returns it"
        raise wrong_parameter("key", must, f"columns {columns}" if columns else type(key).__name__)
    return others[0]  # type: ignore[no-any-return]
