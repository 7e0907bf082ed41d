"""Which operation keeps what an earlier one promised.

The rules look only at what the record of a table says. They are on the safe side: where a step keeps the
promise in some cases only, it counts as one that can break it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Parameters: TypeAlias = Mapping[str, Any]

# The check of each promise.
CHECKS = {
    "hide": "verify.is_hidden",
    "sanitize": "verify.is_sanitized",
    "k_anonymize": "verify.is_k_anonymous",
}


def keeps_promise(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Return whether a later step surely keeps what an earlier one promised.

    Examples
    --------
    >>> hidden = {"operation": "hide", "parameters": {"max_support": 0, "constrained": False}}
    >>> rarer = {"operation": "sanitize", "parameters": {"delta": 0.5, "scope": "sequence"}}
    >>> keeps_promise(hidden, rarer), keeps_promise(rarer, hidden)
    (True, False)
    """
    rule = _RULES.get((earlier["operation"], later["operation"]))
    return rule is not None and rule(earlier["parameters"], later["parameters"])


def _hide_then_hide(earlier: Parameters, later: Parameters) -> bool:
    """A mark takes the place of an event. A dropped row brings others together; a new event may be one."""
    return later.get("output") == "mark" or (later.get("output") == "drop" and _is_free(earlier))


def _hide_then_sanitize(earlier: Parameters, _: Parameters) -> bool:
    """Deleting rows removes matches, but it brings others together, which counts where gaps are limited."""
    return _is_free(earlier)


def _hide_then_k_anonymize(earlier: Parameters, later: Parameters) -> bool:
    """Everybody gets a part of their own sequence, or, with a prefix tree, a part of somebody's."""
    own = later.get("method") == "subsequence" or later.get("guarantee") == "identical"
    is_plain = _is_free(earlier) and later.get("taxonomy") is False
    return is_plain and (own or earlier.get("max_support") == 0)


def _k_anonymize_then_hide(earlier: Parameters, later: Parameters) -> bool:
    """A part of what k people have is one of what k people have. Equal sequences lose the same if all do."""
    guarantee, loses_only = earlier.get("guarantee"), later.get("output") in ("mark", "drop")
    loses_the_same = later.get("max_support") == 0 and later.get("marking") in ("optimal", "greedy")
    return loses_only and (guarantee == "contained" or (guarantee == "identical" and loses_the_same))


def _k_anonymize_then_sanitize(earlier: Parameters, later: Parameters) -> bool:
    """The same, and equal sequences lose the same rows if each is looked at by itself."""
    guarantee = earlier.get("guarantee")
    return guarantee == "contained" or (guarantee == "identical" and later.get("scope") == "sequence")


def _k_anonymize_twice(earlier: Parameters, later: Parameters) -> bool:
    """Equal sequences get the same; what is contained in a part is contained in the whole."""
    return earlier.get("guarantee") in ("contained", "identical") and later.get("taxonomy") is False


def _is_free(hidden: Parameters) -> bool:
    """Return whether the patterns that were hidden have no gaps, windows or expressions."""
    return hidden.get("constrained") is False


_RULES: dict[tuple[str, str], Callable[[Parameters, Parameters], bool]] = {
    ("hide", "hide"): _hide_then_hide,
    ("hide", "sanitize"): _hide_then_sanitize,
    ("hide", "k_anonymize"): _hide_then_k_anonymize,
    ("k_anonymize", "hide"): _k_anonymize_then_hide,
    ("k_anonymize", "sanitize"): _k_anonymize_then_sanitize,
    ("k_anonymize", "k_anonymize"): _k_anonymize_twice,
}
