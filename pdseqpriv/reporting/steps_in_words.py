"""What was applied to a table, in plain words, from the record that everybody may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pdseqpriv.reporting.claims import counted_by, shared_by
from pdseqpriv.reporting.not_protected import not_protected

_OUTPUTS = {
    "mark": "marked as hidden",
    "drop": "removed",
    "replace": "replaced by other events",
}


class StepInWords(NamedTuple):
    """One step: what it is called, what it did, and what it does not protect."""

    operation: str
    done: str
    settings: str
    not_protected: list[str]


def steps_in_words(applied: list[dict[str, Any]]) -> list[StepInWords]:
    """Say what each step of a record did."""
    operations = [one["operation"] for one in applied]
    steps = []
    for place, (operation, one) in enumerate(zip(operations, applied, strict=True), 1):
        given = one["parameters"]
        open_ends = not_protected(operation, given, ids_are_new="k_anonymize" in operations[place:])
        steps.append(StepInWords(operation, _done(operation, given), _settings(given), open_ends))
    return steps


def _settings(given: Mapping[str, Any]) -> str:
    told = {name: value for name, value in given.items() if value is not None and value is not False}
    return ", ".join(f"{name} = {value}" for name, value in told.items())


def _done(operation: str, given: Mapping[str, Any]) -> str:
    people = counted_by(given)
    if operation == "k_anonymize":
        coarser = " Rare events may have become categories." if given.get("taxonomy") else ""
        done = f"Events were removed until what is left of each sequence {shared_by(given)}."
        if given.get("method") == "prefix_tree":
            done = f"Sequences were shortened or replaced by similar ones until each {shared_by(given)}."
        return f"{done}{coarser} Ids are new, and times became positions."
    if operation == "generalize":
        return _done_by_groups(given, people)
    if operation == "hide":
        output = _OUTPUTS[given.get("output") or "mark"]
        most = given.get("max_support")
        left = "no" if most == 0 else f"at most {most}" if most is not None else "only a few"
        done = f"Chosen patterns were hidden, with the aim that {left} {people} still show them."
        return f"{done} Events that had to go were {output}."
    if operation == "sanitize":
        delta = given.get("delta")
        aim = f"none of them is ever {delta} or more of all events so far"
        return f"Chosen events were made rarer, with the aim that {aim}."
    if operation == "release_patterns":
        way = "left out" if given.get("method") == "suppress" else "given raised supports"
        return f"Patterns whose supports would reveal too much were {way}."
    return f"Frequent patterns were counted in the table ({people} that contain them)."


def _done_by_groups(given: Mapping[str, Any], people: str) -> str:
    size = f" of at least {given['k']} {people}" if given.get("k") else ""
    said = f"Sequences were put into groups{size} that look the same."
    since = ", counted from the start of each sequence" if given.get("time") == "since_start" else ""
    said += f" Times became intervals{since}, events became categories, and ids are new."
    if given.get("intervals") == "by_category":
        said += " Events of different categories may have intervals that overlap."
    if given.get("diversity_l"):
        few = f"At most one in {given['diversity_l']:g} members of a group"
        said += f" {few} share a sensitive event at about the same time."
    return said
