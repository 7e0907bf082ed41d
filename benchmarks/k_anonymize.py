"""Both methods and the check on the sequences of the paper, and how time grows with the table."""

from __future__ import annotations

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, in_units, msnbc_5_to_25, shuffled

ALLOWED_MB = 2000


def people() -> pd.DataFrame:
    """Give the sequences of 5 to 25 events, shuffled."""
    return shuffled(msnbc_5_to_25())


def with_release() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give them with a release that is to be checked."""
    original = people()
    return original, original.seqpriv.k_anonymize(10)


def visits(n_sequences: int) -> pd.DataFrame:
    """Make visits to a site with as many pages as msnbc has."""
    return pdseqpriv.datasets.make_clickstream(n_sequences, n_pages=17, seed=0)


CASES = [
    Case(
        "k_anonymize(10), msnbc 5 to 25",
        people,
        lambda df: df.seqpriv.k_anonymize(10),
        in_units(8),
        memory_target=ALLOWED_MB,
    ),
    Case("k_anonymize(10, strict=True)", people, lambda df: df.seqpriv.k_anonymize(10, strict=True)),
    Case("k_anonymize(500)", people, lambda df: df.seqpriv.k_anonymize(500), in_units(8)),
    Case(
        "k_anonymize(10, method='prefix_tree')",
        people,
        lambda df: df.seqpriv.k_anonymize(10, method="prefix_tree"),
        in_units(8),
        memory_target=ALLOWED_MB,
    ),
    Case("is_k_anonymous, k=10", with_release, lambda pair: pdseqpriv.verify.is_k_anonymous(*pair, 10)),
    *(
        Case(
            f"k_anonymize(10), {n // 1000},000 generated sequences",
            lambda n=n: visits(n),
            lambda df: df.seqpriv.k_anonymize(10),
            repeats=1,
        )
        for n in (100_000, 300_000, 1_000_000)
    ),
]
