"""Pages about releases of generated visits, up to 10 million rows: the time beyond that of their checks.

The page about groups is of 300,000 visits, because every attack looks at all rows of the release. The owner's
page about what 1.25 million visits share takes minutes, nearly all of them for its checks (167 of 169 CPU
seconds).
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unittest import mock

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Shown
from benchmarks.data import visits
from pdseqpriv.reporting import checks, what_is_kept, who_is_found

K = 10
BEYOND, CPU_BEYOND, SIZE = "seconds beyond its checks", "CPU seconds beyond", "kB"


class Tables(NamedTuple):
    """A table, its release and, if ids are new, the key."""

    original: pd.DataFrame
    released: pd.DataFrame
    key: pd.DataFrame | None


class Written(NamedTuple):
    """How much longer than its checks a page took, and how large it is."""

    seconds: float
    cpu: float
    size: int


def shared(n_sequences: int, n_pages: int = 200) -> Tables:
    """Make visits, and a release of what many have in common."""
    frame = visits(n_sequences, n_pages)[["seq_id", "event", "time"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        return Tables(frame, *frame.seqpriv.k_anonymize(K, with_key=True))


def hidden(n_sequences: int, *, text_ids: bool = False) -> Tables:
    """Make visits, and a release without two patterns."""
    frame = visits(n_sequences, 50)[["seq_id", "event", "time"]]
    if text_ids:
        frame["seq_id"] = "visit " + frame["seq_id"].astype(str)
    first, second, third = frame["event"].value_counts().index[:3]
    return Tables(frame, frame.seqpriv.hide([[first, second], [second, third]], max_support=100), None)


def grouped(n_sequences: int) -> Tables:
    """Make visits, and a release of groups whose intervals look the same."""
    frame = visits(n_sequences, 20)[["seq_id", "event", "time"]]
    return Tables(frame, *frame.seqpriv.generalize(k=K, with_key=True))


# What a page shows that the caller could have asked for: by the module that calls it.
CHECKS = (
    (checks, "is_k_anonymous"),
    (checks, "is_generalized"),
    (who_is_found, "risk"),
    (what_is_kept, "compare"),
)


class Clock:
    """Adds up the seconds, and the CPU seconds, that pieces of work take."""

    def __init__(self) -> None:
        self.seconds = self.cpu = 0.0

    def timed(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return what does the same on this clock."""

        def run(*given: Any, **options: Any) -> Any:  # noqa: ANN401 (whatever the work takes and gives)
            begun, cpu = time.perf_counter(), time.process_time()
            try:
                return work(*given, **options)
            finally:
                self.seconds += time.perf_counter() - begun
                self.cpu += time.process_time() - cpu

        return run


def write_page(audience: Literal["public", "owner"], tables: Tables) -> Written:
    """Write a page, with a clock on the checks that it shows.

    They are timed where they are called: run once more and alone, they take some percent more or less, which
    of minutes is more than what is looked for.
    """
    whole, shown = Clock(), Clock()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        for module, name in CHECKS:
            stack.enter_context(mock.patch.object(module, name, shown.timed(getattr(module, name))))
        page = Path(folder) / "page.html"
        write = whole.timed(pdseqpriv.report)
        write(tables.original, tables.released, page, audience=audience, key=tables.key)
        size = page.stat().st_size
    return Written(whole.seconds - shown.seconds, whole.cpu - shown.cpu, size)


def beyond(_: Tables, written: Written) -> dict[str, Any]:
    """Return how much longer the page took than its checks, and its size."""
    return {BEYOND: written.seconds, CPU_BEYOND: written.cpu, SIZE: written.size / 1000}


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
        facts=beyond,
        limit=1800,
    )


CASES = [
    page_for("public", "300,000 visits", shared, 300_000),
    page_for("owner", "300,000 visits", shared, 300_000),
    page_for("owner", "300,000 visits in groups", grouped, 300_000),
    page_for("public", "10 million rows, shared", partial(shared, n_pages=20), 1_250_000),
    page_for("owner", "10 million rows, shared", partial(shared, n_pages=20), 1_250_000),
    page_for("public", "10 million rows, hidden", hidden, 1_250_000),
    page_for("owner", "10 million rows, hidden", hidden, 1_250_000),
    page_for("owner", "10 million rows with ids of text, hidden", partial(hidden, text_ids=True), 1_250_000),
]
