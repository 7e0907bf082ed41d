"""Our tables as pandera models: what operations, checks and files validate, and what users can validate too.

>>> import pandas as pd, pandera.pandas as pa
>>> from pandera.typing import DataFrame
>>> from pdseqpriv.schemas import SequenceTable
>>> @pa.check_types
... def busiest(visits: DataFrame[SequenceTable]) -> str:
...     return visits["event"].mode()[0]
>>> busiest(pd.DataFrame({"seq_id": [1, 1, 2], "event": ["home", "home", "bar"], "time": [1, 2, 1]}))
'home'
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias

import pandas as pd

from pdseqpriv.errors import BrokenOutputError, SeqPrivError, called_function
from pdseqpriv.result_models import (
    ChangeSummaryTable,
    ChangeTable,
    ComparisonTable,
    LinkageTable,
    MatchTable,
    RiskTable,
    SweepTable,
)
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.table_model import (
    COLUMN_RULES,
    REGISTERED,
    TABLE_RULES,
    Series,
    Table,
    extensions,
    has_names,
    pa,
    required,
    said_in_our_words,
)

__all__ = [
    "ChangeSummaryTable",
    "ChangeTable",
    "ChannelTable",
    "ComparisonTable",
    "GeneralizedTable",
    "KeyTable",
    "LinkageTable",
    "MatchTable",
    "PatternTable",
    "RiskTable",
    "SequenceTable",
    "SweepTable",
]

TableKind: TypeAlias = Literal[
    "sequences", "generalized", "patterns", "key", "channels", "risk", "linkage", "comparison", "sweep",
    "matches", "changes", "change_summary",
]  # fmt: skip


def _register(name: str, problem_of: Callable[..., SeqPrivError | None]) -> None:
    """Make a rule known to pandera under its name, with the names of columns that it asks for."""

    @functools.wraps(problem_of)  # pandera reads the signature
    def check(table_or_column: pd.DataFrame | pd.Series, **names: Hashable) -> bool:
        return problem_of(table_or_column, **names) is None

    check.__name__ = name
    asked = list(inspect.signature(problem_of).parameters)[1:]
    extensions.register_check_method(statistics=asked)(check)
    REGISTERED.add(name)


for _name, _problem_of in (COLUMN_RULES | TABLE_RULES).items():
    if _name not in REGISTERED:
        _register(_name, _problem_of)


def column(meaning: str, rule: str, *, nullable: bool = False, unique: bool = False) -> Any:  # noqa: ANN401 (pandera's)
    """Return a column that keeps a rule."""
    # By default pandera hides nulls from checks; ours have something to say about them.
    return pa.Field(nullable=nullable, unique=unique, ignore_na=False, description=meaning, **{rule: {}})


def _person() -> Any:  # noqa: ANN401 (pandera's)
    return column("whose sequence it is, if people have several", "holds_people")


class SequenceTable(Table):
    """One event per row; other columns may be present."""

    seq_id: Any = column("whose sequence it is", "holds_ids")
    event: Any = column("what happened; null means marked", "holds_events", nullable=True)
    time: Any = column("when; rows of one sequence and time are one element", "holds_times")

    @classmethod
    def where_named(cls) -> dict[str, Any]:
        """People, where they have several sequences."""
        return {"person": _person()}

    @classmethod
    def rules_for(cls, names: dict[str, Hashable]) -> dict[str, Any]:
        """No sequence belongs to several people."""
        if "person" not in names:
            return {}
        return {"has_one_person_each": {"seq_id": names.get("seq_id", "seq_id"), "person": names["person"]}}


class GeneralizedTable(Table):
    """Sequences in groups, with intervals for times and categories for events."""

    seq_id: Any = column("fresh number of the sequence", "holds_counts")
    group: Any = column("the group that the sequence is in", "holds_counts")
    event: Any = column("event, or category that covers it", "holds_events", nullable=True)
    time_from: Any = column("start of the interval", "holds_times")
    time_to: Any = column("end of the interval, included", "holds_times")

    @classmethod
    def using(cls, *, keep: Sequence[Hashable] = (), **names: Hashable) -> type[Self]:  # type: ignore[override]
        """Return the same model with other column names, and with columns that ``keep`` named.

        Examples
        --------
        >>> list(GeneralizedTable.using(keep=["age"]).to_schema().columns)
        ['seq_id', 'group', 'event', 'time_from', 'time_to', 'age']
        """
        made = super().using(**names)
        told = column("what is kept of a whole group; null tells nothing", "holds_events", nullable=True)
        columns = {f"kept_{place}": (name, told) for place, name in enumerate(keep)}
        return made.having(columns, {"holds_kept": {"kept": list(keep)}}) if keep else made

    class Config:
        """Intervals do not end before they start."""

        strict = True
        holds_intervals: ClassVar[dict[str, object]] = {}


class PatternTable(Table):
    """Sequential patterns and their supports."""

    pattern: Any = column("tuple of elements, in order", "holds_patterns")
    support: Any = column("number of sequences that contain it", "holds_supports")
    length: Any = column("number of events", "holds_supports")

    class Config:
        """Nothing else is in the table."""

        strict = True


class KeyTable(Table):
    """Which released sequence is whose. Never part of a release."""

    seq_id: Any = column("original id; for the owner only", "holds_ids", unique=True)
    released_id: Any = column("id in the release; null when dropped", "holds_fresh_ids", nullable=True)
    group: Series[Any] | None = column(
        "whom it cannot be told apart from; null when dropped", "holds_fresh_ids", nullable=True
    )

    @classmethod
    def where_named(cls) -> dict[str, Any]:
        """People, where they have several sequences."""
        return {"person": _person()}

    class Config:
        """Nothing else is in the table."""

        strict = True


class ChannelTable(Table):
    """What pdseqpriv.inference_channels gives. For the owner only."""

    channel: Any = pa.Field(isin=["k", "alpha"], description="which of the two rules is broken")
    pattern: Any = column("tuple of elements, in order", "holds_patterns")
    longer: Any = column("pattern that contains it", "holds_patterns")
    support: Any = column("number of sequences that contain the pattern", "holds_supports")
    longer_support: Any = column("number that contain the longer one", "holds_supports")
    inferred_support: Any = column("number that contain only the pattern", "holds_counts")
    confidence: float = pa.Field(ge=0, le=1, description="how often the longer pattern is there, too")

    class Config:
        """What is inferred follows from the supports."""

        strict = True
        holds_channels: ClassVar[dict[str, object]] = {}


# Some of pandera loads with the first schema, and its checks with the first table.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    SequenceTable.to_schema().validate(pd.DataFrame({"seq_id": [0], "event": [0], "time": [0]}))

MODELS: dict[TableKind, type[Table]] = {
    "sequences": SequenceTable,
    "generalized": GeneralizedTable,
    "patterns": PatternTable,
    "key": KeyTable,
    "channels": ChannelTable,
    "risk": RiskTable,
    "linkage": LinkageTable,
    "comparison": ComparisonTable,
    "sweep": SweepTable,
    "matches": MatchTable,
    "changes": ChangeTable,
    "change_summary": ChangeSummaryTable,
}
# Tables for the owner, which say who the people are; no release does.
OF_OWNERS = ("key", "matches", "changes")


def validate(
    frame: pd.DataFrame,
    kind: TableKind,
    columns: Columns = Columns(),  # noqa: B008 (frozen)
    keep: Sequence[Hashable] | None = (),
) -> None:
    """Raise one clear sentence when a table does not fit its model; it quotes no value.

    ``keep`` names what a generalized table has besides; None means whatever is there.
    """
    schema = _schema_of(kind, columns.named)
    if kind == "generalized" and keep != ():
        there = [name for name in frame.columns if name not in schema.columns] if keep is None else keep
        schema = _schema_of(kind, columns.named, tuple(there))
    looked_at = frame.copy(deep=False)
    looked_at.attrs = {}  # pandas would copy them with every column
    looked_at.index = pd.RangeIndex(len(frame))  # of labels nothing is asked, and pandera trips over some
    if kind == "sequences":  # other columns may be of any kind, and there twice
        looked_at = looked_at.loc[:, [name in schema.columns for name in frame.columns]]
    try:
        schema.validate(looked_at, inplace=True)
    except pa.errors.SchemaError as error:
        raise said_in_our_words(error, frame, kind, columns, schema) from None
    except pa.errors.SchemaErrors as errors:
        raise said_in_our_words(errors.schema_errors[0], frame, kind, columns, schema) from None


def validate_output(
    frame: pd.DataFrame,
    kind: TableKind,
    columns: Columns = Columns(),  # noqa: B008 (frozen)
    keep: Sequence[Hashable] | None = (),
) -> pd.DataFrame:
    """Return a table that fits its model; one that does not is a bug of ours, and nobody gets it."""
    try:
        validate(frame, kind, columns if kind in OF_OWNERS else columns.of_release, keep)
    except SeqPrivError as error:
        raise BrokenOutputError(
            f"{called_function()}: the result does not fit the model {MODELS[kind].__name__}, so it is not "
            f"returned. This is a bug of pdseqpriv: please report it, without data. ({error})"
        ) from None
    return frame


def kind_of_table(frame: pd.DataFrame, columns: Columns) -> TableKind:
    """Return which of our tables a frame is, judged by its columns; sequences when in doubt."""
    if columns.time not in frame.columns and {*required(_schema_of("generalized", columns.named))} <= {
        *frame.columns
    }:
        return "generalized"  # whatever is kept besides
    strict: tuple[TableKind, ...] = ("patterns", "key")
    return next((kind for kind in strict if has_names(frame, _schema_of(kind, columns.named))), "sequences")


@functools.lru_cache(maxsize=64)
def _schema_of(
    kind: TableKind, named: tuple[tuple[str, Hashable], ...], keep: tuple[Hashable, ...] = ()
) -> pa.DataFrameSchema:
    """Return a model's schema under the user's names; tables of patterns have names of their own."""
    model = MODELS[kind]
    own = {role: name for role, name in named if role in model.__fields__ and role != name}
    more = {role: name for role, name in named if role in model.where_named()}
    besides = {"keep": keep} if keep else {}
    return model.using(**own, **more, **besides).to_schema()
