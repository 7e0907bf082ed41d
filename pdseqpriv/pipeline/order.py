"""Which steps may follow each other: what could not be checked in the end is refused before anything is read.

How the promise of a step is checked on the final table, by the steps that come after it:

================================ ========================================================================
step                             how it is checked after any later step that is allowed
================================ ========================================================================
``hide``                         ``is_hidden`` on the final table; people are known by ids, or by the keys
                                 of later steps. With gaps or windows in time, ``k_anonymize`` may not
                                 follow: it replaces times with positions
``sanitize``                     ``is_sanitized`` on the final table; people as above. Pooled by time
                                 (``scope="table"`` or ``"person"``), ``k_anonymize`` may not follow
``k_anonymize``                  ``is_k_anonymous`` of the table that the step started from and the final
                                 one, with the key from one to the other. ``guarantee="identical"``: if a
                                 later step touched rows, also that records are equal with all that they
                                 show, marks and times. With ``keep``, no marks may follow, which would
                                 make kept columns null in some rows. With ``previous``: also
                                 ``are_compatible`` of all keys, and no ``k_anonymize`` may follow
``generalize``                   ``is_generalized`` with the key; ``are_compatible`` with ``previous``.
                                 Only functions of the user's may come before or after it
``release_patterns``             ``are_patterns_safe`` on the final table; the same
a function of the user's         promises nothing; all that was promised before it is checked after it
================================ ========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from pdseqpriv.errors import refusal
from pdseqpriv.pipeline.steps import GIVES, Step, measures_time

_ON_SEQUENCES = ("hide", "sanitize", "k_anonymize")


def refuse_orders(steps: Sequence[Step]) -> None:
    """Refuse a pipeline whose steps do not fit together, or whose promises could not all be checked."""
    if not any(step.operation in GIVES for step in steps):
        raise refusal("there is no operation in it. Add a step, such as .hide([...]).")
    for step in steps:
        _refuse_unchecked_alone(step)
    for earlier, later in combinations(steps, 2):
        between = steps[earlier.number : later.number - 1]
        is_changed = any(step.operation == "apply" for step in between)
        for rule in _RULES:
            problem = rule(earlier, later)
            if problem and not (rule is _needs_dropped_columns and is_changed):
                raise refusal(problem)


def _refuse_unchecked_alone(step: Step) -> None:
    given = step.asked("previous", "diversity")
    if step.operation == "generalize" and all(given.get(name) for name in ("previous", "diversity")):
        raise refusal(
            f"{step}: diversity cannot be checked across earlier releases, so previous and diversity must "
            "not be given together here."
        )


def _needs_sequences(earlier: Step, later: Step) -> str:
    gives = GIVES.get(earlier.operation, "sequences")
    if gives == "sequences" or later.operation == "apply":
        return ""
    what = "a generalized table" if gives == "generalized" else "a table of patterns"
    return f"{later}, needs sequences, but {earlier}, gives {what}. Make {earlier.operation} the last step."


def _cannot_be_checked(earlier: Step, later: Step) -> str:
    gives = GIVES.get(later.operation, "sequences")
    if earlier.operation not in _ON_SEQUENCES or gives == "sequences":
        return ""
    return (
        f"what {earlier}, promises cannot be checked in what {later}, gives, because it holds no sequences "
        "as they were. Leave one of the two out."
    )


def _needs_dropped_times(earlier: Step, later: Step) -> str:
    if earlier.operation != "k_anonymize" or not measures_time(later):
        return ""
    return (
        f"{later}, measures time, but {earlier}, replaces times with positions. Give gaps and windows in "
        'elements and scope="sequence", or leave one of the two out.'
    )


def _drops_times_that_were_promised(earlier: Step, later: Step) -> str:
    if later.operation != "k_anonymize" or earlier.operation == "generalize" or not measures_time(earlier):
        return ""
    return (
        f"what {earlier}, promises about times cannot be checked after {later}, which replaces them with "
        'positions. Give gaps and windows in elements and scope="sequence", or leave one of the two out.'
    )


def _needs_dropped_columns(earlier: Step, later: Step) -> str:
    if not later.kept:
        return ""
    output = earlier.parameters.get("output", "mark") if earlier.operation == "hide" else None
    if output == "mark":
        return (
            f"{later}, keeps columns, but {earlier}, makes them null where it marks an event. "
            'Use output="drop" there.'
        )
    gone = [name for name in later.kept if name not in earlier.kept]
    if (earlier.operation == "k_anonymize" or output == "replace") and gone:
        return f"{later}, needs the column {gone[0]!r}, but {earlier}, drops it."
    return ""


def _damages_kept_columns(earlier: Step, later: Step) -> str:
    if earlier.operation != "k_anonymize" or not earlier.kept or later.operation != "hide":
        return ""
    if later.parameters.get("output", "mark") == "drop":
        return ""
    return (
        f"{earlier}, keeps columns, which {later}, would make null or drop in some rows. "
        'Use output="drop" there, or hide first.'
    )


def _changes_classes_that_were_compared(earlier: Step, later: Step) -> str:
    if earlier.parameters.get("previous") is None or later.operation != "k_anonymize":
        return ""
    return (
        f"what {earlier}, promises about earlier releases cannot be checked after {later}, which makes "
        "other classes. Leave one of the two out."
    )


_RULES: list[Callable[[Step, Step], str]] = [
    _needs_sequences,
    _cannot_be_checked,
    _needs_dropped_times,
    _drops_times_that_were_promised,
    _needs_dropped_columns,
    _damages_kept_columns,
    _changes_classes_that_were_compared,
]
