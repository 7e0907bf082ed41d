"""What was applied to a table, in plain words, from the record that everybody may see."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pdseqpriv.generalization.generalize import generalize
from pdseqpriv.hiding.hide import hide
from pdseqpriv.k_anonymity.k_anonymize import k_anonymize
from pdseqpriv.mining.mine import mine
from pdseqpriv.pattern_release.release_patterns import release_patterns
from pdseqpriv.sanitization.sanitize import sanitize

_OPERATIONS = {one.__name__: one for one in (generalize, hide, k_anonymize, mine, release_patterns, sanitize)}
_LEVELS = {
    "contained": "is part of the sequences of at least {k} {people}",
    "mutual": "is part of the sequences of at least {k} {people}, and of at least {k} released ones",
    "identical": "is the same for at least {k} {people}",
}
_OUTPUTS = {
    "mark": "marked as hidden",
    "drop": "removed",
    "replace": "replaced by other events",
}


class Step(NamedTuple):
    """One step: what it is called, what it did, and what it does not protect."""

    operation: str
    done: str
    settings: str
    not_protected: str


def steps_in_words(applied: list[dict[str, Any]]) -> list[Step]:
    """Say what each step of a record did."""
    return [_step(one["operation"], one["parameters"]) for one in applied]


def _step(operation: str, parameters: Mapping[str, Any]) -> Step:
    settings = ", ".join(
        f"{name} = {value}" for name, value in parameters.items() if value is not None and value is not False
    )
    return Step(operation, _done(operation, parameters), settings, not_protected(operation))


def _done(operation: str, given: Mapping[str, Any]) -> str:
    people = "people" if given.get("people") else "sequences"
    if operation == "k_anonymize":
        level = _LEVELS[given.get("guarantee") or "contained"].format(k=given.get("k"), people=people)
        coarser = " Rare events may have become categories." if given.get("taxonomy") else ""
        done = f"Events were removed until what is left of each sequence {level}.{coarser}"
        return f"{done} Ids are new, and times became positions."
    if operation == "generalize":
        return _done_by_groups(given, people)
    if operation == "hide":
        output = _OUTPUTS[given.get("output") or "mark"]
        most = given.get("max_support")
        left = "no" if most == 0 else f"at most {most}" if most is not None else "only a few"
        done = f"Chosen patterns were hidden: {left} {people} still show them."
        return f"{done} Events that had to go were {output}."
    if operation == "sanitize":
        return (
            f"Chosen events were made rarer: at no time have they been {given.get('delta')} or more of all "
            "events so far."
        )
    if operation == "release_patterns":
        way = "left out" if given.get("method") == "suppress" else "given raised supports"
        return f"Patterns whose supports would reveal too much were {way}."
    return f"Frequent patterns were counted in the table ({people} that contain them)."


def _done_by_groups(given: Mapping[str, Any], people: str) -> str:
    size = f" of at least {given['k']} {people}" if given.get("k") else ""
    said = f"Sequences were put into groups{size} that look the same."
    said += " Times became intervals, and events categories."
    if given.get("diversity_l"):
        few = f"At most one in {given['diversity_l']} members of a group"
        said += f" {few} share a sensitive event at about the same time."
    return said


def not_protected(operation: str) -> str:
    """Return what an operation does not protect, as its documentation says it, without markup."""
    text = inspect.getdoc(_OPERATIONS[operation]) or ""
    found = re.search(r"\*\*Not protected\*\*: (.*?)(\n\s*\n|\Z)", text, re.DOTALL)
    said = found[1] if found else f"see the documentation of {operation}."
    said = re.sub(r":\w+:`([^`]*)`", r"\1", " ".join(said.split()))
    said = re.sub(r"``([^`]*)``|\*([^*]+)\*", lambda one: one[1] or one[2], said)
    return said[0].upper() + said[1:]
