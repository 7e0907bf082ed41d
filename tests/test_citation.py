"""CITATION.cff keeps up with the code."""

from __future__ import annotations

from pathlib import Path

import yaml

import pdseqpriv

CITATION = yaml.safe_load((Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_version_is_the_one_of_the_code():
    assert CITATION["version"] == pdseqpriv.__version__


def test_the_five_papers_are_cited():
    years = [(paper["authors"][0]["family-names"], paper["year"]) for paper in CITATION["references"]]
    assert years == [("Abul", 2007), ("Jin", 2007), ("Sherkat", 2013), ("Monreale", 2014), ("Loukides", 2015)]
