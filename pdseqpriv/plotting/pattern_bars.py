"""A plot of patterns and their supports."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.parameters import whole_number
from pdseqpriv.plotting.axes import AFTER, Axes, axes_or_new, name_rows, tidy
from pdseqpriv.short_names import ARROW, short_name

_LONGEST, _LONGEST_EVENT = 48, 14


@on_tables()
def patterns(table: Table, n: int = 20, *, ax: Axes | None = None) -> Axes:
    """Plot the supports of the most frequent patterns.

    Parameters
    ----------
    table : DataFrame
        What :func:`pdseqpriv.mine` or :func:`pdseqpriv.release_patterns` returned.
    n : int
        How many patterns to draw, the most frequent first.
    ax : matplotlib axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib axes
        A bar for each pattern.

    Notes
    -----
    **Guarantee**: none; it draws the numbers as they are.

    **Not protected**: supports as they were mined can reveal individuals; show those of
    :func:`pdseqpriv.release_patterns` instead.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> found = pd.DataFrame({"pattern": [("a",), ("a", ("b", "c"))], "support": [9, 4], "length": [1, 3]})
    >>> [text.get_text() for text in pdseqpriv.plot.patterns(found).get_yticklabels()]
    ['a', 'a → (b c)']
    """
    from pdseqpriv.schemas import validate

    whole_number("n", n, least=1)
    frame = bind(table).frame
    validate(frame, "patterns")
    shown = frame.sort_values("support", ascending=False, kind="stable").head(n)
    ax = axes_or_new(ax)
    ax.barh(np.arange(len(shown)), shown["support"].to_numpy(), color=AFTER)
    name_rows(ax, map(pattern_name, shown["pattern"]), longest=_LONGEST)
    return tidy(ax, "How frequent patterns are", "support", "")


def pattern_name(pattern: object) -> str:
    """Return a pattern of a table as a short text."""
    return short_name(ARROW.join(map(_element_name, pattern)), _LONGEST)  # type: ignore[call-overload]


def _element_name(element: object) -> str:
    if isinstance(element, list | tuple | np.ndarray | pd.Series):
        names = [short_name(one, _LONGEST_EVENT) for one in element]
        return names[0] if len(names) == 1 else f"({' '.join(names)})"
    return short_name(element, _LONGEST_EVENT)
