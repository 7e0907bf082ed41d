"""``df.seqpriv``: the public functions as methods. It holds no logic and no state."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdseqpriv.engines.engine import BoundTable, Table
from pdseqpriv.errors import public
from pdseqpriv.sequences.columns import Ties

if TYPE_CHECKING:
    from pdseqpriv.methods import Methods  # a stub only: what type checkers and editors know of add_methods
    from pdseqpriv.plotting.table_plots import TablePlots
else:
    Methods = BoundTable


@public
def using(
    table: Table,
    *,
    seq_id: Hashable | None = None,
    event: Hashable | None = None,
    time: Hashable | None = None,
    ties: Ties | None = None,
    person: Hashable | None = None,
) -> SeqprivAccessor:
    """Name the columns of a table that hold the sequences; results keep these names.

    Use it as a function for tables that have no ``df.seqpriv``, such as Arrow tables.

    Parameters
    ----------
    table : pandas or Polars DataFrame, Arrow table, DuckDB relation, or Arrow stream
        One row per event.
    seq_id, event, time : column names, optional
        Needed where they differ from "seq_id", "event" and "time".
    ties : {"element", "order"}, optional
        How to treat rows of one sequence with the same time: as one set of simultaneous events (the
        default), or as separate events in row order.
    person : column name, optional
        Whose sequence it is, where people have several: all guarantees then count people instead of
        sequences. No release contains this column.

    Returns
    -------
    SeqprivAccessor
        All functions on tables as methods that use these names.

    Notes
    -----
    **Guarantee**: none; it only names columns.

    **Not protected**: nothing is changed.

    Examples
    --------
    >>> import pandas as pd, pyarrow as pa, pdseqpriv
    >>> clicks = pa.table({"user": ["x", "x"], "url": ["/", "/buy"], "ts": [1, 2]})
    >>> pdseqpriv.using(clicks, seq_id="user", event="url", time="ts").describe()["events"]
    2
    >>> visits = pd.DataFrame({"user": ["x", "x"], "url": ["/", "/buy"], "ts": [1, 2]})
    >>> visits.seqpriv.using(seq_id="user", event="url", time="ts").describe()["events"]
    2
    """
    bound = table if isinstance(table, SeqprivAccessor) else SeqprivAccessor(table)
    given = {"seq_id": seq_id, "event": event, "time": time, "ties": ties, "person": person}
    columns = replace(bound.columns, **{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type]
    return replace(bound, columns=columns)


@pd.api.extensions.register_dataframe_accessor("seqpriv")
class SeqprivAccessor(Methods):
    """Privacy for event sequences: every method is the function of the same name in ``pdseqpriv``.

    pandas adds ``df.seqpriv`` at run time, so editors and type checkers do not know its type. If you declare
    it, they complete and check methods and parameters: ``private: pdseqpriv.SeqprivAccessor = df.seqpriv``.
    """

    using = using

    @property
    def plot(self) -> TablePlots:
        """Plots of this table, as in ``pdseqpriv.plot``."""
        from pdseqpriv.plotting.table_plots import TablePlots

        return TablePlots(self.frame, self.columns, self.engine)

    def __repr__(self) -> str:
        names = ", ".join(f"{role}={name!r}" for role, name in self.columns.roles.items())
        return f"<seqpriv: {names}, ties={self.columns.ties!r}>"


class _LazyMethod:
    """A placeholder for a function of another module, replaced by the function itself on first use.

    From then on the class holds the function: one signature, one docstring.
    """

    def __init__(self, name: str, module: str) -> None:
        self._name = name
        self._module = module

    def __get__(self, instance: object, owner: type) -> Any:  # noqa: ANN401 (a function or a method)
        function = getattr(import_module(self._module), self._name)
        setattr(owner, self._name, function)
        return function if instance is None else MethodType(function, instance)


def register_with_polars() -> None:
    """Register ``seqpriv`` with Polars: now if it is loaded, otherwise as soon as somebody loads it."""
    polars = sys.modules.get("polars")
    if polars is None:
        sys.meta_path.insert(0, _PolarsWatcher())
    elif not hasattr(polars.DataFrame, "seqpriv"):
        polars.api.register_dataframe_namespace("seqpriv")(SeqprivAccessor)


class _PolarsWatcher:
    """Notices the first import of Polars, which takes too long to be ours, and steps back for good."""

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Find Polars as without us, and let the namespace be registered once it is loaded."""
        if fullname != "polars":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                register_with_polars()

            spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec


def add_methods(modules: Mapping[str, str]) -> None:
    """Add functions as methods of ``df.seqpriv``, given their names and the modules they are in."""
    for name, module in modules.items():
        setattr(SeqprivAccessor, name, _LazyMethod(name, f"pdseqpriv.{module}"))
