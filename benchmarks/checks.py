"""Every target as a row: what it says, what was measured, whether it holds."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.cases import Case, Measured, Memory, Shown, Target, told
from benchmarks.growth import ALLOWED, exponent, points_of
from benchmarks.starts import COLD_TARGET, IMPORT_TARGET, WARM_TARGET, Start

COMPARED = {"at least": operator.ge, "at most": operator.le, "below": operator.lt, "exactly": operator.eq}


@dataclass(frozen=True)
class Check:
    """A row; ``holds`` is None where it could not be measured."""

    what: str
    target: str
    measured: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """One word, or two."""
        return {True: "yes", False: "NO", None: "not measured"}[self.holds]


def seconds(value: float) -> str:
    """Write a time.

    Examples
    --------
    >>> seconds(0.01234), seconds(1.5), seconds(63.25)
    ('12 ms', '1.50 s', '63.2 s')
    """
    if math.isnan(value):
        return "-"
    if value < 0.1:  # noqa: PLR2004 (shorter times are milliseconds)
        return f"{1000 * value:.2g} ms"
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"  # noqa: PLR2004 (three digits)


def best_of(names: Iterable[str], measured: dict[str, Measured]) -> str | None:
    """Return which of the measured ones was the fastest."""
    there = [name for name in names if name in measured and not math.isnan(measured[name].best)]
    return min(there, key=lambda name: measured[name].best, default=None)


def check_time(case: Case, target: Target, measured: dict[str, Measured]) -> Check:
    """Hold the time of a case against its target."""
    mine, best = measured[case.name], best_of(target.of, measured)
    if best is None or math.isnan(mine.seconds):
        return Check(case.name, str(target), mine.trouble or "nothing to hold it against", None)
    ratio = mine.seconds / measured[best].best
    against = f"{seconds(mine.seconds)} / {seconds(measured[best].best)}"
    who = f", {best.split(',')[0]}" if len(target.of) > 1 else ""
    missing = [name for name in target.of if name in measured and math.isnan(measured[name].best)]
    without = "".join(f"; {name.split(',')[0]} {measured[name].trouble}" for name in missing)
    holds = None if missing and ratio <= target.factor else ratio <= target.factor
    return Check(case.name, str(target), f"{ratio:.2g} ({against}{who}{without})", holds)


def check_memory(case: Case, target: Memory, measured: dict[str, Measured]) -> Check:
    """Hold the memory of a case against its target."""
    mine = measured[case.name]
    if math.isnan(mine.megabytes):
        return Check(case.name, str(target), mine.trouble, None)
    return Check(case.name, str(target), f"{mine.megabytes:.0f} MB", holds=mine.megabytes <= target.megabytes)


def check_fact(case: Case, target: Shown, measured: dict[str, Measured]) -> Check:
    """Hold a fact about the answer against its target; what is known of a real table needs that table."""
    mine, others = measured[case.name], [measured.get(name, Measured()) for name in target.of]
    trouble = next((found.trouble for found in (mine, *others) if found.trouble), "")
    if not trouble and mine.stand_in:
        trouble = "the real table is absent"
    if trouble or any(target.fact not in found.facts for found in (mine, *others)):
        return Check(case.name, str(target), trouble or "nothing to hold it against", None)
    value, besides = mine.facts[target.fact], [f"{fact} {told(mine.facts[fact])}" for fact in target.beside]
    bound: Any = target.wanted
    if others:
        other = others[0].facts[target.fact]
        bound = other if isinstance(other, str) else target.wanted * other + target.plus
        besides = [f"there {told(other)}", *besides]
    said = f"{told(value)} ({', '.join(besides)})" if besides else told(value)
    return Check(case.name, str(target), said, holds=COMPARED[target.how](value, bound))


def checks_of(case: Case, measured: dict[str, Measured]) -> list[Check]:
    """Hold a case against all its targets."""
    found = []
    for target in case.targets:
        if isinstance(target, Target):
            found.append(check_time(case, target, measured))
        elif isinstance(target, Memory):
            found.append(check_memory(case, target, measured))
        else:
            found.append(check_fact(case, target, measured))
    return [replace(check, what=name_of(case, measured)) for check in found]


def name_of(case: Case, measured: dict[str, Measured]) -> str:
    """Say it where a generated table stood in."""
    return case.name + (" (generated stand-in)" if measured[case.name].stand_in else "")


def check_growth(cases: Iterable[Case], measured: dict[str, Measured]) -> list[Check]:
    """Hold exponents against their targets; all sizes must have come to an end."""
    checks = []
    for curve, points in points_of(cases, measured).items():
        if curve not in ALLOWED:
            continue
        target = f"time grows with an exponent of at most {ALLOWED[curve]}"
        trouble = next((point.trouble for _, point in points if point.trouble), "")
        found = exponent([case.size for case, _ in points], [point.seconds for _, point in points])
        times = ", ".join(seconds(point.seconds) for _, point in points)
        if trouble:
            checks.append(Check(curve, target, f"{trouble} ({times})", holds=False))
        else:
            checks.append(
                Check(
                    curve,
                    target,
                    f"{found:.2f} ({times})",
                    None if math.isnan(found) else found <= ALLOWED[curve],
                )
            )
    return checks


def check_starts(starts: list[Start], importing: float) -> list[Check]:
    """Hold first calls and the import against their targets."""
    rows = [("import pdseqpriv", "at most 50 ms above pandas", importing, IMPORT_TARGET)]
    rows += [(f"{s.name}, first call, warm cache", "at most 0.5 s", s.warm, WARM_TARGET) for s in starts]
    rows += [
        (f"{s.name}, first call, empty cache", "at most 2 s above that", s.cold - s.warm, COLD_TARGET)
        for s in starts
    ]
    return [
        Check(what, target, seconds(value), None if math.isnan(value) else value <= most)
        for what, target, value, most in rows
    ]


def all_checks(
    cases: list[Case], measured: dict[str, Measured], starts: list[Start], importing: float
) -> list[Check]:
    """Return every target that was asked for."""
    there = [case for case in cases if case.name in measured]
    return [
        *(check for case in there for check in checks_of(case, measured)),
        *check_growth(there, measured),
        *(check_starts(starts, importing) if starts else []),
    ]
