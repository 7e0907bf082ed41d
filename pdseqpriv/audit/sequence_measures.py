"""Compute the measures that apply to any two sequence tables."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.frequent_patterns import find_frequent_patterns
from pdseqpriv.engines.engine import Table, read_both
from pdseqpriv.errors import counted, refusal, warn
from pdseqpriv.hiding.measures import lost_pattern_measures, mark_measures
from pdseqpriv.k_anonymity.measures import frequent_pattern_measures
from pdseqpriv.parameters import list_of_events, minimum_support, one_of, seed_number, share, whole_number
from pdseqpriv.sequences.encoding import encode
from pdseqpriv.sequences.sequences import Sequences, numbered_alike
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike

# The values of measures by name, and these by basis: "all", or a sample.
Values: TypeAlias = dict[str, dict[str, float]]


def measure_sequences(
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
) -> Values:
    """Return every measure that applies."""
    from pdseqpriv.sanitization.measures import sanitization_measures

    one_of("scope", scope, ("sequence", "table"))
    support = None if min_support is None else minimum_support(min_support)
    threshold = None if delta is None else share("delta", delta)
    sensitive = list_of_events("events", events)
    size = None if sample is None else whole_number("sample", sample, least=1)
    start = seed_number(seed)
    categories = None if taxonomy is None else Taxonomy(taxonomy)
    before, after = read_both(original, released)
    before = before if categories is None else _with_text_events(before)
    _refuse_mixed_events(before, after)
    of_categories = {} if categories is None else _category_measures(before, after, categories)
    before, after = numbered_alike(before, after)
    values = {
        **_general_measures(before, after, has_categories=categories is not None),
        **of_categories,
        **mark_measures(before, after),
        **sanitization_measures(before, after, scope=scope, delta=threshold, events=sensitive),
    }
    if support is None:
        return {"all": values}
    found = find_frequent_patterns(before, after, support, size, start)
    if found.n_before and not len(found.before):
        warn(
            "no pattern of the original is frequent, so measures of frequent patterns are null or missing. "
            "Lower min_support."
        )
    of_patterns = {
        **frequent_pattern_measures(found.before / found.n_before, found.after / found.n_after),
        **lost_pattern_measures(found.before, found.still),
    }
    if found.basis == "all":
        return {"all": values | of_patterns}
    return {"all": values, found.basis: of_patterns}


def _with_text_events(original: Sequences) -> Sequences:
    """Return whole numbers as text: that is what they are in a release beside categories."""
    if not len(original.vocabulary) or not isinstance(original.vocabulary[0], Integral):
        return original
    codes, names = encode(pd.Series(original.vocabulary.astype("str")))
    renumbered = np.append(codes, np.int32(-1))[original.codes]  # the last entry is for marked events
    if original.columns.ties == "element":  # whose events are sorted
        renumbered = renumbered[np.lexsort((renumbered, original.times, original.owners))]
    return replace(original, codes=renumbered, vocabulary=names, rows=original.rows[:0])


def _refuse_mixed_events(before: Sequences, after: Sequences) -> None:
    kinds = {isinstance(table.vocabulary[0], Integral) for table in (before, after) if len(table.vocabulary)}
    if len(kinds) > 1:
        raise refusal(
            "the events of one table are text and those of the other are whole numbers. "
            "Do the tables belong together?"
        )


def _general_measures(original: Sequences, released: Sequences, *, has_categories: bool) -> dict[str, float]:
    """Measure how many sequences and events are left, and how much the distributions changed."""
    before, after = _lengths(original), _lengths(released)
    if after.size > before.size:
        warn("the release has more sequences than the original. Do the tables belong together?")
    events_before, events_after = _count_events(original), _count_events(released)
    if not has_categories and _have_nothing_in_common(events_before, events_after):
        warn(
            "no event of the release is one of the original. Do the tables belong together? "
            "If events became categories, give taxonomy."
        )
    return {
        "sequences_lost": 1 - _ratio(after.size, before.size),
        "events_kept": _ratio(after.sum(), before.sum()),
        "length_distance": _distance(np.bincount(before), np.bincount(after)),
        "event_distance": _distance(events_before, events_after),
    }


def _category_measures(original: Sequences, released: Sequences, taxonomy: Taxonomy) -> dict[str, float]:
    """Measure how many events are left as they were or as categories, and how much information is kept."""
    places = taxonomy.find(released.vocabulary)
    missing = int((places < 0).sum())
    if missing:
        names, are = counted(len(places), "name"), "is" if missing == 1 else "are"
        raise refusal(f"of the {names} of events in the release, {missing} {are} not in the taxonomy.")
    shown = released.codes[released.codes >= 0]
    is_event, kept = taxonomy.is_leaf[places][shown], 1 - taxonomy.shares[places][shown]
    before = int(_lengths(original).sum())
    return {
        "events_kept_exactly": _ratio(is_event.sum(), before),
        "events_kept_as_category": _ratio((~is_event).sum(), before),
        "information_kept": _ratio(kept.sum(), before),
    }


def _lengths(sequences: Sequences) -> NDArray[np.int64]:
    """Count the events of each sequence that are not marked; sequences without any are left out."""
    before = np.concatenate(([0], np.cumsum(sequences.codes >= 0)))
    lengths = np.diff(before[sequences.offsets])
    return lengths[lengths > 0]


def _count_events(sequences: Sequences) -> NDArray[np.int64]:
    return np.bincount(sequences.codes[sequences.codes >= 0])


def _have_nothing_in_common(before: NDArray[np.int64], after: NDArray[np.int64]) -> bool:
    """Return whether both tables have events, and no event is in both."""
    size = min(before.size, after.size)
    return bool(before.any() and after.any() and not (before[:size] * after[:size]).any())


def _distance(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Return the total variation between two distributions, which come as counts."""
    # A table without any events is as far as possible from one with events.
    if before.any() != after.any():
        return 1.0
    size = max(before.size, after.size)
    first, second = (
        np.pad(counts / max(1, counts.sum()), (0, size - counts.size)) for counts in (before, after)
    )
    return float(np.abs(first - second).sum() / 2)


def _ratio(part: float, whole: int) -> float:
    return float(part / whole) if whole else float("nan")
