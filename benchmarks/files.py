"""Reading an event log beside a bare pass of the standard library's parser."""

from __future__ import annotations

import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pdseqpriv
from benchmarks.cases import Case, Target

EVENTS = 200_000


def make_xes() -> Path:
    """Write a log of 200,000 events with the attributes that logs usually have."""
    log = pdseqpriv.datasets.make_event_log(26_000, seed=1).head(EVENTS)
    path = Path(tempfile.mkdtemp()) / "log.xes"
    attribute = '<string key="{}" value="{}"/>\n'.format
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0"?>\n<log xmlns="http://www.xes-standard.org/">\n')
        for case, events in log.groupby("seq_id", sort=False):
            file.write("<trace>\n" + attribute("concept:name", case))
            for event, time, resource in zip(
                events["event"], events["time"], events["resource"], strict=True
            ):
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


CASES = [
    Case("bare iterparse, 200,000 events", make_xes, bare_pass),
    Case(
        "read_xes, 200,000 events",
        make_xes,
        pdseqpriv.read_xes,
        Target(3, ("bare iterparse, 200,000 events",)),
    ),
]
