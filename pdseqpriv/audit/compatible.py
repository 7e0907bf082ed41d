"""Check whether several releases of one table can be linked to each other without finding anyone."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from pdseqpriv.engines.arrow import as_frames
from pdseqpriv.errors import SeqPrivError, counted, in_our_words, public, refusal, said_of, wrong_parameter
from pdseqpriv.parameters import whole_number, yes_or_no
from pdseqpriv.sequences.columns import GROUP, RELEASED_ID
from pdseqpriv.verdict import Verdict

_NUMBERS = (RELEASED_ID, GROUP)
# Groups are numbered from 0.
_DROPPED = -1
_KEYS = "a list of at least two keys, as with_key=True returns them"


@public
def are_compatible(
    keys: Sequence[pd.DataFrame], k: int, *, person: Hashable | None = None, reveal: bool = False
) -> Verdict:
    """Check that whoever links several releases of one table still finds at least k people.

    Parameters
    ----------
    keys : list of DataFrames
        The key of each release: the original id, ``released_id`` and ``group``, null for those who were
        dropped. All keys must name the same sequences.
    k : int
        How many people must be in every intersection of groups, at least 2.
    person : column name, optional
        The column of the keys that says whose sequence it is. Different people are then counted, instead of
        sequences. It must be given if the keys have such a column.
    reveal : bool
        Show in ``details`` which sequences are in intersections that are too small. For the owner only.

    Returns
    -------
    Verdict
        ``checked`` counts the intersections, ``violations`` those with too few people. ``details`` says how
        many of them there are for each number of people, and how many sequences; with ``reveal=True`` it has
        a row for each of those sequences.

    Notes
    -----
    **Guarantee**: two sequences are in the same intersection if they are in the same group of every release.
    Every intersection is counted, with code that no operation uses. Those who were dropped from a release
    count as a group of it: someone who sees a record in one release and not in another learns that it was
    dropped. Only those who are in none of the releases are left out, because there is nothing to be found.

    **Not protected**: only groups are compared. Use the check of each release for what is in it, such as
    ``verify.is_generalized``. What the releases say together about a sensitive event is not checked either:
    an intersection of many people may share one.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdseqpriv import verify
    >>> first = pd.DataFrame({"seq_id": list("abcd"), "released_id": range(4), "group": [0, 0, 1, 1]})
    >>> verify.are_compatible([first, first.assign(group=[1, 1, 0, 0])], 2)
    holds: 2 intersections of the groups of 2 releases, each with at least 2 sequences
    >>> verify.are_compatible([first, first.assign(group=[0, 1, 0, 1])], 2)
    does not hold: 4 of 4 intersections of the groups of 2 releases have fewer than 2 sequences
    """
    whole_number("k", k, least=2)
    yes_or_no("reveal", reveal)
    frames = _frames(keys)
    with in_our_words(refusal("the keys hold ids or people that pandas cannot compare.")):
        groups = _groups(frames, person)
    released = groups[groups["class"].notna().any(axis=1)]
    return _verdict(released, k, len(frames), "sequence" if person is None else "person", reveal=reveal)


def _frames(keys: object) -> list[pd.DataFrame]:
    """Return the keys as frames of pandas."""
    if not isinstance(keys, list | tuple):
        raise wrong_parameter("keys", _KEYS, type(keys).__name__, "Put the keys into a list.")
    frames: list[pd.DataFrame] = as_frames(keys)
    for one in frames:
        if not isinstance(one, pd.DataFrame):
            raise wrong_parameter("keys", _KEYS, f"a list with {type(one).__name__} in it")
    if len(frames) < 2:  # noqa: PLR2004 (a pair)
        came, do = f"a list of {len(frames)}", "A single release has nothing to be linked to."
        raise wrong_parameter("keys", _KEYS, came, do)
    return frames


def _groups(keys: list[pd.DataFrame], person: Hashable | None) -> pd.DataFrame:
    """Put the keys side by side: of each sequence its id, its person, and its group in each release."""
    read: list[pd.DataFrame] = []
    for number, key in enumerate(keys):
        try:
            read.append(_read(key, person))
            if number:
                _must_name_the_same(read[0], read[-1])
        except SeqPrivError as error:
            raise said_of(f"in keys[{number}]", error) from None
    groups = {("class", str(number)): one["group"] for number, one in enumerate(read)}
    return pd.DataFrame({("id", ""): read[0].index, ("person", ""): read[0]["person"], **groups})


def _read(key: pd.DataFrame, person: Hashable | None) -> pd.DataFrame:
    """Return person and group of each sequence, by its id."""
    ids = key[_id_column(key, person)]
    who = ids if person is None else key[person]
    numbers = "whole numbers, null for those who were dropped"
    with in_our_words(refusal(f"released_id and group must be {numbers}.")):
        released, group = (pd.array(key[name], dtype="Int64") for name in _NUMBERS)
    if ids.isna().any() or who.isna().any():
        raise refusal("the key has nulls among its ids or people, so it is not what with_key=True returned.")
    if ids.duplicated().any():
        raise refusal("the key must name each sequence once, but some repeat.")
    if (released.isna() != group.isna()).any():
        raise refusal("released_id and group must be null for the same sequences: those who were dropped.")
    index = pd.Index(ids.astype(object), dtype=object)
    return pd.DataFrame({"person": who.astype(object).to_numpy(), "group": group}, index=index)


def _id_column(key: pd.DataFrame, person: Hashable | None) -> Hashable:
    """Return the only column that is not one of the others."""
    columns = list(key.columns)
    if "group" not in columns:
        do = 'k_anonymize gives groups with guarantee="identical", generalize always.'
        raise refusal(f"a key with the column 'group' is needed, but it has the columns {columns}. {do}")
    others = [*_NUMBERS] if person is None else [*_NUMBERS, person]
    missing = next((name for name in others if columns.count(name) != 1), None)
    if missing is not None:
        raise refusal(f"the key must have the column {missing!r} once, but it has the columns {columns}.")
    ids = [name for name in columns if name not in others]
    if len(ids) != 1:
        do = "If one of them says whose sequence it is, name it: person=..." if person is None else ""
        raise refusal(
            f"the key must have one column of original ids, but these are left: {ids}. {do}".strip()
        )
    return ids[0]  # type: ignore[no-any-return]


def _must_name_the_same(first: pd.DataFrame, other: pd.DataFrame) -> None:
    """Refuse a key that names other sequences than the first one, or other people."""
    common = len(first.index.intersection(other.index))
    if common < len(first) or common < len(other):
        raise refusal(
            f"this is the key of another table: it shares {common} of its {counted(len(other), 'sequence')} "
            f"with the {len(first)} of the first key. Give the keys of releases of the same table."
        )
    moved = int((other["person"].reindex(first.index) != first["person"]).sum())
    if moved:
        belong = "belongs" if moved == 1 else "belong"
        raise refusal(f"{counted(moved, 'sequence')} of this key {belong} to someone else in the first key.")


def _verdict(groups: pd.DataFrame, k: int, n_keys: int, noun: str, *, reveal: bool) -> Verdict:
    """Count the different people of every intersection."""
    places = groups["class"].astype("Int64").fillna(_DROPPED)
    intersection = places.groupby(list(places.columns), sort=False).ngroup().to_numpy()
    people = groups["person"].groupby(intersection).nunique()
    nouns = "people" if noun == "person" else "sequences"
    checked = f"{counted(len(people), 'intersection')} of the groups of {n_keys} releases"
    small = people[people < k]
    if not len(small):
        least = "" if not len(people) else f", each with at least {people.min()} {nouns}"
        return Verdict(True, f"{checked}{least}", len(people))
    have = "has" if len(small) == 1 else "have"
    sentence = f"{len(small)} of {checked} {have} fewer than {k} {nouns}"
    inside = np.isin(intersection, small.index)
    if reveal:
        shown = {"which": groups["id"][inside], nouns: people.reindex(intersection[inside]).to_numpy()}
        return Verdict(False, sentence, len(people), len(small), pd.DataFrame(shown).reset_index(drop=True))
    sizes = people.reindex(intersection[inside]).value_counts().sort_index()
    details = {nouns: sizes.index, "intersections": small.value_counts().reindex(sizes.index).to_numpy()}
    if noun == "person":
        details["sequences"] = sizes.to_numpy()
    return Verdict(False, sentence, len(people), len(small), pd.DataFrame(details))
