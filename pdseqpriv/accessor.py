"""``df.seqpriv``: the public functions as methods. It holds no logic and no state."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdseqpriv.engines.engine import BoundTable, Table
from pdseqpriv.engines.stored import StoredTable
from pdseqpriv.errors import public
from pdseqpriv.parameters import yes_or_no
from pdseqpriv.sequences.columns import Ties

if TYPE_CHECKING:
    from pdseqpriv.methods import Methods  # a stub only: what type checkers and editors know of add_methods
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
    whole_sequences: bool | None = None,
) -> SeqprivAccessor:
    """Name the columns of a table that hold the sequences; results keep these names.

    Use it as a function for tables that have no ``df.seqpriv``, such as Arrow tables.

    Parameters
    ----------
    table : pandas, Polars or Dask DataFrame, Arrow table, DuckDB relation, Arrow stream, or scanned folder
        One row per event.
    seq_id, event, time : column names, optional
        Needed where they differ from "seq_id", "event" and "time".
    ties : {"element", "order"}, optional
        How to treat rows of one sequence with the same time: as one set of simultaneous events (the
        default), or as separate events in row order.
    person : column name, optional
        Whose sequence it is, where people have several: all guarantees then count people instead of
        sequences. No release contains this column.
    whole_sequences : bool, optional
        For Dask: every partition holds whole sequences, and whole people where they are named, so rows need
        not be moved. This is checked: a sequence in two partitions is an error.

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
    whole = (
        bound.whole_sequences if whole_sequences is None else yes_or_no("whole_sequences", whole_sequences)
    )
    return replace(bound, columns=columns, whole_sequences=whole)


@pd.api.extensions.register_dataframe_accessor("seqpriv")
class SeqprivAccessor(Methods):
    """Privacy for event sequences: every method is the function of the same name in ``pdseqpriv``.

    pandas adds ``df.seqpriv`` at run time, so editors and type checkers do not know its type. If you declare
    it, they complete and check methods and parameters: ``private: pdseqpriv.SeqprivAccessor = df.seqpriv``.
    """

    using = using

    def __repr__(self) -> str:
        names = ", ".join(f"{role}={name!r}" for role, name in self.columns.roles.items())
        return f"<seqpriv: {names}, ties={self.columns.ties!r}>"


StoredTable.seqpriv = property(SeqprivAccessor)  # type: ignore[attr-defined]


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


def register_with_others() -> None:
    """Register ``seqpriv`` with Polars and Dask: now if they are loaded, otherwise as soon as they are."""
    waiting = {name: register for name, register in _REGISTER.items() if name not in sys.modules}
    for name in _REGISTER.keys() - waiting.keys():
        _REGISTER[name](sys.modules[name])
    if waiting:
        sys.meta_path.insert(0, _Watcher(waiting))


def _register_with_polars(polars: Any) -> None:  # noqa: ANN401 (a module)
    if not hasattr(polars.DataFrame, "seqpriv"):
        polars.api.register_dataframe_namespace("seqpriv")(SeqprivAccessor)


def _register_with_dask(dataframe: Any) -> None:  # noqa: ANN401 (a module)
    if not hasattr(dataframe.DataFrame, "seqpriv"):
        dataframe.extensions.register_dataframe_accessor("seqpriv")(SeqprivAccessor)


_REGISTER = {"polars": _register_with_polars, "dask.dataframe": _register_with_dask}


class _Watcher:
    """Notices the first import of packages that take too long to be ours, and steps back for good."""

    def __init__(self, waiting: dict[str, Callable[[Any], None]]) -> None:
        self._waiting = waiting

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Find a package as without us, and let the accessor be registered once it is loaded."""
        register = self._waiting.pop(fullname, None)
        if register is None:
            return None
        spec = find_spec(fullname)
        if not self._waiting:
            sys.meta_path.remove(self)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                register(module)

            spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec


def add_methods(modules: Mapping[str, str]) -> None:
    """Add functions as methods of ``df.seqpriv``, given their names and the modules they are in."""
    for name, module in modules.items():
        setattr(SeqprivAccessor, name, _LazyMethod(name, f"pdseqpriv.{module}"))
