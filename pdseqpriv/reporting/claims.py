"""What an operation promises, in one sentence that anybody may read: from the record and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Given: TypeAlias = Mapping[str, Any]


def claim_of(operation: str, given: Given, check: str = "") -> str:
    """Say what was promised; ``check`` is the name of the function that checked it, where there are several.

    Examples
    --------
    >>> claim_of("hide", {"max_support": 0})
    'No sequence shows a hidden pattern any more'
    >>> claim_of("k_anonymize", {"k": 5, "guarantee": "identical", "people": True})
    'Every released sequence is the same for at least 5 people'
    """
    if check == "are_compatible":
        return f"Whoever links this release with earlier ones still finds at least {given.get('k')} people"
    return _CLAIMS[operation](given)


def counted_by(given: Given) -> str:
    """Return what a guarantee counts."""
    return "people" if given.get("people") else "sequences"


def _of_hide(given: Given) -> str:
    most, people = given.get("max_support"), counted_by(given)
    if most == 0:
        return f"No {'person' if people == 'people' else 'sequence'} shows a hidden pattern any more"
    if most is None:
        return f"No hidden pattern is left in more {people} than was allowed"
    return f"At most {most} {people} still show a hidden pattern"


def _of_sanitize(given: Given) -> str:
    return f"At no time does a chosen event reach a share of {given.get('delta')} of all events so far"


def shared_by(given: Given) -> str:
    """Say who shares a released sequence, by the level of the guarantee.

    Examples
    --------
    >>> shared_by({"k": 5, "guarantee": "contained"})
    'is part of at least 5 sequences of the original'
    """
    people, level = counted_by(given), given.get("guarantee") or "contained"
    if level == "identical":
        return f"is the same for at least {given.get('k')} {people}"
    whose = "the sequences of " if people == "people" else ""
    where = " of the original" if level == "contained" else ", in the original and in the release"
    return f"is part of {whose}at least {given.get('k')} {people}{where}"


def _of_k_anonymize(given: Given) -> str:
    return f"Every released sequence {shared_by(given)}"


def _of_generalize(given: Given) -> str:
    promised = []
    if given.get("k"):
        promised.append(f"has at least {given['k']} {counted_by(given)} that look the same")
    if given.get("diversity_l"):
        promised.append(f"shares no sensitive event among more than one in {given['diversity_l']:g} members")
    return f"Every group {' and '.join(promised)}"


def _of_release_patterns(given: Given) -> str:
    promised = []
    if given.get("k"):
        promised.append(f"a group of fewer than {given['k']} {counted_by(given)}")
    if given.get("alpha"):
        promised.append(f"a longer pattern with a confidence of {given['alpha']:g} or more")
    return f"No two supports reveal {' or '.join(promised)}"


_CLAIMS: dict[str, Callable[[Given], str]] = {
    "hide": _of_hide,
    "sanitize": _of_sanitize,
    "k_anonymize": _of_k_anonymize,
    "generalize": _of_generalize,
    "release_patterns": _of_release_patterns,
}
