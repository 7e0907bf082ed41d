"""What a recipe may say: the one truth about keys and types, of which ``schemas/recipe.json`` is made."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

__all__ = ["OPERATIONS", "Recipe", "ValidationError"]

Event = str | int
AtLeast2 = Annotated[int, Field(ge=2)]
Positive = Annotated[int, Field(ge=1)]
NotNegative = Annotated[int, Field(ge=0)]
Exact = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+|\.[0-9]+)?$")]
Share = Annotated[float, Field(gt=0, le=1)] | Exact
Weight = Annotated[float, Field(ge=0)] | Exact
Length = NotNegative | Annotated[float, Field(ge=0)] | str


class _Strict(BaseModel):
    """Nothing is guessed, and no message quotes what was written."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, strict=True)


class FromFile(_Strict):
    """Something that is read from a file beside the recipe; in YAML also ``!file name``."""

    file: str


class FromEnvironment(_Strict):
    """Something that is read from an environment variable; in YAML also ``!env NAME``."""

    env: str


Secret = FromFile | FromEnvironment
Seed = NotNegative | Secret
Events = list[Event] | Secret
Patterns = str | list[str | list[Event | list[Event]]] | Secret
Categories = dict[str, object] | FromFile
Keep = list[str] | dict[str, Categories | None]


class Columns(_Strict):
    """The names of the columns, if they are not "seq_id", "event" and "time"; and who the people are."""

    seq_id: str | None = None
    event: str | None = None
    time: str | None = None
    ties: Literal["element", "order"] | None = None
    person: str | None = None


class Hide(_Strict):
    """Hide sensitive patterns: pdseqpriv.hide."""

    patterns: Patterns
    max_support: NotNegative | list[NotNegative] = 0
    min_gap: Length | None = None
    max_gap: Length | None = None
    max_window: Length | None = None
    gap_unit: Literal["element", "time"] = "element"
    marking: Literal["optimal", "greedy", "random"] = "optimal"
    selection: Literal["per_pattern", "shared", "random"] = "per_pattern"
    output: Literal["mark", "drop", "replace"] = "mark"
    seed: Seed | None = None


class Sanitize(_Strict):
    """Make sensitive events rare: pdseqpriv.sanitize."""

    delta: Share
    events: Events
    scope: Literal["sequence", "person", "table"] = "sequence"
    method: Literal["joint", "essa"] = "joint"
    alphabet: Events | None = None
    camouflage: AtLeast2 | None = None


class KAnonymize(_Strict):
    """Release what k people share: pdseqpriv.k_anonymize."""

    k: AtLeast2
    guarantee: Literal["contained", "mutual", "identical"] = "contained"
    method: Literal["subsequence", "prefix_tree"] = "subsequence"
    taxonomy: Categories | None = None
    previous: list[str] | None = None
    keep: Keep | None = None
    seed: Seed | None = None


class Generalize(_Strict):
    """Release groups: pdseqpriv.generalize."""

    taxonomy: Categories | None = None
    k: AtLeast2 | None = None
    diversity: Annotated[list[Length], Field(min_length=2, max_length=2)] | None = None
    monitored: Events | None = None
    sensitive: Events | None = None
    method: Literal["auto", "baseline", "indexed", "hybrid", "hilbert", "partition"] = "auto"
    time_weight: Weight = 1.0
    event_weight: Weight = 1.0
    time: Literal["real", "since_start"] = "real"
    intervals: Literal["apart", "by_category"] = "apart"
    seed: Seed | None = None
    previous: list[str] | None = None
    keep: Keep | None = None


class ReleasePatterns(_Strict):
    """Release frequent patterns: pdseqpriv.release_patterns."""

    min_support: Positive | Share
    k: AtLeast2 | None = None
    alpha: Share | None = None
    max_length: Positive | None = None
    min_length: Positive = 1
    closed: bool = False
    method: Literal["raise", "suppress"] = "raise"
    max_patterns: Positive = 10_000_000


OPERATIONS: dict[str, type[_Strict]] = {
    "hide": Hide,
    "sanitize": Sanitize,
    "k_anonymize": KAnonymize,
    "generalize": Generalize,
    "release_patterns": ReleasePatterns,
}


class OneStep(_Strict):
    """One operation by its name, with its parameters."""

    hide: Hide | None = None
    sanitize: Sanitize | None = None
    k_anonymize: KAnonymize | None = None
    generalize: Generalize | None = None
    release_patterns: ReleasePatterns | None = None

    @model_validator(mode="after")
    def _is_one(self) -> OneStep:
        if len(self.model_fields_set) != 1 or getattr(self, next(iter(self.model_fields_set))) is None:
            raise ValueError("one operation with its parameters is needed in each step")
        return self


class Recipe(_Strict):
    """A pipeline: the columns, and the steps in their order."""

    format: Literal[1] = 1
    columns: Columns = Columns()
    steps: Annotated[list[OneStep], Field(min_length=1)]
