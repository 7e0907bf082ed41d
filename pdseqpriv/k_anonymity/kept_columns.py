"""Columns beside the sequences that are released with them, where at least k people share both."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.engine import Run
from pdseqpriv.errors import counted, refusal, wrong_parameter
from pdseqpriv.k_anonymity.key import Owners
from pdseqpriv.k_anonymity.plan import Plan
from pdseqpriv.sequences.encoding import decode, encode
from pdseqpriv.sequences.ragged import Ints, Ragged
from pdseqpriv.sequences.rules import problem_of_events
from pdseqpriv.sequences.sequences import Sequences

_NAMES = "a list of columns beside the sequences"
# Names that nobody's column has, for what is known of each sequence.
_ID, _PERSON, _KEPT = "pdseqpriv id", "pdseqpriv person", "pdseqpriv kept"
# The combination where all values are null: it shows nothing.
NOTHING = 0


class Kept(NamedTuple):
    """What is kept of each sequence, as the number of a combination of values.

    A combination is a row of codes, one for each column; -1 is null. Each column is given by its name, its
    type and its different values, sorted.
    """

    ids: pd.Index
    numbers: Ints
    people: Ints
    codes: NDArray[np.int32]
    columns: list[tuple[Hashable, object, pd.Index]]


def read_kept(keep: object, run: Run, least: int) -> Kept:
    """Return what is kept of each sequence; all sequences of a person must say the same.

    Nothing is kept of what fewer than ``least`` people have.
    """
    names = _read_names(keep, run)
    found, n_varying = run.map(partial(kept_of_part, names=names))
    if n_varying:
        noun = "sequence" if run.columns.person is None else "person"
        who = counted(n_varying, noun).replace("persons", "people")
        have = "has" if n_varying == 1 else "have"
        raise refusal(f"keep must name columns with one value for each {noun}, but {who} {have} several.")
    columns = [found[f"{_KEPT} {place}"] for place in range(len(names))]
    encoded = [encode(column) for column in columns]
    nothing = np.full((1, len(names)), -1, np.int32)  # sorts first
    codes = np.concatenate((nothing, np.stack([one.codes for one in encoded], axis=1)))
    combinations, numbers = np.unique(codes, axis=0, return_inverse=True)
    people = encode(found[_PERSON]).codes.astype(np.int64)
    values = [
        (name, column.dtype, different)
        for name, column, (_, different) in zip(names, columns, encoded, strict=True)
    ]
    return _without_rare(
        Kept(pd.Index(found[_ID]), numbers.reshape(-1)[1:], people, combinations, values), least
    )


def _read_names(keep: object, run: Run) -> list[Hashable]:
    if not isinstance(keep, list | tuple):
        raise wrong_parameter("keep", _NAMES, type(keep).__name__, "Put a single column into a list.")
    for name in keep:
        if name in run.columns.roles.values():
            raise wrong_parameter("keep", _NAMES, f"{name!r}, which has a role of its own")
        if run.other_columns.count(name) > 1:
            raise refusal(f"several columns are named {name!r}. Rename them.")
        if name not in run.other_columns:
            others = ", ".join(map(repr, run.other_columns)) or "none"
            raise wrong_parameter("keep", _NAMES, f"{name!r}", f"The columns beside them are: {others}.")
    if not keep or len(set(keep)) < len(keep):
        raise wrong_parameter("keep", f"{_NAMES}, each once", f"{len(keep)} names" if keep else "none")
    return list(keep)


def kept_of_part(
    frame: pd.DataFrame, sequences: Sequences, names: list[Hashable]
) -> tuple[pd.DataFrame, int]:
    """Return the columns of each sequence of a part, and how many people have several values in one."""
    owners = sequences.owners
    people = np.arange(sequences.n_sequences) if sequences.people is None else sequences.people
    first = np.unique(people[owners], return_index=True)[1]  # a row of each person
    varies = np.zeros(first.size, np.bool_)
    begins = sequences.rows[sequences.offsets[:-1]]
    whose = sequences.ids if sequences.person_ids is None else sequences.person_ids[people]
    known = {_ID: sequences.ids, _PERSON: whose}
    for place, name in enumerate(names):
        problem = problem_of_events(frame[name])
        if problem is not None:
            raise problem
        codes = encode(frame[name]).codes[sequences.rows]
        varies[people[owners[codes != codes[first][people[owners]]]]] = True
        known[f"{_KEPT} {place}"] = frame[name].array[begins]
    return pd.DataFrame(known), int(varies.sum())


def _without_rare(kept: Kept, k: int) -> Kept:
    """Show nothing of combinations that fewer than k people have, nor, if those are few, of the next ones."""
    sizes = _count_people(kept.numbers, kept.people, len(kept.codes))
    hidden = sizes[NOTHING]
    is_hidden = np.zeros(sizes.size, np.bool_)
    for number in np.argsort(sizes[1:], kind="stable") + 1:
        if sizes[number] >= k and (hidden == 0 or hidden >= k):
            break
        is_hidden[number] = True
        hidden += sizes[number]
    return kept._replace(numbers=np.where(is_hidden[kept.numbers], NOTHING, kept.numbers))


def _count_people(groups: Ints, people: Ints, n: int) -> Ints:
    """Count the different people of each of n groups."""
    size = people.max(initial=0) + 1
    return np.bincount(np.unique(groups * size + people) // size, minlength=n)


def beside_kept(
    plan: Plan, owners: Owners, kept: Kept, k: int, *, is_invented: bool
) -> tuple[Plan, Owners, dict[Hashable, pd.Series]]:
    """Put what is kept beside what is released, where k people share both; return the columns as well.

    What is released then are the different lines: a sequence, and what is shown with it. If sequences may
    hold what their person never had, only people count whose sequence is released as it is.
    """
    place = kept.ids.get_indexer(owners.ids)
    size = len(kept.codes)
    there = np.flatnonzero(owners.targets >= 0)
    targets, numbers, people = owners.targets[there], kept.numbers[place][there], kept.people[place][there]
    pairs, pair = np.unique(targets * size + numbers, return_inverse=True)
    counts = np.flatnonzero(_are_whole(plan)[owners.variants[there]]) if is_invented else np.arange(pair.size)
    is_shown = _count_people(pair[counts], people[counts], pairs.size) >= k
    lines, line = np.unique(targets * size + np.where(is_shown[pair], numbers, NOTHING), return_inverse=True)
    sequences = Ragged(plan.released.symbols, plan.released.offsets).take(lines // size)
    released = plan.released._replace(
        symbols=sequences.values,
        offsets=sequences.offsets,
        counts=np.bincount(line, minlength=lines.size),
    )
    target = np.full(owners.targets.size, -1)
    target[there] = line
    shown = np.repeat(lines % size, released.counts * sequences.lengths)
    return replace(plan, released=released), owners._replace(targets=target), _columns_of(kept, shown)


def _are_whole(plan: Plan) -> NDArray[np.bool_]:
    """Return which original sequences are released as they are."""
    are_whole = plan.target >= 0
    some = np.flatnonzero(are_whole)
    before = Ragged(plan.original.symbols, plan.original.offsets).take(some)
    after = Ragged(plan.released.symbols, plan.released.offsets).take(plan.target[some])
    are_whole[some] = ~before.differs_from(after)
    return are_whole


def _columns_of(kept: Kept, numbers: Ints) -> dict[Hashable, pd.Series]:
    """Write the columns of these combinations out."""
    return {
        name: _written(kept.codes[numbers, place], values, dtype)
        for place, (name, dtype, values) in enumerate(kept.columns)
    }


def _written(codes: NDArray[np.int32], values: pd.Index, dtype: object) -> pd.Series:
    if isinstance(dtype, np.dtype) and dtype.kind in "iu" and (codes < 0).any():
        dtype = "UInt64" if dtype.kind == "u" else "Int64"  # those of numpy know no null
        values = values.astype(dtype)
    return decode(codes, values, dtype)
