"""The frequent patterns of an original and of its release, or of a sample of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pandas as pd

from pdseqpriv.errors import refusal
from pdseqpriv.mining.mine import count_of
from pdseqpriv.mining.search import TooManyError, frequent_patterns, summarise
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.sequences import Sequences


@dataclass(frozen=True)
class FrequentPatterns:
    """Patterns, and in how many sequences each is contained.

    Attributes
    ----------
    before : Series
        What is frequent in the original.
    after : Series
        What is frequent in the release; a share means a share of the release's own sequences.
    still : Series
        The patterns of the release that reach the number of sequences required in the original.
    n_before, n_after : int
        How many sequences were used.
    basis : str
        What was used, in words.
    """

    before: pd.Series
    after: pd.Series
    still: pd.Series
    n_before: int
    n_after: int
    basis: str


def find_frequent_patterns(
    original: Sequences, released: Sequences, min_support: int | Fraction, size: int | None, seed: int
) -> FrequentPatterns:
    """Mine both tables, or ``size`` sequences of the original and the same share of the release."""
    share, basis = Fraction(1), "all"
    if size is not None and size < original.n_sequences:
        share, basis = Fraction(size, original.n_sequences), f"sample of {size}"
        original, released = _sample(original, released, share, seed)
    # A share stays one; a count is one of the whole table.
    asked = min_support if isinstance(min_support, Fraction) else max(1, math.ceil(min_support * share))
    n_before, n_after = original.n_sequences, released.n_sequences
    count, count_after = count_of(asked, n_before), count_of(asked, n_after)
    before, after = _mine(original, count), _mine(released, min(count, count_after))
    return FrequentPatterns(
        before, after[after >= count_after], after[after >= count], n_before, n_after, basis
    )


def _sample(
    original: Sequences, released: Sequences, share: Fraction, seed: int
) -> tuple[Sequences, Sequences]:
    """Draw the same share of both: the same sequences if every id of the release is one of the original."""
    rng = np.random.default_rng(seed)
    chosen = _draw(original, share, rng)
    places = find_values(released.ids, original.ids)
    same_ids = (places >= 0).all()
    others = np.flatnonzero(np.isin(places, chosen)) if same_ids else _draw(released, share, rng)
    return original.take(chosen), released.take(others)


def _draw(table: Sequences, share: Fraction, rng: np.random.Generator) -> np.ndarray:
    return np.sort(rng.choice(table.n_sequences, round(share * table.n_sequences), replace=False))


def _mine(table: Sequences, count: int) -> pd.Series:
    try:
        # A release does not say whose a sequence is, so sequences are counted in both tables.
        found = frequent_patterns(summarise(replace(table, people=None)), count)
    except TooManyError:
        raise refusal(
            "more than 10,000,000 patterns are frequent. Raise min_support, or set it to None."
        ) from None
    # Tuples of different lengths must not become levels of an index.
    return pd.Series(found.supports, index=pd.Index(found.to_tuples(), tupleize_cols=False))
