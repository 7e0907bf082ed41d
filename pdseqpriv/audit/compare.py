"""Compare an original with its release: how much utility is left."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, Literal

import pandas as pd

from pdseqpriv.audit.frequent_patterns import find_frequent_patterns
from pdseqpriv.audit.general_measures import category_measures, general_measures
from pdseqpriv.audit.measures import Measure, rows_of
from pdseqpriv.audit.pairs import Kind, kind_of_pair, read_both, warn_if_swapped
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.errors import refusal
from pdseqpriv.hiding.measures import lost_pattern_measures, mark_measures
from pdseqpriv.k_anonymity.measures import frequent_pattern_measures
from pdseqpriv.parameters import list_of_events, minimum_support, one_of, seed_number, share, whole_number
from pdseqpriv.pattern_release.measures import pattern_measures
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike


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
        The support from which a pattern is frequent, as in :func:`pdseqpriv.mine`: a count, or a share of the
        sequences. Adds the measures of frequent patterns.
    delta : number above 0 and at most 1, optional
        The relative frequency from which an event is frequent. Adds the share of ghost events.
    events : list of events
        The sensitive events, which do not count as ghosts.
    scope : {"sequence", "table"}
        Whether sanitization is measured per sequence, or on the table pooled by time.
    sample : int, optional
        Compute the measures of frequent patterns, which are the slow ones, from only this many sequences of
        the original and the same share of the release: the sequences with the same ids if every id of the
        release also occurs in the original, otherwise others. They are then estimates; patterns near
        ``min_support`` may appear or disappear by chance. All other measures always use everything.
    seed : int
        Seed for drawing the sample.
    key : DataFrame, optional
        For a generalized release: which released sequence belongs to whom, as
        ``generalize(..., with_key=True)`` returns it. Adds the information loss.
    taxonomy : Taxonomy or what makes one, optional
        The taxonomy of a release with categories; for a generalized release, None means the flat one. For
        two sequence tables, it adds how many events are left as they were, how many as categories, and how
        much of the information is kept.
    monitored : list of events, optional
        For a generalized release: the events that it was made for; None means all.
    window : number or time span, optional
        For a generalized release: how soon one event must follow another to count as its effect; by default
        a twentieth of the time that the original spans.

    Returns
    -------
    pandas.DataFrame
        ``measure``, ``value``, ``better`` ("lower" or "higher"), ``paper``, ``meaning``, ``basis`` ("all" or
        "sample of 1000"), with one row per measure that applies to the two tables.

    Notes
    -----
    **Guarantee**: none; it measures.

    **Not protected**: the numbers are computed from the original and are for its owner only: they show, for
    example, how many sequences were dropped.

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
    options: dict[Kind, dict[str, Any]] = {
        "sequences": {
            "min_support": min_support,
            "delta": delta,
            "events": events,
            "scope": scope,
            "sample": sample,
            "seed": seed,
            "taxonomy": taxonomy,
        },
        "generalized": {"key": key, "taxonomy": taxonomy, "monitored": monitored, "window": window},
        "patterns": {},
    }
    kind = kind_of_pair(original, released)
    _refuse_options_of_other_tables(kind, options)
    measures = _MEASURERS[kind](original, released, **options[kind])
    return pd.DataFrame(measures, columns=list(Measure._fields))


_PAIRS: dict[Kind, str] = {
    "sequences": "two sequence tables",
    "generalized": "a generalized release",
    "patterns": "two pattern tables",
}
_DEFAULTS = {"events": (), "scope": "sequence", "seed": 0}


def _refuse_options_of_other_tables(kind: Kind, options: dict[Kind, dict[str, Any]]) -> None:
    for other in options.keys() - {kind}:
        for name in options[other].keys() - options[kind].keys():
            value, default = options[other][name], _DEFAULTS.get(name)
            if value is not default and not (isinstance(value, type(default)) and value == default):
                raise refusal(f"{name} applies to {_PAIRS[other]}, but got {_PAIRS[kind]}. Leave it out.")


def _measure_patterns(original: Table, released: Table) -> list[Measure]:
    return rows_of(pattern_measures(original, released), {}, "all")


def _measure_generalized(original: Table, released: Table, **options: Any) -> list[Measure]:  # noqa: ANN401 (checked there)
    from pdseqpriv.generalization.measures import generalization_measures

    values = generalization_measures(original, released, **options)
    warn_if_swapped(original, released)
    return rows_of(values, {}, "all")


def _measure_sequences(
    original: Table,
    released: Table,
    *,
    min_support: object,
    delta: object,
    events: object,
    scope: Literal["sequence", "table"],
    sample: object,
    seed: object,
    taxonomy: TaxonomyLike | None,
) -> list[Measure]:
    from pdseqpriv.sanitization.measures import sanitization_measures

    one_of("scope", scope, ("sequence", "table"))
    support = None if min_support is None else minimum_support(min_support)
    threshold = None if delta is None else share("delta", delta)
    sensitive = list_of_events("events", events)
    size = None if sample is None else whole_number("sample", sample, least=1)
    start = seed_number(seed)
    categories = None if taxonomy is None else Taxonomy(taxonomy)
    before, after = read_both(original if categories is None else _with_text_events(original), released)
    warn_if_swapped(original, released)
    _refuse_mixed_events(before, after)
    values = {
        **general_measures(before, after),
        **({} if categories is None else category_measures(before, after, categories)),
        **mark_measures(before, after),
        **sanitization_measures(before, after, scope=scope, delta=threshold, events=sensitive),
    }
    if support is None:
        return rows_of(values, {}, "all")
    found = find_frequent_patterns(before, after, support, size, start)
    of_patterns = {
        **frequent_pattern_measures(found.before / found.n_before, found.after / found.n_after),
        **lost_pattern_measures(found.before, found.still),
    }
    return rows_of(values, of_patterns, found.basis)


def _with_text_events(original: Table) -> Table:
    """Give whole numbers as text: that is what they are in a release beside categories."""
    bound = bind(original)
    name = bound.columns.event
    if name not in bound.frame.columns or not pd.api.types.is_integer_dtype(bound.frame[name]):
        return bound
    return replace(bound, frame=bound.frame.assign(**{str(name): bound.frame[name].astype("str")}))


_MEASURERS: dict[Kind, Callable[..., list[Measure]]] = {
    "sequences": _measure_sequences,
    "generalized": _measure_generalized,
    "patterns": _measure_patterns,
}


def _refuse_mixed_events(before: Sequences, after: Sequences) -> None:
    kinds = {isinstance(table.vocabulary[0], Integral) for table in (before, after) if len(table.vocabulary)}
    if len(kinds) > 1:
        raise refusal(
            "the events of one table are text and those of the other are whole numbers. "
            "Do the tables belong together?"
        )
