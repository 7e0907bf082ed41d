"""Several operations in a row, with every promise checked on the table that comes out."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import pandas as pd

from pdseqpriv.accessor import using
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.errors import SeqPrivError, public, refusal, speaking_as, wrong_parameter
from pdseqpriv.generalization.generalize import generalize
from pdseqpriv.hiding.hide import hide
from pdseqpriv.k_anonymity.k_anonymize import k_anonymize
from pdseqpriv.notebook_html import list_of_items
from pdseqpriv.paths import PathLike
from pdseqpriv.pattern_release.release_patterns import release_patterns
from pdseqpriv.pipeline.about import asked_of, bound_to
from pdseqpriv.pipeline.checks import Checked
from pdseqpriv.pipeline.look import head_of, look
from pdseqpriv.pipeline.order import refuse_orders
from pdseqpriv.pipeline.repair import checked_and_repaired
from pdseqpriv.pipeline.result import DryRun, Result
from pdseqpriv.pipeline.running import Way, begin, parameters_of, run_steps
from pdseqpriv.pipeline.steps import GIVES, Operation, Step
from pdseqpriv.recipes.reading import read_recipe
from pdseqpriv.recipes.secrets import files_named
from pdseqpriv.recipes.writing import write_recipe
from pdseqpriv.sanitization.sanitize import sanitize
from pdseqpriv.sequences.columns import Columns, Ties
from pdseqpriv.sequences.record import Record, attach, record_of, remember_columns

Given = ParamSpec("Given")


def _step(
    function: Callable[Concatenate[Any, Given], Any],
) -> Callable[Concatenate[Pipeline, Given], Pipeline]:
    """Make an operation a step: the same parameters, but for the table and ``with_key``."""
    operation: Any = function.__name__

    @functools.wraps(function)
    def add(self: Pipeline, /, *args: Given.args, **kwargs: Given.kwargs) -> Pipeline:
        return self._with(operation, args, kwargs)

    add.__doc__ = f"Add :func:`pdseqpriv.{operation}` as a step; its key is that of the result."
    return add


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Pipeline:
    """Steps by name, each an operation with its parameters, run one after the other.

    After the last step, the promise of **every** step is checked on the final table with the functions of
    ``pdseqpriv.verify``. What a later step broke is repaired by running ``hide`` or ``sanitize`` again; if
    that does not help, the run fails with one sentence and returns nothing. Orders in which a promise could
    not be checked are refused before anything is read.

    Parameters
    ----------
    seq_id, event, time, ties, person : optional
        As for :func:`pdseqpriv.using`. With ``person``, all steps count people, also after new ids.

    Notes
    -----
    **Guarantee**: that of every step, on the table that is returned.

    **Not protected**: what the steps do not protect. Columns that a function of yours adds are not checked,
    except against ``k_anonymize(guarantee="identical")``. Running the same table through several pipelines
    reveals more than one of them does; see ``previous`` of the operations.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> visits = ["abc", "abc", "abc", "abd", "bd"]
    >>> df = pd.DataFrame(
    ...     [(i, page, t) for i, visit in enumerate(visits) for t, page in enumerate(visit)],
    ...     columns=["user", "url", "ts"],
    ... )
    >>> recipe = (
    ...     pdseqpriv.Pipeline(seq_id="user", event="url", time="ts")
    ...     .hide(["a -> c"], max_support=2)
    ...     .k_anonymize(2)
    ... )
    >>> recipe
    Pipeline(seq_id='user', event='url', time='ts')
      1. hide(patterns=1 given, max_support=2)
      2. k_anonymize(k=2)
    >>> result = recipe.run(df)
    >>> result
    Result: table, key (for the owner), and 2 verdicts:
      step 1, hide: holds: 1 pattern checked, none in more of the 5 sequences than max_support allows
      step 2, k_anonymize: holds: each of 5 released sequences is contained in at least 2 of ...
    """

    names: dict[str, Any]
    steps: tuple[Step, ...]

    @public
    def __init__(
        self,
        *,
        seq_id: Hashable | None = None,
        event: Hashable | None = None,
        time: Hashable | None = None,
        ties: Ties | None = None,
        person: Hashable | None = None,
    ) -> None:
        given = {"seq_id": seq_id, "event": event, "time": time, "ties": ties, "person": person}
        names: dict[str, Any] = {role: name for role, name in given.items() if name is not None}
        Columns(**names)  # refuses what cannot be names
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "steps", ())

    hide = _step(hide)
    sanitize = _step(sanitize)
    k_anonymize = _step(k_anonymize)
    generalize = _step(generalize)
    release_patterns = _step(release_patterns)

    @public
    def apply(self, function: Callable[[pd.DataFrame], pd.DataFrame]) -> Pipeline:
        """Add a function of your own that takes and returns a table; earlier promises are checked after it.

        It gets a DataFrame of pandas, whatever kind of table came in.

        Examples
        --------
        >>> import pdseqpriv
        >>> pdseqpriv.Pipeline().apply(lambda df: df.head(100)).hide(["a -> b"])
        Pipeline()
          1. apply <lambda>
          2. hide(patterns=1 given)
        """
        if not callable(function):
            raise wrong_parameter("function", "a function from a table to a table", type(function).__name__)
        return self._and(Step(len(self.steps) + 1, "apply", {"function": function}))

    def run(self, table: Any) -> Result:  # noqa: ANN401 (any table)
        """Run all steps on a table, and check every promise on what comes out.

        Parameters
        ----------
        table : any table that operations take, or the path of a Parquet file or of a folder of them
            It is not changed. Rows that are elsewhere (a scanned folder, data frames of Dask or Spark) are
            brought here, and a DataFrame comes back.

        Returns
        -------
        Result
            ``table`` of the kind that came in, ``verdicts``, ``record`` and, for the owner, ``key``;
            ``report`` writes a page about it.

        Raises
        ------
        ViolatedError
            When a promise does not hold on the final table and could not be repaired.
        """
        steps = self._ready("Pipeline.run")
        done: dict[str, Any] = {}

        def run(table: BoundTable, **_: object) -> tuple[pd.DataFrame, pd.DataFrame | None]:
            way, done["verdicts"], done["record"] = _run(table, steps)
            return way.frame, way.key

        run.__qualname__ = "Pipeline.run"
        last = [step for step in steps if step.operation in GIVES][-1]
        through_the_door = on_tables(GIVES[last.operation], "key")(run)
        released, key = through_the_door(bound_to(self.names, table), keep=last.kept)
        return Result(table=released, key=key, **done, asked={"names": self.names, **asked_of(steps)})

    def dry_run(self, table: Any) -> DryRun:  # noqa: ANN401 (any table)
        """Say what would be done, on how much, and which columns are read; of a file, only its head is read.

        Examples
        --------
        >>> import pandas as pd, pdseqpriv
        >>> df = pd.DataFrame({"seq_id": [1, 1], "event": ["a", "b"], "time": [1, 2], "note": "x"})
        >>> pdseqpriv.Pipeline().k_anonymize(2).dry_run(df)
        1. k_anonymize(k=2)
        on 2 rows; columns read: 'seq_id', 'event', 'time'
        """
        steps = self._ready("Pipeline.dry_run")
        if isinstance(table, str | os.PathLike):
            table = head_of(table)
        rows = getattr(table, "rows", None)
        return look(using(table.frame if rows is not None else table, **self.names), steps, rows)

    @public
    def save(self, path: PathLike) -> None:
        """Write the pipeline as a recipe, in YAML or TOML by the suffix; only its owner can read the file.

        What came from files or variables is written as a reference to these, all else as it is. Functions
        of your own cannot be written.
        """
        own = next((step for step in self.steps if step.operation == "apply"), None)
        if own is not None:
            raise refusal(f"{own}, is a function of your own, which a recipe cannot hold.")
        write_recipe(path, self.names, [(step.operation, step.parameters) for step in self.steps])

    @classmethod
    @public
    def load(cls, path: PathLike) -> Pipeline:
        r"""Read a recipe; files that it names are looked for beside it, and read when it runs.

        Examples
        --------
        >>> import pdseqpriv, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "recipe.yaml"
        >>> _ = path.write_text("steps:\n  - hide: {patterns: !file x.txt}\n  - k_anonymise: {k: 10}\n")
        >>> pdseqpriv.Pipeline.load(path)
        Traceback (most recent call last):
        pdseqpriv.errors.FileError: Pipeline.load: cannot read '...recipe.yaml': line 3: there is no operation
        'k_anonymise'; the closest is 'k_anonymize'.
        """
        columns, steps = read_recipe(path)
        made = cls(**columns)
        for operation, parameters in steps:
            made = getattr(made, operation)(**parameters)
        return made

    def renamed(self, **names: Any) -> Pipeline:  # noqa: ANN401 (names of columns)
        """Return the same steps for a table with these names of columns, where they are given."""
        made = Pipeline(**{**self.names, **names})
        object.__setattr__(made, "steps", self.steps)
        return made

    def check_order(self) -> None:
        """Refuse steps that do not fit together, before any table is read."""
        self._ready("Pipeline.run")

    @property
    def files(self) -> list[Path]:
        """The files that the steps are read from, besides the recipe."""
        return [path for step in self.steps for path in files_named(step.parameters)]

    def _ready(self, name: str) -> tuple[Step, ...]:
        """Return the steps if they fit together, with all that a recipe keeps elsewhere read."""
        with speaking_as(name):
            steps = tuple(step.resolved() for step in self.steps)
            refuse_orders(steps)
        return steps

    def _with(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Pipeline:
        own = parameters_of(operation)
        if "with_key" in kwargs:
            raise refusal_of(operation, "with_key must be left out: the key is that of the result.")
        strange = next((name for name in kwargs if name not in own.parameters), None)
        if strange is not None:
            has = ", ".join(own.parameters)
            raise refusal_of(operation, f"there is no parameter {strange!r}; it has {has}.")
        try:
            given = own.bind(*args, **kwargs).arguments
        except TypeError:
            needed = [name for name, one in own.parameters.items() if one.default is one.empty]
            main = f"Give {needed[0]}, and" if needed else "Give"
            raise refusal_of(operation, f"the parameters do not fit. {main} others by their names.") from None
        return self._and(Step(len(self.steps) + 1, operation, given))

    def _and(self, step: Step) -> Pipeline:
        made = self.renamed()
        object.__setattr__(made, "steps", (*self.steps, step))
        return made

    def __repr__(self) -> str:
        steps = [f"  {step.number}. {step.summary()}" for step in self.steps]
        return "\n".join([self._title, *steps])

    def _repr_html_(self) -> str:
        return list_of_items(self._title, [step.summary() for step in self.steps])

    @property
    def _title(self) -> str:
        names = ", ".join(f"{role}={name!r}" for role, name in self.names.items())
        return f"Pipeline({names})"


def refusal_of(operation: str, text: str) -> SeqPrivError:
    """Make an error about a step that cannot be added."""
    return SeqPrivError(f"Pipeline.{operation}: {text}")


def _run(table: BoundTable, steps: tuple[Step, ...]) -> tuple[Way, tuple[Checked, ...], Record]:
    """Run and check; the final table has the record of its steps, whatever was repaired."""
    way = run_steps(begin(table), steps)
    record = record_of(way.frame)
    way, verdicts = checked_and_repaired(way)
    if way.is_repaired:
        frame = way.frame.copy(deep=False)
        attach(frame, record)
        if "columns" in record:
            remember_columns(frame, way.columns.of_release)
        way = replace(way, frame=frame)
    return way, verdicts, record
