"""Stamps of parts: whether rows that are computed again are those that a plan was made for."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.engines.looking import Hashes, hashed_ids
from pdseqpriv.errors import SeqPrivError, refusal
from pdseqpriv.sequences.sequences import Sequences

_BYTES = 16


class Stamp(NamedTuple):
    """Numbers for what a part holds, and for that together with the places of its rows in the table.

    The order of rows is part of the first number only where it matters, as between ties that keep it.
    """

    content: bytes
    places: bytes


Stamps = dict[int, Stamp]  # by the number of the part


def stamp_of(frame: pd.DataFrame, sequences: Sequences) -> Stamp:
    """Return the stamp of a part: of its sequences, and of what other columns say of their rows."""
    people = np.zeros(0) if sequences.people is None else sequences.people
    names = (sequences.ids, sequences.vocabulary, sequences.person_ids)
    beside = _beside(frame.drop(columns=list(sequences.columns.names)), sequences)
    stamp = blake2b(str(sequences.time_unit).encode(), digest_size=_BYTES)
    for numbers in (
        sequences.codes,
        sequences.times,
        sequences.offsets,
        people,
        *map(hashed_ids, names),
        beside,
    ):
        stamp.update(str(numbers.size).encode())
        stamp.update(np.ascontiguousarray(numbers).data)
    content = stamp.digest()
    stamp.update(np.ascontiguousarray(sequences.numbers).data)
    return Stamp(content, stamp.digest())


def _beside(others: pd.DataFrame, sequences: Sequences) -> Hashes:
    """Return a number for what columns without a role say of each event, in whatever order equal ones are."""
    if others.empty:
        return np.zeros(0, np.uint64)
    said = pd.util.hash_pandas_object(others.apply(_hashed), index=False).to_numpy()[sequences.rows]
    codes, times, owners = sequences.codes, sequences.times, sequences.owners
    differs = (codes[1:] != codes[:-1]) | (times[1:] != times[:-1]) | (owners[1:] != owners[:-1])
    of_which = pd.util.hash_array(np.cumsum(np.append(False, differs)))
    return np.asarray(pd.util.hash_array(said ^ of_which).sum(keepdims=True))  # a sum has no order


def _hashed(column: pd.Series) -> pd.Series:
    """Return a number for each value; lists and the like are taken as text, without leaving anything out."""
    try:
        return pd.util.hash_pandas_object(column, index=False)
    except TypeError:
        with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
            return pd.util.hash_pandas_object(column.map(str), index=False)


def on_numbered_part(
    work: Callable[..., Any], look: Callable[..., Any], number: int, part: pd.DataFrame
) -> Any:  # noqa: ANN401 (as in work)
    """Let somebody look at a part who is told its number."""
    return work(functools.partial(look, number), part)


def stamped(
    look: Callable[[pd.DataFrame, Sequences], Any], number: int, frame: pd.DataFrame, sequences: Sequences
) -> tuple[Stamps, Any]:
    """Look at a part, and say which one it was."""
    return {number: stamp_of(frame, sequences)}, look(frame, sequences)


def merge_stamped(
    merge: Callable[[Any, Any], Any], first: tuple[Stamps, Any], second: tuple[Stamps, Any]
) -> tuple[Stamps, Any]:
    """Merge two summaries, and say of which parts they are."""
    return first[0] | second[0], merge(first[1], second[1])


def change_planned(
    change: Callable[..., pd.DataFrame],
    apply: Callable[..., Any],
    planned: Stamp | None,
    part: pd.DataFrame,
    *,
    names_rows: bool,
) -> pd.DataFrame:
    """Change a part if it is what was planned for; with the same places if rows are named."""

    def apply_to_planned(frame: pd.DataFrame, sequences: Sequences) -> Any:  # noqa: ANN401 (as in apply)
        if planned is not None:
            found = stamp_of(frame, sequences)
            if found.content != planned.content or (names_rows and found != planned):
                raise changed_since()
        return apply(frame, sequences)

    return change(apply_to_planned, part=part)


def contents(stamps: Stamps) -> dict[int, bytes]:
    """Return what the parts hold, in whatever order."""
    return {number: one.content for number, one in stamps.items()}


def changed_since() -> SeqPrivError:
    """Return the refusal to change rows that nobody planned for."""
    return refusal(
        "Dask computed other rows than those that were planned for, or gave them in another order, so that "
        "nothing can be promised. Use ddf.persist(), or write the rows and read the files."
    )
