"""What is released, and for the owner what it was before: events, lengths, times and patterns.

Every function takes the pair and which of its tables to show: the release alone, which is all that the public
may see, or the original beside it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.compare import compare
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.mining.mine import mine
from pdseqpriv.plotting.pattern_bars import pattern_name
from pdseqpriv.reporting.pair import BOTH, Pair, Which
from pdseqpriv.reporting.sections import Section, bar_section
from pdseqpriv.reporting.what_supports_reveal import why_not_found
from pdseqpriv.sequences.columns import USUAL, Columns, has_intervals
from pdseqpriv.sequences.times import TICKS
from pdseqpriv.short_names import short_name

_SHOWN = 10  # events or patterns
_STEPS = 8  # into which lengths are divided
_TENTHS = 10  # of the time that a table covers
_ENOUGH = 20_000  # sequences in which frequent pairs are looked for
_FREQUENT = 0.05  # the share of sequences from which a pair of events is shown
_END, _BEGIN = "]", "["  # how the ends of intervals are told from their beginnings
_MEASURES = "What is kept and lost"
_WIDTHS = (0, 0.01, 0.05, 0.2, 0.5, 1.0)  # of intervals, as shares of that time


def figures(pair: Pair, which: Which) -> list[tuple[str, str]]:
    """Return the numbers that come first: how much is released and, for the owner, of how much."""
    if pair.has_patterns:
        return [_figure(len(pair.after.frame), None, "pattern is released", "patterns are released")]
    before, after = map(len, pair.frequencies)
    kinds = [None if pair.has_groups else before, after]
    counts: list[tuple[list[Any], str, str]] = [
        ([len(one) for one in pair.lengths], "sequence is released", "sequences are released"),
        ([int(one.sum()) for one in pair.frequencies], "event is released", "events are released"),
        (kinds, "kind of event", "kinds of events"),
    ]
    return [
        _figure(after, before if which is BOTH else None, one, several)
        for (before, after), one, several in counts
    ]


def _figure(after: int, before: int | None, one: str, several: str) -> tuple[str, str]:
    of = "" if before is None else f" of {before:,}"
    return f"{after:,}{of}", one if after == 1 else several


def events(pair: Pair, which: Which) -> Section:
    """Show the most frequent events."""
    counts = [pair.frequencies[i] for i in which]
    names = list(pd.concat(counts).groupby(level=0).sum().nlargest(_SHOWN).index)
    values = [one.reindex(names, fill_value=0).to_numpy(float) for one in counts]
    text = "How often events occur." if len(names) < _SHOWN else f"The {_SHOWN} most frequent events."
    return bar_section("Events", text if names else "There are none.", names, values)


def lengths(pair: Pair, which: Which) -> Section:
    """Show how long the sequences are, as shares of the sequences of each table."""
    found = [pair.lengths[i].to_numpy() for i in which]
    longest = max((int(one.max()) for one in found if one.size), default=0)
    shortest = min((int(one.min()) for one in found if one.size), default=0)
    width = -(-(longest + 1 - shortest) // _STEPS)
    edges = np.arange(shortest, longest + 1 + width, width)
    names = [f"{a} to {b - 1}" if width > 1 else f"{a}" for a, b in pairwise(edges)]
    values = [np.histogram(one, edges)[0] / max(one.size, 1) for one in found]
    text = "How many events the sequences have, as shares of all sequences."
    return bar_section("Lengths", text, names if any(one.size for one in found) else [], values, shares=True)


def times(pair: Pair, which: Which) -> Section:
    """Show when events happen, from the first to the last; no time itself is told."""
    if pair.has_groups:
        return _interval_widths(pair.after.frame)
    if pair.has_positions:
        text = "Times became positions: in which order events happened is kept, and when is not."
        return Section("Times", text)
    found = [_numbers(pair.tables[i]) for i in which]
    ends = [one[at] for one in found if one.size for at in (one.argmin(), one.argmax())]
    scale = max(map(abs, ends), default=0) or 1.0  # the distance of two numbers may be too large for one
    first, last = min(ends, default=0) / scale, max(ends, default=0) / scale
    if first == last:
        return Section("Times", "All events have the same time, or there are none.")
    values = [np.histogram(one / scale, _TENTHS, (first, last))[0] / max(one.size, 1) for one in found]
    names = [f"{10 * i} to {10 * i + 10} %" for i in range(_TENTHS)]
    text = "Times are released. When events happen, between the first time (0 %) and the last (100 %)."
    return bar_section("Times", text, names, values, shares=True)


def _numbers(table: BoundTable) -> NDArray[np.float64]:
    """Return the times of rows that are not marked, as numbers."""
    return _plain(table.frame.loc[table.frame[table.columns.event].notna(), table.columns.time])


def _plain(column: pd.Series) -> NDArray[np.float64]:
    if column.dtype.kind == "M":
        dates = pd.DatetimeIndex(column)
        return np.asarray(dates.asi8 / TICKS[dates.unit], dtype=float)
    return np.asarray(column, dtype=float)


def _interval_widths(frame: pd.DataFrame) -> Section:
    """Show how long intervals are, as shares of the time that the release covers."""
    begin, end = _plain(frame["time_from"]), _plain(frame["time_to"])
    whole = end.max(initial=0) - begin.min(initial=np.inf) if len(frame) else 0
    text = "Times became intervals. Their lengths, as shares of the time that the release covers."
    if not np.isfinite(whole) or whole <= 0:
        return Section("Times", "Times became intervals.")
    widths = (end - begin) / whole
    counts = [np.mean(widths <= 0)]
    counts += [np.mean((widths > low) & (widths <= high)) for low, high in pairwise(_WIDTHS)]
    names = ["a moment", "up to 1 %", "1 to 5 %", "5 to 20 %", "20 to 50 %", "above 50 %"]
    return bar_section("Times", text, names, [np.array(counts)], shares=True)


def patterns(pair: Pair, which: Which) -> Section:
    """Show the most frequent patterns that are released or, of sequences, the most frequent pairs."""
    if pair.has_patterns:
        return _released_patterns(pair, which)
    found = [_frequent_pairs(pair, i) for i in which]
    top = pd.concat(found).groupby(level=0).max().nlargest(_SHOWN).index
    values = [one.reindex(top).to_numpy(float) for one in found]
    if not len(top):
        return Section("Patterns", f"No pair of events is in {_FREQUENT:.0%} of the sequences.")
    text = "The pairs of events that most sequences contain, one after the other."
    if which is BOTH:
        text += f" A pair that fewer than {_FREQUENT:.0%} contain has no bar."
    if pair.has_groups:
        text += " In the release, a pair counts if the first interval ends before the second begins."
    if any(len(pair.lengths[i]) > _ENOUGH for i in which):
        text += f" Measured on {_ENOUGH:,} sequences, drawn at random."
    return bar_section("Patterns", text, list(top), values, shares=True)


def _frequent_pairs(pair: Pair, which: int) -> pd.Series:
    """Return the share of sequences that contain each frequent pair; of many sequences, some are drawn."""
    table, ids = pair.tables[which], pair.lengths[which].index
    frame, columns = table.frame, table.columns.of_release
    if len(ids) > _ENOUGH:
        drawn = np.random.default_rng(0).choice(len(ids), _ENOUGH, replace=False)
        ids = ids[drawn]
        frame = frame[frame[columns.seq_id].isin(ids)]
    if has_intervals(table):
        found = _pairs_in_order(frame, columns)
    else:
        found = mine(BoundTable(frame, columns), _FREQUENT, min_length=2, max_length=2)
    shares = pd.Series(found["support"] / max(len(ids), 1)).set_axis(found["pattern"].map(pattern_name))
    return shares[~shares.index.duplicated()]  # names may be cut


def _pairs_in_order(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Find frequent pairs of intervals that do not overlap.

    Where the end of an interval and the beginning of another are events of their own, the pair is in order if
    that end comes before that beginning.
    """
    names = frame[columns.event].astype("str")
    parts = [
        pd.DataFrame({"seq_id": frame[columns.seq_id], "event": mark + names, "time": frame[at]})
        for mark, at in ((_END, "time_to"), (_BEGIN, "time_from"))
    ]
    found = mine(
        BoundTable(pd.concat(parts, ignore_index=True), USUAL), _FREQUENT, min_length=2, max_length=2
    )
    marks = found["pattern"].map(lambda one: "".join(str(event)[0] for event in one))
    ordered = found[marks == _END + _BEGIN]
    return ordered.assign(pattern=[tuple(event[1:] for event in one) for one in ordered["pattern"]])


