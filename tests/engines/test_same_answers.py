"""Every engine gives the answers that a frame gives: rows, types, errors and warnings of every function."""

from __future__ import annotations

import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import dask
import dask.dataframe as dd
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import PrivacyWarning, SeqPrivError, verify
from pdseqpriv.engines import dividing
from pdseqpriv.engines import folder as folder_engine
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.engines.parts import cuts
from pdseqpriv.engines.stored import StoredTable
from pdseqpriv.generalization.grouping import hybrid
from pdseqpriv.mining import tables_to_mine
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.record import ATTRIBUTE, attributes_of
from tests.engines.every_function import CALLS, plainly
from tests.engines.posted import Posted, PostedElsewhere
from tests.strategies import tables, with_people

# Their answer is a file: tests of files look at folders.
ANSWERS = [name for name in CALLS if not name.startswith("write_parquet")]
# These work on parts; for all others the rows are collected first, so that there is less to see.
PARTS = (
    "changes",
    "compare",
    "describe",
    "find",
    "generalize",
    "hide",
    "is_generalized",
    "is_hidden",
    "is_sanitized",
    "is_k_anonymous",
    "k_anonymize",
    "mine",
    "release",
    "risk",
    "sanitize",
    "sweep",
)
IN_PARTS = [name for name in ANSWERS if name.startswith(PARTS)]
COLLECTED = [name for name in ANSWERS if name not in IN_PARTS]


@contextmanager
def as_posted(frame, parts):
    yield frame, lambda: BoundTable(frame, Columns(), Posted(parts))


@contextmanager
def as_posted_elsewhere(frame, parts):
    yield frame, lambda: BoundTable(frame, Columns(), PostedElsewhere(parts))


