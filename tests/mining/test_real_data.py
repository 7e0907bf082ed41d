"""Patterns of real tables: known numbers, and another miner's answer."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import pdseqpriv
from tests.mining.test_mine import as_dict, random_rows
from tests.pattern_release import naive
from tests.strategies import EVENTS, plain_table

pytestmark = pytest.mark.filterwarnings("ignore:.* supports? (exceed|is more|are more)")

# How many patterns SPMF's PrefixSpan finds.
KNOWN = [
    ("sign", 0.10, 110_417),
    ("leviathan", 0.02, 33_387),
    ("bmswebview1", 0.001, 3_991),
    ("kosarak10k", 0.005, 1_716),
    ("quest_itemsets", 0.01, 911),
]


@pytest.mark.parametrize(("name", "share", "number"), KNOWN, ids=[name for name, _, _ in KNOWN])
def test_number_of_patterns(real_data, name, share, number):
    assert len(pd.read_parquet(real_data(name)).seqpriv.mine(share)) == number


def test_number_of_patterns_of_msnbc(real_data):
    frame = pd.read_parquet(real_data("msnbc"))
    sizes = frame.groupby("seq_id")["event"].transform("size")
    assert len(frame[sizes.between(5, 25)].seqpriv.mine(0.015)) == 551


@pytest.mark.filterwarnings("ignore:.* supports are:pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize(("k", "alpha"), [(5, None), (None, 0.95), (10, 0.9)])
def test_a_release_of_real_patterns_is_safe(real_data, k, alpha):
    frame = pd.read_parquet(real_data("sepsis"))
    mined = frame.seqpriv.mine(0.3, max_length=4)
    released = pdseqpriv.release_patterns(mined, k=k, alpha=alpha)
    assert not pdseqpriv.verify.are_patterns_safe(mined, k=k, alpha=alpha)
    assert pdseqpriv.verify.are_patterns_safe(released, k=k, alpha=alpha)
    few = frame.seqpriv.mine(0.7, max_length=4)
    released = as_dict(pdseqpriv.release_patterns(few, k=k, alpha=alpha))
    assert naive.channels(as_dict(few), k, alpha)
    assert naive.channels(released, k, alpha) == set()


def find_spmf():
    package = importlib.util.find_spec("spmf")
    if package is None or shutil.which("java") is None:
        pytest.skip("needs Java and the bench extra")
    return next(Path(package.submodule_search_locations[0]).rglob("spmf.jar"))


def mine_with_spmf(frame, count, folder):
    """Let SPMF's PrefixSpan mine the same table: {tuple of tuples: support}."""
    jar = find_spmf()
    number = {event: place for place, event in enumerate(sorted(frame["event"].dropna().unique()), 1)}
    elements: dict = {}
    for row in frame.dropna().itertuples():
        elements.setdefault(row.seq_id, {}).setdefault(row.time, set()).add(number[row.event])
    lines = [
        " ".join(" ".join(map(str, sorted(codes))) + " -1" for _, codes in sorted(one.items())) + " -2"
        for one in elements.values()
    ]
    (folder / "in.txt").write_text("\n".join(lines))
    share = repr((count - 0.5) / len(lines))
    command = ["java", "-jar", jar, "run", "PrefixSpan", folder / "in.txt", folder / "out.txt", share]
    subprocess.run(command, check=True, capture_output=True)
    names = {str(place): event for event, place in number.items()}
    found = {}
    for line in (folder / "out.txt").read_text().splitlines():
        text, support = line.split("#SUP:")
        elements = [part.split() for part in text.split("-1") if part.strip()]
        found[tuple(tuple(names[code] for code in element) for element in elements)] = int(support)
    return found


@pytest.mark.parametrize("itemsets", [False, True])
def test_spmf_finds_the_same_on_generated_sequences(itemsets, tmp_path):
    frame = plain_table(random_rows(8, sequences=200, length=12, events=len(EVENTS), itemsets=itemsets))
    expected = mine_with_spmf(frame, 20, tmp_path)
    assert len(expected) > 200
    assert as_dict(frame.seqpriv.mine(20)) == expected


@pytest.mark.parametrize(("name", "count"), [("quest_itemsets", 100), ("bmswebview1", 60), ("sign", 110)])
def test_spmf_finds_the_same_on_real_sequences(real_data, name, count, tmp_path):
    frame = pd.read_parquet(real_data(name))
    assert as_dict(frame.seqpriv.mine(count)) == mine_with_spmf(frame, count, tmp_path)
