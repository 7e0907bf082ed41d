"""What a first call takes in a new process, with kernels compiled ahead; and the import.

Whatever is not compiled ahead is compiled where the cache is empty, and loaded where it is not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pdseqpriv

ROOT = Path(__file__).parents[1]
WARM_TARGET = 0.5  # seconds
COLD_TARGET = 2.0  # more than that
IMPORT_TARGET = 0.05
LIMIT = 180  # seconds

IMPORT = """
import time
import pandas
start = time.perf_counter()
import pdseqpriv
print(time.perf_counter() - start)
"""
FIRST = """
import time, warnings
import pandas, pdseqpriv
warnings.simplefilter("ignore")
df = pdseqpriv.datasets.make_clickstream(100, n_pages=10, seed=0)
table = pandas.DataFrame(dict(pattern=[("a",), ("b",), ("a", "b")], support=[9, 8, 7], length=[1, 1, 2]))
spans = df[["seq_id", "event"]].assign(group=0, time_from=df["time"], time_to=df["time"])
key = pandas.DataFrame(dict(seq_id=df["seq_id"].unique(), released_id=df["seq_id"].unique()))
start = time.perf_counter()
{}
print(time.perf_counter() - start)
"""
CALLS = {
    "describe": "df.seqpriv.describe()",
    "risk": "df.seqpriv.risk(2)",
    "k_anonymize": "df.seqpriv.k_anonymize(2)",
    "risk, linkage": "pdseqpriv.risk(df, original=df, attack='linkage', knows='whole')",
    "k_anonymize, mutual": "df.seqpriv.k_anonymize(2, guarantee='mutual')",
    "k_anonymize, prefix_tree": "df.seqpriv.k_anonymize(2, method='prefix_tree')",
    "k_anonymize, identical": "df.seqpriv.k_anonymize(2, guarantee='identical')",
    "hide": "df.seqpriv.hide([df['event'].iloc[:2].tolist()])",
    "generalize": "df.seqpriv.generalize(k=2)",
    "sanitize": "df.seqpriv.sanitize(0.1, events=[df['event'].iloc[0]])",
    "sanitize, several events": "df.seqpriv.sanitize(0.3, events=df['event'].unique()[:3].tolist())",
    "mine": "df.seqpriv.mine(5)",
    "release_patterns": "df.seqpriv.release_patterns(5, k=2, alpha=0.95)",
    "compare": "pdseqpriv.compare(df, df.head(90), min_support=5)",
    "changes": "pdseqpriv.changes(df, df)",
    "find": "df.seqpriv.find(df['event'].iloc[:2].tolist())",
    "sweep": "df.seqpriv.sweep('hide', patterns=[df['event'].iloc[:2].tolist()], max_support=[0, 5])",
    "inference_channels": "pdseqpriv.inference_channels(table, k=2, alpha=0.95)",
    "verify.is_k_anonymous": "pdseqpriv.verify.is_k_anonymous(df, df, 2)",
    "verify.is_hidden": "pdseqpriv.verify.is_hidden(df, [df['event'].iloc[:2].tolist()])",
    "verify.is_generalized": "pdseqpriv.verify.is_generalized(df, spans, key, k=2)",
    "verify.is_sanitized": "pdseqpriv.verify.is_sanitized(df, 0.5, events=[df['event'].iloc[0]])",
    "verify.are_compatible": "pdseqpriv.verify.are_compatible([key.assign(group=0)] * 2, 2)",
    "verify.are_patterns_safe": "pdseqpriv.verify.are_patterns_safe(table, k=2, alpha=0.95)",
}


@dataclass(frozen=True)
class Start:
    """Seconds of the first call with an empty cache, and the best of some with a filled one."""

    name: str
    cold: float
    warm: float


def names() -> list[str]:
    """Return the calls whose functions are there."""
    public = set(dir(pdseqpriv))
    return [name for name in CALLS if name.split(",")[0].split(".")[0] in public]


def first_call(name: str, repeats: int) -> Start:
    """Call with an empty cache of compiled code, then with the one that this left."""
    code = FIRST.format(CALLS[name])
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds_of(code, cache)
        return Start(name, cold, min(seconds_of(code, cache) for _ in range(repeats)))


def import_seconds(repeats: int) -> float:
    """Return the best time of ``import pdseqpriv`` after pandas was imported."""
    return min(seconds_of(IMPORT, None) for _ in range(repeats))


def seconds_of(code: str, cache: str | None) -> float:
    """Run in a fresh process; nan when it fails or does not end."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    try:
        run = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env=environment,
            timeout=LIMIT,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return float("nan")
    return float(run.stdout.split()[-1])
