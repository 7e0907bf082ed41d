"""Check k-anonymity by looking up every released sequence in the original."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Unpack, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.elsewhere import engine_elsewhere
from pdseqpriv.engines.engine import ORIGINAL, RELEASED, Table, bind, collected, read_both, with_its_columns
from pdseqpriv.errors import counted, refusal
from pdseqpriv.k_anonymity.verify_distinct import kinds_of, read_distinct
from pdseqpriv.k_anonymity.verify_key import people_of_releases
from pdseqpriv.k_anonymity.verify_search import (
    Events,
    count_alike,
    events_of,
    has_simultaneous,
    in_common_codes,
)
from pdseqpriv.kept_columns.verify_kept import Told, one_for_each, read_told
from pdseqpriv.parameters import SMALLEST_K, Guarantee, one_of, whole_number, yes_or_no
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.ragged import Ints, count_different
from pdseqpriv.sequences.record import claims_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.taxonomy import Keep, Taxonomy, TaxonomyLike
from pdseqpriv.verdict import Verdict

# Which counts must reach k.
_MUST = {
    "contained": ["in_original"],
    "mutual": ["in_original", "in_release"],
    "identical": ["in_original", "sequences"],
}
# Where people have several sequences, equal ones must be of k different people.
_MUST_OF_PEOPLE = _MUST | {"identical": ["in_original", "people"]}
_NEEDS_KEY = (
    'key must be given to check keep, or guarantee="mutual" or "identical", where people have several '
    "sequences: only the key says whose a released sequence is. Give the frame that with_key=True returns."
)


@on_tables(anywhere=True)
def is_k_anonymous(
    original: Table,
    released: Table,
    k: int,
    *,
    guarantee: Guarantee = "contained",
    taxonomy: TaxonomyLike | None = None,
    key: pd.DataFrame | None = None,
    keep: Keep | None = None,
    reveal: bool = False,
    **_columns: Unpack[ColumnNames],
) -> Verdict:
    """Check that what is released is shared by at least k people.

    Works on any two sequence tables, whoever made the second one. Only events are compared: the ids and times
    of the release may be anything that puts its rows in order.

    Parameters
    ----------
    original : DataFrame
        The table that must be protected.
    released : DataFrame
        What is to be shared. A plain DataFrame may use the column names that the original was bound to.
    k : int
        How many people must share what is released, at least 2.
    guarantee : {"contained", "mutual", "identical"}
        What to check. ``"contained"``: every released sequence is contained in at least ``k`` original ones.
        ``"mutual"``: also in at least ``k`` released ones. ``"identical"``: it is contained in at least ``k``
        original ones and equal to at least ``k - 1`` other released ones. If the original is given with
        ``using(person=...)``, these must be sequences of at least ``k`` different people.
    taxonomy : Taxonomy or what makes one, optional
        The categories that the release was made with: a category contains the events below it.
    key : DataFrame, optional
        Which released sequence belongs to whom, as ``k_anonymize(..., with_key=True)`` returns it. Needed
        for ``"mutual"``, for ``"identical"`` and for ``keep`` with ``using(person=...)``; it must fit both
        tables.
    keep : list of column names, or dict of column names and taxonomies, optional
        Columns of both tables that were kept beside the sequences, as for ``k_anonymize``: only people count
        who have the released values, and equal released sequences must have equal values. Where all values
        are null, nothing is said, and everybody counts. With a dict, people also count whose values are below
        the released ones in the taxonomy, and any null says nothing. Among equal released sequences with
        different values, each combination of values, also that of nothing but nulls, must be that of at least
        ``k`` people: nobody is the only one about whom less is said.
    reveal : bool
        Also show in ``details`` the events and the released ids of the sequences that break the guarantee.
        For the data owner only: these are exactly the sequences that nobody else may see.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    Verdict
        Truthy if the guarantee holds. ``details`` has a row for each distinct sequence that breaks it: its
        number of events, how many original (and released) sequences contain it, counted up to ``k``, and how
        many released sequences are equal to it, itself included. With ``using(person=...)``, people are
        counted instead of sequences that contain it, and ``people`` says how many have an equal one. With
        ``keep``, ``told_apart`` says if fewer than ``k`` of those with this sequence are shown these values.

    Notes
    -----
    **Guarantee**: the check is exact. Each distinct released sequence is looked up in the original, among the
    sequences that have its events often enough, until ``k`` are found that contain it. It shares no algorithm
    with ``k_anonymize``. If it holds, so does definition 3 of Monreale et al. (2014): no part of a released
    sequence is shared by fewer than ``k`` people.

    **Large tables**: the distinct sequences of both are put together in one place, at 12 bytes per event,
    five times, and three times more for each of up to ``k`` equal ones; with ``key``, ``reveal`` or people,
    all sequences, at 12 bytes per row; with ``keep``, both tables must fit into memory.

    **Not protected**: the verdict is about sequences of events. It does not examine other columns of the
    release, its times or ids, or names inside events. Marked (null) events match nothing and are left
    out. It cannot tell whether a released sequence fits the person it was made from.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdseqpriv import verify
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abac"), "time": [1, 2, 1, 2]})
    >>> verify.is_k_anonymous(df, df[df["event"] == "a"], 2)
    holds: each of 2 released sequences is contained in at least 2 of the 2 original ones
    >>> verify.is_k_anonymous(df, df, 2)
    does not hold: 2 of 2 released sequences are contained in fewer than 2 of the 2 original ones
    """
    k = whole_number("k", k, least=SMALLEST_K)
    one_of("guarantee", guarantee, get_args(Guarantee))
    reveal = yes_or_no("reveal", reveal)
    categories = None if taxonomy is None else Taxonomy(taxonomy)
    read = _read_distinct if _needs_no_ids(original, released, key, keep, reveal=reveal) else _read_all
    people, shown, stands_for, told = read(original, released, k, guarantee, key, keep)
    chosen, group = kinds_of(shown)
    search = in_common_codes(people, shown, categories)
    found = pd.DataFrame({"events": np.diff(shown.offsets)[chosen]})
    found["in_original"] = count_alike(search.originals, search.for_originals, chosen, k, told)
    if guarantee == "mutual":
        found["in_release"] = count_alike(search.releases, search.for_releases, chosen, k, told)
    found["sequences"] = np.bincount(group, stands_for, chosen.size).astype(np.int64)
    if shown.people is not None:
        found["people"] = count_different(group, shown.people, chosen.size)
    must = _MUST if people.people is None else _MUST_OF_PEOPLE
    if told is not None:
        found["told_apart"] = _told_apart(shown, chosen, found.get("people", found["sequences"]) < k)
    wrong = ((found[must[guarantee]] < k).any(axis=1) | found.get("told_apart", False)).to_numpy()
    details = found[wrong].reset_index(drop=True)
    if reveal:
        details = details.assign(**_revealed(shown, chosen, group, wrong))
    checked, violations = int(found["sequences"].sum()), int(found["sequences"][wrong].sum())
    sentence = _sentence(checked, violations, k, people, guarantee)
    if checked and keep is not None:
        sentence += f", counting only those whose {' and '.join(map(repr, keep))} fit"
        sentence += ", or too few with the same sequence are shown the same" if violations else ""
    if violations and taxonomy is None and _has_categories(released):
        sentence += "; the release was made with a taxonomy, which is needed here, too: give taxonomy="
    elif checked and (search.for_originals.codes < 0).all():
        sentence += "; none of its events occurs in the original: do the tables belong together?"
    elif violations and has_simultaneous(people) and not has_simultaneous(shown):
        sentence += "; only the original has simultaneous events: was the release made with ties='order'?"
    return Verdict(violations == 0, sentence, checked, violations, details)


def _has_categories(released: Table) -> bool:
    """Return whether the record of a release says that events became categories."""
    applied = claims_of(with_its_columns(released).frame)["applied"]
    return any(step["parameters"].get("taxonomy") for step in applied)


class Compared(NamedTuple):
    """Originals and releases, of how many each release speaks, and what else is told of them."""

    people: Events
    shown: Events
    stands_for: Ints
    told: Told | None


def _needs_no_ids(original: Table, released: Table, key: object, keep: object, *, reveal: bool) -> bool:
    """Return whether distinct sequences will do for tables that are elsewhere."""
    bound = [with_its_columns(original), with_its_columns(released)]
    elsewhere = any(engine_elsewhere(one.frame) is not None for one in bound)
    by_sequence = key is None and all(one.columns.person is None for one in bound)
    return elsewhere and by_sequence and keep is None and not reveal


def _read_distinct(original: Table, released: Table, k: int, *_: object) -> Compared:
    return Compared(*read_distinct(original, released, k), None)


def _read_all(
    original: Table,
    released: Table,
    _: int,
    guarantee: Guarantee,
    key: pd.DataFrame | None,
    keep: Keep | None,
) -> Compared:
    if keep is not None:  # what else is told is in the rows
        original, released = collected(original), collected(released)
    before, after = read_both(original, released)
    roles = {*before.columns.roles.values(), *after.columns.roles.values()}
    told = None if keep is None else read_told(keep, (bind(original).frame, bind(released).frame), roles)
    people = events_of(before, None if told is None else one_for_each(told.original, before, ORIGINAL))
    owned = _with_owners(before, after, key, guarantee, is_told=told is not None)
    shown = events_of(owned, None if told is None else one_for_each(told.released, after, RELEASED))
    return Compared(people, shown, np.ones(len(shown.ids), np.int64), told)


def _with_owners(
    original: Sequences,
    released: Sequences,
    key: pd.DataFrame | None,
    guarantee: Guarantee,
    *,
    is_told: bool,
) -> Sequences:
    """Say whose each released sequence is, where people have several; a key must fit in any case."""
    owners = None if key is None else people_of_releases(original, released, key)
    if original.people is None:
        return released
    if owners is None and (is_told or guarantee != "contained"):
        raise refusal(_NEEDS_KEY)
    return replace(released, people=owners)


def _revealed(
    shown: Events, chosen: Ints, group: Ints, wrong: NDArray[np.bool_]
) -> dict[str, list[tuple[object, ...]]]:
    """Return events and released ids of each kind of sequence that breaks the guarantee."""
    events = shown.vocabulary.to_numpy(dtype=object)[shown.codes]
    kinds = np.flatnonzero(wrong)
    bounds = [(shown.offsets[chosen[kind]], shown.offsets[chosen[kind] + 1]) for kind in kinds]
    members = pd.Series(np.arange(group.size)).groupby(group).indices
    return {
        "sequence": [tuple(events[first:last]) for first, last in bounds],
        "seq_ids": [tuple(shown.ids[members[kind]]) for kind in kinds],
    }


def _told_apart(shown: Events, chosen: Ints, are_few: pd.Series) -> pd.Series:
    """Return which rare kinds of sequences have the events of another, of which something else is told."""
    _, kind = kinds_of(shown._replace(kept=None))
    return are_few & (np.bincount(kind[chosen])[kind[chosen]] > 1)


def _sentence(checked: int, violations: int, k: int, people: Events, guarantee: Guarantee) -> str:
    everyone = counted(people.n_people, "original sequence")
    if people.people is not None:
        everyone = "1 person" if people.n_people == 1 else f"{people.n_people} people"
    if not checked:
        return f"the release is empty and shows nothing of the {everyone}"
    shown = counted(checked, "released sequence")
    if violations:
        who, few, link = f"{violations} of {shown} {'is' if violations == 1 else 'are'}", "fewer than", "or"
    else:
        who, few, link = f"{'' if checked == 1 else 'each of '}{shown} is", "at least", "and"
    if people.people is not None:
        more = {"contained": "", "mutual": " in released ones", "identical": " equal to released ones"}
        of_whom = f" {link}{more[guarantee]} of {few} {k} of them" if more[guarantee] else ""
        return f"{who} contained in sequences of {few} {k} of the {everyone}{of_whom}"
    more = {
        "contained": "",
        "mutual": f" {link} in {few} {k} of the released ones",
        "identical": f" {link} equal to {few} {counted(k - 1, 'other released one')}",
    }
    return f"{who} contained in {few} {k} of the {counted(people.n_people, 'original one')}{more[guarantee]}"
