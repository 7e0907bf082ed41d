"""All that a run found, as the rows of tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks import event_logs, mine
from benchmarks.cases import UNIT, Case, Measured, Target
from benchmarks.checks import Check, all_checks, best_of, check_time, name_of, seconds
from benchmarks.growth import amount, exponent, points_of
from benchmarks.starts import Start


@dataclass(frozen=True)
class Results:
    """All that a run found."""

    groups: dict[str, list[Case]]  # by what they are about
    measured: dict[str, Measured]
    starts: list[Start]
    importing: float
    minutes: float
    loads: list[float]  # at the beginning, and after each case

    @property
    def cases(self) -> list[Case]:
        """Those that were measured."""
        return [case for group in self.groups.values() for case in group if case.name in self.measured]

    @property
    def checks(self) -> list[Check]:
        """Every target."""
        return all_checks(self.cases, self.measured, self.starts, self.importing)

    def name(self, case: Case) -> str:
        """Say it where a generated table stood in."""
        return name_of(case, self.measured)


def grid(head: str, rows: Iterable[Iterable[object]]) -> list[str]:
    """Write a table; a bar inside a cell would end it."""
    columns = head.split(" | ")
    lines = [f"| {head} |", "|" + "---|" * len(columns)]
    cells = ([str(cell).replace("|", "/") for cell in row] for row in rows)
    return [*lines, *("| " + " | ".join(row) + " |" for row in cells), ""]


def measurement(case: Case, results: Results) -> list[str]:
    """Write one row: what it took, in seconds, in units, in memory."""
    found = results.measured[case.name]
    unit = results.measured[UNIT].seconds if UNIT in results.measured else float("nan")
    if found.trouble:
        return [results.name(case), found.trouble, "", "", "", "", ""]
    units = "" if math.isnan(unit) else f"{found.best / unit:.3g}"
    wall = seconds(found.seconds) + ("" if found.alone is None else f" ({seconds(found.alone)} alone)")
    cpu = "" if case.is_foreign else seconds(found.cpu)
    memory = f"{found.megabytes:.0f} MB" + (" in all" if case.is_foreign else "")
    return [results.name(case), wall, cpu, seconds(found.first), units, memory, str(found.runs)]


def races(results: Results) -> list[list[str]]:
    """Write one row per size that a published algorithm and we both did."""
    rows = []
    for case in results.cases:
        theirs = results.measured.get(case.beside)
        if theirs is None or not case.curve:
            continue
        ours = results.measured[case.name]
        ratio = theirs.seconds / ours.seconds
        rows.append(
            [
                case.beside,
                theirs.trouble or seconds(theirs.seconds),
                case.curve,
                ours.trouble or seconds(ours.seconds),
                "-" if math.isnan(ratio) else f"{ratio:.3g}",
            ]
        )
    return rows


def miners(results: Results) -> list[list[str]]:
    """Write one row per table: the best of the others, ours, how many times faster, and whether that is 3."""
    rows = []
    for name in mine.SUPPORTS:
        case = next((case for case in results.cases if case.name == f"mine, {name}"), None)
        target = next((held for held in case.targets if isinstance(held, Target)), None) if case else None
        best = best_of(target.of, results.measured) if target else None
        if case is None or target is None or best is None:
            continue
        ours, theirs = results.measured[case.name], results.measured[best]
        rows.append(
            [
                results.name(case).removeprefix("mine, "),
                best.split(",")[0],
                f"{seconds(theirs.best)} ({seconds(theirs.seconds)})",
                f"{seconds(ours.seconds)} ({seconds(ours.first)})",
                f"{theirs.best / ours.seconds:.3g}",
                check_time(case, target, results.measured).verdict,
            ]
        )
    return rows


def logs(results: Results) -> list[list[str]]:
    """Write one row per log and method: time, and what is left."""
    rows = []
    for case in event_logs.CASES:
        found = results.measured.get(case.name)
        if found is None:
            continue
        if found.trouble:
            rows.append([results.name(case), found.trouble, "", "", "", ""])
            continue
        facts = found.facts
        told = [f"{facts['events']:.1%}", f"{facts['f_measure']:.3f}", f"{facts['lost']:.1%}"]
        rows.append([results.name(case), seconds(found.seconds), *told, f"{facts['violations']:,}"])
    return rows


def growth(results: Results) -> list[list[str]]:
    """Write one row per curve: sizes, times and exponents."""
    rows = []
    for curve, points in points_of(results.cases, results.measured).items():
        sizes = [case.size for case, _ in points]
        wall, cpu = ([getattr(found, what) for _, found in points] for what in ("seconds", "cpu"))
        times = [found.trouble or seconds(found.seconds) for _, found in points]
        processor = [seconds(found.cpu) for _, found in points]
        fits = [f"{fit:.2f}" for fit in (exponent(sizes, wall), exponent(sizes, cpu))]
        rows.append(
            [curve, ", ".join(amount(size) for size in sizes), ", ".join(times), ", ".join(processor), *fits]
        )
    return rows
