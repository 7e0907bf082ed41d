"""Reading an event log beside a bare pass of the standard library's parser, and writing a release."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Shown, Target
from benchmarks.data import msnbc, visits

EVENTS = (20_000, 60_000, 200_000)
BARE = "bare iterparse, 200,000 events"


def make_xes(events: int) -> Path:
    """Write a log of so many events with the attributes that logs usually have."""
    log = pdseqpriv.datasets.make_event_log(26_000, seed=1).head(events)
    path = Path(tempfile.mkdtemp()) / "log.xes"
    attribute = '<string key="{}" value="{}"/>\n'.format
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0"?>\n<log xmlns="http://www.xes-standard.org/">\n')
        for case, trace in log.groupby("seq_id", sort=False):
            file.write("<trace>\n" + attribute("concept:name", case))
            for event, time, resource in zip(trace["event"], trace["time"], trace["resource"], strict=True):
                stamp = f'<date key="time:timestamp" value="{time.isoformat()}.000+01:00"/>\n'
                name = attribute("concept:name", event)
                rest = attribute("org:resource", resource) + attribute("lifecycle:transition", "complete")
                file.write(f"<event>\n{name}{stamp}{rest}</event>\n")
            file.write("</trace>\n")
        file.write("</log>\n")
    return path


def bare_pass(path: Path) -> None:
    """Parse, and forget each element at once."""
    for _, element in ET.iterparse(path):  # noqa: S314 (our own file)
        element.clear()


def write_twice(released: pd.DataFrame) -> bool:
    """Write a table twice; tell whether the files are the same."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("one.parquet", "two.parquet")]
        for path in paths:
            pdseqpriv.write_parquet(released, path)
        return paths[0].read_bytes() == paths[1].read_bytes()


def as_csv() -> Path:
    """Write the whole msnbc table as CSV."""
    path = Path(tempfile.mkdtemp()) / "visits.csv"
    pdseqpriv.write_csv(msnbc(), path)
    return path


PANDAS = "pandas.read_csv with pyarrow, msnbc"
CASES = [
    Case(PANDAS, as_csv, partial(pd.read_csv, engine="pyarrow")),
    Case("read_csv, msnbc", as_csv, pdseqpriv.read_csv, (Target(3, (PANDAS,)),)),
    Case(BARE, partial(make_xes, EVENTS[-1]), bare_pass),
    *(
        Case(
            f"read_xes, {events:,} events",
            partial(make_xes, events),
            pdseqpriv.read_xes,
            (Target(3, (BARE,)),) if events == EVENTS[-1] else (),
            curve="read_xes",
            size=events,
            counted="events",
        )
        for events in EVENTS
    ),
    Case(
        "write_parquet, a release of 20,000 sequences",
        lambda: visits(20_000).seqpriv.k_anonymize(10),
        write_twice,
        (Shown("same bytes when written twice", "exactly", "yes"),),
        facts=lambda _, same: {"same bytes when written twice": "yes" if same else "no"},
    ),
]
