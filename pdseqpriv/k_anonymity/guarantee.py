"""The levels of k-anonymity, each stronger than the one before it."""

from typing import Literal

Guarantee = Literal["contained", "mutual", "identical"]
