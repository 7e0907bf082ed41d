"""Write docs/types.md, the card of what comes in as what and goes out as what: `make card`.

Every row is what the functions really do with a small table that has a column of that type.
"""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

import pdseqpriv
from pdseqpriv.engines.arrow import from_arrow
from pdseqpriv.sequences.columns import Columns

CARD = Path(__file__).parents[1] / "docs" / "types.md"
WIDTHS = [getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]
STAMPS = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "Europe/Rome")]
NAMES = [
    *(pa.string(), pa.large_string(), pa.string_view()),
    *(pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.uint32(), pa.string_view())),
    pa.dictionary(pa.int8(), pa.int64()),
    *WIDTHS,
    *(pa.float64(), pa.decimal128(9, 2), pa.bool_(), pa.binary(), pa.date32(), pa.list_(pa.string())),
    pa.struct([("x", pa.int64())]),
]
TIMES = [
    *WIDTHS,
    *(pa.float32(), pa.float64(), pa.date32(), pa.date64(), *STAMPS),
    *(pa.string(), pa.decimal128(9, 2), pa.duration("s"), pa.time64("us"), pa.bool_()),
]
OTHERS = [
    *(pa.string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()), pa.int16(), pa.float32()),
    *(pa.bool_(), pa.decimal128(9, 2), pa.binary(), pa.date32(), pa.timestamp("us", "UTC")),
    *(pa.list_(pa.int64()), pa.struct([("x", pa.int64())])),
]
HEAD = """# Which types come in, and which go out

Written by `make card` from what the functions do with a table of each type. *In* is the type of a column of
an Arrow table; tables of Polars and DuckDB become Arrow tables first. *Inside* is the type that operations
see. The last columns say what the column is in the answers: *kept* by `hide` and `sanitize`, which change
rows in place; in the release of `k_anonymize`, whose ids and times are new; in that of `generalize`, where
a time becomes `time_from` and `time_to`, and whole numbers as events become text because categories are
text; and in the key. DataFrames of pandas keep the types that they have. An Enum of Polars comes back as a
Categorical: the list of its values would tell of values that are gone. A DataFrame of Polars has no place for
the record of what was applied, which Arrow tables carry in the metadata of their schema: give `risk` the `k`
of such a release. A column that is refused is refused in one sentence that names the column and its type,
and quotes no value.
"""


def values_of(kind):
    """Give four values of a type, of which the first and the last are the same."""
    if pa.types.is_dictionary(kind):
        return values_of(kind.value_type)
    if kind in (pa.string(), pa.large_string(), pa.string_view()):
        return ["a", "b", "c", "a"]
    if pa.types.is_temporal(kind):
        return _moments(kind)
    odd = {
        "bool": [True, False, True, True],
        "binary": [b"a", b"b", b"c", b"a"],
        "decimal128(9, 2)": [Decimal(1), Decimal(2), Decimal(3), Decimal(1)],
        "struct<x: int64>": [{"x": 1}, {"x": 2}, {"x": 3}, {"x": 1}],
        "list<item: string>": [["a"], ["b"], ["c"], ["a"]],
        "list<item: int64>": [[1], [2], [3], [1]],
    }
    return odd.get(str(kind).replace("element", "item"), [1, 2, 3, 1])


def _moments(kind):
    days = [dt.datetime(2024, 5, day, tzinfo=dt.UTC) for day in (1, 2, 3, 1)]
    if pa.types.is_timestamp(kind):
        return [day if kind.tz else day.replace(tzinfo=None) for day in days]
    if pa.types.is_date(kind):
        return [day.date() for day in days]
    return [dt.timedelta(seconds=s) for s in (1, 2, 3, 1)] if kind == pa.duration("s") else [dt.time(1)] * 4


def array_of(kind):
    values = values_of(kind)
    if not pa.types.is_dictionary(kind):
        return pa.array(values, kind)
    listed = pa.array(values[:3], kind.value_type)
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0], kind.index_type), listed)


def table_with(role, kind):
    columns = {
        "seq_id": pa.array([1, 1, 2, 2]),
        "event": pa.array(["a", "b", "a", "c"]),
        "time": pa.array([1, 2, 1, 2]),
    }
    return pa.table(columns | {role: array_of(kind)})


def row(role, kind):
    """Say what becomes of a column of this type."""
    table = table_with(role, kind)
    inside = str(from_arrow(table, Columns())[0][role].dtype)
    try:
        kept = pdseqpriv.hide(
            table, [[table["event"][1].as_py()]] if role != "event" or _is_name(kind) else ["a"]
        )
    except pdseqpriv.SeqPrivError:
        return [f"`{kind}`", "refused", "", "", "", ""]
    released, key = pdseqpriv.k_anonymize(table, 2, with_key=True, seed=1)
    blurred = pdseqpriv.generalize(table, k=2)
    shown = "time_from" if role == "time" else role
    types = [kept.schema.field(role).type]
    types += [
        one.schema.field(name).type if name in one.column_names else None
        for one, name in ((released, role), (blurred, shown), (key, role))
    ]
    return [
        f"`{kind}`",
        f"`{inside}`",
        *(f"`{one}`" if one else "dropped" if role == "note" else "" for one in types),
    ]


def _is_name(kind):
    return pa.types.is_dictionary(kind) or pa.types.is_integer(kind) or "string" in str(kind)


def section(title, role, kinds):
    head = ["in", "inside", "kept", "`k_anonymize`", "`generalize`", "key"]
    lines = [f"## {title}", "", f"| {' | '.join(head)} |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row(role, kind))} |" for kind in kinds), ""])


def card():
    """Give the text of the card."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        parts = [
            section("Ids (`seq_id`)", "seq_id", NAMES),
            section("Events (`event`)", "event", NAMES),
            section("Times (`time`)", "time", TIMES),
            section("Other columns", "note", OTHERS),
        ]
    return "\n".join([HEAD, *parts])


if __name__ == "__main__":
    CARD.parent.mkdir(exist_ok=True)
    CARD.write_text(card(), encoding="utf-8")
