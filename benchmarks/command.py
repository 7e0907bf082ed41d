"""The command beside the same in Python: each is a program of its own, with its start and its imports."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pdseqpriv
from benchmarks.cases import Case, Shown, Target
from benchmarks.data import msnbc

PATTERN = "frontpage -> news -> sports"
IN_PYTHON = "read, hide and write msnbc in Python"
PEAK, HELP, TOUR = "peak MB", "seconds to show help", "seconds of the tour"
ROOT = Path(__file__).parents[1]
CODE = """
import sys, warnings
import pdseqpriv
warnings.simplefilter("ignore")
source, out, pattern = sys.argv[1:]
pdseqpriv.write_parquet(pdseqpriv.hide(pdseqpriv.read_parquet(source), [pattern]), out)
"""


def make_folder() -> Path:
    """Write msnbc to a file, and the pattern beside it."""
    folder = Path(tempfile.mkdtemp())
    pdseqpriv.write_parquet(msnbc(), folder / "msnbc.parquet")
    (folder / "pattern.txt").write_text(PATTERN + "\n", encoding="utf-8")
    return folder


def in_python(folder: Path) -> None:
    """Run the functions in a new process."""
    run("-c", CODE, str(folder / "msnbc.parquet"), str(folder / "python.parquet"), PATTERN)


def by_command(folder: Path) -> None:
    """Run the command, which also checks what it wrote."""
    files = [str(folder / "msnbc.parquet"), str(folder / "command.parquet")]
    run("-m", "pdseqpriv", "hide", *files, "--patterns", f"@{folder / 'pattern.txt'}", "--force", "--quiet")


def run(*words: str) -> None:
    """Run Python, and wait for it."""
    subprocess.run([sys.executable, *words], cwd=ROOT, check=True, capture_output=True)


def show_help(_: object) -> float:
    """Return how long it takes until help is shown, the best of five."""
    seconds = []
    for _turn in range(5):
        begun = time.perf_counter()
        run("-m", "pdseqpriv", "--help")
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def tour(_: object) -> float:
    """Return how long the tour of the examples takes."""
    begun = time.perf_counter()
    run(str(ROOT / "examples" / "tour.py"))
    return time.perf_counter() - begun


def peak(_: Path, __: None) -> dict[str, float]:
    """Return the most memory that a program held that was started here."""
    return {PEAK: resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6}


CASES = [
    Case(IN_PYTHON, make_folder, in_python, is_foreign=True, facts=peak),
    Case(
        "pdseqpriv hide, msnbc",
        make_folder,
        by_command,
        (Target(1.5, (IN_PYTHON,)), Shown(PEAK, "at most", 1.3, of=(IN_PYTHON,))),
        is_foreign=True,
        facts=peak,
    ),
    Case(
        "pdseqpriv --help",
        lambda: None,
        show_help,
        (Shown(HELP, "at most", 0.4),),
        repeats=1,
        is_foreign=True,
        facts=lambda _, seconds: {HELP: seconds},
    ),
    Case(
        "make demo, once everything is installed and compiled",
        lambda: None,
        tour,
        (Shown(TOUR, "at most", 30),),
        repeats=1,
        is_foreign=True,
        facts=lambda _, seconds: {TOUR: seconds},
    ),
]
