"""Arrow, Polars and DuckDB tables give what pandas gives, in their own types, without its metadata."""

from __future__ import annotations

import subprocess
import sys
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import SeqPrivError, verify
from pdseqpriv.engines.arrow import from_arrow
from pdseqpriv.engines.dictionaries import as_categories
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import encode
from tests.strategies import plain_rows, plain_table, tables
from tests.type_card import CARD, card

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*other columns can identify people"),
    pytest.mark.filterwarnings("ignore:release_patterns. .* supports? (exceed|is more|are more)"),
]

VISITS = plain_table([(s, (s + t) % 3, t) for s in range(6) for t in range(4)])


def quietly(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        return call()


def rows_of(table):
    """Return the rows of any kind of table as plain Python values."""
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    arrow = pa.table(table)
    return [tuple(map(plain, row.values())) for row in arrow.to_pylist()]


def plain(value):
    if isinstance(value, float) and np.isnan(value):
        return None
    return pd.Timestamp(value) if hasattr(value, "tzinfo") else value


def told(operation, table):
    """Return the rows of an answer, or the words of a refusal."""
    try:
        return rows_of(quietly(lambda: operation(table)))
    except SeqPrivError as error:
        return str(error)


OPERATIONS = {
    "k_anonymize": lambda table: pdseqpriv.k_anonymize(table, 2),
    "hide": lambda table: pdseqpriv.hide(table, [["a", "b"], [0, 1]], seed=3),
    "hide, drop": lambda table: pdseqpriv.hide(table, [["a", "b"], [0, 1]], output="drop", seed=3),
    "hide, replace": lambda table: pdseqpriv.hide(table, [["a", "b"], [0, 1]], output="replace", seed=3),
    "generalize": lambda table: pdseqpriv.generalize(table, k=2),
    "sanitize": lambda table: pdseqpriv.sanitize(table, 0.4, events=["a", 0]),
    "sanitize, pooled": lambda table: pdseqpriv.sanitize(table, 0.4, events=["a", 0], scope="table"),
    "risk": lambda table: pdseqpriv.risk(table, known=2),
}
KINDS = {
    "arrow": lambda arrow: arrow,
    "chunks": lambda arrow: pa.concat_tables([arrow.slice(0, 3), arrow.slice(3)]),
    "stream": lambda arrow: pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches()),
    "polars": pl.from_arrow,
    "duckdb": duckdb.from_arrow,
}


def packed(indices, values, *, ordered=False):
    """Make a dictionary of one chunk."""
    array = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(values), ordered=ordered)
    return pa.chunked_array([array])


@pytest.mark.parametrize("operation", OPERATIONS)
@settings(max_examples=15)
@given(frame=tables(min_rows=1))
def test_any_table_gives_what_pandas_gives(operation, frame):
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    assert told(OPERATIONS[operation], arrow) == told(OPERATIONS[operation], frame)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5)
@given(rows=plain_rows())
def test_any_kind_gives_what_pandas_gives(kind, operation, rows):
    frame = plain_table(rows or [(0, 0, 0)])
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    assert told(OPERATIONS[operation], KINDS[kind](arrow)) == told(OPERATIONS[operation], frame)


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_out_is_what_came_in(kind):
    table = KINDS[kind](pa.Table.from_pandas(VISITS, preserve_index=False))
    answer = pdseqpriv.k_anonymize(table, 2)
    assert isinstance(answer, pl.DataFrame if kind == "polars" else pa.Table)


@settings(max_examples=30)
@given(rows=plain_rows())
def test_patterns_and_keys_and_checks(rows):
    frame = plain_table(rows or [(0, 0, 0)])
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    mined = pdseqpriv.mine(arrow, 1, max_length=3)
    assert mined.column_names == ["pattern", "support", "length"]
    assert len(mined) == len(frame.seqpriv.mine(1, max_length=3))
    safe = pdseqpriv.release_patterns(mined, alpha=0.9)
    assert isinstance(safe, pa.Table)
    assert verify.are_patterns_safe(safe, alpha=0.9)
    released, key = quietly(lambda: pdseqpriv.k_anonymize(arrow, 2, with_key=True))
    assert quietly(lambda: verify.is_k_anonymous(arrow, released, 2))
    assert isinstance(key, pa.Table)
    two = pa.concat_tables([arrow, pa.Table.from_pandas(VISITS, preserve_index=False)])
    blurred, key = quietly(lambda: pdseqpriv.generalize(two, k=2, with_key=True))
    assert quietly(lambda: verify.is_generalized(two, blurred, key, k=2))
    assert repr(pdseqpriv.describe(arrow)) == repr(frame.seqpriv.describe())


