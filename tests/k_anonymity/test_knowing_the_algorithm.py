"""What follows for somebody who knows how releases are made: small tables, all of them."""

from __future__ import annotations

import pytest

from tests.k_anonymity.inferences import inferences

PEOPLE = 3


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize(
    ("options", "is_certain"),
    [
        ({}, True),
        ({"guarantee": "identical"}, False),
        ({"guarantee": "identical", "method": "prefix_tree"}, True),
    ],
    ids=str,
)
def test_what_follows_with_certainty_is_as_the_page_on_threats_says(options, is_certain):
    found = list(inferences(PEOPLE, options))
    assert len(found) > 100
    assert (max(found) == 1) == is_certain