@contextmanager
def as_folder(frame, parts):
    """Give a folder of files, as a frame and as it is; files of pandas note the types of their columns."""
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(dividing, "number_of_parts", lambda *_: parts)
        patch.setattr(folder_engine, "cuts", lambda sizes, _: cuts(sizes, 3))
        folder = Path(place, "table")
        folder.mkdir()
        bare = without_index(frame)
        size = -(-len(bare) // 2)
        for number in range(2):
            bare.iloc[number * size : (number + 1) * size].to_parquet(
                folder / f"{number}.parquet", index=False
            )
        yield pdseqpriv.read_parquet(folder), lambda: pdseqpriv.scan_parquet(folder)


@contextmanager
def as_dask(frame, parts):
    bare = without_index(frame)
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        yield bare, lambda: dd.from_pandas(bare, npartitions=parts)


def without_index(frame):
    bare = frame.reset_index(drop=True)
    bare.attrs = {}
    return bare


def with_several_sequences(min_rows):
    """Draw tables of more than one sequence: the first that is tried otherwise has one, of marked rows."""
    return tables(min_rows=min_rows).filter(
        lambda frame: len(set(frame["seq_id"])) > 1 and frame["event"].notna().any()
    )


ENGINES = {"posted": as_posted, "posted elsewhere": as_posted_elsewhere, "folder": as_folder, "dask": as_dask}


def told(call, make):
    """Give an answer in plain values, its types and record, or the refusal; and all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given = call(make)
            answer = here(given)
            said = in_any_order(plainly(answer)), types_of(answer), record_of(given)
        except SeqPrivError as error:
            assert error.__context__ is None  # noqa: PT017 (no rows go with it)
            said = str(error)
    return said, sorted(str(one.message) for one in caught if issubclass(one.category, PrivacyWarning))


def record_of(answer):
    """Return what was applied, as the answer says before its rows are asked for."""
    if isinstance(answer, tuple):
        return tuple(map(record_of, answer))
    record = attributes_of(answer).get(ATTRIBUTE)
    return None if record is None else record["applied"]


def here(answer):
    if isinstance(answer, tuple):
        return tuple(map(here, answer))
    if isinstance(answer, StoredTable):
        return answer.to_pandas()
    return answer.compute() if hasattr(answer, "npartitions") else answer


def in_any_order(answer):
    """Put the rows of releases into an order: that of parts is not promised."""
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], list):
        return answer[0], sorted(answer[1], key=repr)
    return tuple(map(in_any_order, answer)) if isinstance(answer, tuple) else answer


def types_of(answer):
    """Categories need not stay categories."""
    if isinstance(answer, tuple):
        return tuple(map(types_of, answer))
    if not isinstance(answer, pd.DataFrame):
        return None
    return [str(kind) for kind in answer.dtypes]


def compared(expected, answer):
    """Leave out what an engine does not promise: category types."""
    wanted, found = expected[0], answer[0]
    if isinstance(wanted, tuple) and isinstance(found, tuple):
        kinds = loosely(wanted[1], found[1]), loosely(found[1], wanted[1])
        wanted, found = (wanted[0], kinds[0], wanted[2]), (found[0], kinds[1], found[2])
    return (wanted, expected[1]), (found, answer[1])


def loosely(kinds, others):
    if isinstance(kinds, tuple):
        return tuple(map(loosely, kinds, others))
    if kinds is None or others is None:
        return None
    both = zip(kinds, others, strict=True)
    return ["any" if "category" in (one, other) else one for one, other in both]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", IN_PARTS)
@settings(max_examples=2)
@given(frame=with_several_sequences(3), parts=st.sampled_from([1, 3, 7]))
def test_every_engine_gives_the_answer_of_a_frame(name, engine, frame, parts):
    assert_same_answer(name, engine, frame, parts, {})


@pytest.mark.parametrize("engine", ["folder", "dask"])
@pytest.mark.parametrize("name", COLLECTED)
@settings(max_examples=1)
@given(frame=with_several_sequences(6))
def test_rows_are_collected_where_all_are_needed(name, engine, frame):
    assert_same_answer(name, engine, frame, 3, {})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", IN_PARTS)
@settings(max_examples=1)
@given(frame=with_people(with_several_sequences(3)), ties=st.sampled_from(["element", "order"]))
def test_people_and_ties_are_the_same_everywhere(name, engine, frame, ties):
    assert_same_answer(name, engine, frame, 3, {"person": "person", "ties": ties})


@settings(max_examples=20)
@given(
    frame=with_people(tables(min_rows=8, marked=False)),
    scope=st.sampled_from(["sequence", "person", "table"]),
    camouflage=st.sampled_from([None, 2]),
    delta=st.sampled_from([0.3, 1]),
)
def test_details_of_a_check_are_the_same_in_parts(frame, scope, camouflage, delta):
    options = {"events": ["b", "a", 1, "b", 0], "scope": scope, "camouflage": camouflage, "reveal": True}
    columns = Columns(person="person")
    whole, parts = (BoundTable(without_index(frame), columns, one) for one in (Local(), Posted(3)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        expected, found = (verify.is_sanitized(one, delta, **options) for one in (whole, parts))
    assert str(found) == str(expected)
    assert found.violations == expected.violations
    assert plainly(found.details) == plainly(expected.details)


@settings(max_examples=10)
@given(
    frame=tables(min_rows=12, n_ids=7, n_events=2),
    guarantee=st.sampled_from(["contained", "mutual", "identical"]),
    released=st.sampled_from([3, 11]),
)
def test_distinct_sequences_are_enough_to_check(frame, guarantee, released):
    """Everything that a verdict says and counts, for what is no release of anything."""
    bare = without_index(frame)
    with as_dask(bare, 3) as (_, make):
        expected, found = (
            verify.is_k_anonymous(one, bare.iloc[:released], 2, guarantee=guarantee) for one in (bare, make())
        )
    assert str(found) == str(expected)
    assert (found.checked, found.violations) == (expected.checked, expected.violations)
    assert plainly(found.details) == plainly(expected.details)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["describe", "hide, drop", "sanitize, pooled", "mine", "k_anonymize"])
def test_tables_without_rows_are_the_same_everywhere(name, engine):
    frame = pd.DataFrame({"seq_id": ["x"], "event": ["a"], "time": [1]}).iloc[:0]
    assert_same_answer(name, engine, frame, 3, {})


@pytest.mark.parametrize("engine", ["posted elsewhere", "folder", "dask"])
@pytest.mark.parametrize("name", ["mine", "release_patterns"])
@pytest.mark.parametrize("most", [100_000, 1])
@settings(max_examples=3)
@given(frame=with_people(with_several_sequences(6)), people=st.booleans())
def test_patterns_of_parts_are_those_of_the_table(name, engine, most, frame, people):
    """Parts are searched one by one; if one has too many patterns, they are searched together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables_to_mine, "FEW_ROWS", -1)
        patch.setattr(tables_to_mine, "MOST_CANDIDATES", most)
        assert_same_answer(name, engine, frame, 3, {"person": "person"} if people else {})


@pytest.mark.parametrize("engine", ENGINES)
def test_blocks_of_groups_are_the_same_everywhere(monkeypatch, engine):
    monkeypatch.setattr(hybrid, "BLOCK", 20)
    monkeypatch.setattr(hybrid, "GROUPS", 1)
    grown, blocks = hybrid._grown, []
    monkeypatch.setattr(hybrid, "_grown", lambda *given: blocks.append(1) or grown(*given))
    frame = pd.DataFrame({"seq_id": range(200), "event": "a", "time": [n * n % 997 for n in range(200)]})
    assert_same_answer("generalize", engine, frame, 3, {})
    assert len(blocks) > 4


def assert_same_answer(name, engine, frame, parts, options):
    with ENGINES[engine](frame, parts) as (local, make):
        expected = told(CALLS[name], lambda: bound(local, options))
        expected, answer = compared(expected, told(CALLS[name], lambda: bound(make(), options)))
    assert answer == expected


def bound(table, options):
    if isinstance(table, BoundTable):
        return BoundTable(table.frame, Columns(**options), table.engine)
    return pdseqpriv.using(table, **options) if options else table


@pytest.mark.parametrize("function", sorted({name.partition(",")[0] for name in IN_PARTS}))
def test_the_page_says_what_a_function_needs(function):
    page = Path(__file__).parents[2] / "docs" / "bigger_than_memory.md"
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert any(f"`{function}`" in row or f"`verify.{function}`" in row for row in rows)
