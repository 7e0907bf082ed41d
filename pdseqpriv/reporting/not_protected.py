"""What an operation does not protect, in words for whoever gets the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pdseqpriv.reporting.claims import counted_by

Given: TypeAlias = Mapping[str, Any]

_SEVERAL = "People in several releases of the same data, if somebody compares these releases."
_ONE_EACH = "People who have several sequences: each sequence was counted as a person of its own."
_IDS_STAY = "Ids and times are those of the original, and can identify people."
_TRACES = {
    "mark": "That something was hidden: marks show where and when.",
    "drop": "That something may be missing: removed events leave gaps in time.",
    "replace": (
        "The truth of single events: some were replaced. The release does not say which, but those that are "
        "rarely next to their neighbours are the likely ones."
    ),
}


def not_protected(operation: str, given: Given, *, ids_are_new: bool = False) -> list[str]:
    """Return what is open after a step; ``ids_are_new`` says that a later one gave new ids, without times.

    Examples
    --------
    >>> not_protected("mine", {})
    ['A few people: subtracting one support from another can single them out.']
    """
    gone = {_IDS_STAY, _TRACES["mark"], _TRACES["drop"]} if ids_are_new else set()
    return [one for one in _OPEN[operation](given) if one and one not in gone]


def _of_k_anonymize(given: Given) -> list[str]:
    k, people = given.get("k"), counted_by(given)
    best_match = (
        "People of whom somebody knows a whole sequence: taking the record that fits best can be right far "
        f"more often than one time in {k}."
    )
    untrue = "The truth of single records: some hold events that their people never had."
    return [
        "" if given.get("guarantee") == "identical" else best_match,
        untrue if given.get("method") == "prefix_tree" else "",
        f"What at least {k} {people} have in common, sensitive or not, and how many share it.",
        "That somebody is among the people in the data.",
        _SEVERAL,
        "What somebody who knows the method can infer about sequences that were shortened.",
        "" if given.get("people") else _ONE_EACH,
    ]


def _of_generalize(given: Given) -> list[str]:
    shared = "" if given.get("diversity_l") else ", which may be sensitive"
    return [
        "Events, if any, that receivers were assumed not to know: they are released as they are, with times.",
        f"That somebody is in a group, and what all members of the group have in common{shared}.",
        _SEVERAL,
        "True times of single members: intervals begin and end at some of them.",
        "" if given.get("people") else _ONE_EACH,
    ]


def _of_hide(given: Given) -> list[str]:
    most, people = given.get("max_support"), counted_by(given)
    some = "Some" if most is None else f"Up to {most}"
    return [
        "Patterns that were not chosen, such as parts or variants of the chosen ones.",
        "" if most == 0 else f"{some} {people} that may still show a pattern: they are released as they are.",
        _TRACES[given.get("output") or "mark"],
        _IDS_STAY,
        "A pattern whose events are spread over several sequences of a person.",
    ]


def _of_sanitize(_: Given) -> list[str]:
    return [
        "That the chosen events occur: they do, less often.",
        "What was deleted, from whoever knows how often they should occur.",
        "Parts of a sequence that do not begin with its first event, such as its last month.",
        _IDS_STAY,
    ]


def _of_release_patterns(given: Given) -> list[str]:
    left_out = "That a pattern was left out, if it is part of a released one: its support is close to others."
    return [
        "What a single support says, and what follows from three or more supports together.",
        "What follows from other knowledge, such as the number of sequences or another release.",
        "The patterns themselves: they are true, and anybody who has the table can read them.",
        left_out if given.get("method") == "suppress" else "",
    ]


def _of_mine(_: Given) -> list[str]:
    return ["A few people: subtracting one support from another can single them out."]


_OPEN: dict[str, Callable[[Given], list[str]]] = {
    "k_anonymize": _of_k_anonymize,
    "generalize": _of_generalize,
    "hide": _of_hide,
    "sanitize": _of_sanitize,
    "release_patterns": _of_release_patterns,
    "mine": _of_mine,
}
