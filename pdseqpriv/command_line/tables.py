"""Read and write tables by the suffix of their names."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pdseqpriv.command_line.use import WrongUseError
from pdseqpriv.errors import FileError
from pdseqpriv.paths import has_wildcards

STANDARD = "-"
_SUFFIXES = (".parquet", ".csv", ".csv.gz", ".spmf", ".xes", ".xes.gz")
_COLUMNS = ("seq_id", "event", "time")


def suffix_of(name: str, what: str) -> str:
    """Return the suffix that counts: folders are of Parquet, standard input and output are CSV."""
    if name == STANDARD:
        return ".csv"
    if name.endswith("/") or Path(name).is_dir() or _may_be_several(name):
        return ".parquet"
    found = next((suffix for suffix in reversed(_SUFFIXES) if name.lower().endswith(suffix)), None)
    if found is None:
        raise WrongUseError(f"{what} must be a folder, - or end in {', '.join(_SUFFIXES)}, got {name!r}.")
    return found


def _may_be_several(name: str) -> bool:
    return has_wildcards(name) and not Path(name).exists()


def check_input(name: str, what: str) -> None:
    """Refuse a table that cannot be there, before anything else is done."""
    suffix_of(name, what)
    if name != STANDARD and not _may_be_several(name) and not Path(name).exists():
        raise WrongUseError(f"{what}: there is no file or folder {name!r}.")


def read_table(name: str, names: dict[str, Any], what: str) -> Any:  # noqa: ANN401 (a bound table)
    """Read a table, bound to the names of its columns."""
    from pdseqpriv.accessor import using

    check_input(name, what)
    named = {role: names[role] for role in _COLUMNS if role in names}
    kind = suffix_of(name, what)
    if kind == ".parquet":
        from pdseqpriv.files.parquet import read_parquet

        frame = read_parquet(name, **named)
    elif kind.startswith(".csv"):
        from pdseqpriv.files.csv import read_csv

        with _as_path(name) as path:
            frame = read_csv(path, **named)
    elif kind == ".spmf":
        from pdseqpriv.files.spmf import read_spmf

        frame = read_spmf(name)
    else:
        from pdseqpriv.files.xes import read_xes

        frame = read_xes(name)
    return using(frame, **names) if names else frame


@contextlib.contextmanager
def _as_path(name: str) -> Iterator[str]:
    """Give standard input the path of a file that has no name, so that none is left behind."""
    if name != STANDARD:
        yield name
        return
    with tempfile.TemporaryFile() as held:
        shutil.copyfileobj(sys.stdin.buffer, held)
        held.flush()
        path = f"/dev/fd/{held.fileno()}"
        try:
            yield path
        except FileError as error:
            raise FileError(str(error).replace(repr(path), "standard input")) from None


def write_table(table: Any, name: str) -> None:  # noqa: ANN401 (a bound table)
    """Write a table, all or nothing."""
    kind = suffix_of(name, "OUT")
    if name == STANDARD:
        from pdseqpriv.files.csv import write_csv_to

        write_csv_to(table, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    elif kind == ".parquet":
        from pdseqpriv.files.parquet import write_parquet

        write_parquet(table, name)
    elif kind.startswith(".csv"):
        from pdseqpriv.files.csv import write_csv

        write_csv(table, name)
    elif kind == ".spmf":
        from pdseqpriv.files.spmf import write_spmf

        write_spmf(table, name)
    else:
        from pdseqpriv.files.write_xes import write_xes

        write_xes(table, name)