# How a column comes in, and what it must be in a release of hide, which keeps columns.
TYPES = {
    "event": [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    ],
    "time": [
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float32(), pa.float64(), pa.date32()),
        *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
        *(pa.timestamp(unit, "Europe/Rome") for unit in ("s", "ms", "us", "ns")),
    ],
    "note": [
        *(pa.bool_(), pa.decimal128(21, 2), pa.binary(), pa.date32(), pa.time64("us"), pa.duration("ms")),
        *(pa.list_(pa.int64()), pa.struct([("a", pa.string())]), pa.string_view()),
    ],
}


def table_with(column, kind):
    numbers = pa.array([0, 1, 2, 0])
    made = {"seq_id": pa.array([1, 1, 2, 2]), "event": numbers, "time": numbers, "note": numbers}
    if column == "note":
        values = {"bool": [True, None, False, True], "binary": [b"x", b"", None, b"z"]}.get(str(kind))
        if pa.types.is_struct(kind):
            values = [{"a": "x"}, {"a": None}, None, {"a": "z"}]
        elif pa.types.is_list(kind):
            values = [[1], [], None, [2, 3]]
        elif pa.types.is_string_view(kind):
            values = ["x", "y", None, "z"]
        made[column] = (
            pa.array(values, kind)
            if values
            else pa.array([0, 1, 2, 3], pa.int32())
            .cast(pa.int64() if not pa.types.is_date(kind) else pa.int32())
            .cast(kind, safe=False)
        )
    elif pa.types.is_dictionary(kind):
        made[column] = pa.array(["a", "b", "c", "a"], kind.value_type).dictionary_encode().cast(kind)
    elif column == "event" and not pa.types.is_integer(kind):
        made[column] = pa.array(["a", "b", "c", "a"]).cast(kind)
    else:
        made[column] = numbers.cast(pa.int32()).cast(kind) if pa.types.is_date(kind) else numbers.cast(kind)
    return pa.table(made)


@pytest.mark.parametrize(
    ("column", "kind"), [(name, kind) for name, kinds in TYPES.items() for kind in kinds]
)
def test_types_survive(column, kind):
    arrow = table_with(column, kind)
    assert arrow.schema.field(column).type == kind
    event = arrow["event"][0].as_py()
    released = pdseqpriv.hide(arrow, [[event]])
    assert released.schema.types == arrow.schema.types
    assert released["event"].null_count == 2
    marked = [place for place, value in enumerate(released["event"].to_pylist()) if value is None]
    assert all(released["note"][place].as_py() is None for place in marked)
    before, after = arrow.to_pylist(), released.to_pylist()
    assert all(after[place] == before[place] for place in range(4) if place not in marked)


def test_the_card_of_types_is_fresh():
    assert CARD.read_text(encoding="utf-8") == card(), "run: make card"


def test_metadata_of_the_input_does_not_leak():
    field = pa.field("event", pa.string(), metadata={b"secret": b"Dr Jones"})
    schema = pa.schema(
        [("seq_id", pa.int64()), field, ("time", pa.int64())], metadata={b"owner": b"Dr Jones"}
    )
    arrow = pa.table([[1, 1], ["a", "b"], [1, 2]], schema=schema)
    for released in (pdseqpriv.hide(arrow, ["a"]), quietly(lambda: pdseqpriv.k_anonymize(arrow, 2))):
        assert b"Jones" not in released.schema.serialize().to_pybytes()
        assert set(released.schema.metadata) == {b"pdseqpriv"}


