"""The plots of a single table, as ``df.seqpriv.plot``."""

from __future__ import annotations

from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.plotting import pattern_bars, strips


class TablePlots(BoundTable):
    """Plots of one table: every method is the function of the same name in ``pdseqpriv.plot``."""

    sequences = strips.sequences
    intervals = strips.intervals
    patterns = pattern_bars.patterns
