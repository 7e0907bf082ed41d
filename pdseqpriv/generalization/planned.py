"""What is released of each group, once it is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.generalization.grouping.group import GroupingMethod
from pdseqpriv.generalization.monitored_events import MonitoredEvents
from pdseqpriv.generalization.sorted_sequences import SortedSequences
from pdseqpriv.sequences.ragged import Ints


class GroupIntervals(NamedTuple):
    """Per interval: its group, its place in the taxonomy, and its first and last time in ``sequences.clock``.

    Sorted by group and time; a group without monitored events has none.
    """

    group: Ints
    node: NDArray[np.int32]
    first: Ints
    last: Ints


@dataclass(frozen=True)
class Plan:
    """What to release.

    Attributes
    ----------
    sequences
        The sequences of the table, in the order of their content.
    events
        What is monitored, what is sensitive, and the taxonomy.
    group
        The group of each sequence; -1 if it is dropped.
    intervals
        What is released for the monitored rows of each group.
    method
        How groups were found.
    window
        The g of the diversity asked for, in the units of the table's times; None if there is none.
    shown
        What is shown of each sequence in kept columns, a row of nodes; the same in a whole group.
    """

    sequences: SortedSequences
    events: MonitoredEvents
    group: Ints
    intervals: GroupIntervals
    method: GroupingMethod
    window: float | None
    shown: Ints