def _released_patterns(pair: Pair, which: Which) -> Section:
    top = pair.after.frame.sort_values("support", ascending=False, kind="stable").head(_SHOWN)
    values = [top["support"].to_numpy(float)]
    if which is BOTH and len(top):
        values.insert(0, _true_supports(pair.patterns_before, top["pattern"]))
    text = "How many contain the most frequent patterns."
    return bar_section("Patterns", text, [pattern_name(one) for one in top["pattern"]], values)


def _true_supports(original: pd.DataFrame | None, wanted: pd.Series) -> NDArray[np.float64]:
    """Return the supports of patterns in the original; no number for one that is not found there."""
    if original is None:
        return np.full(len(wanted), np.nan)
    known = dict(zip(map(_elements, original["pattern"]), original["support"], strict=True))
    return np.array([known.get(_elements(one), np.nan) for one in wanted], float)


def _elements(pattern: Any) -> tuple[frozenset[str], ...]:  # noqa: ANN401 (as tables hold it)
    several = (list, tuple, np.ndarray)
    return tuple(frozenset(map(str, one if isinstance(one, several) else (one,))) for one in pattern)


def lost_events(pair: Pair) -> Section | None:
    """Tell the owner which events are not released at all."""
    before, after = pair.frequencies
    gone = before[~before.index.isin(after.index)]
    if pair.has_groups or not len(gone):
        return None
    rows = [(short_name(name), f"{count:,}") for name, count in gone.head(_SHOWN).items()]
    more = f" The {_SHOWN} most frequent of them:" if len(gone) > _SHOWN else ""
    text = f"{len(gone):,} of {len(before):,} kinds of events are not released at all.{more}"
    return Section("Events that are gone", text, head=["event", "in the original"], rows=rows)


def measures(pair: Pair) -> Section:
    """Show the owner every measure of what is left."""
    if pair.has_patterns and pair.patterns_before is None:
        return Section(_MEASURES, why_not_found(pair))
    names = (
        ("key", "taxonomy", "monitored") if pair.has_groups else () if pair.has_patterns else ("taxonomy",)
    )
    tables: Any = (pair.before, pair.after)
    if pair.has_patterns:
        tables = (pair.patterns_before, pair.after.frame)
    found = compare(*tables, **{name: pair.options[name] for name in names})
    rows = [
        (f"{row.measure.replace('_', ' ')}: {row.meaning}", f"{row.value:.4g}", row.better)
        for row in found.itertuples()
    ]
    text = "What the release keeps of the original, measured."
    return Section(_MEASURES, text, head=["measure", "value", "better"], rows=rows)
