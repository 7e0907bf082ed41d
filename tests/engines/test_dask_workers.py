"""Every function that works on parts, on threads of Dask and on its workers in other processes."""

from __future__ import annotations

import dask
import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster

import pdseqpriv
from tests.engines.every_function import CALLS
from tests.engines.people import in_their_order, shared_visits
from tests.engines.test_same_answers import IN_PARTS, compared, told

# One of each kind: in other processes a call takes half a second and more.
SOME = [name for name in IN_PARTS if "," not in name and name not in {"compare", "sweep", "release_patterns"}]


def odd_table():
    """Make a table with Arrow's text, categories, times with a zone, and people with several sequences."""
    rows = [(f"visit {n}", "abc"[(n * t + t) % 3], t // 2, n % 4) for t in range(5) for n in range(9)]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time", "person"])
    frame["time"] = pd.Timestamp("2024-03-31 00:30", tz="Europe/Rome") + pd.to_timedelta(frame["time"], "h")
    return frame.astype({"seq_id": pd.ArrowDtype(pa.string()), "event": "category"})


@pytest.fixture(scope="module", params=["threads", "processes"])
def workers(request):
    with dask.config.set({"dataframe.convert-string": False}):
        if request.param == "threads":
            with dask.config.set(scheduler="threads"):
                yield
        else:
            options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": "127.0.0.1:0"}
            with LocalCluster(**options) as cluster, Client(cluster):
                yield


@pytest.mark.usefixtures("workers")
def test_workers_give_the_answer_of_a_frame():
    frame, options = odd_table(), {"person": "person", "ties": "order"}
    table = dd.from_pandas(frame, npartitions=2, sort=False)
    for name in SOME:
        expected = told(CALLS[name], lambda: pdseqpriv.using(frame, **options))
        found = told(CALLS[name], lambda: pdseqpriv.using(table, **options))
        expected, found = compared(expected, found)
        assert found == expected, name


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("kind", ["int64", object])
def test_rows_of_people_are_moved_twice_and_stay_what_they_are(kind):
    """Whole numbers that are objects stay whole beside those that were hidden."""
    frame = shared_visits()
    frame["event"] = frame["event"].map({"a": 0, "b": 1, "c": 2}).astype(kind)
    expected, released = (
        pdseqpriv.using(table, person="who", ties="order").hide([[0, 1]], max_support=9)
        for table in (frame, dd.from_pandas(frame, npartitions=3, sort=False))
    )
    found = in_their_order(released.compute())
    pd.testing.assert_frame_equal(found, in_their_order(expected))
    assert found["event"].isna().any()
    assert not any(isinstance(event, float) for event in found["event"].dropna())


@pytest.mark.usefixtures("workers")
@pytest.mark.filterwarnings("ignore:hide")
def test_whole_numbers_that_are_objects_beside_nulls_stay_whole():
    rows = [(n, [1, 2, None][(n * t) % 3], t, [t, None][n % 2]) for t in range(5) for n in range(9)]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time", "note"], dtype=object)
    frame = frame.astype({"seq_id": "int64", "time": "int64"})
    table = dd.from_pandas(frame, npartitions=3, sort=False)
    expected, found = (pdseqpriv.hide(one, [[1, 2]]) for one in (frame, table))
    order = ["seq_id", "time"]
    expected, found = (one.sort_values(order, ignore_index=True) for one in (expected, found.compute()))
    pd.testing.assert_frame_equal(found, expected)
    assert {type(value) for value in [*found["event"], *found["note"]]} == {int, type(None)}
