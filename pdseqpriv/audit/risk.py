"""Measure how identifiable the people in a table are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import pandas as pd

from pdseqpriv.audit.belonging import Belonging, belonging_of, belonging_of_records
from pdseqpriv.audit.candidates import count_candidates
from pdseqpriv.audit.knowledge import Knows, read_knows
from pdseqpriv.audit.known_events import Order, read_resolution
from pdseqpriv.audit.linkage import link_people
from pdseqpriv.audit.own_sequences import applied_since, own_sequences, warn_of_what_was_applied
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import RELEASED, BoundTable, Table, bind, read, read_both
from pdseqpriv.errors import SeqPrivError, refusal, said_of, wrong_parameter
from pdseqpriv.parameters import one_of, one_or_several, seed_number, whole_number, yes_or_no
from pdseqpriv.sequences.record import claims_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike

Attacker = Literal["candidates", "linkage"]

_FEW_EVENTS = 3  # known by default
_USUAL: list[Knows] = ["whole", 0.5]  # what attackers know by default
_ENOUGH = 10  # candidates by default


@on_tables()
def risk(
    table: Table,
    known: int | Sequence[int] | None = None,
    *,
    attack: Attacker = "candidates",
    knows: Knows | Sequence[Knows] | None = None,
    with_time: bool = False,
    in_order: bool = True,
    resolution: str | float | None = None,
    k: int | None = None,
    original: Table | None = None,
    key: pd.DataFrame | None = None,
    taxonomy: TaxonomyLike | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Measure how likely someone who knows some of a person's events is to find that person.

    There are two kinds of attackers. With ``attack="candidates"`` (Monreale et al. 2014, definition 2), they
    know ``known`` of a person's events, or all of them if there are fewer. Everybody whose sequence contains
    these events is a candidate, and they pick one at random. ``attack="linkage"`` is for releases: attackers
    pick the record that best fits what they know, whether or not it contains all of it.

    If the table names people (``using(person=...)``; with ``original``, name them there), attackers know
    events of any one sequence of a person. Candidates are then different people who have a sequence that
    contains them, and a person is found by any of their records.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row: a table, or its release together with ``original``.
    known : int or list of int
        For ``attack="candidates"``: how many events the attacker knows, 3 by default. A list returns one row
        for each number.
    attack : {"candidates", "linkage"}
        What the attacker does.
    knows : "whole", float, int, or a list of these
        For ``attack="linkage"``: what the attacker knows about a person. The ``"whole"`` sequence; a share of
        its events, such as 0.5, drawn at random; or a number of events. By default ``["whole", 0.5]``.
    with_time : bool
        The attacker also knows when the events happened.
    in_order : bool
        The attacker knows in which order they happened; ignored when times are known.
    resolution : "second", "minute", "hour", "day", or a number, optional
        How precisely times are known: one of the words for datetimes, a width for numeric times; exactly by
        default. Only together with ``with_time=True``.
    k : int, optional
        How many candidates are considered enough. ``below_k_share`` depends on it and, with ``original``, so
        does every probability of ``attack="candidates"``: candidates are counted in the original if it has
        ``k`` of them and the release has fewer, otherwise in the release. With ``original``, the default is
        the ``k`` of the last k_anonymize in the record of the release; without either it is 10. Tables of
        Polars have no place for the record: give ``k``.
    original : DataFrame, optional
        For a release: what the attacker knows comes from this table. With ``attack="candidates"``, candidates
        are counted as in the proof of the paper's theorem 1.
    key : DataFrame, optional
        For ``attack="linkage"``, or if people are named: which released sequence belongs to whom, as
        ``with_key=True`` returns it: the original id and ``released_id``, null for those who were dropped.
        Not needed if the release has the ids and times of the original.
    taxonomy : Taxonomy or what makes one, optional
        For ``attack="linkage"``: if the release has categories, the taxonomy they come from. A category fits
        every event below it.
    sample : int, optional
        Measure only this many people, drawn at random across all lengths. By default everybody if that is
        quick, and 1,000 people otherwise.
    seed : int
        Seed for drawing people, and what is known about them.

    Returns
    -------
    pandas.DataFrame
        For ``attack="candidates"`` one row per number of known events:

        - ``known``, ``attack``, ``people``: what was measured;
        - ``unique_share``: the share of people whom some such knowledge singles out, with ``unique_low`` and
          ``unique_high``, a 95 % interval (the same number if exact);
        - ``below_k_share``: the share of people whom some such knowledge narrows down to fewer than ``k``
          candidates;
        - ``worst_probability``: the highest probability of being found, over all people and knowledge;
        - ``mean_worst_probability``: each person's highest probability, averaged over people;
        - ``mean_probability``: averaged over what may be known, then over people;
        - ``method``: "exact" or "sampled". If sampled, ``worst_probability`` is that of the people drawn.

        For ``attack="linkage"`` two rows for each of ``knows``, one per way of deciding what fits best:

        - ``knows``, ``attack`` ("containment" or "common subsequence"), ``people`` in the original, and how
          many of them were ``attacked``;
        - ``unique_share``: the share of people who are found for certain, because their own record is the
          only one that fits best;
        - ``below_k_share``: the share of people who are found with a probability above 1/``k``;
        - ``worst_probability``: the highest probability of being found;
        - ``mean_probability``: averaged over people, with ``mean_low`` and ``mean_high``, a 95 % interval
          (the same number if exact). People who were dropped cannot be found and count as 0;
        - ``events_learned``: how many events of a person the attacker learns: events of the record picked
          that are true of the person, in order, and were not known; averaged over picks and people;
        - ``events_mistaken``: how many events of the record picked are not true of the person;
        - ``method``: "exact", or "sampled" if people, or what is known about them, were drawn.

    Notes
    -----
    **Guarantee**: exact where the result says so. For ``attack="candidates"``, what may be known are the
    distinct patterns of that many events in the person's sequence, or in any of the person's sequences,
    each counted once.

    **Not protected**: nothing is changed. The numbers are for the owner of the data only. An attacker may
    know things other than events, and may be cleverer than those simulated here: the real risk is at least
    what linkage finds. Two releases of the same people can be linked to each other, which is not measured:
    a PrivacyWarning says so if the record of the table shows several steps.

    **What a small number means**: with ``original``, ``attack="candidates"`` counts the records that contain
    *all* that is known, as theorem 1 does. It says nothing about an attacker who takes the record that fits
    best. In releases of ``k_anonymize(10)``, where the theorem allows 0.1, such attackers who knew the whole
    sequence found 25 to 52 % of the people in four real tables on average. Check ``attack="linkage"`` before
    you share a release.

    **How attackers link**: by *containment*, an attacker who knows the whole sequence takes the longest
    record that it contains; if there is none, the shortest record that contains it. An attacker who knows a
    part takes the shortest record that contains all of it; if there is none, the longest that it contains. By
    *common subsequence*, an attacker takes the records that have the most events in common with what is
    known, in the same order, and of these the shortest, which has the fewest unexplained events. Where labels
    are categories, records that could stand for fewer other events come first among equals. If several fit
    equally well, one of them is picked at random. Simultaneous events are a set: a set can be matched with
    one set, and counts as many events as the two have in common.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2, 3, 3], "event": list("ababba"), "time": [1, 2, 1, 2, 1, 2]})
    >>> df.seqpriv.risk(known=[1, 2])[["known", "unique_share", "mean_probability", "method"]]
       known  unique_share  mean_probability method
    0      1      0.000000          0.333333  exact
    1      2      0.333333          0.666667  exact

    By theorem 1 nobody is found in this release with a probability above 1/2. An attacker who links finds one
    of the three people for certain:

    >>> released, key = df.seqpriv.k_anonymize(2, with_key=True)
    >>> float(released.seqpriv.risk(known=2, original=df)["worst_probability"].max())
    0.5
    >>> found = released.seqpriv.risk(original=df, key=key, attack="linkage", knows="whole")
    >>> found[["attack", "unique_share", "worst_probability", "mean_probability"]]
                   attack  unique_share  worst_probability  mean_probability
    0         containment      0.333333                1.0          0.666667
    1  common subsequence      0.333333                1.0          0.666667
    """
    one_of("attack", attack, get_args(Attacker))
    given = {"known": known, "with_time": with_time, "in_order": in_order, "resolution": resolution}
    of_records = None if _names_people(original) else key
    _refuse_options_of_the_other(attack, {**given, "knows": knows, "key": of_records, "taxonomy": taxonomy})
    enough = whole_number("k", _recorded_k(table, original) if k is None else k, least=2)
    seed_number(seed)
    if sample is not None:
        whole_number("sample", sample, least=1)
    if attack == "linkage":
        found = _link(table, original, key, taxonomy, knows, k=enough, sample=sample, seed=seed)
        return _checked(found, "linkage")
    numbers = _several(_FEW_EVENTS if known is None else known)
    with_time, in_order = yes_or_no("with_time", with_time), yes_or_no("in_order", in_order)
    tables = _read(table, original)
    belonging = _belonging(tables, table, original, key)
    if original is not None:
        _check_pair(*tables, with_time=with_time)
    order: Order = "with times" if with_time else "in order" if in_order else "any order"
    width = read_resolution(resolution, tables[0], with_time=with_time)
    drawing: dict[str, Any] = {"k": enough, "sample": sample, "seed": seed}
    return _checked(count_candidates(tables, numbers, order, width, belonging, **drawing), "risk")


