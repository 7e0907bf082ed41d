"""PICS with all pairs and fractions; patterns are tuples of tuples."""

from __future__ import annotations

from fractions import Fraction

from tests.mining.naive import length
from tests.sequences.naive import contains


def release(supports, k=None, alpha=None):
    """Return released supports, and how many copies of each pattern were added as sequences."""
    released = dict(supports)
    added = {}
    for pattern in sorted(supports, key=length, reverse=True):
        above = [
            released[other]
            for other in supports
            if length(other) == length(pattern) + 1 and contains(other, pattern)
        ]
        amount = 0
        while not is_safe(released[pattern] + amount, above, k, alpha):
            amount += 1
        if amount:
            added[pattern] = amount
            for other in supports:
                if contains(pattern, other):
                    released[other] += amount
    return released, added


def is_safe(support, above, k, alpha):
    for longer in above:
        if k is not None and 0 < support - longer < k:
            return False
        if alpha is not None and Fraction(longer, support) >= Fraction(str(alpha)):
            return False
    return True


def channels(supports, k=None, alpha=None):
    """All pairs of a pattern and a longer one from which something can be inferred."""
    pairs = set()
    for shorter, support in supports.items():
        for longer, other in supports.items():
            if longer == shorter or not contains(longer, shorter):
                continue
            if k is not None and 0 < support - other < k:
                pairs.add(("k", shorter, longer))
            if alpha is not None and Fraction(other, support) >= Fraction(str(alpha)):
                pairs.add(("alpha", shorter, longer))
    return pairs
