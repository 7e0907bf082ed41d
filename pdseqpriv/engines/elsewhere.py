"""Tables whose rows are elsewhere, and the engine for each kind."""

from __future__ import annotations

from typing import Any

from pdseqpriv.engines.folder import Folder
from pdseqpriv.engines.memory import read_memory_limit
from pdseqpriv.engines.stored import StoredTable
from pdseqpriv.errors import wrong_parameter


def engine_elsewhere(table: object, *, whole_sequences: bool = False) -> Any:  # noqa: ANN401 (an engine, or None)
    """Return the engine for a table whose rows are not in a frame here; None if they are."""
    package = type(table).__module__.partition(".")[0]
    if package == "dask" and hasattr(table, "npartitions") and hasattr(table, "columns"):
        from pdseqpriv.engines.dask_frames import Dask

        return Dask(whole_sequences)
    if whole_sequences:
        must, do = (
            "left out for a table that is not a Dask data frame",
            "Only Dask needs to be told that sequences are whole.",
        )
        raise wrong_parameter("whole_sequences", must, "True", do)
    if package == "pyspark" and hasattr(table, "mapInArrow"):
        from pdseqpriv.engines.spark_frames import Spark

        return Spark()
    return Folder() if isinstance(table, StoredTable) else None


def memory_for(table: object) -> int:
    """Return how many bytes may be used here for a table whose rows are elsewhere."""
    return table.limits.memory if isinstance(table, StoredTable) else read_memory_limit(None)
