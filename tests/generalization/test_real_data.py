"""Generalization of real check-ins with their taxonomy."""

from __future__ import annotations

import pandas as pd
import pytest

from pdseqpriv import Taxonomy, verify
from tests.generalization.cases import generalized, problems_of


@pytest.fixture
def check_ins(real_data):
    return pd.read_parquet(real_data("foursquare_nyc"))


@pytest.fixture
def taxonomy(real_data):
    return Taxonomy.read_parquet(real_data("foursquare_nyc_taxonomy"))


def links_of(taxonomy):
    names = taxonomy.names
    return {names[i]: names[taxonomy.parents[i]] for i in range(1, len(names))}


def test_ten_categories_under_one_root(taxonomy):
    assert repr(taxonomy) == "Taxonomy(events=13848, categories=11, levels=2)"
    assert taxonomy.root == "ALL"


@pytest.mark.parametrize("method", ["partition", "hilbert"])
def test_everyone_is_in_a_group(check_ins, taxonomy, method):
    released, key = generalized(check_ins, taxonomy, k=5, method=method, with_key=True)
    assert key["released_id"].notna().all()
    assert len(key) == 3079
    groups = released.groupby("group")
    assert (groups["seq_id"].nunique() >= 5).all()
    # All of a group show the same rows, so each of them is there as often as the group has members.
    counts = released.groupby(["group", "event", "time_from", "time_to"]).size().reset_index(name="rows")
    assert (counts["rows"] == counts["group"].map(groups["seq_id"].nunique())).all()


@pytest.mark.parametrize("asked", [{}, {"event_weight": 10}, {"event_weight": 0}])
def test_coverage_by_brute_force(check_ins, taxonomy, asked):
    few = check_ins[check_ins["seq_id"].isin(check_ins["seq_id"].unique()[:150])]
    released, key = generalized(few, taxonomy, k=3, with_key=True, **asked)
    known, links = set(few["event"]), links_of(taxonomy)
    assert not problems_of(few, released, key, monitored=known, k=3, links=links, root="ALL")


def test_diversity_by_brute_force(check_ins, taxonomy):
    few = check_ins[check_ins["seq_id"].isin(check_ins["seq_id"].unique()[:40])]
    food = taxonomy.names[taxonomy.is_under(taxonomy.names, ["Food"] * len(taxonomy))]
    sensitive = sorted(set(few["event"]) & set(food))
    monitored = sorted(set(few["event"]) - set(food))
    released, key = generalized(few, taxonomy, diversity=(12, 2), monitored=monitored, with_key=True)
    asked = {"monitored": set(monitored), "links": links_of(taxonomy), "root": "ALL"}
    assert not problems_of(few, released, key.dropna(), diversity=(12, 2), sensitive=sensitive, **asked)


@pytest.mark.parametrize(
    ("asked", "few", "alone"),
    [
        ({"method": "partition", "event_weight": 1}, 1.0, 0.76),
        ({"method": "hybrid", "event_weight": 0}, 0.64, 0.31),
    ],
)
def test_two_releases_find_people_unless_the_second_knows_the_first(check_ins, taxonomy, asked, few, alone):
    def key_of(**more):
        return generalized(check_ins, taxonomy, k=5, with_key=True, **asked, **more)[1]

    first, second = key_of(seed=0), key_of(seed=1)
    together = pd.Series(list(zip(first["group"], second["group"], strict=True)))
    company = together.map(together.value_counts())
    verdict = verify.are_compatible([first, second], 5, reveal=True)
    assert sorted(verdict.details["sequences"]) == sorted(company[company < 5])
    assert (company < 5).mean() == pytest.approx(few, abs=0.02)
    assert (company == 1).mean() == pytest.approx(alone, abs=0.02)
    assert verify.are_compatible([first, key_of(seed=1, previous=[first])], 5)
