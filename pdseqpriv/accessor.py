"""``df.seqpriv``: the public functions as methods. It holds no logic and no state."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from pdseqpriv.engines.arrow import columns_noted_in
from pdseqpriv.engines.engine import BoundTable, Table, with_columns
from pdseqpriv.errors import public
from pdseqpriv.namespaces import add_methods
from pdseqpriv.parameters import yes_or_no
from pdseqpriv.sequences.columns import Ties

if TYPE_CHECKING:
    from pdseqpriv.methods import Methods  # a stub only: what type checkers and editors know of its methods
    from pdseqpriv.plotting.table_plots import TablePlots
else:
    Methods = BoundTable

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


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
    table : DataFrame (pandas, Polars, Dask, Spark), Arrow table or stream, DuckDB relation, or scanned folder
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
    whole = (
        bound.whole_sequences if whole_sequences is None else yes_or_no("whole_sequences", whole_sequences)
    )
    return replace(with_columns(bound, given), whole_sequences=whole)


class SeqprivAccessor(Methods):
    """Privacy for event sequences: every method is the function of the same name in ``pdseqpriv``.

    pandas adds ``df.seqpriv`` at run time, so editors and type checkers do not know its type. If you declare
    it, they complete and check methods and parameters: ``private: pdseqpriv.SeqprivAccessor = df.seqpriv``.
    """

    using = using

    def pipe(
        self,
        function: Callable[Concatenate[SeqprivAccessor, Given], Answer],
        *args: Given.args,
        **kwargs: Given.kwargs,
    ) -> Answer:
        """Call a function with this table under these names.

        As ``df.pipe`` does, but the function gets ``df.seqpriv.using(...)`` instead of the DataFrame, which
        every function of the library takes; its ``frame`` is the DataFrame.

        Examples
        --------
        >>> import pandas as pd, pdseqpriv
        >>> visits = pd.DataFrame({"user": ["x", "x"], "url": ["/", "/buy"], "ts": [1, 2]})
        >>> named = visits.seqpriv.using(seq_id="user", event="url", time="ts")
        >>> named.pipe(pdseqpriv.hide, ["/ -> /buy"], output="drop")["url"].tolist()
        ['/']
        """
        return function(self, *args, **kwargs)

    @property
    def plot(self) -> TablePlots:
        """Plots of this table, as in ``pdseqpriv.plot``."""
        from pdseqpriv.plotting.table_plots import TablePlots

        return TablePlots(self.frame, self.columns, self.engine)

    def __repr__(self) -> str:
        columns = self.columns if self.is_named else columns_noted_in(self.frame)
        names = ", ".join(f"{role}={name!r}" for role, name in columns.roles.items())
        return f"<seqpriv: {names}, ties={columns.ties!r}>"


add_methods(SeqprivAccessor)
