"""Every function on tables as a call on a table that is made anew each time: streams are read once."""

from __future__ import annotations

import datetime as dt
import re
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from matplotlib import pyplot as plt

import pdseqpriv
from pdseqpriv import SeqPrivError, plot, verify
from pdseqpriv.engines.stored import StoredTable
from pdseqpriv.verdict import Verdict

PATTERNS = [["a", "b"], [0, 1]]
SENSITIVE = ["a", 0]
# A column that says one thing of each person; a table without it is refused in the same words.
KEEP = ["note"]


def _k_anonymized(table, **options):
    return pdseqpriv.k_anonymize(table, 2, with_key=True, seed=1, **options)


def _risk_of_release(make):
    return pdseqpriv.risk(_k_anonymized(make())[0], known=2, original=make(), k=2)


def _linkage(make):
    released, key = _k_anonymized(make())
    return pdseqpriv.risk(released, original=make(), key=key, attack="linkage", knows="whole", k=2)


def _linkage_by_ids(make):
    hidden = pdseqpriv.hide(make(), PATTERNS, seed=3)
    return pdseqpriv.risk(hidden, original=make(), attack="linkage", knows="whole")


def _compare_generalized(make):
    released, key = pdseqpriv.generalize(make(), k=2, seed=1, with_key=True)
    return pdseqpriv.compare(make(), released, key=key)


def _is_generalized(make):
    released, key = pdseqpriv.generalize(make(), k=2, seed=1, with_key=True)
    return verify.is_generalized(make(), released, key, k=2)


def _generalized_again(make):
    _, key = pdseqpriv.generalize(make(), k=2, seed=1, with_key=True)
    return pdseqpriv.generalize(make(), k=2, seed=1, previous=[key], with_key=True)


def _k_anonymized_again(make):
    _, key = _k_anonymized(make(), guarantee="identical")
    return _k_anonymized(make(), guarantee="identical", previous=[key])


def _is_k_anonymous_with_kept(make):
    return verify.is_k_anonymous(make(), _k_anonymized(make(), keep=KEEP)[0], 2, keep=KEEP)


def _is_generalized_with_kept(make):
    released, key = pdseqpriv.generalize(make(), k=2, seed=1, keep=KEEP, with_key=True)
    return verify.is_generalized(make(), released, key, k=2, keep=KEEP)


def _are_compatible(make):
    keys = [pdseqpriv.generalize(make(), k=2, seed=seed, with_key=True)[1] for seed in (0, 1)]
    return verify.are_compatible(keys, 2)


def _changes_by_key(make):
    released, key = _k_anonymized(make())
    return pdseqpriv.changes(make(), released, key)


def _changes_of_generalized(make):
    released, key = pdseqpriv.generalize(make(), k=2, seed=1, with_key=True)
    return pdseqpriv.changes(make(), released, key, by="kind")


def _mined(make):
    return pdseqpriv.mine(make(), 1, max_length=3)


def _written(table, name):
    """Write a table, and read what is in the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{name}"
        getattr(pdseqpriv, f"write_{name}")(table, path)
        return getattr(pdseqpriv, f"read_{name}")(path)


def _page(make, audience="public"):
    """Return the page about a table as its own release: what has no record is told in every kind of table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.html"
        pdseqpriv.report(make(), make(), path, audience=audience)
        return path.read_text(encoding="utf-8")


def _drawn(axes):
    """Return where everything is in a plot."""
    axes = axes if isinstance(axes, list) else [axes]
    try:
        shapes = [one for ax in axes for one in ax.patches]
        return [[*map(float, one.get_path().get_extents(one.get_transform()).bounds)] for one in shapes]
    finally:
        plt.close(axes[0].figure)


