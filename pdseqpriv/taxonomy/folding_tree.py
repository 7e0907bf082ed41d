"""A taxonomy in a notebook: a tree whose categories unfold, of bounded size however large it is."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.short_names import short_name

_CHILDREN = 20  # shown of one category
_DEEPEST = 8  # levels
_LARGEST = 500  # names in all


def tree_html(names: pd.Index, parents: NDArray[np.int32], title: str) -> str:
    """Return a tree under a title; the root comes first and is its own parent."""
    order = np.argsort(parents[1:], kind="stable") + 1  # children, by their parent
    begins = np.searchsorted(parents[order], np.arange(len(names) + 1))
    room = _LARGEST

    def branch(place: int, depth: int) -> str:
        nonlocal room
        label = escape(short_name(names[place]))
        below = order[begins[place] : begins[place + 1]]
        if not below.size:
            return f"<div>{label}</div>"
        few = below[: min(_CHILDREN, room)] if depth < _DEEPEST else below[:0]
        room -= few.size
        inside = "".join(branch(int(one), depth + 1) for one in few)
        more = f"<div>and {below.size - few.size:,} more</div>" if few.size < below.size else ""
        unfolded = " open" if depth == 0 else ""
        return (
            f"<details{unfolded}><summary>{label} ({below.size:,})</summary>"
            f'<div style="margin-left: 1.2em">{inside}{more}</div></details>'
        )

    return f"<div><b>{escape(title)}</b>{branch(0, 0)}</div>"
