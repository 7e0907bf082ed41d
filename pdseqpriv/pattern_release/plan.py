"""Raise supports until nothing can be inferred from a pattern about a longer one (PICS)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from pdseqpriv.errors import counted, infeasible, refusal, warn, wrong_parameter
from pdseqpriv.exact import round_up
from pdseqpriv.pattern_release.kernels.raise_supports import Rules, find_faults, raise_supports
from pdseqpriv.pattern_release.left_out import which_stay
from pdseqpriv.patterns.sub_patterns import count_missing, find_sub_patterns
from pdseqpriv.progress import progress

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from pdseqpriv.patterns.sub_patterns import SubPatterns
    from pdseqpriv.patterns.tables import PatternArrays

Method = Literal["raise", "suppress"]
# Supports up to this size are kept in 32 bits, which are faster to read, and larger ones in 64.
NARROW = np.iinfo(np.int32).max
# The product of a support and a denominator up to these sizes fits into 64 bits.
HIGHEST = 1 << 33
FINEST = 10**9
CHUNK = 1 << 16
# A support is far from the true one if it is more than a tenth above it; of these, a tenth are many.
_TENTH = 10


@dataclass(frozen=True)
class GivenPatterns:
    """What is to be released.

    Attributes
    ----------
    patterns : PatternArrays
        The patterns, in pattern order.
    shortest : int
        The smallest number of events in a released pattern.
    is_mined : bool
        Whether the patterns come from a search, so that their supports are those of a real table.
    total : int, optional
        The number of sequences or people, if it is known.
    """

    patterns: PatternArrays
    shortest: int
    is_mined: bool
    total: int | None = None


def make_plan(
    given: GivenPatterns, *, k: int | None, alpha: Fraction | None, closed: bool, method: Method = "raise"
) -> PatternArrays:
    """Return the patterns to release, with safe supports."""
    sub_patterns = find_sub_patterns(given.patterns)
    if not given.is_mined:
        _check_rules(given, sub_patterns)
    if method == "suppress":
        supports = sub_patterns.by_number(given.patterns.supports)
        stay = which_stay(sub_patterns, supports, given.shortest, k, alpha)[sub_patterns.numbers]
        wanted = given.patterns.lengths >= given.shortest
        _warn_of_left_out(int((wanted & ~stay).sum()), int(wanted.sum()))
        return given.patterns.take(np.flatnonzero(stay & wanted))
    supports = _raised(given, sub_patterns, k, alpha)
    _warn_of_distortion(given, supports)
    released = replace(given.patterns, supports=supports)
    if given.shortest == 1 and not closed:
        return released
    kept = released.lengths >= given.shortest
    if closed:
        kept &= sub_patterns.are_closed(supports)
    return released.take(np.flatnonzero(kept))


def _warn_of_left_out(left_out: int, patterns: int) -> None:
    if left_out:
        are = "is" if left_out == 1 else "are"
        of = counted(patterns, "pattern")
        warn(f"{left_out} of {of} {are} left out. The supports of the others are true.")


def _warn_of_distortion(given: GivenPatterns, raised: NDArray[np.int64]) -> None:
    """Tell the owner if supports are no longer near the true ones."""
    true = given.patterns.supports
    above = int((raised > given.total).sum()) if given.total is not None else 0
    far = int((raised * _TENTH > true * (_TENTH + 1)).sum())
    doubled = int((raised // 2 >= true).sum())
    do = 'Do not compute shares from them, or use method="suppress", which leaves patterns out instead.'
    of = counted(len(true), "support")
    if above:
        exceed = "exceeds" if above == 1 else "exceed"
        warn(f"{above} of {of} {exceed} the number of sequences or people. {do}")
    elif far * _TENTH > len(true):
        warn(f"{far} of {of} {'is' if far == 1 else 'are'} more than 10 % too high. {do}")
    elif doubled:
        warn(f"{doubled} of {of} {'is' if doubled == 1 else 'are'} at least twice as high as is true. {do}")


def _raised(
    given: GivenPatterns, sub_patterns: SubPatterns, k: int | None, alpha: Fraction | None
) -> NDArray[np.int64]:
    """Work out the supports to release, from the longest patterns to the shortest."""
    supports = sub_patterns.by_number(given.patterns.supports)
    shortest = min(given.shortest, len(sub_patterns.levels) - 1)
    # If the raised supports do not fit into 32 bits, they may fit into 64.
    for highest in (NARROW, HIGHEST):
        if supports.max() <= highest:
            state = np.zeros((4, len(supports)), np.int32 if highest == NARROW else np.int64)
            state[0] = supports
            if _raise(sub_patterns, shortest, state, Rules(k or 0, *_ratio(alpha, highest), highest)):
                raised: NDArray[np.int64] = state[0, sub_patterns.numbers].astype(np.int64)
                return raised
    raise infeasible(f"supports would have to exceed {HIGHEST:,}. Use a larger alpha, or a smaller k.")


def _raise(sub_patterns: SubPatterns, shortest: int, state: NDArray[Any], rules: Rules) -> bool:
    """Raise the supports, which are in the first row; return False if one would not fit."""
    levels = sub_patterns.levels
    last = int(levels[shortest]) - 1
    with progress(state.shape[1] - 1 - last, "making supports safe") as bar:
        for longest in range(state.shape[1] - 1, last, -CHUNK):
            stop = max(last, longest - CHUNK)
            if not raise_supports(longest, stop, levels, shortest, sub_patterns.links, state, rules):
                return False
            bar.update(longest - stop)
    return True


def _check_rules(given: GivenPatterns, sub_patterns: SubPatterns) -> None:
    """Refuse a table that cannot come from mining."""
    supports = sub_patterns.by_number(given.patterns.supports)
    is_missing, rising = find_faults(supports, sub_patterns.levels, given.shortest, sub_patterns.links)
    if rising:
        raise refusal(
            f"a pattern must have at least the support of any longer pattern that contains it, but "
            f"{counted(rising, 'pair')} {'breaks' if rising == 1 else 'break'} this rule."
        )
    if is_missing:
        missing = count_missing(given.patterns, sub_patterns, given.shortest)
        are = "is" if missing == 1 else "are"
        raise refusal(
            "the table must also contain the sub-patterns of its patterns, but "
            f"{counted(missing, 'sub-pattern')} with one event fewer {are} missing. "
            "Mine all patterns, and use closed=True here to release the closed ones."
        )


def _ratio(alpha: Fraction | None, highest: int) -> tuple[int, int]:
    """Return alpha as a fraction of ints whose products with supports up to the highest fit into 64 bits."""
    if alpha is None:
        return 1, 0
    if highest <= NARROW:
        # For supports up to the highest, this requires the same.
        exact = round_up(alpha, NARROW)
    else:
        # Rounding down can only make the rule stricter.
        exact = alpha if alpha.denominator <= FINEST else Fraction(int(alpha * FINEST), FINEST)
    if exact == 0:
        raise wrong_parameter("alpha", f"at least {1 / FINEST}", "less")
    return exact.numerator, exact.denominator
