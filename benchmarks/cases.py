"""What a measurement is: how to get ready, what to time, and what to hold it against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from benchmarks.data import msnbc, shuffled

UNIT = "unit"
PATIENCE = 20.0  # seconds; what takes longer is not repeated, and another program that takes longer is ended


class CutOffError(Exception):
    """Another program was ended because it took longer than ``PATIENCE``."""


def told(value: object) -> str:
    """Write a fact.

    Examples
    --------
    >>> told(103), told(0.58351), told(110417), told("exact")
    ('103', '0.5835', '110,417', 'exact')
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


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
class Memory:
    """At most so many MB above what was there before."""

    megabytes: float
    of: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"at most {self.megabytes:.0f} MB above the table"


@dataclass(frozen=True)
class Shown:
    """What a fact about the answer must be.

    ``wanted`` is a number or a word or, where ``of`` names another case, how many times the same fact of that
    one it may be, and ``plus``. The facts named in ``beside`` are told with it.
    """

    fact: str
    how: Literal["at least", "at most", "below", "exactly"]
    wanted: float | str = 1
    of: tuple[str, ...] = ()
    plus: float = 0
    beside: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.of or isinstance(self.wanted, str):
            return f"{self.fact}: {self.how} {told(self.wanted)}"
        times = "" if self.wanted == 1 else f"{self.wanted:g} x "
        plus = f" + {self.plus:g}" if self.plus else ""
        return f"{self.fact}: {self.how} {times}that of {self.of[0]}{plus}"


@dataclass(frozen=True)
class Case:
    """One thing to measure.

    Attributes
    ----------
    name : str
        What is measured; no two are the same.
    prepare, run : functions
        ``run`` is timed, on what ``prepare`` gave.
    targets : tuple of Target, Memory or Shown
        What the time, the memory and the facts are held against.
    repeats : int
        The best of so many counts; there are more where it is short, and there is one run only where it takes
        longer than ``PATIENCE``.
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
    targets: tuple[Target | Memory | Shown, ...] = ()
    repeats: int = 3
    reported: Callable[[Any], float] | None = None
    warm_up: Callable[[], Any] | None = None
    is_foreign: bool = False
    facts: Callable[[Any, Any], dict[str, Any]] | None = None
    limit: float = 600
    beside: str = ""
    curve: str = ""
    size: float = 0
    counted: str = "sequences"

    @property
    def needs(self) -> set[str]:
        """The names of the cases that it is held against."""
        return {name for target in self.targets for name in target.of} | ({self.beside} - {""})


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
UNIT_AGAIN = replace(UNIT_CASE, name="unit, at the end of the run")