# The options that only one attack has, and their defaults.
_OF_ONE: dict[str, dict[str, object]] = {
    "candidates": {"known": None, "with_time": False, "in_order": True, "resolution": None},
    "linkage": {"knows": None, "key": None, "taxonomy": None},
}


def _refuse_options_of_the_other(attack: Attacker, given: dict[str, object]) -> None:
    """Refuse what would be ignored."""
    for other, options in _OF_ONE.items():
        strange = [
            name for name, default in options.items() if other != attack and given[name] is not default
        ]
        if strange:
            do = ' With attack="linkage" it is called knows.' if strange[0] == "known" else ""
            raise refusal(
                f'{strange[0]} must be left out with attack="{attack}", which has no use for it.{do}'
            )


def _link(
    table: Table,
    original: Table | None,
    key: pd.DataFrame | None,
    taxonomy: TaxonomyLike | None,
    knows: Knows | Sequence[Knows] | None,
    **drawing: Any,  # noqa: ANN401 (k, sample and seed)
) -> pd.DataFrame:
    if original is None:
        do = "What attackers know comes from it."
        raise wrong_parameter("original", 'given with attack="linkage"', "None", do)
    knowledge = read_knows(_USUAL if knows is None else knows)
    tree = None if taxonomy is None else Taxonomy(taxonomy)
    before, after = _read(table, original)
    _check_sizes(before, after)
    own = own_sequences(before, after, key, applied_since(original, table))
    return link_people(before, after, own, knowledge, tree, **drawing)


