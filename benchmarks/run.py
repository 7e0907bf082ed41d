"""Run every case in a fresh process, print a line each, write RESULTS.md, plots and docs/speed.md's block.

``python -m benchmarks.run [--quick] [part of a name ...]``

Files are written only by a whole run. ``--quick`` takes one run instead of the best of three. Words choose
the cases whose names hold one of them, with what they are held against; "starts" chooses the first calls.
"""

from __future__ import annotations

import importlib
import os
import sys
import time

from benchmarks import plots, report
from benchmarks.cases import UNIT_AGAIN, UNIT_CASE, Case, Measured
from benchmarks.checks import checks_of, seconds
from benchmarks.measure import in_a_fresh_process, measure_one
from benchmarks.rows import Results
from benchmarks.starts import Start, first_call, import_seconds, names

# A file of cases each, in this order.
FILES = [
    "table",
    "tables_in",
    "files",
    "command",
    "bigger",
    "risk",
    "find",
    "k_anonymize",
    "hide",
    "generalize",
    "sanitize",
    "small_cases",
    "mine",
    "people",
    "distortion",
    "event_logs",
    "threads",
    "pages",
    "growth",
]
IMPORTS = 5


def main(arguments: list[str]) -> None:
    """Measure all, or those whose names hold one of the given words."""
    if arguments[:1] == ["--one"]:
        by_name = {case.name: case for cases in groups().values() for case in cases}
        print(measure_one(by_name[arguments[1]], int(arguments[2])))
        return
    quick = "--quick" in arguments
    words = [word for word in arguments if not word.startswith("-")]
    began, loads = time.perf_counter(), [os.getloadavg()[0]]
    measured = measure_all(chosen(words), loads, quick=quick)
    starts, importing = measure_starts(quick=quick) if not words or "starts" in words else ([], float("nan"))
    minutes = (time.perf_counter() - began) / 60
    results = Results(groups(), measured, starts, importing, minutes, loads)
    broken = [check for check in results.checks if check.holds is not True]
    for check in broken:
        print(f"{check.verdict}: {check.what}: {check.target}: {check.measured}")
    print(f"{len(results.checks) - len(broken)} of {len(results.checks)} targets hold; {minutes:.0f} minutes")
    if not words and not quick:
        (report.HERE / "RESULTS.md").write_text(report.page(results), encoding="utf-8")
        report.write_speed(report.HERE.parent / "docs" / "speed.md", results)
        plots.draw(report.HERE, results.cases, measured)


def groups() -> dict[str, list[Case]]:
    """Return every case by what its file says it is about, between two measurements of the unit."""
    found = {"The unit": [UNIT_CASE]}
    for name in FILES:
        module = importlib.import_module(f"benchmarks.{name}")
        title = str(module.__doc__).split("\n")[0].removesuffix(".").replace("``", "`")
        found[title] = module.CASES
    return found | {"The unit once more": [UNIT_AGAIN]}


def chosen(words: list[str]) -> list[Case]:
    """Return the cases whose names hold a word, and what they are held against."""
    cases = [case for group in groups().values() for case in group]
    picked = [case for case in cases if not words or any(word in case.name for word in words)]
    wanted: set[str] = set()
    for case in picked:
        wanted |= {case.name} | case.needs
    return [case for case in cases if case.name in wanted]


def measure_all(cases: list[Case], loads: list[float], *, quick: bool) -> dict[str, Measured]:
    """Measure one after the other, note how busy the machine is, and tell."""
    measured: dict[str, Measured] = {}
    for place, case in enumerate(cases, 1):
        measured[case.name] = in_a_fresh_process(case, 1 if quick else case.repeats)
        loads.append(os.getloadavg()[0])
        print(f"[{place}/{len(cases)}] {line(case, measured)}", flush=True)
    return measured


def measure_starts(*, quick: bool) -> tuple[list[Start], float]:
    """Measure the import and the first calls, and tell."""
    importing = import_seconds(IMPORTS)
    print(f"import pdseqpriv: {seconds(importing)}", flush=True)
    starts = []
    for name in names():
        starts.append(first_call(name, 1 if quick else 3))
        print(
            f"{name}, first call: {seconds(starts[-1].cold)} cold, {seconds(starts[-1].warm)} warm",
            flush=True,
        )
    return starts, importing


def line(case: Case, measured: dict[str, Measured]) -> str:
    """Return what came out."""
    found = measured[case.name]
    if found.trouble:
        return f"{case.name}: {found.trouble}"
    alone = "" if found.alone is None else f", {seconds(found.alone)} alone"
    cpu = "" if case.is_foreign else f", CPU {seconds(found.cpu)}"
    told = f"{case.name}: {seconds(found.seconds)}{alone}{cpu}, {found.megabytes:.0f} MB"
    checks = checks_of(case, measured)
    return told + "".join(f"; {check.target}: {check.measured}, {check.verdict}" for check in checks)


if __name__ == "__main__":
    main(sys.argv[1:])
