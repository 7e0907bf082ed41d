"""What can be worked out from the supports of patterns, before and after they were made safe."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdseqpriv.errors import counted
from pdseqpriv.pattern_release.verify import are_patterns_safe
from pdseqpriv.reporting.pair import Pair, holds_patterns
from pdseqpriv.reporting.sections import Section, bar_section

_RULES = {
    "support below k": "supports below {k}",
    "difference below k": "differences below {k}",
    "confidence of alpha or more": "confidence of {alpha:g} or more",
    "longer has higher support": "longer and more frequent",
}


def risk_of_supports(pair: Pair) -> Section:
    """Show the owner how many supports reveal too much, in the original and in the release."""
    asked = [one["parameters"] for one in pair.applied if one["operation"] == "release_patterns"]
    if not asked:
        text = "Not measured: no record says for which k or alpha the supports were made safe."
        return Section("Risk", text)
    if pair.patterns_before is None:
        return Section("Risk", why_not_found(pair))
    given = {name: asked[-1].get(name) for name in ("k", "alpha")}
    before, after = (_violations(one, given) for one in (pair.patterns_before, pair.after.frame))
    broken = [rule for rule in _RULES if before.get(rule) or after.get(rule)]
    names = [_RULES[rule].format(**given) for rule in broken]
    values = [np.array([one[rule] for rule in broken], float) for one in (before, after)]
    if not broken:
        return Section("Risk", "The supports reveal too much neither in the original nor in the release.")
    of = counted(len(pair.patterns_before), "pattern")
    alike = "frequent" if pair.leaves_out_patterns else "frequent and as long"
    which = "" if holds_patterns(pair.before) else f" that are as {alike} as those released"
    text = f"How often supports reveal too much: in {of} of the original{which}, and in the release."
    return bar_section("Risk", text, names, values)


def why_not_found(pair: Pair) -> str:
    """Say why there are no patterns to compare those released with."""
    if not len(pair.after.frame):
        return "No pattern is released."
    return (
        "Not measured: people were counted whom the original does not name, or there are too many patterns."
    )


def _violations(patterns: pd.DataFrame, given: dict[str, Any]) -> dict[str, int]:
    found = are_patterns_safe(patterns, **given).details
    return dict(zip(found["rule"], found["violations"].tolist(), strict=True))
