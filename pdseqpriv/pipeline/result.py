"""What a pipeline gives."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from pdseqpriv.errors import counted, public
from pdseqpriv.notebook_html import judged
from pdseqpriv.paths import PathLike, path_of_one_file, replacing
from pdseqpriv.pipeline.checks import Checked
from pdseqpriv.sequences.record import Record

if TYPE_CHECKING:
    from pdseqpriv.reporting.report import Audience


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
    asked: Mapping[str, Any] = field(default_factory=dict)  # what a page needs besides

    @public
    def report(self, original: Any, path: PathLike, *, audience: Audience = "public") -> None:  # noqa: ANN401
        """Write one self-contained HTML page about the release, with the verdicts of this run.

        Parameters
        ----------
        original : what the pipeline ran on: a table, or the path of a Parquet file or folder
            A result does not keep it.
        path : str or path
            Where to write the page.
        audience : {"public", "owner"}
            Who will read it, as for :func:`pdseqpriv.report`. What is the owner's, only the owner can read.

        Examples
        --------
        >>> import pandas as pd, pdseqpriv, tempfile, pathlib
        >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abab"), "time": [1, 2, 1, 2]})
        >>> result = pdseqpriv.Pipeline().k_anonymize(2, guarantee="identical").run(df)
        >>> page = pathlib.Path(tempfile.mkdtemp()) / "report.html"
        >>> result.report(df, page)
        >>> "is the same for at least 2 sequences" in page.read_text()
        True
        """
        from pdseqpriv.pipeline.about import page_of

        with replacing(path_of_one_file(path), is_private=audience == "owner") as stream:
            stream.write(page_of(self, original, audience))

    def __repr__(self) -> str:
        return "\n".join([self._title, *(f"  {one!r}" for one in self.verdicts)])

    def _repr_html_(self) -> str:
        lines = [
            judged(holds=bool(one), text=one.verdict.sentence, before=f"step {one.step}, {one.operation}: ")
            for one in self.verdicts
        ]
        return f"<div><b>{escape(self._title)}</b>{''.join(lines)}</div>"

    @property
    def _title(self) -> str:
        has_key = "" if self.key is None else ", key (for the owner)"
        return f"Result: table{has_key}, and {counted(len(self.verdicts), 'verdict')}:"


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
