"""Whose a released sequence is, according to the owner's key, and whether the key fits both tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.errors import SeqPrivError, counted, in_our_words, refusal, wrong_parameter
from pdseqpriv.sequences.columns import RELEASED_ID
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.ragged import Ints, distinct
from pdseqpriv.sequences.sequences import Sequences


def people_of_releases(original: Sequences, released: Sequences, key: object) -> Ints:
    """Return the person of each released sequence; if people have only one, the number of their sequence."""
    sequence, wanted = _read(original, key)
    found = find_values(pd.Index(wanted), released.ids)
    is_there = np.asarray(wanted.notna())
    if (found[is_there] < 0).any() or distinct(found[is_there]).size < max(is_there.sum(), len(released.ids)):
        raise _other_key(f"each of the {counted(len(released.ids), 'sequence')} of the release once")
    owner = np.empty(len(released.ids), np.int64)
    owner[found[is_there]] = sequence[is_there]
    return original.whose[owner]


def _read(original: Sequences, key: object) -> tuple[Ints, pd.Series]:
    """Return the number of the sequence in each row of the key, and its id in the release."""
    columns = original.columns
    names = [repr(name) for name in (columns.seq_id, RELEASED_ID)]
    must = f"the frame that k_anonymize(..., with_key=True) returns, with columns {' and '.join(names)}"
    if not isinstance(key, pd.DataFrame):
        raise wrong_parameter("key", must, type(key).__name__)
    there = list(key.columns)
    if any(there.count(name) != 1 for name in (columns.seq_id, RELEASED_ID)):
        raise wrong_parameter("key", must, f"columns {there}")
    with in_our_words(refusal("the key holds ids that pandas cannot compare.")):
        sequence = find_values(pd.Index(key[columns.seq_id]), original.ids)
    if (sequence < 0).any() or not sequence.size == distinct(sequence).size == len(original.ids):
        raise _other_key(f"each of the {counted(len(original.ids), 'sequence')} of the original once")
    if original.people is not None and original.person_ids is not None and there.count(columns.person) == 1:
        person = find_values(pd.Index(key[columns.person]), original.person_ids)
        if (person != original.people[sequence]).any():
            raise _other_key("the people of the original")
    return sequence, key[RELEASED_ID]


def _other_key(must: str) -> SeqPrivError:
    do = "It seems to be the key of another table: give the one that was returned with this release."
    return refusal(f"the key must name {must}. {do}")
