"""What utility is left: an original and a release side by side."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Literal

import pandas as pd

from pdseqpriv.audit.general_measures import general_measures
from pdseqpriv.audit.measure import Comparison, Measure
from pdseqpriv.audit.pairs import ORIGINAL, RELEASED, read_both, warn_if_swapped
from pdseqpriv.audit.sample import draw
from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.errors import public, refusal, speaking_of
from pdseqpriv.generalization.original_and_release import is_generalized_table
from pdseqpriv.hiding.measures import hiding_measures
from pdseqpriv.k_anonymity.measures import frequent_pattern_measures
from pdseqpriv.parameters import list_of_events, minimum_support, one_of, seed_number, share, whole_number
from pdseqpriv.pattern_release.measures import is_pattern_table, pattern_measures
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.taxonomy.taxonomy import TaxonomyLike


@public
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
    from pdseqpriv.generalization.measures import generalization_measures
    from pdseqpriv.sanitization.measures import sanitization_measures

    with speaking_of(ORIGINAL):
        frames = [bind(original).frame]
    with speaking_of(RELEASED):
        frames.append(bind(released).frame)
    if is_pattern_table(frames[0]) != is_pattern_table(frames[1]):
        raise refusal("one of the tables holds patterns and the other sequences.")
    if is_pattern_table(frames[0]):
        return pd.DataFrame(pattern_measures(*frames), columns=list(Measure._fields))
    if is_generalized_table(released):
        if min_support is not None or delta is not None:
            raise refusal("min_support and delta need events, which intervals do not have.")
        warn_if_swapped(original, released)
        blurred = generalization_measures(
            original, released, key, taxonomy=taxonomy, monitored=monitored, window=window
        )
        return pd.DataFrame(blurred, columns=list(Measure._fields))
    one_of("scope", scope, ("sequence", "table"))
    if min_support is not None:
        minimum_support(min_support)
    seed_number(seed)
    if sample is not None:
        whole_number("sample", sample, least=1)
    before, after = read_both(original, released)
    warn_if_swapped(original, released)
    if {_kind(before), _kind(after)} >= {"text", "whole numbers"}:
        raise refusal(
            "the events of one table are text and those of the other whole numbers. "
            "Do the tables belong together?"
        )
    pair = Comparison(
        before,
        after,
        min_support=min_support,
        scope=scope,
        delta=None if delta is None else share("delta", delta),
        events=list_of_events("events", events),
        sample=draw(before, after, sample, seed),
    )
    families = (general_measures, frequent_pattern_measures, hiding_measures, sanitization_measures)
    measures = [measure for family in families for measure in family(pair)]
    return pd.DataFrame(measures, columns=list(Measure._fields))


def _kind(table: Sequences) -> str:
    if not len(table.vocabulary):
        return "none"
    return "whole numbers" if isinstance(table.vocabulary[0], Integral) else "text"
