"""What utility is left: an original and a release side by side."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, Literal

import pandas as pd

from pdseqpriv.audit.general_measures import general_measures
from pdseqpriv.audit.measure import Comparison, Measure
from pdseqpriv.audit.pairs import bind_both, read_both, warn_if_swapped
from pdseqpriv.audit.sample import draw
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import BoundTable, Table
from pdseqpriv.errors import refusal
from pdseqpriv.generalization.original_and_release import is_generalized_table
from pdseqpriv.hiding.measures import hiding_measures
from pdseqpriv.k_anonymity.measures import frequent_pattern_measures
from pdseqpriv.parameters import list_of_events, minimum_support, one_of, seed_number, share, whole_number
from pdseqpriv.pattern_release.measures import is_pattern_table, pattern_measures
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.taxonomy.taxonomy import TaxonomyLike


@on_tables("comparison")
def compare(
    original: Table,
    released: Table,
    *,
    min_support: float | None = None,
    delta: float | Fraction | Decimal | None = None,
    events: Iterable[Hashable] = (),
    scope: Literal["sequence", "table"] = "sequence",
    sample: int | None = None,
    seed: int = 0,
    key: pd.DataFrame | None = None,
    taxonomy: TaxonomyLike | None = None,
    monitored: Iterable[Hashable] | None = None,
    window: SpanLike = None,
) -> pd.DataFrame:
    """Measure what a release keeps of the original.

    Works on any two sequence tables, on any two pattern tables, and on a sequence table and a generalized
    one, whoever made the second one.

    Parameters
    ----------
    original, released : DataFrame, or ``df.seqpriv.using(...)``
        The table before and after. A plain release may have the column names that the original was bound to.
    min_support : int or float, optional
        From which support on a pattern is frequent, as in :func:`pdseqpriv.mine`: a count, or a share of the
        sequences. Asks for the measures of frequent patterns.
    delta : number above 0 and at most 1, optional
        From which relative frequency on an event is frequent; asks for the share of ghost events.
    events : list of events
        The sensitive ones, which are no ghosts.
    scope : {"sequence", "table"}
        Whether sanitization is measured per sequence, or on the table pooled by time.
    sample : int, optional
        Take the measures of frequent patterns, which are the expensive ones, of so many sequences of the
        original only, and of the same share of the release: of the sequences with the same ids where every
        id of the release is one of the original, of others where not. They then are estimates; patterns
        near ``min_support`` come and go by chance. All other measures are always taken of everything.
    seed : int
        For drawing the sample.
    key : DataFrame, optional
        Of a generalized release: which sequence is whose, as ``generalize(..., with_key=True)`` gives it.
        Asks for the information loss.
    taxonomy : Taxonomy or what makes one, optional
        Of a generalized release: the one it was made with; None is the flat one.
    monitored : list of events, optional
        Of a generalized release: those that it was made for; None stands for all.
    window : number or time span, optional
        Of a generalized release: how soon one event must follow another to count as its effect; a twentieth
        of the time that the original spans when it is not given.

    Returns
    -------
    pandas.DataFrame
        ``measure``, ``value``, ``better`` ("lower" or "higher"), ``paper``, ``meaning``, ``basis`` ("all" or
        "sample of 1000"): one row per measure that applies to the two tables.

    Notes
    -----
    **Guarantee**: none; it measures.

    **Not protected**: the numbers are computed from the original. They are for its owner; a receiver who
    sees them learns, for example, how many sequences were dropped.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abac"), "time": [1, 2, 1, 2]})
    >>> pdseqpriv.compare(df, df[df["event"] == "a"])[["measure", "value"]].head(4)
               measure  value
    0   sequences_lost    0.0
    1      events_kept    0.5
    2  length_distance    1.0
    3   event_distance    0.5
    """
    before, after = bind_both(original, released)
    kind = _kind_of_pair(before.frame, after.frame)
    given: dict[str, Any] = {
        "min_support": min_support,
        "delta": delta,
        "events": events,
        "scope": scope,
        "sample": sample,
        "seed": seed,
        "key": key,
        "taxonomy": taxonomy,
        "monitored": monitored,
        "window": window,
    }
    _refuse_options_of_other_tables(kind, given)
    if kind == "patterns":
        measures = pattern_measures(before.frame, after.frame)
    elif kind == "generalized":
        measures = _measure_generalized(before, after, **{name: given[name] for name in _OPTIONS[kind]})
    else:
        measures = _measure_sequences(before, after, **{name: given[name] for name in _OPTIONS[kind]})
    return pd.DataFrame(measures, columns=list(Measure._fields))


# Which options apply to which pairs of tables, and what such a pair is called.
_OPTIONS = {
    "sequences": ("min_support", "delta", "events", "scope", "sample", "seed"),
    "generalized": ("key", "taxonomy", "monitored", "window"),
    "patterns": (),
}
_PAIRS = {
    "sequences": "two sequence tables",
    "generalized": "a generalized release",
    "patterns": "two pattern tables",
}
_DEFAULTS = {"events": (), "scope": "sequence", "seed": 0}


def _kind_of_pair(before: pd.DataFrame, after: pd.DataFrame) -> str:
    if is_pattern_table(before) != is_pattern_table(after):
        raise refusal("one of the tables holds patterns and the other sequences.")
    if is_pattern_table(before):
        return "patterns"
    return "generalized" if is_generalized_table(after) else "sequences"


def _refuse_options_of_other_tables(kind: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        default = _DEFAULTS.get(name)
        is_given = value is not default and not (isinstance(value, type(default)) and value == default)
        if is_given and name not in _OPTIONS[kind]:
            meant = next(_PAIRS[other] for other, options in _OPTIONS.items() if name in options)
            raise refusal(f"{name} applies to {meant}, but {_PAIRS[kind]} came. Leave it out.")


def _measure_generalized(
    before: BoundTable,
    after: BoundTable,
    *,
    key: pd.DataFrame | None,
    taxonomy: TaxonomyLike | None,
    monitored: Iterable[Hashable] | None,
    window: SpanLike,
) -> list[Measure]:
    from pdseqpriv.generalization.measures import generalization_measures

    warn_if_swapped(before, after)
    return generalization_measures(before, after, key, taxonomy=taxonomy, monitored=monitored, window=window)


def _measure_sequences(
    before: BoundTable,
    after: BoundTable,
    *,
    min_support: object,
    delta: object,
    events: object,
    scope: Literal["sequence", "table"],
    sample: object,
    seed: object,
) -> list[Measure]:
    from pdseqpriv.sanitization.measures import sanitization_measures

    one_of("scope", scope, ("sequence", "table"))
    support = None if min_support is None else minimum_support(min_support)
    size = None if sample is None else whole_number("sample", sample, least=1)
    start = seed_number(seed)
    first, second = read_both(before, after)
    warn_if_swapped(before, after)
    if {_kind(first), _kind(second)} >= {"text", "whole numbers"}:
        raise refusal(
            "the events of one table are text and those of the other whole numbers. "
            "Do the tables belong together?"
        )
    pair = Comparison(
        first,
        second,
        min_support=support,
        scope=scope,
        delta=None if delta is None else share("delta", delta),
        events=list_of_events("events", events),
        sample=draw(first, second, size, start),
    )
    families = (general_measures, frequent_pattern_measures, hiding_measures, sanitization_measures)
    return [measure for family in families for measure in family(pair)]


def _kind(table: Sequences) -> str:
    if not len(table.vocabulary):
        return "none"
    return "whole numbers" if isinstance(table.vocabulary[0], Integral) else "text"
