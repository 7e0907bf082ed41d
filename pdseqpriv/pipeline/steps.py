"""One step of a pipeline: an operation with its parameters, or a function of the user's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sized
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.patterns.reading import patterns_and_thresholds
from pdseqpriv.recipes.secrets import resolved
from pdseqpriv.schemas import TableKind
from pdseqpriv.sequences.span import Span

Operation = Literal["hide", "sanitize", "k_anonymize", "generalize", "release_patterns", "apply"]
# What each operation gives; a function of the user's gives what came.
GIVES: dict[str, TableKind] = {
    "hide": "sequences",
    "sanitize": "sequences",
    "k_anonymize": "sequences",
    "generalize": "generalized",
    "release_patterns": "patterns",
}
# Those that give new ids, and a key to them.
WITH_KEY = ("k_anonymize", "generalize")
CONSTRAINTS = ("min_gap", "max_gap", "max_window", "gap_unit")
_NO_CONSTRAINTS = {"min_gap": None, "max_gap": None, "max_window": None, "gap_unit": "element"}
_SHORT_WORD = 20


@dataclass(frozen=True, eq=False, repr=False)
class Step:
    """An operation and its parameters, those that have a default only if they were given."""

    number: int  # from 1
    operation: Operation
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"step {self.number}, {self.operation}"

    def __repr__(self) -> str:
        return f"<step {self.number}: {self.summary()}>"

    @property
    def kept(self) -> list[Hashable]:
        """The columns beside the sequences that it keeps."""
        return list(self.parameters.get("keep") or ())

    @property
    def function(self) -> Callable[[Any], Any]:
        """The function of the user's."""
        return self.parameters["function"]  # type: ignore[no-any-return]

    def resolved(self) -> Step:
        """Return the step with all that a recipe keeps elsewhere read."""
        return replace(self, parameters=resolved(self.parameters))

    def asked(self, *names: str) -> dict[str, Any]:
        """Return those of the named parameters that were given."""
        return {name: self.parameters[name] for name in names if name in self.parameters}

    def patterns(self) -> list[Pattern]:
        """Return the patterns that are to be hidden, with the constraints that apply to all of them."""
        constraints = {**_NO_CONSTRAINTS, **self.asked(*CONSTRAINTS)}
        read, _ = patterns_and_thresholds(self.parameters["patterns"], 0, **constraints)
        return read

    def summary(self) -> str:
        """Say what it does, without anything that is secret: of lists, only how long they are."""
        if self.operation == "apply":
            return f"apply {getattr(self.function, '__name__', 'a function')}"
        told = [f"{name}={_shown(name, value)}" for name, value in self.parameters.items()]
        return f"{self.operation}({', '.join(told)})"


def measures_time(step: Step) -> bool:
    """Return whether what a step promises depends on the times themselves, not only on their order."""
    if step.operation == "hide":
        spans = [one for pattern in step.patterns() for one in _spans_of(pattern)]
        return any(span is not None and span.by_time for span in spans)
    if step.operation == "sanitize":  # what is pooled by time
        return bool(step.parameters.get("scope", "sequence") != "sequence")
    return step.operation == "generalize"


def _spans_of(pattern: Pattern) -> list[Span | None]:
    return [pattern.window, *(end for gap in pattern.gaps for end in (gap.least, gap.most))]


def _shown(name: str, value: object) -> str:
    if name == "seed":
        return "given"
    if isinstance(value, int | float) or value is None:
        return repr(value)
    if isinstance(value, str):
        return repr(value) if len(value) <= _SHORT_WORD and name != "patterns" else "given"
    return f"{len(value)} given" if isinstance(value, Sized) else "given"
