"""What all our models share: pandera, and columns under the user's own names."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Hashable
from typing import Any, Self

with warnings.catch_warnings():  # where pyspark is installed, it warns while pandera loads
    warnings.simplefilter("ignore")
    import pandera.pandas as pa
    from pandera import extensions
    from pandera.typing import Series

from pdseqpriv.errors import refusal

__all__ = ["Series", "Table", "extensions", "pa"]


class Table(pa.DataFrameModel):
    """A table whose columns may have other names."""

    class Config:
        """No column may be there twice."""

        unique_column_names = True

    @classmethod
    def using(cls, **names: Hashable) -> type[Self]:
        """Return the same model with other column names, as ``df.seqpriv.using`` takes them.

        Examples
        --------
        >>> from pdseqpriv.schemas import SequenceTable
        >>> list(SequenceTable.using(seq_id="user", time="ts").to_schema().columns)
        ['user', 'event', 'ts']
        """
        fields = {role: field for role, (_, field) in cls.__fields__.items()} | cls.where_named()
        strange = sorted(set(names) - set(fields))
        if strange:
            raise refusal(f"{cls.__name__} has no column {strange[0]!r}; it has {', '.join(fields)}.")
        body: dict[str, Any] = {"__annotations__": dict.fromkeys(names, Any), "__module__": cls.__module__}
        for role, name in names.items():
            field = copy.copy(fields[role])
            field.alias = name
            body[role] = field
        config = type("Config", (cls.Config,), cls.rules_for(names))
        made: type[Self] = type(cls)(cls.__name__, (cls,), body | {"Config": config})  # type: ignore[misc]
        return made

    @classmethod
    def where_named(cls) -> dict[str, Any]:
        """Return the columns that a table has only where ``using`` names them."""
        return {}

    @classmethod
    def rules_for(cls, names: dict[str, Hashable]) -> dict[str, Any]:  # noqa: ARG003 (for those who need them)
        """Return the rules for the whole table that depend on names."""
        return {}
