"""How likely people are to be found: by a few known events, and by the record that fits best."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdseqpriv.audit.risk import risk
from pdseqpriv.reporting.drawing import Curve, bars, curves
from pdseqpriv.reporting.pair import Pair
from pdseqpriv.reporting.sections import ORIGINAL, RELEASE, Section

_KNOWN = (1, 2, 3)
_QUICK = 100_000  # rows of which all that may be known is tried
_SAMPLE = 1_000  # people whom attackers try to link
_ONLY_THE_KEY = "only the key, which with_key=True returns, says which record is whose."
_KNOWS = {"whole": "all events", "0.5": "half of them"}
_ATTACKS = {
    "containment": "what contains them",
    "common subsequence": "most in common",
    "intervals": "what they fit into",
}


def risk_in_release(pair: Pair) -> Section | None:
    """Show the public the risk in the release alone, if nobody is found in it with more than 1/k."""
    promised = [one["parameters"].get("k") for one in pair.applied if one["operation"] == "k_anonymize"]
    if len(promised) != 1 or len(pair.applied) != 1 or not 0 < len(pair.after.frame) <= _QUICK:
        return None
    k = promised[0]
    after = risk(pair.after, list(_KNOWN), k=k)
    is_safe = (after["worst_probability"] <= 1 / k) & (after["method"] == "exact")
    if not is_safe.all():  # no promise from a sample
        return None
    text = (
        f"Whoever knows up to {_KNOWN[-1]} events of a person, in order, and looks for records that contain "
        f"all of them finds at least {k}, or none."
    )
    return _curve_section(text, [after], [RELEASE])


def risk_before_and_after(pair: Pair) -> Section:
    """Show the owner the risk in the original and, if it can be measured alike, in the release."""
    if pair.has_groups and pair.options["key"] is not None and pair.has_events:
        return _risk_by_intervals(pair)
    found, looks = [risk(pair.before, list(_KNOWN))], [ORIGINAL]
    text = "How many people a few known events single out (solid), and how likely people are to be found on "
    text += "average by somebody who picks one of the records that fit (dashed)."
    not_measured = _why_not_measured(pair)
    if not_measured:
        text += f" {not_measured}"
    else:
        key = pair.options["key"] if pair.before.columns.person is not None else None
        found.append(risk(pair.after, list(_KNOWN), original=pair.before, key=key))
        looks.append(RELEASE)
        text += " In the release, records are counted that contain all that is known."
    text += _with_times(found[-1], looks[-1][0]) + _what_was_drawn(found)
    return _curve_section(text, found, looks)


def _why_not_measured(pair: Pair) -> str:
    """Say why candidates cannot be counted in a release; nothing if they can."""
    if not pair.has_events:
        return "Nothing is released in which somebody could be found."
    if pair.options["taxonomy"] is not None and not pair.has_groups:
        return "The release is not shown, because some of its events are categories. See the linking attacks."
    names_people = pair.before.columns.person is not None
    if pair.options["key"] is None and (pair.has_groups or (names_people and not pair.keeps_ids)):
        return f"The release is not shown, because {_ONLY_THE_KEY}"
    return ""


def _risk_by_intervals(pair: Pair) -> Section:
    """Show the risk for people whose times are known as well: intervals hide nothing else."""
    options = {name: pair.options[name] for name in ("key", "taxonomy")}
    known: Any = list(_KNOWN)
    found = risk(pair.after, attack="linkage", knows=known, original=pair.before, sample=_SAMPLE, **options)
    after = found.rename(columns={"people": "of_people", "attacked": "people"}).assign(known=known)
    before = risk(pair.before, known, with_time=True)
    text = (
        "How many people a few known events and their times single out (solid), and how likely people are to "
        "be found on average by somebody who picks one of the records that fit (dashed). In the original, "
        "any such events count that single a person out. In the release, they are drawn at random for each "
        "person, and records are counted whose intervals and categories they fit into."
    )
    return _curve_section(text + _what_was_drawn([before, after]), [before, after], [ORIGINAL, RELEASE])


def _with_times(found: pd.DataFrame, name: str) -> str:
    """Say what more somebody finds who knows the times as well, where they are those of the original."""
    share, known = found["unique_with_times"].iloc[-1], found["known"].iloc[-1]
    if pd.isna(share):
        return ""
    return f" With their times, {known} known events single out {share:.0%} of the people in the {name}."


def _what_was_drawn(found: list[pd.DataFrame]) -> str:
    """Say what was not measured for everybody, or not for all that may be known."""
    measured = pd.concat(found)
    some, text = measured[measured["people"] < measured["of_people"]], ""
    if len(some):
        text = f" Where there are many, {some['people'].min():,} people were drawn at random and measured."
    if (measured["method"] == "sampled knowledge").any():
        text += " Not all that may be known about them was tried: the true risk is at least what is shown."
    return text


def _curve_section(text: str, found: list[pd.DataFrame], looks: list[tuple[str, str]]) -> Section:
    lines, rows, legend = [], [], []
    for (name, look), one in zip(looks, found, strict=True):
        lines.append(Curve(name, look, one["unique_share"].to_list()))
        lines.append(Curve(name, f"{look} dashed", one["mean_probability"].to_list()))
        legend += [(f"{name}: singled out", look), (f"{name}: found, on average", f"{look} dashed")]
        rows += [
            (
                f"{name}, {row.known} known",
                f"{row.unique_share:.1%}",
                f"{row.mean_probability:.2%}",
                f"{row.worst_probability:.1%}",
            )
            for row in one.itertuples()
        ]
    drawing = curves(f"Risk: {text}", list(_KNOWN), lines, "known events")
    head = ["known events", "singled out", "found, on average", "found, at worst"]
    return Section("Risk", text, drawing, legend, head, rows)


def linking_attacks(pair: Pair) -> Section:
    """Show the owner how often attackers are right who take the record that fits best."""
    needs_key = pair.has_groups or not pair.keeps_ids
    if needs_key and pair.options["key"] is None:
        return Section("Linking attacks", f"Not measured: {_ONLY_THE_KEY}")
    if not pair.has_events:
        return Section("Linking attacks", "There are no records to link.")
    options = {name: pair.options[name] for name in ("key", "taxonomy")}
    found = risk(pair.after, attack="linkage", original=pair.before, sample=_SAMPLE, **options)
    return _linking_section(found)


def _linking_section(found: Any) -> Section:  # noqa: ANN401 (a frame)
    names = [f"{_KNOWS[str(row.knows)]}, {_ATTACKS[row.attack]}" for row in found.itertuples()]
    looks = [("found for certain", "certain"), ("found, on average", "after")]
    values = [found["unique_share"].to_list(), found["mean_probability"].to_list()]
    groups = [Curve(name, look, one) for (name, look), one in zip(looks, values, strict=True)]
    text = (
        "Attackers who know all events of a person, or half of them, and take the record that fits best: the "
        "one that contains them, or that has most in common with them."
    )
    if found["attacked"].max() < found["people"].max():
        text += f" Measured for {found['attacked'].max():,} people, drawn at random."
    drawing = bars(f"Linking attacks: {text}", names, groups, shares=True)
    rows = [
        (name, f"{row.unique_share:.1%}", f"{row.mean_probability:.1%}", f"{row.worst_probability:.1%}")
        for name, row in zip(names, found.itertuples(), strict=True)
    ]
    head = ["known, taken", "found for certain", "found, on average", "found, at worst"]
    return Section("Linking attacks", text, drawing, looks, head, rows)
