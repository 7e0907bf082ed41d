"""All sequences of a table, brought together as numbers: that takes far less memory than its rows.

Parts come with their codes and times in the smallest type that holds them, and without the numbers of their
rows. Together a row takes 12 bytes: 4 for its event and 8 for its time; a sequence takes 8 bytes and its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.memory import bytes_in, refuse_many_sequences
from pdseqpriv.errors import in_our_words, refusal
from pdseqpriv.sequences.encoding import one_after_the_other
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.ragged import Ints, offsets_of, places_of
from pdseqpriv.sequences.sequences import Dtypes, Sequences

if TYPE_CHECKING:
    from pdseqpriv.engines.engine import Run

Parts = tuple[Sequences, ...]
_NO_ROWS = np.zeros(0, np.int64)
_SMALL = (np.int8, np.int16, np.int32)


def all_sequences(run: Run, limit: int) -> Sequences:
    """Return the sequences of all parts as those of one table; refused if they do not fit into the limit."""
    if run.is_here:
        parts = run.reduce(_as_it_is, append_parts)
    else:
        parts = run.reduce(narrow, partial(_within, limit))
    given_up = list(parts)
    del parts
    return joined(given_up)


def _as_it_is(sequences: Sequences) -> Parts:
    return (sequences,)


def append_parts(first: Parts, second: Parts) -> Parts:
    """Put parts one after the other."""
    return first + second


def narrow(sequences: Sequences) -> Parts:
    """Write a part in as few bytes as it takes."""
    codes, times = _smallest(sequences.codes), _smallest(sequences.times)
    return (replace(sequences, codes=codes, times=times, rows=_NO_ROWS, places=None),)


def _smallest(numbers: NDArray[Any]) -> NDArray[Any]:
    if numbers.dtype.kind != "i" or not numbers.size:
        return numbers
    lowest, highest = int(numbers.min()), int(numbers.max())
    fitting = (one for one in _SMALL if np.iinfo(one).min <= lowest and highest <= np.iinfo(one).max)
    return numbers.astype(next(fitting, numbers.dtype), copy=False)


def _within(limit: int, first: Parts, second: Parts) -> Parts:
    """Put parts together, unless there are too many: that shows before all of them are here."""
    both = first + second
    refuse_many_sequences(bytes_in(both), limit)
    return both


def joined(parts: list[Sequences]) -> Sequences:
    """Make one table of parts, each of which has other sequences; parts are given up on the way."""
    if len(parts) == 1:
        return _wide(parts[0])
    filled = [part for part in parts if part.n_sequences] or parts[:1]
    parts.clear()
    vocabulary, new_codes = _one_vocabulary([part.vocabulary for part in filled])
    ids, rank = _sorted([part.ids for part in filled], filled[0].columns.seq_id)
    lengths = np.empty(rank.size, np.int64)
    lengths[rank] = np.concatenate([part.lengths for part in filled])
    whole = replace(
        filled[0],
        offsets=offsets_of(lengths),
        rows=_NO_ROWS,
        vocabulary=vocabulary,
        ids=ids,
        dtypes=_one_kind(filled),
        places=None,
    )
    whole = _with_people(whole, filled, rank)
    return _filled(whole, filled, rank, new_codes)


def _wide(part: Sequences) -> Sequences:
    """Give a part the types that all tables have."""
    times = part.times.astype(np.int64, copy=False) if part.times.dtype.kind == "i" else part.times
    return replace(part, codes=part.codes.astype(np.int32, copy=False), times=times)


def _filled(whole: Sequences, parts: list[Sequences], rank: Ints, new_codes: list[Ints]) -> Sequences:
    """Put the rows of every part where they belong."""
    is_float = any(part.times.dtype.kind == "f" for part in parts)
    n_rows = int(whole.offsets[-1])
    codes = np.empty(n_rows, np.int32)
    times: NDArray[Any] = np.empty(n_rows, np.float64 if is_float else np.int64)
    begin = 0
    parts.reverse()
    for new in new_codes:
        part = parts.pop()
        places = places_of(whole.offsets, rank[begin : begin + part.n_sequences])
        # The last entry is for -1, the code of a marked event.
        codes[places], times[places] = np.append(new, np.int32(-1))[part.codes], part.times
        begin += part.n_sequences
    return replace(whole, codes=codes, times=times)


def _one_vocabulary(parts: Sequence[pd.Index]) -> tuple[pd.Index, list[Ints]]:
    """Return the events of all parts, and for each part the new codes of its own."""
    union = reduce(
        lambda one, other: merge_vocabularies(one, other)[0], [p for p in parts if len(p)] or parts
    )
    return union, [merge_vocabularies(union, part)[2].astype(np.int32) for part in parts]


def _sorted(parts: Sequence[pd.Index], name: object) -> tuple[pd.Index, Ints]:
    """Return the values of all parts in order, and the place of each one there."""
    together = reduce(one_after_the_other, parts)
    with in_our_words(refusal(f"column {name!r} holds values that pandas cannot compare.")):
        order = np.asarray(together.argsort(), np.int64)
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    return together[order], rank


def _with_people(whole: Sequences, parts: Sequence[Sequences], rank: Ints) -> Sequences:
    """Number the people of all parts, each of whom is in one."""
    if parts[0].people is None:
        return whole
    ids, place = _sorted([part.person_ids for part in parts], whole.columns.person)
    begins = offsets_of([part.n_people for part in parts])
    theirs = [part.people + begin for part, begin in zip(parts, begins, strict=False)]
    people = np.empty(rank.size, np.int64)
    people[rank] = place[np.concatenate(theirs)]
    return replace(whole, people=people, person_ids=ids)


def _one_kind(parts: Sequence[Sequences]) -> Dtypes:
    """Return the types of the columns; where parts differ, as in their categories, those of their values."""
    first = parts[0]
    of_values = (first.ids.dtype, first.vocabulary.dtype, first.dtypes.time)
    is_same = [all(part.dtypes[place] == own for part in parts) for place, own in enumerate(first.dtypes)]
    kinds = zip(is_same, first.dtypes, of_values, strict=True)
    return Dtypes(*(own if same else of_value for same, own, of_value in kinds))