def test_the_record_travels_in_the_schema():
    released = pdseqpriv.k_anonymize(pa.Table.from_pandas(VISITS), 3)
    frame, _ = from_arrow(released, Columns())
    assert [step["operation"] for step in frame.attrs["pdseqpriv"]["applied"]] == ["k_anonymize"]
    again = pdseqpriv.hide(released, ["a"])
    frame, _ = from_arrow(again, Columns())
    assert [step["operation"] for step in frame.attrs["pdseqpriv"]["applied"]] == ["k_anonymize", "hide"]


@pytest.mark.parametrize(
    ("column", "categories", "codes"),
    [
        # Values that repeat, values that are null, and both, out of order.
        (packed([0, 1, 2, None], ["b", "a", "b"]), ["a", "b"], [1, 0, 1, -1]),
        (packed([0, 1, 2, None], ["b", None, "a"]), ["a", "b"], [1, -1, 0, -1]),
        (packed([3, 2, 1, 0], ["b", None, "a", "b"]), ["a", "b"], [1, 0, -1, 1]),
        (packed([0, 1, 1], ["b", "a"]), ["a", "b"], [1, 0, 0]),
        (packed([0, 1, 2], ["b", "a", "b"], ordered=True), ["b", "a"], [0, 1, 0]),
        (packed([1, 0, 2], [7, 3, 7]), [3, 7], [0, 1, 1]),
        # Text that is no dictionary yet.
        (pa.chunked_array([["b", None], ["a", "b"]], pa.string_view()), ["a", "b"], [1, -1, 0, 1]),
        (pa.chunked_array([["a", "b"], []], pa.string_view()), ["a", "b"], [0, 1]),
        (pa.chunked_array([[None, None]], pa.string_view()), [], [-1, -1]),
        (pa.chunked_array([], pa.string_view()), [], []),
    ],
)
def test_dictionaries_become_categories_that_are_distinct_and_sorted(column, categories, codes):
    found = as_categories(column).array
    assert found.categories.tolist() == categories
    assert found.codes.tolist() == codes


def test_categories_that_are_all_in_use_and_sorted_are_not_copied():
    codes = np.arange(100_000, dtype=np.int32)[::-1].copy()
    column = pd.Series(pd.Categorical.from_codes(codes, [f"{number:06}" for number in range(codes.size)]))
    found = encode(column)
    assert np.shares_memory(found.codes, column.array.codes)
    assert found.codes.tolist() == codes.tolist()


NOTE = {b"who": b"Dr Jones"}
INNER = pa.field("inner", pa.int64(), metadata=NOTE)
NESTED = {
    "struct": (pa.struct([INNER]), {"inner": 1}),
    "list": (pa.list_(INNER), [1]),
    "large list": (pa.large_list(INNER), [1]),
    "list view": (pa.list_view(INNER), [1]),
    "large list view": (pa.large_list_view(INNER), [1]),
    "list of one": (pa.list_(INNER, 1), [1]),
    "map": (pa.map_(pa.string(), pa.struct([INNER])), [("x", {"inner": 1})]),
    "list of structs": (pa.list_(pa.field("deep", pa.struct([INNER]))), [{"inner": 1}]),
}


@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("engine", ["arrow", "pandas"])
def test_no_field_inside_a_kept_column_tells_more_than_its_name(engine, nested):
    kind, value = NESTED[nested]
    table = pa.table(
        {"seq_id": [1, 2], "event": ["a", "b"], "time": [1, 2], "note": pa.array([value] * 2, kind)}
    )
    assert b"Dr Jones" in table.schema.serialize().to_pybytes()
    came = table if engine == "arrow" else table.to_pandas(types_mapper=pd.ArrowDtype)
    for release in (pdseqpriv.hide(came, ["a"]), pdseqpriv.sanitize(came, 0.5, events=["a"])):
        arrow = pa.Table.from_pandas(release) if engine == "pandas" else release
        assert b"Dr Jones" not in arrow.schema.serialize().to_pybytes()
        assert arrow.schema.field("note").type == kind
        assert arrow["note"].to_pylist()[-1] == value


def test_runs_of_equal_values_are_written_out():
    runs = pa.RunEndEncodedArray.from_arrays([2, 4], ["a", "b"])
    table = pa.table({"seq_id": [1, 1, 2, 2], "event": runs, "time": [1, 2, 1, 2], "note": runs})
    hidden = pdseqpriv.hide(table, [["a", "a"]], output="drop", seed=1)
    assert hidden.schema.field("event").type == hidden.schema.field("note").type == pa.string()
    assert hidden["event"].to_pylist() == hidden["note"].to_pylist() == ["a", "b", "b"]
    ids = pa.table({"seq_id": runs, "event": ["x"] * 4, "time": [1, 2, 1, 2]})
    assert pdseqpriv.describe(ids)["sequences"] == 2