def _read(table: Table, original: Table | None) -> list[Sequences]:
    """Read the table; with an original, that first."""
    warn_of_what_was_applied(table, original)
    if original is None:
        return [read(table)]
    before, after = read_both(original, table)
    if after.people is not None and before.people is None:
        raise refusal("people are named in the release only. Name them in the original: using(person=...).")
    return [before, after]


def _names_people(table: Table | None) -> bool:
    return isinstance(table, BoundTable) and table.columns.person is not None


def _belonging(
    tables: list[Sequences], table: Table, original: Table | None, key: pd.DataFrame | None
) -> list[Belonging] | None:
    """Say whose the sequences of each table are, where people have several."""
    before = belonging_of(tables[0])
    if before is None or original is None:
        return None if before is None else [before]
    own = own_sequences(tables[0], tables[1], key, applied_since(original, table))
    return [before, belonging_of_records(tables[0], tables[1], own)]


def _checked(found: pd.DataFrame, kind: Literal["risk", "linkage"]) -> pd.DataFrame:
    from pdseqpriv.schemas import validate_output

    return validate_output(found, kind)


def _recorded_k(table: Table, original: Table | None) -> int:
    """Return the k that a release was made with, if it says so."""
    if original is None:
        return _ENOUGH
    try:
        steps = claims_of(bind(table).frame)["applied"]
    except SeqPrivError as error:
        raise said_of(RELEASED, error) from None
    told = [step["parameters"].get("k") for step in steps if step["operation"] == "k_anonymize"]
    return told[-1] if told and isinstance(told[-1], int) else _ENOUGH


def _several(known: int | Sequence[int]) -> list[int]:
    numbers = one_or_several(known)
    if not numbers:
        raise wrong_parameter("known", "an int of at least 1, or a list of these", "an empty list")
    return [whole_number("known", number, least=1) for number in numbers]


def _check_pair(original: Sequences, released: Sequences, *, with_time: bool) -> None:
    if with_time and original.time_unit != released.time_unit:
        raise refusal("the original and the release have different kinds of times, which cannot be compared.")
    if released.n_rows and not original.vocabulary.isin(released.vocabulary).any():
        raise refusal("no event of the release occurs in the original. Do the tables belong together?")
    _check_sizes(original, released)


def _check_sizes(original: Sequences, released: Sequences) -> None:
    if released.n_sequences > original.n_sequences:
        raise refusal("the release has more sequences than the original. Were they swapped?")
