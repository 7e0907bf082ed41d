"""Who could not be told apart in any of the earlier releases, according to their keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdseqpriv.errors import SeqPrivError, counted, in_our_words, refusal, said_of, wrong_parameter
from pdseqpriv.sequences.columns import GROUP, Columns
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.ragged import Ints, distinct
from pdseqpriv.sequences.rules import problem_of_fresh_ids, problem_of_ids

# The class of those who were dropped: whoever links releases sees that they are missing.
DROPPED = -1
# The cell of those who are in no earlier release: nobody can see that they are missing in a later one.
IN_NONE = 0
_KEYS = "a list of keys with a column 'group', as with_key=True returns them"


def cells_of(previous: Sequence[pd.DataFrame], ids: pd.Index, columns: Columns) -> Ints:
    """Return a number for each id, the same for those who were in the same class of every earlier release.

    Those who were dropped from a release are a class of it, and those who were dropped from all of them are
    cell 0, whether or not there are any. A key must name exactly these ids.

    Examples
    --------
    >>> first = pd.DataFrame({"seq_id": list("abcd"), "released_id": range(4), "group": [0, 0, 1, 1]})
    >>> second = first.assign(group=[0, 0, 1, 0])
    >>> cells_of([first, second], pd.Index(list("dcba")), Columns()).tolist()
    [2, 3, 1, 1]
    """
    if not isinstance(previous, list | tuple):
        do = "Put a single key into a list."
        raise wrong_parameter("previous", _KEYS, type(previous).__name__, do)
    cells = np.full(len(ids), IN_NONE)
    for number, key in enumerate(previous):
        try:
            classes = _classes_of(key, ids, columns)
        except SeqPrivError as error:
            raise said_of(f"in previous[{number}]", error) from None
        cells = _number(cells * (classes.max(initial=0) + 1) + classes)
    return cells


def _classes_of(key: pd.DataFrame, ids: pd.Index, columns: Columns) -> Ints:
    """Return the class of each id in one release, from 1 on; 0 for those who were dropped."""
    if not isinstance(key, pd.DataFrame):
        came = f"a list with something else in it, of type {type(key).__name__}"
        raise wrong_parameter("previous", _KEYS, came)
    _check_columns(key, columns)
    with in_our_words(refusal("the key holds ids or groups that pandas cannot compare.")):
        place = find_values(pd.Index(key[columns.seq_id]), ids)
        groups = pd.array(key[GROUP], dtype="Int64").to_numpy(np.int64, na_value=DROPPED)
    found = distinct(place[place >= 0]).size
    if found < len(ids) or found < len(key):
        raise refusal(
            f"this is the key of another table: it names {found} of the {counted(len(ids), 'sequence')}, in "
            f"{counted(len(key), 'row')}. Give the keys of earlier releases of the same table."
        )
    classes = np.empty(len(ids), np.int64)
    classes[place] = groups - DROPPED
    return _number(classes)


def _number(values: Ints) -> Ints:
    """Number the different values without gaps, in their order; 0 stays what it is."""
    return np.unique(np.append(0, values), return_inverse=True)[1][1:].astype(np.int64, copy=False)


def _check_columns(key: pd.DataFrame, columns: Columns) -> None:
    needed = (columns.seq_id, GROUP)
    if any(list(key.columns).count(name) != 1 for name in needed):
        do = 'k_anonymize gives groups with guarantee="identical", generalize always.'
        names = " and ".join(repr(name) for name in needed)
        raise refusal(f"a key with the columns {names} is needed, but it has {list(key.columns)}. {do}")
    problem = problem_of_ids(key[columns.seq_id]) or problem_of_fresh_ids(key[GROUP])
    if problem is not None:
        raise problem
