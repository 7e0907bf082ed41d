"""What a pipeline gives."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from pdseqpriv.errors import counted
from pdseqpriv.pipeline.checks import Checked
from pdseqpriv.sequences.record import Record


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The release of a pipeline, with all that was promised checked.

    Attributes
    ----------
    table : of the kind that came in
        The release.
    verdicts : tuple of Checked
        One or more for each operation. They tell counts of the original: for the owner.
    record : dict
        What was applied, as it is written into files: anybody may see it.
    key : of the kind that came in, or None
        Which released sequence belongs to whom, if ids are new. Never share it.
    """

    table: Any
    verdicts: tuple[Checked, ...]
    record: Record
    key: Any

    def __repr__(self) -> str:
        has_key = "" if self.key is None else ", key (for the owner)"
        lines = [f"Result: table{has_key}, and {counted(len(self.verdicts), 'verdict')}:"]
        return "\n".join([*lines, *(f"  {one!r}" for one in self.verdicts)])


@dataclass(frozen=True, repr=False)
class DryRun:
    """What a pipeline would do.

    Attributes
    ----------
    steps : tuple of str
        Each operation with its parameters; of what is secret, only how much there is.
    rows : int
        How many rows the table has.
    columns : tuple of column names
        Those that are read. All are, if the first operation releases other columns as they are.
    """

    steps: tuple[str, ...]
    rows: int
    columns: tuple[Hashable, ...]

    def __repr__(self) -> str:
        lines = [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]
        names = ", ".join(map(repr, self.columns))
        return "\n".join([*lines, f"on {counted(self.rows, 'row')}; columns read: {names}"])