def test_runs_that_pyarrow_cannot_write_out_are_refused():
    runs = pa.RunEndEncodedArray.from_arrays([1], pa.array(["a"], pa.string_view()))
    with pytest.raises(
        SeqPrivError, match="column 'event' must be values that are not run-end encoded, but its"
    ):
        pdseqpriv.describe(pa.table({"seq_id": [1], "event": runs, "time": [1]}))


def test_a_type_that_arrow_does_not_have_is_refused():
    table = pl.DataFrame(
        {"seq_id": [1], "event": ["a"], "time": [1], "note": pl.Series([7], dtype=pl.Int128)}
    )
    with pytest.raises(SeqPrivError, match="or holds a type that pyarrow does not know"):
        pdseqpriv.describe(table)


def test_values_that_are_gone_are_not_in_a_dictionary():
    arrow = pa.table(
        {"seq_id": [1, 1], "event": pa.array(["secret", "b"]).dictionary_encode(), "time": [1, 2]}
    )
    released = pdseqpriv.hide(arrow, ["secret"])
    assert released["event"].chunk(0).dictionary.to_pylist() == ["b"]


def test_other_names():
    arrow = pa.Table.from_pandas(VISITS.rename(columns={"seq_id": "user", "event": "url", "time": "ts"}))
    bound = pdseqpriv.using(arrow, seq_id="user", event="url", time="ts")
    assert bound.k_anonymize(2).column_names == ["user", "url", "ts"]
    assert repr(bound.describe()) == repr(VISITS.seqpriv.describe())
    with pytest.raises(
        SeqPrivError, match="no column 'seq_id' for seq_id; its columns are 'user', 'url', 'ts'"
    ):
        pdseqpriv.describe(arrow)


POLARS = """
import sys
{}
table = pl.DataFrame({{"seq_id": [1, 2], "event": ["a", "a"], "time": [1, 2]}})
print(type(table.seqpriv.k_anonymize(2)).__module__.split(".")[0], table.seqpriv.describe()["events"])
print([finder for finder in sys.meta_path if "pdseqpriv" in type(finder).__module__])
"""
ORDERS = {
    "before": "import polars as pl, pdseqpriv",
    "after": "import pdseqpriv; assert 'polars' not in sys.modules; import polars as pl",
    "a part first": "import pdseqpriv, polars.exceptions, polars as pl",
}


@pytest.mark.parametrize("order", ORDERS)
def test_polars_has_the_namespace_whoever_is_imported_first(order):
    command = [sys.executable, "-W", "error", "-c", POLARS.format(ORDERS[order])]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["polars", "2", "[]"]


def test_without_polars_nothing_is_said():
    code = "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]\n"
    code = f"import pdseqpriv, sys\n{code}try:\n    import polars\nexcept ImportError:\n    print('none')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["none"]


def test_a_lazy_table_is_to_be_collected():
    table = pl.from_arrow(pa.Table.from_pandas(VISITS))
    with pytest.raises(SeqPrivError, match=r"^hide: table must be .* got a LazyFrame\. Collect it first"):
        pdseqpriv.hide(table.lazy(), ["a"])


def bad(**changes):
    columns = {"seq_id": pa.array([1, 1]), "event": pa.array(["a", "b"]), "time": pa.array([1, 2])} | changes
    return pa.table(columns)


def read_already():
    stream = KINDS["stream"](pa.Table.from_pandas(VISITS))
    stream.read_all()
    return stream


