"""Names of events that do not occur in a table: removed by a step, or misspelt.

Which events a step was told to remove is secret, so no table and no file says it. This process remembers it,
for the rows that a step returned and for no others; elsewhere the caller says that a name may be absent.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, listed, warn
from pdseqpriv.sequences.content import seal_of
from pdseqpriv.sequences.events import find_events
from pdseqpriv.verdict import Verdict

# By the seal of what steps returned: the events that were named to them and did occur, as text.
_there_before: dict[int, tuple[str, ...]] = {}
# A process that runs for months must not remember everything.
_MOST = 1000


def note_names(seal: int | None, names: Iterable[Hashable], seal_before: int | None) -> None:
    """Remember names that occurred before a step, with those remembered of the table that it was given."""
    earlier = () if seal_before is None else _there_before.get(seal_before, ())
    known = dict.fromkeys([*earlier, *map(str, names)])  # 7 and "7" are one name
    if seal is not None and known:
        known = dict.fromkeys([*_there_before.pop(seal, ()), *known])
        _there_before[seal] = tuple(known)
    while len(_there_before) > _MOST:
        _there_before.pop(next(iter(_there_before)))


def were_there(names: Sequence[Hashable], table: Any, record: dict[str, Any]) -> NDArray[np.bool_]:  # noqa: ANN401
    """Return which names occurred in what a table was made from; none if its rows were changed since."""
    known = _there_before.get(record.get("seal", 0), ())
    if not known or (isinstance(table, pd.DataFrame) and record["seal"] != seal_of(table)):
        return np.zeros(len(names), np.bool_)
    return find_events(names, pd.Index(known, dtype=object)) >= 0


def warn_of_absent(absent: Sequence[Hashable], named: int, kind: str = "event") -> None:
    """Warn of those among so many named events that do not occur in the table."""
    if len(absent):
        do = "does" if len(absent) == 1 else "do"
        what = f"{len(absent)} of {counted(named, kind)} {do} not occur in the table"
        warn(f"{what} ({listed(absent)}). Check the spelling.")


def with_absent(
    verdict: Verdict, absent: str, typed: Iterable[object], *, none_occurs: bool, may_be_absent: bool
) -> Verdict:
    """Say in a verdict that names do not occur in the table; they may be misspelt.

    If none occurs, nothing was checked, and the verdict does not hold, unless the caller says that is fine.
    """
    told = replace(verdict, sentence=f"{verdict.sentence}; {absent}")
    if not verdict or may_be_absent:
        return told
    if none_occurs:
        do = "Check their spelling, or say may_be_absent=True if they were removed"
        return replace(verdict, holds=False, sentence=f"nothing was checked: {absent}. {do}")
    # What the caller typed is shown to the caller only; a verdict may be passed on.
    warn(f"{absent} ({listed(typed)}). Check their spelling: an event that is not there cannot be frequent.")
    return told
