"""What grouping sees of a table: arrays only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class People:
    """The sequences that have at least one monitored event, in an order that does not depend on row order.

    Attributes
    ----------
    when : float64 per monitored row
        Time since the earliest row of the table; ascending inside a sequence.
    node : int32 per monitored row
        The event's place in the tree.
    offsets : int64
        Sequence ``i`` has the monitored rows ``offsets[i]:offsets[i + 1]``, at least one.
    totals : int64 per sequence
        All its rows, monitored or not (|S| of the paper).
    sensitive_code : int32 per sensitive row
    sensitive_time : int64 or float64 per sensitive row
        Exact times, in the units of the table; ascending inside a sequence.
    sensitive_offsets : int64
        Sequence ``i`` has the sensitive rows ``sensitive_offsets[i]:sensitive_offsets[i + 1]``, perhaps none.
    span : float
        Latest minus earliest time of the whole table; 0 when there is only one time.
    """

    when: Floats
    node: NDArray[np.int32]
    offsets: Ints
    totals: Ints
    sensitive_code: NDArray[np.int32]
    sensitive_time: NDArray[np.int64] | Floats
    sensitive_offsets: Ints
    span: float


@dataclass(frozen=True)
class Tree:
    """A taxonomy as arrays. Parents come before children; node 0 is the root and its own parent.

    Children of one node need not stand side by side, but ``parent[i] < i`` for i > 0. A leaf has ``loss`` 0.
    """

    parent: NDArray[np.int32]
    depth: NDArray[np.int32]
    loss: Floats  # share of all events under the node (|c| / |E|); 0 for a leaf


@dataclass(frozen=True)
class Privacy:
    """What every group must satisfy.

    At least ``k`` sequences; and, when ``diversity`` is given, for every sensitive event and every closed
    window [t, t + g]: (sequences of the group with that event in the window) * l <= sequences of the group.
    """

    k: int = 1
    window: int | float | None = None  # g, in the units of sensitive_time; None: no diversity asked
    certainty: Fraction | None = None  # l, as an exact fraction


@dataclass(frozen=True)
class Weights:
    """How much each kind of loss counts."""

    time: float = 1.0
    event: float = 1.0
