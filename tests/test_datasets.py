"""Generated tables: seeded, well-formed, skewed as real ones are."""

from __future__ import annotations

import pytest

from pdseqpriv import datasets
from pdseqpriv.errors import SeqPrivError

MAKERS = [datasets.make_clickstream, datasets.make_trajectories, datasets.make_event_log]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_gives_the_same_table(make):
    assert make(50, seed=3).equals(make(50, seed=3))
    assert not make(50, seed=3).equals(make(50, seed=4))


@pytest.mark.parametrize("make", MAKERS)
def test_every_sequence_is_there_and_in_order(make):
    frame = make(300, seed=1)
    facts = frame.seqpriv.describe()
    assert facts["sequences"] == 300
    assert facts["elements"] == facts["rows"]
    assert frame.groupby("seq_id", sort=False)["time"].is_monotonic_increasing.all()


def test_clicks_are_skewed_sticky_and_busy_in_the_evening():
    frame = datasets.make_clickstream(5_000, seed=0)
    shares = frame["event"].value_counts(normalize=True)
    assert shares.iloc[:20].sum() > 0.4
    section = frame["event"].str.partition("/")[0]
    inside = frame["seq_id"].eq(frame["seq_id"].shift())
    assert section[inside].eq(section.shift()[inside]).mean() > 0.7
    hours = frame["time"].dt.hour.value_counts()
    assert hours[20] > 5 * hours[4]
    assert frame.groupby("seq_id").size().mean() == pytest.approx(8, rel=0.1)


def test_trips_move_to_neighbouring_cells():
    frame = datasets.make_trajectories(500, grid=6, seed=0)
    cells = frame["event"].str.extract(r"x(\d+)y(\d+)").astype(int)
    inside = frame["seq_id"].eq(frame["seq_id"].shift())
    steps = (cells - cells.shift())[inside].abs()
    assert steps.max().max() == 1
    assert (steps.sum(axis=1) > 0).all()
    assert cells.max().max() == 5


def test_cases_follow_the_process():
    log = datasets.make_event_log(2_000, seed=0)
    first = log.groupby("seq_id", sort=False)["event"].first()
    assert set(first) == {"register"}
    assert log["event"].value_counts()["death"] < 0.01 * len(log)
    assert log.groupby("event")["resource"].nunique().max() <= 5


@pytest.mark.parametrize(
    ("taxonomy", "events"),
    [
        (datasets.clickstream_taxonomy(37), datasets.make_clickstream(2_000, n_pages=37)["event"]),
        (datasets.trajectory_taxonomy(5), datasets.make_trajectories(500, grid=5)["event"]),
    ],
)
def test_taxonomies_cover_every_event_with_one_root(taxonomy, events):
    assert set(events) <= set(taxonomy["child"])
    assert taxonomy["child"].is_unique
    assert set(taxonomy["parent"]) - set(taxonomy["child"]) == {"ALL"}


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (datasets.make_clickstream, {"n_sequences": 0}),
        (datasets.make_clickstream, {"n_pages": "many"}),
        (datasets.make_clickstream, {"mean_length": 0.5}),
        (datasets.make_trajectories, {"grid": True}),
        (datasets.make_event_log, {"seed": -1}),
        (datasets.make_event_log, {"max_length": 0}),
    ],
)
def test_bad_options_are_named(make, options):
    with pytest.raises(SeqPrivError, match=next(iter(options))):
        make(**options)
