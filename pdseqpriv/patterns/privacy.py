"""What may be asked of a pattern table: k and alpha."""

from __future__ import annotations

from fractions import Fraction

from pdseqpriv.errors import SeqPrivError, whole_number
from pdseqpriv.thresholds import read_threshold

SMALLEST_K = 2


def read_privacy(function: str, k: object, alpha: object) -> tuple[int | None, Fraction | None]:
    """Refuse what asks for no privacy, or for one that does not exist; give k, and alpha as it is written."""
    if k is None and alpha is None:
        raise SeqPrivError(f"{function}: k and alpha are both missing. Give at least one of them.")
    least = None if k is None else whole_number(function, "k", k, least=SMALLEST_K)
    return least, None if alpha is None else read_threshold(alpha, function, "alpha")
