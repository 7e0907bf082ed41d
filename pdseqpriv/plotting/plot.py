"""Plots: ``pdseqpriv.plot``. They take axes of matplotlib and return them, and change no style.

matplotlib is not installed with the library: ``pip install 'pdseqpriv[plot]'``.
"""

from pdseqpriv.plotting.curves import risk, trade_off
from pdseqpriv.plotting.kept import kept
from pdseqpriv.plotting.pattern_bars import patterns
from pdseqpriv.plotting.strips import intervals, sequences

__all__ = ["intervals", "kept", "patterns", "risk", "sequences", "trade_off"]
