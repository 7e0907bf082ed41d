"""What a measurement is: how to get ready, what to time, and what to hold it against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.data import DATA, msnbc, msnbc_5_to_25, real, shuffled, table

__all__ = [
    "DATA",
    "PATIENCE",
    "UNIT",
    "UNIT_CASE",
    "Case",
    "CutOffError",
    "Measured",
    "SkippedError",
    "Target",
    "in_units",
    "msnbc",
    "msnbc_5_to_25",
    "real",
    "shuffled",
    "table",
]

UNIT = "unit"
PATIENCE = 20.0  # seconds; what takes longer is not repeated, and another program that takes longer is ended


class CutOffError(Exception):
    """Another program was ended because it took longer than ``PATIENCE``."""


class SkippedError(Exception):
    """What is needed is not there; the text says what."""


@dataclass(frozen=True)
class Target:
    """At most ``factor`` times what the quickest of ``of`` took in the same run."""

    factor: float
    of: tuple[str, ...]

    def __str__(self) -> str:
        if len(self.of) > 1:
            return f"{1 / self.factor:.3g} times as fast as the best of the others"
        return f"at most {self.factor:.3g} x {self.of[0]}"


@dataclass(frozen=True)
class Case:
    """One thing to measure.

    Attributes
    ----------
    name : str
        What is measured; no two are the same.
    prepare, run : functions
        ``run`` is timed, on what ``prepare`` gave.
    target : Target, optional
        What the time is held against.
    repeats : int
        The best of so many counts; there is one run only where it takes longer than ``PATIENCE``.
    memory_target : float, optional
        Most MB above what was there before.
    reported : function, optional
        Reads the seconds that count from the answer: those of a program without its start.
    warm_up : function, optional
        Gives something small for the first call, which loads compiled code; else it is the first of its kind.
    is_foreign : bool
        ``run`` starts another program, so that there is nothing to load before.
    facts : function, optional
        What else is to be told about an answer, from what was prepared and the answer; not timed.
    limit : float
        Seconds after which the whole process is ended.
    beside : str
        Name of the case of a published algorithm that does the same.
    curve, size, counted : str, float, str
        Which line of a plot this is a point of, how large its input is, and what that counts.
    """

    name: str
    prepare: Callable[[], Any]
    run: Callable[[Any], Any]
    target: Target | None = None
    repeats: int = 3
    memory_target: float | None = None
    reported: Callable[[Any], float] | None = None
    warm_up: Callable[[], Any] | None = None
    is_foreign: bool = False
    facts: Callable[[Any, Any], dict[str, Any]] | None = None
    limit: float = 240
    beside: str = ""
    curve: str = ""
    size: float = 0
    counted: str = "sequences"


@dataclass(frozen=True)
class Measured:
    """What came out: seconds and MB, or what went wrong."""

    seconds: float = float("nan")
    cpu: float = float("nan")
    first: float = float("nan")
    megabytes: float = float("nan")
    alone: float | None = None
    runs: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    stand_in: bool = False
    trouble: str = ""

    @property
    def best(self) -> float:
        """The seconds that count: without the start of a program, where it tells them."""
        return self.seconds if self.alone is None else self.alone


def in_units(factor: float) -> Target:
    """Hold a case against sorting the shuffled msnbc table with pandas."""
    return Target(factor, (UNIT,))


UNIT_CASE = Case(UNIT, lambda: shuffled(msnbc()), lambda df: df.sort_values(["seq_id", "time"]))
