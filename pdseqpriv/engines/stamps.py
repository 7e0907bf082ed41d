"""Stamps of parts: whether rows that are computed again are those that a plan was made for."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from pdseqpriv.engines.looking import hashed_ids
from pdseqpriv.errors import SeqPrivError, refusal
from pdseqpriv.sequences.sequences import Sequences

_BYTES = 16


class Stamp(NamedTuple):
    """Numbers for what a part holds, and for that together with the places of its rows in the table.

    The order of rows is part of the first number only where it matters, as between ties that keep it.
    """

    content: bytes
    places: bytes


Stamps = frozenset[Stamp]


def stamp_of(sequences: Sequences) -> Stamp:
    """Return the stamp of a part."""
    people = np.zeros(0) if sequences.people is None else sequences.people
    names = (sequences.ids, sequences.vocabulary, sequences.person_ids)
    stamp = blake2b(digest_size=_BYTES)
    for numbers in (sequences.codes, sequences.times, sequences.offsets, people, *map(hashed_ids, names)):
        stamp.update(str(numbers.size).encode())
        stamp.update(np.ascontiguousarray(numbers).data)
    content = stamp.digest()
    stamp.update(np.ascontiguousarray(sequences.numbers).data)
    return Stamp(content, stamp.digest())


def stamped(summarise: Callable[[Sequences], Any], sequences: Sequences) -> tuple[Stamps, Any]:
    """Summarise a part, and say which one it was."""
    return frozenset([stamp_of(sequences)]), summarise(sequences)


def merge_stamped(
    merge: Callable[[Any, Any], Any], first: tuple[Stamps, Any], second: tuple[Stamps, Any]
) -> tuple[Stamps, Any]:
    """Merge two summaries, and say of which parts they are."""
    return first[0] | second[0], merge(first[1], second[1])


def apply_to_planned(
    apply: Callable[..., Any],
    planned: Stamps,
    frame: Any,  # noqa: ANN401 (as in apply)
    sequences: Sequences,
    *,
    names_rows: bool,
) -> Any:  # noqa: ANN401 (as in apply)
    """Change a part, if it is one of those that were planned for; with the same places if rows are named."""
    if sequences.n_rows:
        found = stamp_of(sequences)
        if found not in planned if names_rows else found.content not in contents(planned):
            raise changed_since()
    return apply(frame, sequences)


def contents(stamps: Stamps) -> set[bytes]:
    """Return what the parts hold, in whatever order."""
    return {one.content for one in stamps}


def changed_since() -> SeqPrivError:
    """Return the refusal to change rows that nobody planned for."""
    return refusal(
        "Dask computed other rows than those that were planned for, or gave them in another order, so that "
        "nothing can be promised. Use ddf.persist(), or write the rows and read the files."
    )
