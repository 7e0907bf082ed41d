"""Names of columns to keep that cannot be meant: operations and checks say the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import SeqPrivError, verify

VISITS = pd.DataFrame({"seq_id": [1, 2], "event": "a", "time": 0, "age": "30"})


def calls(keep):
    generalized, key = pdseqpriv.generalize(VISITS, k=2, keep=["age"], with_key=True)
    released = pdseqpriv.k_anonymize(VISITS, 2, keep=["age"])
    return [
        lambda: pdseqpriv.k_anonymize(VISITS, 2, keep=keep),
        lambda: pdseqpriv.generalize(VISITS, k=2, keep=keep),
        lambda: verify.is_k_anonymous(VISITS, released, 2, keep=keep),
        lambda: verify.is_generalized(VISITS, generalized, key, k=2, keep=keep),
    ]


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        ("age", "got str. Put a single column into a list."),
        (3, "got int. Put a single column into a list."),
        ([], "and each once, got none"),
        ({}, "and each once, got none"),
        (["age", "age"], "and each once, got 2 names, some of them twice"),
        ([["age"]], "got a list of what cannot be a name"),
        ([np.array(["age", "sex"])], "got a list of what cannot be a name"),
    ],
)
def test_names_that_cannot_be_meant(keep, said):
    for call in calls(keep):
        with pytest.raises(SeqPrivError) as caught:
            call()
        assert str(caught.value).rstrip(".").endswith(said.rstrip("."))
