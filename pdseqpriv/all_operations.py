"""Every operation and check on tiny tables, by which all kernels are called with all types."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pandas as pd

import pdseqpriv
from pdseqpriv import verify
from pdseqpriv.options import options

PATTERNS = ["a -> b", "b -[0..2]-> c", "a -> a -> c"]
EVENTS = ["a", "b"]
# What makes a small table go the way of a large one.
AS_IF_LARGE = {
    "k_anonymity.walks.EVENTS": 10,
    "k_anonymity.walks.EVENTS_PER_K": 0,
    "audit.candidates._CHEAP": 0,
    "audit.candidates._CHEAP_BESIDE": 0,
    "mining.search.MOST_CELLS": 0,
    "mining.tables_to_mine.FEW_ROWS": -1,
}
TAXONOMY = {"a": "vowel", "e": "vowel", "b": "consonant", "c": "consonant", "d": "consonant"}


def tables() -> Iterator[pd.DataFrame]:
    """Make tables of every kind that compiled code tells apart."""
    rows = [
        (person, "abcade"[(person * (1 + time % 3) + time) % 6], time)
        for person in range(40)
        for time in range(2 + person % 4)
    ]
    plain = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    yield plain
    yield plain.iloc[::-1].astype({"seq_id": "str", "event": "category"})
    yield plain.assign(time=plain["time"] / 4)
    yield plain.sample(frac=1, random_state=0).assign(time=plain["time"] / 4)
    yield plain.assign(time=pd.Timestamp("2026-01-01") + pd.to_timedelta(plain["time"], "D"))
    yield plain.assign(time=plain["time"] // 2).drop_duplicates()  # several events at a time
    yield pd.concat([plain] * 3, ignore_index=True).assign(time=range(3 * len(plain)))  # long sequences


def with_person(table: pd.DataFrame) -> pd.DataFrame:
    """Put the sequences of a table in pairs, each of one person."""
    return table.assign(person=table["seq_id"].astype(int) // 2)


def of_people(table: pd.DataFrame) -> object:
    """Return such a table in which people count."""
    return pdseqpriv.using(with_person(table), person="person")


def _describe(table: object) -> None:
    pdseqpriv.describe(table)
    for with_time in (False, True):
        pdseqpriv.risk(table, known=[1, 2], with_time=with_time)


def _k_anonymize(table: object) -> None:
    for taxonomy in (None, TAXONOMY):
        for guarantee in ("contained", "mutual", "identical"):
            asked: dict[str, Any] = {"guarantee": guarantee, "taxonomy": taxonomy}
            released, key = pdseqpriv.k_anonymize(table, 3, with_key=True, **asked)
            verify.is_k_anonymous(table, released, 3, key=key, **asked)
        verify.is_k_anonymous(table, released, 3, taxonomy=taxonomy)


def _k_anonymize_otherwise(table: object) -> None:
    pdseqpriv.k_anonymize(table, 9, method="prefix_tree")  # cuts and re-attaches
    released, key = pdseqpriv.k_anonymize(table, 3, method="prefix_tree", with_key=True)
    pdseqpriv.compare(table, released, min_support=3)
    pdseqpriv.changes(table, released, key)
    for knows in ("whole", 0.5, 2):
        pdseqpriv.risk(released, original=table, key=key, attack="linkage", knows=knows, k=3)
    if isinstance(table, pd.DataFrame):
        pdseqpriv.risk(released, known=2, original=table, k=3)
    _, key = pdseqpriv.k_anonymize(table, 3, guarantee="identical", with_key=True)
    pdseqpriv.k_anonymize(table, 3, guarantee="identical", previous=[key])


def _hide(table: object) -> None:
    for output in ("mark", "replace", "drop"):
        for max_support in (0, 3):
            hidden = pdseqpriv.hide(table, PATTERNS[:2], max_support=max_support, output=output, seed=1)
            verify.is_hidden(hidden, PATTERNS[:2], max_support=max_support)
    pdseqpriv.changes(table, hidden)


def _find(table: object) -> None:
    for pattern in PATTERNS:
        pdseqpriv.find(table, pattern, limit=2)
        pdseqpriv.hide(table, pattern, seed=1)


def _sanitize(table: object) -> None:
    for scope in ("sequence", "table"):
        for events in (EVENTS[:1], EVENTS):
            released = pdseqpriv.sanitize(table, 0.4, events=events, scope=scope)
            verify.is_sanitized(released, 0.4, events=events, scope=scope, camouflage=2)
            verify.is_sanitized(released, 0.4, events=events, scope=scope)
    pdseqpriv.compare(table, released, delta=0.4, events=EVENTS)


def _mine(table: object) -> None:
    patterns = pdseqpriv.mine(table, 4, max_length=4)
    pdseqpriv.inference_channels(patterns, k=3, alpha=0.9)
    released = pdseqpriv.release_patterns(patterns, k=3, alpha=0.9)
    verify.are_patterns_safe(released, k=3, alpha=0.9)
    with suppress(pdseqpriv.SeqPrivError):  # that some are missing is found out by compiled code, too
        pdseqpriv.release_patterns(patterns[patterns["length"] > 1], k=3, alpha=0.9)
    pdseqpriv.mine(table, 4, max_length=3, closed=True)


def _in_their_order(table: object) -> None:
    if isinstance(table, pd.DataFrame):
        ordered = pdseqpriv.using(table, ties="order")
        _describe(ordered)
        pdseqpriv.k_anonymize(ordered, 3)
        _hide(ordered)
        _mine(ordered)


def _as_if_large(table: object) -> None:
    with ExitStack() as limits:
        for name, limit in AS_IF_LARGE.items():
            limits.enter_context(mock.patch(f"pdseqpriv.{name}", limit))
        for taxonomy in (None, TAXONOMY):
            pdseqpriv.k_anonymize(table, 3, taxonomy=taxonomy)
        _describe(table)
        pdseqpriv.mine(table, 4, max_length=4)
        if isinstance(table, pd.DataFrame):
            _mine_in_parts(table)


def _mine_in_parts(table: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with_person(table).to_parquet(Path(folder) / "rows.parquet")
        for person in (None, "person"):
            pdseqpriv.mine(pdseqpriv.scan_parquet(folder), 4, max_length=4, person=person)


def _diversity(table: object) -> None:
    frame: Any = getattr(table, "frame", table)
    asked: dict[str, Any] = {
        "diversity": ("1D" if frame["time"].dtype.kind == "M" else 0.5, 1.2),
        "monitored": EVENTS,
    }
    released, key = pdseqpriv.generalize(table, taxonomy=TAXONOMY, with_key=True, **asked)
    verify.is_generalized(table, released, key, taxonomy=TAXONOMY, **asked)


def _generalize(table: object) -> None:
    for method in ("auto", "hybrid", "partition", "hilbert", "indexed"):
        released, key = pdseqpriv.generalize(table, k=3, taxonomy=TAXONOMY, method=method, with_key=True)
    verify.is_generalized(table, released, key, k=3, taxonomy=TAXONOMY)
    for knows in ("whole", 1):
        pdseqpriv.risk(
            released, original=table, key=key, attack="linkage", knows=knows, k=3, taxonomy=TAXONOMY
        )
    pdseqpriv.generalize(table, k=3, taxonomy=TAXONOMY, method="hilbert", intervals="by_category")
    pdseqpriv.compare(table, released, key=key)
    pdseqpriv.changes(table, released, key)


WORK: tuple[Callable[[object], None], ...] = (
    _generalize,
    _k_anonymize_otherwise,
    _as_if_large,
    _k_anonymize,
    _diversity,
    _in_their_order,
    _hide,
    _sanitize,
    _find,
    _mine,
    _describe,
)


def do(number: int) -> None:
    """Do one piece of work on all tables, and on people."""
    options.progress = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for table in tables():
            WORK[number](table)
            WORK[number](of_people(table))
