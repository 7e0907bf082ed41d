"""``mine`` side by side with other miners, and ``release_patterns`` against ``mine``.

Our time starts at the DataFrame. The others get their own input ready made: lists for the Python packages, a
text file for SPMF, whose time is given with the start of Java and, "alone", as it reports its search itself.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Target, in_units, msnbc, msnbc_5_to_25, real

TABLES: dict[str, tuple[Callable[[], pd.DataFrame | None], float]] = {
    "msnbc": (msnbc, 0.015),
    "msnbc 5..25": (msnbc_5_to_25, 0.015),
    "sign": (lambda: real("sign"), 0.1),
    "leviathan": (lambda: real("leviathan"), 0.02),
    "bmswebview1": (lambda: real("bmswebview1"), 0.001),
    "kosarak10k": (lambda: real("kosarak10k"), 0.005),
    "quest_itemsets": (lambda: real("quest_itemsets"), 0.01),
}
# Itemsets are beyond the Python packages.
PACKAGES = ["prefixspan", "pymining"]
ALGORITHMS = ["PrefixSpan", "CM-SPAM"]
PATIENCE = 20.0  # seconds; a slower miner counts as this
PRIVACY = {"k": 5, "alpha": 0.95}

PEER = """
import sys, time
lists = [[int(code) for code in line.split() if code[0] != "-"] for line in open(sys.argv[2])]
if sys.argv[1] == "prefixspan":
    from prefixspan import PrefixSpan
    start = time.perf_counter()
    found = PrefixSpan(lists).frequent(int(sys.argv[3]))
else:
    from pymining import seqmining
    start = time.perf_counter()
    found = seqmining.freq_seq_enum(lists, int(sys.argv[3]))
print(time.perf_counter() - start, len(found))
"""


class Text(NamedTuple):
    """A table as SPMF reads it, and what is to be found in it."""

    path: Path
    share: float
    count: int
    patterns: int


def write_text(name: str) -> Text:
    """Write a table as a text file of numbers."""
    make, share = TABLES[name]
    frame = make()
    mined = frame.seqpriv.mine(share)
    rows = frame.assign(code=pd.factorize(frame["event"], sort=True)[0] + 1)
    rows = rows.sort_values(["seq_id", "time", "code"], ignore_index=True)
    sequence = rows["seq_id"].ne(rows["seq_id"].shift())
    element = sequence | rows["time"].ne(rows["time"].shift())
    before = pd.Series("", index=rows.index).mask(element, "-1 ").mask(sequence, "-1 -2\n")
    text = (before + rows["code"].astype(str) + " ").str.cat().removeprefix("-1 -2\n") + "-1 -2\n"
    path = Path(tempfile.mkdtemp()) / "sequences.txt"
    path.write_text(text, encoding="ascii")
    count = -(-round(share * 10_000) * int(sequence.sum()) // 10_000)
    return Text(path, share, count, len(mined))


def run_package(package: str, text: Text) -> float:
    """Let a Python package mine in its own process; give its time after loading."""
    command = [sys.executable, "-c", PEER, package, str(text.path), str(text.count)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE + 10)
    except subprocess.TimeoutExpired:
        return PATIENCE
    seconds, patterns = run.stdout.split()
    return check(package, int(patterns), text, min(float(seconds), PATIENCE))


def run_spmf(algorithm: str, text: Text) -> float:
    """Let SPMF mine; give the time that it reports for its search."""
    package = importlib.util.find_spec("spmf")
    jar = next(Path(package.submodule_search_locations[0]).rglob("spmf.jar"))
    out = text.path.with_suffix(f".{algorithm}")
    share = str(text.share)
    command = [shutil.which("java"), "-Xmx8g", "-jar", jar, "run", algorithm, text.path, out, share]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    with out.open(encoding="ascii") as lines:
        patterns = sum(1 for _ in lines)
    return check(algorithm, patterns, text, int(re.search(r"[Tt]otal time\D*(\d+)", run.stdout)[1]) / 1000)


def check(who: str, patterns: int, text: Text, seconds: float) -> float:
    """Give the time only of an answer that is the same as ours."""
    if patterns != text.patterns:
        raise RuntimeError(f"{who} found {patterns} patterns, mine {text.patterns}")
    return seconds


def cases_of(name: str) -> list[Case]:
    """Race on one table: the others first, then us."""
    make, share = TABLES[name]

    def ready() -> Text:
        return write_text(name)

    others = []
    for package in PACKAGES if name != "quest_itemsets" else []:
        run = lambda text, package=package: run_package(package, text)  # noqa: E731
        others.append(Case(f"{package}, {name}", ready, run, repeats=1, reported=float))
    for algorithm in ALGORITHMS:
        run = lambda text, algorithm=algorithm: run_spmf(algorithm, text)  # noqa: E731
        others.append(Case(f"SPMF {algorithm}, {name}", ready, run))
        others.append(Case(f"SPMF {algorithm} alone, {name}", ready, run, reported=float))
    best = Target(1 / 3, tuple(case.name for case in others))
    ours = Case(f"mine, {name}", make, lambda df: df.seqpriv.mine(share), best)
    released = Case(
        f"mine and release_patterns, {name}",
        make,
        lambda df: df.seqpriv.release_patterns(share, **PRIVACY),
        Target(1.1, (ours.name,)),
    )
    return [*others, ours, released]


CASES = [case for name in TABLES for case in cases_of(name)]
CASES.append(
    Case(
        "release_patterns, 110,417 patterns of sign",
        lambda: real("sign").seqpriv.mine(0.1),
        lambda patterns: pdseqpriv.release_patterns(patterns, **PRIVACY),
        in_units(2),
    )
)