# By the name of the function; what comes after a comma tells calls of the same one apart.
CALLS = {
    "describe": lambda make: pdseqpriv.describe(make()),
    "find": lambda make: pdseqpriv.find(make(), PATTERNS, limit=2),
    "k_anonymize": lambda make: _k_anonymized(make()),
    "k_anonymize, identical": lambda make: _k_anonymized(make(), guarantee="identical"),
    "k_anonymize, again": _k_anonymized_again,
    "k_anonymize, keep": lambda make: _k_anonymized(make(), keep=KEEP),
    "k_anonymize, prefix_tree": lambda make: _k_anonymized(make(), method="prefix_tree"),
    "hide": lambda make: pdseqpriv.hide(make(), PATTERNS, seed=3),
    "hide, above 0": lambda make: pdseqpriv.hide(make(), PATTERNS, max_support=1, seed=3),
    "hide, drop": lambda make: pdseqpriv.hide(make(), PATTERNS, output="drop", seed=3),
    "hide, replace": lambda make: pdseqpriv.hide(make(), PATTERNS, output="replace", seed=3),
    "generalize": lambda make: pdseqpriv.generalize(make(), k=2, seed=1, with_key=True),
    "generalize, one monitored": lambda make: pdseqpriv.generalize(make(), k=2, seed=1, monitored=SENSITIVE),
    "generalize, keep": lambda make: pdseqpriv.generalize(make(), k=2, seed=1, keep=KEEP),
    "generalize, by category": lambda make: pdseqpriv.generalize(
        make(), k=2, seed=1, intervals="by_category", with_key=True
    ),
    "generalize, again": _generalized_again,
    "sanitize": lambda make: pdseqpriv.sanitize(make(), 0.4, events=SENSITIVE),
    "sanitize, pooled": lambda make: pdseqpriv.sanitize(make(), 0.4, events=SENSITIVE, scope="table"),
    "mine": _mined,
    "release_patterns": lambda make: pdseqpriv.release_patterns(make(), 2, k=2, alpha=0.9),
    "release_patterns, mined": lambda make: pdseqpriv.release_patterns(_mined(make), k=2, alpha=0.9),
    "inference_channels": lambda make: pdseqpriv.inference_channels(_mined(make), k=2, alpha=0.9),
    "risk": lambda make: pdseqpriv.risk(make(), known=[1, 2], with_time=True),
    "risk, of a release": _risk_of_release,
    "risk, linkage by key": _linkage,
    "risk, linkage by ids": _linkage_by_ids,
    "sweep": lambda make: pdseqpriv.sweep(make(), "k_anonymize", k=[2, 3], seed=1),
    "compare": lambda make: pdseqpriv.compare(
        make(), pdseqpriv.hide(make(), PATTERNS, seed=3), min_support=2, delta=0.4, events=SENSITIVE
    ),
    "compare, generalized": _compare_generalized,
    "changes": lambda make: pdseqpriv.changes(make(), pdseqpriv.hide(make(), PATTERNS, seed=3)),
    "changes, by key": _changes_by_key,
    "changes, generalized": _changes_of_generalized,
    "compare, patterns": lambda make: pdseqpriv.compare(_mined(make), _mined(make)),
    "is_k_anonymous": lambda make: verify.is_k_anonymous(make(), _k_anonymized(make())[0], 2),
    "is_k_anonymous, not": lambda make: verify.is_k_anonymous(make(), make(), 2),
    "is_k_anonymous, keep": _is_k_anonymous_with_kept,
    "is_hidden": lambda make: verify.is_hidden(make(), PATTERNS),
    "is_hidden, reveal": lambda make: verify.is_hidden(make(), PATTERNS, reveal=True),
    "is_generalized": _is_generalized,
    "is_generalized, keep": _is_generalized_with_kept,
    "are_compatible": _are_compatible,
    "is_sanitized": lambda make: verify.is_sanitized(make(), 0.4, events=SENSITIVE),
    "is_sanitized, pooled": lambda make: verify.is_sanitized(make(), 0.4, events=SENSITIVE, scope="table"),
    "is_sanitized, camouflage": lambda make: verify.is_sanitized(
        make(), 0.9, events=SENSITIVE, scope="table", camouflage=2
    ),
    "are_patterns_safe": lambda make: verify.are_patterns_safe(_mined(make), k=2, alpha=0.9),
    "report": _page,
    "report, for the owner": lambda make: _page(make, audience="owner"),
    "plot.kept": lambda make: _drawn(plot.kept(make(), make())),
    "plot.sequences": lambda make: _drawn(plot.sequences(make(), 5, over="time")),
    "plot.intervals": lambda make: _drawn(plot.intervals(pdseqpriv.generalize(make(), k=2, seed=1))),
    "plot.patterns": lambda make: _drawn(plot.patterns(_mined(make))),
    "write_parquet": lambda make: _written(make(), "parquet"),
    "write_parquet, a key": lambda make: _written(_k_anonymized(make())[1], "parquet"),
    "write_parquet, patterns": lambda make: _written(_mined(make), "parquet"),
    "write_parquet, generalized": lambda make: _written(pdseqpriv.generalize(make(), k=2, seed=1), "parquet"),
    "write_csv": lambda make: _written(make(), "csv"),
    "write_csv, generalized": lambda make: _written(pdseqpriv.generalize(make(), k=2, seed=1), "csv"),
    "write_spmf": lambda make: _written(make(), "spmf"),
    "write_xes": lambda make: _written(make(), "xes"),
}


def told(call, make):
    """Give an answer as plain Python values whatever its kind, or the words of a refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
            return plainly(call(make))
    except SeqPrivError as error:
        assert error.__context__ is None  # noqa: PT017 (whatever is refused: no rows go with it)
        return re.sub(r"'[^']*/table\.", "'table.", str(error))  # files are in a new folder every time


def plainly(answer):
    if isinstance(answer, tuple):
        return tuple(map(plainly, answer))
    if isinstance(answer, StoredTable):
        return plainly(answer.to_pandas())
    if isinstance(answer, pd.Series):  # what describe gives
        return {name: plain(value) for name, value in answer.items()}
    if isinstance(answer, pd.DataFrame):
        return list(answer.columns), [tuple(map(plain, row)) for row in answer.itertuples(index=False)]
    if hasattr(answer, "__arrow_c_stream__"):
        arrow = pa.table(answer)
        return arrow.column_names, [tuple(map(plain, row.values())) for row in arrow.to_pylist()]
    if isinstance(answer, Verdict) and answer.details is not None:
        return str(answer), answer.checked, answer.violations, plainly(answer.details)
    return str(answer)


def plain(value):
    """Give one cell as what it says, whatever its type; an element of one event is that event."""
    if isinstance(value, list | tuple | np.ndarray):
        items = [plain(item) for item in value]
        return items[0] if len(items) == 1 and not isinstance(items[0], tuple) else tuple(items)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if value is None or value is pd.NA or value is pd.NaT or value != value:  # noqa: PLR0124 (NaN)
        return None
    if isinstance(value, dt.date | np.datetime64):
        stamp = pd.Timestamp(value)
        return stamp.tz_convert("UTC").tz_localize(None) if stamp.tzinfo else stamp
    if isinstance(value, dt.timedelta | np.timedelta64):
        return pd.Timedelta(value)
    return value.item() if isinstance(value, np.generic) else value
