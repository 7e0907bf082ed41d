"""What may be asked of a pattern table: k and alpha."""

from __future__ import annotations

from numbers import Integral, Real

from pdseqpriv.errors import SeqPrivError, wrong_parameter

SMALLEST_K = 2


def check_privacy(function: str, k: object, alpha: object) -> None:
    """Refuse what asks for no privacy, or for one that does not exist."""
    if k is None and alpha is None:
        raise SeqPrivError(f"{function}: k and alpha are both missing. Give at least one of them.")
    if k is not None:
        whole = isinstance(k, Integral) and not isinstance(k, bool)
        if not whole or int(k) < SMALLEST_K:  # type: ignore[call-overload]
            raise wrong_parameter(
                function, "k", f"an int of at least {SMALLEST_K}", str(k) if whole else type(k).__name__
            )
    if alpha is not None:
        number = isinstance(alpha, Real) and not isinstance(alpha, bool)
        if not number or not 0 < float(alpha) <= 1:  # type: ignore[arg-type]
            came = str(alpha) if number else type(alpha).__name__
            raise wrong_parameter(function, "alpha", "a number above 0 and up to 1", came)
