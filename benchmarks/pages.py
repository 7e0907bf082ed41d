"""Pages about releases of generated visits, up to 10 million rows: the time beyond that of their checks.

Pages that take longer than 3 minutes with all around them are not among these. The owner's page about what
1.25 million visits share took 4 minutes (182 CPU seconds, 167 of them for its checks), and 9 together with
the release and the checks alone; that about groups is of 300,000 visits, because every attack looks at all
rows of the release.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Shown
from benchmarks.data import visits

K, KNOWN, SAMPLE = 10, [1, 2, 3], 1_000
BEYOND, CPU_BEYOND, SIZE = "seconds beyond its checks", "CPU seconds beyond", "kB"


class Tables(NamedTuple):
    """A table, its release and, if ids are new, the key."""

    original: pd.DataFrame
    released: pd.DataFrame
    key: pd.DataFrame | None


class Written(NamedTuple):
    """How long a page took, and how large it is."""

    seconds: float
    cpu: float
    size: int


def shared(n_sequences: int, n_pages: int = 200) -> Tables:
    """Make visits, and a release of what many have in common."""
    frame = visits(n_sequences, n_pages)[["seq_id", "event", "time"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        return Tables(frame, *frame.seqpriv.k_anonymize(K, with_key=True))


def hidden(n_sequences: int) -> Tables:
    """Make visits, and a release without two patterns."""
    frame = visits(n_sequences, 50)[["seq_id", "event", "time"]]
    first, second, third = frame["event"].value_counts().index[:3]
    return Tables(frame, frame.seqpriv.hide([[first, second], [second, third]], max_support=100), None)


def grouped(n_sequences: int) -> Tables:
    """Make visits, and a release of groups whose intervals look the same."""
    frame = visits(n_sequences, 20)[["seq_id", "event", "time"]]
    return Tables(frame, *frame.seqpriv.generalize(k=K, with_key=True))


def write_page(audience: Literal["public", "owner"], tables: Tables) -> Written:
    """Write a page."""
    with tempfile.TemporaryDirectory() as folder:
        page, begun, cpu = Path(folder) / "page.html", time.perf_counter(), time.process_time()
        pdseqpriv.report(tables.original, tables.released, page, audience=audience, key=tables.key)
        return Written(time.perf_counter() - begun, time.process_time() - cpu, page.stat().st_size)


def run_checks(audience: Literal["public", "owner"], tables: Tables) -> None:
    """Run what a page shows: the owner's also shows the risk, linking attacks and what is left.

    Which patterns were hidden is not in the record, so that a page alone cannot check it.
    """
    original, release, key = tables
    if "group" in release:
        _run_checks_of_groups(audience, tables)
        return
    if key is not None:
        pdseqpriv.verify.is_k_anonymous(original, release, K)
    if audience == "owner":
        original.seqpriv.risk(KNOWN)
        release.seqpriv.risk(KNOWN, original=original)
        release.seqpriv.risk(original=original, key=key, attack="linkage", sample=SAMPLE)
        pdseqpriv.compare(original, release)


def _run_checks_of_groups(audience: Literal["public", "owner"], tables: Tables) -> None:
    original, release, key = tables
    known: Any = ["whole", 0.5, *KNOWN]
    pdseqpriv.verify.is_generalized(original, release, key, k=K)
    if audience == "owner":
        original.seqpriv.risk(KNOWN, with_time=True)
        release.seqpriv.risk(original=original, key=key, attack="linkage", knows=known, sample=SAMPLE)
        pdseqpriv.compare(original, release, key=key)


def beyond(audience: Literal["public", "owner"], tables: Tables, written: Written) -> dict[str, Any]:
    """Return how much longer the page took than its checks, and its size."""
    begun, cpu = time.perf_counter(), time.process_time()
    run_checks(audience, tables)
    took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    return {BEYOND: written.seconds - took, CPU_BEYOND: written.cpu - cpu, SIZE: written.size / 1000}


def page_for(
    audience: Literal["public", "owner"], name: str, make: Callable[[int], Tables], size: int
) -> Case:
    """Measure a page."""
    return Case(
        f"report, {name}, for the {audience}",
        partial(make, size),
        partial(write_page, audience),
        (Shown(BEYOND, "at most", 5, beside=(CPU_BEYOND,)), Shown(SIZE, "below", 1000)),
        repeats=1,
        warm_up=partial(make, 300),
        facts=partial(beyond, audience),
        limit=1800,
    )


CASES = [
    page_for("public", "300,000 visits", shared, 300_000),
    page_for("owner", "300,000 visits", shared, 300_000),
    page_for("owner", "300,000 visits in groups", grouped, 300_000),
    page_for("public", "10 million rows, shared", partial(shared, n_pages=20), 1_250_000),
    page_for("public", "10 million rows, hidden", hidden, 1_250_000),
    page_for("owner", "10 million rows, hidden", hidden, 1_250_000),
]
