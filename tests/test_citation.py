"""CITATION.cff keeps up with the code."""

from __future__ import annotations

from pathlib import Path

import yaml

import pdseqpriv

CITATION = yaml.safe_load((Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_version_is_the_one_of_the_code():
    assert CITATION["version"] == pdseqpriv.__version__


def test_the_five_papers_are_cited():
    titles = [(paper["title"].split()[0], paper["year"]) for paper in CITATION["references"]]
    assert titles == [
        ("Hiding", 2007),
        ("Privacy-preserving", 2007),
        ("Efficient", 2013),
        ("Anonymity", 2014),
        ("Optimal", 2015),
    ]
