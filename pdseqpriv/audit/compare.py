"""Compare an original with its release: how much utility is left."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, Unpack

import pandas as pd

from pdseqpriv.audit.measures import BETTER_HIGHER, MEANINGS, Measure
from pdseqpriv.audit.sequence_measures import Values, measure_sequences
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import BoundTable, Table, collected
from pdseqpriv.errors import refusal
from pdseqpriv.pattern_release.measures import pattern_measures
from pdseqpriv.sequences.columns import INTERVAL, PATTERNS, ColumnNames
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.taxonomy.taxonomy import TaxonomyLike

PairKind = Literal["sequences", "generalized", "patterns"]


@on_tables("comparison", anywhere=True)
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
    **_columns: Unpack[ColumnNames],
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
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.DataFrame
        ``measure``, ``value``, ``better`` ("lower" or "higher"), ``paper``, ``meaning``, ``basis`` ("all" or
        "sample of 1000"), with one row per measure that applies to the two tables.

    Notes
    -----
    **Guarantee**: none; it measures. Sequences are counted, also where people are named: a release does not
    say whose its sequences are, so what it keeps of people cannot be seen in it.

    **Not protected**: the numbers are computed from the original and are for its owner only: they show, for
    example, how many sequences were dropped.

    **Large tables**: the same numbers. The sequences of both tables are brought together as numbers, at 12
    bytes per row and the id of each sequence; a generalized release comes here with its rows.

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
    options: dict[PairKind, dict[str, Any]] = {
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
    kind = _kind_of_pair(original, released)
    _refuse_options_of_other_tables(kind, options)
    rows = _rows_of(_MEASURERS[kind](original, released, **options[kind]))
    return Comparison(rows, columns=list(Measure._fields))


class Comparison(pd.DataFrame):
    """A DataFrame whose words are not cut off in a notebook."""

    @property
    def _constructor(self) -> type[Comparison]:
        return Comparison

    def _repr_html_(self) -> str | None:
        with pd.option_context("display.max_colwidth", None):
            return super()._repr_html_()  # type: ignore[no-any-return]


def _rows_of(found: Values) -> list[Measure]:
    """Put the measures into the order of the papers, by what they are based on."""
    return [
        Measure(name, values[name], "higher" if name in BETTER_HIGHER else "lower", paper, meaning, basis)
        for paper, meanings in MEANINGS.items()
        for name, meaning in meanings.items()
        for basis, values in found.items()
        if name in values
    ]


_PAIRS: dict[PairKind, str] = {
    "sequences": "two sequence tables",
    "generalized": "a generalized release",
    "patterns": "two pattern tables",
}
_DEFAULTS = {"events": (), "scope": "sequence", "seed": 0}


def _refuse_options_of_other_tables(kind: PairKind, options: dict[PairKind, dict[str, Any]]) -> None:
    for other in options.keys() - {kind}:
        for name in options[other].keys() - options[kind].keys():
            value, default = options[other][name], _DEFAULTS.get(name)
            if value is not default and not (isinstance(value, type(default)) and value == default):
                raise refusal(f"{name} applies to {_PAIRS[other]}, but got {_PAIRS[kind]}. Leave it out.")


def _kind_of_pair(original: Table, released: Table) -> PairKind:
    """See from the columns whether the tables hold patterns, sequences, or sequences and their groups."""
    before, after = _column_names(original), _column_names(released)
    if (before >= PATTERNS) != (after >= PATTERNS):
        raise refusal("one of the tables holds patterns and the other sequences.")
    if before >= PATTERNS:
        return "patterns"
    return "generalized" if after >= INTERVAL else "sequences"


def _column_names(table: Table) -> set[Hashable]:
    frame = table.frame if isinstance(table, BoundTable) else table
    return set(getattr(frame, "columns", ()))  # it may be anything: nobody has looked at it yet


def _measure_patterns(original: Table, released: Table) -> Values:
    return {"all": pattern_measures(collected(original), collected(released))}


def _measure_generalized(original: Table, released: Table, **options: Any) -> Values:  # noqa: ANN401 (checked there)
    from pdseqpriv.generalization.measures import generalization_measures

    return {"all": generalization_measures(original, released, **options)}


_MEASURERS: dict[PairKind, Callable[..., Values]] = {
    "sequences": measure_sequences,
    "generalized": _measure_generalized,
    "patterns": _measure_patterns,
}
