"""Measure how identifiable the people in a table are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, Literal, Unpack, get_args

import pandas as pd

from pdseqpriv.audit.attacked_tables import (
    belonging_of_tables,
    check_pair,
    check_sizes,
    has_times,
    names_people,
    read_tables,
    recorded_k,
    refuse_generalized,
)
from pdseqpriv.audit.candidates import count_candidates
from pdseqpriv.audit.interval_linkage import link_by_intervals
from pdseqpriv.audit.knowledge import Knows, read_knows
from pdseqpriv.audit.known_events import Order, read_resolution
from pdseqpriv.audit.linkage import link_people
from pdseqpriv.audit.own_sequences import applied_since, own_sequences
from pdseqpriv.audit.risk_in_parts import risk_in_parts
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table
from pdseqpriv.errors import refusal, wrong_parameter
from pdseqpriv.parameters import one_of, one_or_several, seed_number, whole_number, yes_or_no
from pdseqpriv.sequences.columns import ColumnNames, has_intervals
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike

Attacker = Literal["candidates", "linkage"]

_FEW_EVENTS = 3  # known by default
_USUAL: list[Knows] = ["whole", 0.5]  # what attackers know by default


@on_tables(anywhere=True)
def risk(
    table: Table,
    known: int | Sequence[int] | None = None,
    *,
    attack: Attacker = "candidates",
    knows: Knows | Sequence[Knows] | None = None,
    with_time: bool = False,
    in_order: bool = True,
    resolution: str | float | dt.timedelta | None = None,
    k: int | None = None,
    original: Table | None = None,
    key: pd.DataFrame | None = None,
    taxonomy: TaxonomyLike | None = None,
    sample: int | None = None,
    seed: int = 0,
    **_columns: Unpack[ColumnNames],
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
        The attacker also knows when the events happened. If not, the result also says what an attacker finds
        who does.
    in_order : bool
        The attacker knows in which order they happened; ignored when times are known.
    resolution : "second", "minute", "hour", "day", "week", a time span, or a number, optional
        How precisely times are known: for datetimes one of the words, or a span such as ``"6h"`` or
        ``"30min"``; for numeric times a width. Exactly by default. Weeks begin on Mondays. Only together with
        ``with_time=True``.
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
        quick, and up to 1,000 people otherwise. If it is given, more is tried before what is known is drawn
        as well.
    seed : int
        Seed for drawing people, and what is known about them.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.DataFrame
        For ``attack="candidates"`` one row per number of known events:

        - ``known``, ``attack``: what was measured; ``people``: how many were looked at, ``of_people``: of how
          many in all;
        - ``unique_share``: the share of people whom some such knowledge singles out, with ``unique_low`` and
          ``unique_high``, a 95 % interval (the same number if exact);
        - ``below_k_share``: the share of people whom some such knowledge narrows down to fewer than ``k``
          candidates;
        - ``worst_probability``: the highest probability of being found, over all people and knowledge;
        - ``mean_worst_probability``: each person's highest probability, averaged over people;
        - ``mean_probability``: averaged over what may be known, then over people;
        - ``known_sets``: how many sets of known events were tried, for all people together;
        - ``method``: "exact"; "sampled", if people were drawn, so that ``worst_probability`` is theirs; or
          "sampled knowledge", if there is so much that may be known that for each person only 20 sets drawn
          at random and the one of the rarest events were tried. Worse ones may exist: the true
          ``unique_share``, ``below_k_share``, ``worst_probability`` and ``mean_worst_probability`` are at
          least what is shown. ``unique_high`` is still a limit: only people are counted whom their whole
          sequence singles out;
        - ``unique_with_times``, ``mean_with_times``: ``unique_share`` and ``mean_probability`` for attackers
          who also know the exact times, measured for 200 people if there are many. Null if the times of a
          release are not those of the original.

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
          that are the person's own, in order, and were not known; averaged over picks and people;
        - ``events_mistaken``: how many events of the record picked are not the person's;
        - ``method``: "exact", or "sampled" if people, or what is known about them, were drawn.

        For a generalized table there is one row for each of ``knows``, with attack "intervals", and without
        the last two numbers: attackers know times as well, and a record fits if all that they know lies in
        its intervals and categories (and, if they know everything, if no interval is empty). They pick one of
        those that fit, which are at least those of the person's group.

    Notes
    -----
    **Guarantee**: exact where the result says so. For ``attack="candidates"``, what may be known are the
    distinct patterns of that many events in the person's sequence, or in any of the person's sequences,
    each counted once. Sets that are drawn are weighted so that each pattern counts once as well. The work is
    bounded, however many people there are and however much is known.

    **Not protected**: nothing is changed. The numbers are for the owner of the data only. An attacker may
    know things other than events, and may be cleverer than those simulated here: the real risk is at least
    what linkage finds. Two releases of the same people can be linked to each other, which is not measured:
    a PrivacyWarning says so if the record of the table shows several steps.

    **What a small number means**: with ``original``, ``attack="candidates"`` counts the records that contain
    *all* that is known, as theorem 1 does. It says nothing about an attacker who takes the record that fits
    best. In releases of ``k_anonymize(10)``, where the theorem allows 0.1, such attackers who knew the whole
    sequence found 25 to 52 % of the people in four real tables on average. Check ``attack="linkage"`` before
    you share a release.

    **Large tables**: the same numbers. People are drawn here, from 20 bytes per distinct sequence, and
    candidates are counted where the rows are. All sequences come here as numbers, 12 bytes per row, if all
    that may be known is tried, for ``attack="linkage"``, and if people are named.

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
    if attack == "candidates":
        refuse_generalized(table)
    given = {"known": known, "with_time": with_time, "in_order": in_order, "resolution": resolution}
    of_records = None if names_people(original) else key
    _refuse_options_of_the_other(attack, {**given, "knows": knows, "key": of_records, "taxonomy": taxonomy})
    enough = whole_number("k", recorded_k(table, original) if k is None else k, least=2)
    seed_number(seed)
    if sample is not None:
        whole_number("sample", sample, least=1)
    if attack == "linkage":
        found = _link(table, original, key, taxonomy, knows, k=enough, sample=sample, seed=seed)
        return _checked(found, "linkage")
    numbers = _several(_FEW_EVENTS if known is None else known)
    with_time, in_order = yes_or_no("with_time", with_time), yes_or_no("in_order", in_order)
    order: Order = "with times" if with_time else "in order" if in_order else "any order"
    drawing: dict[str, Any] = {"k": enough, "sample": sample, "seed": seed}
    found = risk_in_parts(table, original, numbers, order, resolution, **drawing)
    if found is not None:
        return _checked(found, "risk")
    tables = read_tables(table, original)
    belonging = belonging_of_tables(tables, table, original, key)
    if original is not None:
        check_pair(*tables, with_time=with_time)
    width = read_resolution(resolution, tables[0], with_time=with_time)
    drawing["has_times"] = has_times(tables)
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
    if has_intervals(table):
        if key is None:
            do = "Only the key says which group somebody is in."
            raise wrong_parameter("key", "given with a generalized table", "None", do)
        return link_by_intervals(original, table, key, knowledge, tree, **drawing)
    before, after = read_tables(table, original)
    check_sizes(before, after)
    own = own_sequences(before, after, key, applied_since(original, table))
    return link_people(before, after, own, knowledge, tree, **drawing)


def _checked(found: pd.DataFrame, kind: Literal["risk", "linkage"]) -> pd.DataFrame:
    from pdseqpriv.schemas import validate_output

    return validate_output(found, kind)


def _several(known: int | Sequence[int]) -> list[int]:
    numbers = one_or_several(known)
    if not numbers:
        raise wrong_parameter("known", "an int of at least 1, or a list of these", "an empty list")
    return [whole_number("known", number, least=1) for number in numbers]
