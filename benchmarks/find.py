"""What owners look at: where a pattern is, beside hiding it, and what became of everybody in a release."""

from __future__ import annotations

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Target, in_units
from benchmarks.data import msnbc, msnbc_5_to_25, shuffled

PATTERN = "frontpage -> news -> sports"
HIDE = "hide, one pattern of three, msnbc"


def a_release() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return a table, its release and the key."""
    frame = msnbc_5_to_25()
    return frame, *frame.seqpriv.k_anonymize(10, with_key=True)


CASES = [
    Case(HIDE, lambda: shuffled(msnbc()), lambda df: df.seqpriv.hide(PATTERN)),
    Case(
        "find, the same pattern, first matches",
        lambda: shuffled(msnbc()),
        lambda df: df.seqpriv.find(PATTERN),
        (Target(1, (HIDE,)),),
    ),
    Case(
        "find, the same pattern, up to 10 matches of everybody",
        lambda: shuffled(msnbc()),
        lambda df: df.seqpriv.find(PATTERN, limit=10),
    ),
    Case(
        "changes, k_anonymize(10) of msnbc 5..25",
        a_release,
        lambda all_of: pdseqpriv.changes(*all_of),
        (in_units(5),),
    ),
]
