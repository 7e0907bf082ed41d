"""Check all promises, and run a step again whose promise a later one broke, where that can succeed."""

from __future__ import annotations

from dataclasses import replace

from pdseqpriv.errors import called_function
from pdseqpriv.pipeline.checks import Checked, check_all
from pdseqpriv.pipeline.running import Way, run_again
from pdseqpriv.verdict import ViolatedError

# These only take away: each round leaves fewer events, so there is an end. A new k_anonymize would give new
# ids and might undo what is repaired; nothing repairs groups.
_REPAIRED = ("hide", "sanitize")
# Replacing takes nothing away, and may go on for ever.
_ROUNDS = 20


def checked_and_repaired(way: Way) -> tuple[Way, tuple[Checked, ...]]:
    """Return the table on which every promise holds, and the verdicts; else raise."""
    for _ in range(_ROUNDS):
        verdicts = check_all(way)
        broken = [one for one in verdicts if not one]
        if not broken:
            return way, verdicts
        if any(one.operation not in _REPAIRED for one in broken):
            break
        steps = {one.step for one in broken}
        for passed in way.passed:
            if passed.step.number in steps:
                way = replace(run_again(way, passed.step), is_repaired=True)
    raise _violated([one for one in broken if one.operation not in _REPAIRED] or broken, way)


def _violated(broken: list[Checked], way: Way) -> ViolatedError:
    first = broken[0]
    later = [str(one.step) for one in way.passed if one.step.number > first.step]
    why = f" because of {' or '.join(later)}" if later else ""
    return ViolatedError(
        f"{called_function()}: step {first.step}, {first.operation}, does not hold on the final table{why} "
        f"({first.verdict.sentence}), so there is no result. Change the order of the steps, or what is asked."
    )