BAD = {
    "nested events": (bad(event=pa.array([["a"], ["b"]])), "column 'event' must be all text or all whole"),
    "nested ids": (bad(seq_id=pa.array([{"a": 1}] * 2)), "column 'seq_id' must be all text or all whole"),
    "decimal times": (
        bad(time=pa.array([1, 2]).cast(pa.decimal128(21, 2))),
        "column 'time' must be .*decimal",
    ),
    "text times": (
        bad(time=pa.array(["noon", "one"])),
        "column 'time' must be whole numbers, floats",
    ),
    "null ids": (bad(seq_id=pa.array([1, None])), "1 row has no sequence"),
    "null times": (bad(time=pa.array([1, None])), "1 row has no time"),
    "nulls in a dictionary": (
        bad(seq_id=pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["x", None]))),
        "1 row has no sequence",
    ),
    "beyond 64 bits": (
        bad(time=pa.array([1, 2**64 - 1], pa.uint64())),
        "column 'time' must be within the range of signed 64",
    ),
    "out of range": (
        bad(time=pa.array([1 - 2**63, 2**63 - 1]).cast(pa.timestamp("ns"))),
        "column 'time' must be within a span of 64 bits",
    ),
    "same names": (
        pa.Table.from_arrays([pa.array([1])] * 4, names=["seq_id", "event", "time", "time"]),
        "several columns have the same name",
    ),
    "an empty stream": (KINDS["stream"](pa.Table.from_pandas(VISITS.iloc[:0])), "empty, or was read already"),
    "a stream that was read": (read_already(), "empty, or was read already"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables_are_refused_in_one_sentence(name):
    table, said = BAD[name]
    with pytest.raises(SeqPrivError, match=f"^describe: .*{said}") as caught:
        pdseqpriv.describe(table)
    assert "noon" not in str(caught.value)
    assert "18446744073709551615" not in str(caught.value)


def test_a_struct_beside_the_three_is_dropped_or_kept():
    arrow = table_with("note", pa.struct([("a", pa.string())]))
    with pytest.warns(pdseqpriv.PrivacyWarning, match="dropped 'note'"):
        assert pdseqpriv.k_anonymize(arrow, 2).column_names == ["seq_id", "event", "time"]
    assert pdseqpriv.sanitize(arrow, 0.5, events=[0]).schema.types == arrow.schema.types


@given(st.integers(0, 3))
def test_empty_tables_come_back_empty(n_chunks):
    arrow = pa.Table.from_pandas(VISITS.iloc[:0], preserve_index=False)
    arrow = pa.concat_tables([arrow] * (n_chunks + 1))
    assert quietly(lambda: pdseqpriv.k_anonymize(arrow, 2)).num_rows == 0
    assert quietly(lambda: pdseqpriv.hide(arrow, ["a"])).schema.types == arrow.schema.types


@pytest.mark.parametrize("kind", [pa.struct([("a", pa.string())]), pa.list_(pa.int64())])
def test_nested_values_have_no_form_in_files(tmp_path, kind):
    arrow = table_with("note", kind)
    with pytest.raises(SeqPrivError, match="a column holds values that cannot be written as text"):
        pdseqpriv.write_csv(arrow, tmp_path / "table.csv")
    with pytest.raises(SeqPrivError, match="column 'note' is nested"):
        pdseqpriv.write_parquet(arrow, tmp_path / "table.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.binary_view(), b"x"),
        (pa.struct([("a", pa.string_view())]), {"a": "x"}),
        (pa.list_(pa.string_view()), ["x", None]),
        (pa.large_list(pa.binary_view()), [b"x"]),
        (pa.list_(pa.string_view(), 2), ["x", "y"]),
        (pa.struct([("a", pa.list_(pa.struct([("b", pa.string_view())])))]), {"a": [{"b": "x"}]}),
    ],
    ids=str,
)
def test_views_beside_the_three_are_kept_where_rows_go(kind, value):
    """As all text and bytes of Polars are views."""
    rows = {"seq_id": [1, 1, 2, 2], "event": list("abab"), "time": [1, 2, 1, 2]}
    arrow = pa.table(rows | {"note": pa.array([value, None, value, value], kind)})
    with pytest.warns(pdseqpriv.PrivacyWarning, match="note"):
        released = pdseqpriv.hide(arrow, ["a -> b"], output="drop", seed=1)
    assert released.schema.field("note").type == kind
    left = released.select(["seq_id", "time", "note"]).to_pylist()
    assert 0 < len(left) < 4
    assert all(row in arrow.select(["seq_id", "time", "note"]).to_pylist() for row in left)
