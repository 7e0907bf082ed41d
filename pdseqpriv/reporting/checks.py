"""The checks that a page shows: those that the caller ran, or those that fit the record of the release."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from pdseqpriv.errors import wrong_parameter
from pdseqpriv.generalization.verify import is_generalized
from pdseqpriv.k_anonymity.verify import is_k_anonymous
from pdseqpriv.pattern_release.verify import are_patterns_safe
from pdseqpriv.reporting.claims import claim_of
from pdseqpriv.reporting.pair import Pair
from pdseqpriv.verdict import Verdict

Verdicts: TypeAlias = "Iterable[Verdict] | Mapping[str, Verdict]"
Given: TypeAlias = dict[str, Any]

_FINEST = 10**6  # the denominator of l, which the record holds as a float


class Check(NamedTuple):
    """What was checked, and the verdict; without one, why it was not checked, and what the owner can do."""

    claim: str
    verdict: Verdict | None
    reason: str = ""
    do: str = ""


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


def fitting_checks(pair: Pair) -> list[Check]:
    """Run the check of every step whose parameters are known."""
    found = []
    for place, step in enumerate(pair.applied):
        operation, given = step["operation"], step["parameters"]
        if operation in _CHECKS:
            claim = claim_of(operation, given)
            answer = _CHECKS[operation](pair, given, place)
            found.append(
                Check(claim, answer) if isinstance(answer, Verdict) else answer._replace(claim=claim)
            )
    return found


def _not_checked(reason: str, do: str) -> Check:
    return Check("", None, reason, do)


_UNNAMED = ("people were counted, and they are not named", "Give the original as using(person=...)")
_NO_KEY = ("the key was not given", "Give key=, which with_key=True returns")


def _check_k_anonymity(pair: Pair, given: Given, place: int) -> Verdict | Check:
    options, before = pair.options, pair.counting(given)
    if any(one["parameters"].get("output") == "replace" for one in pair.applied[:place]):
        do = "Run the steps as a Pipeline, which checks each of them, and use the report of its result"
        return _not_checked("events were replaced before, so the original has others", do)
    if given.get("taxonomy") and options["taxonomy"] is None:
        return _not_checked("the taxonomy was not given", "Give taxonomy=")
    if before is None:
        return _not_checked(*_UNNAMED)
    needs_key = given.get("people") and (given["guarantee"] != "contained" or options["keep"])
    if needs_key and options["key"] is None:
        return _not_checked(*_NO_KEY)
    asked = {name: options[name] for name in ("taxonomy", "keep")}
    asked["taxonomy"] = asked["taxonomy"] if given.get("taxonomy") else None
    asked["key"] = options["key"] if needs_key else None
    return is_k_anonymous(before, pair.after, given["k"], guarantee=given["guarantee"], **asked)


def _check_groups(pair: Pair, given: Given, _: int) -> Verdict | Check:
    options, before = pair.options, pair.counting(given)
    if len(pair.applied) > 1:
        do = "Check it with verify.is_generalized on the table that it was made from"
        return _not_checked("other steps came before, so the original has other rows", do)
    if options["key"] is None:
        return _not_checked(*_NO_KEY)
    if before is None:
        return _not_checked(*_UNNAMED)
    asked = {name: options[name] for name in ("monitored", "sensitive", "taxonomy", "keep")}
    asked |= {"k": given.get("k"), "diversity": _diversity(pair, given), "time": given.get("time") or "real"}
    asked["intervals"] = given.get("intervals") or "apart"
    return is_generalized(before, pair.after, options["key"], **asked)


def _diversity(pair: Pair, given: Given) -> Any:  # noqa: ANN401 (a span and a number, or None)
    """Return g and l as they were given: of datetimes, the record has g in seconds."""
    if given.get("diversity_l") is None:
        return None
    window: Any = math.inf if given.get("diversity_g") is None else given["diversity_g"]
    has_dates = pair.before.frame[pair.before.columns.time].dtype.kind == "M"
    if has_dates and not math.isinf(window):
        window = pd.Timedelta(seconds=window)
    return window, Fraction(given["diversity_l"]).limit_denominator(_FINEST)


def _check_patterns(pair: Pair, given: Given, _: int) -> Verdict:
    return are_patterns_safe(pair.after.frame, k=given.get("k"), alpha=given.get("alpha"))


def _what_was_chosen(check: str) -> Callable[[Pair, Given, int], Check]:
    do = f"Check it with verify.{check} and give the result as verdicts="
    return lambda *_: _not_checked("what was chosen is secret, and not in the record", do)


_CHECKS: dict[str, Callable[[Pair, Given, int], Verdict | Check]] = {
    "hide": _what_was_chosen("is_hidden"),
    "sanitize": _what_was_chosen("is_sanitized"),
    "k_anonymize": _check_k_anonymity,
    "generalize": _check_groups,
    "release_patterns": _check_patterns,
}
