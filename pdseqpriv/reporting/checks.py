"""The checks that a report shows: those that the caller ran, or those that fit the record of the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from pdseqpriv.engines.engine import Table
from pdseqpriv.errors import wrong_parameter
from pdseqpriv.generalization.verify import is_generalized
from pdseqpriv.k_anonymity.verify import is_k_anonymous
from pdseqpriv.pattern_release.verify import are_patterns_safe
from pdseqpriv.verdict import Verdict

Verdicts: TypeAlias = "Iterable[Verdict] | Mapping[str, Verdict]"
Options: TypeAlias = dict[str, Any]

_SELF = {"hide": "verify.is_hidden", "sanitize": "verify.is_sanitized"}


class Check(NamedTuple):
    """What was checked, and the verdict; without one, why it was not checked."""

    claim: str
    verdict: Verdict | None
    reason: str = ""


def given_checks(verdicts: object) -> list[Check]:
    """Read the verdicts that the caller gives, alone or with what each is about."""
    named = isinstance(verdicts, Mapping)
    pairs: Any = verdicts.items() if isinstance(verdicts, Mapping) else None
    if pairs is None and isinstance(verdicts, Iterable) and not isinstance(verdicts, str | pd.DataFrame):
        pairs = [("A check that the owner of the data ran", one) for one in verdicts]
    if pairs is None or not all(isinstance(one, Verdict) and isinstance(name, str) for name, one in pairs):
        must = "a list of Verdicts, or a dict of a sentence and the Verdict of each"
        raise wrong_parameter(
            "verdicts", must, "a dict of other things" if named else type(verdicts).__name__
        )
    return [Check(name, one) for name, one in pairs]


def fitting_checks(
    original: Table, released: Table, applied: list[dict[str, Any]], options: Options
) -> list[Check]:
    """Run the check of every step whose parameters are known."""
    found = []
    for step in applied:
        check = _CHECKS.get(step["operation"], _not_checked)
        found.append(check(original, released, step, options))
    return [one for one in found if one is not None]


def _check_k_anonymity(original: Table, released: Table, step: dict[str, Any], options: Options) -> Check:
    given = step["parameters"]
    claim = (
        f"What is released of each sequence is shared by at least {given['k']} people ({given['guarantee']})"
    )
    if given.get("taxonomy") and options["taxonomy"] is None:
        return Check(claim, None, "the taxonomy was not given")
    needs_key = given.get("people") and given["guarantee"] != "contained"
    if needs_key and options["key"] is None:
        return Check(claim, None, "the key was not given")
    key = options["key"] if needs_key else None
    shared = {"taxonomy": options["taxonomy"] if given.get("taxonomy") else None, "keep": options["keep"]}
    return Check(
        claim,
        is_k_anonymous(original, released, given["k"], guarantee=given["guarantee"], key=key, **shared),
    )


def _check_groups(original: Table, released: Table, step: dict[str, Any], options: Options) -> Check:
    given = step["parameters"]
    claim = (
        f"Groups have at least {given['k']} members that look the same"
        if given.get("k")
        else "Groups are diverse"
    )
    if options["key"] is None:
        return Check(claim, None, "the key was not given")
    if given.get("diversity_l") is not None or given.get("k") is None:
        return Check(
            claim, None, "its window and sensitive events are not in the record; use verify.is_generalized"
        )
    asked = {name: options[name] for name in ("monitored", "taxonomy", "keep")}
    return Check(claim, is_generalized(original, released, options["key"], k=given["k"], **asked))


def _check_patterns(_: Table, released: Table, step: dict[str, Any], __: Options) -> Check:
    given = step["parameters"]
    claim = "No two supports reveal a small group of people or make a longer pattern almost certain"
    frame: Any = getattr(released, "frame", released)
    return Check(claim, are_patterns_safe(frame, k=given.get("k"), alpha=given.get("alpha")))


def _not_checked(_: Table, __: Table, step: dict[str, Any], ___: Options) -> Check | None:
    if step["operation"] not in _SELF:
        return None
    name = _SELF[step["operation"]]
    claim = f"What {step['operation']} promises"
    return Check(
        claim, None, f"what was chosen is not in the record; check it with {name} and give its verdict"
    )


_CHECKS = {
    "k_anonymize": _check_k_anonymity,
    "generalize": _check_groups,
    "release_patterns": _check_patterns,
}
