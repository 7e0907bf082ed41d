"""CITATION.cff keeps up with the code."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import pdseqpriv

CITATION = (Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8")
PAPERS = [
    ("Hiding", 2007),
    ("Privacy-preserving", 2007),
    ("Efficient", 2013),
    ("Anonymity", 2014),
    ("Optimal", 2015),
]


def differences(text, version):
    """Say what does not fit the code: the version, the papers."""
    citation = yaml.safe_load(text)
    papers = [(paper["title"].split()[0], paper["year"]) for paper in citation["references"]]
    said = {"version": citation["version"] == version, "papers": papers == PAPERS}
    return [name for name, fits in said.items() if not fits]


def test_the_version_and_the_five_papers_are_those_of_the_code():
    assert differences(CITATION, pdseqpriv.__version__) == []


@pytest.mark.parametrize(
    ("old", "new", "said"), [("year: 2013", "year: 2012", "papers"), ("Efficient ", "Quick ", "papers")]
)
def test_a_slip_is_found(old, new, said):
    assert differences(CITATION.replace(old, new), pdseqpriv.__version__) == [said]
    assert differences(CITATION, "0.0.0") == ["version"]
