"""Both methods and the check on the sequences of the paper, and beside BF-P2kA as printed."""

from __future__ import annotations

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, in_units, msnbc_5_to_25, shuffled
from benchmarks.data import first_sequences
from benchmarks.papers.bf_p2ka import bf_p2ka
from benchmarks.races import Runner, race

ALLOWED_MB = 2000
K = 10


def people() -> pd.DataFrame:
    """Give the sequences of 5 to 25 events, shuffled."""
    return shuffled(msnbc_5_to_25())


def with_release() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give them with a release that is to be checked."""
    original = people()
    return original, original.seqpriv.k_anonymize(K)


CASES = [
    Case(
        "k_anonymize(10), msnbc 5 to 25",
        people,
        lambda df: df.seqpriv.k_anonymize(K),
        in_units(8),
        memory_target=ALLOWED_MB,
    ),
    Case(
        "k_anonymize(10, strict=True)", people, lambda df: df.seqpriv.k_anonymize(K, strict=True), repeats=1
    ),
    Case("k_anonymize(500)", people, lambda df: df.seqpriv.k_anonymize(500), repeats=1),
    Case(
        "k_anonymize(10, method='prefix_tree')",
        people,
        lambda df: df.seqpriv.k_anonymize(K, method="prefix_tree"),
        in_units(8),
        memory_target=ALLOWED_MB,
    ),
    Case(
        "is_k_anonymous, k=10",
        with_release,
        lambda pair: pdseqpriv.verify.is_k_anonymous(*pair, K),
        repeats=1,
    ),
    *race(
        Runner("k_anonymize, prefix_tree", lambda df: df.seqpriv.k_anonymize(K, method="prefix_tree")),
        Runner("BF-P2kA as printed", lambda df: bf_p2ka(df, K)),
        sizes=(8_000, 24_000, 72_000),
        counted="sequences of msnbc",
        prepare=lambda size: first_sequences(msnbc_5_to_25(), size),
    ),
]
